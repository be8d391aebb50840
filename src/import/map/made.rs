//! The blocks of this program that stand for a foreign one.

use std::sync::Arc;

use super::super::report::Class;
use crate::model::{Block, BlockId, BlockKind};

/// A port of one of the blocks: its index, and the name of the port.
pub type Place = (usize, Arc<str>);

/// The blocks that stand for a foreign one. The first one stands at its place.
#[derive(Clone, Debug, Default)]
pub struct Made {
    pub parts: Vec<Block>,
    pub ends: Ends,
    /// Wires between the parts.
    pub inner: Vec<(Place, Place)>,
    /// The ports that control when it runs.
    pub controls: Vec<(Control, Place)>,
    pub class: Option<Class>,
}

/// Where the wires of the foreign block end.
#[derive(Clone, Debug, Default)]
pub enum Ends {
    /// At the ports of the first part, in their order.
    #[default]
    First,
    /// At these.
    Listed { inputs: Vec<Place>, outputs: Vec<Place> },
}

/// A port that controls when a block runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    Enable,
    Trigger,
    Action,
    Reset,
}

/// Returns a block of the library, without an id.
pub fn library(group: &str, name: &str) -> Block {
    Block::new(BlockId(0), BlockKind::library(group, name))
}

impl From<Block> for Made {
    fn from(block: Block) -> Made {
        Made { parts: vec![block], ..Made::default() }
    }
}

impl Made {
    /// Nothing stands for the block.
    pub fn nothing() -> Made {
        Made::default()
    }

    /// A chain: the wires come to the first block and leave from the last one; `main` stands at the place.
    pub fn chain(blocks: Vec<(Block, &str, &str)>, main: usize) -> Made {
        let place = |index: usize| match index.cmp(&main) {
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Less => index + 1,
            std::cmp::Ordering::Greater => index,
        };
        let ends = |index: usize, port: &str| -> Place { (place(index), port.into()) };
        let count = blocks.len();
        let inner = (1..count).map(|at| (ends(at - 1, blocks[at - 1].2), ends(at, blocks[at].1))).collect();
        let inputs = if blocks[0].1.is_empty() { Vec::new() } else { vec![ends(0, blocks[0].1)] };
        let outputs = vec![ends(count - 1, blocks[count - 1].2)];
        let mut parts: Vec<(usize, Block)> =
            blocks.into_iter().enumerate().map(|(at, (block, _, _))| (place(at), block)).collect();
        parts.sort_by_key(|(place, _)| *place);
        Made {
            parts: parts.into_iter().map(|(_, block)| block).collect(),
            ends: Ends::Listed { inputs, outputs },
            inner,
            ..Made::default()
        }
    }
}
