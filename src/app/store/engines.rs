//! Which engine runs, and which of them cannot run the open document and why.
//!
//! The choice is this user's, kept in the settings: a file runs on every engine and names none.

use std::sync::Arc;

use eframe::egui;

use super::latest::LatestWorker;
use super::settings::Settings;
use crate::engine::{Engine, Engines, Program, Threaded};

/// Each engine's name, and the reason if it cannot run the program.
pub type Verdicts = Vec<(&'static str, Option<String>)>;

/// Checks on a background thread which engines can run a program: some compile it for that.
pub struct EngineChecks {
    worker: LatestWorker<Arc<Program>, Verdicts>,
    /// The program of the last request.
    asked: Option<Arc<Program>>,
    verdicts: Option<Verdicts>,
}

impl EngineChecks {
    pub fn new(ctx: &egui::Context, engines: Engines) -> EngineChecks {
        let ctx = ctx.clone();
        let work = move |program: Arc<Program>, goes_on: &dyn Fn() -> bool| {
            let verdict = |engine: &dyn Engine| (engine.name(), engine.prepare(&program).err().map(|no| no.reason));
            engines.iter().take_while(|_| goes_on()).map(verdict).collect()
        };
        let worker = LatestWorker::new(Arc::new(move || ctx.request_repaint()), work);
        EngineChecks { worker, asked: None, verdicts: None }
    }

    /// Requests a check of a program, unless it was requested already.
    pub fn ask(&mut self, program: &Arc<Program>) {
        if self.asked.as_ref().is_none_or(|asked| !Arc::ptr_eq(asked, program)) {
            self.asked = Some(Arc::clone(program));
            self.verdicts = None;
            self.worker.ask(Arc::clone(program));
        }
    }

    pub fn poll(&mut self) {
        if let Some(verdicts) = self.worker.poll() {
            self.verdicts = Some(verdicts);
        }
    }

    /// Returns the engines' verdicts on a program, if known.
    pub fn of(&self, program: &Arc<Program>) -> Option<&Verdicts> {
        self.verdicts.as_ref().filter(|_| self.asked.as_ref().is_some_and(|asked| Arc::ptr_eq(asked, program)))
    }
}

/// Returns the engine of the settings with the thread limit; the default engine if the name is unknown.
pub fn engine_of(settings: &Settings, engines: &Engines) -> Option<Arc<dyn Engine>> {
    let threaded = Threaded::limited(settings.threads.unwrap_or_else(|| Threaded::new().threads()));
    if settings.engine == threaded.name() {
        return Some(Arc::new(threaded));
    }
    engines.get(&settings.engine).or_else(|| engines.get(Engines::DEFAULT)).cloned()
}

/// Whether an engine uses more than one thread.
pub fn has_threads(name: &str) -> bool {
    name == Threaded::new().name()
}
