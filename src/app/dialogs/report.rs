//! Shows the report before it is copied.

use eframe::egui::{self, Label, RichText, ScrollArea};

use super::frame::{buttons_ui, title_ui, window_ui};
use super::response::DialogResponse;
use crate::app::store::report::{Includes, Report};
use crate::app::ui::theme::TEXT_SMALL;
use crate::app::ui::widgets;

/// A report, and the user's own content that it includes.
pub struct ReportPreview {
    report: Report,
    includes: Includes,
    text: String,
}

impl ReportPreview {
    pub fn new(report: Report) -> ReportPreview {
        let includes = Includes::default();
        ReportPreview { text: report.text(includes), report, includes }
    }
}

pub fn show_ui(ctx: &egui::Context, preview: &mut ReportPreview) -> DialogResponse {
    window_ui(ctx, "report", 640.0, |ui| {
        title_ui(ui, "Copy report");
        ui.label("This describes the program and what it did. Send it with a question or an error.");
        let before = preview.includes;
        widgets::check_ui(ui, &mut preview.includes.names, "Include names, messages and paths");
        if preview.report.document.is_some() {
            widgets::check_ui(ui, &mut preview.includes.document, "Include the open simulation");
        }
        if preview.includes != before {
            preview.text = preview.report.text(preview.includes);
        }
        egui::Frame::new().fill(ui.visuals().extreme_bg_color).inner_margin(8).corner_radius(6).show(ui, |ui| {
            ScrollArea::both().max_height(280.0).auto_shrink(false).show(ui, |ui| {
                let text = RichText::new(&preview.text).monospace().size(TEXT_SMALL);
                ui.add(Label::new(text).extend().selectable(true));
            });
        });
        buttons_ui(ui, |ui| {
            if widgets::main_button_ui(ui, "Copy").clicked() {
                ui.ctx().copy_text(preview.text.clone());
                return DialogResponse::Copied;
            }
            if widgets::second_button_ui(ui, "Cancel").clicked() {
                return DialogResponse::Closed;
            }
            DialogResponse::Open
        })
    })
}
