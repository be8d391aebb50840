//! The result of a call. Every result is bounded, and says what it leaves out.

use serde_json::{Map, Value, json};

/// The result of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct CallResult {
    /// An object; if its only member is `text`, a client for people shows that text.
    pub data: Value,
    /// A picture as the bytes of a .png file.
    pub picture: Option<Vec<u8>>,
}

/// The maximum number of characters of a text, unless a call says otherwise.
pub const MAX_TEXT: usize = 20_000;

impl CallResult {
    pub fn of(data: Value) -> CallResult {
        CallResult { data, picture: None }
    }

    /// Returns a text, of which complete lines up to `limit` characters are kept.
    pub fn text(text: &str, limit: usize, how_to_continue: &str) -> CallResult {
        let (kept, lines_left) = first_lines(text, limit);
        match lines_left {
            0 => CallResult::of(json!({"text": kept})),
            left => CallResult::of(json!({"text": kept, "left_out": format!("{left} more lines; {how_to_continue}")})),
        }
    }

    /// Returns the result for readers: its text, with a line that names the rest, or the data as JSON.
    pub fn as_text(&self) -> String {
        let Some(object) = self.data.as_object() else { return self.data.to_string() };
        let text = object.get("text").and_then(Value::as_str);
        let is_only_text = |object: &Map<String, Value>| object.keys().all(|key| key == "text" || key == "left_out");
        match text.filter(|_| is_only_text(object)) {
            Some(text) => match object.get("left_out").and_then(Value::as_str) {
                Some(left_out) => format!("{text}\n({left_out})\n"),
                None => text.to_owned(),
            },
            None => self.data.to_string(),
        }
    }
}

/// Returns the complete lines of a text within a number of characters, and the number of lines that are left out. The
/// first line is cut if it alone is too long.
fn first_lines(text: &str, limit: usize) -> (String, usize) {
    let mut kept = String::new();
    let mut used = 0;
    let mut lines = text.split_inclusive('\n');
    for line in lines.by_ref() {
        let length = line.chars().count();
        if used + length > limit {
            if kept.is_empty() {
                kept = line.chars().take(limit).collect();
            }
            return (kept, 1 + lines.count());
        }
        used += length;
        kept.push_str(line);
    }
    (kept, 0)
}

/// Returns the items of a list that fit into a number of characters as JSON, and the number of those left out.
pub fn first_items(items: impl IntoIterator<Item = Value>, limit: usize) -> (Vec<Value>, usize) {
    let (mut kept, mut used, mut left) = (Vec::new(), 0, 0);
    for item in items {
        used += item.to_string().chars().count() + 1;
        if used > limit && !kept.is_empty() {
            left += 1;
        } else {
            kept.push(item);
        }
    }
    (kept, left)
}

/// Returns a number as JSON: infinities and not-a-number are the texts `inf`, `-inf` and `nan`.
pub fn number(value: f64) -> Value {
    if value.is_nan() {
        return "nan".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf".into() } else { "-inf".into() };
    }
    json!(value)
}

/// Returns a number rounded to so many significant digits; 17 keep every bit.
pub fn rounded(value: f64, digits: usize) -> Value {
    if !value.is_finite() || digits >= 17 {
        return number(value);
    }
    let text = format!("{value:.*e}", digits.saturating_sub(1));
    number(text.parse().unwrap_or(value))
}
