//! The discrete Fourier transform of real samples.

use rustfft::FftPlanner;
use rustfft::num_complex::Complex;

/// Returns the lines from 0 to half the sampling frequency, `Σ x[n]·exp(−2πi·kn/N)`.
pub fn lines(samples: &[f64]) -> Vec<Complex<f64>> {
    let mut numbers: Vec<Complex<f64>> = samples.iter().map(|&value| Complex::new(value, 0.0)).collect();
    if numbers.is_empty() {
        return Vec::new();
    }
    FftPlanner::new().plan_fft_forward(numbers.len()).process(&mut numbers);
    numbers.truncate(numbers.len() / 2 + 1);
    numbers
}
