//! Lines of C: indentation, the width of the page, and which lines belong to which blocks.

use crate::engine::UnitId;

/// The width of the page.
const WIDTH: usize = 112;

/// Lines of the code with the units that they belong to.
#[derive(Clone, Debug, Default)]
pub struct Text {
    lines: Vec<String>,
    depth: usize,
    /// For each line the units that it belongs to, by index in `groups`.
    owners: Vec<Option<u32>>,
    groups: Vec<Vec<UnitId>>,
    group: Option<u32>,
}

impl Text {
    pub fn new(depth: usize) -> Text {
        Text { depth, ..Text::default() }
    }

    /// Lines from here on belong to these units.
    pub fn belongs_to(&mut self, units: &[UnitId]) {
        self.group = None;
        if !units.is_empty() {
            self.group = Some(self.groups.len() as u32);
            self.groups.push(units.to_vec());
        }
    }

    /// Adds a line, broken where it is longer than the page. A line that begins with `}` is further out, and so are those
    /// after one that ends with `{` further in.
    pub fn line(&mut self, line: &str) {
        if line.starts_with('}') {
            self.depth -= 1;
        }
        let indent = "    ".repeat(self.depth);
        let mut rest = line;
        let mut lead = indent.clone();
        while lead.len() + rest.len() > WIDTH {
            let room = WIDTH.saturating_sub(lead.len()).max(20);
            let Some(at) = break_before(rest, room) else { break };
            self.push(format!("{lead}{}", rest[..at].trim_end()));
            rest = rest[at..].trim_start();
            lead = format!("{indent}    ");
        }
        self.push(if rest.is_empty() { String::new() } else { format!("{lead}{rest}") });
        if line.ends_with('{') {
            self.depth += 1;
        }
    }

    fn push(&mut self, line: String) {
        self.lines.push(line);
        self.owners.push(self.group);
    }

    pub fn append(&mut self, other: Text) {
        let first = self.groups.len() as u32;
        self.groups.extend(other.groups);
        self.lines.extend(other.lines);
        self.owners.extend(other.owners.into_iter().map(|owner| owner.map(|owner| owner + first)));
    }

    /// Adds lines that are this much further in than they were written.
    pub fn append_within(&mut self, mut other: Text, depth: usize) {
        let indent = "    ".repeat(depth);
        other.lines.iter_mut().filter(|line| !line.is_empty()).for_each(|line| line.insert_str(0, &indent));
        self.append(other);
    }

    pub fn depth(&self) -> usize {
        self.depth
    }

    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Adds the line that begins the body of a function.
    pub fn push_open(&mut self) {
        self.push("{".to_owned());
        self.depth += 1;
    }

    /// Whether a word is in some line, outside of comments.
    pub fn uses_word(&self, word: &str) -> bool {
        let is_part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '>');
        let code = self.lines.iter().filter(|line| !line.trim_start().starts_with("/*"));
        code.into_iter().any(|line| {
            line.match_indices(word).any(|(at, _)| {
                let end = line[at + word.len()..].chars().next();
                !line[..at].ends_with(is_part) && (word.ends_with('[') || !end.is_some_and(is_part))
            })
        })
    }

    pub fn uses(&self, text: &str) -> bool {
        self.lines.iter().any(|line| line.contains(text))
    }

    /// Runs of lines, from 0, with the units that they belong to.
    pub fn owned(&self) -> impl Iterator<Item = (std::ops::Range<usize>, &[UnitId])> {
        let mut first = 0;
        self.owners.chunk_by(|a, b| a == b).filter_map(move |run| {
            let lines = first..first + run.len();
            first = lines.end;
            Some((lines, &*self.groups[run[0]? as usize]))
        })
    }

    pub fn into_string(self) -> String {
        let mut text = self.lines.join("\n");
        text.push('\n');
        text
    }
}

/// Returns the last blank before `room` bytes, outside of comments, at which an expression can be wrapped.
fn break_before(line: &str, room: usize) -> Option<usize> {
    let (mut found, mut after_comma) = (None, None);
    let mut is_comment = false;
    for (at, character) in line.char_indices() {
        if line[at..].starts_with("/*") {
            is_comment = true;
        } else if line[..at].ends_with("*/") {
            is_comment = false;
        }
        if at > room && found.is_some() {
            break;
        }
        if character == ' ' && !is_comment && at > 0 && !line[at..].starts_with(" /*") {
            found = Some(at);
            after_comma = found.filter(|_| line[..at].ends_with(',')).or(after_comma);
        }
    }
    // Lists are broken between their elements.
    after_comma.filter(|at| *at > room / 2).or(found)
}
