//! The instructions of a body as machine code, as far as that is possible and worth it.

use std::sync::Arc;

use super::super::flat::{Decoded, Ins, Machine, Opcode, Tape};
use super::super::native::Native;

/// A body, ready to run on the machine whose tape it is of.
#[derive(Debug)]
pub(super) struct BodyCode(Vec<Piece>);

#[derive(Debug)]
enum Piece {
    /// Interpreted.
    List(Vec<Ins>, Decoded),
    /// Machine code, and the cells that it writes, as first and count.
    Native(Box<Native>, Vec<(u32, u32)>),
}

/// Fewer elements than this are interpreted: a call has its cost, too.
const FEW: u64 = 32;

impl BodyCode {
    /// Compiles a list.
    pub fn new(tape: &Arc<Tape>, list: &[Ins]) -> BodyCode {
        let pieces = list.chunk_by(|a, b| is_plain(a.opcode) == is_plain(b.opcode)).map(|list| {
            let elements: u64 = list.iter().map(|ins| u64::from(ins.elements)).sum();
            let writes = ranges(tape, list);
            let native = (elements >= FEW && is_plain(list[0].opcode)).then(|| Native::of_list(tape, list, &writes));
            match native {
                Some(Ok(native)) => Piece::Native(Box::new(native), writes),
                _ => Piece::List(list.to_vec(), Decoded::new(tape, list)),
            }
        });
        BodyCode(pieces.collect())
    }

    /// Runs it; `log` is a buffer.
    pub fn run(&self, machine: &mut Machine, log: &mut Vec<f64>) {
        for piece in &self.0 {
            match piece {
                Piece::List(list, decoded) => machine.run_list(decoded, list),
                Piece::Native(native, writes) => {
                    let (step, fault) = (machine.step, machine.fault.take());
                    // The code writes all of its row.
                    if log.len() < native.row {
                        log.resize(native.row, 0.0);
                    }
                    let ran = native.run(machine, 1, log);
                    (machine.step, machine.fault) = (step, fault.or(ran.err()));
                    let mut rest = &log[..];
                    for &(first, count) in writes {
                        let (values, behind) = rest.split_at(count as usize);
                        machine.cells[first as usize..(first + count) as usize].copy_from_slice(values);
                        rest = behind;
                    }
                }
            }
        }
    }
}

/// Whether an instruction does nothing but compute its result.
fn is_plain(opcode: Opcode) -> bool {
    opcode.is_pure()
}

fn ranges(tape: &Tape, list: &[Ins]) -> Vec<(u32, u32)> {
    let mut cells: Vec<u32> = list.iter().flat_map(|ins| tape.writes(ins)).collect();
    cells.sort_unstable();
    cells.dedup();
    cells.chunk_by(|a, b| a + 1 == *b).map(|piece| (piece[0], piece.len() as u32)).collect()
}
