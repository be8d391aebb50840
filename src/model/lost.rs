//! Finds the stored addresses that lead nowhere, such as the curve of a removed block.

use super::stored::{self, Address, Kind, Outcome, Stored};
use super::{Diagnostic, Simulation};
use crate::block::Registry;

/// Reports each stored address that leads to no signal or parameter.
pub(super) fn check_addresses(simulation: &Simulation, registry: &Registry, found: &mut Vec<Diagnostic>) {
    if simulation.root_model().is_none() {
        return;
    }
    each_lost(simulation, registry, &mut |stored| {
        let (verb, help) = match stored.what {
            Kind::Signal => ("shows", "bind it to another signal, or remove it"),
            Kind::Param if stored.holder.starts_with(stored::DERIVATIVE) => ("is by", "remove the curve"),
            Kind::Param => ("sets", "bind it to another parameter, or remove the binding"),
        };
        let what = if stored.what == Kind::Signal { "signal" } else { "parameter" };
        let message = format!("{} {verb} the {what} “{}”, which does not exist", stored.holder, stored.text);
        let problem = Diagnostic::warning("lost-address", message).help(help).about(stored.text);
        if !found.iter().any(|known| known.message == problem.message) {
            found.push(problem);
        }
    });
}

pub(super) fn each_lost(simulation: &Simulation, registry: &Registry, report: &mut dyn FnMut(&Stored)) {
    for attribute in stored::OF_SIMULATION {
        let Some(text) = simulation.attributes.get(attribute) else { continue };
        stored::rewritten(attribute, text, &mut |stored| {
            if Address::read(stored.text, stored.what, simulation, registry).is_none() {
                report(&stored);
            }
            Outcome::Keep
        });
    }
}
