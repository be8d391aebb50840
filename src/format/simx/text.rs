//! Bytes to text, and places in it.

use std::borrow::Cow;

use super::fault::Fault;
use crate::format::LoadError;
use crate::model::TextPlace;

pub(super) const START: TextPlace = TextPlace { line: 1, column: 1 };

const UTF8_MARK: &[u8] = b"\xEF\xBB\xBF";
/// Longest XML declaration that is looked through for an encoding.
const DECLARATION_BYTES: usize = 256;

/// White space as XML means it.
pub(super) const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// Whether a file can only be meant as XML, in whatever encoding.
pub(super) fn starts_like_xml(bytes: &[u8]) -> bool {
    if foreign_encoding(bytes).is_some() {
        return true;
    }
    let bytes = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes);
    bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'<')
}

/// The text of a file with line ends as XML wants them: LF alone.
pub(super) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, LoadError> {
    if let Some(found) = foreign_encoding(bytes) {
        let found = format!("its first bytes are those of {found}");
        return Err(LoadError::Encoding { found, place: None });
    }
    let bytes = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes);
    if let Some(found) = declared_encoding(bytes)
        && !["utf-8", "utf8", "us-ascii", "ascii"].contains(&&*found.to_lowercase())
    {
        let found = format!("it says encoding=\"{found}\"");
        return Err(LoadError::Encoding { found, place: Some(START) });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let (sound, rest) = bytes.split_at(error.valid_up_to());
        let found =
            format!("the byte 0x{:02X} here is part of no character", rest.first().copied().unwrap_or_default());
        LoadError::Encoding { found, place: Some(advance(START, &String::from_utf8_lossy(sound))) }
    })?;
    let text = match text.contains('\r') {
        true => Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")),
        false => Cow::Borrowed(text),
    };
    match text.char_indices().find(|&(_, character)| !is_character(character)) {
        None => Ok(text),
        Some((offset, character)) => {
            let place = advance(START, text.get(..offset).unwrap_or_default());
            Err(LoadError::Malformed { place, problem: Fault::Character(character).to_string() })
        }
    }
}

/// The encodings that betray themselves by their first bytes.
fn foreign_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => Some("UTF-32"),
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [b'<', 0, ..] | [0, b'<', ..] => Some("UTF-16"),
        _ => None,
    }
}

/// What the XML declaration says.
fn declared_encoding(bytes: &[u8]) -> Option<String> {
    let head = bytes.get(..DECLARATION_BYTES.min(bytes.len()))?;
    let head = String::from_utf8_lossy(head);
    let declaration = head.strip_prefix("<?xml")?.split("?>").next()?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
    value.split(quote).nth(1).map(str::to_owned)
}

/// Whether XML 1.0 allows a character at all.
pub(super) use crate::model::is_storable as is_character;

/// Where a text ends that begins at `place`.
pub(super) fn advance(place: TextPlace, text: &str) -> TextPlace {
    let TextPlace { mut line, mut column } = place;
    for byte in text.bytes() {
        match byte {
            b'\n' => (line, column) = (line + 1, 1),
            // The further bytes of a character are not counted.
            0x80..=0xBF => {}
            _ => column += 1,
        }
    }
    TextPlace { line, column }
}
