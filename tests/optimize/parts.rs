//! Losses, bounds, confidence and starts by closed forms and published figures.

use simulate::optimize::{
    Cancelled, End, LeastSquares, Loss, MinimizeOptions, Minimum, confidence, minimize, spread, student_quantile,
};

/// Residuals `at − observation`.
struct Location(Vec<f64>);

impl LeastSquares for Location {
    fn residuals(&self, at: &[f64]) -> Result<Vec<f64>, Cancelled> {
        Ok(self.0.iter().map(|of| at[0] - of).collect())
    }

    fn jacobian(&self, _: &[f64]) -> Result<Vec<f64>, Cancelled> {
        Ok(vec![1.0; self.0.len()])
    }
}

fn located(bounds: (f64, f64), loss: Loss, loss_scale: f64) -> Minimum {
    let options = MinimizeOptions { loss, loss_scale, ..MinimizeOptions::default() };
    minimize(&Location(vec![0.0, 0.0, 0.0, 10.0]), &[4.0], &[bounds], &options, &mut |_| {})
}

const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

#[test]
fn losses_weigh_an_outlier_as_they_are_defined() {
    let near = |found: Minimum, right: f64| assert!((found.at[0] - right).abs() < 1e-6, "{found:?} {right}");
    near(located(FREE, Loss::Square, 1.0), 2.5);
    // 3 x = 1: the pull of the outlier is limited to the scale.
    near(located(FREE, Loss::Huber, 1.0), 1.0 / 3.0);
    near(located(FREE, Loss::Huber, 3.0), 1.0);
    // Roots of 3 x/√(1+x²) = (10−x)/√(1+(10−x)²) and 3 x/(1+x²) = (10−x)/(1+(10−x)²), by bisection.
    let root = |pull: &dyn Fn(f64) -> f64| {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if 3.0 * pull(middle) < pull(10.0 - middle) { low = middle } else { high = middle }
        }
        low
    };
    near(located(FREE, Loss::SoftL1, 1.0), root(&|x| x / (1.0 + x * x).sqrt()));
    let found = minimize(
        &Location(vec![0.0, 0.0, 0.0, 10.0]),
        &[0.5],
        &[FREE],
        &MinimizeOptions { loss: Loss::Cauchy, ..MinimizeOptions::default() },
        &mut |_| {},
    );
    near(found, root(&|x| x / (1.0 + x * x)));
    assert!((Loss::Huber.sum(&[0.5, -3.0], 1.0) - (0.25 + 5.0)).abs() < 1e-14);
    assert!((Loss::Cauchy.sum(&[2.0], 2.0) - 4.0 * std::f64::consts::LN_2).abs() < 1e-14);
}

#[test]
fn bounds_hold() {
    let found = located((3.0, 8.0), Loss::Square, 1.0);
    assert!((found.at[0] - 3.0).abs() < 1e-6 && found.at[0] >= 3.0, "{found:?}");
    assert_eq!(located((4.0, 4.0), Loss::Square, 1.0).at, [4.0]);
    assert_eq!(located((5.0, 4.0), Loss::Square, 1.0).end, End::Failed);
}

/// A line `a + b x` through five points has a covariance in closed form; the third column is the sum of the others, and
/// the fourth one is 0.
#[test]
fn confidence_of_a_line_and_what_is_open() {
    let x = [0.0, 1.0, 2.0, 3.0, 4.0_f64];
    let rows: Vec<f64> = x.iter().flat_map(|x| [1.0, *x]).collect();
    let found = confidence(&rows, 2, 4.0).unwrap();
    // s²/n · Σx²/Sxx and s²/Sxx, correlation −x̄/√(Σx²/n).
    let right = [(4.0 * 30.0 / (5.0 * 10.0_f64)).sqrt(), (4.0 / 10.0_f64).sqrt()];
    for (error, right) in found.errors.iter().zip(right) {
        assert!((error.unwrap() - right).abs() < 1e-12);
    }
    assert!((found.correlations[0][1].unwrap() + 2.0 / 6.0_f64.sqrt()).abs() < 1e-12);

    let rows: Vec<f64> = x.iter().flat_map(|x| [1.0, *x, 1.0 + x, 0.0, x * x * x]).collect();
    let found = confidence(&rows, 5, 4.0).unwrap();
    assert_eq!(found.without_effect, [3]);
    assert_eq!(found.inseparable, [[0, 1, 2]]);
    assert_eq!(found.errors.iter().map(Option::is_some).collect::<Vec<_>>(), [false, false, false, false, true]);
}

/// Values of the usual tables of the t-distribution.
#[test]
fn quantiles_are_those_of_tables() {
    for (level, degrees, right) in
        [(0.95, 1.0, 12.7062), (0.95, 10.0, 2.22814), (0.99, 5.0, 4.03214), (0.95, 120.0, 1.97993), (0.6827, 1e7, 1.0)]
    {
        let found = student_quantile(level, degrees);
        assert!((found / right - 1.0).abs() < 3e-5, "{found} {right}");
    }
}

#[test]
fn starts_are_spread_over_each_coordinate() {
    let points = spread(&[(0.0, 1.0), (-5.0, 5.0)], 10, 3);
    for (coordinate, (low, high)) in [(0.0, 1.0), (-5.0, 5.0)].into_iter().enumerate() {
        let mut parts: Vec<i32> =
            points.iter().map(|point| ((point[coordinate] - low) / (high - low) * 10.0_f64) as i32).collect();
        parts.sort_unstable();
        assert_eq!(parts, (0..10).collect::<Vec<_>>());
    }
    assert_eq!(points, spread(&[(0.0, 1.0), (-5.0, 5.0)], 10, 3));
    assert_ne!(points, spread(&[(0.0, 1.0), (-5.0, 5.0)], 10, 4));
}
