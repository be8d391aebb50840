//! From the blocks of the diagram to the lines of the code and back.

use std::collections::BTreeMap;

use super::files::File;
use super::plan::Parts;
use super::source::Source;

/// Returns the traces as JSON and as a page for reading.
pub fn files(parts: &Parts, model: &str, text: &str, source: &Source) -> Vec<File> {
    let before = text.lines().count() - source.text.len();
    let mut blocks: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
    for (lines, units) in source.text.owned() {
        for unit in units {
            let ranges = blocks.entry(&parts.units[*unit].path).or_default();
            // Lines are counted from 1.
            let range = (before + lines.start + 1, before + lines.end);
            match ranges.last_mut() {
                Some(last) if last.1 + 1 >= range.0 => last.1 = last.1.max(range.1),
                _ => ranges.push(range),
            }
        }
    }
    let file = |suffix: &str, text: String| File { name: format!("{model}.trace.{suffix}"), text };
    vec![file("json", json(model, &blocks)), file("html", html(model, text, &blocks))]
}

fn json(model: &str, blocks: &BTreeMap<&str, Vec<(usize, usize)>>) -> String {
    let mut text = format!("{{\n  \"file\": \"{model}.c\",\n  \"blocks\": {{");
    for (number, (path, ranges)) in blocks.iter().enumerate() {
        let ranges: Vec<String> = ranges.iter().map(|(first, last)| format!("[{first}, {last}]")).collect();
        let comma = if number == 0 { "" } else { "," };
        let path = serde_json::Value::from(*path);
        text.push_str(&format!("{comma}\n    {path}: [{}]", ranges.join(", ")));
    }
    text.push_str("\n  }\n}\n");
    text
}

fn html(model: &str, code: &str, blocks: &BTreeMap<&str, Vec<(usize, usize)>>) -> String {
    let escaped =
        |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{model}: blocks and code</title>\n\
         <style>body{{font-family:sans-serif;display:flex;gap:2em}}pre{{margin:0}}pre:target{{background:#ffef9f}}\
         nav,main{{height:95vh;overflow:auto}}</style></head>\n<body><nav><h1>Blocks</h1><ul>\n"
    );
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    for (number, (path, ranges)) in blocks.iter().enumerate() {
        let lines: Vec<String> =
            ranges.iter().map(|(first, last)| format!("<a href=\"#L{first}\">{first}–{last}</a>")).collect();
        text.push_str(&format!("<li id=\"B{number}\">{}: {}</li>\n", escaped(path), lines.join(", ")));
        ranges.iter().for_each(|(first, _)| {
            numbers.entry(*first).or_insert(number);
        });
    }
    text.push_str("</ul></nav><main><h1>Code</h1>\n");
    for (number, line) in code.lines().enumerate() {
        let number = number + 1;
        let line = match numbers.get(&number) {
            Some(block) => format!("<a href=\"#B{block}\">{}</a>", escaped(line)),
            None => escaped(line),
        };
        text.push_str(&format!("<pre id=\"L{number}\">{number:5}  {line}</pre>\n"));
    }
    text.push_str("</main></body></html>\n");
    text
}
