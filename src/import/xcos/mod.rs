//! Readers of Xcos's files: .xcos, which is XML, and .zcos, an archive of it with the parameters beside it.
//!
//! | module | contents |
//! |---|---|
//! | `java` | the stream in which an archive has the parameters |
//! | `scilab` | values of Scilab: texts, numbers and lists |
//! | `diagram` | from XML to systems: blocks, ports, links |
//! | `listed` | diagrams that are stored as lists |
//! | `wiring` | links through splits as wires; events as sample times |
//! | `text` | expressions of Scilab in the notation that the stage after this reads |

mod diagram;
mod java;
mod listed;
mod scilab;
mod text;
mod wiring;

use super::error::ImportError;
use super::package::Package;
use super::source::Source;
use super::xml;

const DICTIONARY: &str = "dictionary/dictionary.ser";

/// Whether bytes begin as a diagram: XML of one, or an archive with one.
pub fn is_diagram(bytes: &[u8]) -> bool {
    let head = bytes.get(..bytes.len().min(4096)).unwrap_or_default();
    let has = |text: &[u8]| head.windows(text.len()).any(|window| window == text);
    has(b"<XcosDiagram") || (head.starts_with(b"PK") && has(b"application/x-scilab-xcos"))
}

/// Reads an archive.
pub fn of_package(stem: &str, package: &Package) -> Result<Source, ImportError> {
    let part = "content.xml";
    let text = package.text(part).ok_or_else(|| ImportError::MissingPart { part: part.to_owned() })?;
    // A dictionary that cannot be read costs the parameters, not the diagram.
    let values = package.bytes(DICTIONARY).map(java::read);
    let (values, problem) = match values {
        Some(Ok(values)) => (values, None),
        Some(Err(problem)) => (Vec::new(), Some(format!("the parameters of all blocks are lost: {problem}"))),
        None => (Vec::new(), None),
    };
    let mut source = diagram::source(stem, &xml::parse(part, &text)?, values)?;
    source.notes.extend(problem);
    Ok(source)
}

/// Reads a file that is XML.
pub fn of_text(stem: &str, bytes: &[u8]) -> Result<Source, ImportError> {
    let text = String::from_utf8_lossy(bytes);
    diagram::source(stem, &xml::parse("the file", &text)?, Vec::new())
}
