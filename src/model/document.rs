//! A simulation that is being edited: the only way to change it, with undo and redo.

use std::sync::Arc;

use super::relocation::{Relocation, reversed};
use super::update::Listeners;
use super::{Change, EditError, Simulation, Subscription, Update, UpdateCause, choose_variants};
use crate::block::Registry;
use crate::threads;

/// A simulation with its history. Snapshots share all models and blocks that did not change.
#[derive(Clone, Debug)]
pub struct Document {
    registry: Arc<Registry>,
    now: Snapshot,
    /// The oldest first; each is the state before the change with this label.
    undo: Vec<Past>,
    redo: Vec<Past>,
    next_revision: u64,
    saved: Option<u64>,
    listeners: Listeners,
}

/// A change in the history.
#[derive(Clone, Debug)]
struct Past {
    label: String,
    /// The state without it, or with it if it was undone.
    state: Snapshot,
    /// What it moves.
    moves: Arc<[Relocation]>,
    /// Whether it changes no result.
    keeps_results: bool,
}

/// A state of the document.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub simulation: Arc<Simulation>,
    /// Identifies this state: undo restores the same number.
    pub revision: u64,
}

impl Document {
    /// Creates a document that counts as saved. Its model blocks are instances of their chosen variants.
    pub fn new(mut simulation: Simulation, registry: Arc<Registry>) -> Document {
        choose_variants(&mut simulation);
        let now = Snapshot { simulation: Arc::new(simulation), revision: 0 };
        Document {
            registry,
            now,
            undo: Vec::new(),
            redo: Vec::new(),
            next_revision: 1,
            saved: Some(0),
            listeners: Listeners::default(),
        }
    }

    /// Registers a listener. It is called after each change, undo and redo, on the thread that made it, until the
    /// subscription is dropped. Copies of the document do not call it.
    pub fn listen(&mut self, listener: impl FnMut(&Update) + Send + 'static) -> Subscription {
        self.listeners.add(listener)
    }

    pub fn simulation(&self) -> &Arc<Simulation> {
        &self.now.simulation
    }

    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// Sets the blocks that the document may use.
    pub fn use_registry(&mut self, registry: Arc<Registry>) {
        self.registry = registry;
    }

    pub fn revision(&self) -> u64 {
        self.now.revision
    }

    /// Applies all edits of the change or none.
    ///
    /// # Errors
    /// The error of the first edit that is refused.
    pub fn apply(&mut self, change: &Change) -> Result<(), EditError> {
        let (simulation, moves) = change.applied_with_moves(&self.now.simulation, &self.registry)?;
        let past = Past {
            moves: moves.into(),
            keeps_results: change.keeps_results(self.simulation()),
            ..self.past(&change.label)
        };
        self.advance(past, simulation);
        Ok(())
    }

    /// Replaces the whole simulation as one step of the history, such as by the current content of its file. Its model
    /// blocks are instances of their chosen variants.
    pub fn replace(&mut self, label: String, mut simulation: Simulation) {
        choose_variants(&mut simulation);
        self.advance(self.past(&label), simulation);
    }

    /// Returns the history's entry of a change that is about to be made, and of which nothing more is known.
    fn past(&self, label: &str) -> Past {
        Past { label: label.to_owned(), state: self.now.clone(), moves: Arc::default(), keeps_results: false }
    }

    /// Makes a simulation the state of the document; the state before can be restored.
    fn advance(&mut self, past: Past, simulation: Simulation) {
        self.now = Snapshot { simulation: Arc::new(simulation), revision: self.next_revision };
        self.next_revision += 1;
        self.notify(UpdateCause::Applied, &past);
        self.undo.push(past);
        let gone = std::mem::take(&mut self.redo);
        if !gone.is_empty() {
            // The content that only these states hold may be as large as the model: another thread frees it, so that
            // the edit does not wait.
            let freeing = threads::spawn("free redo", move || drop(gone));
            // Without a thread, `spawn` has already freed them.
            drop(freeing);
        }
    }

    /// Undoes the last change and returns its label.
    pub fn undo(&mut self) -> Option<&str> {
        let mut past = self.undo.pop()?;
        std::mem::swap(&mut self.now, &mut past.state);
        self.notify(UpdateCause::Undone, &past);
        self.redo.push(past);
        self.redo.last().map(|past| past.label.as_str())
    }

    /// Redoes the last undone change and returns its label.
    pub fn redo(&mut self) -> Option<&str> {
        let mut past = self.redo.pop()?;
        std::mem::swap(&mut self.now, &mut past.state);
        self.notify(UpdateCause::Redone, &past);
        self.undo.push(past);
        self.undo.last().map(|past| past.label.as_str())
    }

    fn notify(&mut self, cause: UpdateCause, past: &Past) {
        if self.listeners.is_empty() {
            return;
        }
        let moves = match cause {
            UpdateCause::Applied | UpdateCause::Redone => Arc::clone(&past.moves),
            UpdateCause::Undone => reversed(&past.moves).into(),
        };
        let update = Update {
            cause,
            label: past.label.clone(),
            revision: self.now.revision,
            before: Arc::clone(&past.state.simulation),
            after: Arc::clone(&self.now.simulation),
            registry: Arc::clone(&self.registry),
            moves,
            keeps_results: past.keeps_results,
        };
        self.listeners.notify(&update);
    }

    /// The labels of the changes that can be undone, the last first.
    pub fn undo_labels(&self) -> impl Iterator<Item = &str> {
        self.undo.iter().rev().map(|past| past.label.as_str())
    }

    /// The labels of the changes that can be redone, the next first.
    pub fn redo_labels(&self) -> impl Iterator<Item = &str> {
        self.redo.iter().rev().map(|past| past.label.as_str())
    }

    /// Returns all states of the history, the oldest first, each with the label of the change that led to it. The
    /// oldest has none; undone states come last.
    pub fn states(&self) -> Vec<(Option<&str>, &Snapshot)> {
        let before = self.undo.iter().map(|past| &past.state);
        // A redo entry has the state with its change.
        let after = self.redo.iter().rev().map(|past| &past.state);
        let states = before.chain([&self.now]).chain(after);
        let undo = self.undo.iter().map(|past| past.label.as_str());
        let labels = undo.chain(self.redo.iter().rev().map(|past| past.label.as_str()));
        [None].into_iter().chain(labels.map(Some)).zip(states).collect()
    }

    pub fn is_saved(&self) -> bool {
        self.saved == Some(self.now.revision)
    }

    /// Returns how many steps of the history lead to the saved state: negative to undo, positive to redo; `None` if the
    /// history does not have it.
    pub fn steps_to_saved(&self) -> Option<i64> {
        let saved = self.saved?;
        if self.now.revision == saved {
            return Some(0);
        }
        let is_saved = |past: &Past| past.state.revision == saved;
        let back = self.undo.iter().rev().position(is_saved).map(|index| -(index as i64) - 1);
        back.or_else(|| self.redo.iter().rev().position(is_saved).map(|index| index as i64 + 1))
    }

    /// Marks a revision of the document as saved.
    pub fn mark_saved(&mut self, revision: u64) {
        self.saved = Some(revision);
    }

    /// Marks the document as never saved.
    pub fn mark_unsaved(&mut self) {
        self.saved = None;
    }
}
