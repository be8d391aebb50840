//! Kills of the window while it saves a file, and while it writes a recovery copy.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::commands::big;
use crate::display::{Display, until};
use crate::kill::{Found, Moment, check_same, end, make_old, temporaries, wait_for};
use crate::tally::{Random, Tally};

const FILE: &str = "plant.simx";

/// A folder with a file and a settings folder.
struct Stage<'a> {
    program: &'a Path,
    display: Display,
    folder: PathBuf,
    config: PathBuf,
    /// What the file has before and after the edit.
    states: [Vec<u8>; 2],
    /// How long a save takes from the keys to its end, and of that the writing.
    total: Duration,
    writing: Duration,
}

/// Kills the window `kills` times, every fourth time while it writes a recovery copy.
pub fn run(program: &Path, folder: &Path, kills: u64, random: &mut Random, all: &mut Tally) -> Result<(), String> {
    if kills == 0 {
        return Ok(());
    }
    let stage = Stage::new(program, folder)?;
    let (mut saves, mut copies) = (Tally::default(), Tally::default());
    while saves.kills() + copies.kills() < kills {
        match (saves.kills() + copies.kills()) % 4 {
            3 => copies.add(stage.kill_copy(random)?),
            _ => saves.add(stage.kill_save(random)?),
        }
    }
    println!("{:24} {saves}", "window, save");
    println!("{:24} {copies}", "window, recovery copy");
    all.add_all(saves);
    all.add_all(copies);
    Ok(())
}

impl<'a> Stage<'a> {
    /// Edits, saves, undoes and saves once without a kill.
    fn new(program: &'a Path, folder: &Path) -> Result<Stage<'a>, String> {
        let (folder, config) = (folder.join("window"), folder.join("config"));
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let (source, file) = (folder.join("source.simx"), folder.join(FILE));
        fs::write(&source, big(1, 12_000_000)).map_err(|error| error.to_string())?;
        let converted = Command::new(program).arg("convert").args([&source, &file]).status();
        if !converted.is_ok_and(|status| status.success()) {
            return Err("the file of the window cannot be written".to_owned());
        }
        fs::remove_file(&source).map_err(|error| error.to_string())?;
        let first = fs::read(&file).map_err(|error| error.to_string())?;
        let mut stage = Stage {
            program,
            display: Display::start()?,
            folder,
            config,
            states: [first.clone(), first],
            total: Duration::ZERO,
            writing: Duration::MAX,
        };
        let mut window = stage.open()?;
        for number in 0..4 {
            stage.edit(number)?;
            let begin = Instant::now();
            let keys = stage.display.begin_to_press(&["ctrl+s"])?;
            let is_temporary = || !temporaries(&stage.folder).is_empty();
            let mut created = begin;
            until("the temporary file", || is_temporary()).inspect(|()| created = Instant::now())?;
            until("the save", || !is_temporary())?;
            Display::finish(keys);
            (stage.total, stage.writing) = (stage.total.max(begin.elapsed()), stage.writing.min(created.elapsed()));
            let content = fs::read(&file).map_err(|error| error.to_string())?;
            match number {
                0 => stage.states[1] = content,
                _ => check_same(FILE, "the state", Some(&content), Some(&stage.states[usize::from(number % 2 == 0)]))?,
            }
        }
        end(&mut window);
        if stage.states[0] == stage.states[1] {
            return Err("the keys change nothing".to_owned());
        }
        Ok(stage)
    }

    fn open(&self) -> Result<Child, String> {
        let _ = fs::remove_dir_all(&self.config);
        let window = self.display.open(self.program, &self.config, Some(&self.folder.join(FILE)))?;
        self.display.focus(FILE)?;
        Ok(window)
    }

    /// Removes the blocks of the diagram, undoes it, and does it again; a star in the title says that it is done.
    fn edit(&self, number: u64) -> Result<(), String> {
        let keys: &[&str] = match number {
            0 => &["ctrl+a", "Delete"],
            number if number.is_multiple_of(2) => &["ctrl+shift+z"],
            _ => &["ctrl+z"],
        };
        // Pressed twice, they do the same; a window that has just opened may not hear the first.
        until("the edit", || {
            self.display.press(keys);
            (0..10).any(|_| self.display.has_window(&format!("{FILE}[*]")))
        })
    }

    fn kill_save(&self, random: &mut Random) -> Result<Found, String> {
        let file = self.folder.join(FILE);
        fs::write(&file, &self.states[0]).map_err(|error| error.to_string())?;
        let before = temporaries(&self.folder);
        before.iter().for_each(|path| make_old(path));
        let mut window = self.open()?;
        let saves = random.below(3);
        for number in 0..saves {
            self.edit(number)?;
            self.display.press(&["ctrl+s"]);
            let new = &self.states[usize::from(number % 2 == 0)];
            until("a save before the kill", || fs::read(&file).is_ok_and(|content| content == *new))?;
        }
        // These saves have removed what an earlier one left.
        let before: Vec<PathBuf> = before.into_iter().filter(|_| saves == 0).collect();
        let [old, new] = match saves.is_multiple_of(2) {
            true => [&self.states[0], &self.states[1]],
            false => [&self.states[1], &self.states[0]],
        };
        self.edit(saves)?;
        let keys = self.display.begin_to_press(&["ctrl+s"])?;
        let is_begun = || temporaries(&self.folder).iter().any(|path| !before.contains(path));
        wait_for(random.moment(self.total, self.writing), &mut window, is_begun);
        let is_killed = end(&mut window);
        Display::finish(keys);
        if !is_killed {
            return Err("the window ended by itself".to_owned());
        }
        let present = fs::read(&file).ok();
        let found = match (is_begun(), present.as_ref() == Some(new)) {
            (true, _) => Found::Writing,
            (false, true) => Found::After,
            (false, false) => Found::Before,
        };
        if found != Found::After {
            check_same(FILE, "the old content", present.as_deref(), Some(old))?;
        }
        if found != Found::Before && temporaries(&self.folder).iter().any(|path| before.contains(path)) {
            return Err("temporary files of an earlier save are still there".to_owned());
        }
        Ok(found)
    }

    /// Recovers a copy, of which the window writes its own at once, and kills it meanwhile.
    fn kill_copy(&self, random: &mut Random) -> Result<Found, String> {
        let folder = self.config.join("recovery");
        let _ = fs::remove_dir_all(&self.config);
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let file = self.folder.join(FILE).display().to_string();
        for (name, content) in [("1-0.simx", &*self.states[1]), ("1-0.path", file.as_bytes()), ("1-0.lock", b"")] {
            fs::write(folder.join(name), content).map_err(|error| error.to_string())?;
        }
        let mut window = self.display.open(self.program, &self.config, None)?;
        self.display.focus("Simulate")?;
        // The question is drawn a few frames after the window; keys before that do nothing.
        let is_begun = || !temporaries(&folder).is_empty();
        let mut pressed = None;
        let result = until("the copy is written", || {
            let is_old = |(_, at): &mut (Child, Instant)| at.elapsed() > Duration::from_secs(1);
            if let Some((keys, _)) = pressed.take_if(is_old) {
                Display::finish(keys);
            }
            if pressed.is_none() {
                pressed = self.display.begin_to_press(&["Tab", "space"]).ok().map(|keys| (keys, Instant::now()));
            }
            is_begun() || !folder.join("1-0.lock").exists()
        });
        let moment = Moment::AfterStart(random.within(self.writing));
        wait_for(moment, &mut window, is_begun);
        let is_killed = end(&mut window);
        if let Some((keys, _)) = pressed {
            Display::finish(keys);
        }
        result?;
        if !is_killed {
            return Err("the window ended by itself".to_owned());
        }
        let left = copies(&folder);
        if left.is_empty() {
            return Err("no recovery copy is left".to_owned());
        }
        for copy in &left {
            let name = copy.display().to_string();
            check_same(&name, "the recovered work", fs::read(copy).ok().as_deref(), Some(&self.states[1]))?;
            // Beside it is the path of its file, or it is offered as work without one; never half a path.
            let belongs = fs::read_to_string(copy.with_extension("path")).unwrap_or_default();
            if !belongs.is_empty() && belongs.split('\0').next() != Some(&*file) {
                return Err(format!("{name} belongs to {belongs:?}"));
            }
        }
        Ok(match (is_begun(), left.iter().any(|copy| !copy.ends_with("1-0.simx"))) {
            (true, _) => Found::Writing,
            (false, true) => Found::After,
            (false, false) => Found::Before,
        })
    }
}

fn copies(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "simx")).collect()
}
