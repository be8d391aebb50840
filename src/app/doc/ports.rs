//! Adds and removes ports of blocks whose options determine their ports.

use std::sync::Arc;

use super::arguments::{OptionTexts, edits_of, renamed_arguments};
use crate::block::{BlockDef, ParamDef, ParamKind, Registry, Settings, is_name};
use crate::model::{
    Block, BlockId, BlockPorts, Change, Connection, Edit, InputKey, Model, Scope, Simulation, block_ports,
    library_ports, settings_of,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortGroup {
    Inputs,
    Outputs,
}

/// Returns the change that adds a port after the block's last one; None if no parameter does that.
pub fn added(
    simulation: &Simulation,
    model: &Model,
    block: &Block,
    def: &'static BlockDef,
    side: PortGroup,
) -> Option<Change> {
    changed(simulation, model, block, def, (side, 1))
}

/// Returns the change that removes the block's last port, with its wires.
pub fn removed(
    simulation: &Simulation,
    model: &Model,
    block: &Block,
    def: &'static BlockDef,
    side: PortGroup,
) -> Option<Change> {
    changed(simulation, model, block, def, (side, -1))
}

/// Returns a block with at least `wanted` ports on one side, or fewer if no parameter adds more.
pub fn with_ports(
    simulation: &Simulation,
    registry: &Registry,
    model: &Model,
    block: Block,
    def: &'static BlockDef,
    (side, wanted): (PortGroup, usize),
) -> Block {
    const MAX_ADDED: usize = 200;
    let mut block = block;
    for _ in 0..MAX_ADDED {
        let now = block_ports(simulation, registry, model, &block);
        let count = if side == PortGroup::Inputs { now.inputs.len() } else { now.outputs.len() };
        let added = (count < wanted).then(|| added(simulation, model, &block, def, side)).flatten();
        let Some(added) = added else { break };
        for edit in added.edits {
            if let Edit::SetOption { name, values, .. } = edit {
                block.set_option(&name, values.as_deref());
            }
        }
    }
    block
}

/// Tries each way in which a parameter can name another port, and returns the first that gives the wanted number of
/// ports and leaves the other side unchanged.
fn changed(
    simulation: &Simulation,
    model: &Model,
    block: &Block,
    def: &'static BlockDef,
    (side, step): (PortGroup, isize),
) -> Option<Change> {
    let scope = Scope::of_model(simulation, model);
    let (settings, _) = settings_of(def, block, &scope);
    let before = library_ports(def, &settings);
    for param in def.params {
        let current = block.option_texts(param.name).map(|texts| texts.join(" "));
        let current = current.unwrap_or_else(|| param.default_texts().join(" "));
        for text in candidates(&param.kind, &current, step) {
            let texts = |name: &str| match name == param.name {
                true => Some(vec![text.as_str()]),
                false => block.option_texts(name),
            };
            let (settings, errors) = Settings::read(def, texts, &scope);
            let after = library_ports(def, &settings);
            if errors.iter().any(|error| error.param == param.name) || !is_wished(&before, &after, side, step) {
                continue;
            }
            let edit = Edit::SetOption {
                model: Arc::clone(&model.name),
                id: block.id,
                name: param.name.into(),
                values: Some(vec![text.clone()]),
            };
            let mut edits = loose_wires(model, block.id, &after);
            edits.push(edit);
            let verb = if step > 0 { "Add" } else { "Remove" };
            let what = if side == PortGroup::Inputs { "input" } else { "output" };
            return Some(Change::new(format!("{verb} {what} of {} {}", block.title(), block.id), edits));
        }
    }
    None
}

fn is_wished(before: &BlockPorts, after: &BlockPorts, side: PortGroup, step: isize) -> bool {
    let (now, then, other_now, other_then) = match side {
        PortGroup::Inputs => (&before.inputs, &after.inputs, &before.outputs, &after.outputs),
        PortGroup::Outputs => (&before.outputs, &after.outputs, &before.inputs, &after.inputs),
    };
    let kept = now.len().min(then.len());
    then.len() as isize == now.len() as isize + step && now[..kept] == then[..kept] && other_now == other_then
}

/// Returns candidate texts with one port more or less.
fn candidates(kind: &ParamKind, current: &str, step: isize) -> Vec<String> {
    match kind {
        ParamKind::Integer { .. } => {
            let number: Option<i64> = current.trim().parse().ok();
            number.map(|number| (number + step as i64).to_string()).into_iter().collect()
        }
        ParamKind::Text { .. } if step > 0 => {
            let words: Vec<&str> = current.split_whitespace().collect();
            let sign = current.chars().next_back().map(|last| format!("{current}{last}"));
            let stem = words.last().map_or("u", |last| last.trim_end_matches(|c: char| c.is_ascii_digit()));
            let mut next = (words.len() + 1..).map(|number| format!("{stem}{number}"));
            let name = next.find(|name| !words.contains(&name.as_str())).unwrap_or_default();
            let named = words.iter().copied().chain([name.as_str()]).collect::<Vec<_>>().join(" ");
            sign.into_iter().chain([named]).collect()
        }
        ParamKind::Text { .. } => {
            let mut letters = current.chars();
            letters.next_back();
            let words: Vec<&str> = current.split_whitespace().collect();
            let fewer = words.split_last().map(|(_, rest)| rest.join(" "));
            let texts = [Some(letters.as_str().trim_end().to_owned()), fewer];
            texts.into_iter().flatten().filter(|text| !text.is_empty()).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the edits that remove the wires of removed ports.
fn loose_wires(model: &Model, id: BlockId, after: &BlockPorts) -> Vec<Edit> {
    let is_loose = |wire: &&Arc<crate::model::Connection>| {
        (wire.to == id && !after.has_input(&wire.input)) || (wire.from == id && !after.has_output(&wire.output))
    };
    let keys: Vec<InputKey> = model.connections.values().filter(is_loose).map(|wire| wire.key()).collect();
    let disconnect =
        |key: InputKey| Edit::Disconnect { model: Arc::clone(&model.name), to: key.block, input: key.input };
    keys.into_iter().map(disconnect).collect()
}

/// Returns the edits that move wires to the new names of ports that a new value of a parameter only renames, without
/// changing their number, and the values of arguments of code that it renames. A port whose name stays keeps its wires, wherever it is now. They follow the edit of the
/// parameter.
pub fn renamed(
    simulation: &Simulation,
    model: &Model,
    block: &Block,
    def: &'static BlockDef,
    (param, values): (&str, &[String]),
) -> Vec<Edit> {
    let scope = Scope::of_model(simulation, model);
    let before = library_ports(def, &settings_of(def, block, &scope).0);
    let is_code = def.code().is_some_and(|(code, _)| code == param);
    let options = if is_code { renamed_arguments(block, def, &values.join("\n")) } else { OptionTexts::new() };
    let texts = |name: &str| match options.iter().rfind(|(option, _)| option == name) {
        _ if name == param => Some(values.iter().map(String::as_str).collect()),
        Some((_, texts)) => texts.as_ref().map(|texts| texts.iter().map(String::as_str).collect()),
        None => block.option_texts(name),
    };
    let after = library_ports(def, &Settings::read(def, texts, &scope).0);
    let new_names = |wire: &Connection| {
        let input = (wire.to == block.id).then(|| new_name(&before.inputs, &after.inputs, &wire.input)).flatten();
        let output = (wire.from == block.id).then(|| new_name(&before.outputs, &after.outputs, &wire.output)).flatten();
        (input, output)
    };
    let wires = moved(model, &new_names);
    edits_of(model, block, options).chain(wires).collect()
}

/// The new names of the input and the output of a wire, where there are some.
type NewNames = (Option<Arc<str>>, Option<Arc<str>>);

/// Returns the edits that move wires to the new names of their input and output.
fn moved(model: &Model, new_names: &dyn Fn(&Connection) -> NewNames) -> Vec<Edit> {
    // First all are removed, since one may take the place of another.
    let (mut edits, mut connects) = (Vec::new(), Vec::new());
    for wire in model.connections.values() {
        let (input, output) = new_names(wire);
        if input.is_none() && output.is_none() {
            continue;
        }
        let mut moved = Connection::clone(wire);
        moved.input = input.unwrap_or(moved.input);
        moved.output = output.unwrap_or(moved.output);
        let name = Arc::clone(&model.name);
        edits.push(Edit::Disconnect { model: Arc::clone(&name), to: wire.to, input: Arc::clone(&wire.input) });
        connects.push(Edit::Connect { model: name, connection: Box::new(moved) });
    }
    edits.extend(connects);
    edits
}

/// Returns the change that names the inputs of a block after their signals; none if nothing changes, or if its inputs
/// cannot be named.
pub fn named_after_signals(
    simulation: &Simulation,
    registry: &Registry,
    model: &Model,
    block: &Block,
    def: &'static BlockDef,
) -> Option<Change> {
    if !def.names_inputs() {
        return None;
    }
    let inputs = library_ports(def, &settings_of(def, block, &Scope::of_model(simulation, model)).0).inputs;
    let mut names: Vec<Arc<str>> = Vec::new();
    for input in &inputs {
        let source = model.source(block.id, input).and_then(|wire| source_name(simulation, registry, model, wire));
        let wanted = source.unwrap_or_else(|| input.to_string());
        let numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let mut free = std::iter::once(wanted.clone()).chain(numbered);
        names.extend(free.find(|name| !names.iter().any(|known| **known == **name)).map(Arc::from));
    }
    if names == inputs {
        return None;
    }
    let new_input = |wire: &Connection| {
        let number = inputs.iter().position(|input| wire.to == block.id && *input == wire.input);
        let new = number.and_then(|number| names.get(number)).filter(|new| **new != wire.input);
        (new.cloned(), None)
    };
    let mut edits = vec![Edit::SetOption {
        model: Arc::clone(&model.name),
        id: block.id,
        name: ParamDef::ELEMENT_NAMES.name.into(),
        values: Some(vec![names.join(" ")]),
    }];
    edits.extend(moved(model, &new_input));
    Some(Change::new(format!("Name inputs of {} {} after signals", block.title(), block.id), edits))
}

/// Returns a name for the signal of a wire: its own, else that of the output if its block has several, else the title of
/// the block. Characters that names do not have become `_`.
fn source_name(simulation: &Simulation, registry: &Registry, model: &Model, wire: &Connection) -> Option<String> {
    let from = model.block(wire.from)?;
    let outputs = block_ports(simulation, registry, model, from).outputs.len();
    let name = match model.signal_name(wire.from, &wire.output).filter(|name| !name.trim().is_empty()) {
        Some(name) => name,
        None if outputs > 1 => &wire.output,
        None => from.title(),
    };
    let words = name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("_");
    let name = if name.starts_with(char::is_numeric) { format!("_{name}") } else { name };
    is_name(&name).then_some(name)
}

/// Returns the new name of a port, if it is renamed.
fn new_name(before: &[Arc<str>], after: &[Arc<str>], name: &Arc<str>) -> Option<Arc<str>> {
    let new = after.get(before.iter().position(|known| known == name)?)?;
    let is_unique = after.iter().filter(|other| *other == new).count() == 1;
    let is_renamed = before.len() == after.len() && !after.contains(name) && !before.contains(new);
    (is_unique && is_renamed).then(|| Arc::clone(new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{BlockKind, Document};

    fn ports(document: &Document, id: u64) -> BlockPorts {
        let model = document.simulation().root_model().expect("a root");
        let block = model.block(BlockId(id.into())).expect("the block");
        crate::model::block_ports(document.simulation(), document.registry(), model, block)
    }

    #[test]
    fn a_counted_port_comes_and_goes_with_its_wire() {
        let registry = Registry::standard();
        let mut simulation = Simulation::new("Main");
        let model = simulation.model_mut("Main").expect("the root");
        model.add_block(Block::new(BlockId(0), BlockKind::library("Routing", "Mux")));
        model.add_block(Block::new(BlockId(1), BlockKind::library("Var", "Static")));
        let mut document = Document::new(simulation, Arc::clone(&registry));
        let def = registry.get("Routing", "Mux").expect("the mux");
        let change =
            |document: &Document,
             make: fn(&Simulation, &Model, &Block, &'static BlockDef, PortGroup) -> Option<Change>| {
                let simulation = document.simulation();
                let model = simulation.root_model().expect("a root");
                make(simulation, model, model.block(BlockId(0)).expect("the mux"), def, PortGroup::Inputs)
            };
        let add = change(&document, added).expect("a port can be added");
        document.apply(&add).expect("it is done");
        assert_eq!(ports(&document, 0).inputs.len(), 3);
        let wire = Box::new(Connection::new(BlockId(1), "Output", BlockId(0), "Input 3"));
        document.apply(&Change::one("", Edit::Connect { model: "Main".into(), connection: wire })).expect("connected");
        let remove = change(&document, removed).expect("a port can be removed");
        document.apply(&remove).expect("it is done");
        assert_eq!(ports(&document, 0).inputs.len(), 2);
        assert!(document.simulation().root_model().expect("a root").connections.is_empty());
    }

    /// Wires stay at renamed ports; at ports that change their order they stay at the name.
    #[test]
    fn wires_follow_new_names_of_ports() {
        let registry = Registry::standard();
        let mut simulation = Simulation::new("Main");
        let model = simulation.model_mut("Main").expect("the root");
        model.add_block(Block::new(BlockId(0), BlockKind::library("Routing", "Bus Creator")));
        for source in [1, 2] {
            model.add_block(Block::new(BlockId(source), BlockKind::library("Var", "Static")));
            model.connect(Connection::new(BlockId(source), "Output", BlockId(0), &format!("signal{source}")));
        }
        let mut document = Document::new(simulation, Arc::clone(&registry));
        let def = registry.get("Routing", "Bus Creator").expect("the block");
        let mut set = |names: &str| {
            let model = Arc::clone(document.simulation().root_model().expect("a root"));
            let block = model.block(BlockId(0)).expect("the block");
            let values = vec![names.to_owned()];
            let moved = renamed(document.simulation(), &model, block, def, ("Names", &values));
            let (model, name) = (Arc::clone(&model.name), "Names".into());
            let mut edits = vec![Edit::SetOption { model, id: BlockId(0), name, values: Some(values) }];
            edits.extend(moved);
            document.apply(&Change::new("Rename", edits)).expect("it is applied");
            let wires = document.simulation().root_model().expect("a root").connections.values();
            let mut wires: Vec<_> = wires.map(|wire| (wire.from.0, wire.input.to_string())).collect();
            wires.sort();
            wires
        };
        let wires = |first: &str, second: &str| vec![(1, first.to_owned()), (2, second.to_owned())];
        assert_eq!(set("speed signal2"), wires("speed", "signal2"));
        assert_eq!(set("speed force"), wires("speed", "force"));
        assert_eq!(set("force speed"), wires("speed", "force"));
        // It is not known which one is gone.
        assert_eq!(set("force v new"), wires("speed", "force"));
        assert_eq!(set("a a"), wires("speed", "force"));
    }

    /// The name of the wire, of one of several outputs, or of the source; a name that is taken gets a number. The wires
    /// stay at their places, also where names change places.
    #[test]
    fn inputs_are_named_after_their_signals() {
        let registry = Registry::standard();
        let mut simulation = Simulation::new("Main");
        let model = simulation.model_mut("Main").expect("the root");
        let creator = Block::new(BlockId(0), BlockKind::library("Routing", "Bus Creator"));
        model.add_block(creator.with_option("Names", &["b a c d e"]));
        let mut labelled = Block::new(BlockId(1), BlockKind::library("Var", "Static"));
        labelled.attributes.set("label", "Speed, m/s");
        model.add_block(labelled);
        model.add_block(Block::new(BlockId(2), BlockKind::entry("b")));
        model.add_block(Block::new(BlockId(3), BlockKind::library("Routing", "Demux")));
        let mut named = Connection::new(BlockId(1), "Output", BlockId(0), "c");
        named.attributes.set(Connection::NAME, "2nd");
        for wire in [
            Connection::new(BlockId(3), "Output 2", BlockId(0), "b"),
            Connection::new(BlockId(2), "Output", BlockId(0), "a"),
            named,
            Connection::new(BlockId(2), "Output", BlockId(0), "d"),
        ] {
            model.connect(wire);
        }
        let mut document = Document::new(simulation, Arc::clone(&registry));
        let def = registry.get("Routing", "Bus Creator").expect("the block");
        let change = |document: &Document| {
            let model = document.simulation().root_model().expect("a root");
            let block = model.block(BlockId(0)).expect("the block");
            named_after_signals(document.simulation(), &registry, model, block, def)
        };
        document.apply(&change(&document).expect("a change")).expect("it is applied");
        let names: Vec<Arc<str>> = ports(&document, 0).inputs;
        assert_eq!(names.join(" "), "Output_2 b _2nd b_2 e");
        let model = document.simulation().root_model().expect("a root");
        let from = names.iter().map(|input| model.source(BlockId(0), input).map(|wire| wire.from.0));
        assert_eq!(from.collect::<Vec<_>>(), [Some(3), Some(2), Some(1), Some(2), None]);
        assert_eq!(change(&document), None);
    }

    #[test]
    fn signs_and_names_are_added_too() {
        let registry = Registry::standard();
        for (group, name) in [("Math", "Sum"), ("User", "Formula")] {
            let mut simulation = Simulation::new("Main");
            let model = simulation.model_mut("Main").expect("the root");
            model.add_block(Block::new(BlockId(0), BlockKind::library(group, name)));
            let mut document = Document::new(simulation, Arc::clone(&registry));
            let before = ports(&document, 0).inputs.len();
            let def = registry.get(group, name).expect("the block");
            let model = document.simulation().root_model().expect("a root");
            let block = model.block(BlockId(0)).expect("the block");
            let change = added(document.simulation(), model, block, def, PortGroup::Inputs);
            document.apply(&change.expect("a port can be added")).expect("it is done");
            assert_eq!(ports(&document, 0).inputs.len(), before + 1, "{group}/{name}");
        }
    }
}
