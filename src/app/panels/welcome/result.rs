//! The curves of an example on its card. While the card is hovered they draw themselves, with a dot at the end.

use eframe::egui::{Pos2, Rect, Ui, pos2};

use crate::app::store::example_results::{ExampleResult, ResultCurve, ResultPoint};
use crate::app::ui::chart::stroke_ui;
use crate::app::ui::style;
use crate::app::ui::theme::Theme;

/// Seconds in which the curves of a hovered card draw themselves.
const DURATION: f64 = 2.0;
const WIDTH: f32 = 1.3;
const DOT: f32 = 3.0;

/// How far the curves of a card are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Playing {
    /// They are drawn whole.
    No,
    /// Up to this part of the run, from 0 to 1, with a dot at the end.
    UpTo(f32),
}

impl Playing {
    /// Returns how far they are drawn so many seconds after the pointer came.
    pub fn after(seconds: f64) -> Playing {
        Playing::UpTo((seconds / DURATION).clamp(0.0, 1.0) as f32)
    }
}

/// Draws the curves into a rectangle; asks for the next frame while they draw themselves.
pub fn show_ui(ui: &Ui, rect: Rect, result: &ExampleResult, playing: Playing, theme: &Theme) {
    let at = |point: &ResultPoint| pos2(rect.left() + point.x * rect.width(), rect.bottom() - point.y * rect.height());
    let room = rect.expand(WIDTH + DOT);
    let mut dots = Vec::new();
    for curve in &result.curves {
        let color = theme.curves.get(curve.color % theme.curves.len()).copied().unwrap_or(theme.accent);
        let color = style::mix(color, theme.canvas, 0.72 * curve.fade);
        let drawn = drawn(curve, playing);
        let points: Vec<Pos2> = drawn.iter().map(at).collect();
        stroke_ui(ui.painter(), room, &points, curve.line, WIDTH, color);
        if playing != Playing::No {
            dots.extend(points.last().filter(|point| !point.any_nan()).map(|point| (*point, color)));
        }
    }
    // Above all curves.
    for (at, color) in dots {
        ui.painter().circle_filled(at, DOT, color);
    }
    if matches!(playing, Playing::UpTo(part) if part < 1.0) {
        ui.ctx().request_repaint();
    }
}

/// Returns the points that are drawn already, the last between two of the curve.
fn drawn(curve: &ResultCurve, playing: Playing) -> Vec<ResultPoint> {
    let Playing::UpTo(end) = playing else { return curve.points.clone() };
    let count = curve.points.iter().take_while(|point| point.part <= end).count();
    let mut points = curve.points.get(..count).unwrap_or_default().to_vec();
    if let (Some(from), Some(to)) = (points.last().copied(), curve.points.get(count)) {
        let share = (end - from.part) / (to.part - from.part);
        let between = |from: f32, to: f32| from + (to - from) * share;
        points.push(ResultPoint { part: end, x: between(from.x, to.x), y: between(from.y, to.y) });
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::ui::chart::LineKind;

    #[test]
    fn a_curve_ends_between_its_points_while_it_is_drawn() {
        let point = |part, x, y| ResultPoint { part, x, y };
        let points = vec![point(0.0, 0.0, 0.0), point(0.5, 0.5, 1.0), point(1.0, 1.0, 0.0)];
        let curve = ResultCurve { points: points.clone(), color: 0, fade: 0.0, line: LineKind::Solid };
        assert_eq!(drawn(&curve, Playing::No), points);
        assert_eq!(drawn(&curve, Playing::after(10.0)), points);
        let half = drawn(&curve, Playing::UpTo(0.75));
        assert_eq!(half, [points[0], points[1], point(0.75, 0.75, 0.5)]);
    }
}
