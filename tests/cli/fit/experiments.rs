//! Several experiments and starts, what the data cannot tell apart, and the values in the file.

use super::{assert_close, decay, decayed, fitted, folder, simulate, values};

/// Two experiments with initial values of their own, one of them known and one fitted.
#[test]
fn experiments_have_initial_values_of_their_own() {
    let files = [("m.simx", decay("rk4", "1")), ("a.csv", decayed(5.0, 2.0, 41)), ("b.csv", decayed(0.5, 2.0, 41))];
    let folder = folder(&files.each_ref().map(|(name, text)| (*name, &**text)));
    let args = [
        "--data",
        "a.csv",
        "--data",
        "b.csv",
        "--set-for",
        "a.csv",
        "#1.Initial Value=5",
        "--parameter",
        "#0.Gain=-10:0",
        "--parameter-for",
        "b.csv",
        "#1.Initial Value",
    ];
    let result = fitted(folder.path(), &args);
    assert_close(&values(&result), &[-2.0, 0.5], 1e-7);
    assert_eq!(result["derivatives"], "sensitivities");
    assert_eq!(result["parameters"][1]["experiment"], "b.csv");
    assert_eq!(result["curves"].as_array().unwrap().len(), 2);
}

/// Only the product of initial value and gain is seen; the gain of a block that leads nowhere is not.
#[test]
fn what_the_data_cannot_tell_apart_is_said() {
    let model = decay("rk4", "2").replace(
        "<exit",
        r#"<block id="4" group="Math" name="Gain"/><connection from="1" output="Output" to="4" input="Input"/><exit"#,
    );
    let folder = folder(&[("m.simx", &model), ("d.csv", &decayed(6.0, 2.0, 41))]);
    let params = ["#0.Gain", "#1.Initial Value", "#2.Gain", "#4.Gain"];
    let mut args = vec!["--data", "d.csv"];
    params.iter().for_each(|param| args.extend(["--parameter", *param]));
    let result = fitted(folder.path(), &args);
    let found = values(&result);
    assert_close(&[found[0], found[1] * found[2]], &[-2.0, 6.0], 1e-7);
    assert_eq!(result["inseparable"], serde_json::json!([["#1.Initial Value", "#2.Gain"]]));
    assert_eq!(result["without_effect"], serde_json::json!(["#4.Gain"]));
    let is_known = |number: usize| !result["parameters"][number]["standard_error"].is_null();
    assert_eq!([0, 1, 2, 3].map(is_known), [true, false, false, false]);
    let text = simulate(folder.path(), &[&["fit", "m.simx"], &args[..]].concat()).out;
    assert!(text.contains("the data determine only together: #1.Initial Value, #2.Gain\n"), "{text}");
    assert!(text.contains("without effect on the curves: #4.Gain\n"), "{text}");
}

/// sin(w·t) has many minima in w; from the start in the file the fit ends in one of them.
#[test]
fn further_starts_find_the_least_of_several_minima() {
    let model = r#"<simulation steps="10" delta="0.05" root="r"><model name="r">
        <block id="0" group="Var" name="Clock"/>
        <block id="1" group="Math" name="Gain"><option name="Gain"><value>1</value></option></block>
        <block id="2" group="User" name="Formula"><option name="Formula"><value>y = sin(u)</value></option></block>
        <exit id="3" name="y"/>
        <connection from="0" output="Output" to="1" input="Input"/>
        <connection from="1" output="Output" to="2" input="u"/>
        <connection from="2" output="y" to="3" input="Input"/>
        </model></simulation>"#;
    let rows: String =
        (0..200).map(|row| 0.05 * f64::from(row)).map(|t| format!("{t},{}\n", (7.0 * t).sin())).collect();
    let folder = folder(&[("m.simx", model), ("d.csv", &format!("time,y\n{rows}"))]);
    let args = ["--data", "d.csv", "--parameter", "#1.Gain=0.5:10"];
    let stuck = fitted(folder.path(), &args);
    assert!((values(&stuck)[0] - 7.0).abs() > 1.0, "{stuck}");
    let many = [&args[..], &["--starts", "20"]].concat();
    let found = fitted(folder.path(), &many);
    assert_close(&values(&found), &[7.0], 1e-8);
    assert_eq!(found["starts"].as_array().unwrap().len(), 20);
    // The number of threads changes nothing.
    let alone = fitted(folder.path(), &[&many[..], &["--threads", "1"]].concat());
    assert_eq!(found["starts"], alone["starts"]);
    // The bound below the best value holds it.
    let bound = fitted(folder.path(), &["--data", "d.csv", "--set", "#1.Gain=6.8", "--parameter", "#1.Gain=6.7:6.9"]);
    assert_close(&values(&bound), &[6.9], 1e-5);
    assert_eq!(bound["parameters"][0]["at_bound"], true);
}

/// The file has the values afterwards, as one change, and nothing else is different.
#[test]
fn values_are_written_into_the_file() {
    let before = decay("rk4", "kk");
    let folder = folder(&[("m.simx", &before), ("d.csv", &decayed(3.0, 2.0, 51))]);
    let args = ["fit", "m.simx", "--data", "d.csv", "--parameter", "#0.Gain", "--parameter", "kk", "--write"];
    let outcome = simulate(folder.path(), &args);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.out.ends_with("written into the file\n"), "{}", outcome.out);
    let result = fitted(folder.path(), &["--data", "d.csv", "--parameter", "#0.Gain", "--parameter", "kk"]);
    let began: Vec<f64> =
        result["parameters"].as_array().unwrap().iter().map(|of| of["before"].as_f64().unwrap()).collect();
    assert_close(&began, &[-2.0, 3.0], 1e-7);
    let diff = simulate(folder.path(), &["run", "m.simx", "-q", "--steps", "101"]).out;
    assert!(diff.is_empty() || diff.starts_with("y"), "{diff}");
    // An expression is replaced only if that is wanted.
    let args = ["fit", "m.simx", "--data", "d.csv", "--parameter", "#2.Gain", "--write"];
    let outcome = simulate(folder.path(), &args);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome.err.contains("#2.Gain is the expression “kk”; --replace-expressions replaces it"),
        "{}",
        outcome.err
    );
    assert_eq!(simulate(folder.path(), &[&args[..], &["--replace-expressions"]].concat()).code, 0);
}

/// What was found when it is interrupted is printed, and not written.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_fit_says_what_it_has() {
    use std::process::Stdio;
    let model = decay("rk4", "1").replace(r#"delta="0.01""#, r#"delta="0.0000005""#);
    let folder = folder(&[("m.simx", &model), ("d.csv", &decayed(3.0, 2.0, 51))]);
    let args =
        ["fit", "m.simx", "--data", "d.csv", "--parameter", "#0.Gain", "--parameter", "#2.Gain", "--starts", "1000"];
    let mut command = crate::cli::command(folder.path(), &[&args[..], &["--write"]].concat());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Once the program listens, it has begun; a run takes seconds.
    let status = format!("/proc/{}/status", child.id());
    let is_listening = || {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        caught.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap_or(0) & 2 != 0)
    };
    let begin = std::time::Instant::now();
    while !is_listening() {
        assert!(begin.elapsed() < std::time::Duration::from_secs(60), "it does not listen");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert!(err.contains("Ctrl+C (SIGINT) stopped the fit; the best values so far follow"), "{err}");
    assert!(err.contains("not written") && out.contains("#0.Gain"), "{err} {out}");
    assert_eq!(std::fs::read_to_string(folder.path().join("m.simx")).unwrap(), model);
}

/// With a fixed step, the time at which a rate changes acts from the next step on: its derivative is 0, and the report does
/// not say that it has no effect.
#[test]
fn what_acts_in_jumps_alone_is_said() {
    let model = r#"<simulation steps="101" delta="0.1" root="r" solver="rk4"><model name="r">
        <block id="0" group="User" name="ODE"><option name="Equations"><value>x' = if(t &lt; t1, 1, 0.5); y = x</value></option><option name="Inputs"><value>t1</value></option></block>
        <block id="1" group="Var" name="Static"><option name="Value"><value>5.02</value></option></block>
        <exit id="2" name="y"/>
        <connection from="1" output="Output" to="0" input="t1"/>
        <connection from="0" output="y" to="2" input="Input"/>
    </model></simulation>"#;
    let row = |row: u32| {
        let t = 0.1 * f64::from(row);
        format!("{t},{}\n", if t < 3.33 { t } else { 3.33 + 0.5 * (t - 3.33) })
    };
    let data = format!("time,y\n{}", (0..100).map(row).collect::<String>());
    let folder = folder(&[("m.simx", model), ("d.csv", &data)]);
    let args = ["--data", "d.csv", "--parameter", "#1.Value=1:9"];
    let result = fitted(folder.path(), &args);
    assert_eq!(result["in_jumps"], serde_json::json!(["#1.Value"]));
    assert_eq!(result["without_effect"], serde_json::json!([]));
    let text = simulate(folder.path(), &[&["fit", "m.simx"], &args[..]].concat()).out;
    assert!(text.contains("in jumps alone, which a fit does not follow: #1.Value;"), "{text}");
    assert!(!text.contains("no parameter changes it"), "{text}");
    // A solver that locates the change has its derivative.
    std::fs::write(folder.path().join("m.simx"), model.replace("rk4", "dopri45")).expect("written");
    let result = fitted(folder.path(), &args);
    assert_close(&values(&result), &[3.33], 1e-4);
}
