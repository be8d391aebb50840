//! The visible ranges of plots, which are not part of the document.

use crate::app::ui::chart::{Axis, ViewAngles};

/// The visible range of an X axis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Seen {
    /// All samples, growing with the run.
    #[default]
    All,
    /// The last seconds of the run.
    Last(f64),
    Fixed(Axis),
}

/// The visible ranges of one plot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlotView {
    /// For plots with their own X axis.
    pub x: Seen,
    /// The Y axis; `None` is fitted.
    pub left: Option<Axis>,
    pub right: Option<Axis>,
    /// For a 3-D box: its rotation during a drag, and its zoom as a power of e.
    pub view_angles: Option<ViewAngles>,
    pub nearness: f32,
}

impl PlotView {
    /// Returns whether all ranges are automatic.
    pub fn is_whole(&self) -> bool {
        *self == PlotView::default()
    }
}
