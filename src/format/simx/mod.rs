//! The `.simx` format: XML, read and written so that nothing a file says is lost.
//!
//! | module | what lives there |
//! |---|---|
//! | `text` | bytes to text: encodings, line ends, line and column |
//! | `scan` | text to tokens: quick-xml, and the rules of well-formedness that it leaves to its user |
//! | `tag` | a start tag's name, attributes and references |
//! | `fault` | what is not well formed, in words |
//! | `read` | tokens to models and connections; what is wrong in part is kept verbatim and reported |
//! | `read_block` | a block's tag and what it holds |
//! | `write` | a simulation to its one canonical text |
//!
//! Models are declared before they are filled: a model block names its model, and its ports are looked up in that
//! model's entries and exits when somebody asks. So one pass over the file is enough, in whatever order the models
//! stand, and no depth of nesting costs stack.

mod fault;
mod read;
mod read_block;
mod scan;
mod tag;
mod text;
mod write;

use super::{LoadError, LoadOptions, Loaded, Loader, SaveError};
use crate::model::Simulation;

/// The XML format.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simx;

/// The prefix of what the window keeps in a file, and the namespace that it is bound to.
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
        Ok(read::read(&text::decode(bytes)?)?.finish(options))
    }

    fn write(&self, simulation: &Simulation) -> Result<Vec<u8>, SaveError> {
        write::write(simulation).map(String::into_bytes)
    }
}
