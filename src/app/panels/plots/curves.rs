//! The recorded data of plots: curves with their colours.

use eframe::egui::Color32;

use crate::app::doc::curve::Between;
use crate::app::doc::derived::Derived;
use crate::app::doc::plots::{PlotList, PlotSpec, Trace};
use crate::app::ui::chart::LineKind;
use crate::app::ui::style;
use crate::app::ui::theme::Theme;
use crate::block::{SignalType, element_name};
use crate::engine::{Column, Program, Recording};
use crate::measure::Tolerance;
use crate::model::{SignalKey, Simulation};

/// The recorded data of plots, with names and colours.
#[derive(Clone, Copy)]
pub struct PlotData<'a> {
    pub simulation: &'a Simulation,
    pub derived: &'a Derived,
    pub list: &'a PlotList,
    pub recording: &'a Recording,
    /// The compiled document, which names the elements of buses.
    pub program: Option<&'a Program>,
    pub others: &'a [Overlay<'a>],
    /// A tolerance band around the curves of the other runs.
    pub band: Option<Tolerance>,
    /// The document has changed since the run, which each plot notes.
    pub is_stale: bool,
    /// Seconds at which the time axis ends.
    pub end: f64,
    pub theme: &'a Theme,
}

impl PlotData<'_> {
    /// Returns the name of a signal's element: `speed[1]` of a vector, `car.speed` of a bus.
    pub fn element_name(&self, signal: &SignalKey, number: usize) -> String {
        let of = recorded_type(self.program, self.recording, signal);
        element_name(&self.derived.name_of(signal), number, &of)
    }
}

/// Returns the type of a recorded signal: that of the program, or if the document has changed since the run, a vector as
/// wide as the recorded one.
pub fn recorded_type(program: Option<&Program>, recording: &Recording, signal: &SignalKey) -> SignalType {
    let recorded = recording.columns(signal).len();
    let of_program = program.and_then(|program| program.type_of(signal));
    of_program.filter(|of| recorded == 0 || of.width == recorded).unwrap_or(SignalType::plain(recorded))
}

/// Another run, drawn in the background.
#[derive(Clone, Copy)]
pub struct Overlay<'a> {
    pub name: &'a str,
    pub recording: &'a Recording,
    /// The opacity of its curves, 0 to 1.
    pub strength: f32,
    pub line: LineKind,
    /// The previous run, which is shown automatically.
    pub is_ghost: bool,
}

/// The curve of one element of a signal, with its style.
pub struct ElementCurve<'a> {
    pub trace: &'a Trace,
    pub column: &'a Column,
    pub delta: f64,
    pub color: Color32,
    pub line: LineKind,
    pub between: Between,
    pub width: f32,
    /// It belongs to the current run.
    pub is_own: bool,
    pub number: usize,
}

/// The colour of a curve.
pub fn color_of(list: &PlotList, trace: &Trace, theme: &Theme) -> Color32 {
    let index = trace.color.or_else(|| list.color_index(&trace.signal)).unwrap_or(0);
    theme.curves.get(index % theme.curves.len()).copied().unwrap_or(theme.accent)
}

/// Returns the colour of signals that are in no plot.
pub fn pale(theme: &Theme) -> Color32 {
    style::mix(theme.panel, theme.text, 0.4)
}

/// Returns the colours of a signal's elements: its own first, then those unused by other curves, then the rest;
/// further elements get paler colours.
pub fn element_colors(list: &PlotList, trace: &Trace, count: usize, theme: &Theme) -> Vec<Color32> {
    let own = color_of(list, trace, theme);
    if count < 2 {
        return vec![own; count];
    }
    let of_others: Vec<Color32> = list
        .plots
        .iter()
        .flat_map(|plot| &plot.traces)
        .filter(|other| other.signal != trace.signal)
        .map(|other| color_of(list, other, theme))
        .collect();
    let is_taken = |color: &Color32| of_others.contains(color);
    let (free, rest): (Vec<Color32>, Vec<Color32>) =
        theme.curves.iter().copied().filter(|color| *color != own).partition(|color| !is_taken(color));
    let all: Vec<Color32> = std::iter::once(own).chain(free).chain(rest).collect();
    let pale = |number: usize| (number / all.len()).min(3) as f32 * 0.22;
    let color = |number: usize| all.get(number % all.len()).map(|color| style::mix(*color, theme.panel, pale(number)));
    (0..count).filter_map(color).collect()
}

/// Returns all curves of a plot, those of other runs first.
pub fn curves<'a>(source: &PlotData<'a>, spec: &'a PlotSpec) -> Vec<ElementCurve<'a>> {
    let theme = source.theme;
    let mut curves = Vec::new();
    let seen = || spec.traces.iter().filter(|trace| !trace.is_hidden);
    for other in source.others {
        for trace in seen() {
            let columns = other.recording.columns(&trace.signal);
            let colors = element_colors(source.list, trace, columns.len(), theme);
            for (number, (column, color)) in columns.iter().zip(colors).enumerate() {
                let color = style::mix(theme.panel, color, other.strength);
                let (line, between) = of_other(trace, other);
                let delta = other.recording.delta;
                curves.push(ElementCurve {
                    trace,
                    column,
                    delta,
                    color,
                    line,
                    between,
                    width: 1.2,
                    is_own: false,
                    number,
                });
            }
        }
    }
    for trace in seen() {
        let columns = source.recording.columns(&trace.signal);
        let colors = element_colors(source.list, trace, columns.len(), theme);
        for (number, (column, color)) in columns.iter().zip(colors).enumerate() {
            let (delta, line, width) = (source.recording.delta, trace.line.unwrap_or_default(), trace.width);
            let between = between(trace, source.recording);
            curves.push(ElementCurve { trace, column, delta, color, line, between, width, is_own: true, number });
        }
    }
    curves
}

/// Returns the line of a curve of another run, which has the form of the trace: stairs stay stairs, samples stay points,
/// since another form would look like other values.
fn of_other(trace: &Trace, other: &Overlay) -> (LineKind, Between) {
    match trace.line {
        Some(LineKind::Points) => (LineKind::Points, Between::Straight),
        Some(LineKind::Stairs) => (other.line, Between::Held),
        _ => (other.line, between(trace, other.recording)),
    }
}

/// Returns the interpolation between samples, unless the user chose a line style.
pub fn between(trace: &Trace, recording: &Recording) -> Between {
    if trace.line.is_none() { Between::of(recording, &trace.signal) } else { Between::Straight }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::BlockId;

    /// A curve of another form would look like other values.
    #[test]
    fn another_run_has_the_form_of_the_curve() {
        let recording = Recording::default();
        let of = |line, of_run| {
            let trace = Trace { line, ..Trace::of(SignalKey::new(&[], BlockId(1), "Output")) };
            let other = Overlay { name: "Run 1", recording: &recording, strength: 0.3, line: of_run, is_ghost: true };
            of_other(&trace, &other)
        };
        assert_eq!(of(Some(LineKind::Stairs), LineKind::Solid), (LineKind::Solid, Between::Held));
        assert_eq!(of(Some(LineKind::Stairs), LineKind::Dashed), (LineKind::Dashed, Between::Held));
        assert_eq!(of(Some(LineKind::Points), LineKind::Dotted), (LineKind::Points, Between::Straight));
        assert_eq!(of(Some(LineKind::Dashed), LineKind::Solid), (LineKind::Solid, Between::Straight));
        assert_eq!(of(None, LineKind::Solid), (LineKind::Solid, Between::Straight));
    }
}
