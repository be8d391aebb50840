//! Plain units, decoded once: where everything lies that they read and make.
//!
//! A unit is plain where all is of a scalar and nothing is done but arithmetic and the taking of new states: then
//! it is the same for everybody whether its tape is interpreted or its places are known ahead. Who runs when is the
//! queue's alone.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;

use super::super::{Program, Unit};
use crate::block::{Binary, Clock, Kernel, Op, Reg, StateKind, Unary, Update, math};

/// All plain units of a program.
pub(super) struct Plain {
    tasks: Vec<Option<PlainUnit>>,
    steps: Vec<PlainIns>,
    /// Outputs that are set, task by task.
    set: Vec<u32>,
    /// Constants, and where they lie among the cells.
    constants: Range<usize>,
    values: Vec<f64>,
    clock: usize,
    /// Where the results of the unit lie that is being decoded, by register.
    places: Vec<Slot>,
}

/// What one unit does, as pieces of the steps and of the outputs that are set.
#[derive(Clone, Copy)]
struct PlainUnit {
    first: u32,
    /// Where what it does when it runs begins, where what it does only in the major step, and where that ends.
    run: u32,
    next: u32,
    end: u32,
    first_set: u32,
    run_set: u32,
    end_set: u32,
    is_hidden: bool,
}

/// From places to a place.
#[derive(Clone, Copy)]
struct PlainIns {
    op: PlainOp,
    to: Slot,
    a: Slot,
    b: Slot,
}

/// The commonest stand for themselves, so that one jump finds them.
#[derive(Clone, Copy)]
enum PlainOp {
    Copy,
    Add,
    Sub,
    Mul,
    Unary(Unary),
    Binary(Binary),
    /// The third operand.
    Select(Slot),
}

/// An element of one of the arrays of [`Arrays`].
#[derive(Clone, Copy)]
struct Slot(u32);

/// What units read and make: registers, clock and constants; values; parameters; discrete and continuous states; the
/// rates of this stage; the next discrete states.
pub(super) struct Arrays<'a>([&'a [Cell<f64>]; 7]);

const CELLS: u32 = 0;
const VALUES: u32 = 1;
const PARAMS: u32 = 2;
const DISCRETE: u32 = 3;
const CONTINUOUS: u32 = 4;
const RATES: u32 = 5;
const NEXT: u32 = 6;

const SHIFT: u32 = 29;
const MOST: u32 = 1 << SHIFT;

/// Time, the step's time, seconds a step, the step.
const CLOCKS: usize = 4;

impl<'a> Arrays<'a> {
    /// In the order of the type.
    pub fn new(arrays: [&'a mut [f64]; 7]) -> Arrays<'a> {
        Arrays(arrays.map(|array| Cell::from_mut(array).as_slice_of_cells()))
    }

    fn at(&self, Slot(place): Slot) -> &'a Cell<f64> {
        &self.0[(place >> SHIFT) as usize][(place & (MOST - 1)) as usize]
    }
}

impl Plain {
    /// `enables` has for each unit the subsystem that it decides for.
    pub fn new(program: &Program, enables: &[Option<u32>]) -> Plain {
        let scratch = program.kernels.iter().map(|kernel| kernel.scratch).max().unwrap_or(0);
        let first = scratch + CLOCKS;
        let mut plain = Plain {
            tasks: Vec::with_capacity(program.units.len()),
            steps: Vec::new(),
            set: Vec::new(),
            constants: first..first,
            values: Vec::new(),
            clock: scratch,
            places: Vec::new(),
        };
        let is_plain: Vec<bool> = program.kernels.iter().map(|kernel| is_plain(kernel)).collect();
        let constants: usize = program.units.iter().map(|unit| program.kernel(unit).ops.len()).sum();
        let arrays = [
            first + constants,
            program.value_count,
            program.params.len(),
            program.discrete_count,
            program.continuous_count,
        ];
        let is_small = arrays.iter().all(|length| *length < MOST as usize);
        let mut known = HashMap::new();
        for (unit, enable_unit) in program.units.iter().zip(enables) {
            let is_one = is_small && is_plain[unit.kernel as usize] && enable_unit.is_none();
            let task = is_one.then(|| plain.task(program, unit, &mut known));
            plain.tasks.push(task);
        }
        plain.constants.end += plain.values.len();
        plain
    }

    /// The memory for registers, clock and constants.
    pub fn cells(&self) -> Vec<f64> {
        let mut cells = vec![0.0; self.constants.end];
        cells[self.constants.clone()].copy_from_slice(&self.values);
        cells
    }

    /// Sets the clock, in seconds; the step is a number.
    pub fn set_clock(&self, cells: &mut [f64], time: f64, step: u64, delta: f64) {
        let step = step as f64;
        // The step's time is multiplied, never summed.
        cells[self.clock..self.clock + CLOCKS].copy_from_slice(&[time, step * delta, delta, step]);
    }

    pub fn is_plain(&self, unit: u32) -> bool {
        self.tasks[unit as usize].is_some()
    }

    /// Publishes what needs no input; none where the unit is not plain, else the outputs that are set.
    pub fn begin(&self, unit: u32, arrays: &Arrays) -> Option<&[u32]> {
        let task = self.tasks[unit as usize]?;
        self.run_steps(task.first..task.run, arrays);
        Some(&self.set[task.first_set as usize..task.run_set as usize])
    }

    /// Runs a unit; none where it is not plain, else the outputs that are set, and whether it counts as a block.
    pub fn run(&self, unit: u32, is_major: bool, arrays: &Arrays) -> Option<(&[u32], bool)> {
        let task = self.tasks[unit as usize]?;
        self.run_steps(task.run..if is_major { task.end } else { task.next }, arrays);
        Some((&self.set[task.run_set as usize..task.end_set as usize], !task.is_hidden))
    }

    fn run_steps(&self, steps: Range<u32>, arrays: &Arrays) {
        for step in &self.steps[steps.start as usize..steps.end as usize] {
            let (a, b) = (arrays.at(step.a).get(), arrays.at(step.b).get());
            arrays.at(step.to).set(match step.op {
                PlainOp::Copy => a,
                PlainOp::Add => a + b,
                PlainOp::Sub => a - b,
                PlainOp::Mul => a * b,
                PlainOp::Unary(op) => math::unary(op, a),
                PlainOp::Binary(op) => math::binary(op, a, b),
                PlainOp::Select(no) => {
                    if a != 0.0 {
                        b
                    } else {
                        arrays.at(no).get()
                    }
                }
            });
        }
    }

    fn task(&mut self, program: &Program, unit: &Unit, known: &mut HashMap<u64, Slot>) -> PlainUnit {
        let kernel = program.kernel(unit);
        let (first, first_set) = (self.steps.len() as u32, self.set.len() as u32);
        let published = |is_begin: bool| {
            let outputs = program.outputs_of(unit).zip(&kernel.outputs);
            let is_now = move |made: &crate::block::KernelOutput| made.is_first(kernel) == is_begin;
            outputs.filter(move |(_, made)| is_now(made)).map(|(output, made)| (output as u32, made.reg))
        };
        self.list(program, unit, &kernel.begin, &published(true).collect::<Vec<_>>(), known);
        let (run, run_set) = (self.steps.len() as u32, self.set.len() as u32);
        self.list(program, unit, &kernel.run, &published(false).collect::<Vec<_>>(), known);
        let state = |state: usize| program.states[unit.first_state as usize + state].offset;
        let mut nexts = Vec::new();
        for update in &kernel.updates {
            match *update {
                Update::Derivative { value, .. } => {
                    self.copy(self.places[value as usize], Slot::of(RATES, state(update.state())));
                }
                Update::Next { value, .. } => nexts.push((self.places[value as usize], state(update.state()))),
                _ => {}
            }
        }
        let next = self.steps.len() as u32;
        nexts.into_iter().for_each(|(value, state)| self.copy(value, Slot::of(NEXT, state)));
        let (end, end_set) = (self.steps.len() as u32, self.set.len() as u32);
        PlainUnit { first, run, next, end, first_set, run_set, end_set, is_hidden: unit.is_hidden }
    }

    fn copy(&mut self, from: Slot, to: Slot) {
        self.steps.push(PlainIns { op: PlainOp::Copy, to, a: from, b: from });
    }

    /// Writes a list of instructions and the outputs that it sets.
    fn list(
        &mut self,
        program: &Program,
        unit: &Unit,
        list: &[Reg],
        set: &[(u32, Reg)],
        known: &mut HashMap<u64, Slot>,
    ) {
        let kernel = program.kernel(unit);
        self.places.clear();
        self.places.resize(kernel.ops.len(), Slot(0));
        let offset = |output: u32| program.outputs[output as usize].offset;
        for &reg in list {
            let (op, operands) = match &kernel.ops[reg as usize] {
                Op::Unary(op, a) => (PlainOp::Unary(*op), [*a, *a]),
                Op::Binary(Binary::Add, a, b) => (PlainOp::Add, [*a, *b]),
                Op::Binary(Binary::Sub, a, b) => (PlainOp::Sub, [*a, *b]),
                Op::Binary(Binary::Mul, a, b) => (PlainOp::Mul, [*a, *b]),
                Op::Binary(op, a, b) => (PlainOp::Binary(*op), [*a, *b]),
                Op::Select { on, yes, no } => (PlainOp::Select(self.places[*no as usize]), [*on, *yes]),
                op => {
                    let place = self.source(program, unit, op, known);
                    self.places[reg as usize] = place;
                    continue;
                }
            };
            // What is an output is made where it is read.
            let output = set.iter().find(|(_, made)| *made == reg);
            let to = output.map_or(Slot::of(CELLS, reg), |(output, _)| Slot::of(VALUES, offset(*output)));
            let [a, b] = operands.map(|operand| self.places[operand as usize]);
            self.steps.push(PlainIns { op, to, a, b });
            self.places[reg as usize] = to;
        }
        for &(output, reg) in set {
            let (from, to) = (self.places[reg as usize], Slot::of(VALUES, offset(output)));
            if from.0 != to.0 {
                self.copy(from, to);
            }
            self.set.push(output);
        }
    }

    /// Where what an instruction without operands gives lies.
    fn source(&mut self, program: &Program, unit: &Unit, op: &Op, known: &mut HashMap<u64, Slot>) -> Slot {
        match *op {
            Op::Param(number) => Slot::of(PARAMS, unit.first_param + number),
            Op::Input(input) => {
                // A unit runs only when all its inputs are set, so each has a source.
                let output = program.sources[(unit.first_input + input) as usize].unwrap_or(0);
                Slot::of(VALUES, program.outputs[output as usize].offset)
            }
            Op::State(state) => {
                let slot = &program.states[(unit.first_state + state) as usize];
                let array = if slot.kind == StateKind::Discrete { DISCRETE } else { CONTINUOUS };
                Slot::of(array, slot.offset)
            }
            Op::Clock(clock) => {
                let place = match clock {
                    Clock::Time => 0,
                    Clock::StepTime => 1,
                    Clock::Delta => 2,
                    _ => 3,
                };
                Slot::of(CELLS, (self.clock + place) as u32)
            }
            Op::Const(value) => *known.entry(value.to_bits()).or_insert_with(|| {
                self.values.push(value);
                Slot::of(CELLS, (self.constants.start + self.values.len() - 1) as u32)
            }),
            // Kernels with others are not plain.
            _ => Slot::of(CELLS, 0),
        }
    }
}

impl Slot {
    fn of(array: u32, index: u32) -> Slot {
        Slot(array << SHIFT | index)
    }
}

/// Whether a kernel's units are plain.
fn is_plain(kernel: &Kernel) -> bool {
    let is_known = |op: &Op| {
        use Clock::{Delta, Step, StepTime, Time};
        matches!(
            op,
            Op::Const(_)
                | Op::Param(_)
                | Op::Input(_)
                | Op::State(_)
                | Op::Unary(..)
                | Op::Binary(..)
                | Op::Select { .. }
                | Op::Clock(Time | StepTime | Delta | Step)
        )
    };
    kernel.is_scalar
        && kernel.iterations.is_none()
        && kernel.reports.is_empty()
        && kernel.outputs.iter().all(|made| made.idle.is_none() && made.width == 1)
        && kernel.states.iter().all(|state| !matches!(state.kind, StateKind::History { .. }) && state.width == 1)
        && kernel.updates.iter().all(|update| matches!(update, Update::Derivative { .. } | Update::Next { .. }))
        && kernel.begin.iter().chain(&kernel.run).all(|reg| is_known(&kernel.ops[*reg as usize]))
}
