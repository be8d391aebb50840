//! The derivatives of signals by parameters that plots show: computed after a run, from its program and its changes, and
//! added to its recording.

use std::sync::Arc;

use crate::app::doc::plots::{Derivative, param_name};
use crate::app::store::latest::LatestWorker;
use crate::app::store::runs::RunRecord;
use crate::block::limits::size_text;
use crate::engine::{
    Context, Declined, Execute, OutputId, ParamChange, Program, RunError, Samples, Sensitivity, SensitivityError,
    SensitivityParam, TierUp, state_of_name,
};
use crate::model::{ParamAddress, SignalKey, Simulation};

/// The steps between two looks at whether the result is still wanted.
const STEPS: u64 = 2000;
/// The most memory for the derivatives of a run, in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// Why there is no derivative.
#[derive(Debug, thiserror::Error)]
pub enum NoDerivative {
    #[error("a run from a file has no sensitivities; run the simulation")]
    FromFile,
    #[error("the diagram was edited during this run; run it again for sensitivities")]
    Edited,
    #[error("a state was set during this run, which has no sensitivities")]
    StateSet,
    #[error("no sensitivity to {0}: {1}")]
    Param(String, SensitivityError),
    #[error("the sensitivities of {0} steps need {1} of memory; plot fewer of them, or run fewer steps")]
    TooLong(u64, String),
    #[error("no sensitivities: {0}")]
    Declined(#[from] Declined),
    #[error("no sensitivities: {0}")]
    Run(#[from] RunError),
}

/// The input of the computation. Addresses are those of the program.
struct Request {
    run: u64,
    program: Arc<Program>,
    simulation: Arc<Simulation>,
    changes: Vec<ParamChange>,
    steps: u64,
    /// The signals that stand for the derivatives in the document, and the derivatives.
    wanted: Vec<(SignalKey, Derivative)>,
}

/// The samples of one derivative from the first step on, `width` values each.
pub struct DerivativeSamples {
    pub signal: SignalKey,
    pub width: usize,
    pub is_held: bool,
    pub values: Vec<f64>,
}

/// The derivatives of a run, and why some are missing.
pub struct DerivativeResult {
    pub run: u64,
    pub found: Vec<DerivativeSamples>,
    pub problems: Vec<NoDerivative>,
}

/// Identifies a request: the run, the numbers of its steps and changes, and the derivatives.
type Key = (u64, u64, usize, Vec<SignalKey>);

impl DerivativeSamples {
    /// Adds the samples to a run, which may have those of the first steps already.
    pub fn add_to(self, run: &mut RunRecord) {
        let DerivativeSamples { signal, width, is_held, values } = self;
        let known = run.recording.columns(&signal).first().map_or(0, |column| column.steps().end);
        let new = values.get(known as usize * width..).unwrap_or_default();
        run.recording.append(&signal, known, width, new);
        run.recording.set_held(&signal, is_held);
    }
}

/// Adds derivatives to a run at once; those that the run has not are left out.
pub fn add_derivatives(run: &mut RunRecord, wanted: Vec<Derivative>) {
    let wanted: Vec<_> = wanted.into_iter().map(|derivative| (derivative.signal(), derivative)).collect();
    if wanted.is_empty() {
        return;
    }
    let result = Request::of(run, wanted).ok().and_then(|request| request.compute(&|| true));
    result.into_iter().flat_map(|result| result.found).for_each(|found| found.add_to(run));
}

/// Computes the derivatives for the plots.
pub struct SensitivityLab {
    worker: LatestWorker<Request, Option<DerivativeResult>>,
    asked: Option<Key>,
    /// Why derivatives of the run that was asked for last are missing.
    pub problem: Option<String>,
}

impl SensitivityLab {
    pub fn new(wake: &Arc<dyn Fn() + Send + Sync>) -> SensitivityLab {
        let worker = LatestWorker::new(Arc::clone(wake), |request: Request, goes_on| request.compute(goes_on));
        SensitivityLab { worker, asked: None, problem: None }
    }

    pub fn is_busy(&self) -> bool {
        self.worker.is_busy()
    }

    /// Returns the text that a plot shows in place of derivatives.
    pub fn note(&self) -> Option<&str> {
        if self.is_busy() { Some("Computing sensitivities…") } else { self.problem.as_deref() }
    }

    /// Resets the state when no derivative is plotted.
    pub fn forget(&mut self) {
        (self.asked, self.problem) = (None, None);
    }

    /// Asks for the derivatives that a run does not have yet, unless that was done. The derivatives are those of the
    /// document.
    pub fn follow(&mut self, run: &RunRecord, wanted: &[Derivative]) {
        let signals: Vec<SignalKey> = wanted.iter().map(Derivative::signal).collect();
        let key = (run.number, run.steps, run.changes.len(), signals);
        if self.asked.as_ref() == Some(&key) {
            return;
        }
        let recorded =
            |signal: &SignalKey| run.recording.columns(signal).first().map_or(0, |column| column.steps().end);
        let is_missing = |signal: &SignalKey| recorded(signal) < run.steps;
        let missing: Vec<(SignalKey, Derivative)> =
            key.3.iter().cloned().zip(wanted.iter().cloned()).filter(|(signal, _)| is_missing(signal)).collect();
        self.asked = Some(key);
        self.problem = None;
        if missing.is_empty() {
            return;
        }
        match Request::of(run, missing) {
            Ok(request) => self.worker.ask(request),
            Err(problem) => self.problem = Some(problem.to_string()),
        }
    }

    /// Takes the result of the last request, once.
    pub fn poll(&mut self) -> Option<DerivativeResult> {
        let result = self.worker.poll().flatten()?;
        let is_asked = self.asked.as_ref().is_some_and(|(run, ..)| *run == result.run);
        if let Some(problem) = result.problems.first().filter(|_| is_asked) {
            self.problem = Some(problem.to_string());
        }
        Some(result)
    }
}

impl Request {
    fn of(run: &RunRecord, wanted: Vec<(SignalKey, Derivative)>) -> Result<Request, NoDerivative> {
        let program = run.program.clone().ok_or(NoDerivative::FromFile)?;
        if !run.edits.is_empty() {
            return Err(NoDerivative::Edited);
        }
        if run.changes.iter().any(|change| state_of_name(&change.param.name).is_some()) {
            return Err(NoDerivative::StateSet);
        }
        let in_program = |Derivative { of, by }: Derivative| Derivative {
            of: run.signal_in_program(&of),
            by: run.param_in_program(&by),
        };
        let wanted = wanted.into_iter().map(|(signal, derivative)| (signal, in_program(derivative))).collect();
        let (simulation, changes) = (Arc::clone(&run.source.simulation), run.changes.clone());
        Ok(Request { run: run.number, program, simulation, changes, steps: run.steps, wanted })
    }

    /// Returns the derivatives; `None` if they are not wanted any more.
    fn compute(mut self, goes_on: &dyn Fn() -> bool) -> Option<DerivativeResult> {
        let mut problems = self.without_refused();
        let found = if self.wanted.is_empty() { Ok(Some(Vec::new())) } else { self.samples(goes_on) };
        let found = match found {
            Ok(found) => found?,
            Err(problem) => {
                problems.push(problem);
                Vec::new()
            }
        };
        Some(DerivativeResult { run: self.run, found, problems })
    }

    /// Leaves out the derivatives by parameters that have none, and returns why.
    fn without_refused(&mut self) -> Vec<NoDerivative> {
        let mut problems = Vec::new();
        for param in self.params() {
            let watched = self.outputs_of(|derivative| derivative.by == param);
            let wanted = SensitivityParam { param: param.clone(), element: 0 };
            if let Err(error) = Sensitivity::new(&self.program, &[wanted], &watched) {
                problems.push(NoDerivative::Param(param_name(&param, &self.simulation), error));
                self.wanted.retain(|(_, derivative)| derivative.by != param);
            }
        }
        problems
    }

    /// Returns the parameters of the derivatives, each once.
    fn params(&self) -> Vec<ParamAddress> {
        let mut params: Vec<ParamAddress> = Vec::new();
        for (_, Derivative { by, .. }) in &self.wanted {
            if !params.contains(by) {
                params.push(by.clone());
            }
        }
        params
    }

    /// Returns the outputs whose derivatives are wanted, each once; signals that the program does not have are left out.
    fn outputs_of(&self, is_wanted: impl Fn(&Derivative) -> bool) -> Vec<OutputId> {
        let wanted = self.wanted.iter().map(|(_, derivative)| derivative).filter(|derivative| is_wanted(derivative));
        let mut outputs: Vec<OutputId> =
            wanted.filter_map(|derivative| self.program.output_of(&derivative.of)).collect();
        outputs.sort();
        outputs.dedup();
        outputs
    }

    fn samples(&self, goes_on: &dyn Fn() -> bool) -> Result<Option<Vec<DerivativeSamples>>, NoDerivative> {
        let (params, watched) = (self.params(), self.outputs_of(|_| true));
        let elements: Vec<SensitivityParam> =
            params.iter().map(|param| SensitivityParam { param: param.clone(), element: 0 }).collect();
        let refused = |error| NoDerivative::Param(param_list(&params, &self.simulation), error);
        let sensitivity = Sensitivity::new(&self.program, &elements, &watched).map_err(refused)?;
        // Of each derivative: its place in `wanted`, and the output that has it.
        let output = |derivative: &Derivative| {
            let of = self.program.output_of(&derivative.of)?;
            let watched = watched.iter().position(|known| *known == of)?;
            sensitivity.output(watched, params.iter().position(|param| *param == derivative.by)?)
        };
        let outputs: Vec<(usize, OutputId)> = self
            .wanted
            .iter()
            .enumerate()
            .filter_map(|(number, (_, derivative))| Some((number, output(derivative)?)))
            .collect();
        let program = sensitivity.program();
        let width = |output: OutputId| program.outputs.get(output).map_or(1, |output| output.width as usize);
        let values: usize = outputs.iter().map(|(_, output)| width(*output)).sum();
        let bytes = self.steps.saturating_mul(8 * values as u64);
        if bytes > MAX_BYTES {
            return Err(NoDerivative::TooLong(self.steps, size_text(bytes as f64)));
        }
        let watched: Vec<OutputId> = outputs.iter().map(|(_, output)| *output).collect();
        let mut run = sensitivity.engine(TierUp::default()).prepare(program)?;
        let Some(columns) = self.run(&mut *run, &watched, program, goes_on)? else { return Ok(None) };
        let of_output = |((number, output), values): (&(usize, OutputId), Vec<f64>)| {
            let (signal, derivative) = self.wanted.get(*number)?;
            let is_held = self.program.is_held(&derivative.of);
            Some(DerivativeSamples { signal: signal.clone(), width: width(*output), is_held, values })
        };
        Ok(Some(outputs.iter().zip(columns).filter_map(of_output).collect()))
    }

    /// Runs all steps with the changes at theirs, and returns the values of the watched outputs; `None` if they are not wanted
    /// any more.
    fn run(
        &self,
        run: &mut dyn Execute,
        watched: &[OutputId],
        program: &Program,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<Vec<f64>>>, RunError> {
        let mut samples = Samples::new(watched.iter().copied());
        let mut columns = vec![Vec::new(); watched.len()];
        let mut context = Context::new(program);
        let mut changes = self.changes.iter().peekable();
        while context.step < self.steps {
            if !goes_on() {
                return Ok(None);
            }
            while let Some(change) = changes.next_if(|change| change.step <= context.step) {
                // One that the run did not take has no effect here either.
                let _ = context.set_param(program, &change.param, &change.values);
            }
            let (first, next) = (context.step, changes.peek().map_or(self.steps, |change| change.step.min(self.steps)));
            run.run(&mut context, (next - first).min(STEPS), &mut samples)?;
            for (column, watch) in columns.iter_mut().zip(samples.watches()) {
                column.extend_from_slice(&watch.values);
            }
            // A block that paused the run ends this call, and the next one goes on.
            samples.clear();
            if context.step == first {
                break;
            }
        }
        Ok(Some(columns))
    }
}

fn param_list(params: &[ParamAddress], simulation: &Simulation) -> String {
    params.iter().map(|param| param_name(param, simulation)).collect::<Vec<_>>().join(", ")
}
