//! The responses of the loop in time: with the gains of the block in a quiet colour, with those that are suggested in the
//! accent.

use eframe::egui::{Color32, Pos2, Rect, Sense, Ui, vec2};

use crate::app::store::lab::Suggestion;
use crate::app::ui::chart::{Axis, AxisSide, Labels, LineKind, Scale, Sketch, sketch_ui, stroke_ui};
use crate::app::ui::style;
use crate::app::ui::theme::{TEXT_SMALL, Theme};
use crate::app::ui::widgets::{self, theme_of};
use crate::tuning::Responses;

/// The height of a title, in points.
const TITLE: f32 = 18.0;
/// A chart has at least this width and height, in points.
const NARROWEST: f32 = 140.0;
const LOWEST: f32 = 130.0;
/// The room below the charts, so that those that fit do not scroll.
const GAP: f32 = 2.0;
/// The curve before may take the axis this much beyond that of the curve after.
const MOST: f64 = 2.0;
/// A kick that is this much higher than the rest is cut.
const KICK: f64 = 3.0;

/// The colours of the curves before and after.
pub fn colors(theme: &Theme) -> [Color32; 2] {
    [style::mix(theme.panel, theme.text_weak, 0.55), theme.accent]
}

/// A chart: its title, the value that the response comes back to, and its samples.
struct Chart {
    title: &'static str,
    level: Option<f64>,
    of: fn(&Responses) -> &[f64],
}

const CHARTS: [Chart; 3] = [
    Chart { title: "Step of the set point", level: Some(1.0), of: |responses| &responses.output },
    Chart { title: "Step of a disturbance", level: Some(0.0), of: |responses| &responses.disturbance },
    Chart { title: "Control signal", level: None, of: |responses| &responses.control },
];

/// Draws as many charts beside each other as have room, the others below them.
pub fn show_ui(ui: &mut Ui, height: f32, generation: u64, suggestion: &Suggestion) {
    let theme = theme_of(ui.ctx());
    let width = ui.available_width();
    let columns = ((width / NARROWEST) as usize).clamp(1, CHARTS.len());
    let rows = CHARTS.len().div_ceil(columns);
    let height = (height - GAP).max(LOWEST * rows as f32);
    let room = Rect::from_min_size(ui.cursor().min, vec2(width, height));
    let size = vec2(width / columns as f32, height / rows as f32);
    for (number, chart) in CHARTS.iter().enumerate() {
        let (row, column) = (number / columns, number % columns);
        let corner = room.min + vec2(column as f32 * size.x, row as f32 * size.y);
        chart_ui(ui, Rect::from_min_size(corner, size), generation, theme, chart, suggestion);
    }
    ui.allocate_rect(room, Sense::hover());
}

fn chart_ui(ui: &Ui, rect: Rect, generation: u64, theme: &Theme, chart: &Chart, suggestion: &Suggestion) {
    let (before, after) = (&suggestion.before.0, &suggestion.tuned.responses);
    let (top, lower) = rect.split_top_bottom_at_y(rect.top() + TITLE);
    let Chart { title, level, of } = chart;
    let id = ui.scope_id().with((generation, *title));
    let seconds = after.step * after.output.len().saturating_sub(1) as f64;
    let sketch = Sketch {
        name: title,
        x: Axis::fitted(0.0, seconds, 0.0, Scale::Linear),
        y: fitting(of(before), of(after), *level),
        labels: Labels { x_unit: " s", ..Labels::default() },
        is_square: false,
        link: None,
    };
    let (_, frame) = sketch_ui(ui, lower, id, &sketch);
    widgets::text_in(ui, top.with_min_x(frame.rect.left()), title, style::strong(TEXT_SMALL), theme.text);
    if let Some(level) = level {
        let line = style::mix(theme.panel, theme.text, 0.35);
        let y = frame.y_of(AxisSide::Left, *level);
        ui.painter_at(frame.rect).hline(frame.rect.x_range(), y, (1.0, line));
    }
    for (responses, color) in [before, after].into_iter().zip(colors(theme)) {
        let kind = if responses.is_held { LineKind::Stairs } else { LineKind::Solid };
        let points = of(responses).iter().enumerate();
        let points: Vec<Pos2> =
            points.map(|(at, value)| frame.at(AxisSide::Left, (at as f64 * responses.step, *value))).collect();
        stroke_ui(ui.painter(), frame.rect, &points, kind, 1.8, color);
    }
}

/// Returns an axis that fits the curve after. It fits the curve before too, unless that needs much more room, as an unstable
/// loop does.
fn fitting(before: &[f64], after: &[f64], level: Option<f64>) -> Axis {
    let ((low, high), (low_before, high_before)) = (range(after, level), range(before, level));
    let most = MOST * (high - low);
    Axis::fitted(low_before.clamp(low - most, low), high_before.clamp(high, high + most), 0.08, Scale::Linear)
}

/// Returns the range of a curve. The kick of a derivative at the beginning would leave no room for the rest: it is cut, and
/// its height is among the figures.
fn range(values: &[f64], level: Option<f64>) -> (f64, f64) {
    let limits = |values: &[f64]| {
        let finite = values.iter().copied().filter(|value| value.is_finite()).chain(level).chain([0.0]);
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    };
    let (low, high) = limits(values);
    let (low_later, high_later) = limits(values.get(values.len().div_ceil(50)..).unwrap_or_default());
    let most = KICK * (high_later - low_later);
    match most > 0.0 && high - low > most {
        true => (low.max(low_later - 0.5 * most), high.min(high_later + 0.5 * most)),
        false => (low, high),
    }
}
