//! From an .mdl file that is text to its sections.
//!
//! `Name {` opens a section, `}` closes it, and a line `Key value` is a parameter. A value is a bare word, a text in quotes
//! or a list in brackets; a text goes on in lines that begin with a quote.

use super::super::error::ImportError;
use super::section::Section;

const MAX_DEPTH: usize = 512;
const PART: &str = "the file";
/// Sections by which a model is known; a molecule or a mesh has none.
const ROOTS: [&str; 3] = ["Model", "Library", "Subsystem"];

/// Decodes the bytes: by the encoding that the file names, else as UTF-8 where it is that, else as Windows-1252.
pub fn decoded(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| windows_1252(byte)).collect(),
    };
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The characters of Windows-1252, which are those of ISO 8859-1 outside 0x80 to 0x9f.
fn windows_1252(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// Parses the text. The result holds the sections at the top: the model, and the charts behind it.
pub fn parse(text: &str) -> Result<Section, ImportError> {
    let head: String = text.chars().take(4096).collect();
    let is_model = head.lines().any(|line| ROOTS.iter().any(|root| opens(line.trim()) == Some(root)));
    if !is_model {
        return Err(ImportError::NoModel(match head.trim_start().starts_with('<') {
            true => "it is XML or a web page; a model begins with “Model {”",
            false => "it does not begin with “Model {”; files with this extension are also molecules and meshes",
        }));
    }
    let mut stack = vec![Section::default()];
    let mut lines = text.lines().enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        let malformed = |problem: &str| ImportError::Malformed {
            part: PART.to_owned(),
            line: number + 1,
            problem: problem.to_owned(),
        };
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line == "}" {
            let done = stack.pop().filter(|_| !stack.is_empty()).ok_or_else(|| malformed("there is a “}” too many"))?;
            stack.last_mut().into_iter().for_each(|parent| parent.sections.push(done.clone()));
            continue;
        }
        if let Some(name) = opens(line) {
            if stack.len() > MAX_DEPTH {
                let problem = format!("nested more than {MAX_DEPTH} levels deep");
                return Err(ImportError::Limit { part: PART.to_owned(), problem });
            }
            stack.push(Section { name: name.to_owned(), ..Section::default() });
            continue;
        }
        let (key, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let mut value = value_of(rest.trim());
        // A text goes on in the next line.
        while let Some((_, next)) = lines.next_if(|(_, next)| next.trim_start().starts_with('"')) {
            value.push_str(&value_of(next.trim()));
        }
        // A list may go on as well.
        while value.starts_with('[') && !value.ends_with(']') {
            let Some((_, next)) = lines.next() else { break };
            value.push(' ');
            value.push_str(next.trim());
        }
        stack.last_mut().into_iter().for_each(|section| section.params.push((key.to_owned(), value.clone())));
    }
    match stack.len() {
        1 => Ok(stack.remove(0)),
        _ => Err(ImportError::Malformed {
            part: PART.to_owned(),
            line: text.lines().count(),
            problem: "the file ends within a section; it is cut off".to_owned(),
        }),
    }
}

/// The name of the section that a line opens.
fn opens(line: &str) -> Option<&str> {
    let name = line.strip_suffix('{')?.trim_end();
    (!name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "._$".contains(c))).then_some(name)
}

/// The text of a value: what stands in quotes with its escapes, or the value as it is.
fn value_of(text: &str) -> String {
    let Some(quoted) = text.strip_prefix('"') else { return text.to_owned() };
    let mut value = String::with_capacity(quoted.len());
    let mut characters = quoted.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => break,
            '\\' => match characters.next() {
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some('r') => {}
                Some(other) => value.push(other),
                None => {}
            },
            _ => value.push(character),
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_joined_and_their_escapes_resolved() {
        let text = "Model {\n  Name \"a\\nb\"\n  Long \"one \"\n  \"two \\\"x\\\"\"\n  Position [1, 2,\n 3]\n  Inner {\n  }\n}\n";
        let file = parse(text).expect("a model");
        let model = file.section("Model").expect("the section");
        assert_eq!(model.get("Name"), Some("a\nb"));
        assert_eq!(model.get("Long"), Some("one two \"x\""));
        assert_eq!(model.get("Position"), Some("[1, 2, 3]"));
        assert_eq!(model.sections.len(), 1);
    }

    #[test]
    fn what_is_no_model_is_refused() {
        let refused = |text: &str, want: &str| {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.contains(want), "{error}");
        };
        refused("  benzene\n  ACD/Labs\n\n  6  6  0  0\n", "molecules");
        refused("<html></html>", "web page");
        refused("Model {\n  Name \"x\"\n", "cut off");
        refused("Model {\n}\n}\n", "too many");
    }
}
