//! Conventions that blocks share: edges, the time before the first sample, and signals at the instants where they jump.
//! All expected values are worked out by hand from the definitions.

use super::blocks::traces;
use crate::sketch::{Run, Sketch};

type Options<'a> = &'a [(&'a str, &'a [&'a str])];

/// The first output of a block has these bits on every engine.
#[track_caller]
fn check(block: &str, options: Options, delta: f64, inputs: &[(&str, &[f64])], want: &[f64]) {
    for (engine, got) in traces(block, options, delta, inputs, "Output", want.len()) {
        assert_eq!(got, want, "{block} {options:?} on {engine}");
    }
}

/// The control has edges at steps 1 (−1 → 1), 2 (1 → 0), 4 (0 → 2) and 6 (2 → −3); 0 → −1 at step 3 is none.
const CONTROL: [f64; 8] = [-1.0, 1.0, 0.0, -1.0, 2.0, 2.0, -3.0, 0.0];

/// Rising is old ≤ 0 and new > 0, falling is old > 0 and new ≤ 0, either is one of them: for all blocks that are reset.
#[test]
fn every_reset_has_the_same_edges() {
    let resets = [("rising", [1, 4, 99, 99]), ("falling", [2, 6, 99, 99]), ("either", [1, 2, 4, 6])];
    for (kind, edges) in resets {
        // An accumulator of ones: the number of steps since the last reset.
        let mut count = 0.0;
        let sums = std::array::from_fn::<f64, 8, _>(|step| {
            count = if edges.contains(&step) { 0.0 } else { count };
            count += 1.0;
            count - 1.0
        });
        let ones: &[f64] = &[1.0; 8];
        for block in ["Continuous/Integrator", "Discrete/Discrete-Time Integrator"] {
            check(block, &[("Reset", &[kind])], 1.0, &[("Input", ones), ("Reset", &CONTROL)], &sums);
        }
        for block in ["Continuous/PID Controller", "Discrete/Discrete PID Controller"] {
            let options: Options = &[("P", &["0"]), ("I", &["1"]), ("D", &["0"]), ("Reset", &[kind])];
            check(block, options, 1.0, &[("Error", ones), ("Reset", &CONTROL)], &sums);
        }
        // A delay of one step of ones: 0 at a reset, since what it held is cleared.
        let held = std::array::from_fn::<f64, 8, _>(|step| if step == 0 || edges.contains(&step) { 0.0 } else { 1.0 });
        let options: Options = &[("Length", &["1"]), ("Reset", &[kind])];
        check("Discrete/Delay", options, 1.0, &[("Input", ones), ("Reset", &CONTROL)], &held);
    }
}

#[test]
fn samplers_and_counters_have_the_same_edges() {
    let times: [f64; 8] = std::array::from_fn(|step| 10.0 + step as f64);
    // In the first step the control is not above 0, so that no rule for the time before matters.
    check(
        "Discrete/Sample and Hold",
        &[("Edge", &["falling"])],
        1.0,
        &[("Input", &times), ("Trigger", &CONTROL)],
        &[0.0, 0.0, 12.0, 12.0, 12.0, 12.0, 16.0, 16.0],
    );
    check(
        "Discrete/Sample and Hold",
        &[("Edge", &["either"])],
        1.0,
        &[("Input", &times), ("Trigger", &CONTROL)],
        &[0.0, 11.0, 12.0, 12.0, 14.0, 14.0, 16.0, 16.0],
    );
    let zeros = [0.0; 8];
    check(
        "Logic/Event Counter",
        &[("Edge", &["falling"])],
        1.0,
        &[("Input", &CONTROL), ("Reset", &zeros)],
        &[0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0],
    );
}

/// What is high from the beginning has not risen: an edge needs a value before.
#[test]
fn there_is_no_edge_in_the_first_step() {
    let (high, falls) = ([1.0; 4], [1.0, 0.0, 0.0, 1.0]);
    let (times, zeros, ones) = ([10.0, 11.0, 12.0, 13.0], [0.0; 4], [1.0; 4]);
    for edge in ["rising", "either"] {
        let options: Options = &[("Edge", &[edge])];
        check("Discrete/Sample and Hold", options, 1.0, &[("Input", &times), ("Trigger", &high)], &zeros);
        check("Logic/Event Counter", options, 1.0, &[("Input", &high), ("Reset", &zeros)], &zeros);
    }
    let options: Options = &[("Edge", &["rising"])];
    check("Discrete/Sample and Hold", options, 1.0, &[("Input", &times), ("Trigger", &falls)], &[0.0, 0.0, 0.0, 13.0]);
    check("Logic/Frequency Divider", &[], 1.0, &[("Input", &high)], &zeros);
    for (engine, got) in
        traces("Logic/D Flip-Flop", &[], 1.0, &[("D", &ones), ("Clock", &high), ("!CLR", &ones)], "Q", 4)
    {
        assert_eq!(got, zeros, "a flip-flop on {engine}");
    }
}

/// Before the first sample of a block with an offset its output is the initial value.
#[test]
fn a_sampled_block_begins_with_its_initial_value() {
    let inputs: [f64; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    // Hits at steps 2 and 5.
    let sampled: [(&str, &[&str]); 3] = [("Initial Value", &["7"]), ("Sample Time", &["3"]), ("Sample Offset", &["2"])];
    let with = |more: &[(&'static str, &'static [&'static str])]| {
        sampled.iter().chain(more).copied().collect::<Vec<(&str, &[&str])>>()
    };
    let input = [("Input", &inputs[..])];
    check("Discrete/Unit Delay", &with(&[]), 1.0, &input, &[7.0, 7.0, 7.0, 7.0, 7.0, 3.0]);
    check("Discrete/Delay", &with(&[("Length", &["1"])]), 1.0, &input, &[7.0, 7.0, 7.0, 7.0, 7.0, 3.0]);
    // Forward: 7 at the first sample, then 7 + 3 s · 3.
    check("Discrete/Discrete-Time Integrator", &with(&[]), 1.0, &input, &[7.0, 7.0, 7.0, 7.0, 7.0, 16.0]);
    // Backward: 7 + 3 s · 3 at the first sample, then 18 more.
    let backward = with(&[("Method", &["backward"])]);
    check("Discrete/Discrete-Time Integrator", &backward, 1.0, &input, &[7.0, 7.0, 16.0, 16.0, 16.0, 34.0]);
}

#[test]
fn a_signal_generator_is_exact_at_its_corners() {
    let wave = |wave: &'static str| [("Wave", vec![wave])];
    for (name, want) in [
        ("sawtooth", [-1.0, -0.5, 0.0, 0.5, -1.0]),
        ("triangle", [-1.0, 0.0, 1.0, 0.0, -1.0]),
        ("square", [-1.0, -1.0, 1.0, 1.0, -1.0]),
    ] {
        let options = wave(name);
        let options: Vec<(&str, &[&str])> = options.iter().map(|(name, texts)| (*name, &texts[..])).collect();
        check("Var/Signal Generator", &options, 0.25, &[], &want);
    }
}

/// sin(2π·(10⁶ + ½)) is 0; with 2π·t rounded it would be off by a millionth of a millionth of a turn, times 10⁶.
#[test]
fn a_sine_of_a_million_turns_is_exact() {
    let mut run = Sketch::new(1_000_000.5)
        .block(0, "Var/Signal Generator", &[])
        .block(1, "exit y", &[])
        .wire("0.Output", "1.Input")
        .run();
    let got = run.trace("y", 2)[1];
    assert!(got.abs() < 2e-16, "{got}");
}

/// A delay that is shorter than a step: at time 0 nothing has arrived.
#[test]
fn a_short_delay_begins_with_its_initial_value() {
    let options: Options = &[("Delay", &["0.25"]), ("Initial Value", &["7"])];
    // From step 1 on: three quarters of the way from the input before to this one.
    check("Continuous/Transport Delay", options, 1.0, &[("Input", &[4.0, 8.0, 16.0])], &[7.0, 7.0, 14.0]);
}

/// Where the neighbours' slopes agree on both sides, Akima's slope is their mean: a line stays a line.
#[test]
fn both_akima_splines_keep_a_line() {
    for method in ["akima", "makima"] {
        let options: Options = &[
            ("Breakpoints", &["0", "1", "2", "3", "4"]),
            ("Table", &["0", "2", "4", "6", "8"]),
            ("Interpolation", &[method]),
        ];
        check("Lookup/1-D Lookup Table", options, 1.0, &[("Input", &[0.5, 1.75, 3.25])], &[1.0, 3.5, 6.5]);
    }
}

/// Just below a breakpoint an input is in the interval before it, however near it is: −10⁻²⁰ is below 0, and the fraction
/// of the way from −1 would be rounded to 1.
#[test]
fn an_input_just_below_a_breakpoint_is_before_it() {
    let below = f64::from_bits(1.0_f64.to_bits() - 1);
    let inputs = [-1e-20, -5e-324, 0.0, below, 1.0, 2.0, -1.0, -2.0];
    let want = [10.0, 10.0, 20.0, 20.0, 30.0, 30.0, 10.0, 10.0];
    let points: Options = &[("Breakpoints", &["-1", "0", "1"]), ("Table", &["10", "20", "30"])];
    let flat = [points, &[("Interpolation", &["flat"])]].concat();
    check("Lookup/1-D Lookup Table", &flat, 1.0, &[("Input", &inputs)], &want);
    for (output, want) in [("Index", [0.0, 0.0, 1.0, 1.0, 1.0]), ("Fraction", [below, below, 0.0, below, 1.0])] {
        for (engine, got) in traces("Lookup/Prelookup", &points[..1], 1.0, &[("Input", &inputs)], output, 5) {
            assert_eq!(got, want, "{output} on {engine}");
        }
    }
    check_dynamic("below", &["-1", "0", "1"], &["10", "20", "30"], &inputs, &want);
    let above = [20.0, 20.0, 20.0, 30.0, 30.0, 30.0, 10.0, 10.0];
    check_dynamic("above", &["-1", "0", "1"], &["10", "20", "30"], &inputs, &above);
    check_dynamic("above", &["0", "1e10"], &["10", "20"], &[5e-324, 0.0], &[20.0, 10.0]);
}

/// The output of the table whose breakpoints are signals has these bits on every engine.
#[track_caller]
fn check_dynamic(kind: &str, points: &[&str], table: &[&str], inputs: &[f64], want: &[f64]) {
    for (input, want) in inputs.iter().zip(want) {
        let sketch = Sketch::new(1.0)
            .block(0, "Var/Static", &[("Value", &[&input.to_string()])])
            .block(1, "Var/Static", &[("Value", points)])
            .block(2, "Var/Static", &[("Value", table)])
            .block(3, "Lookup/Lookup Table Dynamic", &[("Interpolation", &[kind])])
            .block(4, "exit y", &[])
            .wires("Main", &[("0.Output", "3.Input"), ("1.Output", "3.Breakpoints"), ("2.Output", "3.Table")])
            .wires("Main", &[("3.Output", "4.Input")]);
        for engine in ["simple", "flat", "compiled"] {
            let got = Run::new(&sketch.simulation, engine).steps(1).exit("y")[0];
            assert!(got == *want || got.is_nan() && want.is_nan(), "{kind} of {input} on {engine}: {got}, not {want}");
        }
    }
}

/// Two equal breakpoints are a jump: at it the value behind it counts, just before it the one before; at an end of the
/// table what is outside of it has the value there.
#[test]
fn a_table_jumps_where_two_breakpoints_are_equal() {
    let below = f64::from_bits(1.0_f64.to_bits() - 1);
    type Case<'a> = (&'a [&'a str], &'a [&'a str], &'a [f64], &'a [(&'a str, &'a str, &'a [f64])]);
    let within: Case = (
        &["0", "1", "1", "2"],
        &["0", "1", "5", "7"],
        &[0.5, below, 1.0, 1.5, 2.0, 3.0, -1.0],
        &[
            ("linear", "clip", &[0.5, below, 5.0, 6.0, 7.0, 7.0, 0.0]),
            ("linear", "extrapolate", &[0.5, below, 5.0, 6.0, 7.0, 9.0, -1.0]),
            ("flat", "clip", &[0.0, 0.0, 5.0, 5.0, 7.0, 7.0, 0.0]),
            ("nearest", "clip", &[1.0, 1.0, 5.0, 7.0, 7.0, 7.0, 0.0]),
        ],
    );
    let at_ends: Case = (
        &["0", "0", "1", "1"],
        &["3", "4", "5", "1e20"],
        &[-1.0, -5e-324, 0.0, 0.5, 1.0, 2.0],
        &[
            ("linear", "clip", &[3.0, 3.0, 4.0, 4.5, 1e20, 1e20]),
            ("linear", "extrapolate", &[3.0, 3.0, 4.0, 4.5, 1e20, 1e20]),
            ("flat", "clip", &[3.0, 3.0, 4.0, 4.0, 1e20, 1e20]),
            ("nearest", "extrapolate", &[3.0, 3.0, 4.0, 5.0, 1e20, 1e20]),
        ],
    );
    let alone: Case = (&["1", "1"], &["1e20", "1"], &[below, 1.0, 9.0], &[("linear", "clip", &[1e20, 1.0, 1.0])]);
    for (points, table, inputs, curves) in [within, at_ends, alone] {
        for &(method, outside, want) in curves {
            let options: Options = &[
                ("Breakpoints", points),
                ("Table", table),
                ("Interpolation", &[method]),
                ("Extrapolation", &[outside]),
            ];
            check("Lookup/1-D Lookup Table", options, 1.0, &[("Input", inputs)], want);
            for (engine, got) in traces("Lookup/1-D Lookup Table", options, 1.0, &[("Input", &[f64::NAN])], "Output", 1)
            {
                assert!(got[0].is_nan(), "{points:?} {method} on {engine}: {got:?}");
            }
        }
        let (linear, kinds) = (curves[0].2, ["linear within", "below", "nearest"]);
        let wanted =
            [linear, curves.get(2).map_or(linear, |curve| curve.2), curves.get(3).map_or(linear, |curve| curve.2)];
        for (kind, want) in kinds.into_iter().zip(wanted) {
            check_dynamic(kind, points, table, inputs, want);
            check_dynamic(kind, points, table, &[f64::NAN], &[f64::NAN]);
        }
    }
    // The rows of a map jump, its columns are 0 and 1.
    let map: Options =
        &[("Breakpoints 1", &["0", "0"]), ("Breakpoints 2", &["0", "1"]), ("Table", &["1", "2", "3", "4"])];
    let inputs = [("Input 1", &[-1.0, 0.0, 0.0][..]), ("Input 2", &[0.5, 0.5, 1.0])];
    check("Lookup/2-D Lookup Table", map, 1.0, &inputs, &[1.5, 3.5, 4.0]);
    let curve: Options = &[("Times", &["0", "1", "1", "2"]), ("Values", &["0", "1", "5", "7"])];
    check("Var/Piecewise", curve, 0.5, &[], &[0.0, 0.5, 5.0, 6.0, 7.0]);
}

/// An index that is not-a-number selects no element.
#[test]
fn a_direct_lookup_passes_not_a_number_on() {
    let options: Options = &[("Sizes", &["2", "2"]), ("Table", &["1", "2", "3", "4"])];
    let inputs = [("Index 1", &[0.0, f64::NAN, 1.0, 1.0][..]), ("Index 2", &[1.0, 1.0, f64::NAN, 9.0])];
    for (engine, got) in traces("Lookup/Direct Lookup Table", options, 1.0, &inputs, "Output", 4) {
        let texts: Vec<String> = got.iter().map(f64::to_string).collect();
        assert_eq!(texts, ["2", "NaN", "NaN", "4"], "{engine}");
    }
}
