//! An example crate that extends Simulate by a block, a file format, an engine and a solver, each with a definition and
//! one line of registration. Copy this crate to start your own.

use std::sync::Arc;

use simulate::block::{BlockDef, Body, CallError, Example, Face, Look, Method, Ports, Rates};
use simulate::{ComponentError, Components};
use simulate::engine::{Context, Declined, Engine, Engines, Execute, Program, RunError, Samples};
use simulate::format::simx::Simx;
use simulate::format::{LoadError, LoadOptions, Loaded, Loader, SaveError};
use simulate::model::{Simulation, TextPosition};

/// The cube of its input. The mathematics is written once, on the tape, and runs on every engine.
pub static CUBE: BlockDef = BlockDef {
    group: "Foreign",
    name: "Cube",
    doc: "Raises the input to the third power",
    formula: "y = u³",
    aliases: &["power", "u^3"],
    look: Look { body: Body::Rect, face: Face::Text("u³") },
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| b.output(0, b.input(0) * b.input(0) * b.input(0)),
    examples: &[Example {
        doc: "The cubes of the first numbers",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[0.0, 1.0, 2.0, -3.0]],
        outputs: &[&[0.0, 1.0, 8.0, -27.0]],
    }],
};

/// The XML after a line that a shell can run.
pub struct Script;

const SHEBANG: &[u8] = b"#!/usr/bin/env -S simulate run\n";

impl Loader for Script {
    fn name(&self) -> &'static str {
        "script"
    }

    fn title(&self) -> &'static str {
        "Simulation as a script"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["simsh"]
    }

    fn recognizes(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(SHEBANG)
    }

    fn read(&self, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
        let position = TextPosition { line: 1, column: 1 };
        let problem = || LoadError::Malformed { position, problem: "the first line runs no simulation".to_owned() };
        Simx.read(bytes.strip_prefix(SHEBANG).ok_or_else(problem)?, options)
    }

    fn write(&self, simulation: &Simulation) -> Result<Vec<u8>, SaveError> {
        Ok([SHEBANG, &Simx.write(simulation)?].concat())
    }
}

/// Runs each step separately on the reference engine and counts the steps.
pub struct Counting;

struct CountingRun {
    inner: Box<dyn Execute>,
    steps: u64,
}

impl Engine for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn doc(&self) -> &'static str {
        "The reference engine, a step a call"
    }

    fn prepare(&self, program: &Arc<Program>) -> Result<Box<dyn Execute>, Declined> {
        let declined = || Declined { engine: self.name(), reason: "there is no reference engine".to_owned() };
        let engines = Engines::standard();
        let inner = engines.get("simple").ok_or_else(declined)?.prepare(program)?;
        Ok(Box::new(CountingRun { inner, steps: 0 }))
    }
}

impl Execute for CountingRun {
    fn run(&mut self, context: &mut Context, count: u64, samples: &mut Samples) -> Result<(), RunError> {
        for _ in 0..count {
            self.inner.run(context, 1, samples)?;
            self.steps += 1;
            // A block ended the run in this step.
            if samples.end().is_some() {
                break;
            }
        }
        Ok(())
    }

    fn engine(&self) -> &'static str {
        "counting"
    }
}

/// The second-order method with the least error bound: Ralston, Math. Comp. 16 (1962), 431–437.
pub struct Ralston;

impl Method for Ralston {
    fn name(&self) -> &'static str {
        "ralston"
    }

    fn doc(&self) -> &'static str {
        "Ralston, order 2, two evaluations a step"
    }

    fn order(&self) -> u32 {
        2
    }

    fn step(&self, rates: Rates, time: f64, h: f64, x: &mut [f64]) -> Result<(), CallError> {
        let (mut first, mut second) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        rates(time, x, &mut first);
        let part = 2.0 / 3.0 * h;
        let between: Vec<f64> = x.iter().zip(&first).map(|(x, k)| x + part * k).collect();
        rates(time + part, &between, &mut second);
        for ((x, k1), k2) in x.iter_mut().zip(&first).zip(&second) {
            *x += h * (0.25 * k1 + 0.75 * k2);
        }
        Ok(())
    }
}

/// The components of Simulate with the four added.
///
/// # Errors
/// If a block of that name exists.
pub fn components() -> Result<Components, ComponentError> {
    let standard = Components::standard();
    Ok(standard.with_block(&CUBE)?.with_solver(&Ralston).with_format(Script).with_engine(Counting))
}
