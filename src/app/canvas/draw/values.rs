//! What a run shows on the wires: values, and the dots of breakpoints.

use std::collections::HashSet;
use std::sync::Arc;

use eframe::egui::{Align2, CornerRadius, Pos2, Rect, Stroke, vec2};

use super::{Detail, Marks, Pen, mix};
use crate::app::breakpoints::{ATTRIBUTE, OnWire};
use crate::app::canvas::CanvasView;
use crate::app::canvas::curve::curves_ui;
use crate::app::canvas::hit::Hit;
use crate::app::canvas::scene::{WireView, shortened};
use crate::app::numbers::digits;
use crate::app::theme::TEXT_SMALL;
use crate::model::{BlockId, SignalKey};

/// The value of each output, once, where its first wire leaves it.
pub fn values_ui(pen: &Pen, view: &CanvasView, wires: &[&WireView], marks: &Marks, path: &[BlockId]) {
    if pen.detail < Detail::All {
        return;
    }
    let mut seen = HashSet::new();
    for wire in wires {
        let connection = &wire.connection;
        // A branch has the value of its trunk.
        if wire.dot.is_some() || !seen.insert((connection.from, Arc::clone(&connection.output))) {
            continue;
        }
        let key = SignalKey { path: path.to_vec(), block: connection.from, output: Arc::clone(&connection.output) };
        let Some(values) = (view.values)(&key) else { continue };
        let Some(at) = beside(wire) else { continue };
        let is_bad = values.iter().any(|value| !value.is_finite());
        let color = if is_bad { pen.theme.error } else { mix(pen.theme.text, pen.theme.success, 0.45) };
        let text = shortened(&short(&values), 16);
        let galley = pen.painter.layout_no_wrap(text, pen.font(TEXT_SMALL - 0.5), color);
        let rect = Align2::LEFT_BOTTOM.anchor_size(pen.at(at), galley.size());
        // Readable where it lies on another wire.
        let ground = pen.theme.canvas.gamma_multiply(0.7);
        pen.painter.rect_filled(rect.expand2(vec2(2.0, 0.0)), CornerRadius::same(3), ground);
        pen.painter.galley(rect.min, galley, color);
        if let Some(curve) = (view.curve)(&key, PARTS) {
            let size = vec2(pen.scaled(44.0), pen.scaled(13.0));
            let area = Rect::from_min_size(rect.left_top() - vec2(0.0, size.y + 2.0), size);
            pen.painter.rect_filled(area.expand(2.0), CornerRadius::same(3), ground);
            let of_plot = marks.watched.get(&(connection.from, &*connection.output)).copied();
            curves_ui(pen, area, &[(curve, of_plot.unwrap_or(color))]);
        }
    }
}

/// Parts of a small curve.
const PARTS: usize = 40;

/// To four digits, a vector's first lanes.
fn short(values: &[f64]) -> String {
    match values {
        [one] => digits(*one, 4),
        several => {
            let first: Vec<String> = several.iter().take(3).map(|value| digits(*value, 3)).collect();
            let rest = if several.len() > 3 { " …" } else { "" };
            format!("[{}{rest}]", first.join(" "))
        }
    }
}

/// Above the begin of a wire.
fn beside(wire: &WireView) -> Option<Pos2> {
    let start = wire.points.first()?;
    Some(*start + vec2(5.0, -4.0))
}

/// A dot on each wire with a breakpoint, hollow where it is disabled.
pub fn breakpoints_ui(pen: &Pen, wires: &[&WireView], marks: &Marks) {
    if pen.detail < Detail::Bodies {
        return;
    }
    for wire in wires {
        let Some(on) = wire.connection.attributes.get(ATTRIBUTE).and_then(OnWire::parse) else { continue };
        let center = pen.crisp(pen.at(wire.name_place(0.0) + vec2(0.0, 8.0)));
        let radius = 5.0 * pen.lens.zoom().clamp(0.6, 1.6);
        let fill = if on.is_on { pen.theme.error } else { pen.theme.canvas };
        pen.painter.circle(center, radius, fill, Stroke::new(1.5, pen.theme.error));
        let is_hovered = matches!(marks.hover, Hit::Wire { key, .. } if *key == wire.key());
        // Where there is room, or somebody asks.
        let is_long = wire.points.windows(2).any(|pair| matches!(pair, [a, b] if (*a - *b).length() > 90.0));
        if pen.detail == Detail::All && (is_long || is_hovered) {
            let at = wire.name_place(0.0) + vec2(0.0, 16.0);
            let color = if on.is_on { pen.theme.error } else { pen.theme.text_weak };
            pen.text(at, Align2::CENTER_TOP, on.text(), TEXT_SMALL - 1.0, color);
        }
    }
}
