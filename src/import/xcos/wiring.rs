//! From a drawn diagram to a system: links through splits become wires, and clocks become sample times.

use std::collections::BTreeMap;

use super::super::picture::output_position;
use super::super::source::{Block, End, Note, Port, System, Wire};

/// A diagram as both forms of files have it.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    pub blocks: Vec<Item>,
    pub links: Vec<Link>,
    pub notes: Vec<Note>,
}

/// A block of a diagram.
#[derive(Clone, Debug, Default)]
pub struct Item {
    /// The name of its function, such as `GAINBLK_f`.
    pub function: String,
    pub block: Block,
    /// Its diagram, if it has one.
    pub inner: Option<Drawn>,
}

/// The kind of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    Signal,
    Event,
    /// Without a direction.
    Implicit,
}

/// A link from a port to a port: block and number, from 1.
#[derive(Clone, Debug)]
pub struct Link {
    pub kind: LinkKind,
    pub from: (usize, usize),
    pub to: (usize, usize),
    /// Its bends in the diagram.
    pub points: Vec<(f64, f64)>,
}

/// What activates a block.
#[derive(Clone, Debug, PartialEq)]
pub enum Activation {
    /// Its inputs.
    None,
    /// A clock: period and first time, as expressions.
    Clock(String, String),
    /// Something else, by the name of its function.
    Other(String),
}

/// The longest chain of splits.
const MAX_HOPS: usize = 1000;
const MAX_DEPTH: usize = 60;

fn is_split(function: &str) -> bool {
    ["SPLIT_f", "CLKSPLIT_f", "IMPSPLIT_f"].contains(&function)
}

/// Blocks that only pass on or make events.
fn is_event(function: &str) -> bool {
    const EVENTS: [&str; 14] = [
        "CLOCK_c",
        "CLOCK_f",
        "SampleCLK",
        "EVTDLY_c",
        "EVTDLY_f",
        "MFCLCK_f",
        "CLKGOTO",
        "CLKFROM",
        "CLKSOM_f",
        "CLKSOMV_f",
        "CLKINV_f",
        "CLKIN_f",
        "CLKOUT_f",
        "CLKOUTV_f",
    ];
    EVENTS.contains(&function) || ["CLINDUMMY_f", "CLKGotoTagVisibility"].contains(&function)
}

/// Makes a system; `events` activate its event inputs, by number.
pub fn system(mut drawn: Drawn, events: &[Activation], depth: usize) -> System {
    let activations: Vec<Vec<Activation>> = (0..drawn.blocks.len())
        .map(|block| inputs(&drawn, block).map(|from| traced(&drawn, from, events, 0)).collect())
        .collect();
    let mut system = System { notes: std::mem::take(&mut drawn.notes), ..System::default() };
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, item) in drawn.blocks.iter_mut().enumerate() {
        if is_split(&item.function) || is_event(&item.function) {
            continue;
        }
        let mut block = std::mem::take(&mut item.block);
        set_activation(&mut block, &activations[index]);
        if let Some(inner) = item.inner.take().filter(|_| depth < MAX_DEPTH) {
            block.system = Some(self::system(inner, &activations[index], depth + 1));
        }
        places.insert(index, system.blocks.len());
        system.blocks.push(block);
    }
    for link in drawn.links.iter().filter(|link| link.kind != LinkKind::Event) {
        let Some(&to) = places.get(&link.to.0) else { continue };
        let Some((from, points)) = origin(&drawn, link) else { continue };
        let Some(&source) = places.get(&from.0) else { continue };
        let port = |number: usize, side: usize| match link.kind {
            LinkKind::Implicit => Port::Physical(side + number),
            _ => Port::Signal(number),
        };
        let from = End { block: source, port: port(from.1, 1000) };
        let to = End { block: to, port: port(link.to.1, 0) };
        let start = output_position(&system.blocks[source], from).unwrap_or_default();
        let bends = points.into_iter().map(|(x, y)| (x - start.0, y - start.1)).collect();
        system.wires.push(Wire { from, to, bends, name: String::new() });
    }
    system
}

/// The links to the event inputs of a block, in the order of the inputs.
fn inputs(drawn: &Drawn, block: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut links: Vec<&Link> =
        drawn.links.iter().filter(|link| link.kind == LinkKind::Event && link.to.0 == block).collect();
    links.sort_by_key(|link| link.to.1);
    links.into_iter().map(|link| link.from)
}

fn sample_time(period: &str, first: &str) -> String {
    match first.trim().parse() {
        Ok(0.0) => period.to_owned(),
        _ => format!("[{period}, {first}]"),
    }
}

fn set_activation(block: &mut Block, activations: &[Activation]) {
    match activations {
        [] => {}
        [Activation::Clock(period, first)] => block.params.set("SampleTime", sample_time(period, first)),
        [Activation::None] => {}
        [Activation::Other(function)] => block.params.set("Activation", function),
        several => {
            let same = several.windows(2).all(|pair| pair[0] == pair[1]);
            match &several[0] {
                Activation::Clock(period, first) if same => block.params.set("SampleTime", sample_time(period, first)),
                _ => block.params.set("Activation", "several events"),
            }
        }
    }
}

/// The clock behind an output of events.
fn traced(drawn: &Drawn, (index, port): (usize, usize), events: &[Activation], hops: usize) -> Activation {
    let Some(item) = drawn.blocks.get(index).filter(|_| hops < MAX_HOPS) else { return Activation::None };
    let behind = |index: usize| {
        let found: Vec<Activation> = inputs(drawn, index).map(|from| traced(drawn, from, events, hops + 1)).collect();
        match &found[..] {
            [single] => single.clone(),
            [] => Activation::None,
            _ => Activation::Other("several events".to_owned()),
        }
    };
    let parameter = |block: &Block, number: &str| block.params.get(number).unwrap_or_default().to_owned();
    let clock = |block: &Block| Activation::Clock(parameter(block, "1"), parameter(block, "2"));
    match &*item.function {
        "CLKSPLIT_f" => behind(index),
        "SampleCLK" => clock(&item.block),
        "CLOCK_c" | "CLOCK_f" => {
            let delay =
                item.inner.iter().flat_map(|inner| &inner.blocks).find(|block| block.function.starts_with("EVTDLY"));
            delay.map_or(Activation::Other(item.function.clone()), |delay| clock(&delay.block))
        }
        "EVTDLY_c" | "EVTDLY_f" => match inputs(drawn, index).any(|from| leads_back(drawn, from, index, 0)) {
            true => clock(&item.block),
            false => Activation::Other(item.function.clone()),
        },
        "CLKINV_f" | "CLKIN_f" => {
            let number = parameter(&item.block, "1").trim().parse::<usize>().unwrap_or(1);
            events.get(number.wrapping_sub(1)).cloned().unwrap_or(Activation::None)
        }
        "CLKFROM" => {
            let tag = parameter(&item.block, "1");
            let sender = drawn
                .blocks
                .iter()
                .position(|other| other.function == "CLKGOTO" && parameter(&other.block, "1") == tag);
            sender.map_or(Activation::Other(item.function.clone()), behind)
        }
        _ => Activation::Other(format!("output {port} of {}", item.function)),
    }
}

/// Whether an output of events leads to a block through splits.
fn leads_back(drawn: &Drawn, (index, _): (usize, usize), to: usize, hops: usize) -> bool {
    let is_clock_split = drawn.blocks.get(index).is_some_and(|item| item.function == "CLKSPLIT_f");
    index == to
        || (is_clock_split && hops < MAX_HOPS && inputs(drawn, index).any(|from| leads_back(drawn, from, to, hops + 1)))
}

/// An output, block and number, and the bends from it.
type Origin = ((usize, usize), Vec<(f64, f64)>);

/// The output from which a link comes through splits, and the bends of the whole way.
fn origin(drawn: &Drawn, link: &Link) -> Option<Origin> {
    let (mut from, mut points) = (link.from, link.points.clone());
    for _ in 0..MAX_HOPS {
        let item = drawn.blocks.get(from.0)?;
        if !is_split(&item.function) {
            return Some((from, points));
        }
        let before = drawn.links.iter().find(|other| other.to.0 == from.0 && other.kind == link.kind)?;
        let at = item.block.area.map(|area| ((area.left + area.right) / 2.0, (area.top + area.bottom) / 2.0));
        let mut whole = before.points.clone();
        whole.extend(at);
        whole.append(&mut points);
        (from, points) = (before.from, whole);
    }
    None
}
