//! The definition of a block: its ports, parameters, picture and mathematics.
//!
//! A [`BlockDef`] is one row of the library; everything the program knows about a block (palette, inspector, file
//! options, help, checks, engines) comes from that row. The mathematics is written once, on the tape [`Builder`].
//!
//! This layer knows no diagram, file, engine or window. Next: [`crate::model`], the diagrams that use blocks.

pub mod boundary;
mod builder;
mod bus;
mod cancel;
mod def;
mod draft;
mod edge;
mod expr;
pub mod expression;
mod files;
mod foreign;
mod hex;
pub mod hidden_blocks;
mod host_function;
mod kernel;
pub mod library;
pub mod limits;
mod look;
pub mod math;
mod method;
mod registry;
mod sample_time;
mod sampling;
mod setting_text;
mod settings;
mod state;
mod structured;
mod tape;

pub use builder::{Builder, Expr};
pub use bus::{Bus, BusElement, BusError, BusPart, SignalType, element_name, element_names, is_name};
pub use cancel::Cancel;
pub use def::{BlockDef, Example, FileAccess, ParamDef, ParamKind, Ports, TableLayout, TagRole};
pub use edge::{EDGES, edge, edge_of};
pub use expr::Operand;
pub use files::{DataColumn, DataTable, FileError, Files, NoFiles, RowWriter, TableError};
pub use foreign::{
    ForeignDescription, ForeignKind, ForeignModel, ForeignParam, ForeignUse, TOKEN, assignments, formula_names,
    ports_in, ports_text, with_assignment,
};
pub use hex::{hex_number, hex_text};
pub use host_function::{CallError, HostFn, HostFunction};
pub(crate) use host_function::{caught, panic_text};
pub use kernel::{
    BuildContext, BuildError, Delay, Iterations, Kernel, KernelOutput, Mode, Rate, Reaction, ReportDef, StateDef,
    StateKind, TimeEvents, Update,
};
pub use library::data::{Curve, Extrapolation, Interpolation};
pub use look::{Body, Face, Look, PolynomialIn, polynomial_text};
pub use math::{Binary, Unary};
pub use method::{Method, Rates};
pub use registry::{Absent, Registry, RegistryError};
pub(crate) use sample_time::gcd;
pub use sample_time::{SampleTime, SampleTimeError};
pub use setting_text::{SettingError, ValueError, names_in, parse_number, values_of};
pub use settings::{FORMULA_TIME, FormulaSetting, Setting, Settings, SettingsShape, limits_text, number_text};
pub use state::{History, Record, StateVar};
pub use structured::{PortGroup, port_groups};
pub use tape::{Clock, Op, RecordRead, Reg};
