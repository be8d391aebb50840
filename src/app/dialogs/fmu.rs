//! Asks which model is exported as an FMU, and how.

use eframe::egui;

use super::code::{model_ui, two_ui};
use super::frame::{buttons_ui, title_ui, window_ui};
use super::response::DialogResponse;
use crate::app::action::path_request::FmuExport;
use crate::app::ui::form::row_ui;
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets;
use crate::export::fmu::Version;

pub fn show_ui(ctx: &egui::Context, export: &mut FmuExport) -> DialogResponse {
    window_ui(ctx, "fmu", 440.0, |ui| {
        title_ui(ui, "Export FMU");
        let about =
            "For co-simulation, with exactly the results of the simulation; for model exchange if all is continuous";
        ui.label(widgets::weak(ui, about));
        model_ui(ui, &export.models, &mut export.model);
        row_ui(ui, "Version", "Of the Functional Mock-up Interface", |ui| {
            ui.spacing_mut().item_spacing.x = 3.0 * SPACE;
            ui.radio_value(&mut export.version, Version::Two, "FMI 2.0").on_hover_text("Most programs read it");
            ui.radio_value(&mut export.version, Version::Three, "FMI 3.0").on_hover_text("Vectors stay vectors");
        });
        two_ui(
            ui,
            "Parameters",
            &mut export.inlines_parameters,
            ("Tunable", "They can be set before and between steps"),
            ("Constant", "They are constants in the code; the FMU is for co-simulation alone"),
        );
        two_ui(
            ui,
            "Contents",
            &mut export.is_source_only,
            ("Binary and sources", "Compiled with cc, or the compiler in the variable CC, for this platform"),
            ("Sources only", "To be compiled where it is used"),
        );
        buttons_ui(ui, |ui| {
            if widgets::main_button_ui(ui, "Export…").clicked() {
                return DialogResponse::Fmu(export.clone());
            }
            if widgets::second_button_ui(ui, "Cancel").clicked() {
                DialogResponse::Closed
            } else {
                DialogResponse::Open
            }
        })
    })
}
