//! Migration of the memory of a variable-step solver to the program of an edited simulation.

use std::collections::BTreeMap;

use super::super::{Context, OutputId, Program, StateSlot, UnitId};
use super::evaluate::{Visit, layout, modes, visits};
use super::memory::{Layout, Memory};
use crate::block::{Op, StateKind};

/// The memory of a solver and the two programs.
pub struct MemoryMigration<'a> {
    /// The context of the old program.
    pub context: &'a Context,
    pub from: &'a Program,
    pub to: &'a Program,
    /// Returns the unit of the old program whose state a unit of the new program continues.
    pub old: &'a dyn Fn(UnitId) -> Option<UnitId>,
}

impl MemoryMigration<'_> {
    /// Returns the memory for the new program, whose parameters are `params`; empty if the solver must restart.
    pub fn moved(&self, params: &[f64]) -> Vec<f64> {
        self.try_moved(params).unwrap_or_default()
    }

    fn try_moved(&self, params: &[f64]) -> Option<Vec<f64>> {
        let MemoryMigration { from, to, .. } = self;
        let is_there = !self.context.solver.is_empty();
        if !is_there || from.solver != to.solver || from.tolerances != to.tolerances {
            return None;
        }
        let slots = self.slots();
        let (states, count) =
            (self.elements(&slots, StateKind::Continuous, 0..to.continuous_count)?, from.continuous_count);
        let (of_discrete, old_modes) = (self.elements(&slots, StateKind::Discrete, modes(to))?, modes(from));
        // The index of each mode in the old memory.
        let index: BTreeMap<usize, usize> = old_modes.iter().copied().zip(0..).collect();
        let modes: Vec<usize> = of_discrete.iter().map(|element| index.get(element).copied()).collect::<Option<_>>()?;
        if states.len() != count || modes.len() != old_modes.len() || !self.has_same_rates() {
            return None;
        }
        let mut row = self.context.solver.clone();
        let old_layout = layout(from, &visits(from));
        let (old, is_there) = Memory::new(&mut row, old_layout);
        if !old.is_free() {
            return None;
        }
        let mut moved = Vec::new();
        let (mut new, _) = Memory::new(&mut moved, Layout { params: params.len(), ..old_layout });
        new.take(&old, &states, &modes);
        new.params_mut().copy_from_slice(params);
        self.migrate_params(&old, &mut new);
        is_there.then_some(moved)
    }

    /// Copies the parameters of the last solver step, for the blocks that are the same.
    fn migrate_params(&self, old: &Memory, new: &mut Memory) {
        for (number, unit) in self.to.units.iter() {
            let Some(before) = (self.old)(number).map(|old| &self.from.units[old]) else { continue };
            let (params, old_params) = (&self.to.kernel(unit).params, &self.from.kernel(before).params);
            if params == old_params {
                let count: usize = params.iter().map(|(_, elements)| elements).sum();
                let (here, there) = (unit.first_param as usize, before.first_param as usize);
                let (now, were) = (&self.to.params[here..here + count], &self.from.params[there..there + count]);
                // Values that the edit has changed were unknown to that step; they matter only if rates depend on them.
                if now.iter().zip(were).all(|(now, were)| now.to_bits() == were.to_bits()) {
                    new.params_mut()[here..here + count].copy_from_slice(&old.params()[there..there + count]);
                }
            }
        }
    }

    /// Returns each state of the new program that continues one of the old program, with that one.
    fn slots(&self) -> Vec<(StateSlot, StateSlot)> {
        let pairs = self.to.units.iter().filter_map(|(number, unit)| {
            let old = &self.from.units[(self.old)(number)?];
            Some(self.to.states_of(unit).iter().copied().zip(self.from.states_of(old).iter().copied()))
        });
        pairs.flatten().collect()
    }

    /// Returns, for each of these elements of the states of a kind, the old element that it continues; `None` if one is
    /// new.
    fn elements(
        &self,
        slots: &[(StateSlot, StateSlot)],
        kind: StateKind,
        elements: impl IntoIterator<Item = usize>,
    ) -> Option<Vec<usize>> {
        let of_kind = slots.iter().filter(|(slot, _)| slot.kind == kind);
        let known: BTreeMap<usize, usize> = of_kind
            .flat_map(|(new, old)| {
                (0..new.width).map(|element| ((new.offset + element) as usize, (old.offset + element) as usize))
            })
            .collect();
        elements.into_iter().map(|element| known.get(&element).copied()).collect()
    }

    /// Whether rates and crossing functions are computed by the same units from the same sources.
    fn has_same_rates(&self) -> bool {
        let (visits, old_visits) = (visits(self.to), visits(self.from));
        let known: std::collections::HashSet<(UnitId, bool)> =
            old_visits.iter().map(|visit| (visit.unit, visit.is_begin)).collect();
        let is_same = |&Visit { unit, is_begin }: &Visit| {
            let old = (self.old)(unit);
            old.is_some_and(|old| known.contains(&(old, is_begin)) && self.is_same_unit(unit, old))
        };
        visits.len() == old_visits.len() && visits.iter().all(is_same)
    }

    /// Whether a unit has the same tape, parameters and sources as an old one.
    fn is_same_unit(&self, unit: UnitId, old: UnitId) -> bool {
        let (of, before) = (&self.to.units[unit], &self.from.units[old]);
        let (kernel, old_kernel) = (self.to.kernel(of), self.from.kernel(before));
        let is_same_op = |(a, b): (&Op, &Op)| match (a, b) {
            // Each program has function objects of its own; their contents tell whether they are the same.
            (Op::Call { of, args }, Op::Call { of: old, args: old_args }) => {
                args == old_args && (of == old || format!("{of:?}") == format!("{old:?}"))
            }
            (Op::Loop { number, .. }, Op::Loop { number: old, .. }) => self.is_same_loop(*number, *old),
            (Op::Const(a), Op::Const(b)) => a.to_bits() == b.to_bits(),
            (a, b) => a == b,
        };
        let has_same_tape = kernel.ops.len() == old_kernel.ops.len()
            && kernel.ops.iter().zip(&old_kernel.ops).all(is_same_op)
            && kernel.updates == old_kernel.updates
            && kernel.widths == old_kernel.widths
            && kernel.crossings == old_kernel.crossings
            && kernel.params == old_kernel.params;
        let count: usize = kernel.params.iter().map(|(_, elements)| elements).sum();
        let (first, old_first) = (of.first_param as usize, before.first_param as usize);
        has_same_tape
            && (0..count).all(|element| {
                self.to.params[first + element].to_bits() == self.from.params[old_first + element].to_bits()
            })
            && (0..kernel.inputs.len()).all(|input| {
                let source = self.to.source(of, input).map(|source| self.was(source));
                let old_source = self.from.source(before, input);
                source == old_source.map(Some)
            })
    }

    fn is_same_loop(&self, number: u32, old: u32) -> bool {
        let (of, before) = (&self.to.loops[number as usize], &self.from.loops[old as usize]);
        of.members.len() == before.members.len()
            && of
                .members
                .iter()
                .zip(&before.members)
                .all(|(&member, &old)| (self.old)(member) == Some(old) && self.is_same_unit(member, old))
    }

    /// Returns the output of the old program that an output continues.
    fn was(&self, output: OutputId) -> Option<OutputId> {
        let unit = self.to.outputs[output].unit;
        let old = &self.from.units[(self.old)(unit)?];
        Some(old.first_output + (output - self.to.units[unit].first_output))
    }
}
