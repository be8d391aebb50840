//! The results of both states: the largest difference of each signal, and its curves over each other.

use eframe::egui::{self, Pos2, Rect, ScrollArea, Ui, vec2};

use crate::app::store::both_runs::{BothResults, BothRuns, SignalPair};
use crate::app::ui::chart::{Axis, AxisSide, Labels, LineKind, Scale, Sketch, sketch_ui, stroke_ui};
use crate::app::ui::icons::Icon;
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};

const ROW: f32 = 22.0;
/// The share of the width that the list has.
const LIST: f32 = 0.4;

/// Draws the results of both runs, or how far they are.
pub fn show_ui(ui: &mut Ui, selected: &mut Option<String>, runs: &BothRuns) {
    if runs.is_busy() {
        return widgets::empty_ui(ui, Icon::Search, "Running both…", "You can go on working");
    }
    match runs.found() {
        None => widgets::empty_ui(ui, Icon::Search, "No results yet", "Run both to see what the changes do"),
        Some(Err(problem)) => {
            widgets::empty_ui(ui, Icon::Warning, "Both states could not be run", &widgets::sentence(problem));
        }
        Some(Ok(results)) if results.pairs.is_empty() => {
            let what = "Outputs, scopes and plotted signals are compared";
            widgets::empty_ui(ui, Icon::Search, "There is no signal that both states record", what);
        }
        Some(Ok(results)) => results_ui(ui, selected, results),
    }
}

fn results_ui(ui: &mut Ui, selected: &mut Option<String>, results: &BothResults) {
    let room = ui.available_rect_before_wrap();
    let (list, chart) = room.split_left_right_at_fraction(LIST);
    let shown = results.pairs.iter().find(|pair| Some(&pair.name) == selected.as_ref()).or(results.pairs.first());
    let mut left = ui.new_child(egui::UiBuilder::new().id_salt("signals").max_rect(list));
    list_ui(&mut left, selected, shown, results);
    if let Some(pair) = shown {
        chart_ui(ui, chart.shrink2(vec2(SPACE, 0.0)), pair, results.deltas);
    }
    ui.allocate_rect(room, egui::Sense::hover());
}

fn list_ui(ui: &mut Ui, selected: &mut Option<String>, shown: Option<&SignalPair>, results: &BothResults) {
    let mut about = format!("{} steps of each", results.steps);
    if results.deltas[0].to_bits() != results.deltas[1].to_bits() {
        about.push_str("; their lengths differ, so that equal steps are not equal times");
    }
    if !results.single.is_empty() {
        about.push_str(&format!("; only in one state: {}", results.single.join(", ")));
    }
    ui.label(widgets::weak(ui, about));
    let theme = theme_of(ui.ctx());
    ScrollArea::vertical().auto_shrink(false).show_rows(ui, ROW, results.pairs.len(), |ui, rows| {
        for pair in rows.filter_map(|row| results.pairs.get(row)) {
            let difference = difference_text(pair, results.deltas[1]);
            let is_shown = shown.is_some_and(|shown| shown.name == pair.name);
            let text = format!("{}: {difference}", pair.name);
            let row = widgets::selectable_row_ui(ui, &text, ROW, is_shown, |ui, rect| {
                let mut room = rect.shrink2(vec2(8.0, 0.0));
                room.min.x += widgets::text_in(ui, room, &pair.name, style::plain(TEXT), theme.text) + 12.0;
                widgets::text_in(ui, room, &difference, style::plain(TEXT_SMALL), theme.text_weak);
            });
            if row.clicked() {
                *selected = Some(pair.name.clone());
            }
        }
    });
}

/// The largest difference of a signal, and when it is.
fn difference_text(pair: &SignalPair, delta: f64) -> String {
    let comparison = &pair.comparison;
    if comparison.max_difference == 0.0 {
        return "equal".to_owned();
    }
    let time = comparison.max_difference_at as f64 * delta;
    format!("largest difference {} at {} s", short(comparison.max_difference), short(time))
}

fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.4e}").parse().unwrap_or(value);
    if rounded != 0.0 && !(1e-4..1e6).contains(&rounded.abs()) { format!("{rounded:e}") } else { rounded.to_string() }
}

fn chart_ui(ui: &Ui, rect: Rect, pair: &SignalPair, deltas: [f64; 2]) {
    let theme = theme_of(ui.ctx());
    let points = |side: usize| {
        let values = pair.curves[side].iter().enumerate().filter(|(_, value)| value.is_finite());
        thinned(values.map(|(step, value)| (step as f64 * deltas[side], *value)).collect())
    };
    let curves = [points(0), points(1)];
    let all = || curves.iter().flatten();
    let sketch = Sketch {
        name: "Curves of both states",
        x: fitting(all().map(|point| point.0), 0.0),
        y: fitting(all().map(|point| point.1), 0.08),
        labels: Labels { x_unit: " s", ..Labels::default() },
        is_square: false,
        link: None,
    };
    let (_, frame) = sketch_ui(ui, rect, ui.scope_id().with(("both", &pair.name)), &sketch);
    let colors = [theme.text_weak, theme.accent];
    for (curve, color) in curves.iter().zip(colors) {
        let points: Vec<Pos2> = curve.iter().map(|point| frame.at(AxisSide::Left, *point)).collect();
        stroke_ui(&ui.painter_at(frame.rect), frame.rect, &points, LineKind::Solid, 1.6, color);
    }
    for (line, (name, color)) in ["the other state", "now"].into_iter().zip(colors).enumerate() {
        let corner = frame.rect.left_top() + vec2(10.0, 6.0 + 16.0 * line as f32);
        let room = Rect::from_min_size(corner, vec2(160.0, 14.0));
        widgets::text_in(ui, room, name, style::plain(TEXT_SMALL), color);
    }
}

/// The axis that shows all of these.
fn fitting(values: impl Iterator<Item = f64>, margin: f64) -> Axis {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low > high { Axis::new(0.0, 1.0) } else { Axis::fitted(low, high, margin, Scale::Linear) }
}

/// The points of a curve that are drawn: of many, the least and the greatest of each stretch.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    const STRETCHES: usize = 1000;
    if points.len() <= 2 * STRETCHES {
        return points;
    }
    let stretch = points.len().div_ceil(STRETCHES);
    let extremes = points.chunks(stretch).flat_map(|chunk| {
        let by_value = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let (low, high) = (chunk.iter().min_by(by_value), chunk.iter().max_by(by_value));
        let mut both: Vec<(f64, f64)> = low.into_iter().chain(high).copied().collect();
        both.sort_by(|a, b| a.0.total_cmp(&b.0));
        both
    });
    extremes.collect()
}
