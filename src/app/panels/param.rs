//! One parameter as a row: label, field, unit, menu; checked while typing, returned once on completion.

use eframe::egui::{Ui, WidgetInfo, vec2};

use super::row_menu::{Offer, RowChoice, RowMenu};
use super::variables::value_text;
use crate::app::doc::typed::{number_texts, problem_text, wanted_of};
use crate::app::ui::code::Mistake;
use crate::app::ui::field::{EditedField, Field, FieldEdit, Fix, Invalid, name};
use crate::app::ui::form::{self, Face, Handle, tall_row_ui};
use crate::app::ui::look::AngleUnit;
use crate::app::ui::scrub::{self, Scrubbed};
use crate::app::ui::widgets;
use crate::block::language::{Formula, Names};
use crate::block::{BlockDef, ParamDef, ParamKind, Settings, limits_text, parse_number};
use crate::model::unknown_name;

/// The texts of a parameter in all blocks that are edited together.
pub enum Current {
    Same(Vec<String>),
    /// The blocks differ: the distinct values.
    Mixed(Vec<String>),
}

/// An edit of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamEdit {
    Texts(Vec<String>),
    /// Resets to the default.
    Default,
    /// The value during a drag: it takes effect in the run, but is not stored yet.
    Number(f64),
    /// Creates the missing variable that the text names.
    NewVariable(String),
    /// Chosen in the menu of the row; the number is the value of the parameter.
    Offer(Offer, f64),
}

/// Draws a parameter; returns its edit. The menu of a single number has the `offers`.
pub fn param_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    def: &'static BlockDef,
    param: &'static ParamDef,
    current: &Current,
    (names, offers): (&dyn Names, &[Offer]),
) -> Option<ParamEdit> {
    let default = param.default_texts();
    let is_default = !param.is_argument && matches!(current, Current::Same(texts) if *texts == default);
    let mut result = None;
    let number = single_number(param, current);
    let label = ui.scope_id().with((def.group, def.name, param.name, "label"));
    let turned = number.and_then(|_| scrub::shown(ui, label));
    let is_number = matches!(param.kind, ParamKind::Number { .. } | ParamKind::Integer { .. });
    // A variable that the text names and that does not exist.
    let missing = match current {
        Current::Same(texts) if is_number => unknown_name(texts, names),
        _ => None,
    };
    let about = match param.is_argument {
        true => "Make it an input again".to_owned(),
        false => format!("Back to {}", default.join(" ")),
    };
    let offers = if is_number { offers } else { &[] };
    let reset = (!is_default).then_some(&*about);
    let menu = RowMenu { name: param.name, reset, offers, is_number: number.is_some() };
    let chosen = |choice| match choice {
        RowChoice::Reset => ParamEdit::Default,
        RowChoice::Offer(offer) => ParamEdit::Offer(offer, number.unwrap_or_default()),
    };
    let content = |ui: &mut Ui| {
        let width = if is_number { form::value_width(ui) } else { form::text_width(ui) };
        match param.kind {
            ParamKind::Choice { of, .. } => {
                let shown = match current {
                    Current::Same(texts) => texts.join(" "),
                    Current::Mixed(several) => mixed(several),
                };
                widgets::choice_ui(ui, param.name, &shown, width, |ui| {
                    for choice in of {
                        if ui.selectable_label(shown == *choice, *choice).clicked() {
                            result = Some(ParamEdit::Texts(vec![(*choice).to_owned()]));
                        }
                    }
                });
            }
            ParamKind::Flag { .. } => {
                let texts = match current {
                    Current::Same(texts) => texts.concat(),
                    Current::Mixed(_) => String::new(),
                };
                let mut is_on = matches!(&*texts, "1" | "true");
                ui.allocate_ui(vec2(width, ui.spacing().interact_size.y), |ui| {
                    ui.set_min_width(width);
                    let check = widgets::check_ui(ui, &mut is_on, "");
                    name(&check, param.name);
                    if check.changed() {
                        result = Some(ParamEdit::Texts(vec![u8::from(is_on).to_string()]));
                    }
                });
            }
            ParamKind::Number { .. }
            | ParamKind::Integer { .. }
            | ParamKind::Text { .. }
            | ParamKind::Tag { .. }
            | ParamKind::File { .. }
            | ParamKind::Code { .. }
            | ParamKind::Formula { .. } => {
                let is_text = !is_number;
                let shown = match (turned, current) {
                    (Some(value), _) => value.to_string(),
                    (None, Current::Same(texts)) => texts.join(if is_text { "\n" } else { " " }),
                    (None, Current::Mixed(_)) => String::new(),
                };
                let hint = match current {
                    Current::Mixed(several) => mixed(several),
                    Current::Same(_) => String::new(),
                };
                let check = |texts: &[String]| problem_with(def, param, texts, names);
                let texts_of = |text: &str| match is_text {
                    true => vec![text.to_owned()],
                    false => number_texts(text, wanted_of(param), &check),
                };
                let is_mixed = matches!(current, Current::Mixed(_));
                let check = |text: &str| match text.is_empty() && is_mixed {
                    true => None,
                    false => check(&texts_of(text)),
                };
                let typed = match param.kind {
                    ParamKind::Formula { .. } => Field::new(param.name, &shown)
                        .hint(&hint)
                        .width(width)
                        .lines_ui(ui, editing, &|text| Mistake::in_formula(text))
                        .map(FieldEdit::Text),
                    // What does not fit the sizes of inputs is known when it is compiled; the Problems panel lists it.
                    ParamKind::Code { .. } => Field::new(param.name, &shown)
                        .hint(&hint)
                        .width(width)
                        .code()
                        .lines_ui(ui, editing, &|text| Mistake::in_code(text))
                        .map(FieldEdit::Text),
                    _ => {
                        let value = match (is_text, current) {
                            (false, Current::Same(texts)) if texts.len() == 1 => {
                                let note = number.and_then(|value| AngleUnit::of(ui.ctx()).note(value, param.unit));
                                note.or_else(|| value_text(&texts.concat(), names))
                            }
                            _ => None,
                        };
                        let fix = missing.as_ref().map(|name| format!("Create variable {name}"));
                        let fix = fix
                            .as_ref()
                            .map(|label| Fix { label, tooltip: "Add a variable with the value 1 to this model" });
                        let field = Field::new(param.name, &shown).hint(&hint).value(value.as_deref()).width(width);
                        let field = if is_text { field } else { field.names().number(wanted_of(param)) };
                        field.invalid(Invalid::Kept).fix(fix).edit_ui(ui, editing, &check)
                    }
                };
                result = match typed {
                    Some(FieldEdit::Text(text)) => Some(ParamEdit::Texts(texts_of(&text))),
                    Some(FieldEdit::Fix) => missing.clone().map(ParamEdit::NewVariable),
                    None => None,
                };
            }
        }
        result = form::end_ui(ui, param.unit, |ui| menu.button_ui(ui)).map(chosen).or(result.take());
    };
    match (param.kind, number) {
        // Multi-line fields use the full width.
        (ParamKind::Formula { .. } | ParamKind::Code { .. }, _) => {
            tall_row_ui(ui, param.name, &tooltip(param), content);
        }
        (_, None) => {
            let tooltip = tooltip(param);
            let handle =
                Handle { label: param.name, face: Face::Text, id: label, tooltip: &tooltip, is_draggable: false };
            let handle = form::handle_ui(ui, &handle, content);
            result = menu.context_ui(&handle).map(chosen).or(result);
        }
        (_, Some(number)) => {
            let tooltip = format!("{}\nDrag to change it, with Shift in small steps", tooltip(param));
            let tooltip = tooltip.trim_start();
            let handle = Handle { label: param.name, face: Face::Text, id: label, tooltip, is_draggable: true };
            let handle = form::handle_ui(ui, &handle, content);
            result = menu.context_ui(&handle).map(chosen).or(result);
            let name = format!("Adjust {}", param.name);
            handle.widget_info(|| WidgetInfo::slider(true, turned.unwrap_or(number), &name));
            let scrubbed = scrub::scrub(ui, &handle, number, |value| within(param, value));
            result = scrubbed
                .map(|scrubbed| match scrubbed {
                    Scrubbed::To(value) | Scrubbed::GivenUp(value) => ParamEdit::Number(value),
                    Scrubbed::Done(value) => match problem_with(def, param, &[value.to_string()], names) {
                        None => ParamEdit::Texts(vec![value.to_string()]),
                        Some(_) => ParamEdit::Number(number),
                    },
                })
                .or(result);
        }
    }
    result
}

/// Returns the number of a scalar parameter that is not an expression.
fn single_number(param: &ParamDef, current: &Current) -> Option<f64> {
    let Current::Same(texts) = current else { return None };
    let [text] = &texts[..] else { return None };
    match param.kind {
        ParamKind::Number { .. } | ParamKind::Integer { .. } => {
            parse_number(text).ok().filter(|value| value.is_finite())
        }
        _ => None,
    }
}

/// Returns the nearest number that the parameter allows.
fn within(param: &ParamDef, value: f64) -> f64 {
    match param.kind {
        ParamKind::Number { min, max, .. } => value.clamp(min, max),
        ParamKind::Integer { min, max, .. } => value.round().clamp(min as f64, max as f64),
        _ => value,
    }
}

/// `2 | 5 | 7 | …`.
fn mixed(several: &[String]) -> String {
    let more = if several.len() > 3 { " | …" } else { "" };
    several.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(" | ") + more
}

fn problem_with(def: &'static BlockDef, param: &ParamDef, texts: &[String], names: &dyn Names) -> Option<String> {
    // Another parameter defines which names of a formula are inputs; the check of the document covers that.
    if let ParamKind::Formula { .. } = param.kind {
        return Formula::parse(&texts.concat()).err().map(|error| error.to_string());
    }
    let wanted = |name: &str| (name == param.name).then(|| texts.iter().map(String::as_str).collect());
    let (_, errors) = Settings::read(def, wanted, names);
    let error = errors.into_iter().find(|error| error.param == param.name)?;
    Some(problem_text(texts, names, error.problem.to_string()))
}

fn tooltip(param: &ParamDef) -> String {
    let mut lines = vec![param.name.to_owned()];
    if !param.doc.is_empty() {
        lines.push(param.doc.to_owned());
    }
    let limits = limits_of(param);
    if !limits.is_empty() {
        lines.push(limits);
    }
    if matches!(param.kind, ParamKind::Number { vector: true, .. }) {
        lines.push("Several values make a vector: 1 2 3".to_owned());
    }
    if matches!(param.kind, ParamKind::Number { .. } | ParamKind::Integer { .. }) {
        lines.push("An expression is allowed, such as 2*pi*f0".to_owned());
    }
    lines.join("\n")
}

/// `At least 0`; empty if any number is valid.
pub fn limits_of(param: &ParamDef) -> String {
    match param.kind {
        ParamKind::Number { min, max, .. } => limits(min, max),
        ParamKind::Integer { min, max, .. } => limits(min as f64, max as f64),
        _ => String::new(),
    }
}

/// `At least 0`; empty without limits.
pub fn limits(min: f64, max: f64) -> String {
    // Limits beyond exact integers are none to a user.
    let open = |value: f64| if value.abs() > 9e15 { value.signum() * f64::INFINITY } else { value };
    widgets::sentence(&limits_text(open(min), open(max)))
}
