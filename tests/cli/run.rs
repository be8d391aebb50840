//! `simulate run`.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{folder, simulate};

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples")
}

/// The results of the original program, at the end and after each step, bit for bit.
#[test]
fn files_of_the_original_program_give_its_values() {
    let text = std::fs::read_to_string(samples().join("expected.json")).unwrap();
    let expected: serde_json::Map<String, Value> = serde_json::from_str(&text).unwrap();
    let out = tempfile::tempdir().unwrap();
    for (file, expected) in &expected {
        let table = out.path().join("out.csv");
        let table = table.to_str().unwrap();
        for engine in ["auto", "simple"] {
            let args = ["run", file, "--format", "json", "--engine", engine, "--out", table];
            let outcome = simulate(&samples(), &args);
            assert_eq!((outcome.code, &*outcome.err), (0, ""), "{file}");
            let got: Value = serde_json::from_str(&outcome.out).unwrap();
            assert_same(&got["steps"], &expected["steps"], file);
            assert_same(&got["delta"], &expected["delta"], file);
            assert_same(&got["exits"], &expected["exits"], file);
        }
        let mut reader = csv::Reader::from_path(table).unwrap();
        let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let steps = expected["per_step"].as_array().unwrap();
        assert_eq!(rows.len(), steps.len(), "{file}");
        for (row, step) in rows.iter().zip(steps) {
            for (name, lanes) in step.as_object().unwrap() {
                let lanes = lanes.as_array().unwrap();
                for (lane, want) in lanes.iter().enumerate() {
                    let column = if lanes.len() == 1 { name.clone() } else { format!("{name}[{lane}]") };
                    let column = header.iter().position(|known| *known == column).unwrap();
                    let got: f64 = row[column].parse().unwrap();
                    assert_eq!(Some(got), want.as_f64(), "{file}: {name}");
                }
            }
        }
    }
}

/// Integers may be written without a decimal point.
fn assert_same(got: &Value, want: &Value, file: &str) {
    match (got, want) {
        (Value::Number(got), Value::Number(want)) => assert_eq!(got.as_f64(), want.as_f64(), "{file}"),
        (Value::Array(got), Value::Array(want)) => {
            assert_eq!(got.len(), want.len(), "{file}");
            got.iter().zip(want).for_each(|(got, want)| assert_same(got, want, file));
        }
        (Value::Object(got), Value::Object(want)) => {
            assert!(got.keys().eq(want.keys()), "{file}: {got:?}, not {want:?}");
            got.iter().for_each(|(name, got)| assert_same(got, &want[name], file));
        }
        (got, want) => assert_eq!(got, want, "{file}"),
    }
}

const GROWTH: &str = r#"<simulation steps="3" delta="0.5" root="M" solver="euler">
    <model name="Inner">
        <entry id="0" name="u"/><block id="1" group="Math" name="Gain"/><exit id="2" name="y"/>
        <connection from="0" output="Output" to="1" input="Input"/>
        <connection from="1" output="Output" to="2" input="Input"/>
    </model>
    <model name="M">
        <block id="0" group="Var" name="Static"/><block id="1" group="Math" name="Integrate"/><exit id="2" name="y"/>
        <model id="3" model="Inner"/><model id="4" model="Inner"/><exit id="5" name="a"/><exit id="6" name="b"/>
        <exit id="7" name="never"/>
        <connection from="0" output="Output" to="1" input="Input"/>
        <connection from="1" output="Output" to="2" input="Input"/>
        <connection from="1" output="Output" to="3" input="u"/><connection from="3" output="y" to="5" input="Input"/>
        <connection from="1" output="Output" to="4" input="u"/><connection from="4" output="y" to="6" input="Input"/>
    </model>
</simulation>"#;

fn exits(args: &[&str]) -> Value {
    let folder = folder(&[("a.simx", GROWTH)]);
    let args: Vec<&str> = ["run", "a.simx", "--format", "json"].iter().chain(args).copied().collect();
    let outcome = simulate(folder.path(), &args);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert_eq!(outcome.out.lines().count(), 1, "one object and nothing else");
    serde_json::from_str::<Value>(&outcome.out).unwrap()["exits"].take()
}

#[test]
fn steps_delta_and_options_can_be_others() {
    assert_eq!(exits(&[])["y"], json!([1.0]));
    assert_eq!(exits(&["--steps", "5"])["y"], json!([2.0]));
    assert_eq!(exits(&["--delta", "2"])["y"], json!([4.0]));
    assert_eq!(exits(&["--set", "Static.Value=1,10"])["y"], json!([1.0, 10.0]));
    // A comma within brackets does not separate values.
    assert_eq!(exits(&["--set", "Static.Value=[1,10]"])["y"], json!([1.0, 10.0]));
    assert_eq!(exits(&["--set", "Static.Value=max(1,10), sum([1, 2])"])["y"], json!([10.0, 3.0]));
    assert_eq!(exits(&["--set", "#1.Initial Value=7"])["y"], json!([8.0]));
    assert_eq!(exits(&[])["never"], Value::Null);
}

/// x' = 1 by Euler with steps of 0.5 s: x is 0.5 n; a parameter may change at the checkpoint.
#[test]
fn a_run_goes_on_from_a_checkpoint() {
    let folder = folder(&[("a.simx", GROWTH)]);
    let run = |args: &[&str]| {
        let args: Vec<&str> = ["run", "a.simx", "--format", "json"].iter().chain(args).copied().collect();
        let outcome = simulate(folder.path(), &args);
        (
            outcome.code,
            serde_json::from_str::<Value>(&outcome.out).unwrap_or_default()["exits"]["y"].take(),
            outcome.err,
        )
    };
    assert_eq!(run(&["--steps", "5", "--checkpoint", "at5"]).1, json!([2.0]));
    assert_eq!(run(&["--steps", "9", "--resume", "at5"]).1, json!([4.0]));
    assert_eq!(run(&["--steps", "9", "--resume", "at5", "--set", "Static.Value=10"]).1, json!([17.5]));
    let (code, _, err) = run(&["--resume", "a.simx"]);
    assert_eq!((code, err.contains("a.simx: this is no checkpoint of a run")), (1, true), "{err}");
}

/// A number of 309 digits is written with an exponent.
#[test]
fn long_numbers_are_short_in_messages() {
    let folder = folder(&[("a.simx", GROWTH)]);
    let args = ["run", "a.simx", "--steps", "9", "--delta", "1e308", "--set", "Static.Value=8e307"];
    for stop in [&[][..], &["--stop-at-non-finite"]] {
        let outcome = simulate(folder.path(), &[&args[..], stop].concat());
        assert!(outcome.err.contains("step 1, 1e308 s: "), "{}", outcome.err);
        assert!(outcome.err.lines().all(|line| line.len() < 250), "{}", outcome.err);
    }
}

/// The integral of 1e308 overflows, at step 3 with steps of 1 s.
#[test]
fn a_run_can_stop_at_the_first_value_that_is_no_number() {
    let folder = folder(&[("a.simx", GROWTH)]);
    let args = ["run", "a.simx", "--steps", "9", "--delta", "1", "--set", "Static.Value=8e307"];
    let stop = ["--stop-at-non-finite", "--checkpoint", "before"];
    let outcome = simulate(folder.path(), &[&args[..], &stop[..]].concat());
    assert_eq!(outcome.code, 1);
    let want = "error: step 3, 3 s: “Output” became infinite\n  block: #1\n";
    assert!(outcome.err.starts_with(want), "{}", outcome.err);
    // And the chain of causes: in the step before, within the block.
    let why = [
        "  why: step 3: “Output” of Integrate #1 in “M” became inf: it is what the block remembers\n   <-  ",
        "step 2: the state of Integrate #1 in “M” became inf: it grew beyond all numbers: it was 1.6e308 and \
         changed by 8e307 a second\n      with Input = 8e307\n",
    ];
    assert!(why.iter().all(|line| outcome.err.contains(line)), "{}", outcome.err);
    let outcome = simulate(
        folder.path(),
        &["run", "a.simx", "--delta", "1", "--resume", "before", "--steps", "3", "--format", "json"],
    );
    let got: Value = serde_json::from_str(&outcome.out).unwrap();
    assert_eq!((&got["steps"], &got["exits"]["y"]), (&json!(3), &json!([1.6e308])), "{}", outcome.err);
}

#[test]
fn one_instance_of_a_model_can_have_its_own_value() {
    let exits = exits(&["--set", "#3#1.Gain=-2", "--set", "#4/Gain.Gain=5"]);
    assert_eq!((&exits["a"], &exits["b"]), (&json!([-2.0]), &json!([5.0])));
}

#[test]
fn numbers_that_json_does_not_have_are_texts() {
    assert_eq!(exits(&["--set", "Static.Value=inf"])["y"], json!(["inf"]));
    assert_eq!(exits(&["--set", "Static.Value=-inf"])["y"], json!(["-inf"]));
    assert_eq!(exits(&["--set", "#1.Initial Value=nan"])["y"], json!(["nan"]));
}

#[test]
fn a_table_has_the_signals_that_were_asked_for() {
    let folder = folder(&[("a.simx", GROWTH)]);
    let args = ["run", "a.simx", "--signals", "#3#1.Output,Static,#7", "--set", "Static.Value=2,3", "--out", "o.csv"];
    let outcome = simulate(folder.path(), &args);
    assert_eq!((outcome.code, &*outcome.err), (0, ""));
    let table = std::fs::read_to_string(folder.path().join("o.csv")).unwrap();
    let expected = "step,time,#3#1.Output[0],#3#1.Output[1],Static[0],Static[1],#7\n0,0,0,0,2,3,\n1,0.5,1,1.5,2,3,\n\
        2,1,2,3,2,3,\n";
    assert_eq!(table, expected);
}

/// The same numbers as the text, unset ones as null; with more steps than a row group.
#[test]
fn a_parquet_file_has_the_same_numbers() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    let folder = folder(&[("a.simx", GROWTH)]);
    for out in ["o.csv", "o.parquet"] {
        let args = ["run", "a.simx", "--steps", "70000", "--signals", "#3#1.Output,#7", "--set", "Static.Value=2,inf"];
        let args: Vec<&str> = args.into_iter().chain(["--out", out]).collect();
        assert_eq!(simulate(folder.path(), &args).code, 0);
    }
    let mut csv = csv::Reader::from_path(folder.path().join("o.csv")).unwrap();
    let file = std::fs::File::open(folder.path().join("o.parquet")).unwrap();
    let parquet = SerializedFileReader::new(file).unwrap();
    let mut rows = parquet.get_row_iter(None).unwrap();
    for record in csv.records() {
        let row = rows.next().expect("as many rows").unwrap();
        let fields = row.get_column_iter().map(|(_, field)| match field {
            Field::Null => String::new(),
            Field::Long(number) => number.to_string(),
            Field::Double(number) => number.to_string(),
            other => panic!("{other:?}"),
        });
        assert!(record.unwrap().iter().eq(fields), "{row:?}");
    }
    assert!(rows.next().is_none());
    let columns = parquet.metadata().file_metadata().schema_descr().columns().iter();
    let names: Vec<&str> = columns.map(|column| column.name()).collect();
    assert_eq!(names, ["step", "time", "#3#1.Output[0]", "#3#1.Output[1]", "#7"]);
}

#[test]
fn no_steps_run_nothing_and_say_so() {
    let folder = folder(&[("a.simx", GROWTH)]);
    let outcome = simulate(folder.path(), &["run", "a.simx", "--steps", "0"]);
    assert_eq!(outcome.code, 0);
    assert_eq!(outcome.err, "0 steps: nothing to run; set the number of steps with --steps\n");
    assert!(outcome.out.contains("y was never set"), "{}", outcome.out);
}

#[test]
fn mistakes_say_what_to_do() {
    let folder = folder(&[
        ("a.simx", GROWTH),
        ("loop.simx", &GROWTH.replace(r#"from="0" output="Output" to="1""#, r#"from="1" output="Output" to="1""#)),
    ]);
    let mistakes: [(&[&str], i32, &str); 9] = [
        (&["none.simx"], 2, "none.simx"),
        (&["a.simx", "--engine", "warp"], 1, "unknown engine “warp”; the engines are: auto, compiled, flat, simple"),
        (&["a.simx", "--set", "x"], 1, "expected PATH=VALUE"),
        (&["a.simx", "--set", "#0.Gain=1"], 1, "has no option “Gain”; its options are: Value"),
        (&["a.simx", "--set", "#9.Gain=1"], 1, "there is no block “#9” in “M”"),
        (&["a.simx", "--set", "Inner.Gain=1"], 1, "several blocks in “M” have the name “Inner”"),
        (&["a.simx", "--signals", "#0.Value", "--out", "o.csv"], 1, "its outputs are: Output"),
        (&["a.simx", "--out", "o.xlsx"], 1, "the extension must be .csv, .parquet, .npz or .mat"),
        (&["loop.simx"], 1, "algebraic loop: Gain #1 → Gain #1"),
    ];
    for (args, code, message) in mistakes {
        let args: Vec<&str> = ["run"].iter().chain(args).copied().collect();
        let outcome = simulate(folder.path(), &args);
        assert_eq!((outcome.code, &*outcome.out), (code, ""), "{args:?}");
        assert!(outcome.err.contains(message), "{args:?}: {}", outcome.err);
    }
}

/// A clock and a check with this action; the clock exceeds the bound of 1 s from the step at 1.5 s on.
fn checked(block: &str) -> super::Outcome {
    let file = format!(
        r#"<simulation steps="9" delta="0.5" root="M"><model name="M">
            <block id="0" group="Var" name="Clock"/>{block}<exit id="2" name="y"/>
            <connection from="0" output="Output" to="1" input="Input"/>
            <connection from="0" output="Output" to="2" input="Input"/></model></simulation>"#
    );
    let folder = folder(&[("a.simx", &file)]);
    simulate(folder.path(), &["run", "a.simx", "--format", "json", "--engine", "flat"])
}

#[test]
fn assertion_reports_are_printed_and_are_part_of_the_result() {
    let check = |action| {
        format!(
            r#"<block id="1" group="Check" name="Upper Bound"><option name="Bound"><value>1</value></option>
            <option name="Action"><value>{action}</value></option></block>"#
        )
    };
    for (block, code, steps, action, printed) in [
        (check("warn"), 0, 9, "warn", "warning: step 3, 1.5 s: the input is above its upper bound\n  block: #1\n"),
        (check("stop"), 3, 4, "stop", "a block stopped the run after 4 steps\n"),
        (check("pause"), 3, 4, "pause", "a block paused the run after 4 steps; it cannot be resumed here\n"),
        (
            r#"<block id="1" group="Sink" name="Stop"/>"#.to_owned(),
            0,
            2,
            "finish",
            "a block ended the run after 2 steps\n",
        ),
    ] {
        let outcome = checked(&block);
        assert_eq!(outcome.code, code, "{action}");
        assert!(outcome.err.ends_with(printed), "{}", outcome.err);
        let result: Value = serde_json::from_str(&outcome.out).unwrap();
        assert_eq!(result["steps"], json!(steps), "{action}");
        let notice = &result["notices"][0];
        assert_eq!((&notice["action"], &notice["block"]), (&json!(action), &json!("#1")));
        assert_eq!(notice["time"].as_f64().unwrap(), notice["step"].as_f64().unwrap() * 0.5);
    }
    let quiet = checked(&check("ignore"));
    assert_eq!((quiet.code, &*quiet.err), (0, ""));
    assert!(!quiet.out.contains("notices"), "{}", quiet.out);
}

#[test]
fn threads_are_for_the_engine_that_has_some() {
    let plain = simulate(&samples(), &["run", "nested3.simx", "--format", "json", "--quiet"]);
    for threads in ["1", "2", "5"] {
        let args = ["run", "nested3.simx", "--format", "json", "--quiet", "--engine", "threaded", "--threads", threads];
        let outcome = simulate(&samples(), &args);
        assert_eq!((outcome.code, &*outcome.err), (0, ""));
        assert_eq!(outcome.out, plain.out.replace("\"compiled\"", "\"threaded\"").replace("\"flat\"", "\"threaded\""));
    }
    let outcome = simulate(&samples(), &["run", "nested3.simx", "--engine", "flat", "--threads", "2"]);
    assert!(outcome.err.contains("--threads has no effect"), "{}", outcome.err);
    let help = simulate(&samples(), &["run", "--help"]).out;
    assert!(help.contains("--threads") && help.contains("threaded"), "{help}");
}

/// The hash of the file itself is in its results, so that they can be traced back to it: in each format of tables, and in
/// the output as JSON.
#[test]
fn results_say_where_they_come_from() {
    let folder = folder(&[]);
    let path = folder.path();
    // As this program writes it, so that its hash is that of what ran.
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/examples/fibonacci.simx");
    let outcome = simulate(path, &["convert", &example.display().to_string(), "f.simx"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let bytes = std::fs::read(path.join("f.simx")).unwrap();
    let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    for name in ["o.csv", "o.parquet", "o.npz", "o.mat"] {
        let outcome = simulate(path, &["run", "f.simx", "--steps", "5", "--provenance", "--quiet", "--out", name]);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        let written = std::fs::read(path.join(name)).unwrap();
        // Texts of arrays have two or four bytes a letter.
        let letters: Vec<u8> = written.into_iter().filter(|byte| *byte != 0).collect();
        let text = String::from_utf8_lossy(&letters);
        assert!(text.contains(&format!("\"sha256\":\"{hash}\"")) && text.contains("\"steps\":5"), "{name}");
    }
    let json = simulate(path, &["run", "f.simx", "--steps", "5", "--format", "json"]).out;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["provenance"]["sha256"], hash.as_str());
    let csv = std::fs::read_to_string(path.join("o.csv")).unwrap();
    let (first, rest) = csv.split_once('\n').unwrap();
    assert!(serde_json::from_str::<Value>(first.strip_prefix("# ").unwrap()).is_ok(), "{first}");
    // Without the option a .csv file begins with its heads, and with it the command `test` takes it.
    simulate(path, &["run", "f.simx", "--steps", "5", "--quiet", "--out", "plain.csv"]);
    assert_eq!(std::fs::read_to_string(path.join("plain.csv")).unwrap(), rest);
    std::fs::rename(path.join("o.csv"), path.join("f.expected.csv")).unwrap();
    let outcome = simulate(path, &["test", "f.simx", "--partial"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let sweep =
        ["sweep", "f.simx", "--vary", "#1.Initial Value=1,2", "--steps", "3", "--out", "s.parquet", "--format", "json"];
    let outcome = simulate(path, &sweep);
    let json: Value = serde_json::from_str(&outcome.out).unwrap_or_else(|_| panic!("{outcome:?}"));
    assert_eq!(json["provenance"]["vary"][0], "#1.Initial Value=1,2");
    assert_eq!(json["provenance"]["sha256"], hash.as_str());
    let table = String::from_utf8_lossy(&std::fs::read(path.join("s.parquet")).unwrap()).into_owned();
    assert!(table.contains("simulate.provenance") && table.contains(&hash));
}
