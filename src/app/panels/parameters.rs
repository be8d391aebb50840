//! The parameters of the selected block, and the changes of them and of those that several blocks have.

use std::sync::Arc;

use eframe::egui::{Rect, Ui, pos2};

use super::foreign::ForeignPanel;
use super::inspected::InspectorView;
use super::param::{self, Current, ParamEdit};
use super::row_menu::Offer;
use crate::app::action::{Action, DashboardAction, EditAction, FileAction, LabAction, SliderPlace};
use crate::app::doc::arguments::{Argument, arguments_of, lines_are_arguments, made_input};
use crate::app::doc::dashboard::ParamKey;
use crate::app::doc::ports;
use crate::app::store::run::TakesEffect;
use crate::app::ui::control;
use crate::app::ui::field::EditedField;
use crate::app::ui::form;
use crate::app::ui::widgets;
use crate::block::{ARGUMENT_LINES, BlockDef, ForeignUse, ParamDef, ParamKind};
use crate::model::{Block, BlockId, Change, Edit, Variable, definition_of, param_texts};

/// Draws the parameters of one block.
pub fn show_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    view: &InspectorView,
    (block, def): (&Arc<Block>, &'static BlockDef),
    actions: &mut Vec<Action>,
) {
    widgets::noted_section_ui(ui, "Parameters", acts_note(view, block.id, def));
    let foreign = ForeignPanel::of(view, block, def);
    let arguments = arguments_of(block, def);
    // Lines that are rows already need no row of their own.
    let is_hidden = |param: &ParamDef| {
        param.is_argument
            || def.code().is_some() && param.name == ARGUMENT_LINES && lines_are_arguments(block, &arguments)
    };
    for param in def.params.iter().filter(|param| !is_hidden(param)) {
        param_row_ui(ui, editing, view, (block, def, param), foreign.as_ref(), actions);
        if def.code().is_none_or(|(code, _)| code != param.name) {
            continue;
        }
        for argument in &arguments {
            match argument {
                Argument::Parameter(param) => {
                    param_row_ui(ui, editing, view, (block, def, param), None, actions);
                }
                Argument::Input(name) => super::arguments::input_ui(ui, editing, view, (block, name), actions),
            }
        }
    }
}

/// Draws a parameter, and the buttons that belong to it.
fn param_row_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    view: &InspectorView,
    (block, def, param): (&Arc<Block>, &'static BlockDef, &'static ParamDef),
    foreign: Option<&ForeignPanel>,
    actions: &mut Vec<Action>,
) {
    if let Some(foreign) = foreign.filter(|foreign| foreign.replaces(param.name)) {
        foreign.rows_ui(ui, editing, param.name, actions);
        return;
    }
    let top = ui.cursor().top();
    let current = Current::Same(param_texts(block, param));
    let new = view.in_scope(|scope| param::param_ui(ui, editing, def, param, &current, (scope, &Offer::ALL)));
    let row = Rect::from_min_max(pos2(ui.max_rect().left(), top), pos2(ui.max_rect().right(), ui.cursor().top()));
    control::mark(ui.ctx(), param.name, row);
    match new {
        Some(ParamEdit::Default) if param.is_argument => {
            actions.push(Action::Apply(made_input(view.model, block, param)));
        }
        new => set(view, &[block], param, new, actions),
    }
    let model = || Arc::clone(&view.model.name);
    let is_file = matches!(param.kind, ParamKind::File { .. });
    let hint = "A file in the simulation's folder is stored without its folder";
    if is_file && button_ui(ui, "Choose file…", hint) {
        actions.push(Action::File(FileAction::ChooseFile { model: model(), block: block.id, param }));
    }
    let hint = "Rows and columns, to and from a spreadsheet";
    if param.table.is_some() && button_ui(ui, "Edit as table…", hint) {
        actions.push(Action::Edit(EditAction::EditTable { model: model(), block: block.id, param }));
    }
    if let Some(foreign) = foreign.filter(|_| param.name == ForeignUse::OUTPUTS) {
        foreign.ports_ui(ui, actions);
    }
    if def.names_inputs() && *param == ParamDef::ELEMENT_NAMES {
        let change = ports::named_after_signals(view.simulation, view.registry, view.model, block, def);
        let hint = "Name each input after its wire, or the block that it comes from";
        if change.is_some() && button_ui(ui, "Name after signals", hint) {
            actions.extend(change.map(Action::Apply));
        }
    }
    if view.acts.is_some_and(|acts| acts(block.id, param.name) == TakesEffect::NextRun) {
        form::badge_ui(ui, top, param.name, "Takes effect on the next run");
    }
}

/// Returns when new values take effect, if not shown per parameter: a short text, and a sentence.
fn acts_note(view: &InspectorView, block: BlockId, def: &BlockDef) -> Option<(&'static str, &'static str)> {
    let acts = view.acts?;
    let all: Vec<TakesEffect> = def.params.iter().map(|param| acts(block, param.name)).collect();
    if all.contains(&TakesEffect::InBranch) {
        Some(("in a branch from here", "An earlier step is shown: values take effect in a branch from here"))
    } else if all.contains(&TakesEffect::NextStep) {
        Some(("from the next step on", "Values take effect in the next step"))
    } else {
        None
    }
}

/// Returns whether two parameters of one name can be set together.
pub(super) fn is_alike(one: &ParamDef, other: &ParamDef) -> bool {
    use crate::block::ParamKind::{Choice, Flag, Formula, Integer, Number, Text};
    match (one.kind, other.kind) {
        (Number { vector, .. }, Number { vector: other, .. }) => vector == other,
        (Choice { of, .. }, Choice { of: other, .. }) => of == other,
        (Integer { .. }, Integer { .. }) | (Flag { .. }, Flag { .. }) | (Text { .. }, Text { .. }) => true,
        (Formula { .. }, Formula { .. }) => true,
        _ => false,
    }
}

/// Draws a button below a parameter; returns whether it was clicked.
fn button_ui(ui: &mut Ui, text: &str, hint: &str) -> bool {
    form::row_ui(ui, "", "", |ui| ui.button(text).on_hover_text(hint).clicked())
}

/// Adds the change that sets a parameter in all `blocks`.
pub(super) fn set(
    view: &InspectorView,
    blocks: &[&Arc<Block>],
    param: &ParamDef,
    new: Option<ParamEdit>,
    actions: &mut Vec<Action>,
) {
    let values = match new {
        None => return,
        Some(ParamEdit::Number(value)) => {
            actions.extend(blocks.iter().map(|block| {
                Action::Dashboard(DashboardAction::Turn {
                    param: ParamKey::new(view.path, block.id, param.name),
                    value,
                })
            }));
            return;
        }
        Some(ParamEdit::Offer(offer, value)) => {
            actions.extend(blocks.first().map(|block| offered(view, block.id, param.name, (offer, value))));
            return;
        }
        Some(ParamEdit::NewVariable(name)) => return actions.extend(new_variable(view, &name)),
        Some(ParamEdit::Texts(texts)) => Some(texts),
        Some(ParamEdit::Default) => None,
    };
    let edits = blocks.iter().flat_map(|block| {
        // Of several blocks, a wire from one to another would be moved twice.
        let def = definition_of(view.registry, block).filter(|_| blocks.len() == 1);
        let moved = def.map(|def| {
            let texts = values.clone().unwrap_or_else(|| param.default_texts());
            ports::renamed(view.simulation, view.model, block, def, (param.name, &texts))
        });
        let (model, id) = (Arc::clone(&view.model.name), block.id);
        let set = Edit::SetOption { model, id, name: param.name.into(), values: values.clone() };
        std::iter::once(set).chain(moved.unwrap_or_default())
    });
    let what = match blocks {
        [block] => format!("{} {}", block.title(), block.id),
        _ => format!("{} blocks", blocks.len()),
    };
    let verb = if values.is_some() { "Set" } else { "Reset" };
    actions.push(Action::Apply(Change::new(format!("{verb} {} of {what}", param.name), edits.collect())));
}

/// Returns the action of an entry in the menu of a parameter's row.
fn offered(view: &InspectorView, block: BlockId, name: &str, (offer, value): (Offer, f64)) -> Action {
    let param = ParamKey::new(view.path, block, name);
    let slider = |place| Action::Dashboard(DashboardAction::AddSlider { param: param.clone(), place });
    match offer {
        Offer::SliderOnDiagram => slider(SliderPlace::Diagram),
        Offer::SliderOnDashboard => slider(SliderPlace::Dashboard),
        Offer::Sensitivity => Action::Lab(LabAction::PlotSensitivity(param.of)),
        Offer::Sweep => Action::Lab(LabAction::Vary { path: param.of.text(view.simulation), value }),
    }
}

/// Returns the change that creates a variable that a parameter already names.
fn new_variable(view: &InspectorView, name: &str) -> [Action; 2] {
    let (model, value) = (Arc::clone(&view.model.name), "1");
    let said = format!("{name} is {value} in {model}; set it among the model's variables");
    let edit = Edit::SetVariable { model: Some(model), name: name.into(), variable: Some(Variable::new(value)) };
    [Action::Apply(Change::one(format!("Create variable {name}"), edit)), Action::Say(said)]
}
