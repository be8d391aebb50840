//! Splits a text into tokens. quick-xml splits; this module checks what quick-xml does not, so that the text is well
//! formed up to the end of each token.

use std::borrow::Cow;
use std::ops::Range;

use quick_xml::errors::{Error, SyntaxError};
use quick_xml::events::Event;
use quick_xml::reader::Reader;

use super::fault::{Fault, short};
use super::tag::{Tag, is_name, resolve};
use super::text::{SPACE, START, advance};
use crate::format::LoadError;
use crate::model::TextPosition;

#[derive(Debug)]
pub(super) struct Token<'a> {
    pub kind: Kind<'a>,
    pub span: Span<'a>,
}

/// The position of a token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span<'a> {
    /// The characters of the token, verbatim.
    pub raw: &'a str,
    pub position: TextPosition,
    start: usize,
}

#[derive(Debug)]
pub(super) enum Kind<'a> {
    Start(Tag<'a>),
    /// The end of the innermost open element; the names match.
    End,
    /// Adjacent characters, references and CDATA, resolved to text.
    Text(Cow<'a, str>),
    /// A comment, a processing instruction or the DOCTYPE.
    Aside,
}

/// The name of the element that encloses an item of another text; no tag can have it.
const ENCLOSING: &str = "";

pub(super) struct Scanner<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// The position of the next token.
    position: TextPosition,
    offset: usize,
    /// An event that was read ahead at the end of a text.
    ahead: Option<(Piece<'a>, Range<usize>)>,
    open: Vec<(&'a str, TextPosition)>,
    has_root: bool,
    has_doctype: bool,
}

/// The kinds of quick-xml events that matter here.
enum Piece<'a> {
    Start,
    End,
    Text(Cow<'a, str>),
    Aside,
    Doctype,
    Declaration,
    Eof,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Scanner<'a> {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        // End tags are compared here, where the position of the open tag is known.
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        Scanner {
            text,
            reader,
            position: START,
            offset: 0,
            ahead: None,
            open: Vec::new(),
            has_root: false,
            has_doctype: false,
        }
    }

    /// Creates a scanner for an item that stands at this position within an element of another text.
    pub fn within(text: &'a str, position: TextPosition, is_in_root: bool) -> Scanner<'a> {
        Scanner { position, open: vec![(ENCLOSING, position)], has_root: is_in_root, ..Scanner::new(text) }
    }

    /// Returns the number of bytes up to the end of the last token, which is no text.
    pub fn consumed(&self) -> usize {
        self.position()
    }

    /// Returns the next token; none at the end of a complete document.
    pub fn next(&mut self) -> Result<Option<Token<'a>>, LoadError> {
        // quick-xml would skip a second byte-order mark without counting it, so that all offsets were wrong.
        if self.offset == 0 && self.text.starts_with('\u{FEFF}') {
            return Err(self.fault_at(0, Fault::TextOutside));
        }
        let (piece, range) = self.piece()?;
        let start = range.start;
        let position = self.move_to(start);
        let raw = self.text.get(range.clone()).unwrap_or_default();
        let token = |kind| Ok(Some(Token { kind, span: Span { raw, position, start } }));
        match piece {
            Piece::Start => {
                let tag = Tag::parse(raw).map_err(|(inside, fault)| self.fault_at(start + inside, fault))?;
                self.begin(&tag, position)?;
                token(Kind::Start(tag))
            }
            Piece::End => {
                self.end(raw, position)?;
                token(Kind::End)
            }
            Piece::Text(text) => self.text_run(text, range),
            Piece::Aside => {
                check_aside(raw).map_err(|(inside, fault)| self.fault_at(start + inside, fault))?;
                token(Kind::Aside)
            }
            Piece::Doctype => {
                if self.has_root || std::mem::replace(&mut self.has_doctype, true) {
                    return Err(malformed(position, &Fault::LateDoctype));
                }
                check_doctype(raw).map_err(|fault| malformed(position, &fault))?;
                token(Kind::Aside)
            }
            Piece::Declaration => match start {
                0 if is_declaration(raw) => self.next(),
                0 => Err(malformed(position, &Fault::Declaration)),
                _ => Err(malformed(position, &Fault::LateDeclaration)),
            },
            Piece::Eof => match (self.open.last(), self.has_root) {
                (Some((name, position)), _) => Err(malformed(*position, &Fault::NeverClosed(short(name)))),
                (None, true) => Ok(None),
                (None, false) if self.text.is_empty() => Err(malformed(START, &Fault::Empty)),
                (None, false) => Err(malformed(position, &Fault::NoRoot)),
            },
        }
    }

    /// Skips to the end of the element that `tag` begins and returns it verbatim.
    pub fn skip(&mut self, tag: Span<'a>) -> Result<&'a str, LoadError> {
        if tag.raw.ends_with("/>") {
            return Ok(tag.raw);
        }
        let outside = self.open.len().saturating_sub(1);
        while let Some(Token { span, .. }) = self.next()? {
            if self.open.len() == outside {
                return Ok(self.text.get(tag.start..span.start + span.raw.len()).unwrap_or_default());
            }
        }
        Ok(tag.raw)
    }

    /// Reads a text with its adjacent parts.
    fn text_run(&mut self, first: Cow<'a, str>, range: Range<usize>) -> Result<Option<Token<'a>>, LoadError> {
        let Range { start, mut end } = range;
        let position = self.position;
        let mut text = first;
        loop {
            let (piece, range) = self.piece()?;
            match piece {
                Piece::Text(more) => {
                    end = range.end;
                    text.to_mut().push_str(&more);
                }
                piece => {
                    self.ahead = Some((piece, range));
                    break;
                }
            }
        }
        let raw = self.text.get(start..end).unwrap_or_default();
        if self.open.is_empty() && !raw.trim_matches(SPACE).is_empty() {
            let space = raw.len() - raw.trim_start_matches(SPACE).len();
            return Err(self.fault_at(start + space, Fault::TextOutside));
        }
        Ok(Some(Token { kind: Kind::Text(text), span: Span { raw, position, start } }))
    }

    fn piece(&mut self) -> Result<(Piece<'a>, Range<usize>), LoadError> {
        if let Some(ahead) = self.ahead.take() {
            return Ok(ahead);
        }
        let start = self.position();
        let event = self.reader.read_event().map_err(|error| self.broken(&error))?;
        let range = start..self.position();
        let raw = self.text.get(range.clone()).unwrap_or_default();
        let piece = match event {
            Event::Start(_) | Event::Empty(_) => Piece::Start,
            Event::End(_) => Piece::End,
            Event::Text(_) => match raw.find("]]>") {
                Some(inside) => return Err(self.fault_at(start + inside, Fault::CDataEnd)),
                None => Piece::Text(Cow::Borrowed(raw)),
            },
            Event::CData(_) => {
                let inside = raw.strip_prefix("<![CDATA[").and_then(|raw| raw.strip_suffix("]]>"));
                Piece::Text(Cow::Borrowed(inside.unwrap_or_default()))
            }
            Event::GeneralRef(_) => {
                let name = raw.strip_prefix('&').and_then(|raw| raw.strip_suffix(';')).unwrap_or_default();
                let character = resolve(name).map_err(|fault| self.fault_at(start, fault))?;
                Piece::Text(Cow::Owned(character.to_string()))
            }
            Event::Comment(_) | Event::PI(_) => Piece::Aside,
            Event::DocType(_) => Piece::Doctype,
            Event::Decl(_) => Piece::Declaration,
            Event::Eof => Piece::Eof,
        };
        Ok((piece, range))
    }

    fn begin(&mut self, tag: &Tag<'a>, position: TextPosition) -> Result<(), LoadError> {
        if self.open.is_empty() && std::mem::replace(&mut self.has_root, true) {
            return Err(malformed(position, &Fault::SecondRoot(short(tag.name))));
        }
        if !tag.is_empty {
            self.open.push((tag.name, position));
        }
        Ok(())
    }

    fn end(&mut self, raw: &str, position: TextPosition) -> Result<(), LoadError> {
        let name = raw.strip_prefix("</").and_then(|raw| raw.strip_suffix('>')).unwrap_or_default();
        let name = name.trim_end_matches(SPACE);
        match self.open.pop() {
            Some((open, _)) if open == name => Ok(()),
            Some((open, at)) => {
                let fault = Fault::WrongEnd { found: short(name), open: short(open), at };
                Err(malformed(position, &fault))
            }
            None => Err(malformed(position, &Fault::NothingOpen(short(name)))),
        }
    }

    fn position(&self) -> usize {
        // An offset into a text in memory fits usize.
        usize::try_from(self.reader.buffer_position()).unwrap_or(self.text.len())
    }

    /// Advances the line and column to the beginning of the next token.
    fn move_to(&mut self, offset: usize) -> TextPosition {
        self.position = self.position_of(offset);
        self.offset = offset;
        self.position
    }

    /// Returns the position of an offset, which must be at or after the start of the last token.
    fn position_of(&self, offset: usize) -> TextPosition {
        advance(self.position, self.text.get(self.offset..offset).unwrap_or_default())
    }

    fn fault_at(&self, offset: usize, fault: Fault) -> LoadError {
        malformed(self.position_of(offset), &fault)
    }

    /// Converts an error of quick-xml.
    fn broken(&self, error: &Error) -> LoadError {
        let start = usize::try_from(self.reader.error_position()).unwrap_or_default();
        let fault = match error {
            Error::Syntax(SyntaxError::InvalidBangMarkup) => Fault::Markup,
            Error::Syntax(SyntaxError::UnclosedComment) => Fault::Unended("a comment", "-->"),
            Error::Syntax(SyntaxError::UnclosedCData) => Fault::Unended("CDATA", "]]>"),
            Error::Syntax(SyntaxError::UnclosedDoctype) => Fault::Unended("a DOCTYPE", ">"),
            Error::Syntax(SyntaxError::UnclosedPI | SyntaxError::UnclosedXmlDecl) => {
                Fault::Unended("a processing instruction", "?>")
            }
            Error::Syntax(SyntaxError::UnclosedTag) => Fault::Unended("a tag", ">"),
            Error::Syntax(
                SyntaxError::UnclosedSingleQuotedAttributeValue | SyntaxError::UnclosedDoubleQuotedAttributeValue,
            ) => Fault::EndlessQuote,
            _ if self.text.get(start..).is_some_and(|rest| rest.starts_with('&')) => Fault::Ampersand,
            _ => Fault::Doctype,
        };
        self.fault_at(start, fault)
    }
}

pub(super) fn malformed(position: TextPosition, fault: &Fault) -> LoadError {
    LoadError::Malformed { position, problem: fault.to_string() }
}

/// Checks a comment or a processing instruction.
fn check_aside(raw: &str) -> Result<(), (usize, Fault)> {
    if let Some(comment) = raw.strip_prefix("<!--") {
        let inside = comment.strip_suffix("-->").ok_or((0, Fault::Unended("a comment", "-->")))?;
        let hyphens = inside.find("--").or_else(|| inside.strip_suffix('-').map(str::len));
        return match hyphens {
            Some(hyphens) => Err(("<!--".len() + hyphens, Fault::Hyphens)),
            None => Ok(()),
        };
    }
    let inside = raw.strip_prefix("<?").and_then(|raw| raw.strip_suffix("?>")).unwrap_or_default();
    let target = inside.split(SPACE).next().unwrap_or_default();
    match target {
        _ if target.eq_ignore_ascii_case("xml") => Err((0, Fault::LateDeclaration)),
        _ if is_name(target) => Ok(()),
        _ => Err(("<?".len(), Fault::Name(short(target)))),
    }
}

/// Checks `<!DOCTYPE name>`, with or without an external identifier, which is never read.
fn check_doctype(raw: &str) -> Result<(), Fault> {
    let inside = raw.strip_prefix("<!DOCTYPE").and_then(|raw| raw.strip_suffix('>')).ok_or(Fault::Doctype)?;
    if inside.contains('[') {
        return Err(Fault::DoctypeSubset);
    }
    let (name, rest) = match inside.trim_start_matches(SPACE).split_once(SPACE) {
        Some((name, rest)) => (name, rest.trim_matches(SPACE)),
        None => (inside.trim_start_matches(SPACE), ""),
    };
    let literals = match (rest.strip_prefix("SYSTEM"), rest.strip_prefix("PUBLIC")) {
        (Some(rest), _) => quoted(rest).is_some_and(|rest| rest.is_empty()),
        (_, Some(rest)) => quoted(rest).and_then(quoted).is_some_and(|rest| rest.is_empty()),
        _ => rest.is_empty(),
    };
    match inside.starts_with(SPACE) && is_name(name) && literals {
        true => Ok(()),
        false => Err(Fault::Doctype),
    }
}

/// Returns the rest after a space and a quoted text.
fn quoted(text: &str) -> Option<&str> {
    let text = text.strip_prefix(SPACE)?.trim_start_matches(SPACE);
    let quote = ['"', '\''].into_iter().find(|&quote| text.starts_with(quote))?;
    let (_, rest) = text.strip_prefix(quote)?.split_once(quote)?;
    Some(rest)
}

/// Whether this is `<?xml version="1.x" encoding=".." standalone=".."?>`; the last two are optional.
fn is_declaration(raw: &str) -> bool {
    let Some(inside) = raw.strip_prefix("<?xml").and_then(|raw| raw.strip_suffix("?>")) else { return false };
    let as_tag = format!("<xml{inside}>");
    let Ok(tag) = Tag::parse(&as_tag) else { return false };
    let mut wanted = ["version", "encoding", "standalone"].into_iter();
    let is_version = |value: &str| value.strip_prefix("1.").is_some_and(|minor| minor.parse::<u8>().is_ok());
    tag.attributes.first().is_some_and(|(name, value)| *name == "version" && is_version(value))
        && tag.attributes.iter().all(|(name, _)| wanted.any(|known| known == *name))
}
