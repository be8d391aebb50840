//! The choices in the panel, without a window.

use std::path::PathBuf;

use simulate::app::panels::fit::{FitProblem, FitSignal, FitState};
use simulate::app::panels::param_list::{ParamChoice, ParamRow};
use simulate::block::{DataColumn, DataTable};
use simulate::model::{BlockId, SignalKey};

fn signal(id: i128, name: &str) -> FitSignal {
    let key = SignalKey::new(&[], BlockId(id), "Output");
    FitSignal { key, element: 0, name: name.to_owned(), others: Vec::new(), is_held: false }
}

fn param(path: &str, value: f64, limits: (f64, f64)) -> ParamChoice {
    ParamChoice { name: path.to_owned(), path: path.to_owned(), value, limits, is_selected: false }
}

fn table(columns: &[(&str, &[f64])]) -> DataTable {
    let columns = columns.iter().map(|(name, values)| DataColumn { name: (*name).to_owned(), values: values.to_vec() });
    DataTable { columns: columns.collect(), interval: None }
}

/// A state with signals, of which the first is likely, and parameters.
fn state(names: &[&str], likely: usize) -> FitState {
    let mut state = FitState::default();
    state.choices.signals = names.iter().enumerate().map(|(id, name)| signal(id as i128, name)).collect();
    state.choices.likely = likely;
    state.choices.params =
        vec![param("Gain", 2.0, (f64::NEG_INFINITY, f64::INFINITY)), param("Width", 10.0, (0.0, 100.0))];
    state
}

fn taken(names: &[&str], likely: usize, columns: &[(&str, &[f64])]) -> FitState {
    let mut state = state(names, likely);
    state.take(PathBuf::from("data.csv"), table(columns));
    state
}

/// The index of the signal of each column.
fn paired(state: &FitState) -> Vec<Option<i128>> {
    state.columns.iter().map(|row| row.signal.as_ref().map(|(key, _)| key.block.0)).collect()
}

#[test]
fn columns_find_the_signals_of_their_names() {
    let names = ["Plant.Output", "speed", "Speed", "Arm.theta"];
    let rows: &[f64] = &[1.0, 2.0];
    let find = |name: &str| paired(&taken(&names, 0, &[("time", rows), (name, rows)]))[0];
    assert_eq!(find("Speed"), Some(2), "exactly the same comes first");
    assert_eq!(find("SPEED"), Some(1), "of several that are as like, the first");
    assert_eq!(find("speed (m/s)"), Some(1));
    assert_eq!(find("speed [m/s]"), Some(1));
    assert_eq!(find("plant"), Some(0), "a block is called as its output");
    assert_eq!(find("arm theta"), Some(3));
    assert_eq!(find("theta"), None);
    assert_eq!(find("(1)"), None);
    assert_eq!(find("°"), None, "no letters are no name");
}

#[test]
fn a_signal_belongs_to_one_column() {
    let rows: &[f64] = &[1.0, 2.0];
    let state = taken(&["speed"], 1, &[("time", rows), ("speed", rows), ("Speed", rows)]);
    assert_eq!(paired(&state), [Some(0), None]);
}

#[test]
fn the_only_column_is_the_only_signal_that_is_looked_at() {
    let rows: &[f64] = &[1.0, 2.0];
    assert_eq!(paired(&taken(&["a", "b"], 1, &[("time", rows), ("x", rows)])), [Some(0)]);
    assert_eq!(paired(&taken(&["a", "b"], 2, &[("time", rows), ("x", rows)])), [None], "there are two");
    assert_eq!(paired(&taken(&["a", "b"], 1, &[("time", rows), ("x", rows), ("y", rows)])), [None, None]);
}

#[test]
fn times_are_recognized() {
    let (rising, falling): (&[f64], &[f64]) = (&[0.0, 1.0, 2.0], &[5.0, 4.0, 3.0]);
    let time = |columns: &[(&str, &[f64])]| taken(&[], 0, columns).time;
    assert_eq!(time(&[("v", rising), ("Time [s]", falling)]).as_deref(), Some("Time [s]"));
    assert_eq!(time(&[("v", falling), ("when", rising)]).as_deref(), Some("when"), "the one that rises");
    assert_eq!(time(&[("v", falling), ("w", falling)]).as_deref(), Some("v"), "else the first");
    assert_eq!(time(&[]), None);
    let mut state = state(&[], 0);
    state.take("sound.wav".into(), DataTable { interval: Some(0.1), ..table(&[("left", rising)]) });
    assert_eq!(state.time, None, "the file says how far rows are apart");
    assert_eq!(state.columns.len(), 1);
}

/// A state in which nothing is missing.
fn ready() -> FitState {
    let mut state =
        taken(&["y"], 1, &[("time", &[0.0, 1.0, 2.0]), ("y", &[1.0, f64::NAN, 3.0]), ("w", &[1.0, 2.0, 3.0])]);
    state.params.row_mut("Gain").is_chosen = true;
    state
}

#[test]
fn each_thing_that_is_missing_is_asked_for_in_turn() {
    let mut state = state(&["y"], 0);
    assert_eq!(state.chosen().err(), Some(FitProblem::NoFile));
    state.take("data.csv".into(), table(&[("time", &[0.0, 1.0]), ("volts", &[1.0, 2.0])]));
    assert_eq!(state.chosen().err(), Some(FitProblem::NoCurve));
    state.columns[0].signal = Some((state.choices.signals[0].key.clone(), 0));
    assert_eq!(state.chosen().err(), Some(FitProblem::NoParam));
    state.params.row_mut("Gain").is_chosen = true;
    let chosen = state.chosen().expect("nothing is missing");
    assert_eq!((chosen.params.len(), chosen.starts.len(), chosen.curves.len()), (1, 0, 1));
    // A signal that is deleted.
    state.choices.signals.clear();
    state.choices_of = Some((1, true, None));
    assert_eq!(state.chosen().err(), Some(FitProblem::NoSignal("volts".to_owned())));
}

#[test]
fn empty_cells_are_left_out_and_weights_are_numbers_or_columns() {
    let mut state = ready();
    let rows = |state: &mut FitState| {
        let rows = state.curves().map(|curves| curves[0].measured.rows.clone());
        rows.map(|rows| rows.iter().map(|row| (row.time, row.value, row.weight)).collect::<Vec<_>>())
    };
    assert_eq!(rows(&mut state), Ok(vec![(0.0, 1.0, 1.0), (2.0, 3.0, 1.0)]));
    state.columns[0].weight = " 0.5 ".to_owned();
    assert_eq!(rows(&mut state), Ok(vec![(0.0, 1.0, 0.5), (2.0, 3.0, 0.5)]));
    state.columns[0].weight = "w".to_owned();
    assert_eq!(rows(&mut state), Ok(vec![(0.0, 1.0, 1.0), (2.0, 3.0, 3.0)]));
    state.columns[0].weight = "-1".to_owned();
    assert_eq!(rows(&mut state), Err(FitProblem::Weight("y".to_owned(), "-1".to_owned())));
    state.columns[0].weight = "nothing".to_owned();
    assert!(matches!(rows(&mut state), Err(FitProblem::Data(text)) if text.contains("nothing")));
}

#[test]
fn typed_bounds_starts_and_scales_are_checked() {
    let problem = |path: &str, change: fn(&mut ParamRow)| {
        let mut state = ready();
        state.params.row_mut(path).is_chosen = true;
        change(state.params.row_mut(path));
        state.chosen().map(|chosen| (chosen.params.last().cloned(), chosen.starts))
    };
    let (param, starts) = problem("Width", |row| {
        (row.start, row.low, row.high) = ("20".to_owned(), "1e-3".to_owned(), "50".to_owned());
        row.is_log = true;
    })
    .expect("a parameter");
    let param = param.expect("a parameter");
    assert_eq!(
        (param.free.low, param.free.high, param.free.is_log, starts),
        (1e-3, 50.0, true, vec![("Width".to_owned(), 20.0)])
    );
    let error = |path, change| problem(path, change).expect_err("a problem").to_string();
    assert_eq!(error("Width", |row| row.low = "abc".to_owned()), "Width: the lower bound “abc” is not a number");
    assert_eq!(
        error("Width", |row| (row.low, row.high) = ("5".to_owned(), "5".to_owned())),
        "Width: the lower bound must be below the upper one"
    );
    assert_eq!(error("Width", |row| row.low = "11".to_owned()), "Width: the start 10 is not between 11 and 100");
    assert_eq!(error("Width", |row| row.start = "101".to_owned()), "Width: the start 101 is not between 0 and 100");
    assert_eq!(
        error("Gain", |row| (row.start, row.is_log) = ("-2".to_owned(), true)),
        "Gain: only values above 0 have a logarithm, but the start is -2"
    );
}
