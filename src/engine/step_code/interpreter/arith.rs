//! Arithmetic on the elements of an instruction.

use std::cell::Cell;

use crate::block::math::{self, BinaryFunction, BinaryVisitor, UnaryFunction, UnaryVisitor};
use crate::block::{Binary, Unary};
use crate::engine::step_code::{Instruction, Operand};

/// The cells that an instruction reads and writes; a result may replace an operand.
pub(in crate::engine::step_code) struct Elements<'a> {
    pub cells: &'a [Cell<f64>],
    pub tables: &'a [u32],
    pub ins: &'a Instruction,
}

impl<'a> Elements<'a> {
    pub fn get(&self, arg: usize, element: u32) -> f64 {
        self.cells[self.ins.args[arg].cell(self.tables, element) as usize].get()
    }

    pub fn set(&self, element: u32, value: f64) {
        self.cells[(self.ins.dst + element) as usize].set(value);
    }

    /// Sets each element to a function of its step: this one, and the following ones.
    pub fn clock(&self, step: u64, f: impl Fn(f64) -> f64) {
        (0..self.ins.elements).for_each(|element| self.set(element, f((step + u64::from(element)) as f64)));
    }

    fn span(&self, at: u32) -> &'a [Cell<f64>] {
        &self.cells[at as usize..(at + self.ins.elements) as usize]
    }

    #[inline(always)]
    pub fn map(&self, f: impl Fn(f64) -> f64) {
        match self.ins.args[0] {
            _ if self.ins.elements == 1 => self.set(0, f(self.get(0, 0))),
            Operand::Contiguous(a) => {
                let (out, a) = (self.span(self.ins.dst), self.span(a));
                at_once(out, |element| f(a[element].get()), |first| mapped(some(a, first), &f));
            }
            _ => at_once(
                self.span(self.ins.dst),
                |element| f(self.get(0, element as u32)),
                |first| mapped(self.several(0, first), &f),
            ),
        }
    }

    #[inline(always)]
    fn map_two(&self, f: impl Fn(f64, f64) -> f64) {
        if self.ins.elements == 1 {
            return self.set(0, f(self.get(0, 0), self.get(1, 0)));
        }
        let out = self.span(self.ins.dst);
        match self.ins.args {
            [Operand::Contiguous(a), Operand::Contiguous(b), _] => {
                let (a, b) = (self.span(a), self.span(b));
                let some = |first| {
                    let (a, b) = (some(a, first), some(b, first));
                    array(|element| f(a[element], b[element]))
                };
                at_once(out, |element| f(a[element].get(), b[element].get()), some);
            }
            [Operand::Contiguous(a), Operand::Broadcast(b), _] => {
                let (a, b) = (self.span(a), self.cells[b as usize].get());
                at_once(out, |element| f(a[element].get(), b), |first| mapped(some(a, first), |a| f(a, b)));
            }
            [Operand::Broadcast(a), Operand::Contiguous(b), _] => {
                let (a, b) = (self.cells[a as usize].get(), self.span(b));
                at_once(out, |element| f(a, b[element].get()), |first| mapped(some(b, first), |b| f(a, b)));
            }
            _ => at_once(
                out,
                |element| f(self.get(0, element as u32), self.get(1, element as u32)),
                |first| {
                    let (a, b) = (self.several(0, first), self.several(1, first));
                    array(|element| f(a[element], b[element]))
                },
            ),
        }
    }

    /// Returns the elements of an operand from `first` on.
    #[inline(always)]
    fn several(&self, arg: usize, first: usize) -> [f64; AT_ONCE] {
        match self.ins.args[arg] {
            Operand::Broadcast(at) => [self.cells[at as usize].get(); AT_ONCE],
            Operand::Contiguous(at) => some(self.span(at), first),
            Operand::Gather(at) => {
                let table = &self.tables[at as usize + first..][..AT_ONCE];
                array(|element| self.cells[table[element] as usize].get())
            }
        }
    }

    /// Applies `all` to chunks of elements, and `one` to each of the last few.
    #[inline(always)]
    fn chunks<const N: usize>(
        &self,
        one: impl Fn([f64; N]) -> f64,
        all: impl Fn(&math::Args<N>, &mut [f64; math::CHUNK]),
    ) {
        const MIN_CHUNK: u32 = 8;
        let mut first = 0;
        while self.ins.elements - first > MIN_CHUNK {
            let count = (self.ins.elements - first).min(math::CHUNK as u32);
            let args = std::array::from_fn(|arg| self.chunk(arg, first, count));
            let mut out = [0.0; math::CHUNK];
            all(&args, &mut out);
            let to = &self.span(self.ins.dst)[first as usize..(first + count) as usize];
            to.iter().zip(out).for_each(|(to, out)| to.set(out));
            first += count;
        }
        (first..self.ins.elements)
            .for_each(|element| self.set(element, one(std::array::from_fn(|arg| self.get(arg, element)))));
    }

    /// Returns `count` elements of an operand from `first` on; the rest of the chunk repeats the first of them.
    #[inline(always)]
    fn chunk(&self, arg: usize, first: u32, count: u32) -> [f64; math::CHUNK] {
        let mut chunk = [self.get(arg, first); math::CHUNK];
        if let Operand::Contiguous(at) = self.ins.args[arg] {
            let from = &self.cells[(at + first) as usize..(at + first + count) as usize];
            chunk.iter_mut().zip(from).for_each(|(to, from)| *to = from.get());
        } else {
            (1..count).for_each(|element| chunk[element as usize] = self.get(arg, first + element));
        }
        chunk
    }

    pub fn map_three(&self, f: impl Fn(f64, f64, f64) -> f64) {
        let one = |element| f(self.get(0, element), self.get(1, element), self.get(2, element));
        let several = |first| {
            let (a, b, c) = (self.several(0, first), self.several(1, first), self.several(2, first));
            array(|element| f(a[element], b[element], c[element]))
        };
        at_once(self.span(self.ins.dst), |element| one(element as u32), several);
    }
}

/// Runs a loop that is compiled for the operation, so that the operation is not dispatched for each element.
pub(in crate::engine::step_code) fn unary(op: Unary, elements: &Elements) {
    op.accept(elements);
}

pub(in crate::engine::step_code) fn binary(op: Binary, elements: &Elements) {
    op.accept(elements);
}

impl UnaryVisitor for &Elements<'_> {
    fn visit<F: UnaryFunction>(self) {
        match F::IS_LONG {
            true => self.chunks(|[a]| F::value(a), F::values),
            false => self.map(F::value),
        }
    }
}

impl BinaryVisitor for &Elements<'_> {
    fn visit<F: BinaryFunction>(self) {
        match F::IS_LONG {
            true => self.chunks(|[a, b]| F::value(a, b), F::values),
            false => self.map_two(F::value),
        }
    }
}

pub(in crate::engine::step_code) fn fold(op: Binary, elements: &Elements) {
    let first = elements.get(0, 0);
    let all = match (op, elements.ins.args[1]) {
        // The most frequent case.
        (Binary::Add, Operand::Contiguous(at)) => {
            elements.span(at).iter().fold(first, |all, element| all + element.get())
        }
        _ => (0..elements.ins.elements).fold(first, |all, element| op.value(all, elements.get(1, element))),
    };
    elements.set(0, all);
}

/// The number of elements that are read before any of them is written, so that the compiler uses SIMD instructions. No
/// element reads a cell that an earlier one writes: a result replaces an operand exactly, or does not overlap it.
const AT_ONCE: usize = 8;

#[inline(always)]
fn at_once(out: &[Cell<f64>], one: impl Fn(usize) -> f64, some: impl Fn(usize) -> [f64; AT_ONCE]) {
    let whole = out.len() / AT_ONCE * AT_ONCE;
    for first in (0..whole).step_by(AT_ONCE) {
        let made = some(first);
        out[first..first + AT_ONCE].iter().zip(made).for_each(|(out, made)| out.set(made));
    }
    (whole..out.len()).for_each(|element| out[element].set(one(element)));
}

#[inline(always)]
fn some(from: &[Cell<f64>], first: usize) -> [f64; AT_ONCE] {
    let from = &from[first..first + AT_ONCE];
    array(|element| from[element].get())
}

#[inline(always)]
fn mapped(from: [f64; AT_ONCE], f: impl Fn(f64) -> f64) -> [f64; AT_ONCE] {
    array(|element| f(from[element]))
}

/// As `std::array::from_fn`, but always inlined.
#[inline(always)]
fn array(f: impl Fn(usize) -> f64) -> [f64; AT_ONCE] {
    let mut all = [0.0; AT_ONCE];
    all.iter_mut().enumerate().for_each(|(index, to)| *to = f(index));
    all
}
