//! A block's option texts, understood.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::expression::{Formula, Names, constant, numbers};
use super::{BlockDef, ParamDef, ParamKind};

/// One value for each parameter of a block, in the order of its definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    def: &'static [ParamDef],
    values: Vec<Setting>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    Number(Vec<f64>),
    Integer(i64),
    /// Index into the definition's list.
    Choice(usize),
    Flag(bool),
    Text(String),
    Formula(Arc<FormulaSetting>),
}

/// A formula, and the values of the variables in it.
#[derive(Debug, PartialEq)]
pub struct FormulaSetting {
    pub text: String,
    pub formula: Formula,
    /// The names that the inputs give values to, in the order of the ports.
    pub inputs: Vec<String>,
    pub variables: BTreeMap<String, Vec<f64>>,
}

/// Names that a formula knows without being told: seconds, and seconds a step.
pub const FORMULA_TIME: [&str; 2] = ["t", "dt"];

/// What is wrong with an option's text.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{param}: {problem}")]
pub struct SettingError {
    pub param: &'static str,
    pub problem: String,
}

impl Settings {
    pub fn defaults(def: &BlockDef) -> Settings {
        let values = def.params.iter().map(|param| default_of(&param.kind)).collect();
        Settings { def: def.params, values }
    }

    /// Understands the option texts that `texts` finds by parameter name, with the variables that `names` has. A
    /// parameter without texts, or with texts that cannot be understood, has its default; the errors say which.
    pub fn read<'a>(
        def: &BlockDef,
        mut texts: impl FnMut(&str) -> Option<Vec<&'a str>>,
        names: &dyn Names,
    ) -> (Settings, Vec<SettingError>) {
        let mut settings = Settings::defaults(def);
        let mut errors = Vec::new();
        for (param, value) in def.params.iter().zip(&mut settings.values) {
            let Some(texts) = texts(param.name) else { continue };
            match read_one(&param.kind, &texts, names) {
                Ok(read) => *value = read,
                Err(problem) => errors.push(SettingError { param: param.name, problem }),
            }
        }
        settings.read_formulas(def, &mut texts, names, &mut errors);
        (settings, errors)
    }

    /// Formulas come last: which of their names are inputs another parameter says.
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
            match read_formula(&text, self.text(inputs), names) {
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

    /// The value of a parameter by its name.
    ///
    /// # Panics
    /// Where the definition has no parameter of that name: a mistake in the block's file, which the bulk test finds.
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

    /// Equal for blocks of one definition that have the same tape for the same widths: all settings but the numbers that
    /// may change between steps.
    pub fn shape(&self) -> String {
        use std::fmt::Write;
        let mut key = String::new();
        for (param, setting) in self.params() {
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

    /// The first number.
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

/// Reads a number as option texts have it: decimal or scientific, `inf`, `-inf`, `nan`.
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
        ParamKind::Text { default } | ParamKind::Tag { default, .. } => Setting::Text(default.to_owned()),
        ParamKind::Formula { default, .. } => {
            let formula = Formula::parse(default).unwrap_or(Formula { lines: Vec::new() });
            let inputs = formula.free_names().into_iter().map(|(name, _)| name.to_owned()).collect();
            let (text, variables) = (default.to_owned(), BTreeMap::new());
            Setting::Formula(Arc::new(FormulaSetting { text, formula, inputs, variables }))
        }
    }
}

/// The names in a row of names, with spaces or commas between them.
pub fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', ',', '\t', '\n']).filter(|name| !name.is_empty())
}

fn read_formula(text: &str, inputs: &str, names: &dyn Names) -> Result<FormulaSetting, String> {
    let formula = Formula::parse(text).map_err(|error| format!("“{text}”: {error}"))?;
    let inputs: Vec<String> = names_in(inputs).map(str::to_owned).collect();
    for (place, name) in inputs.iter().enumerate() {
        if inputs[..place].contains(name) || formula.lines.iter().any(|(line, _)| line == name) {
            return Err(format!("“{name}” cannot be an input: it has a value already"));
        }
    }
    let mut variables = BTreeMap::new();
    for (name, at) in formula.free_names() {
        if inputs.iter().any(|input| input == name) || FORMULA_TIME.contains(&name) {
            continue;
        }
        let value = names.value(name).map_err(|problem| format!("“{text}”: {problem}"))?;
        if let Some(value) = value.or_else(|| constant(name).map(|number| vec![number])) {
            variables.insert(name.to_owned(), value);
            continue;
        }
        let mut known: Vec<String> = inputs.iter().cloned().chain(names.names()).collect();
        known.extend(FORMULA_TIME.map(str::to_owned));
        let at = at + 1;
        return Err(format!(
            "“{text}”: nothing is called “{name}”; known are: {}, at character {at}",
            known.join(", ")
        ));
    }
    Ok(FormulaSetting { text: text.to_owned(), formula, inputs, variables })
}

/// A number, or an expression of one or several.
fn values(text: &str, names: &dyn Names) -> Result<Vec<f64>, String> {
    match parse_number(text) {
        Ok(number) => Ok(vec![number]),
        Err(problem) if text.trim().is_empty() => Err(problem),
        // A row of values makes a vector without brackets too.
        Err(_) => numbers(text, names)
            .or_else(|error| numbers(&format!("[{text}]"), names).map_err(|_| error))
            .map_err(|error| format!("“{}”: {error}", text.trim())),
    }
}

fn read_one(kind: &ParamKind, texts: &[&str], names: &dyn Names) -> Result<Setting, String> {
    let single = || match texts {
        [text] => Ok(text.trim()),
        _ => Err(format!("one value is expected, {} are given", texts.len())),
    };
    match *kind {
        ParamKind::Number { min, max, vector, .. } => {
            let values = texts.iter().map(|text| values(text, names)).collect::<Result<Vec<_>, _>>()?.concat();
            if values.is_empty() {
                return Err("a number is missing".to_owned());
            }
            if !vector && values.len() > 1 {
                return Err(format!("one number is expected, {} are given", values.len()));
            }
            match values.iter().find(|&&value| value < min || value > max) {
                Some(value) => Err(format!("{value} is outside {}", limits_text(min, max))),
                None => Ok(Setting::Number(values)),
            }
        }
        ParamKind::Integer { min, max, .. } => {
            let text = single()?;
            // The original program wrote every number as a float.
            let value = match text.parse::<i64>() {
                Ok(value) => value,
                Err(_) => match values(text, names)?[..] {
                    [value] if value.fract() == 0.0 && value.abs() < 9e15 => value as i64,
                    _ => return Err(format!("“{text}” is not a whole number")),
                },
            };
            if value < min || value > max {
                return Err(format!("{value} is outside {}", limits_text(min as f64, max as f64)));
            }
            Ok(Setting::Integer(value))
        }
        ParamKind::Choice { of, .. } => {
            let text = single()?;
            let index = of.iter().position(|&choice| choice == text);
            index.map(Setting::Choice).ok_or_else(|| format!("“{text}” is none of {}", of.join(", ")))
        }
        ParamKind::Flag { .. } => match single()? {
            "1" | "true" => Ok(Setting::Flag(true)),
            "0" | "false" => Ok(Setting::Flag(false)),
            text => Err(format!("“{text}” is neither 0 nor 1")),
        },
        ParamKind::Text { .. } => match texts {
            [text] => Ok(Setting::Text((*text).to_owned())),
            _ => Err(format!("one text is expected, {} are given", texts.len())),
        },
        ParamKind::Tag { .. } => match single()? {
            "" => Err("a name is missing".to_owned()),
            name => Ok(Setting::Text(name.to_owned())),
        },
        ParamKind::Formula { .. } => Ok(default_of(kind)),
    }
}

fn limits_text(min: f64, max: f64) -> String {
    let (low, high) = (number_text(min), number_text(max));
    match (min.is_finite(), max.is_finite()) {
        (true, false) => format!("the limits: at least {low}"),
        (false, true) => format!("the limits: at most {high}"),
        _ => format!("the limits: {low} to {high}"),
    }
}

/// A number as a person writes it: with an exponent where it would have a long row of zeros.
pub fn number_text(number: f64) -> String {
    const LONGEST: usize = 15;
    let plain = number.to_string();
    if plain.len() > LONGEST { format!("{number:e}") } else { plain }
}
