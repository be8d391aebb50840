//! `simulate worker`: runs foreign code for another process of this program.

use std::io::{IsTerminal, stdin};
use std::process::ExitCode;

use super::output::{UNREADABLE, complain};

pub fn run() -> ExitCode {
    if stdin().is_terminal() {
        complain("error: a worker is started by another process, which speaks to it on pipes");
        return ExitCode::from(UNREADABLE);
    }
    crate::worker::run()
}
