//! Drawing functions that the figures of an analysis share: curves, guides, the marks of poles and zeros.

use eframe::egui::{Color32, Pos2, Shape, Stroke, Ui, pos2, vec2};

use crate::app::store::lab::Way;
use crate::app::ui::chart::{Axis, AxisSide, Frame, LineKind, Scale, stroke_ui};
use crate::app::ui::style;
use crate::app::ui::theme::Theme;
use crate::block::math::Complex;

/// Half of the length of a pole's cross.
pub const MARK: f32 = 5.0;

pub fn color(theme: &Theme) -> Color32 {
    theme.curves.first().copied().unwrap_or(theme.accent)
}

/// The colour of reference lines.
pub fn guide(theme: &Theme) -> Stroke {
    Stroke::new(1.0, style::mix(theme.panel, theme.text, 0.35))
}

/// Returns an axis that fits all finite values.
pub fn fitting(values: impl Iterator<Item = f64>, margin: f64, scale: Scale) -> Axis {
    let finite = values.filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    Axis::fitted(low, high, margin, scale)
}

pub fn curve_ui(ui: &Ui, frame: &Frame, points: &[(f64, f64)], color: Color32) {
    let points: Vec<Pos2> = points.iter().map(|point| frame.at(AxisSide::Left, *point)).collect();
    stroke_ui(ui.painter(), frame.rect, &points, LineKind::Solid, 1.6, color);
}

/// Returns roots as points of the plane.
pub fn points(list: &Option<Vec<Complex>>) -> Vec<(f64, f64)> {
    list.iter().flatten().map(|at| (at.re, at.im)).collect()
}

/// Draws the axis of real numbers, and the boundary of stability: the unit circle or the imaginary axis.
pub fn stability_ui(ui: &Ui, frame: &Frame, theme: &Theme, way: &Way) {
    let painter = ui.painter_at(frame.rect);
    painter.hline(frame.rect.x_range(), frame.y_of(AxisSide::Left, 0.0), guide(theme));
    if way.channel.period.is_some() {
        let turn = |part: u32| std::f64::consts::TAU * f64::from(part) / 128.0;
        let circle = (0..=128).map(|part| frame.at(AxisSide::Left, (turn(part).cos(), turn(part).sin())));
        painter.add(Shape::line(circle.collect(), guide(theme)));
    } else {
        painter.vline(frame.x_of(0.0), frame.rect.y_range(), guide(theme));
    }
}

/// Draws a cross at each pole and a circle at each zero.
pub fn marks_ui(ui: &Ui, frame: &Frame, [poles, zeros]: [&[(f64, f64)]; 2], color: Color32) {
    let painter = ui.painter_at(frame.rect);
    let stroke = Stroke::new(1.8, color);
    for at in poles.iter().map(|point| frame.at(AxisSide::Left, *point)) {
        for arm in [vec2(MARK, MARK), vec2(MARK, -MARK)] {
            painter.line_segment([at - arm, at + arm], stroke);
        }
    }
    for at in zeros.iter().map(|point| frame.at(AxisSide::Left, *point)) {
        painter.circle_stroke(pos2(at.x, at.y), MARK, stroke);
    }
}
