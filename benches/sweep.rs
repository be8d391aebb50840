//! A thousand runs of the motor example with different values, against one run after the other divided by the processors.
//!
//! Prints seconds of both and their ratio; 1.2 is the aim.

use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::time::Instant;

use simulate::block::Registry;
use simulate::engine::{Context, Engines, Samples, Sweep, SweepFlow, SweepRun, compile};
use simulate::format::{Formats, LoadOptions};
use simulate::model::{BlockId, ParamAddress};

const RUNS: u64 = 1000;

fn main() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/examples/dc_motor.simx");
    let loaded =
        Formats::standard().open(std::path::Path::new(path), &LoadOptions::default()).expect("the example loads");
    let simulation = loaded.simulation;
    let program = Arc::new(compile(&simulation, &Registry::standard()).expect("the example compiles"));
    let engines = Engines::standard();
    let engine = engines.get(Engines::DEFAULT).expect("the engine");
    let watch: Vec<_> = program.exits().into_iter().map(|(_, key, _)| key).collect();
    let workers = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    // Something of the model that may differ from run to run: the first parameter of a single lane there is.
    let (block, name) = first_param(&program, &simulation);
    let ready = |run: u64| {
        let mut context = Context::new(&program);
        let factor = 0.5 + run as f64 / RUNS as f64;
        let set = context.set_param(&program, &ParamAddress::new(&[], block, &name), &[factor]);
        set.expect("the parameter can be set");
        context.reset(&program);
        Ok(SweepRun { program: Arc::clone(&program), context })
    };
    // One after the other, on one processor, with the same work for each.
    let mut execute = engine.prepare(&program).expect("the engine runs it");
    let mut samples = Samples::new(watch.iter().filter_map(|key| program.output_of(key)));
    let start = Instant::now();
    for run in 0..RUNS {
        let SweepRun { mut context, .. } = ready(run).expect("the parameter can be set");
        while context.step < simulation.steps {
            let count = (simulation.steps - context.step).min(4096);
            execute.run(&mut context, count, &mut samples).expect("the steps run");
            samples.clear();
        }
    }
    let alone = start.elapsed().as_secs_f64();
    let sweep = Sweep {
        engine: Arc::clone(engine),
        steps: simulation.steps,
        watch,
        every: NonZeroU64::new((simulation.steps / 400).max(1)),
        workers,
        steps_together: Sweep::STEPS_TOGETHER,
    };
    let runs: Vec<u64> = (0..RUNS).collect();
    let start = Instant::now();
    let mut count = 0;
    sweep.run(&runs, &ready, |curve| {
        assert_eq!(curve.failure, None);
        count += 1;
        SweepFlow::Continue
    });
    let together = start.elapsed().as_secs_f64();
    assert_eq!(count, RUNS);
    let ideal = alone / workers.get() as f64;
    println!("{RUNS} runs of {} steps, {workers} processors", simulation.steps);
    println!(
        "one after the other {alone:.3} s, ideal {ideal:.3} s, sweep {together:.3} s: {:.2} times",
        together / ideal
    );
}

fn first_param(program: &simulate::engine::Program, simulation: &simulate::model::Simulation) -> (BlockId, String) {
    let registry = Registry::standard();
    let root = simulation.root_model().expect("a root model");
    let library = root.blocks.values().filter_map(|block| match &block.kind {
        simulate::model::BlockKind::Library { group, name } => Some((block.id, registry.get(group, name)?)),
        _ => None,
    });
    let params = library.flat_map(|(id, def)| def.params.iter().map(move |param| (id, param.name)));
    let can_change = |(id, name): &(BlockId, &str)| program.param_ranges(&ParamAddress::new(&[], *id, name), 1).is_ok();
    let found = params.into_iter().find(can_change);
    found.map(|(id, name)| (id, name.to_owned())).expect("a parameter that may change")
}
