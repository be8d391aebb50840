//! The designs, and the points of each.

use super::size::{DesignSize, RANDOM, inner};
use super::{halton, latin_hypercube, morris, sobol, variance};
use crate::block::math::random;

/// How the points of a sample are placed in the unit cube.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SampleDesign {
    /// Independent points.
    #[default]
    Random,
    /// In each coordinate, each of as many equal parts as there are points has one of them.
    LatinHypercube,
    /// Sobol's sequence, scrambled.
    Sobol,
    /// Halton's sequence, scrambled.
    Halton,
    /// Morris's trajectories, in which one coordinate changes after the other; for [`super::screening`].
    Morris,
    /// Saltelli's scheme over Sobol's sequence; for [`super::variance_shares`].
    SobolIndices,
}

/// Why a design cannot have its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    #[error("this design has at most {0} samples")]
    Samples(u64),
    #[error("this design has at most {0} random parameters")]
    Dims(usize),
    #[error("at least 2 samples are needed")]
    TooFew,
}

impl SampleDesign {
    pub const ALL: [SampleDesign; 6] = [
        SampleDesign::Random,
        SampleDesign::LatinHypercube,
        SampleDesign::Sobol,
        SampleDesign::Halton,
        SampleDesign::Morris,
        SampleDesign::SobolIndices,
    ];

    /// Returns the name on the command line and in messages.
    pub fn name(self) -> &'static str {
        match self {
            SampleDesign::Random => "random",
            SampleDesign::LatinHypercube => "lhs",
            SampleDesign::Sobol => "sobol",
            SampleDesign::Halton => "halton",
            SampleDesign::Morris => "morris",
            SampleDesign::SobolIndices => "sobol-indices",
        }
    }

    pub fn by_name(name: &str) -> Option<SampleDesign> {
        SampleDesign::ALL.into_iter().find(|design| design.name() == name)
    }

    /// Whether the results of its points are evaluated as effects or shares of the coordinates.
    pub fn has_indices(self) -> bool {
        matches!(self, SampleDesign::Morris | SampleDesign::SobolIndices)
    }

    /// Returns the number of points for a number of samples; `None` if it overflows.
    pub fn points(self, samples: u64, dims: usize) -> Option<u64> {
        let dims = dims as u64;
        match self {
            SampleDesign::Morris => samples.checked_mul(dims.checked_add(1)?),
            SampleDesign::SobolIndices => samples.checked_mul(dims.checked_add(2)?),
            SampleDesign::Random | SampleDesign::LatinHypercube | SampleDesign::Sobol | SampleDesign::Halton => {
                Some(samples)
            }
        }
    }

    /// # Errors
    /// If the size exceeds the limits of the design.
    pub fn check(self, size: &DesignSize) -> Result<(), SampleError> {
        let (samples, dims) = match self {
            SampleDesign::Random | SampleDesign::LatinHypercube | SampleDesign::Morris => (u64::MAX, usize::MAX),
            SampleDesign::Sobol => (sobol::MAX_POINTS, sobol::MAX_DIMS),
            SampleDesign::Halton => (u64::MAX, halton::MAX_DIMS),
            SampleDesign::SobolIndices => (sobol::MAX_POINTS, sobol::MAX_DIMS / 2),
        };
        if size.samples > samples {
            return Err(SampleError::Samples(samples));
        }
        if size.dims > dims {
            return Err(SampleError::Dims(dims));
        }
        if self != SampleDesign::Random && size.samples < 2 { Err(SampleError::TooFew) } else { Ok(()) }
    }

    /// Returns a point of the unit cube: within it, or for [`SampleDesign::Morris`] also on its border.
    pub fn point(self, size: &DesignSize, point: u64) -> Vec<f64> {
        let each = |coordinate: &dyn Fn(usize) -> f64| (0..size.dims).map(coordinate).collect();
        match self {
            SampleDesign::Random => each(&|dim| inner(random(size.seed as f64, RANDOM, point as f64, dim))),
            SampleDesign::LatinHypercube => each(&|dim| latin_hypercube::coordinate(size, point, dim)),
            SampleDesign::Sobol => each(&|dim| sobol::coordinate(size.seed, point, dim)),
            SampleDesign::Halton => each(&|dim| halton::coordinate(size.seed, point, dim)),
            SampleDesign::Morris => morris::point(size, point),
            SampleDesign::SobolIndices => variance::point(size, point),
        }
    }
}
