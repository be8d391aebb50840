//! The values of names: the model's workspace, callbacks, scripts beside it, arrays, and the options of the import.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::super::error::ImportError;
use super::super::files;
use super::super::options::ImportOptions;
use super::super::report::Missing;
use super::super::script;
use super::super::source::Source;
use super::super::values::{Workspace, variable_name};
use super::state::Mapper;
use crate::block::language::Matrix;
use crate::format::arrays::{ArrayValues, NamedArray, read_mat};
use crate::model::Variable;

/// How deeply scripts may run scripts.
const MAX_CALLS: usize = 10;
/// The longest variable that is written as text.
const MAX_ELEMENTS: usize = 10_000;

impl Mapper {
    /// Reads the values that the file and the options give.
    pub(super) fn read_workspace(&mut self, source: &Source, options: &ImportOptions) -> Result<(), ImportError> {
        for (_, bytes) in &source.workspace {
            self.read_arrays(bytes);
        }
        for part in &source.scripts {
            self.read_script(&part.text, &part.origin, 0);
        }
        for path in &options.values {
            self.read_values(path)?;
        }
        for text in &options.set {
            let wrong = |problem: String| ImportError::Value { option: format!("--set {text}"), problem };
            let (name, value) = text.split_once('=').ok_or_else(|| wrong("write it as name=value".to_owned()))?;
            self.workspace.assign(name.trim(), value.trim()).map_err(wrong)?;
        }
        Ok(())
    }

    fn read_script(&mut self, text: &str, origin: &str, depth: usize) {
        let found = script::read(text, &mut self.workspace);
        for problem in found.problems.iter().take(5) {
            self.report.notes.push(format!("{origin}: {problem}"));
        }
        for name in &found.loads {
            match self.files.arrays(name) {
                Some(bytes) => self.read_arrays(&bytes),
                None => self.report.notes.push(format!("{origin}: the file {name} is not beside the model")),
            }
        }
        for name in found.calls.iter().filter(|_| depth < MAX_CALLS) {
            if let Some(text) = self.files.script(name) {
                self.read_script(&text, name, depth + 1);
            }
        }
    }

    fn read_arrays(&mut self, bytes: &[u8]) {
        for array in read_mat(bytes).unwrap_or_default() {
            self.set_array(&array);
        }
    }

    fn set_array(&mut self, array: &NamedArray) {
        let values = match &array.values {
            ArrayValues::Numbers(values) => values.clone(),
            ArrayValues::Integers(values) => values.iter().map(|value| *value as f64).collect(),
        };
        if values.len() <= MAX_ELEMENTS && !values.is_empty() {
            let rows = if array.columns.is_some() { array.rows.max(1) } else { 1 };
            self.workspace.set_value(&array.name, Matrix { values, rows });
        }
    }

    /// Reads a file of values: a script, arrays, or a table of names and values.
    pub(super) fn read_values(&mut self, path: &Path) -> Result<(), ImportError> {
        let extension = path.extension().and_then(|end| end.to_str()).unwrap_or_default().to_lowercase();
        let unreadable = |error| ImportError::File { path: path.to_owned(), error };
        let option = || format!("--values {}", path.display());
        match &*extension {
            "mat" => {
                let bytes = fs::read(path).map_err(unreadable)?;
                let arrays = read_mat(&bytes)
                    .map_err(|error| ImportError::Value { option: option(), problem: error.to_string() })?;
                arrays.iter().for_each(|array| self.set_array(array));
            }
            "csv" => {
                let text = fs::read_to_string(path).map_err(unreadable)?;
                for line in text.lines().filter(|line| !line.trim().is_empty()) {
                    let wrong =
                        |problem: &str| ImportError::Value { option: option(), problem: format!("{line}: {problem}") };
                    let (name, value) =
                        line.split_once([',', ';']).ok_or_else(|| wrong("write a name, a comma and a value"))?;
                    self.workspace.assign(name.trim(), value.trim()).map_err(|problem| wrong(&problem))?;
                }
            }
            "m" => {
                let text = files::text(path).ok_or_else(|| unreadable(std::io::Error::other("it cannot be read")))?;
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                self.read_script(&text, &name, 0);
            }
            _ => {
                return Err(ImportError::Value {
                    option: option(),
                    problem: "it is neither .m nor .mat nor .csv".to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Makes the names that expressions use variables of the simulation, and lists those without a value.
    pub(super) fn variables(&mut self) {
        self.find_missing();
        let mut ahead: Vec<(String, String)> = self.used.clone().into_iter().collect();
        let mut done = BTreeSet::new();
        while let Some((name, user)) = ahead.pop() {
            if !done.insert(name.clone()) {
                continue;
            }
            let variable = variable_name(&name);
            match self.workspace.get(&name) {
                Some(text) => {
                    self.simulation.set_variable(&variable, Variable::new(&text.text));
                    ahead.extend(self.workspace.uses(&name).map(|used| (used.to_owned(), name.clone())));
                }
                None => {
                    self.simulation.set_variable(&variable, Variable::new("").with_attribute("missing", "1"));
                    self.report.missing.push(Missing { name, used_by: user });
                }
            }
        }
        self.report.missing.sort_by(|a, b| a.name.cmp(&b.name));
    }

    /// Looks for names without a value in the scripts beside the model, which users run before it.
    fn find_missing(&mut self) {
        let is_missing = |workspace: &Workspace, name: &String| workspace.get(name).is_none();
        let missing: Vec<String> = self.used.keys().filter(|name| is_missing(&self.workspace, name)).cloned().collect();
        if missing.is_empty() {
            return;
        }
        let mut best: Option<(usize, String, Workspace)> = None;
        for (file, text) in self.files.scripts_beside() {
            let mut workspace = self.workspace.clone();
            script::read(&text, &mut workspace);
            let count = missing.iter().filter(|name| workspace.get(name).is_some()).count();
            if count > best.as_ref().map_or(0, |(best, ..)| *best) {
                best = Some((count, file, workspace));
            }
        }
        if let Some((count, file, workspace)) = best {
            self.workspace = workspace;
            let values = if count == 1 { "1 value" } else { &format!("{count} values") };
            self.report.notes.push(format!("{values} come from {file}, which lies beside the model"));
        }
    }
}
