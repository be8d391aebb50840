//! Blocks that run under a condition or at an edge: those of one event become a subsystem around them.

use std::collections::BTreeMap;

use super::super::source::{Block, End, Port, System, Wire};
use super::build::{Part, beside};
use super::events::{EDGES, Pulse, Timer, When};

/// Adds the blocks to a system, with subsystems around those that an event chooses.
pub fn enclose(system: &mut System, parts: Vec<Part>, places: &[Option<usize>], timer: &Timer) {
    let mut parts: Vec<Option<Part>> = parts.into_iter().map(Some).collect();
    // The innermost choices come first: what encloses them is itself chosen.
    for (pulse, when) in pulses(&parts, timer) {
        let is_member = |part: &Option<Part>| {
            part.as_ref().is_some_and(|part| part.when == When::At(pulse.clone()) && !is_outside(&part.block))
        };
        let members: Vec<usize> = (0..parts.len()).filter(|&index| is_member(&parts[index])).collect();
        let (node, output) = match pulse {
            Pulse::Choice { node, output } | Pulse::Edge { node, output } => (node, output),
            _ => continue,
        };
        let Some(chooser) = places[node].filter(|chooser| !members.contains(chooser)) else { continue };
        if members.is_empty() {
            continue;
        }
        let edge = match pulse {
            Pulse::Edge { .. } => parts[chooser].as_ref().map(|part| direction(&part.block)),
            _ => None,
        };
        let enclosure = enclosed(system, &mut parts, &members, edge);
        let port = if edge.is_some() { Port::Trigger } else { Port::Enable };
        let from = End { block: chooser, port: Port::Signal(if edge.is_some() { 1 } else { output }) };
        let to = End { block: parts.len(), port };
        system.wires.push(Wire { from, to, bends: Vec::new(), name: String::new() });
        parts.push(Some(Part { block: enclosure, when }));
    }
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, part) in parts.into_iter().enumerate() {
        if let Some(part) = part {
            numbers.insert(index, system.blocks.len());
            system.blocks.push(part.block);
        }
    }
    renumber(&mut system.wires, &numbers);
}

/// The events that choose blocks, the innermost first, each with when its chooser runs.
fn pulses(parts: &[Option<Part>], timer: &Timer) -> Vec<(Pulse, When)> {
    let mut found: Vec<(usize, Pulse, When)> = Vec::new();
    for part in parts.iter().flatten() {
        let mut next = part.when.clone();
        let mut chain = Vec::new();
        while let When::At(pulse @ (Pulse::Choice { node, .. } | Pulse::Edge { node, .. })) = next {
            if chain.len() > 100 {
                break;
            }
            next = timer.when(node);
            chain.push((pulse, next.clone()));
        }
        let depth = chain.len();
        for (above, (pulse, when)) in chain.into_iter().enumerate() {
            if !found.iter().any(|(_, known, _)| *known == pulse) {
                found.push((depth - above, pulse, when));
            }
        }
    }
    found.sort_by_key(|(depth, ..)| std::cmp::Reverse(*depth));
    found.into_iter().map(|(_, pulse, when)| (pulse, when)).collect()
}

/// Sinks and ports stay outside: they change no values.
fn is_outside(block: &Block) -> bool {
    let is_sink = block.outputs.unwrap_or(0) == 0 && block.system.is_none();
    is_sink || ["Inport", "Outport", "Goto", "From"].contains(&&*block.kind)
}

fn direction(block: &Block) -> &'static str {
    match EDGES.iter().find(|(known, _)| *known == block.kind) {
        Some((_, direction)) if !direction.is_empty() => direction,
        _ => match edge_of(block) {
            edge if edge > 0.0 => "rising",
            edge if edge < 0.0 => "falling",
            _ => "either",
        },
    }
}

/// The direction of an edge trigger: of its dialog, or of the block inside.
fn edge_of(block: &Block) -> f64 {
    let own = |block: &Block| block.params.get("exprs(1)").and_then(|text| text.trim().parse().ok());
    let inner = || block.inner().iter().find(|inner| inner.kind == "EDGETRIGGER").and_then(own);
    own(block).or_else(inner).unwrap_or(0.0)
}

/// Takes the members out of the system, and returns a subsystem with them.
fn enclosed(system: &mut System, parts: &mut [Option<Part>], members: &[usize], edge: Option<&str>) -> Block {
    let mut inner = System::default();
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let area = parts[members[0]].as_ref().and_then(|part| part.block.area);
    for &member in members {
        if let Some(part) = parts[member].take() {
            numbers.insert(member, inner.blocks.len());
            inner.blocks.push(part.block);
        }
    }
    let number = parts.len();
    let (mut entries, mut exits): (Vec<End>, Vec<End>) = (Vec::new(), Vec::new());
    let place_of = |ends: &mut Vec<End>, end: End| match ends.iter().position(|known| *known == end) {
        Some(place) => place,
        None => {
            ends.push(end);
            ends.len() - 1
        }
    };
    let mut kept = Vec::new();
    // Wires at the border become two, with a port between.
    let mut ports: Vec<(bool, usize, Option<End>)> = Vec::new();
    for mut wire in std::mem::take(&mut system.wires) {
        let (from, to) = (numbers.get(&wire.from.block), numbers.get(&wire.to.block));
        match (from, to) {
            (None, None) => kept.push(wire),
            (Some(&from), Some(&to)) => {
                (wire.from.block, wire.to.block) = (from, to);
                inner.wires.push(wire);
            }
            (None, Some(&to)) => {
                let known = entries.len();
                let place = place_of(&mut entries, wire.from);
                ports.push((true, place, Some(End { block: to, port: wire.to.port })));
                if place == known {
                    let to = End { block: number, port: Port::Signal(place + 1) };
                    kept.push(Wire { from: wire.from, to, bends: Vec::new(), name: wire.name });
                }
            }
            (Some(&from), None) => {
                let place = place_of(&mut exits, End { block: from, port: wire.from.port });
                let from = End { block: number, port: Port::Signal(place + 1) };
                kept.push(Wire { from, to: wire.to, bends: Vec::new(), name: wire.name });
            }
        }
    }
    system.wires = kept;
    let first = inner.blocks.len();
    let port = |kind: &str, number: usize, side: f64| {
        let name = if kind == "Inport" { format!("in{number}") } else { format!("out{number}") };
        let area = beside(area, side, 40.0 * number as f64);
        let mut block = Block { kind: kind.to_owned(), name, area, ..Block::default() };
        block.params.set("Port", number.to_string());
        block.params.set("InterfaceFunction", "made for a condition");
        block
    };
    inner.blocks.extend((1..=entries.len()).map(|number| port("Inport", number, -120.0)));
    inner.blocks.extend((1..=exits.len()).map(|number| port("Outport", number, 240.0)));
    let wire = |from: End, to: End| Wire { from, to, bends: Vec::new(), name: String::new() };
    for (_, place, to) in ports {
        let from = End { block: first + place, port: Port::Signal(1) };
        inner.wires.extend(to.map(|to| wire(from, to)));
    }
    for (place, from) in exits.iter().enumerate() {
        let to = End { block: first + entries.len() + place, port: Port::Signal(1) };
        inner.wires.push(wire(*from, to));
    }
    let mut control = port(if edge.is_some() { "TriggerPort" } else { "EnablePort" }, 1, 0.0);
    control.name = "event".to_owned();
    control.area = beside(area, 60.0, -80.0);
    match edge {
        Some(edge) => control.params.set("TriggerType", edge),
        None => control.params.set("StatesWhenEnabling", "held"),
    }
    inner.blocks.push(control);
    let mut block = Block { kind: "SubSystem".to_owned(), area, ..Block::default() };
    block.name = format!("{} {}", if edge.is_some() { "At an edge" } else { "Under a condition" }, number + 1);
    block.inputs = Some(entries.len());
    block.outputs = Some(exits.len());
    block.params.set("InterfaceFunction", "made for a condition");
    block.system = Some(inner);
    block
}

fn renumber(wires: &mut Vec<Wire>, numbers: &BTreeMap<usize, usize>) {
    wires.retain_mut(|wire| match (numbers.get(&wire.from.block), numbers.get(&wire.to.block)) {
        (Some(&from), Some(&to)) => {
            (wire.from.block, wire.to.block) = (from, to);
            true
        }
        _ => false,
    });
}
