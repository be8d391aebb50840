//! Every engine gives the bits of the reference engine, on random models.
//!
//! A model is a list of [`Piece`]s, each one block whose inputs are fed from any piece by number; connections that
//! would close a loop without a state are omitted, so that shrinking gives readable models.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use simulate::block::expression::NoNames;
use simulate::block::{BlockDef, BuildContext, Kernel, ParamDef, ParamKind, Registry, SampleTime, Settings, library};
use simulate::engine::{
    AssertionEvent, Context, Engine, Engines, Execute, HandOver, Program, Samples, Solver, Threaded, Watch, compile,
    is_unset,
};
use simulate::model::{Block, BlockId, BlockKind, Connection, Model, Simulation};

/// The engines that are compared with `simple`.
const OTHERS: [&str; 2] = ["flat", "compiled"];
/// The threaded engine with this number of threads, which sends all possible jobs to them.
const THREADS: [&str; 4] = ["threads 1", "threads 2", "threads 3", "threads 7"];

#[derive(Clone, Debug)]
struct Piece {
    what: What,
    /// For each input the piece that feeds it and its output, both modulo their number.
    from: Vec<(u16, u8)>,
    /// Raw values from which the parameters are chosen.
    params: Vec<u16>,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Library(u16),
    Entry(u8),
    Exit(u8),
    Inner(u8),
}

#[derive(Clone, Debug)]
struct Drawing {
    solver: usize,
    /// Whether algebraic loops may be drawn.
    has_loops: bool,
    delta: usize,
    /// The last model is the root; each may have instances of those before it.
    models: Vec<Vec<Piece>>,
    /// The number of steps of each call.
    chunks: Vec<u64>,
    watched: Vec<u16>,
    /// Changes of a parameter, by number, after a chunk.
    changes: Vec<(u16, u16)>,
    /// The number of equal blocks side by side, which are packed.
    copies: u8,
}

const NUMBERS: [f64; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    0.5,
    -0.5,
    0.1,
    3.0,
    -2.5,
    1e-3,
    10.0,
    1e300,
    -1e300,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::MIN_POSITIVE / 4.0,
    f64::MAX,
    f64::EPSILON,
    -0.25,
    7.0,
];
const TAME: usize = 12;

const FORMULAS: [&str; 5] = [
    "y = u",
    "y = sin(2*pi*t) + max(u, 1); z = u > 0.5 ? -u : u^2",
    "_a = [u 1 2]; y = sum(_a)*dt; z = _a(2)",
    "y = if(isfinite(u), u, 0) + mod(u, 3) - linspace(0, 1, 3)",
    "y = u >= 1 && !(u < 2) || u == 0",
];

fn number(raw: u16, min: f64, max: f64) -> f64 {
    // Mostly ordinary values, so that not everything becomes infinite.
    let of = if raw.is_multiple_of(8) { &NUMBERS[..] } else { &NUMBERS[..TAME] };
    let value = of[usize::from(raw / 8) % of.len()];
    if value < min || value > max || value.is_nan() && min > f64::NEG_INFINITY {
        min.clamp(-1e3, 1e3).max(min).min(max)
    } else {
        value
    }
}

fn piece() -> impl Strategy<Value = Piece> {
    let what = prop_oneof![
        12 => any::<u16>().prop_map(What::Library),
        2 => (0u8..5).prop_map(What::Entry),
        2 => (0u8..5).prop_map(What::Exit),
        3 => (0u8..3).prop_map(What::Inner),
    ];
    let from = prop::collection::vec((any::<u16>(), any::<u8>()), 0..5);
    (what, from, prop::collection::vec(any::<u16>(), 1..6)).prop_map(|(what, from, params)| Piece {
        what,
        from,
        params,
    })
}

fn drawing() -> impl Strategy<Value = Drawing> {
    let models = prop::collection::vec(prop::collection::vec(piece(), 1..14), 1..4);
    let rest = (
        prop::collection::vec(prop_oneof![8 => 1u64..9, 1 => 60u64..140], 1..5),
        prop::collection::vec(any::<u16>(), 0..4),
        prop::collection::vec((any::<u16>(), any::<u16>()), 0..3),
        prop_oneof![3 => Just(1u8), 1 => 2u8..14],
    );
    let solver = (0usize..Solver::ALL.len(), prop_oneof![3 => Just(false), 1 => Just(true)]);
    (solver, 0usize..4, models, rest).prop_map(
        |((solver, has_loops), delta, models, (mut chunks, watched, changes, mut copies))| {
            // A solver with many rejected steps is slow in a debug build.
            if Solver::ALL[solver].tableau().is_none() {
                chunks.iter_mut().for_each(|steps| *steps = (*steps).min(20));
                copies = copies.min(5);
            }
            Drawing { solver, has_loops, delta, models, chunks, watched, changes, copies }
        },
    )
}

/// Returns the block with option texts from raw numbers.
fn options(kind: &Piece, block: Block, def: &BlockDef, delta: f64) -> Block {
    let mut block = block;
    for (index, param) in def.params.iter().enumerate() {
        let raw = kind.params[index % kind.params.len()].wrapping_add(index as u16 * 977);
        if raw.is_multiple_of(3) {
            continue;
        }
        let texts: Vec<String> = match param.kind {
            // A multiple of the step, sometimes with an offset.
            _ if *param == ParamDef::SAMPLE_TIME => vec![(f64::from(2 + raw / 3 % 4) * delta).to_string()],
            _ if *param == ParamDef::SAMPLE_OFFSET => vec![(f64::from(raw / 3 % 2) * delta).to_string()],
            ParamKind::Number { min, max, vector, fixed, .. } => {
                let count = if vector && raw % 7 == 1 { 3 } else { 1 };
                // Parameters that determine the size of the tape stay small.
                let (min, max) = if fixed { (min.max(-4.0), max.min(4.0)) } else { (min, max) };
                (0..count).map(|lane| number(raw.wrapping_add(lane * 88), min, max).to_string()).collect()
            }
            ParamKind::Integer { min, max, .. } => {
                vec![(min + i64::from(raw) % (max - min + 1).clamp(1, 4)).to_string()]
            }
            ParamKind::Choice { of, .. } => vec![of[usize::from(raw / 3) % of.len()].to_owned()],
            ParamKind::Flag { .. } => vec![u8::from(raw % 2 == 1).to_string()],
            ParamKind::Text { default } => match default {
                "++" => vec!["+-+".chars().cycle().take(1 + usize::from(raw / 3) % 4).collect()],
                _ => continue,
            },
            ParamKind::Tag { .. } | ParamKind::File { .. } | ParamKind::Code { .. } => continue,
            ParamKind::Formula { .. } => vec![FORMULAS[usize::from(raw / 3) % FORMULAS.len()].to_owned()],
        };
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        block = block.with_option(param.name, &texts);
    }
    block
}

/// Whether the block is valid with these options and scalar inputs.
fn builds(def: &'static BlockDef, block: &Block, delta: f64) -> bool {
    let (settings, errors) = Settings::read(def, |name| block.option_texts(name), &NoNames);
    let widths = vec![1; def.inputs.names(&settings).len()];
    errors.is_empty()
        && Kernel::build(def, &settings, &widths, BuildContext { delta, sample: SampleTime::EVERY, locates: false })
            .is_ok()
}

/// Makes the model conditional or iterated through its entry or exit, if possible.
fn give_role(simulation: &mut Simulation, model: &str, id: BlockId, piece: &Piece) {
    const RESET: (&str, &str) = ("states", "reset");
    const LIMIT: (&str, &str) = ("limit", "20");
    let raw = piece.params[0];
    let attributes: &[(&str, &str)] = match (piece.what, raw % 16) {
        (What::Entry(_), 0) => &[("role", "enable")],
        (What::Entry(_), 1) => &[("role", "enable"), RESET],
        (What::Entry(_), 2) => &[("role", "trigger")],
        (What::Entry(_), 3) => &[("role", "trigger"), ("edge", "falling")],
        (What::Entry(_), 4) => &[("role", "trigger"), ("edge", "either")],
        (What::Entry(_), 5) => &[("role", "reset"), ("edge", "either")],
        (What::Entry(_), 6) => &[("role", "for"), LIMIT],
        (What::Entry(_), 7) => &[("role", "call"), LIMIT, RESET],
        (What::Entry(_), 8) => &[("role", "while"), LIMIT],
        (What::Entry(_), 9 | 10) => &[("role", "each")],
        (What::Entry(_), 11) => &[("role", "index")],
        (What::Exit(_), 0 | 1) => &[("role", "while"), LIMIT, RESET],
        (What::Exit(_), 2..=7) => &[("idle", "reset")],
        _ => return,
    };
    let before = simulation.clone();
    let block = simulation.model_mut(model).expect("the model").block_mut(id).expect("the block");
    attributes.iter().for_each(|(name, value)| block.attributes.set(name, value));
    *block = block.clone().with_option("Initial Value", &[number_of(raw).to_string().as_str()]);
    if compile(simulation, &Registry::standard()).is_err() {
        *simulation = before;
    }
}

impl Drawing {
    fn simulation(&self) -> Simulation {
        let last = self.models.len() - 1;
        let name = |index: usize| if index == last { "Main".to_owned() } else { format!("M{index}") };
        let mut simulation = Simulation::new("Main");
        simulation.delta = [0.1, 1.0, 0.01, 0.3][self.delta];
        simulation.attributes.set("solver", Solver::ALL[self.solver].name());
        // Stiff models would take long.
        simulation.attributes.set("max-steps", "100");
        if self.has_loops {
            simulation.attributes.set("loops", "solve");
        }
        for index in 0..last {
            simulation.add_model(Model::new(&name(index)));
        }
        // Blocks that set their output several times in a step run on one engine only; names need another block, and
        // each file has one writer.
        let is_free = |def: &&BlockDef| def.tag().is_none() && def.written_file().is_none();
        let defs: Vec<_> = library::defs().filter(|def| def.name != "Repeat").filter(is_free).collect();
        let copies = |index: usize| if index == last { u64::from(self.copies) } else { 1 };
        for (index, pieces) in self.models.iter().enumerate() {
            for (place, piece) in pieces.iter().enumerate() {
                for copy in 0..copies(index) {
                    let id = BlockId((place as u64 * copies(index) + copy).into());
                    let block = match piece.what {
                        What::Library(def) => {
                            let def = usize::from(def) % defs.len();
                            let block = Block::new(id, BlockKind::library(defs[def].group, defs[def].name));
                            let mut piece = piece.clone();
                            // Copies have other numbers, but mostly the same shape.
                            piece.params.iter_mut().for_each(|raw| *raw = raw.wrapping_add(copy as u16 * 168));
                            let chosen = options(&piece, block.clone(), defs[def], simulation.delta);
                            // If the numbers are not valid together the defaults are used; few blocks need a vector.
                            let mut ways = [chosen, block].into_iter();
                            let fits = ways.find(|block| builds(defs[def], block, simulation.delta));
                            fits.unwrap_or_else(|| Block::new(id, BlockKind::library("Math", "Gain")))
                        }
                        What::Entry(name) => Block::new(id, BlockKind::entry(&format!("p{name}"))),
                        What::Exit(name) if copy == 0 => Block::new(id, BlockKind::exit(&format!("p{name}"))),
                        What::Inner(inner) if index > 0 => {
                            Block::new(id, BlockKind::model(&name(usize::from(inner) % index)))
                        }
                        _ => Block::new(id, BlockKind::library("Math", "Gain")),
                    };
                    simulation.model_mut(&name(index)).expect("the model").add_block(block);
                }
            }
        }
        for (index, pieces) in self.models[..last].iter().enumerate() {
            pieces.iter().zip(0..).for_each(|(piece, id)| give_role(&mut simulation, &name(index), BlockId(id), piece));
        }
        for (index, pieces) in self.models.iter().enumerate() {
            for (place, piece) in pieces.iter().enumerate() {
                for copy in 0..copies(index) {
                    let id = BlockId((place as u64 * copies(index) + copy).into());
                    self.wire(&mut simulation, &name(index), id, piece, copy, copies(index));
                }
            }
        }
        simulation
    }

    fn wire(&self, simulation: &mut Simulation, model: &str, to: BlockId, piece: &Piece, copy: u64, copies: u64) {
        let registry = Registry::standard();
        let ports = |simulation: &Simulation, id: BlockId| {
            let model = simulation.model(model).expect("the model");
            simulate::model::block_ports(simulation, &registry, model, model.block(id).expect("the block"))
        };
        let blocks = simulation.model(model).expect("the model").blocks.len() as u64;
        let inputs = ports(simulation, to).inputs;
        for (input, &(from, output)) in inputs.iter().zip(&piece.from) {
            // A copy is fed by the same copy of the other piece, or all copies by the first.
            let other = u64::from(from) % (blocks / copies).max(1) * copies;
            let from = BlockId(if output % 4 == 0 { other } else { other + copy }.into());
            let outputs = ports(simulation, from).outputs;
            if outputs.is_empty() {
                continue;
            }
            let name = &outputs[usize::from(output / 4) % outputs.len()];
            let before = simulation.clone();
            let connection = Connection::new(from, name, to, input);
            simulation.model_mut(model).expect("the model").connect(connection);
            let found = compile(simulation, &registry);
            if found.is_err() {
                *simulation = before;
            }
        }
    }
}

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

struct Runs<'a> {
    drawing: &'a Drawing,
    program: Arc<Program>,
}

impl Runs<'_> {
    fn prepare(&self, engine: &str) -> Box<dyn Execute> {
        if let Some(threads) = engine.strip_prefix("threads ") {
            let engine = Threaded::handing_out_all(threads.parse().expect("a number"));
            return engine.prepare(&self.program).expect("it runs");
        }
        Engines::with(HandOver::Wait).get(engine).expect("the engine").prepare(&self.program).expect("it runs")
    }

    fn samples(&self) -> Samples {
        let outputs = self.program.outputs.len().max(1);
        let is_there = |output: &usize| *output < self.program.outputs.len();
        Samples::new(self.drawing.watched.iter().map(|raw| usize::from(*raw) % outputs).filter(is_there))
    }

    /// Runs all chunks, each on the engine that `engine` chooses.
    fn run(&self, mut engine: impl FnMut(usize) -> &'static str, is_single: bool) -> Outcome {
        let mut context = Context::new(&self.program);
        let mut samples = self.samples();
        let mut after = Vec::new();
        let mut known: Vec<(&str, Box<dyn Execute>)> = Vec::new();
        for (number, &count) in self.drawing.chunks.iter().enumerate() {
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
            if let Some(&(at, raw)) = self.drawing.changes.get(number)
                && !context.params.is_empty()
            {
                let at = usize::from(at) % context.params.len();
                context.params[at] = number_of(raw);
            }
        }
        // The requested engine ran, not another in its place.
        let ran = |name: &str| if THREADS.contains(&name) { "threaded".to_owned() } else { name.to_owned() };
        known.iter().for_each(|(name, execute)| assert_eq!(execute.engine(), ran(name)));
        // Neither samples nor checkpoints contain the bits of a NaN.
        let told = samples.assertions().to_vec();
        let of = |watch: &Watch| watch.values.iter().map(|value| value.to_bits()).collect();
        let samples = (samples.watches().iter().map(of).collect(), samples.first());
        (after, samples, context.to_bytes(&self.program), told)
    }
}

fn number_of(raw: u16) -> f64 {
    number(raw, f64::NEG_INFINITY, f64::INFINITY)
}

fn check(drawing: &Drawing) -> Result<(), TestCaseError> {
    let simulation = drawing.simulation();
    let Ok(program) = compile(&simulation, &Registry::standard()) else { return Ok(()) };
    let runs = Runs { drawing, program: Arc::new(program) };
    let want = runs.run(|_| "simple", false);
    for other in OTHERS {
        prop_assert_eq!(&runs.run(|_| other, false), &want, "{}", other);
        prop_assert_eq!(&runs.run(|_| other, true), &want, "{}, a step a call", other);
        // With a single chunk it is the same as the first run.
        if drawing.chunks.len() > 1 {
            let mixed = runs.run(|chunk| if chunk % 2 == 0 { other } else { "simple" }, false);
            prop_assert_eq!(&mixed, &want, "{} and simple by turns", other);
        }
    }
    // Each drawing runs on some number of threads, and with a change of engine after each chunk.
    let threads = THREADS[(drawing.chunks.len() + drawing.watched.len()) % THREADS.len()];
    let is_single = drawing.copies.is_multiple_of(2);
    prop_assert_eq!(&runs.run(|_| threads, is_single), &want, "{}", threads);
    let by_turns = [threads, "simple", "compiled", "threads 3", "threaded"];
    if drawing.chunks.len() > 1 || is_single {
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
    run_cases(std::env::var("RANDOM_MODELS").map_or(150, |count| count.parse().expect("a number")));
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
            parts += program.subsystems.iter().filter(|subsystem| !subsystem.units.is_empty()).count();
            let runs = Runs { drawing: &drawing, program: Arc::new(program) };
            let (after, ..) = runs.run(|_| "simple", false);
            executed += after.iter().map(|(_, executed, _)| *executed).max().unwrap_or(0);
        }
    }
    assert!(executed > 200, "{executed} blocks ran in 160 models");
    assert!(parts > 20, "{parts} conditional or iterated parts in 160 models");
}
