//! The addresses that attributes of the document store: those of plots, recorded signals and widgets.
//!
//! | attribute | text |
//! |---|---|
//! | `view:plot` of the simulation, or of a block that shows its inputs | `[trigger=#1.Output]#1.Output{color=3};#2/#3.Output\|…` |
//! | `view:record` of the simulation | `#1.Output;#2.Output` |
//! | `view:requirements` of the simulation | `overshoot of {#4.Input} <= 5\|minimize settling-time of {#4.Input}` |
//! | `view:dashboard` of the simulation | `slider[x=8,param=#3.Gain]\|lamp[signal=#4.Output,moves=…]` |
//! | `view:widgets` of a block | the same, with names of its own parameters and outputs |
//!
//! The window reads them completely. Here only their addresses are found, so that they follow a change of the document,
//! whoever makes it, and so that a check finds those that lead nowhere. All other text is kept as it is.

use super::attribute_list::{escaped, plain};
use super::{BlockAddress, BlockId, ParamAddress, SignalKey, Simulation};
use crate::block::Registry;

pub const PLOTS: &str = "view:plot";
pub const RECORDED: &str = "view:record";
pub const DASHBOARD: &str = "view:dashboard";
pub const REQUIREMENTS: &str = "view:requirements";
/// A block attribute; see the table above.
pub const PINNED: &str = "view:widgets";

/// The attributes of the simulation that store addresses.
pub(super) const OF_SIMULATION: [&str; 4] = [PLOTS, RECORDED, DASHBOARD, REQUIREMENTS];

/// An address in an attribute.
pub(super) struct Stored<'a> {
    /// Such as `#3/#4.Output`, without escapes.
    pub text: &'a str,
    pub what: Kind,
    /// The item that stores it, for a message: `plot 2`.
    pub holder: &'a str,
}

/// The kind of value that an address leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Signal,
    Param,
}

/// The decision about an address.
pub(super) enum Outcome {
    Keep,
    Replace(String),
    Remove,
}

/// An address that was read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Address {
    Signal(SignalKey),
    /// With the index of an element, as in `[2]`, or an empty text.
    Param(ParamAddress, String),
}

impl Address {
    /// Reads the address of a signal or parameter that the simulation has.
    pub fn read(text: &str, what: Kind, simulation: &Simulation, registry: &Registry) -> Option<Address> {
        match what {
            Kind::Signal => SignalKey::parse(text, simulation, registry).ok().map(Address::Signal),
            Kind::Param => {
                let (block, rest) = BlockAddress::parse_with_rest(text, simulation).ok()?;
                let found = Address::param(block, &rest?);
                found.exists(simulation, registry).then_some(found)
            }
        }
    }

    /// Reads an address that consists of ids, whether or not they lead to a block.
    pub fn of_ids(text: &str, what: Kind) -> Option<Address> {
        let (ids, rest) = text.split_once('.')?;
        let ids = ids.strip_prefix('#')?.split('#').map(|id| BlockId::parse(id.strip_suffix('/').unwrap_or(id)));
        let ids = ids.collect::<Option<Vec<_>>>()?;
        let (block, path) = ids.split_last()?;
        Some(match what {
            Kind::Signal => Address::Signal(SignalKey::new(path, *block, rest)),
            Kind::Param => Address::param(BlockAddress::new(path, *block), rest),
        })
    }

    fn param(block: BlockAddress, rest: &str) -> Address {
        let element = rest.strip_suffix(']').and_then(|text| text.rsplit_once('['));
        let element = element.filter(|(_, number)| number.parse::<usize>().is_ok());
        let name = element.map_or(rest, |(name, _)| name).to_owned();
        let element = element.map_or(String::new(), |(_, number)| format!("[{number}]"));
        Address::Param(ParamAddress { block, name }, element)
    }

    pub fn exists(&self, simulation: &Simulation, registry: &Registry) -> bool {
        match self {
            Address::Signal(signal) => super::relocation::signal_exists(simulation, registry, signal),
            Address::Param(param, _) => super::relocation::param_exists(simulation, registry, param),
        }
    }

    /// Returns the text of ids that [`Address::of_ids`] reads.
    pub fn text(&self) -> String {
        let text = |path: &[BlockId], block: BlockId, rest: &str| {
            let path: String = path.iter().map(|id| format!("{id}/")).collect();
            format!("{path}{block}.{rest}")
        };
        match self {
            Address::Signal(SignalKey { path, block, output }) => text(path, *block, output),
            Address::Param(ParamAddress { block, name }, element) => text(&block.path, block.block, name) + element,
        }
    }
}

type Each<'a> = &'a mut dyn FnMut(Stored) -> Outcome;

/// Calls `each` for each address in the text of an attribute, and returns the text with the outcomes.
pub(super) fn rewritten(attribute: &str, text: &str, each: Each) -> String {
    match attribute {
        PLOTS => joined('|', text, |number, plot| Some(plot_rewritten(plot, number + 1, each))),
        RECORDED => joined(';', text, |_, signal| signal_rewritten(signal, "the list of recorded signals", each)),
        REQUIREMENTS => joined('|', text, |_, item| requirement_rewritten(item, each)),
        DASHBOARD | PINNED => joined('|', text, |_, widget| Some(widget_rewritten(widget, each))),
        _ => text.to_owned(),
    }
}

/// Rewrites the parts between separators; those without a new text are left out.
fn joined(separator: char, text: &str, mut part: impl FnMut(usize, &str) -> Option<String>) -> String {
    let parts: Vec<String> =
        text.split(separator).enumerate().filter_map(|(number, text)| part(number, text)).collect();
    parts.join(separator.encode_utf8(&mut [0; 4]))
}

/// Rewrites the escaped address of a signal. None removes it.
fn signal_rewritten(text: &str, holder: &str, each: Each) -> Option<String> {
    if text.is_empty() {
        return Some(String::new());
    }
    match each(Stored { text: &plain(text), what: Kind::Signal, holder }) {
        Outcome::Keep => Some(text.to_owned()),
        Outcome::Replace(new) => Some(escaped(&new)),
        Outcome::Remove => None,
    }
}

/// How the holder of the parameter of a derivative begins.
pub(super) const DERIVATIVE: &str = "a derivative in ";

fn plot_rewritten(plot: &str, number: usize, each: Each) -> String {
    let holder = format!("plot {number}");
    let (head, traces) = match plot.strip_prefix('[').and_then(|text| text.split_once(']')) {
        Some((head, traces)) => (Some(head), traces),
        None => (None, plot),
    };
    let head = head.map(|head| {
        joined(',', head, |_, pair| match pair.strip_prefix("trigger=") {
            Some(signal) => {
                let holder = format!("the trigger of {holder}");
                signal_rewritten(signal, &holder, each).map(|signal| format!("trigger={signal}"))
            }
            None => Some(pair.to_owned()),
        })
    });
    let traces = joined(';', traces, |_, trace| {
        let (signal, tail) = trace.split_at(trace.find('{').unwrap_or(trace.len()));
        let signal = signal_rewritten(signal, &holder, each)?;
        let Some(pairs) = tail.strip_prefix('{').and_then(|tail| tail.strip_suffix('}')) else {
            return Some(signal + tail);
        };
        // The derivative by a parameter that is gone goes with it.
        let mut has_param = true;
        let holder = format!("{DERIVATIVE}{holder}");
        let pairs = joined(',', pairs, |_, pair| match pair.strip_prefix("by=") {
            Some(param) => match each(Stored { text: &plain(param), what: Kind::Param, holder: &holder }) {
                Outcome::Keep => Some(pair.to_owned()),
                Outcome::Replace(new) => Some(format!("by={}", escaped(&new))),
                Outcome::Remove => {
                    has_param = false;
                    None
                }
            },
            None => Some(pair.to_owned()),
        });
        has_param.then(|| format!("{signal}{{{pairs}}}"))
    });
    head.map_or(String::new(), |head| format!("[{head}]")) + &traces
}

/// Rewrites the signals in braces. A requirement of which one is removed is left out.
fn requirement_rewritten(item: &str, each: Each) -> Option<String> {
    let (mut written, mut rest) = (String::new(), item);
    while let Some((before, after)) = rest.split_once('{') {
        let Some((signal, after)) = after.split_once('}') else { break };
        let signal = signal_rewritten(signal, "a requirement on the response", each)?;
        written += &format!("{before}{{{signal}}}");
        rest = after;
    }
    Some(written + rest)
}

fn widget_rewritten(widget: &str, each: Each) -> String {
    let Some((kind, pairs)) = widget.split_once('[') else { return widget.to_owned() };
    let (pairs, end) = pairs.strip_suffix(']').map_or((pairs, ""), |pairs| (pairs, "]"));
    let label = super::attribute_list::pairs(pairs).find(|(key, _)| *key == "label");
    let holder = match label {
        Some((_, label)) => format!("the {kind} “{}”", plain(label)),
        None => format!("a {kind} of the dashboard"),
    };
    let pairs = joined(',', pairs, |_, pair| match pair.split_once('=') {
        Some(("signal", signal)) => Some(format!("signal={}", signal_rewritten(signal, &holder, each)?)),
        Some(("param", param)) => match each(Stored { text: &plain(param), what: Kind::Param, holder: &holder }) {
            Outcome::Keep => Some(pair.to_owned()),
            Outcome::Replace(new) => Some(format!("param={}", escaped(&new))),
            Outcome::Remove => None,
        },
        Some(("moves", moves)) => {
            let parts = |one: &str| {
                let (what, rest) = one.split_once(':')?;
                let (factor, signal) = rest.split_once(':')?;
                Some((format!("{what}:{factor}"), signal.to_owned()))
            };
            let moves = joined(';', &plain(moves), |_, one| match parts(one) {
                Some((how, signal)) => Some(format!("{how}:{}", signal_rewritten(&signal, &holder, each)?)),
                None => Some(one.to_owned()),
            });
            (!moves.is_empty()).then(|| format!("moves={}", escaped(&moves)))
        }
        _ => Some(pair.to_owned()),
    });
    format!("{kind}[{pairs}{end}")
}
