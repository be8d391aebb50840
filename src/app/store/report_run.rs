//! A run from start to end without a window's controls: for the curves of a report, and of the welcome page.

use std::sync::Arc;

use super::run::RunState;
use super::runs::{RunRecord, RunSource};
use crate::block::Registry;
use crate::engine::{Context, Declined, Engine, OutputId, Samples, compile};
use crate::model::{Diagnostic, SignalKey, Simulation};

/// Why a simulation cannot run.
#[derive(Debug, thiserror::Error)]
pub enum RunProblem {
    #[error("the simulation has an error: {0}")]
    Invalid(String),
    #[error(transparent)]
    Declined(#[from] Declined),
    #[error("the simulation runs until it is stopped: set its number of steps, or give --steps")]
    Endless,
}

/// The number of steps in a call of the engine.
const CHUNK: u64 = 4096;

/// Runs a simulation from its start and records signals; no block writes files. A step that fails ends the run, whose
/// state then says why; `goes_on` is asked now and then, and ends it too.
pub fn run(
    simulation: &Arc<Simulation>,
    registry: &Arc<Registry>,
    signals: Vec<SignalKey>,
    engine: &dyn Engine,
    steps: Option<u64>,
    goes_on: &dyn Fn() -> bool,
) -> Result<RunRecord, RunProblem> {
    let steps = steps.unwrap_or(simulation.steps);
    if steps == 0 {
        return Err(RunProblem::Endless);
    }
    let invalid = |found: Vec<Diagnostic>| {
        let first = found.iter().find(|found| found.is_error());
        RunProblem::Invalid(first.map(|first| format!("{}: {}", first.location, first.message)).unwrap_or_default())
    };
    let program = Arc::new(compile(simulation, registry).map_err(invalid)?);
    let mut execute = engine.prepare(&program)?;
    let mut record = RunRecord::new(RunSource::new(Arc::clone(simulation), None), Some(steps));
    record.go_by(Arc::clone(&program));
    let watched: Vec<(SignalKey, OutputId)> = signals
        .into_iter()
        .filter_map(|signal| {
            let output = program.output_of(&signal)?;
            Some((signal, output))
        })
        .collect();
    let mut samples = Samples::new(watched.iter().map(|(_, output)| *output));
    let mut context = Context::new(&program);
    record.state = RunState::Finished;
    while context.step < steps && samples.end().is_none() {
        let first = context.step;
        let ran = execute.run(&mut context, CHUNK.min(steps - first), &mut samples);
        for ((signal, output), watch) in watched.iter().zip(samples.watches()) {
            record.append(signal, first, program.output_type(*output).width, &watch.values);
        }
        samples.clear();
        if !goes_on() {
            record.state = RunState::Stopped;
            break;
        }
        if let Err(error) = ran {
            record.state = RunState::Failed(error.to_string());
            break;
        }
    }
    record.engine = execute.engine().to_owned();
    record.steps = context.step;
    Ok(record)
}
