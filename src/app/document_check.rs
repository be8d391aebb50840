//! Looks for problems on a thread of its own, so that an edit never waits for it.

use std::sync::Arc;

use super::latest::LatestWorker;
use crate::block::Registry;
use crate::engine::{self, Program};
use crate::model::{Diagnostic, Simulation, Snapshot};

/// Asks for checks and takes their results; only the newest request counts.
pub struct DocumentCheck {
    worker: LatestWorker<Request, Found>,
    /// The document, and its revision, that was asked for last.
    asked: Option<(u64, u64)>,
}

/// What a check gives.
pub struct Found {
    /// The document's number and its revision.
    pub of: (u64, u64),
    pub diagnostics: Vec<Diagnostic>,
    /// The simulation ready to run, where it could: it knows widths and rates.
    pub program: Option<Arc<Program>>,
}

struct Request {
    of: (u64, u64),
    simulation: Arc<Simulation>,
    registry: Arc<Registry>,
}

impl DocumentCheck {
    /// `wake` is called when there is an answer.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> DocumentCheck {
        let examine = |request: Request, _: &dyn Fn() -> bool| {
            let (diagnostics, program) = engine::examine(&request.simulation, &request.registry);
            Found { of: request.of, diagnostics, program: program.map(Arc::new) }
        };
        DocumentCheck { worker: LatestWorker::new(Arc::new(wake), examine), asked: None }
    }

    /// Asks for a check of this state, unless that was done.
    pub fn ask(&mut self, document: u64, snapshot: &Snapshot, registry: &Arc<Registry>) {
        let of = (document, snapshot.revision);
        if self.asked == Some(of) {
            return;
        }
        self.asked = Some(of);
        let (simulation, registry) = (Arc::clone(&snapshot.simulation), Arc::clone(registry));
        self.worker.ask(Request { of, simulation, registry });
    }

    /// The answer to the newest request, once.
    pub fn poll(&mut self) -> Option<Found> {
        self.worker.poll()
    }

    /// Whether an answer is still to come.
    pub fn is_busy(&self) -> bool {
        self.worker.is_busy()
    }

    /// Asks again for what was asked already.
    pub fn forget(&mut self) {
        self.asked = None;
    }
}
