//! Files outside the simulation's folder: a run accesses them only if the user has allowed it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::state::App;
use crate::app::dialogs::{Dialog, OutsideFiles};
use crate::format::{Folder, Outside};

impl App {
    /// Sets the folders in which blocks find files: the document's, and those allowed for it.
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

    /// Asks whether a run may use files outside its folder, if it was refused for that.
    pub(super) fn ask_outside(&mut self) {
        let files: Vec<Outside> = self.folder.take_refused().into_iter().collect();
        // An unsaved document has no path under which to store the permission.
        let Some(file) = &self.file else { return };
        let (Some(path), begin) = (file.path.clone(), file.run.begun) else { return };
        if !files.is_empty() {
            self.open_dialog(Dialog::Outside(Box::new(OutsideFiles { path, files, begin })));
        }
    }

    /// Stores the permission for this simulation, and runs it.
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
        self.with_file(|file| file.check.forget());
        self.refresh();
        self.start_run(begin, Vec::new());
        self.say("Allowed; the simulation is running");
        self.save_settings();
    }
}
