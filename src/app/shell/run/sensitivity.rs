//! Derivatives of signals by parameters: the plot that shows them, and their samples after a run.

use crate::app::action::command::Panel;
use crate::app::doc::plots::is_derivative;
use crate::app::shell::app::App;
use crate::app::store::lab::DerivativeResult;
use crate::app::store::run::RunState;
use crate::app::ui::widgets::sentence;
use crate::model::{ParamAddress, SignalKey};

/// The most signals whose derivatives are plotted at once; others can be chosen in the list of signals.
const MAX_SIGNALS: usize = 8;

impl App {
    /// Plots the derivatives of the plotted signals by a parameter.
    pub(crate) fn plot_sensitivity(&mut self, param: &ParamAddress) {
        let Some(file) = &mut self.file else { return };
        let list = file.derived.plots();
        let mut signals: Vec<SignalKey> = list.drawn().into_iter().filter(|signal| !is_derivative(signal)).collect();
        if signals.is_empty() {
            signals = file.derived.exits_and_plots();
        }
        signals.truncate(MAX_SIGNALS);
        if signals.is_empty() {
            return self.complain("Plot a signal first; then its sensitivity can be plotted");
        }
        let (changed, plot) = list.with_derivatives(&signals, param);
        let label = format!("Plot sensitivity to {}", param.name);
        let change = changed.change(label, file.simulation());
        file.panels.plots.target = plot;
        self.apply(&change);
        self.window.layout.show(Panel::Plots);
    }

    /// Asks for the derivatives that the plots show, and adds them to their run. Called once per frame.
    pub(crate) fn follow_sensitivities(&mut self) {
        let Some(file) = &mut self.file else { return };
        let mut problem = None;
        if let Some(DerivativeResult { run, found, problems }) = file.lab.sensitivity.poll() {
            problem = problems.first().map(ToString::to_string);
            if let Some(run) = file.run.runs_mut().get_mut(run) {
                found.into_iter().for_each(|samples| samples.add_to(run));
            }
        }
        let wanted = file.derived.plots().derivatives();
        let is_moving = matches!(file.run.state, RunState::Running | RunState::Preparing) && file.run.shows_live();
        let before = file.lab.sensitivity.problem.clone();
        match file.run.runs().current() {
            _ if wanted.is_empty() => file.lab.sensitivity.forget(),
            Some(run) if run.steps > 0 && !is_moving => file.lab.sensitivity.follow(run, &wanted),
            _ => {}
        }
        // Some problems are found without a computation.
        let at_once = file.lab.sensitivity.problem.clone().filter(|now| before.as_ref() != Some(now));
        if let Some(problem) = problem.or(at_once) {
            self.complain(sentence(&problem));
        }
    }
}
