//! Decides where each instruction of step code runs.

use std::collections::{HashMap, HashSet};

use super::super::Program;
use crate::block::StateKind;
use crate::engine::UnitMap;
use crate::engine::program::remote_blocks::HERE;
use crate::engine::step_code::{Instruction, Opcode, StepCode};

/// Not known yet, and nowhere in particular.
pub(super) const UNKNOWN: u32 = u32::MAX - 1;
const ANYWHERE: u32 = u32::MAX - 2;
/// In several locations.
pub(super) const SEVERAL: u32 = u32::MAX - 3;

/// Decides where each instruction runs: with its ring buffer, state or unit, otherwise with the readers of its result.
pub(super) struct Placement<'a> {
    locations: &'a UnitMap<u32>,
    /// The locations of states, by cell, and of ring buffers, by their first element.
    states: HashMap<u32, u32>,
    rings: HashMap<u32, u32>,
    /// The locations of later instructions that read the results.
    marks: Vec<u32>,
    /// The locations of the instructions of each branch, once they are known: of the body, and otherwise.
    pub branches: Vec<Option<[Vec<u32>; 2]>>,
}

impl<'a> Placement<'a> {
    pub fn new(program: &Program, code: &StepCode, locations: &'a UnitMap<u32>) -> Placement<'a> {
        let mut by_offset: [HashMap<u32, u32>; 2] = [HashMap::new(), HashMap::new()];
        let mut rings = HashMap::new();
        for (unit, &location) in program.units.values().zip(locations.values()) {
            for slot in program.states_of(unit) {
                let offsets = slot.offset..slot.offset + slot.width;
                match slot.kind {
                    StateKind::Discrete => by_offset[0].extend(offsets.map(|offset| (offset, location))),
                    StateKind::Continuous => by_offset[1].extend(offsets.map(|offset| (offset, location))),
                    StateKind::Record => {}
                    StateKind::History { .. } => drop(rings.insert(slot.offset, location)),
                }
            }
        }
        let mut states = HashMap::new();
        for (by_offset, moves) in by_offset.iter().zip([&code.discrete, &code.continuous]) {
            for piece in &moves.0 {
                let cells = (0..piece.count).map(|element| (piece.offset + element, piece.cell + element));
                states.extend(cells.filter_map(|(offset, cell)| Some((cell, *by_offset.get(&offset)?))));
            }
        }
        let mut marks = vec![UNKNOWN; code.cells];
        code.report_cells().for_each(|cell| marks[cell as usize] = HERE);
        let branches = vec![None; code.branches.len()];
        Placement { locations, states, rings, marks, branches }
    }

    /// Returns the locations of a list, which runs before all lists that were asked for before.
    pub fn locations_of(&mut self, code: &StepCode, list: &[Instruction]) -> Vec<u32> {
        let mut locations = self.known(code, list);
        locations.iter_mut().filter(|location| **location == ANYWHERE).for_each(|location| *location = HERE);
        locations
    }

    fn known(&mut self, code: &StepCode, list: &[Instruction]) -> Vec<u32> {
        let mut locations = vec![ANYWHERE; list.len()];
        for (number, ins) in list.iter().enumerate().rev() {
            let location = match ins.opcode {
                Opcode::Branch(branch) => self.branch(code, branch),
                Opcode::Push(ring) | Opcode::Past(ring) | Opcode::Fill(ring) => {
                    self.rings.get(&ring.first).copied().unwrap_or(HERE)
                }
                Opcode::Solve { .. } | Opcode::RefuseNonFinite | Opcode::LimitRuns => HERE,
                _ => self.by_result(code, ins),
            };
            locations[number] = location;
            if !matches!(ins.opcode, Opcode::Branch(_)) && location != ANYWHERE {
                code.each_read(ins, |cell, _| mark(&mut self.marks[cell as usize], location));
            }
        }
        locations
    }

    fn by_result(&self, code: &StepCode, ins: &Instruction) -> u32 {
        let Some(owners) = &code.owners else { return HERE };
        if let Some(&location) = self.states.get(&owners.major(ins.dst)) {
            return location;
        }
        if let Some(owner) = owners.owner(ins.dst) {
            return self.locations[owner];
        }
        let mut found = UNKNOWN;
        code.writes(ins).for_each(|cell| match self.marks[cell as usize] {
            UNKNOWN => {}
            location => mark(&mut found, location),
        });
        match found {
            UNKNOWN => ANYWHERE,
            SEVERAL => HERE,
            location => location,
        }
    }

    /// Returns the location of a branch: that of all its instructions, or here.
    fn branch(&mut self, code: &StepCode, number: u32) -> u32 {
        let branch = &code.branches[number as usize];
        let mut otherwise = self.known(code, &branch.otherwise);
        let mut body = self.known(code, &branch.body);
        let known: HashSet<u32> =
            body.iter().chain(&otherwise).copied().filter(|location| *location != ANYWHERE).collect();
        let location = match known.iter().next() {
            Some(&only) if known.len() == 1 => only,
            Some(_) => HERE,
            None => ANYWHERE,
        };
        let settled = if location == ANYWHERE { HERE } else { location };
        body.iter_mut().chain(&mut otherwise).filter(|at| **at == ANYWHERE).for_each(|at| *at = settled);
        let condition = branch.repeat.and_then(|repeat| repeat.condition);
        for cell in [branch.guard].into_iter().chain(condition).filter(|_| location != ANYWHERE) {
            mark(&mut self.marks[cell as usize], location);
        }
        self.branches[number as usize] = Some([body, otherwise]);
        location
    }
}

/// Adds a location to those of a cell.
pub(super) fn mark(mark: &mut u32, location: u32) {
    *mark = if *mark == UNKNOWN || *mark == location { location } else { SEVERAL };
}
