//! Scilab's expressions and statements in the spelling that the evaluator of the import reads.

/// Constants of Scilab.
const CONSTANTS: [(&str, &str); 12] = [
    ("pi", "pi"),
    ("inf", "inf"),
    ("nan", "nan"),
    ("eps", "eps"),
    ("e", "2.718281828459045"),
    ("t", "1"),
    ("T", "1"),
    ("f", "0"),
    ("F", "0"),
    ("i", "1i"),
    ("s", "s"),
    ("z", "z"),
];

/// Functions that have another name.
const RENAMED: [(&str, &str); 7] = [
    ("modulo", "rem"),
    ("pmodulo", "mod"),
    ("int", "fix"),
    ("bool2s", "double"),
    ("matrix", "reshape"),
    ("gsort", "sort"),
    ("ceil", "ceil"),
];

/// Functions that make a matrix of the size of their only argument.
const LIKE: [&str; 3] = ["ones", "zeros", "eye"];

/// Returns an expression or statements in the other spelling. Texts in quotes stay as they are.
pub fn translated(text: &str) -> String {
    let mut scan = Scan { characters: text.chars().collect(), at: 0, out: String::with_capacity(text.len()) };
    scan.run();
    scan.out
}

/// Returns the text of a dialog as an expression. The program evaluates it between square brackets, so that `1; 2` is a
/// column.
pub fn value(text: &str) -> String {
    let made = translated(text);
    let trimmed = made.trim().trim_end_matches(';').trim_end();
    let mut depth = 0;
    let is_list = trimmed.chars().any(|c| {
        depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
        depth == 0 && (c.is_whitespace() || ";,".contains(c))
    });
    if is_list { format!("[{trimmed}]") } else { trimmed.to_owned() }
}

struct Scan {
    characters: Vec<char>,
    at: usize,
    out: String,
}

impl Scan {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.at + ahead).copied()
    }

    fn run(&mut self) {
        while let Some(character) = self.peek(0) {
            match (character, self.peek(1)) {
                ('/', Some('/')) => self.skip_line(),
                ('.', Some('.')) => self.continued(),
                ('%', Some(next)) if next.is_alphabetic() => self.constant(),
                ('<', Some('>')) => self.replace(2, "~="),
                ('*', Some('*')) => self.replace(2, "^"),
                ('$', _) => self.replace(1, "end"),
                ('"', _) => self.quoted(),
                ('\'', _) if !self.is_transpose() => self.quoted(),
                (c, _) if c.is_alphabetic() || c == '_' => self.name(),
                (c, _) => {
                    self.out.push(c);
                    self.at += 1;
                }
            }
        }
    }

    fn replace(&mut self, count: usize, text: &str) {
        self.out.push_str(text);
        self.at += count;
    }

    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    /// Two points at the end of a line continue it; elsewhere they are part of `1..2`.
    fn continued(&mut self) {
        let rest: String = self.characters[self.at..].iter().take_while(|c| **c != '\n').collect();
        if rest.trim_matches('.').trim().is_empty() || rest.trim_start_matches('.').trim_start().starts_with("//") {
            self.skip_line();
            self.replace(1, " ");
        } else {
            self.replace(1, ".");
        }
    }

    fn is_transpose(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.characters.get(at));
        before.is_some_and(|c| c.is_alphanumeric() || "_)]}'.$".contains(*c))
    }

    fn quoted(&mut self) {
        self.out.push('\'');
        self.at += 1;
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == '"' || c == '\'' {
                break;
            }
            self.out.push(c);
        }
        self.out.push('\'');
    }

    fn word(&mut self) -> String {
        let word: String =
            self.characters[self.at..].iter().take_while(|c| c.is_alphanumeric() || "_#?!".contains(**c)).collect();
        self.at += word.chars().count();
        word
    }

    fn constant(&mut self) {
        self.at += 1;
        let word = self.word();
        match CONSTANTS.iter().find(|(known, _)| *known == word) {
            Some((_, text)) => self.out.push_str(text),
            None => self.out.push_str(&word),
        }
    }

    fn name(&mut self) {
        let word = self.word();
        if self.peek(0) != Some('(') {
            return self.out.push_str(&word);
        }
        if let Some(argument) = self.only_argument().filter(|_| LIKE.contains(&&*word)) {
            self.at += argument.chars().count() + 2;
            let inner = translated(&argument);
            // Of the size of the argument, in a form that is an expression too.
            let text = match &*word {
                "zeros" => format!("(0*({inner}))"),
                "ones" => format!("(0*({inner})+1)"),
                _ => format!("{word}(size({inner}, 1), size({inner}, 2))"),
            };
            return self.out.push_str(&text);
        }
        if word == "cat"
            && let Some(text) = self.joined()
        {
            return self.out.push_str(&text);
        }
        match RENAMED.iter().find(|(known, _)| *known == word) {
            Some((_, text)) => self.out.push_str(text),
            None => self.out.push_str(&word),
        }
    }

    /// Reads the arguments of `cat(1, a, b)` as `[a; b]`, and those of `cat(2, a, b)` as `[a, b]`.
    fn joined(&mut self) -> Option<String> {
        let rest: String = self.characters[self.at..].iter().collect();
        let inner = bracketed(&rest)?;
        let parts = super::super::script::split(&inner, ',');
        let sign = match parts.first()?.trim() {
            "1" => "; ",
            "2" => ", ",
            _ => return None,
        };
        let parts: Vec<String> = parts[1..].iter().map(|part| translated(part)).collect();
        self.at += inner.chars().count() + 2;
        Some(format!("[{}]", parts.join(sign)))
    }

    /// The text in the brackets that follow, if it has no comma outside further brackets.
    fn only_argument(&self) -> Option<String> {
        let rest: String = self.characters[self.at..].iter().collect();
        let inner = bracketed(&rest)?;
        let is_one = super::super::script::split(&inner, ',').len() == 1 && !inner.trim().is_empty();
        is_one.then_some(inner)
    }
}

/// The text between a bracket at the start and the one that closes it.
fn bracketed(text: &str) -> Option<String> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '\n' if depth == 1 => return None,
            _ => {}
        }
        if depth == 0 {
            return text.get(1..at).map(str::to_owned);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{translated, value};

    #[test]
    fn texts_of_dialogs_are_lists() {
        assert_eq!(value("0;0;0"), "[0;0;0]");
        assert_eq!(value("-1 -2"), "[-1 -2]");
        assert_eq!(value("zeros(2, 3)"), "zeros(2, 3)");
        assert_eq!(value("[1 2];"), "[1 2]");
    }

    #[test]
    fn constants_comments_and_operators_are_spelled_anew() {
        assert_eq!(translated("2*%pi // turn"), "2*pi ");
        assert_eq!(translated("a <> %t"), "a ~= 1");
        assert_eq!(translated("x($)**2"), "x(end)^2");
        assert_eq!(translated("A' + \"text\""), "A' + 'text'");
        assert_eq!(translated("ones(x0)"), "(0*(x0)+1)");
        assert_eq!(translated("eye(A)"), "eye(size(A, 1), size(A, 2))");
        assert_eq!(translated("cat(2, [1;2], A')"), "[ [1;2],  A']");
        assert_eq!(translated("zeros(2,3)"), "zeros(2,3)");
        assert_eq!(translated("[1, ..\n 2]"), "[1,   2]");
        assert_eq!(translated("modulo(5, 3)"), "rem(5, 3)");
    }
}
