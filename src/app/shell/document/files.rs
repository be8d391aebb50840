//! Commands and actions on files, and the questions before the open document is closed.

use std::path::Path;

use eframe::egui;

use crate::app::action::command::FileCommand;
use crate::app::action::path_request::PathRequest;
use crate::app::action::{Action, AfterSave, FileAction, Range};
use crate::app::dialogs::{Dialog, PreferencesPage};
use crate::app::shell::app::App;
use crate::app::store::examples::EXAMPLES;
use crate::app::store::files;
use crate::block::BlockDef;

impl App {
    /// Carries out an action on files.
    pub(crate) fn act_on_files(&mut self, action: FileAction) {
        match action {
            FileAction::OpenPath(path) => self.guarded(AfterSave::OpenPath(path)),
            FileAction::OpenExample(number) => self.guarded(AfterSave::OpenExample(number)),
            FileAction::OpenBlockExample(def, number) => self.guarded(AfterSave::OpenBlockExample(def, number)),
            FileAction::Forget(path) => {
                self.settings.forget(&path);
                self.save_settings();
            }
            FileAction::KeepModel(name) => self.keep_model(&name),
            FileAction::AskLibraryUpdate(name) => self.ask_library_update(&name),
            FileAction::AskValues => self.ask_path(PathRequest::Values),
            FileAction::ChooseFile { model, block, param } => self.ask_file_of_block(model, block, param),
            FileAction::ExportPlot { plot, format } => self.ask_path(PathRequest::ExportPlot { plot, format }),
            FileAction::ExportData { plot, range } => self.ask_path(PathRequest::ExportCsv { plot, range }),
        }
    }

    /// Carries out a command on files.
    pub(crate) fn file_command(&mut self, command: FileCommand) {
        match command {
            FileCommand::New => self.guarded(AfterSave::New),
            FileCommand::Open => self.guarded(AfterSave::AskOpen),
            FileCommand::Save => self.save_then(None),
            FileCommand::SaveAs => self.ask_path(PathRequest::SaveAs { after: None }),
            FileCommand::ExportCsv => self.act(Action::File(FileAction::ExportData { plot: None, range: Range::All })),
            FileCommand::ExportPicture => self.ask_picture(),
            FileCommand::ExportReport => self.ask_path(PathRequest::ExportReport),
            FileCommand::ExportModel => self.ask_export_model(),
            FileCommand::ExportCode => self.ask_code(),
            FileCommand::ExportFmu => self.ask_fmu(),
            FileCommand::ImportModel => self.ask_path(PathRequest::ImportModel),
            FileCommand::CompareFile => self.ask_path(PathRequest::Compare),
            FileCommand::CompareCommit => self.compare_with_commit(),
            FileCommand::Close => self.guarded(AfterSave::Close),
            FileCommand::Quit => self.guarded(AfterSave::Quit),
            FileCommand::Reload => self.reload(),
            FileCommand::Revert => self.revert(),
            FileCommand::Preferences => {
                self.open_dialog(Dialog::Preferences(Box::new(PreferencesPage::new(&self.settings))));
            }
            FileCommand::ReloadLibrary => self.reload_library(),
        }
    }

    /// Proceeds, or asks first whether to save unsaved changes.
    pub fn guarded(&mut self, next: AfterSave) {
        if self.is_unsaved() {
            // A second request replaces the pending one.
            self.window.waiting_dialogs.retain(|dialog| !matches!(dialog, Dialog::Unsaved(_)));
            match self.window.dialog {
                Dialog::Unsaved(_) => self.window.dialog = Dialog::Unsaved(next),
                _ => self.open_dialog(Dialog::Unsaved(next)),
            }
        } else {
            self.proceed(next);
        }
    }

    /// Proceeds; unsaved changes are discarded.
    pub fn proceed(&mut self, next: AfterSave) {
        match next {
            AfterSave::New => self.show_new(),
            AfterSave::OpenPath(path) => self.open_path(&path),
            AfterSave::OpenExample(number) => self.open_example(number),
            AfterSave::OpenBlockExample(def, number) => self.open_block_example(def, number),
            AfterSave::Tour(tour) => self.begin_tour_now(tour),
            AfterSave::AskOpen => self.ask_path(PathRequest::Open { given_up: self.state_id() }),
            AfterSave::Close => {
                self.close_document();
            }
            AfterSave::Quit => {
                self.window.may_quit = true;
                self.with_file(|file| file.run.stop());
                self.ctx.send_viewport_cmd(egui::ViewportCommand::Close);
            }
        }
    }

    pub(crate) fn open_example(&mut self, number: usize) {
        let Some(example) = EXAMPLES.get(number) else { return };
        match files::read(example.text) {
            Ok(opened) => self.show(opened.simulation, None, &example.title(), opened.diagnostics),
            Err(problem) => self.show_problem("The example could not be opened", Path::new(example.name), &problem),
        }
    }

    pub(crate) fn open_block_example(&mut self, def: &'static BlockDef, number: usize) {
        let Some(example) = def.examples.get(number) else { return };
        let simulation = crate::app::doc::block_example::simulation_of(def, example);
        self.show(simulation, None, &format!("{} example", def.title()), Vec::new());
        self.say(format!("{}: {}", def.title(), example.doc));
    }
}
