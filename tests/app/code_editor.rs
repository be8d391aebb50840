//! The editor of code in the place of its block: typing, completion, what reaches the document.

use std::time::Duration;

use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, PointerButton};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use simulate::app::action::command::{Command, EditCommand, Panel, RunCommand, ViewCommand};
use simulate::app::store::run::RunState;
use simulate::model::{Block, BlockId, BlockKind, Connection, Model, Position, Simulation};

use super::panels::select;
use super::{Opened as _, Window, show, until, window};

pub const CODE: &str = "Code of Function #1";

const SATURATED: &str = "function y = f(u, limit)\n  if u > limit\n    y = limit;\n  else\n    y = u;\n  end\nend";

/// A clock, a function of it, and an exit.
pub fn with_code(code: &str) -> Simulation {
    let mut model = Model::new("Main");
    model.add_block(Block::new(BlockId(0), BlockKind::library("Var", "Clock")).at(0.0, 0.0));
    let function = Block::new(BlockId(1), BlockKind::library("User", "Function"));
    model.add_block(function.with_option("Code", &[code]).with_option("Parameters", &["limit = 2"]).at(120.0, 0.0));
    model.add_block(Block::new(BlockId(2), BlockKind::exit("Result")).at(240.0, 0.0));
    model.connect(Connection::new(BlockId(0), "Output", BlockId(1), "u"));
    model.connect(Connection::new(BlockId(1), "y", BlockId(2), "Input"));
    let mut simulation = Simulation::default();
    (simulation.steps, simulation.delta, simulation.root) = (10, 1.0, "Main".into());
    simulation.add_model(model);
    simulation
}

pub fn code_of(harness: &Window) -> String {
    let model = harness.state().open().simulation().model("Main").cloned().expect("the model");
    let block = model.block(BlockId(1)).expect("the block");
    block.option_texts("Code").unwrap_or_default().join("\n")
}

fn lines_with_breakpoints(harness: &Window) -> Option<String> {
    let model = harness.state().open().simulation().model("Main").cloned().expect("the model");
    model.block(BlockId(1)).and_then(|block| block.attributes.get("view:break").map(str::to_owned))
}

/// A window with an open editor.
pub fn editor(code: &str) -> Window {
    let mut harness = window();
    show(&mut harness, with_code(code));
    let at = harness.state().open().canvas.view.screen_of(Position { x: 150.0, y: 20.0 });
    // All events in one frame, so that the clicks are close in time.
    let button =
        |pressed| Event::PointerButton { pos: at, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE };
    let events = [Event::PointerMoved(at), button(true), button(false), button(true), button(false)];
    harness.input_mut().events.extend(events);
    harness.run_ok();
    assert!(harness.query_by_label(CODE).is_some(), "a double click opens the code");
    harness
}

fn press(harness: &mut Window, key: Key) {
    harness.key_press(key);
    harness.run_ok();
}

fn press_with(harness: &mut Window, modifiers: Modifiers, key: Key) {
    harness.key_press_modifiers(modifiers, key);
    harness.run_ok();
}

fn type_text(harness: &mut Window, text: &str) {
    for letter in text.chars() {
        match letter {
            '\n' => harness.key_press(Key::Enter),
            letter => harness.event(Event::Text(letter.to_string())),
        }
        harness.run_ok();
    }
}

/// Replaces all of the text.
fn retype(harness: &mut Window, text: &str) {
    press_with(harness, Modifiers::COMMAND, Key::A);
    type_text(harness, text);
}

fn apply(harness: &mut Window) {
    press_with(harness, Modifiers::COMMAND, Key::Enter);
}

#[test]
fn code_is_typed_with_indentation_and_applied_as_one_step() {
    let mut harness = editor("y = u;");
    let steps = harness.state().open().document.revision();
    retype(&mut harness, "function y = f(u)\nif u > 1\ny = 1;\nelse\ny = u;\nend\nend");
    assert_eq!(code_of(&harness), "y = u;", "nothing is applied while it is typed");
    apply(&mut harness);
    let want = "function y = f(u)\n  if u > 1\n    y = 1;\n  else\n    y = u;\n  end\nend";
    assert_eq!(code_of(&harness), want);
    assert!(harness.query_by_label(CODE).is_none(), "Ctrl+Enter closes it");
    assert_ne!(harness.state().open().document.revision(), steps);
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
    assert_eq!(code_of(&harness), "y = u;", "one step of the history");
}

#[test]
fn completion_never_stands_in_the_way_of_typing() {
    // Each letter is in the text, whatever the list shows.
    let mut harness = editor("y = u;");
    let typed = "si = sin(u);\nsum_1 = si + 1;\nfor k = 1:3\nend\nco = cos(sum_1);\ny = co;\n";
    retype(&mut harness, typed);
    apply(&mut harness);
    assert_eq!(code_of(&harness), "si = sin(u);\nsum_1 = si + 1;\nfor k = 1:3\nend\nco = cos(sum_1);\ny = co;\n");
}

#[test]
fn a_slow_frame_keeps_the_order_of_keys() {
    let mut harness = editor("y = u;");
    press_with(&mut harness, Modifiers::COMMAND, Key::A);
    let key = |key, modifiers| Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers };
    let mut events = Vec::new();
    for line in ["if u", "y = 1;", "end", "y = 2;"] {
        events.extend([Event::Text(line.to_owned()), key(Key::Enter, Modifiers::NONE)]);
    }
    events.push(key(Key::Enter, Modifiers::COMMAND));
    harness.input_mut().events.extend(events);
    harness.run_ok();
    assert_eq!(code_of(&harness), "if u\n  y = 1;\nend\ny = 2;\n");
}

#[test]
fn a_name_is_completed_by_keys() {
    let mut harness = editor(SATURATED);
    retype(&mut harness, "function y = f(u, limit)\ny = max(lim");
    assert!(harness.query_by_label("limit, parameter").is_some());
    press(&mut harness, Key::Tab);
    type_text(&mut harness, ", cum");
    for row in ["cumprod, function", "cumsum, function"] {
        assert!(harness.query_by_label(row).is_some(), "{row}");
    }
    assert!(harness.query_by_label("The products of the elements so far").is_some(), "a line of help");
    press(&mut harness, Key::ArrowDown);
    press(&mut harness, Key::Enter);
    type_text(&mut harness, "u));\nend");
    apply(&mut harness);
    assert_eq!(code_of(&harness), "function y = f(u, limit)\n  y = max(limit, cumsum(u));\nend");
}

#[test]
fn a_statement_comes_with_its_end() {
    let mut harness = editor("y = u;");
    retype(&mut harness, "y = 0;\nfo");
    press(&mut harness, Key::Tab);
    type_text(&mut harness, "3");
    press(&mut harness, Key::ArrowDown);
    type_text(&mut harness, "y = y + k;");
    apply(&mut harness);
    assert_eq!(code_of(&harness), "y = 0;\nfor k = 1:3\n  y = y + k;\nend");
}

#[test]
fn the_list_is_closed_by_escape_and_opened_by_control_space() {
    let mut harness = editor("y = u;");
    retype(&mut harness, "y = cums");
    assert!(harness.query_by_label("cumsum, function").is_some());
    press(&mut harness, Key::Escape);
    assert!(harness.query_by_label("cumsum, function").is_none(), "Escape closes the list");
    assert!(harness.query_by_label(CODE).is_some(), "and not the editor");
    press(&mut harness, Key::Enter);
    type_text(&mut harness, "x = ");
    press_with(&mut harness, Modifiers::CTRL | Modifiers::COMMAND, Key::Space);
    assert!(harness.query_by_label("y, variable").is_some(), "all that is known");
    press(&mut harness, Key::Escape);
    apply(&mut harness);
    assert_eq!(code_of(&harness), "y = cums\nx = ");
}

#[test]
fn escape_asks_before_it_discards() {
    let mut harness = editor("y = u;");
    press(&mut harness, Key::Escape);
    assert!(harness.query_by_label(CODE).is_none(), "without changes it closes");
    let mut harness = editor("y = u;");
    retype(&mut harness, "y = 2 * u;");
    press(&mut harness, Key::Escape);
    assert!(harness.query_by_label("Discard the changes?").is_some());
    harness.get_by_label("Keep editing").click();
    harness.run_ok();
    type_text(&mut harness, " ");
    press(&mut harness, Key::Escape);
    press(&mut harness, Key::Escape);
    assert!(harness.query_by_label(CODE).is_none(), "twice discards");
    assert_eq!(code_of(&harness), "y = u;");
}

#[test]
fn lines_are_indented_and_commented() {
    let mut harness = editor("y = u;\nz = 2;");
    press_with(&mut harness, Modifiers::COMMAND, Key::A);
    press_with(&mut harness, Modifiers::COMMAND, Key::Slash);
    press(&mut harness, Key::Tab);
    press(&mut harness, Key::Tab);
    press_with(&mut harness, Modifiers::SHIFT, Key::Tab);
    apply(&mut harness);
    assert_eq!(code_of(&harness), "  % y = u;\n  % z = 2;");
}

#[test]
fn undo_goes_on_in_the_document() {
    let mut harness = editor("y = u;");
    retype(&mut harness, "y = 3;");
    press_with(&mut harness, Modifiers::COMMAND, Key::Slash);
    press_with(&mut harness, Modifiers::COMMAND, Key::Z);
    apply(&mut harness);
    assert_eq!(code_of(&harness), "y = 3;", "the comment is undone within the text");
    let mut harness = editor("y = u;");
    select(&mut harness, &[0]);
    harness.state_mut().dispatch(Command::Edit(EditCommand::Delete));
    harness.run_ok();
    let count =
        |harness: &Window| harness.state().open().simulation().model("Main").map_or(0, |main| main.blocks.len());
    assert_eq!(count(&harness), 2);
    harness.get_by_role_and_label(Role::MultilineTextInput, CODE).focus();
    harness.run_ok();
    press_with(&mut harness, Modifiers::COMMAND, Key::Z);
    assert_eq!(count(&harness), 3, "the text has nothing to undo");
    press_with(&mut harness, Modifiers::COMMAND, Key::Y);
    assert_eq!(count(&harness), 2);
}

#[test]
fn code_that_is_typed_is_saved_and_run() {
    let mut harness = editor("y = u;");
    retype(&mut harness, "y = 7;");
    press(&mut harness, Key::F5);
    assert_eq!(code_of(&harness), "y = 7;", "a shortcut applies it first");
    assert!(harness.query_by_label(CODE).is_some(), "and it stays open");
}

#[test]
fn breakpoints_follow_their_lines() {
    let mut harness = editor(SATURATED);
    let lines = lines_with_breakpoints;
    // There is nothing to execute in the line of `else`.
    harness.get_by_label("Breakpoint at line 4").click();
    harness.run_ok();
    assert_eq!(lines(&harness).as_deref(), Some("5"));
    harness.get_by_role_and_label(Role::MultilineTextInput, CODE).focus();
    harness.run_ok();
    press_with(&mut harness, Modifiers::COMMAND, Key::Home);
    type_text(&mut harness, "% about\n");
    apply(&mut harness);
    assert_eq!(lines(&harness).as_deref(), Some("6"), "in one step with the code");
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
    assert_eq!((lines(&harness).as_deref(), code_of(&harness).as_str()), (Some("5"), SATURATED));
}

#[test]
fn a_larger_editor_and_the_button_that_closes_it() {
    let mut harness = editor("y = u;");
    let width = |harness: &Window| harness.get_by_role_and_label(Role::MultilineTextInput, CODE).rect().width();
    let small = width(&harness);
    harness.get_by_label("Larger").click();
    harness.run_ok();
    assert!(width(&harness) > small, "it fills the diagram");
    retype(&mut harness, "y = 5;");
    harness.get_by_label("Close the code").click();
    harness.run_ok();
    assert!(harness.query_by_label(CODE).is_none());
    assert_eq!(code_of(&harness), "y = 5;");
}

/// The texts behind the lines, by number.
fn values(harness: &Window) -> Vec<String> {
    let lines = (1..=12).filter_map(|line| {
        let start = format!("Line {line}: ");
        let node = harness.query_by_label_contains(&start)?;
        let node = node.accesskit_node();
        node.label().or_else(|| node.value())
    });
    lines.collect()
}

#[test]
fn each_line_shows_what_it_has_set_in_the_shown_step() {
    let mut harness = editor(SATURATED);
    assert_eq!(values(&harness), [""; 0], "there is no run yet");
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the run", |app| app.open().run.state == RunState::Finished);
    let shows = |harness: &mut Window, want: &[&str]| {
        for _ in 0..500 {
            if values(harness) == want {
                return;
            }
            harness.state_mut().wait_for_run(Duration::from_millis(5));
            harness.step();
        }
        panic!("{:?}, not {want:?}", values(harness));
    };
    shows(&mut harness, &["Line 1: u = 9", "Line 3: y = 2", "Line 5: —"]);
    harness.state_mut().go_to_step(1);
    shows(&mut harness, &["Line 1: u = 1", "Line 3: —", "Line 5: y = 1"]);
    // Other code has no values yet.
    harness.get_by_role_and_label(Role::MultilineTextInput, CODE).focus();
    harness.run_ok();
    type_text(&mut harness, "%");
    shows(&mut harness, &[]);
    assert!(harness.query_by_label_contains("The code has changed since the run").is_some());
}

#[test]
fn a_breakpoint_on_a_line_pauses_the_run_and_is_listed() {
    let mut harness = editor(SATURATED);
    harness.get_by_label("Breakpoint at line 3").click();
    harness.run_ok();
    press(&mut harness, Key::Escape);
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the pause", |app| app.open().run.state == RunState::Paused);
    harness.run_ok();
    assert_eq!(harness.state().open().run.progress.step, 4, "the step at 3 s is the first above the limit");
    assert!(harness.query_by_label(CODE).is_some(), "the code is shown");
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::Runs)));
    harness.run_ok();
    harness.get_by_label("Breakpoint at line 3 of Function #1").click();
    harness.run_ok();
    assert_eq!(lines_with_breakpoints(&harness).as_deref(), Some("off 3"));
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end", |app| app.open().run.state == RunState::Finished);
    harness.get_by_label("Remove breakpoint at line 3 of Function #1").click();
    harness.run_ok();
    assert_eq!(lines_with_breakpoints(&harness), None);
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
    assert_eq!(lines_with_breakpoints(&harness).as_deref(), Some("off 3"));
}

#[test]
fn a_click_beside_code_that_cannot_stop_loses_nothing() {
    let mut harness = editor("y = u;");
    retype(&mut harness, "y = (2 * u;");
    harness.get_by_label("Breakpoint at line 1").click();
    harness.run_ok();
    assert_eq!(lines_with_breakpoints(&harness), None);
    assert_eq!(code_of(&harness), "y = (2 * u;", "what was typed is kept");
    assert!(harness.query_by_label_contains("A breakpoint needs code without mistakes").is_some());
}
