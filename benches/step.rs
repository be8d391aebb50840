//! What a step costs: every engine on the seven models, beside the same arithmetic by hand.
//!
//! Before anything is timed each engine's outputs are compared with the hand loop's, bit for bit. The table has medians
//! of interleaved rounds.

mod hand;
mod models;

use std::sync::Arc;
use std::time::Instant;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use simulate::block::{Registry, Unary, math};
use simulate::engine::{Context, Engines, Execute, Program, Samples, compile};
use simulate::model::Simulation;

const ENGINES: [&str; 3] = ["simple", "flat", "compiled"];
const ROUNDS: usize = 9;

struct Run {
    execute: Box<dyn Execute>,
    context: Context,
    samples: Samples,
}

impl Run {
    fn new(program: &Arc<Program>, engine: &str, is_noted: bool) -> Run {
        let execute = Engines::standard().get(engine).expect("the engine").prepare(program).expect("it runs");
        let exits = program.exits().into_iter().map(|(_, _, output)| output).filter(|_| is_noted);
        Run { execute, context: Context::new(program), samples: Samples::new(exits) }
    }

    fn steps(&mut self, count: u64) {
        self.samples.clear();
        self.execute.run(&mut self.context, count, &mut self.samples).expect("the steps run");
    }
}

fn program(simulation: &Simulation) -> Arc<Program> {
    Arc::new(compile(simulation, &Registry::standard()).expect("it compiles"))
}

/// The first steps of an engine are those of the hand loop.
fn compare(bench: &models::seven::Bench, program: &Arc<Program>, hand: &mut hand::Hand, engine: &str) {
    let mut log = vec![0.0; 12_000];
    hand(0, &mut log);
    let mut run = Run::new(program, engine, true);
    let width = run.samples.watches().first().map_or(1, |watch| program.outputs[watch.output].width as usize);
    for (count, part) in [(5, 0..5), (log.len() as u64 - 5, 5..log.len())] {
        run.steps(count);
        let got = run.samples.watches()[0].values.iter().step_by(width).map(|value| value.to_bits());
        let want = log[part].iter().map(|value| value.to_bits());
        assert!(got.eq(want), "{}: {engine} gives the bits of the hand loop", bench.name);
    }
}

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Ratios to the hand loop.
fn table(_: &mut Criterion) {
    println!("{:<10} {:>10} | {}", "model", "hand, ns", ENGINES.map(|engine| format!("{engine:>10}")).join(" "));
    let mut products = [0.0; ENGINES.len()];
    let benches = models::seven::all();
    for (number, bench) in benches.iter().enumerate() {
        let program = program(&bench.simulation);
        for engine in ENGINES {
            compare(bench, &program, &mut hand::all(|x| math::unary(Unary::Sin, x))[number], engine);
        }
        let mut hand = hand::all(libm::sin).remove(number);
        let mut runs = ENGINES.map(|engine| Run::new(&program, engine, bench.is_noted));
        let steps = 1 + (3e6 / (program.units.len() + program.value_count) as f64) as u64;
        let mut log = vec![0.0; steps as usize];
        let mut times = vec![Vec::new(); 1 + ENGINES.len()];
        for round in 0..=ROUNDS as u64 {
            let hand_time = seconds(|| hand(round * steps, &mut log));
            let engine_times = runs.each_mut().map(|run| {
                // The reference engine is not asked for as much.
                let part = if run.execute.engine() == "simple" { steps / 20 + 1 } else { steps };
                seconds(|| run.steps(part)) * steps as f64 / part as f64
            });
            // The first round is for warming up.
            if round > 0 {
                times
                    .iter_mut()
                    .zip([hand_time].into_iter().chain(engine_times))
                    .for_each(|(all, time)| all.push(time));
            }
        }
        let medians: Vec<f64> = times.into_iter().map(median).collect();
        let ratios: Vec<f64> = medians[1..].iter().map(|time| time / medians[0]).collect();
        products.iter_mut().zip(&ratios).for_each(|(sum, ratio)| *sum += ratio.ln());
        let shown: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:>10.2}")).collect();
        println!("{:<10} {:>10.1} | {}", bench.name, medians[0] / steps as f64 * 1e9, shown.join(" "));
    }
    let means = products.map(|sum| format!("{:>10.2}", (sum / benches.len() as f64).exp()));
    println!("{:<10} {:>10} | {}", "mean", "", means.join(" "));
}

/// From a program to the end of its first steps, machine code made on the way.
fn ready(_: &mut Criterion) {
    use models::seven::{chain, nested, wide};
    println!("{:<24} {:>8} {:>14} {:>16}", "model", "blocks", "schedule, ms", "machine code, ms");
    for (name, simulation) in [
        ("1,000 gains in a row", chain(1000)),
        ("10,000 gains in a row", chain(10_000)),
        ("1,000 branches", wide(1000)),
        ("33,000 branches", wide(33_000)),
        ("100 uses", nested(100)),
        ("3,300 uses", nested(3300)),
    ] {
        let program = program(&simulation);
        let engine = Engines::standard();
        let engine = engine.get("compiled").expect("the engine");
        let mut execute = None;
        let prepared = seconds(|| execute = Some(engine.prepare(&program).expect("it runs")));
        let mut context = Context::new(&program);
        let mut execute = execute.expect("prepared");
        // So many that machine code is made in the first call, and is there in the second.
        let count = 1 + 40_000 / program.units.len() as u64;
        let [first, second] =
            [(); 2].map(|()| seconds(|| execute.run(&mut context, count, &mut Samples::default()).expect("it runs")));
        println!(
            "{name:<24} {:>8} {:>14.2} {:>16.2}  {}",
            program.units.len(),
            prepared * 1e3,
            (first - second) * 1e3,
            execute.engine()
        );
    }
}

/// What it costs that a model is conditional: off, on, and beside the same blocks in every step.
fn parts(_: &mut Criterion) {
    println!("{:<24} {:>12} {:>12} {:>12}", "enabled chain, ns a step", "always", "on", "off");
    for length in [10, 100] {
        for engine in ENGINES {
            let mut runs = [None, Some(1.0), Some(0.0)]
                .map(|on| Run::new(&program(&models::seven::enabled(length, on)), engine, true));
            let steps = 400_000 / length as u64 / if engine == "simple" { 20 } else { 1 };
            let mut times = [(); 3].map(|()| Vec::new());
            for _ in 0..=ROUNDS {
                for (run, times) in runs.iter_mut().zip(&mut times) {
                    times.push(seconds(|| run.steps(steps)));
                }
            }
            let shown = times.map(|times| format!("{:>12.1}", median(times) / steps as f64 * 1e9));
            println!("{:<24} {}", format!("{engine}, {length}"), shown.join(" "));
        }
    }
}

fn steps(c: &mut Criterion) {
    for bench in models::seven::all() {
        let program = program(&bench.simulation);
        let mut group = c.benchmark_group(bench.name);
        group.throughput(Throughput::Elements(1000));
        for engine in ENGINES {
            let mut run = Run::new(&program, engine, bench.is_noted);
            group.bench_function(engine, |b| b.iter(|| run.steps(1000)));
        }
    }
}

criterion_group! { name = tables; config = Criterion::default(); targets = table, ready, parts }
criterion_group! { name = benches; config = Criterion::default().sample_size(10); targets = steps }
criterion_main!(tables, benches);
