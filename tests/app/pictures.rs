//! Pictures: what stands in the files.

use std::sync::Arc;

use egui_kittest::kittest::Queryable as _;
use simulate::app::action::command::{Command, FileCommand};
use simulate::app::canvas::{capture, export};
use simulate::app::doc::dashboard::{Binding, ParamKey, Widget, WidgetKind, pinned_edit};
use simulate::app::drawing::{Part, PictureTarget};
use simulate::app::panels::dashboard::picture_ui;
use simulate::block::Registry;
use simulate::format::{Formats, Outputs};
use simulate::model::{Block, BlockId, BlockKind, Change, Model, Simulation};

use super::{gain_chain, settle, show, until, window};

fn outputs() -> Outputs {
    Outputs::new(&Formats::standard())
}

fn root(blocks: Option<&[u64]>) -> Part {
    let blocks = blocks.map(|ids| ids.iter().map(|id| BlockId((*id).into())).collect());
    Part { model: "Main".into(), blocks }
}

#[test]
fn an_svg_has_the_texts_of_the_diagram() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("chain.svg");
    let simulation = Arc::new(gain_chain());
    export(
        PictureTarget { path: &path, outputs: &mut outputs() },
        &simulation,
        &Registry::standard(),
        &[root(None)],
        (1.0, picture_ui),
    )
    .expect("a picture");
    let svg = std::fs::read_to_string(&path).expect("the file");
    assert!(svg.starts_with("<svg xmlns") && svg.ends_with("</svg>\n"));
    for text in ["Gain", "Constant", "Result"] {
        assert!(svg.contains(&format!(">{text}</text>")), "{text} is missing");
    }
    assert!(svg.contains("fill=\"#ffffff\""), "white behind it");
    export(
        PictureTarget { path: &path, outputs: &mut outputs() },
        &simulation,
        &Registry::standard(),
        &[root(None)],
        (1.0, picture_ui),
    )
    .expect("a picture");
    assert_eq!(std::fs::read_to_string(&path).expect("the file"), svg, "the same model gives the same bytes");
}

/// A name that runs from right to left is written as it is read, and placed by its right end.
#[test]
fn an_svg_has_names_of_all_scripts_as_they_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("names.svg");
    let names = ["سرعة المحرك", "מהירות המנוע", "电机转速", "गति", "ความเร็ว", "speed"];
    let mut model = Model::new("Main");
    for (number, name) in names.iter().enumerate() {
        let mut block = Block::new(BlockId(number as i128), BlockKind::library("Math", "Gain"));
        block.attributes.set("label", name);
        model.add_block(block.at(0.0, 100.0 * number as f64));
    }
    let mut simulation = Simulation::default();
    simulation.root = "Main".into();
    simulation.add_model(model);
    let target = PictureTarget { path: &path, outputs: &mut outputs() };
    export(target, &Arc::new(simulation), &Registry::standard(), &[root(None)], (1.0, picture_ui)).expect("a picture");
    let svg = std::fs::read_to_string(&path).expect("the file");
    for (number, name) in names.iter().enumerate() {
        let line = svg.lines().find(|line| line.contains(&format!(">{name}</text>")));
        let line = line.unwrap_or_else(|| panic!("{name} is missing in {svg}"));
        assert_eq!(line.contains("direction=\"rtl\""), number < 2, "{line}");
    }
}

/// A letter that no font has is named below the picture.
#[test]
fn a_picture_says_which_letters_no_font_has() {
    let write = |label: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("name.png");
        let mut model = Model::new("Main");
        let mut block = Block::new(BlockId(0), BlockKind::library("Math", "Gain"));
        block.attributes.set("label", label);
        model.add_block(block.at(0.0, 0.0));
        let mut simulation = Simulation::default();
        simulation.root = "Main".into();
        simulation.add_model(model);
        let target = PictureTarget { path: &path, outputs: &mut outputs() };
        export(target, &Arc::new(simulation), &Registry::standard(), &[root(None)], (1.0, picture_ui))
            .expect("a picture");
        let bytes = std::fs::read(&path).expect("the file");
        let size: [u8; 4] = bytes[20..24].try_into().expect("four bytes");
        u32::from_be_bytes(size)
    };
    // A letter for private use has no form in any font of text.
    assert_eq!(write("\u{10fabc}"), write("a") + 16, "one line more");
}

/// A control on the diagram stands in its picture, below its block, and the wire beside it goes around it.
#[test]
fn a_control_on_the_diagram_is_in_its_picture() {
    let mut simulation = gain_chain();
    let slider = Widget {
        binding: Some(Binding::Param(ParamKey::new(&[], BlockId(1), "Gain"))),
        label: "Amplification".to_owned(),
        y: 80.0,
        ..Widget::new(WidgetKind::Slider, 0.0, 0.0)
    };
    let edit = pinned_edit(&"Main".into(), BlockId(1), std::slice::from_ref(&slider));
    let plain = capture(&Arc::new(simulation.clone()), &Registry::standard(), &root(None), picture_ui);
    let registry = Registry::standard();
    simulation = Change::one("Add", edit).applied(&simulation, &registry).expect("it is valid");
    let drawn = capture(&Arc::new(simulation), &registry, &root(None), picture_ui).expect("a picture");
    let svg = drawn.to_svg();
    assert!(svg.contains(">Amplification</text>") && svg.contains(">2</text>"), "its name and the value 2");
    assert!(drawn.size.y >= plain.expect("a picture").size.y + 40.0, "the picture has room for it");
}

#[test]
fn a_selection_is_drawn_alone() {
    let simulation = Arc::new(gain_chain());
    let all = capture(&simulation, &Registry::standard(), &root(None), picture_ui).expect("the model");
    let one = capture(&simulation, &Registry::standard(), &root(Some(&[1])), picture_ui).expect("the block");
    assert!(one.size.x < all.size.x && one.items.len() < all.items.len());
    assert!(
        capture(&simulation, &Registry::standard(), &root(Some(&[])), picture_ui).is_none(),
        "nothing is no picture"
    );
}

#[test]
fn all_models_are_the_pages_of_a_pdf() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("all.pdf");
    let mut simulation: Simulation = gain_chain();
    let mut inner = Model::new("Inner");
    inner.add_block(simulate::model::Block::new(BlockId(0), simulate::model::BlockKind::exit("Out")).at(0.0, 0.0));
    simulation.add_model(inner);
    simulation.add_model(Model::new("Empty"));
    let simulation = Arc::new(simulation);
    let parts = Part::all(&simulation);
    assert_eq!(parts.len(), 2, "an empty model is no page");
    export(
        PictureTarget { path: &path, outputs: &mut outputs() },
        &simulation,
        &Registry::standard(),
        &parts,
        (1.0, picture_ui),
    )
    .expect("a picture");
    let bytes = std::fs::read(&path).expect("the file");
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.starts_with("%PDF-1.") && text.contains("/Count 2"));
}

#[test]
fn a_png_has_the_size_that_was_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("chain.png");
    let simulation = Arc::new(gain_chain());
    let size = capture(&simulation, &Registry::standard(), &root(None), picture_ui).expect("the model").size;
    export(
        PictureTarget { path: &path, outputs: &mut outputs() },
        &simulation,
        &Registry::standard(),
        &[root(None)],
        (3.0, picture_ui),
    )
    .expect("a picture");
    let bytes = std::fs::read(&path).expect("the file");
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    assert_eq!((number(16), number(20)), ((size.x * 3.0) as u32, (size.y * 3.0) as u32));
}

#[test]
fn what_is_to_be_drawn_is_asked_in_the_window() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::File(FileCommand::ExportPicture));
    harness.run_ok();
    harness.get_by_label("All models of the file").click();
    harness.get_by_label("PNG").click();
    harness.run_ok();
    harness.get_by_label_contains("One file per model");
    harness.get_by_label("Cancel").click();
    harness.run_ok();
    assert!(!harness.state().has_dialog());
}

/// The picture is drawn beside the window's own work, and the window says when it is there.
#[test]
fn a_picture_is_written_from_the_window() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::File(FileCommand::ExportPicture));
    harness.run_ok();
    harness.get_by_label("Export…").click();
    harness.run_ok();
    let path = folder.path().join("chain.svg");
    assert!(harness.state_mut().choose_path(path.clone()));
    until(&mut harness, "the picture", |_| path.exists());
    let text = std::fs::read_to_string(&path).expect("the picture");
    assert!(text.starts_with("<?xml") || text.starts_with("<svg"), "{text}");
}

/// Without a run the simulation runs for the report; with one its curves are taken.
#[test]
fn a_report_is_written_from_the_window() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut harness = window();
    show(&mut harness, gain_chain());
    for name in ["first.html", "second.pdf"] {
        let path = folder.path().join(name);
        harness.state_mut().dispatch(Command::File(FileCommand::ExportReport));
        harness.run_ok();
        assert!(harness.state_mut().choose_path(path.clone()));
        until(&mut harness, "the report", |_| path.exists());
        // The file is there a little before its job has ended.
        settle(&mut harness);
        harness.get_by_label_contains(name);
    }
    let html = std::fs::read_to_string(folder.path().join("first.html")).expect("the report");
    assert!(html.contains(">Result</text>") && html.contains("<h2>Curves</h2>"));
}

#[test]
fn a_transfer_function_shows_its_polynomials() {
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the root");
    let block = |id: i128, denominator: &[&str]| {
        let block = simulate::model::Block::new(
            BlockId(id),
            simulate::model::BlockKind::library("Continuous", "Transfer Function"),
        );
        block.with_option("Denominator", denominator).at(0.0, 100.0 * id as f64)
    };
    model.add_block(block(8, &["1", "3", "2"]));
    model.add_block(block(9, &["1", "0.123456789", "2.5"]));
    let svg =
        capture(&Arc::new(simulation), &Registry::standard(), &root(None), picture_ui).expect("the model").to_svg();
    assert!(svg.contains(">s² + 3s + 2</text>"), "it is short enough");
    assert_eq!(svg.matches(">D(s)</text>").count(), 1, "the other is too long");
}

/// The letter with its mark, not the letter twice.
#[test]
fn a_mark_above_a_letter_is_drawn() {
    let mut model = Model::new("Main");
    let kind = simulate::model::BlockKind::library("Discrete", "Kalman Filter");
    model.add_block(simulate::model::Block::new(BlockId(0), kind).at(0.0, 0.0));
    let mut simulation = Simulation::default();
    simulation.root = "Main".into();
    simulation.add_model(model);
    let drawing = capture(&Arc::new(simulation), &Registry::standard(), &root(None), picture_ui).expect("the model");
    let svg = drawing.to_svg();
    assert!(svg.contains(">x\u{302}</text>"), "{svg}");
}
