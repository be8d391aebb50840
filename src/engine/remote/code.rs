//! The instructions of a body as machine code, as far as that is possible and pays.

use std::sync::Arc;

use super::super::native::MachineCode;
use super::exports::Exports;
use super::placement::{UNKNOWN, mark};
use super::plan::{Body, Location, Plan};
use crate::engine::step_code::{Decoded, Instruction, Machine, Opcode, StepCode};

/// A body, ready to run on the machine whose step code it is of.
///
/// Values that only its own machine code reads may be left out of the cells: the outputs of its blocks are there only
/// after the body was interpreted.
#[derive(Debug)]
pub(super) struct BodyCode(Vec<Piece>);

#[derive(Debug)]
enum Piece {
    /// Interpreted.
    List(Vec<Instruction>, Decoded),
    MachineCode(Box<MachineCode>),
}

/// Fewer elements than this are interpreted: a call has its cost, too.
const MIN_NATIVE_ELEMENTS: u64 = 32;

impl BodyCode {
    /// Compiles the bodies of a location, by number; `None` for those of others.
    pub fn of_location(plan: &Plan, location: usize, exports: &Exports) -> Vec<Option<BodyCode>> {
        let bodies = || plan.bodies.iter().map(|body| (body.location == location).then_some(body));
        let mut uses = PieceUses::new(plan, location, exports);
        bodies().flatten().flat_map(pieces).zip(0..).for_each(|(list, piece)| uses.read(&plan.code, list, piece));
        let mut first = 0;
        let compile = |(number, body): (usize, Option<&Body>)| {
            let body = body?;
            let is_in_branch = number >= plan.rest.end;
            let pieces = pieces(body).zip(first..).map(|(list, piece)| {
                first = piece + 1;
                // The results of a branch are also read in steps in which it does not run.
                Piece::new(&plan.code, list, |cell| is_in_branch || uses.is_kept(cell, piece))
            });
            Some(BodyCode(pieces.collect()))
        };
        bodies().enumerate().map(compile).collect()
    }

    pub fn run(&self, machine: &mut Machine) {
        for piece in &self.0 {
            match piece {
                Piece::List(list, decoded) => machine.run_list(decoded, list),
                Piece::MachineCode(native) => {
                    let (step, fault) = (machine.step, machine.fault.take());
                    let ran = native.run(machine, 1, &mut []);
                    (machine.step, machine.fault) = (step, fault.or(ran.err()));
                }
            }
        }
    }
}

/// The instructions of a body in pieces that are machine code or not.
fn pieces(body: &Body) -> impl Iterator<Item = &[Instruction]> {
    body.list.chunk_by(|a, b| is_plain(a.opcode) == is_plain(b.opcode))
}

/// Whether an instruction does nothing but compute its result.
fn is_plain(opcode: Opcode) -> bool {
    opcode.is_pure()
}

impl Piece {
    fn new(code: &Arc<StepCode>, list: &[Instruction], is_kept: impl Fn(u32) -> bool) -> Piece {
        let elements: u64 = list.iter().map(|ins| u64::from(ins.elements)).sum();
        let native = (elements >= MIN_NATIVE_ELEMENTS && is_plain(list[0].opcode)).then(|| {
            let mut kept = vec![false; code.cells];
            list.iter().flat_map(|ins| code.writes(ins)).for_each(|cell| kept[cell as usize] = is_kept(cell));
            MachineCode::of_list_in_place(code, list, &kept)
        });
        match native {
            Some(Ok(native)) => Piece::MachineCode(Box::new(native)),
            _ => Piece::List(list.to_vec(), Decoded::new(code, list)),
        }
    }
}

/// Which cells the pieces of a location must leave in memory.
struct PieceUses {
    /// Whether a cell is exported or fetched.
    is_told: Vec<bool>,
    /// The piece that reads a cell, by number over all bodies.
    readers: Vec<u32>,
}

impl PieceUses {
    fn new(plan: &Plan, location: usize, exports: &Exports) -> PieceUses {
        let Location { cells, states, .. } = &plan.locations[location];
        let mut is_told = vec![false; plan.code.cells];
        let told = (0..plan.bodies.len()).flat_map(|body| exports.of(body)).chain(states);
        told.for_each(|&index| is_told[cells[index as usize] as usize] = true);
        PieceUses { is_told, readers: vec![UNKNOWN; plan.code.cells] }
    }

    fn read(&mut self, code: &StepCode, list: &[Instruction], piece: u32) {
        let readers = &mut self.readers;
        list.iter().for_each(|ins| code.each_read(ins, |cell, _| mark(&mut readers[cell as usize], piece)));
    }

    /// Whether a cell is visible outside this piece. A cell that the piece reads before it writes it is left in memory
    /// anyway.
    fn is_kept(&self, cell: u32, piece: u32) -> bool {
        let reader = self.readers[cell as usize];
        self.is_told[cell as usize] || reader != UNKNOWN && reader != piece
    }
}
