//! The tape builder: a block writes its mathematics once, as ordinary arithmetic on [`Expr`].
//!
//! ```
//! use simulate::block::Builder;
//!
//! fn gain(b: &Builder) {
//!     b.output(0, b.param("Gain") * b.input(0));
//! }
//! ```
//!
//! A mistake of the user's (widths that do not meet, a setting that cannot be) is noted and reported when the tape is
//! finished, so that a block's mathematics needs no error handling. A mistake of the block's author panics; the bulk
//! test over the library finds it.

use std::cell::RefCell;

use super::draft::Draft;
use super::kernel::KernelDraft;
use super::limits::{MOST_ELEMENTS, MOST_VALUES, bytes_text, count_text};
use super::state::{History, State};
use super::{
    Binary, BlockDef, BuildError, Clock, Facts, Files, Kernel, Mode, NativeFn, NoFiles, Op, Operand, ParamDef, Rate,
    Reaction, Reg, Report, Sample, Setting, Settings, StateDef, StateKind, Update,
};

/// Writes one block's tape.
pub struct Builder<'a> {
    def: &'static BlockDef,
    settings: &'a Settings,
    facts: Facts,
    files: &'a dyn Files,
    inputs: &'a [usize],
    outputs: usize,
    /// When the block acts, where it is sampled.
    sample: Sample,
    pub(super) tape: RefCell<Draft>,
}

/// Leaves are looked for among this many instructions, so that a sum of ten thousand inputs is built in linear time.
const LEAVES: usize = 64;

/// A register on a builder's tape.
#[derive(Clone, Copy)]
pub struct Expr<'b> {
    pub(super) b: &'b Builder<'b>,
    pub(super) reg: Reg,
}

impl Kernel {
    /// Makes the tape of a block whose inputs have the widths `inputs`.
    ///
    /// # Errors
    /// Where widths do not meet or a setting cannot be.
    pub fn build(
        def: &'static BlockDef,
        settings: &Settings,
        inputs: &[usize],
        facts: Facts,
    ) -> Result<Kernel, BuildError> {
        Kernel::build_with(def, settings, inputs, facts, &NoFiles)
    }

    /// The same of a block that may read files.
    ///
    /// # Errors
    /// As [`Kernel::build`], and where a file cannot be read.
    pub fn build_with(
        def: &'static BlockDef,
        settings: &Settings,
        inputs: &[usize],
        facts: Facts,
        files: &dyn Files,
    ) -> Result<Kernel, BuildError> {
        let outputs = def.output_count(settings);
        let draft = Draft { outputs: vec![None; outputs], idle: vec![None; outputs], ..Draft::default() };
        let (rate, sample) = rate(def, settings, facts)?;
        let builder = Builder { def, settings, facts, files, inputs, outputs, sample, tape: RefCell::new(draft) };
        (def.build)(&builder);
        if rate != Rate::Unsampled {
            builder.act_at(sample);
        }
        let mut draft = builder.tape.into_inner();
        if let Some(error) = draft.error {
            return Err(error);
        }
        let outputs = std::mem::take(&mut draft.outputs).into_iter().enumerate().map(|(index, reg)| match reg {
            Some(reg) => reg,
            None => panic!("{}/{} never makes its output {index}", def.group, def.name),
        });
        let outputs = outputs.zip(draft.idle).collect();
        let Draft { ops, widths, params, states, updates, crossings, turns, reports, .. } = draft;
        let inputs = inputs.to_vec();
        let kernel = Kernel::new(KernelDraft { ops, widths, inputs, outputs, params, states, updates, turns, reports });
        Ok(Kernel { rate, ..kernel }.watching(crossings))
    }
}

/// How a block's rate comes about, and what it is.
fn rate(def: &'static BlockDef, settings: &Settings, facts: Facts) -> Result<(Rate, Sample), BuildError> {
    if !def.is_sampled() {
        return Ok((Rate::Unsampled, Sample::EVERY));
    }
    match def.sample(settings, facts.delta) {
        Ok(Some(sample)) if settings.number(ParamDef::SAMPLE_TIME.name) == 0.0 => Ok((Rate::Continuous, sample)),
        Ok(Some(sample)) => Ok((Rate::Own(sample), sample)),
        Ok(None) => Ok((Rate::Inherited, facts.sample)),
        Err(problem) => Err(BuildError::Setting { param: ParamDef::SAMPLE_TIME.name, problem }),
    }
}

impl<'a> Builder<'a> {
    pub fn settings(&self) -> &Settings {
        self.settings
    }

    /// The files that a block can name.
    pub fn files(&self) -> &dyn Files {
        self.files
    }

    /// Seconds a step; of a sampled block its sample time.
    pub fn delta(&self) -> f64 {
        self.sample.period as f64 * self.facts.delta
    }

    /// Whether the block acts at a sample time.
    pub fn is_sampled(&self) -> bool {
        self.def.is_sampled()
    }

    pub fn input_count(&self) -> usize {
        self.inputs.len()
    }

    pub fn output_count(&self) -> usize {
        self.outputs
    }

    /// Notes that a setting cannot be.
    pub fn refuse(&self, param: &'static str, problem: impl Into<String>) {
        self.fail(BuildError::Setting { param, problem: problem.into() });
    }

    /// Notes that an input has another width than it must.
    pub fn refuse_width(&self, input: usize, width: usize) {
        let got = self.inputs.get(input).copied().unwrap_or(0);
        self.fail(BuildError::InputWidth { input, width, got });
    }

    /// Whether `rows` by `columns` elements can be; refused where not. Asked before they are made one by one.
    pub fn fits(&self, rows: usize, columns: usize) -> bool {
        let fits = rows.checked_mul(columns).is_some_and(|count| count <= MOST_ELEMENTS);
        if !fits {
            let [rows, columns, most] = [rows, columns, MOST_ELEMENTS].map(count_text);
            self.fail(BuildError::TooLarge(format!("a matrix of {rows} by {columns}; the limit is {most} elements")));
        }
        fits
    }

    fn fail(&self, error: BuildError) {
        self.tape.borrow_mut().fail(error);
    }
}

impl<'b> Builder<'b> {
    pub(super) fn push(&'b self, op: Op, width: usize) -> Expr<'b> {
        let mut tape = self.tape.borrow_mut();
        // The same leaf is loaded once.
        if op.operands().next().is_none()
            && !matches!(op, Op::Const(_) | Op::Join(_))
            && let Some(reg) = tape.ops.iter().take(LEAVES).position(|known| *known == op)
        {
            return Expr { b: self, reg: reg as Reg };
        }
        if tape.has_room_for(width) {
            return Expr { b: self, reg: tape.add(op, width) };
        }
        // The tape is refused in the end. Until then the block's mathematics goes on with registers of the right widths,
        // of which there are few.
        let known = tape.stand_ins.get(&width).copied();
        let reg = known.unwrap_or_else(|| {
            let reg = tape.add(Op::Const(0.0), width.min(u32::MAX as usize));
            tape.stand_ins.insert(width, reg);
            reg
        });
        Expr { b: self, reg }
    }

    pub fn input(&'b self, index: usize) -> Expr<'b> {
        let Some(&width) = self.inputs.get(index) else {
            panic!("{}/{} has no input {index}", self.def.group, self.def.name)
        };
        self.push(Op::Input(index as u32), width)
    }

    /// The input, refused where it is a vector.
    pub fn scalar_input(&'b self, index: usize) -> Expr<'b> {
        let input = self.input(index);
        if input.width() != 1 {
            self.fail(BuildError::InputWidth { input: index, width: 1, got: input.width() });
        }
        input
    }

    pub fn inputs(&'b self) -> Vec<Expr<'b>> {
        (0..self.inputs.len()).map(|index| self.input(index)).collect()
    }

    /// A parameter that may change between steps.
    pub fn param(&'b self, name: &str) -> Expr<'b> {
        let Some(index) = self.settings.index_of(name) else {
            panic!("{}/{} has no parameter {name:?}", self.def.group, self.def.name)
        };
        let width = match self.settings.get(name) {
            Setting::Number(values) => values.len(),
            other => panic!("{name:?} is no number: {other:?}"),
        };
        let slot = {
            let mut tape = self.tape.borrow_mut();
            let known = tape.params.iter().position(|&(known, _)| known == index);
            known.unwrap_or_else(|| {
                tape.params.push((index, width));
                tape.params.len() - 1
            })
        };
        self.push(Op::Param(slot as u32), width)
    }

    pub fn constant(&'b self, value: f64) -> Expr<'b> {
        self.push(Op::Const(value), 1)
    }

    /// One lane for each value, at least one.
    pub fn vector(&'b self, values: &[f64]) -> Expr<'b> {
        match values {
            [value] => self.constant(*value),
            values => self.join(&values.iter().map(|value| self.constant(*value)).collect::<Vec<_>>()),
        }
    }

    /// What the clock tells; a sampled block's steps are its hits.
    pub fn clock(&'b self, clock: Clock) -> Expr<'b> {
        match clock {
            Clock::Delta if self.sample != Sample::EVERY => self.constant(self.delta()),
            Clock::Step if self.sample != Sample::EVERY => self.push(Op::Clock(Clock::Count(self.sample)), 1),
            clock => self.push(Op::Clock(clock), 1),
        }
    }

    /// Seconds, in a solver's stages the stage's time.
    pub fn time(&'b self) -> Expr<'b> {
        self.clock(Clock::Time)
    }

    /// Seconds at the begin of the step: what changes only from step to step.
    pub fn step_time(&'b self) -> Expr<'b> {
        self.clock(Clock::StepTime)
    }

    pub fn output(&'b self, index: usize, value: Expr<'b>) {
        let mut tape = self.tape.borrow_mut();
        match tape.outputs.get_mut(index) {
            Some(output) => *output = Some(value.reg),
            None => panic!("{}/{} has no output {index}", self.def.group, self.def.name),
        }
    }

    /// What an exit's output is before its conditional model has run; may depend on parameters only.
    pub(super) fn idle(&'b self, index: usize, value: Expr<'b>) {
        self.assert_ahead(value);
        if let Some(idle) = self.tape.borrow_mut().idle.get_mut(index) {
            *idle = Some(value.reg);
        }
    }

    /// Sets the outputs as many times in a step as `count` says, rounded down: once for each value of
    /// [`Clock::Turn`] from 0. After each turn all that hangs on the outputs runs before the next. Needs an engine
    /// that can do that.
    pub fn turns(&'b self, count: Expr<'b>) {
        if count.width() != 1 {
            let input = self.tape.borrow().origin(count.reg).unwrap_or(0);
            self.fail(BuildError::InputWidth { input, width: 1, got: count.width() });
        }
        self.tape.borrow_mut().turns = Some(count.reg);
    }

    /// Tells the user of it in each step in which `is_wrong` begins to be other than 0 in any lane: at first and after
    /// steps in which it was 0. The message is a sentence without a full stop.
    pub fn report(&'b self, reaction: Reaction, is_wrong: Expr<'b>, message: impl Into<String>) {
        let now = is_wrong.differs(0.0);
        let now = if now.width() > 1 { now.fold(Binary::Or) } else { now };
        let begins = now.and(!self.before(now, 0.0));
        let report = Report { reg: begins.reg, reaction, message: message.into() };
        self.tape.borrow_mut().reports.push(report);
    }

    /// 1 where what feeds the input ran in this step: 0 only where that is an exit of a conditional model that did
    /// not. Needs the input.
    pub fn ran(&'b self, input: usize) -> Expr<'b> {
        assert!(input < self.inputs.len(), "{}/{} has no input {input}", self.def.group, self.def.name);
        self.push(Op::Ran(input as u32), 1)
    }

    /// Makes an expression longer by its single lane.
    pub fn widen(&'b self, value: Expr<'b>, width: usize) -> Expr<'b> {
        if value.width() == width || value.width() != 1 { value } else { self.join(&vec![value; width]) }
    }

    fn assert_ahead(&self, value: Expr) {
        let needs_run = self.tape.borrow().origin(value.reg).is_some();
        assert!(!needs_run, "it may depend on parameters only");
    }

    /// A state that changes at the end of each step, `width` lanes or as many as its initial value has.
    pub fn state(&'b self, width: usize, initial: Expr<'b>) -> State<'b> {
        self.new_state(StateKind::Discrete, width, initial)
    }

    /// Tells a function whose change of sign the block's behaviour depends on: where an output or a rate has a kink or a
    /// jump. Solvers of variable step look at it between their steps, locate where it goes through 0, end a step there
    /// and begin anew; other solvers never compute it. A kink that a value goes through without a jump (the sides of
    /// [`Expr::max`], of a saturation) needs no more than this. What jumps is to be a decision: see
    /// [`Builder::decided`] for one that the moment alone makes, [`Builder::mode`] for one that remembers.
    ///
    /// ```
    /// # use simulate::block::Builder;
    /// fn saturate(b: &Builder) {
    ///     let (u, low, high) = (b.input(0), b.param("Lower Limit"), b.param("Upper Limit"));
    ///     b.crossing(u - low);
    ///     b.crossing(u - high);
    ///     b.output(0, u.max(low).min(high));
    /// }
    /// ```
    pub fn crossing(&'b self, of: Expr<'b>) {
        if self.facts.locates {
            self.tape.borrow_mut().crossings.push(of.reg);
        }
    }

    /// The value itself, where the solver locates nothing. Else the value as it was when last decided: at the begin of
    /// the step, or where `crossing` last went through 0, which is where the value is to change, such as a condition or
    /// a sign. Between, the solver sees no jump.
    ///
    /// ```
    /// # use simulate::block::Builder;
    /// fn switch(b: &Builder) {
    ///     let (control, threshold) = (b.input(1), b.param("Threshold"));
    ///     let is_first = b.decided(control.ge(threshold), control - threshold);
    ///     b.output(0, b.select(is_first, b.input(0), b.input(2)));
    /// }
    /// ```
    pub fn decided(&'b self, value: Expr<'b>, crossing: Expr<'b>) -> Expr<'b> {
        self.crossing(crossing);
        self.settled(value)
    }

    /// A value that changes at the begin of steps only, such as a pulse made from the step's number: solvers of variable
    /// step then go on over many steps until it does.
    pub fn settled(&'b self, value: Expr<'b>) -> Expr<'b> {
        if !self.facts.locates {
            return value;
        }
        let mode = self.new_mode(Mode::Follows, value.width(), self.constant(0.0));
        let now = self.select(self.deciding(), value, mode.value);
        mode.next(now);
        now
    }

    /// A mode: a discrete state that a decision is kept in (on or off, the side of a reset). Its value is what was
    /// decided last, in a solver's later stages what the pass that counts has decided. It takes its next value over at
    /// the end of the step as any discrete state does, and where a solver of variable step has located a crossing. So
    /// its next value is to be itself wherever [`Builder::deciding`] is 0:
    ///
    /// ```
    /// # use simulate::block::Builder;
    /// fn relay(b: &Builder) {
    ///     let (u, zero, one) = (b.input(0), b.constant(0.0), b.constant(1.0));
    ///     let is_on = b.mode(u.width(), zero);
    ///     b.crossing(u - 1.0);
    ///     b.crossing(u + 1.0);
    ///     let decided = b.select(u.ge(one), one, b.select(u.le(-one), zero, is_on.value));
    ///     let now = b.select(b.deciding(), decided, is_on.value);
    ///     is_on.next(now);
    ///     b.output(0, now);
    /// }
    /// ```
    pub fn mode(&'b self, width: usize, initial: Expr<'b>) -> State<'b> {
        self.new_mode(Mode::Remembers, width, initial)
    }

    fn new_mode(&'b self, mode: Mode, width: usize, initial: Expr<'b>) -> State<'b> {
        let index = self.add_state(StateKind::Discrete, width, initial);
        let width = {
            let mut tape = self.tape.borrow_mut();
            tape.states[index].mode = mode;
            tape.states[index].width
        };
        State { value: self.push(Op::Held(index as u32), width), index }
    }

    /// 1 in the pass that counts and where a solver has located a crossing, else 0: when modes may change, and when
    /// continuous states may jump.
    pub fn deciding(&'b self) -> Expr<'b> {
        self.clock(Clock::Deciding)
    }

    /// A state that the solver integrates.
    pub fn continuous(&'b self, width: usize, initial: Expr<'b>) -> State<'b> {
        self.new_state(StateKind::Continuous, width, initial)
    }

    /// What is decided at each step from what was decided at the one before, and stays so through a solver's stages.
    pub fn latch(
        &'b self,
        width: usize,
        initial: impl Operand<'b>,
        decide: impl FnOnce(Expr<'b>) -> Expr<'b>,
    ) -> Expr<'b> {
        let state = self.state(width, initial.expr(self));
        let decided = decide(state.value);
        let now = self.select(self.clock(Clock::Major), decided, state.held());
        state.next(now);
        now
    }

    /// What follows its inputs from where it was: `now` is told the value at the step before, in a solver's later
    /// stages the one at the step's begin.
    pub fn follow(
        &'b self,
        width: usize,
        initial: impl Operand<'b>,
        now: impl FnOnce(Expr<'b>) -> Expr<'b>,
    ) -> Expr<'b> {
        let state = self.state(width, initial.expr(self));
        let value = now(self.select(self.clock(Clock::Major), state.value, state.held()));
        state.next(value);
        value
    }

    /// The value at the step's begin, through all of a solver's stages.
    pub fn at_step(&'b self, value: Expr<'b>) -> Expr<'b> {
        self.latch(value.width(), 0.0, |_| value)
    }

    /// What the signal was at the step before, `initial` in the first.
    pub fn before(&'b self, signal: Expr<'b>, initial: impl Operand<'b>) -> Expr<'b> {
        let initial = initial.expr(self);
        let state = self.state(self.common_width(&[signal, initial]), initial);
        state.next(signal);
        state.value
    }

    /// Whether this is the first step.
    pub fn is_first(&'b self) -> Expr<'b> {
        self.clock(Clock::Step).equals(0.0)
    }

    /// The last `length` values pushed, before the first all `initial`.
    pub fn history(&'b self, width: usize, length: usize, initial: Expr<'b>) -> History<'b> {
        let index = self.add_state(StateKind::History { length: length.max(1) }, width, initial);
        History { b: self, index }
    }

    fn new_state(&'b self, kind: StateKind, width: usize, initial: Expr<'b>) -> State<'b> {
        let index = self.add_state(kind, width, initial);
        let width = self.tape.borrow().states[index].width;
        State { value: self.push(Op::State(index as u32), width), index }
    }

    fn add_state(&'b self, kind: StateKind, width: usize, initial: Expr<'b>) -> usize {
        self.assert_ahead(initial);
        let width = match (width, initial.width()) {
            (width, 1) => width,
            (1, initial) => initial,
            (width, initial) if width == initial => width,
            (left, right) => {
                self.fail(BuildError::Width { left, right, left_input: Some(0), right_input: None });
                width
            }
        };
        let mut tape = self.tape.borrow_mut();
        let kind = match kind {
            StateKind::History { length } if length.checked_mul(width).is_none_or(|values| values > MOST_VALUES) => {
                let values = length.saturating_mul(width);
                let [length, width] = [length, width].map(count_text);
                let (needed, most) = (bytes_text(values), bytes_text(MOST_VALUES));
                let text = format!("a delay of {length} steps by {width} elements needs {needed}; the limit is {most}");
                tape.fail(BuildError::TooLarge(text));
                StateKind::History { length: 1 }
            }
            StateKind::History { length } => {
                tape.has_room(length * width);
                kind
            }
            kind => {
                tape.has_room(width);
                kind
            }
        };
        tape.states.push(StateDef { kind, width, initial: initial.reg, mode: Mode::None });
        tape.states.len() - 1
    }

    pub(super) fn update(&'b self, state: usize, update: Update, value: Expr<'b>) {
        let width = self.tape.borrow().states[state].width;
        if value.width() != 1 && value.width() != width {
            let left_input = self.tape.borrow().origin(value.reg);
            self.fail(BuildError::Width { left: value.width(), right: width, left_input, right_input: None });
        }
        self.tape.borrow_mut().updates.push(update);
    }

    pub fn select(&'b self, on: Expr<'b>, yes: impl Operand<'b>, no: impl Operand<'b>) -> Expr<'b> {
        let (yes, no) = (yes.expr(self), no.expr(self));
        let width = self.meet(self.meet_of(on, yes), self.meet_of(on, no), yes, no);
        self.push(Op::Select { on: on.reg, yes: yes.reg, no: no.reg }, width)
    }

    /// All lanes of all parts, one after the other.
    pub fn join(&'b self, parts: &[Expr<'b>]) -> Expr<'b> {
        let width = parts.iter().fold(0, |sum: usize, part| sum.saturating_add(part.width()));
        self.push(Op::Join(parts.iter().map(|part| part.reg).collect()), width)
    }

    /// `width` lanes that a function in Rust makes of all lanes of the arguments.
    pub fn native(&'b self, of: NativeFn, args: &[Expr<'b>], width: usize) -> Expr<'b> {
        self.push(Op::Call { of, args: args.iter().map(|arg| arg.reg).collect() }, width)
    }

    /// Uniform numbers in [0, 1), each a function of seed, counter and lane alone.
    pub fn random(&'b self, seed: Expr<'b>, counter: Expr<'b>, width: usize) -> Expr<'b> {
        self.push(Op::Random { seed: seed.reg, counter: counter.reg }, width)
    }

    /// The width that all of them can have together, 1 where there is none.
    pub fn common_width(&'b self, parts: &[Expr<'b>]) -> usize {
        let mut parts = parts.iter();
        let Some(&first) = parts.next() else { return 1 };
        let (mut width, mut widest) = (first.width(), first);
        for &part in parts {
            width = self.meet(width, part.width(), widest, part);
            if part.width() > widest.width() {
                widest = part;
            }
        }
        width
    }

    pub(super) fn meet_of(&'b self, a: Expr<'b>, b: Expr<'b>) -> usize {
        self.meet(a.width(), b.width(), a, b)
    }

    fn meet(&'b self, left: usize, right: usize, a: Expr<'b>, b: Expr<'b>) -> usize {
        match (left, right) {
            (1, width) | (width, 1) => width,
            (left, right) if left == right => left,
            (left, right) => {
                let (left_input, right_input) = {
                    let tape = self.tape.borrow();
                    (tape.origin(a.reg), tape.origin(b.reg))
                };
                self.fail(BuildError::Width { left, right, left_input, right_input });
                left
            }
        }
    }
}
