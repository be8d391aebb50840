//! The commands and requests for runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "pool")]
use crate::app::action::PoolAction;
use crate::app::action::command::{Panel, RunCommand};
use crate::app::action::path_request::PathRequest;
use crate::app::action::{Action, RunAction};
use crate::app::dialogs::{Dialog, Refused};
use crate::app::doc::breakpoints;
use crate::app::panels::import::Shows;
use crate::app::panels::runs::{block_name, name_of};
use crate::app::shell::app::App;
use crate::app::store::files::file_name;
use crate::app::store::jobs::About;
use crate::app::store::run::{RunEvent, RunState, StartMode, StartRequest};
use crate::app::store::run_file;
use crate::app::ui::numbers;
use crate::block::Reaction;
use crate::block::limits::size_text;
use crate::engine::{AssertionEvent, Breakpoint, HeldSwitch, ParamChange};
use crate::format::FileKind;
use crate::model::{BlockAddress, Diagnostic};

impl App {
    /// Starts a run, or resumes it.
    pub(crate) fn run_or_resume(&mut self) {
        let Some(file) = &mut self.file else { return };
        match file.run.state {
            RunState::Running | RunState::Preparing => {}
            RunState::Paused => file.run.resume(),
            RunState::PausedByError(_) => {
                // If the step fails again, its cause is traced again.
                file.lab.chain = None;
                self.window.message.take_if(|message| message.is_problem);
                file.run.resume();
            }
            _ => self.start_run(StartMode::Running, Vec::new()),
        }
    }

    /// Shows the next recorded steps, or runs new ones.
    pub(crate) fn step(&mut self) {
        let Some(file) = &mut self.file else { return };
        let count = self.settings.step_by.max(1);
        if file.run.chosen_step().is_some() && file.run.move_by(count.min(1 << 50) as i64) {
            return;
        }
        match file.run.state {
            RunState::Running => file.run.pause(),
            RunState::Preparing => {}
            RunState::Paused | RunState::PausedByError(_) => file.run.step(count),
            _ => self.start_run(StartMode::Steps(count), Vec::new()),
        }
    }

    /// Starts a run of the document, with changes at their steps.
    pub(crate) fn start_run(&mut self, begin: StartMode, changes: Vec<ParamChange>) {
        // A run may crash the program: by the code of a block, or because it exhausts the memory.
        if self.lacks_copy() {
            return self.when_copied(move |app| app.start_run(begin, changes));
        }
        // The file may be newer than the document that runs; a bar says so.
        self.look_at_file();
        // Asks first whether and where remote blocks run.
        let Some((engine, is_remote)) = self.engine_of_run(begin) else { return };
        let memory = (self.settings.runs_megabytes as usize) << 20;
        self.spill.limit(memory);
        let Some(file) = &mut self.file else { return };
        file.lab.forget();
        // The message about an earlier run is outdated.
        self.window.message.take_if(|message| message.is_problem);
        // The errors of the run count, not those of an earlier check.
        self.blocks.folder.take_refused();
        self.blocks.fmus.take_refused();
        file.run.set_stops_at_non_finite(self.settings.stops_at_non_finite);
        file.run.takes_edits = self.settings.takes_edits;
        file.run.remember((self.settings.past_megabytes as usize) << 20);
        file.run.runs_mut().limit = memory;
        let watch = file.watched(&self.blocks.registry);
        tracing::info!(engine = self.settings.engine, "a run starts");
        file.run.start(StartRequest {
            simulation: file.document.simulation(),
            path: file.path.as_deref(),
            registry: &self.blocks.registry,
            watch,
            engine,
            is_remote,
            threads: self.settings.threads,
            speed: self.settings.speed,
            begin,
            changes,
        });
        file.panels.plots.restart();
    }

    /// Shows a step if it is recorded, else runs to it.
    pub fn go_to_step(&mut self, step: u64) {
        let Some(file) = &mut self.file else { return };
        let is_done = file.run.last_step().is_some_and(|last| step <= last);
        match file.run.state {
            _ if is_done => file.run.choose_step(Some(step)),
            RunState::Running | RunState::Paused | RunState::PausedByError(_) => {
                file.run.run_to(step.saturating_add(1))
            }
            RunState::Preparing => {}
            _ => self.start_run(StartMode::To(step.saturating_add(1)), Vec::new()),
        }
    }

    /// Starts a branch at the shown step.
    pub(crate) fn branch(&mut self) {
        let Some(file) = &mut self.file else { return };
        let Some(step) = file.run.shown_step() else { return };
        if file.run.branch(step) {
            file.run.compare(file.document.simulation());
            self.say("Set values, then resume; the original run is drawn with the branch");
        } else {
            self.complain("This run is no longer kept by the engine; run it again to branch from it");
        }
    }

    /// Writes a run to a file.
    pub(crate) fn save_run(&mut self, number: u64, path: PathBuf) {
        let Some(run) = self.file.as_ref().and_then(|file| file.run.runs().get(number).cloned()) else {
            return self.complain("The run was not saved: it is no longer in memory");
        };
        let about = About { title: format!("Writing {}", file_name(&path)), path: Some(path.clone()), must_end: true };
        let (target, outputs) = (path.clone(), self.outputs());
        self.jobs.start(
            about,
            move || outputs.write(&target, FileKind::Run, |file| run_file::save(file, &run)),
            move |app, result| match result {
                Ok(()) => app.say(format!("Wrote the run to {}", file_name(&path))),
                Err(error) => {
                    let message = format!("the file cannot be written: {error}");
                    app.open_dialog(Dialog::problem(
                        "The run was not saved",
                        &message,
                        "choose another folder",
                        Some(&path),
                    ));
                }
            },
        );
    }

    /// Reads a run from a file and adds it to the document's runs.
    pub fn open_run(&mut self, path: PathBuf) {
        let document = self.file.as_ref().map(|file| file.number);
        let about = About { title: format!("Reading {}", file_name(&path)), path: Some(path.clone()), must_end: false };
        let source = path.clone();
        self.jobs.start(
            about,
            move || run_file::open(&source),
            move |app, result| match result {
                Ok(run) => {
                    let Some(file) = app.file.as_mut().filter(|file| Some(file.number) == document) else { return };
                    let name = run.name.clone();
                    file.run.add(run);
                    app.window.layout.show(Panel::Runs);
                    app.say(format!("Opened {name}; draw it beside the current run, or compare both"));
                }
                Err(error) => {
                    let help = "choose a file that was written with “Save run…”";
                    let title = "The run could not be opened";
                    app.open_dialog(Dialog::problem(title, &error.to_string(), help, Some(&path)));
                }
            },
        );
    }

    pub(crate) fn toggle_live_edits(&mut self) {
        self.settings.takes_edits = !self.settings.takes_edits;
        if let Some(file) = &mut self.file {
            file.run.takes_edits = self.settings.takes_edits;
            // Pending edits take effect now.
            file.run.follow_again();
        }
        self.save_settings();
        self.say(match self.settings.takes_edits {
            true => "Edits of the diagram are applied to the running model",
            false => "Edits of the diagram take effect on the next run",
        });
    }

    /// Shows the events of a run to the user.
    pub(crate) fn take_news(&mut self, news: Vec<RunEvent>) {
        for news in news {
            match news {
                RunEvent::Refused(diagnostics) => self.refuse_run(diagnostics),
                RunEvent::Failed { message, block, kind, is_over } => {
                    let what = if is_over { "The run ended" } else { "The run is paused" };
                    self.complain(format!("{what}: {message}"));
                    self.look_for_cause();
                    let Some(file) = &mut self.file else { continue };
                    if let Some(found) = kind.diagnostic(&message, block.as_ref(), file.document.simulation()) {
                        file.panels.problems.selected = Some(found.clone());
                        file.set_run_problem(Some(found));
                        self.window.layout.show(Panel::Problems);
                    }
                    if let Some(shown) = kind.shown_at(block.as_ref(), file.document.simulation()) {
                        file.canvas.go_to(shown.path, Some(shown.block));
                    }
                }
                RunEvent::Reports { assertions, left_out } => self.take_assertions(&assertions, left_out),
                RunEvent::Held(held) => self.say_held(&held),
                RunEvent::Changed(change) => self.say_change(&change),
                RunEvent::Edited { step, report } => {
                    self.say(format!("The edit takes effect at step {}: {report}", numbers::grouped(step)));
                }
                RunEvent::Declined(message) => self.complain(message),
                RunEvent::BreakpointHit { step, breakpoint } => self.say_broke(step, &breakpoint),
            }
        }
    }

    /// Pauses the run and informs the user when memory and disk limits are reached.
    pub(crate) fn watch_spill_file(&mut self) {
        let used = self.spill.file.usage();
        if used.has_failed && !self.spill.has_told {
            self.spill.has_told = true;
            self.complain("Samples cannot be written to disk: recordings stay in memory");
        }
        let run = self.file.as_ref().map(|file| &file.run);
        if let Some(run) = run.filter(|run| used.is_full && run.state == RunState::Running) {
            run.pause();
            let (memory, disk) = (size_text(used.memory as f64), size_text(used.disk as f64));
            self.complain(format!(
                "Paused: recordings take {memory} of memory and {disk} on disk. Remove runs or raise the limit in the Runs panel"
            ));
        }
    }

    /// Takes the run's events until it ends, pauses, or sends nothing for `timeout`.
    pub fn wait_for_run(&mut self, timeout: Duration) {
        let news = self.file.as_mut().map(|file| file.run.wait(timeout));
        self.take_news(news.unwrap_or_default());
    }

    /// Shows the last report, which is the one that ends a run.
    fn take_assertions(&mut self, assertions: &[AssertionEvent], left_out: u64) {
        let Some(last) = assertions.last() else { return };
        let more = assertions.len() as u64 - 1 + left_out;
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let Some(file) = &mut self.file else { return };
        let name = last.block.text(file.document.simulation());
        let text = format!("{name} at {} s: {}{more}", last.time, last.message);
        if matches!(last.reaction, Reaction::Pause | Reaction::Stop) {
            file.canvas.go_to(last.block.path.clone(), Some(last.block.block));
        }
        match last.reaction {
            Reaction::Warn | Reaction::Pause | Reaction::Stop => self.complain(text),
            Reaction::Finish => self.say(text),
        }
    }

    pub(crate) fn refuse_run(&mut self, diagnostics: Vec<Diagnostic>) {
        let errors = diagnostics.iter().filter(|found| found.is_error()).count();
        let first = diagnostics.iter().find(|found| found.is_error()).cloned();
        let lacks_values = first.as_ref().is_some_and(|found| found.code == "missing-value");
        if let Some(file) = &mut self.file {
            file.take_check(diagnostics);
            file.panels.problems.selected = first;
        }
        // There each of them has a field.
        match lacks_values && self.file.as_ref().is_some_and(|file| file.import.is_some()) {
            true => self.show_import(Shows::Missing),
            false => self.window.layout.show(Panel::Problems),
        }
        self.complain(match errors {
            1 => "The simulation does not run: one error".to_owned(),
            errors => format!("The simulation does not run: {errors} errors"),
        });
        if let Some(begin) = self.file.as_ref().map(|file| file.run.begun) {
            self.ask_outside(Refused::Run(begin));
        }
    }

    fn say_held(&mut self, held: &[HeldSwitch]) {
        let (Some(file), [first, others @ ..]) = (&self.file, held) else { return };
        let name = block_name(file.simulation(), &first.block.path, first.block.block);
        let since = numbers::digits(first.since, 4);
        let more = if others.is_empty() { String::new() } else { format!(", and {} more", others.len()) };
        self.say(format!("{name} from {since} s on: {}{more}", first.meaning()));
    }

    fn say_change(&mut self, change: &ParamChange) {
        let Some(file) = &self.file else { return };
        let block = block_name(file.simulation(), &change.param.block.path, change.param.block.block);
        let values: Vec<String> = change.values.iter().map(f64::to_string).collect();
        let (name, step) = (name_of(change), numbers::grouped(change.step));
        let values = values.join(" ");
        self.say(format!("{name} of {block} is {values} from step {step} on"));
    }

    fn say_broke(&mut self, step: u64, breakpoint: &Breakpoint) {
        // Another model may be shown now.
        self.apply_typed_code();
        let Some(file) = &mut self.file else { return };
        let what = breakpoints::text_of(file.document.simulation(), breakpoint);
        let BlockAddress { path, block } = breakpoint.block();
        file.canvas.go_to(path, Some(block));
        if let Breakpoint::Line { .. } = breakpoint {
            file.canvas.open_code(block);
        }
        let text = format!("Paused after step {}: {what}", numbers::grouped(step));
        self.complain(text);
    }

    /// Repeats a run with all its changes.
    fn repeat(&mut self, number: u64) {
        if self.lacks_copy() {
            return self.when_copied(move |app| app.repeat(number));
        }
        let Some(file) = &mut self.file else { return };
        let Some(run) = file.run.runs().get(number) else { return };
        let simulation = Arc::clone(&run.source.simulation);
        let (path, changes) = (run.source.path.clone(), run.changes.clone());
        let watch = file.run.watched.clone();
        file.run.start(StartRequest {
            simulation: &simulation,
            path: path.as_deref(),
            registry: &self.blocks.registry,
            watch,
            engine: crate::app::store::engines::engine_of(&self.settings, &self.components.engines),
            is_remote: false,
            threads: self.settings.threads,
            speed: self.settings.speed,
            begin: StartMode::Running,
            changes,
        });
        file.run.compare(file.document.simulation());
        file.panels.plots.restart();
    }

    pub(crate) fn act_on_run(&mut self, request: RunAction) {
        let Some(file) = &mut self.file else { return };
        match request {
            RunAction::StopAtNonFinite(stops) => {
                self.settings.stops_at_non_finite = stops;
                file.run.set_stops_at_non_finite(stops);
                self.save_settings();
            }
            RunAction::ChooseEngine(name) => self.choose_engine(name),
            RunAction::LimitThreads(threads) => self.limit_threads(threads),
            RunAction::AskEngines => self.ask_engines(),
            RunAction::ChooseStep(step) => file.run.choose_step(step),
            RunAction::GoToStep(step) => self.go_to_step(step),
            RunAction::SetState { path, block, number, values } => {
                file.run.set_state(BlockAddress { path, block }, number, &values)
            }
            RunAction::SetSpeed(speed) => {
                self.settings.speed = speed;
                file.run.set_speed(speed);
            }
            RunAction::SetPlayRate(rate) => {
                self.settings.play_rate = rate;
                if file.run.is_playing() {
                    file.run.play(rate);
                }
            }
            RunAction::StepBy(steps) => self.settings.step_by = steps,
            RunAction::Show(number) => {
                file.run.show(number);
                file.run.compare(file.document.simulation());
            }
            RunAction::ToggleOverlay(number) => file.run.runs_mut().toggle_overlay(number),
            RunAction::TogglePin(number) => {
                if let Some(run) = file.run.runs_mut().get_mut(number) {
                    run.is_pinned = !run.is_pinned;
                }
            }
            RunAction::Rename(number, name) => file.run.runs_mut().rename(number, &name),
            RunAction::Limit(megabytes) => {
                self.settings.runs_megabytes = megabytes;
                file.run.set_limit((megabytes as usize) << 20);
                self.spill.limit((megabytes as usize) << 20);
            }
            RunAction::LimitPast(megabytes) => self.settings.past_megabytes = megabytes,
            RunAction::Save(number) => self.ask_path(PathRequest::SaveRun(number)),
            RunAction::Remove(number) => file.run.remove(number),
            RunAction::Repeat(number) => self.repeat(number),
            RunAction::RunHere => self.run_here(),
            RunAction::Compare(number) => {
                let runs = file.run.runs_mut();
                let has_others = runs.ghost().is_some() || runs.overlays().next().is_some();
                let current = runs.current().map(|run| run.number);
                let newest = runs.iter().rev().map(|run| run.number).find(|number| Some(*number) != current);
                let wanted = number.or(newest.filter(|_| !has_others));
                if let Some(number) = wanted.filter(|number| !runs.is_overlay(*number)) {
                    runs.toggle_overlay(number);
                }
                file.panels.plots.show_comparison();
                self.window.layout.show(Panel::Plots);
            }
        }
    }

    /// Carries out a command on the run.
    pub(crate) fn run_command(&mut self, command: RunCommand) {
        #[cfg(feature = "pool")]
        if command == RunCommand::Pools {
            return self.act_on_pool(PoolAction::Edit);
        }
        let Some(file) = &mut self.file else { return };
        match command {
            RunCommand::Run => self.run_or_resume(),
            RunCommand::Pause => file.run.pause(),
            RunCommand::Step => self.step(),
            RunCommand::StepBack => {
                file.run.pause();
                file.run.move_by(-(self.settings.step_by.min(1 << 50) as i64));
            }
            RunCommand::Stop => file.run.stop(),
            RunCommand::Restart => self.start_run(StartMode::Running, Vec::new()),
            RunCommand::GoToStep => file.panels.time.wants_focus = true,
            RunCommand::PlayRecorded if file.run.is_playing() => file.run.stop_playing(),
            RunCommand::PlayRecorded => file.run.play(self.settings.play_rate),
            RunCommand::FollowRun => file.run.look_at_end(),
            RunCommand::Branch => self.branch(),
            RunCommand::SaveRun => {
                if let Some(run) = file.run.runs().current().map(|run| run.number) {
                    self.ask_path(PathRequest::SaveRun(run));
                }
            }
            RunCommand::OpenRun => self.ask_path(PathRequest::OpenRun),
            RunCommand::ToggleLiveEdits => self.toggle_live_edits(),
            RunCommand::ToggleGhost => {
                let runs = file.run.runs_mut();
                runs.shows_ghost = !runs.shows_ghost;
            }
            RunCommand::ToggleHeat => self.window.shows_heat = !self.window.shows_heat,
            RunCommand::PauseAtNonFinite => {
                self.act(Action::Run(RunAction::StopAtNonFinite(!self.settings.stops_at_non_finite)))
            }
            RunCommand::Speed(speed) => {
                self.settings.speed = speed;
                file.run.set_speed(speed);
                self.save_settings();
            }
            RunCommand::Check => {
                file.check.forget();
                self.refresh();
                self.window.layout.show(Panel::Problems);
            }
            RunCommand::TunePid => self.window.layout.show(Panel::Tuner),
            RunCommand::FitToData => self.window.layout.show(Panel::Fit),
            RunCommand::OptimizeResponse => self.window.layout.show(Panel::Response),
            // Opened above, without a document too.
            RunCommand::Pools => {}
        }
    }
}
