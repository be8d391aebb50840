//! Prints a diagnostic with its line of the file.

use std::io::{self, IsTerminal};
use std::path::Path;

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};

use super::output::complain;
use crate::format::{self, Loaded};
use crate::model::{Diagnostic, Severity, TextPosition};

/// The maximum number of characters of a line to show.
const LONGEST_LINE: usize = 2000;

/// Renders the diagnostics of one file.
pub struct Excerpts<'a> {
    path: String,
    lines: Vec<&'a str>,
    renderer: Renderer,
}

impl<'a> Excerpts<'a> {
    /// Uses colours on a terminal unless `NO_COLOR` is set. `source` is empty for a file without text.
    pub fn new(path: &Path, source: &'a str) -> Excerpts<'a> {
        let wants_colour = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|no| no.is_empty());
        let renderer = if wants_colour { Renderer::styled() } else { Renderer::plain() };
        let source = source.strip_prefix('\u{FEFF}').unwrap_or(source);
        Excerpts { path: path.display().to_string(), lines: lines(source), renderer }
    }

    pub fn render(&self, diagnostic: &Diagnostic) -> String {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let group = level.primary_title(&diagnostic.message).id(diagnostic.code);
        let line = diagnostic.location.text.and_then(|position| Some((position, self.line(position)?)));
        let group = match (line, diagnostic.location.text) {
            (Some((position, line)), _) => {
                let mark = AnnotationKind::Primary.span(marked(line, position.column));
                group.element(Snippet::source(line).line_start(position.line).path(&self.path).annotation(mark))
            }
            (None, Some(position)) => {
                group.element(Origin::path(&self.path).line(position.line).char_column(position.column))
            }
            (None, None) => group.element(Origin::path(&self.path)),
        };
        let group = match diagnostic.help.is_empty() {
            true => group,
            false => group.element(Level::HELP.message(&diagnostic.help)),
        };
        self.renderer.render(&[group])
    }

    fn line(&self, position: TextPosition) -> Option<&'a str> {
        let line = *self.lines.get(position.line.checked_sub(1)?)?;
        line.chars().nth(LONGEST_LINE).is_none().then_some(line)
    }
}

/// Splits lines as the loaders count them, at CR LF, LF or CR.
fn lines(source: &str) -> Vec<&str> {
    let without_return = |line| str::strip_suffix(line, '\r').unwrap_or(line);
    source.split('\n').flat_map(|line| without_return(line).split('\r')).collect()
}

/// Returns the byte range of the word at a column: a tag's `<` with its name, or the text up to the next space.
fn marked(line: &str, column: usize) -> std::ops::Range<usize> {
    let start = line.char_indices().nth(column.saturating_sub(1)).map_or(line.len(), |(offset, _)| offset);
    let rest = line.get(start..).unwrap_or_default();
    let ends = |character: char| character.is_whitespace() || ['>', '/', '='].contains(&character);
    let word = rest.char_indices().skip(1).find(|&(_, character)| ends(character));
    start..start + word.map_or(rest.len(), |(offset, _)| offset)
}

/// Reads the text of a file for excerpts; empty if it is not a text or too long.
pub fn source_of(file: &Path) -> String {
    const MAX_BYTES: u64 = 1 << 28;
    format::read_bounded(file, MAX_BYTES).ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

/// Warns on standard error of each model block that was removed from a file when it was loaded.
pub fn warn_of_removals(file: &Path, loaded: &Loaded) {
    if loaded.removed.is_empty() {
        return;
    }
    let source = source_of(file);
    let excerpts = Excerpts::new(file, &source);
    loaded.removals().for_each(|warning| complain(&excerpts.render(warning)));
}

/// Formats the errors of a loaded file with their lines: those of loading, then `found`.
pub fn invalid_text(file: &Path, loaded: &Loaded, found: Vec<Diagnostic>) -> String {
    let source = source_of(file);
    let excerpts = Excerpts::new(file, &source);
    let wrong = loaded.diagnostics.iter().cloned().chain(found).filter(Diagnostic::is_error);
    let mut texts: Vec<String> = wrong
        .map(|mut diagnostic| {
            loaded.source_map.locate(&mut diagnostic);
            excerpts.render(&diagnostic)
        })
        .collect();
    texts.push(format!("{}: invalid, not run", file.display()));
    texts.join("\n\n")
}
