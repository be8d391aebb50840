//! Gives the three states of a merge the same ids and names: what one side has renamed or renumbered is so in the others
//! too, and blocks that both sides have added have different ids.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::content::{Found, models_mean_the_same};
use super::regroup::regrouped;
use super::three_way::{Pick, pick};
use crate::block::Registry;
use crate::diff::matching::{FIRST, Matching, SECOND};
use crate::diff::state::{Site, options_text};
use crate::model::{Block, BlockId, BlockKind, Conflict, Holder, Model, NewNames, Property, Simulation, kind_values};

/// The states with the same ids and names.
pub struct Aligned {
    /// The base, ours and theirs.
    pub states: [Simulation; 3],
    /// Names that both sides have changed, to different ones.
    pub conflicts: Found,
}

/// The share of blocks with equal id and kind from which on two new models of one name are the same model.
const MIN_SIMILARITY: f64 = 0.5;

pub fn align(states: [&Simulation; 3], registry: &Registry) -> Aligned {
    let mut aligned = Aligned { states: states.map(Simulation::clone), conflicts: Found::new() };
    if has_groups(&aligned.states) {
        // A block that a side has moved must not have the id of a new block of the other.
        aligned = aligned.with_equal_names(registry);
        aligned.states = regrouped(aligned.states, registry);
    }
    aligned.with_equal_names(registry)
}

/// Whether a side has grouped blocks or expanded a model.
fn has_groups([base, ours, theirs]: &[Simulation; 3]) -> bool {
    let matchings = [Matching::of(base, ours), Matching::of(base, theirs)];
    matchings.iter().flat_map(|matching| &matching.groups).any(|groups| !groups.is_empty())
}

impl Aligned {
    /// Gives the states the same ids and names.
    fn with_equal_names(mut self, registry: &Registry) -> Aligned {
        let names = {
            let [base, ours, theirs] = &self.states;
            let matchings = [Matching::of(base, ours), Matching::of(base, theirs)];
            let mut alignment = Alignment { matchings: &matchings, names: Default::default(), conflicts: Found::new() };
            let new_models = alignment.models();
            alignment.blocks(&new_models);
            self.conflicts.append(&mut alignment.conflicts);
            alignment.names
        };
        for (state, names) in self.states.iter_mut().zip(names) {
            *state = names.applied(state, registry);
        }
        self
    }
}

struct Alignment<'m, 'a> {
    /// From the base to our state and to theirs.
    matchings: &'m [Matching<'a>; 2],
    /// The new names of the base, ours and theirs.
    names: [NewNames; 3],
    conflicts: Found,
}

/// The models that both sides have added as one, by their numbers.
type NewModels = Vec<(usize, usize)>;

impl<'a> Alignment<'_, 'a> {
    fn base_models(&self) -> &[&'a Arc<Model>] {
        &self.matchings[0].states[FIRST].models
    }

    fn side_models(&self, side: usize) -> &[&'a Arc<Model>] {
        &self.matchings[side].states[SECOND].models
    }

    /// Gives models their final names, and returns those that both sides have added.
    fn models(&mut self) -> NewModels {
        let mut taken: BTreeSet<Arc<str>> = BTreeSet::new();
        for number in 0..self.base_models().len() {
            let base = self.base_models()[number];
            let sides = [0, 1].map(|side| {
                let partner = self.matchings[side].model_partner(FIRST, number);
                partner.map(|partner| Arc::clone(&self.side_models(side)[partner].name))
            });
            let names = sides.clone().map(|name| name.unwrap_or_else(|| Arc::clone(&base.name)));
            let name = match pick(&base.name, &names[0], &names[1]) {
                Pick::Ours => &names[0],
                Pick::Theirs => &names[1],
                Pick::Conflict => {
                    let [base, ours, theirs] = [&base.name, &names[0], &names[1]].map(|name| Some(&**name));
                    let conflict = Conflict::of_texts(Property::Name, base, ours, theirs);
                    self.conflicts.push((Holder::Model(Arc::clone(&names[0])), conflict));
                    &names[0]
                }
            };
            taken.insert(Arc::clone(name));
            let [ours, theirs] = sides;
            for (state, old) in [Some(Arc::clone(&base.name)), ours, theirs].into_iter().enumerate() {
                if let Some(old) = old.filter(|old| old != name) {
                    self.names[state].models.insert(old, Arc::clone(name));
                }
            }
        }
        self.new_models(taken)
    }

    fn new_models(&mut self, mut taken: BTreeSet<Arc<str>>) -> NewModels {
        let new = [0, 1].map(|side| -> BTreeMap<Arc<str>, usize> {
            let numbers = 0..self.side_models(side).len();
            let is_new = |number: &usize| self.matchings[side].model_partner(SECOND, *number).is_none();
            numbers.filter(is_new).map(|number| (Arc::clone(&self.side_models(side)[number].name), number)).collect()
        });
        // Each new model with the sides that have it, by its number there.
        let mut added: Vec<(Arc<str>, [Option<usize>; 2])> = Vec::new();
        for (name, &ours) in &new[0] {
            let theirs = new[1].get(name).copied();
            let theirs = theirs.filter(|theirs| is_similar(self.side_models(0)[ours], self.side_models(1)[*theirs]));
            added.push((Arc::clone(name), [Some(ours), theirs]));
        }
        let is_added = |at: &usize| added.iter().any(|(_, numbers)| numbers[1] == Some(*at));
        let others: Vec<(Arc<str>, usize)> =
            new[1].iter().filter(|(_, at)| !is_added(at)).map(|(name, at)| (Arc::clone(name), *at)).collect();
        added.extend(others.into_iter().map(|(name, at)| (name, [None, Some(at)])));
        // Which of two keeps the name does not depend on the side that has it.
        let text = |numbers: &[Option<usize>; 2]| {
            let model = [0, 1].into_iter().find_map(|side| Some(self.side_models(side)[numbers[side]?]));
            model.map(|model| model.blocks.values().map(|block| text_of(block)).collect::<Vec<String>>())
        };
        added.sort_by_cached_key(|(name, numbers)| (Arc::clone(name), text(numbers)));
        let mut in_both = NewModels::new();
        for (name, numbers) in added {
            if let [Some(ours), Some(theirs)] = numbers {
                in_both.push((ours, theirs));
            }
            if taken.insert(Arc::clone(&name)) {
                continue;
            }
            let is_used = |name: &str| taken.contains(name) || new.iter().any(|new| new.contains_key(name));
            let free = (2..).map(|number: u64| format!("{name} {number}")).find(|name| !is_used(name));
            let free: Arc<str> = free.unwrap_or_default().into();
            taken.insert(Arc::clone(&free));
            for side in [0, 1].into_iter().filter(|side| numbers[*side].is_some()) {
                self.names[side + 1].models.insert(Arc::clone(&name), Arc::clone(&free));
            }
        }
        in_both
    }

    /// Gives blocks and ports their final ids and names.
    fn blocks(&mut self, new_models: &NewModels) {
        for number in 0..self.base_models().len() {
            let sides = [0, 1].map(|side| self.matchings[side].model_partner(FIRST, number));
            self.known_blocks(number, sides);
            self.new_blocks(Some(number), sides);
        }
        for (ours, theirs) in new_models {
            self.new_blocks(None, [Some(*ours), Some(*theirs)]);
        }
    }

    /// The blocks of a model of the base: an id or the name of a port that one side has changed is so everywhere.
    fn known_blocks(&mut self, number: usize, sides: [Option<usize>; 2]) {
        let model = self.base_models()[number];
        let final_name = Arc::clone(self.names[0].models.get(&model.name).unwrap_or(&model.name));
        for block in model.blocks.values() {
            let site = Site { model: number, block: block.id };
            // One that is in another model now is a new block there.
            let partners = [0, 1].map(|side| {
                self.matchings[side].partner(FIRST, site).filter(|partner| Some(partner.model) == sides[side])
            });
            let ids = partners.map(|partner| partner.map_or(block.id, |partner| partner.block));
            let id = match pick(&block.id, &ids[0], &ids[1]) {
                Pick::Ours => ids[0],
                Pick::Theirs => ids[1],
                // An id means nothing by itself.
                Pick::Conflict => ids[0].min(ids[1]),
            };
            self.renumber(0, &model.name, block.id, id);
            for side in [0, 1] {
                if let Some(partner) = partners[side] {
                    let name = Arc::clone(&self.side_models(side)[partner.model].name);
                    self.renumber(side + 1, &name, partner.block, id);
                }
            }
            if let (Some(name), Some(ours), Some(theirs)) = (port_name(block), partners[0], partners[1]) {
                let of = |side: usize, site: Site| {
                    self.side_models(side)[site.model].block(site.block).and_then(|block| port_name(block))
                };
                let names = [of(0, ours).unwrap_or(name), of(1, theirs).unwrap_or(name)].map(Arc::clone);
                self.port((number, block, id), [ours, theirs], names, &final_name);
            } else if let (Some(name), Some((side, partner))) =
                (port_name(block), partners.iter().enumerate().find_map(|(side, site)| Some((side, (*site)?))))
                && let Some(new) =
                    self.side_models(side)[partner.model].block(partner.block).and_then(|block| port_name(block))
                && new != name
            {
                let new = Arc::clone(new);
                self.names[0].ports.push((Arc::clone(&model.name), id, new));
            }
        }
    }

    /// The name of a port that both sides still have.
    fn port(
        &mut self,
        (number, block, id): (usize, &Block, BlockId),
        sites: [Site; 2],
        names: [Arc<str>; 2],
        final_name: &Arc<str>,
    ) {
        let Some(base) = port_name(block) else { return };
        let name = match pick(base, &names[0], &names[1]) {
            Pick::Ours => &names[0],
            Pick::Theirs => &names[1],
            Pick::Conflict => {
                let kind = |name: &Arc<str>| {
                    Some(kind_values(&match block.kind {
                        BlockKind::Exit { .. } => BlockKind::exit(name),
                        _ => BlockKind::entry(name),
                    }))
                };
                let conflict = Conflict::new(Property::Kind, kind(base), kind(&names[0]), kind(&names[1]));
                self.conflicts.push((Holder::Block(Arc::clone(final_name), id), conflict));
                &names[0]
            }
        };
        let models = [
            Arc::clone(&self.base_models()[number].name),
            Arc::clone(&self.side_models(0)[sites[0].model].name),
            Arc::clone(&self.side_models(1)[sites[1].model].name),
        ];
        for (state, old) in [base, &names[0], &names[1]].into_iter().enumerate() {
            if old != name {
                self.names[state].ports.push((Arc::clone(&models[state]), id, Arc::clone(name)));
            }
        }
    }

    fn renumber(&mut self, state: usize, model: &Arc<str>, from: BlockId, to: BlockId) {
        if from != to {
            self.names[state].ids.entry(Arc::clone(model)).or_default().insert(from, to);
        }
    }

    /// The ids that a new block of a side cannot have: those of the base, as they will be. One that the side has deleted
    /// is free if the other side has changed nothing in the model, so that the block will be gone.
    fn taken_ids(&self, base: usize, sides: [Option<usize>; 2], side: usize) -> BTreeSet<BlockId> {
        let model = self.base_models()[base];
        let other = sides[1 - side].map(|number| self.side_models(1 - side)[number]);
        let is_unchanged = other.is_some_and(|other| models_mean_the_same(model, other));
        let ids = self.names[0].ids.get(&model.name);
        let is_taken = |id: &BlockId| {
            let partner = self.matchings[side].partner(FIRST, Site { model: base, block: *id });
            !is_unchanged || partner.is_some_and(|partner| Some(partner.model) == sides[side])
        };
        let now = |id: &BlockId| ids.and_then(|ids| ids.get(id)).copied().unwrap_or(*id);
        model.blocks.keys().filter(|id| is_taken(id)).map(now).collect()
    }

    /// The blocks that sides have added to a model: those with an id that another block has get a free one.
    fn new_blocks(&mut self, base: Option<usize>, sides: [Option<usize>; 2]) {
        let taken = [0, 1].map(|side| base.map_or_else(BTreeSet::new, |base| self.taken_ids(base, sides, side)));
        // Both sides' new blocks, by their ids.
        let mut by_id: BTreeMap<BlockId, Vec<(usize, &Arc<Block>)>> = BTreeMap::new();
        let mut highest = taken.iter().filter_map(|ids| ids.last().copied()).max();
        for side in [0, 1] {
            let Some(number) = sides[side] else { continue };
            let model = self.side_models(side)[number];
            highest = highest.max(model.blocks.keys().last().copied());
            for block in model.blocks.values() {
                let site = Site { model: number, block: block.id };
                let partner = self.matchings[side].partner(SECOND, site);
                if partner.is_none_or(|partner| Some(partner.model) != base) {
                    by_id.entry(block.id).or_default().push((side, block));
                }
            }
        }
        let mut homeless: Vec<(BlockId, String, usize)> = Vec::new();
        for (id, blocks) in by_id {
            let (refused, mut kept): (Vec<_>, Vec<_>) =
                blocks.into_iter().partition(|(side, _)| taken[*side].contains(&id));
            let is_one = matches!(kept[..], [(_, ours), (_, theirs)] if is_one_addition(ours, theirs, base.is_none()));
            kept.sort_by_cached_key(|(_, block)| text_of(block));
            let stay = if is_one { kept.len() } else { 1 };
            let without_id = refused.into_iter().chain(kept.into_iter().skip(stay));
            homeless.extend(without_id.map(|(side, block)| (id, text_of(block), side)));
        }
        homeless.sort();
        let mut next = highest.map_or(0, |highest| highest.0 + 1);
        for (id, _, side) in homeless {
            let Some(name) = sides[side].map(|number| Arc::clone(&self.side_models(side)[number].name)) else {
                continue;
            };
            self.renumber(side + 1, &name, id, BlockId(next));
            next += 1;
        }
    }
}

fn port_name(block: &Block) -> Option<&Arc<str>> {
    match &block.kind {
        BlockKind::Entry { name } | BlockKind::Exit { name } => Some(name),
        _ => None,
    }
}

/// Whether blocks with one id that both sides have added are one block, such as a change that both have taken over.
fn is_one_addition(ours: &Block, theirs: &Block, is_in_new_model: bool) -> bool {
    let label = |block: &Block| block.attributes.get("label").map(str::to_owned);
    let is_at_one_place = ours.position().is_some() && ours.position() == theirs.position();
    let is_equal = ours.attributes == theirs.attributes && ours.body == theirs.body;
    let has_one_label = label(ours).is_some() && label(ours) == label(theirs);
    ours.kind == theirs.kind && (is_in_new_model || is_at_one_place || has_one_label || is_equal)
}

/// A text that is the same for equal blocks, whichever side has them.
fn text_of(block: &Block) -> String {
    let attributes: Vec<(&str, &str)> = block.attributes.iter().collect();
    format!("{:?} {attributes:?} {}", block.kind, options_text(block))
}

/// Whether two new models of one name are the same model.
fn is_similar(ours: &Model, theirs: &Model) -> bool {
    let most = ours.blocks.len().max(theirs.blocks.len());
    let is_equal = |block: &&Arc<Block>| theirs.block(block.id).is_some_and(|other| other.kind == block.kind);
    let equal = ours.blocks.values().filter(is_equal).count();
    most == 0 || equal as f64 / most as f64 >= MIN_SIMILARITY
}
