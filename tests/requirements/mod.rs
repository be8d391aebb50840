//! The tests for each sentence of the source documents: `rows.csv` has a line for each of the 146.
//!
//! A line names tests by module and function, or has `context` for a sentence without a requirement. Sentences without
//! another test have a small one here.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::{Context, Engines, Samples, compile};
use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader as _};
use simulate::model::{Block, BlockId, BlockKind, Connection, InputKey, ParamAddress, Simulation, block_ports};

use crate::sketch::{Run, Sketch};

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn load(text: &str) -> Simulation {
    Simx.read(text.as_bytes(), &LoadOptions::default()).unwrap().simulation
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns the tests of this program, such as `engine::reference::steps::time_is_multiplied_and_never_summed`.
fn tests_there_are() -> BTreeSet<String> {
    let list = Command::new(std::env::current_exe().unwrap()).args(["--list", "--format", "terse"]).output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    list.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect()
}

/// Returns whether a test is left out of this program, which is compiled without its feature.
fn is_left_out(test: &str) -> bool {
    let is_in = |rooms: &[&str]| rooms.iter().any(|room| test.starts_with(room));
    !cfg!(feature = "app") && is_in(&["app::", "canvas::"])
        || !cfg!(feature = "pool") && is_in(&["pool::", "engine::remote::", "worker::blocks::"])
}

/// Returns whether the sample in the readme is compiled and run as a documentation test.
fn readme_is_a_test() -> bool {
    let [library, readme] = ["src/lib.rs", "README.md"].map(|file| fs::read_to_string(package().join(file)).unwrap());
    library.contains("#[doc = include_str!(\"../README.md\")]") && readme.contains("```rust\n")
}

/// Returns the mistakes in the list of tests of a row.
fn wrong_names(row: &str, tests: &str, known: &BTreeSet<String>) -> Vec<String> {
    if tests.is_empty() {
        return vec![format!("{row} has no test")];
    }
    let runs = |test: &str| match test {
        "context" => tests == "context",
        "doc::README" => readme_is_a_test(),
        _ => known.contains(test) || is_left_out(test),
    };
    tests.split(' ').filter(|test| !runs(test)).map(|test| format!("{row}: no test {test} runs")).collect()
}

#[test]
fn every_sentence_has_its_test() {
    let known = tests_there_are();
    let mut reader = csv::Reader::from_path(package().join("tests/requirements/rows.csv")).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert!(rows.iter().map(|row| row[0].to_owned()).eq((1..=146).map(|number| format!("R{number:03}"))));
    let wrong: Vec<String> = rows.iter().flat_map(|row| wrong_names(&row[0], &row[1], &known)).collect();
    assert_eq!(wrong, [""; 0]);
}

/// A function that is no test, a test that was renamed, and a room are refused.
#[test]
fn a_name_that_runs_no_test_is_refused() {
    let known = tests_there_are();
    let own = "requirements::a_name_that_runs_no_test_is_refused";
    assert_eq!(wrong_names("R001", own, &known), [""; 0]);
    assert_eq!(wrong_names("R001", "context", &known), [""; 0]);
    for name in ["requirements::load", "requirements::a_name_that_ran", "requirements", "doc::LICENSE", "context"] {
        assert_eq!(wrong_names("R001", &format!("{own} {name}"), &known), [format!("R001: no test {name} runs")]);
    }
    assert_eq!(wrong_names("R001", "", &known), ["R001 has no test"]);
}

/// R001, R109, R110: only the window uses the GUI crates.
#[test]
fn the_engine_names_no_window() {
    let mut files = Vec::new();
    rust_files(&package().join("src"), &mut files);
    let is_window = |path: &Path| path.starts_with(package().join("src/app")) || path == package().join("src/main.rs");
    let names = ["egui::", "eframe::", "rfd::", "egui_tiles::"];
    for path in files.iter().filter(|path| !is_window(path)) {
        let text = fs::read_to_string(path).unwrap();
        for name in names {
            assert!(!text.contains(name), "{} names {name}", path.display());
        }
    }
}

/// R002, R003, R073, R117.
#[test]
fn a_simulation_has_models_blocks_and_connections() {
    let simulation = load(
        "<simulation root='A'><model name='A'><entry id='0' name='u'/><block id='1' group='Math' name='Gain'/>\
         <connection from='0' output='Output' to='1' input='Input'/></model><model name='B'/><model name='C'/></simulation>",
    );
    assert_eq!(simulation.models.keys().map(|name| &**name).collect::<Vec<_>>(), ["A", "B", "C"]);
    let model = simulation.model("A").unwrap();
    assert_eq!(model.blocks.keys().copied().collect::<Vec<_>>(), [BlockId(0), BlockId(1)]);
    assert_eq!(model.connections.len(), 1);
}

/// R005, R052, R116.
#[test]
fn the_four_kinds_of_blocks_need_no_plugin() {
    let simulation = load(
        "<simulation root='A'><model name='A'><entry id='0' name='u'/><exit id='1' name='y'/><model id='2' model='B'/>\
         <block id='3' group='Math' name='Gain'/></model><model name='B'/></simulation>",
    );
    let kinds: Vec<BlockKind> =
        simulation.model("A").unwrap().blocks.values().map(|block| block.kind.clone()).collect();
    let expected =
        [BlockKind::entry("u"), BlockKind::exit("y"), BlockKind::model("B"), BlockKind::library("Math", "Gain")];
    assert_eq!(kinds, expected);
    assert!(Registry::standard().get("Math", "Gain").is_some());
}

/// R006, R081, R095, R096, R129, R135: x(n+1) = x(n) + 1 in two contexts that advance alternately.
#[test]
fn two_contexts_of_one_program_run_apart() {
    let counter = counter();
    let program = Arc::new(compile(&counter.simulation, &Registry::standard()).unwrap());
    let (mut first, mut second) = (Context::new(&program), Context::new(&program));
    let engines = Engines::standard();
    let mut run = engines.get("simple").unwrap().prepare(&program).unwrap();
    run.run(&mut first, 3, &mut Samples::default()).unwrap();
    run.run(&mut second, 1, &mut Samples::default()).unwrap();
    run.run(&mut first, 2, &mut Samples::default()).unwrap();
    let value = |context: &Context| context.exits(&program)[0].1.clone().unwrap();
    assert_eq!((value(&first), value(&second)), (vec![5.0], vec![1.0]));
}

/// R129: what is set of a block is set in the given context, and counts in no other.
#[test]
fn an_option_is_set_in_its_context_alone() {
    let program = Arc::new(compile(&counter().simulation, &Registry::standard()).unwrap());
    let (mut first, mut second) = (Context::new(&program), Context::new(&program));
    first.set_param(&program, &ParamAddress::new(&[], BlockId(1), "Bias"), &[10.0]).unwrap();
    let mut run = Engines::standard().get("simple").unwrap().prepare(&program).unwrap();
    for context in [&mut first, &mut second] {
        run.run(context, 3, &mut Samples::default()).unwrap();
    }
    let value = |context: &Context| context.exits(&program)[0].1.clone().unwrap();
    assert_eq!((value(&first), value(&second)), (vec![30.0], vec![3.0]));
}

/// `x` starts at 0 and increases by 1 in each step.
fn counter() -> Sketch {
    Sketch::new(1.0)
        .block(0, "entry x", &[])
        .block(1, "Math/Bias", &[("Bias", &["1"])])
        .block(2, "exit x", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "2.Input")
}

/// R019, R076, R086, R087, R121: a constant to three gains of 1, 2 and 3, whose outputs are summed: (1 + 2 + 3) · 5.
#[test]
fn an_output_sets_all_inputs_it_is_connected_to() {
    let mut sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["5"])])
        .block(4, "Math/Sum", &[("Signs", &["+++"])])
        .block(5, "exit y", &[])
        .wire("4.Output", "5.Input");
    for gain in 1..=3_u64 {
        let value = gain.to_string();
        sketch = sketch
            .block(gain, "Math/Gain", &[("Gain", &[&value])])
            .wire("0.Output", &format!("{gain}.Input"))
            .wire(&format!("{gain}.Output"), &format!("4.Input {gain}"));
    }
    let mut run = sketch.run();
    run.steps(1);
    assert_eq!(run.exit("y"), [30.0]);
    // The constant, three gains, the sum and the exit, each once.
    assert_eq!(run.context.executed, 6);
}

/// R022, R023.
#[test]
fn each_model_has_ids_of_its_own() {
    let simulation = load(
        "<simulation root='A'><model name='A'><entry id='0' name='u'/></model>\
         <model name='B'><exit id='0' name='y'/></model></simulation>",
    );
    let kind = |model: &str| simulation.model(model).unwrap().block(BlockId(0)).unwrap().kind.clone();
    assert_eq!((kind("A"), kind("B")), (BlockKind::entry("u"), BlockKind::exit("y")));
}

/// R026.
#[test]
fn two_blocks_have_inputs_of_the_same_name() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[])
        .block(1, "Math/Gain", &[])
        .block(2, "Math/Gain", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "2.Input");
    let model = sketch.simulation.model("Main").unwrap();
    let source = |id| model.connections.get(&InputKey::new(BlockId(id), "Input")).expect("a wire").from;
    assert_eq!((source(1), source(2)), (BlockId(0), BlockId(1)));
}

/// R027: inputs have stable names; adding and removing one does not affect the others.
#[test]
fn a_port_keeps_its_name_over_the_life_of_its_block() {
    let registry = Registry::standard();
    let def = registry.get("Math", "Sum").unwrap();
    let inputs = |signs: &str| {
        let block = Block::new(BlockId(7), BlockKind::library("Math", "Sum")).with_option("Signs", &[signs]);
        let mut simulation = Simulation::new("Main");
        simulation.model_mut("Main").unwrap().add_block(block);
        let model = simulation.model("Main").unwrap();
        let ports = block_ports(&simulation, &registry, model, model.block(BlockId(7)).unwrap());
        ports.inputs.iter().map(|port| port.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(def.name, "Sum");
    assert_eq!(inputs("++"), ["Input 1", "Input 2"]);
    assert_eq!(inputs("++-"), ["Input 1", "Input 2", "Input 3"]);
    assert_eq!(inputs("++"), ["Input 1", "Input 2"]);
}

/// R028: the key of a removed block finds nothing.
#[test]
fn what_is_deleted_is_not_reached() {
    let mut sketch = counter();
    let model = sketch.simulation.model_mut("Main").unwrap();
    model.remove_block(BlockId(1)).unwrap();
    assert!(model.block(BlockId(1)).is_none());
    assert!(model.source(BlockId(1), "Input").is_none() && model.source(BlockId(2), "Input").is_none());
}

/// R030, R031.
#[test]
fn ids_are_whole_numbers_of_one_type() {
    for id in ["0", "1099511627776", "18446744073709551615"] {
        let text = format!("<simulation root='A'><model name='A'><entry id='{id}' name='u'/></model></simulation>");
        let written = String::from_utf8(Simx.write(&load(&text)).unwrap()).unwrap();
        assert!(written.contains(&format!("id=\"{id}\"")), "{id}: {written}");
    }
}

/// R042.
#[test]
fn a_file_names_no_engine_and_runs_on_the_default_one() {
    let written = String::from_utf8(Simx.write(&counter().simulation).unwrap()).unwrap();
    assert!(!written.contains("engine") && !written.contains("factory"), "{written}");
    let mut run = Run::new(&load(&written), "auto");
    assert_eq!(run.steps(4).exit("x"), [4.0]);
}

/// R053.
#[test]
fn an_entry_and_an_exit_need_only_a_name() {
    let text = "<simulation root='A'><model name='A'><entry id='0' name='u'/><exit id='1' name='y'/>\
                <connection from='0' output='Output' to='1' input='Input'/></model></simulation>";
    let mut run = Run::new(&load(text), "simple");
    assert_eq!(run.steps(1).exit("y"), [0.0]);
}

/// R068.
#[test]
fn the_author_is_credited() {
    let readme = fs::read_to_string(package().join("README.md")).unwrap();
    assert!(readme.contains("Kevin Cuzner"));
}

/// R074: x(n+1) = 0.5 · x(n) + 3 from 0 goes 3, 4.5, 5.25, 5.625.
#[test]
fn a_model_is_one_step_of_an_equation() {
    let sketch = Sketch::new(1.0)
        .block(0, "entry x", &[])
        .block(1, "Math/Gain", &[("Gain", &["0.5"])])
        .block(2, "Math/Bias", &[("Bias", &["3"])])
        .block(3, "exit x", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "2.Input")
        .wire("2.Output", "3.Input");
    assert_eq!(sketch.run().trace("x", 4), [3.0, 4.5, 5.25, 5.625]);
}

/// R097: a context that is created after adding a block runs the block.
#[test]
fn a_block_that_was_added_takes_part() {
    let mut sketch = counter();
    sketch.run().steps(1);
    let model = sketch.simulation.model_mut("Main").unwrap();
    assert!(model.add_block(Block::new(BlockId(3), BlockKind::exit("y"))));
    model.connect(Connection::new(BlockId(0), "Output", BlockId(3), "Input"));
    let mut run = sketch.run();
    run.steps(3);
    assert_eq!((run.exit("x"), run.exit("y")), (vec![3.0], vec![2.0]));
}

/// R004, R133: the root model runs.
#[test]
fn another_root_runs_another_model() {
    let model = |name: &str, value: &str| {
        format!(
            "<model name='{name}'><block id='0' group='Var' name='Static'><option name='Value'><value>{value}</value></option>\
             </block><exit id='1' name='y'/><connection from='0' output='Output' to='1' input='Input'/></model>"
        )
    };
    let mut simulation = load(&format!("<simulation root='A'>{}{}</simulation>", model("A", "3"), model("B", "7")));
    let value = |simulation: &Simulation| Run::new(simulation, "auto").steps(1).exit("y");
    assert_eq!(value(&simulation), [3.0]);
    simulation.root = "B".into();
    assert_eq!(value(&simulation), [7.0]);
}

/// R043, R044: an engine that the file names, known or unknown, changes neither the file nor the result.
#[test]
fn an_unknown_engine_in_a_file_changes_nothing() {
    let text = |engine: &str| {
        format!(
            "<simulation steps='4' root='A' {engine}><model name='A'><entry id='0' name='x'/>\
             <block id='1' group='Math' name='Bias'><option name='Bias'><value>1</value></option></block>\
             <exit id='2' name='x'/><connection from='0' output='Output' to='1' input='Input'/>\
             <connection from='1' output='Output' to='2' input='Input'/></model></simulation>"
        )
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.simx");
    for engine in ["", "engine='warp'", "engine='simple'"] {
        let text = text(engine);
        let loaded = Simx.read(text.as_bytes(), &LoadOptions::default()).unwrap();
        assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
        let written = String::from_utf8(Simx.write(&loaded.simulation).unwrap()).unwrap();
        assert_eq!(written.matches("warp").count(), text.matches("warp").count(), "the attribute comes back");
        fs::write(&path, &text).unwrap();
        let arguments = ["run", path.to_str().unwrap(), "--format", "json"];
        let output = crate::cli::command(folder.path(), &arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(result["exits"]["x"], serde_json::json!([4.0]), "{engine}");
    }
}

/// R075: the sum of 1 to 1000 by a thousand inputs, on every engine; and a sink, which has no output.
#[test]
fn a_sum_has_a_thousand_inputs() {
    let mut sketch =
        Sketch::new(1.0).block(0, "Math/Sum", &[("Signs", &["+".repeat(1000).as_str()])]).block(1001, "exit y", &[]);
    for number in 1..=1000_u64 {
        let value = number.to_string();
        sketch = sketch
            .block(number, "Var/Static", &[("Value", &[value.as_str()])])
            .wire(&format!("{number}.Output"), &format!("0.Input {number}"));
    }
    let sketch = sketch.wire("0.Output", "1001.Input");
    for engine in ["simple", "flat", "threaded", "compiled", "auto"] {
        assert_eq!(Run::new(&sketch.simulation, engine).steps(2).exit("y"), [500_500.0], "{engine}");
    }
}

/// R118: a chain of 100,000 gains between a source and an exit.
#[test]
fn a_model_of_a_hundred_thousand_blocks_runs() {
    const BLOCKS: u64 = 100_000;
    let mut sketch = Sketch::new(1.0).block(0, "Var/Static", &[("Value", &["5"])]);
    let model = sketch.simulation.model_mut("Main").unwrap();
    for id in 1..=BLOCKS {
        let block = Block::new(BlockId(id.into()), BlockKind::library("Math", "Gain")).with_option("Gain", &["-1"]);
        assert!(model.add_block(block));
        model.connect(Connection::new(BlockId(id as i128 - 1), "Output", BlockId(id.into()), "Input"));
    }
    let end = BLOCKS + 1;
    let sketch = sketch.block(end, "exit y", &[]).wire(&format!("{BLOCKS}.Output"), &format!("{end}.Input"));
    for engine in ["simple", "auto"] {
        let mut run = Run::new(&sketch.simulation, engine);
        assert_eq!(run.steps(2).exit("y"), [5.0], "{engine}");
        assert_eq!(run.context.executed, BLOCKS + 2, "{engine}");
    }
}

/// R127: a hundred thousand instances share one model in the document; an instance adds only its block.
#[test]
fn a_model_is_kept_once_however_often_it_is_used() {
    const USES: u64 = 100_000;
    let mut sketch = Sketch::new(1.0)
        .block_in("Leaf", 0, "entry u", &[])
        .block_in("Leaf", 1, "Math/Gain", &[("Gain", &["2"])])
        .block_in("Leaf", 2, "exit y", &[])
        .wire_in("Leaf", "0.Output", "1.Input")
        .wire_in("Leaf", "1.Output", "2.Input")
        .block(0, "Var/Static", &[("Value", &["1"])]);
    let model = sketch.simulation.model_mut("Main").unwrap();
    for id in 1..=USES {
        assert!(model.add_block(Block::new(BlockId(id.into()), BlockKind::model("Leaf"))));
        model.connect(Connection::new(BlockId(0), "Output", BlockId(id.into()), "u"));
    }
    let simulation = &sketch.simulation;
    assert_eq!(simulation.instances_of("Leaf").count(), USES as usize);
    assert_eq!(simulation.models.len(), 2);
    // A copy, such as an undo step, shares all blocks of both models.
    let copy = simulation.clone();
    assert!(Arc::ptr_eq(copy.model("Leaf").unwrap(), simulation.model("Leaf").unwrap()));
    assert!(Arc::ptr_eq(copy.model("Main").unwrap(), simulation.model("Main").unwrap()));
    let program = Arc::new(compile(simulation, &Registry::standard()).unwrap());
    let context = Context::new(&program);
    // An instance has the values of its entry, gain and exit, and the gain's parameter: 32 bytes. The constant has two.
    let parts = [&context.values, &context.discrete, &context.continuous, &context.history, &context.params];
    let numbers: usize = parts.iter().map(|part| part.len()).sum();
    assert_eq!(numbers, 4 * USES as usize + 2);
}
