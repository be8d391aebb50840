//! Readers of Scilab's diagrams: .zcos, which is an archive, and .xcos, its XML alone.
//!
//! | module | contents |
//! |---|---|
//! | `java` | the dictionary of an archive, with the values of all parameters |
//! | `data` | values of Scilab |
//! | `diagram` | a diagram: blocks, ports and links, with those inside |
//! | `graph`, `lists` | diagrams from XML, and from lists of Scilab |
//! | `stored` | values of names that only a script outside the file sets |
//! | `events` | clocks, conditions and edges behind each block |
//! | `splits` | links at splits, from the source to the targets |
//! | `sizes` | rows and columns of signals |
//! | `build` | from a diagram to a [`Source`] |
//! | `chosen` | blocks that run under a condition, as subsystems |
//! | `scilab` | expressions of Scilab in the spelling that the import reads |

mod build;
mod chosen;
mod data;
mod diagram;
mod events;
mod graph;
mod java;
mod lists;
pub mod scilab;
mod sizes;
mod splits;
mod stored;

use super::error::ImportError;
use super::simulink::section::Section;
use super::simulink::{package, xml};
use super::source::{Language, Params, Script, Source};

use self::diagram::Diagram;
use self::events::Outside;

const CONTENT: &str = "content.xml";
const DICTIONARY: &str = "dictionary/dictionary.ser";

/// The solvers by number.
const SOLVERS: [(u8, &str); 12] = [
    (0, "LSodar"),
    (1, "CVODE BDF Newton"),
    (2, "CVODE BDF functional"),
    (3, "CVODE Adams Newton"),
    (4, "CVODE Adams functional"),
    (5, "Dormand-Prince 4(5)"),
    (6, "Runge-Kutta 4(5)"),
    (7, "implicit Runge-Kutta 4(5)"),
    (8, "Crank-Nicolson"),
    (100, "IDA"),
    (101, "DDaskr Newton"),
    (102, "DDaskr GMRes"),
];

/// Whether bytes begin as a diagram of Xcos.
pub fn is_diagram(bytes: &[u8]) -> bool {
    let head = bytes.get(..bytes.len().min(4096)).unwrap_or_default();
    match bytes.starts_with(b"PK\x03\x04") {
        true => {
            package::contains(head, b"application/x-scilab-xcos") || package::contains(bytes, DICTIONARY.as_bytes())
        }
        false => package::contains(head, b"<XcosDiagram"),
    }
}

/// Why a file of an older version is not read; none if it may be.
pub fn too_old(extension: &str) -> Option<&'static str> {
    match extension {
        "cos" => Some("it is a diagram in the binary form of old versions; open it in Scilab 5.5 and save it as .zcos"),
        "cosf" => {
            Some("it is a diagram in the script form of old versions; open it in Scilab 5.5 and save it as .zcos")
        }
        "scg" => Some("it is a saved figure of Scilab, not a diagram"),
        _ => None,
    }
}

/// Reads a diagram from the bytes of a file.
///
/// # Errors
/// If the archive is refused or damaged, or the XML is malformed. A dictionary that cannot be read is a note.
pub fn read(stem: &str, bytes: &[u8]) -> Result<Source, ImportError> {
    let mut notes = Vec::new();
    let (text, dictionary) = if bytes.starts_with(b"PK") {
        let mut parts = package::unpack(bytes, &|name| name == CONTENT || name == DICTIONARY)?;
        let content = parts.remove(CONTENT).ok_or(ImportError::MissingPart { part: CONTENT.to_owned() })?;
        let dictionary = match parts.get(DICTIONARY).map(|bytes| java::read(bytes)) {
            Some(Ok(items)) => items,
            Some(Err(problem)) => {
                notes.push(format!("the parameters of the blocks cannot be read, and have their defaults: {problem}"));
                Vec::new()
            }
            None => Vec::new(),
        };
        (package::decoded_xml(&content), dictionary)
    } else {
        (package::decoded_xml(bytes), Vec::new())
    };
    let section = xml::parse(CONTENT, &text)?;
    if section.name != "XcosDiagram" {
        return Err(ImportError::NoModel("the XML is not a diagram of Xcos"));
    }
    let mut diagram = graph::diagram(&section, &dictionary);
    splits::direct(&mut diagram);
    let title = section.get("title").map(str::trim).filter(|title| !title.is_empty());
    let made = source_of(&diagram, settings(&section, &text));
    notes.extend(made.notes.iter().cloned());
    Ok(Source {
        name: if stem.is_empty() { title.unwrap_or("Diagram").to_owned() } else { stem.to_owned() },
        origin: origin(&text),
        language: Language::Scilab,
        notes,
        ..made
    })
}

fn source_of(diagram: &Diagram, settings: Params) -> Source {
    let text = scilab::translated(&diagram.context.join("\n"));
    let mut settings = settings;
    if let Some(end) = end_block(diagram) {
        let stop = settings.get("StopTime").and_then(|text| text.parse().ok()).unwrap_or(f64::INFINITY);
        settings.set("StopTime", crate::block::number_text(end.min(stop)));
    }
    let mut scripts = Vec::new();
    let mut notes = Vec::new();
    let stored = stored::values(diagram);
    if !stored.is_empty() {
        let names = stored.keys().cloned().collect::<Vec<_>>().join(", ");
        notes.push(format!("nothing in the file sets {names}: the value is that with which the file was saved"));
        let statement = |(name, value): (&String, &f64)| format!("{name} = {};\n", crate::block::number_text(*value));
        scripts.push(Script { origin: "the saved values".to_owned(), text: stored.iter().map(statement).collect() });
    }
    if !text.trim().is_empty() {
        scripts.push(Script { origin: "the context".to_owned(), text });
    }
    Source { system: build::system(diagram, &Outside::default()), settings, scripts, notes, ..Source::default() }
}

/// The program and its release, from the comment at the head of the file.
fn origin(text: &str) -> String {
    let comment =
        text.split_once("<!--").and_then(|(_, rest)| rest.split_once("-->")).map(|(comment, _)| comment.trim());
    let known = comment.filter(|comment| comment.starts_with("Xcos") && comment.len() < 200);
    let release = known.and_then(|comment| comment.split(" - ").nth(2));
    release.map_or_else(|| "Xcos".to_owned(), |release| format!("Xcos ({release})"))
}

/// The attributes of the diagram under the names that the import has for them.
fn settings(section: &Section, text_of_file: &str) -> Params {
    let mut settings = Params::default();
    let number = |name: &str, default: f64| graph::number(section, name).unwrap_or(default);
    let text = crate::block::number_text;
    settings.set("StopTime", text(number("finalIntegrationTime", 30.0)));
    // Scilab 5, whose files have the version 1, has another default than later ones.
    let solver = number("solver", if text_of_file.contains("Xcos - 1.") { 0.0 } else { 1.0 });
    let known = SOLVERS.iter().find(|(number, _)| f64::from(*number) == solver);
    settings.set("SolverName", known.map_or("another one", |(_, name)| name));
    settings.set("AbsTol", text(number("integratorAbsoluteTolerance", 1e-6)));
    settings.set("RelTol", text(number("integratorRelativeTolerance", 1e-6)));
    if let Some(step) = graph::number(section, "maximumStepSize").filter(|step| *step > 0.0) {
        settings.set("MaxStep", text(step));
    }
    settings
}

/// The earliest time at which a block of the diagram ends the run.
fn end_block(diagram: &Diagram) -> Option<f64> {
    let ends = diagram.nodes.iter().filter_map(|node| match (&*node.function, &node.inside) {
        ("END_c", _) => node.expr(1).parse().ok(),
        (_, Some(inside)) => end_block(inside),
        ("ENDBLK", None) => node.expr(1).parse().ok(),
        _ => None,
    });
    ends.filter(|time: &f64| *time > 0.0).reduce(f64::min)
}
