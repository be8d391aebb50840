//! The list of plug-ins: a description of each, and whether it is on.

use std::path::PathBuf;

use eframe::egui::{self, RichText, ScrollArea};

use super::frame::{buttons_ui, title_ui, window_ui};
use super::response::DialogResponse;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::{self, sentence};
use crate::plugin::{FoundPlugin, PluginState};

/// The plug-ins in the plug-in folder and beside the open simulation.
pub struct PluginList {
    pub found: Vec<FoundPlugin>,
    /// The plug-in folder.
    pub folder: Option<PathBuf>,
    /// Why the list of those that are on cannot be read.
    pub problem: Option<String>,
}

pub fn show_ui(ctx: &egui::Context, list: &PluginList) -> DialogResponse {
    window_ui(ctx, "plugins", 560.0, |ui| {
        title_ui(ui, "Plug-ins");
        let about = "Blocks that others have written, as WebAssembly. A plug-in that is on may compute, with 16 MB of \
                     memory and at least 10 million instructions a call; it has no access to files, clocks or networks. Switch on \
                     plug-ins whose authors you trust: their results are theirs. A file that changes is off again.";
        ui.label(widgets::weak(ui, about));
        if let Some(problem) = &list.problem {
            ui.label(sentence(&format!("the list of plug-ins cannot be read, so that all are off: {problem}")));
        }
        let mut switched = None;
        ScrollArea::vertical().max_height(360.0).show(ui, |ui| {
            for (number, found) in list.found.iter().enumerate() {
                if plugin_ui(ui, found) {
                    switched = Some(number);
                }
                ui.add_space(SPACE);
            }
            if list.found.is_empty() {
                ui.label("There are no plug-ins in the plug-in folder or beside the simulation");
            }
        });
        if let Some(folder) = &list.folder {
            ui.label(widgets::weak(ui, format!("Plug-in folder: {}", folder.display())));
        }
        buttons_ui(ui, |ui| {
            if widgets::main_button_ui(ui, "Close").clicked() {
                return DialogResponse::Closed;
            }
            switched.map_or(DialogResponse::Open, DialogResponse::SwitchPlugin)
        })
    })
}

/// Draws a plug-in; returns whether its switch was clicked.
fn plugin_ui(ui: &mut egui::Ui, found: &FoundPlugin) -> bool {
    let FoundPlugin { path, hash, state, about, blocks } = found;
    let mut is_on = *state == PluginState::On;
    let title = format!("{} {}", about.name, about.version);
    let is_broken = matches!(state, PluginState::Broken(_));
    let switch = ui.add_enabled(!is_broken, egui::Checkbox::new(&mut is_on, title.trim_end()));
    let switch = switch.on_hover_text("Whether the blocks of this plug-in may run");
    ui.indent(path, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        if let PluginState::Broken(problem) = state {
            ui.label(sentence(problem));
        }
        if !about.doc.is_empty() {
            ui.label(sentence(&about.doc));
        }
        for (title, value) in [("Author", &about.author), ("Licence", &about.licence), ("Blocks", &blocks.join(", "))] {
            if !value.is_empty() {
                ui.label(format!("{title}: {value}"));
            }
        }
        let small = |text: String| RichText::new(text).size(TEXT_SMALL).weak();
        ui.label(small(format!("SHA-256: {hash}")));
        ui.label(small(path.display().to_string()));
    });
    switch.clicked()
}
