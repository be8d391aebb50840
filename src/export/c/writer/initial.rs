//! Initial values of adjacent states as tables.

use std::collections::{BTreeMap, HashMap};

use super::Writer;
use crate::engine::{Instruction, Opcode, Operand};
use crate::export::c::access::index;
use crate::export::c::number::literal;
use crate::export::c::usage::Item;
use crate::export::c::variables::Home;

/// Fewer adjacent values than this are statements.
const FEWEST: usize = 4;

impl Writer<'_, '_> {
    /// Writes the constants that a list of items sets adjacent elements of arrays to, as loops; returns the other items.
    pub fn initial_values(&mut self, items: &[Item]) -> Vec<Item> {
        let mut writes: HashMap<u32, u32> = HashMap::new();
        for item in items {
            if let Item::Instruction(ins) = item {
                self.plan.code.writes(ins).for_each(|cell| *writes.entry(cell).or_default() += 1);
            }
        }
        // By variable and element: the value, and the index of the item.
        let mut values: BTreeMap<u32, BTreeMap<u32, (f64, usize)>> = BTreeMap::new();
        for (at, item) in items.iter().enumerate() {
            if let Item::Instruction(ins) = item
                && writes.get(&ins.dst) == Some(&1)
                && let Some((variable, element, value)) = self.constant_of(ins)
            {
                values.entry(variable).or_default().insert(element, (value, at));
            }
        }
        let mut is_written = vec![false; items.len()];
        for (variable, elements) in values {
            let elements: Vec<(u32, (f64, usize))> = elements.into_iter().collect();
            for run in elements.chunk_by(|a, b| a.0 + 1 == b.0).filter(|run| run.len() >= FEWEST) {
                let path = self.variables.all[variable as usize].path();
                let texts: Vec<String> = run.iter().map(|(_, (value, _))| literal(*value)).collect();
                let value = match texts.iter().all(|text| *text == texts[0]) {
                    true => texts[0].clone(),
                    false => format!("{}[i]", self.tables.of("double", texts)),
                };
                self.heading("Initial values");
                self.text.line(&format!("for (uint32_t i = 0U; i < {}U; i++) {{", run.len()));
                self.text.line(&format!("{path}[{}] = {value};", index(run[0].0, 1, "i")));
                self.text.line("}");
                run.iter().for_each(|(_, (_, at))| is_written[*at] = true);
            }
        }
        items.iter().zip(is_written).filter(|(_, is_written)| !is_written).map(|(item, _)| *item).collect()
    }

    /// The variable, the element and the constant, if an instruction copies one to an element of an array.
    fn constant_of(&self, ins: &Instruction) -> Option<(u32, u32, f64)> {
        let (Opcode::Copy, 1, Operand::Broadcast(from)) = (ins.opcode, ins.elements, ins.args[0]) else { return None };
        match (self.home(ins.dst), self.home(from)) {
            (Home::Element(variable, element), Home::Constant(value)) => {
                self.variables.all[variable as usize].is_array().then_some((variable, element, value))
            }
            _ => None,
        }
    }
}
