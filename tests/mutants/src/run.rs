//! Runs the test programs: all tests once without a mutant, then those that come by a mutant with it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::tree::Tree;

/// What a mutant may take, in memory and in a file, in kB: one that never ends would take all there is.
const LIMITS: &str = "ulimit -v 8000000; ulimit -f 8000000; exec \"$0\" \"$@\"";

/// A test that passes without a mutant.
pub struct Test {
    pub program: PathBuf,
    pub name: String,
    pub takes: Duration,
    /// The numbers of the mutants it comes by.
    pub reaches: BTreeSet<usize>,
    /// How many mutants it has killed.
    kills: AtomicU32,
}

impl Test {
    /// In which order tests are run: the quick ones first, and those that have killed before.
    fn rank(&self) -> Duration {
        self.takes / (1 + 4 * self.kills.load(Relaxed))
    }
}

pub enum Found {
    Killed(String),
    Survived,
    /// No test comes by it.
    Unreached,
}

/// Runs all tests, each in a process of its own, so many at a time. Those that take longer than `longest` are left out.
pub fn baseline(programs: &[PathBuf], of: &Tree, jobs: usize, longest: Duration) -> Vec<Test> {
    let (tree, work) = (&*of.copy(), &of.work);
    let mut all = Vec::new();
    for program in programs {
        let listed = Command::new(program).args(["--list", "--format", "terse"]).current_dir(tree).output();
        let listed = String::from_utf8(listed.expect("the tests can be listed").stdout).expect("names are UTF-8");
        all.extend(listed.lines().filter_map(|line| Some((program, line.strip_suffix(": test")?.to_string()))));
    }
    let tests = Mutex::new(Vec::new());
    at_once(jobs, all.into_iter().enumerate(), |(number, (program, name))| {
        let reached = work.join(format!("reached-{number}.txt"));
        let begin = Instant::now();
        let env = ("MUTANTS_REACHED", reached.to_str().expect("the name is UTF-8"));
        let failed = first_failure(program, &[&name], tree, env, longest);
        let takes = begin.elapsed();
        // There is none where no mutant was reached.
        let numbers = std::fs::read_to_string(&reached).unwrap_or_default();
        let _ = std::fs::remove_file(&reached);
        match failed {
            Some(failed) => println!("left out, fails without a mutant: {name}, {failed}"),
            None => {
                let reaches = numbers.lines().filter_map(|line| line.parse().ok()).collect();
                tests.lock().expect("no panic").push(Test {
                    program: program.clone(),
                    name,
                    takes,
                    reaches,
                    kills: AtomicU32::new(0),
                });
            }
        }
    });
    tests.into_inner().expect("no panic")
}

/// Does something with each item, so many at a time.
pub fn at_once<T: Send>(jobs: usize, items: impl Iterator<Item = T> + Send, act: impl Fn(T) + Sync) {
    let items = Mutex::new(items);
    let next = || items.lock().expect("no panic").next();
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(item) = next() {
                    act(item);
                }
            });
        }
    });
}

/// Runs the tests that come by a mutant, those that are likely to kill it soon first, until one fails.
pub fn try_mutant(number: usize, tests: &[Test], tree: &Path) -> Found {
    let mut rest: Vec<&Test> = tests.iter().filter(|test| test.reaches.contains(&number)).collect();
    if rest.is_empty() {
        return Found::Unreached;
    }
    rest.sort_by_cached_key(|test| test.rank());
    // Few processes, of which the first end soon.
    let mut longest = Duration::from_secs(2);
    while !rest.is_empty() {
        let mut sum = Duration::ZERO;
        let fit = rest.iter().take_while(|test| {
            sum += test.takes;
            sum <= longest
        });
        let first: Vec<&Test> = rest.drain(..fit.count().max(1)).collect();
        let mut by_program: BTreeMap<&Path, Vec<&str>> = BTreeMap::new();
        for test in &first {
            by_program.entry(&test.program).or_default().push(&test.name);
        }
        let limit = first.iter().map(|test| test.takes).sum::<Duration>() * 10 + Duration::from_secs(30);
        for (program, names) in by_program {
            if let Some(failed) = first_failure(program, &names, tree, ("MUTANT", &number.to_string()), limit) {
                if let Some(test) = first.iter().find(|test| failed.starts_with(&test.name)) {
                    test.kills.fetch_add(1, Relaxed);
                }
                return Found::Killed(failed);
            }
        }
        longest *= 4;
    }
    Found::Survived
}

/// The first of the tests that fails, or how the program ends instead.
fn first_failure(
    program: &Path,
    names: &[&str],
    tree: &Path,
    (key, value): (&str, &str),
    limit: Duration,
) -> Option<String> {
    // A group, so that what a test starts ends with it.
    let mut job = Command::new("setsid")
        .args(["sh"])
        .args(["-c", LIMITS])
        .arg(program)
        .args(["--exact", "--test-threads", "1"])
        .args(names)
        .current_dir(tree)
        .env(key, value)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the tests start");
    let (output, is_late) = (job.stdout.take().expect("it is a pipe"), AtomicBool::new(false));
    let (done, ended) = std::sync::mpsc::channel::<()>();
    let found = std::thread::scope(|scope| {
        let reader = scope.spawn(move || {
            let _done = done;
            let mut last = names[0].to_string();
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).into_owned();
                if let Some(result) = line.strip_prefix("test ").filter(|line| !line.starts_with("result")) {
                    last = result.split(' ').next().unwrap_or_default().into();
                    if result.ends_with("FAILED") {
                        return Some(last);
                    }
                }
                if line.starts_with("test result: ok") {
                    return None;
                }
            }
            Some(format!("{last}, by its end"))
        });
        // The reader sends nothing: it hangs up when it has seen enough.
        is_late.store(ended.recv_timeout(limit) == Err(std::sync::mpsc::RecvTimeoutError::Timeout), Relaxed);
        let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", job.id())]).stderr(Stdio::null()).status();
        reader.join().expect("the reader does not panic")
    });
    let _ = job.wait();
    if is_late.load(Relaxed) { Some("takes too long".into()) } else { found }
}
