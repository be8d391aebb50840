//! `simulate git-setup`: lets git compare and merge simulations by their meaning.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Args;

use super::output::{SUCCESS, UNREADABLE, complain, print};

#[derive(Debug, Args)]
pub struct GitSetupArgs {
    /// Writes your own configuration for all repositories, instead of that of the repository here
    #[arg(long)]
    global: bool,
}

/// Why nothing is set up.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("git cannot be run: {0}; install it first")]
    Git(io::Error),
    #[error("{0}; run this in a folder of a repository, or with --global")]
    NoRepository(String),
    #[error("git config: {0}")]
    Config(String),
    #[error("the home folder is unknown; set HOME, or core.attributesFile in your configuration of git")]
    NoHome,
    #[error("{1}: {0}")]
    Attributes(io::Error, String),
}

/// The files that git compares and merges by this program, and the name of its drivers in the configuration.
const PATTERN: &str = "*.simx";
const DRIVERS: [&str; 2] = ["diff=simx", "merge=simx"];

pub fn run(args: &GitSetupArgs) -> ExitCode {
    match set_up(args) {
        Ok(text) => print(&text, SUCCESS),
        Err(failure) => {
            complain(&format!("error: {failure}"));
            ExitCode::from(UNREADABLE)
        }
    }
}

/// Writes the attributes and the configuration, and returns the text about it.
fn set_up(args: &GitSetupArgs) -> Result<String, Failure> {
    let file = if args.global { global_attributes()? } else { root()?.join(".gitattributes") };
    let attributes = |error| Failure::Attributes(error, file.display().to_string());
    let mut said = String::new();
    let line = format!("{PATTERN} {}", DRIVERS.join(" "));
    let _ = match add_line(&file, &line).map_err(attributes)? {
        true => writeln!(said, "wrote {}: {line}", file.display()),
        false => writeln!(said, "{} has it already: {line}", file.display()),
    };
    let program = program();
    let settings = [
        ("diff.simx.command", format!("{program} diff --git-driver")),
        ("merge.simx.name", "Simulate: merges block diagrams by their meaning".to_owned()),
        ("merge.simx.driver", format!("{program} merge --git-driver %O %A %B %P")),
    ];
    let scope = if args.global { "--global" } else { "--local" };
    for (name, value) in settings {
        git(&["config", scope, name, &value]).map_err(|failure| match failure {
            Failure::NoRepository(text) => Failure::Config(text),
            failure => failure,
        })?;
        let _ = writeln!(said, "set {name} ({}): {value}", scope.trim_start_matches('-'));
    }
    if !args.global {
        said.push_str("commit .gitattributes; everyone else who works on the repository runs this command once\n");
    }
    Ok(said)
}

/// Runs git, and returns what it prints.
fn git(args: &[&str]) -> Result<String, Failure> {
    let output = Command::new("git").args(args).output().map_err(Failure::Git)?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned()),
        false => Err(Failure::NoRepository(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
}

/// The folder of the repository.
fn root() -> Result<PathBuf, Failure> {
    Ok(PathBuf::from(git(&["rev-parse", "--show-toplevel"])?))
}

/// The file with the user's attributes for all repositories.
fn global_attributes() -> Result<PathBuf, Failure> {
    match git(&["config", "--global", "--type=path", "core.attributesFile"]) {
        Ok(path) if !path.is_empty() => return Ok(PathBuf::from(path)),
        Err(Failure::Git(error)) => return Err(Failure::Git(error)),
        _ => {}
    }
    let folder = |name: &str| std::env::var_os(name).filter(|text| !text.is_empty()).map(PathBuf::from);
    let config = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")));
    Ok(config.ok_or(Failure::NoHome)?.join("git").join("attributes"))
}

/// Adds a line to a file, which need not exist; returns whether it was missing.
fn add_line(path: &Path, line: &str) -> io::Result<bool> {
    let mut text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    if has_drivers(&text) {
        return Ok(false);
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(line);
    text.push('\n');
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)?;
    Ok(true)
}

/// Whether the last lines about these files name both drivers.
fn has_drivers(text: &str) -> bool {
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix(PATTERN));
    let set: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    DRIVERS.iter().all(|driver| {
        let (name, _) = driver.split_once('=').unwrap_or((driver, ""));
        let is_about = |word: &&&str| word.trim_start_matches(['-', '!']).split('=').next() == Some(name);
        set.iter().rev().find(is_about) == Some(driver)
    })
}

/// The command that starts this program: its name if that leads to it, or its path in quotation marks for a shell.
fn program() -> String {
    let Ok(own) = std::env::current_exe() else { return "simulate".to_owned() };
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&paths).map(|folder| folder.join("simulate"));
    let first = found.find(|path| path.is_file());
    let is_own = |path: PathBuf| fs::canonicalize(path).ok() == fs::canonicalize(&own).ok();
    match first.is_some_and(is_own) {
        true => "simulate".to_owned(),
        false => format!("'{}'", own.display().to_string().replace('\\', "/").replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::has_drivers;

    #[test]
    fn the_drivers_are_found_in_attributes() {
        assert!(!has_drivers(""));
        assert!(!has_drivers("*.simx diff=simx\n"));
        assert!(has_drivers("* text=auto\n*.simx diff=simx\n  *.simx merge=simx eol=lf\n"));
        assert!(!has_drivers("*.simx diff=simx merge=simx\n*.simx merge=union\n"));
        assert!(!has_drivers("*.simx diff=simx merge=simx\n*.simx -merge\n"));
    }
}
