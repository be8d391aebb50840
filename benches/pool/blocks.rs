//! Model blocks in workers beside the same model here: independent blocks with long vectors, which run at the same time.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use simulate::block::Registry;
use simulate::engine::{
    Context, Engine, Engines, Event, Execute, Program, Remote, Runner, Samples, Speed, Start, compile,
};
use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader};
use simulate::model::{SignalKey, Simulation};
use simulate::pool::{PoolOptions, PoolWorkers};

use crate::Bench;

/// How long a run is before it is timed: until there is machine code on both sides.
const WARM: Duration = Duration::from_secs(3);
const ROUNDS: usize = 5;
/// The time of a round, in seconds.
const ROUND: f64 = 2.0;

/// Equal model blocks that read one sine and give one number each; between them are `functions` functions of a vector.
fn model(blocks: usize, width: usize, functions: usize) -> String {
    let chain = ["cos", "sinh", "tanh", "sin"];
    let mut child = format!(
        "<model name=\"Heavy\"><entry id=\"0\" name=\"u\"/><exit id=\"1\" name=\"y\"/>\
         <block id=\"2\" group=\"Var\" name=\"Static\"><option name=\"Value\"><value>linspace(0, 1, {width})</value></option>\
         </block><block id=\"3\" group=\"Math\" name=\"Sum\"/>\
         <connection from=\"0\" output=\"Output\" to=\"3\" input=\"Input 1\"/>\
         <connection from=\"2\" output=\"Output\" to=\"3\" input=\"Input 2\"/>"
    );
    for number in 0..functions {
        let (id, name) = (4 + number, chain[number % chain.len()]);
        let _ = write!(
            child,
            "<block id=\"{id}\" group=\"Math\" name=\"Trigonometry\"><option name=\"Function\"><value>{name}</value></option>\
             </block><connection from=\"{}\" output=\"Output\" to=\"{id}\" input=\"Input\"/>",
            id - 1
        );
    }
    let last = 3 + functions;
    let _ = write!(
        child,
        "<block id=\"{total}\" group=\"Math\" name=\"Sum\"><option name=\"Signs\"><value>+</value></option></block>\
         <connection from=\"{last}\" output=\"Output\" to=\"{total}\" input=\"Input 1\"/>\
         <connection from=\"{total}\" output=\"Output\" to=\"1\" input=\"Input\"/></model>",
        total = last + 1
    );
    let mut main = String::from("<model name=\"M\"><block id=\"0\" group=\"Var\" name=\"Sine\"/>");
    for id in 1..=blocks {
        let exit = id + blocks;
        let _ = write!(
            main,
            "<model id=\"{id}\" model=\"Heavy\" on=\"pool\"/><exit id=\"{exit}\" name=\"y{id}\"/>\
             <connection from=\"0\" output=\"Output\" to=\"{id}\" input=\"u\"/>\
             <connection from=\"{id}\" output=\"y\" to=\"{exit}\" input=\"Input\"/>"
        );
    }
    format!("<simulation steps=\"0\" delta=\"0.01\" root=\"M\">{main}</model>{child}</simulation>")
}

struct Run {
    execute: Box<dyn Execute>,
    context: Context,
    samples: Samples,
}

impl Run {
    fn new(program: &Arc<Program>, engine: &dyn Engine) -> Run {
        let execute = engine.prepare(program).expect("it runs");
        let exits = program.exits().into_iter().map(|(_, _, output)| output);
        Run { execute, context: Context::new(program), samples: Samples::new(exits) }
    }

    /// Runs until `end`, and returns the seconds that a step took.
    fn until(&mut self, end: u64) -> f64 {
        let (begin, count) = (Instant::now(), end - self.context.step);
        self.samples.clear();
        self.execute.run(&mut self.context, count, &mut self.samples).expect("the steps run");
        begin.elapsed().as_secs_f64() / count.max(1) as f64
    }

    /// Runs for some time, and returns the seconds that a step took at last.
    fn warm(&mut self) -> f64 {
        let (begin, mut each) = (Instant::now(), 0.01);
        while begin.elapsed() < WARM {
            each = self.until(self.context.step + ((0.1 / each) as u64).max(4));
        }
        each
    }

    fn bits(&self) -> Vec<u64> {
        self.context.values.iter().map(|value| value.to_bits()).collect()
    }
}

/// The seconds that a step takes as the window runs it, in short calls between which it handles requests.
fn in_window(simulation: &Arc<Simulation>, registry: &Arc<Registry>, engine: &Arc<dyn Engine>, count: u64) -> f64 {
    let model = simulation.model(&simulation.root).expect("the root");
    let watch: Vec<SignalKey> = model
        .blocks
        .keys()
        .filter(|id| model.block(**id).is_some_and(|block| block.pool().is_some()))
        .map(|id| SignalKey::new(&[], *id, "y"))
        .collect();
    let whole = |steps: u64| {
        let mut runner = Runner::new(|| {});
        runner.start(Start {
            simulation: Arc::clone(simulation),
            registry: Arc::clone(registry),
            engine: Arc::clone(engine),
            steps: Some(steps),
            watch: watch.clone(),
            speed: Speed::Fastest,
            is_paused: false,
            refuses_non_finite: false,
        });
        let begin = Instant::now();
        while !matches!(runner.wait(Duration::from_secs(60)), Some(Event::Finished { .. })) {}
        begin.elapsed().as_secs_f64()
    };
    // Without what a run takes to begin.
    let short = whole(count);
    (whole(3 * count) - short) / (2 * count) as f64
}

/// Prints what model blocks on `workers` cost, and how long the same steps take here.
pub fn measure(bench: &Bench, workers: usize) {
    let components = crate::components();
    println!("\nindependent model blocks, medians of {ROUNDS} rounds; here one thread, there {workers} workers:");
    println!(
        "blocks elements functions |  here, ms  there, ms    ratio | exchanges bytes  reach, ms compute, ms | in the window, ms"
    );
    for (blocks, width, functions) in
        [(2, 20_000, 4), (2, 20_000, 16), (4, 20_000, 16), (2, 2_000, 16), (2, 200, 16), (2, 1, 16)]
    {
        let file = model(blocks, width, functions);
        let simulation = Simx.read(file.as_bytes(), &LoadOptions::default()).expect("it is well formed").simulation;
        let simulation = Arc::new(simulation);
        let program = Arc::new(compile(&simulation, &components.registry).expect("it compiles"));
        let options = PoolOptions { servers: bench.address.clone(), ..PoolOptions::default() };
        let pools = BTreeMap::from([("pool".to_owned(), options)]);
        let pool = PoolWorkers::new(pools, Arc::clone(&components.formats), Duration::from_secs(10));
        let engines = components.engines.with_remote(Arc::new(Remote::new(Arc::new(pool))));
        let engine = engines.get(Engines::DEFAULT).expect("an engine");
        let mut there = Run::new(&program, &**engine);
        let mut here = Run::new(&program, &**components.engines.get("compiled").expect("an engine"));
        let (each_there, each_here) = (there.warm(), here.warm());
        // Small steps take a thousand times as long there: what is compiled here begins again, up to the same step.
        let first = there.context.step;
        here.context = Context::new(&program);
        here.until(first);
        let count = ((ROUND / each_there.max(each_here)) as u64).max(10);
        let costs = |run: &Run| {
            let costs = run.execute.remote_costs();
            let sum = |of: &dyn Fn(&simulate::engine::RemoteCost) -> f64| costs.iter().map(of).sum::<f64>();
            let (waited, computed) = (sum(&|cost| cost.waited), sum(&|cost| cost.computed));
            [sum(&|cost| cost.exchanges as f64), sum(&|cost| cost.bytes as f64), waited - computed, computed]
        };
        let before = costs(&there);
        let (mut times_there, mut times_here) = (Vec::new(), Vec::new());
        for round in 1..=ROUNDS as u64 {
            times_there.push(there.until(first + round * count));
            times_here.push(here.until(first + round * count));
            assert_eq!(there.bits(), here.bits(), "the same bits");
        }
        let median = |mut times: Vec<f64>| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2] * 1e3
        };
        let (there_ms, here_ms) = (median(times_there), median(times_here));
        let all = (count * ROUNDS as u64 * blocks as u64) as f64;
        let after = costs(&there);
        let [exchanges, bytes, reach, compute] = std::array::from_fn(|at| (after[at] - before[at]) / all);
        drop((there, here));
        let window_ms = in_window(&simulation, &components.registry, engine, count) * 1e3;
        println!(
            "{blocks:>6} {width:>8} {functions:>9} | {here_ms:>9.3} {there_ms:>10.3} {:>8.2} | {exchanges:>9.2} {bytes:>5.0} {:>10.3} {:>11.3} | {window_ms:>17.3}",
            here_ms / there_ms,
            reach * 1e3,
            compute * 1e3
        );
    }
}
