//! The table of measurements of the visible curves.

use eframe::egui::{self, Rect, RichText, ScrollArea, Ui, vec2};

use super::axes::time_axis;
use super::compare;
use super::computed::signature;
use super::curves;
use super::curves::ElementCurve;
use super::state::{Group, PlotsPanelState, PlotsPanelView};
use crate::app::action::Action;
use crate::app::doc::plots::PlotList;
use crate::app::store::figures::{Computation, Figure, FigureKey, Job, Measured};
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::app::ui::{numbers, style};
use crate::measure::{Distortion, PeakKind};

pub const ROW: f32 = 20.0;
/// The space above the first row.
pub const HEAD: f32 = 58.0;

/// The width of the choices of a comparison.
const COMPARE_HEAD: f32 = 600.0;

/// The widths of a table's columns: the names take the width that the cells leave.
#[derive(Clone, Copy)]
pub struct Columns {
    name: f32,
    cell: f32,
}

impl Columns {
    /// Returns those of a table of this width; one that is narrower than its texts is scrolled.
    pub fn of(group: Group, width: f32) -> Columns {
        const MIN_NAME: f32 = 150.0;
        let count = group.heads().len() as f32;
        let least = if group == Group::Compare { 100.0 } else { 88.0 };
        let cell = ((width - MIN_NAME) / count).clamp(least, 150.0);
        Columns { name: (width - cell * count).clamp(MIN_NAME, 400.0), cell }
    }
}

/// Returns the number of rows.
pub fn rows(list: &PlotList) -> usize {
    list.drawn().len().max(1)
}

pub fn show_ui(
    ui: &mut Ui,
    state: &mut PlotsPanelState,
    view: &PlotsPanelView,
    group: Group,
    actions: &mut Vec<Action>,
) {
    let theme = theme_of(ui.ctx());
    let rect = ui.available_rect_before_wrap();
    ui.painter().hline(rect.x_range(), rect.top(), (1.0, theme.line));
    let seen = if state.is_unlinked { state.views.first().map_or(state.time, |v| v.x) } else { state.time };
    let axis = time_axis(seen, view.end, state.kept(view.list, 0));
    let both = state.cursors(view.list);
    let cursors = both.map(|[a, b]| [a.min(b), a.max(b)]);
    let range = cursors.map_or((axis.low, axis.high), |[from, to]| (from, to));
    egui::Frame::new().inner_margin(egui::Margin { left: 10, right: 8, top: 5, bottom: 2 }).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = SPACE;
            for (choice, label) in Group::ALL {
                let text = RichText::new(label).size(TEXT_SMALL);
                if ui.selectable_label(choice == group, text).clicked() {
                    state.table = Some(choice);
                }
            }
            ui.add_space(2.0 * SPACE);
            let (from, to) = (numbers::seconds(range.0), numbers::seconds(range.1));
            let of = if cursors.is_some() { "between the cursors" } else { "in the visible range" };
            if group == Group::Compare {
                // In a narrow panel the choices have a line of their own.
                if ui.available_size_before_wrap().x < COMPARE_HEAD {
                    ui.end_row();
                }
                compare::head_ui(ui, state, view, actions);
                ui.add_space(SPACE);
            }
            ui.label(widgets::weak(ui, format!("{of}, {from} to {to}")));
        });
        if group == Group::Compare {
            compare::show_ui(ui, state, view, range, actions);
            return;
        }
        let source = view.source(theme);
        let spec = all_of(view.list);
        let curves = curves::curves(&source, &spec);
        let used: Vec<&ElementCurve> = curves.iter().filter(|curve| curve.is_own).collect();
        let what = if group == Group::Distortion { Computation::Distortion } else { Computation::Measurements };
        let signature = signature(&what, &used, range);
        let job = || {
            let curves = used.iter().map(|curve| (curve.column.clone(), curve.delta)).collect();
            Job { what, curves, range }
        };
        let figure = state.common.figures.as_mut().and_then(|f| f.get(FigureKey::Measurements, signature, job));
        let (measured, distorted) = match figure.as_deref() {
            Some(Figure::Measurements(measured)) => (measured.as_slice(), [].as_slice()),
            Some(Figure::Distortion(distorted)) => ([].as_slice(), distorted.as_slice()),
            _ => ([].as_slice(), [].as_slice()),
        };
        let columns = Columns::of(group, ui.available_width());
        ScrollArea::both().id_salt("measured").auto_shrink(false).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let heads: Vec<String> = group.heads().iter().map(|head| (*head).to_owned()).collect();
            let head = row_ui(ui, columns, None, "", &heads, None);
            if let Some(about) = group.about() {
                head.on_hover_text(about);
            }
            for (number, curve) in used.iter().enumerate() {
                let name = source.element_name(&curve.trace.signal, curve.number);
                let nothing = Measured::default();
                let measured = measured.get(number).unwrap_or(&nothing);
                let cells = match group {
                    Group::Distortion => distortion_cells(distorted.get(number).copied().flatten()),
                    _ => cells(group, measured, curve, both),
                };
                row_ui(ui, columns, Some(curve.color), &name, &cells, None);
            }
            if used.is_empty() {
                ui.label(widgets::weak(ui, "Run the simulation to measure its curves"));
            }
        });
    });
}

/// Returns each curve once, in the style of its first plot.
fn all_of(list: &PlotList) -> crate::app::doc::plots::PlotSpec {
    let mut all = crate::app::doc::plots::PlotSpec::default();
    for trace in list.plots.iter().flat_map(|plot| &plot.traces) {
        if !all.traces.iter().any(|known| known.signal == trace.signal) {
            all.traces.push(trace.clone());
        }
    }
    all
}

/// Draws a row: a name with its colour, and cells; `first` colours the first cell. Without a colour it is the
/// header.
pub fn row_ui(
    ui: &mut Ui,
    columns: Columns,
    color: Option<egui::Color32>,
    name: &str,
    cells: &[String],
    first: Option<egui::Color32>,
) -> egui::Response {
    let theme = theme_of(ui.ctx());
    let size = vec2(columns.name + columns.cell * cells.len() as f32, ROW);
    let sense = if first.is_some() { egui::Sense::click() } else { egui::Sense::hover() };
    let (rect, response) = ui.allocate_exact_size(size, sense);
    response
        .widget_info(|| egui::WidgetInfo::labeled(egui::Role::Row, true, format!("{name} {}", cells.join(" ")).trim()));
    if first.is_some() && (response.hovered() || response.has_focus()) {
        ui.painter().rect_filled(rect, 4.0, style::mix(theme.panel, theme.accent, 0.08));
    }
    if let Some(color) = color {
        let swatch = Rect::from_center_size(rect.left_center() + vec2(8.0, 0.0), vec2(10.0, 3.0));
        ui.painter().rect_filled(swatch, 1.5, color);
    }
    let room = Rect::from_min_size(rect.min + vec2(20.0, 0.0), vec2(columns.name - 24.0, ROW));
    widgets::text_in(ui, room, name, style::plain(TEXT_SMALL + 0.5), theme.text);
    for (number, text) in cells.iter().enumerate() {
        let right = rect.left() + columns.name + columns.cell * (number + 1) as f32 - 2.0 * SPACE;
        let at = egui::pos2(right, rect.center().y);
        let (font, color) = match color {
            Some(_) => (egui::FontId::monospace(TEXT_SMALL), first.filter(|_| number == 0).unwrap_or(theme.text)),
            None => (style::strong(TEXT_SMALL - 0.5), theme.text_weak),
        };
        ui.painter().text(at, egui::Align2::RIGHT_CENTER, text, font, color);
    }
    response
}

/// Returns dashes for a curve that is not a sine.
fn distortion_cells(found: Option<Distortion>) -> Vec<String> {
    let Some(found) = found else { return vec!["–".to_owned(); Group::Distortion.heads().len()] };
    let decibels = |value: f64| format!("{} dB", numbers::digits(value, 4));
    vec![
        format!("{} Hz", numbers::digits(found.frequency, 5)),
        numbers::digits(found.amplitude, 5),
        format!("{} %", numbers::digits(found.thd * 100.0, 4)),
        decibels(found.sinad),
        decibels(found.snr),
        decibels(found.sfdr),
        format!("{} bit", numbers::digits(found.bits(), 3)),
    ]
}

fn cells(group: Group, measured: &Measured, curve: &ElementCurve, cursors: Option<[f64; 2]>) -> Vec<String> {
    let none = || "–".to_owned();
    let number = |value: f64| numbers::digits(value, 5);
    let all = |found: Option<Vec<String>>| found.unwrap_or_else(|| vec![none(); group.heads().len()]);
    match group {
        Group::Values => all(measured
            .statistics
            .map(|s| [s.low, s.high, s.peak_to_peak(), s.mean, s.rms, s.std_dev].map(number).to_vec())),
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
        Group::Periodicity => {
            let mut cells = match measured.periodicity {
                Some(r) => vec![
                    numbers::seconds(r.period),
                    format!("{} Hz", number(r.frequency)),
                    format!("{} %", numbers::digits(r.duty * 100.0, 4)),
                    r.periods.to_string(),
                ],
                None => vec![none(); 4],
            };
            let mut tops = measured.peaks.iter().filter(|peak| peak.side == PeakKind::Top);
            cells.push(tops.clone().count().to_string());
            cells.push(tops.next_back().map_or_else(none, |peak| number(peak.value)));
            cells
        }
        Group::Compare | Group::Distortion => Vec::new(),
        Group::Cursors => all(cursors.and_then(|[a, b]| {
            let at = |time: f64| curve.column.at_step((time / curve.delta).round().max(0.0) as u64);
            let (from, to) = (at(a)?, at(b)?);
            Some(vec![number(from), number(to), number(to - from), number((to - from) / (b - a))])
        })),
    }
}
