//! Branches and loops: what is known before the run decides at once, else both sides are computed.

use super::class::Class;
use super::evaluate::{Algebra, Evaluated, Evaluator};
use super::run::{Done, name_of};
use super::scope::{End, Exit, Leaves, Scope, Variable};
use super::statements::Statement;
use super::value::Value;
use super::{Binary, Expression, ExpressionError, Kind, Unary};

/// The test of a branch.
pub(super) enum Test<'t, V> {
    Condition(&'t Expression),
    /// Whether the value of a switch is one of these.
    Case(&'t Value<V>, &'t [Expression]),
}

type Exits<A> = Vec<Exit<<A as Algebra>::Value>>;

pub(super) type Branches<'t, V> = [(Test<'t, V>, &'t [Statement])];

/// How a round of a loop begins.
enum Round<V> {
    Begins,
    Over,
    /// Where the condition holds, with these variables; else the loop ends.
    If(V, Scope<V>),
}

/// A range whose bounds change in the run.
struct Count<V> {
    first: Value<V>,
    step: Value<V>,
    rounds: Value<V>,
}

/// Rounds of a loop whose condition is known before the run.
const MAX_ROUNDS: usize = 100_000;

/// A loop is written out as often as its parameters say, so they must be known then.
const NOT_SETTLED: &str = "how often this loop runs follows from parameters, which must be known before the run";

impl<A: Algebra> Evaluator<'_, A> {
    /// Whether only a change of a parameter changes a value.
    pub(super) fn is_settled(&self, value: &Value<A::Value>) -> bool {
        self.elements(value).iter().all(|element| self.algebra.is_settled(element))
    }

    /// Returns whether a condition holds: all elements are nonzero, and there is one.
    pub(super) fn condition(&self, test: &Test<A::Value>, at: usize, scope: &mut Scope<A::Value>) -> Evaluated<A> {
        match test {
            Test::Condition(condition) => {
                let value = self.numeric(self.of(condition, scope)?, condition.at)?;
                self.all_of(&value, condition.at)
            }
            Test::Case(value, cases) => {
                let mut any = self.truth(false);
                for case in *cases {
                    let case_value = self.of(case, scope)?;
                    let is_it = match (value.as_text(), case_value.as_text()) {
                        (Some(a), Some(b)) => self.truth(a == b),
                        (None, None) => {
                            let each = self.each(Binary::Eq, value, &case_value, case.at)?;
                            self.all_of(&each, at)?
                        }
                        _ => self.truth(false),
                    };
                    any = self.each(Binary::Or, &any, &is_it, at)?;
                }
                Ok(any)
            }
        }
    }

    pub(super) fn branch(
        &self,
        branches: &Branches<A::Value>,
        otherwise: &[Statement],
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Done<A> {
        let Some(((test, body), rest)) = branches.split_first() else { return self.block(otherwise, scope) };
        let condition = self.condition(test, at, scope)?;
        if let Some(known) = self.known_scalar(&condition) {
            return if known != 0.0 { self.block(body, scope) } else { self.branch(rest, otherwise, at, scope) };
        }
        let on = self.whole(&condition);
        let not = self.not(on.clone());
        let mut no = scope.clone();
        let yes_end = self.guarded(&on, || self.block(body, scope))?;
        let no_end = self.guarded(&not, || self.nested(at, || self.branch(rest, otherwise, at, &mut no)))?;
        let mut exits = Vec::new();
        for (side, end) in [(&on, yes_end.exits), (&not, no_end.exits)] {
            exits.extend(end.into_iter().map(|exit| {
                let both = |on: A::Value| self.and(side.clone(), on);
                Exit { on: Some(exit.on.map_or_else(|| side.clone(), both)), ..exit }
            }));
        }
        match (yes_end.is_over, no_end.is_over) {
            (false, false) => *scope = self.merged(&on, std::mem::take(scope), no, at)?,
            (true, false) => *scope = no,
            (_, true) => {}
        }
        Ok(End { exits, is_over: yes_end.is_over && no_end.is_over })
    }

    /// Runs what is reached under a condition only.
    fn guarded<T>(&self, on: &A::Value, run: impl FnOnce() -> T) -> T {
        self.guards.borrow_mut().push(on.clone());
        let result = run();
        self.guards.borrow_mut().pop();
        result
    }

    /// Returns the variables where a condition holds and where not.
    pub(super) fn merged(
        &self,
        on: &A::Value,
        yes: Scope<A::Value>,
        no: Scope<A::Value>,
        at: usize,
    ) -> Result<Scope<A::Value>, ExpressionError> {
        let mut merged = Scope { function: yes.function.clone(), persistent: yes.persistent, ..Scope::default() };
        merged.persistent.extend(no.persistent);
        let mut others = no.locals;
        for (name, yes) in yes.locals {
            let variable = match others.remove(&name) {
                Some(no) if yes.unset || no.unset => Variable { unset: true, ..yes },
                Some(no) => Variable { value: self.one_of(&name, on, &yes.value, &no.value, at)?, unset: false },
                None => Variable { unset: true, ..yes },
            };
            merged.locals.insert(name, variable);
        }
        merged.locals.extend(others.into_iter().map(|(name, no)| (name, Variable { unset: true, ..no })));
        let mut others = no.statics;
        for (key, yes) in yes.statics {
            let value = match others.remove(&key).or_else(|| self.start_of(&key)) {
                Some(no) => self.one_of(name_of(&key), on, &yes, &no, at)?,
                None => {
                    self.partly_set.borrow_mut().insert(key.clone());
                    yes
                }
            };
            merged.statics.insert(key, value);
        }
        for (key, no) in others {
            let value = match self.start_of(&key) {
                Some(yes) => self.one_of(name_of(&key), on, &yes, &no, at)?,
                None => {
                    self.partly_set.borrow_mut().insert(key.clone());
                    no
                }
            };
            merged.statics.insert(key, value);
        }
        Ok(merged)
    }

    pub(super) fn repeat_for(
        &self,
        name: &str,
        range: &Expression,
        body: &[Statement],
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Done<A> {
        if let Some(count) = self.count_in_run(range, scope)? {
            let mut round = 0;
            return self.repeat(body, at, scope, |scope| {
                let index = self.number(f64::from(round));
                round += 1;
                let goes_on = self.each(Binary::Lt, &index, &count.rounds, at)?;
                let on = self.whole(&goes_on);
                let value =
                    self.each(Binary::Add, &count.first, &self.each(Binary::Mul, &index, &count.step, at)?, at)?;
                let mut inner = scope.clone();
                inner.set(name, value);
                Ok(Round::If(on, inner))
            });
        }
        let mut rounds = self.rounds(range, scope)?.into_iter();
        self.repeat(body, at, scope, |scope| {
            let next = rounds.next();
            next.iter().for_each(|value| {
                self.note_set(at, name, value);
                scope.set(name, value.clone());
            });
            Ok(if next.is_some() { Round::Begins } else { Round::Over })
        })
    }

    /// Returns the first value, the step and the number of rounds of a range whose bounds change in the run.
    fn count_in_run(
        &self,
        range: &Expression,
        scope: &mut Scope<A::Value>,
    ) -> Result<Option<Count<A::Value>>, ExpressionError> {
        let Kind::Range(parts) = &range.kind else { return Ok(None) };
        let mut bounds = Vec::with_capacity(3);
        for part in parts.iter() {
            let value = self.numeric(self.of(part, scope)?, part.at)?;
            if value.count() != 1 {
                return Err(ExpressionError::new(part.at, "the bounds of a range are single numbers"));
            }
            bounds.push(value);
        }
        if bounds.iter().all(|bound| self.known_scalar(bound).is_some()) {
            return Ok(None);
        }
        let at = range.at;
        if bounds.iter().all(|bound| self.known_scalar(bound).is_some() || self.is_settled(bound)) {
            return Err(ExpressionError::new(at, NOT_SETTLED));
        }
        let [first, step, last] = [&bounds[0], &bounds[1], &bounds[2]];
        let of_double = |of: &Value<A::Value>| self.converted(of, Class::Double, at);
        let length = self.each(Binary::Sub, &of_double(last)?, &of_double(first)?, at)?;
        let steps = self.each(Binary::Div, &length, &of_double(step)?, at)?;
        // The same tolerance as for known bounds.
        let scaled = self.each(Binary::Mul, &steps, &self.number(1.0 + 1e-14), at)?;
        let whole = self.unary(Unary::Floor, &self.each(Binary::Add, &scaled, &self.number(1e-10), at)?, at)?;
        let rounds = self.each(Binary::Add, &whole, &self.number(1.0), at)?;
        Ok(Some(Count { first: first.clone(), step: step.clone(), rounds }))
    }

    /// Returns the values of the variable of a loop: the columns of a matrix.
    fn rounds(&self, range: &Expression, scope: &mut Scope<A::Value>) -> Result<Vec<Value<A::Value>>, ExpressionError> {
        if let Kind::Range(parts) = &range.kind {
            let ([first, step, last], class) = self.bounds(parts, scope)?;
            let count = self.range_length(first, step, last, range.at)?;
            let value = |round: usize| self.number(first + round as f64 * step).of_class(class);
            return Ok((0..count).map(value).collect());
        }
        let value = self.numeric(self.of(range, scope)?, range.at)?;
        let each = self.elements(&value);
        let column = |column: usize| {
            let all = (0..value.rows).map(|row| each[row * value.columns + column].clone()).collect();
            self.made(all, value.rows, 1).of_class(value.class)
        };
        Ok((0..value.columns).map(column).collect())
    }

    pub(super) fn repeat_while(
        &self,
        condition: &Expression,
        body: &[Statement],
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Done<A> {
        self.repeat(body, at, scope, |scope| {
            let value = self.condition(&Test::Condition(condition), at, scope)?;
            Ok(match self.known_scalar(&value) {
                Some(known) if known != 0.0 => Round::Begins,
                Some(_) => Round::Over,
                None if self.is_settled(&value) => return Err(ExpressionError::new(at, NOT_SETTLED)),
                None => Round::If(self.whole(&value), scope.clone()),
            })
        })
    }

    /// Takes out the exits that end here. The others are reached only where none of those was before.
    fn apart(&self, exits: Exits<A>, leaves: Leaves) -> [Exits<A>; 2] {
        let (mut ending, mut others) = (Vec::new(), Vec::new());
        let mut not_before: Option<A::Value> = None;
        for exit in exits {
            let with_before = |on: A::Value, before: Option<A::Value>| match before {
                Some(before) => self.and(before, on),
                None => on,
            };
            if exit.leaves == leaves {
                let not = exit.on.clone().map(|on| self.not(on));
                not_before = not.map(|not| with_before(not, not_before.clone())).or(not_before);
                ending.push(exit);
            } else {
                let before = not_before.clone();
                let on = exit.on.map_or(before.clone(), |on| Some(with_before(on, before)));
                others.push(Exit { on, ..exit });
            }
        }
        [ending, others]
    }

    /// Runs the rounds of a loop, as long as `begin` begins one.
    fn repeat(
        &self,
        body: &[Statement],
        at: usize,
        scope: &mut Scope<A::Value>,
        mut begin: impl FnMut(&mut Scope<A::Value>) -> Result<Round<A::Value>, ExpressionError>,
    ) -> Done<A> {
        // The places where the loop or the function is left.
        let mut left: Vec<Exit<A::Value>> = Vec::new();
        let mut is_over = false;
        let mut open_rounds = 0;
        let guards = self.guards.borrow().len();
        for round in 0.. {
            if round == MAX_ROUNDS {
                let problem = format!("this loop does not end after {MAX_ROUNDS} rounds");
                return Err(ExpressionError::new(at, problem));
            }
            self.spend(1, at)?;
            match begin(scope)? {
                Round::Begins => {}
                Round::Over => break,
                Round::If(on, _) if open_rounds == self.algebra.loop_limit() => {
                    let problem = format!(
                        "this loop does not end after {open_rounds} rounds; the option “Loop Limit” allows more"
                    );
                    self.stop_at(on, &problem, at);
                    break;
                }
                Round::If(on, inner) => {
                    open_rounds += 1;
                    let before = std::mem::replace(scope, inner);
                    left.push(Exit { leaves: Leaves::Loop, on: Some(self.not(on.clone())), scope: before });
                    self.guards.borrow_mut().push(on);
                }
            }
            let end = self.block(body, scope)?;
            let [rounds, exits] = self.apart(end.exits, Leaves::Round);
            // The next round begins where this one went to its end, or was left.
            let mut next = (!end.is_over).then(|| std::mem::take(scope));
            for exit in rounds.into_iter().rev() {
                next = Some(match (exit.on, next) {
                    (Some(on), Some(next)) => self.merged(&on, exit.scope, next, at)?,
                    _ => exit.scope,
                });
            }
            for on in exits.iter().filter_map(|exit| exit.on.clone()) {
                self.guards.borrow_mut().push(self.not(on));
            }
            left.extend(exits);
            match next {
                Some(next) => *scope = next,
                None => {
                    is_over = true;
                    break;
                }
            }
        }
        self.guards.borrow_mut().truncate(guards);
        let [loops, exits] = self.apart(left, Leaves::Loop);
        let mut last = (!is_over).then(|| std::mem::take(scope));
        for exit in loops.into_iter().rev() {
            last = Some(match (exit.on, last) {
                (Some(on), Some(last)) => self.merged(&on, exit.scope, last, at)?,
                _ => exit.scope,
            });
        }
        let is_over = last.is_none();
        *scope = last.unwrap_or_default();
        Ok(End { exits, is_over })
    }
}
