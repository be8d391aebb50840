//! Curves in a rectangle with axes, drawn with a painter: on the screen and, with the same code, into picture files.
//!
//! Our own: a plot has axes at both sides, logarithmic ones, cursors and lanes, and a picture file shows the same.
//!
//! | module | what lives there |
//! |---|---|
//! | `axis` | [`Axis`]: from values to places and back, marks, numbers |
//! | `frame` | [`Frame`]: the rectangle between the axes, with grid and labels |
//! | `curve` | the points of a column's curve, through its pyramid |
//! | `pen` | lines of different kinds |
//! | `space` | [`Space`]: a box with three axes, seen from a side |
//! | `touch` | what pointer, wheel and keys do to what is seen |
//! | `sketch` | a figure of its own, beside the plots |

mod axis;
mod curve;
mod frame;
mod pen;
mod sketch;
mod space;
mod touch;

pub use axis::Axis;
pub use curve::{Between, CurveParts, corners, points_of, stairs};
pub use frame::{Frame, Labels, Sides};
pub use pen::{LineKind, band_ui, stroke_ui};
pub use sketch::{Sketch, sketch_ui};
pub use space::{Space, ViewAngles};
pub use touch::{AxisChange, touch_ui};

/// The axis at which a curve's values are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    #[default]
    Left,
    Right,
}
