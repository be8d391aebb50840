//! When the search for the values that close an algebraic loop is near enough.

use crate::sketch::{Run, Sketch};

const ENGINES: [&str; 3] = ["simple", "flat", "compiled"];

/// y = y − (exp(k·(y − a)) − 1)/k with k = 10⁹ is solved by y = a. From 1 to a = 1 − 10⁻¹⁰ the first step of Newton's method
/// is shorter than 10⁻¹⁰, and leaves 5·10⁻¹² to go, since the slope has changed: a short step alone ends no search.
#[test]
fn a_search_goes_on_behind_a_short_step() {
    let mut sketch = Sketch::new(1.0)
        .source(1, &[1.0, 1.0 - 1e-10])
        .block(2, "User/Formula", &[("Inputs", &["y a"]), ("Formula", &["z = y - 1e-9*(exp(1e9*(y - a)) - 1)"])])
        .block(3, "Math/Gain", &[])
        .block(4, "exit z", &[])
        .wires("Main", &[("1.Output", "2.a"), ("3.Output", "2.y"), ("2.z", "3.Input"), ("2.z", "4.Input")]);
    sketch.simulation.attributes.set("loops", "solve");
    for engine in ENGINES {
        let found = Run::new(&sketch.simulation, engine).trace("z", 2);
        let is_near = found.iter().zip([1.0, 1.0 - 1e-10]).all(|(got, want)| (got - want).abs() <= 4.0 * f64::EPSILON);
        assert!(is_near, "{engine}: {found:?}");
    }
}

/// z = 10⁻⁸·exp(−10⁸·y) with y = z is 10⁻⁸·W(1), with Lambert's function (OEIS A030178): a step is small beside the value
/// itself, not beside 1.
#[test]
fn a_tiny_solution_is_as_exact_as_any() {
    for scale in ["1e-8", "1e-100", "1e-300", "1e8", "1e100"] {
        let mut sketch = Sketch::new(1.0)
            .block(1, "Var/Static", &[("Value", &[scale])])
            .block(2, "User/Formula", &[("Inputs", &["y k"]), ("Formula", &["z = k*exp(-y/k)"])])
            .block(3, "Math/Gain", &[])
            .block(4, "exit z", &[])
            .wires("Main", &[("1.Output", "2.k"), ("3.Output", "2.y"), ("2.z", "3.Input"), ("2.z", "4.Input")]);
        sketch.simulation.attributes.set("loops", "solve");
        let want = 0.567_143_290_409_783_8 * scale.parse::<f64>().expect("a number");
        for engine in ENGINES {
            let got = Run::new(&sketch.simulation, engine).steps(1).exit("z")[0];
            assert!((got / want - 1.0).abs() <= 4.0 * f64::EPSILON, "{scale}, {engine}: {got}, not {want}");
        }
    }
}

/// z = c − k·y with y = z, computed with rounding errors of 1e-12 of its size or more: between two neighbours no z comes
/// back as it was, and no step comes nearer. The nearest is the solution, c/(1 + k), as far as rounding allows.
#[test]
fn a_search_ends_where_rounding_lets_nothing_come_nearer() {
    for (factor, large) in
        [2.0, 3.0, 7.0, 20.0].into_iter().flat_map(|factor| [1e10, 1e11].map(|large| (factor, large)))
    {
        let formula = format!("z = (1000000.123 - {factor}*y + {large}) - {large}");
        let mut sketch = Sketch::new(1.0)
            .block(1, "User/Formula", &[("Inputs", &["y"]), ("Formula", &[&formula])])
            .block(2, "Math/Gain", &[])
            .block(3, "exit z", &[])
            .wires("Main", &[("2.Output", "1.y"), ("1.z", "2.Input"), ("1.z", "3.Input")]);
        sketch.simulation.attributes.set("loops", "solve");
        for engine in ENGINES {
            let got = Run::new(&sketch.simulation, engine).steps(1).exit("z")[0];
            let want = 1_000_000.123 / (1.0 + factor);
            assert!((got - want).abs() <= 4.0 * f64::EPSILON * large, "{formula}, {engine}: {got}, not {want}");
        }
    }
}
