//! Widgets beside blocks of the diagram. They zoom with the diagram, accept input during a run, are moved by
//! their titles and sized by their corners.

use std::sync::Arc;

use eframe::egui::emath::TSTransform;
use eframe::egui::{self, LayerId, Rect, Ui, UiBuilder, Vec2};

use super::widget::{self, Mode, StoredWidget, WidgetContext, WidgetSlot, title_of};
use super::{DashboardState, DashboardView, PlotUi, properties};
use crate::app::action::Action;
use crate::app::canvas::Canvas;
use crate::app::doc::dashboard::{Dashboard, PINNED, Widget, WidgetHost, pinned};
use crate::app::ui::widgets::theme_of;
use crate::model::{BlockId, Change, Model, Position};

/// The blocks of a model with widgets, cached by document state.
pub struct Known {
    revision: u64,
    path: Vec<BlockId>,
    blocks: Vec<(BlockId, Vec<Widget>)>,
}

/// Below this size a widget is drawn as a plain rectangle.
const READABLE: f32 = 0.3;

/// Draws the widgets of the model shown by a canvas in `screen`.
pub fn on_canvas_ui(
    ui: &mut Ui,
    state: &mut DashboardState,
    view: &DashboardView,
    (canvas, screen): (&Canvas, Rect),
    plot_ui: PlotUi,
) -> Vec<Action> {
    let mut actions = Vec::new();
    let Some(model) = canvas.open_model(view.simulation) else { return actions };
    let known = known(state, view, canvas.path(), model);
    if known.blocks.is_empty() {
        state.pointed = None;
        state.with_widgets = Some(known);
        return actions;
    }
    let to_screen = TSTransform::new(canvas.view.screen_of(Position { x: 0.0, y: 0.0 }).to_vec2(), canvas.view.zoom());
    let layer = LayerId::new(ui.layer_id().order, ui.scope_id().with("widgets on the canvas"));
    ui.ctx().set_sublayer(ui.layer_id(), layer);
    ui.ctx().set_transform_layer(layer, to_screen);
    let seen = to_screen.inverse() * screen.intersect(ui.clip_rect());
    let mut inner = ui.new_child(UiBuilder::new().layer_id(layer).max_rect(seen).id_salt("pinned"));
    inner.set_clip_rect(seen);
    for (id, widgets) in &known.blocks {
        let Some(block) = canvas.scene().block(*id) else { continue };
        let origin = block.outline.body.min;
        let host = WidgetHost::Block { model: &model.name, id: *id, widgets };
        for (number, widget) in widgets.iter().enumerate() {
            let slot = WidgetSlot { block: Some(*id), number };
            let rect = widget::rect_of(state, slot, widget, origin);
            if !rect.intersects(seen) {
                continue;
            }
            if canvas.view.zoom() < READABLE {
                let theme = theme_of(ui.ctx());
                let stroke = egui::Stroke::new(1.0 / canvas.view.zoom(), theme.line);
                inner.painter().rect(rect, 8.0, theme.raised, stroke, egui::StrokeKind::Inside);
                continue;
            }
            // An area per widget: the space between widgets belongs to the diagram.
            let builder = UiBuilder::new().max_rect(rect).id_salt((id, number));
            let ui = &mut inner.new_child(builder);
            let mut context = WidgetContext { view, plot_ui: &mut *plot_ui, actions: &mut actions };
            let stored = StoredWidget { host, slot, widget };
            let taken = widget::show_ui(ui, state, &mut context, stored, rect, Mode::OnCanvas);
            let Some(taken) = taken else { continue };
            if taken.double_clicked() {
                state.selected = Some(slot);
            }
            taken.context_menu(|ui| menu_ui(ui, state, view, host, slot, &mut actions));
            taken.on_hover_text("Drag to move, double-click to set, right-click for more");
        }
    }
    // A press elsewhere deselects.
    let pressed = ui.input(|input| input.pointer.any_pressed().then(|| input.pointer.interact_pos()).flatten());
    if let (Some(at), Some(slot)) = (pressed, state.pointed) {
        let at = to_screen.inverse() * at;
        let is_in = known.blocks.iter().any(|(id, widgets)| {
            let rect = widgets.get(slot.number).zip(canvas.scene().block(*id));
            slot.block == Some(*id)
                && rect
                    .is_some_and(|(w, b)| widget::rect_of(state, slot, w, b.outline.body.min).expand(8.0).contains(at))
        });
        if !is_in {
            state.pointed = None;
        }
    }
    settings_ui(ui, state, view, &known, model, &mut actions);
    state.with_widgets = Some(known);
    actions
}

/// Updated when the document changes, not in each frame.
fn known(state: &mut DashboardState, view: &DashboardView, path: &[BlockId], model: &Model) -> Known {
    if let Some(known) = state.with_widgets.take_if(|known| known.revision == view.revision && known.path == path) {
        return known;
    }
    let showing = view.derived.model(&model.name).map_or(&[][..], |facts| &facts.showing);
    let with = showing.iter().filter_map(|id| model.block(*id));
    let with = with.filter(|block| block.attributes.get(PINNED).is_some());
    let widgets = with.map(|block| (block.id, pinned(block, path, view.simulation, view.registry)));
    Known { revision: view.revision, path: path.to_vec(), blocks: widgets.collect() }
}

fn menu_ui(
    ui: &mut Ui,
    state: &mut DashboardState,
    view: &DashboardView,
    host: WidgetHost,
    slot: WidgetSlot,
    actions: &mut Vec<Action>,
) {
    ui.set_min_width(170.0);
    let Some(widget) = host.widgets().get(slot.number) else { return };
    let name = title_of(widget, view);
    if ui.button("Settings…").clicked() {
        state.selected = Some(slot);
        ui.close();
    }
    if ui.button("Move to the dashboard").clicked() {
        let mut change = host.without(format!("Move {name} to the dashboard"), slot.number);
        let board: Dashboard = view.dashboard.with_widget(widget.clone(), 600.0);
        change.edits.extend(board.change("").edits);
        actions.push(Action::Apply(change));
        ui.close();
    }
    ui.separator();
    if ui.button("Remove").clicked() {
        actions.push(Action::Apply(host.without(format!("Remove {name}"), slot.number)));
        (state.selected, state.pointed) = (None, None);
        ui.close();
    }
}

/// Draws a window with the settings of the chosen widget.
fn settings_ui(
    ui: &Ui,
    state: &mut DashboardState,
    view: &DashboardView,
    known: &Known,
    model: &Arc<Model>,
    actions: &mut Vec<Action>,
) {
    let Some(slot) = state.selected.filter(|slot| slot.block.is_some()) else { return };
    let found = known.blocks.iter().find(|(id, _)| slot.block == Some(*id));
    let Some((id, widgets)) = found.filter(|(_, widgets)| slot.number < widgets.len()) else {
        state.selected = None;
        return;
    };
    let host = WidgetHost::Block { model: &model.name, id: *id, widgets };
    let mut is_open = true;
    let title =
        egui::RichText::new("Widget on the canvas").font(crate::app::ui::style::strong(crate::app::ui::theme::TEXT));
    egui::Window::new(title)
        .id(egui::Id::unique("settings of a widget on the canvas"))
        .collapsible(false)
        .resizable(false)
        .open(&mut is_open)
        .default_width(260.0)
        .show(ui.ctx(), |ui| {
            ui.set_width(260.0);
            properties::show_ui(ui, state, view, host, slot, actions);
        });
    if !is_open {
        state.selected = None;
    }
}

/// Returns the change that moves a widget from the panel to a block of the open model, with its corner at a screen
/// position; `None` if the model lacks its binding.
pub fn pin_change(view: &DashboardView, canvas: &Canvas, number: usize, at: egui::Pos2) -> Option<Change> {
    let widget = view.dashboard.widgets.get(number)?;
    let model = canvas.open_model(view.simulation)?;
    let (path, id) = widget.binding.as_ref()?.target();
    let block = model.block(id).filter(|_| path == canvas.path())?;
    let corner = canvas.scene().block(id)?.outline.body.min;
    let origin = canvas.view.screen_of(Position { x: 0.0, y: 0.0 });
    let corner_offset = ((at - origin) / canvas.view.zoom() - corner.to_vec2() - Vec2::new(20.0, 10.0)).round();
    let mut widgets = pinned(block, path, view.simulation, view.registry);
    widgets.push(Widget { x: corner_offset.x, y: corner_offset.y, ..widget.clone() });
    let mut change = view.dashboard.without(number).change(format!("Put {} on the canvas", title_of(widget, view)));
    change.edits.push(crate::app::doc::dashboard::pinned_edit(&model.name, id, &widgets));
    Some(change)
}
