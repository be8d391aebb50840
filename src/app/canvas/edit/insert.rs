//! Adds blocks, replaces them by others, and connects blocks that are dropped on a wire or beside ports.

use std::sync::Arc;

use eframe::egui::emath::{Pos2, Rect, Vec2, vec2};

use super::changes::{attribute_edit, connect, disconnect};
use super::suggest::suggestions;
use super::{Edited, OpenModel};
use crate::app::action::new_block::NewBlock;
use crate::app::canvas::geometry::{GRID, point_of, position_of, snap};
use crate::app::canvas::gesture::hit::{Hit, wire_at};
use crate::app::canvas::scene::{BlockView, Scene, VIEW_HEIGHT, VIEW_WIDTH};
use crate::app::canvas::{DocumentView, Selection};
use crate::block::Body;
use crate::model::{
    Block, BlockKind, Change, ChangeKind, Connection, CopiedModel, Edit, InputKey, Model, Position, replace_block,
};

/// The name of a model that is created when its block is placed.
const NEW_MODEL: &str = "Model";
/// Distance between a block and the one inserted after it.
const GAP: f32 = 50.0;

/// A block as it would be added.
pub struct Prepared {
    pub block: Block,
    pub view: BlockView,
    /// The edits that bring its model into the document, or create it.
    pub models: Vec<Edit>,
}

impl Prepared {
    /// Returns a block as it would be added with its centre at `middle`, snapped to the grid.
    pub fn new(view: &DocumentView, model: &Arc<Model>, new: NewBlock, middle: Pos2) -> Option<Prepared> {
        let (kind, CopiedModel { edits: mut models, simulation, .. }) = new.brought_into(view.simulation)?;
        let kind = match kind {
            BlockKind::Entry { name } => BlockKind::entry(&model.free_port_name(non_empty(&name, "x"))),
            BlockKind::Exit { name } => BlockKind::exit(&model.free_port_name(non_empty(&name, "y"))),
            BlockKind::Model { model } if model.is_empty() => {
                let name: Arc<str> = view.simulation.free_model_name(NEW_MODEL).into();
                models.push(Edit::AddModel { name: Arc::clone(&name) });
                BlockKind::Model { model: name }
            }
            other => other,
        };
        let block = Block::new(model.free_id(), kind);
        let mut preview = BlockView::new(&simulation, view.registry, model, &Arc::new(block.clone()));
        let corner = snap(middle - preview.outline.rect.size() / 2.0);
        preview.position = corner;
        preview.outline = preview.outline.moved_to(corner);
        let position = position_of(corner);
        Some(Prepared { block: block.at(position.x, position.y), view: preview, models })
    }
}

impl OpenModel<'_> {
    /// Adds a block with its centre at a model position, snapped to the grid, and selects it. A block with one input
    /// and one output that is dropped on a wire is inserted into it.
    pub fn insert_block(&self, new: NewBlock, at: Position) -> Option<Edited> {
        Some(self.with_block(Prepared::new(&self.document, self.model, new, point_of(at))?))
    }

    fn with_block(&self, new: Prepared) -> Edited {
        let Prepared { block, view, models } = new;
        let mut edits = self.pins();
        let (label, id) = (format!("Add {}", block.title()), block.id);
        edits.extend(models);
        edits.push(Edit::AddBlock { model: Arc::clone(&self.model.name), block: Box::new(block) });
        let change = self.with_wires(&view, Change::new(label, edits).of_kind(ChangeKind::InsertBlock));
        Edited::selecting(change, Selection::of_block(id))
    }

    /// Adds a block near a model position, where it does not cover another.
    pub fn add_block(&self, new: NewBlock, middle: Pos2) -> Option<Edited> {
        let size = Prepared::new(&self.document, self.model, new.clone(), middle)?.view.outline.rect;
        // Searches outwards in rings, nearest free position first.
        let ring = |radius: i32| {
            let side = -radius..=radius;
            side.clone()
                .flat_map(move |y| (-radius..=radius).map(move |x| (x, y)))
                .filter(move |(x, y)| x.abs().max(y.abs()) == radius)
        };
        let shifts = (0..20).flat_map(ring).map(|(x, y)| vec2(x as f32 * 4.0 * GRID, y as f32 * 4.0 * GRID));
        let is_free = |shift: &Vec2| self.scene.count_in(size.expand(GRID).translate(*shift), 1) == 0;
        let shift = shifts.into_iter().find(is_free).unwrap_or_default();
        self.insert_block(new, position_of(middle + shift))
    }

    /// Adds a block after the selected one, level with its first output, and connects it; near `middle` if none is
    /// selected.
    pub fn insert_behind(&self, new: NewBlock, middle: Pos2) -> Option<Edited> {
        let Some(before) = self.selection.single_block().and_then(|id| self.scene.block(id)) else {
            return self.add_block(new, middle);
        };
        let output = before.outline.outputs.first().copied().unwrap_or(before.outline.rect.right_center());
        let start = Pos2::new(before.outline.rect.right() + GAP, output.y);
        let Prepared { block, view: mut preview, models } = Prepared::new(&self.document, self.model, new, start)?;
        let input = preview.outline.inputs.first().copied().unwrap_or(preview.outline.rect.left_center());
        let mut corner = snap(Pos2::new(start.x, start.y - (input.y - preview.outline.rect.top())));
        // Occupied positions are skipped downwards.
        let room = preview.outline.with_title();
        for _ in 0..40 {
            let there = room.translate(corner - room.min);
            if self.scene.count_in(there.expand(4.0), 1) == 0 {
                break;
            }
            corner += vec2(0.0, 20.0);
        }
        preview.position = corner;
        preview.outline = preview.outline.moved_to(corner);
        let at = position_of(corner);
        Some(self.with_block(Prepared { block: block.at(at.x, at.y), view: preview, models }))
    }

    /// Adds an area around the selected blocks, or at a position.
    pub fn add_area(&self, middle: Pos2) -> Option<Edited> {
        let model = self.model;
        let def = self.document.registry.iter().find(|def| def.look.body == Body::Area)?;
        let held = self.selection.blocks.iter().filter_map(|id| self.scene.block(*id));
        let rect = match held.map(|view| view.outline.with_title()).reduce(Rect::union) {
            Some(bounds) => Rect { min: bounds.min - vec2(20.0, 34.0), max: bounds.max + vec2(20.0, 14.0) },
            None => Rect::from_center_size(middle, vec2(260.0, 180.0)),
        };
        let rect = Rect { min: snap(rect.min), max: snap(rect.max) };
        let at = position_of(rect.min);
        let id = model.free_id();
        let block = Block::new(id, BlockKind::library(def.group, def.name)).at(at.x, at.y);
        let mut edits = self.pins();
        edits.push(Edit::AddBlock { model: Arc::clone(&model.name), block: Box::new(block) });
        for (name, length) in [(VIEW_WIDTH, rect.width()), (VIEW_HEIGHT, rect.height())] {
            edits.push(attribute_edit(model, id, name, Some(length.to_string())));
        }
        Some(Edited::selecting(Change::new("Add area", edits), Selection::of_block(id)))
    }

    /// Replaces the selected block by one of another kind, at the same position and with the same wires.
    pub fn replace_block(&self, new: NewBlock) -> Option<Change> {
        let model = self.model;
        let id = self.selection.single_block()?;
        let old = model.block(id)?;
        let (kind, CopiedModel { edits: models, simulation, .. }) = new.brought_into(self.document.simulation)?;
        let is_new = is_new_model(&kind);
        let kind = match (kind, &old.kind) {
            // The port keeps its name.
            (BlockKind::Entry { .. } | BlockKind::Exit { .. }, BlockKind::Entry { .. } | BlockKind::Exit { .. }) => {
                return None;
            }
            (BlockKind::Entry { name }, _) => BlockKind::entry(&model.free_port_name(non_empty(&name, "x"))),
            (BlockKind::Exit { name }, _) => BlockKind::exit(&model.free_port_name(non_empty(&name, "y"))),
            (BlockKind::Model { .. }, _) if is_new => {
                BlockKind::model(&self.document.simulation.free_model_name(NEW_MODEL))
            }
            (other, _) => other,
        };
        if kind == old.kind {
            return None;
        }
        let title = Block::new(id, kind.clone()).title().to_owned();
        let mut edits = self.pins();
        edits.extend(models);
        edits.extend(is_new.then(|| Edit::AddModel { name: title.as_str().into() }));
        edits.extend(replace_block(&simulation, self.document.registry, model, id, kind));
        Some(Change::new(format!("Replace {} by {title}", old.title()), edits))
    }

    /// Returns the change with the wires of an unconnected block at its new position: those of the wire it is inserted
    /// into, or those to nearby ports.
    pub fn with_wires(&self, block: &BlockView, change: Change) -> Change {
        if let Some(wire) = wire_to_splice(self.scene, block).and_then(|key| self.model.connections.get(&key)) {
            return Change {
                edits: change.edits.into_iter().chain(splice(self.model, wire, block)).collect(),
                ..change
            };
        }
        let mut wired = change.clone();
        let suggested = suggestions(self.scene, block);
        wired.edits.extend(self.join_open_ends(block, &suggested));
        wired.edits.extend(suggested.into_iter().map(|suggestion| connect(self.model, suggestion.connection)));
        // Wires that would close an algebraic loop are left to the user.
        match self.applied(&wired) {
            Ok(_) => wired,
            Err(_) => change,
        }
    }
}

/// Returns the wire into which a block with this outline would be inserted.
pub fn wire_to_splice(scene: &Scene, preview: &BlockView) -> Option<InputKey> {
    if !preview.is_link() {
        return None;
    }
    let middle = preview.outline.body.center();
    match wire_at(scene, middle, GRID) {
        Hit::Wire { key, .. } | Hit::Dot(key) => Some(key),
        _ => None,
    }
}

/// Inserts a block with one input and one output into a wire.
fn splice(model: &Model, wire: &Connection, block: &BlockView) -> Vec<Edit> {
    let (Some(input), Some(output)) = (block.ports.inputs.first(), block.ports.outputs.first()) else {
        return Vec::new();
    };
    let id = block.block.id;
    let mut first = Connection::new(wire.from, &wire.output, id, input);
    first.carry_signal_of(Some(wire));
    let second = Connection::new(id, output, wire.to, &wire.input);
    vec![disconnect(model, &wire.key()), connect(model, first), connect(model, second)]
}

fn non_empty<'a>(name: &'a str, other: &'a str) -> &'a str {
    if name.is_empty() { other } else { name }
}

/// Returns whether the block to be added refers to a model that has yet to be created.
fn is_new_model(kind: &BlockKind) -> bool {
    matches!(kind, BlockKind::Model { model } if model.is_empty())
}
