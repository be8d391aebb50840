//! The `.simt` format: a model as short text, for people, scripts and assistants.
//!
//! | module | contents |
//! |---|---|
//! | `words` | what may stand as it is and what is quoted; shared by reader and writer |
//! | `cursor` | reads the parts of a line: names, values, attributes |
//! | `line` | reads a line: a block, wires or a variable |
//! | `read` | reads a text line by line, without looking up names |
//! | `build` | makes the simulation of it: ids, wires, duplicates |
//! | `ends` | the blocks and ports that wires name |
//! | `write` | writes a simulation, every item in its place |
//! | `compact` | the same meaning without looks and defaults, in canonical order |
//! | `apply` | a text as the next state of a document, whose looks stay |
//! | `fault` | the errors of a text that breaks the rules |
//!
//! An item that a line cannot express stands as XML, read and written by [`super::simx`]: so nothing is lost. Kinds of blocks and
//! ports are those of the standard library; others are written with their group and the names of their ports.

mod apply;
mod build;
mod compact;
mod cursor;
mod ends;
mod fault;
mod line;
mod read;
mod words;
mod write;

use super::{LoadError, LoadOptions, Loaded, Loader, SaveError, simx};
use crate::block::Registry;
use crate::model::{Block, Connection, Diagnostic, Model, Simulation, TextPosition};

pub use self::{
    apply::{apply, apply_part},
    compact::compact,
};

/// The text format.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simt;

impl Loader for Simt {
    fn name(&self) -> &'static str {
        "simt"
    }

    fn title(&self) -> &'static str {
        "Simulation as text"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["simt"]
    }

    fn recognizes(&self, bytes: &[u8]) -> bool {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let mut lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let first = lines.find(|line| !line.is_empty() && !line.starts_with(words::COMMENT.as_bytes()));
        let rest = first.and_then(|line| line.strip_prefix(words::SIMULATION.as_bytes()));
        rest.is_some_and(|rest| rest.starts_with(b" ") || rest.starts_with(b"\t") || rest.starts_with(b"\""))
    }

    fn read(&self, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
        let text = simx::decode(bytes)?;
        Ok(build::build(read::read(&text)?, &Registry::standard()).loaded.finish(options))
    }

    fn write(&self, simulation: &Simulation) -> Result<Vec<u8>, SaveError> {
        write::write(simulation).map(String::into_bytes)
    }
}

/// Returns the compact text of a simulation; see `compact`.
///
/// # Errors
/// If a text in it cannot be stored in a file.
pub fn text(simulation: &Simulation, registry: &Registry) -> Result<String, SaveError> {
    write::write(&compact(simulation, registry))
}

/// Returns the section of one model of the compact text; none without such a model.
///
/// # Errors
/// If a text in it cannot be stored in a file.
pub fn text_of_model(simulation: &Simulation, registry: &Registry, model: &str) -> Result<Option<String>, SaveError> {
    let simulation = compact(simulation, registry);
    simulation.model(model).map(|model| write::write_model(&simulation, model)).transpose()
}

/// Reads the line of one block, with or without what stands before its colon: `Gain, Gain = 2`. Without an id in the line
/// it has the id 0.
///
/// # Errors
/// If the line breaks the rules; positions count in the line.
pub fn block_of_line(text: &str) -> Result<Block, LoadError> {
    let text = simx::decode(text.as_bytes())?;
    let begun = || {
        let mut cursor = cursor::Cursor::new(&text);
        cursor.next_line();
        cursor
    };
    match line::read(&mut begun()) {
        Ok(line::Line::Block(line)) => Ok(line.alone()),
        _ => line::block(&mut begun(), START, None, None).map(line::BlockLine::alone),
    }
}

/// Reads lines of wires between the blocks of a model.
///
/// # Errors
/// The first line that breaks the rules, or names a block or port that the model does not have.
pub fn wires_of(
    text: &str,
    simulation: &Simulation,
    registry: &Registry,
    model: &Model,
) -> Result<Vec<Connection>, Box<Diagnostic>> {
    let broken = |error: LoadError| Box::new(error.to_diagnostic());
    let text = simx::decode(text.as_bytes()).map_err(broken)?;
    let mut cursor = cursor::Cursor::new(&text);
    let mut wires = Vec::new();
    while cursor.next_line() {
        if cursor.is_end() {
            continue;
        }
        match line::read(&mut cursor).map_err(broken)? {
            line::Line::Wires(line) => wires.extend(build::connections(line, simulation, registry, model)?),
            _ => return Err(broken(cursor.expected("a wire: A -> B"))),
        }
    }
    Ok(wires)
}

const START: TextPosition = TextPosition { line: 1, column: 1 };
