//! The settings of a block, read from its option texts.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::expression::{Expression, ExpressionError, Formula, Matrix, Names, constant, of_expression, quoted};
use super::limits::MAX_ELEMENTS;
use super::{BlockDef, ParamDef, ParamKind};

/// One value for each parameter of a block, in the order of its definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    def: &'static [ParamDef],
    values: Vec<Setting>,
    /// For each parameter the number of rows of its numbers, 1 for a vector or scalar.
    rows: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    Number(Vec<f64>),
    Integer(i64),
    /// The index in the definition's list of choices.
    Choice(usize),
    Flag(bool),
    Text(String),
    Formula(Arc<FormulaSetting>),
}

/// A formula with the values of its variables.
#[derive(Debug, PartialEq)]
pub struct FormulaSetting {
    pub text: String,
    pub formula: Formula,
    /// The names of the inputs, in the order of the ports.
    pub inputs: Vec<String>,
    pub variables: BTreeMap<String, Vec<f64>>,
}

const MISSING: &str = "a formula is missing, such as y = u";

/// The predefined names of a formula: the time and the step size, in seconds.
pub const FORMULA_TIME: [&str; 2] = ["t", "dt"];

/// An error in the text of an option.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{param}: {problem}")]
pub struct SettingError {
    pub param: &'static str,
    pub problem: String,
}

impl Settings {
    pub fn defaults(def: &BlockDef) -> Settings {
        let values = def.params.iter().map(|param| default_of(&param.kind)).collect();
        Settings { def: def.params, values, rows: vec![1; def.params.len()] }
    }

    /// Returns the settings with another value of one parameter.
    ///
    /// # Panics
    /// Panics if the definition has no parameter of that name, or one of another kind than the value.
    #[must_use]
    pub fn with(mut self, name: &str, value: Setting) -> Settings {
        let index = self.index_of(name);
        let Some(index) = index else { panic!("the block has no parameter {name:?}") };
        assert!(value.is_of(&self.def[index].kind), "{name:?} is of another kind than {value:?}");
        (self.values[index], self.rows[index]) = (value, 1);
        self
    }

    /// Returns the settings with another choice of one parameter.
    ///
    /// # Panics
    /// Panics if the definition has no choice of that name among those of the parameter.
    #[must_use]
    pub fn with_choice(self, name: &str, choice: &str) -> Settings {
        let kind = self.def.iter().find(|param| param.name == name).map(|param| param.kind);
        let index = match kind {
            Some(ParamKind::Choice { of, .. }) => of.iter().position(|known| *known == choice),
            _ => None,
        };
        let Some(index) = index else { panic!("{name:?} has no choice {choice:?}") };
        self.with(name, Setting::Choice(index))
    }

    /// Reads the option texts that `texts` returns by parameter name, with the variables of `names`. A parameter
    /// without texts, or with invalid ones, has its default; there is an error for each invalid one.
    pub fn read<'a>(
        def: &BlockDef,
        mut texts: impl FnMut(&str) -> Option<Vec<&'a str>>,
        names: &dyn Names,
    ) -> (Settings, Vec<SettingError>) {
        let mut settings = Settings::defaults(def);
        let mut errors = Vec::new();
        for ((param, value), rows) in def.params.iter().zip(&mut settings.values).zip(&mut settings.rows) {
            let Some(texts) = texts(param.name) else { continue };
            match read_one(&param.kind, &texts, names) {
                Ok(read) => (*value, *rows) = read,
                Err(problem) => errors.push(SettingError { param: param.name, problem }),
            }
        }
        settings.read_formulas(def, &mut texts, names, &mut errors);
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
            match read.and_then(|read| if is_missing(&read) { Err(MISSING.to_owned()) } else { Ok(read) }) {
                Ok(formula) => self.values[index] = Setting::Formula(Arc::new(formula)),
                Err(problem) => errors.push(SettingError { param: param.name, problem }),
            }
        }
    }

    pub fn formula(&self, name: &str) -> &FormulaSetting {
        match self.get(name) {
            Setting::Formula(formula) => formula,
            other => panic!("{name:?} is no formula: {other:?}"),
        }
    }

    /// Returns the value of a parameter by its name.
    ///
    /// # Panics
    /// Panics if the definition has no parameter of that name, a mistake in the block's file that the bulk test finds.
    pub fn get(&self, name: &str) -> &Setting {
        let index = self.def.iter().position(|param| param.name == name);
        let value = index.and_then(|index| self.values.get(index));
        let Some(value) = value else { panic!("the block has no parameter {name:?}") };
        value
    }

    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.def.iter().position(|param| param.name == name)
    }

    pub fn params(&self) -> impl Iterator<Item = (&'static ParamDef, &Setting)> {
        self.def.iter().zip(&self.values)
    }

    /// Returns a key of all settings that the tape depends on, which are all but the numbers that may change between
    /// steps. Blocks of one definition with equal keys and widths share a tape.
    pub fn shape(&self) -> String {
        use std::fmt::Write;
        let mut key = String::new();
        for ((param, setting), rows) in self.params().zip(&self.rows) {
            if *rows > 1 {
                let _ = write!(key, "{rows} rows ");
            }
            let is_tunable = matches!(param.kind, ParamKind::Number { fixed: false, .. });
            // Writing to a string does not fail.
            let _ = match setting {
                Setting::Number(values) if is_tunable => write!(key, "{};", values.len()),
                Setting::Number(values) => values
                    .iter()
                    .try_for_each(|value| write!(key, "{:x},", value.to_bits()))
                    .and_then(|()| write!(key, ";")),
                other => write!(key, "{other:?};"),
            };
        }
        key
    }

    pub fn numbers(&self, name: &str) -> &[f64] {
        match self.get(name) {
            Setting::Number(values) => values,
            other => panic!("{name:?} is no number: {other:?}"),
        }
    }

    /// Returns the number of rows of a matrix, such as 2 for `1 0; 0 1`; none for a vector or scalar.
    pub fn rows(&self, name: &str) -> Option<usize> {
        let rows = self.index_of(name).and_then(|index| self.rows.get(index)).copied();
        rows.filter(|rows| *rows > 1)
    }

    /// Returns the first number.
    pub fn number(&self, name: &str) -> f64 {
        self.numbers(name).first().copied().unwrap_or(f64::NAN)
    }

    pub fn integer(&self, name: &str) -> i64 {
        match self.get(name) {
            Setting::Integer(value) => *value,
            other => panic!("{name:?} is no integer: {other:?}"),
        }
    }

    pub fn choice(&self, name: &str) -> &'static str {
        let kind = self.def.iter().find(|param| param.name == name).map(|param| param.kind);
        match (self.get(name), kind) {
            (Setting::Choice(index), Some(ParamKind::Choice { default, of })) => {
                of.get(*index).copied().unwrap_or(default)
            }
            (other, _) => panic!("{name:?} is no choice: {other:?}"),
        }
    }

    pub fn flag(&self, name: &str) -> bool {
        match self.get(name) {
            Setting::Flag(value) => *value,
            other => panic!("{name:?} is no flag: {other:?}"),
        }
    }

    pub fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Setting::Text(value) => value,
            other => panic!("{name:?} is no text: {other:?}"),
        }
    }
}

impl Setting {
    /// Whether a parameter of this kind may have the value, limits aside.
    fn is_of(&self, kind: &ParamKind) -> bool {
        match self {
            Setting::Number(_) => matches!(kind, ParamKind::Number { .. }),
            Setting::Integer(_) => matches!(kind, ParamKind::Integer { .. }),
            Setting::Choice(_) => matches!(kind, ParamKind::Choice { .. }),
            Setting::Flag(_) => matches!(kind, ParamKind::Flag { .. }),
            Setting::Text(_) => {
                matches!(
                    kind,
                    ParamKind::Text { .. } | ParamKind::Tag { .. } | ParamKind::File { .. } | ParamKind::Code { .. }
                )
            }
            Setting::Formula(_) => matches!(kind, ParamKind::Formula { .. }),
        }
    }
}

/// Reads the number of an option text: decimal or scientific, `inf`, `-inf`, `nan`.
pub fn parse_number(text: &str) -> Result<f64, String> {
    let trimmed = text.trim();
    trimmed.parse().map_err(|_| match trimmed {
        "" => "a number is missing".to_owned(),
        _ => format!("“{trimmed}” is not a number"),
    })
}

fn default_of(kind: &ParamKind) -> Setting {
    match *kind {
        ParamKind::Number { default, .. } => Setting::Number(default.to_vec()),
        ParamKind::Integer { default, .. } => Setting::Integer(default),
        ParamKind::Choice { default, of } => {
            Setting::Choice(of.iter().position(|&choice| choice == default).unwrap_or(0))
        }
        ParamKind::Flag { default } => Setting::Flag(default),
        ParamKind::Text { default }
        | ParamKind::Tag { default, .. }
        | ParamKind::File { default, .. }
        | ParamKind::Code { default } => Setting::Text(default.to_owned()),
        ParamKind::Formula { default, .. } => {
            let formula = Formula::parse(default).unwrap_or(Formula { lines: Vec::new() });
            let is_input = |(name, _): &(&str, usize)| !FORMULA_TIME.contains(name) && constant(name).is_none();
            let inputs = formula.free_names().into_iter().filter(is_input).map(|(name, _)| name.to_owned()).collect();
            let numbers = formula.free_names().into_iter().filter_map(|(name, _)| Some((name, constant(name)?)));
            let variables = numbers.map(|(name, number)| (name.to_owned(), vec![number])).collect();
            let text = default.to_owned();
            Setting::Formula(Arc::new(FormulaSetting { text, formula, inputs, variables }))
        }
    }
}

/// Returns the names of a list separated by spaces or commas.
pub fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', ',', '\t', '\n']).filter(|name| !name.is_empty())
}

fn read_formula(text: &str, inputs: &str, names: &dyn Names) -> Result<FormulaSetting, String> {
    let message = |error: &dyn std::fmt::Display| format!("{}: {error}", quoted(text));
    let formula = Formula::parse(text).map_err(|error| message(&error))?;
    let inputs: Vec<String> = names_in(inputs).map(str::to_owned).collect();
    let has_value: HashSet<&str> =
        formula.lines.iter().map(|(line, _)| line.as_str()).chain(formula.states()).collect();
    let mut given: HashSet<&str> = HashSet::new();
    if let Some(name) = inputs.iter().find(|name| has_value.contains(name.as_str()) || !given.insert(name)) {
        return Err(format!("“{name}” cannot be an input: the formula defines it already"));
    }
    let mut variables = BTreeMap::new();
    let mut elements = 0;
    for (name, at) in formula.free_names() {
        if given.contains(name) || FORMULA_TIME.contains(&name) {
            continue;
        }
        let value = names.value(name).map_err(|problem| message(&problem))?.map(|value| value.values);
        if let Some(value) = value.or_else(|| constant(name).map(|number| vec![number])) {
            elements += value.len();
            if elements > MAX_ELEMENTS {
                return Err(message(&format!("too large: its variables have more than {MAX_ELEMENTS} elements")));
            }
            variables.insert(name.to_owned(), value);
            continue;
        }
        let mut known: Vec<String> = inputs.iter().cloned().chain(names.names()).collect();
        known.extend(FORMULA_TIME.map(str::to_owned));
        return Err(ExpressionError::unknown(at, name, &known).to_string());
    }
    drop(given);
    Ok(FormulaSetting { text: text.to_owned(), formula, inputs, variables })
}

/// Evaluates an option's text: a number, an expression, or a vector or matrix of these without brackets.
///
/// # Errors
/// Fails if the text is none of these, with a message.
pub fn values_of(text: &str, names: &dyn Names) -> Result<Matrix, String> {
    let message = |error: ExpressionError| error.message_for(text.trim());
    let plain = match parse_number(text) {
        Ok(number) => return Ok(vec![number].into()),
        Err(problem) if text.trim().is_empty() => return Err(problem),
        Err(_) => Expression::parse(text),
    };
    let error = match plain {
        Ok(expression) => return of_expression(&expression, names).map_err(message),
        Err(error) => error,
    };
    // Brackets around a vector or matrix may be omitted.
    match Expression::parse(&format!("[{text}]")) {
        Err(_) => Err(message(error)),
        Ok(expression) => of_expression(&expression, names).map_err(|mut error| {
            error.at = error.at.saturating_sub(1);
            message(error)
        }),
    }
}

/// Reads a setting and its number of rows.
fn read_one(kind: &ParamKind, texts: &[&str], names: &dyn Names) -> Result<(Setting, usize), String> {
    if let ParamKind::Number { .. } = kind {
        return read_numbers(kind, texts, names);
    }
    read_single(kind, texts, names).map(|setting| (setting, 1))
}

fn read_numbers(kind: &ParamKind, texts: &[&str], names: &dyn Names) -> Result<(Setting, usize), String> {
    let ParamKind::Number { min, max, vector, longest, .. } = *kind else { return Ok((default_of(kind), 1)) };
    let (mut all, mut rows) = (Vec::new(), 1);
    for text in texts {
        let value = values_of(text, names)?;
        rows = if texts.len() == 1 { value.rows } else { 1 };
        all.extend(value.values);
        if all.len() > longest {
            return Err(format!("too large: at most {longest} values are allowed"));
        }
    }
    if all.is_empty() {
        return Err("a number is missing".to_owned());
    }
    if !vector && all.len() > 1 {
        return Err(format!("one number is expected, {} are given", all.len()));
    }
    match all.iter().find(|&&value| value < min || value > max) {
        Some(value) => Err(format!("{value} is outside the limits: {}", limits_text(min, max))),
        None => Ok((Setting::Number(all), rows)),
    }
}

fn read_single(kind: &ParamKind, texts: &[&str], names: &dyn Names) -> Result<Setting, String> {
    let single = || match texts {
        [text] => Ok(text.trim()),
        _ => Err(format!("one value is expected, {} are given", texts.len())),
    };
    match *kind {
        ParamKind::Integer { min, max, .. } => {
            let text = single()?;
            // The original program wrote every number as a float.
            let value = match text.parse::<i64>() {
                Ok(value) => value,
                Err(_) => match values_of(text, names)?.values[..] {
                    [value] if value.fract() == 0.0 && value.abs() < 9e15 => value as i64,
                    _ => return Err(format!("“{text}” is not a whole number")),
                },
            };
            if value < min || value > max {
                return Err(format!("{value} is outside the limits: {}", limits_text(min as f64, max as f64)));
            }
            Ok(Setting::Integer(value))
        }
        ParamKind::Choice { of, .. } => {
            let text = single()?;
            let index = of.iter().position(|&choice| choice == text);
            index.map(Setting::Choice).ok_or_else(|| format!("“{text}” is not one of {}", of.join(", ")))
        }
        ParamKind::Flag { .. } => match single()? {
            "1" | "true" => Ok(Setting::Flag(true)),
            "0" | "false" => Ok(Setting::Flag(false)),
            text => Err(format!("“{text}” is neither 0 nor 1")),
        },
        ParamKind::Text { .. } | ParamKind::File { .. } | ParamKind::Code { .. } => match texts {
            [text] => Ok(Setting::Text((*text).to_owned())),
            _ => Err(format!("one text is expected, {} are given", texts.len())),
        },
        ParamKind::Tag { .. } => match single()? {
            "" => Err("a name is missing".to_owned()),
            name => Ok(Setting::Text(name.to_owned())),
        },
        // Numbers and formulas are read elsewhere.
        ParamKind::Number { .. } | ParamKind::Formula { .. } => Ok(default_of(kind)),
    }
}

/// Describes the numbers from `min` to `max`: `at least 0`, `above 0 and at most 5`, `1 to 10`; empty if there is no
/// limit. The smallest positive number as `min` reads `above 0`.
pub fn limits_text(min: f64, max: f64) -> String {
    let is_positive = min == f64::MIN_POSITIVE;
    let (low, high) = (number_text(min), number_text(max));
    match (min.is_finite(), max.is_finite()) {
        (true, false) if is_positive => "above 0".to_owned(),
        (true, true) if is_positive => format!("above 0 and at most {high}"),
        (true, false) => format!("at least {low}"),
        (false, true) => format!("at most {high}"),
        (true, true) => format!("{low} to {high}"),
        (false, false) => String::new(),
    }
}

/// Returns a number as text, with an exponent where the text would otherwise be long.
pub fn number_text(number: f64) -> String {
    const LONGEST: usize = 15;
    let (plain, short) = (number.to_string(), format!("{number:e}"));
    if plain.len() > LONGEST && short.len() < plain.len() { short } else { plain }
}
