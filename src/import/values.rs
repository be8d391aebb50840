//! Values: expressions of other programs as expressions of this one, and the variables of a workspace.
//!
//! Both languages are close, so an expression keeps its text and its names: a sweep over `m1` works after the import. Where
//! they differ (products of matrices) the value is computed here and the numbers stand for the expression.

use std::collections::{BTreeMap, BTreeSet};

use crate::block::language::{Expression, Matrix, Names, NoNames, Numbers, Program, Value, VariableError, matrix, run};
use crate::block::number_text;
use crate::model::name_problem;

/// The longest text of an expression.
const MAX_TEXT: usize = 200_000;

/// An expression in the language of this program.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    pub text: String,
    /// Its value, where all names are known.
    pub value: Option<Matrix>,
}

/// An expression whose names are those of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rewritten {
    pub text: String,
    /// The names as the file has them, with the fields of structures: `MPC.Ts`.
    pub names: BTreeSet<String>,
}

/// The name of a variable of this program for a name of the file: a field becomes part of the name.
pub fn variable_name(name: &str) -> String {
    let mut name: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    while name_problem(&name).is_some() && name.len() < 100 {
        match name.chars().next() {
            Some(first) if first.is_alphabetic() || first == '_' => name.push('_'),
            _ => name.insert(0, '_'),
        }
    }
    name
}

/// Rewrites an expression; its names become those of variables.
///
/// # Errors
/// If it has what expressions do not: texts, cells, handles.
pub fn rewrite(text: &str) -> Result<Rewritten, String> {
    if text.len() > MAX_TEXT {
        return Err(format!("the expression is longer than {MAX_TEXT} characters"));
    }
    let mut scan = Scan { characters: text.trim().trim_end_matches(';').chars().collect(), ..Scan::default() };
    scan.run()?;
    if scan.out.trim().is_empty() || scan.out.trim() == "[]" {
        return Err("the value is empty".to_owned());
    }
    Ok(Rewritten { text: scan.out.trim().to_owned(), names: scan.names })
}

/// Conversions of number types, which have no effect on values here.
const CASTS: [&str; 12] = [
    "double", "single", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "boolean", "logical",
];

#[derive(Default)]
struct Scan {
    characters: Vec<char>,
    at: usize,
    out: String,
    names: BTreeSet<String>,
    /// The depth of square brackets.
    brackets: usize,
}

impl Scan {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.at + ahead).copied()
    }

    fn run(&mut self) -> Result<(), String> {
        while let Some(character) = self.peek(0) {
            match character {
                '%' => self.skip_line(),
                '.' if self.peek(1) == Some('.') && self.peek(2) == Some('.') => {
                    self.skip_line();
                    self.at += 1;
                }
                _ if character.is_alphabetic() || character == '_' => self.name()?,
                _ if character.is_ascii_digit()
                    || (character == '.' && self.peek(1).is_some_and(|c| c.is_ascii_digit())) =>
                {
                    self.number()?;
                }
                '\'' if self.is_transpose() => self.push("'"),
                '\'' | '"' => return Err("the value is a text".to_owned()),
                '{' | '}' => return Err("the value is a cell array".to_owned()),
                '@' => return Err("the value is a handle of a function".to_owned()),
                '.' if self.peek(1) == Some('\'') => {
                    self.at += 1;
                    self.push("'");
                }
                '~' if self.peek(1) == Some('=') => {
                    self.at += 1;
                    self.push("!=");
                }
                '~' => self.push("!"),
                '&' | '|' => {
                    self.at += usize::from(self.peek(1) == Some(character));
                    self.push(if character == '&' { " && " } else { " || " });
                }
                '\n' => self.push(if self.brackets > 0 { ";" } else { " " }),
                _ => {
                    match character {
                        '[' => self.brackets += 1,
                        ']' => self.brackets = self.brackets.saturating_sub(1),
                        _ => {}
                    }
                    self.push(&character.to_string());
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
        self.at += 1;
    }

    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|character| character != '\n') {
            self.at += 1;
        }
    }

    fn is_transpose(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.characters.get(at));
        before.is_some_and(|c| c.is_alphanumeric() || "_)]}'.".contains(*c))
    }

    fn name(&mut self) -> Result<(), String> {
        let mut name = String::new();
        while let Some(character) = self.peek(0) {
            let is_field = character == '.' && self.peek(1).is_some_and(|next| next.is_alphabetic());
            if !(character.is_alphanumeric() || character == '_' || is_field) {
                break;
            }
            name.push(character);
            self.at += 1;
        }
        let is_call = self.peek(0) == Some('(');
        match &*name {
            "Inf" | "inf" => self.out.push_str("inf"),
            "NaN" | "nan" => self.out.push_str("nan"),
            "pi" => self.out.push_str("pi"),
            "eps" if !is_call => self.out.push_str("2.220446049250313e-16"),
            "true" if !is_call => self.out.push('1'),
            "false" if !is_call => self.out.push('0'),
            "realmax" if !is_call => self.out.push_str("1.7976931348623157e308"),
            "end" => self.out.push_str("end"),
            _ if is_call && CASTS.contains(&&*name) => {}
            _ if is_call && crate::block::language::Function::of_code(&name).is_some() => self.out.push_str(&name),
            "struct" | "cell" | "load" | "eval" | "evalin" if is_call => return Err(format!("“{name}” is not read")),
            _ => {
                let variable = variable_name(&name);
                match self.elements() {
                    // Expressions have single elements, not ranges of them.
                    Some((first, last)) => {
                        let each = (first..=last).map(|at| format!("{variable}({at})"));
                        self.out.push_str(&format!("[{}]", each.collect::<Vec<_>>().join(" ")));
                    }
                    None => self.out.push_str(&variable),
                }
                self.names.insert(name);
            }
        }
        Ok(())
    }

    /// Reads `(2:4)` behind a name.
    fn elements(&mut self) -> Option<(u32, u32)> {
        let rest: String = self.characters[self.at..].iter().take(30).collect();
        let (inner, _) = rest.strip_prefix('(')?.split_once(')')?;
        let (first, last) = inner.split_once(':')?;
        let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if first == 0 || last < first || last - first > 1000 {
            return None;
        }
        self.at += inner.chars().count() + 2;
        Some((first, last))
    }

    fn number(&mut self) -> Result<(), String> {
        if self.peek(0) == Some('0') && matches!(self.peek(1), Some('x' | 'X')) {
            self.at += 2;
            let mut value = 0.0;
            while let Some(digit) = self.peek(0).and_then(|c| c.to_digit(16)) {
                value = value * 16.0 + f64::from(digit);
                self.at += 1;
            }
            self.out.push_str(&number_text(value));
            return Ok(());
        }
        let mut has_exponent = false;
        while let Some(character) = self.peek(0) {
            let is_exponent = !has_exponent && "eEdD".contains(character);
            let is_sign = "+-".contains(character) && self.out.ends_with('e');
            // `1./x` is a quotient by element.
            let is_point = character == '.' && !matches!(self.peek(1), Some('*' | '/' | '^' | '\'' | '\\' | '.'));
            if !(character.is_ascii_digit() || is_point || is_exponent || (has_exponent && is_sign)) {
                break;
            }
            has_exponent |= is_exponent;
            self.out.push(if is_exponent { 'e' } else { character });
            self.at += 1;
        }
        match self.peek(0) {
            Some('i' | 'j') if !self.peek(1).is_some_and(char::is_alphanumeric) => {
                Err("the value is complex".to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// The text of a matrix as an expression: a number, or a list in brackets.
pub fn text_of(value: &Matrix) -> String {
    let columns = value.columns().max(1);
    let rows = value
        .values
        .chunks(columns)
        .map(|row| row.iter().map(|number| number_text(*number)).collect::<Vec<_>>().join(" "));
    match value.values[..] {
        [number] => number_text(number),
        _ => format!("[{}]", rows.collect::<Vec<_>>().join("; ")),
    }
}

/// Computes a rewritten expression as the other program does, with matrices.
pub fn computed(expression: &Rewritten, value: &dyn Fn(&str) -> Option<Matrix>) -> Option<Matrix> {
    let names: Vec<&String> = expression.names.iter().collect();
    let arguments: Option<Vec<Matrix>> = names.iter().map(|name| value(name)).collect();
    let list: Vec<String> = names.iter().map(|name| variable_name(name)).collect();
    let code = format!("function y_ = f_({})\ny_ = {};\nend", list.join(", "), expression.text);
    let program = Program::parse(&code).ok()?;
    let whole = |value: Matrix| {
        let (rows, columns) = (value.rows, value.columns());
        Value::whole(value.values, rows, columns)
    };
    let made = run(&program, arguments?.into_iter().map(whole).collect(), &Numbers { names: &NoNames }).ok()?;
    let value = made.outputs.into_iter().next()?.matrix();
    (!value.values.is_empty()).then_some(value)
}

/// Turns a rewritten expression into an expression of this program that has the same value.
///
/// # Errors
/// If it is no expression here and its value is not known.
pub fn expression(rewritten: &Rewritten, value: &dyn Fn(&str) -> Option<Matrix>) -> Result<Text, String> {
    struct Known<'a>(BTreeMap<String, &'a str>, &'a dyn Fn(&str) -> Option<Matrix>);
    impl Names for Known<'_> {
        fn value(&self, name: &str) -> Result<Option<Matrix>, VariableError> {
            Ok(self.0.get(name).and_then(|name| (self.1)(name)))
        }
        fn names(&self) -> Vec<String> {
            Vec::new()
        }
    }
    let theirs = computed(rewritten, value);
    let names = rewritten.names.iter().map(|name| (variable_name(name), &**name)).collect();
    let ours = matrix(&rewritten.text, &Known(names, value));
    let parsed = Expression::parse(&rewritten.text);
    match (theirs, ours) {
        (Some(theirs), Ok(ours)) if same(&theirs.values, &ours.values) => {
            Ok(Text { text: rewritten.text.clone(), value: Some(theirs) })
        }
        (Some(theirs), _) => Ok(Text { text: text_of(&theirs), value: Some(theirs) }),
        (None, Ok(ours)) => Ok(Text { text: rewritten.text.clone(), value: Some(ours) }),
        (None, Err(_)) => match parsed {
            Ok(_) => Ok(Text { text: rewritten.text.clone(), value: None }),
            Err(error) => Err(error.to_string()),
        },
    }
}

fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b || (a.is_nan() && b.is_nan()))
}

/// Named values, set in an order.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    values: BTreeMap<String, Text>,
    /// The names that each expression uses.
    uses: BTreeMap<String, BTreeSet<String>>,
    /// Names that were set in a way that is not read.
    pub unread: BTreeSet<String>,
}

impl Workspace {
    pub fn get(&self, name: &str) -> Option<&Text> {
        self.values.get(name)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    pub fn uses(&self, name: &str) -> impl Iterator<Item = &str> {
        self.uses.get(name).into_iter().flatten().map(String::as_str)
    }

    pub fn set_value(&mut self, name: &str, value: Matrix) {
        self.put(name, Text { text: text_of(&value), value: Some(value) }, BTreeSet::new());
    }

    /// Evaluates and sets an expression of the other program.
    ///
    /// # Errors
    /// If it is not read; the name is unknown from then on.
    pub fn assign(&mut self, name: &str, text: &str) -> Result<(), String> {
        let made = rewrite(text).and_then(|rewritten| {
            let value = |name: &str| self.get(name).and_then(|known| known.value.clone());
            let mut made = expression(&rewritten, &value)?;
            // A value that is set twice, or from itself, is a number; so are names that are unknown at this place.
            let is_again = self.values.contains_key(name) || rewritten.names.contains(name);
            if is_again || !rewritten.names.iter().all(|used| self.values.contains_key(used)) {
                let value = made.value.take().ok_or("a name in it is not set")?;
                made = Text { text: text_of(&value), value: Some(value) };
                return Ok((made, BTreeSet::new()));
            }
            let uses = if made.text == rewritten.text { rewritten.names } else { BTreeSet::new() };
            Ok((made, uses))
        });
        match made {
            Ok((text, uses)) => {
                self.unread.remove(name);
                self.put(name, text, uses);
                Ok(())
            }
            Err(problem) => {
                self.forget(name);
                Err(problem)
            }
        }
    }

    pub fn forget(&mut self, name: &str) {
        self.freeze_users(name);
        self.values.remove(name);
        self.unread.insert(name.to_owned());
    }

    fn put(&mut self, name: &str, text: Text, uses: BTreeSet<String>) {
        self.freeze_users(name);
        self.values.insert(name.to_owned(), text);
        self.uses.insert(name.to_owned(), uses);
    }

    /// Expressions that use a name keep the value that it had.
    fn freeze_users(&mut self, name: &str) {
        let users: Vec<String> =
            self.uses.iter().filter(|(_, uses)| uses.contains(name)).map(|(user, _)| user.clone()).collect();
        for user in users {
            if let Some(known) = self.values.get_mut(&user)
                && let Some(value) = &known.value
            {
                known.text = text_of(value);
            }
            self.uses.remove(&user);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Vec<f64> {
        let known = |name: &str| match name {
            "m" => Some(vec![2.0].into()),
            "v" => Some(vec![4.0, 5.0, 6.0].into()),
            "p.g" => Some(vec![9.81].into()),
            _ => None,
        };
        let made = rewrite(text).and_then(|rewritten| expression(&rewritten, &known)).expect(text);
        made.value.expect(text).values
    }

    #[test]
    fn expressions_have_the_value_of_the_other_language() {
        assert_eq!(value("[1 -2]"), [1.0, -2.0]);
        assert_eq!(value("[1 2;3 4]*[1;1]"), [3.0, 7.0]);
        assert_eq!(value("[1 2\n3 4]'"), [1.0, 3.0, 2.0, 4.0]);
        assert_eq!(value("single(0.5)*m"), [1.0]);
        assert_eq!(value("p.g/m % gravity"), [9.81 / 2.0]);
        assert_eq!(value("2^3^2"), [64.0]);
        assert_eq!(value("0x1F"), [31.0]);
        assert_eq!(value("1./4"), [0.25]);
        assert_eq!(value("-Inf"), [f64::NEG_INFINITY]);
        assert_eq!(value("m ~= 2"), [0.0]);
        assert_eq!(value("[v(2:3) 0]"), [5.0, 6.0, 0.0]);
    }

    #[test]
    fn names_stay_and_fields_become_part_of_them() {
        let made = rewrite("1/(J*L) + MPC.Ts").expect("an expression");
        assert_eq!(made.text, "1/(J*L) + MPC_Ts");
        assert_eq!(made.names.into_iter().collect::<Vec<_>>(), ["J", "L", "MPC.Ts"]);
        assert!(rewrite("'text'").is_err());
        assert!(rewrite("{1, 2}").is_err());
    }

    #[test]
    fn a_name_that_is_set_again_keeps_what_was_computed_before() {
        let mut workspace = Workspace::default();
        workspace.assign("a", "2").expect("a");
        workspace.assign("b", "3*a").expect("b");
        assert_eq!(workspace.get("b").map(|b| &*b.text), Some("3*a"));
        workspace.assign("a", "a + 1").expect("a");
        assert_eq!(workspace.get("b").map(|b| &*b.text), Some("6"));
        assert_eq!(workspace.get("a").map(|a| &*a.text), Some("3"));
    }
}
