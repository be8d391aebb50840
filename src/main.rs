//! Parses the arguments and starts the window or a batch command.

use std::process::ExitCode;

use clap::Parser;
use simulate::cli::Args;

fn main() -> ExitCode {
    let args = Args::parse();
    match &args.command {
        Some(command) => command.run(),
        None => window(args),
    }
}

#[cfg(feature = "app")]
fn window(args: Args) -> ExitCode {
    use simulate::app::{Place, run};

    run(args.file, if args.new_window { Place::NewWindow } else { Place::RunningWindow })
}

#[cfg(not(feature = "app"))]
fn window(args: Args) -> ExitCode {
    let file = args.file.map_or("FILE".to_owned(), |file| file.display().to_string());
    eprintln!("this build has no window; use: simulate run {file}");
    ExitCode::from(simulate::cli::UNREADABLE)
}
