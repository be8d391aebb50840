//! Masks: how instances show a model's variables, and which values they accept.

use simulate::block::Registry;
use simulate::format::{LoadOptions, Loader, simx::Simx};
use simulate::model::{Change, Diagnostic, Document, Edit, EditError, Mask, Simulation, check};

use crate::sketch::Run;

/// `Valve` has the variable `k` with these attributes and this value; its instance sets another value.
fn valve(attributes: &str, value: &str, used: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<simulation steps="1" delta="1" root="Main">
	<variable name="outer" value="7"/>
	<model name="Main">
		<model id="1" model="Valve"><option name="k">{used}</option></model>
		<exit id="2" name="y"/>
		<connection from="1" output="y" to="2" input="Input"/>
	</model>
	<model name="Valve">
		<variable name="k" value="{value}"{attributes}/>
		<block id="0" group="Var" name="Static"><option name="Value"><value>k</value></option></block>
		<exit id="1" name="y"/>
		<connection from="0" output="Output" to="1" input="Input"/>
	</model>
</simulation>
"#
    )
}

fn read(text: &str) -> Simulation {
    let loaded = Simx.read(text.as_bytes(), &LoadOptions::default()).expect("it reads");
    assert_eq!(loaded.diagnostics, []);
    loaded.simulation
}

fn found(attributes: &str, value: &str, used: &str) -> Vec<(String, String)> {
    let simulation = read(&valve(attributes, value, &format!("<value>{used}</value>")));
    let place = |found: Diagnostic| (found.location.to_string(), found.message);
    check(&simulation, &Registry::standard()).into_iter().map(place).collect()
}

#[test]
fn values_beyond_the_limits_are_reported_at_the_instance() {
    const LIMITS: &str = r#" label="Opening" unit="%" doc="How far it is open" min="0" max="100""#;
    assert_eq!(found(LIMITS, "50", "100"), []);
    assert_eq!(found(LIMITS, "50", "[0 1 2]"), []);
    let at = |place: &str, message: &str| vec![(place.to_owned(), message.to_owned())];
    assert_eq!(found(LIMITS, "50", "101"), at("Main #1", "k: 101 is outside the range 0 to 100"));
    assert_eq!(found(LIMITS, "50", "20 - 3*outer"), at("Main #1", "k: -1 is outside the range 0 to 100"));
    assert_eq!(found(LIMITS, "50", "[1 200]"), at("Main #1", "k: 200 is outside the range 0 to 100"));
    assert_eq!(found(LIMITS, "-50", "1"), at("Valve", "k: -50 is outside the range 0 to 100"));
    assert_eq!(found(r#" min="2*pi""#, "7", "6"), at("Main #1", "k: 6 is below the minimum 6.283185307179586"));
    assert_eq!(found(r#" max="1""#, "0", "3"), at("Main #1", "k: 3 is above the maximum 1"));
}

#[test]
fn choices_are_the_only_values() {
    const CHOICES: &str = r#" choices="off=0 | slow=1 | 2.5""#;
    assert_eq!(found(CHOICES, "0", "2.5"), []);
    let [(place, message)] = &found(CHOICES, "0", "2")[..] else { panic!("one problem") };
    assert_eq!((&**place, &**message), ("Main #1", "k: 2 is not one of 0 (off), 1 (slow), 2.5"));
    let mask = Mask::of(&read(&valve(CHOICES, "0", "")).model("Valve").expect("the model").variables["k"]);
    let choices: Vec<(String, f64)> =
        mask.expect("a mask").choices.into_iter().map(|choice| (choice.label, choice.value)).collect();
    assert_eq!(choices, [("off".to_owned(), 0.0), ("slow".to_owned(), 1.0), ("2.5".to_owned(), 2.5)]);
}

#[test]
fn limits_that_are_no_numbers_are_reported_at_the_variable() {
    for (attributes, message) in [
        (r#" min="low""#, "k: min is “low”: unknown variable \"low\""),
        (r#" min="2" max="1""#, "k: min is “2”: it is above max, which is 1"),
        (r#" choices="a=[1 2]""#, "k: choices is “[1 2]”: expected one number"),
    ] {
        let [(place, told)] = &found(attributes, "1", "1")[..] else { panic!("one problem: {attributes}") };
        assert_eq!(place, "Valve");
        assert!(told.starts_with(message.split(';').next().unwrap_or_default()), "{told}");
    }
}

/// The limit is also checked if only another instance of the outer model exceeds it.
#[test]
fn limits_hold_in_every_instance() {
    let text = valve(r#" max="10""#, "1", "<value>outer</value>")
        .replace(r#"root="Main""#, r#"root="Top""#)
        .replace(r#"<model name="Main">"#, r#"<model name="Main"><variable name="outer" value="2"/>"#)
        .replace(
            "</simulation>",
            r#"<model name="Top"><model id="0" model="Main"><option name="outer"><value>11</value></option></model></model></simulation>"#,
        );
    let simulation = read(&text);
    assert_eq!(check(&simulation, &Registry::standard()), []);
    let found = simulate::engine::compile(&simulation, &Registry::standard()).expect_err("11 is more than 10");
    assert!(found[0].message.contains("k: 11 is above the maximum 10"), "{found:?}");
}

#[test]
fn a_mask_is_edited_undone_and_kept_in_the_file() {
    let before = valve("", "1", "<value>2</value>");
    let mut document = Document::new(read(&before), Registry::standard());
    let set = |name: &str, attribute: &str, value: Option<&str>| {
        let (model, name, attribute) = (Some("Valve".into()), name.into(), attribute.into());
        let edit = Edit::SetVariableAttribute { model, name, attribute, value: value.map(Into::into) };
        Change::one("Set a limit", edit)
    };
    document.apply(&set("k", "max", Some("1"))).expect("it can be set");
    let written = String::from_utf8(Simx.write(document.simulation()).expect("it writes")).expect("text");
    assert_eq!(written, valve(r#" max="1""#, "1", "<value>2</value>"));
    assert_eq!(check(document.simulation(), &Registry::standard()).len(), 1);
    document.apply(&set("k", "max", None)).expect("it can be removed");
    document.undo();
    document.undo();
    assert_eq!(**document.simulation(), read(&before));
    assert_eq!(document.apply(&set("z", "max", None)), Err(EditError::UnknownVariable("z".into())));
    assert_eq!(Run::new(document.simulation(), "compiled").steps(1).exit("y"), [2.0]);
}
