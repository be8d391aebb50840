//! Blocks that a program has changed from outside: framed quietly for some seconds.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::model::BlockId;

/// The time that the frames are shown, and the part of it in which they fade.
const SHOWN: Duration = Duration::from_secs(5);
const FADING: Duration = Duration::from_secs(2);

/// Blocks, each with the name of its model.
pub type BlocksByModel = BTreeSet<(Arc<str>, BlockId)>;

/// The blocks, and when they were changed.
#[derive(Debug, Default)]
pub struct ChangedBlocks(Vec<(Instant, BlocksByModel)>);

impl ChangedBlocks {
    pub fn add(&mut self, blocks: BlocksByModel) {
        self.0.retain(|(since, _)| since.elapsed() < SHOWN);
        self.0.push((Instant::now(), blocks));
    }

    /// Returns how strong the frame of each block of a model is now, from 0 to 1.
    pub fn strengths(&self, model: &str) -> HashMap<BlockId, f32> {
        let mut strengths = HashMap::new();
        for (since, blocks) in self.0.iter().filter(|(since, _)| since.elapsed() < SHOWN) {
            let left = SHOWN.saturating_sub(since.elapsed());
            let strength = (left.as_secs_f32() / FADING.as_secs_f32()).min(1.0);
            strengths.extend(blocks.iter().filter(|(name, _)| **name == *model).map(|(_, id)| (*id, strength)));
        }
        strengths
    }
}
