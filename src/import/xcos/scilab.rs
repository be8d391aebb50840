//! Values of Scilab: texts, numbers and lists.

use super::super::section::Section;
use crate::block::number_text;

/// The most elements of a value.
const MAX_ELEMENTS: usize = 1_000_000;

/// A value. The elements of matrices are stored row after row.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Texts { rows: usize, each: Vec<String> },
    Numbers { rows: usize, each: Vec<f64> },
    List(Vec<Value>),
}

impl Default for Value {
    fn default() -> Value {
        Value::Numbers { rows: 0, each: Vec::new() }
    }
}

fn by_rows<T: Clone + Default>(outer: Vec<Vec<T>>, is_swapped: bool) -> (usize, Vec<T>) {
    if !is_swapped {
        return (outer.len(), outer.concat());
    }
    let rows = outer.iter().map(Vec::len).max().unwrap_or(0);
    let each = (0..rows).flat_map(|row| outer.iter().map(move |column| column.get(row).cloned().unwrap_or_default()));
    (rows, each.collect())
}

impl Value {
    /// A matrix of texts from its rows, or from its columns.
    pub fn texts(outer: Vec<Vec<String>>, is_swapped: bool) -> Value {
        let (rows, each) = by_rows(outer, is_swapped);
        Value::Texts { rows, each }
    }

    pub fn numbers(outer: Vec<Vec<f64>>, is_swapped: bool) -> Value {
        let (rows, each) = by_rows(outer, is_swapped);
        Value::Numbers { rows, each }
    }

    /// Reads a value of XML; `dictionary` has those that are stored beside it.
    pub fn of(section: &Section, dictionary: &[Value]) -> Value {
        if section.get("binary") == Some("true") {
            let position = section.get("position").and_then(|text| text.parse::<usize>().ok());
            return position.and_then(|position| dictionary.get(position)).cloned().unwrap_or_default();
        }
        if section.name == "Array" {
            return Value::List(section.sections.iter().map(|inner| Value::of(inner, dictionary)).collect());
        }
        let size = |name: &str| section.get(name).and_then(|text| text.parse::<usize>().ok()).unwrap_or(0);
        let (rows, columns) = (size("height"), size("width"));
        if rows.saturating_mul(columns) > MAX_ELEMENTS {
            return Value::default();
        }
        let mut each = vec![String::new(); rows * columns];
        for data in section.all("data") {
            let place = |name: &str| data.get(name).and_then(|text| text.parse::<usize>().ok());
            let at = place("line").zip(place("column")).filter(|(_, column)| *column < columns);
            let text = ["value", "realPart", "intValue"].iter().find_map(|name| data.get(name));
            if let (Some((line, column)), Some(text)) = (at, text)
                && let Some(element) = each.get_mut(line.saturating_mul(columns) + column)
            {
                text.clone_into(element);
            }
        }
        match &*section.name {
            "ScilabString" => Value::Texts { rows, each },
            _ => {
                let number = |text: String| match &*text {
                    "true" => 1.0,
                    text => text.parse().unwrap_or(0.0),
                };
                Value::Numbers { rows, each: each.into_iter().map(number).collect() }
            }
        }
    }

    pub fn items(&self) -> &[Value] {
        if let Value::List(items) = self { items } else { &[] }
    }

    pub fn item(&self, index: usize) -> Option<&Value> {
        self.items().get(index)
    }

    /// The texts of a value, of a list those of its parts; numbers as texts.
    pub fn as_texts(&self) -> Vec<String> {
        match self {
            Value::Texts { each, .. } => each.clone(),
            Value::Numbers { each, .. } if each.is_empty() => Vec::new(),
            Value::Numbers { .. } => vec![self.as_matrix()],
            Value::List(items) => items.iter().flat_map(Value::as_texts).collect(),
        }
    }

    /// A matrix as an expression.
    pub fn as_matrix(&self) -> String {
        match self {
            Value::Numbers { rows, each } => {
                let columns = each.len() / (*rows).max(1);
                let row = |row: &[f64]| row.iter().map(|number| number_text(*number)).collect::<Vec<_>>().join(" ");
                match each[..] {
                    [number] => number_text(number),
                    _ => format!("[{}]", each.chunks(columns.max(1)).map(row).collect::<Vec<_>>().join("; ")),
                }
            }
            _ => String::new(),
        }
    }

    pub fn as_numbers(&self) -> &[f64] {
        if let Value::Numbers { each, .. } = self { each } else { &[] }
    }

    /// The type and the fields of a list that begins with their names: `Block(graphics, model, …)`.
    pub fn field(&self, name: &str) -> Option<&Value> {
        let Some(Value::Texts { each, .. }) = self.item(0) else { return None };
        self.item(each.iter().position(|known| known == name)?)
    }

    pub fn is_list_of(&self, kind: &str) -> bool {
        matches!(self.item(0), Some(Value::Texts { each, .. }) if each.first().is_some_and(|first| first == kind))
    }
}
