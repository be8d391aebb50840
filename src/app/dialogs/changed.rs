//! Asks what to do where another program changed the file that is to be saved.

use std::path::PathBuf;

use eframe::egui::{self, RichText, ScrollArea};

use super::frame::{buttons_ui, title_ui, window_ui};
use super::response::DialogResponse;
use crate::app::action::AfterSave;
use crate::app::store::files::{FileProblem, Stamp, file_name};
use crate::app::ui::theme::TEXT_SMALL;
use crate::app::ui::widgets;
use crate::diff::Change;

/// The maximum number of differences that are listed.
const MAX_ROWS: usize = 500;

/// Describes a file that another program changed since it was read or written here.
#[derive(Clone, Debug)]
pub struct FileChanged {
    pub path: PathBuf,
    /// The number of the document to save.
    pub document: u64,
    /// The stamp of the file's current content.
    pub present: Stamp,
    /// The pending action after the save.
    pub after: Option<AfterSave>,
    differences: Differences,
}

#[derive(Clone, Debug)]
enum Differences {
    NotAsked,
    Busy,
    Found(Vec<Change>),
    Unreadable(FileProblem),
}

/// The user's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    Reload,
    Overwrite,
    SaveAs,
    ShowDifferences,
}

impl FileChanged {
    pub fn new(path: PathBuf, document: u64, present: Stamp, after: Option<AfterSave>) -> FileChanged {
        let differences = Differences::NotAsked;
        FileChanged { path, document, present, after, differences }
    }

    /// Returns the dialog while the differences are computed.
    pub fn comparing(self) -> FileChanged {
        FileChanged { differences: Differences::Busy, ..self }
    }

    /// Shows the differences, or why they cannot be computed.
    pub fn show(&mut self, found: Result<Vec<Change>, FileProblem>) {
        self.differences = match found {
            Ok(found) => Differences::Found(found),
            Err(why) => Differences::Unreadable(why),
        };
    }
}

pub fn show_ui(ctx: &egui::Context, changed: &mut FileChanged) -> DialogResponse {
    window_ui(ctx, "changed", 520.0, |ui| {
        let name = file_name(&changed.path);
        title_ui(ui, "The file was changed by another program");
        ui.label(format!("“{name}” has changed since it was last opened or saved here. Saving would overwrite it."));
        ui.label(widgets::weak(ui, changed.path.display().to_string()));
        differences_ui(ui, &changed.differences);
        buttons_ui(ui, |ui| {
            let chosen = |remedy| DialogResponse::Remedy(Box::new(changed.clone()), remedy);
            if widgets::main_button_ui(ui, "Save as…").clicked() {
                return chosen(Remedy::SaveAs);
            }
            if widgets::second_button_ui(ui, "Overwrite").clicked() {
                return chosen(Remedy::Overwrite);
            }
            let reload = widgets::second_button_ui(ui, "Reload");
            if reload.on_hover_text("Undo brings back what is here, and recorded runs stay").clicked() {
                return chosen(Remedy::Reload);
            }
            let is_new = matches!(changed.differences, Differences::NotAsked);
            if is_new && widgets::second_button_ui(ui, "Show differences").clicked() {
                changed.differences = Differences::Busy;
                return DialogResponse::Remedy(Box::new(changed.clone()), Remedy::ShowDifferences);
            }
            if widgets::second_button_ui(ui, "Cancel").clicked() {
                return DialogResponse::Closed;
            }
            DialogResponse::Open
        })
    })
}

fn differences_ui(ui: &mut egui::Ui, differences: &Differences) {
    let found = match differences {
        Differences::NotAsked => return,
        Differences::Busy => return drop(ui.label(widgets::weak(ui, "Reading the file…"))),
        Differences::Unreadable(why) => {
            return drop(ui.label(format!("The file cannot be compared: {}", why.message)));
        }
        Differences::Found(found) if found.is_empty() => {
            return drop(ui.label("Both describe the same simulation; only the formatting differs"));
        }
        Differences::Found(found) => found,
    };
    let theme = widgets::theme_of(ui.ctx());
    ScrollArea::vertical().id_salt("differences").max_height(240.0).auto_shrink([false, true]).show(ui, |ui| {
        egui::Grid::new("differences").num_columns(3).striped(true).spacing([12.0, 4.0]).show(ui, |ui| {
            let small = |text: &str| RichText::new(text).size(TEXT_SMALL);
            for head in ["What", "Here", "In the file"] {
                ui.label(small(head).color(theme.text_weak));
            }
            ui.end_row();
            for change in found.iter().take(MAX_ROWS) {
                ui.label(small(&change.what()));
                for side in [&change.first, &change.second] {
                    ui.label(small(side.as_deref().unwrap_or("–")));
                }
                ui.end_row();
            }
        });
        if found.len() > MAX_ROWS {
            ui.label(widgets::weak(ui, format!("and {} more", found.len() - MAX_ROWS)));
        }
    });
}
