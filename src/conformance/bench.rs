//! A test bench for one block: each input is connected to a constant, each output to an exit.

use std::sync::Arc;

use super::NonConformance;
use crate::block::language::NoNames;
use crate::block::{BlockDef, Registry, Settings};
use crate::engine::{Context, Engine, Execute, Program, Samples, compile, is_unset};
use crate::model::{Block, BlockId, BlockKind, Connection, ParamAddress, Simulation};

/// The options, widths and step length of a test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setup {
    pub options: &'static [(&'static str, &'static [&'static str])],
    /// The width of each input, by default 1.
    pub widths: &'static [usize],
    /// The step length in seconds.
    pub delta: f64,
}

impl Setup {
    /// Returns a setup for each example, and one with default options.
    pub(super) fn all(def: &BlockDef) -> Vec<Setup> {
        let of_example = |example: &crate::block::Example| Setup {
            options: example.options,
            widths: example.widths,
            delta: example.delta,
        };
        let mut setups: Vec<Setup> = def.examples.iter().map(of_example).collect();
        if setups.iter().all(|setup| !setup.options.is_empty()) {
            setups.push(Setup { options: &[], widths: &[], delta: 1.0 });
        }
        setups
    }

    pub(super) fn width(&self, input: usize) -> usize {
        self.widths.get(input).copied().unwrap_or(1)
    }

    pub(super) fn inputs(&self, def: &'static BlockDef) -> Vec<String> {
        def.inputs.names(&self.settings(def).0)
    }

    /// Returns the settings and the errors in the options.
    pub(super) fn settings(&self, def: &'static BlockDef) -> (Settings, Vec<String>) {
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
        // With Euler a step is one step of the difference equation in an example.
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

/// Returns the id of the constant block of an input.
fn feed(input: usize) -> BlockId {
    BlockId(1_000_000 + input as i128)
}

pub(super) fn exit_name(output: usize) -> String {
    format!("out {output}")
}

/// A run of a simulation on an engine.
pub(super) struct Run {
    pub program: Arc<Program>,
    pub context: Context,
    execute: Box<dyn Execute>,
}

/// Why a simulation does not run.
pub(super) enum NoRun {
    /// The engine declined the simulation, which is allowed.
    Declined,
    Failed(String),
}

impl Run {
    pub(super) fn new(simulation: &Simulation, registry: &Registry, engine: &dyn Engine) -> Result<Run, NoRun> {
        let program = compile(simulation, registry).map_err(|found| {
            let first = found.first().map(|found| found.message.clone()).unwrap_or_default();
            NoRun::Failed(format!("does not compile: {first}"))
        })?;
        Run::of(&Arc::new(program), engine)
    }

    pub(super) fn of(program: &Arc<Program>, engine: &dyn Engine) -> Result<Run, NoRun> {
        let execute = engine.prepare(program).map_err(|_| NoRun::Declined)?;
        Ok(Run { context: Context::new(program), program: Arc::clone(program), execute })
    }

    pub(super) fn feed(&mut self, input: usize, values: &[f64]) -> Result<(), NonConformance> {
        let set = self.context.set_param(&self.program, &ParamAddress::new(&[], feed(input), "Value"), values);
        set.map_err(|error| NonConformance(format!("input {input} cannot be set: {error}")))
    }

    pub(super) fn steps(&mut self, count: u64, samples: &mut Samples) -> Result<(), NonConformance> {
        self.execute.run(&mut self.context, count, samples).map_err(|error| NonConformance(error.to_string()))
    }

    /// Returns the name of the engine; for one that delegates, that of the chosen engine.
    pub(super) fn engine(&self) -> &'static str {
        self.execute.engine()
    }

    pub(super) fn exit(&self, output: usize) -> Option<Vec<f64>> {
        let name = exit_name(output);
        self.context.exits(&self.program).into_iter().find(|(known, _)| **known == *name).and_then(|(_, value)| value)
    }
}

/// Returns the bits of values. All not-a-number values are equal, since the processor may choose which one to
/// propagate.
pub(super) fn bits(values: &[f64]) -> Vec<u64> {
    let one = |value: &f64| if value.is_nan() && !is_unset(*value) { f64::NAN.to_bits() } else { value.to_bits() };
    values.iter().map(one).collect()
}
