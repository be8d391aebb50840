//! Dashboards: they stand in the document, controls set parameters, instruments show signals, the player shows nothing else.

use eframe::egui::{PointerButton, Pos2};
use egui_kittest::kittest::Queryable as _;
use simulate::app::App;
use simulate::app::action::command::{Command, EditCommand, Panel, RunCommand};
use simulate::app::doc::dashboard::{Binding, Dashboard, ParamKey, WidgetKind};
use simulate::app::store::run::RunState;
use simulate::model::{BlockId, SignalKey};

use super::{Opened as _, Window, click_at, gain_chain, gain_of, show, until, window};

fn board(app: &App) -> Dashboard {
    app.file.as_ref().map(|file| file.derived.dashboard().clone()).expect("a file")
}

fn gain() -> Binding {
    Binding::Param(ParamKey::new(&[], BlockId(1), "Gain"))
}

fn result() -> Binding {
    Binding::Signal(SignalKey::new(&[], BlockId(2), "Input"))
}

/// The chain with a switch for its gain, a push button for the same, and instruments for what comes out.
fn with_board() -> Window {
    let mut harness = window();
    show(&mut harness, gain_chain());
    let mut dashboard = Dashboard::default();
    for kind in WidgetKind::ALL {
        let binding = if kind.is_control() { gain() } else { result() };
        dashboard = dashboard.with_new(kind, Some(binding), 900.0);
    }
    for (number, widget) in dashboard.widgets.clone().iter().enumerate() {
        dashboard = dashboard.with(number, |changed| {
            changed.label = format!("My {}", widget.kind.label().to_lowercase());
            (changed.on, changed.off, changed.high) = (5.0, 2.0, 30.0);
            changed.choices = vec![("Fast".to_owned(), 4.0)];
        });
    }
    assert!(harness.state_mut().apply(&dashboard.change("Add")));
    assert_eq!(board(harness.state()), dashboard, "what is written is read again");
    harness.state_mut().window.layout.show(Panel::Dashboard);
    harness.run_ok();
    harness
}

#[test]
fn an_empty_dashboard_says_what_to_do_and_takes_widgets() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().window.layout.show(Panel::Dashboard);
    harness.run_ok();
    harness.get_by_label("No dashboard yet");
    harness.get_by_label("Edit layout").click();
    harness.run_ok();
    harness.get_by_label("Add control or instrument").click();
    harness.run_ok();
    harness.get_by_label("Slider").click();
    harness.run_ok();
    assert_eq!(board(harness.state()).widgets.len(), 1);
    harness.get_by_label("Bind to Gain · Gain").click();
    harness.run_ok();
    assert_eq!(board(harness.state()).widgets[0].binding, Some(gain()));
    harness.get_by_label("Remove widget").click();
    harness.run_ok();
    assert!(board(harness.state()).widgets.is_empty());
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    assert!(!harness.state().is_unsaved(), "all of it can be taken back");
}

#[test]
fn a_switch_sets_its_parameter_with_one_change() {
    let mut harness = with_board();
    assert_eq!(gain_of(harness.state()), ["2"]);
    harness.get_by_label("My switch").click();
    harness.run_ok();
    assert_eq!(gain_of(harness.state()), ["5"]);
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
    assert_eq!(gain_of(harness.state()), ["2"]);
}

#[test]
fn instruments_show_what_ran() {
    let mut harness = with_board();
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    harness.run_ok();
    harness.get_by_label("My display 6");
    harness.get_by_label("My gauge 6");
    harness.get_by_label("My bar 6");
    harness.get_by_label("My lamp on");
    harness.get_by_label("My slider 2");
}

#[test]
fn a_control_acts_in_a_run_that_goes_on() {
    let mut harness = with_board();
    harness.state_mut().dispatch(Command::Run(RunCommand::Step));
    until(&mut harness, "the first step", |app| {
        app.open().run.state == RunState::Paused && app.open().run.progress.step == 1
    });
    let Binding::Param(param) = gain() else { panic!("a parameter") };
    harness
        .state_mut()
        .act(simulate::app::Action::Dashboard(simulate::app::action::DashboardAction::Turn { param, value: 7.0 }));
    harness.state_mut().dispatch(Command::Run(RunCommand::Step));
    until(&mut harness, "the second step", |app| {
        app.open().run.state == RunState::Paused && app.open().run.progress.step == 2
    });
    let signal = SignalKey::new(&[], BlockId(2), "Input");
    assert_eq!(harness.state().open().run.recording().columns(&signal)[0].values(), [6.0, 21.0]);
    assert_eq!(gain_of(harness.state()), ["2"], "while it is turned the document stays as it is");
}

#[test]
fn the_player_shows_the_dashboard_alone() {
    let mut harness = with_board();
    let title =
        simulate::model::Edit::SetSimulationAttribute { name: "title".into(), value: Some("My product".into()) };
    assert!(harness.state_mut().apply(&simulate::model::Change::one("Set title", title)));
    harness.state_mut().window.is_player = true;
    harness.run_ok();
    harness.get_by_label("My knob 2");
    harness.get_by_label("My product");
    assert!(harness.query_by_label("Edit layout").is_none() && harness.query_by_label("Inspector").is_none());
    harness.get_by_label("Run").click();
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    harness.run_ok();
    harness.get_by_label("My display 6");
    assert!(harness.query_by_label("Changed since this run").is_none());
    // A control that is set after the run has ended: the curves are those of other values.
    let knob = harness.get_by_label("My knob 2");
    knob.focus();
    harness.run_ok();
    harness.key_press(eframe::egui::Key::ArrowUp);
    harness.run_ok();
    assert_ne!(gain_of(harness.state()), ["2"]);
    harness.get_by_label("Changed since this run");
}

fn on_blocks(app: &App) -> Vec<simulate::app::doc::dashboard::Widget> {
    let file = app.file.as_ref().expect("a file");
    let block = file.simulation().model("Main").and_then(|model| model.block(BlockId(1)).cloned()).expect("the gain");
    simulate::app::doc::dashboard::pinned(&block, &[], file.simulation(), &app.blocks.registry)
}

/// The middle of a widget on the diagram, which tells readers where it is in the model.
fn on_screen(harness: &Window, label: &str) -> Pos2 {
    let at = harness.get_by_label(label).rect().center();
    let position = simulate::model::Position { x: f64::from(at.x), y: f64::from(at.y) };
    harness.state().file.as_ref().expect("a file").canvas.view.screen_of(position)
}

#[test]
fn a_widget_on_the_diagram_acts_is_moved_and_taken_away() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    let switch = simulate::app::doc::dashboard::Widget {
        binding: Some(gain()),
        label: "On the canvas".to_owned(),
        on: 5.0,
        y: 80.0,
        ..simulate::app::doc::dashboard::Widget::new(WidgetKind::Switch, 0.0, 0.0)
    };
    let edit = simulate::app::doc::dashboard::pinned_edit(&"Main".into(), BlockId(1), std::slice::from_ref(&switch));
    assert!(harness.state_mut().apply(&simulate::model::Change::one("Add switch to the canvas", edit)));
    harness.run_ok();
    assert_eq!(on_blocks(harness.state()), [switch]);
    let at = on_screen(&harness, "On the canvas");
    click_at(&mut harness, at, PointerButton::Primary);
    assert_eq!(gain_of(harness.state()), ["5"]);
    // What lies between the corner of the diagram and the widget is the diagram's.
    let file = harness.state().file.as_ref().expect("a file");
    let at = file.canvas.view.screen_of(simulate::model::Position { x: 30.0, y: 20.0 });
    click_at(&mut harness, at, PointerButton::Primary);
    let selected = harness.state().file.as_ref().expect("a file").canvas.selection().single_block();
    assert_eq!(selected, Some(BlockId(0)));
    // By its title it is dragged.
    let grip = on_screen(&harness, "Place On the canvas");
    harness.drag_at(grip);
    harness.step();
    harness.hover_at(grip + eframe::egui::vec2(64.0, 32.0));
    harness.step();
    harness.drop_at(grip + eframe::egui::vec2(64.0, 32.0));
    harness.run_ok();
    let zoom = harness.state().file.as_ref().expect("a file").canvas.view.zoom();
    let moved = on_blocks(harness.state())[0].clone();
    let expected = [(64.0 / zoom / 8.0).round() * 8.0, ((80.0 + 32.0 / zoom) / 8.0).round() * 8.0];
    assert_eq!([moved.x, moved.y], expected);
    harness.state_mut().dispatch(Command::Edit(EditCommand::Delete));
    harness.run_ok();
    assert!(on_blocks(harness.state()).is_empty(), "what was taken last is meant");
    for _ in 0..4 {
        harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    }
    assert!(!harness.state().is_unsaved(), "all of it can be taken back");
}

#[test]
fn what_stands_on_the_diagram_goes_to_the_panel_and_back() {
    let mut harness = with_board();
    let number = board(harness.state()).widgets.iter().position(|widget| widget.kind == WidgetKind::Knob);
    let number = number.expect("a knob");
    let at = harness.state().file.as_ref().expect("a file").canvas.view.screen_middle();
    harness
        .state_mut()
        .act(simulate::app::Action::Dashboard(simulate::app::action::DashboardAction::PinWidget { number, at }));
    harness.run_ok();
    assert_eq!(on_blocks(harness.state()).len(), 1);
    assert!(board(harness.state()).widgets.iter().all(|widget| widget.kind != WidgetKind::Knob));
    harness.get_by_label("My knob 2");
    let at = on_screen(&harness, "Place My knob");
    click_at(&mut harness, at, PointerButton::Secondary);
    harness.get_by_label("Move to the dashboard").click();
    harness.run_ok();
    assert!(on_blocks(harness.state()).is_empty());
    assert!(board(harness.state()).widgets.iter().any(|widget| widget.kind == WidgetKind::Knob));
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    assert_eq!(on_blocks(harness.state()).len(), 1, "it is one change");
}

#[test]
fn one_number_of_a_vector_is_turned_while_it_runs() {
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the model");
    *model.block_mut(BlockId(0)).expect("the value") =
        simulate::model::Block::new(BlockId(0), simulate::model::BlockKind::library("Var", "Static"))
            .with_option("Value", &["3", "4", "5"]);
    let mut harness = window();
    show(&mut harness, simulation);
    harness.state_mut().dispatch(Command::Run(RunCommand::Step));
    until(&mut harness, "the first step", |app| {
        app.open().run.state == RunState::Paused && app.open().run.progress.step == 1
    });
    let param = ParamKey { element: 1, ..ParamKey::new(&[], BlockId(0), "Value") };
    harness
        .state_mut()
        .act(simulate::app::Action::Dashboard(simulate::app::action::DashboardAction::Turn { param, value: 10.0 }));
    harness.state_mut().dispatch(Command::Run(RunCommand::Step));
    until(&mut harness, "the second step", |app| {
        app.open().run.state == RunState::Paused && app.open().run.progress.step == 2
    });
    let columns = harness.state().open().run.recording().columns(&SignalKey::new(&[], BlockId(2), "Input")).to_vec();
    let values: Vec<Vec<f64>> = columns.iter().map(|column| column.values()).collect();
    assert_eq!(values, [[6.0, 6.0], [8.0, 20.0], [10.0, 10.0]]);
}

#[test]
fn an_expression_is_typed_and_its_mistakes_are_refused() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    let dashboard = Dashboard::default().with_new(WidgetKind::Expression, Some(gain()), 900.0);
    let dashboard = dashboard.with(0, |widget| widget.label = "Amplification".to_owned());
    assert!(harness.state_mut().apply(&dashboard.change("Add")));
    harness.state_mut().window.layout.show(Panel::Dashboard);
    harness.run_ok();
    for (typed, expected) in [("2*(", "2"), ("2*pi", "2*pi")] {
        harness.get_by_label("Amplification").focus();
        harness.run_ok();
        harness.key_press_modifiers(eframe::egui::Modifiers::COMMAND, eframe::egui::Key::A);
        harness.get_by_label("Amplification").type_text(typed);
        harness.run_ok();
        harness.key_press(eframe::egui::Key::Enter);
        harness.run_ok();
        assert_eq!(gain_of(harness.state()), [expected]);
    }
}

#[test]
fn a_shape_is_moved_by_a_signal() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().window.layout.show(Panel::Dashboard);
    harness.run_ok();
    for label in ["Edit layout", "Add control or instrument", "Rectangle", "Add motion", "X position"] {
        harness.get_by_label(label).click();
        harness.run_ok();
    }
    let motions = |app: &App| board(app).widgets[0].motions.clone();
    let [motion] = &motions(harness.state())[..] else { panic!("one signal moves it") };
    assert_eq!(motion.what, simulate::app::doc::dashboard::MotionProperty::Right);
    assert!(harness.state().open().run.watched.contains(&motion.signal), "what moves it is recorded");
    harness.get_by_label("Unbind signal 1").click();
    harness.run_ok();
    assert!(motions(harness.state()).is_empty());
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    assert_eq!(motions(harness.state()).len(), 1);
}

/// The player shows all widgets, as large as the window has room for.
#[test]
fn the_player_scales_the_dashboard_to_its_window() {
    let mut harness = with_board();
    harness.state_mut().window.is_player = true;
    let mut sizes = Vec::new();
    for (width, height) in [(1280.0, 800.0), (640.0, 420.0), (2000.0, 1400.0)] {
        harness.set_size(eframe::egui::vec2(width, height));
        harness.run_ok();
        // Where the names of the widgets are painted.
        let names = harness.output().shapes.iter().filter_map(|clipped| match &clipped.shape {
            eframe::egui::Shape::Text(text) if text.galley.text().starts_with("My ") => {
                Some(text.visual_bounding_rect())
            }
            _ => None,
        });
        let all = names.reduce(|a, b| a.union(b)).expect("widgets");
        let window = eframe::egui::Rect::from_min_size(Pos2::ZERO, eframe::egui::vec2(width, height));
        assert!(window.contains_rect(all), "{width} × {height}: {all}");
        sizes.push(all.width());
        let part = (all.width() / width).max(all.height() / height);
        assert!(part > 0.5, "they fill the window: {part} of {width} × {height}");
    }
    assert!(sizes[1] < sizes[0] && sizes[0] < sizes[2], "{sizes:?}");
}
