//! Model blocks in the workers of pools: the engine of a run that has some, and what is asked before and after it.

use std::sync::Arc;

use super::state::App;
use crate::app::store::engines::engine_of;
use crate::app::store::run::StartMode;
use crate::app::store::settings::Settings;
use crate::engine::Engine;

/// Returns the names of the pools in the settings.
#[cfg(feature = "pool")]
pub(super) fn pool_names(settings: &Settings) -> Vec<String> {
    settings.pools.iter().map(|pool| pool.name.clone()).collect()
}

/// There are no pools.
#[cfg(not(feature = "pool"))]
pub(super) fn pool_names(_: &Settings) -> Vec<String> {
    Vec::new()
}

impl App {
    /// Returns the engine of a run to start, and whether remote blocks run in workers. None if it is asked first where.
    #[cfg(not(feature = "pool"))]
    pub(super) fn engine_of_run(&mut self, _: StartMode) -> Option<(Option<Arc<dyn Engine>>, bool)> {
        Some((engine_of(&self.settings, &self.components.engines), false))
    }

    #[cfg(not(feature = "pool"))]
    pub(super) fn offer_to_run_here(&mut self, _: &str) {}
}

#[cfg(feature = "pool")]
mod with_pools {
    use std::collections::{BTreeMap, BTreeSet};
    use std::time::Duration;

    use super::{App, Arc, Engine, StartMode, engine_of};
    use crate::app::action::{Action, LabAction, PoolAction};
    use crate::app::dialogs::{Dialog, RemoteChoice, RemoteDoubt, RemoteQuestion};
    use crate::engine::{Engines, RunError};
    use crate::model::remote_blocks;
    use crate::pool::PoolWorkers;

    /// How long workers are looked for.
    const PATIENCE: Duration = Duration::from_secs(10);

    impl App {
        /// Returns the engine of a run to start, and whether remote blocks run in workers. None if it is asked first where:
        /// a simulation is sent to no pool that its user has not allowed for it.
        pub(in super::super) fn engine_of_run(&mut self, begin: StartMode) -> Option<(Option<Arc<dyn Engine>>, bool)> {
            let chosen = engine_of(&self.settings, &self.components.engines);
            let Some(file) = &mut self.file else { return Some((chosen, false)) };
            let is_here = std::mem::take(&mut file.runs_here);
            let is_open = chosen.as_ref().is_none_or(|engine| engine.name() == Engines::DEFAULT);
            let names: BTreeSet<String> =
                remote_blocks(file.document.simulation()).map(|(_, _, pool)| pool.to_owned()).collect();
            if is_here || !is_open || names.is_empty() {
                return Some((chosen, false));
            }
            let allowed = match &file.path {
                Some(path) => self.settings.allowed.get(path),
                None => Some(&file.allowed),
            };
            let mut pools = BTreeMap::new();
            for pool in names {
                let setting = self.settings.pools.iter().find(|setting| setting.name == pool);
                let doubt = match setting.map(|setting| (setting, setting.check())) {
                    None => RemoteDoubt::Unknown,
                    Some((_, Err(error))) => RemoteDoubt::Refused(error.to_string()),
                    Some((setting, Ok(()))) => match allowed {
                        Some(allowed) if allowed.pools.contains(&setting.servers) => {
                            pools.insert(pool, setting.options());
                            continue;
                        }
                        _ => RemoteDoubt::Send(setting.clone()),
                    },
                };
                let path = file.path.clone();
                self.open_dialog(Dialog::Remote(Box::new(RemoteQuestion { path, pool, doubt, begin })));
                return None;
            }
            let workers = PoolWorkers::new(pools, Arc::clone(&self.components.formats), PATIENCE);
            let engines = self.components.engines.with_workers(Arc::new(workers));
            Some((engines.get(Engines::DEFAULT).cloned(), true))
        }

        /// Offers to run on this computer if the error of a run says that a remote block has no worker.
        pub(in super::super) fn offer_to_run_here(&mut self, message: &str) {
            let Some(file) = self.file.as_ref().filter(|_| RunError::is_without_worker(message)) else { return };
            let question = RemoteQuestion {
                path: file.path.clone(),
                pool: String::new(),
                doubt: RemoteDoubt::NoWorker(message.to_owned()),
                begin: file.run.begun,
            };
            self.open_dialog(Dialog::Remote(Box::new(question)));
        }

        pub(in super::super) fn take_remote(&mut self, question: RemoteQuestion, choice: RemoteChoice) {
            let Some(file) = &mut self.file else { return };
            match (choice, question.doubt) {
                (RemoteChoice::RunHere, _) => {
                    file.runs_here = true;
                    self.start_run(question.begin, Vec::new());
                }
                (RemoteChoice::Send, RemoteDoubt::Send(pool)) => {
                    match question.path {
                        Some(path) => {
                            self.settings.allowed.entry(path).or_default().pools.insert(pool.servers);
                            self.save_settings();
                        }
                        None => drop(file.allowed.pools.insert(pool.servers)),
                    }
                    self.start_run(question.begin, Vec::new());
                }
                (RemoteChoice::Send, _) => {}
                (RemoteChoice::EditPools, _) => self.act(Action::Lab(LabAction::Pool(PoolAction::Edit))),
            }
        }
    }
}
