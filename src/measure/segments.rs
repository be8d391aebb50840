//! Overlapping segments of a curve, whose spectra are averaged.
//!
//! P. D. Welch, “The use of fast Fourier transform for the estimation of power spectra”, IEEE Trans. Audio
//! Electroacoustics 15 (1967).

use rustfft::num_complex::Complex;

use super::{Window, fourier};

/// How a curve is cut into segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segments {
    pub window: Window,
    /// The number of samples in a segment; at most all samples.
    pub length: usize,
    /// The fraction of a segment that the next one shares, 0 to below 1.
    pub overlap: f64,
    pub detrend: Detrend,
}

/// The trend that is subtracted from a segment before its window is applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detrend {
    #[default]
    None,
    /// The mean of the segment, so that a constant part does not leak into low frequencies.
    Mean,
}

impl Segments {
    /// Returns one segment with all samples.
    pub fn whole(window: Window, count: usize) -> Segments {
        Segments { window, length: count, overlap: 0.0, detrend: Detrend::None }
    }

    /// Returns the longest segments of an even length of which `count` samples hold eight with half overlap.
    pub fn eight(window: Window, count: usize) -> Segments {
        Segments { window, length: (count / 9 * 2).max(2), overlap: 0.5, detrend: Detrend::None }
    }

    /// Returns the samples of a segment and the distance between the starts of two, for a curve of `count` samples.
    fn sizes(&self, count: usize) -> (usize, usize) {
        let length = self.length.min(count);
        let shared = (self.overlap.clamp(0.0, 1.0) * length as f64) as usize;
        (length, length.saturating_sub(shared).max(1))
    }

    /// Returns the number of complete segments in a curve of `count` samples.
    pub fn count(&self, count: usize) -> usize {
        let (length, hop) = self.sizes(count);
        if length == 0 { 0 } else { (count - length) / hop + 1 }
    }

    /// Transforms curves segment by segment: `each` gets the lines of every curve for one segment. Returns the sums of
    /// the weights and of their squares, and the length of a segment. The curves end with the shortest one.
    pub(super) fn transform<const N: usize>(
        &self,
        curves: [&[f64]; N],
        mut each: impl FnMut(&[Vec<Complex<f64>>; N]),
    ) -> Weights {
        let count = curves.iter().map(|values| values.len()).min().unwrap_or(0);
        let (length, hop) = self.sizes(count);
        let weights = self.window.weights(length);
        for number in 0..self.count(count) {
            let start = number * hop;
            each(&curves.map(|values| self.lines(values.get(start..start + length).unwrap_or(&[]), &weights)));
        }
        Weights { length, sum: weights.iter().sum(), squares: weights.iter().map(|weight| weight * weight).sum() }
    }

    fn lines(&self, values: &[f64], weights: &[f64]) -> Vec<Complex<f64>> {
        let mean = match self.detrend {
            Detrend::None => 0.0,
            Detrend::Mean => values.iter().sum::<f64>() / values.len() as f64,
        };
        let weighed: Vec<f64> = values.iter().zip(weights).map(|(value, weight)| (value - mean) * weight).collect();
        fourier::lines(&weighed)
    }
}

/// The window of a segment in numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    pub length: usize,
    /// The sum of the weights, and of their squares.
    pub sum: f64,
    pub squares: f64,
}

impl Weights {
    /// Whether the line has no mirror image: that at 0 Hz and that at half the sampling frequency.
    pub fn is_alone(&self, line: usize) -> bool {
        line == 0 || line * 2 == self.length
    }

    /// Returns the distance between lines in Hz, for samples at a time step in seconds.
    pub fn step(&self, delta: f64) -> f64 {
        if self.length == 0 { 0.0 } else { 1.0 / (self.length as f64 * delta) }
    }

    /// Returns the factor from the product of two transforms to a one-sided power spectral density.
    pub fn density(&self, line: usize, delta: f64) -> f64 {
        delta / self.squares * if self.is_alone(line) { 1.0 } else { 2.0 }
    }
}
