//! Parses a start tag: its name, attributes, and the references in attribute values.

use std::borrow::Cow;

use super::fault::{Fault, short};
use super::text::{SPACE, is_character};
pub(super) use crate::model::is_xml_name as is_name;
use crate::model::is_xml_name_character as is_name_character;

/// A start tag or an empty element's tag.
#[derive(Clone, Debug)]
pub(super) struct Tag<'a> {
    pub name: &'a str,
    /// Names and values in file order, with references resolved.
    pub attributes: Vec<(&'a str, Cow<'a, str>)>,
    /// Whether it is an empty element, `<name/>`.
    pub is_empty: bool,
}

/// A fault with its byte offset in the tag.
pub(super) type FaultAt = (usize, Fault);

impl<'a> Tag<'a> {
    /// Parses a tag from its `<` to its `>`.
    pub fn parse(raw: &'a str) -> Result<Tag<'a>, FaultAt> {
        let inside = raw.strip_prefix('<').and_then(|raw| raw.strip_suffix('>'));
        // Offsets are found by where a text lies, so the empty one must lie in the tag too.
        let inside = inside.unwrap_or_else(|| raw.split_at(0).0);
        let (inside, is_empty) = match inside.strip_suffix('/') {
            Some(inside) => (inside, true),
            None => (inside, false),
        };
        let mut cursor = Cursor { raw, rest: inside };
        let name = cursor.name()?;
        let mut attributes = Vec::new();
        let mut offsets = Vec::new();
        loop {
            let has_space = cursor.skip_space();
            if cursor.rest.is_empty() {
                break;
            }
            if !has_space {
                return Err((cursor.offset(), Fault::NoSpace));
            }
            let offset = cursor.offset();
            let name = cursor.name()?;
            attributes.push((name, cursor.value(name)?));
            offsets.push((name, offset));
        }
        offsets.sort_unstable();
        let is_same = |pair: &[(&str, usize)]| matches!(pair, [first, second] if first.0 == second.0);
        if let Some([_, (name, offset)]) = offsets.windows(2).find(|pair| is_same(pair)) {
            return Err((*offset, Fault::SameAttribute(short(name))));
        }
        Ok(Tag { name, attributes, is_empty })
    }

    /// Removes an attribute and returns its value.
    pub fn take(&mut self, name: &str) -> Option<Cow<'a, str>> {
        let index = self.attributes.iter().position(|(known, _)| *known == name)?;
        Some(self.attributes.remove(index).1)
    }
}

struct Cursor<'a> {
    raw: &'a str,
    /// The unread rest of `raw`.
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    /// Returns the byte offset of the rest in the tag.
    fn offset(&self) -> usize {
        self.rest.as_ptr().addr() - self.raw.as_ptr().addr()
    }

    fn skip_space(&mut self) -> bool {
        let rest = self.rest.trim_start_matches(SPACE);
        let has_space = rest.len() < self.rest.len();
        self.rest = rest;
        has_space
    }

    fn skip(&mut self, wanted: char) -> bool {
        let rest = self.rest.strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn split_at(&mut self, length: usize) -> &'a str {
        let (head, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        head
    }

    fn name(&mut self) -> Result<&'a str, FaultAt> {
        let start = self.offset();
        let length = self.rest.find(|character| !is_name_character(character)).unwrap_or(self.rest.len());
        let is_whole = |rest: &str| rest.get(length..).is_none_or(|rest| !rest.starts_with(['"', '\'', '<', '&']));
        if is_name(self.rest.get(..length).unwrap_or_default()) && is_whole(self.rest) {
            return Ok(self.split_at(length));
        }
        let word = self.rest.split(SPACE).next().unwrap_or_default();
        Err((start, Fault::Name(short(word))))
    }

    fn value(&mut self, name: &str) -> Result<Cow<'a, str>, FaultAt> {
        self.skip_space();
        if !self.skip('=') {
            return Err((self.offset(), Fault::NoValue(short(name))));
        }
        self.skip_space();
        let start = self.offset();
        let quote = ['"', '\''].into_iter().find(|&quote| self.skip(quote));
        let length = quote.and_then(|quote| self.rest.find(quote));
        let (Some(quote), Some(length)) = (quote, length) else {
            return Err((start, Fault::NoQuote(short(name))));
        };
        let start = self.offset();
        let value = self.split_at(length);
        self.skip(quote);
        if let Some(less) = value.find('<') {
            return Err((start + less, Fault::LessInValue(short(name))));
        }
        unescape(value).map_err(|(offset, fault)| (start + offset, fault))
    }
}

/// Normalises an attribute value as XML requires: literal white space becomes a space, references become their
/// characters.
fn unescape(value: &str) -> Result<Cow<'_, str>, FaultAt> {
    if !value.contains(['&', '\t', '\n']) {
        return Ok(Cow::Borrowed(value));
    }
    let mut text = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find('&') {
        let (before, reference) = rest.split_at(at);
        push_spaced(&mut text, before);
        let start = value.len() - reference.len();
        let end = reference.find(';').ok_or((start, Fault::Ampersand))?;
        let name = reference.get(1..end).unwrap_or_default();
        text.push(resolve(name).map_err(|fault| (start, fault))?);
        rest = reference.get(end + 1..).unwrap_or_default();
    }
    push_spaced(&mut text, rest);
    Ok(Cow::Owned(text))
}

fn push_spaced(text: &mut String, part: &str) {
    text.extend(part.chars().map(|character| if matches!(character, '\t' | '\n') { ' ' } else { character }));
}

/// Resolves a reference, such as `lt`, `#10` or `#xA`. Other entities are not supported.
pub(super) fn resolve(name: &str) -> Result<char, Fault> {
    let code = match name {
        "lt" => return Ok('<'),
        "gt" => return Ok('>'),
        "amp" => return Ok('&'),
        "quot" => return Ok('"'),
        "apos" => return Ok('\''),
        _ => name.strip_prefix('#'),
    };
    let Some(code) = code else {
        return Err(if is_name(name) { Fault::Entity(short(name)) } else { Fault::Ampersand });
    };
    let (digits, radix) = match code.strip_prefix('x') {
        Some(digits) => (digits, 16),
        None => (code, 10),
    };
    // Rust's parser would also accept a sign.
    let has_only_digits = digits.chars().all(|digit| digit.is_digit(radix));
    let number = u32::from_str_radix(digits, radix).ok().filter(|_| has_only_digits);
    let character = number.and_then(char::from_u32).filter(|&character| is_character(character));
    character.ok_or_else(|| Fault::CharacterReference(short(name)))
}
