//! Simulations that read and write files in their folder.

use serde_json::{Value, json};

use super::{folder, simulate};

fn reading(name: &str, columns: &str) -> String {
    format!(
        r#"<simulation steps="4" delta="0.5" root="M"><model name="M">
            <block id="0" group="Var" name="From File"><option name="File"><value>{name}</value></option>
                <option name="Columns"><value>{columns}</value></option></block>
            <block id="1" group="Sink" name="To File"><option name="File"><value>copy.csv</value></option></block>
            <exit id="2" name="y"/>
            <connection from="0" output="Output" to="1" input="Input 1"/>
            <connection from="0" output="Output" to="2" input="Input"/></model></simulation>"#
    )
}

/// The value of the file's last row, and the written file.
fn run(name: &str, columns: &str, content: &[u8]) -> (Value, String) {
    let folder = folder(&[("a.simx", &reading(name, columns))]);
    std::fs::write(folder.path().join(name), content).unwrap();
    // From another working directory: paths are relative to the simulation's folder.
    let file = folder.path().join("a.simx");
    let elsewhere = tempfile::tempdir().unwrap();
    let outcome = simulate(elsewhere.path(), &["run", file.to_str().unwrap(), "--format", "json"]);
    assert_eq!((outcome.code, &*outcome.err), (0, ""));
    let result: Value = serde_json::from_str(&outcome.out).unwrap();
    (result["exits"]["y"].clone(), std::fs::read_to_string(folder.path().join("copy.csv")).unwrap())
}

#[test]
fn tables_of_any_country_are_read() {
    let copy = "step,time,Input 1\n0,0,1\n1,0.5,2\n2,1,3\n3,1.5,4.5\n";
    for content in [
        "time,x,y\n0,9,1\n1,9,3\n2,9,6\n",
        "\u{feff}# measured\nTime; x; y\r\n0,0;9;1\r\n1,0;9;3\r\n2,0;;6\r\n",
        "t\tx\ty\n0\t9\t1\n1\t9\t3\n2\t9\t6\n",
    ] {
        let (last, written) = run("data.csv", "y", content.as_bytes());
        assert_eq!((last, &*written), (json!([4.5]), copy), "{content}");
    }
    assert_eq!(run("data.txt", "2", b"0,1\n1,3\n2,6\n").0, json!([4.5]));
}

/// A WAV file (IBM and Microsoft, Multimedia Programming Interface and Data Specifications 1.0, 1991): one channel, two
/// samples per second, 16 bits.
#[test]
fn sound_is_read() {
    let mut wav = Vec::new();
    wav.extend(b"RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0");
    wav.extend(2u32.to_le_bytes());
    wav.extend(4u32.to_le_bytes());
    wav.extend(b"\x02\0\x10\0data\x08\0\0\0");
    for sample in [0i16, 16384, -32768, 8192] {
        wav.extend(sample.to_le_bytes());
    }
    let (last, written) = run("sound.wav", "", &wav);
    assert_eq!(last, json!([0.25]));
    assert_eq!(written, "step,time,Input 1\n0,0,0\n1,0.5,0.5\n2,1,-1\n3,1.5,0.25\n");
}

#[test]
fn errors_in_a_file_are_reported_at_the_line_of_its_block() {
    for (content, problem) in [
        ("time,y\n0,1\n1,high\n", "line 3, column “y”: “high” is not a number"),
        ("time,y\n0,1\n1\n", "line 3 has 1 cells, but the lines before have 2"),
    ] {
        let folder = folder(&[("a.simx", &reading("data.csv", "y")), ("data.csv", content)]);
        let outcome = simulate(folder.path(), &["check", "a.simx"]);
        assert_eq!(outcome.code, 1);
        assert!(outcome.out.contains(problem) && outcome.out.contains("2:"), "{}", outcome.out);
    }
    let folder = folder(&[("a.simx", &reading("missing.csv", "y"))]);
    let outcome = simulate(folder.path(), &["run", "a.simx"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("File: the file cannot be read: "), "{}", outcome.err);
}

#[test]
fn only_tables_are_written() {
    let file = reading("data.csv", "y").replace("copy.csv", ".profile");
    let folder = folder(&[("a.simx", &file), ("data.csv", "time,y\n0,1\n")]);
    let outcome = simulate(folder.path(), &["run", "a.simx"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("the file name must end with .csv"), "{}", outcome.err);
    assert!(!folder.path().join(".profile").exists());
}

#[test]
fn a_folder_instead_of_a_file_is_reported_by_every_command() {
    let folder = folder(&[]);
    let commands: [&[&str]; 5] = [
        &["check", "."],
        &["run", "."],
        &["linearize", "."],
        &["convert", ".", "x.json"],
        &["sweep", ".", "--vary", "k=1,2"],
    ];
    for args in commands {
        let outcome = simulate(folder.path(), args);
        let all = format!("{}{}", outcome.out, outcome.err);
        assert!(all.contains("This is a folder. Choose a .simx file"), "{args:?}: {all}");
        assert_eq!(outcome.code, 2, "{args:?}");
    }
}
