//! FMUs: the C code of a simulation behind the functions of the Functional Mock-up Interface, with a description.
//!
//! An FMU is an archive with the description, the sources and, where a compiler is there, a binary. This module writes
//! the texts; who calls it compiles and packs them.
//!
//! Co-simulation steps the code of [`super::c`], so that it has the bits of the simulation. A model whose states are all
//! continuous is for model exchange, too, with exact derivatives. All variables are real numbers.
//!
//! | module | contents |
//! |---|---|
//! | `variables` | the variables, each with its place among the values of an instance |
//! | `units` | the units of measurement that are known |
//! | `description` | `modelDescription.xml` and `buildDescription.xml` |
//! | `structure` | which variables depend on which |
//! | `glue` | the header that connects the code of the model with the functions of the standard |
//! | `c/` | these functions in C |

mod description;
mod glue;
mod structure;
mod units;
mod variables;

use std::sync::Arc;

use super::c::{self, Continuous, Interface, Options, Refusal};
use crate::block::Registry;
use crate::engine::{Program, compile};
use crate::model::Simulation;

pub use self::variables::{Role, Variable, Variables};

/// The version of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    Two,
    Three,
}

/// The texts of an FMU.
#[derive(Clone, Debug)]
pub struct Fmu {
    /// The model identifier: the name of the binary without its ending.
    pub name: String,
    /// The identity of the contents, which the binary checks: `{…}` with 32 hexadecimal digits.
    pub token: String,
    /// The files by their paths in the archive.
    pub files: Vec<(String, String)>,
    /// The names of the files in `sources/` that are compiled together.
    pub sources: Vec<String>,
    pub has_model_exchange: bool,
}

/// The parts from which the files of an FMU are written.
struct Parts<'a> {
    version: Version,
    /// The name of the code, an identifier.
    name: &'a str,
    /// The name of the model for people.
    title: &'a str,
    program: &'a Program,
    simulation: &'a Simulation,
    interface: &'a Interface,
    continuous: Option<&'a Continuous>,
    variables: &'a Variables,
    sources: &'a [String],
}

/// Stands for the token until the contents are known.
const TOKEN: &str = "@TOKEN@";

const INSTANCE: &str = include_str!("c/fmu_instance.h");
const STATE: &str = include_str!("c/fmu_state.h");
const TYPES: [&str; 2] = [include_str!("c/fmu_fmi2.h"), include_str!("c/fmu_fmi3.h")];
const FUNCTIONS: [&str; 2] = [include_str!("c/fmi2Functions.c"), include_str!("c/fmi3Functions.c")];

/// The same diagram, compiled for a solver that locates zero crossings, and the values of its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Located<'a> {
    pub program: &'a Program,
    pub params: &'a [f64],
}

impl Located<'_> {
    /// A solver that locates zero crossings.
    const SOLVER: &'static str = "dopri45";

    /// Compiles a diagram for model exchange; `None` if it does not compile.
    pub fn program(simulation: &Simulation, registry: &Registry) -> Option<Arc<Program>> {
        let mut simulation = simulation.clone();
        simulation.attributes.set("solver", Located::SOLVER);
        compile(&simulation, registry).ok().map(Arc::new)
    }
}

/// Writes the texts of an FMU. It is for co-simulation with the program, and for model exchange with `located` if all of
/// that is continuous.
///
/// # Errors
/// If the program has a part that cannot be exported.
pub fn export(
    program: &Arc<Program>,
    located: Option<Located>,
    simulation: &Simulation,
    options: &Options,
    version: Version,
) -> Result<Fmu, Refusal> {
    let options = Options { is_single_file: true, ..options.clone() };
    let (code, interface) = c::described(program, simulation, &options)?;
    // A parameter that is a constant in the steps must not be the default of the program in the rates.
    let is_alike = |located: &Located| located.program.units.len() == program.units.len();
    let located = located.filter(|located| !options.inlines_parameters && is_alike(located));
    let continuous = located.and_then(|Located { program, params }| c::continuous(program, params, &code.name));
    let continuous = continuous.filter(|continuous| has_all(continuous, &interface));
    let variables = Variables::new(&interface, continuous.as_ref(), version);
    let number = version.number();
    let mut sources = vec![format!("fmi{number}Functions.c"), format!("{}.c", code.name)];
    sources.extend(continuous.iter().map(|continuous| continuous.files[1].name.clone()));
    let parts = Parts {
        version,
        name: &code.name,
        title: options.name,
        program,
        simulation,
        interface: &interface,
        continuous: continuous.as_ref(),
        variables: &variables,
        sources: &sources,
    };
    let source = |name: &str, text: &str| (format!("sources/{name}"), text.to_owned());
    let mut files = vec![
        ("modelDescription.xml".to_owned(), description::model_description(&parts)),
        ("documentation/index.html".to_owned(), description::documentation(&parts)),
    ];
    let names = [format!("{}.c", code.name), format!("{}.h", code.name)];
    files
        .extend(code.files.iter().filter(|file| names.contains(&file.name)).map(|file| source(&file.name, &file.text)));
    files.extend(continuous.iter().flat_map(|found| &found.files).map(|file| source(&file.name, &file.text)));
    files.push(source("fmu_model.h", &glue::model_header(&parts)));
    files.push(source("fmu_instance.h", INSTANCE));
    files.push(source("fmu_state.h", STATE));
    files.push(source(&format!("fmu_fmi{number}.h"), TYPES[number - 2]));
    files.push(source(&format!("fmi{number}Functions.c"), FUNCTIONS[number - 2]));
    if version == Version::Three {
        files.push(source("buildDescription.xml", &description::build_description(&parts)));
    }
    let token = token(&files);
    for (_, text) in &mut files {
        *text = text.replace(TOKEN, &token);
    }
    Ok(Fmu { name: code.name, token, files, sources, has_model_exchange: continuous.is_some() })
}

/// Whether the code has the states and outputs that the steps have.
fn has_all(continuous: &Continuous, interface: &Interface) -> bool {
    let is_there = |indices: &c::ElementIndices, quantities: &[c::Quantity]| {
        let mut widths = quantities.iter().map(|quantity| (quantity.key, quantity.width as usize));
        indices.len() == quantities.len()
            && widths.all(|(key, width)| indices.get(&key).is_some_and(|elements| elements.len() == width))
    };
    is_there(&continuous.states, &interface.continuous) && is_there(&continuous.outputs, &interface.outputs)
}

impl Version {
    pub fn number(self) -> usize {
        match self {
            Version::Two => 2,
            Version::Three => 3,
        }
    }
}

/// Returns the identity of the contents in the form of a GUID: their hash by FNV-1a with 128 bits.
fn token(files: &[(String, String)]) -> String {
    const BASIS: u128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
    let bytes = files.iter().flat_map(|(path, text)| path.bytes().chain([0]).chain(text.bytes()).chain([0]));
    let hash = bytes.fold(BASIS, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    let digits = format!("{hash:032x}");
    format!("{{{}-{}-{}-{}-{}}}", &digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_is_the_published_hash() {
        // FNV-1a of nothing is the basis; of two zero bytes it follows by hand: twice times the prime.
        let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        assert_eq!(token(&[]), "{6c62272e-07bb-0142-62b8-21756295c58d}");
        let one = token(&[file("a", "b")]);
        assert_ne!(one, token(&[file("ab", "")]), "the border between name and text counts");
        assert_eq!(one.len(), 38);
    }
}
