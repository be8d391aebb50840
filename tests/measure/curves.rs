use std::f64::consts::{PI, TAU};

use simulate::measure::{
    Edge, PeakKind, Tolerance, Trigger, compare, crossings, histogram, peaks, periodicity, statistics, step_response,
};

use super::{near, samples, series};

#[test]
fn statistics_of_known_sets() {
    let found = statistics([1.0, f64::NAN, 2.0, 3.0, f64::INFINITY, 4.0]).expect("samples");
    assert_eq!((found.count, found.low, found.high, found.mean), (4, 1.0, 4.0, 2.5));
    near(found.rms, 7.5_f64.sqrt(), 1e-15);
    near(found.std_dev, 1.25_f64.sqrt(), 1e-15);
    let sine = samples(10_000, 1e-4, |time| 3.0 * (TAU * 5.0 * time).sin());
    let found = statistics(sine).expect("samples");
    near(found.mean, 0.0, 1e-12);
    near(found.rms, 3.0 / 2.0_f64.sqrt(), 1e-12);
    assert_eq!(statistics([f64::NAN]), None);
}

#[test]
fn two_sets_are_as_one() {
    let values = samples(1000, 0.01, |time| 3.0 + time.sin() * 5.0);
    let of = |values: &[f64]| statistics(values.iter().copied()).expect("samples");
    let (joined, whole) = (of(&values[..137]).joined(&of(&values[137..])), of(&values));
    assert_eq!((joined.count, joined.low, joined.high), (whole.count, whole.low, whole.high));
    near(joined.mean, whole.mean, 1e-12);
    near(joined.rms, whole.rms, 1e-12);
    near(joined.std_dev, whole.std_dev, 1e-12);
}

#[test]
fn a_small_deviation_beside_a_great_mean_is_not_lost() {
    let found = statistics((0..1000).map(|place| 1e9 + f64::from(place % 2))).expect("samples");
    near(found.std_dev, 0.5, 1e-9);
}

/// Overshoot exp(−πζ/√(1−ζ²)), peak time π/(ωn·√(1−ζ²)).
#[test]
fn step_response_of_second_order() {
    let (natural, delta) = (2.0, 1e-3);
    for damping in [0.1, 0.3, 0.5, 0.7] {
        let root = (1.0_f64 - damping * damping).sqrt();
        let of = |time: f64| {
            let phase = natural * root * time;
            1.0 - (-damping * natural * time).exp() * (phase.cos() + damping / root * phase.sin())
        };
        let values = samples((30.0 / (damping * natural * delta)) as usize, delta, |time| 5.0 - 2.0 * of(time));
        let found = step_response(series(&values, delta)).expect("a step");
        near(found.begin, 5.0, 0.0);
        near(found.rest, 3.0, 1e-9);
        near(found.overshoot, (-PI * damping / root).exp(), 1e-5);
        near(found.peak, 3.0 - 2.0 * found.overshoot, 1e-12);
        near(found.peak_time, PI / (natural * root), delta);
        let settled = found.settling_time.expect("it comes to rest");
        near((of(settled) - 1.0).abs(), 0.02, 1e-5);
        assert!((0..200_000).all(|n| (of(settled + f64::from(n) * delta) - 1.0).abs() < 0.020_01));
    }
}

/// Rise time τ·ln 9, settling time τ·ln 50, no overshoot.
#[test]
fn step_response_of_first_order() {
    let (time_constant, delta) = (0.7, 1e-3);
    let values = samples(30_000, delta, |time| 1.0 - (-time / time_constant).exp());
    let found = step_response(series(&values, delta)).expect("a step");
    near(found.rise_time, time_constant * 9.0_f64.ln(), 1e-5);
    near(found.settling_time.expect("rest"), time_constant * 50.0_f64.ln(), 1e-5);
    assert!(found.overshoot < 1e-12);
}

#[test]
fn no_step_no_response() {
    assert_eq!(step_response(series(&[1.0; 50], 0.1)), None);
    assert_eq!(step_response(series(&[0.0, 1.0], 0.1)), None);
    let ramp = samples(100, 1.0, |time| time);
    assert_eq!(step_response(series(&ramp, 1.0)).expect("a way").settling_time.map(|_| ()), None);
}

#[test]
fn rhythm_of_pulses_and_sines() {
    let pulses = samples(100_000, 1e-4, |time| if (time / 0.8).fract() < 0.25 { 5.0 } else { 0.0 });
    let found = periodicity(series(&pulses, 1e-4)).expect("it repeats");
    near(found.period, 0.8, 2e-5);
    near(found.duty, 0.25, 2e-4);
    let sine = samples(10_000, 1e-3, |time| 2.0 + (TAU * 7.3 * time + 0.4).sin() + 0.05 * (900.0 * time).sin());
    let found = periodicity(series(&sine, 1e-3)).expect("it repeats");
    near(found.frequency, 7.3, 2e-3);
    assert_eq!(found.periods, 72);
    assert_eq!(periodicity(series(&[0.0, 1.0, 2.0], 1.0)), None);
}

#[test]
fn crossings_lie_between_samples_and_noise_counts_once() {
    let found = crossings(series(&[0.0, 1.0, 0.0, -1.0, 1.0], 2.0), 0.25, Edge::Rising, 0.0);
    assert_eq!(found, [0.5, 7.25]);
    let noisy = [-1.0, -0.1, 0.1, -0.1, 0.1, 1.0, 0.1, -0.1, -1.0];
    assert_eq!(crossings(series(&noisy, 1.0), 0.0, Edge::Either, 0.5).len(), 2);
    assert_eq!(crossings(series(&noisy, 1.0), 0.0, Edge::Either, 0.0).len(), 4);
    assert_eq!(crossings(series(&[0.0, f64::NAN, 1.0], 1.0), 0.5, Edge::Either, 0.0), [] as [f64; 0]);
}

#[test]
fn tops_and_bottoms_in_turn() {
    let values = samples(1001, 0.01, |time| (PI * time).cos() - 0.01 * (80.0 * time).sin().abs());
    let found = peaks(series(&values, 0.01), 0.5);
    assert_eq!(found.len(), 9, "{found:?}");
    for (number, peak) in found.iter().enumerate() {
        near(peak.time, number as f64 + 1.0, 0.08);
        assert_eq!(peak.side, if number % 2 == 0 { PeakKind::Bottom } else { PeakKind::Top });
    }
}

#[test]
fn histogram_counts_all() {
    let values: Vec<f64> = (0..1000).map(|n| f64::from(n) / 1000.0).chain([f64::NAN]).collect();
    let found = histogram(&values).expect("samples");
    assert_eq!((found.count(), found.counts.len()), (1000, 20));
    assert!(found.counts.iter().all(|count| (49..=51).contains(count)), "{found:?}");
    assert_eq!(histogram(&[2.0, 2.0]).expect("samples").counts, [2]);
    assert_eq!(histogram(&[]), None);
}

#[test]
fn triggers_find_the_last_edge() {
    let values = [0.0, 2.0, 0.0, f64::NAN, 2.0, 0.0, 4.0];
    assert_eq!(Trigger { level: 1.0, edge: Edge::Rising }.last(&values), Some(5.25));
    assert_eq!(Trigger { level: 1.0, edge: Edge::Falling }.last(&values), Some(4.5));
    assert_eq!(Trigger { level: 1.0, edge: Edge::Either }.first(&values), Some(0.5));
    assert_eq!(Trigger { level: 9.0, edge: Edge::Either }.last(&values), None);
}

#[test]
fn curves_are_compared_within_a_tolerance() {
    let tolerance = Tolerance { absolute: 0.1, relative: 0.01 };
    let found = compare([1.0, 10.15, 20.5, f64::NAN], [1.0, 10.0, 20.0, f64::NAN, 7.0], tolerance);
    assert_eq!((found.count, found.exceeded, found.first_exceeded, found.max_difference_at), (4, 1, Some(2), 2));
    near(found.max_difference, 0.5, 1e-12);
    let (curve, reference) = ([1.0, 2.0, 3.0, 9.0, 5.0], [1.0, 2.2, 3.0, 4.0, 5.5]);
    let whole = compare(curve, reference, tolerance);
    for cut in 0..=5 {
        let first = compare(curve[..cut].to_vec(), reference[..cut].to_vec(), tolerance);
        let rest = compare(curve[cut..].to_vec(), reference[cut..].to_vec(), tolerance);
        assert_eq!(first.followed_by(&rest), whole);
    }
    let found = compare([f64::NAN], [1.0], tolerance);
    assert_eq!((found.max_difference, found.exceeded), (f64::INFINITY, 1));
}

/// A not-a-number with a payload is another value; its sign says nothing. Two finite numbers may be further apart than the
/// largest number.
#[test]
fn what_is_not_finite_is_outside_every_tolerance() {
    let (inf, nan, other) = (f64::INFINITY, f64::NAN, f64::from_bits(f64::NAN.to_bits() | 5));
    let equal = [(inf, inf), (-inf, -inf), (nan, nan), (nan, -nan), (other, other)];
    let unequal = [(1.0, inf), (inf, 1.0), (inf, -inf), (1.0, nan), (nan, 1.0), (nan, inf), (inf, nan), (nan, other)];
    for tolerance in [0.0, 1.0, f64::MAX, inf, nan].map(|part| Tolerance { absolute: part, relative: part }) {
        for (value, reference) in equal {
            let found = compare([value], [reference], tolerance);
            assert_eq!((found.exceeded, found.max_difference), (0, 0.0), "{value} {reference} {tolerance:?}");
        }
        for (value, reference) in unequal {
            let found = compare([value], [reference], tolerance);
            assert_eq!((found.exceeded, found.max_difference), (1, inf), "{value} {reference} {tolerance:?}");
        }
    }
    let found = compare([f64::MAX], [-f64::MAX], Tolerance::default());
    assert_eq!((found.exceeded, found.max_difference), (1, inf));
}
