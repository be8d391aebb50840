use std::f64::consts::TAU;

use simulate::measure::distortion;

use super::{near, samples, series};

const DELTA: f64 = 1e-4;

fn decibels(ratio: f64) -> f64 {
    20.0 * ratio.log10()
}

/// A sine with the amplitudes of its harmonics, over a number of periods that is not whole.
fn with_harmonics(frequency: f64, amplitudes: &[f64]) -> Vec<f64> {
    samples(5003, DELTA, |time| {
        let wave = |(k, amplitude): (usize, &f64)| {
            amplitude * (TAU * frequency * (k + 1) as f64 * time + 0.3 + k as f64).cos()
        };
        0.7 + amplitudes.iter().enumerate().map(wave).sum::<f64>()
    })
}

#[test]
fn harmonics_are_those_of_the_sum() {
    for frequency in [5.3, 53.7, 333.3] {
        let amplitudes = [2.0, 0.05, 0.02, 0.0, 0.01];
        let found = distortion(series(&with_harmonics(frequency, &amplitudes), DELTA)).expect("a sine");
        let expected = (0.05_f64.powi(2) + 0.02_f64.powi(2) + 0.01_f64.powi(2)).sqrt() / 2.0;
        near(found.frequency, frequency, 1e-8);
        near(found.amplitude, 2.0, 1e-9);
        near(found.thd, expected, 1e-9);
        near(found.sinad, -decibels(expected), 1e-6);
        near(found.sfdr, decibels(2.0 / 0.05), 1e-6);
        assert!(found.snr > 180.0, "{found:?}");
    }
}

/// A line that is no harmonic is noise and the highest spur; its mean square is half the square of its amplitude.
#[test]
fn what_is_no_harmonic_is_noise() {
    let mut values = with_harmonics(50.0, &[1.0, 1e-3]);
    values.iter_mut().enumerate().for_each(|(n, value)| *value += 4e-3 * (TAU * 1234.5 * n as f64 * DELTA).sin());
    let found = distortion(series(&values, DELTA)).expect("a sine");
    near(found.thd, 1e-3, 2e-5);
    near(found.snr, decibels(1.0 / 4e-3), 0.01);
    near(found.sinad, decibels(1.0 / (4e-3_f64).hypot(1e-3)), 0.01);
    near(found.sfdr, decibels(1.0 / 4e-3), 0.02);
}

/// The tenth harmonic counts and the eleventh is noise; harmonics above half the sampling frequency (5 kHz) are noise.
#[test]
fn the_tenth_harmonic_is_the_last() {
    let mut amplitudes = [0.0; 11];
    (amplitudes[0], amplitudes[9]) = (1.0, 0.01);
    let found = distortion(series(&with_harmonics(77.0, &amplitudes), DELTA)).expect("a sine");
    near(found.thd, 0.01, 1e-9);
    (amplitudes[9], amplitudes[10]) = (0.0, 0.01);
    let found = distortion(series(&with_harmonics(77.0, &amplitudes), DELTA)).expect("a sine");
    near(found.thd, 0.0, 1e-3);
    near(found.snr, 40.0, 0.01);
    let found = distortion(series(&with_harmonics(1900.0, &[1.0, 0.0, 0.01]), DELTA)).expect("a sine");
    near(found.thd, 0.0, 1e-3);
    near(found.snr, 40.0, 0.01);
}

/// The ideal converter with n bits: SINAD = 6.02·n + 1.76 dB (W. R. Bennett, “Spectra of quantized signals”, 1948).
#[test]
fn a_converter_has_its_bits() {
    for bits in [10_i32, 12, 16] {
        let step = 2.0 / f64::from(1 << bits);
        let values = samples(40_000, DELTA, |time| {
            let value = (1.0 - step) * (TAU * 79.123_456 * time).sin();
            ((value / step).floor() + 0.5) * step
        });
        let found = distortion(series(&values, DELTA)).expect("a sine");
        near(found.sinad, 6.0206 * f64::from(bits) + 1.7609 + decibels(1.0 - step), 0.1);
        near(found.bits(), f64::from(bits), 0.02);
    }
}

#[test]
fn what_is_no_sine_has_no_distortion() {
    assert_eq!(distortion(series(&[], DELTA)), None);
    assert_eq!(distortion(series(&[1.0; 500], DELTA)), None);
    assert_eq!(distortion(series(&[0.0; 500], DELTA)), None);
    let mut values = with_harmonics(50.0, &[1.0]);
    assert_eq!(distortion(series(&values[..300], DELTA)), None, "one and a half periods");
    assert!(distortion(series(&values[..600], DELTA)).is_some(), "three periods");
    for large in [1e300, 1e-300] {
        let scaled: Vec<f64> = values.iter().map(|value| value * large).collect();
        assert_eq!(distortion(series(&scaled, DELTA)), None);
    }
    values[7] = f64::NAN;
    assert_eq!(distortion(series(&values, DELTA)), None);
    let alternating: Vec<f64> = (0..100).map(|n| if n % 2 == 0 { 1.0 } else { -1.0 }).collect();
    assert_eq!(distortion(series(&alternating, DELTA)), None, "half the sampling frequency");
}
