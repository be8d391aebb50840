//! What can be measured on a curve: plain functions of samples at equal distances. Knows no model, run or window.
//!
//! | module | what it measures |
//! |---|---|
//! | `statistics` | least, greatest, mean, root of the mean square, deviation |
//! | `step_response` | rise time, overshoot, peak, settling time, steady state |
//! | `crossings` | where a curve passes a level; period and frequency |
//! | `peaks` | tops and bottoms that stand out |
//! | `window`, `spectrum` | amplitudes and power density over frequency |
//! | `spectrogram` | the same over time |
//! | `histogram` | how often which values come |
//! | `trigger` | where a curve does what a trigger waits for |
//! | `compare` | where two curves differ by more than a tolerance |
//!
//! Samples that are no finite numbers are left out wherever a result has a meaning without them; what is said about
//! time is exact to a sample, and between samples by the straight line through them.

mod compare;
mod crossings;
mod fourier;
mod histogram;
mod peaks;
mod spectrogram;
mod spectrum;
mod statistics;
mod step_response;
mod trigger;
mod window;

pub use compare::{Comparison, Tolerance, compare};
pub use crossings::{Edge, Rhythm, crossings, rhythm};
pub use histogram::{Histogram, histogram};
pub use peaks::{Peak, Side, peaks};
pub use spectrogram::{Spectrogram, spectrogram};
pub use spectrum::{Scaling, Spectrum, spectrum};
pub use statistics::{Statistics, statistics};
pub use step_response::{StepResponse, step_response};
pub use trigger::Trigger;
pub use window::Window;

/// Samples at equal distances in time.
#[derive(Clone, Copy, Debug)]
pub struct Series<'a> {
    pub values: &'a [f64],
    /// Seconds of the first sample.
    pub start: f64,
    /// Seconds from one sample to the next.
    pub delta: f64,
}

impl Series<'_> {
    /// Seconds of a place between samples; 1.5 is in the middle between the second and the third.
    pub fn time(&self, place: f64) -> f64 {
        self.start + place * self.delta
    }
}

/// Where between two samples the straight line through them has a value: 0 at the first, 1 at the second.
fn part_between(from: f64, to: f64, level: f64) -> f64 {
    if from == to { 0.0 } else { ((level - from) / (to - from)).clamp(0.0, 1.0) }
}
