//! Compiles the sources of an FMU that has no binary for this platform. Like its binary, they are untrusted: the
//! compiler has a time limit and a memory limit, and runs only for an FMU that the user has allowed.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::format::fmu::FmuSources;

/// The longest time of the compiler.
const TIME: Duration = Duration::from_secs(120);
/// The most memory of each of its processes, in KiB.
const MEMORY: u64 = 4 << 20;
/// The headers that sources include and do not bring with them.
const HEADERS: [(&str, &str); 8] = [
    ("fmu_fmi2.h", include_str!("../export/fmu/c/fmu_fmi2.h")),
    ("fmu_fmi3.h", include_str!("../export/fmu/c/fmu_fmi3.h")),
    ("fmi2TypesPlatform.h", include_str!("c/fmi2TypesPlatform.h")),
    ("fmi2FunctionTypes.h", "#include \"fmi2TypesPlatform.h\"\n"),
    ("fmi2Functions.h", include_str!("c/fmi2Functions.h")),
    ("fmi3PlatformTypes.h", include_str!("c/fmi3PlatformTypes.h")),
    ("fmi3FunctionTypes.h", "#include \"fmi3PlatformTypes.h\"\n"),
    ("fmi3Functions.h", include_str!("c/fmi3Functions.h")),
];

/// Why sources are not compiled: a sentence without a full stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    #[error("its sources cannot be compiled: {0}")]
    Start(#[from] io::Error),
    #[error("it has only sources, and there is no C compiler here: install gcc or clang")]
    NoCompiler,
    #[error("its sources took more than {} s to compile", TIME.as_secs())]
    Late,
    #[error("its sources cannot be compiled: {0}")]
    Refused(String),
}

/// Compiles the sources in `folder/sources` to a library.
///
/// # Errors
/// If there is no compiler, or it reports an error or takes too long.
pub fn compile(sources: &FmuSources, folder: &Path, library: &Path) -> Result<(), CompileError> {
    let headers = folder.join("headers");
    fs::create_dir_all(&headers)?;
    HEADERS.iter().try_for_each(|(name, text)| fs::write(headers.join(name), text))?;
    if let Some(parent) = library.parent() {
        fs::create_dir_all(parent)?;
    }
    // Under its name it is complete.
    let (built, said) = (folder.join("built"), folder.join("compiler.txt"));
    let errors = File::create(&said)?;
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {MEMORY}; command -v cc > /dev/null || exit 127; exec cc \"$@\""), "cc"]);
    command.args(["-shared", "-fPIC", "-O2", "-ffp-contract=off", "-w", "-o"]).arg(&built);
    command.args(sources.definitions.iter().map(|(name, value)| match value.as_str() {
        "" => format!("-D{name}"),
        value => format!("-D{name}={value}"),
    }));
    command.args(sources.includes.iter().flat_map(|include| ["-I", include.as_str()]));
    command.args(["-I", ".", "-idirafter"]).arg(&headers).args(&sources.files).arg("-lm");
    command.current_dir(folder.join("sources")).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors);
    let status = wait(command.spawn()?)?;
    if status.success() {
        return Ok(fs::rename(&built, library)?);
    }
    if status.code() == Some(127) {
        return Err(CompileError::NoCompiler);
    }
    Err(CompileError::Refused(first_error(&said)))
}

fn wait(mut child: Child) -> Result<ExitStatus, CompileError> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if start.elapsed() > TIME {
            if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
                // It may have ended just now.
                let _ = kill_process_group(group, Signal::KILL);
            }
            child.wait()?;
            return Err(CompileError::Late);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the first line of the compiler's output that contains an error.
fn first_error(said: &Path) -> String {
    let mut bytes = Vec::new();
    // Unreadable output is not quoted.
    let _ = File::open(said).and_then(|file| file.take(64 << 10).read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(&bytes);
    let error = text.lines().find(|line| line.contains("error")).or_else(|| text.lines().next());
    error.unwrap_or("the compiler gave no reason").to_owned()
}
