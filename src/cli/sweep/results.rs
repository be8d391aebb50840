//! The results of a sweep: in the journal beside the result file, or in memory; and at the end the table.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::num::NonZeroU64;
use std::path::Path;

use serde::Serialize;

use super::super::interrupt::StopSignal;
use super::super::output::{FAILURE, OriginArgs, OutputFormat, SUCCESS, complain, json};
use super::Failure;
use super::indices::{IndexReport, MeasureReport, MeasureTable};
use crate::engine::{Curve, Runs};
use crate::format::OutputFile;
use crate::pool::{JournalError, SweepIdentity, SweepJournal};
use crate::results::{self as table, Marks, Numbers, Provenance, Table, TableError, TableOptions};
use crate::sampling::SampleDesign;

/// The settings that the results depend on, wherever the runs are computed.
pub(super) struct Setup {
    pub runs: Runs,
    /// The number of runs.
    pub count: u64,
    /// The step length in seconds.
    pub delta: f64,
    /// The names of the signals' elements.
    pub columns: Vec<String>,
    pub identity: SweepIdentity,
    /// Whether finished runs of another sweep, or of this one, are set aside.
    pub is_restarted: bool,
    pub out: Option<OutputFile>,
    pub format: OutputFormat,
    pub is_quiet: bool,
    pub origin: Provenance,
    /// Whether a .csv file says it.
    pub says_origin: OriginArgs,
    /// How .csv files separate values.
    pub marks: Marks,
    /// The file for a list of the failed runs.
    pub failures: Option<OutputFile>,
    /// Whether more steps than the last one are kept.
    pub keeps_steps: bool,
    /// The file for the effects or the shares of the variance.
    pub indices: Option<OutputFile>,
}

/// The results so far: in the journal beside the result file, or in memory.
pub(super) struct Results {
    journal: Option<SweepJournal>,
    curves: Vec<Curve>,
    /// The indices of runs in `curves`.
    indices: HashMap<u64, usize>,
}

impl Results {
    pub fn begin(setup: &Setup) -> Result<Results, Failure> {
        let journal = match &setup.out {
            None => None,
            Some(out) => {
                // Errors in creating the table are reported before the runs.
                drop(table::create(out, &["run"], &[])?);
                let path = SweepJournal::beside(out);
                let failed = |error| Failure::Journal(path.display().to_string(), error);
                if setup.is_restarted
                    && let Some(aside) = SweepJournal::set_aside(&path).map_err(failed)?
                {
                    complain(&format!("the finished runs in {} are kept in {}", path.display(), aside.display()));
                }
                Some(SweepJournal::open(&path, &setup.identity).map_err(|error| match error {
                    JournalError::Io(error) => failed(error),
                    JournalError::Other { done, differences } => {
                        Failure::OtherSweep { path: path.clone(), done, differences }
                    }
                })?)
            }
        };
        let results = Results { journal, curves: Vec::new(), indices: HashMap::new() };
        if results.done() > 0 && !setup.is_quiet {
            complain(&format!("resuming: {} of {} runs are finished", results.done(), setup.count));
        }
        Ok(results)
    }

    /// Returns the number of finished runs.
    pub fn done(&self) -> u64 {
        self.journal.as_ref().map_or(self.curves.len() as u64, SweepJournal::done)
    }

    pub fn is_done(&self, run: u64) -> bool {
        self.journal.as_ref().map_or(self.indices.contains_key(&run), |journal| journal.is_done(run))
    }

    pub fn add(&mut self, curve: Curve) -> Result<(), Failure> {
        match &mut self.journal {
            None => {
                self.indices.insert(curve.run, self.curves.len());
                self.curves.push(curve);
            }
            Some(journal) => journal.add(&curve).map_err(|error| Failure::Journal(journal.name(), error))?,
        }
        Ok(())
    }

    /// Writes the table, unless a signal has ended the sweep: then the journal is kept, or without a journal the
    /// finished runs are printed.
    pub fn finish(mut self, setup: &Setup, signal: Option<StopSignal>) -> Result<(String, u8), Failure> {
        let signal = signal.filter(|_| self.done() < setup.count);
        if let Some(signal) = signal {
            let mut text = format!("{signal} stopped the sweep: {} of {} runs are finished", self.done(), setup.count);
            if let Some(mut journal) = self.journal.take() {
                journal.sync().map_err(|error| Failure::Journal(journal.name(), error))?;
                let name = journal.name();
                complain(&format!("{text} and in {name}\n  to resume it, repeat the command"));
                return Ok((String::new(), signal.code()));
            }
            text += "; their results follow\n  with --out FILE it could be resumed";
            complain(&text);
        }
        let runs = &setup.runs;
        let names: Vec<String> = runs.varied.iter().map(|vary| vary.path.clone()).collect();
        let numbers: Vec<String> =
            names.iter().cloned().chain(["time".to_owned()]).chain(setup.columns.iter().cloned()).collect();
        let mut failures: Vec<(u64, String)> = Vec::new();
        let mut printed = String::new();
        let measured = if runs.design.has_indices() { setup.columns.len() } else { 0 };
        let mut measures = MeasureTable::new(measured, setup.count, setup.keeps_steps);
        match (self.journal.take(), &setup.out) {
            (Some(mut journal), Some(out)) => {
                let unwritable = |error| Failure::Table(TableError::Unwritable(out.display().to_string(), error));
                let origin = setup.says_origin.of(out, &setup.origin);
                let options = TableOptions { origin, marks: setup.marks, ..TableOptions::default() };
                let mut table = table::create_as(out, &["run", "step"], &numbers, options)?;
                let each = journal.each(|mut curve| {
                    measures.take(&curve);
                    failures.extend(curve.failure.take().map(|failure| (curve.run, failure)));
                    rows(&mut *table, runs, setup.delta, &curve)
                });
                each.and_then(|()| table.finish()).map_err(unwritable)?;
                journal.remove().map_err(unwritable)?;
            }
            _ => {
                self.curves.sort_by_key(|curve| curve.run);
                let mut text = table::Text::begin(&["run", "step"], &numbers, Numbers::Decimal);
                for mut curve in self.curves {
                    measures.take(&curve);
                    failures.extend(curve.failure.take().map(|failure| (curve.run, failure)));
                    // Writing to memory cannot fail.
                    let _ = rows(&mut text, runs, setup.delta, &curve);
                }
                // The indices are what is asked for; the runs are in a file that is.
                if !runs.design.has_indices() {
                    printed = text.text();
                }
            }
        }
        // A sweep that was stopped has only some of the runs.
        let whole = if signal.is_none() { measures.report(runs, &setup.columns) } else { None };
        if let (Some(file), Some(report)) = (&setup.indices, &whole) {
            let bytes = report.csv(setup.marks);
            file.replace(&bytes).map_err(|error| TableError::Unwritable(file.display().to_string(), error))?;
        }
        if let Some(file) = &setup.failures {
            let bytes = failure_table(runs, &names, &failures, setup.marks);
            file.replace(&bytes).map_err(|error| TableError::Unwritable(file.display().to_string(), error))?;
        }
        if !setup.is_quiet {
            for (run, failure) in failures.iter().take(MAX_PRINTED) {
                complain(&format!("run {run} {}: {failure}", at(runs, *run)));
            }
            if failures.len() > MAX_PRINTED {
                let more = if setup.failures.is_some() { "" } else { " (--failures FILE lists all)" };
                complain(&format!("{} further runs failed{more}", failures.len() - MAX_PRINTED));
            }
        }
        if setup.format == OutputFormat::Json {
            let (failed, out) = (failures.len(), setup.out.as_deref());
            let listed = failures.iter().take(MAX_LISTED).map(|(run, failure)| FailedRun {
                run: *run,
                values: names.iter().map(String::as_str).zip(runs.values(*run)).collect(),
                failure,
            });
            let failures = listed.collect();
            let indices = whole.as_ref().map(IndexReport::json).unwrap_or_default();
            let summary = Summary { runs: setup.count, failed, failures, indices, out, provenance: &setup.origin };
            printed = json(&summary);
        } else {
            if setup.out.is_some() && !setup.is_quiet {
                printed = format!("{} runs, {} failed\n", setup.count, failures.len());
            }
            printed += &whole.map_or_else(String::new, |report| report.text());
        }
        let code = if failures.is_empty() { SUCCESS } else { FAILURE };
        Ok((printed, signal.map_or(code, StopSignal::code)))
    }
}

#[cfg(feature = "pool")]
impl crate::pool::SweepStore for Results {
    fn is_done(&self, run: u64) -> bool {
        Results::is_done(self, run)
    }

    fn done(&self) -> u64 {
        Results::done(self)
    }

    fn store(&mut self, curve: Curve) -> io::Result<crate::pool::Stored> {
        use crate::pool::Stored;

        let known = match &mut self.journal {
            Some(journal) => journal.bytes(curve.run)?,
            None => self.indices.get(&curve.run).and_then(|index| self.curves.get(*index)).map(Curve::to_bytes),
        };
        match known {
            Some(known) if known == curve.to_bytes() => Ok(Stored::Same),
            Some(_) => Ok(Stored::Differs),
            None => match self.add(curve) {
                Err(Failure::Journal(_, error)) => Err(error),
                Err(error) => Err(io::Error::other(error)),
                Ok(()) => Ok(Stored::New),
            },
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        self.journal.as_mut().map_or(Ok(()), SweepJournal::sync)
    }
}

/// The maximum number of failed runs to list.
const MAX_PRINTED: usize = 20;
/// The maximum number of failed runs in a summary.
const MAX_LISTED: usize = 1000;

/// A run that failed, with the values that it had.
#[derive(Serialize)]
struct FailedRun<'a> {
    run: u64,
    values: BTreeMap<&'a str, f64>,
    failure: &'a str,
}

/// Formats the failed runs as CSV: the run, the values that it had, the failure.
fn failure_table(runs: &Runs, names: &[String], failures: &[(u64, String)], marks: Marks) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().delimiter(marks.separator).from_writer(Vec::new());
    let head = ["run"].into_iter().chain(names.iter().map(String::as_str)).chain(["failure"]);
    // Writing to memory cannot fail.
    let _ = writer.write_record(head);
    for (run, failure) in failures {
        let values = runs.values(*run);
        let values = values.iter().map(|value| marks.with_decimal(value.to_string())).collect::<Vec<_>>();
        let _ = writer.write_record([run.to_string()].iter().chain(&values).chain([failure]));
    }
    writer.into_inner().unwrap_or_default()
}

#[derive(Serialize)]
struct Summary<'a> {
    runs: u64,
    failed: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failures: Vec<FailedRun<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    indices: Vec<MeasureReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<&'a Path>,
    provenance: &'a Provenance,
}

/// Formats the values of a run: `(Gain=2, f0=3)`.
fn at(runs: &Runs, run: u64) -> String {
    let values = runs.values(run);
    let pairs: Vec<String> =
        runs.varied.iter().zip(values).map(|(vary, value)| format!("{}={value}", vary.path)).collect();
    format!("({})", pairs.join(", "))
}

fn rows(table: &mut dyn Table, runs: &Runs, delta: f64, curve: &Curve) -> io::Result<()> {
    let values = runs.values(curve.run);
    let mut numbers = Vec::new();
    for (row, step) in curve.steps.iter().enumerate() {
        numbers.clear();
        numbers.extend_from_slice(&values);
        numbers.push(*step as f64 * delta);
        for values in &curve.values {
            let width = values.len() / curve.steps.len();
            numbers.extend_from_slice(values.get(row * width..(row + 1) * width).unwrap_or_default());
        }
        table.row(&[curve.run as i64, *step as i64], &numbers)?;
    }
    Ok(())
}

/// The inputs that the runs of a sweep depend on, besides their values.
pub(super) struct Identity<'a> {
    /// The content of the simulation file.
    pub file: &'a [u8],
    pub set: &'a [String],
    pub delta: Option<f64>,
    pub signals: &'a str,
    pub steps: u64,
    pub every: Option<NonZeroU64>,
}

impl Identity<'_> {
    /// Names everything that affects a run, as written on the command line.
    pub fn of(&self, runs: &Runs, vary: &[String]) -> SweepIdentity {
        let named = |option: &str, text: &String| match text.split_once('=') {
            Some((path, values)) => (format!("{option} {}", path.trim()), values.trim().to_owned()),
            None => (option.to_owned(), text.clone()),
        };
        let one = |name: &str, value: String| (name.to_owned(), value);
        let file = format!("CRC {:08x} ({} bytes)", crc32fast::hash(self.file), self.file.len());
        let mut all = vec![one("version of this program", env!("CARGO_PKG_VERSION").to_owned())];
        all.push(one("content of the simulation file", file));
        all.extend(vary.iter().map(|text| named("--vary", text)));
        all.extend(self.set.iter().map(|text| named("--set", text)));
        all.push(one("--draws", runs.draws.to_string()));
        all.push(one("--seed", runs.seed.to_string()));
        all.extend((runs.design != SampleDesign::Random).then(|| one("--design", runs.design.name().to_owned())));
        all.push(one("--steps", self.steps.to_string()));
        all.push(one("--delta", self.delta.map_or("that of the file".to_owned(), |delta| delta.to_string())));
        all.push(one("--every", self.every.map_or("the last step".to_owned(), |every| every.to_string())));
        all.push(one("--signals", self.signals.to_owned()));
        // Another order gives the runs other numbers.
        all.push(one("order of --vary and --set", order(vary).chain(order(self.set)).collect::<Vec<_>>().join(", ")));
        SweepIdentity::new(all)
    }
}

fn order(texts: &[String]) -> impl Iterator<Item = &str> {
    texts.iter().map(|text| text.split_once('=').map_or(text.as_str(), |(path, _)| path.trim()))
}
