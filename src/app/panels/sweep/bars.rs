//! The effects of the parameters, or their shares of the variance, as bars with their 95 % intervals.

use eframe::egui::{self, Align2, Color32, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use crate::app::store::lab::{Ensemble, IndexSet};
use crate::app::ui::chart::Axis;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::app::ui::{numbers, style};
use crate::engine::SweepMeasure;

/// Heights of the legend, of a parameter, and of the numbers below.
const LEGEND: f32 = 22.0;
const ROW: [f32; 2] = [46.0, 68.0];
const BELOW: f32 = 22.0;
/// The height of a bar as a part of that of its parameter.
const BAR: f32 = 0.28;
const GAP: f32 = 3.0;
/// Width of the numbers at the right.
const NUMBERS: f32 = 64.0;
/// Half the height of the ends of an interval.
const CAP: f32 = 3.5;
/// The distance between the numbers of the axis.
const APART: f32 = 84.0;

/// A bar with its interval, if it has one.
struct Bar {
    value: f64,
    interval: Option<[f64; 2]>,
}

/// A parameter with its two bars; the more it does the higher it stands.
struct BarRow {
    name: String,
    bars: [Bar; 2],
}

/// Returns the names of the two bars, and what they mean.
fn series(set: &IndexSet) -> [[&'static str; 2]; 2] {
    match set {
        IndexSet::Effects(_) => [
            ["µ*", "The mean of the absolute values of its effects, over its whole range"],
            ["σ", "Their standard deviation: it is not linear, or acts together with others"],
        ],
        IndexSet::Shares(_) => [["S1", "Its share of the variance alone"], ["ST", "Its share together with others"]],
    }
}

fn rows(ensemble: &Ensemble, set: &IndexSet) -> Vec<BarRow> {
    let bars: Vec<[Bar; 2]> = match set {
        IndexSet::Effects(found) => {
            let effects = found.effects.iter();
            let bars = effects.map(|effect| {
                let mean = Bar { value: effect.mean_abs, interval: Some(effect.interval) };
                [mean, Bar { value: effect.deviation, interval: None }]
            });
            bars.collect()
        }
        IndexSet::Shares(found) => {
            let indices = found.indices.iter();
            let bars = indices.map(|index| {
                let first = Bar { value: index.first, interval: Some(index.first_interval) };
                [first, Bar { value: index.total, interval: Some(index.total_interval) }]
            });
            bars.collect()
        }
    };
    let names = ensemble.runs.varied.iter().map(|vary| vary.path.clone());
    let mut rows: Vec<BarRow> = names.zip(bars).map(|(name, bars)| BarRow { name, bars }).collect();
    let order = |row: &BarRow| match set {
        IndexSet::Effects(_) => -row.bars[0].value,
        IndexSet::Shares(_) => -row.bars[1].value,
    };
    rows.sort_by(|one, other| order(one).total_cmp(&order(other)));
    rows
}

pub(super) fn bars_ui(ui: &mut Ui, measure: SweepMeasure, ensemble: &Ensemble) {
    let measure = SweepMeasure::ALL.iter().position(|one| *one == measure).unwrap_or(0);
    let Some(set) = ensemble.indices.get(measure) else {
        ui.horizontal(|ui| {
            ui.add_space(2.0 * SPACE);
            let text = if ensemble.is_going_on {
                "They are computed when all runs are finished"
            } else {
                "No run is finished"
            };
            ui.label(widgets::weak(ui, text));
        });
        return;
    };
    let rows = rows(ensemble, set);
    if rows.iter().flat_map(|row| &row.bars).all(|bar| !bar.value.is_finite()) {
        ui.horizontal(|ui| {
            ui.add_space(2.0 * SPACE);
            ui.label(widgets::weak(ui, "The result is the same in all runs, or no sample is complete"));
        });
        return;
    }
    legend_ui(ui, ensemble, set);
    egui::ScrollArea::vertical().id_salt("bars").auto_shrink(false).show(ui, |ui| chart_ui(ui, set, &rows));
}

/// Returns the colours of the two bars.
fn colors(ui: &Ui) -> [Color32; 2] {
    let theme = theme_of(ui.ctx());
    [theme.curves[0], theme.curves[1]]
}

fn legend_ui(ui: &mut Ui, ensemble: &Ensemble, set: &IndexSet) {
    ui.horizontal(|ui| {
        ui.set_height(LEGEND);
        ui.add_space(2.0 * SPACE);
        for ([name, what], color) in series(set).into_iter().zip(colors(ui)) {
            let (mark, _) = ui.allocate_exact_size(vec2(10.0, 10.0), Sense::hover());
            ui.painter().rect_filled(mark, 2, color);
            ui.label(name).on_hover_text(what);
            ui.add_space(SPACE);
        }
        let (used, all) = (set.used(), ensemble.runs.draws);
        let of = if used as u64 == all { String::new() } else { format!(" of {all}") };
        let what = if matches!(set, IndexSet::Effects(_)) { "trajectories" } else { "samples" };
        ui.label(widgets::weak(ui, format!("{used}{of} {what}, with 95 % intervals")));
    });
}

fn chart_ui(ui: &mut Ui, set: &IndexSet, rows: &[BarRow]) {
    let theme = theme_of(ui.ctx());
    let font = style::plain(TEXT);
    let small = style::plain(TEXT_SMALL);
    let width = ui.available_width();
    let name_width = |row: &BarRow| ui.painter().layout_no_wrap(row.name.clone(), font.clone(), theme.text).size().x;
    let names = rows.iter().map(name_width).fold(0.0, f32::max).min(0.3 * width) + 3.0 * SPACE;
    let [least, most] = ROW;
    let row_height = ((ui.available_height() - BELOW) / rows.len().max(1) as f32).clamp(least, most).floor();
    let height = row_height * rows.len() as f32;
    let (all, _) = ui.allocate_exact_size(vec2(width, height + BELOW), Sense::hover());
    let left = all.left() + 2.0 * SPACE + names;
    let room = Rect::from_min_max(pos2(left, all.top()), pos2(all.right() - NUMBERS, all.top() + height));
    let ends =
        rows.iter().flat_map(|row| &row.bars).flat_map(|bar| bar.interval.into_iter().flatten().chain([bar.value]));
    let ends = ends.filter(|end| end.is_finite());
    let (low, high) = ends.fold((0.0f64, 0.0f64), |(low, high), end| (low.min(end), high.max(end)));
    let axis = match set {
        // Shares of a whole.
        IndexSet::Shares(_) => Axis::new(low.min(0.0), high.max(1.0)),
        IndexSet::Effects(_) => Axis::new(0.0, 1.05 * high),
    };
    let bar_height = (BAR * row_height).round();
    let x = |value: f64| room.left() + axis.part(value) as f32 * room.width();
    let painter = ui.painter();
    for tick in axis.ticks(room.width(), APART).into_iter().filter(|tick| tick.is_main) {
        let at = x(tick.value).round() + 0.5;
        let color = if tick.value == 0.0 { theme.outline } else { theme.line };
        painter.vline(at, room.y_range(), Stroke::new(1.0, color));
        let number = axis.number(tick.value, room.width(), APART);
        painter.text(pos2(at, room.bottom() + SPACE), Align2::CENTER_TOP, number, small.clone(), theme.text_weak);
    }
    for (number, row) in rows.iter().enumerate() {
        let top = room.top() + row_height * number as f32;
        let whole = Rect::from_min_size(pos2(all.left(), top), vec2(all.width(), row_height));
        let response = ui.interact(whole, ui.scope_id().with(("bar", number)), Sense::hover());
        let text = text_of(set, row);
        response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, &text));
        response.on_hover_text(&text);
        let name = Rect::from_min_max(pos2(all.left() + 2.0 * SPACE, top), pos2(left - SPACE, top + row_height));
        widgets::text_in(ui, name, &row.name, font.clone(), theme.text);
        for (place, (bar, color)) in row.bars.iter().zip(colors(ui)).enumerate() {
            let center = top + 0.5 * row_height + (place as f32 - 0.5) * (bar_height + GAP);
            bar_ui(ui, &x, bar, (center, bar_height), color);
            let value = match set {
                _ if !bar.value.is_finite() => "–".to_owned(),
                IndexSet::Shares(_) => format!("{:.3}", bar.value),
                IndexSet::Effects(_) => numbers::digits(bar.value, 4),
            };
            let at = pos2(all.right() - 3.0 * SPACE, center);
            ui.painter().text(at, Align2::RIGHT_CENTER, value, small.clone(), theme.text_weak);
        }
    }
}

fn bar_ui(ui: &Ui, x: &impl Fn(f64) -> f32, bar: &Bar, (center, height): (f32, f32), color: Color32) {
    let theme = theme_of(ui.ctx());
    if bar.value.is_finite() {
        let (from, to) = (x(0.0), x(bar.value));
        let rect = Rect::from_min_max(
            pos2(from.min(to), center - 0.5 * height),
            pos2(from.max(to).max(from.min(to) + 1.0), center + 0.5 * height),
        );
        ui.painter().rect_filled(rect, 2, color);
    }
    let Some([low, high]) = bar.interval.filter(|[low, high]| low.is_finite() && high.is_finite()) else { return };
    let stroke = Stroke::new(1.2, theme.text);
    let (low, high) = (x(low), x(high));
    ui.painter().hline(low..=high, center, stroke);
    for end in [low, high] {
        ui.painter().vline(end, center - CAP..=center + CAP, stroke);
    }
}

/// Returns the numbers of a parameter as a text.
fn text_of(set: &IndexSet, row: &BarRow) -> String {
    let number = |value: f64| numbers::digits(value, 4);
    let one = |(bar, [name, _]): (&Bar, [&str; 2])| {
        let interval = bar.interval.map(|[low, high]| format!(" ({} to {})", number(low), number(high)));
        format!("{name} = {}{}", number(bar.value), interval.unwrap_or_default())
    };
    let bars: Vec<String> = row.bars.iter().zip(series(set)).map(one).collect();
    format!("{}: {}", row.name, bars.join(", "))
}
