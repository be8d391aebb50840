//! The experiments of `simulate fit`: data files, the signals of their columns, and the options of each.

use std::path::Path;

use super::FitArgs;
use crate::block::parse_number;
use crate::calibration::{ColumnWeights, DataError, Experiment, MeasuredCurve, TableColumns};
use crate::cli::opened::{OpenError, OpenOptions, Opened};
use crate::components::Components;
use crate::engine::{Program, SelectedSignal};
use crate::results::{ReadTableError, read_table};

/// Why data have no experiments.
#[derive(Debug, thiserror::Error)]
pub enum FitDataError {
    #[error("--data: {0}")]
    Table(#[from] ReadTableError),
    #[error("--data {0}: {1}")]
    Columns(String, DataError),
    #[error("{0} {1}: expected the name of a file of --data")]
    NoFile(&'static str, String),
    #[error("--map {0}: expected COLUMN=SIGNAL")]
    Map(String),
    #[error("--map {0}: no file has this column")]
    Unmapped(String),
    #[error("--weight {0}: expected COLUMN=WEIGHT, a number of at least 0 or a column")]
    Weight(String),
    #[error("--weight {0}: no measured curve has this column")]
    Unweighted(String),
    #[error("--map {0}: {1}")]
    Signal(String, OpenError),
    #[error(
        "--data {0}: no column has the name of a signal; name the signals by --map COLUMN=SIGNAL. The columns are: {1}"
    )]
    NoCurve(String, String),
    #[error(transparent)]
    Open(#[from] OpenError),
}

/// Splits the values of an option that takes two.
pub fn pairs(values: &[String]) -> impl Iterator<Item = (&str, &str)> {
    values.chunks_exact(2).filter_map(|pair| Some((&**pair.first()?, &**pair.get(1)?)))
}

/// Returns the number of the experiment of a data file, by its path or its name.
pub fn experiment_of(args: &FitArgs, file: &str, option: &'static str) -> Result<usize, FitDataError> {
    let is_named = |path: &Path| path == Path::new(file) || path.file_name().is_some_and(|name| name == file);
    let found = args.data.iter().position(|path| is_named(path));
    found.ok_or_else(|| FitDataError::NoFile(option, file.to_owned()))
}

/// The experiments of a fit.
pub struct FitData {
    pub experiments: Vec<Experiment>,
    /// The options of each, as `PATH=VALUE`.
    #[cfg_attr(not(feature = "pool"), allow(dead_code, reason = "only pools need it"))]
    pub sets: Vec<Vec<String>>,
    /// The columns of data that belong to no signal.
    pub unused: Vec<String>,
}

/// Reads the data files, and returns an experiment for each.
pub fn fit_data(args: &FitArgs, components: &Components) -> Result<FitData, FitDataError> {
    let maps = args.map.iter().map(|text| {
        let (column, signal) = text.split_once('=').ok_or_else(|| FitDataError::Map(text.clone()))?;
        Ok((column.trim(), signal.trim()))
    });
    let maps: Vec<(&str, &str)> = maps.collect::<Result<_, FitDataError>>()?;
    let weights = args.weight.iter().map(|text| {
        let malformed = || FitDataError::Weight(text.clone());
        let (column, weight) = text.rsplit_once('=').ok_or_else(malformed)?;
        Ok((
            column.trim(),
            match parse_number(weight.trim()) {
                Ok(number) if number >= 0.0 && number.is_finite() => ColumnWeights::Constant(number),
                Ok(_) => return Err(malformed()),
                Err(_) => ColumnWeights::Column(weight.trim().to_owned()),
            },
        ))
    });
    let weights: Vec<(&str, ColumnWeights)> = weights.collect::<Result<_, FitDataError>>()?;
    let mut sets = vec![args.set.clone(); args.data.len()];
    for (file, set) in pairs(&args.set_for) {
        let number = experiment_of(args, file, "--set-for")?;
        sets.iter_mut().skip(number).take(1).for_each(|sets| sets.push(set.to_owned()));
    }
    let (mut found, mut unused, mut without) = (Vec::<Experiment>::new(), Vec::new(), None);
    for (path, set) in args.data.iter().zip(&sets) {
        let name = path.display().to_string();
        let given = OpenOptions { set, delta: args.delta, files: Some(&args.files) };
        let opened = Opened::open(components, &args.file, given)?;
        let program = opened.compile()?;
        let table = read_table(path)?;
        let failed = |error| FitDataError::Columns(name.clone(), error);
        let columns = TableColumns::new(&table, args.time.as_deref()).map_err(failed)?;
        let (mut curves, mut outputs) = (Vec::new(), Vec::new());
        for column in columns.names() {
            let signal = match maps.iter().find(|(of, _)| *of == column) {
                Some((_, signal)) => {
                    let found = signal_of(&opened, &program, signal);
                    Some(found.map_err(|error| FitDataError::Signal(format!("{column}={signal}"), error))?)
                }
                // A signal may be in the file under several names.
                None if maps.is_empty() => signal_of(&opened, &program, column)
                    .ok()
                    .filter(|(signal, element)| !outputs.contains(&(signal.output, *element))),
                None => None,
            };
            let Some((signal, element)) = signal else {
                let is_weight = |(_, of): &(&str, ColumnWeights)| *of == ColumnWeights::Column(column.to_owned());
                if !unused.contains(&column.to_owned()) && !weights.iter().any(is_weight) {
                    unused.push(column.to_owned());
                }
                continue;
            };
            let weight = weights.iter().find(|(of, _)| *of == column).map(|(_, weight)| weight.clone());
            let rows = columns.rows(column, &weight.unwrap_or(ColumnWeights::Constant(1.0))).map_err(failed)?;
            outputs.push((signal.output, element));
            curves.push(MeasuredCurve { name: column.to_owned(), signal: signal.key, element, rows });
        }
        if curves.is_empty() {
            without.get_or_insert_with(|| {
                FitDataError::NoCurve(name.clone(), columns.names().collect::<Vec<_>>().join(", "))
            });
        }
        found.push(Experiment { name, setup: opened.setup.clone(), curves });
    }
    let has = |column: &str| found.iter().flat_map(|of| &of.curves).any(|curve| curve.name == column);
    if let Some((column, signal)) = maps.iter().find(|(column, _)| !has(column)) {
        return Err(FitDataError::Unmapped(format!("{column}={signal}")));
    }
    if without.is_none()
        && let Some((column, _)) = weights.iter().find(|(column, _)| !has(column))
    {
        return Err(FitDataError::Unweighted((*column).to_owned()));
    }
    without.map_or(Ok(FitData { experiments: found, sets, unused }), Err)
}

/// Finds a signal, or an element of one by its index in brackets.
fn signal_of(opened: &Opened, program: &Program, text: &str) -> Result<(SelectedSignal, usize), OpenError> {
    let whole = opened.signal(program, text);
    let indexed = text.strip_suffix(']').and_then(|text| text.rsplit_once('['));
    let indexed = indexed.and_then(|(path, element)| Some((path, element.parse::<usize>().ok()?)));
    match (whole, indexed) {
        (Ok(signal), _) => Ok((signal, 0)),
        (Err(_), Some((path, element))) => Ok((opened.signal(program, path)?, element)),
        (Err(error), None) => Err(error),
    }
}
