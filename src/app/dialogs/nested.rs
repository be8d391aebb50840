//! Asks what to do with a file whose models are nested without end.

use std::path::PathBuf;

use eframe::egui;

use super::{DialogResponse, buttons_ui, title_ui, window_ui};
use crate::app::files::Opened;
use crate::app::state::file_name;
use crate::app::widgets;

/// A file that was read and is invalid as it is.
pub struct NestedFile {
    pub path: PathBuf,
    /// The models, from one back to itself.
    pub ring: String,
    /// Taken when it is shown as it is.
    pub opened: Option<Opened>,
    /// The state of the open document that the user has agreed to lose.
    pub given_up: Option<(u64, u64)>,
}

/// What the user wants of such a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NestedChoice {
    Skip,
    OpenAsItIs,
}

pub fn show_ui(ctx: &egui::Context, nested: &NestedFile) -> DialogResponse {
    window_ui(ctx, "nested", 460.0, |ui| {
        title_ui(ui, "The file is invalid");
        ui.label(format!("“{}” has models that contain themselves: {}", file_name(&nested.path), nested.ring));
        ui.label(widgets::weak(
            ui,
            "Skip invalid models removes each model block that closes a nesting, and its wires. The file changes only \
             when you save it",
        ));
        buttons_ui(ui, |ui| {
            if widgets::main_button_ui(ui, "Skip invalid models").clicked() {
                return DialogResponse::Nested(NestedChoice::Skip);
            }
            if widgets::second_button_ui(ui, "Open as it is").clicked() {
                return DialogResponse::Nested(NestedChoice::OpenAsItIs);
            }
            if widgets::second_button_ui(ui, "Cancel").clicked() {
                return DialogResponse::Closed;
            }
            DialogResponse::Open
        })
    })
}
