//! The requirements as rows: a box that switches each one on, its text, its margin, and the fields of the one that is open.

use std::sync::Arc;

use eframe::egui::{self, Align2, Color32, Rect, Sense, Ui, pos2, vec2};

use super::kind::{KINDS, RequirementKind, unit_of};
use super::state::ResponseState;
use crate::app::action::Action;
use crate::app::doc::requirements::{RequirementEntry, RequirementList};
use crate::app::doc::typed;
use crate::app::panels::signal_choice::{self, Picked, SignalChoice};
use crate::app::store::lab::{ResponseLab, SimulatedResponse};
use crate::app::ui::field::Field;
use crate::app::ui::icons::Icon;
use crate::app::ui::numbers::typed::Wanted;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::app::ui::{numbers, style};
use crate::block::number_text;
use crate::requirement::{Condition, Figure, Met, Relation};

/// The height of a row, in points, and the width of its box and of its button.
const ROW: f32 = 24.0;
const BOX: f32 = 24.0;
const BUTTON: f32 = 22.0;
/// The least width of a number.
const NUMBER: f32 = 58.0;
/// The indentation of the fields.
const INDENT: f32 = 24.0;

/// The margins of the requirements, before and now.
pub struct ShownMargins {
    before: Option<Arc<SimulatedResponse>>,
    now: Option<Arc<SimulatedResponse>>,
}

impl ShownMargins {
    pub fn of(lab: &ResponseLab) -> ShownMargins {
        let before = lab.search.as_ref().and_then(|search| search.before.clone());
        ShownMargins { before, now: lab.now().cloned() }
    }

    pub fn met(&self, number: usize) -> Option<&Met> {
        self.now.as_ref()?.evaluation().met.get(number)
    }

    /// Returns the text of a margin, and whether the requirement is met.
    fn text(&self, number: usize) -> Option<(String, bool)> {
        let now = self.met(number)?;
        let short = |met: &Met| numbers::digits(met.margin, 3);
        let before = self.before.as_ref().and_then(|before| before.evaluation().met.get(number));
        let before = before.filter(|before| *before != now).map(short);
        let text = before.map_or_else(|| short(now), |before| format!("{before} → {}", short(now)));
        Some((text, now.violated_at.is_none()))
    }
}

pub fn show_ui(ui: &mut Ui, state: &mut ResponseState, lab: &ResponseLab, actions: &mut Vec<Action>) {
    let list = state.list.clone();
    let margins = ShownMargins::of(lab);
    let note = "Margin: how far the response is from violating a requirement; below 0 it is violated";
    let has_margins = margins.now.is_some()
        && (list.active().next().is_some() || lab.now().is_some_and(|now| !now.checks.is_empty()));
    widgets::noted_section_ui(ui, "Requirements", has_margins.then_some(("margin", note)));
    let mut active = 0;
    for (number, entry) in list.entries.iter().enumerate() {
        let margin = if entry.is_on { margins.text(active) } else { None };
        active += usize::from(entry.is_on);
        entry_ui(ui, (state, lab), (&list, number, entry), margin, actions);
    }
    checks_ui(ui, &list, (lab, active), &margins, actions);
    add_ui(ui, state, lab, actions);
}

/// Draws a row, and its fields if it is open.
fn entry_ui(
    ui: &mut Ui,
    (state, lab): (&mut ResponseState, &ResponseLab),
    (list, number, entry): (&RequirementList, usize, &RequirementEntry),
    margin: Option<(String, bool)>,
    actions: &mut Vec<Action>,
) {
    let text = state.choices.text_of(entry);
    let is_missing = entry.any.iter().any(|condition| state.choices.find(condition.signal()).is_none());
    let size = vec2(ui.available_width(), ROW);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let mut is_on = entry.is_on;
    let at = |from: f32, to: f32| Rect::from_min_max(pos2(from, rect.top()), pos2(to, rect.bottom()));
    let mut child = |of: &str, room: Rect| ui.new_child(egui::UiBuilder::new().id_salt((of, number)).max_rect(room));
    let mut corner = child("remove", at(rect.right() - BUTTON, rect.right()));
    let tick = widgets::check_ui(&mut child("switch", at(rect.left(), rect.left() + BOX)), &mut is_on, "");
    crate::app::ui::field::name(&tick, &text);
    if tick.on_hover_text("Switch this requirement on or off").changed() {
        let label = if is_on { "Switch on requirement" } else { "Switch off requirement" };
        actions.push(Action::Apply(list.changed(number, |entry| entry.is_on = is_on).change(label)));
    }
    let row = at(rect.left() + BOX, rect.right() - BUTTON);
    let response = ui.interact(row, ui.scope_id().with(("requirement", number)), Sense::click());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Edit {text}")));
    let theme = theme_of(ui.ctx());
    let is_open = state.open == Some(number);
    if response.hovered() || is_open {
        let fill = style::mix(theme.panel, theme.accent, if is_open { 0.12 } else { 0.07 });
        ui.painter().rect_filled(row, 4.0, fill);
    }
    widgets::focus_ring(ui, &response, 4);
    let color = match (is_missing, entry.is_on) {
        (true, _) => theme.error,
        (false, true) => theme.text,
        (false, false) => theme.text_weak,
    };
    let right = margin.map_or(0.0, |margin| margin_ui(ui, row, margin));
    let room = Rect::from_min_max(row.min + vec2(SPACE, 0.0), pos2(row.right() - right - SPACE, row.bottom()));
    widgets::text_in(ui, room, &text, style::plain(TEXT), color);
    let about = if is_missing { "The signal is not in the simulation any more" } else { "Click to change it" };
    if response.on_hover_text(format!("{text}\n{about}")).clicked() {
        state.open = if is_open { None } else { Some(number) };
    }
    let remove = widgets::icon_button_ui(&mut corner, Icon::Close, &format!("Remove {text}"));
    if remove.on_hover_text("Remove this requirement").clicked() {
        state.open = None;
        actions.push(Action::Apply(list.without(number).change("Remove requirement")));
    }
    if is_open {
        ui.push_id(("fields of a requirement", number), |ui| {
            fields_ui(ui, (state, lab), (list, number, entry), &text, actions);
        });
        ui.add_space(SPACE);
    }
}

/// Draws a margin at the right of a row; returns its width.
fn margin_ui(ui: &Ui, row: Rect, (text, is_met): (String, bool)) -> f32 {
    let theme = theme_of(ui.ctx());
    let color = if is_met { theme.success } else { theme.warning };
    let at = pos2(row.right() - SPACE, row.center().y);
    let drawn = ui.painter().text(at, Align2::RIGHT_CENTER, text, style::plain(TEXT_SMALL), color);
    drawn.width() + 2.0 * SPACE
}

/// Draws the check blocks of the simulation, which are requirements of their own.
fn checks_ui(
    ui: &mut Ui,
    list: &RequirementList,
    (lab, first): (&ResponseLab, usize),
    margins: &ShownMargins,
    actions: &mut Vec<Action>,
) {
    let checks = lab.now().map(|now| Arc::clone(&now.checks)).unwrap_or_default();
    if checks.is_empty() && list.has_checks {
        return;
    }
    let mut is_on = list.has_checks;
    let tick = widgets::check_ui(ui, &mut is_on, "Check blocks of the simulation");
    if tick.on_hover_text("Every check block has to pass in all steps").changed() {
        let mut changed = list.clone();
        changed.has_checks = is_on;
        actions.push(Action::Apply(changed.change("Switch check blocks as requirements")));
    }
    let theme = theme_of(ui.ctx());
    for (number, check) in checks.iter().enumerate() {
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW - 4.0), Sense::hover());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &check.name));
        let row = Rect::from_min_max(rect.min + vec2(BOX, 0.0), rect.max - vec2(BUTTON, 0.0));
        let right = margins.text(first + number).map_or(0.0, |margin| margin_ui(ui, row, margin));
        let room = Rect::from_min_max(row.min + vec2(SPACE, 0.0), pos2(row.right() - right, row.bottom()));
        widgets::text_in(ui, room, &check.name, style::plain(TEXT), theme.text);
    }
}

/// Draws the button that adds a requirement of a kind.
fn add_ui(ui: &mut Ui, state: &mut ResponseState, lab: &ResponseLab, actions: &mut Vec<Action>) {
    let Some(first) = state.choices.signals.first().map(|signal| signal.address.clone()) else {
        ui.label(widgets::weak(ui, "The simulation has no signals"));
        return;
    };
    ui.add_space(0.5 * SPACE);
    let button = ui.button("Add requirement…").on_hover_text("Choose what the response must do");
    let mut added = None;
    egui::Popup::menu(&button).show(|ui| {
        ui.set_min_width(170.0);
        for row in &KINDS {
            if ui.button(row.name).on_hover_text(row.about).clicked() {
                added = Some(row.kind);
            }
        }
    });
    let Some(kind) = added else { return };
    // The signal of the last one is most likely meant again.
    let last = state.list.entries.last().and_then(|entry| entry.any.first()).map(|one| one.signal().to_owned());
    let signal = last.filter(|signal| state.choices.find(signal).is_some()).unwrap_or(first);
    let condition = condition_on(state, lab, kind, &signal);
    state.open = Some(state.list.entries.len());
    actions.push(Action::Apply(state.list.with(RequirementEntry::new(condition)).change("Add requirement")));
}

/// Returns a condition of a kind on a signal, with numbers of its curve.
fn condition_on(state: &ResponseState, lab: &ResponseLab, kind: RequirementKind, signal: &str) -> Condition {
    let now = lab.now();
    let key = state.choices.find(signal).map(|(_, signal)| &signal.key);
    let curves = now.and_then(|now| now.response.scenarios.first());
    let curve = curves.and_then(|curves| curves.iter().find(|curve| Some(&curve.signal) == key));
    let points = curve.and_then(|curve| curve.elements.first()).map(|points| &**points);
    kind.condition(signal, &state.defaults(now.map_or(0.0, |now| now.seconds), points))
}

/// Draws the fields of a requirement.
fn fields_ui(
    ui: &mut Ui,
    (state, lab): (&mut ResponseState, &ResponseLab),
    (list, number, entry): (&RequirementList, usize, &RequirementEntry),
    text: &str,
    actions: &mut Vec<Action>,
) {
    let mut changed: Option<RequirementEntry> = None;
    if let [condition] = &entry.any[..] {
        let mut edited = condition.clone();
        ui.horizontal(|ui| {
            ui.add_space(INDENT);
            let width = (ui.available_width() - ui.spacing().item_spacing.x) / 2.0 - 1.0;
            signal_ui(ui, state, ("Signal of the requirement", width), &mut edited);
            kind_ui(ui, width, &mut edited, (state, lab));
        });
        ui.horizontal(|ui| {
            ui.add_space(INDENT);
            numbers_ui(ui, state, &mut edited);
        });
        if edited != *condition {
            changed = Some(RequirementEntry { any: vec![edited], ..entry.clone() });
        }
    }
    ui.horizontal(|ui| {
        ui.add_space(INDENT);
        ui.label(widgets::weak(ui, "as text"));
        let ResponseState { choices, editing, .. } = state;
        let width = ui.available_width() - 2.0;
        let field = Field::new("Requirement as text", text).width(width);
        let problem = |text: &str| choices.typed(text).err();
        if let Some(typed) = field.text_ui(ui, editing, &problem)
            && let Ok(typed) = choices.typed(&typed)
        {
            changed = Some(RequirementEntry { is_on: entry.is_on, ..typed });
        }
    });
    if let Some(changed) = changed.filter(|changed| changed != entry) {
        actions.push(Action::Apply(list.changed(number, |entry| *entry = changed).change("Change requirement")));
    }
}

/// Draws the choice of a signal.
fn signal_ui(ui: &mut Ui, state: &mut ResponseState, (label, width): (&str, f32), condition: &mut Condition) {
    if let Some(address) = choice_of_signal_ui(ui, state, (label, width), condition.signal()) {
        condition.set_signal(&address);
    }
}

/// Draws the choice of a signal; returns the address of another one.
pub fn choice_of_signal_ui(
    ui: &mut Ui,
    state: &mut ResponseState,
    (label, width): (&str, f32),
    address: &str,
) -> Option<String> {
    let ResponseState { choices, signal_search, .. } = state;
    let known = choices.find(address);
    let name_of = |number: usize| choices.signals.get(number).map_or("", |signal| &*signal.name);
    let shown = known.map_or("missing", |(_, signal)| &*signal.name);
    let choice = SignalChoice {
        label,
        shown,
        is_weak: known.is_none(),
        about: &format!("{label}: {shown}"),
        none: None,
        width,
        count: choices.signals.len(),
        name_of: &name_of,
        chosen: known.map(|(number, _)| number),
    };
    match signal_choice::show_ui(ui, &choice, signal_search) {
        Picked::Signal(number) => choices.signals.get(number).map(|signal| signal.address.clone()),
        Picked::Nothing | Picked::None => None,
    }
}

/// Draws the choice of the kind. Another kind keeps the signal.
fn kind_ui(ui: &mut Ui, width: f32, condition: &mut Condition, (state, lab): (&ResponseState, &ResponseLab)) {
    let kind = RequirementKind::of(condition);
    let mut chosen = kind;
    widgets::choice_ui(ui, "Kind of requirement", kind.name(), width, |ui| {
        for row in &KINDS {
            ui.selectable_value(&mut chosen, row.kind, row.name).on_hover_text(row.about);
        }
    });
    if chosen != kind {
        let signal = condition.signal().to_owned();
        *condition = condition_on(state, lab, chosen, &signal);
    }
}

/// Draws the numbers of a condition.
fn numbers_ui(ui: &mut Ui, state: &mut ResponseState, condition: &mut Condition) {
    let unit = unit_of(condition);
    match condition {
        Condition::Value { bound, window, .. } => {
            number_ui(ui, state, ("Bound", "", "The value that the signal is compared with"), bound);
            let before = *window;
            let times = [
                (&mut window.0, "from", "Start time", "start", f64::NEG_INFINITY),
                (&mut window.1, "to", "End time", "end", f64::INFINITY),
            ];
            for (time, word, label, hint, otherwise) in times {
                ui.label(widgets::weak(ui, word));
                time_ui(ui, state, (label, hint, otherwise), time);
            }
            ui.label(widgets::weak(ui, "s"));
            if window.0 > window.1 {
                *window = before;
            }
        }
        Condition::Figure { figure, relation, bound, .. } => {
            relation_ui(ui, *figure, relation);
            number_ui(ui, state, ("Bound", unit, "The value that the figure is compared with"), bound);
            ui.label(widgets::weak(ui, unit));
        }
        Condition::Follows { source, tolerance, .. } => {
            let width = (ui.available_width() - NUMBER - 70.0).max(NUMBER);
            let field = Field::new("Reference curve", source).width(width);
            let problem = |text: &str| text.trim().is_empty().then(|| "Expected FILE:COLUMN".to_owned());
            if let Some(text) = field.text_ui(ui, &mut state.editing, &problem) {
                text.trim().clone_into(source);
            }
            ui.label(widgets::weak(ui, "within"));
            number_ui(ui, state, ("Distance", "", "How far the signal may be from the curve"), tolerance);
        }
    }
}

fn relation_ui(ui: &mut Ui, figure: Figure, relation: &mut Relation) {
    let shown = if relation.is_upper() { "at most" } else { "at least" };
    let label = format!("Relation of {}", super::kind::figure_name(figure));
    let mut chosen = relation.is_upper();
    widgets::choice_ui(ui, &label, shown, 84.0, |ui| {
        ui.selectable_value(&mut chosen, true, "at most");
        ui.selectable_value(&mut chosen, false, "at least");
    });
    if chosen != relation.is_upper() {
        *relation = if chosen { Relation::AtMost } else { Relation::AtLeast };
    }
}

fn number_ui(ui: &mut Ui, state: &mut ResponseState, (label, unit, about): (&str, &str, &str), number: &mut f64) {
    let text = number_text(*number);
    let problem = |text: &str| typed::number(text).is_none().then(|| format!("“{text}” is not a number"));
    let field = Field::new(label, &text).width(NUMBER).unit(unit).number(Wanted::One);
    let response = ui.scope(|ui| field.text_ui(ui, &mut state.editing, &problem));
    response.response.on_hover_text(about);
    if let Some(found) = response.inner.and_then(|text| typed::number_with(&text, unit)) {
        *number = found;
    }
}

/// Draws a time that may be open.
fn time_ui(ui: &mut Ui, state: &mut ResponseState, (label, hint, otherwise): (&str, &str, f64), time: &mut f64) {
    let text = if time.is_finite() { number_text(*time) } else { String::new() };
    let problem = |text: &str| {
        let is_wrong = !text.trim().is_empty() && typed::number_with(text, "s").is_none();
        is_wrong.then(|| format!("“{text}” is not a time in seconds"))
    };
    let field = Field::new(label, &text).hint(hint).width(NUMBER).unit("s").number(Wanted::One);
    if let Some(text) = field.text_ui(ui, &mut state.editing, &problem) {
        *time = typed::number_with(&text, "s").unwrap_or(otherwise);
    }
}

/// The colour of a margin or of a region: calm where the requirement is met.
pub fn color_of(ui: &Ui, is_met: Option<bool>) -> Color32 {
    let theme = theme_of(ui.ctx());
    if is_met == Some(false) { theme.warning } else { style::mix(theme.panel, theme.text_weak, 0.8) }
}
