//! Starts the window or a command, as the arguments say.

use std::ffi::OsString;
use std::process::ExitCode;
#[cfg(feature = "app")]
use std::sync::Arc;

use clap::Parser as _;

use crate::cli::{Args, Command, ServeArgs};
use crate::components::Components;
use crate::rpc::{Artist, Protocol};
use crate::threads;

/// Runs what the arguments ask for, with these blocks, formats and engines, and returns when it is done. The first
/// argument is the program's own name. Invalid arguments and `--help` print a text. This is all that `main` of a
/// program has to do.
pub fn start(components: &Components, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args = match parsed(arguments) {
        Ok(args) => args,
        Err(code) => return code,
    };
    match args.command {
        // The system gives `main` a stack of its own choice.
        Some(Command::Batch(command)) => threads::run("command", || command.run(components)),
        Some(Command::Diff(args)) => {
            #[cfg(feature = "app")]
            return threads::run("command", || {
                crate::cli::diff::run(&args, components, Some(&|request| page(request, components)))
            });
            #[cfg(not(feature = "app"))]
            threads::run("command", || crate::cli::diff::run(&args, components, None))
        }
        Some(Command::Serve(args)) => serve(&args, components, Protocol::JsonRpc),
        Some(Command::Mcp(args)) => serve(&args, components, Protocol::Mcp),
        #[cfg(feature = "app")]
        Some(Command::Picture(args)) => {
            threads::run("command", || args.run(components, |request, outputs| draw(request, outputs, components)))
        }
        #[cfg(feature = "app")]
        Some(Command::Report(args)) => threads::run("command", || args.run(components, report)),
        #[cfg(feature = "app")]
        Some(Command::Play(args)) => {
            let options = crate::format::LoadOptions { skip_invalid_models: args.skip_invalid_models };
            crate::app::play(components.clone(), args.file, options)
        }
        None => window(components, args),
    }
}

/// The same for a program without a window: it runs only the commands that need none.
pub fn start_batch(components: &Components, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    match parsed(arguments).map(|args| args.command) {
        Ok(Some(Command::Batch(command))) => threads::run("command", || command.run(components)),
        Ok(Some(Command::Diff(args))) => threads::run("command", || crate::cli::diff::run(&args, components, None)),
        Ok(Some(Command::Serve(args))) => serve(&args, components, Protocol::JsonRpc),
        Ok(Some(Command::Mcp(args))) => serve(&args, components, Protocol::Mcp),
        Ok(_) => {
            eprintln!("this program has no window; see --help for the commands");
            ExitCode::from(crate::cli::UNREADABLE)
        }
        Err(code) => code,
    }
}

fn serve(args: &ServeArgs, components: &Components, protocol: Protocol) -> ExitCode {
    if args.attach {
        return attach(protocol);
    }
    threads::run("command", || crate::cli::serve(args, components, protocol, artist()))
}

#[cfg(feature = "app")]
fn attach(protocol: Protocol) -> ExitCode {
    match threads::run("command", || crate::app::attach(protocol)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(crate::cli::UNREADABLE)
        }
    }
}

#[cfg(not(feature = "app"))]
fn attach(_: Protocol) -> ExitCode {
    eprintln!("error: this build has no window");
    ExitCode::from(crate::cli::UNREADABLE)
}

/// Returns the functions that draw.
#[cfg(feature = "app")]
fn artist() -> Option<Artist> {
    Some(crate::app::artist())
}

#[cfg(not(feature = "app"))]
fn artist() -> Option<Artist> {
    None
}

fn parsed(arguments: impl IntoIterator<Item = OsString>) -> Result<Args, ExitCode> {
    Args::try_parse_from(arguments).map_err(|error| {
        // A closed pipe is not an error.
        let _ = error.print();
        ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(crate::cli::UNREADABLE))
    })
}

#[cfg(feature = "app")]
fn window(components: &Components, args: Args) -> ExitCode {
    use crate::app::{OpenIn, run};

    run(components.clone(), args.file, if args.new_window { OpenIn::NewWindow } else { OpenIn::RunningWindow })
}

#[cfg(not(feature = "app"))]
fn window(_: &Components, args: Args) -> ExitCode {
    let file = args.file.map_or("FILE".to_owned(), |file| file.display().to_string());
    eprintln!("this build has no window; use: simulate run {file}");
    ExitCode::from(crate::cli::UNREADABLE)
}

#[cfg(feature = "app")]
fn draw(
    request: &crate::cli::PictureRequest,
    outputs: &mut crate::format::Outputs,
    components: &Components,
) -> Result<Vec<std::path::PathBuf>, Box<dyn std::error::Error>> {
    use crate::app::canvas::export;
    use crate::app::drawing::{Part, PictureTarget};
    use crate::app::panels::dashboard::picture_ui;
    use crate::plugin::UserPlugins;

    let parts = match &request.model {
        Some(model) => vec![Part { model: model.clone(), blocks: None }],
        None => Part::all(request.simulation),
    };
    let registry = Arc::new(UserPlugins::of_user().added_to(&components.registry, Some(request.file)));
    let target = PictureTarget { path: request.out, outputs };
    Ok(export(target, request.simulation, &registry, &parts, (request.scale, picture_ui))?)
}

#[cfg(feature = "app")]
fn page(request: &crate::cli::PageRequest, components: &Components) -> String {
    use crate::app::diff_page::{State, page};
    use crate::app::panels::dashboard::picture_ui;

    let state = |(name, simulation)| State { name, simulation };
    page(&state(request.first), &state(request.second), &components.registry, picture_ui)
}

#[cfg(feature = "app")]
fn report(request: &crate::cli::ReportRequest) -> Result<(), Box<dyn std::error::Error>> {
    use crate::app::model_report::{Curves, ReportSource, write};

    let curves = match &request.engine {
        Some(engine) => Curves::Computed { engine: Arc::clone(engine), steps: request.steps },
        None => Curves::None,
    };
    let source = ReportSource {
        simulation: Arc::clone(request.simulation),
        registry: Arc::clone(request.registry),
        file: Some(request.file.to_owned()),
        curves,
        set: request.set.to_vec(),
        removed: request.removed.to_vec(),
    };
    Ok(write(&source, request.out)?)
}
