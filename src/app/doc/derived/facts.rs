//! Facts derived from one model, found once for each state of that model.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::app::doc::breakpoints::{ATTRIBUTE, OnWire};
use crate::app::doc::code_lines::{OnLines, code_of, code_param};
use crate::app::doc::dashboard::PINNED;
use crate::app::doc::plots::CURVE;
use crate::block::Registry;
use crate::model::{Block, BlockId, BlockKind, Connection, InputKey, Model, is_random};

/// The models of the document by name, each with its facts.
pub type FactsByModel = BTreeMap<Arc<str>, ModelFacts>;

/// The facts of one model.
pub struct ModelFacts {
    /// The state of the model to which they belong.
    pub model: Arc<Model>,
    /// The model blocks in it with their models, in the order of the file.
    pub instances: Vec<(BlockId, Arc<str>)>,
    /// The model blocks with the models that are variants of them but not chosen, in the order of the file.
    pub unchosen: Vec<(BlockId, Arc<str>)>,
    /// The exits, in the order of the file.
    pub exits: Vec<BlockId>,
    /// The breakpoints on its wires.
    pub breakpoints: Vec<WireBreakpoint>,
    /// The blocks with breakpoints on lines of their code, in the order of the file.
    pub code: Vec<Arc<Block>>,
    /// The blocks that show a curve or widgets, whose signals are therefore recorded.
    pub showing: Vec<BlockId>,
    /// The units that its wires declare, by the output from which they come.
    units: BTreeMap<(BlockId, Arc<str>), Arc<str>>,
    /// The titles that more than one of its blocks has.
    repeated_titles: BTreeSet<String>,
    /// Whether one of its own blocks draws random numbers; found when it is first asked for.
    has_random_block: OnceCell<bool>,
}

/// A breakpoint on a wire, and the output from which the wire comes.
#[derive(Clone, Debug, PartialEq)]
pub struct WireBreakpoint {
    pub wire: InputKey,
    pub on: OnWire,
    pub from: BlockId,
    pub output: Arc<str>,
}

/// A breakpoint on a line of a block's code.
#[derive(Clone, Debug, PartialEq)]
pub struct CodeBreakpoint {
    pub block: BlockId,
    /// From 1.
    pub line: usize,
    pub is_on: bool,
    /// The code of the block.
    pub code: Arc<str>,
}

impl CodeBreakpoint {
    /// Returns the breakpoints of a block; none if it has no code.
    pub fn of(block: &Block, registry: &Registry) -> Vec<CodeBreakpoint> {
        let BlockKind::Library { group, name } = &block.kind else { return Vec::new() };
        let Some(param) = registry.get(group, name).and_then(code_param) else { return Vec::new() };
        let code: Arc<str> = code_of(block, param).into();
        let lines = OnLines::of(block).0.into_iter();
        lines.map(|(line, is_on)| CodeBreakpoint { block: block.id, line, is_on, code: Arc::clone(&code) }).collect()
    }

    /// The text of the line.
    pub fn text(&self) -> &str {
        self.code.lines().nth(self.line - 1).unwrap_or_default().trim()
    }
}

impl ModelFacts {
    pub fn of(model: &Arc<Model>) -> ModelFacts {
        let (mut instances, mut unchosen, mut exits, mut showing) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut titles: HashMap<&str, usize> = HashMap::new();
        let mut code: Vec<Arc<Block>> = Vec::new();
        for block in model.blocks.values() {
            *titles.entry(block.title()).or_default() += 1;
            match &block.kind {
                BlockKind::Model { model } => {
                    instances.push((block.seq, (block.id, Arc::clone(model))));
                    let others = block.models().into_iter().skip(1);
                    unchosen.extend(others.map(|other| (block.seq, (block.id, other))));
                }
                BlockKind::Exit { .. } => exits.push((block.seq, block.id)),
                _ => {}
            }
            if block.attributes.get(ATTRIBUTE).is_some() {
                code.push(Arc::clone(block));
            }
            if block.attributes.get(CURVE) == Some("1") || block.attributes.get(PINNED).is_some() {
                showing.push(block.id);
            }
        }
        instances.sort_by_key(|(seq, _)| *seq);
        unchosen.sort_by_key(|(seq, _)| *seq);
        exits.sort_by_key(|(seq, _)| *seq);
        code.sort_by_key(|block: &Arc<Block>| block.seq);
        let breakpoints = model.connections.values().filter_map(|wire| {
            let on = OnWire::parse(wire.attributes.get(ATTRIBUTE)?)?;
            Some(WireBreakpoint { wire: wire.key(), on, from: wire.from, output: Arc::clone(&wire.output) })
        });
        let units = model.connections.values().filter_map(|wire| {
            let unit = wire.attributes.get(Connection::UNIT)?.trim();
            (!unit.is_empty()).then(|| ((wire.from, Arc::clone(&wire.output)), unit.into()))
        });
        let repeated = titles.into_iter().filter(|(_, count)| *count > 1);
        ModelFacts {
            model: Arc::clone(model),
            instances: instances.into_iter().map(|(_, instance)| instance).collect(),
            unchosen: unchosen.into_iter().map(|(_, instance)| instance).collect(),
            exits: exits.into_iter().map(|(_, exit)| exit).collect(),
            breakpoints: breakpoints.collect(),
            code,
            showing,
            units: units.collect(),
            repeated_titles: repeated.map(|(title, _)| title.to_owned()).collect(),
            has_random_block: OnceCell::new(),
        }
    }

    /// Whether the breakpoints are those of another state of the model.
    pub fn has_breakpoints_of(&self, other: &ModelFacts) -> bool {
        let is_same = |(block, other): (&Arc<Block>, &Arc<Block>)| Arc::ptr_eq(block, other);
        self.breakpoints == other.breakpoints
            && self.code.len() == other.code.len()
            && self.code.iter().zip(&other.code).all(is_same)
    }

    /// Whether one of the model's own blocks draws random numbers.
    pub fn has_random_block(&self, registry: &Registry) -> bool {
        *self.has_random_block.get_or_init(|| self.model.blocks.values().any(|block| is_random(block, registry)))
    }

    /// Returns the unit that a wire of an output declares.
    pub fn unit_of(&self, block: BlockId, output: &str) -> Option<&Arc<str>> {
        self.units.get(&(block, output.into()))
    }

    /// Returns the title of a block, with its id if another block of the model has the same title.
    pub fn title_of(&self, block: BlockId) -> Option<String> {
        let title = self.model.block(block)?.title();
        Some(match self.repeated_titles.contains(title) {
            true => format!("{title} {block}"),
            false => title.to_owned(),
        })
    }
}
