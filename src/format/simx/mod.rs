//! The `.simx` format: XML, read and written without losing any content.
//!
//! | module | contents |
//! |---|---|
//! | `text` | decodes bytes to text: encoding, line ends, line and column |
//! | `scan` | splits text into tokens with quick-xml, and checks well-formedness |
//! | `tag` | parses a start tag: name, attributes and references |
//! | `fault` | the errors of XML that is not well formed |
//! | `read` | reads models and connections; invalid parts are kept verbatim and reported |
//! | `read_block` | reads a block and its options |
//! | `write` | writes a simulation as canonical text |
//!
//! A model block only names its model; its ports are looked up later in the entries and exits of that model. So one
//! pass over the file is enough for any order of the models, without recursion.

mod fault;
mod read;
mod read_block;
mod scan;
mod tag;
mod text;
mod write;

use super::{LoadError, LoadOptions, Loaded, Loader, SaveError};
use crate::model::{Block, Connection, Extra, Simulation, TextPosition, Variable};

pub(super) use self::{read::ItemContext, read::read_delta, read::read_steps, text::decode, write::shortest};

/// The XML format.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simx;

/// The prefix of the window's attributes in a file, and its namespace.
const VIEW_PREFIX: &str = "view:";
const VIEW_DECLARATION: &str = "xmlns:view";
const VIEW_NAMESPACE: &str = "urn:simulate:view";

impl Loader for Simx {
    fn name(&self) -> &'static str {
        "simx"
    }

    fn title(&self) -> &'static str {
        "Simulation"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["simx"]
    }

    fn recognizes(&self, bytes: &[u8]) -> bool {
        text::starts_like_xml(bytes)
    }

    fn read(&self, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
        let text = text::decode(bytes)?;
        let loaded = read::read(&text).map_err(|error| markers_of_git(&text).unwrap_or(error))?;
        Ok(loaded.finish(options))
    }

    fn write(&self, simulation: &Simulation) -> Result<Vec<u8>, SaveError> {
        write::write(simulation).map(String::into_bytes)
    }
}

/// Returns the error of a file that git has merged as a text; none if it has no marks of a conflict.
fn markers_of_git(text: &str) -> Option<LoadError> {
    let line = text.lines().position(|line| line.starts_with("<<<<<<< "))?;
    let position = TextPosition { line: line + 1, column: 1 };
    let problem = "git has merged this file as a text and left a conflict here; take one side back with git checkout \
                   --ours or git merge --abort, run simulate git-setup once, and merge again";
    Some(LoadError::Malformed { position, problem: problem.to_owned() })
}

/// Whether an extra can stand in an element as it is. Other formats keep extras as text.
pub(super) fn is_content(extra: &Extra) -> bool {
    is_well_formed(&format!("<x>{}</x>", extra.xml))
}

/// Whether extras can stand before and after the root element: comments, instructions and the DOCTYPE.
pub(super) fn is_outside(prolog: &[Extra], epilog: &[Extra]) -> bool {
    let text = |extras: &[Extra]| extras.iter().map(|extra| format!("\n{}", extra.xml)).collect::<String>();
    is_well_formed(&format!("{}\n<x/>{}", text(prolog), text(epilog)))
}

fn is_well_formed(text: &str) -> bool {
    let mut scanner = scan::Scanner::new(text);
    loop {
        match scanner.next() {
            Ok(Some(_)) => {}
            end => return end.is_ok(),
        }
    }
}

/// Returns the length in bytes of the comment, instruction or DOCTYPE that a text begins with, outside the root element.
///
/// # Errors
/// If it is none, or not well formed.
pub(super) fn aside_length(text: &str, at: TextPosition, is_before_root: bool) -> Result<usize, LoadError> {
    let mut scanner = scan::Scanner::within(text, at, !is_before_root);
    match scanner.next()? {
        Some(scan::Token { kind: scan::Kind::Aside, .. }) => Ok(scanner.consumed()),
        _ => Err(scan::malformed(at, &fault::Fault::TextOutside)),
    }
}

/// Whether a text is one element, comment or instruction, which a reader takes as one item.
pub(super) fn is_one_item(xml: &str) -> bool {
    let mut scanner = scan::Scanner::within(xml, text::START, true);
    let length = match scanner.next() {
        Ok(Some(scan::Token { kind: scan::Kind::Aside, span })) => span.raw.len(),
        Ok(Some(scan::Token { kind: scan::Kind::Start(_), span })) => match scanner.skip(span) {
            Ok(element) => element.len(),
            Err(_) => return false,
        },
        _ => return false,
    };
    length == xml.len()
}

/// Returns the element of a block.
///
/// # Errors
/// If XML cannot represent it.
pub(super) fn block_xml(block: &Block) -> Result<String, SaveError> {
    write::element(|writer| writer.block(block))
}

/// Returns the element of a connection.
///
/// # Errors
/// If XML cannot represent it.
pub(super) fn connection_xml(connection: &Connection) -> Result<String, SaveError> {
    write::element(|writer| writer.connection(connection))
}

/// Returns the element of a variable.
///
/// # Errors
/// If XML cannot represent it.
pub(super) fn variable_xml(name: &str, variable: &Variable) -> Result<String, SaveError> {
    write::element(|writer| writer.variable(0, name, variable))
}

/// Whether a text in the place of `steps` or `delta` is a number, so that it is not kept as text.
pub(super) fn is_number(name: &str, text: &str) -> bool {
    match name {
        "steps" => read_steps(text).is_some(),
        _ => read_delta(text).is_some(),
    }
}
