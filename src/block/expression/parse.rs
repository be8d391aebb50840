//! The parser: from tokens to expressions.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::scan::{Placed, Token, scan};
use super::{Binary, Expression, ExpressionError, Formula, Function, Kind, RATE, Unary};
use crate::block::limits::MAX_DEPTH;
use crate::block::math::{Notation, Precedence};

pub(super) fn expression(text: &str) -> Result<Expression, ExpressionError> {
    let mut parser = Parser::new(text)?;
    parser.tokens.retain(|token| token.token != Token::NewLine);
    let expression = parser.choice()?;
    parser.end()?;
    Ok(expression)
}

pub(super) fn formula(text: &str) -> Result<Formula, ExpressionError> {
    let mut parser = Parser::new(text)?;
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

struct Parser {
    tokens: Vec<Placed>,
    at: usize,
    depth: usize,
    /// Whether the parser is inside a vector, where white space separates elements.
    is_in_vector: bool,
}

/// The delimiters of a part of an expression: parentheses, or the brackets of a vector.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brackets {
    Round,
    Square,
}

/// The operands of one level of precedence, of which the last is not parsed yet.
struct Open {
    level: Precedence,
    first: Expression,
    rest: Vec<(Binary, Expression)>,
    /// The operator before the operand that is not parsed yet.
    op: Binary,
}

impl Open {
    fn complete(mut self, last: Expression) -> Expression {
        let at = self.first.at;
        self.rest.push((self.op, last));
        Expression { kind: Kind::Binary(Box::new(self.first), self.rest), at }
    }
}

fn unexpected(here: &Placed) -> ExpressionError {
    let problem = match &here.token {
        Token::End | Token::NewLine => "a value is missing".to_owned(),
        Token::Number(number) => format!("an operator is missing before {number}"),
        Token::Name(name) => format!("an operator is missing before “{name}”"),
        Token::Sign(sign) => format!("“{sign}” is not allowed here"),
    };
    ExpressionError::new(here.start, problem)
}

impl Parser {
    fn new(text: &str) -> Result<Parser, ExpressionError> {
        Ok(Parser { tokens: scan(text)?, at: 0, depth: 0, is_in_vector: false })
    }

    /// The last token is the end, which is never consumed.
    fn peek(&self) -> &Placed {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Placed {
        let here = self.peek().clone();
        self.at += 1;
        here
    }

    fn takes(&mut self, token: &Token) -> bool {
        let is_here = self.peek().token == *token;
        self.at += usize::from(is_here);
        is_here
    }

    fn takes_sign(&mut self, sign: &'static str) -> bool {
        self.takes(&Token::Sign(sign))
    }

    fn wants_sign(&mut self, sign: &'static str) -> Result<(), ExpressionError> {
        if self.takes_sign(sign) {
            return Ok(());
        }
        match self.peek() {
            here if here.token == Token::End => Err(ExpressionError::new(here.start, format!("“{sign}” is missing"))),
            here => Err(unexpected(here)),
        }
    }

    fn end(&mut self) -> Result<(), ExpressionError> {
        if self.takes(&Token::End) { Ok(()) } else { Err(unexpected(self.peek())) }
    }

    fn deeper<T>(
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

    fn choice(&mut self) -> Result<Expression, ExpressionError> {
        let condition = self.deeper(Parser::operators)?;
        if !self.takes_sign("?") {
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
                    last.rest.push((std::mem::replace(&mut last.op, op), operand));
                }
                _ => open.push(Open { level, first: operand, rest: Vec::new(), op }),
            }
            operand = self.sign()?;
        }
    }

    /// Consumes an operator, and returns it with its level.
    fn operator(&mut self) -> Option<(Precedence, Binary)> {
        let here = self.peek();
        let Token::Sign(sign) = here.token else { return None };
        // In a vector `[1 -2]` has two elements, `[1 - 2]` and `[1-2]` have one.
        let is_apart_behind = self.tokens.get(self.at + 1).is_none_or(|next| next.is_apart);
        if self.is_in_vector && here.is_apart && !is_apart_behind && matches!(sign, "+" | "-") {
            return None;
        }
        let found = OPERATORS.iter().find(|(known, ..)| *known == sign)?;
        self.at += 1;
        Some((found.1, found.2))
    }

    fn sign(&mut self) -> Result<Expression, ExpressionError> {
        let start = self.peek().start;
        let op = match self.peek().token {
            Token::Sign("-") => Some(Unary::Neg),
            Token::Sign("!") => Some(Unary::Not),
            Token::Sign("+") => None,
            _ => return self.power(),
        };
        self.at += 1;
        let of = self.deeper(Parser::sign)?;
        let at = start;
        Ok(match (op, of.kind) {
            (Some(Unary::Neg), Kind::Number(number)) => Expression { kind: Kind::Number(-number), at },
            (Some(op), kind) => Expression { kind: Kind::Unary(op, Box::new(Expression { kind, at: of.at })), at },
            (None, kind) => Expression { kind, at },
        })
    }

    fn power(&mut self) -> Result<Expression, ExpressionError> {
        let base = self.value()?;
        if !self.takes_sign("^") {
            return Ok(base);
        }
        let exponent = self.deeper(Parser::sign)?;
        let at = base.at;
        Ok(Expression { kind: Kind::Binary(Box::new(base), vec![(Binary::Pow, exponent)]), at })
    }

    fn value(&mut self) -> Result<Expression, ExpressionError> {
        let here = self.next();
        let start = here.start;
        let kind = match here.token {
            Token::Number(number) => Kind::Number(number),
            Token::Name(name) => return self.named(name, start),
            Token::Sign("(") => {
                let inner = self.inside(Parser::choice, Brackets::Round)?;
                self.wants_sign(")")?;
                return Ok(Expression { at: start, ..inner });
            }
            Token::Sign("[") => {
                let rows = self.inside(Parser::rows, Brackets::Square)?;
                self.wants_sign("]")?;
                Kind::Vector(rows)
            }
            _ => return Err(unexpected(&here)),
        };
        Ok(Expression { kind, at: start })
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

    /// Parses a name, a function with its arguments, or an element of a vector.
    fn named(&mut self, name: String, start: usize) -> Result<Expression, ExpressionError> {
        let next = self.peek();
        let is_called = next.token == Token::Sign("(") && !(self.is_in_vector && next.is_apart);
        if !is_called {
            return match Function::by_name(&name) {
                Some(function) => {
                    Err(ExpressionError::new(start, format!("“{name}” is a function, written {}", function.doc)))
                }
                None => Ok(Expression { kind: Kind::Name(name), at: start }),
            };
        }
        self.at += 1;
        let mut parts = self.inside(Parser::arguments, Brackets::Round)?;
        self.wants_sign(")")?;
        let Some(function) = Function::by_name(&name) else {
            return match (parts.pop(), parts.is_empty()) {
                (Some(index), true) => Ok(Expression { kind: Kind::Element(name, Box::new(index)), at: start }),
                _ => Err(ExpressionError::new(start, format!("there is no function “{name}”"))),
            };
        };
        let (least, most) = function.arguments();
        if !(least..=most).contains(&parts.len()) {
            let problem = format!("{} arguments are given; it is written {}", parts.len(), function.doc);
            return Err(ExpressionError::new(start, problem));
        }
        Ok(Expression { kind: Kind::Call(function, parts), at: start })
    }

    fn arguments(&mut self) -> Result<Vec<Expression>, ExpressionError> {
        let mut parts = Vec::new();
        if self.peek().token == Token::Sign(")") {
            return Ok(parts);
        }
        loop {
            parts.push(self.choice()?);
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
            let part = self.range(first)?;
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

/// The binary operators of the table that are read from left to right: all but powers.
static OPERATORS: LazyLock<Vec<(&str, Precedence, Binary)>> = LazyLock::new(|| {
    let operator = |&op: &Binary| match op.row().notation {
        Notation::Infix(sign, precedence) if precedence < Precedence::Power => Some((sign, precedence, op)),
        _ => None,
    };
    Binary::ALL.iter().filter_map(operator).collect()
});
