//! Draws the panels, each from the part of the window's state that it shows.

use std::sync::Arc;

use eframe::egui::{self, Ui};

use crate::app::action::Action;
use crate::app::action::command::Panel;
use crate::app::panels::{
    analysis, blocks, cause, find, fit, help, history, import, inspected, inspector, models, plots, problems, replace,
    response, review, runs, step, sweep, tuner,
};
use crate::app::shell::app::App;
use crate::app::shell::document::open_file::OpenFile;
use crate::app::store::run::RunState;
use crate::block::Registry;
use crate::engine::feedback_loops;
use crate::model::{ParamAddress, SignalKey, Simulation};

impl App {
    /// Draws a panel.
    pub(crate) fn panel_ui(
        &mut self,
        ui: &mut Ui,
        panel: Panel,
        canvas: Option<egui::Rect>,
        actions: &mut Vec<Action>,
    ) {
        if panel == Panel::Canvas {
            self.canvas_ui(ui, actions);
            return;
        }
        let Some(file) = &mut self.file else { return };
        let simulation = Arc::clone(file.document.simulation());
        let model = file.canvas.open_model(&simulation);
        actions.extend(match panel {
            Panel::Canvas => Vec::new(),
            Panel::Blocks => {
                let view = blocks::BlocksView {
                    items: &file.items(&self.blocks.registry),
                    canvas,
                    favourites: &self.settings.favourites,
                    used: &self.settings.used,
                    libraries: &self.documents.libraries,
                };
                blocks::show_ui(ui, &mut file.panels.blocks, &view)
            }
            Panel::Models => {
                let open = model.map(|model| &*model.name);
                let view = models::ModelsView {
                    simulation: &simulation,
                    tree: file.derived.tree(),
                    open,
                    outdated: &self.documents.libraries.outdated(&simulation),
                };
                models::show_ui(ui, &mut file.panels.models, &view)
            }
            Panel::Inspector => {
                let Some(model) = model else { return };
                let path = file.canvas.path();
                let run = &file.run;
                let acts = |block: crate::model::BlockId, name: &str| run.acts(&ParamAddress::new(path, block, name));
                let view = inspected::InspectorView {
                    simulation: &simulation,
                    registry: &self.blocks.registry,
                    model,
                    selection: &file.canvas.selection().blocks,
                    derived: &file.derived,
                    diagnostics: &file.diagnostics,
                    acts: file.run.is_active().then_some(&acts),
                    stops_at_non_finite: self.settings.stops_at_non_finite,
                    engine: (&self.components.engines, &self.settings.engine, self.settings.threads),
                    verdicts: file.program.as_ref().and_then(|program| file.engine_checks.of(program)),
                    run: &file.run,
                    path,
                };
                inspector::show_ui(ui, &mut file.panels.inspector, &view)
            }
            Panel::Plots => {
                let others = plots::others(&file.run);
                let mut state = std::mem::take(&mut file.panels.plots);
                let view = plots_view(&self.blocks.registry, file, &simulation, &others);
                let wants = plots::show_ui(ui, &mut state, &view);
                file.panels.plots = state;
                wants
            }
            Panel::Help => {
                let selected = file.canvas.selection().single_block();
                let block = selected.and_then(|id| model.and_then(|model| model.block(id)));
                let kind = block.map(|block| &block.kind);
                let source = file.items(&self.blocks.registry);
                help::show_ui(ui, &mut file.panels.help, &source, kind)
            }
            Panel::Find => {
                file.search.ask(&file.panels.find.query, &file.snapshot(), &self.blocks.registry);
                let (registry, revision) = (&*self.blocks.registry, file.document.revision());
                let view = replace::ReplaceView { simulation: &simulation, registry, revision };
                find::show_ui(ui, &mut file.panels.find, file.search.found(), view)
            }
            Panel::Dashboard => self.dashboard_ui(ui),
            Panel::History => history::show_ui(ui, &file.document),
            Panel::Runs => {
                let (runs_megabytes, past_megabytes) = (self.settings.runs_megabytes, self.settings.past_megabytes);
                let on_disk = self.spill.file.size();
                let view = runs::RunsView {
                    simulation: &simulation,
                    breakpoints: file.derived.breakpoints(),
                    code_breakpoints: file.derived.code_breakpoints(),
                    run: &file.run,
                    runs_megabytes,
                    on_disk,
                    past_megabytes,
                };
                runs::show_ui(ui, &mut file.panels.runs, &view)
            }
            Panel::Step => {
                let view = step::StepView {
                    simulation: &simulation,
                    lab: &file.lab,
                    is_running: file.run.state == RunState::Running,
                    has_run: file.run.last_step().is_some(),
                };
                step::show_ui(ui, &mut file.panels.step, &view)
            }
            Panel::Analysis => {
                let signals = || {
                    analysis_signals(
                        &simulation,
                        &self.blocks.registry,
                        file.canvas.path(),
                        model.map(|model| &**model),
                    )
                };
                let selected =
                    file.open_model(&self.blocks.registry).and_then(|open| open.selected_signals().into_iter().next());
                let view = analysis::AnalysisView {
                    simulation: &simulation,
                    derived: &file.derived,
                    signals: &signals,
                    loops: &|| file.program.as_deref().map(feedback_loops).unwrap_or_default(),
                    params: &|| {
                        crate::app::shell::run::sweep::params_of(&simulation, &self.blocks.registry, &file.canvas)
                    },
                    value: &|signal| file.run.value(signal).and_then(|elements| elements.first().copied()),
                    selected,
                    result: file.lab.analysis.as_ref(),
                    is_busy: file.lab.is_analysing(),
                    step: file.run.shown_step(),
                    can_run: file.run.last_step().is_some() || file.program.is_some(),
                };
                analysis::show_ui(ui, &mut file.panels.analysis, &view)
            }
            Panel::Tuner => {
                let view = tuner::TunerView {
                    simulation: &simulation,
                    tuner: &file.lab.tuner,
                    has_program: file.program.is_some(),
                    is_checked: !file.check.is_busy(),
                    step: file.run.shown_step(),
                };
                tuner::show_ui(ui, &mut file.panels.tuner, &view)
            }
            Panel::Fit => {
                let view = fit::FitView {
                    lab: &file.lab.fit,
                    derived: &file.derived,
                    has_errors: file.program.is_none() && !file.check.is_busy(),
                };
                fit::show_ui(ui, &mut file.panels.fit, &view)
            }
            Panel::Response => {
                let has_errors = file.program.is_none() && !file.check.is_busy();
                let view = response::ResponseView { lab: &file.lab.response, has_errors };
                response::show_ui(ui, &mut file.panels.response, &view)
            }
            Panel::Sweep => {
                let signals = file.derived.exits_and_plots();
                let (derived, canvas) = (&file.derived, &file.canvas);
                let params =
                    || crate::app::shell::run::sweep::sweep_params(&simulation, derived, &self.blocks.registry, canvas);
                let ensemble = file.lab.ensemble.as_ref();
                #[cfg(feature = "pool")]
                let pools = Some(crate::app::shell::pool::sweeps::view_of(&self.settings, self.pool_watch.as_ref()));
                #[cfg(not(feature = "pool"))]
                let pools = None;
                let view = sweep::SweepView {
                    simulation: &simulation,
                    derived: &file.derived,
                    params: &params,
                    signals: &signals,
                    ensemble,
                    pools,
                };
                sweep::show_ui(ui, &mut file.panels.sweep, &view)
            }
            Panel::Import => {
                let is_checked = !file.check.is_busy();
                let view = import::ImportView {
                    simulation: &simulation,
                    registry: &self.blocks.registry,
                    revision: file.document.revision(),
                    lines: file.import.as_ref(),
                    errors: is_checked.then(|| file.diagnostics.errors().len()),
                };
                import::show_ui(ui, &mut file.panels.import, &view)
            }
            Panel::Review => {
                file.comparison.ask(&file.snapshot());
                let view = review::ReviewView {
                    document: &file.document,
                    registry: &self.blocks.registry,
                    has_file: file.path.is_some(),
                    comparison: &file.comparison,
                };
                review::show_ui(ui, &mut file.panels.review, &view)
            }
            Panel::Problems => {
                let mut wants = Vec::new();
                if let Some(chain) = &file.lab.chain {
                    wants = cause::show_ui(ui, &simulation, chain);
                }
                if file.panels.problems.shows_advice() {
                    file.advice.ask(&file.snapshot(), &self.blocks.registry);
                }
                let view = problems::ProblemsView {
                    simulation: &simulation,
                    registry: &self.blocks.registry,
                    diagnostics: &file.diagnostics,
                    advice: file.advice.found(),
                    is_busy: file.check.is_busy(),
                    outdated: &self.documents.libraries.outdated(&simulation),
                };
                wants.extend(problems::show_ui(ui, &mut file.panels.problems, &view));
                wants
            }
        });
    }

    /// Draws the windows of scope blocks and plots.
    pub(crate) fn scopes_ui(&mut self, ctx: &egui::Context) {
        let Some(file) = self.file.as_mut().filter(|file| file.panels.plots.has_windows()) else { return };
        let simulation = Arc::clone(file.document.simulation());
        let others = plots::others(&file.run);
        let mut state = std::mem::take(&mut file.panels.plots);
        let view =
            plots::PlotsPanelView { is_new: false, ..plots_view(&self.blocks.registry, file, &simulation, &others) };
        let before = state.scopes.len();
        let actions = plots::windows_ui(ctx, &mut state, &view);
        let is_closed = state.scopes.len() != before;
        file.panels.plots = state;
        if is_closed {
            self.watch();
        }
        for action in actions {
            self.act(action);
        }
    }
}

/// Returns the outputs of a model's blocks, up to a maximum.
fn analysis_signals(
    simulation: &crate::model::Simulation,
    registry: &crate::block::Registry,
    path: &[crate::model::BlockId],
    model: Option<&crate::model::Model>,
) -> Vec<SignalKey> {
    const MAX_SIGNALS: usize = 500;
    let blocks = model.into_iter().flat_map(|model| model.blocks.values().map(move |block| (model, block)));
    let signals = blocks.flat_map(|(model, block)| {
        let ports = crate::model::block_ports(simulation, registry, model, block);
        let names = if ports.outputs.is_empty() { Vec::new() } else { ports.outputs };
        names.into_iter().map(|name| SignalKey { path: path.to_vec(), block: block.id, output: name })
    });
    signals.take(MAX_SIGNALS).collect()
}

/// Returns what the plots panel shows of a file and the current run.
fn plots_view<'a>(
    registry: &'a Registry,
    file: &'a OpenFile,
    simulation: &'a Simulation,
    others: &'a [plots::Overlay<'a>],
) -> plots::PlotsPanelView<'a> {
    let run = &file.run;
    let recording = run.recording();
    plots::PlotsPanelView {
        simulation,
        registry,
        revision: file.document.revision(),
        list: file.derived.plots(),
        derived: &file.derived,
        recording,
        others,
        runs: run.runs(),
        end: run.end(),
        chosen: run.chosen_step().map(|step| step as f64 * recording.delta),
        program: file.program.as_deref(),
        is_new: run.state == RunState::Idle && recording.is_empty(),
        is_stale: run.is_stale,
        sensitivity_note: file.lab.sensitivity.note(),
    }
}
