//! The optimizer on NIST's certified problems.

use std::cell::Cell;

use simulate::optimize::{
    Cancelled, End, LeastSquares, MinimizeOptions, Minimum, ParamScale, confidence, differences, minimize,
};

use super::nist::Nist;

/// Where the derivatives are from.
#[derive(Clone, Copy, PartialEq)]
enum Slopes {
    Exact,
    Differences,
}

/// A problem in coordinates of about 1.
struct Scaled<'a> {
    of: &'a Nist,
    scales: Vec<ParamScale>,
    slopes: Slopes,
    evaluations: Cell<usize>,
}

impl Scaled<'_> {
    fn values(&self, at: &[f64]) -> Vec<f64> {
        self.scales.iter().zip(at).map(|(scale, at)| scale.value(*at)).collect()
    }
}

impl LeastSquares for Scaled<'_> {
    fn residuals(&self, at: &[f64]) -> Result<Vec<f64>, Cancelled> {
        self.evaluations.set(self.evaluations.get() + 1);
        Ok(self.of.residuals(&self.values(at)))
    }

    fn jacobian(&self, at: &[f64]) -> Result<Vec<f64>, Cancelled> {
        if self.slopes == Slopes::Differences {
            return differences(|at| self.residuals(at), at, &free(at.len()));
        }
        self.evaluations.set(self.evaluations.get() + 1);
        let values = self.values(at);
        let mut slopes = self.of.jacobian(&values);
        let by: Vec<f64> = self.scales.iter().zip(&values).map(|(scale, value)| scale.slope(*value)).collect();
        slopes.iter_mut().zip(by.iter().cycle()).for_each(|(slope, by)| *slope *= by);
        Ok(slopes)
    }
}

fn free(count: usize) -> Vec<(f64, f64)> {
    vec![(f64::NEG_INFINITY, f64::INFINITY); count]
}

/// The minimum from a start, its values, and the number of evaluations.
fn solved(of: &Nist, start: &[f64], slopes: Slopes) -> (Minimum, Vec<f64>, usize) {
    let scales: Vec<ParamScale> =
        start.iter().map(|start| ParamScale::of(*start, f64::NEG_INFINITY, f64::INFINITY)).collect();
    let at: Vec<f64> = scales.iter().zip(start).map(|(scale, start)| scale.coordinate(*start)).collect();
    let problem = Scaled { of, scales, slopes, evaluations: Cell::new(0) };
    let options = MinimizeOptions { max_iterations: 3000, ..MinimizeOptions::default() };
    let found = minimize(&problem, &at, &free(at.len()), &options, &mut |_| {});
    let values = problem.values(&found.at);
    (found, values, problem.evaluations.get())
}

/// Six digits of each parameter, from the start near the values and from the one far away.
#[test]
fn certified_values_are_found_from_both_starts() {
    let all = Nist::all();
    assert_eq!(all.len(), 27);
    let mut missed = Vec::new();
    for of in &all {
        for (start, values) in of.starts.iter().enumerate() {
            for slopes in [Slopes::Exact, Slopes::Differences] {
                let (found, values, evaluations) = solved(of, values, slopes);
                let digits = of.digits(&values);
                if std::env::var_os("SHOW_NIST").is_some() {
                    let how = if slopes == Slopes::Exact { "exact" } else { "differences" };
                    println!(
                        "{:9} start {} {how:11} {digits:4.1} digits, {evaluations} evaluations, {:?}",
                        of.name,
                        start + 1,
                        found.end
                    );
                }
                if digits < 6.0 || found.end != End::Converged {
                    missed.push(format!("{} start {}: {digits:.1} digits, {:?}", of.name, start + 1, found.end));
                }
            }
        }
    }
    assert_eq!(missed, [] as [String; 0]);
}

/// Certified standard deviations, and the sum of squares, at the certified values.
#[test]
fn standard_errors_are_the_certified_ones() {
    for of in &Nist::all() {
        let count = of.certified.len();
        let sum: f64 = of.residuals(&of.certified).iter().map(|residual| residual * residual).sum();
        // The residuals of this one are 1e-13: the certified values have too few digits for them.
        if of.name != "Lanczos1" {
            assert!((sum / of.residual_sum - 1.0).abs() < 1e-6, "{}: {sum} {}", of.name, of.residual_sum);
        }
        let variance = of.residual_sum / (of.y.len() - count) as f64;
        let found = confidence(&of.jacobian(&of.certified), count, variance).expect("finite");
        assert_eq!(found.inseparable, [] as [Vec<usize>; 0], "{}", of.name);
        for (error, right) in found.errors.iter().zip(&of.deviations) {
            let error = error.expect("determined");
            assert!((error / right - 1.0).abs() < 1e-5, "{}: {error} {right}", of.name);
        }
    }
}
