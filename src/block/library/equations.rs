//! The evaluation of lines `name = expression` to instructions.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use super::located;
use crate::block::language::{Algebra, VariableError, evaluate};
use crate::block::{Binary, Builder, Expr, FORMULA_TIME, Reaction, Reg, StateVar, Unary};

/// Whether the result of a line is internal to the block.
pub fn is_inner(name: &str) -> bool {
    name.starts_with('_')
}

/// Evaluates the lines of a formula parameter, which may use the names `known`, variables and earlier lines. Solvers of
/// variable step locate the kinks and jumps of the lines. Records an error if a line is invalid.
pub fn equations<'b>(
    b: &'b Builder<'b>,
    param: &'static str,
    known: impl IntoIterator<Item = (String, Expr<'b>)>,
) -> Vec<(String, Expr<'b>)> {
    evaluated(b, param, known.into_iter().collect(), Jumps::Located)
}

/// Evaluates the lines of a formula parameter whose values are needed before the run. Records an error if a line is
/// invalid.
pub fn constants<'b>(b: &'b Builder<'b>, param: &'static str) -> Vec<(String, Expr<'b>)> {
    evaluated(b, param, BTreeMap::new(), Jumps::Plain)
}

fn evaluated<'b>(
    b: &'b Builder<'b>,
    param: &'static str,
    mut values: BTreeMap<String, Expr<'b>>,
    jumps: Jumps,
) -> Vec<(String, Expr<'b>)> {
    let jumps = if b.locates() { jumps } else { Jumps::Plain };
    let setting = b.settings().formula(param);
    let tape = Tape { jumps, ..Tape::new(b) };
    for (name, value) in &setting.variables {
        let elements: Vec<Expr> = value.iter().map(|&number| tape.number(number)).collect();
        values.insert(name.clone(), tape.join(&elements));
    }
    tape.values.replace(values);
    let mut lines = Vec::with_capacity(setting.formula.lines.len());
    let mut is_refused = false;
    for (name, expression) in &setting.formula.lines {
        // Only the first error is reported.
        let made = match is_refused {
            true => Ok(b.constant(0.0)),
            false => evaluate(expression, &tape).map(|value| value.into_whole()),
        };
        let value = match made {
            Ok(value) => value,
            Err(error) => {
                is_refused = true;
                b.refuse(param, error.message_for(&setting.text));
                b.constant(0.0)
            }
        };
        tape.values.borrow_mut().insert(name.clone(), value);
        lines.push((name.clone(), value));
    }
    lines
}

/// Whether solvers of variable step locate kinks and jumps.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Jumps {
    Located,
    Plain,
}

/// The algebra of instructions.
pub struct Tape<'b> {
    b: &'b Builder<'b>,
    jumps: Jumps,
    /// The rounds of a loop that decides in the run how often it runs, at most.
    loop_limit: usize,
    /// The values of inputs, variables and the lines so far.
    values: RefCell<BTreeMap<String, Expr<'b>>>,
    /// The values computed so far: equal instructions are written once.
    made: RefCell<HashMap<Made, Expr<'b>>>,
    /// For conditions that are decisions their current truth.
    current: RefCell<HashMap<Reg, Expr<'b>>>,
    /// The persistent variables of code, and whether this is the first step.
    states: RefCell<Vec<StateVar<'b>>>,
    first: RefCell<Option<StateVar<'b>>>,
}

#[derive(PartialEq, Eq, Hash)]
enum Made {
    Number(u64),
    Unary(Unary, Reg),
    Binary(Binary, Reg, Reg),
    Select(Reg, Reg, Reg),
    Fold(Binary, Reg),
    Slice(Reg, usize, usize),
    Pick(Reg, Reg),
}

impl<'b> Tape<'b> {
    /// The algebra of the code of a block. Solvers of variable step locate the kinks and jumps.
    pub fn with_loop_limit(b: &'b Builder<'b>, loop_limit: usize) -> Tape<'b> {
        Tape { loop_limit, ..Tape::new(b) }
    }

    fn new(b: &'b Builder<'b>) -> Tape<'b> {
        Tape {
            b,
            jumps: if b.locates() { Jumps::Located } else { Jumps::Plain },
            loop_limit: 0,
            values: RefCell::default(),
            made: RefCell::default(),
            current: RefCell::default(),
            states: RefCell::default(),
            first: RefCell::default(),
        }
    }

    /// Returns the states of the persistent variables, in the order in which they were asked for.
    pub fn take_states(&self) -> Vec<StateVar<'b>> {
        self.states.take()
    }

    /// Returns the state that is 1 before the first step, if the code needs one.
    pub fn first_state(&self) -> Option<StateVar<'b>> {
        *self.first.borrow()
    }

    fn once(&self, key: Made, make: impl FnOnce() -> Expr<'b>) -> Expr<'b> {
        let known = self.made.borrow().get(&key).copied();
        known.unwrap_or_else(|| {
            let made = make();
            self.made.borrow_mut().insert(key, made);
            made
        })
    }

    /// Whether kinks and jumps of an operation are located: not of values that only a parameter changes.
    fn jumps_of(&self, operands: &[Expr<'b>]) -> Jumps {
        if operands.iter().all(|operand| operand.is_settled()) { Jumps::Plain } else { self.jumps }
    }

    /// The current truth of a condition.
    fn current(&self, condition: Expr<'b>) -> Expr<'b> {
        self.current.borrow().get(&condition.reg()).copied().unwrap_or(condition)
    }

    /// Notes the current truth of a condition, unless it is the condition itself.
    fn note(&self, condition: Expr<'b>, current: impl FnOnce() -> Expr<'b>, operands: &[Expr<'b>]) -> Expr<'b> {
        if operands.iter().any(|operand| self.current.borrow().contains_key(&operand.reg())) {
            let current = current();
            self.current.borrow_mut().insert(condition.reg(), current);
        }
        condition
    }
}

impl<'b> Algebra for Tape<'b> {
    type Value = Expr<'b>;

    fn number(&self, number: f64) -> Expr<'b> {
        self.once(Made::Number(number.to_bits()), || self.b.constant(number))
    }

    fn name(&self, name: &str) -> Result<Option<(Expr<'b>, usize)>, VariableError> {
        let known = self.values.borrow().get(name).copied();
        let [time, delta] = FORMULA_TIME;
        let known = known.or_else(|| match name {
            name if name == time => Some(self.b.time()),
            name if name == delta => Some(self.b.constant(self.b.delta())),
            _ => None,
        });
        Ok(known.map(|value| (value, 1)))
    }

    fn width(&self, value: &Expr<'b>) -> usize {
        value.width()
    }

    fn known(&self, value: &Expr<'b>) -> Option<f64> {
        value.known()
    }

    fn is_settled(&self, value: &Expr<'b>) -> bool {
        value.is_settled() && !value.is_constant()
    }

    fn is_same(&self, a: &Expr<'b>, b: &Expr<'b>) -> bool {
        a.reg() == b.reg()
    }

    fn unary(&self, op: Unary, a: Expr<'b>) -> Expr<'b> {
        self.once(Made::Unary(op, a.reg()), || match self.jumps_of(&[a]) {
            Jumps::Plain => a.unary(op),
            Jumps::Located if op == Unary::Not => self.note(a.unary(op), || self.current(a).unary(op), &[a]),
            Jumps::Located => located::unary(self.b, op, a),
        })
    }

    fn binary(&self, op: Binary, a: Expr<'b>, b: Expr<'b>) -> Expr<'b> {
        self.once(Made::Binary(op, a.reg(), b.reg()), || match (self.jumps_of(&[a, b]), op) {
            (Jumps::Plain, _) => a.binary(op, b),
            (_, Binary::And | Binary::Or) => {
                self.note(a.binary(op, b), || self.current(a).binary(op, self.current(b)), &[a, b])
            }
            _ => {
                let value = located::binary(self.b, op, a, b);
                if located::is_relation(op) && !value.is_constant() {
                    self.current.borrow_mut().insert(value.reg(), a.binary(op, b));
                }
                value
            }
        })
    }

    fn select(&self, on: Expr<'b>, yes: Expr<'b>, no: Expr<'b>) -> Expr<'b> {
        self.once(Made::Select(on.reg(), yes.reg(), no.reg()), || {
            let decided = self.b.select(on, yes, no);
            if !self.current.borrow().contains_key(&on.reg()) {
                return decided;
            }
            // A condition may guard a branch that has no value behind the crossing, such as a logarithm.
            let is_finite = (decided * 0.0).equals(0.0);
            self.b.select(is_finite, decided, self.b.select(self.current(on), yes, no))
        })
    }

    fn join(&self, parts: &[Expr<'b>]) -> Expr<'b> {
        if let [single] = parts { *single } else { self.b.join(parts) }
    }

    fn slice(&self, of: &Expr<'b>, start: usize, width: usize) -> Expr<'b> {
        self.once(Made::Slice(of.reg(), start, width), || of.slice(start, width))
    }

    fn fold(&self, op: Binary, a: Expr<'b>) -> Expr<'b> {
        self.once(Made::Fold(op, a.reg()), || match (self.jumps_of(&[a]), op) {
            (Jumps::Located, Binary::Min | Binary::Max) => located::extreme(self.b, op, a),
            _ => a.fold(op),
        })
    }

    fn pick(&self, of: Expr<'b>, index: Expr<'b>) -> Expr<'b> {
        self.once(Made::Pick(of.reg(), index.reg()), || match self.jumps_of(&[index]) {
            Jumps::Plain => of.pick(index),
            Jumps::Located => of.pick(located::unary(self.b, Unary::Floor, index)),
        })
    }

    fn persistent(&self, initial: Expr<'b>) -> Result<Expr<'b>, &'static str> {
        let state = self.b.state(initial.width(), initial);
        self.states.borrow_mut().push(state);
        Ok(state.value)
    }

    fn is_first(&self) -> Expr<'b> {
        let make = || {
            let state = self.b.state(1, self.b.constant(1.0));
            state.next(self.b.constant(0.0));
            state
        };
        self.first.borrow_mut().get_or_insert_with(make).value
    }

    fn loop_limit(&self) -> usize {
        self.loop_limit
    }

    fn stop(&self, on: Expr<'b>, message: &str) {
        self.b.report(Reaction::Stop, on, message);
    }

    fn names(&self) -> Vec<String> {
        self.values.borrow().keys().cloned().collect()
    }
}
