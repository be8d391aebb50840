//! Simulations of tests, written in code: blocks and wires ([`Sketch`]), equations ([`odes`]), and their run.

pub mod odes;

use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::{Context, Engines, Execute, Program, RunError, Samples, TierUp, compile};
use simulate::model::{Block, BlockId, BlockKind, Connection, Model, Simulation};

/// A builder for the simulation of a test.
pub struct Sketch {
    pub simulation: Simulation,
}

impl Sketch {
    pub fn new(delta: f64) -> Sketch {
        let mut simulation = Simulation::new("Main");
        simulation.delta = delta;
        Sketch { simulation }
    }

    pub fn solver(mut self, solver: &str) -> Sketch {
        self.simulation.attributes.set("solver", solver);
        self
    }

    /// Adds a block to `Main`: `Math/Gain`, `entry x`, `exit y` or `model Inner`.
    pub fn block(self, id: u64, what: &str, options: &[(&str, &[&str])]) -> Sketch {
        self.block_in("Main", id, what, options)
    }

    pub fn block_in(mut self, model: &str, id: u64, what: &str, options: &[(&str, &[&str])]) -> Sketch {
        if self.simulation.model(model).is_none() {
            self.simulation.add_model(Model::new(model));
        }
        let kind = match what.split_once(' ') {
            Some(("entry", name)) => BlockKind::entry(name),
            Some(("exit", name)) => BlockKind::exit(name),
            Some(("model", name)) => BlockKind::model(name),
            _ => {
                let (group, name) = what.split_once('/').expect("a group and a name");
                BlockKind::library(group, name)
            }
        };
        let block = options
            .iter()
            .fold(Block::new(BlockId(id.into()), kind), |block, (name, values)| block.with_option(name, values));
        assert!(self.simulation.model_mut(model).expect("the model").add_block(block), "the id {id} is free");
        self
    }

    /// `wire("Main", "0.Output", "1.Input")`.
    pub fn wire_in(mut self, model: &str, from: &str, to: &str) -> Sketch {
        let end = |text: &str| {
            let (id, port) = text.split_once('.').expect("an id and a port");
            (BlockId(id.parse().expect("a number")), port.to_owned())
        };
        let ((from, output), (to, input)) = (end(from), end(to));
        let model = self.simulation.model_mut(model).expect("the model");
        model.connect(Connection::new(from, &output, to, &input));
        self
    }

    pub fn wire(self, from: &str, to: &str) -> Sketch {
        self.wire_in("Main", from, to)
    }

    /// Sets attributes of a block of a model.
    pub fn mark(mut self, model: &str, id: u64, attributes: &[(&str, &str)]) -> Sketch {
        let model = self.simulation.model_mut(model).expect("the model");
        let block = model.block_mut(BlockId(id.into())).expect("the block");
        attributes.iter().for_each(|(name, value)| block.attributes.set(name, value));
        self
    }

    /// Adds a source to `Main` whose output has these values in order, then stays at the last.
    pub fn source(mut self, id: u64, values: &[f64]) -> Sketch {
        let number = |at: usize| if at == 0 { id } else { id * 1000 + at as u64 };
        for (at, value) in values.iter().enumerate() {
            let text = value.to_string();
            if at + 1 == values.len() {
                self = self.block(number(at), "Var/Static", &[("Value", &[&text])]);
            } else {
                self = self.block(number(at), "Discrete/Unit Delay", &[("Initial Value", &[&text])]);
            }
        }
        for at in 1..values.len() {
            self = self.wire(&format!("{}.Output", number(at)), &format!("{}.Input", number(at - 1)));
        }
        self
    }

    /// `from` may be several, separated by commas.
    pub fn wires(mut self, model: &str, wires: &[(&str, &str)]) -> Sketch {
        for (from, to) in wires {
            self = self.wire_in(model, from, to);
        }
        self
    }

    pub fn run(&self) -> Run {
        Run::new(&self.simulation, "simple")
    }
}

/// A running simulation.
pub struct Run {
    pub program: Arc<Program>,
    pub context: Context,
    execute: Box<dyn Execute>,
}

impl Run {
    pub fn new(simulation: &Simulation, engine: &str) -> Run {
        let program = compile(simulation, &Registry::standard());
        Run::of(Arc::new(program.unwrap_or_else(|found| panic!("does not compile: {found:#?}"))), engine)
    }

    pub fn of(program: Arc<Program>, engine: &str) -> Run {
        let execute =
            Engines::with(TierUp::Wait).get(engine).expect("the engine").prepare(&program).expect("not declined");
        Run { context: Context::new(&program), program, execute }
    }

    /// Whether the steps run as machine code.
    pub fn runs_machine_code(&self) -> bool {
        self.execute.runs_machine_code()
    }

    /// Returns none if the engine declines the simulation.
    pub fn where_possible(simulation: &Simulation, engine: &str) -> Option<Run> {
        let program = Arc::new(compile(simulation, &Registry::standard()).expect("it compiles"));
        let prepared = Engines::with(TierUp::Wait).get(engine).expect("the engine").prepare(&program);
        prepared.is_ok().then(|| Run::new(simulation, engine))
    }

    pub fn steps(&mut self, count: u64) -> &mut Run {
        self.execute.run(&mut self.context, count, &mut Samples::default()).expect("the steps run");
        self
    }

    pub fn try_steps(&mut self, count: u64) -> Result<(), RunError> {
        self.execute.run(&mut self.context, count, &mut Samples::default())
    }

    pub fn watched_steps(&mut self, count: u64, samples: &mut Samples) {
        self.execute.run(&mut self.context, count, samples).expect("the steps run");
    }

    /// Returns the value of an exit of the root, which must be set.
    pub fn exit(&self, name: &str) -> Vec<f64> {
        self.exit_if_set(name).unwrap_or_else(|| panic!("the exit {name} was never set"))
    }

    pub fn exit_if_set(&self, name: &str) -> Option<Vec<f64>> {
        let exits = self.context.exits(&self.program);
        exits.into_iter().find(|(known, _)| &**known == name).and_then(|(_, value)| value)
    }

    /// Returns the first element of an exit after each of the next steps.
    pub fn trace(&mut self, name: &str, steps: usize) -> Vec<f64> {
        (0..steps).map(|_| self.steps(1).exit(name)[0]).collect()
    }
}

impl odes::Net {
    pub fn run(&self, engine: &str) -> Run {
        Run::new(&self.simulation, engine)
    }
}

/// Whether two values are equal within a relative tolerance of 1e-12, or both NaN, or the same infinity.
pub fn is_close(got: f64, want: f64) -> bool {
    got.to_bits() == want.to_bits()
        || (got.is_nan() && want.is_nan())
        || (got - want).abs() <= 1e-12 * want.abs().max(1.0)
}
