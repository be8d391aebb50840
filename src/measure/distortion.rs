//! The distortion and the noise of a sine.
//!
//! The sine and its harmonics are fitted to the samples with the frequency as an unknown (the four-parameter fit of
//! IEEE Std 1057, extended by harmonics), so that the samples need not hold whole periods.

use super::{Scaling, Series, Window, spectrum};

/// The harmonics and the noise beside a sine. Ratios in dB are 20·log10 of RMS values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distortion {
    /// The frequency of the fundamental in Hz.
    pub frequency: f64,
    /// The amplitude of the fundamental.
    pub amplitude: f64,
    /// The total harmonic distortion: RMS of the harmonics over that of the fundamental.
    pub thd: f64,
    /// The signal-to-noise ratio in dB: the fundamental over all but the fundamental, its harmonics and the mean.
    pub snr: f64,
    /// The signal to noise and distortion in dB: the fundamental over all but the fundamental and the mean.
    pub sinad: f64,
    /// The spurious-free dynamic range in dB: the fundamental over the highest other line.
    pub sfdr: f64,
}

impl Distortion {
    /// The effective number of bits of a converter that is driven over its full range.
    pub fn bits(&self) -> f64 {
        (self.sinad - 20.0 * 1.5_f64.sqrt().log10()) / (20.0 * 2.0_f64.log10())
    }
}

/// The highest harmonic. (IEEE Std 1241 takes the second to the tenth.)
pub const HARMONICS: usize = 10;
/// The smallest number of periods in the samples: fewer do not tell the frequency from a drift.
const MIN_PERIODS: f64 = 2.0;
/// The maximum number of iterations for the frequency.
const ITERATIONS: usize = 30;

/// Measures the distortion of a sine. Harmonics above half the sampling frequency fold back and count as noise. `None`
/// if there are fewer than two periods, samples that are not finite, or no sine.
pub fn distortion(series: Series) -> Option<Distortion> {
    let values = series.values;
    let count = values.len();
    if count < 16 || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    // The fit squares values, which must neither overflow nor vanish.
    if !(1e-150..=1e150).contains(&largest) {
        return None;
    }
    let fit = fitted(values, first_frequency(values)?)?;
    let amplitude = fit.amplitudes.first().copied().filter(|amplitude| *amplitude > largest * 1e-12)?;
    let signal = amplitude * amplitude / 2.0;
    let harmonics: f64 = fit.amplitudes.iter().skip(1).map(|amplitude| amplitude * amplitude / 2.0).sum();
    let mean_square = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>() / count as f64;
    let noise = mean_square(&fit.rest);
    let decibels = |power: f64| 10.0 * (signal / power).log10();
    let rest = spectrum(Series { values: &fit.rest, ..series }, Window::FlatTop, Scaling::Amplitude);
    let spur = rest.highest().map_or(0.0, |(_, height)| height);
    let spur = fit.amplitudes.iter().skip(1).fold(spur, |spur, amplitude| spur.max(*amplitude));
    Some(Distortion {
        frequency: fit.frequency / series.delta,
        amplitude,
        thd: (harmonics / signal).sqrt(),
        snr: decibels(noise),
        sinad: decibels(noise + harmonics),
        sfdr: 20.0 * (amplitude / spur).log10(),
    })
}

/// Returns the frequency of the highest line in periods per sample, interpolated between lines with a Hann window:
/// M. Gasior, J. L. Gonzalez, “Improving FFT frequency measurement resolution by parabolic and Gaussian spectrum
/// interpolation”, 2004.
fn first_frequency(values: &[f64]) -> Option<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let centred: Vec<f64> = values.iter().map(|value| value - mean).collect();
    let series = Series { values: &centred, start: 0.0, delta: 1.0 };
    let lines = spectrum(series, Window::Hann, Scaling::Amplitude).lines;
    let (at, height) = lines.iter().enumerate().skip(1).max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let log = |line: Option<&f64>| line.copied().unwrap_or(0.0).max(height * 1e-9).ln();
    let (before, here, after) = (log(lines.get(at - 1)), log(Some(height)), log(lines.get(at + 1)));
    let bend = before - 2.0 * here + after;
    let shift = if bend < 0.0 { ((before - after) / (2.0 * bend)).clamp(-0.5, 0.5) } else { 0.0 };
    (*height > 0.0).then_some((at as f64 + shift) / values.len() as f64)
}

struct Fit {
    /// Periods per sample.
    frequency: f64,
    /// The amplitudes of the fundamental and its harmonics.
    amplitudes: Vec<f64>,
    /// The samples without the fit.
    rest: Vec<f64>,
}

/// Fits a mean, a sine and its harmonics by least squares. The frequency follows from Gauss–Newton steps.
fn fitted(values: &[f64], mut frequency: f64) -> Option<Fit> {
    let count = values.len() as f64;
    let mut factors: Vec<f64> = Vec::new();
    for _ in 0..ITERATIONS {
        if !(MIN_PERIODS / count..0.5 - 0.5 / count).contains(&frequency) {
            return None;
        }
        // The highest harmonic that is well below half the sampling frequency, where its sine vanishes.
        let harmonics = (1..=HARMONICS).take_while(|k| *k as f64 * frequency <= 0.5 - 0.5 / count).count();
        let has_slope = factors.len() == 2 * harmonics + 2;
        factors = least_squares(values, frequency, harmonics, has_slope.then_some(&factors))?;
        // The last factor is the change of the angular frequency.
        let change = factors.last()? / std::f64::consts::TAU;
        frequency += change.clamp(-0.25 / count, 0.25 / count);
        if has_slope && change.abs() * count < 1e-12 {
            break;
        }
    }
    factors.pop();
    let rest = values.iter().enumerate().map(|(n, value)| {
        let basis = basis(n, values.len(), frequency, factors.len() / 2);
        value - basis.iter().zip(&factors).map(|(wave, factor)| wave * factor).sum::<f64>()
    });
    let rest = rest.collect();
    let amplitudes = factors.get(1..)?.as_chunks::<2>().0.iter().map(|[a, b]| a.hypot(*b)).collect();
    Some(Fit { frequency, amplitudes, rest })
}

/// Returns 1 and the cosine and sine of each harmonic at a sample. Time counts from the middle of the samples, where the
/// frequency and the phases are independent of each other.
fn basis(n: usize, count: usize, frequency: f64, harmonics: usize) -> Vec<f64> {
    let angle = std::f64::consts::TAU * frequency * (n as f64 - (count - 1) as f64 / 2.0);
    let (sin, cos) = libm::sincos(angle);
    let mut all = Vec::with_capacity(2 * harmonics + 2);
    all.push(1.0);
    let (mut c, mut s) = (cos, sin);
    for _ in 0..harmonics {
        all.push(c);
        all.push(s);
        (c, s) = (c * cos - s * sin, s * cos + c * sin);
    }
    all
}

/// Returns the mean, the factors of the cosines and sines, and the change of the angular frequency (per sample) that
/// fit the values best. The change needs the factors of the last iteration, and is 0 without them.
fn least_squares(values: &[f64], frequency: f64, harmonics: usize, last: Option<&Vec<f64>>) -> Option<Vec<f64>> {
    let count = values.len();
    let size = 2 * harmonics + 2;
    let mut matrix = vec![0.0; size * (size + 1)];
    for (n, value) in values.iter().enumerate() {
        let mut row = basis(n, count, frequency, harmonics);
        let time = n as f64 - (count - 1) as f64 / 2.0;
        let mut slope = 0.0;
        if let Some(last) = last {
            let waves = row[1..].as_chunks::<2>().0.iter().zip(last[1..].as_chunks::<2>().0);
            for (k, ([cos, sin], [a, b])) in (1..).zip(waves) {
                slope += f64::from(k) * time * (b * cos - a * sin);
            }
        }
        row.push(slope);
        row.push(*value);
        for (line, one) in row.iter().take(size).enumerate() {
            for (sum, other) in matrix[line * (size + 1)..].iter_mut().zip(&row).skip(line) {
                *sum += one * other;
            }
        }
    }
    solved(matrix, size, if last.is_some() { size } else { size - 1 })
}

/// Solves the normal equations, of which the upper half is given with the right side as the last column, for the first
/// `used` unknowns; the others are 0.
fn solved(mut matrix: Vec<f64>, size: usize, used: usize) -> Option<Vec<f64>> {
    let wide = size + 1;
    // Scaled by the diagonal, since the slope has another unit than the waves.
    let scales: Vec<f64> = (0..used).map(|n| matrix[n * wide + n].sqrt()).collect();
    if scales.iter().any(|scale| !(scale.is_finite() && *scale > 0.0)) {
        return None;
    }
    for row in 0..used {
        for column in row..used {
            matrix[row * wide + column] /= scales[row] * scales[column];
        }
        matrix[row * wide + size] /= scales[row];
    }
    // Cholesky: the upper half becomes the factor.
    for row in 0..used {
        for column in row..used {
            let sum: f64 = (0..row).map(|k| matrix[k * wide + row] * matrix[k * wide + column]).sum();
            let rest = matrix[row * wide + column] - sum;
            matrix[row * wide + column] = match row == column {
                true if rest <= 1e-14 => return None,
                true => rest.sqrt(),
                false => rest / matrix[row * wide + row],
            };
        }
        let sum: f64 = (0..row).map(|k| matrix[k * wide + row] * matrix[k * wide + size]).sum();
        matrix[row * wide + size] = (matrix[row * wide + size] - sum) / matrix[row * wide + row];
    }
    let mut found = vec![0.0; size];
    for row in (0..used).rev() {
        let sum: f64 = (row + 1..used).map(|k| matrix[row * wide + k] * found[k]).sum();
        found[row] = (matrix[row * wide + size] - sum) / matrix[row * wide + row];
    }
    for (value, scale) in found.iter_mut().zip(scales) {
        *value /= scale;
    }
    Some(found)
}
