//! Samples that are complete: shared by all copies of a column, and put away where memory has no room for them.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use super::extent::{Extent, GROUP, Pyramid};

/// Takes chunks out of memory: the window's is a file. Which and when is its own business.
pub trait Shelf: Debug + Send + Sync {
    /// Here is one more chunk. Must not take long.
    fn offer(&self, chunk: &Arc<Chunk>);
}

/// Samples that a shelf keeps; dropping it gives their place free.
pub trait Shelved: Debug + Send + Sync {
    /// None where they are lost.
    fn read(&self) -> Option<Arc<[f64]>>;
}

/// [`Chunk::LEN`] samples, with their extents, which always stay in memory.
#[derive(Debug)]
pub struct Chunk {
    pyramid: Pyramid,
    place: RwLock<Place>,
}

#[derive(Debug)]
enum Place {
    Memory(Arc<[f64]>),
    Shelf(Box<dyn Shelved>),
}

impl Chunk {
    /// Samples in a chunk.
    pub const LEN: usize = GROUP * GROUP * GROUP;

    pub(super) fn new(values: Vec<f64>, pyramid: Pyramid) -> Chunk {
        Chunk { pyramid, place: RwLock::new(Place::Memory(values.into())) }
    }

    /// The samples; not-a-numbers where a shelf has lost them.
    pub fn values(&self) -> Arc<[f64]> {
        match &*self.place.read().unwrap_or_else(PoisonError::into_inner) {
            Place::Memory(values) => Arc::clone(values),
            Place::Shelf(shelved) => shelved.read().unwrap_or_else(|| vec![f64::NAN; Chunk::LEN].into()),
        }
    }

    pub fn is_in_memory(&self) -> bool {
        matches!(&*self.place.read().unwrap_or_else(PoisonError::into_inner), Place::Memory(_))
    }

    /// From now on the samples are there, and no longer in memory.
    pub fn shelve(&self, shelved: Box<dyn Shelved>) {
        *self.place.write().unwrap_or_else(PoisonError::into_inner) = Place::Shelf(shelved);
    }

    pub(super) fn extent(&self, samples: Range<usize>) -> Extent {
        let of = |range: Range<usize>| self.values().get(range).map_or(Extent::EMPTY, Extent::of);
        self.pyramid.extent(samples, of)
    }

    pub(super) fn pyramid(&self) -> &Pyramid {
        &self.pyramid
    }

    /// Bytes of memory.
    pub(super) fn size(&self) -> usize {
        self.pyramid.size() + if self.is_in_memory() { Chunk::LEN * size_of::<f64>() } else { 0 }
    }
}
