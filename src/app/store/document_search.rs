//! The search in the open document and the advice on it, on background threads.

use std::sync::Arc;

use eframe::egui;

use super::latest::LatestWorker;
use crate::app::doc::advice::{Advice, advise};
use crate::app::doc::find::{SearchMatch, find};
use crate::block::Registry;
use crate::model::{Model, Simulation, Snapshot};

/// A request with the state of the document that it is about.
type Request<K> = (K, Arc<Simulation>, Arc<Registry>);

/// The newest result of work on the document, computed on a background thread.
struct Latest<K, R> {
    worker: LatestWorker<Request<K>, (K, R)>,
    /// The last request.
    asked: Option<K>,
    /// The newest result and its request.
    found: Option<(K, R)>,
}

impl<K: Clone + PartialEq + Send + 'static, R: Send + 'static> Latest<K, R> {
    fn new(
        ctx: &egui::Context,
        work: impl Fn(&K, &Arc<Simulation>, &Registry) -> R + Send + Sync + 'static,
    ) -> Latest<K, R> {
        let ctx = ctx.clone();
        let work = move |(key, simulation, registry): Request<K>, _: &dyn Fn() -> bool| {
            let result = work(&key, &simulation, &registry);
            (key, result)
        };
        Latest { worker: LatestWorker::new(Arc::new(move || ctx.request_repaint()), work), asked: None, found: None }
    }

    /// Requests a result, unless it was requested already.
    fn ask(&mut self, key: K, simulation: &Arc<Simulation>, registry: &Arc<Registry>) {
        if self.asked.as_ref() != Some(&key) {
            self.asked = Some(key.clone());
            self.worker.ask((key, Arc::clone(simulation), Arc::clone(registry)));
        }
    }

    fn poll(&mut self) {
        if let Some(found) = self.worker.poll() {
            self.found = Some(found);
        }
    }

    fn is_busy(&self) -> bool {
        self.worker.is_busy()
    }
}

/// The search for a text in the document.
pub struct DocumentSearch(Latest<(String, u64), Vec<SearchMatch>>);

impl DocumentSearch {
    pub fn new(ctx: &egui::Context) -> DocumentSearch {
        DocumentSearch(Latest::new(ctx, |(query, _): &(String, u64), simulation, registry| {
            find(query, simulation, registry)
        }))
    }

    /// Requests the matches of a query in a state of the document, unless they were requested already.
    pub fn ask(&mut self, query: &str, snapshot: &Snapshot, registry: &Arc<Registry>) {
        self.0.ask((query.trim().to_owned(), snapshot.revision), &snapshot.simulation, registry);
    }

    /// Takes the result of the thread.
    pub fn poll(&mut self) {
        self.0.poll();
    }

    /// Returns the query that was last searched, and its matches.
    pub fn found(&self) -> (&str, &[SearchMatch]) {
        self.0.found.as_ref().map_or(("", &[]), |((query, _), found)| (query.as_str(), found.as_slice()))
    }

    /// Returns whether a result is pending.
    pub fn is_busy(&self) -> bool {
        self.0.is_busy()
    }
}

/// The advice on the document.
pub struct DocumentAdvice(Latest<u64, Vec<Advice>>);

/// Finds the advice on the positions of a model's blocks.
pub type AdviceOnDrawing = fn(&Simulation, &Registry, &Model, &mut Vec<Advice>);

impl DocumentAdvice {
    pub fn new(ctx: &egui::Context, on_drawing: AdviceOnDrawing) -> DocumentAdvice {
        DocumentAdvice(Latest::new(ctx, move |_, simulation, registry| {
            advise(simulation, registry, |model, found| on_drawing(simulation, registry, model, found))
        }))
    }

    /// Requests the advice on a state of the document, unless it was requested already.
    pub fn ask(&mut self, snapshot: &Snapshot, registry: &Arc<Registry>) {
        self.0.ask(snapshot.revision, &snapshot.simulation, registry);
    }

    /// Takes the result of the thread.
    pub fn poll(&mut self) {
        self.0.poll();
    }

    /// Returns the latest advice; `None` before the first.
    pub fn found(&self) -> Option<&[Advice]> {
        self.0.found.as_ref().map(|(_, advice)| advice.as_slice())
    }

    /// Returns whether a result is pending.
    pub fn is_busy(&self) -> bool {
        self.0.is_busy()
    }
}
