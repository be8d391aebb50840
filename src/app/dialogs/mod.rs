//! The modal dialogs.

mod about;
mod changed;
mod commands;
mod files;
mod nested;
mod outside;
mod picture;
mod recover;
mod shortcuts;
mod table;
mod unsaved;

use std::path::{Path, PathBuf};

use eframe::egui::{self, Id, Key, Modal, RichText, Ui, vec2};

pub use changed::{FileChanged, Remedy};
pub use commands::CommandSearch;
pub use files::FileBrowser;
pub use nested::{NestedChoice, NestedFile};
pub use outside::OutsideFiles;
pub use picture::PictureExport;
pub use shortcuts::ShortcutEditor;
pub use table::TableEditor;

use super::chooser::PathQuestion;
use super::command::Command;
use super::keymap::Keymap;
use super::panels::inspector::sentence;
use super::state::{Action, AfterSave, App, file_name};
use super::style;
use super::theme::SPACE;
use super::widgets;
use crate::model::Change;

#[derive(Default)]
pub enum Dialog {
    #[default]
    None,
    /// Asks whether to save the changes before the pending action.
    Unsaved(AfterSave),
    /// Asks for a path where the platform has no file dialog.
    Files(FileBrowser),
    /// Another program changed the file to save.
    Changed(Box<FileChanged>),
    /// The file to open has models that contain themselves.
    Nested(Box<NestedFile>),
    /// A run was refused because it uses files outside the simulation's folder.
    Outside(Box<OutsideFiles>),
    /// Recovery copies exist.
    Recover {
        discards_all: bool,
    },
    Problem {
        title: String,
        message: String,
        help: String,
        path: Option<PathBuf>,
    },
    Commands(CommandSearch),
    Shortcuts(ShortcutEditor),
    Table(Box<TableEditor>),
    Picture(PictureExport),
    About,
}

/// The result of a dialog in a frame.
pub enum DialogResponse {
    Open,
    Closed,
    Save(AfterSave),
    Discard(AfterSave),
    Path(PathQuestion, PathBuf),
    Remedy(Box<FileChanged>, Remedy),
    Nested(NestedChoice),
    AllowOutside,
    Command(Command),
    Apply(Change),
    Picture(PictureExport),
    /// Replaces the shortcuts.
    Keys(Keymap),
    /// Opens the recovery copy with this number.
    Recover(usize),
    Forget(usize),
    ForgetAll,
    /// Shows a file in the platform's file manager.
    ShowFolder(PathBuf),
}

impl Dialog {
    pub fn problem(title: &str, message: &str, help: &str, path: Option<&Path>) -> Dialog {
        Dialog::Problem {
            title: title.to_owned(),
            message: message.to_owned(),
            help: help.to_owned(),
            path: path.map(Path::to_owned),
        }
    }

    pub fn is_open(&self) -> bool {
        !matches!(self, Dialog::None)
    }

    /// Returns whether the dialog becomes invalid when another document is opened.
    fn is_of_document(&self) -> bool {
        match self {
            Dialog::Unsaved(_) | Dialog::Changed(_) | Dialog::Outside(_) | Dialog::Table(_) | Dialog::Picture(_) => {
                true
            }
            Dialog::Files(browser) => browser.is_of_document(),
            _ => false,
        }
    }
}

impl App {
    /// Shows a dialog, after those that are already open or waiting.
    pub(super) fn open_dialog(&mut self, dialog: Dialog) {
        match self.dialog.is_open() {
            true => self.waiting_dialogs.push_back(dialog),
            false => self.dialog = dialog,
        }
    }

    /// Drops the dialogs about the previous document.
    pub(super) fn forget_dialogs(&mut self) {
        self.waiting_dialogs.retain(|dialog| !dialog.is_of_document());
        if self.dialog.is_of_document() {
            self.dialog = Dialog::None;
        }
    }

    /// Draws the open dialog and acts on its response.
    pub(super) fn dialog_ui(&mut self, ctx: &egui::Context) {
        if !self.dialog.is_open() {
            self.dialog = self.waiting_dialogs.pop_front().unwrap_or_default();
        }
        let mut dialog = std::mem::take(&mut self.dialog);
        let answer = match &mut dialog {
            Dialog::None => return,
            Dialog::Unsaved(next) => {
                let name = self.file.as_ref().map(|file| match &file.path {
                    Some(path) => file_name(path),
                    None => file.name.clone(),
                });
                unsaved::show_ui(ctx, &name.unwrap_or_default(), next)
            }
            Dialog::Files(browser) => files::show_ui(ctx, browser),
            Dialog::Changed(changed) => changed::show_ui(ctx, changed, self.is_unsaved()),
            Dialog::Nested(nested) => nested::show_ui(ctx, nested),
            Dialog::Outside(outside) => outside::show_ui(ctx, outside),
            Dialog::Recover { discards_all } => recover::show_ui(ctx, &self.left, discards_all),
            Dialog::Problem { title, message, help, path } => problem_ui(ctx, title, message, help, path.as_deref()),
            Dialog::Commands(search) => commands::show_ui(ctx, search, self),
            Dialog::Shortcuts(editor) => shortcuts::show_ui(ctx, editor),
            Dialog::Table(editor) => table::show_ui(ctx, editor),
            Dialog::Picture(export) => picture::show_ui(ctx, export),
            Dialog::About => about::show_ui(ctx),
        };
        match answer {
            DialogResponse::Open => self.dialog = dialog,
            DialogResponse::Closed => {}
            DialogResponse::Save(next) => self.save_then(Some(next)),
            DialogResponse::Discard(next) => self.proceed(next),
            DialogResponse::Path(question, path) => self.take_path(question, path),
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
            DialogResponse::Apply(change) => self.act(Action::Apply(change)),
            DialogResponse::Keys(keymap) => {
                keymap.install(ctx);
                self.settings.keymap = keymap;
                self.save_settings();
                self.dialog = dialog;
            }
            DialogResponse::Recover(number) => self.recover(number),
            DialogResponse::Forget(number) => self.discard_left(Some(number)),
            DialogResponse::ForgetAll => self.discard_left(None),
            DialogResponse::ShowFolder(copy) => {
                self.dialog = dialog;
                self.show_in_folder(&copy);
            }
        }
    }
}

/// Draws a modal window. Returns the response of `content`, or `Closed` on Escape or a click outside.
fn window_ui(
    ctx: &egui::Context,
    name: &str,
    width: f32,
    content: impl FnOnce(&mut Ui) -> DialogResponse,
) -> DialogResponse {
    let frame = egui::Frame::window(&ctx.global_style());
    let shown = Modal::new(Id::unique(("dialog", name))).frame(frame).show(ctx, |ui| {
        ui.set_width(width);
        ui.spacing_mut().item_spacing = vec2(2.0 * SPACE, 2.0 * SPACE);
        content(ui)
    });
    match shown.inner {
        DialogResponse::Open => {
            let is_left = shown.backdrop_response.clicked()
                || ctx.input_mut(|input| input.consume_key(egui::Modifiers::NONE, Key::Escape));
            if is_left { DialogResponse::Closed } else { DialogResponse::Open }
        }
        answer => answer,
    }
}

fn title_ui(ui: &mut Ui, title: &str) {
    ui.label(RichText::new(title).text_style(style::title()));
}

/// Lays out buttons from the right; the main button is added first.
fn buttons_ui<R>(ui: &mut Ui, content: impl FnOnce(&mut Ui) -> R) -> R {
    ui.add_space(SPACE);
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), content).inner
}

fn problem_ui(ctx: &egui::Context, title: &str, message: &str, help: &str, path: Option<&Path>) -> DialogResponse {
    window_ui(ctx, "problem", 440.0, |ui| {
        title_ui(ui, title);
        ui.label(sentence(message));
        if !help.is_empty() {
            ui.label(sentence(help));
        }
        if let Some(path) = path {
            ui.label(widgets::weak(ui, path.display().to_string()));
        }
        buttons_ui(ui, |ui| {
            let ok = widgets::main_button_ui(ui, "OK");
            if ok.clicked() || ui.input(|input| input.key_pressed(Key::Enter)) {
                DialogResponse::Closed
            } else {
                DialogResponse::Open
            }
        })
    })
}
