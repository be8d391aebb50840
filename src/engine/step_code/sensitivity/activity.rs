//! Finds the cells and rings that may depend on a parameter, whichever branches run and however many steps.

use std::collections::BTreeSet;

use crate::block::{Binary, Unary};
use crate::engine::step_code::{Bindings, Instruction, Opcode, StepCode};

/// The cells and rings that may have tangents.
#[derive(Debug)]
pub(super) struct Activity {
    cells: Vec<bool>,
    /// By their first element.
    rings: BTreeSet<u32>,
    is_changed: bool,
}

impl Activity {
    pub fn new(code: &StepCode) -> Activity {
        Activity { cells: vec![false; code.cells], rings: BTreeSet::new(), is_changed: false }
    }

    pub fn set(&mut self, cell: u32) {
        let Some(is_active) = self.cells.get_mut(cell as usize) else { return };
        self.is_changed |= !*is_active;
        *is_active = true;
    }

    pub fn set_ring(&mut self, ring: u32) {
        self.is_changed |= self.rings.insert(ring);
    }

    pub fn is_active(&self, cell: u32) -> bool {
        self.cells.get(cell as usize).is_some_and(|is_active| *is_active)
    }

    /// The rings that may have tangents, in ascending order.
    pub fn rings(&self) -> impl Iterator<Item = u32> + '_ {
        self.rings.iter().copied()
    }

    /// Marks all cells that depend on marked ones.
    pub fn spread(&mut self, code: &StepCode) {
        loop {
            self.is_changed = false;
            self.list(code, &code.once);
            self.list(code, &code.step);
            if let Some(driven) = &code.driven {
                // The states that a solver assumes.
                if self.is_any_active(&code.continuous) {
                    for piece in &driven.x.0 {
                        (piece.cell..piece.cell + piece.count).for_each(|cell| self.set(cell));
                    }
                }
                self.list(code, &driven.list);
            }
            if !self.is_changed {
                return;
            }
        }
    }

    fn is_any_active(&self, bindings: &Bindings) -> bool {
        bindings.0.iter().any(|piece| (piece.cell..piece.cell + piece.count).any(|cell| self.is_active(cell)))
    }

    fn list(&mut self, code: &StepCode, list: &[Instruction]) {
        for ins in list {
            if let Opcode::Branch(number) = ins.opcode {
                let branch = &code.branches[number as usize];
                self.list(code, &branch.body);
                self.list(code, &branch.otherwise);
                continue;
            }
            let mut is_active = false;
            code.each_read(ins, |cell, operand| {
                // The time at which a ring or an index is read moves nothing.
                let counts = match ins.opcode {
                    Opcode::Push(_) | Opcode::Pick { .. } => operand == 0,
                    Opcode::Select => operand > 0,
                    Opcode::Past(_) => false,
                    _ => true,
                };
                is_active |= counts && self.is_active(cell);
            });
            match ins.opcode {
                Opcode::Push(ring) | Opcode::Fill(ring) if is_active => self.set_ring(ring.first),
                Opcode::Past(ring) => is_active = self.rings.contains(&ring.first),
                _ => {}
            }
            if is_active && has_derivative(ins.opcode) {
                (ins.dst..ins.dst + ins.written()).for_each(|cell| self.set(cell));
            }
        }
    }
}

/// Whether a result moves with an operand anywhere.
fn has_derivative(opcode: Opcode) -> bool {
    // Between these points lie no jumps of any operation that has slopes beside them.
    const POINTS: [f64; 6] = [0.37, 0.61, -0.43, 2.63, -3.21, 17.3];
    let unary = |op: Unary| POINTS.iter().any(|&a| op.tangent(a, 1.0) != 0.0);
    let binary = |op: Binary| {
        POINTS.iter().any(|&a| {
            POINTS.iter().any(|&b| op.tangent((a, 1.0), (b, 0.0)) != 0.0 || op.tangent((a, 0.0), (b, 1.0)) != 0.0)
        })
    };
    match opcode {
        Opcode::Unary(op) => unary(op),
        Opcode::Binary(op) => binary(op),
        Opcode::Random { .. } => false,
        _ => true,
    }
}
