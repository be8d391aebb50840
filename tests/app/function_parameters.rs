//! The parameters of a Function as rows of the inspector, and the hint of arguments in its editor.

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use simulate::app::App;
use simulate::app::action::Action;
use simulate::app::action::command::{Command, EditCommand};
use simulate::app::store::run::RunState;
use simulate::model::{Block, BlockId, BlockKind, Change, Connection, Edit, Model, SignalKey, Simulation};

use super::code_editor::{CODE, code_of, editor, with_code};
use super::panels::{select, type_into};
use super::{Opened as _, Window, show, until, window};

fn option(harness: &Window, name: &str) -> Option<String> {
    let model = harness.state().open().simulation().model("Main").cloned().expect("the model");
    model.block(BlockId(1))?.option_texts(name).map(|texts| texts.join("|"))
}

fn is_connected(harness: &Window, input: &str) -> bool {
    let model = harness.state().open().simulation().model("Main").cloned().expect("the model");
    model.source(BlockId(1), input).is_some()
}

fn set_field(harness: &mut Window, label: &str, text: &str) {
    type_into(harness, label, text);
    harness.key_press(Key::Enter);
    harness.run_ok();
}

fn undo(harness: &mut Window) {
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
}

fn opened(simulation: Simulation) -> Window {
    let mut harness = window();
    show(&mut harness, simulation);
    select(&mut harness, &[1]);
    harness
}

#[test]
fn a_value_makes_a_parameter_of_an_input_and_back() {
    let mut harness = opened(with_code("function y = f(u, limit, gain)\n  y = gain * min(u, limit);\nend"));
    assert!(harness.query_by_role_and_label(Role::TextInput, "Parameters").is_none(), "its lines are rows");
    set_field(&mut harness, "gain", "3");
    assert_eq!(option(&harness, "gain").as_deref(), Some("3"));
    set_field(&mut harness, "gain", "1 2");
    assert_eq!(option(&harness, "gain").as_deref(), Some("1|2"));
    // A line of the one option is a row too, and an option takes its place.
    set_field(&mut harness, "limit", "5");
    assert_eq!(option(&harness, "limit").as_deref(), Some("5"));
    harness.get_by_label("Actions for limit").click_accesskit();
    harness.run_ok();
    harness.get_by_label("Reset limit").click_accesskit();
    harness.run_ok();
    assert_eq!((option(&harness, "limit"), option(&harness, "Parameters")), (None, None), "it is an input");
    undo(&mut harness);
    assert_eq!(option(&harness, "limit").as_deref(), Some("5"), "in one step");
    // The wire of an input goes with it.
    assert!(is_connected(&harness, "u"));
    set_field(&mut harness, "u", "1");
    assert!(!is_connected(&harness, "u"));
    undo(&mut harness);
    assert!(is_connected(&harness, "u"));
    assert_eq!(option(&harness, "u"), None);
}

#[test]
fn a_value_that_is_none_is_kept_and_said() {
    let mut harness = opened(with_code("function y = f(u, limit, gain)\n  y = gain * min(u, limit);\nend"));
    set_field(&mut harness, "gain", "3 +");
    assert_eq!(option(&harness, "gain").as_deref(), Some("3 +"));
    set_field(&mut harness, "gain", "");
    assert_eq!(option(&harness, "gain").as_deref(), Some("3 +"), "an empty text is no value");
}

fn retype(harness: &mut Window, text: &str) {
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.run_ok();
    for letter in text.chars() {
        match letter {
            '\n' => harness.key_press(Key::Enter),
            letter => harness.event(eframe::egui::Event::Text(letter.to_string())),
        }
        harness.run_ok();
    }
}

#[test]
fn a_renamed_argument_keeps_its_value_and_its_wire() {
    let mut harness = editor("function y = f(u, limit)\n  y = min(u, limit);\nend");
    retype(&mut harness, "function y = f(v, most)\ny = min(v, most);\nend");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    harness.run_ok();
    assert_eq!(code_of(&harness), "function y = f(v, most)\n  y = min(v, most);\nend");
    assert_eq!(option(&harness, "most").as_deref(), Some("2"));
    assert_eq!(option(&harness, "Parameters"), None);
    assert!(is_connected(&harness, "v"));
    undo(&mut harness);
    assert_eq!((option(&harness, "most"), option(&harness, "Parameters").as_deref()), (None, Some("limit = 2")));
    assert!(is_connected(&harness, "u"));
}

#[test]
fn the_value_of_an_argument_that_goes_comes_back_with_it() {
    let code = "function y = f(u, limit, gain)\n  y = gain * min(u, limit);\nend";
    let mut simulation = with_code(code);
    let block = simulation.model_mut("Main").and_then(|main| main.block_mut(BlockId(1))).expect("the block");
    block.set_option("gain", Some(&["4"]));
    let mut harness = opened(simulation);
    let set_code = |harness: &mut Window, code: &str| {
        let edit = Edit::SetOption {
            model: "Main".into(),
            id: BlockId(1),
            name: "Code".into(),
            values: Some(vec![code.to_owned()]),
        };
        harness.state_mut().act(Action::Apply(Change::one("Set code", edit)));
        harness.run_ok();
    };
    set_code(&mut harness, "function y = f(u, limit)\n  y = min(u, limit);\nend");
    assert!(harness.query_by_role_and_label(Role::TextInput, "gain").is_none());
    assert_eq!(option(&harness, "gain").as_deref(), Some("4"));
    set_code(&mut harness, code);
    assert!(harness.query_by_role_and_label(Role::TextInput, "gain").is_some());
}

/// A function that adds a parameter to its sum in each step.
fn counter() -> Simulation {
    let mut model = Model::new("Main");
    let code =
        "function y = f(step)\n  persistent x\n  if isempty(x)\n    x = 0;\n  end\n  x = x + step;\n  y = x;\nend";
    let function = Block::new(BlockId(1), BlockKind::library("User", "Function"));
    model.add_block(function.with_option("Code", &[code]).with_option("step", &["1"]).at(120.0, 0.0));
    model.add_block(Block::new(BlockId(2), BlockKind::exit("Result")).at(240.0, 0.0));
    model.connect(Connection::new(BlockId(1), "y", BlockId(2), "Input"));
    let mut simulation = Simulation::default();
    (simulation.steps, simulation.delta, simulation.root) = (1000, 1.0, "Main".into());
    simulation.add_model(model);
    simulation
}

#[test]
fn a_parameter_changes_while_it_runs() {
    let mut harness = opened(counter());
    let is_at = |app: &App, step: u64| app.open().run.state == RunState::Paused && app.open().run.progress.step == step;
    harness.state_mut().go_to_step(9);
    until(&mut harness, "ten steps", |app| is_at(app, 10));
    set_field(&mut harness, "step", "10");
    let changes = |app: &App| app.open().run.runs().current().map_or(0, |run| run.changes.len());
    until(&mut harness, "the change", |app| changes(app) == 1);
    assert!(!harness.state().open().run.is_stale, "it is the same run");
    harness.state_mut().go_to_step(19);
    until(&mut harness, "twenty steps", |app| is_at(app, 20));
    // Ten steps of 1, and ten of 10.
    let value = |app: &App| app.open().run.value(&SignalKey::new(&[], BlockId(1), "y"));
    until(&mut harness, "the sum", |app| value(app) == Some(vec![110.0]));
}

fn hint(harness: &Window, label: &str) -> bool {
    harness.query_by_label(label).is_some()
}

#[test]
fn the_arguments_of_a_call_are_shown_while_it_is_typed() {
    let mut harness = editor("y = u;");
    retype(&mut harness, "y = atan2(");
    assert!(hint(&harness, "atan2(y, x), at y"));
    retype(&mut harness, "y = atan2(u, ");
    assert!(hint(&harness, "atan2(y, x), at x"));
    harness.key_press(Key::Escape);
    harness.run_ok();
    assert!(!hint(&harness, "atan2(y, x), at x"), "Escape hides it");
    assert!(harness.query_by_label(CODE).is_some(), "and leaves the editor open");
    // The inner call has a hint of its own.
    for letter in "sin(".chars() {
        harness.event(eframe::egui::Event::Text(letter.to_string()));
        harness.run_ok();
    }
    assert!(hint(&harness, "sin(x), at x"));
    harness.event(eframe::egui::Event::Text(")".to_owned()));
    harness.run_ok();
    assert!(!hint(&harness, "sin(x), at x"));
    harness.event(eframe::egui::Event::Text(")".to_owned()));
    harness.run_ok();
    assert!(!hint(&harness, "atan2(y, x), at x"));
}

/// Neither the hint nor the list covers the line that is typed.
#[test]
fn the_hint_is_apart_from_the_line_and_the_list() {
    for lines in [0, 3, 12] {
        let mut harness = editor("y = u;");
        retype(&mut harness, &format!("{}y = max(u, cu", "x = 1;\n".repeat(lines)));
        let hint = harness.get_by_label("max(a, b, …), at b").rect();
        let row = harness.get_by_label("cumsum, function").rect();
        let text = harness.get_by_role_and_label(Role::MultilineTextInput, CODE).rect();
        let height = text.height() / (lines + 1).max(1) as f32;
        let line = text.top() + 4.0 + lines as f32 * 15.0;
        assert!(!hint.intersects(row), "{lines}: the list at {row:?} and the hint at {hint:?}");
        assert!(
            hint.bottom() <= line + 4.0 || hint.top() >= line + height.min(11.0),
            "{lines}: {hint:?} covers the line at {line}"
        );
    }
}
