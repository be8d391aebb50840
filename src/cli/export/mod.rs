//! `simulate export`: writes C code of a simulation.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::opened::{FileArgs, OpenError, OpenOptions, Opened, error_text};
use super::output::{FAILURE, SUCCESS, complain, print};
use crate::components::Components;
use crate::engine::compile;
use crate::export::c::{Options, Precision, Refusal, export};
use crate::exported::{self, FolderError, Verdict, VerifyError};
use crate::model::Simulation;

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The simulation file
    file: PathBuf,
    /// What is written: c is C99 code without dependencies, with a test bench, a Makefile and a CMake file
    #[arg(long, value_enum)]
    to: Target,
    /// The folder for the files; it is created if it does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The model to be exported; its entries become inputs, its exits outputs [default: the root model]
    #[arg(long, value_name = "NAME", conflicts_with = "set")]
    model: Option<String>,
    /// Writes the mathematics into the file of the code
    #[arg(long)]
    single_file: bool,
    /// Writes parameters as constants, so that they cannot be changed in the code
    #[arg(long)]
    inline_parameters: bool,
    /// Writes code in single precision (float): its results are others than those of the simulation; --verify
    /// measures the error and adds it to the page NAME.md
    #[arg(long)]
    float: bool,
    /// Compiles the code with $CC or cc, runs it and compares each bit with the simulation; the result is in
    /// verify.xml (JUnit) in the folder, and the exit code is 1 if a bit differs
    #[arg(long)]
    verify: bool,
    /// The number of steps that --verify compares [default: from the file, at most 10000, or 1000]
    #[arg(long, value_name = "N", requires = "verify")]
    steps: Option<u64>,
    /// The step length in seconds [default: from the file]
    #[arg(long, value_name = "D")]
    delta: Option<f64>,
    /// Sets an option: Plant/Motor#3.Gain=2.5; separate the elements of a vector by commas
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    /// Hides the list of written files
    #[arg(long, short)]
    quiet: bool,
}

/// The kinds of exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    C,
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    File(#[from] OpenError),
    #[error("there is no model “{0}”; the models are: {1}")]
    UnknownModel(String, String),
    #[error("C code cannot be written: {0}")]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("--verify: {0}")]
    Verify(#[from] VerifyError),
}

pub fn run(args: &ExportArgs, components: &Components) -> ExitCode {
    match export_file(args, components) {
        Ok((text, code)) => print(&text, code),
        Err(Failure::File(error)) => error.complain(&args.file),
        Err(error) => {
            complain(&error_text(&error, &args.file));
            ExitCode::from(FAILURE)
        }
    }
}

/// Exports the file; returns the output and the exit code.
fn export_file(args: &ExportArgs, components: &Components) -> Result<(String, u8), Failure> {
    let Target::C = args.to;
    let given = OpenOptions { set: &args.set, delta: args.delta, files: Some(&args.files) };
    let opened = Opened::open(components, &args.file, given)?;
    let mut simulation = Simulation::clone(opened.document.simulation());
    if let Some(name) = &args.model {
        if simulation.model(name).is_none() {
            let known: Vec<&str> = simulation.models_in_order().into_iter().map(|model| &*model.name).collect();
            return Err(Failure::UnknownModel(name.clone(), known.join(", ")));
        }
        simulation.root = name.as_str().into();
    }
    let program = Arc::new(compile(&simulation, &opened.registry).map_err(|found| opened.invalid(found))?);
    let context = opened.context(&program)?;
    let name = args.model.clone().unwrap_or_else(|| stem(&args.file));
    let options = Options {
        name: &name,
        is_single_file: args.single_file,
        inlines_parameters: args.inline_parameters,
        precision: if args.float { Precision::Single } else { Precision::Double },
        params: &context.params,
    };
    let code = export(&program, &simulation, &options)?;
    exported::write(&args.out, &code)?;
    let mut text = String::new();
    if !args.quiet {
        for file in &code.files {
            text.push_str(&format!("{}\n", args.out.join(&file.name).display()));
        }
    }
    if !args.verify {
        return Ok((text, SUCCESS));
    }
    let steps = args.steps.unwrap_or(exported::default_steps(&program));
    let verdict = exported::verify(&args.out, &code, &program, context, steps)?;
    exported::write_file(&args.out.join("verify.xml"), verdict.junit(&code.name).as_bytes())?;
    text.push_str(&verdict.text(&code.name));
    Ok((text, if matches!(verdict, Verdict::Different { .. }) { FAILURE } else { SUCCESS }))
}

fn stem(file: &Path) -> String {
    file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}
