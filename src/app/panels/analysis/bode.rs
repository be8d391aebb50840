//! The Bode plot: gain above phase over one frequency axis, the margins of an opened loop on both, and pinned values.

use eframe::egui::{Id, Rect, Response, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::marks::{color, curve_ui, fitting, guide};
use crate::app::store::lab::Way;
use crate::app::ui::chart::{AxisSide, Frame, Labels, Scale, Sketch, sketch_ui};
use crate::app::ui::theme::{TEXT_SMALL, Theme};
use crate::app::ui::{numbers, style};
use crate::engine::{FrequencyPoint, Margins};

/// The most frequencies whose values are pinned.
const MAX_PINS: usize = 4;
/// A click at this distance from a pin, in points, removes it.
const REACH: f32 = 6.0;
/// The part of the height that the gain takes.
const UPPER: f32 = 0.5;

pub fn show_ui(ui: &Ui, rect: Rect, id: Id, theme: &Theme, way: &Way) {
    let (upper, lower) = rect.split_top_bottom_at_fraction(UPPER);
    let x = fitting(way.response.iter().map(|point| point.frequency), 0.0, Scale::Log);
    let mut pins = ui.data(|data| data.get_temp::<Vec<f64>>(id.with("pins"))).unwrap_or_default();
    let margins = way.margins.as_ref().filter(|margins| margins.is_shown).map(|of| of.margins);
    for curve in [Curve::Gain, Curve::Phase] {
        let points: Vec<(f64, f64)> = way.response.iter().map(|point| (point.frequency, curve.value(point))).collect();
        let sketch = Sketch {
            name: curve.name(),
            x,
            y: fitting(points.iter().map(|point| point.1), 0.1, Scale::Linear),
            labels: curve.labels(),
            is_square: false,
            link: Some(id),
        };
        let place = if curve == Curve::Gain { upper } else { lower };
        let (response, frame) = sketch_ui(ui, place, id.with(curve.name()), &sketch);
        if curve == Curve::Gain {
            ui.painter_at(frame.rect).hline(frame.rect.x_range(), frame.y_of(AxisSide::Left, 0.0), guide(theme));
        }
        curve_ui(ui, &frame, &points, color(theme));
        if let Some(margins) = margins {
            margins_ui(ui, &frame, theme, curve, (way, margins));
        }
        pin(&response, &frame, &mut pins);
        for frequency in &pins {
            pin_ui(ui, &frame, theme, curve, (way, *frequency));
        }
    }
    ui.data_mut(|data| data.insert_temp(id.with("pins"), pins));
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Curve {
    Gain,
    Phase,
}

impl Curve {
    fn name(self) -> &'static str {
        match self {
            Curve::Gain => "Gain",
            Curve::Phase => "Phase",
        }
    }

    fn value(self, point: &FrequencyPoint) -> f64 {
        match self {
            Curve::Gain => point.decibels(),
            Curve::Phase => point.phase,
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Curve::Gain => " dB",
            Curve::Phase => "°",
        }
    }

    fn labels(self) -> Labels {
        let is_lower = self == Curve::Phase;
        Labels {
            left: format!("{}, {}", self.name(), self.unit().trim()),
            left_is_angle: is_lower,
            has_decades: true,
            hides_x: !is_lower,
            x: if is_lower { "Frequency, rad/s".to_owned() } else { String::new() },
            ..Labels::default()
        }
    }
}

/// Returns the value of a curve at a frequency, between its points.
fn value_at(way: &Way, curve: Curve, frequency: f64) -> Option<f64> {
    let after = way.response.iter().position(|point| point.frequency >= frequency)?;
    let high = way.response.get(after)?;
    let Some(low) = after.checked_sub(1).and_then(|before| way.response.get(before)) else {
        return Some(curve.value(high));
    };
    let width = (high.frequency / low.frequency).ln();
    let part = if width > 0.0 { (frequency / low.frequency).ln() / width } else { 1.0 };
    Some(curve.value(low) + part * (curve.value(high) - curve.value(low)))
}

/// Marks both crossover frequencies, and the margin that this curve shows: the gain at −180°, or the distance of the
/// phase from −180° where the gain is 1.
fn margins_ui(ui: &Ui, frame: &Frame, theme: &Theme, curve: Curve, (way, margins): (&Way, Margins)) {
    let painter = ui.painter_at(frame.rect);
    let thin = Stroke::new(1.0, theme.warning.gamma_multiply(0.6));
    for at in [margins.gain_at, margins.phase_at].into_iter().flatten() {
        painter.vline(frame.x_of(at), frame.rect.y_range(), thin);
    }
    let (at, text) = match curve {
        Curve::Gain => {
            let decibels = numbers::digits(20.0 * margins.gain.log10(), 3);
            (margins.gain_at, format!("Gain margin {decibels} dB"))
        }
        Curve::Phase => (margins.phase_at, format!("Phase margin {}°", numbers::digits(margins.phase, 4))),
    };
    let Some((at, value)) = at.and_then(|at| Some((at, value_at(way, curve, at)?))) else { return };
    let level = match curve {
        Curve::Gain => 0.0,
        Curve::Phase => value - margins.phase,
    };
    if curve == Curve::Phase {
        painter.hline(frame.rect.x_range(), frame.y_of(AxisSide::Left, level), guide(theme));
    }
    let (from, to) = (frame.at(AxisSide::Left, (at, level)), frame.at(AxisSide::Left, (at, value)));
    painter.line_segment([from, to], Stroke::new(2.0, theme.warning));
    painter.circle_filled(to, 3.0, theme.warning);
    // To the right of the mark where there is room for it.
    let font = style::plain(TEXT_SMALL);
    let galley = painter.layout_no_wrap(text, font, theme.text);
    let is_right = to.x + 8.0 + galley.size().x <= frame.rect.right();
    let x = if is_right { to.x + 8.0 } else { to.x - 8.0 - galley.size().x };
    let middle = 0.5 * (from.y + to.y) - 0.5 * galley.size().y;
    let top = frame.rect.top() + 2.0;
    let y = middle.min(frame.rect.bottom() - galley.size().y - 2.0).max(top);
    let room = Rect::from_min_size(pos2(x, y), galley.size()).expand2(vec2(3.0, 1.0));
    painter.rect_filled(room, 3.0, theme.panel.gamma_multiply(0.9));
    painter.galley(pos2(x, y), galley, theme.text);
}

/// Pins the values at the frequency of a click, or removes a pin there.
fn pin(response: &Response, frame: &Frame, pins: &mut Vec<f64>) {
    let Some(at) = response.interact_pointer_pos().filter(|at| response.clicked() && frame.rect.contains(*at)) else {
        return;
    };
    let count = pins.len();
    pins.retain(|pin| (frame.x_of(*pin) - at.x).abs() > REACH);
    if pins.len() == count {
        pins.push(frame.x_at(at));
        let excess = pins.len().saturating_sub(MAX_PINS);
        pins.drain(..excess);
    }
}

fn pin_ui(ui: &Ui, frame: &Frame, theme: &Theme, curve: Curve, (way, frequency): (&Way, f64)) {
    let Some(value) = value_at(way, curve, frequency) else { return };
    let painter = ui.painter_at(frame.rect);
    let point = frame.at(AxisSide::Left, (frequency, value));
    painter.vline(point.x, frame.rect.y_range(), Stroke::new(1.0, theme.accent));
    painter.circle_filled(point, 3.5, theme.accent);
    let reading = format!("{}{}", numbers::digits(value, 4), curve.unit());
    let text = match curve {
        Curve::Gain => format!("{} rad/s: {reading}", numbers::digits(frequency, 4)),
        Curve::Phase => reading,
    };
    let galley = painter.layout_no_wrap(text.clone(), style::plain(TEXT_SMALL), theme.text);
    let is_right = point.x + 8.0 + galley.size().x <= frame.rect.right();
    let x = if is_right { point.x + 6.0 } else { point.x - 6.0 - galley.size().x };
    let room = Rect::from_min_size(pos2(x, frame.rect.top() + 4.0), galley.size());
    painter.rect_filled(room.expand2(vec2(3.0, 1.0)), 3.0, theme.panel.gamma_multiply(0.9));
    painter.galley(room.min, galley, theme.text);
    let label = ui.interact(room, ui.scope_id().with(("pin", curve.name(), frequency.to_bits())), Sense::hover());
    label.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("Pinned {}: {text}", curve.name())));
}
