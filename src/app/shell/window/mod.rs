//! The window itself: input from the platform, and the arrangement of its parts.
//!
//! | module | contents |
//! |---|---|
//! | `state` | the state of the window around the document: panels, dialogs, messages |
//! | `platform` | the platform's window around the [`App`](super::app::App) |
//! | `input`, `input_order`, `ending` | what arrives from the platform, and in which order; signals and a lost display |
//! | `draw` | draws the window: menus and bars around the panels |
//! | `diagram`, `panels`, `panel_states`, `layout` | the diagram, the panels, their states and their arrangement |
//! | `dashboard`, `player` | the dashboard in its panel, and alone in the player |
//! | `dialogs`, `path_questions`, `file_dialog` | the open dialog; questions for a path; the platform's file dialog |
//! | `viewing`, `tabs` | carry out the commands and actions on the view; tabs and the split view |
//! | `command_states` | which commands are enabled, on, and how they are called now |
//! | `jobs`, `plugins`, `bug_report` | the results of background jobs; the list of plug-ins; the report about the program |
//! | `tour` | tours through the window |

mod bug_report;
mod command_states;
mod dashboard;
mod diagram;
mod dialogs;
mod draw;
mod ending;
pub mod file_dialog;
mod input;
mod input_order;
mod jobs;
pub mod layout;
pub mod panel_states;
mod panels;
mod path_questions;
pub mod platform;
mod player;
mod plugins;
pub mod state;
mod tabs;
pub mod tour;
mod viewing;
