//! The specification of a plot, as stored in the document.

use crate::app::ui::chart::{AxisSide, LineKind, ViewAngles};
use crate::measure::{Detrend, Edge, Scaling, Segments, Window};
use crate::model::SignalKey;

/// How curves are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlotKind {
    /// Over time.
    #[default]
    Time,
    /// Each over the first.
    Xy,
    /// Power over frequency.
    Spectrum,
    /// Each curve against the first over frequency: transfer function, coherence, cross spectrum.
    Cross,
    /// Power over time and frequency, as colours; of the first curve.
    Spectrogram,
    /// Distribution of values.
    Histogram,
    /// Logic levels over time, each curve in its own row.
    Digital,
    /// Each curve but the first two over those, in a box that can be rotated.
    Phase,
}

/// A plot: its curves and settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotSpec {
    pub title: String,
    pub kind: PlotKind,
    pub traces: Vec<Trace>,
    /// The stored curves of signals that do not exist: kept until they are removed or bound to others.
    pub lost: Vec<String>,
    /// Logarithmic axes.
    pub x_is_log: bool,
    pub left_is_log: bool,
    pub right_is_log: bool,
    pub window: Window,
    pub scaling: Scaling,
    pub decibels: Decibels,
    pub averaging: Averaging,
    pub overlap: Overlap,
    pub detrend: Detrend,
    pub quantity: CrossQuantity,
    pub trigger: Option<TriggerSpec>,
    /// Axis limits; None is automatic. In a 3-D box: x, y and z.
    pub x_range: Option<(f64, f64)>,
    pub left_range: Option<(f64, f64)>,
    pub right_range: Option<(f64, f64)>,
    /// The user's texts at the axes; empty ones are automatic. In a 3-D box: x, y and z.
    pub axis_labels: AxisLabels,
    /// The direction from which a 3-D box is viewed.
    pub view_angles: Option<ViewAngles>,
}

/// Texts at the axes of a plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AxisLabels {
    pub x: String,
    pub left: String,
    pub right: String,
}

/// Whether a spectrum is shown in decibels (20·log10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decibels {
    #[default]
    No,
    Yes,
}

/// The segments over which a spectrum is averaged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Averaging {
    /// One segment with all samples; for two curves, where one segment tells nothing, as `Eight`.
    #[default]
    Whole,
    /// Eight segments with half overlap.
    Eight,
    /// Segments with this number of samples.
    Length(usize),
}

/// The part of a segment that the next one shares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlap {
    None,
    #[default]
    Half,
    ThreeQuarters,
}

/// How curves of any length are cut into segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segmentation {
    pub window: Window,
    pub averaging: Averaging,
    pub overlap: Overlap,
    pub detrend: Detrend,
}

/// The quantity that is shown of two curves over frequency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CrossQuantity {
    /// The magnitude of the transfer function.
    #[default]
    Gain,
    /// The phase of the transfer function in degrees.
    Phase,
    Coherence,
    /// The magnitude of the cross spectral density.
    Density,
}

/// One curve of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    pub signal: SignalKey,
    pub side: AxisSide,
    /// Index of the theme's curve colours; None takes the next in order of appearance.
    pub color: Option<usize>,
    /// None is a line, or stairs if the signal holds its values.
    pub line: Option<LineKind>,
    /// Line width in points.
    pub width: f32,
    /// Only the name is shown in the legend.
    pub is_hidden: bool,
}

/// A trigger: the plot shows the time around which a signal crosses a level.
#[derive(Clone, Debug, PartialEq)]
pub struct TriggerSpec {
    pub signal: SignalKey,
    pub level: f64,
    pub edge: Edge,
}

impl PlotKind {
    pub const ALL: [PlotKind; 8] = [
        PlotKind::Time,
        PlotKind::Xy,
        PlotKind::Phase,
        PlotKind::Spectrum,
        PlotKind::Cross,
        PlotKind::Spectrogram,
        PlotKind::Histogram,
        PlotKind::Digital,
    ];

    pub fn label(self) -> &'static str {
        match self {
            PlotKind::Time => "Over time",
            PlotKind::Xy => "XY",
            PlotKind::Spectrum => "Spectrum",
            PlotKind::Cross => "Cross spectrum",
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
            PlotKind::Cross => "Transfer function, coherence and cross spectrum from the first curve to each other",
            PlotKind::Spectrogram => "Spectrum of the first curve over time",
            PlotKind::Histogram => "Distribution of values in the visible time range",
            PlotKind::Digital => "Logic levels over time, each curve in its own row",
            PlotKind::Phase => "The third curve over the first two, in a box that can be rotated",
        }
    }

    /// Returns whether the x axis is the time, which all such plots share.
    pub fn is_over_time(self) -> bool {
        matches!(self, PlotKind::Time | PlotKind::Digital | PlotKind::Spectrogram)
    }

    /// Returns whether the x axis and the y axes can be logarithmic.
    pub fn can_be_log(self) -> (bool, bool) {
        match self {
            PlotKind::Time => (false, true),
            PlotKind::Xy | PlotKind::Spectrum | PlotKind::Cross => (true, true),
            PlotKind::Histogram => (false, true),
            PlotKind::Digital | PlotKind::Spectrogram | PlotKind::Phase => (false, false),
        }
    }
}

impl Averaging {
    /// The lengths of segments that the menu offers.
    pub const LENGTHS: [usize; 7] = [128, 256, 512, 1024, 2048, 4096, 8192];
    /// The lengths of segments that a file may name.
    pub const LIMITS: std::ops::RangeInclusive<usize> = 2..=1 << 20;
}

impl Segmentation {
    /// Returns the segments of a curve of `count` samples.
    pub fn of(self, count: usize) -> Segments {
        let Segmentation { window, averaging, overlap, detrend } = self;
        let segments = match averaging {
            Averaging::Whole => Segments::whole(window, count),
            Averaging::Eight => Segments::eight(window, count),
            Averaging::Length(length) => Segments { window, length, overlap: overlap.fraction(), detrend },
        };
        Segments { detrend, ..segments }
    }
}

impl Overlap {
    pub const ALL: [Overlap; 3] = [Overlap::None, Overlap::Half, Overlap::ThreeQuarters];

    pub fn fraction(self) -> f64 {
        match self {
            Overlap::None => 0.0,
            Overlap::Half => 0.5,
            Overlap::ThreeQuarters => 0.75,
        }
    }
}

impl CrossQuantity {
    pub const ALL: [CrossQuantity; 4] =
        [CrossQuantity::Gain, CrossQuantity::Phase, CrossQuantity::Coherence, CrossQuantity::Density];

    pub fn label(self) -> &'static str {
        match self {
            CrossQuantity::Gain => "Transfer function, magnitude",
            CrossQuantity::Phase => "Transfer function, phase",
            CrossQuantity::Coherence => "Coherence",
            CrossQuantity::Density => "Cross spectral density",
        }
    }

    pub fn about(self) -> &'static str {
        match self {
            CrossQuantity::Gain => "|H| of the estimate H = Pxy / Pxx, from the first curve to each other",
            CrossQuantity::Phase => "The phase of H = Pxy / Pxx in degrees; negative where the output lags",
            CrossQuantity::Coherence => {
                "|Pxy|² / (Pxx·Pyy): 1 where a curve follows linearly from the first, 0 where it is unrelated"
            }
            CrossQuantity::Density => "|Pxy| in the product of both units per Hz",
        }
    }

    /// Returns whether it is a ratio or a power, which can be shown in decibels.
    pub fn can_be_decibels(self) -> bool {
        matches!(self, CrossQuantity::Gain | CrossQuantity::Density)
    }
}

impl Trace {
    /// The default line width.
    pub const WIDTH: f32 = 1.6;

    pub fn of(signal: SignalKey) -> Trace {
        Trace { signal, side: AxisSide::Left, color: None, line: None, width: Trace::WIDTH, is_hidden: false }
    }
}

impl PlotSpec {
    pub fn of(signals: Vec<SignalKey>) -> PlotSpec {
        PlotSpec { traces: signals.into_iter().map(Trace::of).collect(), ..PlotSpec::default() }
    }

    /// Returns how curves are cut into segments for its spectra.
    pub fn segmentation(&self) -> Segmentation {
        let averaging = match self.averaging {
            Averaging::Whole if self.kind == PlotKind::Cross => Averaging::Eight,
            averaging => averaging,
        };
        Segmentation { window: self.window, averaging, overlap: self.overlap, detrend: self.detrend }
    }

    /// Adds a curve, unless it is already there.
    pub fn add(&mut self, signal: &SignalKey) {
        if !self.traces.iter().any(|trace| trace.signal == *signal) {
            self.traces.push(Trace::of(signal.clone()));
        }
    }

    /// Returns the signals needed to draw it.
    pub fn signals(&self) -> impl Iterator<Item = &SignalKey> {
        self.traces.iter().map(|trace| &trace.signal).chain(self.trigger.iter().map(|trigger| &trigger.signal))
    }

    pub fn has_right(&self) -> bool {
        self.traces.iter().any(|trace| trace.side == AxisSide::Right)
    }

    pub fn trace_mut(&mut self, signal: &SignalKey) -> Option<&mut Trace> {
        self.traces.iter_mut().find(|trace| trace.signal == *signal)
    }
}
