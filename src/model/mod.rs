//! The document: a simulation's models, blocks and connections, and everything else that its file contains.
//!
//! A [`Simulation`] is a value: models and blocks are shared by `Arc`, so that a copy is cheap and a snapshot is an
//! undo step. [`Document::apply`] is the only way to change a simulation that is being edited. [`check()`] returns the
//! errors and warnings.
//!
//! This layer never knows a file format, an engine or a window. Next: [`crate::format`] reads and writes it,
//! [`crate::engine`] runs it.

mod address;
#[doc(hidden)]
pub mod attribute_list;
mod attributes;
mod block;
#[doc(hidden)]
pub mod check;
mod codes;
mod conflict;
mod conflict_text;
mod connection;
mod crossings;
mod defaults;
#[deny(missing_docs)]
mod diagnostic;
mod difference;
mod document;
mod edit;
mod expression_names;
mod fix;
mod follow;
mod fragment;
mod group;
#[doc(hidden)]
pub mod imported;
mod library_link;
mod loops;
mod lost;
mod marks;
mod mask;
mod naming;
pub(crate) mod near;
mod nesting;
mod new_names;
mod placeholder;
mod port_names;
mod ports;
mod relocation;
mod remote;
mod rename_variable;
mod replace;
mod resolve;
mod roles;
mod seeds;
mod settle;
mod shared_map;
mod simulation;
mod stored;
mod tags;
mod text;
mod trace;
mod transfer;
mod units;
mod update;
mod variable;
mod variable_users;
mod variants;

pub use attributes::Attributes;
pub use block::{Block, BlockId, BlockKind, Position};
pub use connection::{Connection, InputKey};
pub use diagnostic::{Diagnostic, Location, PortRef, Severity, TextPosition};
pub use simulation::{Model, Simulation};
pub use variable::{Variable, Variables};

// For the program itself, its tests and the Python binding.
#[doc(hidden)]
pub use self::{
    address::{BlockAddress, ParamAddress, SignalError, SignalKey, model_at},
    attributes::Extra,
    block::{BlockOption, BodyItem, OptionItem, VIEW_FLIP},
    check::check,
    codes::{CODES, CodeDef, CodeExample, explanation},
    conflict::{CONFLICTS, Conflict, Holder, Property, conflicts, conflicts_in, conflicts_text},
    conflict_text::side_text,
    crossings::{has_crossings, locates_crossings},
    defaults::{is_default, is_default_solver},
    difference::{KeyDifference, difference},
    document::{Document, Snapshot},
    edit::{Change, ChangeKind, Edit, EditError},
    fix::{Fix, delayed, fixes, grounded},
    fragment::{Fragment, Pasted},
    group::{ExpandError, expand, group},
    library_link::LibraryLink,
    loops::{Hop, find_loops, inputs_behind, loop_closed_anywhere, loop_closed_by, without_loops},
    marks::{PROBED, marked_signals, names_of_signals, place_of_signal},
    mask::{Choice, Mask, MaskError},
    naming::{ModelNames, NameError, PortSide, port_of},
    nesting::{Nesting, break_rings, nesting, would_nest},
    new_names::NewNames,
    ports::{
        BlockPorts, ModelPorts, SharedPorts, block_ports, definition_of, has_port, library_ports, line_of, model_ports,
        param_texts, settings_of,
    },
    relocation::{AddressMap, Relocation},
    remote::{no_worker, remote_blocks},
    rename_variable::{RenameError, rename_variable},
    replace::replace_block,
    resolve::{
        ChoiceError, Commented, Linked, blocks_with_variants, choose_variants, chosen_variant, is_hidden,
        is_hidden_port, link, linked_ports, with_chosen_variants,
    },
    roles::{DEFAULT_LIMIT, Edge, Flow, Repeat, RepeatKind, Role, States, is_reset_when_idle},
    seeds::{is_random, parsed_seeds, seeds_of},
    settle::{Settlement, kind_values, settle, settle_all},
    shared_map::SharedMap,
    simulation::DEFAULT_SOLVER,
    stored::{DASHBOARD, PINNED, PLOTS, RECORDED, REQUIREMENTS},
    tags::{TagError, has_wire_tag, tags_for_wires, wires_for_tags},
    text::{bad_name, bad_text, bad_text_in, is_format_control, is_storable, is_xml_name, is_xml_name_character},
    trace::{Direction, Trace, trace},
    transfer::{CopiedModel, copy_model, model_alone, replaced_model},
    update::{BlockRef, DocumentEvent, Subscription, Update, UpdateCause, WireEnds},
    variable::{ModelInstance, Scope, in_scope, name_problem, unknown_name},
    variable_users::VariableUsers,
    variants::{Variant, VariantError},
};
pub(crate) use check::{CheckedBlock, CheckedBlocks, loop_found};
pub(crate) use loops::find_loops_linked;
pub(crate) use resolve::{Resolved, resolve};
