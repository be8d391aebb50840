//! A program of its own: the window and all commands, with the block, the format, the engine and the solver of this
//! crate.

use std::error::Error;
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    Ok(simulate::start(&foreign::components()?, std::env::args_os()))
}
