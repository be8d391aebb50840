//! Exported FMUs, used as an importer does: by C programs that load them, and by fmpy where it is installed.
//!
//! | module | what is tried |
//! |---|---|
//! | `unpacked` | exports an FMU, unpacks it and reads its description |
//! | `steps` | co-simulation: bits, rules, the end of a run, memory |
//! | `slopes` | model exchange and derivatives |
//! | `description` | the description, the sources, what is refused |

mod description;
mod slopes;
mod steps;
mod unpacked;
