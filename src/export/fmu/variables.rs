//! The variables of an FMU: an instance keeps their values in one array, whose indices are the value references.

use std::collections::BTreeSet;

use super::Version;
use crate::block::{BusPart, SignalType, is_name};
use crate::export::c::{Continuous, Interface, Quantity};

/// The role of a variable; values of one role follow each other in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Time,
    Input,
    Parameter,
    Output,
    /// A continuous state.
    State,
    /// The rate of change of the continuous state with the same number.
    Rate,
    /// A discrete state.
    Discrete,
    /// A number whose sign changes at an event of model exchange.
    Indicator,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub role: Role,
    /// The value reference: the index of its first value.
    pub first: u32,
    pub width: u32,
    /// The values at the start, of inputs and parameters.
    pub values: Vec<f64>,
    pub unit: String,
    /// A description; empty if there is none.
    pub doc: String,
    /// The number of the quantity among those of its kind in the interface; of an indicator, its own.
    pub number: usize,
    /// Which element of the quantity is its first.
    pub offset: u32,
}

/// All variables in the order of their values.
#[derive(Clone, Debug)]
pub struct Variables {
    pub all: Vec<Variable>,
    /// The number of values.
    pub count: u32,
}

impl Variables {
    /// Arranges the variables. FMI 2 has no arrays: each element is a variable of its own there.
    pub fn new(interface: &Interface, continuous: Option<&Continuous>, version: Version) -> Variables {
        let mut made = Variables { all: Vec::new(), count: 0 };
        let mut names = Names::default();
        made.push(names.unique("time", 1), Role::Time, 1, 0);
        let path = |quantity: &Quantity| quantity.title.clone();
        let state = |quantity: &Quantity| format!("{}.state", quantity.title);
        made.quantities(&interface.inputs, Role::Input, &mut names, path);
        made.quantities(&interface.parameters, Role::Parameter, &mut names, path);
        made.quantities(&interface.outputs, Role::Output, &mut names, path);
        made.quantities(&interface.continuous, Role::State, &mut names, state);
        if interface.has_rates {
            for number in 0..interface.continuous.len() {
                let of = made.all.iter().find(|variable| variable.role == Role::State && variable.number == number);
                let Some((name, width)) = of.map(|of| (format!("der({})", of.name), of.width)) else { continue };
                made.push(names.unique(&name, width), Role::Rate, width, number);
            }
        }
        made.quantities(&interface.discrete, Role::Discrete, &mut names, state);
        for number in 0..continuous.map_or(0, |continuous| continuous.indicators.len()) {
            made.push(names.unique(&format!("event_indicator_{}", number + 1), 1), Role::Indicator, 1, number);
        }
        if version == Version::Two {
            made.all = made.all.iter().flat_map(Variable::elements).collect();
        }
        made
    }

    fn quantities(
        &mut self,
        quantities: &[Quantity],
        role: Role,
        names: &mut Names,
        name: impl Fn(&Quantity) -> String,
    ) {
        for (number, quantity) in quantities.iter().enumerate() {
            let name = name(quantity);
            // The parts of a bus are variables with the names of elements behind a dot.
            let parts = match &quantity.bus {
                Some(bus) => bus.leaves().into_iter().map(|(path, part)| (format!("{name}.{path}"), part)).collect(),
                None => vec![(name, BusPart { start: 0, of: SignalType::plain(quantity.width as usize) })],
            };
            for (name, part) in parts {
                let (offset, width) = (part.start as u32, part.of.width as u32);
                self.push(names.unique(&name, width), role, width, number);
                if let Some(last) = self.all.last_mut() {
                    (last.offset, last.values) = (offset, quantity.values.clone());
                    (last.unit, last.doc) = (quantity.unit.clone(), quantity.doc.clone());
                }
            }
        }
    }

    fn push(&mut self, name: String, role: Role, width: u32, number: usize) {
        let (first, unit) = (self.count, String::new());
        self.count += width;
        self.all.push(Variable {
            name,
            role,
            first,
            width,
            values: Vec::new(),
            unit,
            doc: String::new(),
            number,
            offset: 0,
        });
    }

    /// The first value of a role, or of the roles after it if it has none.
    pub fn first(&self, role: Role) -> u32 {
        let at = self.all.iter().find(|variable| variable.role >= role);
        at.map_or(self.count, |variable| variable.first)
    }

    /// The number of values of a role.
    pub fn count_of(&self, role: Role) -> u32 {
        self.of(role).map(|variable| variable.width).sum()
    }

    /// Whether all names have the form that FMI calls structured: names of letters, digits and _ with dots between, and
    /// indices.
    pub fn are_structured(&self) -> bool {
        self.all.iter().all(|variable| {
            let name = &variable.name;
            let inside = name.strip_prefix("der(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(name);
            inside
                .split('.')
                .all(|part| is_name(part.split_once('[').map_or(part, |(base, _)| base)) && part.is_ascii())
        })
    }

    pub fn of(&self, role: Role) -> impl Iterator<Item = &Variable> {
        self.all.iter().filter(move |variable| variable.role == role)
    }
}

impl Variable {
    /// The elements as variables; itself if it has one.
    fn elements(&self) -> Vec<Variable> {
        if self.width == 1 {
            return vec![self.clone()];
        }
        let element = |number: u32| Variable {
            name: match self.name.strip_prefix("der(").and_then(|rest| rest.strip_suffix(')')) {
                Some(of) if self.role == Role::Rate => format!("der({of}[{}])", number + 1),
                _ => format!("{}[{}]", self.name, number + 1),
            },
            first: self.first + number,
            offset: self.offset + number,
            width: 1,
            values: self.values.get(number as usize).map_or_else(Vec::new, |value| vec![*value]),
            ..self.clone()
        };
        (0..self.width).map(element).collect()
    }
}

/// The names that are taken, with those of elements.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    /// Returns the name, with a number behind it if another variable has it.
    fn unique(&mut self, wanted: &str, width: u32) -> String {
        let elements = |name: &str| -> Vec<String> {
            let all = (1..=width).map(|number| format!("{name}[{number}]"));
            if width == 1 { Vec::new() } else { all.collect() }
        };
        let wanted = if wanted.is_empty() { "unnamed" } else { wanted };
        let mut name = wanted.to_owned();
        let mut number = 2;
        while self.0.contains(&name) || elements(&name).iter().any(|element| self.0.contains(element)) {
            name = format!("{wanted} ({number})");
            number += 1;
        }
        self.0.extend(elements(&name));
        self.0.insert(name.clone());
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_variables_have_one_name() {
        let mut names = Names::default();
        let given =
            [("y", 2), ("y[1]", 1), ("y", 1), ("y (2)", 1), ("", 1)].map(|(name, width)| names.unique(name, width));
        assert_eq!(given, ["y", "y[1] (2)", "y (2)", "y (2) (2)", "unnamed"]);
    }
}
