//! Models that go to other files and come from them, and the files that blocks name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::command::Panel;
use super::dashboard::Image;
use super::files::{self, Asking};
use super::state::App;
use crate::block::{FileWay, ParamDef, ParamKind};
use crate::model::{BlockId, BlockKind, Change, Edit, model_alone, take_model};

/// What a path is being asked for.
pub enum Asked {
    /// The model that is to be exported.
    Model(Arc<str>),
    /// The parameter that is to name the file.
    Param { model: Arc<str>, block: BlockId, param: &'static ParamDef },
    /// The widget of the dashboard whose picture it is.
    Picture(usize),
}

impl App {
    /// Asks where the selected model block's model, or the open one, is to go.
    pub(super) fn ask_export_model(&mut self) {
        let Some(file) = &self.file else { return };
        let Some(open) = file.canvas.open_model(file.simulation()) else { return };
        let selected = file.canvas.selection().single_block().and_then(|id| open.block(id));
        let name = match selected.map(|block| &block.kind) {
            Some(BlockKind::Model { model }) => Arc::clone(model),
            _ => Arc::clone(&open.name),
        };
        self.asked = Some(Asked::Model(name));
        self.ask_path(Asking::ExportModel);
    }

    pub(super) fn export_model(&mut self, path: &Path) {
        let (Some(Asked::Model(name)), Some(file)) = (self.asked.take(), &self.file) else { return };
        match model_alone(file.simulation(), &name).map(|alone| files::save(path, &alone)) {
            Some(Ok(())) => self.say(format!("Wrote {name} to {}", path.display())),
            Some(Err(problem)) => self.show_problem("The model was not exported", path, &problem),
            None => self.complain(format!("{name} was not exported: it is nested in itself")),
        }
    }

    /// Brings a file's root model in.
    pub(super) fn import_model(&mut self, path: &Path) {
        let opened = match files::open(path) {
            Ok(opened) => opened,
            Err(problem) => return self.show_problem("The model could not be imported", path, &problem),
        };
        let root = Arc::clone(&opened.simulation.root);
        let Some(file) = &self.file else { return };
        match take_model(&opened.simulation, &root, file.simulation()) {
            None => self.complain(format!("{} has no root model that could be imported", path.display())),
            Some((edits, name)) if edits.is_empty() => self.say(format!("{name} is in this simulation already")),
            Some((edits, name)) => {
                self.apply(&Change::new(format!("Import {name}"), edits));
                self.layout.show(Panel::Models);
                self.say(format!("{name} is among the models; drag it onto the diagram to use it"));
            }
        }
    }

    /// Asks for the file that a block's parameter is to name.
    pub(super) fn ask_file_of_block(&mut self, model: Arc<str>, block: BlockId, param: &'static ParamDef) {
        let ParamKind::File { way, .. } = param.kind else { return };
        self.asked = Some(Asked::Param { model, block, param });
        self.ask_path(Asking::OfBlock(way));
    }

    pub(super) fn file_of_block_chosen(&mut self, way: FileWay, path: PathBuf) {
        let Some(Asked::Param { model, block, param }) = self.asked.take() else { return };
        let path = if way == FileWay::Writes { files::with_extension(path, "csv") } else { path };
        let values = Some(vec![self.short(path)]);
        let edit = Edit::SetOption { model, id: block, name: param.name.into(), values };
        self.apply(&Change::one(format!("Set {} of {block}", param.name), edit));
    }

    /// Beside the simulation a name is enough, and goes with it to other machines.
    fn short(&self, path: PathBuf) -> String {
        let folder = self.file.as_ref().and_then(|file| file.path.as_deref()?.parent().map(Path::to_owned));
        let short = folder.and_then(|folder| path.strip_prefix(folder).ok().map(Path::to_owned)).unwrap_or(path);
        short.to_string_lossy().into_owned()
    }

    pub(super) fn board_picture_chosen(&mut self, path: PathBuf) {
        let Some(Asked::Picture(number)) = self.asked.take() else { return };
        let image = Image::Beside(self.short(path));
        let Some(file) = &self.file else { return };
        let dashboard = file.dashboard.with(number, |widget| widget.image = Some(image));
        self.apply(&dashboard.change("Choose picture"));
    }
}

/// A model's name as that of a file.
pub fn file_stem(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "-_ ".contains(c) { c } else { '_' }).collect()
}
