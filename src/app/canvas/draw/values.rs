//! Draws run-time values on the wires, and the dots of breakpoints.

use std::collections::HashSet;
use std::sync::Arc;

use eframe::egui::{Align2, CornerRadius, Pos2, Rect, Stroke, vec2};

use super::context::{Decorations, Detail, DrawContext, mix};
use super::curve::curves_ui;
use crate::app::canvas::gesture::hit::Hit;
use crate::app::canvas::interface::CanvasView;
use crate::app::canvas::scene::{WireView, shortened};
use crate::app::doc::breakpoints::{ATTRIBUTE, OnWire};
use crate::app::doc::signal_value::value_text;
use crate::app::ui::theme::TEXT_SMALL;
use crate::model::{BlockId, SignalKey};

/// Draws the value of each output once, where its first wire starts.
pub fn values_ui(
    context: &DrawContext,
    view: &CanvasView,
    wires: &[&WireView],
    decorations: &Decorations,
    path: &[BlockId],
) {
    if context.detail < Detail::All {
        return;
    }
    let mut seen = HashSet::new();
    for wire in wires {
        let connection = &wire.connection;
        // A branch has the same value as its trunk.
        if wire.dot.is_some() || !seen.insert((connection.from, Arc::clone(&connection.output))) {
            continue;
        }
        let key = SignalKey { path: path.to_vec(), block: connection.from, output: Arc::clone(&connection.output) };
        let Some(values) = (view.values)(&key) else { continue };
        let Some(at) = beside(wire) else { continue };
        let is_bad = values.iter().any(|value| !value.is_finite());
        let color = if is_bad { context.theme.error } else { mix(context.theme.text, context.theme.success, 0.45) };
        let text = shortened(&short(&values), 16);
        let galley = context.painter.layout_no_wrap(text, context.font(TEXT_SMALL - 0.5), color);
        let rect = Align2::LEFT_BOTTOM.anchor_size(context.at(at), galley.size());
        // A background keeps the text readable over other wires.
        let ground = context.theme.canvas.gamma_multiply(0.7);
        context.painter.rect_filled(rect.expand2(vec2(2.0, 0.0)), CornerRadius::same(3), ground);
        context.painter.galley(rect.min, galley, color);
        if let Some(curve) = (view.curve)(&key, PARTS) {
            let size = vec2(context.scaled(44.0), context.scaled(13.0));
            let area = Rect::from_min_size(rect.left_top() - vec2(0.0, size.y + 2.0), size);
            context.painter.rect_filled(area.expand(2.0), CornerRadius::same(3), ground);
            let of_plot = decorations.watched.get(&(connection.from, &*connection.output)).copied();
            curves_ui(context, area, &[(curve, of_plot.unwrap_or(color))]);
        }
    }
}

/// Number of buckets of a curve on a block.
const PARTS: usize = 40;

/// Formats values with four digits; of a vector only the first elements.
fn short(values: &[f64]) -> String {
    match values {
        [one] => value_text(*one, 4),
        several => {
            let first: Vec<String> = several.iter().take(3).map(|value| value_text(*value, 3)).collect();
            let rest = if several.len() > 3 { " …" } else { "" };
            format!("[{}{rest}]", first.join(" "))
        }
    }
}

/// Returns the position of the text, above the start of a wire.
fn beside(wire: &WireView) -> Option<Pos2> {
    let start = wire.points.first()?;
    Some(*start + vec2(5.0, -4.0))
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
