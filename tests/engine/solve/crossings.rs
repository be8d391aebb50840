//! Variable-step solvers locate crossings of blocks, and restart there.

use std::sync::Arc;

use simulate::block::{BlockDef, Face, Look, Ports, Registry};
use simulate::engine::{Context, Engines, Samples, TierUp, compile};

use crate::sketch::odes::Net;
use crate::sketch::{Run, Sketch};

const SOLVERS: [&str; 3] = ["dopri45", "rodas34", "radau35"];

fn runs(net: impl Fn() -> Net) -> impl Iterator<Item = (String, Run)> {
    SOLVERS.into_iter().flat_map(move |solver| {
        let net = net().attribute("solver", solver).attribute("rtol", "1e-9").attribute("atol", "1e-11");
        ["simple", "compiled"].map(|engine| (format!("{solver}, {engine}"), net.run(engine)))
    })
}

/// A ball that falls from 1 m at 9.81 m/s² and leaves the ground with half the speed.
static BALL: BlockDef = BlockDef {
    group: "Test",
    name: "Ball",
    doc: "A bouncing ball",
    formula: "h'' = -9.81; where h falls through 0, h' = -h'/2",
    aliases: &[],
    look: Look::rect(Face::Empty),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Height"]),
    params: &[],
    build: |b| {
        let (height, speed) = (b.continuous(1, b.constant(1.0)), b.continuous(1, b.constant(0.0)));
        let was_above = b.mode(1, b.constant(1.0));
        let is_above = height.value.gt(b.constant(0.0));
        was_above.next(b.select(b.deciding(), is_above, was_above.value));
        b.crossing(height.value);
        let hits = was_above.value.and(!is_above).and(b.deciding());
        speed.jump(hits, speed.value * -0.5);
        height.derivative(speed.value);
        speed.derivative(b.constant(-9.81));
        b.output(0, height.value);
    },
    examples: &[],
};

/// Returns the height of the ball by its parabolas.
fn height(t: f64) -> f64 {
    let g: f64 = 9.81;
    let (mut begin, mut speed) = ((2.0 / g).sqrt(), (2.0 * g).sqrt() / 2.0);
    if t < begin {
        return 1.0 - g * t * t / 2.0;
    }
    while t > begin + 2.0 * speed / g {
        begin += 2.0 * speed / g;
        speed /= 2.0;
    }
    let since = t - begin;
    speed * since - g * since * since / 2.0
}

#[test]
fn a_ball_bounces_where_it_meets_the_ground() {
    let mut registry = Registry::clone(&Registry::standard());
    registry.add(&BALL).expect("a name of its own");
    for solver in SOLVERS {
        let sketch = Sketch::new(0.013).solver(solver).block(0, "Test/Ball", &[]).block(1, "exit h", &[]);
        let sketch = sketch.wire("0.Height", "1.Input");
        let program = Arc::new(compile(&sketch.simulation, &registry).expect("it compiles"));
        let mut traces = Vec::new();
        for engine in ["simple", "flat", "compiled"] {
            let mut execute =
                Engines::with(TierUp::Wait).get(engine).expect("the engine").prepare(&program).expect("it runs");
            let mut context = Context::new(&program);
            let mut trace = Vec::new();
            // Five bounces; they would come to an end at 1.35 s.
            for step in 0..103 {
                execute.run(&mut context, 1, &mut Samples::default()).expect("it steps");
                let got = context.exits(&program)[0].1.clone().expect("a height")[0];
                let want = height(f64::from(step) * 0.013);
                assert!((got - want).abs() < 1e-11, "{solver}, {engine}, step {step}: {got}, not {want}");
                trace.push(got.to_bits());
            }
            traces.push(trace);
        }
        assert!(traces.windows(2).all(|pair| pair[0] == pair[1]), "the same bits on every engine");
    }
}

/// The same ball drawn from blocks: the speed is reset to a half of what its state port gives, where the height falls
/// through 0. Bounce number n is at √(2/g)·(1 + 2·(1/2 + … + 1/2ⁿ)).
#[test]
fn a_ball_of_integrators_bounces_in_its_time() {
    let g = 9.81_f64;
    let resets: [(&str, &[&str]); 2] = [("Reset", &["falling"]), ("Initial Source", &["input"])];
    let with_state = [resets[0], resets[1], ("Show State", &["1"])];
    for solver in SOLVERS {
        let sketch = Sketch::new(0.013)
            .solver(solver)
            .block(0, "Var/Static", &[("Value", &["-9.81"])])
            .block(1, "Continuous/Integrator", &with_state)
            .block(2, "Continuous/Integrator", &[("Initial Value", &["1"])])
            .block(3, "Math/Gain", &[("Gain", &["-0.5"])])
            .block(4, "Var/Clock", &[])
            .block(5, "Var/Static", &[("Value", &["0"])])
            .block(6, "Continuous/Integrator", &resets)
            .block(7, "exit height", &[])
            .block(8, "exit last bounce", &[])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "1.Reset")])
            .wires("Main", &[("1.State", "3.Input"), ("3.Output", "1.Initial")])
            .wires("Main", &[("5.Output", "6.Input"), ("2.Output", "6.Reset"), ("4.Output", "6.Initial")])
            .wires("Main", &[("2.Output", "7.Input"), ("6.Output", "8.Input")]);
        for engine in ["simple", "flat", "compiled"] {
            let mut run = Run::new(&sketch.simulation, engine);
            let (first, mut bounces) = ((2.0 / g).sqrt(), 0);
            for step in 0..104 {
                run.steps(1);
                let time = f64::from(step) * 0.013;
                let at = |bounces: i32| first * (1.0 + 2.0 * (1.0 - 0.5_f64.powi(bounces - 1)));
                while at(bounces + 1) < time {
                    bounces += 1;
                }
                let (got, want) = (run.exit("height")[0], height(time));
                assert!((got - want).abs() < 1e-9, "{solver}, {engine}, step {step}: {got}, not {want}");
                let (got, want) = (run.exit("last bounce")[0], if bounces == 0 { 0.0 } else { at(bounces) });
                assert!((got - want).abs() < 1e-9, "{solver}, {engine}, bounce {bounces}: {got}, not {want}");
            }
            assert_eq!(bounces, 6);
        }
    }
}

/// x' = 1 - 2·on: x rises to 0.5, falls to -0.5, and so on: a triangle of period 2.
#[test]
fn a_relay_switches_where_its_input_passes_its_limits() {
    let net = || {
        let mut net = Net::new(0.07);
        let x = net.state("x", 0.0);
        let relay = net.add("Nonlinear/Relay", &[], &[("Input", &x)]);
        let one = net.constant(1.0);
        let rate = net.sum(&[(1.0, &one), (-2.0, &relay)]);
        net.rate(&x, &rate);
        net
    };
    for (name, mut run) in runs(net) {
        for (step, got) in run.trace("x", 200).into_iter().enumerate() {
            let phase = (step as f64 * 0.07 + 0.5).rem_euclid(2.0);
            let want = if phase < 1.0 { phase - 0.5 } else { 1.5 - phase };
            assert!((got - want).abs() < 1e-12, "{name}, step {step}: {got}, not {want}");
        }
    }
}

/// x' = [sin t ≥ 0]: flat half of the time, with corners at multiples of π that lie on no step.
#[test]
fn a_comparison_jumps_where_its_sides_meet() {
    let net = || {
        let mut net = Net::new(0.1);
        let x = net.state("x", 0.0);
        let (sine, zero) = (net.sine(1.0, 0.0), net.constant(0.0));
        let is_up = net.add("Logic/Compare", &[("Operator", &[">="])], &[("Input 1", &sine), ("Input 2", &zero)]);
        net.rate(&x, &is_up);
        net
    };
    let pi = std::f64::consts::PI;
    for (name, mut run) in runs(net) {
        for (step, got) in run.trace("x", 200).into_iter().enumerate() {
            let t = step as f64 * 0.1;
            let (turns, rest) = ((t / (2.0 * pi)).floor(), t.rem_euclid(2.0 * pi));
            let want = turns * pi + rest.min(pi);
            assert!((got - want).abs() < 1e-9, "{name}, step {step}: {got}, not {want}");
        }
    }
}

/// x' = |sin t|, x' = sign(sin t)·t and a saturated sine: kinks and jumps of stateless blocks against their integrals.
#[test]
fn kinks_are_integrated_exactly() {
    let net = || {
        let mut net = Net::new(0.1);
        let sine = net.sine(1.0, 0.0);
        let bent = net.add("Math/Abs", &[], &[("Input", &sine)]);
        let sign = net.function("sign", &sine);
        let clipped = net.add("Nonlinear/Saturate", &[], &[("Input", &sine)]);
        for (name, rate) in [("bent", bent), ("sign", sign), ("clipped", clipped)] {
            let x = net.state(name, 0.0);
            net.rate(&x, &rate);
        }
        net
    };
    let pi = std::f64::consts::PI;
    for (name, mut run) in runs(net) {
        run.steps(101);
        let t: f64 = 10.0;
        // Three half periods and the rest.
        let rest = t - 3.0 * pi;
        let (corner, top) = (pi / 6.0, 1.0 - (pi / 6.0).cos());
        let half = 2.0 * top + 0.5 * (pi - 2.0 * corner);
        let left = if rest > corner { top + 0.5 * (rest - corner) } else { 1.0 - rest.cos() };
        for (exit, want) in [("bent", 6.0 + 1.0 - rest.cos()), ("sign", pi - rest), ("clipped", half - left)] {
            let got = run.exit(exit)[0];
            assert!((got - want).abs() < 1e-8, "{name}, {exit}: {got}, not {want}");
        }
    }
}

/// The limit is met and left at the exact time: ∫ sin from 0 to its limit 0.5, back from π on.
#[test]
fn a_limited_integrator_leaves_its_limit_when_the_input_turns() {
    let net = || {
        let mut net = Net::new(0.1);
        let sine = net.sine(1.0, 0.0);
        let options: [(&str, &[&str]); 2] = [("Limited", &["1"]), ("Upper Limit", &["0.5"])];
        let x = net.add("Continuous/Integrator", &options, &[("Input", &sine)]);
        net.exit("x", &x);
        net
    };
    let pi = std::f64::consts::PI;
    for (name, mut run) in runs(net) {
        for (step, got) in run.trace("x", 60).into_iter().enumerate() {
            let t = step as f64 * 0.1;
            let want = if t < pi { (1.0 - t.cos()).min(0.5) } else { 0.5 - 1.0 - t.cos() };
            assert!((got - want).abs() < 1e-8, "{name}, step {step}: {got}, not {want}");
        }
    }
}

/// An integrator of 1 that is reset when a sine rises through 0: a saw tooth with edges at multiples of 2π.
#[test]
fn a_reset_happens_where_its_input_rises() {
    let net = || {
        let mut net = Net::new(0.1);
        let (one, sine) = (net.constant(1.0), net.sine(1.0, 1.0));
        let x = net.add("Continuous/Integrator", &[("Reset", &["rising"])], &[("Input", &one), ("Reset", &sine)]);
        net.exit("x", &x);
        net
    };
    let turn = std::f64::consts::TAU;
    for (name, mut run) in runs(net) {
        for (step, got) in run.trace("x", 200).into_iter().enumerate().skip(1) {
            let t = step as f64 * 0.1;
            let want = if t < turn - 1.0 { t } else { (t + 1.0).rem_euclid(turn) };
            // The reset's input begins at 0 for the block, so it rises in the first step; from 0 to 0.
            assert!((got - want).abs() < 1e-9, "{name}, step {step}: {got}, not {want}");
        }
    }
}

/// The solver makes steps of a hundred grid steps until a pulse changes, if it may.
#[test]
fn steps_are_long_until_something_changes() {
    let mut net = Net::new(0.001).attribute("solver", "dopri45").attribute("max-step", "1");
    let pulse = net.add("Var/Pulse", &[("Period", &["1"])], &[]);
    let x = net.state("x", 0.0);
    let rate = net.sum(&[(1.0, &pulse), (-1.0, &x)]);
    net.rate(&x, &rate);
    let mut run = net.run("compiled");
    run.steps(2001);
    let want = {
        let rise = |x: f64| 1.0 + (x - 1.0) * (-0.5f64).exp();
        let fall = |x: f64| x * (-0.5f64).exp();
        fall(rise(fall(rise(0.0))))
    };
    let got = run.exit("x")[0];
    assert!((got - want).abs() < 1e-3, "{got}, not {want}");
    let (steps, refused, _) = crate::sketch::odes::counts(&run.context);
    assert!(steps + refused < 60.0, "{steps} and {refused} refused");
}

/// Returns the integral of a block's output, whose input is the time: exact between jumps, so any error comes from
/// locating them.
fn integral_over_time(
    (what, input): (&str, &str),
    options: &[(&str, &[&str])],
    delta: f64,
    steps: usize,
) -> Vec<(String, Vec<f64>)> {
    let mut traces = Vec::new();
    for solver in SOLVERS {
        for engine in ["simple", "flat", "compiled"] {
            let mut sketch = Sketch::new(delta)
                .solver(solver)
                .block(0, "Var/Static", &[("Value", &["1"])])
                .block(1, "Math/Integrate", &[])
                .block(2, what, options)
                .block(3, "Math/Integrate", &[])
                .block(4, "exit z", &[])
                .wire("0.Output", "1.Input")
                .wire("1.Output", &format!("2.{input}"))
                .wire("2.Output", "3.Input")
                .wire("3.Output", "4.Input");
            sketch.simulation.attributes.set("rtol", "1e-9");
            sketch.simulation.attributes.set("atol", "1e-11");
            traces
                .push((format!("{what}, {solver}, {engine}"), Run::new(&sketch.simulation, engine).trace("z", steps)));
        }
    }
    traces
}

#[test]
fn steps_are_located() {
    let function = |name: &'static str| vec![("Function", name)];
    type Case = (&'static str, Vec<(&'static str, &'static str)>, fn(f64) -> f64);
    // The integrals of ⌊t⌋, ⌈t⌉, of t rounded and truncated, and of t in steps of 0.75, from 0 to t.
    let cases: [Case; 7] = [
        ("Math/Function", function("floor"), |t| t.floor() * (t - (t.floor() + 1.0) / 2.0)),
        ("Math/Function", function("round"), |t| t.round() * (t - t.round() / 2.0)),
        ("Math/Rounding", function("floor"), |t| t.floor() * (t - (t.floor() + 1.0) / 2.0)),
        ("Math/Rounding", function("ceil"), |t| t.ceil() * (t - (t.ceil() - 1.0) / 2.0)),
        ("Math/Rounding", function("round"), |t| t.round() * (t - t.round() / 2.0)),
        ("Math/Rounding", function("fix"), |t| t.floor() * (t - (t.floor() + 1.0) / 2.0)),
        ("Nonlinear/Quantizer", vec![("Interval", "0.75")], |t| {
            let n = (t / 0.75).round();
            n * 0.75 * (t - n * 0.75 / 2.0)
        }),
    ];
    for (what, options, integral) in cases {
        let texts: Vec<[&str; 1]> = options.iter().map(|(_, value)| [*value]).collect();
        let options: Vec<(&str, &[&str])> =
            options.iter().zip(&texts).map(|((name, _), text)| (*name, &text[..])).collect();
        let delta = 0.37;
        for (name, trace) in integral_over_time((what, "Input"), &options, delta, 20) {
            for (step, got) in trace.into_iter().enumerate() {
                let want = integral(step as f64 * delta);
                assert!((got - want).abs() < 1e-11, "{name}, step {step}: {got}, not {want}");
            }
        }
    }
}

/// With a limit of 1/s the output leaves t² where its slope is 1, at 0.5 s, which is no point of the grid.
#[test]
fn a_limited_rate_is_left_where_it_is() {
    for (name, mut run) in runs(|| {
        let mut net = Net::new(0.4);
        let speed = net.state("v", 0.0);
        let two = net.constant(2.0);
        net.rate(&speed, &two);
        let place = net.state("x", 0.0);
        net.rate(&place, &speed);
        let limited = net.add("Nonlinear/Rate Limiter", &[("Rising Slope", &["1"])], &[("Input", &place)]);
        let total = net.state("z", 0.0);
        net.rate(&total, &limited);
        net
    }) {
        let got = run.steps(4).exit("z")[0];
        // ∫t² to 0.5, then 0.25 + (t - 0.5) to 1.2.
        let want = 0.5_f64.powi(3) / 3.0 + 0.7 * 0.25 + 0.7 * 0.7 / 2.0;
        assert!((got - want).abs() < 1e-8, "{name}: {got}, not {want}");
    }
}

/// With P = ±1 alone the output is ±t up to the limit ±0.3, which lies within a step: its integral is ±(0.3·t − 0.045).
#[test]
fn a_controller_meets_its_limits_where_they_are() {
    for (gain, sign) in [("1", 1.0), ("-1", -1.0)] {
        let options: [(&str, &[&str]); 5] =
            [("P", &[gain]), ("I", &["0"]), ("Limited", &["1"]), ("Lower Limit", &["-0.3"]), ("Upper Limit", &["0.3"])];
        for (name, trace) in integral_over_time(("Continuous/PID Controller", "Error"), &options, 0.37, 5) {
            for (step, got) in trace.into_iter().enumerate().skip(1) {
                let want = sign * (0.3 * 0.37 * step as f64 - 0.045);
                assert!((got - want).abs() < 1e-11, "{name}, P = {gain}, step {step}: {got}, not {want}");
            }
        }
    }
}

/// The integral of a block's output whose input is a ramp: the output is a polynomial between its corners, which the
/// solver integrates without error in steps of any length. One corner that it does not locate costs 1e-6 or so.
struct Bent {
    what: &'static str,
    options: &'static [(&'static str, &'static [&'static str])],
    input: &'static str,
    /// Constant values of other inputs.
    others: &'static [(&'static str, f64)],
    /// The input at time 0, and its rate.
    ramp: (f64, f64),
    /// The integral of the output from 0 to 6 s.
    integral: f64,
}

const BENT: Bent = Bent { what: "", options: &[], input: "Input", others: &[], ramp: (-3.0, 1.0), integral: 0.0 };

#[test]
fn the_corners_of_blocks_are_located() {
    // The input goes from -3 to 3 or back; each integral is a sum of triangles and rectangles.
    let cases = [
        Bent { what: "Math/Abs", integral: 9.0, ..BENT },
        // -2 at the begin to 0 at -1, and from 0 at 0.5 to 2.5.
        Bent {
            what: "Nonlinear/Dead Zone",
            options: &[("Start", &["-1"]), ("End", &["0.5"])],
            integral: -2.0 + 3.125,
            ..BENT
        },
        Bent {
            what: "Nonlinear/Saturate",
            options: &[("Lower Limit", &["-1"]), ("Upper Limit", &["0.5"])],
            integral: -2.0 - 0.5 + 0.125 + 1.25,
            ..BENT
        },
        Bent {
            what: "Nonlinear/Saturate Dynamic",
            others: &[("Lower", -1.0), ("Upper", 0.5)],
            integral: -2.0 - 0.5 + 0.125 + 1.25,
            ..BENT
        },
        // 0.7 until the input is above it, and the other way round.
        Bent {
            what: "Math/MinMax",
            options: &[("Function", &["max"])],
            input: "Input 1",
            others: &[("Input 2", 0.7)],
            integral: 0.7 * 3.7 + (9.0 - 0.49) / 2.0,
            ..BENT
        },
        Bent {
            what: "Math/MinMax",
            input: "Input 2",
            others: &[("Input 1", 0.7)],
            integral: (0.49 - 9.0) / 2.0 + 0.7 * 2.3,
            ..BENT
        },
        // The play of 1 moves from -0.5, which the input has left behind, at once to -2.5, and from there on follows.
        Bent {
            what: "Nonlinear/Backlash",
            options: &[("Initial Value", &["0"])],
            // Held at 0 until the input is 0.5, then u - 0.5.
            ramp: (-0.5, 1.0),
            integral: 12.5,
            ..BENT
        },
        Bent {
            what: "Nonlinear/Backlash",
            options: &[("Initial Value", &["0"])],
            ramp: (0.5, -1.0),
            integral: -12.5,
            ..BENT
        },
        // s·(|u| + 2) with s = u/0.5 within ±0.5.
        Bent {
            what: "Nonlinear/Friction",
            options: &[("Offset", &["2"]), ("Gain", &["0"]), ("Width", &["0.5"])],
            ramp: (-2.0, 1.0),
            integral: -2.0 * 1.5 + 2.0 * 3.5,
            ..BENT
        },
        Bent {
            what: "Nonlinear/Friction",
            options: &[("Offset", &["2"])],
            ramp: (-2.0, 1.0),
            integral: -2.0 - 4.0 + 8.0 + 8.0,
            ..BENT
        },
        Bent { what: "Nonlinear/Relay", ramp: (-2.0, 1.0), integral: 3.5, ..BENT },
        Bent {
            what: "Nonlinear/Relay",
            options: &[("On Value", &["2"]), ("Off Value", &["-1"])],
            ramp: (2.0, -1.0),
            integral: 2.0 * 2.5 - 3.5,
            ..BENT
        },
        // From 0 at the begin to the limit 2 at 4 s.
        Bent {
            what: "Continuous/Integrator",
            options: &[("Limited", &["1"]), ("Upper Limit", &["2"])],
            ramp: (0.5, 0.0),
            integral: 4.0 + 4.0,
            ..BENT
        },
    ];
    for Bent { what, options, input, others, ramp, integral } in cases {
        for solver in SOLVERS {
            let mut net = Net::new(6.0).attribute("solver", solver).attribute("rtol", "1e-5").attribute("atol", "1e-7");
            let (u, slope) = (net.state("u", ramp.0), net.constant(ramp.1));
            net.rate(&u, &slope);
            let others: Vec<(&str, String)> =
                others.iter().map(|(name, value)| (*name, net.constant(*value))).collect();
            let inputs = others.iter().map(|(name, from)| (*name, &**from)).chain([(input, &*u)]);
            let bent = net.add(what, options, &inputs.collect::<Vec<_>>());
            let total = net.state("z", 0.0);
            net.rate(&total, &bent);
            let mut run = net.run("compiled");
            let got = run.steps(2).exit("z")[0];
            assert!((got - integral).abs() < 1e-11, "{what} {options:?}, {solver}: {got}, not {integral}");
        }
    }
}

/// The sign of a sine of 5,100 periods changes 10,200 times in a step, and each change ends at least one step of the
/// solver, as each eighth of a period does. The block with the crossings is named, not one that has a crossing function, too, but no crossing.
#[test]
fn too_many_crossings_name_their_block() {
    let mut sketch = Sketch::new(1.0)
        .solver("dopri45")
        .block(0, "Var/Sine", &[("Frequency", &["32044.245066615895"])])
        .block(1, "Math/Abs", &[])
        .block(2, "Math/Sign", &[])
        .block(3, "Math/Abs", &[])
        .block(4, "Math/Integrate", &[])
        .block(5, "Math/Bias", &[("Bias", &["2"])])
        .wires("Main", &[("5.Output", "1.Input"), ("5.Output", "3.Input"), ("0.Output", "5.Input")])
        .wires("Main", &[("0.Output", "2.Input"), ("2.Output", "4.Input")]);
    sketch.simulation.attributes.set("max-steps", "1e4");
    let error = Run::new(&sketch.simulation, "compiled").try_steps(1).expect_err("there are too many");
    assert_eq!(error.problem, "the solver “dopri45” makes more than 10000 steps within one of the grid, its max-steps");
    assert_eq!(error.block.map(|at| at.block.0), Some(2));
}

/// x = t + 1/4 rises above 1/2 within the first step. Which of two models runs is decided there by solvers of variable step,
/// by others at the begin of each step. So what comes behind them, z' = sign of 1 and then of -1, changes at 0.25 s, or at
/// the end of the step.
#[test]
fn a_condition_that_changes_within_a_step_acts_there_or_from_the_next_on() {
    let mut sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["1"])])
        .block(1, "Math/Integrate", &[("Initial Value", &["0.25"])])
        .block(2, "Logic/Compare To Constant", &[("Constant", &["0.5"]), ("Operator", &[">"])])
        .block(3, "Logic/Compare To Constant", &[("Constant", &["0.5"]), ("Operator", &["<="])])
        .block(4, "model Plus", &[])
        .block(5, "model Minus", &[])
        .block(6, "Flow/Merge", &[])
        .block(7, "Math/Sign", &[])
        .block(8, "Math/Integrate", &[])
        .block(9, "exit z", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("1.Output", "3.Input")])
        .wires("Main", &[("3.Output", "4.on"), ("2.Output", "5.on"), ("4.y", "6.Input 1"), ("5.y", "6.Input 2")])
        .wires("Main", &[("6.Output", "7.Input"), ("7.Output", "8.Input"), ("8.Output", "9.Input")]);
    for (name, value) in [("Plus", "1"), ("Minus", "-1")] {
        sketch = sketch
            .block_in(name, 0, "entry on", &[])
            .mark(name, 0, &[("role", "enable")])
            .block_in(name, 1, "Var/Static", &[("Value", &[value])])
            .block_in(name, 2, "exit y", &[("Initial Value", &["-1"])])
            .wires(name, &[("1.Output", "2.Input")]);
    }
    for solver in ["euler", "rk4", "dopri45", "rodas34", "radau35"] {
        let sketch = Sketch { simulation: sketch.simulation.clone() }.solver(solver);
        for engine in ["simple", "flat", "compiled"] {
            let trace = Run::new(&sketch.simulation, engine).trace("z", 4);
            let is_fixed = ["euler", "rk4"].contains(&solver);
            let want = if is_fixed { [0.0, 1.0, 0.0, -1.0] } else { [0.0, -0.5, -1.5, -2.5] };
            let is_near = trace.iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-9);
            assert!(is_near, "{solver}, {engine}: {trace:?}");
        }
    }
}

/// x = 9 − (t − 101)² is above 0 for six seconds. Its polynomial is exact in every step, so that the solver's steps become
/// far longer than those six seconds; the crossings are found at the simulation's steps of two seconds within them.
#[test]
fn a_short_visit_beyond_a_border_is_seen_within_a_long_step() {
    let sketch = Sketch::new(2.0)
        .block(0, "Var/Static", &[("Value", &["-2"])])
        .block(1, "Math/Integrate", &[("Initial Value", &["202"])])
        .block(2, "Math/Integrate", &[("Initial Value", &["-10192"])])
        .block(3, "Math/Sign", &[])
        .block(4, "Math/Integrate", &[])
        .block(5, "exit z", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Input")])
        .wires("Main", &[("3.Output", "4.Input"), ("4.Output", "5.Input")]);
    for solver in ["dopri45", "radau35"] {
        let sketch = Sketch { simulation: sketch.simulation.clone() }.solver(solver);
        for engine in ["simple", "flat", "compiled"] {
            // At 300 s: 98 down, 6 up, 196 down.
            let got = Run::new(&sketch.simulation, engine).steps(151).exit("z")[0];
            assert!((got + 288.0).abs() < 1e-3, "{solver} on {engine}: {got}");
        }
    }
}

/// A crossing so near before a point of the grid that no step leads from there to it: x = t + offset passes 0.5. The rate
/// comes from a unit delay, so that steps end at each point of the grid.
#[test]
fn a_crossing_just_before_a_point_of_the_grid_is_at_it() {
    for offset in ["0", "1e-16", "1e-15", "8e-15", "3e-14", "1e-13", "1e-12", "-1e-16", "-1e-15", "-3e-14"] {
        let sketch = Sketch::new(0.1)
            .block(0, "Var/Static", &[("Value", &["1"])])
            .block(1, "Discrete/Unit Delay", &[("Initial Value", &["1"])])
            .block(2, "Math/Integrate", &[("Initial Value", &[offset])])
            .block(3, "Math/Bias", &[("Bias", &["-0.5"])])
            .block(4, "Math/Sign", &[])
            .block(5, "Math/Integrate", &[])
            .block(6, "exit z", &[])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Input")])
            .wires("Main", &[("3.Output", "4.Input"), ("4.Output", "5.Input"), ("5.Output", "6.Input")]);
        for solver in SOLVERS {
            let sketch = Sketch { simulation: sketch.simulation.clone() }.solver(solver);
            let trace = Run::new(&sketch.simulation, "compiled").trace("z", 11);
            assert!((trace[5] + 0.5).abs() < 1e-9 && trace[10].abs() < 1e-9, "{offset}, {solver}: {trace:?}");
        }
    }
}
