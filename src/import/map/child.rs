//! A system that is mapped, as the block around it needs it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use super::super::source::Source;
use super::made::Control;

/// A system that is a model now, as the block around it needs it.
#[derive(Clone, Debug, Default)]
pub struct Child {
    pub model: String,
    /// The names of its ports by number.
    pub inputs: BTreeMap<usize, Arc<str>>,
    pub outputs: BTreeMap<usize, Arc<str>>,
    pub controls: Vec<(Control, Arc<str>)>,
    /// The names of outer masks that it uses.
    pub passed: BTreeSet<String>,
    /// Of a for-each subsystem, by number from 0: whether an input is taken element by element.
    pub partition: Vec<bool>,
    /// Tags that its exits of these names carry further out.
    pub lifted: Vec<(String, Arc<str>)>,
}

/// What a system is mapped with.
pub struct Place<'a> {
    pub source: &'a Rc<Source>,
    /// The name of its model, if it is free.
    pub name: &'a str,
    /// Its path, with a slash at the end; empty for the root.
    pub path: &'a str,
    pub is_root: bool,
}
