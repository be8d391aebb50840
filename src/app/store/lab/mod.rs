//! Tools around a run: traced steps, execution times, causes of a failure, linear analysis, tuning, fits to
//! data, optimized responses, sensitivities, sweeps.
//!
//! All are computed on background threads from a view of a step, so that neither the run nor the window waits.

mod analysis;
mod bands;
mod ensemble;
mod fit;
mod gathering;
mod indices;
mod live;
mod pool_progress;
#[cfg(feature = "pool")]
mod pool_sweep;
mod preview;
mod response;
mod search;
mod sensitivity;
mod tuner;

use std::sync::Arc;

use eframe::egui;

pub use self::analysis::{Analysis, AnalysisRequest, LoopMargins, Way};
pub use self::bands::Bands;
pub use self::ensemble::{Ensemble, Failures, SweepCurve, SweepRequest};
pub use self::fit::{FitCurve, FitInput, FitLab, RunningFit, SimulatedCurve};
pub use self::indices::{IndexSet, RunMeasures};
pub use self::live::{LiveSweep, SweepInput};
pub use self::pool_progress::PoolProgress;
#[cfg(feature = "pool")]
pub use self::pool_sweep::{NewPoolSweep, PoolSweepRequest, PoolSweepStart, forget_sweep};
pub use self::response::{
    CheckRequirement, ResponseInput, ResponseLab, ResponseProgress, ResponseResult, RunningResponse, SimulatedResponse,
};
pub use self::search::{Improvement, RunningSearch};
pub use self::sensitivity::{DerivativeResult, DerivativeSamples, NoDerivative, SensitivityLab, add_derivatives};
pub use self::tuner::{PidLoop, PlantKey, PlantRequest, Suggestion, Tuner};
use super::latest::LatestWorker;
use crate::app::doc::code_lines::CodeInRun;
use crate::app::doc::heat::Heat;
use crate::block::Registry;
use crate::engine::{AnalysisError, Chain, Context, Profile, Program, RunId, StepTrace, StepValues, compile};
use crate::model::{BlockAddress, Simulation};

/// The number of steps of a profile.
const PROFILED: u64 = 20;

pub struct Lab {
    pub records: LatestWorker<StepValues, StepTrace>,
    pub profiles: LatestWorker<StepValues, Profile>,
    pub chains: LatestWorker<Failed, Option<Chain>>,
    pub analyses: LatestWorker<AnalysisRequest, Result<Analysis, AnalysisError>>,
    pub analysis: Option<Result<Analysis, AnalysisError>>,
    pub tuner: Tuner,
    pub fit: FitLab,
    pub sensitivity: SensitivityLab,
    pub response: ResponseLab,
    /// An analysis waits for the view of its step.
    pub wants_analysis: bool,
    /// The run and step of the record, or of the pending request.
    pub record_of: Option<(RunId, u64)>,
    pub record: Option<StepTrace>,
    pub profile_of: Option<(RunId, u64)>,
    pub profile: Option<Profile>,
    pub heat: Heat,
    pub codes: LatestWorker<(StepValues, BlockAddress), CodeInRun>,
    /// The run, step and block of the values beside code, or of the pending request.
    pub code_of: Option<(RunId, u64, BlockAddress)>,
    pub code: Option<CodeInRun>,
    /// A run has failed and its cause is still to be traced.
    pub wants_chain: bool,
    pub chain: Option<Chain>,
    /// The current sweep.
    pub ensemble: Option<Ensemble>,
    pub live: LiveSweep,
}

/// A failed step, and the data to repeat it.
pub enum Failed {
    /// The view of the step before.
    Behind(Box<StepValues>),
    /// The first step of the run.
    First(Arc<Simulation>, Arc<Registry>),
}

impl Lab {
    pub fn new(ctx: &egui::Context) -> Lab {
        let ctx = ctx.clone();
        let wake: Arc<dyn Fn() + Send + Sync> = Arc::new(move || ctx.request_repaint());
        Lab {
            records: LatestWorker::new(Arc::clone(&wake), |view: StepValues, _| {
                StepTrace::new(&view.program, &view.begin)
            }),
            codes: LatestWorker::new(Arc::clone(&wake), |(view, block): (StepValues, BlockAddress), _| {
                CodeInRun::of(&view, &block)
            }),
            code_of: None,
            code: None,
            profiles: LatestWorker::new(Arc::clone(&wake), |view: StepValues, goes_on| {
                Profile::new(&view.program, &view.begin, PROFILED, goes_on)
            }),
            chains: LatestWorker::new(Arc::clone(&wake), |failed, _| chain(failed)),
            tuner: Tuner::new(&wake),
            fit: FitLab::new(&wake),
            sensitivity: SensitivityLab::new(&wake),
            response: ResponseLab::new(&wake),
            analyses: LatestWorker::new(wake, |request, _| Analysis::new(request)),
            analysis: None,
            wants_analysis: false,
            record_of: None,
            record: None,
            profile_of: None,
            profile: None,
            heat: Heat::default(),
            wants_chain: false,
            chain: None,
            ensemble: None,
            live: LiveSweep::default(),
        }
    }

    /// Resets the state for another run.
    pub fn forget(&mut self) {
        (self.record, self.record_of) = (None, None);
        (self.profile, self.profile_of, self.heat) = (None, None, Heat::default());
        (self.code, self.code_of) = (None, None);
        (self.chain, self.wants_chain) = (None, false);
        self.wants_analysis = false;
    }

    pub fn is_busy(&self) -> bool {
        self.records.is_busy() || self.profiles.is_busy()
    }

    pub fn is_analysing(&self) -> bool {
        self.wants_analysis || self.analyses.is_busy()
    }

    /// Takes the results of the threads; returns a new cause chain.
    pub fn poll(&mut self) -> Option<Chain> {
        if let Some(ensemble) = &mut self.ensemble {
            ensemble.poll();
        }
        if let Some(analysis) = self.analyses.poll() {
            self.analysis = Some(analysis);
        }
        if let Some(record) = self.records.poll() {
            self.record = Some(record);
        }
        if let Some(code) = self.codes.poll() {
            self.code = Some(code);
        }
        if let Some(profile) = self.profiles.poll() {
            let steps = profile.steps.max(1) as f64;
            self.heat = Heat::of(profile.blocks.iter().map(|cost| (&cost.block, cost.total() / steps)));
            self.profile = Some(profile);
        }
        let chain = self.chains.poll().flatten()?;
        self.chain = Some(chain.clone());
        Some(chain)
    }
}

fn chain(failed: Failed) -> Option<Chain> {
    match failed {
        // The failed step starts with the parameters at the end of the step before.
        Failed::Behind(view) => Chain::new(&view.program, &view.context, Some(&view.begin)),
        Failed::First(simulation, registry) => {
            let mut program: Program = compile(&simulation, &registry).ok()?;
            program.refuses_non_finite = true;
            let program = Arc::new(program);
            Chain::new(&program, &Context::new(&program), None)
        }
    }
}
