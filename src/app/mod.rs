//! The window. The only place that names egui.

pub mod canvas;
pub mod theme;

use std::path::PathBuf;
use std::process::ExitCode;

/// Opens the window, with a file in it where one is given, and returns when it is closed.
pub fn run(_file: Option<PathBuf>) -> ExitCode {
    eprintln!("the window is not built yet");
    ExitCode::FAILURE
}
