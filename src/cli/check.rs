//! `simulate check`: reports the errors and warnings of files, and the descriptions of FMUs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use super::excerpt::{Excerpts, source_of};
use super::fmu_page;
use super::imported::{self, ImportArgs};
use super::opened::FileArgs;
use super::output::{FAILURE, OutputFormat, SUCCESS, UNREADABLE, complain, json, print};
use crate::block::FileError;
use crate::components::Components;
use crate::engine;
use crate::format::fmu::Fmu;
use crate::import::Report;
use crate::model::{Diagnostic, PortRef, Severity};
use crate::worker::read_fmu;

#[derive(Debug, Args)]
pub struct CheckArgs {
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    #[command(flatten)]
    files_of: FileArgs,
    #[command(flatten)]
    imported: ImportArgs,
}

pub fn run(args: &CheckArgs, components: &Components) -> ExitCode {
    let checked = args.files.iter().map(|path| check_file(components, path, args));
    let checked: Vec<Checked> = match checked.collect() {
        Ok(checked) => checked,
        Err(error) => {
            complain(&format!("error: --allow-fmu: {error}"));
            return ExitCode::from(UNREADABLE);
        }
    };
    let code = checked.iter().map(Checked::code).max().unwrap_or(SUCCESS);
    let text = match args.format {
        OutputFormat::Text => checked.iter().map(as_text).collect(),
        OutputFormat::Json => json(&CheckReport { files: checked.iter().map(as_json).collect() }),
    };
    print(&text, code)
}

/// A file with its diagnostics.
struct Checked<'a> {
    path: &'a Path,
    is_readable: bool,
    /// The FMU that it is.
    fmu: Option<Fmu>,
    /// What became of the blocks of a model of another program.
    import: Option<Report>,
    /// The diagnostics in file order.
    diagnostics: Vec<Diagnostic>,
}

fn check_file<'a>(components: &Components, path: &'a Path, args: &CheckArgs) -> Result<Checked<'a>, FileError> {
    let files = &args.files_of;
    if let Some(imported) = imported::import(path, &args.imported) {
        return Ok(match imported {
            Err(error) => Checked::unreadable(path, Diagnostic::error(error.code(), error.to_string())),
            Ok(imported) => {
                let registry = files.registry(components, path)?;
                let diagnostics = engine::diagnose(&imported.simulation, &registry);
                Checked { path, is_readable: true, fmu: None, import: Some(imported.report), diagnostics }
            }
        });
    }
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("fmu")) {
        return Ok(match read_fmu(path) {
            Ok(fmu) => Checked { path, is_readable: true, fmu: Some(fmu), import: None, diagnostics: Vec::new() },
            Err(error) => Checked::unreadable(path, Diagnostic::error("damaged", error.to_string())),
        });
    }
    Ok(match components.formats.open(path, &files.options()) {
        Err(error) => Checked::unreadable(path, error.to_diagnostic()),
        Ok(loaded) => {
            let mut diagnostics = loaded.diagnostics;
            let registry = files.registry(components, path)?;
            diagnostics.extend(engine::diagnose(&loaded.simulation, &registry));
            for diagnostic in &mut diagnostics {
                loaded.source_map.locate(diagnostic);
            }
            diagnostics.sort_by_key(|diagnostic| diagnostic.location.text);
            Checked { path, is_readable: true, fmu: None, import: None, diagnostics }
        }
    })
}

impl<'a> Checked<'a> {
    fn unreadable(path: &'a Path, error: Diagnostic) -> Checked<'a> {
        Checked { path, is_readable: false, fmu: None, import: None, diagnostics: vec![error] }
    }

    fn errors(&self) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count()
    }

    fn code(&self) -> u8 {
        match (self.is_readable, self.errors()) {
            (false, _) => UNREADABLE,
            (true, 0) => SUCCESS,
            (true, _) => FAILURE,
        }
    }
}

fn as_text(checked: &Checked) -> String {
    // The text is read again to show its lines; a binary file has none.
    let source =
        if checked.fmu.is_some() || checked.import.is_some() { String::new() } else { source_of(checked.path) };
    let excerpts = Excerpts::new(checked.path, &source);
    let mut text: String = checked.diagnostics.iter().map(|diagnostic| excerpts.render(diagnostic) + "\n\n").collect();
    let errors = checked.errors();
    let counts = [(errors, "error"), (checked.diagnostics.len() - errors, "warning")];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    });
    let verdict = match checked.code() {
        SUCCESS => "valid",
        FAILURE => "invalid",
        _ => "unreadable",
    };
    let findings: Vec<String> = std::iter::once(verdict.to_owned()).chain(counts).collect();
    text.push_str(&format!("{}: {}\n", checked.path.display(), findings.join(", ")));
    text.extend(checked.fmu.iter().map(fmu_page::text));
    text.extend(checked.import.iter().map(Report::text));
    text
}

#[derive(Serialize)]
struct CheckReport<'a> {
    files: Vec<FileJson<'a>>,
}

#[derive(Serialize)]
struct FileJson<'a> {
    file: String,
    readable: bool,
    valid: bool,
    diagnostics: Vec<DiagnosticJson>,
    /// The description of an FMU.
    #[serde(skip_serializing_if = "Option::is_none")]
    fmu: Option<serde_json::Value>,
    /// What became of the blocks of a model of another program.
    #[serde(skip_serializing_if = "Option::is_none")]
    import: Option<&'a Report>,
}

/// A diagnostic. Unknown parts of its location are omitted.
#[derive(Serialize)]
struct DiagnosticJson {
    severity: &'static str,
    code: &'static str,
    message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    help: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<i128>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
}

fn as_json<'a>(checked: &'a Checked) -> FileJson<'a> {
    FileJson {
        file: checked.path.display().to_string(),
        readable: checked.is_readable,
        valid: checked.code() == SUCCESS,
        diagnostics: checked.diagnostics.iter().map(diagnostic_json).collect(),
        fmu: checked.fmu.as_ref().map(fmu_page::value),
        import: checked.import.as_ref(),
    }
}

fn diagnostic_json(diagnostic: &Diagnostic) -> DiagnosticJson {
    let location = &diagnostic.location;
    let (input, output) = match &location.port {
        Some(PortRef::Input(name)) => (Some(name.to_string()), None),
        Some(PortRef::Output(name)) => (None, Some(name.to_string())),
        None => (None, None),
    };
    DiagnosticJson {
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        code: diagnostic.code,
        message: diagnostic.message.clone(),
        help: diagnostic.help.clone(),
        line: location.text.map(|text| text.line),
        column: location.text.map(|text| text.column),
        model: location.model.as_deref().map(str::to_owned),
        block: location.block.map(|block| block.0),
        input,
        output,
    }
}
