//! One plot on the screen: painting, pointer input and cursors.

use std::sync::Arc;

use eframe::egui::{
    Align2, Color32, ColorImage, EventFilter, Key, Modifiers, Rect, Response, Role, Sense, Stroke, StrokeKind,
    TextureOptions, Ui, WidgetInfo, vec2,
};

use super::axes::{time_axis, triggered};
use super::build::build;
use super::computed::PlotContext;
use super::curves::PlotData;
use super::plot_frame::{Colors, Layer, PlotFrame};
use super::space;
use super::state::Common;
use super::view::{PlotView, Seen};
use crate::app::doc::plots::{DraggedSignal, PlotKind, PlotSpec};
use crate::app::doc::signal_value;
use crate::app::store::figures::FigureKey;
use crate::app::ui::chart::{Axis, AxisChange, AxisSide, DragMoves, Frame, Sides, ViewAngles, touch_ui};
use crate::app::ui::theme::{TEXT_SMALL, Theme};
use crate::app::ui::{style, widgets};
use crate::model::SignalKey;

/// Identifies the plot.
pub struct Target<'a> {
    pub spec: &'a PlotSpec,
    pub key: FigureKey,
    /// The time of the shown step.
    pub chosen: Option<f64>,
    pub label: String,
    /// The minimum width of the Y axes.
    pub least: Sides,
    /// The user's limits of the time axis.
    pub kept: Option<(f64, f64)>,
    pub has_cursors: bool,
    /// The time axis has no numbers, since the plot below has the same.
    pub hides_x: bool,
}

/// The result of a frame.
pub struct Done {
    pub response: Response,
    /// The time under the pointer.
    pub pointed: Option<f64>,
    /// A signal was dropped at this side.
    pub dropped: Option<(DraggedSignal, AxisSide)>,
    /// The width that its Y axes need.
    pub sides: Sides,
    /// The visible ranges of the X, left and right axes.
    pub axes: Option<(Axis, Axis, Option<Axis>)>,
    /// The cursors at the end of a drag.
    pub cursors: Option<[f64; 2]>,
    /// The lower edge of the curves' room, if less of them is along it than along the upper edge.
    pub free_edge: Option<f32>,
    /// The rotation of the box at the end of a drag.
    pub turned: Option<ViewAngles>,
}

/// The distance in points within which the pointer grabs a cursor.
const REACH: f32 = 6.0;

pub fn show_ui(
    ui: &mut Ui,
    rect: Rect,
    source: &PlotData,
    (view, seen): (&mut PlotView, &mut Seen),
    common: &mut Common,
    target: &Target,
) -> Done {
    let (theme, spec) = (source.theme, target.spec);
    let response = ui.interact(rect, ui.scope_id().with("plot"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, &target.label));
    let mut time = time_axis(*seen, source.end, target.kept);
    let trigger = if spec.kind == PlotKind::Time { triggered(source, spec, time) } else { None };
    time = trigger.unwrap_or(time);
    let width = (rect.width() * ui.pixels_per_point()) as usize;
    let mut done = Done {
        response: response.clone(),
        pointed: None,
        dropped: None,
        sides: Sides::default(),
        axes: None,
        cursors: None,
        free_edge: None,
        turned: None,
    };
    if response.clicked() {
        // The plot takes the arrow keys.
        response.request_focus();
    }
    let turned = spec.kind == PlotKind::Phase;
    if turned {
        done.turned = space::touch_ui(ui, &response, spec, view);
    }
    let mut shown = {
        let Some(figures) = common.figures.as_mut() else { return done };
        let mut context = PlotContext { width, figures, key: target.key };
        build(source, spec, view, time, &mut context)
    };
    let waits = spec.trigger.is_some() && spec.kind == PlotKind::Time && trigger.is_none();
    if waits && shown.note.is_empty() {
        shown.note = "Waiting for the trigger".to_owned();
    }
    if source.is_stale && shown.note.is_empty() {
        shown.note = "Changed since this run".to_owned();
    }
    shown.labels.hides_x |= target.hides_x && shown.labels.x.is_empty();
    textures(ui, common, target.key, &mut shown);
    let frame = shown.frame(ui.painter(), rect, target.least);
    if spec.kind.is_over_time() {
        let times = common.moving.map(|(_, times)| times).or(source.list.cursors).filter(|_| target.has_cursors);
        let times = times.map(|times| {
            let (times, is_done) = cursors(ui, &response, &frame, common, source, times);
            done.cursors = is_done.then_some(times).filter(|times| Some(*times) != source.list.cursors);
            times
        });
        let chosen = common.chosen.filter(|_| response.has_focus());
        shown.layers.extend(cursor_layers(spec, times.as_ref(), chosen, theme));
        let pale = style::mix(theme.panel, theme.text, 0.45);
        shown.layers.extend(common.pointed.map(|x| Layer::Upright { x, color: pale, name: String::new() }));
        let name = String::new();
        shown.layers.extend(target.chosen.map(|x| Layer::Upright { x, color: theme.accent, name }));
    }
    let painter = ui.painter_at(rect);
    shown.paint(&painter, &frame, theme);
    let touched = match common.dragged {
        None if !turned => {
            let moves_values = view.left.is_some() || view.right.is_some();
            let moves_values = moves_values || spec.left_range.is_some() || spec.right_range.is_some();
            let moves = if moves_values { DragMoves::TimeAndValues } else { DragMoves::Time };
            touch_ui(ui, &response, &frame, moves)
        }
        _ => AxisChange::default(),
    };
    widgets::focus_ring(ui, &response, 4);
    let touched = if shown.is_square { squared(&frame, touched) } else { touched };
    take(spec, view, seen, &touched);
    let pointed = touched.hovered.map(|at| frame.x_at(at));
    if let (Some(at), false) = (touched.hovered, spec.kind.is_over_time()) {
        reading_ui(ui, &frame, at, spec, theme);
    }
    done.dropped = drop_ui(ui, &response, &frame, spec, theme);
    done.pointed = pointed.filter(|_| spec.kind.is_over_time()).map(|time| time.max(0.0));
    done.sides = if turned { Sides::default() } else { frame.sides };
    done.free_edge = Some(frame.rect.bottom()).filter(|_| rect.height() < LOW && is_freer_below(&shown, &frame));
    done.axes = Some((frame.x, frame.left, frame.right)).filter(|_| !turned);
    done
}

/// The height of a plot below which its legend may lie on the curves.
const LOW: f32 = 90.0;

/// Returns whether fewer points of the curves are in the lower third of the plot than in the upper one.
fn is_freer_below(shown: &PlotFrame, frame: &Frame) -> bool {
    let curves = shown.layers.iter().filter_map(|layer| match layer {
        Layer::Curve { points, side, .. } => Some((points, *side)),
        _ => None,
    });
    let (mut above, mut below) = (0, 0);
    for (points, side) in curves {
        let axis = frame.axis(side);
        for part in points.iter().map(|point| axis.part(point.1)) {
            above += usize::from(part > 2.0 / 3.0);
            below += usize::from(part < 1.0 / 3.0);
        }
    }
    below < above
}

/// Zooms both axes alike, so that their scales stay equal.
fn squared(frame: &Frame, mut touched: AxisChange) -> AxisChange {
    match (touched.x, touched.left) {
        (Some(x), None) => {
            let about = touched.hovered.map_or(0.5, |at| frame.parts(at).1);
            touched.left = Some(frame.left.zoomed(about, x.width() / frame.x.width()));
        }
        (None, Some(left)) => {
            let about = touched.hovered.map_or(0.5, |at| frame.parts(at).0);
            touched.x = Some(frame.x.zoomed(about, left.width() / frame.left.width()));
        }
        _ => {}
    }
    touched
}

/// Applies pan and zoom.
fn take(spec: &PlotSpec, view: &mut PlotView, seen: &mut Seen, touched: &AxisChange) {
    let x = if spec.kind.is_over_time() { seen } else { &mut view.x };
    if touched.fits {
        *x = Seen::All;
        (view.left, view.right) = (None, None);
        return;
    }
    if let Some(axis) = touched.x {
        *x = Seen::Fixed(axis);
    }
    view.left = touched.left.or(view.left);
    view.right = touched.right.or(view.right);
}

/// Paints both cursors; the active one is emphasized.
pub fn cursor_layers<'a>(
    spec: &PlotSpec,
    cursors: Option<&'a [f64; 2]>,
    chosen: Option<usize>,
    theme: &'a Theme,
) -> impl Iterator<Item = Layer> + use<'a> {
    let cursors = cursors.filter(|_| spec.kind.is_over_time());
    let times = cursors.into_iter().flatten().zip(["A", "B"]).enumerate();
    times.map(move |(number, (x, name))| {
        let color = if chosen == Some(number) { theme.accent } else { theme.guide };
        Layer::Upright { x: *x, color, name: name.to_owned() }
    })
}

/// Drags a cursor, or moves the active one with arrow keys by a sample, with Shift by ten. Returns
/// the times of the cursors, and whether the move has ended.
fn cursors(
    ui: &Ui,
    response: &Response,
    frame: &Frame,
    common: &mut Common,
    source: &PlotData,
    mut times: [f64; 2],
) -> ([f64; 2], bool) {
    let before = times;
    let [a, b] = times;
    let nearest = |at: eframe::egui::Pos2| {
        let off = |time: f64| (frame.x_of(time) - at.x).abs();
        let (number, distance) = if off(b) < off(a) { (1, off(b)) } else { (0, off(a)) };
        (distance <= REACH && frame.rect.y_range().contains(at.y)).then_some(number)
    };
    if let Some(at) = response.hover_pos()
        && (common.dragged.is_some() || nearest(at).is_some())
    {
        ui.ctx().set_cursor_icon(eframe::egui::CursorIcon::ResizeHorizontal);
    }
    let pressed = ui.input(|input| input.pointer.press_origin());
    if let Some(at) = pressed.filter(|_| response.drag_started() || response.clicked())
        && let Some(number) = nearest(at)
    {
        common.chosen = Some(number);
        common.dragged = response.drag_started().then_some(number);
        response.request_focus();
    }
    if let (Some(number), Some(at), true) = (common.dragged, response.interact_pointer_pos(), response.dragged())
        && let Some(time) = times.get_mut(number)
    {
        *time = frame.x_at(frame.rect.clamp(at)).max(0.0);
    }
    let is_held = if response.has_focus() { keys(ui, response, common, source, &mut times) } else { false };
    if times != before {
        common.moving = Some((response.id, times));
    }
    let is_done = !(is_held || response.dragged() && common.dragged.is_some());
    let is_ours = common.moving.is_some_and(|(id, _)| id == response.id);
    if is_done && is_ours {
        common.moving = None;
    }
    if response.drag_stopped() {
        common.dragged = None;
    }
    (times, is_done && is_ours)
}

/// Selects a cursor with A and B. Returns whether a key that moves one is down.
fn keys(ui: &Ui, response: &Response, common: &mut Common, source: &PlotData, times: &mut [f64; 2]) -> bool {
    let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    for (number, key) in [Key::A, Key::B].into_iter().enumerate() {
        if ui.input_mut(|input| input.consume_key(Modifiers::NONE, key)) {
            common.chosen = Some(number);
        }
    }
    let mut by = 0.0;
    for (key, way) in [(Key::ArrowLeft, -1.0), (Key::ArrowRight, 1.0)] {
        // Shift first: a press without modifiers also matches with Shift.
        for (modifiers, steps) in [(Modifiers::SHIFT, 10.0), (Modifiers::NONE, 1.0)] {
            let count = ui.input_mut(|input| input.count_and_consume_key(modifiers, key));
            by += way * steps * count as f64;
        }
    }
    let (delta, number) = (source.recording.delta, *common.chosen.get_or_insert(0));
    if let Some(time) = times.get_mut(number).filter(|_| by != 0.0) {
        let last = (source.end / delta).round();
        *time = ((*time / delta).round() + by).clamp(0.0, last.max(0.0)) * delta;
    }
    ui.input(|input| input.key_down(Key::ArrowLeft) || input.key_down(Key::ArrowRight))
}

/// Paints the coordinates of the pointer, for plots without values in the legend.
fn reading_ui(ui: &Ui, frame: &Frame, at: eframe::egui::Pos2, spec: &PlotSpec, theme: &Theme) {
    let x = frame.x.reading(frame.x_at(at), frame.rect.width());
    let y = frame.left.reading(frame.y_at(AxisSide::Left, at), frame.rect.height());
    let text = match spec.kind {
        PlotKind::Spectrum | PlotKind::Cross => format!("{x} Hz · {y}"),
        _ => format!("{x} · {y}"),
    };
    let painter = ui.painter_at(frame.rect);
    let pale = Stroke::new(1.0, style::mix(theme.panel, theme.text, 0.3));
    painter.vline(at.x, frame.rect.y_range(), pale);
    painter.hline(frame.rect.x_range(), at.y, pale);
    let font = style::plain(TEXT_SMALL);
    let galley = painter.layout_no_wrap(text, font, theme.text);
    let corner = frame.rect.left_top() + vec2(8.0, 6.0);
    let room = Rect::from_min_size(corner, galley.size()).expand2(vec2(5.0, 2.0));
    painter.rect_filled(room, 4.0, theme.raised);
    painter.galley(corner, galley, theme.text);
}

/// Accepts a dropped signal: in the right half for the right axis.
fn drop_ui(
    ui: &Ui,
    response: &Response,
    frame: &Frame,
    spec: &PlotSpec,
    theme: &Theme,
) -> Option<(DraggedSignal, AxisSide)> {
    let at = ui.input(|input| input.pointer.latest_pos())?;
    let can_right = spec.kind == PlotKind::Time;
    let side = if can_right && at.x > frame.rect.center().x { AxisSide::Right } else { AxisSide::Left };
    if response.dnd_hover_payload::<DraggedSignal>().is_some() {
        let middle = frame.rect.center().x;
        let room = match (can_right, side) {
            (false, _) => frame.rect,
            (true, AxisSide::Left) => frame.rect.with_max_x(middle),
            (true, AxisSide::Right) => frame.rect.with_min_x(middle),
        };
        let fill = theme.accent.gamma_multiply(0.12);
        ui.painter().rect(room, 4.0, fill, Stroke::new(1.5, theme.accent), StrokeKind::Inside);
        let text = match (can_right, side) {
            (false, _) => "Show here",
            (true, AxisSide::Left) => "Left axis",
            (true, AxisSide::Right) => "Right axis",
        };
        ui.painter().text(room.center(), Align2::CENTER_CENTER, text, style::strong(TEXT_SMALL + 1.0), theme.accent);
    }
    let dropped = response.dnd_release_payload::<DraggedSignal>()?;
    Some((DraggedSignal::clone(&dropped), side))
}

/// A spectrogram is a texture, updated when its figure changes.
fn textures(ui: &Ui, common: &mut Common, key: FigureKey, shown: &mut PlotFrame) {
    for layer in &mut shown.layers {
        let Layer::Colors(colors) = layer else { continue };
        let is_same = |made: &Colors| Arc::ptr_eq(&made.map, &colors.map) && made.ground == colors.ground;
        let known = common.textures.iter().find(|(of, made, _)| *of == key && is_same(made));
        colors.texture = Some(match known {
            Some((_, _, texture)) => texture.id(),
            None => {
                let image = ColorImage::new([colors.map.columns, colors.map.rows], colors.cells().collect());
                let texture = ui.ctx().load_texture("spectrogram", image, TextureOptions::LINEAR);
                let id = texture.id();
                common.textures.retain(|(of, ..)| *of != key);
                common.textures.push((key, colors.clone(), texture));
                id
            }
        });
    }
}

/// Returns the value of a signal at the pointer's time, as text.
pub fn value_text(source: &PlotData, signal: &SignalKey, time: Option<f64>) -> String {
    let columns = source.recording.columns(signal);
    let value = |column: &crate::engine::Column| match time {
        Some(time) => column.at_step((time / source.recording.delta).round().max(0.0) as u64),
        None => column.last(),
    };
    match columns {
        [] => String::new(),
        [column] => value(column).map(|value| signal_value::value_text(value, 4)).unwrap_or_default(),
        several => {
            let first =
                several.first().and_then(value).map(|value| signal_value::value_text(value, 3)).unwrap_or_default();
            format!("{first} …")
        }
    }
}

/// Returns the value of one element at the pointer's time, as text.
pub fn value_of(column: &crate::engine::Column, delta: f64, time: Option<f64>) -> Option<String> {
    let value = match time {
        Some(time) => column.at_step((time / delta).round().max(0.0) as u64),
        None => column.last(),
    };
    value.map(|value| signal_value::value_text(value, 4))
}

/// Paints a short line in a curve's style.
pub fn swatch_ui(ui: &Ui, rect: Rect, trace: &crate::app::doc::plots::Trace, color: Color32) {
    let points = [rect.left_center(), rect.center(), rect.right_center()];
    let room = rect.expand(3.0);
    crate::app::ui::chart::stroke_ui(
        ui.painter(),
        room,
        &points,
        trace.line.unwrap_or_default(),
        trace.width.clamp(1.4, 4.0),
        color,
    );
}
