//! Random models: the tangents are the limits of differences of runs, and the values keep their bits.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use simulate::block::Registry;
use simulate::engine::{
    Context, Engines, OutputId, Program, Samples, Sensitivity, SensitivityError, SensitivityParam, compile,
};
use simulate::model::{BlockAddress, BlockKind, ParamAddress, Simulation};

use crate::random::models::drawing;

const STEPS: u64 = 12;
/// Parameters of one model, at most.
const MOST: usize = 6;

/// The parameters of the root's blocks that can change.
fn params(simulation: &Simulation, program: &Program) -> Vec<SensitivityParam> {
    let registry = Registry::standard();
    let root = simulation.model("Main").expect("the root");
    let mut params = Vec::new();
    for block in root.blocks.values() {
        let BlockKind::Library { .. } = block.kind else { continue };
        let Some(def) = simulate::model::definition_of(&registry, block) else { continue };
        for param in def.params {
            let block = BlockAddress { path: Vec::new(), block: block.id };
            let param = ParamAddress { block, name: param.name.to_owned() };
            if program.param_width(&param).is_ok() {
                params.push(SensitivityParam { param, element: 0 });
            }
        }
    }
    params
}

/// All outputs in all steps, each step behind the other; `None` if a step fails.
fn values(program: &Arc<Program>, moved: Option<(usize, f64)>, outputs: &[OutputId]) -> Option<Vec<Vec<f64>>> {
    let mut context = Context::new(program);
    if let Some((at, value)) = moved {
        context.params[at] = value;
        context.reset(program);
    }
    let mut execute = Engines::standard().get("flat").expect("the engine").prepare(program).ok()?;
    let mut samples = Samples::new(outputs.iter().copied());
    execute.run(&mut context, STEPS, &mut samples).ok()?;
    Some(samples.watches().iter().map(|watch| watch.values.clone()).collect())
}

#[derive(Default)]
struct Counts {
    models: usize,
    refused: usize,
    compared: usize,
    moving: usize,
}

fn check(simulation: &Simulation, counts: &mut Counts) {
    let Ok(program) = compile(simulation, &Registry::standard()) else { return };
    let program = Arc::new(program);
    let outputs: Vec<OutputId> = program.outputs.keys().collect();
    let mut params = params(simulation, &program);
    params.truncate(MOST);
    let sensitivity = match Sensitivity::new(&program, &params, &outputs) {
        Ok(sensitivity) => sensitivity,
        Err(SensitivityError::TooMany) => panic!("too many for a small model"),
        Err(_) => {
            counts.refused += 1;
            return;
        }
    };
    let Some(plain) = values(&program, None, &outputs) else { return };
    let mut context = Context::new(sensitivity.program());
    let made = sensitivity.record(&mut context, STEPS).expect("it runs without tangents, too");
    counts.models += 1;
    // Beside numbers as large as these, differences are rounding.
    let is_tame = |value: &f64| value.is_nan() || value.abs() < 1e6;
    if !program.params.iter().all(|value| is_tame(value) && (*value == 0.0 || value.abs() > 1e-9)) {
        params.clear();
    }
    let bits = |values: &Vec<f64>| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    for (plain, value) in plain.iter().zip(&made.values) {
        assert_eq!(bits(plain), bits(value), "the values keep their bits");
    }
    for (number, param) in params.iter().enumerate() {
        let width = program.param_width(&param.param).expect("a width");
        let ranges = program.param_ranges(&param.param, width).expect("the parameter");
        let [range] = &ranges[..] else { continue };
        let (at, value) = (range.start, program.params[range.start]);
        if !value.is_finite() || value.abs() > 1e3 {
            continue;
        }
        let h = 1e-3 * value.abs().max(0.1);
        let run = |part: f64| values(&program, Some((at, value + part * h)), &outputs);
        let Some(all) = [1.0, -1.0, 0.5, -0.5, 0.25, -0.25].into_iter().map(run).collect::<Option<Vec<_>>>() else {
            continue;
        };
        for (watched, plain) in plain.iter().enumerate().filter(|(_, plain)| plain.iter().all(is_tame)) {
            for (index, &here) in plain.iter().enumerate() {
                let [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5].map(|of: usize| all[of][watched][index]);
                let differences = [(a - b) / (2.0 * h), (c - d) / h, (e - f) / (0.5 * h)];
                let [far, near] = [0, 1].map(|of| (4.0 * differences[of + 1] - differences[of]) / 3.0);
                let sides = [(e - here) / (0.25 * h), (here - f) / (0.25 * h)];
                let got = made.tangents[watched][number][index];
                let rounding = 1e-13 * here.abs() / h;
                let scale = near.abs().max(1e-6);
                let is_smooth = (far - near).abs() <= 1e-6 * scale + rounding
                    && (sides[0] - sides[1]).abs() <= 1e-2 * scale + 8.0 * rounding;
                // A difference across so many periods says nothing.
                let is_near = got.is_nan() || (got * h).abs() < 1e3 * here.abs().max(1.0);
                if !is_smooth || !is_near || !here.is_finite() || scale > 1e9 {
                    continue;
                }
                counts.compared += 1;
                counts.moving += usize::from(near.abs() > 1e-9 && got != 0.0);
                assert!(
                    (got - near).abs() <= 1e-5 * scale + 10.0 * rounding,
                    "{:?}: output {watched} at {index}: {got}, by differences {near} and {far}, sides {sides:?}\n{:?}",
                    param.param,
                    simulation.model("Main").expect("the root").block(param.param.block.block)
                );
            }
        }
    }
}

#[test]
fn tangents_of_random_models_are_limits_of_differences() {
    let mut runner = TestRunner::deterministic();
    let mut counts = Counts::default();
    for _ in 0..300 {
        let drawing = drawing().new_tree(&mut runner).expect("a drawing").current();
        check(&drawing.simulation(), &mut counts);
    }
    println!(
        "{} models, {} refused, {} compared, {} moving",
        counts.models, counts.refused, counts.compared, counts.moving
    );
    assert!(counts.models > 30, "{} models", counts.models);
    assert!(counts.moving > 700, "{} of {} derivatives move", counts.moving, counts.compared);
}
