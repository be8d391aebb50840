//! FMUs in workers: their results, their misdeeds, and what a broken archive or process may do.
//!
//! The FMUs are in `tests/foreign/fmus`, with what fmpy computes. They are for Linux on x86-64.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod archives;
#[cfg(all(target_os = "linux", feature = "pool"))]
mod blocks;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod evil;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod history;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod own;
mod protocol;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod results;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod sources;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::cli::{Outcome, simulate};

fn fmus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign/fmus")
}

/// A simulation with one FMU, `model.fmu`, in a folder of its own.
struct Trial {
    folder: TempDir,
    /// The FMU's options.
    options: Vec<(&'static str, String)>,
    /// Further blocks, and wires to the inputs of block 3.
    parts: String,
    outputs: Vec<&'static str>,
    head: String,
}

impl Trial {
    fn new(fmu: &str, outputs: &[&'static str]) -> Trial {
        Trial::of(&fs::read(fmus().join(fmu)).expect("an FMU"), outputs)
    }

    fn of(fmu: &[u8], outputs: &[&'static str]) -> Trial {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("model.fmu"), fmu).expect("it is written");
        let options = vec![("File", "model.fmu".to_owned()), ("Outputs", outputs.join("; "))];
        let (parts, outputs) = (String::new(), outputs.to_vec());
        Trial { folder, options, parts, outputs, head: "steps=\"21\" delta=\"0.1\"".to_owned() }
    }

    fn with(mut self, name: &'static str, text: &str) -> Trial {
        self.options.retain(|(known, _)| *known != name);
        self.options.push((name, text.to_owned()));
        self
    }

    fn with_parts(self, parts: &str) -> Trial {
        Trial { parts: parts.to_owned(), ..self }
    }

    fn with_head(self, head: &str) -> Trial {
        Trial { head: head.to_owned(), ..self }
    }

    fn text(&self) -> String {
        let Trial { options, parts, outputs, head, .. } = self;
        let option =
            |(name, value): &(&str, String)| format!("<option name=\"{name}\"><value>{value}</value></option>");
        let options: String = options.iter().map(option).collect();
        // The first output of a width above 1 has a name in the port's text.
        let plain = |output: &str| output.split(" : ").next().unwrap_or_default().to_owned();
        let exits = outputs.iter().enumerate().map(|(number, output)| {
            let (id, name) = (100 + number, plain(output));
            format!(
                "<exit id=\"{id}\" name=\"{name}\"/><connection from=\"3\" output=\"{name}\" to=\"{id}\" input=\"Input\"/>"
            )
        });
        let exits: String = exits.collect();
        format!(
            "<simulation root=\"Main\" {head}><model name=\"Main\"><block id=\"3\" group=\"User\" name=\"FMU\">{options}\
             </block>{parts}{exits}</model></simulation>"
        )
    }

    fn write(&self) {
        fs::write(self.folder.path().join("model.simx"), self.text()).expect("it is written");
    }

    /// Runs it with an engine; the results are in `out.csv`.
    fn run(&self, engine: &str) -> Outcome {
        self.write();
        let args = ["run", "model.simx", "--allow-fmu", "model.fmu", "--out", "out.csv", "--engine", engine];
        simulate(self.folder.path(), &args)
    }

    /// Runs it and returns the columns of the results, without the steps.
    #[track_caller]
    fn results(&self, engine: &str) -> Vec<Column> {
        let outcome = self.run(engine);
        assert_eq!(outcome.code, 0, "{}", outcome.err);
        columns(&fs::read_to_string(self.folder.path().join("out.csv")).expect("results"))[1..].to_vec()
    }
}

/// A name and the values.
type Column = (String, Vec<f64>);

/// Reads a table of numbers and truth values; a cell of several numbers is as many columns.
fn columns(text: &str) -> Vec<Column> {
    let number = |text: &str| match text {
        "True" => 1.0,
        "False" => 0.0,
        text => text.parse().expect("a number"),
    };
    let mut lines = text.lines().map(|line| line.split(',').map(|cell| cell.trim_matches('"')));
    let names: Vec<&str> = lines.next().expect("a heading").collect();
    let rows: Vec<Vec<Vec<f64>>> =
        lines.map(|line| line.map(|cell| cell.split(' ').map(number).collect()).collect()).collect();
    let mut columns = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let width = rows[0][index].len();
        for element in 0..width {
            let name = if width == 1 { (*name).to_owned() } else { format!("{name}[{element}]") };
            columns.push((name, rows.iter().map(|row| row[index][element]).collect()));
        }
    }
    columns
}

/// The largest difference of results from those of fmpy, at the times that both have; at an event that of after it.
#[track_caller]
fn difference(found: &[Column], expected: &[Column], until: f64) -> f64 {
    let (times, known) = (&found[0].1, &expected[0].1);
    let mut worst: f64 = 0.0;
    let mut compared = 0;
    for (name, values) in &expected[1..] {
        let (_, got) = found.iter().find(|(found, _)| found == name).unwrap_or_else(|| panic!("there is no {name}"));
        for (time, got) in times.iter().zip(got).filter(|(time, _)| **time <= until) {
            let at = known.iter().rposition(|known| (known - time).abs() < 1e-9);
            let Some(at) = at else { continue };
            // A value that is not-a-number differs.
            let far = (got - values[at]).abs();
            worst = if far <= worst { worst } else { far };
            compared += 1;
        }
    }
    assert!(compared > 10, "there are common times");
    worst
}
