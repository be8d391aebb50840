//! Ports of a subsystem that take or give one element of a bus (In Bus Element, Out Bus Element).
//!
//! Several such blocks with one number stand for one port. Here the port is an entry with a Bus Selector for each of them,
//! or a Bus Creator that leads to the exit.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::super::source::{Area, Block, End, Port, System, Wire};
use super::names::number;

/// The gap between the blocks that are added and those of the file, in pixels.
const GAP: f64 = 50.0;
/// The width of a port that is added.
const WIDTH: f64 = 30.0;
/// A mark of blocks whose wires lead to the block of their whole port now.
const JOINED: &str = "JoinedPort";

/// Whether a port has an element of a bus.
pub fn is_element(block: &Block) -> bool {
    block.params.get("IsBusElementPort") == Some("on") && !element(block).is_empty()
}

/// Whether the wires of a port lead to another block.
pub fn is_joined(block: &Block) -> bool {
    block.params.get(JOINED).is_some()
}

/// The element of a port, such as `pose.x`; empty for the whole bus.
fn element(block: &Block) -> &str {
    block.params.get("Element").unwrap_or_default().trim()
}

/// The name of a port: that of the bus, and in the root, where each element is a port of its own, that of the element.
pub fn name(block: &Block, is_root: bool) -> String {
    match (block.params.get("IsBusElementPort"), block.params.get("PortName")) {
        (Some("on"), Some(bus)) if is_root && is_element(block) => format!("{bus} {}", element(block)),
        (Some("on"), Some(bus)) => bus.to_owned(),
        _ => block.title(),
    }
}

/// A system whose ports are whole signals. The blocks of the file keep their places in the list.
pub fn whole(system: &System) -> Cow<'_, System> {
    if !system.blocks.iter().any(is_element) {
        return Cow::Borrowed(system);
    }
    let mut made = system.clone();
    for (_, group) in groups(system, "Inport") {
        select(&mut made, &group);
    }
    for (_, group) in groups(system, "Outport") {
        join(&mut made, &group);
    }
    Cow::Owned(made)
}

/// The ports of a kind by number, where one of them has an element.
fn groups(system: &System, kind: &str) -> BTreeMap<usize, Vec<usize>> {
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, block) in system.blocks.iter().enumerate().filter(|(_, block)| block.kind == kind) {
        groups.entry(number(block)).or_default().push(index);
    }
    groups.retain(|_, group| group.iter().any(|&index| is_element(&system.blocks[index])));
    groups
}

/// The area of some blocks, moved to a side of them.
fn beside(blocks: &[&Block], is_left: bool) -> Option<Area> {
    let mut areas = blocks.iter().filter_map(|block| block.area);
    let first = areas.next()?;
    let all = areas.fold(first, |all, area| Area {
        left: all.left.min(area.left),
        top: all.top.min(area.top),
        right: all.right.max(area.right),
        bottom: all.bottom.max(area.bottom),
    });
    let left = if is_left { all.left - GAP - WIDTH } else { all.right + GAP };
    let middle = f64::midpoint(all.top, all.bottom);
    let half = first.height() / 2.0;
    Some(Area { left, top: middle - half, right: left + WIDTH, bottom: middle + half })
}

/// A port for the whole signal of some of its elements.
fn port(system: &System, group: &[usize], is_left: bool) -> Block {
    let first = &system.blocks[group[0]];
    let blocks: Vec<&Block> = group.iter().map(|&index| &system.blocks[index]).collect();
    let mut port = Block {
        kind: first.kind.clone(),
        area: beside(&blocks, is_left != first.is_mirrored),
        is_mirrored: first.is_mirrored,
        ..Block::default()
    };
    port.name = name(first, false);
    port.params.set("Port", number(first).to_string());
    port
}

fn wire(from: usize, to: usize, input: usize) -> Wire {
    let end = |block, port| End { block, port: Port::Signal(port) };
    Wire { from: end(from, 1), to: end(to, input), bends: Vec::new(), name: String::new() }
}

/// Each element is selected from the bus that enters.
fn select(system: &mut System, group: &[usize]) {
    let entry = system.blocks.len();
    let port = port(system, group, true);
    system.blocks.push(port);
    for &index in group {
        let block = &mut system.blocks[index];
        if is_element(block) {
            let selected = element(block).to_owned();
            block.kind = "BusSelector".to_owned();
            block.params.set("OutputSignals", selected);
            (block.inputs, block.outputs) = (Some(1), Some(1));
            system.wires.push(wire(entry, index, 1));
        } else {
            // The whole bus: a second drawing of the entry.
            block.kind = "InportShadow".to_owned();
        }
    }
}

/// The elements are joined to a bus that leaves.
fn join(system: &mut System, group: &[usize]) {
    let exit = system.blocks.len();
    let port = port(system, group, false);
    system.blocks.push(port);
    let elements: Vec<(Vec<String>, usize)> = group
        .iter()
        .map(|&index| (element(&system.blocks[index]).split('.').map(|part| part.trim().to_owned()).collect(), index))
        .collect();
    let name = system.blocks[exit].name.clone();
    let creator = create(system, &name, &elements, 0);
    system.wires.push(wire(creator, exit, 1));
}

/// Makes the Bus Creator of elements whose names are equal up to a level, and returns its index.
fn create(system: &mut System, name: &str, elements: &[(Vec<String>, usize)], level: usize) -> usize {
    let mut names: Vec<&str> = Vec::new();
    for (path, _) in elements {
        let name = path.get(level).map_or("signal", |name| name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let blocks: Vec<&Block> = elements.iter().map(|(_, index)| &system.blocks[*index]).collect();
    let area = blocks.iter().filter_map(|block| block.area).reduce(|all, area| Area {
        left: all.left.min(area.left),
        top: all.top.min(area.top),
        right: all.right.min(area.left + 10.0),
        bottom: all.bottom.max(area.bottom),
    });
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    let mut creator = Block { kind: "BusCreator".to_owned(), area, inputs: Some(names.len()), ..Block::default() };
    creator.name = name.to_owned();
    creator.params.set("Inputs", quoted.join(","));
    let this = system.blocks.len();
    system.blocks.push(creator);
    for (at, name) in names.iter().enumerate() {
        let of: Vec<(Vec<String>, usize)> = elements
            .iter()
            .filter(|(path, _)| path.get(level).map_or("signal", |name| name) == *name)
            .cloned()
            .collect();
        match &of[..] {
            [(path, index)] if path.len() <= level + 1 => redirect(system, *index, this, at + 1),
            _ => {
                let name = (*name).to_owned();
                let inner = create(system, &name, &of, level + 1);
                system.wires.push(wire(inner, this, at + 1));
            }
        }
    }
    this
}

/// Leads the wire of a port to an input of another block.
fn redirect(system: &mut System, port: usize, block: usize, input: usize) {
    system.blocks[port].params.set(JOINED, "on");
    for wire in system.wires.iter_mut().filter(|wire| wire.to.block == port) {
        wire.to = End { block, port: Port::Signal(input) };
    }
}
