//! The window. The only place that names egui.
//!
//! Its rooms and their dependencies: a room names the rooms below it that a line leads to. A test checks this
//! (`tests/rooms`).
//!
//! ```text
//!                          shell       App, dispatch, window, layout; named by none
//!                 ┌──────────┴──────────┐
//!              panels                dialogs      show a view, return requests; never name App
//!                 └──────────┬──────────┘
//!                          canvas      the diagram
//!                 ┌──────────┘
//!               action     │           requests: Command, Action, PathRequest
//!       ┌─────────┼────────┤
//!     store ──── doc ── drawing        state that outlives a frame ── parts of a document ── picture files
//!       └─────────┼────────┘
//!                ui                    theme, widgets, fields, icons, charts; names no other room
//! ```
//!
//! | room | contents | names, of the window | of the rest |
//! |---|---|---|---|
//! | [`ui`] | theme, widgets, fields, icons, charts, shortcuts as texts | – | `block`, `model` |
//! | [`drawing`] | drawings, and the files that they become | `ui` | `model`, `format` |
//! | [`doc`] | plots, dashboard, breakpoints, instances, heat, search, advice | plain values of `ui` | `block`, `model`, `engine`, `measure` |
//! | [`store`] | files, settings, recovery, runs, figures, jobs and other work on threads | `doc`, plain values of `ui` | `block`, `model`, `format`, `engine`, `measure`, `tuning`, `calibration`, `results`, `pool` |
//! | [`action`] | commands, actions, requests for paths | `ui`, `drawing`, `doc`, `store` | `block`, `model`, `format`, `export` |
//! | [`canvas`] | the diagram: scene, gestures, drawing | `ui`, `drawing`, `doc`, `action` | `block`, `model`, `engine`, `tuning` |
//! | [`panels`] | the panels and bars | all above | all |
//! | [`model_report`] | the report of a simulation | `ui`, `drawing`, `doc`, `store`, `canvas`, `panels::dashboard`, `panels::plots` | `block`, `model`, `engine`, `format`, `results` |
//! | [`diff_page`] | the changes between two states as a page | `drawing`, `canvas` | `block`, `model`, `diff` |
//! | `artist` | the pictures of calls from outside | `drawing`, `canvas`, `panels::dashboard`, charts of `ui` | `block`, `model`, `rpc` |
//! | `dialogs` | the modal dialogs | all above but `panels` and `model_report` | all |
//! | `shell` | [`App`], the one way from a click or key to a change, and the arrangement of the panels | all | all |
//!
//! Panels and dialogs borrow what they show and return [`Action`]s; only `shell::dispatch` changes
//! anything.

pub mod action;
mod artist;
pub mod canvas;
mod dialogs;
pub mod diff_page;
pub mod doc;
pub mod drawing;
pub mod model_report;
pub mod panels;
mod shell;
pub mod store;
pub mod ui;

pub use crate::app::action::path_request::{PathQuestion, PathRequest};
pub use crate::app::action::{Action, AfterSave};
pub use crate::app::artist::artist;
pub use crate::app::shell::app::App;
pub use crate::app::shell::document::open_file::{OpenFile, Side};
pub use crate::app::shell::document::recovery::Ended;
pub use crate::app::shell::window::platform::{OpenIn, play, run};
pub use crate::app::store::driving::attach;
pub use crate::app::store::settings::Settings;
