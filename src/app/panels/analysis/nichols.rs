//! The Nichols chart: gain over phase of the open loop, with lines on which the closed loop has one magnitude or phase.

use eframe::egui::{Align2, Id, Pos2, Rect, Stroke, Ui, vec2};

use super::marks::{MARK, color, curve_ui, fitting};
use crate::app::store::lab::Way;
use crate::app::ui::chart::{Axis, AxisSide, Frame, Labels, LineKind, Scale, Sketch, sketch_ui, stroke_ui};
use crate::app::ui::theme::{TEXT_SMALL, Theme};
use crate::app::ui::{numbers, style};
use crate::block::math::{Complex, ComplexMath as _};
use crate::engine::FrequencyPoint;

/// The magnitudes of the closed loop, in dB, and its phases, in degrees, that have a line.
const MAGNITUDES: [f64; 13] = [12.0, 6.0, 3.0, 2.0, 1.0, 0.5, 0.0, -1.0, -3.0, -6.0, -12.0, -20.0, -40.0];
const PHASES: [f64; 7] = [-10.0, -30.0, -60.0, -90.0, -120.0, -150.0, -170.0];
/// The gains that are shown at most, in dB.
const GAINS: (f64, f64) = (-60.0, 60.0);
/// The distance from the pointer, in points, at which a point of the curve is read.
const REACH: f32 = 24.0;

pub fn show_ui(ui: &Ui, rect: Rect, id: Id, theme: &Theme, way: &Way) {
    let points: Vec<(f64, f64)> = way.response.iter().map(|point| (point.phase, point.decibels())).collect();
    let seen = || points.iter().filter(|(_, gain)| (GAINS.0..=GAINS.1).contains(gain));
    // The critical point and the lines about it are always seen.
    let phases = seen().map(|point| point.0).chain([-190.0, -80.0]);
    let gains = seen().map(|point| point.1).chain([-20.0, 20.0]);
    let sketch = Sketch {
        name: "Nichols chart",
        x: fitting(phases, 0.06, Scale::Linear),
        y: fitting(gains, 0.06, Scale::Linear),
        labels: Labels {
            x_unit: "°",
            x_is_angle: true,
            left: "Gain of the open loop, dB".to_owned(),
            ..Labels::default()
        },
        is_square: false,
        link: None,
    };
    let (response, frame) = sketch_ui(ui, rect, id, &sketch);
    grid_ui(ui, &frame, theme);
    curve_ui(ui, &frame, &points, color(theme));
    let painter = ui.painter_at(frame.rect);
    for turn in turns(&frame.x) {
        let critical = frame.at(AxisSide::Left, (turn - 180.0, 0.0));
        for arm in [vec2(MARK, 0.0), vec2(0.0, MARK)] {
            painter.line_segment([critical - arm, critical + arm], Stroke::new(1.8, theme.error));
        }
    }
    let Some(at) = response.hover_pos().filter(|at| frame.rect.contains(*at)) else { return };
    let place = |point: &FrequencyPoint| frame.at(AxisSide::Left, (point.phase, point.decibels()));
    let away = |point: &FrequencyPoint| place(point).distance(at);
    let nearest = way.response.iter().filter(|point| away(point).is_finite());
    let Some(point) = nearest.min_by(|one, other| away(one).total_cmp(&away(other))) else { return };
    if away(point) <= REACH {
        painter.circle_filled(place(point), 4.0, color(theme));
        response.on_hover_text_at_pointer(reading(point));
    }
}

/// Returns the frequency of a point, and gain and phase of the open and the closed loop there.
fn reading(point: &FrequencyPoint) -> String {
    let closed = point.closed();
    let digits = |value: f64| numbers::digits(value, 4);
    format!(
        "ω {} rad/s\nOpen loop {} dB, {}°\nClosed loop {} dB, {}°",
        digits(point.frequency),
        digits(point.decibels()),
        digits(point.phase),
        digits(20.0 * closed.abs().log10()),
        digits(closed.angle().to_degrees()),
    )
}

/// Returns the whole turns whose lines, from −360° to 0°, are on an axis.
fn turns(x: &Axis) -> Vec<f64> {
    let (first, last) = ((x.low / 360.0).ceil(), (x.high / 360.0).ceil());
    let count = (last - first).clamp(0.0, 20.0) as u32;
    (0..=count).map(|turn| (first + f64::from(turn)) * 360.0).collect()
}

/// Returns the phase, from −360° to 0°, and the gain in dB of the open loop whose closed loop is `magnitude` at an angle.
fn open_loop(magnitude: f64, angle: f64) -> (f64, f64) {
    let closed = Complex::on_unit_circle(angle) * magnitude;
    let open = closed.divided_by(-closed + 1.0);
    let phase = open.angle().to_degrees();
    (if phase > 0.0 { phase - 360.0 } else { phase }, 20.0 * open.abs().log10())
}

/// Draws the lines of the closed loop, and the magnitude at each.
fn grid_ui(ui: &Ui, frame: &Frame, theme: &Theme) {
    let line = style::mix(theme.panel, theme.text, 0.22);
    let pale = style::mix(theme.panel, theme.text, 0.13);
    let painter = ui.painter_at(frame.rect);
    let font = style::plain(TEXT_SMALL - 1.5);
    let mut taken: Vec<Rect> = Vec::new();
    let turns = turns(&frame.x);
    for phase in PHASES.into_iter().flat_map(|phase| [phase, -360.0 - phase]) {
        // From small magnitudes of the closed loop to large ones.
        let points = (0..=480).map(|part| 10_f64.powf(-4.0 + 7.0 * f64::from(part) / 480.0));
        let points: Vec<(f64, f64)> = points.map(|size| open_loop(size, phase.to_radians())).collect();
        for turn in &turns {
            contour_ui(ui, frame, &points, *turn, pale);
        }
    }
    for decibels in MAGNITUDES {
        let size = 10_f64.powf(decibels / 20.0);
        // A line about the critical point, or one from −360° to 0°; at 0 dB it ends at infinity.
        let points = (0..=720).map(|part| open_loop(size, -std::f64::consts::TAU * f64::from(part) / 720.0));
        let points: Vec<(f64, f64)> = points.filter(|(_, gain)| gain.is_finite()).collect();
        let text = format!("{decibels} dB").replace('-', "−");
        for turn in &turns {
            contour_ui(ui, frame, &points, *turn, line);
            // The name stands at the top of a closed line, and where an open one leaves the chart at the right.
            let place = |point: &(f64, f64)| frame.at(AxisSide::Left, (point.0 + turn, point.1));
            let seen = points.iter().map(place).filter(|at| frame.rect.shrink(8.0).contains(*at));
            let named: Option<(Pos2, Align2)> = match decibels > 0.0 {
                true => seen.min_by(|one, other| one.y.total_cmp(&other.y)).map(|at| (at, Align2::CENTER_CENTER)),
                false => seen.max_by(|one, other| one.x.total_cmp(&other.x)).map(|at| (at, Align2::RIGHT_CENTER)),
            };
            let Some((at, align)) = named else { continue };
            let galley = painter.layout_no_wrap(text.clone(), font.clone(), theme.text_weak);
            let room = align.anchor_size(at, galley.size()).expand(1.0);
            if !taken.iter().any(|other| other.intersects(room)) {
                painter.rect_filled(room, 2.0, theme.panel);
                painter.galley(room.min + vec2(1.0, 1.0), galley, theme.text_weak);
                taken.push(room);
            }
        }
    }
}

/// Draws a line, which ends where its phase jumps from one end of the turn to the other.
fn contour_ui(ui: &Ui, frame: &Frame, points: &[(f64, f64)], turn: f64, color: eframe::egui::Color32) {
    for part in points.chunk_by(|one, other| (one.0 - other.0).abs() < 180.0) {
        let part: Vec<Pos2> = part.iter().map(|point| frame.at(AxisSide::Left, (point.0 + turn, point.1))).collect();
        stroke_ui(ui.painter(), frame.rect, &part, LineKind::Solid, 1.0, color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// L = T/(1 − T): T = −1 is L = −1/2; T = i is L = i/(1 − i), of size 1/√2 at 135° = −225°.
    #[test]
    fn lines_are_those_of_the_closed_loop() {
        for (size, angle, phase, gain) in
            [(1.0, -180.0, -180.0, 0.5_f64), (1.0, 90.0, -225.0, 0.5_f64.sqrt()), (0.5, 0.0, 0.0, 1.0)]
        {
            let (found_phase, found_gain) = open_loop(size, f64::to_radians(angle));
            assert!((found_phase - phase).abs() < 1e-9, "{found_phase} is not {phase}");
            assert!((found_gain - 20.0 * gain.log10()).abs() < 1e-9, "{found_gain} is not that of {gain}");
        }
    }

    #[test]
    fn turns_cover_the_axis() {
        assert_eq!(turns(&Axis::new(-200.0, -80.0)), [0.0]);
        assert_eq!(turns(&Axis::new(-400.0, 10.0)), [-360.0, 0.0, 360.0]);
    }
}
