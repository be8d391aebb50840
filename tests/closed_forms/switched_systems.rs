//! A standing proof of solvers of variable step: ten switched problems with closed forms, on every solver and engine. Those
//! in which states slide along a switch are in `sliding.rs`.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use simulate::block::{BlockDef, Face, Look, Ports, Registry};
use simulate::engine::{Context, Engines, Samples, TierUp, compile};

use crate::sketch::Sketch;

const SOLVERS: [&str; 3] = ["dopri45", "rodas34", "radau35"];
const ENGINES: [&str; 3] = ["simple", "flat", "compiled"];

/// Runs a problem to `end` seconds and compares the exit x with its closed form at each point of the grid.
fn check(name: &str, sketch: &Sketch, end: f64, tolerance: f64, closed: impl Fn(f64) -> f64) {
    let delta = sketch.simulation.delta;
    let mut registry = Registry::clone(&Registry::standard());
    registry.add(&BALL).expect("the name is free");
    for solver in SOLVERS {
        let mut simulation = sketch.simulation.clone();
        for (attribute, value) in [("solver", solver), ("rtol", "1e-9"), ("atol", "1e-11")] {
            simulation.attributes.set(attribute, value);
        }
        let program = Arc::new(compile(&simulation, &registry).unwrap_or_else(|found| panic!("{name}: {found:#?}")));
        for engine in ENGINES {
            let engines = Engines::with(TierUp::Wait);
            let mut execute = engines.get(engine).expect("the engine").prepare(&program).expect("it runs");
            let mut context = Context::new(&program);
            for step in 0..=(end / delta).round() as u64 {
                execute.run(&mut context, 1, &mut Samples::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
                let (_, got) = context.exits(&program).remove(0);
                let (got, time) = (got.expect("it is set")[0], step as f64 * delta);
                let want = closed(time);
                assert!((got - want).abs() < tolerance, "{name}, {solver} on {engine}, at {time} s: {got}, not {want}");
            }
        }
    }
}

/// A thermostat: T' = u − T from 0, heated with 30 up to 21 degrees, not heated down to 19.
#[test]
fn a_thermostat_switches_at_its_thresholds() {
    let options: &[(&str, &[&str])] =
        &[("Switch On", &["-19"]), ("Switch Off", &["-21"]), ("On Value", &["30"]), ("Off Value", &["0"])];
    let sketch = Sketch::new(0.125)
        .block(0, "Math/Unary Minus", &[])
        .block(1, "Nonlinear/Relay", options)
        .block(2, "Continuous/PT1", &[])
        .block(3, "exit x", &[])
        .wires("Main", &[("2.Output", "0.Input"), ("0.Output", "1.Input"), ("1.Output", "2.Input")])
        .wires("Main", &[("2.Output", "3.Input")]);
    let (first, up, down) = ((30.0f64 / 9.0).ln(), (11.0f64 / 9.0).ln(), (21.0f64 / 19.0).ln());
    check("thermostat", &sketch, 5.0, 1e-6, |t| match t {
        t if t <= first => 30.0 * (1.0 - (-t).exp()),
        t => {
            let within = (t - first) % (up + down);
            if within < down { 21.0 * (-within).exp() } else { 30.0 - 11.0 * (-(within - down)).exp() }
        }
    });
}

/// A buck converter with a coil and a resistor: i' = u − i, u = 10 for 0.3 of each period of 0.07 s.
#[test]
fn a_converter_follows_its_pulses() {
    let sketch = Sketch::new(0.1)
        .block(0, "Var/Static", &[("Value", &["0.3"])])
        .block(1, "Nonlinear/PWM", &[("Period", &["0.07"])])
        .block(2, "Math/Gain", &[("Gain", &["10"])])
        .block(3, "Continuous/PT1", &[])
        .block(4, "exit x", &[])
        .wires("Main", &[("0.Output", "1.Duty"), ("1.Output", "2.Input"), ("2.Output", "3.Input")])
        .wires("Main", &[("3.Output", "4.Input")]);
    check("converter", &sketch, 3.0, 1e-7, |t| {
        let (mut current, mut begin) = (0.0, 0.0);
        let (mut number, mut is_on) = (0.0_f64, true);
        loop {
            let end = if is_on { (number + 0.3) * 0.07 } else { (number + 1.0) * 0.07 };
            let drive = if is_on { 10.0 } else { 0.0 };
            let until = end.min(t);
            current = drive + (current - drive) * (-(until - begin)).exp();
            if end >= t {
                return current;
            }
            (begin, is_on) = (end, !is_on);
            if is_on {
                number += 1.0;
            }
        }
    });
}

/// A ball on a table that moves up with 0.7 m/s: from 1 m above it at the same speed, with half the relative speed after
/// each bounce.
static BALL: BlockDef = BlockDef {
    group: "Test",
    name: "Ball on a table",
    doc: "A ball that bounces on a moving table",
    formula: "h'' = -9.81; where h falls below 0.7·t, h' = 0.7 - (h' - 0.7)/2",
    aliases: &[],
    look: Look::rect(Face::Empty),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Height"]),
    params: &[],
    build: |b| {
        let (height, speed) = (b.continuous(1, b.constant(1.0)), b.continuous(1, b.constant(0.7)));
        let above = height.value - b.time() * 0.7;
        let was_above = b.mode(1, b.constant(1.0));
        was_above.next(b.select(b.deciding(), above.gt(0.0), was_above.value));
        b.crossing(above);
        let hits = was_above.value.and(!above.gt(0.0)).and(b.deciding());
        speed.jump(hits, b.constant(0.7) - (speed.value - 0.7) * 0.5);
        height.derivative(speed.value);
        speed.derivative(b.constant(-9.81));
        b.output(0, height.value);
    },
    examples: &[],
};

#[test]
fn a_ball_bounces_on_a_moving_table_and_comes_to_rest() {
    let sketch = Sketch::new(0.05)
        .block(0, "Test/Ball on a table", &[])
        .block(1, "exit x", &[])
        .wires("Main", &[("0.Height", "1.Input")]);
    let first = (2.0f64 / 9.81).sqrt();
    check("moving table", &sketch, 6.0, 1e-6, |t| {
        let table = 0.7 * t;
        if t < first {
            return table + 1.0 - 9.81 * t * t / 2.0;
        }
        let (mut begin, mut speed) = (first, 9.81 * first / 2.0);
        while t > begin + 2.0 * speed / 9.81 && speed > 1e-12 {
            begin += 2.0 * speed / 9.81;
            speed /= 2.0;
        }
        let since = t - begin;
        table + if speed > 1e-12 { speed * since - 9.81 * since * since / 2.0 } else { 0.0 }
    });
}

/// A relay behind a delay: x' = −sign(x(t − 0.5)) from 1 is a triangle of height 0.5 and period 2.
#[test]
fn a_relay_with_a_delay_oscillates() {
    let sketch = Sketch::new(0.1)
        .block(0, "Math/Integrate", &[("Initial Value", &["1"])])
        .block(1, "Continuous/Transport Delay", &[("Delay", &["0.5"]), ("Initial Value", &["1"])])
        .block(2, "Math/Sign", &[])
        .block(3, "Math/Unary Minus", &[])
        .block(4, "exit x", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Input")])
        .wires("Main", &[("3.Output", "0.Input"), ("0.Output", "4.Input")]);
    check(
        "relay with delay",
        &sketch,
        8.0,
        1e-8,
        |t| {
            if t < 1.5 { 1.0 - t } else { triangle(((t - 1.0) / 2.0).fract()) }
        },
    );
}

/// A triangle that falls through 0 at 0, is −0.5 at a quarter and 0.5 at three quarters of its period of 2.
fn triangle(turn: f64) -> f64 {
    match turn {
        turn if turn < 0.25 => -2.0 * turn,
        turn if turn < 0.75 => 2.0 * turn - 1.0,
        turn => 2.0 - 2.0 * turn,
    }
}

/// A mass between two springs with play: x'' = −dead zone of x between −1 and 1, from x = 0 with the speed 2. It crosses
/// the play in 1 s and turns in a spring in π s.
#[test]
fn a_mass_flies_between_two_springs() {
    let sketch = Sketch::new(0.2)
        .block(0, "Math/Integrate", &[("Initial Value", &["2"])])
        .block(1, "Math/Integrate", &[])
        .block(2, "Nonlinear/Dead Zone", &[("Start", &["-1"]), ("End", &["1"])])
        .block(3, "Math/Unary Minus", &[])
        .block(4, "exit x", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Input")])
        .wires("Main", &[("3.Output", "0.Input"), ("1.Output", "4.Input")]);
    check("springs with play", &sketch, 20.0, 1e-6, |t| {
        // From the middle of the play on: half a period in each direction.
        let half = 1.0 + PI;
        let (number, within) = ((t / half).floor(), t % half);
        let side = if number % 2.0 == 0.0 { 1.0 } else { -1.0 };
        let place = match within {
            within if within < 0.5 => 2.0 * within,
            within if within < 0.5 + PI => 1.0 + 2.0 * (within - 0.5).sin(),
            within => 1.0 - 2.0 * (within - 0.5 - PI),
        };
        side * place
    });
}

/// A tank: an integrator between 0 and 1 that cos t fills and empties, from 0. It is full where sin t is 1, and empty again
/// after another half turn.
#[test]
fn a_tank_is_full_and_empty_in_turns() {
    let sketch = Sketch::new(0.25)
        .block(0, "Var/Sine", &[("Phase", &["1.5707963267948966"]), ("Amplitude", &["0.8"])])
        .block(1, "Continuous/Integrator", &[("Limited", &["1"]), ("Lower Limit", &["0"]), ("Upper Limit", &["1"])])
        .block(2, "exit x", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
    check("tank", &sketch, 20.0, 1e-7, |t| {
        // It rises by 0.8 in the first quarter, empties, and from then on rises to 1 at most and falls to 0 in each turn.
        if t < PI / 2.0 {
            return 0.8 * t.sin();
        }
        let turn = (t - PI / 2.0) % TAU;
        let start = if t < PI / 2.0 + TAU { 0.8 } else { 1.0 };
        match turn < PI {
            true => (start - 0.8 * (1.0 - turn.cos())).max(0.0),
            false => (0.8 * (1.0 - (turn - PI).cos())).min(1.0),
        }
    });
}

/// An oscillator of relaxation: an integrator of 0.83 that its own output resets to 0 at 1.
#[test]
fn an_integrator_resets_itself() {
    let sketch = Sketch::new(0.25)
        .block(0, "Var/Static", &[("Value", &["0.83"])])
        .block(1, "Continuous/Integrator", &[("Reset", &["rising"]), ("Show State", &["1"])])
        .block(2, "Logic/Compare To Constant", &[("Operator", &[">="]), ("Constant", &["1"])])
        .block(3, "exit x", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.State", "2.Input"), ("2.Output", "1.Reset")])
        .wires("Main", &[("1.Output", "3.Input")]);
    check("relaxation", &sketch, 20.0, 1e-8, |t| (0.83 * t) % 1.0);
}

/// A rectifier: ∫|sin t| dt, 2 for each half turn.
#[test]
fn a_rectifier_adds_up_half_waves() {
    let sketch = Sketch::new(0.5)
        .block(0, "Var/Sine", &[])
        .block(1, "Math/Abs", &[])
        .block(2, "Math/Integrate", &[])
        .block(3, "exit x", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Input")]);
    check("rectifier", &sketch, 20.0, 1e-6, |t| 2.0 * (t / PI).floor() + 1.0 - (t % PI).cos());
}

/// An angle that wraps around at half a turn, driven with 0.7 turns a second.
#[test]
fn an_angle_wraps_around() {
    let options: &[(&str, &[&str])] =
        &[("Wrapped", &["1"]), ("Lower Limit", &["-3.141592653589793"]), ("Upper Limit", &["3.141592653589793"])];
    let sketch = Sketch::new(0.2)
        .block(0, "Var/Static", &[("Value", &["-4.39822971502571"])])
        .block(1, "Continuous/Integrator", options)
        .block(2, "Math/Trigonometry", &[("Function", &["cos"])])
        .block(3, "exit x", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Input")]);
    check("wrapped angle", &sketch, 20.0, 1e-9, |t| (4.39822971502571 * t).cos());
}

/// A limit cycle by two thresholds: x'' = 1 up to the speed 1, then −1 down to −1, and so on: parabolas in turns.
#[test]
fn a_carriage_turns_at_its_speeds() {
    let options: &[(&str, &[&str])] =
        &[("Switch On", &["1"]), ("Switch Off", &["-1"]), ("On Value", &["-1"]), ("Off Value", &["1"])];
    let sketch = Sketch::new(0.3)
        .block(0, "Math/Integrate", &[])
        .block(1, "Nonlinear/Relay", options)
        .block(2, "Math/Integrate", &[])
        .block(3, "exit x", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "0.Input"), ("0.Output", "2.Input")])
        .wires("Main", &[("2.Output", "3.Input")]);
    check("carriage", &sketch, 20.0, 1e-7, |t| {
        if t < 1.0 {
            return 0.5 * t * t;
        }
        // The speed falls from 1 to −1 in 2 s and rises again; the place is 0.5 at each turn of the acceleration.
        let within = (t - 1.0) % 4.0;
        match within < 2.0 {
            true => 0.5 + within - 0.5 * within * within,
            false => 0.5 - (within - 2.0) + 0.5 * (within - 2.0) * (within - 2.0),
        }
    });
}
