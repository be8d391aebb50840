//! What the derivatives by some parameters cost beside the run itself, and beside the runs that differences need.

#[path = "clock.rs"]
mod clock;

use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::{Context, Engine, Engines, Program, Samples, Sensitivity, SensitivityParam, TierUp, compile};
use simulate::format::{Formats, LoadOptions};
use simulate::model::{BlockAddress, BlockId, ParamAddress};

const STEPS: u64 = 200_000;
/// The least of this many times counts.
const TRIALS: usize = 5;
/// The stiffness of the springs of a mass, and the number of masses.
const STIFFNESS: u64 = 4;
const MASSES: u64 = 10;

fn main() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/examples/mass_spring_chain.simx");
    let loaded =
        Formats::standard().open(std::path::Path::new(path), &LoadOptions::default()).expect("the example loads");
    let program = Arc::new(compile(&loaded.simulation, &Registry::standard()).expect("the example compiles"));
    let watched: Vec<_> = program.exits().into_iter().map(|(_, _, output)| output).collect();
    let engines = Engines::standard();
    let plain = seconds(&program, &**engines.get("compiled").expect("the engine"));
    println!("parameters   times a run   differences need");
    for count in 1..=MASSES {
        let params: Vec<SensitivityParam> = (1..=count).map(stiffness).collect();
        let sensitivity = Sensitivity::new(&program, &params, &watched).expect("there are derivatives");
        let with = seconds(sensitivity.program(), &*sensitivity.engine(TierUp::Wait));
        println!("{count:>10}   {:>11.2}   {:>16}", with / plain, count + 1);
    }
}

/// The stiffness of a mass's springs.
fn stiffness(mass: u64) -> SensitivityParam {
    let block = BlockAddress { path: vec![BlockId(mass.into())], block: BlockId(STIFFNESS.into()) };
    SensitivityParam { param: ParamAddress { block, name: "Gain".to_owned() }, element: 0 }
}

/// The processor time of a run.
fn seconds(program: &Arc<Program>, engine: &dyn Engine) -> f64 {
    let time = || {
        let mut context = Context::new(program);
        let mut execute = engine.prepare(program).expect("the engine runs it");
        // The code is compiled before the time starts.
        execute.run(&mut context, 10, &mut Samples::default()).expect("the steps run");
        let start = clock::processor_time();
        execute.run(&mut context, STEPS, &mut Samples::default()).expect("the steps run");
        (clock::processor_time() - start).as_secs_f64()
    };
    (0..TRIALS).map(|_| time()).fold(f64::INFINITY, f64::min)
}
