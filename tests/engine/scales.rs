//! The analysis of linear systems that are far slower or faster than a second, compared with closed forms.

use simulate::block::math::Complex;
use simulate::engine::Channel;

use super::Sketch;
use super::analysis::{channel, near_all};

/// A block of states with the matrices given row after row.
fn state_space(a: &[f64], b: &[f64], c: &[f64]) -> Channel {
    let texts = [a, b, c].map(|values| values.iter().map(f64::to_string).collect::<Vec<_>>());
    let [a, b, c] = [0, 1, 2].map(|at: usize| texts[at].iter().map(String::as_str).collect::<Vec<_>>());
    let run = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Continuous/State Space", &[("A", &a), ("B", &b), ("C", &c)])
        .wires("Main", &[("0.Output", "1.Input")])
        .run();
    channel(&run, 0, 1)
}

/// (s + 2)/(s² + s + 1) far below its poles: s alone is a pivot that loses all digits, and none at 0.
#[test]
fn a_response_far_below_the_poles_has_all_digits() {
    let of = state_space(&[0.0, 1.0, -1.0, -1.0], &[1.0, 1.0], &[1.0, 0.0]);
    for frequency in [0.0, 1e-20, 1e-13, 1e-9, 1e-4, 1.0, 1e4, 1e9] {
        let s = Complex::new(0.0, frequency);
        let want = (s + Complex::from(2.0)) / (s * s + s + Complex::from(1.0));
        let got = of.at(s).expect("no pole");
        assert!((got - want).norm() <= 1e-14 * want.norm(), "{frequency}: {got}, not {want}");
    }
}

/// (s + 3)/(s² + 3s + 2) with another unit of time: whatever is small beside other systems is not small beside its own
/// numbers.
#[test]
fn zeros_are_found_at_any_scale_of_time() {
    for scale in [1e-9, 1e-6, 1.0, 1e6, 1e9] {
        let scaled = |values: &[f64]| values.iter().map(|value| value * scale).collect::<Vec<f64>>();
        let of = state_space(&scaled(&[0.0, 1.0, -2.0, -3.0]), &scaled(&[0.0, 1.0]), &scaled(&[3.0, 1.0]));
        near_all(&of.zeros.clone().expect("zeros"), &[(-3.0 * scale, 0.0)], 1e-12 * scale);
        near_all(&of.poles.clone().expect("poles"), &[(-scale, 0.0), (-2.0 * scale, 0.0)], 1e-12 * scale);
        assert!((of.steady_gain() / (1.5 * scale) - 1.0).abs() < 1e-12, "{scale}");
    }
}
