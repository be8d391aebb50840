//! Measurements on a curve: functions of uniformly spaced samples. This layer knows no model, run or window.
//!
//! | module | what it measures |
//! |---|---|
//! | `statistics` | minimum, maximum, mean, RMS, standard deviation |
//! | `step_response` | rise time, overshoot, peak, settling time, steady state |
//! | `crossings` | level crossings; period and frequency |
//! | `peaks` | local maxima and minima |
//! | `window`, `segments`, `spectrum` | amplitude spectrum and power spectral density, averaged over segments |
//! | `cross` | cross spectrum, coherence and transfer function of two curves |
//! | `distortion` | harmonic distortion and noise of a sine |
//! | `spectrogram` | the power spectral density over time |
//! | `histogram` | the distribution of values |
//! | `trigger` | the crossings that fire a trigger |
//! | `compare` | the differences of two curves, with a tolerance |
//!
//! Non-finite samples are ignored where the result is meaningful without them. Times between samples are linearly
//! interpolated.

mod compare;
mod cross;
mod crossings;
mod distortion;
mod fourier;
mod histogram;
mod peaks;
mod segments;
mod spectrogram;
mod spectrum;
mod statistics;
mod step_response;
mod trigger;
mod window;

pub use compare::{Comparison, Tolerance, compare};
pub use cross::{CrossSpectrum, cross_spectrum};
pub use crossings::{Edge, Periodicity, crossings, periodicity};
pub use distortion::{Distortion, HARMONICS, distortion};
pub use histogram::{Histogram, histogram};
pub use peaks::{Peak, PeakKind, peaks};
pub use segments::{Detrend, Segments};
pub use spectrogram::{Spectrogram, spectrogram};
pub use spectrum::{Scaling, Spectrum, spectrum, welch};
pub use statistics::{Statistics, statistics};
pub use step_response::{RISE, SETTLING_BAND, StepResponse, step_response};
pub use trigger::Trigger;
pub use window::Window;

/// Samples at a constant time step.
#[derive(Clone, Copy, Debug)]
pub struct Series<'a> {
    pub values: &'a [f64],
    /// The time of the first sample in seconds.
    pub start: f64,
    /// The time step in seconds.
    pub delta: f64,
}

impl Series<'_> {
    /// Returns the time in seconds of a fractional sample index; 1.5 is midway between the second and the third sample.
    pub fn time(&self, index: f64) -> f64 {
        self.start + index * self.delta
    }
}

/// Returns the fraction, 0 to 1, at which the line from one sample to the next reaches a level.
fn part_between(from: f64, to: f64, level: f64) -> f64 {
    if from == to { 0.0 } else { ((level - from) / (to - from)).clamp(0.0, 1.0) }
}
