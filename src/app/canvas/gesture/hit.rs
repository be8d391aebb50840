//! Hit testing: what lies under a point of the model. Independent of the window.

use std::sync::Arc;

use eframe::egui::emath::Pos2;

use crate::app::canvas::geometry::nearest_segment;
use crate::app::canvas::scene::{BlockView, LooseWire, Scene};
use crate::model::{BlockId, InputKey};

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Hit {
    #[default]
    Empty,
    Block(BlockId),
    Input(BlockId, Arc<str>),
    Output(BlockId, Arc<str>),
    /// A segment of a wire, by the index of its first point.
    Wire {
        key: InputKey,
        segment: usize,
    },
    /// The dot where a wire branches off.
    Dot(InputKey),
    /// The free end of a block's loose wire, by its number.
    Loose(BlockId, usize),
    /// The resize handle at the lower right corner of a note or area.
    Corner(BlockId),
}

/// Which ports are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortDirection {
    Input,
    Output,
}

/// Hit distances for ports and wires, in model units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// 0 if ports are too small to be visible.
    pub port: f32,
    pub wire: f32,
}

/// Hit distances for the resize corner of a note or area and for an area's edges, and the height of an area's title.
const CORNER: f32 = 10.0;
/// The resize corner of a block is smaller, since the rest of the block moves it.
const BLOCK_CORNER: f32 = 5.0;
const EDGE: f32 = 5.0;
const TITLE: f32 = 22.0;
/// Maximum part of a block's shorter side that a port covers inside it: the middle half moves the block.
const HELD: f32 = 0.25;

pub fn hit(scene: &Scene, point: Pos2, reach: Reach) -> Hit {
    let near = eframe::egui::emath::Rect::from_pos(point).expand(reach.port.max(0.0));
    let found = scene.blocks_in(near);
    for view in found.iter().copied().rev() {
        let is_near = |wire: &LooseWire| wire.end_of(view).distance(point) <= reach.port;
        if let Some(number) = view.loose.iter().position(is_near) {
            return Hit::Loose(view.block.id, number);
        }
    }
    for view in found.iter().copied().filter(|view| !view.is_area()).rev() {
        let corner = if view.is_remark() { CORNER } else { BLOCK_CORNER };
        if view.is_resizable() && view.outline.body.max.distance(point) <= corner {
            return Hit::Corner(view.block.id);
        }
        // Ports cover less inside the block, so that small blocks and narrow bars can be dragged.
        let body = view.outline.body;
        let inside = (reach.port * 0.7).min(body.width().min(body.height()) * HELD);
        let room = if body.contains(point) { inside } else { reach.port };
        if let Some((side, name)) = port_near(view, point, room) {
            return match side {
                PortDirection::Input => Hit::Input(view.block.id, name),
                PortDirection::Output => Hit::Output(view.block.id, name),
            };
        }
        if view.outline.body.contains(point) {
            return Hit::Block(view.block.id);
        }
    }
    match wire_at(scene, point, reach.wire) {
        Hit::Empty => {
            let titled = || {
                found
                    .iter()
                    .rev()
                    .find(|view| scene.title_place(view).is_some_and(|title| title.rect().contains(point)))
            };
            let area = || found.iter().rev().find_map(|view| area_at(view, point));
            titled().map(|view| Hit::Block(view.block.id)).or_else(area).unwrap_or(Hit::Empty)
        }
        wire => wire,
    }
}

/// Returns whether a point is on the title or an edge of an area; its inside behaves like empty canvas.
fn area_at(view: &BlockView, point: Pos2) -> Option<Hit> {
    let body = view.outline.body;
    if !view.is_area() || !body.expand(EDGE).contains(point) {
        return None;
    }
    if body.max.distance(point) <= CORNER {
        return Some(Hit::Corner(view.block.id));
    }
    let is_held = point.y < body.top() + TITLE || !body.shrink(EDGE).contains(point);
    is_held.then_some(Hit::Block(view.block.id))
}

fn port_near(view: &BlockView, point: Pos2, reach: f32) -> Option<(PortDirection, Arc<str>)> {
    let inputs = view.ports.inputs.iter().zip(&view.outline.inputs).map(|(name, at)| (PortDirection::Input, name, at));
    let outputs =
        view.ports.outputs.iter().zip(&view.outline.outputs).map(|(name, at)| (PortDirection::Output, name, at));
    let distances = inputs.chain(outputs).map(|(side, name, at)| (at.distance(point), side, name));
    let near = distances.filter(|(distance, ..)| *distance <= reach);
    near.min_by(|(a, ..), (b, ..)| a.total_cmp(b)).map(|(_, side, name)| (side, Arc::clone(name)))
}

pub fn wire_at(scene: &Scene, point: Pos2, reach: f32) -> Hit {
    let near = eframe::egui::emath::Rect::from_pos(point).expand(reach);
    let wires = scene.wires_in(near);
    if let Some(wire) = wires.iter().find(|wire| wire.dot.is_some_and(|dot| dot.distance(point) <= reach)) {
        return Hit::Dot(wire.key());
    }
    let found = wires.into_iter().filter_map(|wire| {
        let (segment, distance) = nearest_segment(&wire.points, point)?;
        (distance <= reach).then_some((distance, wire, segment))
    });
    match found.min_by(|(a, ..), (b, ..)| a.total_cmp(b)) {
        Some((_, wire, segment)) => Hit::Wire { key: wire.key(), segment },
        None => Hit::Empty,
    }
}

/// Returns the port that a wire end at `point` would connect to: a near one, or the first free one of the block below
/// it.
pub fn port_for_end(scene: &Scene, point: Pos2, side: PortDirection, reach: f32) -> Option<(BlockId, Arc<str>, Pos2)> {
    let near = eframe::egui::emath::Rect::from_pos(point).expand(reach);
    let mut best: Option<(f32, BlockId, Arc<str>, Pos2)> = None;
    for view in scene.blocks_in(near).into_iter().rev() {
        let is_over = view.outline.body.contains(point);
        let (names, positions) = match side {
            PortDirection::Input => (&view.ports.inputs, &view.outline.inputs),
            PortDirection::Output => (&view.ports.outputs, &view.outline.outputs),
        };
        for (name, at) in names.iter().zip(positions) {
            let mut distance = at.distance(point);
            if distance > reach && !is_over {
                continue;
            }
            if distance > reach {
                let key = InputKey { block: view.block.id, input: Arc::clone(name) };
                let is_taken = side == PortDirection::Input && scene.wire(&key).is_some();
                distance += if is_taken { 10_000.0 } else { 1_000.0 };
            }
            if best.as_ref().is_none_or(|(least, ..)| distance < *least) {
                best = Some((distance, view.block.id, Arc::clone(name), *at));
            }
        }
    }
    best.map(|(_, id, name, at)| (id, name, at))
}
