//! The results of the examples and of a thousand random models are those that are stored, bit for bit: on every engine,
//! with every number of threads, in debug and in release builds.
//!
//! `tests/bits/bits.csv` has a hash for each model. After a change that is meant to change results, look at what it
//! changes and why, and renew the file: `UPDATE_GOLDEN=1 cargo test --test bits`. With `BITS_DIR`, the random models
//! that run to their end are written to that folder, where `simulate test` of a release build compares them.

#[path = "random/models.rs"]
mod random_models;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use simulate::block::Registry;
use simulate::engine::{Context, Engine, Engines, Execute, Program, Samples, Threaded, TierUp, compile, is_unset};
use simulate::format::simx::Simx;
use simulate::format::{Formats, LoadOptions, Loader as _};
use simulate::model::Simulation;

use random_models::Drawing;

const ENGINES: [&str; 5] = ["simple", "flat", "compiled", "threads 2", "threads 7"];

const RANDOM_MODELS: usize = 1000;

/// How many steps of an example are run.
const STEPS: u64 = 300;

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn prepared(engine: &str, program: &Arc<Program>) -> Box<dyn Execute> {
    let engine: Arc<dyn Engine> = match engine.strip_prefix("threads ") {
        Some(threads) => Arc::new(Threaded::handing_out_all(threads.parse().expect("a number"))),
        None => Arc::clone(Engines::with(TierUp::Wait).get(engine).expect("the engine")),
    };
    engine.prepare(program).expect("it runs")
}

/// The 64-bit hash of Fowler, Noll and Vo (FNV-1a, draft-eastlake-fnv).
struct Hash(u64);

impl Hash {
    fn add(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Adds the bits of numbers; the processor chooses which of two NaN an operation returns, so all are one.
    fn add_all(&mut self, values: &[f64]) {
        let one = |value: &f64| if value.is_nan() && !is_unset(*value) { f64::NAN.to_bits() } else { value.to_bits() };
        self.add(values.len() as u64);
        values.iter().for_each(|value| self.add(one(value)));
    }
}

/// What happens to the run of a model.
struct Plan {
    /// The number of steps of each call.
    calls: Vec<u64>,
    /// The outputs that are recorded, modulo their number.
    watched: Vec<u16>,
    /// Changes of a parameter, by number, after each call.
    changes: Vec<(u16, u16)>,
}

/// The hash of a run: all values, states, histories and samples after each call. A step that fails ends the run.
struct Outcome {
    hash: u64,
    has_failed: bool,
}

fn run(program: &Arc<Program>, engine: &str, plan: &Plan) -> Outcome {
    let mut execute = prepared(engine, program);
    let (mut context, mut hash) = (Context::new(program), Hash(0xcbf2_9ce4_8422_2325));
    let outputs = &program.outputs;
    let output = |raw: &_| outputs.keys().nth(usize::from(*raw) % outputs.len().max(1));
    let mut samples = Samples::new(plan.watched.iter().filter_map(output));
    let mut has_failed = false;
    for (number, count) in plan.calls.iter().enumerate() {
        let end = context.step + count;
        while context.step < end && !has_failed {
            let rest = end - context.step;
            has_failed = execute.run(&mut context, rest, &mut samples).is_err();
        }
        hash.add(context.step);
        hash.add(context.executed);
        let Context { values, discrete, continuous, history, .. } = &context;
        [values, discrete, continuous, history].into_iter().for_each(|values| hash.add_all(values));
        if has_failed {
            break;
        }
        if let Some(&(at, raw)) = plan.changes.get(number)
            && !context.params.is_empty()
        {
            let at = usize::from(at) % context.params.len();
            context.params[at] = random_models::number_of(raw);
        }
    }
    samples.watches().iter().for_each(|watch| hash.add_all(&watch.values));
    Outcome { hash: hash.0, has_failed }
}

fn examples() -> Vec<(String, Simulation)> {
    let formats = Formats::standard();
    let mut found = Vec::new();
    for entry in fs::read_dir(here().join("assets/examples")).expect("the folder is there").flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "simx") {
            let loaded = formats.open(&entry.path(), &LoadOptions::default()).expect("the example is valid");
            found.push((entry.file_name().to_string_lossy().into_owned(), loaded.simulation));
        }
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    found
}

/// Compares lines with those of the stored file that begin with the same word.
fn compare(lines: &[String], first: &str) {
    let path = here().join("tests/bits/bits.csv");
    let stored = fs::read_to_string(&path).unwrap_or_default();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let mut all: Vec<&str> = stored.lines().filter(|line| !line.starts_with(first)).collect();
        all.extend(lines.iter().map(String::as_str));
        all.sort_unstable();
        return fs::write(Path::new(&path), all.join("\n") + "\n").expect("the file can be written");
    }
    let known: Vec<&str> = stored.lines().filter(|line| line.starts_with(first)).collect();
    assert_eq!(lines.len(), known.len(), "as many models as are stored");
    let mut report = String::new();
    for (line, known) in lines.iter().zip(&known).filter(|(line, known)| line != known).take(10) {
        let _ = writeln!(report, "{line}, stored is {known}");
    }
    assert!(report.is_empty(), "other results:\n{report}");
}

#[test]
fn examples_have_their_stored_bits_on_every_engine() {
    let mut lines = Vec::new();
    for (name, simulation) in examples() {
        let program = Arc::new(compile(&simulation, &Registry::standard()).expect("the example runs"));
        let plan = Plan { calls: vec![1, 2, STEPS - 3], watched: vec![0, 1, 2], changes: Vec::new() };
        let hashes = ENGINES.map(|engine| run(&program, engine, &plan).hash);
        assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{name}: the engines differ: {hashes:x?}");
        lines.push(format!("example {name},{:016x}", hashes[0]));
    }
    assert!(lines.len() >= 8, "the examples are there");
    compare(&lines, "example");
}

/// Each model runs on one engine, by turns; other tests compare all engines with each other.
#[test]
fn random_models_have_their_stored_bits() {
    let config = Config { failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[11; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let mut draw = || random_models::drawing().new_tree(&mut runner).expect("a drawing").current();
    let drawings: Vec<Drawing> = (0..RANDOM_MODELS).map(|_| draw()).collect();
    let part = RANDOM_MODELS.div_ceil(4);
    let lines: Vec<String> = std::thread::scope(|scope| {
        let parts: Vec<_> = drawings
            .chunks(part)
            .enumerate()
            .map(|(index, drawings)| {
                let line = move |(number, drawing): (usize, &Drawing)| line_of(index * part + number, drawing);
                scope.spawn(move || drawings.iter().enumerate().map(line).collect::<Vec<_>>())
            })
            .collect();
        parts.into_iter().flat_map(|part| part.join().expect("no panic")).collect()
    });
    let refused = lines.iter().filter(|line| line.ends_with("refused")).count();
    assert!(refused < RANDOM_MODELS / 4, "{refused} of the random models do not compile");
    compare(&lines, "random");
}

fn line_of(number: usize, drawing: &Drawing) -> String {
    let mut simulation = drawing.simulation();
    let Ok(program) = compile(&simulation, &Registry::standard()) else { return format!("random {number:04},refused") };
    let (calls, watched, changes) = (drawing.chunks.clone(), drawing.watched.clone(), drawing.changes.clone());
    let plan = Plan { calls, watched, changes };
    let Outcome { hash, has_failed } = run(&Arc::new(program), ENGINES[number % ENGINES.len()], &plan);
    if let Some(folder) = std::env::var_os("BITS_DIR").filter(|_| !has_failed) {
        simulation.steps = plan.calls.iter().sum();
        let bytes = Simx.write(&simulation).expect("it can be written");
        let path = Path::new(&folder).join(format!("random{number:04}.simx"));
        fs::write(path, bytes).expect("the folder can be written");
    }
    format!("random {number:04},{hash:016x}")
}
