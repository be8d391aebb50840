//! From the matching of two states to their changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::change::{Change, ChangeKind, Place, Subject};
use super::matching::{FIRST, Matching, SECOND, kind_text, name_of};
use super::sources::Source;
use super::state::{Site, is_port};
use crate::block::Registry;
use crate::model::{
    Attributes, Block, BlockKind, BodyItem, Connection, Extra, Model, Variable, Variables, is_default,
    is_default_solver,
};

/// The prefix of attributes that only change how a diagram looks.
const VIEW: &str = "view:";
/// The declaration of this prefix in a file.
const VIEW_DECLARATION: &str = "xmlns:view";
/// Attributes of a block that are stated otherwise.
const LABEL: &str = "label";

pub fn changes(matching: &Matching) -> Vec<Change> {
    let mut compare = Compare { matching, changes: Vec::new() };
    compare.simulation();
    for model in 0..matching.states[SECOND].models.len() {
        compare.model(model);
    }
    for model in 0..matching.states[FIRST].models.len() {
        compare.removed_model(model);
    }
    compare.changes
}

struct Compare<'m, 'a> {
    matching: &'m Matching<'a>,
    changes: Vec<Change>,
}

/// Properties by name, with their texts in both states.
type Values = BTreeMap<String, [Option<String>; 2]>;

impl Compare<'_, '_> {
    fn simulation(&mut self) {
        let [first, second] = [FIRST, SECOND].map(|side| self.matching.states[side].simulation);
        let mut values = attributes([&first.attributes, &second.attributes]);
        let both = |name: &str, texts: [String; 2]| (name.to_owned(), texts.map(Some));
        values.extend([
            both("steps", [first.steps.to_string(), second.steps.to_string()]),
            both("delta", [first.delta.to_string(), second.delta.to_string()]),
        ]);
        let is_default =
            [first, second].map(|of| of.attributes.get("solver").is_none_or(|_| is_default_solver(&of.attributes)));
        if is_default == [true, true] {
            values.remove("solver");
        }
        values.remove(VIEW_DECLARATION);
        let root = self.matching.states[FIRST].number(&first.root);
        let is_renamed = root.and_then(|root| self.matching.model_partner(FIRST, root))
            == self.matching.states[SECOND].number(&second.root);
        if !is_renamed || root.is_none() {
            values.extend([both("root", [first.root.to_string(), second.root.to_string()])]);
        }
        values.insert("other content".to_owned(), [extras(first.extras.values()), extras(second.extras.values())]);
        let about = Change::new(ChangeKind::Changed, Subject::Simulation, "simulation");
        self.properties(&about, values);
        self.variables("", [&first.variables, &second.variables], (None, None));
    }

    /// Adds a change for each property with different values.
    fn properties(&mut self, about: &Change, values: Values) {
        for (name, [first, second]) in values {
            if first != second {
                let is_layout = name.starts_with(VIEW);
                let name = name.strip_prefix(VIEW).unwrap_or(&name).to_owned();
                let change = Change { is_layout, ..about.clone() };
                self.changes.push(change.of_property(name).with_values(first, second));
            }
        }
    }

    /// The changes of variables of the simulation, or of a model in both states.
    fn variables(&mut self, prefix: &str, [first, second]: [&Variables; 2], places: (Option<Place>, Option<Place>)) {
        let names: BTreeSet<&Arc<str>> = first.keys().chain(second.keys()).collect();
        for name in names {
            let path = format!("{prefix}{name}");
            let value = |of: Option<&Arc<_>>| of.map(|variable: &Arc<Variable>| variable.value.to_string());
            let (old, new) = (first.get(name), second.get(name));
            let kind = match (old, new) {
                (Some(_), None) => ChangeKind::Removed,
                (None, _) => ChangeKind::Added,
                (Some(_), Some(_)) => ChangeKind::Changed,
            };
            let about = Change::new(kind, Subject::Variable, path).at(places.0.clone(), places.1.clone());
            let (Some(of_old), Some(of_new)) = (old, new) else {
                self.changes.push(about.with_values(value(old), value(new)));
                continue;
            };
            if of_old.value != of_new.value {
                self.changes.push(about.clone().with_values(value(old), value(new)));
            }
            self.properties(&about, attributes([&of_old.attributes, &of_new.attributes]));
        }
    }

    fn model(&mut self, number: usize) {
        let matching = self.matching;
        let model = matching.states[SECOND].models[number];
        if let Some(group) = matching.groups[SECOND].get(&number) {
            let origin = matching.states[FIRST].models[group.origin].name.to_string();
            let about = Change::new(ChangeKind::Grouped, Subject::Model, &*model.name)
                .at(Some(self.model_place(FIRST, group.origin)), Some(self.model_place(SECOND, number)));
            self.changes.push(about.with_values(Some(origin), Some(blocks_text(group.count))));
            // Grouping takes the variables that the blocks use along.
            let known = &matching.states[FIRST].models[group.origin].variables;
            let is_new = |(name, variable): &(&Arc<str>, &Arc<Variable>)| {
                known.get(*name).is_none_or(|known| known.value != variable.value)
            };
            let new = model.variables.iter().filter(is_new).map(|(name, of)| (Arc::clone(name), Arc::clone(of)));
            let place = (None, Some(self.model_place(SECOND, number)));
            self.variables(&format!("{}/", model.name), [&Variables::new(), &new.collect()], place);
            self.blocks(number);
            return;
        }
        let Some(partner) = matching.model_partner(SECOND, number) else {
            let about = Change::new(ChangeKind::Added, Subject::Model, &*model.name);
            let about = about.at(None, Some(self.model_place(SECOND, number)));
            self.changes.push(about.with_values(None, Some(blocks_text(model.blocks.len()))));
            return;
        };
        let old = matching.states[FIRST].models[partner];
        let places = (Some(self.model_place(FIRST, partner)), Some(self.model_place(SECOND, number)));
        if old.name != model.name {
            let about =
                Change::new(ChangeKind::Renamed, Subject::Model, &*model.name).at(places.0.clone(), places.1.clone());
            self.changes.push(about.with_values(Some(old.name.to_string()), Some(model.name.to_string())));
        }
        if Arc::ptr_eq(old, model) {
            return;
        }
        let mut values = attributes([&old.attributes, &model.attributes]);
        values.insert("other content".to_owned(), [extras(old.extras.values()), extras(model.extras.values())]);
        let about = Change::new(ChangeKind::Changed, Subject::Model, &*model.name);
        self.properties(&about.at(places.0.clone(), places.1.clone()), values);
        self.variables(&format!("{}/", model.name), [&old.variables, &model.variables], places);
        self.blocks(number);
        self.removed_blocks(partner);
    }

    fn removed_model(&mut self, number: usize) {
        let matching = self.matching;
        let model = matching.states[FIRST].models[number];
        if matching.model_partner(FIRST, number).is_some() {
            return;
        }
        if let Some(group) = matching.groups[FIRST].get(&number) {
            let into = matching.states[SECOND].models[group.origin].name.to_string();
            let about = Change::new(ChangeKind::Expanded, Subject::Model, &*model.name)
                .at(Some(self.model_place(FIRST, number)), Some(self.model_place(SECOND, group.origin)));
            self.changes.push(about.with_values(Some(blocks_text(group.count)), Some(into)));
            self.removed_blocks(number);
            return;
        }
        let about = Change::new(ChangeKind::Removed, Subject::Model, &*model.name);
        let about = about.at(Some(self.model_place(FIRST, number)), None);
        self.changes.push(about.with_values(Some(blocks_text(model.blocks.len())), None));
    }

    /// The changes of the blocks of a model of the second state, and of the wires that lead to them.
    fn blocks(&mut self, model: usize) {
        let mut sites: Vec<(Site, &Arc<Block>)> = self.matching.states[SECOND].sites(model).collect();
        sites.sort_by_key(|(_, block)| block.seq);
        for (site, block) in sites {
            let path = self.matching.states[SECOND].path(site);
            match self.matching.partner(SECOND, site) {
                Some(old) => self.block(&path, old, site, block),
                None if self.matching.is_dissolved(SECOND, site) => continue,
                None => {
                    let about = Change::new(ChangeKind::Added, Subject::Block, path);
                    let about = about.at(None, Some(self.place(SECOND, site)));
                    self.changes.push(about.with_values(None, Some(kind_text(block))));
                }
            }
            self.wires(site, block);
        }
    }

    fn removed_blocks(&mut self, model: usize) {
        let mut gone = self.matching.unmatched(FIRST, model);
        gone.sort_by_key(|(_, block)| block.seq);
        for (site, block) in gone {
            if self.matching.is_dissolved(FIRST, site) {
                continue;
            }
            let about = Change::new(ChangeKind::Removed, Subject::Block, self.matching.states[FIRST].path(site));
            let about = about.at(Some(self.place(FIRST, site)), None);
            self.changes.push(about.with_values(Some(kind_text(block)), None));
        }
    }

    fn block(&mut self, path: &str, old: Site, site: Site, block: &Arc<Block>) {
        let Some(before) = self.matching.states[FIRST].block(old) else { return };
        let places = (Some(self.place(FIRST, old)), Some(self.place(SECOND, site)));
        let change = |kind: ChangeKind| Change::new(kind, Subject::Block, path).at(places.0.clone(), places.1.clone());
        let is_in_group = self.matching.groups[SECOND].contains_key(&site.model)
            || self.matching.groups[FIRST].contains_key(&old.model);
        if self.matching.model_partner(FIRST, old.model) != Some(site.model) && !is_in_group {
            let from = self.matching.states[FIRST].path(old);
            self.changes.push(change(ChangeKind::Moved).with_values(Some(from), Some(path.to_owned())));
        }
        if Arc::ptr_eq(before, block) {
            return;
        }
        if name_of(before) != name_of(block) {
            let titles = [before, block].map(|block| Some(block.title().to_owned()));
            let [first, second] = titles;
            self.changes.push(change(ChangeKind::Renamed).with_values(first, second));
        }
        let about = change(ChangeKind::Changed);
        let mut values = attributes([&before.attributes, &block.attributes]);
        values.remove(LABEL);
        if !self.matching.same_kind(FIRST, before, block) {
            values.insert("block".to_owned(), [Some(kind_text(before)), Some(kind_text(block))]);
        }
        for (at, state) in [before, block].into_iter().enumerate() {
            for item in &state.body {
                let (name, text) = match item {
                    BodyItem::Option(option) => {
                        (option.name.to_string(), option.texts().collect::<Vec<_>>().join(", "))
                    }
                    BodyItem::Data { name, text, .. } => (name.to_string(), text.to_string()),
                    BodyItem::Extra(_) => continue,
                };
                values.entry(name).or_default()[at] = Some(text);
            }
        }
        if self.matching.same_kind(FIRST, before, block) {
            let registry = Registry::standard();
            let is_stated = |side: usize, of: &Block, at: Site, name: &str| {
                let state = &self.matching.states[side];
                let model = state.models.get(at.model);
                model.is_some_and(|model| is_default(state.simulation, model, of, name, &registry))
            };
            // One state writes out what the other has by default.
            values.retain(|name, texts| match texts {
                [Some(_), None] => !is_stated(FIRST, before, old, name),
                [None, Some(_)] => !is_stated(SECOND, block, site, name),
                _ => true,
            });
        }
        // A group moves its blocks to other coordinates.
        if is_in_group {
            values.retain(|name, _| !name.starts_with(VIEW));
        }
        self.properties(&about, values);
    }

    fn wires(&mut self, site: Site, block: &Block) {
        let model = self.matching.states[SECOND].models[site.model];
        let old = self.matching.partner(SECOND, site);
        let mut before: BTreeMap<Arc<str>, &Arc<Connection>> = BTreeMap::new();
        if let Some(old) = old {
            let of_old = self.matching.states[FIRST].models[old.model];
            before.extend(of_old.sources(old.block).map(|wire| (Arc::clone(&wire.input), wire)));
        }
        let is_unnamed_group = self.matching.is_dissolved(SECOND, site);
        for wire in model.sources(site.block).filter(|_| !is_unnamed_group) {
            let input = self.port_before(block, &wire.input, true);
            let known = before.remove(&input);
            self.wire(model, site, wire, old.zip(known.map(|wire| &**wire)));
        }
        for (input, wire) in before {
            let Some(old) = old else { continue };
            let from = self.matching.source(FIRST, old.model, wire);
            let from = from.map_or_else(|| "nothing".to_owned(), |source| self.source_text(FIRST, site, &source));
            let path = format!("{}.{input}", self.matching.states[SECOND].path(site));
            let about = self.on_wire(ChangeKind::Removed, path, Some(old), site);
            self.changes.push(about.with_values(Some(from), None));
        }
    }

    /// A wire of the second state, with the block and the wire that lead to its input in the first.
    fn wire(&mut self, model: &Arc<Model>, site: Site, wire: &Connection, old: Option<(Site, &Connection)>) {
        let path = || format!("{}.{}", self.matching.states[SECOND].path(site), wire.input);
        let Some(source) = self.matching.source(SECOND, site.model, wire) else { return };
        let text = self.source_text(SECOND, site, &source);
        let Some((before, known)) = old else {
            let before = self.matching.partner(SECOND, site);
            let about = self.on_wire(ChangeKind::Added, path(), before, site);
            self.changes.push(about.with_values(None, Some(text)));
            return;
        };
        let from = self.matching.source(FIRST, before.model, known);
        let is_same = from.as_ref().is_some_and(|from| {
            self.matching.partner(FIRST, from.site) == Some(source.site)
                && self.matching.states[SECOND]
                    .block(source.site)
                    .is_some_and(|block| self.port_before(block, &source.output, false) == from.output)
        });
        if !is_same {
            let first = from.map(|from| self.source_text(FIRST, site, &from));
            let about = self.on_wire(ChangeKind::Changed, path(), Some(before), site);
            self.changes.push(about.with_values(first, Some(text)));
            return;
        }
        let is_in_group = self.matching.groups[SECOND].contains_key(&site.model)
            || self.matching.groups[FIRST].contains_key(&before.model);
        let is_direct = model.block(wire.from).is_some_and(|block| {
            !is_port(block) && Some(Site { model: site.model, block: wire.from }) == Some(source.site)
        });
        if !is_in_group && is_direct {
            let values = attributes([&known.attributes, &wire.attributes]);
            self.properties(&self.on_wire(ChangeKind::Changed, path(), Some(before), site), values);
        }
    }

    /// A change of a wire to an input of a block.
    fn on_wire(&self, kind: ChangeKind, path: String, before: Option<Site>, site: Site) -> Change {
        let first = before.map(|before| self.place(FIRST, before));
        Change::new(kind, Subject::Wire, path).at(first, Some(self.place(SECOND, site)))
    }

    fn place(&self, side: usize, site: Site) -> Place {
        Place { block: Some(site.block), ..self.model_place(side, site.model) }
    }

    fn model_place(&self, side: usize, model: usize) -> Place {
        Place { model: self.matching.states[side].models[model].name.to_string(), block: None }
    }

    /// The name that a port of a block of the second state has in the first: an entry may have been renamed.
    fn port_before(&self, block: &Block, port: &Arc<str>, is_input: bool) -> Arc<str> {
        let same = || Arc::clone(port);
        let BlockKind::Model { model } = &block.kind else { return same() };
        let Some(number) = self.matching.states[SECOND].number(model) else { return same() };
        let model = self.matching.states[SECOND].models[number];
        let found = match is_input {
            true => model.entries().find(|(_, name)| *name == port),
            false => model.exits().find(|(_, name)| *name == port),
        };
        let partner =
            found.and_then(|(block, _)| self.matching.partner(SECOND, Site { model: number, block: block.id }));
        match partner.and_then(|site| self.matching.states[FIRST].block(site)).map(|block| &block.kind) {
            Some(BlockKind::Entry { name } | BlockKind::Exit { name }) => Arc::clone(name),
            _ => same(),
        }
    }

    /// The output that a wire to a block of the second state comes from; with its model where that is another.
    fn source_text(&self, side: usize, to: Site, source: &Source) -> String {
        let path = self.matching.states[side].path(source.site);
        let model = &self.matching.states[SECOND].models[to.model].name;
        let short = path.strip_prefix(&**model).and_then(|rest| rest.strip_prefix('/')).unwrap_or(&path);
        format!("{short}.{}", source.output)
    }
}

fn attributes([first, second]: [&Attributes; 2]) -> Values {
    let mut values = Values::new();
    for (at, of) in [first, second].into_iter().enumerate() {
        for (name, text) in of.iter() {
            values.entry(name.to_owned()).or_default()[at] = Some(text.to_owned());
        }
    }
    values
}

/// Comments and unknown elements as one text.
fn extras<'e>(list: impl Iterator<Item = &'e Extra>) -> Option<String> {
    let texts: Vec<&str> = list.map(|extra| &*extra.xml).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn blocks_text(count: usize) -> String {
    if count == 1 { "1 block".to_owned() } else { format!("{count} blocks") }
}
