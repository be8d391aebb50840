//! Elements that a condition of the run chooses, where a function reduces them at once, or where they are assigned to
//! elements chosen by the same condition: `sum(x(x > 0))`, `x(m) = y(m)`.
//!
//! Their number changes in the run, so they are no value: all elements are computed, and each with the condition under
//! which it is one of them.

use super::call::Results;
use super::class::Class;
use super::evaluate::{Algebra, Evaluated, Evaluator};
use super::function::{CodeFunction, FunctionKind};
use super::index::Selection;
use super::scope::Scope;
use super::value::{Chosen, Value};
use super::{Binary, Expression, ExpressionError, Function, Infix, Kind, Unary};

type ChosenOf<A> = Result<Chosen<<A as Algebra>::Value>, ExpressionError>;

impl<A: Algebra> Evaluator<'_, A> {
    /// Evaluates an expression that may be elements chosen by a condition of the run, or computed from such elements.
    pub(super) fn chosen(&self, expression: &Expression, scope: &mut Scope<A::Value>) -> ChosenOf<A> {
        self.nested(expression.at, || self.chosen_kind(expression, scope))
    }

    fn chosen_kind(&self, expression: &Expression, scope: &mut Scope<A::Value>) -> ChosenOf<A> {
        let at = expression.at;
        match &expression.kind {
            Kind::Apply(name, parts) if parts.len() == 1 && self.is_variable(name, scope) => {
                self.chosen_elements(name, parts, at, scope)
            }
            Kind::Apply(name, parts) if self.program.is_none_or(|program| program.function(name).is_none()) => {
                match (Function::of_code(name).map(|function| function.kind), &parts[..]) {
                    (Some(FunctionKind::Unary(op)), [of]) => {
                        self.mapped_chosen(of, scope, |value| self.unary(op, value, at))
                    }
                    (Some(FunctionKind::Cast(class)), [of]) => {
                        self.mapped_chosen(of, scope, |value| self.converted(value, class, at))
                    }
                    (Some(FunctionKind::Code(CodeFunction::Find, ..)), [of]) => self.found_chosen(of, at, scope),
                    _ => self.of(expression, scope).map(Chosen::all),
                }
            }
            Kind::Unary(op, of) => self.mapped_chosen(of, scope, |value| self.unary(*op, value, at)),
            // As a vector they have no direction.
            Kind::Transpose(of) => {
                let of = self.chosen(of, scope)?;
                match of.on {
                    Some(_) => Ok(of),
                    None => self.transposed(&self.numeric(of.value, at)?, at).map(Chosen::all),
                }
            }
            Kind::Binary(first, rest) => {
                let mut all = self.chosen(first, scope)?;
                for (op, part) in rest {
                    let decided = if all.on.is_none() { self.decided(*op, &all.value) } else { None };
                    all = match decided {
                        Some(decided) => Chosen::all(decided),
                        None => self.chosen_infix(*op, all, self.chosen(part, scope)?, at)?,
                    };
                }
                Ok(all)
            }
            _ => self.of(expression, scope).map(Chosen::all),
        }
    }

    fn mapped_chosen(
        &self,
        of: &Expression,
        scope: &mut Scope<A::Value>,
        f: impl Fn(&Value<A::Value>) -> Evaluated<A>,
    ) -> ChosenOf<A> {
        let of_at = of.at;
        let of = self.chosen(of, scope)?;
        let value = f(&self.numeric(of.value, of_at)?)?;
        Ok(Chosen { value, on: of.on, is_found: false })
    }

    /// Elements of a variable by a single index.
    fn chosen_elements(&self, name: &str, parts: &[Expression], at: usize, scope: &mut Scope<A::Value>) -> ChosenOf<A> {
        let of = self.name(name, at, scope)?;
        let of = self.numeric(of, at)?;
        let mut selections = self.selections(&of, parts, scope)?;
        let Some((selection, size)) = selections.pop() else { return Ok(Chosen::all(of)) };
        let Selection::Mask(on) = selection else {
            return self.linear(name, &of, &selection, size, at).map(Chosen::all);
        };
        if on.len() > of.count() {
            let problem = format!("“{name}” has {} elements and the condition {}", of.count(), on.len());
            return Err(ExpressionError::new(at, problem));
        }
        let each = self.elements(&of);
        let each: Vec<A::Value> = self.by_column(&of).into_iter().map(|place| each[place].clone()).collect();
        let count = on.len();
        let value = self.made(each[..count].to_vec(), count, 1).of_class(of.class);
        Ok(Chosen { value, on: Some(on), is_found: false })
    }

    /// The indices of nonzero elements.
    fn found_chosen(&self, of: &Expression, at: usize, scope: &mut Scope<A::Value>) -> ChosenOf<A> {
        let of = self.numeric(self.of(of, scope)?, of.at)?;
        if of.count() == 0 || self.known(&of).is_some() {
            return self.found(&of, None, at).map(Chosen::all);
        }
        let truths = self.each(Binary::Ne, &of, &self.number(0.0), at)?;
        let each = self.elements(&truths);
        let on: Vec<A::Value> = self.by_column(&of).into_iter().map(|place| each[place].clone()).collect();
        let indices: Vec<f64> = (1..=on.len()).map(|index| index as f64).collect();
        Ok(Chosen { value: self.numbers(&indices, indices.len(), 1), on: Some(on), is_found: true })
    }

    fn is_same_choice(&self, a: &[A::Value], b: &[A::Value]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.algebra.is_same(a, b))
    }

    fn chosen_infix(&self, op: Infix, a: Chosen<A::Value>, b: Chosen<A::Value>, at: usize) -> ChosenOf<A> {
        let is_each = matches!(op, Infix::Each(_));
        let fits = match (&a.on, &b.on) {
            (None, None) => return self.infix(op, a.value, b.value, at).map(Chosen::all),
            (Some(a), Some(b)) => is_each && self.is_same_choice(a, b),
            (Some(_), None) => b.value.count() == 1 && (is_each || matches!(op, Infix::Product | Infix::RightDivide)),
            (None, Some(_)) => a.value.count() == 1 && (is_each || op == Infix::Product),
        };
        if !fits {
            let problem = "elements that a condition of the run chooses combine, element by element, with a single \
                           number and with elements chosen by the same condition";
            return Err(ExpressionError::new(at, problem));
        }
        let value = self.infix(op, a.value, b.value, at)?;
        Ok(Chosen { value, on: a.on.or(b.on), is_found: false })
    }

    /// Reduces the chosen elements.
    pub(super) fn reduced_chosen(
        &self,
        function: &Function,
        value: &Value<A::Value>,
        on: &[A::Value],
        results: usize,
        at: usize,
    ) -> Results<A> {
        self.spend(on.len(), at)?;
        if results > 1 {
            let problem = "where a condition of the run chooses the elements, there is one result only";
            return Err(ExpressionError::new(at, problem));
        }
        let truths = self.made(on.to_vec(), on.len(), 1).of_class(Class::Logical);
        let count = || self.folded(Binary::Add, &truths, at);
        let filled = |other: f64| self.filled(value, on, other);
        let sum = |of: &Value<A::Value>| self.folded(Binary::Add, of, at);
        let is_nonzero = || self.each(Binary::Ne, value, &self.number(0.0), at);
        let reduced = match function.kind {
            FunctionKind::Fold(op) => self.folded(op, &filled(if op == Binary::Mul { 1.0 } else { 0.0 }), at)?,
            FunctionKind::Row(op) => {
                let any = self.folded(Binary::Or, &truths, at)?;
                let name = function.name;
                let problem = format!("{name} has no element: the condition chooses none");
                self.stop_at(self.not(self.whole(&any)), &problem, at);
                // Not-a-number is passed over; integers have none.
                let other = match (value.class, op) {
                    (Class::Double | Class::Single, _) => f64::NAN,
                    (_, Binary::Max) => f64::NEG_INFINITY,
                    _ => f64::INFINITY,
                };
                self.folded(op, &filled(other), at)?
            }
            FunctionKind::Code(CodeFunction::Mean, ..) if value.class.is_integer() => {
                let problem =
                    format!("the mean of chosen {} is not known; convert them with double(x)", value.class.name());
                return Err(ExpressionError::new(at, problem));
            }
            FunctionKind::Code(CodeFunction::Mean, ..) => self.each(Binary::Div, &sum(&filled(0.0))?, &count()?, at)?,
            FunctionKind::Code(CodeFunction::Sumsq, ..) => {
                let of = filled(0.0);
                sum(&self.each(Binary::Mul, &of, &of, at)?)?
            }
            FunctionKind::Code(CodeFunction::Any, ..) => {
                self.folded(Binary::Or, &self.each(Binary::And, &truths, &is_nonzero()?, at)?, at)?
            }
            FunctionKind::Code(CodeFunction::Nnz, ..) => sum(&self.each(Binary::And, &truths, &is_nonzero()?, at)?)?,
            FunctionKind::Code(CodeFunction::All, ..) => {
                let others = self.unary(Unary::Not, &truths, at)?;
                self.folded(Binary::And, &self.each(Binary::Or, &others, &is_nonzero()?, at)?, at)?
            }
            FunctionKind::Code(CodeFunction::Isempty, ..) => {
                self.unary(Unary::Not, &self.folded(Binary::Or, &truths, at)?, at)?
            }
            _ => count()?,
        };
        Ok(vec![reduced])
    }

    /// The elements with a number in place of those that are not chosen.
    fn filled(&self, value: &Value<A::Value>, on: &[A::Value], other: f64) -> Value<A::Value> {
        let other = self.algebra.number(other);
        let pairs = self.elements(value).into_iter().zip(on);
        let filled = pairs.map(|(element, on)| self.algebra.select(on.clone(), element, other.clone())).collect();
        self.made(filled, on.len(), 1).of_class(value.class)
    }

    /// Returns a variable in which the chosen elements have those of `chosen`, which the same condition chooses.
    pub(super) fn with_chosen(
        &self,
        name: &str,
        before: Option<Value<A::Value>>,
        parts: &[Expression],
        (value, on): (&Value<A::Value>, &[A::Value]),
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Evaluated<A> {
        let before = self.numeric(before.unwrap_or_else(|| Value::empty(0, 0)), at)?;
        let selections = self.selections(&before, parts, scope)?;
        let is_same = match &selections[..] {
            [(Selection::Mask(own), _)] => own.len() <= before.count() && self.is_same_choice(own, on),
            _ => false,
        };
        if !is_same {
            let problem = format!(
                "a condition of the run chooses the new elements, so the same one chooses those of “{name}”: x(m) = y(m)"
            );
            return Err(ExpressionError::new(at, problem));
        }
        let class = self.class_with(name, &before, value.class, at)?;
        let new = self.elements(&self.converted(value, class, at)?);
        let mut each = self.elements(&self.converted(&before, class, at)?);
        for ((place, new), on) in self.by_column(&before).into_iter().zip(new).zip(on) {
            each[place] = self.algebra.select(on.clone(), new, each[place].clone());
        }
        Ok(self.made(each, before.rows, before.columns).of_class(class))
    }
}
