//! The dashboard as the window draws it: in its panel, and alone in the player.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::{self, CentralPanel, Frame, Key, Margin, Modifiers, Panel as Bar, RichText, Ui};

use super::panel_states::PanelStates;
use super::state::App;
use crate::app::action::command::{Command, RunCommand};
use crate::app::action::path_request::PathRequest;
use crate::app::action::{Action, DashboardAction};
use crate::app::canvas::Canvas;
use crate::app::doc::dashboard::{Image, ParamKey, WidgetHost, pinned};
use crate::app::panels::{dashboard, plots};
use crate::app::store::files::{self, file_name};
use crate::app::store::jobs::About;
use crate::app::store::run::RunState;
use crate::app::ui::icons::Icon;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::app::ui::{numbers, style};
use crate::model::{BlockId, SignalKey};

impl App {
    /// Carries out an action on dashboards.
    pub(super) fn act_on_dashboard(&mut self, action: DashboardAction) {
        match action {
            DashboardAction::Turn { param, value } => self.turn(&param, value),
            DashboardAction::PinWidget { number, at } => self.pin_widget(number, at),
            DashboardAction::ChoosePicture { number } => self.ask_path(PathRequest::Picture { widget: number }),
            DashboardAction::KeepPicture { block, number, path } => self.keep_picture(block, number, path),
        }
    }

    /// The dashboard of the open file.
    pub(super) fn dashboard_ui(&mut self, ui: &mut Ui) -> Vec<Action> {
        let ctx = ui.ctx().clone();
        self.with_board(&ctx, |view, board, plot_ui, _| dashboard::show_ui(ui, board, view, plot_ui))
    }

    /// The controls and instruments on the diagram that fills `screen`.
    pub(super) fn on_canvas_ui(&mut self, ui: &mut Ui, screen: egui::Rect) -> Vec<Action> {
        let ctx = ui.ctx().clone();
        self.with_board(&ctx, |view, board, plot_ui, canvas| {
            dashboard::on_canvas_ui(ui, board, view, (canvas, screen), plot_ui)
        })
    }

    /// Calls `draw` with the data of widgets.
    fn with_board<R: Default>(
        &mut self,
        ctx: &egui::Context,
        draw: impl FnOnce(&dashboard::DashboardView, &mut dashboard::DashboardState, dashboard::PlotUi, &Canvas) -> R,
    ) -> R {
        let Some(file) = &mut self.file else { return R::default() };
        let simulation = Arc::clone(file.document.simulation());
        let (run, registry) = (&file.run, &self.registry);
        let source = plots::PlotData {
            simulation: &simulation,
            derived: &file.derived,
            list: file.derived.plots(),
            recording: run.recording(),
            program: file.program.as_deref(),
            others: &[],
            band: None,
            is_stale: run.is_stale && !run.is_active(),
            end: run.end(),
            theme: theme_of(ctx),
        };
        let values = |signal: &SignalKey| run.value(signal);
        let view = dashboard::DashboardView {
            simulation: &simulation,
            registry,
            revision: file.document.revision(),
            derived: &file.derived,
            dashboard: file.derived.dashboard(),
            values: &values,
            folder: file.path.as_deref().and_then(std::path::Path::parent),
            is_player: self.is_player,
        };
        let PanelStates { plots: shared, board, .. } = &mut file.panels;
        let mut plot_ui = |ui: &mut Ui, rect: egui::Rect, number: usize, signal: &SignalKey| {
            plots::small_ui(ui, rect, shared, &source, number, signal);
        };
        draw(&view, board, &mut plot_ui, &file.canvas)
    }

    /// Sets a parameter in the run during a drag of a control.
    pub(super) fn turn(&mut self, param: &ParamKey, value: f64) {
        self.with_file(|file| file.run.turn_element(&param.path, param.block, &param.name, param.element, value));
    }

    /// Moves a widget from the panel to the diagram.
    pub(super) fn pin_widget(&mut self, number: usize, at: egui::Pos2) {
        if self.layout.canvas_rect.is_none_or(|rect| !rect.contains(at)) {
            return;
        }
        let ctx = self.ctx.clone();
        let change = self.with_board(&ctx, |view, _, _, canvas| dashboard::pin_change(view, canvas, number, at));
        match change {
            Some(change) => {
                self.apply(&change);
            }
            None => self.complain("Only widgets bound to a block of this diagram can be placed on it"),
        }
    }

    /// Reads a picture and stores it in the simulation instead of its file name.
    pub(super) fn keep_picture(&mut self, block: Option<BlockId>, number: usize, path: PathBuf) {
        let state = self.state_id();
        let about = About { title: format!("Reading {}", file_name(&path)), path: Some(path.clone()), must_end: false };
        let work = move || {
            let bytes = files::read_bounded(&path, Image::MAX_BYTES as u64);
            bytes.map_err(|error| format!("{}: {error}", path.display()))
        };
        self.jobs.start(about, work, move |app, read| {
            // The number may be that of another widget now.
            let Some(file) = app.file.as_ref().filter(|_| app.state_id() == state) else {
                return app.complain("The picture was not stored: the simulation changed meanwhile; try again");
            };
            let image = match read {
                Ok(bytes) => Image::Embedded(bytes.into()),
                Err(why) => {
                    return app.complain(format!("{why}; only pictures of up to 256 KB are stored in the simulation"));
                }
            };
            let simulation = Arc::clone(file.simulation());
            let open = file.canvas.open_model(&simulation);
            let on_block = block.and_then(|id| open.and_then(|model| Some((id, model, model.block(id)?))));
            let widgets = on_block.map(|(.., block)| pinned(block, file.canvas.path(), &simulation, &app.registry));
            let host = match (on_block, &widgets) {
                (Some((id, model, _)), Some(widgets)) => WidgetHost::Block { model: &model.name, id, widgets },
                _ if block.is_none() => WidgetHost::Board(file.derived.dashboard()),
                _ => return,
            };
            let label = "Store picture in the simulation";
            let change = host.with(label, number, |widget| widget.image = Some(image));
            app.apply(&change);
        });
    }

    /// Removes the last clicked widget on the diagram; returns false if no widget was clicked.
    pub(super) fn delete_pinned(&mut self) -> bool {
        let Some(file) = &mut self.file else { return false };
        let Some((id, number)) = file.panels.board.take_pointed() else { return false };
        let simulation = file.simulation();
        let Some(model) = file.canvas.open_model(simulation) else { return false };
        let Some(block) = model.block(id) else { return false };
        let widgets = pinned(block, file.canvas.path(), simulation, &self.registry);
        let host = WidgetHost::Block { model: &model.name, id, widgets: &widgets };
        let change = host.without("Remove widget from the canvas", number);
        self.apply(&change)
    }

    /// Draws the window of the player: run buttons and the dashboard.
    pub(super) fn player_ui(&mut self, ui: &mut Ui) {
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
                if let Some(message) = &self.message {
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
