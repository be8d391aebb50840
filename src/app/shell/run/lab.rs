//! The step, analysis and sweep panels: their requests, and the use of the results.

use std::sync::Arc;

use crate::app::action::command::Panel;
use crate::app::action::{LabAction, ViewAction};
use crate::app::dialogs::Refused;
use crate::app::doc::code_lines::CodeInRun;
use crate::app::panels::sweep::SweepProblem;
use crate::app::shell::app::App;
use crate::app::shell::document::open_file::OpenFile;
use crate::app::store::lab::{AnalysisRequest, Ensemble, Failed};
use crate::app::store::run::RunState;
use crate::engine::{Chain, Context, Program};
use crate::model::{BlockAddress, InputKey, Trace};

impl App {
    pub(crate) fn act_in_lab(&mut self, request: LabAction) {
        let Some(file) = &mut self.file else { return };
        match request {
            LabAction::ShowExecution { block, input } => self.show_execution(block, input),
            LabAction::ShowLink(number) => self.show_link(number),
            LabAction::ForgetCause => file.lab.chain = None,
            LabAction::Analyse => self.analyse(),
            LabAction::Vary { path, value } => {
                file.panels.sweep.vary_about(&path, value);
                self.act_on_view(ViewAction::ShowPanel(Panel::Sweep));
            }
            LabAction::PlotSensitivity(param) => self.plot_sensitivity(&param),
            LabAction::Sweep => self.begin_sweep(),
            LabAction::StopSweep => file.lab.ensemble.iter().for_each(Ensemble::stop),
            #[cfg(feature = "pool")]
            LabAction::Pool(action) => self.act_on_pool(action),
            #[cfg(not(feature = "pool"))]
            LabAction::Pool(_) => {}
            LabAction::Fit(action) => self.act_on_fit(action),
            LabAction::Response(action) => self.act_on_response(action),
            LabAction::LoadSweepRun(run) => self.load_sweep_run(run),
            LabAction::TakeFound => self.take_found(),
        }
    }

    /// Starts the search for the cause of a failed run.
    pub(crate) fn look_for_cause(&mut self) {
        self.with_file(|file| (file.lab.chain, file.lab.wants_chain) = (None, true));
    }

    /// Requests the data of the visible panels and takes results. Called once per frame.
    pub(crate) fn follow_lab(&mut self) {
        #[cfg(feature = "pool")]
        self.follow_pool();
        self.follow_live_sweep();
        self.follow_tuner();
        self.follow_fit();
        self.follow_sensitivities();
        self.follow_response();
        let Some(file) = &mut self.file else { return };
        let shows_step = self.window.layout.is_shown(Panel::Step);
        let shows_costs = self.window.shows_heat || (shows_step && file.panels.step.shows_costs());
        if shows_step || shows_costs || file.lab.wants_chain || file.lab.wants_analysis {
            file.run.need_values();
        }
        follow_code(file);
        // During a run, steps change faster than they can be read.
        let is_still = !matches!(file.run.state, RunState::Running | RunState::Preparing);
        let seen = file.run.seen().filter(|_| is_still);
        let of = seen.map(|view| (view.run, view.step));
        if let Some(view) = seen.filter(|_| shows_step && file.lab.record_of != of) {
            file.lab.record_of = of;
            file.lab.records.ask(view.clone());
        }
        if let Some(view) = seen.filter(|_| shows_costs && file.lab.profile_of != of) {
            file.lab.profile_of = of;
            file.lab.profiles.ask(view.clone());
        }
        let analysed = file.run.seen().filter(|view| Some(view.step) == file.run.shown_step());
        let analysed = analysed.filter(|_| file.lab.wants_analysis);
        let analysed = analysed.map(|view| (Arc::clone(&view.program), view.begin.clone()));
        if file.lab.wants_chain {
            let last = file.run.last_step();
            let failed = match (last, seen) {
                (Some(last), Some(view)) if view.step == last => Some(Failed::Behind(Box::new(view.clone()))),
                (None, _) => {
                    Some(Failed::First(Arc::clone(file.document.simulation()), Arc::clone(&self.blocks.registry)))
                }
                _ => None,
            };
            if let Some(failed) = failed {
                file.lab.wants_chain = false;
                file.lab.chains.ask(failed);
            }
        }
        if let Some((program, context)) = analysed {
            file.lab.wants_analysis = false;
            ask_analysis(file, program, context);
        }
        let refused = file.lab.ensemble.as_mut().and_then(|ensemble| ensemble.refused.take());
        let is_refused = refused.is_some();
        if is_refused {
            file.panels.sweep.problem = refused.map(SweepProblem::Refused);
            file.panels.sweep.is_live = false;
        }
        if let Some(chain) = file.lab.poll() {
            self.window.layout.show(Panel::Problems);
            light(file, &chain);
        }
        if is_refused {
            self.ask_outside(Refused::Sweep);
        }
    }

    /// Linearizes at the shown step, or at the start of the run before the first step.
    pub(crate) fn analyse(&mut self) {
        let Some(file) = &mut self.file else { return };
        file.lab.wants_analysis = file.run.last_step().is_some();
        if let (false, Some(program)) = (file.lab.wants_analysis, file.program.clone()) {
            let context = Context::new(&program);
            ask_analysis(file, program, context);
        }
    }

    fn take_found(&mut self) {
        let Some(Ok(analysis)) = self.file.as_ref().and_then(|file| file.lab.analysis.as_ref()) else { return };
        let text = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
        let values = analysis.found.iter().map(|(path, values)| format!("{path}={}", text(values))).collect();
        self.load("Apply the values of the equilibrium", values);
    }

    /// Highlights a block execution: the block, and the wire that triggered it.
    pub(crate) fn show_execution(&mut self, block: BlockAddress, input: Option<String>) {
        self.window.layout.show(Panel::Canvas);
        let Some(file) = &mut self.file else { return };
        let mut trace = Trace::default();
        add_block(&mut trace, &block);
        if let Some(input) = input {
            trace.wires.insert((block.path.clone(), InputKey::new(block.block, &input)));
        }
        file.canvas.go_to(block.path, Some(block.block));
        let simulation = Arc::clone(file.simulation());
        file.canvas.light(trace, &simulation);
    }

    /// Highlights the cause chain again, and goes to one of its blocks and steps.
    pub(crate) fn show_link(&mut self, number: usize) {
        let Some(file) = &mut self.file else { return };
        let Some(chain) = file.lab.chain.clone() else { return };
        let Some(link) = chain.links.get(number) else { return };
        let BlockAddress { path, block } = link.block.clone();
        if file.run.last_step().is_some_and(|last| link.step <= last) {
            file.run.choose_step(Some(link.step));
        }
        self.window.layout.show(Panel::Canvas);
        file.canvas.go_to(path, Some(block));
        light(file, &chain);
    }
}

/// Requests the values beside the code that is open.
fn follow_code(file: &mut OpenFile) {
    let Some(block) = file.canvas.block_of_code() else { return file.lab.code = None };
    let block = BlockAddress { path: file.canvas.path().to_vec(), block };
    if file.lab.code_of.as_ref().is_some_and(|(.., known)| *known != block) {
        (file.lab.code, file.lab.code_of) = (None, None);
    }
    let current = file.run.runs().current();
    if let Some((_, step)) = current.zip(file.run.shown_step()).filter(|(run, _)| run.id.is_none()) {
        let note = "A run from a file has no values of variables".to_owned();
        return file.lab.code = Some(CodeInRun { block: Some(block.block), step, note, ..CodeInRun::default() });
    }
    file.run.need_values();
    let Some(view) = file.run.seen() else { return file.lab.code = None };
    let of = Some((view.run, view.step, block.clone()));
    if file.lab.code_of != of {
        file.lab.code_of = of;
        file.lab.codes.ask((view.clone(), block));
    }
}

/// Requests the analysis that the panel describes.
fn ask_analysis(file: &mut OpenFile, program: Arc<Program>, context: Context) {
    let panel = &mut file.panels.analysis;
    let rest = panel.is_at_rest.then(|| panel.rest.trim(file.document.simulation())).transpose();
    panel.problem = rest.as_ref().err().map(ToString::to_string);
    if let Ok(rest) = rest {
        let (wanted, free) = (panel.wanted(), panel.rest.free().to_vec());
        file.lab.analyses.ask(AnalysisRequest { program, context, wanted, rest, free });
    }
}

/// Adds a block and the model blocks that contain it.
fn add_block(trace: &mut Trace, block: &BlockAddress) {
    trace.blocks.extend(block.outer().chain([block.clone()]));
}

/// Highlights the cause chain on the canvas, and goes to its origin.
fn light(file: &mut OpenFile, chain: &Chain) {
    let mut trace = Trace::default();
    for link in &chain.links {
        add_block(&mut trace, &link.block);
        if let Some(input) = &link.came_in {
            trace.wires.insert((link.block.path.clone(), InputKey::new(link.block.block, input)));
        }
    }
    if let Some(cause) = chain.links.last() {
        let BlockAddress { path, block } = cause.block.clone();
        file.canvas.go_to(path, Some(block));
    }
    let simulation = Arc::clone(file.simulation());
    file.canvas.light(trace, &simulation);
}
