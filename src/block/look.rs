//! The appearance of a block as data, drawn alike by the canvas, the palette and exported pictures.

/// The outline of a block and the icon inside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    pub body: Body,
    pub face: Face,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    Rect,
    /// A triangle that points to the right, as the symbol of an amplifier.
    Triangle,
    Circle,
    /// A narrow bar that joins or splits wires.
    Bar,
    /// A rectangle with round ends, as of entries and exits.
    Pill,
    /// A text on the diagram.
    Note,
    /// A frame behind other blocks.
    Area,
}

/// The icon of a block. Points of strokes lie in a square from (0, 0) at the top left to (1, 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Face {
    Text(&'static str),
    /// The value of a parameter as text.
    Param(&'static str),
    /// Numerator and denominator with a line between.
    Fraction(&'static str, &'static str),
    Strokes(&'static [&'static [(f32, f32)]]),
    /// The last value that arrived at the first input.
    Live,
    /// The curves of the inputs over the run; these strokes while there are none.
    Curve(&'static [&'static [(f32, f32)]]),
    /// The names of the ports; these strokes stand for them in the palette.
    Ports(&'static [&'static [(f32, f32)]]),
    /// No icon, only the port labels.
    Empty,
}

impl Look {
    pub const fn rect(face: Face) -> Look {
        Look { body: Body::Rect, face }
    }
}
