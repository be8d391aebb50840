//! The interface of the code to a caller: inputs, parameters, outputs and states, with their names in the diagram and
//! in the code.

use std::sync::Arc;

use super::plan::Parts;
use super::variables::{Home, Section};
use crate::block::{Bus, StateKind};
use crate::engine::{EntityRef, Program, UnitId};
use crate::model::{BlockAddress, BlockKind, Connection, Simulation, model_at};

/// The quantities of an instance, each kind in the order of the diagram.
#[derive(Clone, Debug, Default)]
pub struct Interface {
    pub inputs: Vec<Quantity>,
    /// Empty if the parameters are constants in the code.
    pub parameters: Vec<Quantity>,
    /// The exits that are set.
    pub outputs: Vec<Quantity>,
    pub continuous: Vec<Quantity>,
    pub discrete: Vec<Quantity>,
    /// Whether the code has a function that computes the values that depend on parameters.
    pub has_apply: bool,
    /// Whether the code integrates the continuous states, so that `solver.k[0]` has their rates.
    pub has_rates: bool,
}

/// A vector of the instance.
#[derive(Clone, Debug)]
pub struct Quantity {
    /// In the diagram: the name of an entry or exit, `Plant/Motor#3.Gain`, or the path of the block of a state.
    pub title: String,
    /// The member of the instance that it is, or is a part of: `parameters.motor_gain`.
    pub member: String,
    /// Whether that is an array; its elements begin at `first` then.
    pub is_array: bool,
    pub first: u32,
    pub width: u32,
    /// The names of the elements, of an output that is a bus.
    pub bus: Option<Arc<Bus>>,
    /// The values at the start, of inputs and parameters.
    pub values: Vec<f64>,
    /// The unit; empty if it has none or it is not known.
    pub unit: String,
    /// The label of the block, if it has one, and the description of a parameter.
    pub doc: String,
    /// Where it comes from, in each program of the same diagram: the unit and the row of the parameter for inputs and
    /// parameters, the unit and the number among its states of the kind, the number of the exit and 0.
    pub key: (usize, usize),
}

/// Describes the instance of the code.
pub fn interface(parts: &Parts, simulation: &Simulation, params: &[f64]) -> Interface {
    let mut found = Interface { has_apply: super::header::has_apply(parts), ..Interface::default() };
    found.has_rates = parts.has_rates;
    settable(parts, simulation, params, &mut found);
    states(parts, simulation, &mut found);
    for (index, output) in parts.outputs.iter().enumerate().filter(|(_, output)| output.cells.count > 0) {
        found.outputs.push(Quantity {
            title: output.title.clone(),
            member: format!("outputs.{}", output.name),
            is_array: output.width > 1,
            first: 0,
            width: output.width,
            bus: output.bus.clone(),
            values: Vec::new(),
            unit: unit_of_exit(simulation, &output.title),
            doc: String::new(),
            key: (index, 0),
        });
    }
    found
}

/// Where a cell is in the instance: the section and the member, whether that is an array, and the element.
fn member_of(parts: &Parts, cell: u32) -> Option<(Section, String, bool, u32)> {
    let Home::Element(variable, element) = parts.variables.homes[cell as usize] else { return None };
    let variable = &parts.variables.all[variable as usize];
    let member = variable.path().strip_prefix("self->")?.to_owned();
    Some((variable.section, member, variable.is_array(), element))
}

fn settable(parts: &Parts, simulation: &Simulation, params: &[f64], found: &mut Interface) {
    let Parts { program, code, .. } = *parts;
    let mut cells = vec![None; program.params.len()];
    for piece in &code.params.0 {
        (0..piece.count).for_each(|number| cells[(piece.offset + number) as usize] = Some(piece.cell + number));
    }
    for (number, unit) in program.units.iter() {
        let mut next = unit.first_param as usize;
        for (param, &(row, width)) in program.kernel(unit).params.iter().enumerate() {
            let index = next;
            next += width;
            let cell = cells.get(index).copied().flatten().filter(|_| width > 0);
            let Some((section, member, is_array, first)) = cell.and_then(|cell| member_of(parts, cell)) else {
                continue;
            };
            let name = program.param_name(number, param);
            let values = params[index..next].to_vec();
            let key = (number.index(), row);
            let quantity = |title: String, unit: String, doc| {
                let (member, width) = (member.clone(), width as u32);
                Quantity { title, member, is_array, first, width, bus: None, values, unit, doc, key }
            };
            match section {
                Section::Inputs => {
                    let (title, unit) = entry(program, simulation, number);
                    found.inputs.push(quantity(title, unit, String::new()));
                }
                // A parameter without a name is the compiler's own.
                Section::Parameters if !name.is_empty() => {
                    let def = program.definition_of(number).and_then(|def| def.params.get(row));
                    let (unit, doc) = def.map_or(("", ""), |def| (def.unit, def.doc));
                    let title = format!("{}.{name}", parts.units[number].path);
                    let doc = match label(parts, simulation, number) {
                        label if label.is_empty() => doc.to_owned(),
                        label => format!("{label}: {doc}"),
                    };
                    found.parameters.push(quantity(title, unit.to_owned(), doc));
                }
                _ => {}
            }
        }
    }
}

fn states(parts: &Parts, simulation: &Simulation, found: &mut Interface) {
    let Parts { program, code, .. } = *parts;
    let cell_of = |moves: &crate::engine::Bindings, offset: u32| {
        let piece = moves.0.iter().find(|piece| (piece.offset..piece.offset + piece.count).contains(&offset))?;
        Some(piece.cell + (offset - piece.offset))
    };
    for (number, unit) in program.units.iter() {
        let mut counts = [0, 0];
        for slot in program.states_of(unit) {
            let (moves, list, count) = match slot.kind {
                StateKind::Continuous => (&code.continuous, &mut found.continuous, &mut counts[0]),
                StateKind::Discrete => (&code.discrete, &mut found.discrete, &mut counts[1]),
                StateKind::History { .. } | StateKind::Record => continue,
            };
            *count += 1;
            let key = (number.index(), *count - 1);
            let home = cell_of(moves, slot.offset).filter(|_| slot.width > 0).and_then(|cell| member_of(parts, cell));
            let Some((Section::Continuous | Section::States, member, is_array, first)) = home else { continue };
            list.push(Quantity {
                title: parts.units[number].path.clone(),
                member,
                is_array,
                first,
                width: slot.width,
                bus: None,
                values: Vec::new(),
                unit: String::new(),
                doc: label(parts, simulation, number),
                key,
            });
        }
    }
}

/// The label of a unit's block; empty if it has none.
fn label(parts: &Parts, simulation: &Simulation, unit: UnitId) -> String {
    let address = parts.program.block_of(unit);
    let block = address.find(simulation);
    let label = block.filter(|block| block.title() != block.kind.title()).map(|block| block.title().to_owned());
    label.unwrap_or_default()
}

/// The name and the unit of an entry.
fn entry(program: &Program, simulation: &Simulation, unit: UnitId) -> (String, String) {
    let BlockAddress { path, block: id } = program.block_of(unit);
    let Some(model) = model_at(simulation, &path) else { return Default::default() };
    let name = match model.block(id).map(|block| &block.kind) {
        Some(BlockKind::Entry { name }) => name.to_string(),
        _ => String::new(),
    };
    let unit = model.connections.values().filter(|wire| wire.from == id).find_map(|wire| unit_of(wire));
    (name, unit.unwrap_or_default())
}

/// The unit of the signal that is connected to an exit of the root.
fn unit_of_exit(simulation: &Simulation, name: &str) -> String {
    let Some(root) = simulation.root_model() else { return String::new() };
    let is_it = |kind: &BlockKind| matches!(kind, BlockKind::Exit { name: known } if **known == *name);
    let exits = root.blocks.values().filter(|block| is_it(&block.kind));
    let mut wires = exits.flat_map(|exit| root.connections.values().filter(move |wire| wire.to == exit.id));
    wires.find_map(|wire| unit_of(wire)).unwrap_or_default()
}

fn unit_of(wire: &Connection) -> Option<String> {
    let unit = wire.attributes.get(Connection::UNIT)?.trim();
    (!unit.is_empty()).then(|| unit.to_owned())
}
