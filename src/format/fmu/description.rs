//! The description of an FMU, in one form for both versions of FMI.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The most elements that a variable may have, and all inputs, outputs or states together.
pub const MAX_VALUES: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FmiVersion {
    Two,
    Three,
}

/// The interface of an FMU: it computes a step by itself, or derivatives for our solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Simulated {
    CoSimulation,
    ModelExchange,
}

/// The content of `modelDescription.xml`, and which binaries and sources the archive has.
#[derive(Clone, Debug)]
pub struct Description {
    pub version: FmiVersion,
    pub name: String,
    /// The `guid` of FMI 2, the `instantiationToken` of FMI 3.
    pub token: String,
    pub tool: String,
    pub text: String,
    pub author: String,
    pub model_version: String,
    pub license: String,
    pub co_simulation: Option<FmuInterface>,
    pub model_exchange: Option<FmuInterface>,
    /// Whether a dot in a variable's name separates it from the name of the part that it belongs to.
    pub is_structured: bool,
    pub variables: Vec<FmuVariable>,
    /// The number of continuous states.
    pub states: usize,
    /// The number of event indicators.
    pub indicators: usize,
    /// In seconds.
    pub start_time: Option<f64>,
    pub stop_time: Option<f64>,
    pub step_size: Option<f64>,
    pub tolerance: Option<f64>,
    /// The folders in `binaries`, sorted.
    pub platforms: Vec<String>,
    pub has_sources: bool,
}

/// The abilities of an FMU in one of its two uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FmuInterface {
    /// The name of the library, without extension.
    pub identifier: String,
    pub can_save_state: bool,
    pub needs_tool: bool,
    /// Whether the FMU must be told of each completed step of a solver.
    pub needs_completed_step: bool,
    /// The files in `sources` that are compiled, in FMI 2; all of them if none are named.
    pub sources: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct FmuVariable {
    pub name: String,
    pub reference: u32,
    pub causality: Causality,
    pub variability: Variability,
    pub kind: FmuType,
    /// The start values as they are written; empty if there are none.
    pub start: Vec<String>,
    pub unit: String,
    pub description: String,
    /// The size in each dimension, of an array of FMI 3.
    pub dimensions: Vec<usize>,
    /// Whether an output may depend directly on an input: it does unless the description lists its dependencies.
    pub is_direct: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Causality {
    StructuralParameter,
    Parameter,
    CalculatedParameter,
    Input,
    Output,
    Local,
    Independent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variability {
    Constant,
    Fixed,
    Tunable,
    Discrete,
    Continuous,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FmuType {
    Float64,
    Float32,
    Int8,
    UInt8,
    Int16,
    UInt16,
    Int32,
    UInt32,
    Int64,
    UInt64,
    Boolean,
    String,
    Binary,
    Clock,
    Enumeration,
}

impl FmuType {
    /// The types by their names in FMI 3.
    pub const ALL: [(&'static str, FmuType); 15] = [
        ("Float64", FmuType::Float64),
        ("Float32", FmuType::Float32),
        ("Int8", FmuType::Int8),
        ("UInt8", FmuType::UInt8),
        ("Int16", FmuType::Int16),
        ("UInt16", FmuType::UInt16),
        ("Int32", FmuType::Int32),
        ("UInt32", FmuType::UInt32),
        ("Int64", FmuType::Int64),
        ("UInt64", FmuType::UInt64),
        ("Boolean", FmuType::Boolean),
        ("String", FmuType::String),
        ("Binary", FmuType::Binary),
        ("Clock", FmuType::Clock),
        ("Enumeration", FmuType::Enumeration),
    ];

    /// Whether a value can be an element of a signal.
    pub fn is_number(self) -> bool {
        !matches!(self, FmuType::String | FmuType::Binary | FmuType::Clock)
    }
}

impl FmuVariable {
    /// Returns the number of elements.
    pub fn width(&self) -> usize {
        self.dimensions.iter().product()
    }

    /// Returns the start values as numbers; empty if there are none, or if one of them is not a number.
    pub fn start_numbers(&self) -> Vec<f64> {
        let number = |text: &String| match (self.kind, text.as_str()) {
            (FmuType::Boolean, "true" | "1") => Some(1.0),
            (FmuType::Boolean, "false" | "0") => Some(0.0),
            (_, "INF") => Some(f64::INFINITY),
            (_, "-INF") => Some(f64::NEG_INFINITY),
            (_, text) => text.parse().ok(),
        };
        self.start.iter().map(number).collect::<Option<_>>().unwrap_or_default()
    }
}

impl Description {
    /// Returns the variables that become inputs of the block.
    pub fn inputs(&self) -> impl Iterator<Item = &FmuVariable> {
        self.of(Causality::Input).filter(|variable| variable.kind.is_number())
    }

    /// Returns the variables that become outputs of the block.
    pub fn outputs(&self) -> impl Iterator<Item = &FmuVariable> {
        self.of(Causality::Output).filter(|variable| variable.kind.is_number())
    }

    /// Returns the parameters that a user may set.
    pub fn parameters(&self) -> impl Iterator<Item = &FmuVariable> {
        self.of(Causality::Parameter).filter(|variable| variable.variability != Variability::Constant)
    }

    /// Returns the clocks that a master would have to tick.
    pub fn input_clocks(&self) -> impl Iterator<Item = &FmuVariable> {
        self.of(Causality::Input).filter(|variable| variable.kind == FmuType::Clock)
    }

    fn of(&self, causality: Causality) -> impl Iterator<Item = &FmuVariable> {
        self.variables.iter().filter(move |variable| variable.causality == causality)
    }

    pub fn interface(&self, simulated: Simulated) -> Option<&FmuInterface> {
        match simulated {
            Simulated::CoSimulation => self.co_simulation.as_ref(),
            Simulated::ModelExchange => self.model_exchange.as_ref(),
        }
    }
}

impl fmt::Display for FmiVersion {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            FmiVersion::Two => "2.0",
            FmiVersion::Three => "3.0",
        })
    }
}

impl fmt::Display for Simulated {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Simulated::CoSimulation => "co-simulation",
            Simulated::ModelExchange => "model exchange",
        })
    }
}
