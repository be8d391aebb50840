//! The pool that the Sweep panel shows, and its sweeps.

use std::path::Path;
use std::sync::Arc;

use crate::app::action::PoolAction;
use crate::app::action::command::Panel;
use crate::app::dialogs::{RemoteDoubt, RemoteStart};
use crate::app::panels::sweep::{PoolsView, SweepLocation, SweepProblem};
use crate::app::shell::app::App;
use crate::app::store::files::file_name;
use crate::app::store::jobs::About;
use crate::app::store::lab::{Ensemble, NewPoolSweep, PoolSweepRequest, PoolSweepStart, forget_sweep};
use crate::app::store::pool_watch::PoolWatch;
use crate::app::store::pools::{PoolSetting, told};
use crate::app::store::settings::Settings;
use crate::engine::Runs;
use crate::model::SignalKey;
use crate::pool::{self, PoolError, PoolParts};

/// Returns the view of the pools for the Sweep panel.
pub(crate) fn view_of<'a>(settings: &'a Settings, watch: Option<&'a PoolWatch>) -> PoolsView<'a> {
    PoolsView {
        names: settings.pools.iter().map(|pool| pool.name.as_str()).collect(),
        seen: watch.map(|watch| &watch.seen),
    }
}

impl App {
    pub(crate) fn act_on_pool(&mut self, action: PoolAction) {
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
    pub(crate) fn follow_pool(&mut self) {
        let chosen = self.chosen_pool().cloned();
        if chosen.is_none() {
            // It may have been removed from the settings.
            self.with_file(|file| file.panels.sweep.location = SweepLocation::Here);
        }
        let shown = chosen.filter(|_| self.window.layout.is_shown(Panel::Sweep));
        if self.pool_watch.as_ref().map(|watch| &watch.pool) != shown.as_ref() {
            let ctx = self.ctx.clone();
            self.pool_watch = shown.map(|pool| PoolWatch::begin(pool, move || ctx.request_repaint()));
        }
        if let Some(watch) = &mut self.pool_watch {
            watch.poll();
        }
    }

    fn pool_parts(&self) -> PoolParts {
        PoolParts {
            registry: Arc::clone(&self.components.registry),
            formats: Arc::clone(&self.components.formats),
            engines: self.components.engines.clone(),
        }
    }

    /// Starts a sweep of the open simulation on a pool, or asks first whether the simulation may be sent there.
    pub(crate) fn begin_pool_sweep(&mut self, (runs, count): (Runs, u64), signal: SignalKey) {
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
            files: Arc::clone(&self.blocks.fmus) as _,
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
