//! The mathematics in C: the functions that the code calls, and what they need.
//!
//! The pieces in `math/` are the same arithmetic as [`crate::block::math`], operation by operation. A piece begins with
//! its name and those of the pieces that it needs.

use std::collections::BTreeSet;

use super::single::single;

/// A part of the mathematics: a few functions that are of no use alone.
struct Piece {
    name: &'static str,
    needs: Vec<&'static str>,
    text: &'static str,
}

/// Each after those that it needs.
const FILES: [&str; 9] = [
    include_str!("math/pair.c"),
    include_str!("math/exp.c"),
    include_str!("math/log.c"),
    include_str!("math/power.c"),
    include_str!("math/arc.c"),
    include_str!("math/trig.c"),
    include_str!("math/other.c"),
    include_str!("math/curve.c"),
    include_str!("math/factors.c"),
];

/// The functions of [`Mathematics`] as C: declarations and definitions.
pub struct Mathematics {
    /// Macros for those that call the functions.
    pub macros: String,
    pub declarations: String,
    pub definitions: String,
}

/// Returns the pieces with these names, and all that they need.
pub fn mathematics(names: &BTreeSet<&'static str>) -> Mathematics {
    let pieces = pieces();
    let mut wanted: BTreeSet<&str> = names.clone();
    // Each piece stands after those that it needs.
    for piece in pieces.iter().rev() {
        if wanted.contains(piece.name) {
            wanted.extend(&piece.needs);
        }
    }
    let mut found = Mathematics { macros: String::new(), declarations: String::new(), definitions: String::new() };
    for piece in pieces.iter().filter(|piece| wanted.contains(piece.name)) {
        let (macros, text) = parts_of(piece);
        found.macros.push_str(&macros);
        found.definitions.push_str(&text);
        for line in piece.text.lines().filter(|line| is_public(line)) {
            found.declarations.push_str(line);
            found.declarations.push_str(";\n");
        }
    }
    found
}

/// Functions that are written in single precision themselves: comparisons, which are exact, and interpolation. All others are the
/// functions of double precision, rounded, so that they are right to the last bit but one, and the same everywhere.
const IN_SINGLE: [&str; 7] = ["sign", "min", "max", "is_nan", "index", "past", "curve"];

/// Returns the mathematics of code in single precision: functions that end with `f`.
pub fn mathematics_in_single(names: &BTreeSet<&'static str>) -> Mathematics {
    let mut own: BTreeSet<&str> = names.iter().copied().filter(|name| IN_SINGLE.contains(name)).collect();
    for (name, needed) in [("past", "index"), ("curve", "is_nan")] {
        if own.contains(name) {
            own.insert(needed);
        }
    }
    let rounded: BTreeSet<&'static str> = names.iter().copied().filter(|name| !IN_SINGLE.contains(name)).collect();
    let mut found = mathematics(&rounded);
    for piece in pieces().iter().filter(|piece| own.contains(piece.name)) {
        let (macros, text) = parts_of(piece);
        found.macros.push_str(&macros);
        found.definitions.push_str(&single(&text, |name| own.contains(name)));
    }
    let double = std::mem::take(&mut found.declarations);
    for line in double.lines().filter(|line| names.iter().any(|name| line.contains(&format!(" simulate_{name}(")))) {
        found.definitions.push_str(&rounding(line));
    }
    for line in found.definitions.clone().lines().filter(|line| is_public_in_single(line)) {
        found.declarations.push_str(line);
        found.declarations.push_str(";\n");
    }
    // The functions of double precision call each other.
    found.declarations.insert_str(0, &double);
    found
}

/// The function of single precision for one of double precision, given by its declaration.
fn rounding(declaration: &str) -> String {
    let head = single(declaration.trim_end_matches(';'), |_| true);
    let name = declaration.split(['(', ' ']).nth(1).unwrap_or_default();
    let arguments = declaration.split(['(', ')']).nth(1).unwrap_or_default().split(", ");
    let arguments: Vec<String> = arguments
        .filter_map(|argument| argument.split_once(' '))
        .map(|(kind, name)| if kind == "double" { format!("(double){name}") } else { name.to_owned() })
        .collect();
    let call = format!("(float){name}({})", arguments.join(", "));
    match name {
        // It is below 1, and must not become 1 by rounding.
        "simulate_random" => {
            format!("{head}\n{{\n    const float u = {call};\n    return (u < 1.0F) ? u : 0x1.fffffep-1F;\n}}\n\n")
        }
        _ => format!("{head}\n{{\n    return {call};\n}}\n\n"),
    }
}

fn is_public_in_single(line: &str) -> bool {
    let is_float = line.starts_with("float simulate_");
    is_float || (line.contains("f(float ") && is_public(line))
}

/// Whether a line begins a function that others may call.
fn is_public(line: &str) -> bool {
    ["double simulate_", "bool simulate_", "uint32_t simulate_", "void simulate_"]
        .iter()
        .any(|start| line.starts_with(start))
}

/// The macros of a piece for those that call it, and the rest.
fn parts_of(piece: &Piece) -> (String, String) {
    let (macros, rest): (Vec<&str>, Vec<&str>) =
        piece.text.lines().partition(|line| line.starts_with("#define SIMULATE_"));
    let text = |lines: Vec<&str>| lines.into_iter().map(|line| format!("{line}\n")).collect();
    (text(macros), text(rest))
}

fn pieces() -> Vec<Piece> {
    let texts = FILES.iter().flat_map(|file| file.split("//@ ").skip(1));
    let pieces = texts.map(|text| {
        let (head, text) = text.split_once('\n').unwrap_or((text, ""));
        let (name, needs) = head.split_once(':').unwrap_or((head, ""));
        Piece { name: name.trim(), needs: needs.split_whitespace().collect(), text }
    });
    pieces.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_needs_only_earlier_ones() {
        let mut known = BTreeSet::new();
        for piece in pieces() {
            for need in piece.needs {
                assert!(known.contains(need), "{} needs {need}", piece.name);
            }
            assert!(known.insert(piece.name), "{} is unique", piece.name);
        }
    }
}
