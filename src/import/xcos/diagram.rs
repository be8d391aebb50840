//! From XML to systems.

use std::collections::{BTreeMap, HashMap};

use super::super::error::ImportError;
use super::super::section::Section;
use super::super::source::{Area, Block, Note, Script, Source};
use super::listed::{self, finish, kind, set_parameters};
use super::scilab::Value;
use super::text::rewritten;
use super::wiring::{Drawn, Item, Link, LinkKind, system};

const MAX_DEPTH: usize = 60;
/// Solvers that Scilab numbers; 100 is for diagrams without directions.
const IMPLICIT: &str = "100";

/// Functions that an element has unless it says otherwise.
const FUNCTIONS: [(&str, &str); 10] = [
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
];

/// Reads a whole file.
pub fn source(stem: &str, top: &Section, values: Vec<Value>) -> Result<Source, ImportError> {
    let root = top.find(&|section| section.name == "XcosDiagram");
    let root = root.ok_or(ImportError::NoModel("it has no diagram of Xcos"))?;
    let mut source = Source { name: stem.to_owned(), origin: "Xcos".to_owned(), ..Source::default() };
    let attribute = |name: &str, default: &str| root.get(name).unwrap_or(default).to_owned();
    source.settings.set("StopTime", attribute("finalIntegrationTime", "30"));
    source.settings.set("RelTol", attribute("integratorRelativeTolerance", "1e-6"));
    source.settings.set("AbsTol", attribute("integratorAbsoluteTolerance", "1e-6"));
    source.settings.set("SolverName", "VariableStepAuto");
    if root.get("maximumStepSize").and_then(|text| text.parse::<f64>().ok()).is_some_and(|step| step > 0.0) {
        source.settings.set("MaxStep", attribute("maximumStepSize", "auto"));
    }
    if attribute("solver", "").starts_with(IMPLICIT) {
        source.notes.push("the solver is that of diagrams without directions".to_owned());
    }
    source.scripts.extend(context(root).map(|text| Script { origin: "context".to_owned(), text }));
    source.system = system(drawn(root, &values, 0), &[], 0);
    Ok(source)
}

/// The script of a diagram.
fn context(diagram: &Section) -> Option<String> {
    let array = diagram.all("Array").find(|array| array.get("as") == Some("context"))?;
    let lines: Vec<String> = array.all("add").filter_map(|line| line.get("value")).map(rewritten).collect();
    Some(lines.join("\n"))
}

/// The elements of a diagram by their kinds. They may be defined wherever they are mentioned first.
#[derive(Default)]
struct Elements<'a> {
    blocks: Vec<&'a Section>,
    ports: Vec<&'a Section>,
    links: Vec<&'a Section>,
}

impl<'a> Elements<'a> {
    fn collect(&mut self, section: &'a Section, depth: usize) {
        for inner in section.sections.iter().filter(|_| depth < 200) {
            let name = &*inner.name;
            if name == "SuperBlockDiagram" {
                continue;
            }
            if inner.get("id").is_some() && name != "mxCell" {
                match name {
                    _ if name.ends_with("Port") => self.ports.push(inner),
                    _ if name.ends_with("Link") => self.links.push(inner),
                    _ if inner.get("interfaceFunctionName").is_some() || name.ends_with("Block") => {
                        self.blocks.push(inner)
                    }
                    _ => {}
                }
            }
            self.collect(inner, depth + 1);
        }
    }
}

/// A port: its block, its number among the ports of its kind, and its element.
type Ports<'a> = HashMap<&'a str, (usize, usize, &'a str)>;

fn drawn(diagram: &Section, values: &[Value], depth: usize) -> Drawn {
    let mut drawn = Drawn::default();
    let model = diagram.all("mxGraphModel").find(|model| model.get("as") == Some("model"));
    let (Some(model), true) = (model, depth < MAX_DEPTH) else { return drawn };
    let mut elements = Elements::default();
    elements.collect(model, 0);
    let mut indices: HashMap<&str, usize> = HashMap::new();
    let mut shown: Vec<&Section> = Vec::new();
    for section in elements.blocks {
        let id = section.get("id").unwrap_or_default();
        if indices.insert(id, shown.len()).is_none() {
            shown.push(section);
        }
    }
    // A repeated id keeps its first place.
    indices.clear();
    indices.extend(shown.iter().enumerate().map(|(index, section)| (section.get("id").unwrap_or_default(), index)));
    let ports = numbered(&elements.ports, &indices);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (index, section) in shown.iter().enumerate() {
        let own: Vec<&str> = ports.values().filter(|(block, ..)| *block == index).map(|(.., kind)| *kind).collect();
        let mut item = item(section, values, &own, depth);
        let count = counts.entry(item.function.clone()).or_default();
        *count += 1;
        if item.block.name.is_empty() {
            item.block.name = format!("{} {count}", item.function);
        }
        if item.function == "TEXT_f" {
            drawn.notes.extend(note(&item.block));
            item.function = "CLINDUMMY_f".to_owned();
        }
        drawn.blocks.push(item);
    }
    for link in elements.links {
        drawn.links.extend(self::link(link, &ports));
    }
    drawn
}

/// The numbers of ports: in the order of their attribute, among those of one kind.
fn numbered<'a>(ports: &[&'a Section], blocks: &HashMap<&str, usize>) -> Ports<'a> {
    let mut known: BTreeMap<&str, (usize, &str, i64)> = BTreeMap::new();
    for (at, port) in ports.iter().enumerate() {
        let own =
            || port.sections.iter().find(|inner| inner.get("as") == Some("parent")).and_then(|inner| inner.get("id"));
        let parent = port.get("parent").or_else(own).and_then(|id| blocks.get(id));
        let order = port.get("ordering").and_then(|text| text.parse::<f64>().ok()).unwrap_or(at as f64);
        if let (Some(id), Some(parent)) = (port.get("id"), parent) {
            known.entry(id).or_insert((*parent, &port.name, order as i64));
        }
    }
    let mut groups: BTreeMap<(usize, &str), Vec<(i64, &str)>> = BTreeMap::new();
    for (id, (parent, kind, order)) in known {
        groups.entry((parent, kind)).or_default().push((order, id));
    }
    let mut numbered = HashMap::new();
    for ((parent, kind), mut group) in groups {
        group.sort();
        numbered.extend(group.into_iter().enumerate().map(|(at, (_, id))| (id, (parent, at + 1, kind))));
    }
    numbered
}

fn item(section: &Section, values: &[Value], ports: &[&str], depth: usize) -> Item {
    let of_kind = |kinds: [&str; 2]| ports.iter().filter(|kind| kinds.contains(kind)).count();
    let implied = FUNCTIONS.iter().find(|(name, _)| *name == section.name).map(|(_, function)| *function);
    let split = || match () {
        () if ports.iter().any(|kind| kind.starts_with("Implicit")) => "IMPSPLIT_f",
        () if ports.iter().any(|kind| kind.starts_with("Co")) => "CLKSPLIT_f",
        () => "SPLIT_f",
    };
    let function = section.get("interfaceFunctionName").or(implied).unwrap_or_else(split).to_owned();
    let mut block = Block { kind: kind(&function), ..Block::default() };
    let label = section.get("value").unwrap_or_default().trim();
    if !label.is_empty() && label != function && !label.contains('<') {
        block.name = label.to_owned();
    }
    let value = |name: &str| {
        let found = section.sections.iter().find(|inner| inner.get("as") == Some(name));
        found.map(|inner| Value::of(inner, values)).unwrap_or_default()
    };
    let numbers = value("realParameters");
    set_parameters(&mut block, &value("exprs"), &numbers);
    block.inputs = Some(of_kind(["ExplicitInputPort", "ImplicitInputPort"]));
    block.outputs = Some(of_kind(["ExplicitOutputPort", "ImplicitOutputPort"]));
    if let Some(geometry) = section.sections.iter().find(|inner| inner.name == "mxGeometry") {
        let number = |name: &str| geometry.get(name).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
        let (left, top) = (number("x"), number("y"));
        block.area = Some(Area { left, top, right: left + number("width"), bottom: top + number("height") });
    }
    let style = section.get("style").unwrap_or_default();
    block.is_mirrored = style.contains("mirror=true") || style.contains("flip=true");
    let turned =
        style.split(';').find_map(|part| part.strip_prefix("rotation=")).and_then(|text| text.parse::<f64>().ok());
    block.quarters = (turned.unwrap_or(0.0) / 90.0).round().rem_euclid(4.0) as u8;
    if ports.iter().any(|kind| kind.starts_with("Implicit")) {
        block.params.set("Implicit", "1");
    }
    let child = section.all("SuperBlockDiagram").find(|inner| inner.get("as") == Some("child"));
    let inner = child.map(|child| drawn(child, values, depth + 1)).filter(|inner| !inner.blocks.is_empty());
    let inner = inner.or_else(|| listed::drawn(&numbers, depth + 1));
    if let Some(text) = child.and_then(context) {
        block.params.set("context", text);
    }
    let mut item = Item { function, block, inner };
    finish(&mut item);
    item
}

fn note(block: &Block) -> Option<Note> {
    let text = block.params.get("1").map(str::to_owned).unwrap_or_else(|| block.name.clone());
    (!text.trim().is_empty()).then_some(Note { text, area: block.area, is_frame: false })
}

fn link(section: &Section, ports: &Ports) -> Option<Link> {
    let end = |name: &str| {
        let own =
            || section.sections.iter().find(|inner| inner.get("as") == Some(name)).and_then(|inner| inner.get("id"));
        ports.get(section.get(name).or_else(own)?).copied()
    };
    let kind = match &*section.name {
        "CommandControlLink" => LinkKind::Event,
        "ImplicitLink" => LinkKind::Implicit,
        _ => LinkKind::Signal,
    };
    let (source, target) = (end("source")?, end("target")?);
    // A link may be drawn from the input to the output.
    let is_input = |kind: &str| kind.ends_with("InputPort") || kind == "ControlPort";
    let is_reversed = kind != LinkKind::Implicit && is_input(source.2) && !is_input(target.2);
    let (from, to) = if is_reversed { (target, source) } else { (source, target) };
    let mut points = Vec::new();
    section.each(&mut |inner| {
        if inner.name == "mxPoint" && inner.get("as").is_none() {
            let number = |name: &str| inner.get(name).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
            points.push((number("x"), number("y")));
        }
    });
    if is_reversed {
        points.reverse();
    }
    Some(Link { kind, from: (from.0, from.1), to: (to.0, to.1), points })
}
