//! Draws run-time values on the wires, and the dots of breakpoints.

use std::collections::HashSet;
use std::sync::Arc;

use eframe::egui::{Align2, CornerRadius, Pos2, Rect, Stroke, Vec2, pos2, vec2};

use super::context::{Decorations, Detail, DrawContext, mix};
use super::curve::curves_ui;
use crate::app::canvas::gesture::hit::Hit;
use crate::app::canvas::interface::CanvasView;
use crate::app::canvas::scene::{Scene, WireView};
use crate::app::doc::breakpoints::{ATTRIBUTE, OnWire};
use crate::app::doc::signal_value::value_text;
use crate::app::ui::theme::TEXT_SMALL;
use crate::model::{BlockId, SignalKey};

/// Draws the value of each output once, beside its first wire where there is room. On hover, a small curve stands above.
pub fn values_ui(
    context: &DrawContext,
    view: &CanvasView,
    (scene, wires): (&Scene, &[&WireView]),
    decorations: &Decorations,
    path: &[BlockId],
) {
    if context.detail < Detail::All {
        return;
    }
    let hovered = match decorations.hover {
        Hit::Wire { key, .. } | Hit::Dot(key) => scene.wire(key).map(|wire| &wire.connection),
        _ => None,
    };
    let mut seen = HashSet::new();
    let mut taken: Vec<Rect> = Vec::new();
    for wire in wires {
        let connection = &wire.connection;
        // A branch has the same value as its trunk.
        if wire.dot.is_some() || !seen.insert((connection.from, Arc::clone(&connection.output))) {
            continue;
        }
        let key = SignalKey { path: path.to_vec(), block: connection.from, output: Arc::clone(&connection.output) };
        let Some(values) = (view.values)(&key) else { continue };
        let is_bad = values.iter().any(|value| !value.is_finite());
        let color = if is_bad { context.theme.error } else { mix(context.theme.text, context.theme.success, 0.45) };
        let galley = context.painter.layout_no_wrap(short(&values), context.font(TEXT_SMALL - 0.5), color);
        let size = galley.size() / context.transform.zoom();
        let room = free_room(scene, wire, size, &taken);
        taken.push(room);
        let rect = Align2::LEFT_TOP.anchor_size(context.at(room.min), galley.size());
        // A background keeps the text readable over other wires.
        let ground = context.theme.canvas.gamma_multiply(0.85);
        context.painter.rect_filled(rect.expand2(vec2(2.0, 0.0)), CornerRadius::same(3), ground);
        context.painter.galley(rect.min, galley, color);
        let is_hovered = hovered.is_some_and(|over| over.from == connection.from && over.output == connection.output);
        if is_hovered && let Some(curve) = (view.curve)(&key, PARTS) {
            let size = vec2(context.scaled(60.0), context.scaled(18.0));
            let area = Rect::from_min_size(rect.left_top() - vec2(0.0, size.y + 3.0), size);
            context.painter.rect_filled(area.expand(2.0), CornerRadius::same(3), context.theme.canvas);
            let of_plot = decorations.watched.get(&(connection.from, &*connection.output)).copied();
            curves_ui(context, area, &[(curve, of_plot.unwrap_or(color))]);
        }
    }
}

/// Number of buckets of a curve on a wire.
const PARTS: usize = 40;
/// Maximum length of a value.
const LETTERS: usize = 7;

/// Formats values in at most [`LETTERS`] letters: a number with as many digits as fit; of a vector all elements, or the
/// first.
fn short(values: &[f64]) -> String {
    let fits = |text: &String| text.chars().count() <= LETTERS;
    // As many digits as fit, in the shorter of both forms.
    let number = |value: f64, room: usize| {
        let texts =
            (1..=4usize).rev().flat_map(|digits| [value_text(value, digits), format!("{value:.*e}", digits - 1)]);
        texts.into_iter().find(|text| text.chars().count() <= room)
    };
    match values {
        [one] => number(*one, LETTERS).unwrap_or_else(|| value_text(*one, 1)),
        several => {
            let all: Vec<String> = several.iter().take(LETTERS).map(|value| value_text(*value, 3)).collect();
            let whole = Some(format!("[{}]", all.join(" "))).filter(|text| several.len() <= LETTERS && fits(text));
            let first = || several.first().and_then(|value| number(*value, LETTERS - 3));
            whole.unwrap_or_else(|| first().map_or_else(|| "[…]".to_owned(), |first| format!("[{first}…]")))
        }
    }
}

/// Returns a rectangle of a size beside a wire that covers no block, no title, no other wire and no other value; above
/// the wire's start where all such places are taken.
fn free_room(scene: &Scene, wire: &WireView, size: Vec2, taken: &[Rect]) -> Rect {
    let places = places(&wire.points, size);
    let is_free = |room: &Rect| {
        let blocks = scene.blocks_in(*room);
        let is_on_block = blocks.iter().any(|view| {
            let title = view.title_rect().is_some_and(|title| title.intersects(*room));
            !view.is_area() && (view.outline.body.intersects(*room) || title)
        });
        let crosses = |other: &&WireView| other.points.windows(2).any(|pair| Rect::from_points(pair).intersects(*room));
        !is_on_block && !taken.iter().any(|other| other.intersects(*room)) && !scene.wires_in(*room).iter().any(crosses)
    };
    let usual = places.first().copied().unwrap_or(Rect::from_min_size(Pos2::ZERO, size));
    places.into_iter().find(is_free).unwrap_or(usual)
}

/// Returns the rectangles in which a value of a size may stand, in order: above and below the first segment at the port,
/// on the side to which the wire leaves; then along the other segments, the longest first.
fn places(points: &[Pos2], size: Vec2) -> Vec<Rect> {
    const OFF: f32 = 3.0;
    let mut places = Vec::new();
    let mut segments: Vec<(Pos2, Pos2)> =
        points.windows(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect();
    let mut add = |(a, b): (Pos2, Pos2), at: f32| match (a.y - b.y).abs() < 0.5 {
        true => {
            // From the port on, whichever way the signal runs.
            let x = if b.x < a.x { a.x - at - size.x } else { a.x + at };
            places.push(Rect::from_min_size(pos2(x, a.y - OFF - size.y), size));
            places.push(Rect::from_min_size(pos2(x, a.y + OFF), size));
        }
        false => {
            let y = if b.y < a.y { a.y - at - size.y } else { a.y + at };
            places.push(Rect::from_min_size(pos2(a.x + OFF, y), size));
            places.push(Rect::from_min_size(pos2(a.x - OFF - size.x, y), size));
        }
    };
    if let Some(first) = segments.first() {
        add(*first, 5.0);
        add(*first, 1.5);
    }
    let length = |(a, b): &(Pos2, Pos2)| (*a - *b).length();
    segments.sort_by(|one, other| length(other).total_cmp(&length(one)));
    for segment in segments {
        let along = if (segment.0.y - segment.1.y).abs() < 0.5 { size.x } else { size.y };
        if length(&segment) >= along + 4.0 {
            add(segment, (length(&segment) - along) / 2.0);
            add(segment, length(&segment) - along - 2.0);
        }
    }
    places
}

/// Draws a dot on each wire with a breakpoint, hollow if it is disabled.
pub fn breakpoints_ui(context: &DrawContext, wires: &[&WireView], decorations: &Decorations) {
    if context.detail < Detail::Bodies {
        return;
    }
    for wire in wires {
        let Some(on) = wire.connection.attributes.get(ATTRIBUTE).and_then(OnWire::parse) else { continue };
        let center = context.crisp(context.at(wire.name_position(0.0) + vec2(0.0, 8.0)));
        let radius = 5.0 * context.transform.zoom().clamp(0.6, 1.6);
        let fill = if on.is_on { context.theme.error } else { context.theme.canvas };
        context.painter.circle(center, radius, fill, Stroke::new(1.5, context.theme.error));
        let is_hovered = matches!(decorations.hover, Hit::Wire { key, .. } if *key == wire.key());
        // The condition is shown if there is room, or on hover.
        let is_long = wire.points.windows(2).any(|pair| matches!(pair, [a, b] if (*a - *b).length() > 90.0));
        if context.detail == Detail::All && (is_long || is_hovered) {
            let at = wire.name_position(0.0) + vec2(0.0, 16.0);
            let color = if on.is_on { context.theme.error } else { context.theme.text_weak };
            context.text(at, Align2::CENTER_TOP, on.text(), TEXT_SMALL - 1.0, color);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_at_most_seven_letters() {
        let cases: [(&[f64], &str); 8] = [
            (&[1.0], "1"),
            (&[-1234.5678], "-1235"),
            (&[0.000123456], "1.23e-4"),
            (&[-0.000123456], "-1.2e-4"),
            (&[1.0, 2.0, 3.0], "[1 2 3]"),
            (&[1.25, 2.5, 3.0], "[1.25…]"),
            (&[f64::NAN], "NaN"),
            (&[f64::NEG_INFINITY, 1.0], "[-inf…]"),
        ];
        for (values, text) in cases {
            assert_eq!(short(values), text, "{values:?}");
        }
        for exponent in -300..300 {
            let text = short(&[-1.23456789 * 10f64.powi(exponent)]);
            assert!(text.chars().count() <= LETTERS, "{text}");
        }
    }

    #[test]
    fn the_value_of_a_flipped_block_stands_left_of_its_port() {
        let size = vec2(30.0, 12.0);
        let right = places(&[pos2(0.0, 0.0), pos2(100.0, 0.0)], size)[0];
        let left = places(&[pos2(0.0, 0.0), pos2(-100.0, 0.0)], size)[0];
        assert!(right.left() > 0.0 && right.bottom() < 0.0, "{right:?}");
        assert!(left.right() < 0.0 && left.bottom() < 0.0, "{left:?}");
    }
}
