//! The description of a block as data and as text, for lists of the library.

use serde::Serialize;

use super::language::NoNames;
use super::{BlockDef, Example, ParamDef, ParamKind, Settings, limits_text};

#[derive(Serialize)]
pub struct BlockDescription {
    pub group: &'static str,
    pub name: &'static str,
    /// The title in the window.
    pub title: &'static str,
    pub doc: &'static str,
    pub formula: &'static str,
    pub aliases: &'static [&'static str],
    /// The ports with default settings.
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    pub params: Vec<ParamDescription>,
    pub examples: Vec<ExampleDescription>,
}

#[derive(Serialize)]
pub struct ParamDescription {
    pub name: &'static str,
    pub doc: &'static str,
    pub unit: &'static str,
    pub kind: &'static str,
    /// The default as written in a file.
    pub default: Vec<String>,
    /// Omitted if there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub choices: &'static [&'static str],
    pub vector: bool,
    /// Whether a change takes effect on the next run.
    pub fixed: bool,
}

/// Numbers are texts as in a file, since JSON has no infinity.
#[derive(Serialize)]
pub struct ExampleDescription {
    pub doc: &'static str,
    pub options: Vec<OptionDescription>,
    pub delta: f64,
    /// The width of each input; omitted if all inputs are scalar.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub widths: &'static [usize],
    pub inputs: Vec<Vec<String>>,
    pub outputs: Vec<Vec<String>>,
    /// The ports with the example's options.
    #[serde(skip)]
    pub input_names: Vec<String>,
    #[serde(skip)]
    pub output_names: Vec<String>,
    #[serde(skip)]
    pub steps: usize,
}

#[derive(Serialize)]
pub struct OptionDescription {
    pub name: &'static str,
    pub values: &'static [&'static str],
}

/// Describes a block with its default settings.
pub fn described(def: &'static BlockDef) -> BlockDescription {
    let settings = Settings::defaults(def);
    BlockDescription {
        group: def.group,
        name: def.name,
        title: def.title(),
        doc: def.doc,
        formula: def.formula,
        aliases: def.aliases,
        inputs: def.inputs.names(&settings),
        outputs: def.outputs.names(&settings),
        params: def.params.iter().map(described_param).collect(),
        examples: def.examples.iter().map(|example| described_example(def, example)).collect(),
    }
}

fn described_param(param: &ParamDef) -> ParamDescription {
    let limit = |value: f64| Some(value).filter(|value| value.is_finite());
    let mut json = ParamDescription {
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

fn described_example(def: &'static BlockDef, example: &Example) -> ExampleDescription {
    let texts_of =
        |name: &str| example.options.iter().find(|(known, _)| *known == name).map(|(_, values)| values.to_vec());
    let settings = Settings::read(def, texts_of, &NoNames).0;
    let texts = |rows: &[&[f64]]| rows.iter().map(|row| row.iter().map(f64::to_string).collect()).collect();
    ExampleDescription {
        doc: example.doc,
        options: example.options.iter().map(|&(name, values)| OptionDescription { name, values }).collect(),
        delta: example.delta,
        widths: example.widths,
        input_names: def.inputs.names(&settings),
        output_names: def.outputs.names(&settings),
        steps: example.steps(),
        inputs: texts(example.inputs),
        outputs: texts(example.outputs),
    }
}

/// Describes a block in lines of text: its formula, ports, parameters and examples.
pub fn description_text(block: &BlockDescription) -> String {
    let name =
        if block.title == block.name { block.name.to_owned() } else { format!("{} ({})", block.name, block.title) };
    let mut text = format!("  {name}: {}\n      {}\n      {}\n", block.doc, block.formula, port_names(block));
    for param in &block.params {
        text.push_str(&format!("      {}: {} ({})\n", param.name, param.doc, facts(param).join("; ")));
    }
    for example in &block.examples {
        text.push_str(&format!("      Example: {}\n", example_text(example)));
    }
    text
}

/// Formats the ports: `Input → Output`.
pub fn port_names(block: &BlockDescription) -> String {
    let side = |names: &[String]| if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
    format!("{} → {}", side(&block.inputs), side(&block.outputs))
}

pub fn facts(param: &ParamDescription) -> Vec<String> {
    let unit = if param.unit.is_empty() { String::new() } else { format!(" {}", param.unit) };
    let mut facts = vec![format!("default {}{unit}", param.default.join(", "))];
    facts.extend(Some(limits(param)).filter(|limits| !limits.is_empty()));
    facts.extend(param.vector.then(|| "one or several values".to_owned()));
    facts.extend(param.fixed.then(|| "takes effect on the next run".to_owned()));
    facts
}

pub fn limits(param: &ParamDescription) -> String {
    match (param.min, param.max) {
        _ if !param.choices.is_empty() => format!("one of {}", param.choices.join(", ")),
        (min, max) => limits_text(min.unwrap_or(f64::NEG_INFINITY), max.unwrap_or(f64::INFINITY)),
    }
}

/// Formats an example: `Twice the input: Gain = 2; Input 0, 1.5; Output 0, 3`.
fn example_text(example: &ExampleDescription) -> String {
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
