//! Elements of variables: `x(2)`, `x(end, :)`, `x(x > 0)`, read and assigned. Elements are counted from 1, and by a single
//! index column after column.

use super::class::Class;
use super::evaluate::{Algebra, Evaluated, Evaluator};
use super::scope::Scope;
use super::value::{Chosen, Elements, Value};
use super::{Binary, Expression, ExpressionError, Kind};

/// The elements that an argument selects along one direction.
pub(super) enum Selection<V> {
    All,
    /// Counted from 0.
    Known(Vec<usize>),
    /// One element that is known only in the run, counted from 0.
    One(V),
    /// A truth for each element, column after column.
    Mask(Vec<V>),
}

/// Why elements that a condition of the run chooses are no value.
pub(super) const MANY_CHOSEN: &str = "which elements these are changes in the run, and so would their number; reduce them at once, as in \
                           sum(x(x > 0)), by sum, prod, max, min, mean, any, all or numel, or multiply by the condition";

/// What an argument selects, and its rows and columns.
pub(super) type Selected<A> = (Selection<<A as Algebra>::Value>, [usize; 2]);

impl<A: Algebra> Evaluator<'_, A> {
    /// Evaluates the arguments of a variable.
    pub(super) fn selections(
        &self,
        of: &Value<A::Value>,
        parts: &[Expression],
        scope: &mut Scope<A::Value>,
    ) -> Result<Vec<Selected<A>>, ExpressionError> {
        let select = |number: usize, part: &Expression, scope: &mut Scope<A::Value>| {
            if part.kind == Kind::All {
                return Ok((Selection::All, [0, 0]));
            }
            self.ends.borrow_mut().push([of.rows, of.columns, number, parts.len()]);
            let value = self.chosen(part, scope);
            self.ends.borrow_mut().pop();
            let Chosen { value, on, is_found } = value?;
            let value = self.numeric(value, part.at)?;
            let size = [value.rows, value.columns];
            match on {
                Some(on) if is_found => return Ok((Selection::Mask(on), size)),
                Some(_) => return Err(ExpressionError::new(part.at, MANY_CHOSEN)),
                None => {}
            }
            if value.is_logical() && self.is_code() {
                let Some(known) = self.known(&value) else {
                    let each = self.elements(&value);
                    let on = self.by_column(&value).into_iter().map(|place| each[place].clone()).collect();
                    return Ok((Selection::Mask(on), size));
                };
                let order = self.by_column(&value);
                let found: Vec<usize> = (0..order.len()).filter(|index| known[order[*index]] != 0.0).collect();
                let size = if value.rows == 1 { [1, found.len()] } else { [found.len(), 1] };
                return Ok((Selection::Known(found), size));
            }
            match self.known(&value) {
                Some(numbers) => {
                    let order = self.by_column(&value);
                    let indices: Result<Vec<usize>, ExpressionError> = order
                        .into_iter()
                        .map(|place| match numbers[place] {
                            index if index.fract() == 0.0 && (1.0..=1e9).contains(&index) => Ok(index as usize - 1),
                            index => {
                                let problem = format!("{index} is no index; elements are counted from 1");
                                Err(ExpressionError::new(part.at, problem))
                            }
                        })
                        .collect();
                    Ok((Selection::Known(indices?), size))
                }
                None if value.count() == 1 => {
                    let from_0 = self.algebra.binary(Binary::Sub, self.whole(&value), self.algebra.number(1.0));
                    Ok((Selection::One(from_0), size))
                }
                None => Err(ExpressionError::new(
                    part.at,
                    "several indices must be known before the run; take them one by one",
                )),
            }
        };
        parts.iter().enumerate().map(|(number, part)| select(number, part, scope)).collect()
    }

    /// Returns the places of the elements, row after row, in the order of a single index: column after column.
    pub(super) fn by_column(&self, of: &Value<A::Value>) -> Vec<usize> {
        let (rows, columns) = (of.rows, of.columns);
        (0..columns).flat_map(|column| (0..rows).map(move |row| row * columns + column)).collect()
    }

    /// Returns elements of a variable.
    pub fn indexed(
        &self,
        name: &str,
        of: &Value<A::Value>,
        parts: &[Expression],
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Evaluated<A> {
        let of = self.numeric(of.clone(), at)?;
        if !self.is_code() {
            return self.element_of_vector(name, of, parts, at, scope);
        }
        let selections = self.selections(&of, parts, scope)?;
        match &selections[..] {
            [] => Ok(of),
            [(selection, size)] => self.linear(name, &of, selection, *size, at),
            [(rows, _), (columns, _)] => self.by_row_and_column(name, &of, rows, columns, at),
            more if more[2..].iter().all(|(more, _)| {
                matches!(more, Selection::All) || matches!(more, Selection::Known(of) if of[..] == [0])
            }) =>
            {
                self.by_row_and_column(name, &of, &more[0].0, &more[1].0, at)
            }
            _ => Err(ExpressionError::new(at, format!("“{name}” is a matrix and has two indices"))),
        }
    }

    /// The element of a vector in an expression.
    fn element_of_vector(
        &self,
        name: &str,
        of: Value<A::Value>,
        parts: &[Expression],
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Evaluated<A> {
        let [part] = parts else {
            return Err(ExpressionError::new(at, format!("there is no function “{name}”")));
        };
        let index = self.of(part, scope)?;
        if let Some(known) = self.known_scalar(&index)
            && !(known.fract() == 0.0 && (1.0..=of.count() as f64).contains(&known))
        {
            let problem = format!("“{name}” has the elements 1 to {}, not {known}", of.count());
            return Err(ExpressionError::new(at, problem));
        }
        let from_0 = self.algebra.binary(Binary::Sub, self.whole(&index), self.algebra.number(1.0));
        let width = index.count();
        Ok(Value::whole(self.algebra.pick(self.whole(&of), from_0), 1, width))
    }

    fn outside(&self, name: &str, what: &str, last: usize, index: usize, at: usize) -> ExpressionError {
        ExpressionError::new(at, format!("“{name}” has the {what} 1 to {last}, not {}", index + 1))
    }

    /// Returns elements by a single index.
    pub(super) fn linear(
        &self,
        name: &str,
        of: &Value<A::Value>,
        selection: &Selection<A::Value>,
        size: [usize; 2],
        at: usize,
    ) -> Evaluated<A> {
        let count = of.count();
        self.spend(count.max(size[0] * size[1]), at)?;
        match selection {
            Selection::All => {
                let each = self.elements(of);
                let each = self.by_column(of).into_iter().map(|place| each[place].clone()).collect();
                Ok(self.made(each, count, 1).of_class(of.class))
            }
            Selection::Known(indices) => {
                if let Some(index) = indices.iter().find(|index| **index >= count) {
                    return Err(self.outside(name, "elements", count, *index, at));
                }
                // Of a vector the result keeps the direction.
                let is_along = of.is_vector() && of.count() != 1 && (size[0] == 1 || size[1] == 1);
                let [rows, columns] = match is_along {
                    true if of.rows == 1 => [1, indices.len()],
                    true => [indices.len(), 1],
                    false => size,
                };
                if let (Elements::Whole(whole), true) = (&of.of, of.is_vector()) {
                    let is_run = indices.windows(2).all(|pair| pair[1] == pair[0] + 1);
                    if let Some(first) = indices.first().filter(|_| is_run && (rows == 1 || columns == 1)) {
                        let part = self.algebra.slice(whole, *first, indices.len());
                        return Ok(Value::whole(part, rows, columns).of_class(of.class));
                    }
                }
                let each = self.elements(of);
                let order = self.by_column(of);
                let chosen: Vec<A::Value> = indices.iter().map(|index| each[order[*index]].clone()).collect();
                // The chosen ones are column after column, too.
                let places = (0..rows).flat_map(|row| (0..columns).map(move |column| column * rows + row));
                let chosen = places.map(|place| chosen[place].clone()).collect();
                Ok(self.made(chosen, rows, columns).of_class(of.class))
            }
            Selection::One(index) => {
                if count == 0 {
                    return Err(ExpressionError::new(at, format!("“{name}” is empty")));
                }
                self.stop_outside(name, index, count, at);
                let ordered = if of.is_vector() { of.clone() } else { self.transposed(of, at)? };
                Ok(Value::scalar(self.algebra.pick(self.whole(&ordered), index.clone())).of_class(of.class))
            }
            Selection::Mask(_) => Err(ExpressionError::new(at, MANY_CHOSEN)),
        }
    }

    /// Ends the run where an index is outside.
    fn stop_outside(&self, name: &str, index: &A::Value, count: usize, at: usize) {
        let a = self.algebra;
        let below = a.binary(Binary::Lt, index.clone(), a.number(0.0));
        let above = a.binary(Binary::Ge, index.clone(), a.number(count as f64));
        let is_outside = a.binary(Binary::Or, below, above);
        self.stop_at(is_outside, &format!("an index of “{name}” is outside 1 to {count}"), at);
    }

    /// Returns the places that a selection has among `count`.
    fn places(
        &self,
        name: &str,
        what: &str,
        selection: &Selection<A::Value>,
        count: usize,
        at: usize,
    ) -> Result<Vec<usize>, ExpressionError> {
        match selection {
            Selection::All => Ok((0..count).collect()),
            Selection::Known(indices) => match indices.iter().find(|index| **index >= count) {
                Some(index) => Err(self.outside(name, what, count, *index, at)),
                None => Ok(indices.clone()),
            },
            Selection::One(_) | Selection::Mask(_) => Ok(Vec::new()),
        }
    }

    fn by_row_and_column(
        &self,
        name: &str,
        of: &Value<A::Value>,
        rows: &Selection<A::Value>,
        columns: &Selection<A::Value>,
        at: usize,
    ) -> Evaluated<A> {
        let a = self.algebra;
        if let (Selection::Mask(_), _) | (_, Selection::Mask(_)) = (rows, columns) {
            return Err(ExpressionError::new(at, "which rows or columns these are must be known before the run"));
        }
        let row_places = self.places(name, "rows", rows, of.rows, at)?;
        let column_places = self.places(name, "columns", columns, of.columns, at)?;
        self.spend((row_places.len().max(1)) * column_places.len().max(1), at)?;
        let each = self.elements(of);
        let element = |row: usize, column: usize| each[row * of.columns + column].clone();
        for (selection, count) in [(rows, of.rows), (columns, of.columns)] {
            if let Selection::One(index) = selection {
                self.stop_outside(name, index, count, at);
            }
        }
        match (rows, columns) {
            (Selection::One(row), Selection::One(column)) => {
                let start = a.binary(Binary::Mul, row.clone(), a.number(of.columns as f64));
                let place = a.binary(Binary::Add, start, column.clone());
                Ok(Value::scalar(a.pick(self.whole(of), place)))
            }
            (Selection::One(row), _) => {
                let pick = |column: usize| {
                    let all: Vec<A::Value> = (0..of.rows).map(|row| element(row, column)).collect();
                    a.pick(self.whole(&self.made(all, of.rows, 1)), row.clone())
                };
                let picked: Vec<A::Value> = column_places.iter().map(|column| pick(*column)).collect();
                Ok(self.made(picked, 1, column_places.len()))
            }
            (_, Selection::One(column)) => {
                let pick = |row: usize| {
                    let all: Vec<A::Value> = (0..of.columns).map(|column| element(row, column)).collect();
                    a.pick(self.whole(&self.made(all, 1, of.columns)), column.clone())
                };
                let picked: Vec<A::Value> = row_places.iter().map(|row| pick(*row)).collect();
                Ok(self.made(picked, row_places.len(), 1))
            }
            _ => {
                let chosen =
                    row_places.iter().flat_map(|row| column_places.iter().map(|column| element(*row, *column)));
                let made = self.made(chosen.collect(), row_places.len(), column_places.len());
                Ok(made.of_class(of.class))
            }
        }
    }

    /// Returns a variable with some elements replaced. One that has no value yet, or is too small, grows by zeros.
    pub fn with_elements(
        &self,
        name: &str,
        before: Option<Value<A::Value>>,
        parts: &[Expression],
        value: &Value<A::Value>,
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Evaluated<A> {
        let before = before.unwrap_or_else(|| Value::empty(0, 0));
        let before = self.numeric(before, at)?;
        let value = self.numeric(value.clone(), at)?;
        let selections = self.selections(&before, parts, scope)?;
        let class = self.class_with(name, &before, value.class, at)?;
        let value = self.converted(&value, class, at)?;
        let made = match &selections[..] {
            [(selection, _)] => self.with_linear(name, &before, selection, &value, at)?,
            [(rows, _), (columns, _)] => self.with_rows_and_columns(name, &before, rows, columns, &value, at)?,
            _ => return Err(ExpressionError::new(at, format!("“{name}” is a matrix and has two indices"))),
        };
        Ok(made.of_class(class))
    }

    /// Returns a variable without some elements, rows or columns.
    pub fn without_elements(
        &self,
        name: &str,
        before: &Value<A::Value>,
        parts: &[Expression],
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Evaluated<A> {
        let before = self.numeric(before.clone(), at)?;
        let selections = self.selections(&before, parts, scope)?;
        let (rows, columns) = (before.rows, before.columns);
        let kept = |selection: &Selection<A::Value>, what: &str, count: usize| match selection {
            Selection::Known(_) | Selection::All => {
                let gone = self.places(name, what, selection, count, at)?;
                Ok((0..count).filter(|place| !gone.contains(place)).collect::<Vec<usize>>())
            }
            _ => Err(ExpressionError::new(at, "which elements are taken out must be known before the run")),
        };
        let (kept_rows, kept_columns) = match &selections[..] {
            [(selection, _)] if columns == 1 => (kept(selection, "elements", rows)?, vec![0]),
            [(selection, _)] if rows <= 1 => ((0..rows).collect(), kept(selection, "elements", columns)?),
            [(Selection::All, _), (selection, _)] => ((0..rows).collect(), kept(selection, "columns", columns)?),
            [(selection, _), (Selection::All, _)] => (kept(selection, "rows", rows)?, (0..columns).collect()),
            _ => return Err(ExpressionError::new(at, "of a matrix only whole rows or columns can be taken out")),
        };
        let each = self.elements(&before);
        let left = kept_rows.iter().flat_map(|row| kept_columns.iter().map(move |column| row * columns + column));
        let left: Vec<A::Value> = left.map(|place| each[place].clone()).collect();
        Ok(self.made(left, kept_rows.len(), kept_columns.len()).of_class(before.class))
    }

    /// Returns a variable of at least this size.
    fn grown(&self, of: &Value<A::Value>, rows: usize, columns: usize, at: usize) -> Evaluated<A> {
        let (rows, columns) = (rows.max(of.rows), columns.max(of.columns));
        if (rows, columns) == (of.rows, of.columns) {
            return Ok(of.clone());
        }
        self.spend(rows.saturating_mul(columns), at)?;
        let each = self.elements(of);
        let zero = self.algebra.number(0.0);
        let element = |row: usize, column: usize| match row < of.rows && column < of.columns {
            true => each[row * of.columns + column].clone(),
            false => zero.clone(),
        };
        let all = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        Ok(self.made(all.map(|(row, column)| element(row, column)).collect(), rows, columns))
    }

    /// Returns the class of a variable whose elements are set to those of another class.
    pub(super) fn class_with(
        &self,
        name: &str,
        before: &Value<A::Value>,
        value: Class,
        at: usize,
    ) -> Result<Class, ExpressionError> {
        match (before.class, value) {
            _ if before.count() == 0 && before.class == Class::Double => Ok(value),
            (before, value) if before == value => Ok(before),
            (Class::Logical | Class::Double, Class::Logical | Class::Double) => Ok(Class::Double),
            (before @ (Class::Integer(_) | Class::Single), Class::Double | Class::Logical) => Ok(before),
            (before @ Class::Integer(_), Class::Single) => Ok(before),
            // Octave changes the class of the variable, MATLAB that of the element.
            (before, value) => {
                let (before, value) = (before.name(), value.name());
                let problem =
                    format!("“{name}” is {before} and the new elements are {value}; convert them with {before}(x)");
                Err(ExpressionError::new(at, problem))
            }
        }
    }

    fn does_not_fit(&self, value: &Value<A::Value>, count: usize, at: usize) -> ExpressionError {
        ExpressionError::new(at, format!("a value of {} does not fit {count} elements", value.size_text()))
    }

    fn with_linear(
        &self,
        name: &str,
        before: &Value<A::Value>,
        selection: &Selection<A::Value>,
        value: &Value<A::Value>,
        at: usize,
    ) -> Evaluated<A> {
        let a = self.algebra;
        let given = self.elements(value);
        let given: Vec<A::Value> = self.by_column(value).into_iter().map(|place| given[place].clone()).collect();
        self.spend(before.count().max(given.len()), at)?;
        let given_for = |number: usize| given[if given.len() == 1 { 0 } else { number }].clone();
        match selection {
            Selection::One(index) => {
                let [one] = &given[..] else { return Err(self.does_not_fit(value, 1, at)) };
                self.stop_outside(name, index, before.count(), at);
                let order = self.by_column(before);
                let mut each = self.elements(before);
                for (number, place) in order.into_iter().enumerate() {
                    let is_it = a.binary(Binary::Eq, index.clone(), a.number(number as f64));
                    each[place] = a.select(is_it, one.clone(), each[place].clone());
                }
                Ok(self.made(each, before.rows, before.columns))
            }
            Selection::Mask(mask) => {
                if mask.len() != before.count() {
                    return Err(self.does_not_fit(before, mask.len(), at));
                }
                let [one] = &given[..] else {
                    let problem = "where the condition changes in the run, all elements that it selects get one value";
                    return Err(ExpressionError::new(at, problem));
                };
                let mut each = self.elements(before);
                for (place, on) in self.by_column(before).into_iter().zip(mask) {
                    each[place] = a.select(on.clone(), one.clone(), each[place].clone());
                }
                Ok(self.made(each, before.rows, before.columns))
            }
            Selection::All => {
                if given.len() != 1 && given.len() != before.count() {
                    return Err(self.does_not_fit(value, before.count(), at));
                }
                let mut each = self.elements(before);
                for (number, place) in self.by_column(before).into_iter().enumerate() {
                    each[place] = given_for(number);
                }
                Ok(self.made(each, before.rows, before.columns))
            }
            Selection::Known(indices) => {
                if given.len() != 1 && given.len() != indices.len() {
                    return Err(self.does_not_fit(value, indices.len(), at));
                }
                let needed = indices.iter().map(|index| index + 1).max().unwrap_or(0);
                let grown = match (before.rows, before.columns) {
                    _ if needed <= before.count() => before.clone(),
                    (_, 1) if before.rows > 1 => self.grown(before, needed, 1, at)?,
                    (0 | 1, _) => self.grown(before, 1, needed, at)?,
                    _ => return Err(self.outside(name, "elements", before.count(), needed - 1, at)),
                };
                let order = self.by_column(&grown);
                let mut each = self.elements(&grown);
                for (number, index) in indices.iter().enumerate() {
                    each[order[*index]] = given_for(number);
                }
                Ok(self.made(each, grown.rows, grown.columns))
            }
        }
    }

    fn with_rows_and_columns(
        &self,
        name: &str,
        before: &Value<A::Value>,
        rows: &Selection<A::Value>,
        columns: &Selection<A::Value>,
        value: &Value<A::Value>,
        at: usize,
    ) -> Evaluated<A> {
        let a = self.algebra;
        let last = |selection: &Selection<A::Value>, count: usize, of_value: usize| match selection {
            Selection::Known(indices) => indices.iter().map(|index| index + 1).max().unwrap_or(0),
            Selection::All if count == 0 => of_value,
            _ => count,
        };
        let needed = [last(rows, before.rows, value.rows), last(columns, before.columns, value.columns)];
        let grown = self.grown(before, needed[0], needed[1], at)?;
        if let (Selection::Mask(_), _) | (_, Selection::Mask(_)) = (rows, columns) {
            return Err(ExpressionError::new(at, "which rows or columns these are must be known before the run"));
        }
        // Of an index that is known only in the run, each place may be meant.
        let candidates = |selection: &Selection<A::Value>, count: usize| match selection {
            Selection::Known(indices) => indices.clone(),
            _ => (0..count).collect(),
        };
        let is_one = |selection: &Selection<A::Value>| matches!(selection, Selection::One(_));
        for (selection, count) in [(rows, grown.rows), (columns, grown.columns)] {
            if let Selection::One(index) = selection {
                self.stop_outside(name, index, count, at);
            }
        }
        let (row_places, column_places) = (candidates(rows, grown.rows), candidates(columns, grown.columns));
        let height = if is_one(rows) { 1 } else { row_places.len() };
        let width = if is_one(columns) { 1 } else { column_places.len() };
        let is_turned = value.is_vector() && (value.rows, value.columns) == (width, height);
        if value.count() != 1
            && (value.rows, value.columns) != (height, width)
            && !(is_turned && (height == 1 || width == 1))
        {
            let problem = format!("a value of {} does not fit {height}×{width} elements", value.size_text());
            return Err(ExpressionError::new(at, problem));
        }
        self.spend(row_places.len() * column_places.len(), at)?;
        let given = self.elements(value);
        let mut each = self.elements(&grown);
        for (i, row) in row_places.iter().enumerate() {
            for (j, column) in column_places.iter().enumerate() {
                let place = row * grown.columns + column;
                let number = if is_one(rows) { 0 } else { i } * width + if is_one(columns) { 0 } else { j };
                let mut new = given[if given.len() == 1 { 0 } else { number }].clone();
                for (selection, index) in [(columns, column), (rows, row)] {
                    if let Selection::One(wanted) = selection {
                        let is_it = a.binary(Binary::Eq, wanted.clone(), a.number(*index as f64));
                        new = a.select(is_it, new, each[place].clone());
                    }
                }
                each[place] = new;
            }
        }
        Ok(self.made(each, grown.rows, grown.columns))
    }
}
