//! Compiles a simulation and runs it for some steps on several engines, which must agree to the bit.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use simulate::block::Registry;
use simulate::engine::{Cancel, Context, Engines, Program, Samples, TierUp, compile, is_unset};
use simulate::model::{Diagnostic, Simulation};

/// A run that takes longer is cancelled, which it must hear within its second.
const PATIENCE: Duration = Duration::from_millis(200);
/// The watchdog looks so often.
const INTERVAL: Duration = Duration::from_millis(20);

/// The runs of all threads, by number, each with its begin.
static RUNNING: Mutex<BTreeMap<u64, (Instant, Cancel)>> = Mutex::new(BTreeMap::new());
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// Runs a simulation if it compiles.
pub fn run(simulation: &Simulation, engines: &[&str], steps: u64) {
    run_with(simulation, &Registry::standard(), engines, steps);
}

/// The same with the files of a registry.
pub fn run_with(simulation: &Simulation, registry: &Registry, engines: &[&str], steps: u64) {
    match compile(simulation, registry) {
        Ok(program) => compare(&Arc::new(program), engines, steps),
        Err(found) => assert!(found.iter().any(Diagnostic::is_error), "it does not compile, without an error"),
    }
}

fn compare(program: &Arc<Program>, engines: &[&str], steps: u64) {
    static ENGINES: OnceLock<Engines> = OnceLock::new();
    let known = ENGINES.get_or_init(|| Engines::with(TierUp::Wait));
    let mut first: Option<(&str, Vec<u64>)> = None;
    for name in engines {
        let Ok(mut execute) = known.get(name).expect("the engine").prepare(program) else { continue };
        let mut context = Context::new(program);
        let Some(end) = bounded(|samples| execute.run(&mut context, steps, samples).map_err(|error| error.to_string()))
        else {
            return;
        };
        let mut found = bits(&context);
        found.push(u64::from(end.is_err()));
        match &first {
            None => first = Some((name, found)),
            Some((other, known)) => assert!(*known == found, "{other} and {name} differ: {end:?}"),
        }
    }
}

/// Runs something that hears when it is cancelled; none if it was.
pub fn bounded<T>(run: impl FnOnce(&mut Samples) -> T) -> Option<T> {
    static WATCHDOG: OnceLock<()> = OnceLock::new();
    WATCHDOG.get_or_init(|| drop(std::thread::spawn(watch)));
    let cancel = Cancel::new();
    let mut samples = Samples::default();
    samples.set_cancel(&cancel);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let running = || RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    running().insert(number, (Instant::now(), cancel.clone()));
    let result = run(&mut samples);
    running().remove(&number);
    (!cancel.is_cancelled()).then_some(result)
}

fn watch() {
    loop {
        std::thread::sleep(INTERVAL);
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, cancel) in running.values().filter(|(begin, _)| begin.elapsed() > PATIENCE) {
            cancel.cancel();
        }
    }
}

/// Returns the bits of all values; every not-a-number is the same.
pub fn bits(context: &Context) -> Vec<u64> {
    let one = |value: &f64| if value.is_nan() && !is_unset(*value) { f64::NAN.to_bits() } else { value.to_bits() };
    let Context { step, values, discrete, continuous, history, .. } = context;
    let parts = [values, discrete, continuous, history];
    std::iter::once(*step).chain(parts.into_iter().flatten().map(one)).collect()
}
