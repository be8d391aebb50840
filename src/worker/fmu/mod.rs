//! The code of an FMU in the process of a worker. Nothing here runs in another process.
//!
//! | module | what lives there |
//! |---|---|
//! | `service` | requests as calls of an FMU |
//! | `groups` | values of signals as values of typed variables |
//! | `library` | loads the library and its functions; the log |
//! | `two`, `three` | the functions of FMI 2.0 and 3.0 |
//! | `streams` | takes the standard streams away from the code |

mod groups;
mod library;
mod service;
mod streams;
mod three;
mod two;

pub(super) use service::FmuService;
pub(super) use streams::take_pipes;
