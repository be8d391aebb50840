//! A run gone on with by the program of an edited simulation: what the edit left alone keeps its values.
//!
//! A block is the same where the way of model blocks that leads to it, its id and its kind are the same. It goes on as
//! it was where its states have the same shape, too; else it begins anew, as does a block that was not there. The bits
//! are those of a run without the edit wherever nothing that was edited can reach.

mod pairs;

use self::pairs::{Mismatch, Pairs};
use super::schedule::Schedule;
use super::solve::Row;
use super::{Context, Program, Unit};
use crate::block::StateKind;
use crate::model::BlockId;

/// What became of a run's values when its program was changed. Of a model that runs for each lane the first lane tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Migration {
    /// How many blocks go on as they were.
    pub kept: usize,
    /// How many parameters were set in the run and stay so: the edit did not change them.
    pub kept_params: usize,
    /// The blocks that begin anew, in the order of the new program.
    pub reset: Vec<ResetBlock>,
    /// The blocks that are no longer there, in the order of the old program.
    pub removed: Vec<(Vec<BlockId>, BlockId)>,
    /// Whether the solver has forgotten how long its steps were, and where the last one ended.
    pub is_solver_reset: bool,
}

/// A block that begins anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResetBlock {
    /// The model blocks that lead to it, and the block.
    pub block: (Vec<BlockId>, BlockId),
    pub reason: ResetReason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetReason {
    /// It was not there.
    New,
    /// Another kind of block had its id.
    OtherKind,
    /// It remembers something else than before, or more, or less.
    OtherStates,
}

/// Why a run cannot go on with another program.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum MigrationError {
    #[error("the step length has changed from {from} s to {to} s; run from the start")]
    Delta { from: f64, to: f64 },
}

impl std::fmt::Display for Migration {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let blocks = |count: usize, one: &str, many: &str| match count {
            1 => format!("1 block {one}"),
            count => format!("{count} blocks {many}"),
        };
        f.write_str(&blocks(self.kept, "goes on", "go on"))?;
        let parts = [(self.reset.len(), "begins anew", "begin anew"), (self.removed.len(), "is gone", "are gone")];
        for (count, one, many) in parts.into_iter().filter(|(count, ..)| *count > 0) {
            write!(f, ", {count} {}", if count == 1 { one } else { many })?;
        }
        Ok(())
    }
}

impl Context {
    /// This context of the program `from` as one of `to`, at the same step, with a report of what was kept.
    ///
    /// States, histories and last values of blocks that are the same stay; so do parameters that were set in the run,
    /// unless the edit changed them. A solver of variable step goes on with its step where neither what rates are made
    /// from nor its tolerances were edited, and no continuous state or mode came or went.
    ///
    /// # Errors
    /// Where the step length has changed: the time of a step is its number times that.
    pub fn migrate(&self, from: &Program, to: &Program) -> Result<(Context, Migration), MigrationError> {
        if from.delta.to_bits() != to.delta.to_bits() {
            return Err(MigrationError::Delta { from: from.delta, to: to.delta });
        }
        let pairs = Pairs::new(from, to);
        let mut context = Context::new(to);
        let kept_params = self.migrate_params(from, to, &pairs, &mut context);
        // New blocks begin with the parameters as they are now.
        context.reset(to);
        (context.step, context.executed) = (self.step, self.executed);
        for (number, unit) in to.units.iter().enumerate() {
            if let Ok(old) = pairs.of[number] {
                self.migrate_states(from, &from.units[old], to, unit, &mut context);
            }
        }
        self.migrate_values(from, to, &pairs, &mut context);
        let row = Row { context: self, from, to, old: &|unit| pairs.of[unit].ok() };
        context.solver = row.moved(&context.params);
        let migration = Migration {
            kept: (0..to.units.len()).filter(|&unit| to.is_seen(&to.units[unit]) && pairs.of[unit].is_ok()).count(),
            kept_params,
            reset: reset(to, &pairs),
            removed: removed(from, &pairs),
            is_solver_reset: !self.solver.is_empty() && context.solver.is_empty(),
        };
        Ok((context, migration))
    }

    /// Returns how many parameters differ from the file's and stay so.
    fn migrate_params(&self, from: &Program, to: &Program, pairs: &Pairs, context: &mut Context) -> usize {
        let mut count = 0;
        for (number, unit) in to.units.iter().enumerate() {
            let Some(old) = pairs.same_kind(number) else { continue };
            let old_unit = &from.units[old];
            let mut place = unit.first_param as usize;
            for &(param, lanes) in &to.kernel(unit).params {
                let (here, old_place) = (place..place + lanes, param_place(from, old_unit, param, lanes));
                place += lanes;
                let Some(there) = old_place.map(|place| place..place + lanes) else { continue };
                // What the edit has changed counts more than what was set before it.
                if !is_same(&from.params[there.clone()], &to.params[here.clone()]) {
                    continue;
                }
                let value = &self.params[there.clone()];
                count += usize::from(!is_same(value, &from.params[there]) && to.is_seen(unit));
                context.params[here].copy_from_slice(value);
            }
        }
        count
    }

    fn migrate_states(&self, from: &Program, old: &Unit, to: &Program, new: &Unit, context: &mut Context) {
        for (there, here) in from.states_of(old).iter().zip(to.states_of(new)) {
            let (mine, its, count) = match here.kind {
                StateKind::Discrete => (&self.discrete, &mut context.discrete, here.width as usize),
                StateKind::Continuous => (&self.continuous, &mut context.continuous, here.width as usize),
                // Behind the ring stands where the next value goes.
                StateKind::History { length } => {
                    (&self.history, &mut context.history, here.width as usize * length + 1)
                }
            };
            its[here.offset as usize..][..count].copy_from_slice(&mine[there.offset as usize..][..count]);
        }
    }

    /// The last values of blocks that go on; what never runs any more has none.
    fn migrate_values(&self, from: &Program, to: &Program, pairs: &Pairs, context: &mut Context) {
        let levels = Schedule::new(to).levels;
        for (number, unit) in to.units.iter().enumerate() {
            let Ok(old) = pairs.of[number] else { continue };
            let has_state_first = to.kernel(unit).outputs.iter().any(|made| made.needs.is_empty());
            if levels[number] == Schedule::NEVER && !has_state_first {
                continue;
            }
            for (here, there) in to.outputs_of(unit).zip(from.outputs_of(&from.units[old])) {
                let (here, there) = (&to.outputs[here], &from.outputs[there]);
                if here.width == there.width {
                    let values = &self.values[there.offset as usize..][..there.width as usize];
                    context.values[here.offset as usize..][..values.len()].copy_from_slice(values);
                }
            }
        }
    }
}

/// Where a parameter's lanes begin among the program's parameters.
fn param_place(program: &Program, unit: &Unit, param: usize, lanes: usize) -> Option<usize> {
    let mut place = unit.first_param as usize;
    for &(known, width) in &program.kernel(unit).params {
        if known == param {
            return (width == lanes).then_some(place);
        }
        place += width;
    }
    None
}

fn is_same(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

fn reset(to: &Program, pairs: &Pairs) -> Vec<ResetBlock> {
    let seen = to.units.iter().enumerate().filter(|(_, unit)| to.is_seen(unit));
    let reset = seen.filter_map(|(number, _)| {
        let reason = match pairs.of[number] {
            Ok(_) => return None,
            Err(Mismatch::New) => ResetReason::New,
            Err(Mismatch::OtherKind) => ResetReason::OtherKind,
            Err(Mismatch::OtherStates(_)) => ResetReason::OtherStates,
        };
        Some(ResetBlock { block: to.block_of(number), reason })
    });
    reset.collect()
}

fn removed(from: &Program, pairs: &Pairs) -> Vec<(Vec<BlockId>, BlockId)> {
    let mut is_there = vec![false; from.units.len()];
    for unit in &pairs.of {
        if let Ok(old) | Err(Mismatch::OtherStates(old)) = *unit {
            is_there[old] = true;
        }
    }
    let seen = from.units.iter().enumerate().filter(|(_, unit)| from.is_seen(unit));
    seen.filter(|(number, _)| !is_there[*number]).map(|(number, _)| from.block_of(number)).collect()
}
