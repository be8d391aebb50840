//! Computes the tangents of a kernel's registers in one direction, from values that were computed before.

use super::super::Unit;
use crate::block::{Clock, Kernel, Op, Reg, StateKind};
use crate::engine::program::record::{CurrentSignal, Record};

/// The tangents of the operands that a kernel reads, in one direction.
#[derive(Clone, Copy)]
pub struct Seeds<'a> {
    /// Returns the tangents of the elements of an input.
    pub inputs: &'a dyn Fn(usize) -> &'a [f64],
    /// Returns the tangents of the elements of a continuous state.
    pub states: &'a dyn Fn(usize) -> &'a [f64],
    /// Returns a record of the unit.
    pub records: &'a dyn Fn(usize) -> &'a Record,
    /// The time in seconds.
    pub now: f64,
    /// The tangent of the time.
    pub time: f64,
    /// The tangents of the values that solve an algebraic loop.
    pub looped: &'a [f64],
    /// The tangents of values that change from step to step only, and the unit that reads them; `None`: all are 0.
    pub steps: Option<(&'a Unit, &'a dyn StepChanges)>,
}

/// The tangents, in one direction, of values that change from step to step only.
pub trait StepChanges {
    /// Returns the tangents of the elements of a value that a unit reads.
    fn elements(&self, unit: &Unit, source: StepSource) -> &[f64];
}

/// A value that changes from step to step only, by its number in the unit.
#[derive(Clone, Copy, Debug)]
pub enum StepSource {
    Param {
        number: usize,
        width: usize,
    },
    Discrete(usize),
    Held(usize),
    Past {
        history: usize,
        back: f64,
    },
    /// A recorded signal, at whatever time.
    Recorded(usize),
}

/// Scratch memory for one kernel at a time.
#[derive(Debug)]
pub struct Tangents {
    scratch: Vec<f64>,
}

impl Tangents {
    pub fn new(size: usize) -> Tangents {
        Tangents { scratch: vec![0.0; size] }
    }

    pub fn of(&self, kernel: &Kernel, reg: Reg) -> &[f64] {
        let offset = kernel.offset(reg);
        &self.scratch[offset..offset + kernel.width(reg)]
    }

    /// Computes the tangents of the registers in `list`. `values` has the values of all registers. Values that change
    /// from step to step only have the tangents of `seeds.steps`; random numbers have 0.
    pub fn run(&mut self, kernel: &Kernel, list: &[Reg], values: &[f64], seeds: Seeds) {
        let stepwise = |out: &mut [f64], source: StepSource| match seeds.steps {
            Some((unit, steps)) => out.copy_from_slice(steps.elements(unit, source)),
            None => out.fill(0.0),
        };
        let value = |reg: Reg| &values[kernel.offset(reg)..][..kernel.width(reg)];
        for &reg in list {
            let (offset, width) = (kernel.offset(reg), kernel.width(reg));
            let (before, rest) = self.scratch.split_at_mut(offset);
            let out = &mut rest[..width];
            let tangent = |operand: Reg| &before[kernel.offset(operand)..][..kernel.width(operand)];
            match &kernel.ops[reg as usize] {
                Op::Const(_) | Op::Ran(_) | Op::Random { .. } => out.fill(0.0),
                Op::Param(number) => stepwise(out, StepSource::Param { number: *number as usize, width }),
                Op::Held(state) => stepwise(out, StepSource::Held(*state as usize)),
                Op::Past { history, back } => {
                    stepwise(out, StepSource::Past { history: *history as usize, back: value(*back)[0] });
                }
                Op::Recorded { record, read, at, now } => {
                    let number = *record as usize;
                    let record = (seeds.records)(number);
                    let at = (*read, value(*at)[0], tangent(*at)[0]);
                    let (signal, d_signal) = (value(*now), tangent(*now));
                    let now = CurrentSignal { time: seeds.now, d_time: seeds.time, signal, d_signal };
                    record.tangent(at, now, out);
                    if let (Some((unit, steps)), true) = (seeds.steps, read.is_signal()) {
                        let recorded = steps.elements(unit, StepSource::Recorded(number));
                        out.iter_mut().zip(recorded).for_each(|(out, recorded)| *out += recorded);
                    }
                }
                Op::Clock(Clock::Time) => out.fill(seeds.time),
                Op::Clock(_) => out.fill(0.0),
                Op::Input(input) => out.copy_from_slice((seeds.inputs)(*input as usize)),
                Op::State(state) => match kernel.states[*state as usize].kind {
                    StateKind::Continuous => out.copy_from_slice((seeds.states)(*state as usize)),
                    _ => stepwise(out, StepSource::Discrete(*state as usize)),
                },
                Op::Unary(op, a) => {
                    let (a, da) = (value(*a), tangent(*a));
                    out.iter_mut().zip(a).zip(da).for_each(|((out, &a), &da)| *out = op.tangent(a, da));
                }
                Op::Binary(op, a, b) => {
                    let (a, b) = ((value(*a), tangent(*a)), (value(*b), tangent(*b)));
                    for (element, out) in out.iter_mut().enumerate() {
                        *out = op.tangent(pair(a, element), pair(b, element));
                    }
                }
                Op::Select { on, yes, no } => {
                    let on = value(*on);
                    let (yes, no) = (tangent(*yes), tangent(*no));
                    for (element, out) in out.iter_mut().enumerate() {
                        *out = if at(on, element) != 0.0 { at(yes, element) } else { at(no, element) };
                    }
                }
                Op::Fold(op, a) => {
                    let elements = value(*a).iter().copied().zip(tangent(*a).iter().copied());
                    let folded = elements.reduce(|all, element| (op.value(all.0, element.0), op.tangent(all, element)));
                    out.fill(folded.map_or(0.0, |(_, tangent)| tangent));
                }
                Op::Loop { .. } => out.copy_from_slice(seeds.looped),
                Op::Call { of, args } => {
                    let all = |elements: &dyn Fn(Reg) -> Vec<f64>| {
                        args.iter().flat_map(|&arg| elements(arg)).collect::<Vec<_>>()
                    };
                    let tangents = all(&|arg| tangent(arg).to_vec());
                    match tangents.iter().all(|tangent| *tangent == 0.0) {
                        true => out.fill(0.0),
                        false => of.slope(&all(&|arg| value(arg).to_vec()), &tangents, out),
                    }
                }
                Op::Slice { of, start } => out.copy_from_slice(&tangent(*of)[*start as usize..][..width]),
                Op::Join(parts) => {
                    let elements = parts.iter().flat_map(|&part| tangent(part));
                    out.iter_mut().zip(elements).for_each(|(out, element)| *out = *element);
                }
                Op::Pick { of, index } => {
                    let of = tangent(*of);
                    for (out, index) in out.iter_mut().zip(value(*index)) {
                        // The same element as in the interpreter.
                        *out = of[(*index as usize).min(of.len() - 1)];
                    }
                }
            }
        }
    }
}

fn at(elements: &[f64], element: usize) -> f64 {
    if elements.len() == 1 { elements[0] } else { elements[element] }
}

fn pair((value, tangent): (&[f64], &[f64]), element: usize) -> (f64, f64) {
    (at(value, element), at(tangent, element))
}
