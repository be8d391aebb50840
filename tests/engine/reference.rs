//! Blocks compared with results of NumPy and SciPy, and filters with their theory; `reference/blocks.py` computes the
//! data.

use std::f64::consts::TAU;

use serde::Deserialize;
use simulate::block::expression::NoNames;
use simulate::block::{Registry, Settings};
use simulate::engine::Samples;
use simulate::model::BlockId;

use super::{Run, Sketch};

#[derive(Deserialize)]
struct Reference {
    traces: Vec<Trace>,
    responses: Vec<Response>,
}

#[derive(Deserialize)]
struct Trace {
    block: String,
    origin: String,
    delta: f64,
    tolerance: f64,
    options: std::collections::BTreeMap<String, Vec<String>>,
    inputs: Vec<Vec<Lanes>>,
    outputs: Vec<Vec<Lanes>>,
}

/// The value of a step.
#[derive(Deserialize)]
#[serde(untagged)]
enum Lanes {
    One(f64),
    Many(Vec<f64>),
}

impl Lanes {
    fn values(&self) -> &[f64] {
        match self {
            Lanes::One(value) => std::slice::from_ref(value),
            Lanes::Many(values) => values,
        }
    }
}

#[derive(Deserialize)]
struct Response {
    block: String,
    options: std::collections::BTreeMap<String, Vec<String>>,
    /// Radians per second.
    frequencies: Vec<f64>,
    /// The number of steps in a period, by default [`STEPS`].
    steps: Option<u64>,
    /// Seconds after which the transient has decayed.
    settling: f64,
    re: Vec<f64>,
    im: Vec<f64>,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("reference/blocks.json")).expect("the data")
}

fn option_refs(options: &std::collections::BTreeMap<String, Vec<String>>) -> Vec<(&str, Vec<&str>)> {
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
    let mut sketch = Sketch::new(trace.delta).solver("rk4").block(0, &trace.block, &options);
    for (input, name) in def.inputs.names(&settings).iter().enumerate() {
        let (id, lanes) = (100 + input as u64, trace.inputs[input][0].values().len());
        sketch = sketch
            .block(id, "Var/Static", &[("Value", &vec!["0"; lanes])])
            .wire(&format!("{id}.Output"), &format!("0.{name}"));
    }
    for (output, name) in def.outputs.names(&settings).iter().enumerate() {
        let id = 200 + output as u64;
        sketch =
            sketch.block(id, &format!("exit out {output}"), &[]).wire(&format!("0.{name}"), &format!("{id}.Input"));
    }
    sketch
}

#[test]
fn blocks_give_the_numbers_of_scipy_on_every_engine() {
    let mut wrong = Vec::new();
    for trace in reference().traces {
        let sketch = around(&trace);
        let what = format!("{} ({}, {:?})", trace.block, trace.origin, trace.options);
        let mut runs = ["simple", "flat", "compiled"].map(|engine| Run::new(&sketch.simulation, engine));
        for step in 0..trace.outputs[0].len() {
            let got = runs.each_mut().map(|run| {
                for (input, values) in trace.inputs.iter().enumerate() {
                    let id = BlockId(100 + input as i128);
                    let set = run.context.set_param(&run.program, &[], id, "Value", values[step].values());
                    set.expect("the feeding block's value");
                }
                run.steps(1);
                (0..trace.outputs.len()).map(|output| run.exit(&format!("out {output}"))).collect::<Vec<_>>()
            });
            let bits = |values: &[Vec<f64>]| values.iter().flatten().map(|value| value.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&got[0]), bits(&got[1]), "{what}: flat, step {step}");
            assert_eq!(bits(&got[0]), bits(&got[2]), "{what}: compiled, step {step}");
            for (output, want) in trace.outputs.iter().enumerate() {
                let (got, want) = (&got[0][output], want[step].values());
                assert_eq!(got.len(), want.len(), "{what}: lanes");
                let off = |(got, want): (&f64, &f64)| (got - want).abs() > trace.tolerance * want.abs().max(1.0);
                if got.iter().zip(want).any(off) {
                    wrong.push(format!("{what}, output {output}, step {step}: got {got:?}, want {want:?}"));
                    break;
                }
            }
        }
    }
    let shown = wrong.len().min(12);
    assert!(wrong.is_empty(), "{} values are wrong, among them\n{}", wrong.len(), wrong[..shown].join("\n"));
}

/// The number of steps in one period of the sine; the Runge–Kutta method of order 4 then has an error of about 1e-13.
const STEPS: u64 = 2000;

/// The input is a sine; when the transient has decayed, a whole period of the output is correlated with sine and
/// cosine.
#[test]
fn frequency_responses_are_those_of_theory() {
    for response in reference().responses {
        let steps = response.steps.unwrap_or(STEPS);
        for (number, &frequency) in response.frequencies.iter().enumerate() {
            let delta = TAU / frequency / steps as f64;
            let options = option_refs(&response.options);
            let options: Vec<(&str, &[&str])> =
                options.iter().map(|(name, values)| (*name, values.as_slice())).collect();
            let sketch = Sketch::new(delta)
                .solver("rk4")
                .block(0, "Var/Sine", &[("Frequency", &[frequency.to_string().as_str()])])
                .block(1, &response.block, &options)
                .block(2, "exit y", &[])
                .wire("0.Output", "1.Input")
                .wire("1.Output", "2.Input");
            let mut run = Run::new(&sketch.simulation, "compiled");
            let (_, _, output) = run.program.exits()[0];
            let periods = (response.settling * frequency / TAU).ceil() as u64;
            run.steps(periods * steps);
            let mut samples = Samples::new([output]);
            run.watched_steps(steps, &mut samples);
            let [mut re, mut im] = [0.0; 2];
            for (step, value) in samples.watches()[0].values.iter().enumerate() {
                let (sine, cosine) = (TAU * step as f64 / steps as f64).sin_cos();
                re += value * sine * 2.0 / steps as f64;
                im += value * cosine * 2.0 / steps as f64;
            }
            let off = (re - response.re[number]).hypot(im - response.im[number]);
            let what = format!("{} {:?} at {frequency} rad/s", response.block, response.options);
            assert!(off < 1e-9, "{what}: off by {off}: {re} + {im}i");
        }
    }
}
