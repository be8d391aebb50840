//! The block library as a Markdown page: `simulate blocks --format markdown`.

use crate::block::description::{BlockDescription, ExampleDescription, ParamDescription, facts, limits};

/// Formats the page.
pub(super) fn page(blocks: &[BlockDescription]) -> String {
    let groups: Vec<&[BlockDescription]> = blocks.chunk_by(|one, next| one.group == next.group).collect();
    let mut text = format!("# Blocks\n\n{} blocks in {} groups. ", blocks.len(), groups.len());
    text.push_str(
        "Signals are vectors; a scalar is combined with each element of a vector. Every number can be an expression of named \
         variables. In formulas u is the input and y the output, n the step and t = n·Δ its time; if a formula is not \
         elementary, its source follows.\n\n",
    );
    for group in &groups {
        let links = group.iter().map(|block| format!("[{}](#{})", block.name, anchor(block)));
        let title = group.first().map_or("", |block| block.group);
        text.push_str(&format!("- **{title}**: {}\n", links.collect::<Vec<_>>().join(", ")));
    }
    for group in groups {
        text.push_str(&format!("\n## {}\n", group.first().map_or("", |block| block.group)));
        group.iter().for_each(|block| text.push_str(&section(block)));
    }
    text
}

/// Returns the anchor that common renderers generate for a heading.
fn anchor(block: &BlockDescription) -> String {
    let heading = format!("{}/{}", block.group, block.name).to_lowercase();
    let letters = heading.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    letters.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

fn section(block: &BlockDescription) -> String {
    let mut text = format!("\n### {}/{}\n\n", block.group, block.name);
    if block.title != block.name {
        text.push_str(&format!("**{}**\n\n", block.title));
    }
    text.push_str(&format!("{}\n", block.doc));
    let (formula, source) = formula_and_source(block.formula);
    if !formula.is_empty() {
        text.push_str(&format!("\n```text\n{}\n```\n", formula.replace("; ", "\n")));
    }
    if let Some(source) = source {
        text.push_str(&format!("\nSource: {source}\n"));
    }
    let side = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    text.push_str(&format!("\nInputs: {}. Outputs: {}.\n", side(&block.inputs), side(&block.outputs)));
    if !block.params.is_empty() {
        text.push_str("\n| parameter | meaning | unit | default | values |\n|---|---|---|---|---|\n");
        block.params.iter().for_each(|param| text.push_str(&row(param)));
    }
    block.examples.iter().for_each(|example| text.push_str(&example_table(block, example)));
    if !block.aliases.is_empty() {
        text.push_str(&format!("\nElsewhere: {}\n", block.aliases.join(", ")));
    }
    text
}

/// Splits a formula from its source in parentheses: author or document, a colon, title and section.
pub(super) fn formula_and_source(formula: &str) -> (&str, Option<&str>) {
    let split = formula.strip_suffix(')').and_then(|inner| inner.rsplit_once(" ("));
    match split.filter(|(_, source)| source.contains(": ")) {
        Some((formula, source)) => (formula, Some(source)),
        None => (formula, None),
    }
}

fn row(param: &ParamDescription) -> String {
    let mut values: Vec<String> = facts(param).split_off(1);
    if values.is_empty() && !limits(param).is_empty() {
        values.push(limits(param));
    }
    if param.kind == "flag" {
        values.push("0 or 1".to_owned());
    }
    let default = match param.default.join(", ") {
        default if default.is_empty() => "empty".to_owned(),
        default => format!("`{}`", default.replace('\n', " ")),
    };
    let cells = [param.name, param.doc, param.unit, &default, &values.join("; ")];
    format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
}

/// Formats the inputs and outputs of an example as a table of steps.
fn example_table(block: &BlockDescription, example: &ExampleDescription) -> String {
    let options = example.options.iter().map(|option| format!("{} = `{}`", option.name, option.values.join(", ")));
    let options: Vec<String> = options.collect();
    let options = if options.is_empty() { String::new() } else { format!(": {}", options.join("; ")) };
    let delta = if example.delta == 1.0 { String::new() } else { format!("; a step takes {} s", example.delta) };
    let mut text = format!("\nExample: {}{options}{delta}\n", example.doc);
    if example.steps == 0 {
        return text;
    }
    let steps: Vec<String> = (0..example.steps).map(|step| step.to_string()).collect();
    text.push_str(&format!("\n| step | {} |\n|---|{}\n", steps.join(" | "), "---|".repeat(example.steps)));
    let ports =
        block.inputs.iter().zip(&example.inputs).chain(names_of(block, example).into_iter().zip(&example.outputs));
    for (name, values) in ports {
        let width = values.len() / example.steps;
        let step = |elements: &[String]| match elements {
            [value] => short(value),
            elements => format!("[{}]", elements.iter().map(|element| short(element)).collect::<Vec<_>>().join(" ")),
        };
        let cells: Vec<String> = values.chunks(width.max(1)).map(step).collect();
        text.push_str(&format!("| {name} | {} |\n", cells.join(" | ")));
    }
    text
}

/// Returns the ports of an example, whose options may differ from the defaults.
fn names_of<'a>(block: &'a BlockDescription, example: &'a ExampleDescription) -> Vec<&'a String> {
    let names = if example.output_names.is_empty() { &block.outputs } else { &example.output_names };
    names.iter().collect()
}

/// Formats a number with at most [`DIGITS`] digits.
fn short(value: &str) -> String {
    const DIGITS: usize = 9;
    match value.parse::<f64>() {
        Ok(number) if value.len() > DIGITS && number.is_finite() && number != 0.0 => {
            let digits = DIGITS.saturating_sub(number.abs().log10().floor().clamp(0.0, 8.0) as usize + 1);
            let rounded = format!("{number:.digits$}");
            let rounded =
                if rounded.contains('.') { rounded.trim_end_matches('0').trim_end_matches('.') } else { &rounded };
            if rounded == "0" || rounded == "-0" || number.abs() >= 1e15 {
                format!("{number:.3e}")
            } else {
                rounded.to_owned()
            }
        }
        _ => value.to_owned(),
    }
}
