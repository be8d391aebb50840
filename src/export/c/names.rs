//! Names of the diagram as identifiers of C.

use std::collections::{BTreeMap, BTreeSet};

use super::reserved::{self, is_reserved};
use crate::engine::{Program, UnitId, UnitMap};
use crate::model::{BlockKind, Simulation, is_format_control, model_at};

/// The longest identifier that is made; a number may follow.
const LONGEST: usize = 48;

/// Letters of formulas and of German that have a spelling in Latin letters.
const SPELLED: [(char, &str); 31] = [
    ('α', "alpha"),
    ('β', "beta"),
    ('γ', "gamma"),
    ('δ', "delta"),
    ('ε', "epsilon"),
    ('ζ', "zeta"),
    ('η', "eta"),
    ('θ', "theta"),
    ('ι', "iota"),
    ('κ', "kappa"),
    ('λ', "lambda"),
    ('μ', "mu"),
    ('ν', "nu"),
    ('ξ', "xi"),
    ('ο', "omicron"),
    ('π', "pi"),
    ('ρ', "rho"),
    ('σ', "sigma"),
    ('τ', "tau"),
    ('υ', "upsilon"),
    ('φ', "phi"),
    ('χ', "chi"),
    ('ψ', "psi"),
    ('ω', "omega"),
    ('ϑ', "theta"),
    ('ϕ', "phi"),
    ('µ', "mu"),
    ('ä', "ae"),
    ('ö', "oe"),
    ('ü', "ue"),
    ('ß', "ss"),
];

/// Makes an identifier of lower-case letters, digits and underscores; empty if the text has no letter or digit.
pub fn identifier(text: &str) -> String {
    let mut made = String::new();
    let mut was_lower = false;
    let spelled = text.chars().flat_map(|character| {
        let lower = character.to_lowercase().next().unwrap_or(character);
        let known = SPELLED.iter().find(|(letter, _)| *letter == lower).map(|(_, text)| *text);
        known.map_or_else(|| vec![character], |text| text.chars().collect())
    });
    for character in spelled {
        if character.is_ascii_alphanumeric() {
            if character.is_ascii_uppercase() && was_lower {
                made.push('_');
            }
            made.push(character.to_ascii_lowercase());
        } else if !made.ends_with('_') && !made.is_empty() {
            made.push('_');
        }
        was_lower = character.is_ascii_lowercase() || character.is_ascii_digit();
        if made.len() >= LONGEST {
            break;
        }
    }
    let made = made.trim_matches('_').to_owned();
    match made.chars().next() {
        Some(first) if first.is_ascii_digit() => format!("n{made}"),
        _ => made,
    }
}

/// Whether no model may have this name.
pub fn is_taken(name: &str) -> bool {
    name.is_empty() || is_reserved(name)
}

/// Identifiers that are given once each.
#[derive(Debug)]
pub struct Names {
    given: BTreeSet<String>,
    next: BTreeMap<String, usize>,
}

impl Names {
    pub fn new() -> Names {
        Names { given: reserved::names().map(str::to_owned).collect(), next: BTreeMap::new() }
    }

    /// Returns the name, with a number behind it if it was given before.
    pub fn unique(&mut self, wanted: &str) -> String {
        let wanted = if wanted.is_empty() { "signal" } else { wanted };
        if self.given.insert(wanted.to_owned()) {
            return wanted.to_owned();
        }
        let next = self.next.entry(wanted.to_owned()).or_insert(2);
        loop {
            let name = format!("{wanted}_{next}");
            *next += 1;
            if self.given.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// The names of a unit in the code and in its comments.
#[derive(Clone, Debug)]
pub struct UnitName {
    /// An identifier that other units may have too, such as `plant_motor_3`.
    pub identifier: String,
    /// The path of its block and its kind, such as `Plant/Motor#3 (Math/Gain)`.
    pub comment: String,
    /// The path of its block, such as `Plant/Motor#3`.
    pub path: String,
}

/// Returns the names of all units.
pub fn unit_names(program: &Program, simulation: &Simulation) -> UnitMap<UnitName> {
    program.units.keys().map(|unit| unit_name(program, simulation, unit)).collect()
}

fn unit_name(program: &Program, simulation: &Simulation, unit: UnitId) -> UnitName {
    let address = program.block_of(unit);
    let (text, block, path) = (address.text(simulation), address.find(simulation), &address.path);
    let titles = (0..path.len()).map(|depth| {
        let block = model_at(simulation, &path[..depth]).and_then(|model| model.block(path[depth]));
        block.map_or("", |block| block.title())
    });
    let mut parts: Vec<String> = titles.map(identifier).collect();
    let kind = match block.map(|block| &block.kind) {
        Some(BlockKind::Library { group, name }) => format!("{group}/{name}"),
        Some(BlockKind::Entry { .. }) => "entry".to_owned(),
        Some(BlockKind::Exit { .. }) => "exit".to_owned(),
        _ => "model block".to_owned(),
    };
    let title = block.map_or("", |block| block.title());
    // A label without a letter or digit names nothing in C.
    let title = match (identifier(title).is_empty(), block) {
        (true, Some(block)) => block.kind.title(),
        _ => title,
    };
    let is_named =
        block.is_some_and(|block| title != block.kind.title() || !matches!(block.kind, BlockKind::Library { .. }));
    parts.push(identifier(title));
    if !is_named {
        parts.push(identifier(&address.block.to_string()).trim_start_matches('n').to_owned());
    }
    if program.units[unit].is_hidden {
        parts.push("control".to_owned());
    }
    parts.retain(|part| !part.is_empty());
    UnitName { identifier: identifier(&parts.join("_")), comment: comment(&format!("{text} ({kind})")), path: text }
}

/// Makes a text harmless in a comment: it does not end the comment, and does not make code look like another.
pub fn comment(text: &str) -> String {
    let is_shown = |character: char| !character.is_control() && !is_format_control(character);
    let shown: String = text.chars().map(|character| if is_shown(character) { character } else { ' ' }).collect();
    shown.replace("/*", "/ *").replace("*/", "* /").replace('\\', "/").replace("??", "? ?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_made_of_names_of_the_diagram() {
        for (text, expected) in [
            ("Motor Speed", "motor_speed"),
            ("MotorSpeed", "motor_speed"),
            ("PID", "pid"),
            ("3rd", "n3rd"),
            ("Größe σ", "groesse_sigma"),
            ("*/", ""),
            ("a--b", "a_b"),
        ] {
            assert_eq!(identifier(text), expected);
        }
    }

    #[test]
    fn a_name_is_given_once() {
        let mut names = Names::new();
        assert_eq!(
            ["speed", "speed", "speed_2", "int", ""].map(|name| names.unique(name)),
            ["speed", "speed_2", "speed_2_2", "int_2", "signal_2"]
        );
    }

    #[test]
    fn a_comment_cannot_end_early() {
        assert_eq!(comment("a*/b/*c\\\n??/"), "a* /b/ *c/ ? ?/");
    }
}
