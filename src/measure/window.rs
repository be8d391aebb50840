//! Windows: how samples are weighed before their spectrum is taken, so that what does not repeat within them spills
//! less into other frequencies.
//!
//! F. J. Harris, “On the use of windows for harmonic analysis with the discrete Fourier transform”, Proc. IEEE 66
//! (1978). All are sums of cosines, in the periodic form that spectra need: `w[n] = Σ (−1)^k · a_k · cos(2πkn/N)`.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Window {
    /// None at all: sharpest for what repeats within the samples exactly.
    Rectangular,
    /// A good choice for most curves.
    #[default]
    Hann,
    /// Least leakage just beside a line.
    Hamming,
    /// Little leakage far from a line.
    Blackman,
    /// The height of a line is right wherever it lies; lines are broad.
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

    /// The factors of the cosines. The flat top is that of SciPy and MATLAB (D'Antona and Ferrero, “Digital signal
    /// processing for measurement systems”, 2006).
    fn factors(self) -> &'static [f64] {
        match self {
            Window::Rectangular => &[1.0],
            Window::Hann => &[0.5, 0.5],
            Window::Hamming => &[0.54, 0.46],
            Window::Blackman => &[0.42, 0.5, 0.08],
            Window::FlatTop => &[0.215_578_95, 0.416_631_58, 0.277_263_158, 0.083_578_947, 0.006_947_368],
        }
    }

    /// The weight of each of `count` samples.
    pub fn weights(self, count: usize) -> Vec<f64> {
        let weight = |place: usize| {
            let angle = std::f64::consts::TAU * place as f64 / count as f64;
            let cosines = self.factors().iter().enumerate();
            cosines.map(|(k, factor)| if k % 2 == 0 { 1.0 } else { -1.0 } * factor * libm::cos(k as f64 * angle)).sum()
        };
        (0..count).map(weight).collect()
    }

    /// The mean weight: by so much a line becomes lower.
    pub fn gain(self) -> f64 {
        self.factors().first().copied().unwrap_or(1.0)
    }

    /// How many lines' noise a line takes in, `N·Σw² / (Σw)²`.
    pub fn noise_bandwidth(self) -> f64 {
        let mut factors = self.factors().iter();
        let mean = factors.next().copied().unwrap_or(1.0);
        let rest: f64 = factors.map(|factor| factor * factor / 2.0).sum();
        (mean * mean + rest) / (mean * mean)
    }
}
