//! The list of pools: edited, stored and tried.

use std::path::Path;

use crate::app::dialogs::{Dialog, PoolEditor, Trial};
use crate::app::shell::app::App;
use crate::app::store::jobs::About;
use crate::app::store::pools::{PoolFile, PoolSetting, told};
use crate::pool::{self, PoolListing};

impl App {
    pub(super) fn edit_pools(&mut self) {
        self.open_dialog(Dialog::Pools(Box::new(PoolEditor::new(self.settings.pools.clone()))));
    }

    /// Stores the pools; spaces around names and addresses are removed.
    pub(crate) fn set_pools(&mut self, mut pools: Vec<PoolSetting>) {
        for pool in &mut pools {
            for text in [&mut pool.name, &mut pool.servers] {
                *text = text.trim().to_owned();
            }
        }
        self.settings.pools = pools;
        self.save_settings();
    }

    /// Takes the file that was chosen in the list of pools, which is open or waits behind the question for the file.
    pub(crate) fn pool_file_chosen(&mut self, pool: usize, file: PoolFile, path: &Path) {
        let dialogs = std::iter::once(&mut self.window.dialog).chain(&mut self.window.waiting_dialogs);
        for dialog in dialogs {
            if let Dialog::Pools(editor) = dialog {
                return editor.choose(pool, file, path);
            }
        }
    }

    /// Connects to a pool and shows the result in the dialog.
    pub(crate) fn try_pool(&mut self, mut editor: Box<PoolEditor>, pool: PoolSetting) {
        editor.trial = Trial::Running(pool.clone());
        self.window.dialog = Dialog::Pools(editor);
        let options = pool.options();
        self.jobs.start(
            About::default(),
            move || pool::list(&options).map_err(told),
            move |app, listed| {
                // Another one is tried, or the pool was changed meanwhile.
                let Dialog::Pools(editor) = &mut app.window.dialog else { return };
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
}
