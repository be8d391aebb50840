//! The window. The only place that names egui.
//!
//! | module | what lives there |
//! |---|---|
//! | `state`, `dispatch` | [`App`]: what the window holds, and the one way from a click or key to a change |
//! | [`command`] | the table of commands: menus, toolbar, shortcuts and tooltips come from it |
//! | `ui`, [`panels`], `dialogs`, `layout` | drawing |
//! | [`canvas`] | the diagram |
//! | `run`, `checker`, `recovery`, `files`, `export`, [`instance`] | what goes on on other threads |
//! | [`theme`], `style`, `icons`, `picture`, `widgets` | how it looks |
//! | [`settings`], `examples`, `search`, `numbers`, `plots` | the rest |
//!
//! Panels borrow what they show and return [`Action`]s; only `dispatch` changes anything.

pub mod canvas;
mod checker;
pub mod command;
mod dialogs;
mod dispatch;
mod examples;
mod export;
mod files;
mod icons;
pub mod instance;
mod layout;
mod numbers;
mod panels;
mod picture;
pub mod plots;
mod recovery;
pub mod run;
mod search;
pub mod settings;
mod state;
mod style;
pub mod theme;
mod ui;
mod widgets;
mod window;

pub use settings::Settings;
pub use state::{Action, App, Next, OpenFile};
pub use window::{Place, run};
