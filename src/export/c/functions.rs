//! Functions for models that are used several times, as statements.

use std::collections::BTreeMap;

use super::access::Tables;
use super::expression::Calls;
use super::names::{Names, comment, identifier};
use super::plan::Parts;
use super::shared::SharedFunction;
use super::source::function;
use super::text::Text;
use super::types::Type;
use super::usage::Usage;
use super::variables::{Home, Section, Variable, Variables, minor_distance};
use super::writer::{Plan, Writer};
use crate::engine::UnitId;
use crate::model::{BlockAddress, BlockId, Simulation, model_at};

/// More uses are not named in the comment of a function.
const MOST_NAMED: usize = 4;

/// Returns the names of the functions.
pub fn names(parts: &Parts, model: &str) -> Vec<String> {
    let mut names = Names::new();
    let wanted = parts.shared.functions.iter().map(|shared| format!("{model}_compute_{}", identifier(&shared.model)));
    wanted.map(|wanted| names.unique(&wanted)).collect()
}

/// Writes the functions.
pub fn write(parts: &Parts, plan: &Plan, calls: &mut Calls, tables: &mut Tables) -> Text {
    let mut text = Text::new(0);
    for (number, (shared, name)) in parts.shared.functions.iter().zip(plan.functions).enumerate() {
        let inner = inner(parts, shared);
        let mut usage = Usage::new(parts.code, &parts.layout);
        let region = usage.region(None);
        usage.list(&shared.code, region);
        shared.outputs.iter().for_each(|cell| usage.read_alone(*cell, region));
        let twins = twins(parts, number);
        let plan = Plan { usage: &usage, variables: &inner, twins: &twins, ..*plan };
        let mut writer = Writer::new(&plan, calls, tables);
        writer.list(&shared.code);
        let home = |cell: u32| match inner.homes[cell as usize] {
            Home::Element(variable, _) => inner.all[variable as usize].name.clone(),
            _ => String::new(),
        };
        let mut arguments: Vec<String> = shared.inputs.iter().map(|cell| format!("double {}", home(*cell))).collect();
        let kind = match shared.outputs[..] {
            [cell] => {
                let value = writer.value(cell);
                writer.text.line(&format!("return {};", value.text()));
                "double"
            }
            _ => {
                writer.heading("Results");
                for cell in &shared.outputs {
                    let (value, result) = (writer.value(*cell), format!("{}_result", home(*cell)));
                    writer.text.line(&format!("*{result} = {};", value.text()));
                    arguments.push(format!("double *{result}"));
                }
                "void"
            }
        };
        let head = format!("static {kind} {name}({})", arguments.join(", "));
        text.append(function(&about(parts.simulation, shared), &head, writer.text));
    }
    text
}

fn about(simulation: &Simulation, shared: &SharedFunction) -> String {
    let paths = shared
        .uses
        .iter()
        .filter_map(|path| Some(BlockAddress::new(path.split_last()?.1, *path.last()?).text(simulation)));
    let mut named: Vec<String> = paths.take(MOST_NAMED).map(|path| comment(&path)).collect();
    if shared.uses.len() > MOST_NAMED {
        named.push(format!("{} more", shared.uses.len() - MOST_NAMED));
    }
    format!("Computes the model {} for {}.", comment(&shared.model), named.join(", "))
}

/// The variables in a function: all its cells are arguments or local variables, named without the path of the first use.
fn inner(parts: &Parts, shared: &SharedFunction) -> Variables {
    let outer = &parts.variables;
    let mut found = Variables {
        homes: outer.homes.clone(),
        types: outer.types.clone(),
        all: outer.all.clone(),
        rings: BTreeMap::new(),
        cell_names: BTreeMap::new(),
        state_names: BTreeMap::new(),
        ..*outer
    };
    let entries = entries(parts, shared);
    let titles = shared.uses.first().map(|path| prefix(parts.simulation, path)).unwrap_or_default();
    let mut names = Names::new();
    for cell in shared.inputs.iter().copied().chain(shared.code.iter().map(|ins| ins.dst)) {
        let owner = parts.code.owner(cell);
        let named = entries.get(&cell).or_else(|| outer.cell_names.get(&cell));
        let whole = match (named, owner) {
            (Some(name), _) => name.clone(),
            (None, Some(unit)) => format!("{}_term", parts.units[unit].identifier),
            (None, None) => "term".to_owned(),
        };
        let short = whole.strip_prefix(&titles).filter(|short| short.starts_with(|c: char| c.is_ascii_lowercase()));
        let name = names.unique(short.unwrap_or(&whole));
        found.homes[cell as usize] = Home::Element(found.all.len() as u32, 0);
        let comment = String::new();
        found.all.push(Variable { name, section: Section::Local, first: cell, width: 1, kind: Type::Number, comment });
    }
    found
}

/// The names of the entries of the first use by the cells of their values, where those come from outside.
fn entries(parts: &Parts, shared: &SharedFunction) -> BTreeMap<u32, String> {
    let Some(first) = shared.uses.first() else { return BTreeMap::new() };
    let program = parts.program;
    let inside = |cell: u32| {
        let owner = parts.code.owner(cell);
        owner.is_some_and(|owner| program.block_of(owner).path.starts_with(first))
    };
    let distance = minor_distance(parts.code).unwrap_or(0);
    let mut found = BTreeMap::new();
    for (number, unit) in program.units.iter() {
        if program.kernel(unit).is_pass_through() && program.block_of(number).path == *first {
            for output in program.outputs_of(unit) {
                let cell = parts.code.outputs[output];
                for cell in [cell, cell.saturating_add(distance)] {
                    if !inside(cell) {
                        found.entry(cell).or_insert_with(|| parts.units[number].identifier.clone());
                    }
                }
            }
        }
    }
    found
}

/// The start of the names in a use of a model.
fn prefix(simulation: &Simulation, path: &[BlockId]) -> String {
    let titles = (0..path.len()).map(|depth| {
        let block = model_at(simulation, &path[..depth]).and_then(|model| model.block(path[depth]));
        block.map_or_else(String::new, |block| identifier(block.title()))
    });
    let parts: Vec<String> = titles.filter(|title| !title.is_empty()).collect();
    format!("{}_", parts.join("_"))
}

/// For the units of the first use those of the others, whose code the function is, too.
fn twins(parts: &Parts, number: usize) -> BTreeMap<UnitId, Vec<UnitId>> {
    let mut found: BTreeMap<UnitId, Vec<UnitId>> = BTreeMap::new();
    for call in parts.shared.calls.iter().filter(|call| call.function == number) {
        for (first, other) in parts.shared.functions[number].code.iter().zip(&call.code) {
            let [first, other] = [first, other].map(|ins| parts.code.owner(ins.dst));
            let (Some(first), Some(other)) = (first, other) else { continue };
            let twins = found.entry(first).or_default();
            if first != other && !twins.contains(&other) {
                twins.push(other);
            }
        }
    }
    found
}
