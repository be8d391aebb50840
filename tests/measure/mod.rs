//! Measurements against closed forms and published tables.

mod curves;
mod distortion;
mod spectra;

use simulate::measure::Series;

/// Samples `of` at `count` times with step `delta`, from 0.
fn samples(count: usize, delta: f64, of: impl Fn(f64) -> f64) -> Vec<f64> {
    (0..count).map(|place| of(place as f64 * delta)).collect()
}

fn series(values: &[f64], delta: f64) -> Series<'_> {
    Series { values, start: 0.0, delta }
}

#[track_caller]
fn near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected} to {tolerance}");
}
