//! The shell: the window's state, the one way from a click or a key to a change, and the arrangement of the panels.
//!
//! It names all rooms of the window, and none of them names it. It is divided by feature; each folder has the methods of
//! [`App`](app::App) for its feature.
//!
//! | module | contents |
//! |---|---|
//! | `app` | [`App`](app::App): what the window holds, whatever is open |
//! | `dispatch` | the one way from a click or key to a change: passes commands and actions on to the folders |
//! | `document` | the open document: opening, saving, recovery, editing |
//! | `run` | runs, recorded signals, engines, sweeps and the other laboratory panels |
//! | `export` | files written from the document: curves, pictures, reports, C code, FMUs |
//! | `pool` | pools of computers: the list of them, sweeps and model blocks on them |
//! | `window` | drawing, input, the arrangement of the panels, dialogs, the player, tours |

pub(super) mod app;
mod dispatch;
pub(super) mod document;
mod export;
mod pool;
mod run;
pub(super) mod window;
