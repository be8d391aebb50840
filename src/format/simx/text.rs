//! Decodes bytes to text and counts lines and columns.

use std::borrow::Cow;

use super::fault::Fault;
use crate::format::LoadError;
use crate::model::TextPosition;

pub(super) const START: TextPosition = TextPosition { line: 1, column: 1 };

const UTF8_MARK: &[u8] = b"\xEF\xBB\xBF";
/// The maximum length of an XML declaration that is searched for an encoding.
const DECLARATION_BYTES: usize = 256;

/// White space in XML.
pub(super) const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// Whether a file is XML, in any encoding.
pub(super) fn starts_like_xml(bytes: &[u8]) -> bool {
    if foreign_encoding(bytes).is_some() {
        return true;
    }
    let bytes = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes);
    bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'<')
}

/// Decodes a file and normalises line ends to LF.
pub(in crate::format) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, LoadError> {
    if let Some(found) = foreign_encoding(bytes) {
        let found = format!("it begins like {found}");
        return Err(LoadError::Encoding { found, position: None });
    }
    let bytes = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes);
    if let Some(found) = declared_encoding(bytes)
        && !["utf-8", "utf8", "us-ascii", "ascii"].contains(&&*found.to_lowercase())
    {
        let found = format!("it declares encoding=\"{found}\"");
        return Err(LoadError::Encoding { found, position: Some(START) });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let (sound, rest) = bytes.split_at(error.valid_up_to());
        let found = format!("the byte 0x{:02X} is invalid here", rest.first().copied().unwrap_or_default());
        LoadError::Encoding { found, position: Some(advance(START, &String::from_utf8_lossy(sound))) }
    })?;
    let text = match text.contains('\r') {
        true => Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")),
        false => Cow::Borrowed(text),
    };
    match text.char_indices().find(|&(_, character)| !is_character(character)) {
        None => Ok(text),
        Some((offset, character)) => {
            let position = advance(START, text.get(..offset).unwrap_or_default());
            Err(LoadError::Malformed { position, problem: Fault::Character(character).to_string() })
        }
    }
}

/// Detects encodings by the first bytes.
fn foreign_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => Some("UTF-32"),
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [b'<', 0, ..] | [0, b'<', ..] => Some("UTF-16"),
        _ => None,
    }
}

/// Returns the encoding of the XML declaration.
fn declared_encoding(bytes: &[u8]) -> Option<String> {
    let head = bytes.get(..DECLARATION_BYTES.min(bytes.len()))?;
    let head = String::from_utf8_lossy(head);
    let declaration = head.strip_prefix("<?xml")?.split("?>").next()?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
    value.split(quote).nth(1).map(str::to_owned)
}

/// Whether XML 1.0 allows a character.
pub(super) use crate::model::is_storable as is_character;

/// Returns the position at the end of a text that begins at `position`.
pub(super) fn advance(position: TextPosition, text: &str) -> TextPosition {
    let TextPosition { mut line, mut column } = position;
    for byte in text.bytes() {
        match byte {
            b'\n' => (line, column) = (line + 1, 1),
            // Continuation bytes of a character are not counted.
            0x80..=0xBF => {}
            _ => column += 1,
        }
    }
    TextPosition { line, column }
}
