//! A standalone figure, without a legend or settings in the document: its axes fit the content until the user moves
//! them.

use eframe::egui::{Id, Rect, Response, Role, Sense, Ui, WidgetInfo};

use super::{Axis, DragMoves, Frame, Labels, Sides, touch_ui};
use crate::app::ui::widgets::{self, theme_of};

/// The content of a figure.
pub struct Sketch<'a> {
    /// The label for screen readers.
    pub name: &'a str,
    /// Axes that show all of it.
    pub x: Axis,
    pub y: Axis,
    pub labels: Labels,
    /// Both axes have the same scale.
    pub is_square: bool,
    /// Figures with the same link share the range of the x axis.
    pub link: Option<Id>,
}

/// The axes set by the user; None means automatic.
#[derive(Clone, Copy, Debug, Default)]
struct ChosenAxes {
    x: Option<Axis>,
    y: Option<Axis>,
}

/// The axes at the sides of linked figures.
const LINKED: Sides = Sides { left: 72.0, right: 12.0 };

/// Draws the axes and the grid of a figure and handles pointer, wheel and keys. The visible range is stored by `id`.
pub fn sketch_ui(ui: &Ui, rect: Rect, id: Id, sketch: &Sketch) -> (Response, Frame) {
    let theme = theme_of(ui.ctx());
    let response = ui.interact(rect, id, Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, sketch.name));
    let shared = sketch.link.unwrap_or(id);
    let of = |id: Id| ui.data(|data| data.get_temp::<ChosenAxes>(id.with("seen"))).unwrap_or_default();
    let mut chosen = ChosenAxes { x: of(shared).x, y: of(id).y };
    let painter = ui.painter_at(rect);
    // The x axes of linked figures begin and end below each other.
    let linked = Sides { left: sketch.labels.left_width.unwrap_or(LINKED.left), ..LINKED };
    let least = if sketch.link.is_some() { linked } else { Sides::default() };
    let frame = |chosen: ChosenAxes| {
        let axes = (chosen.x.unwrap_or(sketch.x), chosen.y.unwrap_or(sketch.y), None);
        let mut frame = Frame::within(&painter, rect, axes, &sketch.labels, least);
        if sketch.is_square {
            frame.make_square();
        }
        frame
    };
    let before = frame(chosen);
    let is_free = sketch.is_square || chosen.y.is_some();
    let moves = if is_free { DragMoves::TimeAndValues } else { DragMoves::Time };
    let touched = touch_ui(ui, &response, &before, moves);
    if touched.fits {
        chosen = ChosenAxes::default();
    }
    chosen.x = touched.x.or(chosen.x);
    chosen.y = touched.left.or(chosen.y);
    if let (Some(x), None, true) = (touched.x, touched.left, sketch.is_square) {
        // A wider range is made higher too, to keep the scales equal.
        let factor = x.width() / before.x.width();
        let about = touched.hovered.map_or(0.5, |at| before.parts(at).1);
        chosen.y = Some(before.left.zoomed(about, factor));
    }
    ui.data_mut(|data| {
        data.insert_temp(id.with("seen"), chosen);
        data.insert_temp(shared.with("seen"), ChosenAxes { y: of_or(sketch.link, chosen), ..chosen });
    });
    let frame = frame(chosen);
    frame.axes_ui(&painter, theme, &sketch.labels);
    widgets::focus_ring(ui, &response, 4);
    (response, frame)
}

/// Linked figures share x only.
fn of_or(link: Option<Id>, chosen: ChosenAxes) -> Option<Axis> {
    if link.is_some() { None } else { chosen.y }
}
