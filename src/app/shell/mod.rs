//! The shell: the window's state, the one way from a click or a key to a change, and the arrangement of the panels.
//!
//! It names all rooms of the window, and none of them names it.
//!
//! | module | contents |
//! |---|---|
//! | `state` | [`App`](state::App): what the window holds, whatever is open |
//! | `open_file`, `panel_states` | [`OpenFile`](open_file::OpenFile): the open document and all that belongs to it |
//! | `dispatch` | the one way from a click or key to a change: passes commands and actions on to the next line |
//! | `files`, `editing`, `viewing`, `plotting`, `running`, `lab` | carry them out |
//! | `offers` | which commands are enabled, on, and how they are called now |
//! | `draw`, `diagram`, `panels`, `layout` | drawing: the bars, the diagram, the panels and their arrangement |
//! | `input`, `input_order`, `window`, `player` | what arrives from the platform, and in which order; its window; the dashboard alone |
//! | `dialogs`, `chooser` | the open dialog; the platform's file dialog |
//! | `changed_outside`, `ending` | files changed by other programs; signals and a lost display |
//! | `opening`, `saving`, `recovery`, `exchange`, `export`, `export_code`, `export_fmu`, `export_picture`, `outside` | files |
//! | `plugins` | the list of plug-ins |
//! | `pools` | pools of computers: the list of them, and sweeps on them |
//! | `engines`, `sweep` | the choice of the engine; sweeps |
//! | `tour` | tours through the window |
//! | `navigate`, `jobs`, `report` | tabs, history and libraries; the results of background jobs; the report about the program |

mod changed_outside;
mod chooser;
mod diagram;
mod dialogs;
mod dispatch;
mod draw;
mod editing;
mod ending;
mod engines;
mod exchange;
mod export;
mod export_code;
mod export_fmu;
mod export_picture;
mod export_report;
mod files;
mod input;
mod input_order;
mod jobs;
mod lab;
mod layout;
mod navigate;
mod offers;
pub(super) mod open_file;
mod opening;
mod outside;
mod panel_states;
mod panels;
mod player;
mod plotting;
mod plugins;
#[cfg(feature = "pool")]
mod pools;
pub(super) mod recovery;
mod remote;
mod report;
mod running;
mod saving;
pub(super) mod state;
mod sweep;
mod tour;
mod viewing;
pub(super) mod window;
