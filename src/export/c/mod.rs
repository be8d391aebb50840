//! C code of a simulation that computes the same bits as the engines.
//!
//! The code is written from the step code of the program, the list of instructions of a step that the engines execute: each instruction
//! becomes a statement, or a part of one, in the same order.
//!
//! | module | contents |
//! |---|---|
//! | `refusal` | what cannot be exported, with the block that is the reason |
//! | `prune` | leaves out what has no effect |
//! | `usage` | where each cell of the step code is written and read |
//! | `variables` | the variables of the code: parameters, inputs, states, signals, local variables |
//! | `names` | names of the diagram as identifiers |
//! | `plan` | the functions of the code, and what each does |
//! | `shared`, `functions` | functions for models that are used several times, and as statements |
//! | `writer`, `expression`, `number` | instructions as statements, operations as expressions, numbers as literals |
//! | `access` | elements of arrays and tables as expressions |
//! | `text` | lines, and which blocks they belong to |
//! | `single` | the code with `float` for `double` |
//! | `files` | what is asked for, and what is made |
//! | `jacobian`, `implicit` | the derivatives of the rates, and the methods that solve with them |
//! | `math` | the mathematics that the code calls, in `math/` |
//! | `memory` | the bytes of an instance and of a step's variables |
//! | `header`, `source`, `bench`, `manual` | the files |
//! | `interface` | inputs, parameters, outputs and states of an instance, for an FMU |
//! | `continuous`, `tangent` | outputs and rates at any time and state, with their derivatives, for an FMU |
//! | `trace` | from the blocks to the lines and back |

mod access;
mod arrange;
mod bench;
mod continuous;
mod expression;
mod files;
mod functions;
mod header;
mod implicit;
mod interface;
mod jacobian;
mod layout;
mod manual;
mod math;
mod memory;
mod names;
pub(super) mod number;
mod plan;
mod prune;
mod refusal;
mod reserved;
mod shared;
mod single;
mod source;
mod tangent;
pub(super) mod text;
mod trace;
mod types;
mod usage;
mod variables;
mod writer;

use std::sync::Arc;

use crate::engine::{Program, for_c};
use crate::model::Simulation;

pub use self::continuous::{Continuous, ElementIndices, PART, continuous};
pub use self::files::{File, Options, Precision};
pub use self::interface::{Interface, Quantity};
pub use self::manual::{MISRA_DEVIATIONS, MISRA_KEPT};
pub use self::names::identifier;
pub use self::refusal::{Refusal, RefusedBlock};

/// The code of a program.
#[derive(Clone, Debug)]
pub struct Code {
    /// The start of the names of files, types and functions.
    pub name: String,
    pub files: Vec<File>,
    pub precision: Precision,
    /// The names of the inputs, in their order.
    pub inputs: Vec<String>,
}

/// Writes the code of a program.
///
/// # Errors
/// If the program has a part that cannot be exported.
pub fn export(program: &Arc<Program>, simulation: &Simulation, options: &Options) -> Result<Code, Refusal> {
    Ok(written(program, simulation, options, false)?.0)
}

/// Writes the code of a program whose states and rates are read and written from outside, and describes its instance.
///
/// # Errors
/// If the program has a part that cannot be exported.
pub fn described(
    program: &Arc<Program>,
    simulation: &Simulation,
    options: &Options,
) -> Result<(Code, Interface), Refusal> {
    written(program, simulation, options, true)
}

fn written(
    program: &Arc<Program>,
    simulation: &Simulation,
    options: &Options,
    is_observed: bool,
) -> Result<(Code, Interface), Refusal> {
    let mut code = refusal::tape_of(program, options.precision)?;
    let changing = plan::changing_cells(program, &code, &plan::input_units(program));
    for_c::decide(&mut code, &changing);
    let wanted = prune::wanted(&code, program);
    prune::prune(&mut code, program, &wanted);
    let results = arrange::with_results(&mut code, program, is_observed);
    if !is_observed {
        for_c::guard(&mut code, &results.ranges().collect::<Vec<_>>(), &changing);
        for_c::decide(&mut code, &changing);
    }
    arrange::arrange(&mut code);
    let handed_out: Vec<u32> = results.ranges().flat_map(|range| range.cells()).collect();
    prune::prune(&mut code, program, &handed_out);
    let code = Arc::new(code);
    let mut name = identifier(options.name);
    if name.is_empty() || names::is_taken(&name) {
        name = format!("{name}_model").trim_start_matches('_').to_owned();
    }
    let parts = plan::Parts::new(program, simulation, (&code, results), options, is_observed);
    let code = source::write(&parts, &name, options);
    let inputs = parts.inputs.iter().map(|input| input.name.clone()).collect();
    let mut files = header::files(&parts, &name, &code, options);
    files.extend(bench::files(&parts, &name, options));
    let page = manual::page(&parts, &name, options, &files);
    files.push(page);
    let source = files.iter().find(|file| file.name == format!("{name}.c"));
    let traces = trace::files(&parts, &name, source.map_or("", |file| &file.text), &code);
    files.extend(traces);
    let interface = interface::interface(&parts, simulation, options.params);
    Ok((Code { name, files, precision: options.precision, inputs }, interface))
}
