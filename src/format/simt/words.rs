//! The rules of quoting that the reader and the writer share: a plain text stands in a line as it is, others in quotes.

use crate::model::{is_format_control, is_storable};

/// The blanks within a line.
pub(super) const BLANK: [char; 2] = [' ', '\t'];

/// The words that a line may begin with.
pub(super) const SIMULATION: &str = "simulation";
pub(super) const MODEL: &str = "model";
pub(super) const PROLOG: &str = "prolog";
pub(super) const EPILOG: &str = "epilog";
const KEYWORDS: [&str; 4] = [SIMULATION, MODEL, PROLOG, EPILOG];

/// The kinds of blocks that are no block of the library.
pub(super) const INPUT: &str = "input";
pub(super) const OUTPUT: &str = "output";

pub(super) const ARROW: &str = "->";
pub(super) const COMMENT: &str = "//";
/// The mark that begins and ends a text of several lines.
pub(super) const FENCE: &str = "\"\"\"";
/// An option without values.
pub(super) const NOTHING: &str = "()";

/// The characters that end a name: of a block, a port, a model.
pub(super) const NAME_ENDS: &[char] = &['.', ':', ',', '=', '#', '"', '{', '}', ';'];
/// The characters that end the name of an option.
pub(super) const OPTION_ENDS: &[char] = &['=', ',', '"', '{', '}', ';'];
/// The characters that end a part of a kind.
pub(super) const KIND_ENDS: &[char] = &['/', ',', '=', '"', '{', '}', ';', '@'];

/// Returns the word of [`KEYWORDS`] that a line begins with.
pub(super) fn keyword(line: &str) -> Option<&'static str> {
    KEYWORDS.into_iter().find(|word| {
        let rest = line.strip_prefix(word);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '"', '{', ',']))
    })
}

/// Whether a comment begins here: after a blank or at the beginning, so that `http://` is no comment.
pub(super) fn is_comment_at(line: &str, at: usize) -> bool {
    line.get(at..).is_some_and(|rest| rest.starts_with(COMMENT))
        && line.get(..at).is_some_and(|before| before.is_empty() || before.ends_with(BLANK))
}

/// Whether the position of a block begins here, after a blank.
pub(super) fn is_position_at(line: &str, at: usize) -> bool {
    line.get(at..).is_some_and(|rest| rest.strip_prefix('@').is_some_and(|rest| rest.starts_with(BLANK)))
        && line.get(..at).is_some_and(|before| before.is_empty() || before.ends_with(BLANK))
}

/// Whether a text must be quoted wherever it stands.
fn is_odd(text: &str) -> bool {
    text.is_empty()
        || text.trim() != text
        || text.starts_with(COMMENT)
        || text.contains(" //")
        || text.contains(" @")
        || text.chars().any(|character| character.is_control() || is_format_control(character))
}

/// Returns the name of a block, a port or a model as it is written.
pub(super) fn name(name: &str) -> String {
    let begins_as_else = || name.starts_with(['<', '@']) || keyword(name).is_some();
    match is_odd(name) || begins_as_else() || name.contains(NAME_ENDS) || name.contains(ARROW) {
        true => quoted(name),
        false => name.to_owned(),
    }
}

/// Returns the name of an option as it is written.
pub(super) fn option_name(name: &str) -> String {
    match is_odd(name) || name.starts_with('@') || name.contains(OPTION_ENDS) || name.contains(ARROW) {
        true => quoted(name),
        false => name.to_owned(),
    }
}

/// Returns a group or the name of a kind as it is written.
pub(super) fn kind_part(part: &str) -> String {
    let is_other = [INPUT, OUTPUT].contains(&part) || keyword(part).is_some();
    match is_odd(part) || is_other || part.contains(KIND_ENDS) || part.contains(ARROW) {
        true => quoted(part),
        false => part.to_owned(),
    }
}

/// Returns a value as it is written within a line.
pub(super) fn value(text: &str) -> String {
    match is_plain_value(text) {
        true => text.to_owned(),
        false => quoted(text),
    }
}

fn is_plain_value(text: &str) -> bool {
    if is_odd(text) || text == NOTHING || text.starts_with('@') {
        return false;
    }
    let mut open = Brackets::default();
    let is_within = |character: char| match character {
        '"' | '{' | '}' => false,
        ',' | ';' => !open.is_empty(),
        _ => open.see(character),
    };
    text.chars().all(is_within) && open.is_empty()
}

/// The brackets that are open in a value.
#[derive(Default)]
pub(super) struct Brackets(Vec<char>);

impl Brackets {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bracket that is expected to close the innermost open one.
    pub fn expected(&self) -> Option<char> {
        self.0.last().copied()
    }

    /// Takes the next character; returns whether it is no bracket, or one that fits.
    pub fn see(&mut self, character: char) -> bool {
        match character {
            '(' => self.0.push(')'),
            '[' => self.0.push(']'),
            ')' | ']' => return self.0.pop() == Some(character),
            _ => {}
        }
        true
    }
}

/// Returns a text in quotes, with the escapes of JSON; invisible characters are escaped too.
pub(super) fn quoted(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 2);
    written.push('"');
    for character in text.chars() {
        match character {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            _ if character.is_control() || is_format_control(character) => {
                let mut units = [0; 2];
                for unit in character.encode_utf16(&mut units) {
                    written.push_str(&format!("\\u{unit:04x}"));
                }
            }
            _ => written.push(character),
        }
    }
    written.push('"');
    written
}

/// Returns a text of several lines between fences, each line with this indentation; none if it would be read as another
/// text.
pub(super) fn fenced(text: &str, indentation: &str) -> Option<String> {
    if !text.contains('\n') || text.contains(FENCE) || !text.chars().all(is_visible) {
        return None;
    }
    let mut written = format!("{FENCE}\n");
    for line in text.split('\n') {
        if !line.is_empty() {
            written.push_str(indentation);
        }
        written.push_str(line);
        written.push('\n');
    }
    let lines: Vec<&str> = written.split('\n').skip(1).take(text.split('\n').count()).collect();
    (unindented(&lines) == text).then(|| format!("{written}{indentation}{FENCE}"))
}

fn is_visible(character: char) -> bool {
    is_storable(character)
        && (matches!(character, '\n' | '\t') || !(character.is_control() || is_format_control(character)))
}

/// Returns lines without the indentation that all of them have, apart from blank ones.
pub(super) fn unindented(lines: &[&str]) -> String {
    let indentation = |line: &str| line.len() - line.trim_start_matches(BLANK).len();
    let filled = lines.iter().filter(|line| !line.trim_matches(BLANK).is_empty());
    let common = filled.fold(None, |common: Option<&str>, line| {
        let own = line.get(..indentation(line)).unwrap_or_default();
        Some(common.map_or(own, |common| shared(common, own)))
    });
    let common = common.unwrap_or_default();
    let stripped = lines.iter().map(|line| line.strip_prefix(common).unwrap_or(line.trim_matches(BLANK)));
    stripped.collect::<Vec<_>>().join("\n")
}

/// Returns the common beginning of two indentations.
fn shared<'a>(one: &'a str, other: &str) -> &'a str {
    let length = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    one.get(..length).unwrap_or_default()
}
