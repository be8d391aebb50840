//! Finds the blocks and ports of a model by the names that people write: `Error` and `Error.2`, as in the text form of a
//! model and in edits from outside. A name that could mean two things is an error, never the first of them.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use super::near::did_you_mean;
use super::{Block, BlockId, BlockKind, BlockPorts, Model, Simulation, block_ports, model_ports};
use crate::block::Registry;

/// A side of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortSide {
    Input,
    Output,
}

/// Why a name leads to no block or port.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// With the names that resemble it, as the end of the message.
    #[error("there is no block “{name}” in “{model}”{near}")]
    UnknownBlock { name: String, model: Arc<str>, near: String },
    #[error("“{name}” names several blocks of “{model}”: write {}", listed(.ids))]
    AmbiguousBlock { name: String, model: Arc<str>, ids: Vec<BlockId> },
    #[error("“{block}” has no {side} “{port}”{}", ports_text(.known, *.side))]
    UnknownPort { block: String, side: PortSide, port: String, known: Vec<Arc<str>> },
    #[error("“{block}” has {} {side}s: write {}", .known.len(), alternatives(.block, .known))]
    AmbiguousPort { block: String, side: PortSide, known: Vec<Arc<str>> },
    #[error("“{block}” has no {side}")]
    NoPort { block: String, side: PortSide },
    #[error("the kind of “{block}” is unknown, so its {side} must be named, as in “{block}.{}”", example(*.side))]
    UnknownPorts { block: String, side: PortSide },
}

impl fmt::Display for PortSide {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            PortSide::Input => "input",
            PortSide::Output => "output",
        })
    }
}

fn example(side: PortSide) -> &'static str {
    match side {
        PortSide::Input => BlockPorts::INPUT,
        PortSide::Output => BlockPorts::OUTPUT,
    }
}

/// The maximum number of ports or ids in a message.
const MAX_LISTED: usize = 12;

fn listed(ids: &[BlockId]) -> String {
    let more = if ids.len() > MAX_LISTED { " or another id" } else { "" };
    let ids: Vec<String> = ids.iter().take(MAX_LISTED).map(BlockId::to_string).collect();
    format!("{}{more}", ids.join(" or "))
}

fn alternatives(block: &str, known: &[Arc<str>]) -> String {
    let more = if known.len() > MAX_LISTED { " or another" } else { "" };
    let names: Vec<String> = known.iter().take(MAX_LISTED).map(|port| format!("“{block}.{port}”")).collect();
    format!("{}{more}", names.join(" or "))
}

fn ports_text(known: &[Arc<str>], side: PortSide) -> String {
    let more = if known.len() > MAX_LISTED { ", …" } else { "" };
    match known {
        [] => format!("; it has no {side}"),
        [one] => format!("; its {side} is “{one}”"),
        _ => format!(
            "; its {side}s are {}{more}",
            known.iter().take(MAX_LISTED).map(|port| format!("“{port}”")).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// The blocks of a model by name. Its ports are computed once for each model that has instances here.
pub struct ModelNames<'a> {
    simulation: &'a Simulation,
    registry: &'a Registry,
    model: &'a Model,
    /// Made when so many names have been looked up that it pays.
    by_title: OnceCell<HashMap<&'a str, Vec<BlockId>>>,
    looked_up: usize,
    of_models: BTreeMap<Arc<str>, BlockPorts>,
}

impl<'a> ModelNames<'a> {
    pub fn new(simulation: &'a Simulation, registry: &'a Registry, model: &'a Model) -> ModelNames<'a> {
        let (by_title, of_models) = (OnceCell::new(), BTreeMap::new());
        ModelNames { simulation, registry, model, by_title, looked_up: 0, of_models }
    }

    fn by_title(&self) -> &HashMap<&'a str, Vec<BlockId>> {
        self.by_title.get_or_init(|| {
            let mut by_title: HashMap<&str, Vec<BlockId>> = HashMap::new();
            for block in self.model.blocks.values() {
                by_title.entry(block.title()).or_default().push(block.id);
            }
            by_title
        })
    }

    /// Returns the blocks with a title.
    fn blocks_titled(&mut self, title: &str) -> Vec<BlockId> {
        /// Up to this number of names, looking through all blocks takes less time than a map of them.
        const MAX_LINEAR: usize = 3;
        self.looked_up += 1;
        match self.by_title.get() {
            None if self.looked_up <= MAX_LINEAR => {
                self.model.blocks.values().filter(|block| block.title() == title).map(|block| block.id).collect()
            }
            _ => self.by_title().get(title).cloned().unwrap_or_default(),
        }
    }

    /// Returns the ports of a block.
    pub fn ports(&mut self, block: &Block) -> BlockPorts {
        let BlockKind::Model { model: name } = &block.kind else {
            return block_ports(self.simulation, self.registry, self.model, block);
        };
        let Some(inner) = self.simulation.model(name) else {
            return block_ports(self.simulation, self.registry, self.model, block);
        };
        let of_inner = || {
            let ports = model_ports(inner);
            let inputs = ports.inputs.into_iter().map(|(name, _)| name).collect();
            BlockPorts { inputs, outputs: ports.outputs.into_iter().map(|(name, _)| name).collect() }
        };
        self.of_models.entry(Arc::clone(name)).or_insert_with(of_inner).clone()
    }

    /// Returns the blocks with a title, by id.
    pub fn titled(&self, title: &str) -> &[BlockId] {
        self.by_title().get(title).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the error of a name that no block has.
    pub fn unknown(&self, name: &str) -> NameError {
        NameError::UnknownBlock {
            name: name.to_owned(),
            model: Arc::clone(&self.model.name),
            near: did_you_mean(name, self.by_title().keys().copied().collect::<BTreeSet<_>>().into_iter()),
        }
    }

    /// Returns the error of a title that could mean several blocks.
    pub fn ambiguous(&self, title: &str) -> NameError {
        let ids = self.titled(title).to_vec();
        NameError::AmbiguousBlock { name: title.to_owned(), model: Arc::clone(&self.model.name), ids }
    }

    /// Finds a block by its title or `#id`.
    ///
    /// # Errors
    /// If there is none, or several have the title.
    pub fn block(&mut self, name: &str) -> Result<BlockId, NameError> {
        self.meant(name, None)
    }

    /// Finds a block that a wire may begin or end at: an input and an output of the model may share their name.
    ///
    /// # Errors
    /// If there is none, or several with such ports have the title.
    pub fn block_with(&mut self, name: &str, side: PortSide) -> Result<BlockId, NameError> {
        self.meant(name, Some(side))
    }

    fn meant(&mut self, name: &str, side: Option<PortSide>) -> Result<BlockId, NameError> {
        let by_id = name.strip_prefix('#').and_then(BlockId::parse).filter(|id| self.model.blocks.contains_key(id));
        if let Some(id) = by_id {
            return Ok(id);
        }
        match &self.blocks_titled(name)[..] {
            [only] => Ok(*only),
            [] => Err(self.unknown(name)),
            several => {
                let possible: Vec<BlockId> = match side {
                    Some(side) => several.iter().copied().filter(|id| self.has_side(*id, side)).collect(),
                    None => Vec::new(),
                };
                match possible[..] {
                    [only] => Ok(only),
                    _ => Err(self.ambiguous(name)),
                }
            }
        }
    }

    fn has_side(&mut self, id: BlockId, side: PortSide) -> bool {
        let Some(block) = self.model.block(id).cloned() else { return false };
        let ports = self.ports(&block);
        match side {
            PortSide::Input => !ports.inputs.is_empty(),
            PortSide::Output => !ports.outputs.is_empty(),
        }
    }

    /// Finds a port of a block: by its name, by its number from 1, or without a text the only one.
    ///
    /// # Errors
    /// If there is none, or several without a text.
    pub fn port(&mut self, id: BlockId, side: PortSide, text: Option<&str>) -> Result<Arc<str>, NameError> {
        let block = self.model.block(id).cloned();
        let title = block.as_ref().map(|block| block.title().to_owned()).unwrap_or_default();
        let ports = block.map(|block| self.ports(&block)).unwrap_or_default();
        let known = match side {
            PortSide::Input => ports.inputs,
            PortSide::Output => ports.outputs,
        };
        port_of(title, side, text, known)
    }

    /// Finds the end of a wire as it is written: `Error`, `Error.2`, `#3.Input 2`. The name of the block may contain dots.
    ///
    /// # Errors
    /// As [`ModelNames::block_with`] and [`ModelNames::port`].
    pub fn end(&mut self, text: &str, side: PortSide) -> Result<(BlockId, Arc<str>), NameError> {
        let (id, port) = match self.block_with(text, side) {
            Ok(id) => (id, None),
            Err(error) => {
                // The longest name of a block that the text begins with, before a dot.
                let split = text.rmatch_indices('.').find_map(|(dot, _)| {
                    let (name, port) = (text.get(..dot)?, text.get(dot + 1..)?);
                    match self.block_with(name, side) {
                        Err(NameError::UnknownBlock { .. }) => None,
                        found => Some(found.map(|id| (id, port))),
                    }
                });
                let (id, port) = split.unwrap_or_else(|| {
                    let name = text.split_once('.').map_or(text, |(name, _)| name);
                    Err(self.block_with(name, side).err().unwrap_or(error))
                })?;
                (id, Some(port))
            }
        };
        Ok((id, self.port(id, side, port)?))
    }
}

/// Finds a port among those of a side of a block; see [`ModelNames::port`].
///
/// # Errors
/// If there is none, or several without a text.
pub fn port_of(block: String, side: PortSide, text: Option<&str>, known: Vec<Arc<str>>) -> Result<Arc<str>, NameError> {
    let Some(text) = text else {
        return match &known[..] {
            [only] => Ok(Arc::clone(only)),
            [] => Err(NameError::NoPort { block, side }),
            _ => Err(NameError::AmbiguousPort { block, side, known }),
        };
    };
    let by_name = known.iter().find(|name| ***name == *text);
    let by_number = || text.parse().ok().and_then(|number: usize| known.get(number.checked_sub(1)?));
    match by_name.or_else(by_number) {
        Some(port) => Ok(Arc::clone(port)),
        None => Err(NameError::UnknownPort { block, side, port: text.to_owned(), known }),
    }
}
