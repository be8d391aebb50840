//! Asks what to do with a file whose models contain themselves.

use std::path::PathBuf;

use eframe::egui;

use super::frame::{buttons_ui, title_ui, window_ui};
use super::response::DialogResponse;
use crate::app::store::files::{Opened, file_name};
use crate::app::ui::widgets;

/// A file that was read and has models that contain themselves.
pub struct NestedFile {
    pub path: PathBuf,
    /// The models of the cycle; the first is also the last.
    pub ring: String,
    /// The document to open unchanged.
    pub opened: Option<Opened>,
    /// The number and revision of the open document whose changes the user agreed to lose.
    pub given_up: Option<(u64, u64)>,
}

/// The user's choice.
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
