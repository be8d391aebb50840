//! When each block of a diagram is activated: its events, followed back to the clocks, conditions and edges that make them.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::diagram::{Diagram, Kind, Node, Pin};

/// The origin of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Pulse {
    /// A clock: its period and its first time, as expressions.
    Clock { period: String, offset: String },
    /// An output of a block of the diagram that chooses by a signal where an event goes on.
    Choice { node: usize, output: usize },
    /// An output of a block of the diagram that makes an event where a signal crosses a level.
    Edge { node: usize, output: usize },
    /// Whenever the diagram runs: it is chosen as a whole.
    Outer,
    /// Anything else, with what it is.
    Other(String),
}

/// When a block runs.
#[derive(Clone, Debug, PartialEq)]
pub enum When {
    /// Its output never changes.
    Constant,
    Always,
    At(Pulse),
}

/// The knowledge that a diagram has of the one around it.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    /// The events at the event inputs, by number from 0.
    pub events: Vec<Option<Pulse>>,
    /// When the signals at the inputs change, by number from 0.
    pub signals: Vec<When>,
    /// The events of tags that are seen inside.
    pub tags: BTreeMap<String, Vec<Pulse>>,
    /// The rows and columns of the signals at the inputs, by number from 0.
    pub sizes: Vec<[Option<usize>; 2]>,
}

pub const EVENT_OUTPUTS: [&str; 2] = ["CLKOUTV_f", "CLKOUT_f"];

/// Blocks that make an event where a signal crosses a level, with the direction.
pub const EDGES: [(&str, &str); 5] = [
    ("NEGTOPOS_f", "rising"),
    ("POSTONEG_f", "falling"),
    ("ZCROSS_f", "either"),
    ("EDGE_TRIGGER", ""),
    ("EDGETRIGGER", ""),
];

/// Blocks whose output changes all the time, whatever their inputs do.
const CONTINUOUS: [&str; 26] = [
    "TIME_f",
    "GENSIN_f",
    "RAMP",
    "STEP",
    "STEP_FUNCTION",
    "SAWTOOTH_f",
    "CURV_f",
    "CURVE_c",
    "INTEGRAL_f",
    "INTEGRAL_m",
    "INTEGRAL",
    "CLR",
    "CLR_f",
    "CLSS",
    "CLSS_f",
    "TCLSS",
    "TCLSS_f",
    "DERIV",
    "TIME_DELAY",
    "VARIABLE_DELAY",
    "PID",
    "PULSE_SC",
    "Sigbuilder",
    "PDE",
    "CLINDUMMY_f",
    "BACKLASH",
];

/// The events of a diagram.
pub struct Timer<'a> {
    diagram: &'a Diagram,
    outside: &'a Outside,
    /// The ports at the other end of the links that arrive at a port.
    sources: HashMap<Pin, Vec<Pin>>,
    known: RefCell<Vec<State>>,
    /// The blocks whose answer is being worked out.
    asked: RefCell<Vec<bool>>,
    /// The knowledge that the insides of superblocks have of this diagram, and the events that they send.
    outsides: RefCell<HashMap<usize, Rc<Outside>>>,
    sent: RefCell<HashMap<Pin, Vec<Pulse>>>,
}

/// The knowledge of when a block runs.
#[derive(Clone, Debug)]
enum State {
    New,
    Open,
    Known(When),
}

impl<'a> Timer<'a> {
    pub fn new(diagram: &'a Diagram, outside: &'a Outside) -> Timer<'a> {
        let mut sources: HashMap<Pin, Vec<Pin>> = HashMap::new();
        for link in &diagram.links {
            sources.entry(link.to).or_default().push(link.from);
        }
        let known = RefCell::new(vec![State::New; diagram.nodes.len()]);
        let asked = RefCell::new(vec![false; diagram.nodes.len()]);
        Timer { diagram, outside, sources, known, asked, outsides: RefCell::default(), sent: RefCell::default() }
    }

    fn node(&self, index: usize) -> &'a Node {
        &self.diagram.nodes[index]
    }

    fn arriving(&self, node: usize, kind: Kind, number: usize) -> &[Pin] {
        self.sources.get(&Pin { node, kind, number }).map(Vec::as_slice).unwrap_or_default()
    }

    /// The event at an event input.
    pub fn event(&self, node: usize, number: usize) -> Option<Pulse> {
        self.joined(self.events(node, number, &mut Vec::new()))
    }

    fn events(&self, node: usize, number: usize, open: &mut Vec<Pin>) -> Vec<Pulse> {
        let arriving = self.arriving(node, Kind::EventInput, number);
        arriving.iter().flat_map(|from| self.emitted(*from, open)).collect()
    }

    /// All that comes in at the event inputs of a block.
    fn all_events(&self, node: usize, open: &mut Vec<Pin>) -> Vec<Pulse> {
        (1..=self.node(node).ports.event_inputs).flat_map(|number| self.events(node, number, open)).collect()
    }

    /// The events that an event output sends.
    fn emitted(&self, from: Pin, open: &mut Vec<Pin>) -> Vec<Pulse> {
        if open.contains(&from) || open.len() > 1000 {
            return Vec::new();
        }
        open.push(from);
        let node = self.node(from.node);
        let made = match &*node.function {
            "CLKSPLIT_f" | "CLKSOM_f" | "CLKSOMV_f" => self.all_events(from.node, open),
            "CLKFROM" => self.tagged(node.expr(1), open),
            "CLKINV_f" | "CLKIN_f" => {
                self.outside.events.get(node.port_number() - 1).cloned().flatten().into_iter().collect()
            }
            "SampleCLK" => vec![clock(node.expr(1), node.expr(2))],
            "EVTDLY_c" | "EVTDLY_f" => self.delayed(from.node, open),
            "MFCLCK_f" => vec![self.divided(from)],
            "IFTHEL_f" | "ESELECT_f" => vec![Pulse::Choice { node: from.node, output: from.number }],
            function if EDGES.iter().any(|(known, _)| *known == function) => {
                vec![Pulse::Edge { node: from.node, output: from.number }]
            }
            function => match &node.inside {
                Some(inside) => self.pulses_of_inside(from, inside),
                None if function == "CLOCK_c" || function == "CLOCK_f" => vec![clock("0.1", "0.1")],
                None => vec![Pulse::Other(format!("events of the block {function}"))],
            },
        };
        open.pop();
        made
    }

    fn tagged(&self, tag: &str, open: &mut Vec<Pin>) -> Vec<Pulse> {
        let is_sender = |node: &Node| node.function == "CLKGOTO" && node.expr(1) == tag;
        match self.diagram.nodes.iter().position(is_sender) {
            Some(sender) => self.events(sender, 1, open),
            None => match self.outside.tags.get(tag) {
                Some(pulses) => pulses.clone(),
                None => vec![Pulse::Other(format!("the event tag {tag}, which nothing sends"))],
            },
        }
    }

    /// The events that a superblock sends from inside.
    fn pulses_of_inside(&self, from: Pin, inside: &Diagram) -> Vec<Pulse> {
        if let Some(known) = self.sent.borrow().get(&from) {
            return known.clone();
        }
        self.sent.borrow_mut().insert(from, vec![looped()]);
        let outside = self.inside_of(from.node);
        let Some(port) = inside.port_block(&EVENT_OUTPUTS, from.number) else { return Vec::new() };
        let what = &self.node(from.node).function;
        let outer = |pulse| match pulse {
            Pulse::Choice { .. } | Pulse::Edge { .. } => Pulse::Other(format!("events made in the superblock {what}")),
            pulse => pulse,
        };
        let timer = Timer::new(inside, &outside);
        let made: Vec<Pulse> = timer.events(port, 1, &mut Vec::new()).into_iter().map(outer).collect();
        self.sent.borrow_mut().insert(from, made.clone());
        made
    }

    /// A delay of events. In a loop with itself it is a clock.
    fn delayed(&self, node: usize, open: &mut Vec<Pin>) -> Vec<Pulse> {
        let block = self.node(node);
        let stored = |at: usize| {
            let numbers = block.value_of("realParameters").map(|data| data.numbers()).unwrap_or_default();
            numbers.get(at).map(|number| crate::block::number_text(*number))
        };
        let text = |number: usize| match block.expr(number) {
            "" => stored(number - 1).unwrap_or_else(|| "0.1".to_owned()),
            text => text.to_owned(),
        };
        let (delay, first) = (text(1), text(2));
        let is_loop = self.reaches(node);
        let started = self.events(node, 1, open);
        let is_first = first.parse::<f64>().map_or(true, |first| first >= 0.0);
        if is_loop && started.is_empty() {
            return if is_first { vec![clock(&delay, &first)] } else { Vec::new() };
        }
        if is_loop || is_first && !started.is_empty() {
            return vec![Pulse::Other("an event delay that is started in several ways".to_owned())];
        }
        let later = |pulse: &Pulse| match (pulse, delay.parse::<f64>()) {
            (Pulse::Clock { period, offset }, Ok(delay)) => match (period.parse::<f64>(), offset.parse::<f64>()) {
                (Ok(span), Ok(offset)) if delay <= span => {
                    Pulse::Clock { period: period.clone(), offset: crate::block::number_text(offset + delay) }
                }
                _ => Pulse::Other("a delayed clock".to_owned()),
            },
            _ => Pulse::Other("a delayed event".to_owned()),
        };
        if started.is_empty() && is_first {
            return vec![Pulse::Other("an event that happens once".to_owned())];
        }
        started.iter().map(later).collect()
    }

    /// Whether the events of a block come back to it.
    fn reaches(&self, target: usize) -> bool {
        let (mut ahead, mut seen) = (vec![target], vec![false; self.diagram.nodes.len()]);
        while let Some(node) = ahead.pop() {
            for number in 1..=self.node(node).ports.event_inputs {
                for from in self.arriving(node, Kind::EventInput, number) {
                    if from.node == target {
                        return true;
                    }
                    let function = &*self.node(from.node).function;
                    let is_passed = ["CLKSPLIT_f", "CLKSOM_f", "CLKSOMV_f"].contains(&function);
                    if is_passed && !std::mem::replace(&mut seen[from.node], true) {
                        ahead.push(from.node);
                    }
                }
            }
        }
        false
    }

    /// A clock with two outputs: the second has every n-th event, the first the others.
    fn divided(&self, from: Pin) -> Pulse {
        let node = self.node(from.node);
        let count: Option<f64> = node.expr(2).parse().ok().filter(|count| *count >= 1.0);
        match (node.expr(1).parse::<f64>(), count) {
            (Ok(period), Some(count)) if from.number == 2 => clock(&crate::block::number_text(period * count), "0"),
            _ => Pulse::Other("the irregular output of a divided clock".to_owned()),
        }
    }

    /// Several events as one; none if there are none.
    fn joined(&self, pulses: Vec<Pulse>) -> Option<Pulse> {
        let mut different: Vec<Pulse> = Vec::new();
        for pulse in pulses {
            if !different.contains(&pulse) {
                different.push(pulse);
            }
        }
        self.whole_choices(&mut different);
        if different.len() < 2 {
            return different.pop();
        }
        let fastest = different.iter().find(|fast| different.iter().all(|slow| is_part(slow, fast))).cloned();
        let other = different.iter().find(|pulse| matches!(pulse, Pulse::Other(_))).cloned();
        let joined = || Pulse::Other("several events joined".to_owned());
        Some(fastest.or(other).unwrap_or_else(joined))
    }

    /// All outputs of a block that chooses are together the event that it was given.
    fn whole_choices(&self, pulses: &mut Vec<Pulse>) {
        for node in 0..self.diagram.nodes.len() {
            let is_of = |pulse: &Pulse| matches!(pulse, Pulse::Choice { node: of, .. } if *of == node);
            let count = pulses.iter().filter(|pulse| is_of(pulse)).count();
            if count > 0 && count == self.node(node).ports.event_outputs && count > 1 {
                pulses.retain(|pulse| !is_of(pulse));
                let own = self.clock_of(node);
                pulses.extend(own.filter(|own| !pulses.contains(own)));
            }
        }
    }

    /// The event at which a block that chooses does so.
    pub fn clock_of(&self, node: usize) -> Option<Pulse> {
        match self.when(node) {
            When::At(pulse) => Some(pulse),
            When::Always | When::Constant => None,
        }
    }

    /// When a block runs: at its events, or when its inputs change.
    pub fn when(&self, node: usize) -> When {
        let mut ahead = vec![node];
        while let Some(&top) = ahead.last() {
            let state = self.known.borrow()[top].clone();
            match state {
                State::Known(_) => {
                    ahead.pop();
                }
                State::New => {
                    self.known.borrow_mut()[top] = State::Open;
                    // Long chains are followed without recursion.
                    let inputs = 1..=self.node(top).ports.inputs;
                    let from = inputs.flat_map(|number| self.arriving(top, Kind::Input, number)).map(|pin| pin.node);
                    let known = self.known.borrow();
                    ahead.extend(from.filter(|&from| matches!(known[from], State::New)));
                }
                State::Open => {
                    ahead.pop();
                    if std::mem::replace(&mut self.asked.borrow_mut()[top], true) {
                        // A ring of blocks that inherit adds nothing.
                        continue;
                    }
                    let made = self.computed(top);
                    self.known.borrow_mut()[top] = State::Known(made);
                }
            }
        }
        match &self.known.borrow()[node] {
            State::Known(when) => when.clone(),
            State::New | State::Open => When::Constant,
        }
    }

    fn computed(&self, index: usize) -> When {
        let node = self.node(index);
        if node.ports.event_inputs > 0 {
            let pulses = self.all_events(index, &mut Vec::new());
            return match self.joined(pulses) {
                Some(Pulse::Outer) => When::Always,
                Some(pulse) => When::At(pulse),
                None => When::At(Pulse::Other("no event".to_owned())),
            };
        }
        match &*node.function {
            function if CONTINUOUS.contains(&function) => When::Always,
            "IN_f" => self.outside.signals.get(node.port_number() - 1).cloned().unwrap_or(When::Always),
            _ if node.ports.inputs == 0 => When::Constant,
            _ => self.inherited(index),
        }
    }

    /// When any of the inputs of a block changes.
    fn inherited(&self, node: usize) -> When {
        let inputs = 1..=self.node(node).ports.inputs;
        let mut made = When::Constant;
        for number in inputs {
            made = match (made, self.signal(node, number)) {
                (When::Constant, other) | (other, When::Constant) => other,
                (When::At(a), When::At(b)) if is_part(&a, &b) => When::At(b),
                (When::At(a), When::At(b)) if is_part(&b, &a) => When::At(a),
                _ => When::Always,
            };
        }
        made
    }

    /// When the signal at an input changes.
    pub fn signal(&self, node: usize, number: usize) -> When {
        let Some(from) = self.arriving(node, Kind::Input, number).first() else { return When::Constant };
        let source = self.node(from.node);
        match &source.inside {
            Some(inside) if !CONTINUOUS.contains(&&*source.function) => {
                let outside = self.inside_of(from.node);
                let Some(port) = inside.port_block(&["OUT_f"], from.number) else { return When::Constant };
                match Timer::new(inside, &outside).when(port) {
                    When::At(Pulse::Choice { .. } | Pulse::Edge { .. }) => When::Always,
                    when => when,
                }
            }
            _ => self.when(from.node),
        }
    }

    /// The knowledge that the diagram inside a block has of this one.
    pub fn inside_of(&self, node: usize) -> Rc<Outside> {
        if let Some(known) = self.outsides.borrow().get(&node) {
            return Rc::clone(known);
        }
        let open = Outside { events: vec![Some(looped()); self.node(node).ports.event_inputs], ..Outside::default() };
        self.outsides.borrow_mut().insert(node, Rc::new(open));
        let made = Rc::new(self.outside_of(node));
        self.outsides.borrow_mut().insert(node, Rc::clone(&made));
        made
    }

    fn outside_of(&self, node: usize) -> Outside {
        let ports = self.node(node).ports;
        let whole = When::At(Pulse::Outer);
        let own = if ports.event_inputs > 0 { self.when(node) } else { whole };
        let event = |number: usize| match self.event(node, number) {
            // A block that is chosen as a whole has the clock of the choice inside.
            Some(pulse @ (Pulse::Choice { .. } | Pulse::Edge { .. })) => {
                Some(if own == When::At(pulse.clone()) { self.base(&pulse).unwrap_or(Pulse::Outer) } else { mixed() })
            }
            other => other,
        };
        let signal = |number: usize| match self.signal(node, number) {
            When::At(pulse @ (Pulse::Choice { .. } | Pulse::Edge { .. })) => {
                self.base(&pulse).map_or(When::Always, When::At)
            }
            other => other,
        };
        let tags = self.diagram.nodes.iter().enumerate().filter(|(_, node)| node.function == "CLKGOTO");
        let tags = tags.map(|(index, node)| (node.expr(1).to_owned(), self.events(index, 1, &mut Vec::new())));
        let is_plain = |pulse: &Pulse| !matches!(pulse, Pulse::Choice { .. } | Pulse::Edge { .. });
        let tags = tags.map(|(tag, pulses)| (tag, pulses.into_iter().filter(is_plain).collect()));
        Outside {
            events: (1..=ports.event_inputs).map(event).collect(),
            signals: (1..=ports.inputs).map(signal).collect(),
            tags: self.outside.tags.clone().into_iter().chain(tags).collect(),
            sizes: Vec::new(),
        }
    }

    /// The clock behind choices.
    pub fn base(&self, pulse: &Pulse) -> Option<Pulse> {
        let mut pulse = pulse.clone();
        for _ in 0..100 {
            match pulse {
                Pulse::Choice { node, .. } => pulse = self.clock_of(node)?,
                Pulse::Clock { .. } => return Some(pulse),
                _ => return None,
            }
        }
        None
    }
}

fn looped() -> Pulse {
    Pulse::Other("a loop of events through a superblock".to_owned())
}

fn mixed() -> Pulse {
    Pulse::Other("events of different origin that come into a superblock".to_owned())
}

fn clock(period: &str, offset: &str) -> Pulse {
    let offset = if offset.is_empty() { "0" } else { offset };
    let plain = |text: &str| text.parse::<f64>().map_or_else(|_| text.to_owned(), crate::block::number_text);
    Pulse::Clock { period: plain(period), offset: plain(offset) }
}

/// Whether every event of one is one of the other too.
fn is_part(slow: &Pulse, fast: &Pulse) -> bool {
    if slow == fast {
        return true;
    }
    let numbers = |pulse: &Pulse| match pulse {
        Pulse::Clock { period, offset } => Some((period.parse::<f64>().ok()?, offset.parse::<f64>().ok()?)),
        _ => None,
    };
    let (Some((slow, late)), Some((fast, early))) = (numbers(slow), numbers(fast)) else { return false };
    let is_whole = |quotient: f64| (quotient - quotient.round()).abs() < 1e-9 * quotient.abs().max(1.0);
    fast > 0.0 && is_whole(slow / fast) && is_whole((late - early) / fast) && late >= early - 1e-12
}
