//! Arranges step code for C: what the code hands out gets cells of its own, rows become segments that loops can follow,
//! and rows of scattered values become single statements.
//!
//! The simulator computes equal blocks side by side, wherever they are in the diagram. In C such a row is worth a loop
//! only if its operands are side by side, too; else each element is a statement, which no array has to be gathered for.

use std::collections::HashMap;
use std::sync::Arc;

use crate::block::Binary;
use crate::engine::{Bindings, CellRange, Instruction, Opcode, Operand, Program, StepCode, for_c};

/// Rows of at most this length are always single statements.
const SHORT: u32 = 4;
/// Rows of scattered values are single statements up to this length,
const LONGEST_SCATTERED: u32 = 48;
/// and if there are at most this many elements in the rows that depend on one another.
const MOST_SCATTERED: usize = 3000;
/// Sums of at most this many elements become one expression.
pub const SHORT_FOLD: u32 = 16;

/// Cells of what the code hands out; each is written once, by copies.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The outputs, by their number; empty for one that is never set.
    pub outputs: Vec<CellRange>,
    /// The rates of the continuous states at the start of the step, by the index of the state.
    pub firsts: Option<CellRange>,
    /// The rates that the function of the rates computes.
    pub rates: Option<CellRange>,
}

impl Results {
    pub fn ranges(&self) -> impl Iterator<Item = CellRange> {
        self.outputs.iter().copied().chain(self.firsts).chain(self.rates)
    }
}

/// Gives what the code hands out cells of its own, and adds the copies to them. A method with the rates at the start of the
/// step alone becomes instructions of the step, unless the rates are `is_observed`.
pub fn with_results(code: &mut StepCode, program: &Program, is_observed: bool) -> Results {
    let mut results = Results::default();
    let mut copies = Vec::new();
    for (_, _, output) in program.exits() {
        let (first, width) = (code.outputs[output], program.outputs[output].width);
        let is_unset = code.unset.0.iter().any(|piece| (piece.cell..piece.cell + piece.count).contains(&first));
        let range = CellRange::new(code.cells as u32, if is_unset { 0 } else { width });
        code.cells += range.count as usize;
        copies.extend(copies_to(range.cells().zip(first..).collect()));
        results.outputs.push(range);
    }
    code.step.splice(code.sampled..code.sampled, copies.iter().copied());
    code.sampled += copies.len();
    let Some(mut driven) = code.driven.take() else { return results };
    let is_euler = program.solver.tableau().is_some_and(|tableau| tableau.parts.len() == 1);
    if is_euler && !is_observed {
        advance(code, &driven.firsts);
        return results;
    }
    let cells: HashMap<u32, u32> = pairs(&code.continuous).collect();
    let first = code.continuous.0.iter().map(|piece| piece.cell).min().unwrap_or(0);
    let end = code.continuous.0.iter().map(|piece| piece.cell + piece.count).max().unwrap_or(0);
    let mut add = |moves: &Bindings| {
        let range = CellRange::new(code.cells as u32, end - first);
        code.cells += range.count as usize;
        let target = |offset: u32| range.first + cells.get(&offset).copied().unwrap_or(first) - first;
        let mut moves: Vec<(u32, u32)> = pairs(moves).map(|(offset, cell)| (target(offset), cell)).collect();
        moves.sort_unstable();
        (range, copies_to(moves))
    };
    if is_euler {
        driven.list.clear();
        driven.rates.0.clear();
    }
    let (firsts, copies) = add(&driven.firsts);
    results.firsts = Some(firsts);
    if let Some(at) = code.step.iter().position(|ins| matches!(ins.opcode, Opcode::Solve { .. })) {
        code.step.splice(at..at, copies);
    }
    if !driven.rates.0.is_empty() {
        let (rates, copies) = add(&driven.rates);
        results.rates = Some(rates);
        driven.list.extend(copies);
    }
    code.driven = Some(driven);
    results
}

/// Replaces the solver by the instructions of Euler's method.
fn advance(code: &mut StepCode, firsts: &Bindings) {
    let Some(at) = code.step.iter().position(|ins| matches!(ins.opcode, Opcode::Solve { .. })) else { return };
    let states: HashMap<u32, u32> = pairs(&code.continuous).collect();
    let mut moves: Vec<(u32, u32)> =
        pairs(firsts).filter_map(|(offset, cell)| Some((*states.get(&offset)?, cell))).collect();
    moves.sort_unstable();
    let h = code.cells as u32;
    code.cells += 1;
    code.constants.push((h, code.delta));
    let mut list = Vec::new();
    for Instruction { elements, dst, args: [rate, ..], .. } in copies_to(moves) {
        let term = code.cells as u32;
        code.cells += elements as usize;
        let row = |first: u32| if elements == 1 { Operand::Broadcast(first) } else { Operand::Contiguous(first) };
        let ins = |op, dst, a, b| Instruction { opcode: Opcode::Binary(op), elements, dst, args: [a, b, b] };
        list.push(ins(Binary::Mul, term, Operand::Broadcast(h), rate));
        list.push(ins(Binary::Add, dst, row(dst), row(term)));
    }
    code.step.splice(at..=at, list);
}

/// The offsets in the context and the cells of all values.
fn pairs(moves: &Bindings) -> impl Iterator<Item = (u32, u32)> {
    moves.0.iter().flat_map(|piece| (0..piece.count).map(move |n| (piece.offset + n, piece.cell + n)))
}

/// Returns copies of cells, in rows where both sides are adjacent or all are from one cell.
fn copies_to(moves: Vec<(u32, u32)>) -> Vec<Instruction> {
    let mut copies: Vec<Instruction> = Vec::new();
    for (dst, from) in moves {
        if let Some(last) = copies.last_mut()
            && last.dst + last.elements == dst
        {
            let follows = match last.args[0] {
                Operand::Contiguous(first) => first + last.elements == from,
                Operand::Broadcast(first) if last.elements == 1 && first + 1 == from => {
                    last.args[0] = Operand::Contiguous(first);
                    true
                }
                Operand::Broadcast(first) => first == from,
                Operand::Gather(_) => false,
            };
            if follows {
                last.elements += 1;
                continue;
            }
        }
        let args = [Operand::Broadcast(from), Operand::Broadcast(0), Operand::Broadcast(0)];
        copies.push(Instruction { opcode: Opcode::Copy, elements: 1, dst, args });
    }
    copies
}

/// Replaces exclusive disjunctions of a value with itself: compilers warn about comparisons of equal terms.
fn without_self_comparisons(code: &mut StepCode) {
    let zero = code.cells as u32;
    code.cells += 1;
    code.constants.push((zero, 0.0));
    let replace = |ins: &mut Instruction| {
        if ins.opcode == Opcode::Binary(Binary::Xor) && ins.elements == 1 && ins.args[0] == ins.args[1] {
            (ins.opcode, ins.args) = (Opcode::Copy, [Operand::Broadcast(zero); 3]);
        }
    };
    code.step.iter_mut().for_each(replace);
    let mut branches = code.branches.to_vec();
    branches.iter_mut().flat_map(|branch| branch.body.iter_mut().chain(&mut branch.otherwise)).for_each(replace);
    code.branches = Arc::new(branches);
    code.driven.iter_mut().flat_map(|driven| &mut driven.list).for_each(replace);
}

/// Arranges all lists of step code.
pub fn arrange(code: &mut StepCode) {
    let step = std::mem::take(&mut code.step);
    let mut arranged = Vec::with_capacity(step.len());
    let is_solve = |ins: &Instruction| matches!(ins.opcode, Opcode::Solve { .. });
    for part in step.split_inclusive(is_solve) {
        arranged.extend(arranged_list(code, part.to_vec()));
    }
    code.step = arranged;
    let branches = code.branches.iter().cloned().map(|mut branch| {
        for list in [&mut branch.body, &mut branch.otherwise] {
            *list = arranged_list(code, std::mem::take(list));
        }
        branch
    });
    code.branches = Arc::new(branches.collect());
    if let Some(mut driven) = code.driven.take() {
        driven.list = arranged_list(code, std::mem::take(&mut driven.list));
        code.driven = Some(driven);
    }
    without_self_comparisons(code);
    let is_joined = joined(code);
    for is_init in [true, false] {
        let list = std::mem::take(if is_init { &mut code.init } else { &mut code.once });
        let list = list.iter().flat_map(|ins| split_where(code, ins, &is_joined)).collect();
        *(if is_init { &mut code.init } else { &mut code.once }) = list;
    }
}

fn arranged_list(code: &StepCode, list: Vec<Instruction>) -> Vec<Instruction> {
    let list = for_c::segmented(code, list);
    let is_single = single_rows(code, &list);
    let parts = list.iter().zip(is_single);
    parts.flat_map(|(ins, is_single)| if is_single { singles(code, ins) } else { vec![*ins] }).collect()
}

/// An instruction as one for each element.
fn singles(code: &StepCode, ins: &Instruction) -> Vec<Instruction> {
    (0..ins.elements).map(|element| part_of(code, ins, element, 1)).collect()
}

/// The part of an elementwise instruction that computes some adjacent elements.
fn part_of(code: &StepCode, ins: &Instruction, first: u32, elements: u32) -> Instruction {
    let mut args = ins.args;
    let count = ins.reads().count();
    for arg in &mut args[..count] {
        *arg = match *arg {
            _ if elements == 1 => Operand::Broadcast(arg.cell(&code.tables, first)),
            Operand::Broadcast(cell) => Operand::Broadcast(cell),
            Operand::Contiguous(cell) => Operand::Contiguous(cell + first),
            Operand::Gather(at) => Operand::Gather(at + first),
        };
    }
    Instruction { elements, dst: ins.dst + first, args, ..*ins }
}

/// Rows that depend on one another.
#[derive(Default)]
struct Family {
    elements: usize,
    is_scattered: bool,
    /// Whether an operation needs one of the rows as a whole.
    is_whole: bool,
}

/// For each instruction, whether it becomes one for each element.
fn single_rows(code: &StepCode, list: &[Instruction]) -> Vec<bool> {
    let is_row = |ins: &Instruction| ins.opcode.is_elementwise() && ins.elements > 1;
    let mut roots: Vec<usize> = (0..list.len()).collect();
    fn root(roots: &mut [usize], mut at: usize) -> usize {
        while roots[at] != at {
            roots[at] = roots[roots[at]];
            at = roots[at];
        }
        at
    }
    let mut writers: HashMap<u32, usize> = HashMap::new();
    let mut whole = Vec::new();
    for (at, ins) in list.iter().enumerate() {
        for (operand, elements) in ins.reads().filter(|(operand, _)| !matches!(operand, Operand::Broadcast(_))) {
            for cell in (0..elements).map(|element| operand.cell(&code.tables, element)) {
                let Some(&writer) = writers.get(&cell) else { continue };
                if is_row(ins) && ins.elements == list[writer].elements {
                    let (a, b) = (root(&mut roots, at), root(&mut roots, writer));
                    roots[a.max(b)] = a.min(b);
                } else if !is_row(ins) && elements > SHORT && !is_short_fold(ins) {
                    whole.push(writer);
                }
            }
        }
        if is_row(ins) {
            (ins.dst..ins.dst + ins.elements).for_each(|cell| {
                writers.insert(cell, at);
            });
        } else {
            code.writes(ins).for_each(|cell| {
                writers.remove(&cell);
            });
        }
    }
    let mut families: HashMap<usize, Family> = HashMap::new();
    for (at, ins) in list.iter().enumerate().filter(|(_, ins)| is_row(ins)) {
        let family = families.entry(root(&mut roots, at)).or_default();
        family.elements += ins.elements as usize;
        family.is_scattered |= ins.reads().any(|(operand, _)| matches!(operand, Operand::Gather(_)));
    }
    for writer in whole {
        families.entry(root(&mut roots, writer)).or_default().is_whole = true;
    }
    let single = list.iter().enumerate().map(|(at, ins)| {
        let family = &families.get(&root(&mut roots, at));
        is_row(ins)
            && family.is_some_and(|family| match ins.elements {
                _ if family.is_whole => false,
                ..=SHORT => true,
                elements => family.is_scattered && elements <= LONGEST_SCATTERED && family.elements <= MOST_SCATTERED,
            })
    });
    single.collect()
}

fn is_short_fold(ins: &Instruction) -> bool {
    matches!(ins.opcode, Opcode::Fold(_)) && ins.elements <= SHORT_FOLD
}

/// Whether each cell and the next are in one row of the step.
fn joined(code: &StepCode) -> Vec<bool> {
    let mut is_joined = vec![false; code.cells];
    let mut join = |first: u32, count: u32| {
        let last = (first + count.max(1) - 1) as usize;
        is_joined[first as usize..last].fill(true);
    };
    let bodies = code.branches.iter().flat_map(|branch| [&branch.body, &branch.otherwise]);
    for ins in [&code.step].into_iter().chain(bodies).chain(code.driven.iter().map(|driven| &driven.list)).flatten() {
        join(ins.dst, ins.written());
        for (operand, elements) in ins.reads() {
            if let Operand::Contiguous(first) = operand {
                join(first, elements);
            }
        }
    }
    is_joined
}

/// Divides an instruction where it leaves a row of the step.
fn split_where(code: &StepCode, ins: &Instruction, is_joined: &[bool]) -> Vec<Instruction> {
    if !ins.opcode.is_elementwise() || ins.elements == 1 {
        return vec![*ins];
    }
    let is_row = |element: u32| {
        let is_in = |first: u32| is_joined[(first + element) as usize];
        let operands = ins.reads().all(|(operand, _)| match operand {
            Operand::Contiguous(first) => is_in(first),
            _ => true,
        });
        is_in(ins.dst) && operands
    };
    let mut parts = Vec::new();
    let mut first = 0;
    for element in 0..ins.elements {
        if element + 1 == ins.elements || !is_row(element) {
            parts.push(part_of(code, ins, first, element + 1 - first));
            first = element + 1;
        }
    }
    parts
}
