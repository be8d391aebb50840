//! From diagrams to the neutral document: splits become branches of wires, events become sample times and conditions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::picture;
use super::super::source::{Area, Block, End, Mask, MaskParameter, Note, Port, System, Wire};
use super::chosen;
use super::data::Data;
use super::diagram::{Diagram, Kind, Link, Node, Pin};
use super::events::{Outside, Pulse, Timer, When};
use super::sizes::Sizes;

/// A block of a system under construction, with when it runs.
pub struct Part {
    pub block: Block,
    pub when: When,
}

/// Turns a diagram into a system.
pub fn system(diagram: &Diagram, outside: &Outside) -> System {
    let timer = Timer::new(diagram, outside);
    let sizes = Sizes::of(diagram, &outside.sizes);
    let mut names = Names::default();
    let mut system = System::default();
    let mut places: Vec<Option<usize>> = vec![None; diagram.nodes.len()];
    let mut parts = Vec::new();
    for (index, node) in diagram.nodes.iter().enumerate() {
        if node.is_split() {
            continue;
        }
        if node.function == "TEXT_f" {
            system.notes.extend(note(node));
            continue;
        }
        places[index] = Some(parts.len());
        parts.push(Part { block: block(node, index, &timer, &sizes, &mut names), when: timer.when(index) });
    }
    let (mut wires, loose) = wires(diagram, &places, &parts);
    for (index, node) in diagram.nodes.iter().enumerate() {
        if let (Some(place), Some(chosen)) = (places[index], selected(node, index, &timer)) {
            let block = &mut parts[place].block;
            let marks: Vec<&str> = chosen.iter().map(|one| if one.is_some() { "1" } else { "0" }).collect();
            block.params.set("Chosen", marks.join(" "));
            for (at, one) in chosen.into_iter().enumerate() {
                let Some((chooser, output)) = one else { continue };
                let Some(chooser) = places[chooser] else { continue };
                let from = End { block: chooser, port: Port::Signal(output) };
                let to = End { block: place, port: Port::Signal(node.ports.inputs + at + 1) };
                wires.push(Wire { from, to, bends: Vec::new(), name: String::new() });
            }
        }
    }
    wires.extend(networks(diagram, &places));
    system.loose = loose;
    system.wires = wires;
    chosen::enclose(&mut system, parts, &places, &timer);
    system
}

/// The outputs of a block that chooses, of which each selects an input or output of this one; none at event inputs to
/// which nothing is connected.
fn selected(node: &Node, index: usize, timer: &Timer) -> Option<Vec<Option<(usize, usize)>>> {
    let (count, may_be_open) = match &*node.function {
        "SELECT_m" | "SELECT_f" => (node.ports.inputs, false),
        "ISELECT_m" | "ISELECT_f" => (node.ports.outputs, true),
        _ => return None,
    };
    let choice = |number| match timer.event(index, number) {
        Some(Pulse::Choice { node, output }) => Some(Some((node, output))),
        None if may_be_open => Some(None),
        _ => None,
    };
    let chosen: Option<Vec<Option<(usize, usize)>>> = (1..=node.ports.event_inputs).map(choice).collect();
    let chosen = chosen.filter(|chosen| chosen.len() == count)?;
    let first = chosen.iter().flatten().next()?.0;
    chosen.iter().flatten().all(|(of, _)| *of == first).then_some(chosen)
}

/// Names that no two blocks of a diagram share.
#[derive(Default)]
struct Names(BTreeMap<String, usize>);

impl Names {
    fn free(&mut self, wanted: &str) -> String {
        let count = self.0.entry(wanted.to_owned()).or_insert(0);
        *count += 1;
        if *count == 1 { wanted.to_owned() } else { format!("{wanted} {count}") }
    }
}

fn note(node: &Node) -> Option<Note> {
    let text = match node.expr(1) {
        "" => node.value.clone(),
        text => text.to_owned(),
    };
    let text = super::super::simulink::plain::plain(&text);
    (!text.trim().is_empty()).then_some(Note { text, area: node.area, is_frame: false })
}

/// The kinds of the neutral document for blocks that every program has, with the parameter that the first text is.
const COMMON: [(&str, &str, &str); 6] = [
    ("IN_f", "Inport", "Port"),
    ("OUT_f", "Outport", "Port"),
    ("GOTO", "Goto", "GotoTag"),
    ("FROM", "From", "GotoTag"),
    ("GotoTagVisibility", "GotoTagVisibility", "GotoTag"),
    ("TOWS_c", "ToWorkspace", ""),
];

fn block(node: &Node, index: usize, timer: &Timer, sizes: &Sizes, names: &mut Names) -> Block {
    let mut made = Block {
        kind: if node.function.is_empty() { "unknown".to_owned() } else { node.function.clone() },
        inputs: Some(node.ports.inputs),
        outputs: Some(node.ports.outputs),
        area: node.area,
        quarters: node.quarters,
        is_mirrored: node.is_mirrored,
        ..Block::default()
    };
    for (number, text) in node.exprs.texts().iter().enumerate() {
        made.params.set(format!("exprs({})", number + 1), text.trim());
    }
    if let Data::Numbers { values, .. } = &*node.exprs {
        let texts = values.iter().enumerate();
        texts.for_each(|(at, value)| made.params.set(format!("exprs({})", at + 1), crate::block::number_text(*value)));
    }
    for (name, data) in &node.values {
        values(&mut made, name, data, 0);
    }
    if !node.simulation.is_empty() {
        made.params.set("simulationFunctionName", &*node.simulation);
    }
    if node.ports.implicit_inputs + node.ports.implicit_outputs > 0 {
        made.params.set("IsImplicit", "on");
    }
    for (kind, side, count) in [(Kind::Input, "in", node.ports.inputs), (Kind::Output, "out", node.ports.outputs)] {
        for number in 1..=count {
            let known = sizes.get(Pin { node: index, kind, number });
            for (size, what) in known.into_iter().zip(["rows", "columns"]) {
                if let Some(size) = size {
                    made.params.set(format!("{side}{number}.{what}"), size.to_string());
                }
            }
        }
    }
    activation(&mut made, node, index, timer);
    common(&mut made, node);
    let wanted = match &*node.function {
        "IN_f" => format!("in{}", node.port_number()),
        "OUT_f" => format!("out{}", node.port_number()),
        "" => "Block".to_owned(),
        function => function.to_owned(),
    };
    let label: String = node.label.split_whitespace().collect::<Vec<_>>().join(" ");
    if label.is_empty() {
        made.params.set("ShowName", "off");
    }
    made.name = names.free(if label.is_empty() { &wanted } else { &label });
    if let Some(inside) = &node.inside {
        let size = |number| sizes.get(Pin { node: index, kind: Kind::Input, number });
        let sizes = (1..=node.ports.inputs).map(size).collect();
        made.system = Some(system(inside, &Outside { sizes, ..(*timer.inside_of(index)).clone() }));
        made.mask = mask(node, inside);
    }
    made
}

fn values(made: &mut Block, name: &str, data: &Data, depth: usize) {
    if let Some(text) = data.text() {
        made.params.set(name, text);
    } else if depth < 4 {
        for (at, item) in data.items().iter().enumerate().take(100) {
            values(made, &format!("{name}({})", at + 1), item, depth + 1);
        }
    }
}

/// Says when a block runs: a sample time, or the reason why there is none.
fn activation(made: &mut Block, node: &Node, index: usize, timer: &Timer) {
    if node.ports.event_inputs > 0 {
        made.params.set("EventInputs", node.ports.event_inputs.to_string());
    }
    let When::At(pulse) = timer.when(index) else {
        if node.ports.event_inputs > 0 {
            made.params.set("Activated", "on");
        }
        return;
    };
    let pulse = timer.base(&pulse).unwrap_or(pulse);
    match pulse {
        Pulse::Clock { period, offset } => {
            let is_zero = offset.parse::<f64>() == Ok(0.0);
            made.params.set("SampleTime", if is_zero { period } else { format!("[{period}, {offset}]") });
        }
        // A block that follows its inputs alone needs no event, unless it has a state.
        Pulse::Other(reason) if node.ports.event_inputs > 0 || has_state(node) => {
            made.params.set("EventProblem", reason);
        }
        Pulse::Choice { .. } | Pulse::Edge { .. } => made.params.set("Activated", "on"),
        Pulse::Other(_) | Pulse::Outer => {}
    }
}

fn has_state(node: &Node) -> bool {
    node.function.starts_with("DOLLAR") || node.function.starts_with("REGISTER")
}

fn common(made: &mut Block, node: &Node) {
    let Some((function, kind, parameter)) = COMMON.iter().find(|(function, ..)| *function == made.kind) else {
        return;
    };
    made.params.set("InterfaceFunction", *function);
    made.kind = (*kind).to_owned();
    match *kind {
        "Inport" | "Outport" => made.params.set(*parameter, node.port_number().to_string()),
        "ToWorkspace" => {
            let name = if node.expr(2).is_empty() { "A" } else { node.expr(2) };
            made.params.set("VariableName", name);
        }
        _ => {
            made.params.set(*parameter, if node.expr(1).is_empty() { "A" } else { node.expr(1) });
            let visibility = match node.expr(2) {
                "2" => "scoped",
                "3" => "global",
                _ => "local",
            };
            made.params.set("TagVisibility", visibility);
        }
    }
}

/// The names that the context of a superblock sets.
fn mask(node: &Node, inside: &Diagram) -> Option<Mask> {
    let text = inside.context.join("\n");
    if text.trim().is_empty() && node.function != "DSUPER" {
        return None;
    }
    Some(Mask { parameters: masked_parameters(node), initialization: super::scilab::translated(&text) })
}

/// The parameters of a masked superblock: the dialog has the values, then the names of the variables that they set.
fn masked_parameters(node: &Node) -> Vec<MaskParameter> {
    let count = node.exprs.texts().len() / 2;
    let texts = node.exprs.texts();
    if node.function != "DSUPER" || texts.len() != 2 * count {
        return Vec::new();
    }
    let is_name = |name: &&String| name.starts_with(|c: char| c.is_alphabetic());
    let pairs = texts[..count].iter().zip(&texts[count..]).filter(|(_, name)| is_name(name));
    let parameter = |(value, name): (&String, &String)| MaskParameter {
        name: name.trim().to_owned(),
        prompt: name.trim().to_owned(),
        value: value.clone(),
        control: "edit".to_owned(),
        is_evaluated: true,
        choices: Vec::new(),
    };
    pairs.map(parameter).collect()
}

/// The wires between blocks, with those of splits joined to one each, and the number of ends that lead nowhere.
fn wires(diagram: &Diagram, places: &[Option<usize>], parts: &[Part]) -> (Vec<Wire>, usize) {
    let mut arriving: HashMap<Pin, &Link> = HashMap::new();
    diagram.links.iter().for_each(|link| {
        arriving.entry(link.to).or_insert(link);
    });
    let (mut wires, mut loose) = (Vec::new(), 0);
    for link in diagram.links.iter().filter(|link| link.to.kind == Kind::Input) {
        let Some(to) = places[link.to.node] else { continue };
        let (mut from, mut bends) = (link.from, link.bends.clone());
        for _ in 0..10_000 {
            let split = &diagram.nodes[from.node];
            let before = arriving.get(&Pin { node: from.node, kind: Kind::Input, number: 1 });
            let (true, Some(before)) = (split.is_split(), before) else { break };
            let centre = split.area.map(|area| ((area.left + area.right) / 2.0, (area.top + area.bottom) / 2.0));
            let rest = std::mem::replace(&mut bends, before.bends.clone());
            bends.extend(centre.into_iter().chain(rest));
            from = before.from;
        }
        let Some(block) = places[from.node].filter(|_| from.kind == Kind::Output) else {
            loose += 1;
            continue;
        };
        let from = End { block, port: Port::Signal(from.number) };
        let start = picture::output_position(&parts[block].block, from);
        let bends = start.map(|(x, y)| bends.iter().map(|(bx, by)| (bx - x, by - y)).collect()).unwrap_or_default();
        let to = End { block: to, port: Port::Signal(link.to.number) };
        wires.push(Wire { from, to, bends, name: String::new() });
    }
    (wires, loose)
}

/// Each network of links without a direction as wires from one of its ports to the others.
fn networks(diagram: &Diagram, places: &[Option<usize>]) -> Vec<Wire> {
    let mut groups: Vec<usize> = (0..diagram.nodes.len()).collect();
    fn root(groups: &mut [usize], mut node: usize) -> usize {
        while groups[node] != node {
            groups[node] = groups[groups[node]];
            node = groups[node];
        }
        node
    }
    let links: Vec<&Link> =
        diagram.links.iter().filter(|link| link.from.kind.is_implicit() && link.to.kind.is_implicit()).collect();
    // Splits join the ports that are linked to them.
    for link in &links {
        if diagram.nodes[link.from.node].is_split() && diagram.nodes[link.to.node].is_split() {
            let (a, b) = (root(&mut groups, link.from.node), root(&mut groups, link.to.node));
            groups[a] = b;
        }
    }
    let mut nets: BTreeMap<usize, BTreeSet<End>> = BTreeMap::new();
    let mut wires = Vec::new();
    let wire = |from: End, to: End| Wire { from, to, bends: Vec::new(), name: String::new() };
    for link in links {
        match (end(link.from, places), end(link.to, places)) {
            (Some(from), Some(to)) => wires.push(wire(from, to)),
            (Some(only), None) => {
                let net = root(&mut groups, link.to.node);
                nets.entry(net).or_default().insert(only);
            }
            (None, Some(only)) => {
                let net = root(&mut groups, link.from.node);
                nets.entry(net).or_default().insert(only);
            }
            (None, None) => {}
        }
    }
    for net in nets.values() {
        let mut ends = net.iter();
        if let Some(first) = ends.next() {
            wires.extend(ends.map(|other| wire(*first, *other)));
        }
    }
    wires
}

fn end(pin: Pin, places: &[Option<usize>]) -> Option<End> {
    let side = if pin.kind == Kind::ImplicitOutput { 1000 } else { 0 };
    Some(End { block: places[pin.node]?, port: Port::Physical(side + pin.number) })
}

/// An area beside another, for blocks that the file has not.
pub fn beside(area: Option<Area>, x: f64, y: f64) -> Option<Area> {
    area.map(|area| Area {
        left: area.left + x,
        top: area.top + y,
        right: area.left + x + 30.0,
        bottom: area.top + y + 20.0,
    })
}
