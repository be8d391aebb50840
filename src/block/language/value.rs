//! The values of an evaluation: matrices of numbers or instructions, and texts.

use std::rc::Rc;

use super::class::Class;

/// A matrix whose elements are values of an [`super::Algebra`], row after row, or a text.
#[derive(Clone, Debug)]
pub struct Value<V> {
    pub rows: usize,
    pub columns: usize,
    pub class: Class,
    pub(super) of: Elements<V>,
}

/// How the elements are held. Small matrices of code are held element by element, so that to take or set one costs
/// nothing; long ones as a whole, so that an operation is one instruction.
#[derive(Clone, Debug)]
pub(super) enum Elements<V> {
    Whole(V),
    Each(Rc<[V]>),
    Text(Rc<str>),
    Fields(Rc<[(Rc<str>, Value<V>)]>),
}

impl<V: Clone> Value<V> {
    pub fn whole(of: V, rows: usize, columns: usize) -> Value<V> {
        Value { rows, columns, class: Class::Double, of: Elements::Whole(of) }
    }

    pub fn scalar(of: V) -> Value<V> {
        Value::whole(of, 1, 1)
    }

    /// A matrix of elements row after row.
    pub(crate) fn each(of: Vec<V>, rows: usize, columns: usize) -> Value<V> {
        debug_assert_eq!(of.len(), rows * columns, "the elements of a matrix");
        let of = match of.into_iter().collect::<Rc<[V]>>() {
            one if one.len() == 1 => Elements::Whole(one[0].clone()),
            of => Elements::Each(of),
        };
        Value { rows, columns, class: Class::Double, of }
    }

    pub(super) fn empty(rows: usize, columns: usize) -> Value<V> {
        Value { rows, columns, class: Class::Double, of: Elements::Each(Rc::from([])) }
    }

    pub(super) fn text(text: &str) -> Value<V> {
        let columns = text.chars().count();
        Value { rows: usize::from(columns > 0), columns, class: Class::Double, of: Elements::Text(Rc::from(text)) }
    }

    /// The same elements as numbers of a class.
    pub(super) fn of_class(self, class: Class) -> Value<V> {
        Value { class, ..self }
    }

    /// Whether it holds truths, so that as an index it selects elements.
    pub(super) fn is_logical(&self) -> bool {
        self.class == Class::Logical
    }

    pub fn count(&self) -> usize {
        self.rows * self.columns
    }

    /// Returns the elements of a value of an expression, which holds them as a whole.
    pub(crate) fn into_whole(self) -> V {
        match self.of {
            Elements::Whole(of) => of,
            Elements::Each(each) => each[0].clone(),
            Elements::Text(_) | Elements::Fields(_) => unreachable!("expressions have no texts and structures"),
        }
    }

    /// Returns all elements as one value, of a matrix that is not empty.
    pub(crate) fn whole_with(&self, join: impl Fn(&[V]) -> V) -> V {
        match &self.of {
            Elements::Whole(of) => of.clone(),
            Elements::Each(each) => join(each),
            Elements::Text(_) | Elements::Fields(_) => unreachable!("a text and a structure have no elements"),
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

    /// The class by the name that code has for it.
    pub(super) fn class_name(&self) -> &'static str {
        match &self.of {
            Elements::Text(_) => "char",
            Elements::Fields(_) => "struct",
            _ => self.class.name(),
        }
    }

    /// Whether it is of a class, or of a kind of classes such as 'float'.
    pub(super) fn is_a(&self, kind: &str) -> bool {
        let class = self.class_name();
        let is_float = matches!(class, "double" | "single");
        let is_integer = self.class.is_integer() && !matches!(class, "char" | "struct");
        match kind {
            "float" => is_float,
            "integer" => is_integer,
            "numeric" => is_float || is_integer,
            "real" => is_float || is_integer || class == "logical",
            _ => kind == class,
        }
    }

    /// The size as text, such as 2×3.
    pub(super) fn size_text(&self) -> String {
        format!("{}×{}", self.rows, self.columns)
    }

    /// The size and the class as text, such as 2×3, or int8 2×3.
    pub(super) fn kind_text(&self) -> String {
        match (self.as_text(), self.class) {
            _ if self.fields().is_some() => format!("a structure of {}", self.field_names().join(", ")),
            (Some(text), _) => format!("the text “{text}”"),
            (None, Class::Double | Class::Logical) => self.size_text(),
            (None, class) => format!("{} {}", class.name(), self.size_text()),
        }
    }

    /// Whether a variable may hold this value or the other one: size and class are equal, and truths count as numbers.
    pub(super) fn is_like(&self, other: &Value<V>) -> bool {
        if let (Some(fields), Some(others)) = (self.fields(), other.fields()) {
            let has_same = |(name, value): &(Rc<str>, Value<V>)| other.field(name).is_some_and(|of| value.is_like(of));
            return fields.len() == others.len() && fields.iter().all(has_same);
        }
        let has_fields = self.fields().is_some() || other.fields().is_some();
        let is_plain = |class: Class| matches!(class, Class::Double | Class::Logical);
        let is_text = self.as_text().is_some() || other.as_text().is_some();
        (self.rows, self.columns) == (other.rows, other.columns)
            && (self.class == other.class || is_plain(self.class) && is_plain(other.class))
            && !is_text
            && !has_fields
    }

    /// The same elements in another shape.
    pub(super) fn reshaped(mut self, rows: usize, columns: usize) -> Value<V> {
        debug_assert_eq!(self.count(), rows * columns, "a shape of the same elements");
        (self.rows, self.columns) = (rows, columns);
        self
    }
}

/// Elements of which the run may choose some.
pub(super) struct Chosen<V> {
    pub value: Value<V>,
    /// For each element of the vector `value` whether it is chosen; none for a value with all its elements.
    pub on: Option<Vec<V>>,
    /// Whether they are the indices of nonzero elements.
    pub is_found: bool,
}

impl<V> Chosen<V> {
    pub fn all(value: Value<V>) -> Chosen<V> {
        Chosen { value, on: None, is_found: false }
    }
}
