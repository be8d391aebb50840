//! What moves a shape: signals that shift, turn, stretch or colour it.

use crate::app::attribute::{escaped, plain};
use crate::block::Registry;
use crate::model::{SignalKey, Simulation};

/// What a signal changes of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// Points to the right.
    Right,
    /// Points up.
    Up,
    /// Radians against the clock.
    Turn,
    /// Points that it becomes wider or higher.
    Width,
    Height,
    /// From its own colour at the begin of the scale to red at the end.
    Colour,
}

/// A signal that moves a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    pub what: Moved,
    pub signal: SignalKey,
    /// What the signal is multiplied with.
    pub factor: f64,
}

impl Moved {
    pub const ALL: [Moved; 6] = [Moved::Right, Moved::Up, Moved::Turn, Moved::Width, Moved::Height, Moved::Colour];

    pub fn label(self) -> &'static str {
        match self {
            Moved::Right => "To the right",
            Moved::Up => "Up",
            Moved::Turn => "Turn",
            Moved::Width => "Width",
            Moved::Height => "Height",
            Moved::Colour => "Colour",
        }
    }

    pub fn about(self) -> &'static str {
        match self {
            Moved::Right | Moved::Up => "The factor is points for a unit of the signal",
            Moved::Turn => "Against the clock; the factor is radians for a unit of the signal",
            Moved::Width | Moved::Height => "The factor is points more for a unit of the signal",
            Moved::Colour => "From its own colour to red over the scale",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Moved::Right => "x",
            Moved::Up => "y",
            Moved::Turn => "turn",
            Moved::Width => "width",
            Moved::Height => "height",
            Moved::Colour => "color",
        }
    }

    /// What a factor begins with.
    pub fn factor(self) -> f64 {
        match self {
            Moved::Turn | Moved::Colour => 1.0,
            _ => 50.0,
        }
    }
}

/// `x:50:#3.Output;turn:1:#4.Output`.
pub fn write(motions: &[Motion]) -> String {
    let one =
        |motion: &Motion| format!("{}:{}:{}", motion.what.name(), motion.factor, escaped(&motion.signal.to_string()));
    motions.iter().map(one).collect::<Vec<_>>().join(";")
}

/// What is not understood is left out.
pub fn read(text: &str, simulation: &Simulation, registry: &Registry) -> Vec<Motion> {
    let one = |text: &str| {
        let (what, rest) = text.split_once(':')?;
        let (factor, signal) = rest.split_once(':')?;
        Some(Motion {
            what: Moved::ALL.into_iter().find(|known| known.name() == what)?,
            signal: SignalKey::parse(&plain(signal), simulation, registry).ok()?,
            factor: factor.parse().ok().filter(|factor: &f64| factor.is_finite())?,
        })
    };
    text.split(';').filter_map(one).collect()
}
