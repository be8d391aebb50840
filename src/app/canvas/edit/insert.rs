//! Adds blocks, replaces them by others, and connects blocks that are dropped on a wire or beside ports.

use std::sync::Arc;

use eframe::egui::emath::{Pos2, Rect, vec2};

use super::changes::{attribute_edit, connect, disconnect};
use super::prepared::{NEW_MODEL, Prepared, non_empty};
use super::suggest::suggestions;
use super::{Edited, OpenModel};
use crate::app::action::new_block::NewBlock;
use crate::app::canvas::Selection;
use crate::app::canvas::geometry::{GRID, point_of, position_of, snap};
use crate::app::canvas::gesture::hit::{Hit, wire_at};
use crate::app::canvas::scene::{BlockView, Scene, VIEW_HEIGHT, VIEW_WIDTH};
use crate::app::doc::ports::{self, PortGroup};
use crate::block::{Body, Registry};
use crate::model::{
    Block, BlockId, BlockKind, BlockPorts, Change, ChangeKind, Connection, CopiedModel, Edit, InputKey, Model,
    Position, Simulation, block_ports, replace_block,
};

/// How far around a position a free one is searched, in steps of four grid lines.
const RINGS: i32 = 20;

impl OpenModel<'_> {
    /// Adds a block with its centre at a model position, snapped to the grid, and selects it. A block with one input
    /// and one output that is dropped on a wire is inserted into it.
    pub fn insert_block(&self, new: NewBlock, at: Position) -> Option<Edited> {
        Some(self.with_block(Prepared::new(&self.document, self.model, new, point_of(at))?))
    }

    fn with_block(&self, new: Prepared) -> Edited {
        let Prepared { block, view, models, .. } = new;
        let mut edits = self.pins();
        let (label, id) = (format!("Add {}", block.title()), block.id);
        edits.extend(models);
        edits.push(Edit::AddBlock { model: Arc::clone(&self.model.name), block: Box::new(block) });
        let change = self.with_wires(&view, Change::new(label, edits).of_kind(ChangeKind::InsertBlock));
        Edited::selecting(change, Selection::of_block(id))
    }

    /// Adds a block at a model position, or as near to it as no other block is; in a wire if it lies on one and can be
    /// inserted there.
    pub fn add_block(&self, new: NewBlock, middle: Pos2) -> Option<Edited> {
        let prepared = Prepared::new(&self.document, self.model, new, middle)?;
        if wire_to_splice(self.scene, &prepared.view).is_some() {
            return Some(self.with_block(prepared));
        }
        let room = prepared.view.outline.with_title().expand(GRID);
        // Searches outwards in rings, nearest free position first.
        let ring = |radius: i32| {
            let side = -radius..=radius;
            side.clone()
                .flat_map(move |y| (-radius..=radius).map(move |x| (x, y)))
                .filter(move |(x, y)| x.abs().max(y.abs()) == radius)
        };
        let shifts = (0..RINGS).flat_map(ring).map(|(x, y)| vec2(x as f32 * 4.0 * GRID, y as f32 * 4.0 * GRID));
        let shift = shifts.into_iter().find(|shift| self.is_free(room.translate(*shift)));
        let corner = prepared.view.outline.rect.min;
        Some(self.with_block(prepared.moved_to(corner + shift.unwrap_or_else(|| self.below_all(room)))))
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

    /// Replaces the selected block by one of another kind, at the same position and with the same wires. The new block gets
    /// as many ports as the wires need, if a parameter adds ports; a new model gets the ports of the old block.
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
        let registry = self.document.registry;
        let mut models = models;
        if is_new {
            models.extend(new_model(&title, &block_ports(&simulation, registry, model, old)));
        }
        let simulation = Change::new("", models.clone()).applied(self.document.simulation, registry).ok()?;
        let wired = with_enough_ports(&simulation, registry, model, id, &kind);
        let mut edits = self.pins();
        edits.extend(models);
        edits.extend(replace_block(&simulation, registry, &wired, id, kind));
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
pub(super) fn splice(model: &Model, wire: &Connection, block: &BlockView) -> Vec<Edit> {
    let (Some(input), Some(output)) = (block.ports.inputs.first(), block.ports.outputs.first()) else {
        return Vec::new();
    };
    let id = block.block.id;
    let mut first = Connection::new(wire.from, &wire.output, id, input);
    first.carry_signal_of(Some(wire));
    let second = Connection::new(id, output, wire.to, &wire.input);
    vec![disconnect(model, &wire.key()), connect(model, first), connect(model, second)]
}

/// Returns the edits that create a model with these ports.
fn new_model(name: &str, ports: &BlockPorts) -> Vec<Edit> {
    const WIDTH: f64 = 360.0;
    const PITCH: f64 = 60.0;
    let name: Arc<str> = name.into();
    let place = |number: usize, x: f64| Position { x: 40.0 + x, y: 80.0 + PITCH * number as f64 };
    let entries = ports.inputs.iter().enumerate().map(|(number, port)| (BlockKind::entry(port), place(number, 0.0)));
    // An exit with the name of an entry would lead back to it.
    let exit = |port: &Arc<str>| match ports.has_input(port) {
        true => BlockKind::exit(&format!("{port} out")),
        false => BlockKind::exit(port),
    };
    let exits = ports.outputs.iter().enumerate().map(|(number, port)| (exit(port), place(number, WIDTH)));
    let blocks = entries.chain(exits).enumerate().map(|(id, (kind, at))| {
        let block = Block::new(BlockId(id as i128), kind).at(at.x, at.y);
        Edit::AddBlock { model: Arc::clone(&name), block: Box::new(block) }
    });
    std::iter::once(Edit::AddModel { name: Arc::clone(&name) }).chain(blocks).collect()
}

/// Returns the model with those options at a block that give its new kind a port for each of its wires.
fn with_enough_ports(
    simulation: &Simulation,
    registry: &Registry,
    model: &Model,
    id: BlockId,
    kind: &BlockKind,
) -> Model {
    let mut model = model.clone();
    let (BlockKind::Library { group, name }, Some(old)) = (kind, model.block(id).cloned()) else { return model };
    let Some(def) = registry.get(group, name) else { return model };
    let ports = block_ports(simulation, registry, &model, &old);
    let is_wired = |input: &&Arc<str>| model.source(id, input).is_some();
    let inputs = ports.inputs.iter().rposition(|input| is_wired(&input)).map_or(0, |last| last + 1);
    let has_wire = |output: &Arc<str>| model.connections.values().any(|wire| wire.from == id && wire.output == *output);
    let outputs = ports.outputs.iter().rposition(has_wire).map_or(0, |last| last + 1);
    let mut new = Block { kind: kind.clone(), ..Block::clone(&old) };
    for (side, wanted) in [(PortGroup::Inputs, inputs), (PortGroup::Outputs, outputs)] {
        new = ports::with_ports(simulation, registry, &model, new, def, (side, wanted));
    }
    if let Some(block) = model.block_mut(id) {
        block.body = new.body;
    }
    model
}

/// Returns whether the block to be added refers to a model that has yet to be created.
fn is_new_model(kind: &BlockKind) -> bool {
    matches!(kind, BlockKind::Model { model } if model.is_empty())
}
