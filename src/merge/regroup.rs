//! Groups and expands blocks in a state of a merge as another state has done, which changes no result. Then the blocks
//! are in the same models in all states, and the changes of either side find them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::block::Registry;
use crate::diff::groups::Group;
use crate::diff::matching::{FIRST, Matching, SECOND};
use crate::diff::state::{Site, State};
use crate::model::{BlockId, BlockKind, Change, ChangeKind, Edit, Model, NewNames, Simulation, expand, group};

/// More groups than a change has.
const MAX_GROUPS: usize = 200;

/// A group or an expansion of a side: the model, the ids that its blocks have got, the side, and the state of the matching
/// that has the model. Sorted, they are in an order that does not depend on which side is which.
type Candidate = (Arc<str>, Vec<BlockId>, usize, usize);

/// Returns the base, our state and theirs with the groups of both sides.
pub fn regrouped(mut states: [Simulation; 3], registry: &Registry) -> [Simulation; 3] {
    for _ in 0..MAX_GROUPS {
        match replay_one(&states, registry) {
            Some((side, [base, other])) => {
                states[0] = base;
                states[3 - side] = other;
            }
            None => break,
        }
    }
    states
}

/// Replays a group or an expansion of a side in the base and in the other side; none if there is no further one. Returns
/// the side that has it, and the base and the other side. The order does not depend on which side is which.
fn replay_one(states: &[Simulation; 3], registry: &Registry) -> Option<(usize, [Simulation; 2])> {
    let [base, ours, theirs] = states;
    let matchings = [Matching::of(base, ours), Matching::of(base, theirs)];
    let mut candidates: Vec<Candidate> = Vec::new();
    for (side, matching) in matchings.iter().enumerate() {
        for of in [FIRST, SECOND] {
            for at in matching.groups[of].keys() {
                let inside = state(matching, of).sites(*at).map(|(site, _)| site);
                let partners = inside.filter_map(|site| Some((site, matching.partner(of, site)?)));
                let ids = partners.map(|(site, partner)| if of == FIRST { partner.block } else { site.block });
                candidates.push((Arc::clone(&state(matching, of).models[*at].name), ids.collect(), side, of));
            }
        }
    }
    candidates.sort();
    candidates.into_iter().find_map(|(name, _, side, of)| {
        let (matching, between) = (&matchings[side], &matchings[1 - side]);
        let at = matching.states[of].number(&name)?;
        let group = matching.groups[of].get(&at)?;
        let replayed = match of {
            SECOND => replay_group(matching, between, (at, group), registry),
            _ => replay_expansion(matching, between, (at, group), registry),
        };
        Some((side + 1, replayed?))
    })
}

/// The states of a matching from the base.
fn state<'m, 'a>(matching: &'m Matching<'a>, of: usize) -> &'m State<'a> {
    &matching.states[of]
}

/// A group: the blocks of the base that a side has in a new model.
fn replay_group(
    matching: &Matching,
    between: &Matching,
    (at, group): (usize, &Group),
    registry: &Registry,
) -> Option<[Simulation; 2]> {
    let template = state(matching, SECOND).models[at];
    // A group in a group is replayed after that one, when its model has a partner.
    matching.model_partner(SECOND, group.instance.model)?;
    let inside = state(matching, SECOND).sites(at).map(|(site, _)| site);
    // The block of the base, and its id in the new model.
    let members: Vec<(Site, BlockId)> = inside
        .filter_map(|site| Some((matching.partner(SECOND, site)?, site.block)))
        .filter(|(site, _)| site.model == group.origin)
        .collect();
    let of_base: BTreeMap<BlockId, BlockId> = members.iter().map(|(site, id)| (site.block, *id)).collect();
    let around = between.model_partner(FIRST, group.origin)?;
    let of_other: BTreeMap<BlockId, BlockId> = members
        .iter()
        .filter_map(|(site, id)| Some((between.partner(FIRST, *site).filter(|site| site.model == around)?, *id)))
        .map(|(site, id)| (site.block, id))
        .collect();
    let base = grouped(state(between, FIRST), group.origin, &of_base, template, registry)?;
    let there = state(between, SECOND);
    // Both sides may have taken over one change.
    let has_it = there.number(&template.name).and_then(|at| between.groups[SECOND].get(&at));
    let other = match has_it.is_some_and(|known| known.origin == group.origin) {
        true => there.simulation.clone(),
        false => grouped(there, around, &of_other, template, registry)?,
    };
    Some([base, other])
}

/// Groups blocks into a model with the ids and names of `template`; `ids` are the ids that the blocks have there.
fn grouped(
    state: &State,
    model: usize,
    ids: &BTreeMap<BlockId, BlockId>,
    template: &Arc<Model>,
    registry: &Registry,
) -> Option<Simulation> {
    let simulation = state.simulation;
    // A model of the name would be another one.
    if simulation.model(&template.name).is_some() {
        return None;
    }
    let (edits, _) = group(simulation, state.models[model], &ids.keys().copied().collect(), &template.name)?;
    let change = Change::new("", edits).of_kind(ChangeKind::Regroup);
    let simulation = change.applied(simulation, registry).ok()?;
    let inner = simulation.model(&template.name)?;
    let mut numbers = ids.clone();
    let mut ports = Vec::new();
    let mut next = inner.free_id().0.max(template.free_id().0);
    for (block, name) in inner.entries().chain(inner.exits()).filter(|(block, _)| !ids.contains_key(&block.id)) {
        match counterpart(inner, template, (block.id, is_entry(&block.kind)), ids) {
            Some((id, wanted)) => {
                numbers.insert(block.id, id);
                if wanted != *name {
                    ports.push((Arc::clone(&template.name), id, wanted));
                }
            }
            None => {
                numbers.insert(block.id, BlockId(next));
                next += 1;
            }
        }
    }
    let ids = BTreeMap::from([(Arc::clone(&template.name), numbers)]);
    Some(NewNames { ids, ports, ..NewNames::default() }.applied(&simulation, registry))
}

fn is_entry(kind: &BlockKind) -> bool {
    matches!(kind, BlockKind::Entry { .. })
}

/// The port of a template that leads to the same block as a port of a new model.
fn counterpart(
    inner: &Model,
    template: &Model,
    (port, is_entry): (BlockId, bool),
    ids: &BTreeMap<BlockId, BlockId>,
) -> Option<(BlockId, Arc<str>)> {
    let found = match is_entry {
        true => inner.connections.values().filter(|wire| wire.from == port).find_map(|wire| {
            let there = template.source(*ids.get(&wire.to)?, &wire.input)?.from;
            template.entries().find(|(block, _)| block.id == there)
        }),
        false => inner.sources(port).find_map(|wire| {
            let from = *ids.get(&wire.from)?;
            let is_it =
                |exit: BlockId| template.sources(exit).any(|there| (there.from, &there.output) == (from, &wire.output));
            template.exits().find(|(block, _)| is_it(block.id))
        }),
    };
    found.map(|(block, name)| (block.id, Arc::clone(name)))
}

/// An expansion: the blocks of a model of the base that a side has in the model around it.
fn replay_expansion(
    matching: &Matching,
    between: &Matching,
    (at, group): (usize, &Group),
    registry: &Registry,
) -> Option<[Simulation; 2]> {
    // The block of the base, and its id in the model around it.
    let inside = state(matching, FIRST).sites(at).map(|(site, _)| site);
    let members: BTreeMap<BlockId, BlockId> = inside
        .filter_map(|site| Some((site.block, matching.partner(FIRST, site)?)))
        .filter(|(_, partner)| partner.model == group.origin)
        .map(|(id, partner)| (id, partner.block))
        .collect();
    let base = expanded(state(between, FIRST), group.instance, &members, registry)?;
    let there = state(between, SECOND);
    // Both sides may have taken over one change.
    if between.groups[FIRST].get(&at).is_some_and(|known| known.instance == group.instance) {
        return Some([base, there.simulation.clone()]);
    }
    let instance = between.partner(FIRST, group.instance)?;
    let model = between.model_partner(FIRST, at)?;
    let of_other = members
        .iter()
        .filter_map(|(id, wanted)| {
            let partner = between.partner(FIRST, Site { model: at, block: *id })?;
            (partner.model == model).then_some((partner.block, *wanted))
        })
        .collect();
    let other = expanded(there, instance, &of_other, registry)?;
    Some([base, other])
}

/// Expands an instance; `ids` are the ids that blocks of its model get around it.
fn expanded(
    state: &State,
    instance: Site,
    ids: &BTreeMap<BlockId, BlockId>,
    registry: &Registry,
) -> Option<Simulation> {
    let model = state.models[instance.model];
    let (edits, _) = expand(state.simulation, model, instance.block).ok()?;
    let relocations = edits.iter().filter_map(|edit| match edit {
        Edit::Relocate(relocation) => Some(relocation),
        _ => None,
    });
    // The ids that the blocks have got, by those in the model.
    let got: BTreeMap<BlockId, BlockId> =
        relocations.flat_map(|relocation| &relocation.blocks).map(|(old, new)| (old.block, new.block)).collect();
    let change = Change::new("", edits).of_kind(ChangeKind::Regroup);
    let simulation = change.applied(state.simulation, registry).ok()?;
    let around = simulation.model(&model.name)?;
    let wanted: BTreeMap<BlockId, BlockId> = got.iter().filter_map(|(old, new)| Some((*new, *ids.get(old)?))).collect();
    // A block that has a wanted id gives it up.
    let mut numbers = wanted.clone();
    let next = wanted.values().map(|id| id.0 + 1).max().unwrap_or(0).max(around.free_id().0);
    let others = wanted.values().filter(|id| around.block(**id).is_some() && !wanted.contains_key(id));
    numbers.extend((next..).map(BlockId).zip(others).map(|(free, id)| (*id, free)));
    let ids = BTreeMap::from([(Arc::clone(&model.name), numbers)]);
    Some(NewNames { ids, ..NewNames::default() }.applied(&simulation, registry))
}
