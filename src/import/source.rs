//! The foreign document: what a reader has found in a file, common to all formats.
//!
//! Parameters are texts in the language of the file. Coordinates are pixels, x to the right and y down.

use std::collections::BTreeMap;

/// A model, library or subsystem of another program.
#[derive(Clone, Debug, Default)]
pub struct Source {
    pub name: String,
    pub kind: SourceKind,
    /// The program that wrote it, with its release where the file says so.
    pub origin: String,
    pub system: System,
    /// The parameters that a block has unless it sets them, by type.
    pub defaults: BTreeMap<String, Params>,
    /// Start and stop time, solver, steps and tolerances, under the names of the format.
    pub settings: Params,
    /// Texts that assign values to names, in the order in which the program would run them.
    pub scripts: Vec<Script>,
    /// The code and state machines in blocks.
    pub charts: Vec<Chart>,
    /// The variables that the model brings along: names, and .mat files of one array each.
    pub workspace: Vec<(String, Vec<u8>)>,
    pub language: Language,
    /// What of the file was not read.
    pub notes: Vec<String>,
}

/// The language of the expressions of a file, and the program whose blocks it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    #[default]
    Matlab,
    Scilab,
}

/// The kind of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceKind {
    #[default]
    Model,
    Library,
    Subsystem,
}

/// A script of a model.
#[derive(Clone, Debug)]
pub struct Script {
    /// Where it stands, for messages: `PreLoadFcn`.
    pub origin: String,
    pub text: String,
}

/// The code or the state machine of a block.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// The path of the block below the model, with `/`.
    pub path: String,
    /// The code; empty for a state machine.
    pub code: String,
    /// The names of its parameters: arguments that are no inputs.
    pub parameters: Vec<String>,
    /// Its whole text, for a placeholder.
    pub text: String,
}

/// A diagram.
#[derive(Clone, Debug, Default)]
pub struct System {
    pub blocks: Vec<Block>,
    pub wires: Vec<Wire>,
    pub notes: Vec<Note>,
    /// The number of lines with an open end.
    pub loose: usize,
}

/// A block.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The type, such as `Gain`.
    pub kind: String,
    pub name: String,
    pub params: Params,
    /// The numbers of ports that the file states.
    pub inputs: Option<usize>,
    pub outputs: Option<usize>,
    pub area: Option<Area>,
    /// Clockwise, in quarter turns.
    pub quarters: u8,
    pub is_mirrored: bool,
    pub mask: Option<Mask>,
    pub system: Option<System>,
    /// The names of the signals at its outputs, by number from 1.
    pub output_names: BTreeMap<usize, String>,
}

/// A rectangle in the diagram.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// The parameters of a block as its user sees them.
#[derive(Clone, Debug, Default)]
pub struct Mask {
    pub parameters: Vec<MaskParameter>,
    /// Code that runs when a value changes.
    pub initialization: String,
}

#[derive(Clone, Debug, Default)]
pub struct MaskParameter {
    pub name: String,
    pub prompt: String,
    pub value: String,
    /// The kind of control: `edit`, `popup`, `checkbox`.
    pub control: String,
    /// Whether the value is an expression, not a text.
    pub is_evaluated: bool,
    /// The texts of a popup.
    pub choices: Vec<String>,
}

/// A wire from an output to an input, without its branches.
#[derive(Clone, Debug)]
pub struct Wire {
    pub from: End,
    pub to: End,
    /// Its bends, relative to the port at which it starts.
    pub bends: Vec<(f64, f64)>,
    pub name: String,
}

/// An end of a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct End {
    /// The index of the block in the system.
    pub block: usize,
    pub port: Port,
}

/// A port of a block; numbers count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Port {
    Signal(usize),
    Enable,
    Trigger,
    Action,
    Reset,
    State,
    /// A port without a direction; the ports of the left side come first.
    Physical(usize),
}

/// A text or a frame in a diagram.
#[derive(Clone, Debug, Default)]
pub struct Note {
    pub text: String,
    pub area: Option<Area>,
    pub is_frame: bool,
}

/// Parameters in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Params(Vec<(String, String)>);

impl Params {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// Sets a parameter; a later value replaces an earlier one.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        let name = name.into();
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value.into(),
            None => self.0.push((name, value.into())),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }
}

impl Area {
    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }
}

impl Block {
    /// The name with line breaks as blanks.
    pub fn title(&self) -> String {
        self.name.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The blocks inside.
    pub fn inner(&self) -> &[Block] {
        self.system.as_ref().map(|system| &*system.blocks).unwrap_or_default()
    }
}
