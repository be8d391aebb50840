//! The sides of a conflict as text for messages and for the window.

use super::conflict::{Conflict, Holder, Property};
use super::{BlockId, Simulation};

/// Returns one side of a conflict as a user knows it: a value, `default`, `deleted`, or `Motor.Output`.
pub fn side_text(
    simulation: &Simulation,
    holder: &Holder,
    conflict: &Conflict,
    values: &Option<Vec<String>>,
) -> String {
    let Some(values) = values else {
        return match (&conflict.property, holder) {
            (Property::Presence, _) => "deleted",
            (Property::Source, _) => "not connected",
            (Property::Kind | Property::Name | Property::Value, _) => "absent",
            (_, Holder::Block(..)) => "default",
            _ => "not set",
        }
        .to_owned();
    };
    match (&conflict.property, &values[..]) {
        (Property::Presence, _) => "changed".to_owned(),
        (Property::Source, [id, output]) => {
            let block = BlockId::parse(id).and_then(|id| simulation.model(holder.model()?)?.block(id));
            let name = block.map_or_else(|| format!("#{id}"), |block| block.title().to_owned());
            format!("{name}.{output}")
        }
        (Property::Kind, [_, names @ ..]) => names.join("/"),
        (_, [only]) if only.is_empty() => "“”".to_owned(),
        (_, [only]) => only.clone(),
        (_, []) => "no values".to_owned(),
        (_, values) => format!("[{}]", values.join(", ")),
    }
}
