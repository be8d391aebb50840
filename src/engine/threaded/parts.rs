//! Cuts a step's instructions into nodes: what one thread runs in one go, by unit, vectors also by lanes.

use super::super::flat::{Code, Decoded, Ins, NOBODY, Opcode, Operand};

/// Instructions that stand together.
#[derive(Debug)]
pub(super) struct Fragment {
    pub list: Vec<Ins>,
    /// Whether only the main context can run it.
    pub is_pinned: bool,
}

/// The nodes of the major step, and of what follows it.
pub(super) fn fragments(code: &Code) -> [Vec<Fragment>; 2] {
    [&code.step[..code.sampled], &code.step[code.sampled..]].map(|list| {
        let mut fragments: Vec<Fragment> = Vec::new();
        let mut last = NOBODY;
        for ins in list {
            let is_pinned = is_pinned(code, ins);
            let owner = if is_pinned { NOBODY } else { owner(code, ins) };
            match fragments.last_mut() {
                Some(fragment) if owner == last && owner != NOBODY => fragment.list.push(*ins),
                _ => fragments.push(Fragment { list: vec![*ins], is_pinned }),
            }
            last = owner;
        }
        fragments
    })
}

/// The unit that an instruction belongs to.
pub(super) fn owner(code: &Code, ins: &Ins) -> u32 {
    let Some(owners) = &code.owners else { return NOBODY };
    match ins.opcode {
        Opcode::Branch(_) => NOBODY,
        _ if ins.written() == 0 => NOBODY,
        _ => owners.owner(ins.dst),
    }
}

/// The unit to name for an instruction: of a branch its enable unit.
pub(super) fn named(code: &Code, ins: &Ins) -> Option<usize> {
    let unit = match ins.opcode {
        Opcode::Branch(number) => code.owners.as_ref()?.owner(code.branches[number as usize].guard),
        _ => owner(code, ins),
    };
    (unit != NOBODY).then_some(unit as usize)
}

/// Histories, solvers, the clock and what may fail but for a branch's limit are the main context's.
fn is_pinned(code: &Code, ins: &Ins) -> bool {
    match ins.opcode {
        Opcode::Push(_) | Opcode::Past(_) | Opcode::Fill(_) => true,
        Opcode::Solve { .. }
        | Opcode::AlgebraicLoop { .. }
        | Opcode::Call { .. }
        | Opcode::RefuseNonFinite
        | Opcode::LimitRuns
        | Opcode::Precomputed(_) => true,
        // Too short to be sent anywhere.
        Opcode::Step | Opcode::StepTime | Opcode::StageTime(_) | Opcode::Hit(_) | Opcode::Count(_) => true,
        Opcode::Branch(number) => {
            let branch = &code.branches[number as usize];
            branch.body.iter().chain(&branch.otherwise).any(|ins| is_pinned(code, ins))
        }
        _ => false,
    }
}

/// The node in so many pieces, lanes side by side, where every lane is made from the same lane of what the node makes.
pub(super) fn chunks(code: &Code, fragment: Fragment, pieces: u32, least_lanes: u32) -> Vec<Fragment> {
    let lanes = fragment.list[0].lanes;
    let pieces = pieces.min(lanes / least_lanes.max(1));
    if pieces < 2 || fragment.is_pinned || !is_lane_by_lane(code, &fragment.list) {
        return vec![fragment];
    }
    // Whole groups of lanes that are made at once.
    let length = lanes.div_ceil(pieces).next_multiple_of(8);
    let firsts = (0..lanes).step_by(length as usize);
    let chunk = |first: u32| {
        let lanes = length.min(lanes - first);
        let of = |ins: &Ins| Ins { lanes, dst: ins.dst + first, args: ins.args.map(|arg| moved(arg, first)), ..*ins };
        Fragment { list: fragment.list.iter().map(of).collect(), is_pinned: false }
    };
    firsts.map(chunk).collect()
}

fn moved(arg: Operand, lanes: u32) -> Operand {
    match arg {
        Operand::Broadcast(at) => Operand::Broadcast(at),
        Operand::Contiguous(at) => Operand::Contiguous(at + lanes),
        Operand::Gather(at) => Operand::Gather(at + lanes),
    }
}

/// Whether all that the node makes, and makes from its own results, stays in the same lane.
fn is_lane_by_lane(code: &Code, list: &[Ins]) -> bool {
    let lanes = list[0].lanes;
    let is_simple = |ins: &Ins| {
        let opcode = ins.opcode;
        let is_map = matches!(opcode, Opcode::Copy | Opcode::Unary(_) | Opcode::Binary(_) | Opcode::Select);
        (is_map || opcode == Opcode::Random { is_vector: false }) && ins.lanes == lanes
    };
    if list.len() > LONGEST || !list.iter().all(is_simple) {
        return false;
    }
    let is_apart = |dst: u32, first: u32| first == dst || first >= dst + lanes || dst >= first + lanes;
    list.iter().all(|writer| {
        let dst = writer.dst;
        let is_fit = |arg: Operand| match arg {
            Operand::Broadcast(at) => !(dst..dst + lanes).contains(&at),
            Operand::Contiguous(at) => is_apart(dst, at),
            Operand::Gather(_) => (0..lanes).all(|lane| {
                let cell = arg.cell(&code.tables, lane);
                cell == dst + lane || !(dst..dst + lanes).contains(&cell)
            }),
        };
        list.iter().all(|ins| is_apart(dst, ins.dst) && ins.reads().all(|(arg, _)| is_fit(arg)))
    })
}

/// Longer lists are not looked at for lanes.
const LONGEST: usize = 64;

/// What one thread runs in one go.
#[derive(Debug)]
pub(super) struct Job {
    /// Unique in its program.
    pub number: usize,
    pub list: Vec<Ins>,
    pub decoded: Decoded,
    /// Cells by first and count: those it reads that no step writes, those it reads of what steps write, and its results.
    pub steady: Vec<(u32, u32)>,
    pub reads: Vec<(u32, u32)>,
    pub writes: Vec<(u32, u32)>,
}

/// Who reads each cell.
pub(super) struct Uses {
    /// Nobody, a job by its number, or others.
    readers: Vec<u32>,
    /// Whether a step writes it.
    is_moving: Vec<bool>,
    /// Scratch: the job that wrote, or first read, the cell.
    written: Vec<u32>,
    seen: Vec<u32>,
}

const NONE: u32 = u32::MAX;
const OTHERS: u32 = u32::MAX - 1;

impl Uses {
    /// Of a step whose jobs have these lists, each by its number, and of all that the main context runs itself.
    pub fn new<'a>(code: &Code, jobs: impl Iterator<Item = &'a [Ins]>, own: impl Iterator<Item = &'a [Ins]>) -> Uses {
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

    pub fn job(&mut self, code: &Code, number: usize, list: Vec<Ins>) -> Job {
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
        // What the job reads before it writes it goes from step to step.
        writes.retain(|&cell| {
            let reader = self.readers[cell as usize];
            self.seen[cell as usize] == own || (reader != NONE && reader != own)
        });
        let decoded = Decoded::new(code, &list);
        let [steady, reads, writes] = [steady, reads, writes].map(pieces);
        Job { number, list, decoded, steady, reads, writes }
    }
}

fn pieces(mut cells: Vec<u32>) -> Vec<(u32, u32)> {
    cells.sort_unstable();
    cells.chunk_by(|a, b| a + 1 == *b).map(|piece| (piece[0], piece.len() as u32)).collect()
}
