//! Breaks the program in one place at a time and looks whether the tests notice.
//!
//! ```text
//! cargo run --manifest-path tests/mutants/Cargo.toml -- [--sample N] [--seed N] [--jobs N] [--again] [--with TEXT...]
//!     [--build] [--longest SECONDS] [FOLDER-OR-FILE...]
//! ```
//!
//! All mutants of the sample, and those of `list.txt`, are built into one copy of the program, where an environment
//! variable chooses one: a build for each would take days. A test run finds which tests come by which mutant; each
//! mutant then meets its own tests only, until one fails. A mutant that never ends is found out too. `survivors.md` says
//! why one may live; the exit status is 1 where one lives that is not explained there.
//!
//! The tree stays as it is: all happens below target/mutants, which MUTANTS_DIR puts elsewhere. The results are added to
//! `results.txt` there, and mutants that do not compile to `refused.txt`. With `--again` those that lived at last are
//! run, after new tests were written, and with `--with` those whose name, as it is printed, has a text; beside these a
//! sample is taken only where `--sample` is given. `--build` ends when all is built, so that a build can wait for
//! others: the same words without it then run the tests. With `--longest` tests that take longer are left out, so that
//! more mutants live than all tests would let.

mod find;
mod run;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use find::Mutant;
use run::Found;
use tree::Tree;

/// What is looked at, and how the figures are grouped: the first that fits.
const FOLDERS: [&str; 6] =
    ["src/block/library/", "src/block/math/", "src/block/", "src/engine/", "src/format/", "src/model/"];

fn main() {
    let (mut sample, mut seed, mut jobs, mut again, mut is_built_only) = (None, 1, 1, false, false);
    let (mut longest, mut with, mut wanted) = (1200, Vec::new(), Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|word| word.parse().ok()).expect("a number follows");
        match word.as_str() {
            "--sample" => sample = Some(number()),
            "--seed" => seed = number(),
            "--jobs" => jobs = number(),
            "--longest" => longest = number() as u64,
            "--again" => again = true,
            "--with" => with.push(words.next().expect("a text follows")),
            "--build" => is_built_only = true,
            _ => wanted.push(word),
        }
    }
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let root = here.join("../..").canonicalize().expect("the tree is above this crate");
    let work = std::env::var_os("MUTANTS_DIR").map_or_else(|| root.join("target/mutants"), PathBuf::from);
    let tree = Tree { root, work };
    std::fs::create_dir_all(tree.copy()).expect("the folder can be made");
    let results = tree.work.join("results.txt");

    let mut sources = BTreeMap::new();
    let (mut all, mut always) = (Vec::<(String, Mutant)>::new(), Vec::new());
    let list = std::fs::read_to_string(here.join("list.txt")).expect("the list is beside this crate");
    let list: Vec<Vec<&str>> =
        list.lines().filter(|line| line.contains(" ;; ")).map(|line| line.split(" ;; ").collect()).collect();
    for file in tree.files() {
        if !file.ends_with(".rs") || file.ends_with("tests.rs") || folder(&file).is_none() {
            continue;
        }
        let source = tree.read(&file);
        let of_file = list.iter().filter(|line| line[0] == file).map(|line| (line[1], line[2])).collect::<Vec<_>>();
        let (found, listed) = find::mutants(&file, &source, &of_file);
        all.extend(found.into_iter().map(|mutant| (name(&mutant, &source), mutant)));
        always.extend(listed.into_iter().map(|mutant| (name(&mutant, &source), mutant)));
        sources.insert(file, source);
    }
    println!("{} mutants in {} files, {} in the list", all.len(), sources.len(), always.len());
    let explained = std::fs::read_to_string(here.join("survivors.md")).unwrap_or_default();
    stale(&explained, all.iter().chain(&always));

    let before = std::fs::read_to_string(&results).unwrap_or_default();
    let before: BTreeMap<&str, &str> =
        before.lines().filter_map(|line| line.split_once('\t')).map(|(a, b)| (b, a)).collect();
    let is_wanted =
        |(_, mutant): &(String, Mutant)| wanted.is_empty() || wanted.iter().any(|word| mutant.file.contains(word));
    all.retain(is_wanted);
    always.retain(is_wanted);
    let is_extra = |(name, mutant): &(String, Mutant)| {
        let lived = before.get(&**name).is_some_and(|found| matches!(*found, "survived" | "unreached"));
        again && lived && !explained.contains(&explanation(name, mutant)) || with.iter().any(|text| name.contains(text))
    };
    // By chance, and the same ones where other places change.
    all.sort_by_key(|(name, _)| scattered(name, seed));
    let mut rest = all.split_off(sample.unwrap_or(if again || !with.is_empty() { 0 } else { 500 }).min(all.len()));
    rest.retain(is_extra);
    always.extend(all.into_iter().chain(rest));
    let names: Vec<String> = always.iter().map(|(name, _)| name.clone()).collect();
    let mut mutants: BTreeMap<usize, Mutant> = always.into_iter().map(|(_, mutant)| mutant).enumerate().collect();

    // Each that does not compile would cost a build again.
    let path = tree.work.join("refused.txt");
    let refused = std::fs::read_to_string(&path).unwrap_or_default();
    mutants.retain(|number, _| refused.lines().all(|refused| refused != names[*number]));
    let programs = tree.build(&mut mutants);
    let is_new = |(number, name): &(usize, &String)| {
        !mutants.contains_key(number) && refused.lines().all(|refused| refused != *name)
    };
    let more: String = names.iter().enumerate().filter(is_new).map(|(_, name)| format!("{name}\n")).collect();
    std::fs::write(path, format!("{refused}{more}")).expect("the folder is ours");
    println!("{} mutants compile", mutants.len());
    if is_built_only {
        return;
    }
    let tests = run::baseline(&programs, &tree, jobs, Duration::from_secs(longest));
    let takes: f64 = tests.iter().map(|test| test.takes.as_secs_f64()).sum();
    println!("{} tests pass without a mutant, in {takes:.0} s", tests.len());

    let file = std::fs::OpenOptions::new().create(true).append(true).open(&results).expect("the folder is ours");
    let output = Mutex::new((file, BTreeMap::<&str, [usize; 4]>::new()));
    run::at_once(jobs, mutants.iter(), |(number, mutant)| {
        let name = &names[*number];
        // One that is explained would meet all its tests in vain.
        let (word, by) = match explained.contains(&explanation(name, mutant)) {
            true => ("explained", String::new()),
            false => match run::try_mutant(*number, &tests, &tree.copy()) {
                Found::Killed(test) => ("killed", test),
                Found::Survived => ("survived", String::new()),
                Found::Unreached => ("unreached", String::new()),
            },
        };
        let line = mutant.line_number(&sources[&mutant.file]);
        let (file, figures) = &mut *output.lock().expect("no panic");
        println!("{word} | {}:{line} | {name} | {by}", mutant.file);
        writeln!(file, "{word}\t{name}").expect("the results can be written");
        let row = figures.entry(folder(&mutant.file).unwrap_or_default()).or_default();
        row[["killed", "survived", "unreached", "explained"].iter().position(|of| *of == word).unwrap_or(0)] += 1;
    });
    let (_, figures) = output.into_inner().expect("no panic");
    println!("{:20} sampled  killed  survived  unreached  explained", "");
    let mut sum = [0; 4];
    for (folder, row) in figures {
        print_row(folder, row);
        sum = std::array::from_fn(|n| sum[n] + row[n]);
    }
    print_row("all", sum);
    std::process::exit(i32::from(sum[1] + sum[2] > 0));
}

fn print_row(folder: &str, [killed, survived, unreached, explained]: [usize; 4]) {
    let all = killed + survived + unreached + explained;
    println!("{folder:20} {all:7} {killed:7} {survived:9} {unreached:10} {explained:10}");
}

fn folder(file: &str) -> Option<&'static str> {
    FOLDERS.into_iter().find(|folder| file.starts_with(folder))
}

/// Stays the same when other lines change.
fn name(mutant: &Mutant, source: &str) -> String {
    let (before, after) = mutant.lines(source);
    format!("{}: `{before}` → `{after}`", mutant.file)
}

/// The text by which the file of survivors refers to a mutant.
fn explanation(name: &str, mutant: &Mutant) -> String {
    format!("{} (`{}`)", &name[mutant.file.len() + 2..], mutant.file)
}

/// Prints the explanations of mutants that do not exist any more.
fn stale<'a>(explained: &str, mutants: impl Iterator<Item = &'a (String, Mutant)>) {
    let known: BTreeSet<String> = mutants.map(|(name, mutant)| explanation(name, mutant)).collect();
    let entries = explained.lines().filter_map(|line| line.strip_prefix("- ")?.split_once("`): "));
    for (entry, _) in entries.filter(|(entry, _)| !known.contains(&format!("{entry}`)"))) {
        println!("explained, but there is no such mutant: {entry}`)");
    }
}

/// FNV-1a, and then once more mixed.
fn scattered(name: &str, seed: usize) -> u64 {
    let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let hash = seed.to_le_bytes().iter().copied().chain(name.bytes()).fold(0xcbf2_9ce4_8422_2325, add);
    (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ (hash >> 32)
}
