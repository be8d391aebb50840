//! The header of the code, the whole of its source file, and the files of the mathematics.

use super::files::{File, Options, Precision};
use super::math::{mathematics, mathematics_in_single};
use super::plan::Parts;
use super::single::single;
use super::source::{Source, stages};
use super::variables::{Section, Variable};

/// The check of compiler options that would change results; it is in each file.
pub const GUARDS: &str = "\
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && (__FINITE_MATH_ONLY__ > 0))
#error \"compile without -ffast-math and -Ofast: they change results\"
#endif
#if defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD != 0)
#error \"compile for arithmetic in double precision, for example with -msse2 -mfpmath=sse\"
#endif
#if defined(__clang__) || !defined(__GNUC__)
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize(\"fp-contract=off\")
#endif
";

pub const INCLUDES: &str =
    "#include <float.h>\n#include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <string.h>\n";

/// Returns the header, the source file and the files of the mathematics.
pub fn files(parts: &Parts, model: &str, source: &Source, options: &Options) -> Vec<File> {
    let mathematics = match options.precision {
        Precision::Double => mathematics(&source.calls),
        Precision::Single => mathematics_in_single(&source.calls),
    };
    let in_precision = |text: String| match options.precision {
        Precision::Double => text,
        Precision::Single => single(&text, |name| source.calls.contains(name)),
    };
    let file = |name: String, text: String| File { name, text };
    let about = "/* The functions that the code calls, with the same bits on every machine. */\n";
    let math_head = format!(
        "{about}#ifndef SIMULATE_MATH_H\n#define SIMULATE_MATH_H\n\n{INCLUDES}\n{GUARDS}\n{}{}\n#endif\n",
        mathematics.macros, mathematics.declarations
    );
    let head = in_precision(header(parts, model, options.precision));
    let note = format!("/* Written by simulate {} from the diagram. */\n", env!("CARGO_PKG_VERSION"));
    let text = in_precision(source.text.clone().into_string());
    match options.is_single_file {
        true => {
            let declarations: String =
                mathematics.declarations.lines().map(|line| format!("static {line}\n")).collect();
            let definitions = with_static(&mathematics.definitions);
            let macros = &mathematics.macros;
            let all = format!(
                "{note}#include \"{model}.h\"\n\n{INCLUDES}\n{GUARDS}\n{macros}{declarations}\n{definitions}\n{text}"
            );
            vec![file(format!("{model}.h"), head), file(format!("{model}.c"), all)]
        }
        false => {
            let all = format!("{note}#include \"{model}.h\"\n#include \"simulate_math.h\"\n\n{text}");
            let math = format!("#include \"simulate_math.h\"\n\n{}", mathematics.definitions);
            vec![
                file(format!("{model}.h"), head),
                file(format!("{model}.c"), all),
                file("simulate_math.h".to_owned(), math_head),
                file("simulate_math.c".to_owned(), math),
            ]
        }
    }
}

/// Makes the functions of the mathematics local to the file.
pub fn with_static(definitions: &str) -> String {
    const STARTS: [&str; 5] =
        ["double simulate_", "float simulate_", "bool simulate_", "uint32_t simulate_", "void simulate_"];
    let line = |line: &str| match STARTS.iter().any(|start| line.starts_with(start)) {
        true => format!("static {line}\n"),
        false => format!("{line}\n"),
    };
    definitions.lines().map(line).collect()
}

/// The parts of the instance, in order, each with its lines.
fn sections(parts: &Parts) -> Vec<(&'static str, Vec<String>)> {
    let of = |section: Section| -> Vec<&Variable> {
        parts.variables.all.iter().filter(|variable| variable.section == section && variable.width > 0).collect()
    };
    let field = |variable: &Variable| {
        let size = if variable.is_array() { format!("[{}]", variable.width) } else { String::new() };
        let about = if variable.comment.is_empty() { String::new() } else { format!(" /* {} */", variable.comment) };
        format!("    {} {}{size};{about}", variable.kind.name(), variable.name)
    };
    let lines = |section: Section| of(section).into_iter().map(field).collect::<Vec<String>>();
    let array = |width: u32| if width > 1 { format!("[{width}]") } else { String::new() };
    let outputs: Vec<String> = parts
        .outputs
        .iter()
        .map(|output| {
            let about = match &output.bus {
                Some(bus) => super::names::comment(&format!("{}: {bus}", output.title)),
                None => super::names::comment(&output.title),
            };
            let unset = if output.cells.count == 0 { ": never set" } else { "" };
            format!("    double {}{}; /* {about}{unset} */", output.name, array(output.width))
        })
        .collect();
    let mut states = Vec::new();
    if parts.continuous() > 0 {
        states.push("    /* The continuous states, with the indices above. */".to_owned());
    }
    states.extend(lines(Section::Continuous));
    states.extend(lines(Section::States));
    let histories = parts.variables.rings.values().flat_map(|ring| {
        let (name, size) = (&ring.name, u64::from(ring.length) * u64::from(ring.width.max(1)));
        [format!("    double {name}[{size}]; /* {} */", ring.comment), format!("    uint32_t {name}_next;")]
    });
    let mut solver = Vec::new();
    if let (true, Some(tableau)) = (parts.has_rates && !parts.has_local_rates, parts.program.solver.tableau()) {
        let count = parts.continuous();
        if stages(tableau) > 1 {
            solver.push(format!("    double x[{count}];"));
        }
        solver.push(format!("    double k[{}][{count}];", stages(tableau)));
    }
    solver.extend(super::implicit::members(parts));
    let clock = parts.hits.iter().map(|hit| format!("    uint32_t {};", super::access::counter(*hit)));
    let all = vec![
        ("parameters", lines(Section::Parameters)),
        ("inputs", lines(Section::Inputs)),
        ("outputs", outputs),
        ("states", states),
        ("histories", histories.collect()),
        ("derived", lines(Section::Derived)),
        ("signals", lines(Section::Signals)),
        ("solver", solver),
        ("clock", clock.collect()),
    ];
    all.into_iter().filter(|(_, lines)| !lines.is_empty()).collect()
}

/// Sections with more numbers are cleared as a whole.
const MOST_CLEARED: usize = 12;

/// The sections that a reset clears, each with the assignments to its members if there are few.
pub fn cleared(parts: &Parts) -> Vec<(&'static str, Option<Vec<String>>)> {
    let is_cleared = |name: &str| matches!(name, "outputs" | "states" | "histories" | "signals" | "solver" | "clock");
    let of = |lines: Vec<String>| -> Option<Vec<String>> {
        let mut assignments = Vec::new();
        for line in lines.iter().filter(|line| !line.trim_start().starts_with("/*")) {
            let (kind, name) = line.split(';').next()?.trim().split_once(' ')?;
            let zero = match kind {
                "double" => "0.0",
                "bool" => "false",
                _ => "0U",
            };
            match name.split_once('[') {
                None => assignments.push(format!("{name} = {zero}")),
                Some((name, size)) => {
                    let size: usize = size.strip_suffix(']')?.parse().ok().filter(|size| *size <= MOST_CLEARED)?;
                    assignments.extend((0..size).map(|element| format!("{name}[{element}] = {zero}")));
                }
            }
        }
        Some(assignments).filter(|assignments| assignments.len() <= MOST_CLEARED)
    };
    let sections = sections(parts).into_iter().filter(|(name, _)| is_cleared(name));
    sections.map(|(name, lines)| (name, of(lines))).collect()
}

/// Whether there is a function that computes the values that depend on parameters.
pub fn has_apply(parts: &Parts) -> bool {
    !parts.derived.is_empty() || !parts.params.is_empty()
}

fn about(section: &str) -> &'static str {
    match section {
        "parameters" => "The parameters of blocks. After a change, call _apply_parameters.",
        "inputs" => "Set these before a step.",
        "outputs" => "Read these after a step.",
        "states" => "All that lasts from step to step, with the histories.",
        "histories" => "Rings of past values, each with the slot that is written next.",
        "derived" => "Values that depend on parameters alone.",
        "signals" => "Values that several functions of the code need.",
        "clock" => "The steps until the next hit of each sample time.",
        _ => "The working memory of the solver; k has the rates of change at its stages.",
    }
}

fn header(parts: &Parts, model: &str, precision: Precision) -> String {
    let macros = model.to_uppercase();
    let mut text = format!(
        "/* Written by simulate {} from the diagram.\n\n   One step is {} s; it is the caller's task to call \
         {model}_step so often. There are as many instances as\n   there are variables of the type {model}_t. */\n",
        env!("CARGO_PKG_VERSION"),
        parts.code.delta
    );
    text.push_str(&format!("#ifndef {macros}_H\n#define {macros}_H\n\n#include <stdbool.h>\n#include <stdint.h>\n\n"));
    for (name, value, about) in [
        ("OK", 0, "The step is complete."),
        ("PAUSED", 1, "The step is complete; a block asks for a pause."),
        ("STOPPED", 2, "The step is complete; a block stops the run with an error."),
        ("FINISHED", 3, "The step is complete; a block ends the run as planned."),
        ("TOO_MANY_RUNS", 4, "A part would run more often than its limit: the step is not valid. Reset the instance."),
        (
            "NOT_SOLVED",
            5,
            "The solver finds no new states: the step is not valid. Reset the instance; take a shorter step.",
        ),
    ] {
        text.push_str(&format!("/* {about} */\n#define {macros}_STATUS_{name} {value}\n"));
    }
    text.push('\n');
    if !parts.variables.state_names.is_empty() {
        text.push_str("/* The continuous states in states.x */\n");
    }
    for (index, state) in &parts.variables.state_names {
        let width = if state.width == 1 { String::new() } else { format!(", {} elements", state.width) };
        text.push_str(&format!("#define {macros}_X_{} {index}U /* {}{width} */\n", state.name, state.comment));
    }
    if !parts.variables.state_names.is_empty() {
        text.push('\n');
    }
    let sections = sections(parts);
    for (name, lines) in &sections {
        text.push_str(&format!("/* {} */\ntypedef struct {model}_{name} {{\n", about(name)));
        for line in lines {
            text.push_str(line);
            text.push('\n');
        }
        text.push_str(&format!("}} {model}_{name};\n\n"));
    }
    text.push_str(&format!("/* An instance of the model. */\ntypedef struct {model}_t {{\n"));
    for (name, _) in &sections {
        text.push_str(&format!("    {model}_{name} {name};\n"));
    }
    let counter = if precision == Precision::Single { "uint32_t" } else { "uint64_t" };
    text.push_str(&format!("    {counter} step; /* The number of the next step. */\n    int32_t status;\n"));
    text.push_str(&format!("}} {model}_t;\n\n"));
    let functions = [
        ("void", "init", "self", "Sets parameters and inputs to their values in the diagram, and resets."),
        ("void", "reset", "self", "Sets all states to their initial values, which may depend on parameters."),
        ("void", "apply_parameters", "self", "Call this after a change of parameters."),
        (
            "int32_t",
            "step",
            "self",
            "Computes the outputs of the step, then the states of the next one; returns the status.",
        ),
        (
            "int32_t",
            "selftest",
            "void",
            "Returns 0 if the arithmetic of machine and compiler gives the bits of the simulation.",
        ),
    ];
    for (kind, name, argument, about) in functions {
        if name == "apply_parameters" && !has_apply(parts) {
            continue;
        }
        let argument = if argument == "self" { format!("{model}_t *self") } else { "void".to_owned() };
        text.push_str(&format!("/* {about} */\n{kind} {model}_{name}({argument});\n"));
    }
    text.push_str("\n#endif\n");
    text
}
