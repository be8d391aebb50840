//! `simulate worker`: computes for other processes of this program, as a child on pipes or in a pool.

use std::io::{IsTerminal, stdin};
use std::num::NonZeroUsize;
use std::process::ExitCode;

use clap::Args;

use super::output::{UNREADABLE, complain};
use super::pool::PoolArgs;
use crate::components::Components;

#[derive(Debug, Args)]
#[cfg_attr(not(feature = "pool"), allow(dead_code, reason = "only pools need all of it"))]
pub struct WorkerArgs {
    #[command(flatten)]
    pool: PoolArgs,
    /// The number of runs that are computed at a time [default: the number of processors]
    #[arg(long, value_name = "N", requires = "pool")]
    threads: Option<NonZeroUsize>,
    /// The most memory of each process that computes runs, such as 512M or 4G
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = bytes)]
    memory: u64,
    /// Computes runs for the process that has started this one
    #[arg(long, hide = true, conflicts_with = "pool")]
    runs: bool,
    /// Computes a model block for the process that has started this one
    #[cfg(feature = "pool")]
    #[arg(long, hide = true, conflicts_with = "pool", conflicts_with = "runs")]
    block: bool,
}

/// The least memory of a process that computes runs, in bytes.
const LEAST: u64 = 256 << 20;

/// Reads a size such as `512M`.
fn bytes(text: &str) -> Result<u64, SizeError> {
    let text = text.trim();
    let (number, unit) = text.split_at(text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len());
    let shift = match unit.to_ascii_uppercase().trim_end_matches('B').trim_end_matches('I') {
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(SizeError::Malformed),
    };
    let number: u64 = number.parse().map_err(|_| SizeError::Malformed)?;
    let size = number.checked_mul(1 << shift).ok_or(SizeError::Malformed)?;
    if size < LEAST { Err(SizeError::Small) } else { Ok(size) }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum SizeError {
    #[error("expected an integer with M, G or T, such as 4G")]
    Malformed,
    #[error("at least 256M are needed to compile models")]
    Small,
}

impl WorkerArgs {
    /// Whether this process computes for the one that has started it.
    fn is_process(&self) -> bool {
        #[cfg(feature = "pool")]
        if self.block {
            return true;
        }
        self.runs
    }
}

pub fn run(args: &WorkerArgs, components: &Components) -> ExitCode {
    if args.pool.pool.is_some() {
        return join(args, components);
    }
    if stdin().is_terminal() {
        complain("error: without --pool, a worker is started by another process, which speaks to it on pipes");
        return ExitCode::from(UNREADABLE);
    }
    if args.is_process() {
        let parts = crate::pool::PoolParts {
            registry: std::sync::Arc::clone(&components.registry),
            formats: std::sync::Arc::clone(&components.formats),
            engines: components.engines.clone(),
        };
        #[cfg(feature = "pool")]
        if args.block {
            return crate::worker::run_as(|input, output| crate::pool::serve_block(input, output, &parts));
        }
        return crate::worker::run_as(|input, output| crate::pool::serve_runs(input, output, &parts));
    }
    crate::worker::run()
}

#[cfg(not(feature = "pool"))]
fn join(_: &WorkerArgs, _: &Components) -> ExitCode {
    complain("error: this program was built without pools (cargo build --features pool)");
    ExitCode::from(super::output::FAILURE)
}

#[cfg(feature = "pool")]
fn join(args: &WorkerArgs, components: &Components) -> ExitCode {
    use super::output::{FAILURE, SUCCESS};
    use crate::pool::{BlockProcessOptions, Build, ChunkRunnerOptions, LinkNews, WorkerNews, WorkerOptions, work};

    let failed = |problem: &dyn std::fmt::Display| {
        complain(&format!("error: {problem}"));
        ExitCode::from(FAILURE)
    };
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return failed(&error),
    };
    let Some(pool) = args.pool.options() else { return ExitCode::from(UNREADABLE) };
    let build = Build::of(&components.registry);
    let threads = args.threads.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let options = WorkerOptions {
        pool,
        build: build.clone(),
        threads,
        block: BlockProcessOptions {
            program: program.clone(),
            args: vec!["worker".to_owned(), "--block".to_owned()],
            memory: args.memory,
        },
        runner: ChunkRunnerOptions {
            program,
            args: vec!["worker".to_owned(), "--runs".to_owned()],
            memory: args.memory,
        },
    };
    let news = move |news: WorkerNews| {
        let text = match news {
            WorkerNews::Joined(name) => {
                let build_key = build.build_key();
                format!("worker {name} has joined with {build}, {threads} threads; its queue is workers-{build_key}")
            }
            WorkerNews::Link(LinkNews::Connected) => "the pool is connected".to_owned(),
            WorkerNews::Link(LinkNews::Disconnected) => "the connection to the pool is lost; trying again".to_owned(),
            WorkerNews::Link(LinkNews::Problem(problem)) => format!("the pool reports: {problem}"),
            WorkerNews::OtherBuild { sweep, build: theirs } => {
                format!("the sweep {sweep} is refused: it needs {theirs}, this worker has {build}")
            }
            WorkerNews::Problem(problem) => problem,
            WorkerNews::Left(runs) => format!("the worker has left after {runs} runs"),
        };
        complain(&text);
    };
    match work(options, news) {
        Ok(()) => ExitCode::from(SUCCESS),
        Err(error) => failed(&error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(bytes("4G"), Ok(4 << 30));
        assert_eq!(bytes("512MB"), Ok(512 << 20));
        assert_eq!(bytes("1GiB"), Ok(1 << 30));
        assert_eq!(bytes("1M"), Err(SizeError::Small));
        for malformed in ["", "G", "4", "-1G", "4X", "99999999999999T"] {
            assert_eq!(bytes(malformed), Err(SizeError::Malformed), "{malformed}");
        }
    }
}
