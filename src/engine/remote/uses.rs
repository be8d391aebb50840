//! Which locations read and write each cell of step code; this determines the contents of an exchange.

use super::super::Program;
use super::placement::{Placement, UNKNOWN, mark};
use crate::engine::program::remote_blocks::HERE;
use crate::engine::step_code::{Bindings, Instruction, Opcode, StepCode};

/// In which locations each cell is read and written: [`UNKNOWN`] in none.
pub(super) struct CellUses {
    pub readers: Vec<u32>,
    pub writers: Vec<u32>,
    /// For each branch whether it runs here.
    pub is_here: Vec<bool>,
}

impl CellUses {
    /// `phases` has the locations of the step's instructions, `driven` those of the list that computes the rates.
    pub fn new(
        program: &Program,
        code: &StepCode,
        placement: &Placement,
        phases: [&[u32]; 2],
        driven: Option<&[u32]>,
    ) -> CellUses {
        let mut uses = CellUses {
            readers: vec![UNKNOWN; code.cells],
            writers: vec![UNKNOWN; code.cells],
            is_here: vec![false; code.branches.len()],
        };
        uses.list(code, placement, &code.step[..code.sampled], phases[0]);
        uses.list(code, placement, &code.step[code.sampled..], phases[1]);
        code.report_cells().for_each(|cell| uses.read(cell, HERE));
        let Some((of_tape, locations)) = code.driven.as_ref().zip(driven) else { return uses };
        uses.list(code, placement, &of_tape.list, locations);
        let cells = |moves: &Bindings| -> Vec<u32> {
            moves.0.iter().flat_map(|piece| piece.cell..piece.cell + piece.count).collect()
        };
        let written = [cells(&of_tape.x), cells(&of_tape.modes), vec![of_tape.time]];
        written.iter().flatten().for_each(|&cell| uses.write(cell, HERE));
        let read = [cells(&of_tape.rates), cells(&of_tape.nexts), cells(&of_tape.modes)];
        read.iter().flatten().for_each(|&cell| uses.read(cell, HERE));
        // The solver asks which subsystems run, and which values they hold.
        for (number, subsystem) in &program.subsystems {
            for output in subsystem.exits.iter().map(|exit| exit.output).chain([program.runs_of(number)]) {
                let (first, width) = (code.outputs[output], program.outputs[output].width);
                (first..first + width).for_each(|cell| uses.read(cell, HERE));
            }
        }
        uses
    }

    fn read(&mut self, cell: u32, location: u32) {
        mark(&mut self.readers[cell as usize], location);
    }

    fn write(&mut self, cell: u32, location: u32) {
        mark(&mut self.writers[cell as usize], location);
    }

    fn list(&mut self, code: &StepCode, placement: &Placement, list: &[Instruction], locations: &[u32]) {
        for (ins, &location) in list.iter().zip(locations) {
            match ins.opcode {
                Opcode::Branch(number) if location == HERE => self.branch(code, placement, number),
                _ => {
                    code.each_read(ins, |cell, _| mark(&mut self.readers[cell as usize], location));
                    code.writes(ins).for_each(|cell| mark(&mut self.writers[cell as usize], location));
                }
            }
        }
    }

    fn branch(&mut self, code: &StepCode, placement: &Placement, number: u32) {
        self.is_here[number as usize] = true;
        let branch = &code.branches[number as usize];
        self.read(branch.guard, HERE);
        if let Some(repeat) = branch.repeat {
            self.write(repeat.iteration, HERE);
            repeat.condition.iter().for_each(|&cell| self.read(cell, HERE));
        }
        let Some([body, otherwise]) = &placement.branches[number as usize] else { return };
        self.list(code, placement, &branch.body, body);
        self.list(code, placement, &branch.otherwise, otherwise);
    }
}
