//! From a program to code: which units go together, in which order, and what becomes of their states.

use std::collections::HashMap;

use super::super::Program;
use super::super::schedule::{Schedule, is_beside, is_wire};
use super::batch::{Batch, Out, Value, run, source};
use super::solve::{Rate, drive, integrate};
use super::space::{Class, NONE, Space, is_scalar, lanes};
use super::{Act, Arg, Code, Driven, Ins, Move, Moves};
use crate::block::{Clock, Kernel, Op, StateDef, StateKind, Update};

/// Fewer equal units than this are written one by one.
const FEW: usize = 8;
/// Rows of this length on average are kept apart.
const LONG_ROW: usize = 16;
/// Where packs would come out shorter than this on average, their inputs are gathered instead.
const SHORT_PACK: usize = 4;

impl Code {
    pub fn new(program: &Program) -> Code {
        let schedule = Schedule::new(program);
        let lanes = lanes(program, &schedule);
        let mut space = Space::new(program, &lanes);
        let code = Code {
            delta: program.delta,
            executed: schedule.order.len() as u64,
            outputs: vec![NONE; program.outputs.len()],
            ..Code::default()
        };
        let nexts = nexts(program, &lanes, &mut space);
        let mut lower = Lower {
            program,
            space,
            code,
            classes: vec![Class::Once; program.outputs.len()],
            helds: Vec::new(),
            nexts,
            jumps: Vec::new(),
            rates: Vec::new(),
            commits: Vec::new(),
            limits: Vec::new(),
            pushes: Vec::new(),
        };
        lower.clock();
        lower.begin(&lanes);
        lower.run(&schedule);
        lower.finish()
    }
}

/// For each discrete state that is read as held, cells for its next value.
fn nexts(program: &Program, lanes: &[Vec<u32>], space: &mut Space) -> HashMap<u32, u32> {
    let mut nexts = HashMap::new();
    for (kernel, units) in program.kernels.iter().zip(lanes) {
        for (slot, state) in kernel.states.iter().enumerate() {
            if kernel.ops.contains(&Op::Held(slot as u32)) {
                let cells = |&unit: &u32| {
                    (
                        program.units[unit as usize].first_state + slot as u32,
                        space.take(Class::Step, state.width as u32),
                    )
                };
                nexts.extend(units.iter().map(cells));
            }
        }
    }
    nexts
}

struct Lower<'a> {
    program: &'a Program,
    space: Space,
    code: Code,
    classes: Vec<Class>,
    helds: Vec<(usize, u32)>,
    nexts: HashMap<u32, u32>,
    // What follows the pass that counts.
    jumps: Vec<Ins>,
    rates: Vec<Rate>,
    commits: Vec<Ins>,
    limits: Vec<Ins>,
    pushes: Vec<Ins>,
}

impl<'a> Lower<'a> {
    fn clock(&mut self) {
        let ins = |act, dst| Ins { act, lanes: 1, dst, args: [Arg::One(0); 3] };
        self.code.step.push(ins(Act::Step, self.space.step));
        self.code.step.push(ins(Act::StepTime, self.space.step_time));
        self.code.step.push(ins(Act::StageTime(0.0), self.space.time));
        for op in self.program.kernels.iter().flat_map(|kernel| &kernel.ops) {
            let (clock, act) = match *op {
                Op::Clock(clock @ Clock::Hit(sample)) => (clock, Act::Hit(sample)),
                Op::Clock(clock @ Clock::Count(sample)) => (clock, Act::Count(sample)),
                _ => continue,
            };
            if !self.space.clocks.contains_key(&clock) {
                let cell = self.space.take(Class::Step, 1);
                self.space.clocks.insert(clock, cell);
                self.code.step.push(ins(act, cell));
            }
        }
    }

    /// What is published before anything runs.
    fn begin(&mut self, lanes: &[Vec<u32>]) {
        let mut held: Vec<(u32, u32)> = self.nexts.iter().map(|(&state, &next)| (state, next)).collect();
        held.sort_unstable();
        for (state, next) in held {
            let (cells, width) = (self.space.states[state as usize], self.program.states[state as usize].width);
            self.code.step.push(copy(next, run(cells, width), width));
        }
        for (kernel, units) in self.program.kernels.iter().zip(lanes) {
            if kernel.inputs.is_empty() || kernel.begin.is_empty() {
                continue;
            }
            let pack = if is_scalar(kernel) && units.len() >= FEW { units.len() } else { 1 };
            for units in units.chunks(pack) {
                let batch = self.write(kernel, units, &kernel.begin);
                self.publish(&batch, |output| kernel.outputs[output].needs.is_empty());
            }
        }
    }

    fn run(&mut self, schedule: &Schedule) {
        let program = self.program;
        let kernel_of = |unit: u32| program.units[unit as usize].kernel;
        let together = |a: &u32, b: &u32| {
            schedule.levels[*a as usize] == schedule.levels[*b as usize] && kernel_of(*a) == kernel_of(*b)
        };
        for units in schedule.order.chunk_by(together) {
            let kernel = program.kernel(&program.units[units[0] as usize]);
            if is_wire(kernel) {
                units.iter().for_each(|&unit| self.wire(unit));
            } else if is_scalar(kernel) && units.len() >= FEW {
                self.rows(units).into_iter().for_each(|units| self.packs(kernel, units));
            } else {
                units.chunks(1).for_each(|unit| self.run_batch(kernel, unit));
            }
        }
    }

    fn wire(&mut self, unit: u32) {
        if let Some(from) = source(self.program, unit, 0) {
            let output = self.program.units[unit as usize].first_output as usize;
            self.code.outputs[output] = self.code.outputs[from];
            self.classes[output] = self.classes[from];
        }
    }

    /// Units in rows of one for each use of a model, where that makes long rows: then all of a use lies in the same
    /// lane of every row, and one loop can run through it.
    fn rows<'b>(&self, units: &'b [u32]) -> Vec<&'b [u32]> {
        let unit = |number: &u32| &self.program.units[*number as usize];
        let rows: Vec<&[u32]> = units.chunk_by(|a, b| is_beside(self.program, unit(a), unit(b))).collect();
        if rows.len() * LONG_ROW <= units.len() { rows } else { vec![units] }
    }

    /// Equal units in pieces whose inputs lie side by side, or are the same for all.
    fn packs(&mut self, kernel: &Kernel, units: &[u32]) {
        let cell = |unit: u32, input: usize| {
            source(self.program, unit, input).map_or(0, |from| i64::from(self.code.outputs[from]))
        };
        let mut pieces = Vec::new();
        let (mut first, mut strides) = (0, None::<Vec<i64>>);
        for next in 1..units.len() {
            let steps = (0..kernel.inputs.len()).map(|input| cell(units[next], input) - cell(units[next - 1], input));
            let steps: Vec<i64> = steps.collect();
            let is_even = steps.iter().all(|step| *step == 0 || *step == 1);
            if is_even && strides.as_ref().is_none_or(|known| *known == steps) {
                strides = Some(steps);
            } else {
                pieces.push(first..next);
                (first, strides) = (next, None);
            }
        }
        pieces.push(first..units.len());
        if pieces.len() * SHORT_PACK > units.len() && units.len() >= FEW {
            return self.run_batch(kernel, units);
        }
        for piece in pieces {
            let pack = if piece.len() >= FEW { piece.len() } else { 1 };
            units[piece].chunks(pack).for_each(|units| self.run_batch(kernel, units));
        }
    }

    fn write<'b>(&mut self, kernel: &'b Kernel, units: &'b [u32], list: &[u32]) -> Batch<'b> {
        let mut batch = Batch::new(kernel, units);
        let mut out = Out {
            program: self.program,
            space: &mut self.space,
            code: &mut self.code,
            classes: &mut self.classes,
            helds: &mut self.helds,
            nexts: &self.nexts,
        };
        batch.write(list, &mut out);
        batch
    }

    fn publish(&mut self, batch: &Batch, is_due: impl Fn(usize) -> bool) {
        for (output, made) in batch.kernel.outputs.iter().enumerate().filter(|(output, _)| is_due(*output)) {
            let value = batch.value(made.reg);
            let mut arg = value.arg;
            if made.width > 1
                && let Arg::One(_) = arg
            {
                let cells = self.space.take(value.class.max(Class::Step), made.width as u32);
                self.code.step.push(copy(cells, arg, made.width as u32));
                arg = Arg::Run(cells);
            }
            for (lane, &unit) in batch.units.iter().enumerate() {
                let number = self.program.units[unit as usize].first_output as usize + output;
                self.code.outputs[number] = arg.cell(&self.code.tables, lane as u32);
                self.classes[number] = value.class;
            }
        }
    }

    fn run_batch(&mut self, kernel: &Kernel, units: &[u32]) {
        let batch = self.write(kernel, units, &kernel.run);
        self.publish(&batch, |output| kernel.inputs.is_empty() || !kernel.outputs[output].needs.is_empty());
        for update in &kernel.updates {
            self.update(&batch, update);
        }
    }

    fn update(&mut self, batch: &Batch, update: &Update) {
        let state = self.program.units[batch.units[0] as usize].first_state as usize + update.state();
        let lanes = match batch.units {
            [_] => self.program.states[state].width,
            units => units.len() as u32,
        };
        let cells = self.space.states[state];
        match *update {
            Update::Derivative { value, .. } => {
                let value = batch.value(value);
                let first = self.kept(value, lanes);
                self.rates.push(Rate { state: cells, lanes, value, first });
            }
            Update::Next { value, .. } => {
                let value = batch.value(value);
                let from = match self.nexts.get(&(state as u32)) {
                    Some(&next) => {
                        self.code.step.push(copy(next, value.arg, lanes));
                        run(next, lanes)
                    }
                    None => self.kept(value, lanes),
                };
                self.commits.push(copy(cells, from, lanes));
            }
            Update::Jump { on, value, .. } => {
                let [on, value] = [on, value].map(|reg| self.kept(batch.value(reg), lanes));
                self.jumps.push(Ins { act: Act::Select, lanes, dst: cells, args: [on, value, run(cells, lanes)] });
            }
            Update::Limit { low, high, .. } => {
                let [low, high] = [low, high].map(|reg| self.kept(batch.value(reg), lanes));
                self.limit(cells, lanes, low, high);
            }
            Update::Push { history, on, value } => {
                let ring = batch.ring(history, self.program);
                let (value, on) = (self.kept(batch.value(value), lanes), self.kept(batch.value(on), 1));
                self.pushes.push(Ins { act: Act::Push(ring), lanes, dst: 0, args: [value, on, Arg::One(0)] });
            }
        }
    }

    /// Not-a-number stays.
    fn limit(&mut self, cells: u32, lanes: u32, low: Arg, high: Arg) {
        use crate::block::Binary::{Gt, Lt};
        let state = run(cells, lanes);
        let temp = [(); 3].map(|()| self.space.take(Class::Step, lanes));
        let [below, above, kept] = temp.map(|at| run(at, lanes));
        let ins = |act, dst, args| Ins { act, lanes, dst, args };
        self.limits.extend([
            ins(Act::Binary(Lt), temp[0], [state, low, low]),
            ins(Act::Binary(Gt), temp[1], [state, high, high]),
            ins(Act::Select, temp[2], [above, high, state]),
            ins(Act::Select, cells, [below, low, kept]),
        ]);
    }

    /// The value, where it is a state's a copy, which stays when the states are taken over.
    fn kept(&mut self, value: Value, lanes: u32) -> Arg {
        let count = if let Arg::One(_) = value.arg { 1 } else { lanes };
        if !(0..count).any(|lane| self.space.is_state(value.arg.cell(&self.code.tables, lane))) {
            return value.arg;
        }
        let cells = self.space.take(Class::Step, count);
        self.code.step.push(copy(cells, value.arg, count));
        run(cells, count)
    }

    fn finish(mut self) -> Code {
        self.moves();
        if self.program.refuses_non_finite {
            self.refuse_non_finite();
        }
        self.code.sampled = self.code.step.len();
        self.code.step.append(&mut self.jumps);
        let rates = std::mem::take(&mut self.rates);
        let rates = with_idle(rates, &mut self.space);
        match self.program.solver.tableau() {
            Some(tableau) => integrate(tableau, &mut self.code, &mut self.space, &rates, &self.helds),
            None if rates.is_empty() => {}
            None => {
                let mut driven = Driven { modes: Moves(self.next_cells(|state| state.is_mode())), ..Driven::default() };
                driven.nexts = Moves(self.next_cells(|_| true));
                drive(&mut self.code, &mut self.space, &rates, &self.helds, driven);
            }
        }
        self.code.step.append(&mut self.commits);
        self.code.step.append(&mut self.limits);
        self.code.step.append(&mut self.pushes);
        self.space.settle(&mut self.code);
        self.code
    }

    /// The places of held states in the context and the cells of their next values, in the order of the program.
    fn next_cells(&self, is_wanted: impl Fn(&StateDef) -> bool) -> Vec<Move> {
        let mut found = Vec::new();
        for unit in &self.program.units {
            for (slot, state) in
                self.program.kernel(unit).states.iter().enumerate().filter(|(_, state)| is_wanted(state))
            {
                let number = unit.first_state + slot as u32;
                if let Some(&cell) = self.nexts.get(&number) {
                    let place = self.program.states[number as usize].offset;
                    found.push(Move { place, cell, count: state.width as u32 });
                }
            }
        }
        found
    }

    fn refuse_non_finite(&mut self) {
        let first = self.code.tables.len() as u32;
        for &Move { cell, count, .. } in &self.code.values.0 {
            self.code.tables.extend(cell..cell + count);
        }
        let lanes = self.code.tables.len() as u32 - first;
        let args = [Arg::Table(first), Arg::One(0), Arg::One(0)];
        self.code.step.push(Ins { act: Act::RefuseNonFinite, lanes, dst: 0, args });
    }

    /// Where everything lies in the context.
    fn moves(&mut self) {
        let (code, space) = (&mut self.code, &mut self.space);
        for (place, &cell) in space.params.iter().enumerate() {
            code.params.push(place as u32, cell, 1);
        }
        for (state, &cell) in self.program.states.iter().zip(&space.states) {
            match state.kind {
                StateKind::Discrete => code.discrete.push(state.offset, cell, state.width),
                StateKind::Continuous => code.continuous.push(state.offset, cell, state.width),
                StateKind::History { .. } => {}
            }
        }
        for (output, cell) in self.program.outputs.iter().zip(&mut code.outputs) {
            if *cell == NONE {
                *cell = space.take(Class::Once, output.width);
                code.unset.push(output.offset, *cell, output.width);
            } else {
                code.values.push(output.offset, *cell, output.width);
            }
        }
    }
}

/// The rates, and a rate of 0 for the states of units that do not run.
fn with_idle(mut rates: Vec<Rate>, space: &mut Space) -> Vec<Rate> {
    let mut is_moved = vec![false; space.continuous_count() as usize];
    // Of several rates of a state the last counts.
    let mut kept = Vec::with_capacity(rates.len());
    while let Some(rate) = rates.pop() {
        let first = Space::stage_index(rate.state);
        let cells = &mut is_moved[first..first + rate.lanes as usize];
        if !cells.contains(&true) {
            cells.fill(true);
            kept.push(rate);
        }
    }
    kept.reverse();
    let mut index = 0;
    for idle in is_moved.chunk_by(|a, b| a == b) {
        if !idle[0] {
            let zero = Value { arg: space.constant(0.0), class: Class::Once };
            let state = Space::stage_cell(index);
            kept.push(Rate { state, lanes: idle.len() as u32, value: zero, first: zero.arg });
        }
        index += idle.len() as u32;
    }
    kept
}

pub(super) fn copy(dst: u32, from: Arg, lanes: u32) -> Ins {
    Ins { act: Act::Copy, lanes, dst, args: [from, Arg::One(0), Arg::One(0)] }
}
