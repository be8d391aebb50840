//! Merges the attributes of tags and the content of blocks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::three_way::{Pick, order, pick};
use crate::model::{
    Attributes, Block, BlockKind, BodyItem, CONFLICTS, Conflict, Connection, DASHBOARD, Extra, PINNED, PLOTS, Property,
    RECORDED, REQUIREMENTS, conflicts_in, conflicts_text, kind_values,
};

/// The prefix of attributes that only change how a diagram looks.
pub const VIEW: &str = "view:";
/// The position of a block, which is one value.
const POSITION: [&str; 2] = ["view:x", "view:y"];

/// The states of a tag: the base and both sides.
pub struct States<'a, T: ?Sized> {
    pub base: &'a T,
    pub ours: &'a T,
    pub theirs: &'a T,
}

impl<T: ?Sized> Clone for States<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for States<'_, T> {}

impl<'a, T: ?Sized> States<'a, T> {
    pub fn map<U: ?Sized>(self, part: impl Fn(&'a T) -> &'a U) -> States<'a, U> {
        States { base: part(self.base), ours: part(self.ours), theirs: part(self.theirs) }
    }

    fn each<U>(self, part: impl Fn(&'a T) -> U) -> [U; 3] {
        [part(self.base), part(self.ours), part(self.theirs)]
    }
}

/// Merges attributes. A conflict leaves our value, or theirs where we have none; the layout is ours without a conflict.
pub fn attributes(states: States<Attributes>, conflicts: &mut Vec<Conflict>) -> Attributes {
    let States { base, ours, theirs } = states;
    let position = position(states);
    let mut values: BTreeMap<&str, String> = BTreeMap::new();
    let names = states.each(|attributes| attributes.iter().map(|(name, _)| name).collect::<Vec<&str>>());
    let all: BTreeSet<&str> = names.iter().flatten().copied().collect();
    for name in all {
        let [base, ours, theirs] = [base, ours, theirs].map(|attributes| attributes.get(name));
        let value = match pick(&base, &ours, &theirs) {
            _ if name == CONFLICTS => open_conflicts(states),
            _ if POSITION.contains(&name) => if position == Pick::Theirs { theirs } else { ours }.map(str::to_owned),
            Pick::Ours => ours.map(str::to_owned),
            Pick::Theirs => theirs.map(str::to_owned),
            Pick::Conflict if name.starts_with(VIEW) => layout(name, [base, ours, theirs]),
            Pick::Conflict => {
                conflicts.push(Conflict::of_texts(Property::Attribute(name.to_owned()), base, ours, theirs));
                ours.or(theirs).map(str::to_owned)
            }
        };
        values.extend(value.map(|value| (name, value)));
    }
    let sorted = order(&names[0], [&names[1], &names[2]], |name| values.contains_key(name));
    sorted.into_iter().filter_map(|name| Some((name, &**values.get(name)?))).collect()
}

fn position(states: States<Attributes>) -> Pick {
    let [base, ours, theirs] = states.each(|attributes| POSITION.map(|name| attributes.get(name)));
    pick(&base, &ours, &theirs)
}

/// The conflicts of earlier merges that no side has settled.
fn open_conflicts(states: States<Attributes>) -> Option<String> {
    let [base, ours, theirs] = states.each(conflicts_in);
    let all = ours.iter().chain(theirs.iter().filter(|conflict| !ours.contains(conflict)));
    let is_open = |conflict: &&Conflict| {
        let is_in_all = ours.contains(conflict) && theirs.contains(conflict);
        is_in_all || !base.contains(conflict)
    };
    conflicts_text(&all.filter(is_open).cloned().collect::<Vec<Conflict>>())
}

/// The layout that both sides have changed: ours, but of lists of plots and widgets what either side has.
fn layout(name: &str, [base, ours, theirs]: [Option<&str>; 3]) -> Option<String> {
    let separator = match name {
        PLOTS | DASHBOARD | PINNED | REQUIREMENTS => '|',
        RECORDED => ';',
        _ => return ours.map(str::to_owned),
    };
    let [base, ours, theirs] = [base, ours, theirs].map(|text| -> Vec<&str> {
        text.unwrap_or_default().split(separator).filter(|part| !part.is_empty()).collect()
    });
    let keeps = |part: &&str| !base.contains(part) || (ours.contains(part) && theirs.contains(part));
    let parts = order(&base, [&ours, &theirs], keeps);
    (!parts.is_empty()).then(|| parts.join(separator.encode_utf8(&mut [0; 4])))
}

/// An item in the content of a block: its name, and its number among those of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ItemKey<'a> {
    Option(&'a str, usize),
    Data(&'a str, usize),
    Extra(&'a str, usize),
}

fn items(block: &Block) -> Vec<(ItemKey<'_>, &BodyItem)> {
    let mut counts: BTreeMap<ItemKey, usize> = BTreeMap::new();
    let keyed = block.body.iter().map(|item| {
        let key = |number| match item {
            BodyItem::Option(option) => ItemKey::Option(&option.name, number),
            BodyItem::Data { name, .. } => ItemKey::Data(name, number),
            BodyItem::Extra(extra) => ItemKey::Extra(&extra.xml, number),
        };
        let count = counts.entry(key(0)).or_default();
        *count += 1;
        (key(*count), item)
    });
    keyed.collect()
}

/// Merges a block; `base` is an empty block of our kind if both sides have added it.
pub fn block(states: States<Block>) -> (Block, Vec<Conflict>) {
    let mut conflicts = Vec::new();
    let mut merged = Block::new(states.ours.id, kind(states, &mut conflicts));
    merged.attributes = attributes(states.map(|block| &block.attributes), &mut conflicts);
    let lists = states.each(items);
    let [base, ours, theirs] = lists.each_ref().map(|list| list.iter().copied().collect::<BTreeMap<_, _>>());
    let mut chosen: BTreeMap<ItemKey, &BodyItem> = BTreeMap::new();
    let keys: BTreeSet<ItemKey> = lists.iter().flatten().map(|(key, _)| *key).collect();
    for key in keys {
        let [base, ours, theirs] = [&base, &ours, &theirs].map(|items| items.get(&key).copied());
        let item = match pick(&base, &ours, &theirs) {
            Pick::Ours => ours,
            Pick::Theirs => theirs,
            Pick::Conflict => {
                conflicts.extend(item_conflict(key, [base, ours, theirs]));
                ours.or(theirs)
            }
        };
        chosen.extend(item.map(|item| (key, item)));
    }
    let names = lists.map(|list| list.into_iter().map(|(key, _)| key).collect::<Vec<ItemKey>>());
    let sorted = order(&names[0], [&names[1], &names[2]], |key| chosen.contains_key(key));
    merged.body = sorted.iter().filter_map(|key| chosen.get(key).map(|item| BodyItem::clone(item))).collect();
    (merged, conflicts)
}

fn kind(states: States<Block>, conflicts: &mut Vec<Conflict>) -> BlockKind {
    let [base, ours, theirs] = states.each(|block| &block.kind);
    match pick(base, ours, theirs) {
        Pick::Ours => ours.clone(),
        Pick::Theirs => theirs.clone(),
        Pick::Conflict => {
            let [base, ours_values, theirs] = [base, ours, theirs].map(|kind| Some(kind_values(kind)));
            conflicts.push(Conflict::new(Property::Kind, base, ours_values, theirs));
            ours.clone()
        }
    }
}

/// The conflict about an option or another item; none if only its layout or its form differs.
fn item_conflict(key: ItemKey, items: [Option<&BodyItem>; 3]) -> Option<Conflict> {
    let property = match key {
        ItemKey::Option(name, _) => Property::Option(name.to_owned()),
        ItemKey::Data(name, _) if name.starts_with(VIEW) => return None,
        ItemKey::Data(name, _) => Property::Data(name.to_owned()),
        ItemKey::Extra(..) => return None,
    };
    let values = |item: Option<&BodyItem>| -> Option<Vec<String>> {
        Some(match item? {
            BodyItem::Option(option) => option.texts().map(str::to_owned).collect(),
            BodyItem::Data { text, .. } => vec![text.to_string()],
            BodyItem::Extra(extra) => vec![extra.xml.to_string()],
        })
    };
    let [base, ours, theirs] = items.map(values);
    (pick(&base, &ours, &theirs) == Pick::Conflict).then(|| Conflict::new(property, base, ours, theirs))
}

/// Merges lists of comments and unknown elements: what either side has added, without what either has removed.
pub fn extras(states: States<[Extra]>) -> Vec<Extra> {
    let keyed = states.each(|extras| keyed_extras(extras.iter()));
    let [base, ours, theirs] = keyed.each_ref().map(|keys| keys.iter().collect::<BTreeSet<_>>());
    let keeps = |key: &ExtraKey| !base.contains(key) || (ours.contains(key) && theirs.contains(key));
    order(&keyed[0], [&keyed[1], &keyed[2]], keeps).into_iter().map(|key| Extra::new(key.0)).collect()
}

/// A comment or an unknown element, with its number among equal ones.
pub type ExtraKey = (Arc<str>, usize);

pub fn keyed_extras<'a>(extras: impl Iterator<Item = &'a Extra>) -> Vec<ExtraKey> {
    let mut counts: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    let keyed = extras.map(|extra| {
        let count = counts.entry(Arc::clone(&extra.xml)).or_default();
        *count += 1;
        (Arc::clone(&extra.xml), *count)
    });
    keyed.collect()
}

/// Whether two blocks mean the same: all but the layout.
pub fn means_the_same(first: &Block, second: &Block) -> bool {
    first.kind == second.kind
        && meaning(&first.attributes).eq(meaning(&second.attributes))
        && first.body.iter().filter(|item| !is_layout(item)).eq(second.body.iter().filter(|item| !is_layout(item)))
}

/// Whether two wires mean the same: all but the layout.
pub fn wires_mean_the_same(first: &Connection, second: &Connection) -> bool {
    (first.from, &first.output) == (second.from, &second.output)
        && meaning(&first.attributes).eq(meaning(&second.attributes))
        && first.body == second.body
}

pub fn meaning(attributes: &Attributes) -> impl Iterator<Item = (&str, &str)> {
    attributes.iter().filter(|(name, _)| !name.starts_with(VIEW) && *name != CONFLICTS)
}

fn is_layout(item: &BodyItem) -> bool {
    matches!(item, BodyItem::Data { name, .. } if name.starts_with(VIEW))
}
