//! Files outside the simulation's folder: a run reads and writes them only where its user has allowed it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::dialogs::{Dialog, OutsideFiles};
use super::state::App;
use crate::format::{Folder, Outside};

impl App {
    /// Lets blocks find their files relative to the open document's, and in the folders that were allowed to it.
    pub(super) fn use_folder(&mut self) {
        let Some(file) = &self.file else { return };
        self.registry_of.clone_from(&file.path);
        let path = file.path.as_deref().unwrap_or(Path::new(""));
        let folder = Folder::beside(path);
        let folder = match self.settings.allowed.get(path) {
            Some(allowed) => folder.allowing(&allowed.reads, &allowed.writes),
            None => folder,
        };
        self.folder = Arc::new(folder);
        self.registry = Arc::new(self.registry.with_files(Arc::clone(&self.folder) as _));
    }

    /// Asks whether a refused run may use the files outside its folder, where that is why it was refused.
    pub(super) fn ask_outside(&mut self) {
        let files: Vec<Outside> = self.folder.take_refused().into_iter().collect();
        // What is in no file yet has no path by which that could be remembered.
        let Some(path) = self.file.as_ref().and_then(|file| file.path.clone()) else { return };
        if !files.is_empty() {
            self.open_dialog(Dialog::Outside(Box::new(OutsideFiles { path, files, begin: self.run.begun })));
        }
    }

    /// Remembers what the user allowed this simulation, and runs it.
    pub(super) fn allow_outside(&mut self, outside: OutsideFiles) {
        let OutsideFiles { path, files, begin } = outside;
        let folders = |is_written: bool| -> BTreeSet<PathBuf> {
            files.iter().filter(|file| file.is_written == is_written).map(|file| file.folder.clone()).collect()
        };
        let allowed = self.settings.allowed.entry(path).or_default();
        for (list, more) in [(&mut allowed.reads, folders(false)), (&mut allowed.writes, folders(true))] {
            list.extend(more);
            list.sort();
            list.dedup();
        }
        self.use_folder();
        self.check.forget();
        self.refresh();
        self.start_run(begin, Vec::new());
        self.say("Allowed; the simulation is running");
        self.save_settings();
    }
}
