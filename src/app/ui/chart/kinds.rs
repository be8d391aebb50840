//! How curves are drawn, as plain values: documents hold them.

/// The vertical axis of a curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AxisSide {
    #[default]
    Left,
    Right,
}

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineKind {
    #[default]
    Solid,
    Dashed,
    Dotted,
    /// Each value holds until the next.
    Stairs,
    /// A dot for each sample.
    Points,
}

impl LineKind {
    pub const ALL: [LineKind; 5] =
        [LineKind::Solid, LineKind::Dashed, LineKind::Dotted, LineKind::Stairs, LineKind::Points];

    pub fn label(self) -> &'static str {
        match self {
            LineKind::Solid => "Line",
            LineKind::Dashed => "Dashes",
            LineKind::Dotted => "Dots",
            LineKind::Stairs => "Stairs",
            LineKind::Points => "Points",
        }
    }
}

/// The direction from which the box is viewed, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewAngles {
    /// Rotation about the vertical axis.
    pub azimuth: f64,
    /// Above 0, the box is viewed from above.
    pub elevation: f64,
}

impl Default for ViewAngles {
    fn default() -> ViewAngles {
        ViewAngles { azimuth: 35.0, elevation: 25.0 }
    }
}
