//! Curves in a rectangle with axes, drawn with a painter: on the screen and, with the same code, into picture files.
//!
//! Our own, since a plot has axes at both sides, logarithmic ones, cursors and lanes, which egui_plot has not.
//!
//! | module | what lives there |
//! |---|---|
//! | `axis` | [`Axis`]: from values to places and back, marks, numbers |
//! | `frame` | [`Frame`]: the rectangle between the axes, with grid and labels |
//! | `curve` | the points of a column's curve, through its pyramid |
//! | `pen` | lines of different kinds |
//! | `touch` | what pointer, wheel and keys do to what is seen |

mod axis;
mod curve;
mod frame;
mod pen;
mod touch;

pub use axis::Axis;
pub use curve::points_of;
pub use frame::{Frame, Labels, Sides};
pub use pen::{LineKind, stroke_ui};
pub use touch::{Touched, touch_ui};

/// The axis at which a curve's values are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    #[default]
    Left,
    Right,
}
