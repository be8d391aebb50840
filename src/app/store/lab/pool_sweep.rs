//! A sweep on a pool, on a background thread: handed out, collected, left to itself, found again, cancelled.
//!
//! Finished runs are in a journal in the settings folder until the sweep ends, so that another window can continue it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use crossbeam_channel::Sender;

use super::ensemble::{News, SweepStop};
use super::gathering::Gathering;
use super::{Ensemble, PoolProgress};
use crate::app::store::pools::{PoolSetting, told};
use crate::block::Files;
use crate::engine::{Curve, Engines, Runs, SweepFlow, compile};
use crate::model::{SignalKey, Simulation};
use crate::pool::message::PoolMessage as _;
use crate::pool::{
    self, Build, BundleHead, Collected, JournalError, LinkNews, PoolError, PoolEvent, PoolOptions, PoolParts,
    PoolSweep, PreparedSweep, PreparedWork as _, Stored, SweepBundle, SweepIdentity, SweepJournal, SweepStore,
    TableRecorder,
};

/// A sweep on a pool.
pub struct PoolSweepRequest {
    pub pool: PoolSetting,
    /// The program as a worker has it: without plug-ins and files.
    pub parts: PoolParts,
    /// The folder of the settings.
    pub home: Option<PathBuf>,
    pub start: PoolSweepStart,
}

pub enum PoolSweepStart {
    New(Box<NewPoolSweep>),
    /// The id of a sweep that the pool has.
    Attached(String),
}

/// The input of a sweep that is handed out.
pub struct NewPoolSweep {
    pub runs: Runs,
    pub count: u64,
    /// The parameters and their values, as in `simulate sweep --vary`.
    pub vary: Vec<String>,
    pub simulation: Arc<Simulation>,
    /// The tables that blocks read.
    pub files: Arc<dyn Files>,
    /// The name of the simulation, without an extension.
    pub name: String,
    /// The signal whose first element is drawn.
    pub signal: SignalKey,
}

/// The most points of a curve, and the least.
const POINTS: (u64, u64) = (400, 20);
/// The most points of all curves.
const ALL_POINTS: u64 = 8_000_000;
/// The longest time of a run, in milliseconds.
const RUN_LIMIT_MS: u64 = 3_600_000;

/// Why a sweep cannot be handed out: a sentence without a full stop.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("The simulation has no end; set a number of steps first")]
    Endless,
    #[error("The simulation does not run: {0}")]
    Invalid(String),
    #[error("The simulation cannot be written for a worker: {0}")]
    Unwritable(String),
    #[error("The signal {0} cannot be asked for on a pool: its name has a comma")]
    Comma(String),
    #[error("A pool cannot run this: {0}; it has no plug-ins, FMUs or files")]
    Unable(pool::PrepareError),
    #[error("The results on the disk cannot be used: {0}; {1}")]
    Journal(io::Error, String),
    #[error(transparent)]
    Pool(#[from] PoolError),
}

impl Failure {
    /// Returns the text for the user.
    fn told(self) -> String {
        match self {
            Failure::Pool(error) => told(error),
            other => other.to_string(),
        }
    }
}

/// Returns the folder of the journals of sweeps on pools.
fn journals(home: Option<&Path>) -> PathBuf {
    home.map_or_else(std::env::temp_dir, |home| home.join("sweeps"))
}

fn journal_of(home: Option<&Path>, sweep: &str) -> PathBuf {
    journals(home).join(format!("{sweep}.part"))
}

/// How long the journal of a sweep is kept after its last result.
const KEPT_DAYS: u64 = 30;

/// Removes the journals that have not changed for [`KEPT_DAYS`] days.
fn remove_old_journals(home: &Path, now: SystemTime) {
    let oldest = now - Duration::from_secs(KEPT_DAYS * 24 * 3600);
    let is_old = |path: &Path| {
        let changed = std::fs::metadata(path).and_then(|about| about.modified());
        path.extension().is_some_and(|extension| extension == "part") && changed.is_ok_and(|changed| changed < oldest)
    };
    let entries = std::fs::read_dir(journals(Some(home))).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()).filter(|path| is_old(path)) {
        tracing::info!(path = %path.display(), "the journal of an old sweep is removed");
        // Another window may have removed it.
        let _ = std::fs::remove_file(path);
    }
}

/// Removes the journal of a sweep that was cancelled.
pub fn forget_sweep(home: Option<&Path>, sweep: &str) {
    // There may be none.
    let _ = std::fs::remove_file(journal_of(home, sweep));
}

impl Ensemble {
    /// Starts a sweep on a pool, or continues one that the pool has; `wake` is called when there is something new.
    pub fn on_pool(request: PoolSweepRequest, wake: impl Fn() + Send + 'static) -> Ensemble {
        let begun = match &request.start {
            PoolSweepStart::New(new) => (new.runs.clone(), new.count),
            // They come with the sweep.
            PoolSweepStart::Attached(_) => (Runs { draws: 1, ..Runs::default() }, 0),
        };
        let progress = PoolProgress::new(&request.pool.name);
        let work = move |stop: &SweepStop, news: &Sender<News>, wake: &dyn Fn()| {
            if let Err(failure) = work(request, stop, news, wake) {
                // The receiver may be gone.
                let _ = news.send(News::Refused(failure.told()));
            }
        };
        Ensemble::start(begun, Some(progress), work, wake)
    }
}

fn work(request: PoolSweepRequest, stop: &SweepStop, news: &Sender<News>, wake: &dyn Fn()) -> Result<(), Failure> {
    let PoolSweepRequest { pool, parts, home, start } = request;
    home.iter().for_each(|home| remove_old_journals(home, SystemTime::now()));
    let options = pool.options();
    let (sweep, prepared) = match start {
        PoolSweepStart::New(new) => handed_out(*new, &parts)?,
        PoolSweepStart::Attached(id) => found(&options, &id, &parts)?,
    };
    let tell = |change: Box<dyn FnOnce(&mut PoolProgress) + Send>| {
        // The receiver may be gone.
        let _ = news.send(News::Pool(change));
        wake();
    };
    let _ = news.send(News::Runs(prepared.runs().clone(), prepared.count()));
    let (id, file) = (sweep.entry.sweep.clone(), sweep.entry.file.clone());
    tell(Box::new(move |pool| (pool.sweep, pool.file) = (id, file)));
    let journal = journal(home.as_deref(), &sweep)?;
    let mut store = WindowStore { journal, gathering: Gathering::new(news, wake, prepared.delta()) };
    let before = store.show_known().map_err(|error| Failure::Journal(error, store.journal.name()))?;
    tell(Box::new(move |pool| pool.count(before as usize)));
    let ended = pool::collect(&options, &sweep, &mut store, &stop.stop, &mut |event| say(event, &tell));
    store.gathering.finish(prepared.runs());
    let id = &sweep.entry.sweep;
    let is_over = match ended {
        Ok(Collected::All) => true,
        Ok(Collected::Stopped) if stop.removes.load(Ordering::Relaxed) => match pool::cancel(&options, id) {
            // It was not there yet.
            Ok(()) | Err(PoolError::NoSweep(_)) => true,
            Err(error) => return Err(error.into()),
        },
        Ok(Collected::Stopped) => false,
        Err(error) => {
            if matches!(error, PoolError::Cancelled(_)) {
                forget_sweep(home.as_deref(), id);
            }
            return Err(error.into());
        }
    };
    if is_over {
        drop(store);
        forget_sweep(home.as_deref(), id);
    }
    Ok(())
}

/// Changes the progress in the window.
type Tell<'a> = dyn Fn(Box<dyn FnOnce(&mut PoolProgress) + Send>) + 'a;

/// Shows an event of a sweep.
fn say(event: PoolEvent, tell: &Tell) {
    let note = match event {
        PoolEvent::Progress { done, .. } => return tell(Box::new(move |pool| pool.count(done as usize))),
        PoolEvent::Workers(workers) => {
            return tell(Box::new(move |pool| {
                if !workers.is_empty() && pool.note.as_deref() == Some(NO_WORKERS) {
                    pool.note = None;
                }
                pool.workers = workers;
            }));
        }
        PoolEvent::Refused { worker, build } => {
            let why = format!("it has {build}, this program {}", env!("CARGO_PKG_VERSION"));
            return tell(Box::new(move |pool| drop(pool.refusals.insert(worker, why))));
        }
        PoolEvent::Unable { worker, reason } => {
            return tell(Box::new(move |pool| drop(pool.refusals.insert(worker, reason))));
        }
        PoolEvent::Submitted { .. } | PoolEvent::Link(LinkNews::Connected) => None,
        PoolEvent::NoWorkers => Some(NO_WORKERS.to_owned()),
        PoolEvent::AskedAgain(count) => Some(format!("{count} runs were missing and are computed again")),
        PoolEvent::Link(LinkNews::Disconnected) => {
            Some("The connection to the pool is lost; trying again. The pool goes on meanwhile".to_owned())
        }
        PoolEvent::Link(LinkNews::Problem(problem)) => Some(format!("The pool reports: {problem}")),
    };
    tell(Box::new(move |pool| pool.note = note));
}

const NO_WORKERS: &str =
    "The sweep waits: no worker of this version is in the pool. Start one with simulate worker --pool";

/// Makes a sweep of the open simulation.
fn handed_out(new: NewPoolSweep, parts: &PoolParts) -> Result<(PoolSweep, PreparedSweep), Failure> {
    let NewPoolSweep { runs, count, vary, simulation, files, name, signal } = new;
    let steps = simulation.steps;
    if steps == 0 {
        return Err(Failure::Endless);
    }
    let signals = signal.to_string();
    if signals.contains(',') {
        return Err(Failure::Comma(signals));
    }
    // The model is compiled as a worker would, which has the blocks of the program and the tables that are noted here.
    let recorder = Arc::new(TableRecorder::new(files));
    let registry = parts.registry.with_files(Arc::clone(&recorder) as Arc<dyn Files>);
    compile(&simulation, &registry).map_err(|found| {
        let first = found.iter().find(|found| found.is_error()).map(|found| found.message.clone());
        Failure::Invalid(first.unwrap_or_default())
    })?;
    let name = format!("{name}.simx");
    let file = parts.formats.bytes_of(Path::new(&name), &simulation);
    let file = file.map_err(|error| Failure::Unwritable(error.to_string()))?;
    let points = (ALL_POINTS / count.max(1)).clamp(POINTS.1, POINTS.0);
    let head = BundleHead {
        name,
        skip_invalid_models: false,
        vary,
        draws: runs.draws,
        seed: runs.seed,
        set: Vec::new(),
        steps,
        delta: None,
        engine: Engines::DEFAULT.to_owned(),
        signals,
        every: Some((steps / points).max(1)),
        run_limit_ms: RUN_LIMIT_MS,
        tables: recorder.tables(),
        design: BundleHead::name_of(runs.design),
    };
    let bundle = SweepBundle { head, file };
    let prepared = PreparedSweep::new(&bundle, parts).map_err(Failure::Unable)?;
    Ok((PoolSweep::new((&bundle.head.name, bundle.to_bytes()), &prepared, Build::of(&parts.registry), "")?, prepared))
}

/// Finds a sweep that the pool has.
fn found(options: &PoolOptions, id: &str, parts: &PoolParts) -> Result<(PoolSweep, PreparedSweep), Failure> {
    let (entry, bundle, bytes) = pool::entry(options, id)?;
    let ours = Build::of(&parts.registry);
    let theirs = Build { version: entry.version.clone(), library: entry.library.clone() };
    if ours != theirs {
        return Err(PoolError::OtherBuild { sweep: id.to_owned(), theirs, ours }.into());
    }
    let prepared = PreparedSweep::new(&bundle, parts).map_err(Failure::Unable)?;
    Ok((PoolSweep::known(entry, bytes, &prepared)?, prepared))
}

/// Opens the journal of a sweep.
fn journal(home: Option<&Path>, sweep: &PoolSweep) -> Result<SweepJournal, Failure> {
    let path = journal_of(home, &sweep.entry.sweep);
    let failed = |error| Failure::Journal(error, path.display().to_string());
    std::fs::create_dir_all(journals(home)).map_err(failed)?;
    let identity = SweepIdentity::new([("sweep".to_owned(), sweep.entry.model.clone())]);
    match SweepJournal::open(&path, &identity) {
        Err(JournalError::Other { .. }) => {
            // The file is named after the sweep, so another version of the program has written it. The pool still has
            // the results.
            SweepJournal::set_aside(&path).map_err(failed)?;
            SweepJournal::open(&path, &identity)
        }
        journal => journal,
    }
    .map_err(|error| failed(io::Error::other(error)))
}

/// The results of a sweep: in its journal, and in the window.
struct WindowStore<'a> {
    journal: SweepJournal,
    gathering: Gathering<'a>,
}

impl WindowStore<'_> {
    /// Shows the runs in the journal, and returns their number.
    fn show_known(&mut self) -> io::Result<u64> {
        let WindowStore { journal, gathering } = self;
        journal.each(|curve| {
            // Nobody may see it; then collecting ends soon.
            let _: SweepFlow = gathering.take(curve);
            Ok(())
        })?;
        gathering.tell();
        Ok(journal.done())
    }
}

impl SweepStore for WindowStore<'_> {
    fn is_done(&self, run: u64) -> bool {
        self.journal.is_done(run)
    }

    fn done(&self) -> u64 {
        self.journal.done()
    }

    fn store(&mut self, curve: Curve) -> io::Result<Stored> {
        match self.journal.bytes(curve.run)? {
            Some(known) if known == curve.to_bytes() => Ok(Stored::Same),
            Some(_) => Ok(Stored::Differs),
            None => {
                self.journal.add(&curve)?;
                let _: SweepFlow = self.gathering.take(curve);
                Ok(Stored::New)
            }
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        self.journal.sync()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn journals_that_nobody_has_added_to_for_a_month_are_removed() {
        let home = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(home.path().join("sweeps")).expect("a folder");
        let path = |name: &str| home.path().join("sweeps").join(name);
        for name in ["0123456789abcdef.part", "notes.txt"] {
            std::fs::write(path(name), "").expect("a file");
        }
        let after = |days: u64| SystemTime::now() + Duration::from_secs(days * 24 * 3600);
        remove_old_journals(home.path(), after(29));
        assert!(path("0123456789abcdef.part").exists());
        remove_old_journals(home.path(), after(31));
        assert!(!path("0123456789abcdef.part").exists());
        assert!(path("notes.txt").exists(), "what is no journal stays");
    }
}
