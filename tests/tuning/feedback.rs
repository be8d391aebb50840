//! State feedback and observers. Their values are those of python-control and SciPy (`feedback.py`), or closed forms.

use serde_json::Value;
use simulate::block::math::{Complex, ComplexMath, Matrix, eigenvalues};
use simulate::tuning::{FeedbackError, StateSystem, kalman, lqr, place, place_observer};

fn matrix(of: &Value) -> Matrix {
    let rows: Vec<Vec<f64>> = serde_json::from_value(of.clone()).expect("a matrix");
    let columns = rows.first().map_or(0, Vec::len);
    Matrix { rows: rows.len(), columns, values: rows.concat() }
}

fn of(rows: &[&[f64]]) -> Matrix {
    Matrix { rows: rows.len(), columns: rows[0].len(), values: rows.concat() }
}

fn system(a: &[&[f64]], b: &[&[f64]], period: Option<f64>) -> StateSystem {
    let a = of(a);
    StateSystem { c: Matrix::identity(a.rows), a, b: of(b), period }
}

#[track_caller]
fn is_near(what: &str, got: &Matrix, want: &Matrix, tolerance: f64) {
    assert_eq!((got.rows, got.columns), (want.rows, want.columns), "{what}");
    let off = got.plus(&want.scaled(-1.0)).norm();
    assert!(off <= tolerance * want.norm(), "{what}: {:?}, not {:?}", got.values, want.values);
}

/// The greatest distance of a wanted pole from the nearest one.
fn farthest(got: &[Complex], wanted: &[Complex]) -> f64 {
    assert_eq!(got.len(), wanted.len());
    let nearest = |pole: &Complex| got.iter().map(|other| (*other - *pole).abs()).fold(f64::INFINITY, f64::min);
    wanted.iter().map(nearest).fold(0.0, f64::max)
}

fn poles(of: &Value) -> Vec<Complex> {
    let pairs: Vec<[f64; 2]> = serde_json::from_value(of.clone()).expect("pairs");
    pairs.into_iter().map(|[re, im]| Complex::new(re, im)).collect()
}

#[test]
fn gains_are_those_of_python_control() {
    let cases: Value = serde_json::from_str(include_str!("feedback.json")).expect("valid JSON");
    let cases = cases.as_array().expect("cases");
    assert_eq!(cases.len(), 10);
    for case in cases {
        let name = case["name"].as_str().expect("a name");
        let [a, b, c, q, r, n] = ["a", "b", "c", "q", "r", "n"].map(|key| matrix(&case[key]));
        let system = StateSystem { a, b, c, period: case["period"].as_f64() };
        let found = lqr(&system, &q, &r, Some(&n)).unwrap_or_else(|error| panic!("{name}: {error}"));
        is_near(name, &found.gain, &matrix(&case["k"]), 1e-8);
        is_near(name, &found.riccati.expect("a solution"), &matrix(&case["x"]), 1e-8);
        let wanted = poles(&case["poles"]);
        let largest = wanted.iter().map(|pole| pole.abs()).fold(0.0, f64::max);
        assert!(farthest(&found.poles, &wanted) <= 1e-6 * largest, "{name}: {:?}, not {wanted:?}", found.poles);
        if case["l"].is_null() {
            continue;
        }
        let (noise, measured) = (matrix(&case["noise"]), matrix(&case["measured"]));
        let found = kalman(&system, &noise, &measured).unwrap_or_else(|error| panic!("{name}: {error}"));
        is_near(name, &found.gain, &matrix(&case["l"]), 1e-8);
        is_near(name, &found.riccati.expect("a covariance"), &matrix(&case["p"]), 1e-8);
        assert_eq!(found.correction.is_some(), system.period.is_some(), "{name}");
        if let Some(correction) = found.correction {
            is_near(name, &system.a.times(&correction), &found.gain, 1e-9);
        }
        let wanted = poles(&case["observer"]);
        let largest = wanted.iter().map(|pole| pole.abs()).fold(0.0, f64::max);
        assert!(farthest(&found.poles, &wanted) <= 1e-6 * largest, "{name}: {:?}, not {wanted:?}", found.poles);
    }
}

/// `x' = a·x + u`: K = a + √(a² + q/r). A double integrator with weight 1 on the position: K = (1, √2).
#[test]
fn small_regulators_have_their_closed_forms() {
    for (a, q, r) in [(1.0f64, 3.0f64, 2.0f64), (-2.0, 1.0, 0.1), (0.0, 4.0, 1.0), (5.0, 1e-6, 1e3), (1e5, 1.0, 1e-3)] {
        let found = lqr(&system(&[&[a]], &[&[1.0]], None), &of(&[&[q]]), &of(&[&[r]]), None).expect("a gain");
        is_near("one state", &found.gain, &of(&[&[a + (a * a + q / r).sqrt()]]), 1e-12);
    }
    let double = system(&[&[0.0, 1.0], &[0.0, 0.0]], &[&[0.0], &[1.0]], None);
    let found = lqr(&double, &of(&[&[1.0, 0.0], &[0.0, 0.0]]), &of(&[&[1.0]]), None).expect("a gain");
    is_near("two integrators", &found.gain, &of(&[&[1.0, 2f64.sqrt()]]), 1e-12);
    // x(k+1) = x + u with unit weights: the golden ratio.
    let found = lqr(&system(&[&[1.0]], &[&[1.0]], Some(1.0)), &of(&[&[1.0]]), &of(&[&[1.0]]), None).expect("a gain");
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    is_near("golden", &found.riccati.expect("a solution"), &of(&[&[golden]]), 1e-13);
    is_near("golden", &found.gain, &of(&[&[golden / (1.0 + golden)]]), 1e-13);
}

#[test]
fn what_has_no_gain_says_why() {
    let (one, unit) = (of(&[&[1.0]]), Matrix::identity(2));
    let apart = system(&[&[1.0, 0.0], &[0.0, -1.0]], &[&[0.0], &[1.0]], None);
    assert_eq!(lqr(&apart, &unit, &one, None), Err(FeedbackError::NotStabilizable("1".to_owned())));
    // A mode that decays by itself need not be reached.
    let decays = system(&[&[-1.0, 0.0], &[0.0, 1.0]], &[&[0.0], &[1.0]], None);
    assert!(lqr(&decays, &unit, &one, None).is_ok());
    assert!(
        matches!(place(&decays, &[Complex::from(-2.0), Complex::from(-3.0)]), Err(FeedbackError::NotControllable(mode)) if mode == "-1")
    );
    let double = system(&[&[0.0, 1.0], &[0.0, 0.0]], &[&[0.0], &[1.0]], None);
    let weights = of(&[&[0.0, 0.0], &[0.0, 1.0]]);
    assert_eq!(
        lqr(&double, &weights, &one, None),
        Err(FeedbackError::Unweighted { weight: "Q", mode: "0".to_owned() }),
        "nothing draws the position to 0"
    );
    let hidden = StateSystem { c: of(&[&[0.0, 1.0]]), ..system(&[&[1.0, 0.0], &[0.0, -1.0]], &[&[1.0], &[1.0]], None) };
    assert_eq!(kalman(&hidden, &unit, &one), Err(FeedbackError::NotDetectable("1".to_owned())));
    assert_eq!(lqr(&double, &unit, &of(&[&[0.0]]), None), Err(FeedbackError::NotDefinite { name: "R" }));
    assert_eq!(
        lqr(&double, &of(&[&[1.0, 2.0], &[0.0, 1.0]]), &one, None),
        Err(FeedbackError::Asymmetric { name: "Q" })
    );
    let negative = of(&[&[1.0, 0.0], &[0.0, -1.0]]);
    assert!(matches!(lqr(&double, &negative, &one, None), Err(FeedbackError::Negative { name: "Q", .. })));
    assert_eq!(place(&double, &[Complex::from(-1.0)]), Err(FeedbackError::PoleCount { given: 1, states: 2 }));
    let pair = [Complex::new(-1.0, 1.0), Complex::from(-1.0)];
    assert_eq!(place(&double, &pair), Err(FeedbackError::Unpaired("-1+1i".to_owned())));
}

/// `s² + k₂·s + k₁` and `s³ + …`: the gains of chains of integrators are the coefficients of the polynomial.
#[test]
fn poles_of_integrators_are_the_roots_of_the_gains() {
    let double = system(&[&[0.0, 1.0], &[0.0, 0.0]], &[&[0.0], &[1.0]], None);
    for (wanted, gain) in [
        ([Complex::from(-1.0), Complex::from(-2.0)], [2.0, 3.0]),
        ([Complex::new(-1.0, 2.0), Complex::new(-1.0, -2.0)], [5.0, 2.0]),
        ([Complex::from(-3.0), Complex::from(-3.0)], [9.0, 6.0]),
        // Where they are already.
        ([Complex::from(0.0), Complex::from(0.0)], [0.0, 0.0]),
        ([Complex::from(0.0), Complex::from(-1.0)], [0.0, 1.0]),
    ] {
        let found = place(&double, &wanted).expect("a gain");
        let off = found.gain.plus(&of(&[&gain]).scaled(-1.0)).norm();
        assert!(off < 1e-9, "{:?}, not {gain:?}", found.gain.values);
    }
    let triple = system(&[&[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0], &[0.0, 0.0, 0.0]], &[&[0.0], &[0.0], &[1.0]], Some(0.1));
    let found = place(&triple, &[Complex::from(0.5), Complex::new(0.0, 0.5), Complex::new(0.0, -0.5)]).expect("a gain");
    // (z − 0.5)·(z² + 0.25)
    is_near("three", &found.gain, &of(&[&[-0.125, 0.25, -0.5]]), 1e-9);
    // Deadbeat.
    let found = place(&triple, &[Complex::from(0.0); 3]).expect("a gain");
    assert!(found.gain.norm() < 1e-9, "{:?}", found.gain.values);
}

/// Observers are feedback of the transposed system; the gain of `A − L·C` has the poles.
#[test]
fn observers_and_several_inputs_have_their_poles() {
    let cases: Value = serde_json::from_str(include_str!("feedback.json")).expect("valid JSON");
    for case in cases.as_array().expect("cases").iter().filter(|case| case["l"].is_array()) {
        let name = case["name"].as_str().expect("a name");
        let [a, b, c] = ["a", "b", "c"].map(|key| matrix(&case[key]));
        let system = StateSystem { a, b, c, period: case["period"].as_f64() };
        let states = system.a.rows;
        if states > 10 {
            continue;
        }
        // Twice as fast as the poles of the regulator, and as many pairs.
        let wanted = poles(&case["poles"]);
        let faster = |pole: &Complex| if system.period.is_some() { *pole * 0.8 } else { *pole * 1.5 };
        let wanted: Vec<Complex> = wanted.iter().map(faster).collect();
        let largest = wanted.iter().map(|pole| pole.abs()).fold(0.0, f64::max);
        let found = place(&system, &wanted).unwrap_or_else(|error| panic!("{name}: {error}"));
        let closed = system.a.plus(&system.b.times(&found.gain).scaled(-1.0));
        let got = eigenvalues(&closed).expect("poles");
        assert!(farthest(&got, &wanted) <= 1e-6 * largest, "{name}: {got:?}, not {wanted:?}");
        if let Ok(found) = place_observer(&system, &wanted) {
            let closed = system.a.plus(&found.gain.times(&system.c).scaled(-1.0));
            let got = eigenvalues(&closed).expect("poles");
            assert!(farthest(&got, &wanted) <= 1e-6 * largest, "{name}: {got:?}, not {wanted:?}");
        }
    }
}

/// With as many inputs as equal poles each has a vector of its own.
#[test]
fn equal_poles_of_several_inputs_are_placed() {
    let two = system(&[&[0.0, 1.0], &[2.0, 0.0]], &[&[1.0, 0.0], &[0.0, 1.0]], None);
    let found = place(&two, &[Complex::from(-4.0); 2]).expect("a gain");
    // A − B·K = −4·I, so that K = A + 4·I, is the best conditioned one.
    let closed = two.a.plus(&two.b.times(&found.gain).scaled(-1.0));
    is_near("−4·I", &closed, &Matrix::identity(2).scaled(-4.0), 1e-9);
}
