//! C code of a simulation that computes the same bits as the engines.
//!
//! The code is written from the tape of the program, the list of instructions of a step that the engines execute: each instruction
//! becomes a statement, or a part of one, in the same order.
//!
//! | module | contents |
//! |---|---|
//! | `refusal` | what cannot be exported, with the block that is the reason |
//! | `usage` | where each cell of the tape is written and read |
//! | `variables` | the variables of the code: parameters, inputs, states, signals, local variables |
//! | `names` | names of the diagram as identifiers |
//! | `plan` | the functions of the code, and what each does |
//! | `writer`, `expression`, `number` | instructions as statements, operations as expressions, numbers as literals |
//! | `text` | lines, and which blocks they belong to |
//! | `math` | the mathematics that the code calls, in `math/` |
//! | `header`, `source`, `bench` | the files |
//! | `trace` | from the blocks to the lines and back |

mod bench;
mod expression;
mod header;
mod math;
mod names;
mod number;
mod plan;
mod refusal;
mod source;
mod text;
mod trace;
mod usage;
mod variables;
mod writer;

use std::sync::Arc;

use crate::engine::Program;
use crate::model::Simulation;

pub use self::names::identifier;
pub use self::refusal::Refusal;

/// How the code is written.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// The start of the names of files, types and functions, for example of the file: `dc_motor`. It is made an
    /// identifier.
    pub name: &'a str,
    /// Whether the mathematics is in the file of the code, not in files of its own.
    pub is_single_file: bool,
    /// Whether parameters are constants in the code; otherwise they are in the instance and can be changed.
    pub inlines_parameters: bool,
    /// The values of the parameters, those of [`Program::params`] or of a context.
    pub params: &'a [f64],
}

/// A file of the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub name: String,
    pub text: String,
}

/// The code of a program.
#[derive(Clone, Debug)]
pub struct Code {
    /// The start of the names of files, types and functions.
    pub name: String,
    pub files: Vec<File>,
    /// The names of the inputs, in their order.
    pub inputs: Vec<String>,
}

/// Writes the code of a program.
///
/// # Errors
/// If the program has a part that cannot be exported.
pub fn export(program: &Arc<Program>, simulation: &Simulation, options: &Options) -> Result<Code, Refusal> {
    let tape = Arc::new(refusal::tape_of(program)?);
    let mut name = identifier(options.name);
    if name.is_empty() || names::is_taken(&name) {
        name = format!("{name}_model").trim_start_matches('_').to_owned();
    }
    let parts = plan::Parts::new(program, simulation, &tape, options);
    let code = source::write(&parts, &name, options);
    let inputs = parts.inputs.iter().map(|input| input.name.clone()).collect();
    let mut files = header::files(&parts, &name, &code, options);
    files.extend(bench::files(&parts, &name, options));
    let source = files.iter().find(|file| file.name == format!("{name}.c"));
    let traces = trace::files(&parts, &name, source.map_or("", |file| &file.text), &code);
    files.extend(traces);
    Ok(Code { name, files, inputs })
}
