//! The dashboard: controls and instruments, and the mode in which they are placed.
//!
//! | module | what lives there |
//! |---|---|
//! | `instruments` | how each kind of widget looks, and what is done with it |
//! | `properties` | what can be set about a widget while it is placed |

mod instruments;
mod properties;

use eframe::egui::{self, CornerRadius, Pos2, Rect, RichText, ScrollArea, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

use super::param::Editing;
use crate::app::dashboard::{Binding, Candidate, Dashboard, GRID, SMALLEST, Widget, WidgetKind, set_param};
use crate::app::icons::Icon;
use crate::app::plots::DraggedSignal;
use crate::app::state::Action;
use crate::app::style;
use crate::app::theme::{SPACE, TEXT_SMALL};
use crate::app::widgets::{self, theme_of};
use crate::block::Registry;
use crate::model::{SignalKey, Simulation};

#[derive(Default)]
pub struct State {
    /// Widgets are placed; else they act.
    pub is_layout: bool,
    selected: Option<usize>,
    /// Is selected when it is there.
    added: Option<usize>,
    held: Option<Held>,
    /// The value of a control while it is turned.
    turning: Option<(usize, f64)>,
    editing: Editing,
    search: String,
    /// What can be bound to, for a state of the document and a kind.
    known: Option<(u64, bool, Vec<Candidate>)>,
}

/// A widget that follows the pointer.
#[derive(Clone, Copy, Debug)]
struct Held {
    number: usize,
    is_resized: bool,
    by: egui::Vec2,
}

impl State {
    /// Another document is open.
    pub fn forget(&mut self) {
        *self = State::default();
    }
}

pub struct View<'a> {
    pub simulation: &'a Simulation,
    pub registry: &'a Registry,
    pub revision: u64,
    pub dashboard: &'a Dashboard,
    pub values: &'a dyn Fn(&SignalKey) -> Option<Vec<f64>>,
    /// Only to be used, not to be changed.
    pub is_player: bool,
}

/// Draws a small plot of a signal.
pub type PlotUi<'a> = &'a mut dyn FnMut(&mut Ui, Rect, usize, &SignalKey);

const SIDE: f32 = 236.0;
/// Around all widgets.
const MARGIN: f32 = 24.0;
const HANDLE: f32 = 10.0;

pub fn show_ui(ui: &mut Ui, state: &mut State, view: &View, plot_ui: PlotUi) -> Vec<Action> {
    let mut actions = Vec::new();
    if let Some(number) = state.added.take_if(|number| *number < view.dashboard.widgets.len()) {
        state.selected = Some(number);
        // What stands beside it then has its sizes a frame later.
        ui.ctx().request_repaint();
    }
    if state.selected.is_some_and(|number| number >= view.dashboard.widgets.len()) {
        state.selected = None;
    }
    if !view.is_player {
        bar_ui(ui, state, view, &mut actions);
    }
    let rect = ui.available_rect_before_wrap();
    let is_layout = state.is_layout && !view.is_player;
    let mut room = rect;
    if is_layout && state.selected.is_some() {
        room.max.x -= SIDE.min(rect.width() * 0.5);
        let side = Rect::from_min_max(room.right_top(), rect.max);
        ui.painter().vline(side.left(), side.y_range(), (1.0, theme_of(ui.ctx()).line));
        ui.scope_builder(egui::UiBuilder::new().max_rect(side).id_salt("properties"), |ui| {
            properties::show_ui(ui, state, view, &mut actions);
        });
    }
    if view.dashboard.widgets.is_empty() {
        let (title, what) = match (view.is_player, is_layout) {
            (true, _) => {
                ("No dashboard", "This file has none; open it in the window and add controls in the Dashboard panel")
            }
            (false, true) => ("An empty dashboard", "Add a control or an instrument above"),
            (false, false) => ("No dashboard yet", "Choose Edit layout to add sliders, switches, gauges and lamps"),
        };
        widgets::empty_ui(ui, Icon::Sliders, title, what);
    }
    ui.scope_builder(egui::UiBuilder::new().max_rect(room).id_salt("board"), |ui| {
        board_ui(ui, state, view, is_layout, plot_ui, &mut actions);
    });
    ui.allocate_rect(rect, Sense::hover());
    actions
}

fn bar_ui(ui: &mut Ui, state: &mut State, view: &View, actions: &mut Vec<Action>) {
    egui::Frame::new().inner_margin(egui::Margin { left: 10, right: 8, top: 4, bottom: 2 }).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = SPACE;
            let text = if state.is_layout { "Done" } else { "Edit layout" };
            let button = ui.add(egui::Button::selectable(state.is_layout, RichText::new(text).size(TEXT_SMALL + 0.5)));
            if button.on_hover_text("Place, size and bind controls and instruments").clicked() {
                state.is_layout = !state.is_layout;
                state.selected = None;
            }
            if !state.is_layout {
                return;
            }
            let add = widgets::icon_button_ui(ui, Icon::Plus, "Add control or instrument", true);
            let add = add.on_hover_text("Add a control or an instrument");
            let room = ui.max_rect().width();
            egui::Popup::menu(&add).show(|ui| {
                ui.set_min_width(150.0);
                for kind in WidgetKind::ALL {
                    if kind == WidgetKind::Gauge || kind == WidgetKind::Text {
                        ui.separator();
                    }
                    if ui.button(kind.label()).clicked() {
                        ui.close();
                        let dashboard = view.dashboard.with_new(kind, None, room);
                        actions.push(Action::Apply(dashboard.change(format!("Add {}", kind.label().to_lowercase()))));
                        state.added = Some(view.dashboard.widgets.len());
                    }
                }
            });
            ui.label(widgets::weak(
                ui,
                "Drag to move, drag the corner to size, click to set; drag a signal here to show it",
            ));
        });
    });
}

fn board_ui(ui: &mut Ui, state: &mut State, view: &View, is_layout: bool, plot_ui: PlotUi, actions: &mut Vec<Action>) {
    let room = ui.available_rect_before_wrap();
    ScrollArea::both().id_salt("board").auto_shrink(false).show(ui, |ui| {
        let right = view.dashboard.widgets.iter().map(|w| w.x + w.width).fold(0.0, f32::max);
        let bottom = view.dashboard.widgets.iter().map(|w| w.y + w.height).fold(0.0, f32::max);
        let size = vec2(right + MARGIN, bottom + MARGIN).max(room.size() - vec2(2.0, 2.0));
        let (board, response) = ui.allocate_exact_size(size, Sense::click());
        if is_layout {
            grid_ui(ui, board);
            if response.clicked() {
                state.selected = None;
            }
        }
        for (number, widget) in view.dashboard.widgets.iter().enumerate() {
            let mut rect = Rect::from_min_size(board.min + vec2(widget.x, widget.y), vec2(widget.width, widget.height));
            if let Some(held) = state.held.filter(|held| held.number == number) {
                rect = held_rect(widget, held, board.min);
            }
            ui.push_id(number, |ui| {
                widget_ui(ui, state, view, number, widget, rect, is_layout, plot_ui, actions);
            });
        }
        drop_ui(ui, &response, view, board, actions);
    });
    if is_layout && state.selected.is_some() && !ui.ctx().text_edit_focused() {
        let is_delete = ui.input_mut(|input| {
            input.consume_key(egui::Modifiers::NONE, egui::Key::Delete)
                || input.consume_key(egui::Modifiers::NONE, egui::Key::Backspace)
        });
        if is_delete && let Some(number) = state.selected.take() {
            actions.push(Action::Apply(view.dashboard.without(number).change("Remove from dashboard")));
        }
    }
}

fn grid_ui(ui: &Ui, board: Rect) {
    let theme = theme_of(ui.ctx());
    let seen = board.intersect(ui.clip_rect());
    let step = 2.0 * GRID;
    let first = |from: f32, origin: f32| origin + ((from - origin) / step).ceil() * step;
    let mut y = first(seen.top(), board.top());
    while y < seen.bottom() {
        let mut x = first(seen.left(), board.left());
        while x < seen.right() {
            ui.painter().circle_filled(pos2(x, y), 0.8, theme.line);
            x += step;
        }
        y += step;
    }
}

fn on_grid(value: f32) -> f32 {
    (value / GRID).round() * GRID
}

/// Where a widget is while it follows the pointer.
fn held_rect(widget: &Widget, held: Held, origin: Pos2) -> Rect {
    let (at, size) = placed(widget, held);
    Rect::from_min_size(origin + at.to_vec2(), size)
}

fn placed(widget: &Widget, held: Held) -> (Pos2, egui::Vec2) {
    match held.is_resized {
        true => {
            let size = vec2(on_grid(widget.width + held.by.x), on_grid(widget.height + held.by.y));
            (pos2(widget.x, widget.y), size.max(egui::Vec2::splat(SMALLEST)))
        }
        false => {
            let at = pos2(on_grid(widget.x + held.by.x).max(0.0), on_grid(widget.y + held.by.y).max(0.0));
            (at, vec2(widget.width, widget.height))
        }
    }
}

#[expect(clippy::too_many_arguments, reason = "a widget is drawn from just these")]
fn widget_ui(
    ui: &mut Ui,
    state: &mut State,
    view: &View,
    number: usize,
    widget: &Widget,
    rect: Rect,
    is_layout: bool,
    plot_ui: PlotUi,
    actions: &mut Vec<Action>,
) {
    let theme = theme_of(ui.ctx());
    let radius = CornerRadius::same(8);
    if widget.kind != WidgetKind::Text {
        ui.painter().rect(rect, radius, theme.raised, Stroke::new(1.0, theme.line), StrokeKind::Inside);
    }
    let turned = state.turning.filter(|(of, _)| *of == number).map(|(_, value)| value);
    let name = title_of(widget, view.simulation);
    let shown =
        instruments::Shown { value: turned.or_else(|| value_of(widget, view)), name: &name, is_active: !is_layout };
    let room = rect.shrink2(vec2(10.0, 7.0));
    let builder = egui::UiBuilder::new().max_rect(room).id_salt("widget");
    let done = ui
        .scope_builder(builder, |ui| {
            if is_layout {
                ui.disable();
            }
            match (widget.kind, widget.signal()) {
                (WidgetKind::Plot, Some(signal)) => {
                    let below = instruments::title_ui(ui, room, &name);
                    plot_ui(ui, below.expand2(vec2(6.0, 4.0)), number, signal);
                    None
                }
                _ => instruments::show_ui(ui, room, widget, &shown),
            }
        })
        .inner;
    if is_layout {
        layout_ui(ui, state, view, number, widget, rect, actions);
        return;
    }
    let (Some(done), Some(param)) = (done, widget.param()) else { return };
    match done {
        instruments::Turned::To(value) => {
            if turned != Some(value) {
                state.turning = Some((number, value));
                actions.push(Action::Turn { param: param.clone(), value });
            }
        }
        instruments::Turned::Done(value) => {
            state.turning = None;
            actions.extend(set_param(view.simulation, param, value).map(Action::Apply));
        }
        instruments::Turned::Pressed(value) => actions.push(Action::Turn { param: param.clone(), value }),
    }
}

/// What stands above a widget.
fn title_of(widget: &Widget, simulation: &Simulation) -> String {
    match (&widget.label, &widget.binding) {
        (label, _) if !label.is_empty() => label.clone(),
        (_, Some(binding)) => binding.name(simulation),
        (_, None) => widget.kind.label().to_owned(),
    }
}

/// What a widget shows: of a parameter what stands in the document.
fn value_of(widget: &Widget, view: &View) -> Option<f64> {
    match widget.binding.as_ref()? {
        Binding::Param(param) => crate::app::dashboard::number_of(view.simulation, view.registry, param),
        Binding::Signal(signal) => (view.values)(signal)?.first().copied(),
    }
}

/// Moves, sizes and selects a widget.
fn layout_ui(
    ui: &mut Ui,
    state: &mut State,
    view: &View,
    number: usize,
    widget: &Widget,
    rect: Rect,
    actions: &mut Vec<Action>,
) {
    let theme = theme_of(ui.ctx());
    let name = title_of(widget, view.simulation);
    let body = ui.interact(rect, ui.scope_id().with("body"), Sense::click_and_drag());
    body.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Place {name}")));
    let is_selected = state.selected == Some(number);
    if is_selected || body.hovered() || body.has_focus() {
        let color = if is_selected { theme.accent } else { style::mix(theme.line, theme.accent, 0.5) };
        let stroke = Stroke::new(if is_selected { 2.0 } else { 1.0 }, color);
        ui.painter().rect_stroke(rect, CornerRadius::same(8), stroke, StrokeKind::Outside);
    }
    if body.clicked() {
        state.selected = Some(number);
        state.editing.forget();
    }
    let corner = Rect::from_center_size(rect.right_bottom() - vec2(4.0, 4.0), vec2(HANDLE + 4.0, HANDLE + 4.0));
    let handle = ui.interact(corner, ui.scope_id().with("corner"), Sense::drag());
    if is_selected || handle.hovered() {
        ui.painter().rect_filled(corner.shrink(4.0), CornerRadius::same(2), theme.accent);
    }
    let handle = handle.on_hover_cursor(egui::CursorIcon::ResizeNwSe);
    for (response, is_resized) in [(&body, false), (&handle, true)] {
        if response.drag_started() {
            state.held = Some(Held { number, is_resized, by: egui::Vec2::ZERO });
            state.selected = Some(number);
        }
        if let Some(held) = &mut state.held
            && held.number == number
            && held.is_resized == is_resized
        {
            held.by += response.drag_delta();
            if response.drag_stopped() {
                let (at, size) = placed(widget, *held);
                state.held = None;
                if at != pos2(widget.x, widget.y) || size != vec2(widget.width, widget.height) {
                    let dashboard = view.dashboard.with(number, |widget| {
                        (widget.x, widget.y, widget.width, widget.height) = (at.x, at.y, size.x, size.y);
                    });
                    let label = if is_resized { format!("Size {name}") } else { format!("Move {name}") };
                    actions.push(Action::Apply(dashboard.change(label)));
                }
            }
        }
    }
}

/// A signal that is dropped here becomes a display.
fn drop_ui(ui: &Ui, response: &egui::Response, view: &View, board: Rect, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    if response.dnd_hover_payload::<DraggedSignal>().is_some() {
        let room = ui.clip_rect().shrink(4.0);
        ui.painter().rect_stroke(room, CornerRadius::same(6), Stroke::new(1.5, theme.accent), StrokeKind::Inside);
    }
    let Some(dropped) = response.dnd_release_payload::<DraggedSignal>() else { return };
    let at = ui.input(|input| input.pointer.latest_pos()).unwrap_or(board.min) - board.min;
    let mut dashboard = view.dashboard.clone();
    dashboard.widgets.push(Widget {
        binding: Some(Binding::Signal(dropped.signal.clone())),
        ..Widget::new(WidgetKind::Display, on_grid(at.x).max(0.0), on_grid(at.y).max(0.0))
    });
    actions.push(Action::Apply(dashboard.change("Add display")));
}
