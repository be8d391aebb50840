//! Random sources: seeds, sample times and ranges; `random_statistics.rs` has their statistics.

use simulate::block::Unary;

use crate::sketch::Sketch;

fn draws(block: &str, options: &[(&str, &[&str])], delta: f64, count: usize) -> Vec<f64> {
    Sketch::new(delta)
        .block(0, block, options)
        .block(1, "exit y", &[])
        .wire("0.Output", "1.Input")
        .run()
        .trace("y", count)
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
