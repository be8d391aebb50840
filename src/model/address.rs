//! Addresses in a simulation: a block or a signal, with the model blocks that lead to it from the root. Files, commands
//! and plots use the same text form: `Plant/Motor#3` is block 3 within the model blocks `Plant` and `Motor`, and
//! `Plant/Motor#3.Output` is its output. A text needs the simulation to be read, since names stand for ids.

use std::fmt;
use std::sync::Arc;

use super::{Block, BlockId, BlockKind, Model, Simulation, block_ports};
use crate::block::Registry;

/// A block in an instance of its model: the path of model blocks from the root, and the block. Its text form is
/// `Plant/Motor#3`; at the root it is `#3`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockAddress {
    pub path: Vec<BlockId>,
    pub block: BlockId,
}

/// A parameter of a block in an instance of its model. Its text form is `Plant/Motor#3.Gain`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParamAddress {
    pub block: BlockAddress,
    /// The option of the block.
    pub name: String,
}

/// An output of a block: the path of model blocks from the root, the block, the port.
///
/// An exit is a signal too; its `output` is its input, [`super::BlockPorts::INPUT`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SignalKey {
    pub path: Vec<BlockId>,
    pub block: BlockId,
    pub output: Arc<str>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignalError {
    #[error("“{0}” is not a path: expected Model/Model#3.Output or #3.Output")]
    Malformed(String),
    #[error("“{0}”: there is no block “{1}” in “{2}”")]
    UnknownBlock(String, String, Arc<str>),
    #[error("“{0}”: several blocks in “{2}” have the name “{1}”; use an id, such as #3")]
    Ambiguous(String, String, Arc<str>),
    #[error("“{0}”: the block has no output “{1}”; its outputs are: {2}")]
    UnknownOutput(String, String, String),
}

impl BlockAddress {
    pub fn new(path: &[BlockId], block: BlockId) -> BlockAddress {
        BlockAddress { path: path.to_vec(), block }
    }

    /// Parses `Plant/Motor#3.Gain` into the block and the text after the dot, a port or an option, which is not checked.
    /// The block may be given by its unique name instead of its `#id`.
    ///
    /// # Errors
    /// If the block does not exist; the message names the wrong part.
    pub fn parse_with_rest(text: &str, simulation: &Simulation) -> Result<(BlockAddress, Option<String>), SignalError> {
        let malformed = || SignalError::Malformed(text.to_owned());
        let mut model = simulation.root_model().ok_or_else(malformed)?;
        let mut path = Vec::new();
        let (models, block, rest) = split(text);
        for part in models.split('/').filter(|part| !part.is_empty()) {
            let id = find(text, model, part)?;
            let name = model.block(id).and_then(|block| match &block.kind {
                BlockKind::Model { model } => Some(model),
                _ => None,
            });
            model = name
                .and_then(|name| simulation.model(name))
                .ok_or_else(|| SignalError::UnknownBlock(text.to_owned(), part.to_owned(), Arc::clone(&model.name)))?;
            path.push(id);
        }
        Ok((BlockAddress { path, block: find(text, model, block)? }, rest.map(str::to_owned)))
    }

    /// Returns the displayed text, such as `Plant/Motor#3`.
    pub fn text(&self, simulation: &Simulation) -> String {
        block_text(simulation, &self.path, self.block)
    }

    /// Returns the same by the block's title where that leads back to it, such as `Plant/Motor/Current`.
    pub fn title_text(&self, simulation: &Simulation) -> String {
        let text = self.text(simulation);
        let title = model_at(simulation, &self.path).and_then(|model| {
            let title = model.block(self.block)?.title();
            let is_plain = !title.is_empty() && !title.contains(['/', '.', '#', '[', '=']);
            Some(title).filter(|title| is_plain && named(model, title).eq([self.block]))
        });
        match (title, text.strip_suffix(&self.block.to_string())) {
            (Some(title), Some("")) => title.to_owned(),
            (Some(title), Some(around)) => format!("{around}/{title}"),
            _ => text,
        }
    }

    /// Returns the model blocks that lead to the block, from the root.
    pub fn outer(&self) -> impl Iterator<Item = BlockAddress> {
        let paths = self.path.iter().enumerate();
        paths.map(|(depth, id)| BlockAddress::new(self.path.get(..depth).unwrap_or_default(), *id))
    }

    /// Returns the block, if the path exists.
    pub fn find<'a>(&self, simulation: &'a Simulation) -> Option<&'a Block> {
        model_at(simulation, &self.path)?.block(self.block).map(|block| &**block)
    }
}

impl ParamAddress {
    pub fn new(path: &[BlockId], block: BlockId, name: &str) -> ParamAddress {
        ParamAddress { block: BlockAddress::new(path, block), name: name.to_owned() }
    }

    /// Returns the displayed text, such as `Plant/Motor#3.Gain`.
    pub fn text(&self, simulation: &Simulation) -> String {
        format!("{}.{}", self.block.text(simulation), self.name)
    }
}

impl SignalKey {
    pub fn new(path: &[BlockId], block: BlockId, output: &str) -> SignalKey {
        SignalKey { path: path.to_vec(), block, output: output.into() }
    }

    /// Parses `Plant/Motor#3.Output`: names or `#ids` of model blocks from the root down, then the `#id` of the block
    /// or its unique name, then the port, which may be omitted for a block with one output.
    ///
    /// # Errors
    /// If a part of the path does not exist; the message names the part.
    pub fn parse(text: &str, simulation: &Simulation, registry: &Registry) -> Result<SignalKey, SignalError> {
        let (BlockAddress { path, block: id }, rest) = BlockAddress::parse_with_rest(text, simulation)?;
        let unknown = |wanted: &str, known: &str| {
            SignalError::UnknownOutput(text.to_owned(), wanted.to_owned(), known.to_owned())
        };
        let model = model_at(simulation, &path).ok_or_else(|| unknown("", ""))?;
        let block = model.block(id).ok_or_else(|| unknown("", ""))?;
        let ports = block_ports(simulation, registry, model, block);
        let outputs = if matches!(block.kind, BlockKind::Exit { .. }) { ports.inputs } else { ports.outputs };
        let found = match &rest {
            Some(wanted) => outputs.iter().find(|name| ***name == **wanted),
            None if outputs.len() == 1 => outputs.first(),
            None => None,
        };
        match found {
            Some(output) => Ok(SignalKey { path, block: id, output: Arc::clone(output) }),
            None => Err(unknown(rest.as_deref().unwrap_or_default(), &outputs.join(", "))),
        }
    }

    /// Returns the model that contains the block, if the path exists.
    pub fn model<'a>(&self, simulation: &'a Simulation) -> Option<&'a Arc<Model>> {
        model_at(simulation, &self.path)
    }

    /// Returns the displayed name, such as `Plant/Motor#3.Output`.
    pub fn text(&self, simulation: &Simulation) -> String {
        format!("{}.{}", block_text(simulation, &self.path, self.block), self.output)
    }
}

fn block_text(simulation: &Simulation, path: &[BlockId], block: BlockId) -> String {
    let mut text = String::new();
    let mut model = simulation.root_model();
    for (depth, id) in path.iter().enumerate() {
        let block = model.and_then(|model| model.block(*id));
        if depth > 0 {
            text.push('/');
        }
        match block.map(|block| &block.kind) {
            Some(BlockKind::Model { model: name }) => {
                // The name must lead back to this block.
                let is_plain = !name.is_empty() && !name.contains(['/', '#']);
                let is_only = model.is_some_and(|model| named(model, name).eq([*id]));
                text.push_str(&if is_plain && is_only { name.to_string() } else { id.to_string() });
                model = simulation.model(name);
            }
            _ => {
                text.push_str(&id.to_string());
                model = None;
            }
        }
    }
    format!("{text}{block}")
}

impl fmt::Display for SignalKey {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (depth, id) in self.path.iter().enumerate() {
            write!(f, "{}{id}", if depth > 0 { "/" } else { "" })?;
        }
        write!(f, "{}.{}", self.block, self.output)
    }
}

/// Returns the model at the end of a path of model blocks from the root.
pub fn model_at<'a>(simulation: &'a Simulation, path: &[BlockId]) -> Option<&'a Arc<Model>> {
    path.iter().try_fold(simulation.root_model()?, |model, id| match &model.block(*id)?.kind {
        BlockKind::Model { model } => simulation.model(model),
        _ => None,
    })
}

/// Splits a path into the models, the block and the rest. Names and ports may contain any character, so the first
/// `#number` before a dot or the end is the block.
fn split(text: &str) -> (&str, &str, Option<&str>) {
    for (start, _) in text.match_indices('#') {
        let number = text[start + 1..].strip_prefix('-').unwrap_or(&text[start + 1..]);
        let behind = number.trim_start_matches(|c: char| c.is_ascii_digit());
        let end = text.len() - behind.len();
        if behind.len() < number.len() && (behind.is_empty() || behind.starts_with('.')) {
            return (&text[..start], &text[start..end], behind.strip_prefix('.'));
        }
    }
    let (models, last) = text.rsplit_once('/').unwrap_or(("", text));
    match last.split_once('.') {
        Some((block, rest)) => (models, block, Some(rest)),
        None => (models, last, None),
    }
}

fn named<'a>(model: &'a Model, name: &'a str) -> impl Iterator<Item = BlockId> + 'a {
    model.blocks.values().filter(move |block| block.is_called(name)).map(|block| block.id)
}

fn find(text: &str, model: &Model, part: &str) -> Result<BlockId, SignalError> {
    let unknown = || SignalError::UnknownBlock(text.to_owned(), part.to_owned(), Arc::clone(&model.name));
    if let Some(number) = part.strip_prefix('#') {
        let id = BlockId::parse(number).ok_or_else(unknown)?;
        return model.block(id).map(|block| block.id).ok_or_else(unknown);
    }
    let mut found = named(model, part);
    match (found.next(), found.next()) {
        (Some(id), None) => Ok(id),
        (Some(_), Some(_)) => Err(SignalError::Ambiguous(text.to_owned(), part.to_owned(), Arc::clone(&model.name))),
        _ => Err(unknown()),
    }
}
