//! The page that comes with the code: how it is used, and the rules that it keeps.

use super::files::{File, Options, Precision};
use super::memory;
use super::plan::Parts;

/// The rules of MISRA C:2012 that `cppcheck --addon=misra` (2.10) can check, and reports nothing of.
pub const MISRA_KEPT: &str = "1.4 2.2 2.3 2.4 2.7 3.1 3.2 4.1 4.2 5.1 5.2 5.4 5.5 5.6 5.7 5.8 5.9 6.1 6.2 7.1 7.3 7.4 \
    8.1 8.2 8.4 8.5 8.6 8.8 8.10 8.11 8.12 8.14 9.2 9.4 9.5 10.1 10.2 10.3 10.4 10.5 10.6 10.7 11.1 11.2 11.3 11.4 \
    11.5 11.6 11.7 11.8 11.9 12.2 12.3 12.4 13.1 13.3 13.4 13.5 13.6 14.1 14.2 14.4 15.1 15.2 15.3 15.4 15.5 15.6 \
    15.7 16.1 16.2 16.3 16.4 16.5 16.6 16.7 17.1 17.2 17.3 17.6 17.7 17.8 18.4 18.5 18.7 18.8 19.2 20.1 20.2 20.3 20.4 \
    20.5 20.7 20.8 20.9 20.10 20.11 20.12 20.13 20.14 21.1 21.2 21.3 21.4 21.5 21.6 21.7 21.8 21.9 21.10 21.11 21.12 \
    21.14 21.16 21.19 21.20 21.21 22.5 22.7 22.8 22.9 22.10";

/// The rules that the code deviates from, each with where and why.
pub const MISRA_DEVIATIONS: [(&str, &str, &str); 8] = [
    ("2.5", "the header", "macros that this file does not use: the status codes are for the caller"),
    ("7.2", "the mathematics", "reported for the macro UINT64_C, which adds the suffix itself"),
    (
        "8.7",
        "all",
        "functions that their own file alone calls, but others may: `_reset`, `_apply_parameters`, `simulate_ln`",
    ),
    ("8.9", "all", "coefficients and tables stand before the function that uses them"),
    ("9.3", "the mathematics", "arrays that are set to zero by their first element"),
    ("10.8", "the mathematics", "bits of an exponent are computed as integers and then shifted into a number"),
    ("12.1", "the step", "reported for a sum in parentheses that is one of the two values of a choice"),
    ("21.15", "the mathematics", "`memcpy` between a number and its bits, which is the one way that C defines"),
];

/// Returns the page.
pub fn page(parts: &Parts, model: &str, options: &Options, files_made: &[File]) -> File {
    let mut text =
        format!("# {model}\n\nC99 code, written by simulate {} from the diagram.\n\n", env!("CARGO_PKG_VERSION"));
    text.push_str("## Files\n\n| file | contents |\n|---|---|\n");
    let mut files = vec![
        (format!("{model}.h"), "the instance and the functions for the caller"),
        (format!("{model}.c"), "the step"),
    ];
    if !options.is_single_file {
        files
            .push(("simulate_math.h, simulate_math.c".to_owned(), "the mathematics; nothing else is linked but `-lm`"));
    }
    files.extend([
        (format!("{model}_main.c"), "a test bench for a computer: runs the steps and prints the outputs"),
        ("Makefile, CMakeLists.txt".to_owned(), "build the test bench and a library"),
        (format!("{model}.trace.html, {model}.trace.json"), "from each block to its lines of the code and back"),
    ]);
    files.iter().for_each(|(name, about)| text.push_str(&format!("| {name} | {about} |\n")));
    let (delta, macros) = (parts.code.delta, model.to_uppercase());
    let apply = match super::header::has_apply(parts) && !options.inlines_parameters {
        true => format!("After a change of `instance.parameters`, call `{model}_apply_parameters(&instance)`. "),
        false => String::new(),
    };
    text.push_str(&format!(
        "\n## Use\n\n```c\nstatic {model}_t instance;\n\n{model}_init(&instance);\nwhile (...) {{ /* every {delta} s */\n    \
         instance.inputs... = ...;\n    if ({model}_step(&instance) != {macros}_STATUS_OK) ...\n    \
         ... = instance.outputs...;\n}}\n```\n\n{apply}`{model}_selftest()` returns 0 if compiler and machine compute as \
         the code needs it. There are as many instances as variables; no function allocates memory, calls itself, or \
         uses a global variable.\n"
    ));
    text.push_str(&interface(parts, options.precision));
    let made = |end: &str| {
        let name = format!("{model}.{end}");
        files_made.iter().find(|file| file.name == name).map_or("", |file| &file.text)
    };
    text.push_str(&format!(
        "\n## Memory\n\nAn instance has {} bytes, and what the compiler leaves between its members. A step has at most {} bytes \
         of variables on the stack, beside what the compiler saves there; functions such as `sin` and `pow` need up to \
         700 bytes more. Tables and the values of the parameters in the diagram are constants, which stay in flash memory.\n",
        memory::instance(made("h")),
        memory::variables_of_step(made("c"), model),
    ));
    text.push_str(match options.precision {
        Precision::Double => {
            "\n## Results\n\nThe outputs have the bits of the simulation, with any compiler at any level of optimisation that \
             keeps IEEE 754: the files refuse `-ffast-math`. `simulate export … --verify` compares them.\n"
        }
        Precision::Single => {
            "\n## Results\n\nThe code is in single precision, so that its outputs are not those of the simulation, though \
             they are the same with every compiler. Functions such as `sin` are those of double precision, rounded; \
             a processor without double precision computes these slowly. Step numbers and counters are exact up \
             to 16,777,216. `simulate export … --float --verify` measures the error, and adds it to this page.\n"
        }
    });
    text.push_str(
        "\n## MISRA C:2012\n\nThe code is written to these rules; that is no statement of compliance. The test bench is not \
         meant for a device and is left out. `cppcheck --addon=misra` (2.10) finds nothing against the rules\n\n",
    );
    text.push_str(MISRA_KEPT);
    text.push_str("\n\nDeviations:\n\n| rule | where | why |\n|---|---|---|\n");
    for (rule, location, why) in MISRA_DEVIATIONS {
        text.push_str(&format!("| {rule} | {location} | {why} |\n"));
    }
    File { name: format!("{model}.md"), text }
}

/// The inputs and outputs as a table.
fn interface(parts: &Parts, precision: Precision) -> String {
    let mut text =
        format!("\nAll numbers are of the type `{}`.\n\n| member | elements |\n|---|---|\n", precision.name());
    let inputs = parts.inputs.iter().map(|input| ("inputs", &input.name, input.width));
    let outputs = parts.outputs.iter().map(|output| ("outputs", &output.name, output.width));
    inputs.chain(outputs).for_each(|(part, name, width)| text.push_str(&format!("| {part}.{name} | {width} |\n")));
    text
}
