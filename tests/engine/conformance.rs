//! The suite that strangers run, on the engines and blocks that the program brings with it, and on an engine that is
//! wrong.

use std::sync::Arc;

use simulate::block::Registry;
use simulate::conformance;
use simulate::engine::{Context, Declined, Engine, Engines, Execute, Program, RunError, Samples};

#[test]
fn every_engine_conforms() {
    let engines = Engines::standard();
    for engine in engines.iter() {
        assert_eq!(conformance::engine(engine.name(), &engines, &Registry::standard()), [""; 0]);
    }
}

#[test]
fn every_block_conforms() {
    let (registry, engines) = (Registry::standard(), Engines::standard());
    for def in registry.iter() {
        assert_eq!(conformance::block(def, &registry, &engines), [""; 0]);
    }
}

/// Rounds the last bit of a value away now and then.
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
        let inner = Engines::standard().get("simple").expect("the engine").prepare(program)?;
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
    let mut engines = Engines::standard();
    engines.add(Arc::new(Careless));
    let breaches = conformance::engine("careless", &engines, &Registry::standard());
    assert!(breaches.iter().any(|breach| breach.starts_with("careless: dc_motor: other values")), "{breaches:?}");
}
