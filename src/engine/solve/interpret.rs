//! Runs a kernel's tape, instruction by instruction, on one unit's values.

use crate::block::{Binary, Clock, Kernel, Op, Reg, StateKind, math};
use crate::engine::program::fault::Fault;
use crate::engine::program::record::Record;
use crate::engine::solve::LoopSolver;
use crate::engine::{Cancel, Context, Program, Unit};

/// The values that a unit can see while it runs.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Env<'a> {
    pub program: &'a Program,
    pub unit: &'a Unit,
    /// The outputs of all units, in this stage.
    pub values: &'a [f64],
    pub context: &'a Context,
    /// The discrete states.
    pub discrete: &'a [f64],
    /// The continuous states that the stage assumes.
    pub continuous: &'a [f64],
    /// The discrete states of the next step, as far as they are known.
    pub next: &'a [f64],
    /// Seconds, at the stage.
    pub time: f64,
    /// Whether this is the major step, not a minor step.
    pub is_major: bool,
    /// Whether modes may change.
    pub is_deciding: bool,
    /// The number of the turn or run in this step.
    pub iteration: u64,
    /// The number of the run of all iterated models around, as [`Clock::Runs`].
    pub runs: f64,
    /// The request to end the run within the step, if the run can be cancelled.
    pub cancel: Option<&'a Cancel>,
}

impl<'a> Env<'a> {
    /// The environment before the first step: parameters and the clock.
    pub fn of_parameters(program: &'a Program, unit: &'a Unit, context: &'a Context) -> Env<'a> {
        Env {
            program,
            unit,
            values: &[],
            context,
            discrete: &context.discrete,
            continuous: &[],
            next: &[],
            time: context.time(program),
            is_major: true,
            is_deciding: true,
            iteration: 0,
            runs: 0.0,
            cancel: None,
        }
    }

    /// Whether the run is to end.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(Cancel::is_cancelled)
    }
}

/// Scratch memory for one kernel at a time.
#[derive(Debug)]
pub(in crate::engine) struct Interpreter {
    scratch: Vec<f64>,
    /// The arguments of a host function.
    args: Vec<f64>,
    loops: Option<Box<LoopSolver>>,
    /// Why the step cannot be completed, once that is known.
    pub fault: Option<Fault>,
}

impl Interpreter {
    pub fn new(program: &Program) -> Interpreter {
        Interpreter { loops: LoopSolver::new(program).map(Box::new), ..Interpreter::without_loops(program) }
    }

    /// One that meets no unit that solves a loop.
    pub fn without_loops(program: &Program) -> Interpreter {
        let size = program.kernels.values().map(|kernel| kernel.scratch).max().unwrap_or(0);
        Interpreter { scratch: vec![0.0; size], args: Vec::new(), loops: None, fault: None }
    }

    /// The solver of loops; it keeps the last solution of each.
    pub fn loops(&mut self) -> Option<&mut LoopSolver> {
        self.loops.as_deref_mut()
    }

    /// All registers after a run.
    pub fn scratch(&self) -> &[f64] {
        &self.scratch
    }

    /// The elements of a register after a run.
    pub fn value(&self, kernel: &Kernel, reg: Reg) -> &[f64] {
        let offset = kernel.offset(reg);
        &self.scratch[offset..offset + kernel.width(reg)]
    }

    /// Runs the instructions of `list`, in that order.
    pub fn run(&mut self, kernel: &Kernel, list: &[Reg], env: &Env) {
        match kernel.is_scalar {
            true => list.iter().for_each(|&reg| self.run_single(kernel, reg, env)),
            false => list.iter().for_each(|&reg| self.run_one(kernel, reg, env)),
        }
    }

    /// The same as [`Interpreter::run_one`] if all registers are scalars: a fast path for the common operations.
    fn run_single(&mut self, kernel: &Kernel, reg: Reg, env: &Env) {
        let element = |operand: Reg| self.scratch[operand as usize];
        self.scratch[reg as usize] = match kernel.ops[reg as usize] {
            Op::Const(value) => value,
            Op::Param(number) => env.context.params[(env.unit.first_param + number) as usize],
            Op::Input(input) => input_lanes(env, input as usize)[0],
            Op::State(state) => state_lanes(env, state as usize)[0],
            Op::Unary(op, a) => op.value(element(a)),
            Op::Binary(Binary::Add, a, b) => element(a) + element(b),
            Op::Binary(Binary::Sub, a, b) => element(a) - element(b),
            Op::Binary(Binary::Mul, a, b) => element(a) * element(b),
            Op::Binary(op, a, b) => op.value(element(a), element(b)),
            Op::Select { on, yes, no } => element(if element(on) != 0.0 { yes } else { no }),
            _ => return self.run_one(kernel, reg, env),
        };
    }

    /// Runs one instruction.
    fn run_one(&mut self, kernel: &Kernel, reg: Reg, env: &Env) {
        let (offset, width) = (kernel.offset(reg), kernel.width(reg));
        // Operands stand before the register they make.
        let (before, rest) = self.scratch.split_at_mut(offset);
        let out = &mut rest[..width];
        let elements = |operand: Reg| {
            let at = kernel.offset(operand);
            &before[at..at + kernel.width(operand)]
        };
        match &kernel.ops[reg as usize] {
            Op::Const(value) => out.fill(*value),
            Op::Param(number) => {
                let skipped: usize = kernel.params[..*number as usize].iter().map(|(_, width)| width).sum();
                let first = env.unit.first_param as usize + skipped;
                out.copy_from_slice(&env.context.params[first..first + width]);
            }
            Op::Input(input) => out.copy_from_slice(input_lanes(env, *input as usize)),
            Op::State(state) => out.copy_from_slice(state_lanes(env, *state as usize)),
            Op::Held(state) => out.copy_from_slice(held_lanes(env, *state as usize)),
            Op::Clock(clock) => out.fill(clock_value(env, *clock)),
            Op::Ran(input) => out.fill(f64::from(u8::from(has_run(env, *input as usize)))),
            Op::Unary(op, a) => map(out, elements(*a), |a| op.value(a)),
            Op::Binary(op, a, b) => map_two(out, elements(*a), elements(*b), *op),
            Op::Select { on, yes, no } => {
                let (on, yes, no) = (elements(*on), elements(*yes), elements(*no));
                for (element, out) in out.iter_mut().enumerate() {
                    *out = if at(on, element) != 0.0 { at(yes, element) } else { at(no, element) };
                }
            }
            Op::Fold(op, a) => {
                let folded = elements(*a).iter().copied().reduce(|all, element| op.value(all, element));
                out.fill(folded.unwrap_or(0.0));
            }
            Op::Slice { of, start } => out.copy_from_slice(&elements(*of)[*start as usize..*start as usize + width]),
            Op::Join(parts) => {
                let mut rest = out;
                for &reg in parts {
                    let elements = elements(reg);
                    let (part, behind) = rest.split_at_mut(elements.len());
                    part.copy_from_slice(elements);
                    rest = behind;
                }
            }
            Op::Pick { of, index } => {
                let of = elements(*of);
                map(out, elements(*index), |index| of[clamped(index, 0, of.len() - 1)]);
            }
            Op::Past { history, back } => {
                out.copy_from_slice(past_lanes(env, *history as usize, elements(*back)[0]));
            }
            Op::Recorded { record, read, at, now } => {
                let record = record_of(env.program, env.unit, env.context, *record as usize);
                record.read(*read, elements(*at)[0], (env.time, elements(*now)), out);
            }
            Op::Loop { number, start, .. } => {
                out.copy_from_slice(elements(*start));
                let number = *number as usize;
                let solved =
                    self.loops.as_mut().map_or_else(|| Err(Default::default()), |loops| loops.solve(number, env, out));
                // A solver's trial that leads nowhere is not-a-number, and made again.
                if let (Err(why), true) = (solved, env.is_major) {
                    self.fault.get_or_insert(env.program.loops[number].fault(env.program, why));
                }
            }
            Op::Call { of, args } => {
                self.args.clear();
                self.args.extend(args.iter().flat_map(|&arg| elements(arg)));
                if let Err(problem) = of.call(&self.args, out, env.cancel) {
                    out.fill(f64::NAN);
                    if env.is_cancelled() {
                        self.fault.get_or_insert_with(Fault::cancelled);
                    } else if env.is_major {
                        let unit =
                            env.program.units.keys().find(|&unit| std::ptr::eq(&env.program.units[unit], env.unit));
                        self.fault.get_or_insert(Fault::new(unit, problem.to_string()));
                    }
                }
            }
            Op::Random { seed, stream, counter } => {
                let [seed, stream, counter] = [seed, stream, counter].map(|&reg| elements(reg));
                for (element, out) in out.iter_mut().enumerate() {
                    *out = math::random(at(seed, element), at(stream, element), at(counter, element), element);
                }
            }
        }
    }
}

/// A scalar stands for all.
fn at(elements: &[f64], element: usize) -> f64 {
    if elements.len() == 1 { elements[0] } else { elements[element] }
}

fn map(out: &mut [f64], a: &[f64], f: impl Fn(f64) -> f64) {
    out.iter_mut().zip(a).for_each(|(out, &a)| *out = f(a));
}

fn map_two(out: &mut [f64], a: &[f64], b: &[f64], op: Binary) {
    match (a, b) {
        (&[a], &[b]) => out.fill(op.value(a, b)),
        (&[a], b) => map(out, b, |b| op.value(a, b)),
        (a, &[b]) => map(out, a, |a| op.value(a, b)),
        (a, b) => out.iter_mut().zip(a).zip(b).for_each(|((out, &a), &b)| *out = op.value(a, b)),
    }
}

/// The whole number nearest below, between the two; not-a-number counts as the smaller one.
fn clamped(number: f64, low: usize, high: usize) -> usize {
    // The conversion saturates.
    (number as usize).clamp(low, high)
}

fn input_lanes<'a>(env: &Env<'a>, input: usize) -> &'a [f64] {
    &env.values[env.program.input_elements(env.unit, input)]
}

/// Whether the source of an input ran in this step.
fn has_run(env: &Env, input: usize) -> bool {
    let source = env.program.source(env.unit, input);
    let runs = source.and_then(|source| env.program.runs_behind(source));
    runs.is_none_or(|runs| env.values[env.program.outputs[runs].offset as usize] >= 1.0)
}

fn state_lanes<'a>(env: &Env<'a>, state: usize) -> &'a [f64] {
    let slot = env.program.state(env.unit, state);
    let range = slot.elements();
    match slot.kind {
        StateKind::Discrete => &env.discrete[range],
        StateKind::Continuous => &env.continuous[range],
        StateKind::History { .. } | StateKind::Record => panic!("a history is read by its past"),
    }
}

fn held_lanes<'a>(env: &Env<'a>, state: usize) -> &'a [f64] {
    let slot = env.program.state(env.unit, state);
    let range = slot.elements();
    if env.is_major { &env.discrete[range] } else { &env.next[range] }
}

/// The ring's values, and behind them the index of the slot where the next goes.
fn past_lanes<'a>(env: &Env<'a>, state: usize, back: f64) -> &'a [f64] {
    let slot = env.program.state(env.unit, state);
    let StateKind::History { length } = slot.kind else { panic!("only a history has a past") };
    let width = slot.width as usize;
    let ring = &env.context.history[slot.offset as usize..];
    let next = ring[length * width] as usize;
    let first = (next + length - clamped(back, 1, length)) % length * width;
    &ring[first..first + width]
}

/// The record that is a state of the unit.
pub fn record_of<'a>(program: &Program, unit: &Unit, context: &'a Context, state: usize) -> &'a Record {
    let slot = program.state(unit, state);
    &context.records[slot.offset as usize]
}

fn clock_value(env: &Env, clock: Clock) -> f64 {
    let (step, delta) = (env.context.step as f64, env.program.delta);
    match clock {
        Clock::Time => env.time,
        // Multiplied, never summed.
        Clock::StepTime => step * delta,
        Clock::Delta => delta,
        Clock::Step => step,
        Clock::Major => f64::from(u8::from(env.is_major)),
        Clock::Hit(sample) => f64::from(u8::from(sample.is_hit(env.context.step))),
        Clock::Count(sample) => sample.count(env.context.step) as f64,
        Clock::Deciding => f64::from(u8::from(env.is_deciding)),
        Clock::Iteration => env.iteration as f64,
        Clock::Runs => env.runs,
    }
}
