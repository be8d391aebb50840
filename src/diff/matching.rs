//! Which model and which block of one state is which of the other.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::groups::{Group, Grouping};
use super::state::{Site, State, is_port, options_text};
use crate::model::{Block, BlockId, BlockKind, Connection, Simulation};

/// The share of equal blocks from which on a model with another name is the same model.
const MIN_SIMILARITY: f64 = 0.5;
/// The most pairs of blocks whose neighbours are compared in a model.
const MAX_PAIRS: usize = 40_000;

/// The wires that leave the blocks of a model, by block.
type Leaving<'a> = HashMap<BlockId, Vec<&'a Arc<Connection>>>;

/// The partner of each model and block in the other state.
pub struct Matching<'a> {
    /// The first state and the second.
    pub states: [State<'a>; 2],
    models: [Vec<Option<usize>>; 2],
    blocks: [HashMap<Site, Site>; 2],
    /// Models of each state whose blocks lie in a model of the other: models that were expanded, and new groups.
    pub groups: [BTreeMap<usize, Group>; 2],
}

/// A state by its place in pairs.
pub const FIRST: usize = 0;
pub const SECOND: usize = 1;

impl<'a> Matching<'a> {
    pub fn of(first: &'a Simulation, second: &'a Simulation) -> Matching<'a> {
        let states = [State::of(first), State::of(second)];
        let models = [FIRST, SECOND].map(|side| vec![None; states[side].models.len()]);
        let mut matching = Matching { states, models, blocks: Default::default(), groups: Default::default() };
        matching.match_models();
        let known: Vec<(usize, usize)> = (0..matching.states[FIRST].models.len())
            .filter_map(|model| Some((model, matching.models[FIRST][model]?)))
            .collect();
        known.iter().for_each(|(model, other)| matching.match_by_names(*model, *other));
        // A block in a group is known by its id or name; neighbours would take another for it.
        Grouping(&mut matching).find_groups();
        known.iter().for_each(|(model, other)| matching.match_by_places(*model, *other));
        Grouping(&mut matching).find();
        matching
    }

    /// The partner of a block of a side.
    pub fn partner(&self, side: usize, site: Site) -> Option<Site> {
        self.blocks[side].get(&site).copied()
    }

    /// The partner of a model of a side.
    pub fn model_partner(&self, side: usize, model: usize) -> Option<usize> {
        self.models[side][model]
    }

    pub fn pair(&mut self, side: usize, site: Site, other: Site) {
        self.blocks[side].insert(site, other);
        self.blocks[1 - side].insert(other, site);
    }

    /// The blocks of a model that have no partner.
    pub fn unmatched(&self, side: usize, model: usize) -> Vec<(Site, &'a Block)> {
        let sites = self.states[side].sites(model);
        sites.filter(|(site, _)| self.partner(side, *site).is_none()).map(|(site, block)| (site, &**block)).collect()
    }

    fn match_models(&mut self) {
        for (at, model) in self.states[FIRST].models.iter().enumerate() {
            if let Some(other) = self.states[SECOND].number(&model.name) {
                (self.models[FIRST][at], self.models[SECOND][other]) = (Some(other), Some(at));
            }
        }
        let open = |side: usize| -> Vec<usize> {
            (0..self.models[side].len()).filter(|at| self.models[side][*at].is_none()).collect()
        };
        let (removed, added) = (open(FIRST), open(SECOND));
        let mut similar = Vec::new();
        for &old in &removed {
            for &new in &added {
                let similarity = self.similarity(old, new);
                if similarity >= MIN_SIMILARITY {
                    similar.push((similarity, old, new));
                }
            }
        }
        similar.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for (_, old, new) in similar {
            if self.models[FIRST][old].is_none() && self.models[SECOND][new].is_none() {
                (self.models[FIRST][old], self.models[SECOND][new]) = (Some(new), Some(old));
            }
        }
    }

    /// The share of blocks with equal id and kind.
    fn similarity(&self, old: usize, new: usize) -> f64 {
        let (old, new) = (self.states[FIRST].models[old], self.states[SECOND].models[new]);
        let most = old.blocks.len().max(new.blocks.len());
        let equal =
            old.blocks.values().filter(|block| new.block(block.id).is_some_and(|other| other.kind == block.kind));
        if most == 0 { 0.0 } else { equal.count() as f64 / most as f64 }
    }

    /// Whether blocks have the same kind; instances of a model that was renamed do.
    pub fn same_kind(&self, side: usize, block: &Block, other: &Block) -> bool {
        match (&block.kind, &other.kind) {
            (BlockKind::Model { model }, BlockKind::Model { model: of_other }) => {
                let number = self.states[side].number(model);
                match (number, self.states[1 - side].number(of_other)) {
                    (Some(number), Some(other)) => self.models[side][number] == Some(other) || model == of_other,
                    _ => model == of_other,
                }
            }
            (BlockKind::Entry { .. }, BlockKind::Entry { .. }) | (BlockKind::Exit { .. }, BlockKind::Exit { .. }) => {
                true
            }
            (kind, other) => kind == other,
        }
    }

    /// Matches the blocks of a model by id and name.
    fn match_by_names(&mut self, model: usize, other: usize) {
        let sites: Vec<(Site, &Block)> =
            self.states[FIRST].sites(model).map(|(site, block)| (site, &**block)).collect();
        for (site, block) in &sites {
            let same = Site { model: other, block: site.block };
            if let Some(candidate) = self.states[SECOND].block(same)
                && self.same_kind(FIRST, block, candidate)
            {
                self.pair(FIRST, *site, same);
            }
        }
        let (old, new) = (self.unmatched(FIRST, model), self.unmatched(SECOND, other));
        self.match_by(FIRST, &old, &new, &|block| name_of(block).map(|name| (kind_text(block), name)));
    }

    /// Matches further blocks of a model by their parameters, their wires and their places.
    fn match_by_places(&mut self, model: usize, other: usize) {
        let (old, new) = (self.unmatched(FIRST, model), self.unmatched(SECOND, other));
        if old.is_empty() || new.is_empty() {
            return;
        }
        self.match_by(FIRST, &old, &new, &|block| Some((kind_text(block), options_text(block))));
        let leaving = [(FIRST, model), (SECOND, other)].map(|(side, model)| self.leaving(side, model));
        self.follow_wires(model, other, &leaving);
        self.match_neighbours(&old, &new, &leaving);
        // A block that was replaced by one of another kind, at its place.
        for (site, block) in old {
            let same = Site { model: other, block: site.block };
            let is_open = self.partner(FIRST, site).is_none() && self.partner(SECOND, same).is_none();
            let is_at_its_place = |candidate: &Block| {
                !is_port(candidate)
                    && !is_port(block)
                    && (name_of(candidate).is_some() && name_of(candidate) == name_of(block)
                        || candidate.position().is_some() && candidate.position() == block.position())
            };
            if is_open && self.states[SECOND].block(same).is_some_and(|candidate| is_at_its_place(candidate)) {
                self.pair(FIRST, site, same);
            }
        }
    }

    /// Matches blocks with a key that is unique among those without a partner on both sides.
    pub fn match_by<K: Ord>(
        &mut self,
        side: usize,
        old: &[(Site, &Block)],
        new: &[(Site, &Block)],
        key: &dyn Fn(&Block) -> Option<K>,
    ) {
        let unique = |side: usize, list: &[(Site, &Block)]| {
            let mut found: BTreeMap<K, Option<Site>> = BTreeMap::new();
            for (site, block) in list.iter().filter(|(site, _)| self.partner(side, *site).is_none()) {
                if let Some(key) = key(block) {
                    found.entry(key).and_modify(|known| *known = None).or_insert(Some(*site));
                }
            }
            found
        };
        let (mut old, new) = (unique(side, old), unique(1 - side, new));
        for (key, site) in new {
            if let (Some(site), Some(Some(of_old))) = (site, old.remove(&key)) {
                self.pair(side, of_old, site);
            }
        }
    }

    /// The wires that leave the blocks of a model.
    fn leaving(&self, side: usize, model: usize) -> Leaving<'a> {
        let mut wires: Leaving = HashMap::new();
        for wire in self.states[side].models[model].connections.values() {
            wires.entry(wire.from).or_default().push(wire);
        }
        wires
    }

    /// Matches what the ports of matched blocks are connected to, on and on, where that is one block on both sides.
    fn follow_wires(&mut self, model: usize, other: usize, leaving: &[Leaving; 2]) {
        let matched = self.states[FIRST].sites(model).map(|(site, _)| site);
        let mut ahead: Vec<(Site, Site)> = matched
            .filter_map(|site| Some((site, self.partner(FIRST, site).filter(|of| of.model == other)?)))
            .collect();
        while let Some(pair) = ahead.pop() {
            let next = [(FIRST, pair.0), (SECOND, pair.1)].map(|(side, site)| self.ends(side, site, &leaving[side]));
            let [old, mut new] = next;
            for (port, site) in old {
                if let (Some(site), Some(Some(of_other))) = (site, new.remove(&port))
                    && self.partner(FIRST, site).is_none()
                    && self.partner(SECOND, of_other).is_none()
                {
                    self.pair(FIRST, site, of_other);
                    ahead.push((site, of_other));
                }
            }
        }
    }

    /// The unmatched blocks at the other ends of a block's wires, by port and kind; `None` marks a port with several.
    fn ends(&self, side: usize, site: Site, leaving: &Leaving) -> BTreeMap<(String, String), Option<Site>> {
        let state = &self.states[side];
        let mut ends = BTreeMap::new();
        let before = state.models[site.model].sources(site.block);
        let before = before.map(|wire| (wire.from, format!("<{} {}", wire.input, wire.output)));
        let after = leaving.get(&site.block).into_iter().flatten();
        let after = after.map(|wire| (wire.to, format!(">{} {}", wire.output, wire.input)));
        for (block, port) in before.chain(after) {
            let at = Site { model: site.model, block };
            if let (Some(block), None) = (state.block(at), self.partner(side, at)) {
                let known = ends.entry((port, kind_text(block)));
                known.and_modify(|known| *known = None).or_insert(Some(at));
            }
        }
        ends
    }

    /// Matches blocks of one kind by the number of neighbours that they have in common.
    fn match_neighbours(&mut self, old: &[(Site, &Block)], new: &[(Site, &Block)], leaving: &[Leaving; 2]) {
        let mut kinds: BTreeMap<String, [Vec<Site>; 2]> = BTreeMap::new();
        for (side, list) in [(FIRST, old), (SECOND, new)] {
            for (site, block) in list.iter().filter(|(site, _)| self.partner(side, *site).is_none()) {
                kinds.entry(kind_text(block)).or_default()[side].push(*site);
            }
        }
        for [old, new] in kinds.into_values() {
            if old.len() * new.len() > MAX_PAIRS {
                continue;
            }
            let around = |side: usize, sites: &[Site]| -> Vec<BTreeSet<(Site, String)>> {
                sites.iter().map(|site| self.neighbours(side, *site, &leaving[side])).collect()
            };
            let around = [around(FIRST, &old), around(SECOND, &new)];
            let mut scores = Vec::new();
            for (a, site) in old.iter().enumerate() {
                for (b, other) in new.iter().enumerate() {
                    let common = around[FIRST][a].intersection(&around[SECOND][b]).count();
                    if common > 0 {
                        scores.push((std::cmp::Reverse(common), *site, *other));
                    }
                }
            }
            scores.sort();
            for (_, site, other) in scores {
                if self.partner(FIRST, site).is_none() && self.partner(SECOND, other).is_none() {
                    self.pair(FIRST, site, other);
                }
            }
        }
    }

    /// The matched neighbours of a block, as blocks of the first state, with the port that leads there.
    fn neighbours(&self, side: usize, site: Site, leaving: &Leaving) -> BTreeSet<(Site, String)> {
        let model = self.states[side].models[site.model];
        let of_first = |block| {
            let at = Site { model: site.model, block };
            let partner = self.partner(side, at)?;
            Some(if side == FIRST { at } else { partner })
        };
        let before = model.sources(site.block).map(|wire| (wire.from, format!("<{}", wire.input)));
        let after = leaving.get(&site.block).into_iter().flatten().map(|wire| (wire.to, format!(">{}", wire.output)));
        before.chain(after).filter_map(|(block, port)| Some((of_first(block)?, port))).collect()
    }
}

/// The name that the user gave a block; entries and exits always have one.
pub fn name_of(block: &Block) -> Option<String> {
    match &block.kind {
        BlockKind::Entry { name } | BlockKind::Exit { name } => Some(name.to_string()),
        _ => block.attributes.get("label").map(str::to_owned),
    }
}

/// The kind of a block in messages.
pub fn kind_text(block: &Block) -> String {
    match &block.kind {
        BlockKind::Entry { .. } => "entry".to_owned(),
        BlockKind::Exit { .. } => "exit".to_owned(),
        BlockKind::Model { model } => format!("model {model}"),
        BlockKind::Library { group, name } => format!("{group}/{name}"),
    }
}
