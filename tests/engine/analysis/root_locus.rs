//! The poles of closed loops over their gain, against closed forms.

use simulate::block::math::{Complex, ComplexMath};
use simulate::engine::{Channel, RootLocus};

use super::channel;
use crate::sketch::Sketch;

fn system(group_and_name: &str, numerator: &[&str], denominator: &[&str]) -> Channel {
    let run = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, group_and_name, &[("Numerator", numerator), ("Denominator", denominator)])
        .wires("Main", &[("0.Output", "1.Input")])
        .run();
    channel(&run, 0, 1)
}

fn continuous(numerator: &[&str], denominator: &[&str]) -> Channel {
    system("Continuous/Transfer Function", numerator, denominator)
}

fn value(coefficients: &[&str], at: Complex) -> Complex {
    coefficients.iter().fold(Complex::from(0.0), |sum, text| sum * at + text.parse::<f64>().expect("a number"))
}

/// Each root solves D + k·N = 0, and no branch jumps: a root moves by a part of its distance from the middle.
#[track_caller]
fn check(of: &Channel, numerator: &[&str], denominator: &[&str]) -> RootLocus {
    let locus = of.root_locus().expect("a root locus");
    assert_eq!(locus.branches.len(), denominator.len() - 1);
    assert!(locus.gains.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", locus.gains);
    for (number, branch) in locus.branches.iter().enumerate() {
        assert_eq!(branch.len(), locus.gains.len());
        for (gain, root) in locus.gains.iter().zip(branch).filter(|(_, root)| root.re.is_finite()) {
            let (above, below) = (value(numerator, *root), value(denominator, *root));
            let left = (below + above * *gain).abs();
            let size: f64 =
                denominator.iter().chain(numerator).map(|text| text.parse::<f64>().expect("a number").abs()).sum();
            let power = (1.0 + root.abs()).powi(denominator.len() as i32 - 1);
            assert!(left <= 1e-9 * (1.0 + gain) * size * power, "branch {number} at {gain}: {root} leaves {left}");
        }
        for (pair, gains) in branch.windows(2).zip(locus.gains.windows(2)) {
            let step = (pair[1] - pair[0]).abs();
            let limit = 0.05 * locus.reach.max(pair[0].abs()) + 1e-12;
            assert!(step.is_nan() || step <= limit, "branch {number} jumps by {step} between {gains:?}");
        }
    }
    locus
}

/// s·(s + 2) + k = 0 at −1 ± √(1 − k): real until they meet at k = 1, then one above the other.
#[test]
fn two_real_poles_meet_and_part() {
    let of = continuous(&["1"], &["1", "2", "0"]);
    let locus = check(&of, &["1"], &["1", "2", "0"]);
    for (index, gain) in locus.gains.iter().enumerate() {
        let root = (1.0 - gain).abs().sqrt();
        let expected =
            if *gain <= 1.0 { [(-1.0 - root, 0.0), (-1.0 + root, 0.0)] } else { [(-1.0, -root), (-1.0, root)] };
        let mut found: Vec<Complex> = locus.branches.iter().map(|branch| branch[index]).collect();
        found.sort_by(|a, b| (a.re + a.im).total_cmp(&(b.re + b.im)));
        for (found, (re, im)) in found.iter().zip(expected) {
            // Near the double root it is known to half of the digits.
            let tolerance = if (gain - 1.0).abs() < 1e-3 { 1e-7 } else { 1e-9 * (1.0 + root) };
            assert!(
                (*found - Complex::new(re, im)).abs() < tolerance || found.re.is_nan(),
                "{gain}: {found} {re} {im}"
            );
        }
    }
    assert!(locus.gains.iter().any(|gain| (gain - 1.0).abs() < 0.01), "fine steps about the meeting point");
}

/// 1/(s·(s + 1)·(s + 2)) crosses the axis at i·√2 for k = 6 (Routh and Hurwitz), and a branch ends at each zero.
#[test]
fn branches_cross_the_axis_and_end_at_zeros() {
    let (numerator, denominator) = (["1"], ["1", "3", "2", "0"]);
    let of = continuous(&numerator, &denominator);
    let locus = check(&of, &numerator, &denominator);
    let crossing = locus.branches.iter().flat_map(|branch| {
        let pairs = branch.windows(2).zip(locus.gains.windows(2));
        pairs
            .filter(|(pair, _)| pair[0].re < 0.0 && pair[1].re >= 0.0)
            .map(|(pair, gains)| (pair[1], gains[0], gains[1]))
    });
    let crossing: Vec<_> = crossing.collect();
    assert_eq!(crossing.len(), 2, "{crossing:?}");
    for (root, low, high) in crossing {
        assert!(low <= 6.0 && high >= 6.0 && (root.im.abs() - 2f64.sqrt()).abs() < 0.06, "{root} {low} {high}");
    }
    let closed = of.closed_poles(6.0).expect("poles");
    assert!((closed[0] - Complex::from(-3.0)).abs() < 1e-12 && (closed[1].im.abs() - 2f64.sqrt()).abs() < 1e-12);
    let (numerator, denominator) = (["1", "2", "5"], ["1", "6", "11", "6"]);
    let locus = check(&continuous(&numerator, &denominator), &numerator, &denominator);
    for zero in [Complex::new(-1.0, 2.0), Complex::new(-1.0, -2.0)] {
        let ends = locus.branches.iter().filter_map(|branch| branch.last()).filter(|end| (**end - zero).abs() < 0.02);
        assert_eq!(ends.count(), 1, "{zero}");
    }
}

/// The loop of a summing delay 1/(z − 1) has its pole at 1 − k.
#[test]
fn a_discrete_system_leaves_the_unit_circle() {
    let of = system("Discrete/Discrete Transfer Function", &["1"], &["1", "-1"]);
    let locus = check(&of, &["1"], &["1", "-1"]);
    assert!(locus.gains.iter().zip(&locus.branches[0]).all(|(gain, root)| {
        root.re.is_nan() || (root.re - (1.0 - gain)).abs() < 1e-12 * (1.0 + gain) && root.im == 0.0
    }));
    assert!(locus.branches[0].iter().any(|root| root.re < -1.0));
}

/// (s + 1) − k·(s + 2) = 0 at (2k − 1)/(1 − k), which passes through infinity at k = 1.
#[test]
fn a_root_may_pass_through_infinity() {
    let of = continuous(&["-1", "-2"], &["1", "1"]);
    let locus = check(&of, &["-1", "-2"], &["1", "1"]);
    assert_eq!(of.closed_poles(1.0), None);
    let expected = |gain: f64| (2.0 * gain - 1.0) / (1.0 - gain);
    for (gain, root) in locus.gains.iter().zip(&locus.branches[0]).filter(|(_, root)| root.re.is_finite()) {
        assert!((root.re - expected(*gain)).abs() < 1e-9 * (1.0 + root.re.abs()), "{gain}: {root}");
    }
    assert!(
        locus.branches[0].iter().any(|root| root.re.is_nan())
            || locus.gains.iter().all(|gain| (gain - 1.0).abs() > 0.01)
    );
}

/// Poles of very different size: the slow ones are followed as closely as the fast ones.
#[test]
fn slow_and_fast_poles_have_fine_steps() {
    let denominator = ["1", "1000.3", "300.02", "20"];
    let of = continuous(&["1"], &denominator);
    let locus = check(&of, &["1"], &denominator);
    let slow = locus.branches.iter().filter(|branch| branch[0].abs() < 1.0);
    for branch in slow {
        for pair in branch.windows(2).filter(|pair| pair[1].abs() < 1.0) {
            let step = (pair[1] - pair[0]).abs();
            assert!(step < 0.05 * pair[0].abs().max(0.1), "{step} at {}", pair[0]);
        }
    }
}

#[test]
fn a_channel_without_poles_has_no_locus() {
    assert_eq!(continuous(&["2"], &["1"]).root_locus(), None);
}
