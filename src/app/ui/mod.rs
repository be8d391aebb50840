//! The look of the window, shared by all its parts. Besides egui it names only the definitions of blocks and the blocks
//! of a document.
//!
//! | module | contents |
//! |---|---|
//! | [`theme`], `style`, `symbols` | colours, sizes and fonts; symbols that fonts lack |
//! | `icons`, `picture` | icons of commands; pictures of blocks |
//! | `widgets`, [`field`], `form`, `scrub` | buttons, rows and lists; text fields; rows of forms; dragged numbers |
//! | [`code`] | the editor of code |
//! | [`chart`] | curves with axes |
//! | `numbers`, `units` | numbers and units as texts |
//! | [`keymap`], `look` | the user's shortcuts; the typeface of names and the unit of angles |

pub(crate) mod bidi;
pub mod chart;
pub mod code;
pub(crate) mod control;
pub mod field;
pub(crate) mod form;
pub(crate) mod icons;
pub mod keymap;
pub(crate) mod look;
pub(crate) mod numbers;
pub(crate) mod picture;
pub(crate) mod scrub;
pub(crate) mod style;
mod symbols;
pub mod theme;
pub(crate) mod units;
pub(crate) mod widgets;
