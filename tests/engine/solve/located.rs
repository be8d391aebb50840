//! Kinks and jumps of formulas, tables and blocks with memory lie between the points of the grid: solvers of variable step
//! locate them, so that integrals are their closed forms, and do not where that is switched off.

use std::f64::consts::PI;

use crate::sketch::{Run, Sketch};

const SOLVERS: [&str; 3] = ["dopri45", "rodas34", "radau35"];
const ENGINES: [&str; 2] = ["simple", "compiled"];

/// Returns the values of the exit z at the points of a grid, with each solver and engine.
pub fn traces(sketch: &Sketch, steps: usize) -> Vec<(String, Vec<f64>)> {
    let mut found = Vec::new();
    for solver in SOLVERS {
        let mut sketch = Sketch { simulation: sketch.simulation.clone() }.solver(solver);
        sketch.simulation.attributes.set("rtol", "1e-10");
        sketch.simulation.attributes.set("atol", "1e-12");
        for engine in ENGINES {
            let mut run = Run::new(&sketch.simulation, engine);
            found.push((format!("{solver} on {engine}"), run.trace("z", steps)));
        }
    }
    found
}

pub fn check(what: &str, sketch: &Sketch, steps: usize, tolerance: f64, want: impl Fn(f64) -> f64) {
    let delta = sketch.simulation.delta;
    for (how, trace) in traces(sketch, steps) {
        for (step, got) in trace.into_iter().enumerate() {
            let time = step as f64 * delta;
            let want = want(time);
            assert!((got - want).abs() < tolerance, "{what}, {how}, at {time} s: {got}, not {want}");
        }
    }
}

/// An expression of `U`, the time, and its integral from 0.
struct Case(&'static str, fn(f64) -> f64);

/// The integral of a function with period `period`, of which that over the first period is given.
fn periodic(t: f64, period: f64, within: impl Fn(f64) -> f64) -> f64 {
    let turns = (t / period).floor();
    turns * within(period) + within(t - turns * period)
}

/// The integral of the number of whole `width` in the time.
fn stairs(t: f64, width: f64) -> f64 {
    let n = (t / width).floor();
    n * (t - width * (n + 1.0) / 2.0)
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case("y = abs(sin(U))", |t| periodic(t, PI, |t| 1.0 - t.cos())),
    Case("y = floor(1.3*U)", |t| stairs(t, 1.0 / 1.3)),
    Case("y = ceil(1.3*U)", |t| stairs(t, 1.0 / 1.3) + t),
    Case("y = round(1.3*U)", |t| stairs(t + 0.5 / 1.3, 1.0 / 1.3)),
    Case("y = fix(1.3*(2 - U))", |t| stairs(2.0, 1.0 / 1.3) - stairs((2.0 - t).abs(), 1.0 / 1.3)),
    Case("y = min(U, 1.23)", |t| if t < 1.23 { t * t / 2.0 } else { 1.23 * t - 1.23 * 1.23 / 2.0 }),
    Case("y = max([0.77 U 0.2])", |t| if t < 0.77 { 0.77 * t } else { (t * t + 0.77 * 0.77) / 2.0 }),
    Case("y = mod(U, 0.7)", |t| periodic(t, 0.7, |t| t * t / 2.0)),
    Case("y = mod(-U, 0.7)", |t| periodic(t, 0.7, |t| 0.7 * t - t * t / 2.0)),
    Case("y = rem(-U, 0.7)", |t| -periodic(t, 0.7, |t| t * t / 2.0)),
    Case("y = sign(sin(U))", |t| periodic(t, 2.0 * PI, |t| PI - (t - PI).abs())),
    Case("y = U > 1.21 ? 2 : -1", |t| if t < 1.21 { -t } else { -1.21 + 2.0 * (t - 1.21) }),
    Case("y = if(U > 0.3 && !(U >= 1.1), 5, 1)", |t| t + 4.0 * (t.min(1.1) - 0.3).max(0.0)),
    Case("y = (mod(U, 1.3) < 0.4)*3", |t| periodic(t, 1.3, |t| 3.0 * t.min(0.4))),
    Case("_v = [1 4 2 8]; y = _v(1 + 1.3*U)", |t| {
        let width = 1.0 / 1.3;
        [1.0, 4.0, 2.0, 8.0].iter().enumerate().map(|(cell, value)| {
            let begin = cell as f64 * width;
            let end = if cell == 3 { f64::INFINITY } else { begin + width };
            value * (t.min(end) - begin).max(0.0)
        }).sum()
    }),
];

/// The expression in the block Formula, whose input is the time.
fn formula(text: &str) -> Sketch {
    Sketch::new(0.5)
        .block(0, "Var/Clock", &[])
        .block(1, "User/Formula", &[("Formula", &[&text.replace('U', "u")]), ("Inputs", &["u"])])
        .block(2, "Math/Integrate", &[])
        .block(3, "exit z", &[])
        .wires("Main", &[("0.Output", "1.u"), ("1.y", "2.Input"), ("2.Output", "3.Input")])
}

fn waveform(text: &str) -> Sketch {
    Sketch::new(0.5)
        .block(1, "Var/Waveform", &[("Formula", &[&text.replace('U', "t")])])
        .block(2, "Math/Integrate", &[])
        .block(3, "exit z", &[])
        .wires("Main", &[("1.y", "2.Input"), ("2.Output", "3.Input")])
}

fn equation(text: &str) -> Sketch {
    let equations = text.replace('U', "t").replace("y = ", "z' = ");
    Sketch::new(0.5)
        .block(1, "User/ODE", &[("Equations", &[&equations]), ("Inputs", &[""])])
        .block(3, "exit z", &[])
        .wire("1.z", "3.Input")
}

#[test]
fn kinks_and_jumps_of_formulas_are_located() {
    for Case(text, integral) in CASES {
        check(&format!("formula {text}"), &formula(text), 11, 1e-9, integral);
        check(&format!("waveform {text}"), &waveform(text), 11, 1e-9, integral);
        check(&format!("equation {text}"), &equation(text), 11, 1e-9, integral);
    }
}

/// A condition that guards a root: the rate behind the crossing has no value in the branch decided before.
#[test]
fn a_condition_guards_a_branch_without_a_value() {
    let text = "y = U < 1.21 ? sqrt(1.21 - U) : 0";
    let area = 2.0 / 3.0 * 1.21_f64.powf(1.5);
    check(text, &equation(text), 8, 1e-7, |t| area - 2.0 / 3.0 * (1.21 - t).max(0.0).powf(1.5));
}

/// An equation slides: x' = −sign(x) − 0.2 comes to rest at 0.
#[test]
fn a_sign_in_an_equation_slides() {
    let sketch = Sketch::new(0.5)
        .block(
            1,
            "User/ODE",
            &[("Equations", &["z' = -sign(z) - 0.2"]), ("Initial Values", &["z = 1.1"]), ("Inputs", &[""])],
        )
        .block(3, "exit z", &[])
        .wire("1.z", "3.Input");
    check("sign", &sketch, 11, 1e-9, |t| (1.1 - 1.2 * t).max(0.0));
}

/// A block whose input is a ramp, and its output as a curve of straight lines; two points with one abscissa are a jump.
struct Curve {
    block: &'static str,
    options: &'static [(&'static str, &'static [&'static str])],
    /// The ports of the ramp and of the result.
    ports: [&'static str; 2],
    /// Inputs that are constant.
    others: &'static [(&'static str, &'static [&'static str])],
    points: &'static [(f64, f64)],
}

/// The area below a curve of straight lines up to an abscissa.
pub fn area(points: &[(f64, f64)], to: f64) -> f64 {
    points.windows(2).fold(0.0, |sum, pair| {
        let ((from_x, from_y), (to_x, to_y)) = (pair[0], pair[1]);
        if to <= from_x || to_x == from_x {
            return sum;
        }
        let end = to.min(to_x);
        let height = from_y + (to_y - from_y) * (end - from_x) / (to_x - from_x);
        sum + (end - from_x) * (from_y + height) / 2.0
    })
}

const KNOTS: &[&str] = &["0.3", "1.13", "2.9"];
const VALUES: &[&str] = &["1", "-2", "4"];
const PORTS: [&str; 2] = ["Input", "Output"];

#[rustfmt::skip]
const CURVES: &[Curve] = &[
    Curve {
        block: "Lookup/1-D Lookup Table",
        options: &[("Breakpoints", KNOTS), ("Table", VALUES)],
        ports: PORTS,
        others: &[],
        points: &[(-9.0, 1.0), (0.3, 1.0), (1.13, -2.0), (2.9, 4.0), (9.0, 4.0)],
    },
    Curve {
        block: "Lookup/1-D Lookup Table",
        options: &[("Breakpoints", &["0.3", "1.3", "2.3"]), ("Table", &["1", "0", "4"]), ("Extrapolation", &["extrapolate"])],
        ports: PORTS,
        others: &[],
        points: &[(-9.7, 11.0), (0.3, 1.0), (1.3, 0.0), (2.3, 4.0), (12.3, 44.0)],
    },
    Curve {
        block: "Lookup/1-D Lookup Table",
        options: &[("Breakpoints", KNOTS), ("Table", VALUES), ("Interpolation", &["flat"])],
        ports: PORTS,
        others: &[],
        points: &[(-9.0, 1.0), (1.13, 1.0), (1.13, -2.0), (2.9, -2.0), (2.9, 4.0), (9.0, 4.0)],
    },
    Curve {
        block: "Lookup/1-D Lookup Table",
        options: &[("Breakpoints", KNOTS), ("Table", VALUES), ("Interpolation", &["nearest"])],
        ports: PORTS,
        others: &[],
        points: &[(-9.0, 1.0), (0.715, 1.0), (0.715, -2.0), (2.015, -2.0), (2.015, 4.0), (9.0, 4.0)],
    },
    Curve {
        block: "Lookup/1-D Lookup Table",
        options: &[("Breakpoints", &["0.3", "0.3", "1.13", "1.13", "2.9", "2.9"]), ("Table", &["1", "2", "-2", "3", "4", "0"])],
        ports: PORTS,
        others: &[],
        points: &[(-9.0, 1.0), (0.3, 1.0), (0.3, 2.0), (1.13, -2.0), (1.13, 3.0), (2.9, 4.0), (2.9, 0.0), (9.0, 0.0)],
    },
    // A spline through three points of a straight line, which is clipped at its ends.
    Curve {
        block: "Lookup/1-D Lookup Table",
        options: &[("Breakpoints", &["0.3", "1.3", "2.3"]), ("Table", &["1", "3", "5"]), ("Interpolation", &["spline"])],
        ports: PORTS,
        others: &[],
        points: &[(-9.0, 1.0), (0.3, 1.0), (2.3, 5.0), (9.0, 5.0)],
    },
    Curve {
        block: "Lookup/2-D Lookup Table",
        options: &[
            ("Breakpoints 1", &["0", "2"]),
            ("Breakpoints 2", KNOTS),
            ("Table", &["1", "-2", "4", "3", "0", "6"]),
            ("Interpolation", &["linear"]),
        ],
        ports: ["Input 2", "Output"],
        others: &[("Input 1", &["1"])],
        points: &[(-9.0, 2.0), (0.3, 2.0), (1.13, -1.0), (2.9, 5.0), (9.0, 5.0)],
    },
    Curve {
        block: "Lookup/n-D Lookup Table",
        options: &[
            ("Sizes", &["2", "3"]),
            ("Breakpoints", &["0", "2", "0.3", "1.13", "2.9"]),
            ("Table", &["1", "-2", "4", "3", "0", "6"]),
            ("Interpolation", &["flat"]),
        ],
        ports: ["Input 2", "Output"],
        others: &[("Input 1", &["1"])],
        points: &[(-9.0, 1.0), (1.13, 1.0), (1.13, -2.0), (2.9, -2.0), (2.9, 4.0), (9.0, 4.0)],
    },
    Curve {
        block: "Lookup/Direct Lookup Table",
        options: &[("Table", VALUES)],
        ports: ["Index 1", "Output"],
        others: &[],
        points: &[(-9.0, 1.0), (0.5, 1.0), (0.5, -2.0), (1.5, -2.0), (1.5, 4.0), (9.0, 4.0)],
    },
    Curve {
        block: "Lookup/Prelookup",
        options: &[("Breakpoints", KNOTS)],
        ports: ["Input", "Index"],
        others: &[],
        points: &[(-9.0, 0.0), (1.13, 0.0), (1.13, 1.0), (9.0, 1.0)],
    },
    Curve {
        block: "Lookup/Prelookup",
        options: &[("Breakpoints", KNOTS)],
        ports: ["Input", "Fraction"],
        others: &[],
        points: &[(-9.0, 0.0), (0.3, 0.0), (1.13, 1.0), (1.13, 0.0), (2.9, 1.0), (9.0, 1.0)],
    },
    Curve {
        block: "Lookup/Interpolation Using Prelookup",
        options: &[("Sizes", &["3"]), ("Table", VALUES), ("Interpolation", &["nearest"])],
        ports: ["Fraction 1", "Output"],
        others: &[("Index 1", &["1"])],
        points: &[(-9.0, -2.0), (0.5, -2.0), (0.5, 4.0), (9.0, 4.0)],
    },
    Curve {
        block: "Lookup/Interpolation Using Prelookup",
        options: &[("Sizes", &["3"]), ("Table", VALUES)],
        ports: ["Index 1", "Output"],
        others: &[("Fraction 1", &["0.5"])],
        points: &[(-9.0, -0.5), (1.0, -0.5), (1.0, 1.0), (9.0, 1.0)],
    },
    Curve {
        block: "Lookup/Lookup Table Dynamic",
        options: &[("Interpolation", &["linear within"])],
        ports: PORTS,
        others: &[("Breakpoints", KNOTS), ("Table", VALUES)],
        points: &[(-9.0, 1.0), (0.3, 1.0), (1.13, -2.0), (2.9, 4.0), (9.0, 4.0)],
    },
    Curve {
        block: "Lookup/Lookup Table Dynamic",
        options: &[("Interpolation", &["nearest"])],
        ports: PORTS,
        others: &[("Breakpoints", KNOTS), ("Table", VALUES)],
        points: &[(-9.0, 1.0), (0.715, 1.0), (0.715, -2.0), (2.015, -2.0), (2.015, 4.0), (9.0, 4.0)],
    },
    Curve {
        block: "Lookup/Lookup Table Dynamic",
        options: &[("Interpolation", &["below"])],
        ports: PORTS,
        others: &[("Breakpoints", KNOTS), ("Table", VALUES)],
        points: &[(-9.0, 1.0), (1.13, 1.0), (1.13, -2.0), (2.9, -2.0), (2.9, 4.0), (9.0, 4.0)],
    },
    Curve {
        block: "Lookup/Lookup Table Dynamic",
        options: &[("Interpolation", &["above"])],
        ports: PORTS,
        others: &[("Breakpoints", KNOTS), ("Table", VALUES)],
        points: &[(-9.0, 1.0), (0.3, 1.0), (0.3, -2.0), (1.13, -2.0), (1.13, 4.0), (9.0, 4.0)],
    },
    Curve {
        block: "Math/Function",
        options: &[("Function", &["mod"])],
        ports: ["Input 1", "Output"],
        others: &[("Input 2", &["1.7"])],
        points: &[
            (-3.4, 0.0), (-1.7, 1.7), (-1.7, 0.0), (0.0, 1.7), (0.0, 0.0), (1.7, 1.7), (1.7, 0.0), (3.4, 1.7), (3.4, 0.0), (5.1, 1.7),
        ],
    },
];

impl Curve {
    fn sketch(&self, begin: f64, rate: f64) -> Sketch {
        let [input, output] = self.ports;
        let mut sketch = Sketch::new(0.5)
            .block(0, "Var/Waveform", &[("Formula", &[&format!("y = {begin} + {rate}*t")])])
            .block(1, self.block, self.options)
            .block(2, "Math/Integrate", &[])
            .block(3, "exit z", &[]);
        for (number, (input, values)) in (10..).zip(self.others) {
            sketch = sketch
                .block(number, "Var/Static", &[("Value", values)])
                .wire(&format!("{number}.Output"), &format!("1.{input}"));
        }
        sketch.wire("0.y", &format!("1.{input}")).wire(&format!("1.{output}"), "2.Input").wire("2.Output", "3.Input")
    }
}

#[test]
fn kinks_and_jumps_of_tables_are_located() {
    for curve in CURVES {
        for (begin, rate) in [(-0.61, 1.0), (3.87, -1.0)] {
            let what = format!("{} {:?} from {begin}", curve.block, curve.options);
            let from = area(curve.points, begin);
            check(&what, &curve.sketch(begin, rate), 10, 1e-9, |t| {
                rate * (area(curve.points, begin + rate * t) - from)
            });
        }
    }
}

/// Returns a copy of a sketch in which a block is not located.
fn without_crossings(sketch: &Sketch, block: u64) -> Sketch {
    Sketch { simulation: sketch.simulation.clone() }.mark("Main", block, &[("crossings", "off")])
}

/// The largest error of the exit z.
fn worst(trace: &[f64], want: impl Fn(f64) -> f64) -> f64 {
    trace.iter().enumerate().map(|(step, got)| (got - want(step as f64 * 0.5)).abs()).fold(0.0, f64::max)
}

/// Without location the jump costs an error that the error control permits, but no more than it.
#[test]
fn crossings_are_switched_off_for_one_block() {
    let relay = |t: f64| if t < 1.21 { 0.0 } else { t - 1.21 };
    let sketch = Sketch::new(0.5)
        .block(0, "Var/Clock", &[])
        .block(1, "Nonlinear/Relay", &[("Switch On", &["1.21"]), ("Switch Off", &["-1"])])
        .block(2, "Math/Integrate", &[])
        .block(3, "exit z", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Input")]);
    for (how, trace) in traces(&sketch, 8) {
        assert!(worst(&trace, relay) < 1e-9, "{how}: {trace:?}");
    }
    // It switches at the step after 1.21 s: at 1.5 s.
    for (how, trace) in traces(&without_crossings(&sketch, 1), 8) {
        let late = |t: f64| (t - 1.5).max(0.0);
        assert!(worst(&trace, late) < 1e-9, "{how}: {trace:?}");
    }
    let text = "y = floor(1.3*U)";
    for (how, trace) in traces(&without_crossings(&formula(text), 1), 11) {
        let error = worst(&trace, |t| stairs(t, 1.0 / 1.3));
        assert!((1e-11..1e-2).contains(&error), "{how}: an error of {error}");
    }
    // A pulse from 0 to 0.25 s of each second is seen at steps only: for the whole step from 0 to 0.5 s.
    let pulse = Sketch::new(0.5)
        .block(1, "Var/Pulse", &[("Period", &["1"]), ("Width", &["25"])])
        .block(2, "Math/Integrate", &[])
        .block(3, "exit z", &[])
        .wires("Main", &[("1.Output", "2.Input"), ("2.Output", "3.Input")]);
    for (how, trace) in traces(&without_crossings(&pulse, 1), 9) {
        let stepped = |t: f64| periodic(t, 1.0, |t| t.min(0.5));
        assert!(worst(&trace, stepped) < 1e-9, "{how}: {trace:?}");
    }
}

/// Two relays of equal settings, of which one is not located: the other switches in its time.
#[test]
fn equal_blocks_differ_in_what_is_located() {
    let options: &[(&str, &[&str])] = &[("Switch On", &["1.21"]), ("Switch Off", &["-1"])];
    let sketch = |exit: &str| {
        Sketch::new(0.5)
            .block(0, "Var/Clock", &[])
            .block(1, "Nonlinear/Relay", options)
            .block(2, "Nonlinear/Relay", options)
            .block(3, "Math/Integrate", &[])
            .block(4, "Math/Integrate", &[])
            .block(5, "exit z", &[])
            .wires("Main", &[("0.Output", "1.Input"), ("0.Output", "2.Input"), ("1.Output", "3.Input")])
            .wires("Main", &[("2.Output", "4.Input"), (exit, "5.Input")])
            .mark("Main", 2, &[("crossings", "off")])
    };
    for (how, trace) in traces(&sketch("3.Output"), 8) {
        assert!(worst(&trace, |t| (t - 1.21).max(0.0)) < 1e-9, "{how}: {trace:?}");
    }
    // The located one lets the other decide, too.
    for (how, trace) in traces(&sketch("4.Output"), 8) {
        assert!(worst(&trace, |t| (t - 1.21).max(0.0)) < 1e-9, "{how}: {trace:?}");
    }
}

#[test]
fn a_wrong_word_for_crossings_is_an_error() {
    let sketch = formula("y = abs(U)").mark("Main", 1, &[("crossings", "no")]);
    let found = simulate::engine::compile(&sketch.simulation, &simulate::block::Registry::standard());
    let errors = found.expect_err("it is refused");
    let texts: Vec<&str> = errors.iter().map(|error| &*error.message).collect();
    assert_eq!(texts, ["crossings is “no”, which is neither on nor off"]);
}
