//! A block's finished tape for one combination of settings and input widths, shared by all blocks that have the same.

use super::{Clock, Op, Reg, Sample};

/// What of the simulation a tape may depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// Seconds a step.
    pub delta: f64,
    /// When a block acts that inherits its sample time.
    pub sample: Sample,
    /// Whether the solver locates crossings, as those of variable step do.
    pub locates: bool,
}

/// The finished tape: instructions, what they make, and which of them each moment of a step needs.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub ops: Vec<Op>,
    /// Lanes of each register.
    pub widths: Vec<u32>,
    /// Where each register lies in the scratch memory.
    pub offsets: Vec<u32>,
    /// Lanes of all registers together.
    pub scratch: usize,
    /// Whether every register has a single lane.
    pub is_scalar: bool,
    /// Lanes of each input, as assumed.
    pub inputs: Vec<usize>,
    pub outputs: Vec<KernelOutput>,
    /// The definition's parameters that `Op::Param` counts, as (index in the definition, lanes).
    pub params: Vec<(usize, usize)>,
    pub states: Vec<StateDef>,
    pub updates: Vec<Update>,
    /// When a sampled block acts.
    pub rate: Rate,
    /// Instructions that make the initial states.
    pub init: Vec<Reg>,
    /// Instructions that make the outputs that need no input: what is published at the begin of a step.
    pub begin: Vec<Reg>,
    /// Instructions that make the other outputs and the new states.
    pub run: Vec<Reg>,
    /// What is 0 where something of the block changes at once: functions whose change of sign a solver locates.
    pub crossings: Vec<Reg>,
    /// The instructions of `run` and those that make the crossings.
    pub watch: Vec<Reg>,
    /// Instructions that make what the outputs are while the block's conditional model has not run.
    pub idle: Vec<Reg>,
    pub turns: Option<Turns>,
    /// What it may have to tell in a step.
    pub reports: Vec<Report>,
}

/// What a block tells in the steps in which a register is not 0; where it runs several times in a step, in any run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// A single lane, 0 or 1.
    pub reg: Reg,
    pub reaction: Reaction,
    pub message: String,
}

/// What becomes of a run when a block tells something. The step is completed in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reaction {
    /// It goes on.
    Warn,
    Pause,
    /// It ends, because something is wrong.
    Stop,
    /// It ends as planned.
    Finish,
}

/// How often a block sets its outputs in a step.
#[derive(Clone, Debug)]
pub struct Turns {
    pub reg: Reg,
    /// Instructions that make the number.
    pub list: Vec<Reg>,
}

/// When a block acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// Whenever its inputs are set: it has no sample time.
    Unsampled,
    /// At its own.
    Own(Sample),
    /// In every step, as what is continuous does: its sample time is 0.
    Continuous,
    /// At that of its inputs.
    Inherited,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelOutput {
    pub reg: Reg,
    pub width: usize,
    /// The inputs that this output needs within the step, in ascending order. Empty: state first.
    pub needs: Vec<usize>,
    /// The register of what an exit gives before its conditional model has run.
    pub idle: Option<Reg>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateDef {
    pub kind: StateKind,
    pub width: usize,
    /// The register of the initial value.
    pub initial: Reg,
    pub mode: Mode,
}

/// Whether a discrete state is a mode: it changes at located crossings too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    None,
    /// It changes with the inputs alone, and is there so that it stays between crossings.
    Follows,
    Remembers,
}

impl KernelOutput {
    /// Whether it is published before anything runs: it needs no input, and the block has some.
    pub fn is_first(&self, kernel: &Kernel) -> bool {
        self.needs.is_empty() && !kernel.inputs.is_empty()
    }
}

impl StateDef {
    pub fn is_mode(&self) -> bool {
        self.mode != Mode::None
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKind {
    /// Changes at the end of a step.
    Discrete,
    /// Integrated by the solver.
    Continuous,
    /// The last `length` pushed values.
    History { length: usize },
}

/// What becomes of a state at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// The discrete state's next value.
    Next { state: usize, value: Reg },
    /// The continuous state's rate of change, per second.
    Derivative { state: usize, value: Reg },
    /// Where `on` is not zero, the continuous state is `value` from this step's begin on.
    Jump { state: usize, on: Reg, value: Reg },
    /// After the solver the continuous state is kept between the two.
    Limit { state: usize, low: Reg, high: Reg },
    /// Where `on` is not zero.
    Push { history: usize, on: Reg, value: Reg },
}

impl Update {
    pub fn state(&self) -> usize {
        match *self {
            Update::Next { state, .. }
            | Update::Derivative { state, .. }
            | Update::Jump { state, .. }
            | Update::Limit { state, .. }
            | Update::Push { history: state, .. } => state,
        }
    }

    pub(super) fn regs(&self) -> impl Iterator<Item = Reg> {
        let regs = match *self {
            Update::Next { value, .. } | Update::Derivative { value, .. } => [Some(value), None],
            Update::Jump { on, value, .. } | Update::Push { on, value, .. } => [Some(on), Some(value)],
            Update::Limit { low, high, .. } => [Some(low), Some(high)],
        };
        regs.into_iter().flatten()
    }
}

/// Why a block's tape cannot be made. The inputs are those that brought the two widths, where one did.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    #[error("a signal of width {left} meets one of width {right}")]
    Width { left: usize, right: usize, left_input: Option<usize>, right_input: Option<usize> },
    #[error("{param}: {problem}")]
    Setting { param: &'static str, problem: String },
    #[error("a width of {width} is required at input {}, not {got}", .input + 1)]
    InputWidth { input: usize, width: usize, got: usize },
    /// What it would need, and the limit.
    #[error("too large: {0}")]
    TooLarge(String),
}

/// What a builder has written.
pub(super) struct KernelDraft {
    pub ops: Vec<Op>,
    pub widths: Vec<u32>,
    pub inputs: Vec<usize>,
    /// Each with what it is before a conditional model has run.
    pub outputs: Vec<(Reg, Option<Reg>)>,
    pub params: Vec<(usize, usize)>,
    pub states: Vec<StateDef>,
    pub updates: Vec<Update>,
    pub turns: Option<Reg>,
    pub reports: Vec<Report>,
}

impl Kernel {
    pub fn width(&self, reg: Reg) -> usize {
        self.widths[reg as usize] as usize
    }

    pub fn offset(&self, reg: Reg) -> usize {
        self.offsets[reg as usize] as usize
    }

    /// Whether the output can be published before any input has arrived.
    pub fn is_state_first(&self, output: usize) -> bool {
        self.outputs.get(output).is_some_and(|output| output.needs.is_empty())
    }

    /// Whether a function in Rust is called.
    pub fn has_calls(&self) -> bool {
        self.ops.iter().any(|op| matches!(op, Op::Call { .. }))
    }

    /// Whether the outputs may change though no input does.
    pub fn is_restless(&self) -> bool {
        let tells_time = |op: &Op| matches!(op, Op::Clock(clock) if !matches!(clock, Clock::Delta | Clock::Deciding));
        self.states.iter().any(|state| state.mode != Mode::Follows) || self.ops.iter().any(tells_time)
    }

    /// The tape of a unit that solves the loop `number` of its program: each input one that the loop sees, each output
    /// one that is torn, of so many lanes each.
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
        let (turns, reports) = (None, Vec::new());
        Kernel::new(KernelDraft { ops, widths, inputs, outputs: torn, params, states, updates, turns, reports })
    }

    /// The kernel with these crossings.
    pub(super) fn watching(mut self, crossings: Vec<Reg>) -> Kernel {
        let reach = Reach { ops: &self.ops };
        self.watch = reach.from(self.run.iter().chain(&crossings).copied());
        self.crossings = crossings;
        self
    }

    pub(super) fn new(draft: KernelDraft) -> Kernel {
        let KernelDraft { ops, widths, inputs, outputs, params, states, updates, turns, reports } = draft;
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
                // Outputs that are set in turns wait for what says how often.
                needs: cones.inputs([reg].into_iter().chain(turns)),
                idle,
            })
            .collect();
        let is_first = |output: &&KernelOutput| output.needs.is_empty();
        let begin = reach.from(outputs.iter().filter(is_first).map(|output| output.reg));
        let rest = outputs.iter().filter(|output| !is_first(output)).map(|output| output.reg);
        let ends = updates.iter().flat_map(Update::regs).chain(reports.iter().map(|report| report.reg));
        // A block without inputs is never begun before it runs: it publishes everything when it runs.
        let run = match inputs.is_empty() {
            true => reach.from(outputs.iter().map(|output| output.reg).chain(ends)),
            false => reach.from(rest.chain(ends)),
        };
        let init = reach.from(states.iter().map(|state| state.initial));
        let idle = reach.from(outputs.iter().filter_map(|output| output.idle));
        let turns = turns.map(|reg| Turns { reg, list: reach.from(std::iter::once(reg)) });
        Kernel {
            offsets,
            scratch: scratch as usize,
            is_scalar,
            inputs,
            outputs,
            params,
            states,
            updates,
            init,
            rate: Rate::Unsampled,
            begin,
            watch: run.clone(),
            run,
            crossings: Vec::new(),
            idle,
            turns,
            reports,
            ops,
            widths,
        }
    }
}

/// What can be reached from a register against the direction of the data.
pub(super) struct Reach<'a> {
    pub ops: &'a [Op],
}

impl Reach<'_> {
    /// The instructions needed for all of `roots`, in running order.
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

/// What lies behind one register after the other. Looks at no more than that: a block may have many outputs.
struct Cones<'a> {
    ops: &'a [Op],
    /// In which round an instruction was met last.
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
