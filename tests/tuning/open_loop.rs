//! The frequency response of the open loop against closed forms: its phase without jumps, and without full turns too many.

use simulate::tuning::{Gains, Plant};

use super::{channel, delayed, lags, near, plant};

/// Compares gain in decibels and phase in degrees with closed forms.
#[track_caller]
fn check(plant: &Plant, gains: &Gains, gain: impl Fn(f64) -> f64, phase: impl Fn(f64) -> f64) {
    let margins = plant.margins(gains);
    let range = plant.open_range(&[margins.phase_at.expect("a crossover")]);
    let points = plant.open_response(gains, range, &margins);
    near(points.first().expect("points").frequency, range.0, 1e-9);
    near(points.last().expect("points").frequency, range.1, 1e-9);
    assert!(range.0 < margins.phase_at.unwrap_or(0.0) && margins.phase_at.unwrap_or(0.0) < range.1);
    for point in points {
        let (at, want) = (point.frequency, phase(point.frequency));
        assert!((point.decibels() - 20.0 * gain(at).log10()).abs() < 1e-6, "gain at {at}: {}", point.decibels());
        assert!((point.phase - want).abs() < 1e-6, "phase at {at}: {}, not {want}", point.phase);
    }
}

/// `1/(s + 1)³` with `P + I/s`.
#[test]
fn lags_with_pi_control() {
    let (p, i) = (1.2, 0.5);
    let gains = Gains { p, i, n: 100.0, ..Gains::default() };
    check(
        &plant(channel(&[1.0], &lags(&[1.0; 3]))),
        &gains,
        |w| p.hypot(i / w) / (1.0 + w * w).powf(1.5),
        |w| -(3.0 * w.atan() + (i / (p * w)).atan()).to_degrees(),
    );
}

/// A plant of negative gain and a controller of negative gains make the same loop.
#[test]
fn negative_gains_turn_the_phase_twice() {
    let gains = Gains { p: -2.0, n: 100.0, ..Gains::default() };
    check(&plant(channel(&[-3.0], &[1.0, 1.0])), &gains, |w| 6.0 / 1f64.hypot(w), |w| -w.atan().to_degrees());
}

/// A dead time turns the phase without end.
#[test]
fn a_dead_time_turns_the_phase_on() {
    let gains = Gains { p: 0.5, n: 100.0, ..Gains::default() };
    check(&plant(delayed(&[1.0], &[1.0, 0.0], 0.8)), &gains, |w| 0.5 / w, |w| -90.0 - (0.8 * w).to_degrees());
}

/// `1/(s − 1)` begins at −180°, and an integral part at −270°, where the Nyquist plot circles −1.
#[test]
fn an_unstable_plant_begins_below_the_critical_phase() {
    let (p, i) = (3.0, 1.0);
    let gains = Gains { p, i, n: 100.0, ..Gains::default() };
    check(
        &plant(channel(&[1.0], &[1.0, -1.0])),
        &gains,
        |w| p.hypot(i / w) / 1f64.hypot(w),
        |w| -180.0 + w.atan().to_degrees() - (i / (p * w)).atan().to_degrees(),
    );
}

/// The axis stays while a crossover moves a little.
#[test]
fn the_range_is_in_whole_decades() {
    let lag = plant(channel(&[1.0], &[1.0, 1.0]));
    let range = lag.open_range(&[3.0]);
    near(range.0, 0.1, 1e-9);
    near(range.1, 100.0, 1e-9);
    assert_eq!(lag.open_range(&[4.0]), range);
    // A far pole is left out.
    let (low, high) = plant(channel(&[1.0], &lags(&[1.0, 1e-9]))).open_range(&[3.0]);
    assert!(low > 1e-3 && high < 1e5, "{low} {high}");
}
