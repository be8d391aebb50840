//! The step code of a program with remote blocks: which instructions run in which worker, and which cells an exchange
//! carries.
//!
//! Both sides make the same plan of the same program, so that a message names instructions and cells by number. The
//! operands of an instruction have the same bits wherever it runs; therefore results do not depend on the locations.

use std::fmt::Write as _;
use std::sync::Arc;

use super::super::Program;
use super::cut::{Cut, InstructionOrder, cut};
use super::placement::{Placement, SEVERAL, UNKNOWN};
use super::uses::CellUses;
use crate::block::StateKind;
use crate::engine::UnitMap;
use crate::engine::step_code::{Bindings, Decoded, Instruction, Opcode, Operand, StepCode};

/// Step code with exchanges.
#[derive(Debug)]
pub(super) struct Plan {
    pub code: Arc<StepCode>,
    pub bodies: Vec<Body>,
    /// For each exchange its bodies, by number.
    pub exchanges: Vec<Vec<usize>>,
    /// For each remote block.
    pub locations: Vec<Location>,
    /// The bodies of the major step outside of branches, then those of the rest of the step outside of branches.
    pub major: std::ops::Range<usize>,
    pub rest: std::ops::Range<usize>,
    /// Equal for equal plans.
    pub fingerprint: u64,
}

/// Instructions that a worker executes in one exchange. Cells are given by their index in [`Location::cells`].
#[derive(Debug)]
pub(super) struct Body {
    pub location: usize,
    pub list: Vec<Instruction>,
    pub decoded: Decoded,
    /// The cells that it reads and that may have been written elsewhere since.
    pub reads: Vec<u32>,
    pub writes: Vec<u32>,
    /// Those of the written cells that are read elsewhere.
    pub exports: Vec<u32>,
    /// Whether it may fail, or counts executed blocks.
    pub can_fail: bool,
}

/// The cells of a location, and indices of some of them.
#[derive(Debug, Default)]
pub(super) struct Location {
    pub cells: Vec<u32>,
    pub values: Vec<u32>,
    pub states: Vec<u32>,
    /// The elements of the history of its units.
    pub history: Vec<u32>,
}

impl Plan {
    /// Makes the plan of a program; `None` if it has no remote blocks.
    pub fn new(program: &Program) -> Option<Plan> {
        let remote = program.remote.as_ref()?;
        let mut code = StepCode::by_locations(program, &remote.locations);
        let mut placement = Placement::new(program, &code, &remote.locations);
        let driven = code.driven.as_ref().map(|driven| placement.locations_of(&code, &driven.list));
        let after = placement.locations_of(&code, &code.step[code.sampled..]);
        let major = placement.locations_of(&code, &code.step[..code.sampled]);
        let uses = CellUses::new(program, &code, &placement, [&major, &after], driven.as_deref());
        let mut plan = Plan {
            code: Arc::default(),
            bodies: Vec::new(),
            exchanges: Vec::new(),
            locations: remote.blocks.iter().map(|_| Location::default()).collect(),
            major: 0..0,
            rest: 0..0,
            fingerprint: 0,
        };
        let mut lists: Vec<(u32, Vec<Instruction>)> = Vec::new();
        let mut order = InstructionOrder::new(code.cells, program.history_count);
        let first = plan.cut(&mut order, &code, &code.step[..code.sampled], &major, &mut lists);
        plan.major = 0..lists.len();
        let second = plan.cut(&mut order, &code, &code.step[code.sampled..], &after, &mut lists);
        let of_driven = code.driven.as_ref().zip(driven.as_deref());
        let rates =
            of_driven.map(|(driven, locations)| plan.cut(&mut order, &code, &driven.list, locations, &mut lists));
        plan.rest = plan.major.end..lists.len();
        let mut branches = Vec::with_capacity(code.branches.len());
        for ((branch, locations), is_here) in code.branches.iter().zip(&placement.branches).zip(&uses.is_here) {
            let mut branch = branch.clone();
            if let Some([body, otherwise]) = locations.as_ref().filter(|_| *is_here) {
                branch.body = plan.cut(&mut order, &code, &branch.body, body, &mut lists);
                branch.otherwise = plan.cut(&mut order, &code, &branch.otherwise, otherwise, &mut lists);
            }
            branches.push(branch);
        }
        plan.add_locations(program, &code, &uses, &lists, &remote.locations);
        plan.add_bodies(&code, &uses, lists);
        code.sampled = first.len();
        code.step = [first, second].concat();
        code.branches = Arc::new(branches);
        if let (Some(driven), Some(rates)) = (&mut code.driven, rates) {
            driven.list = rates;
        }
        plan.code = Arc::new(code);
        plan.fingerprint = plan.fingerprint_of(program);
        Some(plan)
    }

    /// Cuts a list and notes the bodies of its exchanges.
    fn cut(
        &mut self,
        order: &mut InstructionOrder,
        code: &StepCode,
        list: &[Instruction],
        locations: &[u32],
        lists: &mut Vec<(u32, Vec<Instruction>)>,
    ) -> Vec<Instruction> {
        let mut found = Vec::with_capacity(list.len());
        for piece in cut(order, code, list, locations) {
            match piece {
                Cut::Here(ins) => found.push(ins),
                Cut::Exchange(bodies) => {
                    let opcode = Opcode::Exchange(self.exchanges.len() as u32);
                    self.exchanges.push((lists.len()..lists.len() + bodies.len()).collect());
                    lists.extend(bodies);
                    let args = [Operand::Broadcast(0); 3];
                    found.push(Instruction { opcode, elements: 0, dst: 0, args });
                }
            }
        }
        found
    }

    /// Collects the cells of each location.
    fn add_locations(
        &mut self,
        program: &Program,
        code: &StepCode,
        uses: &CellUses,
        lists: &[(u32, Vec<Instruction>)],
        locations: &UnitMap<u32>,
    ) {
        for (number, location) in (0..).zip(&mut self.locations) {
            let mut cells = Vec::new();
            for ins in lists.iter().filter(|(location, _)| *location == number).flat_map(|(_, list)| list) {
                code.each_read(ins, |cell, _| cells.push(cell));
                cells.extend(code.writes(ins));
            }
            cells.sort_unstable();
            cells.dedup();
            let is_own = |cell: &u32| matches!(uses.writers[*cell as usize], location if location == number || location == SEVERAL);
            let indices = |moves: &Bindings| {
                let all = moves.0.iter().flat_map(|piece| piece.cell..piece.cell + piece.count).filter(is_own);
                let mut found: Vec<u32> =
                    all.filter_map(|cell| cells.binary_search(&cell).ok()).map(|index| index as u32).collect();
                found.sort_unstable();
                found.dedup();
                found
            };
            location.values = indices(&code.values);
            location.states = indices(&code.discrete);
            location.states.extend(indices(&code.continuous));
            location.cells = cells;
            for (unit, _) in program.units.values().zip(locations.values()).filter(|(_, location)| **location == number)
            {
                for slot in program.states_of(unit) {
                    if let StateKind::History { length } = slot.kind {
                        location.history.extend(slot.offset..slot.offset + length as u32 * slot.width + 1);
                    }
                }
            }
        }
    }

    fn add_bodies(&mut self, code: &StepCode, uses: &CellUses, lists: Vec<(u32, Vec<Instruction>)>) {
        for (location, list) in lists {
            let cells = &self.locations[location as usize].cells;
            let (mut reads, mut writes) = (Vec::new(), Vec::new());
            for ins in &list {
                code.each_read(ins, |cell, _| reads.push(cell));
                writes.extend(code.writes(ins));
            }
            reads.retain(|&cell| ![UNKNOWN, location].contains(&uses.writers[cell as usize]));
            let indices = |mut list: Vec<u32>| -> Vec<u32> {
                list.sort_unstable();
                list.dedup();
                list.into_iter().filter_map(|cell| cells.binary_search(&cell).ok()).map(|index| index as u32).collect()
            };
            let (reads, writes) = (indices(reads), indices(writes));
            let is_seen = |index: &u32| {
                let cell = cells[*index as usize] as usize;
                ![UNKNOWN, location].contains(&uses.readers[cell]) || uses.writers[cell] != location
            };
            let exports = writes.iter().copied().filter(is_seen).collect();
            let can_fail = list.iter().any(|ins| can_fail(code, ins));
            let decoded = Decoded::new(code, &list);
            self.bodies.push(Body { location: location as usize, list, decoded, reads, writes, exports, can_fail });
        }
    }

    fn fingerprint_of(&self, program: &Program) -> u64 {
        let mut text = Hashed(crc32fast::Hasher::new());
        let StepCode { cells, delta, sampled, step, branches, params, constants, .. } = &*self.code;
        // Writing to a hash does not fail.
        let _ = write!(text, "{cells} {delta:?} {sampled} {step:?} {branches:?} {params:?} {constants:?}");
        let _ = write!(text, "{:?} {:?}", self.exchanges, program.solver.name());
        for body in &self.bodies {
            let _ = write!(text, "{} {:?} {:?} {:?}", body.location, body.list, body.reads, body.exports);
        }
        u64::from(text.0.finalize())
    }
}

struct Hashed(crc32fast::Hasher);

impl std::fmt::Write for Hashed {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

/// Whether an instruction may fail a step, or counts executed blocks.
fn can_fail(code: &StepCode, ins: &Instruction) -> bool {
    match ins.opcode {
        Opcode::Branch(number) => {
            let branch = &code.branches[number as usize];
            let mut inner = branch.body.iter().chain(&branch.otherwise);
            branch.executed > 0 || branch.repeat.is_some() || inner.any(|ins| can_fail(code, ins))
        }
        opcode => opcode.can_fail(),
    }
}
