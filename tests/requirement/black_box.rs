//! Black boxes whose minima are known.

use std::cell::Cell;

use simulate::optimize::{BlackBox, BlackBoxOptions, Cancelled, End, Method, Minimum, minimize_black_box};

/// A function, and how often it was called.
struct Counted<F> {
    of: F,
    calls: Cell<u64>,
}

impl<F: Fn(&[f64]) -> f64> BlackBox for Counted<F> {
    fn cost(&self, at: &[f64]) -> Result<f64, Cancelled> {
        self.calls.set(self.calls.get() + 1);
        Ok((self.of)(at))
    }
}

fn minimum(
    of: impl Fn(&[f64]) -> f64,
    start: &[f64],
    bounds: &[(f64, f64)],
    options: BlackBoxOptions,
) -> (Minimum, u64) {
    let problem = Counted { of, calls: Cell::new(0) };
    let mut last = f64::INFINITY;
    let found = minimize_black_box(&problem, start, bounds, &options, &mut |iterate| {
        assert!(iterate.sum < last);
        last = iterate.sum;
    });
    (found, problem.calls.get())
}

fn with(method: Method) -> BlackBoxOptions {
    BlackBoxOptions { method, max_evaluations: 20_000, tolerance: 1e-9, ..BlackBoxOptions::default() }
}

/// H. H. Rosenbrock, 1960: the minimum is 0 at (1, 1, …), and with four coordinates there is a local one besides.
fn rosenbrock(at: &[f64]) -> f64 {
    let pairs = at.iter().zip(&at[1..]);
    pairs.map(|(x, y)| 100.0 * (y - x * x).powi(2) + (1.0 - x).powi(2)).sum()
}

#[test]
fn the_valley_of_rosenbrock_is_followed_to_its_end() {
    for method in [Method::CmaEs, Method::Bobyqa] {
        let (found, _) = minimum(rosenbrock, &[-1.2, 1.0], &[(-5.0, 5.0); 2], with(method));
        assert!(found.at.iter().all(|at| (at - 1.0).abs() < 1e-3), "{method:?}: {found:?}");
    }
}

/// L. A. Rastrigin, 1974: many local minima, the least is 0 at the origin.
#[test]
fn the_evolution_leaves_local_minima() {
    let rastrigin =
        |at: &[f64]| at.iter().map(|x| x * x - 10.0 * (2.0 * std::f64::consts::PI * x).cos() + 10.0).sum::<f64>();
    let is_found = |seed: u64| {
        let options = BlackBoxOptions { seed, ..with(Method::CmaEs) };
        minimum(rastrigin, &[3.3, -2.2], &[(-5.12, 5.12); 2], options).0.sum < 1e-6
    };
    let found = (0..10).filter(|seed| is_found(*seed)).count();
    assert!(found >= 3, "{found} of 10");
}

#[test]
fn a_minimum_at_a_bound_is_reached() {
    for method in [Method::CmaEs, Method::Bobyqa] {
        let (found, _) =
            minimum(|at| (at[0] - 2.0).powi(2) + (at[1] + 3.0).powi(2), &[0.5, 0.5], &[(0.0, 1.0); 2], with(method));
        assert!((found.at[0] - 1.0).abs() < 1e-6 && found.at[1].abs() < 1e-6, "{method:?}: {found:?}");
        assert!((0.0..=1.0).contains(&found.at[0]) && (0.0..=1.0).contains(&found.at[1]));
    }
}

#[test]
fn a_search_ends_at_its_goal_or_its_limit() {
    let sphere = |at: &[f64]| at.iter().map(|x| x * x).sum();
    let goal = BlackBoxOptions { goal: 1e-2, ..with(Method::CmaEs) };
    let (found, calls) = minimum(sphere, &[3.0, 4.0], &[(-5.0, 5.0); 2], goal);
    assert!(found.sum <= 1e-2 && found.end == End::Converged && calls < 500, "{found:?} after {calls}");
    let limit = BlackBoxOptions { max_evaluations: 60, ..with(Method::CmaEs) };
    let (found, calls) = minimum(rosenbrock, &[3.0, 4.0], &[(-5.0, 5.0); 2], limit);
    assert!(found.end == End::Limit && calls < 80, "{found:?} after {calls}");
}

#[test]
fn the_same_seed_gives_the_same_search_and_another_a_different_one() {
    let search = |seed: u64| {
        let options = BlackBoxOptions { seed, max_evaluations: 100, ..with(Method::CmaEs) };
        minimum(rosenbrock, &[3.0, 4.0], &[(-5.0, 5.0); 2], options).0.at
    };
    assert_eq!(search(1), search(1));
    assert_ne!(search(1), search(2));
}

#[test]
fn where_a_function_has_no_value_the_search_goes_elsewhere() {
    for method in [Method::CmaEs, Method::Bobyqa] {
        let half = |at: &[f64]| if at[0] < 1.0 { f64::NAN } else { at[0] + at[1] * at[1] };
        let (found, _) = minimum(half, &[3.0, 2.0], &[(-5.0, 5.0); 2], with(method));
        assert!(found.at[0] >= 1.0 && found.sum.is_finite(), "{method:?}: {found:?}");
        let (nowhere, _) = minimum(|_| f64::NAN, &[3.0, 2.0], &[(-5.0, 5.0); 2], with(method));
        assert_eq!(nowhere.sum, f64::INFINITY, "{method:?}");
    }
    let (refused, _) = minimum(|at| at[0], &[0.0], &[(f64::NEG_INFINITY, 1.0)], with(Method::CmaEs));
    assert_eq!(refused.end, End::Failed);
}
