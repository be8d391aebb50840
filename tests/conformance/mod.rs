//! The public conformance tests, run on the engines and blocks of the program, and on an engine with an error.

use std::sync::Arc;

use simulate::block::{BlockDef, Example, Face, Look, Ports, Registry};
use simulate::conformance;
use simulate::engine::{Context, Declined, Engine, Engines, Execute, Program, RunError, Samples, TierUp};

#[test]
fn every_engine_conforms() {
    let engines = Engines::with(TierUp::Wait);
    for engine in engines.iter() {
        assert_eq!(conformance::engine(engine.name(), &engines, &Registry::standard()), [""; 0]);
    }
}

/// The engine `compiled`, with the assertion that machine code ran.
struct Sworn;

struct SwornRun(Box<dyn Execute>);

impl Engine for Sworn {
    fn name(&self) -> &'static str {
        "compiled"
    }

    fn doc(&self) -> &'static str {
        "Nothing but machine code"
    }

    fn prepare(&self, program: &Arc<Program>) -> Result<Box<dyn Execute>, Declined> {
        let inner = Engines::with(TierUp::Wait).get("compiled").expect("the engine").prepare(program)?;
        Ok(Box::new(SwornRun(inner)))
    }
}

impl Execute for SwornRun {
    fn run(&mut self, context: &mut Context, count: u64, samples: &mut Samples) -> Result<(), RunError> {
        self.0.run(context, count, samples)?;
        assert!(count < 2 || self.0.runs_machine_code(), "machine code was made");
        Ok(())
    }

    fn engine(&self) -> &'static str {
        self.0.engine()
    }
}

#[test]
fn every_block_conforms() {
    let (registry, mut engines) = (Registry::standard(), Engines::with(TierUp::Wait));
    engines.add(Arc::new(Sworn));
    // The other engines delegate to these, or run the first on several threads.
    engines.keep(&["compiled", "flat", "simple"]);
    for def in registry.iter() {
        assert_eq!(conformance::block(def, &registry, &engines), [""; 0]);
    }
}

/// An engine that changes the last bit of a value now and then.
struct Careless;

struct CarelessRun(Box<dyn Execute>);

impl Engine for Careless {
    fn name(&self) -> &'static str {
        "careless"
    }

    fn doc(&self) -> &'static str {
        "Wrong in the last bit"
    }

    fn prepare(&self, program: &Arc<Program>) -> Result<Box<dyn Execute>, Declined> {
        let inner = Engines::with(TierUp::Wait).get("simple").expect("the engine").prepare(program)?;
        Ok(Box::new(CarelessRun(inner)))
    }
}

impl Execute for CarelessRun {
    fn run(&mut self, context: &mut Context, count: u64, samples: &mut Samples) -> Result<(), RunError> {
        self.0.run(context, count, samples)?;
        if let Some(value) = context.continuous.first_mut().filter(|value| value.is_normal()) {
            *value = f64::from_bits(value.to_bits() ^ 1);
        }
        Ok(())
    }

    fn engine(&self) -> &'static str {
        "careless"
    }
}

#[test]
fn an_engine_that_is_wrong_in_the_last_bit_is_found() {
    let mut engines = Engines::with(TierUp::Wait);
    engines.add(Arc::new(Careless));
    let breaches = conformance::engine("careless", &engines, &Registry::standard());
    assert!(breaches.iter().any(|breach| breach.starts_with("careless: dc_motor: other values")), "{breaches:?}");
}

/// The distance from 1, whose kink at 1 a solver of variable step does not hear of.
const SILENT: BlockDef = BlockDef {
    group: "Foreign",
    name: "Distance",
    doc: "Returns the distance of the input from 1",
    formula: "y = |u − 1|",
    aliases: &[],
    look: Look::rect(Face::Text("|u−1|")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| b.output(0, (b.input(0) - 1.0).abs()),
    examples: &[Example {
        doc: "Distances",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[0.0, 3.0]],
        outputs: &[&[1.0, 2.0]],
    }],
};

static ASKED: BlockDef = SILENT;

static TOLD: BlockDef = BlockDef {
    build: |b| {
        let above = b.input(0) - 1.0;
        b.crossing(above);
        b.output(0, above.abs());
    },
    ..SILENT
};

static LEFT: BlockDef = BlockDef {
    build: |b| {
        b.leaves_unlocated();
        b.output(0, (b.input(0) - 1.0).abs());
    },
    ..SILENT
};

#[test]
fn a_block_is_asked_for_its_zero_crossings() {
    let mut engines = Engines::with(TierUp::Wait);
    engines.keep(&["compiled", "simple"]);
    let breaches = |def: &'static BlockDef| {
        let mut registry = Registry::clone(&Registry::standard());
        registry.add(def).expect("a new block");
        conformance::block(def, &registry, &engines)
    };
    let asked = breaches(&ASKED);
    assert!(matches!(&asked[..], [one] if one.contains("a solver of variable step is not told where")), "{asked:?}");
    assert_eq!(breaches(&TOLD), [""; 0]);
    assert_eq!(breaches(&LEFT), [""; 0]);
}
