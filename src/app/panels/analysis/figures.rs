//! The figures of a linear analysis.

use eframe::egui::{Color32, Id, Pos2, Rect, Shape, Stroke, Ui, pos2, vec2};

use super::{Figure, locus, nichols};
use crate::app::store::lab::Way;
use crate::app::ui::chart::{Axis, AxisSide, Frame, Labels, LineKind, Scale, Sketch, sketch_ui, stroke_ui};
use crate::app::ui::style;
use crate::app::ui::theme::Theme;
use crate::app::ui::widgets::theme_of;
use crate::block::math::Complex;
use crate::engine::TimeResponse;

/// Half of the length of a pole's cross.
pub const MARK: f32 = 5.0;

pub fn show_ui(ui: &mut Ui, figure: Figure, way: &Way, generation: u64) {
    let theme = theme_of(ui.ctx());
    // A sampled value is constant between its steps.
    let line = if way.channel.period.is_some() { LineKind::Stairs } else { LineKind::Solid };
    let id = ui.scope_id().with((generation, figure as u8));
    let rect = ui.available_rect_before_wrap();
    match figure {
        Figure::Bode => bode_ui(ui, rect, id, theme, way),
        Figure::Nyquist => nyquist_ui(ui, rect, id, theme, way),
        Figure::Nichols => nichols::show_ui(ui, rect, id, theme, way),
        Figure::Locus => locus::show_ui(ui, rect, id, theme, way),
        Figure::Poles => poles_ui(ui, rect, id, theme, way),
        Figure::Step => time_ui(ui, rect, id, theme, ("Step response", &way.step), line),
        Figure::Impulse => {
            time_ui(ui, rect, id, theme, ("Impulse response", &way.impulse), line);
        }
    }
    ui.allocate_rect(rect, eframe::egui::Sense::hover());
}

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

fn bode_ui(ui: &Ui, rect: Rect, id: Id, theme: &Theme, way: &Way) {
    // AxisSide by side if the height is too small.
    let (upper, lower) = match rect.height() < 240.0 {
        true => rect.split_left_right_at_fraction(0.5),
        false => rect.split_top_bottom_at_fraction(0.5),
    };
    let response = || way.response.iter();
    let x = fitting(response().map(|point| point.frequency), 0.0, Scale::Log);
    let gains: Vec<(f64, f64)> = response().map(|point| (point.frequency, point.decibels())).collect();
    let phases: Vec<(f64, f64)> = response().map(|point| (point.frequency, point.phase)).collect();
    let figures = [
        (upper, "Gain", "Gain, dB", gains, (0.0, way.margins.phase_at)),
        (lower, "Phase", "Phase, °", phases, (-180.0, way.margins.gain_at)),
    ];
    for (rect, name, title, points, (level, crossing)) in figures {
        let sketch = Sketch {
            name,
            x,
            y: fitting(points.iter().map(|point| point.1), 0.08, Scale::Linear),
            labels: Labels {
                x_unit: " rad/s",
                left: title.to_owned(),
                left_is_angle: name == "Phase",
                ..Labels::default()
            },
            is_square: false,
            link: Some(id),
        };
        let (_, frame) = sketch_ui(ui, rect, id.with(name), &sketch);
        let painter = ui.painter_at(frame.rect);
        painter.hline(frame.rect.x_range(), frame.y_of(AxisSide::Left, level), guide(theme));
        if let Some(crossing) = crossing {
            painter.vline(frame.x_of(crossing), frame.rect.y_range(), Stroke::new(1.0, theme.warning));
        }
        curve_ui(ui, &frame, &points, color(theme));
    }
}

fn nyquist_ui(ui: &Ui, rect: Rect, id: Id, theme: &Theme, way: &Way) {
    // Very large values would leave no room for the rest.
    let near = |point: &(f64, f64)| point.0.hypot(point.1) < 1e3;
    let upper: Vec<(f64, f64)> =
        way.response.iter().map(|point| (point.value.re, point.value.im)).filter(near).collect();
    let lower: Vec<(f64, f64)> = upper.iter().map(|(re, im)| (*re, -im)).collect();
    let all = || upper.iter().chain(&lower).copied().chain([(-1.0, 0.0)]);
    let sketch = Sketch {
        name: "Nyquist plot",
        x: fitting(all().map(|point| point.0), 0.08, Scale::Linear),
        y: fitting(all().map(|point| point.1), 0.08, Scale::Linear),
        labels: Labels::default(),
        is_square: true,
        link: None,
    };
    let (_, frame) = sketch_ui(ui, rect, id, &sketch);
    curve_ui(ui, &frame, &upper, color(theme));
    curve_ui(ui, &frame, &lower, color(theme).gamma_multiply(0.5));
    let painter = ui.painter_at(frame.rect);
    let critical = frame.at(AxisSide::Left, (-1.0, 0.0));
    for arm in [vec2(MARK, 0.0), vec2(0.0, MARK)] {
        painter.line_segment([critical - arm, critical + arm], Stroke::new(1.8, theme.error));
    }
}

/// Returns roots as points of the plane.
pub fn points(list: &Option<Vec<Complex>>) -> Vec<(f64, f64)> {
    list.iter().flatten().map(|at| (at.re, at.im)).collect()
}

fn poles_ui(ui: &Ui, rect: Rect, id: Id, theme: &Theme, way: &Way) {
    let (poles, zeros) = (points(&way.channel.poles), points(&way.channel.zeros));
    // Stable poles are inside the unit circle, or left of the imaginary axis.
    let edge: &[(f64, f64)] = if way.channel.period.is_some() { &[(-1.0, -1.0), (1.0, 1.0)] } else { &[(0.0, 0.0)] };
    let all = || poles.iter().chain(&zeros).chain(edge).copied();
    let sketch = Sketch {
        name: "Poles and zeros",
        x: fitting(all().map(|point| point.0), 0.12, Scale::Linear),
        y: fitting(all().map(|point| point.1), 0.12, Scale::Linear),
        labels: Labels::default(),
        is_square: true,
        link: None,
    };
    let (_, frame) = sketch_ui(ui, rect, id, &sketch);
    stability_ui(ui, &frame, theme, way);
    marks_ui(ui, &frame, [&poles, &zeros], color(theme));
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

fn time_ui(ui: &Ui, rect: Rect, id: Id, theme: &Theme, (name, response): (&str, &TimeResponse), line: LineKind) {
    let points: Vec<(f64, f64)> = response.times.iter().copied().zip(response.values.iter().copied()).collect();
    let sketch = Sketch {
        name,
        x: fitting(points.iter().map(|point| point.0), 0.0, Scale::Linear),
        y: fitting(points.iter().map(|point| point.1), 0.08, Scale::Linear),
        labels: Labels { x_unit: " s", ..Labels::default() },
        is_square: false,
        link: None,
    };
    let (_, frame) = sketch_ui(ui, rect, id, &sketch);
    let points: Vec<Pos2> = points.iter().map(|point| frame.at(AxisSide::Left, *point)).collect();
    stroke_ui(ui.painter(), frame.rect, &points, line, 1.6, color(theme));
}
