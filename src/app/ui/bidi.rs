//! Names in scripts that run from right to left, for labels.
//!
//! egui shapes a word in such a script rightly, but places word after word from left to right. A label is therefore given
//! its words in the order in which they are seen. The texts of pictures keep the order in which they are read.

use std::borrow::Cow;

use eframe::egui::{Context, Id};
use unicode_bidi::{BidiClass, BidiInfo, bidi_class};

/// Whether a text has letters that run from right to left.
pub fn has_right_to_left(text: &str) -> bool {
    // No such letter is below: most texts are decided by their bytes.
    !text.is_ascii() && text.chars().any(|letter| letter >= '\u{590}' && is_right_to_left(letter))
}

pub fn is_right_to_left(letter: char) -> bool {
    matches!(bidi_class(letter), BidiClass::R | BidiClass::AL | BidiClass::AN)
}

/// Makes [`shown`] return texts as they are, in the context of a picture.
pub fn keep_as_read(ctx: &Context) {
    ctx.data_mut(|data| data.insert_temp(id(), true));
}

/// Returns a text of one line with its words in the order in which they are seen.
pub fn shown<'a>(ctx: &Context, text: &'a str) -> Cow<'a, str> {
    if !has_right_to_left(text) || ctx.data(|data| data.get_temp::<bool>(id())) == Some(true) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(reordered(text))
}

fn id() -> Id {
    Id::unique("texts as read")
}

fn reordered(text: &str) -> String {
    let info = BidiInfo::new(text, None);
    let mut line = String::with_capacity(text.len());
    for paragraph in &info.paragraphs {
        let (levels, runs) = info.visual_runs(paragraph, paragraph.range.clone());
        for run in runs {
            let part = text.get(run.clone()).unwrap_or_default();
            match levels.get(run.start).is_some_and(|level| level.is_rtl()) {
                true => words(part).into_iter().rev().for_each(|word| push_mirrored(&mut line, word)),
                false => line.push_str(part),
            }
        }
    }
    line
}

/// Splits a text into words and what is between them.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut was_word = None;
    for (at, letter) in text.char_indices() {
        let is_word = letter >= '\u{300}';
        if was_word.is_some_and(|was| was != is_word) || (!is_word && at > start) {
            words.push(&text[start..at]);
            start = at;
        }
        was_word = Some(is_word);
    }
    words.push(&text[start..]);
    words
}

/// Brackets between words face the other way.
fn push_mirrored(line: &mut String, word: &str) {
    let mut letters = word.chars();
    match (letters.next(), letters.next()) {
        (Some(one), None) => line.push(match one {
            '(' => ')',
            ')' => '(',
            '[' => ']',
            ']' => '[',
            '{' => '}',
            '}' => '{',
            '<' => '>',
            '>' => '<',
            other => other,
        }),
        _ => line.push_str(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_the_order_in_which_they_are_seen() {
        let cases = [
            ("speed", "speed"),
            ("سرعة", "سرعة"),
            ("سرعة المحرك", "المحرك سرعة"),
            ("מהירות (מנוע)", "(מנוע) מהירות"),
            ("gain כפל", "gain כפל"),
            ("כפל gain", "gain כפל"),
        ];
        for (text, seen) in cases {
            assert_eq!(shown(&Context::default(), text), seen, "{text}");
        }
        let picture = Context::default();
        keep_as_read(&picture);
        assert_eq!(shown(&picture, "سرعة المحرك"), "سرعة المحرك");
    }
}
