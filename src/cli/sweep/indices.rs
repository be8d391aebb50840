//! The effects of the parameters of a sweep, or their shares of the variance, as text, JSON and CSV.

use serde::Serialize;
use serde_json::Value;

use crate::engine::{Curve, Runs, SweepMeasure};
use crate::results::Marks;
use crate::rpc::number;
use crate::sampling::{SampleDesign, screening, variance_shares};

/// Collects the measures of the runs, each of which arrives once, in any order.
pub(super) struct MeasureTable {
    /// The column of each signal's element and the measure.
    measures: Vec<(usize, SweepMeasure)>,
    /// For each measure its value in each run; NaN for those that failed.
    values: Vec<Vec<f64>>,
}

impl MeasureTable {
    /// The last value of each column is measured, and where more steps are kept, their extremes and their mean.
    pub fn new(columns: usize, runs: u64, keeps_steps: bool) -> MeasureTable {
        let count = if keeps_steps { SweepMeasure::ALL.len() } else { 1 };
        let of_column = |column| SweepMeasure::ALL.into_iter().take(count).map(move |measure| (column, measure));
        let measures: Vec<_> = (0..columns).flat_map(of_column).collect();
        let values = vec![vec![f64::NAN; usize::try_from(runs).unwrap_or(0)]; measures.len()];
        MeasureTable { measures, values }
    }

    /// Takes a run; one that failed has no measures, though its curve may have begun.
    pub fn take(&mut self, curve: &Curve) {
        let Ok(run) = usize::try_from(curve.run) else { return };
        if curve.failure.is_some() || curve.steps.is_empty() {
            return;
        }
        let rows = curve.steps.len();
        let elements = |values: &Vec<f64>| values.len() / rows;
        let elements = curve.values.iter().flat_map(|values| (0..elements(values)).map(move |at| (values, at)));
        let elements: Vec<(&Vec<f64>, usize)> = elements.collect();
        for ((column, measure), of_runs) in self.measures.iter().zip(&mut self.values) {
            if let (Some((values, at)), Some(value)) = (elements.get(*column), of_runs.get_mut(run)) {
                let width = values.len() / rows;
                *value = measure.of(values.iter().skip(*at).step_by(width.max(1)).copied());
            }
        }
    }

    /// Returns what the runs say about the parameters; `None` for designs that have no indices.
    pub fn report(&self, runs: &Runs, columns: &[String]) -> Option<IndexReport> {
        let size = runs.size();
        let params = || runs.varied.iter().map(|vary| vary.path.clone());
        let mut measures = Vec::new();
        for ((column, measure), values) in self.measures.iter().zip(&self.values) {
            let (used, parameters) = match runs.design {
                SampleDesign::Morris => {
                    let found = screening(&size, values);
                    let of_param = |(parameter, effect): (String, &crate::sampling::Effect)| {
                        let [low, high] = effect.interval;
                        let numbers = [effect.mean, effect.mean_abs, low, high, effect.deviation].to_vec();
                        ParamIndices { parameter, numbers }
                    };
                    (found.used, params().zip(&found.effects).map(of_param).collect())
                }
                SampleDesign::SobolIndices => {
                    let found = variance_shares(&size, values);
                    let of_param = |(parameter, index): (String, &crate::sampling::SobolIndex)| {
                        let ([low, high], [total_low, total_high]) = (index.first_interval, index.total_interval);
                        let numbers = [index.first, low, high, index.total, total_low, total_high].to_vec();
                        ParamIndices { parameter, numbers }
                    };
                    (found.used, params().zip(&found.indices).map(of_param).collect())
                }
                _ => return None,
            };
            let signal = columns.get(*column).cloned().unwrap_or_default();
            measures.push(MeasureIndices { signal, measure: measure.name(), used, parameters });
        }
        Some(IndexReport { design: runs.design, samples: size.samples, measures })
    }
}

/// The indices of the parameters of a sweep.
pub(super) struct IndexReport {
    design: SampleDesign,
    samples: u64,
    measures: Vec<MeasureIndices>,
}

struct MeasureIndices {
    signal: String,
    measure: &'static str,
    /// The number of samples without failed runs.
    used: usize,
    parameters: Vec<ParamIndices>,
}

struct ParamIndices {
    parameter: String,
    /// In the order of [`IndexReport::names`].
    numbers: Vec<f64>,
}

impl IndexReport {
    /// The names of the numbers in files.
    fn names(&self) -> &'static [&'static str] {
        match self.design {
            SampleDesign::Morris => &["mu", "mu_star", "mu_star_low", "mu_star_high", "sigma"],
            _ => &["S1", "S1_low", "S1_high", "ST", "ST_low", "ST_high"],
        }
    }

    /// Formats the report as a table for each measure.
    pub fn text(&self) -> String {
        let (head, what) = match self.design {
            SampleDesign::Morris => (&["parameter", "µ*", "95 % interval", "µ", "σ"][..], "trajectories"),
            _ => (&["parameter", "S1", "95 % interval", "ST", "95 % interval"][..], "samples"),
        };
        let mut text = String::new();
        for MeasureIndices { signal, measure, used, parameters } in &self.measures {
            let of = if *used as u64 == self.samples { String::new() } else { format!(" of {}", self.samples) };
            let gap = if text.is_empty() { "" } else { "\n" };
            text += &format!("{gap}{signal} ({measure}), {used}{of} {what}\n");
            if parameters.iter().flat_map(|of| &of.numbers).all(|value| value.is_nan()) {
                let why = if *used == 0 { "no sample is complete" } else { "the result is the same in all runs" };
                text += &format!("  {why}\n");
                continue;
            }
            let mut rows: Vec<Vec<String>> = vec![head.iter().map(|cell| (*cell).to_owned()).collect()];
            for ParamIndices { parameter, numbers } in parameters {
                let range = |low: &f64, high: &f64| format!("{} to {}", short(*low), short(*high));
                let cells = match (self.design, &numbers[..]) {
                    (SampleDesign::Morris, [mean, mean_abs, low, high, deviation]) => {
                        [short(*mean_abs), range(low, high), short(*mean), short(*deviation)]
                    }
                    (_, [first, low, high, total, total_low, total_high]) => {
                        [share(*first), shares(*low, *high), share(*total), shares(*total_low, *total_high)]
                    }
                    _ => continue,
                };
                rows.push([parameter.clone()].into_iter().chain(cells).collect());
            }
            text += &aligned(&rows);
        }
        text
    }

    /// Formats the report for JSON.
    pub fn json(&self) -> Vec<MeasureReport> {
        let of_param = |param: &ParamIndices| {
            let name = [("parameter".to_owned(), Value::from(param.parameter.as_str()))];
            let numbers = self.names().iter().zip(&param.numbers);
            name.into_iter().chain(numbers.map(|(name, value)| ((*name).to_owned(), number(*value)))).collect()
        };
        let of_measure = |measure: &MeasureIndices| MeasureReport {
            design: self.design.name(),
            signal: measure.signal.clone(),
            measure: measure.measure,
            samples: self.samples,
            used: measure.used,
            parameters: measure.parameters.iter().map(of_param).collect(),
        };
        self.measures.iter().map(of_measure).collect()
    }

    /// Formats the report as CSV, a row for each parameter of each measure.
    pub fn csv(&self, marks: Marks) -> Vec<u8> {
        let mut writer = csv::WriterBuilder::new().delimiter(marks.separator).from_writer(Vec::new());
        let head = ["signal", "measure", "parameter", "samples"].iter().chain(self.names());
        // Writing to memory cannot fail.
        let _ = writer.write_record(head);
        for MeasureIndices { signal, measure, used, parameters } in &self.measures {
            for ParamIndices { parameter, numbers } in parameters {
                let start = [signal.clone(), (*measure).to_owned(), parameter.clone(), used.to_string()];
                let numbers = numbers.iter().map(|value| marks.with_decimal(value.to_string()));
                let _ = writer.write_record(start.into_iter().chain(numbers));
            }
        }
        writer.into_inner().unwrap_or_default()
    }
}

/// The indices of a measure in JSON.
#[derive(Serialize)]
pub(super) struct MeasureReport {
    design: &'static str,
    signal: String,
    measure: &'static str,
    samples: u64,
    /// The number of samples without failed runs.
    used: usize,
    /// The numbers of each parameter by name.
    parameters: Vec<serde_json::Map<String, Value>>,
}

/// Aligns the columns of rows: the first one at the left, numbers at the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let length = |row: &Vec<String>, column: usize| row.get(column).map_or(0, |cell| cell.chars().count());
    let widths: Vec<usize> =
        (0..columns).map(|column| rows.iter().map(|row| length(row, column)).max().unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let aligned = |(column, (cell, width)): (usize, (&String, &usize))| match column {
            0 => format!("{cell:width$}"),
            _ => format!("{cell:>width$}"),
        };
        let cells: Vec<String> = row.iter().zip(&widths).enumerate().map(aligned).collect();
        format!("  {}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

/// Formats a share of the variance.
fn share(value: f64) -> String {
    if value.is_nan() { "-".to_owned() } else { format!("{value:.4}") }
}

fn shares(low: f64, high: f64) -> String {
    format!("{} to {}", share(low), share(high))
}

/// Formats a number with up to five significant digits.
fn short(value: f64) -> String {
    if value.is_nan() {
        return "-".to_owned();
    }
    crate::block::number_text(format!("{value:.4e}").parse().unwrap_or(value))
}
