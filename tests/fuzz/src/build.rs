//! Builds the targets with counters in the code that is under test.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Set where this program is run in place of the compiler.
pub const WRAPS: &str = "FUZZ_WRAPS_COMPILER";

/// The crates that get counters: the program and what reads files for it.
const COUNTED: [&str; 11] =
    ["simulate", "bson", "csv", "csv_core", "hound", "miniz_oxide", "quick_xml", "rmp", "rmp_serde", "serde_json"];

/// What libFuzzer needs: a counter for each branch, and the operands of comparisons. These cost less than a tenth: most of
/// the 30 µs of a short input are libFuzzer's own, which clears and reads 190,000 counters.
const FLAGS: [&str; 5] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// Builds the targets; returns the path of their program.
pub fn targets(here: &Path, folder: &Path) -> Option<PathBuf> {
    let host = host()?;
    let build = folder.join("build");
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--release", "--features", "targets", "--bin", "targets", "--target", &host])
        .arg("--manifest-path")
        .arg(here.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&build)
        .env("RUSTC_WRAPPER", std::env::current_exe().ok()?)
        .env(WRAPS, "1")
        .status()
        .ok()?;
    status.success().then(|| build.join(host).join("release/targets"))
}

/// Returns the name of this machine's kind, as the compiler says it.
fn host() -> Option<String> {
    let output = Command::new("rustc").arg("-vV").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned)
}

/// Runs the compiler, with counters for some crates. Build scripts and macros, which have no `--target`, get none.
pub fn compile() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((compiler, rest)) = words.split_first() else { return ExitCode::FAILURE };
    let name = rest.iter().skip_while(|word| *word != "--crate-name").nth(1);
    let is_for_target = rest.iter().any(|word| word == "--target");
    let is_counted = is_for_target && name.is_some_and(|name| COUNTED.contains(&&**name));
    let flags = if is_counted { &FLAGS[..] } else { &[] };
    match Command::new(compiler).args(rest).args(flags).status() {
        Ok(status) => ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1)),
        Err(_) => ExitCode::FAILURE,
    }
}
