//! Version, licence and thanks.

use eframe::egui::{self, RichText, Sense, vec2};

use super::frame::{buttons_ui, window_ui};
use super::response::DialogResponse;
use crate::app::ui::style;
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets::{self, theme_of};

pub fn show_ui(ctx: &egui::Context) -> DialogResponse {
    window_ui(ctx, "about", 400.0, |ui| {
        let theme = theme_of(ui.ctx());
        ui.horizontal(|ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(48.0, 48.0), Sense::hover());
            widgets::mark(ui, rect, theme);
            ui.add_space(SPACE);
            ui.vertical(|ui| {
                ui.label(RichText::new("Simulate").font(style::strong(20.0)));
                ui.label(widgets::weak(ui, format!("Version {}", env!("CARGO_PKG_VERSION"))));
            });
        });
        ui.add_space(SPACE);
        ui.label(env!("CARGO_PKG_DESCRIPTION"));
        ui.label("After an idea by Kevin Cuzner");
        ui.label(widgets::weak(ui, format!("Licence: {}", env!("CARGO_PKG_LICENSE"))));
        ui.label(widgets::weak(ui, "Typeface: Inter, by the Inter Project Authors, SIL Open Font License 1.1"));
        ui.label(widgets::weak(ui, "Built with egui"));
        buttons_ui(ui, |ui| {
            if widgets::main_button_ui(ui, "Close").clicked() { DialogResponse::Closed } else { DialogResponse::Open }
        })
    })
}
