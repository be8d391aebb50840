//! One plot as the document has it.

use crate::app::chart::{LineKind, Side, ViewAngles};
use crate::measure::{Edge, Scaling, Window};
use crate::model::SignalKey;

/// How curves are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlotKind {
    /// Over time.
    #[default]
    Time,
    /// Each over the first.
    Xy,
    /// How much lies at which frequency.
    Spectrum,
    /// The same over time, as colours; of the first curve.
    Spectrogram,
    /// How often which values come.
    Histogram,
    /// Logic levels over time, each curve in its own row.
    Digital,
    /// Each curve but the first two over those, in a box that can be turned.
    Phase,
}

/// One plot: its curves and how they are shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotSpec {
    pub title: String,
    pub kind: PlotKind,
    pub traces: Vec<Trace>,
    /// Axes with powers of ten at equal distances.
    pub x_is_log: bool,
    pub left_is_log: bool,
    pub right_is_log: bool,
    pub window: Window,
    pub scaling: Scaling,
    pub decibels: Decibels,
    pub trigger: Option<TriggerSpec>,
    /// From where to where axes go; where nothing is said, as far as there is something to see. In a box: x, y and z.
    pub x_range: Option<(f64, f64)>,
    pub left_range: Option<(f64, f64)>,
    pub right_range: Option<(f64, f64)>,
    /// From where a box is seen.
    pub view_angles: Option<ViewAngles>,
}

/// Whether lines of a spectrum are shown as 20·log of their height.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decibels {
    #[default]
    No,
    Yes,
}

/// One curve of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    pub signal: SignalKey,
    pub side: Side,
    /// Of the theme's colours for curves; by order of appearance where none was chosen.
    pub color: Option<usize>,
    /// Where none was chosen, a line, or stairs where the signal holds its values.
    pub line: Option<LineKind>,
    /// Points.
    pub width: f32,
    /// Only its name is shown.
    pub is_hidden: bool,
}

/// Shows the time about where a signal passes a level.
#[derive(Clone, Debug, PartialEq)]
pub struct TriggerSpec {
    pub signal: SignalKey,
    pub level: f64,
    pub edge: Edge,
}

impl PlotKind {
    pub const ALL: [PlotKind; 7] = [
        PlotKind::Time,
        PlotKind::Xy,
        PlotKind::Phase,
        PlotKind::Spectrum,
        PlotKind::Spectrogram,
        PlotKind::Histogram,
        PlotKind::Digital,
    ];

    pub fn label(self) -> &'static str {
        match self {
            PlotKind::Time => "Over time",
            PlotKind::Xy => "XY",
            PlotKind::Spectrum => "Spectrum",
            PlotKind::Spectrogram => "Spectrogram",
            PlotKind::Histogram => "Histogram",
            PlotKind::Digital => "Digital traces",
            PlotKind::Phase => "3-D phase plot",
        }
    }

    pub fn about(self) -> &'static str {
        match self {
            PlotKind::Time => "Values over time",
            PlotKind::Xy => "Each curve over the first, for phase portraits",
            PlotKind::Spectrum => "Frequency content of the visible time range",
            PlotKind::Spectrogram => "Spectrum of the first curve over time",
            PlotKind::Histogram => "Distribution of values in the visible time range",
            PlotKind::Digital => "Logic levels over time, each curve in its own row",
            PlotKind::Phase => "The third curve over the first two, in a box that can be rotated",
        }
    }

    /// Whether the axis below is the time, which all such plots share.
    pub fn is_over_time(self) -> bool {
        matches!(self, PlotKind::Time | PlotKind::Digital | PlotKind::Spectrogram)
    }

    /// Whether the axes can be logarithmic: below, at the sides.
    pub fn can_be_log(self) -> (bool, bool) {
        match self {
            PlotKind::Time => (false, true),
            PlotKind::Xy | PlotKind::Spectrum => (true, true),
            PlotKind::Histogram => (false, true),
            PlotKind::Digital | PlotKind::Spectrogram | PlotKind::Phase => (false, false),
        }
    }
}

impl Trace {
    /// A width that is right for most.
    pub const WIDTH: f32 = 1.6;

    pub fn of(signal: SignalKey) -> Trace {
        Trace { signal, side: Side::Left, color: None, line: None, width: Trace::WIDTH, is_hidden: false }
    }
}

impl PlotSpec {
    pub fn of(signals: Vec<SignalKey>) -> PlotSpec {
        PlotSpec { traces: signals.into_iter().map(Trace::of).collect(), ..PlotSpec::default() }
    }

    /// Adds a curve; one that is there stays as it is.
    pub fn add(&mut self, signal: &SignalKey) {
        if !self.traces.iter().any(|trace| trace.signal == *signal) {
            self.traces.push(Trace::of(signal.clone()));
        }
    }

    /// What is needed to draw it.
    pub fn signals(&self) -> impl Iterator<Item = &SignalKey> {
        self.traces.iter().map(|trace| &trace.signal).chain(self.trigger.iter().map(|trigger| &trigger.signal))
    }

    pub fn has_right(&self) -> bool {
        self.traces.iter().any(|trace| trace.side == Side::Right)
    }

    /// The same with its signals elsewhere.
    pub fn moved(&self, moved: impl Fn(&SignalKey) -> SignalKey) -> PlotSpec {
        let mut plot = self.clone();
        plot.traces.iter_mut().for_each(|trace| trace.signal = moved(&trace.signal));
        plot.trigger.iter_mut().for_each(|trigger| trigger.signal = moved(&trigger.signal));
        plot
    }

    pub fn trace_mut(&mut self, signal: &SignalKey) -> Option<&mut Trace> {
        self.traces.iter_mut().find(|trace| trace.signal == *signal)
    }
}
