//! The settings of a block: one typed value for each parameter.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::language::{ExpressionError, FORMULA_TIME, Formula, Program, constant};
use super::{BlockDef, ParamDef, ParamKind};

/// One value for each parameter of a block, in the order of its definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    def: &'static [ParamDef],
    pub(super) values: Vec<Setting>,
    /// For each parameter the number of rows of its numbers, 1 for a vector or scalar.
    pub(super) rows: Vec<usize>,
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
    Code(Arc<CodeSetting>),
}

/// The code of a function.
#[derive(Debug)]
pub struct CodeSetting {
    pub text: String,
    /// The arguments and results of the function that is run, known also while there is a mistake below its first line.
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    /// None if the text is not valid.
    pub program: Option<Program>,
}

impl CodeSetting {
    pub fn new(text: &str) -> CodeSetting {
        CodeSetting::read(text).0
    }

    /// Returns the code, and the first mistake in it.
    pub(super) fn read(text: &str) -> (CodeSetting, Option<ExpressionError>) {
        let (inputs, outputs) = Program::signature(text);
        let (program, error) = match Program::parse(text) {
            Ok(program) => (Some(program), None),
            Err(error) => (None, Some(error)),
        };
        (CodeSetting { text: text.to_owned(), inputs, outputs, program }, error)
    }
}

impl PartialEq for CodeSetting {
    fn eq(&self, other: &CodeSetting) -> bool {
        self.text == other.text
    }
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

/// Settings as far as a tape depends on them: all but the numbers that may change between steps. Blocks of one definition
/// with equal shapes and widths share a tape. The arguments of code count whole: code may use some of them to decide its
/// sizes and loops, which is known when the tape is built.
#[derive(Clone, Debug)]
pub struct SettingsShape(pub Arc<Settings>);

impl SettingsShape {
    /// The settings with the numbers of rows, whether each is a number that may change between steps, and the names of
    /// arguments.
    fn parts(&self) -> impl Iterator<Item = (&Setting, usize, bool, Option<&str>)> {
        let is_tunable =
            |param: &ParamDef| matches!(param.kind, ParamKind::Number { fixed: false, .. }) && !param.is_argument;
        self.0.params().zip(&self.0.rows).map(move |((param, setting), rows)| {
            (setting, *rows, is_tunable(param), param.is_argument.then_some(param.name))
        })
    }
}

impl PartialEq for SettingsShape {
    fn eq(&self, other: &SettingsShape) -> bool {
        type Part<'a> = (&'a Setting, usize, bool, Option<&'a str>);
        let is_same = |(setting, rows, is_tunable, name): Part, (other, other_rows, _, other_name): Part| {
            let is_setting = match (setting, other) {
                (Setting::Number(a), Setting::Number(b)) => a.len() == b.len() && (is_tunable || same_bits(a, b)),
                (Setting::Formula(a), Setting::Formula(b)) => Arc::ptr_eq(a, b) || a.is_same(b),
                (a, b) => a == b,
            };
            rows == other_rows && name == other_name && is_setting
        };
        Arc::ptr_eq(&self.0, &other.0)
            || self.0.values.len() == other.0.values.len()
                && self.parts().zip(other.parts()).all(|(own, other)| is_same(own, other))
    }
}

impl Eq for SettingsShape {}

impl Hash for SettingsShape {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for (setting, rows, is_tunable, _) in self.parts() {
            rows.hash(state);
            match setting {
                Setting::Number(values) if is_tunable => values.len().hash(state),
                Setting::Number(values) => values.iter().for_each(|value| value.to_bits().hash(state)),
                Setting::Integer(value) => value.hash(state),
                Setting::Choice(index) => index.hash(state),
                Setting::Flag(flag) => flag.hash(state),
                Setting::Text(text) => text.hash(state),
                Setting::Formula(formula) => formula.text.hash(state),
                Setting::Code(code) => code.text.hash(state),
            }
        }
    }
}

impl FormulaSetting {
    /// Whether another one computes the same bits.
    fn is_same(&self, other: &FormulaSetting) -> bool {
        let variables = || self.variables.iter().zip(&other.variables);
        self.text == other.text
            && self.inputs == other.inputs
            && self.variables.len() == other.variables.len()
            && variables().all(|((name, a), (other, b))| name == other && same_bits(a, b))
    }
}

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
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

    pub fn formula(&self, name: &str) -> &FormulaSetting {
        match self.get(name) {
            Setting::Formula(formula) => formula,
            other => panic!("{name:?} is no formula: {other:?}"),
        }
    }

    pub fn code(&self, name: &str) -> &CodeSetting {
        match self.get(name) {
            Setting::Code(code) => code,
            other => panic!("{name:?} is no code: {other:?}"),
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
                matches!(kind, ParamKind::Text { .. } | ParamKind::Tag { .. } | ParamKind::File { .. })
            }
            Setting::Formula(_) => matches!(kind, ParamKind::Formula { .. }),
            Setting::Code(_) => matches!(kind, ParamKind::Code { .. }),
        }
    }
}

pub(super) fn default_of(kind: &ParamKind) -> Setting {
    match *kind {
        ParamKind::Number { default, .. } => Setting::Number(default.to_vec()),
        ParamKind::Integer { default, .. } => Setting::Integer(default),
        ParamKind::Choice { default, of } => {
            Setting::Choice(of.iter().position(|&choice| choice == default).unwrap_or(0))
        }
        ParamKind::Flag { default } => Setting::Flag(default),
        ParamKind::Text { default } | ParamKind::Tag { default, .. } | ParamKind::File { default, .. } => {
            Setting::Text(default.to_owned())
        }
        ParamKind::Code { default } => Setting::Code(Arc::new(CodeSetting::new(default))),
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
