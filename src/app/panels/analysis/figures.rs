//! The figures of a linear analysis.

use eframe::egui::{Id, Pos2, Rect, Stroke, Ui, vec2};

use super::bode::Bode;
use super::marks::{MARK, color, curve_ui, fitting, marks_ui, points, stability_ui};
use super::{Figure, bode, locus, nichols};
use crate::app::store::lab::Way;
use crate::app::ui::chart::{AxisSide, Labels, LineKind, Scale, Sketch, sketch_ui, stroke_ui};
use crate::app::ui::theme::Theme;
use crate::app::ui::widgets::theme_of;
use crate::engine::TimeResponse;

pub fn show_ui(ui: &mut Ui, figure: Figure, way: &Way, generation: u64) {
    let theme = theme_of(ui.ctx());
    // A sampled value is constant between its steps.
    let line = if way.channel.period.is_some() { LineKind::Stairs } else { LineKind::Solid };
    let id = ui.scope_id().with((generation, figure as u8));
    let rect = ui.available_rect_before_wrap();
    match figure {
        Figure::Bode => {
            let margins = way.margins.as_ref().filter(|margins| margins.is_shown).map(|of| of.margins);
            let content = Bode { response: &way.response, color: color(theme), other: None, margins, is_low: false };
            bode::show_ui(ui, rect, id, theme, &content);
        }
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
