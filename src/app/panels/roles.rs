//! The roles of entries and exits, which control when and how often their model runs.

use std::sync::Arc;

use eframe::egui::Ui;

use crate::app::action::Action;
use crate::app::doc::typed;
use crate::app::ui::field::{EditedField, Field};
use crate::app::ui::numbers::typed::Wanted;
use crate::app::ui::{form, widgets};
use crate::model::{Block, BlockKind, Change, Edit, Model, Role};

/// The roles of an entry, each with a description.
pub const ENTRY_ROLES: [(Role, &str); 8] = [
    (Role::Enable, "The model runs in steps where the value is above 0"),
    (Role::Trigger, "The model runs at an edge of the value"),
    (Role::Reset, "The model's states are reset at an edge of the value"),
    (Role::Call, "The value is the number of runs of the model per step"),
    (Role::For, "The value is the number of iterations of the model per step"),
    (Role::While, "The condition of the first iteration; an output with this role gives it for each next one"),
    (Role::Each, "The model runs once for each element of the vector, with separate states"),
    (Role::Index, "Not an input: the index of the iteration, or of the element with “each”, from 0"),
];

/// The values of an attribute with labels; the first is the default.
type Choices = &'static [(&'static str, &'static str)];

const EDGES: Choices =
    &[("rising", "Rising, from 0 or below"), ("falling", "Falling"), ("either", "Rising or falling")];
const STATES: Choices = &[("hold", "Hold states"), ("reset", "Reset states")];
const IDLE: Choices = &[("hold", "Hold the last value"), ("reset", "Reset to its initial value")];

/// The fields of an entry or exit.
pub fn show_ui(ui: &mut Ui, editing: &mut EditedField, model: &Arc<Model>, block: &Block, actions: &mut Vec<Action>) {
    widgets::section_ui(ui, "Conditions and loops");
    let role = Role::of(block);
    role_ui(ui, model, block, role, actions);
    match role {
        Some(Role::Trigger | Role::Reset) => {
            choice_ui(ui, model, block, ("edge", "Edge", "The direction of the crossing"), EDGES, actions);
        }
        Some(Role::Enable | Role::Call | Role::For | Role::While) => {
            let about = "What happens to the model's states when it is enabled again";
            choice_ui(ui, model, block, ("states", "States", about), STATES, actions);
        }
        _ => {}
    }
    if matches!(role, Some(Role::Call | Role::For | Role::While)) {
        limit_ui(ui, editing, model, block, actions);
    }
    if !is_entry(block) && role.is_none() {
        let about = "The output's value while its conditional model is disabled";
        choice_ui(ui, model, block, ("idle", "While disabled", about), IDLE, actions);
    }
}

fn is_entry(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Entry { .. })
}

fn role_ui(ui: &mut Ui, model: &Arc<Model>, block: &Block, role: Option<Role>, actions: &mut Vec<Action>) {
    let is_entry = is_entry(block);
    let shown = match (role, block.attributes.get("role")) {
        (Some(role), _) => title(role),
        (None, Some(unknown)) => unknown.to_owned(),
        (None, None) => "Signal".to_owned(),
    };
    let about = "How the value controls the instances of this model";
    form::row_ui(ui, "Role", about, |ui| {
        let width = form::text_width(ui);
        widgets::choice_ui(ui, "Role", &shown, width, |ui| {
            if ui.selectable_label(role.is_none(), "Signal").clicked() && block.attributes.get("role").is_some() {
                actions.push(set(model, block, "role", None, &format!("Remove the role of {}", block.title())));
            }
            for (known, about) in ENTRY_ROLES.into_iter().filter(|(known, _)| is_entry || *known == Role::While) {
                let about =
                    if is_entry { about } else { "The loop condition: iterations continue while this is above 0" };
                let label = ui.selectable_label(role == Some(known), title(known)).on_hover_text(about);
                if label.clicked() && role != Some(known) {
                    let label = format!("Make {} {}", block.title(), title(known).to_lowercase());
                    actions.push(set(model, block, "role", Some(known.name()), &label));
                }
            }
        });
    });
}

fn title(role: Role) -> String {
    crate::app::ui::widgets::sentence(role.name())
}

fn choice_ui(
    ui: &mut Ui,
    model: &Arc<Model>,
    block: &Block,
    (attribute, label, about): (&str, &str, &str),
    choices: Choices,
    actions: &mut Vec<Action>,
) {
    let current = block.attributes.get(attribute).or(choices.first().map(|(name, _)| *name)).unwrap_or_default();
    let shown = choices.iter().find(|(name, _)| *name == current).map_or(current, |(_, text)| text);
    form::row_ui(ui, label, about, |ui| {
        let width = form::text_width(ui);
        widgets::choice_ui(ui, label, shown, width, |ui| {
            for (number, (name, text)) in choices.iter().enumerate() {
                if ui.selectable_label(*name == current, *text).clicked() && *name != current {
                    let value = (number > 0).then_some(*name);
                    let change = format!("Set {} of {}", label.to_lowercase(), block.title());
                    actions.push(set(model, block, attribute, value, &change));
                }
            }
        });
    });
}

fn limit_ui(ui: &mut Ui, editing: &mut EditedField, model: &Arc<Model>, block: &Block, actions: &mut Vec<Action>) {
    let current = block.attributes.get("limit").unwrap_or_default();
    let check = |text: &str| match (text.trim(), typed::whole(text)) {
        ("", _) | (_, Some(_)) => None,
        _ => Some("A whole number of iterations".to_owned()),
    };
    let typed = form::row_ui(ui, "Limit", "Maximum iterations per step; exceeding it is an error", |ui| {
        let width = form::value_width(ui);
        Field::new("Limit", current).hint("1000").width(width).number(Wanted::Whole).text_ui(ui, editing, &check)
    });
    if let Some(text) = typed {
        let value = typed::whole(&text).map(|value| value.to_string());
        actions.push(set(model, block, "limit", value.as_deref(), &format!("Set limit of {}", block.title())));
    }
}

fn set(model: &Arc<Model>, block: &Block, name: &str, value: Option<&str>, label: &str) -> Action {
    let edit = Edit::SetBlockAttribute {
        model: Arc::clone(&model.name),
        id: block.id,
        name: name.into(),
        value: value.map(Arc::from),
    };
    Action::Apply(Change::one(label, edit))
}
