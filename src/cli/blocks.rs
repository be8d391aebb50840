//! `simulate blocks`: lists the block library.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::library_page::page;
use super::output::{SUCCESS, json, print};
use crate::block::language::NoNames;
use crate::block::library::group_title;
use crate::block::{BlockDef, Example, ParamDef, ParamKind, Settings, limits_text};
use crate::components::Components;
use crate::plugin::UserPlugins;

#[derive(Debug, Args)]
pub struct BlocksArgs {
    /// The output format
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

pub fn run(args: &BlocksArgs, components: &Components) -> ExitCode {
    let registry = UserPlugins::of_user().added_to(&components.registry, None);
    let blocks: Vec<BlockJson> = registry.iter().map(block_json).collect();
    let text = match args.format {
        BlocksFormat::Text => by_group(
            &blocks,
            |group| match group_title(group) {
                title if title == group => format!("{group}\n"),
                title => format!("{group} ({title})\n"),
            },
            block_text,
        ),
        BlocksFormat::Markdown => page(&blocks),
        BlocksFormat::Json => json(&blocks),
    };
    print(&text, SUCCESS)
}

#[derive(Serialize)]
pub(super) struct BlockJson {
    pub(super) group: &'static str,
    pub(super) name: &'static str,
    /// The title in the window.
    pub(super) title: &'static str,
    pub(super) doc: &'static str,
    pub(super) formula: &'static str,
    pub(super) aliases: &'static [&'static str],
    /// The ports with default settings.
    pub(super) inputs: Vec<String>,
    pub(super) outputs: Vec<String>,
    pub(super) params: Vec<ParamJson>,
    pub(super) examples: Vec<ExampleJson>,
}

#[derive(Serialize)]
pub(super) struct ParamJson {
    pub(super) name: &'static str,
    pub(super) doc: &'static str,
    pub(super) unit: &'static str,
    pub(super) kind: &'static str,
    /// The default as written in a file.
    pub(super) default: Vec<String>,
    /// Omitted if there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max: Option<f64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) choices: &'static [&'static str],
    pub(super) vector: bool,
    /// Whether a change takes effect on the next run.
    pub(super) fixed: bool,
}

/// Numbers are texts as in a file, since JSON has no infinity.
#[derive(Serialize)]
pub(super) struct ExampleJson {
    pub(super) doc: &'static str,
    pub(super) options: Vec<OptionJson>,
    pub(super) delta: f64,
    /// The width of each input; omitted if all inputs are scalar.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) widths: &'static [usize],
    pub(super) inputs: Vec<Vec<String>>,
    pub(super) outputs: Vec<Vec<String>>,
    /// The ports with the example's options.
    #[serde(skip)]
    pub(super) input_names: Vec<String>,
    #[serde(skip)]
    pub(super) output_names: Vec<String>,
    #[serde(skip)]
    pub(super) steps: usize,
}

#[derive(Serialize)]
pub(super) struct OptionJson {
    pub(super) name: &'static str,
    pub(super) values: &'static [&'static str],
}

fn block_json(def: &'static BlockDef) -> BlockJson {
    let settings = Settings::defaults(def);
    BlockJson {
        group: def.group,
        name: def.name,
        title: def.title(),
        doc: def.doc,
        formula: def.formula,
        aliases: def.aliases,
        inputs: def.inputs.names(&settings),
        outputs: def.outputs.names(&settings),
        params: def.params.iter().map(param_json).collect(),
        examples: def.examples.iter().map(|example| example_json(def, example)).collect(),
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

fn example_json(def: &'static BlockDef, example: &Example) -> ExampleJson {
    let texts_of =
        |name: &str| example.options.iter().find(|(known, _)| *known == name).map(|(_, values)| values.to_vec());
    let settings = Settings::read(def, texts_of, &NoNames).0;
    let texts = |rows: &[&[f64]]| rows.iter().map(|row| row.iter().map(f64::to_string).collect()).collect();
    ExampleJson {
        doc: example.doc,
        options: example.options.iter().map(|&(name, values)| OptionJson { name, values }).collect(),
        delta: example.delta,
        widths: example.widths,
        input_names: def.inputs.names(&settings),
        output_names: def.outputs.names(&settings),
        steps: example.steps(),
        inputs: texts(example.inputs),
        outputs: texts(example.outputs),
    }
}

/// Lists all blocks, with a heading for each group.
fn by_group(blocks: &[BlockJson], heading: fn(&str) -> String, block: fn(&BlockJson) -> String) -> String {
    let groups = blocks.chunk_by(|one, next| one.group == next.group);
    let text = |group: &[BlockJson]| {
        let title = group.first().map(|first| heading(first.group)).unwrap_or_default();
        title + group.iter().map(block).collect::<String>().as_str()
    };
    groups.map(text).collect()
}

fn block_text(block: &BlockJson) -> String {
    let name =
        if block.title == block.name { block.name.to_owned() } else { format!("{} ({})", block.name, block.title) };
    let mut text = format!("  {name}: {}\n      {}\n      {}\n", block.doc, block.formula, ports(block));
    for param in &block.params {
        text.push_str(&format!("      {}: {} ({})\n", param.name, param.doc, facts(param).join("; ")));
    }
    for example in &block.examples {
        text.push_str(&format!("      Example: {}\n", example_text(example)));
    }
    text
}

/// Formats the ports: `Input → Output`.
fn ports(block: &BlockJson) -> String {
    let side = |names: &[String]| if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
    format!("{} → {}", side(&block.inputs), side(&block.outputs))
}

pub(super) fn facts(param: &ParamJson) -> Vec<String> {
    let unit = if param.unit.is_empty() { String::new() } else { format!(" {}", param.unit) };
    let mut facts = vec![format!("default {}{unit}", param.default.join(", "))];
    facts.extend(Some(limits(param)).filter(|limits| !limits.is_empty()));
    facts.extend(param.vector.then(|| "one or several values".to_owned()));
    facts.extend(param.fixed.then(|| "takes effect on the next run".to_owned()));
    facts
}

pub(super) fn limits(param: &ParamJson) -> String {
    match (param.min, param.max) {
        _ if !param.choices.is_empty() => format!("one of {}", param.choices.join(", ")),
        (min, max) => limits_text(min.unwrap_or(f64::NEG_INFINITY), max.unwrap_or(f64::INFINITY)),
    }
}

/// Formats an example: `Twice the input: Gain = 2; Input 0, 1.5; Output 0, 3`.
fn example_text(example: &ExampleJson) -> String {
    let options = example.options.iter().map(|option| format!("{} = {}", option.name, option.values.join(", ")));
    let ports = example.input_names.iter().zip(&example.inputs);
    let ports = ports.chain(example.output_names.iter().zip(&example.outputs));
    let steps = |values: &[String]| {
        let width = values.len() / example.steps.max(1);
        let step = |elements: &[String]| match elements {
            [value] => value.clone(),
            elements => format!("[{}]", elements.join(" ")),
        };
        values.chunks(width.max(1)).map(step).collect::<Vec<_>>().join(", ")
    };
    let ports = ports.map(|(name, values)| format!("{name} {}", steps(values)));
    let facts: Vec<String> = options.chain(ports).collect();
    format!("{}: {}", example.doc, facts.join("; "))
}
