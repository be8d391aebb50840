//! The simulated response with the requirements on it: before in a quiet colour, now in the accent, and areas that the curve
//! must not enter. Bounds are dragged with the pointer.

use std::time::Duration;

use eframe::egui::{Color32, CursorIcon, Painter, Pos2, Rect, Sense, Stroke, Ui, pos2, vec2};

use super::ResponseView;
use super::entries::color_of;
use super::marks::{BoundHandle, ConditionMarks, ForbiddenRegion, MarkEdge, marks_of};
use super::state::{DraggedBound, ResponseState};
use crate::app::action::Action;
use crate::app::store::lab::SimulatedResponse;
use crate::app::ui::chart::{Axis, AxisSide, Frame, Labels, LineKind, Scale, Sketch, sketch_ui, stroke_ui};
use crate::app::ui::icons::Icon;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::app::ui::{numbers, style};
use crate::model::SignalKey;
use crate::requirement::{ResponseCurve, StepLevels};

/// The height of a title, in points.
const TITLE: f32 = 20.0;
/// A chart has at least this width and height.
const NARROWEST: f32 = 210.0;
const LOWEST: f32 = 104.0;
/// A bound may take the axis this much beyond the curve, as a part of its range; so may the curve before.
const MOST: f64 = 1.2;
/// The time between two frames while curves move.
const FRAME: Duration = Duration::from_millis(45);
/// How close to a line the pointer takes it, in points.
const NEAR: f32 = 5.0;

/// A condition of a requirement in a chart.
struct Drawn {
    /// The numbers of the requirement and of its condition; a check block has none.
    place: Option<(usize, usize)>,
    text: String,
    marks: ConditionMarks,
    is_met: Option<bool>,
}

/// A chart of a signal.
struct Chart<'a> {
    title: String,
    key: SignalKey,
    is_held: bool,
    drawn: Vec<Drawn>,
    /// The margin of a check block, which must not be below 0.
    is_margin: bool,
    now: Option<&'a SimulatedResponse>,
    before: Option<&'a SimulatedResponse>,
}

pub fn show_ui(ui: &mut Ui, state: &mut ResponseState, view: &ResponseView, height: f32, actions: &mut Vec<Action>) {
    let search = view.lab.search.as_ref();
    if search.is_some_and(|search| search.is_moving() || search.is_going_on()) {
        ui.ctx().request_repaint_after(FRAME);
    }
    let before = search.and_then(|search| search.before.clone());
    let now = view.lab.now().cloned();
    let charts = charts(state, before.as_deref(), now.as_deref());
    if charts.is_empty() {
        let what = "The response of the simulation is drawn here, with the requirements on it";
        return widgets::empty_ui(ui, Icon::Curve, "No response yet", what);
    }
    let bottom = ui.cursor().top() + height - SPACE;
    eframe::egui::ScrollArea::vertical().id_salt("charts of the response").auto_shrink(false).show(ui, |ui| {
        let has_tolerances = now.as_ref().is_some_and(|now| now.response.scenarios.len() > 1);
        legend_ui(ui, search.is_some(), has_tolerances);
        let (width, height) = (ui.available_width(), bottom - ui.cursor().top());
        let columns = ((width / NARROWEST) as usize).clamp(1, charts.len());
        let rows = charts.len().div_ceil(columns);
        let room = Rect::from_min_size(ui.cursor().min, vec2(width, height.max(LOWEST * rows as f32)));
        let size = vec2(width / columns as f32, room.height() / rows as f32);
        for (number, chart) in charts.iter().enumerate() {
            let corner = room.min + vec2((number % columns) as f32 * size.x, (number / columns) as f32 * size.y);
            let frame = chart_ui(ui, state, Rect::from_min_size(corner, size), chart);
            // The question of a search stays as it is.
            if !view.lab.is_searching() {
                handles_ui(ui, state, &frame, chart, actions);
            }
        }
        ui.allocate_rect(room, Sense::hover());
    });
}

/// Returns a chart for each signal of a requirement, in their order, then those of check blocks.
fn charts<'a>(
    state: &ResponseState,
    before: Option<&'a SimulatedResponse>,
    now: Option<&'a SimulatedResponse>,
) -> Vec<Chart<'a>> {
    let mut charts: Vec<Chart> = Vec::new();
    let is_of_list =
        now.is_some_and(|now| now.evaluation().met.len() == state.list.active().count() + now.checks.len());
    let met = |number: usize| {
        let met = now.filter(|_| is_of_list)?.evaluation().met.get(number)?;
        Some(met.violated_at.is_none())
    };
    let seconds = now.map_or(0.0, |now| now.seconds);
    let mut chart_of = |key: &SignalKey, title: &str, is_held: bool| -> usize {
        let known = charts.iter().position(|chart| chart.key == *key);
        known.unwrap_or_else(|| {
            let (title, key) = (title.to_owned(), key.clone());
            charts.push(Chart { title, key, is_held, drawn: Vec::new(), is_margin: false, now, before });
            charts.len() - 1
        })
    };
    let mut all: Vec<(usize, Drawn)> = Vec::new();
    for (number, (entry_number, entry)) in state.list.active().enumerate() {
        for (place, condition) in entry.any.iter().enumerate() {
            let Some((_, signal)) = state.choices.find(condition.signal()) else { continue };
            let chart = chart_of(&signal.key, &signal.name, signal.is_held);
            let mut condition = condition.clone();
            if let Some(dragged) = &state.dragged
                && (dragged.entry, dragged.condition) == (entry_number, place)
            {
                dragged.handle.set(&mut condition, dragged.value);
            }
            let levels = now.and_then(|now| levels_of(now, &signal.key));
            let marks = marks_of(&condition, levels, seconds);
            let (text, is_met) = (state.choices.text_of(entry), met(number));
            all.push((chart, Drawn { place: Some((entry_number, place)), text, marks, is_met }));
        }
    }
    if let Some((_, signal)) = state.list.objective.as_ref().and_then(|of| state.choices.find(&of.signal)) {
        chart_of(&signal.key, &signal.name, signal.is_held);
    }
    if all.is_empty()
        && state.list.objective.is_none()
        && let Some(signal) = state.choices.signals.first()
        && now.is_some_and(|now| curve_of(now, &signal.key).is_some())
    {
        chart_of(&signal.key, &signal.name, signal.is_held);
    }
    let first = state.list.active().count();
    let checks = now.map(|now| now.checks.iter().enumerate()).into_iter().flatten();
    for (number, check) in checks {
        let Some(key) = &check.margin else { continue };
        let chart = chart_of(key, &format!("Margin of {}", check.name), false);
        let region = ForbiddenRegion { times: (f64::NEG_INFINITY, f64::INFINITY), values: (f64::NEG_INFINITY, 0.0) };
        let edge =
            MarkEdge { from: (f64::NEG_INFINITY, 0.0), to: (f64::INFINITY, 0.0), handle: None, is_dashed: false };
        let marks = ConditionMarks { regions: vec![region], edges: vec![edge], reference: None };
        let (text, is_met) = (check.name.clone(), met(first + number));
        all.push((chart, Drawn { place: None, text, marks, is_met }));
    }
    for (chart, drawn) in all {
        if let Some(chart) = charts.get_mut(chart) {
            chart.is_margin |= drawn.place.is_none();
            chart.drawn.push(drawn);
        }
    }
    charts
}

fn curve_of<'a>(response: &'a SimulatedResponse, key: &SignalKey) -> Option<&'a ResponseCurve> {
    response.response.scenarios.first()?.iter().find(|curve| curve.signal == *key)
}

fn levels_of(response: &SimulatedResponse, key: &SignalKey) -> Option<StepLevels> {
    curve_of(response, key)?.step
}

/// Draws the legend of the lines.
fn legend_ui(ui: &mut Ui, has_search: bool, has_tolerances: bool) {
    let theme = theme_of(ui.ctx());
    ui.horizontal(|ui| {
        ui.set_height(TITLE - SPACE);
        ui.add_space(2.0 * SPACE);
        let mut entry = |text: &str, color: Color32, width: f32| {
            let (rect, _) = ui.allocate_exact_size(vec2(16.0, 10.0), Sense::hover());
            ui.painter().hline(rect.x_range(), rect.center().y, Stroke::new(width, color));
            ui.label(widgets::weak(ui, text));
        };
        if has_search {
            entry("Before", quiet(theme.panel, theme.text_weak), 2.0);
            entry("Now", theme.accent, 2.0);
        } else {
            entry("Simulation", theme.accent, 2.0);
        }
        if has_tolerances {
            entry("At the tolerances", style::mix(theme.panel, theme.accent, 0.55), 1.0);
        }
    });
}

fn quiet(panel: Color32, text: Color32) -> Color32 {
    style::mix(panel, text, 0.55)
}

fn chart_ui(ui: &Ui, state: &ResponseState, rect: Rect, chart: &Chart) -> Frame {
    let theme = theme_of(ui.ctx());
    let (top, lower) = rect.split_top_bottom_at_y(rect.top() + TITLE);
    let seconds = chart.now.map_or(0.0, |now| now.seconds);
    let sketch = Sketch {
        name: &format!("Response {}", chart.title),
        x: Axis::fitted(0.0, if seconds > 0.0 { seconds } else { 1.0 }, 0.02, Scale::Linear),
        y: fitting(state, chart),
        labels: Labels { x_unit: " s", ..Labels::default() },
        is_square: false,
        link: None,
    };
    let id = ui.scope_id().with(("response", &chart.title));
    let (_, frame) = sketch_ui(ui, lower, id, &sketch);
    widgets::text_in(ui, top.with_min_x(frame.rect.left()), &chart.title, style::strong(TEXT_SMALL), theme.text);
    let painter = ui.painter_at(frame.rect);
    for drawn in &chart.drawn {
        marks_ui(ui, &painter, &frame, chart, drawn);
    }
    let kind = if chart.is_held { LineKind::Stairs } else { LineKind::Solid };
    let scenarios = chart.now.map_or(&[][..], |now| &now.response.scenarios);
    let thin = style::mix(theme.panel, theme.accent, 0.55);
    for curve in scenarios.iter().skip(1).filter_map(|curves| curves.iter().find(|curve| curve.signal == chart.key)) {
        curve_ui(&painter, &frame, curve, (kind, 1.0, thin));
    }
    for (response, color, width) in
        [(chart.before, quiet(theme.panel, theme.text_weak), 1.6), (chart.now, theme.accent, 2.0)]
    {
        if let Some(curve) = response.and_then(|response| curve_of(response, &chart.key)) {
            curve_ui(&painter, &frame, curve, (kind, width, color));
        }
    }
    frame
}

/// Draws a curve, with gaps where it has no value.
fn curve_ui(painter: &Painter, frame: &Frame, curve: &ResponseCurve, (kind, width, color): (LineKind, f32, Color32)) {
    for element in &curve.elements {
        let points: Vec<Pos2> = element.iter().map(|point| frame.at(AxisSide::Left, *point)).collect();
        for part in points.split(|point| !point.is_finite()) {
            stroke_ui(painter, frame.rect, part, kind, width, color);
        }
    }
}

/// Returns the position of a point whose coordinates may be infinite.
fn at(frame: &Frame, (time, value): (f64, f64)) -> Pos2 {
    let x = match time {
        f64::NEG_INFINITY => frame.rect.left(),
        f64::INFINITY => frame.rect.right(),
        time => frame.x_of(time),
    };
    let y = match value {
        f64::NEG_INFINITY => frame.rect.bottom(),
        f64::INFINITY => frame.rect.top(),
        value => frame.y_of(AxisSide::Left, value),
    };
    pos2(
        x.clamp(frame.rect.left() - 9e3, frame.rect.right() + 9e3),
        y.clamp(frame.rect.top() - 9e3, frame.rect.bottom() + 9e3),
    )
}

fn marks_ui(ui: &Ui, painter: &Painter, frame: &Frame, chart: &Chart, drawn: &Drawn) {
    let color = color_of(ui, drawn.is_met);
    let is_violated = drawn.is_met == Some(false);
    let fill = color.gamma_multiply(if is_violated { 0.17 } else { 0.13 });
    for region in &drawn.marks.regions {
        let corners =
            [(region.times.0, region.values.0), (region.times.1, region.values.1)].map(|corner| at(frame, corner));
        painter.rect_filled(Rect::from_two_pos(corners[0], corners[1]), 0.0, fill);
    }
    for edge in &drawn.marks.edges {
        let ends = [at(frame, edge.from), at(frame, edge.to)];
        let (kind, width) = match (edge.is_dashed, edge.handle) {
            (true, None) => (LineKind::Dashed, 1.0),
            (true, Some(_)) => (LineKind::Dashed, 1.8),
            (false, None) => (LineKind::Solid, 1.0),
            (false, Some(_)) => (LineKind::Solid, 1.8),
        };
        stroke_ui(painter, frame.rect, &ends, kind, width, color);
    }
    let Some((source, tolerance)) = &drawn.marks.reference else { return };
    let Some(reference) = chart.now.and_then(|now| now.references.get(source)) else { return };
    let far = f64::MAX.sqrt();
    let clamp = |value: f64| value.clamp(-far, far);
    let (low, high) = (frame.left.value(0.0), frame.left.value(1.0));
    for is_above in [true, false] {
        let side = |(time, value): &(f64, f64)| match is_above {
            true => (*time, clamp(value + tolerance), high.max(value + tolerance)),
            false => (*time, low.min(value - tolerance), clamp(value - tolerance)),
        };
        let edges: Vec<(f64, f64, f64)> = reference.iter().map(side).collect();
        crate::app::ui::chart::band_ui(painter, frame, &edges, fill);
        let by = if is_above { *tolerance } else { -tolerance };
        let line: Vec<Pos2> = reference.iter().map(|(time, value)| at(frame, (*time, value + by))).collect();
        stroke_ui(painter, frame.rect, &line, LineKind::Solid, 1.4, color);
    }
    let line: Vec<Pos2> = reference.iter().map(|point| at(frame, *point)).collect();
    stroke_ui(painter, frame.rect, &line, LineKind::Dashed, 1.0, color);
}

/// Lets the pointer drag the lines that have a number. The document changes once, when the pointer lets go.
fn handles_ui(ui: &mut Ui, state: &mut ResponseState, frame: &Frame, chart: &Chart, actions: &mut Vec<Action>) {
    for drawn in &chart.drawn {
        let Some(place) = drawn.place else { continue };
        for (number, edge) in drawn.marks.edges.iter().enumerate() {
            let Some(handle) = edge.handle else { continue };
            let is_along_time = handle.is_along_time();
            let line = Rect::from_two_pos(at(frame, edge.from), at(frame, edge.to));
            let room =
                line.expand2(if is_along_time { vec2(NEAR, 0.0) } else { vec2(0.0, NEAR) }).intersect(frame.rect);
            if !room.is_positive() {
                continue;
            }
            let id = ui.scope_id().with(("bound", place, number));
            let response = ui.interact(room, id, Sense::drag());
            response.widget_info(|| {
                eframe::egui::WidgetInfo::labeled(eframe::egui::Role::Slider, true, format!("Bound of {}", drawn.text))
            });
            if response.hovered() || response.dragged() {
                let cursor = if is_along_time { CursorIcon::ResizeHorizontal } else { CursorIcon::ResizeVertical };
                ui.ctx().set_cursor_icon(cursor);
                let color = color_of(ui, drawn.is_met);
                stroke_ui(
                    &ui.painter_at(frame.rect),
                    frame.rect,
                    &[at(frame, edge.from), at(frame, edge.to)],
                    LineKind::Solid,
                    3.0,
                    color,
                );
            }
            drag(ui, state, &response, (frame, &drawn.text, place, handle), actions);
        }
    }
}

fn drag(
    ui: &Ui,
    state: &mut ResponseState,
    response: &eframe::egui::Response,
    (frame, text, (entry, condition), handle): (&Frame, &str, (usize, usize), BoundHandle),
    actions: &mut Vec<Action>,
) {
    let is_mine = |dragged: &DraggedBound| (dragged.entry, dragged.condition) == (entry, condition);
    if response.dragged()
        && let Some(pointer) = response.interact_pointer_pos()
    {
        let (position, pixel) = match handle.is_along_time() {
            true => (frame.x_at(pointer), frame.x.width() / f64::from(frame.rect.width())),
            false => (frame.y_at(AxisSide::Left, pointer), frame.left.width() / f64::from(frame.rect.height())),
        };
        let value = handle.number_at(position, pixel);
        state.dragged = Some(DraggedBound { entry, condition, handle, value });
        let theme = theme_of(ui.ctx());
        let number = numbers::digits(value, 4);
        let corner = pointer + vec2(12.0, -12.0);
        ui.painter().text(corner, eframe::egui::Align2::LEFT_BOTTOM, number, style::strong(TEXT_SMALL), theme.text);
    }
    if response.drag_stopped()
        && let Some(dragged) = state.dragged.take().filter(is_mine)
    {
        let changed = state.list.changed(entry, |entry| {
            if let Some(condition) = entry.any.get_mut(dragged.condition) {
                dragged.handle.set(condition, dragged.value);
            }
        });
        actions.push(Action::Apply(changed.change("Move bound")));
    } else if !response.dragged() && response.hovered() {
        response.clone().on_hover_text(format!("{text}\nDrag to change it"));
    }
}

/// Returns the axis of values: it fits the curve now, and the curve before and the bounds as far as they are near.
fn fitting(state: &ResponseState, chart: &Chart) -> Axis {
    let range = |values: &mut dyn Iterator<Item = f64>| {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        values.filter(|value| value.is_finite()).fold(ends, |(low, high), value| (low.min(value), high.max(value)))
    };
    let values = |response: Option<&SimulatedResponse>| -> Vec<f64> {
        let scenarios = response.into_iter().flat_map(|response| &response.response.scenarios);
        let curves = scenarios.flatten().filter(|curve| curve.signal == chart.key);
        curves.flat_map(|curve| curve.elements.iter().flatten()).map(|(_, value)| *value).collect()
    };
    let (low, high) = range(&mut values(chart.now).into_iter());
    let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
    let most = MOST * if high > low { high - low } else { high.abs().max(1.0) };
    // A bound that is dragged does not move the axis below the pointer.
    let stored =
        state.list.active().flat_map(|(_, entry)| &entry.any).filter(|condition| {
            state.choices.find(condition.signal()).is_some_and(|(_, signal)| signal.key == chart.key)
        });
    let levels = chart.now.and_then(|now| levels_of(now, &chart.key));
    let seconds = chart.now.map_or(0.0, |now| now.seconds);
    let bounds = stored.flat_map(|condition| marks_of(condition, levels, seconds).edges);
    let bounds = bounds.flat_map(|edge| [edge.from.1, edge.to.1]).chain(chart.is_margin.then_some(0.0));
    let others = values(chart.before).into_iter().chain(bounds.collect::<Vec<f64>>());
    let (low_other, high_other) = range(&mut others.into_iter());
    let (low, high) = match low_other <= high_other {
        true => (low_other.clamp(low - most, low), high_other.clamp(high, high + most)),
        false => (low, high),
    };
    Axis::fitted(low, high, 0.08, Scale::Linear)
}
