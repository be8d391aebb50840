//! Continuous systems made discrete: against 60 digits, SciPy and closed forms (`discretize.py`).

use serde_json::Value;
use simulate::block::math::{
    Complex, ComplexMath, Discretization, DiscretizeError, Matrix, StateMatrices, discretize_matrices,
    discretize_polynomials,
};

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

fn method_of(case: &Value) -> Discretization {
    match case["method"].as_str().expect("a method") {
        "zoh" => Discretization::ZeroOrderHold,
        "foh" => Discretization::FirstOrderHold,
        "impulse" => Discretization::Impulse,
        "matched" => Discretization::Matched,
        _ => Discretization::Tustin { prewarp: case["prewarp"].as_f64() },
    }
}

fn table() -> Value {
    serde_json::from_str(include_str!("discretize.json")).expect("the table is JSON")
}

#[track_caller]
fn same(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let largest = expected.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    for (found_one, expected_one) in found.iter().zip(expected) {
        let off = (found_one - expected_one).abs();
        assert!(off <= tolerance * largest, "{what}: {found:?} is not {expected:?}");
    }
}

/// Double poles are known to the root of the rounding, but their polynomial is not; a third of a thousandth of a second
/// costs a few digits of the numerator.
#[test]
fn transfer_functions_are_those_of_the_table() {
    let table = table();
    let cases = table["cases"].as_array().expect("cases");
    assert!(cases.len() > 60, "{}", cases.len());
    for case in cases {
        let (num, den) = (numbers(&case["num"]), numbers(&case["den"]));
        let time = case["time"].as_f64().expect("a time");
        let what = format!("{} of {num:?}/{den:?} every {time} s", case["method"]);
        let (above, below) = discretize_polynomials(&num, &den, time, method_of(case)).expect(&what);
        same(&below, &numbers(&case["denominator"]), 1e-14, &what);
        same(&above, &numbers(&case["numerator"]), 1e-11, &what);
    }
}

#[test]
fn matrices_are_those_of_scipy() {
    let table = table();
    let cases = table["matrices"].as_array().expect("cases");
    assert_eq!(cases.len(), 16);
    for case in cases {
        let matrix = |of: &Value| {
            let rows: Vec<Vec<f64>> = of.as_array().expect("rows").iter().map(numbers).collect();
            Matrix { rows: rows.len(), columns: rows[0].len(), values: rows.concat() }
        };
        let all = |of: &Value| StateMatrices {
            a: matrix(&of["a"]),
            b: matrix(&of["b"]),
            c: matrix(&of["c"]),
            d: matrix(&of["d"]),
        };
        let found = discretize_matrices(&all(&case["given"]), 0.3, method_of(case)).expect("a discrete system");
        let expected = all(&case["found"]);
        for (found, expected) in
            [(&found.a, &expected.a), (&found.b, &expected.b), (&found.c, &expected.c), (&found.d, &expected.d)]
        {
            same(&found.values, &expected.values, 1e-12, &case["method"].to_string());
        }
    }
}

/// `(1 − e^(−a·T))/a/(z − e^(−a·T))` for `1/(s + a)`, over many sizes of a·T.
#[test]
fn a_lag_has_its_closed_form() {
    for exponent in -9..=2 {
        let (rate, time) = (3.0, 10_f64.powi(exponent) / 3.0);
        let decay = (-rate * time).exp();
        let (above, below) =
            discretize_polynomials(&[1.0], &[1.0, rate], time, Discretization::ZeroOrderHold).expect("a lag");
        let gain = -(-rate * time).exp_m1() / rate;
        assert!((above[1] - gain).abs() <= 4e-15 * gain, "{} is not {gain}", above[1]);
        assert!((below[1] + decay).abs() <= 2e-16, "{} is not {}", below[1], -decay);
        assert_eq!((above[0], below[0]), (0.0, 1.0));
    }
}

fn value(values: &[f64], at: Complex) -> Complex {
    values.iter().fold(Complex::new(0.0, 0.0), |sum, value| sum * at + value)
}

/// Poles are mapped by `exp(p·T)`, by Tustin's method by `(2 + p·T)/(2 − p·T)`, and with prewarping the response at that
/// frequency stays the same.
#[test]
fn poles_are_mapped_and_a_frequency_is_kept() {
    let mut state = 49_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    for _ in 0..200 {
        let (time, real, re, im) = (0.05 + random(), -3.0 * random(), -2.0 * random(), 2.0 * random());
        // (s − real)·(s² − 2·re·s + re² + im²)
        let square = re * re + im * im;
        let den = [1.0, -real - 2.0 * re, square + 2.0 * re * real, -real * square];
        let num = [random(), random(), random()];
        for method in [
            Discretization::ZeroOrderHold,
            Discretization::FirstOrderHold,
            Discretization::Impulse,
            Discretization::Matched,
            Discretization::Tustin { prewarp: None },
        ] {
            let (_, below) = discretize_polynomials(&num, &den, time, method).expect("a system");
            for pole in [Complex::new(real, 0.0), Complex::new(re, im), Complex::new(re, -im)] {
                let mapped = match method {
                    Discretization::Tustin { .. } => (pole * time + 2.0).divided_by(-pole * time + 2.0),
                    _ => Complex::on_unit_circle(pole.im * time) * (pole.re * time).exp(),
                };
                assert!(value(&below, mapped).abs() < 1e-13, "{method:?}: {pole} is not at {mapped}");
            }
        }
        let frequency = 3.0 * random() / time;
        let method = Discretization::Tustin { prewarp: Some(frequency) };
        let (above, below) = discretize_polynomials(&num, &den, time, method).expect("a system");
        let at = Complex::new(0.0, frequency);
        let wanted = value(&num, at).divided_by(value(&den, at));
        let z = Complex::on_unit_circle(frequency * time);
        let found = value(&above, z).divided_by(value(&below, z));
        assert!((found - wanted).abs() < 1e-10 * wanted.abs(), "{found} is not {wanted} at {frequency}");
    }
}

/// The response of the matrices to steps is that of the transfer function.
#[test]
fn both_forms_are_one_system() {
    let system = StateMatrices {
        a: Matrix { rows: 2, columns: 2, values: vec![0.0, 1.0, -4.0, -0.4] },
        b: Matrix { rows: 2, columns: 1, values: vec![0.0, 1.0] },
        c: Matrix { rows: 1, columns: 2, values: vec![2.0, 1.0] },
        d: Matrix::zero(1, 1),
    };
    for method in [
        Discretization::ZeroOrderHold,
        Discretization::FirstOrderHold,
        Discretization::Impulse,
        Discretization::Tustin { prewarp: Some(2.0) },
    ] {
        let (above, below) = discretize_polynomials(&[1.0, 2.0], &[1.0, 0.4, 4.0], 0.3, method).expect("a system");
        let found = discretize_matrices(&system, 0.3, method).expect("a system");
        let mut state = Matrix::zero(2, 1);
        let mut outputs: Vec<f64> = Vec::new();
        for n in 0..20 {
            let delayed = |values: &[f64], signal: &dyn Fn(usize) -> f64| -> f64 {
                (0..3).filter(|k| *k <= n).map(|k| values[k] * signal(n - k)).sum()
            };
            let input = delayed(&above, &|_| 1.0);
            let output = input - delayed(&[0.0, below[1], below[2]], &|at| outputs.get(at).copied().unwrap_or(0.0));
            let expected = found.c.times(&state).at(0, 0) + found.d.at(0, 0);
            assert!((output - expected).abs() < 1e-12, "{method:?} at {n}: {output} is not {expected}");
            outputs.push(output);
            state = found.a.times(&state).plus(&found.b);
        }
    }
}

#[test]
fn what_cannot_be_discretized_is_refused() {
    let zoh = Discretization::ZeroOrderHold;
    let tustin = |frequency| Discretization::Tustin { prewarp: Some(frequency) };
    let refused =
        |num: &[f64], den: &[f64], time, method| discretize_polynomials(num, den, time, method).expect_err("bad");
    for time in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(refused(&[1.0], &[1.0, 1.0], time, zoh), DiscretizeError::SampleTime);
    }
    assert_eq!(refused(&[1.0], &[0.0, 0.0], 1.0, zoh), DiscretizeError::NoDenominator);
    assert_eq!(refused(&[], &[], 1.0, zoh), DiscretizeError::NoDenominator);
    assert_eq!(refused(&[1.0, 0.0], &[1.0], 1.0, zoh), DiscretizeError::Improper);
    assert_eq!(refused(&[1.0, 0.0], &[1.0, 1.0], 1.0, Discretization::Impulse), DiscretizeError::Feedthrough);
    assert_eq!(
        refused(&[1.0], &[1.0, -4.0], 0.5, Discretization::Tustin { prewarp: None }),
        DiscretizeError::Pole(4.0)
    );
    for frequency in [0.0, -1.0, 3.2, f64::NAN] {
        let error = refused(&[1.0], &[1.0, 1.0], 1.0, tustin(frequency));
        assert_eq!(error, DiscretizeError::Prewarp(std::f64::consts::PI));
    }
    assert_eq!(refused(&[1.0], &[1.0; 150], 1.0, zoh), DiscretizeError::TooLarge(149));
    for bad in [f64::NAN, f64::INFINITY, 1e300, -1e300] {
        for method in [zoh, Discretization::FirstOrderHold, Discretization::Matched, tustin(0.1)] {
            // It ends, with an error or with finite numbers.
            if let Ok((above, below)) = discretize_polynomials(&[bad], &[1.0, bad, 1.0], 1.0, method) {
                assert!(above.iter().chain(&below).all(|value| value.is_finite()), "{method:?} of {bad}");
            }
        }
    }
    // A constant stays one, and no gain stays none.
    assert_eq!(discretize_polynomials(&[3.0], &[2.0], 1.0, zoh), Ok((vec![1.5], vec![1.0])));
    let (above, _) = discretize_polynomials(&[0.0], &[1.0, 1.0], 1.0, Discretization::Matched).expect("nothing");
    assert_eq!(above, [0.0, 0.0]);
}
