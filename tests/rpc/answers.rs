//! What calls answer: numbers against closed forms, bounded sizes, and schemas that say what is accepted.

use serde_json::{Value, json};
use simulate::rpc::Effect;
use simulate::rpc::calls::ALL;

use super::{call, done, refused, session_with};

#[test]
fn every_call_says_what_it_accepts() {
    let (_folder, mut session) = session_with(&[]);
    for one in ALL {
        let schema = one.schema();
        let properties = schema["properties"].as_object().expect("properties");
        for (name, property) in properties {
            assert!(property["description"].as_str().is_some_and(|text| text.len() > 10), "{}.{name}", one.name);
        }
        for required in schema["required"].as_array().expect("a list") {
            assert!(properties.contains_key(required.as_str().expect("a name")), "{}", one.name);
        }
        let said = refused(&mut session, one.name, json!({"fil": "x"}));
        assert!(said.starts_with("there is no argument “fil”"), "{}: {said}", one.name);
    }
    assert_eq!(
        refused(&mut session, "run", json!({"file": "a.simx", "step": 1})),
        "there is no argument “step”; did you mean “steps” or “set”? The arguments are: file, steps, set, signals, at, points, from, to, digits"
    );
    assert_eq!(
        refused(&mut session, "run", json!({"steps": "many"})),
        "“steps” must be a whole number from 1 to 1099511627776"
    );
    assert_eq!(refused(&mut session, "runs", json!({})), "there is no call “runs”; did you mean “run”?");
    assert_eq!(refused(&mut session, "run", json!({})), "“file” is missing: no simulation is open yet");
}

/// Calls that say that they only read change neither the document nor the file.
#[test]
fn reading_calls_change_nothing() {
    let (folder, mut session) = session_with(&["dc_motor.simx", "lorenz.simx"]);
    let file = folder.path().join("dc_motor.simx");
    let bytes = std::fs::read(&file).expect("a file");
    done(&mut session, "overview", json!({"file": "dc_motor.simx"}));
    let arguments = |name: &str| match name {
        "files" | "plot" => json!({}),
        "blocks" => json!({"query": "gain"}),
        "explain" => json!({"code": "loop"}),
        "signals" => json!({}),
        "compare" => json!({"run": "run 1", "with": "run 1"}),
        "sweep" => json!({"file": "dc_motor.simx", "vary": ["PID/P.Gain=1,2"], "steps": 10}),
        _ => json!({"file": "dc_motor.simx"}),
    };
    done(&mut session, "run", json!({"file": "dc_motor.simx"}));
    for one in ALL.iter().filter(|one| one.effect == Effect::Reads) {
        // Pictures need a window; this session has none.
        let answered = call(&mut session, one.name, arguments(one.name));
        assert!(answered.is_ok() || ["plot", "picture"].contains(&one.name), "{}: {answered:?}", one.name);
        let simulation = session.host.simulation(Some("dc_motor.simx")).expect("a simulation");
        assert_eq!(simulation.document().revision(), 0, "{}", one.name);
        assert_eq!(std::fs::read(&file).expect("a file"), bytes, "{}", one.name);
    }
}

/// sin(2πt) and a ramp over ten seconds: statistics and values of the closed forms.
#[test]
fn numbers_are_those_of_closed_forms() {
    let (_folder, mut session) = session_with(&[]);
    done(&mut session, "create", json!({"file": "sine.simx"}));
    let text = "simulation Main, steps = 10000, delta = 0.001\n\nmodel Main\nWave: Sine, Frequency = 2*pi\nSlope: Static, Value = 2\nRamp: Integrate\nwave: output\nramp: output\nWave -> wave\nSlope -> Ramp -> ramp\n";
    done(&mut session, "write", json!({"text": text}));
    let run = done(&mut session, "run", json!({"at": [0, 0.25, 0.75, 5, 99], "digits": 17}));
    assert_eq!(run["times"], json!([0.0, 0.25, 0.75, 5.0, 9.999]));
    let wave = &run["signals"][0];
    let number = |value: &Value| value.as_f64().expect("a number");
    let near = |value: &Value, expected: f64, within: f64| {
        assert!((number(value) - expected).abs() <= within, "{value} is not {expected}");
    };
    near(&wave["rms"], 0.5_f64.sqrt(), 1e-12);
    near(&wave["mean"], 0.0, 1e-12);
    near(&wave["max"], 1.0, 1e-12);
    near(&wave["values"][1], 1.0, 1e-12);
    near(&wave["values"][2], -1.0, 1e-12);
    let ramp = &run["signals"][1];
    // Runge–Kutta is exact for a straight line but for the rounding of its sums.
    for (value, time) in ramp["values"].as_array().expect("values").iter().zip([0.0, 0.25, 0.75, 5.0, 9.999]) {
        near(value, 2.0 * time, 1e-9);
    }
    // A part of the run: the ramp from 2 s to 3 s has the mean 5.
    let part =
        done(&mut session, "signals", json!({"signals": ["ramp"], "from": 2, "to": 3, "points": 2, "digits": 9}));
    near(&part["signals"][0]["mean"], 5.0, 1e-8);
    assert_eq!(part["times"], json!([2.0, 3.0]));
    assert_eq!(
        refused(&mut session, "signals", json!({"signals": ["rampe"]})),
        "run 1 has not recorded “rampe”; did you mean “ramp”?"
    );
    let swept = done(
        &mut session,
        "sweep",
        json!({"vary": ["Slope.Value=1:3:3"], "signals": ["ramp"], "steps": 1000, "digits": 6}),
    );
    assert_eq!(swept["columns"], json!(["Slope.Value", "ramp"]));
    assert_eq!(swept["rows"], json!([[1.0, 0.999], [2.0, 1.998], [3.0, 2.997]]));
    // Each quarter of the range has a value of a Latin hypercube.
    let vary = json!({"vary": ["Slope.Value=uniform(0,4)"], "steps": 1, "draws": 4, "design": "lhs"});
    let swept = done(&mut session, "sweep", vary);
    let mut parts: Vec<u64> =
        swept["rows"].as_array().expect("rows").iter().filter_map(|row| Some(row[0].as_f64()? as u64)).collect();
    parts.sort_unstable();
    assert_eq!(parts, [0, 1, 2, 3]);
    let morris = json!({"vary": ["Slope.Value=uniform(0,4)"], "steps": 1, "draws": 4, "design": "morris"});
    assert!(call(&mut session, "sweep", morris).is_err());
}

/// 1/(s² + 2·0.5·s + 1) has its poles at −0.5 ± j·√3/2 and the DC gain 1.
#[test]
fn a_linearization_is_that_of_the_textbook() {
    let (_folder, mut session) = session_with(&[]);
    done(&mut session, "create", json!({"file": "second.simx"}));
    let text = "simulation Main, steps = 10, delta = 0.01\n\nmodel Main\nu: Static, Value = 1\nG: Transfer Function, Numerator = 1, Denominator = 1; 1; 1\ny: output\nu -> G -> y\n";
    done(&mut session, "write", json!({"text": text}));
    let linear =
        done(&mut session, "linearize", json!({"inputs": ["u.Output"], "outputs": ["G.Output"], "matrices": true}));
    let mut poles: Vec<(f64, f64)> = linear["poles"]
        .as_array()
        .expect("poles")
        .iter()
        .map(|pole| (pole[0].as_f64().expect("a number"), pole[1].as_f64().expect("a number")))
        .collect();
    poles.sort_by(|a, b| a.1.total_cmp(&b.1));
    for ((re, im), sign) in poles.iter().zip([-1.0, 1.0]) {
        assert!((re + 0.5).abs() < 1e-9 && (im - sign * 0.75_f64.sqrt()).abs() < 1e-9, "{poles:?}");
    }
    assert!((linear["dc_gain"].as_f64().expect("a number") - 1.0).abs() < 1e-12);
    assert_eq!((&linear["stable"], linear["a"].as_array().map(Vec::len)), (&json!(true), Some(2)));
}

/// Answers stay within their bounds, whatever the size of the model, and say what they leave out.
#[test]
fn answers_about_large_models_are_bounded() {
    let (folder, mut session) = session_with(&[]);
    let mut text = String::from("simulation Main, steps = 10, delta = 0.01\n");
    for number in 0..500 {
        text += &format!("a_long_name_of_a_variable_{number} = {number}\n");
    }
    text += "\nmodel Main\n";
    for number in 0..10_000 {
        text += &format!("Block number {number} with a long name: Gain, Gain = {number}\n");
    }
    for number in 0..300 {
        text += &format!("\nmodel Part {number} with a long name\nu: input\ny: output\nG: Gain\nu -> G -> y\n");
    }
    std::fs::write(folder.path().join("large.simt"), text).expect("written");
    let answer = done(&mut session, "overview", json!({"file": "large.simt"}));
    let overview = answer["text"].as_str().expect("a text");
    assert!(overview.chars().count() < 8000 && overview.contains("Main (root): 10000 blocks"), "{overview}");
    assert!(answer["left_out"].is_string());
    let read = done(&mut session, "read", json!({"limit": 5000}));
    let (kept, left_out) = (read["text"].as_str().expect("a text"), read["left_out"].as_str().expect("a text"));
    assert!(kept.chars().count() <= 5000);
    let next: u64 =
        left_out.split("from_line ").nth(1).and_then(|rest| rest.split(',').next()?.parse().ok()).expect("a line");
    let rest = done(&mut session, "read", json!({"limit": 5000, "from_line": next}));
    let whole = done(&mut session, "read", json!({"limit": 200_000}));
    let joined = format!("{kept}{}", rest["text"].as_str().expect("a text"));
    assert!(whole["text"].as_str().expect("a text").starts_with(&joined), "nothing is lost between two parts");
    let found = done(&mut session, "check", json!({}));
    assert!(found.to_string().len() < 40_000 && found["left_out"].is_string(), "{}", found.to_string().len());
    let run = done(&mut session, "run", json!({"signals": ["all"]}));
    assert!(run.to_string().len() < 40_000);
}

/// The overview of each example is short and names its outputs.
#[test]
fn overviews_of_examples_are_short() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/examples");
    let mut session = super::session_on(&folder);
    let files = done(&mut session, "files", json!({}));
    let files = files["files"].as_array().expect("a list").clone();
    assert!(files.len() >= 29);
    for file in files {
        let answer = done(&mut session, "overview", json!({"file": file}));
        let text = answer["text"].as_str().expect("a text");
        assert!(text.chars().count() < 8000 && text.contains("(root)"), "{file}: {text}");
    }
}

#[test]
fn searches_know_names_of_other_programs() {
    let (_folder, mut session) = session_with(&[]);
    let found = done(&mut session, "blocks", json!({"query": "zero order hold"}));
    assert!(found["blocks"].as_array().is_some_and(|blocks| !blocks.is_empty()), "{found}");
    let help = done(&mut session, "blocks", json!({"query": "Gain"}));
    let text = help["text"].as_str().expect("a text");
    assert!(text.starts_with("Math/Gain") && text.contains("default 1"), "{text}");
    let explained = done(&mut session, "explain", json!({"code": "loop"}));
    assert_eq!(explained["code"], "loop");
    assert!(refused(&mut session, "explain", json!({"code": "lop"})).contains("did you mean “loop”"));
}
