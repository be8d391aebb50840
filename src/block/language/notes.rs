//! The notes about code that runs with numbers, and the shapes of its persistent variables.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use super::class::Class;
use super::value::Value;

/// The sizes and classes of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    Numbers { rows: usize, columns: usize, class: Class },
    Fields(Vec<(String, Shape)>),
}

impl Shape {
    pub(super) fn of<V: Clone>(value: &Value<V>) -> Shape {
        match value.fields() {
            Some(fields) => Shape::Fields(fields.iter().map(|(name, of)| (name.to_string(), Shape::of(of))).collect()),
            None => Shape::Numbers { rows: value.rows, columns: value.columns, class: value.class },
        }
    }

    /// The number of its matrices, each of which is a state of a block.
    pub fn leaf_count(&self) -> usize {
        match self {
            Shape::Numbers { .. } => 1,
            Shape::Fields(fields) => fields.iter().map(|(_, of)| of.leaf_count()).sum(),
        }
    }

    /// Returns the value of this shape with these elements.
    pub(super) fn value(&self, leaves: &mut impl Iterator<Item = Vec<f64>>) -> Value<Vec<f64>> {
        match self {
            Shape::Numbers { rows, columns, class } => {
                Value::whole(leaves.next().unwrap_or_default(), *rows, *columns).of_class(*class)
            }
            Shape::Fields(fields) => {
                Value::structure(fields.iter().map(|(name, of)| (name.as_str().into(), of.value(leaves))).collect())
            }
        }
    }
}

/// The last values of variables, and how often they were set, by the place of the statement and their names.
pub(super) type SetNotes<V> = BTreeMap<(usize, String), (Value<V>, usize)>;

/// The notes taken while code runs with numbers.
pub(super) struct Notes<V> {
    pub set: RefCell<SetNotes<V>>,
    pub reached: RefCell<BTreeSet<usize>>,
    pub failure: Cell<Option<(usize, String)>>,
    /// The statement that runs.
    pub at: Cell<usize>,
}

impl<V> Default for Notes<V> {
    fn default() -> Notes<V> {
        Notes { set: RefCell::default(), reached: RefCell::default(), failure: Cell::default(), at: Cell::default() }
    }
}
