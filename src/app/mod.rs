//! The window. The only place that names egui.
//!
//! Its rooms, and which of them names which: a room names those below it that a line leads to. A test holds it
//! (`tests/rooms`).
//!
//! ```text
//!                          shell       App, dispatch, window, layout; named by none
//!                 ┌──────────┴──────────┐
//!              panels                dialogs      show a view, return what is wanted; never name App
//!                 └──────────┬──────────┘
//!                          canvas      the diagram
//!                 ┌──────────┘
//!               action     │           what is wanted: Command, Action, PathRequest
//!       ┌─────────┼────────┤
//!     store ──── doc ── drawing        what outlives a frame ── what a document says ── picture files
//!       └─────────┼────────┘
//!                ui                    theme, widgets, fields, icons, charts; names no other room
//! ```
//!
//! | room | contents | names, of the window | of the rest |
//! |---|---|---|---|
//! | [`ui`] | theme, widgets, fields, icons, charts, shortcuts as texts | – | `block`, `model` |
//! | [`drawing`] | drawings, and the files that they become | `ui` | `model`, `format` |
//! | [`doc`] | plots, dashboard, breakpoints, instances, heat, search, advice | plain values of `ui` | `block`, `model`, `engine`, `measure` |
//! | [`store`] | files, settings, recovery, runs, figures, jobs and other work on threads | `doc`, plain values of `ui` | all |
//! | [`action`] | commands, actions, requests for paths | `ui`, `drawing`, `doc`, `store` | `block`, `model`, `format` |
//! | [`canvas`] | the diagram: scene, gestures, drawing | `ui`, `drawing`, `doc`, `action` | `block`, `model`, `engine` |
//! | [`panels`] | the panels and bars | all above | all |
//! | [`model_report`] | the report of a simulation | `ui`, `drawing`, `doc`, `store`, `canvas`, `panels::dashboard`, `panels::plots` | `block`, `model`, `engine`, `format`, `results` |
//! | `dialogs` | the modal dialogs | all above but `panels` | all |
//! | `shell` | [`App`], the one way from a click or key to a change, and the arrangement of the panels | all | all |
//!
//! Panels and dialogs borrow what they show and return [`Action`](action::Action)s; only `shell::dispatch` changes
//! anything.

pub mod action;
pub mod canvas;
mod dialogs;
pub mod doc;
pub mod drawing;
pub mod model_report;
pub mod panels;
mod shell;
pub mod store;
pub mod ui;

pub use crate::app::action::path_request::{PathQuestion, PathRequest};
pub use crate::app::action::{Action, AfterSave};
pub use crate::app::shell::open_file::{OpenFile, Side};
pub use crate::app::shell::recovery::Ended;
pub use crate::app::shell::state::App;
pub use crate::app::shell::window::{OpenIn, play, run};
pub use crate::app::store::settings::Settings;
