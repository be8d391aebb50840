//! The file for recorded values that do not fit in the memory.

use std::sync::Arc;

use crate::app::shell::app::App;
use crate::app::store::run::RunState;
use crate::app::store::runs::Runs;
use crate::app::store::settings::Settings;
use crate::app::store::spill_file::TempSpillFile;
use crate::block::limits::size_text;

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
}

impl App {
    /// Sets the spill file's limit in bytes, leaving room for incomplete chunks.
    pub(super) fn limit_spill_file(&self, memory: usize) {
        self.spill.file.set_limit(memory / 8 * 7);
    }

    /// Pauses the run and informs the user when memory and disk limits are reached.
    pub(crate) fn watch_spill_file(&mut self) {
        let used = self.spill.file.usage();
        if used.has_failed && !self.spill.has_told {
            self.spill.has_told = true;
            self.complain("Samples cannot be written to disk: recordings stay in memory");
        }
        let run = self.file.as_ref().map(|file| &file.run);
        if let Some(run) = run.filter(|run| used.is_full && run.state == RunState::Running) {
            run.pause();
            let (memory, disk) = (size_text(used.memory as f64), size_text(used.disk as f64));
            self.complain(format!(
                "Paused: recordings take {memory} of memory and {disk} on disk. Remove runs or raise the limit in the Runs panel"
            ));
        }
    }
}
