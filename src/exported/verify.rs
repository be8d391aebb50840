//! Compiles exported code, runs it, and compares its bits with those of an engine.

use std::fmt::Write as _;
use std::io;
use std::process::Command;
use std::sync::Arc;

use quick_xml::escape::escape;

use super::folder::{CodeFolder, FolderError};
use crate::block::{element_names, hex_number};
use crate::engine::{Context, Engines, Program, RunError, Samples};
use crate::export::c::{Code, Precision};
use crate::results::{Numbers, Table as _, Text};

/// Whether the code computes the same values as the simulation.
pub enum Verdict {
    Equal {
        steps: u64,
        columns: usize,
    },
    /// The errors of code in single precision.
    Measured {
        steps: u64,
        errors: Vec<OutputError>,
    },
    /// The first line that differs, from 0, which is the head: as the engine has it, and as the code has it.
    Different {
        line: usize,
        expected: String,
        got: String,
    },
}

/// The error of one element of an output over all steps.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputError {
    pub name: String,
    /// The greatest difference from the simulation.
    pub absolute: f64,
    /// The same as a part of the greatest size of the output in the simulation.
    pub relative: f64,
}

/// Why the code cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    #[error("the compiler {0} cannot be started ({1}); install one, or name it in the variable CC")]
    NoCompiler(String, io::Error),
    #[error("the compiler {0} reports:\n{1}")]
    Compiler(String, String),
    #[error("the compiled code cannot be started: {0}")]
    NotStarted(io::Error),
    #[error("the compiled code reports: {0}")]
    Code(String),
    #[error("no temporary folder: {0}")]
    Folder(io::Error),
    #[error(transparent)]
    Page(#[from] FolderError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("no engine runs the simulation")]
    NoEngine,
}

/// Returns the default number of compared steps: that of the file, up to a limit.
pub fn default_steps(program: &Program) -> u64 {
    if program.steps == 0 { 1000 } else { program.steps.min(10_000) }
}

/// Compares the outputs of the code with those of the simulation over a number of steps.
///
/// # Errors
/// If the code cannot be compiled or run, or the simulation fails.
pub fn verify(
    folder: &mut CodeFolder,
    code: &Code,
    program: &Arc<Program>,
    context: Context,
    steps: u64,
) -> Result<Verdict, VerifyError> {
    let expected = simulated(program, context, steps)?;
    let built = tempfile::tempdir().map_err(VerifyError::Folder)?;
    let binary = built.path().join("bench");
    let compiler = std::env::var("CC").ok().filter(|name| !name.is_empty()).unwrap_or_else(|| "cc".to_owned());
    let mut words = compiler.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("cc"));
    command.args(words).args(["-O2", "-std=c99", "-ffp-contract=off", "-o"]).arg(&binary);
    command.args(code.files.iter().filter(|file| file.name.ends_with(".c")).map(|file| folder.path().join(&file.name)));
    let compiled = command.arg("-lm").output().map_err(|error| VerifyError::NoCompiler(compiler.clone(), error))?;
    if !compiled.status.success() {
        let text = String::from_utf8_lossy(&compiled.stderr).into_owned();
        return Err(VerifyError::Compiler(compiler, text));
    }
    let ran = Command::new(&binary).arg(steps.to_string()).output().map_err(VerifyError::NotStarted)?;
    if ran.stdout.is_empty() {
        return Err(VerifyError::Code(String::from_utf8_lossy(&ran.stderr).trim_end().to_owned()));
    }
    let got = String::from_utf8_lossy(&ran.stdout);
    if code.precision == Precision::Double {
        return Ok(compare(&expected, &got));
    }
    let verdict = measured(&expected, &got);
    if let Verdict::Measured { .. } = verdict {
        write_errors(folder, code, &verdict)?;
    }
    Ok(verdict)
}

/// Returns the table that the test bench of the code must print.
fn simulated(program: &Arc<Program>, mut context: Context, steps: u64) -> Result<String, VerifyError> {
    let exits = program.exits();
    let elements = exits.iter().flat_map(|(name, _, output)| element_names(name, &program.output_type(*output)));
    let names: Vec<String> = std::iter::once("time".to_owned()).chain(elements).collect();
    let mut table = Text::begin(&["step"], &names, Numbers::Hexadecimal);
    let engines = Engines::standard();
    let engine = engines.get(Engines::DEFAULT).ok_or(VerifyError::NoEngine)?;
    let mut execute = engine.prepare(program).map_err(|_| VerifyError::NoEngine)?;
    let mut samples = Samples::new(exits.iter().map(|(_, _, output)| *output));
    while context.step < steps && samples.end().is_none() {
        let count = (steps - context.step).min(1024);
        let ran = execute.run(&mut context, count, &mut samples);
        for row in 0..samples.len() {
            let step = samples.first() + row as u64;
            let mut numbers = vec![step as f64 * program.delta];
            for watch in samples.watches() {
                let width = watch.values.len() / samples.len();
                numbers.extend(&watch.values[row * width..(row + 1) * width]);
            }
            // A table in memory cannot fail.
            let _ = table.row(&[step as i64], &numbers);
        }
        if let Err(error) = ran {
            return Err(error.into());
        }
        samples.clear();
    }
    Ok(table.text())
}

fn compare(expected: &str, got: &str) -> Verdict {
    let columns = expected.lines().next().map_or(0, |head| head.split(',').count().saturating_sub(2));
    let (mut wanted, mut found) = (expected.lines(), got.lines());
    let mut line = 0;
    loop {
        match (wanted.next(), found.next()) {
            (None, None) => return Verdict::Equal { steps: line.max(1) as u64 - 1, columns },
            (wanted, found) if wanted == found => line += 1,
            (wanted, found) => {
                let text = |line: Option<&str>| line.unwrap_or("(nothing)").to_owned();
                return Verdict::Different { line, expected: text(wanted), got: text(found) };
            }
        }
    }
}

/// Measures the difference of each column. Values that are missing or infinite must be so in both.
fn measured(expected: &str, got: &str) -> Verdict {
    let head = expected.lines().next().unwrap_or_default();
    let names: Vec<&str> = head.split(',').skip(2).collect();
    let mut found: Vec<(f64, f64)> = vec![(0.0, 0.0); names.len()];
    let (mut wanted, mut others) = (expected.lines().skip(1), got.lines().skip(1));
    let mut line = 1;
    loop {
        let (wanted, other) = match (wanted.next(), others.next()) {
            (Some(wanted), Some(other)) => (wanted, other),
            (None, None) => break,
            (wanted, other) => {
                let text = |line: Option<&str>| line.unwrap_or("(nothing)").to_owned();
                return Verdict::Different { line, expected: text(wanted), got: text(other) };
            }
        };
        let pairs = wanted.split(',').zip(other.split(',')).skip(2);
        for ((wanted, other), (error, size)) in pairs.zip(&mut found) {
            if wanted == other {
                let known = hex_number(wanted).filter(|value| value.is_finite()).unwrap_or(0.0);
                *size = size.max(known.abs());
                continue;
            }
            match (hex_number(wanted), hex_number(other)) {
                (Some(wanted), Some(other)) if wanted.is_finite() && other.is_finite() => {
                    *error = error.max((wanted - other).abs());
                    *size = size.max(wanted.abs());
                }
                _ => *error = f64::INFINITY,
            }
        }
        line += 1;
    }
    let errors = names.iter().zip(found).map(|(name, (absolute, size))| {
        let relative = if absolute == 0.0 { 0.0 } else { absolute / size };
        OutputError { name: (*name).to_owned(), absolute, relative }
    });
    Verdict::Measured { steps: line as u64 - 1, errors: errors.collect() }
}

/// Adds the errors to the page of the code.
fn write_errors(folder: &mut CodeFolder, code: &Code, verdict: &Verdict) -> Result<(), VerifyError> {
    let name = format!("{}.md", code.name);
    let Some(page) = code.files.iter().find(|file| file.name == name) else { return Ok(()) };
    let text = format!("{}\n## Error of single precision\n\n{}", page.text, verdict.text(&code.name));
    Ok(folder.replace(&name, text.as_bytes())?)
}

impl Verdict {
    pub fn text(&self, name: &str) -> String {
        match self {
            Verdict::Equal { steps, columns } => {
                format!("{name}: the code has the bits of the simulation: {steps} steps, {columns} output elements\n")
            }
            Verdict::Measured { steps, errors } => {
                let mut text = format!(
                    "{name}: single precision against the simulation over {steps} steps; the relative error is that of the \
                     output's greatest value\n\n| output | greatest absolute error | relative |\n|---|---|---|\n"
                );
                for OutputError { name, absolute, relative } in errors {
                    let _ = writeln!(text, "| {name} | {absolute:.2e} | {relative:.2e} |");
                }
                text
            }
            Verdict::Different { line, expected, got } => format!(
                "{name}: the code differs from the simulation at line {line}\n  simulation: {expected}\n  code:       {got}\n"
            ),
        }
    }

    /// Formats a JUnit XML report.
    pub fn junit(&self, name: &str) -> String {
        let failures = usize::from(matches!(self, Verdict::Different { .. }));
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"simulate export\" tests=\"1\" \
             failures=\"{failures}\" errors=\"0\">\n    <testcase name=\"{}\" classname=\"back-to-back\"",
            escape(name)
        );
        match self {
            Verdict::Equal { .. } => text.push_str("/>\n"),
            Verdict::Measured { .. } => {
                let all = self.text(name);
                let _ = write!(text, ">\n      <system-out>{}</system-out>\n    </testcase>\n", escape(&all));
            }
            Verdict::Different { .. } => {
                let all = self.text(name);
                let first = all.lines().next().unwrap_or_default();
                let _ = write!(text, ">\n      <failure message=\"{}\">{}</failure>\n", escape(first), escape(&all));
                text.push_str("    </testcase>\n");
            }
        }
        text.push_str("  </testsuite>\n</testsuites>\n");
        text
    }
}
