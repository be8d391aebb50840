//! Draws the diagram at the lowest level of detail: one mesh of rectangles and hairlines, rebuilt only when the diagram
//! changes, and translated when the view moves.

use std::sync::Arc;

use eframe::egui::{Color32, Mesh, Pos2, Rect, Shape, Vec2, pos2};

use super::context::{Decorations, DrawContext, mix};
use crate::app::canvas::scene::{BlockView, Scene};
use crate::model::Severity;

/// Minimum time between two rebuilds while wires are being routed, in seconds.
const EVERY: f64 = 0.15;

/// Number of items on top above which their mesh is kept until they change.
const MANY: usize = 500;

/// The mesh that was drawn last.
#[derive(Default)]
pub struct LodMesh {
    of: Option<Key>,
    /// The part of the model that it covers.
    covered: Option<Rect>,
    /// Where the model's origin was on the screen.
    origin: Pos2,
    made: f64,
    mesh: Arc<Mesh>,
    /// What is drawn on top, if that is much, and what it was made of.
    overlay: Option<(OverlayKey, Arc<Mesh>)>,
}

/// The inputs that the mesh on top depends on.
#[derive(Clone, Copy, PartialEq)]
struct OverlayKey {
    key: Key,
    origin: Pos2,
    visible: Rect,
    error: Color32,
    /// A hash of all that is drawn on top.
    hash: u64,
}

/// The inputs that the mesh depends on, apart from its position.
#[derive(Clone, Copy, PartialEq)]
struct Key {
    revision: u64,
    zoom: f32,
    pixel: f32,
    colors: [Color32; 4],
}

pub fn lod_mesh_ui(
    context: &DrawContext,
    scene: &Scene,
    decorations: &Decorations,
    visible: Rect,
    lod_mesh: &mut LodMesh,
) {
    let theme = context.theme;
    let pixel = 1.0 / context.painter.pixels_per_point();
    let zoom = context.transform.zoom();
    let colors = [theme.canvas, theme.wire, theme.block_fill, theme.block_stroke];
    let key = Key { revision: scene.revision(), zoom, pixel, colors };
    let now = context.painter.ctx().input(|input| input.time);
    let may_lag = scene.is_routing() && (0.0..EVERY).contains(&(now - lod_mesh.made));
    let is_same = lod_mesh.of.is_some_and(|of| Key { revision: key.revision, ..of } == key && (of == key || may_lag));
    if !(is_same && lod_mesh.covered.is_some_and(|covered| covered.contains_rect(visible))) {
        // A margin lets the view move without a rebuild.
        let covered = visible.expand2(visible.size() / 4.0);
        let mesh = mesh(context, scene, covered, pixel);
        let overlay = lod_mesh.overlay.take();
        *lod_mesh = LodMesh {
            overlay,
            of: Some(key),
            covered: Some(covered),
            origin: context.at(Pos2::ZERO),
            made: now,
            mesh: Arc::new(mesh),
        };
    }
    let shift = context.at(Pos2::ZERO) - lod_mesh.origin;
    if shift != Vec2::ZERO {
        // The painter has released the mesh of the last frame, so that this does not copy.
        Arc::make_mut(&mut lod_mesh.mesh).translate(shift);
        lod_mesh.origin += shift;
    }
    context.painter.add(Shape::mesh(Arc::clone(&lod_mesh.mesh)));
    let Decorations { selection, watched, problems, .. } = decorations;
    if selection.blocks.len() + selection.wires.len() + watched.len() + problems.len() < MANY {
        lod_mesh.overlay = None;
        context.painter.add(Shape::mesh(overlay(context, scene, decorations, visible, pixel)));
        return;
    }
    let (origin, error, hash) = (context.at(Pos2::ZERO), theme.error, hash_of(decorations));
    let key = OverlayKey { key, origin, visible, error, hash };
    let known = lod_mesh.overlay.take().filter(|(known, _)| *known == key);
    let (_, mesh) = lod_mesh
        .overlay
        .insert(known.unwrap_or_else(|| (key, Arc::new(overlay(context, scene, decorations, visible, pixel)))));
    context.painter.add(Shape::mesh(Arc::clone(mesh)));
}

/// Returns a hash of what is drawn on top; the same in any order of the maps.
fn hash_of(decorations: &Decorations) -> u64 {
    let hasher = ahash::RandomState::with_seeds(1, 2, 3, 4);
    let Decorations { selection, watched, problems, .. } = decorations;
    let selected = selection.blocks.iter().map(|id| hasher.hash_one(id));
    let selected = selected.chain(selection.wires.iter().map(|key| hasher.hash_one(key)));
    let others = watched.iter().map(|entry| hasher.hash_one(entry));
    let others = others.chain(problems.iter().map(|(id, severity)| hasher.hash_one((id, *severity as u8))));
    selected.chain(others).fold(0, u64::wrapping_add)
}

fn mesh(context: &DrawContext, scene: &Scene, covered: Rect, pixel: f32) -> Mesh {
    let theme = context.theme;
    let mut mesh = Mesh::default();
    mesh.reserve_vertices(scene.block_count() * 16);
    mesh.reserve_triangles(scene.block_count() * 8);
    let faint = mix(theme.canvas, theme.wire, (0.25 + context.transform.zoom() * 2.0).min(0.7));
    for wire in scene.wires().filter(|wire| covered.intersects(wire.bounds)) {
        wire_in(&mut mesh, context, &wire.tail, pixel, faint);
    }
    let plain = mix(theme.block_fill, theme.block_stroke, 0.55);
    for view in scene.blocks().filter(|view| !view.is_area() && covered.intersects(view.outline.body)) {
        block_in(&mut mesh, context, view, pixel, mix(plain, theme.group(view.group()), 0.25));
    }
    mesh
}

/// Returns the mesh of selected, plotted and faulty items, which is drawn on top.
fn overlay(context: &DrawContext, scene: &Scene, decorations: &Decorations, visible: Rect, pixel: f32) -> Mesh {
    let theme = context.theme;
    let mut mesh = Mesh::default();
    for ((block, output), color) in &decorations.watched {
        for wire in scene.net(*block, &Arc::from(*output)) {
            wire_in(&mut mesh, context, &wire.tail, pixel, *color);
        }
    }
    let wires = decorations.selection.wires.iter().filter_map(|key| scene.wire(key));
    for wire in wires.filter(|wire| visible.intersects(wire.bounds)) {
        wire_in(&mut mesh, context, &wire.tail, pixel, theme.accent);
    }
    let plain = mix(theme.block_fill, theme.block_stroke, 0.55);
    let is_seen = |view: &&BlockView| !view.is_area() && visible.intersects(view.outline.body);
    for (id, severity) in &decorations.problems {
        let color = match severity {
            Severity::Error => theme.error,
            Severity::Warning => mix(plain, theme.warning, 0.6),
        };
        scene.block(*id).filter(is_seen).into_iter().for_each(|view| block_in(&mut mesh, context, view, pixel, color));
    }
    for view in decorations.selection.blocks.iter().filter_map(|id| scene.block(*id)).filter(is_seen) {
        block_in(&mut mesh, context, view, pixel, theme.accent);
    }
    mesh
}

fn wire_in(mesh: &mut Mesh, context: &DrawContext, points: &[Pos2], pixel: f32, color: Color32) {
    for pair in points.windows(2) {
        if let [a, b] = pair {
            hairline(mesh, context.at(*a), context.at(*b), pixel, color);
        }
    }
}

fn block_in(mesh: &mut Mesh, context: &DrawContext, view: &BlockView, pixel: f32, color: Color32) {
    let on_screen = context.rect(view.outline.body);
    mesh.add_colored_rect(Rect::from_min_size(on_screen.min, on_screen.size().max(Vec2::splat(pixel))), color);
}

fn hairline(mesh: &mut Mesh, a: Pos2, b: Pos2, width: f32, color: Color32) {
    let rect = Rect::from_two_pos(a, b);
    let far = pos2(rect.max.x.max(rect.min.x + width), rect.max.y.max(rect.min.y + width));
    mesh.add_colored_rect(Rect { min: rect.min, max: far }, color);
}
