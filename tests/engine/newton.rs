//! When the search for the values that close an algebraic loop is near enough.

use super::{Run, Sketch};

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
