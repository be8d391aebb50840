//! The document: a simulation's models, blocks and connections, and everything else that its file contains.
//!
//! A [`Simulation`] is a value: models and blocks are shared by `Arc`, so that a copy is cheap and a snapshot is an
//! undo step. [`Document::apply`] is the only way to change a simulation that is being edited. [`check()`] returns the
//! errors and warnings.
//!
//! This layer never knows a file format, an engine or a window. Next: [`crate::format`] reads and writes it,
//! [`crate::engine`] runs it.

mod address;
mod attributes;
mod block;
pub mod check;
mod chosen;
mod codes;
mod commented;
mod connection;
mod crossings;
mod diagnostic;
mod difference;
mod document;
mod edit;
mod expression_names;
mod fix;
mod fragment;
mod group;
mod links;
mod loops;
mod marks;
mod mask;
mod nesting;
mod ports;
mod remote;
mod replace;
mod roles;
mod seeds;
mod shared_map;
mod simulation;
mod tags;
mod text;
mod trace;
mod transfer;
mod units;
mod update;
mod variable;
mod variable_users;
mod variants;

pub use address::{BlockAddress, SignalError, SignalKey, model_at};
pub use attributes::{Attributes, Extra};
pub use block::{Block, BlockId, BlockKind, BlockOption, BodyItem, OptionItem, Position, VIEW_FLIP};
pub use check::check;
pub(crate) use check::{Checked, CheckedBlock, CheckedBlocks, check_and_link, loop_found};
pub use chosen::{ChoiceError, blocks_with_variants, choose_variants, chosen_variant, with_chosen_variants};
pub use codes::{CODES, CodeDef, CodeExample, explanation};
pub use commented::{Commented, without_commented};
pub use connection::{Connection, InputKey};
pub use crossings::{has_crossings, locates_crossings};
pub use diagnostic::{Diagnostic, Location, PortRef, Severity, TextPosition};
pub use difference::{Difference, differences};
pub use document::{Document, Snapshot};
pub use edit::{Change, ChangeKind, Edit, EditError, would_nest};
pub use fix::{Fix, delayed, fixes, grounded};
pub use fragment::{Fragment, Pasted};
pub use group::{ExpandError, expand, group};
pub use links::{Linked, is_hidden, is_hidden_port, link, linked_ports};
pub(crate) use loops::find_loops_linked;
pub use loops::{Hop, find_loops, inputs_behind, loop_closed_anywhere, loop_closed_by, without_loops};
pub use marks::{PROBED, marked_signals, names_of_signals};
pub use mask::{Choice, Mask, MaskError};
pub use nesting::{Nesting, break_rings, nesting};
pub use ports::{BlockPorts, ModelPorts, SharedPorts, block_ports, has_port, library_ports, model_ports, settings_of};
pub use remote::{no_worker, remote_blocks};
pub use replace::replace_block;
pub use roles::{DEFAULT_LIMIT, Edge, Flow, Repeat, RepeatKind, Role, States, is_reset_when_idle};
pub use seeds::{is_random, parsed_seeds, seeds_of};
pub use shared_map::SharedMap;
pub use simulation::{DEFAULT_SOLVER, Model, Simulation};
pub use tags::{TagError, has_wire_tag, tags_for_wires, wires_for_tags};
pub use text::{bad_name, bad_text, bad_text_in, is_format_control, is_storable, is_xml_name, is_xml_name_character};
pub use trace::{Direction, Trace, trace};
pub use transfer::{CopiedModel, copy_model, model_alone};
pub use update::{BlockRef, DocumentEvent, Subscription, Update, UpdateCause, WireEnds};
pub use variable::{ModelInstance, Scope, Variable, Variables, in_scope, name_problem, unknown_name};
pub use variable_users::VariableUsers;
pub use variants::{Variant, VariantError};
