//! Draws the scene: background, wires, blocks, and the feedback of gestures on top.
//!
//! Draws only what is in view, with less detail at lower zoom: first without texts, then without ports and icons; at
//! the lowest level a block is a rectangle and the whole diagram one mesh.

mod block;
mod grid;
mod heat;
mod lod_mesh;
mod overlay;
mod rates;
mod remark;
mod roles;
mod values;
mod wire;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use eframe::egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Stroke, StrokeKind};

pub use heat::legend_ui as heat_legend_ui;
pub use lod_mesh::LodMesh;
pub use overlay::{alignment_ui, ghost_ui, guides_ui, marquee_ui, note_ui, running_ui, target_ui, text_of_values};
pub use rates::legend_ui;
pub use remark::{COLORS, text_rect};
pub use wire::{hop_ui, loose_wire_ui, moved_wire_ui, suggested_wire_ui};

use super::camera::ViewTransform;
use super::gesture::Wire;
use super::hit::Hit;
use super::scene::{BlockView, Scene, WireView};
use super::{CanvasView, Selection};
use crate::app::theme::Theme;
use crate::model::{BlockId, InputKey, Severity, SignalKey, Trace};

/// Number of blocks in view above which each is drawn as a rectangle.
const MANY: usize = 1500;

/// Level of detail of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Rectangles.
    LodMesh,
    /// Bodies without ports and texts.
    Bodies,
    /// Everything but small texts.
    Drawings,
    All,
}

impl Detail {
    pub fn at(zoom: f32) -> Detail {
        match zoom {
            z if z < 0.16 => Detail::LodMesh,
            z if z < 0.3 => Detail::Bodies,
            z if z < 0.55 => Detail::Drawings,
            _ => Detail::All,
        }
    }
}

/// What all drawing functions need: painter, view transform, theme and level of detail.
pub struct DrawContext<'a> {
    pub painter: &'a Painter,
    pub transform: ViewTransform,
    pub theme: &'a Theme,
    pub detail: Detail,
}

/// What decorates the diagram in this frame: selection, problems, highlight, values, heat.
pub struct Overlay<'a> {
    pub selection: &'a Selection,
    pub hover: &'a Hit,
    /// Colours of the plotted outputs of the open model.
    pub watched: HashMap<(BlockId, &'a str), Color32>,
    pub problems: HashMap<BlockId, Severity>,
    /// Wires with an error, such as those of an algebraic loop.
    pub faulty: HashSet<&'a InputKey>,
    /// A wire that is not drawn because a preview replaces it.
    pub hidden_wire: Option<&'a InputKey>,
    /// The wire that the user is drawing.
    pub wiring: Option<&'a Wire>,
    /// The highlighted signal path; everything else is faint.
    pub highlight: Option<HighlightInModel<'a>>,
    pub shows_rates: bool,
    pub hides_grid: bool,
    /// Values are shown beside the wires.
    pub shows_values: bool,
    /// Execution times of the blocks of the open model in seconds per step, and their maximum.
    pub heat: Option<&'a HashMap<BlockId, f64>>,
    pub hottest: f64,
    /// A loose wire whose end is being dragged.
    pub hidden_loose: Option<(BlockId, usize)>,
}

/// The part of a highlighted signal path that lies in the open model.
pub struct HighlightInModel<'a> {
    pub blocks: HashSet<BlockId>,
    pub wires: HashSet<&'a InputKey>,
}

impl<'a> HighlightInModel<'a> {
    pub fn of(trace: &'a Trace, path: &[BlockId]) -> HighlightInModel<'a> {
        let blocks = trace.blocks.iter().filter(|(at, _)| at == path).map(|(_, id)| *id);
        let wires = trace.wires.iter().filter(|(at, _)| at == path).map(|(_, key)| key);
        HighlightInModel { blocks: blocks.collect(), wires: wires.collect() }
    }
}

impl<'a> DrawContext<'a> {
    pub fn at(&self, point: Pos2) -> Pos2 {
        self.transform.to_screen(point)
    }

    pub fn rect(&self, rect: Rect) -> Rect {
        self.transform.rect_to_screen(rect)
    }

    /// Scales a length of the model to the screen.
    pub fn scaled(&self, length: f32) -> f32 {
        length * self.transform.zoom()
    }

    /// Rounds to the centre of a pixel, where hairlines are sharp.
    pub fn crisp(&self, point: Pos2) -> Pos2 {
        Pos2::new(self.painter.round_to_pixel_center(point.x), self.painter.round_to_pixel_center(point.y))
    }

    /// Returns a line width that grows slightly with the zoom.
    pub fn line_width(&self, width: f32) -> f32 {
        width * self.transform.zoom().clamp(0.6, 2.2)
    }

    /// Steps of half a point limit the number of rasterized glyph sizes while zooming.
    pub fn font(&self, size: f32) -> FontId {
        FontId::proportional(((size * self.transform.zoom() * 2.0).round() / 2.0).max(1.0))
    }

    pub fn text(&self, at: Pos2, align: Align2, text: impl ToString, size: f32, color: Color32) -> Rect {
        self.painter.text(self.at(at), align, text, self.font(size), color)
    }

    pub fn glow(&self, rect: Rect, radius: f32) {
        let soft = self.theme.accent.gamma_multiply(0.22);
        self.painter.rect_stroke(rect.expand(1.0), radius + 1.0, Stroke::new(4.0, soft), StrokeKind::Outside);
    }
}

/// Draws the diagram. Returns the blocks in view if they are few enough for a screen reader to list.
pub fn scene_ui<'s>(
    context: &mut DrawContext,
    view: &CanvasView,
    scene: &'s Scene,
    overlay: &Overlay,
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
        lod_mesh::lod_mesh_ui(context, scene, overlay, visible, lod_mesh);
        return Vec::new();
    }
    if !overlay.hides_grid {
        grid::grid_ui(context);
    }
    diagram_ui(context, view, scene, overlay, path)
}

/// Draws wires and blocks without the background.
pub fn diagram_ui<'s>(
    context: &mut DrawContext,
    view: &CanvasView,
    scene: &'s Scene,
    overlay: &Overlay,
    path: &[BlockId],
) -> Vec<&'s BlockView> {
    let visible = context.transform.visible().expand(4.0);
    let blocks = scene.blocks_in(visible);
    let state = |block: &BlockView| {
        let id = block.block.id;
        let is_hovered = matches!(overlay.hover, Hit::Block(hovered) | Hit::Corner(hovered) if *hovered == id);
        (overlay.selection.blocks.contains(&id), is_hovered)
    };
    // Areas lie behind everything else, larger ones first.
    let mut areas: Vec<&BlockView> = blocks.iter().copied().filter(|block| block.is_area()).collect();
    areas.sort_by(|a, b| b.outline.body.area().total_cmp(&a.outline.body.area()));
    for area in areas {
        let (is_selected, is_hovered) = state(area);
        remark::area_ui(context, area, is_selected, is_hovered);
    }
    let wires = scene.wires_in(visible);
    let widths = widths(context, view, &wires, path);
    let rates = if overlay.shows_rates { rates::colors(view, context.theme, &wires, path) } else { HashMap::new() };
    for wire in &wires {
        let width = widths.get(&(wire.connection.from, &*wire.connection.output)).copied().unwrap_or(1);
        let rate = rates.get(&(wire.connection.from, &*wire.connection.output)).copied();
        wire::wire_ui(context, wire, width, rate, overlay);
        wire::name_ui(context, scene, wire);
    }
    wire::dots_ui(context, &wires, &rates, overlay);
    if context.detail >= Detail::Drawings {
        blocks.iter().for_each(|block| wire::loose_ends_ui(context, block, overlay));
    }
    let block_rates = match overlay.shows_rates {
        true => rates::of_blocks(view, context.theme, scene, &blocks, path),
        false => HashMap::new(),
    };
    for block in &blocks {
        match (block.is_area(), block.is_remark()) {
            (true, _) => {}
            (false, true) => {
                let (is_selected, is_hovered) = state(block);
                remark::note_ui(context, block, is_selected, is_hovered);
            }
            (false, false) => {
                let rate = block_rates.get(&block.block.id).copied();
                block::block_ui(context, view, (scene, block), overlay, path, rate);
            }
        }
    }
    if overlay.shows_values {
        values::values_ui(context, view, &wires, overlay, path);
    }
    values::breakpoints_ui(context, &wires, overlay);
    blocks
}

/// Returns the widths of the outputs whose wires are in view, as known from a run or the last check.
fn widths<'s>(
    context: &DrawContext,
    view: &CanvasView,
    wires: &[&'s WireView],
    path: &[BlockId],
) -> HashMap<(BlockId, &'s str), usize> {
    let mut widths = HashMap::new();
    if context.detail < Detail::Drawings {
        return widths;
    }
    for connection in wires.iter().map(|wire| &wire.connection) {
        widths.entry((connection.from, &*connection.output)).or_insert_with(|| {
            let output = Arc::clone(&connection.output);
            let key = SignalKey { path: path.to_vec(), block: connection.from, output };
            let of_program = || view.program.and_then(|program| program.width_of(&key));
            of_program().or_else(|| Some((view.values)(&key)?.len())).unwrap_or(1)
        });
    }
    widths
}

/// Interpolates between two colours.
pub fn mix(a: Color32, b: Color32, part: f32) -> Color32 {
    a.lerp_to_gamma(b, part)
}

/// Returns the output that feeds an input.
pub fn source_of(scene: &Scene, block: BlockId, input: &Arc<str>) -> Option<(BlockId, Arc<str>)> {
    let wire = scene.wire(&InputKey { block, input: Arc::clone(input) })?;
    Some((wire.connection.from, Arc::clone(&wire.connection.output)))
}
