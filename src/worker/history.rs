//! Instances of an FMU, found by points of their histories.
//!
//! An FMU keeps its state; a function of a block keeps none. Both hold here: a token names a point by everything that
//! led to it, the start and every step with its inputs. A call at a point takes the instance that is there. There may
//! be none, since a solver repeats a step, the user went back in time or branched, or another run continues from there.
//! Then a saved state is restored or a new instance started, and the steps from there to the point are repeated.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{DefaultHasher, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::fmu_folder::FmuFolder;
use super::message::{Load, Request};
use super::process::{ProcessError, ProcessLimits, WorkerProcess};
use crate::block::{CallError, Cancel};
use crate::format::fmu::Simulated;

/// A point of a history; [`ROOT`] is the one before the start.
pub type PointToken = [u64; 2];
pub const ROOT: PointToken = [0; 2];
/// A token's numbers are whole numbers that a double holds.
const TOKEN_BITS: u64 = (1 << 52) - 1;

/// The instances of one block, or of several with equal settings.
#[derive(Debug)]
pub struct FmuHistory {
    program: PathBuf,
    limits: ProcessLimits,
    load: Load,
    /// Keeps the unpacked FMU.
    _folder: Arc<FmuFolder>,
    pool: Mutex<FmuPool>,
}

#[derive(Debug, Default)]
struct FmuPool {
    lives: Vec<RunningFmu>,
    /// The request that led to each point, and the point before it.
    steps: HashMap<PointToken, (PointToken, Request)>,
    /// The points in the order in which they were reached, and their size in numbers.
    order: VecDeque<PointToken>,
    size: usize,
}

/// An instance in a process of its own.
#[derive(Debug)]
struct RunningFmu {
    process: WorkerProcess,
    at: PointToken,
    /// The answer at its point.
    answer: Vec<f64>,
    saved: SavedStates,
    used: Instant,
}

/// The states that an instance has saved, spread evenly over its history.
#[derive(Debug)]
struct SavedStates {
    numbers: BTreeMap<u64, (PointToken, u32)>,
    /// The number of steps that the instance has done.
    steps: u64,
    every: u64,
}

/// The most saved states of an instance; then every second is dropped.
const MAX_SAVED: usize = 32;
const FIRST_INTERVAL: u64 = 64;
/// The most numbers in all steps that are kept: 256 MB.
const MAX_NUMBERS: usize = 32 << 20;
const MAX_LIVES: usize = 256;
/// Instances that were not used for this long are ended when another is started: their run is over.
const IDLE: Duration = Duration::from_secs(20);

/// Returns the point that a request leads to.
pub fn token_after(at: PointToken, request: &Request) -> PointToken {
    let frame = request.to_frame();
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(salt);
        hasher.write_u64(at[0]);
        hasher.write_u64(at[1]);
        hasher.write_u8(frame.kind);
        hasher.write(&frame.content);
        // Zero is the root.
        (hasher.finish() & TOKEN_BITS).max(1)
    };
    [half(1), half(2)]
}

impl FmuHistory {
    pub fn new(program: PathBuf, limits: ProcessLimits, load: Load, folder: Arc<FmuFolder>) -> FmuHistory {
        FmuHistory { program, limits, load, _folder: folder, pool: Mutex::default() }
    }

    /// Whether these are the instances of an FMU with these settings.
    pub fn is_of(&self, load: &Load, limits: ProcessLimits) -> bool {
        (&self.load, self.limits) == (load, limits)
    }

    fn pool(&self) -> MutexGuard<'_, FmuPool> {
        // Nothing that holds the lock can panic and leave the pool inconsistent.
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a request leads from a point to another, without doing it.
    pub fn note(&self, at: PointToken, request: Request) -> PointToken {
        let next = token_after(at, &request);
        self.pool().note(next, at, request);
        next
    }

    /// Does a request at a point, and returns the next point and the answer.
    ///
    /// # Errors
    /// If the FMU or its process fails, or the point is not known any more.
    pub fn advance(
        &self,
        at: PointToken,
        request: Request,
        expected: usize,
        cancel: Option<&Cancel>,
    ) -> Result<(PointToken, Vec<f64>), CallError> {
        let next = token_after(at, &request);
        let known = self.pool().lives.iter().find(|live| live.at == next).map(|live| live.answer.clone());
        if let Some(answer) = known.filter(|answer| answer.len() == expected) {
            return Ok((next, answer));
        }
        let mut live = self.at(at, cancel)?;
        self.advance_live(&mut live, request, next, expected, cancel)?;
        let answer = live.answer.clone();
        self.pool().lives.push(live);
        Ok((next, answer))
    }

    /// Asks at a point something that leads nowhere.
    ///
    /// # Errors
    /// As [`History::advance`].
    pub fn look(
        &self,
        at: PointToken,
        request: &Request,
        expected: usize,
        cancel: Option<&Cancel>,
    ) -> Result<Vec<f64>, CallError> {
        let mut live = self.at(at, cancel)?;
        // An instance that has failed is not used again.
        let answer = live.process.ask(request, expected, cancel).map_err(|error| failed(&error))?;
        self.pool().lives.push(live);
        Ok(answer)
    }

    fn advance_live(
        &self,
        live: &mut RunningFmu,
        request: Request,
        next: PointToken,
        expected: usize,
        cancel: Option<&Cancel>,
    ) -> Result<(), CallError> {
        let answer = live.process.ask(&request, expected, cancel).map_err(|error| failed(&error))?;
        self.pool().note(next, live.at, request);
        (live.at, live.answer, live.used) = (next, answer, Instant::now());
        if self.load.can_save { live.save(cancel) } else { Ok(()) }
    }

    /// Returns the instance at a point, or brings one there. It is removed from the pool, so that no other call uses it
    /// meanwhile.
    fn at(&self, point: PointToken, cancel: Option<&Cancel>) -> Result<RunningFmu, CallError> {
        let (found, steps) = {
            let mut pool = self.pool();
            if let Some(index) = pool.lives.iter().position(|live| live.at == point) {
                return Ok(pool.lives.swap_remove(index));
            }
            pool.nearest(point)?
        };
        let mut live = match found {
            Some((mut live, token, number)) => {
                live.process.ask(&Request::Restore(number), 0, cancel).map_err(|error| failed(&error))?;
                (live.at, live.answer) = (token, Vec::new());
                live
            }
            None => self.start(cancel)?,
        };
        for (next, request) in steps.into_iter().rev() {
            let expected = self.expected(&request);
            self.advance_live(&mut live, request, next, expected, cancel)?;
        }
        Ok(live)
    }

    /// Returns the length of the answer to a request that leads on.
    fn expected(&self, request: &Request) -> usize {
        let outputs = || self.load.outputs.iter().map(|slot| slot.width as usize).sum();
        match (self.load.simulated, request) {
            (Simulated::CoSimulation, _) => outputs(),
            (Simulated::ModelExchange, _) => 2 + self.load.states as usize,
        }
    }

    /// Starts an instance.
    fn start(&self, cancel: Option<&Cancel>) -> Result<RunningFmu, CallError> {
        // Processes of runs that are over are ended outside of the lock.
        let idle = self.pool().take_idle();
        drop(idle);
        let mut process = WorkerProcess::start(&self.program, self.limits).map_err(|error| failed(&error))?;
        process.ask(&Request::Load(Box::new(self.load.clone())), 0, cancel).map_err(|error| failed(&error))?;
        let saved = SavedStates { numbers: BTreeMap::new(), steps: 0, every: FIRST_INTERVAL };
        Ok(RunningFmu { process, at: ROOT, answer: Vec::new(), saved, used: Instant::now() })
    }
}

fn failed(error: &ProcessError) -> CallError {
    CallError::new(format!("the FMU failed: {error}"))
}

/// A request, and the point that it leads to.
type NotedStep = (PointToken, Request);

/// An instance with a saved state: its point and its number.
type FoundState = (RunningFmu, PointToken, u32);

impl FmuPool {
    fn note(&mut self, next: PointToken, at: PointToken, request: Request) {
        let numbers = request.numbers();
        if self.steps.insert(next, (at, request)).is_some() {
            return;
        }
        self.order.push_back(next);
        self.size += numbers + OVERHEAD;
        while self.size > MAX_NUMBERS
            && let Some(oldest) = self.order.pop_front()
        {
            let size = self.steps.remove(&oldest).map_or(0, |(_, request)| request.numbers() + OVERHEAD);
            self.size = self.size.saturating_sub(size);
        }
    }

    /// Returns the instance with the last saved state on the way to a point, if it is to be used, and the steps from there,
    /// or from the start, the last one first.
    fn nearest(&mut self, point: PointToken) -> Result<(Option<FoundState>, Vec<NotedStep>), CallError> {
        let points = self.lives.iter().enumerate().flat_map(|(index, live)| live.points(index));
        let saved: HashMap<PointToken, usize> = points.collect();
        let (mut steps, mut at) = (Vec::new(), point);
        let mut found = None;
        while at != ROOT {
            if found.is_none()
                && let Some(live) = saved.get(&at)
            {
                found = Some((*live, at, steps.len()));
            }
            if found.is_some() && steps.len() > MAX_REPLAY {
                break;
            }
            let Some((before, request)) = self.steps.get(&at) else { break };
            steps.push((at, request.clone()));
            at = *before;
        }
        let Some((index, token, count)) = found else {
            return if at == ROOT { Ok((None, steps)) } else { Err(forgotten()) };
        };
        // Another block or run with the same history may be where this instance is. To take it away would cost both a
        // way back in every step.
        let is_used = self.lives.get(index).is_some_and(|live| live.used.elapsed() < RECENT);
        if at == ROOT && (steps.len() <= SHORT_REPLAY || is_used && self.lives.len() < MAX_LIVES) {
            return Ok((None, steps));
        }
        let live = self.lives.swap_remove(index);
        steps.truncate(count);
        match live.number_of(token) {
            Some(number) => Ok((Some((live, token, number)), steps)),
            None => Err(forgotten()),
        }
    }

    /// Takes the instances that have not been used for a while, and the oldest if there are too many.
    fn take_idle(&mut self) -> Vec<RunningFmu> {
        self.lives.sort_by_key(|live| std::cmp::Reverse(live.used));
        let keep = self.lives.iter().position(|live| live.used.elapsed() > IDLE).unwrap_or(self.lives.len());
        self.lives.split_off(keep.min(MAX_LIVES))
    }
}

/// A new instance repeats up to this number of steps, rather than take over an instance from elsewhere.
const SHORT_REPLAY: usize = 16;
/// The maximum number of repeated steps for which an instance that was used within `RECENT` is left where it is.
const MAX_REPLAY: usize = 20_000;
const RECENT: Duration = Duration::from_millis(100);

/// The size of a step beside its numbers.
const OVERHEAD: usize = 16;

fn forgotten() -> CallError {
    CallError::new(
        "the FMU cannot be brought to this step again: the steps that led to it are no longer known; start the run again",
    )
}

impl RunningFmu {
    /// Returns the points whose states the instance has saved.
    fn points(&self, index: usize) -> impl Iterator<Item = (PointToken, usize)> {
        self.saved.numbers.values().map(move |(token, _)| (*token, index))
    }

    fn number_of(&self, point: PointToken) -> Option<u32> {
        self.saved.numbers.values().find(|(token, _)| *token == point).map(|(_, number)| *number)
    }

    /// Saves the state after a step, if it is its turn.
    fn save(&mut self, cancel: Option<&Cancel>) -> Result<(), CallError> {
        let step = self.saved.steps;
        self.saved.steps += 1;
        if !step.is_multiple_of(self.saved.every) {
            return Ok(());
        }
        let number = self.process.ask(&Request::Save, 1, cancel).map_err(|error| failed(&error))?;
        let number = number.first().map_or(0, |number| *number as u32);
        self.saved.numbers.insert(step, (self.at, number));
        if self.saved.numbers.len() <= MAX_SAVED {
            return Ok(());
        }
        self.saved.every *= 2;
        let every = self.saved.every;
        let dropped: Vec<u64> = self.saved.numbers.keys().copied().filter(|step| !step.is_multiple_of(every)).collect();
        for step in dropped {
            if let Some((_, number)) = self.saved.numbers.remove(&step) {
                self.process.ask(&Request::Forget(number), 0, cancel).map_err(|error| failed(&error))?;
            }
        }
        Ok(())
    }
}
