//! Compares two simulations and lists the differences.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::{Attributes, Block, BlockKind, Model, Simulation, Variables};

/// One difference between two simulations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The model that contains the subject; none for the simulation itself.
    pub model: Option<Arc<str>>,
    /// `Gain #3`, `wire to Gain #3.Input`, `variable k`, or the model itself.
    pub subject: String,
    /// The property that differs; none if the subject is in only one of the two simulations.
    pub property: Option<String>,
    /// The value in the first simulation; none if it is absent.
    /// The value in the second simulation; none if it is absent.
    pub first: Option<String>,
    pub second: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.model {
            Some(model) if self.subject == **model => write!(f, "model {model}")?,
            Some(model) => write!(f, "{model}: {}", self.subject)?,
            None => write!(f, "{}", self.subject)?,
        }
        self.property.as_ref().map_or(Ok(()), |property| write!(f, ", {property}"))
    }
}

/// A subject of the comparison with its properties and their values.
struct Subject {
    subject: String,
    properties: BTreeMap<String, String>,
}

/// The key of a subject: its model, its kind and its name.
type Key = (Option<Arc<str>>, u8, String);

/// Returns all differences, sorted by model.
pub fn differences(first: &Simulation, second: &Simulation) -> Vec<Difference> {
    let (before, after) = (subjects_of(first), subjects_of(second));
    let keys: BTreeSet<&Key> = before.keys().chain(after.keys()).collect();
    let mut found = Vec::new();
    for key in keys {
        let (model, _, _) = key;
        // The contents of a model that only one simulation has are not listed.
        let is_whole = |simulation: &Simulation| model.as_ref().is_none_or(|name| simulation.model(name).is_some());
        let (old, new) = (before.get(key), after.get(key));
        let Some(either) = new.or(old) else { continue };
        let subject = &either.subject;
        let is_model = model.as_deref() == Some(subject.as_str());
        let is_in_both = is_whole(first) && is_whole(second);
        if !is_in_both && !is_model {
            continue;
        }
        let difference = |property: Option<&String>, first: Option<String>, second: Option<String>| Difference {
            model: model.clone(),
            subject: subject.clone(),
            property: property.cloned(),
            first,
            second,
        };
        let (Some(old), Some(new)) = (old, new) else {
            let present = || Some(String::new());
            found.push(difference(None, old.and_then(|_| present()), new.and_then(|_| present())));
            continue;
        };
        let properties: BTreeSet<&String> = old.properties.keys().chain(new.properties.keys()).collect();
        for property in properties {
            let (first, second) = (old.properties.get(property), new.properties.get(property));
            if first != second {
                found.push(difference(Some(property), first.cloned(), second.cloned()));
            }
        }
    }
    found
}

fn subjects_of(simulation: &Simulation) -> BTreeMap<Key, Subject> {
    let mut all = BTreeMap::new();
    let mut properties = of_attributes(&simulation.attributes);
    properties.insert("steps".to_owned(), simulation.steps.to_string());
    properties.insert("delta".to_owned(), simulation.delta.to_string());
    properties.insert("root".to_owned(), simulation.root.to_string());
    all.insert((None, 0, String::new()), Subject { subject: "simulation".to_owned(), properties });
    variables(None, &simulation.variables, &mut all);
    for model in simulation.models.values() {
        add_model(model, &mut all);
    }
    all
}

fn add_model(model: &Model, all: &mut BTreeMap<Key, Subject>) {
    let name = || Some(Arc::clone(&model.name));
    let properties = of_attributes(&model.attributes);
    all.insert((name(), 0, String::new()), Subject { subject: model.name.to_string(), properties });
    variables(name(), &model.variables, all);
    let titled = |id| {
        let title = model.block(id).map(|block| block.title().to_owned());
        title.map_or_else(|| id.to_string(), |title| format!("{title} {id}"))
    };
    for (id, block) in &model.blocks {
        all.insert((name(), 2, format!("{id}")), Subject { subject: titled(*id), properties: of_block(block) });
    }
    for (key, wire) in &model.connections {
        let mut properties = of_attributes(&wire.attributes);
        properties.insert("source".to_owned(), format!("{}.{}", titled(wire.from), wire.output));
        let subject = format!("wire to {}.{}", titled(key.block), key.input);
        all.insert((name(), 3, format!("{} {}", key.block, key.input)), Subject { subject, properties });
    }
}

fn variables(model: Option<Arc<str>>, variables: &Variables, all: &mut BTreeMap<Key, Subject>) {
    for (name, variable) in variables {
        let mut properties = of_attributes(&variable.attributes);
        properties.insert("value".to_owned(), variable.value.to_string());
        all.insert((model.clone(), 1, name.to_string()), Subject { subject: format!("variable {name}"), properties });
    }
}

fn of_block(block: &Block) -> BTreeMap<String, String> {
    let mut properties = of_attributes(&block.attributes);
    properties.remove("view:x");
    properties.remove("view:y");
    if let Some(at) = block.position() {
        properties.insert("position".to_owned(), format!("{}, {}", at.x, at.y));
    }
    let kind = match &block.kind {
        BlockKind::Entry { name } => format!("entry {name}"),
        BlockKind::Exit { name } => format!("exit {name}"),
        BlockKind::Model { model } => format!("model {model}"),
        BlockKind::Library { group, name } => format!("{group}/{name}"),
    };
    properties.insert("kind".to_owned(), kind);
    for option in block.options() {
        properties.insert(option.name.to_string(), option.texts().collect::<Vec<_>>().join(" "));
    }
    properties
}

fn of_attributes(attributes: &Attributes) -> BTreeMap<String, String> {
    attributes.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{BlockId, Connection, InputKey, Variable};

    fn simulation() -> Simulation {
        let mut simulation = Simulation::new("Main");
        let main = simulation.model_mut("Main").expect("the root");
        main.add_block(Block::new(BlockId(0), BlockKind::library("Var", "Static")).with_option("Value", &["3"]));
        main.add_block(Block::new(BlockId(1), BlockKind::library("Math", "Gain")).at(10.0, 20.0));
        main.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Input"));
        simulation.set_variable("k", Variable::new("1"));
        simulation
    }

    fn check(change: impl FnOnce(&mut Simulation), expected: &[(&str, Option<&str>, Option<&str>)]) {
        let (first, mut second) = (simulation(), simulation());
        change(&mut second);
        let found: Vec<(String, Option<String>, Option<String>)> =
            differences(&first, &second).into_iter().map(|one| (one.to_string(), one.first, one.second)).collect();
        let wanted: Vec<_> = expected
            .iter()
            .map(|(text, first, second)| ((*text).to_owned(), first.map(str::to_owned), second.map(str::to_owned)))
            .collect();
        assert_eq!(found, wanted);
    }

    #[test]
    fn each_difference_is_listed_once() {
        check(|_| (), &[]);
        check(|s| s.steps = 9, &[("simulation, steps", Some("0"), Some("9"))]);
        check(|s| s.delta = 0.25, &[("simulation, delta", Some("1"), Some("0.25"))]);
        check(|s| s.root = "Other".into(), &[("simulation, root", Some("Main"), Some("Other"))]);
        check(|s| s.attributes.set("solver", "rk4"), &[("simulation, solver", None, Some("rk4"))]);
        check(
            |s| s.model_mut("Main").into_iter().for_each(|m| m.attributes.set("about", "a gain")),
            &[("model Main, about", None, Some("a gain"))],
        );
        check(|s| s.set_variable("k", Variable::new("2")), &[("variable k, value", Some("1"), Some("2"))]);
        check(
            |s| s.model_mut("Main").into_iter().for_each(|m| drop(m.remove_block(BlockId(1)))),
            &[("Main: Gain #1", Some(""), None), ("Main: wire to Gain #1.Input", Some(""), None)],
        );
        check(
            |s| {
                s.model_mut("Main").and_then(|m| m.block_mut(BlockId(1))).into_iter().for_each(|b| {
                    b.set_option("Gain", Some(&["7"]));
                    b.set_position(crate::model::Position { x: 30.0, y: 20.0 });
                })
            },
            &[("Main: Gain #1, Gain", None, Some("7")), ("Main: Gain #1, position", Some("10, 20"), Some("30, 20"))],
        );
        check(
            |s| {
                let mut other = Model::new("Other");
                other.add_block(Block::new(BlockId(0), BlockKind::exit("y")));
                s.add_model(other);
            },
            &[("model Other", None, Some(""))],
        );
        check(
            |s| {
                s.model_mut("Main").into_iter().for_each(|m| {
                    m.connect(Connection::new(BlockId(1), "Output", BlockId(1), "Input"));
                })
            },
            &[("Main: wire to Gain #1.Input, source", Some("Constant #0.Output"), Some("Gain #1.Output"))],
        );
        // The simulation and its variables, then each model: its own attributes, variables, blocks and wires.
        check(
            |s| {
                s.delta = 0.5;
                s.set_variable("k", Variable::new("2"));
                s.model_mut("Main").into_iter().for_each(|m| {
                    m.attributes.set("about", "text");
                    m.set_variable("z", Variable::new("3"));
                    m.add_block(Block::new(BlockId(5), BlockKind::library("Math", "Abs")));
                    m.connections.remove(&InputKey::new(BlockId(1), "Input"));
                })
            },
            &[
                ("simulation, delta", Some("1"), Some("0.5")),
                ("variable k, value", Some("1"), Some("2")),
                ("model Main, about", None, Some("text")),
                ("Main: variable z", None, Some("")),
                ("Main: Abs #5", None, Some("")),
                ("Main: wire to Gain #1.Input", Some(""), None),
            ],
        );
    }
}
