//! Asks whether to save unsaved changes.

use eframe::egui;

use super::frame::{buttons_ui, title_ui, window_ui};
use super::response::DialogResponse;
use crate::app::action::AfterSave;
use crate::app::ui::widgets;

pub fn show_ui(ctx: &egui::Context, name: &str, next: &AfterSave) -> DialogResponse {
    window_ui(ctx, "unsaved", 420.0, |ui| {
        title_ui(ui, &format!("Save the changes to “{name}”?"));
        ui.label("Unsaved changes will be lost");
        buttons_ui(ui, |ui| {
            if widgets::main_button_ui(ui, "Save").clicked() {
                return DialogResponse::Save(next.clone());
            }
            if widgets::second_button_ui(ui, "Cancel").clicked() {
                return DialogResponse::Closed;
            }
            if widgets::second_button_ui(ui, "Don't save").clicked() {
                return DialogResponse::Discard(next.clone());
            }
            DialogResponse::Open
        })
    })
}
