//! How a block looks, as data: the canvas, the palette and the exported pictures draw the same.

/// The outline and what stands inside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    pub body: Body,
    pub face: Face,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    Rect,
    /// Points to the right, as an amplifier.
    Triangle,
    Circle,
    /// A narrow bar that joins or splits wires.
    Bar,
    /// Rounded ends, as entries and exits.
    Pill,
    /// A text on the diagram.
    Note,
    /// A frame behind other blocks.
    Area,
}

/// Points of strokes lie in a square from (0, 0) at the top left to (1, 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Face {
    Text(&'static str),
    /// The text of a parameter's value.
    Param(&'static str),
    /// One over the other with a line between.
    Fraction(&'static str, &'static str),
    Strokes(&'static [&'static [(f32, f32)]]),
    /// The last value that arrived at the first input.
    Live,
    /// What arrived at the inputs over the run; these strokes while there is nothing to show.
    Curve(&'static [&'static [(f32, f32)]]),
    /// Nothing; the port labels say it all.
    Empty,
}

impl Look {
    pub const fn rect(face: Face) -> Look {
        Look { body: Body::Rect, face }
    }
}
