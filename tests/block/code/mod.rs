//! Code in blocks, compared with GNU Octave, which runs the same texts.
//!
//! `octave.txt` and `random.txt` hold Octave's results. `UPDATE_OCTAVE=1` has Octave compute them anew; it is needed for
//! nothing else.

mod buses;
mod octave;
mod parameters;
mod random;
mod refused;
mod stopped;
mod watched;

use std::fs;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use simulate::block::Registry;
use simulate::block::language::Program;
use simulate::engine::compile;
use simulate::model::Simulation;

use crate::sketch::{Run, Sketch};

const ENGINES: [&str; 3] = ["simple", "flat", "compiled"];

/// The steps that each program runs.
const STEPS: usize = 4;

/// The values of inputs, from which each element and step takes another one.
const VALUES: [f64; 13] = [0.5, -1.25, 2.0, 3.0, -0.75, 4.5, 1.0, -3.0, 0.1, 7.0, -2.5, 0.0, 2.0];

/// A program whose first function is called `f`.
pub struct Case {
    name: String,
    /// The inputs with their widths.
    inputs: Vec<(String, usize)>,
    /// The largest error of a result relative to its size; 0 for equal bits.
    tolerance: f64,
    /// The steps whose results are compared.
    shown: Range<usize>,
    code: String,
}

impl Case {
    /// Reads a program behind a line `%% name: input input(width)`, with `~1e-12` for a tolerance.
    fn parse(text: &str) -> Case {
        let (head, code) = text.split_once('\n').expect("a line with the inputs");
        let (name, inputs) = head.split_once(':').expect("name: inputs");
        let (name, tolerance) = name.split_once('~').unwrap_or((name, "0"));
        let input = |input: &str| match input.split_once('(') {
            Some((name, width)) => (name.to_owned(), width.trim_end_matches(')').parse().expect("a width")),
            None => (input.to_owned(), 1),
        };
        Case {
            name: name.trim().to_owned(),
            inputs: inputs.split_whitespace().map(input).collect(),
            tolerance: tolerance.trim().parse().expect("a tolerance"),
            shown: 0..STEPS,
            code: code.to_owned(),
        }
    }

    /// Returns the elements of an input in a step.
    fn values(&self, input: usize, step: usize) -> Vec<f64> {
        let element = |element: usize| VALUES[(7 * step + 3 * input + 5 * element) % VALUES.len()];
        (0..self.inputs[input].1).map(element).collect()
    }

    fn simulation(&self, program: &Program) -> Simulation {
        self.simulation_with(program, None)
    }

    /// Returns the simulation in which an input is a parameter, which has the value of the first step.
    fn simulation_with(&self, program: &Program, parameter: Option<usize>) -> Simulation {
        let code = [self.code.as_str()];
        let mut options: Vec<(&str, &[&str])> = vec![("Code", &code), ("Loop Limit", &["40"])];
        let value = parameter.map(|number| self.values(number, 0)[0].to_string()).unwrap_or_default();
        let value = [value.as_str()];
        options.extend(parameter.map(|number| (self.inputs[number].0.as_str(), &value[..])));
        let mut sketch = Sketch::new(0.125).block(1, "User/Function", &options);
        for (number, (name, width)) in self.inputs.iter().enumerate().filter(|(number, _)| Some(*number) != parameter) {
            let mux = 100 + number as u64;
            sketch = sketch.block(mux, "Routing/Mux", &[("Inputs", &[&width.to_string()])]);
            for element in 0..*width {
                let values: Vec<f64> = (0..STEPS).map(|step| self.values(number, step)[element]).collect();
                let source = 1000 + 10 * number as u64 + element as u64;
                let port = format!("{mux}.Input {}", element + 1);
                sketch = sketch.source(source, &values).wire(&format!("{source}.Output"), &port);
            }
            sketch = sketch.wire(&format!("{mux}.Output"), &format!("1.{name}"));
        }
        for (number, name) in program.main().outputs.iter().enumerate() {
            let exit = 10 + number as u64;
            sketch =
                sketch.block(exit, &format!("exit {name}"), &[]).wire(&format!("1.{name}"), &format!("{exit}.Input"));
        }
        sketch.simulation
    }

    /// Returns the elements of all results in each step.
    fn results(&self, engine: &str) -> Result<Results, String> {
        let program = Program::parse(&self.code).map_err(|error| error.to_string())?;
        let compiled = compile(&self.simulation(&program), &Registry::standard())
            .map_err(|found| found.iter().map(|found| found.message.as_str()).collect::<Vec<_>>().join("\n"))?;
        let mut run = Run::of(Arc::new(compiled), engine);
        let mut step = || {
            run.steps(1);
            program.main().outputs.iter().flat_map(|name| run.exit(name)).collect()
        };
        let all: Results = (0..STEPS).map(|_| step()).collect();
        Ok(all[self.shown.clone()].to_vec())
    }

    /// Returns how the results of an engine differ from those of Octave.
    fn difference(&self, want: &Results, engine: &str) -> Option<String> {
        match self.results(engine) {
            Ok(got) => self.difference_of(&got, want, engine),
            Err(problem) => Some(format!("{}: {problem}", self.name)),
        }
    }

    /// Returns how results differ from those of Octave.
    fn difference_of(&self, got: &Results, want: &Results, engine: &str) -> Option<String> {
        let is_equal = |(got, want): (&f64, &f64)| {
            got.to_bits() == want.to_bits()
                || got.is_nan() && want.is_nan()
                || (got - want).abs() <= self.tolerance * want.abs().max(1.0)
        };
        let is_same = |got: &[f64], want: &[f64]| got.len() == want.len() && got.iter().zip(want).all(is_equal);
        let step = (0..want.len()).find(|step| !is_same(&got[*step], &want[*step]))?;
        Some(format!("{} on {engine}, step {step}: {:?}, not {:?}\n{}", self.name, got[step], want[step], self.code))
    }
}

/// The results of a program in Octave: for each step the elements of all results.
type Results = Vec<Vec<f64>>;

/// Compares the results of programs on each engine with those of Octave.
fn check(pairs: &[(&Case, &Results)], engines: &[&str]) {
    let all = pairs.iter().flat_map(|pair| engines.iter().map(move |engine| (pair, engine)));
    let differences: Vec<String> = all.filter_map(|((case, want), engine)| case.difference(want, engine)).collect();
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/block/code").join(name)
}

fn cases(name: &str) -> Vec<Case> {
    let text = fs::read_to_string(file(name)).expect("the cases");
    format!("\n{text}").split("\n%% ").skip(1).map(Case::parse).collect()
}

/// The programs of a file, each with its inputs and outputs as a simulation.
pub fn simulations(file: &str) -> impl Iterator<Item = (String, Simulation)> {
    named(cases(file))
}

/// The random programs as simulations.
pub fn random_simulations() -> impl Iterator<Item = (String, Simulation)> {
    named((0..random::PROGRAMS).map(random::program))
}

fn named(cases: impl IntoIterator<Item = Case>) -> impl Iterator<Item = (String, Simulation)> {
    cases.into_iter().map(|case| {
        let program = Program::parse(&case.code).expect("it is code");
        (case.name.clone(), case.simulation(&program))
    })
}

#[test]
fn octave_has_the_same_results() {
    let cases = cases("cases.m");
    let results = octave::results(&file("octave.txt"), &cases);
    check(&cases.iter().zip(&results).collect::<Vec<_>>(), &ENGINES);
}

/// The kinds of blocks with code that public models have, written anew.
#[test]
fn blocks_as_in_public_models_have_the_results_of_octave() {
    let cases = cases("public.m");
    let results = octave::results(&file("public.txt"), &cases);
    check(&cases.iter().zip(&results).collect::<Vec<_>>(), &ENGINES);
}

/// What Octave itself does not have: angles in one turn, and functions of all elements.
#[test]
fn angles_are_in_one_turn() {
    let code = "y = [wrapToPi(u), wrapTo2Pi(u), wrapTo180(u * 100), wrapTo360(u * 100), sum([u 1; 2 3], 'all'), \
                max([u 1; 2 -3], [], 'all'), rms([3 4 u])];";
    let inputs = [0.0, 4.0, -4.0, 9.0];
    let sketch = Sketch::new(1.0)
        .source(100, &inputs)
        .block(1, "User/Function", &[("Code", &[code])])
        .block(2, "exit y", &[])
        .wire("100.Output", "1.u")
        .wire("1.y", "2.Input");
    let turn = 2.0 * std::f64::consts::PI;
    let want = [
        [0.0, 0.0, 0.0, 0.0, 6.0, 2.0, (25.0_f64 / 3.0).sqrt()],
        [4.0 - turn, 4.0, 40.0, 40.0, 10.0, 4.0, (41.0_f64 / 3.0).sqrt()],
        [turn - 4.0, turn - 4.0, -40.0, 320.0, 2.0, 2.0, (41.0_f64 / 3.0).sqrt()],
        [9.0 - turn, 9.0 - turn, 180.0, 180.0, 15.0, 9.0, (106.0_f64 / 3.0).sqrt()],
    ];
    for engine in ENGINES {
        let mut run = Run::new(&sketch.simulation, engine);
        for (step, want) in want.iter().enumerate() {
            run.steps(1);
            let near = run.exit("y").iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-12);
            assert!(near, "{engine}, step {step}: {:?}, not {want:?}", run.exit("y"));
        }
    }
}

/// The integral of the sign of a sine, which jumps where the sine crosses 0: its corners are exact only where the crossing
/// is located.
#[test]
fn comparisons_are_located_by_solvers_of_variable_step() {
    let code = "function y = f(u)\n  if u > 0\n    y = 1;\n  else\n    y = -1;\n  end\nend";
    let sketch = Sketch::new(0.3)
        .solver("dopri45")
        .block(0, "Var/Sine", &[("Frequency", &["1"]), ("Phase", &["1"])])
        .block(1, "User/Function", &[("Code", &[code])])
        .block(2, "Continuous/Integrator", &[])
        .block(3, "exit y", &[])
        .wire("0.Output", "1.u")
        .wire("1.y", "2.Input")
        .wire("2.Output", "3.Input");
    for engine in ENGINES {
        for (step, y) in Run::new(&sketch.simulation, engine).trace("y", 60).into_iter().enumerate() {
            let phase = (1.0 + step as f64 * 0.3).rem_euclid(2.0 * std::f64::consts::PI);
            let want = std::f64::consts::PI - 1.0 - (phase - std::f64::consts::PI).abs();
            assert!((y - want).abs() < 1e-9, "{engine}, step {step}: {y}, not {want}");
        }
    }
}
