//! The edits that an editor of code makes beyond typing: new lines with their indentation, and lines as a whole.

use std::ops::Range;

use super::pairs::{Group, groups};

/// One level of indentation.
pub const INDENT: &str = "  ";

/// A text after an edit, with the selection in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    pub text: String,
    pub selection: Range<usize>,
}

/// Starts a new line, indented as the code before it asks for. A line that ends a block first moves to where the block
/// begins.
pub fn new_line(text: &str, selection: Range<usize>) -> Edited {
    let (mut before, after) = (text[..selection.start].to_owned(), &text[selection.end..]);
    let start = line_start(&before, before.len());
    let all = groups(&before);
    if let Some(own) = indent_of_end(&before, start, &all) {
        let old = indent_at(&before, start).len();
        before.replace_range(start..start + old, &own);
    }
    let all = groups(&before);
    let opens = |group: &Group| !group.is_closed && group.parts.last().is_some_and(|part| part.start >= start);
    let mut indent = indent_at(&before, start).to_owned();
    if all.iter().any(opens) {
        indent += INDENT;
    }
    let at = before.len() + 1 + indent.len();
    let text = format!("{before}\n{indent}{}", after.trim_start_matches([' ', '\t']));
    Edited { text, selection: at..at }
}

/// Moves a line that was just completed to a word that ends or continues a block to where the block begins; none if it is
/// there.
pub fn end_of_block(text: &str, caret: usize) -> Option<Edited> {
    let before = &text[..caret];
    let start = line_start(before, caret);
    let is_alone = text[caret..].lines().next().is_none_or(|rest| rest.trim().is_empty());
    let own = indent_of_end(before, start, &groups(before)).filter(|_| is_alone)?;
    let old = indent_at(before, start);
    let word = &before[start + old.len()..];
    let is_word = word.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_word && own != old).then(|| {
        let at = start + own.len() + word.len();
        Edited { text: format!("{}{own}{word}{}", &text[..start], &text[caret..]), selection: at..at }
    })
}

/// The indentation of a line that begins with a word that ends or continues a block; none for other lines.
fn indent_of_end(text: &str, start: usize, groups: &[Group]) -> Option<String> {
    let first = start + indent_at(text, start).len();
    let (group, index) = groups.iter().filter(|group| group.is_block).find_map(|group| {
        let index = group.parts.iter().position(|part| part.start == first)?;
        (index > 0).then_some((group, index))
    })?;
    let is_case = |part: &Range<usize>| matches!(&text[part.clone()], "case" | "otherwise");
    let like = match is_case(&group.parts[index]) {
        // Cases stand below each other; the first one stands where it was typed.
        true => group.parts[..index].iter().rev().find(|part| is_case(part))?,
        false => group.parts.first()?,
    };
    Some(indent_at(text, line_start(text, like.start)).to_owned())
}

/// Indents the lines of a selection; without one, goes on to the next column of indentation.
pub fn indent(text: &str, selection: Range<usize>) -> Edited {
    let start = line_start(text, selection.start);
    let is_within_line = selection.is_empty() && !text[start..selection.start].trim().is_empty();
    if is_within_line {
        let column = text[start..selection.start].chars().count();
        let blanks = " ".repeat(INDENT.len() - column % INDENT.len());
        let at = selection.start + blanks.len();
        return Edited {
            text: format!("{}{blanks}{}", &text[..selection.start], &text[selection.end..]),
            selection: at..at,
        };
    }
    with_lines(text, selection, |line, is_alone| {
        let is_kept = line.trim().is_empty() && !is_alone;
        if is_kept { line.to_owned() } else { format!("{INDENT}{line}") }
    })
}

/// Takes a level of indentation from the lines of a selection.
pub fn outdent(text: &str, selection: Range<usize>) -> Edited {
    with_lines(text, selection, |line, _| {
        let blanks = line.chars().take(INDENT.len()).take_while(|c| *c == ' ').count();
        match line.strip_prefix('\t') {
            Some(rest) => rest.to_owned(),
            None => line[blanks..].to_owned(),
        }
    })
}

/// Makes the lines of a selection comments, or code again if all of them are comments.
pub fn toggle_comment(text: &str, selection: Range<usize>) -> Edited {
    let lines = lines_of(text, &selection);
    let filled = || text[lines.clone()].lines().filter(|line| !line.trim().is_empty());
    let are_comments = filled().next().is_some() && filled().all(|line| line.trim_start().starts_with('%'));
    let column = filled().map(|line| indent_at(line, 0).len()).min().unwrap_or(0);
    with_lines(text, selection, |line, is_alone| match are_comments {
        true => {
            let (indent, rest) = line.split_at(indent_at(line, 0).len());
            let rest = rest.strip_prefix('%').map_or(rest, |rest| rest.strip_prefix(' ').unwrap_or(rest));
            format!("{indent}{rest}")
        }
        false if line.trim().is_empty() && !is_alone => line.to_owned(),
        false => {
            let at = column.min(line.len());
            format!("{}% {}", &line[..at], &line[at..])
        }
    })
}

/// Changes each line of a selection. The function is told whether it is the only one.
fn with_lines(text: &str, selection: Range<usize>, change: impl Fn(&str, bool) -> String) -> Edited {
    let lines = lines_of(text, &selection);
    let part = &text[lines.clone()];
    let is_alone = !part.contains('\n');
    let changed: Vec<String> = part.split('\n').map(|line| change(line, is_alone)).collect();
    // A place within a line stays before the same character.
    let moved = |at: usize| {
        let mut from = lines.start;
        let mut to = lines.start;
        for (line, new) in part.split('\n').zip(&changed) {
            let end = from + line.len();
            if at <= end {
                let column = (at - from) as isize + new.len() as isize - line.len() as isize;
                return to + column.clamp(0, new.len() as isize) as usize;
            }
            (from, to) = (end + 1, to + new.len() + 1);
        }
        to
    };
    let (start, end) = (moved(selection.start), moved(selection.end));
    let start = if selection.is_empty() || selection.start > lines.start { start } else { lines.start };
    let text = format!("{}{}{}", &text[..lines.start], changed.join("\n"), &text[lines.end..]);
    Edited { text, selection: start..end.max(start) }
}

/// The lines that a selection touches, without the last end of line. One that ends at the start of a line does not touch
/// it.
fn lines_of(text: &str, selection: &Range<usize>) -> Range<usize> {
    let start = line_start(text, selection.start);
    let is_behind = selection.end > selection.start && text[..selection.end].ends_with('\n');
    let last = if is_behind { selection.end - 1 } else { selection.end };
    let end = text[last..].find('\n').map_or(text.len(), |length| last + length);
    start..end.max(start)
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// The blanks at the beginning of a line.
fn indent_at(text: &str, start: usize) -> &str {
    let rest = &text[start..];
    &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Edits a text with `<` and `>` around the selection, or `|` for the caret, and returns it in the same form.
    fn edited(edit: impl Fn(&str, Range<usize>) -> Edited, text: &str) -> String {
        let (plain, selection) = match text.find('|') {
            Some(at) => (text.replace('|', ""), at..at),
            None => {
                let start = text.find('«').expect("a selection");
                let end = text.find('»').expect("its end") - '«'.len_utf8();
                (text.replace(['«', '»'], ""), start..end)
            }
        };
        let Edited { text, selection: Range { start, end } } = edit(&plain, selection);
        match start == end {
            true => format!("{}|{}", &text[..start], &text[start..]),
            false => format!("{}«{}»{}", &text[..start], &text[start..end], &text[end..]),
        }
    }

    #[test]
    fn a_new_line_is_indented_as_the_code_asks_for() {
        let enter = |text: &str| edited(new_line, text);
        assert_eq!(enter("if a|"), "if a\n  |");
        assert_eq!(enter("  x = 1;|"), "  x = 1;\n  |");
        assert_eq!(enter("if a\n  x = 1;\n  end|"), "if a\n  x = 1;\nend\n|");
        assert_eq!(enter("if a\n  x = 1;\n  else|"), "if a\n  x = 1;\nelse\n  |");
        assert_eq!(enter("if a, x = 1; end|"), "if a, x = 1; end\n|");
        assert_eq!(enter("x = [1 2|"), "x = [1 2\n  |");
        assert_eq!(enter("function y = f(u)|\nend"), "function y = f(u)\n  |\nend");
        assert_eq!(
            enter("switch a\n  case 1\n    y = 1;\n    case 2|"),
            "switch a\n  case 1\n    y = 1;\n  case 2\n    |"
        );
        assert_eq!(enter("x = 1;|  y = 2;"), "x = 1;\n|y = 2;");
    }

    #[test]
    fn a_word_that_ends_a_block_moves_to_its_beginning() {
        let typed = |text: &str| {
            let at = text.find('|').expect("a caret");
            end_of_block(&text.replace('|', ""), at).map(|edited| edited.text)
        };
        assert_eq!(typed("if a\n  x = 1;\n  end|").as_deref(), Some("if a\n  x = 1;\nend"));
        assert_eq!(typed("if a\n  x = 1;\n  else|\nend").as_deref(), Some("if a\n  x = 1;\nelse\nend"));
        assert_eq!(typed("if a\n  x = 1;\nend|"), None);
        assert_eq!(typed("  x = y(end|"), None);
        assert_eq!(typed("if a\n  if b, c = 1; end|"), None);
    }

    #[test]
    fn lines_move_in_and_out() {
        assert_eq!(edited(indent, "a|"), "a |");
        assert_eq!(edited(indent, "|a"), "  |a");
        assert_eq!(edited(indent, "«a\nb\n»c"), "«  a\n  b\n»c");
        assert_eq!(edited(indent, "a\n«\nb»"), "a\n«\n  b»");
        assert_eq!(edited(outdent, "  «a\n b\nc»"), "«a\nb\nc»");
        assert_eq!(edited(outdent, "    x|"), "  x|");
        assert_eq!(edited(outdent, "\tx|"), "x|");
    }

    #[test]
    fn lines_become_comments_and_code_again() {
        let comment = |text: &str| edited(toggle_comment, text);
        assert_eq!(comment("  x = 1;|"), "  % x = 1;|");
        assert_eq!(comment("  % x = 1;|"), "  x = 1;|");
        assert_eq!(comment("«if a\n  b\n\nend»"), "«% if a\n%   b\n\n% end»");
        assert_eq!(comment("«% if a\n%   b\n% end»"), "«if a\n  b\nend»");
        assert_eq!(comment("«% a\nb»"), "«% % a\n% b»");
    }
}
