//! A scene updated by any changes equals a newly built scene.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use eframe::egui::emath::{Rect, pos2};
use proptest::prelude::*;
use simulate::app::canvas::geometry::crosses;
use simulate::app::canvas::scene::Scene;
use simulate::app::doc::dashboard::{Widget, WidgetKind, pinned_edit};
use simulate::block::Registry;
use simulate::model::{Block, BlockId, BlockKind, Change, Connection, Document, Edit, InputKey, Position, Simulation};

/// Everything visible of a scene.
fn seen(scene: &Scene) -> (BTreeMap<BlockId, String>, BTreeMap<InputKey, String>) {
    let blocks: BTreeMap<BlockId, String> =
        scene.blocks().map(|view| (view.block.id, format!("{:?} {:?}", view.outline, view.drawing))).collect();
    let wires: BTreeMap<InputKey, String> = scene
        .wires()
        .map(|wire| (wire.key(), format!("{:?} {:?} {}", wire.points, wire.dot, wire.is_broken)))
        .collect();
    (blocks, wires)
}

fn shown(document: &Document) -> Scene {
    let mut scene = Scene::default();
    let simulation = document.simulation();
    scene.update(simulation, simulation.root_model().expect("a root"), document.registry(), &BTreeMap::new());
    scene
}

#[derive(Clone, Debug)]
enum Act {
    Add(u8, i8, i8),
    Remove(u8),
    Move(u8, i8, i8),
    Connect(u8, u8, bool),
    Disconnect(u8, bool),
    Undo,
    Drag(u8, i8, i8),
    /// A slider beside a block, or none.
    Pin(u8, i8, i8, bool),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        (any::<u8>(), -20i8..20, -20i8..20).prop_map(|(kind, x, y)| Act::Add(kind, x, y)),
        any::<u8>().prop_map(Act::Remove),
        (any::<u8>(), -20i8..20, -20i8..20).prop_map(|(id, x, y)| Act::Move(id, x, y)),
        (any::<u8>(), any::<u8>(), any::<bool>()).prop_map(|(from, to, second)| Act::Connect(from, to, second)),
        (any::<u8>(), any::<u8>(), any::<bool>()).prop_map(|(from, to, second)| Act::Connect(from, to, second)),
        (any::<u8>(), any::<bool>()).prop_map(|(to, second)| Act::Disconnect(to, second)),
        Just(Act::Undo),
        (any::<u8>(), -20i8..20, -20i8..20).prop_map(|(id, x, y)| Act::Drag(id, x, y)),
        (any::<u8>(), -10i8..10, -10i8..10, any::<bool>()).prop_map(|(id, x, y, is_on)| Act::Pin(id, x, y, is_on)),
    ]
}

proptest! {
    #![proptest_config(crate::random_cases(150))]

    #[test]
    fn an_updated_scene_is_a_new_one(acts in prop::collection::vec(act(), 1..40)) {
        let mut document = Document::new(Simulation::new("Main"), Registry::standard());
        let mut scene = Scene::default();
        // A scene that defers all differences and computes some of them now and then.
        let mut late = Scene::default();
        let mut is_time = false;
        for act in acts {
            let simulation = Arc::clone(document.simulation());
            let model = simulation.root_model().expect("a root");
            let ids: Vec<BlockId> = model.blocks.keys().copied().collect();
            let pick = |number: u8| ids.get(number as usize % ids.len().max(1)).copied().unwrap_or(BlockId(0));
            let name = Arc::clone(&model.name);
            let input = |second| if second { "Input 2" } else { "Input 1" };
            let edit = match act {
                Act::Add(kind, x, y) => {
                    let kind = BlockKind::library("Math", if kind % 2 == 0 { "Sum" } else { "MinMax" });
                    let block = Block::new(model.free_id(), kind).at(f64::from(x) * 30.0, f64::from(y) * 20.0);
                    Edit::AddBlock { model: name, block: Box::new(block) }
                }
                Act::Remove(id) => Edit::RemoveBlocks { model: name, ids: vec![pick(id)] },
                Act::Move(id, x, y) => {
                    let place = Position { x: f64::from(x) * 30.0, y: f64::from(y) * 20.0 };
                    Edit::Move { model: name, moves: vec![(pick(id), place)] }
                }
                Act::Connect(from, to, second) => {
                    let connection = Connection::new(pick(from), "Output", pick(to), input(second));
                    Edit::Connect { model: name, connection: Box::new(connection) }
                }
                Act::Disconnect(to, second) => {
                    Edit::Disconnect { model: name, to: pick(to), input: input(second).into() }
                }
                Act::Undo => {
                    document.undo();
                    Edit::SetSteps(1)
                }
                Act::Pin(id, x, y, is_on) => {
                    let slider = Widget::new(WidgetKind::Slider, f32::from(x) * 30.0, f32::from(y) * 20.0);
                    pinned_edit(&name, pick(id), if is_on { std::slice::from_ref(&slider) } else { &[] })
                }
                Act::Drag(id, x, y) => {
                    // A dragged block is elsewhere; afterwards everything is as before.
                    let moved = BTreeMap::from([(pick(id), pos2(f32::from(x) * 30.0, f32::from(y) * 20.0))]);
                    scene.update(&simulation, model, document.registry(), &moved);
                    Edit::SetSteps(1)
                }
            };
            let _ = document.apply(&Change::one("Act", edit));
            let simulation = Arc::clone(document.simulation());
            let model = simulation.root_model().expect("a root");
            scene.update(&simulation, model, document.registry(), &BTreeMap::new());
            let expected = seen(&shown(&document));
            prop_assert_eq!(&seen(&scene), &expected);
            late.update_soon(&simulation, model, document.registry(), &BTreeMap::new(), 0);
            is_time = !is_time;
            if is_time {
                late.work_on(document.registry(), Rect::EVERYTHING, &mut || true);
                late.route_some(Rect::EVERYTHING, &mut || true);
                prop_assert!(!late.is_routing());
                prop_assert_eq!(&seen(&late), &expected);
            } else {
                late.ensure(model.blocks.keys().next().copied(), document.registry());
            }
        }
    }
}

/// A wire goes around a control that lies on its straight way.
#[test]
fn wires_keep_clear_of_controls_on_the_diagram() {
    let mut document = Document::new(Simulation::new("Main"), Registry::standard());
    let (from, to) = (BlockId(1), BlockId(2));
    let block = |id, x| Block::new(id, BlockKind::library("Math", "Gain")).at(x, 0.0);
    let add = |block| Edit::AddBlock { model: "Main".into(), block: Box::new(block) };
    let wire = Box::new(Connection::new(from, "Output", to, "Input"));
    let edits =
        vec![add(block(from, 0.0)), add(block(to, 500.0)), Edit::Connect { model: "Main".into(), connection: wire }];
    assert!(document.apply(&Change::new("Add", edits)).is_ok());
    let points = |document: &Document| shown(document).wires().next().expect("the wire").points.clone();
    assert_eq!(points(&document).len(), 2, "straight");
    let slider = Widget::new(WidgetKind::Slider, 150.0, -20.0);
    assert!(document.apply(&Change::one("Pin", pinned_edit(&"Main".into(), from, &[slider]))).is_ok());
    let scene = shown(&document);
    let rect = scene.blocks().flat_map(|block| block.widget_rects().collect::<Vec<_>>()).next().expect("the slider");
    let points = points(&document);
    assert!(points.len() > 2 && points.windows(2).all(|pair| !crosses(pair[0], pair[1], rect)), "{points:?} {rect:?}");
}

fn different_wires(a: &Scene, b: &Scene) -> Vec<String> {
    let ((_, a), (_, b)) = (seen(a), seen(b));
    assert!(a.keys().eq(b.keys()));
    let pairs = a.iter().zip(b.values()).filter(|((_, a), b)| a != b);
    pairs.map(|((key, a), b)| format!("{key:?}: {a}, and {b}")).collect()
}

/// Two outputs share a trunk line: their wires keep apart while they are few, and lie on it once they are too many for
/// tracks. Wires that come and go around that limit leave the scene as if it had been built at once.
#[test]
fn crowded_wires_are_drawn_the_same_however_they_came_to_be_many() {
    let mut document = Document::new(Simulation::new("Main"), Registry::standard());
    let add = |id: u64, x: f64, y: f64| {
        let block = Block::new(BlockId(id.into()), BlockKind::library("Math", "Gain")).at(x, y);
        Edit::AddBlock { model: "Main".into(), block: Box::new(block) }
    };
    let target = |number: u64| BlockId((10 + number).into());
    let connect = |number: u64| {
        let from = BlockId((number % 2 + 1).into());
        let connection = Box::new(Connection::new(from, "Output", target(number), "Input"));
        Edit::Connect { model: "Main".into(), connection }
    };
    let disconnect = |number| Edit::Disconnect { model: "Main".into(), to: target(number), input: "Input".into() };
    let first = [add(1, 0.0, 0.0), add(2, 0.0, 60.0)].into_iter();
    let targets = (0..100).map(|number| add(10 + number, 400.0, 60.0 * number as f64));
    let edits: Vec<Edit> = first.chain(targets).chain((0..76).map(connect)).collect();
    assert!(document.apply(&Change::new("Add", edits)).is_ok());
    let mut scene = shown(&document);
    let mut late = Scene::default();
    let (mut trunks, came, left) = (Vec::new(), (76..92).map(connect), (60..76).map(disconnect));
    for edit in came.chain(left) {
        assert!(document.apply(&Change::one("Connect", edit)).is_ok());
        let simulation = document.simulation();
        let model = simulation.root_model().expect("a root");
        scene.update(simulation, model, document.registry(), &BTreeMap::new());
        scene.route_all();
        let mut built = shown(&document);
        built.route_all();
        assert_eq!(different_wires(&scene, &built), Vec::<String>::new());
        late.update_soon(simulation, model, document.registry(), &BTreeMap::new(), 0);
        // A slice at a time.
        while late.is_routing() {
            late.work_on(document.registry(), Rect::EVERYTHING, &mut || false);
            late.route_some(Rect::EVERYTHING, &mut || false);
        }
        assert_eq!(different_wires(&late, &built), Vec::<String>::new());
        let bent = built.wires().filter(|wire| wire.points.len() > 2).filter_map(|wire| wire.points.get(1));
        trunks.push(bent.map(|point| point.x as i32).collect::<BTreeSet<i32>>().len());
    }
    assert_eq!((trunks.first(), trunks.get(15), trunks.last()), (Some(&2), Some(&1), Some(&2)), "{trunks:?}");
}

/// Ports lie where the file says; what does not fit the ports or the side is left out.
#[test]
fn ports_lie_where_the_file_says() {
    let inputs = |kind: (&str, &str), places: &str, height: &str| -> Vec<(f32, f32)> {
        let mut simulation = Simulation::new("Main");
        let block = Block::new(BlockId(0), BlockKind::library(kind.0, kind.1)).at(100.0, 200.0);
        let main = simulation.model_mut("Main").expect("the root");
        main.add_block(block);
        let block = main.block_mut(BlockId(0)).expect("the block");
        block.set_view("view:inputs", Some(places));
        block.set_view("view:height", Some(height));
        let scene = shown(&Document::new(simulation, Registry::standard()));
        let view = scene.block(BlockId(0)).expect("it is shown");
        view.outline.inputs.iter().map(|at| (at.x - 100.0, at.y - 200.0)).collect()
    };
    let multiply = ("Math", "Multiply");
    assert_eq!(inputs(multiply, "10 90", "100"), [(0.0, 10.0), (0.0, 90.0)]);
    let usual = inputs(multiply, "", "100");
    assert_eq!(usual, [(0.0, 40.0), (0.0, 60.0)]);
    for wrong in ["10", "10 20 30", "10 inf", "90 10", "10 110", "-10 20", "a b"] {
        assert_eq!(inputs(multiply, wrong, "100"), usual, "{wrong}");
    }
    // A bar is as long as the file says, and a sum may have its inputs at other sides.
    assert_eq!(inputs(("Routing", "Mux"), "20 180", "200"), [(0.0, 20.0), (0.0, 180.0)]);
    assert_eq!(inputs(("Math", "Sum"), "top left", ""), [(20.0, 0.0), (0.0, 20.0)]);
    assert_eq!(inputs(("Math", "Sum"), "", ""), [(0.0, 20.0), (20.0, 40.0)]);
}
