//! Code that an editor follows: run again with the numbers of a step, it gives the outputs of the block, bit for bit.

use std::sync::Arc;

use simulate::block::Registry;
use simulate::block::language::{Program, Watched};
use simulate::engine::{CodeUnknown, OutputId, UnitId, compile};
use simulate::model::{BlockAddress, BlockId};

use super::{Case, STEPS, cases, random};
use crate::sketch::{Run, Sketch};

/// Makes a step and returns the effects of a unit's code in it.
fn step(run: &mut Run, unit: UnitId) -> Result<Watched, CodeUnknown> {
    let begin = run.context.clone();
    run.steps(1);
    let Run { program, context, .. } = run;
    program.watch_code(unit, &begin, &|output: OutputId| context.output(program, output).to_vec())
}

fn unit_of(run: &Run, path: &[BlockId]) -> UnitId {
    run.program.unit_of(&BlockAddress { path: path.to_vec(), block: BlockId(1) }).expect("the block")
}

/// Returns how the outputs of a program differ from those of its code that is run again.
fn difference(case: &Case) -> Option<String> {
    let program = Program::parse(&case.code).expect("it is code");
    let compiled = compile(&case.simulation(&program), &Registry::standard()).ok()?;
    let mut run = Run::of(Arc::new(compiled), "simple");
    let unit = unit_of(&run, &[]);
    for number in 0..STEPS {
        let watched = match step(&mut run, unit) {
            Ok(watched) => watched,
            Err(unknown) => return Some(format!("{}, step {number}: {unknown}\n{}", case.name, case.code)),
        };
        let outputs = run.program.outputs_of(&run.program.units[unit]);
        let want: Vec<Vec<f64>> = outputs.map(|output| run.context.output(&run.program, output).to_vec()).collect();
        let bits = |all: &[Vec<f64>]| -> Vec<Vec<u64>> {
            let bits = |value: &f64| if value.is_nan() { 0 } else { value.to_bits() };
            all.iter().map(|values| values.iter().map(bits).collect()).collect()
        };
        if bits(&watched.outputs) != bits(&want) {
            let got = (&watched.outputs, &watched.failure);
            return Some(format!("{}, step {number}: {got:?}, not {want:?}\n{}", case.name, case.code));
        }
    }
    None
}

#[test]
fn code_that_is_run_again_has_the_outputs_of_the_block() {
    let all = cases("cases.m").into_iter().chain(cases("public.m")).chain((0..400).map(random::program));
    let all: Vec<Case> = all.collect();
    assert!(all.len() > 500);
    let differences: Vec<String> = all.iter().filter_map(difference).collect();
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}

/// The text of the last value that a statement has set.
fn value(watched: &Watched, name: &str) -> Vec<f64> {
    let note = watched.notes.iter().rev().find(|note| note.name == name);
    note.map_or_else(Vec::new, |note| note.value.values.clone())
}

/// Whether the statement that begins with a text is executed.
fn is_reached(watched: &Watched, code: &str, statement: &str) -> bool {
    let at = code.find(statement).expect("the statement");
    watched.reached.contains(&code[..at].chars().count())
}

const COUNTER: &str = "function y = f(u)\n  persistent n\n  if isempty(n)\n    n = 10;\n  end\n  if u > 2\n    n = n + 1;\n  \
                       end\n  for k = 1:3\n    w(k) = n * k;\n  end\n  y = w(3);\nend";

#[test]
fn the_first_step_sets_initial_values_and_later_ones_keep_them() {
    let sketch = Sketch::new(1.0)
        .source(50, &[1.0, 3.0, 2.0])
        .block(1, "User/Function", &[("Code", &[COUNTER])])
        .block(2, "exit y", &[])
        .wire("50.Output", "1.u")
        .wire("1.y", "2.Input");
    let mut run = Run::new(&sketch.simulation, "compiled");
    let unit = unit_of(&run, &[]);
    let mut of_step = |n: f64, is_initial: bool, is_raised: bool| {
        let watched = step(&mut run, unit).expect("it ran");
        assert_eq!(is_reached(&watched, COUNTER, "n = 10"), is_initial);
        assert_eq!(is_reached(&watched, COUNTER, "n = n + 1"), is_raised);
        assert_eq!(value(&watched, "w"), [n, 2.0 * n, 3.0 * n]);
        assert_eq!(value(&watched, "k"), [3.0]);
        let rounds = watched.notes.iter().find(|note| note.name == "w").map(|note| note.count);
        assert_eq!(rounds, Some(3));
    };
    of_step(10.0, true, false);
    of_step(11.0, false, true);
    of_step(11.0, false, false);
}

#[test]
fn a_block_that_does_not_run_has_no_values() {
    let sampled = Sketch::new(1.0)
        .source(50, &[1.0, 3.0, 2.0])
        .block(1, "User/Function", &[("Code", &[COUNTER]), ("Sample Time", &["2"])])
        .block(2, "exit y", &[])
        .wire("50.Output", "1.u")
        .wire("1.y", "2.Input");
    let mut run = Run::new(&sampled.simulation, "simple");
    let unit = unit_of(&run, &[]);
    let known: Vec<bool> = (0..4).map(|_| step(&mut run, unit).is_ok()).collect();
    assert_eq!(known, [true, false, true, false]);
    let enabled = Sketch::new(1.0)
        .source(50, &[0.0, 0.0, 5.0])
        .block(7, "model Inner", &[])
        .wire("50.Output", "7.Enable")
        .block_in("Inner", 0, "entry Enable", &[])
        .mark("Inner", 0, &[("role", "enable")])
        .block_in("Inner", 2, "Var/Clock", &[])
        .block_in("Inner", 1, "User/Function", &[("Code", &[COUNTER])])
        .block_in("Inner", 3, "exit y", &[])
        .wire_in("Inner", "2.Output", "1.u")
        .wire_in("Inner", "1.y", "3.Input");
    let mut run = Run::new(&enabled.simulation, "simple");
    let unit = unit_of(&run, &[BlockId(7)]);
    let known: Vec<_> = (0..4).map(|_| step(&mut run, unit)).collect();
    assert_eq!(known[0], Err(CodeUnknown::Disabled));
    assert!(is_reached(known[2].as_ref().expect("enabled"), COUNTER, "n = 10"), "its first step");
    assert!(!is_reached(known[3].as_ref().expect("enabled"), COUNTER, "n = 10"));
}

#[test]
fn an_error_ends_the_values_where_it_is() {
    let code = "function y = f(u)\n  x = 2 * u;\n  assert(x < 3, 'too large');\n  y = x;\nend";
    let sketch = Sketch::new(1.0)
        .source(50, &[1.0, 4.0])
        .block(1, "User/Function", &[("Code", &[code])])
        .block(2, "exit y", &[])
        .wire("50.Output", "1.u")
        .wire("1.y", "2.Input");
    let mut run = Run::new(&sketch.simulation, "simple");
    let unit = unit_of(&run, &[]);
    assert_eq!(step(&mut run, unit).expect("it ran").failure, None);
    let failed = step(&mut run, unit).expect("it ran");
    assert_eq!(failed.failure, Some((code.find("assert").expect("it"), "too large".to_owned())));
    assert_eq!(value(&failed, "x"), [8.0]);
}
