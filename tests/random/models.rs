//! Random models, for comparisons of their results.
//!
//! A model is a list of [`Piece`]s, each one block whose inputs are fed from any piece by number; connections that
//! would close a loop without a state are omitted, so that shrinking gives readable models.

use proptest::prelude::*;
use simulate::block::language::NoNames;
use simulate::block::{BlockDef, BuildContext, Kernel, ParamDef, ParamKind, Registry, Settings, library};
use simulate::engine::{Solver, compile};
use simulate::model::{Block, BlockId, BlockKind, Connection, Model, Simulation};

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
pub struct Drawing {
    solver: usize,
    /// Whether algebraic loops may be drawn.
    has_loops: bool,
    delta: usize,
    /// The last model is the root; each may have instances of those before it.
    models: Vec<Vec<Piece>>,
    /// The number of steps of each call.
    pub chunks: Vec<u64>,
    pub watched: Vec<u16>,
    /// Changes of a parameter, by number, after a chunk.
    pub changes: Vec<(u16, u16)>,
    /// The number of equal blocks side by side, which are packed.
    pub copies: u8,
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

pub fn drawing() -> impl Strategy<Value = Drawing> {
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
    errors.is_empty() && Kernel::build(def, &settings, &widths, BuildContext::new(delta)).is_ok()
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
    pub fn simulation(&self) -> Simulation {
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
        // Blocks that set their output several times in a step run on one engine only; names need another block, an
        // FMU its file, and each file has one writer. Buses have random models of their own.
        let is_free =
            |def: &&BlockDef| def.tag().is_none() && def.written_file().is_none() && !def.name.starts_with("Bus ");
        let defs: Vec<_> =
            library::defs().filter(|def| !["Repeat", "FMU"].contains(&def.name)).filter(is_free).collect();
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

/// Returns the number that a raw value stands for.
pub fn number_of(raw: u16) -> f64 {
    number(raw, f64::NEG_INFINITY, f64::INFINITY)
}
