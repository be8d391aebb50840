//! A block alone: each input fed by a constant, each output led to an exit.

use std::sync::Arc;

use crate::block::expression::NoNames;
use crate::block::{BlockDef, Registry, Settings};
use crate::engine::{Context, Engine, Execute, Program, Samples, compile, is_unset};
use crate::model::{Block, BlockId, BlockKind, Connection, Simulation};

/// With what a block is tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub options: &'static [(&'static str, &'static [&'static str])],
    /// Of each input; 1 where none is given.
    pub widths: &'static [usize],
    /// Seconds a step.
    pub delta: f64,
}

impl Way {
    /// With the options and widths of each example, and as the palette gives it.
    pub(super) fn all(def: &BlockDef) -> Vec<Way> {
        let of_example = |example: &crate::block::Example| Way {
            options: example.options,
            widths: example.widths,
            delta: example.delta,
        };
        let mut ways: Vec<Way> = def.examples.iter().map(of_example).collect();
        if ways.iter().all(|way| !way.options.is_empty()) {
            ways.push(Way { options: &[], widths: &[], delta: 1.0 });
        }
        ways
    }

    pub(super) fn width(&self, input: usize) -> usize {
        self.widths.get(input).copied().unwrap_or(1)
    }

    pub(super) fn inputs(&self, def: &BlockDef) -> Vec<String> {
        def.inputs.names(&self.settings(def).0)
    }

    /// The settings, and what in the options is wrong.
    pub(super) fn settings(&self, def: &BlockDef) -> (Settings, Vec<String>) {
        let texts =
            |name: &str| self.options.iter().find(|(known, _)| *known == name).map(|(_, values)| values.to_vec());
        let (settings, problems) = Settings::read(def, texts, &NoNames);
        (settings, problems.iter().map(|problem| format!("{problem:?}")).collect())
    }

    pub(super) fn simulation(&self, def: &'static BlockDef) -> Simulation {
        const MODEL: &str = "Main";
        let (settings, _) = self.settings(def);
        let mut simulation = Simulation::new(MODEL);
        simulation.delta = self.delta;
        // A step of it is one of the difference equation that an example states.
        simulation.attributes.set("solver", "euler");
        if let Some(model) = simulation.model_mut(MODEL) {
            let of_block = BlockId(0);
            let options = self.options.iter();
            let block = Block::new(of_block, BlockKind::library(def.group, def.name));
            model.add_block(options.fold(block, |block, (name, values)| block.with_option(name, values)));
            for (input, name) in def.inputs.names(&settings).iter().enumerate() {
                let feed = Block::new(feed(input), BlockKind::library("Var", "Static"));
                model.add_block(feed.with_option("Value", &vec!["1"; self.width(input)]));
                model.connect(Connection::new(self::feed(input), "Output", of_block, name));
            }
            for (output, name) in def.outputs.names(&settings).iter().enumerate() {
                let exit = BlockId(2_000_000 + output as i128);
                model.add_block(Block::new(exit, BlockKind::exit(&exit_name(output))));
                model.connect(Connection::new(of_block, name, exit, "Input"));
            }
        }
        simulation
    }
}

/// The block that feeds an input.
fn feed(input: usize) -> BlockId {
    BlockId(1_000_000 + input as i128)
}

pub(super) fn exit_name(output: usize) -> String {
    format!("out {output}")
}

/// A simulation on an engine.
pub(super) struct Run {
    pub program: Arc<Program>,
    pub context: Context,
    execute: Box<dyn Execute>,
}

/// Why there is nothing to run.
pub(super) enum NoRun {
    /// That is the engine's right.
    Declined,
    Wrong(String),
}

impl Run {
    pub(super) fn new(simulation: &Simulation, registry: &Registry, engine: &dyn Engine) -> Result<Run, NoRun> {
        let program = compile(simulation, registry).map_err(|found| {
            let first = found.first().map(|found| found.message.clone()).unwrap_or_default();
            NoRun::Wrong(format!("does not compile: {first}"))
        })?;
        Run::of(&Arc::new(program), engine)
    }

    pub(super) fn of(program: &Arc<Program>, engine: &dyn Engine) -> Result<Run, NoRun> {
        let execute = engine.prepare(program).map_err(|_| NoRun::Declined)?;
        Ok(Run { context: Context::new(program), program: Arc::clone(program), execute })
    }

    pub(super) fn feed(&mut self, input: usize, values: &[f64]) -> Result<(), String> {
        let set = self.context.set_param(&self.program, &[], feed(input), "Value", values);
        set.map_err(|error| format!("input {input} cannot be fed: {error}"))
    }

    pub(super) fn steps(&mut self, count: u64, samples: &mut Samples) -> Result<(), String> {
        self.execute.run(&mut self.context, count, samples).map_err(|error| error.to_string())
    }

    /// The engine's name; of one that chooses, the chosen one's.
    pub(super) fn engine(&self) -> &'static str {
        self.execute.engine()
    }

    pub(super) fn exit(&self, output: usize) -> Option<Vec<f64>> {
        let name = exit_name(output);
        self.context.exits(&self.program).into_iter().find(|(known, _)| **known == *name).and_then(|(_, value)| value)
    }
}

/// The bits, or that it is not-a-number: which of two such an operation hands on is the machine's choice.
pub(super) fn bits(values: &[f64]) -> Vec<u64> {
    let one = |value: &f64| if value.is_nan() && !is_unset(*value) { f64::NAN.to_bits() } else { value.to_bits() };
    values.iter().map(one).collect()
}
