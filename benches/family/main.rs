//! What a step costs on models that nobody tuned for: kinds of models, each with as many seeds as wanted, beside the
//! same model as the C function that an engineer would write.
//!
//! `cargo bench --bench family -- [--seeds N] [--first SEED] [--each] [KIND…]`, `--exported` for exported C instead of
//! machine code (`--single` in single precision, with gcc), `--seven`, or `--ensembles [--steps N]`. The C is compiled
//! with the compiler of the system (`-O3 -ffp-contract=off`). Bits are compared before anything is timed; times are those
//! of the processor, in turns with the C, the least of some rounds, since other programs only ever add to them. The last
//! value of each model is summed up in a state, so that nothing has to be watched and yet every value that reaches the end
//! is needed.
//!
//! Machine code is as fast in a debug build (`cargo build --bench family`), except where it calls functions such as the
//! sine, or the interpreter.

#[path = "../models/mod.rs"]
mod models;

mod ensembles;
mod exported;
mod kinds;
mod sketch;
mod yardstick;

use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::{Context, Engines, Execute, Program, Samples, TierUp, compile};
use simulate::export::c::Precision;

use kinds::{KINDS, Kind};
use sketch::Sketch;
use yardstick::{Yardstick, processor_seconds};

/// The steps whose bits are compared.
const COMPARED: usize = 3000;
/// Rounds of which the fastest counts.
const ROUNDS: usize = 9;
/// Processor time of a round in seconds.
const ROUND: f64 = 2e-3;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let number = |name: &str, default: u64| {
        let at = args.iter().position(|arg| arg == name);
        at.and_then(|at| args.get(at + 1)).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (seeds, first) = (number("--seeds", 5), number("--first", 1));
    let is_wanted = |kind: &&Kind| {
        let mut names = args.iter().filter(|arg| KINDS.iter().any(|kind| kind.name == **arg)).peekable();
        names.peek().is_none() || names.any(|name| name == kind.name)
    };
    println!(
        "{:<10} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} | {:>10} {:>10}",
        "kind", "mean", "least", "25 %", "median", "75 %", "worst", "C, ns", "ours, ns"
    );
    if args.iter().any(|arg| arg == "--seven") {
        return seven();
    }
    if args.iter().any(|arg| arg == "--ensembles") {
        let steps = number("--steps", 20_000);
        for kind in KINDS.iter().filter(is_wanted) {
            let times: Vec<f64> = (first..first + seeds).map(|seed| ensembles::throughput(kind, seed, steps)).collect();
            let mean = geometric(times.iter().copied());
            let least = times.iter().copied().fold(f64::INFINITY, f64::min);
            println!(
                "{:<10} {mean:.2} times the runs of a processor where they run together, least {least:.2}",
                kind.name
            );
        }
        return;
    }
    let is_each = args.iter().any(|arg| arg == "--each");
    let table = |measure: &dyn Fn(&Kind, u64) -> Measured| {
        let mut all = Vec::new();
        for kind in KINDS.iter().filter(is_wanted) {
            let mut found: Vec<Measured> = (first..first + seeds).map(|seed| measure(kind, seed)).collect();
            if is_each {
                for (seed, one) in (first..).zip(&found) {
                    println!("  {} {seed}: {:.2} ({:.1} / {:.1} ns)", kind.name, one.ratio(), one.ours, one.c);
                }
            }
            report(kind.name, &mut found);
            all.append(&mut found);
        }
        report("all", &mut all);
    };
    if !args.iter().any(|arg| arg == "--exported") {
        return table(&measure);
    }
    let is_single = args.iter().any(|arg| arg == "--single");
    let precision = if is_single { Precision::Single } else { Precision::Double };
    for (compiler, level) in exported::BUILDS {
        if args.iter().any(|arg| exported::BUILDS.iter().any(|build| *arg == build.0) && arg != compiler) {
            continue;
        }
        if precision == Precision::Single && compiler != "gcc" {
            continue;
        }
        println!("{compiler} {level}");
        table(&|kind, seed| exported::measure(kind, seed, (compiler, level), precision));
    }
    for kind in KINDS.iter().filter(is_wanted) {
        let lengths = (first..first + seeds).map(|seed| exported::lengths(kind, seed));
        let mean = geometric(lengths.map(|(ours, hand)| ours as f64 / hand as f64));
        println!("{:<10} {mean:.2} times the characters of the code by hand", kind.name);
    }
}

/// The seven models of `benches/step.rs`, without a loop beside them: for two versions of the program.
fn seven() {
    for bench in models::seven::all() {
        let program = Arc::new(compile(&bench.simulation, &Registry::standard()).expect("it compiles"));
        let mut run = Run::new(&program, bench.is_noted);
        run.steps(COMPARED);
        let once = time(|| run.steps(COMPARED));
        let steps = ((ROUND / once * COMPARED as f64) as usize).max(100);
        let least = (0..ROUNDS).map(|_| time(|| run.steps(steps))).fold(f64::INFINITY, f64::min);
        println!("{:<10} {:>10.1} ns", bench.name, least / steps as f64 * 1e9);
    }
}

/// Nanoseconds a step.
struct Measured {
    c: f64,
    ours: f64,
}

impl Measured {
    fn ratio(&self) -> f64 {
        self.ours / self.c
    }
}

fn geometric(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value.ln(), count + 1.0));
    (sum / count).exp()
}

fn report(name: &str, found: &mut [Measured]) {
    found.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
    let quantile = |part: f64| found[((found.len() - 1) as f64 * part).round() as usize].ratio();
    let mean = geometric(found.iter().map(Measured::ratio));
    let [least, quarter, median, most, worst] = [0.0, 0.25, 0.5, 0.75, 1.0].map(quantile);
    let (c, ours) = (geometric(found.iter().map(|one| one.c)), geometric(found.iter().map(|one| one.ours)));
    println!(
        "{name:<10} {mean:>7.2} {least:>7.2} {quarter:>7.2} {median:>7.2} {most:>7.2} {worst:>7.2} | {c:>10.1} {ours:>10.1}"
    );
}

struct Run {
    execute: Box<dyn Execute>,
    context: Context,
    samples: Samples,
}

impl Run {
    fn new(program: &Arc<Program>, is_watched: bool) -> Run {
        let engines = Engines::with(TierUp::Wait);
        let execute = engines.get("compiled").expect("the engine").prepare(program).expect("it runs");
        let exits = program.exits().into_iter().map(|(_, _, output)| output).filter(|_| is_watched);
        Run { execute, context: Context::new(program), samples: Samples::new(exits) }
    }

    fn steps(&mut self, count: usize) {
        self.samples.clear();
        self.execute.run(&mut self.context, count as u64, &mut self.samples).expect("the steps run");
    }
}

fn measure(kind: &Kind, seed: u64) -> Measured {
    let Sketch { simulation, c, states } = (kind.draw)(seed);
    let name = format!("{}-{seed}", kind.name);
    let program = match compile(&simulation, &Registry::standard()) {
        Ok(program) => Arc::new(program),
        Err(problem) => panic!("{name} compiles: {problem:?}"),
    };
    let yardstick = Yardstick::new(&name, &c);
    compare(&name, &program, &yardstick, states.clone());
    let mut run = Run::new(&program, false);
    // Two calls, so that all code is ready.
    run.steps(COMPARED);
    run.steps(COMPARED);
    let mut c_states = states;
    let c_once = time(|| yardstick.run(&mut c_states, 0, COMPARED));
    let steps = ((ROUND / c_once * COMPARED as f64) as usize).max(100);
    let (mut c, mut ours) = (f64::INFINITY, f64::INFINITY);
    let mut first = COMPARED;
    for _ in 0..ROUNDS {
        c = c.min(time(|| yardstick.run(&mut c_states, first, steps)));
        ours = ours.min(time(|| run.steps(steps)));
        first += steps;
    }
    let nanoseconds = |seconds: f64| seconds / steps as f64 * 1e9;
    Measured { c: nanoseconds(c), ours: nanoseconds(ours) }
}

fn time(work: impl FnOnce()) -> f64 {
    let start = processor_seconds();
    work();
    processor_seconds() - start
}

/// The exit's values are those of the C function, bit for bit.
fn compare(name: &str, program: &Arc<Program>, yardstick: &Yardstick, mut states: Vec<f64>) {
    let mut log = vec![0.0; COMPARED];
    yardstick.run_logged(&mut states, 0, &mut log);
    let mut run = Run::new(program, true);
    for (count, want) in [(7, &log[..7]), (COMPARED - 7, &log[7..])] {
        run.steps(count);
        let got = &run.samples.watches()[0].values;
        for (step, (got, want)) in got.iter().zip(want).enumerate() {
            let same = got.to_bits() == want.to_bits();
            assert!(same, "{name}: step {step} after {} has {got:?}, in C {want:?}", COMPARED - count);
        }
    }
    let is_varied = log.windows(2).filter(|pair| pair[0] != pair[1]).count() > 10;
    assert!(is_varied && log.iter().all(|value| value.is_finite()), "{name} has an exit that changes");
}
