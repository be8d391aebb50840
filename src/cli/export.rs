//! `simulate export`: writes C code of a simulation, or an FMU.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::opened::{FileArgs, OpenError, OpenOptions, Opened, error_text};
use super::output::{FAILURE, ForceArgs, SUCCESS, complain, print};
use crate::components::Components;
use crate::engine::{Context, Program, compile};
use crate::export::c::{Options, Precision, Refusal, export};
use crate::export::fmu::{Located, Version};
use crate::exported::{self, CodeFolder, FmuError, FmuRequest, FolderError, OnChanged, Verdict, VerifyError};
use crate::format::{FileKind, OutputError, OutputFile, Outputs};
use crate::model::Simulation;

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The simulation file
    file: PathBuf,
    /// What is written: c is C99 code without dependencies, with a test bench, a Makefile and a CMake file; fmu is a
    /// Functional Mock-up Unit of this code for co-simulation, and for model exchange if all states are continuous
    #[arg(long, value_enum)]
    to: Target,
    /// The folder for C code, which is created if it does not exist; the file for an FMU, which replaces an older one. Files
    /// of the folder that were edited since the last export are replaced only with --force
    #[arg(long, value_name = "DIR|FILE.fmu")]
    out: PathBuf,
    /// The version of the standard: 2 is understood by most programs, 3 has vectors [default: 2]
    #[arg(long, value_name = "2|3", value_parser = clap::value_parser!(u8).range(2..=3))]
    fmi: Option<u8>,
    /// Writes an FMU without a binary, to be compiled where it is used
    #[arg(long)]
    sources_only: bool,
    /// The model to be exported; its entries become inputs, its exits outputs [default: the root model]
    #[arg(long, value_name = "NAME", conflicts_with = "set")]
    model: Option<String>,
    /// Writes the mathematics into the file of the code
    #[arg(long)]
    single_file: bool,
    /// Writes parameters as constants, so that they cannot be changed in the code
    #[arg(long)]
    inline_parameters: bool,
    /// Writes code in single precision (float): its results differ from those of the simulation; --verify
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
    force: ForceArgs,
    #[command(flatten)]
    files: FileArgs,
    /// Hides what is written
    #[arg(long, short)]
    quiet: bool,
}

/// The kinds of exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    C,
    Fmu,
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    File(#[from] OpenError),
    #[error("there is no model “{0}”; the models are: {1}")]
    UnknownModel(String, String),
    #[error("C code cannot be written: {0}")]
    Refused(#[from] Refusal),
    #[error("{0} is for --to {1} only")]
    NotFor(&'static str, &'static str),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Fmu(#[from] FmuError),
    #[error("{0}, or --force to replace what was changed")]
    Changed(FolderError),
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
    is_for_target(args)?;
    let given = OpenOptions { set: &args.set, delta: args.delta, files: Some(&args.files) };
    let opened = Opened::open(components, &args.file, given)?;
    let mut simulation = Simulation::clone(opened.simulation());
    if let Some(name) = &args.model {
        if simulation.model(name).is_none() {
            let known: Vec<&str> = simulation.models_in_order().into_iter().map(|model| &*model.name).collect();
            return Err(Failure::UnknownModel(name.clone(), known.join(", ")));
        }
        simulation.root = name.as_str().into();
    }
    let program = Arc::new(compile(&simulation, opened.registry()).map_err(|found| opened.invalid(found))?);
    let mut outputs = opened.outputs(args.force, &components.formats);
    let context = opened.context(&program)?;
    let name = args.model.clone().unwrap_or_else(|| stem(&args.file));
    let options = Options {
        name: &name,
        is_single_file: args.single_file,
        inlines_parameters: args.inline_parameters,
        precision: if args.float { Precision::Single } else { Precision::Double },
        params: &context.params,
    };
    match args.to {
        Target::C => export_code(args, &program, (&simulation, &mut outputs), &options, context.clone()),
        Target::Fmu => {
            let file = outputs.admit(&args.out, FileKind::Fmu)?;
            // Where the diagram does not compile for another solver, the FMU is for co-simulation alone.
            let located = Located::program(&simulation, opened.registry());
            let located = located.and_then(|program| Some((opened.context(&program).ok()?, program)));
            let located = located.as_ref().map(|(context, program)| Located { program, params: &context.params });
            let version = if args.fmi == Some(3) { Version::Three } else { Version::Two };
            let (program, is_source_only) = (&program, args.sources_only);
            let (simulation, options) = (&simulation, &options);
            export_unit(args, &file, FmuRequest { program, located, simulation, options, version, is_source_only })
        }
    }
}

/// Checks that options are those of the kind of export.
fn is_for_target(args: &ExportArgs) -> Result<(), Failure> {
    let is_c = args.to == Target::C;
    for (is_given, name, target) in [
        (args.single_file, "--single-file", "c"),
        (args.verify, "--verify", "c"),
        (args.float, "--float", "c"),
        (args.fmi.is_some(), "--fmi", "fmu"),
        (args.sources_only, "--sources-only", "fmu"),
    ] {
        if is_given && is_c != (target == "c") {
            return Err(Failure::NotFor(name, target));
        }
    }
    Ok(())
}

/// Writes an FMU.
fn export_unit(args: &ExportArgs, file: &OutputFile, request: FmuRequest) -> Result<(String, u8), Failure> {
    let written = exported::write_fmu(file, request)?;
    if let Some(text) = &written.notice {
        complain(&format!("note: {text}"));
    }
    let text = if args.quiet { String::new() } else { format!("{}: {}\n", args.out.display(), written.text()) };
    Ok((text, SUCCESS))
}

/// Writes C code.
fn export_code(
    args: &ExportArgs,
    program: &Arc<Program>,
    (simulation, outputs): (&Simulation, &mut Outputs),
    options: &Options,
    context: Context,
) -> Result<(String, u8), Failure> {
    let code = export(program, simulation, options)?;
    let on_changed = if args.force.force { OnChanged::Overwrite } else { OnChanged::Refuse };
    let mut folder = CodeFolder::write(&args.out, &code, outputs, on_changed).map_err(|error| match error {
        error @ FolderError::Changed(_) => Failure::Changed(error),
        error => error.into(),
    })?;
    let mut text = String::new();
    if !args.quiet {
        for file in &code.files {
            text.push_str(&format!("{}\n", args.out.join(&file.name).display()));
        }
    }
    if !args.verify {
        return Ok((text, SUCCESS));
    }
    let steps = args.steps.unwrap_or(exported::default_steps(program));
    let verdict = exported::verify(&mut folder, &code, program, context, steps)?;
    let report = outputs.admit(&args.out.join("verify.xml"), FileKind::JUnit)?;
    report.replace(verdict.junit(&code.name).as_bytes()).map_err(|error| FolderError::unwritable(&report, error))?;
    text.push_str(&verdict.text(&code.name));
    Ok((text, if matches!(verdict, Verdict::Different { .. }) { FAILURE } else { SUCCESS }))
}

fn stem(file: &Path) -> String {
    file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}
