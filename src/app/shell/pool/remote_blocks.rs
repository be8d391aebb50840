//! Model blocks in the workers of pools: the engine of a run with such blocks, and the questions to the user before and
//! after it.

use std::sync::Arc;

use crate::app::shell::app::App;
use crate::app::store::engines::engine_of;
use crate::app::store::run::StartMode;
use crate::app::store::settings::Settings;
use crate::engine::Engine;

/// Returns the names of the pools in the settings.
#[cfg(feature = "pool")]
pub(crate) fn pool_names(settings: &Settings) -> Vec<String> {
    settings.pools.iter().map(|pool| pool.name.clone()).collect()
}

/// There are no pools.
#[cfg(not(feature = "pool"))]
pub(crate) fn pool_names(_: &Settings) -> Vec<String> {
    Vec::new()
}

impl App {
    /// Runs once more, all blocks on this computer.
    pub(crate) fn run_here(&mut self) {
        let Some(file) = &mut self.file else { return };
        let begin = file.run.begun;
        #[cfg(feature = "pool")]
        {
            file.runs_here = true;
        }
        self.start_run(begin, Vec::new());
    }

    /// Returns the engine of a run to start, and whether remote blocks run in workers. None if it is asked first where.
    #[cfg(not(feature = "pool"))]
    pub(crate) fn engine_of_run(&mut self, _: StartMode) -> Option<(Option<Arc<dyn Engine>>, bool)> {
        Some((engine_of(&self.settings, &self.components.engines), false))
    }
}

#[cfg(feature = "pool")]
mod with_pools {
    use std::collections::{BTreeMap, BTreeSet};
    use std::time::Duration;

    use super::{App, Arc, Engine, StartMode, engine_of};
    use crate::app::action::{Action, LabAction, PoolAction};
    use crate::app::dialogs::{Dialog, RemoteChoice, RemoteDoubt, RemoteQuestion, RemoteStart};
    use crate::app::store::pools::PoolSetting;
    use crate::engine::{Engines, Remote};
    use crate::model::remote_blocks;
    use crate::pool::PoolWorkers;

    /// The timeout of the search for workers.
    const SEARCH_TIMEOUT: Duration = Duration::from_secs(10);

    impl App {
        /// Returns the engine of a run to start, and whether remote blocks run in workers. None if it is asked first where:
        /// a simulation is sent to no pool that its user has not allowed for it.
        pub(crate) fn engine_of_run(&mut self, begin: StartMode) -> Option<(Option<Arc<dyn Engine>>, bool)> {
            let chosen = engine_of(&self.settings, &self.components.engines);
            let Some(file) = &mut self.file else { return Some((chosen, false)) };
            let is_here = std::mem::take(&mut file.runs_here);
            let is_open = chosen.as_ref().is_none_or(|engine| engine.name() == Engines::DEFAULT);
            let names: BTreeSet<String> =
                remote_blocks(file.document.simulation()).map(|(_, _, pool)| pool.to_owned()).collect();
            if is_here || !is_open || names.is_empty() {
                return Some((chosen, false));
            }
            let mut pools = BTreeMap::new();
            for pool in names {
                let setting = self.settings.pools.iter().find(|setting| setting.name == pool);
                let doubt = match setting.map(|setting| (setting, setting.check())) {
                    None => RemoteDoubt::Unknown(pool),
                    Some((_, Err(error))) => RemoteDoubt::Refused(pool, error.to_string()),
                    Some((setting, Ok(()))) if self.may_send_to(setting) => {
                        pools.insert(pool, setting.options());
                        continue;
                    }
                    Some((setting, Ok(()))) => RemoteDoubt::Send(setting.clone()),
                };
                self.ask_remote(doubt, RemoteStart::Run(begin));
                return None;
            }
            let workers = PoolWorkers::new(pools, Arc::clone(&self.components.formats), SEARCH_TIMEOUT);
            let engines = self.components.engines.with_remote(Arc::new(Remote::new(Arc::new(workers))));
            Some((engines.get(Engines::DEFAULT).cloned(), true))
        }

        /// Whether the user has allowed that the open simulation is sent to the servers of a pool.
        pub(crate) fn may_send_to(&self, pool: &PoolSetting) -> bool {
            let Some(file) = &self.file else { return false };
            let allowed = match &file.path {
                Some(path) => self.settings.allowed.get(path),
                None => Some(&file.allowed),
            };
            allowed.is_some_and(|allowed| allowed.pools.contains(&pool.servers))
        }

        /// Asks whether and where something is computed.
        pub(crate) fn ask_remote(&mut self, doubt: RemoteDoubt, start: RemoteStart) {
            let path = self.file.as_ref().and_then(|file| file.path.clone());
            self.open_dialog(Dialog::Remote(Box::new(RemoteQuestion { path, doubt, start })));
        }

        pub(crate) fn take_remote(&mut self, question: RemoteQuestion, choice: RemoteChoice) {
            let RemoteQuestion { path, doubt, start } = question;
            let Some(file) = &mut self.file else { return };
            match (choice, doubt) {
                (RemoteChoice::RunHere, _) => file.runs_here = true,
                (RemoteChoice::Send, RemoteDoubt::Send(pool)) => match path {
                    Some(path) => {
                        self.settings.allowed.entry(path).or_default().pools.insert(pool.servers);
                        self.save_settings();
                    }
                    None => drop(file.allowed.pools.insert(pool.servers)),
                },
                (RemoteChoice::Send, _) => return,
                (RemoteChoice::EditPools, _) => return self.act(Action::Lab(LabAction::Pool(PoolAction::Edit))),
            }
            match start {
                RemoteStart::Run(begin) => self.start_run(begin, Vec::new()),
                RemoteStart::Sweep => self.begin_sweep(),
            }
        }
    }
}
