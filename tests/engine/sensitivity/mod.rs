//! Sensitivities: derivatives of signals by parameters along a run.

mod discrete;
mod fixed_step;
mod random_models;
mod variable_step;

use std::sync::Arc;

use simulate::engine::{Context, OutputId, Program, Sensitivity, SensitivityParam, SensitivityRecord, TierUp};
use simulate::model::{BlockAddress, BlockId, ParamAddress, SignalKey, Simulation};

use crate::sketch::Run;

/// The first element of a parameter of a block of the root.
pub fn param(id: u64, name: &str) -> SensitivityParam {
    element(id, name, 0)
}

pub fn element(id: u64, name: &str, element: usize) -> SensitivityParam {
    let block = BlockAddress { path: Vec::new(), block: BlockId(id.into()) };
    SensitivityParam { param: ParamAddress { block, name: name.to_owned() }, element }
}

pub fn program(simulation: &Simulation) -> Arc<Program> {
    Run::new(simulation, "simple").program
}

pub fn output(program: &Program, id: u64, name: &str) -> OutputId {
    program.output_of(&SignalKey::new(&[], BlockId(id.into()), name)).expect("the output")
}

/// The values of the output of a block of the root, and its derivatives by parameters, in all steps.
pub fn record(simulation: &Simulation, watched: u64, params: &[SensitivityParam], steps: u64) -> SensitivityRecord {
    let program = program(simulation);
    let watched = [output(&program, watched, "Output")];
    let sensitivity = Sensitivity::new(&program, params, &watched).expect("there are sensitivities");
    let mut context = Context::new(sensitivity.program());
    let made = sensitivity.record(&mut context, steps).expect("the steps run");
    check_engines(&sensitivity, steps, &made);
    check_values(&program, &sensitivity, steps);
    made
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| if value.is_nan() { f64::NAN } else { *value }.to_bits()).collect()
}

/// Machine code and the interpreter give the same bits, however the run is divided.
fn check_engines(sensitivity: &Sensitivity, steps: u64, made: &SensitivityRecord) {
    let program = sensitivity.program();
    let outputs: Vec<OutputId> = (0..made.tangents.len())
        .flat_map(|watched| (0..made.tangents[watched].len()).map(move |param| (watched, param)))
        .map(|(watched, param)| sensitivity.output(watched, param).expect("an output"))
        .collect();
    for (engine, chunk) in [
        (sensitivity.interpreter(), 7),
        (sensitivity.engine(TierUp::Wait), steps),
        (sensitivity.engine(TierUp::WaitAndSplit), 11),
    ] {
        let mut context = Context::new(program);
        let mut execute = engine.prepare(program).expect("it runs");
        let mut samples = simulate::engine::Samples::new(outputs.iter().copied());
        while context.step < steps {
            let count = chunk.min(steps - context.step);
            execute.run(&mut context, count, &mut samples).expect("the steps run");
        }
        for (watch, want) in samples.watches().iter().zip(made.tangents.iter().flatten()) {
            assert_eq!(bits(&watch.values), bits(want), "{}", execute.engine());
        }
    }
}

/// The values of the run keep their bits.
fn check_values(program: &Arc<Program>, sensitivity: &Sensitivity, steps: u64) {
    let mut plain = Run::of(Arc::clone(program), "simple");
    plain.steps(steps);
    let mut context = Context::new(sensitivity.program());
    let mut execute = sensitivity.interpreter().prepare(sensitivity.program()).expect("it runs");
    execute.run(&mut context, steps, &mut simulate::engine::Samples::default()).expect("the steps run");
    assert_eq!(bits(&plain.context.values), bits(&context.values[..program.value_count]));
    assert_eq!(bits(&plain.context.discrete), bits(&context.discrete[..program.discrete_count]));
    assert_eq!(bits(&plain.context.continuous), bits(&context.continuous));
    assert_eq!(bits(&plain.context.history), bits(&context.history[..program.history_count]));
}

#[track_caller]
pub fn near(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance * want.abs().max(1e-3), "got {got}, want {want}");
}
