//! The measures of the runs over the parameters: a scatter matrix.

use eframe::egui::{Align2, Pos2, Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

use crate::app::store::lab::{Ensemble, SweepCurve};
use crate::app::ui::chart::{Axis, Scale};
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::app::ui::{numbers, style};
use crate::engine::{SweepMeasure, Values, Vary};

/// The maximum number of points of a cell.
const MAX_POINTS: usize = 1000;
/// The least size of a cell.
const LEAST: [f32; 2] = [110.0, 56.0];
/// The widths of the names and numbers at the left, and the height of those below.
const NAMES: f32 = 78.0;
const NUMBERS: f32 = 62.0;
const BELOW: f32 = 38.0;
const GAP: [f32; 2] = [16.0, 8.0];
/// The longest distance from a click to a point.
const REACH: f32 = 12.0;

/// A run as a point: its index among the curves, the values of its parameters and its measures.
struct RunPoint<'a> {
    index: usize,
    values: Vec<f64>,
    curve: &'a SweepCurve,
}

/// Returns the name of a measure of a signal in texts.
pub(super) fn title_of(measure: SweepMeasure) -> &'static str {
    match measure {
        SweepMeasure::Last => "Last value",
        SweepMeasure::Minimum => "Minimum",
        SweepMeasure::Maximum => "Maximum",
        SweepMeasure::Mean => "Mean",
    }
}

/// Returns the distance of the runs that are drawn.
fn stride_of(ensemble: &Ensemble) -> usize {
    ensemble.curves.len().div_ceil(MAX_POINTS).max(1)
}

/// Returns a note about the number of runs that are drawn, if not all are.
pub(super) fn note(ensemble: &Ensemble) -> Option<String> {
    let (all, stride) = (ensemble.curves.len(), stride_of(ensemble));
    (stride > 1).then(|| format!("{} of {all} runs", all.div_ceil(stride)))
}

pub(super) fn scatter_ui(ui: &mut Ui, chosen: &mut Option<usize>, ensemble: &Ensemble) {
    let stride = stride_of(ensemble);
    let is_drawn = |index: usize| index.is_multiple_of(stride) || *chosen == Some(index);
    let drawn = ensemble.curves.iter().enumerate().filter(|(index, _)| is_drawn(*index));
    let points: Vec<RunPoint> =
        drawn.map(|(index, curve)| RunPoint { index, values: ensemble.runs.values(curve.run), curve }).collect();
    let params = &ensemble.runs.varied;
    if params.is_empty() {
        return;
    }
    let measures = distinct(&points);
    let (columns, rows) = (params.len() as f32, measures.len() as f32);
    let room = ui.available_size() - vec2(NAMES + NUMBERS + 4.0 * SPACE, BELOW);
    let cell = vec2(
        ((room.x - GAP[0] * (columns - 1.0)) / columns).max(LEAST[0]),
        ((room.y - GAP[1] * (rows - 1.0)) / rows).max(LEAST[1]),
    );
    let size = vec2(
        NAMES + NUMBERS + 4.0 * SPACE + columns * (cell.x + GAP[0]) - GAP[0],
        BELOW + rows * (cell.y + GAP[1]) - GAP[1],
    );
    let (all, response) = ui.allocate_exact_size(size, Sense::click());
    let about =
        format!("Scatter matrix of {} and {}", counted(params.len(), "parameter"), counted(points.len(), "run"));
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, &about));
    let origin = all.min + vec2(NAMES + NUMBERS + 2.0 * SPACE, 0.0);
    let rect_of = |column: usize, row: usize| {
        let at = vec2(column as f32 * (cell.x + GAP[0]), row as f32 * (cell.y + GAP[1]));
        Rect::from_min_size(origin + at, cell)
    };
    let mut nearest: Option<(f32, usize)> = None;
    let pointer = response.interact_pointer_pos().filter(|_| response.clicked());
    let x_axes: Vec<Axis> = params.iter().enumerate().map(|(column, vary)| axis_of(vary, column, &points)).collect();
    for (row, (index, measure)) in measures.iter().enumerate() {
        let values = || points.iter().filter_map(|point| point.curve.measures.get(*index).copied());
        let y_axis = fitted(values(), Scale::Linear);
        side_ui(ui, rect_of(0, row), all.left() + 2.0 * SPACE, title_of(*measure), &y_axis);
        for (column, x_axis) in x_axes.iter().enumerate() {
            let rect = rect_of(column, row);
            let places: Vec<(usize, Pos2)> = points
                .iter()
                .filter_map(|point| {
                    let (x, y) = (*point.values.get(column)?, *point.curve.measures.get(*index)?);
                    let (x, y) = (x_axis.part(x) as f32, y_axis.part(y) as f32);
                    let is_inside = x.is_finite() && y.is_finite();
                    is_inside
                        .then(|| (point.index, pos2(rect.left() + x * rect.width(), rect.bottom() - y * rect.height())))
                })
                .collect();
            cell_ui(ui, rect, &places, *chosen);
            if let Some(at) = pointer.filter(|at| rect.contains(*at)) {
                let near = places.iter().map(|(index, place)| (place.distance(at), *index));
                nearest = near.min_by(|one, other| one.0.total_cmp(&other.0)).filter(|(far, _)| *far < REACH);
            }
        }
    }
    for (column, vary) in params.iter().enumerate() {
        if let Some(axis) = x_axes.get(column) {
            below_ui(ui, rect_of(column, measures.len().saturating_sub(1)), &vary.path, axis);
        }
    }
    if pointer.is_some() {
        *chosen = nearest.map(|(_, index)| index);
    }
}

/// Returns the measures, each with its index, without those that do not vary and those that are the same as another one in
/// all runs: with a single step, all are. At least one is left.
fn distinct(points: &[RunPoint]) -> Vec<(usize, SweepMeasure)> {
    let values =
        |index: usize| points.iter().map(move |point| point.curve.measures.get(index).map(|value| value.to_bits()));
    let varies = |index: usize| values(index).any(|value| Some(value) != values(index).next());
    let is_new = |index: usize| varies(index) && (0..index).all(|earlier| values(earlier).ne(values(index)));
    let all = || SweepMeasure::ALL.into_iter().enumerate();
    let found: Vec<_> = all().filter(|(index, _)| is_new(*index)).collect();
    if found.is_empty() { all().take(1).collect() } else { found }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn ends(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    let finite = values.filter(|value| value.is_finite());
    finite.fold(None, |ends: Option<[f64; 2]>, value| match ends {
        Some([low, high]) => Some([low.min(value), high.max(value)]),
        None => Some([value; 2]),
    })
}

fn fitted(values: impl Iterator<Item = f64>, scale: Scale) -> Axis {
    let [low, high] = ends(values).unwrap_or([0.0, 1.0]);
    Axis::fitted(low, high, 0.06, scale)
}

/// Returns the axis of a parameter; it is logarithmic if the parameter's distribution is.
fn axis_of(vary: &Vary, column: usize, points: &[RunPoint]) -> Axis {
    let scale = if matches!(vary.values, Values::LogUniform { .. }) { Scale::Log } else { Scale::Linear };
    fitted(points.iter().filter_map(|point| point.values.get(column).copied()), scale)
}

/// Returns the numbers at the ends of an axis.
fn end_texts(axis: &Axis) -> [String; 2] {
    [0.0, 1.0].map(|part| numbers::digits(axis.value(part), 3))
}

/// Draws the points of a cell, and its frame.
fn cell_ui(ui: &Ui, rect: Rect, places: &[(usize, Pos2)], chosen: Option<usize>) {
    let theme = theme_of(ui.ctx());
    let painter = ui.painter_at(rect.expand(1.0));
    painter.rect(rect, 2, theme.canvas, Stroke::new(1.0, theme.line), StrokeKind::Inside);
    let (radius, strength) = if places.len() > 300 { (1.4, 0.5) } else { (2.0, 0.7) };
    let color = theme.curves[0].gamma_multiply(strength);
    for (_, place) in places {
        painter.circle_filled(*place, radius, color);
    }
    for (_, place) in places.iter().filter(|(index, _)| Some(*index) == chosen) {
        painter.circle(*place, 4.5, theme.curves[1], Stroke::new(1.5, theme.text));
    }
}

/// Draws the name of a measure and the ends of its axis beside its row.
fn side_ui(ui: &Ui, rect: Rect, left: f32, name: &str, axis: &Axis) {
    let theme = theme_of(ui.ctx());
    let small = style::plain(TEXT_SMALL);
    let place = Rect::from_min_max(pos2(left, rect.top()), pos2(left + NAMES, rect.bottom()));
    widgets::text_in(ui, place, name, small.clone(), theme.text);
    let [low, high] = end_texts(axis);
    let x = rect.left() - 2.0 * SPACE;
    for (at, align, text) in [(rect.top(), Align2::RIGHT_TOP, high), (rect.bottom(), Align2::RIGHT_BOTTOM, low)] {
        ui.painter().text(pos2(x, at), align, text, small.clone(), theme.text_weak);
    }
}

/// Draws the name of a parameter and the ends of its axis below its column.
fn below_ui(ui: &Ui, rect: Rect, name: &str, axis: &Axis) {
    let theme = theme_of(ui.ctx());
    let small = style::plain(TEXT_SMALL);
    let y = rect.bottom() + SPACE;
    let [low, high] = end_texts(axis);
    for (at, align, text) in [(rect.left(), Align2::LEFT_TOP, low), (rect.right(), Align2::RIGHT_TOP, high)] {
        ui.painter().text(pos2(at, y), align, text, small.clone(), theme.text_weak);
    }
    let galley = ui.painter().layout_no_wrap(name.to_owned(), small.clone(), theme.text);
    let width = galley.size().x.min(rect.width());
    let place = Rect::from_min_size(pos2(rect.center().x - 0.5 * width, y + 15.0), vec2(width, 16.0));
    widgets::text_in(ui, place, name, small, theme.text);
}
