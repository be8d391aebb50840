//! One row of the library.

use super::limits::MOST_ELEMENTS;
use super::{Body, Builder, Look, Sample, Settings};

/// What a block is. Every field can be written as a constant, so that a block is one file with one `DEF`.
#[derive(Debug)]
pub struct BlockDef {
    /// The file's `group`, a folder of the palette.
    pub group: &'static str,
    /// Unique in its group; the file's `name`. What a user reads is its [`BlockDef::title`].
    pub name: &'static str,
    /// One sentence that a user understands, without a full stop.
    pub doc: &'static str,
    /// The mathematics as text, `y = k·u`, with its source where it has one.
    pub formula: &'static str,
    /// Further words by which other programs know the block.
    pub aliases: &'static [&'static str],
    pub look: Look,
    pub inputs: Ports,
    pub outputs: Ports,
    pub params: &'static [ParamDef],
    /// Writes the mathematics onto the tape. Called for every combination of settings and input widths.
    pub build: fn(&Builder),
    /// Help and tests at once.
    pub examples: &'static [Example],
}

impl BlockDef {
    /// What a user calls it: the field's word. Files have its name.
    pub fn title(&self) -> &'static str {
        super::library::title_of(self.group, self.name).unwrap_or(self.name)
    }

    /// What a user calls its group.
    pub fn group_title(&self) -> &'static str {
        super::library::group_title(self.group)
    }

    pub fn param(&self, name: &str) -> Option<&'static ParamDef> {
        self.params.iter().find(|param| param.name == name)
    }

    /// Whether it stands in the diagram for the reader alone: no engine sees it.
    pub fn is_remark(&self) -> bool {
        matches!(self.look.body, Body::Note | Body::Area)
    }

    /// The parameter with the name under which the block gives or takes a signal, the kind of such names, and which of
    /// the two it does.
    pub fn tag(&self) -> Option<(&'static str, &'static str, TagWay)> {
        self.params.iter().find_map(|param| match param.kind {
            ParamKind::Tag { space, way, .. } => Some((param.name, space, way)),
            _ => None,
        })
    }

    /// Whether the block's tape is made from a file.
    pub fn reads_file(&self) -> bool {
        self.params.iter().any(|param| matches!(param.kind, ParamKind::File { way: FileWay::Reads, .. }))
    }

    /// The parameter with the name of the file that the block writes.
    pub fn written_file(&self) -> Option<&'static str> {
        let is_written = |param: &&ParamDef| matches!(param.kind, ParamKind::File { way: FileWay::Writes, .. });
        self.params.iter().find(is_written).map(|param| param.name)
    }

    /// How many outputs engines make: those that a diagram shows, and the one that has a name in place of a wire.
    pub fn output_count(&self, settings: &Settings) -> usize {
        self.outputs.count(settings) + usize::from(self.tag().is_some_and(|(_, _, way)| way.gives()))
    }

    /// Whether the block acts at a sample time: it then has the parameter [`ParamDef::SAMPLE_TIME`], and between its
    /// hits its outputs hold and its states stay.
    pub fn is_sampled(&self) -> bool {
        self.param(ParamDef::SAMPLE_TIME.name).is_some()
    }

    /// The rate that the settings give a sampled block; none where it inherits that of its inputs.
    ///
    /// # Errors
    /// Where the sample time is not a multiple of the step of `delta` seconds.
    pub fn sample(&self, settings: &Settings, delta: f64) -> Result<Option<Sample>, String> {
        let offset = ParamDef::SAMPLE_OFFSET.name;
        let offset = if self.param(offset).is_some() { settings.number(offset) } else { 0.0 };
        Sample::of(settings.number(ParamDef::SAMPLE_TIME.name), offset, delta)
    }
}

/// The names of a side's ports, which may depend on the settings.
#[derive(Clone, Copy, Debug)]
pub enum Ports {
    Fixed(&'static [&'static str]),
    /// `stem 1`, `stem 2`, … as many as the integer parameter says.
    Counted {
        stem: &'static str,
        param: &'static str,
    },
    By(fn(&Settings) -> Vec<String>),
}

impl Ports {
    pub const NONE: Ports = Ports::Fixed(&[]);

    /// How many there are.
    pub fn count(&self, settings: &Settings) -> usize {
        match self {
            Ports::Fixed(names) => names.len(),
            Ports::Counted { param, .. } => settings.integer(param).max(0) as usize,
            Ports::By(names) => names(settings).len(),
        }
    }

    pub fn names(&self, settings: &Settings) -> Vec<String> {
        match self {
            Ports::Fixed(names) => names.iter().map(|&name| name.to_owned()).collect(),
            Ports::Counted { stem, param } => {
                (1..=settings.integer(param).max(0)).map(|number| format!("{stem} {number}")).collect()
            }
            Ports::By(names) => names(settings),
        }
    }
}

/// A parameter: the file's option of the same name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParamDef {
    pub name: &'static str,
    pub doc: &'static str,
    /// SI, empty where the parameter takes the signal's unit or has none.
    pub unit: &'static str,
    pub kind: ParamKind,
    /// Where the numbers are a table.
    pub table: Option<Table>,
}

/// How the numbers of a parameter and those of others lie in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// A row for each number, with that of the named parameter before it.
    Beside(&'static str),
    /// Row after row, headed by the numbers of the two named parameters.
    Grid { rows: &'static str, columns: &'static str },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParamKind {
    /// One value or, where `vector`, several. A `fixed` one shapes the tape (a length, a coefficient that is worked
    /// on) and acts from the next run on; any other may change between steps.
    Number {
        default: &'static [f64],
        min: f64,
        max: f64,
        vector: bool,
        fixed: bool,
        /// How many values it has at most.
        longest: usize,
    },
    Integer {
        default: i64,
        min: i64,
        max: i64,
    },
    Choice {
        default: &'static str,
        of: &'static [&'static str],
    },
    Flag {
        default: bool,
    },
    Text {
        default: &'static str,
    },
    /// The name of a signal that goes without a wire; names of one `space` find each other.
    Tag {
        default: &'static str,
        space: &'static str,
        way: TagWay,
    },
    /// The name of a file, relative to that of the simulation.
    File {
        default: &'static str,
        way: FileWay,
    },
    /// A program.
    Code {
        default: &'static str,
    },
    /// Lines `name = expression`; the names that the text parameter `inputs` lists are the inputs'. Where `inputs` is
    /// empty there are none; only where the default is empty it may be.
    Formula {
        default: &'static str,
        inputs: &'static str,
    },
}

/// What a block does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileWay {
    /// When the simulation is compiled.
    Reads,
    /// A row of all its inputs, every [`ParamDef::DECIMATION`] steps.
    Writes,
}

/// What a block does with a signal that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagWay {
    /// Behind its outputs it has one that all take.
    Gives,
    /// Behind its inputs it has one.
    Takes,
    /// It is a store: it gives, and behind its inputs it has one for each that sets it.
    Holds,
    /// Behind its outputs it has one that leads to the store.
    Sets,
}

impl TagWay {
    /// Whether there is an output that has a name.
    pub fn gives(self) -> bool {
        self != TagWay::Takes
    }

    /// Whether the name stands for this block.
    pub fn is_origin(self) -> bool {
        matches!(self, TagWay::Gives | TagWay::Holds)
    }
}

impl ParamDef {
    /// How often a block writes a row.
    pub const DECIMATION: ParamDef = ParamDef::integer("Decimation", 1, 1, i64::MAX)
        .doc("The number of steps from row to row; 1: a row in every step");
    /// Where a name is seen.
    pub const TAG_REACH: ParamDef = ParamDef::choice("Visibility", &["local", "inside"])
        .doc("Whether the name is visible in this model only (local), or also in the models inside it (inside)");
    /// How often a discrete block acts.
    pub const SAMPLE_TIME: ParamDef = ParamDef::number("Sample Time", &[-1.0])
        .fixed()
        .unit("s")
        .doc("The time between samples, a multiple of the step; 0: every step, −1: inherited from the inputs");
    /// When it acts first.
    pub const SAMPLE_OFFSET: ParamDef = ParamDef::number("Sample Offset", &[0.0])
        .fixed()
        .unit("s")
        .doc("The time of the first sample, less than the sample time");

    pub const fn number(name: &'static str, default: &'static [f64]) -> ParamDef {
        let (min, max, longest) = (f64::NEG_INFINITY, f64::INFINITY, MOST_ELEMENTS);
        let kind = ParamKind::Number { default, min, max, vector: false, fixed: false, longest };
        ParamDef { name, doc: "", unit: "", kind, table: None }
    }

    pub const fn integer(name: &'static str, default: i64, min: i64, max: i64) -> ParamDef {
        ParamDef { name, doc: "", unit: "", kind: ParamKind::Integer { default, min, max }, table: None }
    }

    /// The default is the first.
    pub const fn choice(name: &'static str, of: &'static [&'static str]) -> ParamDef {
        ParamDef { name, doc: "", unit: "", kind: ParamKind::Choice { default: of[0], of }, table: None }
    }

    pub const fn flag(name: &'static str, default: bool) -> ParamDef {
        ParamDef { name, doc: "", unit: "", kind: ParamKind::Flag { default }, table: None }
    }

    pub const fn text(name: &'static str, default: &'static str) -> ParamDef {
        ParamDef { name, doc: "", unit: "", kind: ParamKind::Text { default }, table: None }
    }

    pub const fn tag(name: &'static str, space: &'static str, way: TagWay) -> ParamDef {
        ParamDef { name, doc: "", unit: "", kind: ParamKind::Tag { default: "A", space, way }, table: None }
    }

    pub const fn file(name: &'static str, default: &'static str, way: FileWay) -> ParamDef {
        ParamDef { name, doc: "", unit: "", kind: ParamKind::File { default, way }, table: None }
    }

    pub const fn code(name: &'static str, default: &'static str) -> ParamDef {
        ParamDef { name, doc: "", unit: "", kind: ParamKind::Code { default }, table: None }
    }

    pub const fn formula(name: &'static str, default: &'static str, inputs: &'static str) -> ParamDef {
        ParamDef { name, doc: "", unit: "", kind: ParamKind::Formula { default, inputs }, table: None }
    }

    /// Each number stands beside one of another parameter.
    pub const fn beside(mut self, other: &'static str) -> ParamDef {
        self.table = Some(Table::Beside(other));
        self
    }

    /// Row after row, with breakpoints for rows and columns.
    pub const fn grid(mut self, rows: &'static str, columns: &'static str) -> ParamDef {
        self.table = Some(Table::Grid { rows, columns });
        self
    }

    pub const fn doc(mut self, doc: &'static str) -> ParamDef {
        self.doc = doc;
        self
    }

    pub const fn unit(mut self, unit: &'static str) -> ParamDef {
        self.unit = unit;
        self
    }

    /// Both limits are allowed values.
    pub const fn between(mut self, low: f64, high: f64) -> ParamDef {
        if let ParamKind::Number { default, vector, fixed, longest, .. } = self.kind {
            self.kind = ParamKind::Number { default, min: low, max: high, vector, fixed, longest };
        }
        self
    }

    pub const fn vector(mut self) -> ParamDef {
        if let ParamKind::Number { default, min, max, fixed, longest, .. } = self.kind {
            self.kind = ParamKind::Number { default, min, max, vector: true, fixed, longest };
        }
        self
    }

    /// A vector of so many values at most.
    pub const fn vector_of(mut self, longest: usize) -> ParamDef {
        self = self.vector();
        if let ParamKind::Number { default, min, max, vector, fixed, .. } = self.kind {
            self.kind = ParamKind::Number { default, min, max, vector, fixed, longest };
        }
        self
    }

    pub const fn fixed(mut self) -> ParamDef {
        if let ParamKind::Number { default, min, max, vector, longest, .. } = self.kind {
            self.kind = ParamKind::Number { default, min, max, vector, fixed: true, longest };
        }
        self
    }

    /// The default as the file writes it.
    pub fn default_texts(&self) -> Vec<String> {
        match self.kind {
            ParamKind::Number { default, .. } => default.iter().map(f64::to_string).collect(),
            ParamKind::Integer { default, .. } => vec![default.to_string()],
            ParamKind::Choice { default, .. } => vec![default.to_owned()],
            ParamKind::Flag { default } => vec![u8::from(default).to_string()],
            ParamKind::Text { default }
            | ParamKind::Tag { default, .. }
            | ParamKind::File { default, .. }
            | ParamKind::Code { default }
            | ParamKind::Formula { default, .. } => vec![default.to_owned()],
        }
    }
}

/// A small run of one block: what goes in at each step and what must come out.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    pub doc: &'static str,
    /// Option name and values, as the file writes them.
    pub options: &'static [(&'static str, &'static [&'static str])],
    /// Seconds a step.
    pub delta: f64,
    /// Lanes of each input, of a source those of its output; empty where all have one.
    pub widths: &'static [usize],
    /// For each input the value at each step, all lanes of a step one after the other.
    pub inputs: &'static [&'static [f64]],
    /// For each output the value at each step, all lanes of a step one after the other, met to 1e-12 of its size.
    pub outputs: &'static [&'static [f64]],
}

impl Example {
    /// Lanes of an input, or of a source's output.
    pub fn width(&self, input: usize) -> usize {
        self.widths.get(input).copied().unwrap_or(1)
    }

    /// How many steps it takes.
    pub fn steps(&self) -> usize {
        let values = self.inputs.first().or(self.outputs.first());
        values.map_or(0, |values| values.len()) / self.width(0).max(1)
    }
}
