//! A fit of a bundle, ready to search from any of its starts.

use std::sync::Arc;

use super::super::bundle::SentTables;
use super::super::prepared::{PoolParts, PrepareError, setup_with};
use super::super::work::PreparedWork;
use super::bundle::FitBundle;
use super::start_result::StartResult;
use crate::block::{Cancel, Files};
use crate::calibration::{Calibration, Experiment, FitOptions};
use crate::engine::{Curve, CurveShape, SweepFlow};
use crate::format::LoadOptions;
use crate::model::Document;
use crate::optimize::MinimizeOptions;

/// A fit that is ready.
pub struct PreparedFit {
    calibration: Calibration,
    starts: Vec<Vec<f64>>,
    minimize: MinimizeOptions,
    shape: CurveShape,
}

impl PreparedFit {
    /// Opens the file of a bundle and prepares its experiments.
    ///
    /// # Errors
    /// If this program cannot run it.
    pub fn new(bundle: &FitBundle, parts: &PoolParts) -> Result<PreparedFit, PrepareError> {
        PreparedFit::with_files(bundle, parts, Arc::new(SentTables::of_tables(&bundle.head.tables)))
    }

    /// Prepares the experiments of a bundle whose blocks read these files instead of its tables.
    ///
    /// # Errors
    /// If this program cannot run it.
    pub fn with_files(
        bundle: &FitBundle,
        parts: &PoolParts,
        files: Arc<dyn Files>,
    ) -> Result<PreparedFit, PrepareError> {
        let head = &bundle.head;
        let options = LoadOptions { skip_invalid_models: head.skip_invalid_models };
        let loaded = parts.opened((&head.name, &bundle.file), &options)?;
        let engine = parts.engines.get(&head.engine).ok_or_else(|| PrepareError::Engine(head.engine.clone()))?;
        let registry = Arc::new(parts.registry.with_files(files));
        let mut experiments = Vec::new();
        for sent in &head.experiments {
            let document = Document::new(loaded.simulation.clone(), Arc::clone(&registry));
            let setup = setup_with(document, head.delta, &sent.set)?;
            let curves = sent.curves().ok_or(PrepareError::Curve)?;
            experiments.push(Experiment { name: sent.name().to_owned(), setup, curves });
        }
        let calibration = Calibration::new(experiments, &head.params, engine)?;
        if head.starts.iter().any(|start| start.len() != head.params.len()) {
            return Err(PrepareError::Start);
        }
        let shape = CurveShape { widths: vec![StartResult::width(head.params.len())], steps: 1, every: None };
        Ok(PreparedFit { calibration, starts: head.starts.clone(), minimize: head.minimize, shape })
    }

    /// Searches from a start.
    fn search(&self, start: &[f64]) -> StartResult {
        let before = self.calibration.run_counts();
        let options = FitOptions { minimize: self.minimize, ..FitOptions::default() };
        let minimum = self.calibration.minimum_from(start, &options, &Cancel::new());
        StartResult { minimum, runs: self.calibration.run_counts().since(before) }
    }
}

impl PreparedWork for PreparedFit {
    fn count(&self) -> u64 {
        self.starts.len() as u64
    }

    fn shape(&self) -> &CurveShape {
        &self.shape
    }

    fn run(&self, runs: &[u64], take: &mut dyn FnMut(Curve) -> SweepFlow) {
        for run in runs {
            let Some(start) = self.starts.get(*run as usize) else { continue };
            if take(self.search(start).curve(*run)) == SweepFlow::Stop {
                return;
            }
        }
    }
}
