//! Animated shapes: rectangles, circles, lines and texts.

use eframe::egui::emath::Rot2;
use eframe::egui::epaint::TextShape;
use eframe::egui::{Color32, Pos2, Rect, Role, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo, vec2};

use super::DashboardView;
use super::widget::Mode;
use crate::app::doc::dashboard::{MotionProperty, Widget, WidgetKind};
use crate::app::ui::style;
use crate::app::ui::theme::TEXT;
use crate::app::ui::widgets::theme_of;
use crate::model::SignalKey;

/// The number of corners of a circle.
const CORNERS: u16 = 48;

/// The transform of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Placed {
    center: Pos2,
    size: Vec2,
    /// Clockwise.
    angle: f32,
    color: Color32,
}

/// Draws a shape transformed by the signals of the shown step; untransformed while the layout is edited.
pub fn show_ui(ui: &Ui, view: &DashboardView, widget: &Widget, room: Rect, name: &str, mode: Mode) {
    let theme = theme_of(ui.ctx());
    let response = ui.interact(room, ui.scope_id().with("shape"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, name));
    let own = widget.color.map_or(theme.accent, |[r, g, b]| Color32::from_rgb(r, g, b));
    let value = |signal: &SignalKey| (view.values)(signal)?.first().copied().filter(|_| mode != Mode::Placed);
    paint(ui, widget, placed(widget, room, (own, theme.error), &value));
}

/// Returns the transform for these values; motions of one kind add up, non-finite values are ignored.
fn placed(
    widget: &Widget,
    room: Rect,
    (own, last): (Color32, Color32),
    value: &dyn Fn(&SignalKey) -> Option<f64>,
) -> Placed {
    let of = |what: MotionProperty| {
        let motions = widget.motions.iter().filter(|motion| motion.what == what);
        let values = motions.filter_map(|motion| Some(value(&motion.signal)? * motion.factor));
        values.filter(|value| value.is_finite()).reduce(|sum, value| sum + value)
    };
    // Further away it is invisible.
    let points = |what: MotionProperty| of(what).unwrap_or(0.0).clamp(-1e5, 1e5) as f32;
    let part = of(MotionProperty::Colour).map_or(0.0, |value| widget.part(value));
    Placed {
        center: room.center() + vec2(points(MotionProperty::Right), -points(MotionProperty::Up)),
        size: (room.size() + vec2(points(MotionProperty::Width), points(MotionProperty::Height))).max(Vec2::ZERO),
        angle: -(of(MotionProperty::Turn).unwrap_or(0.0) % std::f64::consts::TAU) as f32,
        color: style::mix(own, last, part as f32),
    }
}

fn paint(ui: &Ui, widget: &Widget, Placed { center, size, angle, color }: Placed) {
    let turn = Rot2::from_angle(angle);
    let half = size / 2.0;
    let edge = Stroke::new(1.5, style::mix(color, theme_of(ui.ctx()).text, 0.25));
    match widget.kind {
        WidgetKind::Rectangle => {
            let corners = [vec2(-half.x, -half.y), vec2(half.x, -half.y), half, vec2(-half.x, half.y)];
            let corners = corners.map(|corner| center + turn * corner).to_vec();
            ui.painter().add(Shape::convex_polygon(corners, color, edge));
        }
        WidgetKind::Circle => {
            let corner = |number: u16| {
                let way = Vec2::angled(std::f32::consts::TAU * f32::from(number) / f32::from(CORNERS));
                center + turn * (way * half)
            };
            ui.painter().add(Shape::convex_polygon((0..CORNERS).map(corner).collect(), color, edge));
            // The mark makes a rotation visible.
            ui.painter().line_segment([center, center + turn * vec2(half.x, 0.0)], edge);
        }
        WidgetKind::Line => {
            // It rotates about its left end.
            let begin = center - vec2(half.x, 0.0);
            let end = begin + turn * vec2(size.x, 0.0);
            ui.painter().line_segment([begin, end], Stroke::new(3.0, color));
            ui.painter().circle_filled(begin, 4.0, color);
        }
        _ => {
            let text = if widget.label.is_empty() { "Text" } else { &widget.label };
            let font = style::strong(TEXT);
            let color = if widget.color.is_some() { color } else { theme_of(ui.ctx()).text };
            let galley = ui.painter().layout_no_wrap(text.to_owned(), font, color);
            let at = center + turn * vec2(-half.x, -galley.size().y / 2.0);
            ui.painter().add(TextShape::new(at, galley, color).with_angle(angle));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::doc::dashboard::Motion;
    use crate::model::BlockId;
    use eframe::egui::pos2;

    #[test]
    fn signals_move_turn_stretch_and_colour_a_shape() {
        let signal = |id| SignalKey::new(&[], BlockId(id), "Output");
        let motion = |what, id, factor| Motion { what, signal: signal(id), factor };
        let mut widget = Widget::new(WidgetKind::Rectangle, 0.0, 0.0);
        (widget.low, widget.high) = (0.0, 4.0);
        widget.motions = vec![
            motion(MotionProperty::Right, 1, 10.0),
            motion(MotionProperty::Right, 2, 100.0),
            motion(MotionProperty::Up, 1, 5.0),
            motion(MotionProperty::Turn, 1, std::f64::consts::FRAC_PI_2),
            motion(MotionProperty::Width, 2, 20.0),
            motion(MotionProperty::Colour, 1, 1.0),
            // The missing value is ignored.
            motion(MotionProperty::Height, 3, 1.0),
        ];
        let room = Rect::from_center_size(pos2(100.0, 100.0), vec2(30.0, 20.0));
        let colors = (Color32::from_rgb(0, 0, 0), Color32::from_rgb(200, 100, 0));
        let value =
            |signal: &SignalKey| [None, Some(2.0), Some(-0.5), Some(f64::NAN)].get(signal.block.0 as usize).copied()?;
        let is = placed(&widget, room, colors, &value);
        // 2 · 10 − 0.5 · 100 to the right, 2 · 5 up, half a turn, 10 narrower, half of the way to the last colour.
        assert_eq!((is.center, is.size), (pos2(70.0, 90.0), vec2(20.0, 20.0)));
        assert!((is.angle + std::f32::consts::PI).abs() < 1e-6);
        assert_eq!(is.color, Color32::from_rgb(100, 50, 0));
        let rest = placed(&widget, room, colors, &|_| None);
        assert_eq!((rest.center, rest.size, rest.angle, rest.color), (room.center(), room.size(), 0.0, colors.0));
    }
}
