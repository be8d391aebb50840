//! Two curves in the frequency domain: cross spectrum, coherence and transfer function.

use rustfft::num_complex::Complex;

use super::{Segments, Series};

/// The averaged one-sided power spectral densities of an input `x` and an output `y`, from 0 Hz to half the sampling
/// frequency.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossSpectrum {
    /// The distance between lines in Hz.
    pub step: f64,
    /// The number of averaged segments.
    pub segments: usize,
    /// The density of the input, and that of the output.
    pub xx: Vec<f64>,
    pub yy: Vec<f64>,
    /// The cross spectral density, the real and the imaginary part of `conj(X)·Y`.
    pub xy: Vec<(f64, f64)>,
}

/// Computes the cross spectrum of two curves with the same time step by Welch's method. The longer curve is cut.
pub fn cross_spectrum(x: Series, y: &[f64], segments: &Segments) -> CrossSpectrum {
    let mut sums: Vec<(f64, f64, Complex<f64>)> = Vec::new();
    let mut count = 0;
    let weights = segments.transform([x.values, y], |[x, y]| {
        sums.resize(x.len(), (0.0, 0.0, Complex::default()));
        for (sum, (x, y)) in sums.iter_mut().zip(x.iter().zip(y)) {
            sum.0 += x.norm_sqr();
            sum.1 += y.norm_sqr();
            sum.2 += x.conj() * y;
        }
        count += 1;
    });
    let factor = |index: usize| weights.density(index, x.delta) / count as f64;
    let lines = || sums.iter().enumerate();
    CrossSpectrum {
        step: weights.step(x.delta),
        segments: count,
        xx: lines().map(|(index, sum)| sum.0 * factor(index)).collect(),
        yy: lines().map(|(index, sum)| sum.1 * factor(index)).collect(),
        xy: lines().map(|(index, sum)| (sum.2.re * factor(index), sum.2.im * factor(index))).collect(),
    }
}

impl CrossSpectrum {
    /// Returns the magnitudes of the cross spectral density, in the product of both units per Hz.
    pub fn density(&self) -> Vec<f64> {
        self.xy.iter().map(|(re, im)| re.hypot(*im)).collect()
    }

    /// Returns the magnitude-squared coherence, `|Pxy|² / (Pxx·Pyy)`: 1 where the output follows linearly from the
    /// input, 0 where the two are unrelated. One segment alone always gives 1. Not-a-number where a curve has no power.
    pub fn coherence(&self) -> Vec<f64> {
        let lines = self.xy.iter().zip(self.xx.iter().zip(&self.yy));
        lines.map(|((re, im), (xx, yy))| (re * re + im * im) / (xx * yy)).collect()
    }

    /// Returns the magnitudes of the estimated transfer function `H1 = Pxy / Pxx`, for noise at the output.
    pub fn gain(&self) -> Vec<f64> {
        self.density().iter().zip(&self.xx).map(|(density, xx)| density / xx).collect()
    }

    /// Returns the phases of the estimated transfer function in degrees, −180 to 180; negative where the output lags.
    pub fn phase(&self) -> Vec<f64> {
        self.xy.iter().map(|(re, im)| libm::atan2(*im, *re).to_degrees()).collect()
    }
}
