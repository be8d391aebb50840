//! The step, analysis and sweep panels: what they ask for, and what becomes of the results.

use std::sync::Arc;

use super::state::{App, OpenFile};
use crate::app::action::LabAction;
use crate::app::action::command::Panel;
use crate::app::panels::{analysis as analysis_panel, step, sweep as sweep_panel};
use crate::app::store::lab::{AnalysisRequest, Ensemble, Failed};
use crate::app::store::run::RunState;
use crate::engine::{Chain, Context, Program};
use crate::model::{BlockId, InputKey, Trace};

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
    pub(super) fn act_in_lab(&mut self, request: LabAction) {
        match request {
            LabAction::ShowExecution { block, input } => self.show_execution(block, input),
            LabAction::ShowLink(number) => self.show_link(number),
            LabAction::ForgetCause => self.lab.chain = None,
            LabAction::Analyse => self.analyse(),
            LabAction::Sweep => self.begin_sweep(),
            LabAction::StopSweep => self.lab.ensemble.iter().for_each(Ensemble::stop),
            LabAction::LoadSweepRun(run) => self.load_sweep_run(run),
            LabAction::TakeFound => self.take_found(),
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
