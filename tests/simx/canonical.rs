//! The canonical text of a simulation.

use simulate::model::{Block, BlockId, BlockKind, Connection, Simulation};

use super::{load_sound, write};

const EXAMPLE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<simulation steps="1000" delta="0.01" root="Main" solver="rk4" xmlns:view="urn:simulate:view">
	<model name="Main">
		<entry id="0" name="x" view:x="40" view:y="80"><option name="Initial Value"><value>1</value></option></entry>
		<exit id="1" name="x" view:x="400" view:y="80"/>
		<model id="2" model="Plant" view:x="160" view:y="80"/>
		<block id="3" group="Math" name="Gain" view:x="280" view:y="80"><option name="Gain"><value>2.5</value></option></block>
		<connection from="0" output="Output" to="2" input="force"/>
	</model>
</simulation>
"#;

#[test]
fn the_example_of_the_design_is_canonical() {
    assert_eq!(write(&load_sound(EXAMPLE)), EXAMPLE);
}

#[test]
fn attributes_come_in_one_order() {
    let text = "<simulation b='1' root='M' delta='1e-3' a='2' steps='5'><model b='1' name='M'>\
        <block name='Gain' z='1' id='007' a='2' group='Math'/></model></simulation>";
    let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <simulation steps=\"5\" delta=\"0.001\" root=\"M\" b=\"1\" a=\"2\">\n\
        \t<model name=\"M\" b=\"1\">\n\
        \t\t<block id=\"7\" group=\"Math\" name=\"Gain\" z=\"1\" a=\"2\"/>\n\
        \t</model>\n</simulation>\n";
    assert_eq!(write(&load_sound(text)), expected);
}

#[test]
fn a_changed_block_changes_its_line() {
    let mut simulation = load_sound(EXAMPLE);
    let block = simulation.model_mut("Main").unwrap().block_mut(BlockId(3)).unwrap();
    *block = block.clone().at(300.0, 80.0).with_option("Gain", &["3", "4"]);
    let text = write(&simulation);
    let changed: Vec<_> = text.lines().zip(EXAMPLE.lines()).filter(|(new, old)| new != old).collect();
    let [(new, _)] = &*changed else { panic!("{changed:?}") };
    assert_eq!(text.lines().count(), EXAMPLE.lines().count());
    assert_eq!(
        *new,
        "\t\t<block id=\"3\" group=\"Math\" name=\"Gain\" view:x=\"300\" view:y=\"80\">\
         <option name=\"Gain\"><value>3</value><value>4</value></option></block>"
    );
}

#[test]
fn new_things_go_last() {
    let mut simulation = load_sound(EXAMPLE);
    let model = simulation.model_mut("Main").unwrap();
    let id = model.free_id();
    model.add_block(Block::new(id, BlockKind::exit("y")));
    model.connect(Connection::new(BlockId(3), "Output", id, "Input"));
    let new =
        "\t\t<exit id=\"4\" name=\"y\"/>\n\t\t<connection from=\"3\" output=\"Output\" to=\"4\" input=\"Input\"/>\n";
    assert_eq!(write(&simulation), EXAMPLE.replace("\t</model>\n", &format!("{new}\t</model>\n")));
}

#[test]
fn the_prefix_of_the_window_is_declared_where_it_is_used() {
    let mut simulation = Simulation::new("Main");
    let model = simulation.model_mut("Main").unwrap();
    model.add_block(Block::new(BlockId(0), BlockKind::entry("x")));
    assert!(!write(&simulation).contains("xmlns"));
    let block = simulation.model_mut("Main").unwrap().block_mut(BlockId(0)).unwrap();
    *block = block.clone().at(1.0, 2.0);
    let text = write(&simulation);
    assert_eq!(text.matches(" xmlns:view=\"urn:simulate:view\">").count(), 1, "{text}");
    assert_eq!(write(&load_sound(&text)), text);
    // A declaration in the file stays unchanged.
    simulation.attributes.set("xmlns:view", "urn:other");
    assert_eq!(write(&simulation).matches("xmlns:view").count(), 1);
}

#[test]
fn numbers_are_short() {
    for (delta, text) in [
        (1.0, "1"),
        (1e-9, "0.000000001"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e300, "1e300"),
        // Up to 21 digits, as in most programs.
        (1e20, "100000000000000000000"),
        (1e21, "1e21"),
        (5e-324, "5e-324"),
        (-0.0, "-0"),
    ] {
        let mut simulation = Simulation::default();
        simulation.delta = delta;
        let written = write(&simulation);
        assert!(written.contains(&format!(" delta=\"{text}\"")), "{written}");
        assert_eq!(load_sound(&written).delta.to_bits(), delta.to_bits());
    }
}
