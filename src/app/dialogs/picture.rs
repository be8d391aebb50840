//! Asks what to export as a picture, and in which format.

use eframe::egui::{self, RichText};

use super::frame::{buttons_ui, title_ui, window_ui};
use super::response::DialogResponse;
use crate::app::action::path_request::{PictureExport, What};
use crate::app::drawing::Format;
use crate::app::ui::form::row_ui;
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets;

pub fn show_ui(ctx: &egui::Context, export: &mut PictureExport) -> DialogResponse {
    window_ui(ctx, "picture", 420.0, |ui| {
        title_ui(ui, "Export picture");
        row_ui(ui, "Show", "", |ui| {
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = SPACE;
                let model = format!("The model {}", export.model);
                ui.radio_value(&mut export.what, What::Model, model);
                ui.add_enabled_ui(!export.selection.is_empty(), |ui| {
                    let count = export.selection.len();
                    let text = match count {
                        0 => "The selection, which is empty".to_owned(),
                        1 => "The selected block".to_owned(),
                        _ => format!("The {count} selected blocks"),
                    };
                    ui.radio_value(&mut export.what, What::Selection, text);
                });
                ui.radio_value(&mut export.what, What::All, "All models of the file");
            });
        });
        row_ui(ui, "Format", "", |ui| {
            ui.spacing_mut().item_spacing.x = 3.0 * SPACE;
            for (format, label, about) in [
                (Format::Svg, "SVG", "Vector graphics; text stays text"),
                (Format::Pdf, "PDF", "Vector graphics; one page per model"),
                (Format::Png, "PNG", "Pixels, for slides and e-mail"),
            ] {
                ui.radio_value(&mut export.format, format, label).on_hover_text(about);
            }
        });
        if export.format == Format::Png {
            row_ui(ui, "Size", "Pixels of the picture per pixel of the diagram", |ui| {
                ui.spacing_mut().item_spacing.x = 3.0 * SPACE;
                for scale in [1.0, 2.0, 3.0, 4.0] {
                    ui.radio_value(&mut export.scale, scale, format!("{scale}×"));
                }
            });
        }
        if export.what == What::All && export.format != Format::Pdf {
            ui.label(widgets::weak(ui, "One file per model; the model's name is appended to the file name"));
        }
        ui.label(RichText::new("Light, on white").size(crate::app::ui::theme::TEXT_SMALL));
        buttons_ui(ui, |ui| {
            if widgets::main_button_ui(ui, "Export…").clicked() {
                return DialogResponse::Picture(export.clone());
            }
            if widgets::second_button_ui(ui, "Cancel").clicked() {
                DialogResponse::Closed
            } else {
                DialogResponse::Open
            }
        })
    })
}
