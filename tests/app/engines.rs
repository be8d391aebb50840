//! The engine and its threads as the user chooses them, what engines decline, and how long a step is said to be.

use egui_kittest::kittest::Queryable as _;
use simulate::app::action::RunAction;
use simulate::app::action::command::{Command, RunCommand};
use simulate::app::store::run::RunState;
use simulate::app::{Action, App, Settings};
use simulate::model::{Block, BlockId, BlockKind, Connection, Model, Simulation};

use super::{Opened as _, Window, gain_chain, settle, show, until, window, window_with};

fn run(harness: &mut Window) {
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    harness.run_ok();
}

/// Repeat sets its output 5 times a step, for a gain.
fn repeats() -> Simulation {
    let mut main = Model::new("Main");
    let five = Block::new(BlockId(0), BlockKind::library("Var", "Static")).with_option("Value", &["5"]);
    main.add_block(five.at(0.0, 0.0));
    main.add_block(Block::new(BlockId(1), BlockKind::library("Flow", "Repeat")).at(120.0, 0.0));
    main.add_block(Block::new(BlockId(2), BlockKind::library("Math", "Gain")).at(240.0, 0.0));
    main.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Times"));
    main.connect(Connection::new(BlockId(1), "Output", BlockId(2), "Input"));
    let mut simulation = Simulation::default();
    (simulation.steps, simulation.delta, simulation.root) = (20, 0.1, "Main".into());
    simulation.add_model(main);
    simulation
}

#[test]
fn a_run_takes_the_engine_that_was_chosen_and_the_choice_lasts() {
    let home = tempfile::tempdir().expect("a folder");
    let settings = Settings { home: Some(home.path().to_owned()), ..Settings::default() };
    let mut harness = window_with(settings);
    show(&mut harness, gain_chain());
    let before = harness.state().file.as_ref().map(|file| file.simulation().clone());
    for name in ["simple", "threaded", "compiled", "simple"] {
        harness.state_mut().act(Action::Run(RunAction::ChooseEngine(name)));
        harness.state_mut().act(Action::Run(RunAction::LimitThreads(Some(2))));
        run(&mut harness);
        assert_eq!(harness.state().open().run.engine, name);
    }
    // A file runs on every engine and names none.
    assert_eq!(harness.state().file.as_ref().map(|file| file.simulation().clone()), before);
    settle(&mut harness);
    let kept = Settings::load_from(Some(home.path().to_owned()));
    assert_eq!((&*kept.engine, kept.threads), ("simple", Some(2)));
}

#[test]
fn an_engine_that_is_not_there_any_more_is_the_default_one() {
    let mut harness = window_with(Settings { engine: "steam".to_owned(), ..Settings::default() });
    show(&mut harness, gain_chain());
    run(&mut harness);
}

#[test]
fn an_engine_that_declines_says_so_where_it_is_chosen() {
    let mut harness = window();
    show(&mut harness, repeats());
    until(&mut harness, "the check", |app| app.file.as_ref().is_some_and(|file| file.program.is_some()));
    harness.get_by_label("Engine").click();
    harness.run_ok();
    let said = "sets its output several times in a step";
    for _ in 0..2000 {
        harness.step();
        if harness.query_all_by_label_contains(said).next().is_some() {
            break;
        }
        std::thread::yield_now();
    }
    // The one that declines can be chosen all the same; the reason stays below the choice.
    assert!(harness.query_all_by_label_contains(said).next().is_some());
    harness.state_mut().act(Action::Run(RunAction::ChooseEngine("threaded")));
    harness.run_ok();
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the refusal", |app| app.window.message.as_ref().is_some_and(|said| said.is_problem));
    let file = harness.state().file.as_ref().expect("a file");
    let names = |text: &str| text.contains("threaded") && text.contains(said);
    assert!(file.diagnostics.all().iter().any(|found| names(&found.message)), "{:?}", file.diagnostics);
}

#[test]
fn the_length_of_a_step_is_shown_and_said_to_be_approximate_where_it_varies() {
    // Three blocks, each once a step; and one, one with five turns, and five behind it.
    for (simulation, text) in [(gain_chain(), "3 block executions per step"), (repeats(), "approx. ")] {
        let mut harness = window();
        show(&mut harness, simulation);
        run(&mut harness);
        until(&mut harness, "the check", |app: &App| app.file.as_ref().is_some_and(|file| file.program.is_some()));
        harness.run_ok();
        let is_there = |label: &str| harness.query_by_label(label).is_some();
        match text {
            "approx. " => assert!(harness.query_by_label_contains("approx. ").is_some()),
            text => assert!(is_there(text)),
        }
    }
}
