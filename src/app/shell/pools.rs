//! Pools of computers: the list of them, the one that the Sweep panel shows, and its sweeps.

use std::path::Path;
use std::sync::Arc;

use super::state::App;
use crate::app::action::PoolAction;
use crate::app::action::command::Panel;
use crate::app::dialogs::{Dialog, PoolEditor, RemoteDoubt, RemoteStart, Trial};
use crate::app::panels::sweep::{PoolsView, SweepLocation, SweepProblem};
use crate::app::store::files::file_name;
use crate::app::store::jobs::About;
use crate::app::store::lab::{Ensemble, NewPoolSweep, PoolSweepRequest, PoolSweepStart, forget_sweep};
use crate::app::store::pool_watch::PoolWatch;
use crate::app::store::pools::{PoolFile, PoolSetting, told};
use crate::app::store::settings::Settings;
use crate::engine::Runs;
use crate::model::SignalKey;
use crate::pool::{self, PoolError, PoolListing, PoolParts};

/// Returns the view of the pools for the Sweep panel.
pub(super) fn view_of<'a>(settings: &'a Settings, watch: Option<&'a PoolWatch>) -> PoolsView<'a> {
    PoolsView {
        names: settings.pools.iter().map(|pool| pool.name.as_str()).collect(),
        seen: watch.map(|watch| &watch.seen),
    }
}

impl App {
    pub(super) fn act_on_pool(&mut self, action: PoolAction) {
        match action {
            PoolAction::Edit => self.edit_pools(),
            PoolAction::Leave => self.leave_sweep(),
            PoolAction::Attach(sweep) => self.attach_sweep(sweep),
            PoolAction::Cancel(sweep) => self.cancel_pool_sweep(sweep),
        }
    }

    /// Returns the pool that the Sweep panel has chosen.
    fn chosen_pool(&self) -> Option<&PoolSetting> {
        let SweepLocation::Pool(name) = &self.file.as_ref()?.panels.sweep.location else { return None };
        self.settings.pools.iter().find(|pool| pool.name == *name)
    }

    /// Watches only the pool that the Sweep panel shows. Called once per frame.
    pub(super) fn follow_pool(&mut self) {
        let chosen = self.chosen_pool().cloned();
        if chosen.is_none() {
            // It may have been removed from the settings.
            self.with_file(|file| file.panels.sweep.location = SweepLocation::Here);
        }
        let shown = chosen.filter(|_| self.layout.is_shown(Panel::Sweep));
        if self.pool_watch.as_ref().map(|watch| &watch.pool) != shown.as_ref() {
            let ctx = self.ctx.clone();
            self.pool_watch = shown.map(|pool| PoolWatch::begin(pool, move || ctx.request_repaint()));
        }
        if let Some(watch) = &mut self.pool_watch {
            watch.poll();
        }
    }

    fn edit_pools(&mut self) {
        self.open_dialog(Dialog::Pools(Box::new(PoolEditor::new(self.settings.pools.clone()))));
    }

    /// Stores the pools; spaces around names and addresses are removed.
    pub(super) fn set_pools(&mut self, mut pools: Vec<PoolSetting>) {
        for pool in &mut pools {
            for text in [&mut pool.name, &mut pool.servers] {
                *text = text.trim().to_owned();
            }
        }
        self.settings.pools = pools;
        self.save_settings();
    }

    /// Takes the file that was chosen in the list of pools, which is open or waits behind the question for the file.
    pub(super) fn pool_file_chosen(&mut self, pool: usize, file: PoolFile, path: &Path) {
        let dialogs = std::iter::once(&mut self.dialog).chain(&mut self.waiting_dialogs);
        for dialog in dialogs {
            if let Dialog::Pools(editor) = dialog {
                return editor.choose(pool, file, path);
            }
        }
    }

    /// Connects to a pool and shows the result in the dialog.
    pub(super) fn try_pool(&mut self, mut editor: Box<PoolEditor>, pool: PoolSetting) {
        editor.trial = Trial::Running(pool.clone());
        self.dialog = Dialog::Pools(editor);
        let options = pool.options();
        self.jobs.start(
            About::default(),
            move || pool::list(&options).map_err(told),
            move |app, listed| {
                // Another one is tried, or the pool was changed meanwhile.
                let Dialog::Pools(editor) = &mut app.dialog else { return };
                if editor.trial != Trial::Running(pool) {
                    return;
                }
                editor.trial = match listed {
                    Ok(PoolListing { sweeps, workers }) => {
                        let counted = |count: usize, what: &str| {
                            if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
                        };
                        let (workers, sweeps) = (counted(workers.len(), "worker"), counted(sweeps.len(), "sweep"));
                        Trial::Good(format!("Connected: {workers}, {sweeps}"))
                    }
                    Err(problem) => Trial::Bad(problem),
                };
            },
        );
    }

    fn pool_parts(&self) -> PoolParts {
        PoolParts {
            registry: Arc::clone(&self.components.registry),
            formats: Arc::clone(&self.components.formats),
            engines: self.components.engines.clone(),
        }
    }

    /// Starts a sweep of the open simulation on a pool, or asks first whether the simulation may be sent there.
    pub(super) fn begin_pool_sweep(&mut self, (runs, count): (Runs, u64), signal: SignalKey) {
        let Some(pool) = self.chosen_pool().cloned() else { return };
        let Some(file) = &mut self.file else { return };
        if let Err(error) = pool.check() {
            file.panels.sweep.problem = Some(SweepProblem::Refused(error.to_string()));
            return;
        }
        if !self.may_send_to(&pool) {
            return self.ask_remote(RemoteDoubt::Send(pool), RemoteStart::Sweep);
        }
        let Some(file) = &mut self.file else { return };
        let name = file.path.as_deref().map_or_else(|| file.name.clone(), file_name);
        let stem = Path::new(&name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let new = NewPoolSweep {
            runs,
            count,
            vary: file.panels.sweep.vary(),
            simulation: Arc::clone(file.document.simulation()),
            files: Arc::clone(&self.fmus) as _,
            name: stem.unwrap_or(name),
            signal,
        };
        self.start_on_pool(pool, PoolSweepStart::New(Box::new(new)));
    }

    fn start_on_pool(&mut self, pool: PoolSetting, start: PoolSweepStart) {
        let (parts, home, ctx) = (self.pool_parts(), self.settings.home.clone(), self.ctx.clone());
        let Some(file) = &mut self.file else { return };
        let panel = &mut file.panels.sweep;
        (panel.problem, panel.chosen) = (None, None);
        panel.generation += 1;
        let request = PoolSweepRequest { pool, parts, home, start };
        file.lab.ensemble = Some(Ensemble::on_pool(request, move || ctx.request_repaint()));
    }

    fn leave_sweep(&mut self) {
        let Some(ensemble) = self.file.as_mut().and_then(|file| file.lab.ensemble.as_mut()) else { return };
        ensemble.leave();
        self.say("The pool goes on with the sweep; attach to it in the list");
    }

    fn attach_sweep(&mut self, sweep: String) {
        if let Some(pool) = self.chosen_pool().cloned() {
            self.start_on_pool(pool, PoolSweepStart::Attached(sweep));
        }
    }

    fn cancel_pool_sweep(&mut self, sweep: String) {
        let Some(pool) = self.chosen_pool().cloned() else { return };
        let (options, home) = (pool.options(), self.settings.home.clone());
        let about = About { title: format!("Cancelling sweep {sweep}"), ..About::default() };
        self.jobs.start(
            about,
            move || {
                let cancelled = pool::cancel(&options, &sweep);
                if matches!(cancelled, Ok(()) | Err(PoolError::NoSweep(_))) {
                    forget_sweep(home.as_deref(), &sweep);
                }
                cancelled.map(|()| sweep)
            },
            |app, cancelled| match cancelled {
                Ok(sweep) => app.say(format!("The sweep {sweep} is cancelled")),
                Err(error) => app.complain(told(error)),
            },
        );
    }
}
