use std::f64::consts::TAU;

use serde_json::Value;
use simulate::measure::{Detrend, Scaling, Segments, Spectrum, Window, cross_spectrum, spectrogram, spectrum, welch};

use super::{near, samples, series};

const COUNT: usize = 1000;
const DELTA: f64 = 1e-3;

fn of_sine(frequency: f64, amplitude: f64, window: Window, scaling: Scaling) -> Spectrum {
    let values = samples(COUNT, DELTA, |time| amplitude * (TAU * frequency * time + 0.3).cos());
    spectrum(series(&values, DELTA), window, scaling)
}

#[test]
fn a_sine_has_a_line_of_its_height() {
    for window in Window::ALL {
        let found = of_sine(50.0, 2.5, window, Scaling::Amplitude);
        assert_eq!(found.lines.len(), COUNT / 2 + 1);
        near(found.step, 1.0, 1e-12);
        let (frequency, height) = found.highest().expect("lines");
        near(frequency, 50.0, 1e-9);
        near(height, 2.5, 1e-9);
        near(of_sine(50.0, 2.5, window, Scaling::Rms).lines[50], 2.5 / 2.0_f64.sqrt(), 1e-9);
    }
}

#[test]
fn what_has_no_mirror_image_counts_once() {
    for window in Window::ALL {
        let values = samples(COUNT, DELTA, |time| 3.0 + (TAU * 500.0 * time).cos());
        let found = spectrum(series(&values, DELTA), window, Scaling::Amplitude);
        near(found.lines[0], 3.0, 1e-9);
        near(found.lines[COUNT / 2], 1.0, 1e-9);
    }
}

/// Gain and noise bandwidth as in Harris 1978, table 1 (flat top: Heinzel 2002), and the scalloping loss of a sine
/// midway between two lines.
#[test]
fn windows_are_those_of_the_tables() {
    let table = [
        (Window::Rectangular, 1.0, 1.0, 3.92),
        (Window::Hann, 0.5, 1.5, 1.42),
        (Window::Hamming, 0.54, 1.36, 1.75),
        (Window::Blackman, 0.42, 1.73, 1.10),
        (Window::FlatTop, 0.2156, 3.77, 0.01),
    ];
    for (window, gain, bandwidth, loss) in table {
        near(window.gain(), gain, 5e-5);
        near(window.noise_bandwidth(), bandwidth, 5e-3);
        let weights = window.weights(COUNT);
        near(weights.iter().sum::<f64>() / COUNT as f64, window.gain(), 1e-12);
        let height = of_sine(250.5, 1.0, window, Scaling::Amplitude).highest().expect("lines").1;
        near(-20.0 * height.log10(), loss, 0.02);
    }
}

/// The integral of the power spectral density is the mean square (Parseval), and that of a line is amplitude² / 2.
#[test]
fn densities_add_up_to_the_power() {
    let mut state = 1_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    for count in [1000, 1001, 1024, 97] {
        let values: Vec<f64> = (0..count).map(|_| noise()).collect();
        let found = spectrum(series(&values, DELTA), Window::Rectangular, Scaling::Density);
        let mean_square = values.iter().map(|value| value * value).sum::<f64>() / count as f64;
        near(found.lines.iter().sum::<f64>() * found.step, mean_square, 1e-12);
    }
    for window in Window::ALL {
        let found = of_sine(50.0, 3.0, window, Scaling::Density);
        near(found.lines.iter().sum::<f64>() * found.step, 4.5, 1e-9);
        near(found.lines[50], 4.5 / window.noise_bandwidth(), 1e-9);
    }
}

#[test]
fn a_spectrogram_shows_when() {
    let values = samples(4000, DELTA, |time| (TAU * if time < 2.0 { 52.0 } else { 200.0 } * time).sin());
    let found = spectrogram(series(&values, DELTA), Window::Hann, 250, 125).expect("parts");
    assert_eq!(found.parts.len(), 31);
    near(found.frequency_step, 4.0, 1e-12);
    near(found.start, 0.125, 1e-12);
    near(found.time_step, 0.125, 1e-12);
    let highest = |part: &Vec<f64>| (0..part.len()).max_by(|&a, &b| part[a].total_cmp(&part[b])).expect("lines");
    assert_eq!(highest(&found.parts[3]), 13);
    assert_eq!(highest(&found.parts[25]), 50);
    assert_eq!(spectrogram(series(&values, DELTA), Window::Hann, 5000, 10), None);
}

#[test]
fn nothing_has_no_spectrum() {
    let found = spectrum(series(&[], DELTA), Window::Hann, Scaling::Amplitude);
    assert!(found.lines.is_empty());
    assert_eq!(found.highest(), None);
}

/// Averages over segments, with all windows, as `spectra.py` beside this file has them from SciPy.
#[test]
fn averaged_spectra_are_those_of_scipy() {
    let table: Value = serde_json::from_str(include_str!("spectra.json")).expect("the table is JSON");
    let numbers = |value: &Value| -> Vec<f64> {
        value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
    };
    let (x, y) = (numbers(&table["x"]), numbers(&table["y"]));
    let delta = table["delta"].as_f64().expect("a time step");
    let cases = table["cases"].as_array().expect("cases");
    assert_eq!(cases.len(), 6);
    for case in cases {
        let window = Window::ALL.into_iter().find(|window| case["window"] == window.label()).expect("a window");
        let segments = Segments {
            window,
            length: case["length"].as_u64().expect("a length") as usize,
            overlap: case["overlap"].as_f64().expect("an overlap"),
            detrend: if case["detrend"] == "Mean" { Detrend::Mean } else { Detrend::None },
        };
        let same = |found: &[f64], key: &str| {
            let expected = numbers(&case[key]);
            assert_eq!(found.len(), expected.len(), "{key} of {segments:?}");
            let largest = expected.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
            for (line, (found, expected)) in found.iter().zip(expected).enumerate() {
                let off = (found - expected).abs();
                assert!(off <= 1e-9 * largest, "{key} {line} of {segments:?}: {found} is not {expected}");
            }
        };
        let x_series = series(&x, delta);
        near(welch(x_series, &segments, Scaling::Rms).step, case["step"].as_f64().expect("a step"), 1e-9);
        same(&welch(x_series, &segments, Scaling::Density).lines, "density");
        same(&welch(x_series, &segments, Scaling::Rms).lines, "rms");
        let found = cross_spectrum(x_series, &y, &segments);
        let (re, im): (Vec<f64>, Vec<f64>) = found.xy.iter().copied().unzip();
        same(&re, "cross_re");
        same(&im, "cross_im");
        same(&found.xx, "density");
        same(&found.coherence(), "coherence");
        // A line without a mean has neither a gain nor a phase: rounding only.
        if segments.detrend == Detrend::None {
            same(&found.gain(), "gain");
            same(&found.phase(), "phase");
        }
    }
}

/// Segments of 4 samples with half overlap start every 2 samples, and eight of them fit.
#[test]
fn segments_are_complete() {
    let segments = Segments { window: Window::Hann, length: 4, overlap: 0.5, detrend: Detrend::None };
    assert_eq!([3, 4, 5, 6, 18].map(|count| segments.count(count)), [1, 1, 1, 2, 8]);
    for count in [9, 10, 100, 1001, 65_536] {
        assert!(Segments::eight(Window::Hann, count).count(count) >= 8, "{count}");
    }
    assert_eq!(Segments::whole(Window::Hann, 0).count(0), 0);
    assert!(cross_spectrum(series(&[], DELTA), &[1.0], &segments).xx.is_empty());
    // An overlap of the whole segment still moves on.
    assert_eq!(Segments { overlap: 1.0, ..segments }.count(10), 7);
}

/// A delay by five samples and a factor of −2: the coherence is 1, the gain 2, and the phase 180° − 5·360°·f·delta.
#[test]
fn a_transfer_function_is_that_of_a_delay() {
    let mut state = 7_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let x: Vec<f64> = (0..60_000).map(|_| noise()).collect();
    let y: Vec<f64> = (0..x.len()).map(|n| if n < 5 { 0.0 } else { -2.0 * x[n - 5] }).collect();
    let segments = Segments { window: Window::Hann, length: 1024, overlap: 0.5, detrend: Detrend::None };
    let found = cross_spectrum(series(&x, DELTA), &y, &segments);
    assert_eq!(found.segments, 116);
    let (gain, phase, coherence) = (found.gain(), found.phase(), found.coherence());
    for line in 10..500 {
        near(gain[line], 2.0, 0.02);
        near(coherence[line], 1.0, 0.002);
        let expected = 180.0 - 5.0 * 360.0 * line as f64 / 1024.0;
        let off = (phase[line] - expected).rem_euclid(360.0);
        near(off.min(360.0 - off), 0.0, 1.0);
    }
}
