//! The parts of a document that concern its window: plots, dashboard, breakpoints, and the search in it. Plain data and
//! functions, without drawing.
//!
//! | module | contents |
//! |---|---|
//! | [`plots`] | the list of plots, the names of signals, the plots of scope blocks |
//! | [`dashboard`] | controls and instruments, in the dashboard panel and on the diagram |
//! | [`breakpoints`] | breakpoints on wires |
//! | [`requirements`] | the requirements on the response |
//! | [`derived`] | what is derived from the document, in one place |
//! | [`reader`] | the names of signals in attributes, and the models they lead to |
//! | `uses` | the text of a path to an instance |
//! | `arguments` | the arguments of code: parameters and inputs |
//! | `ports` | adding and removing the ports of a model |
//! | [`replace`] | replaces a text in all models |
//! | [`find`] | the search in the document |
//! | `advice` | suggested improvements |
//! | `import_lines` | what became of the blocks of a file of another program, and where they are now |
//! | `typed` | typed values |
//! | `signal_value` | the text of a signal's value |
//! | `remote` | what model blocks in workers cost, in words |
//! | `heat`, `curve` | execution times of blocks; the points of a recorded curve |
//! | `block_example` | the example of a block as a simulation |

pub(crate) mod advice;
pub mod arguments;
pub(crate) mod block_example;
pub mod breakpoints;
pub mod code_lines;
pub(crate) mod curve;
pub mod dashboard;
pub mod derived;
pub mod find;
pub(crate) mod heat;
pub mod import_lines;
pub mod plots;
pub(crate) mod ports;
pub mod reader;
pub(crate) mod remote;
pub mod replace;
pub mod requirements;
pub(crate) mod signal_value;
pub(crate) mod typed;
pub(crate) mod uses;
