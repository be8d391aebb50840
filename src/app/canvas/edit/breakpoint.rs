//! Breakpoints on the wires of the open model.

use crate::app::canvas::Selection;
use crate::app::doc::breakpoints::{ATTRIBUTE, OnWire, set};
use crate::engine::Condition;
use crate::model::{Change, Model};

/// Adds or removes a breakpoint on the selected wire.
pub fn toggle(model: &Model, selection: &Selection) -> Option<Change> {
    let key = selection.wires.first()?;
    let is_there = model.connections.get(key)?.attributes.get(ATTRIBUTE).is_some();
    let new = OnWire { condition: Condition::Changes, is_on: true };
    Some(set(&model.name, (key.block, &key.input), (!is_there).then_some(&new)))
}
