//! The examples run and match their descriptions and independent solutions.

mod closed;
#[cfg(feature = "app")]
mod drawn;

use std::path::{Path, PathBuf};

use simulate::format::{Formats, LoadOptions};
use simulate::model::{SignalKey, Simulation};

use crate::sketch::Run;

#[test]
fn every_example_is_canonical_and_without_a_warning() {
    let paths = example_paths();
    assert!(paths.len() >= 24, "{} examples", paths.len());
    for path in paths {
        let simulation = load(&path);
        let found = simulate::engine::diagnose(&simulation, &simulate::block::Registry::standard());
        assert_eq!(found, [], "{}", path.display());
        for name in ["title", "about", "source", "field"] {
            assert!(simulation.attributes.get(name).is_some(), "{}: {name}", path.display());
        }
        let formats = Formats::standard();
        let loader = formats.of_path(&path).expect("a loader");
        let written = loader.write(&simulation).expect("it can be written");
        assert_eq!(written, std::fs::read(&path).expect("the file"), "{} is not canonical", path.display());
    }
}

/// The displayed name of every signal of a program can be parsed.
#[test]
fn paths_lead_where_they_say() {
    let registry = simulate::block::Registry::standard();
    for name in ["dc_motor", "epidemic", "mass_spring_chain", "robot"] {
        let simulation = load(&root().join(format!("assets/examples/{name}.simx")));
        let program = simulate::engine::compile(&simulation, &registry).expect("it compiles");
        for (key, output) in program.signals() {
            let text = key.text(&simulation);
            assert_eq!(SignalKey::parse(&text, &simulation, &registry).as_ref(), Ok(&key), "{text}");
            assert_eq!(SignalKey::parse(&key.to_string(), &simulation, &registry).as_ref(), Ok(&key), "{key}");
            assert_eq!(program.output_of(&key), Some(output), "{text}");
        }
    }
}

/// SciPy's solution at some times; the tolerance follows from the step length.
#[test]
fn examples_agree_with_scipy() {
    let examples = [
        ("dc_motor", 1e-6),
        ("lorenz", 1e-6),
        ("predator_prey", 1e-5),
        ("epidemic", 1e-8),
        ("mass_spring_chain", 1e-8),
        // The throttle's limits are between steps.
        ("antiwindup", 1e-6),
        ("servo", 1e-8),
        ("quarter_car", 1e-6),
        ("robertson", 1e-9),
        ("buck_converter", 1e-7),
        ("robot_arm", 1e-6),
        // Chaos multiplies errors.
        ("double_pendulum", 1e-6),
        ("phase_locked_loop", 1e-4),
        // A pulse is seen up to a step of 2 ms late, at both ends of an interval of 0.2 s.
        ("bicycle_computer", 0.02),
        // Its times are known: pressed at 4 s and 40 s, with ten seconds for cars, three of amber and eight of walk.
        ("pedestrian_crossing", 1e-9),
    ];
    for (name, tolerance) in examples {
        compare(name, tolerance, &mut run(name));
    }
}

/// Compares a run with the table of an example. A value may differ by the tolerance, or relative to its size above 1.
fn compare(name: &str, tolerance: f64, run: &mut Run) {
    let path = root().join(format!("tests/examples/{name}.csv"));
    let mut table = csv::Reader::from_path(path).expect("the table");
    let exits: Vec<String> = table.headers().expect("a header").iter().skip(1).map(str::to_owned).collect();
    for row in table.records() {
        let row: Vec<f64> = row.expect("a row").iter().map(|field| field.parse().expect("a number")).collect();
        let steps = (row[0] / run.program.delta).round() as u64 + 1 - run.context.step;
        run.steps(steps);
        for (exit, want) in exits.iter().zip(&row[1..]) {
            let got = run.exit(exit)[0];
            assert!(
                (got - want).abs() < tolerance * want.abs().max(1.0),
                "{name}: {exit} at {} s: {got}, not {want}",
                row[0]
            );
        }
    }
}

#[test]
fn fibonacci_numbers_are_those_of_the_book() {
    // The pairs of rabbits of the Liber Abaci, chapter 12.
    let trace = run("fibonacci").trace("next", 13);
    assert_eq!(trace, [1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0, 34.0, 55.0, 89.0, 144.0, 233.0, 377.0]);
}

/// Between 19.5 and 20.5 °C, towards 35 °C while heating and 5 °C otherwise: each direction takes τ·ln(15.5/14.5).
#[test]
fn the_thermostat_has_its_period() {
    let mut run = run("thermostat");
    let trace = run.trace("heater", 7200);
    let on: Vec<usize> = (1..trace.len()).filter(|&step| trace[step - 1] == 0.0 && trace[step] == 1.0).collect();
    let periods = on.windows(2).map(|pair| (pair[1] - pair[0]) as f64);
    let want = 2.0 * 1800.0 * (15.5f64 / 14.5).ln();
    // The relay switches only at steps of 1 s, up to one step late.
    for period in periods {
        assert!(period >= want - 1.0 && period <= want + 4.0, "{period} s, not {want} s");
    }
    assert!(on.len() > 20, "{} times on", on.len());
}

/// The bounces are where the parabolas end, each flight 0.8 of the last.
#[test]
fn the_ball_is_on_its_parabolas() {
    let (g, mut run) = (9.81_f64, run("bouncing_ball"));
    let (mut bounce, mut speed) = ((20.0 / g).sqrt(), 0.8 * (20.0 * g).sqrt());
    for (step, got) in run.trace("height", 1000).into_iter().enumerate() {
        let time = step as f64 * 0.01;
        while time > bounce + 2.0 * speed / g {
            bounce += 2.0 * speed / g;
            speed *= 0.8;
        }
        let since = time - bounce;
        let want = if since < 0.0 { 10.0 - g * time * time / 2.0 } else { speed * since - g * since * since / 2.0 };
        assert!((got - want).abs() < 1e-9, "step {step}: {got}, not {want}");
    }
    // Where the flights become infinitely short, it lies on the ground.
    let rest = run.trace("height", 1000);
    assert!(rest[500..].iter().all(|height| *height == 0.0), "at rest");
}

/// The demodulated tone has half the carrier's amplitude, attenuated by the filter: |H| = 1/√(1 + (5/15)⁴) at 5 Hz.
#[test]
fn the_radio_gives_the_tone_back() {
    let mut run = run("am_radio");
    let trace = run.trace("sound", 10_000);
    // Correlation over the last six periods of the tone.
    let turn = |step: usize| std::f64::consts::TAU * 5.0 * step as f64 * 1e-4;
    let part = |wave: fn(f64) -> f64| (4000..10_000).map(|step| trace[step] * wave(turn(step))).sum::<f64>() / 3000.0;
    let amplitude = part(f64::sin).hypot(part(f64::cos));
    let want = 0.5 / (1.0 + (5.0f64 / 15.0).powi(4)).sqrt();
    assert!((amplitude - want).abs() < 0.02 * want, "{amplitude}, not {want}");
}

/// With speed v and turn rate ω the robot is at (v/ω)·(sin ωt, 1 − cos ωt), and its heading is ωt. The method of Runge and
/// Kutta makes an error of about (ωh)⁴ of the way.
#[test]
fn the_robot_is_on_its_circle() {
    let mut run = run("robot");
    for step in 0..1257 {
        let time = f64::from(step) * 0.01;
        let want = [(0.5 * time).sin(), 1.0 - (0.5 * time).cos(), 0.5 * time];
        run.steps(1);
        for (got, want) in run.exit("state").iter().zip(want) {
            assert!((got - want).abs() < 1e-11, "step {step}: {got}, not {want}");
        }
    }
}

/// The conserved quantity of Lotka and Volterra: δx − γ·ln x + βy − α·ln y.
#[test]
fn predator_and_prey_stay_on_their_curve() {
    let mut run = run("predator_prey");
    let quantity = |run: &Run| {
        let (x, y) = (run.exit("prey")[0], run.exit("predators")[0]);
        0.1 * x - 0.4 * x.ln() + 0.4 * y - 1.1 * y.ln()
    };
    run.steps(1);
    let first = quantity(&run);
    for _ in 0..100 {
        run.steps(90);
        let now = quantity(&run);
        assert!((now - first).abs() < 1e-6 * first.abs(), "{now}, not {first}");
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the files of all examples, sorted.
fn example_paths() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("assets/examples")).expect("the examples");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn load(path: &Path) -> Simulation {
    let loaded = Formats::standard()
        .open(path, &LoadOptions::default())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(loaded.diagnostics, [], "{}", path.display());
    loaded.simulation
}

/// Returns a run on the reference engine, or of many steps in machine code.
fn run(name: &str) -> Run {
    let simulation = load(&root().join(format!("assets/examples/{name}.simx")));
    let engine = if simulation.steps > 10_000 { "compiled" } else { "simple" };
    Run::new(&simulation, engine)
}
