//! Edits of several blocks, or of whole wires, at once.

use std::sync::Arc;

use eframe::egui::{Modifiers, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use simulate::app::action::diagram_command::{DiagramCommand, Size};
use simulate::app::canvas::{DocumentView, Selection};
use simulate::block::Registry;
use simulate::model::{BlockId, Change, Edit, InputKey, Simulation};

use super::bench::{Bench, at, click, click_with, drag, harness, library, selected, simulation};
use super::insert::perform;

fn source(harness: &Harness<Bench>, block: u64, input: &str) -> Option<(u64, String)> {
    let wire = harness.state().model().source(BlockId(block.into()), input)?;
    Some((wire.from.0 as u64, wire.output.to_string()))
}

fn select(harness: &mut Harness<Bench>, ids: &[u64]) {
    let blocks = ids.iter().map(|id| BlockId((*id).into())).collect();
    harness.state_mut().canvas.select(Selection { blocks, ..Selection::default() });
    harness.step();
}

fn size(harness: &Harness<Bench>, id: u64) -> (f32, f32) {
    let view = harness.state().canvas.scene().block(BlockId(id.into())).expect("the block");
    (view.outline.rect.width(), view.outline.rect.height())
}

/// Two constants, the upper one with the higher id, and a sum with three inputs.
fn sources() -> Simulation {
    let mut simulation = Simulation::new("Main");
    let main = simulation.model_mut("Main").expect("the root");
    main.add_block(library(0, "Var", "Static").at(0.0, 120.0));
    main.add_block(library(1, "Var", "Static").at(0.0, 0.0));
    main.add_block(library(2, "Math", "Sum").with_option("Signs", &["+++"]).at(200.0, 60.0));
    simulation
}

#[test]
fn alt_and_a_click_join_what_is_selected_to_a_block_in_order() {
    let mut harness = harness(sources());
    select(&mut harness, &[0, 1]);
    let sum = at(&harness, "Block Sum #2");
    click_with(&mut harness, sum, Modifiers::ALT);
    assert_eq!(harness.state().labels, ["Connect 2 blocks to Sum"]);
    // From top to bottom.
    assert_eq!(source(&harness, 2, "Input 1"), Some((1, "Output".to_owned())));
    assert_eq!(source(&harness, 2, "Input 2"), Some((0, "Output".to_owned())));
    assert_eq!(selected(&harness), [2]);
    // The next takes the next free input.
    select(&mut harness, &[0]);
    click_with(&mut harness, sum, Modifiers::ALT);
    assert_eq!(source(&harness, 2, "Input 3"), Some((0, "Output".to_owned())));
    // Then there is none left.
    select(&mut harness, &[0]);
    click_with(&mut harness, sum, Modifiers::ALT);
    assert_eq!(harness.state().last.refused.as_deref(), Some("Sum has no free input"));
    assert_eq!(harness.state().labels.len(), 2);
}

#[test]
fn alt_and_a_click_with_nothing_selected_select() {
    let mut harness = harness(sources());
    let sum = at(&harness, "Block Sum #2");
    click_with(&mut harness, sum, Modifiers::ALT);
    assert_eq!(selected(&harness), [2]);
    assert!(harness.state().labels.is_empty());
}

#[test]
fn blocks_get_the_size_of_the_largest_and_their_own_again() {
    let mut harness = harness(simulation());
    let before = (size(&harness, 3), size(&harness, 4));
    assert_ne!(before.0, before.1, "the model block is larger");
    select(&mut harness, &[3, 4]);
    assert!(perform(&mut harness, DiagramCommand::SameSize(Size::Width)));
    assert_eq!(harness.state().labels, ["Set the width of 1 blocks"]);
    assert_eq!(size(&harness, 3), (before.1.0, before.0.1));
    assert!(perform(&mut harness, DiagramCommand::SameSize(Size::Both)) == (before.0.1 != before.1.1));
    assert_eq!(size(&harness, 3), size(&harness, 4));
    assert!(!perform(&mut harness, DiagramCommand::SameSize(Size::Both)), "they are of one size");
    assert!(perform(&mut harness, DiagramCommand::OwnSize));
    assert_eq!((size(&harness, 3), size(&harness, 4)), before);
}

#[test]
fn a_block_is_made_larger_at_its_corner_and_its_ports_stay_on_the_grid() {
    let mut harness = harness(simulation());
    let view = harness.state().canvas.scene().block(BlockId(3)).expect("the block");
    let (corner, before) = (view.outline.body.max, size(&harness, 3));
    let from = harness
        .state()
        .canvas
        .view
        .screen_of(simulate::model::Position { x: f64::from(corner.x - 1.0), y: f64::from(corner.y - 1.0) });
    drag(&mut harness, from, from + vec2(43.0, 38.0));
    assert_eq!(harness.state().labels, ["Resize Abs"]);
    assert_eq!(size(&harness, 3), (before.0 + 40.0, before.1 + 40.0));
    let view = harness.state().canvas.scene().block(BlockId(3)).expect("the block");
    let port = view.outline.inputs.first().expect("an input");
    assert_eq!((port.y - view.outline.rect.top()) % 10.0, 0.0);
}

#[test]
fn the_buttons_over_the_diagram_act_on_the_selection() {
    let mut harness = harness(simulation());
    assert!(harness.query_by_label("Align left").is_none(), "nothing is selected");
    select(&mut harness, &[1, 4]);
    harness.step();
    let button = harness.get_by_label("Align left").rect().center();
    click(&mut harness, button);
    assert_eq!(harness.state().labels, ["Align 2 blocks"]);
    assert_eq!(harness.state().position(1).x, harness.state().position(4).x);
    assert_eq!(selected(&harness), [1, 4], "the click was the button's alone");
}

#[test]
fn a_wire_becomes_a_name_and_a_wire_again() {
    let mut harness = harness(simulation());
    let key = InputKey::new(BlockId(1), "Input");
    harness.state_mut().canvas.select(Selection { wires: [key].into(), ..Selection::default() });
    harness.step();
    assert!(perform(&mut harness, DiagramCommand::ToTags));
    assert_eq!(harness.state().labels, ["Replace wire with Goto/From"]);
    assert_eq!(selected(&harness), [6, 7]);
    assert_eq!(source(&harness, 1, "Input").map(|(id, _)| id), Some(7));
    assert_eq!(source(&harness, 6, "Input"), Some((0, "Output".to_owned())));
    let model = harness.state().model();
    let name = |id| model.block(BlockId(id)).and_then(|block| block.option_texts("Tag").map(|texts| texts.join("")));
    assert_eq!((name(6).as_deref(), name(7).as_deref()), (Some("Constant"), Some("Constant")));
    select(&mut harness, &[7]);
    assert!(perform(&mut harness, DiagramCommand::ToWires));
    assert_eq!(source(&harness, 1, "Input"), Some((0, "Output".to_owned())));
    assert_eq!(harness.state().model().blocks.len(), 6);
    harness.state_mut().document.undo();
    harness.state_mut().document.undo();
    assert_eq!(harness.state().model().blocks.len(), 6);
}

#[test]
fn a_model_bears_an_icon_that_its_uses_show() {
    let mut harness = harness(simulation());
    let drawing = |harness: &Harness<Bench>| {
        format!("{:?}", harness.state().canvas.scene().block(BlockId(4)).expect("the use").drawing)
    };
    assert_eq!(drawing(&harness), "Model");
    for (icon, want) in [("PI", "Text(\"PI\")"), ("M0 0 L1 1", "Path([[(0.0, 0.0), (1.0, 1.0)]])")] {
        let value = Some(Arc::from(icon));
        let edit = Edit::SetModelAttribute { model: "Plant".into(), name: "view:icon".into(), value };
        harness.state_mut().apply(&Change::one("Icon", edit));
        harness.run_steps(2);
        assert_eq!(drawing(&harness), want);
    }
    harness.state_mut().document.undo();
    harness.state_mut().document.undo();
    harness.run_steps(2);
    assert_eq!(drawing(&harness), "Model");
}

#[test]
fn a_name_in_brackets_is_a_unit() {
    for (typed, name, unit) in [
        ("speed [m/s]", Some("speed"), Some("m/s")),
        ("[m/s]", None, Some("m/s")),
        ("x[0]", Some("x[0]"), None),
        ("speed", Some("speed"), None),
    ] {
        let mut harness = harness(simulation());
        let middle = super::bench::place(&harness, 130.0, 20.0);
        super::bench::double_click(&mut harness, middle);
        harness.event(eframe::egui::Event::Text(typed.to_owned()));
        harness.run_steps(2);
        harness.key_press(eframe::egui::Key::Enter);
        harness.run_steps(3);
        let wire = harness.state().model().source(BlockId(1), "Input").cloned().expect("the wire");
        assert_eq!((wire.attributes.get("label"), wire.attributes.get("unit")), (name, unit), "{typed}");
        assert_eq!(harness.state().canvas.scene().wires().count(), 1);
    }
}

#[test]
fn a_narrow_bar_is_held_in_its_middle_and_a_block_at_its_title() {
    let mut simulation = simulation();
    let main = simulation.model_mut("Main").expect("the root");
    main.add_block(library(6, "Routing", "Mux").at(0.0, 300.0));
    main.add_block(library(7, "Routing", "Demux").at(200.0, 300.0));
    let mut harness = harness(simulation);
    for id in [6, 7] {
        let view = harness.state().canvas.scene().block(BlockId(id)).expect("the block");
        let (body, ports) = (view.outline.body, [&view.outline.inputs[..], &view.outline.outputs].concat());
        // Centred horizontally, at the height of each port.
        for port in ports {
            let (x, y) = (f64::from(body.center().x), f64::from(port.y));
            let pos = super::bench::place(&harness, x, y);
            let beside = super::bench::place(&harness, -150.0, 450.0);
            click(&mut harness, beside);
            click(&mut harness, pos);
            assert_eq!(selected(&harness), [id as u64], "at {port}");
        }
    }
    let beside = super::bench::place(&harness, -150.0, 450.0);
    click(&mut harness, beside);
    let view = harness.state().canvas.scene().block(BlockId(3)).expect("the block");
    let body = view.outline.body;
    let below = super::bench::place(&harness, f64::from(body.center().x), f64::from(body.bottom()) + 9.0);
    click(&mut harness, below);
    assert_eq!(selected(&harness), [3], "its title is below it");
}

#[test]
fn what_is_pasted_lies_at_the_pointer_and_never_on_what_is_there() {
    let mut harness = harness(simulation());
    // No block has its corner at the common corner of the two, so this position is free.
    select(&mut harness, &[1, 2]);
    let document = Arc::clone(harness.state().document.simulation());
    let registry = Registry::standard();
    let view = DocumentView { simulation: &document, registry: &registry };
    let fragment = harness.state().canvas.open(&view).and_then(|open| open.copy()).expect("two blocks");
    let mut paste = |at| {
        let pasted = harness.state_mut().edit(|open| open.paste(&fragment, at).map(|(edited, _)| edited));
        let change = pasted.expect("a change");
        harness.state_mut().apply(&change);
        harness.run_steps(2);
        harness
            .state()
            .canvas
            .selection()
            .blocks
            .iter()
            .map(|id| harness.state().position(id.0 as u64))
            .collect::<Vec<_>>()
    };
    let of = |x, y| simulate::model::Position { x, y };
    assert_eq!(paste(None), [of(220.0, 20.0), of(20.0, 180.0)], "a little beside");
    assert_eq!(paste(None), [of(240.0, 40.0), of(40.0, 200.0)], "and further");
    let at = Some(of(400.0, 300.0));
    assert_eq!(paste(at), [of(600.0, 300.0), of(400.0, 460.0)], "with its corner there");
    assert_eq!(paste(at), [of(620.0, 320.0), of(420.0, 480.0)], "once more");
}
