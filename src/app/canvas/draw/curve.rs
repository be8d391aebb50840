//! Small curves on blocks: the output of a block, or the input of a sink, over the run so far.

use eframe::egui::{Color32, Pos2, Rect, pos2, vec2};

use super::{Decorations, Detail, DrawContext, mix, source_of};
use crate::app::canvas::CanvasView;
use crate::app::canvas::scene::{BlockView, Scene, longest};
use crate::app::doc::curve::{Between, CurveParts, corners, stairs};
use crate::app::doc::plots::shows_curve;
use crate::app::ui::chart::{LineKind, stroke_ui};
use crate::block::Body;
use crate::engine::Extent;
use crate::model::{BlockId, BlockKind, BlockPorts, SignalKey};

/// Maximum number of curves in one frame.
const MAX_CURVES: usize = 4;
/// Screen points per bucket of a curve.
const PART: f32 = 1.5;

/// Draws curves without axes, scaled to their common range.
pub fn curves_ui(context: &DrawContext, area: Rect, curves: &[(CurveParts, Color32)]) {
    for (points, color) in lines_of(area, curves) {
        stroke_ui(context.painter, area.expand(1.0), &points, LineKind::Solid, 1.0, color);
    }
}

/// Returns the lines of curves within an area, scaled to their common range.
pub fn lines_of(area: Rect, curves: &[(CurveParts, Color32)]) -> Vec<(Vec<Pos2>, Color32)> {
    let extents = curves.iter().flat_map(|(curve, _)| &curve.parts).map(|part| part.extremes.extent());
    let all = extents.fold(Extent::EMPTY, Extent::join);
    if all.is_empty() || !(all.high - all.low).is_finite() {
        return Vec::new();
    }
    // A constant curve is vertically centred.
    let (low, span) = if all.high > all.low { (all.low, all.high - all.low) } else { (all.low - 0.5, 1.0) };
    let line = |(curve, color): &(CurveParts, Color32)| {
        let (first, last) = (curve.parts.first()?.steps.0, curve.parts.last()?.steps.1);
        let length = last.checked_sub(first).filter(|length| *length > 0)? as f64;
        let points = corners(&curve.parts, 1.0);
        let points = if curve.between == Between::Held { stairs(&points) } else { points };
        let point_at = |(step, value): (f64, f64)| {
            let (across, up) = ((step - first as f64) / length, (value - low) / span);
            // NaN and infinity leave a gap.
            let up = if up.is_finite() { up as f32 } else { f32::NAN };
            pos2(area.left() + across as f32 * area.width(), area.bottom() - up * area.height())
        };
        Some((points.into_iter().map(point_at).collect(), *color))
    };
    curves.iter().filter_map(line).collect()
}

/// Draws the curves of a block inside its frame; returns false if it shows none or there are no values yet.
pub fn block_ui(
    context: &DrawContext,
    view: &CanvasView,
    scene: &Scene,
    block: &BlockView,
    decorations: &Decorations,
    path: &[BlockId],
) -> bool {
    if context.detail < Detail::Drawings || !shows_curve(&block.block, block.def) {
        return false;
    }
    let area = context.rect(room_of(block)).intersect(context.transform.screen);
    if area.width() < 10.0 || area.height() < 6.0 {
        return false;
    }
    let parts = (area.width() / PART).clamp(8.0, 400.0) as usize;
    let plain = mix(context.theme.text, context.theme.block_fill, 0.3);
    let curve = |key: SignalKey| {
        let curve = (view.curve)(&key, parts).filter(|curve| curve.parts.len() > 1)?;
        Some((curve, decorations.watched.get(&(key.block, &*key.output)).copied().unwrap_or(plain)))
    };
    let curves: Vec<_> = signals_of(scene, block, path).into_iter().filter_map(curve).collect();
    if curves.is_empty() {
        return false;
    }
    curves_ui(context, area, &curves);
    true
}

/// Returns its first output, or its sources if it has no output.
fn signals_of(scene: &Scene, block: &BlockView, path: &[BlockId]) -> Vec<SignalKey> {
    let id = block.block.id;
    let key = |block: BlockId, output: &str| SignalKey::new(path, block, output);
    match (block.ports.outputs.first(), &block.block.kind) {
        (_, BlockKind::Exit { .. }) if path.is_empty() => vec![key(id, BlockPorts::INPUT)],
        (Some(output), _) => vec![key(id, output)],
        (None, _) => {
            let sources = block.ports.inputs.iter().filter_map(|input| source_of(scene, id, input));
            sources.take(MAX_CURVES).map(|(from, output)| key(from, &output)).collect()
        }
    }
}

/// Returns the free rectangle inside the body, between the port names.
fn room_of(block: &BlockView) -> Rect {
    let body = block.outline.body;
    let inner = match block.body {
        // Beside the signs.
        Body::Circle if !block.signs.is_empty() => {
            let ahead = block.outline.facing.heading().vector();
            Rect::from_center_size(body.center() + ahead * body.size() * 0.12, body.size() * 0.4)
        }
        Body::Circle => Rect::from_center_size(body.center(), body.size() * 0.62),
        Body::Triangle => {
            let ahead = block.outline.facing.heading().vector();
            Rect::from_center_size(body.center() - ahead * body.size() * 0.17, body.size() * 0.46)
        }
        Body::Pill => body.shrink2(vec2(body.height() * 0.35, 5.0)),
        _ => body.shrink2(vec2(7.0, 6.0)),
    };
    if !block.shows_labels || block.outline.facing.is_vertical() {
        return inner;
    }
    let width = |names| longest(names) as f32 * 5.6;
    let (inputs, outputs) = (width(&block.ports.inputs), width(&block.ports.outputs));
    let (left, right) =
        if block.outline.facing.heading().vector().x < 0.0 { (outputs, inputs) } else { (inputs, outputs) };
    let between = Rect::from_min_max(inner.min + vec2(left, 0.0), inner.max - vec2(right, 0.0));
    // If the names leave no space, the curve lies behind them.
    if between.width() > 16.0 { between } else { inner }
}
