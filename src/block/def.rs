//! One row of the library.

use super::limits::MAX_ELEMENTS;
use super::{Body, Builder, Look, SampleTime, SampleTimeError, Settings};

/// The definition of a block. Every field can be a constant, so that a block is one file with one `DEF`.
#[derive(Debug)]
pub struct BlockDef {
    /// The file's `group`, a folder of the palette.
    pub group: &'static str,
    /// The file's `name`, unique in its group. The user sees the [`BlockDef::title`].
    pub name: &'static str,
    /// The summary: one sentence without a full stop that starts with a verb and says what the block computes.
    pub doc: &'static str,
    /// The mathematics as text, such as `y = k·u`, with its literature reference where it has one.
    pub formula: &'static str,
    /// Search terms: the block's names in other programs, in lower case.
    pub aliases: &'static [&'static str],
    /// The outline and the icon.
    pub look: Look,
    /// The inputs, in the order of [`Builder::input`].
    pub inputs: Ports,
    /// The outputs, in the order of [`Builder::output`].
    pub outputs: Ports,
    /// The parameters, in the order of the inspector.
    pub params: &'static [ParamDef],
    /// Writes the mathematics to the tape. It is called for every combination of settings and input widths.
    pub build: fn(&Builder),
    /// Examples serve as help text and as tests.
    pub examples: &'static [Example],
}

impl BlockDef {
    /// Returns the parameter of a name.
    pub fn param(&self, name: &str) -> Option<&'static ParamDef> {
        self.params.iter().find(|param| param.name == name)
    }

    /// Whether the block is an annotation of the diagram, which no engine executes.
    pub fn is_remark(&self) -> bool {
        matches!(self.look.body, Body::Note | Body::Area)
    }

    /// Returns the parameter that holds the block's tag, the tag's name space, and the role of the block.
    pub fn tag(&self) -> Option<(&'static str, &'static str, TagRole)> {
        self.params.iter().find_map(|param| match param.kind {
            ParamKind::Tag { space, role, .. } => Some((param.name, space, role)),
            _ => None,
        })
    }

    /// Whether the block reads a file when its tape is built.
    pub fn reads_file(&self) -> bool {
        self.params
            .iter()
            .any(|param| matches!(param.kind, ParamKind::File { access: FileAccess::Read | FileAccess::Run, .. }))
    }

    /// Whether the block runs the model in a foreign file; its options are those of [`ForeignUse`](super::ForeignUse).
    pub fn runs_file(&self) -> bool {
        self.params.iter().any(|param| matches!(param.kind, ParamKind::File { access: FileAccess::Run, .. }))
    }

    /// Returns the parameter that names the file that the block writes.
    pub fn written_file(&self) -> Option<&'static str> {
        let is_written = |param: &&ParamDef| matches!(param.kind, ParamKind::File { access: FileAccess::Write, .. });
        self.params.iter().find(is_written).map(|param| param.name)
    }

    /// Returns the number of outputs of the tape: those of the diagram, and one for a tag.
    pub fn output_count(&self, settings: &Settings) -> usize {
        self.outputs.count(settings) + usize::from(self.tag().is_some_and(|(_, _, role)| role.has_output()))
    }

    /// Whether the block has a sample time, the parameter [`ParamDef::SAMPLE_TIME`]. Between its hits its outputs and
    /// states hold.
    pub fn is_sampled(&self) -> bool {
        self.param(ParamDef::SAMPLE_TIME.name).is_some()
    }

    /// Whether the inputs have names that the user chooses freely: the parameter [`ParamDef::ELEMENT_NAMES`].
    pub fn names_inputs(&self) -> bool {
        self.params.contains(&ParamDef::ELEMENT_NAMES)
    }

    /// Whether the block takes elements of its first input by name: it has the parameter [`ParamDef::INPUT_NAMES`].
    pub fn takes_bus(&self) -> bool {
        self.param(ParamDef::INPUT_NAMES.name).is_some()
    }

    /// Whether the block draws random numbers: it has the parameter [`ParamDef::SEED`].
    pub fn is_random(&self) -> bool {
        self.param(ParamDef::SEED.name).is_some()
    }

    /// Returns the sample time of a sampled block, or `None` if it is inherited from the inputs.
    ///
    /// # Errors
    /// Fails if the sample time is not a multiple of the step size `delta` in seconds.
    pub fn sample(&self, settings: &Settings, delta: f64) -> Result<Option<SampleTime>, SampleTimeError> {
        let offset = ParamDef::SAMPLE_OFFSET.name;
        let offset = if self.param(offset).is_some() { settings.number(offset) } else { 0.0 };
        SampleTime::of(settings.number(ParamDef::SAMPLE_TIME.name), offset, delta)
    }
}

/// The names of the inputs or the outputs, which may depend on the settings.
#[derive(Clone, Copy, Debug)]
pub enum Ports {
    /// Always these.
    Fixed(&'static [&'static str]),
    /// `stem 1`, `stem 2`, …, as many as the value of the integer parameter.
    #[allow(missing_docs, reason = "the text above names its fields")]
    Counted { stem: &'static str, param: &'static str },
    /// Those that a function of the settings returns.
    By(fn(&Settings) -> Vec<String>),
}

impl Ports {
    /// No ports.
    pub const NONE: Ports = Ports::Fixed(&[]);

    /// Returns the number of ports.
    pub fn count(&self, settings: &Settings) -> usize {
        match self {
            Ports::Fixed(names) => names.len(),
            Ports::Counted { param, .. } => settings.integer(param).max(0) as usize,
            Ports::By(names) => names(settings).len(),
        }
    }

    /// Returns the names of the ports.
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

/// A parameter of a block, which is the file's option of the same name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParamDef {
    /// The name, in files too.
    pub name: &'static str,
    /// The help: one sentence without a full stop.
    pub doc: &'static str,
    /// The SI unit; empty where the parameter has no unit or that of the signal.
    pub unit: &'static str,
    /// The values that it may have.
    pub kind: ParamKind,
    /// The table that the numbers are part of, if any.
    pub table: Option<TableLayout>,
    /// Whether it is an argument of the block's code, which is no input: see [`BlockDef::with_arguments`].
    pub is_argument: bool,
}

/// The layout of a table of numbers of this parameter and others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableLayout {
    /// Two columns: the numbers of the named parameter and those of this one.
    Beside(&'static str),
    /// A matrix, row after row, with the numbers of the two named parameters as row and column headings.
    #[allow(missing_docs, reason = "the text above names its fields")]
    Grid { rows: &'static str, columns: &'static str },
}

/// The values that a parameter may have. `default` is that of a new block; the limits `min` and `max` are allowed
/// themselves; `of` are the choices.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the text above names the fields")]
pub enum ParamKind {
    /// One value, or several where `vector`. A `fixed` parameter is used when the tape is built (a length, the
    /// coefficients of a filter), and a change takes effect on the next run; others may change between steps.
    Number {
        default: &'static [f64],
        min: f64,
        max: f64,
        vector: bool,
        fixed: bool,
        /// The maximum number of values.
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
    /// The name of a signal that is connected without a wire; names of one `space` are matched with each other.
    Tag {
        default: &'static str,
        space: &'static str,
        role: TagRole,
    },
    /// The path of a file, relative to the folder of the simulation.
    File {
        default: &'static str,
        access: FileAccess,
    },
    /// The code of a function, see [`super::language`].
    Code {
        default: &'static str,
    },
    /// Lines `name = expression`. The text parameter `inputs` lists the names of the inputs; an empty `inputs` means
    /// that there are none. The formula may be empty only if its default is.
    Formula {
        default: &'static str,
        inputs: &'static str,
    },
}

/// How a block accesses a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileAccess {
    /// The block reads the file when the simulation is compiled.
    Read,
    /// The block runs the model in the file, an FMU, if the user allows its code.
    Run,
    /// The block writes a row of all its inputs every [`ParamDef::DECIMATION`] steps.
    Write,
}

/// The role of a block for a signal that has a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagRole {
    /// The block sends the signal: its last output is connected to all receivers.
    Sender,
    /// The block receives the signal: its last input is connected to the sender.
    Receiver,
    /// The block is a data store: it sends its value, and has a further input for each writer.
    Store,
    /// The block writes to a store: its last output is connected to the store.
    Writer,
}

impl TagRole {
    /// Whether the block has an output for the tag.
    pub fn has_output(self) -> bool {
        self != TagRole::Receiver
    }

    /// Whether the block defines the tag, which other blocks refer to.
    pub fn is_origin(self) -> bool {
        matches!(self, TagRole::Sender | TagRole::Store)
    }
}

impl ParamDef {
    /// The number of steps per row of a block that writes a file.
    pub const DECIMATION: ParamDef = ParamDef::integer("Decimation", 1, 1, i64::MAX)
        .doc("The number of steps from row to row; 1: a row in every step");
    /// The visibility of a tag.
    pub const TAG_REACH: ParamDef = ParamDef::choice("Visibility", &["local", "inside"])
        .doc("Whether the name is visible in this model only (local), or also in the models inside it (inside)");
    /// The sample time of a discrete block.
    pub const SAMPLE_TIME: ParamDef = ParamDef::number("Sample Time", &[-1.0])
        .fixed()
        .unit("s")
        .doc("The time between samples, a multiple of the step; 0: every step, −1: inherited from the inputs");
    /// The seed of a block that draws random numbers.
    pub const SEED: ParamDef = ParamDef::number("Seed", &[0.0]).doc(
        "The seed of the random numbers; equal seeds give equal numbers only in the same kind of block and within model \
         blocks of equal seeds, and a new block or model block has a seed of its own",
    );
    /// The names of the inputs of a block that makes a bus.
    pub const ELEMENT_NAMES: ParamDef = ParamDef::text("Names", "signal1 signal2")
        .doc("The names of the elements, one for each input, separated by spaces");
    /// The names of the elements of an input that is not a bus.
    pub const INPUT_NAMES: ParamDef = ParamDef::text("Input Names", "").doc(
        "The names of the elements of an input without names, such as speed pose[3], for a vector that a file, a script or \
         an FMU outputs; empty: the input is a bus",
    );
    /// The time of the first sample.
    pub const SAMPLE_OFFSET: ParamDef =
        ParamDef::number("Sample Offset", &[0.0]).fixed().unit("s").doc("The time of the first sample");

    /// One number without limits.
    pub const fn number(name: &'static str, default: &'static [f64]) -> ParamDef {
        let (min, max, longest) = (f64::NEG_INFINITY, f64::INFINITY, MAX_ELEMENTS);
        let kind = ParamKind::Number { default, min, max, vector: false, fixed: false, longest };
        ParamDef { name, doc: "", unit: "", kind, table: None, is_argument: false }
    }

    /// A whole number.
    pub const fn integer(name: &'static str, default: i64, min: i64, max: i64) -> ParamDef {
        ParamDef {
            name,
            doc: "",
            unit: "",
            kind: ParamKind::Integer { default, min, max },
            table: None,
            is_argument: false,
        }
    }

    /// The default is the first choice.
    pub const fn choice(name: &'static str, of: &'static [&'static str]) -> ParamDef {
        ParamDef {
            name,
            doc: "",
            unit: "",
            kind: ParamKind::Choice { default: of[0], of },
            table: None,
            is_argument: false,
        }
    }

    /// Yes or no.
    pub const fn flag(name: &'static str, default: bool) -> ParamDef {
        ParamDef { name, doc: "", unit: "", kind: ParamKind::Flag { default }, table: None, is_argument: false }
    }

    /// A line of text.
    pub const fn text(name: &'static str, default: &'static str) -> ParamDef {
        ParamDef { name, doc: "", unit: "", kind: ParamKind::Text { default }, table: None, is_argument: false }
    }

    /// The name of a signal that is connected without a wire.
    pub const fn tag(name: &'static str, space: &'static str, role: TagRole) -> ParamDef {
        ParamDef {
            name,
            doc: "",
            unit: "",
            kind: ParamKind::Tag { default: "A", space, role },
            table: None,
            is_argument: false,
        }
    }

    /// The path of a file.
    pub const fn file(name: &'static str, default: &'static str, access: FileAccess) -> ParamDef {
        ParamDef { name, doc: "", unit: "", kind: ParamKind::File { default, access }, table: None, is_argument: false }
    }

    /// The code of a function, see [`super::language`].
    pub const fn code(name: &'static str, default: &'static str) -> ParamDef {
        ParamDef { name, doc: "", unit: "", kind: ParamKind::Code { default }, table: None, is_argument: false }
    }

    /// Lines `name = expression`.
    pub const fn formula(name: &'static str, default: &'static str, inputs: &'static str) -> ParamDef {
        ParamDef {
            name,
            doc: "",
            unit: "",
            kind: ParamKind::Formula { default, inputs },
            table: None,
            is_argument: false,
        }
    }

    /// Each number is paired with one of another parameter.
    pub const fn beside(mut self, other: &'static str) -> ParamDef {
        self.table = Some(TableLayout::Beside(other));
        self
    }

    /// The numbers are a matrix, row after row, with breakpoints for rows and columns.
    pub const fn grid(mut self, rows: &'static str, columns: &'static str) -> ParamDef {
        self.table = Some(TableLayout::Grid { rows, columns });
        self
    }

    /// Sets the help.
    pub const fn doc(mut self, doc: &'static str) -> ParamDef {
        self.doc = doc;
        self
    }

    /// Sets the SI unit.
    pub const fn unit(mut self, unit: &'static str) -> ParamDef {
        self.unit = unit;
        self
    }

    /// Allows numbers above 0.
    pub const fn positive(self) -> ParamDef {
        self.between(f64::MIN_POSITIVE, f64::INFINITY)
    }

    /// Allows numbers above 0, up to a maximum.
    pub const fn above_zero(self, high: f64) -> ParamDef {
        self.between(f64::MIN_POSITIVE, high)
    }

    /// Sets the limits, which are allowed values themselves.
    pub const fn between(mut self, low: f64, high: f64) -> ParamDef {
        if let ParamKind::Number { default, vector, fixed, longest, .. } = self.kind {
            self.kind = ParamKind::Number { default, min: low, max: high, vector, fixed, longest };
        }
        self
    }

    /// Allows several numbers.
    pub const fn vector(mut self) -> ParamDef {
        if let ParamKind::Number { default, min, max, fixed, longest, .. } = self.kind {
            self.kind = ParamKind::Number { default, min, max, vector: true, fixed, longest };
        }
        self
    }

    /// A vector of at most `longest` values.
    pub const fn vector_of(mut self, longest: usize) -> ParamDef {
        self = self.vector();
        if let ParamKind::Number { default, min, max, vector, fixed, .. } = self.kind {
            self.kind = ParamKind::Number { default, min, max, vector, fixed, longest };
        }
        self
    }

    /// Lets a change take effect on the next run.
    pub const fn fixed(mut self) -> ParamDef {
        if let ParamKind::Number { default, min, max, vector, longest, .. } = self.kind {
            self.kind = ParamKind::Number { default, min, max, vector, fixed: true, longest };
        }
        self
    }

    /// Returns the default as it is written to a file.
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

/// A short run of a single block, with its inputs and the expected outputs at each step.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// What the example shows.
    pub doc: &'static str,
    /// The names of options and their values, as in a file.
    pub options: &'static [(&'static str, &'static [&'static str])],
    /// The step size in seconds.
    pub delta: f64,
    /// The width of each input, or of a source's output; empty where all are 1.
    pub widths: &'static [usize],
    /// For each input the values of all steps, the elements of a step one after the other.
    pub inputs: &'static [&'static [f64]],
    /// For each output the values of all steps, as for inputs, with a relative tolerance of 1e-12.
    pub outputs: &'static [&'static [f64]],
}

impl Example {
    /// Returns the width of an input, or of a source's output.
    pub fn width(&self, input: usize) -> usize {
        self.widths.get(input).copied().unwrap_or(1)
    }

    /// Returns the number of steps.
    pub fn steps(&self) -> usize {
        let values = self.inputs.first().or(self.outputs.first());
        values.map_or(0, |values| values.len()) / self.width(0).max(1)
    }
}
