//! The panels around the diagram: help, find, history, tabs, palette, inspector, shortcuts.

use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use simulate::app::action::command::{Command, EditCommand, HelpCommand, Panel, RunCommand, ViewCommand};
use simulate::app::action::{EditAction, FileAction, ViewAction};
use simulate::app::canvas::Selection;
use simulate::app::{Action, App, Settings, Side};
use simulate::model::{Block, BlockId, BlockKind, Change, Connection, Edit, Model, Simulation};

use super::{Opened as _, Window, gain_chain, gain_of, settle, show, until, window, window_with};

pub fn select(harness: &mut Window, ids: &[u64]) {
    if let Some(file) = &mut harness.state_mut().file {
        let blocks = ids.iter().map(|id| BlockId((*id).into())).collect();
        file.canvas.select(Selection { blocks, ..Selection::default() });
    }
    harness.run_ok();
}

/// Waits until the threads have searched the document.
pub fn searched(harness: &mut Window) {
    let is_busy = |app: &App| app.open().search.is_busy() || app.open().advice.is_busy();
    until(harness, "the search", |app| !is_busy(app));
    harness.run_ok();
}

pub fn type_into(harness: &mut Window, label: &str, text: &str) {
    harness.get_by_role_and_label(Role::TextInput, label).focus();
    harness.run_ok();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.run_ok();
    harness.event(Event::Text(text.to_owned()));
    harness.run_ok();
}

fn set_gain(harness: &mut Window, gain: &str) {
    let values = Some(vec![gain.to_owned()]);
    let edit = Edit::SetOption { model: "Main".into(), id: BlockId(1), name: "Gain".into(), values };
    harness.state_mut().act(Action::Apply(Change::one(format!("Set Gain to {gain}"), edit)));
    harness.run_ok();
}

fn selected(app: &App) -> Option<BlockId> {
    app.file.as_ref().and_then(|file| file.canvas.selection().single_block())
}

pub fn simulation_of(app: &App) -> &Simulation {
    app.file.as_ref().expect("a file is open").simulation()
}

/// A root that uses `Inner` twice.
pub fn nested() -> Simulation {
    let mut simulation = Simulation::new("Main");
    simulation.steps = 10;
    let mut inner = Model::new("Inner");
    inner.add_block(Block::new(BlockId(0), BlockKind::entry("In")).at(0.0, 0.0));
    inner.add_block(
        Block::new(BlockId(1), BlockKind::library("Math", "Gain")).with_option("Gain", &["42"]).at(120.0, 0.0),
    );
    inner.add_block(Block::new(BlockId(2), BlockKind::exit("Out")).at(240.0, 0.0));
    inner.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Input"));
    inner.connect(Connection::new(BlockId(1), "Output", BlockId(2), "Input"));
    simulation.add_model(inner);
    let root = simulation.model_mut("Main").expect("the root");
    root.add_block(Block::new(BlockId(0), BlockKind::model("Inner")).at(0.0, 0.0));
    root.add_block(Block::new(BlockId(1), BlockKind::model("Inner")).at(0.0, 120.0));
    simulation
}

#[test]
fn the_inspector_shows_an_id_only_beside_another_block_of_that_title() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    select(&mut harness, &[1]);
    assert!(harness.query_by_label("Gain #1").is_none());
    let twin = Box::new(Block::new(BlockId(9), BlockKind::library("Math", "Gain")).at(120.0, 90.0));
    let change = Change::one("Add Gain", Edit::AddBlock { model: "Main".into(), block: twin });
    assert!(harness.state_mut().apply(&change));
    harness.run_ok();
    harness.get_by_label("Gain #1");
}

#[test]
fn help_shows_the_selected_block_and_opens_its_example() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    select(&mut harness, &[1]);
    harness.key_press(Key::F1);
    harness.run_ok();
    assert!(harness.state().window.layout.is_shown(Panel::Help));
    harness.get_by_label("In other programs");
    harness.get_by_label_contains("Open example 1").click();
    harness.run_ok();
    let simulation = simulation_of(harness.state());
    let root = simulation.root_model().expect("a root");
    assert!(root.blocks.values().any(|block| block.kind == BlockKind::library("Math", "Gain")));
    assert_eq!(root.exits().count(), 1);
}

#[test]
fn help_is_searched_by_the_names_of_other_programs() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::Help(HelpCommand::Help));
    harness.run_ok();
    harness.event(Event::Text("saturation".to_owned()));
    harness.run_ok();
    harness.get_by_label("Help on Saturate").click();
    harness.run_ok();
    harness.get_by_label("More in Nonlinear");
}

#[test]
fn a_value_in_an_inner_model_is_found() {
    let mut harness = window();
    show(&mut harness, nested());
    harness.key_press_modifiers(Modifiers::COMMAND, Key::F);
    harness.run_ok();
    harness.event(Event::Text("gain 42".to_owned()));
    harness.run_ok();
    searched(&mut harness);
    harness.get_by_label("Found Gain #1, Gain = 42").click();
    harness.run_ok();
    assert_eq!(selected(harness.state()), Some(BlockId(1)));
    let path = harness.state().file.as_ref().map(|file| file.canvas.path().to_vec());
    assert_eq!(path, Some(vec![BlockId(0)]));
}

#[test]
fn history_goes_to_where_it_is_clicked() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    for gain in ["3", "4", "5"] {
        set_gain(&mut harness, gain);
    }
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::History)));
    harness.run_ok();
    harness.get_by_label("Go to: Set Gain to 3").click();
    harness.run_ok();
    assert_eq!(gain_of(harness.state()), ["3"]);
    harness.get_by_label("Go to: Set Gain to 5").click();
    harness.run_ok();
    assert_eq!(gain_of(harness.state()), ["5"]);
    harness.get_by_label("Go to: As opened").click();
    harness.run_ok();
    assert_eq!(gain_of(harness.state()), ["2"]);
    assert!(!harness.state().is_unsaved());
}

#[test]
fn tabs_are_opened_turned_and_closed() {
    let mut harness = window();
    show(&mut harness, nested());
    select(&mut harness, &[1]);
    harness.state_mut().dispatch(Command::View(ViewCommand::OpenInTab));
    harness.run_ok();
    let path = |harness: &Window| harness.state().file.as_ref().map(|file| file.canvas.path().to_vec());
    assert_eq!(path(&harness), Some(vec![BlockId(1)]));
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Tab);
    harness.run_ok();
    assert_eq!(path(&harness), Some(Vec::new()));
    harness.get_by_label("Tab Inner #1").click();
    harness.run_ok();
    assert_eq!(path(&harness), Some(vec![BlockId(1)]));
    harness.get_by_label("Close tab Inner #1").click();
    harness.run_ok();
    assert_eq!(path(&harness), Some(Vec::new()));
    assert!(harness.query_by_label("Tab Main").is_none(), "one tab needs no row");
}

#[test]
fn the_use_whose_values_are_shown_is_chosen() {
    let mut harness = window();
    show(&mut harness, nested());
    harness.state_mut().act(Action::View(ViewAction::GoTo { path: vec![BlockId(0)], block: None }));
    harness.run_ok();
    harness.get_by_label("Instance of this model").click();
    harness.run_ok();
    harness.get_by_role_and_label(Role::Button, "Inner #1").click();
    harness.run_ok();
    let path = harness.state().file.as_ref().map(|file| file.canvas.path().to_vec());
    assert_eq!(path, Some(vec![BlockId(1)]));
}

#[test]
fn two_models_stand_side_by_side() {
    let mut harness = window();
    show(&mut harness, nested());
    harness.state_mut().dispatch(Command::View(ViewCommand::SplitView));
    harness.run_ok();
    let rect = harness.state().window.layout.canvas_rect.expect("the diagram was drawn");
    harness.state_mut().act(Action::View(ViewAction::GoTo { path: vec![BlockId(0)], block: None }));
    harness.run_ok();
    let right = rect.right_center() - eframe::egui::vec2(20.0, 0.0);
    harness.hover_at(right);
    harness.drag_at(right);
    harness.drop_at(right);
    harness.run_ok();
    let file = harness.state().file.as_ref().expect("a file");
    assert!(file.side == Side::Right && file.canvas.path().is_empty(), "the right one still shows the root");
    assert_eq!(file.other.as_ref().map(|other| other.path().to_vec()), Some(vec![BlockId(0)]));
    harness.state_mut().dispatch(Command::View(ViewCommand::SplitView));
    harness.run_ok();
    assert!(harness.state().file.as_ref().is_some_and(|file| file.other.is_none()));
}

#[test]
fn favourites_stand_first_and_go_again() {
    let settings = Settings { favourites: vec!["Math/Gain".to_owned()], ..Settings::default() };
    let mut harness = window_with(settings);
    show(&mut harness, gain_chain());
    harness.get_by_label("Group Favourites");
    harness.state_mut().act(Action::Edit(EditAction::Favourite("Math/Gain".to_owned())));
    harness.run_ok();
    assert!(harness.query_by_label("Group Favourites").is_none());
    harness.state_mut().act(Action::Edit(EditAction::AddBlock(BlockKind::library("Math", "Sign").into())));
    harness.run_ok();
    harness.get_by_label("Group Recently used");
    assert_eq!(harness.state().settings.used, ["Math/Sign"]);
}

#[test]
fn what_two_kinds_of_blocks_share_is_set_in_one_change() {
    let mut harness = window();
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the root");
    let delay = |id, kind: &str| Block::new(BlockId(id), BlockKind::library("Discrete", kind)).at(0.0, 100.0);
    model.add_block(delay(10, "Unit Delay").with_option("Sample Time", &["0.5"]));
    model.add_block(delay(11, "Zero-Order Hold").with_option("Sample Time", &["0.2"]));
    show(&mut harness, simulation);
    select(&mut harness, &[10, 11]);
    harness.get_by_label("Parameters that all selected blocks have");
    type_into(&mut harness, "Sample Time", "0.4");
    harness.key_press(Key::Enter);
    harness.run_ok();
    let root = simulation_of(harness.state()).root_model().expect("a root");
    for id in [10, 11] {
        let block = root.block(BlockId(id)).expect("the block");
        assert_eq!(block.option_texts("Sample Time"), Some(vec!["0.4"]));
    }
}

#[test]
fn an_input_is_added_in_the_inspector() {
    let mut harness = window();
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the root");
    model.add_block(Block::new(BlockId(10), BlockKind::library("Math", "Sum")).at(0.0, 100.0));
    show(&mut harness, simulation);
    select(&mut harness, &[10]);
    harness.get_by_label("Add input").click();
    harness.run_ok();
    let root = simulation_of(harness.state()).root_model().expect("a root");
    assert_eq!(root.block(BlockId(10)).and_then(|block| block.option_texts("Signs")), Some(vec!["+++"]));
    harness.get_by_label("Remove input").click();
    harness.run_ok();
    let root = simulation_of(harness.state()).root_model().expect("a root");
    assert_eq!(root.block(BlockId(10)).and_then(|block| block.option_texts("Signs")), Some(vec!["++"]));
}

/// Rows that are scrolled away take their space and nothing else.
#[test]
fn only_the_visible_rows_of_many_models_are_drawn() {
    let mut simulation = gain_chain();
    for number in 0..3000 {
        simulation.add_model(Model::new(&format!("Part {number}")));
    }
    let mut harness = window();
    show(&mut harness, simulation);
    harness.state_mut().window.layout.show(Panel::Models);
    harness.run_ok();
    let rows = harness.query_all_by_label_contains("Model Part ").count();
    assert!((1..100).contains(&rows), "{rows} rows");
    harness.get_by_label("3001 models");
    harness.get_by_label("Add model").click();
    harness.run_ok();
    // The new one is far below, and its name is edited at once.
    assert!(harness.get_by_label("Model name").is_focused());
}

#[test]
fn a_table_is_pasted_from_a_spreadsheet() {
    let mut harness = window();
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the root");
    let table = Block::new(BlockId(10), BlockKind::library("Lookup", "1-D Lookup Table")).at(0.0, 100.0);
    model.add_block(table.with_option("Breakpoints", &["0", "1"]).with_option("Table", &["5", "6"]));
    show(&mut harness, simulation);
    select(&mut harness, &[10]);
    harness.get_by_label("Edit as table…").click();
    harness.run_ok();
    harness.event(Event::Paste("0\t0\n10\t100\n20\t400\n".to_owned()));
    harness.run_ok();
    harness.get_by_label("Apply").click();
    harness.run_ok();
    let root = simulation_of(harness.state()).root_model().expect("a root");
    let block = root.block(BlockId(10)).expect("the table");
    assert_eq!(block.option_texts("Breakpoints"), Some(vec!["0", "10", "20"]));
    assert_eq!(block.option_texts("Table"), Some(vec!["0", "100", "400"]));
    assert!(!harness.state().has_dialog());
}

#[test]
fn the_role_of_an_entry_is_chosen() {
    let mut harness = window();
    show(&mut harness, nested());
    harness.state_mut().act(Action::View(ViewAction::GoTo { path: vec![BlockId(0)], block: Some(BlockId(0)) }));
    harness.run_ok();
    harness.get_by_role_and_label(Role::ComboBox, "Role").click();
    harness.run_ok();
    harness.get_by_label("Trigger").click();
    harness.run_ok();
    let inner = simulation_of(harness.state()).model("Inner").expect("the model");
    assert_eq!(inner.block(BlockId(0)).and_then(|block| block.attributes.get("role")), Some("trigger"));
    harness.get_by_role_and_label(Role::ComboBox, "Edge");
}

#[test]
fn tolerances_are_set_for_a_solver_that_has_them() {
    let mut harness = window();
    let mut simulation = gain_chain();
    simulation.attributes.set("solver", "dopri45");
    show(&mut harness, simulation);
    type_into(&mut harness, "Tolerance", "2");
    harness.get_by_label("A number above 0, at most 1");
    type_into(&mut harness, "Tolerance", "1e-6");
    harness.key_press(Key::Enter);
    harness.run_ok();
    assert_eq!(simulation_of(harness.state()).attributes.get("rtol"), Some("1e-6"));
}

#[test]
fn a_formula_shows_the_place_of_its_mistake() {
    let mut harness = window();
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the root");
    model.add_block(Block::new(BlockId(10), BlockKind::library("User", "Formula")).at(0.0, 100.0));
    show(&mut harness, simulation);
    select(&mut harness, &[10]);
    let below = |harness: &Window| harness.get_by_role_and_label(Role::TextInput, "Inputs").rect();
    let before = below(&harness);
    harness.get_by_role_and_label(Role::MultilineTextInput, "Formula").focus();
    harness.run_ok();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.event(Event::Text("a = u\ny = a + * 2".to_owned()));
    harness.run_ok();
    harness.get_by_label_contains("Line 2, character 9");
    assert_eq!(below(&harness), before, "nothing moves");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.event(Event::Text("_a = u\ny = _a * 2".to_owned()));
    harness.run_ok();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    harness.run_ok();
    let root = simulation_of(harness.state()).root_model().expect("a root");
    let texts = root.block(BlockId(10)).and_then(|block| block.option_texts("Formula"));
    assert_eq!(texts, Some(vec!["_a = u\ny = _a * 2"]));
}

#[test]
fn a_shortcut_is_recorded_and_a_collision_is_told() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::Help(HelpCommand::Shortcuts));
    harness.run_ok();
    harness.get_by_label("Shortcut of New: Ctrl+N").click();
    harness.run_ok();
    harness.get_by_label("Press the keys for “New”; Escape cancels");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::O);
    harness.run_ok();
    harness.get_by_label("Ctrl+O is the shortcut of “Open”");
    harness.get_by_label("Keep it").click();
    harness.run_ok();
    harness.get_by_label("Shortcut of New: Ctrl+N").click();
    harness.run_ok();
    harness.key_press_modifiers(Modifiers::ALT, Key::Q);
    harness.run_ok();
    harness.get_by_label("Shortcut of New: Alt+Q");
    harness.key_press(Key::Escape);
    harness.run_ok();
    harness.key_press_modifiers(Modifiers::ALT, Key::Q);
    harness.run_ok();
    assert_eq!(harness.state().file.as_ref().map(|file| file.name.clone()).as_deref(), Some("Untitled"));
}

#[test]
fn a_model_of_the_users_library_comes_into_another_file() {
    let home = tempfile::tempdir().expect("a folder");
    let settings = Settings { home: Some(home.path().to_owned()), ..Settings::default() };
    let mut harness = window_with(settings.clone());
    show(&mut harness, nested());
    harness.state_mut().act(Action::File(FileAction::KeepModel("Inner".into())));
    settle(&mut harness);
    assert!(home.path().join("libraries/Inner.simx").exists());
    harness.get_by_label("Group My library: Inner");
    drop(harness);

    let mut harness = window_with(settings);
    settle(&mut harness);
    show(&mut harness, gain_chain());
    harness.get_by_label("Group My library: Inner");
    insert(&mut harness, "Inner", "Inner");
    let simulation = simulation_of(harness.state());
    assert_eq!(simulation.model("Inner").map(|inner| (inner.blocks.len(), inner.connections.len())), Some((3, 2)));
    assert_eq!(simulation.instances_of("Inner").count(), 1);
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
    assert!(simulation_of(harness.state()).model("Inner").is_none(), "one step back");
}

/// Inserts a model from a file of the user's library, by its row in the palette.
fn insert(harness: &mut Window, model: &str, file: &str) {
    harness.get_by_label(&format!("{model} ({file})")).focus();
    harness.run_ok();
    harness.key_press(Key::Enter);
    harness.run_ok();
}

/// Two files of the library and the document have a model of one name each.
#[test]
fn a_model_of_the_library_is_the_one_in_the_palette() {
    let home = tempfile::tempdir().expect("a folder");
    let libraries = home.path().join("libraries");
    let plant = |gain: &str| {
        let mut plant = Model::new("Plant");
        let block = Block::new(BlockId(0), BlockKind::library("Math", "Gain")).with_option("Gain", &[gain]);
        plant.add_block(block);
        let mut simulation = simulate::model::Simulation::default();
        simulation.root = "Plant".into();
        simulation.add_model(plant);
        simulation
    };
    std::fs::create_dir(&libraries).expect("a folder");
    for (file, gain) in [("first", "1"), ("second", "2")] {
        let path = libraries.join(format!("{file}.simx"));
        simulate::format::Formats::standard().save(&path, &plant(gain)).expect("it is written");
    }
    let mut harness = window_with(Settings { home: Some(home.path().to_owned()), ..Settings::default() });
    settle(&mut harness);
    let mut simulation = gain_chain();
    let own = plant("3").model("Plant").expect("the model").clone();
    simulation.add_model(Model::clone(&own));
    show(&mut harness, simulation);
    insert(&mut harness, "Plant", "second");
    insert(&mut harness, "Plant", "first");
    insert(&mut harness, "Plant", "second");
    let simulation = simulation_of(harness.state());
    let gain = |name: &str| {
        let block = simulation.model(name).and_then(|model| model.block(BlockId(0))).expect("the gain");
        block.option_texts("Gain").expect("a value").join(" ")
    };
    assert_eq!(["Plant", "Plant 2", "Plant 3"].map(gain), ["3", "2", "1"], "own, second, first");
    let uses = ["Plant", "Plant 2", "Plant 3"].map(|name| simulation.instances_of(name).count());
    assert_eq!(uses, [0, 2, 1]);
}

#[test]
fn a_variable_has_a_unit_that_its_uses_show() {
    let mut harness = window();
    let mut simulation = nested();
    let inner = simulation.model_mut("Inner").expect("the model");
    inner.set_variable("mass", simulate::model::Variable::new("5"));
    show(&mut harness, simulation);
    harness.state_mut().act(Action::View(ViewAction::GoTo { path: vec![BlockId(0)], block: None }));
    harness.run_ok();
    harness.get_by_label("About mass").click();
    harness.run_ok();
    type_into(&mut harness, "Unit of mass", "kg");
    harness.key_press(Key::Enter);
    harness.run_ok();
    let inner = simulation_of(harness.state()).model("Inner").expect("the model");
    assert_eq!(inner.variables.get("mass").map(|mass| mass.unit()), Some("kg"));
    harness.state_mut().act(Action::View(ViewAction::GoTo { path: Vec::new(), block: Some(BlockId(1)) }));
    harness.run_ok();
    harness.get_by_label("kg");
    type_into(&mut harness, "mass", "7");
    harness.key_press(Key::Enter);
    harness.run_ok();
    let root = simulation_of(harness.state()).root_model().expect("a root");
    assert_eq!(root.block(BlockId(1)).and_then(|block| block.option_texts("mass")), Some(vec!["7"]));
}

#[test]
fn what_is_no_diagram_is_not_pasted() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    select(&mut harness, &[1]);
    harness.state_mut().dispatch(Command::Edit(EditCommand::Copy));
    harness.event(Event::Paste("a shopping list".to_owned()));
    harness.run_ok();
    assert!(!harness.state().is_unsaved());
    let message = harness.state().window.message.as_ref().map(|message| (message.text.clone(), message.is_problem));
    assert!(message.is_some_and(|(text, is_problem)| is_problem && text.contains("a shopping list")));
}

#[test]
fn the_command_that_was_chosen_last_stands_first() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::Help(HelpCommand::CommandPalette));
    harness.run_ok();
    harness.event(Event::Text("select all".to_owned()));
    harness.run_ok();
    harness.key_press(Key::Enter);
    harness.run_ok();
    assert_eq!(harness.state().settings.commands, ["select-all"]);
    select(&mut harness, &[]);
    harness.state_mut().dispatch(Command::Help(HelpCommand::CommandPalette));
    harness.run_ok();
    harness.key_press(Key::Enter);
    harness.run_ok();
    let count = harness.state().file.as_ref().map(|file| file.canvas.selection().blocks.len());
    assert_eq!(count, Some(3));
}

/// What a run has to say takes no room: fields stay where they are.
#[test]
fn nothing_moves_when_a_run_begins() {
    let mut simulation = super::gain_chain();
    simulation.steps = 0;
    let model = simulation.model_mut("Main").expect("the model");
    model.add_block(
        simulate::model::Block::new(BlockId(7), BlockKind::library("Discrete", "Unit Delay")).at(0.0, 200.0),
    );
    model.connect(simulate::model::Connection::new(BlockId(1), "Output", BlockId(7), "Input"));
    let mut harness = window();
    show(&mut harness, simulation);
    let selection = simulate::app::canvas::Selection { blocks: [BlockId(7)].into(), ..Default::default() };
    harness.state_mut().file.as_mut().expect("a file").canvas.select(selection);
    harness.run_ok();
    let labels = ["Initial Value", "Sample Time", "Actions for Initial Value", "Block Unit Delay #7", "Block Gain #1"];
    let places = |harness: &super::Window| {
        labels.map(|label| {
            let found: Vec<_> = harness.query_all_by_label(label).map(|node| node.rect()).collect();
            assert!(!found.is_empty(), "{label} is there");
            found
        })
    };
    let before = places(&harness);
    harness
        .state_mut()
        .dispatch(simulate::app::action::command::Command::Run(simulate::app::action::command::RunCommand::Run));
    super::until(&mut harness, "a step", |app| app.open().run.last_step().is_some());
    // What acts only in the next run says so, and the values of the step are shown.
    for _ in 0..3 {
        harness.step();
    }
    assert!(harness.query_all_by_label_contains("Takes effect on the next run").next().is_some(), "it is said");
    assert_eq!(places(&harness), before, "while it runs");
    harness
        .state_mut()
        .dispatch(simulate::app::action::command::Command::Run(simulate::app::action::command::RunCommand::Stop));
    super::until(&mut harness, "the end", |app| !app.open().run.is_active());
    harness.run_ok();
    assert_eq!(places(&harness), before, "and when it has ended");
}

#[test]
fn the_first_window_is_the_welcome_page_and_help_leads_to_the_examples() {
    let mut harness = window();
    assert!(harness.state().file.is_none(), "nothing is open");
    harness.get_by_label("Examples");
    show(&mut harness, super::gain_chain());
    // The menu, not the panel.
    let menus = harness.get_all_by_role_and_label(Role::Button, "Help");
    menus.min_by(|a, b| a.rect().top().total_cmp(&b.rect().top())).expect("a menu").click();
    harness.run_ok();
    harness.get_by_label_contains("Open example").click();
    harness.run_ok();
    harness.get_by_label("Control").click();
    harness.run_ok();
    harness.get_by_label("Speed of a DC motor").click();
    harness.run_ok();
    assert_eq!(harness.state().file.as_ref().map(|file| &*file.name), Some("Speed of a DC motor"));
}

/// In the smallest window every button of the bars has its place.
#[test]
fn no_buttons_overlap_in_the_smallest_window() {
    use simulate::app::store::speed::SpeedChoice;
    let mut harness = window();
    show(&mut harness, super::gain_chain());
    for (speed, runs) in
        [(SpeedChoice::Fastest, false), (SpeedChoice::Fastest, true), (SpeedChoice::RealTime(0.5), false)]
    {
        harness.state_mut().settings.speed = speed;
        if runs {
            harness.state_mut().dispatch(Command::Run(RunCommand::Run));
            super::until(&mut harness, "the end", |app| {
                !app.open().run.is_active() && app.open().run.last_step().is_some()
            });
        }
        for (width, height) in [(720.0, 480.0), (800.0, 480.0), (1000.0, 600.0), (1280.0, 836.0)] {
            harness.set_size(eframe::egui::vec2(width, height));
            harness.run_ok();
            let roles = [Role::Button, Role::ComboBox, Role::TextInput, Role::SpinButton, Role::Slider];
            let mut found: Vec<(String, eframe::egui::Rect)> = Vec::new();
            for role in roles {
                for node in harness.query_all_by_role(role) {
                    let (rect, label) = (node.rect(), format!("{:?}", node.accesskit_node().label()));
                    let is_above = rect.top() >= 28.0 && rect.bottom() <= 72.0;
                    if is_above {
                        found.push((label, rect));
                    }
                }
            }
            assert!(found.len() >= 12, "{found:?}");
            for (number, (label, rect)) in found.iter().enumerate() {
                let window =
                    eframe::egui::Rect::from_min_size(eframe::egui::Pos2::ZERO, eframe::egui::vec2(width, height));
                assert!(window.contains_rect(*rect), "{label} is out of the window at {width}: {rect}");
                for (other, of_other) in found.iter().skip(number + 1) {
                    let common = rect.shrink(0.5).intersect(of_other.shrink(0.5));
                    assert!(!common.is_positive(), "{label} {rect} lies on {other} {of_other} at {width}, {speed:?}");
                }
            }
        }
    }
}

/// In a window of 1280 points, as on a small laptop.
#[test]
fn the_settings_of_the_simulation_fit_the_inspector() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.run_ok();
    let field = harness.get_by_role_and_label(Role::TextInput, "Steps").rect();
    let check = harness.get_by_label_contains("Pause").rect();
    assert!((field.left() - check.left()).abs() < 2.0, "{field:?} and {check:?} are in one column");
    assert!(check.right() <= field.right(), "{check:?} ends behind {field:?}");
}

#[test]
fn the_welcome_page_leads_to_the_first_chapter_and_chapters_to_one_another() {
    let mut harness = window();
    harness.get_by_label("Your first model").click();
    harness.run_ok();
    assert!(harness.state().window.layout.is_shown(Panel::Help));
    let blocks = simulation_of(harness.state()).root_model().expect("a root").blocks.len();
    assert_eq!(blocks, 0, "its steps begin with an empty simulation");
    harness.get_by_label("Draw it");
    // The chapter stays while blocks are selected in the diagram.
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::Help(HelpCommand::Manual));
    harness.run_ok();
    harness.get_by_label("Your first model").click();
    harness.run_ok();
    select(&mut harness, &[1]);
    harness.get_by_label("Draw it");
    let next = harness.get_all_by_label("Steps, entries and exits").last().expect("a link");
    // It is further down than the panel shows.
    next.click_accesskit();
    harness.run_ok();
    harness.get_by_label("What happens in a step");
}

#[test]
fn the_manual_is_searched_with_the_blocks() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::Help(HelpCommand::Help));
    harness.run_ok();
    harness.event(Event::Text("stiff tiny".to_owned()));
    harness.run_ok();
    harness.get_by_label("Rates and solvers").click();
    harness.run_ok();
    harness.get_by_label("Crossings");
}

#[test]
fn licences_of_all_libraries_can_be_read() {
    let mut harness = window();
    harness.state_mut().dispatch(Command::Help(HelpCommand::Licences));
    harness.run_ok();
    harness.event(Event::Text("serde_json".to_owned()));
    harness.run_ok();
    harness.get_by_label_contains("serde_json 1").click();
    harness.run_ok();
    harness.get_by_label("MIT OR Apache-2.0");
    harness.get_by_label_contains("Permission is hereby granted");
}
