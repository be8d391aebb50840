//! Foreign models: the requests of a block to code that is not ours, and the results. This layer runs no such code: the
//! caller that compiles a simulation provides functions that do, as it provides files.

use std::collections::HashSet;

use super::HostFn;

/// A block's request to a foreign model.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignUse {
    pub kind: ForeignKind,
    /// Names and widths.
    pub inputs: Vec<(String, usize)>,
    pub outputs: Vec<(String, usize)>,
    /// The parameters that have a value, by their names in formulas, and widths.
    pub parameters: Vec<(String, usize)>,
    /// Texts by the names of parameters.
    pub texts: Vec<(String, String)>,
    /// Whether the outputs of a step are read before it, with its inputs.
    pub is_direct: bool,
    /// The time between communication points, in seconds.
    pub step: f64,
    /// The longest time of a call, in seconds.
    pub call_limit: f64,
    /// The most memory of the model's process, in bytes.
    pub memory: u64,
}

impl ForeignUse {
    /// The options of a block that runs a foreign model, which are filled in when a file is chosen.
    pub const FILE: &str = "File";
    pub const TYPE: &str = "Type";
    pub const PARAMETERS: &str = "Parameters";
    pub const TEXTS: &str = "Texts";
    pub const INPUTS: &str = "Inputs";
    pub const OUTPUTS: &str = "Outputs";
    pub const BUSES: &str = "Buses";
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignKind {
    /// The model computes its steps itself.
    CoSimulation,
    /// The model has derivatives, which our solver integrates.
    ModelExchange,
}

/// The functions of a foreign model.
///
/// They are pure: a point of the model's history has a token of [`TOKEN`] numbers, which is a function of the whole
/// history up to it; zeros are the point before the model exists. A function finds an instance at the point that its
/// token names, or brings one there.
#[derive(Clone, Debug)]
pub enum ForeignModel {
    CoSimulation {
        /// From token, parameters and the last outputs, the outputs at the start: those of the initialized model, and
        /// from then on the last outputs. None where outputs are direct.
        begin: Option<HostFn>,
        /// From 1 or 0 (whether to step), token, number of the step, parameters, inputs and the last outputs: token and
        /// outputs. Without a step these are the given ones.
        step: HostFn,
    },
    ModelExchange {
        states: usize,
        indicators: usize,
        /// The number of elements of inputs that change only at events.
        discrete: usize,
        /// Whether each output may follow an input at once.
        is_direct: Vec<bool>,
        /// From token, time of the next time event, time, states and parameters: token, time of the next time event, 1 if
        /// the model was initialized, states. That happens at the first call; other calls return the given values.
        start: HostFn,
        /// From 1 or 0 (whether decisions may change), 1 or 0 (whether a step of the solver is complete), 1 or 0 (whether
        /// there is an event in any case), token, time of the next time event, time, states, inputs, the sides of the
        /// indicators and the discrete inputs at the last event: token, time of the next time event, 1 if there was an
        /// event, states, sides, discrete inputs.
        decide: HostFn,
        /// From token, time, states and inputs: derivatives, event indicators, outputs.
        evaluate: HostFn,
    },
}

/// The description of a foreign model, which is known without running its code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForeignDescription {
    pub name: String,
    /// Names and widths.
    pub inputs: Vec<(String, usize)>,
    pub outputs: Vec<(String, usize)>,
    pub parameters: Vec<ForeignParam>,
}

/// A parameter of a foreign model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForeignParam {
    /// The name that the model gives it.
    pub title: String,
    /// The name in the block's option: one for formulas, or for a text parameter the model's own.
    pub name: String,
    /// The value that it has unless the block sets it; empty if the model has none.
    pub start: String,
    pub unit: String,
    pub doc: String,
    pub is_text: bool,
}

/// The number of elements of a token. Each holds 52 bits, as a whole number.
pub const TOKEN: usize = 2;

/// Reads the ports of a text such as `u; v : 3`: names, separated by semicolons or lines, each with its width unless that
/// is 1. Names may contain spaces and brackets.
pub fn ports_in(text: &str) -> Vec<(String, usize)> {
    let port = |text: &str| {
        let width = |width: &str| width.trim().parse::<usize>().ok().filter(|width| *width > 0);
        match text.rsplit_once(" : ").and_then(|(name, text)| Some((name.trim(), width(text)?))) {
            Some((name, width)) => (name.to_owned(), width.min(MAX_WIDTH)),
            None => (text.to_owned(), 1),
        }
    };
    text.split([';', '\n']).map(str::trim).filter(|name| !name.is_empty()).map(port).collect()
}

const MAX_WIDTH: usize = 1 << 20;

/// Returns the text of ports that [`ports_in`] reads.
pub fn ports_text(ports: &[(String, usize)]) -> String {
    let text = |(name, width): &(String, usize)| if *width == 1 { name.clone() } else { format!("{name} : {width}") };
    ports.iter().map(text).collect::<Vec<_>>().join("; ")
}

/// Reads `name = value; name = value`, with semicolons or line ends between; none if a part has another form.
pub fn assignments(text: &str) -> Option<Vec<(&str, &str)>> {
    let parts = text.split([';', '\n']).map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| part.split_once('=').map(|(name, value)| (name.trim(), value.trim()))).collect()
}

/// Returns a text that [`assignments`] reads in which a name has this value, or none.
pub fn with_assignment(text: &str, name: &str, value: Option<&str>) -> Option<String> {
    let mut all = assignments(text)?;
    match (all.iter_mut().find(|(known, _)| *known == name), value) {
        (Some((_, old)), Some(value)) => *old = value,
        (None, Some(value)) => all.push((name, value)),
        (_, None) => all.retain(|(known, _)| *known != name),
    }
    Some(all.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join("; "))
}

/// Returns names for formulas, one for each name: `body.m[2]` is `body_m_2_`. Equal ones are numbered.
pub fn formula_names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = HashSet::new();
    let name = |name: &str| {
        let part = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
        let mut plain: String = name.chars().map(part).collect();
        if !plain.starts_with(|first: char| first.is_ascii_alphabetic()) {
            plain.insert(0, 'p');
        }
        let number = (2..).map(|number| format!("{plain}_{number}"));
        std::iter::once(plain.clone()).chain(number).find(|name| seen.insert(name.clone())).unwrap_or(plain)
    };
    names.map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assignment_is_replaced_added_and_removed() {
        let text = "a = 1; b = c = 2\n d = ";
        assert_eq!(assignments(text), Some(vec![("a", "1"), ("b", "c = 2"), ("d", "")]));
        let with = |name, value| with_assignment(text, name, value).expect("assignments");
        assert_eq!(with("a", Some("7")), "a = 7; b = c = 2; d = ");
        assert_eq!(with("d", Some("7")), "a = 1; b = c = 2; d = 7");
        assert_eq!(with("e", Some("7")), "a = 1; b = c = 2; d = ; e = 7");
        assert_eq!(with("b", None), "a = 1; d = ");
        assert_eq!(with("e", None), "a = 1; b = c = 2; d = ");
        assert_eq!(with_assignment("", "a", Some("1")).as_deref(), Some("a = 1"));
        assert_eq!((assignments("a = 1; b"), with_assignment("b", "a", Some("1"))), (None, None));
    }

    #[test]
    fn names_for_formulas_are_plain_and_different() {
        let names = ["body.m[2]", "2nd", "body m 2 ", "größe", "_", "body_m_2_"];
        let want = ["body_m_2_", "p2nd", "body_m_2__2", "gr__e", "p_", "body_m_2__3"];
        assert_eq!(formula_names(names.into_iter()), want);
    }

    #[test]
    fn ports_are_read_as_they_are_written() {
        let ports = |list: &[(&str, usize)]| list.iter().map(|(name, width)| ((*name).to_owned(), *width)).collect();
        let read: Vec<(String, usize)> = ports(&[("u", 1), ("v[1] x", 3), ("w : 0", 1), ("z", MAX_WIDTH)]);
        assert_eq!(ports_in("u; v[1] x : 3\n w : 0; ; z : 9999999"), read);
        assert_eq!(ports_text(&read), format!("u; v[1] x : 3; w : 0; z : {MAX_WIDTH}"));
        assert_eq!(ports_in(&ports_text(&read)), read);
    }
}
