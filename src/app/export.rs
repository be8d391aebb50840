//! Writes recorded curves to a file, on a thread of its own.

use std::path::{Path, PathBuf};

use crossbeam_channel::{Receiver, bounded};
use eframe::egui;

use super::figures::steps_within;
use crate::engine::{Chunk, Column, Recording, UNSET};
use crate::model::{SignalKey, Simulation};
use crate::results::{self, TableError};

/// An export that is going on.
pub struct Export {
    pub path: PathBuf,
    result: Receiver<Result<u64, TableError>>,
}

/// The columns of a table, with their heads.
struct Table {
    /// Seconds a step.
    delta: f64,
    columns: Vec<(String, Column)>,
    /// Only these seconds.
    range: Option<(f64, f64)>,
}

impl Export {
    /// Writes signals, all samples or those of some seconds, in the format of the path's extension.
    pub fn start(
        ctx: &egui::Context,
        path: PathBuf,
        simulation: &Simulation,
        signals: &[SignalKey],
        recording: &Recording,
        range: Option<(f64, f64)>,
    ) -> Export {
        let (sender, result) = bounded(1);
        let table = Table::of(simulation, signals, recording, range);
        let target = path.clone();
        let wake = ctx.clone();
        std::thread::spawn(move || {
            let _ = sender.send(table.write(&target));
            wake.request_repaint();
        });
        Export { path, result }
    }

    /// The number of rows that were written, when it is done.
    pub fn poll(&self) -> Option<Result<u64, TableError>> {
        self.result.try_recv().ok()
    }
}

impl Table {
    fn of(simulation: &Simulation, signals: &[SignalKey], recording: &Recording, range: Option<(f64, f64)>) -> Table {
        let recorded = signals.iter().filter(|signal| !recording.columns(signal).is_empty());
        let widths: Vec<(String, usize)> =
            recorded.clone().map(|signal| (signal.text(simulation), recording.columns(signal).len())).collect();
        let names = results::lane_names(&widths);
        let columns = recorded.flat_map(|signal| recording.columns(signal)).cloned();
        Table { delta: recording.delta, columns: names.into_iter().zip(columns).collect(), range }
    }

    /// A row a step: step, time, and each signal; what was not set is empty. All or nothing.
    fn write(&self, path: &Path) -> Result<u64, TableError> {
        let steps = self.columns.iter().map(|(_, column)| column.steps());
        let first = steps.clone().map(|steps| steps.start).min().unwrap_or(0);
        let end = steps.map(|steps| steps.end).max().unwrap_or(0);
        let seen = self.range.map_or(0..u64::MAX, |range| steps_within(range, self.delta));
        let (first, end) = (first.max(seen.start), end.min(seen.end));
        let heads: Vec<String> =
            std::iter::once("time".to_owned()).chain(self.columns.iter().map(|(name, _)| name.clone())).collect();
        let mut table = results::create(path, &["step"], &heads)?;
        let unwritable = |error| TableError::Unwritable(path.display().to_string(), error);
        let mut row = Vec::with_capacity(heads.len());
        let mut from = first;
        while from < end {
            // Part after part, so that what lies on disk is read once.
            let to = (from + Chunk::LEN as u64).min(end);
            let parts: Vec<(u64, Vec<f64>)> =
                self.columns.iter().map(|(_, c)| (c.steps().start.max(from), c.range(from..to))).collect();
            for step in from..to {
                row.clear();
                row.push(step as f64 * self.delta);
                row.extend(parts.iter().map(|(start, values)| {
                    let place = step.checked_sub(*start).and_then(|place| usize::try_from(place).ok());
                    place.and_then(|place| values.get(place)).copied().unwrap_or(UNSET)
                }));
                table.row(&[step as i64], &row).map_err(unwritable)?;
            }
            from = to;
        }
        table.finish().map_err(unwritable)?;
        Ok(end.saturating_sub(first))
    }
}
