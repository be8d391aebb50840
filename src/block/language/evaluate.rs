//! The evaluation of expressions, to numbers or to instructions.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use super::class::Class;
use super::notes::Notes;
use super::run::Program;
use super::scope::Scope;
use super::value::{Elements, Value};
use super::{Binary, Expression, ExpressionError, Infix, Kind, Unary, VariableError, constant};
use crate::block::limits::MAX_WORK;

/// The elements of an evaluation and the operations on them. An element may be a vector, which is flat.
pub trait Algebra {
    type Value: Clone;

    fn number(&self, number: f64) -> Self::Value;

    /// Returns the value of a name and its number of rows; none if the name is unknown.
    ///
    /// # Errors
    /// Fails if the name is known but has no valid value.
    fn name(&self, name: &str) -> Result<Option<(Self::Value, usize)>, VariableError>;

    fn width(&self, value: &Self::Value) -> usize;

    /// Returns the value of a constant scalar.
    fn known(&self, value: &Self::Value) -> Option<f64>;

    /// Whether the value is no constant, and only a change of a parameter changes it, so that it could be known.
    fn is_settled(&self, _value: &Self::Value) -> bool {
        false
    }

    /// Whether both are the same value, known without a comparison in the run.
    fn is_same(&self, a: &Self::Value, b: &Self::Value) -> bool;

    fn unary(&self, op: Unary, a: Self::Value) -> Self::Value;

    /// Applies an operation to values of matching widths.
    fn binary(&self, op: Binary, a: Self::Value, b: Self::Value) -> Self::Value;

    /// Returns `yes` where `on` is nonzero, else `no`, of values of matching widths.
    fn select(&self, on: Self::Value, yes: Self::Value, no: Self::Value) -> Self::Value;

    /// Concatenates values.
    fn join(&self, parts: &[Self::Value]) -> Self::Value;

    /// Returns `width` elements from `start` on.
    fn slice(&self, of: &Self::Value, start: usize, width: usize) -> Self::Value;

    /// Reduces all elements to one, from first to last.
    fn fold(&self, op: Binary, a: Self::Value) -> Self::Value;

    /// Returns the elements at `index`, counted from 0 and limited to the vector.
    fn pick(&self, of: Self::Value, index: Self::Value) -> Self::Value;

    /// Returns the known names, for messages.
    fn names(&self) -> Vec<String>;

    /// Returns the value that a persistent variable has at the start of a step, or why there is none.
    ///
    /// # Errors
    /// Fails if the evaluation is no step, or the initial value is not constant.
    fn persistent(&self, _initial: Self::Value) -> Result<Self::Value, &'static str> {
        Err("a persistent variable needs a block, which keeps it between steps")
    }

    /// Returns 1 in the first step, else 0.
    fn is_first(&self) -> Self::Value {
        self.number(1.0)
    }

    /// The rounds of a loop that decides in the run how often it runs, at most.
    fn loop_limit(&self) -> usize {
        100
    }

    /// Ends the run with a message in a step where `on` is nonzero.
    fn stop(&self, _on: Self::Value, _message: &str) {}
}

/// Evaluates an expression.
///
/// # Errors
/// Fails if a name is unknown, widths do not match or a limit is exceeded.
pub fn evaluate<A: Algebra>(expression: &Expression, algebra: &A) -> Result<Value<A::Value>, ExpressionError> {
    Evaluator::new(algebra, None).of(expression, &mut Scope::default())
}

/// Elements of a matrix up to which code holds them one by one.
pub(super) const MAX_EACH: usize = 64;

/// Nested expressions and calls, each of which takes stack space.
const MAX_NESTING: usize = 300;

pub(super) struct Evaluator<'a, A: Algebra> {
    pub algebra: &'a A,
    /// The code that is run; none for the expression of a parameter or formula, in which every value is a vector without
    /// direction, operators work element by element, and functions reduce all elements.
    pub program: Option<&'a Program>,
    /// The number of elements computed so far.
    work: Cell<usize>,
    nesting: Cell<usize>,
    /// For `end` in arguments: the rows and columns of the variable, the number of the argument and of all arguments.
    pub ends: RefCell<Vec<[usize; 4]>>,
    /// The conditions under which the statement that runs is reached.
    pub guards: RefCell<Vec<A::Value>>,
    /// Whether a persistent variable was read that has no value yet.
    pub met_unset: Cell<bool>,
    /// The persistent variables that only one side of a branch has given an initial value.
    pub partly_set: RefCell<BTreeSet<String>>,
    /// Whether the branches are run that give persistent variables their initial values.
    pub is_initial: Cell<bool>,
    /// The persistent variables that the block keeps, with their values at the start of a step.
    pub kept: RefCell<Vec<(String, Value<A::Value>)>>,
    /// The notes for an editor that follows the code, which runs with the numbers of a step then.
    pub notes: Option<Notes<A::Value>>,
}

pub(super) type Evaluated<A> = Result<Value<<A as Algebra>::Value>, ExpressionError>;

impl<'a, A: Algebra> Evaluator<'a, A> {
    pub fn new(algebra: &'a A, program: Option<&'a Program>) -> Evaluator<'a, A> {
        Evaluator {
            algebra,
            program,
            work: Cell::new(0),
            nesting: Cell::new(0),
            ends: RefCell::default(),
            guards: RefCell::default(),
            met_unset: Cell::new(false),
            partly_set: RefCell::default(),
            is_initial: Cell::new(false),
            kept: RefCell::default(),
            notes: None,
        }
    }

    pub fn is_code(&self) -> bool {
        self.program.is_some()
    }

    /// Runs what is nested in something else.
    pub fn nested<T>(&self, at: usize, run: impl FnOnce() -> Result<T, ExpressionError>) -> Result<T, ExpressionError> {
        if self.nesting.get() >= MAX_NESTING {
            return Err(ExpressionError::new(
                at,
                "this is nested too deeply: at most 300 calls, branches and brackets, of functions that call each other too",
            ));
        }
        self.nesting.set(self.nesting.get() + 1);
        let result = run();
        self.nesting.set(self.nesting.get() - 1);
        result
    }

    pub fn of(&self, expression: &Expression, scope: &mut Scope<A::Value>) -> Evaluated<A> {
        self.nested(expression.at, || self.kind(expression, scope))
    }

    fn kind(&self, expression: &Expression, scope: &mut Scope<A::Value>) -> Evaluated<A> {
        let at = expression.at;
        Ok(match &expression.kind {
            Kind::Number(number) => self.number(*number),
            Kind::Text(text) => Value::text(text),
            Kind::Name(name) => self.name(name, at, scope)?,
            Kind::Unary(op, of) => {
                let of = self.numeric(self.of(of, scope)?, at)?;
                self.unary(*op, &of, at)?
            }
            Kind::Binary(first, rest) => {
                let mut all = self.of(first, scope)?;
                for (op, part) in rest {
                    all = match self.decided(*op, &all) {
                        Some(decided) => decided,
                        None => self.infix(*op, all, self.of(part, scope)?, at)?,
                    };
                }
                all
            }
            Kind::Transpose(of) => {
                let of = self.numeric(self.of(of, scope)?, at)?;
                self.transposed(&of, at)?
            }
            Kind::Choose(parts) => self.choose([&parts[0], &parts[1], &parts[2]], at, scope)?,
            Kind::Vector(rows) => self.rows(rows, at, scope)?,
            Kind::Range(parts) => {
                let ([first, step, last], class) = self.bounds(parts, scope)?;
                self.range(first, step, last, at)?.of_class(class)
            }
            Kind::Call(function, parts) => {
                let mut results = self.call(function, parts, 1, at, scope)?;
                results.swap_remove(0)
            }
            Kind::Apply(name, parts) => self.apply(name, parts, at, scope)?,
            Kind::All => {
                return Err(ExpressionError::new(
                    at,
                    "“:” alone stands for all elements in the brackets of a variable",
                ));
            }
            Kind::End => match self.ends.borrow().last() {
                Some(&[rows, columns, number, count]) => self.number(match (number, count) {
                    (_, 1) => rows * columns,
                    (0, _) => rows,
                    _ => columns,
                } as f64),
                None => {
                    return Err(ExpressionError::new(at, "“end” is the last element in the brackets of a variable"));
                }
            },
        })
    }

    /// Evaluates a name with arguments: elements of a variable, or a call.
    fn apply(&self, name: &str, parts: &[Expression], at: usize, scope: &mut Scope<A::Value>) -> Evaluated<A> {
        if self.is_variable(name, scope) {
            let of = self.name(name, at, scope)?;
            return self.indexed(name, &of, parts, at, scope);
        }
        let mut results = self.call_by_name(name, parts, 1, at, scope)?;
        match results.is_empty() {
            true => Err(ExpressionError::new(at, format!("“{name}” has no result"))),
            false => Ok(results.swap_remove(0)),
        }
    }

    /// Whether a name is a variable here, and no function.
    pub(super) fn is_variable(&self, name: &str, scope: &Scope<A::Value>) -> bool {
        !self.is_code() || scope.has(name) || self.is_outer(name)
    }

    fn is_outer(&self, name: &str) -> bool {
        self.algebra.name(name).is_ok_and(|known| known.is_some())
    }

    /// Adds to the number of computed elements.
    pub fn spend(&self, elements: usize, at: usize) -> Result<(), ExpressionError> {
        self.work.set(self.work.get().saturating_add(elements));
        match self.work.get() > MAX_WORK {
            true => {
                Err(ExpressionError::new(at, format!("too large: more than {MAX_WORK} elements would be computed")))
            }
            false => Ok(()),
        }
    }

    pub fn number(&self, number: f64) -> Value<A::Value> {
        Value::scalar(self.algebra.number(number))
    }

    pub fn truth(&self, is: bool) -> Value<A::Value> {
        self.number(f64::from(u8::from(is))).of_class(Class::Logical)
    }

    /// Returns a matrix of known numbers, row after row.
    pub fn numbers(&self, numbers: &[f64], rows: usize, columns: usize) -> Value<A::Value> {
        let each: Vec<A::Value> = numbers.iter().map(|number| self.algebra.number(*number)).collect();
        self.made(each, rows, columns)
    }

    /// Returns a matrix of these elements, row after row.
    pub fn made(&self, each: Vec<A::Value>, rows: usize, columns: usize) -> Value<A::Value> {
        match each.len() {
            count if count > 1 && (!self.is_code() || count > MAX_EACH) => {
                Value::whole(self.algebra.join(&each), rows, columns)
            }
            _ => Value::each(each, rows, columns),
        }
    }

    /// Refuses a text or a structure where a number is required.
    pub fn numeric(&self, value: Value<A::Value>, at: usize) -> Evaluated<A> {
        match value.as_text() {
            Some(text) => Err(ExpressionError::new(at, format!("the text “{text}” is no number"))),
            None if value.fields().is_some() => {
                let fields = super::some_names(&value.field_names());
                Err(ExpressionError::new(at, format!("a structure is no number; take one of its fields {fields}")))
            }
            None => Ok(value),
        }
    }

    /// Returns all elements as one value, of a matrix that is not empty.
    pub fn whole(&self, value: &Value<A::Value>) -> A::Value {
        match &value.of {
            Elements::Whole(of) => of.clone(),
            Elements::Each(each) => self.algebra.join(each),
            Elements::Text(_) | Elements::Fields(_) => self.algebra.number(f64::NAN),
        }
    }

    /// Returns the elements one by one, row after row.
    pub fn elements(&self, value: &Value<A::Value>) -> Vec<A::Value> {
        match &value.of {
            Elements::Whole(of) if value.count() == 1 => vec![of.clone()],
            Elements::Whole(of) => (0..value.count()).map(|index| self.algebra.slice(of, index, 1)).collect(),
            Elements::Each(each) => each.to_vec(),
            Elements::Text(_) | Elements::Fields(_) => Vec::new(),
        }
    }

    /// Returns the numbers of a matrix of constants, row after row.
    pub fn known(&self, value: &Value<A::Value>) -> Option<Vec<f64>> {
        self.elements(value).iter().map(|element| self.algebra.known(element)).collect()
    }

    pub fn known_scalar(&self, value: &Value<A::Value>) -> Option<f64> {
        match &value.of {
            Elements::Whole(of) if value.count() == 1 => self.algebra.known(of),
            _ => None,
        }
    }

    pub(super) fn name(&self, name: &str, at: usize, scope: &mut Scope<A::Value>) -> Evaluated<A> {
        if let Some(value) = self.variable_at(name, at, scope)? {
            self.spend(value.count(), at)?;
            return Ok(value);
        }
        match self.algebra.name(name) {
            Ok(Some((value, rows))) => {
                let width = self.algebra.width(&value);
                self.spend(width, at)?;
                let rows = if rows > 0 && width.is_multiple_of(rows) { rows } else { 1 };
                Ok(Value::whole(value, rows, width / rows))
            }
            Err(error) => Err(ExpressionError::new(at, error.to_string())),
            Ok(None) => match (constant(name), self.is_code()) {
                (Some(number), _) => Ok(self.number(number)),
                (None, true) if !name.contains('.') => {
                    if let Some(value) = super::constant_of_code(name) {
                        let class = if matches!(name, "true" | "false") { Class::Logical } else { Class::Double };
                        return Ok(self.number(value).of_class(class));
                    }
                    let mut results = self.call_by_name(name, &[], 1, at, scope)?;
                    match results.is_empty() {
                        true => Err(ExpressionError::new(at, format!("“{name}” has no result"))),
                        false => Ok(results.swap_remove(0)),
                    }
                }
                (None, _) => Err(self.unknown(name, at, scope)),
            },
        }
    }

    /// The error of an unknown name, with those that are known.
    pub fn unknown(&self, name: &str, at: usize, scope: &Scope<A::Value>) -> ExpressionError {
        let known: Vec<String> = scope.names().chain(self.algebra.names()).collect();
        ExpressionError::unknown(at, name, &known)
    }

    /// Evaluates an expression that must be a constant scalar.
    pub fn single(&self, expression: &Expression, scope: &mut Scope<A::Value>) -> Result<f64, ExpressionError> {
        let value = self.of(expression, scope)?;
        self.constant(&value, expression.at)
    }

    fn constant(&self, value: &Value<A::Value>, at: usize) -> Result<f64, ExpressionError> {
        let problem = "a single number that does not change during a run is required here";
        self.known_scalar(value).ok_or_else(|| ExpressionError::new(at, problem))
    }

    /// Evaluates the first value, the step and the last value of a range.
    pub fn bounds(
        &self,
        parts: &[Expression; 3],
        scope: &mut Scope<A::Value>,
    ) -> Result<([f64; 3], Class), ExpressionError> {
        let (mut numbers, mut class) = ([0.0; 3], Class::Double);
        for (part, number) in parts.iter().zip(&mut numbers) {
            let value = self.of(part, scope)?;
            *number = self.constant(&value, part.at)?;
            class = self.common_class(class, value.class, part.at)?;
        }
        if class.is_integer() && numbers[1].fract() != 0.0 {
            return Err(ExpressionError::new(parts[1].at, "the step of a range of integers is an integer"));
        }
        Ok((numbers, class))
    }

    /// Returns the result of `&&` or `||` that the first operand decides alone.
    pub(super) fn decided(&self, op: Infix, first: &Value<A::Value>) -> Option<Value<A::Value>> {
        let known = self.known_scalar(first).filter(|_| self.is_code())? != 0.0;
        match op {
            Infix::Each(Binary::And) if !known => Some(self.truth(false)),
            Infix::Each(Binary::Or) if known => Some(self.truth(true)),
            _ => None,
        }
    }

    pub fn infix(&self, op: Infix, a: Value<A::Value>, b: Value<A::Value>, at: usize) -> Evaluated<A> {
        let (a, b) = (self.numeric(a, at)?, self.numeric(b, at)?);
        match op {
            Infix::Each(op) => self.each(op, &a, &b, at),
            Infix::Product => self.product(&a, &b, at),
            Infix::RightDivide => self.right_divided(&a, &b, at),
            Infix::LeftDivide => self.left_divided(&a, &b, at),
            Infix::Power => self.power(&a, &b, at),
            Infix::Range => Err(ExpressionError::new(at, "a range is not allowed here")),
        }
    }

    /// Applies a function of elements.
    pub fn mapped(&self, a: &Value<A::Value>, f: impl Fn(A::Value) -> A::Value) -> Value<A::Value> {
        match &a.of {
            Elements::Whole(of) => Value::whole(f(of.clone()), a.rows, a.columns),
            Elements::Each(each) => Value::each(each.iter().cloned().map(f).collect(), a.rows, a.columns),
            Elements::Text(_) | Elements::Fields(_) => a.clone(),
        }
    }

    /// Applies an operation element by element, with scalars expanded, in code also single rows and columns.
    pub fn each(&self, op: Binary, a: &Value<A::Value>, b: &Value<A::Value>, at: usize) -> Evaluated<A> {
        let is_truth = matches!(
            op,
            Binary::Lt
                | Binary::Le
                | Binary::Gt
                | Binary::Ge
                | Binary::Eq
                | Binary::Ne
                | Binary::And
                | Binary::Or
                | Binary::Xor
        );
        // What a known operand decides is no instruction.
        if self.is_code()
            && let (Binary::And | Binary::Or, 1, 1) = (op, a.count(), b.count())
        {
            for (known, other) in [(a, b), (b, a)] {
                match (op, self.known_scalar(known).map(|known| known != 0.0)) {
                    (Binary::And, Some(false)) => return Ok(self.truth(false)),
                    (Binary::Or, Some(true)) => return Ok(self.truth(true)),
                    (_, Some(_)) if other.is_logical() => return Ok(other.clone()),
                    _ => {}
                }
            }
        }
        if is_truth {
            // A double that is compared with a single is rounded first, and integers are compared exactly.
            let is_single = !matches!(op, Binary::And | Binary::Or | Binary::Xor)
                && [a, b].iter().any(|of| of.class == Class::Single)
                && ![a, b].iter().any(|of| of.class.is_integer());
            let rounded = |of| if is_single { self.converted(of, Class::Single, at) } else { Ok(of.clone()) };
            let made = self.combined(&rounded(a)?, &rounded(b)?, at, |a, b| Ok(self.algebra.binary(op, a, b)))?;
            return Ok(made.of_class(Class::Logical));
        }
        let classes = [a.class, b.class];
        let made = self.combined(a, b, at, |a, b| self.arithmetic(op, [a, b], classes, at))?;
        Ok(made.of_class(self.common_class(a.class, b.class, at)?))
    }

    /// Combines the elements of two matrices.
    pub fn combined(
        &self,
        a: &Value<A::Value>,
        b: &Value<A::Value>,
        at: usize,
        f: impl Fn(A::Value, A::Value) -> Result<A::Value, ExpressionError>,
    ) -> Evaluated<A> {
        let (rows, columns) = self.common_size(a, b, at)?;
        let count = rows * columns;
        self.spend(count, at)?;
        if count == 0 {
            return Ok(Value::empty(rows, columns));
        }
        let is_plain = |of: &Value<A::Value>| of.count() == 1 || of.count() == count;
        let is_whole = |of: &Value<A::Value>| matches!(of.of, Elements::Whole(_));
        if is_plain(a) && is_plain(b) && (is_whole(a) && is_whole(b) || count > MAX_EACH) {
            return Ok(Value::whole(f(self.whole(a), self.whole(b))?, rows, columns));
        }
        let place = |of: &Value<A::Value>, row: usize, column: usize| {
            let row = if of.rows == 1 { 0 } else { row };
            row * of.columns + if of.columns == 1 { 0 } else { column }
        };
        let (left, right) = (self.elements(a), self.elements(b));
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let each =
            places.map(|(row, column)| f(left[place(a, row, column)].clone(), right[place(b, row, column)].clone()));
        Ok(self.made(each.collect::<Result<_, _>>()?, rows, columns))
    }

    fn common_size(
        &self,
        a: &Value<A::Value>,
        b: &Value<A::Value>,
        at: usize,
    ) -> Result<(usize, usize), ExpressionError> {
        if self.is_code() {
            let meet = |a: usize, b: usize| match (a, b) {
                (1, other) | (other, 1) => Some(other),
                (a, b) => (a == b).then_some(a),
            };
            return meet(a.rows, b.rows).zip(meet(a.columns, b.columns)).ok_or_else(|| {
                let problem = format!("a matrix of {} does not match one of {}", a.size_text(), b.size_text());
                ExpressionError::new(at, problem)
            });
        }
        match (a.count(), b.count()) {
            (1, _) => Ok((b.rows, b.columns)),
            (_, 1) => Ok((a.rows, a.columns)),
            (left, right) if left == right => {
                let tall = if a.rows >= b.rows { a } else { b };
                Ok((tall.rows, tall.columns))
            }
            (left, right) => {
                Err(ExpressionError::new(at, format!("a vector of {left} elements does not match one of {right}")))
            }
        }
    }

    /// Returns `yes` where `on` is nonzero, else `no`.
    pub fn selected(
        &self,
        on: &Value<A::Value>,
        yes: &Value<A::Value>,
        no: &Value<A::Value>,
        at: usize,
    ) -> Evaluated<A> {
        let (rows, columns) = self.common_size(yes, no, at)?;
        let shape = Value::<A::Value>::empty(0, 0);
        let shape = Value { rows, columns, ..shape };
        let (rows, columns) = self.common_size(on, &shape, at)?;
        self.spend(rows * columns, at)?;
        let class = Class::of_parts([yes.class, no.class]);
        let (yes, no) = (&self.converted(yes, class, at)?, &self.converted(no, class, at)?);
        let parts = [on, yes, no];
        let is_whole = |of: &&Value<A::Value>| matches!(of.of, Elements::Whole(_));
        let made = if parts.iter().all(is_whole) || rows * columns > MAX_EACH {
            let select = self.algebra.select(self.whole(on), self.whole(yes), self.whole(no));
            Value::whole(select, rows, columns)
        } else {
            let all = parts.map(|part| self.elements(part));
            let element = |part: usize, index: usize| all[part].get(index).unwrap_or(&all[part][0]).clone();
            let select = |index: usize| {
                let (yes, no) = (element(1, index), element(2, index));
                match self.algebra.is_same(&yes, &no) {
                    true => yes,
                    false => self.algebra.select(element(0, index), yes, no),
                }
            };
            Value::each((0..rows * columns).map(select).collect(), rows, columns)
        };
        Ok(made.of_class(class))
    }

    fn choose(&self, parts: [&Expression; 3], at: usize, scope: &mut Scope<A::Value>) -> Evaluated<A> {
        let [on, yes, no] = parts.map(|part| self.of(part, scope).and_then(|value| self.numeric(value, at)));
        self.selected(&on?, &yes?, &no?, at)
    }
}
