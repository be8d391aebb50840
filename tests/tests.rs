//! One binary for all integration tests, with a folder for each layer.

mod api;
#[cfg(feature = "app")]
mod app;
mod block;
mod calibration;
#[cfg(feature = "app")]
mod canvas;
mod cli;
mod closed_forms;
mod conformance;
mod diff;
mod engine;
mod examples;
mod export;
mod extension;
mod formats;
mod fuzz;
mod imports;
mod licences;
mod manual;
mod measure;
mod merge;
mod model;
mod mutants;
mod optimize;
mod plugin;
#[cfg(feature = "pool")]
mod pool;
mod random;
mod reference;
mod requirement;
mod requirements;
mod rooms;
mod rpc;
mod sampling;
mod simx;
mod tuning;
mod worker;

mod memory;
mod sketch;

use proptest::test_runner::{Config, RngSeed};

/// The configuration of a property test with a number of random cases, the same in every run unless `PROPTEST_RNG_SEED`
/// is set.
fn random_cases(cases: u32) -> Config {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    match config.rng_seed {
        RngSeed::Random => Config { rng_seed: RngSeed::Fixed(7), ..config },
        RngSeed::Fixed(_) => config,
    }
}

/// Runs something in a thread of its own as a user whom files and folders can refuse, also if the tests run as the
/// administrator.
#[cfg(all(feature = "app", target_os = "linux"))]
fn as_a_user<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    const NOBODY: libc::uid_t = 65534;
    let thread = || {
        // SAFETY: it changes whom the file system takes this thread for, and nothing else.
        unsafe { libc::setfsuid(NOBODY) };
        work()
    };
    let ended = std::thread::scope(|scope| scope.spawn(thread).join());
    ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
