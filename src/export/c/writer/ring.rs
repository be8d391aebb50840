//! Rings of past values as statements.

use super::Writer;
use crate::engine::{Instruction, Ring, StateSlot, UnitId};
use crate::export::c::expression::Expr;
use crate::export::c::variables::RingVariable;

impl<'a> Writer<'a, '_> {
    fn ring(&self, ring: Ring) -> &'a RingVariable {
        &self.plan.variables.rings[&ring.first]
    }

    fn ring_unit(&self, ring: Ring) -> Option<UnitId> {
        let is_here = |slot: &StateSlot| {
            matches!(slot.kind, crate::block::StateKind::History { .. }) && slot.offset == ring.first
        };
        let mut units = self.plan.program.units.iter();
        Some(units.find(|(_, unit)| self.plan.program.states_of(unit).iter().any(is_here))?.0)
    }

    pub(super) fn push(&mut self, ring: Ring, ins: &Instruction) {
        self.comment(self.ring_unit(ring).as_slice());
        let RingVariable { name, length, width, .. } = self.ring(ring);
        let on = self.access(ins.args[1], 1).at("i");
        let value = self.access(ins.args[0], ins.elements).at("i");
        let arrays = std::mem::take(&mut self.gathered);
        let is_always = on.text() == "1.0";
        if !is_always {
            self.text.line(&format!("if ({}) {{", on.truth_text()));
        } else if !arrays.is_empty() {
            self.text.line("{");
        }
        arrays.iter().for_each(|array| self.text.line(array));
        let (history, next) = (format!("self->histories.{name}"), format!("self->histories.{name}_next"));
        if *width == 1 {
            self.text.line(&format!("{history}[{next}] = {};", value.text()));
        } else {
            self.text.line(&format!("for (uint32_t i = 0U; i < {width}U; i++) {{"));
            self.text.line(&format!("{history}[({next} * {width}U) + i] = {};", value.text()));
            self.text.line("}");
        }
        self.text.line(&format!("{next} = ({next} + 1U) % {length}U;"));
        if !is_always || !arrays.is_empty() {
            self.text.line("}");
        }
    }

    pub(super) fn fill(&mut self, ring: Ring, ins: &Instruction) {
        self.comment(self.ring_unit(ring).as_slice());
        let RingVariable { name, length, width, .. } = self.ring(ring);
        let value = self.access(ins.args[0], ins.elements).at("i");
        let arrays = std::mem::take(&mut self.gathered);
        if !arrays.is_empty() {
            self.text.line("{");
        }
        arrays.iter().for_each(|array| self.text.line(array));
        let slot = format!("slot_{}", self.number());
        self.text.line(&format!("for (uint32_t {slot} = 0U; {slot} < {length}U; {slot}++) {{"));
        if *width == 1 {
            self.text.line(&format!("self->histories.{name}[{slot}] = {};", value.text()));
        } else {
            self.text.line(&format!("for (uint32_t i = 0U; i < {width}U; i++) {{"));
            self.text.line(&format!("self->histories.{name}[({slot} * {width}U) + i] = {};", value.text()));
            self.text.line("}");
        }
        self.text.line("}");
        if !arrays.is_empty() {
            self.text.line("}");
        }
    }

    pub(super) fn past(&mut self, ring: Ring, ins: &Instruction) {
        self.before(ins);
        let units = self.units_of(ins);
        let RingVariable { name, length, width, .. } = self.ring(ring);
        let back = self.access(ins.args[0], 1).at("i");
        self.comment(&units);
        self.calls.insert("past");
        let slot = format!("simulate_past({}, self->histories.{name}_next, {length}U)", back.text());
        if *width == 1 {
            return self.store(ins.dst, 1, &Expr::atom(format!("self->histories.{name}[{slot}]")));
        }
        let at = format!("slot_{}", self.number());
        self.text.line(&format!("const uint32_t {at} = {slot} * {width}U;"));
        self.store(ins.dst, ins.elements, &Expr::atom(format!("self->histories.{name}[{at} + i]")));
    }
}
