//! Every engine gives the bits of the reference engine, on random models.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use simulate::block::Registry;
use simulate::engine::{
    AssertionEvent, Context, Engine, Engines, Execute, Program, Samples, Threaded, TierUp, Watch, compile, is_unset,
};
use simulate::model::Simulation;

use super::models::{Drawing, drawing, number_of};

/// The engines that are compared with `simple`.
const OTHERS: [&str; 2] = ["flat", "compiled"];
/// The engine `compiled` when it splits each step wherever it can, even where that is slower.
const SPLIT: &str = "split";
/// The threaded engine with this number of threads, which sends all possible jobs to them.
const THREADS: [&str; 4] = ["threads 1", "threads 2", "threads 3", "threads 7"];

/// The engine for remote blocks; with another word behind it, with workers that are lost.
const REMOTE: &str = "remote";

/// Returns the bits; all NaN are equal, since the processor chooses which of two NaN an operation returns.
fn bits(values: &[f64]) -> Vec<u64> {
    let one = |value: &f64| if value.is_nan() && !is_unset(*value) { f64::NAN.to_bits() } else { value.to_bits() };
    values.iter().map(one).collect()
}

/// The context after each chunk, all samples with the first step, a checkpoint at the end, and the assertion reports.
type Outcome = (Vec<Bits>, (Vec<Vec<u64>>, u64), Vec<u8>, Vec<AssertionEvent>);

type Bits = (u64, u64, [Vec<u64>; 5]);

fn all_bits(context: &Context) -> Bits {
    let Context { values, discrete, continuous, history, solver, .. } = context;
    (context.step, context.executed, [values, discrete, continuous, history, solver].map(|values| bits(values)))
}

/// How a simulation is run.
#[derive(Clone, Copy)]
pub struct Session<'a> {
    /// The number of steps of each call.
    pub chunks: &'a [u64],
    /// The outputs that are watched, modulo their number.
    pub watched: &'a [u16],
    /// Changes of a parameter, by number, after a chunk.
    pub changes: &'a [(u16, u16)],
}

struct Runs<'a> {
    session: Session<'a>,
    program: Arc<Program>,
}

impl Runs<'_> {
    fn prepare(&self, engine: &str) -> Box<dyn Execute> {
        if let Some(threads) = engine.strip_prefix("threads ") {
            let engine = Threaded::handing_out_all(threads.parse().expect("a number"));
            return engine.prepare(&self.program).expect("it runs");
        }
        #[cfg(feature = "pool")]
        if engine.starts_with(REMOTE) {
            return remote_blocks::engine(engine).prepare(&self.program).expect("it runs");
        }
        let (tier_up, engine) =
            if engine == SPLIT { (TierUp::WaitAndSplit, "compiled") } else { (TierUp::Wait, engine) };
        Engines::with(tier_up).get(engine).expect("the engine").prepare(&self.program).expect("it runs")
    }

    fn samples(&self) -> Samples {
        let outputs = &self.program.outputs;
        let output = |raw: &_| outputs.keys().nth(usize::from(*raw) % outputs.len().max(1));
        Samples::new(self.session.watched.iter().filter_map(output))
    }

    /// Runs all chunks, each on the engine that `engine` chooses.
    fn run(&self, mut engine: impl FnMut(usize) -> &'static str, is_single: bool) -> Outcome {
        let mut context = Context::new(&self.program);
        let mut samples = self.samples();
        let mut after = Vec::new();
        let mut known: Vec<(&str, Box<dyn Execute>)> = Vec::new();
        for (number, &count) in self.session.chunks.iter().enumerate() {
            let name = engine(number);
            if !known.iter().any(|(known, _)| *known == name) {
                known.push((name, self.prepare(name)));
            }
            let (_, execute) = known.iter_mut().find(|(known, _)| *known == name).expect("just added");
            let end = context.step + count;
            let mut failed = None;
            // A block may end a call early; the next call continues.
            while failed.is_none() && context.step < end {
                let count = if is_single { 1 } else { end - context.step };
                failed = execute.run(&mut context, count, &mut samples).err();
            }
            after.push(all_bits(&context));
            // A solver may fail, or a loop may run too often; then nothing of the step is done.
            if let Some(error) = failed {
                assert_eq!(error.step, context.step, "{error}");
                break;
            }
            // The next engine gets only a checkpoint.
            if number % 2 == 1 {
                context = Context::from_bytes(&context.to_bytes(&self.program), &self.program).expect("a checkpoint");
            }
            if let Some(&(at, raw)) = self.session.changes.get(number)
                && !context.params.is_empty()
            {
                let at = usize::from(at) % context.params.len();
                context.params[at] = number_of(raw);
            }
        }
        // The requested engine ran, not another in its place.
        let ran = |name: &str| match name {
            name if THREADS.contains(&name) => "threaded".to_owned(),
            SPLIT => "compiled".to_owned(),
            name if name.starts_with(REMOTE) => REMOTE.to_owned(),
            name => name.to_owned(),
        };
        known.iter().for_each(|(name, execute)| assert_eq!(execute.engine(), ran(name)));
        // A call of several steps waits for the code.
        let is_long = |number: usize| !is_single && self.session.chunks[number] > 1;
        for name in ["compiled", SPLIT] {
            if (0..after.len()).any(|number| is_long(number) && engine(number) == name) {
                let compiled = known.iter().find(|(known, _)| *known == name);
                assert!(compiled.is_some_and(|(_, execute)| execute.runs_machine_code()));
            }
        }
        // Neither samples nor checkpoints contain the bits of a NaN.
        let told = samples.assertions().to_vec();
        let of = |watch: &Watch| watch.values.iter().map(|value| value.to_bits()).collect();
        let samples = (samples.watches().iter().map(of).collect(), samples.first());
        (after, samples, context.to_bytes(&self.program), told)
    }
}

/// Returns the number of random cases: `few`, unless the environment says how many.
pub fn cases(few: u32) -> u32 {
    std::env::var("RANDOM_MODELS").map_or(few, |count| count.parse().expect("a number"))
}

fn check(drawing: &Drawing) -> Result<(), TestCaseError> {
    compare(&drawing.simulation(), session_of(drawing), drawing.copies.is_multiple_of(2))
}

fn session_of(drawing: &Drawing) -> Session<'_> {
    Session { chunks: &drawing.chunks, watched: &drawing.watched, changes: &drawing.changes }
}

/// Runs a simulation, if it compiles, on every engine and by turns; `is_single` adds calls of a single step to those of
/// the threads.
pub fn compare(simulation: &Simulation, session: Session, is_single: bool) -> Result<(), TestCaseError> {
    let Ok(program) = compile(simulation, &Registry::standard()) else { return Ok(()) };
    let runs = Runs { session, program: Arc::new(program) };
    let want = runs.run(|_| "simple", false);
    for other in OTHERS {
        prop_assert_eq!(&runs.run(|_| other, false), &want, "{}", other);
        prop_assert_eq!(&runs.run(|_| other, true), &want, "{}, a step a call", other);
        // With a single chunk it is the same as the first run.
        if session.chunks.len() > 1 {
            let mixed = runs.run(|chunk| if chunk % 2 == 0 { other } else { "simple" }, false);
            prop_assert_eq!(&mixed, &want, "{} and simple by turns", other);
        }
    }
    prop_assert_eq!(&runs.run(|_| SPLIT, false), &want, "{}", SPLIT);
    // Each runs on some number of threads, and with a change of engine after each chunk.
    let threads = THREADS[(session.chunks.len() + session.watched.len()) % THREADS.len()];
    prop_assert_eq!(&runs.run(|_| threads, is_single), &want, "{}", threads);
    let by_turns = [threads, "simple", "compiled", "threads 3", "threaded"];
    if session.chunks.len() > 1 || is_single {
        let mixed = runs.run(|chunk| by_turns[chunk % by_turns.len()], false);
        prop_assert_eq!(&mixed, &want, "{:?}", by_turns);
    }
    Ok(())
}

fn run_cases(cases: u32) {
    let config =
        ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 4000, ..ProptestConfig::default() };
    let rng = proptest::test_runner::TestRng::from_seed(proptest::test_runner::RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let outcome = runner.run(&drawing(), |drawing| check(&drawing));
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

#[test]
fn random_models_have_the_same_bits_on_every_engine() {
    run_cases(cases(80));
}

/// Most drawings must run, since otherwise nothing is compared.
#[test]
fn random_models_mostly_run() {
    let mut runner = TestRunner::deterministic();
    let (mut executed, mut parts) = (0, 0);
    for _ in 0..160 {
        let tree = drawing().new_tree(&mut runner).expect("a drawing");
        let drawing = proptest::strategy::ValueTree::current(&tree);
        if let Ok(program) = compile(&drawing.simulation(), &Registry::standard()) {
            parts += program.subsystems.values().filter(|subsystem| !subsystem.units.is_empty()).count();
            let runs = Runs { session: session_of(&drawing), program: Arc::new(program) };
            let (after, ..) = runs.run(|_| "simple", false);
            executed += after.iter().map(|(_, executed, _)| *executed).max().unwrap_or(0);
        }
    }
    assert!(executed > 200, "{executed} blocks ran in 160 models");
    assert!(parts > 20, "{parts} conditional or iterated parts in 160 models");
}

/// Remote blocks in workers.
#[cfg(feature = "pool")]
mod remote_blocks {
    use simulate::engine::Remote;
    use simulate::model::{Block, BlockKind};

    use super::*;
    use crate::engine::remote::Inside;

    /// Returns the engine for remote blocks by the name that these tests give it.
    pub fn engine(name: &str) -> Remote {
        Remote::new(Arc::new(if name == REMOTE { Inside::lasting() } else { Inside::mortal() }))
    }

    /// Runs a simulation with remote blocks, if it compiles and has some: with workers that last, with workers that are lost,
    /// and by turns with other engines. Returns whether it ran.
    fn compare_remote(simulation: &Simulation, session: Session) -> Result<bool, TestCaseError> {
        let Ok(program) = compile(simulation, &Registry::standard()) else { return Ok(false) };
        if program.remote.is_none() {
            return Ok(false);
        }
        let runs = Runs { session, program: Arc::new(program) };
        let want = runs.run(|_| "simple", false);
        prop_assert_eq!(&runs.run(|_| "remote", false), &want, "remote");
        prop_assert_eq!(&runs.run(|_| "remote", true), &want, "remote, a step a call");
        prop_assert_eq!(&runs.run(|_| "remote lost", false), &want, "remote, with lost workers");
        let by_turns = ["remote", "simple", "remote", "compiled"];
        if session.chunks.len() > 1 {
            prop_assert_eq!(&runs.run(|chunk| by_turns[chunk % by_turns.len()], false), &want, "{:?}", by_turns);
        }
        Ok(true)
    }

    /// Lets model blocks run in workers, as the drawing's numbers choose.
    fn with_remote_blocks(drawing: &Drawing) -> Simulation {
        let mut simulation = drawing.simulation();
        let mut raw = drawing
            .watched
            .iter()
            .chain([&77])
            .fold(drawing.chunks.len() as u64, |sum, raw| sum.wrapping_mul(31).wrapping_add(u64::from(*raw)));
        let blocks: Vec<_> = simulation
            .models
            .iter()
            .flat_map(|(name, model)| {
                model.blocks.values().map(move |block| (name.clone(), block.id, block.kind.clone()))
            })
            .filter(|(_, _, kind)| matches!(kind, BlockKind::Model { .. }))
            .collect();
        for (model, id, _) in blocks {
            raw = raw.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            if raw >> 40 & 3 != 0 {
                let block = simulation.model_mut(&model).expect("the model").block_mut(id).expect("the block");
                block.attributes.set(Block::ON, if raw >> 44 & 1 == 0 { "pool" } else { "other" });
            }
        }
        simulation
    }

    #[test]
    fn random_models_with_remote_blocks_have_the_same_bits() {
        let cases = cases(80);
        let config =
            ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 4000, ..ProptestConfig::default() };
        let rng = proptest::test_runner::TestRng::from_seed(proptest::test_runner::RngAlgorithm::ChaCha, &[9; 32]);
        let mut runner = TestRunner::new_with_rng(config, rng);
        let ran = std::cell::Cell::new(0);
        let outcome = runner.run(&drawing(), |drawing| {
            let is_run = compare_remote(&with_remote_blocks(&drawing), session_of(&drawing))?;
            ran.set(ran.get() + u32::from(is_run));
            Ok(())
        });
        if let Err(failure) = outcome {
            panic!("{failure}");
        }
        assert!(ran.get() * 4 > cases, "{} of {cases} models had remote blocks", ran.get());
    }
}
