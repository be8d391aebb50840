//! The mathematics in C: the functions that the code calls, and what they need.
//!
//! The pieces in `math/` are the same arithmetic as [`crate::block::math`], operation by operation. A piece begins with
//! its name and those of the pieces that it needs.

use std::collections::BTreeSet;

/// A part of the mathematics: a few functions that are of no use alone.
struct Piece {
    name: &'static str,
    needs: Vec<&'static str>,
    text: &'static str,
}

/// Each after those that it needs.
const FILES: [&str; 7] = [
    include_str!("math/pair.c"),
    include_str!("math/exp.c"),
    include_str!("math/log.c"),
    include_str!("math/power.c"),
    include_str!("math/arc.c"),
    include_str!("math/trig.c"),
    include_str!("math/other.c"),
];

/// The functions of [`Mathematics`] as C: declarations and definitions.
pub struct Mathematics {
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
    let mut found = Mathematics { declarations: String::new(), definitions: String::new() };
    for piece in pieces.iter().filter(|piece| wanted.contains(piece.name)) {
        found.definitions.push_str(piece.text);
        for line in piece.text.lines().filter(|line| is_public(line)) {
            found.declarations.push_str(line);
            found.declarations.push_str(";\n");
        }
    }
    found
}

/// Whether a line begins a function that others may call.
fn is_public(line: &str) -> bool {
    ["double simulate_", "bool simulate_", "uint32_t simulate_"].iter().any(|start| line.starts_with(start))
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
