//! The window. The only place that names egui.
//!
//! | module | what lives there |
//! |---|---|
//! | `state`, `dispatch`, `offers`, `running`, `navigate` | [`App`]: what the window holds, and the one way from a click or key to a change |
//! | [`command`] | the table of commands: menus, toolbar, shortcuts and tooltips come from it |
//! | `ui`, [`panels`], `dialogs`, `layout` | drawing |
//! | [`canvas`] | the diagram |
//! | [`run`], [`runs`], [`run_file`], [`breakpoints`], `jobs`, `latest`, `document_check`, `recovery`, `files`, `export`, `export_picture`, [`instance`] | what goes on on other threads |
//! | `chooser`, `opening`, `saving`, `outside`, `exchange` | file dialogs; opening, saving, import and export |
//! | [`lab`] | traced steps, execution times, causes of failures, linear analysis, sweeps |
//! | [`dashboard`] | controls and instruments on a panel of their own |
//! | [`chart`], [`figures`] | curves with axes, and figures computed from them |
//! | [`drawing`] | diagrams and plots as picture files |
//! | [`theme`], `style`, `icons`, `picture`, `widgets` | appearance |
//! | [`settings`], [`keymap`], `examples`, `engines`, `libraries`, `block_example`, `advice`, `search`, [`find`], `numbers`, `typed`, `plots` | the rest |
//!
//! Panels borrow what they show and return [`Action`]s; only `dispatch` changes anything.

mod action;
mod advice;
mod attribute;
mod block_example;
pub mod breakpoints;
pub mod canvas;
pub mod chart;
mod chooser;
pub mod command;
pub mod dashboard;
mod dialogs;
mod dispatch;
mod document_check;
pub mod drawing;
mod engines;
mod examples;
mod exchange;
mod export;
mod export_picture;
pub mod figures;
mod files;
pub mod find;
mod icons;
pub mod instance;
mod jobs;
pub mod keymap;
pub mod lab;
mod latest;
mod layout;
mod libraries;
mod navigate;
mod numbers;
mod offers;
mod opening;
mod outside;
mod panels;
mod picture;
mod player;
pub mod plots;
mod ports;
mod recovery;
pub mod run;
pub mod run_file;
mod running;
pub mod runs;
mod saving;
mod search;
pub mod settings;
pub mod spill_file;
mod state;
mod style;
pub mod theme;
mod typed;
mod ui;
mod widgets;
mod window;

pub use chooser::{PathQuestion, PathRequest};
pub use settings::Settings;
pub use state::{Action, AfterSave, App, OpenFile};
pub use window::{Place, play, run};
