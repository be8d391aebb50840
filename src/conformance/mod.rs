//! What every block, format, engine and solver keeps, as a suite that anybody runs on theirs.
//!
//! Each function returns the breaches it found, in words; none is what a test asks for:
//!
//! ```
//! use simulate::block::Registry;
//! use simulate::conformance;
//! use simulate::engine::Engines;
//! use simulate::format::Json;
//!
//! let (registry, engines) = (Registry::standard(), Engines::standard());
//! let gain = registry.get("Math", "Gain").expect("a block of the library");
//! assert_eq!(conformance::block(gain, &registry, &engines), [""; 0]);
//! assert_eq!(conformance::engine("flat", &engines, &registry), [""; 0]);
//! assert_eq!(conformance::format(&Json), [""; 0]);
//! ```
//!
//! | module | what it asks |
//! |---|---|
//! | `block` | is the row complete, are its examples true, does it give the same bits on every engine whatever comes in |
//! | `engine` | does it give the bits of the reference engine, in chunks, after parameter changes, and handed over |
//! | `format` | does a simulation come back as it was, and is every damaged file refused or read without a panic |
//! | `solver` | has it the order that it says, and does a step depend on nothing but what it is given |
//! | `bench` | a block alone, fed and read: what the first two run |
//! | `motion` | the same with signals that change in each step, states around it, and calls of many steps |

mod bench;
mod block;
mod engine;
mod format;
mod motion;
mod solver;

pub use block::block;
pub use engine::engine;
pub use format::format;
pub use solver::solver;

/// Simulations in the XML format that between them hold most of what there is.
const EXAMPLES: [(&str, &str); 5] = [
    ("dc_motor", include_str!("../../assets/examples/dc_motor.simx")),
    ("thermostat", include_str!("../../assets/examples/thermostat.simx")),
    ("am_radio", include_str!("../../assets/examples/am_radio.simx")),
    ("mass_spring_chain", include_str!("../../assets/examples/mass_spring_chain.simx")),
    ("fibonacci", include_str!("../../assets/examples/fibonacci.simx")),
];
