//! The fit, from several starts on several threads.

use super::experiment::CalibrationError;
use super::likelihood::profiles;
use super::options::{FitOptions, FitProgress};
use super::outcome::{Evaluated, FitOutcome, StartOutcome, outcome};
use super::prepared::Calibration;
use super::problem::FitProblem;
use crate::engine::Cancel;
use crate::optimize::{Cancelled, End, LeastSquares, Minimum, minimize, spread};
use crate::trial::from_starts;

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
        self.fit_by(options, cancel, |starts| Ok(self.minima(starts, options, cancel, look)))
    }

    /// Fits the parameters with the minima that `search` finds from the starts, wherever it does. It returns one for each
    /// start, and `None` for those that were not begun.
    ///
    /// # Errors
    /// As [`Calibration::fit`], and those of `search`.
    pub fn fit_by<E: From<CalibrationError>>(
        &self,
        options: &FitOptions,
        cancel: &Cancel,
        search: impl FnOnce(&[Vec<f64>]) -> Result<Vec<Option<Minimum>>, E>,
    ) -> Result<FitOutcome, E> {
        let first = self.coordinates(&self.initial());
        let problem = FitProblem::new(self, cancel);
        let loss = options.minimize.loss;
        let before = match problem.residuals(&first) {
            Err(Cancelled) => f64::NAN,
            Ok(residuals) if residuals.iter().all(|residual| residual.is_finite()) => {
                loss.sum(&residuals, options.minimize.loss_scale)
            }
            // Another start may have values.
            Ok(_) if options.starts > 1 => f64::INFINITY,
            Ok(_) => return Err(no_start(&problem).into()),
        };
        let starts = self.starts(options);
        let found = search(&starts)?;
        let best = found.iter().flatten().min_by(|a, b| a.sum.total_cmp(&b.sum)).cloned();
        let best = match best {
            Some(best) if best.sum.is_finite() => best,
            _ if cancel.is_cancelled() => Minimum { at: first, sum: before, iterations: 0, end: End::Cancelled },
            // No search has a result, though the values of the file have one: each took too long elsewhere.
            _ if before.is_finite() => Minimum { at: first, sum: before, iterations: 0, end: End::Failed },
            _ => return Err(no_start(&problem).into()),
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

    /// Returns the coordinates of the starts: those of the values in the simulation, and others between the bounds.
    pub fn starts(&self, options: &FitOptions) -> Vec<Vec<f64>> {
        let ranges: Vec<(f64, f64)> = self.params.iter().map(|param| param.scaled.start_range()).collect();
        let others = spread(&ranges, options.starts.saturating_sub(1), options.seed);
        [self.coordinates(&self.initial())].into_iter().chain(others).collect()
    }

    /// Returns the minimum from a start.
    pub fn minimum_from(&self, start: &[f64], options: &FitOptions, cancel: &Cancel) -> Minimum {
        minimize(&FitProblem::new(self, cancel), start, &self.bounds(), &options.minimize, &mut |_| {})
    }

    /// Returns the minimum from each start; `None` for a start that was not begun.
    fn minima(
        &self,
        starts: &[Vec<f64>],
        options: &FitOptions,
        cancel: &Cancel,
        look: &mut dyn FnMut(FitProgress),
    ) -> Vec<Option<Minimum>> {
        let search = |problem: &mut FitProblem, index: usize, news: &mut dyn FnMut(FitProgress)| {
            let mut tell = |iterate: crate::optimize::Iterate| {
                let values = self.values(iterate.at);
                news(FitProgress { start: index, iteration: iterate.iteration, values, sum: iterate.sum });
            };
            let start = starts.get(index).map_or(&[][..], |start| start);
            minimize(problem, start, &self.bounds(), &options.minimize, &mut tell)
        };
        let problem = || FitProblem::new(self, cancel);
        from_starts((starts.len(), options.workers), cancel, problem, search, look)
    }
}

fn no_start(problem: &FitProblem) -> CalibrationError {
    CalibrationError::NoStart(problem.failure().unwrap_or_else(|| "they are not finite".to_owned()))
}
