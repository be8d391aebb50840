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
//! A mistake of the user (widths that do not match, an invalid setting) is recorded and reported when the tape is
//! finished, so that a block's mathematics needs no error handling. A mistake of the block's author panics; the bulk
//! test over the library finds it.

mod buses;
mod states;
mod time_events;

use std::cell::RefCell;
use std::sync::Arc;

use super::draft::Draft;
use super::kernel::KernelDraft;
use super::limits::{MAX_ELEMENTS, count_text};
use super::{
    Binary, BlockDef, BuildContext, BuildError, Clock, Files, HostFn, Kernel, NoFiles, Op, Operand, ParamDef, Rate,
    Reaction, Reg, ReportDef, SampleTime, Setting, Settings, SignalType, WatchedCode,
};

/// Writes one block's tape.
pub struct Builder<'a> {
    def: &'static BlockDef,
    settings: &'a Settings,
    context: BuildContext,
    files: &'a dyn Files,
    inputs: &'a [SignalType],
    outputs: usize,
    /// The sample time of a sampled block.
    sample: SampleTime,
    pub(super) tape: RefCell<Draft>,
}

/// The number of instructions that are searched for an equal leaf, so that a sum of many inputs takes linear time.
const LEAVES: usize = 64;

/// A register on a builder's tape.
#[derive(Clone, Copy)]
pub struct Expr<'b> {
    pub(super) b: &'b Builder<'b>,
    pub(super) reg: Reg,
}

impl Kernel {
    /// Builds the tape of a block whose inputs have the widths `inputs`.
    ///
    /// # Errors
    /// Fails if widths do not match or a setting is invalid.
    pub fn build(
        def: &'static BlockDef,
        settings: &Settings,
        inputs: &[usize],
        context: BuildContext,
    ) -> Result<Kernel, BuildError> {
        let inputs: Vec<SignalType> = inputs.iter().map(|width| SignalType::plain(*width)).collect();
        Kernel::build_with(def, settings, &inputs, context, &NoFiles)
    }

    /// Builds the tape of a block that may read files, and whose inputs may be buses.
    ///
    /// # Errors
    /// Fails as [`Kernel::build`], and if a file cannot be read.
    pub fn build_with(
        def: &'static BlockDef,
        settings: &Settings,
        inputs: &[SignalType],
        context: BuildContext,
        files: &dyn Files,
    ) -> Result<Kernel, BuildError> {
        let outputs = def.output_count(settings);
        let draft = Draft {
            outputs: vec![None; outputs],
            idle: vec![None; outputs],
            early: vec![None; outputs],
            buses: vec![None; outputs],
            ..Draft::default()
        };
        let (rate, sample) = rate(def, settings, context)?;
        let builder = Builder { def, settings, context, files, inputs, outputs, sample, tape: RefCell::new(draft) };
        (def.build)(&builder);
        let rate = if builder.tape.borrow().is_unsampled { Rate::Unsampled } else { rate };
        if rate != Rate::Unsampled {
            builder.act_at(sample);
        }
        let buses = builder.buses_of_outputs();
        let mut draft = builder.tape.into_inner();
        if let Some(error) = draft.error {
            return Err(error);
        }
        let outputs = std::mem::take(&mut draft.outputs).into_iter().enumerate().map(|(index, reg)| match reg {
            Some(reg) => reg,
            None => panic!("{}/{} never makes its output {index}", def.group, def.name),
        });
        let outputs = outputs.zip(draft.idle).collect();
        let (is_unlocated, code) = (draft.is_unlocated, draft.code.take());
        let Draft { ops, widths, params, states, updates, crossings, time_events, delay, iterations, reports, .. } =
            draft;
        let input_widths = inputs.iter().map(|input| input.width).collect();
        let kernel = Kernel::new(KernelDraft {
            ops,
            widths,
            inputs: input_widths,
            outputs,
            params,
            states,
            updates,
            iterations,
            reports,
        });
        let kernel = Kernel { rate, is_unlocated, code, ..kernel }
            .with_crossings(crossings)
            .with_time_events(time_events)
            .with_delay(delay);
        Ok(kernel.with_buses(inputs, buses))
    }
}

/// Returns the source of a block's sample time, and the sample time.
fn rate(def: &'static BlockDef, settings: &Settings, context: BuildContext) -> Result<(Rate, SampleTime), BuildError> {
    if !def.is_sampled() {
        return Ok((Rate::Unsampled, SampleTime::EVERY));
    }
    match def.sample(settings, context.delta) {
        Ok(Some(sample)) if settings.number(ParamDef::SAMPLE_TIME.name) == 0.0 => Ok((Rate::Continuous, sample)),
        Ok(Some(sample)) => Ok((Rate::Own(sample), sample)),
        Ok(None) => Ok((Rate::Inherited, context.sample)),
        Err(error) => Err(BuildError::Setting { param: ParamDef::SAMPLE_TIME.name, problem: error.to_string() }),
    }
}

impl<'a> Builder<'a> {
    /// Returns the definition of the block.
    pub fn def(&self) -> &'static BlockDef {
        self.def
    }

    /// Returns the values of the block's options.
    pub fn settings(&self) -> &Settings {
        self.settings
    }

    /// Returns the access to files.
    pub fn files(&self) -> &dyn Files {
        self.files
    }

    /// Returns the step size in seconds, or the sample time of a sampled block.
    pub fn delta(&self) -> f64 {
        self.sample.period as f64 * self.context.delta
    }

    /// Whether the solver locates zero crossings.
    pub fn locates(&self) -> bool {
        self.context.locates
    }

    /// Whether the time between the block's runs varies: it is in an enabled or triggered model.
    pub fn is_intermittent(&self) -> bool {
        self.context.is_intermittent
    }

    /// Has the block run whenever its inputs are set, in minor steps too, as one without a sample time: for a block that
    /// keeps nothing from step to step, and whose sample time is inherited.
    pub(in crate::block) fn runs_unsampled(&self) {
        self.tape.borrow_mut().is_unsampled = true;
    }

    /// Says that the kinks and jumps of the block are not located, because it acts at steps only, or because they are left
    /// to the error control of the solver. Without it [`crate::conformance::block()`] asks for their
    /// [crossings](Builder::crossing).
    pub fn leaves_unlocated(&self) {
        self.tape.borrow_mut().is_unlocated = true;
    }

    /// Whether the block has a sample time.
    pub fn is_sampled(&self) -> bool {
        self.def.is_sampled()
    }

    /// Returns the number of inputs.
    pub fn input_count(&self) -> usize {
        self.inputs.len()
    }

    /// Returns the number of outputs.
    pub fn output_count(&self) -> usize {
        self.outputs
    }

    /// Records that a setting is invalid.
    pub fn refuse(&self, param: &'static str, problem: impl Into<String>) {
        self.fail(BuildError::Setting { param, problem: problem.into() });
    }

    /// Keeps the code that the block is made of, so that an editor can follow it in a run.
    pub(crate) fn watch_code(&self, code: WatchedCode) {
        self.tape.borrow_mut().code = Some(Arc::new(code));
    }

    /// Records that an input must have another width.
    pub fn refuse_width(&self, input: usize, width: usize) {
        let got = self.inputs.get(input).map_or(0, |input| input.width);
        self.fail(BuildError::InputWidth { input, width, got });
    }

    /// Whether a matrix of `rows` by `columns` elements is within the limit; records an error if not. Call it before
    /// creating the elements.
    pub fn fits(&self, rows: usize, columns: usize) -> bool {
        let fits = rows.checked_mul(columns).is_some_and(|count| count <= MAX_ELEMENTS);
        if !fits {
            let [rows, columns, most] = [rows, columns, MAX_ELEMENTS].map(count_text);
            self.fail(BuildError::TooLarge(format!("a matrix of {rows} by {columns}; the limit is {most} elements")));
        }
        fits
    }

    /// Returns whether the tape may grow by `count` instructions; records an error if not. Call it before a computation
    /// that takes far more instructions than elements.
    pub fn fits_instructions(&self, count: usize) -> bool {
        self.tape.borrow_mut().has_room_for_instructions(count)
    }

    /// The tape so far, for [`Builder::restore`].
    pub(in crate::block) fn draft(&self) -> Draft {
        self.tape.borrow().clone()
    }

    /// Goes back to an earlier state of the tape; registers that were made since are none any more.
    pub(in crate::block) fn restore(&self, draft: Draft) {
        self.tape.replace(draft);
    }

    /// Whether no error was recorded since an earlier state of the tape.
    pub(in crate::block) fn is_sound(&self, before: &Draft) -> bool {
        self.tape.borrow().error == before.error
    }

    fn fail(&self, error: BuildError) {
        self.tape.borrow_mut().fail(error);
    }
}

impl<'b> Builder<'b> {
    pub(super) fn push(&'b self, op: Op, width: usize) -> Expr<'b> {
        let mut tape = self.tape.borrow_mut();
        // Equal leaves share a register.
        if op.operands().next().is_none()
            && !matches!(op, Op::Const(_) | Op::Join(_))
            && let Some(reg) = tape.ops.iter().take(LEAVES).position(|known| *known == op)
        {
            return Expr { b: self, reg: reg as Reg };
        }
        if tape.has_room_for(width) {
            return Expr { b: self, reg: tape.add(op, width) };
        }
        // The tape is rejected in the end. Until then one register for each width stands in for those that do not fit.
        let known = tape.stand_ins.get(&width).copied();
        let reg = known.unwrap_or_else(|| {
            let reg = tape.add(Op::Const(0.0), width.min(u32::MAX as usize));
            tape.stand_ins.insert(width, reg);
            reg
        });
        Expr { b: self, reg }
    }

    /// Returns an input, by its index.
    pub fn input(&'b self, index: usize) -> Expr<'b> {
        let Some(of) = self.inputs.get(index) else {
            panic!("{}/{} has no input {index}", self.def.group, self.def.name)
        };
        self.push(Op::Input(index as u32), of.width)
    }

    /// Returns the input; records an error if it is a vector.
    pub fn scalar_input(&'b self, index: usize) -> Expr<'b> {
        let input = self.input(index);
        if input.width() != 1 {
            self.fail(BuildError::InputWidth { input: index, width: 1, got: input.width() });
        }
        input
    }

    /// Returns all inputs.
    pub fn inputs(&'b self) -> Vec<Expr<'b>> {
        (0..self.inputs.len()).map(|index| self.input(index)).collect()
    }

    /// Returns a parameter that may change between steps.
    pub fn param(&'b self, name: &str) -> Expr<'b> {
        let Some(index) = self.settings.index_of(name) else {
            panic!("{}/{} has no parameter {name:?}", self.def.group, self.def.name)
        };
        let width = match self.settings.get(name) {
            Setting::Number(values) => values.len(),
            other => panic!("{name:?} is no number: {other:?}"),
        };
        self.push(Op::Param(self.param_slot(index, width)), width)
    }

    /// Returns the number of a parameter among those that the tape reads.
    fn param_slot(&self, index: usize, width: usize) -> u32 {
        let mut tape = self.tape.borrow_mut();
        let known = tape.params.iter().position(|&(known, _)| known == index);
        let slot = known.unwrap_or_else(|| {
            tape.params.push((index, width));
            tape.params.len() - 1
        });
        slot as u32
    }

    /// Returns a constant.
    pub fn constant(&'b self, value: f64) -> Expr<'b> {
        self.push(Op::Const(value), 1)
    }

    /// Returns a constant vector of these values, at least one.
    pub fn vector(&'b self, values: &[f64]) -> Expr<'b> {
        match values {
            [value] => self.constant(*value),
            values => self.join(&values.iter().map(|value| self.constant(*value)).collect::<Vec<_>>()),
        }
    }

    /// Returns a value of the clock. The steps of a sampled block are its sample hits.
    pub fn clock(&'b self, clock: Clock) -> Expr<'b> {
        match clock {
            Clock::Delta if self.sample != SampleTime::EVERY => self.constant(self.delta()),
            Clock::Step if self.sample != SampleTime::EVERY => self.push(Op::Clock(Clock::Count(self.sample)), 1),
            clock => self.push(Op::Clock(clock), 1),
        }
    }

    /// Returns the time in seconds, which in a minor step is that of the solver's stage.
    pub fn time(&'b self) -> Expr<'b> {
        self.clock(Clock::Time)
    }

    /// Returns the time at the start of the step in seconds, constant within the step.
    pub fn step_time(&'b self) -> Expr<'b> {
        self.clock(Clock::StepTime)
    }

    /// Returns the time in seconds since the block ran last, for a sampled block since its last sample hit. That is the
    /// step size or the sample time, except in an enabled or triggered model; there it is for the first run too.
    pub fn elapsed(&'b self) -> Expr<'b> {
        if !self.context.is_intermittent {
            return self.clock(Clock::Delta);
        }
        // With variable steps a triggered model runs between steps, too.
        let (now, unit) = match self.context.locates {
            true => (self.select(self.clock(Clock::Major), self.time(), self.step_time()), 1.0),
            false => (self.push(Op::Clock(Clock::Step), 1), self.context.delta),
        };
        let last = self.state(1, self.constant(f64::NAN));
        last.next(now);
        let since = (now - last.value) * unit;
        self.select(last.value.differs(last.value), self.delta(), since)
    }

    /// Sets an output, by its index.
    pub fn output(&'b self, index: usize, value: Expr<'b>) {
        let mut tape = self.tape.borrow_mut();
        match tape.outputs.get_mut(index) {
            Some(output) => *output = Some(value.reg),
            None => panic!("{}/{} has no output {index}", self.def.group, self.def.name),
        }
    }

    /// Sets the value of an output of a sampled block before its first sample hit, where it depends on an input
    /// otherwise. One that depends on states and parameters alone has the value of the first hit already.
    pub fn early(&'b self, index: usize, value: Expr<'b>) {
        if let Some(early) = self.tape.borrow_mut().early.get_mut(index) {
            *early = Some(value.reg);
        }
    }

    /// Sets the value of an exit's output before its conditional model has run, which may depend on parameters only.
    pub(super) fn idle(&'b self, index: usize, value: Expr<'b>) {
        self.assert_ahead(value);
        if let Some(idle) = self.tape.borrow_mut().idle.get_mut(index) {
            *idle = Some(value.reg);
        }
    }

    /// Sets the outputs `count` times in a step, rounded down: once for each value of [`Clock::Iteration`] from 0. After
    /// each iteration all blocks that depend on the outputs run before the next. Not every engine supports this.
    pub fn iterations(&'b self, count: Expr<'b>) {
        if count.width() != 1 {
            let input = self.tape.borrow().origin(count.reg).unwrap_or(0);
            self.fail(BuildError::InputWidth { input, width: 1, got: count.width() });
        }
        self.tape.borrow_mut().iterations = Some(count.reg);
    }

    /// Reports `message` to the user in each step in which any element of `fails` becomes nonzero: in the first
    /// step, and after steps in which all were 0. The message is a sentence without a full stop.
    pub fn report(&'b self, reaction: Reaction, fails: Expr<'b>, message: impl Into<String>) {
        let now = fails.differs(0.0);
        let now = if now.width() > 1 { now.fold(Binary::Or) } else { now };
        let begins = now.and(!self.before(now, 0.0));
        let report = ReportDef { reg: begins.reg, reaction, message: message.into() };
        self.tape.borrow_mut().reports.push(report);
    }

    /// Returns 1 if the source of the input ran in this step, and 0 only if it is an exit of a conditional model that
    /// did not. The value depends on the input.
    pub fn ran(&'b self, input: usize) -> Expr<'b> {
        assert!(input < self.inputs.len(), "{}/{} has no input {input}", self.def.group, self.def.name);
        self.push(Op::Ran(input as u32), 1)
    }

    /// Expands a scalar to a vector of this width.
    pub fn widen(&'b self, value: Expr<'b>, width: usize) -> Expr<'b> {
        if value.width() == width || value.width() != 1 { value } else { self.join(&vec![value; width]) }
    }

    fn assert_ahead(&self, value: Expr) {
        let needs_run = self.tape.borrow().origin(value.reg).is_some();
        assert!(!needs_run, "it may depend on parameters only");
    }

    /// Returns `yes` where `on` is not 0, else `no`, element by element.
    pub fn select(&'b self, on: Expr<'b>, yes: impl Operand<'b>, no: impl Operand<'b>) -> Expr<'b> {
        let (yes, no) = (yes.expr(self), no.expr(self));
        let width = self.meet(self.meet_of(on, yes), self.meet_of(on, no), yes, no);
        self.push(Op::Select { on: on.reg, yes: yes.reg, no: no.reg }, width)
    }

    /// Concatenates the elements of all parts.
    pub fn join(&'b self, parts: &[Expr<'b>]) -> Expr<'b> {
        let width = parts.iter().fold(0, |sum: usize, part| sum.saturating_add(part.width()));
        self.push(Op::Join(parts.iter().map(|part| part.reg).collect()), width)
    }

    /// Returns the `width` elements that a function in Rust computes from all elements of the arguments.
    pub fn native(&'b self, of: HostFn, args: &[Expr<'b>], width: usize) -> Expr<'b> {
        self.push(Op::Call { of, args: args.iter().map(|arg| arg.reg).collect() }, width)
    }

    /// Returns uniform numbers in [0, 1), each a function of the parameter [`ParamDef::SEED`], the counter, the element's
    /// index and the place of the block alone: its definition, the attributes `seed` of the model blocks around it, and
    /// the iteration of each iterated model that contains it.
    pub fn random(&'b self, counter: Expr<'b>, width: usize) -> Expr<'b> {
        let seed = self.param(ParamDef::SEED.name);
        let stream = self.push(Op::Param(self.param_slot(Kernel::STREAM, 1)), 1) + self.clock(Clock::Runs);
        self.push(Op::Random { seed: seed.reg, stream: stream.reg, counter: counter.reg }, width)
    }

    /// Returns the common width of all parts after scalar expansion, 1 if there are none.
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
