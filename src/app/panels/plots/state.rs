//! The state of the plots panel, and its view.

use std::collections::{BTreeMap, BTreeSet};

use eframe::egui::{Id, Pos2, Rect, TextureHandle};

use super::axes::{kept_time, time_axis};
use super::curves::{Overlay, PlotData};
use super::plot_frame::Colors;
use super::view::{PlotView, Seen};
use crate::app::doc::derived::Derived;
use crate::app::doc::plots::{PlotKind, PlotList, PlotSpec};
use crate::app::store::figures::{FigureKey, Figures};
use crate::app::store::runs::Runs;
use crate::app::ui::chart::{Axis, Sides};
use crate::app::ui::field::EditedField;
use crate::app::ui::theme::Theme;
use crate::block::Registry;
use crate::engine::{Program, Recording};
use crate::measure::Tolerance;
use crate::model::{BlockId, Simulation};

pub struct PlotsPanelState {
    /// The plot that new signals go to.
    pub target: usize,
    /// One per plot.
    pub views: Vec<PlotView>,
    /// The visible time range of linked plots.
    pub time: Seen,
    pub is_unlinked: bool,
    pub common: Common,
    /// The measurements that the table shows.
    pub table: Option<Group>,
    pub shows_signals: bool,
    pub sides: Sides,
    pub next_sides: Sides,
    /// The tolerance of comparisons.
    pub tolerance: Tolerance,
    pub editing: EditedField,
    pub signals: SignalListState,
    pub scopes: Vec<Scope>,
    /// The plots in windows of their own.
    pub detached: BTreeSet<usize>,
    pub renaming: Option<(usize, String)>,
    /// The plot whose limits are edited, and the current axes of each plot.
    pub settings: Option<usize>,
    pub axes: Vec<Option<(Axis, Axis, Option<Axis>)>>,
    /// Where each plot was drawn.
    pub areas: Vec<Rect>,
    /// The figures of plots on dashboards.
    pub small: BTreeMap<usize, (PlotView, Seen)>,
}

impl Default for PlotsPanelState {
    fn default() -> PlotsPanelState {
        PlotsPanelState {
            target: 0,
            views: Vec::new(),
            time: Seen::All,
            is_unlinked: false,
            common: Common::default(),
            table: None,
            shows_signals: false,
            sides: Sides::default(),
            next_sides: Sides::default(),
            // The default tolerance covers rounding.
            tolerance: Tolerance { absolute: 0.0, relative: 1e-9 },
            editing: EditedField::default(),
            signals: SignalListState::default(),
            scopes: Vec::new(),
            detached: BTreeSet::new(),
            renaming: None,
            settings: None,
            axes: Vec::new(),
            areas: Vec::new(),
            small: BTreeMap::new(),
        }
    }
}

/// The state shared by all plots.
#[derive(Default)]
pub struct Common {
    /// The time under the pointer, the same in all plots.
    pub pointed: Option<f64>,
    /// The cursors during a drag, and the dragged one.
    pub moving: Option<(Id, [f64; 2])>,
    pub dragged: Option<usize>,
    /// The cursor that keys move.
    pub chosen: Option<usize>,
    pub figures: Option<Figures>,
    /// The texture of a spectrogram, with its figure.
    pub textures: Vec<(FigureKey, Colors, TextureHandle)>,
}

impl PlotsPanelState {
    /// Resets the visible ranges for a new run.
    pub fn restart(&mut self) {
        let is_still = |seen: Seen| matches!(seen, Seen::Last(_));
        if !is_still(self.time) {
            self.time = Seen::All;
        }
        for view in &mut self.views {
            let x = if is_still(view.x) { view.x } else { Seen::All };
            *view = PlotView { x, ..PlotView::default() };
        }
    }

    /// Has as many views as there are plots.
    pub fn fit_to(&mut self, list: &PlotList) {
        let count = list.plots.len();
        self.views.resize_with(count, PlotView::default);
        self.axes.resize_with(count, || None);
        self.areas.clear();
        self.areas.resize(count, Rect::NOTHING);
        self.target = self.target.min(count.saturating_sub(1));
        self.detached.retain(|number| *number < count);
    }

    /// Returns the plot at a position of the window, as it was last drawn.
    pub fn plot_at(&self, at: Pos2) -> Option<usize> {
        self.areas.iter().position(|area| area.contains(at))
    }

    /// Returns whether a plot has no numbers at its time axis, since the next one below it has the same.
    pub fn shares_numbers(&self, list: &PlotList, plot: usize) -> bool {
        let is_over_time = |number: usize| list.plots.get(number).is_some_and(|spec| spec.kind.is_over_time());
        let next = (plot + 1..list.plots.len()).find(|number| !self.detached.contains(number));
        let is_alone = self.is_unlinked || self.detached.contains(&plot);
        !is_alone && is_over_time(plot) && next.is_some_and(is_over_time)
    }

    /// Returns whether the panel needs more height than for one plot over the time.
    pub fn is_tall(&self, list: &PlotList) -> bool {
        let is_deep = list.plots.iter().any(|plot| plot.kind == PlotKind::Phase);
        self.table == Some(Group::Compare) || is_deep || list.plots.len().saturating_sub(self.detached.len()) > 1
    }

    /// Returns whether anything stands in a window of its own.
    pub fn has_windows(&self) -> bool {
        !self.scopes.is_empty() || !self.detached.is_empty()
    }

    /// Returns the visible time range of a plot, for exports.
    pub fn seen(&self, list: &PlotList, plot: usize, end: f64) -> (f64, f64) {
        let seen = match self.views.get(plot) {
            Some(view) if self.is_unlinked => view.x,
            _ => self.time,
        };
        let axis = time_axis(seen, end, self.kept(list, plot));
        (axis.low, axis.high)
    }

    /// Returns the user's limits of a plot's time axis.
    pub fn kept(&self, list: &PlotList, plot: usize) -> Option<(f64, f64)> {
        match self.is_unlinked {
            true => list.plots.get(plot).and_then(|spec| spec.x_range),
            false => kept_time(list),
        }
    }

    /// Returns the times of the cursors, also during a drag.
    pub fn cursors(&self, list: &PlotList) -> Option<[f64; 2]> {
        self.common.moving.map(|(_, times)| times).or(list.cursors)
    }

    /// Shows the comparison of runs.
    pub fn show_comparison(&mut self) {
        self.table = Some(Group::Compare);
    }

    /// Waits for pending figures; for tests and exports.
    pub fn wait(&mut self, timeout: std::time::Duration) {
        if let Some(figures) = &mut self.common.figures {
            figures.wait(timeout);
        }
    }

    pub fn time_of(&self, source: &PlotData, plot: usize) -> Axis {
        let seen = match self.views.get(plot) {
            Some(view) if self.is_unlinked => view.x,
            _ => self.time,
        };
        time_axis(seen, source.end, self.kept(source.list, plot))
    }

    /// Opens the window of a block; one that is open stays.
    pub fn open_scope(&mut self, path: &[BlockId], block: BlockId) {
        if !self.scopes.iter().any(|scope| scope.is_of(path, block)) {
            self.scopes.push(Scope::new(path, block));
        }
    }
}

/// A plot of the panel, with the panel's view.
#[derive(Clone, Copy)]
pub struct PlotRef<'a> {
    pub view: &'a PlotsPanelView<'a>,
    pub number: usize,
    pub spec: &'a PlotSpec,
}

pub struct PlotsPanelView<'a> {
    pub simulation: &'a Simulation,
    pub registry: &'a Registry,
    pub revision: u64,
    pub derived: &'a Derived,
    pub list: &'a PlotList,
    pub recording: &'a Recording,
    pub others: &'a [Overlay<'a>],
    /// All runs.
    pub runs: &'a Runs,
    /// The end of the time axis in seconds.
    pub end: f64,
    /// The time of the shown step, unless it is the latest.
    pub chosen: Option<f64>,
    /// The compiled document, where it has no errors.
    pub program: Option<&'a Program>,
    /// No run since the document was opened.
    pub is_new: bool,
    /// The document has changed since the shown run.
    pub is_stale: bool,
    /// Why plotted derivatives have no samples.
    pub sensitivity_note: Option<&'a str>,
}

impl<'a> PlotsPanelView<'a> {
    /// Returns the data of the plots.
    pub fn source(&self, theme: &'a Theme) -> PlotData<'a> {
        PlotData {
            simulation: self.simulation,
            derived: self.derived,
            list: self.list,
            recording: self.recording,
            program: self.program,
            others: self.others,
            band: None,
            is_stale: false,
            end: self.end,
            theme,
        }
    }
}

/// The window of a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    pub path: Vec<BlockId>,
    pub block: BlockId,
    pub view: PlotView,
    pub time: Seen,
    /// It is a window of the desktop, not one within the program's.
    pub is_detached: bool,
}

impl Scope {
    pub fn new(path: &[BlockId], block: BlockId) -> Scope {
        Scope { path: path.to_vec(), block, view: PlotView::default(), time: Seen::All, is_detached: false }
    }

    pub fn is_of(&self, path: &[BlockId], block: BlockId) -> bool {
        self.path == path && self.block == block
    }
}

/// The groups of measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Values,
    StepResponse,
    Periodicity,
    Distortion,
    Cursors,
    Compare,
}

impl Group {
    pub const ALL: [(Group, &'static str); 6] = [
        (Group::Values, "Values"),
        (Group::StepResponse, "Step response"),
        (Group::Periodicity, "Period"),
        (Group::Distortion, "Distortion"),
        (Group::Cursors, "Cursors"),
        (Group::Compare, "Compare runs"),
    ];

    pub fn heads(self) -> &'static [&'static str] {
        match self {
            Group::Values => &["Minimum", "Maximum", "Peak-to-peak", "Mean", "RMS", "Std. dev."],
            Group::StepResponse => &["Initial", "Final", "Rise time", "Overshoot", "Peak", "Peak time", "Settling"],
            Group::Periodicity => &["Period", "Frequency", "Duty cycle", "Periods", "Peaks", "Last peak"],
            Group::Distortion => &["Fundamental", "Amplitude", "THD", "SINAD", "SNR", "SFDR", "ENOB"],
            Group::Compare => &["Result", "Max. difference", "At", "First exceeded", "Out of tolerance", "Samples"],
            Group::Cursors => &["At A", "At B", "B − A", "(B − A)/Δ"],
        }
    }
}

impl Group {
    /// Returns the meanings of the heads that are abbreviations.
    pub fn about(self) -> Option<&'static str> {
        (self == Group::Distortion).then_some(
            "Of a sine with at least two periods; it is fitted with its harmonics, so whole periods are not needed\n\
             THD: total harmonic distortion, RMS of harmonics 2 to 10 over that of the fundamental\n\
             SINAD: fundamental over noise and distortion\n\
             SNR: fundamental over noise, without the harmonics\n\
             SFDR: fundamental over the highest other line\n\
             ENOB: effective number of bits, (SINAD − 1.76 dB) / 6.02 dB",
        )
    }
}

/// The list of recorded signals.
#[derive(Default)]
pub struct SignalListState {
    pub search: String,
    /// The matches of a query in a state of the document.
    pub found: Option<(u64, String, Vec<usize>)>,
}
