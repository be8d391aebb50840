//! Further starting points, spread over a box.

use crate::sampling::{DesignSize, SampleDesign};

/// Returns points of a Latin hypercube. The same seed gives the same points.
pub fn spread(bounds: &[(f64, f64)], count: usize, seed: u64) -> Vec<Vec<f64>> {
    let size = DesignSize { samples: count as u64, dims: bounds.len(), seed };
    let within = |(part, (low, high)): (f64, &(f64, f64))| low + (high - low) * part;
    let point = |point: u64| SampleDesign::LatinHypercube.point(&size, point).into_iter().zip(bounds).map(within);
    (0..size.samples).map(|index| point(index).collect()).collect()
}
