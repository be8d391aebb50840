//! Kills the program at random moments while it saves, and looks whether each file is whole.
//!
//! ```text
//! cargo run --release --manifest-path tests/kills/Cargo.toml -- target/release/simulate [--kills N] [--windows N] [--seed N]
//! ```
//!
//! `--kills` are those of commands, 820 otherwise; `--windows` those of the window, 200 otherwise, for which Xvfb and
//! xdotool must be there. A file must have its old content or the new one after each kill, and the next save must remove
//! what was left. Three of four kills are aimed at the writing: at a random moment after the temporary file was seen.
//! What is printed says how many fell between its creation and the renaming. The exit status is 1 if a file was not
//! whole.

mod commands;
mod display;
mod kill;
mod tally;
mod window;

use std::path::PathBuf;
use std::process::ExitCode;

use tally::{Random, Tally};

fn main() -> ExitCode {
    let (mut kills, mut windows, mut seed, mut program) = (820, 200, 1, None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|word| word.parse().ok()).expect("a number follows");
        match word.as_str() {
            "--kills" => kills = number(),
            "--windows" => windows = number(),
            "--seed" => seed = number(),
            _ => program = Some(PathBuf::from(word)),
        }
    }
    let Some(program) = program.and_then(|program| program.canonicalize().ok()) else {
        eprintln!("name the built program, for example target/release/simulate");
        return ExitCode::FAILURE;
    };
    let folder = std::env::temp_dir().join(format!("simulate-kills-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    let mut random = Random::new(seed);
    let mut all = Tally::default();
    let result = commands::run(&program, &folder, kills, &mut random, &mut all)
        .and_then(|()| window::run(&program, &folder, windows, &mut random, &mut all));
    println!("{:24} {all}", "all");
    match result {
        Ok(()) => {
            let _ = std::fs::remove_dir_all(&folder);
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("BROKEN: {problem}; the files are in {}", folder.display());
            ExitCode::FAILURE
        }
    }
}
