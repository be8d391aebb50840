//! `simulate merge`: merges what two people have made of one state of a simulation.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use super::opened::FileArgs;
use super::output::{FAILURE, ForceArgs, OutputFormat, SUCCESS, UNREADABLE, complain, counted, json, print};
use crate::block::FileError;
use crate::components::Components;
use crate::engine;
use crate::format::{
    FileKind, Formats, OutputError, OutputFile, Outputs, Overwrite, RevisionError, SaveError, state_of,
};
use crate::merge::merge;
use crate::model::{Conflict, Holder, Simulation, side_text};

#[derive(Debug, Args)]
pub struct MergeArgs {
    /// The state that both sides came from, ours and theirs: files, or states of files in git, such as HEAD~1:motor.simx
    #[arg(required = true, num_args = 3.., value_name = "FILE")]
    files: Vec<String>,
    /// Writes the result to this file
    #[arg(short, long, value_name = "FILE", required_unless_present = "git_driver")]
    out: Option<PathBuf>,
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    /// Takes the arguments of a merge driver of git, %O %A %B %P, and writes the result to %A
    #[arg(long, conflicts_with = "out")]
    git_driver: bool,
    #[command(flatten)]
    force: ForceArgs,
}

/// Why nothing is merged.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("merge takes three states, BASE OURS THEIRS, but {0} are given")]
    Count(usize),
    #[error("--git-driver takes the arguments %O %A %B %P of git, but {0} are given")]
    DriverCount(usize),
    #[error(transparent)]
    State(#[from] RevisionError),
    #[error("the blocks cannot be read: {0}")]
    Registry(#[from] FileError),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error("{1}: {0}")]
    Save(SaveError, String),
}

/// The three states by the names that are read, and the path that says the format of each and of the result.
struct Request<'a> {
    states: [&'a str; 3],
    /// The path of the file in the working tree, if that is not the one that is read.
    path: Option<&'a str>,
    out: &'a Path,
}

pub fn run(args: &MergeArgs, components: &Components) -> ExitCode {
    match merged(args, components) {
        Ok((simulation, conflicts)) => report(args, &simulation, &conflicts),
        Err(failure) => {
            complain(&format!("error: {failure}"));
            ExitCode::from(UNREADABLE)
        }
    }
}

fn request(args: &MergeArgs) -> Result<Request<'_>, Failure> {
    let files: Vec<&str> = args.files.iter().map(String::as_str).collect();
    match (&args.out, &files[..]) {
        (None, [base, ours, theirs, path]) => {
            Ok(Request { states: [base, ours, theirs], path: Some(path), out: Path::new(*ours) })
        }
        (None, files) => Err(Failure::DriverCount(files.len())),
        (Some(out), [base, ours, theirs]) => Ok(Request { states: [base, ours, theirs], path: None, out }),
        (Some(_), files) => Err(Failure::Count(files.len())),
    }
}

fn merged(args: &MergeArgs, components: &Components) -> Result<(Simulation, Vec<(Holder, Conflict)>), Failure> {
    let request = request(args)?;
    let formats = &components.formats;
    let out = admitted(args, &request, formats)?;
    let state = |text: &str| state_of(text, request.path.map(Path::new), formats);
    let [base, ours, theirs] = request.states.map(state);
    let (base, ours, theirs) = (base?, ours?, theirs?);
    let path = request.path.map_or(request.out, Path::new);
    let registry = FileArgs::default().registry(components, path)?;
    let merged = merge((&base, &ours, &theirs), &registry, &|state| engine::diagnose(state, &registry));
    let failed = |error| Failure::Save(error, path.display().to_string());
    let bytes = formats.bytes_of(path, &merged.simulation).map_err(failed)?;
    out.replace(&bytes).map_err(|error| failed(error.into()))?;
    let conflicts = merged.conflicts();
    Ok((merged.simulation, conflicts))
}

/// Admits the result. Git's driver writes to one of the files that it reads.
fn admitted(args: &MergeArgs, request: &Request, formats: &Formats) -> Result<OutputFile, Failure> {
    Ok(match args.git_driver {
        true => Outputs::new(formats).overwriting(Overwrite::AnyKind).admit_any(request.out)?,
        false => {
            let read = request.states.iter().map(Path::new).filter(|path| path.exists());
            args.force.outputs(formats).reading(read).admit(request.out, FileKind::Simulation)?
        }
    })
}

#[derive(Serialize)]
struct MergeReport {
    conflicts: Vec<ConflictJson>,
}

/// A conflict. A side that has nothing is omitted.
#[derive(Serialize)]
struct ConflictJson {
    path: String,
    property: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<i128>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ours: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    theirs: Option<Vec<String>>,
}

fn report(args: &MergeArgs, simulation: &Simulation, conflicts: &[(Holder, Conflict)]) -> ExitCode {
    let code = if conflicts.is_empty() { SUCCESS } else { FAILURE };
    let count = counted(conflicts.len(), "conflict");
    if args.git_driver {
        // Git prints what it merges on standard output.
        if let (false, Some(path)) = (conflicts.is_empty(), args.files.last()) {
            complain(&format!("{path}: {count}; open it in Simulate to settle {}", it_or_them(conflicts)));
            conflicts.iter().for_each(|conflict| complain(&format!("  {}", line(simulation, conflict))));
        }
        return ExitCode::from(code);
    }
    let text = match args.format {
        OutputFormat::Json => {
            let conflicts = conflicts.iter().map(|(holder, conflict)| ConflictJson {
                path: holder.text(simulation),
                property: conflict.property.to_string(),
                model: holder.model().map(ToString::to_string),
                block: holder.block().map(|id| id.0),
                base: conflict.base.clone(),
                ours: conflict.ours.clone(),
                theirs: conflict.theirs.clone(),
            });
            json(&MergeReport { conflicts: conflicts.collect() })
        }
        OutputFormat::Text => {
            let lines = conflicts.iter().map(|conflict| format!("! {}\n", line(simulation, conflict)));
            let result = if conflicts.is_empty() { "merged without conflicts".to_owned() } else { count };
            lines.chain([format!("{result}\n")]).collect()
        }
    };
    print(&text, code)
}

fn it_or_them(conflicts: &[(Holder, Conflict)]) -> &'static str {
    if conflicts.len() == 1 { "it" } else { "them" }
}

/// `Main/PID, Gain: 2 in base, 3 in ours, 4 in theirs`.
fn line(simulation: &Simulation, (holder, conflict): &(Holder, Conflict)) -> String {
    let side = |values| side_text(simulation, holder, conflict, values).replace('\n', "⏎");
    let path = holder.text(simulation);
    let (base, ours, theirs) = (side(&conflict.base), side(&conflict.ours), side(&conflict.theirs));
    match &conflict.property {
        crate::model::Property::Presence => format!("{path}: {ours} in ours, {theirs} in theirs"),
        crate::model::Property::Check(_) => format!("{path}: {ours}"),
        property => format!("{path}, {property}: {base} in base, {ours} in ours, {theirs} in theirs"),
    }
}
