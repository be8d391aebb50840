//! The blocks that can be inserted, for the palette, the list of blocks to insert and the help: found once, until the
//! models, the blocks or the query change.

use std::sync::Arc;

use crate::app::action::new_block::NewBlock;
use crate::block::search;
use crate::block::{BlockDef, Registry, library};
use crate::format::LibraryItem;
use crate::model::{BlockKind, LibraryLink, Simulation};

/// A kind of block that can be inserted.
pub struct Item {
    pub kind: BlockKind,
    /// The file of the user's library that defines its model.
    pub from: Option<Arc<Simulation>>,
    /// The link that its copy has to that library.
    pub link: Option<LibraryLink>,
    pub title: String,
    /// Names in other programs; those of library blocks are in their definition.
    pub others: &'static [&'static str],
    pub about: String,
    pub group: String,
    pub def: Option<&'static BlockDef>,
}

/// The sources of items: the blocks of the library, and the models of the file in their order.
#[derive(Clone)]
pub struct ItemSource {
    pub registry: Arc<Registry>,
    pub models: Arc<[Arc<str>]>,
}

/// The items that match a query, the best first.
#[derive(Default)]
pub struct FoundItems {
    of: Option<(String, ItemSource)>,
    items: Vec<Item>,
    /// The value that the query ends with, if it is one: `gain 2.5`.
    value: Option<String>,
    /// How often they were searched.
    pub searches: u64,
}

impl Item {
    pub fn new_block(&self) -> NewBlock {
        NewBlock { kind: self.kind.clone(), from: self.from.clone(), link: self.link.clone(), value: None }
    }
}

impl ItemSource {
    /// Returns whether both have the same contents, as far as can be told without comparing them.
    pub fn is_same(&self, other: &ItemSource) -> bool {
        Arc::ptr_eq(&self.registry, &other.registry) && Arc::ptr_eq(&self.models, &other.models)
    }
}

impl FoundItems {
    /// Returns the matches; they are searched only for another query or other contents.
    pub fn of(&mut self, query: &str, source: &ItemSource) -> &[Item] {
        if self.of.as_ref().is_none_or(|(known, of)| known != query || !of.is_same(source)) {
            let find = |query| find(query, (&source.registry, &source.models));
            let found = find(query);
            let is_name = found.iter().any(|item| names_it(query, item));
            (self.items, self.value) = match (name_and_value(query), port_and_name(query)) {
                (Some((name, value)), _) if !is_name => (find(name), Some(value.to_owned())),
                (None, Some((port, name))) if !is_name => (vec![port], Some(name.to_owned())),
                _ => (found, None),
            };
            self.of = Some((query.to_owned(), source.clone()));
            self.searches += 1;
        }
        &self.items
    }
}

impl FoundItems {
    /// Returns a match as the block to insert, with the value that the query ends with.
    pub fn new_block(&self, number: usize) -> Option<NewBlock> {
        Some(NewBlock { value: self.value.clone(), ..self.items.get(number)?.new_block() })
    }
}

/// Splits a query into the name of a block and a value after it, such as `gain 2.5`, `gain -k` or `step =k`.
fn name_and_value(query: &str) -> Option<(&str, &str)> {
    let is_start = |first: char| first.is_ascii_digit() || "+-.[(=".contains(first);
    let start = query
        .char_indices()
        .zip(query.chars().skip(1))
        .find_map(|((at, before), first)| (before.is_whitespace() && is_start(first)).then_some(at))?;
    let (name, value) = query.split_at(start);
    let value = value.trim();
    let value = value.strip_prefix('=').unwrap_or(value).trim();
    (!name.trim().is_empty() && !value.is_empty()).then_some((name.trim(), value))
}

/// Splits a query into an entry, exit or subsystem and the name that it gets: `exit speed`.
fn port_and_name(query: &str) -> Option<(Item, &str)> {
    let (first, name) = query.trim().split_once(char::is_whitespace)?;
    let is_it = |item: &Item| {
        let mut names = item.others.iter().copied().chain([&*item.title]);
        names.any(|known| known.eq_ignore_ascii_case(first))
    };
    Some((ports().into_iter().find(is_it)?, name.trim()))
}

/// Whether the title or another name of an item contains the query, so that its digits are not a value.
fn names_it(query: &str, item: &Item) -> bool {
    let aliases = item.def.map(|def| def.aliases).unwrap_or_default();
    let names = std::iter::once(&*item.title).chain(aliases.iter().copied()).chain(item.others.iter().copied());
    names.into_iter().any(|name| name.to_lowercase().contains(&query.to_lowercase()))
}

/// Returns the block with this name in the settings.
pub fn item_called(name: &str, registry: &Registry) -> Option<Item> {
    let (group, name) = name.split_once('/')?;
    registry.get(group, name).map(library_item)
}

/// The groups in the order of the library.
pub fn groups(registry: &Registry) -> Vec<&'static str> {
    let mut groups: Vec<&'static str> = Vec::new();
    for def in library::defs().chain(registry.iter()) {
        if !groups.contains(&def.group) {
            groups.push(def.group);
        }
    }
    groups
}

pub fn library_item(def: &'static BlockDef) -> Item {
    Item {
        kind: BlockKind::library(def.group, def.name),
        from: None,
        link: None,
        title: def.title().to_owned(),
        others: &[],
        about: def.doc.to_owned(),
        group: def.group_title().to_owned(),
        def: Some(def),
    }
}

pub fn ports() -> Vec<Item> {
    let port = |kind, title: &str, others, about: &str| Item {
        kind,
        from: None,
        link: None,
        title: title.to_owned(),
        others,
        about: about.to_owned(),
        group: "Ports and models".to_owned(),
        def: None,
    };
    vec![
        port(
            BlockKind::entry("In"),
            "Input",
            &["inport", "in1", "in", "entry", "input port", "in_f"],
            "An input of the model; with an output of the same name it passes a value to the next step",
        ),
        port(
            BlockKind::exit("Out"),
            "Output",
            &["outport", "out1", "out", "exit", "output port", "out_f"],
            "An output of the model",
        ),
        port(
            BlockKind::model(""),
            "Subsystem",
            &[
                "model",
                "submodel",
                "super block",
                "superblock",
                "atomic subsystem",
                "hierarchy",
                "group",
                "enabled subsystem",
                "triggered subsystem",
                "conditional subsystem",
                "for each subsystem",
                "while subsystem",
            ],
            "A block with a new, empty model: type its name, double-click to open it",
        ),
    ]
}

/// The blocks of a file of the user's library.
pub fn own_items<'a>(group: &'a str, items: Vec<&'a LibraryItem>) -> impl Iterator<Item = Item> + 'a {
    items.into_iter().map(move |item| Item {
        kind: BlockKind::model(&item.name),
        from: Some(Arc::clone(&item.simulation)),
        link: item.link(),
        title: item.name.to_string(),
        others: &[],
        about: match item.doc() {
            "" => format!("A model of your library, from {group}; it is copied into the file"),
            doc => doc.to_owned(),
        },
        group: group.to_owned(),
        def: None,
    })
}

/// The models of the file.
pub fn models(names: &[Arc<str>]) -> impl Iterator<Item = Item> {
    names.iter().map(|name| Item {
        kind: BlockKind::model(name),
        from: None,
        link: None,
        title: name.to_string(),
        others: &[],
        about: "A model of this file".to_owned(),
        group: "Models".to_owned(),
        def: None,
    })
}

/// Returns the matches of the search, the best first.
fn find(query: &str, (registry, model_names): (&Registry, &[Arc<str>])) -> Vec<Item> {
    let mut found: Vec<((i32, i32), Item)> = registry
        .iter()
        .filter(|def| library::is_listed(def))
        .filter_map(|def| Some((search::fit_block(query, def)?, library_item(def))))
        .chain(ports().into_iter().chain(models(model_names)).filter_map(|item| {
            let names = search::Names { title: &item.title, others: item.others, group: &item.group, doc: "" };
            Some((search::fit_names(query, &names)?, item))
        }))
        .collect();
    found.sort_by(|(a, first), (b, second)| b.cmp(a).then_with(|| first.title.cmp(&second.title)));
    found.into_iter().map(|(_, item)| item).take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_after_the_name_is_the_blocks() {
        let source = ItemSource { registry: Registry::standard(), models: Arc::from([]) };
        let first = |query: &str| {
            let mut found = FoundItems::default();
            let title = found.of(query, &source).first().map(|item| item.title.clone());
            (title.unwrap_or_default(), found.new_block(0).and_then(|block| block.value))
        };
        let expected = |title: &str, value: Option<&str>| (title.to_owned(), value.map(str::to_owned));
        assert_eq!(first("gain 2.5"), expected("Gain", Some("2.5")));
        assert_eq!(first("gain -k/2"), expected("Gain", Some("-k/2")));
        assert_eq!(first("constant [1 2 3]"), expected("Constant", Some("[1 2 3]")));
        assert_eq!(first("gain =k"), expected("Gain", Some("k")));
        assert_eq!(first("exit speed"), expected("Output", Some("speed")));
        assert_eq!(first("out motor speed"), expected("Output", Some("motor speed")));
        assert_eq!(first("subsystem Plant"), expected("Subsystem", Some("Plant")));
        assert_eq!(first("input port"), expected("Input", None));
        assert_eq!(first("1/z"), expected("Unit Delay", None));
        assert_eq!(first("sum"), expected("Sum", None));
    }

    /// Search texts, and the block that users of other programs mean by them.
    const WANTED: &[(&str, &str)] = &[
        ("constant", "Constant"),
        ("enabled subsystem", "Subsystem"),
        ("triggered subsystem", "Subsystem"),
        ("xy graph", "Scope"),
        ("stateflow", "Function"),
        ("state machine", "Function"),
        ("prbs", "Random"),
        ("chart", "Scope"),
        ("const", "Constant"),
        ("ramp", "Ramp"),
        ("triangle", "Triangle"),
        ("inport", "Input"),
        ("outport", "Output"),
        ("in1", "Input"),
        ("subsystem", "Subsystem"),
        ("integrator", "Integrator"),
        ("integrate", "Integrator"),
        ("1/s", "Integrator"),
        ("integr", "Integrator"),
        ("gain", "Gain"),
        ("sum", "Sum"),
        ("add", "Sum"),
        ("step", "Step"),
        ("sine", "Sine"),
        ("sine wave", "Sine"),
        ("pulse", "Pulse"),
        ("pulse generator", "Pulse"),
        ("scope", "Scope"),
        ("display", "Display"),
        ("mux", "Mux"),
        ("demux", "Demux"),
        ("bus", "Bus Creator"),
        ("bus selector", "Bus Selector"),
        ("unbundle by name", "Bus Selector"),
        ("bus assignment", "Bus Assignment"),
        ("switch", "Switch"),
        ("unit delay", "Unit Delay"),
        ("1/z", "Unit Delay"),
        ("saturation", "Saturate"),
        ("sat", "Saturate"),
        ("relay", "Relay"),
        ("dead zone", "Dead Zone"),
        ("transfer function", "Transfer Function"),
        ("transfer fcn", "Transfer Function"),
        ("pid", "PID Controller"),
        ("state space", "State Space"),
        ("product", "Product"),
        ("divide", "Product"),
        ("multiply", "Multiply"),
        ("clock", "Clock"),
        ("random", "Random"),
        ("lookup table", "1-D Lookup Table"),
        ("and", "Gate"),
        ("goto", "Goto"),
        ("from", "From"),
        ("terminator", "Terminator"),
        ("zero-order hold", "Zero-Order Hold"),
        ("zoh", "Zero-Order Hold"),
        ("derivative", "Derivative"),
        ("du/dt", "Derivative"),
        ("rate limiter", "Rate Limiter"),
        ("transport delay", "Transport Delay"),
        ("s-function", "Function"),
        ("comment", "Text"),
        ("matrix multiply", "Matrix Multiply"),
    ];

    #[test]
    fn matches_are_searched_only_for_something_new() {
        let registry = Arc::new(Registry::standard());
        let source = |models: &[&str]| ItemSource {
            registry: Arc::clone(&registry),
            models: models.iter().map(|name| Arc::from(*name)).collect(),
        };
        let (one, other) = (source(&["Main"]), source(&["Main", "Gainer"]));
        let mut found = FoundItems::default();
        let count = found.of("gain", &one).len();
        (0..5).for_each(|_| assert_eq!(found.of("gain", &one).len(), count));
        assert_eq!(found.searches, 1);
        assert_eq!(found.of("gain", &other).len(), count + 1);
        found.of("sum", &other);
        assert_eq!(found.searches, 3);
    }

    #[test]
    fn what_users_type_finds_what_they_mean_first() {
        let registry = Registry::standard();
        for (typed, wanted) in WANTED {
            let found = find(typed, (&registry, &[]));
            let titles: Vec<&str> = found.iter().take(3).map(|item| &*item.title).collect();
            assert_eq!(titles.first(), Some(wanted), "{typed}: {titles:?}");
        }
    }

    #[test]
    fn all_blocks_of_buses_come_first_for_bus() {
        let registry = Registry::standard();
        let found = find("bus", (&registry, &[]));
        let mut titles: Vec<&str> = found.iter().take(3).map(|item| &*item.title).collect();
        titles.sort_unstable();
        assert_eq!(titles, ["Bus Assignment", "Bus Creator", "Bus Selector"]);
    }

    #[test]
    fn whole_words_come_before_beginnings_and_those_before_the_rest() {
        let order = ["sum", "weighted sum of all", "summing point", "the summing point", "resume", "s u m"];
        let scores = order.map(|text| search::fit("sum", text).expect(text));
        assert!(scores.is_sorted_by(|one, next| one > next), "{scores:?}");
        assert_eq!(search::fit("sum", "muse"), None);
    }

    /// Files keep their names, users read titles, and no two blocks are offered under one name.
    #[test]
    fn every_block_has_a_title_of_its_own_in_its_group() {
        let registry = Registry::standard();
        let mut seen = std::collections::BTreeSet::new();
        for def in registry.iter().filter(|def| library::is_listed(def)) {
            assert!(seen.insert((def.group, def.title())), "{}/{} is called as another", def.group, def.name);
        }
        let title = |group: &str, name: &str| registry.get(group, name).map(|def| (def.group_title(), def.title()));
        assert_eq!(title("Var", "Static"), Some(("Sources", "Constant")));
        assert_eq!(title("Var", "Ramp"), Some(("Sources", "Triangle")));
        assert_eq!(title("Var", "Line"), Some(("Sources", "Ramp")));
        assert!(registry.get("Math", "Integrate").is_some_and(|def| !library::is_listed(def)), "it is loadable");
    }
}
