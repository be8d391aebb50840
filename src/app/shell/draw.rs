//! Draws the window: menus and bars around the panels, dialogs in front. Handles keys, dropped files and closing of
//! the window.

use std::sync::Arc;

use eframe::egui::{self, Color32, Event, Frame, Margin, Panel as Bar, Stroke, Ui};

use super::layout::Layout;
use super::state::{App, OpenFile};
use crate::app::action::command::{Command, EditCommand, HelpCommand, Panel};
use crate::app::action::{Action, AfterSave, PlotsAction, ViewAction, shortcuts};
use crate::app::canvas::{CanvasOutput, CanvasView, DocumentView};
use crate::app::doc::plots::Recorded;
use crate::app::doc::uses;
use crate::app::panels::{
    analysis, blocks, breadcrumbs, cause, find, help, history, inspector, menu, models, plots, problems, quick_insert,
    runs, status, step, sweep, tabs, time, toolbar, welcome,
};
use crate::app::store::files::file_name;
use crate::app::store::run::{RunSession, RunState};
use crate::app::ui::widgets::theme_of;
use crate::block::Registry;
use crate::model::{Position, SignalKey, Simulation};

impl App {
    /// Draws everything and handles all input. Called once per frame.
    pub fn ui(&mut self, ui: &mut Ui) {
        self.poll();
        self.follow_lab();
        let ctx = ui.ctx().clone();
        if self.is_player {
            self.player_ui(ui);
            return;
        }
        self.keys(&ctx);
        self.dropped_files(&ctx);
        self.closing(&ctx);
        // The topmost window gets the keys first.
        self.dialog_ui(&ctx);
        self.quick_insert_ui(&ctx);
        let theme = theme_of(&ctx);
        let bar = |margin: Margin| Frame::new().fill(theme.window).inner_margin(margin);
        let mut actions = Vec::new();
        let narrow = bar(Margin { left: 8, right: 8, top: 3, bottom: 1 });
        Bar::top("menu").frame(narrow).show_separator_line(false).show(ui, |ui| {
            let view = menu::MenuView { commands: self, recent: &self.settings.recent };
            actions.extend(menu::show_ui(ui, &view));
        });
        if let Some(file) = &self.file {
            let tools = bar(Margin { left: 10, right: 10, top: 3, bottom: 5 });
            let view = toolbar::ToolbarView {
                commands: self,
                run: &self.run,
                simulation: file.simulation(),
                speed: self.settings.speed,
                zoom: file.canvas.zoom(),
            };
            Bar::top("tools").frame(tools).exact_size(40.0).show(ui, |ui| actions.extend(toolbar::show_ui(ui, &view)));
        }
        let line = bar(Margin { left: 10, right: 8, top: 2, bottom: 2 });
        let file = self.file.as_ref();
        let view = status::StatusView {
            run: &self.run,
            simulation: file.map(|file| &**file.simulation()),
            program: file.and_then(|file| file.program.as_deref()),
            diagnostics: file.map_or(&[], |file| &file.diagnostics),
            job: self.jobs.shown(),
            message: self.message.as_ref(),
            pointer: self.pointer,
        };
        Bar::bottom("status").frame(line).exact_size(26.0).show(ui, |ui| actions.extend(status::show_ui(ui, &view)));
        // Also before the first run, so that nothing moves when one starts.
        if self.file.is_some() {
            let frame = Frame::new().fill(theme.panel).inner_margin(Margin { left: 10, right: 8, top: 3, bottom: 3 });
            let mut state = std::mem::take(&mut self.time);
            let view = time::TimeBarView {
                commands: self,
                run: &self.run,
                play_rate: self.settings.play_rate,
                step_by: self.settings.step_by,
            };
            Bar::bottom("time")
                .frame(frame)
                .exact_size(36.0)
                .show(ui, |ui| actions.extend(time::show_ui(ui, &mut state, &view)));
            self.time = state;
        }
        let rest = Frame::new().fill(theme.window);
        egui::CentralPanel::default().frame(rest).show(ui, |ui| match self.file.is_some() {
            true => self.panels_ui(ui, &mut actions),
            false => actions.extend(welcome::show_ui(ui, &self.settings)),
        });
        for action in actions {
            self.act(action);
        }
        self.scopes_ui(&ctx);
        self.drop_hint_ui(&ctx);
        self.set_title(&ctx);
        self.was_drawn |= self.file.is_some();
    }

    fn panels_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let Some(file) = &self.file else { return };
        let problems = file.diagnostics.len();
        // The layout is taken out, because the panels need the rest of the state.
        let mut layout = std::mem::replace(&mut self.layout, Layout::none());
        let canvas = layout.canvas_rect;
        layout.ui(ui, problems, &mut |ui, panel| self.panel_ui(ui, panel, canvas, actions));
        self.layout = layout;
    }

    fn panel_ui(&mut self, ui: &mut Ui, panel: Panel, canvas: Option<egui::Rect>, actions: &mut Vec<Action>) {
        if panel == Panel::Canvas {
            self.canvas_ui(ui, actions);
            return;
        }
        let Some(file) = &self.file else { return };
        let simulation = Arc::clone(file.simulation());
        let model = file.canvas.open_model(&simulation);
        actions.extend(match panel {
            Panel::Canvas => Vec::new(),
            Panel::Blocks => {
                let view = blocks::BlocksView {
                    simulation: &simulation,
                    registry: &self.registry,
                    canvas,
                    favourites: &self.settings.favourites,
                    used: &self.settings.used,
                    libraries: &self.libraries,
                };
                blocks::show_ui(ui, &mut self.blocks, &view)
            }
            Panel::Models => {
                let open = model.map(|model| &*model.name);
                models::show_ui(ui, &mut self.models, &simulation, open)
            }
            Panel::Inspector => {
                let Some(model) = model else { return };
                let path = file.canvas.path();
                let acts = |block: crate::model::BlockId, name: &str| self.run.acts(path, block, name);
                let view = inspector::InspectorView {
                    simulation: &simulation,
                    registry: &self.registry,
                    model,
                    selection: &file.canvas.selection().blocks,
                    diagnostics: &file.diagnostics,
                    acts: self.run.is_active().then_some(&acts),
                    stops_at_non_finite: self.settings.stops_at_non_finite,
                    engine: (&self.components.engines, &self.settings.engine, self.settings.threads),
                    verdicts: file.program.as_ref().and_then(|program| self.engine_checks.of(program)),
                    run: &self.run,
                    path,
                };
                inspector::show_ui(ui, &mut self.inspector, &view)
            }
            Panel::Plots => {
                let others = plots::others(&self.run);
                let view = plots_view(&self.run, &self.registry, file, &simulation, &others);
                plots::show_ui(ui, &mut self.plots, &view)
            }
            Panel::Help => {
                let selected = file.canvas.selection().single_block();
                let block = selected.and_then(|id| model.and_then(|model| model.block(id)));
                let kind = block.map(|block| &block.kind);
                help::show_ui(ui, &mut self.help, &simulation, &self.registry, kind)
            }
            Panel::Find => {
                let state = (file.number, file.document.revision());
                let view = find::FindView { simulation: &simulation, registry: &self.registry, state };
                find::show_ui(ui, &mut self.find, &view)
            }
            Panel::Dashboard => self.dashboard_ui(ui),
            Panel::History => history::show_ui(ui, &file.document),
            Panel::Runs => {
                let (runs_megabytes, past_megabytes) = (self.settings.runs_megabytes, self.settings.past_megabytes);
                let on_disk = self.spill_file.size();
                let view =
                    runs::RunsView { simulation: &simulation, run: &self.run, runs_megabytes, on_disk, past_megabytes };
                runs::show_ui(ui, &mut self.runs, &view)
            }
            Panel::Step => {
                let view = step::StepView {
                    simulation: &simulation,
                    lab: &self.lab,
                    is_running: self.run.state == RunState::Running,
                    has_run: self.run.last_step().is_some(),
                };
                step::show_ui(ui, &mut self.lab_panels.step, &view)
            }
            Panel::Analysis => {
                let signals =
                    || analysis_signals(&simulation, &self.registry, file.canvas.path(), model.map(|model| &**model));
                let selected = file.canvas.selected_signals(&simulation).into_iter().next();
                let view = analysis::AnalysisView {
                    simulation: &simulation,
                    signals: &signals,
                    params: &|| super::sweep::params_of(file, &self.registry),
                    value: &|signal| self.run.value(signal).and_then(|lanes| lanes.first().copied()),
                    selected,
                    result: self.lab.analysis.as_ref(),
                    is_busy: self.lab.is_analysing(),
                    step: self.run.shown_step(),
                    can_run: self.run.last_step().is_some() || file.program.is_some(),
                };
                analysis::show_ui(ui, &mut self.lab_panels.analysis, &view)
            }
            Panel::Sweep => {
                let signals = super::sweep::signals_of(file);
                let params = || super::sweep::params_of(file, &self.registry);
                let ensemble = self.lab.ensemble.as_ref();
                let view = sweep::SweepView { simulation: &simulation, params: &params, signals: &signals, ensemble };
                sweep::show_ui(ui, &mut self.lab_panels.sweep, &view)
            }
            Panel::Problems => {
                let mut wants = Vec::new();
                if let Some(chain) = &self.lab.chain {
                    wants = cause::show_ui(ui, &simulation, chain);
                }
                let view = problems::ProblemsView {
                    simulation: &simulation,
                    registry: &self.registry,
                    diagnostics: &file.diagnostics,
                    state: (file.number, file.document.revision()),
                    is_busy: self.check.is_busy(),
                };
                wants.extend(problems::show_ui(ui, &mut self.problems, &view));
                wants
            }
        });
    }

    /// Draws the windows of scope blocks.
    fn scopes_ui(&mut self, ctx: &egui::Context) {
        let Some(file) = self.file.as_ref().filter(|_| !self.plots.scopes.is_empty()) else { return };
        let simulation = Arc::clone(file.simulation());
        let others = plots::others(&self.run);
        let view = plots_view(&self.run, &self.registry, file, &simulation, &others);
        let view = plots::PlotsPanelView { is_new: false, ..view };
        let before = self.plots.scopes.len();
        let actions = plots::windows_ui(ctx, &mut self.plots, &view);
        if self.plots.scopes.len() != before {
            self.watch();
        }
        for action in actions {
            self.act(action);
        }
    }

    /// Draws the diagram, or two of them side by side.
    fn canvas_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let Some(file) = &mut self.file else { return };
        file.tabs.follow(file.canvas.path());
        self.tabs_ui(ui, actions);
        let Some(file) = &self.file else { return };
        let is_split = file.other.is_some();
        if !is_split {
            self.one_canvas_ui(ui, actions);
            return;
        }
        let rect = ui.available_rect_before_wrap();
        let middle = rect.center().x;
        let left = egui::Rect::from_min_max(rect.min, egui::pos2(middle - 0.5, rect.bottom()));
        let right = egui::Rect::from_min_max(egui::pos2(middle + 0.5, rect.top()), rect.max);
        // A press makes a canvas the active one.
        let pressed = ui.input(|input| input.pointer.any_pressed().then(|| input.pointer.interact_pos()).flatten());
        let is_free = !self.dialog.is_open() && self.quick_insert.is_none();
        if let Some(at) = pressed.filter(|at| is_free && rect.contains(*at)) {
            self.choose_side(at.x > middle);
        }
        let was_right = self.file.as_ref().is_some_and(|file| file.is_right);
        for (is_right, part) in [(false, left), (true, right)] {
            self.choose_side(is_right);
            let builder = egui::UiBuilder::new().max_rect(part).id_salt(("side", is_right));
            ui.scope_builder(builder, |ui| {
                ui.set_clip_rect(ui.clip_rect().intersect(part));
                self.one_canvas_ui(ui, actions);
            });
        }
        self.choose_side(was_right);
        let theme = theme_of(ui.ctx());
        let chosen = if was_right { right } else { left };
        ui.painter().vline(middle, rect.y_range(), Stroke::new(1.0, theme.line));
        ui.painter().hline(chosen.x_range(), chosen.top() + 0.5, Stroke::new(2.0, theme.accent));
        ui.allocate_rect(rect, egui::Sense::hover());
    }

    /// Makes the canvas of one side the active one.
    fn choose_side(&mut self, is_right: bool) {
        if let Some(file) = &mut self.file
            && file.is_right != is_right
            && let Some(other) = &mut file.other
        {
            std::mem::swap(&mut file.canvas, other);
            file.is_right = is_right;
        }
    }

    fn tabs_ui(&self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let Some(file) = self.file.as_ref().filter(|file| file.tabs.count() > 1) else { return };
        let theme = theme_of(ui.ctx());
        let titles: Vec<String> =
            file.tabs.paths().iter().map(|path| uses::path_text(file.simulation(), path)).collect();
        let frame = Frame::new().fill(theme.panel).inner_margin(Margin { left: 8, right: 8, top: 2, bottom: 0 });
        Bar::top("tabs").frame(frame).exact_size(30.0).show(ui, |ui| {
            actions.extend(tabs::show_ui(ui, &file.tabs, &titles));
        });
    }

    fn one_canvas_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let theme = theme_of(ui.ctx());
        let Some(file) = &mut self.file else { return };
        let simulation = Arc::clone(file.document.simulation());
        let crumbs = file.canvas.breadcrumbs(&simulation);
        let frame = Frame::new().fill(theme.panel).inner_margin(Margin { left: 8, right: 8, top: 1, bottom: 1 });
        let path = file.canvas.path().to_vec();
        let open = file.canvas.open_model(&simulation).map(|model| Arc::clone(&model.name));
        Bar::top(egui::Id::unique(("breadcrumbs", file.is_right))).frame(frame).exact_size(30.0).show(ui, |ui| {
            ui.horizontal(|ui| {
                actions.extend(breadcrumbs::show_ui(ui, &crumbs));
                if let Some(open) = &open {
                    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                        let revision = file.document.revision();
                        let uses = file.uses.of(&simulation, revision, open);
                        actions.extend(tabs::uses_ui(ui, &simulation, uses, &path));
                    });
                }
            });
        });
        let watched: Vec<(SignalKey, Color32)> = match self.run.state {
            RunState::Idle if file.plot_list.is_default => Vec::new(),
            _ => {
                let signals = file.plot_list.drawn().into_iter();
                signals.map(|signal| (signal.clone(), plots::color_of(&file.plot_list, &signal, theme))).collect()
            }
        };
        let diagnostics = Arc::clone(&file.diagnostics);
        let program = file.program.clone();
        let run = &self.run;
        // Requests values that are shown but not recorded.
        let is_missed = std::cell::Cell::new(false);
        let value = |signal: &SignalKey| {
            let value = run.value(signal);
            is_missed.set(is_missed.get() || value.is_none() || !run.is_recorded(signal));
            value
        };
        let view = CanvasView {
            document: DocumentView { simulation: &simulation, registry: &self.registry },
            theme,
            diagnostics: &diagnostics,
            watched: &watched,
            values: &value,
            curve: &|signal, parts| run.curve(signal, parts),
            is_running: run.state == RunState::Running,
            program: program.as_deref(),
            heat: self.lab.shows_heat.then_some(&self.lab.heat),
        };
        let screen = ui.available_rect_before_wrap();
        let output = file.canvas.ui(ui, &view);
        // The inspector shows the states of what is selected.
        if is_missed.get() || file.canvas.selection().single_block().is_some() {
            self.run.need_values();
        }
        self.take_canvas(output, actions);
        actions.extend(self.on_canvas_ui(ui, screen));
    }

    fn take_canvas(&mut self, output: CanvasOutput, actions: &mut Vec<Action>) {
        actions.extend(output.changes.into_iter().map(Action::Apply));
        actions.extend(output.refused.map(Action::Complain));
        if !output.plot.is_empty() {
            actions.push(Action::Plots(PlotsAction::Plot(output.plot)));
        }
        if !output.unplot.is_empty() {
            actions.push(Action::Plots(PlotsAction::Unplot(output.unplot)));
        }
        if !output.record.is_empty() {
            actions.push(Action::Plots(PlotsAction::Record { signals: output.record, is_recorded: Recorded::Yes }));
        }
        if let (Some(block), Some(file)) = (output.open_scope, &self.file) {
            actions.push(Action::Plots(PlotsAction::OpenScope { path: file.canvas.path().to_vec(), block }));
        }
        let behind = self.file.as_ref().and_then(|file| {
            let is_meant = file.canvas.inserts_behind() && file.canvas.is_typed_at(&self.ctx);
            file.canvas.screen_of_selected().filter(|_| is_meant)
        });
        let typed_at = self.file.as_ref().filter(|file| file.canvas.is_typed_at(&self.ctx));
        let middle = typed_at.map(|file| file.canvas.screen_middle());
        if let Some(place) = output.insert_at {
            self.quick_insert = Some(quick_insert::QuickInsertState::new(Some(place.position), place.screen));
        } else if let Some(screen) = behind
            && let Some(typed) = self.typed_on_canvas()
        {
            self.quick_insert = Some(quick_insert::QuickInsertState::new(None, screen).with_query(&typed).behind());
        } else if let (Some(at), Some(screen)) = (output.pointer, self.ctx.pointer_hover_pos())
            && let Some(typed) = self.typed_on_canvas()
        {
            self.quick_insert = Some(quick_insert::QuickInsertState::new(Some(at), screen).with_query(&typed));
        } else if let Some(screen) = middle
            && let Some(typed) = self.typed_on_canvas()
        {
            self.quick_insert = Some(quick_insert::QuickInsertState::new(None, screen).with_query(&typed));
        }
        if let Some(fragment) = output.copy {
            self.keep(fragment);
        }
        if let Some(at) = output.paste_at {
            self.paste(Some(at));
        }
        if let Some(id) = output.edit_parameters {
            self.open_block(id, actions);
        }
        if output.help.is_some() {
            actions.push(Action::Command(Command::Help(HelpCommand::Help)));
        }
        self.pointer =
            output.pointer.or(self.pointer.filter(|_| self.file.as_ref().is_some_and(|f| f.other.is_some())));
    }

    /// Returns typed text that no shortcut and no text field used.
    fn typed_on_canvas(&self) -> Option<String> {
        let is_free = self.quick_insert.is_none() && !self.dialog.is_open() && !self.ctx.text_edit_focused();
        Some(quick_insert::typed(&self.ctx)).filter(|typed| is_free && !typed.is_empty())
    }

    /// Handles a double click: opens a scope's window, or the parameters of any other block.
    fn open_block(&mut self, id: crate::model::BlockId, actions: &mut Vec<Action>) {
        let Some(file) = &self.file else { return };
        let simulation = file.simulation();
        let Some(model) = file.canvas.open_model(simulation) else { return };
        if crate::app::doc::plots::is_sink(&self.registry, model, id) {
            actions.push(Action::Plots(PlotsAction::OpenScope { path: file.canvas.path().to_vec(), block: id }));
        } else {
            actions.push(Action::View(ViewAction::ShowPanel(Panel::Inspector)));
        }
    }

    fn quick_insert_ui(&mut self, ctx: &egui::Context) {
        let Some(mut state) = self.quick_insert.take() else { return };
        let Some(file) = &self.file else { return };
        let simulation = Arc::clone(file.simulation());
        match quick_insert::show_ui(ctx, &mut state, &simulation, &self.registry) {
            quick_insert::Outcome::Open => self.quick_insert = Some(state),
            quick_insert::Outcome::Closed => {}
            quick_insert::Outcome::Chosen(kind) => {
                let place = state.place;
                self.change_on_canvas(|canvas, view| match place {
                    _ if state.replaces => canvas.replace_block(view, kind),
                    _ if state.is_behind => canvas.insert_behind(view, kind),
                    Some(Position { x, y }) => canvas.insert_block(view, kind, Position { x, y }),
                    None => canvas.add_block(view, kind),
                });
                // The main parameter takes the focus.
                if let Some(file) = self.file.as_mut().filter(|_| !state.replaces) {
                    file.canvas.edit_value();
                }
            }
        }
    }

    fn keys(&mut self, ctx: &egui::Context) {
        if self.dialog.is_open() || self.quick_insert.is_some() {
            return;
        }
        for command in shortcuts::pressed(ctx) {
            self.dispatch(command);
            // Later input belongs to the opened field.
            if self.dialog.is_open() || self.quick_insert.is_some() {
                return;
            }
        }
        // The platform reports these shortcuts as separate events.
        if ctx.text_edit_focused() {
            return;
        }
        let events = ctx.input(|input| {
            let is_clipboard = |event: &&Event| matches!(event, Event::Copy | Event::Cut | Event::Paste(_));
            input.events.iter().filter(is_clipboard).cloned().collect::<Vec<_>>()
        });
        for event in events {
            match event {
                Event::Copy => self.dispatch(Command::Edit(EditCommand::Copy)),
                Event::Cut => self.dispatch(Command::Edit(EditCommand::Cut)),
                Event::Paste(text) => self.paste_text(&text),
                _ => {}
            }
        }
    }

    fn dropped_files(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input(|input| input.raw.dropped_files.first().map(|file| file.path().to_owned()));
        if let Some(path) = dropped {
            self.guarded(AfterSave::OpenPath(path));
        }
    }

    fn drop_hint_ui(&self, ctx: &egui::Context) {
        if ctx.input(|input| input.raw.hovered_files.is_empty()) {
            return;
        }
        let theme = theme_of(ctx);
        let layer = egui::LayerId::new(egui::Order::Foreground, egui::Id::unique("drop hint"));
        let painter = ctx.layer_painter(layer);
        let rect = ctx.content_rect().shrink(8.0);
        let fill = theme.accent.gamma_multiply(0.12);
        painter.rect(rect, 10.0, fill, Stroke::new(2.0, theme.accent), egui::StrokeKind::Inside);
        let font = crate::app::ui::style::strong(crate::app::ui::theme::TEXT_TITLE);
        painter.text(rect.center(), egui::Align2::CENTER_CENTER, "Drop to open", font, theme.accent);
    }

    fn closing(&mut self, ctx: &egui::Context) {
        if ctx.input(|input| input.viewport().close_requested()) && !self.may_quit && self.is_unsaved() {
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            self.guarded(AfterSave::Quit);
        }
    }

    pub(super) fn set_title(&mut self, ctx: &egui::Context) {
        let title = match &self.file {
            Some(file) => {
                let name = file.path.as_deref().map_or_else(|| file.name.clone(), file_name);
                let star = if file.document.is_saved() { "" } else { "*" };
                let run = match self.run.state {
                    RunState::Running => " (running)",
                    RunState::Paused | RunState::PausedByError(_) => " (paused)",
                    _ => "",
                };
                format!("{name}{star}{run} – Simulate")
            }
            None => "Simulate".to_owned(),
        };
        if title != self.title {
            ctx.send_viewport_cmd(egui::ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    /// Saves the settings and removes the recovery copy at the exit.
    pub fn finish(&mut self) {
        self.run.stop();
        // Errors cannot be shown any more; the old file is then unchanged.
        self.jobs.finish();
        self.settings.layout = self.layout.remember();
        let _ = self.settings.save();
        self.recovery.finish();
    }
}

/// Returns the outputs of a model's blocks, up to a maximum.
fn analysis_signals(
    simulation: &crate::model::Simulation,
    registry: &crate::block::Registry,
    path: &[crate::model::BlockId],
    model: Option<&crate::model::Model>,
) -> Vec<SignalKey> {
    const MOST: usize = 500;
    let blocks = model.into_iter().flat_map(|model| model.blocks.values().map(move |block| (model, block)));
    let signals = blocks.flat_map(|(model, block)| {
        let ports = crate::model::block_ports(simulation, registry, model, block);
        let names = if ports.outputs.is_empty() { Vec::new() } else { ports.outputs };
        names.into_iter().map(|name| SignalKey { path: path.to_vec(), block: block.id, output: name })
    });
    signals.take(MOST).collect()
}

/// Returns what the plots panel shows of a file and the current run.
fn plots_view<'a>(
    run: &'a RunSession,
    registry: &'a Registry,
    file: &'a OpenFile,
    simulation: &'a Simulation,
    others: &'a [plots::Overlay<'a>],
) -> plots::PlotsPanelView<'a> {
    let recording = run.recording();
    plots::PlotsPanelView {
        simulation,
        registry,
        revision: file.document.revision(),
        list: &file.plot_list,
        recording,
        others,
        runs: run.runs(),
        end: run.end(),
        chosen: run.chosen_step().map(|step| step as f64 * recording.delta),
        program: file.program.as_deref(),
        is_new: run.state == RunState::Idle && recording.is_empty(),
        is_stale: run.is_stale,
    }
}
