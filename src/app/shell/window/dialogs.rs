//! Shows the dialogs one after the other, and acts on their responses.

use std::path::Path;

use eframe::egui;

use crate::app::action::command::{Command, RunCommand};
use crate::app::action::path_request::PathRequest;
use crate::app::action::{Action, RunAction, ViewAction};
use crate::app::dialogs::{self, Dialog, DialogResponse, DialogView, PreferenceValues};
use crate::app::shell::app::App;
use crate::app::store::files::file_name;
use crate::app::store::jobs::About;

impl App {
    /// Shows a dialog, after those that are already open or waiting.
    pub(crate) fn open_dialog(&mut self, dialog: Dialog) {
        match self.window.dialog.is_open() {
            true => self.window.waiting_dialogs.push_back(dialog),
            false => self.window.dialog = dialog,
        }
    }

    /// Drops the dialogs about the previous document.
    pub(crate) fn forget_dialogs(&mut self) {
        self.window.waiting_dialogs.retain(|dialog| !dialog.is_of_document());
        if self.window.dialog.is_of_document() {
            self.window.dialog = Dialog::None;
        }
    }

    /// Returns whether a modal dialog is open.
    pub fn has_dialog(&self) -> bool {
        self.window.dialog.is_open()
    }

    /// Draws the open dialog and acts on its response.
    pub(crate) fn dialog_ui(&mut self, ctx: &egui::Context) {
        if !self.window.dialog.is_open() {
            self.window.dialog = self.window.waiting_dialogs.pop_front().unwrap_or_default();
        }
        let mut dialog = std::mem::take(&mut self.window.dialog);
        if !dialog.is_open() {
            return;
        }
        let name = self.file.as_ref().map(|file| match &file.path {
            Some(path) => file_name(path),
            None => file.name.clone(),
        });
        let view = DialogView {
            name: &name.unwrap_or_default(),
            left: &self.documents.left,
            commands: self,
            used: &self.settings.commands,
        };
        let answer = dialogs::show_ui(ctx, &mut dialog, &view);
        match answer {
            DialogResponse::Open => self.window.dialog = dialog,
            DialogResponse::Closed => {}
            DialogResponse::Copied => self.say("Copied the report"),
            DialogResponse::Save(next) => self.save_then(Some(next)),
            DialogResponse::Discard(next) => self.proceed(next),
            DialogResponse::Path(question, path) => self.take_path(question, path),
            DialogResponse::AskPath(request) => self.ask_path(request),
            DialogResponse::Nested(choice) => {
                if let Dialog::Nested(nested) = dialog {
                    self.open_nested(*nested, choice);
                }
            }
            DialogResponse::AllowOutside => {
                if let Dialog::Outside(outside) = dialog {
                    self.allow_outside(*outside);
                }
            }
            DialogResponse::Remedy(changed, remedy) => self.remedy(*changed, remedy),
            DialogResponse::Command(command) => {
                if let Some(def) = command.def() {
                    self.settings.note_command(def.name.to_owned());
                }
                self.act(Action::Command(command));
            }
            DialogResponse::Picture(export) => self.picture_chosen(export),
            DialogResponse::Code(export) => self.ask_path(PathRequest::ExportCode(export)),
            DialogResponse::Edited(on_changed) => {
                if let Dialog::Edited(edited) = dialog {
                    self.export_code(&edited.export, edited.folder, on_changed);
                }
            }
            DialogResponse::Fmu(export) => self.ask_path(PathRequest::ExportFmu(export)),
            DialogResponse::ShowBlock(model, block) => {
                self.act(Action::View(ViewAction::OpenModel { model, block: Some(block) }));
            }
            DialogResponse::Apply(change) => self.act(Action::Apply(change)),
            DialogResponse::Keys(keymap) => {
                keymap.install(ctx);
                self.settings.keymap = keymap;
                self.save_settings();
                self.window.dialog = dialog;
            }
            DialogResponse::Preferences(values) => {
                self.set_preferences(*values);
                self.window.dialog = dialog;
            }
            DialogResponse::Recover(number) => self.recover(number),
            DialogResponse::Forget(number) => self.discard_left(Some(number)),
            DialogResponse::ForgetAll => self.discard_left(None),
            DialogResponse::SwitchPlugin(number) => {
                if let Dialog::Plugins(list) = dialog {
                    self.switch_plugin(&list, number);
                }
            }
            #[cfg(feature = "pool")]
            DialogResponse::Pools(pools) => self.set_pools(pools),
            #[cfg(feature = "pool")]
            DialogResponse::PoolFile(pool, file) => {
                self.window.dialog = dialog;
                self.ask_path(PathRequest::PoolFile { pool, file });
            }
            #[cfg(feature = "pool")]
            DialogResponse::TryPool(pool) => {
                if let Dialog::Pools(editor) = dialog {
                    self.try_pool(editor, *pool);
                }
            }
            #[cfg(feature = "pool")]
            DialogResponse::Remote(choice) => {
                if let Dialog::Remote(question) = dialog {
                    self.take_remote(*question, choice);
                }
            }
            DialogResponse::ShowFolder(copy) => {
                self.window.dialog = dialog;
                self.show_in_folder(&copy);
            }
        }
    }

    /// Stores the preferences and lets them take effect.
    fn set_preferences(&mut self, values: PreferenceValues) {
        let PreferenceValues {
            theme,
            text_size,
            runs_megabytes,
            past_megabytes,
            stops_at_non_finite,
            takes_edits,
            own,
        } = values;
        if own.names != self.settings.preferences.names {
            own.names.install(&self.ctx);
        }
        own.angle.install(&self.ctx);
        if runs_megabytes != self.settings.runs_megabytes {
            self.act(Action::Run(RunAction::Limit(runs_megabytes)));
        }
        self.settings.runs_megabytes = runs_megabytes;
        self.settings.past_megabytes = past_megabytes;
        if stops_at_non_finite != self.settings.stops_at_non_finite {
            self.act(Action::Run(RunAction::StopAtNonFinite(stops_at_non_finite)));
        }
        if takes_edits != self.settings.takes_edits {
            self.dispatch(Command::Run(RunCommand::ToggleLiveEdits));
        }
        (self.settings.theme, self.settings.preferences) = (theme, own);
        self.follow_driving();
        self.apply_theme();
        self.scale_text(text_size / self.settings.text_size);
    }

    /// Opens the folder of a file in the platform's file manager.
    fn show_in_folder(&mut self, path: &Path) {
        let program = match std::env::consts::OS {
            "windows" => "explorer",
            "macos" => "open",
            _ => "xdg-open",
        };
        let folder = path.parent().unwrap_or(path).to_owned();
        let about = About { title: "Opening the folder".to_owned(), ..About::default() };
        let text = path.display().to_string();
        let work = move || std::process::Command::new(program).arg(&folder).status();
        self.jobs.start(about, work, move |app, result| match result {
            Ok(status) if status.success() => {}
            _ => app.complain(format!("No file manager found; the file is {text}")),
        });
    }
}
