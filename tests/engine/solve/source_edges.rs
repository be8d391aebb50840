//! Sources announce their edges: with a solver of variable step the integral of each is its closed form, on any grid.

use simulate::block::Registry;

use crate::sketch::{Run, Sketch};

const SOLVERS: [&str; 3] = ["dopri45", "rodas34", "radau35"];
const ENGINES: [&str; 2] = ["simple", "compiled"];

/// A source whose pieces are straight lines.
struct Source {
    block: &'static str,
    options: &'static [(&'static str, &'static [&'static str])],
    /// Inputs that are constant.
    inputs: &'static [(&'static str, &'static str)],
    /// The times at which it jumps or has a kink.
    edges: fn() -> Vec<f64>,
    /// Its value at a time, behind an edge.
    value: fn(f64) -> f64,
}

/// The times `begin + (number + part)·period` for each part, up to 20 s.
fn periodic(begin: f64, period: f64, parts: &[f64]) -> Vec<f64> {
    let count = (20.0 / period) as usize;
    (0..=count).flat_map(|number| parts.iter().map(move |part| begin + (number as f64 + part) * period)).collect()
}

fn phase(turns: f64) -> f64 {
    turns - turns.floor()
}

/// The value of a curve at a time: of points with equal times the last is valid.
fn line(points: &[(f64, f64)], time: f64) -> f64 {
    let next = points.partition_point(|(at, _)| *at <= time);
    match (next.checked_sub(1).map(|index| points[index]), points.get(next)) {
        (None, _) => points[0].1,
        (Some(last), None) => last.1,
        (Some(from), Some(to)) => from.1 + (to.1 - from.1) * (time - from.0) / (to.0 - from.0),
    }
}

const POINTS: [(f64, f64); 4] = [(0.0, 1.0), (0.33, -2.0), (1.17, 4.0), (2.9, 0.5)];
const JUMPS: [(f64, f64); 5] = [(0.2, 1.0), (1.13, 3.0), (1.13, -1.0), (2.5, 2.0), (4.1, 0.0)];

#[rustfmt::skip]
const SOURCES: &[Source] = &[
    Source {
        block: "Var/Pulse",
        options: &[("Amplitude", &["3"]), ("Period", &["0.777"]), ("Width", &["30"]), ("Delay", &["0.123"])],
        inputs: &[],
        edges: || periodic(0.123, 0.777, &[0.0, 0.3]),
        value: |t| if t >= 0.123 && phase((t - 0.123) / 0.777) < 0.3 { 3.0 } else { 0.0 },
    },
    Source {
        block: "Var/Pulse",
        options: &[("Period", &["1"]), ("Width", &["25"])],
        inputs: &[],
        edges: || periodic(0.0, 1.0, &[0.0, 0.25]),
        value: |t| if phase(t) < 0.25 { 1.0 } else { 0.0 },
    },
    Source {
        block: "Var/Signal Generator",
        options: &[("Wave", &["square"]), ("Frequency", &["0.317"]), ("Amplitude", &["2"])],
        inputs: &[],
        edges: || periodic(0.0, 1.0 / 0.317, &[0.0, 0.5]),
        value: |t| if phase(0.317 * t) < 0.5 { -2.0 } else { 2.0 },
    },
    Source {
        block: "Var/Signal Generator",
        options: &[("Wave", &["square"]), ("Frequency", &["-0.9"])],
        inputs: &[],
        edges: || periodic(0.0, 1.0 / 0.9, &[0.0, 0.5]),
        value: |t| if phase(0.9 * t) < 0.5 { 1.0 } else { -1.0 },
    },
    Source {
        block: "Var/Signal Generator",
        options: &[("Wave", &["sawtooth"]), ("Frequency", &["2"]), ("Unit", &["rad/s"])],
        inputs: &[],
        edges: || periodic(0.0, std::f64::consts::PI, &[0.0]),
        value: |t| 2.0 * phase(t / std::f64::consts::PI) - 1.0,
    },
    Source {
        block: "Var/Signal Generator",
        options: &[("Wave", &["sawtooth"]), ("Frequency", &["-0.7"])],
        inputs: &[],
        edges: || periodic(0.0, 1.0 / 0.7, &[0.0]),
        value: |t| 1.0 - 2.0 * phase(0.7 * t),
    },
    Source {
        block: "Var/Signal Generator",
        options: &[("Wave", &["triangle"]), ("Frequency", &["0.83"])],
        inputs: &[],
        edges: || periodic(0.0, 1.0 / 0.83, &[0.0, 0.5]),
        value: |t| 1.0 - (4.0 * phase(0.83 * t) - 2.0).abs(),
    },
    Source {
        block: "Var/Ramp",
        options: &[
            ("Positive Slope", &["2"]), ("Negative Slope", &["0.7"]), ("Low Value", &["-1"]), ("High Value", &["1"]),
            ("Starting Value", &["-0.3"]),
        ],
        inputs: &[],
        edges: || periodic(-0.35, 1.0 + 2.0 / 0.7, &[0.0, 1.0 / (1.0 + 2.0 / 0.7)]),
        value: |t| {
            let since = phase((t + 0.35) / (1.0 + 2.0 / 0.7)) * (1.0 + 2.0 / 0.7);
            if since < 1.0 { -1.0 + 2.0 * since } else { 1.0 - 0.7 * (since - 1.0) }
        },
    },
    Source {
        block: "Var/Line",
        options: &[("Slope", &["-2"]), ("Start Time", &["0.333"]), ("Initial Value", &["0.5"])],
        inputs: &[],
        edges: || vec![0.333],
        value: |t| 0.5 - 2.0 * (t - 0.333).max(0.0),
    },
    Source {
        block: "Var/Step",
        options: &[("Step Time", &["0.333"]), ("Initial Value", &["-1"]), ("Final Value", &["2"])],
        inputs: &[],
        edges: || vec![0.333],
        value: |t| if t < 0.333 { -1.0 } else { 2.0 },
    },
    Source {
        block: "Var/Piecewise",
        options: &[
            ("Times", &["0", "0.33", "1.17", "2.9"]), ("Values", &["1", "-2", "4", "0.5"]),
            ("Interpolation", &["flat"]),
        ],
        inputs: &[],
        edges: || vec![0.33, 1.17, 2.9],
        value: |t| POINTS.iter().rev().find(|(at, _)| *at <= t).map_or(1.0, |(_, value)| *value),
    },
    Source {
        block: "Var/Piecewise",
        options: &[
            ("Times", &["0", "0.33", "1.17", "2.9"]), ("Values", &["1", "-2", "4", "0.5"]),
            ("Interpolation", &["nearest"]),
        ],
        inputs: &[],
        edges: || vec![0.165, 0.75, 2.035],
        value: |t| {
            let next = [0.165, 0.75, 2.035].iter().filter(|at| **at <= t).count();
            POINTS[next].1
        },
    },
    Source {
        block: "Var/Piecewise",
        options: &[("Times", &["0.2", "1.13", "1.13", "2.5", "4.1"]), ("Values", &["1", "3", "-1", "2", "0"])],
        inputs: &[],
        edges: || vec![0.2, 1.13, 2.5, 4.1],
        value: |t| line(&JUMPS, t),
    },
    Source {
        block: "Var/Repeating Sequence",
        options: &[("Times", &["0.2", "1.13", "1.13", "2.5", "4.1"]), ("Values", &["1", "3", "-1", "2", "0"])],
        inputs: &[],
        edges: || periodic(0.0, 3.9, &[0.0, 0.93 / 3.9, 2.3 / 3.9]),
        value: |t| line(&JUMPS, 0.2 + phase(t / 3.9) * 3.9),
    },
    Source {
        block: "Var/Repeating Sequence",
        options: &[
            ("Times", &["0", "0.33", "1.17", "2.9"]), ("Values", &["1", "-2", "4", "0.5"]),
            ("Interpolation", &["flat"]),
        ],
        inputs: &[],
        edges: || periodic(0.0, 2.9, &[0.0, 0.33 / 2.9, 1.17 / 2.9]),
        value: |t| {
            let within = phase(t / 2.9) * 2.9;
            POINTS.iter().rev().find(|(at, _)| *at <= within).map_or(1.0, |(_, value)| *value)
        },
    },
    Source {
        block: "Nonlinear/PWM",
        options: &[("Period", &["0.777"]), ("Delay", &["0.1"])],
        inputs: &[("Duty", "0.3")],
        edges: || periodic(0.1, 0.777, &[0.0, 0.3]),
        value: |t| if t >= 0.1 && phase((t - 0.1) / 0.777) < 0.3 { 1.0 } else { 0.0 },
    },
    Source {
        block: "Nonlinear/Variable Pulse",
        options: &[],
        inputs: &[("Duty", "0.4"), ("Period", "0.777")],
        edges: || periodic(0.0, 0.777, &[0.0, 0.4]),
        value: |t| if phase(t / 0.777) < 0.4 { 1.0 } else { 0.0 },
    },
];

impl Source {
    /// The integral from 0 to a time: between edges the value is a straight line.
    fn integral(&self, time: f64) -> f64 {
        let mut ends = (self.edges)();
        ends.retain(|end| *end > 0.0 && *end < time);
        ends.push(time);
        ends.sort_by(f64::total_cmp);
        let (mut from, mut sum) = (0.0, 0.0);
        for end in ends {
            sum += (end - from) * (self.value)(0.5 * (from + end));
            from = end;
        }
        sum
    }

    fn sketch(&self, delta: f64) -> Sketch {
        let mut sketch = Sketch::new(delta)
            .block(0, self.block, self.options)
            .block(1, "Math/Integrate", &[])
            .block(2, "exit x", &[])
            .block(3, "exit u", &[])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("0.Output", "3.Input")]);
        for (id, (input, value)) in (10..).zip(self.inputs) {
            sketch = sketch
                .block(id, "Var/Static", &[("Value", &[*value])])
                .wire(&format!("{id}.Output"), &format!("0.{input}"));
        }
        sketch
    }
}

#[test]
fn integrals_of_sources_are_exact_on_any_grid() {
    for source in SOURCES {
        for (delta, count) in [(0.1, 101), (0.5, 21), (2.0, 6)] {
            for solver in SOLVERS {
                let sketch = source.sketch(delta).solver(solver);
                for engine in ENGINES {
                    let trace = Run::new(&sketch.simulation, engine).trace("x", count);
                    for (step, got) in trace.into_iter().enumerate() {
                        let time = step as f64 * delta;
                        let want = source.integral(time);
                        assert!(
                            (got - want).abs() < 1e-9,
                            "{} {:?} with {solver} on {engine}, step {delta} s, at {time} s: {got}, not {want}",
                            source.block,
                            source.options
                        );
                    }
                }
            }
        }
    }
}

/// A source may be faster than the grid: a pulse of 1 kHz beside a grid of 0.5 s.
#[test]
fn edges_within_a_step_of_the_grid_are_met() {
    let sketch = Sketch::new(0.5)
        .solver("dopri45")
        .block(0, "Var/Pulse", &[("Period", &["0.001"]), ("Width", &["37"])])
        .block(1, "Math/Integrate", &[])
        .block(2, "exit x", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
    for engine in ENGINES {
        let trace = Run::new(&sketch.simulation, engine).trace("x", 5);
        for (step, got) in trace.into_iter().enumerate() {
            let want = 0.37 * 0.5 * step as f64;
            assert!((got - want).abs() < 1e-9, "{engine}, step {step}: {got}, not {want}");
        }
    }
}

/// Solvers of fixed step see the straight pieces of a wave as they are: its integral is exact where edges lie on steps.
#[test]
fn solvers_of_fixed_step_see_the_pieces_within_steps() {
    let triangle = |turn: f64| match turn < 0.5 {
        true => 2.0 * turn * turn - turn,
        false => 3.0 * turn - 2.0 * turn * turn - 1.0,
    };
    let sawtooth = |turn: f64| turn * turn - turn;
    for wave in ["sawtooth", "triangle"] {
        let integral = |turn| if wave == "sawtooth" { sawtooth(turn) } else { triangle(turn) };
        for solver in ["heun", "rk4", "dopri5", "dopri8", "trapezoidal", "rodas4"] {
            let sketch = Sketch::new(0.125)
                .solver(solver)
                .block(0, "Var/Signal Generator", &[("Wave", &[wave])])
                .block(1, "Math/Integrate", &[])
                .block(2, "exit x", &[])
                .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
            for (step, got) in sketch.run().trace("x", 33).into_iter().enumerate() {
                let want = integral(phase(step as f64 / 8.0));
                assert!((got - want).abs() < 1e-12, "{wave} with {solver}, step {step}: {got}, not {want}");
            }
        }
    }
}

/// What the manual says of each source: it has edges, kinks or crossings, is smooth, or acts on the grid.
const KINDS: &[(&str, &str)] = &[
    ("Static", "smooth"),
    ("Ground", "smooth"),
    ("Line", "kinks"),
    ("Clock", "smooth"),
    ("Sine", "smooth"),
    ("Chirp", "smooth"),
    ("Gaussian Pulse", "smooth"),
    ("Waveform", "crossings"),
    ("Step", "edges"),
    ("Pulse", "edges"),
    ("Ramp", "kinks"),
    ("Signal Generator", "edges, kinks"),
    ("Piecewise", "edges, kinks"),
    ("Repeating Sequence", "edges, kinks"),
    ("From File", "edges, kinks"),
    ("Repeating Stair", "grid"),
    ("Counter", "grid"),
    ("Digital Clock", "grid"),
    ("Random", "grid"),
    ("Band-Limited White Noise", "grid"),
    ("Noise", "grid"),
    ("Pink Noise", "grid"),
];

#[test]
fn every_source_says_where_its_edges_are() {
    let registry = Registry::standard();
    let manual = include_str!("../../../assets/manual/solvers.md");
    for def in registry.iter().filter(|def| def.group == "Var") {
        let kind = KINDS.iter().find(|(name, _)| *name == def.name);
        let Some((_, kind)) = kind else { panic!("the source {} has no row", def.name) };
        let row = format!("| {} | {kind} |", def.title());
        assert!(manual.contains(&row), "the manual has no row “{row}”");
        let has_events = *kind == "edges" || kind.contains(',') || *kind == "kinks";
        let is_tested = SOURCES.iter().any(|source| source.block == format!("Var/{}", def.name));
        assert!(!has_events || is_tested || def.name == "From File", "{} has edges, and no test", def.name);
    }
}
