//! From a source to a simulation: each system becomes a model, each block the blocks of its row in the table.
//!
//! | module | contents |
//! |---|---|
//! | `system` | one system: its blocks, ports and wires |
//! | `subsystem` | blocks with a system inside, links to libraries, referenced models |
//! | `state`, `child` | the state of an import; a system that is mapped, for the block around it |
//! | `scope` | the names that expressions see: of masks, of the workspace |
//! | `block` | a block while it is mapped: its parameters with their defaults |
//! | `made` | the blocks of this program that stand for a foreign one |
//! | `row`, `table` and its sections | what each kind of block becomes |
//! | `bus_ports`, `choices` | ports of one element of a bus; variant sources and sinks |
//! | `names` | names and texts as files hold them |
//! | `shapes` | the sizes of signals, as far as they follow from the file |
//! | `defaults` | the values that parameters have unless the file sets them |
//! | `xcos` and its sections | the table of blocks of Xcos |
//! | `tags` | Goto and From across systems |
//! | `placeholder` | what stands for a block without a counterpart |
//! | `settings` | start and stop, solver, step |
//! | `workspace` | the values of names: callbacks, scripts, arrays, options |

mod block;
mod bus_ports;
mod checks;
mod child;
mod choices;
mod code;
mod conditional;
mod continuous;
mod defaults;
mod discrete;
mod linked;
mod logic;
mod lookup;
mod made;
mod math;
mod names;
mod placeholder;
mod routing;
mod row;
mod scope;
mod settings;
mod shapes;
mod sinks;
mod sources;
mod state;
mod subsystem;
mod system;
mod table;
mod tags;
mod workspace;
mod xcos;

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use super::error::ImportError;
use super::files::Files;
use super::options::{ImportOptions, Imported};
use super::report::Report;
use super::source::Source;
use super::values::Workspace;
use crate::block::Registry;
use crate::model::Simulation;

use self::shapes::Shapes;
use self::state::Mapper;

/// Turns a source into a simulation with a report.
///
/// # Errors
/// If a value that the options give cannot be read.
pub fn map(source: Source, files: Files, options: &ImportOptions) -> Result<Imported, ImportError> {
    let mut mapper = mapper(&source, files);
    mapper.read_workspace(&source, options)?;
    mapper.shapes = Shapes::of(&source, &mapper.workspace);
    let source = Rc::new(source);
    let name = if source.name.trim().is_empty() { "Model" } else { source.name.trim() };
    let root = mapper.root(&source, name);
    mapper.simulation.root = root.into();
    mapper.settings(&source);
    mapper.variables();
    Ok(Imported { simulation: mapper.simulation, report: mapper.report })
}

/// Reads a file of values without a model: the values, and what was not read.
///
/// # Errors
/// If it cannot be read, or is of another kind.
pub fn values_in(path: &Path) -> Result<(Workspace, Vec<String>), ImportError> {
    let mut mapper = mapper(&Source::default(), Files::beside(path, &[]));
    mapper.read_values(path)?;
    Ok((mapper.workspace, mapper.report.notes))
}

fn mapper(source: &Source, files: Files) -> Mapper {
    Mapper {
        files,
        registry: Registry::standard(),
        simulation: Simulation::default(),
        report: Report { origin: source.origin.clone(), notes: source.notes.clone(), ..Report::default() },
        language: source.language,
        workspace: Workspace::default(),
        frames: Vec::new(),
        used: BTreeMap::new(),
        sample_times: Vec::new(),
        has_continuous: false,
        known: BTreeMap::new(),
        open: vec![source.name.clone()],
        tags: tags::Tags::of(&source.system),
        shapes: Shapes::default(),
        blocks: 0,
    }
}
