//! Actions on plots and recorded signals.

use crate::app::action::PlotsAction;
use crate::app::action::command::Panel;
use crate::app::doc::plots::Recorded;
use crate::app::shell::app::App;
use crate::model::SignalKey;

impl App {
    /// Carries out an action on plots.
    pub(crate) fn act_on_plots(&mut self, action: PlotsAction) {
        match action {
            PlotsAction::Plot(signals) => self.plot(&signals),
            PlotsAction::Unplot(signals) => self.unplot(&signals),
            PlotsAction::PlotIn { signals, plot } => {
                self.with_file(|file| file.panels.plots.target = plot);
                self.plot(&signals);
            }
            PlotsAction::Record { signals, is_recorded } => self.record(&signals, is_recorded),
            PlotsAction::OpenScope { path, block } => {
                self.with_file(|file| file.panels.plots.open_scope(&path, block));
                self.watch();
            }
        }
    }

    /// Updates the recorded signals of the run.
    pub(crate) fn watch(&mut self) {
        if let Some(file) = &mut self.file {
            file.watch(&self.blocks.registry);
        }
    }

    pub(crate) fn record(&mut self, signals: &[SignalKey], is_recorded: Recorded) {
        let Some(file) = &self.file else { return };
        let what = match signals {
            [signal] => crate::app::doc::plots::name_of(file.simulation(), signal),
            several => format!("{} signals", several.len()),
        };
        let label = match is_recorded {
            Recorded::Yes => format!("Record {what}"),
            Recorded::No => format!("Stop recording {what}"),
        };
        let change = file.derived.plots().with_recorded(signals, is_recorded).change(label, file.simulation());
        self.apply(&change);
    }

    /// Adds signals to the chosen plot.
    pub fn plot(&mut self, signals: &[SignalKey]) {
        let Some(file) = &self.file else { return };
        let new: Vec<&SignalKey> = signals.iter().filter(|signal| !file.derived.plots().contains(signal)).collect();
        let Some(first) = new.first() else {
            self.window.layout.show(Panel::Plots);
            return;
        };
        let label = match new.len() {
            1 => format!("Plot {}", crate::app::doc::plots::name_of(file.simulation(), first)),
            count => format!("Plot {count} signals"),
        };
        let change = file.derived.plots().with(signals, file.panels.plots.target).change(label, file.simulation());
        self.apply(&change);
        self.window.layout.show(Panel::Plots);
    }

    pub(crate) fn unplot(&mut self, signals: &[SignalKey]) {
        let Some(file) = &self.file else { return };
        let label = match signals {
            [signal] => format!("Remove {} from plot", crate::app::doc::plots::name_of(file.simulation(), signal)),
            _ => format!("Remove {} signals from plot", signals.len()),
        };
        let change = file.derived.plots().without(signals, None).change(label, file.simulation());
        self.apply(&change);
    }
}
