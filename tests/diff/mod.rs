//! The changes from one state of a document to another.

mod defaults;
mod examples;
mod take;

use std::collections::BTreeSet;
use std::path::Path;

use simulate::Registry;
use simulate::diff::diff;
use simulate::model::{Block, BlockId, BlockKind, Change, Document, Edit, Simulation, expand, group};

use crate::merge::MOTOR;

fn parsed(text: &str) -> Simulation {
    let formats = simulate::Components::standard().formats;
    formats.parse(Path::new("m.simx"), text.as_bytes(), &Default::default()).expect("a simulation").simulation
}

/// The lines of a diff; with the layout as one word.
fn lines(first: &Simulation, second: &Simulation) -> Vec<String> {
    let changes = diff(first, second);
    let has_layout = changes.iter().any(|change| change.is_layout);
    let lines = changes.iter().filter(|change| !change.is_layout).map(|change| format!("{} {change}", change.sign()));
    lines.chain(has_layout.then(|| "layout".to_owned())).collect()
}

fn applied(simulation: &Simulation, edits: Vec<Edit>) -> Simulation {
    let mut document = Document::new(simulation.clone(), Registry::standard());
    document.apply(&Change::new("Edit", edits)).expect("the edit");
    document.simulation().as_ref().clone()
}

fn check_replaced(from: &str, to: &str, wanted: &[&str]) {
    let text = MOTOR.replace(from, to);
    assert_ne!(text, MOTOR, "{from}");
    assert_eq!(lines(&parsed(MOTOR), &parsed(&text)), wanted, "{from} → {to}");
}

#[test]
fn a_state_does_not_differ_from_itself() {
    assert_eq!(lines(&parsed(MOTOR), &parsed(MOTOR)), [""; 0]);
}

#[test]
fn parameters_variables_and_attributes_are_named_with_both_values() {
    check_replaced("<value>5</value>", "<value>7</value>", &["~ Main/Wanted.Final Value: 5 → 7"]);
    check_replaced("<option name=\"Signs\"><value>+-</value></option>", "", &["~ Main/Error.Signs: +- → default"]);
    check_replaced("name=\"kp\" value=\"2\"", "name=\"kp\" value=\"3\"", &["~ variable kp: 2 → 3"]);
    check_replaced("name=\"kp\" value=\"2\"", "name=\"k\" value=\"2\"", &["+ variable k: 2", "- variable kp: 2"]);
    check_replaced(
        "steps=\"100\"",
        "steps=\"200\" solver=\"bdf\"",
        &["~ simulation, solver: default → bdf", "~ simulation, steps: 100 → 200"],
    );
    check_replaced("label=\"Motor\"", "label=\"Motor\" comment=\"out\"", &["~ Main/Motor.comment: default → out"]);
}

#[test]
fn a_layout_is_told_apart() {
    check_replaced("label=\"Motor\"", "label=\"Motor\" view:x=\"10\" view:y=\"20\"", &["layout"]);
    check_replaced("to=\"4\" input=\"Input\"", "to=\"4\" input=\"Input\" view:bends=\"1,2\"", &["layout"]);
}

#[test]
fn a_block_that_is_renamed_or_has_another_id_is_the_same_block() {
    check_replaced("label=\"Motor\"", "label=\"Drive\"", &["~ Main/Drive: renamed from Motor"]);
    let text =
        MOTOR.replace("id=\"4\"", "id=\"40\"").replace("to=\"4\"", "to=\"40\"").replace("from=\"4\"", "from=\"40\"");
    assert_eq!(lines(&parsed(MOTOR), &parsed(&text)), [""; 0]);
    // Without a name, by what it is connected to.
    let unnamed = |text: &str| text.replace(" label=\"Motor\"", "").replace(" label=\"Sensor\"", "");
    let other = unnamed(&text).replace("<value>1</value>", "<value>9</value>").replace("id=\"5\"", "id=\"50\"");
    let other = other.replace("to=\"5\"", "to=\"50\"").replace("from=\"5\"", "from=\"50\"");
    assert_eq!(lines(&parsed(&unnamed(MOTOR)), &parsed(&other)), ["~ Main/Gain.Gain: 1 → 9"]);
}

#[test]
fn blocks_and_wires_that_come_and_go() {
    let filter = "<block id=\"7\" group=\"Continuous\" name=\"PT1\" label=\"Filter\"/><exit id=\"6\"";
    let text = MOTOR.replace("<exit id=\"6\"", filter).replace(
        "<connection from=\"4\" output=\"Output\" to=\"5\" input=\"Input\"/>",
        "<connection from=\"4\" output=\"Output\" to=\"7\" input=\"Input\"/>\
         <connection from=\"7\" output=\"Output\" to=\"5\" input=\"Input\"/>",
    );
    let (first, second) = (parsed(MOTOR), parsed(&text));
    assert_eq!(
        lines(&first, &second),
        [
            "~ wire Main/Sensor.Input: Motor.Output → Filter.Output",
            "+ Main/Filter: Continuous/PT1",
            "+ wire Main/Filter.Input: Motor.Output",
        ]
    );
    assert_eq!(
        lines(&second, &first),
        ["~ wire Main/Sensor.Input: Filter.Output → Motor.Output", "- Main/Filter: Continuous/PT1",]
    );
    check_replaced(
        "<connection from=\"5\" output=\"Output\" to=\"2\" input=\"Input 2\"/>",
        "",
        &["- wire Main/Error.Input 2: Sensor.Output"],
    );
}

#[test]
fn a_block_in_the_place_of_another_is_a_replacement() {
    check_replaced(
        "group=\"Continuous\" name=\"PT1\" label=\"Motor\"",
        "group=\"Math\" name=\"Abs\" label=\"Motor\"",
        &["~ Main/Motor.block: Continuous/PT1 → Math/Abs"],
    );
}

#[test]
fn a_renamed_model_and_a_renamed_port_keep_their_wires() {
    let text = MOTOR.replace("\"Controller\"", "\"Regulator\"");
    assert_eq!(lines(&parsed(MOTOR), &parsed(&text)), ["~ model Regulator: renamed from Controller"]);
    let text = MOTOR.replace("name=\"e\"", "name=\"error\"").replace("input=\"e\"", "input=\"error\"");
    assert_eq!(lines(&parsed(MOTOR), &parsed(&text)), ["~ Controller/error: renamed from e"]);
}

#[test]
fn a_group_is_one_line_both_ways() {
    let first = parsed(MOTOR);
    let root = first.root_model().expect("the root");
    let ids = BTreeSet::from([BlockId(4), BlockId(5)]);
    let (edits, instance) = group(&first, root, &ids, "Plant").expect("a group");
    let second = applied(&first, edits);
    assert_eq!(lines(&first, &second), ["~ model Plant: 2 blocks grouped from Main"]);
    assert_eq!(lines(&second, &first), ["~ model Plant: expanded, 2 blocks now in Main"]);
    // A change within the group is seen beside it; the exit of the group has the name of the sensor too.
    let plant = second.model("Plant").expect("the model");
    let mut block = Block::clone(plant.block(BlockId(5)).expect("the sensor"));
    block.set_option("Gain", Some(&["3"]));
    let third = applied(&second, vec![Edit::ReplaceBlock { model: "Plant".into(), block: Box::new(block) }]);
    assert_eq!(lines(&first, &third), ["~ model Plant: 2 blocks grouped from Main", "~ Plant/Sensor#5.Gain: 1 → 3"]);
    let variable = Some(simulate::model::Variable::new("7"));
    let third = applied(&second, vec![Edit::SetVariable { model: Some("Plant".into()), name: "k".into(), variable }]);
    assert_eq!(lines(&first, &third), ["~ model Plant: 2 blocks grouped from Main", "+ variable Plant/k: 7"]);
    let main = second.root_model().expect("the root");
    let (edits, _) = expand(&second, main, instance).expect("it is expanded");
    let again = applied(&second, edits);
    assert_eq!(lines(&first, &again).into_iter().filter(|line| line != "layout").collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_block_that_moves_into_another_model_is_one_block() {
    let sensor = "<block id=\"5\" group=\"Math\" name=\"Gain\" label=\"Sensor\"><option name=\"Gain\"><value>1</value></option></block>";
    let text = MOTOR
        .replace(sensor, "")
        .replace("<exit id=\"3\" name=\"u\"/>", &format!("{sensor}<exit id=\"3\" name=\"u\"/>"));
    let text = text
        .replace("<connection from=\"5\" output=\"Output\" to=\"2\" input=\"Input 2\"/>", "")
        .replace("<connection from=\"4\" output=\"Output\" to=\"5\" input=\"Input\"/>", "");
    assert_eq!(
        lines(&parsed(MOTOR), &parsed(&text)),
        [
            "- wire Main/Error.Input 2: Sensor.Output",
            "~ Controller/Sensor: moved from Main/Sensor",
            "- wire Controller/Sensor.Input: Main/Motor.Output",
        ]
    );
}

/// Whether a model has other blocks than ports.
fn inner_ids(simulation: &Simulation, model: &str) -> Vec<BlockId> {
    let model = simulation.model(model).expect("the model");
    let blocks = model.blocks.values();
    blocks
        .filter(|block| !matches!(block.kind, BlockKind::Entry { .. } | BlockKind::Exit { .. }))
        .map(|block| block.id)
        .collect()
}
