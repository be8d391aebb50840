use std::sync::Arc;

use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use simulate::app::action::command::{Command, EditCommand};
use simulate::app::action::diagram_command::DiagramCommand;
use simulate::app::action::{EditAction, ViewAction};
use simulate::app::canvas::Selection;
use simulate::app::{Action, App};
use simulate::format::{LoadOptions, Loader as _, simx::Simx};
use simulate::model::{Block, BlockId, BlockKind, Change, Connection, Edit, Model, Variable};

use super::panels::simulation_of;
use super::{Opened as _, Window, gain_chain, gain_of, settle, show, until, window};

pub fn select(harness: &mut super::Window, ids: &[u64]) {
    if let Some(file) = &mut harness.state_mut().file {
        let blocks = ids.iter().map(|id| BlockId((*id).into())).collect();
        file.canvas.select(Selection { blocks, ..Selection::default() });
    }
    harness.run_ok();
}

pub fn type_into(harness: &mut super::Window, label: &str, text: &str) {
    harness.get_by_role_and_label(eframe::egui::accesskit::Role::TextInput, label).focus();
    harness.run_ok();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.run_ok();
    match text {
        "" => harness.key_press(Key::Delete),
        text => harness.get_by_role_and_label(eframe::egui::accesskit::Role::TextInput, label).type_text(text),
    }
    harness.run_ok();
}

#[test]
fn a_gain_is_set_in_the_inspector_and_undone() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    select(&mut harness, &[1]);
    type_into(&mut harness, "Gain", "7.5");
    assert_eq!(gain_of(harness.state()), ["2"], "nothing happens before Enter");
    harness.key_press(Key::Enter);
    harness.run_ok();
    assert_eq!(gain_of(harness.state()), ["7.5"]);
    let label = harness.state().file.as_ref().and_then(|file| file.document.undo_labels().next().map(str::to_owned));
    assert_eq!(label.as_deref(), Some("Set Gain of Gain #1"));
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run_ok();
    assert_eq!(gain_of(harness.state()), ["2"]);
    assert!(!harness.state().is_unsaved(), "undo leads back to what is saved");
}

/// Only an instance whose model draws random numbers has a seed in the inspector.
#[test]
fn the_seed_of_an_instance_is_set_in_the_inspector() {
    let mut simulation = gain_chain();
    for (id, name, block) in [(10, "Wind", "Noise"), (11, "Quiet", "Clock")] {
        let mut model = Model::new(name);
        model.add_block(Block::new(BlockId(0), BlockKind::library("Var", block)));
        simulation.add_model(model);
        let root = simulation.model_mut("Main").expect("the root");
        root.add_block(Block::new(BlockId(id), BlockKind::Model { model: name.into() }));
    }
    let mut harness = window();
    show(&mut harness, simulation);
    select(&mut harness, &[11]);
    assert!(harness.query_by_label("Seed").is_none(), "a clock draws no random numbers");
    select(&mut harness, &[10]);
    let seed = |app: &App| {
        let root = simulation_of(app).root_model().expect("a root");
        root.block(BlockId(10)).and_then(|block| block.attributes.get("seed").map(str::to_owned))
    };
    type_into(&mut harness, "Seed", "x");
    harness.key_press(Key::Enter);
    harness.run_ok();
    assert_eq!(seed(harness.state()), None, "it is no integer");
    type_into(&mut harness, "Seed", "4 2");
    harness.key_press(Key::Enter);
    harness.run_ok();
    assert_eq!(seed(harness.state()).as_deref(), Some("4 2"));
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run_ok();
    assert_eq!(seed(harness.state()), None);
}

/// The check box is there for blocks that are located, with a solver of variable step.
#[test]
fn crossings_of_a_block_are_switched_off_in_the_inspector() {
    let mut simulation = gain_chain();
    let root = simulation.model_mut("Main").expect("the root");
    root.add_block(Block::new(BlockId(10), BlockKind::library("Nonlinear", "Relay")));
    let mut harness = window();
    show(&mut harness, simulation.clone());
    select(&mut harness, &[10]);
    assert!(harness.query_by_label("Locate crossings").is_none(), "a solver of fixed step locates nothing");
    simulation.attributes.set("solver", "dopri45");
    show(&mut harness, simulation);
    select(&mut harness, &[1]);
    assert!(harness.query_by_label("Locate crossings").is_none(), "a gain has no crossing");
    select(&mut harness, &[10]);
    let crossings = |app: &App| {
        let root = simulation_of(app).root_model().expect("a root");
        root.block(BlockId(10)).and_then(|block| block.attributes.get("crossings").map(str::to_owned))
    };
    harness.get_by_label("Locate crossings").click();
    harness.run_ok();
    assert_eq!(crossings(harness.state()).as_deref(), Some("off"));
    harness.get_by_label("Locate crossings").click();
    harness.run_ok();
    assert_eq!(crossings(harness.state()), None);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run_ok();
    assert_eq!(crossings(harness.state()).as_deref(), Some("off"));
}

#[test]
fn a_vector_is_several_numbers() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    select(&mut harness, &[1]);
    type_into(&mut harness, "Gain", "[1, 2 3]");
    harness.key_press(Key::Enter);
    harness.run_ok();
    assert_eq!(gain_of(harness.state()), ["1", "2", "3"]);
}

#[test]
fn what_is_wrong_stays_in_the_document_and_says_why() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    select(&mut harness, &[1]);
    let below = |harness: &super::Window| harness.get_by_label("Label").rect();
    let before = below(&harness);
    type_into(&mut harness, "Gain", "kk*2");
    harness.get_by_label("Unknown variable \"kk\"");
    assert_eq!(below(&harness), before, "nothing moves when a text becomes wrong");
    harness.key_press(Key::Enter);
    harness.run_ok();
    assert_eq!(gain_of(harness.state()), ["kk*2"]);
    // The reason stays, and the run is refused.
    harness.get_by_label("Unknown variable \"kk\"");
    until(&mut harness, "the check", |app| {
        app.file.as_ref().is_some_and(|file| file.diagnostics.all().iter().any(|found| found.is_error()))
    });
    assert_eq!(below(&harness), before);
    // One click mends it, one undo takes that back. The pointer may leave the field for the button.
    assert!(harness.query_by_label("Create variable kk").is_none());
    harness.get_by_role_and_label(eframe::egui::accesskit::Role::TextInput, "Gain").hover();
    // The popup is laid out first, and drawn in the next frame.
    harness.step();
    harness.run_ok();
    harness.get_by_label("Create variable kk").hover();
    harness.run_ok();
    harness.get_by_label("Create variable kk").click();
    harness.run_ok();
    let kk = |app: &App| {
        let model = app.file.as_ref().and_then(|file| file.simulation().model("Main").cloned());
        model.and_then(|model| model.variables.get("kk").map(|kk| kk.value.to_string()))
    };
    assert_eq!(kk(harness.state()).as_deref(), Some("1"));
    assert!(harness.query_by_label("Unknown variable \"kk\"").is_none());
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
    assert_eq!(kk(harness.state()), None);
    assert_eq!(gain_of(harness.state()), ["kk*2"]);
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    assert_eq!(gain_of(harness.state()), ["2"]);
}

#[test]
fn what_is_no_expression_at_all_is_kept_as_it_was_typed() {
    for text in ["2 +* (3", "1e", "two three"] {
        let mut harness = window();
        show(&mut harness, gain_chain());
        select(&mut harness, &[1]);
        type_into(&mut harness, "Gain", text);
        harness.key_press(Key::Enter);
        harness.run_ok();
        assert_eq!(gain_of(harness.state()).join(" "), text);
        harness.get_by_role_and_label(eframe::egui::accesskit::Role::TextInput, "Gain");
        // Escape still gives up what is typed; nothing at all is no value.
        type_into(&mut harness, "Gain", "5");
        harness.key_press(Key::Escape);
        harness.run_ok();
        select(&mut harness, &[1]);
        type_into(&mut harness, "Gain", "");
        harness.key_press(Key::Enter);
        harness.run_ok();
        assert_eq!(gain_of(harness.state()).join(" "), text);
    }
}

#[test]
fn a_parameter_of_several_blocks_is_one_change() {
    let mut harness = window();
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the root");
    model.add_block(simulate::model::Block::new(BlockId(7), BlockKind::library("Math", "Gain")).at(120.0, 90.0));
    show(&mut harness, simulation);
    select(&mut harness, &[1, 7]);
    type_into(&mut harness, "Gain", "4");
    harness.key_press(Key::Enter);
    harness.run_ok();
    assert_eq!(gain_of(harness.state()), ["4"]);
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    assert_eq!(gain_of(harness.state()), ["2"]);
}

#[test]
fn a_double_click_in_the_palette_adds_the_block() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().act(Action::Edit(EditAction::AddBlock(BlockKind::library("Math", "Gain").into())));
    harness.run_ok();
    let count = harness.state().file.as_ref().map(|file| file.simulation().models["Main"].blocks.len());
    assert_eq!(count, Some(4));
}

#[test]
fn a_problem_leads_to_its_block() {
    let mut harness = window();
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the root");
    model.add_block(simulate::model::Block::new(BlockId(9), BlockKind::library("Math", "Gain")).at(120.0, 90.0));
    show(&mut harness, simulation);
    until(&mut harness, "the check", |app| app.file.as_ref().is_some_and(|file| !file.diagnostics.all().is_empty()));
    harness.run_ok();
    harness.get_by_label_contains("Show problems").click();
    harness.run_ok();
    harness.get_by_label("The input “Input” is not connected, so the block never runs").click();
    harness.run_ok();
    let selected = harness.state().file.as_ref().and_then(|file| file.canvas.selection().single_block());
    assert_eq!(selected, Some(BlockId(9)));
}

#[test]
fn keys_are_the_diagrams_while_it_has_the_focus() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    select(&mut harness, &[1]);
    let middle = eframe::egui::pos2(700.0, 500.0);
    harness.hover_at(middle);
    harness.drag_at(middle);
    harness.drop_at(middle);
    harness.run_ok();
    select(&mut harness, &[1]);
    harness.key_press(Key::Delete);
    harness.run_ok();
    let count = |harness: &super::Window| {
        harness.state().file.as_ref().map(|file| file.simulation().models["Main"].blocks.len())
    };
    assert_eq!(count(&harness), Some(2), "Delete removes the selected block");
    harness.hover_at(middle);
    harness.run_ok();
    harness.event(eframe::egui::Event::Text("g".to_owned()));
    harness.run_ok();
    assert!(harness.state().open().panels.quick_insert.is_some(), "typing opens the list");
    for letter in ["a", "i", "n"] {
        harness.event(eframe::egui::Event::Text(letter.to_owned()));
        harness.run_ok();
    }
    harness.key_press(Key::Enter);
    harness.run_ok();
    assert_eq!(count(&harness), Some(3), "Enter inserts the block");
}

#[test]
fn copied_blocks_come_back_from_the_platforms_clipboard() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    select(&mut harness, &[0, 1]);
    harness.event(eframe::egui::Event::Copy);
    harness.step();
    let text = harness.output().platform_output.commands.iter().find_map(|command| match command {
        eframe::egui::OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    });
    let text = text.expect("the blocks as text");
    let mut other = window();
    show(&mut other, simulate::model::Simulation::new("Main"));
    other.event(eframe::egui::Event::Paste(text));
    other.run_ok();
    let file = other.state().file.as_ref().expect("a file");
    let model = &file.simulation().models["Main"];
    assert_eq!((model.blocks.len(), model.connections.len()), (2, 1));
}

/// Blocks that are pasted into another document bring what they use, in one step; a text that is not a diagram changes
/// nothing, and says so.
#[test]
fn blocks_of_another_document_bring_what_they_use() {
    let read = |text: &str| {
        let loaded = Simx.read(text.as_bytes(), &LoadOptions::default()).expect("it can be read");
        assert_eq!(loaded.diagnostics, []);
        loaded.simulation
    };
    let mut harness = window();
    show(&mut harness, read(include_str!("../model/pastes/from.simx")));
    harness.state_mut().dispatch(Command::Edit(EditCommand::SelectAll));
    harness.state_mut().dispatch(Command::Edit(EditCommand::Copy));
    harness.run_ok();
    // The same window, another document.
    show(&mut harness, read(include_str!("../model/pastes/into_other_plant.simx")));
    harness.state_mut().dispatch(Command::Edit(EditCommand::Paste));
    harness.run_ok();
    let names = |harness: &Window| {
        let file = harness.state().file.as_ref().expect("a file");
        file.simulation().models.keys().map(|name| name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(&harness), ["Main", "Plant", "Plant 2"]);
    harness.get_by_label_contains("“Plant” as “Plant 2”");
    settle(&mut harness);
    until(&mut harness, "the check", |app| app.file.as_ref().is_some_and(|file| file.program.is_some()));
    // Within the document it stays the same model.
    harness.state_mut().dispatch(Command::Edit(EditCommand::Copy));
    harness.state_mut().dispatch(Command::Edit(EditCommand::Paste));
    assert_eq!(names(&harness).len(), 3);
    (0..2).for_each(|_| harness.state_mut().dispatch(Command::Edit(EditCommand::Undo)));
    assert_eq!(names(&harness), ["Main", "Plant"]);

    let before = Arc::clone(harness.state().file.as_ref().expect("a file").simulation());
    let long = format!("<simulation>{}", " ".repeat(65 << 20));
    for text in
        ["a list", "<simulation", "<simulation root=\"M\"/>", "\0\u{202e}<simulation", "<simulation><model/>", &long]
    {
        harness.state_mut().window.message = None;
        harness.event(eframe::egui::Event::Paste(text.to_owned()));
        harness.run_ok();
        let start: String = text.chars().take(30).collect();
        assert!(harness.state().window.message.as_ref().is_some_and(|message| message.is_problem), "{start}");
        let file = harness.state().file.as_ref().expect("a file");
        assert!(Arc::ptr_eq(file.simulation(), &before), "{start}");
    }
}

#[test]
fn a_diagram_is_built_by_keys_alone() {
    let mut harness = window();
    show(&mut harness, simulate::model::Simulation::new("Main"));
    harness.key_press(Key::F4);
    harness.run_ok();
    for (name, value) in [("static", "3"), ("gain", "2"), ("integrate", ""), ("exit speed", "")] {
        for letter in name.chars() {
            harness.event(eframe::egui::Event::Text(letter.to_string()));
            harness.run_ok();
        }
        harness.key_press(Key::Enter);
        harness.run_ok();
        if !value.is_empty() {
            harness.event(eframe::egui::Event::Text(value.to_owned()));
            harness.run_ok();
            harness.key_press(Key::Enter);
            harness.run_ok();
        }
    }
    let file = harness.state().file.as_ref().expect("a file");
    let model = &file.simulation().models["Main"];
    let titles: Vec<&str> = model.blocks.values().map(|block| block.title()).collect();
    assert_eq!(titles, ["Constant", "Gain", "Integrator", "speed"]);
    assert_eq!(model.block(BlockId(0)).and_then(|block| block.option_texts("Value")), Some(vec!["3"]));
    assert_eq!(model.block(BlockId(1)).and_then(|block| block.option_texts("Gain")), Some(vec!["2"]));
    let sources: Vec<i128> = model.connections.values().map(|wire| wire.from.0).collect();
    assert_eq!(sources, [0, 1, 2], "each is joined to the one before");
}

#[test]
fn a_signals_name_is_its_curves() {
    let mut harness = window();
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the root");
    let mut wire = simulate::model::Connection::new(BlockId(0), "Output", BlockId(1), "Input");
    wire.attributes.set("label", "torque");
    model.connect(wire);
    show(&mut harness, simulation);
    harness.state_mut().plot(&[simulate::model::SignalKey::new(&[], BlockId(0), "Output")]);
    harness.run_ok();
    assert!(harness.query_all_by_label_contains("torque").next().is_some());
}

/// Who has scrolled to a block and takes it finds the next one where it was, though the first is listed above, too.
#[test]
fn the_palette_stays_where_it_is_when_a_block_was_used() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.get_by_label("Sum (Math)").scroll_to_me();
    harness.run_ok();
    let place = |harness: &Window| harness.get_by_label("Sum (Math)").rect().top();
    let before = place(&harness);
    for name in ["Sine Function", "Sign", "Sqrt"] {
        let (group, name) = ("Math".into(), name.into());
        harness.state_mut().act(Action::Edit(EditAction::AddBlock(BlockKind::Library { group, name }.into())));
        harness.run_ok();
        assert!((place(&harness) - before).abs() < 1.0, "{before} has become {}", place(&harness));
    }
}

/// A value that is written as an expression is told inside its field.
#[test]
fn nothing_moves_when_a_number_becomes_an_expression() {
    let mut harness = window();
    show(&mut harness, super::gain_chain());
    let selection = simulate::app::canvas::Selection { blocks: [BlockId(1)].into(), ..Default::default() };
    harness.state_mut().file.as_mut().expect("a file").canvas.select(selection);
    harness.run_ok();
    let places = |harness: &super::Window| {
        ["Gain", "Label", "Actions for Gain"].map(|label| {
            let found: Vec<_> = harness.query_all_by_label(label).map(|node| node.rect()).collect();
            assert!(!found.is_empty(), "{label} is there");
            found
        })
    };
    let before = places(&harness);
    for (text, shown) in [("3*4", "= 12"), ("[1 2 3]*1e5/3", "= 33333.3  66666.7  100000"), ("5", "")] {
        let option = simulate::model::Edit::SetOption {
            model: "Main".into(),
            id: BlockId(1),
            name: "Gain".into(),
            values: Some(vec![text.to_owned()]),
        };
        assert!(harness.state_mut().apply(&simulate::model::Change::one("Set the gain", option)));
        harness.run_ok();
        match shown {
            "" => assert!(harness.query_by_label_contains("= 33333").is_none()),
            shown => assert!(harness.query_by_label(shown).is_some(), "{text} {shown}"),
        }
        assert_eq!(places(&harness), before, "{text}");
    }
}

/// The gain and the sum of the inner model are a loop only by the wire of the model around it.
#[test]
fn a_wire_that_closes_a_loop_through_the_outer_model_stays_open() {
    let mut inner = Model::new("Inner");
    inner.add_block(Block::new(BlockId(0), BlockKind::entry("u")).at(0.0, 0.0));
    inner.add_block(Block::new(BlockId(1), BlockKind::library("Math", "Gain")).at(120.0, 0.0));
    inner.add_block(Block::new(BlockId(2), BlockKind::exit("y")).at(240.0, 0.0));
    inner.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Input"));
    let mut simulation = gain_chain();
    simulation.add_model(inner);
    let root = simulation.model_mut("Main").expect("the root");
    root.add_block(Block::new(BlockId(5), BlockKind::model("Inner")).at(120.0, 120.0));
    root.connect(Connection::new(BlockId(5), "y", BlockId(5), "u"));
    let mut harness = window();
    show(&mut harness, simulation);
    harness.state_mut().act(Action::View(ViewAction::OpenModel { model: "Inner".into(), block: None }));
    harness.run_ok();
    let connection = Box::new(Connection::new(BlockId(1), "Output", BlockId(2), "Input"));
    let wire = Edit::Connect { model: "Inner".into(), connection };
    assert!(!harness.state_mut().apply(&Change::one("Connect", wire)));
    harness.run_ok();
    let inner = |harness: &Window| harness.state().open().simulation().model("Inner").cloned().expect("the model");
    assert!(inner(&harness).source(BlockId(2), "Input").is_none());
    let open = inner(&harness).block(BlockId(1)).and_then(|gain| gain.view("view:loose").map(str::to_owned));
    assert!(open.as_ref().is_some_and(|open| open.ends_with(" 2 Input")), "{open:?}");
    harness.get_by_label("Insert a unit delay").click();
    harness.run_ok();
    let delay = inner(&harness).source(BlockId(2), "Input").map(|wire| wire.from).expect("the delay");
    assert!(inner(&harness).block(delay).is_some_and(|delay| delay.is_called("Unit Delay")));
    assert_eq!(inner(&harness).source(delay, "Input").map(|wire| wire.from), Some(BlockId(1)));
}

/// The name of a new subsystem is typed as soon as it is there, and names the model; one that is taken gets a number.
#[test]
fn a_new_subsystem_is_named_at_once() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    for (typed, name) in [("Plant", "Plant"), ("Main", "Main 2")] {
        select(&mut harness, &[1]);
        harness.state_mut().dispatch(Command::Diagram(DiagramCommand::Group));
        harness.run_ok();
        harness.event(eframe::egui::Event::Text(typed.to_owned()));
        harness.run_ok();
        harness.key_press(Key::Enter);
        harness.run_ok();
        let simulation = harness.state().open().simulation().clone();
        assert!(simulation.model(name).is_some_and(|model| model.blocks.len() == 3), "{name}");
        let undone = harness.state().open().document.undo_labels().take(2).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(undone, [format!("Rename Model to {name}"), "Create subsystem from a block".to_owned()]);
        harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
        harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
        harness.run_ok();
    }
    // An empty one from the palette.
    let kind = BlockKind::model("");
    harness.state_mut().act(Action::Edit(EditAction::AddBlock(kind.into())));
    harness.state_mut().open_mut().canvas.edit_value();
    harness.run_ok();
    harness.event(eframe::egui::Event::Text("Empty one".to_owned()));
    harness.run_ok();
    harness.key_press(Key::Enter);
    harness.run_ok();
    assert!(harness.state().open().simulation().model("Empty one").is_some());
}

#[test]
fn a_variable_in_use_is_removed_only_after_a_question() {
    let mut simulation = gain_chain();
    simulation.set_variable("k", Variable::new("2"));
    simulation.set_variable("free", Variable::new("1"));
    let root = simulation.model_mut("Main").expect("the root");
    root.block_mut(BlockId(1)).expect("the gain").set_option("Gain", Some(&["k*1"]));
    let mut harness = window();
    show(&mut harness, simulation);
    let names = |harness: &Window| {
        harness.state().open().simulation().variables.keys().map(ToString::to_string).collect::<Vec<_>>()
    };
    harness.get_by_label("About free").click();
    harness.run_ok();
    harness.get_by_label("Remove free").click();
    harness.run_ok();
    assert_eq!(names(&harness), ["k"]);
    harness.get_by_label("About k").click();
    harness.run_ok();
    harness.get_by_label("Remove k").click();
    harness.run_ok();
    harness.get_by_label("k is used in 1 block in Main");
    harness.get_by_label("Keep").click();
    harness.run_ok();
    assert_eq!(names(&harness), ["k"]);
    harness.get_by_label("About k").click();
    harness.run_ok();
    harness.get_by_label("Remove k").click();
    harness.run_ok();
    harness.get_by_label("Remove k anyway").click();
    harness.run_ok();
    assert!(names(&harness).is_empty());
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    assert_eq!(names(&harness), ["k"]);
}
