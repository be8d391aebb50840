//! Structures: values with named fields, such as `s.speed`. A bus at an input is one, and one at an output is a bus.

use std::rc::Rc;

use super::class::Class;
use super::evaluate::{Algebra, Evaluated, Evaluator};
use super::run::name_of;
use super::scope::Scope;
use super::value::{Elements, Value};
use super::{ExpressionError, some_names};
use crate::block::{Bus, BusElement, SignalType, is_name};

/// The fields of a structure, in the order in which they were set.
pub(super) type Fields<V> = Vec<(Rc<str>, Value<V>)>;

impl<V: Clone> Value<V> {
    pub(super) fn structure(fields: Fields<V>) -> Value<V> {
        Value { rows: 1, columns: 1, class: Class::Double, of: Elements::Fields(fields.into()) }
    }

    pub(super) fn fields(&self) -> Option<&[(Rc<str>, Value<V>)]> {
        if let Elements::Fields(fields) = &self.of { Some(fields) } else { None }
    }

    pub(super) fn field(&self, name: &str) -> Option<&Value<V>> {
        self.fields()?.iter().find(|(known, _)| **known == *name).map(|(_, value)| value)
    }

    /// Returns the names of the fields.
    pub(super) fn field_names(&self) -> Vec<String> {
        self.fields().into_iter().flatten().map(|(name, _)| name.to_string()).collect()
    }

    /// Returns a structure in which the field at a path is set; none if something on the path is a number.
    fn with_field(&self, path: &str, value: Value<V>) -> Option<Value<V>> {
        let mut fields = match self.fields() {
            Some(fields) => fields.to_vec(),
            None if self.count() == 0 => Vec::new(),
            None => return None,
        };
        let (name, rest) = path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
        let place = fields.iter().position(|(known, _)| **known == *name);
        let value = match rest {
            Some(rest) => {
                let before = place.map_or_else(|| Value::empty(0, 0), |place| fields[place].1.clone());
                before.with_field(rest, value)?
            }
            None => value,
        };
        match place {
            Some(place) => fields[place].1 = value,
            None => fields.push((name.into(), value)),
        }
        Some(Value::structure(fields))
    }

    /// Returns the other value with its fields in the order of this one.
    pub(super) fn ordered_as(&self, other: &Value<V>) -> Value<V> {
        let Some(fields) = self.fields() else { return other.clone() };
        let ordered = |(name, value): &(Rc<str>, Value<V>)| {
            other.field(name).map(|other| (Rc::clone(name), value.ordered_as(other)))
        };
        Value::structure(fields.iter().filter_map(ordered).collect())
    }

    /// Returns the numbers of a structure, field after field, or the value itself.
    pub(crate) fn leaves(&self) -> Vec<&Value<V>> {
        match self.fields() {
            Some(fields) => fields.iter().flat_map(|(_, value)| value.leaves()).collect(),
            None => vec![self],
        }
    }

    /// Returns the structure with each of its numbers mapped, or the mapped value.
    pub(super) fn try_leaves<E>(&self, f: &mut impl FnMut(&Value<V>) -> Result<Value<V>, E>) -> Result<Value<V>, E> {
        let Some(fields) = self.fields() else { return f(self) };
        let mut made = Vec::with_capacity(fields.len());
        for (name, value) in fields {
            made.push((Rc::clone(name), value.try_leaves(f)?));
        }
        Ok(Value::structure(made))
    }

    /// Returns the type of a signal that has this value.
    pub(crate) fn signal_type(&self) -> SignalType {
        match self.fields() {
            Some(fields) => Bus::new(fields.iter().map(|(name, of)| ((&**name).into(), of.signal_type()))).into(),
            None => SignalType::plain(self.count()),
        }
    }
}

impl<A: Algebra> Evaluator<'_, A> {
    /// Returns the field of a value at a path such as `pose.x`.
    pub fn field(&self, name: &str, of: &Value<A::Value>, path: &str, at: usize) -> Evaluated<A> {
        let mut of = of;
        for field in path.split('.') {
            of = of.field(field).ok_or_else(|| {
                let problem = match of.fields() {
                    Some(_) => format!("“{name}” has no field “{field}”; it has {}", some_names(&of.field_names())),
                    None => format!("“{name}” is no structure and has no field “{field}”"),
                };
                ExpressionError::new(at, problem)
            })?;
        }
        Ok(of.clone())
    }

    /// Sets a variable, or a field of one.
    pub fn set(
        &self,
        name: &str,
        value: Value<A::Value>,
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Result<(), ExpressionError> {
        let Some((base, path)) = name.split_once('.') else {
            scope.set(name, value);
            return Ok(());
        };
        let before = self.variable(base, at, scope)?.unwrap_or_else(|| Value::empty(0, 0));
        match before.with_field(path, value) {
            Some(after) => {
                scope.set(base, after);
                Ok(())
            }
            None => Err(ExpressionError::new(at, format!("“{name}” cannot be set, because a part of it is a number"))),
        }
    }

    /// Returns the structure of arguments `'name', value, …`.
    pub(super) fn structure(&self, values: &[Value<A::Value>], at: usize) -> Evaluated<A> {
        let mut made = Value::structure(Vec::new());
        for pair in values.chunks(2) {
            let [name, value] = pair else {
                return Err(ExpressionError::new(at, "a structure is written struct('name', value, …)"));
            };
            let name = name.as_text().filter(|name| is_name(name));
            let name = name.ok_or_else(|| ExpressionError::new(at, "the name of a field is a text such as 'speed'"))?;
            made = made.with_field(name, value.clone()).unwrap_or(made);
        }
        Ok(made)
    }

    /// Returns the value of a variable where a condition holds, and where not.
    pub(super) fn one_of(
        &self,
        name: &str,
        on: &A::Value,
        yes: &Value<A::Value>,
        no: &Value<A::Value>,
        at: usize,
    ) -> Evaluated<A> {
        if self.is_same(yes, no) {
            return Ok(yes.clone());
        }
        if !yes.is_like(no) {
            let problem = format!(
                "“{name}” is {} where the condition holds and {} where not; give it one size and class",
                yes.kind_text(),
                no.kind_text()
            );
            return Err(ExpressionError::new(at, problem));
        }
        let Some(fields) = yes.fields() else {
            return self.selected(&Value::scalar(on.clone()), yes, no, at);
        };
        let mut made = Vec::with_capacity(fields.len());
        for (field, yes) in fields {
            let Some(no) = no.field(field) else { continue };
            made.push((Rc::clone(field), self.one_of(&format!("{name}.{field}"), on, yes, no, at)?));
        }
        Ok(Value::structure(made))
    }

    pub(super) fn is_same(&self, a: &Value<A::Value>, b: &Value<A::Value>) -> bool {
        if (a.rows, a.columns, a.class) != (b.rows, b.columns, b.class) || a.as_text() != b.as_text() {
            return false;
        }
        if let (Some(of_a), Some(of_b)) = (a.fields(), b.fields()) {
            return of_a.len() == of_b.len()
                && of_a.iter().all(|(name, a)| b.field(name).is_some_and(|b| self.is_same(a, b)));
        }
        let has_fields = a.fields().is_some() || b.fields().is_some();
        let (a, b) = (self.elements(a), self.elements(b));
        !has_fields && a.iter().zip(&b).all(|(a, b)| self.algebra.is_same(a, b))
    }

    /// Keeps a persistent variable between steps, and returns its value at the start of a step.
    pub(super) fn keep(&self, key: &str, initial: &Value<A::Value>, at: usize) -> Evaluated<A> {
        if self.is_watched() {
            self.kept.borrow_mut().push((key.to_owned(), initial.clone()));
            return Ok(initial.clone());
        }
        let fail = |problem: &'static str| ExpressionError::new(at, problem);
        let state = initial.try_leaves(&mut |initial| {
            let initial = self.numeric(initial.clone(), at)?;
            if initial.count() == 0 {
                return Err(fail("a persistent variable has at least one element from the first step on"));
            }
            let start = match self.known(&initial) {
                Some(_) => self.whole(&initial),
                None if self.is_settled(&initial) => self.whole(&initial),
                None => self.whole(&self.numbers(&vec![0.0; initial.count()], initial.rows, initial.columns)),
            };
            let state = self.algebra.persistent(start).map_err(fail)?;
            Ok(Value::whole(state, initial.rows, initial.columns).of_class(initial.class))
        })?;
        self.kept.borrow_mut().push((key.to_owned(), state.clone()));
        if initial.leaves().iter().all(|leaf| self.known(leaf).is_some() || self.is_settled(leaf)) {
            return Ok(state);
        }
        self.one_of(name_of(key), &self.algebra.is_first(), initial, &state, at)
    }

    /// Returns the value of a name that is a path of a variable; none if there is no such variable.
    pub(super) fn variable_at(
        &self,
        name: &str,
        at: usize,
        scope: &Scope<A::Value>,
    ) -> Result<Option<Value<A::Value>>, ExpressionError> {
        let Some((base, path)) = name.split_once('.') else { return self.variable(name, at, scope) };
        match self.variable(base, at, scope)? {
            Some(of) => self.field(base, &of, path, at).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the value of a variable, or of a field that may not be set yet.
    pub(super) fn before(
        &self,
        name: &str,
        at: usize,
        scope: &Scope<A::Value>,
    ) -> Result<Option<Value<A::Value>>, ExpressionError> {
        let Some((base, path)) = name.split_once('.') else { return self.variable(name, at, scope) };
        let of = self.variable(base, at, scope)?;
        Ok(of.and_then(|of| path.split('.').try_fold(of, |of, field| of.field(field).cloned())))
    }
}

/// Returns a signal as a value: a column, or a structure of a bus.
pub(crate) fn of_signal<A: Algebra>(algebra: &A, of: &A::Value, kind: &SignalType) -> Value<A::Value> {
    let Some(bus) = &kind.bus else { return Value::whole(of.clone(), kind.width, 1) };
    let mut start = 0;
    let field = |element: &BusElement| {
        let part = algebra.slice(of, start, element.of.width);
        start += element.of.width;
        ((&*element.name).into(), of_signal(algebra, &part, &element.of))
    };
    Value::structure(bus.elements().iter().map(field).collect())
}
