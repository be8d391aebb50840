//! Conditional and looping parts: what the entries and exits of a model say of when and how often its uses run.
//!
//! An `<entry>` with the attribute `role` makes every use of its model conditional or iterated:
//!
//! | role | the use |
//! |---|---|
//! | `enable` | runs in the steps in which the value is above 0; with `states="reset"` its states begin anew when it goes on |
//! | `trigger` | runs where the value goes through 0: `edge` `rising` (≤ 0, then > 0), `falling` or `either` |
//! | `reset` | its states begin anew where the value goes through 0, `edge` as above; it runs all the same |
//! | `call` | runs as often in a step as the value says, rounded down |
//! | `for` | the same; the word for a loop that is counted |
//! | `while` | runs in a step as long as the `<exit role="while">` is above 0; this entry is the first condition |
//! | `each` | runs once for each lane of the entry, with states of its own for each |
//! | `index` | nothing; the entry is no port and gives the number of the run in the step, of `each` the lane, from 0 |
//!
//! Roles can meet: what is enabled and triggered runs where both hold, and a loop only where what else decides agrees.
//! A model with an `<exit role="while">` but no such entry runs once before it asks. `call`, `for` and `while` may have
//! `limit`, runs a step beyond which the run fails, and `states="reset"`, by which every step's first run begins anew.
//! An exit says with `idle` what it gives while the use does not run: `hold`, the last value, or `reset`, its
//! `Initial Value`, which it also gives before the first run.

use super::{Attributes, Block, BlockId, BlockKind, Diagnostic, Model};

/// What an entry's or exit's attribute `role` makes of its model.
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

/// Which way through 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edge {
    #[default]
    Rising,
    Falling,
    Either,
}

/// What becomes of the states when a use goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum States {
    #[default]
    Hold,
    BeginAnew,
}

/// How the uses of a model run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    pub enable: Option<(BlockId, States)>,
    pub trigger: Option<(BlockId, Edge)>,
    pub reset: Option<(BlockId, Edge)>,
    pub repeat: Option<Repeat>,
    /// The entries that are split, in the order of the file.
    pub each: Vec<BlockId>,
    pub index: Vec<BlockId>,
}

/// How often in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    pub kind: RepeatKind,
    /// Runs in a step, at most.
    pub limit: u64,
    /// What becomes of states before each step's first run.
    pub states: States,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatKind {
    /// As often as this entry says.
    Times(BlockId),
    /// While this exit is above 0; where there is an entry, it is asked first.
    While { first: Option<BlockId>, condition: BlockId },
}

/// Runs in a step where no `limit` is given.
pub const DEFAULT_LIMIT: u64 = 1000;

pub(super) const ROLE: &str = "role";

impl Role {
    pub const ALL: [Role; 8] =
        [Role::Enable, Role::Trigger, Role::Reset, Role::Call, Role::For, Role::While, Role::Each, Role::Index];

    /// As the attribute has it.
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

    /// The role of an entry or exit; none too where the attribute says nothing that is known.
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

    /// What the attribute says; none where it is nothing that is known.
    pub fn of(attributes: &Attributes) -> Option<Edge> {
        let Some(text) = attributes.get("edge") else { return Some(Edge::Rising) };
        [Edge::Rising, Edge::Falling, Edge::Either].into_iter().find(|edge| edge.name() == text)
    }
}

/// Whether an exit gives its initial value while its model does not run.
pub fn is_reset_when_idle(exit: &Block) -> bool {
    exit.attributes.get("idle") == Some("reset")
}

impl Flow {
    /// What a model says; of what contradicts itself the first in the order of the file counts.
    pub fn of(model: &Model) -> Flow {
        Flow::read(model, &mut |_, _| {})
    }

    /// Whether uses run as a whole, behind what decides and all connected entries.
    pub fn is_atomic(&self) -> bool {
        self.enable.is_some() || self.trigger.is_some() || self.reset.is_some() || self.repeat.is_some()
    }

    /// The entries that decide, in a fixed order.
    pub fn controls(&self) -> impl Iterator<Item = BlockId> {
        let repeat = self.repeat.as_ref().and_then(|repeat| match repeat.kind {
            RepeatKind::Times(entry) => Some(entry),
            RepeatKind::While { first, .. } => first,
        });
        let edges = [self.trigger, self.reset].map(|control| control.map(|(entry, _)| entry));
        [self.enable.map(|(entry, _)| entry), edges[0], edges[1], repeat].into_iter().flatten()
    }

    /// The same, telling `report` of each mistake and the block that made it.
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
                Some("reset") => States::BeginAnew,
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
                let message = format!("the role “{}” is given a second time, or to a second loop", role.name());
                let help =
                    "a model is enabled, triggered, reset and looped by one entry each; put one model into another";
                report(block, Diagnostic::error("duplicate-role", message).help(help));
                continue;
            }
            if is_entry(block) && is_paired(model, block) {
                let message = format!("an exit has the name of this entry with the role “{}”", role.name());
                let help = "give one of them another name: the exit's value would come only with the next step";
                report(block, Diagnostic::error("paired-role", message).help(help));
            }
            match (role, condition) {
                (Role::While, None) => {
                    let message = "there is a first condition but no exit with role=\"while\" to say when to go on";
                    let help = "give the exit that receives the condition role=\"while\"";
                    report(block, Diagnostic::error("no-while-exit", message).help(help));
                    continue;
                }
                (Role::While, Some(exit)) => {
                    let first = is_entry(block).then_some(block.id);
                    // The entry, where there is one, speaks for the loop.
                    let is_spoken_for =
                        first.is_none() && blocks.iter().any(|b| is_entry(b) && Role::of(b) == Some(role));
                    if is_spoken_for {
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
            let message = "the lanes of a model that runs for each would each have a condition of their own";
            report(exit, Diagnostic::error("mixed-roles", message).help("put one of the two models into the other"));
        }
        flow
    }
}

/// Tells what is wrong with the roles of a model.
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

/// Runs a step, at most; none where the text is no such number.
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

/// The further attributes of a block that has a role, and an exit's `idle`.
fn check_values(block: &Block, report: &mut dyn FnMut(&Block, Diagnostic)) {
    let mut one_of = |name: &str, known: &[&str]| {
        if let Some(text) = block.attributes.get(name)
            && !known.contains(&text)
        {
            let problem = Diagnostic::error("bad-attribute", format!("{name} is “{text}”, which is none it can be"));
            report(block, problem.help(format!("{name} is one of: {}", known.join(", "))));
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
                let message = format!("limit is “{text}”, which is not a whole number of runs");
                report(block, Diagnostic::error("bad-attribute", message));
            }
        }
        Role::Each | Role::Index => {}
    }
}
