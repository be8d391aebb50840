//! The arguments of a block's code as rows: those with a value are parameters, the others inputs.

use eframe::egui::Ui;

use super::inspected::InspectorView;
use crate::app::action::Action;
use crate::app::doc::arguments::made_parameter;
use crate::app::doc::typed;
use crate::app::ui::field::{EditedField, Field, Invalid};
use crate::app::ui::form;
use crate::app::ui::numbers::typed::Wanted;
use crate::app::ui::widgets::sentence;
use crate::block::values_of;
use crate::model::{Block, Scope};

/// Draws the row of an argument that is an input: a value makes it a parameter.
pub fn input_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    view: &InspectorView,
    (block, name): (&Block, &str),
    actions: &mut Vec<Action>,
) {
    let check = |text: &str| {
        let parts = typed::split(text);
        let wrong = |scope: &Scope| parts.iter().find_map(|part| values_of(part, scope).err());
        view.in_scope(wrong).map(|error| sentence(&error.to_string()))
    };
    let tooltip = format!("{name}\nAn input of the block. A value makes it a parameter, and its wire goes");
    let typed = form::row_ui(ui, name, &tooltip, |ui| {
        let width = form::value_width(ui);
        let field = Field::new(name, "").hint("input").width(width).number(Wanted::Several);
        field.invalid(Invalid::Kept).text_ui(ui, editing, &check)
    });
    if let Some(text) = typed.filter(|text| !text.trim().is_empty()) {
        actions.push(Action::Apply(made_parameter(view.model, block, name, typed::split(&text))));
    }
}
