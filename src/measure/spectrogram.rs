//! Spectrograms: spectra of consecutive segments of a curve.

use super::{Scaling, Series, Window, spectrum};

/// The power spectral densities of consecutive segments.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrogram {
    /// The time of the middle of the first segment, and the distance between segments, in seconds.
    pub start: f64,
    pub time_step: f64,
    /// The distance between lines in Hz.
    pub frequency_step: f64,
    /// The lines of each segment, from 0 Hz up.
    pub parts: Vec<Vec<f64>>,
}

/// Computes the power spectral density of segments of `length` samples that start every `hop` samples. An incomplete
/// last segment is omitted. `None` if there is no complete segment.
pub fn spectrogram(series: Series, window: Window, length: usize, hop: usize) -> Option<Spectrogram> {
    let hop = hop.max(1);
    if length < 2 || series.values.len() < length {
        return None;
    }
    let density = |values: &[f64]| spectrum(Series { values, ..series }, window, Scaling::Density).lines;
    Some(Spectrogram {
        start: series.time(length as f64 / 2.0),
        time_step: hop as f64 * series.delta,
        frequency_step: 1.0 / (length as f64 * series.delta),
        parts: series.values.windows(length).step_by(hop).map(density).collect(),
    })
}
