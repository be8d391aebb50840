//! Conditional and iterated subsystems: the roles of entries and exits, which control when and how often a model runs.
//!
//! An `<entry>` with the attribute `role` makes every instance of its model conditional or iterated:
//!
//! | role | effect on the instance |
//! |---|---|
//! | `enable` | runs in steps in which the value is above 0; `states="reset"` resets its states when it is enabled again |
//! | `trigger` | runs at an edge: `edge` is `rising` (≤ 0, then > 0), `falling` (> 0, then ≤ 0) or `either` |
//! | `reset` | its states are reset at an edge, `edge` as above; it runs in every step |
//! | `call` | runs in each step as many times as the value, rounded down |
//! | `for` | the same as `call`, for a counted loop |
//! | `while` | iterates in a step while the `<exit role="while">` is above 0; this entry is the first condition |
//! | `each` | runs once for each element of the entry, with separate states for each iteration |
//! | `index` | none; the entry is not a port but the number of the iteration (or of the `each` element), from 0 |
//!
//! Roles can be combined: an enabled and triggered model runs when both conditions hold, and a loop runs only then. A
//! model with an `<exit role="while">` but no such entry runs once before it tests the condition. `call`, `for` and
//! `while` may have `limit`, the maximum number of iterations in a step, beyond which the run fails, and
//! `states="reset"`, which resets the states before the first iteration of each step. The attribute `idle` of an exit
//! selects its value while the instance does not run: `hold`, the last value, or `reset`, its `Initial Value`, which it
//! also has before the first run.

use super::{Attributes, Block, BlockId, BlockKind, Diagnostic, Model};

/// The role of an entry or exit, from its attribute `role`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Enable,
    Trigger,
    Reset,
    Call,
    For,
    While,
    Each,
    Index,
}

/// The direction of a zero crossing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edge {
    #[default]
    Rising,
    Falling,
    Either,
}

/// Whether the states are kept or reset when an instance runs again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum States {
    #[default]
    Hold,
    Reset,
}

/// When and how often the instances of a model run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    pub enable: Option<(BlockId, States)>,
    pub trigger: Option<(BlockId, Edge)>,
    pub reset: Option<(BlockId, Edge)>,
    pub repeat: Option<Repeat>,
    /// The entries with the role `each`, in file order.
    pub each: Vec<BlockId>,
    pub index: Vec<BlockId>,
}

/// The iteration of a model within a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    pub kind: RepeatKind,
    /// The maximum number of iterations in a step.
    pub limit: u64,
    /// Whether the states are kept or reset before the first iteration of a step.
    pub states: States,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatKind {
    /// The number of iterations is the value of this entry.
    Times(BlockId),
    /// Iterates while this exit is above 0. The entry, if any, is the condition before the first iteration.
    While { first: Option<BlockId>, condition: BlockId },
}

/// The maximum number of iterations in a step if there is no `limit`.
pub const DEFAULT_LIMIT: u64 = 1000;

pub(super) const ROLE: &str = "role";

impl Role {
    pub const ALL: [Role; 8] =
        [Role::Enable, Role::Trigger, Role::Reset, Role::Call, Role::For, Role::While, Role::Each, Role::Index];

    /// The value of the attribute.
    pub fn name(self) -> &'static str {
        match self {
            Role::Enable => "enable",
            Role::Trigger => "trigger",
            Role::Reset => "reset",
            Role::Call => "call",
            Role::For => "for",
            Role::While => "while",
            Role::Each => "each",
            Role::Index => "index",
        }
    }

    /// Returns the role of an entry or exit; none if the attribute is absent or unknown.
    pub fn of(block: &Block) -> Option<Role> {
        let text = block.attributes.get(ROLE)?;
        match block.kind {
            BlockKind::Entry { .. } => Role::ALL.into_iter().find(|role| role.name() == text),
            BlockKind::Exit { .. } => (text == Role::While.name()).then_some(Role::While),
            _ => None,
        }
    }
}

impl Edge {
    pub fn name(self) -> &'static str {
        match self {
            Edge::Rising => "rising",
            Edge::Falling => "falling",
            Edge::Either => "either",
        }
    }

    /// Reads the attribute `edge`; none if its value is unknown.
    pub fn of(attributes: &Attributes) -> Option<Edge> {
        let Some(text) = attributes.get("edge") else { return Some(Edge::Rising) };
        [Edge::Rising, Edge::Falling, Edge::Either].into_iter().find(|edge| edge.name() == text)
    }
}

/// Whether an exit has its initial value while its model does not run.
pub fn is_reset_when_idle(exit: &Block) -> bool {
    exit.attributes.get("idle") == Some("reset")
}

impl Flow {
    /// Reads the roles of a model. Of conflicting roles the first in file order counts.
    pub fn of(model: &Model) -> Flow {
        Flow::read(model, &mut |_, _| {})
    }

    /// Whether instances run as a whole, after their control signals and all connected entries.
    pub fn is_atomic(&self) -> bool {
        self.enable.is_some() || self.trigger.is_some() || self.reset.is_some() || self.repeat.is_some()
    }

    /// Returns the control entries, in a fixed order.
    pub fn controls(&self) -> impl Iterator<Item = BlockId> {
        let repeat = self.repeat.as_ref().and_then(|repeat| match repeat.kind {
            RepeatKind::Times(entry) => Some(entry),
            RepeatKind::While { first, .. } => first,
        });
        let edges = [self.trigger, self.reset].map(|control| control.map(|(entry, _)| entry));
        [self.enable.map(|(entry, _)| entry), edges[0], edges[1], repeat].into_iter().flatten()
    }

    /// Reads the roles of a model and reports each error with its block.
    fn read(model: &Model, report: &mut dyn FnMut(&Block, Diagnostic)) -> Flow {
        let mut flow = Flow::default();
        let mut blocks: Vec<_> = model.blocks.values().filter(|block| is_port(block)).collect();
        blocks.sort_by_key(|block| block.seq);
        let condition = blocks.iter().find(|block| is_exit(block) && Role::of(block).is_some());
        for block in &blocks {
            check_values(block, report);
            let Some(role) = Role::of(block) else {
                if let Some(text) = block.attributes.get(ROLE) {
                    report(block, unknown_role(block, text));
                }
                continue;
            };
            let edge = Edge::of(&block.attributes).unwrap_or_default();
            let limit = limit_of(&block.attributes).unwrap_or(DEFAULT_LIMIT);
            let states = match block.attributes.get("states") {
                Some("reset") => States::Reset,
                _ => States::Hold,
            };
            let is_double = match (role, is_exit(block)) {
                (Role::While, true) => condition.is_some_and(|first| first.id != block.id),
                (Role::Enable, _) => flow.enable.is_some(),
                (Role::Trigger, _) => flow.trigger.is_some(),
                (Role::Reset, _) => flow.reset.is_some(),
                (Role::Call | Role::For | Role::While, _) => flow.repeat.is_some(),
                (Role::Each | Role::Index, _) => false,
            };
            if is_double {
                let message = format!("the role “{}” is a duplicate, or a second loop", role.name());
                let help = "a model has at most one entry for each of enable, trigger, reset and loop; nest two models";
                report(block, Diagnostic::error("duplicate-role", message).help(help));
                continue;
            }
            if is_entry(block) && is_paired(model, block) {
                let message = format!("an exit has the same name as this entry with the role “{}”", role.name());
                let help = "rename one of them: the entry would have the exit's value of the previous step";
                report(block, Diagnostic::error("paired-role", message).help(help));
            }
            match (role, condition) {
                (Role::While, None) => {
                    let message = "there is a first condition, but no exit with role=\"while\" as the loop condition";
                    let help = "set role=\"while\" on the exit for the condition";
                    report(block, Diagnostic::error("no-while-exit", message).help(help));
                    continue;
                }
                (Role::While, Some(exit)) => {
                    let first = is_entry(block).then_some(block.id);
                    // If there is an entry, it defines the loop.
                    let is_defined_by_entry =
                        first.is_none() && blocks.iter().any(|b| is_entry(b) && Role::of(b) == Some(role));
                    if is_defined_by_entry {
                        continue;
                    }
                    let kind = RepeatKind::While { first, condition: exit.id };
                    flow.repeat = Some(Repeat { kind, limit, states });
                }
                (Role::Enable, _) => flow.enable = Some((block.id, states)),
                (Role::Trigger, _) => flow.trigger = Some((block.id, edge)),
                (Role::Reset, _) => flow.reset = Some((block.id, edge)),
                (Role::Call | Role::For, _) => {
                    flow.repeat = Some(Repeat { kind: RepeatKind::Times(block.id), limit, states });
                }
                (Role::Each, _) => flow.each.push(block.id),
                (Role::Index, _) => flow.index.push(block.id),
            }
        }
        let is_while = matches!(flow.repeat, Some(Repeat { kind: RepeatKind::While { .. }, .. }));
        if let (true, Some(exit)) = (is_while && !flow.each.is_empty(), condition) {
            let message = "each iteration over the elements would have a separate loop condition";
            report(exit, Diagnostic::error("mixed-roles", message).help("nest two models"));
        }
        flow
    }
}

/// Reports the errors in the roles of a model.
pub(super) fn check_roles(model: &Model, found: &mut Vec<Diagnostic>) {
    Flow::read(model, &mut |block, problem| found.push(problem.on_block(&model.name, block.id)));
}

fn is_entry(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Entry { .. })
}

fn is_exit(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Exit { .. })
}

fn is_port(block: &Block) -> bool {
    is_entry(block) || is_exit(block)
}

fn is_paired(model: &Model, entry: &Block) -> bool {
    let BlockKind::Entry { name } = &entry.kind else { return false };
    model.exits().any(|(_, known)| known == name)
}

/// Reads the attribute `limit`, iterations in a step; none if it is not a valid number.
fn limit_of(attributes: &Attributes) -> Option<u64> {
    attributes.get("limit").map_or(Some(DEFAULT_LIMIT), |text| text.trim().parse().ok())
}

fn unknown_role(block: &Block, text: &str) -> Diagnostic {
    let known: Vec<&str> = match is_exit(block) {
        true => vec![Role::While.name()],
        false => Role::ALL.into_iter().map(Role::name).collect(),
    };
    let side = if is_exit(block) { "exit" } else { "entry" };
    Diagnostic::error("unknown-role", format!("an {side} has no role “{text}”"))
        .help(format!("the roles of an {side} are: {}", known.join(", ")))
}

/// Checks the attributes that belong to a role, and an exit's `idle`.
fn check_values(block: &Block, report: &mut dyn FnMut(&Block, Diagnostic)) {
    let mut one_of = |name: &str, known: &[&str]| {
        if let Some(text) = block.attributes.get(name)
            && !known.contains(&text)
        {
            let problem = Diagnostic::error("bad-attribute", format!("{name} is “{text}”, which is not a valid value"));
            report(block, problem.help(format!("{name} is one of: {}", known.join(", "))).about(name));
        }
    };
    if is_exit(block) {
        one_of("idle", &["hold", "reset"]);
    }
    let Some(role) = Role::of(block) else { return };
    match role {
        Role::Trigger | Role::Reset => one_of("edge", &["rising", "falling", "either"]),
        Role::Enable => one_of("states", &["hold", "reset"]),
        Role::Call | Role::For | Role::While => {
            one_of("states", &["hold", "reset"]);
            if limit_of(&block.attributes).is_none() {
                let text = block.attributes.get("limit").unwrap_or_default();
                let message = format!("limit is “{text}”, which is not an integer");
                report(block, Diagnostic::error("bad-attribute", message).about("limit"));
            }
        }
        Role::Each | Role::Index => {}
    }
}
