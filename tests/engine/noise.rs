//! Statistics of random sources; seeds are fixed, so the results are reproducible.

use simulate::block::Unary;

use super::Sketch;

type Options = &'static [(&'static str, &'static [&'static str])];

fn draws(block: &str, options: &[(&str, &[&str])], delta: f64, count: usize) -> Vec<f64> {
    Sketch::new(delta)
        .block(0, block, options)
        .block(1, "exit y", &[])
        .wire("0.Output", "1.Input")
        .run()
        .trace("y", count)
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// Moments and autocorrelation of ten thousand draws; the bounds are five standard errors.
#[test]
fn random_blocks_have_their_moments() {
    let third = (1.0f64 / 12.0).sqrt();
    let cases: [(&str, Options, f64, f64); 4] = [
        ("Var/Noise", &[], 0.0, 1.0),
        ("Var/Random", &[], 0.5, third),
        // A density of 0.1 over samples of 0.5 s.
        ("Var/Band-Limited White Noise", &[], 0.0, 0.2f64.sqrt()),
        ("Var/Signal Generator", &[("Wave", &["random"]), ("Amplitude", &["2"])], 0.0, 4.0 * third),
    ];
    for (block, options, want, deviation) in cases {
        let draws = draws(block, options, 0.5, 10_000);
        let count = draws.len() as f64;
        let got = mean(draws.iter().copied());
        let variance = draws.iter().map(|draw| (draw - got).powi(2)).sum::<f64>() / (count - 1.0);
        let follow = draws.windows(2).map(|pair| (pair[0] - want) * (pair[1] - want)).sum::<f64>();
        let follow = follow / (count * deviation.powi(2));
        assert!((got - want).abs() < 5.0 * deviation / count.sqrt(), "{block}: mean {got}");
        assert!((variance / deviation.powi(2) - 1.0).abs() < 5.0 * (2.0 / count).sqrt(), "{block}: {variance}");
        assert!(follow.abs() < 5.0 / count.sqrt(), "{block}: one draw tells of the next: {follow}");
    }
}

/// Pearson's test over twenty equally likely classes: with 19 degrees of freedom 43.8 is exceeded once in a thousand
/// cases.
#[test]
fn random_blocks_have_their_distribution() {
    let normal = |p: f64| Unary::Probit.value(p);
    let scaled = |p: f64| 0.2f64.sqrt() * Unary::Probit.value(p);
    let quantiles: [(&str, &dyn Fn(f64) -> f64); 3] =
        [("Var/Noise", &normal), ("Var/Band-Limited White Noise", &scaled), ("Var/Random", &|p| p)];
    for (block, quantile) in quantiles {
        let draws = draws(block, &[("Seed", &["7"])], 0.5, 10_000);
        let expected = draws.len() as f64 / 20.0;
        let class = |draw: f64| (1..20).filter(|edge| draw >= quantile(f64::from(*edge) / 20.0)).count();
        let mut counts = [0.0; 20];
        draws.iter().for_each(|&draw| counts[class(draw)] += 1.0);
        let distance: f64 = counts.iter().map(|count| (count - expected).powi(2) / expected).sum();
        assert!(distance < 43.8, "{block}: {distance} {counts:?}");
    }
}

/// Sums over blocks of pink noise: their variance falls far slower than one over the length, as white noise's does.
#[test]
fn pink_noise_is_alike_at_every_scale() {
    let pink = draws("Var/Pink Noise", &[], 1.0, 16_384);
    let white = draws("Var/Noise", &[], 1.0, 16_384);
    let spread = |values: &[f64], length: usize| {
        let means: Vec<f64> = values.chunks(length).map(|part| mean(part.iter().copied())).collect();
        let middle = mean(means.iter().copied());
        means.iter().map(|value| (value - middle).powi(2)).sum::<f64>() / means.len() as f64
    };
    let fall = |values: &[f64]| spread(values, 1) / spread(values, 64);
    assert!((40.0..100.0).contains(&fall(&white)), "white: {}", fall(&white));
    assert!((1.2..5.0).contains(&fall(&pink)), "pink: {}", fall(&pink));
    assert!((0.5..2.0).contains(&spread(&pink, 1)), "{}", spread(&pink, 1));
}

#[test]
fn another_seed_gives_other_numbers_and_a_sample_time_holds_them() {
    for block in ["Var/Noise", "Var/Random", "Var/Band-Limited White Noise", "Var/Pink Noise"] {
        let first = draws(block, &[("Seed", &["1"])], 0.5, 50);
        assert_eq!(first, draws(block, &[("Seed", &["1"])], 0.5, 50), "{block}");
        let other = draws(block, &[("Seed", &["2"])], 0.5, 50);
        assert!(first.iter().zip(&other).all(|(a, b)| a != b), "{block}");
        let held = draws(block, &[("Sample Time", &["1.5"])], 0.5, 60);
        assert!(held.chunks(3).all(|part| part.iter().all(|value| *value == part[0])), "{block}: {held:?}");
        assert!(held.chunks(3).zip(held.chunks(3).skip(1)).all(|(a, b)| a[0] != b[0]), "{block}: {held:?}");
    }
}

/// The solution x of erfc(-x/√2)/2 = p, by mpmath with 60 digits.
#[test]
fn the_quantile_is_right_far_out() {
    for (p, want) in [
        (1e-12, -7.034_483_825_301_132),
        (1e-15, -7.941_345_326_170_997),
        (1e-20, -9.262_340_089_798_408),
        (1e-50, -14.933_337_534_788_489),
        (1e-100, -21.273_453_560_965_324),
        (1e-300, -37.047_096_299_361_2),
    ] {
        let got = Unary::Probit.value(p);
        assert!((got / want - 1.0_f64).abs() < 2e-15, "{p:e}: {got}, not {want}");
    }
    // The median, and the ends of the range.
    let ends = [0.5, 0.0, 1.0, -0.1, 1.1].map(|p| Unary::Probit.value(p));
    assert_eq!(ends[..3], [0.0, f64::NEG_INFINITY, f64::INFINITY]);
    assert!(ends[3].is_nan() && ends[4].is_nan(), "{ends:?}");
}

/// The range shifts and scales the draws between 0 and 1.
#[test]
fn random_numbers_lie_in_their_range() {
    let unit = draws("Var/Random", &[], 0.5, 100);
    let ranged = draws("Var/Random", &[("Low Value", &["2"]), ("High Value", &["5"])], 0.5, 100);
    for (unit, ranged) in unit.iter().zip(ranged) {
        assert!((ranged - (2.0 + 3.0 * unit)).abs() < 1e-14, "{unit} becomes {ranged}");
    }
}
