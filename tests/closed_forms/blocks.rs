//! Blocks in situations that their examples do not cover, compared with closed forms.

use std::f64::consts::{PI, TAU};

use simulate::block::Registry;
use simulate::engine::diagnose;
use simulate::model::{BlockAddress, BlockId, ParamAddress};

use crate::block::refusals::refused;
use crate::sketch::{Run, Sketch, is_close};

type Options<'a> = &'a [(&'a str, &'a [&'a str])];

/// Runs a block with the Euler method on every engine; each input gets one value in each step. Returns the engines' names
/// and the first element of the output in each step.
pub fn traces(
    block: &str,
    options: Options,
    delta: f64,
    inputs: &[(&str, &[f64])],
    output: &str,
    steps: usize,
) -> [(&'static str, Vec<f64>); 3] {
    let mut sketch = Sketch::new(delta)
        .solver("euler")
        .block(0, block, options)
        .block(1, "exit y", &[])
        .wire(&format!("0.{output}"), "1.Input");
    for (number, (name, _)) in inputs.iter().enumerate() {
        let id = 100 + number as u64;
        sketch = sketch.block(id, "Var/Static", &[]).wire(&format!("{id}.Output"), &format!("0.{name}"));
    }
    ["simple", "flat", "compiled"].map(|engine| {
        let mut run = Run::new(&sketch.simulation, engine);
        let values = (0..steps).map(|step| {
            for (number, (_, values)) in inputs.iter().enumerate() {
                let id = BlockId(100 + number as i128);
                run.context
                    .set_param(&run.program, &ParamAddress::new(&[], id, "Value"), &[values[step]])
                    .expect("a value is fed");
            }
            run.steps(1).exit("y")[0]
        });
        (engine, values.collect())
    })
}

/// Compares one of a block's outputs.
#[track_caller]
fn check(block: &str, options: Options, delta: f64, inputs: &[(&str, &[f64])], output: &str, want: &[f64]) {
    for (engine, got) in traces(block, options, delta, inputs, output, want.len()) {
        for (step, (got, want)) in got.into_iter().zip(want).enumerate() {
            assert!(is_close(got, *want), "{block} on {engine}, step {step}: {got}, not {want}");
        }
    }
}

/// With a constant error the filter x' = 2·(1 − x) restarts at 0: the output 2·(1 − x) is halved in each step.
#[test]
fn a_reset_controller_starts_its_filter_again() {
    check(
        "Continuous/PID Controller",
        &[("P", &["0"]), ("I", &["0"]), ("D", &["1"]), ("Filter Coefficient", &["2"]), ("Reset", &["rising"])],
        0.25,
        &[("Error", &[1.0; 6]), ("Reset", &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0])],
        "Output",
        &[2.0, 1.0, 0.5, 2.0, 1.0, 0.5],
    );
}

#[test]
fn an_element_that_does_not_exist_is_refused() {
    for (indices, first, is_right) in [
        ("1", "1", true),
        ("1", "0", false),
        ("2", "1", false),
        ("0", "1", false),
        ("0", "0", true),
        ("0.5", "0", false),
    ] {
        let options: Options = &[("Indices", &[indices]), ("First Index", &[first])];
        let sketch = Sketch::new(1.0)
            .block(0, "Var/Static", &[])
            .block(1, "Routing/Selector", options)
            .wire("0.Output", "1.Input");
        let found = diagnose(&sketch.simulation, &Registry::standard());
        let said = found.iter().any(|problem| problem.message.contains(&format!("there is no element {indices};")));
        assert_eq!(said, !is_right, "{indices} from {first}: {found:?}");
    }
}

#[test]
fn units_are_those_of_the_si() {
    for (conversion, u, y) in [
        ("deg to rad", 180.0, PI),
        ("rad to deg", PI, 180.0),
        ("rpm to rad/s", 30.0, PI),
        ("rad/s to rpm", TAU, 60.0),
        ("Hz to rad/s", 2.0, 2.0 * TAU),
        ("rad/s to Hz", TAU, 1.0),
        ("km/h to m/s", 36.0, 10.0),
        ("m/s to km/h", 10.0, 36.0),
        // The triple point of water.
        ("°C to K", 0.01, 273.16),
        ("K to °C", 273.16, 0.01),
        ("°F to °C", 212.0, 100.0),
        ("°C to °F", -40.0, -40.0),
        ("°C to °F", 100.0, 212.0),
        ("bar to Pa", 1.01325, 101_325.0),
        ("Pa to bar", 101_325.0, 1.01325),
    ] {
        check("Signal/Unit Conversion", &[("Conversion", &[conversion])], 1.0, &[("Input", &[u])], "Output", &[y]);
    }
}

/// One new element is assigned to all indices; several are assigned one to each.
#[test]
fn elements_are_assigned_in_the_order_of_the_indices() {
    for (new, want) in [(&["9"][..], [9.0, 2.0, 9.0]), (&["8", "9"], [9.0, 2.0, 8.0])] {
        let sketch = Sketch::new(1.0)
            .block(0, "Var/Static", &[("Value", &["1", "2", "3"])])
            .block(1, "Var/Static", &[("Value", new)])
            .block(2, "Math/Assignment", &[("Indices", &["3", "1"])])
            .block(3, "exit y", &[])
            .wire("0.Output", "2.Vector")
            .wire("1.Output", "2.Elements")
            .wire("2.Output", "3.Input");
        assert_eq!(sketch.run().steps(1).exit("y"), want);
    }
}

/// The delay behind a Repeat block is set in each iteration; its state after the step is that of the last one, 2.
#[test]
fn a_delay_behind_a_repeat_keeps_the_last_iteration() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["3"])])
        .block(1, "Flow/Repeat", &[])
        .block(2, "Discrete/Delay", &[("Length", &["2"]), ("Initial Value", &["-1"])])
        .block(3, "exit y", &[])
        .wire("0.Output", "1.Times")
        .wire("1.Output", "2.Input")
        .wire("2.Output", "3.Input");
    assert_eq!(sketch.run().trace("y", 5), [-1.0, -1.0, 2.0, 2.0, 2.0]);
}

/// The same with two states, a history and a count of samples since the last reset.
#[test]
fn a_delay_with_two_states_behind_a_repeat_keeps_the_last_iteration() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["3"])])
        .block(1, "Flow/Repeat", &[])
        .block(2, "Discrete/Delay", &[("Length", &["2"]), ("Initial Source", &["input"])])
        .block(3, "exit y", &[])
        .block(4, "Var/Static", &[("Value", &["-1"])])
        .wire("0.Output", "1.Times")
        .wire("1.Output", "2.Input")
        .wire("4.Output", "2.Initial")
        .wire("2.Output", "3.Input");
    assert_eq!(sketch.run().trace("y", 5), [-1.0, -1.0, 2.0, 2.0, 2.0]);
}

/// A clock that is low in the first step is no falling edge.
#[test]
fn a_flip_flop_waits_for_its_first_edge() {
    let high = [1.0; 5];
    check(
        "Logic/JK Flip-Flop",
        &[("Edge", &["falling"])],
        1.0,
        &[("J", &high), ("Clock", &[0.0, 0.0, 1.0, 0.0, 0.0]), ("K", &[0.0; 5])],
        "Q",
        &[0.0, 0.0, 0.0, 1.0, 1.0],
    );
}

#[test]
fn numbers_outside_their_limits_are_refused() {
    for (value, is_right) in [("1", true), ("0", false), ("-1", false)] {
        let messages = refused("Continuous/PT2", &[("Time Constant", &[value])], &[("Input", 1)]);
        let said = messages.iter().any(|message| message.contains(&format!("{value} is outside")));
        assert_eq!(said, !is_right, "{value}: {messages:?}");
        assert_eq!(messages.is_empty(), is_right, "{value}: {messages:?}");
    }
}

/// A spline through four dimensions is allowed, through five not.
#[test]
fn a_spline_of_too_many_dimensions_is_refused() {
    for (dimensions, is_right) in [(4, true), (5, false)] {
        let (two, ends) = (vec!["2"; dimensions], ["0", "1"].repeat(dimensions));
        let table = vec!["1"; 1 << dimensions];
        let options: Options =
            &[("Sizes", &two), ("Breakpoints", &ends), ("Table", &table), ("Interpolation", &["spline"])];
        let inputs: Vec<String> = (1..=dimensions).map(|input| format!("Input {input}")).collect();
        let inputs: Vec<(&str, usize)> = inputs.iter().map(|input| (input.as_str(), 1)).collect();
        let messages = refused("Lookup/n-D Lookup Table", options, &inputs);
        let said = messages.iter().any(|message| message.contains("not available for a table of so many dimensions"));
        assert_eq!((said, messages.is_empty()), (!is_right, is_right), "{messages:?}");
    }
}

#[test]
fn edges_are_where_the_condition_begins_to_hold() {
    let u = [-1.0, 0.0, 1.0, 0.0, -1.0, 0.5];
    for (edge, was_met, want) in [
        ("rise nonnegative", "0", [0.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
        ("rise positive", "0", [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]),
        ("fall negative", "1", [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]),
        ("fall negative", "0", [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]),
        ("fall nonpositive", "1", [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
        ("either", "0", [0.0, 0.0, 1.0, 1.0, 0.0, 1.0]),
    ] {
        let options: Options = &[("Edge", &[edge]), ("Initially Met", &[was_met])];
        check("Logic/Detect Edge", options, 1.0, &[("Input", &u)], "Output", &want);
    }
}

#[test]
fn gates_have_their_truth_tables() {
    let inputs: [(&str, &[f64]); 2] = [("Input 1", &[0.0, 0.0, 1.0, 1.0]), ("Input 2", &[0.0, 1.0, 0.0, 1.0])];
    for (operator, want) in [
        ("AND", [0.0, 0.0, 0.0, 1.0]),
        ("OR", [0.0, 1.0, 1.0, 1.0]),
        ("XOR", [0.0, 1.0, 1.0, 0.0]),
        ("NAND", [1.0, 1.0, 1.0, 0.0]),
        ("NOR", [1.0, 0.0, 0.0, 0.0]),
        ("NXOR", [1.0, 0.0, 0.0, 1.0]),
    ] {
        check("Logic/Gate", &[("Operator", &[operator])], 1.0, &inputs, "Output", &want);
    }
}

#[test]
fn an_integrator_says_at_which_limit_it_is() {
    let limits =
        [("Limited", &["1"][..]), ("Lower Limit", &["-2"]), ("Upper Limit", &["1"]), ("Show Saturation", &["1"])];
    let down = [-1.0, -1.0, -1.0, 3.0, 3.0];
    check("Continuous/Integrator", &limits, 1.0, &[("Input", &down)], "Output", &[0.0, -1.0, -2.0, -2.0, 1.0]);
    check("Continuous/Integrator", &limits, 1.0, &[("Input", &down)], "Saturation", &[0.0, 0.0, -1.0, -1.0, 1.0]);
}

#[test]
fn a_matrix_that_is_not_square_has_no_inverse() {
    for (count, is_right) in [(4, true), (3, false), (5, false)] {
        let values = ["2", "1", "1", "3", "1"];
        let sketch = Sketch::new(1.0)
            .block(0, "Var/Static", &[("Value", &values[..count])])
            .block(1, "Matrix/Inverse", &[])
            .wire("0.Output", "1.Input");
        let found = diagnose(&sketch.simulation, &Registry::standard());
        assert_eq!(found.iter().any(|problem| problem.is_error()), !is_right, "{count} elements: {found:?}");
    }
}

#[test]
fn an_offset_is_a_multiple_of_the_step() {
    for (time, offset, problem) in [
        ("1", "1", None),
        ("2", "4", None),
        ("2", "0.5", Some("is not a multiple of the step")),
        ("1.5", "0", Some("1.5 s is not a multiple of the step")),
        ("2", "1", None),
    ] {
        let messages = refused("Var/Random", &[("Sample Time", &[time]), ("Sample Offset", &[offset])], &[]);
        assert_eq!(messages.len(), usize::from(problem.is_some()), "{time}, {offset}: {messages:?}");
        assert!(messages.iter().all(|message| message.contains(problem.unwrap_or(""))), "{messages:?}");
    }
}

/// x' = 2·x with a step of 0.5 s: (1 − 0.5·2)·x = 1 has no solution, and it is the integrator's.
#[test]
fn an_implicit_step_without_a_solution_names_the_block() {
    let sketch = Sketch::new(0.5)
        .solver("backward-euler")
        .block(7, "Math/Integrate", &[("Initial Value", &["1"])])
        .block(8, "Math/Gain", &[("Gain", &["2"])])
        .wire("7.Output", "8.Input")
        .wire("8.Output", "7.Input");
    for engine in ["simple", "flat", "compiled"] {
        let error = Run::new(&sketch.simulation, engine).try_steps(1).expect_err("there is no solution");
        assert_eq!(error.block, Some(BlockAddress::new(&[], BlockId(7))), "{engine}: {error}");
    }
}

/// Two's complement with this number of bits, or unsigned.
#[test]
fn whole_numbers_have_the_range_of_their_type() {
    for (kind, bits, is_signed) in [
        ("int8", 8, true),
        ("uint8", 8, false),
        ("int16", 16, true),
        ("uint16", 16, false),
        ("int32", 32, true),
        ("uint32", 32, false),
    ] {
        let count = 2f64.powi(bits);
        let low = if is_signed { -count / 2.0 } else { 0.0 };
        let high = low + count - 1.0;
        let u: [(&str, &[f64]); 1] = [("Input", &[low, low - 1.0, high, high + 1.0, 5.0])];
        for (overflow, want) in [("saturate", [low, low, high, high, 5.0]), ("wrap", [low, high, high, low, 5.0])] {
            let options: Options = &[("Type", &[kind]), ("Overflow", &[overflow])];
            check("Signal/Convert", options, 1.0, &u, "Output", &want);
        }
    }
    for (rounding, want) in [
        ("round", [3.0, 2.0, -3.0, -2.0]),
        ("floor", [2.0, 2.0, -3.0, -3.0]),
        ("ceil", [3.0, 3.0, -2.0, -2.0]),
        ("fix", [2.0, 2.0, -2.0, -2.0]),
    ] {
        let options: Options = &[("Type", &["int8"]), ("Rounding", &[rounding])];
        check("Signal/Convert", options, 1.0, &[("Input", &[2.5, 2.25, -2.5, -2.25])], "Output", &want);
    }
}

/// The hold of a ramp t goes on with slope 1 from the second sample on, at once and between the steps: its integral from
/// 1 s to 3 s is 4, and that of the delayed hold, which is t − 1 s, is 2. The slope is level in the first second.
#[test]
fn a_first_order_hold_moves_between_steps() {
    for solver in ["rk4", "dopri45"] {
        for (method, want) in [("predictive", 4.0), ("delayed", 2.0)] {
            let sketch = Sketch::new(0.25)
                .solver(solver)
                .block(0, "Var/Clock", &[])
                .block(1, "Discrete/First-Order Hold", &[("Sampling Interval", &["1"]), ("Method", &[method])])
                .block(2, "Continuous/Integrator", &[])
                .block(3, "exit y", &[])
                .wire("0.Output", "1.Input")
                .wire("1.Output", "2.Input")
                .wire("2.Output", "3.Input");
            for engine in ["simple", "flat", "compiled"] {
                let got = Run::new(&sketch.simulation, engine).trace("y", 13)[12];
                assert!((got - want).abs() < 1e-12, "{method} with {solver} on {engine}: {got}");
            }
        }
    }
}

/// Neither a not-a-number nor an infinity stays when it has left the window.
#[test]
fn a_window_forgets_what_has_left_it() {
    let input = [1.0, f64::NAN, f64::INFINITY, 3.0, 5.0, 7.0];
    for (block, last) in [("Statistics/Moving Average", 6.0), ("Statistics/Moving RMS", f64::sqrt(37.0))] {
        for (engine, got) in traces(block, &[("Window", &["2"])], 1.0, &[("Input", &input)], "Output", 6) {
            assert!(
                got[1].is_nan()
                    && !got[3].is_finite()
                    && is_close(got[4] * got[4], if last == 6.0 { 16.0 } else { 17.0 })
            );
            assert!(is_close(got[5], last), "{block} on {engine}: {got:?}");
        }
    }
}
