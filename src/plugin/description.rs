//! The description of a plug-in: JSON in the custom section `simulate` of its file. It is data, so that a plug-in can be
//! listed before the user has switched it on.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::block::ParamDef;
use crate::block::limits::MAX_ELEMENTS;

/// The version of the interface between program and plug-in.
pub const ABI: u32 = 1;

/// The maximum length of a description in bytes.
pub const MAX_DESCRIPTION: usize = 1 << 20;
/// The maximum number of blocks of a plug-in.
const MAX_BLOCKS: usize = 256;
/// The maximum number of inputs, outputs, parameters or states of a block.
const MAX_PARTS: usize = 256;
/// The maximum number of characters of a name.
const MAX_NAME: usize = 100;

/// General information about a plug-in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The version of the interface, 1.
    pub abi: u32,
    /// The name, which is the group of its blocks.
    pub name: String,
    pub version: String,
    pub author: String,
    pub licence: String,
    /// One sentence.
    pub doc: String,
}

/// A description that keeps its limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Description {
    pub about: About,
    pub blocks: Vec<BlockText>,
}

/// The description as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DescriptionText {
    abi: u32,
    name: String,
    version: String,
    #[serde(default)]
    author: String,
    #[serde(default)]
    licence: String,
    #[serde(default)]
    doc: String,
    blocks: Vec<BlockText>,
}

/// A block of a plug-in.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockText {
    pub name: String,
    pub doc: String,
    pub formula: String,
    /// A text of a few characters that the diagram shows; the name without it.
    #[serde(default)]
    pub icon: String,
    #[serde(default)]
    pub aliases: Vec<String>,
    #[serde(default)]
    pub inputs: Vec<InputText>,
    pub outputs: Vec<OutputText>,
    #[serde(default)]
    pub params: Vec<ParamText>,
    #[serde(default)]
    pub states: Vec<StateText>,
    /// Whether the functions read the time and the number of the step.
    #[serde(default)]
    pub time: bool,
    /// Whether the block has a sample time.
    #[serde(default)]
    pub sampled: bool,
    #[serde(default)]
    pub examples: Vec<ExampleText>,
}

/// The number of elements of a signal.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum WidthText {
    Fixed(usize),
    /// `any`, or that of an input, parameter or state of this name.
    As(String),
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputText {
    pub name: String,
    #[serde(default = "any")]
    pub width: WidthText,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputText {
    pub name: String,
    #[serde(default = "scalar")]
    pub width: WidthText,
    /// Whether the output depends on the inputs of the same step.
    #[serde(default = "yes")]
    pub feedthrough: bool,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateText {
    pub name: String,
    #[serde(default = "scalar")]
    pub width: WidthText,
    #[serde(default)]
    pub kind: StateTextKind,
    #[serde(default)]
    pub initial: InitialText,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StateTextKind {
    /// Has its next value at the end of the step.
    #[default]
    Discrete,
    /// Is integrated by the solver.
    Continuous,
}

/// The value of a state before the first step.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum InitialText {
    Number(f64),
    Numbers(Vec<f64>),
    /// The value of the parameter with this name.
    Param(String),
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParamText {
    pub name: String,
    pub doc: String,
    #[serde(default)]
    pub unit: String,
    #[serde(default)]
    pub kind: ParamTextKind,
    /// 0, false or the first choice where it is missing.
    pub default: Option<DefaultText>,
    pub min: Option<f64>,
    pub max: Option<f64>,
    #[serde(default)]
    pub vector: bool,
    /// Whether a change takes effect on the next run.
    #[serde(default)]
    pub fixed: bool,
    #[serde(default)]
    pub choices: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParamTextKind {
    #[default]
    Number,
    Integer,
    Choice,
    Flag,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum DefaultText {
    Flag(bool),
    Number(f64),
    Numbers(Vec<f64>),
}

/// A run of a few steps with its results.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExampleText {
    pub doc: String,
    #[serde(default)]
    pub options: BTreeMap<String, Vec<String>>,
    /// The step size in seconds.
    #[serde(default = "one")]
    pub delta: f64,
    #[serde(default)]
    pub widths: Vec<usize>,
    #[serde(default)]
    pub inputs: Vec<Vec<f64>>,
    pub outputs: Vec<Vec<f64>>,
}

/// Why a description cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DescriptionError {
    #[error("the description is longer than 1 MB")]
    TooLong,
    #[error("the description is not valid JSON of a plug-in: {0}")]
    Json(String),
    #[error("the plug-in is for version {0} of the interface; this program knows version 1")]
    Abi(u32),
    #[error("{0} needs a name of 1 to 100 characters, without control characters and without “/”")]
    Name(String),
    #[error("{item}: the name “{name}” is used twice")]
    Duplicate { item: String, name: String },
    #[error("{item} must have {expected}")]
    Count { item: String, expected: &'static str },
    #[error("{item}: “{name}” is not the name of {expected}")]
    Unknown { item: String, name: String, expected: &'static str },
    #[error("{item}: {problem}")]
    Invalid { item: String, problem: &'static str },
}

impl Description {
    /// Reads a description.
    ///
    /// # Errors
    /// Fails if the text is not the description of a plug-in, or a limit is exceeded.
    pub fn read(bytes: &[u8]) -> Result<Description, DescriptionError> {
        if bytes.len() > MAX_DESCRIPTION {
            return Err(DescriptionError::TooLong);
        }
        let text: DescriptionText =
            serde_json::from_slice(bytes).map_err(|error| DescriptionError::Json(error.to_string()))?;
        let DescriptionText { abi, name, version, author, licence, doc, blocks } = text;
        let about = About { abi, name, version, author, licence, doc };
        if about.abi != ABI {
            return Err(DescriptionError::Abi(about.abi));
        }
        check_name(&about.name, "the plug-in")?;
        let texts = [&about.version, &about.author, &about.licence, &about.doc];
        if texts.iter().any(|text| text.chars().any(char::is_control)) {
            return Err(invalid("the plug-in", "its texts must not have control characters"));
        }
        if blocks.is_empty() || blocks.len() > MAX_BLOCKS {
            return Err(DescriptionError::Count { item: "the plug-in".into(), expected: "1 to 256 blocks" });
        }
        check_names("the plug-in", blocks.iter().map(|block| &*block.name), "a block")?;
        blocks.iter().try_for_each(BlockText::check)?;
        Ok(Description { about, blocks })
    }
}

impl BlockText {
    fn check(&self) -> Result<(), DescriptionError> {
        let item = format!("block “{}”", self.name);
        if self.doc.is_empty() || self.doc.ends_with('.') || self.formula.is_empty() {
            return Err(invalid(&item, "it needs a formula, and as its doc a sentence without a full stop"));
        }
        if self.icon.chars().count() > 8 {
            return Err(invalid(&item, "its icon has more than 8 characters"));
        }
        if self.aliases.iter().any(|alias| *alias != alias.to_lowercase()) {
            return Err(invalid(&item, "its aliases must be in lower case"));
        }
        let counts = [self.inputs.len(), self.outputs.len(), self.params.len(), self.states.len()];
        if self.outputs.is_empty() || counts.iter().any(|&count| count > MAX_PARTS) {
            let expected = "1 to 256 outputs, and at most 256 inputs, parameters and states";
            return Err(DescriptionError::Count { item, expected });
        }
        check_names(&item, self.inputs.iter().map(|input| &*input.name), "an input")?;
        check_names(&item, self.outputs.iter().map(|output| &*output.name), "an output")?;
        check_names(&item, self.states.iter().map(|state| &*state.name), "a state")?;
        let own = [ParamDef::SAMPLE_TIME.name, ParamDef::SAMPLE_OFFSET.name];
        let own = own.into_iter().filter(|_| self.sampled);
        check_names(&item, self.params.iter().map(|param| &*param.name).chain(own), "a parameter")?;
        for (index, input) in self.inputs.iter().enumerate() {
            let before = &self.inputs[..index];
            let is_known = |name: &str| name == ANY || before.iter().any(|other| other.name == name);
            check_width(&item, &input.width, is_known, "an input before it, or any")?;
        }
        let is_known = |name: &str| {
            self.inputs.iter().any(|input| input.name == name) || self.params.iter().any(|param| param.name == name)
        };
        for state in &self.states {
            check_width(&item, &state.width, is_known, "an input or a parameter")?;
            self.check_initial(&item, &state.initial)?;
            if self.sampled && state.kind == StateTextKind::Continuous {
                return Err(invalid(&item, "a block with a sample time has no continuous states"));
            }
        }
        let is_known = |name: &str| is_known(name) || self.states.iter().any(|state| state.name == name);
        for output in &self.outputs {
            check_width(&item, &output.width, is_known, "an input, a parameter or a state")?;
        }
        self.params.iter().try_for_each(|param| param.check(&item))?;
        self.examples.iter().try_for_each(|example| self.check_example(&item, example))
    }

    fn check_initial(&self, item: &str, initial: &InitialText) -> Result<(), DescriptionError> {
        match initial {
            InitialText::Number(_) => Ok(()),
            InitialText::Numbers(numbers) => {
                let is_valid = (1..=MAX_PARTS).contains(&numbers.len());
                if is_valid { Ok(()) } else { Err(invalid(item, "a state has 1 to 256 initial values")) }
            }
            InitialText::Param(name) => {
                let is_number = |param: &&ParamText| matches!(param.kind, ParamTextKind::Number);
                let known = self.params.iter().filter(is_number).any(|param| param.name == *name);
                let expected = "a parameter of the kind number";
                let unknown = || DescriptionError::Unknown { item: item.into(), name: name.clone(), expected };
                known.then_some(()).ok_or_else(unknown)
            }
        }
    }

    fn check_example(&self, item: &str, example: &ExampleText) -> Result<(), DescriptionError> {
        let width = |port: usize| example.widths.get(port).copied().unwrap_or(1).max(1);
        let rows = example.inputs.iter().enumerate().map(|(port, row)| row.len() / width(port));
        let steps = rows.clone().next().or_else(|| Some(example.outputs.first()?.len()));
        let is_valid = example.inputs.len() == self.inputs.len()
            && example.outputs.len() == self.outputs.len()
            && example.widths.iter().all(|width| (1..=MAX_PARTS).contains(width))
            && example.delta.is_finite()
            && example.delta > 0.0
            && steps.is_some_and(|steps| (1..=1000).contains(&steps) && rows.into_iter().all(|row| row == steps));
        let problem = "an example has a delta above 0 and 1 to 1000 values for each input and output";
        if is_valid { Ok(()) } else { Err(invalid(item, problem)) }
    }
}

impl ParamText {
    fn check(&self, item: &str) -> Result<(), DescriptionError> {
        if self.doc.is_empty() {
            return Err(invalid(item, "a parameter needs a doc"));
        }
        let range = self.min.unwrap_or(f64::NEG_INFINITY)..=self.max.unwrap_or(f64::INFINITY);
        let has_numbers = matches!(self.kind, ParamTextKind::Number | ParamTextKind::Integer);
        let is_valid = match self.kind {
            ParamTextKind::Number => {
                let values = self.numbers();
                (1..=MAX_PARTS).contains(&values.len())
                    && (values.len() == 1 || self.vector)
                    && !matches!(self.default, Some(DefaultText::Flag(_)))
                    && values.iter().all(|value| range.contains(value))
            }
            ParamTextKind::Integer => {
                let is_whole = |value: f64| value.trunc() == value && value.abs() <= MAX_INTEGER;
                let numbers = self.min.iter().chain(&self.max).copied().chain(self.numbers());
                let is_one = matches!(self.default, None | Some(DefaultText::Number(_)));
                is_one && numbers.into_iter().all(is_whole) && self.numbers().iter().all(|value| range.contains(value))
            }
            ParamTextKind::Choice => {
                (1..=MAX_PARTS).contains(&self.choices.len())
                    && self.default.is_none()
                    && BTreeSet::from_iter(&self.choices).len() == self.choices.len()
                    && self.choices.iter().all(|choice| check_name(choice, "").is_ok())
            }
            ParamTextKind::Flag => matches!(self.default, None | Some(DefaultText::Flag(_))),
        };
        let is_valid = is_valid
            && (has_numbers || self.min.is_none() && self.max.is_none())
            && (self.kind == ParamTextKind::Number || !self.vector && !self.fixed)
            && (self.kind == ParamTextKind::Choice || self.choices.is_empty());
        let item = format!("{item}: parameter “{}”", self.name);
        let problem = "a number has a default within its limits, several only as a vector; an integer has whole numbers; \
                       a choice has choices of which the first is the default; a flag is true or false";
        if is_valid { Ok(()) } else { Err(invalid(&item, problem)) }
    }

    /// Returns the default of a parameter of numbers.
    pub fn numbers(&self) -> Vec<f64> {
        match &self.default {
            Some(DefaultText::Number(value)) => vec![*value],
            Some(DefaultText::Numbers(values)) => values.clone(),
            _ => vec![0.0],
        }
    }
}

/// Integers up to here are exact as floating-point numbers.
const MAX_INTEGER: f64 = (1_i64 << 53) as f64;

impl Default for InitialText {
    fn default() -> InitialText {
        InitialText::Number(0.0)
    }
}

/// The width of an input that takes signals of all widths.
pub const ANY: &str = "any";

fn any() -> WidthText {
    WidthText::As(ANY.to_owned())
}

fn scalar() -> WidthText {
    WidthText::Fixed(1)
}

fn yes() -> bool {
    true
}

fn one() -> f64 {
    1.0
}

fn invalid(item: &str, problem: &'static str) -> DescriptionError {
    DescriptionError::Invalid { item: item.to_owned(), problem }
}

fn check_name(name: &str, item: &str) -> Result<(), DescriptionError> {
    let is_valid = !name.trim().is_empty()
        && name.trim() == name
        && name.chars().count() <= MAX_NAME
        && !name.chars().any(|c| c.is_control() || c == '/');
    if is_valid { Ok(()) } else { Err(DescriptionError::Name(item.to_owned())) }
}

fn check_names<'a>(
    item: &str,
    names: impl Iterator<Item = &'a str>,
    what: &'static str,
) -> Result<(), DescriptionError> {
    let mut seen = BTreeSet::new();
    for name in names {
        check_name(name, &format!("{item}: {what}"))?;
        if !seen.insert(name) {
            return Err(DescriptionError::Duplicate { item: item.to_owned(), name: name.to_owned() });
        }
    }
    Ok(())
}

fn check_width(
    item: &str,
    width: &WidthText,
    is_known: impl Fn(&str) -> bool,
    expected: &'static str,
) -> Result<(), DescriptionError> {
    match width {
        WidthText::Fixed(width) if (1..=MAX_ELEMENTS).contains(width) => Ok(()),
        WidthText::Fixed(_) => Err(invalid(item, "a width is 1 to 1,000,000")),
        WidthText::As(name) if is_known(name) => Ok(()),
        WidthText::As(name) => Err(DescriptionError::Unknown { item: item.into(), name: name.clone(), expected }),
    }
}
