//! Round instruments: knobs, rotary switches, gauges.

use std::f32::consts::{FRAC_PI_2, PI};

use eframe::egui::text::{LayoutJob, TextWrapping};
use eframe::egui::{Align2, Color32, FontId, Pos2, Rect, Role, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo, pos2, vec2};

use super::{ControlEdit, ControlReading, keys, number_text, told};
use crate::app::doc::dashboard::{Widget, WidgetKind};
use crate::app::ui::theme::{TEXT, TEXT_SMALL, Theme};
use crate::app::ui::{numbers, style};

pub fn knob_ui(ui: &mut Ui, room: Rect, widget: &Widget, shown: &ControlReading, theme: &Theme) -> Option<ControlEdit> {
    let (dial, number) = dial_of(room);
    let response = ui.interact(dial.expand(4.0), ui.scope_id().with("knob"), Sense::click_and_drag());
    told(&response, ui, Role::Slider, shown);
    let part = shown.value.map_or(0.0, |value| widget.part(value)) as f32;
    let radius = dial.width() / 2.0;
    let scale = Scale { center: dial.center(), radius: radius - 3.0, ..Scale::ROUND };
    scale.arc(ui, 1.0, 4.0, style::mix(theme.raised, theme.text, 0.16));
    scale.arc(ui, part, 4.0, theme.accent);
    let is_hot = response.hovered() || response.dragged();
    let fill = style::mix(theme.raised, theme.text, if is_hot { 0.10 } else { 0.05 });
    ui.painter().circle(dial.center(), radius - 9.0, fill, Stroke::new(1.0, theme.line));
    let way = scale.way(part);
    let line = [dial.center() + way * (radius - 20.0).max(4.0), dial.center() + way * (radius - 11.0)];
    ui.painter().line_segment(line, Stroke::new(3.0, theme.accent));
    if response.has_focus() {
        ui.painter().circle_stroke(dial.center(), radius + 2.0, Stroke::new(1.5, theme.accent));
    }
    let font = FontId::monospace(TEXT_SMALL + 0.5);
    ui.painter().text(number.center(), Align2::CENTER_CENTER, number_text(shown.value), font, theme.text);
    // Up and right increase; Shift makes fine steps. The value at the start of the drag is kept until release.
    let id = response.id.with("part");
    if response.drag_started() {
        ui.data_mut(|data| data.insert_temp(id, f64::from(part)));
    }
    let mut position: f64 = ui.data(|data| data.get_temp(id)).unwrap_or(f64::from(part));
    if response.dragged() {
        let fine = if ui.input(|input| input.modifiers.shift) { 0.1 } else { 1.0 };
        let by = response.drag_delta();
        position = (position + fine * f64::from(by.x - by.y) / 160.0).clamp(0.0, 1.0);
        ui.data_mut(|data| data.insert_temp(id, position));
    }
    let response_turned = match () {
        () if response.drag_stopped() => Some(ControlEdit::Done(widget.value(position))),
        () if response.dragged() => Some(ControlEdit::To(widget.value(position))),
        () => None,
    };
    response_turned.or_else(|| keys(ui, &response, widget, shown))
}

/// Draws a gauge: a pointer over a scale of three quarters, a half or a quarter of a circle.
pub fn gauge_ui(ui: &mut Ui, room: Rect, widget: &Widget, shown: &ControlReading, theme: &Theme) {
    let (dial, number) = dial_of(room);
    let scale = match widget.kind {
        WidgetKind::HalfGauge => {
            // The full width, and half as high.
            let radius = (dial_room(room).width() / 2.0).min(dial_room(room).height() - 14.0).max(12.0);
            Scale { center: pos2(room.center().x, number.top() - 12.0), radius, from: PI, to: 2.0 * PI }
        }
        WidgetKind::QuarterGauge => {
            let radius = (dial_room(room).width() - 10.0).min(dial_room(room).height() - 14.0).max(12.0);
            let center = pos2(room.center().x + radius / 2.0, number.top() - 12.0);
            Scale { center, radius, from: PI, to: 1.5 * PI }
        }
        _ => Scale { center: dial.center(), radius: dial.width() / 2.0 - 3.0, ..Scale::ROUND },
    };
    let response = ui.interact(dial, ui.scope_id().with("gauge"), Sense::hover());
    told(&response, ui, Role::Label, shown);
    let Scale { center, radius, .. } = scale;
    scale.arc(ui, 1.0, 5.0, style::mix(theme.raised, theme.text, 0.14));
    let part = shown.value.filter(|value| value.is_finite()).map(|value| widget.part(value) as f32);
    let is_beyond =
        shown.value.is_some_and(|value| value < widget.low.min(widget.high) || value > widget.low.max(widget.high));
    let color = if is_beyond { theme.warning } else { theme.accent };
    scale.arc(ui, part.unwrap_or(0.0), 5.0, color);
    for tick in 0..=10_u8 {
        let way = scale.way(f32::from(tick) / 10.0);
        let length = if tick % 5 == 0 { 6.0 } else { 3.0 };
        let line = [center + way * (radius - 6.0), center + way * (radius - 6.0 - length)];
        ui.painter().line_segment(line, Stroke::new(1.0, theme.text_weak));
    }
    if let Some(part) = part {
        let way = scale.way(part);
        let back = if widget.kind == WidgetKind::Gauge { 5.0 } else { 0.0 };
        ui.painter()
            .line_segment([center - way * back, center + way * (radius - 15.0).max(6.0)], Stroke::new(2.0, color));
        ui.painter().circle_filled(center, 4.0, color);
    }
    let small = style::plain(TEXT_SMALL - 1.5);
    for (part, value) in [(0.0, widget.low), (1.0, widget.high)] {
        let (align, at) = match (widget.kind, part == 0.0) {
            (WidgetKind::QuarterGauge, false) => {
                (Align2::LEFT_TOP, center + (radius - 2.0) * scale.way(part) + vec2(5.0, -6.0))
            }
            _ => (Align2::CENTER_CENTER, center + (radius - 2.0) * scale.way(part) + vec2(0.0, 8.0)),
        };
        ui.painter().text(at, align, numbers::digits(value, 3), small.clone(), theme.text_weak);
    }
    let font = FontId::monospace(TEXT);
    ui.painter().text(number.center(), Align2::CENTER_CENTER, number_text(shown.value), font, theme.text);
}

/// Draws a rotary switch: a knob with named positions.
pub fn rotary_ui(
    ui: &mut Ui,
    room: Rect,
    widget: &Widget,
    shown: &ControlReading,
    theme: &Theme,
) -> Option<ControlEdit> {
    if widget.choices.is_empty() {
        ui.painter().text(
            room.center(),
            Align2::CENTER_CENTER,
            "no choices",
            style::plain(TEXT_SMALL),
            theme.text_weak,
        );
        return None;
    }
    let center = room.center();
    let radius = (room.height() / 2.0 - 16.0).min(room.width() / 2.0 - 40.0).max(12.0);
    let dial = Rect::from_center_size(center, Vec2::splat(2.0 * radius));
    let response = ui.interact(dial.expand(4.0), ui.scope_id().with("rotary"), Sense::click_and_drag());
    let at = widget.choices.iter().position(|(_, value)| Some(*value) == shown.value);
    let name =
        at.and_then(|at| widget.choices.get(at)).map_or_else(|| number_text(shown.value), |(name, _)| name.clone());
    response.widget_info(|| WidgetInfo::labeled(Role::Slider, ui.is_enabled(), format!("{} {name}", shown.name)));
    let count = widget.choices.len();
    // The first and last positions do not touch.
    let part = |number: usize| if count > 1 { number as f32 / (count - 1) as f32 } else { 0.5 };
    let scale = Scale { center, radius, from: ROTARY.0, to: ROTARY.1 };
    let is_hot = response.hovered() || response.dragged();
    let fill = style::mix(theme.raised, theme.text, if is_hot { 0.10 } else { 0.05 });
    ui.painter().circle(center, radius - 4.0, fill, Stroke::new(1.0, theme.line));
    let mut chosen = None;
    for (number, (name, value)) in widget.choices.iter().enumerate() {
        let way = scale.way(part(number));
        let is_on = at == Some(number);
        let color = if is_on { theme.accent } else { style::mix(theme.raised, theme.text, 0.35) };
        ui.painter().circle_filled(center + way * (radius + 2.0), if is_on { 3.0 } else { 2.0 }, color);
        let align = match way.x {
            x if x < -0.3 => Align2::RIGHT_CENTER,
            x if x > 0.3 => Align2::LEFT_CENTER,
            _ => Align2::CENTER_BOTTOM,
        };
        let anchor = center + way * (radius + 9.0);
        let text = if is_on { theme.text } else { theme.text_weak };
        let width =
            if align == Align2::CENTER_BOTTOM { room.width() } else { room.width() / 2.0 - way.x.abs() * radius - 9.0 };
        let mut job = LayoutJob::simple_singleline(name.clone(), style::plain(TEXT_SMALL), text);
        job.wrap = TextWrapping::truncate_at_width(width.max(12.0));
        let galley = ui.painter().layout_job(job);
        let area = align.anchor_size(anchor, galley.size());
        ui.painter().galley(area.min, galley, text);
        let label = ui.interact(area.expand(2.0), ui.scope_id().with(("choice", number)), Sense::click());
        label.widget_info(|| WidgetInfo::selected(Role::RadioButton, ui.is_enabled(), is_on, name));
        if label.clicked() {
            chosen = Some(*value);
        }
    }
    let pointed = at.map_or(-FRAC_PI_2, |at| scale.angle(part(at)));
    let way = vec2(pointed.cos(), pointed.sin());
    let line = [center + way * radius * 0.25, center + way * (radius - 8.0)];
    ui.painter().line_segment(line, Stroke::new(3.0, theme.accent));
    if response.has_focus() {
        ui.painter().circle_stroke(center, radius + 6.0, Stroke::new(1.5, theme.accent));
    }
    // A drag points at a position; a click selects the next.
    if response.dragged()
        && let Some(pointer) = response.interact_pointer_pos()
    {
        let off = |number: &usize| {
            let way = scale.way(part(*number));
            -((pointer - center).normalized().dot(way) * 1e4) as i64
        };
        chosen = (0..count).min_by_key(off).and_then(|number| widget.choices.get(number)).map(|(_, value)| *value);
    } else if response.clicked() {
        let next = at.map_or(0, |at| (at + 1) % count);
        chosen = widget.choices.get(next).map(|(_, value)| *value);
    }
    let by = super::arrows(ui, &response);
    if by != 0 {
        let last = i64::try_from(count).unwrap_or(i64::MAX) - 1;
        let next = (at.map_or(0, |at| i64::try_from(at).unwrap_or(0)) + by).clamp(0, last);
        chosen = usize::try_from(next).ok().and_then(|next| widget.choices.get(next)).map(|(_, value)| *value);
    }
    chosen.filter(|value| Some(*value) != shown.value).map(ControlEdit::Done)
}

/// The scale of a rotary switch, over the top.
const ROTARY: (f32, f32) = (0.9 * PI, 2.1 * PI);

/// Above the number.
fn dial_room(room: Rect) -> Rect {
    Rect::from_min_max(room.min, pos2(room.right(), room.bottom() - 16.0))
}

/// A circular scale, clockwise.
#[derive(Clone, Copy)]
struct Scale {
    center: Pos2,
    radius: f32,
    /// Angle from the right, in radians.
    from: f32,
    to: f32,
}

impl Scale {
    const ROUND: Scale = Scale { center: Pos2::ZERO, radius: 0.0, from: 0.75 * PI, to: 2.25 * PI };

    fn angle(&self, part: f32) -> f32 {
        self.from + (self.to - self.from) * part
    }

    /// Returns the unit vector from the centre to a position on the scale.
    fn way(&self, part: f32) -> Vec2 {
        Vec2::angled(self.angle(part))
    }

    /// Returns the first part of the scale as a line.
    fn arc(&self, ui: &Ui, part: f32, width: f32, color: Color32) {
        const PIECES: u16 = 48;
        if part <= 0.0 {
            return;
        }
        let point = |piece: u16| self.center + self.radius * self.way(part * f32::from(piece) / f32::from(PIECES));
        ui.painter().add(Shape::line((0..=PIECES).map(point).collect(), Stroke::new(width, color)));
    }
}

/// Splits the room into a square and a line for the number below.
fn dial_of(room: Rect) -> (Rect, Rect) {
    let number = Rect::from_min_max(pos2(room.left(), room.bottom() - 16.0), room.max);
    let above = Rect::from_min_max(room.min, pos2(room.right(), number.top()));
    let side = above.width().min(above.height()).max(24.0);
    (Rect::from_center_size(above.center(), vec2(side, side)), number)
}
