//! Checks the document on a background thread, so that an edit never waits.

use std::sync::Arc;

use eframe::egui;

use super::latest::LatestWorker;
use crate::block::Registry;
use crate::engine::{self, Program};
use crate::model::{Diagnostic, Simulation, Snapshot};

/// Requests checks and takes results; only the last request counts.
pub struct DocumentCheck {
    worker: LatestWorker<Request, Found>,
    /// The revision of the last request.
    asked: Option<u64>,
}

/// The result of a check.
pub struct Found {
    pub diagnostics: Vec<Diagnostic>,
    /// The compiled program, if there are no errors; it has widths and rates.
    pub program: Option<Arc<Program>>,
}

struct Request {
    simulation: Arc<Simulation>,
    registry: Arc<Registry>,
}

impl DocumentCheck {
    pub fn new(ctx: &egui::Context) -> DocumentCheck {
        let ctx = ctx.clone();
        let examine = |request: Request, _: &dyn Fn() -> bool| {
            let (diagnostics, program) = engine::examine(&request.simulation, &request.registry);
            Found { diagnostics, program: program.map(Arc::new) }
        };
        DocumentCheck { worker: LatestWorker::new(Arc::new(move || ctx.request_repaint()), examine), asked: None }
    }

    /// Requests a check of this state, unless it was requested already.
    pub fn ask(&mut self, snapshot: &Snapshot, registry: &Arc<Registry>) {
        if self.asked == Some(snapshot.revision) {
            return;
        }
        self.asked = Some(snapshot.revision);
        let (simulation, registry) = (Arc::clone(&snapshot.simulation), Arc::clone(registry));
        self.worker.ask(Request { simulation, registry });
    }

    /// Returns the result of the last request, once.
    pub fn poll(&mut self) -> Option<Found> {
        self.worker.poll()
    }

    /// Returns whether a result is pending.
    pub fn is_busy(&self) -> bool {
        self.worker.is_busy()
    }

    /// Makes the next request count even if it is for the same state.
    pub fn forget(&mut self) {
        self.asked = None;
    }
}
