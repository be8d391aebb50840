//! The memory of a block from step to step, and its announcements to the solver: states, modes, zero crossings.

use super::{Builder, Expr};
use crate::block::limits::{MAX_VALUES, bytes_text, count_text};
use crate::block::state::{History, Record, StateVar};
use crate::block::{BuildError, Clock, Mode, Op, Operand, StateDef, StateKind, Update};

impl<'b> Builder<'b> {
    /// Adds a state that changes at the end of each step, of `width` elements or as many as its initial value has.
    pub fn state(&'b self, width: usize, initial: Expr<'b>) -> StateVar<'b> {
        self.new_state(StateKind::Discrete, width, initial)
    }

    /// Adds a zero-crossing function: its sign changes where an output or a rate has a kink or a jump. Solvers of
    /// variable step locate its zeros, end a step there and restart; other solvers never compute it. A kink without a
    /// jump (the sides of [`Expr::max`], of a saturation) needs only this. A value that jumps must be a decision:
    /// [`Builder::decided`] where it depends on current values only, [`Builder::mode`] where it has memory.
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
        if self.context.locates {
            self.tape.borrow_mut().crossings.push(of.reg);
        }
    }

    /// States that the first output is the first input of `seconds` ago, apart from interpolation. Linear analysis then
    /// takes it for an exact delay.
    pub fn delays_input(&'b self, seconds: Expr<'b>) {
        self.tape.borrow_mut().delay = Some(seconds.reg);
    }

    /// Returns the value itself if the solver does not locate zero crossings. Otherwise returns the value as last
    /// decided: at the start of the step, or at the last zero of `crossing`, which is where the value, such as a
    /// condition or a sign, changes. In between, the solver sees no jump.
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

    /// Returns a value that changes at the start of steps only, such as a pulse computed from the step number. Solvers
    /// of variable step then integrate over many steps until it changes.
    pub fn settled(&'b self, value: Expr<'b>) -> Expr<'b> {
        if !self.context.locates {
            return value;
        }
        let mode = self.new_mode(Mode::Follows, value.width(), self.constant(0.0));
        let now = self.select(self.deciding(), value, mode.value);
        mode.next(now);
        now
    }

    /// Adds a mode: a discrete state that holds a decision (on or off, the side of a reset). Its value is the last
    /// decision, in minor steps that of the major step. It takes its next value at the end of the step, as any discrete
    /// state, and where a solver of variable step has located a zero crossing. Its next value must therefore be the
    /// state itself wherever [`Builder::deciding`] is 0:
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
    pub fn mode(&'b self, width: usize, initial: Expr<'b>) -> StateVar<'b> {
        self.new_mode(Mode::Remembers, width, initial)
    }

    fn new_mode(&'b self, mode: Mode, width: usize, initial: Expr<'b>) -> StateVar<'b> {
        let index = self.add_state(StateKind::Discrete, width, initial);
        let width = {
            let mut tape = self.tape.borrow_mut();
            tape.states[index].mode = mode;
            tape.states[index].width
        };
        StateVar { value: self.push(Op::Held(index as u32), width), index }
    }

    /// Returns 1 in major steps and where a solver has located a zero crossing, else 0: where modes may change and
    /// continuous states may jump.
    pub fn deciding(&'b self) -> Expr<'b> {
        self.clock(Clock::Deciding)
    }

    /// Adds a state that the solver integrates.
    pub fn continuous(&'b self, width: usize, initial: Expr<'b>) -> StateVar<'b> {
        self.new_state(StateKind::Continuous, width, initial)
    }

    /// Returns a value that `decide` computes in each step from the previous one, and that holds in minor steps.
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

    /// Returns a value that `now` computes from the previous one: that of the step before, in minor steps that of the
    /// start of the step.
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

    /// Returns the value at the start of the step, also in minor steps.
    pub fn at_step(&'b self, value: Expr<'b>) -> Expr<'b> {
        self.latch(value.width(), 0.0, |_| value)
    }

    /// Returns whether a state is at a limit: by a solver that does not locate the crossing, at the start of the step. In
    /// its stages the state may be beyond the limit, on the way to it; if the rate were 0 there, it would arrive later.
    pub fn at_limit(&'b self, is_at: Expr<'b>) -> Expr<'b> {
        if self.context.locates { is_at } else { self.at_step(is_at) }
    }

    /// Returns the signal of the previous step, `initial` in the first.
    pub fn before(&'b self, signal: Expr<'b>, initial: impl Operand<'b>) -> Expr<'b> {
        let initial = initial.expr(self);
        let state = self.state(self.common_width(&[signal, initial]), initial);
        state.next(signal);
        state.value
    }

    /// Returns 1 in the first step, else 0; in an enabled or triggered model in its first run, also after its states were
    /// reset.
    pub fn is_first(&'b self) -> Expr<'b> {
        if !self.context.is_intermittent {
            return self.clock(Clock::Step).equals(0.0);
        }
        let has_run = self.state(1, self.constant(0.0));
        has_run.next(self.constant(1.0));
        has_run.value.equals(0.0)
    }

    /// Adds a delay line of the last `length` pushed values, all `initial` before the first.
    pub fn history(&'b self, width: usize, length: usize, initial: Expr<'b>) -> History<'b> {
        let index = self.add_state(StateKind::History { length: length.max(1) }, width, initial);
        History { b: self, index }
    }

    /// Whether the solver records signals at its own steps: for a block that always runs.
    pub fn records(&'b self) -> bool {
        self.locates() && !self.context.is_conditional
    }

    /// Adds a record of a signal, which the solver keeps for `longest` seconds; see [`Builder::records`].
    pub fn record(&'b self, signal: Expr<'b>, width: usize, longest: f64) -> Record<'b> {
        let (zero, longest) = (self.constant(0.0), self.constant(longest));
        let index = self.add_state(StateKind::Record, width, zero);
        let now = self.widen(signal, width);
        self.update(index, Update::Record { record: index, value: now.reg, longest: longest.reg }, now);
        Record { b: self, index, now }
    }

    fn new_state(&'b self, kind: StateKind, width: usize, initial: Expr<'b>) -> StateVar<'b> {
        let index = self.add_state(kind, width, initial);
        let width = self.tape.borrow().states[index].width;
        StateVar { value: self.push(Op::State(index as u32), width), index }
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
            StateKind::History { length } if length.checked_mul(width).is_none_or(|values| values > MAX_VALUES) => {
                let values = length.saturating_mul(width);
                let [length, width] = [length, width].map(count_text);
                let (needed, most) = (bytes_text(values), bytes_text(MAX_VALUES));
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

    pub(in crate::block) fn update(&'b self, state: usize, update: Update, value: Expr<'b>) {
        let width = self.tape.borrow().states[state].width;
        if value.width() != 1 && value.width() != width {
            let left_input = self.tape.borrow().origin(value.reg);
            self.fail(BuildError::Width { left: value.width(), right: width, left_input, right_input: None });
        }
        self.tape.borrow_mut().updates.push(update);
    }
}
