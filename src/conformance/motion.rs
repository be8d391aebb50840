//! Tests a block with signals that change in every step, states after it, and enough steps in a call for machine code.
//!
//! With constant inputs a block is evaluated once, before the first step, and in a call of one step every engine
//! interprets; users run neither.

use std::sync::Arc;

use super::NonConformance;
use super::bench::{Run, Setup, bits};
use super::block::NASTY;
use crate::block::{BlockDef, ParamDef, ParamKind, Registry, number_text};
use crate::engine::{Engines, Samples, compile};
use crate::model::{Block, BlockId, BlockKind, Connection, InputKey, Model, Simulation};

/// The source of the signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feed {
    /// A function of time, so that an engine may compute many steps at once.
    Ahead,
    /// A state with feedback, so that it may not.
    Stepwise,
}

/// Further input values: halves, their neighbours, odd numbers and ordinary magnitudes.
const TAME: [f64; 11] = [0.5, -0.5, 1.5, -2.5, 3.7, -0.3, 299.99, -299.99, 4_503_599_627_370_497.5, 2.0, -7.0];

/// The number of steps in each call.
const CHUNKS: [u64; 4] = [1, 2, 30, 90];

/// The width of the test vectors.
const WIDE: usize = 6;

/// A block with options in addition to those of the setup, and the width of inputs that the setup does not define.
struct Variant<'a> {
    setup: Setup,
    extra: Option<(&'a str, String)>,
    width: usize,
    feed: Feed,
}

/// Returns the engines on which the block gives other bits than on the first one.
pub(super) fn in_motion(def: &'static BlockDef, registry: &Registry, engines: &Engines) -> Vec<NonConformance> {
    let mut errors = Vec::new();
    for setup in Setup::all(def) {
        for feed in [Feed::Ahead, Feed::Stepwise] {
            let variant = Variant { setup, extra: None, width: 1, feed };
            errors.extend(differs(def, &variant, registry, engines).err());
        }
    }
    let plain = Setup { options: &[], widths: &[], delta: 1.0 };
    for param in def.params {
        for text in others(param) {
            for (width, feed) in [(1, Feed::Stepwise), (WIDE, Feed::Ahead), (WIDE, Feed::Stepwise)] {
                let variant = Variant { setup: plain, extra: Some((param.name, text.clone())), width, feed };
                errors.extend(differs(def, &variant, registry, engines).err());
            }
        }
    }
    errors
}

/// Returns the simulation of a setup whose inputs come from varying signals and whose outputs go to states.
pub(super) fn simulation(def: &'static BlockDef, setup: Setup, feed: Feed) -> Simulation {
    Variant { setup, extra: None, width: 1, feed }.simulation(def)
}

/// Returns alternative values of a parameter, one of each kind.
fn others(param: &ParamDef) -> Vec<String> {
    match param.kind {
        ParamKind::Choice { default, of } => {
            of.iter().filter(|choice| **choice != default).map(|choice| (*choice).to_owned()).collect()
        }
        ParamKind::Flag { default } => vec![u8::from(!default).to_string()],
        ParamKind::Integer { default, min, max } => {
            let next = if default < max { default + 1 } else { min };
            if next == default { Vec::new() } else { vec![next.to_string()] }
        }
        ParamKind::Text { default: "++" } => vec!["+-+".to_owned(), "-".to_owned()],
        ParamKind::Text { default: "**" } => vec!["*/*".to_owned(), "/".to_owned()],
        _ => Vec::new(),
    }
}

fn differs(
    def: &'static BlockDef,
    variant: &Variant,
    registry: &Registry,
    engines: &Engines,
) -> Result<(), NonConformance> {
    // Some options do not fit together, and some blocks need a file or another block.
    let Ok(program) = compile(&variant.simulation(def), registry) else { return Ok(()) };
    let program = Arc::new(program);
    let mut known: Option<(&str, Outcome)> = None;
    for engine in engines.iter() {
        let Ok(mut run) = Run::of(&program, engine) else { continue };
        // An engine that delegates equals the chosen one.
        if run.engine() != engine.name() {
            continue;
        }
        let outcome = outcome(&mut run);
        match &known {
            None => known = Some((engine.name(), outcome)),
            Some((_, first)) if *first == outcome => {}
            Some((name, first)) => {
                let what = (variant.setup.options, &variant.extra, variant.width, variant.feed);
                let output = (0..first.1.len()).find(|&output| first.1.get(output) != outcome.1.get(output));
                let step = output.and_then(|output| {
                    let (first, other) = (first.1.get(output)?, outcome.1.get(output)?);
                    let element = first.iter().zip(other).position(|(first, other)| first != other)?;
                    Some((output, element, f64::from_bits(first[element]), f64::from_bits(other[element])))
                });
                return Err(NonConformance(format!("{name} and {} differ with {what:?}: {step:?}", engine.name())));
            }
        }
    }
    Ok(())
}

/// The contexts after each call, all samples, and the last error.
type Outcome = (Vec<Vec<u64>>, Vec<Vec<u64>>, Option<NonConformance>);

fn outcome(run: &mut Run) -> Outcome {
    let mut samples = Samples::new(run.program.outputs.keys());
    let (mut contexts, mut problem) = (Vec::new(), None);
    for count in CHUNKS {
        problem = run.steps(count, &mut samples).err();
        let context = &run.context;
        let parts = [&context.values, &context.discrete, &context.continuous, &context.history];
        contexts.push(parts.into_iter().flat_map(|values| bits(values)).collect());
        if problem.is_some() || samples.end().is_some() {
            break;
        }
    }
    (contexts, samples.watches().iter().map(|watch| bits(&watch.values)).collect(), problem)
}

impl Variant<'_> {
    fn simulation(&self, def: &'static BlockDef) -> Simulation {
        let mut simulation = self.setup.simulation(def);
        let of_block = BlockId(0);
        let root = simulation.root.to_string();
        let Some(model) = simulation.model_mut(&root) else { return simulation };
        if let (Some((name, text)), Some(block)) = (&self.extra, model.block_mut(of_block)) {
            *block = block.clone().with_option(name, &[text]);
        }
        // Varying sources replace the constants.
        let fed: Vec<InputKey> = model.connections.keys().filter(|key| key.block == of_block).cloned().collect();
        for (number, key) in fed.iter().enumerate() {
            let width = if self.setup.widths.is_empty() { self.width } else { self.setup.width(number) };
            let from = self.source(model, number, width);
            model.connect(Connection::new(from, "y", of_block, &key.input));
        }
        let made: Vec<(BlockId, String)> = {
            let wires = model.connections.values().filter(|wire| wire.from == of_block);
            wires.map(|wire| (wire.from, wire.output.to_string())).collect()
        };
        for (number, (from, output)) in made.iter().enumerate() {
            let behind = BlockId(5_000_000 + number as i128);
            model.add_block(Block::new(behind, BlockKind::library("Discrete", "Unit Delay")));
            model.connect(Connection::new(*from, output, behind, "Input"));
        }
        simulation
    }

    /// Adds the source of an input; its output is `y`.
    fn source(&self, model: &mut Model, input: usize, width: usize) -> BlockId {
        let id = |number: usize| BlockId((4_000_000 + 1000 * input + number) as i128);
        let library = |id, group, name| Block::new(id, BlockKind::library(group, name));
        let formula = |id, inputs: &str, text: &str| {
            library(id, "User", "Formula").with_option("Inputs", &[inputs]).with_option("Formula", &[text])
        };
        let values: Vec<f64> = NASTY.into_iter().chain(TAME).skip(input % 4).collect();
        if self.feed == Feed::Ahead {
            let firsts: Vec<String> = (0..width).map(|element| (5 * input + 3 * element).to_string()).collect();
            let mut lines = format!(
                "_m = mod(round(t / dt) + [{}], {}); _v0 = {}",
                firsts.join(" "),
                values.len(),
                written(values[0])
            );
            for (number, value) in values.iter().enumerate().skip(1) {
                lines += &format!("; _v{number} = if(_m == {number}, {}, _v{})", written(*value), number - 1);
            }
            // The output has the width of the numbers, and only the last value counts.
            lines += &format!("; y = _v{}", values.len() - 1);
            model.add_block(formula(id(0), "", &lines));
            return id(0);
        }
        // A state that alternates between 0 and 1 changes the sign.
        model.add_block(library(id(1), "Discrete", "Unit Delay"));
        model.add_block(formula(id(2), "u", "y = !u"));
        model.add_block(formula(id(0), "u c", "y = if(c, -u, u)"));
        model.connect(Connection::new(id(1), "Output", id(2), "u"));
        model.connect(Connection::new(id(2), "y", id(1), "Input"));
        model.connect(Connection::new(id(1), "Output", id(0), "c"));
        let stair = |element: usize| {
            let mut texts: Vec<String> = values.iter().map(|value| number_text(*value)).collect();
            let count = texts.len();
            texts.rotate_left((5 * input + 3 * element) % count);
            library(id(10 + element), "Var", "Repeating Stair").with_option("Values", &texts)
        };
        for element in 0..width {
            model.add_block(stair(element));
        }
        if width == 1 {
            model.connect(Connection::new(id(10), "Output", id(0), "u"));
            return id(0);
        }
        let inputs = width.to_string();
        model.add_block(library(id(3), "Routing", "Mux").with_option("Inputs", &[inputs]));
        for element in 0..width {
            model.connect(Connection::new(id(10 + element), "Output", id(3), &format!("Input {}", element + 1)));
        }
        model.connect(Connection::new(id(3), "Output", id(0), "u"));
        id(0)
    }
}

/// Formats a value as an expression.
fn written(value: f64) -> String {
    match value {
        f64::INFINITY => "1/0".to_owned(),
        f64::NEG_INFINITY => "-1/0".to_owned(),
        value if value.is_nan() => "0/0".to_owned(),
        value if value.is_sign_negative() => format!("-{:e}", -value),
        value => format!("{value:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::language::numbers;

    /// The expressions have the intended values, and every block of the library is tested with varying signals.
    #[test]
    fn sources_have_the_intended_values() {
        for value in NASTY.into_iter().chain(TAME) {
            let got = numbers(&written(value), &crate::block::language::NoNames).expect("an expression");
            assert_eq!(bits(&got), bits(&[value]), "{}", written(value));
        }
    }
}
