//! Export and import of models, and the files of blocks' parameters.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::app::action::command::Panel;
use crate::app::action::path_request::PathRequest;
use crate::app::dialogs::Dialog;
use crate::app::doc::dashboard::Image;
use crate::app::shell::app::App;
use crate::app::store::files::{self, FileProblem, Opened, file_name};
use crate::app::store::jobs::About;
use crate::block::{FileAccess, ForeignUse, ParamDef, ParamKind};
use crate::format::LoadOptions;
use crate::model::{Block, BlockId, BlockKind, Change, CopiedModel, Edit, copy_model, model_alone};
use crate::worker::{fmu_options, read_fmu};

impl App {
    /// Asks for the file to export the selected block's model, or the open one.
    pub(crate) fn ask_export_model(&mut self) {
        let Some(file) = &self.file else { return };
        let Some(open) = file.canvas.open_model(file.simulation()) else { return };
        let selected = file.canvas.selection().single_block().and_then(|id| open.block(id));
        let name = match selected.map(|block| &block.kind) {
            Some(BlockKind::Model { model }) => Arc::clone(model),
            _ => Arc::clone(&open.name),
        };
        self.ask_path(PathRequest::ExportModel(name));
    }

    pub(crate) fn export_model(&mut self, name: &Arc<str>, path: PathBuf) {
        let Some(file) = &self.file else { return };
        let Some(alone) = model_alone(file.simulation(), name) else {
            return self.complain(format!("{name} was not exported: it contains itself"));
        };
        let about = About { title: format!("Writing {name}"), path: Some(path.clone()), must_end: true };
        let (target, name) = (path.clone(), Arc::clone(name));
        let (formats, outputs) = (Arc::clone(&self.components.formats), self.outputs());
        self.jobs.start(
            about,
            move || files::save_output(&formats, outputs, &target, &alone),
            move |app, result| match result {
                Ok(()) => app.say(format!("Wrote {name} to {}", path.display())),
                Err(problem) => app.show_problem("The model was not exported", &path, &problem),
            },
        );
    }

    /// Imports a file's root model.
    pub(crate) fn import_model(&mut self, path: PathBuf) {
        let Some(document) = self.file.as_ref().map(|file| file.number) else { return };
        let about = About { title: format!("Reading {}", file_name(&path)), path: Some(path.clone()), must_end: false };
        let source = path.clone();
        let formats = Arc::clone(&self.components.formats);
        self.jobs.start(
            about,
            move || files::open(&formats, &source, &LoadOptions::default()),
            move |app, result| app.imported(document, path, result),
        );
    }

    fn imported(&mut self, document: u64, path: PathBuf, result: Result<Opened, FileProblem>) {
        let opened = match result {
            Ok(opened) => opened,
            Err(problem) => return self.show_problem("The model could not be imported", &path, &problem),
        };
        let Some(file) = self.file.as_ref().filter(|file| file.number == document) else { return };
        let root = Arc::clone(&opened.simulation.root);
        match copy_model(&opened.simulation, &root, file.simulation()) {
            None => self.complain(format!("{} has no root model to import", path.display())),
            Some(CopiedModel { edits, name, .. }) if edits.is_empty() => {
                self.say(format!("{name} already exists in this simulation"));
            }
            Some(CopiedModel { edits, name, .. }) => {
                self.apply(&Change::new(format!("Import {name}"), edits));
                self.window.layout.show(Panel::Models);
                self.say(format!("{name} is in the Models panel; drag it onto the diagram to use it"));
            }
        }
    }

    /// Asks for the file of a block's parameter.
    pub(crate) fn ask_file_of_block(&mut self, model: Arc<str>, block: BlockId, param: &'static ParamDef) {
        let ParamKind::File { access, .. } = param.kind else { return };
        self.ask_path(PathRequest::OfBlock { model, block, param, access });
    }

    pub(crate) fn file_of_block_chosen(
        &mut self,
        model: Arc<str>,
        block: BlockId,
        param: &'static ParamDef,
        path: PathBuf,
    ) {
        if matches!(param.kind, ParamKind::File { access: FileAccess::Run, .. }) {
            return self.read_fmu_for(path, move |app, path, options| {
                let edit = |(name, text): (&str, String)| {
                    let (model, values) = (Arc::clone(&model), (!text.is_empty()).then(|| vec![text]));
                    Edit::SetOption { model, id: block, name: name.into(), values }
                };
                let options = std::iter::once((param.name, path)).chain(options);
                app.apply(&Change::new(format!("Set {} of {block}", param.name), options.map(edit).collect()));
            });
        }
        let values = Some(vec![self.short(path)]);
        let edit = Edit::SetOption { model, id: block, name: param.name.into(), values };
        self.apply(&Change::one(format!("Set {} of {block}", param.name), edit));
    }

    /// Inserts a block for an FMU that was dropped on the window.
    pub(crate) fn insert_fmu(&mut self, path: PathBuf) {
        let Some(def) = self.blocks.registry.iter().find(|def| def.runs_file()) else { return };
        if self.file.is_none() {
            return self.complain("Open or create a simulation first, then drop the FMU on it");
        }
        self.read_fmu_for(path, move |app, path, options| {
            let options: Vec<(&str, String)> = std::iter::once((ForeignUse::FILE, path)).chain(options).collect();
            app.change_on_canvas(|canvas, view| {
                let mut change = canvas.add_block(view, BlockKind::library(def.group, def.name).into())?;
                for edit in &mut change.edits {
                    if let Edit::AddBlock { block, .. } = edit {
                        for (name, text) in options.iter().filter(|(_, text)| !text.is_empty()) {
                            **block = Block::clone(block).with_option(name, &[text]);
                        }
                    }
                }
                Some(change)
            });
        });
    }

    /// Reads an FMU that the user has chosen, and calls `then` with the text of its path and the block's options for it.
    /// Choosing a file allows its code to run.
    fn read_fmu_for(
        &mut self,
        path: PathBuf,
        then: impl FnOnce(&mut App, String, Vec<(&'static str, String)>) + Send + 'static,
    ) {
        let Some(document) = self.file.as_ref().map(|file| file.number) else { return };
        let about = About { title: format!("Reading {}", file_name(&path)), path: Some(path.clone()), must_end: false };
        let source = path.clone();
        self.jobs.start(
            about,
            move || read_fmu(&source),
            move |app, result| match result {
                Ok(fmu) => {
                    app.settings.allowed_fmus.insert(fmu.hash.clone());
                    app.save_settings();
                    app.use_folder();
                    if app.file.as_ref().is_some_and(|file| file.number == document) {
                        let text = app.short(path);
                        then(app, text, fmu_options(&fmu.description));
                    }
                }
                Err(error) => {
                    let message = error.to_string();
                    app.open_dialog(Dialog::problem("The FMU cannot be used", &message, "", Some(&path)));
                }
            },
        );
    }

    /// In the simulation's folder the name is enough, and stays valid on other machines.
    fn short(&self, path: PathBuf) -> String {
        let folder = self.file.as_ref().and_then(|file| file.path.as_deref()?.parent().map(Path::to_owned));
        let short = folder.and_then(|folder| path.strip_prefix(folder).ok().map(Path::to_owned));
        short.unwrap_or(path).to_string_lossy().into_owned()
    }

    pub(crate) fn board_picture_chosen(&mut self, widget: usize, path: PathBuf) {
        let name = self.short(path.clone());
        // Outside the folder it is not found again without being asked for.
        if Path::new(&name).is_absolute() {
            return self.keep_picture(None, widget, path);
        }
        let image = Image::Beside(name);
        let Some(file) = &self.file else { return };
        let dashboard = file.derived.dashboard().with(widget, |widget| widget.image = Some(image));
        self.apply(&dashboard.change("Choose picture"));
    }
}
