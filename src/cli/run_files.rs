//! The files that `simulate run` writes, and the messages about them when a signal ends the run.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use super::interrupt::StopSignal;
use super::opened::Opened;
use super::output::{TableOutputError, admit_table};
use super::run::RunArgs;
use crate::components::Components;
use crate::engine::Program;
use crate::format::{FileKind, OutputError, OutputFile};

/// The files that a run may write.
pub(super) struct RunFiles {
    pub out: Option<OutputFile>,
    pub checkpoint: Option<OutputFile>,
}

impl RunFiles {
    /// Admits the files of a command.
    ///
    /// # Errors
    /// If one would replace a file that is read, another one that is written, or a file of another kind.
    pub fn admitted(
        args: &RunArgs,
        opened: &Opened,
        program: &Program,
        components: &Components,
    ) -> Result<RunFiles, TableOutputError> {
        let mut outputs = opened.outputs(args.force, &components.formats).reading(&args.resume);
        outputs = outputs.reading(args.remote.pool.files());
        // The files of blocks come first, since they are always written.
        let folder = args.file.parent().unwrap_or(Path::new(""));
        for outlet in program.outlets() {
            // A file of another kind is refused when the block opens it.
            match outputs.admit(&folder.join(outlet.path.trim()), FileKind::Csv) {
                Err(error @ (OutputError::Read(_) | OutputError::Twice(_))) => return Err(error.into()),
                Err(OutputError::Kind { .. }) | Ok(_) => {}
            }
        }
        let out = args.out.as_deref().map(|path| admit_table(&mut outputs, path)).transpose()?;
        let checkpoint =
            args.checkpoint.as_deref().map(|path| outputs.admit(path, FileKind::Checkpoint)).transpose()?;
        Ok(RunFiles { out, checkpoint })
    }
}

/// Says at which step a signal has ended the run, which files are complete, and how to resume.
pub(super) fn stopped_text(
    args: &RunArgs,
    signal: StopSignal,
    program: &Program,
    (begin, step, steps): (u64, u64, u64),
) -> String {
    let time = step as f64 * program.delta;
    let mut text = format!("{signal} stopped the run after {step} of {steps} steps ({time} s)");
    if step == begin {
        return text + "; nothing is written";
    }
    if let Some(out) = &args.out {
        text += &format!("; the rows up to there are in {}", out.display());
    }
    text += match &args.checkpoint {
        None => "\n  it cannot be resumed: with --checkpoint FILE it could",
        Some(_) => "\n  to resume it, repeat the command with ",
    };
    if let Some(checkpoint) = &args.checkpoint {
        text += &format!("--resume {} and another --checkpoint", checkpoint.display());
        if args.out.is_some() {
            text += " and --out";
        }
        let written: Vec<String> = program.outlets().into_iter().map(|outlet| outlet.path).collect();
        if !written.is_empty() {
            text += &format!("; first move away {}, which will be replaced", written.join(", "));
        }
    }
    text
}

/// Whether a table ends with the row before a step, as it does after a run that was stopped there.
pub(super) fn has_rows_before(path: &Path, step: u64) -> bool {
    FileKind::of_extension(path) == Some(FileKind::Csv)
        && last_step(path).is_ok_and(|last| last.is_some_and(|last| last.checked_add(1) == Some(step)))
}

/// Returns the first cell of the last row of a .csv file.
fn last_step(path: &Path) -> io::Result<Option<u64>> {
    /// More than the rows of most tables have; a longer row is not examined.
    const TAIL: u64 = 1 << 20;
    let mut file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut tail = Vec::new();
    file.take(TAIL).read_to_end(&mut tail)?;
    let whole = tail.strip_suffix(b"\n").unwrap_or_default();
    let row = whole.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let cell = row.split(|byte| b",;\t".contains(byte)).next().unwrap_or_default();
    Ok(std::str::from_utf8(cell).ok().and_then(|cell| cell.parse().ok()))
}
