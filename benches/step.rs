//! What a step costs: every engine on the seven models, beside the same arithmetic by hand.
//!
//! Before anything is timed each engine's outputs are compared with the hand loop's, bit for bit. The table has medians
//! of interleaved rounds.

mod hand;
mod models;

use std::sync::Arc;
use std::time::Instant;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use simulate::block::{Registry, Unary};
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

/// Waits until no machine code is being made.
fn settle() {
    let is_making = || {
        let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        let mut names = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("comm")).ok());
        names.any(|name| name.trim() == "machine code")
    };
    while is_making() {
        std::thread::sleep(std::time::Duration::from_micros(50));
    }
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
            compare(bench, &program, &mut hand::all(|x| Unary::Sin.value(x))[number], engine);
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
            settle();
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

/// What a step costs for each block, as models grow.
fn growth(_: &mut Criterion) {
    println!("{:<24} {:>14} {:>14} {:>14}", "model", "blocks", "flat, ns", "compiled, ns");
    for length in [1_000, 10_000, 100_000, 1_000_000] {
        for (name, simulation) in models::sizes(length) {
            let program = program(&simulation);
            let blocks = program.units.len() as f64;
            let count = 2 + (4e6 / blocks) as u64;
            let costs = ["flat", "compiled"].map(|engine| {
                let mut run = Run::new(&program, engine, true);
                run.steps(count);
                settle();
                let times = (0..3).map(|_| seconds(|| run.steps(count))).collect();
                median(times) / (count as f64 * blocks) * 1e9
            });
            println!("{name:<24} {blocks:>14} {:>14.2} {:>14.2}", costs[0], costs[1]);
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

criterion_group! { name = tables; config = Criterion::default(); targets = table, parts, growth }
criterion_group! { name = benches; config = Criterion::default().sample_size(10); targets = steps }
criterion_main!(tables, benches);
