//! The type and parameters of an imported block in the other program, for a user who completes or checks it.

use eframe::egui::{RichText, Ui};

use crate::app::ui::theme::TEXT_SMALL;
use crate::app::ui::widgets::{self, sentence, theme_of};
use crate::model::imported::{Class, Entry, source_parameters};
use crate::model::{Block, Model};

/// Parameters beyond this number are shown on request.
const SHOWN: usize = 12;
/// Longer values are cut.
const MAX_LETTERS: usize = 4000;

/// Draws the type, the notes and the parameters that a block had; nothing for a block that is exact or of this program.
pub fn show_ui(ui: &mut Ui, model: &Model, block: &Block, origin: Option<&str>) {
    let Some(entry) = Entry::of(model, block) else { return };
    let origin = block.attributes.get("origin").or(origin).unwrap_or_default();
    let title = if origin.is_empty() { "In the other program".to_owned() } else { format!("In {origin}") };
    widgets::section_ui(ui, &title);
    let class = match entry.class {
        Class::Placeholder if !block.is_placeholder() => "replaced",
        class => class.name(),
    };
    ui.label(format!("{}, {class}", entry.kind));
    ui.label(widgets::weak(ui, entry.path.replace("//", "\u{2215}").replace('/', " / ")));
    for note in &entry.notes {
        ui.label(widgets::weak(ui, sentence(note)));
    }
    let parameters: Vec<(&str, &str)> = source_parameters(block).collect();
    if parameters.is_empty() {
        return;
    }
    let header = widgets::collapsing(format!("Its parameters ({})", parameters.len()));
    header.default_open(parameters.len() <= SHOWN).show(ui, |ui| {
        for (name, value) in parameters {
            ui.label(widgets::weak(ui, name));
            let is_cut = value.chars().nth(MAX_LETTERS).is_some();
            let shown: String = value.chars().take(MAX_LETTERS).chain(is_cut.then_some('…')).collect();
            let text = RichText::new(shown).size(TEXT_SMALL).monospace().color(theme_of(ui.ctx()).text);
            ui.add(eframe::egui::Label::new(text).selectable(true).wrap());
        }
    });
}
