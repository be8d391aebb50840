//! Spectra of one part of a curve after the other.

use super::{Scaling, Series, Window, spectrum};

/// Power densities over frequency, part after part.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrogram {
    /// Seconds of the middle of the first part, and from one part's to the next's.
    pub start: f64,
    pub time_step: f64,
    /// Hz from one line to the next.
    pub frequency_step: f64,
    /// For each part its lines from 0 Hz up.
    pub parts: Vec<Vec<f64>>,
}

/// Cuts the samples into parts of `length`, each begun `hop` samples after the last one's begin, and takes the power
/// density of each. What is left at the end is no whole part and left out. None where there is no whole part.
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
