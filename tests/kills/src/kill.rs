//! Kills a program that writes a file, and looks what is left. Also the short form in `tests/cli/kills.rs`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// A command that writes a file in a folder of its own.
pub struct Case<'a> {
    pub program: &'a Path,
    pub folder: &'a Path,
    pub args: &'a [&'a str],
    /// The name of the written file.
    pub target: &'a str,
    /// The content before the command; the file may not exist.
    pub old: Option<Vec<u8>>,
    /// The content that the command writes; `None` if it never ends.
    pub new: Option<Vec<u8>>,
}

/// When a program is killed.
#[derive(Clone, Copy, Debug)]
pub enum Moment {
    AfterStart(Duration),
    /// After the temporary file of the writing was seen.
    AfterCreation(Duration),
}

/// Where the program was when it was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// It had ended before.
    Ended,
    /// The file had not been begun.
    Before,
    /// A part of the new content was in the temporary file.
    Writing,
    /// The new file was in its place.
    After,
}

impl Case<'_> {
    /// Runs the command and kills it at a moment.
    ///
    /// # Errors
    /// If the file is not whole after that, or something else is left or lost.
    pub fn kill(&self, moment: Moment) -> Result<Found, String> {
        let target = self.folder.join(self.target);
        match &self.old {
            Some(old) => fs::write(&target, old).map_err(|error| error.to_string())?,
            None => drop(fs::remove_file(&target)),
        }
        let before = temporaries(self.folder);
        before.iter().for_each(|path| make_old(path));
        let mut child = self.start()?;
        let is_running =
            wait_for(moment, &mut child, || temporaries(self.folder).iter().any(|path| !before.contains(path)));
        let is_killed = end(&mut child);
        if !is_running || !is_killed {
            return Ok(Found::Ended);
        }
        let present = fs::read(&target).ok();
        let left = temporaries(self.folder);
        let begun = left.iter().any(|path| !before.contains(path));
        let found = if begun {
            Found::Writing
        } else if present == self.new && self.new != self.old {
            Found::After
        } else {
            Found::Before
        };
        if found == Found::Writing || found == Found::Before {
            check_same(self.target, "the old content", present.as_deref(), self.old.as_deref())?;
        }
        // The save that was killed had first removed what an earlier one left.
        if found != Found::Before && left.iter().any(|path| before.contains(path)) {
            return Err(format!("{}: temporary files of an earlier save are still there", self.target));
        }
        Ok(found)
    }

    /// Runs the command to its end, after which no temporary file is left.
    ///
    /// # Errors
    /// If it fails or something is left.
    pub fn complete(&self) -> Result<Vec<u8>, String> {
        temporaries(self.folder).iter().for_each(|path| make_old(path));
        let status = self.start()?.wait().map_err(|error| error.to_string())?;
        if !status.success() {
            return Err(format!("{:?} fails: {status}", self.args));
        }
        match temporaries(self.folder).first() {
            Some(left) => Err(format!("{} is left", left.display())),
            None => fs::read(self.folder.join(self.target)).map_err(|error| format!("{}: {error}", self.target)),
        }
    }

    pub fn start(&self) -> Result<Child, String> {
        let mut command = Command::new(self.program);
        command.current_dir(self.folder).args(self.args).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().map_err(|error| format!("{}: {error}", self.program.display()))
    }
}

/// Waits for a moment; returns whether the program still runs.
pub fn wait_for(moment: Moment, child: &mut Child, is_created: impl Fn() -> bool) -> bool {
    let begin = Instant::now();
    let (mut from, wait) = match moment {
        Moment::AfterStart(wait) => (Some(Instant::now()), wait),
        Moment::AfterCreation(wait) => (None, wait),
    };
    // Without a pause, since the writing takes less than a millisecond.
    loop {
        match from {
            Some(from) if from.elapsed() >= wait => return true,
            Some(_) => {}
            None if is_created() => from = Some(Instant::now()),
            // Half a minute: it is not going to write.
            None if begin.elapsed().as_secs() > 30 || !matches!(child.try_wait(), Ok(None)) => return false,
            None => {}
        }
    }
}

/// Kills a program; returns whether that is what ended it.
pub fn end(child: &mut Child) -> bool {
    let _ = child.kill();
    // A program that ended by itself has an exit code.
    child.wait().is_ok_and(|status| status.code().is_none())
}

/// The temporary files in a folder.
pub fn temporaries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_temporary = |name: &str| name.starts_with(".simulate-") && name.ends_with(".tmp");
    entries.filter(|entry| entry.file_name().to_str().is_some_and(is_temporary)).map(|entry| entry.path()).collect()
}

/// Makes a file look two minutes old: the program leaves younger ones alone, which may be those of a running one.
pub fn make_old(path: &Path) {
    if let (Ok(file), Some(then)) =
        (File::options().write(true).open(path), SystemTime::now().checked_sub(Duration::from_secs(120)))
    {
        let _ = file.set_modified(then);
    }
}

/// Says where a file differs from what it must contain.
///
/// # Errors
/// If it does.
pub fn check_same(name: &str, what: &str, present: Option<&[u8]>, wanted: Option<&[u8]>) -> Result<(), String> {
    if present == wanted {
        return Ok(());
    }
    let length =
        |bytes: Option<&[u8]>| bytes.map_or("is missing".to_owned(), |bytes| format!("has {} bytes", bytes.len()));
    Err(format!("{name} {}, but {what} {}", length(present), length(wanted)))
}
