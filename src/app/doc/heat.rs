//! The execution-time heat map of the canvas.

use std::collections::HashMap;

use crate::model::{BlockAddress, BlockId};

/// Seconds per step of each block; a model block has the sum of its contents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heat {
    of: HashMap<Vec<BlockId>, HashMap<BlockId, f64>>,
}

impl Heat {
    /// Sums the times of blocks, each with its path and seconds per step.
    pub fn of<'a>(costs: impl IntoIterator<Item = (&'a BlockAddress, f64)>) -> Heat {
        let mut heat = Heat::default();
        for (block, seconds) in costs {
            for BlockAddress { path, block } in block.outer().chain([block.clone()]) {
                *heat.of.entry(path).or_default().entry(block).or_default() += seconds;
            }
        }
        heat
    }

    /// Returns the times of the blocks of the model at a path.
    pub fn within(&self, path: &[BlockId]) -> Option<&HashMap<BlockId, f64>> {
        self.of.get(path)
    }
}

/// Returns the heat of a block relative to the hottest, 0 to 1. The square root keeps a tenth of the maximum visible.
pub fn warmth(seconds: f64, hottest: f64) -> f32 {
    if seconds > 0.0 && hottest > 0.0 { (seconds / hottest).sqrt().min(1.0) as f32 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_blocks_have_what_stands_in_them() {
        let cost = |path: &[i128], block, seconds| {
            let path = path.iter().map(|&id| BlockId(id)).collect();
            (BlockAddress { path, block: BlockId(block) }, seconds)
        };
        let blocks = [cost(&[], 1, 2.0), cost(&[2], 1, 3.0), cost(&[2, 7], 1, 5.0)];
        let heat = Heat::of(blocks.iter().map(|(block, seconds)| (block, *seconds)));
        let at = |path: &[i128], block| {
            let path: Vec<BlockId> = path.iter().map(|&id| BlockId(id)).collect();
            heat.within(&path).and_then(|here| here.get(&BlockId(block)).copied())
        };
        assert_eq!(
            [at(&[], 1), at(&[], 2), at(&[2], 1), at(&[2], 7), at(&[3], 1)],
            [Some(2.0), Some(8.0), Some(3.0), Some(5.0), None]
        );
    }

    #[test]
    fn warmth_goes_by_the_root() {
        assert_eq!([warmth(4.0, 4.0), warmth(1.0, 4.0), warmth(0.0, 4.0), warmth(0.0, 0.0)], [1.0, 0.5, 0.0, 0.0]);
    }
}
