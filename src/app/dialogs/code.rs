//! Asks which model is exported as C code, and how the code is written.

use std::sync::Arc;

use eframe::egui::{self, Ui};

use super::frame::{buttons_ui, title_ui, window_ui};
use super::response::DialogResponse;
use crate::app::action::path_request::CodeExport;
use crate::app::ui::form::row_ui;
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets;
use crate::export::c::Precision;

pub fn show_ui(ctx: &egui::Context, export: &mut CodeExport) -> DialogResponse {
    window_ui(ctx, "code", 440.0, |ui| {
        title_ui(ui, "Export C code");
        let about = match export.precision {
            Precision::Double => "C99 without dependencies, with exactly the results of the simulation",
            Precision::Single => "C99 without dependencies that computes nearly what the simulation does",
        };
        ui.label(widgets::weak(ui, about));
        model_ui(ui, &export.models, &mut export.model);
        two_ui(
            ui,
            "Parameters",
            &mut export.inlines_parameters,
            ("Tunable", "They are in a struct and can be changed between steps"),
            ("Constant", "They are constants in the code, which is smaller and faster"),
        );
        two_ui(
            ui,
            "Files",
            &mut export.is_single_file,
            ("Several", "The mathematics is in files of its own"),
            ("One", "The mathematics is in the file of the code"),
        );
        row_ui(ui, "Precision", "", |ui| {
            ui.spacing_mut().item_spacing.x = 3.0 * SPACE;
            ui.radio_value(&mut export.precision, Precision::Double, "Double")
                .on_hover_text("Exactly the results of the simulation");
            ui.radio_value(&mut export.precision, Precision::Single, "Single").on_hover_text(
                "Type float, for small processors: other results, with an error that the check measures",
            );
        });
        row_ui(ui, "Check", "", |ui| {
            widgets::check_ui(ui, &mut export.is_compared, "Compile and compare with the simulation")
                .on_hover_text("Compiles the code with cc, or the compiler in the variable CC, and compares every bit");
        });
        buttons_ui(ui, |ui| {
            if widgets::main_button_ui(ui, "Export…").clicked() {
                return DialogResponse::Code(export.clone());
            }
            if widgets::second_button_ui(ui, "Cancel").clicked() {
                DialogResponse::Closed
            } else {
                DialogResponse::Open
            }
        })
    })
}

/// A row for the model that is exported.
pub fn model_ui(ui: &mut Ui, models: &[Arc<str>], chosen: &mut Arc<str>) {
    row_ui(ui, "Model", "Its inputs and outputs become those of the code", |ui| {
        let shown = chosen.to_string();
        widgets::choice_ui(ui, "Model", &shown, 240.0, |ui| {
            for model in models {
                ui.selectable_value(chosen, Arc::clone(model), &**model);
            }
        });
    });
}

/// A row with two choices, each with its tooltip.
pub fn two_ui(ui: &mut Ui, label: &str, is_second: &mut bool, first: (&str, &str), second: (&str, &str)) {
    row_ui(ui, label, "", |ui| {
        ui.spacing_mut().item_spacing.x = 3.0 * SPACE;
        ui.radio_value(is_second, false, first.0).on_hover_text(first.1);
        ui.radio_value(is_second, true, second.0).on_hover_text(second.1);
    });
}
