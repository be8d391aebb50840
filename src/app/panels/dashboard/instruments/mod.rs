//! Draws each kind of widget and handles its input.
//!
//! | module | contents |
//! |---|---|
//! | `dials` | round instruments: knobs, rotary switches, gauges |
//! | `switches` | switches between on and off, or between several values |

mod dials;
mod switches;

use eframe::egui::{
    self, Align2, Color32, DragValue, FontId, Key, Pos2, Rect, Response, Role, Sense, Stroke, Ui, WidgetInfo, pos2,
    vec2,
};

use crate::app::doc::dashboard::{Widget, WidgetKind};
use crate::app::doc::signal_value::value_text;
use crate::app::doc::typed;
use crate::app::ui::theme::{TEXT_SMALL, Theme};
use crate::app::ui::widgets::{self, theme_of};
use crate::app::ui::{numbers, style};

/// The data that a widget shows.
pub struct ControlReading<'a> {
    pub value: Option<f64>,
    pub name: &'a str,
    /// The widget accepts input; otherwise the layout is being edited.
    pub is_active: bool,
}

/// An edit by a control.
#[derive(Clone, Debug, PartialEq)]
pub enum ControlEdit {
    /// The value during a drag.
    To(f64),
    /// The value at the end of a drag.
    Done(f64),
    /// A push button was pressed or released.
    Pressed(f64),
    /// An expression was typed.
    Text(String),
}

const TITLE: f32 = 17.0;

pub fn show_ui(ui: &mut Ui, rect: Rect, widget: &Widget, shown: &ControlReading) -> Option<ControlEdit> {
    let theme = theme_of(ui.ctx());
    let room = title_ui(ui, rect, shown.name);
    if widget.binding.is_none() {
        let text = if shown.is_active { "not bound" } else { "click to bind" };
        ui.painter().text(room.center(), Align2::CENTER_CENTER, text, style::plain(TEXT_SMALL), theme.text_weak);
        return None;
    }
    match widget.kind {
        WidgetKind::Slider => slider_ui(ui, room, widget, shown, theme),
        WidgetKind::Knob => dials::knob_ui(ui, room, widget, shown, theme),
        WidgetKind::Rotary => dials::rotary_ui(ui, room, widget, shown, theme),
        WidgetKind::Field => field_ui(ui, room, shown),
        WidgetKind::Switch => switches::switch_ui(ui, room, widget, shown, theme),
        WidgetKind::Button => switches::button_ui(ui, room, widget, shown),
        WidgetKind::Choice => switches::choice_ui(ui, room, widget, shown),
        WidgetKind::Radio => switches::radio_ui(ui, room, widget, shown, theme),
        WidgetKind::Gauge | WidgetKind::HalfGauge | WidgetKind::QuarterGauge => {
            dials::gauge_ui(ui, room, widget, shown, theme);
            None
        }
        WidgetKind::Bar => {
            bar_ui(ui, room, widget, shown, theme);
            None
        }
        WidgetKind::Lamp => {
            lamp_ui(ui, room, widget, shown, theme);
            None
        }
        WidgetKind::Display => {
            display_ui(ui, room, shown, theme);
            None
        }
        _ => None,
    }
}

/// Draws the name; returns the remaining room.
pub fn title_ui(ui: &Ui, rect: Rect, name: &str) -> Rect {
    let theme = theme_of(ui.ctx());
    let room = Rect::from_min_size(rect.min, vec2(rect.width(), TITLE));
    widgets::text_in(ui, room, name, style::plain(TEXT_SMALL), theme.text_weak);
    Rect::from_min_max(rect.min + vec2(0.0, TITLE), rect.max)
}

fn number_text(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| value_text(value, 4))
}

fn told(response: &Response, ui: &Ui, role: Role, shown: &ControlReading) {
    let text = format!("{} {}", shown.name, number_text(shown.value));
    response.widget_info(|| WidgetInfo::labeled(role, ui.is_enabled(), &text));
}

/// Arrow keys change the value by a hundredth of the scale, with Shift by a tenth.
fn keys(ui: &Ui, response: &Response, widget: &Widget, shown: &ControlReading) -> Option<ControlEdit> {
    let by = arrows(ui, response);
    let step = if ui.input(|input| input.modifiers.shift) { 0.1 } else { 0.01 };
    let part = widget.part(shown.value?);
    (by != 0).then(|| ControlEdit::Done(widget.fine_value(part + by as f64 * step)))
}

/// Returns the number of increasing less decreasing arrow keys while the widget has the focus.
fn arrows(ui: &Ui, response: &Response) -> i64 {
    if !response.has_focus() {
        return 0;
    }
    let filter = egui::EventFilter { horizontal_arrows: true, vertical_arrows: true, ..Default::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    ui.input(|input| {
        let count = |keys: [Key; 2]| keys.map(|key| input.num_presses(key)).iter().sum::<usize>() as i64;
        count([Key::ArrowUp, Key::ArrowRight]) - count([Key::ArrowDown, Key::ArrowLeft])
    })
}

fn slider_ui(ui: &mut Ui, room: Rect, widget: &Widget, shown: &ControlReading, theme: &Theme) -> Option<ControlEdit> {
    let number = Rect::from_min_max(pos2(room.right() - 66.0, room.top()), room.max);
    let track = Rect::from_min_max(room.min + vec2(8.0, 0.0), pos2(number.left() - 8.0, room.bottom()));
    let response = ui.interact(track.expand2(vec2(8.0, 0.0)), ui.scope_id().with("slider"), Sense::click_and_drag());
    told(&response, ui, Role::Slider, shown);
    let part = shown.value.map_or(0.0, |value| widget.part(value)) as f32;
    let y = track.center().y;
    let at = pos2(track.left() + part * track.width(), y);
    let line = Rect::from_min_max(pos2(track.left(), y - 2.0), pos2(track.right(), y + 2.0));
    ui.painter().rect_filled(line, 2.0, style::mix(theme.raised, theme.text, 0.16));
    ui.painter().rect_filled(line.with_max_x(at.x), 2.0, theme.accent);
    handle(ui, at, 8.0, &response, theme);
    let font = FontId::monospace(TEXT_SMALL + 0.5);
    ui.painter().text(number.right_center(), Align2::RIGHT_CENTER, number_text(shown.value), font, theme.text);
    let pointed = response.interact_pointer_pos().map(|at| f64::from((at.x - track.left()) / track.width()));
    let value = |part| match ui.input(|input| input.modifiers.shift) {
        true => widget.fine_value(part),
        false => widget.value_beyond(part),
    };
    turned(&response, pointed.map(value)).or_else(|| keys(ui, &response, widget, shown))
}

fn handle(ui: &Ui, at: Pos2, radius: f32, response: &Response, theme: &Theme) {
    let is_hot = response.hovered() || response.dragged() || response.has_focus();
    let radius = if is_hot { radius + 1.0 } else { radius };
    ui.painter().circle(at, radius, theme.panel, Stroke::new(2.0, theme.accent));
    if response.has_focus() {
        ui.painter().circle_stroke(at, radius + 3.0, Stroke::new(1.5, theme.accent));
    }
}

/// Returns the edit of a drag: provisional while the pointer is down, final on release.
fn turned(response: &Response, value: Option<f64>) -> Option<ControlEdit> {
    let value = value?;
    match () {
        () if response.drag_stopped() || response.clicked() => Some(ControlEdit::Done(value)),
        () if response.dragged() => Some(ControlEdit::To(value)),
        () => None,
    }
}

fn bar_ui(ui: &mut Ui, room: Rect, widget: &Widget, shown: &ControlReading, theme: &Theme) {
    let response = ui.interact(room, ui.scope_id().with("bar"), Sense::hover());
    told(&response, ui, Role::Label, shown);
    let number = Rect::from_min_max(pos2(room.right() - 66.0, room.top()), room.max);
    let track =
        Rect::from_min_max(pos2(room.left(), room.top() + 4.0), pos2(number.left() - 6.0, room.bottom() - 14.0));
    let track = Rect::from_center_size(track.center(), vec2(track.width(), track.height().clamp(6.0, 16.0)));
    ui.painter().rect_filled(track, 3.0, style::mix(theme.raised, theme.text, 0.12));
    if let Some(value) = shown.value.filter(|value| value.is_finite()) {
        // The bar starts at 0 if the scale contains it.
        let zero = widget.part(0.0_f64.clamp(widget.low.min(widget.high), widget.low.max(widget.high))) as f32;
        let (from, to) = (zero * track.width(), widget.part(value) as f32 * track.width());
        let filled = Rect::from_x_y_ranges(
            track.left() + from.min(to)..=track.left() + from.max(to),
            track.top()..=track.bottom(),
        );
        ui.painter().rect_filled(filled, 3.0, theme.accent);
    }
    let small = style::plain(TEXT_SMALL - 1.5);
    for (align, at, value) in
        [(Align2::LEFT_TOP, track.left_bottom(), widget.low), (Align2::RIGHT_TOP, track.right_bottom(), widget.high)]
    {
        let text = numbers::digits(value, 3);
        ui.painter().text(at + vec2(0.0, 2.0), align, text, small.clone(), theme.text_weak);
    }
    let font = FontId::monospace(TEXT_SMALL + 0.5);
    let at = pos2(number.right(), track.center().y);
    ui.painter().text(at, Align2::RIGHT_CENTER, number_text(shown.value), font, theme.text);
}

/// Returns whether a value is nearer to on than to off.
fn is_on(widget: &Widget, value: Option<f64>) -> bool {
    value.is_some_and(|value| (value - widget.on).abs() < (value - widget.off).abs())
}

fn lamp_ui(ui: &mut Ui, room: Rect, widget: &Widget, shown: &ControlReading, theme: &Theme) {
    let response = ui.interact(room, ui.scope_id().with("lamp"), Sense::hover());
    let is_lit = is_on(widget, shown.value)
        || shown.value.is_some_and(|value| {
            // Values beyond on are on too.
            (value - widget.off).abs() >= (widget.on - widget.off).abs()
                && (value > widget.off) == (widget.on > widget.off)
        });
    let state = if is_lit { "on" } else { "off" };
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{} {state}", shown.name)));
    let radius = (room.height() / 2.0 - 3.0).clamp(5.0, 26.0);
    let at = room.center();
    if is_lit {
        ui.painter().circle_filled(at, radius + 4.0, theme.success.gamma_multiply(0.25));
        ui.painter().circle(at, radius, theme.success, Stroke::new(1.0, style::mix(theme.success, theme.text, 0.3)));
    } else {
        ui.painter().circle(at, radius, style::mix(theme.raised, theme.text, 0.12), Stroke::new(1.0, theme.line));
    }
    let shine = at - vec2(radius, radius) * 0.32;
    ui.painter().circle_filled(shine, radius * 0.22, Color32::from_white_alpha(if is_lit { 110 } else { 40 }));
}

fn display_ui(ui: &mut Ui, room: Rect, shown: &ControlReading, theme: &Theme) {
    let response = ui.interact(room, ui.scope_id().with("display"), Sense::hover());
    told(&response, ui, Role::Label, shown);
    let size = (room.height() * 0.72).clamp(12.0, 40.0);
    let text = number_text(shown.value);
    // The largest font that fits.
    let fitting = size.min(room.width() / (text.chars().count().max(1) as f32 * 0.62));
    ui.painter().text(room.left_center(), Align2::LEFT_CENTER, text, FontId::monospace(fitting), theme.text);
}

fn field_ui(ui: &mut Ui, room: Rect, shown: &ControlReading) -> Option<ControlEdit> {
    let mut value = shown.value?;
    let before = value;
    let rect = Rect::from_center_size(room.center(), vec2(room.width(), 26.0));
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(rect).id_salt("field"));
    let field = child.add_sized(
        rect.size(),
        DragValue::new(&mut value).speed(before.abs().max(1.0) * 0.005).max_decimals(9).custom_parser(typed::number),
    );
    told(&field, ui, Role::SpinButton, shown);
    match () {
        () if field.drag_stopped() => Some(ControlEdit::Done(value)),
        () if field.dragged() && value != before => Some(ControlEdit::To(value)),
        () if value != before => Some(ControlEdit::Done(value)),
        () => None,
    }
}
