//! Cuts the instructions of a step into fragments, which run without interruption on one thread: by unit, and long
//! vectors also by elements.

use crate::engine::UnitId;
use crate::engine::step_code::{CellRange, Decoded, Instruction, Opcode, Operand, StepCode};

/// Consecutive instructions of one unit.
#[derive(Debug)]
pub(super) struct Fragment {
    pub list: Vec<Instruction>,
    /// Whether only the main context can run it.
    pub is_pinned: bool,
}

/// Returns the fragments of the major step, and of the remaining instructions.
pub(super) fn fragments(code: &StepCode) -> [Vec<Fragment>; 2] {
    [&code.step[..code.sampled], &code.step[code.sampled..]].map(|list| {
        let mut fragments: Vec<Fragment> = Vec::new();
        let mut last = None;
        for ins in list {
            let is_pinned = is_pinned(code, ins);
            let owner = if is_pinned { None } else { owner(code, ins) };
            match fragments.last_mut() {
                Some(fragment) if owner == last && owner.is_some() => fragment.list.push(*ins),
                _ => fragments.push(Fragment { list: vec![*ins], is_pinned }),
            }
            last = owner;
        }
        fragments
    })
}

/// Returns the unit to which an instruction belongs.
pub(super) fn owner(code: &StepCode, ins: &Instruction) -> Option<UnitId> {
    match ins.opcode {
        Opcode::Branch(_) => None,
        _ if ins.written() == 0 => None,
        _ => code.owner(ins.dst),
    }
}

/// Returns the unit to name in an error of an instruction: for a branch its enable unit.
pub(super) fn named(code: &StepCode, ins: &Instruction) -> Option<UnitId> {
    match ins.opcode {
        Opcode::Branch(number) => code.owner(code.branches[number as usize].guard),
        _ => owner(code, ins),
    }
}

/// Whether only the main context may run an instruction: histories, solvers, the clock, and operations that may fail
/// other than by the limit of a branch.
fn is_pinned(code: &StepCode, ins: &Instruction) -> bool {
    match ins.opcode {
        Opcode::Push(_) | Opcode::Past(_) | Opcode::Fill(_) | Opcode::Recorded { .. } => true,
        Opcode::Solve { .. }
        | Opcode::AlgebraicLoop { .. }
        | Opcode::Call { .. }
        | Opcode::RefuseNonFinite
        | Opcode::LimitRuns
        | Opcode::Precomputed(_) => true,
        // Too short to be sent to a worker.
        Opcode::Step | Opcode::StepTime | Opcode::StageTime(_) | Opcode::Hit(_) | Opcode::Count(_) => true,
        Opcode::Branch(number) => {
            let branch = &code.branches[number as usize];
            branch.body.iter().chain(&branch.otherwise).any(|ins| is_pinned(code, ins))
        }
        _ => false,
    }
}

/// Cuts a fragment into at most `pieces` ranges of elements, if each element depends only on the same element of the
/// fragment's own results; otherwise returns it whole.
pub(super) fn chunks(code: &StepCode, fragment: Fragment, pieces: u32, min_elements: u32) -> Vec<Fragment> {
    let elements = fragment.list[0].elements;
    let pieces = pieces.min(elements / min_elements.max(1));
    if pieces < 2 || fragment.is_pinned || !is_element_by_element(code, &fragment.list) {
        return vec![fragment];
    }
    // A multiple of the number of elements that are computed at once.
    let length = elements.div_ceil(pieces).next_multiple_of(8);
    let firsts = (0..elements).step_by(length as usize);
    let chunk = |first: u32| {
        let elements = length.min(elements - first);
        let of = |ins: &Instruction| Instruction {
            elements,
            dst: ins.dst + first,
            args: ins.args.map(|arg| moved(arg, first)),
            ..*ins
        };
        Fragment { list: fragment.list.iter().map(of).collect(), is_pinned: false }
    };
    firsts.map(chunk).collect()
}

fn moved(arg: Operand, elements: u32) -> Operand {
    match arg {
        Operand::Broadcast(at) => Operand::Broadcast(at),
        Operand::Contiguous(at) => Operand::Contiguous(at + elements),
        Operand::Gather(at) => Operand::Gather(at + elements),
    }
}

/// Whether each element of the fragment's results depends only on the same element of its own results.
fn is_element_by_element(code: &StepCode, list: &[Instruction]) -> bool {
    let elements = list[0].elements;
    let is_simple = |ins: &Instruction| {
        let opcode = ins.opcode;
        let is_map = matches!(opcode, Opcode::Copy | Opcode::Unary(_) | Opcode::Binary(_) | Opcode::Select);
        (is_map || opcode == Opcode::Random { is_vector: false }) && ins.elements == elements
    };
    if list.len() > LONGEST || !list.iter().all(is_simple) {
        return false;
    }
    let is_apart = |dst: u32, first: u32| first == dst || first >= dst + elements || dst >= first + elements;
    list.iter().all(|writer| {
        let dst = writer.dst;
        let is_fit = |arg: Operand| match arg {
            Operand::Broadcast(at) => !(dst..dst + elements).contains(&at),
            Operand::Contiguous(at) => is_apart(dst, at),
            Operand::Gather(_) => (0..elements).all(|element| {
                let cell = arg.cell(&code.tables, element);
                cell == dst + element || !(dst..dst + elements).contains(&cell)
            }),
        };
        list.iter().all(|ins| is_apart(dst, ins.dst) && ins.reads().all(|(arg, _)| is_fit(arg)))
    })
}

/// Longer lists are not cut by elements.
const LONGEST: usize = 64;

/// The instructions that one thread runs without interruption.
#[derive(Debug)]
pub(super) struct Job {
    /// Unique in its program.
    pub number: usize,
    pub list: Vec<Instruction>,
    pub decoded: Decoded,
    /// Ranges of cells as first and count: `steady` are cells it reads that no step writes, `reads` are cells it reads
    /// that steps write, `writes` are its results.
    pub steady: Vec<CellRange>,
    pub reads: Vec<CellRange>,
    pub writes: Vec<CellRange>,
}

/// The readers of each cell.
pub(super) struct Uses {
    /// [`NONE`], the number of a job, or [`OTHERS`].
    readers: Vec<u32>,
    /// Whether a step writes it.
    is_moving: Vec<bool>,
    /// Scratch memory: the job that wrote, or first read, the cell.
    written: Vec<u32>,
    seen: Vec<u32>,
}

const NONE: u32 = u32::MAX;
const OTHERS: u32 = u32::MAX - 1;

impl Uses {
    /// Collects the readers in a step from the lists of its jobs, in the order of their numbers, and from the lists
    /// that the main context runs.
    pub fn new<'a>(
        code: &StepCode,
        jobs: impl Iterator<Item = &'a [Instruction]>,
        own: impl Iterator<Item = &'a [Instruction]>,
    ) -> Uses {
        let mut uses = Uses {
            readers: vec![NONE; code.cells],
            is_moving: vec![false; code.cells],
            written: vec![NONE; code.cells],
            seen: vec![NONE; code.cells],
        };
        let lists = jobs.enumerate().map(|(number, list)| (number as u32, list));
        for (reader, list) in lists.chain(own.map(|list| (OTHERS, list))) {
            for ins in list {
                code.each_read(ins, |cell, _| uses.note(cell, reader));
                code.writes(ins).for_each(|cell| uses.is_moving[cell as usize] = true);
            }
        }
        let kept = [&code.values, &code.lasting, &code.discrete, &code.continuous];
        for piece in kept.into_iter().flat_map(|moves| &moves.0) {
            (piece.cell..piece.cell + piece.count).for_each(|cell| uses.note(cell, OTHERS));
        }
        if let Some(report_cells) = &code.reports {
            let reports = report_cells.first..report_cells.first + report_cells.reports.len() as u32;
            reports.chain([report_cells.any]).for_each(|cell| uses.note(cell, OTHERS));
        }
        uses
    }

    fn note(&mut self, cell: u32, reader: u32) {
        let known = &mut self.readers[cell as usize];
        *known = if *known == NONE || *known == reader { reader } else { OTHERS };
    }

    pub fn job(&mut self, code: &StepCode, number: usize, list: Vec<Instruction>) -> Job {
        let own = number as u32;
        let (mut steady, mut reads, mut writes) = (Vec::new(), Vec::new(), Vec::new());
        for ins in &list {
            code.each_read(ins, |cell, _| {
                let at = cell as usize;
                if self.written[at] != own && self.seen[at] != own {
                    self.seen[at] = own;
                    if self.is_moving[at] { reads.push(cell) } else { steady.push(cell) }
                }
            });
            for cell in code.writes(ins) {
                if std::mem::replace(&mut self.written[cell as usize], own) != own {
                    writes.push(cell);
                }
            }
        }
        // Cells that the job reads before it writes them keep their values from step to step.
        writes.retain(|&cell| {
            let reader = self.readers[cell as usize];
            self.seen[cell as usize] == own || (reader != NONE && reader != own)
        });
        let decoded = Decoded::new(code, &list);
        let [steady, reads, writes] = [steady, reads, writes].map(|mut cells: Vec<u32>| {
            cells.sort_unstable();
            CellRange::all(&cells)
        });
        Job { number, list, decoded, steady, reads, writes }
    }
}
