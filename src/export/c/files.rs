//! The options of an export, and the files that it produces.

/// The type of the numbers in the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// `double`: the bits of the simulation.
    #[default]
    Double,
    /// `float`: other results, with an error that a comparison with the simulation measures.
    Single,
}

impl Precision {
    /// The type in C.
    pub fn name(self) -> &'static str {
        match self {
            Precision::Double => "double",
            Precision::Single => "float",
        }
    }
}

/// How the code is written.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// The start of the names of files, types and functions, for example of the file: `dc_motor`. It is made an
    /// identifier.
    pub name: &'a str,
    /// Whether the mathematics is in the file of the code, not in files of its own.
    pub is_single_file: bool,
    /// Whether parameters are constants in the code; otherwise they are in the instance and can be changed.
    pub inlines_parameters: bool,
    pub precision: Precision,
    /// The values of the parameters, those of [`crate::engine::Program::params`] or of a context.
    pub params: &'a [f64],
}

/// A file of the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub name: String,
    pub text: String,
}
