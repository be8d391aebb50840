//! Co-simulation.

use std::process::Command;
use std::sync::Arc;

use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use simulate::block::Registry;
use simulate::engine::{Context, Engines, Samples, compile};
use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader as _};
use simulate::model::{BlockId, BlockKind, ParamAddress, Simulation};

use super::super::random::observed;
use super::unpacked::{MOTOR, PARTS, STOP, Unpacked, can_load, drive};
use crate::random::models::drawing;

/// The outputs of each step as bits, by the reference engine. The element `i` of all entries has in step `n` the value
/// that the drivers give it; inputs change every so many steps.
fn expected(text: &str, steps: u64, multiple: u64) -> Vec<String> {
    let simulation = Simx.read(text.as_bytes(), &LoadOptions::default()).expect("it can be read").simulation;
    let program = Arc::new(compile(&simulation, &Registry::standard()).expect("it compiles"));
    let mut execute = Engines::standard().get("simple").expect("it").prepare(&program).expect("it runs");
    let mut context = Context::new(&program);
    let root = simulation.root_model().expect("a root");
    let entries: Vec<(BlockId, usize)> = root
        .blocks
        .values()
        .filter(|block| matches!(block.kind, BlockKind::Entry { .. }))
        .map(|block| (block.id, if block.id == BlockId(1) { 3 } else { 1 }))
        .collect();
    let mut lines = Vec::new();
    for step in 0..=steps {
        let mut element = step / multiple * multiple;
        for (entry, width) in &entries {
            let values: Vec<f64> = (element..).take(*width).map(|n| n as f64 * 0.25 - 1.0).collect();
            element += *width as u64;
            context
                .set_param(&program, &ParamAddress::new(&[], *entry, "Initial Value"), &values)
                .expect("it can be set");
        }
        let mut samples = Samples::default();
        execute.run(&mut context, 1, &mut samples).expect("it runs");
        let values = context.exits(&program).into_iter().flat_map(|(_, values)| values.expect("it is set"));
        lines.push(values.map(|value| format!("{:016x}", value.to_bits())).collect::<Vec<_>>().join(","));
    }
    lines.into_iter().step_by(multiple as usize).collect()
}

const INPUTS: [&str; 4] = ["force <N>", "wind[1]", "wind[2]", "wind[3]"];
const OUTPUTS: [&str; 6] = ["speed", "drift[1]", "drift[2]", "drift[3]", "old speed", "twice"];

#[test]
fn outputs_have_the_bits_of_the_engine_at_communication_points() {
    if !can_load() {
        return;
    }
    let fmu = Unpacked::new(PARTS, 2, &[]);
    let (inputs, outputs) = (fmu.references(&INPUTS), fmu.references(&OUTPUTS));
    for multiple in [1, 3, 7] {
        let got = fmu.drive(&["run", "84", &multiple.to_string(), "0.01", &inputs, &outputs]);
        assert_eq!(got.lines().collect::<Vec<_>>(), expected(PARTS, 84, multiple), "each {multiple} steps");
    }
    let fmu = Unpacked::new(PARTS, 3, &[]);
    let (inputs, outputs) =
        (fmu.references(&["force <N>", "wind"]), fmu.references(&["speed", "drift", "old speed", "twice"]));
    let got = fmu.drive(&["run", "84", "0.01", &inputs, "4", &outputs, "6"]);
    assert_eq!(got.lines().collect::<Vec<_>>(), expected(PARTS, 84, 1), "FMI 3");
}

/// `--set` is the value at the start; a parameter that is a constant cannot be set.
#[test]
fn parameters_and_options_act() {
    if !can_load() {
        return;
    }
    let fmu = Unpacked::new(PARTS, 2, &["--set", "#3.Initial Value=42"]);
    let got = fmu.drive(&["run", "0", "1", "0.01", "", &fmu.references(&["speed", "#3.Initial Value"])]);
    assert_eq!(got.trim_end(), "4045000000000000,4045000000000000");
    let fmu = Unpacked::new(PARTS, 2, &["--inline-parameters"]);
    assert!(fmu.variables().all(|variable| variable.get("causality") != Some("parameter")));
    let (inputs, outputs) = (fmu.references(&INPUTS), fmu.references(&OUTPUTS));
    let got = fmu.drive(&["run", "20", "1", "0.01", &inputs, &outputs]);
    assert_eq!(got.lines().collect::<Vec<_>>(), expected(PARTS, 20, 1));
}

#[test]
fn calls_in_a_wrong_mode_or_with_wrong_values_are_errors() {
    if !can_load() {
        return;
    }
    let fmu = Unpacked::new(PARTS, 2, &[]);
    let gain = fmu.references(&["#2.Gain"]);
    fmu.drive(&["rules", "0.01", &fmu.references(&["force <N>"]), &fmu.references(&["speed"]), &gain]);
    let fmu = Unpacked::new(PARTS, 3, &[]);
    fmu.drive(&["rules", "0.01", &fmu.references(&["wind"]), "3", &fmu.references(&["speed"])]);
}

/// The ramp reaches 3 in step 6, after which the run ends; what follows is not computed.
#[test]
fn a_block_that_ends_the_run_ends_it_for_the_importer() {
    if !can_load() {
        return;
    }
    let fmu = Unpacked::new(STOP, 2, &[]);
    let bits = |value: f64| format!("{:016x}", value.to_bits());
    let rows = |step: usize| (0..=6).step_by(step).map(|n| bits(n as f64 * 0.5));
    let output = fmu.references(&["y"]);
    let got = fmu.drive(&["run", "20", "1", "0.5", "", &output]);
    let end = ["status 2, over 1, time 3".to_owned()];
    assert_eq!(got.lines().collect::<Vec<_>>(), rows(1).chain(end.clone()).collect::<Vec<_>>());
    // In the middle of a communication step.
    let got = fmu.drive(&["run", "20", "4", "0.5", "", &output]);
    assert_eq!(got.lines().collect::<Vec<_>>(), [bits(0.0), bits(2.0), end[0].clone()]);
    let fmu = Unpacked::new(STOP, 3, &[]);
    let got = fmu.drive(&["run", "20", "0.5", "", "0", &fmu.references(&["y"]), "1"]);
    let end = ["status 0, ends 1, early 0, time 3".to_owned()];
    assert_eq!(got.lines().collect::<Vec<_>>(), rows(1).take(6).chain(end).collect::<Vec<_>>());
}

/// The exits of each step by the reference engine: their elements' names in the description, and their bits where they are
/// set.
pub fn exits(simulation: &Simulation, steps: u64) -> (Vec<String>, Vec<Vec<Option<String>>>) {
    let program = Arc::new(compile(simulation, &Registry::standard()).expect("it compiles"));
    let mut execute = Engines::standard().get("simple").expect("it").prepare(&program).expect("it runs");
    let mut context = Context::new(&program);
    let widths: Vec<_> =
        program.exits().iter().map(|(name, _, output)| (name.to_string(), program.outputs[*output].width)).collect();
    let elements = |(name, width): &(String, u32)| -> Vec<String> {
        let all = (1..=*width).map(|element| format!("{name}[{element}]"));
        if *width == 1 { vec![name.clone()] } else { all.collect() }
    };
    let names = widths.iter().flat_map(elements).collect();
    let mut rows = Vec::new();
    for _ in 0..=steps {
        if execute.run(&mut context, 1, &mut Samples::default()).is_err() {
            break;
        }
        let values = context.exits(&program).into_iter().zip(&widths).flat_map(|((_, values), (_, width))| {
            let bits = |element: usize| values.as_ref().map(|values| format!("{:016x}", values[element].to_bits()));
            (0..*width as usize).map(bits).collect::<Vec<_>>()
        });
        rows.push(values.collect());
    }
    (names, rows)
}

/// Compares lines of a driver with the exits that the description has.
#[track_caller]
pub fn compare(fmu: &Unpacked, names: &[String], rows: &[Vec<Option<String>>], got: &str) {
    let known: Vec<usize> = (0..names.len()).filter(|index| has(fmu, &names[*index])).collect();
    let lines: Vec<&str> = got.lines().filter(|line| !line.starts_with("status")).collect();
    assert!(lines.len() == rows.len() || got.contains("status"), "{} lines, {} rows", lines.len(), rows.len());
    for (step, (line, row)) in lines.into_iter().zip(rows).enumerate() {
        for (bits, index) in line.split(',').zip(&known) {
            let expected = row[*index].as_deref();
            assert!(
                expected.is_none_or(|expected| expected == bits),
                "{} in step {step}: {expected:?}, not {bits}",
                names[*index]
            );
        }
    }
}

pub fn has(fmu: &Unpacked, name: &str) -> bool {
    fmu.variables().any(|variable| variable.get("name") == Some(name))
}

/// Random models: vectors, rates, conditional parts, all that can be exported.
#[test]
fn random_models_step_as_they_run() {
    if !can_load() {
        return;
    }
    let mut runner = TestRunner::new(crate::random_cases(1));
    let count: usize = number("FMU_MODELS", "6").parse().expect("a number");
    let (mut tried, mut drawn) = (0, 0);
    while tried < count {
        let drawing = drawing().new_tree(&mut runner).expect("a drawing").current();
        let simulation = observed(&drawing, drawn);
        drawn += 1;
        let Ok(program) = compile(&simulation, &Registry::standard()) else { continue };
        let text = String::from_utf8(Simx.write(&simulation).expect("it can be written")).expect("a text");
        let version = 2;
        let Some(fmu) = Unpacked::try_new(&text, version, &[]) else { continue };
        let (names, rows) = exits(&simulation, 40);
        let known: Vec<&str> = names.iter().map(String::as_str).filter(|name| has(&fmu, name)).collect();
        let got = fmu.drive(&["run", "40", "1", &program.delta.to_string(), "", &fmu.references(&known)]);
        compare(&fmu, &names, &rows, &got);
        tried += 1;
    }
}

#[test]
fn implicit_solvers_step_as_they_run() {
    if !can_load() {
        return;
    }
    for solver in ["backward-euler", "trapezoidal", "rodas4"] {
        let text = include_str!("../implicit.simx").replace("rodas4", solver);
        let simulation = Simx.read(text.as_bytes(), &LoadOptions::default()).expect("it can be read").simulation;
        assert_eq!(simulation.attributes.get("solver"), Some(solver));
        let fmu = Unpacked::new(&text, 2, &[]);
        let (names, rows) = exits(&simulation, 100);
        assert_eq!(rows.len(), 101);
        let outputs = fmu.references(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let got = fmu.drive(&["run", "100", "1", &simulation.delta.to_string(), "", &outputs]);
        compare(&fmu, &names, &rows, &got);
    }
}

/// A number that the environment says, or the short one.
fn number(name: &str, short: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| short.to_owned())
}

#[test]
fn instances_leak_no_memory_and_write_nowhere_else() {
    const FLAGS: [&str; 4] = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    if !can_load() {
        return;
    }
    let fmu = Unpacked::new(MOTOR, 2, &["--sources-only"]);
    let sources = fmu.folder.path().join("sources");
    let files = fmu.paths.iter().filter_map(|path| path.strip_prefix("sources/")).filter(|name| name.ends_with(".c"));
    let library = fmu.folder.path().join("model.so");
    let mut command = Command::new("gcc");
    command.current_dir(&sources).args(FLAGS).args(["-std=c99", "-ffp-contract=off", "-fPIC", "-shared", "-o"]);
    let built = command.arg(&library).args(files).arg("-lm").output();
    if !built.as_ref().is_ok_and(|built| built.status.success()) {
        eprintln!("gcc has no sanitizers here: the memory of FMUs is not looked at ({built:?})");
        return;
    }
    drive(&fmu.driver(&FLAGS), &library, fmu.token(), &["many", &number("FMU_INSTANCES", "200"), "0.001"]);
}
