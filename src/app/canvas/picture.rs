//! Diagrams without the canvas: thumbnails, and drawings for picture files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::{Color32, Painter, Pos2, Rect, Ui, Vec2};

use super::camera::{Camera, ViewTransform};
use super::draw::{self, Decorations, Detail, DrawContext};
use super::edit::OpenModel;
use super::edit::changes::pins;
use super::scene::{BlockView, Scene};
use super::{CanvasView, DocumentView, Selection};
use crate::app::doc::dashboard::Widget;
use crate::app::drawing::{
    Drawing, Format, Part, PictureError, PictureTarget, bounds_of, export_drawings, items_of, shift,
};
use crate::app::ui::theme::Theme;
use crate::block::Registry;
use crate::model::{Block, BlockId, Change, Connection, Fragment, Model, Simulation};

/// White margin around the diagram, in points.
const MARGIN: f32 = 12.0;
/// Maximum zoom of a small picture.
const LARGEST_THUMBNAIL: f32 = 0.8;

/// Draws controls and instruments, each in its rectangle, into a picture.
pub type WidgetsUi = fn(&mut Ui, &Arc<Simulation>, &Registry, &[(Rect, Widget)]);

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
    let mut scene = Scene::default();
    let mut is_there = false;
    let mut items = items_of(|painter, ui| {
        is_there = picture(&mut scene, (painter, ui), &shown, registry, &theme, widgets_ui).is_some();
    });
    if !is_there {
        return None;
    }
    let bounds = items.iter().map(bounds_of).reduce(Rect::union)?.expand(MARGIN);
    let bounds = Rect::from_min_max(bounds.min.floor(), bounds.max.ceil());
    items.iter_mut().for_each(|item| shift(item, -bounds.min.to_vec2()));
    // The picture has the scene's top left corner at the origin.
    let origin = scene.bounds()?.min.floor();
    let rect = |block: &BlockView| block.outline.rect.translate(-origin.to_vec2() - bounds.min.to_vec2());
    let blocks = scene.blocks().map(|block| (block.block.id, rect(block))).collect();
    let drawing = Drawing { title: part.model.to_string(), size: bounds.size(), items, ..Drawing::default() };
    Some(Captured { drawing, blocks })
}

/// Returns the change that lays out all blocks of a model along their wires from left to right; none if they are so
/// already, with positions of their own.
pub fn arranged(simulation: &Arc<Simulation>, registry: &Registry, model: &Arc<str>) -> Option<Change> {
    let shown = alone(simulation, &Part { model: Arc::clone(model), blocks: None })?;
    let (mut scene, selection) = (Scene::default(), Selection::default());
    show(&mut scene, &shown, registry)?;
    let document = DocumentView { simulation: &shown, registry };
    let open = OpenModel { document, path: &[], model: shown.root_model()?, scene: &scene, selection: &selection };
    open.arrange().or_else(|| {
        // Blocks without a position are shown where they would be arranged.
        let edits = pins(&scene, open.model, |_| false);
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

/// Shows the root model; None if the simulation has no root model.
fn show(scene: &mut Scene, simulation: &Arc<Simulation>, registry: &Registry) -> Option<()> {
    scene.update(simulation, simulation.root_model()?, registry, &BTreeMap::new());
    Some(())
}

/// Draws the root model at its natural size, without grid, selection and overlay. None if it is empty.
fn picture(
    scene: &mut Scene,
    (painter, ui): (&Painter, &mut Ui),
    simulation: &Arc<Simulation>,
    registry: &Registry,
    theme: &Theme,
    widgets_ui: WidgetsUi,
) -> Option<()> {
    let bounds = routed_bounds(scene, simulation, registry)?;
    let screen = Rect::from_min_size(Pos2::ZERO, bounds.size());
    let transform = ViewTransform { camera: Camera { center: bounds.center(), zoom: 1.0 }, screen };
    plain_diagram_ui(scene, (painter, transform), simulation, registry, theme);
    let offset = -bounds.min.to_vec2();
    let of = |block: &BlockView| {
        let rects: Vec<Rect> = block.widget_rects().map(|rect| rect.translate(offset)).collect();
        rects.into_iter().zip(block.widgets.clone()).collect::<Vec<_>>()
    };
    let widgets: Vec<(Rect, Widget)> = scene.blocks().flat_map(of).collect();
    if !widgets.is_empty() {
        widgets_ui(ui, simulation, registry, &widgets);
    }
    Some(())
}

/// Draws the root model into a rectangle, reduced to fit. None if it is empty.
pub fn thumbnail_ui(
    scene: &mut Scene,
    painter: &Painter,
    rect: Rect,
    simulation: &Arc<Simulation>,
    registry: &Registry,
    theme: &Theme,
) -> Option<()> {
    let bounds = routed_bounds(scene, simulation, registry)?;
    // Lines at the border are as wide as others.
    let room = rect.size() - Vec2::splat(4.0);
    let zoom = (room.x / bounds.width()).min(room.y / bounds.height()).min(LARGEST_THUMBNAIL);
    let transform = ViewTransform { camera: Camera { center: bounds.center(), zoom }, screen: rect };
    let painter = painter.with_clip_rect(rect.intersect(painter.clip_rect()));
    plain_diagram_ui(scene, (&painter, transform), simulation, registry, theme);
    Some(())
}

/// Routes all wires of the root model and returns its bounds; None if it is empty.
fn routed_bounds(scene: &mut Scene, simulation: &Arc<Simulation>, registry: &Registry) -> Option<Rect> {
    show(scene, simulation, registry)?;
    scene.route_all();
    let bounds = scene.bounds()?;
    // Integer sizes keep grid lines on pixels.
    Some(Rect::from_min_max(bounds.min.floor(), bounds.max.ceil()))
}

fn plain_diagram_ui(
    scene: &Scene,
    (painter, transform): (&Painter, ViewTransform),
    simulation: &Arc<Simulation>,
    registry: &Registry,
    theme: &Theme,
) {
    let mut context = DrawContext { painter, transform, theme, detail: Detail::All };
    let selection = Selection::default();
    let decorations = Decorations::none(&selection);
    let view = CanvasView::plain(DocumentView { simulation, registry }, theme);
    draw::diagram_ui(&mut context, &view, scene, &decorations, &[]);
}
