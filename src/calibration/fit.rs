//! The fit, from several starts on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam_channel::bounded;

use super::experiment::CalibrationError;
use super::likelihood::profiles;
use super::options::{FitOptions, FitProgress};
use super::outcome::{Evaluated, FitOutcome, StartOutcome, outcome};
use super::prepared::Calibration;
use super::problem::FitProblem;
use crate::engine::Cancel;
use crate::optimize::{Cancelled, End, LeastSquares, Minimum, minimize, spread};
use crate::threads;

impl Calibration {
    /// Returns the simulated values at the measured times, for each experiment all curves one after the other;
    /// not-a-number where the run has none.
    ///
    /// # Errors
    /// If it is cancelled.
    pub fn simulated(&self, values: &[f64], cancel: &Cancel) -> Result<Vec<Vec<f64>>, Cancelled> {
        FitProblem::new(self, cancel).predictions(&self.coordinates(values))
    }

    /// Fits the parameters. `look` sees each point that is better than those of its start before.
    ///
    /// Once cancelled, it returns the best values so far.
    ///
    /// # Errors
    /// If the simulation has no values at the measured times with the values of the file.
    pub fn fit(
        &self,
        options: &FitOptions,
        cancel: &Cancel,
        look: &mut dyn FnMut(FitProgress),
    ) -> Result<FitOutcome, CalibrationError> {
        let first = self.coordinates(&self.initial());
        let problem = FitProblem::new(self, cancel);
        let loss = options.minimize;
        let before = match problem.residuals(&first) {
            Err(Cancelled) => f64::NAN,
            Ok(residuals) if residuals.iter().all(|residual| residual.is_finite()) => {
                loss.loss.sum(&residuals, loss.loss_scale)
            }
            // Another start may have values.
            Ok(_) if options.starts > 1 => f64::INFINITY,
            Ok(_) => return Err(CalibrationError::NoStart(problem.failure().unwrap_or_else(not_finite))),
        };
        let ranges: Vec<(f64, f64)> = self.params.iter().map(|param| param.scaled.start_range()).collect();
        let others = spread(&ranges, options.starts.saturating_sub(1), options.seed);
        let starts: Vec<Vec<f64>> = [first.clone()].into_iter().chain(others).collect();
        let found = self.minima(&starts, options, cancel, look);
        let best = found.iter().flatten().min_by(|a, b| a.sum.total_cmp(&b.sum)).cloned();
        let best = match best {
            Some(best) if best.sum.is_finite() => best,
            _ if cancel.is_cancelled() => Minimum { at: first, sum: before, iterations: 0, end: End::Cancelled },
            _ => return Err(CalibrationError::NoStart(problem.failure().unwrap_or_else(not_finite))),
        };
        let starts = starts.iter().zip(&found).map(|(start, found)| StartOutcome {
            start: self.values(start),
            values: self.values(found.as_ref().map_or(start, |found| &found.at)),
            sum: found.as_ref().map_or(f64::INFINITY, |found| found.sum),
            end: found.as_ref().map_or(End::Cancelled, |found| found.end),
        });
        // One more run, even if the fit was cancelled: the result has its confidence then, too.
        let unstoppable = Cancel::new();
        let problem = FitProblem::new(self, &unstoppable);
        let evaluated = Evaluated::new(self, &problem, &best, options);
        let profiled = match options.has_profiles && !cancel.is_cancelled() {
            true => profiles(self, &best, &evaluated, options, cancel),
            false => Vec::new(),
        };
        Ok(outcome(self, evaluated, (best, before), starts.collect(), profiled))
    }

    /// Returns the minimum from each start; `None` for a start that was not begun.
    fn minima(
        &self,
        starts: &[Vec<f64>],
        options: &FitOptions,
        cancel: &Cancel,
        look: &mut dyn FnMut(FitProgress),
    ) -> Vec<Option<Minimum>> {
        let mut found: Vec<Option<Minimum>> = vec![None; starts.len()];
        let next = AtomicUsize::new(0);
        let (news, heard) = bounded(64);
        std::thread::scope(|scope| {
            for number in 0..options.workers.get().min(starts.len()) {
                let (news, next) = (news.clone(), &next);
                let work = move || {
                    let problem = FitProblem::new(self, cancel);
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(start) = starts.get(index).filter(|_| !cancel.is_cancelled()) else { return };
                        let mut tell = |iterate: crate::optimize::Iterate| {
                            let values = self.values(iterate.at);
                            let (iteration, sum) = (iterate.iteration, iterate.sum);
                            let _ = news.send(Ok(FitProgress { start: index, iteration, values, sum }));
                        };
                        let minimum = minimize(&problem, start, &self.bounds(), &options.minimize, &mut tell);
                        let _ = news.send(Err((index, minimum)));
                    }
                };
                // Without a further thread, those that began do the work.
                if threads::spawn_in(scope, &format!("fit {}", number + 1), work).is_err() && number == 0 {
                    return;
                }
            }
            drop(news);
            for news in heard {
                match news {
                    Ok(progress) => look(progress),
                    Err((index, minimum)) => {
                        found.iter_mut().skip(index).take(1).for_each(|found| *found = Some(minimum.clone()));
                    }
                }
            }
        });
        found
    }
}

fn not_finite() -> String {
    "they are not finite".to_owned()
}
