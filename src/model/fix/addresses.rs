//! Fixes of stored addresses that lead nowhere.

use std::sync::Arc;

use super::Site;
use crate::block::Registry;
use crate::model::lost::each_lost;
use crate::model::stored::{self, Address, Kind, Outcome, Stored};
use crate::model::{
    Block, BlockAddress, BlockId, BlockKind, Change, Edit, Model, ParamAddress, SignalKey, Simulation, block_ports,
    model_at,
};

impl Site<'_> {
    pub(super) fn remove_address(&self) -> Option<Change> {
        remove(self.simulation, self.subject?)
    }

    pub(super) fn rebind(&self) -> Vec<Change> {
        rebind(self.simulation, self.registry, self.subject.unwrap_or_default(), super::MAX_CHOICES)
    }
}

/// Returns the change that removes a lost address wherever it is stored.
fn remove(simulation: &Simulation, text: &str) -> Option<Change> {
    change(simulation, text, format!("Remove {text}"), &|_| Outcome::Remove)
}

/// Returns the changes that each lead a lost address to another signal or parameter, the most likely first.
fn rebind(simulation: &Simulation, registry: &Registry, text: &str, most: usize) -> Vec<Change> {
    let mut what = None;
    each_lost(simulation, registry, &mut |stored| {
        if stored.text == text {
            what = Some(stored.what);
        }
    });
    let Some((what, lost)) = what.and_then(|what| Some((what, Address::of_ids(text, what)?))) else {
        return Vec::new();
    };
    let (path, name) = match &lost {
        Address::Signal(signal) => (&signal.path, &*signal.output),
        Address::Param(param, _) => (&param.block.path, &*param.name),
    };
    // The model that contained it, or as much of the way there as is left.
    let depths = (0..=path.len()).rev().filter_map(|depth| path.get(..depth));
    let Some((path, model)) = depths.filter_map(|path| Some((path, model_at(simulation, path)?))).next() else {
        return Vec::new();
    };
    let mut blocks: Vec<&Arc<Block>> = model.blocks.values().collect();
    blocks.sort_by_key(|block| block.seq);
    let place = Place { simulation, registry, path, model };
    let mut found: Vec<(bool, Address, String)> = blocks
        .into_iter()
        .flat_map(|block| match what {
            Kind::Signal => place.signals(block, name),
            Kind::Param => place.params(block, &lost),
        })
        .collect();
    // Outputs of the same name come first.
    found.sort_by_key(|(is_other, ..)| *is_other);
    let change = |(_, new, title): (bool, Address, String)| {
        change(simulation, text, format!("Bind to {title}"), &|_| Outcome::Replace(new.text()))
    };
    found.into_iter().take(most).filter_map(change).collect()
}

/// The model in which another signal is looked for.
struct Place<'a> {
    simulation: &'a Simulation,
    registry: &'a Registry,
    path: &'a [BlockId],
    model: &'a Model,
}

impl Place<'_> {
    fn signals(&self, block: &Block, name: &str) -> Vec<(bool, Address, String)> {
        let ports = block_ports(self.simulation, self.registry, self.model, block);
        let outputs = match &block.kind {
            BlockKind::Exit { .. } if self.path.is_empty() => ports.inputs,
            _ => ports.outputs,
        };
        let candidate = |output: &Arc<str>| {
            let address = Address::Signal(SignalKey::new(self.path, block.id, output));
            (**output != *name, address, format!("{output} of {} {}", block.title(), block.id))
        };
        outputs.iter().map(candidate).collect()
    }

    fn params(&self, block: &Block, lost: &Address) -> Vec<(bool, Address, String)> {
        let Address::Param(ParamAddress { name, .. }, element) = lost else { return Vec::new() };
        let block_address = BlockAddress::new(self.path, block.id);
        let of = ParamAddress { block: block_address, name: name.clone() };
        let address = Address::Param(of, element.clone());
        let has_names = matches!(block.kind, BlockKind::Library { .. } | BlockKind::Model { .. });
        match has_names && address.exists(self.simulation, self.registry) {
            true => vec![(false, address, format!("{name} of {} {}", block.title(), block.id))],
            false => Vec::new(),
        }
    }
}

fn change(simulation: &Simulation, text: &str, label: String, outcome: &dyn Fn(&Stored) -> Outcome) -> Option<Change> {
    let mut edits = Vec::new();
    for attribute in stored::OF_SIMULATION {
        let Some(old) = simulation.attributes.get(attribute) else { continue };
        let new = stored::rewritten(attribute, old, &mut |stored| match stored.text == text {
            true => outcome(&stored),
            false => Outcome::Keep,
        });
        if new != old {
            // An empty list of plots is a choice; an empty list of signals or widgets is no list.
            let value = (attribute == stored::PLOTS || !new.is_empty()).then(|| new.into());
            edits.push(Edit::SetSimulationAttribute { name: attribute.into(), value });
        }
    }
    (!edits.is_empty()).then(|| Change::new(label, edits))
}
