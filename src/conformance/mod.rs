//! Conformance tests for blocks, formats, engines and solvers, including those of other crates.
//!
//! Each function returns the errors that it found; a test expects none:
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
//! | module | what it tests |
//! |---|---|
//! | `block` | the definition is complete, its examples are correct, and it gives the same bits on every engine for all inputs |
//! | `engine` | it gives the bits of the reference engine, in chunks, after parameter changes and after the change to machine code |
//! | `format` | a simulation survives saving and loading, and a damaged file causes no panic |
//! | `solver` | it has the declared order, and a step depends only on its arguments |
//! | `bench` | the test bench for one block |
//! | `motion` | the same with varying signals, surrounding states, and calls of many steps |

mod bench;
mod block;
mod engine;
mod format;
mod located;
mod motion;
mod solver;

pub use block::{NASTY, block};
pub use engine::engine;
pub use format::format;
#[doc(hidden)]
pub use located::located_kernels;
pub use solver::solver;

/// A violation of the rules that a test checks: a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
struct NonConformance(String);

impl NonConformance {
    fn new(text: impl Into<String>) -> NonConformance {
        NonConformance(text.into())
    }
}

/// Simulations in the XML format that together use most features.
const EXAMPLES: [(&str, &str); 5] = [
    ("dc_motor", include_str!("../../assets/examples/dc_motor.simx")),
    ("thermostat", include_str!("../../assets/examples/thermostat.simx")),
    ("am_radio", include_str!("../../assets/examples/am_radio.simx")),
    ("mass_spring_chain", include_str!("../../assets/examples/mass_spring_chain.simx")),
    ("fibonacci", include_str!("../../assets/examples/fibonacci.simx")),
];
