//! The window with a plot's title, the labels and limits of its axes, and its trigger level.

use eframe::egui::{self, RichText, Ui};

use super::legend::title_of;
use super::state::{PlotRef, PlotsPanelState, PlotsPanelView};
use crate::app::action::Action;
use crate::app::doc::plots::{PlotKind, PlotList, PlotSpec};
use crate::app::doc::typed;
use crate::app::ui::field::Field;
use crate::app::ui::form::row_ui;
use crate::app::ui::numbers::typed::Wanted;
use crate::app::ui::theme::{SPACE, TEXT};
use crate::app::ui::{style, widgets};

type Range = Option<(f64, f64)>;

/// An axis of a plot: its name, and where the specification has its limits and its label.
struct AxisRow {
    name: &'static str,
    range: fn(&mut PlotSpec) -> &mut Range,
    label: fn(&mut PlotSpec) -> &mut String,
}

pub fn window_ui(ctx: &egui::Context, state: &mut PlotsPanelState, view: &PlotsPanelView, actions: &mut Vec<Action>) {
    let Some(number) = state.settings else { return };
    let Some(spec) = view.list.plots.get(number) else {
        state.settings = None;
        return;
    };
    let mut is_open = true;
    let title = format!("Title and axes of {}", title_of(spec, number));
    egui::Window::new(RichText::new(title).font(style::strong(TEXT)))
        .id(egui::Id::unique("limits of a plot"))
        .collapsible(false)
        .resizable(false)
        .open(&mut is_open)
        .default_pos(ctx.content_rect().center() - egui::vec2(150.0, 120.0))
        .show(ctx, |ui| {
            ui.set_width(300.0);
            let plot = PlotRef { view, number, spec };
            title_ui(ui, state, plot, actions);
            labels_ui(ui, state, plot, actions);
            limits_ui(ui, state, plot, actions);
            trigger_ui(ui, state, plot, actions);
        });
    if !is_open {
        state.settings = None;
        state.editing.forget();
    }
}

fn rows(spec: &PlotSpec) -> Vec<AxisRow> {
    let x = |name| AxisRow { name, range: |spec| &mut spec.x_range, label: |spec| &mut spec.axis_labels.x };
    let left = |name| AxisRow { name, range: |spec| &mut spec.left_range, label: |spec| &mut spec.axis_labels.left };
    let right = |name| AxisRow { name, range: |spec| &mut spec.right_range, label: |spec| &mut spec.axis_labels.right };
    match spec.kind {
        PlotKind::Phase => vec![x("x"), left("y"), right("z")],
        PlotKind::Digital => vec![x("Time, s")],
        kind => {
            let mut rows = vec![x(if kind.is_over_time() { "Time, s" } else { "X axis" }), left("Y axis")];
            if kind == PlotKind::Time && spec.has_right() {
                rows.push(right("Right Y axis"));
            }
            rows
        }
    }
}

fn title_ui(ui: &mut Ui, state: &mut PlotsPanelState, plot: PlotRef, actions: &mut Vec<Action>) {
    let PlotRef { view, number, spec } = plot;
    let hint = title_of(&PlotSpec::default(), number);
    let typed = row_ui(ui, "Title", "Stands above the plot in pictures and reports", |ui| {
        let field = Field::new("Title of the plot", &spec.title).hint(&hint).width(ui.available_width());
        field.text_ui(ui, &mut state.editing, &|_| None)
    });
    if let Some(title) = typed {
        let list = view.list.with_spec(number, |spec| title.trim().clone_into(&mut spec.title));
        actions.push(Action::Apply(list.change("Rename plot", view.simulation)));
    }
}

fn labels_ui(ui: &mut Ui, state: &mut PlotsPanelState, plot: PlotRef, actions: &mut Vec<Action>) {
    let PlotRef { view, number, spec } = plot;
    widgets::section_ui(ui, "Labels");
    for AxisRow { name, label, .. } in rows(spec) {
        let shown = label(&mut spec.clone()).clone();
        let typed = row_ui(ui, name, "The text at the axis; empty for the automatic one", |ui| {
            let name = format!("Label of {name}");
            let field = Field::new(&name, &shown).hint("automatic").width(ui.available_width());
            field.text_ui(ui, &mut state.editing, &|_| None)
        });
        if let Some(typed) = typed {
            let list = view.list.with_spec(number, |spec| typed.trim().clone_into(label(spec)));
            actions.push(Action::Apply(list.change("Set axis label of plot", view.simulation)));
        }
    }
}

/// Splits `-1 to 2.5`.
fn ends_of(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    text.split_once("to").or_else(|| text.split_once(char::is_whitespace))
}

fn limits_ui(ui: &mut Ui, state: &mut PlotsPanelState, plot: PlotRef, actions: &mut Vec<Action>) {
    let PlotRef { view, number, spec } = plot;
    // Linked plots share the time axis.
    let is_linked = spec.kind.is_over_time() && !state.is_unlinked;
    let read = typed::number;
    widgets::section_ui(ui, "Limits");
    for (number_of_row, row) in rows(spec).into_iter().enumerate() {
        let (label, range_of) = (row.name, row.range);
        let range = *range_of(&mut spec.clone());
        let is_time = number_of_row == 0 && spec.kind.is_over_time();
        row_ui(ui, label, "From and to; empty for automatic limits", |ui| {
            let shown = range.map_or_else(String::new, |(low, high)| format!("{low} to {high}"));
            let parse = |text: &str| -> Option<Range> {
                let text = text.trim();
                if text.is_empty() || text == "all" {
                    return Some(None);
                }
                let (low, high) = ends_of(text)?;
                let range = (read(low)?, read(high)?);
                (range.0 < range.1).then_some(Some(range))
            };
            let problem = |text: &str| {
                let ends = ends_of(text).map(<[&str; 2]>::from);
                let doubt = || ends.into_iter().flatten().find_map(|end| typed::question(end, Wanted::One));
                let expected = || "Write “-1 to 2.5”, the lower limit first".to_owned();
                if parse(text).is_none() { Some(doubt().unwrap_or_else(expected)) } else { None }
            };
            let name = format!("Limits of {label}");
            let width = ui.available_width();
            let typed =
                Field::new(&name, &shown).hint("automatic").width(width).text_ui(ui, &mut state.editing, &problem);
            if let Some(range) = typed.and_then(|text| parse(&text)) {
                let list = match is_linked && is_time {
                    true => with_linked(view, number, &|spec| *range_of(spec) = range),
                    false => view.list.with_spec(number, |spec| *range_of(spec) = range),
                };
                actions.push(Action::Apply(list.change("Set limits of plot", view.simulation)));
                let axes = if is_time { Axes::WithTime } else { Axes::Own };
                forget_view(state, number, axes);
            }
        });
    }
    ui.add_space(SPACE);
    ui.horizontal(|ui| {
        let seen = state.axes.get(number).copied().flatten();
        let keep = ui.add_enabled(seen.is_some(), egui::Button::new("Use current view"));
        if keep.on_hover_text("Zoom first, then store these limits in the simulation").clicked()
            && let Some((x, left, right)) = seen
        {
            let is_whole = state.views.get(number).is_none_or(|plot| plot.x == super::Seen::All);
            let shows_all = state.time == super::Seen::All && is_whole && spec.x_range.is_none();
            let (range, has_right) = ((!shows_all).then_some((x.low, x.high)), spec.has_right());
            let right = right.filter(|_| has_right).map(|right| (right.low, right.high));
            let values = move |spec: &mut PlotSpec| {
                (spec.left_range, spec.right_range) = (Some((left.low, left.high)), right);
            };
            let mut list = match is_linked {
                true => with_linked(view, number, &|spec| spec.x_range = range),
                false => view.list.with_spec(number, |spec| spec.x_range = range),
            };
            list.plots.get_mut(number).into_iter().for_each(values);
            actions.push(Action::Apply(list.change("Set limits of plot", view.simulation)));
            forget_view(state, number, Axes::of(spec.kind));
        }
        let has_limits = spec.x_range.is_some() || spec.left_range.is_some() || spec.right_range.is_some();
        let all = ui.add_enabled(has_limits, egui::Button::new("Automatic limits"));
        if all.on_hover_text("Fit the axes to the curves").clicked() {
            let mut list = match is_linked {
                true => with_linked(view, number, &|spec| spec.x_range = None),
                false => view.list.with_spec(number, |spec| spec.x_range = None),
            };
            let here = list.plots.get_mut(number).into_iter();
            here.for_each(|spec| (spec.left_range, spec.right_range) = (None, None));
            actions.push(Action::Apply(list.change("Fit axes of plot", view.simulation)));
            forget_view(state, number, Axes::of(spec.kind));
        }
    });
}

/// Returns the plots with one changed, and all others over time.
fn with_linked(view: &PlotsPanelView, number: usize, change: &dyn Fn(&mut PlotSpec)) -> PlotList {
    let mut list = view.list.with_spec(number, change);
    list.plots.iter_mut().filter(|plot| plot.kind.is_over_time()).for_each(change);
    list
}

/// Which limits are set: those of a plot alone, or those of the time too, which plots over time share.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Axes {
    Own,
    WithTime,
}

impl Axes {
    fn of(kind: PlotKind) -> Axes {
        if kind.is_over_time() { Axes::WithTime } else { Axes::Own }
    }
}

/// Shows the limits that are set in place of those that the user has zoomed to.
fn forget_view(state: &mut PlotsPanelState, number: usize, axes: Axes) {
    if let Some(plot) = state.views.get_mut(number) {
        *plot = super::PlotView::default();
    }
    if axes == Axes::WithTime {
        state.time = super::Seen::All;
    }
}

fn trigger_ui(ui: &mut Ui, state: &mut PlotsPanelState, plot: PlotRef, actions: &mut Vec<Action>) {
    let PlotRef { view, number, spec } = plot;
    let Some(trigger) = spec.trigger.as_ref().filter(|_| spec.kind == PlotKind::Time) else { return };
    widgets::section_ui(ui, &format!("Trigger on {}", view.derived.name_of(&trigger.signal)));
    let problem = |text: &str| if typed::number(text).is_none() { Some("A number".to_owned()) } else { None };
    let typed = row_ui(ui, "Level", "The plot shows the time around the last crossing of this level", |ui| {
        let width = ui.available_width();
        let level = trigger.level.to_string();
        let field = Field::new("Trigger level", &level).width(width).number(Wanted::One);
        field.text_ui(ui, &mut state.editing, &problem)
    });
    if let Some(level) = typed.and_then(|text| typed::number(&text)) {
        let list = view.list.with_spec(number, |spec| {
            spec.trigger.iter_mut().for_each(|trigger| trigger.level = level);
        });
        actions.push(Action::Apply(list.change("Set trigger level", view.simulation)));
    }
}
