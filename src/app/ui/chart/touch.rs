//! Zooming and panning of a plot by pointer, wheel and keys.

use eframe::egui::{EventFilter, Key, Modifiers, PointerButton, Pos2, Rect, Response, Stroke, StrokeKind, Ui, Vec2};

use super::{Axis, Frame};
use crate::app::ui::widgets::theme_of;

/// The axis ranges that the user has set; None leaves a range as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct AxisChange {
    pub x: Option<Axis>,
    pub left: Option<Axis>,
    pub right: Option<Axis>,
    /// The user asked for automatic ranges.
    pub fits: bool,
    /// The pointer's position within the plot.
    pub hovered: Option<Pos2>,
}

/// Where a gesture started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Zone {
    Inside,
    Below,
    Left,
    Right,
}

/// The axes that a gesture changes.
#[derive(Clone, Copy, Debug)]
struct Axes {
    x: bool,
    left: bool,
    right: bool,
}

/// Minimum size of a zoom box in points; a smaller one was a click.
const MIN_BOX: f32 = 6.0;
/// Fraction of the range by which a key pans or zooms.
const KEY: f64 = 0.1;

fn zone_of(frame: &Frame, at: Pos2) -> Zone {
    match at {
        at if at.x < frame.rect.left() => Zone::Left,
        at if at.x > frame.rect.right() => Zone::Right,
        at if at.y > frame.rect.bottom() => Zone::Below,
        _ => Zone::Inside,
    }
}

/// The ranges that a drag inside a plot moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DragMoves {
    Time,
    TimeAndValues,
}

/// A drag pans: inside the plot the ranges that `drag_moves` says, beside an axis that axis. With Shift or the
/// right button it draws a zoom box. The wheel zooms the time about the pointer, with Shift the values, with Ctrl both,
/// over an axis that axis. A double click shows everything.
pub fn touch_ui(ui: &Ui, response: &Response, frame: &Frame, drag_moves: DragMoves) -> AxisChange {
    let mut touched = AxisChange { fits: response.double_clicked(), ..AxisChange::default() };
    let id = response.id.with("begin");
    let pointer = ui.input(|input| input.pointer.latest_pos());
    if response.drag_started() {
        let begin = ui.input(|input| input.pointer.press_origin());
        let is_box = response.drag_started_by(PointerButton::Secondary) || ui.input(|input| input.modifiers.shift);
        ui.data_mut(|data| data.insert_temp(id, begin.map(|begin| (begin, is_box))));
    }
    // The gesture has ended, so its box is removed.
    let is_held = response.dragged() || response.drag_stopped();
    let begun: Option<(Pos2, bool)> = ui.data(|data| data.get_temp(id)).flatten().filter(|_| is_held);
    if let (Some((begin, is_box)), Some(at)) = (begun, pointer) {
        let zone = zone_of(frame, begin);
        if is_box && zone == Zone::Inside {
            box_ui(ui, response, frame, begin, at, &mut touched);
        } else if response.dragged() {
            drag(frame, zone, response.drag_delta(), drag_moves, &mut touched);
        }
    }
    if !is_held {
        ui.data_mut(|data| data.remove::<Option<(Pos2, bool)>>(id));
    }
    if let Some(at) = response.hover_pos().filter(|at| response.rect.contains(*at)) {
        touched.hovered = frame.rect.contains(at).then_some(at);
        wheel(ui, frame, at, &mut touched);
    }
    if response.has_focus() {
        keys(ui, response, frame, &mut touched);
    }
    touched
}

fn drag(frame: &Frame, zone: Zone, by: Vec2, moves: DragMoves, touched: &mut AxisChange) {
    let moves_values = moves == DragMoves::TimeAndValues;
    let x = -f64::from(by.x) / f64::from(frame.rect.width());
    let y = f64::from(by.y) / f64::from(frame.rect.height());
    let axes = match zone {
        Zone::Inside => Axes { x: true, left: moves_values, right: moves_values },
        Zone::Below => Axes { x: true, left: false, right: false },
        Zone::Left => Axes { x: false, left: true, right: false },
        Zone::Right => Axes { x: false, left: false, right: true },
    };
    if axes.x && x != 0.0 {
        touched.x = Some(frame.x.shifted(x));
    }
    if axes.left && y != 0.0 {
        touched.left = Some(frame.left.shifted(y));
    }
    if axes.right && y != 0.0 {
        touched.right = frame.right.map(|right| right.shifted(y));
    }
}

fn box_ui(ui: &Ui, response: &Response, frame: &Frame, begin: Pos2, at: Pos2, touched: &mut AxisChange) {
    let at = frame.rect.clamp(at);
    let seen = Rect::from_two_pos(begin, at);
    // A flat box zooms only the time, a narrow one only the values.
    let (is_flat, is_upright) = (seen.height() < 3.0 * MIN_BOX, seen.width() < MIN_BOX);
    let shown = match (is_flat, is_upright) {
        (true, false) => Rect::from_x_y_ranges(seen.x_range(), frame.rect.y_range()),
        (false, true) => Rect::from_x_y_ranges(frame.rect.x_range(), seen.y_range()),
        _ => seen,
    };
    if response.drag_stopped() {
        let ((x0, y0), (x1, y1)) = (frame.parts(shown.left_bottom()), frame.parts(shown.right_top()));
        if !is_upright {
            touched.x = Some(frame.x.between(x0, x1));
        }
        if !is_flat {
            touched.left = Some(frame.left.between(y0, y1));
            touched.right = frame.right.map(|right| right.between(y0, y1));
        }
    } else if !(is_flat && is_upright) {
        let theme = theme_of(ui.ctx());
        let fill = theme.accent.gamma_multiply(0.14);
        ui.painter().rect(shown, 0.0, fill, Stroke::new(1.0, theme.accent), StrokeKind::Inside);
    }
}

fn wheel(ui: &Ui, frame: &Frame, at: Pos2, touched: &mut AxisChange) {
    let (turned, pinched, modifiers) = ui.input_mut(|input| {
        let pinched = f64::from(input.zoom_delta());
        (std::mem::take(&mut input.smooth_scroll_delta), pinched, input.modifiers)
    });
    let zone = zone_of(frame, at);
    // With Shift, platforms report a horizontal wheel.
    let factor = (-f64::from(turned.y + turned.x) * 0.005).exp() / pinched;
    if factor == 1.0 {
        return;
    }
    let axes = match zone {
        Zone::Left => Axes { x: false, left: true, right: false },
        Zone::Right => Axes { x: false, left: false, right: true },
        Zone::Below => Axes { x: true, left: false, right: false },
        Zone::Inside if pinched != 1.0 => Axes { x: true, left: true, right: true },
        Zone::Inside if modifiers.shift => Axes { x: false, left: true, right: true },
        Zone::Inside => Axes { x: true, left: false, right: false },
    };
    zoom(frame, axes, frame.parts(at), factor, touched);
}

fn zoom(frame: &Frame, axes: Axes, (x, y): (f64, f64), factor: f64, touched: &mut AxisChange) {
    if axes.x {
        touched.x = Some(frame.x.zoomed(x, factor));
    }
    if axes.left {
        touched.left = Some(frame.left.zoomed(y, factor));
    }
    if axes.right {
        touched.right = frame.right.map(|right| right.zoomed(y, factor));
    }
}

fn keys(ui: &Ui, response: &Response, frame: &Frame, touched: &mut AxisChange) {
    // Arrow keys pan instead of moving the focus.
    let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    let pressed = |key: Key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    for (key, by) in [(Key::ArrowLeft, -KEY), (Key::ArrowRight, KEY)] {
        if pressed(key) {
            touched.x = Some(frame.x.shifted(by));
        }
    }
    for (key, by) in [(Key::ArrowUp, KEY), (Key::ArrowDown, -KEY)] {
        if pressed(key) {
            touched.left = Some(frame.left.shifted(by));
            touched.right = frame.right.map(|right| right.shifted(by));
        }
    }
    let all = Axes { x: true, left: false, right: false };
    for (key, factor) in [(Key::Plus, 1.0 - 2.0 * KEY), (Key::Minus, 1.0 / (1.0 - 2.0 * KEY))] {
        if pressed(key) {
            zoom(frame, all, (0.5, 0.5), factor, touched);
        }
    }
    touched.fits |= pressed(Key::Home);
}
