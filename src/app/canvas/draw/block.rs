//! Draws one block: body, icon, ports, title, status badges.

use std::sync::Arc;

use eframe::egui::{Align2, Color32, CornerRadius, FontId, Pos2, Rect, Shape, Stroke, StrokeKind, Vec2, pos2, vec2};

use super::context::{Decorations, Detail, DrawContext, mix, source_of};
use super::feedback::text_of_values;
use super::{curve, heat, rates, roles};
use crate::app::canvas::CanvasView;
use crate::app::canvas::geometry::Facing;
use crate::app::canvas::gesture::hit::Hit;
use crate::app::canvas::gesture::{Wire, WireEnd};
use crate::app::canvas::scene::{BlockView, Drawing, Scene, TitlePlace, shortened};
use crate::app::ui::theme::{TEXT, TEXT_SMALL};
use crate::block::Body;
use crate::model::{BlockId, Commented, InputKey, Severity, SignalKey};

/// The small diagram that a model block shows.
const MODEL_ICON: &[&[(f32, f32)]] = &[
    &[(0.1, 0.25), (0.4, 0.25), (0.4, 0.55), (0.1, 0.55), (0.1, 0.25)],
    &[(0.6, 0.45), (0.9, 0.45), (0.9, 0.75), (0.6, 0.75), (0.6, 0.45)],
    &[(0.4, 0.4), (0.5, 0.4), (0.5, 0.6), (0.6, 0.6)],
];

/// The opacity of a block that is left out of runs.
const COMMENTED: f32 = 0.38;

pub fn block_ui(
    context: &DrawContext,
    view: &CanvasView,
    (scene, block): (&Scene, &BlockView),
    decorations: &Decorations,
    path: &[BlockId],
    rate: Option<Color32>,
) {
    let id = block.block.id;
    let state = BlockState {
        is_selected: decorations.selection.blocks.contains(&id),
        is_hovered: matches!(decorations.hover, Hit::Block(hovered) | Hit::Input(hovered, _) | Hit::Output(hovered, _) if *hovered == id),
    };
    let group = block.color.unwrap_or_else(|| context.theme.group(block.group()));
    let commented = Commented::of(&block.block);
    let mut faint;
    let all = context;
    let context = match commented {
        None => context,
        Some(_) => {
            faint = context.painter.clone();
            faint.multiply_opacity(COMMENTED);
            &DrawContext { painter: &faint, ..*context }
        }
    };
    body_ui(context, block, state, group);
    if let Some(color) = rate {
        rates::block_ui(context, block, color);
    }
    if let Some(seconds) = decorations.heat.and_then(|heat| heat.get(&id)) {
        heat::block_ui(context, block, *seconds, decorations.hottest);
    }
    if context.detail >= Detail::Drawings {
        if !curve::block_ui(context, view, scene, block, decorations, path) {
            drawing_ui(context, view, scene, block, path, group);
        }
        ports_ui(context, scene, block, decorations, state);
    }
    if context.detail == Detail::All {
        labels_ui(context, block);
        title_ui(context, scene, block, state);
    }
    if let Some(pool) = block.block.pool().filter(|_| context.detail >= Detail::Drawings) {
        remote_ui(context, block, pool);
    }
    if block.inner.as_ref().is_some_and(|model| view.outdated.contains(&model.name))
        && context.detail >= Detail::Drawings
    {
        newer_ui(context, block);
    }
    let context = all;
    if commented == Some(Commented::Through) && context.detail >= Detail::Drawings {
        through_ui(context, block);
    }
    if let Some(highlight) = &decorations.highlight {
        let rect = context.rect(block.outline.body);
        match highlight.blocks.contains(&id) {
            true => {
                let stroke = Stroke::new(2.0, context.theme.guide);
                context.painter.rect_stroke(rect.expand(2.5), 5.0, stroke, StrokeKind::Middle);
            }
            // Blocks outside the highlight are faint.
            false => {
                let veil = context.theme.canvas.gamma_multiply(0.6);
                context.painter.rect_filled(context.rect(block.outline.with_title()).expand(2.0), 3.0, veil);
            }
        }
    }
    if let Some(strength) = decorations.changed.get(&id) {
        let stroke = Stroke::new(2.0, context.theme.accent.gamma_multiply(0.75 * strength));
        let rect = context.rect(block.outline.body).expand(3.5);
        context.painter.rect_stroke(rect, 6.0, stroke, StrokeKind::Middle);
        context.painter.ctx().request_repaint();
    }
    if let Some(severity) = decorations.problems.get(&id) {
        problem_ui(context, block, *severity);
    }
}

/// Marks a model block that runs in a worker: the name of its pool in the upper right corner, behind an arrow.
fn remote_ui(context: &DrawContext, block: &BlockView, pool: &str) {
    let rect = context.rect(block.outline.body);
    let at = rect.right_top() + vec2(-3.0, 2.0);
    let (theme, zoom) = (context.theme, context.transform.zoom());
    let text = if context.detail == Detail::All { format!("↗ {pool}") } else { "↗".to_owned() };
    let font = FontId::proportional((9.0 * zoom).clamp(6.0, 14.0));
    context.painter.text(at, Align2::RIGHT_TOP, text, font, theme.accent);
}

/// Marks an instance of a model of which the library has a newer version: a small arrow up at the upper left corner.
fn newer_ui(context: &DrawContext, block: &BlockView) {
    let theme = context.theme;
    let center = context.at(block.outline.body.left_top());
    let radius = 6.0 * context.transform.zoom().clamp(0.5, 1.3);
    context.painter.circle(center, radius, theme.canvas, Stroke::new(1.2, theme.accent));
    let ink = Stroke::new((radius * 0.24).max(1.0), theme.accent);
    let tip = center - vec2(0.0, radius * 0.55);
    context.painter.line_segment([center + vec2(0.0, radius * 0.55), tip], ink);
    for side in [-1.0, 1.0] {
        context.painter.line_segment([tip, tip + vec2(side * radius * 0.4, radius * 0.42)], ink);
    }
}

/// Draws the ways of the values through a block that is commented through.
fn through_ui(context: &DrawContext, block: &BlockView) {
    let stroke = Stroke::new(context.line_width(1.4), context.theme.wire);
    for (input, output) in block.ports.inputs.iter().zip(&block.ports.outputs) {
        if let (Some(from), Some(to)) = (block.input_at(input), block.output_at(output)) {
            let ends = [context.at(from), context.at(to)];
            context.painter.extend(Shape::dashed_line(&ends, stroke, 4.0, 3.0));
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct BlockState {
    is_selected: bool,
    is_hovered: bool,
}

pub(super) fn body_ui(context: &DrawContext, block: &BlockView, state: BlockState, group: Color32) {
    let theme = context.theme;
    let rect = context.rect(block.outline.body);
    let zoom = context.transform.zoom();
    let fill = match block.body {
        Body::Bar => theme.block_stroke,
        _ if block.color.is_some() => mix(theme.block_fill, group, if theme.is_dark { 0.35 } else { 0.28 }),
        _ => mix(theme.block_fill, group, if theme.is_dark { 0.10 } else { 0.045 }),
    };
    let line = match (state.is_selected, block.is_known()) {
        (true, _) => theme.accent,
        (false, false) => theme.error,
        (false, true) if state.is_hovered => mix(theme.block_stroke, theme.accent, 0.5),
        (false, true) if block.color.is_some() => mix(theme.block_stroke, group, 0.7),
        (false, true) => mix(theme.block_stroke, group, 0.3),
    };
    let stroke = Stroke::new(if state.is_selected { 1.6 } else { 1.0 }, line);
    let radius = match block.body {
        Body::Pill => rect.height() / 2.0,
        Body::Circle => rect.width().min(rect.height()) / 2.0,
        Body::Bar => 1.0,
        _ => 4.0 * zoom.min(1.5),
    };
    if block.body == Body::Triangle {
        triangle_ui(context, block, rect, fill, stroke, state);
        return;
    }
    if state.is_selected {
        context.glow(rect, radius);
    } else if context.detail >= Detail::Drawings && !theme.is_dark {
        let shadow = rect.translate(vec2(0.0, 1.0 + 0.5 * zoom));
        context.painter.rect_filled(shadow, CornerRadius::same(radius.min(255.0) as u8), Color32::from_black_alpha(16));
    }
    let radius = CornerRadius::same(radius.round().min(255.0) as u8);
    context.painter.rect(rect, radius, fill, stroke, StrokeKind::Middle);
    if !block.is_known() && context.detail >= Detail::Drawings {
        // A dashed outline means that the block's kind is unknown.
        let inner = rect.shrink(3.0 * zoom);
        let corners =
            [inner.left_top(), inner.right_top(), inner.right_bottom(), inner.left_bottom(), inner.left_top()];
        context.painter.extend(Shape::dashed_line(
            &corners,
            Stroke::new(1.0, theme.error.gamma_multiply(0.5)),
            4.0,
            3.0,
        ));
    }
}

/// Returns the corners of a body with a direction.
pub(super) fn triangle(rect: Rect, facing: Facing) -> [Pos2; 3] {
    match facing {
        Facing::Right => [rect.left_top(), rect.right_center(), rect.left_bottom()],
        Facing::Left => [rect.right_top(), rect.right_bottom(), rect.left_center()],
        Facing::Up => [rect.left_bottom(), rect.center_top(), rect.right_bottom()],
        Facing::Down => [rect.right_top(), rect.center_bottom(), rect.left_top()],
    }
}

fn triangle_ui(context: &DrawContext, block: &BlockView, rect: Rect, fill: Color32, stroke: Stroke, state: BlockState) {
    let points = triangle(rect, block.outline.facing).to_vec();
    if state.is_selected {
        let soft = Stroke::new(7.0, context.theme.accent.gamma_multiply(0.22));
        context.painter.add(Shape::closed_line(points.clone(), soft));
    } else if context.detail >= Detail::Drawings && !context.theme.is_dark {
        let shadow = points.iter().map(|point| *point + vec2(0.0, 1.0 + 0.5 * context.transform.zoom())).collect();
        context.painter.add(Shape::convex_polygon(shadow, Color32::from_black_alpha(16), Stroke::NONE));
    }
    context.painter.add(Shape::convex_polygon(points, fill, stroke));
}

fn drawing_ui(
    context: &DrawContext,
    view: &CanvasView,
    scene: &Scene,
    block: &BlockView,
    path: &[BlockId],
    group: Color32,
) {
    let theme = context.theme;
    let ink = mix(theme.text, group, 0.35);
    let body = block.outline.body;
    let ahead = block.outline.facing.heading().vector();
    // A triangle has its space at the thick end; a sum has its signs at the left.
    let mut middle = body.center();
    if block.body == Body::Triangle {
        middle -= ahead * body.size() * 0.13;
    }
    let has_text = context.detail == Detail::All;
    match &block.drawing {
        Drawing::Empty => {}
        Drawing::Text(_) if block.body == Body::Circle && !block.signs.is_empty() => {}
        Drawing::Text(text) if has_text && block.body == Body::Pill && block.roles.iter().any(Option::is_some) => {
            if let Some((role, edge)) = block.roles.first().copied().flatten() {
                let at = pos2(body.left() + 14.0, middle.y);
                roles::mark_ui(context, role, edge, at, mix(ink, theme.accent, 0.5));
            }
            let middle = middle + vec2(roles::WIDTH / 2.0, 0.0);
            context.text(middle, Align2::CENTER_CENTER, text, TEXT_SMALL + 0.5, ink);
        }
        Drawing::Text(text) if has_text => {
            let size = match text.chars().count() {
                0 | 1 => TEXT + 2.5,
                _ if block.inner.is_some() => TEXT,
                _ => TEXT_SMALL + 0.5,
            };
            context.text(middle, Align2::CENTER_CENTER, text, size, ink);
        }
        Drawing::Fraction(over, under) if has_text => {
            let half = 0.5 * (over.chars().count().max(under.chars().count()) as f32 * 6.5 + 6.0);
            context.text(middle - vec2(0.0, 1.0), Align2::CENTER_BOTTOM, over, TEXT_SMALL, ink);
            context.text(middle + vec2(0.0, 1.5), Align2::CENTER_TOP, under, TEXT_SMALL, ink);
            let (a, b) = (
                context.crisp(context.at(middle - vec2(half, 0.0))),
                context.crisp(context.at(middle + vec2(half, 0.0))),
            );
            context.painter.line_segment([a, b], Stroke::new(context.line_width(1.0), ink));
        }
        Drawing::Strokes(strokes) => strokes_ui(context, strokes, icon_rect(middle, body), 1.5, ink),
        Drawing::Path(lines) => {
            let strokes: Vec<&[(f32, f32)]> = lines.iter().map(Vec::as_slice).collect();
            strokes_ui(context, &strokes, icon_rect(middle, body), 1.5, ink);
        }
        // Port names are more informative here.
        Drawing::Model if room_between_labels(block) >= MODEL_SIZE => {
            let size = MODEL_SIZE - 4.0;
            strokes_ui(context, MODEL_ICON, Rect::from_center_size(middle, Vec2::splat(size)), 1.1, theme.text_weak);
        }
        Drawing::Unknown if has_text => {
            context.text(middle, Align2::CENTER_CENTER, "?", TEXT + 2.0, theme.error);
        }
        Drawing::Live if has_text => {
            let first = block.ports.inputs.first();
            let source = first.and_then(|input| source_of(scene, block.block.id, input));
            let key = source.map(|(block, output)| SignalKey { path: path.to_vec(), block, output });
            let text =
                key.and_then(|key| (view.values)(&key)).map_or("—".to_owned(), |values| text_of_values(&values));
            context.text(middle, Align2::CENTER_CENTER, shortened(&text, 11), TEXT_SMALL + 0.5, ink);
        }
        _ => {}
    }
}

/// Size of a model's icon with a margin.
const MODEL_SIZE: f32 = 34.0;
/// Approximate width of a letter of a port name.
const LABEL_LETTER: f32 = 6.2;

/// Gap between the input names and the output names, along the signal direction.
fn room_between_labels(block: &BlockView) -> f32 {
    let body = block.outline.body;
    if !block.shows_labels {
        return body.width();
    }
    if block.outline.facing.is_vertical() {
        return body.height() - 30.0;
    }
    let longest = |names: &[std::sync::Arc<str>]| names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    // The icon is in the middle.
    let letters = 2 * longest(&block.ports.inputs).max(longest(&block.ports.outputs));
    let mark = if block.roles.iter().any(Option::is_some) { roles::WIDTH } else { 0.0 };
    body.width() - 16.0 - mark - letters as f32 * LABEL_LETTER
}

fn icon_rect(middle: Pos2, body: Rect) -> Rect {
    let size = (body.width().min(body.height()) - 12.0).clamp(8.0, 40.0);
    Rect::from_center_size(middle, Vec2::splat(size))
}

fn strokes_ui(context: &DrawContext, strokes: &[&[(f32, f32)]], area: Rect, width: f32, color: Color32) {
    let area = context.rect(area);
    let stroke = Stroke::new(context.line_width(width), color);
    for points in strokes {
        let point_at = |&(x, y): &(f32, f32)| pos2(area.left() + x * area.width(), area.top() + y * area.height());
        let points: Vec<Pos2> = points.iter().map(point_at).collect();
        let is_axis_parallel = points.windows(2).all(|pair| matches!(pair, [a, b] if a.x == b.x || a.y == b.y));
        match is_axis_parallel {
            true => context.painter.line(points.into_iter().map(|point| context.crisp(point)).collect(), stroke),
            false => context.painter.line(points, stroke),
        };
    }
}

fn ports_ui(context: &DrawContext, scene: &Scene, block: &BlockView, decorations: &Decorations, state: BlockState) {
    let theme = context.theme;
    let id = block.block.id;
    let scale = context.transform.zoom().clamp(0.6, 2.0);
    // The ports of a round body do not touch it: a short lead joins them.
    if block.body == Body::Circle && block.outline.inputs.len() > 3 && !block.outline.facing.is_vertical() {
        for (at, direction) in lead_ends(block) {
            let center = block.outline.body.center();
            let radius = block.outline.body.width().min(block.outline.body.height()) / 2.0;
            let reach = (radius * radius - (at.y - center.y).powi(2)).max(0.0).sqrt();
            let edge = pos2(center.x + direction * reach, at.y);
            if (edge.x - at.x).abs() > 0.5 {
                let line = [context.crisp(context.at(at)), context.crisp(context.at(edge))];
                context.painter.line_segment(line, Stroke::new(context.line_width(1.4), theme.wire));
            }
        }
    }
    for (name, at) in block.ports.inputs.iter().zip(&block.outline.inputs) {
        let is_hovered = matches!(decorations.hover, Hit::Input(hovered, port) if *hovered == id && port == name);
        let is_free = scene.wire(&InputKey { block: id, input: Arc::clone(name) }).is_none();
        let center = context.crisp(context.at(*at));
        if let Some(Wire { fixed: WireEnd::Output(..), closed, .. }) = decorations.wiring {
            // Ports that the wire may connect to are highlighted; those that would close a loop are marked.
            let key = InputKey { block: id, input: Arc::clone(name) };
            match (closed.as_ref().is_some_and(|closed| closed.contains(&key)), is_free) {
                (true, _) => cross_ui(context, center, 3.2 * scale),
                (false, true) => port_lit_ui(context, center, scale),
                (false, false) => {
                    let line = Stroke::new(1.2, theme.accent.gamma_multiply(0.6));
                    context.painter.circle(center, 2.6 * scale, theme.canvas, line);
                }
            }
        } else if is_hovered {
            port_hover_ui(context, center);
        } else if is_free {
            context.painter.circle(center, 3.2 * scale, theme.canvas, Stroke::new(1.2, theme.block_stroke));
        }
    }
    for (name, at) in block.ports.outputs.iter().zip(&block.outline.outputs) {
        let is_hovered = matches!(decorations.hover, Hit::Output(hovered, port) if *hovered == id && port == name);
        let center = context.crisp(context.at(*at));
        if let Some(Wire { fixed: WireEnd::Input(..), .. }) = decorations.wiring {
            port_lit_ui(context, center, scale);
        } else if is_hovered {
            port_hover_ui(context, center);
        } else if let Some(color) = decorations.watched.get(&(id, &**name)) {
            context.painter.circle_filled(center, 3.6 * scale, *color);
        } else if scene.net(id, name).next().is_none() || state.is_hovered {
            context.painter.circle_filled(center, 2.6 * scale, theme.block_stroke);
        }
    }
}

fn lead_ends(block: &BlockView) -> impl Iterator<Item = (Pos2, f32)> + '_ {
    let facing = block.outline.facing.heading().vector().x;
    let inputs = block.outline.inputs.iter().map(move |at| (*at, -facing));
    inputs.chain(block.outline.outputs.iter().map(move |at| (*at, facing)))
}

/// Draws a port that the wire may connect to.
fn port_lit_ui(context: &DrawContext, center: Pos2, scale: f32) {
    context.painter.circle_filled(center, 6.5 * scale, context.theme.accent.gamma_multiply(0.22));
    context.painter.circle(center, 3.4 * scale, context.theme.canvas, Stroke::new(1.6, context.theme.accent));
}

/// Draws a port that the wire may not connect to.
fn cross_ui(context: &DrawContext, center: Pos2, size: f32) {
    let stroke = Stroke::new(1.2, context.theme.error.gamma_multiply(0.8));
    for arm in [vec2(size, size), vec2(size, -size)] {
        context.painter.line_segment([center - arm, center + arm], stroke);
    }
}

fn port_hover_ui(context: &DrawContext, center: Pos2) {
    context.painter.circle_filled(center, 7.0, context.theme.accent.gamma_multiply(0.25));
    context.painter.circle(center, 4.0, context.theme.canvas, Stroke::new(1.6, context.theme.accent));
}

/// Draws port names and signs inside the body.
fn labels_ui(context: &DrawContext, block: &BlockView) {
    let weak = context.theme.text_weak;
    let inset = block.outline.facing.heading().vector() * 6.0;
    let (at_input, at_output) = match block.outline.facing {
        Facing::Right => (Align2::LEFT_CENTER, Align2::RIGHT_CENTER),
        Facing::Left => (Align2::RIGHT_CENTER, Align2::LEFT_CENTER),
        Facing::Down => (Align2::CENTER_TOP, Align2::CENTER_BOTTOM),
        Facing::Up => (Align2::CENTER_BOTTOM, Align2::CENTER_TOP),
    };
    if block.shows_labels {
        let room = block.outline.rect.width() / 2.0;
        let letters = match block.outline.facing.is_vertical() {
            true => 12,
            false => ((room - 10.0) / 5.6).max(3.0) as usize,
        };
        for (number, (name, at)) in block.ports.inputs.iter().zip(&block.outline.inputs).enumerate() {
            let mut inset = inset;
            if let Some((role, edge)) = block.roles.get(number).copied().flatten() {
                let ahead = block.outline.facing.heading().vector();
                roles::mark_ui(context, role, edge, *at + ahead * 11.0, mix(weak, context.theme.accent, 0.5));
                inset += ahead * roles::WIDTH;
            }
            context.text(*at + inset, at_input, shortened(name, letters), TEXT_SMALL - 1.0, weak);
        }
        for (name, at) in block.ports.outputs.iter().zip(&block.outline.outputs) {
            context.text(*at - inset, at_output, shortened(name, letters), TEXT_SMALL - 1.0, weak);
        }
    }
    for (sign, at) in block.signs.iter().zip(&block.outline.inputs) {
        let shown = if *sign == '-' { '−' } else { *sign };
        let way = block.outline.input_heading(*at).vector();
        let inset = if block.body == Body::Circle { 9.0 } else { 8.0 };
        context.text(*at + way * inset, Align2::CENTER_CENTER, shown, TEXT_SMALL + 1.0, context.theme.text);
    }
}

fn title_ui(context: &DrawContext, scene: &Scene, block: &BlockView, state: BlockState) {
    let color = if state.is_selected { context.theme.accent } else { context.theme.text_weak };
    if let Some(TitlePlace { at, align, letters }) = scene.title_place(block) {
        context.text(at, align, shortened(block.block.title(), letters), TEXT_SMALL - 0.5, color);
    }
}

fn problem_ui(context: &DrawContext, block: &BlockView, severity: Severity) {
    let theme = context.theme;
    let color = if severity == Severity::Error { theme.error } else { theme.warning };
    let center = context.at(block.outline.body.right_top());
    let radius = 7.0 * context.transform.zoom().clamp(0.5, 1.3);
    context.painter.circle(center, radius, color, Stroke::new(1.5, theme.canvas));
    if context.detail >= Detail::Drawings {
        let ink = Stroke::new(radius * 0.28, theme.canvas);
        context.painter.line_segment([center - vec2(0.0, radius * 0.52), center + vec2(0.0, radius * 0.1)], ink);
        context.painter.circle_filled(center + vec2(0.0, radius * 0.5), radius * 0.17, theme.canvas);
    }
}
