//! The comparison of the current run with the overlaid runs: each signal recorded in both, step by step.

use eframe::egui::{self, ScrollArea, Ui};

use super::curves;
use super::state::{Group, PlotsPanelState, PlotsPanelView};
use super::table::{Columns, row_ui};
use crate::app::action::{Action, RunAction};
use crate::app::doc::typed;
use crate::app::store::figures::{Computation, Figure, FigureKey, Job};
use crate::app::ui::field::Field;
use crate::app::ui::numbers;
use crate::app::ui::numbers::typed::Wanted;
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets::{self, theme_of};
use crate::engine::Column;
use crate::measure::{Comparison, Tolerance};
use crate::model::SignalKey;

/// The maximum number of rows.
const MAX_SIGNALS: usize = 200;

/// A signal of the current run and of another run.
struct Pair<'a> {
    name: String,
    color: egui::Color32,
    own: &'a Column,
    reference: &'a Column,
    /// The runs have different numbers of elements of it.
    has_other_width: bool,
}

/// Draws the choice of the compared runs and the tolerance.
pub fn head_ui(ui: &mut Ui, state: &mut PlotsPanelState, view: &PlotsPanelView, actions: &mut Vec<Action>) {
    let runs = view.runs;
    let Some(current) = runs.current() else { return };
    let names: Vec<&str> = view.others.iter().map(|other| other.name).collect();
    let shown = if names.is_empty() { "no other run".to_owned() } else { names.join(", ") };
    ui.label(widgets::weak(ui, format!("{} against", current.name)));
    widgets::choice_ui(ui, "Compare with", &shown, 150.0, |ui| {
        for run in runs.iter().rev().filter(|run| run.number != current.number) {
            let is_ghost = runs.ghost().is_some_and(|ghost| ghost.number == run.number);
            let mut is_on = runs.is_overlay(run.number);
            let text = if is_ghost { format!("Previous run ({})", run.name) } else { run.name.clone() };
            if widgets::check_ui(ui, &mut is_on, text).changed() {
                actions.push(Action::Run(RunAction::ToggleOverlay(run.number)));
            }
        }
    });
    ui.add_space(SPACE);
    ui.label(widgets::weak(ui, "Tolerance"));
    let Tolerance { absolute, relative } = state.tolerance;
    let number = |text: &str| typed::number(text).filter(|value| *value >= 0.0);
    let problem = |text: &str| if number(text).is_none() { Some("A number, 0 or more".to_owned()) } else { None };
    type Part = fn(&mut Tolerance) -> &mut f64;
    let rows: [(&str, &str, &str, f64, Part); 2] = [
        ("Absolute tolerance", "and", "Allowed difference of two samples", absolute, |tolerance| {
            &mut tolerance.absolute
        }),
        (
            "Relative tolerance",
            "×",
            "Allowed difference as a fraction of the other run's sample",
            relative,
            |tolerance| &mut tolerance.relative,
        ),
    ];
    for (label, sign, about, value, part) in rows {
        let typed = ui
            .scope(|ui| {
                ui.set_max_width(64.0);
                let (value, width) = (text_of(value), 56.0);
                let field = Field::new(label, &value).width(width).number(Wanted::One);
                field.text_ui(ui, &mut state.editing, &problem)
            })
            .inner;
        ui.label(widgets::weak(ui, sign)).on_hover_text(about);
        if let Some(value) = typed.and_then(|text| number(&text)) {
            *part(&mut state.tolerance) = value;
        }
    }
}

/// Formats a number; small ones as 1e-9.
fn text_of(value: f64) -> String {
    if value != 0.0 && value < 1e-3 { format!("{value:e}") } else { value.to_string() }
}

/// Draws a row for each signal and other run; a click shows the first step that differs.
pub fn show_ui(
    ui: &mut Ui,
    state: &mut PlotsPanelState,
    view: &PlotsPanelView,
    range: (f64, f64),
    actions: &mut Vec<Action>,
) {
    let (pairs, left_out) = pairs(view, ui);
    if pairs.is_empty() {
        let what = match view.others.is_empty() {
            true => "Run again, or choose another run above; signals recorded in both runs are compared step by step",
            false => "The runs have no recorded signal in common",
        };
        ui.label(widgets::weak(ui, what));
        return;
    }
    let delta = view.recording.delta;
    let tolerance = state.tolerance;
    let of = |column: &Column| (column.generation(), column.steps());
    let columns: Vec<_> = pairs.iter().map(|pair| (of(pair.own), of(pair.reference))).collect();
    let signature = format!("{tolerance:?} {range:?} {columns:?}");
    let job = || {
        let curves = pairs.iter().flat_map(|pair| [pair.own, pair.reference]).map(|column| (column.clone(), delta));
        Job { what: Computation::Compare(tolerance), curves: curves.collect(), range }
    };
    let figure = state.common.figures.as_mut().and_then(|figures| figures.get(FigureKey::Comparison, signature, job));
    let Some(Figure::Compared(found)) = figure.as_deref() else {
        ui.label(widgets::weak(ui, "Comparing…"));
        return;
    };
    let theme = theme_of(ui.ctx());
    let columns = Columns::of(Group::Compare, ui.available_width());
    ScrollArea::both().id_salt("compared").auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let heads: Vec<String> = Group::Compare.heads().iter().map(|head| (*head).to_owned()).collect();
        row_ui(ui, columns, None, "", &heads, None);
        for (pair, (start, found)) in pairs.iter().zip(found) {
            let (verdict, color) = match found {
                found if found.first_exceeded.is_some() => ("out of tolerance", theme.error),
                found if found.max_difference > 0.0 => ("within tolerance", theme.success),
                _ => ("identical", theme.success),
            };
            let cells = cells(verdict, found, *start, delta);
            let row = row_ui(ui, columns, Some(pair.color), &pair.name, &cells, Some(color));
            let step = found.first_exceeded.or((found.max_difference > 0.0).then_some(found.max_difference_at));
            let mut about = match step {
                Some(step) => format!("Click to show step {}", numbers::grouped(start + step)),
                None => "No step differs".to_owned(),
            };
            if pair.has_other_width {
                about.push_str("\nThe runs have different numbers of elements; only common elements are compared");
            }
            if row.on_hover_text(about).clicked() {
                actions.extend(step.map(|step| Action::Run(RunAction::ChooseStep(Some(start + step)))));
            }
        }
        if left_out > 0 {
            ui.label(widgets::weak(ui, format!("and {left_out} more, not shown")));
        }
    });
}

fn cells(verdict: &str, found: &Comparison, start: u64, delta: f64) -> Vec<String> {
    let time = |index: u64| numbers::seconds((start + index) as f64 * delta);
    vec![
        verdict.to_owned(),
        if found.max_difference.is_infinite() { "∞".to_owned() } else { numbers::digits(found.max_difference, 5) },
        if found.max_difference > 0.0 { time(found.max_difference_at) } else { "–".to_owned() },
        found.first_exceeded.map_or_else(|| "never".to_owned(), time),
        numbers::grouped(found.exceeded),
        numbers::grouped(found.count),
    ]
}

/// Returns the signals recorded in both runs, plotted ones first, and the number of those without a row.
fn pairs<'a>(view: &'a PlotsPanelView, ui: &Ui) -> (Vec<Pair<'a>>, usize) {
    let theme = theme_of(ui.ctx());
    let mut signals: Vec<&SignalKey> = Vec::new();
    let drawn = view.list.plots.iter().flat_map(|plot| &plot.traces).map(|trace| &trace.signal);
    for signal in drawn.chain(view.recording.signals().map(|(signal, _)| signal)) {
        if !signals.contains(&signal) {
            signals.push(signal);
        }
    }
    let left_out = signals.len().saturating_sub(MAX_SIGNALS);
    signals.truncate(MAX_SIGNALS);
    let mut pairs = Vec::new();
    let source = view.source(theme);
    for other in view.others {
        for signal in &signals {
            let (own, reference) = (view.recording.columns(signal), other.recording.columns(signal));
            let color = match view.list.contains(signal) {
                true => super::color_of(view.list, signal, theme),
                false => curves::pale(theme),
            };
            for (curve, (column, reference_column)) in own.iter().zip(reference).enumerate() {
                let name = source.element_name(signal, curve);
                pairs.push(Pair {
                    name: format!("{name} · {}", other.name),
                    color,
                    own: column,
                    reference: reference_column,
                    has_other_width: own.len() != reference.len(),
                });
            }
        }
    }
    (pairs, left_out)
}
