//! Cuts a step's instructions into nodes: what one thread runs in one go, by unit, vectors also by lanes.

use super::super::flat::{Act, Arg, Code, Decoded, Ins, NOBODY};

/// Instructions that stand together.
#[derive(Debug)]
pub(super) struct Node {
    pub list: Vec<Ins>,
    /// Whether only the main context can run it.
    pub is_pinned: bool,
}

/// The nodes of the pass that counts, and of what follows it.
pub(super) fn nodes(code: &Code) -> [Vec<Node>; 2] {
    [&code.step[..code.sampled], &code.step[code.sampled..]].map(|list| {
        let mut nodes: Vec<Node> = Vec::new();
        let mut last = NOBODY;
        for ins in list {
            let is_pinned = is_pinned(code, ins);
            let owner = if is_pinned { NOBODY } else { owner(code, ins) };
            match nodes.last_mut() {
                Some(node) if owner == last && owner != NOBODY => node.list.push(*ins),
                _ => nodes.push(Node { list: vec![*ins], is_pinned }),
            }
            last = owner;
        }
        nodes
    })
}

/// The unit that an instruction belongs to.
pub(super) fn owner(code: &Code, ins: &Ins) -> u32 {
    let Some(owners) = &code.owners else { return NOBODY };
    match ins.act {
        Act::Branch(_) => NOBODY,
        _ if ins.written() == 0 => NOBODY,
        _ => owners.owner(ins.dst),
    }
}

/// The unit to name for an instruction: of a branch its gate.
pub(super) fn named(code: &Code, ins: &Ins) -> Option<usize> {
    let unit = match ins.act {
        Act::Branch(number) => code.owners.as_ref()?.owner(code.branches[number as usize].guard),
        _ => owner(code, ins),
    };
    (unit != NOBODY).then_some(unit as usize)
}

/// Histories, solvers, the clock and what may fail but for a branch's limit are the main context's.
fn is_pinned(code: &Code, ins: &Ins) -> bool {
    match ins.act {
        Act::Push(_) | Act::Past(_) | Act::Fill(_) => true,
        Act::Solve { .. }
        | Act::Loop { .. }
        | Act::Call { .. }
        | Act::RefuseNonFinite
        | Act::LimitRuns
        | Act::Ahead(_) => true,
        // Too short to be sent anywhere.
        Act::Step | Act::StepTime | Act::StageTime(_) | Act::Hit(_) | Act::Count(_) => true,
        Act::Branch(number) => {
            let branch = &code.branches[number as usize];
            branch.body.iter().chain(&branch.otherwise).any(|ins| is_pinned(code, ins))
        }
        _ => false,
    }
}

/// The node in so many pieces, lanes side by side, where every lane is made from the same lane of what the node makes.
pub(super) fn chunks(code: &Code, node: Node, pieces: u32, least_lanes: u32) -> Vec<Node> {
    let lanes = node.list[0].lanes;
    let pieces = pieces.min(lanes / least_lanes.max(1));
    if pieces < 2 || node.is_pinned || !is_lane_by_lane(code, &node.list) {
        return vec![node];
    }
    // Whole groups of lanes that are made at once.
    let length = lanes.div_ceil(pieces).next_multiple_of(8);
    let firsts = (0..lanes).step_by(length as usize);
    let chunk = |first: u32| {
        let lanes = length.min(lanes - first);
        let of = |ins: &Ins| Ins { lanes, dst: ins.dst + first, args: ins.args.map(|arg| moved(arg, first)), ..*ins };
        Node { list: node.list.iter().map(of).collect(), is_pinned: false }
    };
    firsts.map(chunk).collect()
}

fn moved(arg: Arg, lanes: u32) -> Arg {
    match arg {
        Arg::One(at) => Arg::One(at),
        Arg::Run(at) => Arg::Run(at + lanes),
        Arg::Table(at) => Arg::Table(at + lanes),
    }
}

/// Whether all that the node makes, and makes from its own results, stays in the same lane.
fn is_lane_by_lane(code: &Code, list: &[Ins]) -> bool {
    let lanes = list[0].lanes;
    let is_simple = |ins: &Ins| {
        let act = ins.act;
        let is_map = matches!(act, Act::Copy | Act::Unary(_) | Act::Binary(_) | Act::Select);
        (is_map || act == Act::Random { is_vector: false }) && ins.lanes == lanes
    };
    if list.len() > LONGEST || !list.iter().all(is_simple) {
        return false;
    }
    let is_apart = |dst: u32, first: u32| first == dst || first >= dst + lanes || dst >= first + lanes;
    list.iter().all(|writer| {
        let dst = writer.dst;
        let is_fit = |arg: Arg| match arg {
            Arg::One(at) => !(dst..dst + lanes).contains(&at),
            Arg::Run(at) => is_apart(dst, at),
            Arg::Table(_) => (0..lanes).all(|lane| {
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
        if let Some(tells) = &code.told {
            let reports = tells.first..tells.first + tells.reports.len() as u32;
            reports.chain([tells.any]).for_each(|cell| uses.note(cell, OTHERS));
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
