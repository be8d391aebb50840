//! The scanner: from characters to tokens.

use super::ExpressionError;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Name(String),
    /// An operator or bracket; `.*` and the like without the point.
    Sign(&'static str),
    /// The end of a line of a formula.
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
const SIGNS: [&str; 27] = [
    ".*", "./", ".^", "==", "!=", "~=", "<=", ">=", "&&", "||", "+", "-", "*", "/", "^", "(", ")", "[", "]", ",", ";",
    ":", "?", "<", ">", "=", "'",
];

pub(super) fn scan(text: &str) -> Result<Vec<Placed>, ExpressionError> {
    let characters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut is_apart = false;
    while let Some(&character) = characters.get(at) {
        let start = at;
        let token = match character {
            '\n' => {
                at += 1;
                Token::NewLine
            }
            _ if character.is_whitespace() => {
                (at, is_apart) = (at + 1, true);
                continue;
            }
            _ if starts_number(&characters[at..]) => {
                at += number_length(&characters[at..]);
                let digits: String = characters[start..at].iter().collect();
                let number = digits.parse();
                Token::Number(number.map_err(|_| ExpressionError::new(start, format!("“{digits}” is not a number")))?)
            }
            _ if character.is_alphabetic() || character == '_' => {
                while characters.get(at).is_some_and(|next| next.is_alphanumeric() || *next == '_') {
                    at += 1;
                }
                Token::Name(characters[start..at].iter().collect())
            }
            _ => {
                let sign = sign(&characters[at..])
                    .ok_or_else(|| ExpressionError::new(start, format!("“{character}” is not allowed here")))?;
                at += sign.len();
                Token::Sign(plain(sign))
            }
        };
        tokens.push(Placed { token, start, end: at, is_apart });
        is_apart = false;
    }
    tokens.push(Placed { token: Token::End, start: at, end: at, is_apart });
    Ok(tokens)
}

fn sign(rest: &[char]) -> Option<&'static str> {
    let is_here = |sign: &&str| sign.chars().zip(rest).filter(|(a, b)| a == *b).count() == sign.len();
    match rest.first() {
        Some('!') if rest.get(1) != Some(&'=') => Some("!"),
        Some('~') if rest.get(1) != Some(&'=') => Some("~"),
        _ => SIGNS.into_iter().find(is_here),
    }
}

/// Returns the canonical spelling of an operator.
fn plain(sign: &'static str) -> &'static str {
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
    if rest.get(length) == Some(&'.') && !matches!(rest.get(length + 1), Some('*' | '/' | '^')) {
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
