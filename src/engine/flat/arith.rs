//! Arithmetic on the elements of an instruction.

use std::cell::Cell;

use super::{Ins, Operand};
use crate::block::math::{self, BinaryFunction, BinaryVisitor, UnaryFunction, UnaryVisitor};
use crate::block::{Binary, Unary};

/// The cells that an instruction reads and writes; a result may replace an operand.
pub(super) struct Lanes<'a> {
    pub cells: &'a [Cell<f64>],
    pub tables: &'a [u32],
    pub ins: &'a Ins,
}

impl<'a> Lanes<'a> {
    pub fn get(&self, arg: usize, lane: u32) -> f64 {
        self.cells[self.ins.args[arg].cell(self.tables, lane) as usize].get()
    }

    pub fn set(&self, lane: u32, value: f64) {
        self.cells[(self.ins.dst + lane) as usize].set(value);
    }

    /// Sets each element to a function of its step: this one, and the following ones.
    pub fn clock(&self, step: u64, f: impl Fn(f64) -> f64) {
        (0..self.ins.lanes).for_each(|lane| self.set(lane, f((step + u64::from(lane)) as f64)));
    }

    fn span(&self, at: u32) -> &'a [Cell<f64>] {
        &self.cells[at as usize..(at + self.ins.lanes) as usize]
    }

    #[inline(always)]
    pub fn map(&self, f: impl Fn(f64) -> f64) {
        match self.ins.args[0] {
            _ if self.ins.lanes == 1 => self.set(0, f(self.get(0, 0))),
            Operand::Contiguous(a) => {
                let (out, a) = (self.span(self.ins.dst), self.span(a));
                at_once(out, |lane| f(a[lane].get()), |first| some(a, first).map(&f));
            }
            _ => (0..self.ins.lanes).for_each(|lane| self.set(lane, f(self.get(0, lane)))),
        }
    }

    #[inline(always)]
    fn map_two(&self, f: impl Fn(f64, f64) -> f64) {
        if self.ins.lanes == 1 {
            return self.set(0, f(self.get(0, 0), self.get(1, 0)));
        }
        let out = self.span(self.ins.dst);
        match self.ins.args {
            [Operand::Contiguous(a), Operand::Contiguous(b), _] => {
                let (a, b) = (self.span(a), self.span(b));
                let some = |first| {
                    let (a, b) = (some(a, first), some(b, first));
                    std::array::from_fn(|lane| f(a[lane], b[lane]))
                };
                at_once(out, |lane| f(a[lane].get(), b[lane].get()), some);
            }
            [Operand::Contiguous(a), Operand::Broadcast(b), _] => {
                let (a, b) = (self.span(a), self.cells[b as usize].get());
                at_once(out, |lane| f(a[lane].get(), b), |first| some(a, first).map(|a| f(a, b)));
            }
            [Operand::Broadcast(a), Operand::Contiguous(b), _] => {
                let (a, b) = (self.cells[a as usize].get(), self.span(b));
                at_once(out, |lane| f(a, b[lane].get()), |first| some(b, first).map(|b| f(a, b)));
            }
            _ => (0..self.ins.lanes).for_each(|lane| self.set(lane, f(self.get(0, lane), self.get(1, lane)))),
        }
    }

    /// Applies `all` to chunks of elements, and `one` to each of the last few.
    #[inline(always)]
    fn chunks<const N: usize>(
        &self,
        one: impl Fn([f64; N]) -> f64,
        all: impl Fn(&math::Args<N>, &mut [f64; math::CHUNK]),
    ) {
        const FEW: u32 = 8;
        let mut first = 0;
        while self.ins.lanes - first > FEW {
            let count = (self.ins.lanes - first).min(math::CHUNK as u32);
            let args = std::array::from_fn(|arg| self.chunk(arg, first, count));
            let mut out = [0.0; math::CHUNK];
            all(&args, &mut out);
            let to = &self.span(self.ins.dst)[first as usize..(first + count) as usize];
            to.iter().zip(out).for_each(|(to, out)| to.set(out));
            first += count;
        }
        (first..self.ins.lanes).for_each(|lane| self.set(lane, one(std::array::from_fn(|arg| self.get(arg, lane)))));
    }

    /// Returns `count` elements of an operand from `first` on; the rest of the chunk repeats the first of them.
    #[inline(always)]
    fn chunk(&self, arg: usize, first: u32, count: u32) -> [f64; math::CHUNK] {
        let mut chunk = [self.get(arg, first); math::CHUNK];
        if let Operand::Contiguous(at) = self.ins.args[arg] {
            let from = &self.cells[(at + first) as usize..(at + first + count) as usize];
            chunk.iter_mut().zip(from).for_each(|(to, from)| *to = from.get());
        } else {
            (1..count).for_each(|lane| chunk[lane as usize] = self.get(arg, first + lane));
        }
        chunk
    }

    pub fn map_three(&self, f: impl Fn(f64, f64, f64) -> f64) {
        for lane in 0..self.ins.lanes {
            self.set(lane, f(self.get(0, lane), self.get(1, lane), self.get(2, lane)));
        }
    }
}

/// Runs a loop that is compiled for the operation, so that none is chosen anew for each element.
pub(super) fn unary(op: Unary, lanes: &Lanes) {
    op.accept(lanes);
}

pub(super) fn binary(op: Binary, lanes: &Lanes) {
    op.accept(lanes);
}

impl UnaryVisitor for &Lanes<'_> {
    fn visit<F: UnaryFunction>(self) {
        match F::IS_LONG {
            true => self.chunks(|[a]| F::value(a), F::values),
            false => self.map(F::value),
        }
    }
}

impl BinaryVisitor for &Lanes<'_> {
    fn visit<F: BinaryFunction>(self) {
        match F::IS_LONG {
            true => self.chunks(|[a, b]| F::value(a, b), F::values),
            false => self.map_two(F::value),
        }
    }
}

pub(super) fn fold(op: Binary, lanes: &Lanes) {
    let first = lanes.get(0, 0);
    let all = match (op, lanes.ins.args[1]) {
        // The most frequent case.
        (Binary::Add, Operand::Contiguous(at)) => lanes.span(at).iter().fold(first, |all, lane| all + lane.get()),
        _ => (0..lanes.ins.lanes).fold(first, |all, lane| op.value(all, lanes.get(1, lane))),
    };
    lanes.set(0, all);
}

/// The number of elements that are read before any of them is written, so that the compiler uses SIMD instructions. A
/// result replaces an operand exactly, or does not overlap it.
const AT_ONCE: usize = 8;

#[inline(always)]
fn at_once(out: &[Cell<f64>], one: impl Fn(usize) -> f64, some: impl Fn(usize) -> [f64; AT_ONCE]) {
    let whole = out.len() / AT_ONCE * AT_ONCE;
    for first in (0..whole).step_by(AT_ONCE) {
        let made = some(first);
        out[first..first + AT_ONCE].iter().zip(made).for_each(|(out, made)| out.set(made));
    }
    (whole..out.len()).for_each(|lane| out[lane].set(one(lane)));
}

#[inline(always)]
fn some(from: &[Cell<f64>], first: usize) -> [f64; AT_ONCE] {
    let from = &from[first..first + AT_ONCE];
    std::array::from_fn(|lane| from[lane].get())
}
