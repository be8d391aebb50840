//! `simulate plugins`: lists plug-ins, switches them on and off, and tests them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde::Serialize;

use super::output::{FAILURE, OutputFormat, SUCCESS, complain, json, print};
use crate::block::Registry;
use crate::components::Components;
use crate::conformance;
use crate::format::read_bounded;
use crate::plugin::{FoundPlugin, MAX_FILE, PluginState, UserError, UserPlugins, load};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct PluginsArgs {
    #[command(subcommand)]
    command: Option<PluginsCommand>,
    /// Lists those in the folder plugins beside this simulation too
    #[arg(long, value_name = "FILE")]
    beside: Option<PathBuf>,
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

#[derive(Debug, Subcommand)]
enum PluginsCommand {
    /// Switches a plug-in on: the blocks of this file, as it is now, may run in all simulations
    Enable {
        /// The .wasm file, or the name of a plug-in of the list
        plugin: String,
    },
    /// Switches a plug-in off
    Disable {
        /// The .wasm file, or the name of a plug-in of the list
        plugin: String,
    },
    /// Tests the blocks of a plug-in on all engines, without switching it on: their examples, and equal results for
    /// extreme inputs; the exit code is 0 if all are as expected, 1 if one is not
    Test {
        /// The .wasm file
        file: PathBuf,
    },
}

#[derive(Serialize)]
struct PluginJson<'a> {
    name: &'a str,
    version: &'a str,
    author: &'a str,
    licence: &'a str,
    doc: &'a str,
    /// `on`, `off` or `broken`.
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<&'a str>,
    blocks: &'a [String],
    sha256: &'a str,
    path: String,
}

pub fn run(args: &PluginsArgs, components: &Components) -> ExitCode {
    let mut user = UserPlugins::of_user();
    let done = match &args.command {
        None => return list(args, &user),
        Some(PluginsCommand::Enable { plugin }) => enable(&mut user, plugin),
        Some(PluginsCommand::Disable { plugin }) => disable(&mut user, plugin),
        Some(PluginsCommand::Test { file }) => return test(file, components),
    };
    match done {
        Ok(text) => print(&text, SUCCESS),
        Err(error) => {
            complain(&error.to_string());
            ExitCode::from(FAILURE)
        }
    }
}

fn list(args: &PluginsArgs, user: &UserPlugins) -> ExitCode {
    if let Some(problem) = user.problem() {
        complain(&format!("warning: the list of plug-ins cannot be read, so that all are off: {problem}"));
    }
    let found = user.found(args.beside.as_deref());
    let text = match args.format {
        OutputFormat::Json => json(&found.iter().map(plugin_json).collect::<Vec<_>>()),
        OutputFormat::Text if found.is_empty() => match user.folder() {
            Some(folder) => format!("there are no plug-ins in {}\n", folder.display()),
            None => "there are no plug-ins\n".to_owned(),
        },
        OutputFormat::Text => found.iter().map(plugin_text).collect(),
    };
    print(&text, SUCCESS)
}

fn plugin_json(found: &FoundPlugin) -> PluginJson<'_> {
    let FoundPlugin { path, hash, state, about, blocks } = found;
    let (state, problem) = match state {
        PluginState::On => ("on", None),
        PluginState::Off => ("off", None),
        PluginState::Broken(problem) => ("broken", Some(problem.as_str())),
    };
    PluginJson {
        name: &about.name,
        version: &about.version,
        author: &about.author,
        licence: &about.licence,
        doc: &about.doc,
        state,
        problem,
        blocks,
        sha256: hash,
        path: path.display().to_string(),
    }
}

fn plugin_text(found: &FoundPlugin) -> String {
    let about = &found.about;
    let state = match &found.state {
        PluginState::On => "on".to_owned(),
        PluginState::Off => "off".to_owned(),
        PluginState::Broken(problem) => format!("broken: {problem}"),
    };
    let title = format!("{} {}", about.name, about.version);
    let mut text = format!("{}: {state}\n", title.trim_end());
    let mut line = |title: &str, value: &str| {
        if !value.is_empty() {
            text.push_str(&format!("  {title}{value}\n"));
        }
    };
    line("", &about.doc);
    line("author: ", &about.author);
    line("licence: ", &about.licence);
    line("blocks: ", &found.blocks.join(", "));
    line("may: ", if found.blocks.is_empty() { "" } else { MAY });
    line("SHA-256: ", &found.hash);
    line("file: ", &found.path.display().to_string());
    text
}

/// The permissions and limits of the code of a plug-in.
const MAY: &str = "compute, with 16 MB of memory and 10 million instructions a call and 100 more for each element; no files, clock or network";

/// Why a plug-in is not switched on or off.
#[derive(Debug, thiserror::Error)]
enum SwitchError {
    #[error("there is no file and no plug-in “{0}”; simulate plugins lists all plug-ins")]
    Unknown(String),
    #[error("there are {1} plug-ins “{0}”; name the file of one")]
    Ambiguous(String, usize),
    #[error("{0}: {1}")]
    Refused(String, UserError),
}

fn enable(user: &mut UserPlugins, wanted: &str) -> Result<String, SwitchError> {
    let found = find(user, wanted)?;
    user.enable(&found).map_err(|error| SwitchError::Refused(wanted.to_owned(), error))?;
    Ok(format!("{} {} is on: {}\n", found.about.name, found.about.version, found.blocks.join(", ")))
}

fn disable(user: &mut UserPlugins, wanted: &str) -> Result<String, SwitchError> {
    let found = find(user, wanted)?;
    user.disable(&found.hash).map_err(|error| SwitchError::Refused(wanted.to_owned(), error))?;
    Ok(format!("{} {} is off\n", found.about.name, found.about.version))
}

/// Finds a plug-in by the path of its file, its name or its hash.
fn find(user: &UserPlugins, wanted: &str) -> Result<FoundPlugin, SwitchError> {
    if Path::new(wanted).is_file() {
        return Ok(user.look_at(Path::new(wanted)));
    }
    let is_it = |found: &FoundPlugin| found.about.name == wanted || found.hash == wanted;
    let found: Vec<FoundPlugin> = user.found(None).into_iter().filter(is_it).collect();
    match found.len() {
        1 => Ok(found.into_iter().next().unwrap_or_else(|| user.look_at(Path::new(wanted)))),
        0 => Err(SwitchError::Unknown(wanted.to_owned())),
        count => Err(SwitchError::Ambiguous(wanted.to_owned(), count)),
    }
}

fn test(file: &Path, components: &Components) -> ExitCode {
    let tested = read_bounded(file, MAX_FILE)
        .map_err(|error| format!("the file cannot be read: {error}"))
        .and_then(|bytes| load(&bytes).map_err(|error| error.to_string()));
    let (plugin, defs) = match tested {
        Ok(loaded) => loaded,
        Err(problem) => {
            complain(&format!("{problem}: {}", file.display()));
            return ExitCode::from(FAILURE);
        }
    };
    let mut registry = Registry::clone(&components.registry);
    for def in &defs {
        if let Err(error) = registry.add(def) {
            complain(&format!("{error}: {}", file.display()));
            return ExitCode::from(FAILURE);
        }
    }
    let mut errors = Vec::new();
    for def in &defs {
        errors.extend(conformance::block(def, &registry, &components.engines));
    }
    let mut text: String = errors.iter().map(|error| format!("{error}\n")).collect();
    let about = &plugin.about;
    match errors.len() {
        0 => {
            let names: Vec<&str> = defs.iter().map(|def| def.name).collect();
            text.push_str(&format!("{} {} is as expected: {}\n", about.name, about.version, names.join(", ")));
        }
        count => text.push_str(&format!("{} {}: {count} errors\n", about.name, about.version)),
    }
    print(&text, if errors.is_empty() { SUCCESS } else { FAILURE })
}
