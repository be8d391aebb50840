//! Repeated structure of every length, as loops, unrolled or as a rest, on every engine and solver.

use simulate::engine::{Samples, is_unset};

use crate::sketch::{Run, Sketch};

const SOLVERS: [&str; 3] = ["euler", "heun", "rk4"];

/// Runs a simulation on all engines, in calls of several lengths; the context must equal that of the reference after
/// each.
fn check(sketch: &Sketch, what: &str) {
    let mut runs = ["simple", "flat", "compiled"].map(|engine| Run::new(&sketch.simulation, engine));
    let exits: Vec<_> = runs[0].program.exits().into_iter().map(|(_, _, output)| output).collect();
    for count in [1, 2, 130, 64, 3] {
        let results = runs.each_mut().map(|run| {
            let mut samples = Samples::new(exits.iter().copied());
            run.watched_steps(count, &mut samples);
            let context = &run.context;
            let lanes = [&context.values, &context.discrete, &context.continuous, &context.history];
            let samples = samples.watches().iter().flat_map(|watch| &watch.values);
            lanes.into_iter().flatten().chain(samples).map(|value| bits(*value)).collect::<Vec<_>>()
        });
        assert_eq!(results[1], results[0], "{what}, flat, {count} steps");
        assert_eq!(results[2], results[0], "{what}, compiled, {count} steps");
    }
    assert!(runs[2].runs_machine_code(), "{what}: nothing but the interpreter ran");
}

fn bits(value: f64) -> u64 {
    if value.is_nan() && !is_unset(value) { f64::NAN.to_bits() } else { value.to_bits() }
}

fn each_length(mut check: impl FnMut(usize, &str)) {
    for solver in SOLVERS {
        for length in [1, 2, 7, 8, 9, 16, 17, 18, 19, 33] {
            check(length, solver);
        }
    }
}

/// Parallel branches of wave, gain and integrator, summed; the sum feeds all branches.
#[test]
fn branches_are_packed() {
    each_length(|length, solver| {
        let mut sketch =
            Sketch::new(0.01).solver(solver).block(0, "Math/Sum", &[("Signs", &["+".repeat(length).as_str()])]);
        sketch = sketch.block(1, "exit y", &[]).wire("0.Output", "1.Input");
        for branch in 0..length {
            let [wave, sum, state] = [10, 11, 12].map(|id| id + 10 * branch as u64);
            let frequency = (0.5 + branch as f64).to_string();
            sketch = sketch
                .block(wave, "Var/Sine", &[("Frequency", &[frequency.as_str()])])
                .block(sum, "Math/Sum", &[("Signs", &["+-"])])
                .block(state, "Math/Integrate", &[])
                .wire(&format!("{wave}.Output"), &format!("{sum}.Input 1"))
                .wire("0.Output", &format!("{sum}.Input 2"))
                .wire(&format!("{sum}.Output"), &format!("{state}.Input"))
                .wire(&format!("{state}.Output"), &format!("0.Input {}", branch + 1));
        }
        check(&sketch, &format!("{length} branches, {solver}"));
    });
}

/// Equal blocks of vectors beside each other, all of whose values are vectors: they are no packs of single values.
#[test]
fn vectors_beside_each_other_stay_vectors() {
    each_length(|length, solver| {
        let mut sketch =
            Sketch::new(0.1).solver(solver).block(0, "Math/Sum", &[("Signs", &["+".repeat(length).as_str()])]);
        sketch = sketch.block(1, "exit y", &[]).wire("0.Output", "1.Input");
        for branch in 0..length as u64 {
            let (source, gain, state) = (10 + branch, 100 + branch, 200 + branch);
            let values = [branch.to_string(), "0.5".to_owned(), (2 * branch).to_string()];
            let values = values.each_ref().map(String::as_str);
            sketch = sketch
                .block(source, "Var/Static", &[("Value", &values)])
                .block(gain, "Math/Gain", &[("Gain", &["3", "-2", values[0]])])
                .block(state, "Discrete/Unit Delay", &[("Initial Value", &["0", values[0], "1"])])
                .wire(&format!("{source}.Output"), &format!("{gain}.Input"))
                .wire(&format!("{gain}.Output"), &format!("{state}.Input"))
                .wire(&format!("{state}.Output"), &format!("0.Input {}", branch + 1));
        }
        check(&sketch, &format!("{length} vectors, {solver}"));
    });
}

/// A chain of delays with taps, and the sum of the taps in reverse order, so that the cells are not in order.
#[test]
fn delays_in_a_row_hand_on() {
    each_length(|length, solver| {
        let mut sketch = Sketch::new(0.1).solver(solver).block(0, "Var/Sine", &[]);
        sketch = sketch.block(1, "Math/Sum", &[("Signs", &["+".repeat(length).as_str()])]);
        sketch = sketch.block(2, "exit y", &[]).wire("1.Output", "2.Input");
        let mut last = "0.Output".to_owned();
        for tap in 0..length as u64 {
            let (delay, gain) = (10 + 2 * tap, 11 + 2 * tap);
            sketch = sketch
                .block(delay, "Discrete/Unit Delay", &[("Initial Value", &[tap.to_string().as_str()])])
                .block(gain, "Math/Gain", &[("Gain", &[(tap as f64 / 3.0).to_string().as_str()])])
                .wire(&last, &format!("{delay}.Input"))
                .wire(&format!("{delay}.Output"), &format!("{gain}.Input"))
                .wire(&format!("{gain}.Output"), &format!("1.Input {}", length as u64 - tap));
            last = format!("{delay}.Output");
        }
        check(&sketch, &format!("{length} delays, {solver}"));
    });
}

/// Vectors through every kind of block that processes them, folded at the end.
#[test]
fn vectors_are_loops() {
    each_length(|width, solver| {
        let values: Vec<String> = (0..width).map(|lane| (lane as f64 - 3.5).to_string()).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let sketch = Sketch::new(0.01)
            .solver(solver)
            .block(0, "Var/Static", &[("Value", &values)])
            .block(1, "Math/Integrate", &[])
            .block(2, "Math/Sum", &[("Signs", &["+-"])])
            .block(3, "Nonlinear/Relay", &[])
            .block(4, "Math/Sum", &[("Signs", &["+"])])
            .block(5, "Var/Noise", &[("Mean", &values)])
            .block(6, "Routing/Mux", &[])
            .block(7, "exit y", &[])
            .block(8, "exit z", &[])
            .block(9, "Math/Integrate", &[])
            .block(10, "Nonlinear/Relay", &[("Switch Off", &["0.2"])])
            .block(11, "Math/Integrate", &[])
            .wire("9.Output", "10.Input")
            .wire("10.Output", "11.Input")
            .wire("0.Output", "2.Input 1")
            .wire("1.Output", "2.Input 2")
            .wire("2.Output", "1.Input")
            .wire("2.Output", "3.Input")
            .wire("1.Output", "6.Input 1")
            .wire("5.Output", "6.Input 2")
            .wire("6.Output", "4.Input 1")
            .wire("4.Output", "7.Input")
            .wire("3.Output", "9.Input")
            .wire("11.Output", "8.Input");
        check(&sketch, &format!("{width} lanes, {solver}"));
    });
}

/// Elements in reverse order, beside those in order: few are gathered without a loop, many in one. The states have no
/// rounding, so that the differences are those of their rates times the number of steps.
#[test]
fn gathered_elements_are_those_of_their_indices() {
    for width in [2, 3, 8, 9, 40, 100, 201, 450] {
        let rates: Vec<String> = (1..=width).map(|rate| rate.to_string()).collect();
        let indices: Vec<String> = rates.iter().rev().cloned().collect();
        let [rates, indices] = [&rates, &indices].map(|texts| texts.iter().map(String::as_str).collect::<Vec<_>>());
        let sketch = Sketch::new(0.25)
            .solver("euler")
            .block(0, "Var/Static", &[("Value", &rates)])
            .block(1, "Math/Integrate", &[])
            .block(2, "Routing/Selector", &[("Indices", &indices)])
            .block(3, "Math/Sum", &[("Signs", &["+-"])])
            .block(4, "exit y", &[])
            .wire("0.Output", "1.Input")
            .wire("1.Output", "2.Input")
            .wire("2.Output", "3.Input 1")
            .wire("1.Output", "3.Input 2")
            .wire("3.Output", "4.Input");
        check(&sketch, &format!("{width} elements"));
        let steps = 101;
        let difference = |element: usize| (width as f64 - 1.0 - 2.0 * element as f64) * 0.25 * (steps - 1) as f64;
        let want: Vec<f64> = (0..width).map(difference).collect();
        for engine in ["flat", "compiled"] {
            assert_eq!(Run::new(&sketch.simulation, engine).steps(steps).exit("y"), want, "{width} elements, {engine}");
        }
    }
}

/// Time alone decides whether a state grows by 1 or is halved, each for some steps in a row.
#[test]
fn a_pulse_decides_for_some_steps() {
    for half in [1, 2, 3, 5, 64] {
        let period = (0.5 * half as f64).to_string();
        let sketch = Sketch::new(0.25)
            .solver("euler")
            .block(0, "Var/Pulse", &[("Period", &[&period])])
            .block(1, "Routing/Switch", &[("Threshold", &["0.5"])])
            .block(2, "Math/Integrate", &[])
            .block(3, "Var/Static", &[("Value", &["4"])])
            .block(4, "Math/Gain", &[("Gain", &["-2"])])
            .block(5, "exit x", &[])
            .wire("3.Output", "1.Input 1")
            .wire("0.Output", "1.Control")
            .wire("4.Output", "1.Input 2")
            .wire("1.Output", "2.Input")
            .wire("2.Output", "4.Input")
            .wire("2.Output", "5.Input");
        check(&sketch, &format!("{half} steps each"));
        let next = |(step, x): &(u64, f64)| Some((step + 1, if step / half % 2 == 0 { x + 1.0 } else { x / 2.0 }));
        let want: Vec<f64> = std::iter::successors(Some((0, 0.0)), next).map(|(_, x)| x).take(400).collect();
        for engine in ["flat", "compiled"] {
            let mut run = Run::new(&sketch.simulation, engine);
            let mut samples = Samples::new(run.program.exits().into_iter().map(|(_, _, output)| output));
            run.watched_steps(400, &mut samples);
            assert_eq!(samples.watches()[0].values, want, "{half} steps each, {engine}");
        }
    }
}

/// Instances of a model of two equal branches; the instances are rows, the branches are not.
#[test]
fn instances_are_rows() {
    each_length(|length, solver| {
        let mut sketch = Sketch::new(0.01).solver(solver).block_in("Leaf", 0, "entry u", &[]);
        for state in [1, 2] {
            sketch = sketch.block_in("Leaf", state, "Math/Integrate", &[("Initial Value", &["1"])]);
            sketch = sketch.block_in("Leaf", 10 + state, "Math/Sum", &[("Signs", &["+-"])]);
            sketch = sketch.wire_in("Leaf", &format!("{}.Output", 10 + state), &format!("{state}.Input"));
            sketch = sketch.wire_in("Leaf", &format!("{state}.Output"), &format!("{}.Input 2", 10 + state));
        }
        sketch = sketch
            .block_in("Leaf", 3, "exit y", &[])
            .wire_in("Leaf", "0.Output", "11.Input 1")
            .wire_in("Leaf", "1.Output", "12.Input 1")
            .wire_in("Leaf", "2.Output", "3.Input")
            .block(0, "Var/Sine", &[])
            .block(1, "Math/Sum", &[("Signs", &["+".repeat(length).as_str()])])
            .block(2, "exit y", &[])
            .wire("1.Output", "2.Input");
        for number in 0..length as u64 {
            let (gain, part) = (10 + 2 * number, 11 + 2 * number);
            sketch = sketch
                .block(gain, "Math/Gain", &[("Gain", &[number.to_string().as_str()])])
                .block(part, "model Leaf", &[])
                .wire("0.Output", &format!("{gain}.Input"))
                .wire(&format!("{gain}.Output"), &format!("{part}.u"))
                .wire(&format!("{part}.y"), &format!("1.Input {}", number + 1));
        }
        check(&sketch, &format!("{length} uses, {solver}"));
    });
}

/// So many instructions that they are cut into functions; a state closes the loop, which has a vector and a call, and a
/// conditional model reads it.
#[test]
fn long_steps_are_cut() {
    const LENGTH: u64 = 3400;
    for solver in ["euler", "heun"] {
        let length = if solver == "euler" { LENGTH } else { LENGTH / 2 };
        let mut sketch = Sketch::new(0.01).solver(solver).block(0, "Math/Integrate", &[("Initial Value", &["1"])]);
        let mut ends = vec![0];
        for link in 1..=length {
            let id = 100 + link;
            let before = ends[ends.len() - 1];
            let far = ends[ends.len().saturating_sub(1000)];
            sketch = match link % 500 {
                0 => sketch
                    .block(id, "Math/Function", &[("Function", &["exp"])])
                    .wire(&format!("{before}.Output"), &format!("{id}.Input")),
                1 => {
                    let values: Vec<String> = (0..20).map(|lane| (f64::from(lane) / 400.0).to_string()).collect();
                    let values: Vec<&str> = values.iter().map(String::as_str).collect();
                    let (gain, total) = (10_000 + link, id);
                    sketch
                        .block(gain, "Math/Gain", &[("Gain", &values)])
                        .block(total, "Math/Sum", &[("Signs", &["+"])])
                        .wire(&format!("{before}.Output"), &format!("{gain}.Input"))
                        .wire(&format!("{gain}.Output"), &format!("{total}.Input 1"))
                }
                _ => sketch
                    .block(id, "Math/Sum", &[("Signs", &[if link % 3 == 0 { "+-" } else { "-+" }])])
                    .wire(&format!("{before}.Output"), &format!("{id}.Input 1"))
                    .wire(&format!("{far}.Output"), &format!("{id}.Input 2")),
            };
            ends.push(id);
        }
        let last = ends[ends.len() - 1];
        let mut sketch = sketch
            .block(1, "Math/Trigonometry", &[])
            .block(2, "exit y", &[])
            .block(3, "model Part", &[])
            .block(4, "exit z", &[])
            .wire(&format!("{last}.Output"), "1.Input")
            .wire("1.Output", "0.Input")
            .wire(&format!("{last}.Output"), "2.Input")
            .wire(&format!("{}.Output", 100 + length / 2), "3.u")
            .wire("0.Output", "3.on")
            .wire("3.y", "4.Input")
            .block_in("Part", 0, "entry u", &[])
            .block_in("Part", 1, "entry on", &[])
            .block_in("Part", 2, "Math/Gain", &[("Gain", &["3"])])
            .block_in("Part", 3, "exit y", &[])
            .wire_in("Part", "0.Output", "2.Input")
            .wire_in("Part", "2.Output", "3.Input");
        let part = sketch.simulation.model_mut("Part").expect("the model");
        part.block_mut(simulate::model::BlockId(1)).expect("the entry").attributes.set("role", "enable");
        check(&sketch, &format!("{length} in a row, {solver}"));
    }
}

/// Values that depend on no state are precomputed for a batch of steps.
#[test]
fn values_without_a_state_are_precomputed() {
    each_length(|length, solver| {
        let mut sketch = Sketch::new(0.01).solver(solver).block(0, "Var/Pulse", &[]).block(1, "Math/Integrate", &[]);
        let mut last = 0;
        for link in 10..10 + length as u64 {
            let what = if link % 3 == 0 { "Math/Function" } else { "Math/Gain" };
            sketch = sketch.block(link, what, &[]).wire(&format!("{last}.Output"), &format!("{link}.Input"));
            last = link;
        }
        let sketch =
            sketch.block(2, "exit y", &[]).wire(&format!("{last}.Output"), "1.Input").wire("1.Output", "2.Input");
        check(&sketch, &format!("{length} links, {solver}"));
    });
}

/// Delays of equal adjacent blocks, which are not read before the end of the run.
#[test]
fn delays_that_nobody_reads_keep_what_they_delay() {
    let mut sketch = Sketch::new(0.1).block(99, "Var/Clock", &[]);
    for branch in 0..8 {
        let (gain, delay, exit) = (branch, 10 + branch, 20 + branch);
        sketch = sketch
            .block(gain, "Math/Gain", &[("Gain", &["2"])])
            .block(delay, "Discrete/Unit Delay", &[])
            .block(exit, &format!("exit y{branch}"), &[])
            .wire("99.Output", &format!("{gain}.Input"))
            .wire(&format!("{gain}.Output"), &format!("{delay}.Input"))
            .wire(&format!("{delay}.Output"), &format!("{exit}.Input"));
    }
    for engine in ["simple", "flat", "compiled"] {
        let mut run = Run::new(&sketch.simulation, engine);
        run.steps(1).steps(70);
        for branch in 0..8 {
            // One step before the last, the 71st, whose time is 7 s.
            let got = run.exit(&format!("y{branch}"))[0];
            assert!((got - 13.8).abs() < 1e-12, "{engine}: {got}");
        }
    }
}

/// Sums of terms that change and of constant ones, whose cells are adjacent: the sum changes with any of them.
#[test]
fn a_sum_changes_with_each_of_its_terms() {
    const COUNT: u64 = 7;
    for (is_constant_first, source) in [(false, "delay"), (true, "delay"), (false, "counter"), (true, "counter")] {
        // The ids of seven gains of a counter, and of seven biases of a constant.
        let (gains, biases) = if is_constant_first { (30, 20) } else { (20, 30) };
        let mut sketch = Sketch::new(0.1)
            .block(2, "Var/Static", &[("Value", &["0.25"])])
            .block(3, "Math/Sum", &[("Signs", &[&"+".repeat(2 * COUNT as usize)])])
            .block(4, "Math/Integrate", &[])
            .block(5, "exit y", &[])
            .wires("Main", &[("3.Output", "4.Input"), ("3.Output", "5.Input")]);
        sketch = match source {
            "delay" => sketch
                .block(0, "Discrete/Unit Delay", &[])
                .block(1, "Math/Bias", &[("Bias", &["1"])])
                .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "0.Input")]),
            _ => sketch.block(0, "Var/Counter", &[("Upper Limit", &["1000"])]),
        };
        for number in 0..COUNT {
            sketch = sketch
                .block(gains + number, "Math/Gain", &[("Gain", &[&format!("1.{number}")])])
                .block(biases + number, "Math/Bias", &[("Bias", &[&number.to_string()])])
                .wire("0.Output", &format!("{}.Input", gains + number))
                .wire("2.Output", &format!("{}.Input", biases + number));
        }
        for term in 0..2 * COUNT {
            sketch = sketch
                .wire(&format!("{}.Output", 20 + term % COUNT + term / COUNT * 10), &format!("3.Input {}", term + 1));
        }
        check(&sketch, &format!("{source}, constant terms {}", if is_constant_first { "first" } else { "last" }));
    }
}

/// A vector of states is updated before the last instruction of the loop that reads the old ones.
#[test]
fn a_loop_reads_states_before_it_updates_them() {
    for width in [5, 8, 9, 19] {
        let values: Vec<String> = (0..width).map(|element| format!("0.{element}")).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let sketch = Sketch::new(0.1)
            .block(0, "Discrete/Unit Delay", &[("Initial Value", &values)])
            .block(1, "Math/Gain", &[("Gain", &["-0.75"])])
            .block(2, "Math/Bias", &[("Bias", &["1"])])
            .block(3, "Math/Gain", &[("Gain", &["2"])])
            .block(4, "Discrete/Unit Delay", &[("Initial Value", &values)])
            .block(5, "exit y", &[])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "0.Input")])
            .wires("Main", &[("0.Output", "3.Input"), ("3.Output", "4.Input"), ("4.Output", "5.Input")]);
        check(&sketch, &format!("{width} elements"));
    }
}

/// Functions are called once in a step, whatever they read.
#[test]
fn functions_of_constants_run_in_each_step() {
    let signs = "+".repeat(9);
    let mut sketch = Sketch::new(0.1)
        .block(0, "Var/Static", &[("Value", &["3"])])
        .block(1, "Math/Sum", &[("Signs", &[&signs])])
        .block(2, "Discrete/Unit Delay", &[])
        .block(3, "exit y", &[])
        .wires("Main", &[("1.Output", "2.Input"), ("2.Output", "1.Input 9"), ("1.Output", "3.Input")]);
    for number in 0..8 {
        let id = 10 + number;
        sketch = sketch
            .block(id, "Matrix/Singular Values", &[])
            .wire("0.Output", &format!("{id}.Input"))
            .wire(&format!("{id}.Output"), &format!("1.Input {}", number + 1));
    }
    check(&sketch, "functions");
}

/// Sections of second order in a row, after a chaotic signal (the logistic map): recurrences, which are executed for a
/// batch of steps. What is between them and behind them is watched and delayed.
#[test]
fn sections_in_a_row_are_recurrences() {
    for length in [1, 4, 5, 6, 11, 24, 33] {
        let mut sketch = Sketch::new(0.01)
            .block(0, "Discrete/Unit Delay", &[("Initial Value", &["0.3"])])
            .block(1, "Math/Bias", &[("Bias", &["-1"])])
            .block(2, "Math/Multiply", &[])
            .block(3, "Math/Gain", &[("Gain", &["-3.99"])])
            .wires(
                "Main",
                &[("0.Output", "1.Input"), ("0.Output", "2.Multiplicand 1"), ("1.Output", "2.Multiplicand 2")],
            )
            .wires("Main", &[("2.Product", "3.Input"), ("3.Output", "0.Input")]);
        let mut last = 3;
        for section in 0..length {
            let id = |number: u64| 10 + 20 * section + number;
            let factor = |number: u64| (0.05 + 0.37 * ((7 * section + 3 * number) % 11) as f64 / 11.0).to_string();
            for (gain, number) in [3, 4, 5, 6, 7].into_iter().zip(0..) {
                sketch = sketch.block(id(gain), "Math/Gain", &[("Gain", &[factor(number).as_str()])]);
            }
            for delay in [0, 1] {
                sketch = sketch.block(id(delay), "Discrete/Unit Delay", &[("Initial Value", &[factor(9).as_str()])]);
            }
            for (sum, signs) in [(2, "++"), (8, "+-+"), (9, "+-")] {
                sketch = sketch.block(id(sum), "Math/Sum", &[("Signs", &[signs])]);
            }
            let wires = [
                (last, 3, "Input"),
                (last, 4, "Input"),
                (last, 5, "Input"),
                (id(3), 2, "Input 1"),
                (id(0), 2, "Input 2"),
                (id(2), 6, "Input"),
                (id(2), 7, "Input"),
                (id(4), 8, "Input 1"),
                (id(6), 8, "Input 2"),
                (id(1), 8, "Input 3"),
                (id(8), 0, "Input"),
                (id(5), 9, "Input 1"),
                (id(7), 9, "Input 2"),
                (id(9), 1, "Input"),
            ];
            for (from, to, input) in wires {
                sketch = sketch.wire(&format!("{from}.Output"), &format!("{}.{input}", id(to)));
            }
            last = id(2);
            // The half of it, delayed by a step and by two, with beginnings of their own.
            if section % 3 == 0 {
                let (gain, one, two, other) = (id(10), id(11), id(12), id(13));
                sketch = sketch
                    .block(gain, "Math/Gain", &[("Gain", &["0.5"])])
                    .block(one, "Discrete/Unit Delay", &[("Initial Value", &["0.7"])])
                    .block(two, "Discrete/Unit Delay", &[("Initial Value", &["-0.1"])])
                    .block(other, "Discrete/Unit Delay", &[("Initial Value", &["0.2"])])
                    .wire(&format!("{last}.Output"), &format!("{gain}.Input"));
                for (from, to) in [(gain, one), (one, two), (gain, other)] {
                    sketch = sketch.wire(&format!("{from}.Output"), &format!("{to}.Input"));
                }
                for (exit, from) in [(id(14), two), (id(15), other), (id(16), last)] {
                    sketch = sketch
                        .block(exit, &format!("exit y{exit}"), &[])
                        .wire(&format!("{from}.Output"), &format!("{exit}.Input"));
                }
            }
        }
        let sketch = sketch
            .block(4, "Math/Integrate", &[])
            .block(5, "exit y", &[])
            .wire(&format!("{last}.Output"), "4.Input")
            .wire("4.Output", "5.Input");
        check(&sketch, &format!("{length} sections"));
    }
}

/// Gates and their delayed results, whose initial values need not be 0 or 1.
#[test]
fn delayed_truths_begin_with_any_number() {
    for initial in ["0", "1", "0.5", "-0", "-3", "NaN"] {
        let mut sketch = Sketch::new(0.01)
            .block(0, "Var/Clock", &[])
            .block(1, "Math/Function", &[])
            .block(2, "Logic/Compare To Constant", &[("Operator", &[">"]), ("Constant", &["0.3"])])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
        let gates = ["AND", "OR", "NAND", "NOR", "XOR", "NXOR"];
        for (number, operator) in (0..).zip(gates) {
            let (gate, delay, exit) = (10 + number, 20 + number, 30 + number);
            sketch = sketch
                .block(gate, "Logic/Gate", &[("Operator", &[operator])])
                .block(delay, "Discrete/Unit Delay", &[("Initial Value", &[initial])])
                .block(exit, &format!("exit y{number}"), &[])
                .wire(&format!("{}.Output", 20 + (number + 1) % 6), &format!("{gate}.Input 1"))
                .wire(&format!("{}.Output", if number % 2 == 0 { 2 } else { delay }), &format!("{gate}.Input 2"))
                .wire(&format!("{gate}.Output"), &format!("{delay}.Input"))
                .wire(&format!("{delay}.Output"), &format!("{exit}.Input"));
        }
        // Delays of a delayed gate; and a ring of delays, which keeps what it begins with.
        for (from, delay) in [(20, 40), (40, 41), (41, 42), (44, 43), (43, 44)] {
            sketch = sketch
                .block(delay, "Discrete/Unit Delay", &[("Initial Value", &[initial])])
                .block(delay + 10, &format!("exit y{delay}"), &[])
                .wire(&format!("{from}.Output"), &format!("{delay}.Input"))
                .wire(&format!("{delay}.Output"), &format!("{}.Input", delay + 10));
        }
        check(&sketch, &format!("delays that begin with {initial}"));
    }
}
