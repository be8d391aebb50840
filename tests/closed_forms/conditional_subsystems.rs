//! Conditional parts of a model under solvers of variable step: they start and end where their condition changes, between
//! the steps of the grid too. All expected values are closed forms.

use simulate::engine::Context;

use crate::sketch::{Run, Sketch};

const SOLVERS: [&str; 3] = ["dopri45", "rodas34", "radau35"];
const ENGINES: [&str; 4] = ["simple", "flat", "compiled", "threaded"];
/// Seconds; the condition below changes between the points of each.
const GRIDS: [f64; 3] = [0.01, 0.5, 3.0];
const END: f64 = 21.0;

/// Compares exits with functions of the time on each engine, with each solver and grid; all engines have the same bits,
/// also where a checkpoint is continued.
#[track_caller]
fn check(sketch: impl Fn(f64) -> Sketch, exits: &[(&str, &dyn Fn(f64) -> f64)]) {
    check_on(&GRIDS, sketch, exits);
}

#[track_caller]
fn check_on(grids: &[f64], sketch: impl Fn(f64) -> Sketch, exits: &[(&str, &dyn Fn(f64) -> f64)]) {
    for solver in SOLVERS {
        for &delta in grids {
            let mut bits: Vec<Vec<u64>> = Vec::new();
            for engine in ENGINES {
                let mut sketch = sketch(delta).solver(solver);
                for (name, value) in [("rtol", "1e-9"), ("atol", "1e-11")] {
                    sketch.simulation.attributes.set(name, value);
                }
                let mut run = Run::new(&sketch.simulation, engine);
                let mut seen = Vec::new();
                let count = (END / delta) as u64;
                for step in 0..count {
                    if step == count / 2 {
                        let bytes = run.context.to_bytes(&run.program);
                        run = Run::new(&sketch.simulation, engine);
                        run.context = Context::from_bytes(&bytes, &run.program).expect("its own bytes");
                    }
                    run.steps(1);
                    let time = step as f64 * delta;
                    for (exit, want) in exits {
                        let (got, want) = (run.exit(exit)[0], want(time));
                        let is_near = (got - want).abs() < 1e-7 * (1.0 + want.abs());
                        assert!(is_near, "{solver}, {delta} s, {engine}: {exit} is {got} at {time} s, not {want}");
                        seen.push(got.to_bits());
                    }
                }
                seen.extend(run.context.values.iter().chain(&run.context.discrete).map(|value| value.to_bits()));
                // The same without a pause.
                let mut straight = Run::new(&sketch.simulation, engine);
                straight.steps(count);
                assert!(
                    straight.context.to_bytes(&straight.program) == run.context.to_bytes(&run.program),
                    "{solver}, {delta} s, {engine}: a checkpoint continues as the run"
                );
                bits.push(seen);
            }
            assert!(
                bits.windows(2).all(|pair| pair[0] == pair[1]),
                "{solver}, {delta} s: the same bits on every engine"
            );
        }
    }
}

/// The intervals in which sin t is above a level from 0 to 1.
fn highs(level: f64) -> impl Iterator<Item = (f64, f64)> {
    let (first, turn) = (level.asin(), 2.0 * std::f64::consts::PI);
    (0..).map(move |number| (turn * f64::from(number) + first, turn * (f64::from(number) + 0.5) - first))
}

/// For how long sin t was above the level.
fn length(level: f64, time: f64) -> f64 {
    highs(level).take_while(|(begin, _)| *begin < time).map(|(begin, end)| end.min(time) - begin).sum()
}

/// The time since sin t rose above the level last, as it was when it fell below it again; none before it rose.
fn since(level: f64, time: f64) -> Option<f64> {
    highs(level).take_while(|(begin, _)| *begin < time).map(|(begin, end)| end.min(time) - begin).last()
}

fn is_high(level: f64, time: f64) -> bool {
    time.sin() > level
}

/// ∫ of what is held: the length of the intervals so far, while sin t is above a level and after it.
fn integral_of_length(level: f64, time: f64) -> f64 {
    let (mut sum, mut before, mut last) = (0.0, 0.0, 0.0);
    for (begin, end) in highs(level).take_while(|(begin, _)| *begin < time) {
        sum += before * (begin - last);
        let width = end.min(time) - begin;
        sum += before * width + 0.5 * width * width;
        (before, last) = (before + width, end.min(time));
    }
    sum + before * (time - last)
}

/// x' = 1 in a model that is enabled by sin t - 0.3, and z' = x outside.
fn enabled(delta: f64, states: &str, idle: &str) -> Sketch {
    Sketch::new(delta)
        .block(0, "Var/Sine", &[("Bias", &["-0.3"])])
        .block(1, "model Child", &[])
        .block(2, "Math/Integrate", &[])
        .block(3, "exit x", &[])
        .block(4, "exit z", &[])
        .wires("Main", &[("0.Output", "1.on"), ("1.x", "2.Input"), ("1.x", "3.Input"), ("2.Output", "4.Input")])
        .block_in("Child", 0, "entry on", &[])
        .mark("Child", 0, &[("role", "enable"), ("states", states)])
        .block_in("Child", 1, "Var/Static", &[("Value", &["1"])])
        .block_in("Child", 2, "Math/Integrate", &[])
        .block_in("Child", 3, "exit x", &[("Initial Value", &["-7"])])
        .mark("Child", 3, &[("idle", idle)])
        .wires("Child", &[("1.Output", "2.Input"), ("2.Output", "3.Input")])
}

#[test]
fn an_enabled_model_runs_for_as_long_as_it_is_enabled() {
    let first = 0.3_f64.asin();
    check(
        |delta| enabled(delta, "hold", "hold"),
        &[
            ("x", &|time| if time > first { length(0.3, time) } else { -7.0 }),
            ("z", &|time| -7.0 * time.min(first) + integral_of_length(0.3, time)),
        ],
    );
}

#[test]
fn its_states_are_reset_where_it_is_enabled() {
    check(|delta| enabled(delta, "reset", "hold"), &[("x", &|time| since(0.3, time).unwrap_or(-7.0))]);
}

#[test]
fn its_outputs_go_back_to_their_initial_values_where_it_is_disabled() {
    let z = |time: f64| {
        let inside = highs(0.3).take_while(|(begin, _)| *begin < time);
        let inside = inside.map(|(begin, end)| 0.5 * (end.min(time) - begin).powi(2)).sum::<f64>();
        inside - 7.0 * (time - length(0.3, time))
    };
    check(
        |delta| enabled(delta, "reset", "reset"),
        &[("x", &|time| if is_high(0.3, time) { since(0.3, time).unwrap_or(0.0) } else { -7.0 }), ("z", &z)],
    );
}

/// x' = 1 in a model that sin t > 0.3 enables, and y' = 1 in a model inside it that cos t > 0 enables, reset there.
#[test]
fn a_model_within_another_runs_while_both_are_enabled() {
    let sketch = |delta| {
        Sketch::new(delta)
            .block(0, "Var/Sine", &[])
            .block(1, "Logic/Compare To Constant", &[("Constant", &["0.3"]), ("Operator", &[">"])])
            .block(2, "Var/Sine", &[("Phase", &["1.5707963267948966"])])
            .block(3, "model Outer", &[])
            .block(4, "exit x", &[])
            .block(5, "exit y", &[])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "3.on"), ("2.Output", "3.inner")])
            .wires("Main", &[("3.x", "4.Input"), ("3.y", "5.Input")])
            .block_in("Outer", 0, "entry on", &[])
            .mark("Outer", 0, &[("role", "enable")])
            .block_in("Outer", 1, "entry inner", &[])
            .block_in("Outer", 2, "Var/Static", &[("Value", &["1"])])
            .block_in("Outer", 3, "Math/Integrate", &[])
            .block_in("Outer", 4, "model Inner", &[])
            .block_in("Outer", 5, "exit x", &[])
            .block_in("Outer", 6, "exit y", &[])
            .wires("Outer", &[("1.Output", "4.on"), ("2.Output", "3.Input"), ("3.Output", "5.Input")])
            .wires("Outer", &[("4.y", "6.Input")])
            .block_in("Inner", 0, "entry on", &[])
            .mark("Inner", 0, &[("role", "enable"), ("states", "reset")])
            .block_in("Inner", 1, "Var/Static", &[("Value", &["1"])])
            .block_in("Inner", 2, "Math/Integrate", &[])
            .block_in("Inner", 3, "exit y", &[])
            .wires("Inner", &[("1.Output", "2.Input"), ("2.Output", "3.Input")])
    };
    // The inner model runs from asin 0.3 to π/2. Its condition is seen while the outer one runs only: it has been high at
    // the end of each of its runs and low at the end of the outer model's run.
    let quarter = std::f64::consts::FRAC_PI_2;
    let inner = |time: f64| {
        let turns = highs(0.3).take_while(|(begin, _)| *begin < time);
        turns.map(|(begin, _)| (time - begin).min(quarter - 0.3_f64.asin())).last().unwrap_or(0.0)
    };
    check(sketch, &[("x", &|time| length(0.3, time)), ("y", &inner)]);
}

/// x' = 1, and a model that always runs resets it where sin t rises above 0.3.
#[test]
fn a_model_is_reset_at_an_edge_between_steps() {
    let sketch = |delta| {
        Sketch::new(delta)
            .block(0, "Var/Sine", &[("Bias", &["-0.3"])])
            .block(1, "model Child", &[])
            .block(2, "exit x", &[])
            .wires("Main", &[("0.Output", "1.reset"), ("1.x", "2.Input")])
            .block_in("Child", 0, "entry reset", &[])
            .mark("Child", 0, &[("role", "reset")])
            .block_in("Child", 1, "Var/Static", &[("Value", &["1"])])
            .block_in("Child", 2, "Math/Integrate", &[("Initial Value", &["2"])])
            .block_in("Child", 3, "exit x", &[])
            .wires("Child", &[("1.Output", "2.Input"), ("2.Output", "3.Input")])
    };
    let last = |time: f64| highs(0.3).map(|(begin, _)| begin).take_while(|begin| *begin < time).last().unwrap_or(0.0);
    check(sketch, &[("x", &|time| 2.0 + time - last(time))]);
}

/// The adder of an output and its delayed value counts the points of the grid at which it is enabled; a reset between
/// them acts on the delay at once.
#[test]
fn discrete_states_are_reset_with_the_others() {
    let sketch = |delta| {
        Sketch::new(delta)
            .block(0, "Var/Sine", &[("Bias", &["-0.3"])])
            .block(1, "Var/Static", &[("Value", &["1"])])
            .block(2, "model Child", &[])
            .block(3, "Math/Integrate", &[])
            .block(4, "exit count", &[])
            .block(5, "exit z", &[])
            .wires(
                "Main",
                &[("0.Output", "2.on"), ("2.count", "4.Input"), ("1.Output", "3.Input"), ("3.Output", "5.Input")],
            )
            .block_in("Child", 0, "entry on", &[])
            .mark("Child", 0, &[("role", "enable"), ("states", "reset")])
            .block_in("Child", 1, "Var/Static", &[("Value", &["1"])])
            .block_in("Child", 2, "Math/Sum", &[])
            .block_in("Child", 3, "Discrete/Unit Delay", &[])
            .block_in("Child", 4, "exit count", &[])
            .wires("Child", &[("1.Output", "2.Input 1"), ("3.Output", "2.Input 2"), ("2.Output", "3.Input")])
            .wires("Child", &[("2.Output", "4.Input")])
    };
    for delta in GRIDS {
        let point = |time: f64| (time / delta + 1e-9).floor();
        let count = |time: f64| {
            let turn = highs(0.3).take_while(|(begin, _)| *begin < time).last();
            turn.map_or(0.0, |(begin, end)| point(end.min(time)) - point(begin))
        };
        // A turn without a point of the grid counts 1 at its end, since its output is that of the sum.
        let count = |time: f64| match since(0.3, time) {
            Some(_) => count(time).max(1.0),
            None => 0.0,
        };
        check_on(&[delta], sketch, &[("count", &count), ("z", &|time| time)]);
    }
}

/// Either of two models runs, by an If block; and one of three, by a Switch Case block.
#[test]
fn branches_change_between_steps() {
    let sketch = |delta| {
        let mut sketch = Sketch::new(delta)
            .block(0, "Var/Sine", &[])
            .block(1, "Logic/Compare To Constant", &[("Constant", &["0.3"]), ("Operator", &[">"])])
            .block(2, "Flow/If", &[])
            .block(3, "model Up", &[])
            .block(4, "model Down", &[])
            .block(5, "Flow/Merge", &[])
            .block(6, "Math/Integrate", &[])
            .block(7, "exit branches", &[])
            .block(10, "Math/Gain", &[("Gain", &["2.5"])])
            .block(11, "Flow/Switch Case", &[("Cases", &["1", "2"])])
            .block(12, "model Up", &[])
            .block(13, "model Down", &[])
            .block(14, "model Still", &[])
            .block(15, "Flow/Merge", &[("Inputs", &["3"])])
            .block(16, "Math/Integrate", &[])
            .block(17, "exit cases", &[])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Condition 1"), ("2.If 1", "3.on")])
            .wires("Main", &[("2.Else", "4.on"), ("3.y", "5.Input 1"), ("4.y", "5.Input 2")])
            .wires("Main", &[("5.Output", "6.Input"), ("6.Output", "7.Input")])
            .wires("Main", &[("0.Output", "10.Input"), ("10.Output", "11.Input"), ("11.Case 1", "12.on")])
            .wires("Main", &[("11.Case 2", "13.on"), ("11.Default", "14.on"), ("12.y", "15.Input 1")])
            .wires("Main", &[("13.y", "15.Input 2"), ("14.y", "15.Input 3"), ("15.Output", "16.Input")])
            .wires("Main", &[("16.Output", "17.Input")]);
        for (name, value) in [("Up", "2"), ("Down", "-1"), ("Still", "0")] {
            sketch = sketch
                .block_in(name, 0, "entry on", &[])
                .mark(name, 0, &[("role", "enable")])
                .block_in(name, 1, "Var/Static", &[("Value", &[value])])
                .block_in(name, 2, "exit y", &[])
                .wires(name, &[("1.Output", "2.Input")]);
        }
        sketch
    };
    let branches = |time: f64| 3.0 * length(0.3, time) - time;
    // 2.5·sin t is between 1 and 2, above 2, or neither.
    let cases = |time: f64| 2.0 * length(0.4, time) - 3.0 * length(0.8, time);
    check(sketch, &[("branches", &branches), ("cases", &cases)]);
}

/// While the reset is high the state is y₀ = cos t; from the end of the level it grows from cos t there.
#[test]
fn a_level_holds_a_state_until_it_ends() {
    let sketch = |delta| {
        Sketch::new(delta)
            .block(0, "Var/Sine", &[])
            .block(1, "Logic/Compare To Constant", &[("Constant", &["0.3"]), ("Operator", &[">"])])
            .block(2, "Var/Static", &[("Value", &["1"])])
            .block(3, "Var/Sine", &[("Phase", &["1.5707963267948966"])])
            .block(4, "Continuous/Integrator", &[("Reset", &["level"]), ("Initial Source", &["input"])])
            .block(5, "Math/Integrate", &[])
            .block(6, "exit x", &[])
            .block(7, "exit z", &[])
            .block(
                8,
                "Continuous/PID Controller",
                &[("P", &["0"]), ("Reset", &["level"]), ("Initial Integral", &["4"])],
            )
            .block(9, "exit pid", &[])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "4.Reset"), ("2.Output", "4.Input")])
            .wires("Main", &[("3.Output", "4.Initial"), ("4.Output", "5.Input"), ("4.Output", "6.Input")])
            .wires("Main", &[("5.Output", "7.Input"), ("2.Output", "8.Error"), ("1.Output", "8.Reset")])
            .wires("Main", &[("8.Output", "9.Input")])
    };
    let first = 0.3_f64.asin();
    let ends = |time: f64| highs(0.3).map(|(_, end)| end).take_while(move |end| *end < time).last();
    let x = |time: f64| match ends(time) {
        _ if is_high(0.3, time) => time.cos(),
        Some(end) => end.cos() + time - end,
        None => 1.0 + time,
    };
    // The integral is that of cos t within the levels, and of straight lines between them.
    let z = |time: f64| {
        let line = |from: f64, since: f64| from * since + 0.5 * since * since;
        let mut sum = line(1.0, time.min(first));
        for ((begin, end), (next, _)) in highs(0.3).zip(highs(0.3).skip(1)).take_while(|((begin, _), _)| *begin < time)
        {
            sum += end.min(time).sin() - begin.sin();
            if time > end {
                sum += line(end.cos(), next.min(time) - end);
            }
        }
        sum
    };
    let pid = |time: f64| match ends(time) {
        _ if is_high(0.3, time) => 4.0,
        end => 4.0 + time - end.unwrap_or(0.0),
    };
    let pid = |time: f64| if time < first { 4.0 + time } else { pid(time) };
    check(sketch, &[("x", &x), ("z", &z), ("pid", &pid)]);
}

/// A model that runs where sin t passes 0.3: it samples the time, counts its runs, and integrates 1 from run to run; and
/// z' is the sampled time.
fn triggered(delta: f64, edge: &str) -> Sketch {
    Sketch::new(delta)
        .block(0, "Var/Sine", &[("Bias", &["-0.3"])])
        .block(1, "Var/Clock", &[])
        .block(2, "model Child", &[])
        .block(3, "Math/Integrate", &[])
        .block(4, "exit at", &[])
        .block(5, "exit count", &[])
        .block(6, "exit sum", &[])
        .block(7, "exit z", &[])
        .wires("Main", &[("0.Output", "2.go"), ("1.Output", "2.t"), ("2.at", "3.Input"), ("2.at", "4.Input")])
        .wires("Main", &[("2.count", "5.Input"), ("2.sum", "6.Input"), ("3.Output", "7.Input")])
        .block_in("Child", 0, "entry go", &[])
        .mark("Child", 0, &[("role", "trigger"), ("edge", edge)])
        .block_in("Child", 1, "entry t", &[])
        .block_in("Child", 2, "Var/Static", &[("Value", &["1"])])
        .block_in("Child", 3, "Math/Sum", &[])
        .block_in("Child", 4, "Discrete/Unit Delay", &[])
        .block_in("Child", 5, "Discrete/Discrete-Time Integrator", &[])
        .block_in("Child", 6, "exit at", &[])
        .block_in("Child", 7, "exit count", &[])
        .block_in("Child", 8, "exit sum", &[])
        .wires("Child", &[("2.Output", "3.Input 1"), ("4.Output", "3.Input 2"), ("3.Output", "4.Input")])
        .wires("Child", &[("2.Output", "5.Input"), ("1.Output", "6.Input"), ("3.Output", "7.Input")])
        .wires("Child", &[("5.Output", "8.Input")])
}

/// With the longest grid the model runs several times within a step.
#[test]
fn a_triggered_model_runs_at_the_edge() {
    let edges = |edge: &str| -> Vec<f64> {
        let of_turn = |(begin, end): (f64, f64)| match edge {
            "rising" => vec![begin],
            "falling" => vec![end],
            _ => vec![begin, end],
        };
        highs(0.3).take(4).flat_map(of_turn).collect()
    };
    for edge in ["rising", "falling", "either"] {
        let edges = edges(edge);
        let until = |time: f64| edges.iter().copied().take_while(move |at| *at < time);
        let sum = |time: f64| until(time).last().map_or(0.0, |last| last - edges[0]);
        let z = |time: f64| {
            let ends = edges.iter().skip(1).chain([&time]).map(|end| end.min(time));
            until(time).zip(ends).map(|(at, end)| at * (end - at)).sum::<f64>()
        };
        check(
            |delta| triggered(delta, edge),
            &[
                ("at", &|time| until(time).last().unwrap_or(0.0)),
                ("count", &|time| until(time).count() as f64),
                ("sum", &sum),
                ("z", &z),
            ],
        );
    }
}

/// Where the edge is at a point of the grid, the model runs there once, with what is discrete outside as it is there.
#[test]
fn an_edge_at_a_point_of_the_grid_is_that_of_the_step() {
    let sketch = |delta| {
        Sketch::new(delta)
            .block(0, "Var/Pulse", &[("Period", &["6"]), ("Delay", &["3"])])
            .block(1, "Var/Static", &[("Value", &["1"])])
            .block(2, "Math/Sum", &[])
            .block(3, "Discrete/Unit Delay", &[])
            .block(4, "model Child", &[])
            .block(5, "Math/Integrate", &[])
            .block(6, "exit steps", &[])
            .block(7, "exit z", &[])
            .wires("Main", &[("0.Output", "4.go"), ("1.Output", "2.Input 1"), ("3.Output", "2.Input 2")])
            .wires("Main", &[("2.Output", "3.Input"), ("3.Output", "4.u"), ("4.y", "6.Input"), ("1.Output", "5.Input")])
            .wires("Main", &[("5.Output", "7.Input")])
            .block_in("Child", 0, "entry go", &[])
            .mark("Child", 0, &[("role", "trigger")])
            .block_in("Child", 1, "entry u", &[])
            .block_in("Child", 2, "exit y", &[])
            .wires("Child", &[("1.Output", "2.Input")])
    };
    for delta in [0.5, 3.0] {
        // A period of 6 s from 3 s on: the edges are at 3, 9, and 15 s.
        let steps = |time: f64| ((time - 3.0) / 6.0).floor() * 6.0 / delta + 3.0 / delta;
        check_on(
            &[delta],
            sketch,
            &[("steps", &|time| if time < 3.0 { 0.0 } else { steps(time) }), ("z", &|time| time)],
        );
    }
}
