//! Fixes for diagnostics: the changes that a button beside a problem makes.

mod addresses;
mod blocks;
mod conflicts;
mod names;
mod settings;
mod values;
mod wires;

use std::sync::Arc;

pub use wires::{delayed, grounded};

use super::near::{MAX_CHOICES, most_similar, similarity};
use super::{Block, Change, Diagnostic, Model, Simulation};
use crate::block::Registry;

/// A fix of one problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fix {
    /// Connects the input to one of the nearest outputs.
    Connect,
    /// Connects the input to a constant 0.
    ConnectZero,
    /// Moves the wire's end to a port that the block has.
    Reconnect,
    RemoveWire,
    /// Removes the unit that a wire declares.
    RemoveUnit,
    RemoveBlock,
    /// Selects another block of the library, or another model, with a similar name.
    Replace,
    CreateModel,
    CreateVariable,
    /// Sets a parameter to its default.
    Reset,
    /// Removes the value of a parameter that the block does not have.
    RemoveValue,
    /// Removes an attribute, which gives it its default.
    RemoveAttribute,
    RemoveRole,
    Rename,
    SelectRoot,
    SetStepLength,
    SetStepCount,
    InsertDelay,
    SolveLoops,
    /// Leads an address in a plot, a list or a widget to another signal or parameter.
    Rebind,
    /// Removes such an address.
    RemoveAddress,
    /// Settles a conflict of a merge with one of its sides.
    TakeOurs,
    TakeTheirs,
    TakeBase,
    /// Settles it without a change.
    KeepAsItIs,
}

impl Fix {
    /// Returns the fixes for a code, the most likely first. Only [`Fix::changes`] tells whether there is a change for
    /// one.
    pub fn of_code(code: &str) -> &'static [Fix] {
        match code {
            "bad-attribute" | "unknown-solver" => &[Fix::RemoveAttribute],
            "bad-delta" => &[Fix::SetStepLength],
            "bad-number" => &[Fix::SetStepCount, Fix::SetStepLength, Fix::RemoveAttribute],
            "bad-name" | "duplicate-exit" | "duplicate-tag" | "paired-role" | "shared-file" => &[Fix::Rename],
            "bad-option" => &[Fix::CreateVariable, Fix::SetStepLength, Fix::Reset],
            "bad-variable" => &[Fix::CreateVariable],
            "dangling-connection" => &[Fix::RemoveWire],
            "declined" => &[Fix::RemoveAttribute],
            "duplicate-role" | "mixed-roles" | "no-while-exit" | "unknown-role" => &[Fix::RemoveRole],
            "endless-nesting" => &[Fix::RemoveBlock],
            "loop" => &[Fix::InsertDelay, Fix::SolveLoops],
            "lost-address" => &[Fix::Rebind, Fix::RemoveAddress],
            "merge-conflict" => &[Fix::TakeOurs, Fix::TakeTheirs, Fix::TakeBase, Fix::KeepAsItIs],
            "missing-root" | "unknown-root" => &[Fix::SelectRoot],
            "mixed-units" => &[Fix::RemoveUnit],
            "unconnected-each" => &[Fix::Connect],
            "unconnected-input" => &[Fix::Connect, Fix::ConnectZero, Fix::RemoveBlock],
            "placeholder" | "plugin-broken" | "plugin-off" | "unknown-block" => &[Fix::Replace, Fix::RemoveBlock],
            "unknown-model" => &[Fix::Replace, Fix::CreateModel, Fix::RemoveBlock],
            "unknown-input" | "unknown-output" => &[Fix::Reconnect, Fix::RemoveWire],
            "unknown-option" => &[Fix::RemoveValue],
            "unknown-tag" => &[Fix::Rename, Fix::RemoveBlock],
            _ => &[],
        }
    }

    /// Whether a user chooses among several changes, even where only one is found.
    pub fn is_choice(self) -> bool {
        matches!(self, Fix::Connect | Fix::Rebind | Fix::Replace | Fix::Reconnect | Fix::SelectRoot)
    }

    /// The text of the button; for a choice that of its menu.
    pub fn label(self) -> &'static str {
        match self {
            Fix::Connect => "Connect to",
            Fix::ConnectZero => "Connect 0",
            Fix::Reconnect => "Move wire to",
            Fix::RemoveWire => "Remove wire",
            Fix::RemoveUnit => "Remove unit of wire",
            Fix::RemoveBlock => "Remove block",
            Fix::Replace => "Replace by",
            Fix::CreateModel => "Create model",
            Fix::CreateVariable => "Create variable",
            Fix::Reset => "Reset",
            Fix::RemoveValue => "Remove value",
            Fix::RemoveAttribute => "Use default",
            Fix::RemoveRole => "Remove role",
            Fix::Rename => "Rename",
            Fix::SelectRoot => "Select root",
            Fix::SetStepLength => "Set step length",
            Fix::SetStepCount => "Set number of steps",
            Fix::InsertDelay => "Insert a unit delay",
            Fix::SolveLoops => "Solve loops",
            Fix::Rebind => "Bind to",
            Fix::RemoveAddress => "Remove from plot or dashboard",
            Fix::TakeOurs => "Take ours",
            Fix::TakeTheirs => "Take theirs",
            Fix::TakeBase => "Take base",
            Fix::KeepAsItIs => "Keep as it is",
        }
    }

    /// Returns the changes that each fix the problem, the best first; empty if there are none, such as after another
    /// edit. Their labels say what they do.
    pub fn changes(self, simulation: &Simulation, registry: &Registry, found: &Diagnostic) -> Vec<Change> {
        let site = Site::new(simulation, registry, found);
        match self {
            Fix::Connect => site.connect(),
            Fix::Reconnect => site.reconnect(),
            Fix::Replace => site.replace(),
            Fix::SelectRoot => site.select_root(),
            Fix::Rebind => site.rebind(),
            _ => site.single(self).into_iter().collect(),
        }
    }
}

/// Returns the fixes of a problem that have a change, each with the text of its button.
pub fn fixes(simulation: &Simulation, registry: &Registry, found: &Diagnostic) -> Vec<(Fix, String)> {
    let site = Site::new(simulation, registry, found);
    let text = |fix: &Fix| {
        let label = fix.label().to_owned();
        match fix {
            // All outputs of the model are sorted by distance only for a user who asks.
            Fix::Connect => site.open_input().filter(|open| site.has_other_output(open)).map(|_| label),
            Fix::Reconnect => site.reconnect().first().map(|_| label),
            Fix::Replace => site.replace().first().map(|_| label),
            Fix::SelectRoot => site.select_root().first().map(|_| label),
            Fix::Rebind => site.rebind().first().map(|_| label),
            // Their buttons name what they create or set.
            Fix::CreateModel | Fix::CreateVariable | Fix::SetStepLength | Fix::SetStepCount => {
                site.single(*fix).map(|change| change.label)
            }
            _ => site.single(*fix).map(|_| label),
        }
    };
    Fix::of_code(found.code).iter().filter_map(|fix| Some((*fix, text(fix)?))).collect()
}

/// A problem and what it is about, as far as it is still there.
struct Site<'a> {
    simulation: &'a Simulation,
    registry: &'a Registry,
    found: &'a Diagnostic,
    model: Option<&'a Arc<Model>>,
    block: Option<&'a Arc<Block>>,
    /// The name of the option, variable or attribute.
    subject: Option<&'a str>,
}

impl<'a> Site<'a> {
    fn new(simulation: &'a Simulation, registry: &'a Registry, found: &'a Diagnostic) -> Site<'a> {
        let model = found.location.model.as_ref().and_then(|name| simulation.model(name));
        let block = model.zip(found.location.block).and_then(|(model, id)| model.block(id));
        Site { simulation, registry, found, model, block, subject: found.location.subject.as_deref() }
    }

    fn single(&self, fix: Fix) -> Option<Change> {
        match fix {
            Fix::ConnectZero => self.connect_zero(),
            Fix::RemoveWire => self.remove_wires(),
            Fix::RemoveUnit => self.remove_units(),
            Fix::RemoveBlock => self.remove_block(),
            Fix::CreateModel => self.create_model(),
            Fix::CreateVariable => self.create_variable(),
            Fix::Reset | Fix::RemoveValue => self.remove_option(fix),
            Fix::RemoveAttribute => self.remove_attribute(),
            Fix::RemoveRole => self.remove_role(),
            Fix::Rename => self.rename(),
            Fix::SetStepLength => self.set_step_length(),
            Fix::SetStepCount => self.set_step_count(),
            Fix::InsertDelay => self.insert_delay(),
            Fix::SolveLoops => self.solve_loops(),
            Fix::RemoveAddress => self.remove_address(),
            Fix::TakeOurs | Fix::TakeTheirs | Fix::TakeBase | Fix::KeepAsItIs => self.settle(fix),
            Fix::Connect | Fix::Reconnect | Fix::Replace | Fix::SelectRoot | Fix::Rebind => None,
        }
    }
}
