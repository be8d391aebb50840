//! The comparison of the open document with another state, on a background thread.

use std::sync::Arc;

use eframe::egui;

use super::both_runs::BothRuns;
use super::latest::LatestWorker;
use crate::diff::{Change, diff};
use crate::model::{Simulation, Snapshot};

/// Another state of the document.
#[derive(Clone, Debug)]
pub struct OtherState {
    /// Such as `motor.simx in the last commit`.
    pub name: String,
    pub simulation: Arc<Simulation>,
}

/// The differences between the other state and a revision of the document.
#[derive(Clone, Debug)]
pub struct Compared {
    pub revision: u64,
    /// From the other state to that of the document.
    pub changes: Vec<Change>,
    /// The document at that revision.
    pub simulation: Arc<Simulation>,
}

type Request = (Arc<Simulation>, Snapshot);

pub struct DocumentComparison {
    worker: LatestWorker<Request, Compared>,
    other: Option<OtherState>,
    /// The revision that was asked for last.
    asked: Option<u64>,
    found: Option<Compared>,
    pub runs: BothRuns,
}

impl DocumentComparison {
    pub fn new(ctx: &egui::Context) -> DocumentComparison {
        let runs = BothRuns::new(ctx);
        let ctx = ctx.clone();
        let work = |(other, snapshot): Request, _: &dyn Fn() -> bool| {
            let changes = diff(&other, &snapshot.simulation);
            Compared { revision: snapshot.revision, changes, simulation: snapshot.simulation }
        };
        let worker = LatestWorker::new(Arc::new(move || ctx.request_repaint()), work);
        DocumentComparison { worker, other: None, asked: None, found: None, runs }
    }

    /// Compares with another state from now on, or with none.
    pub fn set_other(&mut self, other: Option<OtherState>) {
        (self.other, self.asked, self.found) = (other, None, None);
        self.runs.clear();
    }

    pub fn other(&self) -> Option<&OtherState> {
        self.other.as_ref()
    }

    /// Compares a state of the document, unless that was asked for already.
    pub fn ask(&mut self, snapshot: &Snapshot) {
        if let Some(other) = &self.other
            && self.asked != Some(snapshot.revision)
        {
            self.asked = Some(snapshot.revision);
            self.worker.ask((Arc::clone(&other.simulation), snapshot.clone()));
        }
    }

    /// Takes the results of the threads.
    pub fn poll(&mut self) {
        self.runs.poll();
        if let Some(found) = self.worker.poll()
            && self.other.is_some()
        {
            self.found = Some(found);
        }
    }

    /// Returns the latest result; none before the first.
    pub fn found(&self) -> Option<&Compared> {
        self.found.as_ref()
    }
}
