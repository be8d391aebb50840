//! Draws the scene: background, wires, blocks, and the feedback of gestures on top.
//!
//! Draws only what is in view, with less detail at lower zoom: first without texts, then without ports and icons; at
//! the lowest level a block is a rectangle and the whole diagram one mesh.

mod block;
mod context;
pub mod curve;
mod feedback;
mod grid;
mod heat;
mod lod_mesh;
mod rates;
mod remark;
mod roles;
mod values;
mod wire;

use std::collections::HashMap;
use std::sync::Arc;

pub use context::{Decorations, Detail, DrawContext, HighlightInModel, mix, source_of};
pub use feedback::{
    alignment_ui, ghost_ui, guides_ui, marquee_ui, note_ui, refused_target_ui, running_ui, target_ui, text_of_values,
};
pub use heat::legend_ui as heat_legend_ui;
pub use lod_mesh::LodMesh;
pub use rates::legend_ui;
pub use remark::{COLORS, text_rect};

use remark::Emphasis;
pub use wire::{hop_ui, loose_wire_ui, moved_wire_ui, suggested_wire_ui};

use super::CanvasView;
use super::gesture::hit::Hit;
use super::scene::{BlockView, Scene, WireView};
use crate::block::SignalType;
use crate::model::{BlockId, SignalKey};

/// Number of blocks in view above which each is drawn as a rectangle.
const MANY: usize = 1500;

/// Draws the diagram. Returns the blocks in view if they are few enough for a screen reader to list.
pub fn scene_ui<'s>(
    context: &mut DrawContext,
    view: &CanvasView,
    scene: &'s Scene,
    decorations: &Decorations,
    path: &[BlockId],
    lod_mesh: &mut LodMesh,
) -> Vec<&'s BlockView> {
    context.painter.rect_filled(context.transform.screen, 0.0, context.theme.canvas);
    let visible = context.transform.visible().expand(4.0);
    let is_far = context.detail == Detail::LodMesh || {
        let counted = scene.block_count() > MANY;
        counted && scene.count_in(visible, MANY) >= MANY
    };
    if is_far {
        context.detail = Detail::LodMesh;
        lod_mesh::lod_mesh_ui(context, scene, decorations, visible, lod_mesh);
        return Vec::new();
    }
    if !decorations.hides_grid {
        grid::grid_ui(context);
    }
    diagram_ui(context, view, scene, decorations, path)
}

/// Draws wires and blocks without the background.
pub fn diagram_ui<'s>(
    context: &mut DrawContext,
    view: &CanvasView,
    scene: &'s Scene,
    decorations: &Decorations,
    path: &[BlockId],
) -> Vec<&'s BlockView> {
    let visible = context.transform.visible().expand(4.0);
    let blocks = scene.blocks_in(visible);
    let state = |block: &BlockView| {
        let id = block.block.id;
        let is_hovered = matches!(decorations.hover, Hit::Block(hovered) | Hit::Corner(hovered) if *hovered == id);
        (decorations.selection.blocks.contains(&id), is_hovered)
    };
    let emphasis = |block: &BlockView| match state(block) {
        (true, _) => Emphasis::Selected,
        (false, true) => Emphasis::Hovered,
        (false, false) => Emphasis::None,
    };
    // Areas lie behind everything else, larger ones first.
    let mut areas: Vec<&BlockView> = blocks.iter().copied().filter(|block| block.is_area()).collect();
    areas.sort_by(|a, b| b.outline.body.area().total_cmp(&a.outline.body.area()));
    for area in areas {
        remark::area_ui(context, area, emphasis(area));
    }
    let wires = scene.wires_in(visible);
    let types = types(context, view, &wires, path);
    let rates = if decorations.shows_rates { rates::colors(view, context.theme, &wires, path) } else { HashMap::new() };
    let scalar = SCALAR;
    for wire in &wires {
        let of = types.get(&(wire.connection.from, &*wire.connection.output)).unwrap_or(&scalar);
        let rate = rates.get(&(wire.connection.from, &*wire.connection.output)).copied();
        wire::wire_ui(context, wire, of, rate, decorations);
        wire::name_ui(context, scene, wire);
    }
    wire::dots_ui(context, &wires, &rates, decorations);
    if context.detail >= Detail::Drawings {
        blocks.iter().for_each(|block| wire::loose_ends_ui(context, block, decorations));
    }
    let block_rates = match decorations.shows_rates {
        true => rates::of_blocks(view, context.theme, scene, &blocks, path),
        false => HashMap::new(),
    };
    for block in &blocks {
        match (block.is_area(), block.is_remark()) {
            (true, _) => {}
            (false, true) => {
                remark::note_ui(context, block, emphasis(block));
            }
            (false, false) => {
                let rate = block_rates.get(&block.block.id).copied();
                block::block_ui(context, view, (scene, block), decorations, path, rate);
            }
        }
    }
    if decorations.shows_values {
        values::values_ui(context, view, (scene, &wires), decorations, path);
    }
    values::breakpoints_ui(context, &wires, decorations);
    blocks
}

const SCALAR: SignalType = SignalType::plain(1);

/// Returns the types of the outputs whose wires are in view, as known from a run or the last check.
fn types<'s>(
    context: &DrawContext,
    view: &CanvasView,
    wires: &[&'s WireView],
    path: &[BlockId],
) -> HashMap<(BlockId, &'s str), SignalType> {
    let mut types = HashMap::new();
    if context.detail < Detail::Drawings {
        return types;
    }
    for connection in wires.iter().map(|wire| &wire.connection) {
        types.entry((connection.from, &*connection.output)).or_insert_with(|| {
            let output = Arc::clone(&connection.output);
            let key = SignalKey { path: path.to_vec(), block: connection.from, output };
            let of_program = || view.program.and_then(|program| program.type_of(&key));
            of_program().or_else(|| Some(SignalType::plain((view.values)(&key)?.len()))).unwrap_or(SCALAR)
        });
    }
    types
}
