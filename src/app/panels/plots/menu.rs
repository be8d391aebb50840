//! The menus of plots and curves.

use eframe::egui::{Button, RichText, Ui};

use super::spectrum_menu;
use super::state::{PlotsPanelState, PlotsPanelView};
use crate::app::action::{Action, FileAction, Range, ViewAction};
use crate::app::doc::plots::{Decibels, PlotKind, PlotSpec, Trace, TriggerSpec, is_derivative};
use crate::app::drawing::Format;
use crate::app::ui::chart::{AxisSide, LineKind};
use crate::app::ui::widgets::{Selected, theme_of};
use crate::measure::Edge;

pub fn item(ui: &mut Ui, selected: impl Into<Selected>, text: &str) -> bool {
    let is_on = selected.into() == Selected::Yes;
    let is_chosen = ui.add(Button::selectable(is_on, text)).clicked();
    if is_chosen {
        ui.close();
    }
    is_chosen
}

/// The menu of a plot.
pub fn show_ui(
    ui: &mut Ui,
    state: &mut PlotsPanelState,
    view: &PlotsPanelView,
    number: usize,
    actions: &mut Vec<Action>,
) {
    let Some(spec) = view.list.plots.get(number) else { return };
    ui.set_min_width(190.0);
    let mut change = |label: &str, change: &dyn Fn(&mut PlotSpec)| {
        let list = view.list.with_spec(number, change);
        actions.push(Action::Apply(list.change(label, view.simulation)));
    };
    ui.menu_button("Show as", |ui| {
        ui.set_min_width(170.0);
        for kind in PlotKind::ALL {
            let button = ui.add(Button::selectable(spec.kind == kind, kind.label())).on_hover_text(kind.about());
            if button.clicked() {
                ui.close();
                change(&format!("Show plot as {}", kind.label().to_lowercase()), &|spec| spec.kind = kind);
            }
        }
    });
    axes_ui(ui, spec, &mut change);
    if matches!(spec.kind, PlotKind::Spectrum | PlotKind::Cross | PlotKind::Spectrogram) {
        spectrum_menu::show_ui(ui, spec, &mut change);
    }
    if spec.kind == PlotKind::Time {
        trigger_ui(ui, state, view, (number, spec), &mut change);
    }
    if item(ui, false, "Title and axes…") {
        state.settings = Some(number);
    }
    if item(ui, false, "Rename…") {
        state.renaming = Some((number, spec.title.clone()));
    }
    let is_detached = state.detached.contains(&number);
    if !is_detached && item(ui, false, "Open in its own window") {
        state.detached.insert(number);
    }
    if is_detached && item(ui, false, "Return to the panel") {
        state.detached.remove(&number);
    }
    ui.separator();
    ui.menu_button("Export picture", |ui| {
        for (format, label) in [(Format::Svg, "SVG…"), (Format::Png, "PNG…"), (Format::Pdf, "PDF…")] {
            if item(ui, false, label) {
                actions.push(Action::File(FileAction::ExportPlot { plot: number, format }));
            }
        }
    });
    ui.menu_button("Export data", |ui| {
        for (range, label) in [(Range::All, "Whole run…"), (Range::Seen, "Visible range…")] {
            if item(ui, false, label) {
                actions.push(Action::File(FileAction::ExportData { plot: Some(number), range }));
            }
        }
    });
    ui.separator();
    if item(ui, false, "Add plot below") {
        actions.push(Action::Apply(view.list.with_plot().change("Add plot", view.simulation)));
    }
    if item(ui, false, "Remove plot") {
        actions.push(Action::Apply(view.list.without_plot(number).change("Remove plot", view.simulation)));
    }
}

/// Applies a labelled change to the plot.
pub type Changed<'a> = &'a mut dyn FnMut(&str, &dyn Fn(&mut PlotSpec));

fn axes_ui(ui: &mut Ui, spec: &PlotSpec, change: Changed) {
    let (x, y) = spec.kind.can_be_log();
    let db = matches!(spec.kind, PlotKind::Spectrum | PlotKind::Cross) && spec.decibels == Decibels::Yes;
    if x && item(ui, spec.x_is_log, "Log X axis") {
        change("Set scale", &|spec| spec.x_is_log = !spec.x_is_log);
    }
    if y && !db && item(ui, spec.left_is_log, "Log Y axis") {
        change("Set scale", &|spec| spec.left_is_log = !spec.left_is_log);
    }
    if spec.kind == PlotKind::Time && spec.has_right() && item(ui, spec.right_is_log, "Log right Y axis") {
        change("Set scale", &|spec| spec.right_is_log = !spec.right_is_log);
    }
}

fn trigger_ui(
    ui: &mut Ui,
    state: &mut PlotsPanelState,
    view: &PlotsPanelView,
    (number, spec): (usize, &PlotSpec),
    change: Changed,
) {
    ui.menu_button("Trigger", |ui| {
        ui.set_min_width(220.0);
        if item(ui, spec.trigger.is_none(), "Off") {
            change("Set trigger", &|spec| spec.trigger = None);
        }
        for trace in spec.traces.iter().filter(|trace| !is_derivative(&trace.signal)) {
            let is_on = spec.trigger.as_ref().is_some_and(|trigger| trigger.signal == trace.signal);
            if item(ui, is_on, &format!("On {}", view.derived.name_of(&trace.signal))) {
                let column = view.recording.columns(&trace.signal).first();
                let extent = column.map(|column| column.extent(0..u64::MAX)).filter(|extent| !extent.is_empty());
                // The middle of the visible range, rounded.
                let level = extent.map_or(0.0, |extent| {
                    let unit = 10_f64.powf(((extent.high - extent.low).max(1e-12)).log10().floor() - 1.0);
                    ((extent.low + extent.high) / 2.0 / unit).round() * unit
                });
                let edge = spec.trigger.as_ref().map_or(Edge::Rising, |trigger| trigger.edge);
                change("Set trigger", &|spec| {
                    spec.trigger = Some(TriggerSpec { signal: trace.signal.clone(), level, edge });
                });
            }
        }
        let Some(trigger) = &spec.trigger else { return };
        ui.separator();
        for (edge, label) in [(Edge::Rising, "Rising"), (Edge::Falling, "Falling"), (Edge::Either, "Rising or falling")]
        {
            if item(ui, trigger.edge == edge, label) {
                change("Set trigger", &|spec| spec.trigger.iter_mut().for_each(|trigger| trigger.edge = edge));
            }
        }
        if item(ui, false, "Level…") {
            state.settings = Some(number);
        }
    });
}

/// The menu of a curve.
pub fn trace_ui(ui: &mut Ui, view: &PlotsPanelView, number: usize, trace: &Trace, actions: &mut Vec<Action>) {
    ui.set_min_width(180.0);
    let theme = theme_of(ui.ctx());
    let signal = &trace.signal;
    let mut change = |label: &str, change: &dyn Fn(&mut Trace)| {
        let list = view.list.with_spec(number, |spec| spec.trace_mut(signal).into_iter().for_each(change));
        actions.push(Action::Apply(list.change(label, view.simulation)));
    };
    for (side, label) in [(AxisSide::Left, "Left axis"), (AxisSide::Right, "Right axis")] {
        if item(ui, trace.side == side, label) && trace.side != side {
            change("Set axis of curve", &|trace| trace.side = side);
        }
    }
    ui.separator();
    ui.menu_button("Colour", |ui| {
        ui.set_min_width(120.0);
        let names = ["Blue", "Orange", "Green", "Purple", "Yellow", "Teal", "Red", "Brown"];
        for (index, (name, color)) in names.into_iter().zip(theme.curves).enumerate() {
            let swatch = RichText::new("■ ").color(color);
            if ui.add(Button::selectable(trace.color == Some(index), (swatch, name))).clicked() {
                ui.close();
                change("Set colour of curve", &|trace| trace.color = Some(index));
            }
        }
        ui.separator();
        if item(ui, trace.color.is_none(), "Automatic colour") {
            change("Set colour of curve", &|trace| trace.color = None);
        }
    });
    ui.menu_button("Line", |ui| {
        ui.set_min_width(120.0);
        if item(ui, trace.line.is_none(), "Automatic") {
            change("Set line of curve", &|trace| trace.line = None);
        }
        for line in LineKind::ALL {
            if item(ui, trace.line == Some(line), line.label()) {
                change("Set line of curve", &|trace| trace.line = Some(line));
            }
        }
        ui.separator();
        for (width, label) in [(1.0, "Thin"), (Trace::WIDTH, "Medium"), (2.8, "Thick")] {
            if item(ui, trace.width == width, label) {
                change("Set line of curve", &|trace| trace.width = width);
            }
        }
    });
    ui.separator();
    for (label, shows) in [("Show only this", false), ("Show all", true)] {
        if item(ui, false, label) {
            let list = view.list.with_spec(number, |spec| {
                spec.traces.iter_mut().for_each(|other| other.is_hidden = !shows && other.signal != *signal);
            });
            actions.push(Action::Apply(list.change(label, view.simulation)));
        }
    }
    if item(ui, false, "Go to block") {
        actions.push(Action::View(ViewAction::GoTo { path: signal.path.clone(), block: Some(signal.block) }));
    }
    if item(ui, false, "Remove") {
        let label = format!("Remove {} from plot", view.derived.name_of(signal));
        let list = view.list.without(std::slice::from_ref(signal), Some(number));
        actions.push(Action::Apply(list.change(label, view.simulation)));
    }
}
