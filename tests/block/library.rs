//! Every definition of the library: well formed, with correct examples, and the same bits on every engine for any
//! input.

use std::collections::BTreeSet;

use simulate::block::language::NoNames;
use simulate::block::{BlockDef, BuildContext, Face, Kernel, ParamKind, Registry, Settings, TagRole, library};
use simulate::conformance::NASTY;
use simulate::engine::is_unset;
use simulate::model::ParamAddress;

use crate::sketch::{Run, Sketch, is_close};

#[test]
fn rows_are_well_formed() {
    let mut names = BTreeSet::new();
    for def in library::defs() {
        let name = format!("{}/{}", def.group, def.name);
        assert!(names.insert(name.clone()), "{name} is there twice");
        assert!(is_summary(def.doc), "{name}: “{}” begins with no verb that says what the block computes", def.doc);
        assert!(!def.aliases.is_empty() || def.name == "Multiply", "{name} has no further names");
        assert!(!def.examples.is_empty() || is_without_example(def), "{name} has no example");
        match def.look.face {
            Face::Strokes(strokes) => {
                assert!(strokes.iter().all(|stroke| stroke.len() > 1), "{name}: a stroke has two ends");
                let within = |&(x, y): &(f32, f32)| (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y);
                assert!(strokes.iter().copied().flatten().all(within), "{name}: strokes lie in the unit square");
            }
            Face::Param(param) => assert!(def.param(param).is_some(), "{name}: the face shows no parameter"),
            Face::Text(text) => assert!((1..=9).contains(&text.chars().count()), "{name}: the face is too wide"),
            _ => {}
        }
        let mut params = BTreeSet::new();
        for param in def.params {
            assert!(params.insert(param.name), "{name}: {} is there twice", param.name);
            assert!(!param.doc.is_empty(), "{name}: {} has no doc", param.name);
            let has_stop = param.doc.ends_with('.') || param.doc.contains(". ");
            assert!(!has_stop, "{name}: the doc of {} has a full stop", param.name);
            if let ParamKind::Number { default, min, max, vector, .. } = param.kind {
                assert!(default.iter().all(|value| (min..=max).contains(value)), "{name}: {}'s default", param.name);
                assert!(vector || default.len() == 1, "{name}: {} has several defaults", param.name);
            }
            let texts = param.default_texts();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let (read, errors) = Settings::read(def, |known| (known == param.name).then(|| texts.clone()), &NoNames);
            assert_eq!(errors, [], "{name}: the default of {} can be read", param.name);
            assert_eq!(read, Settings::defaults(def), "{name}: the default of {} is the default", param.name);
        }
    }
}

/// Whether a summary is one sentence without a full stop that starts with a verb in the third person singular, and not
/// with one that says nothing about what a block computes.
fn is_summary(doc: &str) -> bool {
    const VAGUE: [&str; 23] = [
        "Always", "Carries", "Does", "Gives", "Goes", "Hands", "Has", "Is", "Its", "Keeps", "Lets", "Makes", "Moves",
        "Puts", "Says", "Steers", "Takes", "Tells", "This", "Turns", "Was", "Works", "Uses",
    ];
    let first = doc.split([' ', ',']).next().unwrap_or_default();
    let is_word =
        first.starts_with(|c: char| c.is_ascii_uppercase()) && first[1..].chars().all(|c| c.is_ascii_lowercase());
    let is_verb = is_word && first.ends_with('s') && !first.ends_with("ss") && !VAGUE.contains(&first);
    is_verb && !doc.ends_with('.') && !doc.contains(". ")
}

#[test]
fn vague_summaries_are_refused() {
    assert!(is_summary("Delays its input by a fixed time"));
    for doc in [
        "Gives its input again after a given time",
        "Steers by the error",
        "A lag of first order",
        "Delay by a fixed time",
        "delays its input",
        "Delays its input. It keeps it",
        "Delays its input.",
        "",
    ] {
        assert!(!is_summary(doc), "{doc}");
    }
}

/// Whether a block needs no example: sinks have no output, random numbers no expected values, names need another block,
/// and files are not part of a definition.
fn is_without_example(def: &BlockDef) -> bool {
    matches!(def.group, "Sink" | "Check" | "Note")
        || def.param("Seed").is_some()
        || def.tag().is_some()
        || def.reads_file()
}

#[test]
fn every_file_is_listed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/block/library");
    let mut files = 0;
    for group in std::fs::read_dir(folder).expect("the library").map(|entry| entry.expect("an entry").path()) {
        if group.is_dir() {
            let names = std::fs::read_dir(group).expect("a group").map(|entry| entry.expect("an entry").file_name());
            files += names.filter(|name| name != "mod.rs").count();
        }
    }
    assert_eq!(files, library::defs().count(), "one file a block");
}

/// Of two blocks with the same mathematics the palette offers one.
#[test]
fn all_blocks_but_one_are_listed() {
    let unlisted = library::defs().filter(|def| !library::is_listed(def)).map(|def| (def.group, def.name));
    assert_eq!(unlisted.collect::<Vec<_>>(), [("Math", "Integrate")]);
}

/// Runs each example: each input gets one value of its list in each step.
#[test]
fn examples_are_true() {
    let mut wrong = Vec::new();
    for def in library::defs() {
        for example in def.examples {
            let steps = example.steps();
            let widths = |input| example.width(input);
            let sketch = around(def, example.options, example.inputs.len(), widths).delta(example.delta);
            let mut run = sketch.solver("euler").run_on("simple");
            for step in 0..steps {
                for (input, values) in example.inputs.iter().enumerate() {
                    let lanes = &values[step * widths(input)..][..widths(input)];
                    let set =
                        run.context.set_param(&run.program, &ParamAddress::new(&[], feed_id(input), "Value"), lanes);
                    set.expect("the feeding block's value");
                }
                run.steps(1);
                for (output, want) in example.outputs.iter().enumerate() {
                    let got = run.exit(&format!("out {output}"));
                    let what = format!("{}/{}: {}, output {output}, step {step}", def.group, def.name, example.doc);
                    assert_eq!(want.len(), steps * got.len(), "{what}: as many values");
                    for (got, want) in got.iter().zip(&want[step * got.len()..]) {
                        if !is_close(*got, *want) {
                            wrong.push(format!("{what}: got {got}, want {want}"));
                        }
                    }
                }
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// For any input a block gives a result, with the same bits on every engine, without a panic and without an endless
/// loop. Blocks that read files have tests of their own, here and below.
#[test]
fn nasty_inputs_give_the_same_bits_on_every_engine() {
    for def in library::defs().filter(|def| !def.reads_file()) {
        // With the options and widths of the examples, too.
        let mut ways: Vec<_> =
            def.examples.iter().map(|example| (example.options, example.widths, example.delta)).collect();
        // Without options a block that takes a bus needs one.
        if ways.iter().all(|(options, ..)| !options.is_empty()) && !def.takes_bus() {
            ways.push((&[], &[], 1.0));
        }
        for (options, widths, delta) in ways {
            let lanes = |input| widths.get(input).copied().unwrap_or(1);
            let texts =
                |name: &str| options.iter().find(|(known, _)| *known == name).map(|(_, values)| values.to_vec());
            let inputs = def.inputs.names(&Settings::read(def, texts, &NoNames).0).len();
            let simulation = around(def, options, inputs, lanes).delta(delta).sketch.simulation;
            let run_on = |engine| Run::where_possible(&simulation, engine);
            let mut runs: Vec<Run> = ["simple", "flat", "compiled"].into_iter().filter_map(run_on).collect();
            let what = format!("{}/{} {options:?}", def.group, def.name);
            for step in 0..NASTY.len() * NASTY.len() {
                let traces = runs.iter_mut().map(|run| {
                    for input in 0..inputs {
                        let value = |lane| NASTY[(step + (input + lane) * (step / NASTY.len())) % NASTY.len()];
                        let values: Vec<f64> = (0..lanes(input)).map(value).collect();
                        let set = run.context.set_param(
                            &run.program,
                            &ParamAddress::new(&[], feed_id(input), "Value"),
                            &values,
                        );
                        set.expect("the feeding block's value");
                    }
                    run.steps(1);
                    run.context.values.iter().map(|value| bits(*value)).collect::<Vec<_>>()
                });
                let traces: Vec<Vec<u64>> = traces.collect();
                assert!(traces.iter().all(|trace| *trace == traces[0]), "{what} at step {step}: {traces:?}");
            }
            let run = &runs[0];
            assert!(!run.context.values.iter().any(|value| is_unset(*value)), "{what} gives a value");
        }
    }
}

#[test]
fn every_choice_builds() {
    for def in library::defs().filter(|def| !def.reads_file() && !def.takes_bus()) {
        for param in def.params {
            let ParamKind::Choice { of, .. } = param.kind else { continue };
            for choice in of {
                let (settings, errors) =
                    Settings::read(def, |name| (name == param.name).then(|| vec![*choice]), &NoNames);
                assert_eq!(errors, []);
                let names = usize::from(def.tag().is_some_and(|(_, _, role)| role == TagRole::Receiver));
                let widths = vec![1; def.inputs.names(&settings).len() + names];
                let kernel = Kernel::build(def, &settings, &widths, BuildContext::new(0.1));
                let outputs = def.output_count(&settings);
                assert_eq!(kernel.expect("it builds").outputs.len(), outputs, "{}/{} {choice}", def.group, def.name);
            }
        }
    }
}

/// Widths that do not match are refused without a panic.
#[test]
fn a_tape_is_built_or_refused_for_any_widths() {
    for def in library::defs() {
        let mut ways: Vec<_> = def.examples.iter().map(|example| example.options).collect();
        ways.push(&[]);
        for options in ways {
            let texts =
                |name: &str| options.iter().find(|(known, _)| *known == name).map(|(_, values)| values.to_vec());
            let settings = Settings::read(def, texts, &NoNames).0;
            let names = usize::from(def.tag().is_some_and(|(_, _, role)| role == TagRole::Receiver));
            let inputs = def.inputs.names(&settings).len() + names;
            for pattern in [[1, 1, 1], [2, 3, 2], [3, 2, 4], [1, 4, 4], [5, 1, 2], [4, 4, 1]] {
                let widths: Vec<usize> = (0..inputs).map(|input| pattern[input % 3]).collect();
                let context = BuildContext { locates: true, ..BuildContext::new(0.1) };
                let _ = Kernel::build(def, &settings, &widths, context);
            }
        }
    }
}

#[test]
fn vectors_are_computed_element_by_element() {
    let mut run = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["1", "2", "3"])])
        .block(1, "Math/Gain", &[("Gain", &["10"])])
        .block(2, "Math/Integrate", &[])
        .block(3, "exit y", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "2.Input")
        .wire("2.Output", "3.Input")
        .run();
    assert_eq!(run.steps(3).exit("y"), [20.0, 40.0, 60.0]);
}

#[test]
fn mux_and_demux_undo_each_other() {
    let mut run = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["1", "2"])])
        .block(1, "Var/Static", &[("Value", &["3"])])
        .block(2, "Routing/Mux", &[])
        .block(3, "Routing/Demux", &[("Widths", &["1", "2"])])
        .block(4, "exit a", &[])
        .block(5, "exit b", &[])
        .wire("0.Output", "2.Input 1")
        .wire("1.Output", "2.Input 2")
        .wire("2.Output", "3.Input")
        .wire("3.Output 1", "4.Input")
        .wire("3.Output 2", "5.Input")
        .run();
    run.steps(1);
    assert_eq!((run.exit("a"), run.exit("b")), (vec![1.0], vec![2.0, 3.0]));
}

/// A quantile table: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.1 and its inverse, to the digits given.
#[test]
fn normal_quantiles_are_those_of_the_tables() {
    use simulate::block::Unary;
    for (p, z) in
        [(0.5, 0.0), (0.975, 1.959_963_984_540_054), (0.999, 3.090_232_306_167_813), (1e-10, -6.361_340_902_404_056)]
    {
        let got = Unary::Probit.value(p);
        assert!((got - z).abs() < 1e-13 * z.abs().max(1.0), "at {p}: {got}, not {z}");
    }
}

fn feed_id(input: usize) -> simulate::model::BlockId {
    simulate::model::BlockId(100 + input as i128)
}

/// The processor chooses the bits of a NaN.
fn bits(value: f64) -> u64 {
    if value.is_nan() && !is_unset(value) { f64::NAN.to_bits() } else { value.to_bits() }
}

/// Returns a simulation of the block alone: each input gets a value, each output goes to an exit.
fn around(
    def: &'static BlockDef,
    options: &[(&str, &[&str])],
    inputs: usize,
    lanes: impl Fn(usize) -> usize,
) -> Around {
    let texts = |name: &str| options.iter().find(|(known, _)| *known == name).map(|(_, values)| values.to_vec());
    let (settings, errors) = Settings::read(def, texts, &NoNames);
    assert_eq!(errors, [], "{}/{}", def.group, def.name);
    let (input_names, output_names) = (def.inputs.names(&settings), def.outputs.names(&settings));
    assert_eq!(input_names.len(), inputs, "{}/{}: values for each input", def.group, def.name);
    let mut sketch = Sketch::new(1.0).block(0, &format!("{}/{}", def.group, def.name), options);
    for (input, name) in input_names.iter().enumerate() {
        let id = feed_id(input).0;
        sketch = sketch
            .block(100 + input as u64, "Var/Static", &[("Value", &vec!["1"; lanes(input)])])
            .wire(&format!("{id}.Output"), &format!("0.{name}"));
    }
    if let Some((_, space, TagRole::Receiver | TagRole::Writer)) = def.tag() {
        // A block that has the name.
        let is_origin = |known: &&BlockDef| known.tag().is_some_and(|(_, of, role)| of == space && role.is_origin());
        let origin = library::defs().find(is_origin).expect("a block that has the name");
        sketch = sketch.block(300, &format!("{}/{}", origin.group, origin.name), &[]).block(301, "Var/Static", &[]);
        for input in origin.inputs.names(&Settings::defaults(origin)) {
            sketch = sketch.wire("301.Output", &format!("300.{input}"));
        }
    }
    for (output, name) in output_names.iter().enumerate() {
        let id = 200 + output as u64;
        sketch =
            sketch.block(id, &format!("exit out {output}"), &[]).wire(&format!("0.{name}"), &format!("{id}.Input"));
    }
    Around { sketch, registered: Registry::standard().get(def.group, def.name).is_some() }
}

struct Around {
    sketch: Sketch,
    registered: bool,
}

impl Around {
    fn delta(mut self, delta: f64) -> Around {
        self.sketch.simulation.delta = delta;
        self
    }

    fn solver(mut self, solver: &str) -> Around {
        self.sketch = self.sketch.solver(solver);
        self
    }

    fn run_on(self, engine: &str) -> Run {
        assert!(self.registered);
        Run::new(&self.sketch.simulation, engine)
    }
}
