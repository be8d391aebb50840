//! Recurrences: a few elements that depend on one another through states, such as a second-order filter. Once their
//! operands are precomputed for a batch of steps, they can be executed for the whole batch, in a loop of their own,
//! with their states in registers.

use cranelift_codegen::entity::packed_option::PackedOption;
use cranelift_codegen::entity::{PrimaryMap, entity_impl};

use super::finder::{CellWriter, each_read_of_element};
use crate::block::Binary;
use crate::engine::program::graph::Graph;
use crate::engine::step_code::schedule::fusion::{FusedKind, kind_of};
use crate::engine::step_code::{CellRange, Instruction, Opcode, Operand, StepCode};

/// More elements than this are not examined.
const MAX_ELEMENTS: usize = 1 << 15;
/// Recurrences of more elements of vectors than this are better executed as vectors.
const MAX_MEMBERS: usize = 64;
/// The same limit if all are scalars.
const MAX_SCALARS: usize = 400;
/// The states of a loop at most: there are 16 registers.
const MAX_STATES: usize = 10;
/// The elements of a loop at most.
const MAX_WORK: usize = 60;

/// An element of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Member {
    pub at: u32,
    pub element: u32,
}

/// Counts the elements that may belong to a recurrence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct NodeId(u32);
entity_impl!(NodeId);

pub(super) struct Recurrence {
    /// In the order of the step.
    pub members: Vec<Member>,
    /// The cells that the rest of the step writes for it.
    pub reads: Vec<u32>,
    /// The cells that it writes for others.
    pub results: Vec<u32>,
}

/// Marks cells that no recurrence writes.
const NONE: u32 = u32::MAX;

#[derive(Default)]
pub(super) struct Recurrences {
    pub list: Vec<Recurrence>,
    /// For each cell the number of the recurrence that writes it; empty if there are none.
    of_cell: Vec<u32>,
}

impl Recurrences {
    /// The number of the recurrence that writes a cell.
    pub fn of(&self, cell: u32) -> Option<usize> {
        self.of_cell.get(cell as usize).filter(|number| **number != NONE).map(|number| *number as usize)
    }

    /// Finds the recurrences of the live instructions.
    pub fn find(code: &StepCode, is_live: &[bool], writers: &[CellWriter], watched: &[CellRange]) -> Recurrences {
        let search = Search::new(code, is_live, writers);
        if search.nodes.len() > MAX_ELEMENTS {
            return Recurrences::default();
        }
        let mut of_cell = vec![NONE; code.cells];
        let mut members = search.components();
        members.retain(|members| search.is_regular(members));
        for (number, members) in (0..).zip(&members) {
            members.iter().for_each(|member| of_cell[search.cell(*member) as usize] = number);
        }
        search.absorb(&mut members, &mut of_cell, watched);
        let mut list: Vec<Recurrence> =
            members.into_iter().map(|members| search.recurrence(members, &of_cell)).collect();
        search.results(&mut list, &of_cell, watched);
        Recurrences { list, of_cell }
    }
}

struct Search<'a> {
    code: &'a StepCode,
    is_live: &'a [bool],
    writers: &'a [CellWriter],
    /// All elements that can be in a recurrence.
    nodes: PrimaryMap<NodeId, Member>,
    /// For each cell the node that writes it.
    node_of: Vec<PackedOption<NodeId>>,
    /// Whether a cell is read at a time when it does not have the value of the step, by an instruction of the step, or
    /// no longer has that of the step before, by a state.
    is_irregular: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(code: &'a StepCode, is_live: &'a [bool], writers: &'a [CellWriter]) -> Search<'a> {
        let mut search = Search {
            code,
            is_live,
            writers,
            nodes: PrimaryMap::new(),
            node_of: vec![None.into(); code.cells],
            is_irregular: vec![false; code.cells],
        };
        for (at, ins) in (0..).zip(&code.step).filter(|(at, _)| is_live[*at as usize]) {
            code.each_read(ins, |cell, _| {
                if let CellWriter::One(writer) = writers[cell as usize] {
                    let is_state = writer as usize >= code.sampled;
                    search.is_irregular[cell as usize] |= if is_state { at > writer } else { at <= writer };
                }
            });
            if search.is_fit(at, ins) {
                for element in 0..ins.written() {
                    let node = search.nodes.push(Member { at, element });
                    search.node_of[(ins.dst + element) as usize] = node.into();
                }
            }
        }
        search
    }

    fn is_fit(&self, at: u32, ins: &Instruction) -> bool {
        let is_own = |cell: u32| self.writers[cell as usize] == CellWriter::One(at);
        let is_known = match ins.opcode {
            Opcode::Fold(_) => kind_of(ins) == FusedKind::Straight && (at as usize) < self.code.sampled,
            opcode => opcode.is_elementwise(),
        };
        is_known && self.code.writes(ins).all(is_own) && is_in_place(self.code, ins)
    }

    fn cell(&self, member: Member) -> u32 {
        self.code.step[member.at as usize].dst + member.element
    }

    fn each_read(&self, member: Member, f: impl FnMut(u32)) {
        each_read_of_element(self.code, &self.code.step[member.at as usize], member.element, f);
    }

    /// Whether an element is a state that does more than to delay.
    fn is_state(&self, member: Member) -> bool {
        member.at as usize >= self.code.sampled && self.code.step[member.at as usize].opcode != Opcode::Copy
    }

    /// The elements of each recurrence.
    fn components(&self) -> Vec<Vec<Member>> {
        let graph = Graph::new(self.nodes.keys(), |node, successors| {
            self.each_read(self.nodes[node], |cell| successors.extend(self.node_of[cell as usize].expand()));
        });
        let mut is_in_loop: PrimaryMap<NodeId, bool> = vec![false; self.nodes.len()].into();
        let mut found = graph.loops();
        found.iter().flatten().for_each(|node| is_in_loop[*node] = true);
        let states = self.nodes.keys().filter(|node| !is_in_loop[*node] && self.is_state(self.nodes[*node]));
        found.extend(states.map(|node| vec![node]));
        let members = |nodes: Vec<NodeId>| -> Vec<Member> { nodes.into_iter().map(|node| self.nodes[node]).collect() };
        let mut components: Vec<Vec<Member>> = found.into_iter().map(members).collect();
        components.retain(|members| {
            let is_scalar = members.iter().all(|member| self.code.step[member.at as usize].written() == 1);
            members.len() <= if is_scalar { MAX_SCALARS } else { MAX_MEMBERS }
        });
        components
    }

    /// Whether everything that it reads and writes has one value for each step.
    fn is_regular(&self, members: &[Member]) -> bool {
        let mut is_regular = true;
        for &member in members {
            is_regular &= !self.is_irregular[self.cell(member) as usize];
            self.each_read(member, |cell| is_regular &= !self.is_irregular[cell as usize]);
        }
        is_regular
    }

    /// Adds instructions whose results only one recurrence reads and that are computed as quickly there as loaded:
    /// gains of its input.
    fn absorb(&self, members: &mut [Vec<Member>], of_cell: &mut [u32], watched: &[CellRange]) {
        // For each cell the only recurrence that reads it, or others.
        const NOBODY: u32 = u32::MAX;
        const OTHERS: u32 = u32::MAX - 1;
        let mut readers = vec![NOBODY; self.code.cells];
        self.each_reader(watched, |cell, reader| {
            let reader =
                reader.map(|reader| of_cell[reader as usize]).filter(|number| *number != NONE).unwrap_or(OTHERS);
            let known = &mut readers[cell as usize];
            *known = if *known == NOBODY || *known == reader { reader } else { OTHERS };
        });
        for &member in self.nodes.values() {
            let cell = self.cell(member) as usize;
            let reader = readers[cell];
            let is_free = (member.at as usize) < self.code.sampled && of_cell[cell] == NONE && reader < OTHERS;
            if is_free && !self.is_irregular[cell] && self.is_cheap(member) {
                members[reader as usize].push(member);
                of_cell[cell] = reader;
            }
        }
    }

    fn is_cheap(&self, member: Member) -> bool {
        let mut rows = 0;
        let mut is_regular = true;
        self.each_read(member, |cell| {
            rows += usize::from(self.writers[cell as usize] != CellWriter::Nobody);
            is_regular &= !self.is_irregular[cell as usize];
        });
        let is_quick = matches!(
            self.code.step[member.at as usize].opcode,
            Opcode::Copy | Opcode::Binary(Binary::Add | Binary::Sub | Binary::Mul)
        );
        is_quick && is_regular && rows <= 1
    }

    /// Calls `f` with each cell that is read and the cell that is computed from it, if that is an element of a node.
    fn each_reader(&self, watched: &[CellRange], mut f: impl FnMut(u32, Option<u32>)) {
        for ins in (0..).zip(&self.code.step).filter(|(at, _)| self.is_live[*at]).map(|(_, ins)| ins) {
            if ins.written() == 0 || self.node_of[ins.dst as usize].is_none() {
                self.code.each_read(ins, |cell, _| f(cell, None));
            }
        }
        for &member in self.nodes.values() {
            self.each_read(member, |cell| f(cell, Some(self.cell(member))));
        }
        watched.iter().for_each(|range| range.cells().for_each(|cell| f(cell, None)));
    }

    fn recurrence(&self, mut members: Vec<Member>, of_cell: &[u32]) -> Recurrence {
        members.sort_unstable();
        let own = members.first().map_or(NONE, |member| of_cell[self.cell(*member) as usize]);
        let mut reads = Vec::new();
        for &member in &members {
            self.each_read(member, |cell| {
                if of_cell[cell as usize] != own && self.writers[cell as usize] != CellWriter::Nobody {
                    reads.push(cell);
                }
            });
        }
        reads.sort_unstable();
        reads.dedup();
        Recurrence { members, reads, results: Vec::new() }
    }

    fn results(&self, list: &mut [Recurrence], of_cell: &[u32], watched: &[CellRange]) {
        self.each_reader(watched, |cell, reader| {
            let writer = of_cell[cell as usize];
            if writer != NONE && reader.is_none_or(|reader| of_cell[reader as usize] != writer) {
                list[writer as usize].results.push(cell);
            }
        });
        for recurrence in list {
            recurrence.results.sort_unstable();
            recurrence.results.dedup();
        }
    }
}

/// Whether an instruction reads nothing that it writes, except in place.
fn is_in_place(code: &StepCode, ins: &Instruction) -> bool {
    let written = ins.dst..ins.dst + ins.written();
    ins.reads().all(|(arg, count)| match arg {
        Operand::Contiguous(first) => first == written.start || first >= written.end || first + count <= written.start,
        Operand::Broadcast(cell) => count == 1 && cell == written.start || !written.contains(&cell),
        Operand::Gather(_) => (0..count).all(|element| {
            let cell = arg.cell(&code.tables, element);
            cell == written.start + element || !written.contains(&cell)
        }),
    })
}

/// The lists of a number of recurrences, in the order given, in loops of as many as have room in the registers.
pub(super) fn loops(
    recurrences: &Recurrences,
    wanted: impl Iterator<Item = usize>,
    code: &StepCode,
) -> Vec<Vec<usize>> {
    let mut loops: Vec<Vec<usize>> = Vec::new();
    let (mut states, mut work) = (0, 0);
    for number in wanted {
        let members = &recurrences.list[number].members;
        let own_states = members.iter().filter(|member| member.at as usize >= code.sampled).count();
        (states, work) = (states + own_states, work + members.len());
        match loops.last_mut() {
            Some(last) if states <= MAX_STATES && work <= MAX_WORK => last.push(number),
            _ => {
                loops.push(vec![number]);
                (states, work) = (own_states, members.len());
            }
        }
    }
    loops
}
