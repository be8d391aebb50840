//! With a solver of variable step the Rate Limiter slides along its input.

use super::located::{area, check, traces};
use crate::sketch::Sketch;

fn limiter(source: (&str, &[(&str, &[&str])]), options: &[(&str, &[&str])]) -> Sketch {
    Sketch::new(0.5)
        .block(0, source.0, source.1)
        .block(1, "Nonlinear/Rate Limiter", options)
        .block(2, "exit z", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")])
}

fn of_time(text: &str, options: &[(&str, &[&str])]) -> Sketch {
    Sketch::new(0.5)
        .block(0, "Var/Waveform", &[("Formula", &[text])])
        .block(1, "Nonlinear/Rate Limiter", options)
        .block(2, "exit z", &[])
        .wires("Main", &[("0.y", "1.Input"), ("1.Output", "2.Input")])
}

/// A parabola is left where its slope is 1, at 0.5 s, not at a point of the grid.
#[test]
fn a_parabola_is_left_where_it_is_too_steep() {
    check("parabola", &of_time("y = t^2", &[]), 8, 1e-8, |t| if t < 0.5 { t * t } else { t - 0.25 });
}

/// sin t with a rate of 1/2 at most: left at −π/3 + 2πn ..., met where the line returns to it.
#[test]
fn a_sine_is_left_and_met() {
    // cos t > 1/2 up to π/3: the line t/2 from 0 meets sin t at 1.895494267033981 (SciPy: brentq), and is left at 2π/3, where
    // the sine falls faster than −1/2.
    let (met, left) = (1.895_494_267_033_981, 2.0 * std::f64::consts::PI / 3.0);
    let slopes: &[(&str, &[&str])] = &[("Rising Slope", &["0.5"]), ("Falling Slope", &["-0.5"])];
    let want = |t: f64| match t {
        t if t < met => t / 2.0,
        t if t < left => t.sin(),
        _ => left.sin() - (t - left) / 2.0,
    };
    check("sine", &of_time("y = sin(t)", slopes), 9, 1e-8, want);
}

#[test]
fn a_step_between_points_of_the_grid_is_a_ramp_from_there() {
    let sketch = limiter(("Var/Step", &[("Step Time", &["1.21"]), ("Final Value", &["2"])]), &[]);
    check("step", &sketch, 9, 1e-9, |t| (t - 1.21).clamp(0.0, 2.0));
}

/// Samples of each second: 0, 3, 3, 3, 3, 3, −1.
#[test]
fn samples_are_ramps() {
    let samples: &[(&str, &[&str])] = &[("Values", &["0", "3", "3", "3", "3", "3", "-1"]), ("Sample Time", &["1"])];
    let sketch = limiter(("Var/Repeating Stair", samples), &[("Falling Slope", &["-2"])]);
    let want = |t: f64| if t < 6.0 { (t - 1.0).clamp(0.0, 3.0) } else { (3.0 - 2.0 * (t - 6.0)).max(-1.0) };
    check("samples", &sketch, 14, 1e-9, want);
}

#[test]
fn a_constant_is_kept() {
    check("constant", &limiter(("Var/Static", &[("Value", &["5"])]), &[]), 9, 1e-9, |_| 5.0);
    let begins: &[(&str, &[&str])] = &[("Begin With", &["value"]), ("Initial Value", &["3.3"])];
    check("from a value", &limiter(("Var/Static", &[("Value", &["5"])]), begins), 9, 1e-9, |t| (3.3 + t).min(5.0));
}

/// Slopes from inputs: from 0 with a rate of t until the output meets 2 at 2 s.
#[test]
fn a_slope_that_grows_is_integrated() {
    let sketch = Sketch::new(0.5)
        .block(0, "Var/Clock", &[])
        .block(1, "Var/Static", &[("Value", &["2"])])
        .block(2, "Var/Static", &[("Value", &["-1"])])
        .block(3, "Nonlinear/Rate Limiter Dynamic", &[("Begin With", &["value"])])
        .block(4, "exit z", &[])
        .wires("Main", &[("0.Output", "3.Rising"), ("1.Output", "3.Input"), ("2.Output", "3.Falling")])
        .wire("3.Output", "4.Input");
    check("slope", &sketch, 9, 1e-8, |t| (t * t / 2.0).min(2.0));
}

/// With a slope of 0.8 the parabola is left at 0.4 s, but without location at the point of the grid behind it: from 0.25 at
/// 0.5 s on, where the output should be 0.24.
#[test]
fn without_location_the_parabola_is_left_at_a_point_of_the_grid() {
    let slope: &[(&str, &[&str])] = &[("Rising Slope", &["0.8"])];
    let located = of_time("y = t^2", slope);
    check("located", &located, 8, 1e-8, |t| if t < 0.4 { t * t } else { 0.16 + 0.8 * (t - 0.4) });
    let sketch = of_time("y = t^2", slope).mark("Main", 1, &[("crossings", "off")]);
    for (how, trace) in traces(&sketch, 8) {
        for (step, got) in trace.iter().enumerate() {
            let time = step as f64 * 0.5;
            let want = if time < 0.5 { 0.0 } else { 0.25 + 0.8 * (time - 0.5) };
            assert!((got - want).abs() < 1e-9, "{how}, at {time} s: {got}, not {want}");
        }
    }
}

/// A play of 0.86 behind a triangle between 0 and 2 with the period 4, which turns at points of the grid: the output rises
/// from 0.43 s on to 1.57 at 2 s, is held for 0.86 s, falls to 0.43 at 4 s, is held, and so on.
#[test]
fn play_behind_a_triangle_is_met_between_points_of_the_grid() {
    let sketch = Sketch::new(0.5)
        .block(0, "Var/Waveform", &[("Formula", &["y = 2 - abs(mod(t, 4) - 2)"])])
        .block(1, "Nonlinear/Backlash", &[("Width", &["0.86"])])
        .block(2, "Math/Integrate", &[])
        .block(3, "exit z", &[])
        .wires("Main", &[("0.y", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Input")]);
    let output =
        [(0.0, 0.0), (0.43, 0.0), (2.0, 1.57), (2.86, 1.57), (4.0, 0.43), (4.86, 0.43), (6.0, 1.57), (6.86, 1.57)];
    check("play", &sketch, 13, 1e-9, |t| area(&output, t));
}
