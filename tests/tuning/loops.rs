//! Margins, peaks and responses of loops with given gains. Their values are those of python-control: `reference.py`.

use serde_json::Value;
use simulate::tuning::{Gains, Integration, Pid, Plant};

use super::{channel, delayed};

fn numbers(of: &Value) -> Vec<f64> {
    of.as_array().expect("a list").iter().map(|value| value.as_f64().expect("a number")).collect()
}

fn method(of: &Value) -> Integration {
    match of.as_str().expect("a name") {
        "backward" => Integration::Backward,
        "trapezoidal" => Integration::Trapezoidal,
        _ => Integration::Forward,
    }
}

/// The value at a time between samples; of a discrete loop at one.
fn at(values: &[f64], step: f64, time: f64) -> f64 {
    let position = time / step;
    let whole = (position + 1e-9).floor();
    let (low, high) = (values[whole as usize], values[(whole as usize + 1).min(values.len() - 1)]);
    low + (position - whole).max(0.0) * (high - low)
}

#[test]
fn loops_have_the_margins_and_the_responses_of_python_control() {
    let cases: Value = serde_json::from_str(include_str!("loops.json")).expect("valid JSON");
    for case in cases.as_array().expect("cases") {
        let name = case["name"].as_str().expect("a name");
        let (num, den) = (numbers(&case["num"]), numbers(&case["den"]));
        let delay = case["delay"].as_f64().expect("a number");
        let of = if delay > 0.0 { delayed(&num, &den, delay) } else { channel(&num, &den) };
        let pid = match case["period"].as_f64() {
            None => Pid::default(),
            Some(period) => Pid::sampled(period, method(&case["integral"]), method(&case["filter"])),
        };
        let plant = Plant::new(of, pid).expect("a plant");
        let gains = numbers(&case["gains"]);
        let gains = Gains { p: gains[0], i: gains[1], d: gains[2], n: gains[3] };
        let margins = plant.margins(&gains);
        let close = |what: &str, got: Option<f64>, want: &Value, tolerance: f64| match (got, want.as_f64()) {
            (None, None) => {}
            (Some(got), Some(want)) => {
                assert!((got - want).abs() <= tolerance * want.abs().max(1.0), "{name}: {what} {got}, not {want}");
            }
            (got, want) => panic!("{name}: {what} {got:?}, not {want:?}"),
        };
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        close("gain margin", finite(margins.gain), &case["gain_margin"], 1e-6);
        close("gain margin at", margins.gain_at, &case["gain_at"], 1e-6);
        close("phase margin", finite(margins.phase), &case["phase_margin"], 1e-6);
        close("phase margin at", margins.phase_at, &case["phase_at"], 1e-6);
        close("peak", Some(plant.peak(&gains)), &case["peak"], 1e-5);
        assert_eq!(plant.is_stable_with(&gains), Some(true), "{name}");
        let times = numbers(&case["times"]);
        let responses = plant.responses(&gains, times.last().copied()).expect("responses");
        // Lines between the samples of a continuous loop, and Padé forms in the reference.
        let tolerance = if plant.channel.period.is_some() { 1e-7 } else { 2e-4 };
        for (what, values) in
            [("output", &responses.output), ("disturbance", &responses.disturbance), ("control", &responses.control)]
        {
            let Some(expected) = case[what].as_array() else { continue };
            for (time, want) in times.iter().zip(expected) {
                close(&format!("{what} at {time}"), Some(at(values, responses.step, *time)), want, tolerance);
            }
        }
    }
}

/// `1/s` with the gain 1 is `1/(s + 1)`: from 10 % to 90 % in ln 9, within 2 % after ln 50.
#[test]
fn an_integrator_with_p_control_is_a_lag() {
    let plant = super::plant(channel(&[1.0], &[1.0, 0.0]));
    let gains = Gains { p: 1.0, n: 100.0, ..Gains::default() };
    let responses = plant.responses(&gains, None).expect("responses");
    let figures = plant.figures(&gains, &responses);
    super::near(figures.rise_time.expect("it rises"), 9.0_f64.ln(), 2e-3);
    super::near(figures.settling_time.expect("it settles"), 50.0_f64.ln(), 2e-3);
    super::near(figures.effort.expect("it is stable"), 1.0, 1e-9);
    super::near(figures.deviation.expect("it is stable"), 1.0, 1e-3);
    super::near(figures.margins.phase, 90.0, 1e-9);
    super::near(figures.peak, 1.0, 1e-6);
    assert_eq!(figures.is_stable, Some(true));
}

/// `ω²/(s² + 2ζω·s)` closed is the standard system of second order: an overshoot of exp(−πζ/√(1 − ζ²)).
#[test]
fn a_standard_loop_of_second_order_overshoots_by_its_damping() {
    for damping in [0.2_f64, 0.5, 0.7] {
        let plant = super::plant(channel(&[4.0], &[1.0, 4.0 * damping, 0.0]));
        let gains = Gains { p: 1.0, n: 100.0, ..Gains::default() };
        let responses = plant.responses(&gains, None).expect("responses");
        let figures = plant.figures(&gains, &responses);
        let want = (-std::f64::consts::PI * damping / (1.0 - damping * damping).sqrt()).exp();
        super::near(figures.overshoot.expect("it is stable"), want, 5e-3);
    }
}

#[test]
fn an_unstable_loop_has_no_figures_in_time() {
    let plant = super::plant(channel(&[1.0], &super::lags(&[1.0, 1.0, 1.0])));
    let gains = Gains { p: 9.0, n: 100.0, ..Gains::default() };
    let responses = plant.responses(&gains, None).expect("responses");
    let figures = plant.figures(&gains, &responses);
    assert_eq!(figures.is_stable, Some(false));
    assert_eq!((figures.rise_time, figures.settling_time, figures.effort), (None, None, None));
}
