//! `simulate blocks`: the library, from its own rows.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::{SUCCESS, json, print};
use crate::block::{BlockDef, Example, ParamDef, ParamKind, Registry, Settings, number_text};

#[derive(Debug, Args)]
pub struct BlocksArgs {
    /// How to print the list
    #[arg(long, value_enum, default_value_t)]
    format: BlocksFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum BlocksFormat {
    #[default]
    Text,
    Json,
    Markdown,
}

pub fn run(args: &BlocksArgs) -> ExitCode {
    let blocks: Vec<BlockJson> = Registry::standard().iter().map(block_json).collect();
    let text = match args.format {
        BlocksFormat::Text => by_group(&blocks, |group| format!("{group}\n"), block_text),
        BlocksFormat::Markdown => {
            format!("# Blocks\n\n{}", by_group(&blocks, |group| format!("## {group}\n\n"), block_markdown))
        }
        BlocksFormat::Json => json(&blocks),
    };
    print(&text, SUCCESS)
}

#[derive(Serialize)]
struct BlockJson {
    group: &'static str,
    name: &'static str,
    doc: &'static str,
    formula: &'static str,
    aliases: &'static [&'static str],
    /// With the settings' defaults.
    inputs: Vec<String>,
    outputs: Vec<String>,
    params: Vec<ParamJson>,
    examples: Vec<ExampleJson>,
}

#[derive(Serialize)]
struct ParamJson {
    name: &'static str,
    doc: &'static str,
    unit: &'static str,
    kind: &'static str,
    /// As a file writes it.
    default: Vec<String>,
    /// Left out where there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<f64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    choices: &'static [&'static str],
    vector: bool,
    /// Acts from the next run on only.
    fixed: bool,
}

/// Numbers as a file writes them: JSON has no infinity.
#[derive(Serialize)]
struct ExampleJson {
    doc: &'static str,
    options: Vec<OptionJson>,
    delta: f64,
    /// How many lanes make a step; left out where each value does.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    widths: &'static [usize],
    inputs: Vec<Vec<String>>,
    outputs: Vec<Vec<String>>,
    #[serde(skip)]
    steps: usize,
}

#[derive(Serialize)]
struct OptionJson {
    name: &'static str,
    values: &'static [&'static str],
}

fn block_json(def: &'static BlockDef) -> BlockJson {
    let settings = Settings::defaults(def);
    BlockJson {
        group: def.group,
        name: def.name,
        doc: def.doc,
        formula: def.formula,
        aliases: def.aliases,
        inputs: def.inputs.names(&settings),
        outputs: def.outputs.names(&settings),
        params: def.params.iter().map(param_json).collect(),
        examples: def.examples.iter().map(example_json).collect(),
    }
}

fn param_json(param: &ParamDef) -> ParamJson {
    let limit = |value: f64| Some(value).filter(|value| value.is_finite());
    let mut json = ParamJson {
        name: param.name,
        doc: param.doc,
        unit: param.unit,
        kind: "",
        default: param.default_texts(),
        min: None,
        max: None,
        choices: &[],
        vector: false,
        fixed: false,
    };
    match param.kind {
        ParamKind::Number { min, max, vector, fixed, .. } => {
            (json.kind, json.min, json.max) = ("number", limit(min), limit(max));
            (json.vector, json.fixed) = (vector, fixed);
        }
        ParamKind::Integer { min, max, .. } => {
            json.kind = "integer";
            json.min = Some(min).filter(|&min| min > i64::MIN).map(|min| min as f64);
            json.max = Some(max).filter(|&max| max < i64::MAX).map(|max| max as f64);
        }
        ParamKind::Choice { of, .. } => (json.kind, json.choices) = ("choice", of),
        ParamKind::Flag { .. } => json.kind = "flag",
        ParamKind::Text { .. } => json.kind = "text",
        ParamKind::Tag { .. } => json.kind = "tag",
        ParamKind::File { .. } => json.kind = "file",
        ParamKind::Code { .. } => json.kind = "code",
        ParamKind::Formula { .. } => json.kind = "formula",
    }
    json
}

fn example_json(example: &Example) -> ExampleJson {
    let texts = |rows: &[&[f64]]| rows.iter().map(|row| row.iter().map(f64::to_string).collect()).collect();
    ExampleJson {
        doc: example.doc,
        options: example.options.iter().map(|&(name, values)| OptionJson { name, values }).collect(),
        delta: example.delta,
        widths: example.widths,
        steps: example.steps(),
        inputs: texts(example.inputs),
        outputs: texts(example.outputs),
    }
}

/// All blocks, with a heading before each group.
fn by_group(blocks: &[BlockJson], heading: fn(&str) -> String, block: fn(&BlockJson) -> String) -> String {
    let groups = blocks.chunk_by(|one, next| one.group == next.group);
    let text = |group: &[BlockJson]| {
        let title = group.first().map(|first| heading(first.group)).unwrap_or_default();
        title + group.iter().map(block).collect::<String>().as_str()
    };
    groups.map(text).collect()
}

fn block_text(block: &BlockJson) -> String {
    let mut text = format!("  {}: {}\n      {}\n      {}\n", block.name, block.doc, block.formula, ports(block));
    for param in &block.params {
        text.push_str(&format!("      {}: {} ({})\n", param.name, param.doc, facts(param).join("; ")));
    }
    for example in &block.examples {
        text.push_str(&format!("      Example: {}\n", example_text(block, example)));
    }
    text
}

fn block_markdown(block: &BlockJson) -> String {
    let mut text =
        format!("### {}/{}\n\n{}\n\n`{}`\n\n{}\n\n", block.group, block.name, block.doc, block.formula, ports(block));
    if !block.params.is_empty() {
        text.push_str("| option | meaning | unit | default | limits |\n|---|---|---|---|---|\n");
        for param in &block.params {
            let cells = [param.name, param.doc, param.unit, &param.default.join(", "), &limits(param)];
            let cells = cells.map(|cell| cell.replace('|', "\\|"));
            text.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
        text.push('\n');
    }
    for example in &block.examples {
        text.push_str(&format!("- {}\n", example_text(block, example)));
    }
    text.push('\n');
    text
}

/// `Input → Output`.
fn ports(block: &BlockJson) -> String {
    let side = |names: &[String]| if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
    format!("{} → {}", side(&block.inputs), side(&block.outputs))
}

fn facts(param: &ParamJson) -> Vec<String> {
    let unit = if param.unit.is_empty() { String::new() } else { format!(" {}", param.unit) };
    let mut facts = vec![format!("default {}{unit}", param.default.join(", "))];
    facts.extend(Some(limits(param)).filter(|limits| !limits.is_empty()));
    facts.extend(param.vector.then(|| "one or several values".to_owned()));
    facts.extend(param.fixed.then(|| "acts from the next run on".to_owned()));
    facts
}

fn limits(param: &ParamJson) -> String {
    match (param.min, param.max) {
        _ if !param.choices.is_empty() => format!("one of {}", param.choices.join(", ")),
        (Some(min), Some(max)) => format!("{} to {}", number_text(min), number_text(max)),
        (Some(min), None) => format!("at least {}", number_text(min)),
        (None, Some(max)) => format!("at most {}", number_text(max)),
        (None, None) => String::new(),
    }
}

/// `Twice the input: Gain = 2; Input 0, 1.5; Output 0, 3`.
fn example_text(block: &BlockJson, example: &ExampleJson) -> String {
    let options = example.options.iter().map(|option| format!("{} = {}", option.name, option.values.join(", ")));
    let ports = block.inputs.iter().zip(&example.inputs).chain(block.outputs.iter().zip(&example.outputs));
    let steps = |values: &[String]| {
        let lanes = values.len() / example.steps.max(1);
        let step = |lanes: &[String]| match lanes {
            [value] => value.clone(),
            lanes => format!("[{}]", lanes.join(" ")),
        };
        values.chunks(lanes.max(1)).map(step).collect::<Vec<_>>().join(", ")
    };
    let ports = ports.map(|(name, values)| format!("{name} {}", steps(values)));
    let facts: Vec<String> = options.chain(ports).collect();
    format!("{}: {}", example.doc, facts.join("; "))
}
