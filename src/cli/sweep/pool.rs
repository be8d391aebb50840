//! `simulate sweep --pool`: the runs are computed by the workers of a pool.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::super::interrupt::Interrupt;
use super::super::opened::{OpenError, engine_of};
use super::super::output::{OutputFormat, SUCCESS, counted, json};
use super::super::pool::{UNABLE, parts, say};
use super::results::{Identity, Results, Setup};
use super::{Ready, SweepArgs, SweepFiles, progress};
use crate::block::FileError;
use crate::components::Components;
use crate::engine::compile;
use crate::pool::message::PoolMessage as _;
use crate::pool::{
    self, Build, BundleHead, PoolError, PoolEvent, PoolListing, PoolOptions, PoolSweep, PrepareError, PreparedSweep,
    PreparedWork as _, SweepBundle, SweepJournal, TableRecorder, host_name,
};
use crate::results::Provenance;

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error("a pool cannot run this: {0}; {UNABLE}")]
    Unable(PrepareError),
    #[error(
        "each run has results of about {0} MB; a pool takes at most {MAX_RESULT_MB}: use a larger --every or --signals"
    )]
    TooLong(u64),
    #[error("the sweep was submitted on {0}; say where its results go with --out FILE")]
    NoOut(String),
    #[error(
        "the pool says that the results of the sweep go to {}, which exists: say where they go with --out FILE, or replace \
         it with --force", .0.display()
    )]
    Taken(PathBuf),
    #[error("--run-limit {0}: expected a positive number of seconds")]
    RunLimit(f64),
}

/// The maximum size of the results of a run, which travel in one piece.
const MAX_RESULT_MB: u64 = 48;

pub fn run(args: &SweepArgs, components: &Components) -> Result<(String, u8), super::Failure> {
    let Some(options) = args.pool.options() else { return Ok((String::new(), SUCCESS)) };
    // Before anything is opened.
    options.addresses().map_err(|error| Failure::Pool(error.into()))?;
    if args.list {
        return Ok((listed(&pool::list(&options).map_err(Failure::Pool)?, args.format), SUCCESS));
    }
    if let Some(sweep) = &args.cancel {
        pool::cancel(&options, sweep).map_err(Failure::Pool)?;
        return Ok((format!("the sweep {sweep} is cancelled\n"), SUCCESS));
    }
    let (sweep, setup) = match &args.attach {
        Some(id) => attached(args, id, &options, components)?,
        None => submitted(args, components)?,
    };
    if args.detach {
        pool::detach(&options, &sweep).map_err(Failure::Pool)?;
        return Ok((format!("{}\n", sweep.entry.sweep), SUCCESS));
    }
    let bar = progress(args, setup.count);
    let mut results = Results::begin(&setup)?;
    bar.set_position(results.done());
    let mut tell = |event: PoolEvent| {
        if !setup.is_quiet {
            if let PoolEvent::Progress { done, .. } = &event {
                bar.set_position(*done);
            }
            say(&event, &sweep.entry, ("sweep", "runs"), &bar);
        }
    };
    let interrupt = Interrupt::listen();
    pool::collect(&options, &sweep, &mut results, interrupt.cancel(), &mut tell).map_err(Failure::Pool)?;
    bar.finish_and_clear();
    results.finish(&setup, interrupt.signal())
}

/// Makes a sweep of this command line.
fn submitted(args: &SweepArgs, components: &Components) -> Result<(PoolSweep, Setup), super::Failure> {
    engine_of(&components.engines, &args.engine)?;
    if !(args.run_limit > 0.0 && args.run_limit < 1e9) {
        return Err(Failure::RunLimit(args.run_limit).into());
    }
    let file = args.file.as_deref().unwrap_or(Path::new(""));
    let ready = Ready::new(args, file, components)?;
    let access = args.files.access(file).map_err(|error: FileError| OpenError::Fmu(error))?;
    // The model is compiled as a worker would, which has the blocks of the program and the tables that are noted here.
    let recorder = Arc::new(TableRecorder::new(Arc::new(access)));
    let registry = components.registry.with_files(Arc::clone(&recorder) as Arc<dyn crate::block::Files>);
    compile(ready.opened.simulation(), &registry).map_err(|found| Failure::Unable(PrepareError::Invalid(found)))?;
    let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let head = BundleHead {
        name,
        skip_invalid_models: args.files.skip_invalid_models,
        vary: args.vary.clone(),
        draws: ready.setup.runs.draws,
        seed: args.seed,
        set: args.set.clone(),
        steps: ready.steps,
        delta: args.delta,
        engine: args.engine.clone(),
        signals: args.signals.clone(),
        every: args.every.map(std::num::NonZero::get),
        run_limit_ms: (args.run_limit * 1000.0).ceil() as u64,
        tables: recorder.tables(),
        design: BundleHead::name_of(ready.setup.runs.design),
    };
    let bundle = SweepBundle { head, file: ready.bytes };
    let prepared = PreparedSweep::new(&bundle, &parts(components)).map_err(Failure::Unable)?;
    let rows = args.every.map_or(1, |every| ready.steps / every.get() + 1);
    let length = rows.saturating_mul(8 * (ready.setup.columns.len() as u64 + 2)) >> 20;
    if length > MAX_RESULT_MB {
        return Err(Failure::TooLong(length).into());
    }
    // The same command continues the same sweep. Without a result file nothing is kept to continue from.
    let out = args.out.as_deref().map(|out| absolute(out).display().to_string()).unwrap_or_default();
    let sweep =
        PoolSweep::new((&bundle.head.name, bundle.to_bytes()), &prepared, Build::of(&components.registry), &out);
    Ok((sweep.map_err(Failure::Pool)?, ready.setup))
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Finds a sweep of the pool.
fn attached(
    args: &SweepArgs,
    id: &str,
    options: &PoolOptions,
    components: &Components,
) -> Result<(PoolSweep, Setup), super::Failure> {
    let (entry, bundle, bytes) = pool::entry(options, id).map_err(Failure::Pool)?;
    let ours = Build::of(&components.registry);
    let theirs = Build { version: entry.version.clone(), library: entry.library.clone() };
    if ours != theirs {
        return Err(Failure::Pool(PoolError::OtherBuild { sweep: id.to_owned(), theirs, ours }).into());
    }
    let known = Some(PathBuf::from(&entry.out)).filter(|out| !out.as_os_str().is_empty());
    let out = match (&args.out, known) {
        (Some(out), _) => out.clone(),
        (None, Some(known)) if entry.host == host_name() => {
            // Anyone who can write to the pool can send this, so no file is replaced because of it.
            let is_begun = SweepJournal::beside(&known).exists();
            if known.exists() && !is_begun && !args.force.force {
                return Err(Failure::Taken(known).into());
            }
            known
        }
        _ => return Err(Failure::NoOut(entry.host).into()),
    };
    let prepared = PreparedSweep::new(&bundle, &parts(components)).map_err(Failure::Unable)?;
    let sweep = PoolSweep::known(entry, bytes, &prepared).map_err(Failure::Pool)?;
    let outputs = args.force.outputs(&components.formats);
    let SweepFiles { out, failures, indices } = SweepFiles::admitted(Some(&out), args, prepared.runs(), outputs)?;
    let head = &bundle.head;
    let identity = Identity {
        file: &bundle.file,
        set: &head.set,
        delta: head.delta,
        signals: &head.signals,
        steps: head.steps,
        every: head.every.and_then(std::num::NonZero::new),
    };
    let setup = Setup {
        count: prepared.count(),
        delta: prepared.delta(),
        columns: prepared.columns().to_vec(),
        identity: identity.of(prepared.runs(), &head.vary),
        is_restarted: args.restart,
        runs: prepared.runs().clone(),
        keeps_steps: head.every.is_some(),
        out,
        format: args.format,
        is_quiet: args.quiet,
        origin: Provenance {
            steps: head.steps,
            delta: prepared.delta(),
            set: head.set.clone(),
            vary: head.vary.clone(),
            design: prepared.runs().design_text(),
            removed: prepared.removed().to_vec(),
            ..Provenance::of(prepared.simulation(), Some(Path::new(&head.name)), &head.engine)
        },
        says_origin: args.origin.clone(),
        marks: args.marks.of(args.out.as_deref())?,
        failures,
        indices,
    };
    Ok((sweep, setup))
}

#[derive(Serialize)]
struct ListedSweep<'a> {
    sweep: &'a str,
    file: &'a str,
    runs: u64,
    done: u64,
    queued: usize,
    host: &'a str,
    out: &'a str,
    version: &'a str,
}

#[derive(Serialize)]
struct ListedWorker<'a> {
    worker: &'a str,
    version: &'a str,
    library: &'a str,
    threads: u32,
    runs: u64,
    sweeps: &'a [String],
}

#[derive(Serialize)]
struct Listed<'a> {
    sweeps: Vec<ListedSweep<'a>>,
    workers: Vec<ListedWorker<'a>>,
}

fn listed(listing: &PoolListing, format: OutputFormat) -> String {
    let sweeps = listing.sweeps.iter().map(|(entry, queued)| ListedSweep {
        sweep: &entry.sweep,
        file: &entry.file,
        runs: entry.runs,
        done: entry.done,
        queued: *queued,
        host: &entry.host,
        out: &entry.out,
        version: &entry.version,
    });
    let workers = listing.workers.iter().map(|worker| ListedWorker {
        worker: &worker.worker,
        version: &worker.version,
        library: &worker.library,
        threads: worker.threads,
        runs: worker.runs,
        sweeps: &worker.sweeps,
    });
    let listed = Listed { sweeps: sweeps.collect(), workers: workers.collect() };
    if format == OutputFormat::Json {
        return json(&listed);
    }
    let mut text = format!("{}\n", counted(listed.sweeps.len(), "sweep"));
    for sweep in &listed.sweeps {
        text.push_str(&format!(
            "  {}  {}: {} of {} runs, {} chunks queued, from {}:{}\n",
            sweep.sweep, sweep.file, sweep.done, sweep.runs, sweep.queued, sweep.host, sweep.out
        ));
    }
    text.push_str(&format!("{}\n", counted(listed.workers.len(), "worker")));
    for worker in &listed.workers {
        let what = if worker.sweeps.is_empty() { "waits".to_owned() } else { worker.sweeps.join(", ") };
        text.push_str(&format!(
            "  {}: {}, version {}, {}, {what}\n",
            worker.worker,
            counted(worker.threads as usize, "thread"),
            worker.version,
            counted(worker.runs as usize, "run"),
        ));
    }
    text
}
