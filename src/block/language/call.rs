//! Calls of functions.

use super::class::Class;
use super::evaluate::{Algebra, Evaluated, Evaluator};
use super::function::FunctionKind;
use super::scope::Scope;
use super::value::Value;
use super::{Binary, Expression, ExpressionError, Function, Unary, constant};
use crate::block::limits::MAX_ELEMENTS;

/// The results of a call, of which there may be none.
pub(super) type Results<A> = Result<Vec<Value<<A as Algebra>::Value>>, ExpressionError>;

/// The arguments before the name of a class, and the class.
type WithoutClass<'v, A> = (&'v [Value<<A as Algebra>::Value>], Class);

impl<A: Algebra> Evaluator<'_, A> {
    /// Calls a function of the code, or a known one.
    pub fn call_by_name(
        &self,
        name: &str,
        parts: &[Expression],
        results: usize,
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Results<A> {
        if let Some(function) = self.program.and_then(|program| program.function(name)) {
            let arguments = self.arguments(parts, scope)?;
            return self.call_function(function, arguments, results, at, scope);
        }
        if let Some(number) = constant(name) {
            let values = self.arguments(parts, scope)?;
            let (rows, columns) = self.size_of(&values, at)?;
            return Ok(vec![self.numbers(&vec![number; rows * columns], rows, columns)]);
        }
        if let Some(known) = self.hint(name, parts, scope)? {
            return Ok(known);
        }
        match Function::of_code(name) {
            Some(function) if !function.is_keyword() => {
                if let Some(problem) = function.problem_with(parts.len(), true) {
                    return Err(ExpressionError::new(at, problem));
                }
                self.call(function, parts, results, at, scope)
            }
            _ => Err(self.no_function(name, parts, at, scope)),
        }
    }

    /// Returns the results of what only tells a code generator something: nothing, or its argument.
    fn hint(
        &self,
        name: &str,
        parts: &[Expression],
        scope: &mut Scope<A::Value>,
    ) -> Result<Option<Vec<Value<A::Value>>>, ExpressionError> {
        match (name, parts) {
            ("coder.inline" | "coder.allowpcode" | "coder.unroll" | "coder.noImplicitExpansionInFunction", _) => {
                Ok(Some(Vec::new()))
            }
            ("coder.const" | "coder.nullcopy" | "coder.ignoreConst", [of]) => Ok(Some(vec![self.of(of, scope)?])),
            _ => Ok(None),
        }
    }

    fn no_function(&self, name: &str, parts: &[Expression], at: usize, scope: &Scope<A::Value>) -> ExpressionError {
        if let Some(instead) = instead_of(name) {
            return ExpressionError::new(at, format!("“{name}” is not known here: {instead}"));
        }
        let functions = super::FUNCTIONS.iter().map(|function| function.name.to_owned());
        let own = self.program.into_iter().flat_map(|program| &program.functions).map(|function| function.name.clone());
        let names: Vec<String> = functions.chain(own).chain(scope.names()).filter(|known| !known.is_empty()).collect();
        let near = names
            .iter()
            .map(|known| (strsim::damerau_levenshtein(known, name), known))
            .filter(|(distance, known)| *distance <= known.len() / 3)
            .min();
        let near = near.map(|(_, known)| format!("; do you mean “{known}”?")).unwrap_or_default();
        let what = if parts.is_empty() { "variable or function" } else { "function" };
        ExpressionError::new(at, format!("there is no {what} “{name}”{near}"))
    }

    pub fn call(
        &self,
        function: &Function,
        parts: &[Expression],
        results: usize,
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Results<A> {
        let one = |value: Evaluated<A>| value.map(|value| vec![value]);
        if let [part] = parts
            && self.is_code()
            && function.is_reduction()
        {
            let chosen = self.chosen(part, scope)?;
            return match chosen.on {
                Some(on) => self.reduced_chosen(function, &chosen.value, &on, results, at),
                None => self.call_with(function, vec![chosen.value], results, at),
            };
        }
        match (function.kind, parts) {
            (FunctionKind::Unary(op), [of]) => {
                let of = self.numeric(self.of(of, scope)?, at)?;
                one(self.unary(op, &of, at))
            }
            (FunctionKind::Length, [of]) => Ok(vec![self.number(self.of(of, scope)?.count() as f64)]),
            (FunctionKind::Fill(number), [count]) if !self.is_code() => {
                let count = self.count(count, scope)?;
                self.spend(count, at)?;
                Ok(vec![self.numbers(&vec![f64::from(number); count], 1, count)])
            }
            (FunctionKind::If, [on, yes, no]) => {
                let parts = [on, yes, no].map(|part| self.of(part, scope));
                let [on, yes, no] = parts;
                one(self.selected(&on?, &yes?, &no?, at))
            }
            (FunctionKind::Linspace, [first, last, rest @ ..]) => {
                let (first, last) = (self.single(first, scope)?, self.single(last, scope)?);
                let count = rest.first().map_or(Ok(100), |count| self.count(count, scope))?;
                self.spend(count, at)?;
                let part = |element: usize| if count == 1 { 1.0 } else { element as f64 / (count - 1) as f64 };
                let element = |element: usize| match element + 1 == count {
                    true => last,
                    false => first + part(element) * (last - first),
                };
                Ok(vec![self.numbers(&(0..count).map(element).collect::<Vec<_>>(), 1, count)])
            }
            (FunctionKind::Fill(number), parts) => {
                let values = self.arguments(parts, scope)?;
                let (sizes, class) = self.class_of(&values, at)?;
                let (rows, columns) = self.size_of(sizes, at)?;
                Ok(vec![self.numbers(&vec![f64::from(number); rows * columns], rows, columns).of_class(class)])
            }
            (FunctionKind::Cast(class), [of]) => one(self.of(of, scope).and_then(|of| self.converted(&of, class, at))),
            (_, parts) => self.call_with(function, self.arguments(parts, scope)?, results, at),
        }
    }

    /// Calls a function with the values of its arguments.
    fn call_with(
        &self,
        function: &Function,
        mut values: Vec<Value<A::Value>>,
        results: usize,
        at: usize,
    ) -> Results<A> {
        // sum(a, 'all') and max(a, [], 'all') take a matrix as one column.
        if values.len() > 1 && values.last().and_then(Value::as_text) == Some("all") {
            values.truncate(1);
            let count = values[0].count();
            let each = self.elements(&self.numeric(values[0].clone(), at)?);
            let ordered = self.by_column(&values[0]).into_iter().map(|place| each[place].clone());
            values[0] = self.made(ordered.collect(), count, 1).of_class(values[0].class);
        }
        match (function.kind, &values[..]) {
            (FunctionKind::Length, [of]) => {
                let length = if of.count() == 0 { 0 } else { of.rows.max(of.columns) };
                Ok(vec![self.number(length as f64)])
            }
            (FunctionKind::Code(of, ..), values) => self.call_of_code(of, values, results, at),
            (_, values) => self.call_values(function, values, results, at),
        }
    }

    fn call_values(&self, function: &Function, values: &[Value<A::Value>], results: usize, at: usize) -> Results<A> {
        for value in values {
            self.numeric(value.clone(), at)?;
        }
        let one = |value: Evaluated<A>| value.map(|value| vec![value]);
        match (function.kind, values) {
            (FunctionKind::Row(op), [of]) if self.is_code() => self.extremes(op, of, &[], results, at),
            // max(a, [], 2) along a direction.
            (FunctionKind::Row(op), [of, none, along]) if self.is_code() && none.count() == 0 => {
                self.extremes(op, of, std::slice::from_ref(along), results, at)
            }
            (FunctionKind::Fold(op), [of, rest @ ..]) if self.is_code() => {
                let along = self.direction(of, rest, at)?;
                one(self.reduced(of, along, at, |line| self.folded(op, line, at)))
            }
            (FunctionKind::Fold(op) | FunctionKind::Row(op), [of]) => {
                self.spend(of.count(), at)?;
                Ok(vec![Value::scalar(self.algebra.fold(op, self.whole(of)))])
            }
            (FunctionKind::Dot, [left, right]) => {
                // Of vectors the direction does not matter.
                let is_free = self.is_code() && left.is_vector() && right.is_vector() && left.count() == right.count();
                let right = if is_free { &right.clone().reshaped(left.rows, left.columns) } else { right };
                let products = self.each(Binary::Mul, left, right, at)?;
                one(self.folded(Binary::Add, &products, at))
            }
            (FunctionKind::Row(op), [first, rest @ ..]) if self.is_code() => {
                one(rest.iter().try_fold(first.clone(), |all, part| self.extreme_of(op, &all, part, at)))
            }
            (FunctionKind::Binary(op) | FunctionKind::Row(op), [first, rest @ ..]) => {
                one(rest.iter().try_fold(first.clone(), |all, part| self.each(op, &all, part, at)))
            }
            _ => Err(ExpressionError::new(at, format!("it is written {}", function.doc))),
        }
    }

    fn count(&self, expression: &Expression, scope: &mut Scope<A::Value>) -> Result<usize, ExpressionError> {
        let count = self.single(expression, scope)?;
        match count.fract() == 0.0 && (1.0..=MAX_ELEMENTS as f64).contains(&count) {
            true => Ok(count as usize),
            false => {
                let problem =
                    format!("{count} is not a number of elements; it must be an integer from 1 to {MAX_ELEMENTS}");
                Err(ExpressionError::new(expression.at, problem))
            }
        }
    }

    fn arguments(
        &self,
        parts: &[Expression],
        scope: &mut Scope<A::Value>,
    ) -> Result<Vec<Value<A::Value>>, ExpressionError> {
        parts.iter().map(|part| self.of(part, scope)).collect()
    }

    /// Returns the class that the last argument of a function such as zeros names, as 'int8' does, or 'like' a value.
    pub(super) fn class_of<'v>(
        &self,
        values: &'v [Value<A::Value>],
        at: usize,
    ) -> Result<WithoutClass<'v, A>, ExpressionError> {
        match values {
            [rest @ .., like, value] if like.as_text() == Some("like") => Ok((rest, value.class)),
            [rest @ .., last] if last.is_text() => match last.as_text().and_then(Class::by_name) {
                Some(class) => Ok((rest, class)),
                None => {
                    let name = last.as_text().unwrap_or_default();
                    Err(ExpressionError::new(at, format!("“{name}” is no class of numbers, such as 'int8'")))
                }
            },
            _ => Ok((values, Class::Double)),
        }
    }

    /// Returns the rows and columns that arguments such as `(n)`, `(m, n)` or `([m n])` mean; 1 by 1 for none.
    pub(super) fn size_of(&self, values: &[Value<A::Value>], at: usize) -> Result<(usize, usize), ExpressionError> {
        let mut sizes = Vec::new();
        for value in values {
            let value = self.numeric(value.clone(), at)?;
            let known = self.known(&value);
            for size in known.ok_or_else(|| ExpressionError::new(at, "a size must be known before the run"))? {
                if size.fract() != 0.0 || !(-1e9..=MAX_ELEMENTS as f64).contains(&size) {
                    let problem = format!("{size} is no size; it must be an integer from 0 to {MAX_ELEMENTS}");
                    return Err(ExpressionError::new(at, problem));
                }
                sizes.push(size.max(0.0) as usize);
            }
        }
        let (rows, columns) = match sizes[..] {
            [] => (1, 1),
            [size] => (size, size),
            [rows, columns] => (rows, columns),
            _ => return Err(ExpressionError::new(at, "a matrix has two sizes, rows and columns")),
        };
        let count = rows.checked_mul(columns).filter(|count| *count <= MAX_ELEMENTS);
        let problem = || ExpressionError::new(at, format!("too large: a matrix has at most {MAX_ELEMENTS} elements"));
        self.spend(count.ok_or_else(problem)?, at)?;
        Ok((rows, columns))
    }

    /// Returns the direction along which a function reduces: 1 down the columns, 2 along the rows.
    pub(super) fn direction(
        &self,
        of: &Value<A::Value>,
        rest: &[Value<A::Value>],
        at: usize,
    ) -> Result<usize, ExpressionError> {
        match rest {
            [] => Ok(if of.rows == 1 { 2 } else { 1 }),
            [along] => match self.known_scalar(along) {
                Some(1.0) => Ok(1),
                Some(2.0) => Ok(2),
                _ => Err(ExpressionError::new(at, "the direction is 1, down the columns, or 2, along the rows")),
            },
            _ => Err(ExpressionError::new(at, "there are too many arguments")),
        }
    }

    /// Returns the columns or rows of a matrix as vectors.
    pub(super) fn lines(&self, of: &Value<A::Value>, along: usize) -> Vec<Value<A::Value>> {
        if along == 2 && of.rows == 1 || along == 1 && of.columns == 1 {
            return vec![of.clone()];
        }
        let each = self.elements(of);
        let (rows, columns, class) = (of.rows, of.columns, of.class);
        let line = |places: Vec<usize>| {
            let count = places.len();
            let of: Vec<A::Value> = places.into_iter().map(|place| each[place].clone()).collect();
            self.made(of, 1, count).of_class(class)
        };
        match along {
            1 => (0..columns).map(|column| line((0..rows).map(|row| row * columns + column).collect())).collect(),
            _ => (0..rows).map(|row| line((0..columns).map(|column| row * columns + column).collect())).collect(),
        }
    }

    pub(super) fn reduced(
        &self,
        of: &Value<A::Value>,
        along: usize,
        at: usize,
        f: impl Fn(&Value<A::Value>) -> Evaluated<A>,
    ) -> Evaluated<A> {
        self.spend(of.count(), at)?;
        if of.count() == 0 {
            return f(of);
        }
        let reduced = self.lines(of, along).iter().map(f).collect::<Result<Vec<_>, _>>()?;
        let class = reduced.first().map_or(Class::Double, |first| first.class);
        let made: Vec<A::Value> = reduced.iter().map(|of| self.whole(of)).collect();
        let count = made.len();
        let made = if along == 1 { self.made(made, 1, count) } else { self.made(made, count, 1) };
        Ok(made.of_class(class))
    }

    /// Reduces all elements to one, from first to last.
    pub(super) fn folded(&self, op: Binary, of: &Value<A::Value>, at: usize) -> Evaluated<A> {
        let nothing = || match op {
            Binary::Mul | Binary::And => 1.0,
            _ => 0.0,
        };
        let class = match op {
            Binary::And | Binary::Or => Class::Logical,
            Binary::Min | Binary::Max => of.class,
            _ => of.class.of_sum(),
        };
        let is_rounded = class == Class::Single;
        let value = match of.count() {
            0 => self.algebra.number(nothing()),
            count
                if self.is_code()
                    && (count <= super::evaluate::MAX_EACH
                        || matches!(op, Binary::Min | Binary::Max)
                        || is_rounded) =>
            {
                let mut each = self.elements(of).into_iter();
                let first = each.next().unwrap_or_else(|| self.algebra.number(nothing()));
                each.try_fold(first, |all, next| match op {
                    Binary::Min | Binary::Max => Ok(self.extreme(op, all, next)),
                    Binary::And | Binary::Or => Ok(self.algebra.binary(op, all, next)),
                    _ => self.arithmetic(op, [all, next], [class, class], at),
                })?
            }
            _ => self.algebra.fold(op, self.whole(of)),
        };
        Ok(Value::scalar(value).of_class(class))
    }

    /// Returns the smaller or larger of two elements; not-a-number counts only where both are.
    fn extreme(&self, op: Binary, a: A::Value, b: A::Value) -> A::Value {
        let may_be_nan = |of: &A::Value| self.algebra.known(of).is_none_or(f64::is_nan);
        let mut chosen = self.algebra.binary(op, a.clone(), b.clone());
        for (one, other) in [(&b, &a), (&a, &b)] {
            if may_be_nan(one) {
                let is_nan = self.algebra.unary(Unary::IsNan, one.clone());
                chosen = self.algebra.select(is_nan, other.clone(), chosen);
            }
        }
        chosen
    }

    fn extreme_of(&self, op: Binary, a: &Value<A::Value>, b: &Value<A::Value>, at: usize) -> Evaluated<A> {
        let class = self.common_class(a.class, b.class, at)?;
        let (a, b) = (self.converted(a, class, at)?, self.converted(b, class, at)?);
        Ok(self.combined(&a, &b, at, |a, b| Ok(self.extreme(op, a, b)))?.of_class(class))
    }

    /// Returns 1 if all elements are nonzero, and there is one.
    pub fn all_of(&self, of: &Value<A::Value>, at: usize) -> Evaluated<A> {
        match of.count() {
            0 => Ok(self.truth(false)),
            1 => Ok(of.clone()),
            _ => {
                let truths = self.each(Binary::Ne, of, &self.number(0.0), at)?;
                self.folded(Binary::And, &truths, at)
            }
        }
    }

    /// Returns 1 where an element is a number and another one is not.
    pub(super) fn is_number_after(&self, of: &A::Value, other: &A::Value) -> A::Value {
        let is_nan = |of: &A::Value| self.algebra.unary(Unary::IsNan, of.clone());
        self.and(is_nan(other), self.not(is_nan(of)))
    }

    /// Returns the smallest or largest element, and its index.
    fn extremes(
        &self,
        op: Binary,
        of: &Value<A::Value>,
        along: &[Value<A::Value>],
        results: usize,
        at: usize,
    ) -> Results<A> {
        if of.count() == 0 {
            return Ok(vec![of.clone(), of.clone()]);
        }
        let along = self.direction(of, along, at)?;
        let best = self.reduced(of, along, at, |line| self.folded(op, line, at))?;
        if results < 2 {
            return Ok(vec![best]);
        }
        let a = self.algebra;
        let relation = if op == Binary::Min { Binary::Lt } else { Binary::Gt };
        let index = self.reduced(of, along, at, |line| {
            let each = self.elements(line);
            let mut best = (each[0].clone(), a.number(1.0));
            for (number, element) in each.iter().enumerate().skip(1) {
                let is_first = self.is_number_after(element, &best.0);
                let is_better = a.binary(Binary::Or, a.binary(relation, element.clone(), best.0.clone()), is_first);
                let index = a.select(is_better.clone(), a.number(number as f64 + 1.0), best.1);
                best = (a.select(is_better, element.clone(), best.0), index);
            }
            Ok(Value::scalar(best.1))
        })?;
        Ok(vec![best, index])
    }
}

/// Returns what to do instead of calling a function that other programs have and code in blocks has not.
pub(super) fn instead_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "rand" | "randn" | "randi" => "a function has no random numbers; connect the block Var/Random or Var/Noise",
        "disp" | "fprintf" | "printf" | "display" | "plot" | "figure" => {
            "a block shows nothing; make the value an output and watch the signal"
        }
        "fopen" | "load" | "save" | "fread" | "input" => "code reads and writes no files; use the block Var/From File",
        "tic" | "toc" | "clock" | "now" | "cputime" => {
            "code reads no clock; t is the time of the simulation in seconds"
        }
        "coder.extrinsic" | "coder.ceval" => "code calls no other program; use the blocks of the group User",
        "coder.varsize" => "sizes are fixed; give the variable its largest size",
        "eval" | "evalin" | "feval" | "assignin" | "str2func" => "code is not made while it runs",
        "cell" => "give each part a name of its own, or make a structure: s.speed = 1",
        "interp2" | "interp3" | "griddata" => "connect a block of the group Lookup",
        "ode45" | "integral" => "the block User/ODE integrates",
        "eig" | "svd" | "expm" | "pinv" | "rank" | "null" | "orth" => "connect a block of the group Matrix",
        _ => return None,
    })
}
