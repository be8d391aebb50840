//! The root locus: the poles of the closed loop over its gain.

use eframe::egui::{Align2, Id, Pos2, Rect, Stroke, StrokeKind, Ui, pos2, vec2};

use super::complex_text;
use super::marks::{color, fitting, marks_ui, points, stability_ui};
use crate::app::store::lab::Way;
use crate::app::ui::chart::{AxisSide, Frame, Labels, LineKind, Scale, Sketch, sketch_ui, stroke_ui};
use crate::app::ui::theme::{TEXT_SMALL, Theme};
use crate::app::ui::{numbers, style};
use crate::block::math::{Complex, ComplexMath as _};
use crate::engine::RootLocus;

/// The damping ratios that have a line.
const DAMPING: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];
/// The distance from the pointer, in points, at which a root is read.
const REACH: f32 = 24.0;

pub fn show_ui(ui: &Ui, rect: Rect, id: Id, theme: &Theme, way: &Way) {
    let Some(locus) = &way.locus else {
        let text = "There is no root locus: the input does not reach the output, or there are no poles or too many";
        ui.painter().text(rect.center(), Align2::CENTER_CENTER, text, style::plain(TEXT_SMALL), theme.text_weak);
        return;
    };
    let (poles, zeros) = (points(&way.channel.poles), points(&way.channel.zeros));
    let middle = Complex::from(if way.channel.period.is_some() { 1.0 } else { 0.0 });
    let edge: &[(f64, f64)] = if way.channel.period.is_some() { &[(-1.0, -1.0), (1.0, 1.0)] } else { &[(0.0, 0.0)] };
    let near = locus.branches.iter().flatten().filter(|root| (**root - middle).abs() <= locus.reach);
    let all: Vec<(f64, f64)> =
        poles.iter().chain(&zeros).chain(edge).copied().chain(near.map(|root| (root.re, root.im))).collect();
    let sketch = Sketch {
        name: "Root locus plot",
        x: fitting(all.iter().map(|point| point.0), 0.08, Scale::Linear),
        y: fitting(all.iter().map(|point| point.1), 0.08, Scale::Linear),
        labels: Labels::default(),
        is_square: true,
        link: None,
    };
    let (response, frame) = sketch_ui(ui, rect, id, &sketch);
    stability_ui(ui, &frame, theme, way);
    damping_ui(ui, &frame, theme, way.channel.period.is_some());
    for (number, branch) in locus.branches.iter().enumerate() {
        let color = theme.curves.get(number % theme.curves.len().max(1)).copied().unwrap_or(theme.accent);
        for part in branch.split(|root| !root.re.is_finite()) {
            let part: Vec<Pos2> = part.iter().map(|root| place(&frame, *root)).collect();
            stroke_ui(ui.painter(), frame.rect, &part, LineKind::Solid, 1.6, color);
        }
    }
    marks_ui(ui, &frame, [&poles, &zeros], theme.text);
    let painter = ui.painter_at(frame.rect);
    for root in way.channel.closed_poles(1.0).into_iter().flatten() {
        square_ui(&painter, place(&frame, root), theme);
    }
    legend_ui(ui, &frame, theme);
    let Some(at) = response.hover_pos().filter(|at| frame.rect.contains(*at)) else { return };
    let Some((index, root)) = nearest(locus, &frame, at) else { return };
    // All roots at this gain belong together.
    for root in locus.branches.iter().filter_map(|branch| branch.get(index)).filter(|root| root.re.is_finite()) {
        painter.circle(place(&frame, *root), 4.0, color(theme), Stroke::new(1.0, theme.panel));
    }
    let gain = locus.gains.get(index).copied().unwrap_or_default();
    let (frequency, damping) = way.channel.damping(root);
    let digits = |value: f64, count| numbers::digits(value, count);
    let (frequency, damping) = (digits(frequency, 4), digits(damping, 3));
    let text = format!("Gain {}\nPole {}\nω {frequency} rad/s, ζ {damping}", digits(gain, 4), complex_text(root));
    response.on_hover_text_at_pointer(text);
}

fn place(frame: &Frame, root: Complex) -> Pos2 {
    frame.at(AxisSide::Left, (root.re, root.im))
}

/// Returns the root that is nearest to the pointer, and the index of its gain.
fn nearest(locus: &RootLocus, frame: &Frame, at: Pos2) -> Option<(usize, Complex)> {
    let roots = locus.branches.iter().flat_map(|branch| branch.iter().copied().enumerate());
    let away = |root: Complex| place(frame, root).distance(at);
    let close = roots.filter(|(_, root)| away(*root) <= REACH);
    close.min_by(|one, other| away(one.1).total_cmp(&away(other.1)))
}

fn square_ui(painter: &eframe::egui::Painter, at: Pos2, theme: &Theme) {
    let square = Rect::from_center_size(at, vec2(8.0, 8.0));
    painter.rect(square, 1.0, theme.panel, Stroke::new(1.8, theme.warning), StrokeKind::Middle);
}

/// Draws the legend of the squares.
fn legend_ui(ui: &Ui, frame: &Frame, theme: &Theme) {
    let painter = ui.painter_at(frame.rect);
    let galley = painter.layout_no_wrap("gain 1".to_owned(), style::plain(TEXT_SMALL - 0.5), theme.text_weak);
    let size = galley.size() + vec2(22.0, 6.0);
    let room = Rect::from_min_size(frame.rect.right_top() + vec2(-size.x - 6.0, 6.0), size);
    painter.rect_filled(room, 4.0, theme.panel);
    square_ui(&painter, room.left_center() + vec2(9.0, 0.0), theme);
    painter.galley(pos2(room.left() + 18.0, room.center().y - galley.size().y / 2.0), galley, theme.text_weak);
}

/// Draws the lines on which poles have the same damping ratio: rays from 0, or spirals from 1 for a discrete system.
fn damping_ui(ui: &Ui, frame: &Frame, theme: &Theme, is_discrete: bool) {
    let line = style::mix(theme.panel, theme.text, 0.16);
    let painter = ui.painter_at(frame.rect);
    for damping in DAMPING {
        let fall = damping / (1.0 - damping * damping).sqrt();
        let upper: Vec<(f64, f64)> = if is_discrete {
            let turn = |part: u32| std::f64::consts::PI * f64::from(part) / 96.0;
            let point = |angle: f64| ((-fall * angle).exp() * angle.cos(), (-fall * angle).exp() * angle.sin());
            (0..=96).map(|part| point(turn(part))).collect()
        } else {
            // As far as the chart reaches.
            let (x, y) = (frame.x.low.abs().max(frame.x.high.abs()), frame.left.low.abs().max(frame.left.high.abs()));
            let length = 2.0 * x.hypot(y);
            vec![(0.0, 0.0), (-damping * length, (1.0 - damping * damping).sqrt() * length)]
        };
        for side in [1.0, -1.0] {
            let part: Vec<Pos2> = upper.iter().map(|(re, im)| frame.at(AxisSide::Left, (*re, side * im))).collect();
            stroke_ui(ui.painter(), frame.rect, &part, LineKind::Solid, 1.0, line);
        }
        let named = name_at(frame, &upper, is_discrete);
        let Some(at) = named.filter(|at| frame.rect.shrink(8.0).contains(*at)) else { continue };
        let galley = painter.layout_no_wrap(format!("{damping}"), style::plain(TEXT_SMALL - 1.5), theme.text_weak);
        let room = Align2::CENTER_CENTER.anchor_size(at, galley.size()).expand(1.0);
        painter.rect_filled(room, 2.0, theme.panel);
        painter.galley(room.min + vec2(1.0, 1.0), galley, theme.text_weak);
    }
}

/// Returns where the name of a line stands: a third of the way round a spiral, or where a ray leaves the chart.
fn name_at(frame: &Frame, line: &[(f64, f64)], is_discrete: bool) -> Option<Pos2> {
    if is_discrete {
        return line.get(line.len() / 3).map(|point| frame.at(AxisSide::Left, *point));
    }
    let [from, to] = line else { return None };
    let (from, to) = (frame.at(AxisSide::Left, *from), frame.at(AxisSide::Left, *to));
    let way = to - from;
    let inside = frame.rect.shrink(14.0);
    if !inside.contains(from) {
        return None;
    }
    let left = if way.x < 0.0 { (inside.left() - from.x) / way.x } else { f32::INFINITY };
    let top = if way.y < 0.0 { (inside.top() - from.y) / way.y } else { f32::INFINITY };
    let part = left.min(top);
    (part.is_finite() && part >= 0.0).then(|| from + way * part)
}
