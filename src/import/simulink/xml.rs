//! From an XML part to its sections.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::super::error::ImportError;
use super::section::Section;

const MAX_DEPTH: usize = 256;
const MAX_SECTIONS: usize = 4_000_000;

/// Parses a part. An element `<P Name="k">text</P>`, and one with nothing but text, is a parameter.
pub fn parse(part: &str, text: &str) -> Result<Section, ImportError> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = true;
    config.expand_empty_elements = true;
    let mut stack: Vec<Section> = vec![Section::default()];
    let mut count = 0;
    loop {
        let at = reader.buffer_position();
        let malformed = |problem: String| {
            let before = text.get(..usize::try_from(at).unwrap_or(0)).unwrap_or_default();
            ImportError::Malformed { part: part.to_owned(), line: before.matches('\n').count() + 1, problem }
        };
        match reader.read_event().map_err(|error| malformed(error.to_string()))? {
            Event::Start(start) => {
                count += 1;
                if stack.len() > MAX_DEPTH || count > MAX_SECTIONS {
                    let problem = format!("nested more than {MAX_DEPTH} levels deep, or too large");
                    return Err(ImportError::Limit { part: part.to_owned(), problem });
                }
                stack.push(opened(&start).map_err(malformed)?);
            }
            Event::End(_) => {
                let Some(done) = stack.pop() else { continue };
                if let Some(parent) = stack.last_mut() {
                    close(parent, done);
                }
            }
            Event::Text(content) => {
                add_text(&mut stack, &content);
            }
            Event::CData(content) => {
                add_text(&mut stack, &content);
            }
            Event::GeneralRef(reference) => {
                let whole = format!("&{};", &*reference);
                let character = quick_xml::escape::unescape(&whole).map_err(|error| malformed(error.to_string()))?;
                add_text(&mut stack, &character);
            }
            Event::DocType(_) => return Err(malformed("a DOCTYPE is not allowed".to_owned())),
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::Empty(_) => {}
        }
    }
    let end = || ImportError::Malformed {
        part: part.to_owned(),
        line: text.matches('\n').count() + 1,
        problem: "the file ends within an element; it is cut off".to_owned(),
    };
    let [mut outside] = <[Section; 1]>::try_from(stack).map_err(|_| end())?;
    outside.sections.pop().ok_or_else(end)
}

fn opened(start: &BytesStart) -> Result<Section, String> {
    let name = start.name().as_ref().to_owned();
    let mut section = Section { name, ..Section::default() };
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        let key = attribute.key.as_ref().to_owned();
        // Line breaks in names are references, and stay; white space is not made blanks.
        let value = quick_xml::escape::unescape(&attribute.value).map_err(|error| error.to_string())?;
        section.params.push((key, value.replace("\r\n", "\n").replace('\r', "\n")));
    }
    Ok(section)
}

fn add_text(stack: &mut [Section], content: &str) {
    let Some(section) = stack.last_mut() else { return };
    if content.trim().is_empty() && !section.params.iter().any(|(name, _)| name.is_empty()) && section.name != "P" {
        return;
    }
    match section.params.iter_mut().find(|(name, _)| name.is_empty()) {
        Some((_, text)) => text.push_str(content),
        None => section.params.push((String::new(), content.to_owned())),
    }
}

/// Adds an element to the one around it: as a parameter if it is one.
fn close(parent: &mut Section, mut done: Section) {
    if let Some((_, text)) = done.params.iter_mut().find(|(name, _)| name.is_empty()) {
        *text = text.replace("\r\n", "\n").replace('\r', "\n");
    }
    let text = done.get("").unwrap_or_default().to_owned();
    if done.name == "P" {
        let name = done.get("Name").unwrap_or_default().to_owned();
        match done.get("Ref") {
            Some(reference) => parent.params.push((format!("{name}.Ref"), reference.to_owned())),
            None => parent.params.push((name, text)),
        }
    } else if done.sections.is_empty() && done.params.len() == 1 && done.get("").is_some() {
        parent.params.push((done.name, text));
    } else {
        parent.sections.push(done);
    }
}
