//! The spectrum of a curve.

use super::{Segments, Series, Window};

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
    /// The number of segments whose powers are averaged.
    pub segments: usize,
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
    welch(series, &Segments::whole(window, series.values.len()), scaling)
}

/// Computes the one-sided spectrum with `|X|²` averaged over segments (Welch's method). An incomplete last segment is
/// omitted.
pub fn welch(series: Series, segments: &Segments, scaling: Scaling) -> Spectrum {
    let mut powers: Vec<f64> = Vec::new();
    let mut count = 0;
    let weights = segments.transform([series.values], |[lines]| {
        powers.resize(lines.len(), 0.0);
        for (sum, line) in powers.iter_mut().zip(lines) {
            *sum += line.norm_sqr();
        }
        count += 1;
    });
    let line = |(index, sum): (usize, f64)| {
        let power = sum / count as f64;
        let is_alone = weights.is_alone(index);
        match scaling {
            Scaling::Amplitude => power.sqrt() / weights.sum * if is_alone { 1.0 } else { 2.0 },
            Scaling::Rms => power.sqrt() / weights.sum * if is_alone { 1.0 } else { std::f64::consts::SQRT_2 },
            Scaling::Density => power * weights.density(index, series.delta),
        }
    };
    let lines = powers.into_iter().enumerate().map(line).collect();
    Spectrum { step: weights.step(series.delta), lines, segments: count }
}
