//! What users of the crate call: a simulation as a document, its runs, and the error of every call.

use std::error::Error as _;

use simulate::block::{BlockDef, Example, Face, Look, Ports, Reaction};
use simulate::{Components, Error, ErrorKind, Opener, RunOptions, Simulation};

/// A gain of 2 in a model that is used twice, and a delay; `k` is a variable.
const TWICE: &str = r#"<simulation root="M" steps="4" delta="0.5"><variable name="k" value="3"/><model name="M">
    <block id="1" group="Var" name="Static"><option name="Value"><value>k</value></option></block>
    <model id="2" model="Part"/><model id="3" model="Part"/><exit id="4" name="y"/><exit id="5" name="z"/>
    <connection from="1" output="Output" to="2" input="u"/><connection from="1" output="Output" to="3" input="u"/>
    <connection from="2" output="y" to="4" input="Input"/><connection from="3" output="y" to="5" input="Input"/>
    </model><model name="Part"><entry id="1" name="u"/><exit id="3" name="y"/>
    <block id="2" group="Math" name="Gain"><option name="Gain"><value>2</value></option></block>
    <connection from="1" output="Output" to="2" input="Input"/>
    <connection from="2" output="Output" to="3" input="Input"/></model></simulation>"#;

fn read(text: &str) -> Simulation {
    Opener::default().read(text.as_bytes(), None).expect("a simulation")
}

fn options(set: &[&str]) -> RunOptions {
    RunOptions { set: set.iter().map(|text| (*text).to_owned()).collect(), ..RunOptions::default() }
}

fn exits(simulation: &Simulation, options: &RunOptions) -> Vec<f64> {
    let mut run = simulation.run_with(options).expect("it runs");
    run.finish().expect("it runs to its end");
    run.exits().into_iter().flat_map(|(_, values)| values.expect("a value")).collect()
}

#[test]
fn values_of_a_run_leave_the_simulation_as_it_is() {
    let simulation = read(TWICE);
    assert_eq!(exits(&simulation, &options(&["k=5", "#2/#2.Gain=7"])), [35.0, 10.0]);
    assert_eq!(exits(&simulation, &options(&["#3/#2.Gain=7"])), [6.0, 21.0]);
    assert_eq!(exits(&simulation, &options(&[])), [6.0, 6.0]);
}

/// The parameters of code are options by their names, also where a file has them as lines of one option.
#[test]
fn parameters_of_code_are_set_by_their_names() {
    let function = "<simulation root=\"M\" steps=\"3\" delta=\"1\"><model name=\"M\"><block id=\"1\" group=\"User\" \
        name=\"Function\"><option name=\"Code\"><value>y = kp * 10 + n * sum(ones(n, 1));</value></option>\
        <option name=\"kp\"><value>2</value></option><option name=\"Parameters\"><value>n = 3</value></option></block>\
        <exit id=\"2\" name=\"y\"/><connection from=\"1\" output=\"y\" to=\"2\" input=\"Input\"/></model></simulation>";
    let mut simulation = read(function);
    assert_eq!(exits(&simulation, &options(&[])), [29.0]);
    // One that decides sizes is set before the run as any other.
    assert_eq!(exits(&simulation, &options(&["#1.kp=5", "Function.n=4"])), [66.0]);
    assert_eq!((simulation.get("Function.kp").ok(), simulation.get("#1.n").ok()), (Some(vec![2.0]), Some(vec![3.0])));
    simulation.set("Function.n", 2).expect("a parameter");
    assert_eq!(exits(&simulation, &options(&[])), [24.0]);
    let error = simulation.set("Function.k", 1).expect_err("there is no such argument");
    assert!(error.to_string().contains("kp, n"), "{error}");
}

#[test]
fn changes_are_undone_and_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("twice.json");
    let mut simulation = read(TWICE);
    simulation.set("k", "2*2").expect("a variable");
    simulation.set_steps(9).expect("a number of steps");
    assert_eq!(simulation.undo(), Some("Set steps"));
    simulation.save(&path).expect("it is saved");
    let again = Simulation::open(&path).expect("it is opened");
    assert_eq!((again.steps(), again.path()), (4, Some(&*path)));
    assert_eq!(exits(&again, &options(&[])), [8.0, 8.0]);
    assert_eq!(again.to_bytes("simx").expect("XML"), simulation.to_bytes("simx").expect("XML"));
}

#[test]
fn a_run_is_resumed_with_other_values() {
    let simulation = read(TWICE);
    let mut run = simulation.run().expect("it runs");
    run.record(&["y"]).expect("an exit");
    run.step(2).expect("two steps");
    run.set("#1.Value", &[10.0]).expect("it may change between steps");
    run.step(1).expect("a step");
    assert_eq!((run.values("y").expect("recorded"), run.times()), (&[6.0, 6.0, 20.0][..], vec![0.0, 0.5, 1.0]));
    let resume = Some(run.checkpoint());
    let mut resumed = simulation.run_with(&RunOptions { resume, ..options(&["#1.Value=4"]) }).expect("it resumes");
    resumed.finish().expect("it runs to its end");
    assert_eq!((resumed.steps(), resumed.last("y").expect("recorded")), (4, &[8.0][..]));
    assert_eq!(resumed.end(), None::<Reaction>);
}

/// Each kind of error says what and where, and keeps the error behind it.
#[test]
fn every_error_has_its_kind() {
    let mut simulation = read(TWICE);
    let refused = |result: Result<(), Error>, kind: ErrorKind, part: &str| {
        let error = result.expect_err(part);
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(part), "{error}");
        error
    };
    let opened = Simulation::open("no such file.simx").map(drop);
    assert!(refused(opened, ErrorKind::Open, "no such file.simx: the file cannot be read").source().is_some());
    let broken = Opener::default().read(b"<simulation>", None).map(drop);
    assert!(refused(broken, ErrorKind::Open, "model.simx").diagnostics()[0].location.text.is_some());
    let address = simulation.set("#2/#9.Gain", 1);
    assert!(refused(address, ErrorKind::Address, "there is no block “#9”").source().is_some());
    refused(simulation.set("#2/#2.Gain", 1), ErrorKind::Edit, "several instances");
    refused(simulation.set_delta(-1.0), ErrorKind::Edit, "delta must be");
    refused(simulation.get("#2").map(drop), ErrorKind::Address, "is not an option with numbers");
    let mut run = simulation.run().expect("it runs");
    refused(run.values("#1.Output").map(drop), ErrorKind::Address, "is not recorded");
    refused(run.set("#1.Value", &[1.0, 2.0]), ErrorKind::Address, "has 1 values, not 2");
    refused(run.restore(b"nothing"), ErrorKind::Checkpoint, "no checkpoint");
    let engine = RunOptions { engine: "fast".to_owned(), ..RunOptions::default() };
    refused(simulation.run_with(&engine).map(drop), ErrorKind::Engine, "unknown engine “fast”");
    refused(simulation.save("x.unknown"), ErrorKind::File, "x.unknown: unknown file extension");
    let failed = RunOptions { stop_at_non_finite: true, ..options(&["k=1e308"]) };
    let step = simulation.run_with(&failed).expect("it begins").finish();
    assert_eq!(refused(step, ErrorKind::Step, "became infinite\n  block: ").block(), Some("#2/Gain"));
    simulation.set("k", "unknown").expect("a text");
    let invalid = refused(simulation.run().map(drop), ErrorKind::Invalid, "unknown");
    assert_eq!(invalid.diagnostics().len(), simulation.check().len());
    simulation.undo();
    simulation.set_steps(0).expect("no end");
    refused(simulation.run().and_then(|mut run| run.finish()), ErrorKind::Invalid, "has no end");
}

#[test]
fn blocks_of_the_user_are_added() {
    static TWO: BlockDef = BlockDef {
        group: "Mine",
        name: "Two",
        doc: "Returns two",
        formula: "y = 2",
        aliases: &[],
        look: Look::rect(Face::Empty),
        inputs: Ports::NONE,
        outputs: Ports::Fixed(&["Output"]),
        params: &[],
        build: |b| b.output(0, b.constant(2.0)),
        examples: &[] as &[Example],
    };
    let text = TWICE.replace("\"Var\" name=\"Static\"", "\"Mine\" name=\"Two\"");
    let mut simulation = read(&text);
    assert!(!simulation.check().is_empty());
    simulation.add_block(&TWO).expect("a new name");
    assert_eq!(exits(&simulation, &options(&[])), [4.0, 4.0]);
    assert_eq!(simulation.add_block(&TWO).expect_err("it is there").to_string(), "the block Mine/Two exists already");
    let known = Opener::new(Components::standard().with_block(&TWO).expect("a new name"));
    assert_eq!(exits(&known.read(text.as_bytes(), None).expect("a simulation"), &options(&[])), [4.0, 4.0]);
}
