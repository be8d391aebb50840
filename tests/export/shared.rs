//! Models that are used several times become functions.

use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::compile;
use simulate::export::c::{Code, Options, Precision, export};
use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader as _};
use simulate::model::{Block, BlockId, BlockKind, Connection, Model, Simulation};

use super::bench::{BUILDS, Trial, check};

const EPIDEMIC: &str = include_str!("../../assets/examples/epidemic.simx");

fn exported(simulation: &Simulation) -> Code {
    let program = Arc::new(compile(simulation, &Registry::standard()).expect("it compiles"));
    let options = Options {
        name: "test",
        is_single_file: false,
        inlines_parameters: false,
        precision: Precision::Double,
        params: &program.params,
    };
    export(&program, simulation, &options).expect("it can be exported")
}

fn file<'a>(code: &'a Code, name: &str) -> &'a str {
    &code.files.iter().find(|file| file.name == name).expect("the file").text
}

/// `y = (u·gain + lag)·u − u`, in which the state `lag` follows y.
fn valve() -> Model {
    let mut model = Model::new("Valve");
    let library = BlockKind::library;
    model.add_block(Block::new(BlockId(0), BlockKind::entry("u")));
    model.add_block(Block::new(BlockId(1), library("Math", "Gain")).with_option("Gain", &["0.3"]));
    model.add_block(Block::new(BlockId(2), library("Math", "Sum")).with_option("Signs", &["++"]));
    model.add_block(Block::new(BlockId(3), library("Math", "Multiply")));
    model.add_block(Block::new(BlockId(4), library("Math", "Sum")).with_option("Signs", &["+-"]));
    model.add_block(Block::new(BlockId(5), library("Math", "Integrate")).with_option("Initial Value", &["0.7"]));
    model.add_block(Block::new(BlockId(6), BlockKind::exit("y")));
    for (from, to, input) in [
        (0, 1, "Input"),
        (1, 2, "Input 1"),
        (5, 2, "Input 2"),
        (2, 3, "Multiplicand 1"),
        (0, 3, "Multiplicand 2"),
        (3, 4, "Input 1"),
        (0, 4, "Input 2"),
        (4, 5, "Input"),
        (4, 6, "Input"),
    ] {
        let output = if from == 3 { "Product" } else { "Output" };
        model.connect(Connection::new(BlockId(from), output, BlockId(to), input));
    }
    model
}

/// An integrated input through three valves, one after the other.
fn chain() -> Simulation {
    let mut simulation = Simulation::new("Main");
    simulation.delta = 0.1;
    simulation.attributes.set("solver", "rk4");
    simulation.add_model(valve());
    let root = simulation.model_mut("Main").expect("the root");
    root.add_block(Block::new(BlockId(0), BlockKind::entry("u")));
    for id in 1..4 {
        root.add_block(Block::new(BlockId(id), BlockKind::model("Valve")));
    }
    root.add_block(Block::new(BlockId(4), BlockKind::exit("y")));
    root.add_block(Block::new(BlockId(5), BlockKind::library("Math", "Integrate")));
    for (from, output, to, input) in
        [(0, "Output", 5, "Input"), (5, "Output", 1, "u"), (1, "y", 2, "u"), (2, "y", 3, "u"), (3, "y", 4, "Input")]
    {
        root.connect(Connection::new(BlockId(from), output, BlockId(to), input));
    }
    simulation
}

#[test]
fn three_uses_call_one_function() {
    let code = exported(&chain());
    let text = file(&code, "test.c");
    assert_eq!(text.matches("static double test_compute_valve(").count(), 1, "{text}");
    // In the step, and in the function of the rates.
    assert_eq!(text.matches("= test_compute_valve(").count(), 6, "{text}");
    assert!(text.contains("/* Computes the model Valve for #1, #2, #3. */"), "{text}");
    assert!(text.contains("(double gain_1_gain, double u, double integrate_5)"), "the entry names its value: {text}");
    let inputs = vec![("u".to_owned(), (0..40).map(|step| vec![f64::from(step).sin()]).collect())];
    let case = Trial { inputs, ..Trial::new("chain", chain(), 60) }.case().expect("it can be exported");
    check(&[case], &BUILDS);
}

#[test]
fn the_lines_of_the_function_belong_to_the_blocks_of_each_use() {
    let code = exported(&chain());
    let trace: serde_json::Value = serde_json::from_str(file(&code, "test.trace.json")).expect("JSON");
    let text: Vec<&str> = file(&code, "test.c").lines().collect();
    for path in ["#1#3", "#2#3", "#3#3"] {
        let lines = trace["blocks"][path].as_array().expect("the lines of the block");
        let is_product = |range: &serde_json::Value| {
            let place = |at: usize| range[at].as_u64().expect("a line") as usize;
            text[place(0) - 1..place(1)].iter().any(|line| line.contains("multiply_3 ="))
        };
        assert!(lines.iter().any(is_product), "{path}: {lines:?}");
    }
}

/// A model with two ways through it, each of four blocks: `b = 2·(a + 1)·a − 3·a` and `d = |c|·c + 2·c − 5`.
fn two_ways() -> Model {
    let mut model = Model::new("Two ways");
    let formula = BlockKind::library("User", "Formula");
    for (id, text, input) in [(10, "y = 2*(u + 1)*u - 3*u", "a"), (20, "y = abs(u)*u + 2*u - 5", "c")] {
        let block =
            Block::new(BlockId(id), formula.clone()).with_option("Inputs", &["u"]).with_option("Formula", &[text]);
        model.add_block(block);
        model.add_block(Block::new(BlockId(id + 1), BlockKind::entry(input)));
        let exit = if input == "a" { "b" } else { "d" };
        model.add_block(Block::new(BlockId(id + 2), BlockKind::exit(exit)));
        model.connect(Connection::new(BlockId(id + 1), "Output", BlockId(id), "u"));
        model.connect(Connection::new(BlockId(id), "y", BlockId(id + 2), "Input"));
    }
    model
}

/// The schedule goes from one use to the other and back: each use is two groups.
#[test]
fn a_use_that_waits_for_another_is_called_in_two_parts() {
    let mut simulation = Simulation::new("Main");
    simulation.delta = 0.1;
    simulation.add_model(two_ways());
    let root = simulation.model_mut("Main").expect("the root");
    root.add_block(Block::new(BlockId(0), BlockKind::entry("u")));
    root.add_block(Block::new(BlockId(1), BlockKind::model("Two ways")));
    root.add_block(Block::new(BlockId(2), BlockKind::model("Two ways")));
    root.add_block(Block::new(BlockId(3), BlockKind::exit("y")));
    root.add_block(Block::new(BlockId(4), BlockKind::library("Math", "Integrate")));
    for (from, output, to, input) in [
        (0, "Output", 4, "Input"),
        (4, "Output", 1, "a"),
        (1, "b", 2, "a"),
        (2, "b", 1, "c"),
        (1, "d", 2, "c"),
        (2, "d", 3, "Input"),
    ] {
        root.connect(Connection::new(BlockId(from), output, BlockId(to), input));
    }
    let code = exported(&simulation);
    let text = file(&code, "test.c");
    for name in ["test_compute_two_ways", "test_compute_two_ways_2"] {
        assert_eq!(text.matches(&format!("static double {name}(")).count(), 1, "{text}");
        assert_eq!(text.matches(&format!("= {name}(")).count(), 2, "{text}");
    }
    let inputs = vec![("u".to_owned(), (0..40).map(|step| vec![f64::from(step).cos()]).collect())];
    let trial = Trial { inputs, ..Trial::new("ways", simulation, 60) };
    let constant = Trial { name: "ways_constant".to_owned(), inlines_parameters: true, ..trial.clone() };
    check(&[trial.case().expect("a case"), constant.case().expect("a case")], &BUILDS);
}

#[test]
fn the_towns_of_the_epidemic_call_one_function() {
    let loaded = Simx.read(EPIDEMIC.as_bytes(), &LoadOptions::default()).expect("it can be read");
    let code = exported(&loaded.simulation);
    let text = file(&code, "test.c");
    assert_eq!(text.matches("static void test_compute_town(").count(), 1, "{text}");
    assert_eq!(text.matches(" test_compute_town(").count(), 5, "two calls in the step, two for the rates:\n{text}");
    let case = Trial::new("epidemic", loaded.simulation, 500).case().expect("it can be exported");
    check(&[case], &BUILDS);
}
