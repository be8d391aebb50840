//! The same run of two states of the document, on a background thread: what does a change do?

use std::sync::Arc;

use eframe::egui;

use super::latest::LatestWorker;
use crate::block::Registry;
use crate::engine::{Cancel, Context, Engine, Samples, SelectedSignal, UNSET, compile};
use crate::measure::{Comparison, Tolerance, compare};
use crate::model::Simulation;

/// The number of steps of a run that its file does not limit.
const STEPS_WITHOUT_END: u64 = 1000;
/// The maximum number of values of a run that are kept; a longer run is compared as far as they reach.
const MAX_VALUES: u64 = 20_000_000;
/// The number of steps in a call of the engine.
const CHUNK: u64 = 1024;

/// The curves of an element of a signal that both states have.
#[derive(Clone, Debug)]
pub struct SignalPair {
    pub name: String,
    /// One value a step.
    pub curves: [Vec<f64>; 2],
    /// Step by step, which says something about time only if both step lengths are equal.
    pub comparison: Comparison,
}

/// The results of both runs.
#[derive(Clone, Debug)]
pub struct BothResults {
    /// The step lengths in seconds.
    pub deltas: [f64; 2],
    /// The largest difference first.
    pub pairs: Vec<SignalPair>,
    /// The names of signals that only one state has.
    pub single: Vec<String>,
    pub steps: u64,
}

/// The runs that are wanted: the states are the other one and that of the document.
struct Request {
    states: [Arc<Simulation>; 2],
    registry: Arc<Registry>,
    engine: Arc<dyn Engine>,
    cancel: Cancel,
}

/// Why there are no results.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{0} has errors: {1}")]
    Invalid(&'static str, String),
    #[error("{0}: {1}")]
    Run(&'static str, String),
    #[error("the runs were stopped")]
    Stopped,
}

/// The states in messages.
const NAMES: [&str; 2] = ["the other state", "this state"];

pub struct BothRuns {
    worker: LatestWorker<Request, Result<BothResults, String>>,
    cancel: Cancel,
    found: Option<Result<BothResults, String>>,
}

impl BothRuns {
    pub fn new(ctx: &egui::Context) -> BothRuns {
        let ctx = ctx.clone();
        let work = |request: Request, _: &dyn Fn() -> bool| both(&request).map_err(|failure| failure.to_string());
        let worker = LatestWorker::new(Arc::new(move || ctx.request_repaint()), work);
        BothRuns { worker, cancel: Cancel::default(), found: None }
    }

    /// Runs both states.
    pub fn start(&mut self, states: [Arc<Simulation>; 2], registry: Arc<Registry>, engine: Arc<dyn Engine>) {
        self.stop();
        (self.cancel, self.found) = (Cancel::default(), None);
        self.worker.ask(Request { states, registry, engine, cancel: self.cancel.clone() });
    }

    pub fn stop(&mut self) {
        self.cancel.cancel();
    }

    /// Stops the runs and forgets their results.
    pub fn clear(&mut self) {
        self.stop();
        self.found = None;
    }

    pub fn poll(&mut self) {
        if let Some(found) = self.worker.poll() {
            self.found = Some(found);
        }
    }

    pub fn is_busy(&self) -> bool {
        self.worker.is_busy()
    }

    /// Returns the results, or why there are none; none before the first run.
    pub fn found(&self) -> Option<&Result<BothResults, String>> {
        self.found.as_ref()
    }
}

/// The recorded values of a run: for each element its name and a value a step.
struct Recorded {
    delta: f64,
    elements: Vec<(String, Vec<f64>)>,
    steps: u64,
}

fn both(request: &Request) -> Result<BothResults, Failure> {
    let [other, own] = &request.states;
    // The files that blocks write are those of this state in the end.
    let other = recorded(request, other, NAMES[0])?;
    let own = recorded(request, own, NAMES[1])?;
    let mut single = Vec::new();
    let mut pairs = Vec::new();
    for (name, values) in &other.elements {
        match own.elements.iter().find(|(known, _)| known == name) {
            Some((_, new)) => {
                let comparison = compare(new.iter().copied(), values.iter().copied(), Tolerance::default());
                pairs.push(SignalPair { name: name.clone(), curves: [values.clone(), new.clone()], comparison });
            }
            None => single.push(name.clone()),
        }
    }
    let is_known = |name: &String| other.elements.iter().any(|(known, _)| known == name);
    single.extend(own.elements.iter().map(|(name, _)| name).filter(|name| !is_known(name)).cloned());
    pairs.sort_by(|a, b| b.comparison.max_difference.total_cmp(&a.comparison.max_difference));
    Ok(BothResults { deltas: [other.delta, own.delta], pairs, single, steps: other.steps.min(own.steps) })
}

fn recorded(request: &Request, simulation: &Arc<Simulation>, state: &'static str) -> Result<Recorded, Failure> {
    let program = compile(simulation, &request.registry).map_err(|found| {
        let error = found.iter().find(|problem| problem.is_error());
        Failure::Invalid(state, error.map(|problem| problem.message.clone()).unwrap_or_default())
    })?;
    let program = Arc::new(program);
    let failed = |text: String| Failure::Run(state, text);
    let signals = SelectedSignal::marked(simulation, &request.registry, &program);
    let width = |signal: &SelectedSignal| program.outputs.get(signal.output).map_or(1, |output| output.width as usize);
    let mut elements: Vec<(String, Vec<f64>)> = Vec::new();
    for signal in &signals {
        let width = width(signal);
        let names =
            (0..width).map(|at| if width == 1 { signal.name.clone() } else { format!("{}[{at}]", signal.name) });
        elements.extend(names.map(|name| (name, Vec::new())));
    }
    let steps = if program.steps == 0 { STEPS_WITHOUT_END } else { program.steps };
    let steps = steps.min(MAX_VALUES / elements.len().max(1) as u64);
    let mut execute = request.engine.prepare(&program).map_err(|declined| failed(declined.to_string()))?;
    let mut context = Context::new(&program);
    let mut samples = Samples::new(signals.iter().map(|signal| signal.output));
    samples.set_cancel(&request.cancel);
    while context.step < steps {
        let count = CHUNK.min(steps - context.step);
        let ran = execute.run(&mut context, count, &mut samples);
        let rows = samples.len();
        let mut columns = elements.iter_mut();
        for (signal, watch) in signals.iter().zip(samples.watches()) {
            let width = width(signal);
            for (element, (_, values)) in columns.by_ref().take(width).enumerate() {
                values.extend((0..rows).map(|row| watch.values.get(row * width + element).copied().unwrap_or(UNSET)));
            }
        }
        if request.cancel.is_cancelled() {
            return Err(Failure::Stopped);
        }
        ran.map_err(|error| failed(error.to_string()))?;
        // A block may end a run early.
        if samples.end().is_some() {
            break;
        }
        samples.clear();
    }
    Ok(Recorded { delta: program.delta, elements, steps: context.step })
}
