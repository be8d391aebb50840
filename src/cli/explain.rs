//! `simulate explain`: explains the codes of diagnostics.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use super::output::{OutputFormat, SUCCESS, UNREADABLE, complain, json, print};
use crate::model::{CODES, CodeDef, CodeExample, explanation};

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The code, such as unknown-block; without it all codes are listed
    code: Option<String>,
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

#[derive(Serialize)]
struct CodeJson {
    code: &'static str,
    cause: &'static str,
    remedy: &'static str,
    /// A file, or a situation in words.
    example: String,
}

pub fn run(args: &ExplainArgs) -> ExitCode {
    let text = match (&args.code, args.format) {
        (None, OutputFormat::Text) => CODES.iter().map(|def| format!("{:21} {}\n", def.code, def.cause)).collect(),
        (None, OutputFormat::Json) => json(&CODES.iter().map(code_json).collect::<Vec<_>>()),
        (Some(code), format) => match (explanation(bare(code)), format) {
            (Some(def), OutputFormat::Text) => full_text(def),
            (Some(def), OutputFormat::Json) => json(&code_json(def)),
            (None, _) => {
                complain(&format!("there is no code “{code}”; simulate explain lists all of them{}", near(bare(code))));
                return ExitCode::from(UNREADABLE);
            }
        },
    };
    print(&text, SUCCESS)
}

/// Returns the code of a copied `error[unknown-block]`.
fn bare(text: &str) -> &str {
    let inner = text.rsplit_once('[').map_or(text, |(_, inner)| inner);
    inner.trim().trim_end_matches([']', ':'])
}

/// Names the codes that share a word with an unknown one.
fn near(wanted: &str) -> String {
    let words: Vec<&str> = wanted.split(['-', ' ', '_']).filter(|word| word.len() > 2).collect();
    let is_near = |def: &&CodeDef| words.iter().any(|word| def.code.split('-').any(|own| own == *word));
    match CODES.iter().filter(is_near).map(|def| def.code).collect::<Vec<_>>() {
        near if near.is_empty() => String::new(),
        near => format!("; similar are: {}", near.join(", ")),
    }
}

fn full_text(def: &CodeDef) -> String {
    let example = match def.example {
        CodeExample::Situation(text) => format!("Example: {text}\n"),
        CodeExample::Root(text) | CodeExample::File(text) => {
            let lines = text.lines().map(|line| format!("  {}\n", line.strip_prefix("    ").unwrap_or(line)));
            format!("Example:\n{}", lines.collect::<String>())
        }
    };
    format!("{}\n\n{}\n\nWhat to do: {}\n\n{example}", def.code, def.cause, def.remedy)
}

fn code_json(def: &CodeDef) -> CodeJson {
    let example = match def.example {
        CodeExample::Situation(text) => text.to_owned(),
        example => example.file().unwrap_or_default(),
    };
    CodeJson { code: def.code, cause: def.cause, remedy: def.remedy, example }
}
