//! The words of code, for colours in an editor: of any text, also of one with mistakes.

use std::ops::Range;

use super::Function;
use super::scan::is_keyword;

/// What a part of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    Keyword,
    /// The name of a known function or constant.
    Function,
    Number,
    Text,
    Comment,
}

/// Returns the parts of code that are more than names and signs, as ranges of bytes in their order.
pub fn words(code: &str) -> Vec<(Range<usize>, Word)> {
    let mut words = Vec::new();
    let mut at = 0;
    // Whether an apostrophe here transposes a value.
    let mut is_behind_value = false;
    while let Some(first) = code[at..].chars().next() {
        let rest = &code[at..];
        let line = rest.find('\n').unwrap_or(rest.len());
        let name = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (length, word) = match first {
            '%' | '#' if rest[1..].starts_with('{') => (block_comment(rest), Some(Word::Comment)),
            '%' | '#' => (line, Some(Word::Comment)),
            '/' if rest.starts_with("//") => (line, Some(Word::Comment)),
            '.' if rest.starts_with("...") => (line, Some(Word::Comment)),
            '"' => (quoted(rest, '"'), Some(Word::Text)),
            '\'' if !is_behind_value => (quoted(rest, '\''), Some(Word::Text)),
            _ if first.is_ascii_digit() => (number(rest), Some(Word::Number)),
            _ if first.is_alphabetic() || first == '_' => (name, of_name(&rest[..name])),
            _ => (first.len_utf8(), None),
        };
        is_behind_value = match word {
            Some(Word::Keyword) => rest.starts_with("end"),
            Some(Word::Comment) => false,
            Some(_) => true,
            None => first.is_alphanumeric() || matches!(first, '_' | ')' | ']' | '}' | '\''),
        };
        if let Some(word) = word {
            words.push((at..at + length, word));
        }
        at += length;
    }
    words
}

fn of_name(name: &str) -> Option<Word> {
    match name {
        _ if is_keyword(name) => Some(Word::Keyword),
        // In code it is mostly an error, not Euler's number.
        "e" => None,
        _ if Function::of_code(name).is_some() || super::is_predefined(name) => Some(Word::Function),
        _ => None,
    }
}

/// Returns the length of a comment of several lines.
fn block_comment(rest: &str) -> usize {
    let end = ["\n%}", "\n#}"].into_iter().filter_map(|end| Some(rest.find(end)? + end.len())).min();
    end.unwrap_or(rest.len())
}

/// Returns the length of a text up to its closing quotation mark, of which a doubled one is none, or the end of the line.
fn quoted(rest: &str, mark: char) -> usize {
    let mut length = 1;
    loop {
        match rest[length..].find([mark, '\n']).map(|end| length + end) {
            Some(end) if rest[end..].starts_with([mark, mark].iter().collect::<String>().as_str()) => length = end + 2,
            Some(end) if rest[end..].starts_with(mark) => return end + 1,
            Some(end) => return end,
            None => return rest.len(),
        }
    }
}

fn number(rest: &str) -> usize {
    let digits = |from: usize| rest[from..].bytes().take_while(u8::is_ascii_digit).count();
    let mut length = digits(0);
    if rest[length..].starts_with('.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    let exponent = rest[length..].strip_prefix(['e', 'E']).map(|rest| usize::from(rest.starts_with(['+', '-'])));
    if let Some(sign) = exponent.filter(|sign| digits(length + 1 + sign) > 0) {
        length += 1 + sign + digits(length + 1 + sign);
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_has_its_kind() {
        let found = |code: &str| -> Vec<(String, Word)> {
            words(code).into_iter().map(|(range, word)| (code[range].to_owned(), word)).collect()
        };
        let want =
            |all: &[(&str, Word)]| all.iter().map(|(text, word)| ((*text).to_owned(), *word)).collect::<Vec<_>>();
        assert_eq!(
            found("if x > 1.5e-3 % it's\n y = sin(a') + 2;"),
            want(&[
                ("if", Word::Keyword),
                ("1.5e-3", Word::Number),
                ("% it's", Word::Comment),
                ("sin", Word::Function),
                ("2", Word::Number),
            ])
        );
        assert_eq!(
            found("s = 'a''b'; t = \"c"),
            want(&[("'a''b'", Word::Text), ("t", Word::Function), ("\"c", Word::Text)])
        );
        assert_eq!(found("%{\nx\n%}\nend"), want(&[("%{\nx\n%}", Word::Comment), ("end", Word::Keyword)]));
        assert_eq!(found("[1 2]' + π"), want(&[("1", Word::Number), ("2", Word::Number), ("π", Word::Function)]));
    }

    /// The ranges are in order and within the text, whatever it is.
    #[test]
    fn no_text_breaks_it() {
        let pieces = ["'", "\"", "%", "%{", "%}", "\n", "...", "1e", "1.", "π", "end", "x", " ", "/", "//", "e+"];
        let mut state = 7u64;
        for _ in 0..5000 {
            let mut text = String::new();
            for _ in 0..8 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
            }
            let mut last = 0;
            for (range, _) in words(&text) {
                assert!(
                    last <= range.start && range.start < range.end && text.get(range.clone()).is_some(),
                    "{text:?}"
                );
                last = range.end;
            }
        }
    }
}
