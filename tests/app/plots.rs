//! Plots: what is chosen stands in the document, and what is seen can be measured and exported.

use std::time::Duration;

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use simulate::app::App;
use simulate::app::action::command::{Command, EditCommand, FileCommand, Panel, RunCommand};
use simulate::app::doc::plots::{PlotKind, PlotList};
use simulate::app::store::run::RunState;
use simulate::model::{BlockId, BlockKind, Change, Connection, Edit, SignalKey, Simulation};

use super::{Opened as _, Window, gain_chain, settle, show, until, window};

pub fn list(app: &App) -> PlotList {
    app.file.as_ref().map(|file| file.derived.plots().clone()).expect("a file")
}

pub fn ran(simulation: Simulation) -> Window {
    let mut harness = window();
    show(&mut harness, simulation);
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    harness.run_ok();
    harness
}

/// A sine of 5 Hz and amplitude 3 into an exit, a thousand samples a second for two seconds.
pub fn sine() -> Simulation {
    let mut simulation = gain_chain();
    (simulation.steps, simulation.delta) = (2000, 0.001);
    let model = simulation.model_mut("Main").expect("the model");
    let sine = simulate::model::Block::new(BlockId(7), BlockKind::library("Var", "Sine"))
        .with_option("Amplitude", &["3"])
        .with_option("Frequency", &["31.41592653589793"])
        .at(0.0, 200.0);
    model.add_block(sine);
    model.add_block(simulate::model::Block::new(BlockId(8), BlockKind::exit("Wave")).at(200.0, 200.0));
    model.connect(Connection::new(BlockId(7), "Output", BlockId(8), "Input"));
    simulation
}

#[test]
fn a_plot_is_shown_as_something_else_and_back() {
    let mut harness = ran(sine());
    for kind in [
        PlotKind::Spectrum,
        PlotKind::Cross,
        PlotKind::Histogram,
        PlotKind::Digital,
        PlotKind::Xy,
        PlotKind::Phase,
        PlotKind::Spectrogram,
    ] {
        let app = harness.state_mut();
        let change = {
            let file = app.file.as_ref().expect("a file");
            file.derived.plots().with_spec(0, |spec| spec.kind = kind).change("Show plot", file.simulation())
        };
        assert!(app.apply(&change));
        harness.run_ok();
        harness.state_mut().open_mut().panels.plots.wait(Duration::from_secs(20));
        harness.run_ok();
        assert_eq!(list(harness.state()).plots[0].kind, kind);
        harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
        harness.run_ok();
        assert_eq!(list(harness.state()).plots[0].kind, PlotKind::Time);
    }
}

#[test]
fn the_menu_of_a_plot_chooses_its_kind() {
    let mut harness = ran(gain_chain());
    harness.get_by_label("Options of Plot 1").click();
    harness.run_ok();
    harness.get_by_label_contains("Show as").click();
    harness.run_ok();
    harness.get_by_label("Spectrum").click();
    harness.run_ok();
    assert_eq!(list(harness.state()).plots[0].kind, PlotKind::Spectrum);
}

#[test]
fn a_click_in_the_legend_hides_a_curve_and_can_be_taken_back() {
    let mut harness = ran(gain_chain());
    let is_hidden = |app: &App| list(app).plots[0].traces[0].is_hidden;
    harness.get_by_label("Curve Result").click();
    harness.run_ok();
    assert!(is_hidden(harness.state()));
    harness.get_by_label("Curve Result").click();
    harness.run_ok();
    assert!(!is_hidden(harness.state()));
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
    assert!(is_hidden(harness.state()), "the file remembers it");
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    assert!(!harness.state().is_unsaved());
}

#[test]
fn keys_move_the_chosen_cursor_by_samples() {
    let mut harness = ran(sine());
    let cursors = |app: &App| list(app).cursors.expect("cursors");
    harness.get_by_label("Cursors").click();
    harness.run_ok();
    let [a, b] = cursors(harness.state());
    assert_eq!([(a * 1000.0).round(), (b * 1000.0).round()], [667.0, 1333.0], "at samples");
    harness.get_by_role_and_label(Role::Canvas, "Plot 1").focus();
    harness.run_ok();
    harness.key_press(Key::ArrowRight);
    harness.run_ok();
    harness.key_press_modifiers(Modifiers::SHIFT, Key::ArrowLeft);
    harness.run_ok();
    harness.key_press(Key::B);
    harness.key_press(Key::ArrowRight);
    harness.run_ok();
    let [a, b] = cursors(harness.state());
    assert_eq!([(a * 1000.0).round(), (b * 1000.0).round()], [658.0, 1334.0]);
    for _ in 0..4 {
        harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    }
    assert!(!harness.state().is_unsaved(), "each of them is one change");
}

#[test]
fn limits_are_kept_in_the_file() {
    let mut harness = ran(sine());
    harness.get_by_label("Options of Plot 1").click();
    harness.run_ok();
    harness.get_by_label("Title and axes…").click();
    harness.run_ok();
    for (label, typed) in [("Limits of Time, s", "0.5 to 1"), ("Limits of Y axis", "-5 to 2.5")] {
        harness.get_by_label(label).focus();
        harness.run_ok();
        harness.get_by_label(label).type_text(typed);
        harness.run_ok();
        harness.key_press(Key::Enter);
        harness.run_ok();
    }
    let spec = list(harness.state()).plots[0].clone();
    assert_eq!((spec.x_range, spec.left_range), (Some((0.5, 1.0)), Some((-5.0, 2.5))));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plot.svg");
    harness.state_mut().export_plot(0, path.clone());
    settle(&mut harness);
    let svg = std::fs::read_to_string(&path).expect("the picture");
    assert!(svg.contains(">0.6 s</text>") && !svg.contains(">1.5 s</text>"), "the picture has them too");
    harness.get_by_label("Automatic limits").click();
    harness.run_ok();
    let spec = list(harness.state()).plots[0].clone();
    assert_eq!((spec.x_range, spec.left_range), (None, None));
}

#[test]
fn a_phase_plot_shows_three_signals_and_is_exported() {
    let mut simulation = sine();
    let model = simulation.model_mut("Main").expect("the model");
    model.add_block(simulate::model::Block::new(BlockId(9), BlockKind::library("Math", "Integrate")));
    model.add_block(simulate::model::Block::new(BlockId(10), BlockKind::exit("Third")));
    model.connect(Connection::new(BlockId(7), "Output", BlockId(9), "Input"));
    model.connect(Connection::new(BlockId(9), "Output", BlockId(10), "Input"));
    let mut harness = ran(simulation);
    harness.get_by_label("Options of Plot 1").click();
    harness.run_ok();
    harness.get_by_label_contains("Show as").click();
    harness.run_ok();
    harness.get_by_label("3-D phase plot").click();
    harness.run_ok();
    harness.state_mut().open_mut().panels.plots.wait(Duration::from_secs(20));
    harness.run_ok();
    harness.get_by_role_and_label(Role::Canvas, "Plot 1").focus();
    harness.run_ok();
    harness.key_press(Key::ArrowRight);
    harness.run_ok();
    let turn = list(harness.state()).plots[0].view_angles.expect("it was turned");
    assert_ne!(turn, simulate::app::ui::chart::ViewAngles::default());
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("phase.svg");
    harness.state_mut().export_plot(0, path.clone());
    settle(&mut harness);
    let svg = std::fs::read_to_string(&path).expect("the picture");
    for text in ["Result", "Wave", "Third"] {
        assert!(svg.contains(&format!(">{text}</text>")), "{text} is missing");
    }
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    assert_eq!(list(harness.state()).plots[0].view_angles, None);
}

#[test]
fn any_signal_is_recorded_with_a_tick() {
    let mut harness = ran(gain_chain());
    harness.get_by_label("Signals").click();
    harness.run_ok();
    harness.get_by_label("Record Constant").click();
    harness.run_ok();
    let signal = SignalKey::new(&[], BlockId(0), "Output");
    assert_eq!(list(harness.state()).recorded, std::slice::from_ref(&signal));
    assert!(!list(harness.state()).contains(&signal), "recorded, not drawn");
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    assert_eq!(harness.state().open().run.recording().columns(&signal)[0].last(), Some(3.0));
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    assert!(list(harness.state()).recorded.is_empty());
}

#[test]
fn a_scope_opens_its_own_window() {
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the model");
    model.add_block(simulate::model::Block::new(BlockId(9), BlockKind::library("Sink", "Scope")).at(240.0, 100.0));
    model.connect(Connection::new(BlockId(0), "Output", BlockId(9), "Input 1"));
    let mut harness = ran(simulation);
    harness.state_mut().act(simulate::app::Action::Plots(simulate::app::action::PlotsAction::OpenScope {
        path: Vec::new(),
        block: BlockId(9),
    }));
    harness.run_ok();
    harness.get_by_label("Show in the plots");
    assert!(harness.state().open().run.watched.contains(&SignalKey::new(&[], BlockId(0), "Output")));
}

#[test]
fn a_plot_stands_in_a_window_of_its_own_and_returns() {
    let mut harness = ran(sine());
    harness.get_by_label("Options of Plot 1").click();
    harness.run_ok();
    harness.get_by_label("Open in its own window").click();
    harness.run_ok();
    harness.get_by_label("Plot 1 is in a window of its own");
    // The window has the plot with its legend and its menu.
    harness.get_by_role_and_label(Role::Canvas, "Plot 1");
    harness.get_by_label("Options of Plot 1").click();
    harness.run_ok();
    harness.get_by_label("Title and axes…").click();
    harness.run_ok();
    harness.get_by_label("Label of Y axis");
    harness.get_by_label("Return it to this panel").click();
    harness.run_ok();
    assert!(harness.query_by_label("Plot 1 is in a window of its own").is_none());
    harness.get_by_role_and_label(Role::Canvas, "Plot 1");
}

#[test]
fn titles_and_labels_of_axes_are_in_the_file_and_in_pictures() {
    let mut harness = ran(sine());
    harness.get_by_label("Options of Plot 1").click();
    harness.run_ok();
    harness.get_by_label("Title and axes…").click();
    harness.run_ok();
    for (label, typed) in
        [("Title of the plot", "Swing, measured"), ("Label of Time, s", "t"), ("Label of Y axis", "Height [m]=h")]
    {
        harness.get_by_label(label).focus();
        harness.run_ok();
        harness.get_by_label(label).type_text(typed);
        harness.run_ok();
        harness.key_press(Key::Enter);
        harness.run_ok();
    }
    let simulation = harness.state().open().simulation().clone();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plot.svg");
    harness.state_mut().export_plot(0, path.clone());
    settle(&mut harness);
    let svg = std::fs::read_to_string(&path).expect("the picture");
    for text in ["Swing, measured", "t", "Height [m]=h"] {
        assert!(svg.contains(&format!(">{text}</text>")), "{text}");
    }
    // What is stored is read again.
    let mut other = window();
    show(&mut other, Simulation::clone(&simulation));
    let spec = list(other.state()).plots[0].clone();
    assert_eq!((&*spec.title, &*spec.axis_labels.x, &*spec.axis_labels.left), ("Swing, measured", "t", "Height [m]=h"));
}

#[test]
fn a_long_title_leaves_the_buttons_in_the_panel() {
    let mut harness = ran(sine());
    let app = harness.state_mut();
    let title = "The height of the swing above the ground, as it was measured on the second day".to_owned();
    let file = app.open();
    let change = file.derived.plots().with_spec(0, |spec| spec.title.clone_from(&title));
    let change = change.with_plot().change("Name plot", file.simulation());
    assert!(app.apply(&change));
    harness.run_ok();
    let panel = harness.state().window.layout.rect_of(Panel::Plots).expect("the panel");
    for label in [format!("Options of {title}"), format!("Remove {title}"), "Options of Plot 2".to_owned()] {
        let rect = harness.get_by_label(&label).rect();
        assert!(panel.expand(1.0).contains_rect(rect), "{label}: {rect:?} in {panel:?}");
    }
}

#[test]
fn curves_and_plots_are_written_to_files() {
    let mut harness = ran(sine());
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["all.csv", "all.parquet"] {
        let path = folder.path().join(name);
        harness.state_mut().window.message = None;
        harness.state_mut().dispatch(Command::File(FileCommand::ExportCsv));
        assert!(harness.state_mut().choose_path(path.clone()));
        until(&mut harness, "the export", |app| app.window.message.is_some());
        let bytes = std::fs::read(&path).expect("the file");
        match name {
            "all.csv" => {
                let text = String::from_utf8(bytes).expect("text");
                assert_eq!(text.lines().count(), 2001);
                assert!(text.starts_with("step,time,"), "{}", &text[..60]);
            }
            _ => assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1")),
        }
    }
    let path = folder.path().join("plot.svg");
    harness.state_mut().export_plot(0, path.clone());
    settle(&mut harness);
    let svg = std::fs::read_to_string(&path).expect("the picture");
    for text in ["Wave", "Result", "0.5 s", "2.0 s"] {
        assert!(svg.contains(&format!(">{text}</text>")), "{text} is missing");
    }
    let numbers = |line: &str| -> Vec<f64> {
        line.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-')).filter_map(|n| n.parse().ok()).collect()
    };
    let paths = svg.lines().filter(|line| line.contains("<path d="));
    let data = paths.filter_map(|line| line.split('"').nth(1)).flat_map(numbers);
    assert!(data.into_iter().all(|n| (0.0..=720.0).contains(&n)), "nothing lies outside of the picture");
    let path = folder.path().join("plot.png");
    harness.state_mut().export_plot(0, path.clone());
    settle(&mut harness);
    assert!(std::fs::read(&path).expect("the picture").starts_with(b"\x89PNG"));
}

#[test]
fn a_block_that_bears_a_curve_is_recorded_and_the_choice_can_be_taken_back() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    let gain = SignalKey::new(&[], BlockId(1), "Output");
    assert!(!harness.state().open().run.watched.contains(&gain));
    let selection = simulate::app::canvas::Selection { blocks: [BlockId(1)].into(), ..Default::default() };
    harness.state_mut().file.as_mut().expect("a file").canvas.select(selection);
    harness.run_ok();
    harness.get_by_role_and_label(Role::CheckBox, "Curve").click();
    harness.run_ok();
    let attribute = |app: &App| {
        let file = app.file.as_ref().expect("a file");
        let block = file.simulation().model("Main").and_then(|model| model.block(BlockId(1)).cloned());
        block.expect("the gain").attributes.get("view:curve").map(str::to_owned)
    };
    assert_eq!(attribute(harness.state()).as_deref(), Some("1"));
    assert!(harness.state().open().run.watched.contains(&gain), "a curve needs its samples");
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    harness.run_ok();
    assert_eq!(harness.state().open().run.recording().columns(&gain)[0].len(), 50);
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
    assert_eq!(attribute(harness.state()), None);
    assert!(!harness.state().open().run.watched.contains(&gain));
}

#[test]
fn a_legend_shows_an_id_only_beside_another_block_of_that_title() {
    let mut harness = ran(gain_chain());
    harness.state_mut().plot(&[SignalKey::new(&[], BlockId(1), "Output")]);
    harness.run_ok();
    harness.get_by_label("Curve Gain");
    let twin = simulate::model::Block::new(BlockId(9), BlockKind::library("Math", "Gain")).at(120.0, 90.0);
    let add = Edit::AddBlock { model: "Main".into(), block: Box::new(twin) };
    assert!(harness.state_mut().apply(&Change::one("Add Gain", add)));
    harness.run_ok();
    harness.get_by_label("Curve Gain #1");
    let app = harness.state().open();
    for signal in app.derived.recorded() {
        assert_eq!(app.derived.name_of(&signal), simulate::app::doc::plots::name_of(app.simulation(), &signal));
    }
}

#[test]
fn curves_on_blocks_of_a_shared_model_are_those_of_each_use() {
    let mut inner = simulate::model::Model::new("Half");
    inner.add_block(simulate::model::Block::new(BlockId(0), BlockKind::library("Var", "Clock")));
    let mut scope = simulate::model::Block::new(BlockId(1), BlockKind::library("Math", "Gain"));
    scope.attributes.set("view:curve", "1");
    inner.add_block(scope);
    inner.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Input"));
    let mut simulation = gain_chain();
    simulation.add_model(inner);
    let model = simulation.model_mut("Main").expect("the model");
    for id in [11, 12] {
        let kind = BlockKind::Model { model: "Half".into() };
        model.add_block(simulate::model::Block::new(BlockId(id), kind));
    }
    let registry = simulate::block::Registry::standard();
    let reader = simulate::app::doc::reader::NameReader::new(&simulation, &registry);
    let of = |id| SignalKey::new(&[BlockId(id)], BlockId(1), "Output");
    assert_eq!(simulate::app::doc::plots::signals_on_blocks(&reader), [of(11), of(12)]);
}

/// The numbers of a row of the measurements.
fn measured(harness: &Window, name: &str) -> String {
    let rows = harness.get_all_by_role(Role::Row).filter_map(|row| row.accesskit_node().label());
    rows.into_iter().find(|row| row.starts_with(name)).expect("a row")
}

#[test]
fn runs_of_one_length_that_end_alike_have_measurements_of_their_own() {
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the model");
    let step = BlockKind::library("Var", "Step");
    model.add_block(
        simulate::model::Block::new(BlockId(7), step)
            .with_option("Initial Value", &["7"])
            .with_option("Final Value", &["0"]),
    );
    model.add_block(simulate::model::Block::new(BlockId(8), BlockKind::exit("Wave")));
    model.connect(Connection::new(BlockId(7), "Output", BlockId(8), "Input"));
    let mut harness = ran(simulation);
    harness.get_by_label("Measurements").click();
    harness.run_ok();
    harness.state_mut().open_mut().panels.plots.wait(Duration::from_secs(20));
    harness.run_ok();
    assert!(measured(&harness, "Wave").starts_with("Wave 0 7 "), "{}", measured(&harness, "Wave"));
    let edit = simulate::model::Edit::SetOption {
        model: "Main".into(),
        id: BlockId(7),
        name: "Initial Value".into(),
        values: Some(vec!["9".to_owned()]),
    };
    assert!(harness.state_mut().apply(&simulate::model::Change::one("Set", edit)));
    harness.run_ok();
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    // What took its time before may begin a little later.
    for _ in 0..2000 {
        harness.state_mut().open_mut().panels.plots.wait(Duration::from_millis(5));
        harness.step();
        if measured(&harness, "Wave").starts_with("Wave 0 9 ") {
            return;
        }
    }
    panic!("the table shows the run before: {}", measured(&harness, "Wave"));
}

#[test]
fn a_held_signal_is_drawn_as_stairs_and_a_continuous_one_is_not() {
    for (time, is_held) in [("0.4", true), ("0", false)] {
        let mut simulation = gain_chain();
        let model = simulation.model_mut("Main").expect("the model");
        let sine = simulate::model::Block::new(BlockId(7), BlockKind::library("Var", "Sine"));
        let hold = simulate::model::Block::new(BlockId(8), BlockKind::library("Discrete", "Zero-Order Hold"));
        model.add_block(sine);
        model.add_block(hold.with_option("Sample Time", &[time]));
        model.connect(Connection::new(BlockId(7), "Output", BlockId(8), "Input"));
        simulation.attributes.set("view:plot", "#8.Output");
        let mut harness = ran(simulation);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("plot.svg");
        harness.state_mut().export_plot(0, path.clone());
        settle(&mut harness);
        let svg = std::fs::read_to_string(&path).expect("the picture");
        let numbers = |line: &str| -> Vec<f64> {
            line.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-')).filter_map(|n| n.parse().ok()).collect()
        };
        let paths = svg.lines().filter(|line| line.contains("<path d=")).filter_map(|line| line.split('"').nth(1));
        let longest = paths.map(numbers).max_by_key(Vec::len).expect("a curve");
        let (points, _) = longest.as_chunks::<2>();
        assert!(points.len() > 12, "the curve: {points:?}");
        let is_upright =
            |pair: &[[f64; 2]]| (pair[0][0] - pair[1][0]).abs() < 0.02 || (pair[0][1] - pair[1][1]).abs() < 0.02;
        assert_eq!(points.windows(2).all(is_upright), is_held, "sample time {time}: {points:?}");
    }
}

/// The second instance of a model whose gain is a variable: its block shows what it is there.
#[test]
fn inside_an_instance_parameters_have_the_values_of_that_instance() {
    let mut inner = simulate::model::Model::new("Amplifier");
    inner.variables.insert("k".into(), std::sync::Arc::new(simulate::model::Variable::new("2")));
    inner.add_block(simulate::model::Block::new(BlockId(0), BlockKind::entry("u")));
    inner.add_block(
        simulate::model::Block::new(BlockId(1), BlockKind::library("Math", "Gain")).with_option("Gain", &["k*10"]),
    );
    inner.add_block(simulate::model::Block::new(BlockId(2), BlockKind::exit("y")));
    inner.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Input"));
    inner.connect(Connection::new(BlockId(1), "Output", BlockId(2), "Input"));
    let mut simulation = gain_chain();
    simulation.variables.insert("g".into(), std::sync::Arc::new(simulate::model::Variable::new("3")));
    simulation.add_model(inner);
    let model = simulation.model_mut("Main").expect("the model");
    for (id, value) in [(11, None), (12, Some("g+4"))] {
        let mut block =
            simulate::model::Block::new(BlockId(id), BlockKind::model("Amplifier")).at(0.0, 40.0 * id as f64);
        if let Some(value) = value {
            block = block.with_option("k", &[value]);
        }
        model.add_block(block);
    }
    let mut harness = window();
    show(&mut harness, simulation);
    for (id, want) in [(11, "= 20"), (12, "= 70")] {
        let app = harness.state_mut();
        app.act(simulate::app::Action::View(simulate::app::action::ViewAction::GoTo {
            path: vec![BlockId(id)],
            block: Some(BlockId(1)),
        }));
        harness.run_ok();
        harness.get_by_label(want);
    }
    let app = harness.state_mut();
    app.act(simulate::app::Action::View(simulate::app::action::ViewAction::GoTo {
        path: vec![BlockId(12)],
        block: None,
    }));
    app.file.as_mut().expect("a file").canvas.select(simulate::app::canvas::Selection::default());
    harness.run_ok();
    harness.get_by_label("7 in this instance, Amplifier");
}

/// Each element of a vector has a colour of its own, in the plot and in the legend.
#[test]
fn a_vectors_elements_are_told_apart() {
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the model");
    let values = ["1", "2", "3", "4"];
    model.add_block(
        simulate::model::Block::new(BlockId(7), BlockKind::library("Var", "Static")).with_option("Value", &values),
    );
    simulation.attributes.set("view:plot", "#1.Output");
    let mut harness = ran(simulation);
    let change = {
        let file = harness.state().file.as_ref().expect("a file");
        let signal = SignalKey::new(&[], BlockId(7), "Output");
        file.derived.plots().with(&[signal], 0).change("Plot the vector", file.simulation())
    };
    assert!(harness.state_mut().apply(&change));
    harness.step();
    let rows = |harness: &Window| -> Vec<_> {
        harness.query_all_by_label_contains("Element [").map(|node| node.rect()).collect()
    };
    let before = rows(&harness);
    assert_eq!(before.len(), 4, "there is room for the elements before their samples");
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the run", |app| app.open().run.state != RunState::Finished);
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    harness.run_ok();
    assert_eq!(rows(&harness), before, "nothing moves when samples arrive");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plot.svg");
    harness.state_mut().export_plot(0, path.clone());
    settle(&mut harness);
    let svg = std::fs::read_to_string(&path).expect("the picture");
    let curves = svg.lines().filter(|line| line.contains("<path d=") && line.contains("stroke-width=\"1.6"));
    let colors: std::collections::BTreeSet<&str> =
        curves.filter_map(|line| line.split("stroke=\"").nth(1)?.split('"').next()).collect();
    let theme = simulate::app::ui::theme::Theme::light();
    let hex = |color: eframe::egui::Color32| format!("#{:02x}{:02x}{:02x}", color.r(), color.g(), color.b());
    let known = theme.curves.map(hex);
    let of_theme = colors.iter().filter(|color| known.iter().any(|known| known.eq_ignore_ascii_case(color))).count();
    assert_eq!((colors.len(), of_theme), (5, 5), "four elements and a curve of one value: {colors:?}");
    for (number, value) in values.iter().enumerate() {
        harness.get_by_label(&format!("Element [{number}] {value}"));
    }
}

/// The legend and an exported table name the elements of a bus.
#[test]
fn the_elements_of_a_bus_have_their_names() {
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the model");
    let block =
        |id: i128, group: &str, name: &str| simulate::model::Block::new(BlockId(id), BlockKind::library(group, name));
    model.add_block(block(7, "Var", "Static").with_option("Value", &["3", "4"]));
    let names = [("Elements", "y x"), ("Input Names", "x y"), ("Output", "bus")];
    model.add_block(
        names
            .iter()
            .fold(block(8, "Routing", "Bus Selector"), |block, (name, value)| block.with_option(name, &[*value])),
    );
    model.connect(simulate::model::Connection::new(BlockId(7), "Output", BlockId(8), "Bus"));
    simulation.attributes.set("view:plot", "#8.Bus");
    let mut harness = ran(simulation);
    harness.run_ok();
    for label in ["Element y 4", "Element x 3"] {
        harness.get_by_label(label);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plot.csv");
    harness.state_mut().window.message = None;
    harness.state_mut().dispatch(Command::File(FileCommand::ExportCsv));
    assert!(harness.state_mut().choose_path(path.clone()));
    until(&mut harness, "the export", |app| app.window.message.is_some());
    let table = std::fs::read_to_string(&path).expect("the table");
    assert!(table.starts_with("step,time,Bus Selector.Bus.y,Bus Selector.Bus.x\n0,0,4,3\n"), "{table}");
}
