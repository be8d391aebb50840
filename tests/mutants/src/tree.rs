//! The copy of the source tree that holds the mutants, and its test program.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::find::Mutant;

/// What the library gets to know which mutant is chosen. With `MUTANTS_REACHED`, none is, and the numbers of those that
/// were come to are written to that file.
const CHOICE: &str = r#"
#[doc(hidden)]
#[allow(warnings)]
pub mod mutants {
    use std::io::Write;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

    static CHOSEN: AtomicU32 = AtomicU32::new(u32::MAX);
    static REACHED: [AtomicBool; 1 << 17] = [const { AtomicBool::new(false) }; 1 << 17];

    #[inline]
    pub fn is(number: u32) -> bool {
        let chosen = CHOSEN.load(Relaxed);
        if chosen >= u32::MAX - 1 { rare(number) } else { chosen == number }
    }

    #[cold]
    fn rare(number: u32) -> bool {
        if CHOSEN.load(Relaxed) == u32::MAX {
            let from_env = || std::env::var("MUTANT").ok()?.parse().ok();
            let none = if std::env::var_os("MUTANTS_REACHED").is_some() { u32::MAX - 1 } else { u32::MAX - 2 };
            CHOSEN.store(from_env().unwrap_or(none), Relaxed);
            return is(number);
        }
        if !REACHED[number as usize].swap(true, Relaxed) {
            let path = std::env::var_os("MUTANTS_REACHED").unwrap();
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
            file.write_all(format!("{number}\n").as_bytes()).unwrap();
        }
        false
    }
}
"#;

pub struct Tree {
    /// Where the source is.
    pub root: PathBuf,
    /// The folder of the copy, of what is built from it, and of the results.
    pub work: PathBuf,
}

/// Which mutants, by number, stand in which bytes of the changed files.
type Places = BTreeMap<String, Vec<(Range<usize>, usize)>>;

impl Tree {
    pub fn copy(&self) -> PathBuf {
        self.work.join("tree")
    }

    /// Names of the files of the program, with `/`, below the root. This crate is none of them, but its test is a module
    /// of the program's tests.
    pub fn files(&self) -> BTreeSet<String> {
        let mut git = Command::new("git");
        let listed = git.args(["ls-files", "-co", "--exclude-standard", "-z"]).current_dir(&self.root).output();
        let listed = String::from_utf8(listed.expect("git runs").stdout).expect("names are UTF-8");
        let names = listed.split('\0').filter(|name| self.root.join(name).is_file());
        let is_wanted = |name: &&str| !name.starts_with("tests/mutants/") || *name == "tests/mutants/mod.rs";
        names.filter(|name| !name.is_empty()).filter(is_wanted).map(String::from).collect()
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.root.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Makes the copy, with these files changed. What does not change keeps its time, so that it is not built again.
    pub fn write(&self, changed: &BTreeMap<String, String>) {
        let wanted = self.files();
        for name in &wanted {
            let to = self.copy().join(name);
            let content = changed.get(name).map_or_else(
                || std::fs::read(self.root.join(name)).expect("the file was listed"),
                |text| text.clone().into_bytes(),
            );
            if !std::fs::read(&to).is_ok_and(|before| before == content) {
                std::fs::create_dir_all(to.parent().expect("it is in the copy")).expect("the folder can be made");
                std::fs::copy(self.root.join(name), &to).expect("the file can be copied");
                std::fs::write(&to, content).expect("the copy can be written");
            }
        }
        remove_others(&self.copy(), &self.copy(), &wanted);
    }

    /// Builds the tests with those of the mutants that compile. Returns the test programs, of the library and of its
    /// behaviour; the others are left out of `mutants`.
    pub fn build(&self, mutants: &mut BTreeMap<usize, Mutant>) -> Vec<PathBuf> {
        loop {
            let places = self.write_mutants(mutants);
            // The second time with the library's own tests: the library is built once more for them.
            match self.cargo(false).and_then(|_| self.cargo(true)) {
                Ok(programs) => return programs,
                Err(errors) => {
                    let mut refused = BTreeSet::new();
                    for error in &errors {
                        let inside = |(range, _): &&(Range<usize>, usize)| {
                            range.start <= error.bytes.start && error.bytes.end <= range.end
                        };
                        let all = places.get(&error.file).into_iter().flatten();
                        refused.extend(all.filter(inside).min_by_key(|(range, _)| range.len()).map(|(_, n)| *n));
                    }
                    eprintln!("{} mutants do not compile", refused.len());
                    if refused.is_empty() {
                        panic!("the copy does not compile: {}", errors.first().map_or("", |error| &error.message));
                    }
                    mutants.retain(|number, _| !refused.contains(number));
                }
            }
        }
    }

    fn write_mutants(&self, mutants: &BTreeMap<usize, Mutant>) -> Places {
        let mut by_file: BTreeMap<&str, Vec<(usize, &Mutant)>> = BTreeMap::new();
        for (number, mutant) in mutants {
            by_file.entry(&mutant.file).or_default().push((*number, mutant));
        }
        let (mut changed, mut places) = (BTreeMap::new(), Places::new());
        for (file, mut of_file) in by_file {
            of_file.sort_by_key(|(_, mutant)| (mutant.whole.start, std::cmp::Reverse(mutant.whole.end)));
            let source = self.read(file);
            let mut writer = Writer { source: &source, text: String::new(), places: Vec::new() };
            writer.write(0..source.len(), &of_file);
            places.insert(file.into(), writer.places);
            changed.insert(file.to_string(), writer.text);
        }
        let lib = "src/lib.rs";
        changed.entry(lib.into()).or_insert_with(|| self.read(lib)).push_str(CHOICE);
        self.write(&changed);
        places
    }

    /// The test programs, or the errors of the compiler.
    fn cargo(&self, with_unit_tests: bool) -> Result<Vec<PathBuf>, Vec<CompileError>> {
        let words = "test --no-default-features --no-run --message-format json --test tests";
        let output = Command::new("cargo")
            .args(words.split(' ').chain(with_unit_tests.then_some("--lib")))
            .current_dir(self.copy())
            .env("CARGO_TARGET_DIR", self.work.join("build"))
            // The tests run some thousand times, with all checks of the profile.
            .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .stderr(Stdio::inherit())
            .output()
            .expect("cargo runs");
        let (mut programs, mut errors) = (Vec::new(), Vec::new());
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Ok(line) = serde_json::from_str::<serde_json::Value>(line) else { continue };
            if let Some(program) = line["executable"].as_str()
                && line["profile"]["test"] == true
            {
                programs.push(program.into());
            }
            let message = &line["message"];
            if message["level"] == "error" {
                // What it marks first, and then all else it speaks of.
                let spans = message["spans"].as_array().map_or(&[][..], Vec::as_slice);
                errors.extend(spans.iter().filter_map(|span| {
                    let at = |key: &str| Some(span[key].as_u64()? as usize);
                    let file = span["file_name"].as_str()?.into();
                    let message = message["rendered"].as_str().unwrap_or_default().into();
                    Some(CompileError { file, bytes: at("byte_start")?..at("byte_end")?, message })
                }));
            }
        }
        if output.status.success() { Ok(programs) } else { Err(errors) }
    }
}

struct CompileError {
    file: String,
    bytes: Range<usize>,
    message: String,
}

struct Writer<'a> {
    source: &'a str,
    text: String,
    places: Vec<(Range<usize>, usize)>,
}

impl Writer<'_> {
    /// Writes a part of the source with the mutants in it, which are sorted: the outer ones first.
    fn write(&mut self, range: Range<usize>, mutants: &[(usize, &Mutant)]) {
        let (mut at, mut rest) = (range.start, mutants);
        while let Some((_, first)) = rest.first() {
            let whole = first.whole.clone();
            self.text.push_str(&self.source[at..whole.start]);
            let same = rest.iter().take_while(|(_, mutant)| mutant.whole == whole).count();
            let within = rest.iter().take_while(|(_, mutant)| mutant.whole.start < whole.end).count();
            let begin = self.text.len();
            self.text.push_str(if first.is_statement { "" } else { "(" });
            for (number, mutant) in &rest[..same] {
                self.text.push_str(&format!("if crate::mutants::is({number}) {{ "));
                let begin = self.text.len();
                self.text.push_str(&mutant.mutated(self.source));
                self.places.push((begin..self.text.len(), *number));
                self.text.push_str(" } else ");
            }
            self.text.push_str("{ ");
            self.write(whole.clone(), &rest[same..within]);
            self.text.push_str(if first.is_statement { " }" } else { " })" });
            self.places.push((begin..self.text.len(), rest[0].0));
            (at, rest) = (whole.end, &rest[within..]);
        }
        self.text.push_str(&self.source[at..range.end]);
    }
}

fn remove_others(folder: &Path, copy: &Path, wanted: &BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("the folder is ours").flatten() {
        let path = entry.path();
        if path.is_dir() {
            remove_others(&path, copy, wanted);
        } else if !path.strip_prefix(copy).is_ok_and(|name| wanted.contains(&name.to_string_lossy().replace('\\', "/")))
        {
            std::fs::remove_file(&path).expect("the file is ours");
        }
    }
}
