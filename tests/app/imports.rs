//! Models of other programs in the window: opened or dropped, with the bar that says what became of their blocks.

use std::path::PathBuf;
use std::sync::Arc;

use egui_kittest::kittest::Queryable as _;
use simulate::app::action::command::Panel;

use super::{Dropped, Opened as _, until, window};

fn model() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/imports/models/loop.mdl")
}

#[test]
fn an_imported_model_says_what_became_of_its_blocks() {
    let mut harness = window();
    harness.input_mut().dropped_files.push(Arc::new(Dropped(model())));
    harness.step();
    until(&mut harness, "the model", |app| app.file.is_some());
    harness.run_ok();
    assert_eq!(harness.state().open().path.as_deref(), Some(&*model()));
    harness.get_by_label_contains("6 blocks: 5 exact, 0 approximated, 1 placeholder");
    assert!(!harness.state().window.layout.is_shown(Panel::Problems));
    harness.get_by_label("Show").click();
    harness.run_ok();
    assert!(harness.state().window.layout.is_shown(Panel::Problems));
    harness.get_by_label("Hide").click();
    harness.run_ok();
    assert!(harness.query_by_label_contains("Imported: ").is_none());
}
