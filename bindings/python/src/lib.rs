//! The native part of `import simulate`. The Python package `simulate` (in `python/simulate`) wraps it: what needs the
//! document or an engine is here, what needs NumPy, pandas or an executor is there.
//!
//! | module | contents |
//! |---|---|
//! | `model` | loads, checks, writes and compiles simulations |
//! | `edit` | changes of a simulation, and what can be looked at |
//! | `run` | runs with recorded signals |
//! | `stepper` | runs that Python advances step by step |
//! | `sweep` | many runs on all processors |
//! | `analysis` | linearization and equilibria |
//! | `blocks` | blocks whose functions are in Python |
//! | `picture` | pictures of diagrams |
//! | `save` | results as files |
//! | `memory` | a limit for what is recorded |
//! | `column` | numbers that NumPy reads without a copy |
//! | `errors` | errors as exceptions |
//!
//! No function holds the interpreter while an engine runs.

#![deny(unsafe_code)]

mod analysis;
mod blocks;
mod column;
mod edit;
mod errors;
mod memory;
mod model;
mod picture;
mod run;
mod save;
mod stepper;
mod sweep;

use std::ffi::OsString;
use std::process::ExitCode;

use pyo3::prelude::*;

/// Runs a command that needs no window, with the name of the program as first argument, and returns its exit code.
#[pyfunction]
fn batch(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let code = py.detach(|| simulate::start_batch(&simulate::Components::standard(), arguments));
    (0..=u8::MAX).find(|&number| ExitCode::from(number) == code).unwrap_or(1)
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("HAS_PICTURES", cfg!(feature = "picture"))?;
    module.add_class::<column::Column>()?;
    module.add_class::<model::ModelCore>()?;
    module.add_class::<run::RunCore>()?;
    module.add_class::<stepper::Stepper>()?;
    module.add_class::<sweep::SweepPart>()?;
    module.add_class::<analysis::LinearCore>()?;
    module.add_function(wrap_pyfunction!(analysis::linearize, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::trim, module)?)?;
    module.add_function(wrap_pyfunction!(batch, module)?)?;
    module.add_function(wrap_pyfunction!(blocks::define_block, module)?)?;
    module.add_function(wrap_pyfunction!(edit::add_block, module)?)?;
    module.add_function(wrap_pyfunction!(edit::add_model, module)?)?;
    module.add_function(wrap_pyfunction!(edit::blocks, module)?)?;
    module.add_function(wrap_pyfunction!(edit::connect, module)?)?;
    module.add_function(wrap_pyfunction!(edit::connections, module)?)?;
    module.add_function(wrap_pyfunction!(edit::disconnect, module)?)?;
    module.add_function(wrap_pyfunction!(edit::library, module)?)?;
    module.add_function(wrap_pyfunction!(edit::models, module)?)?;
    module.add_function(wrap_pyfunction!(edit::option_value, module)?)?;
    module.add_function(wrap_pyfunction!(edit::remove_blocks, module)?)?;
    module.add_function(wrap_pyfunction!(edit::set_attribute, module)?)?;
    module.add_function(wrap_pyfunction!(edit::set_option, module)?)?;
    module.add_function(wrap_pyfunction!(edit::set_path, module)?)?;
    module.add_function(wrap_pyfunction!(edit::set_simulation, module)?)?;
    module.add_function(wrap_pyfunction!(edit::set_variable, module)?)?;
    module.add_function(wrap_pyfunction!(picture::arrange, module)?)?;
    module.add_function(wrap_pyfunction!(picture::svg, module)?)?;
    module.add_function(wrap_pyfunction!(save::save_table, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::rows_of, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::spaced, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::sweep, module)?)?;
    Ok(())
}
