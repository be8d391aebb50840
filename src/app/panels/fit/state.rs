//! The choices of the user in the panel: the data file, the signals of its columns, the parameters, and how the fit proceeds.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::guess::{SignalNames, guess_time};
use super::problem::FitProblem;
use crate::app::doc::typed;
use crate::app::panels::param_list::{ChosenParam, ParamChoice, ParamRows};
use crate::app::store::lab::FitCurve;
use crate::block::DataTable;
use crate::calibration::{CalibrationParam, ColumnWeights, FitOptions, MeasuredCurve, TableColumns};
use crate::model::{AddressMap, Change, SignalKey};
use crate::optimize::{Loss, MinimizeOptions};

/// A signal, or an element of one, that a column can belong to.
#[derive(Clone, Debug, PartialEq)]
pub struct FitSignal {
    pub key: SignalKey,
    /// The index of the element, from 0.
    pub element: usize,
    /// The displayed name.
    pub name: String,
    /// Further names that a column may have.
    pub others: Vec<String>,
    /// Whether its values are constant between samples.
    pub is_held: bool,
}

/// The signals and parameters of the simulation.
#[derive(Clone, Debug, Default)]
pub struct FitChoices {
    /// The ones that a column most likely belongs to come first.
    pub signals: Vec<FitSignal>,
    /// The number of signals in the plot where the file was dropped; without such a plot, in any plot or leading out.
    pub likely: usize,
    pub params: Vec<ParamChoice>,
}

/// A data file.
#[derive(Clone, Debug)]
pub struct DataFile {
    pub path: PathBuf,
    pub table: Arc<DataTable>,
}

impl DataFile {
    pub fn name(&self) -> String {
        name_of(&self.path)
    }
}

/// A column of the data file.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnRow {
    pub name: String,
    /// The signal and the element that was measured; `None`: the column is not used.
    pub signal: Option<(SignalKey, usize)>,
    /// A number or the name of a column, as typed; empty for 1.
    pub weight: String,
}

#[derive(Debug, Default)]
pub struct FitState {
    pub choices: FitChoices,
    /// The input of the choices: the revision of the document, whether it has a program, and the plot.
    pub choices_of: Option<(u64, bool, Option<usize>)>,
    pub file: Option<DataFile>,
    /// Why a file could not be read.
    pub unreadable: Option<String>,
    /// The column of times; `None` if the file defines the time from row to row, or has no columns.
    pub time: Option<String>,
    pub columns: Vec<ColumnRow>,
    pub params: ParamRows,
    /// The search in the list of signals of a column.
    pub signal_search: String,
    pub options: OptionRows,
    /// The plot that the file was dropped on.
    pub plot: Option<usize>,
    /// Counts data files; the figures are fitted to each new one.
    pub generation: u64,
    /// Whether the last frame had a result.
    pub shows_result: bool,
    /// Why the last fit could not begin, or its values not be written.
    pub problem: Option<String>,
    /// The change that writes the values of the fit, for this revision of the document.
    pub change: Option<(u64, Change)>,
    /// The input of the change: the revision of the document, and the number of runs of the fit.
    pub change_of: Option<(u64, u64)>,
    /// The last measured curves, and what they were read from.
    read: Option<(CurvesFrom, ReadCurves)>,
}

/// The measured curves, or why there are none.
pub type ReadCurves = Result<Arc<[FitCurve]>, FitProblem>;

/// The input of measured curves.
#[derive(Debug, PartialEq)]
struct CurvesFrom {
    generation: u64,
    time: Option<String>,
    columns: Vec<ColumnRow>,
    choices_of: Option<(u64, bool, Option<usize>)>,
}

/// The folded options.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionRows {
    pub starts: u64,
    pub seed: u64,
    pub loss: Loss,
    pub loss_scale: f64,
    pub has_profiles: bool,
}

impl Default for OptionRows {
    fn default() -> OptionRows {
        OptionRows { starts: 1, seed: 0, loss: Loss::Square, loss_scale: 1.0, has_profiles: false }
    }
}

impl OptionRows {
    fn options(&self) -> FitOptions {
        let minimize = MinimizeOptions { loss: self.loss, loss_scale: self.loss_scale, ..MinimizeOptions::default() };
        FitOptions {
            minimize,
            starts: self.starts.max(1) as usize,
            seed: self.seed,
            has_profiles: self.has_profiles,
            ..FitOptions::default()
        }
    }
}

/// The input of a fit, from the choices of the user.
#[derive(Clone, Debug)]
pub struct Chosen {
    pub curves: Arc<[FitCurve]>,
    pub params: Vec<CalibrationParam>,
    /// Starts other than the values of the simulation, with their paths.
    pub starts: Vec<(String, f64)>,
    pub options: FitOptions,
}

pub(super) fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

impl FitState {
    /// Takes a data file: recognizes its times, and pairs its columns with signals by their names.
    pub fn take(&mut self, path: PathBuf, table: DataTable) {
        let table = Arc::new(table);
        self.time = guess_time(&table);
        self.unreadable = None;
        self.file = Some(DataFile { path, table });
        self.generation += 1;
        self.pair();
    }

    /// Chooses the column of times, and pairs the others again.
    pub fn choose_time(&mut self, time: Option<String>) {
        if self.time != time {
            self.time = time;
            self.pair();
        }
    }

    fn pair(&mut self) {
        let Some(file) = &self.file else { return };
        // Times that cannot be used are told when the fit is asked for.
        let names: Vec<String> = match TableColumns::new(&file.table, self.time.as_deref()) {
            Ok(columns) => columns.names().map(str::to_owned).collect(),
            Err(_) => {
                let others = file.table.columns.iter().filter(|column| Some(&column.name) != self.time.as_ref());
                others.map(|column| column.name.clone()).collect()
            }
        };
        let of = SignalNames::of(&self.choices.signals);
        let mut used: Vec<(SignalKey, usize)> = Vec::new();
        let mut rows: Vec<ColumnRow> = Vec::new();
        for name in names {
            let is_free = |signal: &FitSignal| !used.contains(&(signal.key.clone(), signal.element));
            let found = of.find(&name, is_free).map(|signal| (signal.key.clone(), signal.element));
            used.extend(found.clone());
            rows.push(ColumnRow { name, signal: found, weight: String::new() });
        }
        // One column beside the times is the one signal that is looked at, whatever its name is.
        let likely = self.choices.signals.get(..self.choices.likely).unwrap_or_default();
        if let ([row], [only]) = (&mut rows[..], likely)
            && row.signal.is_none()
        {
            row.signal = Some((only.key.clone(), only.element));
        }
        self.columns = rows;
    }

    /// Lets the chosen signals and parameters follow a change of the document.
    pub fn relocate(&mut self, map: &AddressMap) {
        for (signal, _) in self.columns.iter_mut().filter_map(|column| column.signal.as_mut()) {
            *signal = map.signal(signal);
        }
        self.params.relocate(map);
    }

    /// Returns the measured curves. They are read again only where something has changed.
    ///
    /// # Errors
    /// If there is no file, no column has a signal, or its numbers cannot be used.
    pub fn curves(&mut self) -> ReadCurves {
        let from = CurvesFrom {
            generation: self.generation,
            time: self.time.clone(),
            columns: self.columns.clone(),
            choices_of: self.choices_of,
        };
        match &self.read {
            Some((known, curves)) if *known == from => curves.clone(),
            _ => {
                let curves = self.read_curves().map(|curves| match &self.read {
                    Some((_, Ok(known))) if self.are_still(known, &curves) => Arc::clone(known),
                    _ => Arc::from(curves),
                });
                self.read.insert((from, curves)).1.clone()
            }
        }
    }

    /// Returns whether curves are those that are known. Without a program it is not known which signals hold their values.
    fn are_still(&self, known: &[FitCurve], curves: &[FitCurve]) -> bool {
        let has_program = self.choices_of.is_some_and(|(_, has_program, _)| has_program);
        let is_same = |(one, other): (&FitCurve, &FitCurve)| {
            one.measured == other.measured && (one.is_held == other.is_held || !has_program)
        };
        known.len() == curves.len() && known.iter().zip(curves).all(is_same)
    }

    fn read_curves(&self) -> Result<Vec<FitCurve>, FitProblem> {
        let file = self.file.as_ref().ok_or(FitProblem::NoFile)?;
        let columns = TableColumns::new(&file.table, self.time.as_deref())?;
        let mut curves = Vec::new();
        for row in &self.columns {
            let Some((key, element)) = &row.signal else { continue };
            let mut known = self.choices.signals.iter();
            let known = known.find(|signal| signal.key == *key && signal.element == *element);
            let is_held = known.ok_or_else(|| FitProblem::NoSignal(row.name.clone()))?.is_held;
            let rows = columns.rows(&row.name, &weights_of(row)?)?;
            let measured = MeasuredCurve { name: row.name.clone(), signal: key.clone(), element: *element, rows };
            curves.push(FitCurve { measured, is_held });
        }
        if curves.is_empty() {
            return Err(FitProblem::NoCurve);
        }
        Ok(curves)
    }

    /// Returns all that a fit needs.
    ///
    /// # Errors
    /// If something is still to be chosen, or a text is invalid; the message says what to do next.
    pub fn chosen(&mut self) -> Result<Chosen, FitProblem> {
        let curves = self.curves()?;
        let chosen = self.params.chosen(&self.choices.params, |_| (f64::NEG_INFINITY, f64::INFINITY))?;
        let (mut wanted, mut starts) = (Vec::new(), Vec::new());
        for ChosenParam { free, start } in chosen {
            starts.extend(start.map(|start| (free.path.clone(), start)));
            wanted.push(CalibrationParam { free, experiment: None });
        }
        if wanted.is_empty() {
            return Err(FitProblem::NoParam);
        }
        Ok(Chosen { curves, params: wanted, starts, options: self.options.options() })
    }
}

fn weights_of(row: &ColumnRow) -> Result<ColumnWeights, FitProblem> {
    let text = row.weight.trim();
    match typed::number(text) {
        _ if text.is_empty() => Ok(ColumnWeights::Constant(1.0)),
        Some(number) if number >= 0.0 => Ok(ColumnWeights::Constant(number)),
        Some(_) => Err(FitProblem::Weight(row.name.clone(), text.to_owned())),
        None => Ok(ColumnWeights::Column(text.to_owned())),
    }
}
