//! The finished tape of a block for one combination of settings and input widths, shared by all blocks with the same.

use std::sync::Arc;

use super::{Bus, Clock, Op, Reg, SampleTime, SignalType, WatchedCode};

/// The properties of the simulation that a tape may depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BuildContext {
    /// The step size in seconds.
    pub delta: f64,
    /// The sample time of a block that inherits it.
    pub sample: SampleTime,
    /// Whether the solver locates zero crossings, as those of variable step do.
    pub locates: bool,
    /// Whether the block is in an enabled or triggered model, so that the time between its runs varies.
    pub is_intermittent: bool,
    /// Whether it is in any model that is enabled, triggered, iterated or reset.
    pub is_conditional: bool,
}

impl BuildContext {
    /// A block that runs in every step of `delta` seconds, with a solver of fixed step.
    pub fn new(delta: f64) -> BuildContext {
        BuildContext { delta, sample: SampleTime::EVERY, locates: false, is_intermittent: false, is_conditional: false }
    }
}

/// A finished tape: instructions, their results, and the instructions that each phase of a step needs.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub ops: Vec<Op>,
    /// The width of each register.
    pub widths: Vec<u32>,
    /// The offset of each register in the scratch memory.
    pub offsets: Vec<u32>,
    /// The size of the scratch memory: the sum of all widths.
    pub scratch: usize,
    /// Whether every register is a scalar.
    pub is_scalar: bool,
    /// The width of each input.
    pub inputs: Vec<usize>,
    /// The bus of each input; empty if no input is a bus.
    pub buses: Vec<Option<Arc<Bus>>>,
    pub outputs: Vec<KernelOutput>,
    /// The parameters that `Op::Param` refers to, as (index in the definition, width); [`Kernel::STREAM`] is none of the
    /// definition.
    pub params: Vec<(usize, usize)>,
    pub states: Vec<StateDef>,
    pub updates: Vec<Update>,
    /// The source of the sample time.
    pub rate: Rate,
    /// The instructions that compute the initial states.
    pub init: Vec<Reg>,
    /// The instructions that compute the outputs without direct feedthrough, published at the start of a step.
    pub begin: Vec<Reg>,
    /// The instructions that compute the other outputs and the new states.
    pub run: Vec<Reg>,
    /// The zero-crossing functions, whose changes of sign a solver locates.
    pub crossings: Vec<Reg>,
    /// Whether the block says that its kinks and jumps are not located.
    pub is_unlocated: bool,
    /// The instructions of `run` and those that compute the crossings.
    pub run_with_crossings: Vec<Reg>,
    pub time_events: TimeEvents,
    /// The instructions that compute the outputs before the block's conditional model has run.
    pub idle: Vec<Reg>,
    pub iterations: Option<Iterations>,
    /// Set if the block delays its first input by a time.
    pub delay: Option<Delay>,
    /// The reports that the block may make in a step.
    pub reports: Vec<ReportDef>,
    /// The code that the block was made of, which no engine runs.
    pub code: Option<Arc<WatchedCode>>,
}

/// The registers by which a block announces events of time to a solver of variable step. Edges and kinks depend on time,
/// parameters, discrete states and records only.
#[derive(Clone, Debug, Default)]
pub struct TimeEvents {
    /// The maximum length of the next step in seconds.
    pub limits: Vec<Reg>,
    /// The next time in seconds at which an output jumps, and at which the modes of the block change.
    pub edges: Vec<Reg>,
    /// The next time in seconds at which the rate of change of an output jumps.
    pub kinks: Vec<Reg>,
    /// The instructions that compute them.
    pub list: Vec<Reg>,
}

impl TimeEvents {
    pub fn is_empty(&self) -> bool {
        self.limits.is_empty() && self.edges.is_empty() && self.kinks.is_empty()
    }
}

/// A report that a block makes in steps in which a register is nonzero, in any of its executions in the step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportDef {
    /// A scalar, 0 or 1.
    pub reg: Reg,
    pub reaction: Reaction,
    pub message: String,
}

/// The effect of a report on the run. The step is completed in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reaction {
    /// The run continues.
    Warn,
    Pause,
    /// The run ends with an error.
    Stop,
    /// The run ends as planned.
    Finish,
}

/// The number of iterations of a block in a step.
#[derive(Clone, Debug)]
pub struct Iterations {
    pub reg: Reg,
    /// The instructions that compute the number.
    pub list: Vec<Reg>,
}

/// The time in seconds by which the first output of a block lags behind its first input; otherwise they are equal.
#[derive(Clone, Debug)]
pub struct Delay {
    pub reg: Reg,
    /// The instructions that compute it.
    pub list: Vec<Reg>,
}

/// The source of a block's sample time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// The block has no sample time: it runs whenever its inputs are set.
    Unsampled,
    /// Its own sample time.
    Own(SampleTime),
    /// Every step: its sample time is 0.
    Continuous,
    /// The sample time of its inputs.
    Inherited,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelOutput {
    pub reg: Reg,
    pub width: usize,
    /// The inputs with direct feedthrough to this output, in ascending order; empty if it is published first.
    pub needs: Vec<usize>,
    /// The register of the output of an exit before its conditional model has run.
    pub idle: Option<Reg>,
    /// The names of its elements, which no engine knows.
    pub bus: Option<Arc<Bus>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateDef {
    pub kind: StateKind,
    pub width: usize,
    /// The register of the initial value.
    pub initial: Reg,
    pub mode: Mode,
}

/// Whether a discrete state is a mode, which changes at located zero crossings too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    None,
    /// A mode that depends on the inputs alone and is held between crossings.
    Follows,
    /// A mode that depends on its previous value.
    Remembers,
}

impl KernelOutput {
    /// Whether the output is published at the start of the step: it needs no input, and the block has inputs.
    pub fn is_first(&self, kernel: &Kernel) -> bool {
        self.needs.is_empty() && !kernel.inputs.is_empty()
    }

    /// Returns its width and the names of its elements.
    pub fn signal_type(&self) -> SignalType {
        SignalType { width: self.width, bus: self.bus.clone() }
    }
}

impl StateDef {
    pub fn is_mode(&self) -> bool {
        self.mode != Mode::None
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKind {
    /// A state that changes at the end of a step.
    Discrete,
    /// A state that the solver integrates.
    Continuous,
    /// The last `length` pushed values.
    History { length: usize },
    /// All values of a signal since a time, as a solver of variable step sees them.
    Record,
}

/// The update of a state at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// Sets the next value of a discrete state.
    Next { state: usize, value: Reg },
    /// Sets the rate of change of a continuous state, per second.
    Derivative { state: usize, value: Reg },
    /// Where `on` is nonzero, sets a continuous state to `value` from the start of this step on.
    Jump { state: usize, on: Reg, value: Reg },
    /// Limits a continuous state after the solver's step.
    Limit { state: usize, low: Reg, high: Reg },
    /// Where `on` is nonzero, pushes `value` to a delay line.
    Push { history: usize, on: Reg, value: Reg },
    /// The solver records `value`, and keeps it for `longest` seconds.
    Record { record: usize, value: Reg, longest: Reg },
}

impl Update {
    pub fn state(&self) -> usize {
        match *self {
            Update::Next { state, .. }
            | Update::Derivative { state, .. }
            | Update::Jump { state, .. }
            | Update::Limit { state, .. }
            | Update::Push { history: state, .. }
            | Update::Record { record: state, .. } => state,
        }
    }

    pub(super) fn regs(&self) -> impl Iterator<Item = Reg> {
        let regs = match *self {
            Update::Next { value, .. } | Update::Derivative { value, .. } => [Some(value), None],
            Update::Jump { on, value, .. } | Update::Push { on, value, .. } => [Some(on), Some(value)],
            Update::Limit { low, high, .. } => [Some(low), Some(high)],
            Update::Record { value, longest, .. } => [Some(value), Some(longest)],
        };
        regs.into_iter().flatten()
    }
}

/// The reason why a block's tape cannot be built. The inputs are the sources of the two widths, where known.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    #[error("a signal of width {left} meets one of width {right}")]
    Width { left: usize, right: usize, left_input: Option<usize>, right_input: Option<usize> },
    #[error("{param}: {problem}")]
    Setting { param: &'static str, problem: String },
    #[error("a width of {width} is required at input {}, not {got}", .input + 1)]
    InputWidth { input: usize, width: usize, got: usize },
    /// The text names the size that the block would need, and the limit.
    #[error("too large: {0}")]
    TooLarge(String),
    #[error("input {} is not a bus: its elements have no names", .input + 1)]
    NotABus { input: usize },
    /// `known` lists the names that there are.
    #[error("there is no element “{name}”; the bus has {known}")]
    UnknownElement { param: &'static str, name: String, known: String },
    /// The elements of two buses that are to be one signal.
    #[error("a bus of {left} meets one of {right}")]
    Buses { left: String, right: String, left_input: usize, right_input: usize },
}

impl BuildError {
    /// Whether the error is due to the names of the inputs' elements.
    pub fn is_about_names(&self) -> bool {
        matches!(self, BuildError::NotABus { .. } | BuildError::UnknownElement { .. } | BuildError::Buses { .. })
    }
}

/// The parts of a tape that a builder has written.
pub(super) struct KernelDraft {
    pub ops: Vec<Op>,
    pub widths: Vec<u32>,
    pub inputs: Vec<usize>,
    /// Each with its register before a conditional model has run.
    pub outputs: Vec<(Reg, Option<Reg>)>,
    pub params: Vec<(usize, usize)>,
    pub states: Vec<StateDef>,
    pub updates: Vec<Update>,
    pub iterations: Option<Reg>,
    pub reports: Vec<ReportDef>,
}

impl Kernel {
    /// The index of the parameter that holds the number of the block's stream of random numbers, which follows from its
    /// place in the simulation.
    pub const STREAM: usize = usize::MAX;

    /// Whether the block only passes its input through.
    pub fn is_pass_through(&self) -> bool {
        matches!(self.ops[..], [Op::Input(0)]) && self.outputs.len() == 1 && self.states.is_empty()
    }

    /// Whether the block is an exit of a conditional or iterated subsystem, which holds its value.
    pub fn is_held_exit(&self) -> bool {
        self.outputs.iter().any(|output| output.idle.is_some())
    }

    pub fn width(&self, reg: Reg) -> usize {
        self.widths[reg as usize] as usize
    }

    pub fn offset(&self, reg: Reg) -> usize {
        self.offsets[reg as usize] as usize
    }

    /// Whether the output has no direct feedthrough, so that it can be published before any input is set.
    pub fn is_state_first(&self, output: usize) -> bool {
        self.outputs.get(output).is_some_and(|output| output.needs.is_empty())
    }

    /// Whether the tape calls a function in Rust.
    pub fn has_calls(&self) -> bool {
        self.ops.iter().any(|op| matches!(op, Op::Call { .. }))
    }

    /// Whether the outputs may change while no input does.
    pub fn is_time_varying(&self) -> bool {
        let tells_time = |op: &Op| matches!(op, Op::Clock(clock) if !matches!(clock, Clock::Delta | Clock::Deciding));
        self.states.iter().any(|state| state.mode != Mode::Follows) || self.ops.iter().any(tells_time)
    }

    /// Returns the tape of a unit that solves the algebraic loop `number` of its program: `inputs` and `outputs` are
    /// the widths of the loop's inputs and of its torn signals.
    pub fn of_loop(number: u32, inputs: &[usize], outputs: &[usize]) -> Kernel {
        let width = outputs.iter().sum::<usize>();
        let mut ops: Vec<Op> = (0..inputs.len() as u32).map(Op::Input).collect();
        let mut widths: Vec<u32> = inputs.iter().map(|&width| width as u32).collect();
        let from: Box<[Reg]> = (0..inputs.len() as Reg).collect();
        let mut push = |op, width: usize| {
            ops.push(op);
            widths.push(width as u32);
            ops.len() as Reg - 1
        };
        let initial = push(Op::Const(0.0), 1);
        let start = push(Op::Held(0), width);
        let solved = push(Op::Loop { number, start, inputs: from }, width);
        let mut first = 0;
        let mut torn = Vec::with_capacity(outputs.len());
        for &width in outputs {
            torn.push((push(Op::Slice { of: solved, start: first }, width), None));
            first += width as u32;
        }
        let states = vec![StateDef { kind: StateKind::Discrete, width, initial, mode: Mode::None }];
        let updates = vec![Update::Next { state: 0, value: solved }];
        let (inputs, params) = (inputs.to_vec(), Vec::new());
        let (iterations, reports) = (None, Vec::new());
        Kernel::new(KernelDraft { ops, widths, inputs, outputs: torn, params, states, updates, iterations, reports })
    }

    /// Returns the tape of a block that never runs, since nothing is connected to an input: all outputs need that input.
    pub fn never(inputs: &[SignalType], outputs: usize, unconnected: usize) -> Kernel {
        let (ops, widths) = (vec![Op::Input(unconnected as u32)], vec![1]);
        let (inputs, outputs) = (inputs.iter().map(|input| input.width).collect(), vec![(0, None); outputs]);
        let (params, states, updates) = (Vec::new(), Vec::new(), Vec::new());
        let (iterations, reports) = (None, Vec::new());
        Kernel::new(KernelDraft { ops, widths, inputs, outputs, params, states, updates, iterations, reports })
    }

    /// Returns the width and the bus of each input.
    pub fn input_types(&self) -> Vec<SignalType> {
        let bus = |input: usize| self.buses.get(input).cloned().flatten();
        self.inputs.iter().enumerate().map(|(input, &width)| SignalType { width, bus: bus(input) }).collect()
    }

    /// Returns the kernel with the buses of its inputs and outputs.
    pub(super) fn with_buses(mut self, inputs: &[SignalType], outputs: Vec<Option<Arc<Bus>>>) -> Kernel {
        if inputs.iter().any(|input| input.bus.is_some()) {
            self.buses = inputs.iter().map(|input| input.bus.clone()).collect();
        }
        self.outputs.iter_mut().zip(outputs).for_each(|(output, bus)| output.bus = bus);
        self
    }

    /// Returns the kernel of a block that delays its first input by the seconds in a register.
    pub(super) fn with_delay(mut self, seconds: Option<Reg>) -> Kernel {
        let reach = Reach { ops: &self.ops };
        self.delay = seconds.map(|reg| Delay { reg, list: reach.from(std::iter::once(reg)) });
        self
    }

    /// Returns the kernel with these zero-crossing functions.
    pub(super) fn with_crossings(mut self, crossings: Vec<Reg>) -> Kernel {
        let reach = Reach { ops: &self.ops };
        self.run_with_crossings = reach.from(self.run.iter().chain(&crossings).copied());
        self.crossings = crossings;
        self
    }

    /// Returns the kernel with these events of time, whose list is found here.
    pub(super) fn with_time_events(mut self, mut events: TimeEvents) -> Kernel {
        let TimeEvents { limits, edges, kinks, .. } = &events;
        events.list = Reach { ops: &self.ops }.from(limits.iter().chain(edges).chain(kinks).copied());
        self.time_events = events;
        self
    }

    /// Whether a value that is computed from inputs or continuous states has a kink or a jump, and nothing says where.
    pub fn has_unlocated_switch(&self) -> bool {
        if self.rate != Rate::Unsampled || !self.crossings.is_empty() || !self.time_events.is_empty() {
            return false;
        }
        let mut varies = vec![false; self.ops.len()];
        let mut found = false;
        for (reg, op) in self.ops.iter().enumerate() {
            let depends = op.operands().any(|operand| varies[operand as usize]);
            varies[reg] = depends || matches!(op, Op::Input(_) | Op::State(_));
            let is_alone = matches!(op, Op::Fold(_, of) if self.widths[*of as usize] == 1);
            found |= depends && op.is_bent() && !is_alone && self.run.contains(&(reg as Reg));
        }
        found
    }

    pub(super) fn new(draft: KernelDraft) -> Kernel {
        let KernelDraft { ops, widths, inputs, outputs, params, states, updates, iterations, reports } = draft;
        let mut offsets = Vec::with_capacity(ops.len());
        let mut scratch = 0;
        for &width in &widths {
            offsets.push(scratch);
            scratch += width;
        }
        let is_scalar = widths.iter().all(|width| *width == 1);
        let reach = Reach { ops: &ops };
        let mut cones = Cones::over(&ops);
        let outputs: Vec<KernelOutput> = outputs
            .into_iter()
            .map(|(reg, idle)| KernelOutput {
                reg,
                width: widths[reg as usize] as usize,
                // Outputs of an iteration need the number of iterations.
                needs: cones.inputs([reg].into_iter().chain(iterations)),
                idle,
                bus: None,
            })
            .collect();
        let is_first = |output: &&KernelOutput| output.needs.is_empty();
        let begin = reach.from(outputs.iter().filter(is_first).map(|output| output.reg));
        let rest = outputs.iter().filter(|output| !is_first(output)).map(|output| output.reg);
        let ends = updates.iter().flat_map(Update::regs).chain(reports.iter().map(|report| report.reg));
        // A block without inputs publishes nothing at the start of the step: it publishes everything when it runs.
        let run = match inputs.is_empty() {
            true => reach.from(outputs.iter().map(|output| output.reg).chain(ends)),
            false => reach.from(rest.chain(ends)),
        };
        let init = reach.from(states.iter().map(|state| state.initial));
        let idle = reach.from(outputs.iter().filter_map(|output| output.idle));
        let iterations = iterations.map(|reg| Iterations { reg, list: reach.from(std::iter::once(reg)) });
        Kernel {
            offsets,
            scratch: scratch as usize,
            is_scalar,
            inputs,
            buses: Vec::new(),
            outputs,
            params,
            states,
            updates,
            init,
            rate: Rate::Unsampled,
            begin,
            run_with_crossings: run.clone(),
            run,
            crossings: Vec::new(),
            is_unlocated: false,
            time_events: TimeEvents::default(),
            idle,
            iterations,
            delay: None,
            reports,
            code: None,
            ops,
            widths,
        }
    }
}

/// Finds the instructions that registers depend on.
pub(super) struct Reach<'a> {
    pub ops: &'a [Op],
}

impl Reach<'_> {
    /// Returns the instructions that `roots` depend on, in execution order.
    pub fn from(&self, roots: impl Iterator<Item = Reg>) -> Vec<Reg> {
        let mut needed = vec![false; self.ops.len()];
        for root in roots {
            needed[root as usize] = true;
        }
        for index in (0..self.ops.len()).rev() {
            if needed[index] {
                self.ops[index].operands().for_each(|operand| needed[operand as usize] = true);
            }
        }
        (0..self.ops.len() as Reg).filter(|&reg| needed[reg as usize]).collect()
    }
}

/// Finds the fan-in cone of one register after the other, in time proportional to its size, since a block may have many
/// outputs.
struct Cones<'a> {
    ops: &'a [Op],
    /// The search in which each instruction was visited last.
    seen: Vec<u32>,
    round: u32,
}

impl<'a> Cones<'a> {
    fn over(ops: &'a [Op]) -> Cones<'a> {
        Cones { ops, seen: vec![0; ops.len()], round: 0 }
    }

    fn inputs(&mut self, roots: impl Iterator<Item = Reg>) -> Vec<usize> {
        self.round += 1;
        let mut inputs = Vec::new();
        let mut ahead: Vec<Reg> = roots.collect();
        while let Some(reg) = ahead.pop() {
            if std::mem::replace(&mut self.seen[reg as usize], self.round) == self.round {
                continue;
            }
            match &self.ops[reg as usize] {
                Op::Input(input) | Op::Ran(input) => inputs.push(*input as usize),
                op => ahead.extend(op.operands()),
            }
        }
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }
}
