//! The report that a user sends with a question: the program, the machine, the size of the document, and the log.
//! What the document says is in it only if the user wants that.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::log::CONTENT;
use crate::model::{Diagnostic, Simulation};

/// The number of lines of the log.
pub const LINES: usize = 200;

/// What a report is made of.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Name and value.
    pub facts: Vec<(&'static str, String)>,
    pub log: Vec<String>,
    /// The open document as a .simx file.
    pub document: Option<String>,
}

/// What of the user's own a report contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Includes {
    /// Names, messages and paths in the log.
    pub names: bool,
    /// The document.
    pub document: bool,
}

impl Report {
    pub fn text(&self, includes: Includes) -> String {
        let mut text = String::new();
        for (name, value) in &self.facts {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name}: {value}");
        }
        text.push_str("\nLog\n");
        if self.log.is_empty() {
            text.push_str("(none)\n");
        }
        for line in &self.log {
            let line = if includes.names { line } else { without_content(line) };
            text.push_str(line);
            text.push('\n');
        }
        if let Some(document) = self.document.as_ref().filter(|_| includes.document) {
            let _ = write!(text, "\nThe open simulation\n{document}");
        }
        text
    }
}

fn without_content(line: &str) -> &str {
    line.split_once(&format!(" {CONTENT}=")).map_or(line, |(begin, _)| begin)
}

/// Returns what is the same for every document: the program and the machine.
pub fn facts_of_machine() -> Vec<(&'static str, String)> {
    let build = if cfg!(debug_assertions) { "debug build" } else { "release build" };
    let variable = |name: &str| std::env::var(name).unwrap_or_else(|_| "unknown".to_owned());
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let mut facts = vec![
        ("Simulate", format!("{}, {build}", env!("CARGO_PKG_VERSION"))),
        ("System", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
        ("Processors", processors.to_string()),
    ];
    if cfg!(target_os = "linux") {
        facts.push(("Desktop", format!("{}, {}", variable("XDG_CURRENT_DESKTOP"), variable("XDG_SESSION_TYPE"))));
    }
    facts
}

/// Returns the size of a document and its problems by code.
pub fn facts_of_document(simulation: &Simulation, diagnostics: &[Diagnostic]) -> Vec<(&'static str, String)> {
    let models = simulation.models.values();
    let (blocks, wires) =
        models.fold((0, 0), |(blocks, wires), model| (blocks + model.blocks.len(), wires + model.connections.len()));
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    diagnostics.iter().for_each(|found| *codes.entry(found.code).or_default() += 1);
    let problems: Vec<String> = codes.iter().map(|(code, count)| format!("{count} {code}")).collect();
    vec![
        ("Document", format!("models {}, blocks {blocks}, wires {wires}", simulation.models.len())),
        ("Solver", simulation.solver().to_owned()),
        ("Steps", format!("{} of {} s", simulation.steps, simulation.delta)),
        ("Problems", if problems.is_empty() { "none".to_owned() } else { problems.join(", ") }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_users_own_is_in_a_report_only_if_wanted() {
        let report = Report {
            facts: vec![("Simulate", "1".to_owned())],
            log: vec!["INFO opened blocks=3 content=\"/home/ada/secret.simx\"".to_owned(), "INFO run".to_owned()],
            document: Some("<simulation/>".to_owned()),
        };
        let plain = report.text(Includes::default());
        assert_eq!(plain, "Simulate: 1\n\nLog\nINFO opened blocks=3\nINFO run\n");
        assert!(report.text(Includes { names: true, document: false }).contains("secret"));
        assert!(report.text(Includes { names: false, document: true }).ends_with("<simulation/>"));
    }
}
