//! Feedback loops are found, opened where the reference enters, and have the margins of their closed forms.

use std::f64::consts::{FRAC_PI_2, SQRT_2};

use simulate::engine::{Channel, Linear, LinearizeRequest, SignalElement, feedback_loops};
use simulate::model::{BlockId, SignalKey, place_of_signal};

use super::{element, near, wanted};
use crate::sketch::Sketch;

/// `reference 0 → sum 1 → plant 2 → sensor 3 → sum 1`, with these blocks.
fn single(signs: &str, plant: (&str, &[(&str, &[&str])]), sensor: (&str, &[(&str, &[&str])])) -> Sketch {
    Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Math/Sum", &[("Signs", &[signs])])
        .block(2, plant.0, plant.1)
        .block(3, sensor.0, sensor.1)
        .wires(
            "Main",
            &[("0.Output", "1.Input 1"), ("1.Output", "2.Input"), ("2.Output", "3.Input"), ("3.Output", "1.Input 2")],
        )
        .mark("Main", 1, &[("label", "Error")])
}

fn gain(value: &'static str) -> (&'static str, &'static [(&'static str, &'static [&'static str])]) {
    match value {
        "1" => ("Math/Gain", &[("Gain", &["1"])]),
        "-1" => ("Math/Gain", &[("Gain", &["-1"])]),
        "3" => ("Math/Gain", &[("Gain", &["3"])]),
        _ => panic!("not listed"),
    }
}

fn opened(sketch: &Sketch, at: u64) -> Option<Channel> {
    let run = sketch.run();
    Linear::open_loop(&run.program, &run.context, &element(at), LinearizeRequest::DEFAULT_ORDER).expect("a system")
}

/// 2/(s·(s + 1)·(s + 2)): a gain margin of 3 at √2 rad/s (Routh–Hurwitz). The closed loop has others, which are not
/// those of a loop.
#[test]
fn a_loop_is_opened_at_its_error() {
    let plant: (&str, &[(&str, &[&str])]) =
        ("Continuous/Transfer Function", &[("Numerator", &["2"]), ("Denominator", &["1", "3", "2", "0"])]);
    for (signs, sensor) in [("+-", "1"), ("++", "-1")] {
        let sketch = single(signs, plant, gain(sensor));
        let run = sketch.run();
        let loops = feedback_loops(&run.program);
        assert_eq!(loops, [element(1).signal], "{signs}");
        assert_eq!(place_of_signal(&sketch.simulation, &loops[0]), "Error");
        // Opened anywhere, a single loop is the same.
        for at in [1, 2, 3] {
            let margins = opened(&sketch, at).expect("a loop").margins();
            near(margins.gain, 3.0);
            near(margins.gain_at.expect("a crossing"), SQRT_2);
        }
        assert_eq!(opened(&sketch, 0), None, "no loop leads through the reference");
    }
}

/// 3/(s + 1) with a sensor 1/(0.1·s + 1), where the channel to the plant's output would tell another margin: 9 =
/// (1 + ω²)·(1 + 0.01·ω²).
#[test]
fn the_sensor_belongs_to_the_loop() {
    let plant: (&str, &[(&str, &[&str])]) =
        ("Continuous/Transfer Function", &[("Numerator", &["3"]), ("Denominator", &["1", "1"])]);
    let sensor: (&str, &[(&str, &[&str])]) =
        ("Continuous/Transfer Function", &[("Numerator", &["1"]), ("Denominator", &["0.1", "1"])]);
    let margins = opened(&single("+-", plant, sensor), 1).expect("a loop").margins();
    let square = (-1.01 + f64::sqrt(1.01 * 1.01 + 4.0 * 0.01 * 8.0)) / 0.02;
    let crossover = square.sqrt();
    near(margins.phase_at.expect("a crossing"), crossover);
    near(margins.phase, 180.0 - crossover.atan().to_degrees() - (0.1 * crossover).atan().to_degrees());
    assert_eq!(margins.gain, f64::INFINITY);
}

/// e^(−s)/s has a gain of 1 at 1 rad/s, with a phase margin of 90° less one radian, and a gain margin of π/2 at π/2.
#[test]
fn a_delay_in_the_loop_is_exact() {
    let sensor: (&str, &[(&str, &[&str])]) = ("Continuous/Transport Delay", &[("Delay", &["1"])]);
    let margins = opened(&single("+-", ("Math/Integrate", &[]), sensor), 1).expect("a loop").margins();
    near(margins.phase_at.expect("a crossing"), 1.0);
    near(margins.phase, 90.0 - 1f64.to_degrees());
    near(margins.gain_at.expect("a crossing"), FRAC_PI_2);
    near(margins.gain, FRAC_PI_2);
}

/// A cascade: the inner loop is 3/s with a phase margin of 90° at 3 rad/s; the outer one 1/s · 3/(s + 3), whose gain is 1
/// where ω²·(ω² + 9) = 9.
#[test]
fn the_outer_loop_comes_before_the_inner_one() {
    let sketch = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Math/Sum", &[("Signs", &["+-"])])
        .block(2, "Math/Sum", &[("Signs", &["+-"])])
        .block(3, "Math/Gain", &[("Gain", &["3"])])
        .block(4, "Math/Integrate", &[])
        .block(5, "Math/Integrate", &[])
        .wires(
            "Main",
            &[
                ("0.Output", "1.Input 1"),
                ("5.Output", "1.Input 2"),
                ("1.Output", "2.Input 1"),
                ("4.Output", "2.Input 2"),
                ("2.Output", "3.Input"),
                ("3.Output", "4.Input"),
                ("4.Output", "5.Input"),
            ],
        );
    let run = sketch.run();
    assert_eq!(feedback_loops(&run.program), [element(1).signal, element(2).signal]);
    assert_eq!(place_of_signal(&sketch.simulation, &element(2).signal), "Sum #2");
    let outer = opened(&sketch, 1).expect("a loop").margins();
    let crossover = f64::sqrt((-9.0 + f64::sqrt(81.0 + 36.0)) / 2.0);
    near(outer.phase_at.expect("a crossing"), crossover);
    near(outer.phase, 90.0 - (crossover / 3.0).atan().to_degrees());
    // With the outer loop closed the inner one is 3/s + 3/s².
    let inner = opened(&sketch, 2).expect("a loop").margins();
    let crossover = f64::sqrt((9.0 + f64::sqrt(81.0 + 36.0)) / 2.0);
    near(inner.phase_at.expect("a crossing"), crossover);
    near(inner.phase, crossover.atan().to_degrees());
}

/// A loop inside of an instance of a model is found under its path.
#[test]
fn a_loop_in_a_subsystem_has_its_path() {
    let sketch = Sketch::new(0.1)
        .block_in("Plant", 0, "entry u", &[])
        .block_in("Plant", 1, "Math/Sum", &[("Signs", &["+-"])])
        .block_in("Plant", 2, "Math/Integrate", &[])
        .wire_in("Plant", "0.Output", "1.Input 1")
        .wire_in("Plant", "1.Output", "2.Input")
        .wire_in("Plant", "2.Output", "1.Input 2")
        .block(0, "Var/Static", &[])
        .block(7, "model Plant", &[])
        .wire("0.Output", "7.u");
    let run = sketch.run();
    let at = SignalKey::new(&[BlockId(7)], BlockId(1), "Output");
    assert_eq!(feedback_loops(&run.program), std::slice::from_ref(&at));
    let element = SignalElement { signal: at, element: 0 };
    let open = Linear::open_loop(&run.program, &run.context, &element, 3).expect("a system").expect("a loop");
    near(open.margins().phase, 90.0);
    near(open.margins().phase_at.expect("a crossing"), 1.0);
}

#[test]
fn without_feedback_there_is_no_loop() {
    let run =
        Sketch::new(0.1).block(0, "Var/Static", &[]).block(1, "Math/Integrate", &[]).wire("0.Output", "1.Input").run();
    assert_eq!(feedback_loops(&run.program), []);
    let linear = Linear::new(&run.program, &run.context, &wanted(0, 1)).expect("a system");
    assert!(linear.channel(0, 0).is_some());
}
