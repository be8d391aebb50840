//! Models of other programs: readers, the table of blocks, values, reports.
//!
//! The models are written here as the text of the old .mdl form, which a reader of this file can follow; `readers` has the
//! other forms. Expected values are closed forms.

mod blocks;
mod command;
mod corpus;
mod picture;
mod readers;
mod systems;
mod values;
mod xcos;
mod xcos_blocks;

use std::path::Path;

use simulate::import::{Class, ImportOptions, Imported, import};
use simulate::{Components, Opener, Run};

/// The text of a model with a fixed-step solver: blocks and lines of its root.
fn model(solver: &str, step: f64, stop: f64, root: &str) -> String {
    format!(
        "Model {{\n  Name \"m\"\n  Version 7.4\n  Array {{\n    Simulink.SolverCC {{\n      StopTime \"{stop}\"\n      \
         FixedStep \"{step}\"\n      Solver \"{solver}\"\n    }}\n  }}\n  System {{\n    Name \"m\"\n{root}  }}\n}}\n"
    )
}

/// A block with parameters: `block("Gain", "K", "Gain \"2\"")`.
fn block(kind: &str, name: &str, params: &str) -> String {
    format!("Block {{\nBlockType {kind}\nName \"{name}\"\nPosition [10, 10, 40, 40]\n{params}\n}}\n")
}

/// A line from output 1 of a block to an input: `line("K", "Sum", 2)`.
fn line(from: &str, to: &str, port: usize) -> String {
    line_from(from, 1, to, port)
}

fn line_from(from: &str, output: usize, to: &str, port: usize) -> String {
    format!("Line {{\nSrcBlock \"{from}\"\nSrcPort {output}\nDstBlock \"{to}\"\nDstPort {port}\n}}\n")
}

/// An exit of the root.
fn out(name: &str, port: usize) -> String {
    block("Outport", name, &format!("Port \"{port}\""))
}

#[track_caller]
fn imported(text: &str) -> Imported {
    imported_with(text, &ImportOptions::default())
}

#[track_caller]
fn imported_with(text: &str, options: &ImportOptions) -> Imported {
    import(Path::new("m.mdl"), text.as_bytes(), options).expect("a model")
}

/// Runs an import to its end; it is written and read again before.
#[track_caller]
fn run(imported: &Imported, signals: &[&str]) -> Run {
    let reported: Vec<_> = imported.report.entries.iter().filter(|entry| entry.class == Class::Placeholder).collect();
    assert!(reported.is_empty(), "{reported:?}");
    let formats = &Components::standard().formats;
    let bytes = formats.bytes_of(Path::new("m.simx"), &imported.simulation).expect("it is written");
    let simulation = Opener::new(Components::standard()).read(&bytes, None).expect("it is read");
    let mut run = simulation.run().expect("it runs");
    run.record(signals).expect("the signals are there");
    run.finish().expect("no step fails");
    run
}

/// Runs a model and compares an exit at each step with a function of time.
#[track_caller]
fn check(text: &str, signal: &str, tolerance: f64, wanted: impl Fn(f64) -> f64) {
    let imported = imported(text);
    let run = run(&imported, &[signal]);
    let values = run.values(signal).expect("its values").to_vec();
    assert!(values.len() > 1, "there are several steps");
    for (time, value) in run.times().into_iter().zip(values) {
        let wanted = wanted(time);
        assert!((value - wanted).abs() <= tolerance * wanted.abs().max(1.0), "at {time} s: {value}, not {wanted}");
    }
}

/// The report's lines of a class: `path: notes`.
fn lines(imported: &Imported, class: Class) -> Vec<String> {
    let entries = imported.report.entries.iter().filter(|entry| entry.class == class);
    entries.map(|entry| format!("{}: {}", entry.path, entry.notes.join("; "))).collect()
}
