//! Complete blocks of samples: shared by all copies of a column, and moved to a spill file when memory is short.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use super::extent::{Extremes, GROUP, Pyramid};

/// A spill file, which moves chunks out of memory. The implementation decides which and when.
pub trait SpillFile: Debug + Send + Sync {
    /// Offers a chunk to the file. Must return quickly.
    fn offer(&self, chunk: &Arc<Chunk>);
}

/// The samples of a chunk in a spill file; dropping it frees their space.
pub trait SpilledChunk: Debug + Send + Sync {
    /// Returns the samples; `None` if they are lost.
    fn read(&self) -> Option<Arc<[f64]>>;
}

/// [`Chunk::LEN`] samples, with summaries of groups for drawing, which always stay in memory.
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
    /// The number of samples in a chunk.
    pub const LEN: usize = 8 * GROUP * GROUP;
    /// The bytes of memory that a chunk needs wherever its samples are: two ends and two extremes of each group, and
    /// the extremes above them.
    pub const RESIDENT: usize = (Chunk::LEN / GROUP) * 4 * size_of::<f64>() + 8 * size_of::<Extremes>();

    pub(super) fn new(values: Vec<f64>, pyramid: Pyramid, ends: Vec<[f64; 2]>) -> Chunk {
        Chunk { pyramid, ends, storage: RwLock::new(Storage::Memory(values.into())) }
    }

    /// Returns the samples; NaN if the spill file has lost them.
    pub fn values(&self) -> Arc<[f64]> {
        match &*self.storage.read().unwrap_or_else(PoisonError::into_inner) {
            Storage::Memory(values) => Arc::clone(values),
            Storage::Spilled(spilled) => spilled.read().unwrap_or_else(|| vec![f64::NAN; Chunk::LEN].into()),
        }
    }

    pub fn is_in_memory(&self) -> bool {
        matches!(&*self.storage.read().unwrap_or_else(PoisonError::into_inner), Storage::Memory(_))
    }

    /// Replaces the samples in memory by those in a spill file.
    pub fn spill(&self, spilled: Box<dyn SpilledChunk>) {
        *self.storage.write().unwrap_or_else(PoisonError::into_inner) = Storage::Spilled(spilled);
    }

    pub(super) fn extremes(&self, samples: Range<usize>) -> Extremes {
        let of = |range: Range<usize>| self.values().get(range).map_or(Extremes::EMPTY, Extremes::of);
        self.pyramid.extremes(samples, of)
    }

    /// Returns one sample; the spill file is not read if it is the first or the last of a group.
    pub(super) fn at(&self, index: usize) -> Option<f64> {
        match index % GROUP {
            0 => self.ends.get(index / GROUP).map(|[first, _]| *first),
            within if within == GROUP - 1 => self.ends.get(index / GROUP).map(|[_, last]| *last),
            _ => self.values().get(index).copied(),
        }
    }

    pub(super) fn ends(&self) -> &[[f64; 2]] {
        &self.ends
    }

    pub(super) fn pyramid(&self) -> &Pyramid {
        &self.pyramid
    }

    /// The bytes of memory that the chunk uses.
    pub(super) fn size(&self) -> usize {
        self.pyramid.size()
            + size_of_val(&*self.ends)
            + if self.is_in_memory() { Chunk::LEN * size_of::<f64>() } else { 0 }
    }
}
