//! Sample times: blocks that do not act in every step.

use simulate::block::Registry;
use simulate::engine::compile;
use simulate::model::{BlockId, SignalKey};

use crate::sketch::{Run, Sketch};

const ENGINES: [&str; 3] = ["simple", "flat", "compiled"];

/// Compares the exit `y` after each step, on each engine.
fn check(sketch: &Sketch, want: &[f64]) {
    for engine in ENGINES {
        assert_eq!(Run::new(&sketch.simulation, engine).trace("y", want.len()), want, "{engine}");
    }
}

type Options<'a> = &'a [(&'a str, &'a [&'a str])];

/// Returns a simulation in which the number of the step goes through a chain of blocks with these options to `y`.
fn chain(blocks: &[(&str, Options)]) -> Sketch {
    let mut sketch = Sketch::new(0.25).block(0, "Var/Clock", &[]).block(1, "Math/Gain", &[("Gain", &["4"])]);
    sketch = sketch.wire("0.Output", "1.Input");
    for (number, (what, options)) in (2..).zip(blocks) {
        sketch = sketch.block(number, what, options);
        sketch = sketch.wire(&format!("{}.Output", number - 1), &format!("{number}.Input"));
    }
    let last = 1 + blocks.len();
    sketch.block(99, "exit y", &[]).wire(&format!("{last}.Output"), "99.Input")
}

const EVERY_THIRD: (&str, &[&str]) = ("Sample Time", &["0.75"]);

/// Signals with a sample time are drawn as stairs, also if it equals the step, and signals that depend on such signals
/// only.
#[test]
fn what_blocks_with_a_sample_time_make_is_held() {
    let hold = |time: &'static [&'static str]| ("Discrete/Zero-Order Hold", vec![("Sample Time", time)]);
    for (time, is_held) in [(&["0.75"][..], true), (&["0.25"], true), (&["-1"], true), (&["0"], false)] {
        let (what, options) = hold(time);
        let sketch = Sketch::new(0.25)
            .block(0, "Var/Sine", &[])
            .block(1, what, &options)
            .block(2, "Math/Gain", &[])
            .block(3, "Math/Sum", &[])
            .block(4, "Continuous/Integrator", &[])
            .wire("0.Output", "1.Input")
            .wire("1.Output", "2.Input")
            .wire("2.Output", "3.Input 1")
            .wire("0.Output", "3.Input 2")
            .wire("2.Output", "4.Input");
        let program = compile(&sketch.simulation, &Registry::standard()).expect("it can run");
        let held = |block: u64| program.is_held(&SignalKey::new(&[], BlockId(block.into()), "Output"));
        let want = [false, is_held, is_held, false, false];
        assert_eq!([0, 1, 2, 3, 4].map(held), want, "sample time {time:?}");
    }
}

#[test]
fn a_hold_takes_its_input_at_its_hits() {
    check(&chain(&[("Discrete/Zero-Order Hold", &[EVERY_THIRD])]), &[0.0, 0.0, 0.0, 3.0, 3.0, 3.0, 6.0, 6.0]);
}

#[test]
fn before_its_first_hit_a_block_gives_zero() {
    let offset = ("Sample Offset", &["0.5"][..]);
    check(&chain(&[("Discrete/Zero-Order Hold", &[EVERY_THIRD, offset])]), &[0.0, 0.0, 2.0, 2.0, 2.0, 5.0, 5.0]);
}

/// A block whose first hit is after one step has its initial value until then.
#[test]
fn before_its_first_hit_a_state_has_its_initial_value() {
    let (offset, initial) = (("Sample Offset", &["0.25"][..]), ("Initial Value", &["-1"][..]));
    let sketch = chain(&[("Discrete/Unit Delay", &[EVERY_THIRD, offset, initial])]);
    check(&sketch, &[-1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 4.0]);
}

/// From slow to fast through a delay of one slow sample, from fast to slow through a hold, as rate transitions do.
#[test]
fn a_delay_is_one_of_its_own_samples_long() {
    let initial = ("Initial Value", &["-1"][..]);
    let sketch = chain(&[("Discrete/Unit Delay", &[EVERY_THIRD, initial])]);
    check(&sketch, &[-1.0, -1.0, -1.0, 0.0, 0.0, 0.0, 3.0, 3.0, 3.0, 6.0]);
}

#[test]
fn a_sample_time_is_inherited_through_blocks_without_one() {
    let sketch = chain(&[
        ("Discrete/Zero-Order Hold", &[EVERY_THIRD]),
        ("Math/Gain", &[("Gain", &["2"])]),
        ("Discrete/Unit Delay", &[("Initial Value", &["-1"])]),
    ]);
    check(&sketch, &[-1.0, -1.0, -1.0, 0.0, 0.0, 0.0, 6.0, 6.0, 6.0, 12.0]);
}

/// Hits at 0, 2, 4, … and 0, 3, 6, …: their sum may change at any step, and the delay behind it acts at each.
#[test]
fn of_several_rates_a_block_inherits_the_one_that_has_all_hits() {
    let sketch = Sketch::new(0.25)
        .block(0, "Var/Clock", &[])
        .block(1, "Math/Gain", &[("Gain", &["4"])])
        .block(2, "Discrete/Zero-Order Hold", &[("Sample Time", &["0.5"])])
        .block(3, "Discrete/Zero-Order Hold", &[EVERY_THIRD])
        .block(4, "Math/Sum", &[])
        .block(5, "Discrete/Unit Delay", &[])
        .block(6, "exit y", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "2.Input")
        .wire("1.Output", "3.Input")
        .wire("2.Output", "4.Input 1")
        .wire("3.Output", "4.Input 2")
        .wire("4.Output", "5.Input")
        .wire("5.Output", "6.Input");
    check(&sketch, &[0.0, 0.0, 0.0, 2.0, 5.0, 7.0, 7.0, 12.0]);
}

/// The sample time of a loop of delays that inherit from each other is undetermined: they act in every step.
#[test]
fn a_loop_that_inherits_from_itself_acts_in_every_step() {
    let sketch = Sketch::new(0.25)
        .block(0, "Discrete/Unit Delay", &[("Initial Value", &["1"])])
        .block(1, "Math/Gain", &[("Gain", &["2"])])
        .block(2, "exit y", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "0.Input")
        .wire("0.Output", "2.Input");
    check(&sketch, &[1.0, 2.0, 4.0, 8.0]);
}

/// In minor steps a hold keeps its value: x' = −x held over a step is a factor of 1 − h per step, whatever the order.
#[test]
fn a_hold_makes_a_solver_see_a_constant() {
    for solver in ["euler", "heun", "rk4"] {
        let sketch = Sketch::new(0.5)
            .solver(solver)
            .block(0, "Math/Integrate", &[("Initial Value", &["1"])])
            .block(1, "Discrete/Zero-Order Hold", &[])
            .block(2, "Math/Gain", &[("Gain", &["-1"])])
            .block(3, "exit y", &[])
            .wire("0.Output", "1.Input")
            .wire("1.Output", "2.Input")
            .wire("2.Output", "0.Input")
            .wire("0.Output", "3.Input");
        check(&sketch, &[1.0, 0.5, 0.25, 0.125]);
    }
}

#[test]
fn a_sample_time_that_is_no_multiple_of_the_step_is_an_error_at_its_block() {
    let sketch = chain(&[("Discrete/Zero-Order Hold", &[("Sample Time", &["0.3"])])]);
    let found = compile(&sketch.simulation, &Registry::standard()).expect_err("refused");
    let message = "Sample Time: 0.3 s is not a multiple of the step of 0.25 s";
    assert!(found.iter().any(|found| found.message == message && found.location.block.is_some()), "{found:#?}");
}
