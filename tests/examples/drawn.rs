//! The examples are drawn without collisions: what is drawn is looked at, in each model of each example.

use std::sync::Arc;

use eframe::egui::emath::{Align2, Pos2, Rect, vec2};
use simulate::app::canvas::capture_with_blocks;
use simulate::app::canvas::geometry::{GRID, crosses};
use simulate::app::canvas::scene::{Scene, TITLE_LETTERS, shortened};
use simulate::app::drawing::{Item, bounds_of};
use simulate::app::panels::dashboard::picture_ui;
use simulate::block::Registry;
use simulate::model::{BlockId, Model, Simulation};

use super::{example_paths, load};

/// A drawn model in the coordinates of its drawing.
struct Drawn {
    /// Blocks that are more than a frame around others.
    blocks: Vec<(String, Rect)>,
    /// Titles, names of signals and other texts outside blocks.
    labels: Vec<(String, Rect)>,
    wires: Vec<Wire>,
}

struct Wire {
    name: String,
    from: (BlockId, Arc<str>),
    /// The names of the blocks at its ends.
    ends: [String; 2],
    points: Vec<Pos2>,
}

impl Drawn {
    fn of(simulation: &Arc<Simulation>, model: &Arc<Model>) -> Drawn {
        let registry = Registry::standard();
        let captured =
            capture_with_blocks(simulation, &registry, &model.name, picture_ui).expect("a model with blocks");
        let mut scene = Scene::default();
        scene.update(simulation, model, &registry, &std::collections::BTreeMap::new());
        scene.route_all();
        let (id, rect) = captured.blocks[0];
        let offset = rect.min - scene.block(id).expect("the block").outline.rect.min;
        let name = |id: BlockId| scene.block(id).map(|view| format!("{} {id}", view.block.title())).unwrap_or_default();
        let solid = scene.blocks().filter(|view| !view.is_area());
        let mut blocks: Vec<(String, Rect)> =
            solid.map(|view| (name(view.block.id), view.outline.body.translate(offset))).collect();
        blocks.sort_by(|a, b| a.0.cmp(&b.0));
        let titles: Vec<(String, Pos2, Align2)> = scene
            .blocks()
            .filter_map(|view| {
                let (at, align) = view.title_position()?;
                Some((shortened(view.block.title(), TITLE_LETTERS), at + offset, align))
            })
            .collect();
        let mut labels = Vec::new();
        for item in &captured.drawing.items {
            let Item::Text(text) = item else { continue };
            let bounds = bounds_of(item);
            let letters: String = text.letters.iter().map(|(letter, _)| letter).collect();
            let is_title = titles.iter().any(|(title, at, align)| {
                let there = align.anchor_size(*at, bounds.size());
                *title == letters && there.center().distance(bounds.center()) < 6.0
            });
            // A text in the middle of a block belongs to it, unless it is the title of another.
            if is_title || !blocks.iter().any(|(_, block)| block.expand(1.0).contains(bounds.center())) {
                // The bounds have room for letters that reach above the others.
                labels.push((letters, Rect::from_min_max(bounds.min + vec2(0.0, 2.0), bounds.max)));
            }
        }
        let mut wires: Vec<Wire> = scene
            .wires()
            .map(|wire| Wire {
                name: format!("{} to {}", name(wire.connection.from), name(wire.connection.to)),
                from: (wire.connection.from, Arc::clone(&wire.connection.output)),
                ends: [name(wire.connection.from), name(wire.connection.to)],
                points: wire.points.iter().map(|point| *point + offset).collect(),
            })
            .collect();
        wires.sort_by(|a, b| a.name.cmp(&b.name));
        Drawn { blocks, labels, wires }
    }

    fn collisions(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (index, (name, block)) in self.blocks.iter().enumerate() {
            for (other, rect) in &self.blocks[index + 1..] {
                if block.shrink(0.5).intersects(*rect) {
                    found.push(format!("{name} is on {other}"));
                }
            }
        }
        for (index, (text, label)) in self.labels.iter().enumerate() {
            for (other, rect) in &self.labels[index + 1..] {
                if label.shrink(0.5).intersects(*rect) {
                    found.push(format!("the label “{text}” is on the label “{other}”"));
                }
            }
            for (name, rect) in &self.blocks {
                if label.shrink(0.5).intersects(*rect) {
                    found.push(format!("the label “{text}” is on {name}"));
                }
            }
        }
        for wire in &self.wires {
            for pair in wire.points.windows(2) {
                for (name, block) in &self.blocks {
                    // A wire may touch the blocks at its ends, whose edge a pill does not fill.
                    let rect = if wire.ends.contains(name) { block.shrink(1.0) } else { block.expand(1.0) };
                    if crosses(pair[0], pair[1], rect) {
                        found.push(format!("the wire {} goes through {name}", wire.name));
                    }
                }
                for (text, label) in &self.labels {
                    if crosses(pair[0], pair[1], label.shrink(0.5)) {
                        found.push(format!("the wire {} goes through the label “{text}”", wire.name));
                    }
                }
            }
        }
        for (index, wire) in self.wires.iter().enumerate() {
            for other in self.wires[index + 1..].iter().filter(|other| other.from != wire.from) {
                let pairs = wire.points.windows(2).flat_map(|a| other.points.windows(2).map(move |b| (a, b)));
                if pairs.clone().any(|(a, b)| run_beside_each_other(a, b)) {
                    found.push(format!("the wires {} and {} run beside each other", wire.name, other.name));
                }
            }
        }
        found.sort();
        found.dedup();
        found
    }
}

/// Whether two pieces are parallel, closer than a grid step, and share more than a grid step of their length.
fn run_beside_each_other(a: &[Pos2], b: &[Pos2]) -> bool {
    let is_upright = |pair: &[Pos2]| pair[0].x == pair[1].x;
    if is_upright(a) != is_upright(b) {
        return false;
    }
    let across = |point: Pos2| if is_upright(a) { point.x } else { point.y };
    let along = |point: Pos2| if is_upright(a) { point.y } else { point.x };
    let low = |pair: &[Pos2]| along(pair[0]).min(along(pair[1]));
    let high = |pair: &[Pos2]| along(pair[0]).max(along(pair[1]));
    let shared = high(a).min(high(b)) - low(a).max(low(b));
    (across(a[0]) - across(b[0])).abs() < GRID - 0.1 && shared > GRID + 0.1
}

#[test]
fn no_example_has_collisions_in_its_diagrams() {
    let mut found = String::new();
    for path in example_paths() {
        let simulation = Arc::new(load(&path));
        for model in simulation.models_in_order() {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            for collision in Drawn::of(&simulation, model).collisions() {
                found += &format!("{name}, {}: {collision}\n", model.name);
            }
        }
    }
    assert!(found.is_empty(), "\n{found}");
}

/// A diagram with one fault of each kind, which the test above would find.
#[test]
fn each_kind_of_collision_is_found() {
    use simulate::model::{Block, BlockKind, Connection};
    let mut model = Model::new("Main");
    let gain = |id: u64| Block::new(BlockId(id.into()), BlockKind::library("Math", "Gain"));
    let titled = |id: u64, title: &str| {
        let mut block = gain(id);
        block.attributes.set("label", title);
        block
    };
    // Two blocks on each other; two titles on each other; a title on a block.
    model.add_block(gain(1).at(0.0, 0.0));
    model.add_block(gain(2).at(20.0, 10.0));
    model.add_block(titled(3, "A very long title").at(0.0, 200.0));
    model.add_block(titled(4, "Another long title").at(60.0, 200.0));
    model.add_block(titled(5, "Above").at(300.0, 200.0));
    model.add_block(titled(6, "Below").at(300.0, 242.0));
    // A wire that the user has led through a title.
    model.add_block(gain(7).at(500.0, 0.0));
    model.add_block(gain(8).at(600.0, 0.0));
    model.add_block(gain(9).at(700.0, 0.0));
    let mut through = Connection::new(BlockId(7), "Output", BlockId(9), "Input");
    through.attributes.set("view:bends", "570,50 690,50 690,20");
    model.connect(through);
    let mut simulation = Simulation::default();
    simulation.root = "Main".into();
    simulation.add_model(model);
    let simulation = Arc::new(simulation);
    let drawn = Drawn::of(&simulation, simulation.root_model().expect("the root"));
    let found = drawn.collisions().join("\n");
    for part in [
        "Gain #1 is on Gain #2",
        "the label “A very long title” is on the label “Another long title”",
        "the label “Above” is on Below #6",
        "goes through the label “Gain”",
    ] {
        assert!(found.contains(part), "{part} is not found in\n{found}");
    }
    let piece = |y: f32, from: f32, to: f32| [Pos2::new(from, y), Pos2::new(to, y)];
    assert!(run_beside_each_other(&piece(0.0, 0.0, 100.0), &piece(6.0, 50.0, 200.0)));
    assert!(!run_beside_each_other(&piece(0.0, 0.0, 100.0), &piece(10.0, 50.0, 200.0)));
    assert!(!run_beside_each_other(&piece(0.0, 0.0, 100.0), &piece(6.0, 95.0, 200.0)));
}
