//! The variants of a model block: the models that it may be an instance of, each with its condition.

use std::sync::Arc;

use eframe::egui::{self, Ui};

use super::inspected::InspectorView;
use crate::app::action::Action;
use crate::app::ui::field::{EditedField, Field};
use crate::app::ui::icons::Icon;
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets::{self, sentence};
use crate::block::values_of;
use crate::model::{Block, Change, Edit, Scope, Variant, chosen_variant, would_nest};

/// The width of the choice of a model, and of the button that removes a row.
const MODEL: f32 = 110.0;
const REMOVE: f32 = 32.0;

/// Draws the rows of the variants, and the button that adds one.
pub fn show_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    view: &InspectorView,
    block: &Arc<Block>,
    actions: &mut Vec<Action>,
) {
    // A text that cannot be read is reported as a diagnostic, and is not to be overwritten.
    let Ok(variants) = block.variants() else { return };
    if !variants.is_empty() {
        widgets::section_ui(ui, "Variants");
    }
    let chosen = chosen_variant(view.simulation, &variants).ok();
    for number in 0..variants.len() {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = SPACE / 2.0;
            row_ui(ui, editing, view, block, (&variants, number, chosen), actions);
        });
    }
    let free = view.simulation.models_in_order().into_iter().map(|model| &model.name).find(|name| {
        let is_listed = variants.iter().any(|variant| variant.model == **name) || block.kind.is_instance_of(name);
        !is_listed && !would_nest(view.simulation, name, &view.model.name)
    });
    let add = ui.add_enabled(free.is_some(), egui::Button::new("Add variant"));
    let add = add.on_hover_text("Let a condition choose the model of this block before each run");
    let add = add.on_disabled_hover_text("Add another model first, in the panel Models");
    if let (true, Some(name)) = (add.clicked(), free) {
        let mut new = variants.clone();
        if new.is_empty() {
            new.extend(block.models().into_iter().map(|model| Variant { model, condition: "".into() }));
        }
        // One behind a variant that always holds would never be chosen.
        let index = new.iter().position(|variant| variant.condition.is_empty()).unwrap_or(new.len());
        new.insert(index, Variant { model: Arc::clone(name), condition: "0".into() });
        actions.push(set(view, block, &new, &format!("Add variant {name} of {}", block.title())));
    }
}

/// Draws a row: the model, the condition, and the button that removes it.
fn row_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    view: &InspectorView,
    block: &Arc<Block>,
    (variants, number, chosen): (&[Variant], usize, Option<usize>),
    actions: &mut Vec<Action>,
) {
    let Some(Variant { model, condition }) = variants.get(number) else { return };
    let with = |changed: Variant| {
        let mut new = variants.to_vec();
        new[number] = changed;
        new
    };
    let shown = if chosen == Some(number) { format!("• {model}") } else { model.to_string() };
    let start = ui.cursor().left();
    widgets::choice_ui(ui, &format!("Model of variant {}", number + 1), &shown, MODEL, |ui| {
        for name in view.simulation.models_in_order().into_iter().map(|model| &model.name) {
            if would_nest(view.simulation, name, &view.model.name) {
                continue;
            }
            if ui.selectable_label(name == model, &**name).clicked() && name != model {
                let new = with(Variant { model: Arc::clone(name), condition: Arc::clone(condition) });
                actions.push(set(
                    view,
                    block,
                    &new,
                    &format!("Set variant {} of {} to {name}", number + 1, block.title()),
                ));
            }
        }
    });
    // The choice is as wide as its text; the fields stand below each other.
    ui.add_space((start + MODEL - ui.cursor().left()).max(0.0));
    let check = |text: &str| {
        let scope = Scope::of_simulation(view.simulation);
        let is_empty = text.trim().is_empty();
        if is_empty { None } else { values_of(text, &scope).err().map(|error| sentence(&error.to_string())) }
    };
    let (label, width) = (format!("Condition of variant {}", number + 1), ui.available_width() - REMOVE);
    let typed = Field::new(&label, condition).hint("always").width(width).text_ui(ui, editing, &check);
    if let Some(text) = typed {
        let new = with(Variant { model: Arc::clone(model), condition: text.trim().into() });
        actions.push(set(view, block, &new, &format!("Set condition of variant {model}")));
    }
    if widgets::icon_button_ui(ui, Icon::Close, &format!("Remove variant {}", number + 1)).clicked() {
        let mut new = variants.to_vec();
        new.remove(number);
        actions.push(set(view, block, &new, &format!("Remove variant {model} of {}", block.title())));
    }
}

fn set(view: &InspectorView, block: &Block, variants: &[Variant], label: &str) -> Action {
    let edit = Edit::SetBlockAttribute {
        model: Arc::clone(&view.model.name),
        id: block.id,
        name: Variant::ATTRIBUTE.into(),
        value: (!variants.is_empty()).then(|| Variant::list_text(variants).into()),
    };
    Action::Apply(Change::one(label, edit))
}
