//! The Sweep panel: varied parameters, progress, curves of all runs.
//!
//! | module | contents |
//! |---|---|
//! | `rows` | the varied parameters and their values |
//! | `location` | where the runs are computed: here or on a pool, with its workers and sweeps |
//! | `design_choice` | how the values of the runs are chosen |
//! | `fan` | the curves of all runs |
//! | `bars` | the effects or shares of the parameters |
//! | `scatter` | the measures of the runs over the parameters |

mod bars;
mod design_choice;
mod fan;
mod location;
mod rows;
mod scatter;

use eframe::egui::{self, Ui, vec2};

use crate::app::action::{Action, LabAction};
use crate::app::doc::derived::Derived;
use crate::app::store::lab::Ensemble;
use crate::app::ui::form;
use crate::app::ui::icons::Icon;
use crate::app::ui::numbers;
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets::{self, theme_of};
use crate::engine::{DesignError, Runs, SweepMeasure, Vary, VaryError};
use crate::model::{AddressMap, SignalKey, Simulation};
use crate::sampling::SampleDesign;

pub use self::location::{PoolsView, SweepLocation};
pub use self::rows::{Row, RowValues, SweepParam};

/// The view of the runs: curves, bars or scatter matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SweepFigure {
    #[default]
    Curves,
    /// The effects or shares of the parameters.
    Indices,
    /// The measures of the runs over the parameters.
    Scatter,
}

pub struct SweepState {
    pub rows: Vec<Row>,
    /// How values are chosen: all combinations, or samples.
    pub design: SampleDesign,
    /// The number of runs of each combination.
    pub draws: u64,
    /// The number of samples of a design.
    pub samples: u64,
    pub seed: u64,
    pub signal: Option<SignalKey>,
    /// The varied parameter that colours the curves, by its index.
    pub colored_by: usize,
    /// The index of the selected curve.
    pub chosen: Option<usize>,
    /// The view of the runs: curves, bars or scatter matrix.
    pub figure: SweepFigure,
    /// The number of each run that the indices are of.
    pub measure: SweepMeasure,
    /// Counts sweeps; the figure is fitted to each new one.
    pub generation: u64,
    /// Why the sweep cannot start.
    pub problem: Option<SweepProblem>,
    /// Where the runs are computed.
    pub location: SweepLocation,
    /// Whether the sweep runs again when something changes.
    pub is_live: bool,
    /// The list of parameters, while it is open.
    list: rows::ParamList,
    pools: location::PoolsState,
}

/// Why a sweep cannot start.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum SweepProblem {
    #[error("Choose what to vary: add a parameter")]
    NothingVaries,
    #[error(transparent)]
    Values(#[from] VaryError),
    #[error("{}", design_text(.0))]
    Design(#[from] DesignError),
    #[error("For more than {0} runs use the command line: simulate sweep")]
    TooMany(u64),
    #[error("No signal is selected: plot a signal, or add an output")]
    NoSignal,
    /// The background job has told so.
    #[error("{0}")]
    Refused(String),
}

/// Returns a message as a sentence, unless it begins with a path.
fn design_text(error: &DesignError) -> String {
    match error {
        DesignError::Listed(_) => error.to_string(),
        _ => widgets::sentence(&error.to_string()),
    }
}

impl Default for SweepState {
    fn default() -> SweepState {
        let (rows, signal, chosen, problem) = (Vec::new(), None, None, None);
        let (list, pools, location) = Default::default();
        SweepState {
            rows,
            design: SampleDesign::Random,
            draws: 1,
            samples: 64,
            seed: 0,
            signal,
            colored_by: 0,
            chosen,
            figure: SweepFigure::default(),
            measure: SweepMeasure::Last,
            generation: 0,
            problem,
            location,
            is_live: false,
            list,
            pools,
        }
    }
}

impl SweepState {
    /// Returns the varied parameters and their values, as in `simulate sweep --vary`.
    pub fn vary(&self) -> Vec<String> {
        let rows = self.rows.iter().filter(|row| !row.path.trim().is_empty());
        rows.map(|row| format!("{}={}", row.path.trim(), row.text(self.design))).collect()
    }

    /// Adds a parameter or a variable with a range about its value, unless it is varied already.
    pub fn vary_about(&mut self, path: &str, value: f64) {
        if !self.rows.iter().any(|row| row.path.trim() == path) {
            self.rows.push(Row::about(path, value));
        }
    }

    /// Lets the signal and the varied parameters follow a change of the document.
    pub fn relocate(&mut self, map: &AddressMap) {
        self.signal.iter_mut().for_each(|signal| *signal = map.signal(signal));
        for row in &mut self.rows {
            if let Some(path) = map.param_text(row.path.trim()) {
                row.path = path;
            }
        }
    }

    /// # Errors
    /// Fails if a row is invalid, or without any row.
    pub fn runs(&self) -> Result<Runs, SweepProblem> {
        if let Some(question) = self.rows.iter().find_map(Row::question) {
            return Err(SweepProblem::Refused(question));
        }
        let varied = self.vary().iter().map(|text| Vary::parse(text)).collect::<Result<Vec<_>, _>>()?;
        if varied.is_empty() {
            return Err(SweepProblem::NothingVaries);
        }
        let is_grid = self.design == SampleDesign::Random;
        let draws = if is_grid { self.draws } else { self.samples }.max(1);
        let runs = Runs { varied, draws, seed: self.seed, design: self.design };
        runs.check()?;
        Ok(runs)
    }
}

pub struct SweepView<'a> {
    pub simulation: &'a Simulation,
    pub derived: &'a Derived,
    /// All scalar parameters and variables, those of the selected block first.
    pub params: &'a dyn Fn() -> Vec<SweepParam>,
    /// The signals to choose from: the exits and the plotted ones.
    pub signals: &'a [SignalKey],
    pub ensemble: Option<&'a Ensemble>,
    /// None if this program has no pools.
    pub pools: Option<PoolsView<'a>>,
}

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
        ui.vertical(|ui| match view.ensemble.filter(|ensemble| ensemble.is_going_on || ensemble.done() > 0) {
            Some(ensemble) => figure_ui(ui, state, view, ensemble),
            None => {
                let what = "Runs execute in parallel in the background; their curves are drawn together";
                widgets::empty_ui(ui, Icon::Curve, "No sweep yet", what);
            }
        });
    });
    actions
}

/// Draws the choice of the figure, and the figure.
fn figure_ui(ui: &mut Ui, state: &mut SweepState, view: &SweepView, ensemble: &Ensemble) {
    let has_indices = ensemble.runs.design.has_indices();
    ui.add_space(2.0 * SPACE);
    ui.horizontal(|ui| {
        ui.add_space(2.0 * SPACE);
        let figures = [
            (SweepFigure::Curves, "Curves", "The signal of all runs over time"),
            (SweepFigure::Indices, "Sensitivity", "How much each parameter changes the result"),
            (SweepFigure::Scatter, "Scatter", "The results of the runs over each parameter"),
        ];
        for (figure, title, what) in figures {
            if figure != SweepFigure::Indices || has_indices {
                ui.selectable_value(&mut state.figure, figure, title).on_hover_text(what);
            }
        }
        if let Some(note) = scatter::note(ensemble).filter(|_| state.figure == SweepFigure::Scatter) {
            ui.add_space(2.0 * SPACE);
            ui.label(widgets::weak(ui, note));
        }
        if state.figure == SweepFigure::Indices && has_indices {
            ui.add_space(2.0 * SPACE);
            let signal = state.signal.as_ref().map_or_else(String::new, |key| view.derived.name_of(key));
            ui.label(widgets::weak(ui, format!("of {signal}")));
            let chosen = widgets::choice_ui(ui, "Measure", scatter::title_of(state.measure), 110.0, |ui| {
                for measure in SweepMeasure::ALL {
                    ui.selectable_value(&mut state.measure, measure, scatter::title_of(measure));
                }
            });
            chosen.on_hover_text("The number of each run whose changes are explained");
        }
    });
    ui.add_space(SPACE);
    match state.figure {
        SweepFigure::Indices if has_indices => bars::bars_ui(ui, state.measure, ensemble),
        SweepFigure::Scatter => {
            egui::ScrollArea::both().id_salt("scatter").auto_shrink(false).show(ui, |ui| {
                scatter::scatter_ui(ui, &mut state.chosen, ensemble);
            });
        }
        _ => fan::fan_ui(ui, state, ensemble),
    }
}

fn settings_ui(ui: &mut Ui, state: &mut SweepState, view: &SweepView, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    location::choice_ui(ui, state, view, actions);
    match view.ensemble.filter(|ensemble| ensemble.is_going_on) {
        Some(ensemble) => {
            let part = ensemble.done() as f32 / ensemble.count.max(1) as f32;
            let text = format!("{} of {}", ensemble.done(), ensemble.count);
            ui.add(egui::ProgressBar::new(part).text(text));
            match &ensemble.pool {
                None => {
                    if ui.button("Cancel").on_hover_text("Finished runs are kept").clicked() {
                        actions.push(Action::Lab(LabAction::StopSweep));
                    }
                }
                Some(pool) => location::going_on_ui(ui, ensemble, pool, actions),
            }
        }
        None => {
            let count = state.runs().ok().and_then(|runs| runs.count());
            let text = count.map_or_else(|| "Run all".to_owned(), |count| format!("Run all {count}"));
            ui.horizontal(|ui| {
                if widgets::main_button_ui(ui, &text).clicked() {
                    actions.push(Action::Lab(LabAction::Sweep));
                }
                if state.location == SweepLocation::Here {
                    let live = "Runs again whenever a value of the simulation or of this panel changes: turn a slider";
                    widgets::check_ui(ui, &mut state.is_live, "Live").on_hover_text(live);
                }
            });
        }
    }
    if let Some(problem) = &state.problem {
        ui.colored_label(theme.error, problem.to_string());
    }
    location::pool_ui(ui, state, view, actions);
    outcome_ui(ui, state, view, actions);
    ui.add_space(SPACE);
    rows::rows_ui(ui, state, view);
    ui.add_space(SPACE);
    let SweepState { design, draws, samples, seed, .. } = state;
    design_choice::design_ui(ui, design, [draws, samples], seed);
    form::row_ui(ui, "Signal", "The signal whose curves are drawn", |ui| {
        let shown = state.signal.as_ref().map_or_else(|| "none".to_owned(), |key| view.derived.name_of(key));
        widgets::choice_ui(ui, "Signal", &shown, design_choice::choice_width(ui), |ui| {
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
    if let Some((first, why)) = ensemble.failures.listed.first() {
        let count = ensemble.failures.count;
        let at = values_of(ensemble, *first).join(", ");
        let all = if count == 1 { "1 run".to_owned() } else { format!("{count} runs") };
        ui.colored_label(theme.warning, format!("{all} failed, the first with {at}: {why}"));
        if count > 1 {
            failures_ui(ui, ensemble);
        }
    }
    let Some(curve) = state.chosen.and_then(|chosen| ensemble.curves.get(chosen)) else {
        if !ensemble.curves.is_empty() {
            let what = if state.figure == SweepFigure::Scatter { "point" } else { "curve" };
            ui.label(widgets::weak(ui, format!("Click a {what} to see its values")));
        }
        return;
    };
    widgets::section_ui(ui, &format!("Run {}", curve.run));
    for value in values_of(ensemble, curve.run) {
        ui.label(value);
    }
    let load = ui.button("Load these values");
    if load.on_hover_text("Set the parameters in the simulation to those of this run; this can be undone").clicked() {
        actions.push(Action::Lab(LabAction::LoadSweepRun(curve.run)));
    }
}

/// Returns the values of a run: `Gain = 2`.
fn values_of(ensemble: &Ensemble, run: u64) -> Vec<String> {
    let values = ensemble.runs.varied.iter().zip(ensemble.runs.values(run));
    values.map(|(vary, value)| format!("{} = {}", vary.path, numbers::digits(value, 8))).collect()
}

/// Draws the list of failed runs, closed at first.
fn failures_ui(ui: &mut Ui, ensemble: &Ensemble) {
    let failures = &ensemble.failures;
    widgets::collapsing("Failed runs").id_salt("failures").show(ui, |ui| {
        for (run, why) in &failures.listed {
            ui.label(format!("Run {run}, {}", values_of(ensemble, *run).join(", ")));
            ui.label(widgets::weak(ui, why.as_str()));
        }
        if failures.listed.len() < failures.count {
            let more = format!("{} more; simulate sweep --failures lists all", failures.count - failures.listed.len());
            ui.label(widgets::weak(ui, more));
        }
    });
}
