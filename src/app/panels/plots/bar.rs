//! The bar above all plots: buttons, and the times of the cursors.

use eframe::egui::{self, RichText, Ui};

use super::axes::{kept_time, time_axis};
use super::state::{Group, PlotsPanelState, PlotsPanelView};
use super::view::Seen;
use crate::app::action::Action;
use crate::app::action::command::{Command, FileCommand, RunCommand};
use crate::app::doc::plots::PlotList;
use crate::app::ui::icons::Icon;
use crate::app::ui::numbers;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::{self, Selected, theme_of};

pub fn show_ui(ui: &mut Ui, state: &mut PlotsPanelState, view: &PlotsPanelView, actions: &mut Vec<Action>) {
    egui::Frame::new().inner_margin(egui::Margin { left: 10, right: 8, top: 3, bottom: 1 }).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            if toggle_ui(
                ui,
                Icon::List,
                "Signals",
                "Which signals are recorded; drag them to plots",
                state.shows_signals,
            ) {
                state.shows_signals = !state.shows_signals;
            }
            let add = widgets::icon_button_ui(ui, Icon::Plus, "Add plot");
            if add.on_hover_text("Add an empty plot below").clicked() {
                actions.push(Action::Apply(view.list.with_plot().change("Add plot", view.simulation)));
                state.target = view.list.plots.len();
            }
            ui.add_space(SPACE);
            seen_ui(ui, state, view);
            ui.add_space(SPACE);
            measure_ui(ui, state, view, actions);
            ui.add_space(SPACE);
            let can_export = !view.recording.is_empty();
            let export = widgets::icon_button_if_ui(ui, Icon::Export, "Export curves", can_export);
            if export.on_hover_text("Write the curves to a .csv or .parquet file").clicked() && can_export {
                actions.push(Action::Command(Command::File(FileCommand::ExportCsv)));
            }
            let fit = widgets::icon_button_ui(ui, Icon::CurveFit, "Fit to data");
            let about = "Fit parameters to measured curves; a data file that is dropped on a plot is taken, too";
            if fit.on_hover_text(about).clicked() {
                actions.push(Action::Command(Command::Run(RunCommand::FitToData)));
            }
            let response = widgets::icon_button_ui(ui, Icon::Response, "Optimize response");
            let about = "Find parameters with which the response meets requirements: bounds, overshoot, settling time";
            if response.on_hover_text(about).clicked() {
                actions.push(Action::Command(Command::Run(RunCommand::OptimizeResponse)));
            }
            ui.add_space(SPACE);
            if view.is_stale {
                let theme = theme_of(ui.ctx());
                ui.label(RichText::new("Changed since this run").size(TEXT_SMALL).color(theme.warning));
                ui.add_space(SPACE);
                if ui.link(RichText::new("Run again").size(TEXT_SMALL)).clicked() {
                    actions.push(Action::Command(Command::Run(RunCommand::Run)));
                }
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| times_ui(ui, state, view));
        });
    });
}

/// Draws a toggle button; returns whether it was clicked.
fn toggle_ui(ui: &mut Ui, icon: Icon, label: &str, about: &str, selected: impl Into<Selected>) -> bool {
    let is_on = selected.into() == Selected::Yes;
    let tint = is_on.then_some(theme_of(ui.ctx()).accent);
    let button = widgets::tinted_icon_button_ui(ui, icon, label, widgets::Enabled::Yes, tint);
    button.on_hover_text(format!("{label}\n{about}")).clicked()
}

/// Draws the buttons for fitting, following and linked time axes.
fn seen_ui(ui: &mut Ui, state: &mut PlotsPanelState, view: &PlotsPanelView) {
    let is_whole = state.time == Seen::All && state.views.iter().all(|plot| plot.is_whole());
    let fit = widgets::icon_button_if_ui(ui, Icon::Fit, "Fit all plots", !is_whole);
    if fit.on_hover_text("Show the whole run (double-click in a plot, or Home)").clicked() {
        state.time = Seen::All;
        state.views.iter_mut().for_each(|plot| *plot = Default::default());
    }
    let is_following = matches!(state.time, Seen::Last(_))
        || (state.is_unlinked && state.views.iter().any(|plot| matches!(plot.x, Seen::Last(_))));
    let about = "Keep the newest samples in view; the visible time span stays the same";
    if toggle_ui(ui, Icon::Follow, "Follow the run", about, is_following) {
        let kept = kept_time(view.list);
        let follow = |seen: Seen| match is_following {
            true => Seen::All,
            false => Seen::Last(time_axis(seen, view.end, kept).width().max(f64::MIN_POSITIVE)),
        };
        state.time = follow(state.time);
        state.views.iter_mut().for_each(|plot| plot.x = follow(plot.x));
    }
    let about = "All plots over time share one time range; click to unlink them";
    if toggle_ui(ui, Icon::Link, "Link time axes", about, !state.is_unlinked) {
        state.is_unlinked = !state.is_unlinked;
        let time = state.time;
        for (plot, spec) in state.views.iter_mut().zip(&view.list.plots) {
            plot.x = if state.is_unlinked && spec.kind.is_over_time() { time } else { Seen::All };
        }
    }
}

fn measure_ui(ui: &mut Ui, state: &mut PlotsPanelState, view: &PlotsPanelView, actions: &mut Vec<Action>) {
    let about = "Two lines to measure between: drag one, or click it and use the arrow keys\nShift moves it by ten samples, A and B select one";
    if toggle_ui(ui, Icon::Cursors, "Cursors", about, view.list.cursors.is_some()) {
        let change = match view.list.cursors {
            Some(_) => PlotList::cursor_change("Hide cursors", None),
            None => {
                let seen = if state.is_unlinked { state.views.first().map_or(state.time, |v| v.x) } else { state.time };
                let axis = time_axis(seen, view.end, state.kept(view.list, 0));
                // At samples.
                let at = |part: f64| (axis.value(part) / view.recording.delta).round() * view.recording.delta;
                PlotList::cursor_change("Show cursors", Some([at(1.0 / 3.0), at(2.0 / 3.0)]))
            }
        };
        actions.push(Action::Apply(change));
    }
    let about = "Measure the visible range, or the range between the cursors";
    if toggle_ui(ui, Icon::Ruler, "Measurements", about, state.table.is_some()) {
        state.table = match state.table {
            Some(_) => None,
            None => Some(Group::Values),
        };
    }
}

/// Draws the cursors' times and their difference, or the time under the pointer.
fn times_ui(ui: &mut Ui, state: &PlotsPanelState, view: &PlotsPanelView) {
    if let Some([a, b]) = state.cursors(view.list) {
        let theme = theme_of(ui.ctx());
        let width = b - a;
        let frequency = if width == 0.0 { "∞".to_owned() } else { numbers::digits(1.0 / width.abs(), 4) };
        // From right to left.
        for (name, text) in [
            ("1/Δ", format!("{frequency} Hz")),
            ("Δ", numbers::seconds(width)),
            ("B", numbers::seconds(b)),
            ("A", numbers::seconds(a)),
        ] {
            ui.label(RichText::new(text).size(TEXT_SMALL).monospace());
            ui.label(RichText::new(name).size(TEXT_SMALL).color(theme.guide).strong());
            ui.add_space(2.0 * SPACE);
        }
    } else if let Some(time) = state.common.pointed {
        ui.label(widgets::weak(ui, format!("at {}", numbers::seconds(time))));
    }
}
