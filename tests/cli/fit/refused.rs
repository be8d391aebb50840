//! What cannot be fitted, and what is said of it.

use super::{decay, decayed, folder, simulate};

#[test]
fn mistakes_are_named() {
    let model = decay("rk4", "1").replace("<exit", r#"<block id="9" group="Var" name="Static"><option name="Value"><value>1</value><value>2</value></option></block><exit"#);
    let files = [
        ("m.simx", model),
        ("d.csv", decayed(3.0, 2.0, 51)),
        ("none.csv", "time,other\n0,1\n".to_owned()),
        ("past.csv", "time,y\n-1,1\n0,2\n".to_owned()),
        ("empty.csv", "time,y\n0,\n".to_owned()),
        ("text.csv", "time,y\n0,abc\n".to_owned()),
        ("one.csv", "time,y\n0,1\n".to_owned()),
    ];
    let folder = folder(&files.each_ref().map(|(name, text)| (*name, &**text)));
    let gain = ["--parameter", "#0.Gain"];
    let cases: &[(&[&str], i32, &str)] = &[
        (&["--data", "no.csv"], 2, "error: --data: the file cannot be read"),
        (
            &["--data", "none.csv"],
            1,
            "no column has the name of a signal; name the signals by --map COLUMN=SIGNAL. The columns are: other",
        ),
        (&["--data", "past.csv"], 1, "row 1 of the column of times has -1; times are seconds from 0 on"),
        (&["--data", "empty.csv"], 1, "the column “y” has no values"),
        (&["--data", "text.csv"], 2, "“abc” is not a number"),
        (&["--data", "d.csv", "--map", "z=y"], 1, "--map z=y: no file has this column"),
        (&["--data", "d.csv", "--map", "y=nothing"], 1, "--map y=nothing: --signals: “nothing”"),
        (&["--data", "d.csv", "--time", "s"], 1, "there is no column “s”; the columns are: time, y"),
        (&["--data", "d.csv", "--weight", "z=2"], 1, "--weight z: no measured curve has this column"),
        (&["--data", "d.csv", "--weight", "y=-2"], 1, "--weight y=-2: expected COLUMN=WEIGHT"),
        (
            &["--data", "d.csv", "--set-for", "e.csv", "#0.Gain=2"],
            1,
            "--set-for e.csv: expected the name of a file of --data",
        ),
        (&["--data", "d.csv", "--parameter", "#0.Gain"], 1, "#0.Gain is given twice"),
        (&["--data", "d.csv", "--parameter", "#7.Gain"], 1, "#7.Gain"),
        (&["--data", "d.csv", "--parameter", "#2.Gain=2:1"], 1, "the lower bound must be below the upper one"),
        (
            &["--data", "d.csv", "--parameter", "#2.Gain=2:3:lin"],
            1,
            "expected PATH, PATH=low:high, PATH=low:high:log or PATH=log",
        ),
        (
            &["--data", "d.csv", "--parameter", "#2.Gain=-1:3:log"],
            1,
            "the bounds of a logarithmic parameter must be at least 0",
        ),
        (
            &["--data", "d.csv", "--parameter", "#2.Gain=2:3"],
            1,
            "#2.Gain: its value 1 is not between the bounds 2 and 3; choose another one with --set",
        ),
        (
            &["--data", "d.csv", "--parameter", "#9.Value"],
            1,
            "#9.Value has 2 elements; name one of them, counted from 0, as in #9.Value[0]",
        ),
        (&["--data", "one.csv", "--parameter", "#2.Gain"], 1, "2 parameters cannot be fitted to 1 measured values"),
        (
            &["--data", "d.csv", "--set", "#1.Initial Value=nan"],
            1,
            "the simulation has no values at the measured times",
        ),
        (&["--data", "d.csv", "--engine", "fast"], 1, "unknown engine “fast”"),
        (&["--data", "d.csv", "--confidence", "95"], 2, "expected a number between 0 and 1"),
    ];
    for (args, code, said) in cases {
        let outcome = simulate(folder.path(), &[&["fit", "m.simx"], &gain[..], args].concat());
        assert_eq!((outcome.code, &*outcome.out), (*code, ""), "{args:?} {}", outcome.err);
        assert!(outcome.err.contains(said), "{args:?}: {}", outcome.err);
    }
    let outcome = simulate(folder.path(), &["fit", "none.simx", "--data", "d.csv", "--parameter", "#0.Gain"]);
    assert_eq!(outcome.code, 2, "{}", outcome.err);
    // What has not converged is printed, and is no success.
    let args =
        ["fit", "m.simx", "--data", "d.csv", "--iterations", "1", "--parameter", "#0.Gain", "--parameter", "#2.Gain"];
    let outcome = simulate(folder.path(), &args);
    assert_eq!(outcome.code, 1);
    assert!(outcome.out.starts_with("The fit has not converged: more --iterations are needed."), "{}", outcome.out);
}
