//! `simulate fit --pool`: the workers of a pool search from the starts.

use std::io;
use std::sync::Arc;

use indicatif::ProgressBar;

use super::super::opened::OpenError;
use super::super::output::complain;
use super::super::pool::{UNABLE, parts, say};
use super::{FitFailure, PoolFit};
use crate::block::{Cancel, Files};
use crate::calibration::{Calibration, Experiment, FitOutcome};
use crate::engine::Curve;
use crate::optimize::{End, Minimum};
use crate::pool::message::PoolMessage as _;
use crate::pool::{
    self, Build, Collected, FitBundle, FitHead, PoolError, PoolEvent, PoolOptions, PoolSweep, PrepareError,
    PreparedFit, SentExperiment, StartResult, Stored, SweepStore, TableRecorder,
};

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error("a pool cannot run this: {0}; {UNABLE}")]
    Unable(PrepareError),
    #[error("--start-limit {0}: expected a positive number of seconds")]
    StartLimit(f64),
}

/// Returns the experiments as a pool gets them.
pub fn sent(experiments: &[Experiment], sets: &[Vec<String>]) -> Vec<SentExperiment> {
    let pairs = experiments.iter().zip(sets);
    pairs.map(|(experiment, set)| SentExperiment::new(&experiment.name, set, &experiment.curves)).collect()
}

impl PoolFit<'_> {
    /// Fits the parameters: the workers search from the starts, and this program computes the report of the best minimum.
    ///
    /// # Errors
    /// If the pool or the fit fails.
    pub fn fit(
        self,
        pool: &PoolOptions,
        experiments: Vec<SentExperiment>,
        cancel: &Cancel,
        bar: &ProgressBar,
    ) -> Result<FitOutcome, FitFailure> {
        let (calibration, options) = (self.calibration, self.options);
        calibration.fit_by(options, cancel, |starts| {
            let sweep = self.sweep(experiments, starts)?;
            let mut store = StartStore { curves: vec![None; starts.len()] };
            let mut tell = |event: PoolEvent| {
                if !self.args.quiet {
                    say(&event, &sweep.entry, ("fit", "starts"), bar);
                }
                if let PoolEvent::Progress { done, workers } = &event {
                    bar.set_message(format!("{done} of {} starts, {workers} workers", starts.len()));
                }
            };
            let collected = pool::collect(pool, &sweep, &mut store, cancel, &mut tell).map_err(Failure::Pool)?;
            // Nobody could collect the rest. A pool that is out of reach keeps it, and the best values so far count.
            if collected == Collected::Stopped
                && let Err(error) = pool::cancel(pool, &sweep.entry.sweep)
            {
                let id = &sweep.entry.sweep;
                bar.suspend(|| complain(&format!("warning: the pool still has the fit {id}: {error}")));
            }
            bar.suspend(|| store.complain_of_failures());
            Ok(store.minima(calibration, starts))
        })
    }

    /// Makes the work for the pool.
    fn sweep(&self, experiments: Vec<SentExperiment>, starts: &[Vec<f64>]) -> Result<PoolSweep, FitFailure> {
        let args = self.args;
        let name = args.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        if !(args.start_limit > 0.0 && args.start_limit < 1e9) {
            return Err(Failure::StartLimit(args.start_limit).into());
        }
        let head = FitHead {
            name,
            skip_invalid_models: args.files.skip_invalid_models,
            delta: args.delta,
            engine: args.engine.clone(),
            experiments,
            params: self.params.clone(),
            minimize: self.options.minimize,
            starts: starts.to_vec(),
            start_limit_ms: (args.start_limit * 1000.0).ceil() as u64,
            tables: Default::default(),
        };
        let file = crate::format::read_bounded(&args.file, 1 << 30).map_err(|error| Failure::Pool(error.into()))?;
        let mut bundle = FitBundle { head, file };
        // The model is prepared as a worker would, which has the blocks of the program and the tables that are noted here.
        let access = args.files.access(&args.file).map_err(OpenError::Fmu)?;
        let recorder = Arc::new(TableRecorder::new(Arc::new(access)));
        let files = Arc::clone(&recorder) as Arc<dyn Files>;
        let prepared = PreparedFit::with_files(&bundle, &parts(self.components), files).map_err(Failure::Unable)?;
        bundle.head.tables = recorder.tables();
        let build = Build::of(&self.components.registry);
        let sweep = PoolSweep::new((&bundle.head.name, bundle.to_bytes()), &prepared, build, "");
        Ok(sweep.map_err(Failure::Pool)?)
    }
}

/// The results of the starts so far.
struct StartStore {
    curves: Vec<Option<Curve>>,
}

impl StartStore {
    /// Reports the starts whose search ended its process in each try.
    fn complain_of_failures(&self) {
        for curve in self.curves.iter().flatten() {
            if let Some(failure) = &curve.failure {
                complain(&format!("warning: start {}: {failure}", curve.run + 1));
            }
        }
    }

    /// Returns the minimum from each start, and adds the runs that the searches took to those of the calibration.
    fn minima(&self, calibration: &Calibration, starts: &[Vec<f64>]) -> Vec<Option<Minimum>> {
        let minimum = |(curve, start): (&Option<Curve>, &Vec<f64>)| {
            let Some(result) = StartResult::of_curve(curve.as_ref()?, start.len()) else {
                return Some(Minimum { at: start.clone(), sum: f64::INFINITY, iterations: 0, end: End::Failed });
            };
            calibration.add_runs(result.runs);
            Some(result.minimum)
        };
        self.curves.iter().zip(starts).map(minimum).collect()
    }
}

impl SweepStore for StartStore {
    fn is_done(&self, run: u64) -> bool {
        self.curves.get(run as usize).is_some_and(Option::is_some)
    }

    fn done(&self) -> u64 {
        self.curves.iter().flatten().count() as u64
    }

    fn store(&mut self, curve: Curve) -> io::Result<Stored> {
        let Some(slot) = self.curves.get_mut(curve.run as usize) else { return Ok(Stored::Differs) };
        let stored = match slot {
            None => Stored::New,
            Some(known) if known.to_bytes() == curve.to_bytes() => Stored::Same,
            Some(_) => Stored::Differs,
        };
        slot.get_or_insert(curve);
        Ok(stored)
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
