//! One widget on the panel or the canvas: drawing, input, moving and sizing.

use eframe::egui::{self, CornerRadius, Pos2, Rect, Response, Sense, Stroke, StrokeKind, Ui, Vec2, pos2, vec2};

use super::{DashboardState, DashboardView, PlotUi, instruments, on_grid, pictures, shapes};
use crate::app::action::{Action, DashboardAction};
use crate::app::doc::dashboard::{
    Binding, GRID, SMALLEST, Widget, WidgetHost, WidgetKind, limits_of_param, number_of, set_param, set_param_text,
    text_of_param,
};
use crate::app::doc::typed;
use crate::app::ui::field::Field;
use crate::app::ui::numbers::typed::Wanted;
use crate::app::ui::style;
use crate::app::ui::widgets::theme_of;
use crate::block::values_of;
use crate::model::{BlockId, Scope, in_scope, model_at};

/// Identifies a widget: on the panel, or beside a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WidgetSlot {
    pub block: Option<BlockId>,
    pub number: usize,
}

impl WidgetSlot {
    /// Returns a unique number.
    fn key(self) -> usize {
        match self.block {
            None => self.number,
            // Truncation is harmless.
            Some(BlockId(id)) => (id as usize).wrapping_add(1).wrapping_mul(1000).wrapping_add(self.number),
        }
    }
}

/// A widget with the place where it is stored.
#[derive(Clone, Copy)]
pub struct StoredWidget<'a> {
    pub host: WidgetHost<'a>,
    pub slot: WidgetSlot,
    pub widget: &'a Widget,
}

impl<'a> StoredWidget<'a> {
    /// Returns the widget in a slot; `None` if it is gone.
    pub fn of(host: WidgetHost<'a>, slot: WidgetSlot) -> Option<StoredWidget<'a>> {
        Some(StoredWidget { host, slot, widget: host.widgets().get(slot.number)? })
    }
}

/// The context that all widgets are drawn with.
pub struct WidgetContext<'a> {
    pub view: &'a DashboardView<'a>,
    pub plot_ui: PlotUi<'a>,
    pub actions: &'a mut Vec<Action>,
}

/// How a widget reacts to the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It accepts input.
    Used,
    /// It can be moved and sized.
    Placed,
    /// Both: it is moved by its title.
    OnCanvas,
}

/// A widget being dragged.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    slot: WidgetSlot,
    is_resized: bool,
    by: Vec2,
}

const HANDLE: f32 = 10.0;
/// The height of the part by which a widget on the canvas is dragged.
const GRIP: f32 = 24.0;

/// Returns the rectangle of a widget, also during a drag.
pub fn rect_of(state: &DashboardState, slot: WidgetSlot, widget: &Widget, origin: Pos2) -> Rect {
    let (at, size) = match state.held.filter(|held| held.slot == slot) {
        Some(held) => placed(widget, held),
        None => (pos2(widget.x, widget.y), vec2(widget.width, widget.height)),
    };
    Rect::from_min_size(origin + at.to_vec2(), size)
}

fn placed(widget: &Widget, held: Held) -> (Pos2, Vec2) {
    match held.is_resized {
        true => {
            let size = vec2(on_grid(widget.width + held.by.x), on_grid(widget.height + held.by.y));
            (pos2(widget.x, widget.y), size.max(Vec2::splat(SMALLEST)))
        }
        false => {
            let at = pos2(on_grid(widget.x + held.by.x), on_grid(widget.y + held.by.y));
            // The panel is bounded at the left and the top, the canvas is not.
            let at = if held.slot.block.is_none() { at.max(Pos2::ZERO) } else { at };
            (at, vec2(widget.width, widget.height))
        }
    }
}

/// Returns the title of a widget.
pub fn title_of(widget: &Widget, view: &DashboardView) -> String {
    match (&widget.label, &widget.binding) {
        (label, _) if !label.is_empty() => label.clone(),
        (_, Some(binding)) => binding.name(view.simulation, &|signal| view.derived.name_of(signal)),
        (_, None) => widget.kind.label().to_owned(),
    }
}

/// Draws a widget and handles its input; returns the response of its drag area.
pub fn show_ui(
    ui: &mut Ui,
    state: &mut DashboardState,
    context: &mut WidgetContext,
    stored: StoredWidget,
    rect: Rect,
    mode: Mode,
) -> Option<Response> {
    let widget = stored.widget;
    let theme = theme_of(ui.ctx());
    let has_frame = widget.kind.can_be_bound();
    if has_frame {
        let radius = CornerRadius::same(8);
        ui.painter().rect(rect, radius, theme.raised, Stroke::new(1.0, theme.line), StrokeKind::Inside);
    }
    // Below the widget's own parts, so that those get the input first.
    let taken = (mode == Mode::OnCanvas).then(|| grip_ui(ui, state, context, stored, rect));
    let room = if has_frame { rect.shrink2(vec2(10.0, 7.0)) } else { rect };
    let builder = egui::UiBuilder::new().max_rect(room).id_salt("widget");
    let done = ui
        .scope_builder(builder, |ui| {
            if mode == Mode::Placed {
                ui.disable();
            }
            content_ui(ui, state, context, stored, room, mode)
        })
        .inner;
    let taken = match mode {
        Mode::Placed => Some(grip_ui(ui, state, context, stored, rect)),
        _ => taken,
    };
    if mode != Mode::Placed
        && let Some(done) = done
    {
        turn(state, context, stored, done);
    }
    taken
}

fn content_ui(
    ui: &mut Ui,
    state: &mut DashboardState,
    context: &mut WidgetContext,
    StoredWidget { slot, widget, .. }: StoredWidget,
    room: Rect,
    mode: Mode,
) -> Option<instruments::ControlEdit> {
    let view = context.view;
    let name = title_of(widget, view);
    match (widget.kind, &widget.binding) {
        (WidgetKind::Plot, Some(Binding::Signal(signal))) => {
            let below = instruments::title_ui(ui, room, &name);
            (context.plot_ui)(ui, below.expand2(vec2(6.0, 4.0)), slot.key(), signal);
            None
        }
        (kind, _) if kind.is_shape() => {
            shapes::show_ui(ui, view, widget, room, &name, mode);
            None
        }
        (WidgetKind::Picture, _) => {
            pictures::show_ui(ui, &mut state.pictures, room, widget.image.as_ref(), view.folder, &name);
            None
        }
        (WidgetKind::Expression, Some(Binding::Param(param))) => {
            let below = instruments::title_ui(ui, room, &name);
            let current = text_of_param(view.simulation, view.registry, param)?;
            let model = model_at(view.simulation, &param.of.block.path)?;
            let problem = |text: &str| {
                let parts = typed::split(text);
                let wrong =
                    |scope: &Scope| parts.iter().find_map(|part| Some(values_of(part, scope).err()?.to_string()));
                let wrong = in_scope(view.simulation, &param.of.block.path, model, wrong);
                wrong.or_else(|| parts.is_empty().then(|| "A value is missing".to_owned()))
            };
            let builder =
                egui::UiBuilder::new().max_rect(below.shrink2(vec2(0.0, 3.0))).id_salt(("expression", slot.key()));
            let typed = ui.scope_builder(builder, |ui| {
                let field = Field::new(&name, &current).width(below.width()).number(Wanted::Several);
                field.text_ui(ui, &mut state.editing, &problem)
            });
            typed.inner.map(instruments::ControlEdit::Text)
        }
        _ => {
            let turned = state.turning.filter(|(of, _)| *of == slot).map(|(_, value)| value);
            let value = turned.or_else(|| value_of(widget, view));
            let shown = instruments::ControlReading { value, name: &name, is_active: mode != Mode::Placed };
            // A value that was set elsewhere may be outside the scale; during a drag the scale stays under the pointer.
            let (low, high) =
                match value.filter(|_| turned.is_none() && widget.kind.is_control() && widget.kind.has_scale()) {
                    Some(value) => widget.scale_with(value),
                    None => (widget.low, widget.high),
                };
            instruments::show_ui(ui, room, &Widget { low, high, ..widget.clone() }, &shown)
        }
    }
}

/// Returns the value of a widget: a parameter's value is that of the document.
fn value_of(widget: &Widget, view: &DashboardView) -> Option<f64> {
    match widget.binding.as_ref()? {
        Binding::Param(param) => number_of(view.simulation, view.registry, param),
        Binding::Signal(signal) => (view.values)(signal)?.first().copied(),
    }
}

/// Applies an edit of a control to its parameter.
fn turn(
    state: &mut DashboardState,
    context: &mut WidgetContext,
    StoredWidget { host, slot, widget }: StoredWidget,
    done: instruments::ControlEdit,
) {
    let (view, actions) = (context.view, &mut *context.actions);
    let Some(param) = widget.param() else { return };
    let (low, high) = limits_of_param(view.simulation, view.registry, param);
    match done {
        instruments::ControlEdit::To(value) => {
            let value = value.max(low).min(high);
            if state.turning != Some((slot, value)) {
                state.turning = Some((slot, value));
                actions.push(Action::Dashboard(DashboardAction::Turn { param: param.clone(), value }));
            }
        }
        instruments::ControlEdit::Done(value) => {
            state.turning = None;
            let value = value.max(low).min(high);
            let change = set_param(view.simulation, view.registry, param, value);
            actions.extend(change.map(|mut change| {
                // A slider that was dragged beyond its end has a wider scale from now on.
                let (from, to) = widget.scale_with(value);
                if widget.kind.has_scale() && (from, to) != (widget.low, widget.high) {
                    let grown = host.with("", slot.number, |widget| (widget.low, widget.high) = (from, to));
                    change.edits.extend(grown.edits);
                }
                Action::Apply(change)
            }));
        }
        instruments::ControlEdit::Pressed(value) => {
            actions.push(Action::Dashboard(DashboardAction::Turn { param: param.clone(), value }))
        }
        instruments::ControlEdit::Text(text) => {
            actions.extend(set_param_text(view.simulation, view.registry, param, &text).map(Action::Apply));
        }
    }
}

/// Bindings, sizes and selects a widget with the pointer.
fn grip_ui(
    ui: &Ui,
    state: &mut DashboardState,
    context: &mut WidgetContext,
    StoredWidget { host, slot, widget }: StoredWidget,
    rect: Rect,
) -> Response {
    let (view, actions) = (context.view, &mut *context.actions);
    let theme = theme_of(ui.ctx());
    let is_on_canvas = host.block().is_some();
    let area = if is_on_canvas { rect.with_max_y(rect.top() + GRIP.min(rect.height())) } else { rect };
    let body = ui.interact(area, ui.scope_id().with("body"), Sense::click_and_drag());
    let name = title_of(widget, view);
    body.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Place {name}")));
    let is_selected = state.selected == Some(slot) || state.pointed == Some(slot);
    let corner = Rect::from_center_size(rect.right_bottom() - vec2(4.0, 4.0), Vec2::splat(HANDLE + 4.0));
    let handle = ui.interact(corner, ui.scope_id().with("corner"), Sense::drag());
    if is_selected || body.hovered() || body.has_focus() || handle.hovered() {
        let color = if is_selected { theme.accent } else { style::mix(theme.line, theme.accent, 0.5) };
        let stroke = Stroke::new(if is_selected { 2.0 } else { 1.0 }, color);
        ui.painter().rect_stroke(rect, CornerRadius::same(8), stroke, StrokeKind::Outside);
    }
    if body.clicked() {
        match is_on_canvas {
            true => state.pointed = Some(slot),
            false => {
                state.selected = Some(slot);
                state.editing.forget();
            }
        }
    }
    if is_selected || handle.hovered() || handle.dragged() {
        ui.painter().rect_filled(corner.shrink(4.0), CornerRadius::same(2), theme.accent);
    }
    if is_on_canvas && body.hovered() {
        ui.ctx().set_cursor_icon(egui::CursorIcon::Grab);
    }
    let handle = handle.on_hover_cursor(egui::CursorIcon::ResizeNwSe);
    for (response, is_resized) in [(&body, false), (&handle, true)] {
        if response.drag_started() {
            state.held = Some(Held { slot, is_resized, by: Vec2::ZERO });
            match is_on_canvas {
                true => state.pointed = Some(slot),
                false => state.selected = Some(slot),
            }
        }
        let held = state.held.filter(|held| held.slot == slot && held.is_resized == is_resized);
        let Some(mut held) = held else { continue };
        held.by += response.drag_delta();
        state.held = Some(held);
        let pointer = ui.ctx().pointer_latest_pos();
        let is_away = !is_on_canvas && !is_resized && pointer.is_some_and(|at| !ui.clip_rect().contains(at));
        if is_away {
            away_ui(ui, pointer.unwrap_or_default(), &name);
        }
        if response.drag_stopped() {
            state.held = None;
            let (at, size) = placed(widget, held);
            if let Some(at) = pointer.filter(|_| is_away) {
                // The remaining widgets get new numbers.
                state.selected = None;
                actions.push(Action::Dashboard(DashboardAction::PinWidget { number: slot.number, at }));
            } else if at != pos2(widget.x, widget.y) || size != vec2(widget.width, widget.height) {
                let label = if is_resized { format!("Size {name}") } else { format!("Move {name}") };
                actions.push(Action::Apply(host.with(label, slot.number, |widget| {
                    (widget.x, widget.y, widget.width, widget.height) = (at.x, at.y, size.x, size.y);
                })));
            }
        }
    }
    body
}

/// The widget being dragged to the canvas.
fn away_ui(ui: &Ui, at: Pos2, name: &str) {
    let theme = theme_of(ui.ctx());
    let layer = egui::LayerId::new(egui::Order::Tooltip, ui.scope_id().with("carried"));
    let painter = ui.ctx().layer_painter(layer);
    let font = style::strong(crate::app::ui::theme::TEXT_SMALL);
    let galley = painter.layout_no_wrap(name.to_owned(), font, theme.accent);
    let rect = Rect::from_min_size(at + vec2(12.0, 8.0), galley.size()).expand2(vec2(GRID, 4.0));
    painter.rect(rect, 6.0, theme.raised, Stroke::new(1.0, theme.accent), StrokeKind::Inside);
    painter.galley(at + vec2(12.0, 8.0), galley, theme.accent);
}
