//! The runs of a document: what each recorded, and where it came from.
//!
//! One of them is the current one, which plots and the diagram show; others lie beside it as overlays, and the one
//! before it as a ghost. What is drawn how is the plots' business.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use super::run::RunState;
use crate::engine::{ParamChange, Program, Recording, RunId};
use crate::model::{SignalKey, Simulation};

/// One run.
#[derive(Clone, Debug)]
pub struct RunRecord {
    /// From 1, in the order in which the document's runs began.
    pub number: u64,
    /// As the user called it, or `Run 3`.
    pub name: String,
    pub began: SystemTime,
    /// The engine that made it; empty until it is known.
    pub engine: String,
    /// What the engine thread calls it, while that keeps it.
    pub id: Option<RunId>,
    pub source: RunSource,
    /// Parameters that were changed in it, each from its step on, in the order of the steps.
    pub changes: Vec<ParamChange>,
    /// Edits of its diagram that it took over, each with the first step that it acted in and what became of the blocks.
    pub edits: Vec<(u64, String)>,
    /// Steps that are done.
    pub steps: u64,
    /// Steps that were asked for; none: until stopped.
    pub planned: Option<u64>,
    pub state: RunState,
    /// Never left out to make room.
    pub is_pinned: bool,
    /// The run that it left, and at which step; what was before is the same in both.
    pub branched: Option<(u64, u64)>,
    /// What it goes by, as far as it was made here.
    pub program: Option<Arc<Program>>,
    pub recording: Recording,
}

/// What was run.
#[derive(Clone, Debug)]
pub struct RunSource {
    pub simulation: Arc<Simulation>,
    pub path: Option<PathBuf>,
    /// The fingerprint of the simulation as a .simx file, as soon as it is computed.
    pub hash: Arc<OnceLock<String>>,
    /// The version of the program.
    pub version: String,
}

impl RunSource {
    /// Of a simulation that this program runs.
    pub fn new(simulation: Arc<Simulation>, path: Option<PathBuf>) -> RunSource {
        RunSource { simulation, path, hash: Arc::default(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }

    /// Computes the fingerprint on a thread of its own.
    pub fn take_fingerprint(&self) {
        let (simulation, hash) = (Arc::clone(&self.simulation), Arc::clone(&self.hash));
        std::thread::spawn(move || {
            if let Some(print) = super::files::fingerprint(&simulation) {
                // Nobody else sets it.
                let _ = hash.set(print);
            }
        });
    }
}

impl RunRecord {
    /// A run that begins now.
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
        }
    }

    /// Goes by a program from now on.
    pub fn go_by(&mut self, program: Arc<Program>) {
        let known: Vec<SignalKey> = self.recording.signals().map(|(signal, _)| signal.clone()).collect();
        known.iter().for_each(|signal| self.recording.set_held(signal, program.is_held(signal)));
        self.program = Some(program);
    }

    /// Takes samples of consecutive steps in, as [`Recording::append`].
    pub fn append(&mut self, signal: &SignalKey, first: u64, width: usize, samples: &[f64]) {
        if let Some(program) = self.program.as_ref().filter(|_| self.recording.columns(signal).is_empty()) {
            self.recording.set_held(signal, program.is_held(signal));
        }
        self.recording.append(signal, first, width, samples);
    }

    /// Simulated seconds that are done.
    pub fn end(&self) -> f64 {
        self.steps as f64 * self.recording.delta
    }

    /// Bytes that it takes.
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
    /// Whether the run before the current one is shown behind it.
    pub shows_ghost: bool,
    /// Bytes that all runs together may take before the oldest go.
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
    /// Bytes, where the settings say nothing else.
    pub const LIMIT: usize = 1 << 30;
    /// So many runs at most, however small they are.
    const MOST: usize = 200;

    /// The oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &RunRecord> {
        self.list.iter()
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

    /// The run that the engine thread calls so.
    pub fn with_id(&mut self, id: RunId) -> Option<&mut RunRecord> {
        self.list.iter_mut().find(|run| run.id == Some(id))
    }

    /// The one that plots and the diagram show.
    pub fn current(&self) -> Option<&RunRecord> {
        self.get(self.current?)
    }

    /// What the current one recorded; nothing where there is none.
    pub fn recording(&self) -> &Recording {
        self.current().map_or(&self.nothing, |run| &run.recording)
    }

    /// Shows another run; none of this number changes nothing.
    pub fn show(&mut self, number: u64) {
        if self.get(number).is_some() {
            self.current = Some(number);
        }
    }

    /// The runs that are drawn with the current one, the oldest first.
    pub fn overlays(&self) -> impl Iterator<Item = &RunRecord> {
        self.iter().filter(|run| self.is_overlay(run.number))
    }

    /// Whether a run is drawn beside the current one.
    pub fn is_overlay(&self, number: u64) -> bool {
        self.overlays.contains(&number) && self.current != Some(number)
    }

    /// Draws a run with the current one, or no longer.
    pub fn toggle_overlay(&mut self, number: u64) {
        if !self.overlays.remove(&number) && self.get(number).is_some() {
            self.overlays.insert(number);
        }
    }

    /// The run before the current one, where it is to be shown faintly behind it and is not shown already.
    pub fn ghost(&self) -> Option<&RunRecord> {
        let current = self.current.filter(|_| self.shows_ghost)?;
        let before = self.iter().rev().find(|run| run.number < current)?;
        Some(before).filter(|run| !self.is_overlay(run.number))
    }

    /// Adds a run and shows it; gives its number. Older ones go where there is no room: see [`Runs::make_room`].
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

    /// Leaves out the oldest runs until the rest have room, but none that is pinned, shown or one of `held`; gives those
    /// that go.
    pub fn make_room(&mut self, held: &[u64]) -> Vec<RunRecord> {
        let mut gone = Vec::new();
        let mut size: usize = self.list.iter().map(RunRecord::size).sum();
        while size > self.limit || self.list.len() > Runs::MOST {
            let may_go = |run: &RunRecord| {
                !run.is_pinned
                    && self.current != Some(run.number)
                    && !self.overlays.contains(&run.number)
                    && !held.contains(&run.number)
            };
            let Some(place) = self.list.iter().position(may_go) else { break };
            let run = self.list.remove(place);
            size -= run.size();
            gone.push(run);
        }
        gone
    }

    /// Leaves a run out; where it was shown, the newest is shown in its place.
    pub fn remove(&mut self, number: u64) -> Option<RunRecord> {
        let place = self.list.iter().position(|run| run.number == number)?;
        let run = self.list.remove(place);
        self.overlays.remove(&number);
        if self.current == Some(number) {
            self.current = self.list.last().map(|run| run.number);
        }
        Some(run)
    }

    /// Calls a run something else; an empty name gives it back its number.
    pub fn rename(&mut self, number: u64, name: &str) {
        if let Some(run) = self.get_mut(number) {
            run.name = match name.trim() {
                "" => format!("Run {number}"),
                name => name.to_owned(),
            };
        }
    }

    /// Leaves out all runs.
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
        // What is shown is no overlay of itself.
        assert_eq!(runs.overlays().count(), 0);
        assert_eq!(runs.begin(run(1)), 3);
        runs.rename(3, " hot ");
        assert_eq!(runs.current().map(|run| &*run.name), Some("hot"));
        runs.rename(3, "");
        assert_eq!(runs.current().map(|run| &*run.name), Some("Run 3"));
    }
}
