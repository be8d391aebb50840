//! The laboratory: one step under the microscope, what blocks cost, why a run stopped.

use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers};
use egui_kittest::Node;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use simulate::app::action::command::{Command, EditCommand, Panel, RunCommand, ViewCommand};
use simulate::app::canvas::Selection;
use simulate::app::panels::sweep::{Row, RowValues};
use simulate::app::store::lab::IndexSet;
use simulate::app::store::run::RunState;
use simulate::app::{Action, App};
use simulate::model::{Block, BlockId, BlockKind, Change, Connection, Edit, Model, SignalKey, Simulation};
use simulate::sampling::SampleDesign;

use super::{Opened as _, gain_chain, gain_of, show, until, window};

/// 1 / (t - 0.3) in a model block, summed up; and a gain that nothing feeds.
fn breaks_at_three() -> Simulation {
    let mut inner = Model::new("Inverse");
    inner.add_block(Block::new(BlockId(0), BlockKind::entry("u")).at(0.0, 0.0));
    inner.add_block(
        Block::new(BlockId(1), BlockKind::library("Math", "Product")).with_option("Operations", &["/"]).at(120.0, 0.0),
    );
    inner.add_block(Block::new(BlockId(2), BlockKind::exit("y")).at(240.0, 0.0));
    inner.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Input 1"));
    inner.connect(Connection::new(BlockId(1), "Output", BlockId(2), "Input"));
    let mut model = Model::new("Main");
    model.add_block(Block::new(BlockId(0), BlockKind::library("Var", "Clock")).at(0.0, 0.0));
    let bias = Block::new(BlockId(1), BlockKind::library("Math", "Bias")).with_option("Bias", &["-3"]);
    model.add_block(bias.at(120.0, 0.0));
    model.add_block(Block::new(BlockId(2), BlockKind::model("Inverse")).at(240.0, 0.0));
    model.add_block(Block::new(BlockId(3), BlockKind::exit("y")).at(360.0, 0.0));
    model.add_block(Block::new(BlockId(4), BlockKind::library("Math", "Gain")).at(120.0, 120.0));
    model.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Input"));
    model.connect(Connection::new(BlockId(1), "Output", BlockId(2), "u"));
    model.connect(Connection::new(BlockId(2), "y", BlockId(3), "Input"));
    let mut simulation = Simulation::default();
    (simulation.steps, simulation.delta, simulation.root) = (50, 1.0, "Main".into());
    simulation.add_model(model);
    simulation.add_model(inner);
    simulation
}

#[test]
fn a_run_stops_at_the_first_value_that_is_none_and_says_why() {
    let mut harness = window();
    show(&mut harness, breaks_at_three());
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the cause", |app| app.open().lab.chain.is_some());
    assert!(matches!(harness.state().open().run.state, RunState::PausedByError(_)));
    let selected = |app: &App| {
        let canvas = &app.file.as_ref().expect("a file").canvas;
        (canvas.path().to_vec(), canvas.selection().single_block(), canvas.is_lit())
    };
    assert_eq!(selected(harness.state()), (vec![BlockId(2)], Some(BlockId(1)), true), "it leads to the division");
    harness.run_ok();
    harness.get_by_label("Why the run stopped at step 3, 3 s");
    harness.state_mut().dispatch(Command::View(ViewCommand::GoUp));
    harness.run_ok();
    harness.get_by_label("Inverse#1 “Output” became infinite: 1 / 0").click();
    harness.run_ok();
    assert_eq!(selected(harness.state()).1, Some(BlockId(1)), "and leads there again");
    harness.get_by_label("Dismiss why the run stopped").click();
    harness.run_ok();
    assert!(harness.state().open().lab.chain.is_none());
}

#[test]
fn a_run_that_halts_goes_on_once_its_cause_is_mended() {
    let mut harness = window();
    show(&mut harness, breaks_at_three());
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the cause", |app| app.open().lab.chain.is_some());
    harness.run_ok();
    harness.get_by_label("Resume simulation");
    let (name, value) = ("Bias".into(), vec!["-3.5".into()]);
    let edit = Edit::SetOption { model: "Main".into(), id: BlockId(1), name, values: Some(value) };
    harness.state_mut().act(Action::Apply(Change::one("Set Bias", edit)));
    let has_problem = |app: &App| app.window.message.as_ref().is_some_and(|message| message.is_problem);
    assert!(has_problem(harness.state()), "the status bar says why it is paused");
    until(&mut harness, "the turn", |app| app.open().run.runs().current().is_some_and(|run| run.changes.len() == 1));
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    let run = harness.state().open().run.runs().current().expect("the run");
    assert_eq!((run.steps, run.changes[0].step), (50, 3));
    assert!(harness.state().open().lab.chain.is_none(), "nothing is wrong any more");
    assert!(!has_problem(harness.state()), "and the status bar does not say so");
}

#[test]
fn it_goes_on_where_that_is_wanted() {
    let mut harness = window();
    show(&mut harness, breaks_at_three());
    assert!(harness.state().settings.stops_at_non_finite, "it stops unless told otherwise");
    harness.state_mut().dispatch(Command::Run(RunCommand::PauseAtNonFinite));
    // What is looked at is the run, not how infinity is drawn.
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::Problems)));
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    assert!(harness.state().open().lab.chain.is_none());
}

#[test]
fn a_step_shows_what_ran_and_why() {
    let mut harness = window();
    show(&mut harness, breaks_at_three());
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::Step)));
    harness.state_mut().dispatch(Command::Run(RunCommand::Step));
    until(&mut harness, "the record", |app| app.open().lab.record.is_some());
    harness.run_ok();
    harness.get_by_label("1: Clock #0, no inputs to wait for");
    harness.get_by_label("4: Inverse #2 / Product #1, “Input 1” arrived").click();
    harness.run_ok();
    let canvas = &harness.state().file.as_ref().expect("a file").canvas;
    assert_eq!((canvas.path(), canvas.selection().single_block()), (&[BlockId(2)][..], Some(BlockId(1))));
    harness.get_by_label("Input 1 = -3");
    harness.get_by_label("Next block execution").click();
    harness.run_ok();
    let canvas = &harness.state().file.as_ref().expect("a file").canvas;
    assert_eq!(canvas.selection().single_block(), Some(BlockId(2)));
    harness.get_by_label("Did not run (1)").click();
    harness.run_ok();
    harness.get_by_label("Gain #4: nothing is connected to “Input”");
}

#[test]
fn blocks_show_what_they_cost() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    harness.state_mut().dispatch(Command::Run(RunCommand::ToggleHeat));
    until(&mut harness, "the profile", |app| app.open().lab.profile.is_some());
    let lab = &harness.state().open().lab;
    let here = lab.heat.within(&[]).expect("the root's blocks");
    assert_eq!(here.len(), 3);
    assert!(here.values().all(|seconds| *seconds > 0.0));
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::Step)));
    harness.run_ok();
    harness.get_by_label("Execution time").click();
    harness.run_ok();
    harness.get_by_label("Show on the diagram").click();
    harness.run_ok();
    assert!(!harness.state().window.shows_heat);
}

fn signal(block: u64, port: &str) -> Option<SignalKey> {
    Some(SignalKey::new(&[], BlockId(block.into()), port))
}

/// 1/s from the source to the integrator, before any run and about a step of one.
#[test]
fn an_integrator_has_its_pole_at_nought() {
    let mut harness = window();
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the model");
    model.add_block(Block::new(BlockId(5), BlockKind::library("Math", "Integrate")).at(120.0, 120.0));
    model.connect(Connection::new(BlockId(0), "Output", BlockId(5), "Input"));
    show(&mut harness, simulation);
    until(&mut harness, "the check", |app| app.file.as_ref().is_some_and(|file| file.program.is_some()));
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::Analysis)));
    let panel = &mut harness.state_mut().open_mut().panels.analysis;
    (panel.input, panel.output) = (signal(0, "Output"), signal(5, "Output"));
    harness.run_ok();
    for label in ["Linearize at the start", "Linearize at step 49"] {
        harness.get_by_label(label).click();
        harness.run_ok();
        until(&mut harness, "the analysis", |app| !app.open().lab.is_analysing());
        let analysis = harness.state().open().lab.analysis.as_ref().expect("an analysis").as_ref().expect("a good one");
        let way = analysis.way.as_ref().expect("a way");
        let poles: Vec<(f64, f64)> = way.channel.poles.iter().flatten().map(|at| (at.re, at.im)).collect();
        assert_eq!(poles, [(0.0, 0.0)]);
        harness.run_ok();
        harness.get_by_label("1 state, continuous");
        for figure in ["Nyquist", "Nichols", "Pole map", "Root locus", "Impulse", "Bode"] {
            harness.get_by_label(figure).click();
            harness.run_ok();
            // The pole at 0 moves to the left: at the middle of the plot there is a root.
            if figure == "Root locus" {
                let plot = harness.get_by_role_and_label(Role::Canvas, "Root locus plot").rect();
                harness.hover_at(plot.center());
                harness.run_ok();
                let says = |node: &Node| node.accesskit_node().value().is_some_and(|text| text.contains("rad/s, ζ 1"));
                assert!(harness.query_all_by_role(Role::Label).any(|node| says(&node)), "gain and damping");
                harness.hover_at(eframe::egui::pos2(1.0, 1.0));
                harness.run_ok();
            }
        }
        harness.state_mut().dispatch(Command::Run(RunCommand::Run));
        until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
        harness.run_ok();
    }
}

/// x' = u − 2x comes to rest at 6 where u = 12: the source's value is sought and taken over.
#[test]
fn a_point_of_rest_is_found_by_a_parameter_that_may_change() {
    let mut harness = window();
    let mut simulation = Simulation::new("Main");
    let model = simulation.model_mut("Main").expect("the model");
    let block = |id, group, name| Block::new(BlockId(id), BlockKind::library(group, name));
    model.add_block(block(0, "Var", "Static").with_option("Value", &["3"]).at(0.0, 0.0));
    model.add_block(block(1, "Math", "Sum").with_option("Signs", &["+-"]).at(120.0, 0.0));
    model.add_block(block(2, "Math", "Integrate").at(240.0, 0.0));
    model.add_block(block(3, "Math", "Gain").with_option("Gain", &["2"]).at(240.0, 120.0));
    for (from, to, input) in [(0, 1, "Input 1"), (3, 1, "Input 2"), (1, 2, "Input"), (2, 3, "Input")] {
        model.connect(Connection::new(BlockId(from), "Output", BlockId(to), input));
    }
    show(&mut harness, simulation);
    until(&mut harness, "the check", |app| app.file.as_ref().is_some_and(|file| file.program.is_some()));
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::Analysis)));
    let click = |harness: &mut super::Window, label: &str| {
        harness.get_by_label(label).click();
        harness.run_ok();
    };
    harness.run_ok();
    click(&mut harness, "At equilibrium");
    let select = |harness: &mut super::Window, id| {
        let file = harness.state_mut().file.as_mut().expect("a file");
        file.canvas.select(Selection { blocks: [BlockId(id)].into(), ..Selection::default() });
        harness.run_ok();
    };
    select(&mut harness, 2);
    click(&mut harness, "Hold a signal");
    harness.get_by_role_and_label(Role::Button, "Integrate").click();
    harness.run_ok();
    select(&mut harness, 0);
    click(&mut harness, "Vary a parameter");
    click(&mut harness, "#0.Value");
    for (typed, problem) in [("six", true), ("6,000", true), ("6,0", false)] {
        harness.get_by_label("Value of Integrate at equilibrium").focus();
        harness.run_ok();
        harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
        harness.event(Event::Text(typed.into()));
        harness.run_ok();
        click(&mut harness, "Linearize at equilibrium");
        until(&mut harness, "the analysis", |app| !app.open().lab.is_analysing());
        assert_eq!(harness.state().open().panels.analysis.problem.is_some(), problem, "{typed}");
    }
    let analysis = harness.state().open().lab.analysis.as_ref().expect("an analysis").as_ref().expect("a good one");
    let [(path, values)] = &analysis.found[..] else { panic!("one parameter") };
    assert_eq!(path, "#0.Value");
    assert!((values[0] - 12.0).abs() < 1e-9, "{values:?}");
    harness.run_ok();
    click(&mut harness, "Apply these values");
    let file = harness.state().file.as_ref().expect("a file");
    let value = file.simulation().root_model().and_then(|model| model.block(BlockId(0)).cloned()).expect("the source");
    let value: f64 = value.option_texts("Value").expect("its value").concat().parse().expect("a number");
    assert!((value - 12.0).abs() < 1e-9);
    assert_eq!(file.document.undo_labels().next(), Some("Apply the values of the equilibrium"));
}

/// Five gains, five ends of the curve: 3, 6, 9, 12, 15; one of them goes back into the document.
#[test]
fn a_sweep_gives_a_fan_and_takes_a_run_back() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::Sweep)));
    let rows = &mut harness.state_mut().open_mut().panels.sweep.rows;
    rows.push(Row::range("#1.Gain", 1.0, 5.0, 5));
    harness.run_ok();
    harness.get_by_label("Run all 5").click();
    harness.run_ok();
    let is_over = |app: &App| app.open().lab.ensemble.as_ref().is_some_and(|ensemble| !ensemble.is_going_on);
    until(&mut harness, "the end of the sweep", is_over);
    let ensemble = harness.state().open().lab.ensemble.as_ref().expect("a sweep");
    let mut ends: Vec<(u64, f64)> =
        ensemble.curves.iter().filter_map(|curve| Some((curve.run, *curve.values.last()?))).collect();
    ends.sort_by_key(|(run, _)| *run);
    assert_eq!(ends, [(0, 3.0), (1, 6.0), (2, 9.0), (3, 12.0), (4, 15.0)]);
    let last: Vec<Option<f64>> = ensemble.bands.values.iter().map(|band| band.last().copied()).collect();
    assert_eq!([last[0], last[3], last[6]], [Some(3.0), Some(9.0), Some(15.0)]);
    let chosen = ensemble.nearest(1.0, 11.0);
    harness.state_mut().open_mut().panels.sweep.chosen = chosen;
    harness.run_ok();
    harness.get_by_label("#1.Gain = 4");
    harness.get_by_label("Load these values").click();
    harness.run_ok();
    assert_eq!(gain_of(harness.state()), ["4"]);
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    assert_eq!(gain_of(harness.state()), ["2"]);
}

/// Sobol indices of a gain and of the constant before it: the result is their product, of 1 to 3 and 2 to 4. With the
/// mean 2 and 3 and the variance 1/3 of both, the variance is 3 + 4/3 + 1/9: the shares are 27/40 and 12/40 alone.
#[test]
fn a_sweep_shows_shares_and_a_scatter_matrix() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::Sweep)));
    let sweep = &mut harness.state_mut().open_mut().panels.sweep;
    sweep.rows.push(Row::range("#1.Gain", 1.0, 3.0, 5));
    sweep.rows.push(Row::range("#0.Value", 2.0, 4.0, 5));
    harness.run_ok();
    harness.get_by_label("Run all 25");
    harness.get_by_label("Count 1");
    harness.state_mut().open_mut().panels.sweep.design = SampleDesign::SobolIndices;
    harness.state_mut().open_mut().panels.sweep.samples = 256;
    harness.run_ok();
    assert!(harness.query_by_label("Count 1").is_none(), "a range has no number of values");
    harness.get_by_label("Run all 1024").click();
    harness.run_ok();
    let is_over = |app: &App| app.open().lab.ensemble.as_ref().is_some_and(|ensemble| !ensemble.is_going_on);
    until(&mut harness, "the end of the sweep", is_over);
    harness.get_by_label("Sensitivity").click();
    harness.run_ok();
    let ensemble = harness.state().open().lab.ensemble.as_ref().expect("a sweep");
    let [IndexSet::Shares(last), ..] = &ensemble.indices[..] else { panic!("{:?}", ensemble.indices) };
    let found: Vec<[f64; 2]> = last.indices.iter().map(|index| [index.first, index.total]).collect();
    for (found, right) in found.iter().flatten().zip([27.0, 28.0, 12.0, 13.0]) {
        assert!((found - right / 40.0).abs() < 0.02, "{found} {right}");
    }
    harness.get_by_label_contains("#1.Gain: S1 = 0.");
    harness.get_by_label_contains("#0.Value: S1 = 0.");
    harness.get_by_label("Scatter").click();
    harness.run_ok();
    harness.get_by_label("Scatter matrix of 2 parameters and 512 runs");
    // As on the command line, listed values have no shares.
    harness.state_mut().open_mut().panels.sweep.rows[0].values = RowValues::List;
    harness.run_ok();
    harness.get_by_label("Run all").click();
    harness.run_ok();
    harness.get_by_label_contains("#1.Gain has listed values");
}

/// While a sweep is live its curves are those of the present simulation and settings; the chosen run stays chosen.
#[test]
fn a_live_sweep_follows_the_simulation_and_its_settings() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::Sweep)));
    harness.state_mut().open_mut().panels.sweep.rows.push(Row::range("#1.Gain", 1.0, 5.0, 5));
    harness.run_ok();
    let ends = |app: &App| -> Vec<(u64, f64)> {
        let curves = app.open().lab.ensemble.as_ref().map_or(&[][..], |ensemble| &ensemble.curves);
        let mut ends: Vec<(u64, f64)> =
            curves.iter().filter_map(|curve| Some((curve.run, *curve.values.last()?))).collect();
        ends.sort_by_key(|(run, _)| *run);
        ends
    };
    assert_eq!(ends(harness.state()), [], "nothing runs before it is asked for");
    harness.get_by_label("Live").click();
    let first = [(0, 3.0), (1, 6.0), (2, 9.0), (3, 12.0), (4, 15.0)];
    until(&mut harness, "the first sweep", |app| ends(app) == first);
    let sweep = &mut harness.state_mut().open_mut().panels.sweep;
    sweep.chosen = Some(0);
    let chosen = |app: &App| {
        let file = app.open();
        file.lab.ensemble.as_ref()?.curves.get(file.panels.sweep.chosen?).map(|curve| curve.run)
    };
    let run = chosen(harness.state());
    assert!(run.is_some());
    let edit = |value: &str| Edit::SetOption {
        model: "Main".into(),
        id: BlockId(0),
        name: "Value".into(),
        values: Some(vec![value.to_owned()]),
    };
    for value in [4.0, 6.0] {
        assert!(harness.state_mut().apply(&Change::one("Set value", edit(&value.to_string()))));
        let want: Vec<(u64, f64)> = (0..5).map(|run| (run, value * (run + 1) as f64)).collect();
        until(&mut harness, "the sweep after a change", |app| ends(app) == want);
        assert_eq!(chosen(harness.state()), run);
    }
    harness.state_mut().open_mut().panels.sweep.rows[0] = Row::range("#1.Gain", 10.0, 20.0, 2);
    until(&mut harness, "the sweep after another range", |app| ends(app) == [(0, 60.0), (1, 120.0)]);
    harness.get_by_label("Live").click();
    harness.run_ok();
    harness.state_mut().apply(&Change::one("Set value", edit("1")));
    for _ in 0..20 {
        harness.run_ok();
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(ends(harness.state()), [(0, 60.0), (1, 120.0)], "it is not live any more");
}

/// A parameter is found in the list, its range typed, and the values are what the command line takes.
#[test]
fn a_sweep_is_set_with_the_list_and_three_numbers() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::Sweep)));
    harness.run_ok();
    harness.get_by_label("Add parameter").click();
    harness.run_ok();
    harness.event(Event::Text("gain".to_owned()));
    harness.run_ok();
    assert!(harness.query_by_label_contains("Constant · Value").is_none(), "the list is searched");
    harness.get_by_label_contains("· Gain").click();
    harness.run_ok();
    // From half to one and a half of its value 2.
    let row = |harness: &super::Window| harness.state().open().panels.sweep.rows[0].clone();
    assert_eq!(
        (row(&harness).path, row(&harness).text(SampleDesign::Random)),
        ("#1.Gain".to_owned(), "1:3:21".to_owned())
    );
    harness.state_mut().open_mut().panels.sweep.rows[0].values = RowValues::Logarithmic;
    harness.run_ok();
    harness.get_by_label("Count 1").type_text("0");
    harness.run_ok();
    assert!(row(&harness).text(SampleDesign::Random).ends_with(":log"));
    let kinds = [
        (RowValues::Range, "1:3:"),
        (RowValues::List, "1, 3"),
        (RowValues::Uniform, "uniform(1,3)"),
        (RowValues::Normal, "normal(1,3)"),
    ];
    for (values, text) in kinds {
        let row = Row { values, ..row(&harness) };
        assert!(row.text(SampleDesign::Random).starts_with(text), "{}", row.text(SampleDesign::Random));
        assert!(simulate::engine::Vary::parse(&format!("a={}", row.text(SampleDesign::Random))).is_ok());
    }
}

#[test]
fn a_sweep_that_cannot_be_says_why() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::Sweep)));
    harness.run_ok();
    harness.get_by_label("Run all").click();
    harness.run_ok();
    harness.get_by_label("Choose what to vary: add a parameter");
    let rows = &mut harness.state_mut().open_mut().panels.sweep.rows;
    rows.push(Row::range("#9.Gain", 1.0, 2.0, 2));
    harness.run_ok();
    harness.get_by_label("Run all 2").click();
    harness.run_ok();
    until(&mut harness, "the refusal", |app| app.open().panels.sweep.problem.is_some());
    let problem = harness.state().open().panels.sweep.problem.as_ref().map(ToString::to_string).expect("a problem");
    assert!(problem.contains("there is no block “#9”"), "{problem}");
}

/// Static → Error → 1/s → Error: the closed loop has no margins, the loop opened at Error has 90° at 1 rad/s.
#[test]
fn margins_are_shown_where_a_loop_is_opened_and_named() {
    let mut harness = window();
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the model");
    let mut sum =
        Block::new(BlockId(5), BlockKind::library("Math", "Sum")).with_option("Signs", &["+-"]).at(0.0, 120.0);
    sum.attributes.set("label", "Error");
    model.add_block(sum);
    model.add_block(Block::new(BlockId(6), BlockKind::library("Math", "Integrate")).at(120.0, 120.0));
    model.connect(Connection::new(BlockId(0), "Output", BlockId(5), "Input 1"));
    model.connect(Connection::new(BlockId(5), "Output", BlockId(6), "Input"));
    model.connect(Connection::new(BlockId(6), "Output", BlockId(5), "Input 2"));
    show(&mut harness, simulation);
    until(&mut harness, "the check", |app| app.file.as_ref().is_some_and(|file| file.program.is_some()));
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::Analysis)));
    let panel = &mut harness.state_mut().open_mut().panels.analysis;
    (panel.input, panel.output) = (signal(0, "Output"), signal(6, "Output"));
    harness.run_ok();
    let linearise = |harness: &mut super::Window| {
        harness.get_by_label("Linearize at the start").click();
        harness.run_ok();
        until(harness, "the analysis", |app| !app.open().lab.is_analysing());
        harness.run_ok();
    };
    linearise(&mut harness);
    harness.get_by_label("No loop is opened, so there are no margins: choose a loop above");
    assert!(harness.query_by_label_contains("phase margin").is_none());
    harness.get_by_role_and_label(Role::ComboBox, "Loop").click();
    harness.run_ok();
    harness.get_by_label("at › Error").click();
    harness.run_ok();
    linearise(&mut harness);
    harness.get_by_label("Margins of the loop at › Error");
    harness.get_by_label("phase margin 90° at 1 rad/s");
    // Both curves are as wide, one above the other; a click pins the values of both.
    let gain = harness.get_by_role_and_label(Role::Canvas, "Gain").rect();
    let phase = harness.get_by_role_and_label(Role::Canvas, "Phase").rect();
    assert!(gain.bottom() <= phase.top() && gain.x_range() == phase.x_range(), "{gain:?}, {phase:?}");
    harness.hover_at(gain.center());
    harness.drag_at(gain.center());
    harness.drop_at(gain.center());
    harness.run_ok();
    harness.get_by_label_contains("Pinned Gain: ");
    harness.get_by_label_contains("Pinned Phase: ");
}
