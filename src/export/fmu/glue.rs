//! The header of the model for the functions of the standard: how many values an instance has, and which members of the
//! code's instance they are.

use super::variables::{Role, Variable};
use super::{Parts, TOKEN, Version};
use crate::export::c::PART;
use crate::export::c::number::literal;
use crate::export::c::text::Text;

/// Writes the header `fmu_model.h`.
pub fn model_header(parts: &Parts) -> String {
    let (name, variables) = (parts.name, parts.variables);
    let mut text = Text::new(0);
    for line in [
        &*format!("/* Written by simulate {} from the diagram: the values of an instance.", env!("CARGO_PKG_VERSION")),
        "",
        "   The index of a value is the value reference of its variable, or of its first element. */",
        "#ifndef FMU_MODEL_H",
        "#define FMU_MODEL_H",
        "",
        "#include <stdint.h>",
        "",
        &format!("#include \"{name}.h\""),
    ] {
        text.line(line);
    }
    if parts.continuous.is_some() {
        text.line(&format!("#include \"{name}_continuous.h\""));
    }
    text.line("");
    PART.lines().for_each(|line| text.line(line));
    text.line("");
    text.line(&format!("#define FMU_TOKEN \"{TOKEN}\""));
    text.line(&format!("#define FMU_MODEL(function) {name}_##function"));
    text.line("/* The length of a step in seconds. */");
    text.line(&format!("#define FMU_DELTA {}", literal(parts.program.delta)));
    let counts = [
        ("VALUES", variables.count),
        ("FIRST_INPUT", variables.first(Role::Input)),
        ("FIRST_PARAMETER", variables.first(Role::Parameter)),
        ("FIRST_OUTPUT", variables.first(Role::Output)),
        ("FIRST_STATE", variables.first(Role::State)),
        ("FIRST_RATE", variables.first(Role::Rate)),
        ("FIRST_DISCRETE", variables.first(Role::Discrete)),
        ("FIRST_INDICATOR", variables.first(Role::Indicator)),
        ("STATES", variables.count_of(Role::State)),
        ("INDICATORS", variables.count_of(Role::Indicator)),
        ("CELLS", parts.continuous.map_or(1, |continuous| continuous.cells)),
    ];
    for (name, count) in counts {
        text.line(&format!("#define FMU_{name} {count}U"));
    }
    text.line(&format!("#define FMU_HAS_CONTINUOUS {}", u8::from(parts.continuous.is_some())));
    text.line("");
    text.line(&format!("typedef {name}_t fmu_steps;"));
    text.line("");
    widths(parts, &mut text);
    let mut starts = vec!["0.0".to_owned(); variables.count as usize];
    for variable in &variables.all {
        for (value, start) in variable.values.iter().zip(&mut starts[variable.first as usize..]) {
            *start = literal(*value);
        }
    }
    text.line("/* The values of inputs and parameters at the start. */");
    text.line(&format!("static const double fmu_starts[FMU_VALUES] = {{{}}};", starts.join(", ")));
    text.line("");
    functions(parts, &mut text);
    text.line("#endif");
    text.into_string()
}

/// Writes how many elements a variable has by its value reference.
fn widths(parts: &Parts, text: &mut Text) {
    let variables = parts.variables;
    if parts.version == Version::Two || variables.all.iter().all(|variable| variable.width == 1) {
        text.line("#define FMU_WIDTH(reference) 1U");
        text.line("");
        return;
    }
    let mut widths = vec!["0U".to_owned(); variables.count as usize];
    for variable in &variables.all {
        widths[variable.first as usize] = format!("{}U", variable.width);
    }
    text.line("/* The number of elements of a variable; 0 for an element that is not the first. */");
    text.line(&format!("static const uint32_t fmu_widths[FMU_VALUES] = {{{}}};", widths.join(", ")));
    text.line("#define FMU_WIDTH(reference) fmu_widths[reference]");
    text.line("");
}

fn functions(parts: &Parts, text: &mut Text) {
    let steps = |role: Role, direction: CopyDirection| -> Vec<Copy> {
        let of_role = parts.variables.of(role);
        of_role.flat_map(|variable| copies(parts, variable, direction)).collect()
    };
    let set = "fmu_steps *self, const double values[]";
    let get = "const fmu_steps *self, double values[]";
    function(text, "fmu_set_inputs", set, &steps(Role::Input, CopyDirection::Set), None);
    let apply = format!("{}_apply_parameters(self);", parts.name);
    function(
        text,
        "fmu_set_parameters",
        set,
        &steps(Role::Parameter, CopyDirection::Set),
        parts.interface.has_apply.then_some(&*apply),
    );
    let states = [steps(Role::State, CopyDirection::Get), steps(Role::Discrete, CopyDirection::Get)].concat();
    function(text, "fmu_get_states", get, &states, None);
    let outputs = [steps(Role::Output, CopyDirection::Get), steps(Role::Rate, CopyDirection::Get)].concat();
    function(text, "fmu_get_outputs", get, &outputs, None);
    let Some(continuous) = parts.continuous else { return };
    let (mut to, mut from) = (Vec::new(), Vec::new());
    to.extend(continuous.time.map(|cell| Copy::new("cells", Some(cell), "values", Some(0))));
    for variable in &parts.variables.all {
        for element in 0..variable.width {
            let Some(cell) = cell_of(parts, variable, element) else { continue };
            let value = Some(variable.first + element);
            match variable.role {
                Role::Input | Role::Parameter | Role::State => {
                    to.push(Copy::new("cells", Some(cell), "values", value));
                }
                _ => from.push(Copy::new("values", value, "cells", Some(cell))),
            }
        }
    }
    function(text, "fmu_to_cells", "const double values[], double cells[]", &to, None);
    function(text, "fmu_from_cells", "const double cells[], double values[]", &from, None);
}

/// The element of the continuous code's array that an element of a variable is.
pub fn cell_of(parts: &Parts, variable: &Variable, element: u32) -> Option<u32> {
    let (continuous, interface) = (parts.continuous?, parts.interface);
    let (positions, list) = match variable.role {
        Role::Input => (&continuous.params, &interface.inputs),
        Role::Parameter => (&continuous.params, &interface.parameters),
        Role::Output => (&continuous.outputs, &interface.outputs),
        Role::State => (&continuous.states, &interface.continuous),
        Role::Rate => (&continuous.rates, &interface.continuous),
        Role::Indicator => return continuous.indicators.get(variable.number).copied(),
        Role::Time | Role::Discrete => return None,
    };
    let elements = positions.get(&list.get(variable.number)?.key)?;
    elements.get((variable.offset + element) as usize).copied().flatten()
}

/// Which way values are copied: to the instance of the code, or from it.
#[derive(Clone, Copy)]
enum CopyDirection {
    Set,
    Get,
}

/// A copy of one element; a side that is not an array has no index.
#[derive(Clone, Debug, PartialEq)]
struct Copy {
    to: String,
    to_index: Option<u32>,
    from: String,
    from_index: Option<u32>,
}

impl Copy {
    fn new(to: &str, to_index: Option<u32>, from: &str, from_index: Option<u32>) -> Copy {
        Copy { to: to.to_owned(), to_index, from: from.to_owned(), from_index }
    }

    /// Whether it continues another copy.
    fn follows(&self, last: &Copy) -> bool {
        let is_next = |a: Option<u32>, b: Option<u32>| matches!((a, b), (Some(a), Some(b)) if a + 1 == b);
        self.to == last.to
            && self.from == last.from
            && is_next(last.to_index, self.to_index)
            && is_next(last.from_index, self.from_index)
    }
}

/// The copies between the values of a variable and the instance of the code.
fn copies(parts: &Parts, variable: &Variable, direction: CopyDirection) -> Vec<Copy> {
    let interface = parts.interface;
    let list = match variable.role {
        Role::Input => &interface.inputs,
        Role::Parameter => &interface.parameters,
        Role::Output => &interface.outputs,
        Role::State | Role::Rate => &interface.continuous,
        Role::Discrete => &interface.discrete,
        Role::Time | Role::Indicator => return Vec::new(),
    };
    let Some(quantity) = list.get(variable.number) else { return Vec::new() };
    let member = match variable.role {
        // The rates at the beginning of the step.
        Role::Rate => "self->solver.k[0]".to_owned(),
        _ => format!("self->{}", quantity.member),
    };
    let copy = |element: u32| {
        let index = quantity.is_array.then_some(quantity.first + variable.offset + element);
        let value = Some(variable.first + element);
        match direction {
            CopyDirection::Set => Copy::new(&member, index, "values", value),
            CopyDirection::Get => Copy::new("values", value, &member, index),
        }
    };
    (0..variable.width).map(copy).collect()
}

/// The most statements of a function; longer ones are divided, since the time that compilers take for a function grows
/// faster than its length.
const LONGEST: usize = 200;

/// Writes a function that copies values, in loops where both sides are contiguous. If it is too long, the functions
/// into which it is divided precede it.
fn function(text: &mut Text, name: &str, arguments: &str, copies: &[Copy], last: Option<&str>) {
    let runs: Vec<&[Copy]> = copies.chunk_by(|a, b| b.follows(a)).collect();
    if runs.len() <= LONGEST {
        return function_of(text, "static", name, arguments, &runs, last);
    }
    let words = names(arguments).collect::<Vec<_>>().join(", ");
    let mut calls = Vec::new();
    for (runs, part) in runs.chunks(LONGEST).zip(1..) {
        let name = format!("{name}_{part}");
        function_of(text, "FMU_PART", &name, arguments, runs, None);
        calls.push(format!("{name}({words});"));
    }
    text.line(&format!("static void {name}({arguments})"));
    text.line("{");
    calls.iter().map(String::as_str).chain(last).for_each(|call| text.line(call));
    text.line("}");
    text.line("");
}

/// The names of arguments.
fn names(arguments: &str) -> impl Iterator<Item = &str> {
    let words = arguments.split(", ").filter_map(|argument| argument.rsplit([' ', '*']).next());
    words.map(|word| word.trim_end_matches("[]"))
}

fn function_of(text: &mut Text, kind: &str, name: &str, arguments: &str, runs: &[&[Copy]], last: Option<&str>) {
    text.line(&format!("{kind} void {name}({arguments})"));
    text.line("{");
    let is_used = |word: &str| {
        let is_in = |copy: &Copy| copy.to.starts_with(word) || copy.from.starts_with(word);
        runs.iter().copied().flatten().any(is_in) || last.is_some_and(|last| last.contains(word))
    };
    for word in names(arguments).filter(|word| !is_used(word)) {
        text.line(&format!("(void){word};"));
    }
    let element = |array: &str, index: Option<u32>| match index {
        Some(index) => format!("{array}[{index}]"),
        None => array.to_owned(),
    };
    let moved = |array: &str, first: Option<u32>| match first {
        Some(0) => format!("{array}[i]"),
        first => format!("{array}[{}U + i]", first.unwrap_or(0)),
    };
    for run in runs {
        let Copy { to, to_index, from, from_index } = &run[0];
        if run.len() < 3 {
            for Copy { to, to_index, from, from_index } in *run {
                text.line(&format!("{} = {};", element(to, *to_index), element(from, *from_index)));
            }
            continue;
        }
        text.line(&format!("for (uint32_t i = 0U; i < {}U; i++) {{", run.len()));
        text.line(&format!("{} = {};", moved(to, *to_index), moved(from, *from_index)));
        text.line("}");
    }
    last.into_iter().for_each(|last| text.line(last));
    text.line("}");
    text.line("");
}
