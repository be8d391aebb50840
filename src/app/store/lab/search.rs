//! A search for parameters on a background thread: the curves of its best values while it runs, and its result.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded};

use crate::app::store::run::is_same;
use crate::block::Cancel;
use crate::model::Simulation;
use crate::threads;

/// The input of a search, which knows how to search.
pub trait SearchInput: Clone + Send + Sized + 'static {
    /// The curves that are drawn.
    type Curves: Clone + Default + Send + 'static;
    type Progress: Send + 'static;
    type Outcome: Send + 'static;

    /// The name of the thread, and of the search in messages.
    const NAME: &'static str;

    fn simulation(&self) -> &Arc<Simulation>;

    /// The number of which a history is drawn.
    fn value(progress: &Self::Progress) -> f64;

    /// Searches. Once cancelled, it returns the best values so far.
    ///
    /// # Errors
    /// If it cannot begin, the message.
    fn search(&self, cancel: &Cancel, reports: &Reports<Self>) -> Result<Self::Outcome, String>;
}

/// The value of the best parameters so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Improvement {
    /// Counts the better points of all starts.
    pub number: u64,
    pub value: f64,
}

enum News<S: SearchInput> {
    Before(S::Curves),
    /// A point that is better than all before, with its curves where they were computed.
    Better(S::Progress, Option<S::Curves>),
}

/// The way of a search to the window.
pub struct Reports<'a, S: SearchInput> {
    news: &'a Sender<News<S>>,
    wake: &'a dyn Fn(),
}

/// The largest number of messages that wait for the window; further curves on the way are left out.
const WAITING: usize = 256;
/// Curves that were computed faster are shown one after the other at this rate, so that the eye can follow.
const SHOWN: Duration = Duration::from_millis(45);
/// Curves that took longer wait this many times as long until the next ones, so that they hardly slow the search down.
const QUICK: Duration = Duration::from_millis(5);
const PART: u32 = 4;
/// So many curves on the way are shown one after the other; of those after them, the ones that come at `SHOWN`.
const MANY: usize = 40;

impl<S: SearchInput> Reports<'_, S> {
    /// Reports the curves with the first values.
    pub fn before(&self, curves: S::Curves) {
        let _ = self.news.try_send(News::Before(curves));
        (self.wake)();
    }

    /// Reports values that are better than all before. Where the channel is full they are left out; the result has a channel
    /// of its own.
    pub fn better(&self, progress: S::Progress, curves: Option<S::Curves>) {
        let _ = self.news.try_send(News::Better(progress, curves));
        (self.wake)();
    }

    /// Reports the values and the curves of the result, for which the window makes room.
    pub fn last(&self, progress: S::Progress, curves: S::Curves) {
        let _ = self.news.send_timeout(News::Better(progress, Some(curves)), Duration::from_secs(1));
    }
}

/// A search, in progress or finished.
pub struct RunningSearch<S: SearchInput> {
    news: Receiver<News<S>>,
    done: Receiver<Result<S::Outcome, String>>,
    cancel: Cancel,
    pub input: S,
    /// The last state of the document, and whether it gives the same results as that of the search.
    compared: (Arc<Simulation>, bool),
    /// The curves with the first values of the parameters.
    pub before: S::Curves,
    /// The curves with the best values so far.
    pub now: S::Curves,
    /// Curves that are still to be shown.
    frames: VecDeque<S::Curves>,
    shown: Option<Instant>,
    pub progress: Option<S::Progress>,
    pub history: Vec<Improvement>,
    pub outcome: Option<Result<S::Outcome, String>>,
    /// It was stopped since the simulation changed.
    pub is_outdated: bool,
}

impl<S: SearchInput> RunningSearch<S> {
    /// Starts a search; `wake` is called when there is something new.
    pub fn begin(input: S, wake: impl Fn() + Send + 'static) -> RunningSearch<S> {
        let (sender, news) = bounded(WAITING);
        let (result, done) = bounded(1);
        let cancel = Cancel::new();
        let (stop, job) = (cancel.clone(), input.clone());
        // Without a thread the receivers get an error.
        let _ = threads::spawn(S::NAME, move || {
            let outcome = job.search(&stop, &Reports { news: &sender, wake: &wake });
            // The receiver may be gone.
            let _ = result.send(outcome);
            drop((sender, result));
            wake();
        });
        RunningSearch {
            news,
            done,
            cancel,
            compared: (Arc::clone(input.simulation()), true),
            input,
            before: S::Curves::default(),
            now: S::Curves::default(),
            frames: VecDeque::new(),
            shown: None,
            progress: None,
            history: Vec::new(),
            outcome: None,
            is_outdated: false,
        }
    }

    pub fn is_going_on(&self) -> bool {
        self.outcome.is_none()
    }

    /// Returns whether curves are still to be shown.
    pub fn is_moving(&self) -> bool {
        !self.frames.is_empty()
    }

    /// Ends the search, which then has the best values so far.
    pub fn stop(&self) {
        self.cancel.cancel();
    }

    /// Takes the messages of the thread, shows the next curves, and ends a search of a simulation that has changed, since its
    /// values would be those of another one.
    pub(super) fn poll(&mut self, simulation: &Arc<Simulation>) {
        for news in self.news.try_iter() {
            match news {
                News::Before(curves) => (self.now, self.before) = (curves.clone(), curves),
                News::Better(progress, curves) => {
                    let number = self.history.last().map_or(0, |last| last.number + 1);
                    self.history.push(Improvement { number, value: S::value(&progress) });
                    self.progress = Some(progress);
                    self.frames.extend(curves);
                }
            }
        }
        if self.outcome.is_none() {
            self.outcome = match self.done.try_recv() {
                Ok(outcome) => Some(outcome),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => Some(Err(format!("the {} has ended without a result", S::NAME))),
            };
        }
        if self.shown.is_none_or(|shown| shown.elapsed() >= SHOWN)
            && let Some(curves) = self.frames.pop_front()
        {
            (self.now, self.shown) = (curves, Some(Instant::now()));
        }
        if !Arc::ptr_eq(&self.compared.0, simulation) {
            self.compared = (Arc::clone(simulation), is_same(self.input.simulation(), simulation));
        }
        if self.is_going_on() && !self.compared.1 && !self.is_outdated {
            self.is_outdated = true;
            self.stop();
        }
    }

    /// Returns whether the document still gives the results of the simulation of the search.
    pub fn is_of_document(&self) -> bool {
        self.compared.1
    }
}

impl<S: SearchInput> Drop for RunningSearch<S> {
    fn drop(&mut self) {
        self.stop();
    }
}

/// How often curves on the way are computed.
pub(super) struct FramePace {
    /// No curves are computed before.
    free_at: Instant,
    count: usize,
}

impl FramePace {
    pub fn new() -> FramePace {
        FramePace { free_at: Instant::now(), count: 0 }
    }

    /// Computes curves, unless those before took too much of the time.
    pub fn next<T>(&mut self, curves: impl FnOnce() -> Option<T>) -> Option<T> {
        let begun = Instant::now();
        if begun < self.free_at {
            return None;
        }
        let curves = curves();
        self.count += 1;
        let took = begun.elapsed();
        let wait = if took > QUICK { took * PART } else { Duration::ZERO };
        self.free_at = Instant::now() + if self.count > MANY { wait.max(SHOWN) } else { wait };
        curves
    }
}

/// The number of threads of a search: one processor is left for the window.
pub(super) fn workers() -> std::num::NonZeroUsize {
    let workers = std::thread::available_parallelism().map_or(1, |count| count.get().saturating_sub(1));
    std::num::NonZeroUsize::new(workers).unwrap_or(std::num::NonZeroUsize::MIN)
}
