//! Code: functions made of statements, in the common subset of MATLAB, Octave and Scilab.

use std::collections::BTreeSet;

use super::parse::{Parser, unexpected};
use super::scan::{Dialect, Token};
use super::{Binary, Expression, ExpressionError, Infix, Kind};

/// The functions of a text: the first one is run, the others are called by it.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub functions: Vec<FunctionDef>,
    /// The indices of the first characters of the lines behind the first one.
    lines: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FunctionDef {
    /// Empty for a text without the line `function`.
    pub name: String,
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    pub body: Vec<Statement>,
    /// The index of its first character, from 0.
    pub at: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    pub kind: StatementKind,
    /// The index of its first character, from 0.
    pub at: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// The targets take the results of the expression, of which a call may have several.
    Assign(Vec<Target>, Expression),
    /// A call without a result, such as `error('…')`.
    Call(Expression),
    /// The conditions with their branches, and the branch where none holds.
    If(Vec<(Expression, Vec<Statement>)>, Vec<Statement>),
    /// The value, the cases with their branches, and the branch where none fits.
    Switch(Expression, Vec<(Vec<Expression>, Vec<Statement>)>, Vec<Statement>),
    For(String, Expression, Vec<Statement>),
    While(Expression, Vec<Statement>),
    Break,
    Continue,
    Return,
    /// Variables that keep their values between steps, with initial values where they are given.
    Persistent(Vec<(String, Option<Expression>)>),
}

/// What an assignment sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The variable; none for `~`, which drops a result.
    pub name: Option<String>,
    /// The elements; none for the whole variable.
    pub index: Option<Vec<Expression>>,
    pub at: usize,
}

impl Program {
    /// Parses functions, or the statements of a single one. Of statements alone, the names that they read before they set
    /// them are the inputs, and the names that they set are the outputs, but those that begin with `_`.
    ///
    /// # Errors
    /// Fails if the text is no such code.
    pub fn parse(text: &str) -> Result<Program, ExpressionError> {
        let mut parser = Parser::new(text, Dialect::Code)?;
        parser.skip_separators();
        let lines = text.chars().enumerate().filter(|(_, of)| *of == '\n').map(|(at, _)| at + 1).collect();
        let mut functions = Vec::new();
        if !parser.is_word("function") {
            let at = parser.peek().start;
            let body = parser.block()?;
            parser.wants_end()?;
            return Ok(Program { functions: vec![of_body(body, at)], lines });
        }
        while !parser.takes(&Token::End) {
            functions.push(parser.function()?);
            parser.skip_separators();
        }
        for (index, function) in functions.iter().enumerate() {
            if functions[..index].iter().any(|other| other.name == function.name) {
                let problem = format!("there are two functions “{}”", function.name);
                return Err(ExpressionError::new(function.at, problem));
            }
        }
        Ok(Program { functions, lines })
    }

    /// Returns the inputs and outputs of the function that is run: also of code with mistakes below its first line, so that
    /// a block keeps its ports while its code is written.
    pub fn signature(text: &str) -> (Vec<String>, Vec<String>) {
        let program = Program::parse(text).or_else(|error| {
            let head = text.trim_start().split_inclusive('\n').scan(true, |goes_on, line| {
                let is_shown = *goes_on;
                *goes_on = line.contains("...");
                is_shown.then_some(line)
            });
            let head: String = head.collect();
            if head.starts_with("function") { Program::parse(&head) } else { Err(error) }
        });
        match program {
            Ok(mut program) => {
                let main = program.functions.swap_remove(0);
                (main.inputs, main.outputs)
            }
            Err(_) => (Vec::new(), Vec::new()),
        }
    }

    /// Returns the number of the line of a character, from 1.
    pub fn line_of(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at) + 1
    }

    /// The function that is run.
    pub fn main(&self) -> &FunctionDef {
        &self.functions[0]
    }

    pub fn function(&self, name: &str) -> Option<&FunctionDef> {
        self.functions.iter().find(|function| function.name == name)
    }
}

/// Returns the function of statements without a head.
fn of_body(body: Vec<Statement>, at: usize) -> FunctionDef {
    let mut names = Names::default();
    names.read_block(&body);
    let is_inner = |name: &String| name.starts_with('_');
    let outputs = names.set.iter().filter(|name| !is_inner(name)).cloned().collect();
    FunctionDef { name: String::new(), inputs: names.free, outputs, body, at }
}

/// The names that statements use, in the order of their first use.
#[derive(Default)]
struct Names {
    set: Vec<String>,
    free: Vec<String>,
    known: BTreeSet<String>,
}

impl Names {
    fn read(&mut self, expression: &Expression) {
        expression.each_name(&mut |name, _| {
            // Of a field the structure counts.
            let name = name.split('.').next().unwrap_or(name);
            let is_function = super::Function::of_code(name).is_some() || super::call::instead_of(name).is_some();
            let is_known = super::is_predefined(name) || is_function;
            if !is_known && self.known.insert(name.to_owned()) {
                self.free.push(name.to_owned());
            }
        });
    }

    fn sets(&mut self, name: &str) {
        let name = name.split('.').next().unwrap_or(name);
        if self.known.insert(name.to_owned()) {
            self.set.push(name.to_owned());
        }
    }

    fn read_block(&mut self, block: &[Statement]) {
        for statement in block {
            match &statement.kind {
                StatementKind::Assign(targets, value) => {
                    self.read(value);
                    for target in targets {
                        target.index.iter().flatten().for_each(|index| self.read(index));
                        target.name.iter().for_each(|name| self.sets(name));
                    }
                }
                StatementKind::Call(call) => self.read(call),
                StatementKind::If(branches, otherwise) => {
                    for (condition, branch) in branches {
                        self.read(condition);
                        self.read_block(branch);
                    }
                    self.read_block(otherwise);
                }
                StatementKind::Switch(value, cases, otherwise) => {
                    self.read(value);
                    for (values, branch) in cases {
                        values.iter().for_each(|value| self.read(value));
                        self.read_block(branch);
                    }
                    self.read_block(otherwise);
                }
                StatementKind::For(name, range, body) => {
                    self.read(range);
                    self.known.insert(name.clone());
                    self.read_block(body);
                }
                StatementKind::While(condition, body) => {
                    self.read(condition);
                    self.read_block(body);
                }
                StatementKind::Persistent(variables) => {
                    self.known.extend(variables.iter().map(|(name, _)| name.clone()));
                }
                StatementKind::Break | StatementKind::Continue | StatementKind::Return => {}
            }
        }
    }
}

impl Parser {
    fn is_word(&self, word: &str) -> bool {
        matches!(&self.peek().token, Token::Name(name) if name == word)
    }

    fn takes_word(&mut self, words: &[&str]) -> bool {
        let is_here = words.iter().any(|word| self.is_word(word));
        self.at += usize::from(is_here);
        is_here
    }

    fn skip_separators(&mut self) {
        while self.takes_sign(";") || self.takes_sign(",") || self.takes(&Token::NewLine) {}
    }

    fn wants_end(&mut self) -> Result<(), ExpressionError> {
        let here = self.peek();
        match &here.token {
            Token::End => Ok(()),
            Token::Name(name) if name == "function" => {
                Err(ExpressionError::new(here.start, "code with functions begins with the line of the first one"))
            }
            Token::Name(name) => Err(ExpressionError::new(here.start, format!("there is nothing that “{name}” ends"))),
            _ => Err(unexpected(here)),
        }
    }

    fn name(&mut self, what: &str) -> Result<String, ExpressionError> {
        let here = self.next();
        match here.token {
            Token::Name(name) if !super::scan::is_keyword(&name) => Ok(name),
            _ => Err(ExpressionError::new(here.start, format!("{what} is missing"))),
        }
    }

    /// Parses `function [a, b] = name(x, y)` with its body, and an `end` if there is one.
    fn function(&mut self) -> Result<FunctionDef, ExpressionError> {
        let at = self.peek().start;
        if !self.takes_word(&["function"]) {
            return Err(ExpressionError::new(at, "behind a function only another one is allowed"));
        }
        let mut outputs = Vec::new();
        let mut name = String::new();
        if self.takes_sign("[") {
            while !self.takes_sign("]") {
                outputs.push(self.name("the name of a result")?);
                self.takes_sign(",");
            }
            self.wants_sign("=")?;
        } else {
            name = self.name("the name of the function")?;
            if self.takes_sign("=") {
                outputs.push(std::mem::take(&mut name));
            }
        }
        if name.is_empty() {
            name = self.name("the name of the function")?;
        }
        let mut inputs = Vec::new();
        if self.takes_sign("(") && !self.takes_sign(")") {
            loop {
                match self.takes_sign("~") || self.takes_sign("!") {
                    true => inputs.push(format!("_{}", inputs.len() + 1)),
                    false => inputs.push(self.name("the name of an argument")?),
                }
                if !self.takes_sign(",") {
                    self.wants_sign(")")?;
                    break;
                }
            }
        }
        for (names, what) in [(&inputs, "arguments"), (&outputs, "results")] {
            let mut numbered = names.iter().enumerate();
            if let Some((_, name)) = numbered.find(|(index, name)| names[..*index].contains(name)) {
                let problem = format!("two {what} are called “{name}”");
                return Err(ExpressionError::new(at, problem));
            }
        }
        let body = self.block()?;
        if !self.takes_word(&["end", "endfunction"]) && !self.is_word("function") {
            self.wants_end()?;
        }
        Ok(FunctionDef { name, inputs, outputs, body, at })
    }

    /// Parses statements up to a word that ends them.
    fn block(&mut self) -> Result<Vec<Statement>, ExpressionError> {
        const ENDS: [&str; 13] = [
            "end",
            "endif",
            "endfor",
            "endparfor",
            "endwhile",
            "endswitch",
            "endfunction",
            "else",
            "elseif",
            "case",
            "otherwise",
            "function",
            "until",
        ];
        let mut statements = Vec::new();
        loop {
            self.skip_separators();
            let here = self.peek();
            let is_end = matches!(&here.token, Token::Name(name) if ENDS.contains(&name.as_str()));
            if is_end || here.token == Token::End {
                return Ok(statements);
            }
            statements.push(self.deeper(Parser::statement)?);
            let here = self.peek();
            let is_between = matches!(here.token, Token::End | Token::NewLine | Token::Sign(";" | ","))
                || matches!(&here.token, Token::Name(name) if ENDS.contains(&name.as_str()))
                || statements.last().is_some_and(|last| last.is_compound());
            if !is_between {
                return Err(unexpected(here));
            }
        }
    }

    fn statement(&mut self) -> Result<Statement, ExpressionError> {
        let here = self.peek().clone();
        let at = here.start;
        let word = match &here.token {
            Token::Name(name) => name.as_str(),
            _ => "",
        };
        let is_keyword = super::scan::is_keyword(word);
        self.at += usize::from(is_keyword);
        let kind = match word {
            "if" => self.branches()?,
            "switch" | "select" => self.switch()?,
            "for" | "parfor" => self.repeated()?,
            "while" => {
                let condition = self.condition(&["do", "then"])?;
                let body = self.block()?;
                self.wants_word(&["end", "endwhile"], at, "while")?;
                StatementKind::While(condition, body)
            }
            "break" => StatementKind::Break,
            "continue" => StatementKind::Continue,
            "return" => StatementKind::Return,
            "persistent" => StatementKind::Persistent(self.persistent()?),
            "global" => {
                let problem = "global variables are not seen by a block; make it an input or a persistent variable";
                return Err(ExpressionError::new(at, problem));
            }
            "do" => return Err(ExpressionError::new(at, "“do … until” is not known; write while true … break … end")),
            "try" => {
                return Err(ExpressionError::new(at, "“try” is not known: no statement here raises an error to catch"));
            }
            _ if is_keyword => return Err(unexpected(&here)),
            _ => self.simple()?,
        };
        Ok(Statement { kind, at })
    }

    fn wants_word(&mut self, words: &[&str], at: usize, of: &str) -> Result<(), ExpressionError> {
        if self.takes_word(words) {
            return Ok(());
        }
        match self.peek() {
            here if here.token == Token::End => {
                Err(ExpressionError::new(at, format!("the “end” of this “{of}” is missing")))
            }
            here => Err(unexpected(here)),
        }
    }

    /// Parses a condition and a word of Scilab or Octave behind it.
    fn condition(&mut self, words: &[&str]) -> Result<Expression, ExpressionError> {
        let condition = self.choice()?;
        self.takes_sign(",");
        self.takes_word(words);
        Ok(condition)
    }

    fn branches(&mut self) -> Result<StatementKind, ExpressionError> {
        let at = self.peek().start;
        let mut branches = vec![(self.condition(&["then"])?, self.block()?)];
        let mut otherwise = Vec::new();
        loop {
            if self.takes_word(&["elseif"]) {
                branches.push((self.condition(&["then"])?, self.block()?));
                continue;
            }
            if self.takes_word(&["else"]) {
                otherwise = self.block()?;
            }
            self.wants_word(&["end", "endif"], at, "if")?;
            return Ok(StatementKind::If(branches, otherwise));
        }
    }

    fn switch(&mut self) -> Result<StatementKind, ExpressionError> {
        let at = self.peek().start;
        let value = self.condition(&["do"])?;
        let (mut cases, mut otherwise) = (Vec::new(), Vec::new());
        self.skip_separators();
        while self.takes_word(&["case"]) {
            let values = match self.takes_sign("{") {
                true => {
                    let mut values = Vec::new();
                    while !self.takes_sign("}") {
                        values.push(self.choice()?);
                        let _ = self.takes_sign(",") || self.takes_sign(";");
                    }
                    values
                }
                false => vec![self.choice()?],
            };
            self.takes_sign(",");
            self.takes_word(&["then"]);
            cases.push((values, self.block()?));
        }
        if self.takes_word(&["otherwise", "else"]) {
            otherwise = self.block()?;
        }
        self.wants_word(&["end", "endswitch"], at, "switch")?;
        Ok(StatementKind::Switch(value, cases, otherwise))
    }

    fn repeated(&mut self) -> Result<StatementKind, ExpressionError> {
        let at = self.peek().start;
        let is_in_brackets = self.takes_sign("(");
        let name = self.name("the variable of the loop")?;
        self.wants_sign("=")?;
        let range = self.choice()?;
        if is_in_brackets {
            self.wants_sign(")")?;
        }
        self.takes_sign(",");
        self.takes_word(&["do", "then"]);
        let body = self.block()?;
        self.wants_word(&["end", "endfor", "endparfor"], at, "for")?;
        Ok(StatementKind::For(name, range, body))
    }

    fn persistent(&mut self) -> Result<Vec<(String, Option<Expression>)>, ExpressionError> {
        let mut variables = Vec::new();
        while let Token::Name(_) = self.peek().token {
            let name = self.name("the name of a variable")?;
            let initial = if self.takes_sign("=") { Some(self.choice()?) } else { None };
            variables.push((name, initial));
        }
        Ok(variables)
    }

    /// Parses an assignment or a call.
    fn simple(&mut self) -> Result<StatementKind, ExpressionError> {
        if self.peek().token == Token::Sign("[") && self.is_list_of_targets() {
            self.at += 1;
            let mut targets = Vec::new();
            while !self.takes_sign("]") {
                targets.push(match self.peek().token {
                    Token::Sign("~" | "!") => Target { name: None, index: None, at: self.next().start },
                    _ => self.target()?,
                });
                self.takes_sign(",");
            }
            self.wants_sign("=")?;
            return Ok(StatementKind::Assign(targets, self.choice()?));
        }
        let start = self.at;
        if let Token::Name(_) = self.peek().token {
            let target = self.target()?;
            let sign = self.peek().token.clone();
            let op = match sign {
                Token::Sign("=") => None,
                Token::Sign("+=") => Some(Infix::Each(Binary::Add)),
                Token::Sign("-=") => Some(Infix::Each(Binary::Sub)),
                Token::Sign("*=") => Some(Infix::Product),
                Token::Sign("/=") => Some(Infix::RightDivide),
                Token::Sign("^=") => Some(Infix::Power),
                Token::Sign(sign @ ("+" | "-")) if self.peek_behind(1).token == Token::Sign(sign) => {
                    let op = if sign == "+" { Binary::Add } else { Binary::Sub };
                    self.at += 2;
                    let one = Expression { kind: Kind::Number(1.0), at: target.at };
                    return Ok(combined_assignment(target, Infix::Each(op), one));
                }
                _ => {
                    self.at = start;
                    return Ok(StatementKind::Call(self.choice()?));
                }
            };
            self.at += 1;
            let value = self.choice()?;
            return Ok(match op {
                None => StatementKind::Assign(vec![target], value),
                Some(op) => combined_assignment(target, op, value),
            });
        }
        Ok(StatementKind::Call(self.choice()?))
    }

    /// Whether the bracket that opens here closes before the sign of an assignment.
    fn is_list_of_targets(&self) -> bool {
        let mut depth = 0;
        for behind in 0.. {
            match self.peek_behind(behind).token {
                Token::Sign("[" | "(" | "{") => depth += 1,
                Token::Sign("]" | ")" | "}") => depth -= 1,
                Token::End | Token::NewLine => return false,
                _ => {}
            }
            if depth == 0 {
                return self.peek_behind(behind + 1).token == Token::Sign("=");
            }
        }
        false
    }

    fn target(&mut self) -> Result<Target, ExpressionError> {
        let at = self.peek().start;
        let name = self.name("the name of a variable")?;
        let name = self.with_fields(name);
        let index = if self.takes_sign("(") { Some(self.argument_list()?) } else { None };
        Ok(Target { name: Some(name), index, at })
    }
}

impl Statement {
    /// Whether it ends with a word, behind which the next statement may follow at once.
    fn is_compound(&self) -> bool {
        use StatementKind::{For, If, Switch, While};
        matches!(self.kind, If(..) | Switch(..) | For(..) | While(..))
    }
}

/// Returns `x = x op value`.
fn combined_assignment(target: Target, op: Infix, value: Expression) -> StatementKind {
    let at = target.at;
    let name = target.name.clone().unwrap_or_default();
    let kind = match &target.index {
        Some(index) => Kind::Apply(name, index.clone()),
        None => Kind::Name(name),
    };
    let before = Expression { kind, at };
    let value = Expression { kind: Kind::Binary(Box::new(before), vec![(op, value)]), at };
    StatementKind::Assign(vec![target], value)
}
