//! Titles and names of signals give way to blocks and to other titles.

use std::collections::BTreeMap;
use std::sync::Arc;

use eframe::egui::emath::{Align2, Rect, vec2};
use simulate::app::canvas::scene::{Scene, TitlePlace};
use simulate::block::Registry;
use simulate::model::{Block, BlockId, BlockKind, Connection, Simulation};

fn scene(blocks: &[Block], wires: &[Connection]) -> Scene {
    let mut simulation = Simulation::new("Main");
    let main = simulation.model_mut("Main").expect("the root");
    for block in blocks {
        assert!(main.add_block(block.clone()));
    }
    for wire in wires {
        main.connect(wire.clone());
    }
    let (simulation, mut scene) = (Arc::new(simulation), Scene::default());
    scene.update(&simulation, simulation.root_model().expect("a root"), &Registry::standard(), &BTreeMap::new());
    scene.route_all();
    scene
}

fn block(id: u32, (group, name): (&str, &str), label: &str, (x, y): (f64, f64)) -> Block {
    let mut block = Block::new(BlockId(id.into()), BlockKind::library(group, name)).at(x, y);
    block.attributes.set("label", label);
    block
}

fn place(scene: &Scene, id: u32) -> TitlePlace {
    scene.title_place(scene.block(BlockId(id.into())).expect("the block")).expect("its title")
}

#[test]
fn a_title_beside_a_circle_goes_to_the_other_side_where_the_usual_one_is_taken() {
    let sum = || block(0, ("Math", "Sum"), "Too cold by", (0.0, 0.0));
    let alone = place(&scene(&[sum()], &[]), 0);
    assert_eq!(alone.align, Align2::LEFT_TOP);
    let beside = scene(&[sum(), block(1, ("Math", "Gain"), "A long title", (70.0, 0.0))], &[]);
    let (moved, other) = (place(&beside, 0), place(&beside, 1));
    assert_eq!((moved.align, moved.letters), (Align2::RIGHT_TOP, 11));
    assert!(!moved.rect().intersects(other.rect()), "{moved:?} {other:?}");
    assert_eq!(other.letters, 12, "only one of them gives way");
}

#[test]
fn a_long_title_is_shortened_until_it_has_room() {
    let gain = |id, label: &str, x| block(id, ("Math", "Gain"), label, (x, 0.0));
    let (short, long) = ("Amplifier", "A very long title of 24");
    let near = scene(&[gain(0, short, 0.0), gain(1, long, 80.0)], &[]);
    let (kept, cut) = (place(&near, 0), place(&near, 1));
    assert_eq!(kept.letters, short.len());
    assert!((6..long.len()).contains(&cut.letters), "{cut:?}");
    assert!(!kept.rect().intersects(cut.rect()));
    let apart = scene(&[gain(0, short, 0.0), gain(1, long, 200.0)], &[]);
    assert_eq!(place(&apart, 1).letters, long.len());
}

#[test]
fn the_name_of_a_signal_covers_no_block() {
    let mut wire = Connection::new(BlockId(0), "Output", BlockId(1), "Input");
    wire.attributes.set(Connection::NAME, "speed");
    let ends = [block(0, ("Var", "Static"), "a", (0.0, 0.0)), block(1, ("Math", "Gain"), "b", (300.0, 0.0))];
    let width = 30.0;
    let middle = |scene: &Scene| scene.name_place(scene.wires().next().expect("the wire"), width);
    let free = scene(&ends, std::slice::from_ref(&wire));
    let usual = middle(&free);
    // A block just above the wire.
    let above = block(2, ("Math", "Gain"), "", (f64::from(usual.x) - 30.0, f64::from(usual.y) - 38.0));
    let crowded = scene(&[&ends[..], &[above]].concat(), &[wire]);
    let (moved, size) = (middle(&crowded), vec2(width, 11.0));
    let body = crowded.block(BlockId(2)).expect("the block").outline.body;
    assert!(Rect::from_center_size(usual, size).intersects(body), "it is in the way");
    assert!(!Rect::from_center_size(moved, size).intersects(body), "{moved:?}");
}
