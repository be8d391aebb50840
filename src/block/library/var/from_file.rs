use std::sync::Arc;

use crate::block::library::data::{Curve, Extrapolation, Interpolation};
use crate::block::{BlockDef, Builder, Clock, DataTable, Expr, Face, FileAccess, HostFn, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "From File",
    doc: "Reads a signal over time from a CSV, WAV, NumPy or MATLAB file",
    formula: "y = the curve through the rows of the file at t − delay; before and after them as Outside selects",
    aliases: &[
        "csv",
        "wav",
        "npz",
        "mat",
        "data source (csv)",
        "data source",
        "from spreadsheet",
        "spreadsheet",
        "playback",
        "import",
        "recorded signal",
        "readc_f",
        "read from measurement file",
        "from workspace",
    ],
    look: Look::rect(Face::Strokes(&[
        &[(0.2, 0.08), (0.62, 0.08), (0.8, 0.26), (0.8, 0.92), (0.2, 0.92), (0.2, 0.08)],
        &[(0.62, 0.08), (0.62, 0.26), (0.8, 0.26)],
        &[(0.3, 0.7), (0.42, 0.45), (0.54, 0.6), (0.7, 0.4)],
    ])),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::file(FILE, "", FileAccess::Read).doc(
            "The file, relative to the folder of the simulation: .csv (with commas, semicolons or tabs), .wav, .npz or .npy \
             of NumPy, .mat of MATLAB up to version 7; the arrays with as many rows as “time” are its columns",
        ),
        ParamDef::text(COLUMNS, "").doc(
            "The headings, or numbers from 1, of the output columns, separated by commas; empty: all but the times",
        ),
        ParamDef::text(TIMES, "")
            .doc("The heading or number of the column of times in seconds; empty: “time”, else the first"),
        ParamDef::number(INTERVAL, &[0.0])
            .between(0.0, f64::INFINITY)
            .fixed()
            .unit("s")
            .doc("The time from row to row, where there is no column of times; 0: from that column or from the file"),
        ParamDef::choice("Interpolation", &["linear", "hold", "nearest"])
            .doc("Between rows: a straight line, the row before, the nearest row"),
        ParamDef::choice("Outside", &["hold", "zero", "extrapolate", "repeat"])
            .doc("Before the first and after the last row: that row, 0, extrapolation, or all rows repeated"),
        ParamDef::number("Delay", &[0.0]).unit("s").doc("The simulation time of time 0 in the file"),
    ],
    build: |b| {
        let curve = b.files().table(b.settings().text(FILE)).map_err(|error| (FILE, error.to_string()));
        match curve.and_then(|table| curve_of(b, &table)) {
            Ok(curve) => {
                b.output(0, value(b, curve));
            }
            Err((param, problem)) => {
                b.refuse(param, problem);
                b.output(0, b.constant(0.0));
            }
        }
    },
    examples: &[],
};

/// Writes the value of a curve now, and announces its jumps and kinks.
fn value<'b>(b: &'b Builder<'b>, curve: Curve) -> Expr<'b> {
    let (width, delay) = (curve.columns.len(), b.param("Delay"));
    let is_stepped = curve.interpolation != Interpolation::Linear;
    let next = |rows: Curve| {
        let decided = b.decided_since(delay);
        let begin = match curve.extrapolation {
            Extrapolation::Repeat(period) if period > 0.0 => ((decided - curve.times[0]) / period).floor() * period,
            _ => b.constant(0.0),
        };
        let next = b.native(HostFn(Arc::new(rows)), &[decided - begin], 1);
        // A curve that stops has no further rows: the next jump is at infinity.
        let is_there = next.lt(0.5 * Curve::NEVER);
        delay + begin + b.select(is_there, next, f64::INFINITY)
    };
    if is_stepped || curve.jumps() {
        let edge = if b.locates() { next(curve.rows_ahead(is_stepped)) } else { b.constant(0.0) };
        b.edge(edge);
        // The tolerance keeps rows that lie on a step of fixed length there.
        let time = match (is_stepped, b.locates()) {
            (true, true) => b.time_of_decision(),
            (true, false) => b.step_time() + b.clock(Clock::Delta) * 1e-9,
            (false, _) => b.time_before(edge),
        };
        if !is_stepped && b.locates() {
            b.kink(next(curve.rows_ahead(true)));
        }
        let value = b.native(HostFn(Arc::new(curve)), &[time - delay], width);
        return if is_stepped { b.settled(value) } else { value };
    }
    if b.locates() {
        b.kink(next(curve.rows_ahead(true)));
    }
    b.native(HostFn(Arc::new(curve)), &[b.time() - delay], width)
}

const FILE: &str = "File";
const COLUMNS: &str = "Columns";
const TIMES: &str = "Times";
const INTERVAL: &str = "Interval";

/// Returns the curve of the file, or the parameter at fault and the problem.
fn curve_of(b: &Builder, table: &DataTable) -> Result<Curve, (&'static str, String)> {
    let settings = b.settings();
    let known = || table.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ");
    let find = |wanted: &str, param| {
        let found = table.columns.iter().position(|column| column.name == wanted);
        let number = || wanted.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let found = found.or_else(|| number().filter(|&number| number < table.columns.len()));
        found.ok_or_else(|| (param, format!("there is no column “{wanted}”; the columns are: {}", known())))
    };
    let interval = Some(settings.number(INTERVAL)).filter(|interval| *interval > 0.0).or(table.interval);
    let named = settings.text(TIMES).trim();
    let times = match (named, interval) {
        ("", Some(_)) => None,
        ("", None) => Some(table.columns.iter().position(|column| is_time(&column.name)).unwrap_or(0)),
        (name, _) => Some(find(name, TIMES)?),
    };
    let chosen: Vec<usize> = match settings.text(COLUMNS).trim() {
        "" => (0..table.columns.len()).filter(|column| Some(*column) != times).collect(),
        names => names.split(',').map(|name| find(name.trim(), COLUMNS)).collect::<Result<_, _>>()?,
    };
    if chosen.is_empty() {
        return Err((COLUMNS, "the file has no column other than the times".to_owned()));
    }
    if table.rows() == 0 {
        return Err((FILE, "the file has no rows".to_owned()));
    }
    let times: Vec<f64> = match (times, interval) {
        (Some(times), _) => table.columns[times].values.clone(),
        (None, interval) => (0..table.rows()).map(|row| row as f64 * interval.unwrap_or(1.0)).collect(),
    };
    if let Some(row) = (0..times.len()).find(|&row| !times[row].is_finite() || row > 0 && times[row] < times[row - 1]) {
        return Err((TIMES, format!("the times must not decrease; row {} has {}", row + 1, times[row])));
    }
    let interpolation = match settings.choice("Interpolation") {
        "hold" => Interpolation::Hold,
        "nearest" => Interpolation::Nearest,
        _ => Interpolation::Linear,
    };
    let extrapolation = match settings.choice("Outside") {
        // More than the tolerance of held rows.
        "zero" => Extrapolation::Zero(2e-9 * b.delta()),
        "extrapolate" => Extrapolation::Extrapolate,
        "repeat" => {
            let span = times[times.len() - 1] - times[0];
            // The last of equally spaced rows lasts one interval.
            Extrapolation::Repeat(if settings.text(TIMES).trim().is_empty() {
                span + interval.unwrap_or(0.0)
            } else {
                span
            })
        }
        _ => Extrapolation::Hold,
    };
    let columns = chosen.into_iter().map(|column| table.columns[column].values.clone()).collect();
    Ok(Curve { times, columns, interpolation, extrapolation })
}

fn is_time(name: &str) -> bool {
    ["time", "t", "time [s]", "time (s)", "seconds"].contains(&name.trim().to_lowercase().as_str())
}
