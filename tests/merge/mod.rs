//! Merges of two states that came from one.

mod random;
mod settled;

use std::collections::BTreeSet;
use std::path::Path;

use simulate::Registry;
use simulate::diff::diff;
use simulate::engine::diagnose;
use simulate::merge::{Merged, merge};
use simulate::model::{BlockId, Change, Document, Edit, Simulation, conflicts, expand, group, side_text};

/// A loop of a controller and a motor, in which the controller is a model of its own.
pub const MOTOR: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<simulation steps="100" delta="0.01" root="Main">
	<variable name="kp" value="2"/>
	<model name="Main">
		<block id="1" group="Var" name="Step" label="Wanted"><option name="Final Value"><value>5</value></option></block>
		<block id="2" group="Math" name="Sum" label="Error"><option name="Signs"><value>+-</value></option></block>
		<model id="3" model="Controller"/>
		<block id="4" group="Continuous" name="PT1" label="Motor"/>
		<block id="5" group="Math" name="Gain" label="Sensor"><option name="Gain"><value>1</value></option></block>
		<exit id="6" name="speed"/>
		<connection from="1" output="Output" to="2" input="Input 1"/>
		<connection from="5" output="Output" to="2" input="Input 2"/>
		<connection from="2" output="Output" to="3" input="e"/>
		<connection from="3" output="u" to="4" input="Input"/>
		<connection from="4" output="Output" to="5" input="Input"/>
		<connection from="4" output="Output" to="6" input="Input"/>
	</model>
	<model name="Controller">
		<entry id="1" name="e"/>
		<block id="2" group="Math" name="Gain" label="P"><option name="Gain"><value>kp</value></option></block>
		<exit id="3" name="u"/>
		<connection from="1" output="Output" to="2" input="Input"/>
		<connection from="2" output="Output" to="3" input="Input"/>
	</model>
</simulation>
"#;

pub fn parsed(text: &str) -> Simulation {
    let formats = simulate::Components::standard().formats;
    let loaded = formats.parse(Path::new("m.simx"), text.as_bytes(), &Default::default()).expect("a simulation");
    assert_eq!(loaded.diagnostics, [], "{text}");
    loaded.simulation
}

pub fn written(simulation: &Simulation) -> String {
    let formats = simulate::Components::standard().formats;
    String::from_utf8(formats.bytes_of(Path::new("m.simx"), simulation).expect("a file")).expect("UTF-8")
}

pub fn merged(base: &Simulation, ours: &Simulation, theirs: &Simulation) -> Merged {
    let registry = Registry::standard();
    let merged = merge((base, ours, theirs), &registry, &|state| diagnose(state, &registry));
    // Every merge can be saved, opened and saved again.
    let text = written(&merged.simulation);
    assert_eq!(written(&parsed(&text)), text);
    merged
}

pub fn applied(simulation: &Simulation, edits: Vec<Edit>) -> Simulation {
    let mut document = Document::new(simulation.clone(), Registry::standard());
    document.apply(&Change::new("Edit", edits)).expect("the edit");
    document.simulation().as_ref().clone()
}

/// The text with replacements, each of which occurs.
fn changed(base: &str, replacements: &[(&str, &str)]) -> String {
    replacements.iter().fold(base.to_owned(), |text, (from, to)| {
        let new = text.replace(from, to);
        assert_ne!(new, text, "{from}");
        new
    })
}

/// The lines of a diff without the layout.
fn lines(first: &Simulation, second: &Simulation) -> Vec<String> {
    let changes = diff(first, second);
    let changes = changes.iter().filter(|change| !change.is_layout);
    changes.map(|change| format!("{} {change}", change.sign())).collect()
}

/// The conflicts as `Main/PID, Gain: 2, 3, 4`, in base, ours and theirs.
pub fn conflict_lines(simulation: &Simulation) -> Vec<String> {
    let line = |(holder, conflict): (simulate::model::Holder, simulate::model::Conflict)| {
        let side = |values| side_text(simulation, &holder, &conflict, values);
        let [base, ours, theirs] = [&conflict.base, &conflict.ours, &conflict.theirs].map(side);
        format!("{}, {}: {base}, {ours}, {theirs}", holder.text(simulation), conflict.property)
    };
    conflicts(simulation).into_iter().map(line).collect()
}

/// Merges two texts in both directions; returns the changes of the merge from the base, and the conflicts.
#[track_caller]
fn check(ours: &[(&str, &str)], theirs: &[(&str, &str)], wanted: &[&str], wanted_conflicts: &[&str]) {
    let [base, ours, theirs] = [&[][..], ours, theirs].map(|replaced| parsed(&changed(MOTOR, replaced)));
    let there = merged(&base, &ours, &theirs);
    assert_eq!(conflict_lines(&there.simulation), wanted_conflicts);
    let found = lines(&base, &there.simulation);
    let found: Vec<&str> = found.iter().map(String::as_str).filter(|line| !line.contains("conflicts: ")).collect();
    assert_eq!(found, wanted);
    let back = merged(&base, &theirs, &ours);
    match wanted_conflicts {
        [] => assert_eq!(written(&back.simulation), written(&there.simulation), "in either order"),
        _ => assert_eq!(conflicts(&back.simulation).len(), wanted_conflicts.len(), "in either order"),
    }
}

const FINAL: (&str, &str) = ("<value>5</value>", "<value>7</value>");

#[test]
fn changes_of_different_things_are_both_kept() {
    check(
        &[FINAL, ("steps=\"100\"", "steps=\"200\"")],
        &[("<value>kp</value>", "<value>2*kp</value>"), ("value=\"2\"", "value=\"3\"")],
        &[
            "~ simulation, steps: 100 → 200",
            "~ variable kp: 2 → 3",
            "~ Main/Wanted.Final Value: 5 → 7",
            "~ Controller/P.Gain: kp → 2*kp",
        ],
        &[],
    );
    // Two parameters of one block, and two attributes.
    check(
        &[("label=\"Motor\"/>", "label=\"Motor\"><option name=\"Gain\"><value>3</value></option></block>")],
        &[(
            "label=\"Motor\"/>",
            "label=\"Motor\" note=\"hot\"><option name=\"Time Constant\"><value>2</value></option></block>",
        )],
        &[
            "~ Main/Motor.Gain: default → 3",
            "~ Main/Motor.Time Constant: default → 2",
            "~ Main/Motor.note: default → hot",
        ],
        &[],
    );
}

#[test]
fn a_value_that_both_changed_is_a_conflict() {
    check(
        &[FINAL],
        &[("<value>5</value>", "<value>8</value>")],
        &["~ Main/Wanted.Final Value: 5 → 7"],
        &["Main/Wanted, Final Value: 5, 7, 8"],
    );
    check(&[FINAL], &[FINAL], &["~ Main/Wanted.Final Value: 5 → 7"], &[]);
    check(
        &[("label=\"Motor\"", "label=\"Drive\""), ("value=\"2\"", "value=\"3\"")],
        &[("label=\"Motor\"", "label=\"Engine\""), ("value=\"2\"", "value=\"4\""), ("steps=\"100\"", "steps=\"7\"")],
        &["~ simulation, steps: 100 → 7", "~ variable kp: 2 → 3", "~ Main/Drive: renamed from Motor"],
        &["variable kp, value: 2, 3, 4", "Main/Drive, label: Motor, Drive, Engine"],
    );
}

#[test]
fn the_layout_is_merged_without_conflicts() {
    let at = |x: &str, y: &str| ("label=\"Motor\"", format!("label=\"Motor\" view:x=\"{x}\" view:y=\"{y}\""));
    let [here, there] = [at("10", "20"), at("30", "40")];
    let base = parsed(MOTOR);
    let [ours, theirs] = [&here, &there].map(|(from, to)| parsed(&changed(MOTOR, &[(from, to)])));
    let found = merged(&base, &ours, &theirs);
    assert_eq!(written(&found.simulation), written(&ours));
    // Of one side each: x and y are one position.
    let moved = parsed(&changed(MOTOR, &[(here.0, &here.1), FINAL]));
    let found = merged(&base, &moved, &parsed(&changed(MOTOR, &[("steps=\"100\"", "steps=\"9\"")])));
    assert_eq!(conflict_lines(&found.simulation), [""; 0]);
    assert!(written(&found.simulation).contains("view:x=\"10\" view:y=\"20\""));
}

#[test]
fn plots_and_requirements_of_both_sides_are_kept() {
    for (name, [ours, both, theirs]) in [
        ("view:plot", ["#5.Output", "#4.Output", "#1.Output"]),
        (
            "view:requirements",
            ["{#5.Output} >= 3 from 1", "rise-time of {#4.Output} > 1", "maximize mean of {#1.Output}"],
        ),
    ] {
        let with = |list: &str| changed(MOTOR, &[("root=\"Main\"", &format!("root=\"Main\" {name}=\"{list}\""))]);
        let base = parsed(&with(both));
        let (ours_text, theirs_text) = (format!("{both}|{ours}"), format!("{theirs}|{both}"));
        let found = merged(&base, &parsed(&with(&ours_text)), &parsed(&with(&theirs_text)));
        assert_eq!(found.simulation.attributes.get(name), Some(&*format!("{theirs}|{both}|{ours}")));
    }
}

#[test]
fn what_one_deleted_and_the_other_changed_stays_as_a_conflict() {
    let without_sensor = [
        (
            "\t\t<block id=\"5\" group=\"Math\" name=\"Gain\" label=\"Sensor\"><option name=\"Gain\"><value>1</value></option></block>\n",
            "",
        ),
        ("\t\t<connection from=\"5\" output=\"Output\" to=\"2\" input=\"Input 2\"/>\n", ""),
        ("\t\t<connection from=\"4\" output=\"Output\" to=\"5\" input=\"Input\"/>\n", ""),
    ];
    let other = [("<value>1</value>", "<value>9</value>")];
    check(
        &without_sensor,
        &other,
        &["~ Main/Sensor.Gain: 1 → 9"],
        &["Main/Sensor, deleted or changed: changed, deleted, changed"],
    );
    // Nothing was changed about it: it is deleted.
    check(
        &without_sensor,
        &[FINAL],
        &["~ Main/Wanted.Final Value: 5 → 7", "- wire Main/Error.Input 2: Sensor.Output", "- Main/Sensor: Math/Gain"],
        &[],
    );
    // A wire that the other side has led from it would lose its end.
    let used = [(
        "<connection from=\"4\" output=\"Output\" to=\"6\" input=\"Input\"/>",
        "<connection from=\"5\" output=\"Output\" to=\"6\" input=\"Input\"/>",
    )];
    check(
        &without_sensor,
        &used,
        &["~ wire Main/speed.Input: Motor.Output → Sensor.Output"],
        &["Main/Sensor, deleted or changed: changed, deleted, changed"],
    );
}

#[test]
fn two_sources_for_one_input_are_a_conflict() {
    let from = |id: &str| format!("<connection from=\"{id}\" output=\"Output\" to=\"6\" input=\"Input\"/>");
    check(
        &[(&from("4"), &from("1"))],
        &[(&from("4"), &from("5"))],
        &["~ wire Main/speed.Input: Motor.Output → Wanted.Output"],
        &["wire Main/speed.Input, connection: Motor.Output, Wanted.Output, Sensor.Output"],
    );
    check(
        &[(&format!("\t\t{}\n", from("4")), "")],
        &[(&from("4"), &from("5"))],
        &["~ wire Main/speed.Input: Motor.Output → Sensor.Output"],
        &["wire Main/speed.Input, connection: Motor.Output, not connected, Sensor.Output"],
    );
}

#[test]
fn blocks_with_one_new_id_are_two_blocks() {
    let block = |label: &str| {
        format!("<exit id=\"6\" name=\"speed\"/>\n\t\t<block id=\"7\" group=\"Math\" name=\"Gain\" label=\"{label}\"/>")
    };
    let wire = |id: &str| {
        format!(
            "<connection from=\"1\" output=\"Output\" to=\"2\" input=\"Input 1\"/>\n\
             \t\t<connection from=\"{id}\" output=\"Output\" to=\"7\" input=\"Input\"/>"
        )
    };
    let places =
        ["<exit id=\"6\" name=\"speed\"/>", "<connection from=\"1\" output=\"Output\" to=\"2\" input=\"Input 1\"/>"];
    check(
        &[(places[0], &block("Left")), (places[1], &wire("1"))],
        &[(places[0], &block("Right")), (places[1], &wire("4"))],
        &[
            "+ Main/Left: Math/Gain",
            "+ wire Main/Left.Input: Wanted.Output",
            "+ Main/Right: Math/Gain",
            "+ wire Main/Right.Input: Motor.Output",
        ],
        &[],
    );
    // The same block on both sides, such as a change that both have taken over.
    check(
        &[(places[0], &block("Left")), (places[1], &wire("1"))],
        &[(places[0], &block("Left")), (places[1], &wire("1")), FINAL],
        &["~ Main/Wanted.Final Value: 5 → 7", "+ Main/Left: Math/Gain", "+ wire Main/Left.Input: Wanted.Output"],
        &[],
    );
}

#[test]
fn plots_follow_a_block_that_gets_another_id() {
    let block = |label: &str| {
        format!("<exit id=\"6\" name=\"speed\"/>\n\t\t<block id=\"7\" group=\"Math\" name=\"Gain\" label=\"{label}\"/>")
    };
    let place = "<exit id=\"6\" name=\"speed\"/>";
    let plot = ("root=\"Main\"", "root=\"Main\" view:plot=\"#7.Output\"");
    let base = parsed(MOTOR);
    let ours = parsed(&changed(MOTOR, &[(place, &block("Left"))]));
    let theirs = parsed(&changed(MOTOR, &[(place, &block("Right")), plot]));
    let found = merged(&base, &ours, &theirs).simulation;
    let id = found
        .model("Main")
        .and_then(|model| model.blocks.values().find(|block| block.title() == "Right"))
        .map(|block| block.id);
    assert_eq!(id, Some(BlockId(8)));
    assert_eq!(found.attributes.get("view:plot"), Some("#8.Output"));
}

#[test]
fn a_model_that_is_renamed_is_renamed_in_what_the_other_side_changed() {
    let renamed = [("model=\"Controller\"", "model=\"Regulator\""), ("name=\"Controller\"", "name=\"Regulator\"")];
    let second = (
        "<exit id=\"6\" name=\"speed\"/>",
        "<exit id=\"6\" name=\"speed\"/>\n\t\t<model id=\"7\" model=\"Controller\" label=\"Second\"/>",
    );
    check(
        &renamed,
        &[("<value>kp</value>", "<value>4</value>"), second],
        &["+ Main/Second: model Regulator", "~ model Regulator: renamed from Controller", "~ Regulator/P.Gain: kp → 4"],
        &[],
    );
    let other = [("model=\"Controller\"", "model=\"Pilot\""), ("name=\"Controller\"", "name=\"Pilot\"")];
    check(
        &renamed,
        &other,
        &["~ model Regulator: renamed from Controller"],
        &["model Regulator, name: Controller, Regulator, Pilot"],
    );
}

#[test]
fn a_port_that_is_renamed_is_renamed_in_new_instances() {
    let renamed =
        [("<entry id=\"1\" name=\"e\"/>", "<entry id=\"1\" name=\"error\"/>"), ("input=\"e\"", "input=\"error\"")];
    let second = [
        (
            "<exit id=\"6\" name=\"speed\"/>",
            "<exit id=\"6\" name=\"speed\"/>\n\t\t<model id=\"7\" model=\"Controller\" label=\"Second\"/>",
        ),
        (
            "<connection from=\"4\" output=\"Output\" to=\"6\" input=\"Input\"/>",
            "<connection from=\"4\" output=\"Output\" to=\"6\" input=\"Input\"/>\n\t\t<connection from=\"4\" output=\"Output\" to=\"7\" input=\"e\"/>",
        ),
    ];
    check(
        &renamed,
        &second,
        &[
            "+ Main/Second: model Controller",
            "+ wire Main/Second.error: Motor.Output",
            "~ Controller/error: renamed from e",
        ],
        &[],
    );
}

#[test]
fn a_model_that_is_deleted_and_used_stays_as_a_conflict() {
    let inner = MOTOR.split_once("\t<model name=\"Controller\">").map(|(_, rest)| rest).expect("the model");
    let inner = format!("\t<model name=\"Controller\">{}", inner.trim_end().trim_end_matches("</simulation>"));
    let without = [
        (&*inner, ""),
        ("\t\t<model id=\"3\" model=\"Controller\"/>\n", ""),
        ("\t\t<connection from=\"2\" output=\"Output\" to=\"3\" input=\"e\"/>\n", ""),
        ("\t\t<connection from=\"3\" output=\"u\" to=\"4\" input=\"Input\"/>\n", ""),
    ];
    let base = parsed(MOTOR);
    let ours = parsed(&changed(MOTOR, &without));
    let theirs = parsed(&changed(MOTOR, &[("<value>kp</value>", "<value>4</value>")]));
    for found in [merged(&base, &ours, &theirs), merged(&base, &theirs, &ours)] {
        assert_eq!(found.conflicts().len(), 1);
        assert!(conflict_lines(&found.simulation)[0].starts_with("model Controller, deleted or changed: changed, "));
        assert!(written(&found.simulation).contains("<value>4</value>"));
    }
}

/// Blocks of the root that are grouped, by id.
fn grouped(simulation: &Simulation, ids: &[i128], name: &str) -> Simulation {
    let main = simulation.model("Main").expect("the root");
    let ids: BTreeSet<BlockId> = ids.iter().copied().map(BlockId).collect();
    applied(simulation, group(simulation, main, &ids, name).expect("a group").0)
}

#[test]
fn changes_of_blocks_that_the_other_side_grouped_find_them() {
    let base = parsed(MOTOR);
    let ours = grouped(&base, &[4, 5], "Plant");
    let theirs = parsed(&changed(
        MOTOR,
        &[
            ("<value>1</value>", "<value>9</value>"),
            FINAL,
            ("<exit id=\"6\" name=\"speed\"/>", "<exit id=\"6\" name=\"speed\"/>\n\t\t<exit id=\"7\" name=\"seen\"/>"),
            (
                "<connection from=\"4\" output=\"Output\" to=\"6\" input=\"Input\"/>",
                "<connection from=\"4\" output=\"Output\" to=\"6\" input=\"Input\"/>\n\t\t<connection from=\"5\" output=\"Output\" to=\"7\" input=\"Input\"/>",
            ),
        ],
    ));
    for found in [merged(&base, &ours, &theirs), merged(&base, &theirs, &ours)] {
        assert_eq!(conflict_lines(&found.simulation), [""; 0]);
        assert_eq!(
            lines(&base, &found.simulation),
            [
                "~ Main/Wanted.Final Value: 5 → 7",
                "+ Main/seen: exit",
                "+ wire Main/seen.Input: Plant/Sensor#5.Output",
                "~ model Plant: 2 blocks grouped from Main",
                "~ Plant/Sensor#5.Gain: 1 → 9",
            ]
        );
    }
}

#[test]
fn a_group_that_both_sides_have_is_one_group() {
    let base = parsed(MOTOR);
    let both = parsed(&written(&grouped(&base, &[4, 5], "Plant")));
    let ours = parsed(&changed(&written(&both), &[("<value>1</value>", "<value>9</value>")]));
    let theirs = parsed(&changed(&written(&both), &[FINAL]));
    let found = merged(&base, &ours, &theirs);
    assert_eq!(conflict_lines(&found.simulation), [""; 0]);
    assert_eq!(lines(&both, &found.simulation), ["~ Main/Wanted.Final Value: 5 → 7", "~ Plant/Sensor#5.Gain: 1 → 9"]);
}

#[test]
fn changes_of_blocks_that_the_other_side_expanded_find_them() {
    let base = parsed(MOTOR);
    let edits = expand(&base, base.model("Main").expect("the root"), BlockId(3)).expect("an expansion").0;
    let ours = applied(&base, edits);
    let theirs = parsed(&changed(MOTOR, &[("<value>kp</value>", "<value>4</value>"), FINAL]));
    for found in [merged(&base, &ours, &theirs), merged(&base, &theirs, &ours)] {
        assert_eq!(conflict_lines(&found.simulation), [""; 0]);
        assert_eq!(
            lines(&base, &found.simulation),
            [
                "~ Main/Wanted.Final Value: 5 → 7",
                "~ Main/P.Gain: kp → 4",
                "~ model Controller: expanded, 1 block now in Main"
            ]
        );
    }
}

#[test]
fn an_expansion_that_both_sides_have_is_one() {
    let base = parsed(MOTOR);
    let edits = expand(&base, base.model("Main").expect("the root"), BlockId(3)).expect("an expansion").0;
    let both = parsed(&written(&applied(&base, edits)));
    let ours = parsed(&changed(&written(&both), &[("<value>kp</value>", "<value>4</value>")]));
    for found in [merged(&base, &ours, &both), merged(&base, &both, &ours)] {
        assert_eq!(written(&found.simulation), written(&ours));
    }
}

#[test]
fn an_id_that_another_block_had_stays_if_that_one_is_gone() {
    let base = parsed(MOTOR);
    let sensor =
        "group=\"Math\" name=\"Gain\" label=\"Sensor\"><option name=\"Gain\"><value>1</value></option></block>";
    let other = [(sensor, "group=\"Math\" name=\"Abs\" label=\"Size\"/>")];
    let ours = parsed(&changed(MOTOR, &other));
    for found in [
        merged(&base, &ours, &parsed(&changed(MOTOR, &[("steps=\"100\"", "steps=\"9\"")]))),
        merged(&base, &parsed(&changed(MOTOR, &[("steps=\"100\"", "steps=\"9\"")])), &ours),
    ] {
        assert_eq!(written(&found.simulation), changed(&written(&ours), &[("steps=\"100\"", "steps=\"9\"")]));
    }
    // The other side changed the block that had the id: both are there.
    let found = merged(&base, &ours, &parsed(&changed(MOTOR, &[("<value>1</value>", "<value>9</value>")])));
    let text = written(&found.simulation);
    assert!(text.contains("label=\"Size\"") && text.contains("<value>9</value>"), "{text}");
    assert_eq!(conflicts(&found.simulation).len(), 1, "{text}");
}

#[test]
fn a_problem_that_neither_side_had_is_a_conflict() {
    // Each side feeds one gain from the other: together a loop.
    let gains = "<exit id=\"6\" name=\"speed\"/>\n\t\t<block id=\"10\" group=\"Math\" name=\"Gain\" label=\"A\"/>\n\t\t<block id=\"11\" group=\"Math\" name=\"Gain\" label=\"B\"/>";
    let base = changed(MOTOR, &[("<exit id=\"6\" name=\"speed\"/>", gains)]);
    let last = "<connection from=\"4\" output=\"Output\" to=\"6\" input=\"Input\"/>";
    let wired = |from: &str, to: &str| {
        let wire = format!("{last}\n\t\t<connection from=\"{from}\" output=\"Output\" to=\"{to}\" input=\"Input\"/>");
        parsed(&changed(&base, &[(last, &wire)]))
    };
    let found = merged(&parsed(&base), &wired("10", "11"), &wired("11", "10"));
    let lines = conflict_lines(&found.simulation);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("algebraic loop: B #11 → A #10 → B #11"), "{lines:?}");
    let registry = Registry::standard();
    let problems = diagnose(&found.simulation, &registry);
    assert!(problems.iter().any(|problem| problem.code == "merge-conflict" && problem.is_error()), "{problems:?}");
    // One deletes a variable that the other uses.
    let base = parsed(MOTOR);
    let ours = parsed(&changed(
        MOTOR,
        &[("\t<variable name=\"kp\" value=\"2\"/>\n", ""), ("<value>kp</value>", "<value>2</value>")],
    ));
    let theirs = parsed(&changed(MOTOR, &[("<value>1</value>", "<value>kp</value>")]));
    let found = merged(&base, &ours, &theirs);
    let lines = conflict_lines(&found.simulation);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("Main/Sensor, bad-option: "), "{lines:?}");
}

#[test]
fn comments_and_unknown_elements_of_both_sides_are_kept() {
    let base =
        parsed(&changed(MOTOR, &[("\t<model name=\"Controller\">", "\t<!-- old -->\n\t<model name=\"Controller\">")]));
    let text = written(&base);
    let ours = parsed(&changed(&text, &[("<!-- old -->", "<!-- new -->")]));
    let theirs =
        parsed(&changed(&text, &[("<entry id=\"1\" name=\"e\"/>", "<entry id=\"1\" name=\"e\"/>\n\t\t<!-- in -->")]));
    let found = written(&merged(&base, &ours, &theirs).simulation);
    assert!(
        found.contains("<!-- new -->") && found.contains("<!-- in -->") && !found.contains("<!-- old -->"),
        "{found}"
    );
}

#[test]
fn a_conflict_that_is_not_settled_stays_and_a_settled_one_goes() {
    let open = ("label=\"Sensor\"", "label=\"Sensor\" conflicts=\"option:Gain[base=1,ours=2,theirs=3]\"");
    let base = parsed(&changed(MOTOR, &[open]));
    let text = written(&base);
    let settled = parsed(&changed(&text, &[(" conflicts=\"option:Gain[base=1,ours=2,theirs=3]\"", ""), FINAL]));
    let other = parsed(&changed(&text, &[("steps=\"100\"", "steps=\"9\"")]));
    for found in [merged(&base, &settled, &other), merged(&base, &other, &settled)] {
        assert_eq!(conflict_lines(&found.simulation), [""; 0]);
    }
    let kept = merged(&parsed(MOTOR), &base, &parsed(&changed(MOTOR, &[FINAL])));
    assert_eq!(conflict_lines(&kept.simulation), ["Main/Sensor, Gain: 1, 2, 3"]);
}

#[test]
fn a_wire_that_a_side_has_without_an_end_is_kept_so() {
    let gone = ("\t\t<exit id=\"6\" name=\"speed\"/>\n", "");
    check(&[gone], &[FINAL], &["~ Main/Wanted.Final Value: 5 → 7", "- Main/speed: exit"], &[]);
    let base = parsed(MOTOR);
    let found = merged(&base, &parsed(&changed(MOTOR, &[gone])), &parsed(&changed(MOTOR, &[FINAL])));
    assert!(written(&found.simulation).contains("to=\"6\""));
}
