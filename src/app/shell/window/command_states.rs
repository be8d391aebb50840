//! The current state of commands: enabled, checked, label.

use crate::app::action::command::{
    Command, CommandDef, CommandStates, EditCommand, HelpCommand, Needs, RunCommand, ViewCommand,
};
use crate::app::shell::app::App;
use crate::app::shell::document::open_file::OpenFile;
use crate::app::store::run::RunState;

impl CommandStates for App {
    fn can(&self, needs: Needs) -> bool {
        let file = self.file.as_ref();
        let has_blocks = |file: &OpenFile| !file.canvas.selection().blocks.is_empty();
        match needs {
            Needs::Nothing => true,
            Needs::Document => file.is_some(),
            Needs::Undo => file.is_some_and(|file| file.document.undo_labels().next().is_some()),
            Needs::Redo => file.is_some_and(|file| file.document.redo_labels().next().is_some()),
            Needs::Selection => file.is_some_and(|file| !file.canvas.selection().is_empty()),
            Needs::Blocks => file.is_some_and(has_blocks),
            Needs::File => file.is_some_and(|file| file.path.is_some()),
            Needs::Unsaved => file.is_some_and(|file| file.path.is_some() && !file.document.is_saved()),
            Needs::Run => file.is_some_and(|file| file.run.is_active()),
            Needs::Samples => file.is_some_and(|file| !file.run.recording().is_empty()),
            Needs::Running => file.is_some_and(|file| file.run.state == RunState::Running),
            Needs::StepBefore => file.and_then(|file| file.run.shown_step()).is_some_and(|step| step > 0),
            Needs::Steps => file.is_some_and(|file| file.run.last_step().is_some()),
            Needs::Cursor => file.is_some_and(|file| file.run.chosen_step().is_some()),
            Needs::InnerModel => file.is_some_and(|file| !file.canvas.path().is_empty()),
            Needs::Pools => cfg!(feature = "pool"),
            Needs::Tabs => file.is_some_and(|file| file.tabs.count() > 1),
        }
    }

    fn is_on(&self, command: Command) -> Option<bool> {
        match command {
            Command::Run(RunCommand::ToggleLiveEdits) => Some(self.settings.takes_edits),
            Command::Run(RunCommand::ToggleGhost) => {
                Some(self.file.as_ref().is_none_or(|file| file.run.runs().shows_ghost))
            }
            Command::Run(RunCommand::ToggleHeat) => Some(self.window.shows_heat),
            Command::Diagram(command) => self.file.as_ref()?.canvas.view.shown.is_on(command),
            Command::View(ViewCommand::Theme(choice)) => Some(self.settings.theme == choice),
            Command::Run(RunCommand::Speed(choice)) => Some(self.settings.speed == choice),
            Command::View(ViewCommand::TogglePanel(panel)) => Some(self.window.layout.is_shown(panel)),
            Command::View(ViewCommand::DistractionFree) => Some(self.window.is_distraction_free),
            Command::View(ViewCommand::MaximizeLower) => Some(self.window.layout.is_maximized()),
            Command::Help(HelpCommand::ToggleDriving) => Some(self.settings.preferences.is_driven),
            Command::Run(RunCommand::PauseAtNonFinite) => Some(self.settings.stops_at_non_finite),
            _ => None,
        }
    }

    fn label_of(&self, def: &CommandDef) -> String {
        let file = self.file.as_ref();
        let document = file.map(|file| &file.document);
        let what = match def.command {
            Command::Edit(EditCommand::Undo) => document.and_then(|document| document.undo_labels().next()),
            Command::Edit(EditCommand::Redo) => document.and_then(|document| document.redo_labels().next()),
            Command::Run(RunCommand::Run) if file.is_some_and(|file| file.run.state.is_paused()) => {
                return "Resume".to_owned();
            }
            Command::Run(RunCommand::Step) if self.settings.step_by > 1 => {
                return format!("Step by {}", self.settings.step_by);
            }
            Command::Run(RunCommand::PlayRecorded) if file.is_some_and(|file| file.run.is_playing()) => {
                return "Pause playback".to_owned();
            }
            _ => None,
        };
        match what {
            Some(what) => format!("{} {}", def.label, lower_first(what)),
            None => def.label.to_owned(),
        }
    }
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => String::new(),
    }
}
