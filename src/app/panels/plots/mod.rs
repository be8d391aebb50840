//! The Plots panel: curves of the recorded signals, one plot below the other.
//!
//! | module | contents |
//! |---|---|
//! | `state` | the state of the panel, and its view |
//! | `view` | the visible ranges of the plots |
//! | `curves`, `axes` | the recorded data of plots; visible ranges and limits |
//! | `build`, `computed`, [`plot_frame`] | from specification and samples to axes and layers; painting them |
//! | `plot` | one plot: pointer input and cursors |
//! | `spectra` | spectra, and those of two curves |
//! | `legend`, `menu`, `spectrum_menu` | names and values above a plot; menus |
//! | `picture` | a plot for a picture file |
//! | `bar` | the bar above all plots |
//! | `table`, `compare` | measurements; comparison of runs |
//! | `settings` | limits and trigger of a plot |
//! | `space` | curves in a 3-D box |
//! | `signals` | which signals are recorded |
//! | `scope` | the windows of scope blocks |
//! | `own_window` | plots and scopes in windows of the desktop |

mod axes;
mod bar;
mod build;
mod compare;
mod computed;
mod curves;
mod legend;
mod menu;
mod own_window;
mod picture;
mod plot;
pub mod plot_frame;
mod scope;
mod settings;
mod signals;
mod space;
mod spectra;
mod spectrum_menu;
mod state;
mod table;
mod view;

use eframe::egui::{Label, Rect, ScrollArea, Sense, Ui, vec2};

pub use curves::{Overlay, PlotData, recorded_type};
pub use picture::{PICTURE_WIDTH, drawing_of, drawings};
pub use scope::{signals_of, windows_ui};
use state::PlotRef;
pub use state::{Group, PlotsPanelState, PlotsPanelView, Scope};
pub use view::{PlotView, Seen};

use crate::app::action::Action;
use crate::app::doc::plots::{DraggedSignal, PlotKind, PlotList, PlotSpec, is_derivative};
use crate::app::store::figures::{FigureKey, Figures};
use crate::app::store::run::RunSession;
use crate::app::ui::chart::{LineKind, Sides};
use crate::app::ui::icons::Icon;
use crate::app::ui::theme::{SPACE, Theme};
use crate::app::ui::widgets::{self, theme_of};
use crate::model::SignalKey;

/// The minimum height of a plot, without the numbers below it.
const LOWEST: f32 = 60.0;
/// The height of plots from which the legend is above them, and that of each of its rows after the first.
const ABOVE: f32 = 66.0;
const MORE_ROWS: f32 = 90.0;
/// The distance of plots below each other.
const GAP: f32 = 2.0;
/// The minimum height of measurements.
const LOWEST_TABLE: f32 = 110.0;
/// The height that the numbers of a time axis take.
const NUMBERS: f32 = 14.0;
/// The distance of a legend within a plot from its left edge, before the axis has been measured.
const MIN_INSET: f32 = 46.0;
/// The height of the line for a plot in a window of its own.
const NOTE: f32 = 26.0;
const LIST: f32 = 230.0;

pub fn show_ui(ui: &mut Ui, state: &mut PlotsPanelState, view: &PlotsPanelView) -> Vec<Action> {
    let mut actions = Vec::new();
    state.fit_to(view.list);
    let ctx = ui.ctx().clone();
    state.common.figures.get_or_insert_with(|| Figures::new(&ctx)).poll();
    bar::show_ui(ui, state, view, &mut actions);
    let rect = ui.available_rect_before_wrap();
    let mut rest = rect;
    if state.shows_signals {
        let width = LIST.min(rect.width() * 0.4);
        let list = Rect::from_min_size(rect.min, vec2(width, rect.height()));
        rest.min.x += width;
        ui.scope_builder(eframe::egui::UiBuilder::new().max_rect(list).id_salt("signals"), |ui| {
            signals::show_ui(ui, &mut state.signals, view, state.target, &mut actions);
        });
        ui.painter().vline(rest.left(), rest.y_range(), (1.0, theme_of(ui.ctx()).line));
    }
    ui.scope_builder(eframe::egui::UiBuilder::new().max_rect(rest).id_salt("plots"), |ui| {
        plots_ui(ui, state, view, &mut actions);
    });
    ui.allocate_rect(rect, Sense::hover());
    // Where the plot stands in a window of its own, that window has its settings.
    if !state.settings.is_some_and(|number| state.detached.contains(&number)) {
        settings::window_ui(ui.ctx(), state, view, &mut actions);
    }
    actions
}

fn plots_ui(ui: &mut Ui, state: &mut PlotsPanelState, view: &PlotsPanelView, actions: &mut Vec<Action>) {
    if view.list.plots.iter().all(|plot| plot.traces.is_empty()) && view.list.plots.len() < 2 {
        empty_drop_ui(ui, view, actions);
        let what = "Drag a port or wire here, right-click a wire and choose Plot, or press Run";
        widgets::empty_ui(ui, Icon::Curve, "No curves yet", what);
        return;
    }
    if view.is_new {
        let signals = view.list.drawn();
        let names: Vec<String> = signals.iter().take(3).map(|signal| view.derived.name_of(signal)).collect();
        empty_drop_ui(ui, view, actions);
        let what = format!("Press Run to see {}", names.join(", "));
        widgets::empty_ui(ui, Icon::Curve, "No run yet", &what);
        return;
    }
    let detached = state.detached.len();
    let count = view.list.plots.len().saturating_sub(detached).max(1);
    if let Some(group) = state.table {
        let rows = match group {
            // Includes signals recorded without a plot.
            Group::Compare => view.recording.signals().count().max(1) * view.others.len().max(1),
            _ => table::rows(view.list),
        };
        // Up to half of the panel, or all that plots in windows of their own leave.
        let has_plots = detached < view.list.plots.len();
        let room = if has_plots { 0.5 } else { 1.0 } * ui.available_height() - detached as f32 * (NOTE + SPACE);
        // Several plots keep their minimum height.
        let in_panel = (0..view.list.plots.len()).filter(|number| !state.detached.contains(number));
        let plots: f32 = in_panel.map(|number| LOWEST + GAP + numbers_of(state, view, number)).sum();
        let room = if has_plots { room.min(ui.available_height() - plots) } else { room };
        let height = ((rows + 1) as f32 * table::ROW + table::HEAD).min(room.max(LOWEST_TABLE));
        let all = ui.available_rect_before_wrap();
        let below = Rect::from_min_max(all.left_bottom() - vec2(0.0, height), all.max);
        let above = Rect::from_min_max(all.min, below.right_top());
        ui.scope_builder(eframe::egui::UiBuilder::new().max_rect(below).id_salt("measurements"), |ui| {
            table::show_ui(ui, state, view, group, actions);
        });
        ui.scope_builder(eframe::egui::UiBuilder::new().max_rect(above).id_salt("above"), |ui| {
            stack_ui(ui, state, view, count, actions);
        });
    } else {
        stack_ui(ui, state, view, count, actions);
    }
}

/// Without plots the whole panel is a drop target.
fn empty_drop_ui(ui: &Ui, view: &PlotsPanelView, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    let rect = ui.available_rect_before_wrap();
    let response = ui.interact(rect, ui.scope_id().with("empty"), Sense::hover());
    if response.dnd_hover_payload::<DraggedSignal>().is_some() {
        let room = rect.shrink(4.0);
        let stroke = eframe::egui::Stroke::new(1.5, theme.accent);
        ui.painter().rect(room, 6.0, theme.accent.gamma_multiply(0.1), stroke, eframe::egui::StrokeKind::Inside);
    }
    if let Some(dropped) = response.dnd_release_payload::<DraggedSignal>() {
        let label = format!("Plot {}", view.derived.name_of(&dropped.signal));
        let list = view.list.with(std::slice::from_ref(&dropped.signal), 0);
        actions.push(Action::Apply(list.change(label, view.simulation)));
    }
}

fn stack_ui(ui: &mut Ui, state: &mut PlotsPanelState, view: &PlotsPanelView, count: usize, actions: &mut Vec<Action>) {
    let notes = state.detached.len() as f32 * (NOTE + SPACE);
    let in_panel = (0..view.list.plots.len()).filter(|number| !state.detached.contains(number));
    let numbers: f32 = in_panel.map(|number| numbers_of(state, view, number)).sum();
    let each = ((ui.available_height() - notes - numbers) / count as f32 - GAP).max(LOWEST);
    let mut pointed = None;
    // The widest axes of the last frame.
    state.sides = std::mem::take(&mut state.next_sides);
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = GAP;
        for number in 0..view.list.plots.len() {
            ui.push_id(number, |ui| {
                if state.detached.contains(&number) {
                    return detached_ui(ui, state, view, number);
                }
                let numbers = numbers_of(state, view, number);
                let heights = Heights { plot: each + numbers, has_legend_above: each >= ABOVE };
                pointed = plot_with_legend_ui(ui, state, view, number, heights, actions).or(pointed);
            });
        }
    });
    state.common.pointed = pointed;
}

/// Returns the height that numbers and title of a plot's X axis take.
fn numbers_of(state: &PlotsPanelState, view: &PlotsPanelView, number: usize) -> f32 {
    let has_title = view.list.plots.get(number).is_some_and(|spec| spec.kind == PlotKind::Xy);
    match state.shares_numbers(view.list, number) {
        true => 0.0,
        false => NUMBERS + if has_title { 15.0 } else { 0.0 },
    }
}

/// Draws what stands in the panel for a plot in a window of its own.
fn detached_ui(ui: &mut Ui, state: &mut PlotsPanelState, view: &PlotsPanelView, number: usize) {
    let Some(spec) = view.list.plots.get(number) else { return };
    ui.allocate_ui(vec2(ui.available_width(), NOTE), |ui| {
        ui.horizontal_centered(|ui| {
            ui.add_space(2.0 * SPACE);
            ui.label(widgets::weak(ui, format!("{} is in a window of its own", legend::title_of(spec, number))));
            if ui.link("Return it to this panel").clicked() {
                state.detached.remove(&number);
            }
        });
    });
}

/// The height of a plot with its legend, which is above it or, where it is low, within it.
#[derive(Clone, Copy)]
struct Heights {
    plot: f32,
    has_legend_above: bool,
}

/// Draws a plot with its legend; returns the time under the pointer.
fn plot_with_legend_ui(
    ui: &mut Ui,
    state: &mut PlotsPanelState,
    view: &PlotsPanelView,
    number: usize,
    heights: Heights,
    actions: &mut Vec<Action>,
) -> Option<f64> {
    let theme = theme_of(ui.ctx());
    let spec = view.list.plots.get(number)?;
    let Heights { plot: height, has_legend_above: is_above } = heights;
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    if let Some(area) = state.areas.get_mut(number) {
        *area = rect;
    }
    let plot = PlotRef { view, number, spec };
    let rows = if is_above { 1 + (height / MORE_ROWS) as usize } else { 1 };
    let inset = if is_above { 0.0 } else { state.sides.left.max(MIN_INSET) };
    let mut corner = rect.min + if is_above { vec2(SPACE, 0.0) } else { vec2(inset + 4.0, 7.0) };
    let width = rect.right() - SPACE - corner.x;
    let mut legend = legend::Legend::of(ui, state, plot, (corner, width), rows);
    let plot_rect = rect.with_min_x(rect.left() + 0.5 * SPACE).with_max_x(rect.right() - SPACE);
    let plot_rect = if is_above { plot_rect.with_min_y(rect.top() + legend.height - 2.0) } else { plot_rect };
    let is_compared = state.table == Some(Group::Compare);
    let band = is_compared.then_some(state.tolerance);
    let source = PlotData { band, ..view.source(theme) };
    let mut plot_view = state.views.get(number).copied().unwrap_or_default();
    let mut time = if state.is_unlinked { plot_view.x } else { state.time };
    let label = legend::title_of(spec, number);
    // Axes are aligned with those of plots above and below.
    let is_aligned = !state.is_unlinked && !state.detached.contains(&number);
    let least = if is_aligned { state.sides } else { Sides::default() };
    let kept = state.kept(view.list, number);
    let key = FigureKey::Plot(number);
    let hides_x = state.shares_numbers(view.list, number);
    let target = plot::Target { spec, key, chosen: view.chosen, label, least, kept, has_cursors: true, hides_x };
    let done = plot::show_ui(ui, plot_rect, &source, (&mut plot_view, &mut time), &mut state.common, &target);
    if is_aligned {
        state.next_sides = state.next_sides.max(done.sides);
    }
    if !spec.kind.is_over_time() {
    } else if state.is_unlinked {
        plot_view.x = time;
    } else {
        state.time = time;
    }
    if let Some(view) = state.views.get_mut(number) {
        *view = plot_view;
    }
    if let Some(axes) = state.axes.get_mut(number) {
        *axes = done.axes;
    }
    if let Some(cursors) = done.cursors {
        actions.push(Action::Apply(PlotList::cursor_change("Move cursor", Some(cursors))));
    }
    if let Some(turn) = done.turned {
        let list = view.list.with_spec(number, |spec| spec.view_angles = Some(turn));
        actions.push(Action::Apply(list.change("Rotate plot", view.simulation)));
    }
    if let Some((dropped, side)) = done.dropped {
        let list = match dropped.from.filter(|from| *from != number) {
            Some(from) => view.list.without(std::slice::from_ref(&dropped.signal), Some(from)),
            None => view.list.clone(),
        };
        let list = list.with(std::slice::from_ref(&dropped.signal), number).with_spec(number, |spec| {
            spec.trace_mut(&dropped.signal).into_iter().for_each(|trace| trace.side = side);
        });
        let label = format!("Move {} to a plot", view.derived.name_of(&dropped.signal));
        actions.push(Action::Apply(list.change(label, view.simulation)));
    }
    done.response.context_menu(|ui| menu::show_ui(ui, state, view, number, actions));
    sensitivity_note_ui(ui, plot_rect, plot);
    if let (false, Some(lower)) = (is_above, done.free_edge) {
        corner.y = lower - legend.height - 1.0;
        legend = legend::Legend::of(ui, state, plot, (corner, width), rows);
    }
    let over = (!is_above).then(|| theme.panel.gamma_multiply(0.85));
    ui.scope_builder(eframe::egui::UiBuilder::new().max_rect(rect), |ui| {
        legend.show_ui(ui, state, plot, (width, over), actions);
    });
    done.pointed
}

/// Writes over a plot why its derivatives have no samples.
fn sensitivity_note_ui(ui: &mut Ui, rect: Rect, PlotRef { view, spec, .. }: PlotRef) {
    let is_missing = |signal: &SignalKey| is_derivative(signal) && view.recording.columns(signal).is_empty();
    if let Some(note) = view.sensitivity_note.filter(|_| spec.traces.iter().any(|trace| is_missing(&trace.signal))) {
        let text = widgets::weak(ui, widgets::sentence(note));
        let place = rect.shrink2(vec2(rect.width() * 0.15, 0.35 * rect.height()));
        // The lines of the grid would be in the text.
        ui.painter().rect_filled(place, 4.0, theme_of(ui.ctx()).panel);
        ui.put(place, Label::new(text).wrap());
    }
}

/// Draws a plot of one signal without a legend, for dashboards.
pub fn small_ui(
    ui: &mut Ui,
    rect: Rect,
    state: &mut PlotsPanelState,
    source: &PlotData,
    number: usize,
    signal: &SignalKey,
) {
    let ctx = ui.ctx().clone();
    state.common.figures.get_or_insert_with(|| Figures::new(&ctx)).poll();
    let spec = PlotSpec::of(vec![signal.clone()]);
    let (view, mut time) = state.small.get(&number).copied().unwrap_or_default();
    let mut view = view;
    let label = format!("Plot of {}", source.derived.name_of(signal));
    let (key, least) = (FigureKey::Small(number), Sides::default());
    let target =
        plot::Target { spec: &spec, key, chosen: None, label, least, kept: None, has_cursors: false, hides_x: false };
    plot::show_ui(ui, rect, source, (&mut view, &mut time), &mut state.common, &target);
    state.small.insert(number, (view, time));
}

/// Returns the runs in the background: the previous run faintly, overlays with their own line styles.
pub fn others(run: &RunSession) -> Vec<Overlay<'_>> {
    let runs = run.runs();
    let ghost = runs.ghost().map(|run| Overlay {
        name: &run.name,
        recording: &run.recording,
        strength: 0.32,
        line: LineKind::Solid,
        is_ghost: true,
    });
    let lines = [LineKind::Dashed, LineKind::Dotted].into_iter().cycle();
    let chosen = runs.overlays().zip(lines).map(|(run, line)| Overlay {
        name: &run.name,
        recording: &run.recording,
        strength: 0.8,
        line,
        is_ghost: false,
    });
    ghost.into_iter().chain(chosen).collect()
}

/// Returns the colour of a signal.
pub fn color_of(list: &PlotList, signal: &SignalKey, theme: &Theme) -> eframe::egui::Color32 {
    let index = list.color_index(signal).unwrap_or(0);
    theme.curves.get(index % theme.curves.len()).copied().unwrap_or(theme.accent)
}
