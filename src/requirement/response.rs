//! The curves of the signals that requirements are about, thinned so that they can be drawn.

use super::monitor::Watched;
use super::{Evaluation, Study};
use crate::engine::{Cancel, Samples};
use crate::measure::{Series, step_response};
use crate::model::SignalKey;
use crate::optimize::Cancelled;
use crate::trial::Executions;

/// The result of the runs with certain values, with their curves.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyResponse {
    pub evaluation: Evaluation,
    /// The curves of each scenario: first with the values of the file, then with those of the tolerances, of which only some
    /// are kept.
    pub scenarios: Vec<Vec<ResponseCurve>>,
}

/// The curve of a signal in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseCurve {
    pub signal: SignalKey,
    /// Points of each element: the first, the least, the greatest and the last value of some steps, in their order.
    pub elements: Vec<Vec<(f64, f64)>>,
    /// The levels of the step response, where a requirement is on a figure of one.
    pub step: Option<StepLevels>,
}

/// The levels of a step response, and when it passes them, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepLevels {
    pub begin: f64,
    pub rest: f64,
    /// The time at which it reaches 10 % of the step.
    pub rises_at: f64,
}

/// The largest number of scenarios whose curves are kept.
const MAX_DRAWN: usize = 17;
/// The approximate number of parts of a run, of each of which there are up to four points.
const PARTS: u64 = 400;

/// Runs of a study whose curves are wanted. They use the same execution again and again.
pub struct ResponseRuns<'a> {
    study: &'a Study,
    executions: Executions,
}

impl Study {
    /// Returns the runs whose curves are wanted.
    pub fn responses(&self) -> ResponseRuns<'_> {
        ResponseRuns { study: self, executions: Executions::default() }
    }

    /// Returns the signals of the conditions of a requirement. That of a check block is its margin.
    pub fn signals_of(&self, requirement: usize) -> Vec<&SignalKey> {
        let conditions = self.requirements.get(requirement).map_or(&[][..], |requirement| &requirement.any);
        conditions.iter().filter_map(|condition| self.trial.signal(condition.signal())).collect()
    }

    fn needs_levels(&self, watch: usize) -> bool {
        let conditions = self.requirements.iter().flat_map(|requirement| &requirement.any);
        conditions.into_iter().any(|one| matches!(one, Watched::Figure { watch: of, .. } if *of == watch))
    }
}

impl ResponseRuns<'_> {
    /// Runs the simulation with values of the parameters in all scenarios.
    ///
    /// # Errors
    /// If it is cancelled.
    pub fn at(&mut self, values: &[f64], cancel: &Cancel) -> Result<StudyResponse, Cancelled> {
        let study = self.study;
        let drawn: Vec<(usize, bool)> =
            study.drawn().into_iter().map(|watch| (watch, study.needs_levels(watch))).collect();
        let mut worst: Option<Evaluation> = None;
        let mut scenarios = Vec::new();
        for scenario in &study.scenarios {
            let all: Vec<f64> = values.iter().chain(scenario).copied().collect();
            let mut drafts: Vec<Draft> = match scenarios.len() < MAX_DRAWN {
                true => drawn.iter().map(|of| Draft::new(*of, study.steps)).collect(),
                false => Vec::new(),
            };
            let mut look = |samples: &Samples| drafts.iter_mut().for_each(|draft| draft.take(samples, study.delta));
            let one = study.run(&all, &mut self.executions, cancel, &mut look)?;
            let is_over = one.failure.is_some();
            worst = Some(match worst {
                None => one,
                Some(worst) => worst.worse(one, study.is_maximized() == Some(true)),
            });
            if scenarios.len() < MAX_DRAWN {
                scenarios.push(drafts.into_iter().filter_map(|draft| draft.curve(study)).collect());
            }
            if is_over {
                break;
            }
        }
        let evaluation = worst.unwrap_or(Evaluation { met: Vec::new(), objective: None, failure: None });
        Ok(StudyResponse { evaluation, scenarios })
    }
}

impl Study {
    /// The watched signals whose curves are drawn, each once.
    fn drawn(&self) -> Vec<usize> {
        let conditions = self.requirements.iter().flat_map(|requirement| &requirement.any);
        let objective = self.objective.map(|(_, watch, _)| watch);
        let mut all: Vec<usize> =
            conditions.map(Watched::signal).chain(objective).chain(self.drawn.iter().copied()).collect();
        let mut known = std::collections::BTreeSet::new();
        all.retain(|watch| known.insert(*watch));
        all
    }
}

/// A curve that is being recorded.
struct Draft {
    watch: usize,
    /// The steps of a part.
    part: u64,
    elements: Vec<Element>,
    /// All values of the first element, if its levels are wanted.
    whole: Option<Vec<f64>>,
}

#[derive(Clone, Default)]
struct Element {
    points: Vec<(f64, f64)>,
    now: Option<Part>,
}

/// The first, least, greatest and last value of some steps.
#[derive(Clone, Copy)]
struct Part {
    number: u64,
    first: (f64, f64),
    least: (f64, f64),
    greatest: (f64, f64),
    last: (f64, f64),
}

impl Draft {
    fn new((watch, has_levels): (usize, bool), steps: u64) -> Draft {
        Draft { watch, part: steps.div_ceil(PARTS).max(1), elements: Vec::new(), whole: has_levels.then(Vec::new) }
    }

    fn take(&mut self, samples: &Samples, delta: f64) {
        let (first, count) = (samples.first(), samples.len());
        let values = samples.watches().get(self.watch).map_or(&[][..], |watch| &*watch.values);
        let width = values.len().checked_div(count).unwrap_or(1).max(1);
        self.elements.resize(width, Element::default());
        for (row, step) in values.chunks(width).zip(first..) {
            let time = step as f64 * delta;
            for (element, value) in self.elements.iter_mut().zip(row) {
                element.take(step / self.part, (time, *value));
            }
            if let (Some(whole), Some(value)) = (&mut self.whole, row.first()) {
                whole.push(*value);
            }
        }
    }

    fn curve(self, study: &Study) -> Option<ResponseCurve> {
        let signal = study.trial.signal(self.watch)?.clone();
        let elements = self.elements.into_iter().map(Element::points).collect();
        let step = self.whole.and_then(|values| levels(&values, study.delta));
        Some(ResponseCurve { signal, elements, step })
    }
}

impl Element {
    fn take(&mut self, number: u64, point: (f64, f64)) {
        match &mut self.now {
            Some(part) if part.number == number => {
                part.last = point;
                // Not-a-number is neither; it is seen where it is the first or the last value.
                if point.1 < part.least.1 {
                    part.least = point;
                }
                if point.1 > part.greatest.1 {
                    part.greatest = point;
                }
            }
            _ => {
                self.end_part();
                self.now = Some(Part { number, first: point, least: point, greatest: point, last: point });
            }
        }
    }

    fn end_part(&mut self) {
        let Some(part) = self.now.take() else { return };
        let (low, high) = (part.least, part.greatest);
        let (one, other) = if low.0 <= high.0 { (low, high) } else { (high, low) };
        for point in [part.first, one, other, part.last] {
            if self.points.last().is_none_or(|last| last.0 < point.0) {
                self.points.push(point);
            }
        }
    }

    fn points(mut self) -> Vec<(f64, f64)> {
        self.end_part();
        self.points
    }
}

fn levels(values: &[f64], delta: f64) -> Option<StepLevels> {
    let found = step_response(Series { values, start: 0.0, delta })?;
    Some(StepLevels { begin: found.begin, rest: found.rest, rises_at: found.rises_at })
}
