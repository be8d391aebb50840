//! Frequency responses compared with those of theory.

use std::f64::consts::TAU;

use serde::Deserialize;
use simulate::engine::Samples;

use super::{Options, option_refs, tables};
use crate::sketch::{Run, Sketch};

#[derive(Deserialize)]
pub(super) struct Response {
    pub block: String,
    pub options: Options,
    /// Radians per second.
    frequencies: Vec<f64>,
    /// The number of steps in a period, by default [`STEPS`].
    steps: Option<u64>,
    /// Seconds after which the transient has decayed.
    settling: f64,
    re: Vec<f64>,
    im: Vec<f64>,
}

/// The number of steps in one period of the sine; the Runge–Kutta method of order 4 then has an error of about 1e-13.
const STEPS: u64 = 2000;

/// The input is a sine; when the transient has decayed, a whole period of the output is correlated with sine and
/// cosine.
#[test]
fn frequency_responses_are_those_of_theory() {
    for response in tables().into_values().flat_map(|table| table.responses) {
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
