//! The player: a window that shows only the dashboard.

use eframe::egui::{self, CentralPanel, Frame, Key, Margin, Modifiers, Panel as Bar, RichText, Ui};

use crate::app::action::Action;
use crate::app::action::command::{Command, RunCommand};
use crate::app::shell::app::App;
use crate::app::store::files::file_name;
use crate::app::store::run::RunState;
use crate::app::ui::icons::Icon;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::app::ui::{numbers, style};

impl App {
    /// Draws the window of the player: run buttons and the dashboard.
    pub(crate) fn player_ui(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        self.player_keys(&ctx);
        self.dialog_ui(&ctx);
        let theme = theme_of(&ctx);
        let mut actions = Vec::new();
        let bar = Frame::new().fill(theme.window).inner_margin(Margin { left: 12, right: 12, top: 6, bottom: 6 });
        Bar::top("player").frame(bar).exact_size(46.0).show(ui, |ui| self.player_bar_ui(ui, &mut actions));
        CentralPanel::default().frame(Frame::new().fill(theme.panel)).show(ui, |ui| {
            actions.extend(self.dashboard_ui(ui));
        });
        actions.into_iter().for_each(|action| self.act(action));
        self.set_title(&ctx);
    }

    fn player_bar_ui(&self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let theme = theme_of(ui.ctx());
        ui.horizontal_centered(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0 * SPACE;
            let Some(file) = &self.file else { return };
            let (command, label) = match file.run.state {
                RunState::Running | RunState::Preparing => (Command::Run(RunCommand::Pause), "Pause"),
                RunState::Paused | RunState::PausedByError(_) => (Command::Run(RunCommand::Run), "Resume"),
                _ => (Command::Run(RunCommand::Run), "Run"),
            };
            if widgets::main_button_ui(ui, label).clicked() {
                actions.push(Action::Command(command));
            }
            let can_stop = file.run.is_active();
            let stop = widgets::icon_button_if_ui(ui, Icon::Stop, "Stop", can_stop);
            if stop.on_hover_text("End the run (Shift+F5)").clicked() && can_stop {
                actions.push(Action::Command(Command::Run(RunCommand::Stop)));
            }
            let name = file.path.as_deref().map_or_else(|| file.name.clone(), file_name);
            let title = file.simulation().attributes.get("title").map(str::trim).filter(|title| !title.is_empty());
            let title = title.unwrap_or_else(|| name.trim_end_matches(".simx"));
            ui.label(RichText::new(title).font(style::strong(crate::app::ui::theme::TEXT)));
            if file.run.is_stale && !file.run.is_active() {
                ui.label(RichText::new("Changed since this run").size(TEXT_SMALL).color(theme.warning));
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                ui.label(RichText::new(numbers::seconds(file.run.progress.time)).monospace());
                if let Some(message) = &self.window.message {
                    let color = if message.is_problem { theme.error } else { theme.text_weak };
                    ui.label(RichText::new(&message.text).size(TEXT_SMALL).color(color));
                }
            });
        });
    }

    /// Only run commands have shortcuts here.
    fn player_keys(&mut self, ctx: &egui::Context) {
        for (modifiers, key, command) in [
            (Modifiers::SHIFT, Key::F5, Command::Run(RunCommand::Stop)),
            (Modifiers::NONE, Key::F5, Command::Run(RunCommand::Run)),
            (Modifiers::NONE, Key::F6, Command::Run(RunCommand::Pause)),
        ] {
            if ctx.input_mut(|input| input.consume_key(modifiers, key)) {
                self.dispatch(command);
            }
        }
    }
}
