//! The manual lists what solvers of variable step locate, and the kernels of the blocks agree.

use std::collections::BTreeSet;

use simulate::block::{BlockDef, library};
use simulate::conformance::located_kernels;

/// What the kernels of a block do with a solver of variable step, in any of its settings.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    has_crossings: bool,
    has_time_events: bool,
    /// A value has a kink or a jump where an input or a state passes a limit, and no crossing says where.
    switches: bool,
}

fn found(def: &'static BlockDef) -> Found {
    let mut found = Found::default();
    for kernel in located_kernels(def) {
        found.has_crossings |= !kernel.crossings.is_empty();
        found.has_time_events |= !kernel.time_events.is_empty();
        found.switches |= kernel.has_unlocated_switch();
        assert!(
            kernel.is_unlocated || !kernel.has_unlocated_switch(),
            "{} locates its kinks and jumps, or says that it does not",
            def.title()
        );
    }
    found
}

/// The blocks in the first column of the table of the manual that begins with a line.
fn listed(head: &str) -> BTreeSet<String> {
    let manual = include_str!("../../../assets/manual/solvers.md");
    let (_, rest) = manual.split_once(head).expect("the table");
    let rows = rest.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.filter_map(|row| row.split('|').nth(1)).map(|block| block.trim().to_owned()).collect()
}

#[test]
fn the_manual_lists_what_is_located() {
    let (mut located, mut unlocated) = (BTreeSet::new(), BTreeSet::new());
    for def in library::defs() {
        let found = found(def);
        // The table of sources lists time events of sources; the event indicators of an FMU are those of its file.
        let is_listed = found.has_crossings || found.has_time_events && def.group != "Var" || def.name == "FMU";
        if is_listed {
            located.insert(def.title().to_owned());
        } else if found.switches && !found.has_time_events {
            unlocated.insert(def.title().to_owned());
        }
    }
    let compare = |head: &str, want: &BTreeSet<String>| {
        let got = listed(head);
        let missing: Vec<&String> = want.difference(&got).collect();
        let wrong: Vec<&String> = got.difference(want).collect();
        assert!(
            missing.is_empty() && wrong.is_empty(),
            "“{head}” lacks {missing:?}, and has {wrong:?} against the kernels"
        );
    };
    compare("| block | what is located |", &located);
    compare("| block | what it does |", &unlocated);
}
