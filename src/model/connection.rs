//! A wire from an output to an input.

use std::sync::Arc;

use super::{Attributes, BlockId, Extra};

/// An input of a block in a model: what a connection is known by, since an input has one source at most.
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
    /// All but from, output, to and input.
    pub attributes: Attributes,
    /// What stands inside the tag.
    pub body: Vec<Extra>,
    /// The connection's place among all that the model's tag holds; given by the model.
    pub seq: u64,
}

impl InputKey {
    pub fn new(block: BlockId, input: &str) -> InputKey {
        InputKey { block, input: input.into() }
    }
}

impl Connection {
    /// The attribute with the name that a user gave the signal: the same on all connections of an output.
    pub const NAME: &str = "label";
    /// The attribute with what the signal is measured in: the same on all connections of an output.
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

    /// Gives it the name and the unit of another that carries the same signal, or takes them away.
    pub fn carry_signal_of(&mut self, other: Option<&Connection>) {
        for name in [Connection::NAME, Connection::UNIT] {
            self.attributes.put(name, other.and_then(|other| other.attributes.get(name)));
        }
    }

    pub fn key(&self) -> InputKey {
        InputKey { block: self.to, input: Arc::clone(&self.input) }
    }
}
