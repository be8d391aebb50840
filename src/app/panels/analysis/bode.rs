//! The Bode plot: gain above phase over one frequency axis, the margins of an opened loop on both, and pinned values.

use eframe::egui::{Color32, Id, Pos2, Rect, Response, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::marks::{curve_ui, fitting, guide};
use crate::app::ui::chart::{AxisSide, Frame, Labels, Scale, Sketch, sketch_ui};
use crate::app::ui::theme::{TEXT_SMALL, Theme};
use crate::app::ui::widgets;
use crate::app::ui::{numbers, style};
use crate::engine::{FrequencyPoint, Margins};

/// The most frequencies whose values are pinned.
const MAX_PINS: usize = 4;
/// A click at this distance from a pin, in points, removes it.
const REACH: f32 = 6.0;
/// The part of the height that the gain takes.
const UPPER: f32 = 0.5;
/// The height of the numbers of an axis, in points.
const NUMBERS: f32 = 14.0;

/// The content of a Bode plot.
pub struct Bode<'a> {
    pub response: &'a [FrequencyPoint],
    pub color: Color32,
    /// The response of another loop, drawn below in its colour.
    pub other: Option<(&'a [FrequencyPoint], Color32)>,
    /// The margins of the response, which are marked.
    pub margins: Option<Margins>,
    /// A low plot has its titles above the curves, and short texts.
    pub is_low: bool,
}

/// Of a low plot: the height of a title above the curves, and the width of the left axis, in points.
pub const TITLE: f32 = 16.0;
pub const LOW_LEFT: f32 = 48.0;

/// Returns the places of two low figures over one x axis, whose numbers the lower one has.
pub fn halves(rect: Rect) -> [Rect; 2] {
    let (upper, lower) = rect.split_top_bottom_at_y(rect.center().y - 0.5 * NUMBERS);
    [upper, lower]
}

pub fn show_ui(ui: &Ui, rect: Rect, id: Id, theme: &Theme, bode: &Bode) {
    let [upper, lower] = match bode.is_low {
        true => halves(rect),
        false => rect.split_top_bottom_at_fraction(UPPER).into(),
    };
    let all = || bode.response.iter().chain(bode.other.iter().flat_map(|(other, _)| *other));
    let x = fitting(all().map(|point| point.frequency), 0.0, Scale::Log);
    let mut pins = ui.data(|data| data.get_temp::<Vec<f64>>(id.with("pins"))).unwrap_or_default();
    for curve in [Curve::Gain, Curve::Phase] {
        let points = |of: &[FrequencyPoint]| -> Vec<(f64, f64)> {
            of.iter().map(|point| (point.frequency, curve.value(point))).collect()
        };
        let sketch = Sketch {
            name: curve.name(),
            x,
            y: fitting(all().map(|point| curve.value(point)), 0.1, Scale::Linear),
            labels: curve.labels(bode.is_low),
            is_square: false,
            link: Some(id),
        };
        let place = if curve == Curve::Gain { upper } else { lower };
        let (title, place) = place.split_top_bottom_at_y(place.top() + if bode.is_low { TITLE } else { 0.0 });
        let (response, frame) = sketch_ui(ui, place, id.with(curve.name()), &sketch);
        if bode.is_low {
            let title = title.with_min_x(frame.rect.left());
            widgets::text_in(ui, title, curve.title(), style::strong(TEXT_SMALL), theme.text);
        }
        if curve == Curve::Gain {
            ui.painter_at(frame.rect).hline(frame.rect.x_range(), frame.y_of(AxisSide::Left, 0.0), guide(theme));
        }
        if let Some((other, color)) = bode.other {
            curve_ui(ui, &frame, &points(other), color);
        }
        curve_ui(ui, &frame, &points(bode.response), bode.color);
        let mut taken = Vec::new();
        if let Some(margins) = bode.margins {
            margins_ui(ui, &frame, theme, curve, (bode, margins), &mut taken);
        }
        pin(&response, &frame, &mut pins);
        // All lines are below all texts.
        let values = pins.iter().filter_map(|frequency| Some((*frequency, value_at(bode, curve, *frequency)?)));
        let values: Vec<(f64, f64)> = values.collect();
        values.iter().for_each(|at| pin_line_ui(ui, &frame, theme, *at));
        for at in values {
            pin_text_ui(ui, &frame, theme, curve, at, &mut taken);
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

    /// The title above a low plot.
    fn title(self) -> &'static str {
        match self {
            Curve::Gain => "Open loop: gain, dB",
            Curve::Phase => "Phase, °",
        }
    }

    fn labels(self, is_low: bool) -> Labels {
        let is_lower = self == Curve::Phase;
        let common = Labels { left_is_angle: is_lower, has_decades: true, hides_x: !is_lower, ..Labels::default() };
        if is_low {
            return Labels { left_width: Some(LOW_LEFT), ..common };
        }
        Labels {
            left: format!("{}, {}", self.name(), self.unit().trim()),
            x: if is_lower { "Frequency, rad/s".to_owned() } else { String::new() },
            ..common
        }
    }
}

/// Returns the value of a curve at a frequency, between its points.
fn value_at(bode: &Bode, curve: Curve, frequency: f64) -> Option<f64> {
    let after = bode.response.iter().position(|point| point.frequency >= frequency)?;
    let high = bode.response.get(after)?;
    let Some(low) = after.checked_sub(1).and_then(|before| bode.response.get(before)) else {
        return Some(curve.value(high));
    };
    let width = (high.frequency / low.frequency).ln();
    let part = if width > 0.0 { (frequency / low.frequency).ln() / width } else { 1.0 };
    Some(curve.value(low) + part * (curve.value(high) - curve.value(low)))
}

/// Marks both crossover frequencies, and the margin that this curve shows: the gain at −180°, or the distance of the
/// phase from −180° where the gain is 1.
fn margins_ui(
    ui: &Ui,
    frame: &Frame,
    theme: &Theme,
    curve: Curve,
    (bode, margins): (&Bode, Margins),
    taken: &mut Vec<Rect>,
) {
    let painter = ui.painter_at(frame.rect);
    let thin = Stroke::new(1.0, theme.warning.gamma_multiply(0.6));
    for at in [margins.gain_at, margins.phase_at].into_iter().flatten() {
        painter.vline(frame.x_of(at), frame.rect.y_range(), thin);
    }
    if let (Curve::Gain, true, Some(at)) = (curve, bode.is_low, margins.phase_at) {
        let text = format!("{} rad/s", numbers::digits(at, 3));
        text_ui(ui, frame, theme, (&text, pos2(frame.x_of(at), frame.rect.top() + 11.0)), taken);
    }
    let (at, name, number) = match curve {
        Curve::Gain => {
            let decibels = numbers::digits(20.0 * margins.gain.log10(), 3);
            (margins.gain_at, "Gain margin", format!("{decibels} dB"))
        }
        Curve::Phase => (margins.phase_at, "Phase margin", format!("{}°", numbers::digits(margins.phase, 4))),
    };
    let text = if bode.is_low { number } else { format!("{name} {number}") };
    let Some((at, value)) = at.and_then(|at| Some((at, value_at(bode, curve, at)?))) else { return };
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
    let middle = 0.5 * (from.y + to.y);
    text_ui(ui, frame, theme, (&text, pos2(to.x, middle)), taken);
}

/// Writes a text beside a point of the plot, where it covers no other text, and returns its place.
fn text_ui(ui: &Ui, frame: &Frame, theme: &Theme, (text, beside): (&str, Pos2), taken: &mut Vec<Rect>) -> Rect {
    let painter = ui.painter_at(frame.rect);
    let galley = painter.layout_no_wrap(text.to_owned(), style::plain(TEXT_SMALL), theme.text);
    let size = galley.size();
    let room = frame.rect.shrink(3.0);
    let lowest = (room.bottom() - size.y).max(room.top());
    // To the right of the point or the left, at its height or the nearest free line.
    let lines = (0..8).flat_map(|line: i32| [line, -line]).map(|line| beside.y - 0.5 * size.y + line as f32 * 8.0);
    let places = lines
        .filter(|y| (room.top()..=lowest).contains(y))
        .flat_map(|y| [beside.x + 8.0, beside.x - 8.0 - size.x].map(|x| Rect::from_min_size(pos2(x, y), size)));
    let is_free = |place: &Rect| {
        let (left, right) = (place.left() >= room.left(), place.right() <= room.right());
        left && right && !taken.iter().any(|other| other.intersects(place.expand2(vec2(4.0, 0.0))))
    };
    let fallback = pos2(beside.x + 8.0, (beside.y - 0.5 * size.y).clamp(room.top(), lowest));
    let place = places.into_iter().find(is_free).unwrap_or(Rect::from_min_size(fallback, size));
    painter.rect_filled(place.expand2(vec2(3.0, 1.0)), 3.0, theme.panel.gamma_multiply(0.9));
    painter.galley(place.min, galley, theme.text);
    taken.push(place);
    place
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

fn pin_line_ui(ui: &Ui, frame: &Frame, theme: &Theme, at: (f64, f64)) {
    let painter = ui.painter_at(frame.rect);
    let point = frame.at(AxisSide::Left, at);
    painter.vline(point.x, frame.rect.y_range(), Stroke::new(1.0, theme.accent));
    painter.circle_filled(point, 3.5, theme.accent);
}

fn pin_text_ui(
    ui: &Ui,
    frame: &Frame,
    theme: &Theme,
    curve: Curve,
    (frequency, value): (f64, f64),
    taken: &mut Vec<Rect>,
) {
    let reading = format!("{}{}", numbers::digits(value, 4), curve.unit());
    let text = match curve {
        Curve::Gain => format!("{} rad/s: {reading}", numbers::digits(frequency, 4)),
        Curve::Phase => reading,
    };
    let top = pos2(frame.x_of(frequency), frame.rect.top() + 11.0);
    let room = text_ui(ui, frame, theme, (&text, top), taken);
    let label = ui.interact(room, ui.scope_id().with(("pin", curve.name(), frequency.to_bits())), Sense::hover());
    label.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("Pinned {}: {text}", curve.name())));
}
