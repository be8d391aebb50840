//! The search for values with which a requirement is violated.

use std::cell::RefCell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::optimum::Function;
use super::reduce::reduced;
use super::{Evaluation, SearchOptions, Study};
use crate::engine::Cancel;
use crate::model::BlockAddress;
use crate::optimize::{BlackBoxOptions, Iterate, minimize_black_box};
use crate::trial::{Executions, from_starts};

/// Where a falsification is.
#[derive(Clone, Debug, PartialEq)]
pub struct FalsifyProgress {
    /// The index of the requirement.
    pub requirement: usize,
    /// The least margin of this requirement so far, of one start.
    pub margin: f64,
    pub evaluations: u64,
}

/// The result of the search.
#[derive(Clone, Debug, PartialEq)]
pub struct Falsification {
    pub violations: Vec<Violation>,
    /// The least margin of each requirement, and its values; below 0 for those that are violated.
    pub least: Vec<(f64, Vec<f64>)>,
    /// Values with which a run fails, and why.
    pub failure: Option<(Vec<f64>, String)>,
    pub evaluations: u64,
    pub is_cancelled: bool,
}

/// Values with which a requirement is violated.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// The index of the requirement.
    pub requirement: usize,
    /// The check block that the requirement is.
    pub check: Option<BlockAddress>,
    /// As simple as they could be made.
    pub values: Vec<f64>,
    /// As the search found them.
    pub found: Vec<f64>,
    pub margin: f64,
    /// The step at which it is violated.
    pub step: u64,
}

/// Stands for a violation among margins: below all others.
const VIOLATED: f64 = -1e300;

impl Study {
    /// Searches for values with which a requirement is violated, one requirement after the other, and simplifies them. The
    /// search follows the margin downhill.
    ///
    /// Once cancelled, it returns the violations so far.
    pub fn falsify(
        &self,
        options: &SearchOptions,
        cancel: &Cancel,
        look: &mut dyn FnMut(FalsifyProgress),
    ) -> Falsification {
        let evaluations = AtomicU64::new(0);
        let known = Mutex::new(Known {
            least: vec![(f64::INFINITY, self.initial()); self.requirements.len()],
            ..Known::default()
        });
        let (starts, bounds) = (self.starts(options), self.bounds());
        for requirement in 0..self.requirements.len() {
            let is_violated = || known.lock().is_ok_and(|known| known.is_violated(requirement));
            if is_violated() || cancel.is_cancelled() {
                continue;
            }
            let search = |executions: &mut RefCell<Executions>, index: usize, news: &mut dyn FnMut(FalsifyProgress)| {
                let cost = |at: &[f64]| {
                    // Another search has found one already.
                    if is_violated() {
                        return Ok(VIOLATED);
                    }
                    let values = self.values(at);
                    let found = self.evaluate_with(&values, &mut executions.borrow_mut(), cancel)?;
                    evaluations.fetch_add(1, Ordering::Relaxed);
                    let met = found.met.get(requirement).copied();
                    if let Ok(mut known) = known.lock() {
                        known.learn(&values, &found);
                    }
                    Ok(match met {
                        _ if found.failure.is_some() => f64::INFINITY,
                        Some(met) if met.violated_at.is_some() => VIOLATED,
                        Some(met) => met.margin,
                        None => f64::INFINITY,
                    })
                };
                let mut tell = |iterate: Iterate| {
                    let evaluations = evaluations.load(Ordering::Relaxed);
                    news(FalsifyProgress { requirement, margin: iterate.sum, evaluations });
                };
                let seed = options.seed.wrapping_add(index as u64);
                let options = BlackBoxOptions { goal: VIOLATED, seed, ..options.black_box };
                let start = starts.get(index).map_or(&[][..], |start| start);
                minimize_black_box(&Function(&cost), start, &bounds, &options, &mut tell)
            };
            let state = || RefCell::new(Executions::default());
            from_starts((starts.len(), options.workers), cancel, state, search, look);
        }
        let Known { least, violated, failure } = known.into_inner().unwrap_or_default();
        let simple = violated.into_iter().map(|(requirement, found, margin, step)| {
            let (values, margin, step) = reduced(self, requirement, (&found, margin, step), cancel);
            let check = self.requirements.get(requirement).and_then(|one| one.check.clone());
            Violation { requirement, check, values, found, margin, step }
        });
        let mut violations: Vec<Violation> = simple.collect();
        violations.sort_by_key(|violation| violation.requirement);
        let is_cancelled = cancel.is_cancelled();
        Falsification { violations, least, failure, evaluations: evaluations.into_inner(), is_cancelled }
    }
}

/// The results of all searches so far.
#[derive(Default)]
struct Known {
    least: Vec<(f64, Vec<f64>)>,
    /// The requirement, the values, the margin, and the step.
    violated: Vec<(usize, Vec<f64>, f64, u64)>,
    failure: Option<(Vec<f64>, String)>,
}

impl Known {
    fn is_violated(&self, requirement: usize) -> bool {
        self.violated.iter().any(|(known, ..)| *known == requirement)
    }

    fn learn(&mut self, values: &[f64], found: &Evaluation) {
        if let Some(failure) = &found.failure {
            self.failure.get_or_insert_with(|| (values.to_vec(), failure.clone()));
            return;
        }
        for (requirement, met) in found.met.iter().enumerate() {
            if let Some(step) = met.violated_at.filter(|_| !self.is_violated(requirement)) {
                self.violated.push((requirement, values.to_vec(), met.margin, step));
            }
            if let Some(least) = self.least.get_mut(requirement).filter(|least| met.margin < least.0) {
                *least = (met.margin, values.to_vec());
            }
        }
    }
}
