//! The report that a user sends with a question: the program, the machine, the size of the document, and the log.
//! The content of the document is included only if the user wants it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::log::{CONTENT, FULL, is_own};
use crate::model::{Diagnostic, Simulation};

/// The number of lines of the log.
pub const LINES: usize = 200;

/// The sources of a report.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Name and value.
    pub facts: Vec<(&'static str, String)>,
    pub log: Vec<String>,
    /// The open document as a .simx file.
    pub document: Option<String>,
}

/// The user's own content that a report contains.
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
        let lines = if includes.names { self.log.clone() } else { without_names(&self.log) };
        for line in lines {
            text.push_str(&line);
            text.push('\n');
        }
        if let Some(document) = self.document.as_ref().filter(|_| includes.document) {
            let _ = write!(text, "\nThe open simulation\n{document}");
        }
        text
    }
}

/// Returns the lines of a log without the field [`CONTENT`] and without the messages of libraries, which do not know
/// this field and may contain a name or a path. Of these messages the time, the level and the source are kept.
fn without_names(log: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    // Whether further lines of the current event are shown. False at first: the start of the event that the first lines
    // may belong to is not known.
    let mut is_shown = false;
    for line in log {
        let head = Head::of(line);
        let is_ours = head.as_ref().map_or(is_shown, |head| is_own(head.source));
        let (text, is_complete) = match head {
            _ if line == FULL => (line.clone(), false),
            _ if is_ours => match line.split_once(&format!(" {CONTENT}=")) {
                Some((begin, _)) => (begin.to_owned(), false),
                None => (line.clone(), true),
            },
            Some(head) => (format!("{} (a library's message is left out)", head.text()), false),
            None => continue,
        };
        is_shown = is_complete;
        kept.push(text);
    }
    kept
}

/// The start of an event in the log: `2026-05-01T12:00:00.000000Z  WARN simulate::app: `.
struct Head<'a> {
    time: &'a str,
    level: &'a str,
    /// The module that speaks, or the first span that it is in.
    source: &'a str,
}

impl Head<'_> {
    fn of(line: &str) -> Option<Head<'_>> {
        let mut words = line.split_ascii_whitespace();
        let (time, level) = (words.next()?, words.next()?);
        let is_time = time.starts_with(|c: char| c.is_ascii_digit()) && time.contains('T') && time.ends_with('Z');
        let is_head = is_time && ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"].contains(&level);
        is_head.then(|| Head { time, level, source: words.next().unwrap_or_default() })
    }

    /// Spans may have names of the user in them.
    fn text(&self) -> String {
        let is_module = self.source.chars().all(|c| c.is_ascii_alphanumeric() || "_:".contains(c));
        format!("{} {} {}", self.time, self.level, if is_module { self.source } else { "…" })
    }
}

/// Returns the part that does not depend on the document: the program and the machine.
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
            log: vec![
                "2026-05-01T12:00:00.1Z  INFO simulate::app: opened blocks=3 content=\"/home/ada/secret.simx\""
                    .to_owned(),
                "2026-05-01T12:00:01.1Z  INFO simulate::app: run".to_owned(),
            ],
            document: Some("<simulation/>".to_owned()),
        };
        const LOG: &str = "Simulate: 1\n\nLog\n2026-05-01T12:00:00.1Z  INFO simulate::app: opened blocks=3\n\
                           2026-05-01T12:00:01.1Z  INFO simulate::app: run\n";
        let plain = report.text(Includes::default());
        assert_eq!(plain, LOG);
        assert!(report.text(Includes { names: true, document: false }).contains("secret"));
        assert!(report.text(Includes { names: false, document: true }).ends_with("<simulation/>"));
    }

    /// Lines as tracing-subscriber writes them.
    #[test]
    fn what_libraries_say_is_the_users_own() {
        let log = [
            "at the end of an event whose begin is not here: /home/ada",
            "2026-05-01T12:00:00.1Z DEBUG egui_glow::painter: OpenGL 4.6",
            "2026-05-01T12:00:00.2Z  WARN zbus::connection: no answer of /home/ada/bus",
            "    and more of it: ada",
            "2026-05-01T12:00:00.3Z  WARN open{path=\"/home/ada\"}: rfd: no portal",
            "2026-05-01T12:00:00.4Z ERROR simulate::app: panic at src/a.rs:1",
            "3: simulate::main content=\"plant of ada\"",
            "    more of ada",
            "2026-05-01T12:00:00.5Z  WARN simulated: a crate with such a name: ada",
            FULL,
        ];
        let report = Report { log: log.map(str::to_owned).to_vec(), ..Report::default() };
        let want = [
            "2026-05-01T12:00:00.1Z DEBUG egui_glow::painter: OpenGL 4.6",
            "2026-05-01T12:00:00.2Z WARN zbus::connection: (a library's message is left out)",
            "2026-05-01T12:00:00.3Z WARN … (a library's message is left out)",
            "2026-05-01T12:00:00.4Z ERROR simulate::app: panic at src/a.rs:1",
            "3: simulate::main",
            "2026-05-01T12:00:00.5Z WARN simulated: (a library's message is left out)",
            FULL,
        ];
        assert_eq!(report.text(Includes::default()), format!("\nLog\n{}\n", want.join("\n")));
        let all = report.text(Includes { names: true, document: false });
        assert!(log.iter().all(|line| all.contains(line)));
    }
}
