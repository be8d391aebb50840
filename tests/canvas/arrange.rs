//! Alignment, rotation, layout, areas, notes and levels.

use eframe::egui::emath::{Rect, vec2};
use eframe::egui::{self, Modifiers, PointerButton};
use egui_kittest::kittest::Queryable;
use simulate::app::action::diagram_command::{Align, DiagramCommand, DistributionAxis};
use simulate::app::canvas::Selection;
use simulate::app::canvas::geometry::crosses;
use simulate::model::{Block, BlockId, BlockKind, Connection, Direction, Position, Simulation};

use super::bench::{at, click, double_click, drag, drag_with, harness, library, place, selected, simulation};
use super::insert::perform;

type Harness = egui_kittest::Harness<'static, super::bench::Bench>;

fn select(harness: &mut Harness, ids: &[u64]) {
    let blocks = ids.iter().map(|id| BlockId((*id).into())).collect();
    harness.state_mut().canvas.select(Selection { blocks, ..Selection::default() });
    harness.run_steps(1);
}

fn xy(harness: &Harness, id: u64) -> (f64, f64) {
    let Position { x, y } = harness.state().position(id);
    (x, y)
}

#[test]
fn edges_and_middles_are_set_in_line() {
    let mut harness = harness(simulation());
    select(&mut harness, &[1, 3, 4]);
    for (align, want) in [
        (Align::Left, [(200.0, 0.0), (200.0, 160.0), (200.0, 160.0)]),
        (Align::Top, [(200.0, 0.0), (200.0, 0.0), (400.0, 0.0)]),
        (Align::Bottom, [(200.0, 160.0), (200.0, 160.0), (400.0, 160.0)]),
    ] {
        assert!(perform(&mut harness, DiagramCommand::Align(align)), "{align:?}");
        assert_eq!([1, 3, 4].map(|id| xy(&harness, id)), want, "{align:?}");
        assert_eq!(harness.state().labels.last().map(String::as_str), Some("Align 3 blocks"));
        harness.state_mut().document.undo();
        harness.run_steps(1);
    }
    assert!(perform(&mut harness, DiagramCommand::Align(Align::Right)));
    let right =
        |id: u64| harness.state().canvas.scene().block(BlockId(id.into())).map(|view| view.outline.rect.right());
    assert!(right(1) == right(3) && right(3) == right(4));
}

#[test]
fn gaps_are_made_equal() {
    let mut simulation = Simulation::new("Main");
    let main = simulation.model_mut("Main").expect("the root");
    for (id, x) in [(0, 0.0), (1, 90.0), (2, 400.0)] {
        main.add_block(library(id, "Math", "Abs").at(x, 20.0 * id as f64));
    }
    let mut harness = harness(simulation);
    select(&mut harness, &[0, 1, 2]);
    assert!(perform(&mut harness, DiagramCommand::Distribute(DistributionAxis::Across)));
    // All are 60 wide: from 0 to 460 there are 280 for two gaps.
    assert_eq!([0, 1, 2].map(|id| xy(&harness, id)), [(0.0, 0.0), (200.0, 20.0), (400.0, 40.0)]);
}

#[test]
fn a_turned_block_has_its_ports_above_and_below_and_its_wires_follow() {
    let mut harness = harness(simulation());
    select(&mut harness, &[1]);
    let mut headings = Vec::new();
    for _ in 0..4 {
        assert!(perform(&mut harness, DiagramCommand::Rotate));
        let view = harness.state().canvas.scene().block(BlockId(1)).expect("the block");
        let (input, output) = (view.outline.inputs[0], view.outline.outputs[0]);
        let way = output - input;
        headings
            .push((way.x.signum() as i32 * i32::from(way.x != 0.0), way.y.signum() as i32 * i32::from(way.y != 0.0)));
        let wire = harness.state().canvas.scene().wires_at(BlockId(1)).next().expect("its wire");
        assert_eq!(wire.points.last(), Some(&input));
        assert!(wire.points.windows(2).all(|pair| pair[0].x == pair[1].x || pair[0].y == pair[1].y));
        let body = view.outline.body.shrink(0.5);
        assert!(!wire.points.windows(2).any(|pair| crosses(pair[0], pair[1], body)), "{:?}", wire.points);
    }
    assert_eq!(headings, [(0, 1), (-1, 0), (0, -1), (1, 0)]);
    let block = harness.state().model().block(BlockId(1)).cloned().expect("the block");
    assert_eq!(block.view("view:rotate"), None, "four quarters are none");
}

#[test]
fn all_is_laid_out_from_left_to_right_in_the_order_it_had() {
    let mut simulation = Simulation::new("Main");
    let main = simulation.model_mut("Main").expect("the root");
    // Two chains, the second drawn above the first.
    for (id, (x, y)) in [(300.0, 400.0), (0.0, 430.0), (60.0, 0.0), (10.0, 90.0)].into_iter().enumerate() {
        main.add_block(library(id as u64, "Math", "Abs").at(x, y));
    }
    main.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Input"));
    let mut back = Connection::new(BlockId(2), "Output", BlockId(3), "Input");
    back.attributes.set("view:bends", "200,20 200,300");
    main.connect(back);
    let mut harness = harness(simulation);
    let before = harness.state().document.simulation().clone();
    assert!(perform(&mut harness, DiagramCommand::Arrange));
    assert_eq!(harness.state().labels, ["Arrange all"]);
    let [a, b, c, d] = [0, 1, 2, 3].map(|id| xy(&harness, id));
    assert!(a.0 < b.0 && a.1 == b.1 && c.0 < d.0 && c.1 == d.1, "{a:?} {b:?} {c:?} {d:?}");
    assert!(c.1 < a.1, "what was above stays above");
    let wire = harness.state().model().source(BlockId(3), "Input").cloned().expect("the wire");
    assert_eq!(wire.attributes.get("view:bends"), None);
    harness.state_mut().document.undo();
    assert_eq!(*harness.state().document.simulation(), before);
}

#[test]
fn an_area_carries_what_lies_in_it() {
    let mut harness = harness(simulation());
    select(&mut harness, &[0, 1]);
    assert!(perform(&mut harness, DiagramCommand::AddArea));
    assert_eq!(harness.state().labels, ["Add area"]);
    harness.key_press(egui::Key::Escape);
    harness.run_steps(2);
    let area = harness.state().canvas.scene().block(BlockId(6)).map(|view| view.outline.body).expect("the area");
    let title = harness
        .state()
        .canvas
        .view
        .screen_of(Position { x: f64::from(area.center().x), y: f64::from(area.top()) + 10.0 });
    drag(&mut harness, title, title + vec2(0.0, -60.0));
    let scale = harness.state().canvas.view.zoom();
    let moved = f64::from((-60.0 / scale / 10.0).round() * 10.0);
    assert_eq!((xy(&harness, 0), xy(&harness, 1), xy(&harness, 2)), ((0.0, moved), (200.0, moved), (0.0, 160.0)));
    assert_eq!(harness.state().labels.last().map(String::as_str), Some("Move 3 blocks"));
}

#[test]
fn within_an_area_a_drag_selects() {
    let mut harness = harness(simulation());
    select(&mut harness, &[0, 1]);
    perform(&mut harness, DiagramCommand::AddArea);
    harness.key_press(egui::Key::Escape);
    harness.run_steps(2);
    let (from, to) = (place(&harness, -8.0, -8.0), place(&harness, 90.0, 50.0));
    drag(&mut harness, from, to);
    assert_eq!(selected(&harness), [0]);
}

#[test]
fn a_corner_makes_an_area_larger() {
    let mut harness = harness(simulation());
    select(&mut harness, &[0, 1]);
    perform(&mut harness, DiagramCommand::AddArea);
    harness.key_press(egui::Key::Escape);
    harness.run_steps(2);
    let body =
        |harness: &Harness| harness.state().canvas.scene().block(BlockId(6)).map(|view| view.outline.body).expect("it");
    let before = body(&harness);
    let corner = harness
        .state()
        .canvas
        .view
        .screen_of(Position { x: f64::from(before.right()) - 2.0, y: f64::from(before.bottom()) - 2.0 });
    drag(&mut harness, corner, corner + vec2(40.0, 20.0));
    let after = body(&harness);
    assert_eq!(before.min, after.min);
    assert!(after.width() > before.width() && after.height() > before.height());
    assert_eq!(harness.state().labels.last().map(String::as_str), Some("Resize Area"));
}

#[test]
fn a_note_of_several_lines_is_written_where_it_stands_and_kept_by_the_format() {
    let mut simulation = simulation();
    simulation.model_mut("Main").expect("the root").add_block(library(9, "Note", "Text").at(200.0, 260.0));
    let mut harness = harness(simulation);
    let pos = at(&harness, "Block Text #9");
    double_click(&mut harness, pos);
    harness.event(egui::Event::Text("# Plant".to_owned()));
    harness.run_steps(2);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(2);
    harness.event(egui::Event::Text("- fast & slow".to_owned()));
    harness.run_steps(2);
    let pos = place(&harness, 130.0, 120.0);
    click(&mut harness, pos);
    let block = harness.state().model().block(BlockId(9)).cloned().expect("the note");
    assert_eq!(block.option_texts("Text"), Some(vec!["# Plant\n- fast & slow"]));
    let formats = simulate::format::Formats::standard();
    let simx = formats.iter().next().expect("a format");
    let bytes = simx.write(harness.state().document.simulation()).expect("it is written");
    let read = simx.read(&bytes, &Default::default()).expect("it is read");
    let block = read.simulation.models["Main"].block(BlockId(9)).cloned().expect("the note");
    assert_eq!(block.option_texts("Text"), Some(vec!["# Plant\n- fast & slow"]));
}

#[test]
fn a_dragged_block_comes_to_rest_where_its_wire_is_straight() {
    let mut simulation = simulation();
    let main = simulation.model_mut("Main").expect("the root");
    // Off the grid, as in files of other programs.
    main.block_mut(BlockId(0)).expect("the block").set_position(Position { x: 0.0, y: 3.0 });
    let mut harness = harness(simulation);
    let from = at(&harness, "Block Gain #1");
    drag(&mut harness, from, from + vec2(21.0, 4.0));
    assert_eq!(xy(&harness, 1).1, 3.0);
    let wire = harness.state().canvas.scene().wires_at(BlockId(1)).next().expect("its wire");
    assert_eq!(wire.points.len(), 2, "{:?}", wire.points);
}

#[test]
fn a_selection_becomes_a_model_and_back() {
    let mut simulation = simulation();
    let main = simulation.model_mut("Main").expect("the root");
    main.connect(Connection::new(BlockId(1), "Output", BlockId(5), "Input 1"));
    let mut harness = harness(simulation);
    select(&mut harness, &[1]);
    assert!(perform(&mut harness, DiagramCommand::Group));
    assert_eq!(harness.state().labels, ["Create subsystem from a block"]);
    assert!(harness.state().errors.is_empty(), "{:?}", harness.state().errors);
    assert_eq!(selected(&harness), [6]);
    let model = harness.state().model();
    assert!(model.block(BlockId(1)).is_none());
    assert_eq!(model.sources(BlockId(6)).map(|wire| wire.from).collect::<Vec<_>>(), [BlockId(0)]);
    assert_eq!(model.source(BlockId(5), "Input 1").map(|wire| wire.from), Some(BlockId(6)));
    let inner = &harness.state().document.simulation().models["Model"];
    assert_eq!((inner.blocks.len(), inner.connections.len()), (3, 2));
    assert!(perform(&mut harness, DiagramCommand::Expand));
    assert!(harness.state().errors.is_empty(), "{:?}", harness.state().errors);
    let simulation = harness.state().document.simulation();
    assert!(!simulation.models.contains_key("Model"), "what is used nowhere any more goes");
    let model = harness.state().model();
    let gain = model.source(BlockId(5), "Input 1").map(|wire| wire.from).expect("a source");
    assert_eq!(model.block(gain).map(|block| block.title()), Some("Gain"));
    assert_eq!(model.source(gain, "Input").map(|wire| wire.from), Some(BlockId(0)));
}

#[test]
fn a_highlight_lasts_until_escape() {
    let mut harness = harness(simulation());
    let pos = place(&harness, 130.0, 20.0);
    click(&mut harness, pos);
    perform(&mut harness, DiagramCommand::Trace(Direction::ToSource));
    assert!(harness.state().canvas.is_lit());
    harness.key_press(egui::Key::Escape);
    harness.run_steps(2);
    assert!(!harness.state().canvas.is_lit());
    assert_eq!(harness.state().canvas.selection().wires.len(), 1, "the selection stays");
}

#[test]
fn the_minimap_shows_when_not_all_is_in_view_and_leads_there() {
    let mut simulation = simulation();
    let main = simulation.model_mut("Main").expect("the root");
    main.add_block(library(9, "Math", "Abs").at(9_000.0, 4_000.0));
    let mut harness = harness(simulation);
    assert!(harness.query_by_label("Minimap").is_none(), "all is in view");
    harness.state_mut().canvas.view.set_zoom(1.0);
    harness.run_steps(2);
    let map: Rect = harness.get_by_label("Minimap").rect();
    click(&mut harness, map.right_bottom() - vec2(7.0, 26.0));
    harness.run_steps(2);
    assert!(harness.query_by_label("Block Abs #9").is_some());
    drag_with(&mut harness, map.center(), map.left_top() + vec2(8.0, 26.0), PointerButton::Primary, Modifiers::NONE);
    assert!(harness.query_by_label("Block Constant #0").is_some());
    assert!(harness.state().labels.is_empty());
}

#[test]
fn an_exit_of_another_kind_is_not_lost() {
    // An entry and an exit stay outside of a subsystem created from a selection.
    let mut simulation = Simulation::new("Main");
    let main = simulation.model_mut("Main").expect("the root");
    main.add_block(Block::new(BlockId(0), BlockKind::entry("x")).at(0.0, 0.0));
    main.add_block(library(1, "Math", "Gain").at(120.0, 0.0));
    main.add_block(Block::new(BlockId(2), BlockKind::exit("x")).at(240.0, 0.0));
    main.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Input"));
    main.connect(Connection::new(BlockId(1), "Output", BlockId(2), "Input"));
    let mut harness = harness(simulation);
    select(&mut harness, &[0, 1, 2]);
    assert!(perform(&mut harness, DiagramCommand::Group));
    let kinds: Vec<String> = harness.state().model().blocks.values().map(|block| block.title().to_owned()).collect();
    assert_eq!(kinds, ["x", "x", "Model"]);
}
