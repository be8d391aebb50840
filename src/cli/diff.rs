//! `simulate diff`: lists the changes from one state of a simulation to another.

use std::collections::BTreeSet;
use std::fmt::Write as _;
#[cfg(feature = "app")]
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

#[cfg(feature = "app")]
use super::output::ForceArgs;
use super::output::{FAILURE, OutputFormat, SUCCESS, UNREADABLE, complain, counted, json, print};
use crate::components::Components;
use crate::diff::{Change, diff};
#[cfg(feature = "app")]
use crate::format::FileKind;
use crate::format::{RevisionError, state};
use crate::model::Simulation;

#[derive(Debug, Args)]
pub struct DiffArgs {
    /// Two files, or states of files in git: HEAD~1:motor.simx; with --git-driver the arguments that git gives
    #[arg(required = true, num_args = 2.., value_name = "FILE")]
    files: Vec<String>,
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    /// Lists changes of the layout too, and counts them as differences
    #[arg(long)]
    layout: bool,
    /// Writes both diagrams side by side with the changes marked, as one .html file
    #[cfg(feature = "app")]
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[cfg(feature = "app")]
    #[command(flatten)]
    force: ForceArgs,
    /// Takes the arguments of a diff driver of git, and ends with code 0
    #[arg(long)]
    git_driver: bool,
}

/// Why a state cannot be read.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    State(#[from] RevisionError),
    #[error("diff compares two files, but {0} are given")]
    Count(usize),
}

/// A request for a page. The command is given the function that draws, since it knows no drawing itself.
pub struct PageRequest<'a> {
    /// Both states, each with its name.
    pub first: (&'a str, &'a Arc<Simulation>),
    pub second: (&'a str, &'a Arc<Simulation>),
}

#[derive(Serialize)]
struct DiffReport {
    changes: Vec<Change>,
    /// The number of changes of the layout, listed or not.
    layout: usize,
}

/// Compares, with a function that draws the page; none in a program without a window.
pub fn run(args: &DiffArgs, components: &Components, page: Option<&dyn Fn(&PageRequest) -> String>) -> ExitCode {
    let states = match &args.files[..] {
        // path old-file old-hex old-mode new-file new-hex new-mode, and more if the file was renamed
        [_, old, _, _, new, ..] if args.git_driver => [old, new],
        [old, new] if !args.git_driver => [old, new],
        files => return failed(&Failure::Count(files.len())),
    };
    let [first, second] = states.map(|text| state(text, &components.formats));
    let (first, second) = match (first, second) {
        (Ok(first), Ok(second)) => (first, second),
        (Err(failure), _) | (_, Err(failure)) => return failed(&failure.into()),
    };
    let mut changes = diff(&first, &second);
    #[cfg(feature = "app")]
    if let Some(out) = &args.html
        && let Err(problem) = write_page(args, out, (states, [first, second]), components, page)
    {
        complain(&format!("error: {problem}"));
        return ExitCode::from(UNREADABLE);
    }
    #[cfg(not(feature = "app"))]
    let _ = page;
    let layout = changes.iter().filter(|change| change.is_layout).count();
    let layout_text = layout_text(&changes);
    if !args.layout {
        changes.retain(|change| !change.is_layout);
    }
    let code = if args.git_driver || changes.is_empty() { SUCCESS } else { FAILURE };
    let text = match args.format {
        OutputFormat::Json => json(&DiffReport { changes, layout }),
        OutputFormat::Text => {
            let mut text = String::new();
            if let (true, [path, ..]) = (args.git_driver, &args.files[..]) {
                let _ = writeln!(text, "{path}");
            }
            for change in &changes {
                let _ = writeln!(text, "{} {change}", change.sign());
            }
            if !args.layout && layout > 0 {
                let _ = writeln!(text, "  layout: {layout_text}");
            }
            text
        }
    };
    print(&text, code)
}

#[cfg(feature = "app")]
fn write_page(
    args: &DiffArgs,
    out: &Path,
    (names, states): ([&String; 2], [Simulation; 2]),
    components: &Components,
    page: Option<&dyn Fn(&PageRequest) -> String>,
) -> Result<(), Box<dyn std::error::Error>> {
    let page = page.ok_or("this program has no window, which draws the page of --html")?;
    let [first, second] = states.map(Arc::new);
    let text = page(&PageRequest { first: (names[0], &first), second: (names[1], &second) });
    let read = names.iter().map(Path::new).filter(|path| path.exists());
    let out = args.force.outputs(&components.formats).reading(read).admit(out, FileKind::Html)?;
    Ok(out.replace(text.as_bytes())?)
}

fn failed(failure: &Failure) -> ExitCode {
    complain(&format!("error: {failure}"));
    ExitCode::from(UNREADABLE)
}

/// How many things have another layout: `3 blocks, 1 wire`.
fn layout_text(changes: &[Change]) -> String {
    use crate::diff::Subject;
    let count = |subject: Subject, what: &str| {
        let paths: BTreeSet<&str> = changes
            .iter()
            .filter(|change| change.is_layout && change.subject == subject)
            .map(|change| &*change.path)
            .collect();
        (!paths.is_empty()).then(|| counted(paths.len(), what))
    };
    let parts = [count(Subject::Block, "block"), count(Subject::Wire, "wire"), count(Subject::Model, "model")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "other content".to_owned() } else { parts.join(", ") }
}
