//! How much may be recorded: samples that cannot fit into memory are refused before the run, not when the machine is full.

use std::sync::OnceLock;

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

/// Refuses samples that need more than the memory of this machine: `samples` of `numbers` numbers each.
pub fn check(samples: u64, numbers: usize) -> PyResult<()> {
    let needed = samples.saturating_mul(numbers as u64).saturating_mul(size_of::<f64>() as u64);
    match physical() {
        Some(physical) if needed > physical => Err(PyMemoryError::new_err(format!(
            "{samples} samples of {numbers} numbers need {:.0} GB, and this machine has {:.0} GB: record fewer signals or \
             elements with signals=, or run in parts with resume=",
            gigabytes(needed),
            gigabytes(physical),
        ))),
        _ => Ok(()),
    }
}

fn gigabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e9
}

/// Returns the memory of this machine in bytes, where the system says it in a file.
fn physical() -> Option<u64> {
    static PHYSICAL: OnceLock<Option<u64>> = OnceLock::new();
    *PHYSICAL.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/meminfo").ok()?;
        let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        let kibibytes: u64 = total.trim().strip_suffix("kB")?.trim().parse().ok()?;
        kibibytes.checked_mul(1024)
    })
}
