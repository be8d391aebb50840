//! The properties of the selection; without a selection, those of the simulation.

use std::sync::Arc;

use eframe::egui::{self, Color32, RichText, ScrollArea, Sense, Ui, vec2};

use super::foreign::ForeignPanel;
use super::inspected::{InspectorView, formula_ui, head_ui};
use super::parameters;
use super::several::Several;
use super::{imported, model_icon, now, ports, remote, roles, simulation, variables, variants};
use crate::app::action::command::{Command, RunCommand};
use crate::app::action::{Action, ViewAction};
use crate::app::doc::plots::{CURVE, can_show_curve, shows_curve, value_to_hide, value_to_show};
use crate::app::doc::typed;
use crate::app::ui::field::{EditedField, Field, Invalid};
use crate::app::ui::icons::Icon;
use crate::app::ui::numbers::typed::Wanted;
use crate::app::ui::theme::{SPACE, TEXT_SMALL, Theme};
use crate::app::ui::widgets::{self, sentence, theme_of};
use crate::app::ui::{form, style};
use crate::block::library::group_title;
use crate::block::{BlockDef, values_of};
use crate::engine::Solver;
use crate::model::imported::origin_of;
use crate::model::{
    Block, BlockId, BlockKind, Change, Diagnostic, Edit, Scope, Severity, Variables, definition_of, has_crossings,
    is_reset_when_idle, locates_crossings, parsed_seeds, settings_of,
};
use crate::tuning::PidBlock;

#[derive(Default)]
pub struct InspectorState {
    editing: EditedField,
    /// The shown selection, so that text typed for one block never goes to another.
    shown: Option<(Arc<str>, Vec<BlockId>)>,
    /// What several selected blocks have in common.
    several: Option<Several>,
    /// Whether the formula is shown.
    is_formula_open: bool,
    /// Whether a block tells solvers of variable step of crossings.
    crossings: Option<(Arc<Block>, bool)>,
}

pub fn show_ui(ui: &mut Ui, state: &mut InspectorState, view: &InspectorView) -> Vec<Action> {
    let known = state.several.take();
    let several = (view.selection.len() > 1).then(|| Several::of(view, known));
    let alone = view.selection.first().filter(|_| several.is_none()).and_then(|id| view.model.block(*id));
    let blocks =
        several.as_ref().map_or(alone.map(std::slice::from_ref).unwrap_or_default(), |several| &several.blocks);
    let is_same = |(model, ids): &(Arc<str>, Vec<BlockId>)| {
        *model == view.model.name
            && ids.len() == blocks.len()
            && blocks.iter().map(|block| block.id).eq(ids.iter().copied())
    };
    if !state.shown.as_ref().is_some_and(is_same) {
        state.editing.forget();
        state.shown = Some((Arc::clone(&view.model.name), blocks.iter().map(|block| block.id).collect()));
    }
    let mut actions = Vec::new();
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        widgets::panel_frame().show(ui, |ui| {
            let content = |ui: &mut Ui| match (blocks, &several) {
                ([], _) => simulation::show_ui(ui, &mut state.editing, view, &mut actions),
                ([block], _) => block_ui(ui, state, view, block, &mut actions),
                (_, Some(several)) => several.show_ui(ui, &mut state.editing, view, &mut actions),
                (_, None) => {}
            };
            // Ids differ per selection.
            let id = (&view.model.name, view.selection);
            ui.push_id(id, |ui| form::columns_ui(ui, &units_of(view, blocks, several.as_ref()), content));
        });
    });
    state.several = several;
    actions
}

/// Returns the units of all rows.
fn units_of(view: &InspectorView, blocks: &[Arc<Block>], several: Option<&Several>) -> Vec<String> {
    let variables = |variables: &Variables| variables.values().map(|variable| variable.unit().to_owned()).collect();
    let mut units: Vec<String> = Vec::new();
    match (blocks, several) {
        ([], _) => {
            units.push("s".to_owned());
            units.extend::<Vec<_>>(variables(&view.simulation.variables));
            units.extend::<Vec<_>>(variables(&view.model.variables));
        }
        ([block], _) => {
            if let BlockKind::Model { model } = &block.kind {
                units.extend(view.simulation.model(model).into_iter().flat_map(|model| variables(&model.variables)));
            }
            if let Some(def) = definition_of(view.registry, block) {
                units.extend(def.params.iter().map(|param| param.unit.to_owned()));
                let foreign = ForeignPanel::of(view, block, def);
                units.extend(foreign.iter().flat_map(ForeignPanel::units).map(str::to_owned));
            }
        }
        (_, several) => units.extend(several.into_iter().flat_map(Several::units).map(str::to_owned)),
    }
    units
}

fn block_ui(
    ui: &mut Ui,
    state: &mut InspectorState,
    view: &InspectorView,
    block: &Arc<Block>,
    actions: &mut Vec<Action>,
) {
    let def = definition_of(view.registry, block);
    let is_located = def.is_some_and(|def| state.is_located(view, block, def));
    let title = view.derived.model(&view.model.name).and_then(|facts| facts.title_of(block.id));
    let title = title.unwrap_or_default();
    let kind = match &block.kind {
        BlockKind::Entry { .. } => "Input".to_owned(),
        BlockKind::Exit { .. } => "Output".to_owned(),
        BlockKind::Model { model } => format!("Instance of “{model}”"),
        BlockKind::Library { group, .. } => format!("{} / {}", group_title(group), block.kind.title()),
    };
    let head = ui.horizontal_top(|ui| {
        let room = ui.available_width() - 36.0;
        ui.vertical(|ui| {
            ui.set_width(room);
            head_ui(ui, &title, &kind, Some((block, view.registry)));
        });
        let verb = if state.is_formula_open { "Hide" } else { "Show" };
        let tint = state.is_formula_open.then_some(theme_of(ui.ctx()).accent);
        let about = widgets::tinted_icon_button_ui(ui, Icon::Info, "About this block", true, tint);
        if about.on_hover_text(format!("{verb} formula and help")).clicked() {
            state.is_formula_open = !state.is_formula_open;
        }
    });
    diagnostic_badge_ui(ui, head.response.rect, view, block.id);
    if let Some(def) = def {
        ui.label(widgets::weak(ui, sentence(def.doc)));
        if state.is_formula_open && !def.formula.is_empty() {
            formula_ui(ui, def.formula);
        }
    }
    if state.is_formula_open
        && ui.link("Help on this block").on_hover_text("Ports, parameters, examples (F1)").clicked()
    {
        actions.push(Action::View(ViewAction::Help(block.kind.clone())));
    }
    let editing = &mut state.editing;
    match &block.kind {
        BlockKind::Entry { name } => {
            port_name_ui(ui, editing, view, block, name, actions);
            initial_value_ui(ui, editing, view, block, actions);
            if view.model.exits().any(|(_, known)| known == name) {
                pair_note_ui(ui, "Takes the value of the output of the same name at the end of each step");
            }
            roles::show_ui(ui, editing, view.model, block, actions);
        }
        BlockKind::Exit { name } => {
            port_name_ui(ui, editing, view, block, name, actions);
            if is_reset_when_idle(block) {
                initial_value_ui(ui, editing, view, block, actions);
            }
            if view.model.entries().any(|(_, known)| known == name) {
                pair_note_ui(ui, "Sets the value of the input of the same name at the end of each step");
            }
            roles::show_ui(ui, editing, view.model, block, actions);
        }
        BlockKind::Model { model } => {
            ui.add_space(SPACE);
            if ui.add_enabled(view.simulation.model(model).is_some(), egui::Button::new("Open model")).clicked() {
                actions.push(Action::View(ViewAction::OpenModel { model: Arc::clone(model), block: None }));
            }
            if let Some(inner) = view.simulation.model(model) {
                view.in_scope(|scope| {
                    variables::use_ui(
                        ui,
                        editing,
                        (view.simulation, view.model, inner, scope),
                        (view.path, block),
                        actions,
                    );
                });
            }
            seed_ui(ui, editing, view, (block, model), actions);
            variants::show_ui(ui, editing, view, block, actions);
            widgets::section_ui(ui, "Appearance");
            label_ui(ui, editing, view, &[block], actions);
            if let Some(inner) = view.simulation.model(model) {
                model_icon::show_ui(ui, editing, view.registry, inner, actions);
            }
        }
        BlockKind::Library { .. } => {
            if let Some(def) = def.filter(|def| !def.params.is_empty()) {
                parameters::show_ui(ui, editing, view, (block, def), actions);
            }
            if def.is_some_and(PidBlock::is_kind) {
                tune_ui(ui, actions);
            }
            if is_located {
                crossings_ui(ui, view, block, actions);
            }
            widgets::section_ui(ui, "Appearance");
            label_ui(ui, editing, view, &[block], actions);
        }
    }
    let outputs = crate::model::block_ports(view.simulation, view.registry, view.model, block).outputs;
    ports::show_ui(ui, view, block, def, actions);
    imported::show_ui(ui, view.model, block, origin_of(view.simulation));
    // Last: these appear and vanish with checks and runs, and must not move other rows.
    diagnostics_ui(ui, view, block.id);
    remote::show_ui(ui, view, block);
    now::show_ui(ui, editing, view.run, (view.path, block.id), &outputs, actions);
}

/// Draws the button that tunes the gains of a PID block.
fn tune_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    let button = form::row_ui(ui, "", "", |ui| ui.button("Tune…"));
    if button.on_hover_text("Find the gains by bandwidth and phase margin, or by a rule").clicked() {
        actions.push(Action::Command(Command::Run(RunCommand::TunePid)));
    }
}

fn port_name_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    view: &InspectorView,
    block: &Block,
    name: &Arc<str>,
    actions: &mut Vec<Action>,
) {
    let is_exit = matches!(block.kind, BlockKind::Exit { .. });
    let check = |text: &str| match text.trim() {
        "" => Some("A name is missing".to_owned()),
        wanted if is_exit && view.model.exits().any(|(known, name)| known.id != block.id && &**name == wanted) => {
            Some("Another output has this name".to_owned())
        }
        _ => None,
    };
    ui.add_space(SPACE);
    let typed = form::row_ui(ui, "Name", "The name of the port on instances of this model", |ui| {
        let width = form::text_width(ui);
        Field::new("Name", name).width(width).text_ui(ui, editing, &check)
    });
    if let Some(text) = typed {
        let to: Arc<str> = text.trim().into();
        let edit = Edit::RenamePort { model: Arc::clone(&view.model.name), id: block.id, name: Arc::clone(&to) };
        actions.push(Action::Apply(Change::one(format!("Rename {name} to {to}"), edit)));
    }
}

fn initial_value_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    view: &InspectorView,
    block: &Block,
    actions: &mut Vec<Action>,
) {
    let current = block.option_texts(Block::INITIAL_VALUE).unwrap_or_default().join(" ");
    let check = |text: &str| {
        let parts = typed::split(text);
        let wrong = |scope: &Scope| parts.iter().find_map(|part| values_of(part, scope).err());
        view.in_scope(wrong).map(|error| sentence(&error.to_string()))
    };
    let typed = form::row_ui(ui, "Initial value", "Before the first step; several values make a vector", |ui| {
        let width = form::text_width(ui);
        let field = Field::new(Block::INITIAL_VALUE, &current).hint("not set").width(width);
        field.number(Wanted::Several).invalid(Invalid::Kept).text_ui(ui, editing, &check)
    });
    if let Some(text) = typed {
        let values = Some(typed::split(&text)).filter(|values| !values.is_empty());
        let edit = Edit::SetOption {
            model: Arc::clone(&view.model.name),
            id: block.id,
            name: Block::INITIAL_VALUE.into(),
            values,
        };
        actions.push(Action::Apply(Change::one(format!("Set initial value of {}", block.title()), edit)));
    }
}

fn pair_note_ui(ui: &mut Ui, text: &str) {
    ui.add_space(SPACE);
    ui.label(widgets::weak(ui, text));
}

fn label_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    view: &InspectorView,
    blocks: &[&Arc<Block>],
    actions: &mut Vec<Action>,
) {
    let [block] = blocks else { return };
    let current = block.attributes.get("label").unwrap_or_default();
    let typed = form::row_ui(ui, "Label", "The block's own name in the diagram", |ui| {
        let width = form::text_width(ui);
        Field::new("Label", current).hint("none").width(width).text_ui(ui, editing, &|_| None)
    });
    curve_ui(ui, view, block, actions);
    if let Some(text) = typed {
        let value = Some(text.trim()).filter(|text| !text.is_empty()).map(Arc::from);
        let edit =
            Edit::SetBlockAttribute { model: Arc::clone(&view.model.name), id: block.id, name: "label".into(), value };
        actions.push(Action::Apply(Change::one(format!("Label {} {}", block.title(), block.id), edit)));
    }
}

/// The seed of an instance, where it has an effect or is set.
fn seed_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    view: &InspectorView,
    (block, model): (&Arc<Block>, &Arc<str>),
    actions: &mut Vec<Action>,
) {
    let current = block.attributes.get(Block::SEED).unwrap_or_default();
    if current.is_empty() && !view.derived.draws_random_numbers(model, view.registry) {
        return;
    }
    let check = |text: &str| match parsed_seeds(text) {
        Some(_) => None,
        None => Some("An integer from 0; several of them are separated by blanks".to_owned()),
    };
    let about =
        "Instances with different seeds draw different random numbers; 0 and none leave those of the blocks inside";
    let typed = form::row_ui(ui, "Seed", about, |ui| {
        let width = form::text_width(ui);
        Field::new("Seed", current).hint("none").width(width).text_ui(ui, editing, &check)
    });
    if let Some(text) = typed {
        let value = Some(text.trim()).filter(|text| !text.is_empty()).map(Arc::from);
        let edit = Edit::SetBlockAttribute {
            model: Arc::clone(&view.model.name),
            id: block.id,
            name: Block::SEED.into(),
            value,
        };
        actions.push(Action::Apply(Change::one(format!("Set seed of {} {}", block.title(), block.id), edit)));
    }
}

impl InspectorState {
    /// Whether the solver of the simulation locates crossings and the block has some.
    fn is_located(&mut self, view: &InspectorView, block: &Arc<Block>, def: &'static BlockDef) -> bool {
        if !Solver::by_name(view.simulation.solver(), view.registry).is_some_and(Solver::is_variable) {
            return false;
        }
        match &self.crossings {
            Some((known, has_some)) if Arc::ptr_eq(known, block) => *has_some,
            _ => {
                let settings = view.in_scope(|scope| settings_of(def, block, scope).0);
                let has_some = has_crossings(def, &settings, view.simulation.delta);
                self.crossings = Some((Arc::clone(block), has_some));
                has_some
            }
        }
    }
}

/// Draws the check box by which solvers of variable step locate the crossings of the block.
fn crossings_ui(ui: &mut Ui, view: &InspectorView, block: &Block, actions: &mut Vec<Action>) {
    const LABEL: &str = "Locate crossings";
    let mut is_on = locates_crossings(block);
    let about = "Solvers of variable step end a step where the block switches; otherwise it acts as with fixed steps";
    let check = form::row_ui(ui, LABEL, about, |ui| {
        let check = widgets::check_ui(ui, &mut is_on, "");
        check.ctx.accesskit_node_builder(check.id, |node| node.set_label(LABEL));
        check
    });
    if check.changed() {
        let value = (!is_on).then(|| Arc::from(Block::CROSSINGS_OFF));
        let model = Arc::clone(&view.model.name);
        let edit = Edit::SetBlockAttribute { model, id: block.id, name: Block::CROSSINGS.into(), value };
        let verb = if is_on { "Locate" } else { "Do not locate" };
        actions.push(Action::Apply(Change::one(format!("{verb} crossings of {} {}", block.title(), block.id), edit)));
    }
}

/// Draws the check box that shows the output's curve on the block.
fn curve_ui(ui: &mut Ui, view: &InspectorView, block: &Block, actions: &mut Vec<Action>) {
    let def = definition_of(view.registry, block);
    if !can_show_curve(def) {
        return;
    }
    let mut is_on = shows_curve(block, def);
    let check = form::row_ui(ui, "Curve", "Draw its output over the run inside the block", |ui| {
        let check = widgets::check_ui(ui, &mut is_on, "");
        check.ctx.accesskit_node_builder(check.id, |node| node.set_label("Curve"));
        check
    });
    if check.changed() {
        let value = if is_on { value_to_show(def) } else { value_to_hide(def) };
        let (model, value) = (Arc::clone(&view.model.name), value.map(Arc::from));
        let edit = Edit::SetBlockAttribute { model, id: block.id, name: CURVE.into(), value };
        let verb = if is_on { "Show" } else { "Hide" };
        actions.push(Action::Apply(Change::one(format!("{verb} curve on {} {}", block.title(), block.id), edit)));
    }
}

/// The diagnostics of a block.
fn diagnostics_of<'a>(view: &'a InspectorView, id: BlockId) -> impl Iterator<Item = &'a Diagnostic> {
    view.diagnostics.of_block(&view.model.name, id)
}

fn sign_of(severity: Severity, theme: &Theme) -> (Icon, Color32) {
    match severity {
        Severity::Error => (Icon::Error, theme.error),
        Severity::Warning => (Icon::Warning, theme.warning),
    }
}

/// A sign at the lower right corner of the block's picture while the block has a diagnostic; it takes no space.
fn diagnostic_badge_ui(ui: &Ui, head: egui::Rect, view: &InspectorView, id: BlockId) {
    let Some(worst) = diagnostics_of(view, id).min_by_key(|found| found.severity != Severity::Error) else { return };
    let theme = theme_of(ui.ctx());
    let (icon, color) = sign_of(worst.severity, theme);
    let rect = egui::Rect::from_center_size(head.left_top() + vec2(42.0, 28.0), vec2(13.0, 13.0));
    ui.painter().circle_filled(rect.center(), 9.0, theme.panel);
    icon.paint(ui.painter(), rect, color);
    ui.interact(rect.expand(3.0), ui.scope_id().with("diagnostic"), Sense::hover())
        .on_hover_text(sentence(&worst.message));
}

fn diagnostics_ui(ui: &mut Ui, view: &InspectorView, id: BlockId) {
    let theme = theme_of(ui.ctx());
    for found in diagnostics_of(view, id) {
        let (icon, color) = sign_of(found.severity, theme);
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
