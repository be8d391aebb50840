//! Values of Scilab as files of Xcos hold them.

use std::rc::Rc;

/// A value: a matrix, a list, or a point of a link.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Data {
    #[default]
    Nothing,
    /// Numbers, row after row; booleans and integers are numbers too.
    Numbers {
        rows: usize,
        columns: usize,
        values: Vec<f64>,
    },
    /// Texts, row after row.
    Texts(Vec<String>),
    /// A list; of a typed list, the first item names the fields.
    List(Vec<Rc<Data>>),
    Point(f64, f64),
}

impl Data {
    /// The field of a typed list.
    pub fn field(&self, name: &str) -> Option<&Data> {
        let Data::List(items) = self else { return None };
        let place = items.first()?.texts().iter().position(|known| known == name)?;
        items.get(place).map(|item| &**item)
    }

    /// The type of a typed list.
    pub fn kind(&self) -> &str {
        match self {
            Data::List(items) => {
                items.first().and_then(|item| item.texts().first()).map(String::as_str).unwrap_or_default()
            }
            _ => "",
        }
    }

    pub fn texts(&self) -> &[String] {
        if let Data::Texts(texts) = self { texts } else { &[] }
    }

    pub fn numbers(&self) -> &[f64] {
        if let Data::Numbers { values, .. } = self { values } else { &[] }
    }

    pub fn items(&self) -> &[Rc<Data>] {
        if let Data::List(items) = self { items } else { &[] }
    }

    /// The first number, or that of the first text.
    pub fn number(&self) -> Option<f64> {
        self.numbers().first().copied().or_else(|| self.texts().first()?.trim().parse().ok())
    }

    /// The value as an expression, or as texts one below the other; none if it is empty or a list.
    pub fn text(&self) -> Option<String> {
        match self {
            Data::Numbers { rows, columns, values } if !values.is_empty() => {
                let number = |value: &f64| crate::block::number_text(*value);
                if let [value] = values[..] {
                    return Some(number(&value));
                }
                let row = |row: &[f64]| row.iter().map(number).collect::<Vec<_>>().join(" ");
                let columns = if rows * columns == values.len() { (*columns).max(1) } else { 1 };
                Some(format!("[{}]", values.chunks(columns).map(row).collect::<Vec<_>>().join("; ")))
            }
            Data::Texts(texts) if !texts.is_empty() => Some(texts.join("\n")),
            _ => None,
        }
    }
}
