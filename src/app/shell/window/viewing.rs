//! Commands and actions that change the view.

use std::time::Instant;

use eframe::egui;

use super::layout::Layout;
use crate::app::action::ViewAction;
use crate::app::action::command::{Command, FileCommand, HelpCommand, Panel, ViewCommand};
use crate::app::dialogs::{CommandSearch, Dialog, LicenceList, ShortcutEditor};
use crate::app::panels::help::HelpPage;
use crate::app::panels::status::Message;
use crate::app::shell::app::App;
use crate::app::store::log::CONTENT;
use crate::app::store::manual::Chapter;
use crate::app::ui::theme::ThemeChoice;
use crate::model::BlockId;

impl App {
    /// Carries out an action on the view.
    pub(crate) fn act_on_view(&mut self, action: ViewAction) {
        match action {
            ViewAction::GoTo { path, block } => self.go_to(path, block),
            ViewAction::OpenModel { model, block } => {
                let way = self.file.as_ref().and_then(|file| file.way_to(&model));
                match way {
                    Some(path) => self.go_to(path, block),
                    None => self
                        .complain(format!("“{model}” is not used under the root model; make it the root to open it")),
                }
            }
            ViewAction::ShowPanel(panel) => self.window.layout.show(panel),
            ViewAction::Help(kind) => {
                self.with_file(|file| file.panels.help.turn_to(HelpPage::Block(kind)));
                self.window.layout.show(Panel::Help);
            }
            ViewAction::ShowChapter(chapter) => self.show_manual(Some(chapter)),
            ViewAction::OpenTab(tab) => self.turn_tab(|tabs| tabs.turn_to(tab)),
            ViewAction::CloseTab(tab) => self.turn_tab(|tabs| tabs.close(tab)),
            ViewAction::OpenCode { model, block } => {
                self.act_on_view(ViewAction::OpenModel { model, block: Some(block) });
                self.with_file(|file| file.canvas.open_code(block));
            }
            ViewAction::OpenModelInTab(model) => match self.file.as_ref().and_then(|file| file.way_to(&model)) {
                Some(path) => self.turn_tab(|tabs| {
                    tabs.add(path.clone());
                    Some(path)
                }),
                None => self.complain(format!("“{model}” is not used under the root model")),
            },
        }
    }

    /// Carries out a command on the view.
    pub(crate) fn view_command(&mut self, command: ViewCommand) {
        match command {
            ViewCommand::ZoomIn => self.with_file(|file| file.canvas.view.zoom_in()),
            ViewCommand::ZoomOut => self.with_file(|file| file.canvas.view.zoom_out()),
            ViewCommand::ZoomReset => self.with_file(|file| file.canvas.view.set_zoom(1.0)),
            ViewCommand::ZoomFit => self.with_file(|file| file.canvas.view.fit()),
            ViewCommand::GoUp => self.with_file(|file| file.canvas.go_up()),
            ViewCommand::OpenInTab => self.open_in_tab(),
            ViewCommand::NextTab => self.turn_tab(|tabs| tabs.turn_by(1)),
            ViewCommand::PreviousTab => self.turn_tab(|tabs| tabs.turn_by(-1)),
            ViewCommand::CloseTab => self.turn_tab(|tabs| tabs.close(tabs.open())),
            ViewCommand::SplitView => self.split(),
            ViewCommand::Theme(choice) => {
                self.settings.theme = choice;
                self.apply_theme();
                self.save_settings();
            }
            ViewCommand::TogglePanel(panel) => self.window.layout.toggle(panel),
            ViewCommand::MaximizeLower => self.window.layout.toggle_maximized(),
            ViewCommand::LargerText => self.scale_text(1.1),
            ViewCommand::SmallerText => self.scale_text(1.0 / 1.1),
            ViewCommand::DistractionFree => self.window.is_distraction_free = !self.window.is_distraction_free,
            ViewCommand::ResetLayout => self.window.layout = Layout::default(),
            ViewCommand::SimulationSettings => {
                self.with_file(|file| file.canvas.select(Default::default()));
                self.window.layout.show(Panel::Inspector);
            }
        }
    }

    /// Carries out a command that explains the program.
    pub(crate) fn help_command(&mut self, command: HelpCommand) {
        match command {
            HelpCommand::Help => self.help_on_selection(),
            HelpCommand::Manual => self.show_manual(None),
            HelpCommand::Tour(tour) => self.begin_tour(tour),
            HelpCommand::WhatIsNew => self.show_manual(Chapter::named("whats-new.md")),
            HelpCommand::CommandPalette => self.window.dialog = Dialog::Commands(CommandSearch::default()),
            HelpCommand::Shortcuts => self.window.dialog = Dialog::Shortcuts(ShortcutEditor::default()),
            HelpCommand::Plugins => self.show_plugins(),
            HelpCommand::ToggleDriving => self.toggle_driving(),
            HelpCommand::Report => self.show_report(),
            HelpCommand::Licences => self.window.dialog = Dialog::Licences(LicenceList::default()),
            HelpCommand::About => self.window.dialog = Dialog::About,
        }
    }

    fn help_on_selection(&mut self) {
        let Some(file) = &mut self.file else { return };
        let model = file.canvas.open_model(file.document.simulation());
        let selected = file.canvas.selection().blocks.first();
        let block = selected.and_then(|id| model.and_then(|model| model.block(*id)));
        match block {
            Some(block) => file.panels.help.turn_to(HelpPage::Block(block.kind.clone())),
            None => file.panels.help.ask(),
        }
        self.window.layout.show(Panel::Help);
    }

    /// Shows the manual: a chapter, or the list of all. Without a simulation it is shown beside an empty one, in which its
    /// steps can be followed.
    pub(crate) fn show_manual(&mut self, chapter: Option<&'static Chapter>) {
        if self.file.is_none() {
            self.dispatch(Command::File(FileCommand::New));
        }
        self.with_file(|file| match chapter {
            Some(chapter) => file.panels.help.turn_to(HelpPage::Chapter(chapter)),
            None => file.panels.help.turn_to_contents(),
        });
        self.window.layout.show(Panel::Help);
    }

    pub(crate) fn go_to(&mut self, path: Vec<BlockId>, block: Option<BlockId>) {
        self.window.layout.show(Panel::Canvas);
        self.with_file(|file| file.canvas.go_to(path, block));
    }

    pub fn say(&mut self, text: impl Into<String>) {
        self.window.message = Some(Message { text: text.into(), is_problem: false, since: Instant::now() });
    }

    pub fn complain(&mut self, text: impl Into<String>) {
        let text = text.into();
        tracing::warn!({ CONTENT } = text, "a problem was shown");
        self.window.message = Some(Message { text, is_problem: true, since: Instant::now() });
    }

    pub(crate) fn apply_theme(&self) {
        self.ctx.set_theme(match self.settings.theme {
            ThemeChoice::Light => egui::ThemePreference::Light,
            ThemeChoice::Dark => egui::ThemePreference::Dark,
            ThemeChoice::System => egui::ThemePreference::System,
        });
    }

    pub(crate) fn scale_text(&mut self, factor: f32) {
        self.settings.text_size = (self.settings.text_size * factor).clamp(0.6, 3.0);
        if (self.settings.text_size - 1.0).abs() < 0.04 {
            self.settings.text_size = 1.0;
        }
        self.ctx.set_zoom_factor(self.settings.text_size);
        self.save_settings();
    }
}
