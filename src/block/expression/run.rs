//! Runs the statements of code.
//!
//! What is known before the run decides at once: loops with a known number of rounds are written out, and of branches with
//! a known condition only one is left. Where a condition changes in the run, both branches are computed, and each variable
//! gets the value of the one that holds. Where such a branch leaves a round, a loop or the function, the variables at that
//! place are set aside, and the remaining statements run as if it had not; the end chooses between them.

use std::collections::BTreeMap;

use super::evaluate::{Algebra, Evaluated, Evaluator};
pub use super::statements::Program;
use super::statements::{FunctionDef, Statement, StatementKind, Target};
use super::value::Value;
use super::{Binary, Expression, ExpressionError, Kind, Unary};

/// The variables of a function that runs.
#[derive(Clone, Debug)]
pub(super) struct Scope<V> {
    locals: BTreeMap<String, Variable<V>>,
    /// The persistent variables of all functions, by function and name; one without a value is not among them.
    statics: BTreeMap<String, Value<V>>,
    /// The names here that are persistent, with their keys in `statics`.
    persistent: BTreeMap<String, String>,
    /// The function, for its persistent variables.
    function: String,
}

#[derive(Clone, Debug)]
struct Variable<V> {
    value: Value<V>,
    /// Whether some branch leaves it unset.
    unset: bool,
}

/// What a statement leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaves {
    Round,
    Loop,
    Function,
}

/// A place where statements are left, with the variables there.
struct Exit<V> {
    leaves: Leaves,
    /// The condition under which it is reached, unless an earlier exit was; none if it always is.
    on: Option<V>,
    scope: Scope<V>,
}

/// How statements end.
struct End<V> {
    /// In the order of the text.
    exits: Vec<Exit<V>>,
    /// Whether no statement behind them is reached.
    is_over: bool,
}

impl<V> End<V> {
    fn go_on() -> End<V> {
        End { exits: Vec::new(), is_over: false }
    }
}

impl<V> Default for Scope<V> {
    fn default() -> Scope<V> {
        Scope {
            locals: BTreeMap::new(),
            statics: BTreeMap::new(),
            persistent: BTreeMap::new(),
            function: String::new(),
        }
    }
}

impl<V: Clone> Scope<V> {
    pub fn has(&self, name: &str) -> bool {
        self.locals.contains_key(name) || self.persistent.contains_key(name)
    }

    pub fn names(&self) -> impl Iterator<Item = String> {
        self.locals.keys().chain(self.persistent.keys()).cloned()
    }

    pub fn set(&mut self, name: &str, value: Value<V>) {
        match self.persistent.get(name) {
            Some(key) => drop(self.statics.insert(key.clone(), value)),
            None => drop(self.locals.insert(name.to_owned(), Variable { value, unset: false })),
        }
    }

    /// Copies the fields of a structure to another one; whether there are any.
    fn copy_fields(&mut self, from: &str, to: &str) -> bool {
        let fields = self.locals.iter().filter_map(|(name, variable)| {
            let field = name.strip_prefix(from)?.strip_prefix('.')?;
            Some((format!("{to}.{field}"), variable.clone()))
        });
        let fields: Vec<_> = fields.collect();
        let has_fields = !fields.is_empty() && !self.has(from);
        if has_fields {
            self.locals.extend(fields);
        }
        has_fields
    }

    fn get(&self, name: &str) -> Option<Value<V>> {
        match self.persistent.get(name) {
            Some(key) => self.statics.get(key).cloned(),
            None => self.locals.get(name).map(|variable| variable.value.clone()),
        }
    }
}

/// The results of code.
pub struct Run<V> {
    /// The results of the first function, in their order.
    pub outputs: Vec<Value<V>>,
    /// The next values of the persistent variables, in the order in which [`Algebra::persistent`] was asked for them.
    pub next: Vec<Value<V>>,
}

/// Runs the first function of a program with these arguments.
///
/// # Errors
/// Fails if a statement has no meaning for these sizes, something must be known before the run and is not, or a limit is
/// exceeded.
pub fn run<A: Algebra>(
    program: &Program,
    arguments: Vec<Value<A::Value>>,
    algebra: &A,
) -> Result<Run<A::Value>, ExpressionError> {
    let evaluator = Evaluator::new(algebra, Some(program));
    let main = program.main();
    let mut scope = Scope::default();
    let outputs = evaluator.call_function(main, arguments, main.outputs.len(), main.at, &mut scope)?;
    let kept = evaluator.kept.take();
    let mut next = Vec::with_capacity(kept.len());
    for (key, before) in kept {
        let after = scope.statics.get(&key).cloned().unwrap_or_else(|| before.clone());
        if (after.rows, after.columns) != (before.rows, before.columns) {
            let name = name_of(&key);
            let (before, after) = (before.size_text(), after.size_text());
            let problem =
                format!("the persistent variable “{name}” is {before} and becomes {after}; its size is fixed");
            return Err(ExpressionError::new(main.at, problem));
        }
        next.push(after);
    }
    Ok(Run { outputs, next })
}

/// Returns the name of a persistent variable by its key, which begins with the function.
fn name_of(key: &str) -> &str {
    key.rsplit(' ').next().unwrap_or(key)
}

/// The test of a branch.
enum Test<'t, V> {
    Condition(&'t Expression),
    /// Whether the value of a switch is one of these.
    Case(&'t Value<V>, &'t [Expression]),
}

type Branches<'t, V> = [(Test<'t, V>, &'t [Statement])];
type Done<A> = Result<End<<A as Algebra>::Value>, ExpressionError>;

/// Rounds of a loop whose condition is known before the run.
const MAX_ROUNDS: usize = 100_000;

impl<A: Algebra> Evaluator<'_, A> {
    /// Returns the value of a variable of the scope.
    pub fn variable(
        &self,
        name: &str,
        at: usize,
        scope: &Scope<A::Value>,
    ) -> Result<Option<Value<A::Value>>, ExpressionError> {
        if let Some(key) = scope.persistent.get(name) {
            let value = scope.statics.get(key).cloned();
            // It is empty until it is set.
            return Ok(Some(value.unwrap_or_else(|| {
                self.met_unset.set(true);
                Value::empty(0, 0)
            })));
        }
        match scope.locals.get(name) {
            Some(variable) if variable.unset => {
                let problem = format!("“{name}” is not set in each branch above; give it a value before them");
                Err(ExpressionError::new(at, problem))
            }
            Some(variable) => Ok(Some(variable.value.clone())),
            None => Ok(None),
        }
    }

    /// Runs a function and returns its first results.
    pub fn call_function(
        &self,
        function: &FunctionDef,
        arguments: Vec<Value<A::Value>>,
        results: usize,
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Result<Vec<Value<A::Value>>, ExpressionError> {
        if arguments.len() > function.inputs.len() {
            let problem =
                format!("“{}” has {} arguments, not {}", function.name, function.inputs.len(), arguments.len());
            return Err(ExpressionError::new(at, problem));
        }
        if results > function.outputs.len() {
            let problem = format!("“{}” has {} results, not {results}", function.name, function.outputs.len());
            return Err(ExpressionError::new(at, problem));
        }
        let statics = std::mem::take(&mut scope.statics);
        let mut inner = Scope { statics, function: function.name.clone(), ..Scope::default() };
        inner.set("nargin", self.number(arguments.len() as f64));
        inner.set("nargout", self.number(results as f64));
        for (name, value) in function.inputs.iter().zip(arguments) {
            inner.set(name, value);
        }
        let end = self.nested(at, || self.block(&function.body, &mut inner))?;
        let inner = self.closed(function, end, inner)?;
        let mut made = Vec::with_capacity(results);
        for name in function.outputs.iter().take(results.max(1)) {
            match self.variable(name, at, &inner)? {
                Some(value) => made.push(value),
                None if results == 0 => {}
                None => {
                    let problem = format!("the result “{name}” is never set");
                    return Err(ExpressionError::new(function.at, problem));
                }
            }
        }
        scope.statics = inner.statics;
        Ok(made)
    }

    /// Returns the results and persistent variables of a function, of the place where it was left.
    fn closed(
        &self,
        function: &FunctionDef,
        end: End<A::Value>,
        scope: Scope<A::Value>,
    ) -> Result<Scope<A::Value>, ExpressionError> {
        let only_results = |mut scope: Scope<A::Value>| {
            scope.locals.retain(|name, _| function.outputs.contains(name));
            scope
        };
        let mut last = (!end.is_over).then_some(scope);
        for exit in end.exits.into_iter().rev() {
            if exit.leaves != Leaves::Function {
                return Err(ExpressionError::new(function.at, "“break” and “continue” belong in a loop"));
            }
            last = Some(match (exit.on, last) {
                (Some(on), Some(last)) => {
                    self.merged(&on, only_results(exit.scope), only_results(last), function.at)?
                }
                _ => exit.scope,
            });
        }
        Ok(last.unwrap_or_default())
    }

    /// Runs statements up to one behind which nothing is reached.
    fn block(&self, statements: &[Statement], scope: &mut Scope<A::Value>) -> Done<A> {
        let mut all = End::go_on();
        let guards = self.guards.borrow().len();
        for statement in statements {
            let end = self.nested(statement.at, || self.statement(statement, scope))?;
            for on in end.exits.iter().filter_map(|exit| exit.on.clone()) {
                self.guards.borrow_mut().push(self.not(on));
            }
            all.exits.extend(end.exits);
            if end.is_over {
                all.is_over = true;
                break;
            }
        }
        self.guards.borrow_mut().truncate(guards);
        Ok(all)
    }

    fn not(&self, of: A::Value) -> A::Value {
        self.algebra.unary(Unary::Not, of)
    }

    fn and(&self, a: A::Value, b: A::Value) -> A::Value {
        self.algebra.binary(Binary::And, a, b)
    }

    /// The end of a statement that leaves something.
    fn leave(&self, leaves: Leaves, scope: &Scope<A::Value>) -> End<A::Value> {
        End { exits: vec![Exit { leaves, on: None, scope: scope.clone() }], is_over: true }
    }

    fn statement(&self, statement: &Statement, scope: &mut Scope<A::Value>) -> Done<A> {
        let at = statement.at;
        self.spend(1, at)?;
        match &statement.kind {
            StatementKind::Assign(targets, value) => self.assign(targets, value, at, scope)?,
            StatementKind::Call(call) => self.call_alone(call, scope)?,
            StatementKind::If(branches, otherwise) => {
                let branches: Vec<_> = branches
                    .iter()
                    .map(|(condition, branch)| (Test::Condition(condition), branch.as_slice()))
                    .collect();
                return self.decide(&branches, otherwise, at, scope);
            }
            StatementKind::Switch(value, cases, otherwise) => {
                let value = self.of(value, scope)?;
                let cases: Vec<_> =
                    cases.iter().map(|(values, branch)| (Test::Case(&value, values), branch.as_slice())).collect();
                return self.decide(&cases, otherwise, at, scope);
            }
            StatementKind::For(name, range, body) => return self.repeat_for(name, range, body, at, scope),
            StatementKind::While(condition, body) => return self.repeat_while(condition, body, at, scope),
            StatementKind::Break => return Ok(self.leave(Leaves::Loop, scope)),
            StatementKind::Continue => return Ok(self.leave(Leaves::Round, scope)),
            StatementKind::Return => return self.leave_function(at, scope),
            StatementKind::Persistent(variables) => self.declare(variables, at, scope)?,
        }
        Ok(End::go_on())
    }

    fn leave_function(&self, at: usize, scope: &mut Scope<A::Value>) -> Done<A> {
        let function = self.program.and_then(|program| program.function(&scope.function));
        for name in function.iter().flat_map(|function| &function.outputs) {
            if self.variable(name, at, scope)?.is_none() {
                return Err(ExpressionError::new(at, format!("the result “{name}” is not set before this return")));
            }
        }
        Ok(self.leave(Leaves::Function, scope))
    }

    fn assign(
        &self,
        targets: &[Target],
        value: &Expression,
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Result<(), ExpressionError> {
        if let (Kind::Name(from), [Target { name: Some(to), index: None, .. }]) = (&value.kind, targets)
            && scope.copy_fields(from, to)
        {
            return Ok(());
        }
        let values = match (&value.kind, targets) {
            (_, [_]) => vec![self.of(value, scope)?],
            (Kind::Apply(name, parts), _) if !scope.has(name) => {
                self.call_by_name(name, parts, targets.len(), value.at, scope)?
            }
            (Kind::Name(name), _) if !scope.has(name) => {
                self.call_by_name(name, &[], targets.len(), value.at, scope)?
            }
            _ => return Err(ExpressionError::new(value.at, "several variables are set by a call only")),
        };
        if values.len() < targets.len() {
            let problem = format!("this has {} results, not {}", values.len(), targets.len());
            return Err(ExpressionError::new(value.at, problem));
        }
        // x(2) = [] takes an element out.
        let deletes = matches!(&value.kind, Kind::Vector(rows) if rows.is_empty());
        for (target, value) in targets.iter().zip(values) {
            let Some(name) = &target.name else { continue };
            if super::Function::by_name(name).is_some_and(|function| function.is_keyword()) {
                let problem = format!("“{name}” is a reserved name; choose another one");
                return Err(ExpressionError::new(target.at, problem));
            }
            let value = match &target.index {
                None => value,
                Some(parts) if deletes => {
                    let before = self.variable(name, target.at, scope)?;
                    let before = before.unwrap_or_else(|| Value::empty(0, 0));
                    self.without_elements(name, &before, parts, at, scope)?
                }
                Some(parts) => {
                    let before = match self.variable(name, target.at, scope)? {
                        Some(before) => Some(before),
                        None => scope.get(name),
                    };
                    self.with_elements(name, before, parts, &value, at, scope)?
                }
            };
            scope.set(name, value);
        }
        Ok(())
    }

    /// Calls a function for its effect.
    fn call_alone(&self, call: &Expression, scope: &mut Scope<A::Value>) -> Result<(), ExpressionError> {
        match &call.kind {
            Kind::Apply(name, parts) if !scope.has(name) => self.call_by_name(name, parts, 0, call.at, scope).map(drop),
            Kind::Name(name) if !scope.has(name) => self.call_by_name(name, &[], 0, call.at, scope).map(drop),
            // A value that nobody takes.
            _ => self.of(call, scope).map(drop),
        }
    }

    /// Returns whether a condition holds: all elements are nonzero, and there is one.
    fn condition(&self, test: &Test<A::Value>, at: usize, scope: &mut Scope<A::Value>) -> Evaluated<A> {
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

    /// Runs the first branch whose test holds.
    fn decide(
        &self,
        branches: &Branches<A::Value>,
        otherwise: &[Statement],
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Done<A> {
        if self.is_initial.get() || !scope.persistent.values().any(|key| !scope.statics.contains_key(key)) {
            return self.branch(branches, otherwise, at, scope);
        }
        // A persistent variable has no value yet: this may be the place that sets the initial one.
        let mut first = scope.clone();
        self.met_unset.set(false);
        self.is_initial.set(true);
        let end = self.branch(branches, otherwise, at, &mut first);
        self.is_initial.set(false);
        let has_met = self.met_unset.replace(false);
        let mut end = end?;
        if !has_met {
            *scope = first;
            return Ok(end);
        }
        let last = if end.is_over { end.exits.last().map(|exit| &exit.scope) } else { Some(&first) };
        for (key, initial) in last.into_iter().flat_map(|last| &last.statics) {
            if !scope.statics.contains_key(key) {
                let value = self.keep(key, initial, at)?;
                scope.statics.insert(key.clone(), value);
            }
        }
        // What the first step does otherwise than later ones.
        for exit in &mut end.exits {
            let is_first = self.algebra.is_first();
            exit.on = Some(match exit.on.take() {
                Some(on) => self.and(is_first, on),
                None => is_first,
            });
        }
        let later = self.decide(branches, otherwise, at, scope)?;
        if !end.is_over && !later.is_over {
            for (name, then) in &first.locals {
                let Some(later) = scope.locals.get(name).filter(|later| !later.unset) else { continue };
                if !then.unset && !self.is_same(&then.value, &later.value) {
                    let on = self.algebra.is_first();
                    let value = self.one_of(name, &on, then.value.clone(), later.value.clone(), at)?;
                    scope.set(name, value);
                }
            }
        }
        end.exits.extend(later.exits);
        Ok(End { exits: end.exits, is_over: later.is_over })
    }

    /// Keeps a persistent variable between steps, and returns its value at the start of a step.
    fn keep(&self, key: &str, initial: &Value<A::Value>, at: usize) -> Evaluated<A> {
        let fail = |problem: &'static str| ExpressionError::new(at, problem);
        let initial = self.numeric(initial.clone(), at)?;
        if initial.count() == 0 {
            return Err(fail("a persistent variable has at least one element from the first step on"));
        }
        let is_constant = self.known(&initial).is_some();
        let start = match is_constant {
            true => self.whole(&initial),
            false => self.whole(&self.numbers(&vec![0.0; initial.count()], initial.rows, initial.columns)),
        };
        let state = self.algebra.persistent(start).map_err(fail)?;
        let state = Value::whole(state, initial.rows, initial.columns).is_logical(initial.is_logical);
        self.kept.borrow_mut().push((key.to_owned(), state.clone()));
        match is_constant {
            true => Ok(state),
            false => self.selected(&Value::scalar(self.algebra.is_first()), &initial, &state, at),
        }
    }

    fn declare(
        &self,
        variables: &[(String, Option<Expression>)],
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Result<(), ExpressionError> {
        for (name, initial) in variables {
            let key = format!("{} {name}", scope.function);
            if scope.locals.contains_key(name) {
                let problem = format!("“{name}” is set already; a persistent variable is declared first");
                return Err(ExpressionError::new(at, problem));
            }
            if let Some(initial) = initial
                && !scope.statics.contains_key(&key)
            {
                let initial = self.of(initial, scope)?;
                let value = self.keep(&key, &initial, at)?;
                scope.statics.insert(key.clone(), value);
            }
            scope.persistent.insert(name.clone(), key);
        }
        Ok(())
    }

    fn branch(
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
    fn merged(
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
                Some(no) => Variable { value: self.one_of(&name, on, yes.value, no.value, at)?, unset: false },
                None => Variable { unset: true, ..yes },
            };
            merged.locals.insert(name, variable);
        }
        merged.locals.extend(others.into_iter().map(|(name, no)| (name, Variable { unset: true, ..no })));
        let mut others = no.statics;
        for (key, yes) in yes.statics {
            let value = match others.remove(&key).or_else(|| self.start_of(&key)) {
                Some(no) => self.one_of(name_of(&key), on, yes, no, at)?,
                None => yes,
            };
            merged.statics.insert(key, value);
        }
        for (key, no) in others {
            let value = match self.start_of(&key) {
                Some(yes) => self.one_of(name_of(&key), on, yes, no, at)?,
                None => no,
            };
            merged.statics.insert(key, value);
        }
        Ok(merged)
    }

    /// The value of a persistent variable at the start of the step.
    fn start_of(&self, key: &str) -> Option<Value<A::Value>> {
        self.kept.borrow().iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
    }

    fn is_same(&self, a: &Value<A::Value>, b: &Value<A::Value>) -> bool {
        if (a.rows, a.columns) != (b.rows, b.columns) || a.as_text() != b.as_text() {
            return false;
        }
        let (a, b) = (self.elements(a), self.elements(b));
        a.iter().zip(&b).all(|(a, b)| self.algebra.is_same(a, b))
    }

    /// Returns the value of a variable where a condition holds, and where not.
    fn one_of(&self, name: &str, on: &A::Value, yes: Value<A::Value>, no: Value<A::Value>, at: usize) -> Evaluated<A> {
        if self.is_same(&yes, &no) {
            return Ok(yes);
        }
        if (yes.rows, yes.columns) != (no.rows, no.columns) || yes.as_text().is_some() || no.as_text().is_some() {
            let what = |value: &Value<A::Value>| match value.as_text() {
                Some(text) => format!("the text “{text}”"),
                None => value.size_text(),
            };
            let problem = format!(
                "“{name}” is {} where the condition holds and {} where not; give it one size",
                what(&yes),
                what(&no)
            );
            return Err(ExpressionError::new(at, problem));
        }
        self.selected(&Value::scalar(on.clone()), &yes, &no, at)
    }

    fn repeat_for(
        &self,
        name: &str,
        range: &Expression,
        body: &[Statement],
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Done<A> {
        let mut rounds = self.rounds(range, scope)?.into_iter();
        self.repeat(body, at, scope, |scope| {
            let next = rounds.next();
            next.iter().for_each(|value| scope.set(name, value.clone()));
            Ok(next.is_some())
        })
    }

    /// Returns the values of the variable of a loop: the columns of a matrix.
    fn rounds(&self, range: &Expression, scope: &mut Scope<A::Value>) -> Result<Vec<Value<A::Value>>, ExpressionError> {
        if let Kind::Range(parts) = &range.kind {
            let [first, step, last] = self.bounds(parts, scope)?;
            let count = self.range_length(first, step, last, range.at)?;
            return Ok((0..count).map(|round| self.number(first + round as f64 * step)).collect());
        }
        let value = self.numeric(self.of(range, scope)?, range.at)?;
        let each = self.elements(&value);
        let column = |column: usize| {
            let all = (0..value.rows).map(|row| each[row * value.columns + column].clone()).collect();
            self.made(all, value.rows, 1)
        };
        Ok((0..value.columns).map(column).collect())
    }

    fn repeat_while(
        &self,
        condition: &Expression,
        body: &[Statement],
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Done<A> {
        self.repeat(body, at, scope, |scope| {
            let value = self.condition(&Test::Condition(condition), at, scope)?;
            self.known_scalar(&value).map(|known| known != 0.0).ok_or_else(|| {
                let problem = "how often this loop runs must be known before the run; write for k = 1:n … \
                               if …, break, end … end with the most rounds it may take";
                ExpressionError::new(condition.at, problem)
            })
        })
    }

    /// Takes out the exits that end here. The others are reached only where none of those was before.
    fn apart(&self, exits: Vec<Exit<A::Value>>, leaves: Leaves) -> (Vec<Exit<A::Value>>, Vec<Exit<A::Value>>) {
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
        (ending, others)
    }

    /// Runs the rounds of a loop, as long as `begin` begins one.
    fn repeat(
        &self,
        body: &[Statement],
        at: usize,
        scope: &mut Scope<A::Value>,
        mut begin: impl FnMut(&mut Scope<A::Value>) -> Result<bool, ExpressionError>,
    ) -> Done<A> {
        // The places where the loop or the function is left.
        let mut left: Vec<Exit<A::Value>> = Vec::new();
        let mut is_over = false;
        let guards = self.guards.borrow().len();
        for round in 0.. {
            if round == MAX_ROUNDS {
                let problem = format!("this loop does not end after {MAX_ROUNDS} rounds");
                return Err(ExpressionError::new(at, problem));
            }
            self.spend(1, at)?;
            if !begin(scope)? {
                break;
            }
            let end = self.block(body, scope)?;
            let (rounds, exits) = self.apart(end.exits, Leaves::Round);
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
        let (loops, exits) = self.apart(left, Leaves::Loop);
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

    /// Ends the run with a message where `on` is nonzero and the statement is reached.
    pub fn stop(&self, on: A::Value, message: &str) {
        let reached =
            self.guards.borrow().iter().fold(on, |on, guard| self.algebra.binary(Binary::And, on, guard.clone()));
        self.algebra.stop(reached, message);
    }
}
