//! Carries out commands and actions: the only way from a click or a key to a change.

use std::path::Path;
use std::sync::Arc;

use eframe::egui;

use super::layout::Layout;
use super::state::{App, OpenFile, watched_in};
use crate::app::action::command::{Command, CommandStates, Panel};
use crate::app::action::path_request::PathRequest;
use crate::app::action::{Action, AfterSave, Range};
use crate::app::canvas::{Canvas, CanvasView};
use crate::app::dialogs::{CommandSearch, Dialog, ShortcutEditor, TableEditor};
use crate::app::doc::plots::Recorded;
use crate::app::panels::quick_insert;
use crate::app::store::examples::EXAMPLES;
use crate::app::store::files;
use crate::app::store::run::StartMode;
use crate::block::BlockDef;
use crate::model::{Change, Fragment, SignalKey, Simulation};

impl App {
    pub fn act(&mut self, action: Action) {
        match action {
            Action::Command(command) => self.dispatch(command),
            Action::Apply(change) => {
                self.apply(&change);
            }
            Action::OpenPath(path) => self.guarded(AfterSave::OpenPath(path)),
            Action::OpenExample(number) => self.guarded(AfterSave::OpenExample(number)),
            Action::OpenBlockExample(def, number) => self.guarded(AfterSave::OpenBlockExample(def, number)),
            Action::Forget(path) => {
                self.settings.forget(&path);
                self.save_settings();
            }
            Action::AddBlock(kind) => self.change_on_canvas(|canvas, view| canvas.add_block(view, kind)),
            Action::GoTo { path, block } => self.go_to(path, block),
            Action::OpenModel { model, block } => {
                let way = self.file.as_ref().and_then(|file| file.way_to(&model));
                match way {
                    Some(path) => self.go_to(path, block),
                    None => self
                        .complain(format!("“{model}” is not used under the root model; make it the root to open it")),
                }
            }
            Action::ShowPanel(panel) => self.layout.show(panel),
            Action::Help(kind) => {
                self.help.turn_to(kind);
                self.layout.show(Panel::Help);
            }
            Action::GoInHistory(steps) => self.go_in_history(steps),
            Action::OpenTab(tab) => self.turn_tab(|tabs| tabs.turn_to(tab)),
            Action::CloseTab(tab) => self.turn_tab(|tabs| tabs.close(tab)),
            Action::OpenModelInTab(model) => match self.file.as_ref().and_then(|file| file.way_to(&model)) {
                Some(path) => self.turn_tab(|tabs| {
                    tabs.add(path.clone());
                    Some(path)
                }),
                None => self.complain(format!("“{model}” is not used under the root model")),
            },
            Action::KeepModel(name) => self.keep_model(&name),
            Action::Favourite(name) => {
                self.settings.toggle_favourite(&name);
                self.save_settings();
            }
            Action::Plot(signals) => self.plot(&signals),
            Action::Unplot(signals) => self.unplot(&signals),
            Action::PlotIn { signals, plot } => {
                self.plots.target = plot;
                self.plot(&signals);
            }
            Action::Record { signals, is_recorded } => self.record(&signals, is_recorded),
            Action::OpenScope { path, block } => {
                self.plots.open_scope(&path, block);
                self.watch();
            }
            Action::Turn { param, value } => self.turn(&param, value),
            Action::PinWidget { number, at } => self.pin_widget(number, at),
            Action::ChoosePicture { number } => self.ask_path(PathRequest::Picture { widget: number }),
            Action::KeepPicture { block, number, path } => self.keep_picture(block, number, path),
            Action::ExportPlot { plot, format } => self.ask_path(PathRequest::ExportPlot { plot, format }),
            Action::ExportData { plot, range } => self.ask_path(PathRequest::ExportCsv { plot, range }),
            Action::EditTable { model, block, param } => {
                let editor = self
                    .file
                    .as_ref()
                    .and_then(|file| TableEditor::of(file.simulation(), &self.registry, &model, block, param));
                match editor {
                    Some(editor) => self.dialog = Dialog::Table(Box::new(editor)),
                    None => self.complain("The table has cells that are not numbers; correct them first"),
                }
            }
            Action::ChooseFile { model, block, param } => self.ask_file_of_block(model, block, param),
            Action::StopAtNonFinite(stops) => {
                self.settings.stops_at_non_finite = stops;
                self.run.stop_at_non_finite(stops);
                self.save_settings();
            }
            Action::ChooseEngine(name) => self.choose_engine(name),
            Action::LimitThreads(threads) => self.limit_threads(threads),
            Action::AskEngines => self.ask_engines(),
            Action::ChooseStep(step) => self.run.choose_step(step),
            Action::GoToStep(step) => self.go_to_step(step),
            Action::SetState { path, block, number, values } => self.run.set_state(&path, block, number, &values),
            Action::Run(request) => self.act_on_run(request),
            Action::Lab(request) => self.act_in_lab(request),
            Action::SetSpeed(speed) => {
                self.settings.speed = speed;
                self.run.set_speed(speed);
            }
            Action::SetPlayRate(rate) => {
                self.settings.play_rate = rate;
                if self.run.is_playing() {
                    self.run.play(rate);
                }
            }
            Action::StepBy(steps) => self.settings.step_by = steps,
            Action::Say(text) => self.say(text),
            Action::Complain(text) => self.complain(text),
        }
    }

    pub fn dispatch(&mut self, command: Command) {
        // The last pressed widget is removed, if no block is selected.
        if command == Command::Delete && self.delete_pinned() {
            return;
        }
        if command.def().is_some_and(|def| !self.can(def.needs)) {
            return;
        }
        match command {
            Command::New => self.guarded(AfterSave::New),
            Command::Open => self.guarded(AfterSave::AskOpen),
            Command::Save => self.save_then(None),
            Command::SaveAs => self.ask_path(PathRequest::SaveAs { after: None }),
            Command::ExportCsv => self.act(Action::ExportData { plot: None, range: Range::All }),
            Command::ExportPicture => self.ask_picture(),
            Command::ExportModel => self.ask_export_model(),
            Command::ImportModel => self.ask_path(PathRequest::ImportModel),
            Command::Close => self.guarded(AfterSave::Close),
            Command::Quit => self.guarded(AfterSave::Quit),
            Command::Undo => self.undo(),
            Command::Redo => self.redo(),
            Command::Cut => {
                self.copy();
                self.change_on_canvas(|canvas, view| {
                    let change = canvas.delete_selection(view.simulation, view.registry)?;
                    Some(relabel(change, "Delete", "Cut"))
                });
            }
            Command::Copy => self.copy(),
            Command::Paste => self.paste(None),
            Command::Duplicate => self.change_selection("duplicate", Canvas::duplicate),
            Command::Delete => {
                self.change_on_canvas(|canvas, view| canvas.delete_selection(view.simulation, view.registry));
            }
            Command::SelectAll => self.with_file(|file| file.canvas.select_all(file.document.simulation())),
            Command::Rename => self.with_file(|file| file.canvas.rename()),
            Command::InsertBlock => self.open_quick_insert(),
            Command::ReplaceBlock => self.open_quick_replace(),
            Command::Diagram(command) => {
                let mut refused = None;
                self.change_on_canvas(|canvas, view| {
                    let output = canvas.perform(view, command);
                    refused = output.refused;
                    output.changes.into_iter().next()
                });
                refused.into_iter().for_each(|why| self.complain(why));
            }
            Command::PlotSelected => {
                let signals = self.file.as_ref().map(|file| file.canvas.selected_signals(file.simulation()));
                self.plot(&signals.unwrap_or_default());
            }
            Command::Find => {
                self.layout.show(Panel::Find);
                self.find.wants_focus = true;
            }
            Command::FindBlock => {
                self.layout.show(Panel::Blocks);
                self.blocks.wants_focus = true;
            }
            Command::ZoomIn => self.with_file(|file| file.canvas.zoom_in()),
            Command::ZoomOut => self.with_file(|file| file.canvas.zoom_out()),
            Command::ZoomReset => self.with_file(|file| file.canvas.set_zoom(1.0)),
            Command::ZoomFit => self.with_file(|file| file.canvas.fit()),
            Command::GoUp => self.with_file(|file| file.canvas.go_up()),
            Command::ReloadLibrary => self.reload_library(),
            Command::OpenInTab => self.open_in_tab(),
            Command::NextTab => self.turn_tab(|tabs| tabs.turn_by(1)),
            Command::PreviousTab => self.turn_tab(|tabs| tabs.turn_by(-1)),
            Command::CloseTab => self.turn_tab(|tabs| tabs.close(tabs.open())),
            Command::SplitView => self.split(),
            Command::Theme(choice) => {
                self.settings.theme = choice;
                self.apply_theme();
                self.save_settings();
            }
            Command::TogglePanel(panel) => self.layout.toggle(panel),
            Command::LargerText => self.scale_text(1.1),
            Command::SmallerText => self.scale_text(1.0 / 1.1),
            Command::ResetLayout => self.layout = Layout::default(),
            Command::Run => self.run_or_resume(),
            Command::Pause => self.run.pause(),
            Command::Step => self.step(),
            Command::StepBack => {
                self.run.pause();
                self.run.move_by(-(self.settings.step_by.min(1 << 50) as i64));
            }
            Command::Stop => self.run.stop(),
            Command::Restart => self.start_run(StartMode::Running, Vec::new()),
            Command::GoToStep => self.time.wants_focus = true,
            Command::PlayRecorded if self.run.is_playing() => self.run.stop_playing(),
            Command::PlayRecorded => self.run.play(self.settings.play_rate),
            Command::FollowRun => self.run.look_at_end(),
            Command::Branch => self.branch(),
            Command::SaveRun => {
                if let Some(run) = self.run.runs().current().map(|run| run.number) {
                    self.ask_path(PathRequest::SaveRun(run));
                }
            }
            Command::OpenRun => self.ask_path(PathRequest::OpenRun),
            Command::ToggleLiveEdits => self.toggle_live_edits(),
            Command::ToggleGhost => {
                let runs = self.run.runs_mut();
                runs.shows_ghost = !runs.shows_ghost;
            }
            Command::ToggleHeat => self.lab.shows_heat = !self.lab.shows_heat,
            Command::PauseAtNonFinite => self.act(Action::StopAtNonFinite(!self.settings.stops_at_non_finite)),
            Command::Speed(speed) => {
                self.settings.speed = speed;
                self.run.set_speed(speed);
                self.save_settings();
            }
            Command::Check => {
                self.check.forget();
                self.refresh();
                self.layout.show(Panel::Problems);
            }
            Command::SimulationSettings => {
                self.with_file(|file| file.canvas.select(Default::default()));
                self.layout.show(Panel::Inspector);
            }
            Command::Help => self.help_on_selection(),
            Command::CommandPalette => self.dialog = Dialog::Commands(CommandSearch::default()),
            Command::Shortcuts => self.dialog = Dialog::Shortcuts(ShortcutEditor::default()),
            Command::About => self.dialog = Dialog::About,
        }
    }

    pub(super) fn with_file(&mut self, act: impl FnOnce(&mut OpenFile)) {
        if let Some(file) = &mut self.file {
            act(file);
        }
    }

    fn scale_text(&mut self, factor: f32) {
        self.settings.text_size = (self.settings.text_size * factor).clamp(0.6, 3.0);
        if (self.settings.text_size - 1.0).abs() < 0.04 {
            self.settings.text_size = 1.0;
        }
        self.ctx.set_zoom_factor(self.settings.text_size);
        self.save_settings();
    }

    fn undo(&mut self) {
        let label = self.file.as_mut().and_then(|file| file.document.undo().map(str::to_owned));
        if let Some(label) = label {
            self.say(format!("Undone: {label}"));
            self.refresh();
        }
    }

    fn redo(&mut self) {
        let label = self.file.as_mut().and_then(|file| file.document.redo().map(str::to_owned));
        if let Some(label) = label {
            self.say(format!("Redone: {label}"));
            self.refresh();
        }
    }

    fn copy(&mut self) {
        if let Some(fragment) = self.file.as_ref().and_then(|file| file.canvas.copy(file.simulation())) {
            let count = fragment.blocks.len();
            self.say(if count == 1 { "Copied one block".to_owned() } else { format!("Copied {count} blocks") });
            self.keep(fragment);
        }
    }

    /// Puts blocks on the clipboard, also as text for other windows.
    pub(super) fn keep(&mut self, fragment: Fragment) {
        if let Some(text) = files::text_of(&fragment) {
            self.ctx.copy_text(text);
        }
        self.clipboard = Some(fragment);
    }

    /// Inserts the blocks in the platform's clipboard, else those copied in this window.
    pub(super) fn paste_text(&mut self, text: &str) {
        match files::fragment_of(text) {
            Some(fragment) => self.clipboard = Some(fragment),
            None if text.trim().is_empty() => {}
            None => {
                let start: String = text.trim().chars().take(24).collect();
                self.complain(format!("“{start}…” on the clipboard is not a diagram; copy blocks first"));
                return;
            }
        }
        self.dispatch(Command::Paste);
    }

    pub(super) fn paste(&mut self, at: Option<crate::model::Position>) {
        let Some(fragment) = self.clipboard.clone() else {
            // The platform's clipboard arrives as an event.
            self.ctx.send_viewport_cmd(egui::ViewportCommand::RequestPaste);
            return;
        };
        // At the pointer if it is over the diagram, else beside the originals.
        let at = at.or(self.pointer);
        self.change_selection("paste", |canvas, simulation| canvas.paste(simulation, &fragment, at));
    }

    fn change_selection(&mut self, _: &str, make: impl FnOnce(&mut Canvas, &Simulation) -> Option<Change>) {
        let Some(file) = &mut self.file else { return };
        let simulation = Arc::clone(file.document.simulation());
        if let Some(change) = make(&mut file.canvas, &simulation) {
            self.apply(&change);
        }
    }

    pub(super) fn change_on_canvas(&mut self, make: impl FnOnce(&mut Canvas, &CanvasView) -> Option<Change>) {
        let theme = crate::app::ui::widgets::theme_of(&self.ctx);
        let Some(file) = &mut self.file else { return };
        let simulation = Arc::clone(file.document.simulation());
        let view = CanvasView {
            simulation: &simulation,
            registry: &self.registry,
            theme,
            diagnostics: &[],
            watched: &[],
            values: &|_| None,
            curve: &|_, _| None,
            is_running: false,
            program: None,
            heat: None,
        };
        if let Some(change) = make(&mut file.canvas, &view) {
            self.apply(&change);
        }
    }

    fn go_to(&mut self, path: Vec<crate::model::BlockId>, block: Option<crate::model::BlockId>) {
        self.layout.show(Panel::Canvas);
        self.with_file(|file| file.canvas.go_to(path, block));
    }

    fn open_quick_insert(&mut self) {
        let Some(rect) = self.layout.canvas_rect else { return };
        self.quick_insert =
            Some(quick_insert::QuickInsertState::new(None, rect.center_top() + egui::vec2(0.0, rect.height() * 0.2)));
    }

    /// The list opens below the selected block.
    fn open_quick_replace(&mut self) {
        let place = self.file.as_ref().and_then(|file| file.canvas.screen_of_selected());
        if let Some(place) = place {
            self.quick_insert = Some(quick_insert::QuickInsertState::new(None, place).replacing());
        }
    }

    /// Updates the recorded signals of the run.
    pub(super) fn watch(&mut self) {
        let Some(file) = &self.file else { return };
        self.run.watch(watched_in(file, &self.plots, &self.registry));
    }

    fn record(&mut self, signals: &[SignalKey], is_recorded: Recorded) {
        let Some(file) = &self.file else { return };
        let what = match signals {
            [signal] => crate::app::doc::plots::name_of(file.simulation(), signal),
            several => format!("{} signals", several.len()),
        };
        let label = match is_recorded {
            Recorded::Yes => format!("Record {what}"),
            Recorded::No => format!("Stop recording {what}"),
        };
        let change = file.plot_list.with_recorded(signals, is_recorded).change(label, file.simulation());
        self.apply(&change);
    }

    /// Adds signals to the chosen plot.
    pub fn plot(&mut self, signals: &[SignalKey]) {
        let Some(file) = &self.file else { return };
        let new: Vec<&SignalKey> = signals.iter().filter(|signal| !file.plot_list.contains(signal)).collect();
        let Some(first) = new.first() else {
            self.layout.show(Panel::Plots);
            return;
        };
        let label = match new.len() {
            1 => format!("Plot {}", crate::app::doc::plots::name_of(file.simulation(), first)),
            count => format!("Plot {count} signals"),
        };
        let change = file.plot_list.with(signals, self.plots.target).change(label, file.simulation());
        self.apply(&change);
        self.layout.show(Panel::Plots);
    }

    fn unplot(&mut self, signals: &[SignalKey]) {
        let Some(file) = &self.file else { return };
        let label = match signals {
            [signal] => format!("Remove {} from plot", crate::app::doc::plots::name_of(file.simulation(), signal)),
            _ => format!("Remove {} signals from plot", signals.len()),
        };
        let change = file.plot_list.without(signals, None).change(label, file.simulation());
        self.apply(&change);
    }

    /// Proceeds, or asks first whether to save unsaved changes.
    pub fn guarded(&mut self, next: AfterSave) {
        if self.is_unsaved() {
            // A second request replaces the pending one.
            self.waiting_dialogs.retain(|dialog| !matches!(dialog, Dialog::Unsaved(_)));
            match self.dialog {
                Dialog::Unsaved(_) => self.dialog = Dialog::Unsaved(next),
                _ => self.open_dialog(Dialog::Unsaved(next)),
            }
        } else {
            self.proceed(next);
        }
    }

    /// Proceeds; unsaved changes are discarded.
    pub fn proceed(&mut self, next: AfterSave) {
        match next {
            AfterSave::New => self.show_new(),
            AfterSave::OpenPath(path) => self.open_path(&path),
            AfterSave::OpenExample(number) => self.open_example(number),
            AfterSave::OpenBlockExample(def, number) => self.open_block_example(def, number),
            AfterSave::AskOpen => self.ask_path(PathRequest::Open { given_up: self.state_id() }),
            AfterSave::Close => {
                self.run.clear();
                self.forget_dialogs();
                self.opening += 1;
                self.file = None;
                self.recovery.drop_copy(&mut self.jobs);
            }
            AfterSave::Quit => {
                self.may_quit = true;
                self.run.clear();
                self.ctx.send_viewport_cmd(egui::ViewportCommand::Close);
            }
        }
    }

    fn open_example(&mut self, number: usize) {
        let Some(example) = EXAMPLES.get(number) else { return };
        match files::read(example.text) {
            Ok(opened) => self.show(opened.simulation, None, &example.title(), opened.diagnostics),
            Err(problem) => self.show_problem("The example could not be opened", Path::new(example.name), &problem),
        }
    }

    fn open_block_example(&mut self, def: &'static BlockDef, number: usize) {
        let Some(example) = def.examples.get(number) else { return };
        let simulation = crate::app::doc::block_example::simulation_of(def, example);
        self.show(simulation, None, &format!("{} example", def.title()), Vec::new());
        self.say(format!("{}: {}", def.title(), example.doc));
    }
}

fn relabel(mut change: Change, from: &str, to: &str) -> Change {
    if let Some(rest) = change.label.strip_prefix(from) {
        change.label = format!("{to}{rest}");
    }
    change
}
