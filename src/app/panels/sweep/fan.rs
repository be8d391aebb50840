//! The figure of a sweep: the curves of all runs, in the colours of one of the parameters, over the bands of random runs.

use eframe::egui::{self, Align2, Color32, Pos2, Rect, Ui, pos2, vec2};

use super::SweepState;
use crate::app::store::lab::{Bands, Ensemble};
use crate::app::ui::chart::{Axis, AxisSide, Labels, LineKind, Scale, Sketch, band_ui, sketch_ui, stroke_ui};
use crate::app::ui::theme::{SPACE, TEXT_SMALL, Theme};
use crate::app::ui::widgets::{self, theme_of};
use crate::app::ui::{numbers, style};
use crate::engine::Values;

/// The maximum number of single curves; the bands cover all runs.
const MAX_CURVES: usize = 200;
/// Height of the legend above the figure.
const LEGEND: f32 = 26.0;

pub fn fan_ui(ui: &mut Ui, state: &mut SweepState, ensemble: &Ensemble) {
    let theme = theme_of(ui.ctx());
    let color = theme.curves.first().copied().unwrap_or(theme.accent);
    let Bands { times, values } = &ensemble.bands;
    let stride = ensemble.curves.len().div_ceil(MAX_CURVES).max(1);
    let curves = || ensemble.curves.iter().step_by(stride);
    let finite = |values: &[f64]| values.iter().copied().filter(|value| value.is_finite()).collect::<Vec<f64>>();
    let all: Vec<f64> =
        values.iter().flat_map(|values| finite(values)).chain(curves().flat_map(|m| finite(&m.values))).collect();
    let (low, high) = all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
    let end = times.last().copied().filter(|end| *end > 0.0).unwrap_or(1.0);
    let sketch = Sketch {
        name: "Curves of all runs",
        x: Axis::new(0.0, end),
        y: Axis::fitted(low, high, 0.08, Scale::Linear),
        labels: Labels { x_unit: " s", ..Labels::default() },
        is_square: false,
        link: None,
    };
    let all_room = ui.available_rect_before_wrap();
    let scale = ColorScale::of(ensemble, state.colored_by, theme);
    if let Some(scale) = &scale {
        let row = Rect::from_min_size(all_room.min, vec2(all_room.width(), LEGEND));
        legend_ui(ui, row, state, ensemble, scale);
    }
    let rect = Rect::from_min_max(
        pos2(all_room.left(), all_room.top() + if scale.is_some() { LEGEND } else { 0.0 }),
        all_room.max,
    );
    let id = ui.scope_id().with(("fan", state.generation));
    let (response, frame) = sketch_ui(ui, rect, id, &sketch);
    let painter = ui.painter_at(frame.rect);
    // The range, the 5 to 95 % band, the interquartile band: of runs that differ by chance, not of those on a grid.
    let is_random = ensemble.runs.draws > 1 || scale.is_none();
    for (low, high, strength) in [(0, 6, 0.10), (1, 5, 0.14), (2, 4, 0.20)].into_iter().filter(|_| is_random) {
        if let (Some(low), Some(high)) = (values.get(low), values.get(high)) {
            let edges = times.iter().zip(low.iter().zip(high));
            let edges: Vec<(f64, f64, f64)> = edges.map(|(time, (low, high))| (*time, *low, *high)).collect();
            band_ui(&painter, &frame, &edges, color.gamma_multiply(strength));
        }
    }
    let line = |values: &[f64], color: Color32, width: f32| {
        let points: Vec<_> = times.iter().zip(values).map(|(x, y)| frame.at(AxisSide::Left, (*x, *y))).collect();
        match points[..] {
            // Only the last step was kept.
            [point] => drop(painter.circle_filled(point, 1.5 + width, color)),
            _ => stroke_ui(&painter, frame.rect, &points, LineKind::Solid, width, color),
        }
    };
    for curve in curves() {
        match &scale {
            Some(scale) => line(&curve.values, scale.color_of(ensemble, curve.run), 1.2),
            None => line(&curve.values, color.gamma_multiply(0.35), 1.0),
        }
    }
    if let Some(middle) = values.get(3).filter(|_| is_random) {
        line(middle, color, 2.0);
    }
    if let Some(curve) = state.chosen.and_then(|chosen| ensemble.curves.get(chosen)) {
        line(&curve.values, theme.text, 2.4);
    }
    if let Some(at) = response.interact_pointer_pos().filter(|at| response.clicked() && frame.rect.contains(*at)) {
        state.chosen = ensemble.nearest(frame.x_at(at), frame.y_at(AxisSide::Left, at));
    }
    ui.allocate_rect(all_room, egui::Sense::hover());
}

/// The colours of the curves by the value of one parameter.
struct ColorScale {
    /// The index of the parameter.
    param: usize,
    low: f64,
    high: f64,
    ends: [Color32; 3],
}

impl ColorScale {
    /// Returns the scale of a parameter; none if it has only one value.
    fn of(ensemble: &Ensemble, param: usize, theme: &Theme) -> Option<ColorScale> {
        let param = param.min(ensemble.runs.varied.len().checked_sub(1)?);
        let (low, high) = match &ensemble.runs.varied.get(param)?.values {
            Values::List(values) => {
                let ends = (f64::INFINITY, f64::NEG_INFINITY);
                values.iter().fold(ends, |(low, high), value| (low.min(*value), high.max(*value)))
            }
            Values::Uniform { low, high } | Values::LogUniform { low, high } => (*low, *high),
            // Values further away have the colours of the ends.
            Values::Normal { mean, deviation } => (mean - 2.0 * deviation, mean + 2.0 * deviation),
        };
        // From blue over violet to orange: in this order also for those who see red and green alike.
        let ends = [theme.curves[0], theme.curves[3], theme.curves[1]];
        (high > low).then_some(ColorScale { param, low, high, ends })
    }

    fn at(&self, value: f64) -> Color32 {
        let part = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0) as f32;
        let [first, middle, last] = self.ends;
        match part < 0.5 {
            true => style::mix(first, middle, 2.0 * part),
            false => style::mix(middle, last, 2.0 * part - 1.0),
        }
    }

    fn color_of(&self, ensemble: &Ensemble, run: u64) -> Color32 {
        ensemble.runs.values(run).get(self.param).map_or(self.ends[0], |value| self.at(*value))
    }
}

/// Draws the scale of colours with its ends, and the choice of the parameter if there are several.
fn legend_ui(ui: &mut Ui, row: Rect, state: &mut SweepState, ensemble: &Ensemble, scale: &ColorScale) {
    let theme = theme_of(ui.ctx());
    let mut inside =
        ui.new_child(egui::UiBuilder::new().max_rect(row).layout(egui::Layout::left_to_right(egui::Align::Center)));
    let ui = &mut inside;
    ui.add_space(2.0 * SPACE);
    let name = |index: usize| ensemble.runs.varied.get(index).map_or("", |vary| &vary.path);
    if ensemble.runs.varied.len() > 1 {
        widgets::choice_ui(ui, "Coloured by", name(scale.param), 160.0, |ui| {
            for index in 0..ensemble.runs.varied.len() {
                ui.selectable_value(&mut state.colored_by, index, name(index));
            }
        });
    } else {
        ui.label(name(scale.param));
    }
    ui.label(widgets::weak(ui, numbers::digits(scale.low, 4)));
    let (bar, response) = ui.allocate_exact_size(vec2(140.0, 9.0), egui::Sense::hover());
    let parts: u8 = 35;
    for part in 0..parts {
        let from = f32::from(part) / f32::from(parts);
        let left: Pos2 = pos2(bar.left() + from * bar.width(), bar.top());
        let cell = Rect::from_min_size(left, vec2(bar.width() / f32::from(parts) + 0.5, bar.height()));
        let value = scale.low + (scale.high - scale.low) * f64::from(from);
        ui.painter().rect_filled(cell.intersect(bar), 0, scale.at(value));
    }
    response.on_hover_text(format!("The colour of a curve is the value of {}", name(scale.param)));
    ui.label(widgets::weak(ui, numbers::digits(scale.high, 4)));
    let shown = ensemble.curves.len().div_ceil(ensemble.curves.len().div_ceil(MAX_CURVES).max(1));
    if shown < ensemble.curves.len() {
        let text = format!("{shown} of {} curves", ensemble.curves.len());
        ui.painter().text(
            row.right_center() - vec2(SPACE * 2.0, 0.0),
            Align2::RIGHT_CENTER,
            text,
            style::plain(TEXT_SMALL),
            theme.text_weak,
        );
    }
}
