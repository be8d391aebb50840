//! Runs the statements of code.
//!
//! What is known before the run decides at once: loops with a known number of rounds are written out, and of branches with
//! a known condition only one is left. Where a condition changes in the run, both branches are computed, and each variable
//! gets the value of the one that holds. Where such a branch leaves a round, a loop or the function, the variables at that
//! place are set aside, and the remaining statements run as if it had not; the end chooses between them.

use super::branches::{Branches, Test};
use super::evaluate::{Algebra, Evaluator};
use super::index::MANY_CHOSEN;
use super::notes::Shape;
use super::scope::{End, Exit, Leaves, Scope};
pub use super::statements::Program;
use super::statements::{FunctionDef, Statement, StatementKind, Target};
use super::value::Value;
use super::{Binary, Expression, ExpressionError, Kind, Unary};

/// The results of code.
pub struct Run<V> {
    /// The results of the first function, in their order.
    pub outputs: Vec<Value<V>>,
    /// The next values of the persistent variables, in the order in which [`Algebra::persistent`] was asked for them.
    pub next: Vec<Value<V>>,
    /// The persistent variables in this order, by function and name.
    pub kept: Vec<(String, Shape)>,
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
    let shapes = kept.iter().map(|(key, before)| (key.clone(), Shape::of(before))).collect();
    for (key, before) in kept {
        let after = scope.statics.get(&key).cloned().unwrap_or_else(|| before.clone());
        if !before.is_like(&after) {
            let name = name_of(&key);
            let (before, after) = (before.kind_text(), after.kind_text());
            let problem = format!(
                "the persistent variable “{name}” is {before} and becomes {after}; its size and class are fixed"
            );
            return Err(ExpressionError::new(main.at, problem));
        }
        // In the order of the fields at the start.
        for leaf in before.ordered_as(&after).leaves() {
            next.push(evaluator.numeric(leaf.clone(), main.at)?);
        }
    }
    Ok(Run { outputs, next, kept: shapes })
}

/// Returns the name of a persistent variable by its key, which begins with the function.
pub(super) fn name_of(key: &str) -> &str {
    key.rsplit(' ').next().unwrap_or(key)
}

pub(super) type Done<A> = Result<End<<A as Algebra>::Value>, ExpressionError>;

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
            self.note_set(function.at, name, &value);
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
    pub(super) fn block(&self, statements: &[Statement], scope: &mut Scope<A::Value>) -> Done<A> {
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

    pub(super) fn not(&self, of: A::Value) -> A::Value {
        self.algebra.unary(Unary::Not, of)
    }

    pub(super) fn and(&self, a: A::Value, b: A::Value) -> A::Value {
        self.algebra.binary(Binary::And, a, b)
    }

    /// The end of a statement that leaves something.
    fn leave(&self, leaves: Leaves, scope: &Scope<A::Value>) -> End<A::Value> {
        End { exits: vec![Exit { leaves, on: None, scope: scope.clone() }], is_over: true }
    }

    fn statement(&self, statement: &Statement, scope: &mut Scope<A::Value>) -> Done<A> {
        let at = statement.at;
        self.spend(1, at)?;
        self.note_reached(at);
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
        // x(2) = [] takes an element out.
        let deletes = matches!(&value.kind, Kind::Vector(rows) if rows.is_empty());
        let values = match (&value.kind, targets) {
            (_, [target]) if target.index.is_some() => {
                let chosen = self.chosen(value, scope)?;
                if let Some(on) = &chosen.on {
                    return self.assign_chosen(target, (&chosen.value, on), (at, value.at), scope);
                }
                vec![chosen.value]
            }
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
        for (target, value) in targets.iter().zip(values) {
            let Some(name) = &target.name else { continue };
            if super::Function::by_name(name).is_some_and(|function| function.is_keyword()) {
                let problem = format!("“{name}” is a reserved name; choose another one");
                return Err(ExpressionError::new(target.at, problem));
            }
            let value = match &target.index {
                None => value,
                Some(parts) if deletes => {
                    let before = self.before(name, target.at, scope)?;
                    let before = before.unwrap_or_else(|| Value::empty(0, 0));
                    self.without_elements(name, &before, parts, at, scope)?
                }
                Some(parts) => {
                    let before = self.before(name, target.at, scope)?;
                    self.with_elements(name, before, parts, &value, at, scope)?
                }
            };
            self.note_set(at, name, &value);
            self.set(name, value, target.at, scope)?;
        }
        Ok(())
    }

    /// Assigns elements that a condition of the run chooses to those of a variable that the same condition chooses.
    fn assign_chosen(
        &self,
        target: &Target,
        chosen: (&Value<A::Value>, &[A::Value]),
        (at, value_at): (usize, usize),
        scope: &mut Scope<A::Value>,
    ) -> Result<(), ExpressionError> {
        let (Some(name), Some(parts)) = (&target.name, &target.index) else {
            return Err(ExpressionError::new(value_at, MANY_CHOSEN));
        };
        let before = self.before(name, target.at, scope)?;
        let value = self.with_chosen(name, before, parts, chosen, at, scope)?;
        self.note_set(at, name, &value);
        self.set(name, value, target.at, scope)
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
        let kept = scope.statics.len();
        let last = if end.is_over { end.exits.last().map(|exit| &exit.scope) } else { Some(&first) };
        for (key, initial) in last.into_iter().flat_map(|last| &last.statics) {
            if !scope.statics.contains_key(key) {
                if self.partly_set.borrow().contains(key) {
                    let name = name_of(key);
                    let problem =
                        format!("“{name}” is not set in each branch here; in the first step it needs a value");
                    return Err(ExpressionError::new(at, problem));
                }
                let value = self.keep(key, initial, at)?;
                scope.statics.insert(key.clone(), value);
            }
        }
        if scope.statics.len() == kept {
            // It is set nowhere here: each step does the same.
            *scope = first;
            return Ok(end);
        }
        if self.is_watched() {
            // It is the first step.
            *scope = first;
            return Ok(end);
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
                    let value = self.one_of(name, &on, &then.value, &later.value, at)?;
                    scope.set(name, value);
                }
            }
        }
        end.exits.extend(later.exits);
        Ok(End { exits: end.exits, is_over: later.is_over })
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

    /// The value of a persistent variable at the start of the step.
    pub(super) fn start_of(&self, key: &str) -> Option<Value<A::Value>> {
        self.kept.borrow().iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
    }

    /// Ends the run with a message that names the line.
    pub fn stop_at(&self, on: A::Value, message: &str, at: usize) {
        match self.program {
            Some(program) => self.stop(on, &format!("line {}: {message}", program.line_of(at))),
            None => self.stop(on, message),
        }
    }

    /// Ends the run with a message where `on` is nonzero and the statement is reached.
    pub fn stop(&self, on: A::Value, message: &str) {
        let reached =
            self.guards.borrow().iter().fold(on, |on, guard| self.algebra.binary(Binary::And, on, guard.clone()));
        self.note_stop(&reached, message);
        self.algebra.stop(reached, message);
    }
}
