//! The problems of a merged simulation that neither side has.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::content::Found;
use crate::model::{BlockId, Conflict, Diagnostic, Holder, InputKey, PortRef, Simulation};

/// A problem without its text, which may name other values.
type Key = (&'static str, Option<Arc<str>>, Option<BlockId>, Option<(bool, Arc<str>)>, Option<Arc<str>>);

fn key(problem: &Diagnostic) -> Key {
    let location = &problem.location;
    let port = location.port.as_ref().map(|port| match port {
        PortRef::Input(name) => (true, Arc::clone(name)),
        PortRef::Output(name) => (false, Arc::clone(name)),
    });
    (problem.code, location.model.clone(), location.block, port, location.subject.clone())
}

/// Returns the problems that a merged simulation has and neither side, as conflicts at their places.
pub fn new_problems(
    merged: &Simulation,
    sides: [&Simulation; 2],
    diagnose: &dyn Fn(&Simulation) -> Vec<Diagnostic>,
) -> Found {
    let problems = diagnose(merged);
    if problems.is_empty() {
        return Found::new();
    }
    let known: BTreeSet<Key> = sides.iter().flat_map(|side| diagnose(side)).map(|problem| key(&problem)).collect();
    let new = problems.iter().filter(|problem| !known.contains(&key(problem)));
    new.map(|problem| (holder(merged, problem), Conflict::of_problem(problem))).collect()
}

/// The tag at which a problem is shown.
fn holder(simulation: &Simulation, problem: &Diagnostic) -> Holder {
    let location = &problem.location;
    let Some(model) = &location.model else {
        let variable = location.subject.as_ref().filter(|name| simulation.variables.contains_key(&***name));
        return variable.map_or(Holder::Simulation, |name| Holder::Variable(None, Arc::clone(name)));
    };
    let of_port = match (&location.port, location.block) {
        (Some(PortRef::Input(input)), Some(block)) => Some(InputKey { block, input: Arc::clone(input) }),
        _ => None,
    };
    let wire = location.wires.first().cloned().or(of_port);
    let wire = wire.map(|key| Holder::Wire(Arc::clone(model), key));
    let block = location.block.map(|id| Holder::Block(Arc::clone(model), id));
    let own = Holder::Model(Arc::clone(model));
    let is_there = |holder: &Holder| holder.attributes(simulation).is_some();
    [wire, block].into_iter().flatten().find(is_there).unwrap_or(own)
}
