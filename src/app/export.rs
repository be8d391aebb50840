//! Writes the plotted curves to a file, on a thread of its own.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crossbeam_channel::{Receiver, bounded};
use eframe::egui;

use super::plots::PlotList;
use crate::engine::{Column, Recording, is_unset};
use crate::model::Simulation;

/// An export that is going on.
pub struct Export {
    pub path: PathBuf,
    result: Receiver<std::io::Result<u64>>,
}

/// The columns of a table, with their heads.
struct Table {
    /// Seconds a step.
    delta: f64,
    columns: Vec<(String, Column)>,
}

impl Export {
    pub fn start(
        ctx: &egui::Context,
        path: PathBuf,
        simulation: &Simulation,
        list: &PlotList,
        recording: &Recording,
    ) -> Export {
        let (sender, result) = bounded(1);
        let table = Table::of(simulation, list, recording);
        let target = path.clone();
        let wake = ctx.clone();
        std::thread::spawn(move || {
            let _ = sender.send(table.write(&target));
            wake.request_repaint();
        });
        Export { path, result }
    }

    /// The number of rows that were written, when it is done.
    pub fn poll(&self) -> Option<std::io::Result<u64>> {
        self.result.try_recv().ok()
    }
}

impl Table {
    fn of(simulation: &Simulation, list: &PlotList, recording: &Recording) -> Table {
        let mut columns = Vec::new();
        for signal in list.signals() {
            let lanes = recording.columns(&signal);
            let name = signal.text(simulation);
            for (lane, column) in lanes.iter().enumerate() {
                let name = if lanes.len() == 1 { name.clone() } else { format!("{name}[{lane}]") };
                columns.push((name, column.clone()));
            }
        }
        Table { delta: recording.delta, columns }
    }

    /// A row a step: step, time, and each signal; what was not set is empty. All or nothing.
    fn write(&self, path: &Path) -> std::io::Result<u64> {
        let first = self.columns.iter().map(|(_, column)| column.steps().start).min().unwrap_or(0);
        let end = self.columns.iter().map(|(_, column)| column.steps().end).max().unwrap_or(0);
        let file = atomic_write_file::AtomicWriteFile::open(path)?;
        let mut writer = csv::Writer::from_writer(std::io::BufWriter::new(file));
        let heads = self.columns.iter().map(|(name, _)| name.as_str());
        writer.write_record(["step", "time"].into_iter().chain(heads))?;
        for step in first..end {
            let time = step as f64 * self.delta;
            let values = self.columns.iter().map(|(_, column)| match column.at_step(step) {
                Some(value) if !is_unset(value) => value.to_string(),
                _ => String::new(),
            });
            writer.write_record([step.to_string(), time.to_string()].into_iter().chain(values))?;
        }
        let mut buffer = writer.into_inner().map_err(|error| error.into_error())?;
        buffer.flush()?;
        buffer.into_inner().map_err(|error| error.into_error())?.commit()?;
        Ok(end.saturating_sub(first))
    }
}
