//! Polynomials in s or z, written as expressions: `1 + T*s` becomes the list `[T, 1]`, and names stay names.

use super::super::block::Cx;
use crate::block::number_text;

/// The highest power, and the deepest nesting.
const MAX_POWER: usize = 100;
const MAX_DEPTH: usize = 60;

/// The coefficients of a parameter, the highest power first, as an expression.
///
/// # Errors
/// If it is no polynomial.
pub fn coefficients(cx: &mut Cx, name: &str) -> Result<String, String> {
    let text = super::super::super::xcos::scilab::translated(cx.text(name));
    let definitions: Vec<(String, String)> =
        cx.source.scripts.iter().flat_map(|script| assignments(&script.text)).collect();
    let wrong = |problem: String| format!("{name}: {problem}");
    let made = parse(&text, &definitions, 0).map_err(wrong)?;
    Ok(format!("[{}]", made.iter().rev().map(|part| part.text()).collect::<Vec<_>>().join(", ")))
}

/// The statements of a script that set a name.
fn assignments(text: &str) -> Vec<(String, String)> {
    let statements = text.split([';', '\n']);
    let pair = |statement: &str| {
        let (name, value) = statement.split_once('=')?;
        let name = name.trim();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        is_name.then(|| (name.to_owned(), value.trim().to_owned()))
    };
    statements.filter_map(pair).collect()
}

/// A coefficient: a number, or an expression of names.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    Number(f64),
    Text(String),
}

impl Part {
    fn text(&self) -> String {
        match self {
            Part::Number(number) => number_text(*number),
            Part::Text(text) => text.clone(),
        }
    }

    fn is_zero(&self) -> bool {
        *self == Part::Number(0.0)
    }

    fn combined(&self, other: &Part, sign: char) -> Part {
        match (self, other, sign) {
            (Part::Number(a), Part::Number(b), '+') => Part::Number(a + b),
            (Part::Number(a), Part::Number(b), '*') => Part::Number(a * b),
            (Part::Number(a), Part::Number(b), '/') => Part::Number(a / b),
            (zero, other, '+') | (other, zero, '+') if zero.is_zero() => other.clone(),
            (zero, _, '*') | (_, zero, '*') if zero.is_zero() => Part::Number(0.0),
            (Part::Number(1.0), other, '*') | (other, Part::Number(1.0), '*' | '/') => other.clone(),
            (a, b, '+') => Part::Text(format!("{} + {}", a.text(), b.text())),
            (a, b, sign) => Part::Text(format!("({}){sign}({})", a.text(), b.text())),
        }
    }
}

/// The lowest power first.
type Polynomial = Vec<Part>;

fn parse(text: &str, definitions: &[(String, String)], depth: usize) -> Result<Polynomial, String> {
    if depth > 10 {
        return Err("its names are defined by each other".to_owned());
    }
    let mut parser = Parser {
        characters: text.chars().filter(|c| !c.is_whitespace()).collect(),
        at: 0,
        depth: 0,
        definitions,
        above: depth,
    };
    let made = parser.sum()?;
    if parser.at < parser.characters.len() { Err(format!("“{text}” is no polynomial")) } else { Ok(trimmed(made)) }
}

fn trimmed(mut made: Polynomial) -> Polynomial {
    while made.len() > 1 && made.last().is_some_and(Part::is_zero) {
        made.pop();
    }
    made
}

struct Parser<'a> {
    characters: Vec<char>,
    at: usize,
    depth: usize,
    definitions: &'a [(String, String)],
    above: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    fn sum(&mut self) -> Result<Polynomial, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("it is nested too deeply".to_owned());
        }
        let mut made = vec![Part::Number(0.0)];
        let mut is_first = true;
        loop {
            let factor = match self.peek() {
                Some('+') => 1.0,
                Some('-') => -1.0,
                _ if is_first => {
                    made = added(&made, &self.term()?);
                    is_first = false;
                    continue;
                }
                _ => break,
            };
            self.at += 1;
            made = added(&made, &times(&self.term()?, &[Part::Number(factor)])?);
            is_first = false;
        }
        self.depth -= 1;
        Ok(made)
    }

    fn term(&mut self) -> Result<Polynomial, String> {
        let mut made = self.power()?;
        loop {
            if self.peek() == Some('.') && matches!(self.characters.get(self.at + 1), Some('*' | '/')) {
                self.at += 1;
            }
            if self.take('*') {
                made = times(&made, &self.power()?)?;
            } else if self.take('/') {
                let by = trimmed(self.power()?);
                let [by] = &by[..] else { return Err("it is a quotient of polynomials".to_owned()) };
                made = made.iter().map(|part| part.combined(by, '/')).collect();
            } else {
                return Ok(made);
            }
        }
    }

    fn power(&mut self) -> Result<Polynomial, String> {
        let base = self.base()?;
        if !self.take('^') {
            return Ok(base);
        }
        let exponent = trimmed(self.base()?);
        match (&exponent[..], trimmed(base)) {
            ([Part::Number(power)], base) if power.fract() == 0.0 && (0.0..=MAX_POWER as f64).contains(power) => {
                (0..*power as usize).try_fold(vec![Part::Number(1.0)], |made, _| times(&made, &base))
            }
            ([exponent], base) if base.len() == 1 => {
                Ok(vec![Part::Text(format!("({})^({})", base[0].text(), exponent.text()))])
            }
            _ => Err("a power is no whole number".to_owned()),
        }
    }

    fn base(&mut self) -> Result<Polynomial, String> {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                let made = self.sum()?;
                if self.take(')') { Ok(made) } else { Err("a bracket is not closed".to_owned()) }
            }
            Some(sign @ ('-' | '+')) => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err("it is nested too deeply".to_owned());
                }
                self.at += 1;
                let made = self.power()?;
                self.depth -= 1;
                times(&made, &[Part::Number(if sign == '-' { -1.0 } else { 1.0 })])
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.name(),
            _ => Err("it is no polynomial".to_owned()),
        }
    }

    fn number(&mut self) -> Result<Polynomial, String> {
        let mut text = String::new();
        while let Some(c) = self.peek() {
            let is_sign = "+-".contains(c) && text.ends_with('e');
            let is_point = c == '.' && !matches!(self.characters.get(self.at + 1), Some('*' | '/' | '^'));
            let is_exponent = "eEdD".contains(c) && !text.contains('e');
            if !(c.is_ascii_digit() || is_point || is_sign || is_exponent) {
                break;
            }
            text.push(if is_exponent { 'e' } else { c });
            self.at += 1;
        }
        let number = text.parse().map_err(|_| format!("“{text}” is no number"))?;
        Ok(vec![Part::Number(number)])
    }

    fn name(&mut self) -> Result<Polynomial, String> {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_alphanumeric() || "_.".contains(c)) {
            self.at += 1;
        }
        let name: String = self.characters[start..self.at].iter().collect();
        if self.peek() == Some('(') {
            return self.call(start);
        }
        if name == "s" || name == "z" {
            return Ok(vec![Part::Number(0.0), Part::Number(1.0)]);
        }
        let defined = self.definitions.iter().rev().find(|(known, _)| *known == name);
        if let Some((_, text)) = defined
            && let Ok(made) = parse(text, self.definitions, self.above + 1)
            && made.len() > 1
        {
            return Ok(made);
        }
        Ok(vec![Part::Text(name)])
    }

    /// A call or an element is a coefficient as a whole.
    fn call(&mut self, start: usize) -> Result<Polynomial, String> {
        let mut depth = 0;
        while let Some(c) = self.peek() {
            self.at += 1;
            depth += i32::from(c == '(') - i32::from(c == ')');
            if depth == 0 {
                return Ok(vec![Part::Text(self.characters[start..self.at].iter().collect())]);
            }
        }
        Err("a bracket is not closed".to_owned())
    }
}

fn added(a: &[Part], b: &[Part]) -> Polynomial {
    let zero = Part::Number(0.0);
    let at = |list: &[Part], place: usize| list.get(place).unwrap_or(&zero).clone();
    (0..a.len().max(b.len())).map(|place| at(a, place).combined(&at(b, place), '+')).collect()
}

fn times(a: &[Part], b: &[Part]) -> Result<Polynomial, String> {
    if a.len() + b.len() > MAX_POWER + 2 {
        return Err(format!("its degree is above {MAX_POWER}"));
    }
    let mut made = vec![Part::Number(0.0); a.len() + b.len() - 1];
    for (i, left) in a.iter().enumerate() {
        for (j, right) in b.iter().enumerate() {
            made[i + j] = made[i + j].combined(&left.combined(right, '*'), '+');
        }
    }
    let length: usize = made.iter().map(|part| part.text().len()).sum();
    if length > 20_000 { Err("it is too long".to_owned()) } else { Ok(made) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_become_coefficients_that_keep_their_names() {
        let of = |text: &str| {
            parse(text, &[("n".to_owned(), "1+2*s".to_owned())], 0)
                .map(|made| made.iter().map(Part::text).collect::<Vec<_>>())
        };
        assert_eq!(of("1+0.5*s").expect("a polynomial"), ["1", "0.5"]);
        assert_eq!(of("s^2+12*s+100").expect("a polynomial"), ["100", "12", "1"]);
        assert_eq!(of("(s+1)*(s-2)").expect("a polynomial"), ["-2", "-1", "1"]);
        assert_eq!(of("1+T*s").expect("a polynomial"), ["1", "T"]);
        assert_eq!(of("n*s").expect("a polynomial"), ["0", "1", "2"]);
        assert_eq!(of("-(s-1)/2").expect("a polynomial"), ["0.5", "-0.5"]);
        assert_eq!(of("k").expect("a polynomial"), ["k"]);
        assert!(of("1/s").is_err());
        assert!(of("(1+s").is_err());
    }
}
