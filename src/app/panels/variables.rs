//! The variables of the simulation or of a model, and their values in one instance.

use std::sync::Arc;

use eframe::egui::{self, Id, Response, Ui, WidgetInfo};

use super::param;
use super::row_menu::{Offer, RowChoice, RowMenu};
use crate::app::action::{Action, LabAction};
use crate::app::doc::typed::{self, problem_text};
use crate::app::ui::field::{EditedField, Field, Invalid};
use crate::app::ui::form::{self, Face, Handle, row_ui};
use crate::app::ui::icons::Icon;
use crate::app::ui::look::AngleUnit;
use crate::app::ui::numbers::typed::{Doubt, Wanted, understood};
use crate::app::ui::scrub::{self, Scrubbed};
use crate::app::ui::{numbers, widgets};
use crate::block::language::{ExpressionError, Names, numbers as evaluate};
use crate::block::{Registry, number_text};
use crate::model::{
    Block, BlockAddress, BlockId, BlockKind, Change, Edit, Mask, Model, RenameError, Scope, Simulation, Variable,
    VariableUsers, Variables, in_scope, model_at, name_problem, rename_variable,
};

/// Draws the variables of a model, or of the simulation without one.
pub fn variables_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    (simulation, registry): (&Simulation, &Registry),
    (path, model): (&[BlockId], Option<&Arc<Model>>),
    actions: &mut Vec<Action>,
) {
    let (variables, scope, title) = match model {
        Some(model) => (&model.variables, Scope::of_model(simulation, model), format!("Variables of {}", model.name)),
        None => (&simulation.variables, Scope::of_simulation(simulation), "Variables of all models".to_owned()),
    };
    let name_of_model = model.map(|model| Arc::clone(&model.name));
    let set = |name: &str, variable: Option<Variable>| {
        let label = if variable.is_some() { format!("Set {name}") } else { format!("Remove the variable {name}") };
        let edit = Edit::SetVariable { model: name_of_model.clone(), name: name.into(), variable };
        Action::Apply(Change::one(label, edit))
    };
    widgets::section_ui(ui, &title);
    ui.push_id(&title, |ui| {
        for (name, variable) in in_order(variables) {
            let mask = Mask::of(variable).unwrap_or_default();
            let problem = |text: &str| problem_with(text, &scope, &mask);
            let number = Dragged::of(ui, name, &variable.value, &mask);
            let row = VariableRow { name, label: name, face: Face::Name, tooltip: &tooltip(name, variable, &mask) };
            let mut typed = None;
            let handle = row.show_ui(ui, &number, |ui| {
                let text = number.text(ui, &variable.value);
                let note = number.value.and_then(|value| AngleUnit::of(ui.ctx()).note(value, variable.unit()));
                let value = note.or_else(|| value_text(&variable.value, &scope));
                let field = Field::new(name, &text).value(value.as_deref()).width(form::value_width(ui));
                let field = field.names().number(Wanted::One);
                typed = field.invalid(Invalid::Kept).text_ui(ui, editing, &problem);
                form::end_ui(ui, variable.unit(), |ui| {
                    let users = || VariableUsers::of(simulation, registry, model.map(|model| &**model), name);
                    let rename =
                        |to: &str| rename_variable(simulation, registry, model.map(|model| &**model), (name, to));
                    let of = MenuOfVariable { set: &set, users: &users, rename: &rename };
                    about_ui(ui, editing, (name, variable, model.is_none()), &of, actions);
                });
            });
            typed = number.drag(ui, &handle).or(typed);
            if let Some(model) = model {
                own_value_ui(ui, simulation, (path, model), name);
            }
            if let Some(text) = typed {
                let value = typed::expression(&text).into();
                actions.push(set(name, Some(Variable { value, ..(**variable).clone() })));
            }
        }
        let problem = |text: &str| new_variable(text, variables).err().map(|error| error.to_string());
        let hint = if variables.is_empty() { "k = 2*pi*50" } else { "name = value" };
        let typed = row_ui(ui, "New", "A name, = and a number or an expression", |ui| {
            let width = form::text_width(ui);
            Field::new(&format!("New in {title}"), "").hint(hint).width(width).text_ui(ui, editing, &problem)
        });
        if let Some(Ok((name, value))) = typed.map(|text| new_variable(&text, variables)) {
            actions.push(set(&name, Some(Variable::new(&value))));
        }
    });
}

/// Draws the button that removes a variable; of one that is used it shows the users and asks. Returns whether it is to be
/// removed.
fn remove_ui(ui: &mut Ui, name: &str, users: impl Fn() -> VariableUsers) -> bool {
    let button = ui.button(format!("Remove {name}"));
    let id = button.id.with("users");
    if button.clicked() {
        let users = users();
        if users.is_empty() {
            ui.close();
            return true;
        }
        ui.data_mut(|data| data.insert_temp(id, users_text(name, &users)));
    }
    let Some(text) = ui.data(|data| data.get_temp::<String>(id)) else {
        button.on_hover_ui(|ui| {
            let users = users();
            ui.label(if users.is_empty() { "Nothing uses it".to_owned() } else { users_text(name, &users) });
        });
        return false;
    };
    ui.add(egui::Label::new(text).wrap());
    let is_removed = ui.button(format!("Remove {name} anyway")).clicked();
    if is_removed || ui.button("Keep").clicked() {
        ui.data_mut(|data| data.remove::<String>(id));
        ui.close();
    }
    is_removed
}

/// Returns the users of a variable as a sentence without a full stop.
fn users_text(name: &str, users: &VariableUsers) -> String {
    let models: std::collections::BTreeSet<&str> = users.blocks.iter().map(|(model, _)| &**model).collect();
    let count = |count: usize, one: &str| if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") };
    let mut parts = Vec::new();
    if !users.blocks.is_empty() {
        let models: Vec<&str> = models.into_iter().collect();
        parts.push(format!("{} in {}", count(users.blocks.len(), "block"), models.join(", ")));
    }
    if !users.variables.is_empty() {
        parts.push(format!("{} ({})", count(users.variables.len(), "variable"), users.variables.join(", ")));
    }
    format!("{name} is used in {}", parts.join(" and "))
}

/// Draws the value of a variable in the shown instance, if the instance sets it.
fn own_value_ui(ui: &mut Ui, simulation: &Simulation, (path, model): (&[BlockId], &Model), name: &str) {
    let Some((last, above)) = path.split_last() else { return };
    let Some(block) = model_at(simulation, above).and_then(|outside| outside.block(*last)) else { return };
    if !matches!(&block.kind, BlockKind::Model { model: of } if *of == model.name) || block.option_texts(name).is_none()
    {
        return;
    }
    let text = in_scope(simulation, path, model, |scope| match scope.value(name) {
        Ok(Some(values)) => elements_text(&values.values),
        _ => block.option_texts(name).unwrap_or_default().join(" "),
    });
    form::note_ui(ui, &format!("{text} in this instance, {}", block.title()));
}

/// The row of a variable.
struct VariableRow<'a> {
    name: &'a str,
    label: &'a str,
    face: Face,
    tooltip: &'a str,
}

impl VariableRow<'_> {
    fn show_ui(&self, ui: &mut Ui, number: &Dragged, content: impl FnOnce(&mut Ui)) -> Response {
        let tooltip = match number.value {
            Some(_) => format!("{}\nDrag to change it, with Shift in small steps", self.tooltip),
            None => self.tooltip.to_owned(),
        };
        let (label, face) = (self.label, self.face);
        let handle = Handle { label, face, id: number.id, tooltip: &tooltip, is_draggable: number.value.is_some() };
        let response = form::handle_ui(ui, &handle, content);
        if let Some(value) = number.value {
            response.widget_info(|| WidgetInfo::slider(true, value, format!("Adjust {}", self.name)));
        }
        response
    }
}

/// The number that the label of a row changes when it is dragged.
struct Dragged {
    id: Id,
    value: Option<f64>,
    limits: (f64, f64),
}

impl Dragged {
    /// `text` is the value of a variable; an expression cannot be dragged.
    fn of(ui: &Ui, name: &str, text: &str, mask: &Mask) -> Dragged {
        let number = crate::block::parse_number(text).ok().filter(|value| value.is_finite() && mask.choices.is_empty());
        Dragged { id: ui.scope_id().with((name, "label")), value: number, limits: (mask.min, mask.max) }
    }

    /// Returns the text to show: during a drag, its number.
    fn text(&self, ui: &Ui, text: &str) -> String {
        self.value.and_then(|_| scrub::shown(ui, self.id)).map_or_else(|| text.to_owned(), |value| value.to_string())
    }

    /// Returns the new value, at the end of a drag.
    fn drag(&self, ui: &Ui, handle: &Response) -> Option<String> {
        let within = |value: f64| value.max(self.limits.0).min(self.limits.1);
        match scrub::scrub(ui, handle, self.value?, within) {
            Some(Scrubbed::Done(value)) => Some(value.to_string()),
            _ => None,
        }
    }
}

/// The functions of a variable's menu.
struct MenuOfVariable<'a> {
    set: &'a dyn Fn(&str, Option<Variable>) -> Action,
    users: &'a dyn Fn() -> VariableUsers,
    rename: &'a dyn Fn(&str) -> Result<Change, RenameError>,
}

/// Draws the menu of a variable: its name, label, unit, description, limits and choices, a sweep if it belongs to all models,
/// and its removal.
fn about_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    (name, variable, is_global): (&Arc<str>, &Variable, bool),
    of: &MenuOfVariable,
    actions: &mut Vec<Action>,
) {
    let MenuOfVariable { set, users, rename } = of;
    let button = widgets::icon_button_ui(ui, Icon::More, &format!("About {name}"));
    let button = button.on_hover_text("Name, label, unit, description, limits, choices, removal");
    egui::Popup::menu(&button).close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside).show(|ui| {
        ui.set_min_width(320.0);
        let problem = |text: &str| match text.trim() {
            text if text == &**name => None,
            text => rename(text).err().map(|error| crate::app::ui::widgets::sentence(&error.to_string())),
        };
        let typed = row_ui(ui, "Name", "A new name takes effect in all uses of the variable", |ui| {
            let width = ui.available_width();
            Field::new(&format!("Name of {name}"), name).width(width).names().text_ui(ui, editing, &problem)
        });
        if let Some(Ok(change)) = typed.map(|text| rename(text.trim())) {
            actions.push(Action::Apply(change));
            ui.close();
        }
        for (attribute, label, hint, about) in [
            ("label", "Label", &**name, "The name of the field on instances of the model"),
            ("unit", "Unit", "", "The unit, for display only"),
            ("doc", "Description", "", "The tooltip of the field"),
            ("min", "Minimum", "none", "The lowest allowed value"),
            ("max", "Maximum", "none", "The highest allowed value"),
            ("choices", "Choices", "off=0|slow=1|fast=2.5", "The only allowed values, each with an optional name"),
        ] {
            let current = variable.attributes.get(attribute).unwrap_or_default();
            let with = |text: &str| {
                let mut changed = variable.clone();
                changed.attributes.put(attribute, Some(text.trim()).filter(|text| !text.is_empty()));
                changed
            };
            let problem =
                |text: &str| Mask::of(&with(text)).err().map(|error| crate::app::ui::widgets::sentence(&error.problem));
            let typed = row_ui(ui, label, about, |ui| {
                let width = ui.available_width();
                Field::new(&format!("{label} of {name}"), current)
                    .hint(hint)
                    .width(width)
                    .text_ui(ui, editing, &problem)
            });
            if let Some(text) = typed {
                actions.push(set(name, Some(with(&text))));
            }
        }
        ui.separator();
        ui.horizontal_wrapped(|ui| {
            let number = crate::block::parse_number(&variable.value).ok().filter(|_| is_global);
            if let Some(value) = number
                && ui.button("Sweep…").on_hover_text("Run the simulation for several values of it").clicked()
            {
                actions.push(Action::Lab(LabAction::Vary { path: name.to_string(), value }));
                ui.close();
            }
            if remove_ui(ui, name, users) {
                actions.push(set(name, None));
            }
        });
    });
}

/// Draws the values of one instance for the variables of its model.
pub fn use_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    (simulation, outside, inner, scope): (&Simulation, &Arc<Model>, &Model, &Scope),
    (path, block): (&[BlockId], &Block),
    actions: &mut Vec<Action>,
) {
    if inner.variables.is_empty() {
        return;
    }
    let by_itself = Scope::of_model(simulation, inner);
    let set = |name: &str, values: Option<Vec<String>>| {
        let verb = if values.is_some() { "Set" } else { "Reset" };
        let label = format!("{verb} {name} of {} {}", block.title(), block.id);
        let edit = Edit::SetOption { model: Arc::clone(&outside.name), id: block.id, name: name.into(), values };
        Action::Apply(Change::one(label, edit))
    };
    widgets::section_ui(ui, "Parameters");
    for (name, variable) in in_order(&inner.variables) {
        let own = block.option_texts(name).map(|texts| texts.join(" "));
        let mask = Mask::of(variable).unwrap_or_default();
        let label = if mask.label.is_empty() { name } else { &*mask.label };
        let problem = |text: &str| if text.trim().is_empty() { None } else { problem_with(text, scope, &mask) };
        let face = if mask.label.is_empty() { Face::Name } else { Face::Text };
        let number = Dragged::of(ui, name, own.as_deref().unwrap_or(&variable.value), &mask);
        let row = VariableRow { name, label, face, tooltip: &tooltip(name, variable, &mask) };
        let back = format!("Back to {}", variable.value);
        let path = format!("{}.{name}", BlockAddress::new(path, block.id).text(simulation));
        let (reset, is_number) = (own.is_some().then_some(&*back), number.value.is_some());
        let menu = RowMenu { name, reset, offers: &[Offer::Sweep], is_number };
        let (mut typed, mut choice) = (None, None);
        let handle = row.show_ui(ui, &number, |ui| {
            let width = form::value_width(ui);
            typed = match mask.choices.is_empty() {
                true => {
                    let value = match &own {
                        Some(text) => value_text(text, scope),
                        None => value_text(&variable.value, &by_itself),
                    };
                    let text = match own.is_some() || scrub::shown(ui, number.id).is_some() {
                        true => number.text(ui, own.as_deref().unwrap_or_default()),
                        false => String::new(),
                    };
                    let field = Field::new(name, &text).hint(&variable.value).value(value.as_deref()).width(width);
                    field.names().number(Wanted::One).invalid(Invalid::Kept).text_ui(ui, editing, &problem)
                }
                false => {
                    let value = match &own {
                        Some(text) => evaluate(text, scope),
                        None => evaluate(&variable.value, &by_itself),
                    };
                    choices_ui(ui, label, &mask, value.ok().as_deref(), width)
                }
            };
            choice = form::end_ui(ui, variable.unit(), |ui| menu.button_ui(ui));
        });
        typed = number.drag(ui, &handle).or(typed);
        match menu.context_ui(&handle).or(choice) {
            Some(RowChoice::Reset) => actions.push(set(name, None)),
            Some(RowChoice::Offer(_)) => {
                let value = number.value.unwrap_or_default();
                actions.push(Action::Lab(LabAction::Vary { path, value }));
            }
            None => {}
        }
        if let Some(text) = typed {
            let text = typed::expression(&text);
            actions.push(set(name, if text.is_empty() { None } else { Some(vec![text]) }));
        }
    }
}

/// Draws the choices of a variable; returns the chosen one.
fn choices_ui(ui: &mut Ui, label: &str, mask: &Mask, current: Option<&[f64]>, width: f32) -> Option<String> {
    let is_current = |value: f64| current == Some(&[value][..]);
    let shown = mask.choices.iter().find(|choice| is_current(choice.value));
    let mut picked = None;
    widgets::choice_ui(ui, label, shown.map_or("", |choice| &choice.label), width, |ui| {
        for choice in &mask.choices {
            let row = ui.selectable_label(is_current(choice.value), &choice.label);
            if row.on_hover_text(number_text(choice.value)).clicked() && !is_current(choice.value) {
                picked = Some(number_text(choice.value));
            }
        }
    });
    picked
}

/// Returns why the value of a text is not allowed.
fn problem_with(text: &str, names: &dyn Names, mask: &Mask) -> Option<String> {
    let text = match understood(text, Wanted::One) {
        Ok(text) => text,
        Err(doubt) => return Some(doubt.question()),
    };
    match evaluate(&text, names) {
        Ok(values) => mask.problem_with(&values).map(|problem| crate::app::ui::widgets::sentence(&problem)),
        Err(error) => Some(problem_text(&[text], names, text_of(error))),
    }
}

/// Returns the value of an expression as text; empty for a number or without a value.
pub fn value_text(text: &str, names: &dyn Names) -> Option<String> {
    if crate::block::parse_number(text).is_ok() {
        return None;
    }
    evaluate(text, names).ok().map(|elements| format!("= {}", elements_text(&elements)))
}

/// Formats a vector's first elements.
fn elements_text(elements: &[f64]) -> String {
    const SHOWN: usize = 6;
    let shown: Vec<String> = elements.iter().take(SHOWN).map(|element| numbers::digits(*element, 6)).collect();
    match elements.len() {
        1 => shown.concat(),
        count if count > SHOWN => format!("{} … ({count} values)", shown.join("  ")),
        _ => shown.join("  "),
    }
}

fn text_of(error: ExpressionError) -> String {
    crate::app::ui::widgets::sentence(&error.to_string())
}

fn in_order(variables: &Variables) -> Vec<(&Arc<str>, &Arc<Variable>)> {
    let mut variables: Vec<_> = variables.iter().collect();
    variables.sort_by_key(|(_, variable)| variable.seq);
    variables
}

fn tooltip(name: &str, variable: &Variable, mask: &Mask) -> String {
    let limits = param::limits(mask.min, mask.max);
    let mut lines = vec![name.to_owned()];
    let about = [variable.doc(), variable.unit(), &*limits].into_iter().filter(|text| !text.is_empty());
    lines.extend(about.map(str::to_owned));
    lines.push("Available by name in every parameter, in expressions such as 2*pi*f0".to_owned());
    lines.join("\n")
}

/// Why a text does not define a new variable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum NewVariableError {
    #[error("Write it as name = value")]
    NoValue,
    #[error("{0}")]
    Name(String),
    #[error("The variable “{0}” already exists")]
    Known(String),
    #[error("A value is missing")]
    EmptyValue,
    #[error("{}", .0.question())]
    Doubt(Doubt),
}

/// Parses `name = value`.
fn new_variable(text: &str, known: &Variables) -> Result<(String, String), NewVariableError> {
    let Some((name, value)) = text.split_once('=') else { return Err(NewVariableError::NoValue) };
    let (name, value) = (name.trim(), &*understood(value, Wanted::One).map_err(NewVariableError::Doubt)?);
    if let Some(problem) = name_problem(name) {
        return Err(NewVariableError::Name(problem));
    }
    if known.contains_key(name) {
        return Err(NewVariableError::Known(name.to_owned()));
    }
    if value.is_empty() {
        return Err(NewVariableError::EmptyValue);
    }
    Ok((name.to_owned(), value.to_owned()))
}
