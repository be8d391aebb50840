//! Draws the window: menus and bars around the panels, dialogs in front.

use std::time::Instant;

use eframe::egui::{self, Frame, Margin, Panel as Bar, Stroke, Ui};

use super::ending::keep;
use super::layout::Layout;
use crate::app::action::Action;
use crate::app::action::command::Panel;
use crate::app::action::path_request::is_data;
use crate::app::panels::{menu, status, toolbar, welcome};
use crate::app::shell::app::App;
use crate::app::store::files::file_name;
use crate::app::store::run::RunState;
use crate::app::ui::icons::Icon;
use crate::app::ui::widgets::{self, theme_of};
use crate::engine::Engines;

impl App {
    /// Draws everything and handles all input. Called in each frame of a window that is shown, after [`App::logic`].
    ///
    /// # Panics
    /// If an error in the program makes a part of it panic; the unsaved work was kept before, and the panic is an
    /// [`Ended`](crate::app::shell::document::recovery::Ended).
    pub fn ui(&mut self, ui: &mut Ui) {
        self.guard(|app| app.frame_ui(ui));
    }

    /// Does the work of each frame that is needed even while the window is hidden and nothing is drawn: takes the
    /// results of jobs and keeps unsaved work.
    ///
    /// # Panics
    /// As [`App::ui`].
    pub fn logic(&mut self) {
        self.guard(|app| {
            app.poll_jobs();
            app.answer_programs();
            app.describe_selected_fmu();
            app.keep_recovery(Instant::now());
        });
    }

    fn frame_ui(&mut self, ui: &mut Ui) {
        self.poll();
        self.follow_lab();
        let ctx = ui.ctx().clone();
        if self.window.is_player {
            self.player_ui(ui);
            return;
        }
        self.keys(&ctx);
        self.dropped_files(&ctx);
        self.closing(&ctx);
        // The topmost window gets the keys first.
        self.dialog_ui(&ctx);
        self.quick_insert_ui(&ctx);
        if self.window.is_distraction_free && self.file.is_some() {
            return self.diagram_alone_ui(ui);
        }
        let theme = theme_of(&ctx);
        let bar = |margin: Margin| Frame::new().fill(theme.window).inner_margin(margin);
        let mut actions = Vec::new();
        let narrow = bar(Margin { left: 8, right: 8, top: 3, bottom: 1 });
        Bar::top("menu").frame(narrow).show_separator_line(false).show(ui, |ui| {
            let view = menu::MenuView { commands: self, recent: &self.settings.recent };
            actions.extend(menu::show_ui(ui, &view));
        });
        let mut state = self.file.as_mut().map(|file| std::mem::take(&mut file.panels.time)).unwrap_or_default();
        if let Some(file) = &self.file {
            let tools = bar(Margin { left: 10, right: 10, top: 3, bottom: 5 });
            let view = toolbar::ToolbarView {
                commands: self,
                run: &file.run,
                simulation: file.simulation(),
                speed: self.settings.speed,
                play_rate: self.settings.play_rate,
                step_by: self.settings.step_by,
            };
            let bar = Bar::top("tools").frame(tools).exact_size(40.0);
            bar.show(ui, |ui| actions.extend(toolbar::show_ui(ui, &mut state, &view)));
            self.with_file(|file| file.panels.time = state);
        }
        if let Some(file) = self.file.as_ref().filter(|file| file.is_elsewhere) {
            let strip = Frame::new().fill(theme.panel).inner_margin(Margin { left: 10, right: 8, top: 4, bottom: 4 });
            let text =
                format!("{} is open in another window too; whoever saves last is asked before overwriting", file.name);
            Bar::top("elsewhere").frame(strip).show(ui, |ui| ui.label(text));
        }
        self.changed_outside_ui(ui);
        self.imported_ui(ui);
        let line = bar(Margin { left: 10, right: 8, top: 2, bottom: 2 });
        let document = self.file.as_ref().map(|file| status::DocumentStatus {
            run: &file.run,
            simulation: file.simulation(),
            program: file.program.as_deref(),
            diagnostics: &file.diagnostics,
            pointer: file.pointer,
            zoom: file.canvas.view.zoom(),
        });
        let view = status::StatusView { document, job: self.jobs.shown(), message: self.window.message.as_ref() };
        Bar::bottom("status").frame(line).exact_size(26.0).show(ui, |ui| actions.extend(status::show_ui(ui, &view)));
        let rest = Frame::new().fill(theme.window);
        egui::CentralPanel::default().frame(rest).show(ui, |ui| match self.file.is_some() {
            true => self.panels_ui(ui, &mut actions),
            false => {
                let engine = self.components.engines.get(Engines::DEFAULT);
                let view = welcome::ExampleView { registry: &self.blocks.registry, engine };
                actions.extend(welcome::show_ui(ui, &mut self.window.welcome, &self.settings, &view));
            }
        });
        for action in actions {
            self.act(action);
        }
        self.scopes_ui(&ctx);
        self.tour_ui(&ctx);
        self.drop_hint_ui(&ctx);
        self.set_title(&ctx);
        self.with_file(|file| file.was_drawn = true);
    }

    /// Draws the diagram without bars and panels, with a button that brings them back.
    fn diagram_alone_ui(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        let mut actions = Vec::new();
        let frame = Frame::new().fill(theme_of(&ctx).window);
        let shown = egui::CentralPanel::default().frame(frame).show(ui, |ui| {
            let rect = ui.max_rect();
            self.window.layout.canvas_rect = Some(rect);
            self.panel_ui(ui, Panel::Canvas, Some(rect), &mut actions);
        });
        let corner = shown.response.rect.right_top() + egui::vec2(-38.0, 6.0);
        egui::Area::new(egui::Id::unique("end distraction-free")).fixed_pos(corner).show(&ctx, |ui| {
            let button = widgets::icon_button_ui(ui, Icon::Close, "End distraction-free");
            if button.on_hover_text("Show all bars and panels (F11)").clicked() {
                self.window.is_distraction_free = false;
            }
        });
        actions.into_iter().for_each(|action| self.act(action));
        self.scopes_ui(&ctx);
        self.drop_hint_ui(&ctx);
        self.set_title(&ctx);
        self.with_file(|file| file.was_drawn = true);
    }

    fn panels_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let Some(file) = &self.file else { return };
        let problems = file.diagnostics.all().len();
        let tall_plots = file.panels.plots.is_tall(file.derived.plots());
        // The layout is taken out, because the panels need the rest of the state.
        let mut layout = std::mem::replace(&mut self.window.layout, Layout::none());
        let canvas = layout.canvas_rect;
        layout.fit_lower(tall_plots);
        layout.ui(ui, problems, &mut |ui, panel| self.panel_ui(ui, panel, canvas, actions));
        self.window.layout = layout;
    }

    fn drop_hint_ui(&self, ctx: &egui::Context) {
        let hovered = ctx.input(|input| input.raw.hovered_files.first().map(|file| file.path.clone()));
        let Some(path) = hovered else { return };
        let text = match path.filter(|path| self.file.is_some() && is_data(path)) {
            Some(_) => "Drop to fit parameters to these curves",
            None => "Drop to open",
        };
        let theme = theme_of(ctx);
        let layer = egui::LayerId::new(egui::Order::Foreground, egui::Id::unique("drop hint"));
        let painter = ctx.layer_painter(layer);
        let rect = ctx.content_rect().shrink(8.0);
        let fill = theme.accent.gamma_multiply(0.12);
        painter.rect(rect, 10.0, fill, Stroke::new(2.0, theme.accent), egui::StrokeKind::Inside);
        let font = crate::app::ui::style::strong(crate::app::ui::theme::TEXT_TITLE);
        painter.text(rect.center(), egui::Align2::CENTER_CENTER, text, font, theme.accent);
    }

    pub(crate) fn set_title(&mut self, ctx: &egui::Context) {
        let title = match &self.file {
            Some(file) => {
                let name = file.path.as_deref().map_or_else(|| file.name.clone(), file_name);
                let star = if file.document.is_saved() { "" } else { "*" };
                let run = match file.run.state {
                    RunState::Running => " (running)",
                    RunState::Paused | RunState::PausedByError(_) => " (paused)",
                    _ => "",
                };
                format!("{name}{star}{run} – Simulate")
            }
            None => "Simulate".to_owned(),
        };
        if title != self.window.title {
            ctx.send_viewport_cmd(egui::ViewportCommand::Title(title.clone()));
            self.window.title = title;
        }
    }

    /// Saves the settings and removes the recovery copy at the exit.
    pub fn finish(&mut self) {
        self.with_file(|file| file.run.stop());
        // Errors cannot be shown any more; the old file is then unchanged.
        self.jobs.finish();
        self.settings.layout = self.window.layout.remember();
        let _ = self.settings.save();
        // A user who closes the window has saved the work or discarded it; when the display is lost, no one was asked.
        if self.is_unsaved() && !self.window.may_quit && !self.window.is_player {
            self.share_unsaved_work();
            keep(&self.documents.recovery.shared);
        } else {
            self.documents.recovery.shared.clear();
            self.documents.recovery.finish();
        }
    }
}
