//! Blocks that write files during a run. The files themselves are behind [`Files`].

use std::collections::BTreeSet;

use super::WrittenFile;
use crate::block::{Files, RowWriter, element_names};
use crate::engine::{OutputId, Program, Samples, UnitId, is_unset};
use crate::model::{BlockAddress, Diagnostic};

/// A block of a program that writes its inputs to a file.
#[derive(Clone, Debug)]
pub struct Outlet {
    pub unit: UnitId,
    /// As the block names it.
    pub path: String,
    /// A row is written every `decimation` steps.
    pub decimation: u64,
    /// The names of the connected inputs, each with its output.
    pub inputs: Vec<(String, OutputId)>,
}

/// The files of a run.
pub struct Writers {
    delta: f64,
    list: Vec<Writer>,
}

struct Writer {
    outlet: Outlet,
    /// None after it is finished or has failed.
    rows: Option<Box<dyn RowWriter>>,
    block: BlockAddress,
    cells: Vec<Option<f64>>,
}

/// The error of a file, and the block that writes it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{problem}")]
pub struct WriteError {
    pub problem: String,
    pub block: BlockAddress,
}

impl Writers {
    /// Creates the files that the program's blocks write.
    ///
    /// # Errors
    /// Where files cannot be created, at their blocks.
    pub fn open(program: &Program, files: &dyn Files) -> Result<Writers, Vec<Diagnostic>> {
        let (mut list, mut errors) = (Vec::new(), Vec::new());
        for outlet in program.outlets() {
            let elements =
                outlet.inputs.iter().flat_map(|(name, output)| element_names(name, &program.output_type(*output)));
            let columns: Vec<String> = ["step", "time"].map(str::to_owned).into_iter().chain(elements).collect();
            match files.create(&outlet.path, &columns) {
                Ok(rows) => {
                    let block = program.block_of(outlet.unit);
                    list.push(Writer { outlet, rows: Some(rows), block, cells: Vec::new() });
                }
                Err(problem) => {
                    let block = program.block_of(outlet.unit).block;
                    let problem = Diagnostic::error("unwritable-file", problem.to_string());
                    errors.push(problem.on_block(program.model_of(outlet.unit), block));
                }
            }
        }
        if errors.is_empty() { Ok(Writers { delta: program.delta, list }) } else { Err(errors) }
    }

    /// No files.
    pub fn none() -> Writers {
        Writers { delta: 1.0, list: Vec::new() }
    }

    /// The outputs that are written, which have to be the last watches.
    pub fn outputs(&self) -> impl Iterator<Item = OutputId> {
        self.list.iter().flat_map(|writer| writer.outlet.inputs.iter().map(|(_, output)| *output))
    }

    /// Writes the samples of some steps, of which the last watches are those of [`Writers::outputs`].
    ///
    /// # Errors
    /// Where a row cannot be written; nothing more is written to that file.
    pub fn take(&mut self, samples: &Samples) -> Result<(), WriteError> {
        let count: usize = self.list.iter().map(|writer| writer.outlet.inputs.len()).sum();
        let mut watches = &samples.watches()[samples.watches().len().saturating_sub(count)..];
        let mut failed = None;
        for Writer { outlet, rows, block, cells } in &mut self.list {
            let (own, others) = watches.split_at(outlet.inputs.len().min(watches.len()));
            watches = others;
            for row in 0..samples.len() {
                let step = samples.first() + row as u64;
                let Some(writer) = rows.as_mut().filter(|_| step.is_multiple_of(outlet.decimation)) else { continue };
                cells.clear();
                cells.extend([Some(step as f64), Some(step as f64 * self.delta)]);
                for watch in own {
                    let width = watch.values.len() / samples.len();
                    let elements = &watch.values[row * width..(row + 1) * width];
                    cells.extend(elements.iter().map(|element| Some(*element).filter(|element| !is_unset(*element))));
                }
                if let Err(error) = writer.row(cells) {
                    *rows = None;
                    failed.get_or_insert(WriteError { problem: error.to_string(), block: block.clone() });
                }
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Gives all files up, so that those of an earlier run stay.
    pub fn give_up(mut self) {
        self.list.clear();
    }

    /// Finishes all files.
    ///
    /// # Errors
    /// Where a file cannot be finished; the first of these errors.
    pub fn finish(&mut self) -> Result<(), WriteError> {
        let mut failed = None;
        for Writer { rows, block, .. } in &mut self.list {
            if let Some(Err(error)) = rows.take().map(|rows| rows.finish()) {
                failed.get_or_insert(WriteError { problem: error.to_string(), block: block.clone() });
            }
        }
        failed.map_or(Ok(()), Err)
    }
}

impl Drop for Writers {
    fn drop(&mut self) {
        // A caller who needs the errors has called `finish` before.
        let _ = self.finish();
    }
}

/// Returns a key that is equal for two paths that may be the same file: most disks of Windows and macOS ignore case.
/// The disk is not accessed.
fn file_key(path: &str) -> Vec<String> {
    let mut key: Vec<String> = Vec::new();
    for (number, part) in path.trim().split(['/', '\\']).enumerate() {
        match part {
            "." => {}
            // Only before the first separator it says something: that the path is absolute.
            "" if number > 0 => {}
            ".." if key.last().is_some_and(|last| !["", ".."].contains(&&**last)) => drop(key.pop()),
            _ => key.push(part.to_lowercase()),
        }
    }
    key
}

impl Program {
    /// The blocks that write files.
    pub fn outlets(&self) -> Vec<Outlet> {
        let outlet = |file: &WrittenFile| {
            let unit = &self.units[file.unit];
            let sources = self.sources_of(unit);
            let inputs = self.symbol(unit).ports.inputs.iter().zip(sources);
            let fed = inputs.filter_map(|(name, source)| Some((name.to_string(), (*source)?)));
            Outlet { unit: file.unit, path: file.path.clone(), decimation: file.decimation, inputs: fed.collect() }
        };
        self.written_files.iter().map(outlet).collect()
    }

    /// # Errors
    /// Where two blocks, or a block in two uses of its model, write the same file.
    pub(in crate::engine) fn refuse_shared_files(&self) -> Result<(), Vec<Diagnostic>> {
        let mut known = BTreeSet::new();
        let again = self.written_files.iter().find(|file| !known.insert(file_key(&file.path)));
        let Some(WrittenFile { unit, path, .. }) = again else { return Ok(()) };
        let unit = *unit;
        let message = format!("“{path}” is written by another block or another instance of this model already");
        let help = "give each block a file of its own; upper and lower case do not make two files on every computer";
        let problem = Diagnostic::error("shared-file", message).help(help);
        Err(vec![problem.on_block(self.model_of(unit), self.block_of(unit).block)])
    }
}
