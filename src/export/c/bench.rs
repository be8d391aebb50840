//! The test bench of the code, and the files that build it.

use super::files::{File, Options, Precision};
use super::plan::Parts;
use crate::block::{SignalType, element_names};

/// Returns the test bench, the Makefile and the CMake file.
pub fn files(parts: &Parts, model: &str, options: &Options) -> Vec<File> {
    let sources = if options.is_single_file { format!("{model}.c") } else { format!("{model}.c simulate_math.c") };
    let replace = |text: &str| filled(text, &[("MODEL", model), ("SOURCES", &sources)]);
    let file = |name: &str, text: String| File { name: name.to_owned(), text };
    vec![
        file(&format!("{model}_main.c"), bench(parts, model, options.precision)),
        file("Makefile", replace(MAKEFILE)),
        file("CMakeLists.txt", replace(CMAKE)),
    ]
}

const MAKEFILE: &str = "\
# -ffp-contract=off keeps the bits of the simulation.
CC ?= cc
CFLAGS ?= -O2
FLAGS = -std=c99 -ffp-contract=off -Wall -Wextra -Wconversion -Wpedantic

@MODEL@_main: @MODEL@_main.c @SOURCES@ @MODEL@.h
\t$(CC) $(CFLAGS) $(FLAGS) -o @MODEL@_main @MODEL@_main.c @SOURCES@ -lm

clean:
\trm -f @MODEL@_main
";

const CMAKE: &str = "\
cmake_minimum_required(VERSION 3.10)
project(@MODEL@ C)
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_EXTENSIONS OFF)
if(NOT MSVC)
    # Keeps the bits of the simulation.
    add_compile_options(-ffp-contract=off)
endif()
add_library(@MODEL@ @SOURCES@)
target_include_directories(@MODEL@ PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
add_executable(@MODEL@_main @MODEL@_main.c)
target_link_libraries(@MODEL@_main @MODEL@)
if(UNIX)
    target_link_libraries(@MODEL@ m)
endif()
";

/// Replaces each `@WORD@` of a template.
fn filled(template: &str, words: &[(&str, &str)]) -> String {
    let mut parts = template.split('@');
    let mut text = parts.next().unwrap_or_default().to_owned();
    while let (Some(word), Some(rest)) = (parts.next(), parts.next()) {
        text.push_str(words.iter().find(|(known, _)| *known == word).map_or("", |(_, text)| text));
        text.push_str(rest);
    }
    text
}

/// A text as a string literal of C.
fn quoted(text: &str) -> String {
    let mut made = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => made.extend(['\\', byte as char]),
            b' '..=b'~' => made.push(byte as char),
            _ => made.push_str(&format!("\\{byte:03o}")),
        }
    }
    made.push('"');
    made
}

/// Statements that print a text, each with a literal of a length that every compiler takes.
fn head_lines(text: &str) -> String {
    const LENGTH: usize = 80;
    let characters: Vec<char> = text.chars().collect();
    let pieces = characters.chunks(LENGTH).map(|piece| quoted(&piece.iter().collect::<String>()));
    pieces.map(|piece| format!("    (void)fputs({piece}, stdout);\n")).collect()
}

/// A field of a table of comma-separated values.
fn field(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

fn bench(parts: &Parts, model: &str, precision: Precision) -> String {
    let (wide, narrow) = match precision {
        Precision::Double => ("", ""),
        Precision::Single => ("(double)", "(float)"),
    };
    let mut head = "step,time".to_owned();
    let mut prints = String::new();
    for output in &parts.outputs {
        for element in element_names(&output.title, &output.signal_type()) {
            head.push(',');
            head.push_str(&field(&element));
        }
        let member = format!("self.outputs.{}", output.name);
        let line = match (output.cells.count == 0, output.width) {
            (true, width) => format!("    (void)fputs({}, stdout);\n", quoted(&",".repeat(width as usize))),
            (false, 1) => format!("    print_number({wide}{member});\n"),
            (false, width) => {
                format!(
                    "    for (uint32_t i = 0U; i < {width}U; i++) {{\n        print_number({wide}{member}[i]);\n    }}\n"
                )
            }
        };
        prints.push_str(&line);
    }
    let mut inputs = String::new();
    let mut number = 0;
    for input in &parts.inputs {
        for (element, name) in
            element_names(&input.name, &SignalType::plain(input.width as usize)).into_iter().enumerate()
        {
            let index = if input.width == 1 { String::new() } else { format!("[{element}]") };
            inputs.push_str(&format!(
                "    if (strcmp(name, {}) == 0) {{\n        place = &self.inputs.{}{index};\n    }}\n",
                quoted(&name),
                input.name
            ));
            number += 1;
        }
    }
    let reading = filled(READING, &[("PLACES", &inputs), ("REAL", precision.name()), ("NARROW", narrow)]);
    let status = format!("{}_STATUS", model.to_uppercase());
    let delta = super::number::literal(parts.code.delta);
    let heads = head_lines(&(head + "\n"));
    let mut words =
        vec![("HEADS", &*heads), ("PRINTS", &prints), ("DELTA", &delta), ("STATUS", &status), ("MODEL", model)];
    words.extend(match number {
        0 => [("READING", ""), ("OPENING", NO_INPUTS), ("NEXT", ""), ("CLOSING", "")],
        _ => [("READING", &*reading), ("OPENING", OPENING), ("NEXT", NEXT), ("CLOSING", CLOSING)],
    });
    filled(BENCH, &words)
}

const BENCH: &str = r#"/* Runs the model and prints its outputs, one line a step, as `simulate run --out X.csv --hex` writes them:

       @MODEL@_main N [inputs.csv]

   N is the number of steps. The first line of inputs.csv has the names of inputs; each further line has their values in
   one step, and the last line stays in force. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "@MODEL@.h"

static @MODEL@_t self;

/* Prints a comma and a number as C99's %a with the digits that are needed, the same in every library. */
static void print_number(double value)
{
    uint64_t bits;
    (void)memcpy(&bits, &value, sizeof bits);
    const int biased = (int)((bits >> 52U) & 0x7FFU);
    uint64_t fraction = bits & UINT64_C(0xFFFFFFFFFFFFF);
    const char *sign = ((bits >> 63U) != 0U) ? "-" : "";
    if ((biased == 0x7FF) && (fraction != 0U)) {
        (void)fputs(",nan", stdout);
    } else if (biased == 0x7FF) {
        (void)printf(",%sinf", sign);
    } else {
        int digits = 13;
        int exponent = biased - 1023;
        if (biased == 0) {
            exponent = (fraction == 0U) ? 0 : -1022;
        }
        while ((digits > 0) && ((fraction & 0xFU) == 0U)) {
            fraction >>= 4U;
            digits--;
        }
        (void)printf(",%s0x%d", sign, (biased == 0) ? 0 : 1);
        if (digits > 0) {
            (void)printf(".%0*" PRIx64, digits, fraction);
        }
        (void)printf("p%+d", exponent);
    }
}

static void print_step(void)
{
    (void)printf("%" PRIu64, (uint64_t)self.step - 1U);
    print_number((double)(self.step - 1U) * @DELTA@);
@PRINTS@    (void)putchar('\n');
}
@READING@
int main(int count, char *arguments[])
{
    if (count < 2) {
        (void)fputs("usage: @MODEL@_main N [inputs.csv]\n", stderr);
        return 2;
    }
    const uint64_t steps = (uint64_t)strtoull(arguments[1], NULL, 10);
    const int32_t fault = @MODEL@_selftest();
    if (fault != 0) {
        (void)fprintf(stderr, "selftest: fault %" PRId32 ": see @MODEL@_selftest\n", fault);
        return 2;
    }
    @MODEL@_init(&self);
@OPENING@@HEADS@    int32_t status = @STATUS@_OK;
    while ((self.step < steps) && (status == @STATUS@_OK)) {
@NEXT@        status = @MODEL@_step(&self);
        if (status < @STATUS@_TOO_MANY_RUNS) {
            print_step();
        }
    }
@CLOSING@    if (status == @STATUS@_TOO_MANY_RUNS) {
        (void)fputs("a part would run more often than its limit\n", stderr);
    }
    if (status == @STATUS@_NOT_SOLVED) {
        (void)fputs("the solver finds no new states; take a shorter step\n", stderr);
    }
    return ((status == @STATUS@_OK) || (status == @STATUS@_FINISHED)) ? 0 : 1;
}
"#;

const NO_INPUTS: &str = r#"    if (count > 2) {
        (void)fputs("the model has no inputs\n", stderr);
        return 2;
    }
"#;

const OPENING: &str = r#"    FILE *inputs = NULL;
    if (count > 2) {
        inputs = fopen(arguments[2], "r");
        if (inputs == NULL) {
            perror(arguments[2]);
            return 2;
        }
        read_names(inputs);
    }
"#;

const READING: &str = r#"
static char line[1U << 20U];
static @REAL@ *places[1U << 12U];
static size_t place_count = 0U;

/* Returns the place of an input, or NULL for a column that is none. */
static @REAL@ *place_of(const char *name)
{
    @REAL@ *place = NULL;
@PLACES@    return place;
}

static void read_names(FILE *inputs)
{
    if (fgets(line, (int)sizeof line, inputs) != NULL) {
        for (char *name = strtok(line, ",\r\n"); (name != NULL) && (place_count < (sizeof places / sizeof places[0]));
             name = strtok(NULL, ",\r\n")) {
            places[place_count] = place_of(name);
            if ((places[place_count] == NULL) && (strcmp(name, "step") != 0) && (strcmp(name, "time") != 0)) {
                (void)fprintf(stderr, "no input is called %s\n", name);
            }
            place_count++;
        }
    }
}

static void read_inputs(FILE *inputs)
{
    if (fgets(line, (int)sizeof line, inputs) != NULL) {
        char *rest = line;
        for (size_t column = 0U; column < place_count; column++) {
            char *end = rest;
            const double value = strtod(rest, &end);
            if ((places[column] != NULL) && (end != rest)) {
                *places[column] = @NARROW@value;
            }
            rest = end;
            if (*rest == ',') {
                rest++;
            }
        }
    }
}
"#;

const NEXT: &str = r#"        if (inputs != NULL) {
            read_inputs(inputs);
        }
"#;

const CLOSING: &str = r#"    if (inputs != NULL) {
        (void)fclose(inputs);
    }
"#;
