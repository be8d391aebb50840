//! The runs of a document: recordings and origins.
//!
//! One of them is the current one, which plots and the diagram show; others are overlays, and the previous
//! one is a ghost. Plots decide how they are drawn.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use super::run::RunState;
use crate::engine::{ParamChange, Program, Recording, RunId};
use crate::model::{BlockAddress, ParamAddress, SignalKey, Simulation, Update};
use crate::threads;

/// One run.
#[derive(Clone, Debug)]
pub struct RunRecord {
    /// From 1, in the order of the start.
    pub number: u64,
    /// The user's name, or `Run 3`.
    pub name: String,
    pub began: SystemTime,
    /// The name of its engine; empty until known.
    pub engine: String,
    /// The id in the engine thread, while that has it.
    pub id: Option<RunId>,
    pub source: RunSource,
    /// Changes of parameters, in the order of their steps.
    pub changes: Vec<ParamChange>,
    /// Applied edits of the diagram: the first step with the edit, and the report.
    pub edits: Vec<(u64, String)>,
    /// The number of completed steps.
    pub steps: u64,
    /// The requested number of steps; `None`: until stopped.
    pub planned: Option<u64>,
    pub state: RunState,
    /// Never removed to free memory.
    pub is_pinned: bool,
    /// The run and step from which it branched; earlier steps are identical.
    pub branched: Option<(u64, u64)>,
    /// Its program, if it ran in this window.
    pub program: Option<Arc<Program>>,
    /// Moves in the document since then, oldest first: the program has the old addresses, the recording the present ones.
    pub moves: Vec<Update>,
    pub recording: Recording,
}

/// The simulation of a run.
#[derive(Clone, Debug)]
pub struct RunSource {
    pub simulation: Arc<Simulation>,
    pub path: Option<PathBuf>,
    /// The fingerprint of the simulation as a .simx file, once computed.
    pub hash: Arc<OnceLock<String>>,
    /// The version of the program.
    pub version: String,
}

impl RunSource {
    /// Creates the source for a run of this program.
    pub fn new(simulation: Arc<Simulation>, path: Option<PathBuf>) -> RunSource {
        RunSource { simulation, path, hash: Arc::default(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }

    /// Computes the fingerprint on a background thread.
    pub fn take_fingerprint(&self) {
        let (simulation, hash) = (Arc::clone(&self.simulation), Arc::clone(&self.hash));
        // Without a thread the run has no fingerprint.
        let _ = threads::spawn("fingerprint", move || {
            if let Some(print) = super::files::fingerprint(&simulation) {
                // Nobody else sets it.
                let _ = hash.set(print);
            }
        });
    }
}

impl RunRecord {
    /// Creates the record of a run that starts now.
    pub fn new(source: RunSource, planned: Option<u64>) -> RunRecord {
        RunRecord {
            number: 0,
            name: String::new(),
            began: SystemTime::now(),
            engine: String::new(),
            id: None,
            recording: Recording::new(source.simulation.delta),
            source,
            changes: Vec::new(),
            edits: Vec::new(),
            steps: 0,
            planned,
            state: RunState::Preparing,
            is_pinned: false,
            branched: None,
            program: None,
            moves: Vec::new(),
        }
    }

    /// Sets the program.
    pub fn go_by(&mut self, program: Arc<Program>) {
        let known: Vec<SignalKey> = self.recording.signals().map(|(signal, _)| signal.clone()).collect();
        known.iter().for_each(|signal| self.recording.set_held(signal, program.is_held(signal)));
        self.program = Some(program);
    }

    /// Appends samples of consecutive steps, as [`Recording::append`].
    pub fn append(&mut self, signal: &SignalKey, first: u64, width: usize, samples: &[f64]) {
        if let Some(program) = self.program.as_ref().filter(|_| self.recording.columns(signal).is_empty()) {
            self.recording.set_held(signal, program.is_held(signal));
        }
        self.recording.append(signal, first, width, samples);
    }

    /// Lets the recording follow a change of the document.
    pub fn relocate(&mut self, update: &Update) {
        if !update.moves.is_empty() {
            self.recording.relocate(|signal| update.addresses().signals(signal));
            self.moves.push(update.clone());
        }
    }

    /// Returns the addresses that a signal of the program has now in the document.
    pub fn signals_now(&self, signal: &SignalKey) -> Vec<SignalKey> {
        self.moves.iter().fold(vec![signal.clone()], |signals, update| {
            signals.iter().flat_map(|signal| update.addresses().signals(signal)).collect()
        })
    }

    /// Returns the address in the program of a signal of the document.
    pub fn signal_in_program(&self, signal: &SignalKey) -> SignalKey {
        let back = self.moves.iter().rev().map(Update::reversed);
        back.fold(signal.clone(), |signal, update| update.addresses().signal(&signal))
    }

    /// Returns the address in the program of a block of the document.
    pub fn block_in_program(&self, block: &BlockAddress) -> BlockAddress {
        let back = self.moves.iter().rev().map(Update::reversed);
        back.fold(block.clone(), |block, update| update.addresses().block(&block))
    }

    /// Returns the address in the program of a parameter of the document.
    pub fn param_in_program(&self, param: &ParamAddress) -> ParamAddress {
        let back = self.moves.iter().rev().map(Update::reversed);
        back.fold(param.clone(), |param, update| update.addresses().param(&param))
    }

    /// Returns the simulated seconds.
    pub fn end(&self) -> f64 {
        self.steps as f64 * self.recording.delta
    }

    /// Returns its memory in bytes.
    pub fn size(&self) -> usize {
        self.recording.size()
    }
}

/// The runs of a document, the oldest first.
#[derive(Clone, Debug)]
pub struct Runs {
    list: Vec<RunRecord>,
    current: Option<u64>,
    overlays: BTreeSet<u64>,
    /// Whether the previous run is shown as a ghost.
    pub shows_ghost: bool,
    /// The memory limit of all runs in bytes.
    pub limit: usize,
    last: u64,
    nothing: Recording,
}

impl Default for Runs {
    fn default() -> Runs {
        Runs {
            list: Vec::new(),
            current: None,
            overlays: BTreeSet::new(),
            shows_ghost: true,
            limit: Runs::LIMIT,
            last: 0,
            nothing: Recording::default(),
        }
    }
}

impl Runs {
    /// The default limit in bytes.
    pub const LIMIT: usize = 1 << 30;
    /// The maximum number of runs.
    const MAX_RUNS: usize = 200;

    /// The oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &RunRecord> {
        self.list.iter()
    }

    /// The oldest first.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut RunRecord> {
        self.list.iter_mut()
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn get(&self, number: u64) -> Option<&RunRecord> {
        self.list.iter().find(|run| run.number == number)
    }

    pub fn get_mut(&mut self, number: u64) -> Option<&mut RunRecord> {
        self.list.iter_mut().find(|run| run.number == number)
    }

    /// Returns the run with an id of the engine thread.
    pub fn with_id(&mut self, id: RunId) -> Option<&mut RunRecord> {
        self.list.iter_mut().find(|run| run.id == Some(id))
    }

    /// Returns the shown run.
    pub fn current(&self) -> Option<&RunRecord> {
        self.get(self.current?)
    }

    /// Returns the recording of the current run; empty without one.
    pub fn recording(&self) -> &Recording {
        self.current().map_or(&self.nothing, |run| &run.recording)
    }

    /// Shows another run; an unknown number is ignored.
    pub fn show(&mut self, number: u64) {
        if self.get(number).is_some() {
            self.current = Some(number);
        }
    }

    /// Returns the overlays, the oldest first.
    pub fn overlays(&self) -> impl Iterator<Item = &RunRecord> {
        self.iter().filter(|run| self.is_overlay(run.number))
    }

    /// Returns whether a run is an overlay.
    pub fn is_overlay(&self, number: u64) -> bool {
        self.overlays.contains(&number) && self.current != Some(number)
    }

    /// Toggles a run as overlay.
    pub fn toggle_overlay(&mut self, number: u64) {
        if !self.overlays.remove(&number) && self.get(number).is_some() {
            self.overlays.insert(number);
        }
    }

    /// Returns the previous run, if it is shown as a ghost and is not an overlay.
    pub fn ghost(&self) -> Option<&RunRecord> {
        let current = self.current.filter(|_| self.shows_ghost)?;
        let before = self.iter().rev().find(|run| run.number < current)?;
        Some(before).filter(|run| !self.is_overlay(run.number))
    }

    /// Adds a run and shows it; returns its number. See [`Runs::make_room`] for the limit.
    pub fn begin(&mut self, mut run: RunRecord) -> u64 {
        self.last += 1;
        run.number = self.last;
        if run.name.is_empty() {
            run.name = format!("Run {}", run.number);
        }
        self.list.push(run);
        self.current = Some(self.last);
        self.last
    }

    /// Removes the oldest runs until the rest fit, except pinned, shown and `held` ones; returns the removed
    /// ones.
    pub fn make_room(&mut self, held: &[u64]) -> Vec<RunRecord> {
        let mut gone = Vec::new();
        let mut size: usize = self.list.iter().map(RunRecord::size).sum();
        while size > self.limit || self.list.len() > Runs::MAX_RUNS {
            let may_go = |run: &RunRecord| {
                !run.is_pinned
                    && self.current != Some(run.number)
                    && !self.overlays.contains(&run.number)
                    && !held.contains(&run.number)
            };
            let Some(index) = self.list.iter().position(may_go) else { break };
            let run = self.list.remove(index);
            size -= run.size();
            gone.push(run);
        }
        gone
    }

    /// Removes a run; if it was shown, the last of the others is shown instead.
    pub fn remove(&mut self, number: u64) -> Option<RunRecord> {
        let index = self.list.iter().position(|run| run.number == number)?;
        let run = self.list.remove(index);
        self.overlays.remove(&number);
        if self.current == Some(number) {
            self.current = self.list.last().map(|run| run.number);
        }
        Some(run)
    }

    /// Renames a run; an empty name restores the default.
    pub fn rename(&mut self, number: u64, name: &str) {
        if let Some(run) = self.get_mut(number) {
            run.name = match name.trim() {
                "" => format!("Run {number}"),
                name => name.to_owned(),
            };
        }
    }

    /// Removes all runs.
    pub fn clear(&mut self) {
        self.list.clear();
        self.overlays.clear();
        (self.current, self.last) = (None, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::BlockId;

    fn run(samples: usize) -> RunRecord {
        let mut run = RunRecord::new(RunSource::new(Arc::new(Simulation::default()), None), None);
        run.recording.append(&SignalKey::new(&[], BlockId(0), "y"), 0, 1, &vec![0.0; samples]);
        run
    }

    fn numbers(runs: &Runs) -> Vec<u64> {
        runs.iter().map(|run| run.number).collect()
    }

    #[test]
    fn the_oldest_go_but_none_that_is_pinned_shown_or_drawn() {
        let mut runs = Runs { limit: run(100).size() * 3, ..Runs::default() };
        for _ in 0..3 {
            runs.begin(run(100));
        }
        assert!(runs.make_room(&[]).is_empty());
        if let Some(first) = runs.get_mut(1) {
            first.is_pinned = true;
        }
        runs.toggle_overlay(2);
        runs.begin(run(100));
        let gone: Vec<u64> = runs.make_room(&[]).iter().map(|run| run.number).collect();
        assert_eq!((gone, numbers(&runs)), (vec![3], vec![1, 2, 4]));
        runs.begin(run(100));
        // The fourth is held by the engine.
        assert!(runs.make_room(&[4]).is_empty());
        assert_eq!(numbers(&runs), [1, 2, 4, 5]);
    }

    #[test]
    fn numbers_are_never_given_twice_and_the_newest_left_is_shown() {
        let mut runs = Runs::default();
        runs.begin(run(1));
        runs.begin(run(1));
        assert_eq!(runs.ghost().map(|run| run.number), Some(1));
        runs.toggle_overlay(1);
        assert_eq!(runs.ghost().map(|run| run.number), None);
        runs.remove(2);
        assert_eq!(runs.current().map(|run| run.number), Some(1));
        // The shown run is not its own overlay.
        assert_eq!(runs.overlays().count(), 0);
        assert_eq!(runs.begin(run(1)), 3);
        runs.rename(3, " hot ");
        assert_eq!(runs.current().map(|run| &*run.name), Some("hot"));
        runs.rename(3, "");
        assert_eq!(runs.current().map(|run| &*run.name), Some("Run 3"));
    }
}
