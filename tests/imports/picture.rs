//! Where blocks, ports, bends and notes lie after an import: twice as far from the corner as in a file of Simulink.

use super::{block, imported, model};
use simulate::model::Block;

/// The text of a block in a rectangle.
fn placed(kind: &str, name: &str, rect: &str, params: &str) -> String {
    block(kind, name, params).replace("[10, 10, 40, 40]", rect)
}

/// Imports a block, and returns it.
#[track_caller]
fn made(text: &str) -> Block {
    let imported = imported(&model("ode4", 0.1, 1.0, text));
    let root = imported.simulation.root_model().expect("the root");
    let first = root.blocks.values().next().expect("the block");
    Block::clone(first)
}

#[test]
fn ports_lie_as_far_apart_as_in_the_file() {
    let switch = made(&placed("Switch", "s", "[100, 100, 130, 200]", "Ports [3, 1]"));
    // They are at 1/6, 3/6 and 5/6 of the height of 200, on the grid of 10.
    assert_eq!((switch.view("view:height"), switch.view("view:inputs")), (Some("200"), Some("30 100 170")));
    assert_eq!(switch.position().map(|at| at.y), Some(200.0));
    assert_eq!(switch.view("view:outputs"), None, "one port is in the middle");
    let mux = made(&placed("Mux", "m", "[200, 50, 205, 150]", "Ports [2, 1]\nInputs \"2\""));
    assert_eq!((mux.view("view:height"), mux.view("view:inputs")), (Some("200"), Some("50 150")));
    // Ports that would lie closer than the grid are where they are in any block.
    let crowd = made(&placed("Mux", "m", "[200, 50, 205, 60]", "Ports [8, 1]\nInputs \"8\""));
    assert_eq!(crowd.view("view:inputs"), None);
}

#[test]
fn the_inputs_of_a_round_sum_keep_their_sides() {
    let sides = |signs: &str| {
        let params = format!("Ports [2, 1]\nIconShape \"round\"\nInputs \"{signs}\"");
        made(&placed("Sum", "s", "[100, 100, 120, 120]", &params)).view("view:inputs").map(str::to_owned)
    };
    assert_eq!(sides("|+-"), None, "left and bottom, as here");
    assert_eq!(sides("+-|").as_deref(), Some("top left"));
    assert_eq!(sides("+|-").as_deref(), Some("top bottom"));
    let long = made(&placed("Sum", "s", "[100, 100, 120, 160]", "Ports [2, 1]\nInputs \"+-\""));
    assert_eq!((long.view("view:height"), long.view("view:inputs")), (Some("120"), Some("30 90")));
}

#[test]
fn notes_have_no_frame_and_narrow_buses_no_names() {
    let root = "Annotation {\nName \"A note\"\nPosition [10, 200]\n}\n";
    assert_eq!(made(root).view("view:frame"), Some("none"));
    let bus = made(&placed("BusCreator", "b", "[100, 100, 105, 160]", "Ports [2, 1]\nInputs \"2\""));
    assert_eq!(bus.view("view:labels"), Some("hidden"));
}
