//! Who names whom in `src`: each room names only what the table allows, and no more than five files form a ring.
//!
//! A room is a folder, or a file, of `src`; its files are those that no smaller room of the table has. An import is a
//! path in a `use` or in the code that leads to another file; a name that is only passed on (`pub use`) counts for the
//! file that defines it.

mod map;
mod source;

use std::collections::{BTreeMap, BTreeSet};

use self::source::Source;

/// A room, and the rooms and files that it may name, besides itself.
const ROOMS: &[(&str, &[&str])] = &[
    ("listed", &[]),
    ("threads", &[]),
    ("block", &["listed"]),
    ("model", &["listed", "threads", "block"]),
    ("format", &["block", "model"]),
    ("import", &["block", "model", "format"]),
    ("diff", &["block", "model"]),
    ("merge", &["block", "model", "diff"]),
    ("engine::program", &["threads", "block", "model"]),
    ("engine::solve", &["threads", "block", "model", "engine::program"]),
    ("engine::compile", &["threads", "block", "model", "engine::program", "engine::solve"]),
    ("engine::step_code", &["threads", "block", "model", "engine::program", "engine::compile", "engine::solve"]),
    ("engine::reference", &["threads", "block", "model", "engine::program", "engine::solve"]),
    ("engine::native", &["threads", "block", "model", "engine::program", "engine::compile", "engine::step_code"]),
    (
        "engine::threaded",
        &["threads", "block", "model", "engine::program", "engine::compile", "engine::step_code", "engine::native"],
    ),
    (
        "engine::trace",
        &["threads", "block", "model", "engine::program", "engine::solve", "engine::step_code", "engine::reference"],
    ),
    (
        "engine::analysis",
        &[
            "threads",
            "block",
            "model",
            "engine::program",
            "engine::compile",
            "engine::solve",
            "engine::step_code",
            "engine::reference",
        ],
    ),
    (
        "engine::sensitivity",
        &[
            "threads",
            "block",
            "model",
            "engine::program",
            "engine::compile",
            "engine::solve",
            "engine::step_code",
            "engine::native",
        ],
    ),
    (
        "engine::engines",
        &[
            "threads",
            "block",
            "model",
            "engine::program",
            "engine::step_code",
            "engine::reference",
            "engine::native",
            "engine::threaded",
        ],
    ),
    (
        "engine::session",
        &["threads", "block", "model", "engine::program", "engine::compile", "engine::solve", "engine::engines"],
    ),
    ("engine::setup", &["block", "model", "engine::program", "engine::compile"]),
    (
        "engine::sweep",
        &[
            "threads",
            "block",
            "model",
            "engine::program",
            "engine::compile",
            "engine::step_code",
            "engine::engines",
            "engine::session",
            "engine::setup",
            "sampling",
        ],
    ),
    (
        "engine::remote",
        &["threads", "block", "model", "engine::program", "engine::compile", "engine::step_code", "engine::native"],
    ),
    ("engine", &["engine", "threads", "block", "model"]),
    ("export", &["block", "model", "engine"]),
    ("exported", &["block", "model", "format", "engine", "export", "results"]),
    ("worker", &["threads", "block", "format"]),
    ("pool", &["threads", "block", "model", "format", "engine", "sampling", "worker", "optimize", "calibration"]),
    ("measure", &[]),
    ("sampling", &["block"]),
    ("optimize", &["sampling"]),
    ("tuning", &["block", "model", "engine", "measure"]),
    ("trial", &["threads", "block", "model", "engine", "optimize"]),
    ("calibration", &["threads", "block", "model", "engine", "optimize", "trial"]),
    ("requirement", &["block", "model", "engine", "measure", "optimize", "trial"]),
    ("plugin", &["block", "format"]),
    ("results", &["block", "model", "format", "engine"]),
    ("conformance", &["block", "model", "format", "engine"]),
    ("components", &["block", "format", "import", "engine", "plugin"]),
    ("api", &["components", "block", "model", "format", "engine", "plugin", "worker"]),
    (
        "rpc",
        &[
            "threads",
            "components",
            "api",
            "block",
            "model",
            "format",
            "diff",
            "engine",
            "measure",
            "plugin",
            "sampling",
        ],
    ),
    (
        "cli",
        &[
            "threads",
            "components",
            "api",
            "rpc",
            "conformance",
            "block",
            "calibration",
            "model",
            "format",
            "import",
            "diff",
            "merge",
            "engine",
            "export",
            "exported",
            "measure",
            "optimize",
            "plugin",
            "pool",
            "requirement",
            "results",
            "sampling",
            "trial",
            "tuning",
            "worker",
        ],
    ),
    ("app::ui", &["listed", "block", "model"]),
    ("app::drawing", &["app::ui", "model", "format"]),
    ("app::doc", &["app::ui::chart::kinds", "app::ui::numbers", "block", "model", "engine", "measure", "requirement"]),
    (
        "app::store",
        &[
            "threads",
            "listed",
            "app::ui::chart::kinds",
            "app::ui::keymap",
            "app::ui::look",
            "app::ui::theme",
            "app::doc",
            "block",
            "model",
            "format",
            "diff",
            "engine",
            "measure",
            "tuning",
            "calibration",
            "requirement",
            "trial",
            "results",
            "pool",
            "sampling",
            "components",
            "api",
            "rpc",
        ],
    ),
    (
        "app::action",
        &["listed", "app::ui", "app::drawing", "app::doc", "app::store", "block", "model", "format", "diff", "export"],
    ),
    ("app::canvas", &["app::ui", "app::drawing", "app::doc", "app::action", "block", "model", "engine", "tuning"]),
    ("app::panels", &["app::ui", "app::drawing", "app::doc", "app::store", "app::action", "app::canvas", OUTSIDE]),
    (
        "app::model_report",
        &[
            "app::ui",
            "app::drawing",
            "app::doc",
            "app::store",
            "app::canvas",
            "app::panels::dashboard",
            "app::panels::plots",
            OUTSIDE,
        ],
    ),
    ("app::artist", &["app::ui", "app::drawing", "app::canvas", "app::panels::dashboard", "block", "model", "rpc"]),
    ("app::diff_page", &["app::drawing", "app::canvas", "block", "model", "diff"]),
    ("app::dialogs", &["app::ui", "app::drawing", "app::doc", "app::store", "app::action", "app::canvas", OUTSIDE]),
    ("app::shell", &["app", "threads", OUTSIDE]),
    ("app", &["app"]),
    ("start", &["threads", "components", "format", "plugin", "rpc", "app", "cli"]),
    ("main", &["components", "start"]),
];

/// Stands for everything but the window and the command line.
const OUTSIDE: &str = "block, model, format, import, diff, merge, engine, export, exported, api, rpc, components, measure, optimize, calibration, requirement, trial, plugin, pool, results, sampling, tuning, worker, listed";

/// The largest ring of files that name each other.
const LARGEST_RING: usize = 5;

/// Returns whether a path is this room or lies in it.
fn is_in(path: &str, room: &str) -> bool {
    path.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Returns the smallest room of a file.
fn room_of(file: &str) -> Option<&'static (&'static str, &'static [&'static str])> {
    ROOMS.iter().filter(|(room, _)| is_in(file, room)).max_by_key(|(room, _)| room.len())
}

fn may_name(file: &str, other: &str) -> bool {
    let Some((room, allowed)) = room_of(file) else { return file.is_empty() };
    let mut allowed = allowed.iter().flat_map(|allowed| allowed.split(", ")).chain([*room]);
    allowed.any(|allowed| is_in(other, allowed))
}

/// Each thread has a stack of a stated size, since [`simulate::threads`] starts it.
#[test]
fn no_thread_is_started_elsewhere() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut folders, mut faults) = (vec![root.join("src"), root.join("bindings/python/src")], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            match std::fs::read_to_string(&path) {
                Err(_) => folders.push(path),
                Ok(_) if path.ends_with("src/threads.rs") || path.extension().is_none_or(|end| end != "rs") => {}
                Ok(text) => {
                    // What tests start runs what they give it.
                    let text = text.split("\n#[cfg(test)]").next().unwrap_or_default();
                    let ways = ["thread::spawn", "thread::Builder", "scope.spawn(", ".spawn_scoped("];
                    // The threads of a runtime are started by it.
                    let runtimes = text.matches("Builder::new_current_thread").count();
                    let stated = text.matches("thread_stack_size(threads::STACK)").count();
                    faults.extend((runtimes != stated).then(|| (path.clone(), "thread_stack_size")));
                    faults.extend(ways.into_iter().filter(|way| text.contains(way)).map(|way| (path.clone(), way)));
                }
            }
        }
    }
    assert_eq!(faults, [], "use simulate::threads");
}

/// Returns what the files name against the table.
fn faults(source: &Source) -> Vec<String> {
    let mut faults = Vec::new();
    for (file, named) in &source.names {
        for (other, names) in named.iter().filter(|(other, _)| !may_name(file, other)) {
            faults.push(format!(
                "{file} may not name {other} ({})",
                names.iter().cloned().collect::<Vec<_>>().join(", ")
            ));
        }
    }
    faults
}

/// Returns the rings that are larger than they may be.
fn large_rings(source: &Source) -> Vec<String> {
    let rings = rings(&source.names).into_iter().filter(|ring| ring.len() > LARGEST_RING);
    rings.map(|ring| format!("{} files name each other: {}", ring.len(), Vec::from_iter(ring).join(" "))).collect()
}

/// Returns the sets of files of which each leads to each other.
fn rings(names: &BTreeMap<String, source::Named>) -> Vec<BTreeSet<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = names
        .keys()
        .map(|file| {
            let (mut reached, mut ahead) = (BTreeSet::new(), vec![&**file]);
            while let Some(here) = ahead.pop() {
                let next = names.get(here).into_iter().flat_map(|named| named.keys()).map(|other| &**other);
                ahead.extend(next.filter(|other| reached.insert(*other)).collect::<Vec<_>>());
            }
            (&**file, reached)
        })
        .collect();
    let ring_of = |file: &&str| -> BTreeSet<&str> {
        let leads_back = |other: &&&str| reached.get(**other).is_some_and(|reached| reached.contains(file));
        reached.get(file).into_iter().flatten().filter(leads_back).copied().collect()
    };
    BTreeSet::from_iter(reached.keys().map(ring_of)).into_iter().filter(|ring| ring.len() > 1).collect()
}

#[test]
fn each_room_names_only_what_it_may() {
    let source = Source::of_the_program();
    assert!(source.names.len() > 400, "the files are found");
    let rooms: BTreeSet<&str> = source.names.keys().filter_map(|file| Some(room_of(file)?.0)).collect();
    assert_eq!(
        rooms.len() + usize::from(!cfg!(feature = "app")),
        ROOMS.len() + usize::from(!cfg!(feature = "app")),
        "every room has files"
    );
    let faults = faults(&source);
    assert!(faults.is_empty(), "{}\nSee the table in tests/rooms/mod.rs", faults.join("\n"));
}

#[test]
fn at_most_five_files_form_a_ring() {
    let rings = large_rings(&Source::of_the_program());
    assert!(rings.is_empty(), "{}", rings.join("\n"));
}

#[test]
fn a_forbidden_import_and_a_ring_are_found() {
    let text = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let check = |files: Vec<(String, String)>| {
        let source = Source::of_files(files);
        (faults(&source), large_rings(&source))
    };
    // In a use with braces, through a name passed on, and in the code.
    let (faults, _) = check(vec![
        text("model/mod.rs", "mod a;\npub use a::Thing;\n"),
        text("model/a.rs", "pub struct Thing;\n"),
        text("listed.rs", ""),
        text("block/mod.rs", "mod b;\nmod c;\nmod d;\n"),
        text("block/b.rs", "use crate::{model::{Thing as Other}, listed};\n"),
        text("block/c.rs", "fn f() { crate::model::a::g(); }\n"),
        text("block/d.rs", "// crate::model::Thing\nconst TEXT: &str = \"crate::model::Thing\";\n"),
        text("engine/mod.rs", "use super::model::Thing;\n#[cfg(test)]\nmod tests {\n    use crate::format;\n}\n"),
    ]);
    assert_eq!(faults, ["block::b may not name model::a (Thing)", "block::c may not name model::a (g)"]);
    let ring = |count: usize| {
        let file = |number: usize| {
            let next = (number + 1) % count;
            text(&format!("engine/f{number}.rs"), &format!("use super::f{next}::x;\npub fn x() {{}}\n"))
        };
        let root = text("engine/mod.rs", "");
        check((0..count).map(file).chain([root]).collect()).1
    };
    assert_eq!(ring(5), Vec::<String>::new());
    assert_eq!(ring(6).len(), 1);
}
