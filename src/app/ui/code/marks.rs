//! The look of code and formulas: colours of words, the underlined mistake, what belongs together at the caret.

use std::ops::Range;

use eframe::egui::text::{LayoutJob, TextFormat};
use eframe::egui::{Color32, FontId, Stroke};

use crate::app::ui::style::mix;
use crate::app::ui::theme::{TEXT, Theme};
use crate::block::language::{ExpressionError, Formula, Program, Word, words};

/// An error in a text of several lines, at a character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    pub at: usize,
    pub message: String,
}

impl Mistake {
    pub fn in_formula(text: &str) -> Option<Mistake> {
        Formula::parse(text).err().map(|error| Mistake::of(text, error))
    }

    pub fn in_code(text: &str) -> Option<Mistake> {
        Program::parse(text).err().map(|error| Mistake::of(text, error))
    }

    fn of(text: &str, error: ExpressionError) -> Mistake {
        let (line, column) = line_and_column(text, error.at);
        Mistake { at: error.at, message: format!("Line {line}, character {column}: {}", error.problem) }
    }
}

/// Returns line and column, both from 1, of a character of a text.
fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before: Vec<char> = text.chars().take(at).collect();
    let line = before.iter().filter(|c| **c == '\n').count();
    let column = before.iter().rev().take_while(|c| **c != '\n').count();
    (line + 1, column + 1)
}

/// The marks of a text.
#[derive(Clone, Copy, Default)]
pub struct Marks<'a> {
    /// The character of a mistake.
    pub mistake: Option<usize>,
    /// Whether words have the colours of code.
    pub is_code: bool,
    /// The parts that belong together at the caret, in their order.
    pub partners: &'a [Range<usize>],
}

pub fn font() -> FontId {
    FontId::monospace(TEXT - 0.5)
}

/// Lays out a text with its marks.
pub fn layout(text: &str, marks: &Marks, theme: &Theme) -> LayoutJob {
    let wrong = marks.mistake.and_then(|at| text.char_indices().nth(at)).map(|(start, first)| {
        let rest = &text[start..];
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        start..start + length.max(first.len_utf8())
    });
    let parts = if marks.is_code { words(text) } else { Vec::new() };
    // Every place where the look may change.
    let mut cuts: Vec<usize> = [0, text.len()].into_iter().collect();
    let ranges = parts.iter().map(|(range, _)| range).chain(&wrong).chain(marks.partners);
    cuts.extend(ranges.flat_map(|range| [range.start, range.end]));
    cuts.retain(|at| text.is_char_boundary(*at));
    cuts.sort_unstable();
    cuts.dedup();
    let back = mix(theme.raised, theme.accent, 0.28);
    let mut job = LayoutJob::default();
    let mut parts = parts.into_iter().peekable();
    for (start, end) in cuts.iter().zip(cuts.iter().skip(1)) {
        while parts.next_if(|(range, _)| range.end <= *start).is_some() {}
        let is_within = |range: &Range<usize>| range.start <= *start && *end <= range.end;
        let word = parts.peek().filter(|(range, _)| is_within(range)).map(|(_, word)| *word);
        let is_wrong = wrong.as_ref().is_some_and(is_within);
        let color = match is_wrong {
            true => theme.error,
            false => word.map_or(theme.text, |word| color_of(word, theme)),
        };
        let underline = if is_wrong { Stroke::new(1.5, theme.error) } else { Stroke::NONE };
        let background = if marks.partners.iter().any(is_within) { back } else { Color32::TRANSPARENT };
        let format = TextFormat { underline, background, ..TextFormat::simple(font(), color) };
        job.append(&text[*start..*end], 0.0, format);
    }
    if text.is_empty() {
        job.append("", 0.0, TextFormat::simple(font(), theme.text));
    }
    job
}

fn color_of(word: Word, theme: &Theme) -> Color32 {
    match word {
        Word::Keyword => theme.accent,
        Word::Function => theme.wire_wide,
        Word::Number => theme.curves[5],
        Word::Text => theme.success,
        Word::Comment => theme.text_weak,
    }
}
