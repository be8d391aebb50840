//! From the XML to diagrams. The file lists blocks, ports and links side by side, and defines some of them within others,
//! where they are first mentioned.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::simulink::section::Section;
use super::super::source::Area;
use super::data::Data;
use super::diagram::{Diagram, Kind, Link, MAX_DEPTH, MAX_PARTS, Node, Pin};
use super::lists;

/// The largest matrix in the XML.
const MAX_ELEMENTS: usize = 1_000_000;
const MAX_ITEMS: usize = 100_000;

/// Blocks whose element says what they are.
const TAGS: [(&str, &str); 24] = [
    ("BasicBlock", ""),
    ("SplitBlock", "SPLIT_f"),
    ("TextBlock", "TEXT_f"),
    ("SuperBlock", "SUPER_f"),
    ("ExplicitInBlock", "IN_f"),
    ("ExplicitOutBlock", "OUT_f"),
    ("EventInBlock", "CLKINV_f"),
    ("EventOutBlock", "CLKOUTV_f"),
    ("ImplicitInBlock", "INIMPL_f"),
    ("ImplicitOutBlock", "OUTIMPL_f"),
    ("ConstBlock", "CONST_m"),
    ("GainBlock", "GAINBLK_f"),
    ("PrintBlock", ""),
    ("AfficheBlock", "AFFICH_m"),
    ("RoundBlock", ""),
    ("BigSom", "BIGSOM_f"),
    ("Summation", "SUMMATION"),
    ("Product", "PRODUCT"),
    ("GroundBlock", "Ground"),
    ("VoltageSensorBlock", "VoltageSensor"),
    ("CurrentSensorBlock", "CurrentSensor"),
    ("ResistorBlock", "Resistor"),
    ("BlockInterFunction", ""),
    ("BarBlock", ""),
];

/// The values of a block that are kept.
const VALUES: [&str; 5] = ["realParameters", "integerParameters", "objectsParameters", "state", "dState"];

/// Reads a diagram from its element.
pub fn diagram(section: &Section, dictionary: &[Rc<Data>]) -> Diagram {
    let mut left = MAX_PARTS;
    Reader { dictionary, left: &mut left }.diagram(section, 0)
}

/// A number of an attribute.
pub fn number(section: &Section, name: &str) -> Option<f64> {
    section.get(name)?.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

struct Reader<'a> {
    dictionary: &'a [Rc<Data>],
    left: &'a mut usize,
}

/// The elements of one diagram, found by walking them.
#[derive(Default)]
struct Found<'a> {
    blocks: Vec<&'a Section>,
    ports: Vec<(&'a Section, Kind)>,
    links: Vec<&'a Section>,
    labels: BTreeMap<&'a str, &'a str>,
}

impl Reader<'_> {
    fn diagram(&mut self, section: &Section, depth: usize) -> Diagram {
        let mut made = Diagram { context: self.context(section), ..Diagram::default() };
        let mut found = Found::default();
        section.sections.iter().for_each(|section| walk(section, &mut found));
        let mut nodes: BTreeMap<&str, usize> = BTreeMap::new();
        for block in &found.blocks {
            let Some(id) = block.get("id") else { continue };
            // The first that has more than its id defines the block.
            let is_known = nodes.get(id).is_some_and(|&node| made.nodes[node].area.is_some());
            if is_known || block.sections.is_empty() && nodes.contains_key(id) || *self.left == 0 {
                continue;
            }
            *self.left -= 1;
            let mut node = self.node(block, depth);
            let identifier = format!("{id}#identifier");
            node.label = found.labels.get(&*identifier).map(|text| plain(text)).unwrap_or_default();
            match nodes.get(id) {
                Some(&place) => made.nodes[place] = node,
                None => {
                    nodes.insert(id, made.nodes.len());
                    made.nodes.push(node);
                }
            }
        }
        let pins = pins(&found, &nodes, &mut made.nodes);
        for link in &found.links {
            made.links.extend(self.link(link, &pins));
        }
        name_splits(&mut made);
        made
    }

    fn context(&self, section: &Section) -> Vec<String> {
        let Some(context) = section.all("Array").find(|array| array.get("as") == Some("context")) else {
            return Vec::new();
        };
        context.all("add").filter_map(|line| line.get("value")).map(str::to_owned).collect()
    }

    fn node(&mut self, section: &Section, depth: usize) -> Node {
        let implied = TAGS.iter().find(|(tag, _)| *tag == section.name).map_or("", |(_, function)| *function);
        let function = section.get("interfaceFunctionName").filter(|name| !name.trim().is_empty()).unwrap_or(implied);
        let mut node = Node {
            function: function.trim().to_owned(),
            simulation: section.get("simulationFunctionName").unwrap_or_default().to_owned(),
            value: section.get("value").unwrap_or_default().to_owned(),
            ..Node::default()
        };
        for part in &section.sections {
            let name = part.get("as").unwrap_or_default();
            if part.name == "SuperBlockDiagram" {
                if depth < MAX_DEPTH {
                    node.inside = Some(Box::new(self.diagram(part, depth + 1)));
                }
            } else if part.name == "mxGeometry" {
                node.area = area(part);
            } else if name == "exprs" {
                node.exprs = lists::exprs(&self.data(part, 0));
            } else if let Some(known) = VALUES.iter().find(|known| **known == name) {
                let data = self.data(part, 0);
                if lists::is_diagram(&data) {
                    if node.inside.is_none() {
                        node.inside = lists::diagram(&data, depth + 1, self.left).map(Box::new);
                    }
                } else {
                    node.values.push((known, data));
                }
            }
        }
        style(&mut node, section.get("style").unwrap_or_default());
        node
    }

    /// A value of a block: of the dictionary, or written out.
    fn data(&self, section: &Section, depth: usize) -> Rc<Data> {
        if section.get("binary") == Some("true") {
            let place = section.get("position").and_then(|text| text.trim().parse::<usize>().ok());
            return place.and_then(|place| self.dictionary.get(place)).cloned().unwrap_or_default();
        }
        let size = |name: &str| section.get(name).and_then(|text| text.trim().parse::<usize>().ok()).unwrap_or(0);
        let (rows, columns) = (size("height"), size("width"));
        if rows.saturating_mul(columns) > MAX_ELEMENTS || depth > MAX_DEPTH * 4 {
            return Rc::default();
        }
        let cells = || {
            section.all("data").filter_map(|cell| {
                let at = |name: &str| cell.get(name).and_then(|text| text.trim().parse::<usize>().ok()).unwrap_or(0);
                let (line, column) = (at("line"), at("column"));
                (line < rows && column < columns).then(|| (line * columns + column, cell))
            })
        };
        Rc::new(match &*section.name {
            "ScilabString" => {
                let mut texts = vec![String::new(); rows * columns];
                cells().for_each(|(at, cell)| texts[at] = cell.get("value").unwrap_or_default().to_owned());
                Data::Texts(texts)
            }
            "ScilabDouble" | "ScilabInteger" | "ScilabBoolean" => {
                let mut values = vec![0.0; rows * columns];
                for (at, cell) in cells() {
                    let text = cell.get("realPart").or_else(|| cell.get("value")).unwrap_or_default().trim();
                    values[at] = match text {
                        "true" => 1.0,
                        "false" => 0.0,
                        "Infinity" => f64::INFINITY,
                        "-Infinity" => f64::NEG_INFINITY,
                        _ => text.parse().unwrap_or(0.0),
                    };
                }
                Data::Numbers { rows, columns, values }
            }
            "Array" => {
                let items = section.sections.iter().take(MAX_ITEMS);
                Data::List(items.map(|item| self.data(item, depth + 1)).collect())
            }
            "mxPoint" => Data::Point(number(section, "x").unwrap_or(0.0), number(section, "y").unwrap_or(0.0)),
            _ => Data::Nothing,
        })
    }

    fn link(&self, section: &Section, pins: &BTreeMap<&str, Pin>) -> Option<Link> {
        let end = |name: &str| {
            let inner = || section.sections.iter().find(|part| part.get("as") == Some(name))?.get("id");
            pins.get(section.get(name).or_else(inner)?).copied()
        };
        let (from, to) = (end("source")?, end("target")?);
        let is_start = |kind: Kind| matches!(kind, Kind::Output | Kind::EventOutput);
        // Some links are drawn from the input to the output.
        let is_turned = is_start(to.kind) && !is_start(from.kind);
        let geometry = section.section("mxGeometry");
        let points = geometry.and_then(|part| part.all("Array").find(|array| array.get("as") == Some("points")));
        let mut bends: Vec<(f64, f64)> = match points {
            Some(points) => self.data(points, 0).items().iter().filter_map(|item| point(item)).collect(),
            None => Vec::new(),
        };
        if is_turned {
            bends.reverse();
        }
        let (from, to) = if is_turned { (to, from) } else { (from, to) };
        Some(Link { from, to, bends })
    }
}

fn point(item: &Data) -> Option<(f64, f64)> {
    if let Data::Point(x, y) = item { Some((*x, *y)) } else { None }
}

/// Collects the elements of a diagram, but not of those inside.
fn walk<'a>(section: &'a Section, found: &mut Found<'a>) {
    if section.name == "SuperBlockDiagram" {
        return;
    }
    let tag = &*section.name;
    if let Some(kind) = Kind::of_tag(tag) {
        found.ports.push((section, kind));
    } else if tag.ends_with("Link") {
        found.links.push(section);
    } else if tag == "mxCell" {
        if let (Some(id), Some(value)) = (section.get("id"), section.get("value")) {
            found.labels.insert(id, value);
        }
    } else if section.get("id").is_some()
        && (section.get("interfaceFunctionName").is_some() || TAGS.iter().any(|(known, _)| *known == tag))
    {
        found.blocks.push(section);
    }
    section.sections.iter().for_each(|section| walk(section, found));
}

/// Numbers the ports of each block within their kind, and returns them by id.
fn pins<'a>(found: &Found<'a>, nodes: &BTreeMap<&str, usize>, blocks: &mut [Node]) -> BTreeMap<&'a str, Pin> {
    let mut ports: BTreeMap<&str, (usize, Kind, u32, usize)> = BTreeMap::new();
    for (place, (section, kind)) in found.ports.iter().enumerate() {
        let Some(id) = section.get("id") else { continue };
        let inner = || section.sections.iter().find(|part| part.get("as") == Some("parent"))?.get("id");
        let Some(&node) = section.get("parent").or_else(inner).and_then(|parent| nodes.get(parent)) else { continue };
        let ordering = section.get("ordering").and_then(|text| text.trim().parse().ok()).unwrap_or(u32::MAX);
        ports.entry(id).or_insert((node, *kind, ordering, place));
    }
    let mut order: Vec<_> = ports.into_iter().collect();
    order.sort_by_key(|(_, port)| *port);
    let mut pins = BTreeMap::new();
    for (id, (node, kind, _, place)) in order {
        let count = blocks[node].ports.count(kind);
        *count += 1;
        let number = *count;
        let size = |name: &str, default: i64| {
            found.ports[place].0.get(name).map_or(default, |text| text.trim().parse().unwrap_or(0))
        };
        blocks[node].sizes.insert((kind, number), [size("dataLines", -1), size("dataColumns", -2)]);
        pins.insert(id, Pin { node, kind, number });
    }
    pins
}

/// A split without a name is one of signals, of events or of a network, as its ports say.
fn name_splits(diagram: &mut Diagram) {
    for node in diagram.nodes.iter_mut().filter(|node| node.function == "SPLIT_f") {
        if node.ports.event_inputs + node.ports.event_outputs > 0 {
            node.function = "CLKSPLIT_f".to_owned();
        } else if node.ports.implicit_inputs + node.ports.implicit_outputs > 0 {
            node.function = "IMPSPLIT_f".to_owned();
        }
    }
}

fn area(geometry: &Section) -> Option<Area> {
    let at = |name: &str| number(geometry, name).unwrap_or(0.0);
    let (x, y) = (at("x"), at("y"));
    Some(Area { left: x, top: y, right: x + at("width").max(0.0), bottom: y + at("height").max(0.0) })
}

fn style(node: &mut Node, style: &str) {
    let mut is_upside_down = false;
    for part in style.split(';') {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        match key.trim() {
            "rotation" => node.quarters = lists::quarters(value.trim().parse().unwrap_or(0.0)),
            "flip" => node.is_mirrored = value.trim() == "true",
            "mirror" => is_upside_down = value.trim() == "true",
            _ => {}
        }
    }
    // Upright blocks have their ports at the upper and lower side.
    if node.quarters % 2 == 1 && is_upside_down {
        node.is_mirrored = !node.is_mirrored;
    }
}

/// The text of a label without its markup.
fn plain(text: &str) -> String {
    super::super::simulink::plain::plain(text)
}
