//! The plots: curves of the recorded signals, one plot under the other.

use std::collections::BTreeSet;

use eframe::egui::{self, Rect, RichText, ScrollArea, Sense, Ui, vec2};

use super::plot::{self, Curve, PlotView};
use crate::app::command::Command;
use crate::app::icons::Icon;
use crate::app::numbers;
use crate::app::plots::{PlotList, name_of};
use crate::app::state::Action;
use crate::app::style;
use crate::app::theme::{SPACE, TEXT_SMALL};
use crate::app::widgets::{self, theme_of};
use crate::engine::Recording;
use crate::model::{SignalKey, Simulation};

#[derive(Default)]
pub struct State {
    /// The plot that new signals go to.
    pub target: usize,
    /// One a plot.
    views: Vec<PlotView>,
    hidden: BTreeSet<SignalKey>,
    /// The time under the pointer, the same in all plots.
    cursor: Option<f64>,
}

impl State {
    /// Another document is open.
    pub fn forget(&mut self) {
        *self = State::default();
    }

    /// A new run begins: the plots show all of it again.
    pub fn restart(&mut self) {
        self.views.iter_mut().for_each(|view| view.is_auto = true);
    }
}

pub struct View<'a> {
    pub simulation: &'a Simulation,
    pub list: &'a PlotList,
    pub recording: &'a Recording,
    /// The last step of the run so far, with its length the end of the time axis.
    pub end: f64,
    /// Nothing has run since the document was opened.
    pub is_new: bool,
    /// The parameters are others than those of the run that is shown.
    pub is_stale: bool,
}

const LEGEND: f32 = 216.0;
const LOWEST: f32 = 110.0;

pub fn show_ui(ui: &mut Ui, state: &mut State, view: &View) -> Vec<Action> {
    let mut actions = Vec::new();
    let count = view.list.plots.len();
    state.views.resize_with(count, PlotView::default);
    state.target = state.target.min(count.saturating_sub(1));
    bar_ui(ui, state, view, &mut actions);
    if view.list.plots.iter().all(Vec::is_empty) {
        widgets::empty_ui(ui, Icon::Curve, "No curves yet", "Right-click a wire and choose Plot, or press Run");
        return actions;
    }
    if view.is_new {
        let names: Vec<String> =
            view.list.signals().iter().take(3).map(|signal| name_of(view.simulation, signal)).collect();
        let what = format!("Press Run to see {}", names.join(", "));
        widgets::empty_ui(ui, Icon::Curve, "Nothing has run yet", &what);
        return actions;
    }
    let height = ui.available_height();
    let each = (height / count.max(1) as f32 - SPACE).max(LOWEST);
    let mut cursor = None;
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = SPACE;
        for number in 0..count {
            ui.push_id(number, |ui| {
                let hovered = plot_ui(ui, state, view, number, each, &mut actions);
                cursor = cursor.or(hovered);
            });
        }
    });
    state.cursor = cursor;
    actions
}

fn bar_ui(ui: &mut Ui, state: &mut State, view: &View, actions: &mut Vec<Action>) {
    egui::Frame::new().inner_margin(egui::Margin { left: 10, right: 8, top: 3, bottom: 1 }).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            let add = widgets::icon_button_ui(ui, Icon::Plus, "Add plot", true);
            if add.on_hover_text("Add an empty plot below").clicked() {
                actions.push(Action::Apply(view.list.with_plot().change("Add plot", view.simulation)));
                state.target = view.list.plots.len();
            }
            let is_auto = state.views.iter().all(|plot| plot.is_auto);
            let fit = widgets::icon_button_ui(ui, Icon::Fit, "Show all curves whole", !is_auto);
            if fit.on_hover_text("Show the whole run (double-click in a plot)").clicked() {
                state.views.iter_mut().for_each(|plot| plot.is_auto = true);
            }
            let is_following = state.views.iter().any(|plot| plot.follow.is_some());
            let tint = is_following.then_some(theme_of(ui.ctx()).accent);
            let follow = widgets::tinted_icon_button_ui(ui, Icon::Follow, "Follow the run", true, tint);
            if follow.on_hover_text("Keep the newest samples in view, with the width that is shown now").clicked() {
                for plot in &mut state.views {
                    plot.follow = if is_following { None } else { Some(plot.width(view.end)) };
                    plot.is_auto = is_following;
                }
            }
            let can_export = !view.recording.is_empty();
            let export = widgets::icon_button_ui(ui, Icon::Export, "Export curves", can_export);
            if export.on_hover_text("Write the curves to a .csv file").clicked() {
                actions.push(Action::Command(Command::ExportCsv));
            }
            ui.add_space(SPACE);
            if view.is_stale {
                let theme = theme_of(ui.ctx());
                ui.label(RichText::new("Changed since this run").size(TEXT_SMALL).color(theme.warning));
                ui.add_space(SPACE);
                if ui.link(RichText::new("Run again").size(TEXT_SMALL)).clicked() {
                    actions.push(Action::Command(Command::Run));
                }
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if let Some(time) = state.cursor {
                    ui.label(widgets::weak(ui, format!("at {}", numbers::seconds(time))));
                }
            });
        });
    });
}

/// One plot with its legend; gives the time under the pointer.
fn plot_ui(
    ui: &mut Ui,
    state: &mut State,
    view: &View,
    number: usize,
    height: f32,
    actions: &mut Vec<Action>,
) -> Option<f64> {
    let theme = theme_of(ui.ctx());
    let signals = view.list.plots.get(number)?;
    let curves: Vec<Curve> = signals
        .iter()
        .filter(|signal| !state.hidden.contains(signal))
        .flat_map(|signal| {
            let color = color_of(view.list, signal, theme);
            let columns = view.recording.columns(signal);
            columns.iter().enumerate().map(move |(lane, column)| Curve {
                column,
                color: lane_color(color, lane, theme),
                delta: view.recording.delta,
            })
        })
        .collect();
    let size = vec2(ui.available_width(), height);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let legend = LEGEND.min(rect.width() * 0.4);
    let plot_rect = Rect::from_min_max(rect.min, rect.max - vec2(legend, 0.0));
    let legend_rect = Rect::from_min_max(plot_rect.right_top() + vec2(SPACE, 0.0), rect.max);
    let mut hovered = None;
    if let Some(plot_view) = state.views.get_mut(number) {
        ui.scope_builder(egui::UiBuilder::new().max_rect(plot_rect), |ui| {
            hovered = plot::show_ui(ui, plot_view, &curves, view.end, state.cursor, number);
        });
    }
    ui.scope_builder(egui::UiBuilder::new().max_rect(legend_rect), |ui| {
        legend_ui(ui, state, view, number, signals, actions);
    });
    hovered
}

fn legend_ui(
    ui: &mut Ui,
    state: &mut State,
    view: &View,
    number: usize,
    signals: &[SignalKey],
    actions: &mut Vec<Action>,
) {
    let theme = theme_of(ui.ctx());
    ui.spacing_mut().item_spacing.y = 0.0;
    if view.list.plots.len() > 1 {
        ui.horizontal(|ui| {
            let is_target = state.target == number;
            let text = RichText::new(format!("Plot {}", number + 1)).size(TEXT_SMALL);
            let choose = ui.selectable_label(is_target, text);
            if choose.on_hover_text("New signals go into the plot that is marked").clicked() {
                state.target = number;
            }
            let close = widgets::icon_button_ui(ui, Icon::Close, &format!("Remove plot {}", number + 1), true);
            if close.on_hover_text("Remove this plot").clicked() {
                let change = view.list.without_plot(number).change("Remove plot", view.simulation);
                actions.push(Action::Apply(change));
            }
        });
    }
    if signals.is_empty() {
        ui.label(widgets::weak(ui, "Right-click a wire and choose Plot"));
    }
    ScrollArea::vertical().id_salt("legend").auto_shrink(false).show(ui, |ui| {
        for signal in signals {
            legend_row_ui(ui, state, view, number, signal, theme, actions);
        }
    });
}

fn legend_row_ui(
    ui: &mut Ui,
    state: &mut State,
    view: &View,
    number: usize,
    signal: &SignalKey,
    theme: &crate::app::theme::Theme,
    actions: &mut Vec<Action>,
) {
    let name = name_of(view.simulation, signal);
    let is_hidden = state.hidden.contains(signal);
    let value = value_text(view, signal, state.cursor);
    let label = format!("Curve {name}");
    let is_hovered = std::cell::Cell::new(false);
    let row = widgets::row_ui(ui, &label, 22.0, false, |ui, rect| {
        let swatch = Rect::from_center_size(rect.left_center() + vec2(10.0, 0.0), vec2(10.0, 3.0));
        let color = color_of(view.list, signal, theme);
        let color = if is_hidden { theme.line } else { color };
        ui.painter().rect_filled(swatch, 1.5, color);
        let text = if is_hidden { theme.text_weak } else { theme.text };
        let room = Rect::from_min_max(rect.left_top() + vec2(22.0, 0.0), rect.right_bottom() - vec2(8.0, 0.0));
        let font = egui::FontId::monospace(TEXT_SMALL);
        let galley = ui.painter().layout_no_wrap(value.clone(), font.clone(), theme.text_weak);
        let value_width = galley.size().x + SPACE;
        let name_room = Rect::from_min_max(room.min, room.max - vec2(value_width, 0.0));
        widgets::text_in(ui, name_room, &name, style::plain(TEXT_SMALL + 0.5), text);
        is_hovered.set(ui.rect_contains_pointer(rect));
        // Under the pointer the cross stands here.
        if !is_hovered.get() {
            ui.painter().text(room.right_center(), egui::Align2::RIGHT_CENTER, &value, font, theme.text_weak);
        }
    });
    let cross = Rect::from_center_size(row.rect.right_center() - vec2(12.0, 0.0), vec2(18.0, 18.0));
    let remove = ui.interact(cross, row.id.with("remove"), Sense::click());
    remove.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Remove {name} from plot")));
    if is_hovered.get() || remove.has_focus() {
        Icon::Close.paint(ui.painter(), cross.shrink(5.0), if remove.hovered() { theme.text } else { theme.text_weak });
    }
    let say = if is_hidden { "Click to show this curve" } else { "Click to hide this curve" };
    let row = row.on_hover_text(format!("{}\n{say}", signal.text(view.simulation)));
    if remove.clicked() {
        let label = format!("Remove {name} from plot");
        let list = view.list.without(std::slice::from_ref(signal), Some(number));
        actions.push(Action::Apply(list.change(label, view.simulation)));
    } else if row.clicked() && !state.hidden.remove(signal) {
        state.hidden.insert(signal.clone());
    }
}

/// The value under the pointer, else the last one.
fn value_text(view: &View, signal: &SignalKey, cursor: Option<f64>) -> String {
    let columns = view.recording.columns(signal);
    let value = |column: &crate::engine::Column| match cursor {
        Some(time) => column.at_step((time / view.recording.delta).round().max(0.0) as u64),
        None => column.last(),
    };
    match columns {
        [] => String::new(),
        [column] => value(column).map(|value| numbers::digits(value, 4)).unwrap_or_default(),
        several => {
            let first = several.first().and_then(value).map(|value| numbers::digits(value, 3)).unwrap_or_default();
            format!("{first} …")
        }
    }
}

pub fn color_of(list: &PlotList, signal: &SignalKey, theme: &crate::app::theme::Theme) -> egui::Color32 {
    let index = list.color_index(signal).unwrap_or(0);
    theme.curves.get(index % theme.curves.len()).copied().unwrap_or(theme.accent)
}

/// The lanes of a vector are shades of its signal's colour.
fn lane_color(color: egui::Color32, lane: usize, theme: &crate::app::theme::Theme) -> egui::Color32 {
    let part = [0.0, 0.35, 0.55, 0.2, 0.45].get(lane % 5).copied().unwrap_or(0.0);
    style::mix(color, theme.panel, part)
}
