//! Builds the fuzz targets and runs each of them for some time.
//!
//! ```text
//! cargo run --manifest-path tests/fuzz/Cargo.toml -- [--minutes N] [--seed N] [TARGET...]
//! ```
//!
//! The minutes are for all targets together. A target gets random inputs from libFuzzer, which keeps those that reach
//! new code; the first ones are files of this repository. What it found stays in `target/fuzz/corpus`, so that the next
//! run goes on from there, and an input that breaks a promise is in `target/fuzz/artifacts`. FUZZ_DIR puts both
//! elsewhere. Each run appends its executions to `executions.txt` there. The exit status is 1 if a promise was broken.
//!
//! The compiler of this machine is enough: this program is also the wrapper of the compiler, which adds counters to the
//! code of the program and of the libraries that read files for it.

mod build;
mod run;

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::var_os(build::WRAPS).is_some() {
        return build::compile();
    }
    let (mut minutes, mut seed, mut wanted) = (5.0, 0, Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--minutes" => minutes = number(words.next()),
            "--seed" => seed = number(words.next()) as u32,
            _ => wanted.push(word),
        }
    }
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let root = here.join("../..").canonicalize().expect("the tree is above this crate");
    let folder = std::env::var_os("FUZZ_DIR").map_or_else(|| root.join("target/fuzz"), PathBuf::from);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let Some(program) = build::targets(&here, &folder) else {
        eprintln!("the targets cannot be built");
        return ExitCode::FAILURE;
    };
    let runs = run::Runs { program, root, folder, seed };
    let mut targets = runs.targets();
    if let Some(unknown) = wanted.iter().find(|name| targets.iter().all(|target| target.name != **name)) {
        eprintln!("there is no target {unknown}");
        return ExitCode::FAILURE;
    }
    targets.retain(|target| wanted.is_empty() || wanted.contains(&target.name));
    let seconds = (minutes * 60.0 / targets.len().max(1) as f64).ceil().max(1.0);
    let mut is_sound = true;
    let mut all = 0;
    for target in &targets {
        let found = runs.run(target, seconds as u64);
        println!(
            "{:12} {:>12} executions{}",
            target.name,
            found.executions,
            if found.is_sound { "" } else { ", BROKEN" }
        );
        all += found.executions;
        is_sound &= found.is_sound;
    }
    println!("{:12} {all:>12} executions", "all");
    if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn number(word: Option<String>) -> f64 {
    word.and_then(|word| word.parse().ok()).expect("a number follows")
}
