//! The Sweep panel: varied parameters, progress, curves of all runs.

use eframe::egui::{self, Color32, Ui, vec2};

use crate::app::action::{Action, LabAction};
use crate::app::doc::derived::Derived;
use crate::app::store::lab::{Bands, Ensemble};
use crate::app::ui::chart::{Axis, AxisSide, Labels, LineKind, Scale, Sketch, band_ui, sketch_ui, stroke_ui};
use crate::app::ui::icons::Icon;
use crate::app::ui::numbers;
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets::{self, theme_of};
use crate::engine::{Runs, Vary, VaryError};
use crate::model::{SignalKey, Simulation};

/// A varied parameter, as typed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    pub path: String,
    pub values: String,
}

pub struct SweepState {
    pub rows: Vec<Row>,
    pub draws: u64,
    pub seed: u64,
    pub signal: Option<SignalKey>,
    /// The index of the selected curve.
    pub chosen: Option<usize>,
    /// Counts sweeps; the figure is fitted to each new one.
    pub generation: u64,
    /// Why the sweep cannot start.
    pub problem: Option<SweepProblem>,
}

/// Why a sweep cannot start.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum SweepProblem {
    #[error("Choose what to vary: select a block and add one of its parameters")]
    NothingVaries,
    #[error(transparent)]
    Values(#[from] VaryError),
    #[error("For more than {0} runs use the command line: simulate sweep")]
    TooMany(u64),
    #[error("No signal is selected: plot a signal, or add an exit")]
    NoSignal,
    /// The background job has told so.
    #[error("{0}")]
    Refused(String),
}

impl Default for SweepState {
    fn default() -> SweepState {
        let (rows, signal, chosen, problem) = (Vec::new(), None, None, None);
        SweepState { rows, draws: 1, seed: 0, signal, chosen, generation: 0, problem }
    }
}

impl SweepState {
    /// # Errors
    /// Fails if a row is invalid, or there is none.
    pub fn runs(&self) -> Result<Runs, SweepProblem> {
        let rows = self.rows.iter().filter(|row| !row.path.trim().is_empty());
        let varied = rows.map(|row| Vary::parse(&format!("{}={}", row.path, row.values)));
        let varied = varied.collect::<Result<Vec<_>, _>>()?;
        if varied.is_empty() {
            return Err(SweepProblem::NothingVaries);
        }
        Ok(Runs { varied, draws: self.draws.max(1), seed: self.seed })
    }
}

pub struct SweepView<'a> {
    pub simulation: &'a Simulation,
    pub derived: &'a Derived,
    /// The paths and values of the selected block's scalar parameters.
    pub params: &'a dyn Fn() -> Vec<(String, f64)>,
    /// The signals to choose from: the exits and the plotted ones.
    pub signals: &'a [SignalKey],
    pub ensemble: Option<&'a Ensemble>,
}

/// The maximum number of single curves; the bands cover all runs.
const MAX_CURVES: usize = 80;

pub fn show_ui(ui: &mut Ui, state: &mut SweepState, view: &SweepView) -> Vec<Action> {
    let mut actions = Vec::new();
    if state.signal.is_none() {
        state.signal = view.signals.first().cloned();
    }
    let (left, height) = (330.0_f32.min(ui.available_width() * 0.45), ui.available_height());
    ui.horizontal_top(|ui| {
        ui.allocate_ui_with_layout(vec2(left, height), egui::Layout::top_down(egui::Align::Min), |ui| {
            egui::ScrollArea::vertical().id_salt("sweep").auto_shrink(false).show(ui, |ui| {
                widgets::panel_frame().show(ui, |ui| settings_ui(ui, state, view, &mut actions));
            });
        });
        ui.vertical(|ui| match view.ensemble {
            Some(ensemble) => fan_ui(ui, state, ensemble),
            None => {
                let what = "Runs execute in parallel in the background; their curves are drawn together";
                widgets::empty_ui(ui, Icon::Curve, "No sweep yet", what);
            }
        });
    });
    actions
}

fn settings_ui(ui: &mut Ui, state: &mut SweepState, view: &SweepView, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    match view.ensemble.filter(|ensemble| ensemble.is_going_on) {
        Some(ensemble) => {
            let part = ensemble.done() as f32 / ensemble.count.max(1) as f32;
            let text = format!("{} of {}", ensemble.done(), ensemble.count);
            ui.add(egui::ProgressBar::new(part).text(text));
            if ui.button("Cancel").on_hover_text("Finished runs are kept").clicked() {
                actions.push(Action::Lab(LabAction::StopSweep));
            }
        }
        None => {
            let count = state.runs().ok().and_then(|runs| runs.count());
            let text = count.map_or_else(|| "Run all".to_owned(), |count| format!("Run all {count}"));
            if widgets::main_button_ui(ui, &text).clicked() {
                actions.push(Action::Lab(LabAction::Sweep));
            }
        }
    }
    if let Some(problem) = &state.problem {
        ui.colored_label(theme.error, problem.to_string());
    }
    outcome_ui(ui, state, view, actions);
    ui.add_space(SPACE);
    let mut gone = None;
    for (number, row) in state.rows.iter_mut().enumerate() {
        ui.horizontal(|ui| {
            let path = egui::TextEdit::singleline(&mut row.path).desired_width(120.0).hint_text("Plant/Motor#3.Gain");
            let path = ui.add(path).on_hover_text("The parameter, or a variable of the simulation");
            ui.ctx().accesskit_node_builder(path.id, |node| node.set_label(format!("Parameter {}", number + 1)));
            let values = egui::TextEdit::singleline(&mut row.values).desired_width(120.0).hint_text("1:5:20");
            let values = ui.add(values).on_hover_text(
                "1:5:20 for twenty values from 1 to 5, 1:100:20:log, a list 1,2,5, or random for each run: \
                 uniform(1,5), normal(3,0.5)",
            );
            ui.ctx().accesskit_node_builder(values.id, |node| node.set_label(format!("Values {}", number + 1)));
            let away = format!("Remove parameter {}", number + 1);
            if widgets::icon_button_ui(ui, Icon::Close, &away).clicked() {
                gone = Some(number);
            }
        });
    }
    gone.into_iter().for_each(|number| drop(state.rows.remove(number)));
    ui.menu_button("Add parameter", |ui| {
        let params = (view.params)();
        if params.is_empty() {
            ui.label(widgets::weak(ui, "Select a block with numeric parameters"));
        }
        for (path, value) in params {
            if ui.button(&path).clicked() {
                let (low, high) = if value == 0.0 { (-1.0, 1.0) } else { (0.5 * value, 1.5 * value) };
                let values = format!("{}:{}:21", low.min(high), low.max(high));
                state.rows.push(Row { path, values });
                ui.close();
            }
        }
        if ui.button("Type a path").clicked() {
            state.rows.push(Row::default());
            ui.close();
        }
    });
    ui.horizontal(|ui| {
        ui.label(widgets::weak(ui, "Draws"));
        let draws = ui.add(egui::DragValue::new(&mut state.draws).range(1..=100_000));
        draws.on_hover_text("The number of runs per combination, for random values");
        ui.label(widgets::weak(ui, "Seed"));
        let seed = ui.add(egui::DragValue::new(&mut state.seed).range(0..=1_000_000));
        seed.on_hover_text("The same seed gives the same random values");
    });
    ui.horizontal(|ui| {
        ui.label(widgets::weak(ui, "Signal"));
        let shown = state.signal.as_ref().map_or_else(|| "none".to_owned(), |key| view.derived.name_of(key));
        widgets::choice_ui(ui, "Signal", &shown, 180.0, |ui| {
            for signal in view.signals {
                let name = view.derived.name_of(signal);
                ui.selectable_value(&mut state.signal, Some(signal.clone()), name);
            }
        });
    });
}

/// Draws the failures and the selected run.
fn outcome_ui(ui: &mut Ui, state: &SweepState, view: &SweepView, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    let Some(ensemble) = view.ensemble else { return };
    if let (count @ 1.., Some(why)) = &ensemble.failed {
        ui.colored_label(theme.warning, format!("{count} runs failed, the first: {why}"));
    }
    let Some(curve) = state.chosen.and_then(|chosen| ensemble.curves.get(chosen)) else {
        if !ensemble.curves.is_empty() {
            ui.label(widgets::weak(ui, "Click a curve to see its values"));
        }
        return;
    };
    widgets::section_ui(ui, &format!("Run {}", curve.run));
    for (vary, value) in ensemble.runs.varied.iter().zip(ensemble.runs.values(curve.run)) {
        ui.label(format!("{} = {}", vary.path, numbers::digits(value, 8)));
    }
    let load = ui.button("Load these values");
    if load.on_hover_text("Set the parameters in the simulation to those of this run; this can be undone").clicked() {
        actions.push(Action::Lab(LabAction::LoadSweepRun(curve.run)));
    }
}

fn fan_ui(ui: &mut Ui, state: &mut SweepState, ensemble: &Ensemble) {
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
    let rect = ui.available_rect_before_wrap();
    let id = ui.scope_id().with(("fan", state.generation));
    let (response, frame) = sketch_ui(ui, rect, id, &sketch);
    let painter = ui.painter_at(frame.rect);
    // The range, the 5 to 95 % band, the interquartile band.
    for (low, high, strength) in [(0, 6, 0.10), (1, 5, 0.14), (2, 4, 0.20)] {
        if let (Some(low), Some(high)) = (values.get(low), values.get(high)) {
            let edges = times.iter().zip(low.iter().zip(high));
            let edges: Vec<(f64, f64, f64)> = edges.map(|(time, (low, high))| (*time, *low, *high)).collect();
            band_ui(&painter, &frame, &edges, color.gamma_multiply(strength));
        }
    }
    let line = |values: &[f64], color: Color32, width: f32| {
        let points: Vec<_> = times.iter().zip(values).map(|(x, y)| frame.at(AxisSide::Left, (*x, *y))).collect();
        stroke_ui(&painter, frame.rect, &points, LineKind::Solid, width, color);
    };
    for curve in curves() {
        line(&curve.values, color.gamma_multiply(0.35), 1.0);
    }
    if let Some(middle) = values.get(3) {
        line(middle, color, 2.0);
    }
    if let Some(curve) = state.chosen.and_then(|chosen| ensemble.curves.get(chosen)) {
        line(&curve.values, theme.warning, 2.2);
    }
    if let Some(at) = response.interact_pointer_pos().filter(|at| response.clicked() && frame.rect.contains(*at)) {
        state.chosen = ensemble.nearest(frame.x_at(at), frame.y_at(AxisSide::Left, at));
    }
    ui.allocate_rect(rect, egui::Sense::hover());
}
