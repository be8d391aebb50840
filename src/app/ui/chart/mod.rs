//! Charts: curves in a rectangle with axes, drawn with a painter, both on the screen and into picture files.
//!
//! Own code instead of egui_plot: a plot has axes at both sides, logarithmic ones, cursors and logic traces.
//!
//! | module | contents |
//! |---|---|
//! | `axis` | [`Axis`]: values to positions and back, ticks, numbers |
//! | `frame` | [`Frame`]: the rectangle between the axes, with grid and labels |
//! | `kinds` | [`AxisSide`], [`LineKind`], [`ViewAngles`]: plain values that documents hold |
//! | `pen` | lines of different kinds |
//! | `space` | [`Space`]: a box with three axes in parallel projection |
//! | `touch` | zooming and panning by pointer, wheel and keys |
//! | `sketch` | a standalone figure, outside the plots |

mod axis;
mod frame;
mod kinds;
mod pen;
mod sketch;
mod space;
mod touch;

pub use axis::{Axis, Scale};
pub use frame::{Frame, Labels, Sides};
pub use kinds::{AxisSide, LineKind, ViewAngles};
pub use pen::{band_ui, stroke_ui};
pub use sketch::{Sketch, sketch_ui};
pub use space::Space;
pub use touch::{AxisChange, DragMoves, touch_ui};
