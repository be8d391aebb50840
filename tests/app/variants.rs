//! Variants of a model block in the inspector and in the panel of models.

use eframe::egui::Key;
use eframe::egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;
use simulate::app::action::command::{Command, EditCommand};
use simulate::model::{BlockId, Model};

use super::panels::{nested, select, simulation_of, type_into};
use super::{Opened as _, Window, show, window};

/// Variants are added, get conditions and are removed in the inspector; the models panel shows those that are not chosen.
#[test]
fn the_variants_of_a_model_block_are_edited() {
    let mut harness = window();
    let mut simulation = nested();
    simulation.add_model(Model::new("Other"));
    show(&mut harness, simulation);
    let block = |harness: &Window| {
        let root = simulation_of(harness.state()).root_model().expect("the root");
        let block = root.block(BlockId(0)).expect("the block");
        (block.attributes.get("variants").map(str::to_owned), block.kind.title().to_owned())
    };
    let variants = |text: &str, model: &str| (Some(text.to_owned()), model.to_owned());
    select(&mut harness, &[0]);
    harness.get_by_label("Add variant").click();
    harness.run_ok();
    assert_eq!(block(&harness), variants("Other if 0; Inner", "Inner"));
    let rows = |harness: &Window| {
        let tree = harness.state().open().derived.tree();
        tree.rows.iter().map(|row| (row.model.to_string(), row.is_chosen)).collect::<Vec<_>>()
    };
    let row = |model: &str, is_chosen| (model.to_owned(), is_chosen);
    assert_eq!(rows(&harness), [row("Main", true), row("Inner", true), row("Other", false)]);
    type_into(&mut harness, "Condition of variant 1", "1 + x");
    harness.get_by_label_contains("Unknown variable");
    type_into(&mut harness, "Condition of variant 1", "2 > 1");
    harness.key_press(Key::Enter);
    harness.run_ok();
    assert_eq!(block(&harness), variants("Other if 2 > 1; Inner", "Other"));
    harness.get_by_role_and_label(Role::ComboBox, "Model of variant 1");
    harness.get_by_label("Remove variant 1").click();
    harness.run_ok();
    assert_eq!(block(&harness), variants("Inner", "Inner"));
    harness.get_by_label("Remove variant 1").click();
    harness.run_ok();
    assert_eq!(block(&harness), (None, "Inner".to_owned()));
    for _ in 0..4 {
        harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    }
    harness.run_ok();
    assert_eq!(block(&harness), (None, "Inner".to_owned()));
    assert!(simulation_of(harness.state()).model("Other").is_some());
}
