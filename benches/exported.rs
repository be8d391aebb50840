//! What a step of exported C code costs, beside the compiled engine and the loops by hand, on the seven models.
//!
//! The compiler is `gcc`, or the one in the variable `CC`; it is asked for -O2 and for -O3. Medians of interleaved
//! rounds, in nanoseconds a step; only a release build measures the first two columns. The outputs are those of the engine, which `tests/export` compares.

mod hand;
mod models;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use simulate::block::Registry;
use simulate::engine::{Context, Engines, Program, Samples, TierUp, compile};
use simulate::export::c::{Options, Precision, export};

use self::models::seven::{Bench, all};

const ROUNDS: usize = 9;
const LEVELS: [&str; 2] = ["-O2", "-O3"];

/// Prints the seconds that some steps take. The sum of the outputs is printed, so that they are computed.
const MAIN: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "model.c"
static model_t self;
int main(int count, char *arguments[])
{
    const long steps = (count > 1) ? atol(arguments[1]) : 1;
    model_init(&self);
    for (int round = 0; round < 10; round++) {
        struct timespec start, end;
        double sum = 0.0;
        clock_gettime(CLOCK_MONOTONIC, &start);
        for (long step = 0; step < steps; step++) {
            model_step(&self);
            sum += *(const double *)&self.outputs;
        }
        clock_gettime(CLOCK_MONOTONIC, &end);
        printf("%.9f %g\n", (double)(end.tv_sec - start.tv_sec) + (1e-9 * (double)(end.tv_nsec - start.tv_nsec)), sum);
    }
    return 0;
}
"#;

/// Exports and compiles a model; returns the programs, one for each level.
fn built(program: &Arc<Program>, bench: &Bench, folder: &Path) -> Vec<PathBuf> {
    let options = Options {
        name: "model",
        is_single_file: true,
        // As in the loops by hand.
        inlines_parameters: true,
        precision: Precision::Double,
        params: &program.params,
    };
    let code = export(program, &bench.simulation, &options).expect("it can be exported");
    for file in &code.files {
        std::fs::write(folder.join(&file.name), &file.text).expect("a file");
    }
    std::fs::write(folder.join("timed.c"), MAIN).expect("a file");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "gcc".to_owned());
    let build = |level: &&str| {
        let binary = folder.join(format!("timed{level}"));
        let mut command = Command::new(&compiler);
        command
            .current_dir(folder)
            .args([level, "-std=gnu99", "-ffp-contract=off", "timed.c", "-lm", "-o"])
            .arg(&binary);
        let built = command.output().expect("the compiler");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        binary
    };
    LEVELS.iter().map(build).collect()
}

/// The seconds of each round of a program but the first, which warms up.
fn timed(binary: &Path, steps: u64) -> Vec<f64> {
    let ran = Command::new(binary).arg(steps.to_string()).output().expect("it starts");
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    text.lines().skip(1).filter_map(|line| line.split(' ').next()?.parse().ok()).collect()
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

fn table(_: &mut Criterion) {
    println!("{:<10} {:>12} {:>12} {:>12} {:>12}", "ns a step", "by hand", "compiled", "C -O2", "C -O3");
    for (number, bench) in all().iter().enumerate() {
        let program = Arc::new(compile(&bench.simulation, &Registry::standard()).expect("it compiles"));
        let folder = tempfile::tempdir().expect("a folder");
        let programs = built(&program, bench, folder.path());
        let steps = 1 + (3e6 / (program.units.len() + program.value_count) as f64) as u64;
        let mut hand = hand::all(libm::sin).remove(number);
        let engine = Engines::with(TierUp::Wait);
        let mut execute = engine.get("compiled").expect("the engine").prepare(&program).expect("it runs");
        let exits = program.exits().into_iter().map(|(_, _, output)| output).filter(|_| bench.is_noted);
        let (mut context, mut samples) = (Context::new(&program), Samples::new(exits));
        let mut log = vec![0.0; steps as usize];
        let (mut by_hand, mut compiled) = (Vec::new(), Vec::new());
        for round in 0..=ROUNDS as u64 {
            let hand_time = seconds(|| hand(round * steps, &mut log));
            samples.clear();
            let engine_time = seconds(|| execute.run(&mut context, steps, &mut samples).expect("the steps run"));
            if round > 0 {
                by_hand.push(hand_time);
                compiled.push(engine_time);
            }
        }
        let times = [by_hand, compiled].into_iter().chain(programs.iter().map(|binary| timed(binary, steps)));
        let shown: Vec<String> = times.map(|times| format!("{:>12.1}", median(times) / steps as f64 * 1e9)).collect();
        println!("{:<10} {}", bench.name, shown.join(" "));
    }
}

criterion_group!(benches, table);
criterion_main!(benches);
