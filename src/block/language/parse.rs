//! The parser: from tokens to expressions.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::scan::{Dialect, Placed, Token, is_keyword, plain, scan};
use super::{Binary, Expression, ExpressionError, Formula, Function, Infix, Kind, RATE, Unary};
use crate::block::limits::MAX_DEPTH;
use crate::block::math::{Notation, Precedence};

pub(super) fn expression(text: &str) -> Result<Expression, ExpressionError> {
    let mut parser = Parser::new(text, Dialect::Expression)?;
    parser.tokens.retain(|token| token.token != Token::NewLine);
    let expression = parser.choice()?;
    parser.end()?;
    Ok(expression)
}

pub(super) fn formula(text: &str) -> Result<Formula, ExpressionError> {
    let mut parser = Parser::new(text, Dialect::Expression)?;
    let mut lines: Vec<(String, Expression)> = Vec::new();
    let mut known = HashSet::new();
    loop {
        while parser.takes_sign(";") || parser.takes(&Token::NewLine) {}
        if parser.takes(&Token::End) {
            return Ok(Formula { lines });
        }
        let Placed { token, start, .. } = parser.next();
        let name = match token {
            Token::Name(name) if parser.takes_sign("=") => name,
            Token::Name(name) if parser.takes_sign("'") && parser.takes_sign("=") => format!("{name}{RATE}"),
            _ => return Err(ExpressionError::new(start, "a line of a formula has the form name = expression")),
        };
        if !known.insert(name.clone()) {
            return Err(ExpressionError::new(start, format!("“{name}” is defined already")));
        }
        if Function::by_name(&name).is_some() || super::constant(&name).is_some() {
            return Err(ExpressionError::new(start, format!("“{name}” is a reserved name; choose another one")));
        }
        lines.push((name, parser.choice()?));
        let here = parser.peek();
        if !matches!(here.token, Token::End | Token::NewLine | Token::Sign(";")) {
            return Err(unexpected(here));
        }
    }
}

pub(super) struct Parser {
    tokens: Vec<Placed>,
    pub(super) at: usize,
    depth: usize,
    dialect: Dialect,
    /// Whether the parser is inside a vector, where white space separates elements.
    is_in_vector: bool,
    /// Whether it is inside the arguments of a name, where `end` is the last element.
    is_in_arguments: bool,
}

/// The delimiters of a part of an expression: parentheses, or the brackets of a vector.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brackets {
    Round,
    Square,
}

/// The operands of one level of precedence, of which the last is not parsed yet.
struct Open {
    level: Level,
    first: Expression,
    rest: Vec<(Infix, Expression)>,
    /// The operator before the operand that is not parsed yet.
    op: Infix,
}

/// The levels of operators from loosest to tightest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    EachOr,
    EachAnd,
    Relation,
    Range,
    Sum,
    Product,
}

impl Open {
    fn complete(mut self, last: Expression) -> Expression {
        let at = self.first.at;
        self.rest.push((self.op, last));
        if self.level == Level::Range {
            // The parser sees to it that there are two or three.
            let end = self.rest.pop().map(|(_, end)| end);
            let step = self.rest.pop().map(|(_, step)| step);
            let step = step.unwrap_or(Expression { kind: Kind::Number(1.0), at });
            let end = end.unwrap_or(Expression { kind: Kind::End, at });
            return Expression { kind: Kind::Range(Box::new([self.first, step, end])), at };
        }
        Expression { kind: Kind::Binary(Box::new(self.first), self.rest), at }
    }
}

fn refused(at: usize, problem: &str) -> ExpressionError {
    ExpressionError::new(at, problem)
}

/// The error of a token that begins no value.
fn no_value(token: Token, start: usize) -> ExpressionError {
    match token {
        Token::Sign("{") => refused(start, "lists in { } have no fixed size; use a matrix in [ ]"),
        Token::Sign("@") => refused(start, "functions are no values here; write a function below instead"),
        token => unexpected(&Placed { token, start, end: start, is_apart: false }),
    }
}

pub(super) fn unexpected(here: &Placed) -> ExpressionError {
    let problem = match &here.token {
        Token::End | Token::NewLine => "a value is missing".to_owned(),
        Token::Number(number) => format!("an operator is missing before {number}"),
        Token::Text(text) => format!("an operator is missing before the text “{text}”"),
        Token::Name(name) if is_keyword(name) => format!("“{name}” is not allowed here"),
        Token::Name(name) => format!("an operator is missing before “{name}”"),
        Token::Sign(sign) => format!("“{sign}” is not allowed here"),
    };
    ExpressionError::new(here.start, problem)
}

impl Parser {
    pub(super) fn new(text: &str, dialect: Dialect) -> Result<Parser, ExpressionError> {
        let tokens = scan(text, dialect)?;
        Ok(Parser { tokens, at: 0, depth: 0, dialect, is_in_vector: false, is_in_arguments: false })
    }

    /// The last token is the end, which is never consumed.
    pub(super) fn peek(&self) -> &Placed {
        self.peek_behind(0)
    }

    /// Returns the token behind a number of others.
    pub(super) fn peek_behind(&self, others: usize) -> &Placed {
        &self.tokens[(self.at + others).min(self.tokens.len() - 1)]
    }

    pub(super) fn next(&mut self) -> Placed {
        let here = self.peek().clone();
        self.at += 1;
        here
    }

    pub(super) fn takes(&mut self, token: &Token) -> bool {
        let is_here = self.peek().token == *token;
        self.at += usize::from(is_here);
        is_here
    }

    pub(super) fn takes_sign(&mut self, sign: &'static str) -> bool {
        self.takes(&Token::Sign(sign))
    }

    pub(super) fn wants_sign(&mut self, sign: &'static str) -> Result<(), ExpressionError> {
        if self.takes_sign(sign) {
            return Ok(());
        }
        match self.peek() {
            here if here.token == Token::End => Err(ExpressionError::new(here.start, format!("“{sign}” is missing"))),
            here => Err(unexpected(here)),
        }
    }

    fn is_code(&self) -> bool {
        self.dialect == Dialect::Code
    }

    fn end(&mut self) -> Result<(), ExpressionError> {
        if self.takes(&Token::End) { Ok(()) } else { Err(unexpected(self.peek())) }
    }

    pub(super) fn deeper<T>(
        &mut self,
        parse: impl FnOnce(&mut Parser) -> Result<T, ExpressionError>,
    ) -> Result<T, ExpressionError> {
        if self.depth == MAX_DEPTH {
            return Err(ExpressionError::new(
                self.peek().start,
                format!("this is nested too deeply; at most {MAX_DEPTH} brackets, signs and choices may be nested"),
            ));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    pub(super) fn choice(&mut self) -> Result<Expression, ExpressionError> {
        let condition = self.deeper(Parser::operators)?;
        if self.is_code() || !self.takes_sign("?") {
            return Ok(condition);
        }
        let yes = self.deeper(Parser::choice)?;
        self.wants_sign(":")?;
        let no = self.deeper(Parser::choice)?;
        let at = condition.at;
        Ok(Expression { kind: Kind::Choose(Box::new([condition, yes, no])), at })
    }

    /// Parses any number of operands with operators between them; open levels are kept in a list, not on the stack.
    fn operators(&mut self) -> Result<Expression, ExpressionError> {
        let mut open: Vec<Open> = Vec::new();
        let mut operand = self.sign()?;
        loop {
            let next = self.operator();
            // Levels of higher precedence than the next operator are complete.
            while let Some(last) = open.pop_if(|last| next.is_none_or(|(level, _)| last.level > level)) {
                operand = last.complete(operand);
            }
            let Some((level, op)) = next else { return Ok(operand) };
            match open.last_mut() {
                Some(last) if last.level == level => {
                    if level == Level::Range && last.rest.len() == 1 {
                        return Err(unexpected(self.peek_behind(0)));
                    }
                    last.rest.push((std::mem::replace(&mut last.op, op), operand));
                }
                _ => open.push(Open { level, first: operand, rest: Vec::new(), op }),
            }
            operand = self.sign()?;
        }
    }

    /// Consumes an operator, and returns it with its level.
    fn operator(&mut self) -> Option<(Level, Infix)> {
        let here = self.peek();
        let Token::Sign(sign) = here.token else { return None };
        // In a vector `[1 -2]` has two elements, `[1 - 2]` and `[1-2]` have one.
        let is_apart_behind = self.peek_behind(1).is_apart;
        if self.is_in_vector && here.is_apart && !is_apart_behind && matches!(sign, "+" | "-") {
            return None;
        }
        let of_code = CODE_OPERATORS.iter().find(|(known, ..)| self.is_code() && *known == sign);
        let found = of_code.copied().or_else(|| {
            let found = OPERATORS.iter().find(|(known, ..)| *known == plain(sign))?;
            Some((sign, found.1, found.2))
        })?;
        self.at += 1;
        Some((found.1, found.2))
    }

    fn sign(&mut self) -> Result<Expression, ExpressionError> {
        let start = self.peek().start;
        let op = match self.peek().token {
            Token::Sign("-") => Some(Unary::Neg),
            Token::Sign("!" | "~") => Some(Unary::Not),
            Token::Sign("+") => None,
            _ => return self.power(),
        };
        self.at += 1;
        let of = self.deeper(Parser::sign)?;
        Ok(signed(op, of, start))
    }

    fn power(&mut self) -> Result<Expression, ExpressionError> {
        let base = self.value()?;
        if self.is_code() {
            return self.powers_of_code(base);
        }
        if !self.takes_sign("^") && !self.takes_sign(".^") {
            return Ok(base);
        }
        let exponent = self.deeper(Parser::sign)?;
        Ok(combined(base, Infix::Each(Binary::Pow), exponent))
    }

    /// Parses the powers of a value from left to right, and the signs of transposition.
    fn powers_of_code(&mut self, mut base: Expression) -> Result<Expression, ExpressionError> {
        loop {
            let here = self.peek();
            let is_new_element = self.is_in_vector && here.is_apart;
            match here.token {
                Token::Sign("'" | ".'") if !is_new_element => {
                    self.at += 1;
                    let at = base.at;
                    base = Expression { kind: Kind::Transpose(Box::new(base)), at };
                }
                Token::Sign(sign @ ("^" | ".^")) => {
                    self.at += 1;
                    let op = if sign == "^" { Infix::Power } else { Infix::Each(Binary::Pow) };
                    base = combined(base, op, self.deeper(Parser::exponent)?);
                }
                Token::Sign("(") if !is_new_element => {
                    return Err(refused(here.start, "only a name can have arguments; give the value a name first"));
                }
                _ => return Ok(base),
            }
        }
    }

    /// Parses the exponent of a power in code: a value with any signs before it.
    fn exponent(&mut self) -> Result<Expression, ExpressionError> {
        let start = self.peek().start;
        let op = match self.peek().token {
            Token::Sign("-") => Some(Unary::Neg),
            Token::Sign("!" | "~") => Some(Unary::Not),
            Token::Sign("+") => None,
            _ => return self.value(),
        };
        self.at += 1;
        let of = self.deeper(Parser::exponent)?;
        Ok(signed(op, of, start))
    }

    fn value(&mut self) -> Result<Expression, ExpressionError> {
        let Placed { token, start, .. } = self.next();
        let kind = match token {
            Token::Number(number) => Kind::Number(number),
            Token::Text(text) => Kind::Text(text),
            Token::Name(name) if self.is_code() && name == "end" && self.is_in_arguments => Kind::End,
            Token::Name(name) if !self.is_code() || !is_keyword(&name) => return self.named(name, start),
            Token::Sign("(") => return self.bracketed(start),
            Token::Sign("[") => return self.vector(start),
            token => return Err(no_value(token, start)),
        };
        Ok(Expression { kind, at: start })
    }

    fn bracketed(&mut self, start: usize) -> Result<Expression, ExpressionError> {
        let inner = self.inside(Parser::choice, Brackets::Round)?;
        self.wants_sign(")")?;
        Ok(Expression { at: start, ..inner })
    }

    fn vector(&mut self, start: usize) -> Result<Expression, ExpressionError> {
        let rows = self.inside(Parser::rows, Brackets::Square)?;
        self.wants_sign("]")?;
        Ok(Expression { kind: Kind::Vector(rows), at: start })
    }

    fn inside<T>(
        &mut self,
        parse: impl FnOnce(&mut Parser) -> Result<T, ExpressionError>,
        brackets: Brackets,
    ) -> Result<T, ExpressionError> {
        let before = std::mem::replace(&mut self.is_in_vector, brackets == Brackets::Square);
        let parsed = self.deeper(parse);
        self.is_in_vector = before;
        parsed
    }

    /// Parses a name, a function with its arguments, or elements of a variable.
    fn named(&mut self, name: String, start: usize) -> Result<Expression, ExpressionError> {
        let name = self.with_fields(name);
        let next = self.peek();
        let is_called = next.token == Token::Sign("(") && !(self.is_in_vector && next.is_apart);
        if !is_called {
            return match Function::by_name(&name) {
                Some(function) if !self.is_code() => {
                    Err(ExpressionError::new(start, format!("“{name}” is a function, written {}", function.doc)))
                }
                _ => Ok(Expression { kind: Kind::Name(name), at: start }),
            };
        }
        self.at += 1;
        let parts = self.argument_list()?;
        let function = if self.is_code() { None } else { Function::by_name(&name) };
        let Some(function) = function else {
            let is_element = self.is_code() || parts.len() == 1;
            return match is_element {
                true => Ok(Expression { kind: Kind::Apply(name, parts), at: start }),
                false => Err(refused(start, &format!("there is no function “{name}”"))),
            };
        };
        if let Some(problem) = function.problem_with(parts.len(), false) {
            return Err(refused(start, &problem));
        }
        Ok(Expression { kind: Kind::Call(function, parts), at: start })
    }

    /// Adds the fields of a structure to its name: `motor.speed` is one name.
    pub(super) fn with_fields(&mut self, mut name: String) -> String {
        while self.is_code() && self.peek().token == Token::Sign(".") && !self.peek().is_apart {
            let Token::Name(field) = &self.peek_behind(1).token else { break };
            name = format!("{name}.{field}");
            self.at += 2;
        }
        name
    }

    /// Parses arguments up to the closing bracket.
    pub(super) fn argument_list(&mut self) -> Result<Vec<Expression>, ExpressionError> {
        let before = std::mem::replace(&mut self.is_in_arguments, true);
        let parts = self.inside(Parser::arguments, Brackets::Round);
        self.is_in_arguments = before;
        let parts = parts?;
        self.wants_sign(")")?;
        Ok(parts)
    }

    fn arguments(&mut self) -> Result<Vec<Expression>, ExpressionError> {
        let mut parts = Vec::new();
        if self.peek().token == Token::Sign(")") {
            return Ok(parts);
        }
        loop {
            let start = self.peek().start;
            let is_all =
                self.peek().token == Token::Sign(":") && matches!(self.peek_behind(1).token, Token::Sign("," | ")"));
            if self.is_code() && is_all {
                self.at += 1;
                parts.push(Expression { kind: Kind::All, at: start });
            } else {
                parts.push(self.choice()?);
            }
            if !self.takes_sign(",") {
                return Ok(parts);
            }
        }
    }

    /// Parses the rows of a vector or matrix, none of which is empty.
    fn rows(&mut self) -> Result<Vec<Vec<Expression>>, ExpressionError> {
        let mut rows: Vec<Vec<Expression>> = Vec::new();
        let mut is_new = true;
        loop {
            loop {
                let ends_row = self.takes_sign(";") || self.takes(&Token::NewLine);
                is_new |= ends_row;
                if !ends_row && !self.takes_sign(",") {
                    break;
                }
            }
            if matches!(self.peek().token, Token::Sign("]") | Token::End) {
                return Ok(rows);
            }
            let first = self.choice()?;
            let part = if self.is_code() { first } else { self.range(first)? };
            match rows.last_mut() {
                Some(row) if !is_new => row.push(part),
                _ => rows.push(vec![part]),
            }
            is_new = false;
            let here = self.peek();
            let is_between = matches!(here.token, Token::Sign("," | ";" | "]") | Token::NewLine | Token::End);
            if !is_between && !here.is_apart {
                return Err(unexpected(here));
            }
        }
    }

    /// Parses the rest of `first:last` or `first:step:last` after the first value, if there is one.
    fn range(&mut self, first: Expression) -> Result<Expression, ExpressionError> {
        if !self.takes_sign(":") {
            return Ok(first);
        }
        let second = self.choice()?;
        let (step, last) = match self.takes_sign(":") {
            true => (second, self.choice()?),
            false => (Expression { kind: Kind::Number(1.0), at: second.at }, second),
        };
        let at = first.at;
        Ok(Expression { kind: Kind::Range(Box::new([first, step, last])), at })
    }
}

/// Returns a value with a sign before it.
fn signed(op: Option<Unary>, of: Expression, at: usize) -> Expression {
    match (op, of.kind) {
        (Some(Unary::Neg), Kind::Number(number)) => Expression { kind: Kind::Number(-number), at },
        (Some(op), kind) => Expression { kind: Kind::Unary(op, Box::new(Expression { kind, at: of.at })), at },
        (None, kind) => Expression { kind, at },
    }
}

fn combined(left: Expression, op: Infix, right: Expression) -> Expression {
    let at = left.at;
    Expression { kind: Kind::Binary(Box::new(left), vec![(op, right)]), at }
}

/// The operators that code has in addition, or reads otherwise.
const CODE_OPERATORS: &[(&str, Level, Infix)] = &[
    ("|", Level::EachOr, Infix::Each(Binary::Or)),
    ("&", Level::EachAnd, Infix::Each(Binary::And)),
    (":", Level::Range, Infix::Range),
    ("*", Level::Product, Infix::Product),
    ("/", Level::Product, Infix::RightDivide),
    ("\\", Level::Product, Infix::LeftDivide),
];

/// The binary operators of the table that are read from left to right: all but powers.
static OPERATORS: LazyLock<Vec<(&str, Level, Infix)>> = LazyLock::new(|| {
    let operator = |&op: &Binary| {
        let Notation::Infix(sign, precedence) = op.row().notation else { return None };
        let level = match precedence {
            Precedence::Or => Level::Or,
            Precedence::And => Level::And,
            Precedence::Relation => Level::Relation,
            Precedence::Sum => Level::Sum,
            Precedence::Product => Level::Product,
            Precedence::Power => return None,
        };
        Some((sign, level, Infix::Each(op)))
    };
    Binary::ALL.iter().filter_map(operator).collect()
});
