//! The map in `src/lib.rs`: its table lists the modules, and each layer names only layers above it.

use super::ROOMS;

type Rooms<'a> = &'a [(&'a str, &'a [&'a str])];

/// Returns the modules of the table, from top to bottom.
fn layers(library: &str) -> Vec<String> {
    let rows = library.lines().filter_map(|line| line.strip_prefix("//! | ")?.split(" | ").next());
    let names = rows.filter_map(|cell| cell.trim_matches(['[', ']']).strip_prefix('`')?.strip_suffix('`'));
    names.map(|name| name.trim_start_matches("mod@").trim_end_matches("()").to_lowercase()).collect()
}

/// Returns the modules of the crate, each with whether it is public.
fn modules(library: &str) -> Vec<(&str, bool)> {
    let declared = library.lines().filter_map(|line| {
        let name = line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';')?;
        Some((name, line.starts_with("pub ")))
    });
    declared.collect()
}

/// Returns the mistakes of the table.
fn faults(library: &str, rooms: Rooms) -> Vec<String> {
    let (layers, modules) = (layers(library), modules(library));
    let place = |room: &str| layers.iter().position(|layer| layer == room.split("::").next().unwrap_or_default());
    let mut faults = Vec::new();
    for layer in layers.iter().filter(|layer| !modules.iter().any(|(module, _)| module == layer)) {
        faults.push(format!("{layer} is not a module"));
    }
    for (module, _) in modules.iter().filter(|(module, is_public)| *is_public && place(module).is_none()) {
        faults.push(format!("{module} is not in the table"));
    }
    for (room, allowed) in rooms {
        for other in allowed.iter().flat_map(|allowed| allowed.split(", ")) {
            if let (Some(own), Some(other_place)) = (place(room), place(other))
                && other_place > own
            {
                faults.push(format!("{room} names {other}, which stands below it"));
            }
        }
    }
    faults
}

#[test]
fn each_layer_of_the_map_names_only_layers_above_it() {
    let library = include_str!("../../src/lib.rs");
    assert!(layers(library).len() > 15, "the table is found");
    assert_eq!(faults(library, ROOMS), [""; 0]);
}

/// The documentation of the crate shows only what its users and extensions need.
#[test]
fn a_public_module_is_linked_in_the_map_or_hidden() {
    let library = include_str!("../../src/lib.rs");
    let is_linked = |module: &str| {
        [format!("//! | [`{module}`]"), format!("//! | [`mod@{module}`]")].iter().any(|row| library.contains(row))
    };
    for (module, _) in modules(library).into_iter().filter(|(_, is_public)| *is_public) {
        let is_hidden = library.contains(&format!("#[doc(hidden)]\npub mod {module};"));
        assert!(is_hidden != is_linked(module), "{module}");
    }
    assert_eq!(library.matches("\npub mod ").count() - library.matches("#[doc(hidden)]\npub mod ").count(), 5);
}

#[test]
fn an_arrow_up_and_a_missing_module_are_found() {
    let library = "//! | module | contents |\n//! |---|---|\n//! | [`block`] | … |\n//! | [`mod@format`] | … |\n\
                   //! | `gone` | … |\n\npub mod block;\npub mod format;\npub mod engine;\nmod listed;\n";
    let rooms: Rooms = &[("block", &["listed"]), ("block::math", &["format"]), ("format", &["block", "listed"])];
    let expected =
        ["gone is not a module", "engine is not in the table", "block::math names format, which stands below it"];
    assert_eq!(faults(library, rooms), expected);
}
