//! Results as files.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use simulate::results;

use crate::errors::Kind;

/// Writes columns of equal length as a .csv, .parquet, .npz or .mat file, in the format of the extension.
#[pyfunction]
pub fn save_table(
    py: Python<'_>,
    path: PathBuf,
    integers: Vec<(String, Vec<i64>)>,
    numbers: Vec<(String, Vec<f64>)>,
) -> PyResult<()> {
    let count = integers.first().map(|(_, values)| values.len()).or(numbers.first().map(|(_, values)| values.len()));
    let count = count.unwrap_or(0);
    let is_whole = integers.iter().all(|(_, values)| values.len() == count);
    if !is_whole || numbers.iter().any(|(_, values)| values.len() != count) {
        return Err(PyValueError::new_err("the columns have different lengths"));
    }
    let names: Vec<&str> = integers.iter().map(|(name, _)| name.as_str()).collect();
    let columns: Vec<String> = numbers.iter().map(|(name, _)| name.clone()).collect();
    let written = py.detach(|| {
        let mut table = results::create(&path, &names, &columns).map_err(|error| error.to_string())?;
        for row in 0..count {
            let integers: Vec<i64> = integers.iter().map(|(_, values)| values[row]).collect();
            let numbers: Vec<f64> = numbers.iter().map(|(_, values)| values[row]).collect();
            table.row(&integers, &numbers).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        table.finish().map_err(|error| format!("{}: {error}", path.display()))
    });
    written.map_err(|error| Kind::File.of(py, error))
}
