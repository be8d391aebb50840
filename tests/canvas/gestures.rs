//! Press, drag and click, then check the document.

use std::sync::Arc;

use eframe::egui::{self, Modifiers, PointerButton, Pos2, Vec2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use proptest::prelude::*;
use simulate::app::action::diagram_command::{Align, DiagramCommand, DistributionAxis, Size};
use simulate::app::action::new_block::NewBlock;
use simulate::model::{BlockId, BlockKind, Change, Edit, Position, Simulation};

use super::bench::{
    Bench, at, button, click, click_with, double_click, drag, drag_with, harness, library, place, selected, simulation,
};
use super::insert::{change, perform};

#[test]
fn a_drag_moves_a_block_by_whole_steps_of_the_grid_and_undo_brings_it_back() {
    let mut harness = harness(simulation());
    let before = harness.state().document.simulation().clone();
    let from = at(&harness, "Block Abs #3");
    drag(&mut harness, from, from + vec2(43.0, 58.0));
    assert_eq!(harness.state().labels, ["Move Abs"]);
    assert_eq!(harness.state().position(3), Position { x: 240.0, y: 220.0 });
    assert_eq!(selected(&harness), [3]);
    harness.state_mut().document.undo();
    assert!(Arc::ptr_eq(harness.state().document.simulation(), &before));
}

#[test]
fn alt_moves_off_the_grid() {
    let mut harness = harness(simulation());
    let from = at(&harness, "Block Abs #3");
    drag_with(&mut harness, from, from + vec2(43.0, 58.0), PointerButton::Primary, Modifiers::ALT);
    assert_eq!(harness.state().position(3), Position { x: 243.0, y: 218.0 });
}

#[test]
fn a_selection_moves_as_one_change() {
    let mut harness = harness(simulation());
    for label in ["Block Constant #0", "Block Gain #1"] {
        let pos = at(&harness, label);
        click_with(&mut harness, pos, Modifiers::SHIFT);
    }
    assert_eq!(selected(&harness), [0, 1]);
    let from = at(&harness, "Block Gain #1");
    drag(&mut harness, from, from + vec2(0.0, 40.0));
    assert_eq!(harness.state().labels, ["Move 2 blocks"]);
    assert_eq!(harness.state().position(0), Position { x: 0.0, y: 40.0 });
    assert_eq!(harness.state().position(1), Position { x: 200.0, y: 40.0 });
}

#[test]
fn escape_gives_a_drag_up() {
    let mut harness = harness(simulation());
    let from = at(&harness, "Block Abs #3");
    button(&mut harness, from, PointerButton::Primary, true, Modifiers::NONE);
    for step in 1..5 {
        harness.event(egui::Event::PointerMoved(from + vec2(20.0, 0.0) * step as f32));
        harness.step();
    }
    harness.key_press(egui::Key::Escape);
    harness.step();
    button(&mut harness, from + vec2(80.0, 0.0), PointerButton::Primary, false, Modifiers::NONE);
    harness.run_steps(2);
    assert!(harness.state().labels.is_empty());
    assert_eq!(harness.state().position(3), Position { x: 200.0, y: 160.0 });
}

#[test]
fn a_wire_is_drawn_from_an_output_to_an_input_and_the_other_way() {
    for (from, to) in [
        ("Output Output of Gain #2", "Input Input of Abs #3"),
        ("Input Input of Abs #3", "Output Output of Gain #2"),
        ("Output Output of Gain #2", "Block Abs #3"),
    ] {
        let mut harness = harness(simulation());
        let (a, b) = (at(&harness, from), at(&harness, to));
        drag(&mut harness, a, b);
        assert_eq!(harness.state().labels, ["Connect Gain to Abs"], "{from} to {to}");
        let source = harness.state().model().source(BlockId(3), "Input").cloned().expect("a wire");
        assert_eq!((source.from, &*source.output), (BlockId(2), "Output"));
    }
}

#[test]
fn two_clicks_draw_a_wire_too() {
    let mut harness = harness(simulation());
    let (a, b) = (at(&harness, "Output Output of Gain #2"), at(&harness, "Input Input of Abs #3"));
    click(&mut harness, a);
    click(&mut harness, b);
    assert_eq!(harness.state().labels, ["Connect Gain to Abs"]);
}

#[test]
fn a_wire_that_ends_nowhere_is_kept_open_and_taken_up_again() {
    let mut harness = harness(simulation());
    let from = at(&harness, "Output Output of Gain #2");
    drag(&mut harness, from, from + vec2(60.0, 90.0));
    assert_eq!(harness.state().labels, ["Leave wire open"]);
    assert_eq!(harness.state().model().connections.len(), 1, "no engine knows of it");
    let view = harness.state().canvas.scene().block(BlockId(2)).expect("the block");
    let end = view.loose.first().expect("its wire").end_of(view);
    let end = harness.state().canvas.view.screen_of(Position { x: f64::from(end.x), y: f64::from(end.y) });
    let to = at(&harness, "Input Input of Abs #3");
    drag(&mut harness, end, to);
    assert_eq!(harness.state().labels, ["Leave wire open", "Connect Gain to Abs"]);
    assert_eq!(harness.state().model().source(BlockId(3), "Input").map(|wire| wire.from), Some(BlockId(2)));
    let block = harness.state().model().block(BlockId(2)).cloned().expect("the block");
    assert_eq!(block.attributes.get("view:loose"), None);
}

#[test]
fn a_click_beside_all_ports_gives_a_wire_up() {
    let mut harness = harness(simulation());
    let (out, beside) = (at(&harness, "Output Output of Gain #2"), place(&harness, 120.0, 260.0));
    click(&mut harness, out);
    click(&mut harness, beside);
    assert!(harness.state().labels.is_empty());
}

/// Gain #2 → Abs #3, and a wire back that would close an algebraic loop.
fn with_open_loop() -> Harness<'static, Bench> {
    let mut harness = harness(simulation());
    let (out, input) = (at(&harness, "Output Output of Gain #2"), at(&harness, "Input Input of Abs #3"));
    drag(&mut harness, out, input);
    let (out, input) = (at(&harness, "Output Output of Abs #3"), at(&harness, "Input Input of Gain #2"));
    drag(&mut harness, out, input);
    harness.run_ok();
    harness
}

#[test]
fn a_wire_that_would_close_a_loop_stays_open_and_names_its_hops() {
    let harness = with_open_loop();
    assert_eq!(harness.state().labels, ["Connect Gain to Abs", "Leave wire open"]);
    assert!(harness.state().model().source(BlockId(2), "Input").is_none(), "no engine knows of it");
    let block = harness.state().model().block(BlockId(3)).cloned().expect("the block");
    let loose = block.attributes.get("view:loose").expect("its open wire");
    assert!(loose.starts_with("out Output ") && loose.ends_with(" 2 Input"), "{loose}");
    let text = "This wire would close an algebraic loop: Gain #2 → Abs #3 → Gain #2";
    let rotated = "This wire would close an algebraic loop: Abs #3 → Gain #2 → Abs #3";
    assert!(harness.query_by_label(text).or(harness.query_by_label(rotated)).is_some());
}

#[test]
fn a_unit_delay_mends_the_loop_of_an_open_wire() {
    let mut harness = with_open_loop();
    let before = harness.state().model().clone();
    harness.get_by_label("Insert a unit delay").click();
    harness.run_ok();
    let model = harness.state().model();
    let back = model.source(BlockId(2), "Input").expect("a wire").from;
    let delay = model.block(back).expect("the delay");
    assert_eq!(delay.kind, BlockKind::library("Discrete", "Unit Delay"));
    assert_eq!(delay.view("view:flip"), Some("1"), "it faces left as the wire does");
    assert_eq!(model.source(back, "Input").map(|wire| wire.from), Some(BlockId(3)));
    assert_eq!(model.block(BlockId(3)).expect("the block").attributes.get("view:loose"), None);
    assert!(harness.query_by_label("Insert a unit delay").is_none());
    // All of it is one change.
    harness.state_mut().document.undo();
    harness.run_ok();
    assert_eq!(*harness.state().model(), before);
}

#[test]
fn the_loop_of_an_open_wire_can_be_solved() {
    let mut harness = with_open_loop();
    harness.get_by_label("Solve the loop").click();
    harness.run_ok();
    assert!(harness.state().document.simulation().solves_loops());
    assert_eq!(harness.state().model().source(BlockId(2), "Input").map(|wire| wire.from), Some(BlockId(3)));
    harness.state_mut().document.undo();
    harness.run_ok();
    assert!(!harness.state().document.simulation().solves_loops());
    assert!(harness.state().model().source(BlockId(2), "Input").is_none());
}

#[test]
fn an_open_wire_is_joined_once_there_is_no_loop_any_more() {
    let mut harness = with_open_loop();
    harness.get_by_label("Leave open").click();
    harness.run_ok();
    assert!(harness.query_by_label("Solve the loop").is_none());
    let gone = Edit::Disconnect { model: "Main".into(), to: BlockId(3), input: "Input".into() };
    harness.state_mut().document.apply(&Change::one("Disconnect", gone)).expect("it is there");
    harness.run_ok();
    let view = harness.state().canvas.scene().block(BlockId(3)).expect("the block");
    let end = view.loose.first().expect("its wire").end_of(view);
    let end = harness.state().canvas.view.screen_of(Position { x: f64::from(end.x), y: f64::from(end.y) });
    for pressed in [true, false] {
        button(&mut harness, end, PointerButton::Secondary, pressed, Modifiers::NONE);
    }
    harness.run_ok();
    harness.get_by_label("Connect Abs to Gain").click();
    harness.run_ok();
    assert_eq!(harness.state().model().source(BlockId(2), "Input").map(|wire| wire.from), Some(BlockId(3)));
}

#[test]
fn the_end_of_a_wire_goes_to_another_input() {
    let mut harness = harness(simulation());
    let (from, to) = (at(&harness, "Input Input of Gain #1"), at(&harness, "Input Input of Gain #2"));
    drag(&mut harness, from, to);
    assert_eq!(harness.state().labels, ["Connect Constant to Gain"]);
    assert!(harness.state().model().source(BlockId(1), "Input").is_none());
    assert!(harness.state().model().source(BlockId(2), "Input").is_some());
}

#[test]
fn a_drag_with_alt_from_a_wire_branches() {
    let mut harness = harness(simulation());
    let (from, to) = (place(&harness, 130.0, 20.0), at(&harness, "Input Input of Abs #3"));
    drag_with(&mut harness, from, to, PointerButton::Primary, Modifiers::ALT);
    assert_eq!(harness.state().labels, ["Connect Constant to Abs"]);
    assert_eq!(harness.state().model().connections.len(), 2);
}

#[test]
fn a_wire_dragged_to_a_free_input_branches() {
    let mut harness = harness(simulation());
    let (from, to) = (place(&harness, 130.0, 20.0), at(&harness, "Input Input of Abs #3"));
    drag(&mut harness, from, to);
    assert_eq!(harness.state().labels, ["Connect Constant to Abs"]);
    let wire = harness.state().model().source(BlockId(1), "Input").cloned().expect("the first wire");
    assert_eq!(wire.attributes.get("view:bends"), None, "it stays as it was");
}

#[test]
fn a_dragged_segment_becomes_bends_that_stay() {
    let mut harness = harness(simulation());
    let from = place(&harness, 130.0, 20.0);
    drag(&mut harness, from, from + vec2(0.0, 50.0));
    assert_eq!(harness.state().labels, ["Move wire"]);
    let wire = harness.state().model().source(BlockId(1), "Input").cloned().expect("the wire");
    assert_eq!(wire.attributes.get("view:bends"), Some("70,20 70,70 190,70 190,20"));
}

#[test]
fn a_marquee_selects_what_it_touches() {
    let mut harness = harness(simulation());
    let (from, to) = (place(&harness, -30.0, 130.0), place(&harness, 300.0, 230.0));
    drag(&mut harness, from, to);
    assert_eq!(selected(&harness), [2, 3]);
    assert!(harness.state().labels.is_empty());
}

#[test]
fn deleting_a_selection_takes_its_wires() {
    let mut harness = harness(simulation());
    let pos = at(&harness, "Block Gain #1");
    click(&mut harness, pos);
    let change = harness.state_mut().edit(|open| open.delete_selection()).expect("a change");
    assert_eq!(change.label, "Delete Gain");
    harness.state_mut().apply(&change);
    harness.run_steps(2);
    assert!(harness.state().model().connections.is_empty());
    assert!(harness.query_by_label("Block Gain #1").is_none());
}

#[test]
fn a_selected_wire_is_deleted_alone() {
    let mut harness = harness(simulation());
    let pos = place(&harness, 130.0, 20.0);
    click(&mut harness, pos);
    let change = harness.state_mut().edit(|open| open.delete_selection()).expect("a change");
    assert_eq!(change.label, "Delete wire");
    harness.state_mut().apply(&change);
    assert_eq!(harness.state().model().blocks.len(), 6);
    assert!(harness.state().model().connections.is_empty());
}

#[test]
fn a_double_click_enters_a_model_and_going_up_comes_back() {
    let mut harness = harness(simulation());
    let pos = at(&harness, "Block Plant #4");
    double_click(&mut harness, pos);
    assert_eq!(harness.state().canvas.path(), [BlockId(4)]);
    assert!(harness.query_by_label("Block u #0").is_some());
    let crumbs = harness.state().canvas.view.breadcrumbs(harness.state().document.simulation());
    assert_eq!(crumbs, [("Main".to_owned(), vec![]), ("Plant".to_owned(), vec![BlockId(4)])]);
    harness.state_mut().canvas.go_up();
    harness.run_steps(2);
    assert_eq!(selected(&harness), [4]);
    assert!(harness.query_by_label("Block Plant #4").is_some());
}

#[test]
fn a_double_click_on_a_scope_opens_its_window() {
    let mut harness = harness(simulation());
    let (out, input) = (at(&harness, "Output Output of Gain #1"), at(&harness, "Block Scope #5"));
    drag(&mut harness, out, input);
    let pos = at(&harness, "Block Scope #5");
    double_click(&mut harness, pos);
    assert_eq!(harness.state().last.open_scope.map(|block| block.0), Some(5));
}

#[test]
fn a_double_click_on_nothing_asks_for_a_block() {
    let mut harness = harness(simulation());
    let pos = place(&harness, 120.0, 100.0);
    double_click(&mut harness, pos);
    let place = harness.state().last.insert_at.expect("a place").position;
    assert!((place.x - 120.0).abs() < 1.0 && (place.y - 100.0).abs() < 1.0, "{place:?}");
}

#[test]
fn arrows_nudge_what_is_selected() {
    let mut harness = harness(simulation());
    let pos = at(&harness, "Block Abs #3");
    click(&mut harness, pos);
    harness.key_press(egui::Key::ArrowRight);
    harness.run_steps(2);
    harness.key_press_modifiers(Modifiers::SHIFT, egui::Key::ArrowDown);
    harness.run_steps(2);
    assert_eq!(harness.state().position(3), Position { x: 210.0, y: 260.0 });
}

#[test]
fn a_drag_with_ctrl_copies() {
    let mut harness = harness(simulation());
    let from = at(&harness, "Block Abs #3");
    drag_with(&mut harness, from, from + vec2(0.0, 100.0), PointerButton::Primary, Modifiers::COMMAND);
    assert_eq!(harness.state().labels, ["Copy Abs"]);
    assert_eq!(harness.state().model().blocks.len(), 7);
    assert_eq!(harness.state().position(6), Position { x: 200.0, y: 260.0 });
    assert_eq!(harness.state().position(3), Position { x: 200.0, y: 160.0 });
}

#[test]
fn the_wheel_zooms_at_the_pointer_and_the_middle_button_pans() {
    let mut harness = harness(simulation());
    let before = at(&harness, "Block Abs #3");
    harness.hover_at(before);
    harness.event(egui::Event::MouseWheel {
        unit: egui::MouseWheelUnit::Line,
        delta: Vec2::new(0.0, 2.0),
        phase: egui::TouchPhase::Move,
        modifiers: Modifiers::NONE,
        source: egui::MouseWheelSource::Wheel,
    });
    harness.run_steps(30);
    assert!(harness.state().canvas.view.zoom() > 1.05, "{}", harness.state().canvas.view.zoom());
    let after = at(&harness, "Block Abs #3");
    assert!((after - before).length() < 1.0, "{before} {after}");
    drag_with(&mut harness, before, before + vec2(-90.0, 30.0), PointerButton::Middle, Modifiers::NONE);
    let panned = at(&harness, "Block Abs #3");
    assert!((panned - after - vec2(-90.0, 30.0)).length() < 8.0, "{after} {panned}");
    assert!(harness.state().labels.is_empty());
}

#[test]
fn a_block_put_on_a_wire_goes_into_it() {
    let mut harness = harness(simulation());
    let (from, to) = (at(&harness, "Block Abs #3"), place(&harness, 130.0, 20.0));
    drag(&mut harness, from, to);
    let model = harness.state().model();
    assert_eq!(model.source(BlockId(3), "Input").map(|wire| wire.from), Some(BlockId(0)));
    assert_eq!(model.source(BlockId(1), "Input").map(|wire| wire.from), Some(BlockId(3)));
    assert_eq!(harness.state().labels.len(), 1);
}

#[test]
fn the_first_move_writes_down_where_all_stand() {
    let mut simulation = simulation();
    let main = simulation.model_mut("Main").expect("the root");
    for id in 0..6 {
        let block = main.block_mut(BlockId(id)).expect("a block");
        block.set_view("view:x", None);
        block.set_view("view:y", None);
    }
    let mut harness = harness(simulation);
    let stood = at(&harness, "Block Gain #1");
    let from = at(&harness, "Block Abs #3");
    drag(&mut harness, from, from + vec2(300.0, 200.0));
    assert_eq!(harness.state().labels, ["Move Abs"]);
    assert!(harness.state().model().blocks.values().all(|block| block.position().is_some()));
    assert_eq!(at(&harness, "Block Gain #1"), stood);
    harness.state_mut().document.undo();
    assert!(harness.state().model().blocks.values().all(|block| block.position().is_none()));
}

#[test]
fn a_paste_keeps_inner_wires_and_lies_beside() {
    let mut harness = harness(simulation());
    let simulation = Arc::clone(harness.state().document.simulation());
    harness.state_mut().canvas.select_all(&simulation);
    let change = harness.state_mut().edit(|open| open.duplicate()).expect("a change");
    assert_eq!(change.label, "Duplicate 6 blocks");
    assert!(change.edits.iter().any(|edit| matches!(edit, Edit::Connect { .. })));
    harness.state_mut().apply(&change);
    assert!(harness.state().errors.is_empty());
    assert_eq!(harness.state().position(6), Position { x: 20.0, y: 20.0 });
    assert_eq!(harness.state().model().connections.len(), 2);
}

#[test]
fn a_block_is_inserted_with_its_middle_where_it_was_asked_for() {
    let mut harness = harness(Simulation::new("Main"));
    let bench = harness.state_mut();
    let place = Position { x: 203.0, y: 98.0 };
    let change = bench.edit(|open| open.insert_block(BlockKind::entry("").into(), place)).expect("a change");
    assert_eq!(change.label, "Add x");
    bench.apply(&change);
    assert_eq!(bench.position(0), Position { x: 170.0, y: 80.0 });
    harness.run_steps(2);
    assert_eq!(selected(&harness), [0]);
}

#[test]
fn shift_adds_a_wire_to_the_selection() {
    let mut harness = harness(simulation());
    let pos = at(&harness, "Block Abs #3");
    click(&mut harness, pos);
    let pos = place(&harness, 130.0, 20.0);
    click_with(&mut harness, pos, Modifiers::SHIFT);
    assert_eq!(selected(&harness), [3]);
    assert_eq!(harness.state().canvas.selection().wires.len(), 1);
}

#[test]
fn the_menu_of_a_wire_plots_its_signal() {
    let mut harness = harness(simulation());
    let pos = place(&harness, 130.0, 20.0);
    for pressed in [true, false] {
        button(&mut harness, pos, PointerButton::Secondary, pressed, Modifiers::NONE);
    }
    harness.run_steps(2);
    harness.get_by_label_contains("Plot this signal").click();
    harness.run_steps(2);
    assert_eq!(harness.state().last.plot.iter().map(|key| key.block.0).collect::<Vec<_>>(), [0]);
}

#[test]
fn a_title_is_edited_where_it_stands() {
    let mut harness = harness(simulation());
    let pos = at(&harness, "Block Abs #3");
    click(&mut harness, pos);
    harness.state_mut().canvas.rename();
    harness.run_steps(3);
    harness.get_by_role(egui::Role::TextInput).type_text("speed");
    harness.run_steps(2);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(3);
    assert_eq!(harness.state().labels, ["Rename Abs"]);
    assert_eq!(harness.state().model().block(BlockId(3)).map(|block| block.title()), Some("speed"));
}

#[test]
fn a_mirrored_block_has_its_input_at_the_right() {
    let mut harness = harness(simulation());
    let pos = at(&harness, "Block Abs #3");
    click(&mut harness, pos);
    let change = harness.state_mut().edit(|open| open.flip()).expect("a change");
    harness.state_mut().apply(&change);
    harness.run_steps(2);
    let (input, output) = (at(&harness, "Input Input of Abs #3"), at(&harness, "Output Output of Abs #3"));
    assert!(input.x > output.x);
    let change = harness.state_mut().edit(|open| open.flip());
    assert!(change.is_some());
}

#[test]
fn a_block_dragged_from_the_palette_is_added_where_it_is_dropped() {
    let mut harness = harness(simulation());
    let pos = place(&harness, 130.0, 100.0);
    egui::DragAndDrop::set_payload(&harness.ctx, NewBlock::from(BlockKind::library("Math", "Abs")));
    button(&mut harness, pos, PointerButton::Primary, true, Modifiers::NONE);
    egui::DragAndDrop::set_payload(&harness.ctx, NewBlock::from(BlockKind::library("Math", "Abs")));
    button(&mut harness, pos, PointerButton::Primary, false, Modifiers::NONE);
    harness.run_steps(2);
    assert_eq!(harness.state().labels, ["Add Abs"]);
    assert_eq!(harness.state().position(6), Position { x: 100.0, y: 80.0 });
}

#[test]
fn going_to_a_block_brings_it_into_view() {
    let mut simulation = simulation();
    let main = simulation.model_mut("Main").expect("the root");
    main.add_block(library(9, "Math", "Abs").at(90_000.0, 40_000.0));
    let mut harness = harness(simulation);
    harness.state_mut().canvas.view.set_zoom(1.0);
    harness.run_steps(2);
    assert!(harness.query_by_label("Block Abs #9").is_none());
    harness.state_mut().canvas.go_to(Vec::new(), Some(BlockId(9)));
    harness.run_steps(2);
    assert!(harness.query_by_label("Block Abs #9").is_some());
    assert_eq!(selected(&harness), [9]);
}

/// Edits of a diagram without a pointer.
const COMMANDS: [DiagramCommand; 17] = [
    DiagramCommand::Rotate,
    DiagramCommand::Flip,
    DiagramCommand::Arrange,
    DiagramCommand::Group,
    DiagramCommand::Expand,
    DiagramCommand::AddArea,
    DiagramCommand::Connect,
    DiagramCommand::Align(Align::Left),
    DiagramCommand::Align(Align::Middle),
    DiagramCommand::Distribute(DistributionAxis::Across),
    DiagramCommand::Distribute(DistributionAxis::Down),
    DiagramCommand::SameSize(Size::Width),
    DiagramCommand::SameSize(Size::Height),
    DiagramCommand::SameSize(Size::Both),
    DiagramCommand::OwnSize,
    DiagramCommand::ToTags,
    DiagramCommand::ToWires,
];

proptest! {
    #![proptest_config(crate::random_cases(24))]

    /// After any gestures, every block and wire is intact, and undo restores the original.
    #[test]
    fn no_gesture_breaks_the_document(
        acts in prop::collection::vec((0u8..12, 0f32..900.0, 0f32..600.0, 0u8..4), 10..80),
    ) {
        let mut harness = harness(simulation());
        let before = Arc::clone(harness.state().document.simulation());
        for (act, x, y, held) in acts {
            let pos = Pos2::new(x, y);
            let modifiers = match held {
                1 => Modifiers::SHIFT,
                2 => Modifiers::COMMAND,
                3 => Modifiers::ALT,
                _ => Modifiers::NONE,
            };
            // Half of the clicks hit something.
            let names = ["Block Gain #1", "Output Output of Gain #2", "Input Input of Abs #3", "Block Plant #4"];
            let target = names.get(x as usize % 8).and_then(|name| harness.query_by_label(name)).map(|it| it.rect().center());
            let pos = target.unwrap_or(pos);
            let end = pos + vec2(y - 300.0, x - 450.0) / 3.0;
            match act {
                0 => click_with(&mut harness, pos, modifiers),
                1 => drag_with(&mut harness, pos, end, PointerButton::Secondary, modifiers),
                2 => double_click(&mut harness, pos),
                3 => {
                    harness.state_mut().canvas.go_up();
                    harness.key_press(egui::Key::Escape);
                }
                4 => {
                    let change = harness.state_mut().edit(|open| open.duplicate());
                    change.iter().for_each(|change| harness.state_mut().apply(change));
                }
                5 => {
                    let command = COMMANDS[x as usize % COMMANDS.len()];
                    perform(&mut harness, command);
                }
                6 => {
                    let simulation = Arc::clone(harness.state().document.simulation());
                    harness.state_mut().canvas.select_all(&simulation);
                    harness.step();
                    perform(&mut harness, COMMANDS[y as usize % COMMANDS.len()]);
                }
                7 => {
                    change(&mut harness, |bench, _| bench.edit(|open| open.delete_selection()));
                }
                _ => drag_with(&mut harness, pos, end, PointerButton::Primary, modifiers),
            }
            harness.run_steps(1);
            prop_assert!(harness.state().errors.is_empty(), "{:?}", harness.state().errors);
            for model in harness.state().document.simulation().models.values() {
                for connection in model.connections.values() {
                    prop_assert!(model.block(connection.from).is_some() && model.block(connection.to).is_some());
                }
                for block in model.blocks.values() {
                    let position = block.position().expect("a position");
                    prop_assert!(position.x.is_finite() && position.y.is_finite());
                }
            }
        }
        while harness.state_mut().document.undo().is_some() {}
        prop_assert!(Arc::ptr_eq(harness.state().document.simulation(), &before));
        harness.run_steps(2);
    }
}
