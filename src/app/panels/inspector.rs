//! What is selected, and what can be set about it; with nothing selected, the simulation.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::{self, Rect, RichText, ScrollArea, Sense, Ui, vec2};

use super::param::{self, Current, Editing};
use super::variables;
use crate::app::icons::Icon;
use crate::app::numbers;
use crate::app::picture;
use crate::app::state::Action;
use crate::app::style;
use crate::app::theme::{SPACE, TEXT, TEXT_SMALL, TEXT_TITLE};
use crate::app::widgets::{self, theme_of};
use crate::block::{BlockDef, ParamDef, Registry, expression};
use crate::engine::Solver;
use crate::model::{
    Block, BlockId, BlockKind, Change, Diagnostic, Edit, InputKey, Model, Scope, Severity, Simulation, block_ports,
};

#[derive(Default)]
pub struct State {
    editing: Editing,
    /// What was shown, so that a text half typed for one block never lands in another.
    shown: Option<(Arc<str>, Vec<BlockId>)>,
}

impl State {
    pub fn forget(&mut self) {
        self.editing.forget();
        self.shown = None;
    }
}

/// What the inspector looks at.
pub struct View<'a> {
    pub simulation: &'a Simulation,
    pub registry: &'a Registry,
    pub model: &'a Arc<Model>,
    pub selection: &'a BTreeSet<BlockId>,
    pub diagnostics: &'a [Diagnostic],
    /// A run is on whose parameters are those of its start.
    pub is_running: bool,
}

pub fn show_ui(ui: &mut Ui, state: &mut State, view: &View) -> Vec<Action> {
    let blocks: Vec<&Arc<Block>> = view.selection.iter().filter_map(|id| view.model.block(*id)).collect();
    let shown = (Arc::clone(&view.model.name), blocks.iter().map(|block| block.id).collect());
    if state.shown.as_ref() != Some(&shown) {
        state.editing.forget();
        state.shown = Some(shown);
    }
    let mut actions = Vec::new();
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        widgets::panel_frame().show(ui, |ui| {
            // Fields of one selection are not those of another.
            ui.push_id((&view.model.name, view.selection), |ui| match &blocks[..] {
                [] => simulation_ui(ui, &mut state.editing, view, &mut actions),
                [block] => block_ui(ui, &mut state.editing, view, block, &mut actions),
                several => several_ui(ui, &mut state.editing, view, several, &mut actions),
            });
        });
    });
    actions
}

/// Room for a unit behind a field.
const UNIT: f32 = 20.0;

fn simulation_ui(ui: &mut Ui, editing: &mut Editing, view: &View, actions: &mut Vec<Action>) {
    let simulation = view.simulation;
    head_ui(ui, "Simulation", "Steps and solver of the root model", None);
    let steps = simulation.steps.to_string();
    let check_steps = |text: &str| match text.trim().replace([',', ' '], "").parse::<u64>() {
        Ok(_) => None,
        Err(_) => Some("A whole number, 0 for until stopped".to_owned()),
    };
    let typed = param::row_ui(ui, "Steps", "How many steps a run takes; 0: until stopped", |ui| {
        let width = ui.available_width() - UNIT;
        param::field_ui(ui, editing, "Steps", &steps, "", width, &check_steps)
    });
    if let Some(Ok(steps)) = typed.map(|text| text.trim().replace([',', ' '], "").parse()) {
        actions.push(Action::Apply(Change::one(format!("Set steps to {steps}"), Edit::SetSteps(steps))));
    }
    let delta = simulation.delta.to_string();
    let check_delta = |text: &str| match text.trim().parse::<f64>() {
        Ok(delta) if delta.is_finite() && delta > 0.0 => None,
        _ => Some("A number of seconds above 0".to_owned()),
    };
    let typed = param::row_ui(ui, "Step length", "Seconds a step", |ui| {
        let width = ui.available_width() - UNIT;
        let typed = param::field_ui(ui, editing, "Step length", &delta, "", width, &check_delta);
        ui.label(widgets::weak(ui, "s"));
        typed
    });
    if let Some(Ok(delta)) = typed.map(|text| text.trim().parse()) {
        actions.push(Action::Apply(Change::one(format!("Set step length to {delta} s"), Edit::SetDelta(delta))));
    }
    param::row_ui(ui, "Total time", "Steps times step length", |ui| {
        ui.label(match simulation.steps {
            0 => "until stopped".to_owned(),
            steps => numbers::seconds(steps as f64 * simulation.delta),
        });
    });
    solver_ui(ui, view, actions);
    root_ui(ui, view, actions);
    variables::variables_ui(ui, editing, simulation, None, actions);
    variables::variables_ui(ui, editing, simulation, Some(view.model), actions);
    widgets::section_ui(ui, "Open model");
    let count = view.model.blocks.len();
    let wires = view.model.connections.len();
    ui.label(format!("{}: {count} blocks, {wires} wires", view.model.name));
    ui.add_space(2.0 * SPACE);
    ui.label(widgets::weak(ui, "Select a block to see and set its parameters"));
}

fn solver_ui(ui: &mut Ui, view: &View, actions: &mut Vec<Action>) {
    let solver = view.simulation.solver();
    let known = Solver::ALL.iter().find(|known| known.name() == solver);
    let label = known.map_or(solver, |known| known.doc().split(',').next().unwrap_or(solver));
    param::row_ui(ui, "Solver", "How continuous states are integrated", |ui| {
        let width = ui.available_width() - UNIT;
        widgets::choice_ui(ui, "Solver", label, width, |ui| {
            for known in Solver::ALL {
                let (name, label) = (known.name(), known.doc());
                if ui.selectable_label(name == solver, label).clicked() && name != solver {
                    let edit = Edit::SetSimulationAttribute { name: "solver".into(), value: Some(name.into()) };
                    actions.push(Action::Apply(Change::one(format!("Set solver to {label}"), edit)));
                }
            }
        });
    });
}

fn root_ui(ui: &mut Ui, view: &View, actions: &mut Vec<Action>) {
    let simulation = view.simulation;
    param::row_ui(ui, "Root model", "The model that runs", |ui| {
        let width = ui.available_width() - UNIT;
        widgets::choice_ui(ui, "Root model", &simulation.root, width, |ui| {
            for model in simulation.models_in_order() {
                if ui.selectable_label(model.name == simulation.root, &*model.name).clicked() {
                    let edit = Edit::SetRoot(Arc::clone(&model.name));
                    actions.push(Action::Apply(Change::one(format!("Make {} the root", model.name), edit)));
                }
            }
        });
    });
}

fn block_ui(ui: &mut Ui, editing: &mut Editing, view: &View, block: &Arc<Block>, actions: &mut Vec<Action>) {
    diagnostics_ui(ui, view, block.id);
    let def = def_of(view.registry, &block.kind);
    let title = format!("{} {}", block.title(), block.id);
    let kind = match &block.kind {
        BlockKind::Entry { .. } => "Entry".to_owned(),
        BlockKind::Exit { .. } => "Exit".to_owned(),
        BlockKind::Model { model } => format!("Use of the model {model}"),
        BlockKind::Library { group, name } => format!("{group} / {name}"),
    };
    head_ui(ui, &title, &kind, Some((&block.kind, view.registry)));
    if let Some(def) = def {
        ui.label(def.doc);
        if !def.formula.is_empty() {
            formula_ui(ui, def.formula);
        }
    }
    match &block.kind {
        BlockKind::Entry { name } => {
            port_name_ui(ui, editing, view, block, name, actions);
            initial_value_ui(ui, editing, view, block, actions);
            pair_note_ui(
                ui,
                view.model.exits().any(|(_, known)| known == name),
                "An exit of this name gives its value back at the end of each step",
            );
        }
        BlockKind::Exit { name } => {
            port_name_ui(ui, editing, view, block, name, actions);
            pair_note_ui(
                ui,
                view.model.entries().any(|(_, known)| known == name),
                "An entry of this name takes its value over at the end of each step",
            );
        }
        BlockKind::Model { model } => {
            ui.add_space(SPACE);
            if ui.add_enabled(view.simulation.model(model).is_some(), egui::Button::new("Open model")).clicked() {
                actions.push(Action::OpenModel { model: Arc::clone(model), block: None });
            }
            if let Some(inner) = view.simulation.model(model) {
                variables::use_ui(ui, editing, (view.simulation, view.model, inner), block, actions);
            }
            label_ui(ui, editing, view, &[block], actions);
        }
        BlockKind::Library { .. } => {
            if let Some(def) = def
                && !def.params.is_empty()
            {
                widgets::section_ui(ui, "Parameters");
                let scope = Scope::of_model(view.simulation, view.model);
                for param in def.params {
                    let current = Current::Same(texts_of(block, param));
                    let new = param::param_ui(ui, editing, def, param, &current, &scope);
                    set(view, &[block], param, new, actions);
                }
                if view.is_running {
                    ui.label(widgets::weak(ui, "A change acts from the next run on"));
                }
            }
            widgets::section_ui(ui, "Appearance");
            label_ui(ui, editing, view, &[block], actions);
        }
    }
    ports_ui(ui, view, block, actions);
}

fn several_ui(ui: &mut Ui, editing: &mut Editing, view: &View, blocks: &[&Arc<Block>], actions: &mut Vec<Action>) {
    let kinds: BTreeSet<(&str, &str)> = blocks
        .iter()
        .map(|block| match &block.kind {
            BlockKind::Library { group, name } => (&**group, &**name),
            BlockKind::Model { model } => ("Model", &**model),
            BlockKind::Entry { .. } => ("Ports", "Entry"),
            BlockKind::Exit { .. } => ("Ports", "Exit"),
        })
        .collect();
    let about = kinds.iter().take(5).map(|(group, name)| format!("{group} / {name}")).collect::<Vec<_>>().join(", ");
    head_ui(ui, &format!("{} blocks", blocks.len()), &about, None);
    let Some(def) = blocks.first().and_then(|block| def_of(view.registry, &block.kind)) else { return };
    if kinds.len() != 1 {
        ui.label(widgets::weak(ui, "Blocks of one kind can be set together"));
        return;
    }
    widgets::section_ui(ui, "Parameters of all of them");
    let scope = Scope::of_model(view.simulation, view.model);
    for param in def.params {
        let Some(first) = blocks.first().map(|block| texts_of(block, param)) else { return };
        let is_same = |block: &&Arc<Block>| match block.option(param.name) {
            Some(option) => option.texts().eq(first.iter().map(String::as_str)),
            None => first == param.default_texts(),
        };
        let current = if blocks.iter().all(is_same) { Current::Same(first) } else { Current::Mixed };
        let new = param::param_ui(ui, editing, def, param, &current, &scope);
        set(view, blocks, param, new, actions);
    }
}

/// The change that sets a parameter in all `blocks`.
fn set(
    view: &View,
    blocks: &[&Arc<Block>],
    param: &ParamDef,
    new: Option<Option<Vec<String>>>,
    actions: &mut Vec<Action>,
) {
    let Some(values) = new else { return };
    let edits = blocks.iter().map(|block| Edit::SetOption {
        model: Arc::clone(&view.model.name),
        id: block.id,
        name: param.name.into(),
        values: values.clone(),
    });
    let what = match blocks {
        [block] => format!("{} {}", block.title(), block.id),
        _ => format!("{} blocks", blocks.len()),
    };
    let verb = if values.is_some() { "Set" } else { "Reset" };
    actions.push(Action::Apply(Change::new(format!("{verb} {} of {what}", param.name), edits.collect())));
}

fn texts_of(block: &Block, param: &ParamDef) -> Vec<String> {
    let texts = block.option_texts(param.name).map(|texts| texts.into_iter().map(str::to_owned).collect());
    texts.unwrap_or_else(|| param.default_texts())
}

fn def_of(registry: &Registry, kind: &BlockKind) -> Option<&'static BlockDef> {
    match kind {
        BlockKind::Library { group, name } => registry.get(group, name),
        _ => None,
    }
}

fn port_name_ui(
    ui: &mut Ui,
    editing: &mut Editing,
    view: &View,
    block: &Block,
    name: &Arc<str>,
    actions: &mut Vec<Action>,
) {
    let is_exit = matches!(block.kind, BlockKind::Exit { .. });
    let check = |text: &str| match text.trim() {
        "" => Some("A name is missing".to_owned()),
        wanted if is_exit && view.model.exits().any(|(known, name)| known.id != block.id && &**name == wanted) => {
            Some("Another exit has this name".to_owned())
        }
        _ => None,
    };
    ui.add_space(SPACE);
    let typed = param::row_ui(ui, "Name", "How the port is called in uses of this model", |ui| {
        let width = ui.available_width();
        param::field_ui(ui, editing, "Name", name, "", width, &check)
    });
    if let Some(text) = typed {
        let to: Arc<str> = text.trim().into();
        let edit = Edit::RenamePort { model: Arc::clone(&view.model.name), id: block.id, name: Arc::clone(&to) };
        actions.push(Action::Apply(Change::one(format!("Rename {name} to {to}"), edit)));
    }
}

fn initial_value_ui(ui: &mut Ui, editing: &mut Editing, view: &View, block: &Block, actions: &mut Vec<Action>) {
    let current = block.option_texts(Block::INITIAL_VALUE).unwrap_or_default().join(" ");
    let scope = Scope::of_model(view.simulation, view.model);
    let check = |text: &str| {
        let parts = numbers::split(text);
        parts.iter().find_map(|part| expression::numbers(part, &scope).err()).map(|error| sentence(&error.to_string()))
    };
    let typed = param::row_ui(ui, "Initial value", "Before the first step; several values make a vector", |ui| {
        let width = ui.available_width();
        param::field_ui(ui, editing, Block::INITIAL_VALUE, &current, "not set", width, &check)
    });
    if let Some(text) = typed {
        let values = Some(numbers::split(&text)).filter(|values| !values.is_empty());
        let edit = Edit::SetOption {
            model: Arc::clone(&view.model.name),
            id: block.id,
            name: Block::INITIAL_VALUE.into(),
            values,
        };
        actions.push(Action::Apply(Change::one(format!("Set initial value of {}", block.title()), edit)));
    }
}

fn pair_note_ui(ui: &mut Ui, is_paired: bool, text: &str) {
    if is_paired {
        ui.add_space(SPACE);
        ui.label(widgets::weak(ui, text));
    }
}

fn label_ui(ui: &mut Ui, editing: &mut Editing, view: &View, blocks: &[&Arc<Block>], actions: &mut Vec<Action>) {
    let [block] = blocks else { return };
    let current = block.attributes.get("label").unwrap_or_default();
    let typed = param::row_ui(ui, "Label", "The block's own name in the diagram", |ui| {
        let width = ui.available_width();
        param::field_ui(ui, editing, "Label", current, "none", width, &|_| None)
    });
    if let Some(text) = typed {
        let value = Some(text.trim()).filter(|text| !text.is_empty()).map(Arc::from);
        let edit =
            Edit::SetBlockAttribute { model: Arc::clone(&view.model.name), id: block.id, name: "label".into(), value };
        actions.push(Action::Apply(Change::one(format!("Label {} {}", block.title(), block.id), edit)));
    }
}

fn ports_ui(ui: &mut Ui, view: &View, block: &Block, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    let ports = block_ports(view.simulation, view.registry, view.model, block);
    if ports.inputs.is_empty() && ports.outputs.is_empty() {
        return;
    }
    widgets::section_ui(ui, "Ports");
    let title = |id: BlockId| view.model.block(id).map_or_else(|| id.to_string(), |b| format!("{} {id}", b.title()));
    let mut line = |ui: &mut Ui, name: &str, state: &str, is_open: bool, to: Option<BlockId>| {
        let response = widgets::row_ui(ui, &format!("{name}, {state}"), 22.0, false, |ui, rect| {
            let dot = egui::pos2(rect.left() + 8.0, rect.center().y);
            let color = if is_open { theme.warning } else { theme.success };
            ui.painter().circle_filled(dot, 3.0, color);
            let mut room = Rect::from_min_max(rect.left_top() + vec2(20.0, 0.0), rect.right_bottom());
            room.min.x += widgets::text_in(ui, room, name, style::plain(TEXT_SMALL + 0.5), theme.text) + 8.0;
            widgets::text_in(ui, room, state, style::plain(TEXT_SMALL), theme.text_weak);
        });
        if let (true, Some(id)) = (response.clicked(), to) {
            actions.push(Action::OpenModel { model: Arc::clone(&view.model.name), block: Some(id) });
        }
    };
    for input in &ports.inputs {
        let source = view.model.connections.get(&InputKey { block: block.id, input: Arc::clone(input) });
        match source {
            Some(wire) => {
                let state = format!("from {}.{}", title(wire.from), wire.output);
                line(ui, input, &state, false, Some(wire.from));
            }
            None => line(ui, input, "input, not connected", true, None),
        }
    }
    for output in &ports.outputs {
        let mut goals = view.model.connections.values().filter(|c| c.from == block.id && c.output == *output);
        let (first, more) = (goals.next(), goals.count());
        match (first, more) {
            (Some(wire), 0) => {
                line(ui, output, &format!("to {}.{}", title(wire.to), wire.input), false, Some(wire.to));
            }
            (Some(wire), more) => {
                line(ui, output, &format!("to {} and {more} more", title(wire.to)), false, Some(wire.to));
            }
            (None, _) => line(ui, output, "output, not connected", true, None),
        }
    }
}

fn diagnostics_ui(ui: &mut Ui, view: &View, id: BlockId) {
    let theme = theme_of(ui.ctx());
    let here =
        |found: &&Diagnostic| found.place.model.as_ref() == Some(&view.model.name) && found.place.block == Some(id);
    for found in view.diagnostics.iter().filter(here) {
        let (icon, color) = match found.severity {
            Severity::Error => (Icon::Error, theme.error),
            Severity::Warning => (Icon::Warning, theme.warning),
        };
        let frame = egui::Frame::new()
            .fill(style::mix(theme.panel, color, 0.10))
            .stroke(egui::Stroke::new(1.0, style::mix(theme.panel, color, 0.4)))
            .corner_radius(6)
            .inner_margin(8);
        frame.show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.horizontal_top(|ui| {
                let (rect, _) = ui.allocate_exact_size(vec2(15.0, 16.0), Sense::hover());
                icon.paint(ui.painter(), rect, color);
                ui.vertical(|ui| {
                    ui.label(RichText::new(sentence(&found.message)).size(TEXT_SMALL + 1.0));
                    if !found.help.is_empty() {
                        ui.label(widgets::weak(ui, sentence(&found.help)));
                    }
                });
            });
        });
        ui.add_space(SPACE);
    }
}

/// Messages begin small, as they also stand within lines of the command's output.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn head_ui(ui: &mut Ui, title: &str, about: &str, picture: Option<(&BlockKind, &Registry)>) {
    let theme = theme_of(ui.ctx());
    ui.horizontal(|ui| {
        if let Some((kind, registry)) = picture {
            let (rect, _) = ui.allocate_exact_size(vec2(44.0, 32.0), Sense::hover());
            picture::paint_kind(ui.painter(), rect, kind, registry, theme);
        }
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            ui.label(RichText::new(title).font(style::strong(TEXT_TITLE - 0.5)));
            ui.label(widgets::weak(ui, about));
        });
    });
    ui.add_space(SPACE);
}

fn formula_ui(ui: &mut Ui, formula: &str) {
    let theme = theme_of(ui.ctx());
    egui::Frame::new()
        .fill(style::mix(theme.panel, theme.text, 0.05))
        .corner_radius(5)
        .inner_margin(vec2(8.0, 5.0))
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.label(RichText::new(formula).size(TEXT));
        });
}
