//! The scanner: from characters to tokens.

use super::ExpressionError;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Name(String),
    /// A text in quotation marks.
    Text(String),
    /// An operator or bracket.
    Sign(&'static str),
    /// The end of a line.
    NewLine,
    End,
}

/// A token, its range of characters, and whether white space precedes it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed {
    pub token: Token,
    pub start: usize,
    pub end: usize,
    pub is_apart: bool,
}

/// The operators and brackets, longer ones first.
const SIGNS: [&str; 42] = [
    ".*", "./", ".^", ".'", "==", "!=", "~=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=", "^=", "+", "-", "*", "/",
    "\\", "^", "(", ")", "[", "]", "{", "}", ",", ";", ":", "?", "<", ">", "=", "'", "&", "|", "@", ".", "!", "~",
];

/// What a text is: it decides which tokens it may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// The expression of a parameter, or the lines of a formula.
    Expression,
    /// The code of a function, with comments, texts and continued lines.
    Code,
}

/// Splits a text into tokens, the last of which is [`Token::End`].
pub(super) fn scan(text: &str, dialect: Dialect) -> Result<Vec<Placed>, ExpressionError> {
    let scanner = Scanner { text: text.chars().collect(), at: 0, dialect, tokens: Vec::new(), brackets: Vec::new() };
    scanner.all()
}

struct Scanner {
    text: Vec<char>,
    at: usize,
    dialect: Dialect,
    tokens: Vec<Placed>,
    /// The brackets that are open: within round ones a line may end anywhere.
    brackets: Vec<char>,
}

impl Scanner {
    fn all(mut self) -> Result<Vec<Placed>, ExpressionError> {
        let mut is_apart = false;
        while let Some(&character) = self.text.get(self.at) {
            let start = self.at;
            if self.skips_blank(character)? {
                is_apart = true;
                continue;
            }
            let token = self.token(character, is_apart)?;
            if token == Token::NewLine && self.brackets.last() == Some(&'(') && self.dialect == Dialect::Code {
                is_apart = true;
                continue;
            }
            self.tokens.push(Placed { token, start, end: self.at, is_apart });
            is_apart = false;
        }
        self.tokens.push(Placed { token: Token::End, start: self.at, end: self.at, is_apart });
        Ok(self.tokens)
    }

    /// Skips white space, a comment or the end of a continued line; whether there was one.
    fn skips_blank(&mut self, character: char) -> Result<bool, ExpressionError> {
        if character != '\n' && character.is_whitespace() {
            self.at += 1;
            return Ok(true);
        }
        if self.dialect == Dialect::Expression {
            return Ok(false);
        }
        let rest = &self.text[self.at..];
        if rest.starts_with(&['.', '.', '.']) {
            self.skip_line();
            self.at = (self.at + 1).min(self.text.len());
            return Ok(true);
        }
        if self.is_block_comment('{') {
            return self.skip_block_comment().map(|()| true);
        }
        let is_comment = matches!(character, '%' | '#') || rest.starts_with(&['/', '/']);
        if is_comment {
            self.skip_line();
        }
        Ok(is_comment)
    }

    /// Moves to the end of the line.
    fn skip_line(&mut self) {
        while self.text.get(self.at).is_some_and(|next| *next != '\n') {
            self.at += 1;
        }
    }

    /// Whether a line that consists of a comment sign and this bracket begins here.
    fn is_block_comment(&self, bracket: char) -> bool {
        let is_blank = |next: &&char| **next != '\n' && next.is_whitespace();
        let before = self.text[..self.at].iter().rev().find(|next| !is_blank(next));
        let rest = &self.text[self.at..];
        let behind = rest.iter().skip(2).find(|next| !is_blank(next));
        matches!(rest, ['%' | '#', second, ..] if *second == bracket)
            && before.is_none_or(|next| *next == '\n')
            && behind.is_none_or(|next| *next == '\n')
    }

    fn skip_block_comment(&mut self) -> Result<(), ExpressionError> {
        let start = self.at;
        let mut depth = 0;
        while self.at < self.text.len() {
            depth += usize::from(self.is_block_comment('{'));
            let is_end = self.is_block_comment('}');
            depth -= usize::from(is_end && depth > 0);
            if depth == 0 {
                self.skip_line();
                return Ok(());
            }
            self.at += 1;
        }
        Err(ExpressionError::new(start, "the end %} of this comment is missing"))
    }

    fn token(&mut self, character: char, is_apart: bool) -> Result<Token, ExpressionError> {
        let start = self.at;
        let rest = &self.text[start..];
        if character == '\n' {
            self.at += 1;
            return Ok(Token::NewLine);
        }
        if starts_number(rest) {
            self.at += number_length(rest);
            let digits: String = self.text[start..self.at].iter().collect();
            let number = digits.parse();
            return number
                .map(Token::Number)
                .map_err(|_| ExpressionError::new(start, format!("“{digits}” is not a number")));
        }
        if character.is_alphabetic() || character == '_' {
            while self.text.get(self.at).is_some_and(|next| next.is_alphanumeric() || *next == '_') {
                self.at += 1;
            }
            return Ok(Token::Name(self.text[start..self.at].iter().collect()));
        }
        if self.dialect == Dialect::Code && (character == '"' || character == '\'' && self.begins_text(is_apart)) {
            return self.quoted_text(character);
        }
        let sign =
            sign(rest).ok_or_else(|| ExpressionError::new(start, format!("“{character}” is not allowed here")))?;
        self.at += sign.len();
        match character {
            '(' | '[' | '{' => self.brackets.push(character),
            ')' | ']' | '}' => drop(self.brackets.pop()),
            _ => {}
        }
        Ok(Token::Sign(sign))
    }

    /// Whether an apostrophe begins a text; behind a value it transposes.
    fn begins_text(&self, is_apart: bool) -> bool {
        let is_value = match self.tokens.last().map(|last| &last.token) {
            Some(Token::Number(_) | Token::Text(_)) => true,
            Some(Token::Name(name)) => name == "end" || !is_keyword(name),
            Some(Token::Sign(sign)) => matches!(*sign, ")" | "]" | "}" | "'" | ".'"),
            _ => false,
        };
        let is_new_element = is_apart && matches!(self.brackets.last(), Some('[' | '{'));
        !is_value || is_new_element
    }

    /// Scans a text; a doubled quotation mark in it stands for one.
    fn quoted_text(&mut self, mark: char) -> Result<Token, ExpressionError> {
        let start = self.at;
        let mut text = String::new();
        self.at += 1;
        loop {
            match (self.text.get(self.at), self.text.get(self.at + 1)) {
                (Some(next), Some(after)) if *next == mark && *after == mark => {
                    text.push(mark);
                    self.at += 2;
                }
                (Some(next), _) if *next == mark => {
                    self.at += 1;
                    return Ok(Token::Text(text));
                }
                (None | Some('\n'), _) => {
                    return Err(ExpressionError::new(start, "the closing quotation mark of this text is missing"));
                }
                (Some(next), _) => {
                    text.push(*next);
                    self.at += 1;
                }
            }
        }
    }
}

/// The words that begin and end statements.
const KEYWORDS: [&str; 30] = [
    "break",
    "case",
    "catch",
    "continue",
    "do",
    "else",
    "elseif",
    "end",
    "end_try_catch",
    "endfor",
    "endfunction",
    "endif",
    "endswitch",
    "endwhile",
    "for",
    "function",
    "global",
    "if",
    "otherwise",
    "parfor",
    "persistent",
    "return",
    "select",
    "switch",
    "then",
    "try",
    "until",
    "unwind_protect",
    "while",
    "endparfor",
];

pub(super) fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

fn sign(rest: &[char]) -> Option<&'static str> {
    let is_here = |sign: &&str| sign.chars().zip(rest).filter(|(a, b)| a == *b).count() == sign.len();
    SIGNS.into_iter().find(is_here)
}

/// Returns the canonical spelling of an operator that works element by element.
pub(super) fn plain(sign: &'static str) -> &'static str {
    match sign {
        ".*" => "*",
        "./" => "/",
        ".^" => "^",
        "~=" => "!=",
        "~" => "!",
        sign => sign,
    }
}

fn starts_number(rest: &[char]) -> bool {
    let is_digit = |index: usize| rest.get(index).is_some_and(char::is_ascii_digit);
    is_digit(0) || rest.first() == Some(&'.') && is_digit(1)
}

/// Scans digits, a point, digits and an optional exponent. `1.*x` is `1 .* x`.
fn number_length(rest: &[char]) -> usize {
    let digits = |from: usize| rest[from..].iter().take_while(|character| character.is_ascii_digit()).count();
    let mut length = digits(0);
    let is_point = rest.get(length) == Some(&'.') && !rest[length..].starts_with(&['.', '.', '.']);
    if is_point && !matches!(rest.get(length + 1), Some('*' | '/' | '^' | '\\' | '\'')) {
        length += 1 + digits(length + 1);
    }
    if matches!(rest.get(length), Some('e' | 'E')) {
        let sign = usize::from(matches!(rest.get(length + 1), Some('+' | '-')));
        let exponent = if length + 1 + sign <= rest.len() { digits(length + 1 + sign) } else { 0 };
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}
