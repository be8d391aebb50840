//! One parameter as a row: label, field, unit, reset; checked while typing, given out once when it is done.

use eframe::egui::text::{LayoutJob, TextFormat};
use eframe::egui::{self, Id, Key, Response, RichText, Sense, TextEdit, Ui, WidgetInfo, vec2};

use super::scrub::{self, Scrubbed};
use super::variables::value_text;
use crate::app::icons::Icon;
use crate::app::theme::{SPACE, TEXT, TEXT_SMALL, Theme};
use crate::app::typed::{number_texts, problem_text, unknown_name};
use crate::app::widgets::{self, theme_of};
use crate::block::expression::{Formula, Names};
use crate::block::{BlockDef, ParamDef, ParamKind, Settings, parse_number};

/// The text that is being edited: the field's id and what was typed so far.
#[derive(Default)]
pub struct Editing(Option<(Id, String)>);

impl Editing {
    pub fn forget(&mut self) {
        self.0 = None;
    }
}

pub const LABEL: f32 = 96.0;

/// The texts of a parameter in all blocks that are edited together.
pub enum Current {
    Same(Vec<String>),
    /// The blocks differ: all that there is, each once.
    Mixed(Vec<String>),
}

/// What the user did to a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    Texts(Vec<String>),
    /// It is to be as the definition has it.
    Default,
    /// It is being turned and stands here; it acts, and is not set yet.
    Turned(f64),
    /// It names a variable that there is not, and that is to be.
    NewVariable(String),
}

/// What becomes of a text in a field that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// It is given up.
    Refused,
    /// It is given out as any other: the document keeps it, the check says what is wrong.
    Kept,
}

/// Shows a parameter; gives what was done to it.
pub fn param_ui(
    ui: &mut Ui,
    editing: &mut Editing,
    def: &'static BlockDef,
    param: &'static ParamDef,
    current: &Current,
    names: &dyn Names,
) -> Option<Given> {
    let default = param.default_texts();
    let is_default = matches!(current, Current::Same(texts) if *texts == default);
    let mut result = None;
    let number = single_number(param, current);
    let label = ui.scope_id().with((def.group, def.name, param.name, "label"));
    let turned = number.and_then(|_| scrub::shown(ui, label));
    let content = |ui: &mut Ui| {
        let unit = if param.unit.is_empty() { 0.0 } else { 14.0 + 7.0 * param.unit.chars().count() as f32 };
        let width = (ui.available_width() - unit - 32.0).max(60.0);
        match param.kind {
            ParamKind::Choice { of, .. } => {
                let shown = match current {
                    Current::Same(texts) => texts.join(" "),
                    Current::Mixed(several) => mixed(several),
                };
                widgets::choice_ui(ui, param.name, &shown, width, |ui| {
                    for choice in of {
                        if ui.selectable_label(shown == *choice, *choice).clicked() {
                            result = Some(Given::Texts(vec![(*choice).to_owned()]));
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
                    let check = ui.checkbox(&mut is_on, "");
                    name(&check, param.name);
                    if check.changed() {
                        result = Some(Given::Texts(vec![u8::from(is_on).to_string()]));
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
                let is_text = !matches!(param.kind, ParamKind::Number { .. } | ParamKind::Integer { .. });
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
                    false => number_texts(text, &check),
                };
                let is_mixed = matches!(current, Current::Mixed(_));
                let check = |text: &str| match text.is_empty() && is_mixed {
                    true => None,
                    false => check(&texts_of(text)),
                };
                let typed = match param.kind {
                    ParamKind::Formula { .. } => {
                        lines_ui(ui, editing, param.name, &shown, &hint, width, &|text| Mistake::in_formula(text))
                    }
                    // What a program says is known when it is compiled; the problems have it.
                    ParamKind::Code { .. } => lines_ui(ui, editing, param.name, &shown, &hint, width, &|_| None),
                    _ => {
                        let value = match (is_text, current) {
                            (false, Current::Same(texts)) if texts.len() == 1 => value_text(&texts.concat(), names),
                            _ => None,
                        };
                        let shown = FieldText { text: &shown, hint: &hint, value: value.as_deref() };
                        edit_ui(ui, editing, param.name, shown, width, Invalid::Kept, &check)
                    }
                };
                if let Some(text) = typed {
                    result = Some(Given::Texts(texts_of(&text)));
                }
            }
        }
        if !param.unit.is_empty() {
            ui.label(widgets::weak(ui, param.unit));
        }
        let reset = widgets::icon_button_ui(ui, Icon::Reset, &format!("Reset {}", param.name), !is_default);
        if reset.on_hover_text(format!("Back to {}", default.join(" "))).clicked() && !is_default {
            result = Some(Given::Default);
        }
    };
    match (param.kind, number) {
        // What has lines wants the whole width.
        (ParamKind::Formula { .. } | ParamKind::Code { .. }, _) => {
            tall_row_ui(ui, param.name, &tooltip(param), content);
        }
        (_, None) => row_ui(ui, param.name, &tooltip(param), content),
        (_, Some(number)) => {
            let tooltip = format!("{}\nDrag to turn it, with Shift in small steps", tooltip(param));
            let handle = handle_ui(ui, (param.name, label), tooltip.trim_start(), content);
            let name = format!("Turn {}", param.name);
            handle.widget_info(|| WidgetInfo::slider(true, turned.unwrap_or(number), &name));
            let scrubbed = scrub::scrub(ui, &handle, number, |value| within(param, value));
            result = scrubbed
                .map(|scrubbed| match scrubbed {
                    Scrubbed::To(value) | Scrubbed::GivenUp(value) => Given::Turned(value),
                    Scrubbed::Done(value) => match problem_with(def, param, &[value.to_string()], names) {
                        None => Given::Texts(vec![value.to_string()]),
                        Some(_) => Given::Turned(number),
                    },
                })
                .or(result);
        }
    }
    let is_number = matches!(param.kind, ParamKind::Number { .. } | ParamKind::Integer { .. });
    if let (true, Current::Same(texts)) = (is_number, current)
        && let Some(name) = unknown_name(texts, names)
    {
        let is_clicked = fix_ui(ui, &format!("Create variable {name}"), "A variable of this model, with the value 1");
        result = is_clicked.then_some(Given::NewVariable(name)).or(result);
    }
    result
}

/// A button below a field that mends what is wrong in it. Whether it was clicked.
fn fix_ui(ui: &mut Ui, label: &str, tooltip: &str) -> bool {
    let indent = indent(ui);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = SPACE;
        ui.add_space(indent);
        ui.button(label).on_hover_text(tooltip).clicked()
    })
    .inner
}

/// The number that a parameter is, where it is a single one and no expression.
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

/// The nearest number that the parameter can be.
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

/// A remark below a field.
pub fn note_ui(ui: &mut Ui, text: &str) {
    let indent = indent(ui);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = SPACE;
        ui.add_space(indent);
        ui.add(egui::Label::new(widgets::weak(ui, text)).wrap());
    });
}

/// A mark at the end of the label of a row that began at `top`, with what it means as its tooltip; it takes no room, so
/// that fields stay where they are when it comes.
pub fn badge_ui(ui: &Ui, top: f32, of: &str, tooltip: &str) {
    let theme = theme_of(ui.ctx());
    let room = ui.max_rect();
    let (right, height) = match room.width() < NARROW {
        true => (room.right(), TEXT_SMALL + SPACE),
        false => (room.left() + LABEL, ui.spacing().interact_size.y),
    };
    let rect = egui::Rect::from_center_size(egui::pos2(right - 7.0, top + height / 2.0), vec2(11.0, 11.0));
    let response = ui.interact(rect.expand(2.0), ui.scope_id().with((of, "badge")), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, format!("{of}: {tooltip}")));
    ui.painter().circle_filled(rect.center(), 8.0, theme.panel);
    Icon::Clock.paint(ui.painter(), rect, theme.warning);
    response.on_hover_text(tooltip);
}

/// Where there is no more room than this, labels stand above their fields.
const NARROW: f32 = 215.0;

/// A label at the left, what `field` draws at the right; or below it where there is little room.
pub fn row_ui<R>(ui: &mut Ui, label: &str, tooltip: &str, field: impl FnOnce(&mut Ui) -> R) -> R {
    if ui.available_width() < NARROW {
        return tall_row_ui(ui, label, tooltip, field);
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = SPACE;
        let height = ui.spacing().interact_size.y;
        let (rect, response) = ui.allocate_exact_size(vec2(LABEL, height), egui::Sense::hover());
        label_ui(ui, rect, &response, label, tooltip);
        field(ui)
    })
    .inner
}

/// As [`row_ui`], with a label that can be dragged.
fn handle_ui(ui: &mut Ui, (label, id): (&str, Id), tooltip: &str, field: impl FnOnce(&mut Ui)) -> Response {
    let is_narrow = ui.available_width() < NARROW;
    let width = if is_narrow { ui.available_width() } else { LABEL };
    let handle = |ui: &mut Ui| {
        let height = if is_narrow { TEXT_SMALL + SPACE } else { ui.spacing().interact_size.y };
        let (rect, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
        let response = ui.interact(rect, id, Sense::drag());
        label_ui(ui, rect, &response, label, tooltip);
        response
    };
    if is_narrow {
        let response = handle(ui);
        ui.add_space(-SPACE);
        tall_row_ui(ui, "", "", field);
        return response;
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = SPACE;
        let response = handle(ui);
        field(ui);
        response
    })
    .inner
}

/// A label above what `field` draws.
pub fn tall_row_ui<R>(ui: &mut Ui, label: &str, tooltip: &str, field: impl FnOnce(&mut Ui) -> R) -> R {
    if !label.is_empty() {
        let size = vec2(ui.available_width(), TEXT_SMALL + SPACE);
        let (rect, response) = ui.allocate_exact_size(size, egui::Sense::hover());
        label_ui(ui, rect, &response, label, tooltip);
        ui.add_space(-SPACE);
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = SPACE;
        field(ui)
    })
    .inner
}

fn label_ui(ui: &Ui, rect: egui::Rect, response: &egui::Response, label: &str, tooltip: &str) {
    let theme = theme_of(ui.ctx());
    widgets::text_in(ui, rect, label, crate::app::style::plain(TEXT_SMALL + 0.5), theme.text_weak);
    if !tooltip.is_empty() {
        response.clone().on_hover_text(tooltip);
    }
}

/// Room before what stands below a field.
pub fn indent(ui: &Ui) -> f32 {
    if ui.available_width() < NARROW { 0.0 } else { LABEL + SPACE }
}

/// A text field that is checked while typing and gives its text once: on Enter or when the focus goes, if it is valid
/// and another than before. Escape gives it up.
pub fn field_ui(
    ui: &mut Ui,
    editing: &mut Editing,
    label: &str,
    current: &str,
    hint: &str,
    width: f32,
    problem: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    edit_ui(ui, editing, label, FieldText { text: current, hint, value: None }, width, Invalid::Refused, problem)
}

/// Texts longer than this are checked only while they are typed; the check of the document says what is wrong in them.
const LONG: usize = 2000;

/// What a field shows that nobody has typed into.
#[derive(Clone, Copy)]
pub struct FieldText<'a> {
    pub text: &'a str,
    /// Where there is no text.
    pub hint: &'a str,
    /// What the text comes to; stands at the field's right edge, where it takes no room from what is below.
    pub value: Option<&'a str>,
}

/// As [`field_ui`], for texts that the document may keep though they are wrong.
pub fn edit_ui(
    ui: &mut Ui,
    editing: &mut Editing,
    label: &str,
    shown: FieldText,
    width: f32,
    invalid: Invalid,
    problem: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let theme = theme_of(ui.ctx());
    let FieldText { text: current, hint, value } = shown;
    let id = ui.make_persistent_id(("field", label));
    let mut text = match &editing.0 {
        Some((edited, text)) if *edited == id => text.clone(),
        _ => current.to_owned(),
    };
    // Of what is being typed it would be the value of before.
    let value = value.filter(|_| text == current);
    let is_checked = text != current || (invalid == Invalid::Kept && text.len() < LONG);
    let wrong = if is_checked { problem(&text) } else { None };
    let output = ui.vertical(|ui| {
        let room = value.map_or(0.0, |value| value_room(ui, value, width));
        let field = TextEdit::singleline(&mut text)
            .id(id)
            .desired_width(width)
            .hint_text(RichText::new(hint).color(theme.text_weak))
            .text_color_opt(wrong.as_ref().map(|_| theme.error));
        // As the style has it, and the room for the value.
        let padding = ui.spacing().button_padding;
        let field = match value {
            Some(_) => {
                let mut margin = egui::Margin::symmetric(padding.x as i8, padding.y as i8);
                margin.right = margin.right.saturating_add(room as i8);
                field.margin(margin)
            }
            None => field,
        };
        let response = ui.add(field);
        name(&response, label);
        if let Some(value) = value {
            let mut rect = response.rect.shrink2(vec2(padding.x, 0.0));
            rect.min.x = rect.max.x - room;
            let font = crate::app::style::plain(TEXT_SMALL);
            widgets::text_in(ui, rect, value, font, theme.text_weak);
            let hover = ui.interact(rect, id.with("value"), Sense::hover());
            hover.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, value));
            hover.on_hover_text(value);
        }
        if let Some(wrong) = &wrong {
            ui.set_max_width(width);
            ui.label(RichText::new(wrong).color(theme.error).size(TEXT_SMALL));
        }
        response
    });
    let response = output.inner;
    if response.has_focus() {
        editing.0 = Some((id, text));
        return None;
    }
    if response.lost_focus() {
        let is_given_up = ui.input(|input| input.key_pressed(Key::Escape));
        editing.0 = None;
        // Nothing at all is no text to be kept.
        let is_kept = invalid == Invalid::Kept && !text.trim().is_empty();
        let is_taken = is_kept || problem(&text).is_none();
        if !is_given_up && text != current && is_taken {
            return Some(text);
        }
    }
    None
}

/// How wide a value may stand in a field of this width: as it needs, up to half of it.
fn value_room(ui: &Ui, value: &str, width: f32) -> f32 {
    let font = crate::app::style::plain(TEXT_SMALL);
    let galley = ui.painter().layout_no_wrap(value.to_owned(), font, theme_of(ui.ctx()).text_weak);
    (galley.size().x + SPACE).min(width / 2.0).clamp(0.0, 110.0)
}

/// What is wrong in a text of several lines, at a character.
struct Mistake {
    at: usize,
    message: String,
}

impl Mistake {
    fn in_formula(text: &str) -> Option<Mistake> {
        let error = Formula::parse(text).err()?;
        let (line, column) = place_of(text, error.at);
        Some(Mistake { at: error.at, message: format!("Line {line}, character {column}: {}", error.problem) })
    }
}

/// A field of several lines for formulas and programs, which shows where a mistake is. Gives its text once: on Ctrl+Enter or when
/// the focus goes, if it is another than before; what is wrong in it stays, and is marked. Escape gives it up.
fn lines_ui(
    ui: &mut Ui,
    editing: &mut Editing,
    label: &str,
    current: &str,
    hint: &str,
    width: f32,
    mistake: &dyn Fn(&str) -> Option<Mistake>,
) -> Option<String> {
    let theme = theme_of(ui.ctx());
    let id = ui.make_persistent_id(("field", label));
    let mut text = match &editing.0 {
        Some((edited, text)) if *edited == id => text.clone(),
        _ => current.to_owned(),
    };
    let wrong = mistake(&text);
    let at = wrong.as_ref().map(|wrong| wrong.at);
    let is_done = ui.memory(|memory| memory.has_focus(id))
        && ui.input_mut(|input| input.consume_key(egui::Modifiers::COMMAND, Key::Enter));
    let response = ui
        .vertical(|ui| {
            let mut layouter = |ui: &Ui, text: &dyn egui::TextBuffer, wrap: f32| {
                let mut job = marked(text.as_str(), at, theme);
                job.wrap.max_width = wrap;
                ui.fonts_mut(|fonts| fonts.layout_job(job))
            };
            let rows = text.lines().count().clamp(2, 12);
            let field = TextEdit::multiline(&mut text)
                .id(id)
                .desired_width(width)
                .desired_rows(rows)
                .hint_text(RichText::new(hint).color(theme.text_weak))
                .layouter(&mut layouter);
            let response = ui.add(field);
            name(&response, label);
            ui.set_max_width(width);
            match &wrong {
                Some(wrong) => {
                    ui.label(RichText::new(&wrong.message).color(theme.error).size(TEXT_SMALL));
                }
                None if response.has_focus() => {
                    ui.label(widgets::weak(ui, "Ctrl+Enter sets it"));
                }
                None => {}
            }
            response
        })
        .inner;
    if is_done {
        response.surrender_focus();
    }
    if response.has_focus() && !is_done {
        editing.0 = Some((id, text));
        return None;
    }
    if response.lost_focus() || is_done {
        let is_given_up = ui.input(|input| input.key_pressed(Key::Escape));
        editing.0 = None;
        if !is_given_up && text != current {
            return Some(text);
        }
    }
    None
}

/// Line and character, both from 1, of a character of a text.
fn place_of(text: &str, at: usize) -> (usize, usize) {
    let before: Vec<char> = text.chars().take(at).collect();
    let line = before.iter().filter(|c| **c == '\n').count();
    let column = before.iter().rev().take_while(|c| **c != '\n').count();
    (line + 1, column + 1)
}

/// The text, with what stands at the mistake underlined.
fn marked(text: &str, at: Option<usize>, theme: &Theme) -> LayoutJob {
    let plain = TextFormat::simple(egui::FontId::monospace(TEXT - 0.5), theme.text);
    let mut job = LayoutJob::default();
    let Some((start, _)) = at.and_then(|at| text.char_indices().nth(at)) else {
        job.append(text, 0.0, plain);
        return job;
    };
    let (before, rest) = text.split_at(start);
    let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let length = length.max(rest.chars().next().map_or(0, char::len_utf8));
    let (wrong, after) = rest.split_at(length);
    let marked = TextFormat { color: theme.error, underline: egui::Stroke::new(1.5, theme.error), ..plain.clone() };
    for (part, format) in [(before, plain.clone()), (wrong, marked), (after, plain)] {
        if !part.is_empty() {
            job.append(part, 0.0, format);
        }
    }
    job
}

/// Says what a field is to those who cannot see the label beside it.
fn name(response: &egui::Response, label: &str) {
    response.ctx.accesskit_node_builder(response.id, |node| node.set_label(label.to_owned()));
}

fn problem_with(def: &'static BlockDef, param: &ParamDef, texts: &[String], names: &dyn Names) -> Option<String> {
    // Which of a formula's names are its inputs another parameter says; the check of the document knows that.
    if let ParamKind::Formula { .. } = param.kind {
        return Formula::parse(&texts.concat()).err().map(|error| error.to_string());
    }
    let wanted = |name: &str| (name == param.name).then(|| texts.iter().map(String::as_str).collect());
    let (_, errors) = Settings::read(def, wanted, names);
    let error = errors.into_iter().find(|error| error.param == param.name)?;
    Some(problem_text(texts, names, error.problem))
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
        lines.push("An expression may stand here, as 2*pi*f0".to_owned());
    }
    lines.join("\n")
}

/// `At least 0`; empty where any number will do.
pub fn limits_of(param: &ParamDef) -> String {
    match param.kind {
        ParamKind::Number { min, max, .. } => limits(min, max),
        ParamKind::Integer { min, max, .. } => limits(min as f64, max as f64),
        _ => String::new(),
    }
}

/// `At least 0`; empty where there are none.
pub fn limits(min: f64, max: f64) -> String {
    let is_open = |value: f64| value.is_infinite() || value.abs() > 9e15;
    match (is_open(min), is_open(max)) {
        (true, true) => String::new(),
        (false, true) => format!("At least {min}"),
        (true, false) => format!("At most {max}"),
        (false, false) => format!("From {min} to {max}"),
    }
}
