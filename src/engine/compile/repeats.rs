//! Blocks that set their outputs several times in a step, and the blocks that run again each time.
//!
//! The reference engine executes each iteration. States are updated at the end of the step only, so that nothing is left
//! of any iteration but the last; other engines execute that one alone, and count the executions of the others. They
//! cannot where an iteration has other effects: where it may fail, report something, change a state at once, or decide
//! whether other blocks run.

use std::collections::BTreeMap;

use crate::block::{Kernel, Update};
use crate::engine::program::schedule::Schedule;
use crate::engine::{Declined, OutputId, Program, UnitId, UnitMap};

/// The blocks that run again because of others in a step.
#[derive(Debug, Default)]
pub(in crate::engine) struct Repeats {
    /// Each after those on which its units depend.
    pub regions: Vec<RepeatedRegion>,
}

/// Units that depend on the same blocks that set their outputs several times.
#[derive(Debug)]
pub(in crate::engine) struct RepeatedRegion {
    pub repeats: Vec<RepeatBlock>,
    /// The units in the order in which they run, without those in `repeats`.
    pub units: Vec<UnitId>,
}

/// A block that sets its outputs several times, as seen by a region.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct RepeatBlock {
    pub unit: UnitId,
    /// The number of block executions in the region in each iteration but the first.
    pub executed: u64,
}

/// For each block with several iterations on which a unit depends, how often the unit runs in one of its iterations
/// after the first: once for each time that one of its inputs is set.
type Executions = BTreeMap<UnitId, u64>;

impl Repeats {
    /// Declines a program in which iterations have other effects than their last one.
    pub fn check(program: &Program, engine: &'static str) -> Result<(), Declined> {
        if program.first_repeat().is_none() {
            return Ok(());
        }
        let found = Repeats::find(program, &Schedule::new(program));
        found.map(|_| ()).map_err(|reason| Declined { engine, reason })
    }

    /// Finds the regions of a program.
    ///
    /// # Errors
    /// Where iterations have other effects than their last one: the reason.
    pub fn find(program: &Program, schedule: &Schedule) -> Result<Repeats, String> {
        let Some(first) = program.first_repeat() else { return Ok(Repeats::default()) };
        if program.has_integrator() {
            let (title, solver) = (program.title_of(first), program.solver.name());
            return Err(format!("{title} sets its output several times in a step, with the solver {solver}"));
        }
        let mut executions = program.by_unit(Executions::new());
        let mut regions: BTreeMap<(usize, Vec<UnitId>), RepeatedRegion> = BTreeMap::new();
        for &number in &schedule.order {
            let of_inputs = executions_of(program, &executions, number);
            if program.kernel(&program.units[number]).iterations.is_some() {
                check_repeat(program, number, &of_inputs)?;
                executions[number] = Executions::from([(number, 1)]);
                regions.entry((1, vec![number])).or_insert_with(|| RepeatedRegion::new(&[number]));
            } else if !of_inputs.is_empty() {
                check_repeated(program, number)?;
                let repeats: Vec<UnitId> = of_inputs.keys().copied().collect();
                let region = regions.entry((repeats.len(), repeats));
                let region = region.or_insert_with_key(|(_, repeats)| RepeatedRegion::new(repeats));
                region.units.push(number);
                if !program.units[number].is_hidden {
                    for repeat in &mut region.repeats {
                        let executed = of_inputs.get(&repeat.unit).copied().unwrap_or(0);
                        repeat.executed = repeat.executed.saturating_add(executed);
                    }
                }
                executions[number] = of_inputs;
            }
        }
        Ok(Repeats { regions: regions.into_values().collect() })
    }

    /// For each unit whether it belongs to a region, without the blocks that set their outputs several times.
    pub fn members(&self, program: &Program) -> UnitMap<bool> {
        let mut is_member = program.by_unit(false);
        self.regions.iter().flat_map(|region| &region.units).for_each(|unit| is_member[*unit] = true);
        is_member
    }
}

impl RepeatedRegion {
    fn new(repeats: &[UnitId]) -> RepeatedRegion {
        let repeats = repeats.iter().map(|&unit| RepeatBlock { unit, executed: 0 });
        RepeatedRegion { repeats: repeats.collect(), units: Vec::new() }
    }
}

impl Program {
    /// The first unit that sets its outputs several times in a step.
    pub(in crate::engine) fn first_repeat(&self) -> Option<UnitId> {
        self.units.keys().find(|&unit| self.kernel(&self.units[unit]).iterations.is_some())
    }
}

/// How often the inputs of a unit are set.
fn executions_of(program: &Program, executions: &UnitMap<Executions>, number: UnitId) -> Executions {
    let mut found = Executions::new();
    for &source in program.sources_of(&program.units[number]).iter().flatten() {
        let from = program.outputs[source].unit;
        let unit = &program.units[from];
        let kernel = program.kernel(unit);
        // An output that is published before any unit runs is not set again.
        if kernel.outputs[source - unit.first_output].is_first(kernel) {
            continue;
        }
        for (repeat, count) in &executions[from] {
            let all = found.entry(*repeat).or_default();
            *all = u64::saturating_add(*all, *count);
        }
    }
    found
}

fn check_repeat(program: &Program, number: UnitId, of_inputs: &Executions) -> Result<(), String> {
    let title = program.title_of(number);
    let is_steady = |source: &OutputId| {
        let unit = program.outputs[*source].unit;
        program.rates.get(unit).is_none() || program.held[unit]
    };
    if let Some((outer, _)) = of_inputs.first_key_value() {
        return Err(format!("{title} sets its output several times in each iteration of {}", program.title_of(*outer)));
    }
    if program.units[number].subsystem.is_some() {
        return Err(format!("{title} sets its output several times in a step, in a conditional model"));
    }
    if program.continuous_count > 0 && !program.sources_of(&program.units[number]).iter().flatten().all(is_steady) {
        return Err(format!("{title} sets its output several times, also between steps"));
    }
    Ok(())
}

/// Refuses a unit that does more in an iteration than to compute its outputs.
fn check_repeated(program: &Program, number: UnitId) -> Result<(), String> {
    let unit = &program.units[number];
    let kernel = program.kernel(unit);
    let is_enable = program.subsystems.values().any(|subsystem| subsystem.enable_unit == number);
    let is_in_loop = program.loops.iter().any(|of| of.unit == number || of.members.contains(&(number)));
    let what = match () {
        _ if unit.subsystem.is_some() || is_enable => "a conditional model",
        _ if is_in_loop => "an algebraic loop",
        _ if kernel.has_calls() || !kernel.reports.is_empty() => "a block that calls a function or reports something",
        _ if changes_at_once(kernel) => "a block that changes its state within the step",
        _ => return Ok(()),
    };
    Err(format!("{what}, {}, is executed several times in a step", program.title_of(number)))
}

/// Whether an iteration sees the changes that the previous one made to the block's states.
fn changes_at_once(kernel: &Kernel) -> bool {
    kernel.updates.iter().any(|update| matches!(update, Update::Jump { .. }))
}
