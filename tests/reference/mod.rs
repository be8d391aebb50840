//! Blocks compared with what NumPy, SciPy and others compute, and filters with their theory. The scripts in
//! `tests/reference` write the tables, `sources.csv` beside them lists the source of every block.

mod filters;
mod responses;
mod solvers;
mod sources;
mod test_sets;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use simulate::block::language::NoNames;
use simulate::block::{Registry, Settings};
use simulate::model::{BlockId, ParamAddress};

use crate::sketch::{Run, Sketch};

type Options = BTreeMap<String, Vec<String>>;

/// What one script has written.
#[derive(Deserialize)]
struct Table {
    #[serde(default)]
    traces: Vec<Trace>,
    #[serde(default)]
    responses: Vec<responses::Response>,
}

/// What a block outputs in each step, for its inputs in each step.
#[derive(Deserialize)]
struct Trace {
    block: String,
    /// Who has computed the outputs.
    origin: String,
    delta: f64,
    /// Relative for values above 1, else absolute; with 0 the value itself is wanted.
    tolerance: f64,
    /// The Runge–Kutta method of order 4 by default.
    solver: Option<String>,
    /// All by default, else those that do not decline the block.
    engines: Option<Vec<String>>,
    options: Options,
    inputs: Vec<Vec<Values>>,
    outputs: Vec<Vec<Values>>,
}

/// The value of a step: one or several elements.
#[derive(Deserialize)]
#[serde(untagged)]
enum Values {
    One(Value),
    Many(Vec<Value>),
}

/// A number, or one of those that JSON has not: `nan`, `inf`, `-inf`.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "NumberOrWord")]
struct Value(f64);

#[derive(Deserialize)]
#[serde(untagged)]
enum NumberOrWord {
    Number(f64),
    Word(String),
}

impl TryFrom<NumberOrWord> for Value {
    type Error = std::num::ParseFloatError;

    fn try_from(from: NumberOrWord) -> Result<Value, Self::Error> {
        match from {
            NumberOrWord::Number(number) => Ok(Value(number)),
            NumberOrWord::Word(word) => word.parse().map(Value),
        }
    }
}

impl Values {
    fn values(&self) -> Vec<f64> {
        match self {
            Values::One(value) => vec![value.0],
            Values::Many(values) => values.iter().map(|value| value.0).collect(),
        }
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/reference")
}

/// Returns the names of the scripts, without `.py`, with their tables.
fn tables() -> BTreeMap<String, Table> {
    let files = std::fs::read_dir(folder()).expect("the folder").map(|entry| entry.expect("an entry").path());
    let tables = files.filter(|path| path.extension().is_some_and(|extension| extension == "json")).map(|path| {
        let text = std::fs::read_to_string(&path).expect("a table");
        let table = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path.file_stem().expect("a name").to_string_lossy().into_owned(), table)
    });
    tables.collect()
}

fn option_refs(options: &Options) -> Vec<(&str, Vec<&str>)> {
    options.iter().map(|(name, values)| (name.as_str(), values.iter().map(String::as_str).collect())).collect()
}

/// Returns the block with a source at each input and an exit at each output.
fn around(trace: &Trace) -> Sketch {
    let (group, name) = trace.block.split_once('/').expect("a group and a name");
    let def = Registry::standard().get(group, name).unwrap_or_else(|| panic!("there is no {}", trace.block));
    let options = option_refs(&trace.options);
    let (settings, errors) = Settings::read(
        def,
        |name| options.iter().find(|(known, _)| *known == name).map(|(_, values)| values.clone()),
        &NoNames,
    );
    assert_eq!(errors, [], "{}", trace.block);
    options.iter().for_each(|(name, _)| assert!(def.param(name).is_some(), "{} has no {name}", trace.block));
    let options: Vec<(&str, &[&str])> = options.iter().map(|(name, values)| (*name, values.as_slice())).collect();
    let solver = trace.solver.as_deref().unwrap_or("rk4");
    let mut sketch = Sketch::new(trace.delta).solver(solver).block(0, &trace.block, &options);
    let (inputs, outputs) = (def.inputs.names(&settings), def.outputs.names(&settings));
    let ports = (trace.inputs.len(), trace.outputs.len());
    assert_eq!(ports, (inputs.len(), outputs.len()), "{} {:?}: inputs and outputs", trace.block, trace.options);
    for (input, name) in inputs.iter().enumerate() {
        let (id, width) = (100 + input as u64, trace.inputs[input][0].values().len());
        sketch = sketch
            .block(id, "Var/Static", &[("Value", &vec!["0"; width])])
            .wire(&format!("{id}.Output"), &format!("0.{name}"));
    }
    for (output, name) in outputs.iter().enumerate() {
        let id = 200 + output as u64;
        sketch =
            sketch.block(id, &format!("exit out {output}"), &[]).wire(&format!("0.{name}"), &format!("{id}.Input"));
    }
    sketch
}

/// Whether a value is wrong. Infinities and not-a-number have no tolerance.
fn differs(got: f64, want: f64, tolerance: f64) -> bool {
    let is_same = got == want || got.is_nan() && want.is_nan();
    let is_near = (got - want).abs() <= tolerance * want.abs().max(1.0);
    !(is_same || is_near && want.is_finite())
}

/// Returns what is wrong with a block, none if nothing is.
fn compared(trace: &Trace) -> Option<String> {
    let sketch = around(trace);
    let what = format!("{} ({}, {:?})", trace.block, trace.origin, trace.options);
    let all = ["simple", "flat", "compiled"];
    let engines = trace.engines.iter().flatten().map(String::as_str).collect::<Vec<_>>();
    let engines = if engines.is_empty() { &all[..] } else { &engines };
    let mut runs: Vec<Run> = engines.iter().map(|engine| Run::new(&sketch.simulation, engine)).collect();
    for step in 0..trace.outputs[0].len() {
        let step_of = |run: &mut Run| {
            for (input, values) in trace.inputs.iter().enumerate() {
                let id = BlockId(100 + input as i128);
                let set =
                    run.context.set_param(&run.program, &ParamAddress::new(&[], id, "Value"), &values[step].values());
                set.expect("the feeding block's value");
            }
            run.steps(1);
            (0..trace.outputs.len()).map(|output| run.exit(&format!("out {output}"))).collect::<Vec<_>>()
        };
        let got: Vec<Vec<Vec<f64>>> = runs.iter_mut().map(step_of).collect();
        let bits = |values: &[Vec<f64>]| values.iter().flatten().map(|value| value.to_bits()).collect::<Vec<_>>();
        for (engine, other) in engines.iter().zip(&got) {
            assert_eq!(bits(&got[0]), bits(other), "{what}: {engine}, step {step}");
        }
        for (output, want) in trace.outputs.iter().enumerate() {
            let (got, want) = (&got[0][output], want[step].values());
            assert_eq!(got.len(), want.len(), "{what}: elements");
            let wrong = got.iter().zip(&want).filter(|(got, want)| differs(**got, **want, trace.tolerance));
            if let Some((got, want)) = wrong.max_by(|a, b| (a.0 - a.1).abs().total_cmp(&(b.0 - b.1).abs())) {
                return Some(format!("{what}, output {output}, step {step}: got {got:?}, want {want:?}"));
            }
        }
    }
    None
}

#[test]
fn blocks_output_what_others_compute_on_every_engine() {
    let tables = tables();
    let traces: Vec<&Trace> = tables.values().flat_map(|table| &table.traces).collect();
    let wrong: Vec<String> = traces.iter().filter_map(|trace| compared(trace)).collect();
    let shown = wrong.len().min(40);
    let said = wrong[..shown].join("\n");
    assert!(wrong.is_empty(), "{} of {} traces are wrong, among them\n{said}", wrong.len(), traces.len());
}

/// The comparison sees a value that is off by more than the tolerance, and one of the wrong kind.
#[test]
fn a_wrong_value_is_seen() {
    assert!(differs(1.0 + 3e-16, 1.0, 0.0) && differs(1.0 + 2e-12, 1.0, 1e-12) && differs(2e-12, 0.0, 1e-12));
    assert!(differs(f64::NAN, 1.0, 1.0) && differs(1.0, f64::NAN, 1.0) && differs(1e308, f64::INFINITY, 1.0));
    assert!(differs(f64::INFINITY, f64::NEG_INFINITY, 1.0) && differs(f64::INFINITY, 1.0, 1.0));
    assert!(!differs(1e6 + 1e-7, 1e6, 1e-12) && !differs(f64::NAN, f64::NAN, 0.0) && !differs(-0.0, 0.0, 0.0));
    let table: Table = serde_json::from_str(
        r#"{"traces": [{"block": "Math/Gain", "origin": "by hand", "delta": 1, "tolerance": 1e-12,
            "options": {"Gain": ["2"]}, "inputs": [[1.5, "inf"]], "outputs": [[3, "inf"]]}]}"#,
    )
    .expect("a table");
    assert_eq!(compared(&table.traces[0]), None);
    let mut wrong = table;
    wrong.traces[0].outputs[0][1] = Values::One(Value(4.0));
    assert!(compared(&wrong.traces[0]).is_some_and(|said| said.ends_with("step 1: got inf, want 4.0")));
}
