//! The list of parameters to choose, of panels that look for their values: those that are checked have bounds and a scale.
//!
//! | module | contents |
//! |---|---|
//! | `rows` | choices and typed texts with their meaning; without egui |
//! | `list` | the list |

mod list;
mod rows;

pub use self::list::{ParamListLook, show_ui};
pub use self::rows::{ChosenParam, ParamChoice, ParamProblem, ParamRow, ParamRows, bounds_hint};
