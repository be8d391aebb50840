//! Shows what an update of a model from its library changes, and asks.

use eframe::egui::{self, Key, RichText, ScrollArea};

use super::frame::{buttons_ui, title_ui, window_ui};
use super::response::DialogResponse;
use crate::app::ui::theme::TEXT_SMALL;
use crate::app::ui::widgets::{self, theme_of};
use crate::model::Change;

/// An update of a model from its library.
pub struct LibraryUpdate {
    pub model: String,
    /// The name of the library.
    pub library: String,
    /// What it changes, one line each; changes of the layout are left out.
    pub lines: Vec<String>,
    /// The copy was changed since it was made: its changes are lost.
    pub is_changed_here: bool,
    /// The number of instances that follow.
    pub instances: usize,
    pub change: Change,
}

/// More lines than these are only counted.
const MAX_LINES: usize = 200;

pub fn show_ui(ctx: &egui::Context, update: &LibraryUpdate) -> DialogResponse {
    let theme = theme_of(ctx);
    window_ui(ctx, "library update", 520.0, |ui| {
        title_ui(ui, &format!("Update {} from the library", update.model));
        let instances = match update.instances {
            0 => "the model has no instance".to_owned(),
            1 => "its instance follows".to_owned(),
            count => format!("all {count} instances follow"),
        };
        ui.label(format!("The library “{}” has a newer version; {instances}.", update.library));
        if update.is_changed_here {
            let text = "This copy was changed in this file: the update replaces those changes, too.";
            ui.label(RichText::new(text).color(theme.warning));
        }
        let count = update.lines.len();
        if count == 0 {
            ui.label(widgets::weak(ui, "Only the layout differs"));
        }
        ScrollArea::vertical().max_height(260.0).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            for line in update.lines.iter().take(MAX_LINES) {
                ui.add(egui::Label::new(RichText::new(line).monospace().size(TEXT_SMALL)).wrap());
            }
            if count > MAX_LINES {
                ui.label(widgets::weak(ui, format!("and {} more", count - MAX_LINES)));
            }
        });
        buttons_ui(ui, |ui| {
            let is_entered = ui.input(|input| input.key_pressed(Key::Enter));
            if widgets::main_button_ui(ui, "Update").clicked() || is_entered {
                return DialogResponse::Apply(update.change.clone());
            }
            match widgets::second_button_ui(ui, "Cancel").clicked() {
                true => DialogResponse::Closed,
                false => DialogResponse::Open,
            }
        })
    })
}
