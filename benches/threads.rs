//! Threads beside the other engines: where heavy parts stand beside each other, and where nothing is heavy.
//!
//! Medians of interleaved rounds, as ratios to `compiled`; all engines must give the same bits.

mod models;

use std::sync::Arc;
use std::time::{Duration, Instant};

use simulate::block::Registry;
use simulate::engine::{Context, Engine, Engines, Execute, Program, Samples, Threaded, compile};
use simulate::model::Simulation;

const ROUNDS: usize = 7;
const COMPARED: u64 = 300;
/// Each engine runs so long before it is timed: until machine code is there, and the faster way is found.
const WARM: Duration = Duration::from_millis(1500);
const ROUND: f64 = 0.15;

struct Run {
    execute: Box<dyn Execute>,
    context: Context,
    /// What nobody looks at no engine need make.
    samples: Samples,
}

impl Run {
    fn new(program: &Arc<Program>, engine: &dyn Engine) -> Run {
        let exits = program.exits().into_iter().map(|(_, _, output)| output);
        let (execute, context) = (engine.prepare(program).expect("it runs"), Context::new(program));
        Run { execute, context, samples: Samples::new(exits) }
    }

    /// Seconds a step.
    fn steps(&mut self, count: u64) -> f64 {
        let start = Instant::now();
        self.samples.clear();
        self.execute.run(&mut self.context, count, &mut self.samples).expect("the steps run");
        start.elapsed().as_secs_f64() / count as f64
    }

    /// About how many steps a round has.
    fn warm(&mut self) -> u64 {
        let start = Instant::now();
        let (mut count, mut cost) = (8, 0.0);
        while start.elapsed() < WARM {
            cost = self.steps(count);
            count = ((0.05 / cost) as u64).clamp(8, 1 << 22);
        }
        ((ROUND / cost) as u64).max(8)
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let cases: Vec<(String, Simulation)> = vec![
        ("8 solves of 24".into(), models::heavy::solves(8, 24)),
        ("8 solves of 30".into(), models::heavy::solves(8, 30)),
        ("8 chains of 12, 2000 lanes".into(), models::heavy::vectors(8, 2_000, 12)),
        ("1 chain of 12, 50000 lanes".into(), models::heavy::vectors(1, 50_000, 12)),
    ];
    let light = models::seven::all().into_iter().map(|bench| (bench.name.to_owned(), bench.simulation));
    let engines: Vec<(&str, Arc<dyn Engine>)> = ["simple", "flat", "compiled", "auto"]
        .into_iter()
        .map(|name| (name, Arc::clone(Engines::standard().get(name).expect("the engine"))))
        .chain([2, 3].map(|threads| {
            let engine: Arc<dyn Engine> = Arc::new(Threaded::limited(threads));
            (if threads == 2 { "2 threads" } else { "3 threads" }, engine)
        }))
        .collect();
    let names: Vec<String> = engines.iter().map(|(name, _)| format!("{name:>10}")).collect();
    println!("{:<28} {:>12} {}", "model", "compiled, us", names.join(" "));
    for (name, simulation) in cases.into_iter().chain(light) {
        let program = Arc::new(compile(&simulation, &Registry::standard()).expect("it compiles"));
        let mut runs: Vec<Run> = engines.iter().map(|(_, engine)| Run::new(&program, &**engine)).collect();
        let counts: Vec<u64> = runs.iter_mut().map(Run::warm).collect();
        // From the begin once more, each in the way that it has found to be fast.
        let bits = runs.iter_mut().map(|run| {
            let worn = std::mem::replace(&mut run.context, Context::new(&program));
            run.steps(COMPARED);
            let context = std::mem::replace(&mut run.context, worn);
            context.values.iter().map(|value| value.to_bits()).collect::<Vec<_>>()
        });
        let all: Vec<Vec<u64>> = bits.collect();
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{name}: the same bits");
        let mut times = vec![Vec::new(); runs.len()];
        for _ in 0..ROUNDS {
            for ((run, times), count) in runs.iter_mut().zip(&mut times).zip(&counts) {
                times.push(run.steps(*count));
            }
        }
        let medians: Vec<f64> = times.into_iter().map(median).collect();
        let shown: Vec<String> = medians.iter().map(|time| format!("{:>10.2}", time / medians[2])).collect();
        println!("{name:<28} {:>12.2} {}", medians[2] * 1e6, shown.join(" "));
    }
}
