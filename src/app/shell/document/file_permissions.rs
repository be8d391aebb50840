//! Files outside the simulation's folder: a run accesses them only if the user has allowed it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::block_source::BlockSource;
use crate::app::dialogs::{Dialog, OutsideFiles, Refused};
use crate::app::panels::inspected::def_of;
use crate::app::shell::app::App;
use crate::app::store::jobs::About;
use crate::block::{BlockDef, FileAccess, ForeignUse};
use crate::format::{Folder, Outside};
use crate::model::Block;
use crate::worker::RefusedFmu;

impl App {
    /// Sets the folders in which blocks find files: the document's, and those allowed for it.
    pub(crate) fn use_folder(&mut self) {
        let Some(file) = &self.file else { return };
        let path = file.path.as_deref().unwrap_or(Path::new(""));
        let allowed = match &file.path {
            Some(path) => self.settings.allowed.get(path),
            None => Some(&file.allowed),
        };
        let folder = Folder::beside(path);
        let folder = match allowed {
            Some(allowed) => folder.allowing(&allowed.reads, &allowed.writes),
            None => folder,
        };
        let registry = self.user_plugins().added_to(&self.components.registry, file.path.as_deref());
        let of = file.path.clone();
        self.blocks = BlockSource { of, ..BlockSource::in_folder(&registry, folder, &self.settings) };
        let registry = Arc::clone(&self.blocks.registry);
        self.with_file(|file| file.document.use_registry(registry));
    }

    /// Reads the description of the selected block's FMU, once for each name, on a background thread; the inspector
    /// shows it. Errors in the file are reported when the block runs.
    pub(crate) fn describe_selected_fmu(&mut self) {
        let Some(file) = &self.file else { return };
        let Some(id) = file.canvas.selection().single_block() else { return };
        let block = file.canvas.open_model(file.simulation()).and_then(|model| model.block(id));
        let runs_file =
            |block: &&Arc<Block>| def_of(&self.blocks.registry, &block.kind).is_some_and(BlockDef::runs_file);
        let Some(block) = block.filter(runs_file) else { return };
        let name = block.option_texts(ForeignUse::FILE).unwrap_or_default().concat();
        if name.is_empty() || !self.blocks.fmus.begins_description(&name) {
            return;
        }
        let fmus = Arc::clone(&self.blocks.fmus);
        self.jobs.start(About::default(), move || fmus.describe(&name), |_, ()| ());
    }

    /// Asks whether a run or a sweep may use files outside its folder, if it was refused for that.
    pub(crate) fn ask_outside(&mut self, refused: Refused) {
        let files: Vec<Outside> = self.blocks.folder.take_refused().into_iter().collect();
        let Some(file) = &self.file else { return };
        let path = file.path.clone();
        let fmus: Vec<RefusedFmu> = self.blocks.fmus.take_refused().into_iter().collect();
        if !files.is_empty() || !fmus.is_empty() {
            self.open_dialog(Dialog::Outside(Box::new(OutsideFiles { path, files, fmus, refused })));
        }
    }

    /// Stores the permission for this simulation, and runs it. That of a simulation without a file lasts as long as it
    /// is open and has none.
    pub(crate) fn allow_outside(&mut self, outside: OutsideFiles) {
        let OutsideFiles { path, files, fmus, refused } = outside;
        let folders = |access: FileAccess| -> BTreeSet<PathBuf> {
            files.iter().filter(|file| file.access == access).map(|file| file.folder.clone()).collect()
        };
        let Some(file) = &mut self.file else { return };
        let is_stored = path.is_some() || !fmus.is_empty();
        self.settings.allowed_fmus.extend(fmus.into_iter().map(|fmu| fmu.hash));
        let allowed = match path {
            // Nothing is stored for a simulation without files outside.
            Some(path) if !files.is_empty() => self.settings.allowed.entry(path).or_default(),
            _ => &mut file.allowed,
        };
        for (list, more) in
            [(&mut allowed.reads, folders(FileAccess::Read)), (&mut allowed.writes, folders(FileAccess::Write))]
        {
            list.extend(more);
            list.sort();
            list.dedup();
        }
        self.use_folder();
        self.with_file(|file| file.check.forget());
        self.refresh();
        match refused {
            Refused::Run(begin) => self.start_run(begin, Vec::new()),
            Refused::Sweep => self.begin_sweep(),
        }
        self.say("Allowed; the simulation is running");
        if is_stored {
            self.save_settings();
        }
    }
}
