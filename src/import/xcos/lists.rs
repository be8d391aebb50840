//! Diagrams as lists of Scilab: the inside of superblocks, and whole files of older versions.

use std::rc::Rc;

use super::super::source::Area;
use super::data::Data;
use super::diagram::{Diagram, Kind, Link, MAX_DEPTH, Node, Pin};

/// The fields of a model that a block keeps, and their names in the XML.
const VALUES: [(&str, &str); 6] = [
    ("rpar", "realParameters"),
    ("ipar", "integerParameters"),
    ("opar", "objectsParameters"),
    ("state", "state"),
    ("dstate", "dState"),
    ("firing", "firing"),
];

/// Whether a value is a diagram.
pub fn is_diagram(data: &Data) -> bool {
    data.kind() == "diagram"
}

/// Reads a diagram; none if the value is none or too deep. `left` is the number of blocks that may still be read.
pub fn diagram(data: &Data, depth: usize, left: &mut usize) -> Option<Diagram> {
    if depth > MAX_DEPTH || !is_diagram(data) {
        return None;
    }
    let mut made = Diagram::default();
    if let Some(context) = data.field("props").and_then(|props| props.field("context")) {
        made.context = context.texts().to_vec();
    }
    let objects = data.field("objs").map(Data::items).unwrap_or_default();
    // Numbers of objects count links and deleted ones too.
    let mut places: Vec<Option<usize>> = vec![None; objects.len()];
    for (index, object) in objects.iter().enumerate() {
        if matches!(object.kind(), "Block" | "Text") {
            *left = left.checked_sub(1)?;
            places[index] = Some(made.nodes.len());
            made.nodes.push(node(object, depth, left));
        }
    }
    for object in objects.iter().filter(|object| object.kind() == "Link") {
        made.links.extend(link(object, &places));
    }
    Some(made)
}

fn node(object: &Data, depth: usize, left: &mut usize) -> Node {
    let (nothing, text) = (Data::Nothing, |data: Option<&Data>| {
        data.and_then(|data| data.texts().first()).map(|text| text.trim().to_owned()).unwrap_or_default()
    });
    let graphics = object.field("graphics").unwrap_or(&nothing);
    let model = object.field("model").unwrap_or(&nothing);
    let mut made = Node { function: text(object.field("gui")), ..Node::default() };
    if object.kind() == "Text" && made.function.is_empty() {
        made.function = "TEXT_f".to_owned();
    }
    made.simulation = match model.field("sim") {
        Some(Data::List(items)) => text(items.first().map(|item| &**item)),
        other => text(other),
    };
    made.exprs = graphics.field("exprs").map(exprs).unwrap_or_default();
    made.label = text(model.field("label"));
    for (field, name) in VALUES {
        match model.field(field) {
            Some(data) if is_diagram(data) => made.inside = diagram(data, depth + 1, left).map(Box::new),
            Some(data) => made.values.push((name, Rc::new(data.clone()))),
            None => {}
        }
    }
    place(&mut made, graphics);
    let count = |field: &str| graphics.field(field).map_or(0, |data| data.numbers().len());
    let implicit = |field: &str| -> Vec<bool> {
        graphics.field(field).map(|data| data.texts().iter().map(|text| text == "I").collect()).unwrap_or_default()
    };
    for (field, ports, plain, [rows, columns]) in [
        ("in_implicit", count("pin"), [Kind::ImplicitInput, Kind::Input], ["in", "in2"]),
        ("out_implicit", count("pout"), [Kind::ImplicitOutput, Kind::Output], ["out", "out2"]),
    ] {
        let marks = implicit(field);
        let sizes = [rows, columns].map(|field| model.field(field).map(Data::numbers).unwrap_or_default());
        for place in 0..ports {
            let is_implicit = marks.get(place).copied().unwrap_or(false);
            let kind = if is_implicit { plain[0] } else { plain[1] };
            let number = made.ports.count(kind);
            *number += 1;
            let key = (kind, *number);
            made.sizes.insert(key, sizes.map(|sizes| sizes.get(place).map_or(0, |size| *size as i64)));
        }
    }
    made.ports.event_inputs = count("pein");
    made.ports.event_outputs = count("peout");
    made
}

/// The texts of a dialog: a matrix of texts, or a list that begins with one and has further texts, such as code.
pub fn exprs(data: &Data) -> Rc<Data> {
    fn collect(data: &Data, depth: usize, texts: &mut Vec<String>) {
        match data {
            Data::Texts(own) => texts.extend(own.iter().cloned()),
            Data::List(items) if depth < 5 => items.iter().take(1000).for_each(|item| collect(item, depth + 1, texts)),
            _ => {}
        }
    }
    match data {
        Data::List(_) => {
            let mut texts = Vec::new();
            collect(data, 0, &mut texts);
            Rc::new(Data::Texts(texts))
        }
        other => Rc::new(other.clone()),
    }
}

/// Positions of lists have y upwards, and the lower left corner.
fn place(node: &mut Node, graphics: &Data) {
    let pair = |field: &str| match graphics.field(field).map(Data::numbers) {
        Some(&[a, b, ..]) if a.is_finite() && b.is_finite() => Some((a, b)),
        _ => None,
    };
    if let (Some((x, y)), Some((width, height))) = (pair("orig"), pair("sz")) {
        node.area = Some(Area { left: x, top: -y - height, right: x + width, bottom: -y });
    }
    node.is_mirrored = graphics.field("flip").and_then(Data::number) == Some(0.0);
    // Angles of lists turn the other way.
    let theta = graphics.field("theta").and_then(Data::number).unwrap_or(0.0);
    node.quarters = quarters(-theta);
}

/// Quarter turns of an angle in degrees.
pub fn quarters(degrees: f64) -> u8 {
    if degrees.is_finite() { ((degrees / 90.0).round() as i64).rem_euclid(4) as u8 } else { 0 }
}

fn link(object: &Data, places: &[Option<usize>]) -> Option<Link> {
    let kind = match object.field("ct").map(Data::numbers) {
        Some(&[_, kind, ..]) => kind,
        _ => 1.0,
    };
    let pin = |field: &str, is_start: bool| {
        let numbers = object.field(field)?.numbers();
        let &[block, number, ..] = numbers else { return None };
        let node = places.get((block as usize).checked_sub(1)?).copied().flatten()?;
        // The third number is 1 for an input, which matters for links without a direction.
        let is_input = numbers.get(2).map_or(!is_start, |side| *side == 1.0);
        let kind = match (kind as i64, is_input) {
            (-1, _) if is_start => Kind::EventOutput,
            (-1, _) => Kind::EventInput,
            (2, true) => Kind::ImplicitInput,
            (2, false) => Kind::ImplicitOutput,
            _ if is_start => Kind::Output,
            _ => Kind::Input,
        };
        Some(Pin { node, kind, number: (number as usize).max(1) })
    };
    let (from, to) = (pin("from", true)?, pin("to", false)?);
    let list = |field: &str| object.field(field).map(Data::numbers).unwrap_or_default();
    let points: Vec<(f64, f64)> = list("xx").iter().zip(list("yy")).map(|(x, y)| (*x, -y)).collect();
    let bends = if points.len() > 2 { points[1..points.len() - 1].to_vec() } else { Vec::new() };
    Some(Link { from, to, bends })
}
