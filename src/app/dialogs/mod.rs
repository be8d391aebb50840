//! The modal dialogs.

mod about;
mod changed;
mod code;
mod commands;
mod edited;
mod files;
mod fmu;
mod frame;
mod library_update;
mod licences;
mod nested;
mod outside;
mod picture;
mod plugins;
#[cfg(feature = "pool")]
mod pools;
mod preferences;
mod recover;
#[cfg(feature = "pool")]
mod remote;
mod report;
mod response;
mod shortcuts;
mod table;
mod unsaved;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui::{self, Key};

pub use changed::{FileChanged, Remedy};
pub use commands::CommandSearch;
pub use edited::EditedExport;
pub use files::FileBrowser;
use frame::{buttons_ui, title_ui, window_ui};
pub use library_update::LibraryUpdate;
pub use licences::LicenceList;
pub use nested::{NestedChoice, NestedFile};
pub use outside::{OutsideFiles, Refused};
pub use plugins::PluginList;
#[cfg(feature = "pool")]
pub use pools::{PoolEditor, Trial};
pub use preferences::{PreferenceValues, PreferencesPage};
pub use recover::RecoverDialog;
#[cfg(feature = "pool")]
pub use remote::{RemoteChoice, RemoteDoubt, RemoteQuestion, RemoteStart};
pub use report::ReportPreview;
pub use response::DialogResponse;
pub use shortcuts::ShortcutEditor;
pub use table::TableEditor;

use crate::app::action::AfterSave;
use crate::app::action::command::CommandStates;
use crate::app::action::path_request::{CodeExport, FmuExport, PathRequest, PictureExport};
use crate::app::store::recovery::Left;
use crate::app::ui::widgets::{self, sentence};
use crate::model::BlockId;

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
    Recover(RecoverDialog),
    Problem {
        title: String,
        message: String,
        help: String,
        path: Option<PathBuf>,
        /// The model and the block that is the reason.
        block: Option<(Arc<str>, BlockId)>,
        /// The question for another path, if the file could not be written.
        elsewhere: Option<PathRequest>,
    },
    Commands(CommandSearch),
    Shortcuts(ShortcutEditor),
    Preferences(Box<PreferencesPage>),
    Table(Box<TableEditor>),
    Picture(PictureExport),
    Code(CodeExport),
    /// An export of C code would replace files that were changed.
    Edited(Box<EditedExport>),
    Fmu(FmuExport),
    Report(Box<ReportPreview>),
    Plugins(Box<PluginList>),
    #[cfg(feature = "pool")]
    Pools(Box<PoolEditor>),
    /// A simulation may not be sent to a pool yet, or a pool cannot be used.
    #[cfg(feature = "pool")]
    Remote(Box<RemoteQuestion>),
    /// What an update of a model from its library changes.
    LibraryUpdate(Box<LibraryUpdate>),
    Licences(LicenceList),
    About,
}

impl Dialog {
    pub fn problem(title: &str, message: &str, help: &str, path: Option<&Path>) -> Dialog {
        Dialog::Problem {
            title: title.to_owned(),
            message: message.to_owned(),
            help: help.to_owned(),
            path: path.map(Path::to_owned),
            block: None,
            elsewhere: None,
        }
    }

    /// Adds the button “Save as…”, which asks for another path, to a problem.
    pub fn with_other_place(mut self, request: Option<PathRequest>) -> Dialog {
        if let Dialog::Problem { elsewhere, .. } = &mut self {
            *elsewhere = request;
        }
        self
    }

    /// Adds a button that shows a block to a problem.
    pub fn about_block(mut self, shown: Option<(Arc<str>, BlockId)>) -> Dialog {
        if let Dialog::Problem { block, .. } = &mut self {
            *block = shown;
        }
        self
    }

    pub fn is_open(&self) -> bool {
        !matches!(self, Dialog::None)
    }

    /// Returns whether the dialog becomes invalid when another document is opened.
    pub fn is_of_document(&self) -> bool {
        match self {
            Dialog::Unsaved(_) | Dialog::Changed(_) | Dialog::Outside(_) | Dialog::Table(_) => true,
            Dialog::LibraryUpdate(_) => true,
            #[cfg(feature = "pool")]
            Dialog::Remote(_) => true,
            Dialog::Picture(_) | Dialog::Code(_) | Dialog::Edited(_) | Dialog::Fmu(_) => true,
            Dialog::Problem { block, elsewhere, .. } => block.is_some() || elsewhere.is_some(),
            Dialog::Files(browser) => browser.is_of_document(),
            _ => false,
        }
    }
}

/// The parts of the window that the dialogs show.
pub struct DialogView<'a> {
    /// The file name of the open document.
    pub name: &'a str,
    /// The recovery copies that the user has not decided about.
    pub left: &'a [Left],
    pub commands: &'a dyn CommandStates,
    /// The names of the commands chosen last in the command palette, the most recent first.
    pub used: &'a [String],
}

/// Draws a dialog.
pub fn show_ui(ctx: &egui::Context, dialog: &mut Dialog, view: &DialogView) -> DialogResponse {
    match dialog {
        Dialog::None => DialogResponse::Closed,
        Dialog::Unsaved(next) => unsaved::show_ui(ctx, view.name, next),
        Dialog::Files(browser) => files::show_ui(ctx, browser),
        Dialog::Changed(changed) => changed::show_ui(ctx, changed),
        Dialog::Nested(nested) => nested::show_ui(ctx, nested),
        Dialog::Outside(outside) => outside::show_ui(ctx, outside),
        Dialog::Recover(state) => recover::show_ui(ctx, view.left, state),
        Dialog::Problem { title, message, help, path, block, elsewhere } => {
            problem_ui(ctx, (title, message, help), path.as_deref(), block.as_ref(), elsewhere.as_ref())
        }
        Dialog::Commands(search) => commands::show_ui(ctx, search, view),
        Dialog::Preferences(page) => preferences::show_ui(ctx, page),
        Dialog::Shortcuts(editor) => shortcuts::show_ui(ctx, editor),
        Dialog::Table(editor) => table::show_ui(ctx, editor),
        Dialog::Picture(export) => picture::show_ui(ctx, export),
        Dialog::Code(export) => code::show_ui(ctx, export),
        Dialog::Edited(export) => edited::show_ui(ctx, export),
        Dialog::Fmu(export) => fmu::show_ui(ctx, export),
        Dialog::Report(preview) => report::show_ui(ctx, preview),
        #[cfg(feature = "pool")]
        Dialog::Pools(editor) => pools::show_ui(ctx, editor),
        #[cfg(feature = "pool")]
        Dialog::Remote(question) => remote::show_ui(ctx, question),
        Dialog::Plugins(list) => plugins::show_ui(ctx, list),
        Dialog::LibraryUpdate(update) => library_update::show_ui(ctx, update),
        Dialog::Licences(list) => licences::show_ui(ctx, list),
        Dialog::About => about::show_ui(ctx),
    }
}

fn problem_ui(
    ctx: &egui::Context,
    (title, message, help): (&str, &str, &str),
    path: Option<&Path>,
    block: Option<&(Arc<str>, BlockId)>,
    elsewhere: Option<&PathRequest>,
) -> DialogResponse {
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
            if let Some(request) = elsewhere {
                let is_asked = widgets::main_button_ui(ui, "Save as…").clicked();
                if is_asked || ui.input(|input| input.key_pressed(Key::Enter)) {
                    return DialogResponse::AskPath(request.clone());
                }
                return match widgets::second_button_ui(ui, "Cancel").clicked() {
                    true => DialogResponse::Closed,
                    false => DialogResponse::Open,
                };
            }
            let ok = widgets::main_button_ui(ui, "OK");
            if ok.clicked() || ui.input(|input| input.key_pressed(Key::Enter)) {
                return DialogResponse::Closed;
            }
            match block {
                Some((model, block)) if widgets::second_button_ui(ui, "Show block").clicked() => {
                    DialogResponse::ShowBlock(Arc::clone(model), *block)
                }
                _ => DialogResponse::Open,
            }
        })
    })
}
