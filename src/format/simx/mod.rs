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
use crate::model::{BlockId, Diagnostic, Simulation, break_rings};

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
        let mut loaded = read::read(&text::decode(bytes)?)?;
        if options.skip_invalid_models {
            skip_endless_nesting(&mut loaded);
        }
        Ok(loaded)
    }

    fn write(&self, simulation: &Simulation) -> Result<Vec<u8>, SaveError> {
        write::write(simulation).map(String::into_bytes)
    }
}

/// Breaks each endless nesting and says which blocks it cost.
fn skip_endless_nesting(loaded: &mut Loaded) {
    let before = loaded.simulation.clone();
    let title = |model: &str, id: BlockId| before.model(model)?.block(id).map(|block| block.title().to_owned());
    for (model, id) in break_rings(&mut loaded.simulation) {
        let what = title(&model, id).unwrap_or_default();
        let message =
            format!("the model block “{what}” {id} and its wires are left out of model “{model}”: nested without end");
        let mut warning =
            Diagnostic::warning("skipped-model", message).help("saving the file makes this final").on_block(&model, id);
        loaded.places.locate(&mut warning);
        loaded.diagnostics.push(warning);
    }
}
