//! Blocks that read and write files, with files in memory.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use simulate::block::{DataColumn, DataTable, FileError, Files, Registry, RowWriter};
use simulate::engine::{Context, Engines, Event, Runner, Samples, Speed, Start, TierUp, Writers, compile, diagnose};
use simulate::model::{BlockAddress, BlockId, Simulation, Variable};

use crate::sketch::{Sketch, is_close};

type Rows = Vec<Vec<Option<f64>>>;
/// Columns and rows of each file.
type Written = BTreeMap<String, (Vec<String>, Rows)>;

/// Files in memory.
#[derive(Debug, Default)]
struct MemoryFiles {
    tables: BTreeMap<String, DataTable>,
    written: Arc<Mutex<Written>>,
}

struct Page {
    path: String,
    content: (Vec<String>, Rows),
    written: Arc<Mutex<Written>>,
}

impl Files for MemoryFiles {
    fn table(&self, path: &str) -> Result<Arc<DataTable>, FileError> {
        self.tables.get(path).cloned().map(Arc::new).ok_or_else(|| FileError::Unreadable {
            error: io::Error::other("there is no such file"),
            path: path.into(),
        })
    }

    fn create(&self, path: &str, columns: &[String]) -> Result<Box<dyn RowWriter>, FileError> {
        if path == "full.csv" {
            return Err(full(path));
        }
        let content = (columns.to_vec(), Vec::new());
        Ok(Box::new(Page { path: path.to_owned(), content, written: Arc::clone(&self.written) }))
    }
}

fn full(path: &str) -> FileError {
    FileError::Unwritable { error: io::Error::other("the disk is full"), path: path.into() }
}

impl RowWriter for Page {
    fn row(&mut self, cells: &[Option<f64>]) -> Result<(), FileError> {
        self.content.1.push(cells.to_vec());
        if self.path == "small.csv" && self.content.1.len() > 2 { Err(full(&self.path)) } else { Ok(()) }
    }

    fn finish(self: Box<Self>) -> Result<(), FileError> {
        self.written.lock().expect("no panic").insert(self.path, self.content);
        Ok(())
    }
}

fn column(name: &str, values: &[f64]) -> DataColumn {
    DataColumn { name: name.to_owned(), values: values.to_vec() }
}

/// `a.csv`: a square of time up to 2 s with a jump at 3 s; `b.wav`: four samples of two channels, 0.5 s apart.
fn files() -> MemoryFiles {
    let times = column("time", &[0.0, 1.0, 2.0, 3.0, 3.0, 4.0]);
    let square = column("square", &[0.0, 1.0, 4.0, 9.0, 0.0, 2.0]);
    let down = column("down", &[5.0, 4.0, 3.0, 2.0, 1.0, 0.0]);
    let a = DataTable { columns: vec![times, square, down], interval: None };
    let wave = vec![column("1", &[0.0, 1.0, 0.0, -1.0]), column("2", &[1.0; 4])];
    let b = DataTable { columns: wave, interval: Some(0.5) };
    let bad = DataTable { columns: vec![column("time", &[0.0, 2.0, 1.0]), column("y", &[0.0; 3])], interval: None };
    let one = DataTable { columns: vec![column("time", &[1.0]), column("y", &[7.0])], interval: None };
    let jump = DataTable { columns: vec![column("time", &[1.0, 1.0]), column("y", &[7.0, 3.0])], interval: None };
    let tables = [
        ("a.csv", a),
        ("b.wav", b),
        ("bad.csv", bad),
        ("none.csv", DataTable::default()),
        ("one.csv", one),
        ("jump.csv", jump),
    ];
    MemoryFiles {
        tables: tables.into_iter().map(|(name, table)| (name.to_owned(), table)).collect(),
        ..MemoryFiles::default()
    }
}

fn registry() -> Registry {
    Registry::standard().with_files(Arc::new(files()))
}

fn reading(delta: f64, options: &[(&str, &[&str])]) -> Simulation {
    let sketch = Sketch::new(delta).block(0, "Var/From File", options).block(1, "exit y", &[]);
    sketch.wire("0.Output", "1.Input").simulation
}

/// Compares the first element of the output at multiples of `delta`, on every engine.
#[track_caller]
fn expect(delta: f64, options: &[(&str, &[&str])], values: &[f64]) {
    let simulation = reading(delta, options);
    for engine in ["simple", "flat", "compiled"] {
        let program = Arc::new(compile(&simulation, &registry()).expect("it compiles"));
        let mut execute =
            Engines::with(TierUp::Wait).get(engine).expect("the engine").prepare(&program).expect("it runs");
        let mut context = Context::new(&program);
        for (step, want) in values.iter().enumerate() {
            execute.run(&mut context, 1, &mut Samples::default()).expect("a step");
            let exits = context.exits(&program);
            let got = exits[0].1.as_ref().expect("a value")[0];
            assert!(is_close(got, *want), "{options:?}, step {step} on {engine}: {got}, not {want}");
        }
    }
}

const A: (&str, &[&str]) = ("File", &["a.csv"]);

#[test]
fn rows_are_joined_by_lines_or_held() {
    expect(0.5, &[A], &[0.0, 0.5, 1.0, 2.5, 4.0, 6.5, 0.0, 1.0, 2.0, 2.0]);
    expect(0.5, &[A, ("Interpolation", &["hold"])], &[0.0, 0.0, 1.0, 1.0, 4.0, 4.0, 0.0, 0.0, 2.0, 2.0]);
    expect(0.5, &[A, ("Interpolation", &["nearest"])], &[0.0, 1.0, 1.0, 4.0, 4.0, 9.0, 0.0, 2.0, 2.0, 2.0]);
    expect(1.0, &[A, ("Columns", &["down"])], &[5.0, 4.0, 3.0, 1.0, 0.0]);
    expect(1.0, &[A, ("Columns", &["3, square"])], &[5.0, 4.0, 3.0, 1.0, 0.0]);
    // Times must not decrease: neither the column that falls, nor “square”, which falls at its end, is accepted.
    expect(1.0, &[A, ("Interval", &["0.5"]), ("Columns", &["2"])], &[0.0, 4.0, 0.0, 2.0]);
}

/// The row at 4 s is the last one, and is there.
#[test]
fn zero_outside_begins_after_the_last_row() {
    for how in [&["hold"][..], &["nearest"], &["linear"]] {
        let how: &'static [&'static str] = Box::leak(how.to_vec().into_boxed_slice());
        expect(1.0, &[A, ("Interpolation", how), ("Outside", &["zero"])], &[0.0, 1.0, 4.0, 0.0, 2.0, 0.0]);
    }
}

#[test]
fn outside_of_the_rows_is_what_was_asked_for() {
    let outside = |how: &'static str| -> Vec<(&'static str, &'static [&'static str])> {
        let how: &'static [&'static str] = Box::leak(vec![how].into_boxed_slice());
        vec![A, ("Outside", how), ("Delay", &["2"])]
    };
    // From −2 s on.
    let late = |before: f64, between: f64, behind: &[f64]| {
        let mut values = vec![before, between, 0.0, 1.0, 4.0, 0.0, 2.0];
        values.extend_from_slice(behind);
        values
    };
    expect(1.0, &outside("hold"), &late(0.0, 0.0, &[2.0, 2.0]));
    expect(1.0, &outside("zero"), &late(0.0, 0.0, &[0.0, 0.0]));
    // The first piece has the slope 1, the last 2.
    expect(1.0, &outside("extrapolate"), &late(-2.0, -1.0, &[4.0, 6.0]));
    // Repeated every 4 s; where it repeats, the first row is valid.
    expect(1.0, &outside("repeat"), &[4.0, 0.0, 0.0, 1.0, 4.0, 0.0, 0.0, 1.0, 4.0]);
}

#[test]
fn sound_has_its_own_times_and_repeats_without_a_gap() {
    let b = ("File", &["b.wav"] as &[&str]);
    let repeat = ("Outside", &["repeat"] as &[&str]);
    expect(0.25, &[b, repeat], &[0.0, 0.5, 1.0, 0.5, 0.0, -0.5, -1.0, -0.5, 0.0, 0.5]);
    expect(0.5, &[b, repeat, ("Interpolation", &["hold"])], &[0.0, 1.0, 0.0, -1.0, 0.0, 1.0]);
    let program = compile(&reading(0.5, &[b]), &registry()).expect("it compiles");
    assert_eq!(program.outputs.values().next().map(|output| output.width), Some(2));
}

#[test]
fn a_file_that_cannot_be_read_is_reported_at_its_block() {
    for (options, problem) in [
        (vec![("File", &["x.csv"] as &[&str])], "File: the file cannot be read: there is no such file: x.csv"),
        (vec![("File", &["bad.csv"])], "Times: the times must not decrease; row 3 has 1"),
        (vec![("File", &["none.csv"])], "Columns: the file has no column other than the times"),
        (vec![A, ("Columns", &["up"])], "Columns: there is no column “up”; the columns are: time, square, down"),
    ] {
        let found = diagnose(&reading(1.0, &options), &registry());
        let [problem_found] = &found[..] else { panic!("{found:?}") };
        assert_eq!(problem_found.location.block, Some(BlockId(0)));
        assert!(problem_found.message.contains(problem), "{problem_found:?}");
    }
    // Also without access to files.
    let found = diagnose(&reading(1.0, &[A]), &Registry::standard());
    assert!(found[0].message.contains("files are not available here"), "{found:?}");
}

/// The file gets a clock and twice its value, as one vector.
fn writing(path: &str, decimation: &str) -> Simulation {
    Sketch::new(0.5)
        .block(0, "Var/Clock", &[])
        .block(1, "Math/Gain", &[("Gain", &["1", "2"])])
        .block(2, "Sink/To File", &[("File", &[path]), ("Inputs", &["2"]), ("Decimation", &[decimation])])
        .wire("0.Output", "1.Input")
        .wire("0.Output", "2.Input 1")
        .wire("1.Output", "2.Input 2")
        .simulation
}

fn run(simulation: Simulation, files: MemoryFiles) -> Event {
    let mut runner = Runner::new(|| {});
    runner.start(Start {
        simulation: Arc::new(simulation),
        registry: Arc::new(Registry::standard().with_files(Arc::new(files))),
        engine: Engines::with(TierUp::Wait).get(Engines::DEFAULT).cloned().expect("the default engine"),
        steps: Some(1000),
        watch: Vec::new(),
        speed: Speed::Fastest,
        is_paused: false,
        refuses_non_finite: false,
    });
    loop {
        let event = runner.wait(Duration::from_secs(60)).expect("another event");
        if event.is_last() {
            return event;
        }
    }
}

#[test]
fn every_so_many_steps_are_written() {
    let files = files();
    let written = Arc::clone(&files.written);
    assert!(matches!(run(writing("out.csv", "100"), files), Event::Finished { steps: 1000, .. }));
    let written = written.lock().expect("no panic");
    let (columns, rows) = &written["out.csv"];
    assert_eq!(columns[..], ["step", "time", "Input 1", "Input 2[0]", "Input 2[1]"]);
    let row = |number: usize| {
        let (step, time) = (100.0 * number as f64, 50.0 * number as f64);
        vec![Some(step), Some(time), Some(time), Some(time), Some(2.0 * time)]
    };
    assert_eq!(*rows, (0..10).map(row).collect::<Vec<_>>());
}

/// The variable is 100 in the model, and 250 in its instance.
#[test]
fn decimation_follows_the_variables_of_the_instance() {
    let mut simulation = Sketch::new(0.5)
        .block(0, "model Logger", &[("n", &["250"])])
        .block_in("Logger", 0, "Var/Clock", &[])
        .block_in("Logger", 1, "Sink/To File", &[("File", &["out.csv"]), ("Decimation", &["n"])])
        .wire_in("Logger", "0.Output", "1.Input 1")
        .simulation;
    let logger = simulation.model_mut("Logger").expect("the model");
    logger.variables.insert("n".into(), Arc::new(Variable::new("100")));
    let files = files();
    let written = Arc::clone(&files.written);
    assert!(matches!(run(simulation, files), Event::Finished { steps: 1000, .. }));
    let (_, rows) = &written.lock().expect("no panic")["out.csv"];
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), [0.0, 250.0, 500.0, 750.0].map(Some));
}

#[test]
fn what_cannot_be_written_ends_the_run_at_the_block() {
    let Event::Refused(found) = run(writing("full.csv", "1"), files()) else { panic!("it cannot begin") };
    assert_eq!((found[0].code, found[0].location.block), ("unwritable-file", Some(BlockId(2))));
    let Event::Failed { message, block } = run(writing("small.csv", "1"), files()) else { panic!("it cannot go on") };
    assert_eq!(
        (&*message, block),
        ("the file cannot be written: the disk is full: small.csv", Some(BlockAddress::new(&[], BlockId(2))))
    );
}

#[test]
fn two_blocks_do_not_write_the_same_file() {
    let compiled = |name: &str| {
        let sketch = Sketch { simulation: writing("out.csv", "1") };
        let sketch = sketch.block(3, "Sink/To File", &[("File", &[name])]).wire("0.Output", "3.Input 1");
        compile(&sketch.simulation, &registry())
    };
    for name in [" out.csv", "./out.csv", "OUT.csv", "a/../out.csv", ".//out.CSV"] {
        let found = compiled(name).expect_err("two files of one name");
        assert_eq!((found[0].code, found[0].location.block), ("shared-file", Some(BlockId(3))), "{name}");
    }
    for name in ["out2.csv", "a/out.csv", "../out.csv", "/out.csv", "../../out.csv"] {
        assert!(compiled(name).is_ok(), "{name}");
    }
}

/// A value that was never set is not a number.
#[test]
fn what_has_no_value_leaves_its_cell_empty() {
    let sketch = Sketch::new(1.0).block(0, "Math/Abs", &[]).block(1, "Sink/To File", &[]).wire("0.Output", "1.Input 1");
    let files = files();
    let program = Arc::new(compile(&sketch.simulation, &registry()).expect("it compiles"));
    let mut writers = Writers::open(&program, &files).expect("a file");
    let mut samples = Samples::new(writers.outputs());
    let mut execute = Engines::with(TierUp::Wait).get("flat").expect("the engine").prepare(&program).expect("it runs");
    execute.run(&mut Context::new(&program), 2, &mut samples).expect("two steps");
    writers.take(&samples).expect("written");
    writers.finish().expect("finished");
    let written = files.written.lock().expect("no panic");
    assert_eq!(written["out.csv"].1, [vec![Some(0.0), Some(0.0), None], vec![Some(1.0), Some(1.0), None]]);
}

/// Rows that take no time cannot be repeated: before and behind them are their first and last values.
#[test]
fn rows_of_one_time_are_held() {
    for how in [&["repeat"][..], &["hold"], &["extrapolate"]] {
        let how: &'static [&'static str] = Box::leak(how.to_vec().into_boxed_slice());
        for (file, behind) in [(&["one.csv"], 7.0), (&["jump.csv"], 3.0)] {
            let options: [(&str, &[&str]); 3] = [("File", file), ("Outside", how), ("Times", &["time"])];
            expect(0.5, &options, &[7.0, 7.0, behind, behind, behind]);
        }
    }
}
