//! Models between files, files that blocks name, and what a model's uses show of its variables.

use egui_kittest::kittest::Queryable as _;
use simulate::app::action::command::{Command, EditCommand, FileCommand};
use simulate::format::{Formats, LoadOptions};
use simulate::model::{Block, BlockId, BlockKind, Change, Edit, Model, Simulation, Variable};

use super::editing::select;
use super::{Window, gain_chain, settle, show, window};

/// `Main` uses `Valve`, whose variable `mode` is shown as a choice.
fn valve() -> Simulation {
    let mode = Variable::new("1").with_attribute("label", "Mode").with_attribute("choices", "slow=1|fast=2.5");
    let mut inner = Model::new("Valve");
    inner.set_variable("mode", mode);
    inner.add_block(Block::new(BlockId(0), BlockKind::exit("y")));
    let mut main = Model::new("Main");
    main.add_block(Block::new(BlockId(1), BlockKind::model("Valve")).at(0.0, 0.0));
    let mut simulation = Simulation::default();
    simulation.root = "Main".into();
    simulation.add_model(main);
    simulation.add_model(inner);
    simulation
}

fn option(harness: &Window, block: u64, name: &str) -> Option<String> {
    let file = harness.state().file.as_ref().expect("a file");
    let block =
        file.simulation().model("Main").and_then(|model| model.block(BlockId(block.into()))).expect("the block");
    block.option_texts(name).map(|texts| texts.join(" "))
}

#[test]
fn a_use_picks_a_variable_by_its_word() {
    let mut harness = window();
    show(&mut harness, valve());
    select(&mut harness, &[1]);
    harness.get_by_label("Mode").click();
    harness.run_ok();
    harness.get_by_label("fast").click();
    harness.run_ok();
    assert_eq!(option(&harness, 1, "mode").as_deref(), Some("2.5"));
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    assert_eq!(option(&harness, 1, "mode"), None);
}

#[test]
fn a_model_goes_to_a_file_and_into_another_simulation() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("valve");
    let mut harness = window();
    show(&mut harness, valve());
    select(&mut harness, &[1]);
    harness.state_mut().dispatch(Command::File(FileCommand::ExportModel));
    assert!(harness.state_mut().choose_path(path));
    settle(&mut harness);
    let path = folder.path().join("valve.simx");
    let written = Formats::standard().open(&path, &LoadOptions::default()).expect("it was written").simulation;
    assert_eq!((&*written.root, written.models.len()), ("Valve", 1));

    let mut other = window();
    let mut simulation = gain_chain();
    // Another model has the name already.
    simulation.add_model(Model::new("Valve"));
    show(&mut other, simulation);
    other.state_mut().dispatch(Command::File(FileCommand::ImportModel));
    assert!(other.state_mut().choose_path(path));
    settle(&mut other);
    let models = |harness: &Window| {
        let file = harness.state().file.as_ref().expect("a file");
        file.simulation().models.keys().map(|name| name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(models(&other), ["Main", "Valve", "Valve 2"]);
    other.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    assert_eq!(models(&other), ["Main", "Valve"]);
}

#[test]
fn a_file_beside_the_simulation_is_named_without_its_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, named) in [("data/wind.csv", "data/wind.csv"), ("/elsewhere/wind.csv", "/elsewhere/wind.csv")] {
        let mut harness = window();
        show(&mut harness, gain_chain());
        let block = Box::new(Block::new(BlockId(9), BlockKind::library("Var", "From File")).at(0.0, 100.0));
        assert!(harness.state_mut().apply(&Change::one("Add", Edit::AddBlock { model: "Main".into(), block })));
        if let Some(file) = &mut harness.state_mut().file {
            file.path = Some(folder.path().join("this.simx"));
        }
        select(&mut harness, &[9]);
        harness.get_by_label("Choose file…").click();
        harness.run_ok();
        assert!(harness.state_mut().choose_path(folder.path().join(path)));
        assert_eq!(option(&harness, 9, "File").as_deref(), Some(named));
    }
}
