//! Writes recorded curves to a file, on a thread of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::app::action::Range;
use crate::app::dialogs::Dialog;
use crate::app::doc::plots::Derivative;
use crate::app::panels::plots::recorded_type;
use crate::app::shell::app::App;
use crate::app::store::figures::steps_within;
use crate::app::store::files::file_name;
use crate::app::store::jobs::About;
use crate::block::element_names;
use crate::engine::{Chunk, Column, Program, Recording, UNSET};
use crate::format::FileKind;
use crate::model::{SignalKey, Simulation, names_of_signals};
use crate::results::{self, Marks, TableError, TableOptions};

/// The columns of a table, with their heads.
struct Table {
    /// Seconds per step.
    delta: f64,
    columns: Vec<(String, Column)>,
    /// The exported time range in seconds.
    range: Option<(f64, f64)>,
    marks: Marks,
}

impl App {
    /// Writes the samples of a plot, or of all plots, in the format of the path's extension.
    pub fn export(&mut self, path: PathBuf, plot: Option<usize>, range: Range) {
        let Some(file) = &self.file else { return };
        let signals: Vec<SignalKey> = match plot.and_then(|plot| file.derived.plots().plots.get(plot)) {
            Some(spec) => spec.traces.iter().map(|trace| trace.signal.clone()).collect(),
            None => {
                let plots = file.derived.plots();
                let derivatives = plots.derivatives().into_iter().map(|derivative| derivative.signal());
                plots.signals().into_iter().chain(derivatives).collect()
            }
        };
        let seen = plot
            .filter(|_| range == Range::Seen)
            .map(|plot| file.panels.plots.seen(file.derived.plots(), plot, file.run.end()));
        let (separator, decimal) = self.settings.preferences.table.marks();
        let table = Table::of(file.simulation(), file.program.as_deref(), &signals, file.run.recording(), seen);
        let table = Table { marks: Marks { separator, decimal }, ..table };
        let about = About { title: format!("Writing {}", file_name(&path)), path: Some(path.clone()), must_end: false };
        let (target, outputs) = (path.clone(), self.outputs());
        // Another extension is refused where the table is written.
        let kind = FileKind::of_extension(&path).unwrap_or(FileKind::Csv);
        self.jobs.start(
            about,
            move || outputs.write(&target, kind, |file| table.write(file)),
            move |app, result| match result {
                Ok(rows) => app.say(format!("Wrote {rows} rows to {}", path.display())),
                Err(error) => {
                    let help = "choose another folder";
                    let title = "The curves were not exported";
                    app.open_dialog(Dialog::problem(title, &error.to_string(), help, Some(&path)));
                }
            },
        );
    }
}

impl Table {
    fn of(
        simulation: &Simulation,
        program: Option<&Program>,
        signals: &[SignalKey],
        recording: &Recording,
        range: Option<(f64, f64)>,
    ) -> Table {
        let recorded: Vec<SignalKey> =
            signals.iter().filter(|signal| !recording.columns(signal).is_empty()).cloned().collect();
        // The names that the command line gives them. A derivative has that of its signal in its own.
        let plain = |signal: &SignalKey| Derivative::of_signal(signal).map_or_else(|| signal.clone(), |found| found.of);
        let of: Vec<SignalKey> = recorded.iter().map(plain).collect::<BTreeSet<_>>().into_iter().collect();
        let known: BTreeMap<SignalKey, String> = of.iter().cloned().zip(names_of_signals(simulation, &of)).collect();
        let name = |signal: &SignalKey| {
            let own = known.get(&plain(signal)).cloned().unwrap_or_default();
            Derivative::of_signal(signal).map_or(own.clone(), |derivative| derivative.name(simulation, &own))
        };
        let names = recorded.iter().map(|signal| (name(signal), signal));
        let names: Vec<String> =
            names.flat_map(|(name, signal)| element_names(&name, &recorded_type(program, recording, signal))).collect();
        let columns = recorded.iter().flat_map(|signal| recording.columns(signal)).cloned();
        Table {
            delta: recording.delta,
            columns: names.into_iter().zip(columns).collect(),
            range,
            marks: Marks::default(),
        }
    }

    /// One row per step: step, time, signals; missing samples are empty. The file is written atomically.
    fn write(&self, path: &Path) -> Result<u64, TableError> {
        let steps = self.columns.iter().map(|(_, column)| column.steps());
        let first = steps.clone().map(|steps| steps.start).min().unwrap_or(0);
        let end = steps.map(|steps| steps.end).max().unwrap_or(0);
        let seen = self.range.map_or(0..u64::MAX, |range| steps_within(range, self.delta));
        let (first, end) = (first.max(seen.start), end.min(seen.end));
        let heads: Vec<String> =
            std::iter::once("time".to_owned()).chain(self.columns.iter().map(|(name, _)| name.clone())).collect();
        let options =
            TableOptions { rows: Some(end.saturating_sub(first)), marks: self.marks, ..TableOptions::default() };
        let mut table = results::create_as(path, &["step"], &heads, options)?;
        let unwritable = |error| TableError::Unwritable(path.display().to_string(), error);
        let mut row = Vec::with_capacity(heads.len());
        let mut from = first;
        while from < end {
            // Part by part, so that samples on disk are read once.
            let to = (from + Chunk::LEN as u64).min(end);
            let parts: Vec<(u64, Vec<f64>)> =
                self.columns.iter().map(|(_, c)| (c.steps().start.max(from), c.range(from..to))).collect();
            for step in from..to {
                row.clear();
                row.push(step as f64 * self.delta);
                row.extend(parts.iter().map(|(start, values)| {
                    let index = step.checked_sub(*start).and_then(|index| usize::try_from(index).ok());
                    index.and_then(|index| values.get(index)).copied().unwrap_or(UNSET)
                }));
                table.row(&[step as i64], &row).map_err(unwritable)?;
            }
            from = to;
        }
        table.finish().map_err(unwritable)?;
        Ok(end.saturating_sub(first))
    }
}
