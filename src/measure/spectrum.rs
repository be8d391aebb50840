//! The spectrum of a curve.

use super::{Series, Window, fourier};

/// The scaling of the lines of a spectrum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scaling {
    /// A sine of amplitude A gives a line of height A.
    #[default]
    Amplitude,
    /// A sine of amplitude A gives a line of height A/√2.
    Rms,
    /// The power spectral density, in the signal's unit squared per Hz: its integral is the mean square.
    Density,
}

/// A one-sided spectrum: lines from 0 Hz to half the sampling frequency.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrum {
    /// The distance between lines in Hz.
    pub step: f64,
    pub lines: Vec<f64>,
}

impl Spectrum {
    /// Returns the frequency in Hz and the height of the highest line, except that at 0 Hz.
    pub fn highest(&self) -> Option<(f64, f64)> {
        let (index, line) = self.lines.iter().enumerate().skip(1).max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        Some((index as f64 * self.step, *line))
    }
}

/// Computes the one-sided spectrum of the windowed samples. With `N` samples at time step `delta`, window weights `w`
/// and transform `X`, for all lines except 0 Hz and half the sampling frequency (whose factor is 1 instead of 2):
///
/// `amplitude = 2·|X| / Σw`, `density = 2·|X|²·delta / Σw²`
///
/// (G. Heinzel, A. Rüdiger, R. Schilling, “Spectrum and spectral density estimation by the DFT”, 2002.)
pub fn spectrum(series: Series, window: Window, scaling: Scaling) -> Spectrum {
    let count = series.values.len();
    let weights = window.weights(count);
    let weighed: Vec<f64> = series.values.iter().zip(&weights).map(|(value, weight)| value * weight).collect();
    let powers = fourier::powers(&weighed);
    let sum: f64 = weights.iter().sum();
    let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
    let line = |(index, power): (usize, f64)| {
        let is_alone = index == 0 || index * 2 == count;
        match scaling {
            Scaling::Amplitude => power.sqrt() / sum * if is_alone { 1.0 } else { 2.0 },
            Scaling::Rms => power.sqrt() / sum * if is_alone { 1.0 } else { std::f64::consts::SQRT_2 },
            Scaling::Density => power * series.delta / squares * if is_alone { 1.0 } else { 2.0 },
        }
    };
    let lines = powers.into_iter().enumerate().map(line).collect();
    Spectrum { step: if count == 0 { 0.0 } else { 1.0 / (count as f64 * series.delta) }, lines }
}
