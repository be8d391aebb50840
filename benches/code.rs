//! What code in blocks costs: a hundred controllers written as code beside the same ones drawn from blocks, and the
//! compilation of a function of twenty lines.

#[path = "models/seven.rs"]
#[allow(dead_code, reason = "the other benchmarks use more of it")]
mod models;

use std::sync::Arc;
use std::time::Instant;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use models::{Draft, simulation};
use simulate::block::{BuildContext, Kernel, Registry, Setting, Settings, SignalType};
use simulate::engine::{Context, Engines, Program, Samples, compile};
use simulate::model::Simulation;

const CONTROLLERS: usize = 100;
const STEPS: u64 = 20_000;

const PID: &str = "function u = pid(e)
  persistent integral filter
  if isempty(integral)
    integral = 0;
    filter = 0;
  end
  n = 100 * (2 * e - filter);
  u = max(-10, min(10, 8 * e + integral + n));
  integral = integral + 0.003 * e;
  filter = filter + 0.001 * n;
end";

/// Statements of all kinds.
const TWENTY_LINES: &str = "function [y, mode] = supervise(u, limit)
  persistent count last
  if isempty(count)
    count = 0;
    last = zeros(3, 1);
  end
  change = u - last;
  rate = norm(change) / dt;
  mode = 0;
  for k = 1:3
    if abs(u(k)) > limit
      mode = k;
      break
    end
  end
  if mode > 0 || rate > 5 * limit
    count = count + 1;
  else
    count = max(0, count - 1);
  end
  y = max(-limit, min(limit, u)) * exp(-count / 10);
  last = u;
end";

/// Controllers, each for an error of its own.
fn controllers(draw: impl Fn(&mut Draft, u64) -> (u64, &'static str)) -> Arc<Program> {
    let mut draft = Draft::new("Main");
    let wave = draft.library("Var/Sine", &[("Frequency", "3")]);
    for number in 0..CONTROLLERS {
        let error = draft.gain(0.01 * (number + 1) as f64, wave);
        let (from, output) = draw(&mut draft, error);
        draft.exit_of(from, output);
    }
    let simulation: Simulation = simulation("euler", draft, Vec::new());
    Arc::new(compile(&simulation, &Registry::standard()).expect("it compiles"))
}

fn of_code(draft: &mut Draft, error: u64) -> (u64, &'static str) {
    let function = draft.library("User/Function", &[("Code", PID)]);
    draft.wire(error, "Output", function, "e");
    (function, "u")
}

fn of_blocks(draft: &mut Draft, error: u64) -> (u64, &'static str) {
    let [integral, filter] = [(); 2].map(|()| draft.library("Discrete/Unit Delay", &[]));
    let twice = draft.gain(2.0, error);
    let difference = draft.sum("+-", &[twice, filter]);
    let n = draft.gain(100.0, difference);
    let p = draft.gain(8.0, error);
    let sum = draft.sum("+++", &[p, integral, n]);
    let u = draft.library("Nonlinear/Saturate", &[("Lower Limit", "-10"), ("Upper Limit", "10")]);
    draft.wire(sum, "Output", u, "Input");
    for (state, rate, factor) in [(integral, error, 0.003), (filter, n, 0.001)] {
        let part = draft.gain(factor, rate);
        let next = draft.sum("++", &[state, part]);
        draft.wire(next, "Output", state, "Input");
    }
    (u, "Output")
}

/// Runs a program and returns the time, and the bits of all exits at the end.
fn run(program: &Arc<Program>) -> (f64, Vec<u64>) {
    let engine = Engines::standard();
    let mut execute = engine.get("compiled").expect("the engine").prepare(program).expect("it runs");
    let (mut context, mut samples) = (Context::new(program), Samples::default());
    execute.run(&mut context, 1000, &mut samples).expect("the steps run");
    let start = Instant::now();
    execute.run(&mut context, STEPS, &mut samples).expect("the steps run");
    let time = start.elapsed().as_secs_f64();
    let exits = program.exits();
    let bits =
        exits.iter().flat_map(|(_, _, output)| context.output(program, *output).iter().map(|value| value.to_bits()));
    (time, bits.collect())
}

fn measure(criterion: &mut Criterion) {
    let (code, blocks) = (controllers(of_code), controllers(of_blocks));
    assert_eq!(run(&code).1, run(&blocks).1, "both give the same bits");
    let mut ratios: Vec<f64> = (0..9).map(|_| run(&code).0 / run(&blocks).0).collect();
    ratios.sort_by(f64::total_cmp);
    println!("time of {CONTROLLERS} controllers of code over those of blocks: {:.2}", ratios[ratios.len() / 2]);
    let mut group = criterion.benchmark_group("controllers");
    group.throughput(Throughput::Elements(STEPS * CONTROLLERS as u64)).sample_size(10);
    group.bench_function("code", |bench| bench.iter(|| run(&code)));
    group.bench_function("blocks", |bench| bench.iter(|| run(&blocks)));
    group.finish();

    let def = Registry::standard().get("User", "Function").expect("the block");
    let code = Setting::Code(Arc::new(simulate::block::CodeSetting::new(TWENTY_LINES)));
    let settings = Settings::defaults(def).with("Code", code);
    let inputs = [SignalType::plain(3), SignalType::plain(1)];
    criterion.bench_function("a function of 20 lines", |bench| {
        bench.iter(|| Kernel::build_with(def, &settings, &inputs, BuildContext::new(0.01), &simulate::block::NoFiles));
    });
}

criterion_group!(benches, measure);
criterion_main!(benches);
