//! A connection (wire) from an output to an input.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::sync::Arc;

use super::{Attributes, BlockId, Extra};

/// An input of a block in a model. It identifies a connection, since an input has at most one source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InputKey {
    pub block: BlockId,
    pub input: Arc<str>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    pub from: BlockId,
    pub output: Arc<str>,
    pub to: BlockId,
    pub input: Arc<str>,
    /// All attributes except from, output, to and input.
    pub attributes: Attributes,
    /// The content of the tag.
    pub body: Vec<Extra>,
    /// The connection's position in the content of the model's tag; assigned by the model.
    pub seq: u64,
}

impl InputKey {
    pub fn new(block: BlockId, input: &str) -> InputKey {
        InputKey { block, input: input.into() }
    }
}

/// An input of a block, by a name that is owned or borrowed: maps by [`InputKey`] are searched without a copy of the name.
pub trait InputRef {
    fn parts(&self) -> (BlockId, &str);
}

impl InputRef for InputKey {
    fn parts(&self) -> (BlockId, &str) {
        (self.block, &self.input)
    }
}

impl InputRef for (BlockId, &str) {
    fn parts(&self) -> (BlockId, &str) {
        *self
    }
}

impl<'a> Borrow<dyn InputRef + 'a> for InputKey {
    fn borrow(&self) -> &(dyn InputRef + 'a) {
        self
    }
}

/// The order of [`InputKey`].
impl Ord for dyn InputRef + '_ {
    fn cmp(&self, other: &Self) -> Ordering {
        self.parts().cmp(&other.parts())
    }
}

impl PartialOrd for dyn InputRef + '_ {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for dyn InputRef + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for dyn InputRef + '_ {}

impl Connection {
    /// The attribute for the signal's name: the same on all connections of an output.
    pub const NAME: &str = "label";
    /// The attribute with the condition at which a run pauses.
    pub const BREAKPOINT: &str = "view:break";
    /// The attribute for the signal's unit: the same on all connections of an output.
    pub const UNIT: &str = "unit";

    pub fn new(from: BlockId, output: &str, to: BlockId, input: &str) -> Connection {
        Connection {
            from,
            output: output.into(),
            to,
            input: input.into(),
            attributes: Attributes::default(),
            body: Vec::new(),
            seq: 0,
        }
    }

    /// Copies the signal's name and unit from another connection, or removes them.
    pub fn carry_signal_of(&mut self, other: Option<&Connection>) {
        for name in [Connection::NAME, Connection::UNIT] {
            self.attributes.put(name, other.and_then(|other| other.attributes.get(name)));
        }
    }

    pub fn key(&self) -> InputKey {
        InputKey { block: self.to, input: Arc::clone(&self.input) }
    }
}
