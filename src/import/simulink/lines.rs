//! Lines with their branches as wires, each from one output to one input.

use std::collections::HashMap;

use super::super::source::{End, Port, Wire};
use super::section::Section;

/// The blocks of a system, by what lines call them.
#[derive(Debug, Default)]
pub struct BlockNames<'a> {
    pub by_id: HashMap<&'a str, usize>,
    pub by_name: HashMap<&'a str, usize>,
}

/// The deepest nesting of branches.
const MAX_BRANCHES: usize = 200;

/// Reads the lines of a system; returns the wires and the number of open ends.
pub fn wires(system: &Section, names: &BlockNames) -> (Vec<Wire>, usize) {
    let mut wires = Vec::new();
    let mut loose = 0;
    for line in system.all("Line") {
        let name = line.get("Name").unwrap_or_default();
        let from = end(line, "Src", names);
        walk(line, &Trunk { from, name, bends: &[] }, names, (&mut wires, &mut loose), 0);
    }
    (wires, loose)
}

/// The part of a line before a branch.
struct Trunk<'a> {
    from: Option<End>,
    name: &'a str,
    bends: &'a [(f64, f64)],
}

fn walk(line: &Section, trunk: &Trunk, names: &BlockNames, found: (&mut Vec<Wire>, &mut usize), depth: usize) {
    let mut bends = trunk.bends.to_vec();
    let mut at = bends.last().copied().unwrap_or_default();
    for (x, y) in pairs(line.get("Points").unwrap_or_default()) {
        at = (at.0 + x, at.1 + y);
        bends.push(at);
    }
    let (wires, loose) = found;
    let mut is_branched = false;
    if depth < MAX_BRANCHES {
        for branch in line.all("Branch") {
            is_branched = true;
            let trunk = Trunk { from: trunk.from, name: trunk.name, bends: &bends };
            walk(branch, &trunk, names, (&mut *wires, &mut *loose), depth + 1);
        }
    }
    match (trunk.from, end(line, "Dst", names)) {
        (Some(from), Some(to)) => wires.push(Wire { from, to, bends, name: trunk.name.to_owned() }),
        _ if is_branched && trunk.from.is_some() => {}
        _ => *loose += 1,
    }
}

/// The end of a line: `Src` of XML, or `SrcBlock` and `SrcPort` of text.
fn end(line: &Section, which: &str, names: &BlockNames) -> Option<End> {
    if let Some(text) = line.get(which) {
        // An identifier may have colons and more; the port follows the last sign.
        let (id, port) = text.rsplit_once('#')?;
        let block = *names.by_id.get(id.trim())?;
        return Some(End { block, port: port_of(port)? });
    }
    let block = *names.by_name.get(line.get(&format!("{which}Block"))?)?;
    let port = line.get(&format!("{which}Port")).unwrap_or("1");
    Some(End { block, port: port_of(port)? })
}

/// A port: `in:2`, `out:1`, `enable`, `lconn:1`, or as in text `2`, `LConn1`.
fn port_of(text: &str) -> Option<Port> {
    let text = text.trim().to_lowercase();
    let number = |text: &str| text.trim_start_matches(':').parse().ok().filter(|number: &usize| *number > 0);
    // The ports of the right side come behind those of the left, of which there are fewer than a thousand.
    let physical =
        |prefix: &str, first: usize| number(text.strip_prefix(prefix)?).map(|port| Port::Physical(first + port));
    match &*text {
        "enable" => Some(Port::Enable),
        "trigger" => Some(Port::Trigger),
        "ifaction" => Some(Port::Action),
        "reset" => Some(Port::Reset),
        "state" => Some(Port::State),
        _ => {
            let signal = text.strip_prefix("in:").or_else(|| text.strip_prefix("out:")).unwrap_or(&text);
            let signal = signal.parse().ok().filter(|port: &usize| *port > 0).map(Port::Signal);
            signal.or_else(|| physical("lconn", 0)).or_else(|| physical("rconn", 1000))
        }
    }
}

/// The pairs of `[1, 2; 3, 4]`.
pub fn pairs(text: &str) -> Vec<(f64, f64)> {
    let numbers = numbers(text);
    numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}

/// The numbers of a list in brackets.
pub fn numbers(text: &str) -> Vec<f64> {
    let parts = text.trim().trim_start_matches('[').trim_end_matches(']').split([',', ';', ' ', '\n']);
    parts.filter_map(|part| part.trim().parse::<f64>().ok()).filter(|number| number.is_finite()).collect()
}
