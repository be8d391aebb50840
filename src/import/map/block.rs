//! A foreign block while it is mapped: its parameters with their defaults, and what is to be said about it.

use std::rc::Rc;

use super::super::source::{Block as Foreign, Source};
use super::super::values::Text;
use super::defaults::parameter;
use super::made::{Made, library};
use super::shapes::Size;
use super::state::Mapper;
use crate::block::ParamDef;
use crate::model::Block;

/// A block that is being mapped.
pub struct Cx<'m> {
    pub mapper: &'m mut Mapper,
    pub block: &'m Foreign,
    /// The file that it is part of, for its defaults.
    pub source: &'m Rc<Source>,
    pub path: &'m str,
    /// The numbers of the last ports with wires.
    pub wired_inputs: usize,
    pub wired_outputs: usize,
    /// The names of the signals at its inputs.
    pub input_names: Vec<String>,
    /// The sizes of the signals at its inputs, as far as they are known.
    pub input_shapes: Vec<Option<Size>>,
    /// What is approximated.
    pub notes: Vec<String>,
}

impl Cx<'_> {
    /// The text of a parameter: of the block, of the defaults of its file, or of the program.
    pub fn raw(&self, name: &str) -> Option<&str> {
        parameter(self.block, &self.source.defaults, name)
    }

    /// The text of a parameter, trimmed; empty if it is nowhere.
    pub fn text(&self, name: &str) -> &str {
        self.raw(name).unwrap_or_default().trim()
    }

    /// The first of several names that has a value: parameters were renamed between releases.
    pub fn any(&self, names: &[&str]) -> &str {
        let own = names.iter().find_map(|name| self.block.params.get(name));
        own.or_else(|| names.iter().find_map(|name| self.raw(name))).unwrap_or_default().trim()
    }

    pub fn is_on(&self, name: &str) -> bool {
        ["on", "1"].contains(&self.text(name))
    }

    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// A parameter as an expression.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn expression(&mut self, name: &str) -> Result<Text, String> {
        let text = self.text(name).to_owned();
        self.expression_of(&text).map_err(|problem| format!("{name} = {}: {problem}", short(&text)))
    }

    pub fn expression_of(&mut self, text: &str) -> Result<Text, String> {
        self.mapper.expression(text, self.path)
    }

    /// The numbers of a parameter, which must be known.
    ///
    /// # Errors
    /// If it cannot be read, or uses a name without a value.
    pub fn numbers(&mut self, name: &str) -> Result<Vec<f64>, String> {
        let text = self.text(name).to_owned();
        let made = self.expression(name)?;
        made.value
            .map(|value| value.values)
            .ok_or_else(|| format!("{name} = {}: it has to be known for the import", short(&text)))
    }

    pub fn number(&mut self, name: &str) -> Result<f64, String> {
        self.numbers(name)?.first().copied().ok_or_else(|| format!("{name} is empty"))
    }

    /// The number of ports that a parameter states as a number, or as a list with a part for each.
    pub fn count(&mut self, name: &str) -> Result<usize, String> {
        let numbers = self.numbers(name)?;
        let count = if let [single] = numbers[..] { single } else { numbers.len() as f64 };
        if (0.0..=10_000.0).contains(&count) { Ok(count as usize) } else { Err(format!("{name} is {count}")) }
    }

    /// Sets an option from a parameter.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn set(&mut self, block: &mut Block, option: &str, name: &str) -> Result<(), String> {
        let text = self.expression(name)?.text;
        block.set_option(option, Some(&[text]));
        Ok(())
    }

    /// Sets an option from a parameter that may be empty, which leaves the default.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn set_unless_empty(&mut self, block: &mut Block, option: &str, name: &str) -> Result<(), String> {
        if ["", "[]"].contains(&self.text(name)) { Ok(()) } else { self.set(block, option, name) }
    }

    /// Sets the sample time of a block that has one.
    pub fn set_sample_time(&mut self, block: &mut Block) {
        if let Some((time, offset)) = self.sample_time("SampleTime") {
            block.set_option(ParamDef::SAMPLE_TIME.name, Some(&[time.text]));
            if let Some(offset) = offset {
                block.set_option(ParamDef::SAMPLE_OFFSET.name, Some(&[offset]));
            }
        }
    }

    /// The sample time and its offset; none if it is inherited, continuous or constant.
    pub fn sample_time(&mut self, name: &str) -> Option<(Text, Option<String>)> {
        let text = self.any(&[name, "SystemSampleTime"]).to_owned();
        if ["", "-1", "0", "inf", "Inf", "[-1 0]", "[-1, 0]", "[0 0]", "[0, 0]", "[0 1]", "[0, 1]"].contains(&&*text) {
            return None;
        }
        let made = match self.expression_of(&text) {
            Ok(made) => made,
            Err(problem) => {
                self.note(format!("the sample time {} is not read: {problem}", short(&text)));
                return None;
            }
        };
        match made.value.as_ref().map(|value| value.values.clone()).as_deref() {
            Some([time]) if *time <= 0.0 || !time.is_finite() => None,
            Some([time]) => {
                self.mapper.sample_times.push(*time);
                Some((made, None))
            }
            Some([time, offset]) if *time > 0.0 && time.is_finite() => {
                self.mapper.sample_times.extend([*time, *offset].into_iter().filter(|time| *time > 0.0));
                let number = |number: f64| crate::block::number_text(number);
                Some((Text { text: number(*time), value: Some(vec![*time].into()) }, Some(number(*offset))))
            }
            Some(_) => None,
            None => Some((made, None)),
        }
    }

    /// A sample time of a library block, as an option; a known one counts for the step of the model.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn stated_time(&mut self, text: &str) -> Result<String, String> {
        let time = self.expression_of(text)?;
        let known = time.value.iter().flat_map(|value| value.values.first().copied());
        self.mapper.sample_times.extend(known.filter(|time| *time > 0.0));
        Ok(time.text)
    }

    /// A source, whose values are held between the hits of its sample time.
    pub fn sampled_source(&mut self, block: Block) -> Made {
        let def = match &block.kind {
            crate::model::BlockKind::Library { group, name } => self.mapper.registry.get(group, name),
            _ => None,
        };
        if def.is_some_and(|def| def.is_sampled()) {
            let mut block = block;
            self.set_sample_time(&mut block);
            return block.into();
        }
        if self.sample_time("SampleTime").is_none() {
            return block.into();
        }
        let mut hold = library("Discrete", "Zero-Order Hold");
        self.set_sample_time(&mut hold);
        Made::chain(vec![(block, "", "Output"), (hold, "Input", "Output")], 0)
    }

    /// Says that a type of numbers is not kept, if the block has one that changes values.
    pub fn note_type(&mut self) {
        let text = self.text("OutDataTypeStr").to_owned();
        if !(text.is_empty() || text.starts_with("Inherit") || ["double", "single"].contains(&&*text)) {
            self.note(format!("numbers are of type double, not {}", short(&text)));
        }
    }
}

/// A text in a message.
pub fn short(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() > 60 { line.chars().take(59).chain(['…']).collect() } else { line }
}

impl Cx<'_> {
    /// The size of the signal at an input, counted from 0.
    pub fn shape(&self, input: usize) -> Option<Size> {
        self.input_shapes.get(input).copied().flatten()
    }
}
