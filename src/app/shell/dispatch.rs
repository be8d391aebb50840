//! The only way from a click or a key to a change: passes commands and actions on to the part of the shell that carries
//! them out.

use super::app::App;
use super::document::open_file::OpenFile;
use crate::app::action::Action;
use crate::app::action::command::{Command, CommandStates, EditCommand};

impl App {
    /// Carries out an action.
    pub fn act(&mut self, action: Action) {
        match action {
            Action::Command(command) => self.dispatch(command),
            Action::Apply(change) => {
                self.apply(&change);
            }
            Action::File(action) => self.act_on_files(action),
            Action::Edit(action) => self.act_on_document(action),
            Action::View(action) => self.act_on_view(action),
            Action::Plots(action) => self.act_on_plots(action),
            Action::Dashboard(action) => self.act_on_dashboard(action),
            Action::Run(action) => self.act_on_run(action),
            Action::Lab(action) => self.act_in_lab(action),
            Action::Review(action) => self.act_on_review(action),
            Action::Say(text) => self.say(text),
            Action::Complain(text) => self.complain(text),
        }
    }

    /// Carries out a command, if it is enabled.
    pub fn dispatch(&mut self, command: Command) {
        // The last pressed widget is removed, if no block is selected.
        if command == Command::Edit(EditCommand::Delete) && self.delete_pinned() {
            return;
        }
        if command.def().is_some_and(|def| !self.can(def.needs)) {
            return;
        }
        match command {
            Command::File(command) => self.file_command(command),
            Command::Edit(command) => self.edit_command(command),
            Command::Diagram(command) => self.diagram_command(command),
            Command::View(command) => self.view_command(command),
            Command::Run(command) => self.run_command(command),
            Command::Help(command) => self.help_command(command),
        }
    }

    pub(super) fn with_file(&mut self, act: impl FnOnce(&mut OpenFile)) {
        if let Some(file) = &mut self.file {
            act(file);
        }
    }
}
