//! The ends of wires: blocks by title or id, and ports by name or number, as the reader finds and the writer names them.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::line::EndBlock;
use super::words;
use crate::block::{Ports, Registry};
use crate::model::{
    Block, BlockId, BlockKind, BlockPorts, Model, ModelNames, NameError, PortSide, Simulation, port_of,
};

/// The ends of the wires of a model.
pub(super) struct Ends<'a> {
    simulation: &'a Simulation,
    registry: &'a Registry,
    model: &'a Model,
    names: ModelNames<'a>,
    /// The ports of the blocks that were asked for; none of a block of an unknown kind, whose ports only wires name.
    ports: HashMap<BlockId, Option<Rc<BlockPorts>>>,
    /// The ports of kinds whose ports do not depend on settings, and of models.
    of_kinds: HashMap<KindKey, Rc<BlockPorts>>,
    /// The blocks with such ports, by title: of several with one title.
    sided: HashMap<(Arc<str>, bool), Vec<BlockId>>,
    /// The number of unknown names so far.
    unknown: usize,
}

/// The number of unknown names for which similar ones are searched.
const MAX_SEARCHES: usize = 50;

#[derive(PartialEq, Eq, Hash)]
enum KindKey {
    Entry,
    Exit,
    Model(Arc<str>),
    Def(usize),
}

impl<'a> Ends<'a> {
    pub fn new(simulation: &'a Simulation, registry: &'a Registry, model: &'a Model) -> Ends<'a> {
        Ends {
            simulation,
            registry,
            model,
            names: ModelNames::new(simulation, registry, model),
            ports: HashMap::new(),
            of_kinds: HashMap::new(),
            sided: HashMap::new(),
            unknown: 0,
        }
    }

    fn unknown(&mut self, name: &str) -> NameError {
        self.unknown += 1;
        match self.unknown > MAX_SEARCHES {
            false => self.names.unknown(name),
            true => NameError::UnknownBlock {
                name: name.to_owned(),
                model: Arc::clone(&self.model.name),
                near: String::new(),
            },
        }
    }

    /// Returns the ports of a block; none if its kind is unknown.
    fn ports(&mut self, block: &Block) -> Option<Rc<BlockPorts>> {
        if let Some(known) = self.ports.get(&block.id) {
            return known.clone();
        }
        let ports = self.new_ports(block);
        self.ports.insert(block.id, ports.clone());
        ports
    }

    fn new_ports(&mut self, block: &Block) -> Option<Rc<BlockPorts>> {
        let key = match &block.kind {
            BlockKind::Entry { .. } => Some(KindKey::Entry),
            BlockKind::Exit { .. } => Some(KindKey::Exit),
            BlockKind::Model { model } => {
                self.simulation.model(model)?;
                Some(KindKey::Model(Arc::clone(model)))
            }
            BlockKind::Library { group, name } => {
                let def = self.registry.get(group, name)?;
                let is_fixed = matches!((&def.inputs, &def.outputs), (Ports::Fixed(_), Ports::Fixed(_)));
                is_fixed.then(|| KindKey::Def(std::ptr::from_ref(def).addr()))
            }
        };
        let Some(key) = key else { return Some(Rc::new(self.names.ports(block))) };
        if let Some(known) = self.of_kinds.get(&key) {
            return Some(Rc::clone(known));
        }
        let ports = Rc::new(self.names.ports(block));
        self.of_kinds.insert(key, Rc::clone(&ports));
        Some(ports)
    }

    /// Whether a wire may begin or end at a block; a block of an unknown kind may have any ports.
    fn has_side(&mut self, id: BlockId, side: PortSide) -> bool {
        let Some(block) = self.model.block(id).map(Arc::clone) else { return false };
        self.ports(&block).is_none_or(|ports| !on_side(&ports, side).is_empty())
    }

    /// Returns the blocks that a title can mean at this end of a wire.
    fn titled(&mut self, title: &str, side: PortSide) -> Vec<BlockId> {
        let all = self.names.titled(title);
        if all.len() < 2 {
            return all.to_vec();
        }
        let key = (title.into(), side == PortSide::Input);
        if let Some(known) = self.sided.get(&key) {
            return known.clone();
        }
        let all = all.to_vec();
        // Two are enough to know that the title does not say which.
        let with_side = all.into_iter().filter(|id| self.has_side(*id, side)).take(2).collect::<Vec<_>>();
        self.sided.insert(key, with_side.clone());
        with_side
    }

    /// Finds the block of an end of a wire.
    ///
    /// # Errors
    /// If there is none, or the title could mean several.
    pub fn block(&mut self, name: &EndBlock, side: PortSide) -> Result<BlockId, NameError> {
        match name {
            EndBlock::Id(id) if self.model.blocks.contains_key(id) => Ok(*id),
            EndBlock::Id(id) => Err(self.unknown(&id.to_string())),
            EndBlock::Titled(title) => match self.titled(title, side)[..] {
                [only] => Ok(only),
                _ if self.names.titled(title).is_empty() => Err(self.unknown(title)),
                _ => Err(self.names.ambiguous(title)),
            },
        }
    }

    /// Finds a port of a block.
    ///
    /// # Errors
    /// If there is none, or the text does not say which.
    pub fn port(&mut self, id: BlockId, side: PortSide, text: Option<&str>) -> Result<Arc<str>, NameError> {
        let Some(block) = self.model.block(id).map(Arc::clone) else {
            return Err(self.unknown(&id.to_string()));
        };
        match (self.ports(&block), text) {
            (None, Some(text)) => Ok(text.into()),
            (None, None) => Err(NameError::UnknownPorts { block: block.title().to_owned(), side }),
            (Some(ports), text) => {
                let known = on_side(&ports, side);
                match found(known, text) {
                    Some(port) => Ok(port),
                    None => port_of(block.title().to_owned(), side, text, known.to_vec()),
                }
            }
        }
    }

    /// Returns how a wire names its end, so that the reader finds the same; none if it would not.
    pub fn written(&mut self, id: BlockId, side: PortSide, port: &str) -> Option<String> {
        let block = self.model.block(id).map(Arc::clone)?;
        let name = self.written_block(&block, side);
        let Some(ports) = self.ports(&block) else { return Some(format!("{name}.{}", words::name(port))) };
        let known = on_side(&ports, side);
        if let [only] = known {
            return (**only == *port).then_some(name);
        }
        let number = port.rsplit_once(' ').map(|(_, number)| number);
        let is_found = |text: &str| found(known, Some(text)).is_some_and(|found| *found == *port);
        let is_number = |number: &str| number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
        if let Some(number) = number.filter(|number| !number.is_empty() && is_number(number) && is_found(number)) {
            return Some(format!("{name}.{number}"));
        }
        is_found(port).then(|| format!("{name}.{}", words::name(port)))
    }

    /// Returns how a wire names a block.
    fn written_block(&mut self, block: &Block, side: PortSide) -> String {
        match is_labelled(block) && self.titled(block.title(), side) == [block.id] {
            true => words::name(block.title()),
            false => block.id.to_string(),
        }
    }

    /// Returns how a wire names the block of this id.
    pub fn name_of(&mut self, id: BlockId, side: PortSide) -> String {
        let block = self.model.block(id).map(Arc::clone);
        block.map_or_else(|| id.to_string(), |block| self.written_block(&block, side))
    }

    /// Whether a wire may name a block by its id only because another one has its title.
    pub fn needs_id(&mut self, block: &Block) -> bool {
        self.names.titled(block.title()).len() > 1
            && [PortSide::Input, PortSide::Output]
                .into_iter()
                .any(|side| self.has_side(block.id, side) && self.titled(block.title(), side) != [block.id])
    }

    /// Returns the only output of a block.
    pub fn only_output(&mut self, id: BlockId) -> Option<Arc<str>> {
        let block = self.model.block(id).map(Arc::clone)?;
        match &self.ports(&block)?.outputs[..] {
            [only] => Some(Arc::clone(only)),
            _ => None,
        }
    }
}

/// Whether the line of a block begins with its title.
pub(super) fn is_labelled(block: &Block) -> bool {
    !block.title().is_empty()
        && (!matches!(block.kind, BlockKind::Library { .. }) || block.attributes.get("label").is_some())
}

fn on_side(ports: &BlockPorts, side: PortSide) -> &[Arc<str>] {
    match side {
        PortSide::Input => &ports.inputs,
        PortSide::Output => &ports.outputs,
    }
}

/// Finds a port as [`port_of`] does.
fn found(known: &[Arc<str>], text: Option<&str>) -> Option<Arc<str>> {
    let Some(text) = text else {
        return match known {
            [only] => Some(Arc::clone(only)),
            _ => None,
        };
    };
    let by_name = known.iter().find(|name| ***name == *text);
    let by_number = || text.parse().ok().and_then(|number: usize| known.get(number.checked_sub(1)?));
    by_name.or_else(by_number).map(Arc::clone)
}
