//! Reads the texts of options as settings: numbers, expressions, choices, texts and formulas.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::language::{
    Expression, ExpressionError, FORMULA_TIME, Formula, Matrix, Names, VariableError, constant, line_values,
    of_expression, quoted,
};
use super::limits::MAX_ELEMENTS;
use super::settings::{CodeSetting, FormulaSetting, Setting, Settings, default_of, limits_text};
use super::{ARGUMENT_LINES, BlockDef, ParamKind};

/// Why a text is not the value of an option.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    #[error("a number is missing")]
    NoNumber,
    #[error("a name is missing")]
    NoName,
    #[error("a formula is missing, such as y = u")]
    NoFormula,
    #[error("“{0}” is not a number")]
    NotANumber(String),
    #[error("“{0}” is not a whole number")]
    NotAnInteger(String),
    #[error("“{0}” is neither 0 nor 1")]
    NotAFlag(String),
    #[error("“{text}” is not one of {}", choices.join(", "))]
    NotAChoice { text: String, choices: &'static [&'static str] },
    /// Several values for an option that has one; `kind` names the expected value.
    #[error("one {kind} is expected, {given} are given")]
    TooMany { kind: &'static str, given: usize },
    #[error("too large: at most {0} values are allowed")]
    TooLong(usize),
    #[error("{value} is outside the limits: {}", limits_text(*.min, *.max))]
    Outside { value: String, min: f64, max: f64 },
    #[error("{}", error.message_for(text.trim()))]
    Expression { text: String, error: ExpressionError },
    /// The place, what is wrong there, and the line with a mark below it.
    #[error("{0}")]
    Code(String),
    #[error("{}: {error}", quoted(text))]
    Formula { text: String, error: ExpressionError },
    #[error("{}: {error}", quoted(text))]
    Variable { text: String, error: VariableError },
    #[error("{0}")]
    UnknownName(ExpressionError),
    #[error("{}: too large: its variables have more than {MAX_ELEMENTS} elements", quoted(.0))]
    LargeVariables(String),
    #[error("“{0}” cannot be an input: the formula defines it already")]
    InputDefined(String),
}

/// An error in the text of an option.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{param}: {problem}")]
pub struct SettingError {
    pub param: &'static str,
    pub problem: ValueError,
}

impl Settings {
    /// Reads the option texts that `texts` returns by parameter name, with the variables of `names`. A parameter
    /// without texts, or with invalid ones, has its default; there is an error for each invalid one. The arguments of code
    /// that are parameters are among the settings.
    pub fn read<'a>(
        def: &'static BlockDef,
        mut texts: impl FnMut(&str) -> Option<Vec<&'a str>>,
        names: &dyn Names,
    ) -> (Settings, Vec<SettingError>) {
        let def = def.with_arguments(&mut texts);
        let mut settings = Settings::defaults(def);
        let mut errors = Vec::new();
        for ((param, value), rows) in def.params.iter().zip(&mut settings.values).zip(&mut settings.rows) {
            let Some(texts) = texts(param.name) else { continue };
            if let (ParamKind::Code { .. }, [text]) = (&param.kind, &texts[..]) {
                // Code with a mistake is kept: it has ports.
                let (code, problem) = CodeSetting::read(text);
                *value = Setting::Code(Arc::new(code));
                let problem = problem.map(|error| ValueError::Code(error.message_in_code(text)));
                errors.extend(problem.map(|problem| SettingError { param: param.name, problem }));
                continue;
            }
            match read_one(&param.kind, &texts, names) {
                Ok(read) => (*value, *rows) = read,
                Err(problem) => errors.push(SettingError { param: param.name, problem }),
            }
        }
        settings.read_formulas(def, &mut texts, names, &mut errors);
        settings.read_arguments(def, &mut texts);
        (settings, errors)
    }

    /// Formulas are read last, since another parameter lists their inputs.
    fn read_formulas<'a>(
        &mut self,
        def: &BlockDef,
        texts: &mut impl FnMut(&str) -> Option<Vec<&'a str>>,
        names: &dyn Names,
        errors: &mut Vec<SettingError>,
    ) {
        for (index, param) in def.params.iter().enumerate() {
            let ParamKind::Formula { default, inputs } = param.kind else { continue };
            let text = texts(param.name).map_or_else(|| default.to_owned(), |texts| texts.join("\n"));
            let inputs = if inputs.is_empty() { "" } else { self.text(inputs) };
            let read = read_formula(&text, inputs, names);
            let is_missing = |formula: &FormulaSetting| formula.formula.lines.is_empty() && !default.is_empty();
            match read.and_then(|read| if is_missing(&read) { Err(ValueError::NoFormula) } else { Ok(read) }) {
                Ok(formula) => self.values[index] = Setting::Formula(Arc::new(formula)),
                Err(problem) => errors.push(SettingError { param: param.name, problem }),
            }
        }
    }

    /// Reads the arguments that have a line in place of an option of their own. A vector with a line is a column.
    fn read_arguments<'a>(&mut self, def: &BlockDef, texts: &mut impl FnMut(&str) -> Option<Vec<&'a str>>) {
        if !def.params.iter().any(|param| param.is_argument) || self.index_of(ARGUMENT_LINES).is_none() {
            return;
        }
        let setting = self.formula(ARGUMENT_LINES);
        let lines = line_values(&setting.formula.lines, &setting.variables);
        for (index, param) in def.params.iter().enumerate().filter(|(_, param)| param.is_argument) {
            let Some(line) = lines.get(param.name) else { continue };
            if texts(param.name).is_none() {
                self.values[index] = Setting::Number(line.clone());
            }
            if let (1, Setting::Number(values)) = (self.rows[index], &self.values[index]) {
                self.rows[index] = values.len().max(1);
            }
        }
    }
}

/// Reads the number of an option text: decimal or scientific, `inf`, `-inf`, `nan`.
///
/// # Errors
/// Fails if the text is not a number.
pub fn parse_number(text: &str) -> Result<f64, ValueError> {
    let trimmed = text.trim();
    trimmed.parse().map_err(|_| match trimmed {
        "" => ValueError::NoNumber,
        _ => ValueError::NotANumber(trimmed.to_owned()),
    })
}

/// Returns the names of a list separated by spaces or commas.
pub fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', ',', '\t', '\n']).filter(|name| !name.is_empty())
}

/// Reads a formula with inputs of these names; the other names are variables.
fn read_formula(text: &str, inputs: &str, names: &dyn Names) -> Result<FormulaSetting, ValueError> {
    let formula = Formula::parse(text).map_err(|error| ValueError::Formula { text: text.to_owned(), error })?;
    let inputs: Vec<String> = names_in(inputs).map(str::to_owned).collect();
    let has_value: HashSet<&str> =
        formula.lines.iter().map(|(line, _)| line.as_str()).chain(formula.states()).collect();
    let mut given: HashSet<&str> = HashSet::new();
    if let Some(name) = inputs.iter().find(|name| has_value.contains(name.as_str()) || !given.insert(name)) {
        return Err(ValueError::InputDefined(name.clone()));
    }
    let mut variables = BTreeMap::new();
    let mut elements = 0;
    for (name, at) in formula.free_names() {
        if given.contains(name) || FORMULA_TIME.contains(&name) {
            continue;
        }
        let value = names.value(name).map_err(|error| ValueError::Variable { text: text.to_owned(), error })?;
        let value = value.map(|value| value.values);
        if let Some(value) = value.or_else(|| constant(name).map(|number| vec![number])) {
            elements += value.len();
            if elements > MAX_ELEMENTS {
                return Err(ValueError::LargeVariables(text.to_owned()));
            }
            variables.insert(name.to_owned(), value);
            continue;
        }
        let mut known: Vec<String> = inputs.iter().cloned().chain(names.names()).collect();
        known.extend(FORMULA_TIME.map(str::to_owned));
        return Err(ValueError::UnknownName(ExpressionError::unknown(at, name, &known)));
    }
    drop(given);
    Ok(FormulaSetting { text: text.to_owned(), formula, inputs, variables })
}

/// Evaluates an option's text: a number, an expression, or a vector or matrix of these without brackets.
///
/// # Errors
/// Fails if the text is none of these.
pub fn values_of(text: &str, names: &dyn Names) -> Result<Matrix, ValueError> {
    let failed = |error: ExpressionError| ValueError::Expression { text: text.to_owned(), error };
    let plain = match parse_number(text) {
        Ok(number) => return Ok(vec![number].into()),
        Err(problem) if text.trim().is_empty() => return Err(problem),
        Err(_) => Expression::parse(text),
    };
    let error = match plain {
        Ok(expression) => return of_expression(&expression, names).map_err(failed),
        Err(error) => error,
    };
    // Brackets around a vector or matrix may be omitted.
    match Expression::parse(&format!("[{text}]")) {
        Err(_) => Err(failed(error)),
        Ok(expression) => of_expression(&expression, names).map_err(|mut error| {
            error.at = error.at.saturating_sub(1);
            failed(error)
        }),
    }
}

/// Reads a setting and its number of rows.
fn read_one(kind: &ParamKind, texts: &[&str], names: &dyn Names) -> Result<(Setting, usize), ValueError> {
    if let ParamKind::Number { .. } = kind {
        return read_numbers(kind, texts, names);
    }
    read_single(kind, texts, names).map(|setting| (setting, 1))
}

fn read_numbers(kind: &ParamKind, texts: &[&str], names: &dyn Names) -> Result<(Setting, usize), ValueError> {
    let ParamKind::Number { min, max, vector, longest, .. } = *kind else { return Ok((default_of(kind), 1)) };
    let (mut all, mut rows) = (Vec::new(), 1);
    for text in texts {
        let value = values_of(text, names)?;
        rows = if texts.len() == 1 { value.rows } else { 1 };
        all.extend(value.values);
        if all.len() > longest {
            return Err(ValueError::TooLong(longest));
        }
    }
    if all.is_empty() {
        return Err(ValueError::NoNumber);
    }
    if !vector && all.len() > 1 {
        return Err(ValueError::TooMany { kind: "number", given: all.len() });
    }
    match all.iter().find(|&&value| value < min || value > max) {
        Some(value) => Err(ValueError::Outside { value: value.to_string(), min, max }),
        None => Ok((Setting::Number(all), rows)),
    }
}

fn read_single(kind: &ParamKind, texts: &[&str], names: &dyn Names) -> Result<Setting, ValueError> {
    let single = || match texts {
        [text] => Ok(text.trim()),
        _ => Err(ValueError::TooMany { kind: "value", given: texts.len() }),
    };
    match *kind {
        ParamKind::Integer { min, max, .. } => {
            let text = single()?;
            // The original program wrote every number as a float.
            let value = match text.parse::<i64>() {
                Ok(value) => value,
                Err(_) => match values_of(text, names)?.values[..] {
                    [value] if value.fract() == 0.0 && value.abs() < 9e15 => value as i64,
                    _ => return Err(ValueError::NotAnInteger(text.to_owned())),
                },
            };
            if value < min || value > max {
                return Err(ValueError::Outside { value: value.to_string(), min: min as f64, max: max as f64 });
            }
            Ok(Setting::Integer(value))
        }
        ParamKind::Choice { of, .. } => {
            let text = single()?;
            let index = of.iter().position(|&choice| choice == text);
            index.map(Setting::Choice).ok_or_else(|| ValueError::NotAChoice { text: text.to_owned(), choices: of })
        }
        ParamKind::Flag { .. } => match single()? {
            "1" | "true" => Ok(Setting::Flag(true)),
            "0" | "false" => Ok(Setting::Flag(false)),
            text => Err(ValueError::NotAFlag(text.to_owned())),
        },
        ParamKind::Text { .. } | ParamKind::File { .. } => match texts {
            [text] => Ok(Setting::Text((*text).to_owned())),
            _ => Err(ValueError::TooMany { kind: "text", given: texts.len() }),
        },
        ParamKind::Tag { .. } => match single()? {
            "" => Err(ValueError::NoName),
            name => Ok(Setting::Text(name.to_owned())),
        },
        ParamKind::Code { .. } => Err(ValueError::TooMany { kind: "text", given: texts.len() }),
        // Numbers and formulas are read elsewhere.
        ParamKind::Number { .. } | ParamKind::Formula { .. } => Ok(default_of(kind)),
    }
}
