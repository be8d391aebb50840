//! Tools around a run: traced steps, execution times, causes of a failure, linear analysis, sweeps.
//!
//! All are computed on background threads from a view of a step, so that neither the run nor the window waits.

mod analysis;
mod ensemble;
mod heat;
mod sweep;

use std::sync::Arc;

use eframe::egui;

use self::analysis::AnalysisRequest;
pub use self::analysis::{Analysis, Way};
pub use self::ensemble::{Bands, Ensemble, SweepCurve};
pub use self::heat::{Heat, warmth};
pub(super) use self::sweep::{params_of, signals_of};
use super::command::Panel;
use super::latest::LatestWorker;
pub use super::panels::sweep::Row;
use super::panels::{analysis as analysis_panel, step, sweep as sweep_panel};
use super::run::RunState;
use super::state::{App, OpenFile};
use crate::block::Registry;
use crate::engine::{AnalysisError, Chain, Context, Profile, Program, RunId, StepTrace, StepValues, compile};
use crate::model::{BlockId, InputKey, Simulation, Trace};

/// The number of steps of a profile.
const PROFILED: u64 = 20;

pub struct Lab {
    records: LatestWorker<StepValues, StepTrace>,
    profiles: LatestWorker<StepValues, Profile>,
    chains: LatestWorker<Failed, Option<Chain>>,
    analyses: LatestWorker<AnalysisRequest, Result<Analysis, AnalysisError>>,
    pub analysis: Option<Result<Analysis, AnalysisError>>,
    /// An analysis waits for the view of its step.
    wants_analysis: bool,
    /// The run and step of the record, or of the pending request.
    record_of: Option<(RunId, u64)>,
    pub record: Option<StepTrace>,
    profile_of: Option<(RunId, u64)>,
    pub profile: Option<Profile>,
    pub heat: Heat,
    pub shows_heat: bool,
    /// A run has failed and its cause is still to be traced.
    wants_chain: bool,
    pub chain: Option<Chain>,
    /// The current sweep.
    pub ensemble: Option<Ensemble>,
}

/// A failed step, and the data to repeat it.
enum Failed {
    /// The view of the step before.
    Behind(Box<StepValues>),
    /// The first step of the run.
    First(Arc<Simulation>, Arc<Registry>),
}

impl Lab {
    pub fn new(ctx: &egui::Context) -> Lab {
        let ctx = ctx.clone();
        let wake: Arc<dyn Fn() + Send + Sync> = Arc::new(move || ctx.request_repaint());
        Lab {
            records: LatestWorker::new(Arc::clone(&wake), |view: StepValues, _| {
                StepTrace::new(&view.program, &view.begin)
            }),
            profiles: LatestWorker::new(Arc::clone(&wake), |view: StepValues, goes_on| {
                Profile::new(&view.program, &view.begin, PROFILED, goes_on)
            }),
            chains: LatestWorker::new(Arc::clone(&wake), |failed, _| chain(failed)),
            analyses: LatestWorker::new(wake, |request, _| Analysis::new(request)),
            analysis: None,
            wants_analysis: false,
            record_of: None,
            record: None,
            profile_of: None,
            profile: None,
            heat: Heat::default(),
            shows_heat: false,
            wants_chain: false,
            chain: None,
            ensemble: None,
        }
    }

    /// Resets the state for another document.
    pub fn forget_all(&mut self) {
        self.forget();
        (self.analysis, self.ensemble) = (None, None);
    }

    /// Resets the state for another run.
    pub fn forget(&mut self) {
        (self.record, self.record_of) = (None, None);
        (self.profile, self.profile_of, self.heat) = (None, None, Heat::default());
        (self.chain, self.wants_chain) = (None, false);
        self.wants_analysis = false;
    }

    pub fn is_busy(&self) -> bool {
        self.records.is_busy() || self.profiles.is_busy()
    }

    pub fn is_analysing(&self) -> bool {
        self.wants_analysis || self.analyses.is_busy()
    }

    fn poll(&mut self) -> Option<Chain> {
        if let Some(ensemble) = &mut self.ensemble {
            ensemble.poll();
        }
        if let Some(analysis) = self.analyses.poll() {
            self.analysis = Some(analysis);
        }
        if let Some(record) = self.records.poll() {
            self.record = Some(record);
        }
        if let Some(profile) = self.profiles.poll() {
            self.heat = Heat::of(&profile);
            self.profile = Some(profile);
        }
        let chain = self.chains.poll().flatten()?;
        self.chain = Some(chain.clone());
        Some(chain)
    }
}

fn chain(failed: Failed) -> Option<Chain> {
    match failed {
        // The failed step starts with the parameters at the end of the step before.
        Failed::Behind(view) => Chain::new(&view.program, &view.context, Some(&view.begin)),
        Failed::First(simulation, registry) => {
            let mut program: Program = compile(&simulation, &registry).ok()?;
            program.refuses_non_finite = true;
            let program = Arc::new(program);
            Chain::new(&program, &Context::new(&program), None)
        }
    }
}

/// A command of the step, analysis or sweep panel.
#[derive(Clone, Debug)]
pub enum LabCommand {
    /// Highlights a block execution in the diagram, with the input that triggered it.
    ShowExecution {
        block: (Vec<BlockId>, BlockId),
        input: Option<String>,
    },
    /// Goes to a link of the cause chain of a stopped run.
    ShowLink(usize),
    ForgetCause,
    /// Runs the analysis with the settings of its panel.
    Analyse,
    /// Starts the sweep with the settings of its panel.
    Sweep,
    StopSweep,
    /// Sets the parameters to the values of a run of the sweep.
    LoadSweepRun(u64),
    /// Sets the parameters to the values found for the equilibrium.
    TakeFound,
}

/// The states of the step, analysis and sweep panels.
#[derive(Default)]
pub struct LabPanels {
    pub step: step::StepState,
    pub analysis: analysis_panel::AnalysisState,
    pub sweep: sweep_panel::SweepState,
}

impl LabPanels {
    /// Resets the state for another document.
    pub fn forget(&mut self) {
        self.step.forget();
        self.analysis.forget();
        self.sweep.forget();
    }
}

impl App {
    pub(super) fn act_in_lab(&mut self, request: LabCommand) {
        match request {
            LabCommand::ShowExecution { block, input } => self.show_execution(block, input),
            LabCommand::ShowLink(number) => self.show_link(number),
            LabCommand::ForgetCause => self.lab.chain = None,
            LabCommand::Analyse => self.analyse(),
            LabCommand::Sweep => self.begin_sweep(),
            LabCommand::StopSweep => self.lab.ensemble.iter().for_each(Ensemble::stop),
            LabCommand::LoadSweepRun(run) => self.load_sweep_run(run),
            LabCommand::TakeFound => self.take_found(),
        }
    }

    /// Starts the search for the cause of a failed run.
    pub(super) fn look_for_cause(&mut self) {
        self.lab.chain = None;
        self.lab.wants_chain = true;
    }

    /// Requests the data of the visible panels and takes results. Called once per frame.
    pub(super) fn follow_lab(&mut self) {
        let shows_step = self.layout.is_shown(Panel::Step);
        let shows_costs = self.lab.shows_heat || (shows_step && self.lab_panels.step.shows_costs());
        if shows_step || shows_costs || self.lab.wants_chain || self.lab.wants_analysis {
            self.run.need_values();
        }
        // During a run, steps change faster than they can be read.
        let is_still = !matches!(self.run.state, RunState::Running | RunState::Preparing);
        let seen = self.run.seen().filter(|_| is_still);
        let of = seen.map(|view| (view.run, view.step));
        if let Some(view) = seen.filter(|_| shows_step && self.lab.record_of != of) {
            self.lab.record_of = of;
            self.lab.records.ask(view.clone());
        }
        if let Some(view) = seen.filter(|_| shows_costs && self.lab.profile_of != of) {
            self.lab.profile_of = of;
            self.lab.profiles.ask(view.clone());
        }
        let analysed = self.run.seen().filter(|view| Some(view.step) == self.run.shown_step());
        let analysed = analysed.filter(|_| self.lab.wants_analysis);
        let analysed = analysed.map(|view| (Arc::clone(&view.program), view.begin.clone()));
        if self.lab.wants_chain {
            let last = self.run.last_step();
            let failed = match (last, seen) {
                (Some(last), Some(view)) if view.step == last => Some(Failed::Behind(Box::new(view.clone()))),
                (None, _) => self
                    .file
                    .as_ref()
                    .map(|file| Failed::First(Arc::clone(file.simulation()), Arc::clone(&self.registry))),
                _ => None,
            };
            if let Some(failed) = failed {
                self.lab.wants_chain = false;
                self.lab.chains.ask(failed);
            }
        }
        if let Some((program, context)) = analysed {
            self.lab.wants_analysis = false;
            self.ask_analysis(program, context);
        }
        if let Some(why) = self.lab.ensemble.as_mut().and_then(|ensemble| ensemble.refused.take()) {
            self.lab_panels.sweep.problem = Some(why);
        }
        if let Some(chain) = self.lab.poll() {
            self.layout.show(Panel::Problems);
            if let Some(file) = &mut self.file {
                light(file, &chain);
            }
        }
    }

    /// Linearises at the shown step, or at the start of the run before the first step.
    pub(super) fn analyse(&mut self) {
        self.lab.wants_analysis = self.run.last_step().is_some();
        let program = self.file.as_ref().and_then(|file| file.program.clone());
        if let (false, Some(program)) = (self.lab.wants_analysis, program) {
            let context = Context::new(&program);
            self.ask_analysis(program, context);
        }
    }

    fn ask_analysis(&mut self, program: Arc<Program>, context: Context) {
        let (Some(file), panel) = (&self.file, &mut self.lab_panels.analysis) else { return };
        let rest = panel.is_at_rest.then(|| panel.rest.trim(file.simulation())).transpose();
        panel.problem = rest.as_ref().err().cloned();
        if let Ok(rest) = rest {
            let (wanted, free) = (panel.wanted(), panel.rest.free().to_vec());
            self.lab.analyses.ask(AnalysisRequest { program, context, wanted, rest, free });
        }
    }

    fn take_found(&mut self) {
        let Some(Ok(analysis)) = &self.lab.analysis else { return };
        let text = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
        let values = analysis.found.iter().map(|(path, values)| format!("{path}={}", text(values))).collect();
        self.load("Apply the values of the equilibrium", values);
    }

    /// Highlights a block execution: the block, and the wire that triggered it.
    pub(super) fn show_execution(&mut self, block: (Vec<BlockId>, BlockId), input: Option<String>) {
        self.layout.show(Panel::Canvas);
        let Some(file) = &mut self.file else { return };
        let (path, id) = block.clone();
        let mut trace = Trace::default();
        add_block(&mut trace, &block);
        if let Some(input) = input {
            trace.wires.insert((path.clone(), InputKey::new(id, &input)));
        }
        file.canvas.go_to(path, Some(id));
        let simulation = Arc::clone(file.simulation());
        file.canvas.light(trace, &simulation);
    }

    /// Highlights the cause chain again, and goes to one of its blocks and steps.
    pub(super) fn show_link(&mut self, number: usize) {
        let Some(chain) = self.lab.chain.clone() else { return };
        let Some(link) = chain.links.get(number) else { return };
        let (path, block) = link.block.clone();
        if self.run.last_step().is_some_and(|last| link.step <= last) {
            self.run.choose_step(Some(link.step));
        }
        self.layout.show(Panel::Canvas);
        if let Some(file) = &mut self.file {
            file.canvas.go_to(path, Some(block));
            light(file, &chain);
        }
    }
}

/// Adds a block and the model blocks that contain it.
fn add_block(trace: &mut Trace, (path, block): &(Vec<BlockId>, BlockId)) {
    trace.blocks.insert((path.clone(), *block));
    for (depth, id) in path.iter().enumerate() {
        trace.blocks.insert((path.get(..depth).unwrap_or_default().to_vec(), *id));
    }
}

/// Highlights the cause chain on the canvas, and goes to its origin.
fn light(file: &mut OpenFile, chain: &Chain) {
    let mut trace = Trace::default();
    for link in &chain.links {
        add_block(&mut trace, &link.block);
        if let Some(input) = &link.came_in {
            trace.wires.insert((link.block.0.clone(), InputKey::new(link.block.1, input)));
        }
    }
    if let Some(cause) = chain.links.last() {
        let (path, block) = cause.block.clone();
        file.canvas.go_to(path, Some(block));
    }
    let simulation = Arc::clone(file.simulation());
    file.canvas.light(trace, &simulation);
}
