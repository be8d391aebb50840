//! Compares documents by their results.

use std::sync::Arc;

use crate::model::{Attributes, Block, Connection, Model, Simulation, Variables};

/// Returns whether two states of a document give the same results; positions and labels do not matter.
pub(in crate::app::store) fn is_same(a: &Arc<Simulation>, b: &Arc<Simulation>) -> bool {
    if Arc::ptr_eq(a, b) {
        return true;
    }
    (a.steps, a.delta.to_bits(), &a.root) == (b.steps, b.delta.to_bits(), &b.root)
        && counting(&a.attributes).eq(counting(&b.attributes))
        && is_same_variables(&a.variables, &b.variables)
        && a.models.len() == b.models.len()
        && a.models.iter().zip(&b.models).all(|((name, one), (other_name, other))| {
            name == other_name && (Arc::ptr_eq(one, other) || is_same_model(one, other))
        })
}

/// Returns the attributes that may change results: all but those for display.
fn counting(attributes: &Attributes) -> impl Iterator<Item = (&str, &str)> {
    attributes.iter().filter(|(name, _)| !name.starts_with("view:") && !["label", "doc", "unit"].contains(name))
}

fn is_same_variables(a: &Variables, b: &Variables) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|((name, one), (other_name, other))| name == other_name && one.value == other.value)
}

fn is_same_model(a: &Model, b: &Model) -> bool {
    let is_same_block = |(one, other): (&Arc<Block>, &Arc<Block>)| {
        Arc::ptr_eq(one, other)
            || (one.id == other.id
                && one.kind == other.kind
                && one.options().eq(other.options())
                && counting(&one.attributes).eq(counting(&other.attributes)))
    };
    let wire = |wire: &Arc<Connection>| (wire.from, Arc::clone(&wire.output), wire.key());
    a.blocks.len() == b.blocks.len()
        && counting(&a.attributes).eq(counting(&b.attributes))
        && is_same_variables(&a.variables, &b.variables)
        && a.blocks.values().zip(b.blocks.values()).all(is_same_block)
        && a.connections.values().map(wire).eq(b.connections.values().map(wire))
}
