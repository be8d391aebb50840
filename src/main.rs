//! Arguments to the window or a batch command.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use simulate::cli::Args;

fn main() -> ExitCode {
    let args = Args::parse();
    match &args.command {
        Some(command) => command.run(),
        None => window(args.file),
    }
}

#[cfg(feature = "app")]
fn window(file: Option<PathBuf>) -> ExitCode {
    simulate::app::run(file)
}

#[cfg(not(feature = "app"))]
fn window(file: Option<PathBuf>) -> ExitCode {
    let file = file.map_or("FILE".to_owned(), |file| file.display().to_string());
    eprintln!("this build has no window; run a file without one: simulate run {file}");
    ExitCode::from(simulate::cli::UNREADABLE)
}
