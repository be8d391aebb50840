//! Arguments of code that are parameters: options by their names, which change in the run where the code allows it.

use std::sync::Arc;

use simulate::block::Registry;
use simulate::block::language::{Program, Watched};
use simulate::engine::{Context, OutputId, ParamError, compile};
use simulate::model::check::check;
use simulate::model::{BlockAddress, BlockId, ParamAddress, Simulation};

use super::{Case, ENGINES, STEPS, cases, file, octave, random};
use crate::sketch::{Run, Sketch};

fn run_of(simulation: &Simulation, engine: &str) -> Run {
    let program = compile(simulation, &Registry::standard());
    let program = program
        .unwrap_or_else(|found| panic!("{:?}", found.iter().map(|found| found.message.clone()).collect::<Vec<_>>()));
    Run::of(Arc::new(program), engine)
}

/// A function with the input `u`, which is 3, and the output `y`.
fn function(code: &str, options: &[(&str, &[&str])]) -> Sketch {
    let code = [code];
    let options: Vec<(&str, &[&str])> = [("Code", &code[..])].into_iter().chain(options.to_vec()).collect();
    Sketch::new(0.5)
        .source(2, &[3.0; 8])
        .block(1, "User/Function", &options)
        .block(3, "exit y", &[])
        .wire("2.Output", "1.u")
        .wire("1.y", "3.Input")
}

fn set(run: &mut Run, name: &str, values: &[f64]) -> Result<(), ParamError> {
    let param = ParamAddress::new(&[], BlockId(1), name);
    let program = Arc::clone(&run.program);
    run.context.set_param(&program, &param, values)
}

fn y(run: &mut Run) -> Vec<f64> {
    run.steps(1).exit("y")
}

#[test]
fn an_argument_with_an_option_is_a_parameter_and_changes_in_the_run() {
    let code = "function y = f(u, kp, offset)\n  y = kp * u + offset;\nend";
    let sketch = function(code, &[("kp", &["2"]), ("offset", &["10"])]);
    for engine in ENGINES {
        let mut run = run_of(&sketch.simulation, engine);
        assert_eq!(y(&mut run), [16.0]);
        set(&mut run, "kp", &[-1.0]).expect("it may change");
        assert_eq!(y(&mut run), [7.0]);
    }
}

#[test]
fn parameters_that_decide_sizes_and_loops_are_known_before_the_run() {
    let code = "function y = f(u, n, m, gain, last)\n  y = 0;\n  for k = 1:n\n    y = y + gain * u;\n  end\n  \
                x = ones(m, 1);\n  y = y + sum(x);\n  k = 0;\n  while k < last\n    k = k + 1;\n  end\n  y = y + k;\nend";
    // More rounds than a loop may have that decides in the run.
    let options: [(&str, &[&str]); 4] = [("n", &["200"]), ("m", &["5"]), ("gain", &["0.5"]), ("last", &["1000"])];
    let sketch = function(code, &options);
    for engine in ENGINES {
        let mut run = run_of(&sketch.simulation, engine);
        assert_eq!(y(&mut run), [300.0 + 5.0 + 1000.0]);
        for fixed in ["n", "m", "last"] {
            assert!(matches!(set(&mut run, fixed, &[3.0]), Err(ParamError::Fixed(_))), "{fixed} is known");
        }
        set(&mut run, "gain", &[2.0]).expect("it may change");
        assert_eq!(y(&mut run), [1200.0 + 5.0 + 1000.0]);
    }
}

#[test]
fn a_persistent_variable_begins_at_a_parameter() {
    let code =
        "function y = f(u, start)\n  persistent x\n  if isempty(x)\n    x = start;\n  end\n  y = x;\n  x = x + u;\nend";
    let sketch = function(code, &[("start", &["[1; 2]"])]);
    for engine in ENGINES {
        let mut run = run_of(&sketch.simulation, engine);
        assert_eq!((y(&mut run), y(&mut run)), (vec![1.0, 2.0], vec![4.0, 5.0]));
    }
}

#[test]
fn a_parameter_has_the_shape_that_its_text_has() {
    let size = "function y = f(u, p)\n  y = [size(p, 1); size(p, 2); p(1, end); p(end, 1)];\nend";
    let of = |options: &[(&str, &[&str])]| y(&mut run_of(&function(size, options).simulation, "flat"));
    assert_eq!(of(&[("p", &["[1 2 7]"])]), [1.0, 3.0, 7.0, 1.0]);
    assert_eq!(of(&[("p", &["1", "2", "7"])]), [1.0, 3.0, 7.0, 1.0]);
    assert_eq!(of(&[("p", &["[1; 2; 7]"])]), [3.0, 1.0, 1.0, 7.0]);
    assert_eq!(of(&[("p", &["1 2; 3 4; 5 6"])]), [3.0, 2.0, 2.0, 5.0]);
    // A line of the option Parameters is a column, and stays one if an option takes its place.
    assert_eq!(of(&[("Parameters", &["p = [1 2 7]"])]), [3.0, 1.0, 1.0, 7.0]);
    assert_eq!(of(&[("Parameters", &["p = [1 2 7]"]), ("p", &["[5 6]"])]), [2.0, 1.0, 5.0, 6.0]);
}

#[test]
fn lines_of_one_option_are_parameters_too() {
    let code = "function y = f(u, kp, ki)\n  y = kp * u + ki;\nend";
    let sketch = function(code, &[("Parameters", &["kp = 2; ki = kp / 4"])]);
    let mut run = run_of(&sketch.simulation, "flat");
    assert_eq!(y(&mut run), [6.5]);
    set(&mut run, "ki", &[1.0]).expect("it may change");
    assert_eq!(y(&mut run), [7.0]);
    let sketch = function(code, &[("Parameters", &["kp = 2; ki = kp / 4"]), ("kp", &["4"])]);
    assert_eq!(y(&mut run_of(&sketch.simulation, "flat")), [12.5]);
}

/// Matrices at an input and an output are row after row.
#[test]
fn inputs_may_be_matrices() {
    let code = "function [y, z] = f(A, r)\n  y = A * [1; 10];\n  z = [A; 7 8] .* r;\nend";
    let sketch = Sketch::new(1.0)
        .block(2, "Var/Static", &[("Value", &["1", "2", "3", "4", "5", "6"])])
        .block(4, "Var/Static", &[("Value", &["1", "-1"])])
        .block(1, "User/Function", &[("Code", &[code]), ("Input Sizes", &["A: 3x2; r: 1 × 2"])])
        .block(3, "exit y", &[])
        .block(5, "exit z", &[])
        .wire("2.Output", "1.A")
        .wire("4.Output", "1.r")
        .wire("1.y", "3.Input")
        .wire("1.z", "5.Input");
    for engine in ENGINES {
        let mut run = run_of(&sketch.simulation, engine);
        let begin = run.context.clone();
        assert_eq!(y(&mut run), [21.0, 43.0, 65.0]);
        assert_eq!(run.exit("z"), [1.0, -2.0, 3.0, -4.0, 5.0, -6.0, 7.0, -8.0]);
        assert_eq!(watched(&run, &begin).outputs, [run.exit("y"), run.exit("z")]);
    }
}

/// Returns the effects of the code in the step that began with a context.
fn watched(run: &Run, begin: &Context) -> Watched {
    let unit = run.program.unit_of(&BlockAddress { path: Vec::new(), block: BlockId(1) }).expect("the block");
    let value = |output: OutputId| run.context.output(&run.program, output).to_vec();
    run.program.watch_code(unit, begin, &value).expect("it ran")
}

/// An editor that follows the code shows the value that a parameter had in the step.
#[test]
fn code_that_is_run_again_has_the_parameters_of_the_step() {
    let code = "function y = f(u, kp, n)\n  y = kp * u + sum(ones(n, 1));\nend";
    let mut run = run_of(&function(code, &[("kp", &["2"]), ("n", &["4"])]).simulation, "flat");
    run.steps(1);
    set(&mut run, "kp", &[5.0]).expect("it may change");
    let begin = run.context.clone();
    assert_eq!(y(&mut run), [19.0]);
    assert_eq!(watched(&run, &begin).outputs, [[19.0]]);
}

#[test]
fn parameters_are_expressions_of_variables() {
    let code = "function y = f(u, kp)\n  y = kp * u;\nend";
    let mut sketch = function(code, &[("kp", &["2 * gain"])]);
    let of = |text: &str| Arc::new(simulate::model::Variable::new(text));
    sketch.simulation.variables.insert("gain".into(), of("5"));
    assert_eq!(y(&mut run_of(&sketch.simulation, "compiled")), [30.0]);
}

#[test]
fn values_of_arguments_that_are_not_there_are_kept() {
    let found = |code: &str, options: &[(&str, &[&str])]| -> Vec<(String, String)> {
        let found = check(&function(code, options).simulation, &Registry::standard());
        found.iter().map(|found| (found.code.to_owned(), found.message.clone())).collect()
    };
    let code = "function y = f(u, kp)\n  y = kp * u;\nend";
    assert_eq!(found(code, &[("kp", &["1"])]), []);
    let unknown = ("unknown-option".to_owned(), "the function has no argument “k”".to_owned());
    assert_eq!(found(code, &[("kp", &["1"]), ("k", &["2"])]), [unknown]);
    let bad = found(code, &[("kp", &["1 +"])]);
    assert!(bad.iter().any(|(code, message)| code == "bad-option" && message.starts_with("kp: ")), "{bad:?}");
}

/// Runs a program with the values of an input as those of a parameter; none if that is one that is known before the run.
fn results_with_parameter(case: &Case, engine: &str) -> Option<Vec<Vec<f64>>> {
    let number = case.inputs.iter().rposition(|(_, width)| *width == 1)?;
    let program = Program::parse(&case.code).expect("it is code");
    let simulation = case.simulation_with(&program, Some(number));
    let mut run = Run::of(Arc::new(compile(&simulation, &Registry::standard()).ok()?), engine);
    let mut step = |step: usize| {
        set(&mut run, &case.inputs[number].0, &case.values(number, step)).ok()?;
        run.steps(1);
        Some(program.main().outputs.iter().flat_map(|name| run.exit(name)).collect())
    };
    let all: Vec<Vec<f64>> = (0..STEPS).map(&mut step).collect::<Option<_>>()?;
    Some(all[case.shown.clone()].to_vec())
}

/// A parameter that changes before each step does what an input does, so Octave's results are those of both.
#[test]
fn parameters_that_change_have_the_results_of_inputs() {
    let mut compared = 0;
    let mut differences = Vec::new();
    let random: Vec<Case> = (0..random::PROGRAMS).map(random::program).collect();
    let all = [(cases("cases.m"), "octave.txt", 1), (cases("public.m"), "public.txt", 1), (random, "random.txt", 20)];
    for (cases, results, every) in all {
        let results = octave::results(&file(results), &cases);
        for (case, want) in cases.iter().zip(&results).step_by(every) {
            for engine in ENGINES {
                let Some(got) = results_with_parameter(case, engine) else { continue };
                compared += 1;
                differences.extend(case.difference_of(&got, want, engine));
            }
        }
    }
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
    assert!(compared > 400, "only {compared} programs were compared");
}
