//! Changes that are taken back one by one.

use simulate::diff::{can_be_taken, diff, take};
use simulate::model::{Edit, Simulation};

use super::{MOTOR, applied, lines, parsed};

/// Takes back all changes that can be, one by one; returns those that are left.
fn taken_back(first: &Simulation, second: &Simulation) -> (Simulation, Vec<String>) {
    let mut state = second.clone();
    let mut failed = Vec::new();
    while let Some(change) = diff(first, &state).into_iter().find(|change| !failed.contains(change)) {
        let edits: Option<Vec<Edit>> = take(first, &state, &change);
        assert!(can_be_taken(&change) || edits.is_none(), "{change}");
        match edits {
            Some(edits) => {
                let next = applied(&state, edits);
                assert!(!diff(first, &next).contains(&change), "{change} is taken back");
                state = next;
                // A change that failed may have needed this one.
                failed.clear();
            }
            None => failed.push(change),
        }
    }
    let left = lines(first, &state);
    (state, left)
}

#[track_caller]
fn check(replacements: &[(&str, &str)]) {
    let text = replacements.iter().fold(MOTOR.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    });
    let (base, other) = (parsed(MOTOR), parsed(&text));
    assert_ne!(diff(&base, &other), [], "{replacements:?}");
    assert_eq!(taken_back(&base, &other).1, [""; 0], "{replacements:?}");
    // In the other direction, added blocks are removed ones.
    assert_eq!(taken_back(&other, &base).1, [""; 0], "{replacements:?}");
}

#[test]
fn values_names_and_attributes_are_taken_back() {
    check(&[("<value>5</value>", "<value>7</value>"), ("name=\"kp\" value=\"2\"", "name=\"kp\" value=\"3\"")]);
    check(&[("steps=\"100\"", "steps=\"200\" solver=\"bdf\""), ("delta=\"0.01\"", "delta=\"0.5\"")]);
    check(&[("label=\"Motor\"", "label=\"Drive\" comment=\"out\" view:x=\"10\" view:y=\"20\"")]);
    check(&[
        ("name=\"Gain\" label=\"Sensor\"", "name=\"Abs\" label=\"Sensor\""),
        ("<variable name=\"kp\"", "<variable unit=\"V\" name=\"kp\""),
    ]);
    check(&[("<option name=\"Signs\"><value>+-</value></option>", "")]);
    check(&[(
        "<variable name=\"kp\" value=\"2\"/>",
        "<variable name=\"kp\" value=\"2\"/><variable name=\"ki\" value=\"1\"/>",
    )]);
    check(&[("model=\"Controller\"", "model=\"Pilot\""), ("name=\"Controller\"", "name=\"Pilot\"")]);
    check(&[("<exit id=\"6\" name=\"speed\"/>", "<exit id=\"6\" name=\"omega\"/>")]);
}

#[test]
fn blocks_and_wires_are_taken_back() {
    let wire = "<connection from=\"4\" output=\"Output\" to=\"6\" input=\"Input\"/>";
    check(&[(wire, "<connection from=\"5\" output=\"Output\" to=\"6\" input=\"Input\"/>")]);
    check(&[(wire, "")]);
    check(&[(wire, "<connection from=\"4\" output=\"Output\" to=\"6\" input=\"Input\" label=\"w\"/>")]);
    check(&[
        (
            "<exit id=\"6\" name=\"speed\"/>",
            "<exit id=\"6\" name=\"speed\"/><block id=\"7\" group=\"Math\" name=\"Abs\" label=\"Size\"/>",
        ),
        (
            wire,
            "<connection from=\"4\" output=\"Output\" to=\"7\" input=\"Input\"/><connection from=\"7\" output=\"Output\" to=\"6\" input=\"Input\"/>",
        ),
    ]);
}
