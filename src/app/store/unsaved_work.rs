//! The unsaved work of the open document, for those who must keep it without the window: a signal that ends the program,
//! and a display that is lost.

use std::sync::{Arc, Mutex, PoisonError};

use super::files::FileProblem;
use super::recovery::WorkCopy;
use crate::format::Formats;

/// The newest unsaved work; shared between the window and those who keep it.
#[derive(Clone, Default)]
pub struct UnsavedWork(Arc<Mutex<Option<Work>>>);

struct Work {
    /// The document and its revision.
    state: (u64, u64),
    copy: WorkCopy,
    formats: Arc<Formats>,
}

impl UnsavedWork {
    /// Sets the work at a state of the document, unless it is known.
    pub fn set(&self, state: (u64, u64), copy: impl FnOnce() -> Option<WorkCopy>, formats: &Arc<Formats>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().is_none_or(|known| known.state != state) {
            let gone = match copy() {
                Some(copy) => known.replace(Work { state, copy, formats: Arc::clone(formats) }),
                None => known.take(),
            };
            drop(known);
            drop(gone);
        }
    }

    /// There is no unsaved work.
    pub fn clear(&self) {
        let gone = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(gone);
    }

    /// Writes the copy, which the next start offers, once. Returns false if there is no unsaved work.
    ///
    /// # Errors
    /// If it cannot be written; an older copy is then unchanged.
    pub fn keep(&self) -> Result<bool, FileProblem> {
        // A second caller waits until the first has written it.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match known.take() {
            Some(work) => work.copy.write(&work.formats).map(|()| true),
            None => Ok(false),
        }
    }
}
