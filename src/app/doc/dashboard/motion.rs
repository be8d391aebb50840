//! Motions of shapes: signals that shift, rotate, resize or colour them.

use crate::app::doc::reader::NameReader;
use crate::model::SignalKey;
use crate::model::attribute_list::{escaped, plain};

/// The property of a shape that a signal changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionProperty {
    /// Points to the right.
    Right,
    /// Points up.
    Up,
    /// Radians counterclockwise.
    Turn,
    /// Points added to the width or height.
    Width,
    Height,
    /// From its own colour at the low end of the scale to red at the high end.
    Colour,
}

/// A signal that changes a property of a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    pub what: MotionProperty,
    pub signal: SignalKey,
    /// The factor by which the signal is multiplied.
    pub factor: f64,
}

impl MotionProperty {
    pub const ALL: [MotionProperty; 6] = [
        MotionProperty::Right,
        MotionProperty::Up,
        MotionProperty::Turn,
        MotionProperty::Width,
        MotionProperty::Height,
        MotionProperty::Colour,
    ];

    pub fn label(self) -> &'static str {
        match self {
            MotionProperty::Right => "X position",
            MotionProperty::Up => "Y position",
            MotionProperty::Turn => "Rotation",
            MotionProperty::Width => "Width",
            MotionProperty::Height => "Height",
            MotionProperty::Colour => "Colour",
        }
    }

    pub fn about(self) -> &'static str {
        match self {
            MotionProperty::Right | MotionProperty::Up => "Factor in points per unit of the signal",
            MotionProperty::Turn => "Counterclockwise; factor in radians per unit of the signal",
            MotionProperty::Width | MotionProperty::Height => "Factor in points added per unit of the signal",
            MotionProperty::Colour => "From its own colour to red along the scale",
        }
    }

    fn name(self) -> &'static str {
        match self {
            MotionProperty::Right => "x",
            MotionProperty::Up => "y",
            MotionProperty::Turn => "turn",
            MotionProperty::Width => "width",
            MotionProperty::Height => "height",
            MotionProperty::Colour => "color",
        }
    }

    /// Returns the initial factor.
    pub fn factor(self) -> f64 {
        match self {
            MotionProperty::Turn | MotionProperty::Colour => 1.0,
            _ => 50.0,
        }
    }
}

/// Formats motions: `x:50:#3.Output;turn:1:#4.Output`.
pub fn write(motions: &[Motion]) -> String {
    let one =
        |motion: &Motion| format!("{}:{}:{}", motion.what.name(), motion.factor, escaped(&motion.signal.to_string()));
    motions.iter().map(one).collect::<Vec<_>>().join(";")
}

/// Parses motions; invalid entries are ignored.
pub fn read(text: &str, reader: &NameReader) -> Vec<Motion> {
    let one = |text: &str| {
        let (what, rest) = text.split_once(':')?;
        let (factor, signal) = rest.split_once(':')?;
        Some(Motion {
            what: MotionProperty::ALL.into_iter().find(|known| known.name() == what)?,
            signal: reader.signal(&plain(signal))?,
            factor: factor.parse().ok().filter(|factor: &f64| factor.is_finite())?,
        })
    };
    text.split(';').filter_map(one).collect()
}
