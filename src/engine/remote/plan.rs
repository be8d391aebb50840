//! The tape of a program with remote blocks: which instructions run in which worker, and what an exchange carries.
//!
//! Both sides make the same plan of the same program, so that a message names instructions and cells by number. Whoever
//! runs an instruction, its operands have the same bits; that is why results do not depend on the locations.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

use super::super::Program;
use super::super::flat::{Decoded, Ins, Moves, NOBODY, Opcode, Operand, Tape};
use super::cut::{Cut, cut};
use super::locations::HERE;
use crate::block::StateKind;

/// A tape with exchanges.
#[derive(Debug)]
pub(super) struct Plan {
    pub tape: Arc<Tape>,
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
    pub list: Vec<Ins>,
    pub decoded: Decoded,
    /// What it reads that others may have written since.
    pub reads: Vec<u32>,
    pub writes: Vec<u32>,
    /// Of what it writes, what others read.
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

/// Not known yet, and nowhere in particular.
const UNKNOWN: u32 = u32::MAX - 1;
const ANYWHERE: u32 = u32::MAX - 2;
/// In several locations.
const SEVERAL: u32 = u32::MAX - 3;

impl Plan {
    /// Makes the plan of a program; none if it has no remote blocks.
    pub fn new(program: &Program) -> Option<Plan> {
        let remote = program.remote.as_ref()?;
        let mut tape = Tape::by_locations(program, &remote.locations);
        let mut placing = Placing::new(program, &tape, &remote.locations);
        let driven = tape.driven.as_ref().map(|driven| placing.locations_of(&tape, &driven.list));
        let after = placing.locations_of(&tape, &tape.step[tape.sampled..]);
        let major = placing.locations_of(&tape, &tape.step[..tape.sampled]);
        let uses = Uses::new(program, &tape, &placing, [&major, &after], driven.as_deref());
        let mut plan = Plan {
            tape: Arc::default(),
            bodies: Vec::new(),
            exchanges: Vec::new(),
            locations: remote.blocks.iter().map(|_| Location::default()).collect(),
            major: 0..0,
            rest: 0..0,
            fingerprint: 0,
        };
        let mut lists: Vec<(u32, Vec<Ins>)> = Vec::new();
        let first = plan.cut(&tape, &tape.step[..tape.sampled], &major, &mut lists);
        plan.major = 0..lists.len();
        let second = plan.cut(&tape, &tape.step[tape.sampled..], &after, &mut lists);
        let of_driven = tape.driven.as_ref().zip(driven.as_deref());
        let rates = of_driven.map(|(driven, locations)| plan.cut(&tape, &driven.list, locations, &mut lists));
        plan.rest = plan.major.end..lists.len();
        let mut branches = Vec::with_capacity(tape.branches.len());
        for ((branch, locations), is_here) in tape.branches.iter().zip(&placing.branches).zip(&uses.is_here) {
            let mut branch = branch.clone();
            if let Some([body, otherwise]) = locations.as_ref().filter(|_| *is_here) {
                branch.body = plan.cut(&tape, &branch.body, body, &mut lists);
                branch.otherwise = plan.cut(&tape, &branch.otherwise, otherwise, &mut lists);
            }
            branches.push(branch);
        }
        plan.add_locations(program, &tape, &uses, &lists, &remote.locations);
        plan.add_bodies(&tape, &uses, lists);
        tape.sampled = first.len();
        tape.step = [first, second].concat();
        tape.branches = Arc::new(branches);
        if let (Some(driven), Some(rates)) = (&mut tape.driven, rates) {
            driven.list = rates;
        }
        plan.tape = Arc::new(tape);
        plan.fingerprint = plan.fingerprint_of(program);
        Some(plan)
    }

    /// Cuts a list and notes the bodies of its exchanges.
    fn cut(&mut self, tape: &Tape, list: &[Ins], locations: &[u32], lists: &mut Vec<(u32, Vec<Ins>)>) -> Vec<Ins> {
        let mut found = Vec::with_capacity(list.len());
        for piece in cut(tape, list, locations) {
            match piece {
                Cut::Here(ins) => found.push(ins),
                Cut::Exchange(bodies) => {
                    let opcode = Opcode::Exchange(self.exchanges.len() as u32);
                    self.exchanges.push((lists.len()..lists.len() + bodies.len()).collect());
                    lists.extend(bodies);
                    let args = [Operand::Broadcast(0); 3];
                    found.push(Ins { opcode, elements: 0, dst: 0, args });
                }
            }
        }
        found
    }

    /// Collects the cells of each location.
    fn add_locations(&mut self, program: &Program, tape: &Tape, uses: &Uses, lists: &[(u32, Vec<Ins>)], units: &[u32]) {
        for (number, location) in (0..).zip(&mut self.locations) {
            let mut cells = Vec::new();
            for ins in lists.iter().filter(|(location, _)| *location == number).flat_map(|(_, list)| list) {
                tape.each_read(ins, |cell, _| cells.push(cell));
                cells.extend(tape.writes(ins));
            }
            cells.sort_unstable();
            cells.dedup();
            let is_own = |cell: &u32| matches!(uses.writers[*cell as usize], location if location == number || location == SEVERAL);
            let indices = |moves: &Moves| {
                let all = moves.0.iter().flat_map(|piece| piece.cell..piece.cell + piece.count).filter(is_own);
                let mut found: Vec<u32> =
                    all.filter_map(|cell| cells.binary_search(&cell).ok()).map(|index| index as u32).collect();
                found.sort_unstable();
                found.dedup();
                found
            };
            location.values = indices(&tape.values);
            location.states = indices(&tape.discrete);
            location.states.extend(indices(&tape.continuous));
            location.cells = cells;
            for (unit, _) in program.units.iter().zip(units).filter(|(_, location)| **location == number) {
                for slot in program.states_of(unit) {
                    if let StateKind::History { length } = slot.kind {
                        location.history.extend(slot.offset..slot.offset + length as u32 * slot.width + 1);
                    }
                }
            }
        }
    }

    fn add_bodies(&mut self, tape: &Tape, uses: &Uses, lists: Vec<(u32, Vec<Ins>)>) {
        for (location, list) in lists {
            let cells = &self.locations[location as usize].cells;
            let (mut reads, mut writes) = (Vec::new(), Vec::new());
            for ins in &list {
                tape.each_read(ins, |cell, _| reads.push(cell));
                writes.extend(tape.writes(ins));
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
            let can_fail = list.iter().any(|ins| can_fail(tape, ins));
            let decoded = Decoded::new(tape, &list);
            self.bodies.push(Body { location: location as usize, list, decoded, reads, writes, exports, can_fail });
        }
    }

    fn fingerprint_of(&self, program: &Program) -> u64 {
        let mut text = Hashed(crc32fast::Hasher::new());
        let Tape { cells, delta, sampled, step, branches, params, constants, .. } = &*self.tape;
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
fn can_fail(tape: &Tape, ins: &Ins) -> bool {
    match ins.opcode {
        Opcode::Branch(number) => {
            let branch = &tape.branches[number as usize];
            let mut inner = branch.body.iter().chain(&branch.otherwise);
            branch.executed > 0 || branch.repeat.is_some() || inner.any(|ins| can_fail(tape, ins))
        }
        opcode => opcode.can_fail(),
    }
}

/// Decides where each instruction runs: with its ring buffer, state or unit, otherwise with what reads its result.
struct Placing<'a> {
    units: &'a [u32],
    /// The locations of states, by cell, and of ring buffers, by their first element.
    states: HashMap<u32, u32>,
    rings: HashMap<u32, u32>,
    /// Where the results are read by what runs later.
    marks: Vec<u32>,
    /// The locations of the instructions of each branch, once they are known: of the body, and otherwise.
    branches: Vec<Option<[Vec<u32>; 2]>>,
}

impl<'a> Placing<'a> {
    fn new(program: &Program, tape: &Tape, units: &'a [u32]) -> Placing<'a> {
        let mut by_offset: [HashMap<u32, u32>; 2] = [HashMap::new(), HashMap::new()];
        let mut rings = HashMap::new();
        for (unit, &location) in program.units.iter().zip(units) {
            for slot in program.states_of(unit) {
                let offsets = slot.offset..slot.offset + slot.width;
                match slot.kind {
                    StateKind::Discrete => by_offset[0].extend(offsets.map(|offset| (offset, location))),
                    StateKind::Continuous => by_offset[1].extend(offsets.map(|offset| (offset, location))),
                    StateKind::History { .. } => drop(rings.insert(slot.offset, location)),
                }
            }
        }
        let mut states = HashMap::new();
        for (locations, moves) in by_offset.iter().zip([&tape.discrete, &tape.continuous]) {
            for piece in &moves.0 {
                let cells = (0..piece.count).map(|element| (piece.offset + element, piece.cell + element));
                states.extend(cells.filter_map(|(offset, cell)| Some((cell, *locations.get(&offset)?))));
            }
        }
        let mut marks = vec![UNKNOWN; tape.cells];
        tape.report_cells().for_each(|cell| marks[cell as usize] = HERE);
        let branches = vec![None; tape.branches.len()];
        Placing { units, states, rings, marks, branches }
    }

    /// Returns the locations of a list, which runs before all lists that were asked for before.
    fn locations_of(&mut self, tape: &Tape, list: &[Ins]) -> Vec<u32> {
        let mut locations = self.known(tape, list);
        locations.iter_mut().filter(|location| **location == ANYWHERE).for_each(|location| *location = HERE);
        locations
    }

    fn known(&mut self, tape: &Tape, list: &[Ins]) -> Vec<u32> {
        let mut locations = vec![ANYWHERE; list.len()];
        for (number, ins) in list.iter().enumerate().rev() {
            let location = match ins.opcode {
                Opcode::Branch(branch) => self.branch(tape, branch),
                Opcode::Push(ring) | Opcode::Past(ring) | Opcode::Fill(ring) => {
                    self.rings.get(&ring.first).copied().unwrap_or(HERE)
                }
                Opcode::Solve { .. } | Opcode::RefuseNonFinite | Opcode::LimitRuns => HERE,
                _ => self.by_result(tape, ins),
            };
            locations[number] = location;
            if !matches!(ins.opcode, Opcode::Branch(_)) && location != ANYWHERE {
                tape.each_read(ins, |cell, _| mark(&mut self.marks[cell as usize], location));
            }
        }
        locations
    }

    fn by_result(&self, tape: &Tape, ins: &Ins) -> u32 {
        let Some(owners) = &tape.owners else { return HERE };
        if let Some(&location) = self.states.get(&owners.major(ins.dst)) {
            return location;
        }
        let owner = owners.owner(ins.dst);
        if owner != NOBODY {
            return self.units[owner as usize];
        }
        let mut found = UNKNOWN;
        tape.writes(ins).for_each(|cell| match self.marks[cell as usize] {
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
    fn branch(&mut self, tape: &Tape, number: u32) -> u32 {
        let branch = &tape.branches[number as usize];
        let mut otherwise = self.known(tape, &branch.otherwise);
        let mut body = self.known(tape, &branch.body);
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

fn mark(mark: &mut u32, location: u32) {
    *mark = if *mark == UNKNOWN || *mark == location { location } else { SEVERAL };
}

/// In which locations each cell is read and written: [`UNKNOWN`] in none.
struct Uses {
    readers: Vec<u32>,
    writers: Vec<u32>,
    /// For each branch whether it runs here.
    is_here: Vec<bool>,
}

impl Uses {
    /// `phases` has the locations of the step's instructions, `driven` those of the list that computes the rates.
    fn new(program: &Program, tape: &Tape, placing: &Placing, phases: [&[u32]; 2], driven: Option<&[u32]>) -> Uses {
        let mut uses = Uses {
            readers: vec![UNKNOWN; tape.cells],
            writers: vec![UNKNOWN; tape.cells],
            is_here: vec![false; tape.branches.len()],
        };
        uses.list(tape, placing, &tape.step[..tape.sampled], phases[0]);
        uses.list(tape, placing, &tape.step[tape.sampled..], phases[1]);
        tape.report_cells().for_each(|cell| uses.read(cell, HERE));
        let Some((of_tape, locations)) = tape.driven.as_ref().zip(driven) else { return uses };
        uses.list(tape, placing, &of_tape.list, locations);
        let cells = |moves: &Moves| -> Vec<u32> {
            moves.0.iter().flat_map(|piece| piece.cell..piece.cell + piece.count).collect()
        };
        let written = [cells(&of_tape.x), cells(&of_tape.modes), vec![of_tape.time]];
        written.iter().flatten().for_each(|&cell| uses.write(cell, HERE));
        let read = [cells(&of_tape.rates), cells(&of_tape.nexts), cells(&of_tape.modes)];
        read.iter().flatten().for_each(|&cell| uses.read(cell, HERE));
        // The solver asks which subsystems run, and what they hold.
        for (number, subsystem) in (0..).zip(&program.subsystems) {
            for output in subsystem.exits.iter().map(|exit| exit.output).chain([program.runs_of(number)]) {
                let (first, width) = (tape.outputs[output as usize], program.outputs[output as usize].width);
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

    fn list(&mut self, tape: &Tape, placing: &Placing, list: &[Ins], locations: &[u32]) {
        for (ins, &location) in list.iter().zip(locations) {
            match ins.opcode {
                Opcode::Branch(number) if location == HERE => self.branch(tape, placing, number),
                _ => {
                    tape.each_read(ins, |cell, _| mark(&mut self.readers[cell as usize], location));
                    tape.writes(ins).for_each(|cell| mark(&mut self.writers[cell as usize], location));
                }
            }
        }
    }

    fn branch(&mut self, tape: &Tape, placing: &Placing, number: u32) {
        self.is_here[number as usize] = true;
        let branch = &tape.branches[number as usize];
        self.read(branch.guard, HERE);
        if let Some(repeat) = branch.repeat {
            self.write(repeat.iteration, HERE);
            repeat.condition.iter().for_each(|&cell| self.read(cell, HERE));
        }
        let Some([body, otherwise]) = &placing.branches[number as usize] else { return };
        self.list(tape, placing, &branch.body, body);
        self.list(tape, placing, &branch.otherwise, otherwise);
    }
}
