//! Samples that are complete: shared by all copies of a column, and put away where memory has no room for them.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use super::extent::{Extremes, GROUP, Pyramid};

/// A spill file, which takes chunks out of memory. The implementation decides which and when.
pub trait SpillFile: Debug + Send + Sync {
    /// Offers a chunk to the file. Must return quickly.
    fn offer(&self, chunk: &Arc<Chunk>);
}

/// Samples that a shelf keeps; dropping it gives their place free.
pub trait SpilledChunk: Debug + Send + Sync {
    /// None where they are lost.
    fn read(&self) -> Option<Arc<[f64]>>;
}

/// [`Chunk::LEN`] samples, with what is drawn of groups of them, which always stays in memory.
#[derive(Debug)]
pub struct Chunk {
    pyramid: Pyramid,
    /// The first and the last sample of each group.
    ends: Vec<[f64; 2]>,
    storage: RwLock<Storage>,
}

#[derive(Debug)]
enum Storage {
    Memory(Arc<[f64]>),
    Spilled(Box<dyn SpilledChunk>),
}

impl Chunk {
    /// Samples in a chunk.
    pub const LEN: usize = 8 * GROUP * GROUP;
    /// Bytes of memory that a chunk takes wherever its samples are: two ends and two extremes of each group, and the
    /// extremes over them.
    pub const RESIDENT: usize = (Chunk::LEN / GROUP) * 4 * size_of::<f64>() + 8 * size_of::<Extremes>();

    pub(super) fn new(values: Vec<f64>, pyramid: Pyramid, ends: Vec<[f64; 2]>) -> Chunk {
        Chunk { pyramid, ends, storage: RwLock::new(Storage::Memory(values.into())) }
    }

    /// The samples; not-a-numbers where a shelf has lost them.
    pub fn values(&self) -> Arc<[f64]> {
        match &*self.storage.read().unwrap_or_else(PoisonError::into_inner) {
            Storage::Memory(values) => Arc::clone(values),
            Storage::Spilled(spilled) => spilled.read().unwrap_or_else(|| vec![f64::NAN; Chunk::LEN].into()),
        }
    }

    pub fn is_in_memory(&self) -> bool {
        matches!(&*self.storage.read().unwrap_or_else(PoisonError::into_inner), Storage::Memory(_))
    }

    /// From now on the samples are there, and no longer in memory.
    pub fn spill(&self, spilled: Box<dyn SpilledChunk>) {
        *self.storage.write().unwrap_or_else(PoisonError::into_inner) = Storage::Spilled(spilled);
    }

    pub(super) fn extremes(&self, samples: Range<usize>) -> Extremes {
        let of = |range: Range<usize>| self.values().get(range).map_or(Extremes::EMPTY, Extremes::of);
        self.pyramid.extremes(samples, of)
    }

    /// One sample; without its shelf where it is the first or the last of a group.
    pub(super) fn at(&self, index: usize) -> Option<f64> {
        match index % GROUP {
            0 => self.ends.get(index / GROUP).map(|[first, _]| *first),
            place if place == GROUP - 1 => self.ends.get(index / GROUP).map(|[_, last]| *last),
            _ => self.values().get(index).copied(),
        }
    }

    pub(super) fn ends(&self) -> &[[f64; 2]] {
        &self.ends
    }

    pub(super) fn pyramid(&self) -> &Pyramid {
        &self.pyramid
    }

    /// Bytes of memory.
    pub(super) fn size(&self) -> usize {
        self.pyramid.size()
            + size_of_val(&*self.ends)
            + if self.is_in_memory() { Chunk::LEN * size_of::<f64>() } else { 0 }
    }
}
