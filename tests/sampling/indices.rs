//! Effects and shares of the variance: closed forms, and the figures of SALib for the same results.

use std::f64::consts::PI;

use simulate::sampling::{DesignSize, SampleDesign, screening, variance_shares};

/// Ishigami's function with a = 7 and b = 0.1, of a point of the unit cube.
pub fn ishigami(point: &[f64]) -> f64 {
    let x: Vec<f64> = point.iter().map(|value| PI * (2.0 * value - 1.0)).collect();
    x[0].sin() + 7.0 * x[1].sin().powi(2) + 0.1 * x[2].powi(4) * x[0].sin()
}

fn results(design: SampleDesign, size: &DesignSize, of: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let count = design.points(size.samples, size.dims).unwrap();
    (0..count).map(|point| of(&design.point(size, point))).collect()
}

/// Compares the first-order and the total indices with their closed forms, which also lie in the intervals.
fn assert_indices(size: &DesignSize, of: impl Fn(&[f64]) -> f64, first: &[f64], total: &[f64], limit: f64) {
    let shares = variance_shares(size, &results(SampleDesign::SobolIndices, size, of));
    assert_eq!((shares.used, shares.indices.len()), (size.samples as usize, size.dims));
    for (dim, index) in shares.indices.iter().enumerate() {
        for (found, [low, high], expected) in
            [(index.first, index.first_interval, first[dim]), (index.total, index.total_interval, total[dim])]
        {
            assert!((found - expected).abs() < limit, "coordinate {dim}: {found}, expected {expected}");
            assert!(low <= found && found <= high && low < expected && expected < high, "coordinate {dim}: {index:?}");
        }
    }
}

/// With V1 = (1 + bπ⁴/5)²/2, V2 = a²/8 and V13 = b²π⁸(1/18 − 1/50).
#[test]
fn shares_of_ishigamis_function() {
    let (v1, v2, v13) =
        (0.5 * (1.0 + 0.1 * PI.powi(4) / 5.0).powi(2), 49.0 / 8.0, 0.01 * PI.powi(8) * (1.0 / 18.0 - 1.0 / 50.0));
    let all = v1 + v2 + v13;
    assert!((v1 / all - 0.3139).abs() < 5e-5 && (v2 / all - 0.4424).abs() < 5e-5);
    let (first, total) = ([v1 / all, v2 / all, 0.0], [(v1 + v13) / all, v2 / all, v13 / all]);
    for seed in 0..4 {
        let size = DesignSize { samples: 1 << 13, dims: 3, seed };
        assert_indices(&size, ishigami, &first, &total, 0.01);
    }
}

/// Sobol's g-function, the product of (|4x − 2| + a)/(1 + a): with Vi = 1/3/(1 + a)², the variance is ∏(1 + Vi) − 1.
#[test]
fn shares_of_the_g_function() {
    const A: [f64; 6] = [0.0, 0.5, 3.0, 9.0, 99.0, 99.0];
    let g = |point: &[f64]| -> f64 {
        point.iter().zip(A).map(|(value, a)| ((4.0 * value - 2.0).abs() + a) / (1.0 + a)).product()
    };
    let parts = A.map(|a| 1.0 / 3.0 / (1.0 + a).powi(2));
    let with_all: f64 = parts.iter().map(|part| 1.0 + part).product();
    let first = parts.map(|part| part / (with_all - 1.0));
    let total = parts.map(|part| part * (with_all / (1.0 + part)) / (with_all - 1.0));
    let size = DesignSize { samples: 1 << 13, dims: 6, seed: 1 };
    assert_indices(&size, g, &first, &total, 0.012);
}

/// The effects of `3x − 2y` are its factors, all the same; those of x in `x·y` are the values of y.
#[test]
fn effects_of_linear_functions_and_of_products() {
    let size = DesignSize { samples: 200, dims: 3, seed: 4 };
    let linear = |point: &[f64]| 3.0 * point[0] - 2.0 * point[1];
    let screened = screening(&size, &results(SampleDesign::Morris, &size, linear));
    assert_eq!(screened.used, 200);
    for (effect, factor) in screened.effects.iter().zip([3.0, -2.0, 0.0f64]) {
        assert!((effect.mean - factor).abs() < 1e-13 && (effect.mean_abs - factor.abs()).abs() < 1e-13);
        assert!(effect.deviation < 1e-13 && (effect.interval[1] - effect.interval[0]) < 1e-13, "{effect:?}");
    }
    // y is 0, 1/3, 2/3 or 1, each as likely: the mean is 1/2, the variance 5/36.
    let product = |point: &[f64]| point[0] * point[1];
    let screened = screening(&size, &results(SampleDesign::Morris, &size, product));
    let effect = screened.effects[0];
    let deviation = (5.0f64 / 36.0).sqrt();
    assert!((effect.mean - 0.5).abs() < 0.08 && effect.mean == effect.mean_abs, "{effect:?}");
    assert!((effect.deviation - deviation).abs() < 0.05, "{effect:?}");
    // The interval of a mean is ±1.96 standard errors.
    let width = 2.0 * 1.96 * deviation / 200f64.sqrt();
    assert!(((effect.interval[1] - effect.interval[0]) / width - 1.0).abs() < 0.15, "{effect:?}");
}

/// Points whose results are not finite are left out with those that belong to them.
#[test]
fn failed_points_are_left_out() {
    let size = DesignSize { samples: 512, dims: 3, seed: 2 };
    let mut results = results(SampleDesign::SobolIndices, &size, ishigami);
    let whole = variance_shares(&DesignSize { samples: 500, ..size }, &results[12 * 5..]);
    (0..12).for_each(|pair| results[5 * pair + pair % 5] = f64::NAN);
    let found = variance_shares(&size, &results);
    assert_eq!(found.used, 500);
    assert_eq!(found, whole);
}

/// Results that do not vary have no shares; without any results there is nothing to say.
#[test]
fn nothing_varies() {
    let size = DesignSize { samples: 8, dims: 2, seed: 2 };
    let shares = variance_shares(&size, &[1.5; 32]);
    assert!(shares.indices.iter().all(|index| index.first.is_nan() && index.total.is_nan()));
    assert_eq!(variance_shares(&size, &[]).used, 0);
    assert_eq!(screening(&size, &[f64::NAN; 24]).used, 0);
    assert!(screening(&size, &[]).effects.iter().all(|effect| effect.mean.is_nan()));
}

/// The results `sin(k²/7)` of 40 points, k from 0, have with SALib 1.6 (`sobol.analyze`, `calc_second_order=False`) these
/// indices.
#[test]
fn indices_are_those_of_salib() {
    let size = DesignSize { samples: 8, dims: 3, seed: 0 };
    let results: Vec<f64> = (0..40).map(|k| (f64::from(k * k) / 7.0).sin()).collect();
    let shares = variance_shares(&size, &results);
    for (index, [first, total]) in shares.indices.iter().zip(SALIB) {
        assert!((index.first - first).abs() < 1e-13 && (index.total - total).abs() < 1e-13, "{index:?}");
    }
}

const SALIB: [[f64; 2]; 3] = [
    [-0.950698922467489, 1.4510810462572374],
    [-0.9476255907697841, 1.2582417836005357],
    [-0.8250908292420582, 1.5912090718479217],
];

/// μ, μ* and σ of Ishigami's function over 4 of the trajectories, with SALib 1.6 (`morris.analyze`).
#[test]
fn effects_are_those_of_salib() {
    let size = DesignSize { samples: 4, dims: 3, seed: 0 };
    let screened = screening(&size, &results(SampleDesign::Morris, &size, ishigami));
    for (effect, [mean, mean_abs, deviation]) in screened.effects.iter().zip(SALIB_MORRIS) {
        assert!((effect.mean - mean).abs() < 1e-12, "{effect:?}");
        assert!((effect.mean_abs - mean_abs).abs() < 1e-12 && (effect.deviation - deviation).abs() < 1e-12);
    }
}

const SALIB_MORRIS: [[f64; 3]; 3] = [
    [10.828452163259666, 10.828452163259666, 6.248796103333119],
    [-7.875000000000002, 7.875000000000002, 7.251946429389431e-16],
    [3.1243980516665597, 9.373194154999677, 11.965533560346607],
];
