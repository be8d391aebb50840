//! Endless nesting, with and without the flag, and the order of models.

use simulate::block::Registry;
use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader};
use simulate::model::{BlockId, Simulation, check, nesting};

use super::{load, load_sound};

const RING: &str = r#"<simulation root="A">
<model name="A"><model id="0" model="B"/><entry id="1" name="x"/></model>
<model name="B"><model id="0" model="C"/></model>
<model name="C">
	<exit id="1" name="y"/>
	<model id="0" model="A"/>
	<connection from="0" output="y" to="1" input="Input"/>
</model>
</simulation>"#;

#[test]
fn without_the_flag_the_file_is_invalid_and_whole() {
    let loaded = load(RING);
    assert!(check(&loaded.simulation, &Registry::standard()).iter().any(|found| found.code == "endless-nesting"));
    assert_eq!(loaded.simulation.models.values().map(|model| model.blocks.len()).sum::<usize>(), 5);
}

#[test]
fn with_the_flag_the_last_block_of_the_ring_goes_and_is_named() {
    let loaded = Simx.read(RING.as_bytes(), &LoadOptions { skip_invalid_models: true }).unwrap();
    assert_eq!(nesting(&loaded.simulation).rings, [] as [Vec<_>; 0]);
    let [warning] = &*loaded.diagnostics else { panic!("{:?}", loaded.diagnostics) };
    assert!(!warning.is_error());
    assert_eq!(warning.message, "the model block “A” #0 and its wires are removed from model “C”: endless nesting");
    assert_eq!(warning.location.to_string(), "6:2, C #0");
    assert_eq!(loaded.removed, ["C/A#0, an instance of “A”"]);
    let inner = loaded.simulation.model("C").unwrap();
    assert!(inner.block(BlockId(0)).is_none() && inner.connections.is_empty());
    assert_eq!(loaded.simulation.models.values().map(|model| model.blocks.len()).sum::<usize>(), 4);
}

#[test]
fn two_rings_cost_two_blocks() {
    let text = r#"<simulation root="A"><model name="A"><model id="0" model="A"/><model id="1" model="B"/></model>
        <model name="B"><model id="0" model="A"/></model></simulation>"#;
    let loaded = Simx.read(text.as_bytes(), &LoadOptions { skip_invalid_models: true }).unwrap();
    assert_eq!(loaded.diagnostics.len(), 2);
    assert!(loaded.simulation.model("A").unwrap().block(BlockId(1)).is_some());
}

/// The same models in any order in the file.
fn without_places(simulation: &Simulation) -> Vec<String> {
    let models = simulation.models.values();
    models.map(|model| format!("{} {:?} {:?}", model.name, model.blocks, model.connections)).collect()
}

#[test]
fn the_order_of_models_does_not_matter() {
    let models = [
        r#"<model name="Root"><entry id="1" name="u"/><model id="0" model="Outer"/>
            <connection from="1" output="Output" to="0" input="u"/></model>"#,
        r#"<model name="Outer"><entry id="2" name="u"/><model id="0" model="Inner"/>
            <connection from="2" output="Output" to="0" input="u"/></model>"#,
        r#"<model name="Inner"><entry id="0" name="u"/><exit id="1" name="y"/>
            <connection from="0" output="Output" to="1" input="Input"/></model>"#,
    ];
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let in_order = |order: [usize; 3]| {
        let models: String = order.iter().map(|&index| models[index]).collect();
        let simulation = load_sound(&format!("<simulation root=\"Root\">{models}</simulation>"));
        assert_eq!(check(&simulation, &Registry::standard()), []);
        without_places(&simulation)
    };
    for order in orders {
        assert_eq!(in_order(order), in_order([0, 1, 2]));
    }
}
