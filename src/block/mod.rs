//! The definition of a block: its ports, parameters, picture and mathematics.
//!
//! A [`BlockDef`] is one row of the library; everything the program knows about a block (palette, inspector, file
//! options, help, checks, engines) comes from that row. The mathematics is written once, on the tape [`Builder`].
//!
//! This layer knows no diagram, file, engine or window. Next: [`crate::model`], the diagrams that use blocks.

mod arguments;
#[doc(hidden)]
pub mod boundary;
#[deny(missing_docs)]
mod builder;
mod bus;
mod cancel;
#[deny(missing_docs)]
mod def;
#[doc(hidden)]
pub mod description;
mod draft;
mod edge;
#[deny(missing_docs)]
mod expr;
mod files;
mod foreign;
mod hex;
#[doc(hidden)]
pub mod hidden_blocks;
#[deny(missing_docs)]
mod host_function;
mod kernel;
#[doc(hidden)]
pub mod language;
#[doc(hidden)]
pub mod library;
#[doc(hidden)]
pub mod limits;
#[deny(missing_docs)]
mod look;
#[doc(hidden)]
pub mod math;
#[deny(missing_docs)]
mod method;
#[deny(missing_docs)]
mod registry;
mod sample_time;
mod sampling;
#[doc(hidden)]
pub mod search;
mod setting_text;
mod settings;
mod state;
mod structured;
mod tape;
mod watched_code;

pub use builder::{Builder, Expr};
pub use def::{BlockDef, Example, FileAccess, ParamDef, ParamKind, Ports, TableLayout, TagRole};
pub use host_function::{CallError, HostFn, HostFunction};
pub use kernel::Reaction;
pub use look::{Body, Face, Look, PolynomialIn};
pub use math::{Binary, Unary};
pub use method::{Method, Rates};
pub use registry::{Registry, RegistryError};
pub use sample_time::SampleTime;
pub use settings::{Setting, Settings};
pub use state::{History, Record, StateVar};

// For the program itself, its tests and the Python binding.
#[doc(hidden)]
pub use self::{
    arguments::ARGUMENT_LINES,
    bus::{Bus, BusElement, BusError, BusPart, SignalType, element_name, element_names, is_name},
    cancel::Cancel,
    edge::{EDGES, edge, edge_of},
    expr::Operand,
    files::{DataColumn, DataTable, FileError, Files, NoFiles, RowWriter, TableError},
    foreign::{
        ForeignDescription, ForeignKind, ForeignModel, ForeignParam, ForeignUse, TOKEN, assignments, formula_names,
        ports_in, ports_text, with_assignment,
    },
    hex::{hex_number, hex_text},
    kernel::{
        BuildContext, BuildError, Delay, Iterations, Kernel, KernelOutput, Mode, Rate, ReportDef, StateDef, StateKind,
        TimeEvents, Update,
    },
    language::FORMULA_TIME,
    library::data::{Curve, Extrapolation, Interpolation},
    look::polynomial_text,
    registry::Absent,
    sample_time::SampleTimeError,
    setting_text::{SettingError, ValueError, names_in, parse_number, values_of},
    settings::{CodeSetting, FormulaSetting, SettingsShape, limits_text, number_text},
    structured::{PortGroup, port_groups},
    tape::{Clock, Op, RecordRead, Reg},
    watched_code::{CodeArgument, CodeStep, KeptVariable, WatchedCode},
};
pub(crate) use host_function::{caught, panic_text};
pub(crate) use sample_time::gcd;
