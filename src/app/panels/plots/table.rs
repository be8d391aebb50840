//! Measurements of the curves that are seen, as a table.

use eframe::egui::{self, DragValue, Rect, RichText, ScrollArea, Ui, vec2};

use super::build::{self, Lane, signature, time_axis};
use super::{State, View};
use crate::app::figures::{Figure, Job, Measured, Place, What};
use crate::app::numbers;
use crate::app::plots::{PlotList, name_of};
use crate::app::style;
use crate::app::theme::{SPACE, TEXT_SMALL};
use crate::app::widgets::{self, theme_of};
use crate::measure::{Side, Tolerance};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Values,
    StepResponse,
    Rhythm,
    Cursors,
    Compare,
}

impl Group {
    const ALL: [(Group, &'static str); 5] = [
        (Group::Values, "Values"),
        (Group::StepResponse, "Step response"),
        (Group::Rhythm, "Period"),
        (Group::Cursors, "Cursors"),
        (Group::Compare, "Compare runs"),
    ];

    fn heads(self) -> &'static [&'static str] {
        match self {
            Group::Values => &["Least", "Greatest", "Span", "Mean", "RMS", "Deviation"],
            Group::StepResponse => &["Begin", "Rest", "Rise time", "Overshoot", "Peak", "Peak time", "Settling"],
            Group::Rhythm => &["Period", "Frequency", "Duty", "Periods", "Tops", "Last top"],
            Group::Compare => &["Greatest off", "At", "First beyond", "Beyond", "Samples"],
            Group::Cursors => &["At A", "At B", "B − A", "(B − A)/Δ"],
        }
    }
}

pub const ROW: f32 = 20.0;
const CELL: f32 = 92.0;
const NAME: f32 = 190.0;

/// Curves that have a row.
pub fn rows(list: &PlotList) -> usize {
    list.drawn().len().max(1)
}

pub fn show_ui(ui: &mut Ui, state: &mut State, view: &View, group: Group) {
    let theme = theme_of(ui.ctx());
    let rect = ui.available_rect_before_wrap();
    ui.painter().hline(rect.x_range(), rect.top(), (1.0, theme.line));
    let seen = if state.is_unlinked { state.views.first().map_or(state.time, |v| v.x) } else { state.time };
    let axis = time_axis(seen, view.end);
    let cursors = state.common.cursors.map(|[a, b]| [a.min(b), a.max(b)]);
    let range = cursors.map_or((axis.low, axis.high), |[from, to]| (from, to));
    egui::Frame::new().inner_margin(egui::Margin { left: 10, right: 8, top: 5, bottom: 2 }).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = SPACE;
            for (choice, label) in Group::ALL {
                let text = RichText::new(label).size(TEXT_SMALL);
                if ui.selectable_label(choice == group, text).clicked() {
                    state.table = Some(choice);
                }
            }
            ui.add_space(2.0 * SPACE);
            let (from, to) = (numbers::seconds(range.0), numbers::seconds(range.1));
            let of = if cursors.is_some() { "between the cursors" } else { "of the seen time" };
            if group == Group::Compare {
                tolerance_ui(ui, state);
            } else {
                ui.label(widgets::weak(ui, format!("{of}, {from} to {to}")));
            }
        });
        if group == Group::Compare {
            compare_ui(ui, state, view, range);
            return;
        }
        let source = view.source(theme);
        let spec = all_of(view.list);
        let hidden = &state.common.hidden;
        let lanes = build::lanes(&source, &spec, &|signal| hidden.contains(signal));
        let used: Vec<&Lane> = lanes.iter().filter(|lane| lane.is_own).collect();
        let signature = signature(&What::Measurements, &used, range);
        let job = || {
            let curves = used.iter().map(|lane| (lane.column.clone(), lane.delta)).collect();
            Job { what: What::Measurements, curves, range }
        };
        let figure = state.common.figures.as_mut().and_then(|f| f.get(Place::Measurements, signature, job));
        let measured = match figure.as_deref() {
            Some(Figure::Measurements(measured)) => measured.as_slice(),
            _ => &[],
        };
        ScrollArea::both().id_salt("measured").auto_shrink(false).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            row_ui(ui, None, "", &group.heads().iter().map(|head| (*head).to_owned()).collect::<Vec<_>>());
            for (number, lane) in used.iter().enumerate() {
                let name = name_of(view.simulation, &lane.trace.signal);
                let is_vector = view.recording.columns(&lane.trace.signal).len() > 1;
                let name = if is_vector { format!("{name}[{}]", lane.number) } else { name };
                let nothing = Measured::default();
                let measured = measured.get(number).unwrap_or(&nothing);
                row_ui(ui, Some(lane.color), &name, &cells(group, measured, lane, state.common.cursors));
            }
            if used.is_empty() {
                ui.label(widgets::weak(ui, "Run the simulation to have something to measure"));
            }
        });
    });
}

/// What two runs may differ by.
fn tolerance_ui(ui: &mut Ui, state: &mut State) {
    let Tolerance { absolute, relative } = &mut state.tolerance;
    ui.label(widgets::weak(ui, "Tolerance"));
    let field = ui.add(DragValue::new(absolute).speed(0.001).range(0.0..=f64::MAX).max_decimals(9));
    field.widget_info(|| egui::WidgetInfo::labeled(egui::Role::SpinButton, true, "Absolute tolerance"));
    field.on_hover_text("What samples may differ by");
    ui.label(widgets::weak(ui, "and"));
    let mut percent = *relative * 100.0;
    let field = ui.add(DragValue::new(&mut percent).speed(0.01).range(0.0..=100.0).suffix(" %").max_decimals(6));
    field.widget_info(|| egui::WidgetInfo::labeled(egui::Role::SpinButton, true, "Relative tolerance"));
    field.on_hover_text("What samples may differ by as a part of the reference");
    *relative = percent / 100.0;
}

/// The current run's curves against those of each run that is drawn behind it.
fn compare_ui(ui: &mut Ui, state: &mut State, view: &View, range: (f64, f64)) {
    let theme = theme_of(ui.ctx());
    let spec = all_of(view.list);
    let mut rows = Vec::new();
    for other in view.others {
        for trace in spec.traces.iter().filter(|trace| !state.common.hidden.contains(&trace.signal)) {
            let (own, reference) = (view.recording.columns(&trace.signal), other.recording.columns(&trace.signal));
            for (lane, (column, reference)) in own.iter().zip(reference).enumerate() {
                let name = name_of(view.simulation, &trace.signal);
                let name = if own.len() > 1 { format!("{name}[{lane}]") } else { name };
                let color = build::color_of(view.list, trace, theme);
                rows.push((format!("{name} · {}", other.name), color, column, reference));
            }
        }
    }
    if rows.is_empty() {
        let what = "Run twice, or draw another run beside this one in the Runs panel";
        ui.label(widgets::weak(ui, what));
        return;
    }
    let delta = view.recording.delta;
    let tolerance = state.tolerance;
    let ends: Vec<_> = rows.iter().map(|row| (row.2.steps(), row.3.steps(), row.2.last(), row.3.last())).collect();
    let signature = format!("{tolerance:?} {range:?} {ends:?}");
    let job = || {
        let curves = rows.iter().flat_map(|row| [row.2, row.3]).map(|column| (column.clone(), delta));
        Job { what: What::Compare(tolerance), curves: curves.collect(), range }
    };
    let figure = state.common.figures.as_mut().and_then(|figures| figures.get(Place::Comparison, signature, job));
    let Some(Figure::Compared(found)) = figure.as_deref() else { return };
    ScrollArea::both().id_salt("compared").auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let heads: Vec<String> = Group::Compare.heads().iter().map(|head| (*head).to_owned()).collect();
        row_ui(ui, None, "", &heads);
        for ((name, color, ..), (start, found)) in rows.iter().zip(found) {
            let time = |place: u64| numbers::seconds((start + place) as f64 * delta);
            let cells = [
                numbers::digits(found.greatest, 5),
                if found.greatest > 0.0 { time(found.greatest_at) } else { "–".to_owned() },
                found.first_beyond.map_or_else(|| "never".to_owned(), time),
                numbers::grouped(found.beyond),
                numbers::grouped(found.count),
            ];
            row_ui(ui, Some(*color), name, &cells);
        }
    });
}

/// Each curve once, with how it is drawn first.
fn all_of(list: &PlotList) -> crate::app::plots::PlotSpec {
    let mut all = crate::app::plots::PlotSpec::default();
    for trace in list.plots.iter().flat_map(|plot| &plot.traces) {
        if !all.traces.iter().any(|known| known.signal == trace.signal) {
            all.traces.push(trace.clone());
        }
    }
    all
}

fn row_ui(ui: &mut Ui, color: Option<egui::Color32>, name: &str, cells: &[String]) {
    let theme = theme_of(ui.ctx());
    let size = vec2(NAME + CELL * cells.len() as f32, ROW);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::hover());
    response
        .widget_info(|| egui::WidgetInfo::labeled(egui::Role::Row, true, format!("{name} {}", cells.join(" ")).trim()));
    if let Some(color) = color {
        let swatch = Rect::from_center_size(rect.left_center() + vec2(8.0, 0.0), vec2(10.0, 3.0));
        ui.painter().rect_filled(swatch, 1.5, color);
    }
    let room = Rect::from_min_size(rect.min + vec2(20.0, 0.0), vec2(NAME - 24.0, ROW));
    widgets::text_in(ui, room, name, style::plain(TEXT_SMALL + 0.5), theme.text);
    for (number, text) in cells.iter().enumerate() {
        let right = rect.left() + NAME + CELL * (number + 1) as f32 - 2.0 * SPACE;
        let at = egui::pos2(right, rect.center().y);
        let (font, color) = match color {
            Some(_) => (egui::FontId::monospace(TEXT_SMALL), theme.text),
            None => (style::strong(TEXT_SMALL - 0.5), theme.text_weak),
        };
        ui.painter().text(at, egui::Align2::RIGHT_CENTER, text, font, color);
    }
}

fn cells(group: Group, measured: &Measured, lane: &Lane, cursors: Option<[f64; 2]>) -> Vec<String> {
    let none = || "–".to_owned();
    let number = |value: f64| numbers::digits(value, 5);
    let all = |found: Option<Vec<String>>| found.unwrap_or_else(|| vec![none(); group.heads().len()]);
    match group {
        Group::Values => {
            all(measured.statistics.map(|s| [s.low, s.high, s.span(), s.mean, s.rms, s.deviation].map(number).to_vec()))
        }
        Group::StepResponse => all(measured.step.map(|s| {
            vec![
                number(s.begin),
                number(s.rest),
                numbers::seconds(s.rise_time),
                format!("{} %", numbers::digits(s.overshoot * 100.0, 4)),
                number(s.peak),
                numbers::seconds(s.peak_time),
                s.settling_time.map_or_else(none, numbers::seconds),
            ]
        })),
        Group::Rhythm => {
            let mut cells = match measured.rhythm {
                Some(r) => vec![
                    numbers::seconds(r.period),
                    format!("{} Hz", number(r.frequency)),
                    format!("{} %", numbers::digits(r.duty * 100.0, 4)),
                    r.periods.to_string(),
                ],
                None => vec![none(); 4],
            };
            let mut tops = measured.peaks.iter().filter(|peak| peak.side == Side::Top);
            cells.push(tops.clone().count().to_string());
            cells.push(tops.next_back().map_or_else(none, |peak| number(peak.value)));
            cells
        }
        Group::Compare => Vec::new(),
        Group::Cursors => all(cursors.and_then(|[a, b]| {
            let at = |time: f64| lane.column.at_step((time / lane.delta).round().max(0.0) as u64);
            let (from, to) = (at(a)?, at(b)?);
            Some(vec![number(from), number(to), number(to - from), number((to - from) / (b - a))])
        })),
    }
}
