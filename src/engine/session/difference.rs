//! Whether two programs differ in values of parameters alone, which a run can take over.

use std::collections::HashSet;
use std::fmt::Write;

use crate::block::{Kernel, Op, TimeEvents};
use crate::engine::{ParamChange, Program, Solver, Tolerances, UnitId};
use crate::model::ParamAddress;

impl Program {
    /// The parameter changes after which a run of this program, with the current values `params`, continues with the
    /// values of `other`; the step in them has no meaning. `None` if the programs differ in more than parameter values.
    pub fn changes_to(&self, params: &[f64], other: &Program) -> Option<Vec<ParamChange>> {
        if !self.is_like(other) || params.len() != other.params.len() {
            return None;
        }
        let mut changes = Vec::new();
        for (number, unit) in self.units.iter() {
            let mut first = unit.first_param as usize;
            for &(index, elements) in &self.kernel(unit).params {
                let range = first..first + elements;
                first += elements;
                let (old, new) = (params.get(range.clone())?, other.params.get(range)?);
                let is_same = old.iter().zip(new).all(|(old, new)| old.to_bits() == new.to_bits());
                // All iterations of a for-each model follow the first.
                if is_same || !self.is_seen(unit) {
                    continue;
                }
                let def = self.symbol(unit).def()?;
                let param = ParamAddress { block: self.block_of(number), name: def.params.get(index)?.name.to_owned() };
                changes.push(ParamChange { step: 0, param, values: new.to_vec() });
            }
        }
        Some(changes)
    }

    /// Whether the programs are equal except for parameter values, so that one can continue with a context of the other.
    fn is_like(&self, other: &Program) -> bool {
        let mut known = HashSet::new();
        let is_same_unit = |number: UnitId| {
            let (one, two) = (&self.units[number], &other.units[number]);
            let is_new = known.insert((one.kernel, two.kernel));
            one.subsystem == two.subsystem
                && one.is_hidden == two.is_hidden
                && (!is_new || is_same_kernel(self.kernel(one), other.kernel(two)))
                && self.block_of(number) == other.block_of(number)
                && self.definition(number) == other.definition(number)
        };
        let enables = |program: &Program| -> Vec<_> {
            let enable_unit = |subsystem: &crate::engine::ConditionalSubsystem| {
                (subsystem.enable_unit, subsystem.is_iterated, subsystem.condition, subsystem.limit)
            };
            program.subsystems.values().map(enable_unit).collect()
        };
        self.delta.to_bits() == other.delta.to_bits()
            && self.accuracy() == other.accuracy()
            && self.units.len() == other.units.len()
            && self.sources == other.sources
            && self.loops.len() == other.loops.len()
            && enables(self) == enables(other)
            && self.units.keys().all(is_same_unit)
    }

    /// Returns the solver with those tolerances that it uses: the longest step, which depends on the number of steps, has a
    /// meaning for a variable step only.
    fn accuracy(&self) -> (Solver, Tolerances) {
        let used = match self.solver.is_variable() {
            true => self.tolerances,
            false => Tolerances { max_step: 0.0, ..self.tolerances },
        };
        (self.solver, used)
    }

    /// Group and name of a unit's definition.
    fn definition(&self, unit: UnitId) -> Option<(&'static str, &'static str)> {
        self.symbol(&self.units[unit]).def().map(|def| (def.group, def.name))
    }
}

fn is_same_kernel(one: &Kernel, other: &Kernel) -> bool {
    let is_same_op = |(one, other): (&Op, &Op)| match (one, other) {
        (Op::Const(one), Op::Const(other)) => one.to_bits() == other.to_bits(),
        // Each compilation makes new functions; they are equal if their debug texts are.
        (Op::Call { of: one, args }, Op::Call { of: other, args: others }) => {
            args == others && (one == other || digest(one) == digest(other))
        }
        (one, other) => one == other,
    };
    let lists = |kernel: &Kernel| {
        let Kernel { init, begin, run, crossings, run_with_crossings, idle, time_events, .. } = kernel;
        let TimeEvents { limits, edges, kinks, .. } = time_events;
        [init, begin, run, crossings, run_with_crossings, idle, limits, edges, kinks].map(Clone::clone)
    };
    let iterations =
        |kernel: &Kernel| kernel.iterations.as_ref().map(|iterations| (iterations.reg, iterations.list.clone()));
    // The lines of breakpoints are those of the text.
    let code = |kernel: &Kernel| kernel.code.as_ref().map(|code| code.text.clone());
    one.ops.len() == other.ops.len()
        && one.ops.iter().zip(&other.ops).all(is_same_op)
        && (&one.widths, &one.inputs, &one.outputs) == (&other.widths, &other.inputs, &other.outputs)
        && (&one.params, &one.states, &one.updates) == (&other.params, &other.states, &other.updates)
        && one.rate == other.rate
        && lists(one) == lists(other)
        && iterations(one) == iterations(other)
        && one.reports == other.reports
        && code(one) == code(other)
}

/// A checksum of a value's debug text, which is not kept.
fn digest(value: &impl std::fmt::Debug) -> u32 {
    struct Digest(crc32fast::Hasher);
    impl Write for Digest {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0.update(text.as_bytes());
            Ok(())
        }
    }
    let mut digest = Digest(crc32fast::Hasher::new());
    // Writing to a checksum does not fail.
    let _ = write!(digest, "{value:?}");
    digest.0.finalize()
}
