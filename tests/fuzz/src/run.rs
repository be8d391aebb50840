//! Runs a target and reads from its report how many inputs it executed.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The seconds after which libFuzzer ends an input. The targets themselves allow one second of the processor; this is
/// for those that never end, and longer, so that a busy machine breaks no promise.
const SECONDS: u32 = 30;
/// The memory of the whole process in megabytes, most of which is libFuzzer's own.
const MEMORY: u32 = 2048;

pub struct Runs {
    /// The program with all targets.
    pub program: PathBuf,
    /// The source tree.
    pub root: PathBuf,
    /// Where inputs are kept.
    pub folder: PathBuf,
    /// The seed of the random numbers; 0 takes another each time.
    pub seed: u32,
}

/// A target of that program.
#[derive(Clone)]
pub struct Target {
    pub name: String,
    /// The greatest length of its inputs in bytes.
    pub longest: u32,
}

/// How a run ended.
pub struct Found {
    pub executions: u64,
    /// Whether all promises were kept.
    pub is_sound: bool,
}

impl Runs {
    fn target(&self, name: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.env("FUZZ_TARGET", name).env("FUZZ_ROOT", &self.root);
        command
    }

    /// Returns all targets.
    pub fn targets(&self) -> Vec<Target> {
        let output = self.target("list").output().expect("the targets can be started");
        let text = String::from_utf8_lossy(&output.stdout);
        let target = |line: &str| {
            let (name, longest) = line.split_once(' ')?;
            Some(Target { name: name.to_owned(), longest: longest.parse().ok()? })
        };
        text.lines().map(|line| target(line).expect("a name and a length")).collect()
    }

    /// Runs a target.
    pub fn run(&self, Target { name, longest }: &Target, seconds: u64) -> Found {
        let make = |kind: &str| {
            let folder = self.folder.join(kind).join(name);
            fs::create_dir_all(&folder).expect("the folder can be made");
            folder
        };
        let (seeds, corpus, artifacts) = (make("seeds"), make("corpus"), make("artifacts"));
        let words = self.folder.join("seeds").join(format!("{name}.dict"));
        let made = self.target(name).env("FUZZ_SEEDS", &seeds).env("FUZZ_WORDS", &words).stderr(Stdio::null()).status();
        assert!(made.is_ok_and(|status| status.success()), "the first inputs of {name} can be made");
        let log = self.folder.join(format!("{name}.log"));
        let output = File::create(&log).expect("the log can be made");
        let mut command = self.target(name);
        command
            .arg(&corpus)
            .arg(&seeds)
            .arg(format!("-dict={}", words.display()))
            .arg(format!("-artifact_prefix={}/", artifacts.display()))
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-timeout={SECONDS}"))
            .arg(format!("-max_len={longest}"))
            .arg(format!("-rss_limit_mb={MEMORY}"))
            .arg(format!("-seed={}", self.seed))
            .args(["-print_final_stats=1", "-reload=0"])
            .stdout(Stdio::null())
            .stderr(output);
        let scratch = scratch();
        let is_sound = command.env("FUZZ_SCRATCH", &scratch).status().is_ok_and(|status| status.success());
        let _ = fs::remove_dir_all(&scratch);
        let executions = executions(&log);
        let all = OpenOptions::new().append(true).create(true).open(self.folder.join("executions.txt"));
        let line = format!("{name} {executions} {}\n", if is_sound { "sound" } else { "broken" });
        let _ = all.and_then(|mut all| all.write_all(line.as_bytes()));
        if !is_sound {
            eprintln!("{name}: {}", log.display());
        }
        Found { executions, is_sound }
    }
}

/// Returns the path of a folder for files that an input needs, in memory where that is possible.
fn scratch() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    let base = if memory.is_dir() { memory } else { std::env::temp_dir() };
    base.join(format!("simulate-fuzz-{}", std::process::id()))
}

/// Reads the number of executions: of the final report, or after a broken promise of the last line with one.
fn executions(log: &Path) -> u64 {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let mut reported = text.lines().filter_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    let mut counted = text.lines().filter_map(|line| line.strip_prefix('#')?.split_ascii_whitespace().next());
    let last = reported.next_back().or_else(|| counted.next_back()).unwrap_or_default();
    last.trim().parse().unwrap_or(0)
}
