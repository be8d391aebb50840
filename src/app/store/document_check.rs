//! Checks the document on a background thread, so that an edit never waits.

use std::sync::Arc;

use super::latest::LatestWorker;
use crate::block::Registry;
use crate::engine::{self, Program};
use crate::model::{Diagnostic, Simulation, Snapshot};

/// Requests checks and takes results; only the newest request counts.
pub struct DocumentCheck {
    worker: LatestWorker<Request, Found>,
    /// The document and revision of the last request.
    asked: Option<(u64, u64)>,
}

/// The result of a check.
pub struct Found {
    /// The document's number and its revision.
    pub of: (u64, u64),
    pub diagnostics: Vec<Diagnostic>,
    /// The compiled program, if there are no errors; it has widths and rates.
    pub program: Option<Arc<Program>>,
}

struct Request {
    of: (u64, u64),
    simulation: Arc<Simulation>,
    registry: Arc<Registry>,
}

impl DocumentCheck {
    /// `wake` is called when there is a result.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> DocumentCheck {
        let examine = |request: Request, _: &dyn Fn() -> bool| {
            let (diagnostics, program) = engine::examine(&request.simulation, &request.registry);
            Found { of: request.of, diagnostics, program: program.map(Arc::new) }
        };
        DocumentCheck { worker: LatestWorker::new(Arc::new(wake), examine), asked: None }
    }

    /// Requests a check of this state, unless it was requested already.
    pub fn ask(&mut self, document: u64, snapshot: &Snapshot, registry: &Arc<Registry>) {
        let of = (document, snapshot.revision);
        if self.asked == Some(of) {
            return;
        }
        self.asked = Some(of);
        let (simulation, registry) = (Arc::clone(&snapshot.simulation), Arc::clone(registry));
        self.worker.ask(Request { of, simulation, registry });
    }

    /// Returns the result of the newest request, once.
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
