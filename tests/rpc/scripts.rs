//! Scripts that build examples from nothing by calls alone: the results are those of the examples, bit for bit.

use serde_json::{Value, json};

use super::{done, session_with};

fn check(example: &str, script: &str, signals: &[(&str, &str)]) {
    let file = format!("{example}.simx");
    let (folder, mut session) = session_with(&[&file]);
    let calls: Vec<Value> = serde_json::from_str(script).expect("a script");
    for call in &calls {
        let name = call["call"].as_str().expect("a name");
        let answer = done(&mut session, name, call["arguments"].clone());
        assert!(answer.get("new_problems").is_none(), "{example}: {answer}");
    }
    done(&mut session, "save", json!({"file": "built.simx"}));
    assert!(folder.path().join("built.simx").is_file());
    let names = |side: fn(&(&str, &str)) -> String| signals.iter().map(side).collect::<Vec<_>>();
    let exact =
        |file: &str, signals: Vec<String>| json!({"file": file, "signals": signals, "digits": 17, "points": 50});
    let built = done(&mut session, "run", exact("built.simx", names(|(built, _)| (*built).to_owned())));
    let known = done(&mut session, "run", exact(&file, names(|(_, known)| (*known).to_owned())));
    let values = |run: &Value| -> Vec<Value> {
        run["signals"].as_array().expect("signals").iter().map(|signal| signal["values"].clone()).collect()
    };
    assert_eq!(built["times"], known["times"]);
    assert_eq!(values(&built).len(), signals.len());
    assert_eq!(values(&built), values(&known), "{example}");
}

#[test]
fn the_motor_is_built_by_operations() {
    check("dc_motor", include_str!("scripts/dc_motor.json"), &[("speed", "speed"), ("PID#8.Output", "PID#8.Output")]);
}

#[test]
fn fibonacci_is_built_by_operations() {
    check("fibonacci", include_str!("scripts/fibonacci.json"), &[("#3.Input", "#3.Input"), ("#4.Input", "#4.Input")]);
}

#[test]
fn the_oscillator_is_built_by_text() {
    check("van_der_pol", include_str!("scripts/van_der_pol.json"), &[("x", "x"), ("rate", "rate")]);
}

#[test]
fn predator_and_prey_are_built_by_text() {
    let signals = [("prey", "prey"), ("predators", "predators")];
    check("predator_prey", include_str!("scripts/predator_prey.json"), &signals);
}

#[test]
fn lorenz_is_built_by_text_and_variables() {
    let script = include_str!("scripts/lorenz.json");
    check("lorenz", script, &[("X.Output", "#0.Output"), ("Y.Output", "#1.Output"), ("Z.Output", "#2.Output")]);
}
