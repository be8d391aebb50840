//! Breakpoints on lines of code: the block's attribute `view:break` holds the lines as text, `3 off 7`.
//!
//! They apply to all instances of the block's model, and follow their lines when the code changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::breakpoints::ATTRIBUTE;
use crate::app::ui::numbers;
use crate::block::language::{Matrix, Note, Watched};
use crate::block::{BlockDef, CodeArgument, CodeSetting, ParamDef, ParamKind, WatchedCode};
use crate::engine::{CodeUnknown, StepValues};
use crate::model::{Block, BlockAddress, BlockId, Change, Edit};

/// The lines with a breakpoint, counted from 1, and whether each is on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OnLines(pub BTreeMap<usize, bool>);

impl OnLines {
    /// Returns the breakpoints of a block; what is no number of a line is left out.
    pub fn of(block: &Block) -> OnLines {
        OnLines::parse(block.attributes.get(ATTRIBUTE).unwrap_or_default())
    }

    fn parse(text: &str) -> OnLines {
        let mut lines = BTreeMap::new();
        let mut is_on = true;
        for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
            match word.parse() {
                Ok(line) if line > 0 => drop(lines.insert(line, is_on)),
                _ => {}
            }
            is_on = word != "off";
        }
        OnLines(lines)
    }

    /// Returns the text of the attribute; none without breakpoints.
    fn text(&self) -> Option<String> {
        let texts = self.0.iter().map(|(line, is_on)| if *is_on { line.to_string() } else { format!("off {line}") });
        let texts: Vec<String> = texts.collect();
        (!texts.is_empty()).then(|| texts.join(" "))
    }

    /// Returns the breakpoints of the same lines after an edit of the code; those of removed lines are removed.
    pub fn moved(&self, before: &str, after: &str) -> OnLines {
        let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
        let same = |(a, b): &(&&str, &&str)| a == b;
        let head = old.iter().zip(&new).take_while(same).count();
        let room = old.len().min(new.len()) - head;
        let tail = old.iter().rev().zip(new.iter().rev()).take_while(same).count().min(room);
        let changed = head..new.len() - tail;
        let moved = self.0.iter().filter_map(|(line, is_on)| {
            let index = line - 1;
            let index = match () {
                () if index < head => index,
                () if index >= old.len() - tail => index + new.len() - old.len(),
                // A changed line is where it was, or the changed text has become shorter.
                () => Some(index).filter(|index| changed.contains(index))?,
            };
            Some((index + 1, *is_on))
        });
        OnLines(moved.collect())
    }

    /// The edit that stores them in a block.
    pub fn edit(&self, model: &Arc<str>, id: BlockId) -> Edit {
        let value = self.text().map(Arc::from);
        Edit::SetBlockAttribute { model: Arc::clone(model), id, name: ATTRIBUTE.into(), value }
    }

    /// Returns the change that switches a breakpoint on or off, or removes it.
    pub fn set(&self, (model, id): (&Arc<str>, BlockId), line: usize, on: Option<bool>) -> Change {
        let mut lines = self.clone();
        let label = match on {
            Some(true) => "Set breakpoint",
            Some(false) => "Disable breakpoint",
            None => "Remove breakpoint",
        };
        match on {
            Some(is_on) => drop(lines.0.insert(line, is_on)),
            None => drop(lines.0.remove(&line)),
        }
        Change::one(label, lines.edit(model, id))
    }
}

/// Returns the parameter of a block that is code.
pub fn code_param(def: &BlockDef) -> Option<&'static ParamDef> {
    def.params.iter().find(|param| matches!(param.kind, ParamKind::Code { .. }))
}

/// Returns the code of a block.
pub fn code_of(block: &Block, param: &ParamDef) -> String {
    let texts = block.option_texts(param.name).map(|texts| texts.join("\n"));
    texts.unwrap_or_else(|| param.default_texts().join("\n"))
}

/// Returns the line, from 1, at which a breakpoint on `line` can stop: the first one from there on with a statement.
/// None if there is none, or the code has a mistake.
pub fn line_of_statement(code: &str, line: usize) -> Option<usize> {
    let program = CodeSetting::new(code).program?;
    let starts = program.statement_starts();
    let table = LineTable::of(code);
    let mut lines: Vec<usize> = starts.into_iter().map(|(at, _)| table.line_at(at)).collect();
    lines.sort_unstable();
    lines.into_iter().find(|known| *known >= line)
}

/// What is shown beside the code of a block while its run is shown.
#[derive(Clone, Debug, Default)]
pub struct CodeInRun {
    /// The block to which it belongs.
    pub block: Option<BlockId>,
    pub step: u64,
    /// The code to which the lines belong.
    pub code: String,
    /// Texts with tooltips behind lines, which are counted from 1.
    pub values: BTreeMap<usize, (String, String)>,
    /// What cannot be shown, and why; empty if all is there.
    pub note: String,
    /// The line at whose breakpoint the run is paused.
    pub stopped: Option<usize>,
}

impl CodeInRun {
    /// Runs the code again with the numbers of a step.
    pub fn of(view: &StepValues, at: &BlockAddress) -> CodeInRun {
        let (block, step) = (Some(at.block), view.step);
        match view.code(at) {
            Ok((watched, code)) => {
                let (values, note) = (values_of(&watched, &code), String::new());
                CodeInRun { block, step, code: code.text.clone(), values, note, stopped: None }
            }
            Err(unknown) => {
                let code = view.code_text(at).unwrap_or_default().to_owned();
                let note = match unknown {
                    CodeUnknown::NoCode => String::new(),
                    unknown => format!("Step {}: {unknown}", numbers::grouped(view.step)),
                };
                CodeInRun { block, step, code, note, ..CodeInRun::default() }
            }
        }
    }
}

/// The texts beside the lines: the variables that each line has set, and a dash where a step does not execute it.
fn values_of(watched: &Watched, code: &WatchedCode) -> BTreeMap<usize, (String, String)> {
    let lines = LineTable::of(&code.text);
    let mut values: BTreeMap<usize, (String, String)> = BTreeMap::new();
    let mut add = |at: usize, text: String, tooltip: String| {
        let (texts, tooltips) = values.entry(lines.line_at(at)).or_default();
        if !texts.is_empty() {
            *texts += "   ";
            *tooltips += "\n";
        }
        *texts += &text;
        *tooltips += &tooltip;
    };
    let main = code.program.main();
    let arguments = main.inputs.iter().zip(&code.arguments);
    let parameters = arguments
        .filter(|(_, from)| matches!(from, CodeArgument::Known(_) | CodeArgument::Param { .. }))
        .map(|(name, _)| name);
    let parameters: Vec<&String> = parameters.collect();
    // Parameters have their values in every step.
    for note in watched.notes.iter().filter(|note| note.at != main.at || !parameters.contains(&&note.name)) {
        add(note.at, format!("{} = {}", note.name, short(note)), tooltip(note));
    }
    if let Some((at, problem)) = &watched.failure {
        add(*at, "✕".to_owned(), format!("The step ends here: {problem}"));
    }
    let starts = code.program.statement_starts().into_iter();
    for (at, _) in starts.filter(|(at, sets)| *sets && !watched.reached.contains(at)) {
        let dash = || ("—".to_owned(), "Not executed in this step".to_owned());
        values.entry(lines.line_at(at)).or_insert_with(dash);
    }
    values
}

/// The elements that are shown at once.
const MAX_SHOWN: usize = 4;
const MAX_IN_TOOLTIP: usize = 100;

fn short(note: &Note) -> String {
    if let Some(text) = &note.text {
        return format!("'{text}'");
    }
    let Matrix { values, rows } = &note.value;
    match values.len() {
        0 => "[]".to_owned(),
        1 => number_text(note, values[0]),
        count if count <= MAX_SHOWN => matrix_text(note, count),
        count => {
            let shown: Vec<String> = values.iter().take(3).map(|value| number_text(note, *value)).collect();
            format!("[{} …] {rows}×{}", shown.join(" "), count / (*rows).max(1))
        }
    }
}

fn tooltip(note: &Note) -> String {
    let Matrix { values, rows } = &note.value;
    let size = match values.len() {
        1 => String::new(),
        count => format!(", {rows}×{}", count / (*rows).max(1)),
    };
    let class = note.class.map(|class| format!(", {class}")).unwrap_or_default();
    let times =
        if note.count > 1 { format!(", set {} times in this step; the last value", note.count) } else { String::new() };
    let all = match &note.text {
        Some(text) => format!("'{text}'"),
        None if values.len() == 1 => format!("{}", values[0]),
        None if values.len() <= MAX_IN_TOOLTIP => matrix_text(note, values.len()),
        None => short(note),
    };
    format!("{}{size}{class}{times}: {all}", note.name)
}

/// `[1 2; 3 4]`.
fn matrix_text(note: &Note, count: usize) -> String {
    let columns = (count / note.value.rows.max(1)).max(1);
    let row = |row: &[f64]| row.iter().map(|value| number_text(note, *value)).collect::<Vec<_>>().join(" ");
    format!("[{}]", note.value.values.chunks(columns).map(row).collect::<Vec<_>>().join("; "))
}

fn number_text(note: &Note, value: f64) -> String {
    match note.class {
        Some("logical") => if value == 0.0 { "false" } else { "true" }.to_owned(),
        _ => numbers::digits(value, 6),
    }
}

/// The lines of a text, for finding that of a character.
struct LineTable(Vec<usize>);

impl LineTable {
    fn of(text: &str) -> LineTable {
        LineTable(text.chars().enumerate().filter(|(_, c)| *c == '\n').map(|(at, _)| at).collect())
    }

    /// The line, from 1, of a character.
    fn line_at(&self, char: usize) -> usize {
        self.0.partition_point(|end| *end < char) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breakpoints_are_read_as_they_are_written() {
        for text in ["3", "3 off 7", "off 1 2"] {
            assert_eq!(OnLines::parse(text).text().as_deref(), Some(text));
        }
        for text in ["", "off", "changes", "0", "-1"] {
            assert_eq!(OnLines::parse(text).text(), None, "{text}");
        }
        assert_eq!(OnLines::parse("7,off 3").text().as_deref(), Some("off 3 7"));
    }

    #[test]
    fn breakpoints_follow_their_lines() {
        let moved = |lines: &str, before: &str, after: &str| OnLines::parse(lines).moved(before, after).text();
        assert_eq!(moved("2 off 3", "a\nb\nc", "a\nnew\nb\nc").as_deref(), Some("3 off 4"));
        assert_eq!(moved("1 3", "a\nb\nc", "a\nc").as_deref(), Some("1 2"));
        assert_eq!(moved("2", "a\nb\nc", "a\nc"), None);
        assert_eq!(moved("2", "a\nb\nc", "a\nb + 1\nc").as_deref(), Some("2"));
        assert_eq!(moved("3", "a\nb\nc", ""), None);
        assert_eq!(moved("1 2", "a\na\na", "a\na").as_deref(), Some("1 2"));
    }

    #[test]
    fn a_breakpoint_goes_to_a_line_that_is_executed() {
        let code = "function y = f(u)\n  % about\n  if u > 0\n    y = 1;\n  else\n    y = 2;\n  end\nend";
        let lines: Vec<_> = (1..=8).map(|line| line_of_statement(code, line)).collect();
        assert_eq!(lines, [Some(3), Some(3), Some(3), Some(4), Some(6), Some(6), None, None]);
        assert_eq!(line_of_statement("y = ", 1), None);
    }
}
