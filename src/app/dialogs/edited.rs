//! Asks whether an export replaces files in its folder that a user has changed.

use std::path::PathBuf;

use eframe::egui::{self, ScrollArea};

use super::frame::{buttons_ui, title_ui, window_ui};
use super::response::DialogResponse;
use crate::app::action::path_request::CodeExport;
use crate::app::store::files::file_name;
use crate::app::ui::widgets;
use crate::exported::OnChanged;

/// An export that would replace files that were changed, or that it did not write.
pub struct EditedExport {
    pub export: CodeExport,
    pub folder: PathBuf,
    /// Their paths.
    pub files: Vec<PathBuf>,
}

pub fn show_ui(ctx: &egui::Context, edited: &EditedExport) -> DialogResponse {
    window_ui(ctx, "edited", 480.0, |ui| {
        title_ui(ui, "Files were changed since the export");
        ui.label("The export would replace these files, which were edited or are not from an export of this model:");
        ScrollArea::vertical().max_height(200.0).show(ui, |ui| {
            for file in &edited.files {
                ui.label(file_name(file));
            }
        });
        ui.label(widgets::weak(ui, edited.folder.display().to_string()));
        buttons_ui(ui, |ui| {
            let keep = widgets::main_button_ui(ui, "Keep mine").on_hover_text("Writes all other files");
            if keep.clicked() {
                return DialogResponse::Edited(OnChanged::Keep);
            }
            if widgets::second_button_ui(ui, "Overwrite").clicked() {
                return DialogResponse::Edited(OnChanged::Overwrite);
            }
            if widgets::second_button_ui(ui, "Cancel").clicked() {
                return DialogResponse::Closed;
            }
            DialogResponse::Open
        })
    })
}
