//! The reference engine: a queue, and the rules of a step word for word. Every other engine is compared with it.
//!
//! A step begins with every block publishing what needs no input; then the blocks without inputs run, in ascending
//! order; a block runs when its last missing input has been set, and again whenever an input is set again. The step
//! ends when the queue is empty. Only then are new states taken over. A solver with further stages repeats this with
//! the states that the stage assumes; only the first time counts for outputs, discrete states and samples.

use std::collections::VecDeque;
use std::sync::Arc;

use super::fault::{Fault, non_finite};
use super::interpret::{Env, Interpreter};
use super::solve::{Integrator, Leaves, System};
use super::{Context, Declined, Engine, Execute, Program, RunError, Samples};
use crate::block::{StateKind, Update};

pub(super) struct Simple;

impl Engine for Simple {
    fn name(&self) -> &'static str {
        "simple"
    }

    fn doc(&self) -> &'static str {
        "The reference: runs blocks from a queue as their inputs arrive"
    }

    fn prepare(&self, program: &Arc<Program>) -> Result<Box<dyn Execute>, Declined> {
        Ok(Box::new(Queue::new(program)))
    }
}

/// What lives no longer than a step, kept to be used again.
struct Queue {
    program: Arc<Program>,
    interpreter: Interpreter,
    integrator: Option<Integrator>,
    queue: VecDeque<u32>,
    /// For each unit the number of inputs that were not set yet; from the program, and in this pass.
    all_missing: Vec<u32>,
    missing: Vec<u32>,
    /// Whether an input was set in this pass.
    is_set: Vec<bool>,
    /// Discrete states to be taken over at the end of the step.
    next: Vec<f64>,
    /// Values to be pushed to histories, by history.
    pushed: Vec<Push>,
    limits: Vec<Limit>,
    /// Rates of change of the continuous states, a stage after the other.
    rates: Vec<Vec<f64>>,
    /// Seconds, at the stage that runs.
    time: f64,
    stage_continuous: Vec<f64>,
    stage_values: Vec<f64>,
}

struct Push {
    offset: usize,
    width: usize,
    length: usize,
    value: Vec<f64>,
}

struct Limit {
    offset: usize,
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Execute for Queue {
    fn run(&mut self, context: &mut Context, count: u64, samples: &mut Samples) -> Result<(), RunError> {
        let program = Arc::clone(&self.program);
        for _ in 0..count {
            // A step that fails leaves the context as it was at its begin.
            let before = program.can_fail().then(|| context.clone());
            if let Err(fault) = self.step(&program, context, samples) {
                before.into_iter().for_each(|before| *context = before);
                return Err(fault.error(&program, context));
            }
        }
        Ok(())
    }

    fn engine(&self) -> &'static str {
        Simple.name()
    }
}

impl Queue {
    fn new(program: &Arc<Program>) -> Queue {
        let missing = |unit| program.kernel(unit).inputs.len() as u32;
        let all_missing: Vec<u32> = program.units.iter().map(missing).collect();
        let stages = program.solver.tableau().map_or(2, |tableau| tableau.parts.len());
        let stages = if program.continuous_count == 0 { 1 } else { stages };
        Queue {
            program: Arc::clone(program),
            interpreter: Interpreter::new(program),
            integrator: Integrator::new(program),
            queue: VecDeque::new(),
            missing: all_missing.clone(),
            all_missing,
            is_set: vec![false; program.sources.len()],
            next: vec![0.0; program.discrete_count],
            pushed: Vec::new(),
            limits: Vec::new(),
            rates: vec![vec![0.0; program.continuous_count]; stages],
            time: 0.0,
            stage_continuous: vec![0.0; program.continuous_count],
            stage_values: if stages > 1 { vec![0.0; program.value_count] } else { Vec::new() },
        }
    }

    fn step(&mut self, program: &Program, context: &mut Context, samples: &mut Samples) -> Result<(), Fault> {
        self.next.copy_from_slice(&context.discrete);
        self.pushed.clear();
        self.limits.clear();
        self.stage_continuous.copy_from_slice(&context.continuous);
        self.time = context.time(program);
        let mut values = std::mem::take(&mut context.values);
        context.executed = self.pass(program, context, &mut values, 0);
        context.values = values;
        if program.refuses_non_finite {
            let place = |output: usize| &program.outputs[output];
            let lanes = |output| &context.values[place(output).offset as usize..][..place(output).width as usize];
            non_finite(program, lanes).map_or(Ok(()), Err)?;
        }
        samples.take(program, context);
        if let Err(fault) = self.integrate(program, context) {
            samples.retract(program);
            return Err(fault);
        }
        self.commit(context);
        context.step += 1;
        Ok(())
    }

    /// Carries the continuous states to the end of the step.
    fn integrate(&mut self, program: &Program, context: &mut Context) -> Result<(), Fault> {
        let Some(tableau) = program.solver.tableau() else { return self.drive(program, context) };
        let h = program.delta;
        let mut values = std::mem::take(&mut self.stage_values);
        for stage in 1..self.rates.len() {
            let rates = &self.rates;
            for (state, assumed) in self.stage_continuous.iter_mut().enumerate() {
                *assumed = tableau.stage_state(stage, context.continuous[state], |of| rates[of][state], h);
            }
            values.copy_from_slice(&context.values);
            self.time = (context.step as f64 + tableau.parts[stage]) * h;
            self.pass(program, context, &mut values, stage);
        }
        self.stage_values = values;
        for (state, x) in context.continuous.iter_mut().enumerate() {
            *x = tableau.advance(*x, |of| self.rates[of][state], h);
        }
        Ok(())
    }

    /// Leaves the states to a solver that asks for rates as it needs them.
    fn drive(&mut self, program: &Program, context: &mut Context) -> Result<(), Fault> {
        let Some(mut integrator) = self.integrator.take() else { return Ok(()) };
        let (mut x, mut memory) = (context.continuous.clone(), std::mem::take(&mut context.solver));
        let ran = integrator.step(&mut Stage { queue: self, program, context }, &mut memory, &mut x);
        self.integrator = Some(integrator);
        context.solver = memory;
        context.continuous = x;
        ran
    }

    /// Takes the new states over.
    fn commit(&mut self, context: &mut Context) {
        context.discrete.copy_from_slice(&self.next);
        for limit in &self.limits {
            let states = &mut context.continuous[limit.offset..limit.offset + limit.low.len()];
            for ((x, &low), &high) in states.iter_mut().zip(&limit.low).zip(&limit.high) {
                // Not-a-number stays.
                if *x < low {
                    *x = low;
                } else if *x > high {
                    *x = high;
                }
            }
        }
        for push in &self.pushed {
            let ring = &mut context.history[push.offset..];
            let place = ring[push.length * push.width] as usize;
            ring[place * push.width..][..push.width].copy_from_slice(&push.value);
            ring[push.length * push.width] = ((place + 1) % push.length) as f64;
        }
    }

    /// Runs all blocks that run, once through. Returns how many did.
    fn pass(&mut self, program: &Program, context: &mut Context, values: &mut [f64], stage: usize) -> u64 {
        self.missing.copy_from_slice(&self.all_missing);
        self.is_set.fill(false);
        self.rates[stage].fill(0.0);
        for number in 0..program.units.len() {
            let kernel = program.kernel(&program.units[number]);
            if !kernel.inputs.is_empty() && !kernel.begin.is_empty() {
                self.evaluate(program, context, values, stage, number, Moment::Begin);
            }
        }
        let without_inputs = self.all_missing.iter().enumerate().filter(|(_, missing)| **missing == 0);
        self.queue.extend(without_inputs.map(|(number, _)| number as u32));
        let mut executed = 0;
        while let Some(number) = self.queue.pop_front() {
            self.evaluate(program, context, values, stage, number as usize, Moment::Run);
            executed += 1;
        }
        executed
    }

    fn evaluate(
        &mut self,
        program: &Program,
        context: &mut Context,
        values: &mut [f64],
        stage: usize,
        number: usize,
        moment: Moment,
    ) {
        let unit = &program.units[number];
        let kernel = program.kernel(unit);
        let list = if moment == Moment::Begin { &kernel.begin } else { &kernel.run };
        let env = Env {
            program,
            unit,
            values,
            context,
            continuous: &self.stage_continuous,
            next: &self.next,
            time: self.time,
            is_major: stage == 0,
            is_deciding: stage == 0,
        };
        self.interpreter.run(kernel, list, &env);
        for (output, made) in program.outputs_of(unit).zip(&kernel.outputs) {
            // What needs no input was published at the begin and is not set again.
            let is_first = made.needs.is_empty() && !kernel.inputs.is_empty();
            if is_first == (moment == Moment::Begin) {
                let first = program.outputs[output].offset as usize;
                values[first..first + made.width].copy_from_slice(self.interpreter.value(kernel, made.reg));
                self.set_readers(program, output);
            }
        }
        if moment == Moment::Run {
            self.update(program, context, stage, number);
        }
    }

    fn set_readers(&mut self, program: &Program, output: usize) {
        for &(reader, input) in program.readers_of(output) {
            let input = program.units[reader as usize].first_input as usize + input as usize;
            if !self.is_set[input] {
                self.is_set[input] = true;
                self.missing[reader as usize] -= 1;
            }
            if self.missing[reader as usize] == 0 {
                self.queue.push_back(reader);
            }
        }
    }

    /// Notes a unit's new states.
    fn update(&mut self, program: &Program, context: &mut Context, stage: usize, number: usize) {
        let unit = &program.units[number];
        let kernel = program.kernel(unit);
        for update in &kernel.updates {
            let slot = &program.states[unit.first_state as usize + update.state()];
            let (offset, width) = (slot.offset as usize, slot.width as usize);
            let lanes = |reg| {
                let lanes = self.interpreter.value(kernel, reg);
                (0..width).map(move |lane| if lanes.len() == 1 { lanes[0] } else { lanes[lane] })
            };
            match *update {
                Update::Derivative { value, .. } => {
                    let rates = &mut self.rates[stage][offset..offset + width];
                    rates.iter_mut().zip(lanes(value)).for_each(|(to, from)| *to = from);
                }
                // The rest belongs to the pass that counts.
                _ if stage > 0 => {}
                Update::Next { value, .. } => {
                    let next = &mut self.next[offset..offset + width];
                    next.iter_mut().zip(lanes(value)).for_each(|(to, from)| *to = from);
                }
                Update::Jump { on, value, .. } => {
                    let states = context.continuous[offset..offset + width].iter_mut();
                    for ((x, on), value) in states.zip(lanes(on)).zip(lanes(value)) {
                        if on != 0.0 {
                            *x = value;
                        }
                    }
                }
                Update::Limit { low, high, .. } => {
                    let limit = Limit { offset, low: lanes(low).collect(), high: lanes(high).collect() };
                    self.limits.push(limit);
                }
                Update::Push { on, .. } if self.interpreter.value(kernel, on)[0] == 0.0 => {}
                Update::Push { value, .. } => {
                    let StateKind::History { length } = slot.kind else { panic!("only a history is pushed to") };
                    self.pushed.push(Push { offset, width, length, value: lanes(value).collect() });
                }
            }
        }
    }
}

/// The rates by a pass through all blocks.
struct Stage<'a> {
    queue: &'a mut Queue,
    program: &'a Program,
    context: &'a mut Context,
}

impl System for Stage<'_> {
    fn rates(&mut self, time: f64, x: &[f64], rates: &mut [f64]) {
        let Stage { queue, program, context } = self;
        let mut values = std::mem::take(&mut queue.stage_values);
        values.copy_from_slice(&context.values);
        queue.stage_continuous.copy_from_slice(x);
        queue.time = time;
        queue.pass(program, context, &mut values, 1);
        queue.stage_values = values;
        rates.copy_from_slice(&queue.rates[1]);
    }

    fn leaves(&self) -> Leaves<'_> {
        Leaves { context: self.context, next: &self.queue.next }
    }

    fn set_next(&mut self, next: &[f64]) {
        self.queue.next.copy_from_slice(next);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    Begin,
    Run,
}
