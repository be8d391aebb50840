//! Facts derived from one model. Those of the next state of a model are found from what is different in it: an edit of a
//! large model costs no more than one of a small model.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::mem::take;
use std::sync::Arc;

use crate::app::doc::breakpoints::{ATTRIBUTE, OnWire};
use crate::app::doc::code_lines::{OnLines, code_of, code_param};
use crate::app::doc::dashboard::PINNED;
use crate::app::doc::plots::CURVE;
use crate::block::Registry;
use crate::model::{Block, BlockId, BlockKind, Connection, InputKey, Model, difference, is_random};

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
    /// How many of its blocks have a title.
    titles: HashMap<String, usize>,
    /// The blocks and wires that the facts above are about.
    blocks: BTreeMap<BlockId, Arc<Block>>,
    wires: BTreeMap<InputKey, Arc<Connection>>,
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
    /// Returns the facts of a state of a model. `before` are those of another state of it: their lists stay, and all else
    /// of them is handed on.
    pub fn of(model: &Arc<Model>, before: Option<&mut ModelFacts>) -> ModelFacts {
        let old = before.as_ref().map(|before| Arc::clone(&before.model));
        let (mut titles, mut blocks, mut wires) = match before {
            Some(before) => (take(&mut before.titles), take(&mut before.blocks), take(&mut before.wires)),
            None => Default::default(),
        };
        let differs = difference(old.as_ref().map(|old| &old.blocks), &model.blocks);
        for id in differs.gone.iter().chain(&differs.changed) {
            let (was, is) = (old.as_ref().and_then(|old| old.block(*id)), model.block(*id));
            if was.map(|block| block.title()) != is.map(|block| block.title()) {
                if let Some(was) = was
                    && let Some(count) = titles.get_mut(was.title())
                {
                    *count -= 1;
                    if *count == 0 {
                        titles.remove(was.title());
                    }
                }
                if let Some(is) = is {
                    *titles.entry(is.title().to_owned()).or_default() += 1;
                }
            }
            match is.filter(|block| has_facts(block)) {
                Some(block) => drop(blocks.insert(*id, Arc::clone(block))),
                None => drop(blocks.remove(id)),
            }
        }
        let differs = difference(old.as_ref().map(|old| &old.connections), &model.connections);
        for key in differs.gone.into_iter().chain(differs.changed) {
            let wire = model.connections.get(&key);
            match wire
                .filter(|wire| [ATTRIBUTE, Connection::UNIT].iter().any(|name| wire.attributes.get(name).is_some()))
            {
                Some(wire) => drop(wires.insert(key, Arc::clone(wire))),
                None => drop(wires.remove(&key)),
            }
        }
        ModelFacts::found(model, titles, blocks, wires)
    }

    fn found(
        model: &Arc<Model>,
        titles: HashMap<String, usize>,
        blocks: BTreeMap<BlockId, Arc<Block>>,
        wires: BTreeMap<InputKey, Arc<Connection>>,
    ) -> ModelFacts {
        let mut in_order: Vec<&Arc<Block>> = blocks.values().collect();
        in_order.sort_by_key(|block| block.seq);
        let (mut instances, mut unchosen, mut exits, mut code) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for block in in_order {
            match &block.kind {
                BlockKind::Model { model } => {
                    instances.push((block.id, Arc::clone(model)));
                    unchosen.extend(block.models().into_iter().skip(1).map(|other| (block.id, other)));
                }
                BlockKind::Exit { .. } => exits.push(block.id),
                _ => {}
            }
            if block.attributes.get(ATTRIBUTE).is_some() {
                code.push(Arc::clone(block));
            }
        }
        let breakpoints = wires.values().filter_map(|wire| {
            let on = OnWire::parse(wire.attributes.get(ATTRIBUTE)?)?;
            Some(WireBreakpoint { wire: wire.key(), on, from: wire.from, output: Arc::clone(&wire.output) })
        });
        let units = wires.values().filter_map(|wire| {
            let unit = wire.attributes.get(Connection::UNIT)?.trim();
            (!unit.is_empty()).then(|| ((wire.from, Arc::clone(&wire.output)), unit.into()))
        });
        ModelFacts {
            model: Arc::clone(model),
            instances,
            unchosen,
            exits,
            breakpoints: breakpoints.collect(),
            code,
            showing: blocks.values().filter(|block| shows_signals(block)).map(|block| block.id).collect(),
            units: units.collect(),
            titles,
            blocks,
            wires,
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
        Some(match self.titles.get(title).is_some_and(|count| *count > 1) {
            true => format!("{title} {block}"),
            false => title.to_owned(),
        })
    }
}

/// Whether a block shows a curve or widgets.
fn shows_signals(block: &Block) -> bool {
    block.attributes.get(CURVE) == Some("1") || block.attributes.get(PINNED).is_some()
}

/// Whether any fact other than its title is about a block.
fn has_facts(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Model { .. } | BlockKind::Exit { .. })
        || block.attributes.get(ATTRIBUTE).is_some()
        || shows_signals(block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Position;

    /// Random changes, there and back: facts that follow are those that the whole model gives.
    #[test]
    fn facts_follow_what_is_different() {
        let mut random = 3_u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % below
        };
        let mut states = vec![Arc::new(Model::new("Main"))];
        let mut facts = ModelFacts::of(&states[0], None);
        for _ in 0..500 {
            let last = states.len() - 1;
            let mut model = Model::clone(&states[last - next(1 + last.min(3) as u64) as usize]);
            let id = BlockId(next(300).into());
            match next(6) {
                0 => drop(model.remove_block(id)),
                1 => {
                    let input = ["Input", "Other"][next(2) as usize];
                    let mut wire = Connection::new(BlockId(next(300).into()), "Output", id, input);
                    match next(4) {
                        0 => wire.attributes.set(Connection::UNIT, ["m", "s", ""][next(3) as usize]),
                        1 => wire.attributes.set(ATTRIBUTE, "x>1"),
                        _ => {}
                    }
                    model.connect(wire);
                }
                2 => {
                    if let Some(block) = model.block_mut(id) {
                        block.set_position(Position { x: 1.0, y: 2.0 });
                    }
                }
                3 => {
                    if let Some(block) = model.block_mut(id) {
                        block.attributes.put(CURVE, (next(2) == 0).then_some("1"));
                        block.attributes.put("label", (next(2) == 0).then_some("other"));
                    }
                }
                _ => {
                    let kinds = [BlockKind::model("Inner"), BlockKind::exit("y"), BlockKind::library("Math", "Gain")];
                    model.add_block(Block::new(id, kinds[next(3) as usize].clone()));
                }
            }
            let model = Arc::new(model);
            facts = ModelFacts::of(&model, Some(&mut facts));
            let anew = ModelFacts::of(&model, None);
            assert_eq!((&facts.instances, &facts.exits), (&anew.instances, &anew.exits));
            assert_eq!((&facts.showing, &facts.breakpoints), (&anew.showing, &anew.breakpoints));
            assert_eq!((&facts.units, &facts.titles), (&anew.units, &anew.titles));
            for id in (0..300).map(BlockId) {
                let others = || {
                    model.blocks.values().filter(|other| Some(other.title()) == model.block(id).map(|it| it.title()))
                };
                let text = model.block(id).map(|it| match others().count() {
                    1 => it.title().to_owned(),
                    _ => format!("{} {id}", it.title()),
                });
                assert_eq!(facts.title_of(id), text);
            }
            states.push(model);
        }
    }
}
