//! How each kind of widget looks, and what the user does with it.

use std::f32::consts::PI;

use eframe::egui::{
    self, Align2, Color32, CornerRadius, DragValue, FontId, Key, Pos2, Rect, Response, Role, Sense, Shape, Stroke,
    StrokeKind, Ui, WidgetInfo, pos2, vec2,
};

use crate::app::dashboard::{Widget, WidgetKind};
use crate::app::numbers;
use crate::app::style;
use crate::app::theme::{TEXT, TEXT_SMALL, Theme};
use crate::app::widgets::{self, theme_of};

/// What is known of a widget.
pub struct Shown<'a> {
    pub value: Option<f64>,
    pub name: &'a str,
    /// It can be used; else it is being placed.
    pub is_active: bool,
}

/// What the user did with a control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turned {
    /// It is being turned and stands here.
    To(f64),
    /// It was let go here.
    Done(f64),
    /// A push button is down or up again.
    Pressed(f64),
}

const TITLE: f32 = 17.0;
/// From where to where a knob or gauge goes, with the clock from the right.
const FROM: f32 = 0.75 * PI;
const TO: f32 = 2.25 * PI;

pub fn show_ui(ui: &mut Ui, rect: Rect, widget: &Widget, shown: &Shown) -> Option<Turned> {
    let theme = theme_of(ui.ctx());
    if widget.kind == WidgetKind::Text {
        let text = if widget.label.is_empty() { "Text" } else { &widget.label };
        widgets::text_in(ui, rect, text, style::strong(TEXT), theme.text);
        return None;
    }
    let room = title_ui(ui, rect, shown.name);
    if widget.binding.is_none() {
        let text = if shown.is_active { "not bound" } else { "click to bind" };
        ui.painter().text(room.center(), Align2::CENTER_CENTER, text, style::plain(TEXT_SMALL), theme.text_weak);
        return None;
    }
    match widget.kind {
        WidgetKind::Slider => slider_ui(ui, room, widget, shown, theme),
        WidgetKind::Knob => knob_ui(ui, room, widget, shown, theme),
        WidgetKind::Field => field_ui(ui, room, shown),
        WidgetKind::Switch => switch_ui(ui, room, widget, shown, theme),
        WidgetKind::Button => button_ui(ui, room, widget, shown),
        WidgetKind::Choice => choice_ui(ui, room, widget, shown),
        WidgetKind::Gauge => {
            gauge_ui(ui, room, widget, shown, theme);
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
        WidgetKind::Plot | WidgetKind::Text => None,
    }
}

/// The name above; gives what is left.
pub fn title_ui(ui: &Ui, rect: Rect, name: &str) -> Rect {
    let theme = theme_of(ui.ctx());
    let room = Rect::from_min_size(rect.min, vec2(rect.width(), TITLE));
    widgets::text_in(ui, room, name, style::plain(TEXT_SMALL), theme.text_weak);
    Rect::from_min_max(rect.min + vec2(0.0, TITLE), rect.max)
}

fn number_text(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| numbers::digits(value, 4))
}

fn told(response: &Response, ui: &Ui, role: Role, shown: &Shown) {
    let text = format!("{} {}", shown.name, number_text(shown.value));
    response.widget_info(|| WidgetInfo::labeled(role, ui.is_enabled(), &text));
}

/// Arrow keys turn by a hundredth of the scale, with Shift by a tenth.
fn keys(ui: &Ui, response: &Response, widget: &Widget, shown: &Shown) -> Option<Turned> {
    if !response.has_focus() {
        return None;
    }
    let filter = egui::EventFilter { horizontal_arrows: true, vertical_arrows: true, ..Default::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    let part = widget.part(shown.value?);
    let by = ui.input_mut(|input| {
        let step = if input.modifiers.shift { 0.1 } else { 0.01 };
        let up = [Key::ArrowUp, Key::ArrowRight].map(|key| input.num_presses(key)).iter().sum::<usize>();
        let down = [Key::ArrowDown, Key::ArrowLeft].map(|key| input.num_presses(key)).iter().sum::<usize>();
        (up as f64 - down as f64) * step
    });
    (by != 0.0).then(|| Turned::Done(widget.value(part + by)))
}

fn slider_ui(ui: &mut Ui, room: Rect, widget: &Widget, shown: &Shown, theme: &Theme) -> Option<Turned> {
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
    turned(&response, pointed.map(|part| widget.value(part))).or_else(|| keys(ui, &response, widget, shown))
}

fn handle(ui: &Ui, at: Pos2, radius: f32, response: &Response, theme: &Theme) {
    let is_hot = response.hovered() || response.dragged() || response.has_focus();
    let radius = if is_hot { radius + 1.0 } else { radius };
    ui.painter().circle(at, radius, theme.panel, Stroke::new(2.0, theme.accent));
    if response.has_focus() {
        ui.painter().circle_stroke(at, radius + 3.0, Stroke::new(1.5, theme.accent));
    }
}

/// While the pointer is down the value goes along; it counts when it is let go.
fn turned(response: &Response, value: Option<f64>) -> Option<Turned> {
    let value = value?;
    match () {
        () if response.drag_stopped() || response.clicked() => Some(Turned::Done(value)),
        () if response.dragged() => Some(Turned::To(value)),
        () => None,
    }
}

fn knob_ui(ui: &mut Ui, room: Rect, widget: &Widget, shown: &Shown, theme: &Theme) -> Option<Turned> {
    let (dial, number) = dial_of(room);
    let response = ui.interact(dial.expand(4.0), ui.scope_id().with("knob"), Sense::click_and_drag());
    told(&response, ui, Role::Slider, shown);
    let part = shown.value.map_or(0.0, |value| widget.part(value)) as f32;
    let radius = dial.width() / 2.0;
    arc(ui, dial.center(), radius - 3.0, 1.0, 4.0, style::mix(theme.raised, theme.text, 0.16));
    arc(ui, dial.center(), radius - 3.0, part, 4.0, theme.accent);
    let is_hot = response.hovered() || response.dragged();
    let fill = style::mix(theme.raised, theme.text, if is_hot { 0.10 } else { 0.05 });
    ui.painter().circle(dial.center(), radius - 9.0, fill, Stroke::new(1.0, theme.line));
    let angle = FROM + (TO - FROM) * part;
    let way = vec2(angle.cos(), angle.sin());
    let line = [dial.center() + way * (radius - 20.0).max(4.0), dial.center() + way * (radius - 11.0)];
    ui.painter().line_segment(line, Stroke::new(3.0, theme.accent));
    if response.has_focus() {
        ui.painter().circle_stroke(dial.center(), radius + 2.0, Stroke::new(1.5, theme.accent));
    }
    let font = FontId::monospace(TEXT_SMALL + 0.5);
    ui.painter().text(number.center(), Align2::CENTER_CENTER, number_text(shown.value), font, theme.text);
    // Up and to the right is more; with Shift finely. What was begun with is kept until it is let go.
    let id = response.id.with("part");
    if response.drag_started() {
        ui.data_mut(|data| data.insert_temp(id, f64::from(part)));
    }
    let mut place: f64 = ui.data(|data| data.get_temp(id)).unwrap_or(f64::from(part));
    if response.dragged() {
        let fine = if ui.input(|input| input.modifiers.shift) { 0.1 } else { 1.0 };
        let by = response.drag_delta();
        place = (place + fine * f64::from(by.x - by.y) / 160.0).clamp(0.0, 1.0);
        ui.data_mut(|data| data.insert_temp(id, place));
    }
    let response_turned = match () {
        () if response.drag_stopped() => Some(Turned::Done(widget.value(place))),
        () if response.dragged() => Some(Turned::To(widget.value(place))),
        () => None,
    };
    response_turned.or_else(|| keys(ui, &response, widget, shown))
}

/// A square above, a line for the number below.
fn dial_of(room: Rect) -> (Rect, Rect) {
    let number = Rect::from_min_max(pos2(room.left(), room.bottom() - 16.0), room.max);
    let above = Rect::from_min_max(room.min, pos2(room.right(), number.top()));
    let side = above.width().min(above.height()).max(24.0);
    (Rect::from_center_size(above.center(), vec2(side, side)), number)
}

fn arc(ui: &Ui, center: Pos2, radius: f32, part: f32, width: f32, color: Color32) {
    const PIECES: u16 = 48;
    if part <= 0.0 {
        return;
    }
    let point = |piece: u16| {
        let angle = FROM + (TO - FROM) * part * f32::from(piece) / f32::from(PIECES);
        center + radius * vec2(angle.cos(), angle.sin())
    };
    ui.painter().add(Shape::line((0..=PIECES).map(point).collect(), Stroke::new(width, color)));
}

fn gauge_ui(ui: &mut Ui, room: Rect, widget: &Widget, shown: &Shown, theme: &Theme) {
    let (dial, number) = dial_of(room);
    let response = ui.interact(dial, ui.scope_id().with("gauge"), Sense::hover());
    told(&response, ui, Role::Label, shown);
    let (center, radius) = (dial.center(), dial.width() / 2.0 - 3.0);
    arc(ui, center, radius, 1.0, 5.0, style::mix(theme.raised, theme.text, 0.14));
    let part = shown.value.filter(|value| value.is_finite()).map(|value| widget.part(value) as f32);
    let is_beyond =
        shown.value.is_some_and(|value| value < widget.low.min(widget.high) || value > widget.low.max(widget.high));
    let color = if is_beyond { theme.warning } else { theme.accent };
    arc(ui, center, radius, part.unwrap_or(0.0), 5.0, color);
    for tick in 0..=10_u8 {
        let angle = FROM + (TO - FROM) * f32::from(tick) / 10.0;
        let way = vec2(angle.cos(), angle.sin());
        let length = if tick % 5 == 0 { 6.0 } else { 3.0 };
        let line = [center + way * (radius - 6.0), center + way * (radius - 6.0 - length)];
        ui.painter().line_segment(line, Stroke::new(1.0, theme.text_weak));
    }
    if let Some(part) = part {
        let angle = FROM + (TO - FROM) * part;
        let way = vec2(angle.cos(), angle.sin());
        ui.painter()
            .line_segment([center - way * 5.0, center + way * (radius - 15.0).max(6.0)], Stroke::new(2.0, color));
        ui.painter().circle_filled(center, 4.0, color);
    }
    let small = style::plain(TEXT_SMALL - 1.5);
    for (angle, value) in [(FROM, widget.low), (TO, widget.high)] {
        let at = center + (radius - 2.0) * vec2(angle.cos(), angle.sin()) + vec2(0.0, 8.0);
        ui.painter().text(at, Align2::CENTER_CENTER, numbers::digits(value, 3), small.clone(), theme.text_weak);
    }
    let font = FontId::monospace(TEXT);
    ui.painter().text(number.center(), Align2::CENTER_CENTER, number_text(shown.value), font, theme.text);
}

fn bar_ui(ui: &mut Ui, room: Rect, widget: &Widget, shown: &Shown, theme: &Theme) {
    let response = ui.interact(room, ui.scope_id().with("bar"), Sense::hover());
    told(&response, ui, Role::Label, shown);
    let number = Rect::from_min_max(pos2(room.right() - 66.0, room.top()), room.max);
    let track =
        Rect::from_min_max(pos2(room.left(), room.top() + 4.0), pos2(number.left() - 6.0, room.bottom() - 14.0));
    let track = Rect::from_center_size(track.center(), vec2(track.width(), track.height().clamp(6.0, 16.0)));
    ui.painter().rect_filled(track, 3.0, style::mix(theme.raised, theme.text, 0.12));
    if let Some(value) = shown.value.filter(|value| value.is_finite()) {
        // From 0 where that lies on the scale.
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

/// Whether a value is nearer to on than to off.
fn is_on(widget: &Widget, value: Option<f64>) -> bool {
    value.is_some_and(|value| (value - widget.on).abs() < (value - widget.off).abs())
}

fn lamp_ui(ui: &mut Ui, room: Rect, widget: &Widget, shown: &Shown, theme: &Theme) {
    let response = ui.interact(room, ui.scope_id().with("lamp"), Sense::hover());
    let is_lit = is_on(widget, shown.value)
        || shown.value.is_some_and(|value| {
            // Beyond on, away from off, is on too.
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

fn display_ui(ui: &mut Ui, room: Rect, shown: &Shown, theme: &Theme) {
    let response = ui.interact(room, ui.scope_id().with("display"), Sense::hover());
    told(&response, ui, Role::Label, shown);
    let size = (room.height() * 0.72).clamp(12.0, 40.0);
    let text = number_text(shown.value);
    // As large as the room allows.
    let fitting = size.min(room.width() / (text.chars().count().max(1) as f32 * 0.62));
    ui.painter().text(room.left_center(), Align2::LEFT_CENTER, text, FontId::monospace(fitting), theme.text);
}

fn switch_ui(ui: &mut Ui, room: Rect, widget: &Widget, shown: &Shown, theme: &Theme) -> Option<Turned> {
    let size = vec2(40.0, 22.0);
    let rect = Rect::from_min_size(pos2(room.left(), room.center().y - size.y / 2.0), size);
    let response = ui.interact(rect, ui.scope_id().with("switch"), Sense::click());
    let on = is_on(widget, shown.value);
    let name = shown.name.to_owned();
    response.widget_info(|| WidgetInfo::selected(Role::Switch, ui.is_enabled(), on, &name));
    let fill = if on { theme.accent } else { style::mix(theme.raised, theme.text, 0.2) };
    ui.painter().rect(rect, CornerRadius::same(11), fill, Stroke::NONE, StrokeKind::Inside);
    let x = if on { rect.right() - 11.0 } else { rect.left() + 11.0 };
    ui.painter().circle_filled(pos2(x, rect.center().y), 8.0, Color32::WHITE);
    widgets::focus_ring(ui, &response, 11);
    let font = FontId::monospace(TEXT_SMALL);
    let at = rect.right_center() + vec2(10.0, 0.0);
    ui.painter().text(at, Align2::LEFT_CENTER, number_text(shown.value), font, theme.text_weak);
    response.clicked().then_some(Turned::Done(if on { widget.off } else { widget.on }))
}

fn button_ui(ui: &mut Ui, room: Rect, widget: &Widget, shown: &Shown) -> Option<Turned> {
    let theme = theme_of(ui.ctx());
    let rect = Rect::from_center_size(room.center(), vec2(room.width(), room.height().min(32.0)));
    let response = ui.interact(rect, ui.scope_id().with("button"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), format!("Push {}", shown.name)));
    let is_down = response.is_pointer_button_down_on();
    let fill = match (is_down, response.hovered()) {
        (true, _) => theme.accent,
        (false, true) => style::mix(theme.raised, theme.accent, 0.2),
        (false, false) => style::mix(theme.raised, theme.text, 0.07),
    };
    let text = if is_down { theme.on_accent } else { theme.text };
    ui.painter().rect(rect, CornerRadius::same(6), fill, Stroke::new(1.0, theme.line), StrokeKind::Inside);
    ui.painter().text(rect.center(), Align2::CENTER_CENTER, "Push", style::strong(TEXT_SMALL + 0.5), text);
    widgets::focus_ring(ui, &response, 6);
    let id = response.id.with("down");
    let was_down: bool = ui.data(|data| data.get_temp(id)).unwrap_or(false);
    ui.data_mut(|data| data.insert_temp(id, is_down));
    (is_down != was_down).then_some(Turned::Pressed(if is_down { widget.on } else { widget.off }))
}

fn field_ui(ui: &mut Ui, room: Rect, shown: &Shown) -> Option<Turned> {
    let mut value = shown.value?;
    let before = value;
    let rect = Rect::from_center_size(room.center(), vec2(room.width(), 26.0));
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(rect).id_salt("field"));
    let field =
        child.add_sized(rect.size(), DragValue::new(&mut value).speed(before.abs().max(1.0) * 0.005).max_decimals(9));
    told(&field, ui, Role::SpinButton, shown);
    match () {
        () if field.drag_stopped() => Some(Turned::Done(value)),
        () if field.dragged() && value != before => Some(Turned::To(value)),
        () if value != before => Some(Turned::Done(value)),
        () => None,
    }
}

fn choice_ui(ui: &mut Ui, room: Rect, widget: &Widget, shown: &Shown) -> Option<Turned> {
    let rect = Rect::from_center_size(room.center(), vec2(room.width(), 26.0));
    let known = widget.choices.iter().find(|(_, value)| Some(*value) == shown.value);
    let text = known.map_or_else(|| number_text(shown.value), |(name, _)| name.clone());
    let mut chosen = None;
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(rect).id_salt("choice"));
    widgets::choice_ui(&mut child, shown.name, &text, rect.width(), |ui| {
        for (name, value) in &widget.choices {
            if ui.selectable_label(Some(*value) == shown.value, name).clicked() {
                chosen = Some(Turned::Done(*value));
            }
        }
        if widget.choices.is_empty() {
            ui.label(widgets::weak(ui, "Set what it offers in Edit layout"));
        }
    });
    chosen
}
