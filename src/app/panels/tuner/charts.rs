//! The responses of the loop: with the gains of the block in a quiet colour, with those that are suggested in the accent.
//!
//! The responses in time and the Bode plot of the open loop are beside each other; where there is no room for that, a choice
//! shows one of both.

use eframe::egui::{Color32, Id, Pos2, Rect, Sense, Ui, pos2, vec2};

use crate::app::panels::analysis::bode::{self, Bode, LOW_LEFT, TITLE, halves};
use crate::app::store::lab::Suggestion;
use crate::app::ui::chart::{Axis, AxisSide, Labels, LineKind, Scale, Sketch, sketch_ui, stroke_ui};
use crate::app::ui::style;
use crate::app::ui::theme::{TEXT_SMALL, Theme};
use crate::app::ui::widgets::{self, theme_of};
use crate::tuning::Responses;

/// A column of charts has at least this width, and this height, in points.
const NARROWEST: f32 = 130.0;
const LOWEST: f32 = 130.0;
/// Below this width or height a Bode plot is a low one, in points.
const LOW_BODE: [f32; 2] = [300.0, 320.0];
/// The room below the charts, so that those that fit do not scroll, and that of the choice between them.
const GAP: f32 = 2.0;
const CHOICE: f32 = 24.0;
/// The curve before may take the axis this much beyond that of the curve after.
const MOST: f64 = 2.0;
/// A kick that is this much higher than the rest is cut.
const KICK: f64 = 3.0;

/// The charts of a panel without room for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Domain {
    #[default]
    Time,
    Frequency,
}

impl Domain {
    const ALL: [(Domain, &'static str, &'static str); 2] = [
        (Domain::Time, "Responses", "The responses in time"),
        (Domain::Frequency, "Bode", "Gain and phase of the open loop over frequency"),
    ];
}

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

const SET_POINT: Chart = Chart { title: "Set point step", level: Some(1.0), of: |responses| &responses.output };
const DISTURBANCE: Chart =
    Chart { title: "Disturbance step", level: Some(0.0), of: |responses| &responses.disturbance };
const CONTROL: Chart = Chart { title: "Control signal", level: None, of: |responses| &responses.control };

/// Draws all charts beside each other, or those of one domain.
pub fn show_ui(ui: &mut Ui, height: f32, domain: &mut Domain, generation: u64, suggestion: &Suggestion) {
    let width = ui.available_width();
    let mut room = Rect::from_min_size(ui.cursor().min, vec2(width, (height - GAP).max(LOWEST)));
    let id = ui.scope_id().with(generation);
    let all = ui.allocate_rect(room, Sense::hover()).rect;
    if width >= 3.0 * NARROWEST {
        let part = |from: f32, to: f32| {
            let at = |part: f32| all.left() + part * all.width();
            Rect::from_min_max(pos2(at(from), all.top()), pos2(at(to), all.bottom()))
        };
        responses_ui(ui, [part(0.0, 0.31), part(0.31, 0.63)], id, suggestion);
        bode_ui(ui, part(0.63, 1.0), id, suggestion);
        return;
    }
    let choice = Rect::from_min_size(room.min, vec2(width, CHOICE));
    room.min.y += CHOICE;
    ui.scope_builder(eframe::egui::UiBuilder::new().max_rect(choice), |ui| {
        ui.horizontal(|ui| {
            for (each, title, about) in Domain::ALL {
                ui.selectable_value(domain, each, title).on_hover_text(about);
            }
        });
    });
    match domain {
        Domain::Time => {
            let (left, right) = room.split_left_right_at_fraction(0.5);
            responses_ui(ui, [left, right], id, suggestion);
        }
        Domain::Frequency => bode_ui(ui, room, id, suggestion),
    }
}

/// Draws the responses in time in two columns.
fn responses_ui(ui: &Ui, [left, right]: [Rect; 2], id: Id, suggestion: &Suggestion) {
    chart_ui(ui, left, id, &SET_POINT, None, suggestion);
    let [upper, lower] = halves(right);
    let link = Some(id.with("time"));
    chart_ui(ui, upper, id, &DISTURBANCE, link.map(|link| (link, true)), suggestion);
    chart_ui(ui, lower, id, &CONTROL, link.map(|link| (link, false)), suggestion);
}

fn bode_ui(ui: &Ui, rect: Rect, id: Id, suggestion: &Suggestion) {
    let theme = theme_of(ui.ctx());
    let ([before, after], [quiet, accent]) = (&suggestion.open, colors(theme));
    let content = Bode {
        response: after,
        color: accent,
        other: Some((before, quiet)),
        margins: Some(suggestion.tuned.figures.margins),
        is_low: rect.width() < LOW_BODE[0] || rect.height() < LOW_BODE[1],
    };
    bode::show_ui(ui, rect, id.with("open loop"), theme, &content);
}

/// Draws a chart. `link` is the time axis that it shares with another, and whether that one, below, has its numbers.
fn chart_ui(ui: &Ui, rect: Rect, id: Id, chart: &Chart, link: Option<(Id, bool)>, suggestion: &Suggestion) {
    let theme = theme_of(ui.ctx());
    let (before, after) = (&suggestion.before.0, &suggestion.tuned.responses);
    let (top, lower) = rect.split_top_bottom_at_y(rect.top() + TITLE);
    let Chart { title, level, of } = chart;
    let seconds = after.step * after.output.len().saturating_sub(1) as f64;
    let hides_x = link.is_some_and(|(_, hides_x)| hides_x);
    let sketch = Sketch {
        name: title,
        x: Axis::fitted(0.0, seconds, 0.0, Scale::Linear),
        y: fitting(of(before), of(after), *level),
        labels: Labels { x_unit: " s", hides_x, left_width: Some(LOW_LEFT), ..Labels::default() },
        is_square: false,
        link: link.map(|(link, _)| link),
    };
    let (_, frame) = sketch_ui(ui, lower, id.with(*title), &sketch);
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
