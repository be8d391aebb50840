//! Window functions, which reduce the spectral leakage of signals that are not periodic in the samples.
//!
//! F. J. Harris, “On the use of windows for harmonic analysis with the discrete Fourier transform”, Proc. IEEE 66
//! (1978). All are sums of cosines in periodic form: `w[n] = Σ (−1)^k · a_k · cos(2πkn/N)`.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Window {
    /// No window: the sharpest lines for signals that are periodic in the samples.
    Rectangular,
    /// A good choice for most signals.
    #[default]
    Hann,
    /// The least leakage close to a line.
    Hamming,
    /// Low leakage far from a line.
    Blackman,
    /// Accurate heights at any frequency, but wide lines.
    FlatTop,
}

impl Window {
    pub const ALL: [Window; 5] =
        [Window::Rectangular, Window::Hann, Window::Hamming, Window::Blackman, Window::FlatTop];

    pub fn label(self) -> &'static str {
        match self {
            Window::Rectangular => "Rectangular",
            Window::Hann => "Hann",
            Window::Hamming => "Hamming",
            Window::Blackman => "Blackman",
            Window::FlatTop => "Flat top",
        }
    }

    /// The coefficients of the cosines. The flat top is that of SciPy and MATLAB (D'Antona and Ferrero, “Digital signal
    /// processing for measurement systems”, 2006).
    fn coefficients(self) -> &'static [f64] {
        match self {
            Window::Rectangular => &[1.0],
            Window::Hann => &[0.5, 0.5],
            Window::Hamming => &[0.54, 0.46],
            Window::Blackman => &[0.42, 0.5, 0.08],
            Window::FlatTop => &[0.215_578_95, 0.416_631_58, 0.277_263_158, 0.083_578_947, 0.006_947_368],
        }
    }

    /// Returns the weights of `count` samples.
    pub fn weights(self, count: usize) -> Vec<f64> {
        let weight = |index: usize| {
            let angle = std::f64::consts::TAU * index as f64 / count as f64;
            let cosines = self.coefficients().iter().enumerate();
            cosines.map(|(k, factor)| if k % 2 == 0 { 1.0 } else { -1.0 } * factor * libm::cos(k as f64 * angle)).sum()
        };
        (0..count).map(weight).collect()
    }

    /// Returns the coherent gain: the mean weight.
    pub fn gain(self) -> f64 {
        self.coefficients().first().copied().unwrap_or(1.0)
    }

    /// Returns the equivalent noise bandwidth in lines, `N·Σw² / (Σw)²`.
    pub fn noise_bandwidth(self) -> f64 {
        let mut factors = self.coefficients().iter();
        let mean = factors.next().copied().unwrap_or(1.0);
        let rest: f64 = factors.map(|factor| factor * factor / 2.0).sum();
        (mean * mean + rest) / (mean * mean)
    }
}
