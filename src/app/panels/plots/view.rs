//! What of the plots is seen: no part of the document.

use crate::app::chart::{Axis, ViewAngles};

/// How much of an axis below is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Seen {
    /// All, as it grows.
    #[default]
    All,
    /// The last seconds.
    Last(f64),
    Fixed(Axis),
}

/// What of one plot is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlotView {
    /// Where the plot has an axis of its own below.
    pub x: Seen,
    /// The values; fitted where nothing was chosen.
    pub left: Option<Axis>,
    pub right: Option<Axis>,
    /// A box: from where it is seen while it is turned, and how near, as a power of e.
    pub view_angles: Option<ViewAngles>,
    pub nearness: f32,
}

impl PlotView {
    /// Whether it shows all there is.
    pub fn is_whole(&self) -> bool {
        *self == PlotView::default()
    }
}
