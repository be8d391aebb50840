//! Moves the state of a run to the program of an edited simulation.
//!
//! Two blocks are the same if their paths of model blocks, their ids and their kinds are equal. A block keeps its state
//! if the state also has the same shape; otherwise it is reset, as is a new block. A signal that no edited block can
//! reach has the same bits as in a run without the edit.

mod pairs;

use self::pairs::{Mismatch, Pairs};
use crate::block::StateKind;
use crate::engine::program::schedule::Schedule;
use crate::engine::solve::MemoryMigration;
use crate::engine::{Context, Program, Unit};
use crate::model::BlockAddress;

/// The result of a state migration. A for-each model counts once, by its first iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Migration {
    /// The number of blocks that keep their state.
    pub kept: usize,
    /// The number of parameters set in the run that keep their value because the edit did not change them.
    pub kept_params: usize,
    /// The reset blocks, in the order of the new program.
    pub reset: Vec<ResetBlock>,
    /// The removed blocks, in the order of the old program.
    pub removed: Vec<BlockAddress>,
    /// Whether the solver lost its step size and its history.
    pub is_solver_reset: bool,
}

/// A block that starts from its initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResetBlock {
    /// The path of model blocks to the block, and the block.
    pub block: BlockAddress,
    pub reason: ResetReason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetReason {
    /// The old program does not have the block.
    New,
    /// The old program has a block of another kind with this id.
    OtherKind,
    /// The number or the shape of its states has changed.
    OtherStates,
}

/// The reason why the state of a run cannot be moved to another program.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
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
        f.write_str(&blocks(self.kept, "keeps its state", "keep their state"))?;
        let parts = [(self.reset.len(), "is reset", "are reset"), (self.removed.len(), "is removed", "are removed")];
        for (count, one, many) in parts.into_iter().filter(|(count, ..)| *count > 0) {
            write!(f, ", {count} {}", if count == 1 { one } else { many })?;
        }
        Ok(())
    }
}

impl Context {
    /// Converts this context of the program `from` to a context of `to` at the same step, and reports what was kept.
    ///
    /// Unchanged blocks keep states, histories and last values; parameters set in the run keep their values unless the
    /// edit changed them. A variable-step solver keeps its step size if the edit changed no block that derivatives
    /// depend on, no tolerance, and neither added nor removed a continuous state or mode.
    ///
    /// # Errors
    /// The step length has changed: the time of a step is its number times the step length.
    pub fn migrate(&self, from: &Program, to: &Program) -> Result<(Context, Migration), MigrationError> {
        if from.delta.to_bits() != to.delta.to_bits() {
            return Err(MigrationError::Delta { from: from.delta, to: to.delta });
        }
        let pairs = Pairs::new(from, to);
        let mut context = Context::new(to);
        let kept_params = self.migrate_params(from, to, &pairs, &mut context);
        // Initial states of new blocks depend on the parameters just set.
        context.reset(to);
        (context.step, context.executed) = (self.step, self.executed);
        for (number, unit) in to.units.iter() {
            if let Ok(old) = pairs.of[number] {
                self.migrate_states(from, &from.units[old], to, unit, &mut context);
            }
        }
        self.migrate_values(from, to, &pairs, &mut context);
        let row = MemoryMigration { context: self, from, to, old: &|unit| pairs.of[unit].ok() };
        context.solver = row.moved(&context.params);
        let migration = Migration {
            kept: to.units.keys().filter(|&unit| to.is_seen(&to.units[unit]) && pairs.of[unit].is_ok()).count(),
            kept_params,
            reset: reset(to, &pairs),
            removed: removed(from, &pairs),
            is_solver_reset: !self.solver.is_empty() && context.solver.is_empty(),
        };
        Ok((context, migration))
    }

    /// Returns the number of parameters whose value differs from the file's and was kept.
    fn migrate_params(&self, from: &Program, to: &Program, pairs: &Pairs, context: &mut Context) -> usize {
        let mut count = 0;
        for (number, unit) in to.units.iter() {
            let Some(old) = pairs.same_kind(number) else { continue };
            let old_unit = &from.units[old];
            let mut offset = unit.first_param as usize;
            for &(param, elements) in &to.kernel(unit).params {
                let (here, old_offset) = (offset..offset + elements, param_offset(from, old_unit, param, elements));
                offset += elements;
                let Some(there) = old_offset.map(|offset| offset..offset + elements) else { continue };
                // A value changed by the edit takes precedence over one set earlier in the run.
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
                StateKind::Record => {
                    context.records[here.offset as usize].clone_from(&self.records[there.offset as usize]);
                    continue;
                }
                StateKind::Discrete => (&self.discrete, &mut context.discrete, here.width as usize),
                StateKind::Continuous => (&self.continuous, &mut context.continuous, here.width as usize),
                // The write position follows the ring.
                StateKind::History { length } => {
                    (&self.history, &mut context.history, here.width as usize * length + 1)
                }
            };
            its[here.offset as usize..][..count].copy_from_slice(&mine[there.offset as usize..][..count]);
        }
    }

    /// Copies the last outputs of kept blocks; a block that never runs in the new program has none.
    fn migrate_values(&self, from: &Program, to: &Program, pairs: &Pairs, context: &mut Context) {
        let levels = Schedule::new(to).levels;
        for (number, unit) in to.units.iter() {
            let Ok(old) = pairs.of[number] else { continue };
            let has_state_first = to.kernel(unit).outputs.iter().any(|made| made.needs.is_empty());
            if levels[number] == Schedule::NEVER && !has_state_first {
                continue;
            }
            for (here, there) in to.outputs_of(unit).zip(from.outputs_of(&from.units[old])) {
                let (here, there) = (&to.outputs[here], &from.outputs[there]);
                if here.width == there.width {
                    let values = &self.values[there.elements()];
                    context.values[here.offset as usize..][..values.len()].copy_from_slice(values);
                }
            }
        }
    }
}

/// The offset of a parameter among the program's parameters.
fn param_offset(program: &Program, unit: &Unit, param: usize, elements: usize) -> Option<usize> {
    let mut offset = unit.first_param as usize;
    for &(known, width) in &program.kernel(unit).params {
        if known == param {
            return (width == elements).then_some(offset);
        }
        offset += width;
    }
    None
}

fn is_same(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

fn reset(to: &Program, pairs: &Pairs) -> Vec<ResetBlock> {
    let seen = to.units.iter().filter(|(_, unit)| to.is_seen(unit));
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

fn removed(from: &Program, pairs: &Pairs) -> Vec<BlockAddress> {
    let mut is_there = from.by_unit(false);
    for unit in pairs.of.values() {
        if let Ok(old) | Err(Mismatch::OtherStates(old)) = *unit {
            is_there[old] = true;
        }
    }
    let seen = from.units.iter().filter(|(_, unit)| from.is_seen(unit));
    seen.filter(|(number, _)| !is_there[*number]).map(|(number, _)| from.block_of(number)).collect()
}
