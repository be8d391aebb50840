//! The edits that the commands are made of.

use std::collections::BTreeMap;
use std::sync::Arc;

use eframe::egui::emath::{Pos2, Vec2};

use crate::app::canvas::geometry::position_of;
use crate::app::canvas::route::{read_bends, write_bends};
use crate::app::canvas::scene::{Scene, VIEW_BENDS};
use crate::model::{BlockId, Change, Connection, Edit, InputKey, Model};

/// Returns edits that store the positions computed by the layout, so that the blocks stay where they are displayed.
pub fn pins(scene: &Scene, model: &Model, is_excepted: impl Fn(BlockId) -> bool) -> Vec<Edit> {
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
    edits.push(connect(model, connection));
    Change::new(label, edits)
}

/// Returns the edit that makes a wire; the wire that was at the input is replaced.
pub fn connect(model: &Model, connection: Connection) -> Edit {
    Edit::Connect { model: Arc::clone(&model.name), connection: Box::new(connection) }
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

pub fn shifted_bends(connection: &Connection, shift: Vec2) -> Option<String> {
    let bends = read_bends(connection.attributes.get(VIEW_BENDS)?);
    let moved: Vec<Pos2> = bends.into_iter().map(|bend| bend + shift).collect();
    (!moved.is_empty()).then(|| write_bends(&moved))
}

pub fn attribute_edit(model: &Model, id: BlockId, name: &str, value: Option<String>) -> Edit {
    Edit::SetBlockAttribute { model: Arc::clone(&model.name), id, name: name.into(), value: value.map(Arc::from) }
}
