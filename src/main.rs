//! The program with the blocks, formats and engines of Simulate itself.

use std::process::ExitCode;

use simulate::{Components, start};

fn main() -> ExitCode {
    start(&Components::standard(), std::env::args_os())
}
