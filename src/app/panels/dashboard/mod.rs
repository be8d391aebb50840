//! The dashboard: controls and instruments, and the editing of their layout.
//!
//! | module | contents |
//! |---|---|
//! | `widget` | one widget: shown, used, moved and sized |
//! | `instruments` | the look of each kind of widget, and its input |
//! | `properties` | the settings of a widget |
//! | `shapes` | shapes that signals move |
//! | `pictures` | pictures from files |
//! | `on_canvas` | widgets beside blocks of the diagram |
//! | `picture` | those widgets in pictures of the diagram |

mod instruments;
mod on_canvas;
mod picture;
pub(in crate::app::panels) mod pictures;
mod properties;
mod shapes;
mod widget;

use std::path::Path;

use eframe::egui::emath::TSTransform;
use eframe::egui::{
    self, CornerRadius, LayerId, Rect, RichText, ScrollArea, Sense, Stroke, StrokeKind, Ui, pos2, vec2,
};

pub use self::on_canvas::{on_canvas_ui, pin_change};
pub use self::picture::picture_ui;

use self::pictures::Pictures;
use self::widget::{Mode, StoredWidget, WidgetContext, WidgetSlot};
use crate::app::action::Action;
use crate::app::doc::dashboard::{Binding, Dashboard, GRID, Widget, WidgetHost, WidgetKind};
use crate::app::doc::derived::Derived;
use crate::app::doc::plots::{DraggedSignal, is_derivative};
use crate::app::ui::field::EditedField;
use crate::app::ui::icons::Icon;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::block::Registry;
use crate::model::{SignalKey, Simulation};

#[derive(Default)]
pub struct DashboardState {
    /// The layout is being edited; otherwise widgets accept input.
    pub is_layout: bool,
    /// The selected widget on the panel; on the canvas, the widget whose settings are open.
    selected: Option<WidgetSlot>,
    /// The widget on the canvas that Delete removes.
    pointed: Option<WidgetSlot>,
    /// The widget to select once it exists.
    added: Option<usize>,
    held: Option<widget::Held>,
    /// The value of a control during a drag.
    turning: Option<(WidgetSlot, f64)>,
    editing: EditedField,
    search: String,
    pictures: Pictures,
    /// The blocks of the open model with widgets, cached by document state.
    with_widgets: Option<on_canvas::Known>,
}

impl DashboardState {
    /// Returns the widget on the canvas that Delete removes.
    pub fn take_pointed(&mut self) -> Option<(crate::model::BlockId, usize)> {
        let slot = self.pointed.take()?;
        self.selected = None;
        Some((slot.block?, slot.number))
    }
}

pub struct DashboardView<'a> {
    pub simulation: &'a Simulation,
    pub registry: &'a Registry,
    pub revision: u64,
    pub derived: &'a Derived,
    pub dashboard: &'a Dashboard,
    pub values: &'a dyn Fn(&SignalKey) -> Option<Vec<f64>>,
    /// The folder of picture files.
    pub folder: Option<&'a Path>,
    /// The layout cannot be edited.
    pub is_player: bool,
}

/// Draws a small plot of a signal; the number identifies it.
pub type PlotUi<'a> = &'a mut dyn FnMut(&mut Ui, Rect, usize, &SignalKey);

const SIDE: f32 = 236.0;
/// The margin around all widgets.
const MARGIN: f32 = 24.0;

pub fn show_ui(ui: &mut Ui, state: &mut DashboardState, view: &DashboardView, plot_ui: PlotUi) -> Vec<Action> {
    let mut actions = Vec::new();
    if let Some(number) = state.added.take_if(|number| *number < view.dashboard.widgets.len()) {
        state.selected = Some(WidgetSlot { block: None, number });
        // The panels beside it adapt one frame later.
        ui.ctx().request_repaint();
    }
    if state.selected.is_some_and(|slot| slot.block.is_none() && slot.number >= view.dashboard.widgets.len()) {
        state.selected = None;
    }
    if !view.is_player {
        bar_ui(ui, state, view, &mut actions);
    }
    let rect = ui.available_rect_before_wrap();
    let is_layout = state.is_layout && !view.is_player;
    let mut room = rect;
    let selected = state.selected.filter(|slot| is_layout && slot.block.is_none());
    if let Some(slot) = selected {
        room.max.x -= SIDE.min(rect.width() * 0.5);
        let side = Rect::from_min_max(room.right_top(), rect.max);
        ui.painter().vline(side.left(), side.y_range(), (1.0, theme_of(ui.ctx()).line));
        ui.scope_builder(egui::UiBuilder::new().max_rect(side).id_salt("properties"), |ui| {
            widgets::panel_frame().show(ui, |ui| {
                let scroll = ScrollArea::vertical().id_salt("properties").auto_shrink(false);
                let host = WidgetHost::Board(view.dashboard);
                scroll.show(ui, |ui| properties::show_ui(ui, state, view, host, slot, &mut actions));
            });
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
    if view.is_player {
        whole_board_ui(ui, state, view, room, plot_ui, &mut actions);
    } else {
        ui.scope_builder(egui::UiBuilder::new().max_rect(room).id_salt("board"), |ui| {
            let mode = if is_layout { Mode::Placed } else { Mode::Used };
            board_ui(ui, state, view, mode, plot_ui, &mut actions);
        });
    }
    ui.allocate_rect(rect, Sense::hover());
    actions
}

fn bar_ui(ui: &mut Ui, state: &mut DashboardState, view: &DashboardView, actions: &mut Vec<Action>) {
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
            let add = widgets::icon_button_ui(ui, Icon::Plus, "Add control or instrument");
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
                "Drag to move, also onto the diagram; drag the corner to size, click to set; drop a signal here to show it",
            ));
        });
    });
}

/// The limits of the zoom in the player.
const SCALES: std::ops::RangeInclusive<f32> = 0.25..=4.0;

/// Draws all widgets centred, as large as the window allows.
fn whole_board_ui(
    ui: &mut Ui,
    state: &mut DashboardState,
    view: &DashboardView,
    room: Rect,
    plot_ui: PlotUi,
    actions: &mut Vec<Action>,
) {
    let all = view.dashboard.widgets.iter().map(|w| Rect::from_min_size(pos2(w.x, w.y), vec2(w.width, w.height)));
    let Some(all) = all.reduce(Rect::union) else { return };
    let all = all.expand(MARGIN);
    let scale = (room.width() / all.width()).min(room.height() / all.height()).clamp(*SCALES.start(), *SCALES.end());
    let corner = room.center() - all.center().to_vec2() * scale;
    let to_screen = TSTransform::new(corner.to_vec2(), scale);
    let layer = LayerId::new(ui.layer_id().order, ui.scope_id().with("whole board"));
    ui.ctx().set_sublayer(ui.layer_id(), layer);
    ui.ctx().set_transform_layer(layer, to_screen);
    let seen = to_screen.inverse() * room.intersect(ui.clip_rect());
    let mut inner = ui.new_child(egui::UiBuilder::new().layer_id(layer).max_rect(seen).id_salt("board"));
    inner.set_clip_rect(seen);
    let host = WidgetHost::Board(view.dashboard);
    for (number, widget) in view.dashboard.widgets.iter().enumerate() {
        let slot = WidgetSlot { block: None, number };
        let rect = widget::rect_of(state, slot, widget, egui::Pos2::ZERO);
        inner.push_id(number, |ui| {
            let mut context = WidgetContext { view, plot_ui: &mut *plot_ui, actions: &mut *actions };
            widget::show_ui(ui, state, &mut context, StoredWidget { host, slot, widget }, rect, Mode::Used);
        });
    }
}

fn board_ui(
    ui: &mut Ui,
    state: &mut DashboardState,
    view: &DashboardView,
    mode: Mode,
    plot_ui: PlotUi,
    actions: &mut Vec<Action>,
) {
    let is_layout = mode == Mode::Placed;
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
        let host = WidgetHost::Board(view.dashboard);
        for (number, widget) in view.dashboard.widgets.iter().enumerate() {
            let slot = WidgetSlot { block: None, number };
            let rect = widget::rect_of(state, slot, widget, board.min);
            ui.push_id(number, |ui| {
                let mut context = WidgetContext { view, plot_ui: &mut *plot_ui, actions: &mut *actions };
                widget::show_ui(ui, state, &mut context, StoredWidget { host, slot, widget }, rect, mode);
            });
        }
        drop_ui(ui, &response, view, board, actions);
    });
    let selected = state.selected.filter(|slot| is_layout && slot.block.is_none());
    if let Some(slot) = selected.filter(|_| !ui.ctx().text_edit_focused()) {
        let is_delete = ui.input_mut(|input| {
            input.consume_key(egui::Modifiers::NONE, egui::Key::Delete)
                || input.consume_key(egui::Modifiers::NONE, egui::Key::Backspace)
        });
        if is_delete {
            state.selected = None;
            let host = WidgetHost::Board(view.dashboard);
            actions.push(Action::Apply(host.without("Remove from dashboard", slot.number)));
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

/// Adds a display for a dropped signal.
fn drop_ui(ui: &Ui, response: &egui::Response, view: &DashboardView, board: Rect, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    if response.dnd_hover_payload::<DraggedSignal>().is_some() {
        let room = ui.clip_rect().shrink(4.0);
        ui.painter().rect_stroke(room, CornerRadius::same(6), Stroke::new(1.5, theme.accent), StrokeKind::Inside);
    }
    let dropped = response.dnd_release_payload::<DraggedSignal>();
    // The value of a derivative is known after a run alone.
    let Some(dropped) = dropped.filter(|dropped| !is_derivative(&dropped.signal)) else { return };
    let at = ui.input(|input| input.pointer.latest_pos()).unwrap_or(board.min) - board.min;
    let mut dashboard = view.dashboard.clone();
    dashboard.widgets.push(Widget {
        binding: Some(Binding::Signal(dropped.signal.clone())),
        ..Widget::new(WidgetKind::Display, on_grid(at.x).max(0.0), on_grid(at.y).max(0.0))
    });
    actions.push(Action::Apply(dashboard.change("Add display")));
}
