//! The rows of forms: a label and a field at its right, or below it in narrow panels.
//!
//! In a form with [`Columns`] all rows have four of them: label, value, unit and action. A field is as wide as
//! [`value_width`] says; after it [`end_ui`] draws the unit and the action.

use eframe::egui::{self, Id, Response, Sense, Ui, UiBuilder, UiStackInfo, WidgetInfo, vec2};

use super::icons::Icon;
use super::theme::{SPACE, TEXT_SMALL};
use super::widgets::{self, theme_of};
use super::{style, units};

const LABEL: f32 = 96.0;

/// Labels are at most this wide.
const WIDEST_LABEL: f32 = 168.0;

/// Below this width labels are above their fields.
const NARROW: f32 = 215.0;

/// The width of the column of actions: one icon button.
const ACTION: f32 = 28.0;

/// Units that are wider than this are cut; their tooltip has them whole.
const WIDEST_UNIT: f32 = 64.0;

/// A value has at least this width, whatever the unit.
const NARROWEST_VALUE: f32 = 72.0;

/// The widths of the columns of a form.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Columns {
    label: f32,
    unit: f32,
}

impl Columns {
    const TAG: &str = "columns of a form";

    fn of(ui: &Ui) -> Option<Columns> {
        ui.stack().iter().find_map(|stack| stack.tags().get_downcast::<Columns>(Columns::TAG).copied())
    }
}

/// Draws a form whose rows all have the same columns. The column of units is as wide as the widest of `units`.
pub fn columns_ui<R>(ui: &mut Ui, units: &[String], content: impl FnOnce(&mut Ui) -> R) -> R {
    let width = |unit: &String| {
        let (font, color) = (style::plain(TEXT_SMALL), theme_of(ui.ctx()).text_weak);
        ui.painter().layout_no_wrap(units::shown(unit), font, color).size().x.ceil()
    };
    let unit = units.iter().map(width).fold(0.0, f32::max).min(WIDEST_UNIT);
    let label = (0.36 * ui.available_width()).clamp(LABEL, WIDEST_LABEL);
    let info = UiStackInfo::default().with_tag_value(Columns::TAG, Columns { label, unit });
    ui.scope_builder(UiBuilder::new().ui_stack_info(info), content).inner
}

/// Returns the width of the value in a row: that which the unit and the action leave.
pub fn value_width(ui: &Ui) -> f32 {
    let Some(Columns { unit, .. }) = Columns::of(ui) else { return ui.available_width() };
    let unit = if unit > 0.0 { unit + SPACE } else { 0.0 };
    (ui.available_width() - unit - ACTION - SPACE).max(NARROWEST_VALUE.min(ui.available_width()))
}

/// Returns the width of a text or a choice in a row: it has no unit and takes that column, too.
pub fn text_width(ui: &Ui) -> f32 {
    let action = Columns::of(ui).map_or(0.0, |_| ACTION + SPACE);
    ui.available_width() - action
}

/// Draws the unit and the action of a row in their columns.
pub fn end_ui<R>(ui: &mut Ui, unit: &str, action: impl FnOnce(&mut Ui) -> R) -> R {
    let theme = theme_of(ui.ctx());
    let width = Columns::of(ui).map_or(0.0, |columns| columns.unit);
    let gaps = if width > 0.0 { SPACE } else { 0.0 };
    // The field before may be narrower than its column.
    let text = units::shown(unit);
    let taken = if text.is_empty() { 0.0 } else { gaps + width };
    let start = ui.max_rect().right() - ACTION - taken;
    ui.add_space((start - ui.cursor().left()).max(0.0));
    if taken > 0.0 {
        let (rect, response) = ui.allocate_exact_size(vec2(width, ui.spacing().interact_size.y), Sense::hover());
        widgets::text_in(ui, rect, &text, style::plain(TEXT_SMALL), theme.text_weak);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &text));
        response.on_hover_text(text);
    }
    action(ui)
}

/// Draws a label and, at its right or in narrow panels below it, the `field`.
pub fn row_ui<R>(ui: &mut Ui, label: &str, tooltip: &str, field: impl FnOnce(&mut Ui) -> R) -> R {
    if ui.available_width() < NARROW {
        return tall_row_ui(ui, label, tooltip, field);
    }
    let width = label_width(ui);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = SPACE;
        let height = ui.spacing().interact_size.y;
        let (rect, response) = ui.allocate_exact_size(vec2(width, height), egui::Sense::hover());
        label_ui(ui, rect, &response, (label, Face::Text), tooltip);
        field(ui)
    })
    .inner
}

/// The typeface of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    Text,
    /// The typeface of names that the user has chosen: I, l and 1 differ.
    Name,
}

/// A label that can be dragged.
#[derive(Clone, Copy)]
pub struct Handle<'a> {
    pub label: &'a str,
    pub face: Face,
    pub id: Id,
    pub tooltip: &'a str,
    /// Whether a drag has an effect.
    pub is_draggable: bool,
}

/// As [`row_ui`], with a label that can be dragged.
pub fn handle_ui(ui: &mut Ui, handle: &Handle, field: impl FnOnce(&mut Ui)) -> Response {
    let is_narrow = ui.available_width() < NARROW;
    let width = if is_narrow { ui.available_width() } else { label_width(ui) };
    let Handle { label, face, id, tooltip, is_draggable } = *handle;
    let handle = |ui: &mut Ui| {
        let height = if is_narrow { TEXT_SMALL + SPACE } else { ui.spacing().interact_size.y };
        let (rect, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
        // Clicks open the menu of the row.
        let response = ui.interact(rect, id, if is_draggable { Sense::click_and_drag() } else { Sense::click() });
        label_ui(ui, rect, &response, (label, face), tooltip);
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

/// Draws a label above the `field`.
pub fn tall_row_ui<R>(ui: &mut Ui, label: &str, tooltip: &str, field: impl FnOnce(&mut Ui) -> R) -> R {
    if !label.is_empty() {
        let size = vec2(ui.available_width(), TEXT_SMALL + SPACE);
        let (rect, response) = ui.allocate_exact_size(size, egui::Sense::hover());
        label_ui(ui, rect, &response, (label, Face::Text), tooltip);
        ui.add_space(-SPACE);
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = SPACE;
        field(ui)
    })
    .inner
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

/// Draws a mark at the end of the label of a row that began at `top`, with its meaning as the tooltip. The mark takes
/// no space, so that fields do not move when it appears.
pub fn badge_ui(ui: &Ui, top: f32, of: &str, tooltip: &str) {
    let theme = theme_of(ui.ctx());
    let room = ui.max_rect();
    let (right, height) = match room.width() < NARROW {
        true => (room.right(), TEXT_SMALL + SPACE),
        false => (room.left() + label_width(ui), ui.spacing().interact_size.y),
    };
    let rect = egui::Rect::from_center_size(egui::pos2(right - 7.0, top + height / 2.0), vec2(11.0, 11.0));
    let response = ui.interact(rect.expand(2.0), ui.scope_id().with((of, "badge")), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, format!("{of}: {tooltip}")));
    ui.painter().circle_filled(rect.center(), 8.0, theme.panel);
    Icon::Clock.paint(ui.painter(), rect, theme.warning);
    response.on_hover_text(tooltip);
}

fn label_ui(ui: &Ui, rect: egui::Rect, response: &egui::Response, (label, face): (&str, Face), tooltip: &str) {
    let theme = theme_of(ui.ctx());
    let font = match face {
        Face::Text => style::plain(TEXT_SMALL + 0.5),
        Face::Name => style::name(TEXT_SMALL + 0.5),
    };
    widgets::text_in(ui, rect, label, font, theme.text_weak);
    if !tooltip.is_empty() {
        response.clone().on_hover_text(tooltip);
    }
}

fn label_width(ui: &Ui) -> f32 {
    Columns::of(ui).map_or(LABEL, |columns| columns.label)
}

/// The indent of remarks below a field.
pub fn indent(ui: &Ui) -> f32 {
    if ui.available_width() < NARROW { 0.0 } else { label_width(ui) + SPACE }
}
