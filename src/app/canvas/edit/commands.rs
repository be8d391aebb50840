//! Edit commands of menus, shortcuts and gestures: each makes one change with a label for the undo list.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use eframe::egui::emath::{Pos2, Rect, Vec2, vec2};

use super::suggest::{connect_edits, suggestions};
use crate::app::action::new_block::NewBlock;
use crate::app::canvas::geometry::{GRID, point_of, position_of, snap, snap_number};
use crate::app::canvas::gesture::hit::{Hit, wire_at};
use crate::app::canvas::route::{read_bends, write_bends};
use crate::app::canvas::scene::{BlockView, Scene, VIEW_BENDS};
use crate::app::canvas::{Canvas, DocumentView, Selection};
use crate::model::{
    Block, BlockId, BlockKind, Change, ChangeKind, Connection, CopiedModel, Edit, Fragment, InputKey, Model, Pasted,
    Position, SignalKey, Simulation, replace_block,
};

/// A block as it would be added.
pub(in crate::app::canvas) struct Prepared {
    pub block: Block,
    pub view: BlockView,
    /// The edits that bring its model into the document, or create it.
    pub models: Vec<Edit>,
}

/// Edit commands on the open model and the selection. Each returns None if there is nothing to change.
impl Canvas {
    pub fn select_all(&mut self, simulation: &Simulation) {
        let Some(model) = self.open_model(simulation) else { return };
        let (blocks, wires) = (model.blocks.keys().copied().collect(), model.connections.keys().cloned().collect());
        self.selection = Selection { blocks, wires };
    }

    /// Returns the selected blocks with the wires between them and all that they need.
    pub fn copy(&self, simulation: &Arc<Simulation>) -> Option<Fragment> {
        let model = self.open_model(simulation)?;
        Some(self.selected(simulation)?.with_definitions(simulation, &model.name))
    }

    /// Returns the selected blocks with the wires between them.
    pub(in crate::app::canvas) fn selected(&self, simulation: &Simulation) -> Option<Fragment> {
        let model = self.open_model(simulation)?;
        let ids: Vec<_> = self.selection.blocks.iter().copied().collect();
        let mut fragment = Fragment::of(model, &ids);
        for block in &mut fragment.blocks {
            // A block without a stored position gets its displayed one, to keep its place among the others.
            if block.position().is_none()
                && let Some(view) = self.scene.block(block.id)
            {
                Arc::make_mut(block).set_position(position_of(view.position));
            }
        }
        (!fragment.is_empty()).then_some(fragment)
    }

    /// Pastes with the upper left corner at `at`, or offset from the original; the offset grows while a block is
    /// already there. Also returns the definitions that are added under another name, as text.
    pub fn paste(
        &mut self,
        view: &DocumentView,
        fragment: &Fragment,
        at: Option<Position>,
    ) -> Option<(Change, Vec<String>)> {
        self.paste_as("Paste", view, fragment, at)
    }

    fn paste_as(
        &mut self,
        verb: &str,
        view: &DocumentView,
        fragment: &Fragment,
        at: Option<Position>,
    ) -> Option<(Change, Vec<String>)> {
        let model = Arc::clone(self.open_model(view.simulation)?);
        let positions = fragment.blocks.iter().filter_map(|block| block.position()).map(point_of);
        let corner = positions.reduce(|a, b| a.min(b)).unwrap_or_default();
        let first = at.map_or(Vec2::ZERO, |at| snap(point_of(at)) - corner);
        let is_free = |shift: &Vec2| {
            let mut positions = fragment.blocks.iter().filter_map(|block| block.position()).map(point_of);
            positions.all(|position| !self.scene.has_block_at(position + *shift))
        };
        let mut shifts = (0..100).map(|count| first + Vec2::splat(2.0 * GRID * count as f32));
        let shift = shifts.find(is_free).unwrap_or(first + Vec2::splat(2.0 * GRID * 100.0));
        let label = match fragment.blocks.as_slice() {
            [one] => format!("{verb} {}", one.title()),
            several => format!("{verb} {} blocks", several.len()),
        };
        self.put(view, &model, fragment, shift, label)
    }

    pub fn duplicate(&mut self, view: &DocumentView) -> Option<Change> {
        let fragment = self.selected(view.simulation)?;
        self.paste_as("Duplicate", view, &fragment, None).map(|(change, _)| change)
    }

    /// Adds the blocks of a fragment and selects them. Also returns the definitions that are added under another name,
    /// as text.
    pub(in crate::app::canvas) fn put(
        &mut self,
        view: &DocumentView,
        model: &Model,
        fragment: &Fragment,
        shift: Vec2,
        label: String,
    ) -> Option<(Change, Vec<String>)> {
        if fragment.is_empty() {
            return None;
        }
        let shift_in_model = Position { x: f64::from(shift.x), y: f64::from(shift.y) };
        let Pasted { edits: pasted, ids, renamed } =
            fragment.paste_into(view.simulation, view.registry, model, shift_in_model);
        let mut edits = self.pins(model, &BTreeSet::new());
        edits.extend(pasted);
        for edit in &mut edits {
            if let Edit::Connect { connection, .. } = edit
                && let Some(bends) = shifted_bends(connection, shift)
            {
                connection.attributes.set(VIEW_BENDS, &bends);
            }
        }
        self.selection = Selection { blocks: ids.into_iter().collect(), wires: BTreeSet::new() };
        Some((Change::new(label, edits).of_kind(ChangeKind::Paste), renamed))
    }

    /// Returns all outputs of the selected blocks and the sources of the selected wires.
    pub fn selected_signals(&self, simulation: &Simulation) -> Vec<SignalKey> {
        let Some(model) = self.open_model(simulation) else { return Vec::new() };
        let outputs = self.selection.blocks.iter().flat_map(|id| signals_of_block(&self.scene, *id));
        let wires = self.selection.wires.iter().filter_map(|key| model.connections.get(key));
        let sources = wires.map(|wire| (wire.from, Arc::clone(&wire.output)));
        let all: BTreeSet<_> = outputs.chain(sources).collect();
        all.into_iter().map(|(block, output)| SignalKey { path: self.path.clone(), block, output }).collect()
    }

    /// Adds a block with its centre at a model position, snapped to the grid, and selects it. A block with one input
    /// and one output that is dropped on a wire is inserted into it.
    pub fn insert_block(&mut self, view: &DocumentView, new: NewBlock, at: Position) -> Option<Change> {
        let model = Arc::clone(self.open_model(view.simulation)?);
        let Prepared { block, view: preview, models } = self.prepared(view, &model, new, point_of(at))?;
        let mut edits = self.pins(&model, &BTreeSet::new());
        let label = format!("Add {}", block.title());
        edits.extend(models);
        edits.push(Edit::AddBlock { model: Arc::clone(&model.name), block: Box::new(block.clone()) });
        let change = Change::new(label, edits).of_kind(ChangeKind::InsertBlock);
        let change = self.with_wires(view, &model, &preview, change);
        self.selection = Selection { blocks: BTreeSet::from([block.id]), wires: BTreeSet::new() };
        Some(change)
    }

    /// Returns the change with the wires of an unconnected block at its new position: those of the wire it is inserted
    /// into, or those to nearby ports.
    pub(in crate::app::canvas) fn with_wires(
        &self,
        view: &DocumentView,
        model: &Model,
        block: &BlockView,
        change: Change,
    ) -> Change {
        if let Some(wire) = self.wire_to_splice(block).and_then(|key| model.connections.get(&key)) {
            return Change { edits: change.edits.into_iter().chain(splice(model, wire, block)).collect(), ..change };
        }
        let mut wired = change.clone();
        let suggested = suggestions(&self.scene, block);
        wired.edits.extend(self.join_open_ends(model, block, &suggested));
        wired.edits.extend(connect_edits(model, suggested));
        // Wires that would close an algebraic loop are left to the user.
        match wired.applied(view.simulation, view.registry) {
            Ok(_) => wired,
            Err(_) => change,
        }
    }

    /// Replaces the selected block by one of another kind, at the same position and with the same wires.
    pub fn replace_block(&mut self, view: &DocumentView, new: NewBlock) -> Option<Change> {
        let model = Arc::clone(self.open_model(view.simulation)?);
        let id = self.selection.single_block()?;
        let old = model.block(id)?;
        let (kind, CopiedModel { edits: models, simulation, .. }) = new.brought_into(view.simulation)?;
        let is_new = is_new_model(&kind);
        let kind = match (kind, &old.kind) {
            // The port keeps its name.
            (BlockKind::Entry { .. } | BlockKind::Exit { .. }, BlockKind::Entry { .. } | BlockKind::Exit { .. }) => {
                return None;
            }
            (BlockKind::Entry { name }, _) => BlockKind::entry(&model.free_port_name(non_empty(&name, "x"))),
            (BlockKind::Exit { name }, _) => BlockKind::exit(&model.free_port_name(non_empty(&name, "y"))),
            (BlockKind::Model { .. }, _) if is_new => BlockKind::model(&view.simulation.free_model_name(NEW_MODEL)),
            (other, _) => other,
        };
        if kind == old.kind {
            return None;
        }
        let title = Block::new(id, kind.clone()).title().to_owned();
        let mut edits = self.pins(&model, &BTreeSet::new());
        edits.extend(models);
        edits.extend(is_new.then(|| Edit::AddModel { name: title.as_str().into() }));
        edits.extend(replace_block(&simulation, view.registry, &model, id, kind));
        Some(Change::new(format!("Replace {} by {title}", old.title()), edits))
    }

    /// Adds a block in the visible area where it does not cover another.
    pub fn add_block(&mut self, view: &DocumentView, new: NewBlock) -> Option<Change> {
        let middle = self.transform().visible().center();
        let model = Arc::clone(self.open_model(view.simulation)?);
        let size = self.prepared(view, &model, new.clone(), middle)?.view.outline.rect;
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
        self.insert_block(view, new, position_of(middle + shift))
    }

    /// Returns a block as it would be added.
    pub(in crate::app::canvas) fn prepared(
        &self,
        view: &DocumentView,
        model: &Arc<Model>,
        new: NewBlock,
        middle: Pos2,
    ) -> Option<Prepared> {
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

    /// Returns the wire into which a block with this outline would be inserted.
    pub(in crate::app::canvas) fn wire_to_splice(&self, preview: &BlockView) -> Option<InputKey> {
        if !preview.is_link() {
            return None;
        }
        let middle = preview.outline.body.center();
        match wire_at(&self.scene, middle, GRID) {
            Hit::Wire { key, .. } | Hit::Dot(key) => Some(key),
            _ => None,
        }
    }

    /// Returns edits that store the positions computed by the layout, so that the blocks stay where they are displayed.
    pub(in crate::app::canvas) fn pins(&self, model: &Model, except: &BTreeSet<BlockId>) -> Vec<Edit> {
        pins(&self.scene, model, |id| except.contains(&id))
    }
}

fn pins(scene: &Scene, model: &Model, is_excepted: impl Fn(BlockId) -> bool) -> Vec<Edit> {
    let is_shown = scene.model().is_some_and(|shown| shown.name == model.name);
    let unplaced = if is_shown { scene.unplaced() } else { Vec::new() };
    let moves: Vec<_> = unplaced
        .into_iter()
        .filter(|(id, _)| !is_excepted(*id) && model.block(*id).is_some_and(|block| block.position().is_none()))
        .collect();
    if moves.is_empty() { Vec::new() } else { vec![Edit::Move { model: Arc::clone(&model.name), moves }] }
}

/// Moves blocks to new positions, together with the bends of the wires between them.
pub fn move_change(scene: &Scene, model: &Model, moves: &BTreeMap<BlockId, Pos2>, shift: Vec2) -> Option<Change> {
    let moved: Vec<_> = moves.keys().filter_map(|id| model.block(*id)).collect();
    let label = match moved.as_slice() {
        [] => return None,
        [one] => format!("Move {}", one.title()),
        several => format!("Move {} blocks", several.len()),
    };
    let mut edits = pins(scene, model, |id| moves.contains_key(&id));
    let moves_in_document = moves.iter().map(|(id, position)| (*id, position_of(*position))).collect();
    edits.push(Edit::Move { model: Arc::clone(&model.name), moves: moves_in_document });
    let inner = moves.keys().flat_map(|id| scene.wires_at(*id)).filter(|wire| {
        let connection = &wire.connection;
        wire.has_bends() && moves.contains_key(&connection.from) && moves.contains_key(&connection.to)
    });
    let bends: BTreeMap<InputKey, String> =
        inner.filter_map(|wire| Some((wire.key(), shifted_bends(&wire.connection, shift)?))).collect();
    edits.extend(bends.into_iter().map(|(key, bends)| set_bends(model, &key, Some(bends))));
    Some(Change::new(label, edits))
}

/// Connects, replacing the input's previous connection.
pub fn connect_change(model: &Model, connection: Connection, pins: Vec<Edit>) -> Change {
    let title = |id| model.block(id).map_or("block", |block| block.title());
    let label = format!("Connect {} to {}", title(connection.from), title(connection.to));
    let mut edits = pins;
    let mut connection = connection;
    // A branch also copies the signal's name and unit.
    let mut net = model.connections.values().filter(|wire| {
        wire.from == connection.from && wire.output == connection.output && wire.key() != connection.key()
    });
    if let Some(other) = net.next() {
        connection.carry_signal_of(Some(other));
    }
    edits.push(Edit::Connect { model: Arc::clone(&model.name), connection: Box::new(connection) });
    Change::new(label, edits)
}

pub fn disconnect(model: &Model, key: &InputKey) -> Edit {
    Edit::Disconnect { model: Arc::clone(&model.name), to: key.block, input: Arc::clone(&key.input) }
}

pub fn set_bends(model: &Model, key: &InputKey, bends: Option<String>) -> Edit {
    Edit::SetConnectionAttribute {
        model: Arc::clone(&model.name),
        to: key.block,
        input: Arc::clone(&key.input),
        name: VIEW_BENDS.into(),
        value: bends.map(Arc::from),
    }
}

/// Inserts a block with one input and one output into a wire.
pub fn splice(model: &Model, wire: &Connection, block: &BlockView) -> Vec<Edit> {
    let (Some(input), Some(output)) = (block.ports.inputs.first(), block.ports.outputs.first()) else {
        return Vec::new();
    };
    let id = block.block.id;
    let connect = |connection| Edit::Connect { model: Arc::clone(&model.name), connection: Box::new(connection) };
    let mut first = Connection::new(wire.from, &wire.output, id, input);
    first.carry_signal_of(Some(wire));
    vec![disconnect(model, &wire.key()), connect(first), connect(Connection::new(id, output, wire.to, &wire.input))]
}

pub fn signals_of_block(scene: &Scene, id: BlockId) -> Vec<(BlockId, Arc<str>)> {
    let outputs = scene.block(id).map(|view| view.ports.outputs.as_slice()).unwrap_or_default();
    outputs.iter().map(|output| (id, Arc::clone(output))).collect()
}

/// Returns the sources of a block's inputs: the signals that a scope shows.
pub fn sources_of_block(scene: &Scene, id: BlockId) -> Vec<(BlockId, Arc<str>)> {
    let inputs = scene.block(id).map(|view| view.ports.inputs.as_slice()).unwrap_or_default();
    let wires = inputs.iter().filter_map(|input| scene.wire(&InputKey { block: id, input: Arc::clone(input) }));
    wires.map(|wire| (wire.connection.from, Arc::clone(&wire.connection.output))).collect()
}

/// Returns what a marquee selects: the blocks that it touches, areas and wires only if they lie inside.
pub fn within(scene: &Scene, rect: Rect) -> Selection {
    let blocks = scene.blocks_in(rect).into_iter().filter(|view| match view.is_area() {
        true => rect.contains_rect(view.outline.body),
        false => view.outline.body.intersects(rect),
    });
    let wires = scene.wires_in(rect).into_iter().filter(|wire| rect.contains_rect(wire.bounds));
    Selection { blocks: blocks.map(|view| view.block.id).collect(), wires: wires.map(|wire| wire.key()).collect() }
}

fn shifted_bends(connection: &Connection, shift: Vec2) -> Option<String> {
    let bends = read_bends(connection.attributes.get(VIEW_BENDS)?);
    let moved: Vec<Pos2> = bends.into_iter().map(|bend| bend + shift).collect();
    (!moved.is_empty()).then(|| write_bends(&moved))
}

fn non_empty<'a>(name: &'a str, other: &'a str) -> &'a str {
    if name.is_empty() { other } else { name }
}

/// Returns the centre of the visible part of a model, on the grid.
pub fn on_grid(point: Pos2) -> Position {
    position_of(Pos2::new(snap_number(point.x), snap_number(point.y)))
}

/// The name of a model that is created when its block is placed.
const NEW_MODEL: &str = "Model";

/// Returns whether the block to be added refers to a model that has yet to be created.
pub(in crate::app::canvas) fn is_new_model(kind: &BlockKind) -> bool {
    matches!(kind, BlockKind::Model { model } if model.is_empty())
}
