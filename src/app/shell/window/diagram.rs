//! Draws the diagram, or two of them side by side, and carries out the user's actions there.

use std::sync::Arc;

use eframe::egui::{self, Color32, Frame, Margin, Panel as Bar, Stroke, Ui};

use crate::app::action::command::Panel;
use crate::app::action::{Action, FileAction, PlotsAction, ViewAction};
use crate::app::canvas::{CanvasOutput, CanvasView, DocumentView};
use crate::app::doc::code_lines::CodeInRun;
use crate::app::doc::plots::Recorded;
use crate::app::doc::uses;
use crate::app::panels::quick_insert::QuickInsertState;
use crate::app::panels::{breadcrumbs, plots, quick_insert, tabs};
use crate::app::shell::app::App;
use crate::app::shell::document::open_file::Side;
use crate::app::store::run::RunState;
use crate::app::ui::widgets::theme_of;
use crate::model::{Position, SignalKey};

impl App {
    /// Draws the diagram, or two of them side by side.
    pub(crate) fn canvas_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
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
        let is_free = !self.takes_keys();
        if let Some(at) = pressed.filter(|at| is_free && rect.contains(*at)) {
            self.choose_side(if at.x > middle { Side::Right } else { Side::Left });
        }
        let active = self.file.as_ref().map_or(Side::Left, |file| file.side);
        for (side, part) in [(Side::Left, left), (Side::Right, right)] {
            self.choose_side(side);
            let builder = egui::UiBuilder::new().max_rect(part).id_salt(("side", side));
            ui.scope_builder(builder, |ui| {
                ui.set_clip_rect(ui.clip_rect().intersect(part));
                self.one_canvas_ui(ui, actions);
            });
        }
        self.choose_side(active);
        let theme = theme_of(ui.ctx());
        let chosen = if active == Side::Right { right } else { left };
        ui.painter().vline(middle, rect.y_range(), Stroke::new(1.0, theme.line));
        ui.painter().hline(chosen.x_range(), chosen.top() + 0.5, Stroke::new(2.0, theme.accent));
        ui.allocate_rect(rect, egui::Sense::hover());
    }

    /// Makes the canvas of one side the active one.
    fn choose_side(&mut self, side: Side) {
        if let Some(file) = &mut self.file
            && file.side != side
            && let Some(other) = &mut file.other
        {
            std::mem::swap(&mut file.canvas, other);
            file.side = side;
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
        let crumbs = file.canvas.view.breadcrumbs(&simulation);
        let frame = Frame::new().fill(theme.panel).inner_margin(Margin { left: 8, right: 8, top: 1, bottom: 1 });
        let path = file.canvas.path().to_vec();
        let open = file.canvas.open_model(&simulation).map(|model| Arc::clone(&model.name));
        Bar::top(egui::Id::unique(("breadcrumbs", file.side))).frame(frame).exact_size(30.0).show(ui, |ui| {
            ui.horizontal(|ui| {
                actions.extend(breadcrumbs::show_ui(ui, &crumbs));
                if let Some(open) = &open {
                    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                        let uses = file.derived.paths_to(open);
                        actions.extend(tabs::uses_ui(ui, &simulation, uses, &path));
                    });
                }
            });
        });
        let watched: Vec<(SignalKey, Color32)> = match file.run.state {
            RunState::Idle if file.derived.plots().is_default => Vec::new(),
            _ => {
                let signals = file.derived.plots().drawn().into_iter();
                signals.map(|signal| (signal.clone(), plots::color_of(file.derived.plots(), &signal, theme))).collect()
            }
        };
        let run = &file.run;
        // Requests values that are shown but not recorded.
        let is_missed = std::cell::Cell::new(false);
        let value = |signal: &SignalKey| {
            let value = run.value(signal);
            is_missed.set(is_missed.get() || value.is_none() || !run.is_recorded(signal));
            value
        };
        let pools = crate::app::shell::pool::remote_blocks::pool_names(&self.settings);
        let outdated = self.documents.libraries.outdated(&simulation);
        let view = CanvasView {
            document: DocumentView { simulation: &simulation, registry: &self.blocks.registry },
            theme,
            diagnostics: &file.diagnostics,
            watched: &watched,
            values: &value,
            curve: &|signal, parts| run.curve(signal, parts),
            code: &|block| {
                let is_live = run.state == RunState::Running && run.shows_live();
                let is_shown =
                    |code: &&CodeInRun| code.block == Some(block) && (is_live || run.shown_step() == Some(code.step));
                let shown = file.lab.code.as_ref().filter(is_shown)?;
                Some(CodeInRun { stopped: run.stopped_line(&path, block), ..shown.clone() })
            },
            is_running: run.state == RunState::Running,
            is_scrubbed: run.state != RunState::Running && run.shown_step() < run.last_step(),
            program: file.program.as_deref(),
            heat: self.window.shows_heat.then_some(&file.lab.heat),
            pools: &pools,
            remote_costs: &file.run.remote_costs,
            outdated: &outdated,
        };
        let screen = ui.available_rect_before_wrap();
        let output = file.canvas.ui(ui, &view);
        // The inspector shows the states of the selected block.
        if is_missed.get() || file.canvas.selection().single_block().is_some() {
            file.run.need_values();
        }
        self.take_canvas(output, actions);
        actions.extend(self.on_canvas_ui(ui, screen));
    }

    fn take_canvas(&mut self, output: CanvasOutput, actions: &mut Vec<Action>) {
        let quick_insert = self.quick_insert_of(&output);
        self.with_file(|file| {
            file.panels.quick_insert = quick_insert.or(file.panels.quick_insert.take());
            file.pointer = output.pointer.or(file.pointer.filter(|_| file.other.is_some()));
        });
        actions.extend(output.changes.into_iter().map(Action::Apply));
        actions.extend(output.refused.map(Action::Complain));
        actions.extend(output.library_update.map(|model| Action::File(FileAction::AskLibraryUpdate(model))));
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
        if let Some(fragment) = output.copy {
            self.keep(fragment);
        }
        if let Some(at) = output.paste_at {
            self.paste(Some(at));
        }
        if let Some(id) = output.edit_parameters {
            self.open_block(id, actions);
        }
        actions.extend(output.commands.into_iter().map(Action::Command));
    }

    /// Returns the list of blocks to insert that a double click or typed text opens.
    fn quick_insert_of(&self, output: &CanvasOutput) -> Option<QuickInsertState> {
        let canvas = &self.file.as_ref()?.canvas;
        if let Some(point) = output.insert_at {
            return Some(QuickInsertState::new(Some(point.position), point.screen));
        }
        let typed = self.typed_on_canvas()?;
        let is_over = output.pointer.is_some() || canvas.takes_letters(&self.ctx);
        let continued = canvas.continued().filter(|_| is_over);
        let state = match (continued, output.pointer, self.ctx.pointer_hover_pos()) {
            (Some((what, screen)), ..) => QuickInsertState::new(None, screen).continuing(what),
            (None, Some(at), Some(screen)) => QuickInsertState::new(Some(at), screen),
            _ if is_over => QuickInsertState::new(None, canvas.view.screen_middle()),
            _ => return None,
        };
        Some(state.with_query(&typed))
    }

    /// Returns typed text that no shortcut and no text field used.
    fn typed_on_canvas(&self) -> Option<String> {
        let is_free = !self.takes_keys() && !self.ctx.text_edit_focused();
        Some(quick_insert::typed(&self.ctx)).filter(|typed| is_free && !typed.is_empty())
    }

    /// Handles a double click: opens a scope's window, or the parameters of any other block.
    fn open_block(&mut self, id: crate::model::BlockId, actions: &mut Vec<Action>) {
        let Some(file) = &self.file else { return };
        let simulation = file.simulation();
        let Some(model) = file.canvas.open_model(simulation) else { return };
        if crate::app::doc::plots::is_sink(&self.blocks.registry, model, id) {
            actions.push(Action::Plots(PlotsAction::OpenScope { path: file.canvas.path().to_vec(), block: id }));
        } else {
            actions.push(Action::View(ViewAction::ShowPanel(Panel::Inspector)));
        }
    }

    /// Draws the list of blocks to insert, while it is open.
    pub(crate) fn quick_insert_ui(&mut self, ctx: &egui::Context) {
        let Some(file) = &mut self.file else { return };
        let Some(mut state) = file.panels.quick_insert.take() else { return };
        let source = file.items(&self.blocks.registry);
        if let Some(name) = state.missing_targets() {
            let view = DocumentView { simulation: file.document.simulation(), registry: &self.blocks.registry };
            let targets = file.canvas.open(&view).map(|open| open.targets(name)).unwrap_or_default();
            state.set_targets(targets.iter().map(|target| target.label()).collect());
        }
        match quick_insert::show_ui(ctx, &mut state, &source) {
            quick_insert::Outcome::Open => file.panels.quick_insert = Some(state),
            quick_insert::Outcome::Closed => {}
            quick_insert::Outcome::Connects(number) => {
                let name = state.target_name().unwrap_or_default();
                self.change_on_canvas(|canvas, view| {
                    canvas.edit(view, |open| open.connect_selected(open.targets(name).get(number)?))
                });
                self.with_file(|file| file.canvas.take_keys());
            }
            quick_insert::Outcome::Chosen(block, course) => {
                let position = state.position;
                self.change_on_canvas(|canvas, view| match position {
                    _ if state.replaces => canvas.edit(view, |open| open.replace_block(block)),
                    _ if state.continues.is_some() => canvas.insert_next(view, block, course),
                    Some(Position { x, y }) => {
                        canvas.edit(view, |open| open.add_block(block, egui::pos2(x as f32, y as f32)))
                    }
                    None => canvas.add_block(view, block),
                });
                // Letters that follow insert the next block, digits set the value of this one.
                self.with_file(|file| file.canvas.take_keys());
            }
        }
    }
}
