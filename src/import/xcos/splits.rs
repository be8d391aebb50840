//! Splits of links. Files draw the links at a split in any direction; here they lead from the source to the targets.

use std::collections::HashMap;

use super::diagram::{Diagram, Kind, Link, Pin, Ports};

/// Turns the links at splits of signals and events, so that each split has one link that arrives.
pub fn direct(diagram: &mut Diagram) {
    for node in &mut diagram.nodes {
        if let Some(inside) = &mut node.inside {
            direct(inside);
        }
    }
    let is_split: Vec<bool> =
        diagram.nodes.iter().map(|node| node.is_split() && node.function != "IMPSPLIT_f").collect();
    let mut at: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut ahead = Vec::new();
    let mut is_reached = vec![false; diagram.nodes.len()];
    for (index, link) in diagram.links.iter().enumerate() {
        for (end, other) in [(link.from, link.to), (link.to, link.from)] {
            if is_split[end.node] {
                at.entry(end.node).or_default().push(index);
            }
            let is_source = matches!(end.kind, Kind::Output | Kind::EventOutput) && !is_split[end.node];
            if is_source && is_split[other.node] && !is_reached[other.node] {
                is_reached[other.node] = true;
                ahead.push((other.node, index));
            }
        }
    }
    for (node, _) in diagram.nodes.iter_mut().zip(&is_split).filter(|(_, is_split)| **is_split) {
        let outputs = node.ports.inputs + node.ports.outputs + node.ports.event_inputs + node.ports.event_outputs;
        let is_event = node.function == "CLKSPLIT_f";
        node.ports = match is_event {
            true => Ports { event_inputs: 1, event_outputs: outputs, ..Ports::default() },
            false => Ports { inputs: 1, outputs, ..Ports::default() },
        };
        // All ports of a split have the size of its signal.
        let numbers = (1..=outputs).map(|number| (Kind::Output, number)).chain([(Kind::Input, 1)]);
        node.sizes = numbers.map(|port| (port, [-1, -2])).collect();
    }
    while let Some((split, arriving)) = ahead.pop() {
        turn(&mut diagram.links[arriving], split, true);
        for &index in at.get(&split).into_iter().flatten().filter(|index| **index != arriving) {
            let link = &mut diagram.links[index];
            turn(link, split, false);
            let next = link.to.node;
            if is_split[next] && !is_reached[next] {
                is_reached[next] = true;
                ahead.push((next, index));
            }
        }
    }
}

/// Makes a link arrive at a split, or leave from it.
fn turn(link: &mut Link, split: usize, arrives: bool) {
    let is_right = if arrives { link.to.node == split } else { link.from.node == split };
    if !is_right {
        (link.from, link.to) = (link.to, link.from);
        link.bends.reverse();
    }
    let is_event = matches!(link.from.kind, Kind::EventInput | Kind::EventOutput);
    let pin = |kind: [Kind; 2], number| Pin { node: split, kind: kind[usize::from(is_event)], number };
    if arrives {
        link.to = pin([Kind::Input, Kind::EventInput], 1);
    } else {
        link.from = pin([Kind::Output, Kind::EventOutput], link.from.number);
    }
}
