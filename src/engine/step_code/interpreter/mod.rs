//! The interpreter of [`StepCode`].

pub(super) mod arith;
pub(super) mod decoded;
pub(super) mod ring;

use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;

use self::arith::{Elements, binary, fold, unary};
use self::decoded::{Decoded, Piece};
use super::{Instruction, Opcode, Repeat, StepCode};
use crate::block::{StateKind, math};
use crate::engine::program::fault::{Fault, non_finite};
use crate::engine::solve::interpret::Env;
use crate::engine::solve::{Integrator, LoopSolver};
use crate::engine::{Cancel, Context, OutputId, Program, RunError, Samples, SubsystemId};

/// The cells of a run, and the parts of the context that it borrows while it runs.
#[derive(Debug)]
pub(in crate::engine) struct Machine {
    pub program: Arc<Program>,
    pub code: Arc<StepCode>,
    /// Machine code holds their address while it runs: a slice cannot grow, and so cannot move.
    pub cells: Box<[f64]>,
    /// Machine code runs on the cells, perhaps further out in the calls.
    pub is_in_code: bool,
    /// The step up to the point where samples are taken, and the rest of it.
    decoded: Arc<[Decoded; 2]>,
    pub step: u64,
    /// The number of blocks that have run in this step.
    pub executed: u64,
    /// The parts of the context that kernels read: parameters, histories, and discrete states while a solver works.
    pub(in crate::engine) context: Context,
    /// The discrete states of the next step, while a solver works.
    pub(in crate::engine::step_code) next: Vec<f64>,
    pub(in crate::engine::step_code) integrator: Option<Integrator>,
    loops: Option<LoopSolver>,
    /// Computes the rates faster than the list of the step code, if present.
    pub rate_code: Option<Box<dyn RateCode>>,
    /// The same for the tangents of the rates.
    pub derivative_code: Option<Box<dyn RateCode>>,
    /// The same for the tangents of the rates by parameters.
    pub variation_code: Option<Box<dyn RateCode>>,
    /// Lets workers execute the instructions of remote blocks, if there are any.
    pub exchanges: Option<Box<dyn Exchanges>>,
    /// The number of evaluations of the rates by a solver.
    pub evaluations: u64,
    /// The number of evaluations of their tangents.
    pub differentiations: u64,
    /// The number of evaluations of the tangents by parameters.
    pub variations: u64,
    /// The values that the units of an algebraic loop read: outputs and continuous states.
    values: Vec<f64>,
    x: Vec<f64>,
    /// Buffers: the arguments of a Rust function, the states for a solver, the solution of an algebraic loop.
    pub(in crate::engine::step_code) args: Vec<f64>,
    pub(in crate::engine::step_code) driven: Vec<f64>,
    closing: Vec<f64>,
    /// Why the step cannot be completed, if it cannot.
    pub fault: Option<Fault>,
    /// The handle by which the run is cancelled, if any.
    pub cancel: Option<Cancel>,
    /// A panic that was caught below machine code, to be resumed above it.
    pub panic: Option<Box<dyn Any + Send>>,
    /// The index of the instruction that runs, unless it is scalar arithmetic.
    pub at: usize,
}

impl Machine {
    pub fn new(program: &Arc<Program>) -> Machine {
        Machine::of(program, Arc::new(StepCode::new(program)))
    }

    pub fn of(program: &Arc<Program>, code: Arc<StepCode>) -> Machine {
        let loops = LoopSolver::new(program);
        let seen = usize::from(loops.is_some());
        let decoded = [&code.step[..code.sampled], &code.step[code.sampled..]].map(|list| Decoded::new(&code, list));
        Machine {
            decoded: Arc::new(decoded),
            next: vec![0.0; program.discrete_count],
            integrator: Integrator::new(program),
            loops,
            values: vec![0.0; seen * program.value_count],
            x: vec![0.0; seen * program.continuous_count],
            ..Machine::helper(program, code)
        }
    }

    /// Returns a machine that runs given instructions but no steps, and none that read a history, solve, or refuse a
    /// value.
    pub fn helper(program: &Arc<Program>, code: Arc<StepCode>) -> Machine {
        let mut cells = vec![0.0; code.cells].into_boxed_slice();
        for &(cell, value) in &code.constants {
            cells[cell as usize] = value;
        }
        let empty = Vec::new;
        let context = Context {
            step: 0,
            executed: 0,
            values: empty(),
            discrete: vec![0.0; program.discrete_count],
            continuous: empty(),
            history: empty(),
            records: Vec::new(),
            params: empty(),
            solver: empty(),
        };
        Machine {
            program: Arc::clone(program),
            code,
            cells,
            is_in_code: false,
            decoded: Arc::default(),
            step: 0,
            executed: 0,
            context,
            next: empty(),
            integrator: None,
            loops: None,
            rate_code: None,
            derivative_code: None,
            variation_code: None,
            exchanges: None,
            evaluations: 0,
            differentiations: 0,
            variations: 0,
            values: empty(),
            x: empty(),
            args: empty(),
            driven: empty(),
            closing: empty(),
            fault: None,
            cancel: None,
            panic: None,
            at: 0,
        }
    }

    /// Copies parameters to the cells and computes the values that depend on them alone.
    pub fn enter_params(&mut self, params: &[f64]) {
        let code = Arc::clone(&self.code);
        code.params.load(params, &mut self.cells);
        code.once.iter().for_each(|ins| self.execute(ins));
    }

    /// Copies the context to the cells.
    pub fn enter(&mut self, context: &mut Context) {
        let code = Arc::clone(&self.code);
        code.params.load(&context.params, &mut self.cells);
        code.discrete.load(&context.discrete, &mut self.cells);
        code.continuous.load(&context.continuous, &mut self.cells);
        code.unset.load(&context.values, &mut self.cells);
        code.lasting.load(&context.values, &mut self.cells);
        self.context.params.clone_from(&context.params);
        self.context.solver.clone_from(&context.solver);
        let is_repeated = self.program.can_fail() || self.program.can_end() || self.exchanges.is_some();
        // Who records can fail.
        self.context.records.clone_from(&context.records);
        self.context.history = match is_repeated {
            // Needed to repeat the steps up to a failure.
            true => context.history.clone(),
            false => std::mem::take(&mut context.history),
        };
        self.step = context.step;
        code.once.iter().for_each(|ins| self.execute(ins));
        self.with_exchanges(|exchanges, machine| exchanges.enter(machine));
    }

    /// Calls `f` if there are remote blocks.
    fn with_exchanges(&mut self, f: impl FnOnce(&mut dyn Exchanges, &mut Machine)) {
        if let Some(mut exchanges) = self.exchanges.take() {
            f(&mut *exchanges, self);
            self.exchanges = Some(exchanges);
        }
    }

    /// Copies the new states to the context; [`Machine::last_step`] copies the values.
    pub fn leave(&mut self, context: &mut Context) {
        self.code.discrete.store(&mut context.discrete, &self.cells);
        self.code.continuous.store(&mut context.continuous, &self.cells);
        self.code.driven.iter().for_each(|driven| driven.held.store(&mut context.values, &self.cells));
        context.history = std::mem::take(&mut self.context.history);
        // Swapped, so that the next run copies into memory that is there.
        std::mem::swap(&mut context.records, &mut self.context.records);
        context.solver = std::mem::take(&mut self.context.solver);
        context.step = self.step;
        context.executed = self.executed;
    }

    /// Copies the context, runs `count - 1` steps with `steps`, which ends early if a block ends the run, then the last
    /// step, and copies the new values to the context.
    ///
    /// # Errors
    /// If a step cannot be completed. The steps before it are complete.
    pub fn run(
        &mut self,
        context: &mut Context,
        count: u64,
        samples: &mut Samples,
        steps: &mut dyn FnMut(&mut Machine, u64, &mut Samples) -> Result<(), Fault>,
    ) -> Result<(), RunError> {
        let Some(before_last) = count.checked_sub(1) else { return Ok(()) };
        samples.go_on();
        if samples.is_cancelled() {
            return Ok(());
        }
        self.cancel = samples.cancel();
        self.enter(context);
        let ran = match steps(self, before_last, samples) {
            Ok(()) if samples.end().is_some() => self.last_again(context, steps),
            ran => ran.and_then(|()| self.last_step(context, samples)),
        };
        let Err(fault) = ran else {
            self.leave(context);
            return Ok(());
        };
        if self.is_cancelled() {
            // Repeats the completed steps.
            let done = self.step - context.step;
            return self.run(context, done, &mut Samples::default(), steps);
        }
        self.run_again(context, self.step)?;
        Err(fault.error(&self.program, context))
    }

    /// Repeats the steps up to `end`, which did not fail.
    pub fn run_again(&mut self, context: &mut Context, end: u64) -> Result<(), RunError> {
        let count = end - context.step;
        self.run(context, count, &mut Samples::default(), &mut Machine::steps)
    }

    /// Whether the run is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(Cancel::is_cancelled)
    }

    /// Runs steps one by one and records the watched values; ends early if a block ends the run.
    ///
    /// # Errors
    /// If a step cannot be completed; nothing of it is recorded.
    pub fn steps(&mut self, count: u64, samples: &mut Samples) -> Result<(), Fault> {
        // Cloned once: the reference counts cost as much as a small step.
        let (lists, cancel) = (self.lists(), samples.cancel());
        for _ in 0..count {
            self.step(&lists, samples, None)?;
            if samples.end().is_some() || cancel.as_ref().is_some_and(Cancel::is_cancelled) {
                break;
            }
        }
        Ok(())
    }

    /// Runs a step and copies its values to the context.
    pub(in crate::engine::step_code) fn last_step(
        &mut self,
        context: &mut Context,
        samples: &mut Samples,
    ) -> Result<(), Fault> {
        let mut values = std::mem::take(&mut context.values);
        let before = self.program.can_fail().then(|| values.clone());
        let lists = self.lists();
        let ran = self.step(&lists, samples, Some(&mut values));
        context.values = match (&ran, before) {
            (Err(_), Some(before)) => before,
            _ => values,
        };
        ran
    }

    /// Returns the lists of a step, so that the machine can be borrowed while they run.
    fn lists(&self) -> StepLists {
        StepLists { code: Arc::clone(&self.code), decoded: Arc::clone(&self.decoded) }
    }

    /// Runs a step; of the last one all `values` are wanted.
    fn step(&mut self, lists: &StepLists, samples: &mut Samples, values: Option<&mut Vec<f64>>) -> Result<(), Fault> {
        let is_last = values.is_some();
        self.executed = lists.code.executed;
        if is_last {
            self.with_exchanges(|exchanges, machine| exchanges.begin_last(machine));
        }
        self.phase(lists, 0);
        if is_last {
            self.with_exchanges(|exchanges, machine| exchanges.fetch_values(machine));
        }
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        samples.note(&self.program, self.step, |output| lists.code.outputs[output], &self.cells);
        values.into_iter().for_each(|values| lists.code.values.store(values, &self.cells));
        self.phase(lists, 1);
        if is_last {
            self.with_exchanges(|exchanges, machine| exchanges.fetch_states(machine));
        }
        if let Some(fault) = self.fault.take() {
            samples.retract(&self.program);
            return Err(fault);
        }
        self.report(samples);
        self.step += 1;
        Ok(())
    }

    /// Runs the major step (phase 0), or the instructions after it (phase 1).
    pub fn run_phase(&mut self, phase: usize) {
        self.phase(&self.lists(), phase);
    }

    fn phase(&mut self, StepLists { code, decoded }: &StepLists, phase: usize) {
        let list = if phase == 0 { &code.step[..code.sampled] } else { &code.step[code.sampled..] };
        self.run_list(&decoded[phase], list);
    }

    /// Runs a decoded list.
    pub fn run_list(&mut self, decoded: &Decoded, list: &[Instruction]) {
        for piece in &decoded.pieces {
            match piece {
                Piece::Smalls(range) => decoded.run(range.clone(), &mut self.cells),
                Piece::One(at) => {
                    self.at = *at;
                    self.execute(&list[*at]);
                }
            }
        }
    }

    /// Runs one instruction.
    pub fn execute(&mut self, ins: &Instruction) {
        match ins.opcode {
            Opcode::Push(ring) => return self.push(ring, ins),
            Opcode::Past(ring) => return self.past(ring, ins),
            Opcode::Recorded { record, read } => return self.read_record((record, read), ins),
            Opcode::Fill(ring) => return self.fill(ring, ins),
            Opcode::RefuseNonFinite => return self.refuse_non_finite(ins),
            Opcode::LimitRuns => return self.limit_runs(None),
            Opcode::Solve { .. } => return self.solve(ins),
            Opcode::Branch(number) => return self.branch(number),
            Opcode::AlgebraicLoop { number, .. } => return self.close_loop(number as usize, ins),
            Opcode::Call { number, reads } => return self.call(number as usize, reads, ins),
            Opcode::Exchange(number) => {
                return self.with_exchanges(|exchanges, machine| exchanges.exchange(machine, number));
            }
            _ => {}
        }
        let cells = Cell::from_mut(&mut self.cells[..]).as_slice_of_cells();
        let elements = Elements { cells, tables: &self.code.tables, ins };
        let (step, delta) = (self.step, self.code.delta);
        match ins.opcode {
            Opcode::Copy => elements.map(|a| a),
            Opcode::Unary(op) => unary(op, &elements),
            Opcode::Binary(op) => binary(op, &elements),
            Opcode::Select => elements.map_three(|on, yes, no| if on != 0.0 { yes } else { no }),
            Opcode::Fold(op) => fold(op, &elements),
            Opcode::Pick { count } => {
                for element in 0..ins.elements {
                    // The conversion saturates; NaN becomes 0.
                    let index = (elements.get(1, element) as usize).min(count as usize - 1);
                    elements.set(element, elements.get(0, index as u32));
                }
            }
            Opcode::Random { is_vector } => {
                for element in 0..ins.elements {
                    let number = if is_vector { element as usize } else { 0 };
                    let [seed, stream, counter] = [0, 1, 2].map(|arg| elements.get(arg, element));
                    elements.set(element, math::random(seed, stream, counter, number));
                }
            }
            Opcode::Step => elements.clock(step, |step| step),
            Opcode::Hit(sample) => elements.set(0, f64::from(u8::from(sample.is_hit(step)))),
            Opcode::Count(sample) => elements.set(0, sample.count(step) as f64),
            // Multiplied, never summed; the first stage has exactly the step's time.
            Opcode::StepTime | Opcode::StageTime(0.0) => elements.clock(step, |step| step * delta),
            Opcode::StageTime(part) => elements.clock(step, |step| (step + part) * delta),
            Opcode::Push(_) | Opcode::Past(_) | Opcode::Fill(_) | Opcode::Recorded { .. } => {}
            Opcode::RefuseNonFinite | Opcode::LimitRuns => {}
            Opcode::Solve { .. }
            | Opcode::AlgebraicLoop { .. }
            | Opcode::Call { .. }
            | Opcode::Branch(_)
            | Opcode::Exchange(_)
            | Opcode::Precomputed(_) => {}
        }
    }

    /// Copies the values that the units of an algebraic loop read, and solves the loop.
    fn close_loop(&mut self, number: usize, ins: &Instruction) {
        let (program, code) = (Arc::clone(&self.program), Arc::clone(&self.code));
        let Some(mut loops) = self.loops.take() else { return };
        let of = &program.loops[number];
        let count = if let Opcode::AlgebraicLoop { reads, .. } = ins.opcode { reads } else { 0 };
        let mut seen = (0..count).map(|element| self.cells[ins.args[0].cell(&code.tables, element) as usize]);
        let mut take = |to: &mut [f64]| to.iter_mut().zip(&mut seen).for_each(|(to, from)| *to = from);
        let mut clock = [0.0; 2];
        take(&mut clock);
        for &output in &of.externals {
            let output = &program.outputs[output];
            take(&mut self.values[output.elements()]);
        }
        let mut z = std::mem::take(&mut self.closing);
        z.clear();
        z.resize(of.width, 0.0);
        take(&mut z);
        for (_, slot) in program.states_of_loop(of) {
            let values = slot.elements();
            match slot.kind {
                StateKind::Discrete => {
                    take(&mut self.context.discrete[values.clone()]);
                    take(&mut self.next[values]);
                }
                StateKind::Continuous => take(&mut self.x[values]),
                StateKind::History { .. } | StateKind::Record => {}
            }
        }
        self.context.step = self.step;
        let [time, major] = clock;
        let is_major = major != 0.0;
        let env = Env {
            program: &program,
            unit: &program.units[of.unit],
            values: &self.values,
            context: &self.context,
            discrete: &self.context.discrete,
            continuous: &self.x,
            next: &self.next,
            time,
            is_major,
            is_deciding: is_major,
            iteration: 0,
            runs: 0.0,
            cancel: self.cancel.as_ref(),
        };
        if let (Err(why), true) = (loops.solve(number, &env, &mut z), is_major) {
            self.fault.get_or_insert(of.fault(&program, why));
        }
        self.loops = Some(loops);
        self.cells[ins.dst as usize..][..z.len()].copy_from_slice(&z);
        self.closing = z;
    }

    fn refuse_non_finite(&mut self, ins: &Instruction) {
        let mut elements =
            (0..ins.elements).map(|element| self.cells[ins.args[0].cell(&self.code.tables, element) as usize]);
        if self.fault.is_some() || elements.all(f64::is_finite) {
            return;
        }
        let (code, program) = (&self.code, &self.program);
        let elements =
            |output: OutputId| &self.cells[code.outputs[output] as usize..][..program.outputs[output].width as usize];
        self.fault = non_finite(program, elements);
    }

    /// Fails the step if it has run too many blocks; `subsystem` is the one that runs.
    fn limit_runs(&mut self, subsystem: Option<SubsystemId>) {
        if self.executed > self.program.max_executions {
            let fault = self.program.beyond_runs(subsystem, None);
            self.fault.get_or_insert(fault);
        }
    }

    fn call(&mut self, number: usize, reads: u32, ins: &Instruction) {
        let cell = |element: u32| self.cells[ins.args[0].cell(&self.code.tables, element) as usize];
        let is_major = cell(0) != 0.0;
        self.args.clear();
        self.args.extend((1..reads).map(cell));
        let (of, unit) = &self.code.calls[number];
        let out = &mut self.cells[ins.dst as usize..][..ins.elements as usize];
        if let Err(problem) = of.call(&self.args, out, self.cancel.as_ref()) {
            out.fill(f64::NAN);
            if self.cancel.as_ref().is_some_and(Cancel::is_cancelled) {
                self.fault.get_or_insert_with(Fault::cancelled);
            } else if is_major {
                self.fault.get_or_insert(Fault::new(Some(*unit), problem.to_string()));
            }
        }
    }

    fn branch(&mut self, number: u32) {
        let code = Arc::clone(&self.code);
        let branch = &code.branches[number as usize];
        let runs = self.cells[branch.guard as usize];
        let is_allowed = |machine: &mut Machine, repeat: Repeat, is_more: &dyn Fn(u64) -> bool| {
            let subsystem = &machine.program.subsystems[repeat.subsystem];
            if machine.is_cancelled() {
                machine.fault.get_or_insert_with(Fault::cancelled);
            } else if is_more(subsystem.limit) {
                let fault = subsystem.beyond_limit();
                machine.fault.get_or_insert(fault);
            }
            machine.limit_runs(Some(repeat.subsystem));
            machine.fault.is_none()
        };
        if let Some(repeat) = branch.repeat
            && !is_allowed(self, repeat, &|limit| runs > limit as f64)
        {
            return;
        }
        if runs.is_nan() || runs < 1.0 {
            return branch.otherwise.iter().for_each(|ins| self.execute(ins));
        }
        let mut run = 0;
        loop {
            if let Some(repeat) = branch.repeat {
                self.cells[repeat.iteration as usize] = run as f64;
            }
            branch.body.iter().for_each(|ins| self.execute(ins));
            self.executed += branch.executed;
            for &(iterations, blocks) in &branch.again {
                // The conversion saturates.
                let executed = (self.cells[iterations as usize] as u64).saturating_mul(blocks);
                self.executed = self.executed.saturating_add(executed);
            }
            run += 1;
            let Some(repeat) = branch.repeat else { return };
            let goes_on = match repeat.condition {
                Some(condition) => self.cells[condition as usize] > 0.0,
                None => run < runs as u64,
            };
            if !goes_on {
                // The last run, too, may exceed the limit of the step.
                return self.limit_runs(Some(repeat.subsystem));
            }
            if !is_allowed(self, repeat, &|limit| repeat.condition.is_some() && run >= limit) {
                return;
            }
        }
    }
}

struct StepLists {
    code: Arc<StepCode>,
    /// The step up to the point where samples are taken, and the rest of it.
    decoded: Arc<[Decoded; 2]>,
}

/// Workers that execute the instructions of remote blocks. What goes wrong becomes the fault of the machine.
pub(in crate::engine) trait Exchanges: std::fmt::Debug + Send {
    /// The machine has the values of a context; steps follow.
    fn enter(&mut self, machine: &mut Machine);

    /// Lets workers execute the instructions of an [`Opcode::Exchange`].
    fn exchange(&mut self, machine: &mut Machine, number: u32);

    /// A step begins whose outputs will be fetched.
    fn begin_last(&mut self, machine: &mut Machine);

    /// Brings all outputs of remote units, after the major step.
    fn fetch_values(&mut self, machine: &mut Machine);

    /// Brings all states of remote units, at the end of a step.
    fn fetch_states(&mut self, machine: &mut Machine);
}

/// Another implementation of the rates of a machine's step code.
pub(in crate::engine) trait RateCode: std::fmt::Debug + Send {
    /// Computes the rates, in the order of the context's states; time and states are in their cells.
    fn run(&self, machine: &mut Machine, rates: &mut [f64]);
}
