//! What belongs to the open document goes with it, and what is derived from it is found again only where it changed.

use std::sync::{Arc, Weak};

use eframe::egui::{Event, Key, Modifiers};
use simulate::app::Action;
use simulate::app::action::command::{Command, HelpCommand, Panel, RunCommand, ViewCommand};
use simulate::app::action::{PlotsAction, ViewAction};
use simulate::app::doc::breakpoints::{OnWire, set};
use simulate::app::doc::derived::{Computed, Derived};
use simulate::app::store::run::RunState;
use simulate::block::Registry;
use simulate::model::{Block, BlockId, BlockKind, Change, Connection, Document, Edit, Model, SignalKey, Simulation};

use super::{Opened as _, Window, gain_chain, show, until, window};

/// A root with two instances of `Inner`, a clock, and a scope that shows the first instance.
fn nested() -> Simulation {
    let mut simulation = Simulation::new("Main");
    (simulation.steps, simulation.delta) = (20, 0.1);
    let mut inner = Model::new("Inner");
    inner.add_block(Block::new(BlockId(0), BlockKind::entry("In")).at(0.0, 0.0));
    inner.add_block(Block::new(BlockId(1), BlockKind::library("Math", "Gain")).at(120.0, 0.0));
    inner.add_block(Block::new(BlockId(2), BlockKind::exit("Out")).at(240.0, 0.0));
    inner.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Input"));
    inner.connect(Connection::new(BlockId(1), "Output", BlockId(2), "Input"));
    simulation.add_model(inner);
    simulation.add_model(Model::new("Spare"));
    let root = simulation.model_mut("Main").expect("the root");
    root.add_block(Block::new(BlockId(0), BlockKind::model("Inner")).at(120.0, 0.0));
    root.add_block(Block::new(BlockId(1), BlockKind::model("Inner")).at(120.0, 120.0));
    root.add_block(Block::new(BlockId(2), BlockKind::library("Var", "Clock")).at(0.0, 0.0));
    root.add_block(Block::new(BlockId(3), BlockKind::library("Sink", "Scope")).at(240.0, 0.0));
    root.connect(Connection::new(BlockId(2), "Output", BlockId(0), "In"));
    root.connect(Connection::new(BlockId(0), "Out", BlockId(3), "Input 1"));
    simulation
}

fn set_gain(gain: &str) -> Change {
    let values = Some(vec![gain.to_owned()]);
    Change::one("Set Gain", Edit::SetOption { model: "Inner".into(), id: BlockId(1), name: "Gain".into(), values })
}

fn break_at_gain() -> Change {
    set(&"Inner".into(), (BlockId(2), &"Input".into()), OnWire::parse("> 1.05").as_ref())
}

/// Leaves something of the document in every panel, and a run that is paused at a breakpoint.
fn use_everything(harness: &mut Window) {
    let app = harness.state_mut();
    assert!(app.apply(&set_gain("2")) && app.apply(&break_at_gain()));
    for panel in [Panel::Models, Panel::Find, Panel::Problems, Panel::Runs, Panel::Step, Panel::Help] {
        app.act(Action::View(ViewAction::ShowPanel(panel)));
    }
    app.dispatch(Command::Run(RunCommand::Run));
    until(harness, "the pause", |app| app.open().run.state == RunState::Paused);
    let app = harness.state_mut();
    app.go_to_step(2);
    app.act(Action::Plots(PlotsAction::OpenScope { path: Vec::new(), block: BlockId(3) }));
    let signals = vec![SignalKey::new(&[BlockId(0)], BlockId(1), "Output")];
    app.act(Action::Plots(PlotsAction::PlotIn { signals, plot: 1 }));
    app.act(Action::View(ViewAction::GoTo { path: vec![BlockId(1)], block: Some(BlockId(1)) }));
    app.dispatch(Command::View(ViewCommand::OpenInTab));
    app.dispatch(Command::View(ViewCommand::SplitView));
    app.dispatch(Command::Help(HelpCommand::Help));
    app.open_mut().panels.blocks.search = "sum".to_owned();
    harness.run_ok();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::F);
    harness.run_ok();
    harness.event(Event::Text("gain".to_owned()));
    harness.run_ok();
    until(harness, "the matches", |app| !app.open().search.found().1.is_empty());
    let open = harness.state().open();
    assert_eq!((&*open.panels.find.query, &*open.panels.blocks.search), ("gain", "sum"));
    assert!(open.run.chosen_step().is_some() && !open.panels.plots.scopes.is_empty());
    assert_eq!(open.derived.armed().len(), 2, "in both instances");
}

#[test]
fn opening_another_document_leaves_nothing_of_the_first() {
    let mut harness = window();
    show(&mut harness, nested());
    let first: Weak<Simulation> = Arc::downgrade(harness.state().open().simulation());
    use_everything(&mut harness);
    let last: Weak<Simulation> = Arc::downgrade(harness.state().open().simulation());
    show(&mut harness, gain_chain());
    let open = harness.state().open();
    assert_eq!((&*open.panels.find.query, &*open.panels.blocks.search), ("", ""));
    assert_eq!(open.search.found().1, []);
    assert!(open.run.runs().is_empty() && open.run.chosen_step().is_none() && open.run.state == RunState::Idle);
    assert!(open.derived.breakpoints().is_empty() && open.derived.armed().is_empty());
    assert!(open.panels.plots.scopes.is_empty() && open.panels.plots.target == 0);
    assert!(open.canvas.path().is_empty() && open.other.is_none() && open.tabs.count() < 2);
    assert!(open.document.undo_labels().next().is_none());
    assert!(open.panels.quick_insert.is_none() && open.lab.record.is_none() && open.lab.chain.is_none());
    // Whatever kept something of it would keep its blocks alive.
    until(&mut harness, "the first document is gone", |_| first.upgrade().is_none() && last.upgrade().is_none());
}

#[test]
fn closing_the_document_drops_it() {
    let mut harness = window();
    show(&mut harness, nested());
    use_everything(&mut harness);
    let last: Weak<Simulation> = Arc::downgrade(harness.state().open().simulation());
    harness.state_mut().proceed(simulate::app::AfterSave::Close);
    harness.run_ok();
    until(&mut harness, "the document is gone", |_| last.upgrade().is_none());
}

/// Returns how often the parts were computed in an edit.
fn computed_by(document: &mut Document, derived: &mut Derived, change: &Change) -> Computed {
    let before = derived.computed();
    document.apply(change).expect("a valid change");
    follow(document, derived);
    let now = derived.computed();
    Computed {
        facts: now.facts - before.facts,
        plots: now.plots - before.plots,
        dashboard: now.dashboard - before.dashboard,
        beside_blocks: now.beside_blocks - before.beside_blocks,
        breakpoints: now.breakpoints - before.breakpoints,
        tree: now.tree - before.tree,
    }
}

fn follow(document: &Document, derived: &mut Derived) {
    let simulation = Arc::clone(document.simulation());
    let now = simulate::model::Snapshot { simulation, revision: document.revision() };
    derived.follow(&now, document.registry());
}

fn document() -> (Document, Derived) {
    let document = Document::new(nested(), Registry::standard());
    let mut derived = Derived::default();
    follow(&document, &mut derived);
    assert_eq!(derived.computed().facts, 3, "each model once");
    (document, derived)
}

#[test]
fn an_edit_of_one_model_computes_nothing_that_belongs_to_another() {
    let (mut document, mut derived) = document();
    let nothing = Computed::default();
    let of_inner = computed_by(&mut document, &mut derived, &set_gain("3"));
    assert_eq!(of_inner, Computed { facts: 1, ..nothing }, "the plots show the root");
    let marked = computed_by(&mut document, &mut derived, &break_at_gain());
    assert_eq!(marked, Computed { facts: 1, breakpoints: 1, ..nothing });
    let steps = computed_by(&mut document, &mut derived, &Change::one("Set steps", Edit::SetSteps(7)));
    assert_eq!(steps, nothing, "no model has changed");
    let block = Box::new(Block::new(BlockId(9), BlockKind::model("Spare")).at(0.0, 300.0));
    let instance = Change::one("Add", Edit::AddBlock { model: "Inner".into(), block });
    let instance = computed_by(&mut document, &mut derived, &instance);
    assert_eq!(instance, Computed { facts: 1, breakpoints: 1, tree: 1, beside_blocks: 1, ..nothing });
    // A curve of a signal in `Inner` depends on it from then on.
    let signal = SignalKey::new(&[BlockId(0)], BlockId(1), "Output");
    let plot = derived.plots().with(&[signal], 0).change("Plot", document.simulation());
    assert_eq!(computed_by(&mut document, &mut derived, &plot), Computed { plots: 1, ..nothing });
    let of_inner = computed_by(&mut document, &mut derived, &set_gain("4"));
    assert_eq!(of_inner, Computed { facts: 1, plots: 1, ..nothing });
    let block = Box::new(Block::new(BlockId(1), BlockKind::library("Var", "Clock")).at(0.0, 0.0));
    let spare = Change::one("Add", Edit::AddBlock { model: "Spare".into(), block });
    assert_eq!(computed_by(&mut document, &mut derived, &spare), Computed { facts: 1, ..nothing });
}

/// Whatever is kept must be what a fresh look would find.
#[test]
fn what_is_kept_is_what_would_be_found_anew() {
    let (mut document, mut derived) = document();
    let attribute = |id: u64, name: &str, value: &str| Edit::SetBlockAttribute {
        model: "Inner".into(),
        id: BlockId(id.into()),
        name: name.into(),
        value: Some(value.into()),
    };
    let of_simulation =
        |name: &str, value: &str| Edit::SetSimulationAttribute { name: name.into(), value: Some(value.into()) };
    let add = |model: &str, id: i128, kind: BlockKind| Edit::AddBlock {
        model: model.into(),
        block: Box::new(Block::new(BlockId(id), kind).at(0.0, 400.0)),
    };
    let remove = |model: &str, id: i128| Edit::RemoveBlocks { model: model.into(), ids: vec![BlockId(id)] };
    let edits = [
        // The plot names a block that is not there yet, in a model that has one later.
        of_simulation("view:plot", "#0/#1.Output;#1/#7.Output|#2.Output"),
        add("Inner", 7, BlockKind::library("Var", "Clock")),
        of_simulation("view:dashboard", "gauge[x=8,y=8,w=128,h=136,signal=#0/#7.Output]"),
        attribute(1, "view:curve", "1"),
        attribute(7, "view:widgets", "gauge[x=0,y=0,w=128,h=136,signal=Output]"),
        add("Main", 20, BlockKind::model("Inner")),
        add("Main", 21, BlockKind::library("Var", "Clock")),
        of_simulation("view:record", "#20/#1.Output;#30.Output"),
        add("Main", 30, BlockKind::library("Var", "Clock")),
        remove("Inner", 7),
        Edit::RenameModel { from: "Inner".into(), to: "Motor".into() },
        Edit::SetRoot("Motor".into()),
        Edit::SetRoot("Main".into()),
        remove("Main", 20),
    ];
    let changes = edits.into_iter().map(|edit| Change::one("Edit", edit)).collect::<Vec<_>>();
    let mut check = |document: &Document, what: &str| {
        follow(document, &mut derived);
        let mut fresh = Derived::default();
        follow(document, &mut fresh);
        assert_eq!(derived.plots(), fresh.plots(), "{what}");
        assert_eq!(derived.dashboard(), fresh.dashboard(), "{what}");
        assert_eq!(derived.recorded(), fresh.recorded(), "{what}");
        assert_eq!(derived.exits_and_plots(), fresh.exits_and_plots(), "{what}");
        assert_eq!(derived.breakpoints(), fresh.breakpoints(), "{what}");
        assert_eq!(derived.armed(), fresh.armed(), "{what}");
        assert_eq!(derived.tree().rows, fresh.tree().rows, "{what}");
        assert_eq!(derived.tree().rest, fresh.tree().rest, "{what}");
        for model in document.simulation().models.keys() {
            assert_eq!(derived.tree().users(model), fresh.tree().users(model), "{what}");
            assert_eq!(derived.paths_to(model), fresh.paths_to(model), "{what}");
        }
    };
    document.apply(&break_at_gain()).expect("a breakpoint");
    check(&document, "breakpoint");
    for (number, change) in changes.iter().enumerate() {
        document.apply(change).unwrap_or_else(|error| panic!("{number}: {error}"));
        check(&document, &format!("edit {number}"));
    }
    let mut number = 0;
    while document.undo().is_some() {
        number += 1;
        check(&document, &format!("undo {number}"));
    }
    assert_eq!(number, 15);
}
