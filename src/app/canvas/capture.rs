//! Diagrams as drawings, for picture files.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::{Color32, Rect};

use super::Canvas;
use super::WidgetsUi;
use super::scene::BlockView;
use crate::app::drawing::{
    Drawing, Format, Part, PictureError, PictureTarget, bounds_of, export_drawings, items_of, shift,
};
use crate::app::ui::theme::Theme;
use crate::block::Registry;
use crate::model::{Block, BlockId, Change, Connection, Fragment, Model, Simulation};

/// White margin around the diagram, in points.
const MARGIN: f32 = 12.0;

/// A drawn diagram, and where its blocks are in it.
pub struct Captured {
    pub drawing: Drawing,
    pub blocks: Vec<(BlockId, Rect)>,
}

/// Draws a part; None if it is empty.
pub fn capture(
    simulation: &Arc<Simulation>,
    registry: &Registry,
    part: &Part,
    widgets_ui: WidgetsUi,
) -> Option<Drawing> {
    Some(capture_part(simulation, registry, part, widgets_ui)?.drawing)
}

/// Draws a model; None if it is empty.
pub fn capture_with_blocks(
    simulation: &Arc<Simulation>,
    registry: &Registry,
    model: &Arc<str>,
    widgets_ui: WidgetsUi,
) -> Option<Captured> {
    capture_part(simulation, registry, &Part { model: Arc::clone(model), blocks: None }, widgets_ui)
}

fn capture_part(
    simulation: &Arc<Simulation>,
    registry: &Registry,
    part: &Part,
    widgets_ui: WidgetsUi,
) -> Option<Captured> {
    let shown = alone(simulation, part)?;
    let theme = Theme { canvas: Color32::WHITE, ..Theme::light() };
    let mut canvas = Canvas::new();
    let mut is_there = false;
    let mut items = items_of(|painter, ui| {
        is_there = canvas.picture((painter, ui), &shown, registry, &theme, widgets_ui).is_some();
    });
    if !is_there {
        return None;
    }
    let bounds = items.iter().map(bounds_of).reduce(Rect::union)?.expand(MARGIN);
    let bounds = Rect::from_min_max(bounds.min.floor(), bounds.max.ceil());
    items.iter_mut().for_each(|item| shift(item, -bounds.min.to_vec2()));
    // The picture has the scene's top left corner at the origin.
    let origin = canvas.scene.bounds()?.min.floor();
    let rect = |block: &BlockView| block.outline.rect.translate(-origin.to_vec2() - bounds.min.to_vec2());
    let blocks = canvas.scene.blocks().map(|block| (block.block.id, rect(block))).collect();
    let drawing = Drawing { title: part.model.to_string(), size: bounds.size(), items, ..Drawing::default() };
    Some(Captured { drawing, blocks })
}

/// Returns the change that lays out all blocks of a model along their wires from left to right; none if they are so
/// already, with positions of their own.
pub fn arranged(simulation: &Arc<Simulation>, registry: &Registry, model: &Arc<str>) -> Option<Change> {
    let shown = alone(simulation, &Part { model: Arc::clone(model), blocks: None })?;
    let mut canvas = Canvas::new();
    canvas.show(&shown, registry)?;
    canvas.arrange(&shown).or_else(|| {
        // Blocks without a position are shown where they would be arranged.
        let edits = canvas.pins(shown.model(model)?, &BTreeSet::new());
        (!edits.is_empty()).then(|| Change::new("Arrange all", edits))
    })
}

/// Draws parts and writes them: a .pdf gets one page per part, other formats one file per part, named after the models.
/// `scale` is in pixels per point, for .png. Returns the written files.
///
/// # Errors
/// Fails if there is nothing to draw or a file cannot be written.
pub fn export(
    target: PictureTarget,
    simulation: &Arc<Simulation>,
    registry: &Arc<Registry>,
    parts: &[Part],
    (scale, widgets_ui): (f32, WidgetsUi),
) -> Result<Vec<PathBuf>, PictureError> {
    // Checked before the expensive drawing.
    Format::of(target.path).ok_or(PictureError::UnknownFormat)?;
    let drawings: Vec<Drawing> =
        parts.iter().filter_map(|part| capture(simulation, registry, part, widgets_ui)).collect();
    export_drawings(target, &drawings, scale)
}

/// Returns the simulation with the part as its root.
fn alone(simulation: &Arc<Simulation>, part: &Part) -> Option<Arc<Simulation>> {
    let model = simulation.model(&part.model).filter(|model| !model.blocks.is_empty())?;
    let mut shown = Simulation::clone(simulation);
    shown.root = Arc::clone(&part.model);
    if let Some(blocks) = &part.blocks {
        let ids: Vec<BlockId> = blocks.iter().copied().collect();
        let fragment = Fragment::of(model, &ids);
        let mut only = Model::new(&model.name);
        only.variables.clone_from(&model.variables);
        for block in &fragment.blocks {
            only.add_block(Block::clone(block));
        }
        for connection in &fragment.connections {
            only.connect(Connection::clone(connection));
        }
        if only.blocks.is_empty() {
            return None;
        }
        shown.models.insert(Arc::clone(&part.model), Arc::new(only));
    }
    Some(Arc::new(shown))
}
