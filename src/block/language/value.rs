//! The values of an evaluation: matrices of numbers or instructions, and texts.

use std::rc::Rc;

/// A matrix whose elements are values of an [`super::Algebra`], row after row, or a text.
#[derive(Clone, Debug)]
pub struct Value<V> {
    pub rows: usize,
    pub columns: usize,
    /// Whether it holds truths, so that as an index it selects elements.
    pub is_logical: bool,
    pub(super) of: Elements<V>,
}

/// How the elements are held. Small matrices of code are held element by element, so that to take or set one costs
/// nothing; long ones as a whole, so that an operation is one instruction.
#[derive(Clone, Debug)]
pub(super) enum Elements<V> {
    Whole(V),
    Each(Rc<[V]>),
    Text(Rc<str>),
}

impl<V: Clone> Value<V> {
    pub fn whole(of: V, rows: usize, columns: usize) -> Value<V> {
        Value { rows, columns, is_logical: false, of: Elements::Whole(of) }
    }

    pub fn scalar(of: V) -> Value<V> {
        Value::whole(of, 1, 1)
    }

    /// A matrix of elements row after row.
    pub(super) fn each(of: Vec<V>, rows: usize, columns: usize) -> Value<V> {
        debug_assert_eq!(of.len(), rows * columns, "the elements of a matrix");
        let of = match of.into_iter().collect::<Rc<[V]>>() {
            one if one.len() == 1 => Elements::Whole(one[0].clone()),
            of => Elements::Each(of),
        };
        Value { rows, columns, is_logical: false, of }
    }

    pub(super) fn empty(rows: usize, columns: usize) -> Value<V> {
        Value { rows, columns, is_logical: false, of: Elements::Each(Rc::from([])) }
    }

    pub(super) fn text(text: &str) -> Value<V> {
        let columns = text.chars().count();
        Value { rows: usize::from(columns > 0), columns, is_logical: false, of: Elements::Text(Rc::from(text)) }
    }

    pub(super) fn logical(self) -> Value<V> {
        Value { is_logical: true, ..self }
    }

    pub(super) fn with_logical(self, is_logical: bool) -> Value<V> {
        Value { is_logical, ..self }
    }

    pub fn count(&self) -> usize {
        self.rows * self.columns
    }

    /// Returns the elements of a value of an expression, which holds them as a whole.
    pub(crate) fn into_whole(self) -> V {
        match self.of {
            Elements::Whole(of) => of,
            Elements::Each(each) => each[0].clone(),
            Elements::Text(_) => unreachable!("expressions have no texts"),
        }
    }

    /// Returns all elements as one value, of a matrix that is not empty.
    pub(crate) fn whole_with(&self, join: impl Fn(&[V]) -> V) -> V {
        match &self.of {
            Elements::Whole(of) => of.clone(),
            Elements::Each(each) => join(each),
            Elements::Text(_) => unreachable!("a text has no elements"),
        }
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self.of, Elements::Text(_))
    }

    pub(super) fn is_vector(&self) -> bool {
        self.rows == 1 || self.columns == 1
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        if let Elements::Text(text) = &self.of { Some(text) } else { None }
    }

    /// The size as text, such as 2×3.
    pub(super) fn size_text(&self) -> String {
        format!("{}×{}", self.rows, self.columns)
    }

    /// The same elements in another shape.
    pub(super) fn reshaped(mut self, rows: usize, columns: usize) -> Value<V> {
        debug_assert_eq!(self.count(), rows * columns, "a shape of the same elements");
        (self.rows, self.columns) = (rows, columns);
        self
    }
}
