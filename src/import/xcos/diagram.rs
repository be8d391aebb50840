//! A diagram of Xcos: blocks with their ports, and links between ports. The XML and Scilab's lists both become one.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::source::Area;
use super::data::Data;

/// More blocks, ports and links than any diagram has.
pub const MAX_PARTS: usize = 1_000_000;
/// The deepest nesting of diagrams.
pub const MAX_DEPTH: usize = 50;

/// A diagram, with those inside its blocks.
#[derive(Clone, Debug, Default)]
pub struct Diagram {
    pub nodes: Vec<Node>,
    pub links: Vec<Link>,
    /// Statements that set names.
    pub context: Vec<String>,
}

/// A block.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// The interface function, such as `GAINBLK_f`; the program names blocks by it.
    pub function: String,
    pub simulation: String,
    /// The text below the block.
    pub label: String,
    /// The text in the block, of annotations.
    pub value: String,
    /// The texts of its dialog, in the order of the dialog.
    pub exprs: Rc<Data>,
    /// Its evaluated parameters and states, under the names of the format.
    pub values: Vec<(&'static str, Rc<Data>)>,
    pub area: Option<Area>,
    pub quarters: u8,
    pub is_mirrored: bool,
    /// The number of ports of each kind.
    pub ports: Ports,
    /// The rows and columns that signal ports state; negative numbers are open, 0 is unknown.
    pub sizes: BTreeMap<(Kind, usize), [i64; 2]>,
    pub inside: Option<Box<Diagram>>,
}

/// The number of ports by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ports {
    pub inputs: usize,
    pub outputs: usize,
    pub event_inputs: usize,
    pub event_outputs: usize,
    pub implicit_inputs: usize,
    pub implicit_outputs: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Input,
    Output,
    EventInput,
    EventOutput,
    ImplicitInput,
    ImplicitOutput,
}

/// A port: its block, its kind, and its number among those of the kind from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pin {
    pub node: usize,
    pub kind: Kind,
    pub number: usize,
}

/// A link from one port to another, with its bends in pixels.
#[derive(Clone, Debug)]
pub struct Link {
    pub from: Pin,
    pub to: Pin,
    pub bends: Vec<(f64, f64)>,
}

impl Kind {
    /// The kind of a port by the name of its element.
    pub fn of_tag(tag: &str) -> Option<Kind> {
        Some(match tag {
            "ExplicitInputPort" => Kind::Input,
            "ExplicitOutputPort" => Kind::Output,
            "ControlPort" => Kind::EventInput,
            "CommandPort" => Kind::EventOutput,
            "ImplicitInputPort" => Kind::ImplicitInput,
            "ImplicitOutputPort" => Kind::ImplicitOutput,
            _ => return None,
        })
    }

    pub fn is_implicit(self) -> bool {
        matches!(self, Kind::ImplicitInput | Kind::ImplicitOutput)
    }
}

impl Ports {
    pub fn count(&mut self, kind: Kind) -> &mut usize {
        match kind {
            Kind::Input => &mut self.inputs,
            Kind::Output => &mut self.outputs,
            Kind::EventInput => &mut self.event_inputs,
            Kind::EventOutput => &mut self.event_outputs,
            Kind::ImplicitInput => &mut self.implicit_inputs,
            Kind::ImplicitOutput => &mut self.implicit_outputs,
        }
    }
}

impl Node {
    /// A text of the dialog, by number from 1.
    pub fn expr(&self, number: usize) -> &str {
        self.exprs.texts().get(number.wrapping_sub(1)).map(|text| text.trim()).unwrap_or_default()
    }

    pub fn value_of(&self, name: &str) -> Option<&Data> {
        self.values.iter().find(|(known, _)| *known == name).map(|(_, data)| &**data)
    }

    pub fn is_split(&self) -> bool {
        ["SPLIT_f", "CLKSPLIT_f", "IMPSPLIT_f"].contains(&&*self.function)
    }

    /// The number of a port of the diagram, for blocks that are one.
    pub fn port_number(&self) -> usize {
        let stored = || self.value_of("integerParameters").and_then(Data::number).map(|number| number as usize);
        self.expr(1).parse().ok().or_else(stored).unwrap_or(1).clamp(1, 10_000)
    }
}

impl Diagram {
    /// The block that is a port of the diagram: of one of these functions, with this number.
    pub fn port_block(&self, functions: &[&str], number: usize) -> Option<usize> {
        self.nodes.iter().position(|node| functions.contains(&&*node.function) && node.port_number() == number)
    }
}
