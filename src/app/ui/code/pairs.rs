//! The parts of code that belong together: brackets, and the words of a block from `if` to its `end`. The code may have
//! mistakes.

use std::ops::Range;

use crate::block::language::{Word, words};

/// Parts of code that belong together, as ranges of bytes in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub parts: Vec<Range<usize>>,
    /// Whether it is a block of statements; else it is a pair of brackets.
    pub is_block: bool,
    /// Whether its last part ends it.
    pub is_closed: bool,
}

const OPENERS: [&str; 6] = ["if", "for", "parfor", "while", "switch", "function"];
const MIDDLES: [&str; 4] = ["else", "elseif", "case", "otherwise"];
const CLOSERS: [&str; 7] = ["end", "endif", "endfor", "endparfor", "endwhile", "endswitch", "endfunction"];

/// Returns all groups of a code, in the order of their first parts.
pub fn groups(code: &str) -> Vec<Group> {
    let mut scan = Scan::default();
    let mut last = 0;
    for (range, word) in words(code) {
        scan.brackets(code, last..range.start);
        last = range.end;
        if word == Word::Keyword {
            scan.keyword(code, range);
        }
    }
    scan.brackets(code, last..code.len());
    scan.groups
}

/// Returns the group of a part that begins, else of one that ends, at a place.
pub fn group_at(groups: &[Group], at: usize) -> Option<&Group> {
    let with = |is_here: &dyn Fn(&Range<usize>) -> bool| {
        groups.iter().find(|group| group.parts.len() > 1 && group.parts.iter().any(is_here))
    };
    with(&|part| part.start == at)
        .or_else(|| with(&|part| part.end == at))
        .or_else(|| with(&|part| part.start < at && at < part.end))
}

#[derive(Default)]
struct Scan {
    groups: Vec<Group>,
    /// The indices of open groups, with the closing bracket or none for a block.
    open: Vec<(usize, Option<char>)>,
}

impl Scan {
    fn begin(&mut self, part: Range<usize>, closing: Option<char>) {
        self.open.push((self.groups.len(), closing));
        self.groups.push(Group { parts: vec![part], is_block: closing.is_none(), is_closed: false });
    }

    fn close(&mut self, part: Range<usize>) {
        let group = self.open.pop().and_then(|(index, _)| self.groups.get_mut(index));
        if let Some(group) = group {
            group.parts.push(part);
            group.is_closed = true;
        }
    }

    /// Takes the brackets of a part of the code without comments and texts.
    fn brackets(&mut self, code: &str, range: Range<usize>) {
        let part = code.get(range.clone()).unwrap_or_default();
        for (offset, sign) in part.char_indices() {
            let at = range.start + offset;
            match sign {
                '(' => self.begin(at..at + 1, Some(')')),
                '[' => self.begin(at..at + 1, Some(']')),
                '{' => self.begin(at..at + 1, Some('}')),
                // Without a partner it is a mistake, which the parser reports.
                ')' | ']' | '}' if self.open.last().is_some_and(|(_, closing)| *closing == Some(sign)) => {
                    self.close(at..at + 1);
                }
                _ => {}
            }
        }
    }

    fn keyword(&mut self, code: &str, range: Range<usize>) {
        let word = &code[range.clone()];
        // In brackets `end` is the last element. A word of statements shows that a bracket before it was left open.
        let is_in_brackets = matches!(self.open.last(), Some((_, Some(_))));
        if is_in_brackets {
            if word == "end" {
                return;
            }
            while matches!(self.open.last(), Some((_, Some(_)))) {
                self.open.pop();
            }
        }
        if word == "function" {
            // The function before has no `end`.
            self.open.clear();
        }
        if OPENERS.contains(&word) {
            self.begin(range, None);
        } else if MIDDLES.contains(&word) {
            let group = self.open.last().and_then(|(index, _)| self.groups.get_mut(*index));
            group.into_iter().for_each(|group| group.parts.push(range.clone()));
        } else if CLOSERS.contains(&word) {
            self.close(range);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partners(code: &str, at: usize) -> Vec<&str> {
        let groups = groups(code);
        let group = group_at(&groups, at);
        group.into_iter().flat_map(|group| &group.parts).map(|part| &code[part.clone()]).collect()
    }

    #[test]
    fn words_of_a_block_belong_together() {
        let code = "for k = 1:3\n  if x(end) > 0\n    y = 1;\n  elseif a\n    y = 2;\n  else\n    y = 3;\n  end\nend";
        assert_eq!(partners(code, 0), ["for", "end"]);
        assert_eq!(partners(code, code.find("if").expect("if")), ["if", "elseif", "else", "end"]);
        assert_eq!(partners(code, code.len()), ["for", "end"]);
        assert_eq!(partners(code, code.find("x(").expect("x") + 1), ["(", ")"]);
    }

    #[test]
    fn comments_and_texts_have_no_partners() {
        let code = "if a % if (\n  s = 'end [';\nend";
        assert_eq!(partners(code, 0), ["if", "end"]);
        assert_eq!(partners(code, code.find("if (").expect("the comment")), [""; 0]);
    }

    #[test]
    fn functions_need_no_end() {
        let code = "function y = f(u)\ny = u;\nfunction z = g(u)\nif u, z = 1; end";
        assert_eq!(partners(code, code.find("if u").expect("if")), ["if", "end"]);
        assert_eq!(partners(code, 0), [""; 0]);
        let code = "x = (1 + 2;\nif x\nend";
        assert_eq!(partners(code, code.find("if").expect("if")), ["if", "end"]);
    }
}
