//! Reads the parts of a line: names, values, attributes. It knows the rules of [`super::words`] and where it stands.

use super::fault::{Fault, found, malformed};
use super::words::{self, ARROW, BLANK, Brackets, FENCE, NAME_ENDS, NOTHING};
use crate::format::LoadError;
use crate::model::{TextPosition, is_storable, is_xml_name};

/// A name or a value with the place where it begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Word {
    pub text: String,
    pub position: TextPosition,
}

/// The attributes of a line; one without a value stands elsewhere in the line.
pub(super) type Braces = Vec<(Word, Option<String>)>;

/// A place in a text, line by line.
pub(super) struct Cursor<'a> {
    text: &'a str,
    /// The offset of the line after this one.
    next: usize,
    /// The offset of this line.
    start: usize,
    line: &'a str,
    number: usize,
    /// The offset in this line.
    at: usize,
    /// A place in this line whose column is known: lines may be long.
    counted: (usize, usize),
}

impl<'a> Cursor<'a> {
    /// Begins before the first line.
    pub fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, next: 0, start: 0, line: "", number: 0, at: 0, counted: (0, 1) }
    }

    /// Moves to the next line, after its indentation; returns false at the end of the text.
    pub fn next_line(&mut self) -> bool {
        let Some(rest) = self.text.get(self.next..).filter(|rest| !rest.is_empty()) else { return false };
        self.line = rest.split('\n').next().unwrap_or_default();
        self.start = self.next;
        self.next += self.line.len() + 1;
        self.number += 1;
        (self.at, self.counted) = (0, (0, 1));
        self.skip_blanks();
        true
    }

    /// The rest of the line.
    pub fn rest(&self) -> &'a str {
        self.line.get(self.at..).unwrap_or_default()
    }

    /// The text from here to its end.
    pub fn rest_of_text(&self) -> &'a str {
        self.text.get(self.start + self.at..).unwrap_or_default()
    }

    /// Moves over a part that may end in a later line, of which only blanks may follow.
    pub fn skip_item(&mut self, length: usize) -> Result<(), LoadError> {
        let end = self.start + self.at + length;
        while self.next <= end && self.next_line() {}
        self.at = end.saturating_sub(self.start).min(self.line.len());
        self.skip_blanks();
        match self.rest().is_empty() {
            true => Ok(()),
            false => Err(self.expected("the end of the line")),
        }
    }

    pub fn position(&mut self) -> TextPosition {
        let (from, column) = if self.counted.0 <= self.at { self.counted } else { (0, 1) };
        let column = column + self.line.get(from..self.at).unwrap_or_default().chars().count();
        self.counted = (self.at, column);
        TextPosition { line: self.number.max(1), column }
    }

    pub fn fault(&mut self, fault: &Fault) -> LoadError {
        malformed(self.position(), fault)
    }

    pub fn expected(&mut self, what: &'static str) -> LoadError {
        let found = found(self.rest());
        self.fault(&Fault::Expected { what, found })
    }

    pub fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(BLANK).len();
    }

    /// Moves over a mark and the blanks after it, if it stands here.
    pub fn skip(&mut self, mark: &str) -> bool {
        let is_here = self.rest().starts_with(mark);
        if is_here {
            self.at += mark.len();
            self.skip_blanks();
        }
        is_here
    }

    pub fn is_comment(&self) -> bool {
        words::is_comment_at(self.line, self.at)
    }

    /// Whether the statement ends here, though a comment may follow.
    pub fn is_end(&self) -> bool {
        self.rest().is_empty() || self.is_comment()
    }

    /// Takes the text of the comment that stands here, to the end of the line.
    pub fn comment(&mut self) -> Option<&'a str> {
        let comment = self.is_comment().then(|| self.rest().strip_prefix(words::COMMENT))?;
        self.at = self.line.len();
        comment
    }

    /// Requires the end of the statement.
    pub fn end(&mut self, what: &'static str) -> Result<(), LoadError> {
        if self.is_end() { Ok(()) } else { Err(self.expected(what)) }
    }

    /// Takes the text up to one of these characters, an arrow or a comment, without the blanks around it.
    fn raw(&mut self, ends: &[char], is_end: impl Fn(&str, usize) -> bool) -> &'a str {
        let rest = self.rest();
        let (line, at) = (self.line, self.at);
        let is_comment = |offset: usize| words::is_comment_at(line, at + offset);
        let end = rest.char_indices().find(|&(offset, character)| {
            ends.contains(&character)
                || (character == '/' && is_comment(offset))
                || (character == '@' && words::is_position_at(line, at + offset))
                || is_end(rest, offset)
        });
        let raw = rest.get(..end.map_or(rest.len(), |(offset, _)| offset)).unwrap_or_default();
        self.at += raw.len();
        raw.trim_end_matches(BLANK)
    }

    /// Takes a word: in quotes, or up to one of these characters; `what` names it in the error if it is missing.
    pub fn word(&mut self, ends: &[char], what: &'static str) -> Result<Word, LoadError> {
        let position = self.position();
        if self.rest().starts_with('"') {
            let text = self.quoted()?;
            self.skip_blanks();
            return Ok(Word { text, position });
        }
        let text = self.raw(ends, |rest, offset| rest.get(offset..).is_some_and(|rest| rest.starts_with(ARROW)));
        match text.is_empty() {
            true => Err(self.expected(what)),
            false => Ok(Word { text: text.to_owned(), position }),
        }
    }

    /// Takes the name of a block, a port or a model.
    pub fn name(&mut self, what: &'static str) -> Result<Word, LoadError> {
        self.word(NAME_ENDS, what)
    }

    /// Takes an id after its `#`.
    pub fn id(&mut self) -> Result<crate::model::BlockId, LoadError> {
        let position = self.position();
        let rest = self.rest();
        let end = rest.find(|character: char| !(character.is_ascii_digit() || character == '-')).unwrap_or(rest.len());
        // An arrow may follow without a blank.
        let digits = rest.get(..end).unwrap_or_default().trim_end_matches('-');
        self.at += digits.len();
        self.skip_blanks();
        crate::model::BlockId::parse(digits).ok_or_else(|| {
            let word = rest.split([' ', '.', ':', ',']).next().unwrap_or_default();
            malformed(position, &Fault::Id(word.chars().take(30).collect()))
        })
    }

    /// Takes a value: a text up to a comma or semicolon outside brackets, or one in quotes.
    pub fn value(&mut self) -> Result<String, LoadError> {
        if self.rest().starts_with(FENCE) {
            return self.fenced();
        }
        if self.rest().starts_with('"') {
            let text = self.quoted()?;
            self.skip_blanks();
            return Ok(text);
        }
        let rest = self.rest();
        let mut open = Brackets::default();
        let mut length = rest.len();
        for (offset, character) in rest.char_indices() {
            let is_end = match character {
                ',' | ';' => open.is_empty(),
                '{' => true,
                '}' => true,
                '/' => words::is_comment_at(self.line, self.at + offset),
                '@' => words::is_position_at(self.line, self.at + offset),
                _ => false,
            };
            if is_end {
                length = offset;
                break;
            }
            if character == '"' || !open.see(character) {
                self.at += offset;
                let fault = if character == '"' { Fault::InValue('"') } else { Fault::NotOpened(character) };
                return Err(self.fault(&fault));
            }
        }
        let text = rest.get(..length).unwrap_or_default().trim_end_matches(BLANK);
        if let Some(missing) = open.expected() {
            self.at += text.len();
            return Err(self.fault(&Fault::NotClosed(missing)));
        }
        if text.is_empty() {
            return Err(self.expected("a value"));
        }
        self.at += length;
        Ok(text.to_owned())
    }

    /// Takes the values of an option, separated by semicolons; `()` is none.
    pub fn values(&mut self) -> Result<Vec<String>, LoadError> {
        if let Some(after) = self.rest().strip_prefix(NOTHING) {
            let after = after.trim_start_matches(BLANK);
            if after.is_empty() || after.starts_with([',', '{', '@', '/']) {
                self.skip(NOTHING);
                return Ok(Vec::new());
            }
        }
        let mut values = vec![self.value()?];
        while self.skip(";") {
            values.push(self.value()?);
        }
        Ok(values)
    }

    /// Takes the one value of `what`.
    pub fn only_value(&mut self, what: &'static str) -> Result<String, LoadError> {
        let value = self.value()?;
        match self.rest().starts_with(';') {
            true => Err(self.fault(&Fault::SeveralValues(what))),
            false => Ok(value),
        }
    }

    /// Takes `{name=value, …}`, if it stands here.
    pub fn braces(&mut self) -> Result<Braces, LoadError> {
        let mut attributes = Braces::new();
        if !self.skip("{") {
            return Ok(attributes);
        }
        if self.skip("}") {
            return Ok(attributes);
        }
        loop {
            let name = self.attribute_name()?;
            if attributes.iter().any(|(known, _)| known.text == name.text) {
                return Err(malformed(name.position, &Fault::SameAttribute(name.text)));
            }
            let value = if self.skip("=") { Some(self.only_value("an attribute")?) } else { None };
            attributes.push((name, value));
            match (self.skip(","), self.skip("}")) {
                (true, false) => {}
                (false, true) => return Ok(attributes),
                _ => return Err(self.expected("“,” or “}”")),
            }
        }
    }

    pub fn attribute_name(&mut self) -> Result<Word, LoadError> {
        let name = self.word(&['=', ',', '{', '}', '"', ';'], "the name of an attribute")?;
        match is_xml_name(&name.text) {
            true => Ok(name),
            false => Err(malformed(name.position, &Fault::AttributeName(name.text))),
        }
    }

    /// Takes a text in quotes, with the escapes of JSON.
    fn quoted(&mut self) -> Result<String, LoadError> {
        let start = self.at;
        let rest = self.rest();
        let mut text = String::new();
        let mut characters = rest.char_indices().skip(1).peekable();
        while let Some((offset, character)) = characters.next() {
            match character {
                '"' => {
                    self.at += offset + 1;
                    return match text.chars().find(|character| !is_storable(*character)) {
                        Some(character) => {
                            self.at = start;
                            Err(self.fault(&Fault::Character(character)))
                        }
                        None => Ok(text),
                    };
                }
                '\\' => {
                    let escape = rest.get(offset..).unwrap_or_default();
                    let Some((character, length)) = unescaped(escape) else {
                        self.at += offset;
                        let shown = escape.chars().take(if escape.starts_with("\\u") { 6 } else { 2 }).collect();
                        return Err(self.fault(&Fault::Escape(shown)));
                    };
                    text.push(character);
                    while characters.next_if(|(next, _)| *next < offset + length).is_some() {}
                }
                _ => text.push(character),
            }
        }
        Err(self.fault(&Fault::EndlessQuote))
    }

    /// Takes the lines between two fences.
    fn fenced(&mut self) -> Result<String, LoadError> {
        let begin = self.position();
        self.at += FENCE.len();
        self.skip_blanks();
        if !self.rest().is_empty() {
            return Err(self.expected("the end of the line after \"\"\""));
        }
        let mut lines = Vec::new();
        while self.next_line() {
            if self.rest().starts_with(FENCE) {
                self.at += FENCE.len();
                self.skip_blanks();
                return Ok(words::unindented(&lines));
            }
            lines.push(self.line);
        }
        Err(malformed(begin, &Fault::EndlessFence))
    }
}

/// Returns the character of an escape and the length of the escape.
fn unescaped(escape: &str) -> Option<(char, usize)> {
    let mut letters = escape.chars().skip(1);
    let plain = match letters.next()? {
        '"' => '"',
        '\\' => '\\',
        '/' => '/',
        'b' => '\u{8}',
        'f' => '\u{C}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            let unit = |at: usize| {
                let digits =
                    escape.get(at..at + 4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
                u16::from_str_radix(digits, 16).ok()
            };
            let first = unit(2)?;
            if let Some(character) = char::from_u32(first.into()) {
                return Some((character, 6));
            }
            let second = unit(8).filter(|_| escape.get(6..8) == Some("\\u"))?;
            return char::decode_utf16([first, second]).next()?.ok().map(|character| (character, 12));
        }
        _ => return None,
    };
    Some((plain, 2))
}
