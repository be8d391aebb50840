//! The file for recorded values that do not fit in the memory.

use std::sync::Arc;

use crate::app::store::runs::Runs;
use crate::app::store::settings::Settings;
use crate::app::store::spill_file::TempSpillFile;

/// The file for recorded values, and whether the user knows that it cannot grow.
pub struct SpillState {
    pub file: Arc<TempSpillFile>,
    pub has_told: bool,
}

impl SpillState {
    pub fn new(settings: &Settings) -> SpillState {
        let recordings = settings.home.as_ref().map(|home| home.join("recordings"));
        SpillState { file: TempSpillFile::new(recordings.as_deref(), Runs::LIMIT), has_told: false }
    }

    /// Sets the limit in bytes, leaving room for incomplete chunks.
    pub fn limit(&self, memory: usize) {
        self.file.set_limit(memory / 8 * 7);
    }
}
