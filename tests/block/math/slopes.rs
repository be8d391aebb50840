//! The derivatives of all operations, and Jacobians from them.
//!
//! The expected values are from mpmath with 40 digits, at points that are exact doubles.

use simulate::block::{Binary, Unary};

fn is_near(got: f64, want: f64) -> bool {
    (got - want).abs() <= 2e-14 * want.abs()
}

#[test]
fn unary_slopes_are_right() {
    use Unary::{
        Abs, Acos, Acosh, Asin, Asinh, Atan, Atanh, Cos, Cosh, Exp, Ln, Log10, Neg, Probit, Sin, Single, Sinh, Sqrt,
        Tan, Tanh,
    };
    let cases = [
        (Neg, 1.5, -1.0),
        (Abs, 2.5, 1.0),
        (Single, 0.1, 1.0),
        (Abs, -2.5, -1.0),
        (Sqrt, 0.3, 0.9128709291752769),
        (Sqrt, 7.0, 0.18898223650461363),
        (Sin, 0.7, 0.7648421872844885),
        (Sin, -3.2, -0.9982947757947531),
        (Cos, 0.7, -0.644217687237691),
        (Cos, -3.2, -0.058374143427580086),
        (Tan, 0.7, 1.7094497158631172),
        (Tan, -1.2, 7.615963967207052),
        (Asin, 0.3, 1.0482848367219182),
        (Asin, -0.99, 7.088812050083356),
        (Acos, 0.3, -1.0482848367219182),
        (Acos, -0.99, -7.088812050083356),
        (Atan, 0.3, 0.9174311926605505),
        (Atan, -8.0, 0.015384615384615385),
        (Sinh, 0.4, 1.0810723718384547),
        (Sinh, -3.0, 10.067661995777765),
        (Cosh, 0.4, 0.4107523258028155),
        (Cosh, -3.0, -10.017874927409903),
        (Tanh, 0.4, 0.8556387860811777),
        (Tanh, -3.0, 0.00986603716544019),
        (Asinh, 0.4, 0.9284766908852593),
        (Asinh, -30.0, 0.03331483023263848),
        (Acosh, 1.01, 7.05345615858598),
        (Acosh, 30.0, 0.033351867298253506),
        (Atanh, 0.4, 1.1904761904761905),
        (Atanh, -0.99, 50.25125628140699),
        (Exp, 0.4, 1.4918246976412703),
        (Exp, -30.0, 9.357622968840175e-14),
        (Ln, 0.4, 2.5),
        (Ln, 300.0, 0.0033333333333333335),
        (Log10, 0.4, 1.0857362047581296),
        (Log10, 300.0, 0.0014476482730108394),
        (Probit, 0.5, 2.5066282746310007),
        (Probit, 0.01, 37.52043615729517),
        (Probit, 0.999, 296.9923515892309),
    ];
    for (op, a, want) in cases {
        let got = op.tangent(a, 2.0);
        assert!(is_near(got, 2.0 * want), "{op:?} at {a}: {got}, not {}", 2.0 * want);
        assert_eq!(op.tangent(f64::NAN, 0.0), 0.0, "{op:?}: what does not change changes nothing");
    }
    for op in [Unary::Sign, Unary::Floor, Unary::Ceil, Unary::Round, Unary::Trunc, Unary::Not, Unary::IsNan] {
        assert_eq!(op.tangent(0.3, 1.0), 0.0, "{op:?}");
    }
}

#[test]
fn binary_slopes_are_right() {
    use Binary::{Add, Atan2, Div, Hypot, Max, Min, Mod, Mul, Pow, Rem, Sub};
    let cases = [
        (Add, 2.0, 3.0, 1.0, 1.0),
        (Sub, 2.0, 3.0, 1.0, -1.0),
        (Mul, 2.5, -3.0, -3.0, 2.5),
        (Div, 2.5, -3.0, -0.3333333333333333, -0.2777777777777778),
        (Min, 2.0, 3.0, 1.0, 0.0),
        (Min, 3.0, 2.0, 0.0, 1.0),
        (Max, 2.0, 3.0, 0.0, 1.0),
        (Max, 3.0, 2.0, 1.0, 0.0),
        (Pow, 2.5, 1.7, 3.228545619962589, 4.3504212191244385),
        (Pow, 0.3, -2.0, -74.07407407407408, -13.377475603621512),
        (Atan2, 2.5, -3.0, -0.19672131147540983, -0.16393442622950818),
        (Atan2, -0.2, 0.1, 2.0, 4.0),
        (Hypot, 2.5, -3.0, 0.6401843996644798, -0.7682212795973759),
        (Rem, 7.5, 2.0, 1.0, -3.0),
        (Rem, -7.5, 2.0, 1.0, 3.0),
        (Mod, 7.5, 2.0, 1.0, -3.0),
        (Mod, -7.5, 2.0, 1.0, 4.0),
    ];
    for (op, a, b, by_a, by_b) in cases {
        let [first, second] = [(1.0, 0.0), (0.0, 1.0)].map(|(da, db)| op.tangent((a, da), (b, db)));
        assert!(is_near(first, by_a), "{op:?} of {a} and {b}: {first}, not {by_a}");
        assert!(is_near(second, by_b), "{op:?} of {a} and {b}: {second}, not {by_b}");
    }
    for op in [Binary::Lt, Binary::Le, Binary::Gt, Binary::Ge, Binary::Eq, Binary::Ne, Binary::And, Binary::Or] {
        assert_eq!(op.tangent((0.3, 1.0), (0.4, 1.0)), 0.0, "{op:?}");
    }
    // A power of 0, and one that is whole, of a negative number.
    assert_eq!(Pow.tangent((0.0, 1.0), (2.0, 0.0)), 0.0);
    assert_eq!(Pow.tangent((-2.0, 1.0), (3.0, 0.0)), 12.0);
}

/// Compared with the central difference, where the operation is smooth.
#[test]
fn every_operations_slope_is_that_of_its_difference() {
    const H: f64 = 1e-6;
    // A way on which rounding to single precision, which is not differentiated, does not show.
    const LONG: f64 = 0.0625;
    let (mut wrong, mut compared) = (Vec::new(), 0);
    let mut compare = |what: String, way: f64, got: f64, low: f64, high: f64| {
        let want = (high - low) / (2.0 * way);
        if want.is_finite() {
            compared += 1;
            if (got - want).abs() > 1e-5 * want.abs().max(1.0) {
                wrong.push(format!("{what}: {got}, not {want}"));
            }
        }
    };
    for op in Unary::ALL {
        for a in [-2.3, -0.7, -0.2, 0.3, 0.6, 0.9, 1.7, 3.2] {
            for da in [1.0, -2.0] {
                let at = |h: f64| op.value(a + h * da);
                let way = if *op == Unary::Single { LONG } else { H };
                compare(format!("{op:?} at {a}"), way, op.tangent(a, da), at(-way), at(way));
            }
        }
    }
    for op in Binary::ALL {
        for (a, b) in [(0.7, 1.3), (2.6, 0.4), (-1.2, 0.9), (1.9, -0.6), (-2.3, -3.1), (5.2, 2.3)] {
            for (da, db) in [(1.0, 0.0), (0.0, 1.0), (2.0, -3.0)] {
                let at = |h: f64| op.value(a + h * da, b + h * db);
                let got = op.tangent((a, da), (b, db));
                // A power of what is below 0 has a slope along the base alone, and only where it is a number.
                compare(format!("{op:?} at {a}, {b} along {da}, {db}"), H, got, at(-H), at(H));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert!(compared > 600, "{compared}");
}
