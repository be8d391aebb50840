//! The block User/FMU beside fmpy 0.3.32, in both versions of FMI and on every engine.

use std::fs;

use super::{Column, Trial, columns, difference, fmus};

const ENGINES: [&str; 4] = ["simple", "threaded", "flat", "compiled"];

fn expected(name: &str, kind: &str) -> Vec<Column> {
    let path = fmus().join(format!("results/{name}.{kind}.csv"));
    columns(&fs::read_to_string(path).expect("results"))
}

/// A step to 1 at 1 s at the input `u`.
const STEP: &str = "<block id=\"2\" group=\"Var\" name=\"Step\"><option name=\"Step Time\"><value>1</value></option></block>\
                    <connection from=\"2\" output=\"Output\" to=\"3\" input=\"u\"/>";

/// The FMUs without arrays: name, inputs, outputs, steps of how many seconds.
fn cases() -> [(&'static str, &'static str, Vec<&'static str>, &'static str); 4] {
    [
        ("Lag", "u", vec!["y"], "steps=\"501\" delta=\"0.01\""),
        ("Bounce", "", vec!["h", "v", "bounces"], "steps=\"301\" delta=\"0.01\""),
        ("Oscillator", "", vec!["x", "v"], "steps=\"2001\" delta=\"0.01\""),
        ("Stairs", "", vec!["count"], "steps=\"51\" delta=\"0.2\""),
    ]
}

fn trial(fmu: &str, (inputs, outputs, head): (&str, &[&'static str], &str)) -> Trial {
    let trial = Trial::new(&format!("{fmu}.fmu"), outputs).with("Inputs", inputs).with_head(head);
    if inputs.is_empty() { trial } else { trial.with_parts(STEP) }
}

#[test]
fn co_simulation_agrees_with_fmpy() {
    for (name, inputs, outputs, head) in cases() {
        for version in [2, 3] {
            let name = format!("{name}.fmi{version}");
            let trial = trial(&name, (inputs, &outputs, head));
            let results = trial.results("simple");
            let far = difference(&results, &expected(&name, "cs"), f64::INFINITY);
            assert!(far <= 1e-12, "{name}: {far}");
            for engine in &ENGINES[1..] {
                assert_eq!(trial.results(engine), results, "{name} on {engine}");
            }
        }
    }
}

/// Inputs and outputs of all types, and in FMI 3 arrays.
#[test]
fn variables_of_all_types_agree_with_fmpy() {
    let held = "0,0,0,1\n0.5,3,1,2\n2,-7,0,1\n";
    let names = ["int", "bool", "choice"];
    for version in [2, 3] {
        let mut outputs = vec!["real out", "int out", "bool out", "choice out"];
        let mut inputs = "real in; int in; bool in; choice in".to_owned();
        let mut parts =
            "<block id=\"2\" group=\"Var\" name=\"From File\"><option name=\"File\"><value>real.csv</value>\
                         </option></block><connection from=\"2\" output=\"Output\" to=\"3\" input=\"real in\"/>"
                .to_owned();
        for (number, name) in names.iter().enumerate() {
            let id = 4 + number;
            parts += &format!(
                "<block id=\"{id}\" group=\"Var\" name=\"From File\"><option name=\"File\"><value>held.csv</value></option>\
                 <option name=\"Columns\"><value>{name}</value></option><option name=\"Interpolation\"><value>hold</value>\
                 </option></block><connection from=\"{id}\" output=\"Output\" to=\"3\" input=\"{name} in\"/>"
            );
        }
        if version == 3 {
            outputs.push("vector out : 3");
            inputs += "; vector in : 3";
            parts += "<block id=\"9\" group=\"Var\" name=\"Static\"><option name=\"Value\"><value>1</value><value>2</value>\
                      <value>3</value></option></block><connection from=\"9\" output=\"Output\" to=\"3\" input=\"vector in\"/>";
        }
        let trial = Trial::new(&format!("Types.fmi{version}.fmu"), &outputs)
            .with("Inputs", &inputs)
            .with("Texts", "text = another")
            .with_parts(&parts);
        fs::write(trial.folder.path().join("real.csv"), "time,real\n0,0\n0.5,1\n2,2\n").expect("it is written");
        fs::write(trial.folder.path().join("held.csv"), format!("time,int,bool,choice\n{held}"))
            .expect("it is written");
        let results = trial.results("simple");
        let far = difference(&results, &expected(&format!("Types.fmi{version}"), "cs"), f64::INFINITY);
        assert!(far <= 1e-12, "FMI {version}: {far}");
        assert_eq!(trial.results("compiled"), results, "FMI {version}");
        let other = trial.with("Type", "model-exchange").results("simple");
        let far = difference(&other, &expected(&format!("Types.fmi{version}"), "me"), f64::INFINITY);
        assert!(far <= 1e-12, "FMI {version}, model exchange: {far}");
    }
}

/// Our solver beside fmpy's CVode with a relative tolerance of 1e-8. Over the 20 s of the oscillator that one is wrong by
/// 3.4e-6, as SciPy's DOP853 with a tolerance of 1e-13 shows, and ours by 3e-9: hence the tolerance here. Of the bouncing
/// ball the bounces after 2.2 s are left out: near the time when they become infinitely many, 2.56 s, any error of a
/// solver decides which of them come before a sample.
fn model_exchange_agrees(version: u32) {
    for (name, inputs, outputs, head) in cases() {
        let name = format!("{name}.fmi{version}");
        let head = format!("{head} solver=\"dopri45\" rtol=\"1e-9\" atol=\"1e-9\"");
        let trial = trial(&name, (inputs, &outputs, &head)).with("Type", "model-exchange");
        let results = trial.results("simple");
        let far = difference(&results, &expected(&name, "me"), 2.2);
        assert!(far <= 1e-5, "{name}: {far}");
        for engine in &ENGINES[2..] {
            assert_eq!(trial.results(engine), results, "{name} on {engine}");
        }
    }
}

#[test]
fn model_exchange_of_fmi_2_agrees_with_fmpy() {
    model_exchange_agrees(2);
}

#[test]
fn model_exchange_of_fmi_3_agrees_with_fmpy() {
    model_exchange_agrees(3);
}

/// The ball's heights until 2 s, from the law of free fall: it hits the ground at speeds that shrink by `e`, so that the
/// bounce `n` is at t1 (1 + 2 e + … + 2 e^n).
#[test]
fn located_events_have_the_times_of_the_closed_form() {
    let (g, e): (f64, f64) = (9.81, 0.7);
    let height = |time: f64| {
        let first = (2.0 / g).sqrt();
        if time < first {
            return 1.0 - 0.5 * g * time * time;
        }
        let (mut begin, mut speed) = (first, g * first * e);
        while time >= begin + 2.0 * speed / g {
            begin += 2.0 * speed / g;
            speed *= e;
        }
        speed * (time - begin) - 0.5 * g * (time - begin).powi(2)
    };
    let head = "steps=\"201\" delta=\"0.01\" solver=\"dopri45\" rtol=\"1e-10\" atol=\"1e-12\"";
    let results = trial("Bounce.fmi3", ("", &["h"], head)).with("Type", "model-exchange").results("flat");
    let far = results[0].1.iter().zip(&results[1].1).map(|(time, h)| (h - height(*time)).abs()).fold(0.0, f64::max);
    assert!(far < 1e-12, "{far}");
}

#[test]
fn parameters_are_set_by_formulas() {
    // The gain of the lag is 2 · 1.5, its time constant 0.5 s: after 10 s it is settled to 1e-8.
    let trial = trial("Lag.fmi2", ("u", &["y"], "steps=\"1101\" delta=\"0.01\"")).with("Parameters", "k = 2 * 1.5");
    let results = trial.results("simple");
    let last = results[1].1.last().expect("values");
    assert!((last - 3.0).abs() < 1e-6, "{last}");
    let outcome = trial.with("Parameters", "gain = 2").run("simple");
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("the FMU has no parameter “gain”; it has: k, T"), "{}", outcome.err);
}

#[test]
fn nothing_runs_that_is_not_allowed() {
    let trial = trial("Lag.fmi2", ("u", &["y"], "steps=\"3\" delta=\"0.01\""));
    trial.write();
    let outcome = crate::cli::simulate(trial.folder.path(), &["run", "model.simx"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("may not run here yet"), "{}", outcome.err);
    // Another file of the same name is not allowed with it.
    let other = fmus().join("Bounce.fmi2.fmu").display().to_string();
    let outcome = crate::cli::simulate(trial.folder.path(), &["run", "model.simx", "--allow-fmu", &other]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("may not run here yet"), "{}", outcome.err);
}

/// An FMU with steps of its own, twice or five times as long as those of the simulation, does the same steps as one in a
/// simulation with those steps, and holds its outputs between them.
#[test]
fn an_fmu_may_have_longer_steps_than_the_simulation() {
    for (name, outputs) in
        [("Bounce", vec!["h", "v", "bounces"]), ("Oscillator", vec!["x", "v"]), ("Stairs", vec!["count"])]
    {
        for (version, every) in [(2, 2), (3, 5)] {
            let file = format!("{name}.fmi{version}.fmu");
            let plain = Trial::new(&file, &outputs).with_head("steps=\"41\" delta=\"0.25\"").results("simple");
            let delta = 0.25 / every as f64;
            let head = format!("steps=\"{}\" delta=\"{delta}\"", 40 * every + 1);
            let trial = Trial::new(&file, &outputs).with_head(&head).with("Step Size", "0.25");
            for engine in ENGINES {
                let found = trial.results(engine);
                for ((name, found), (_, plain)) in found.iter().zip(&plain).skip(1) {
                    let want: Vec<f64> = (0..=40 * every).map(|step| plain[step / every]).collect();
                    assert_eq!(found, &want, "{name} of {file} on {engine}");
                }
            }
        }
    }
}

#[test]
fn the_steps_of_an_fmu_are_multiples_of_those_of_the_simulation() {
    for (length, is_right) in
        [("0", true), ("0.1", true), ("0.3", true), ("0.15", false), ("0.04", false), ("0.1001", false)]
    {
        let outcome = Trial::new("Stairs.fmi2.fmu", &["count"]).with("Step Size", length).run("simple");
        let refused = outcome.err.contains(&format!("{length} s is not a multiple of the step of 0.1 s"));
        assert_eq!((outcome.code == 0, refused), (is_right, !is_right), "{length}: {}", outcome.err);
    }
}
