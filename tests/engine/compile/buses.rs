//! Buses: names of elements are inferred and checked before a run, follow values that are only moved, and never change a
//! value.

use simulate::block::{Bus, Registry};
use simulate::engine::{compile, diagnose};
use simulate::model::{BlockId, Diagnostic, SignalKey};

use crate::sketch::{Run, Sketch};

/// Options of a block, each with its values.
type Options<'a> = &'a [(&'a str, &'a [&'a str])];

/// Two ramps as the bus `speed, force` at 10.Bus: speed is n, force is 100 − n.
fn two() -> Sketch {
    Sketch::new(1.0)
        .block(1, "Var/Line", &[])
        .block(2, "Var/Line", &[("Slope", &["-1"]), ("Initial Value", &["100"])])
        .block(10, "Routing/Bus Creator", &[("Names", &["speed force"])])
        .wire("1.Output", "10.speed")
        .wire("2.Output", "10.force")
}

/// The bus of `two()` behind a block between 10.Bus and the input of a selector of `force speed`, block 30.
fn behind(block: &str, options: Options, inputs: &[&str], output: &str) -> Sketch {
    let sketch = two().block(20, block, options);
    let sketch = inputs.iter().fold(sketch, |sketch, input| sketch.wire("10.Bus", &format!("20.{input}")));
    selected(sketch, &format!("20.{output}"))
}

fn selected(sketch: Sketch, from: &str) -> Sketch {
    sketch
        .block(30, "Routing/Bus Selector", &[("Elements", &["force speed"])])
        .block(31, "exit force", &[])
        .block(32, "exit speed", &[])
        .wire(from, "30.Bus")
        .wire("30.force", "31.Input")
        .wire("30.speed", "32.Input")
}

fn names(sketch: &Sketch, block: u64, output: &str) -> Option<String> {
    let program = compile(&sketch.simulation, &Registry::standard()).expect("it compiles");
    let of = program.type_of(&SignalKey::new(&[], BlockId(block.into()), output)).expect("the signal");
    of.bus.map(|bus| bus.to_string())
}

fn problems(sketch: &Sketch) -> Vec<String> {
    let found = diagnose(&sketch.simulation, &Registry::standard());
    found.iter().filter(|found| found.is_error()).map(text).collect()
}

fn text(found: &Diagnostic) -> String {
    let block = found.location.block.map_or(String::new(), |block| block.0.to_string());
    format!("{} {block}: {}", found.code, found.message)
}

/// Both exits in each of the first steps, on every engine.
fn on_all_engines(sketch: &Sketch, steps: usize, want: &[(&str, Vec<f64>)]) {
    for engine in ["simple", "flat", "compiled"] {
        let mut run = Run::new(&sketch.simulation, engine);
        for step in 0..steps {
            run.steps(1);
            for (exit, want) in want {
                assert_eq!(run.exit(exit), [want[step]], "{engine}, {exit}, step {step}");
            }
        }
    }
}

fn speed(delay: i32) -> Vec<f64> {
    (0..5).map(|step| if step < delay { 0.0 } else { f64::from(step - delay) }).collect()
}

fn force(delay: i32) -> Vec<f64> {
    (0..5).map(|step| if step < delay { 0.0 } else { 100.0 - f64::from(step - delay) }).collect()
}

#[test]
fn elements_are_selected_by_name() {
    let sketch = selected(two(), "10.Bus");
    assert_eq!(names(&sketch, 10, "Bus").as_deref(), Some("speed, force"));
    assert_eq!(names(&sketch, 30, "force"), None);
    on_all_engines(&sketch, 5, &[("speed", speed(0)), ("force", force(0))]);
}

/// Blocks that only move values pass a bus on.
#[test]
fn names_follow_values_that_are_moved() {
    let delayed: [(&str, Options); 5] = [
        ("Discrete/Unit Delay", &[]),
        ("Discrete/Memory", &[]),
        ("Discrete/Delay", &[("Length", &["1"])]),
        ("Discrete/Unit Delay", &[("Sample Time", &["1"])]),
        ("Discrete/Unit Delay", &[("Initial Value", &["0", "0"])]),
    ];
    for (block, options) in delayed {
        let sketch = behind(block, options, &["Input"], "Output");
        assert_eq!(names(&sketch, 20, "Output").as_deref(), Some("speed, force"), "{block}");
        on_all_engines(&sketch, 5, &[("speed", speed(1)), ("force", force(1))]);
    }
    let passed: [(&str, Options, &[&str]); 5] = [
        ("Discrete/Zero-Order Hold", &[], &["Input"]),
        ("Discrete/Rate Transition", &[], &["Input"]),
        ("Routing/Manual Switch", &[], &["Input 1", "Input 2"]),
        ("Routing/Multiport Switch", &[("Inputs", &["2"])], &["Input 1", "Input 2"]),
        ("Signal/Signal Specification", &[("Width", &["2"])], &["Input"]),
    ];
    for (block, options, inputs) in passed {
        let mut sketch = behind(block, options, inputs, "Output");
        if block == "Routing/Multiport Switch" {
            sketch = sketch.block(21, "Var/Static", &[("Value", &["2"])]).wire("21.Output", "20.Index");
        }
        assert_eq!(names(&sketch, 20, "Output").as_deref(), Some("speed, force"), "{block}");
        on_all_engines(&sketch, 5, &[("speed", speed(0)), ("force", force(0))]);
    }
}

/// A scalar beside a bus, such as the 0 of a switch, is expanded and changes no names.
#[test]
fn a_switch_of_a_bus_and_a_scalar_is_that_bus() {
    let sketch = behind("Routing/Switch", &[("Threshold", &["3"])], &["Input 1"], "Output")
        .block(21, "Var/Ground", &[])
        .wire("1.Output", "20.Control")
        .wire("21.Output", "20.Input 2");
    on_all_engines(&sketch, 5, &[("speed", vec![0.0, 0.0, 0.0, 3.0, 4.0]), ("force", vec![0.0, 0.0, 0.0, 97.0, 96.0])]);
}

#[test]
fn arithmetic_drops_names() {
    let blocks: [(&str, &[&str]); 4] = [
        ("Math/Gain", &["Input"]),
        ("Math/Abs", &["Input"]),
        ("Math/Sum", &["Input 1", "Input 2"]),
        ("Continuous/Integrator", &["Input"]),
    ];
    for (block, inputs) in blocks {
        let found = problems(&behind(block, &[], inputs, "Output"));
        let name = block.split_once('/').expect("a name").1;
        let want =
            format!("not-a-bus 30: the signal from {name} #20 of “Main” is not a bus: its elements have no names");
        assert_eq!(found, [want], "{block}");
    }
}

#[test]
fn tags_and_stores_carry_a_bus() {
    let tag = two().block(11, "Routing/Goto", &[]).block(12, "Routing/From", &[]).wire("10.Bus", "11.Input");
    on_all_engines(&selected(tag, "12.Output"), 5, &[("speed", speed(0)), ("force", force(0))]);
    let store = two()
        .block(11, "Routing/Data Store Memory", &[])
        .block(12, "Routing/Data Store Write", &[])
        .block(13, "Routing/Data Store Read", &[])
        .wire("10.Bus", "12.Input");
    on_all_engines(&selected(store, "13.Output"), 5, &[("speed", speed(1)), ("force", force(1))]);
}

/// A bus goes into a model, two levels deep, and comes out of it; a pair of an entry and an exit delays it.
#[test]
fn models_carry_a_bus() {
    let nested = |inner: Sketch| {
        inner
            .block(20, "model Outer", &[])
            .block_in("Outer", 1, "entry u", &[])
            .block_in("Outer", 2, "model Inner", &[])
            .block_in("Outer", 3, "exit y", &[])
            .block_in("Inner", 1, "entry u", &[])
            .block_in("Inner", 3, "exit y", &[])
            .wire_in("Outer", "1.Output", "2.u")
            .wire_in("Outer", "2.y", "3.Input")
            .wire("10.Bus", "20.u")
    };
    let plain = nested(two()).wire_in("Inner", "1.Output", "3.Input");
    on_all_engines(&selected(plain, "20.y"), 5, &[("speed", speed(0)), ("force", force(0))]);
    let paired = nested(two())
        .block_in("Inner", 4, "entry x", &[])
        .block_in("Inner", 5, "exit x", &[])
        .wire_in("Inner", "1.Output", "5.Input")
        .wire_in("Inner", "4.Output", "3.Input");
    on_all_engines(&selected(paired, "20.y"), 5, &[("speed", speed(1)), ("force", force(1))]);
}

/// The exits of an enabled model hold the bus while the model does not run.
#[test]
fn a_conditional_model_carries_a_bus() {
    let mut sketch = two()
        .block(20, "model Held", &[])
        .block(21, "Logic/Compare To Constant", &[("Operator", &["<"]), ("Constant", &["2"])])
        .block_in("Held", 1, "entry u", &[])
        .block_in("Held", 2, "entry on", &[])
        .block_in("Held", 3, "exit y", &[])
        .wire_in("Held", "1.Output", "3.Input")
        .wire("1.Output", "21.Input")
        .wire("21.Output", "20.on")
        .wire("10.Bus", "20.u");
    let on = sketch.simulation.model_mut("Held").and_then(|model| model.block_mut(BlockId(2))).expect("the entry");
    on.attributes.set("role", "enable");
    let held = [("speed", vec![0.0, 1.0, 1.0, 1.0, 1.0]), ("force", vec![100.0, 99.0, 99.0, 99.0, 99.0])];
    on_all_engines(&selected(sketch, "20.y"), 5, &held);
}

/// In a for-each model an entry that is not split has the names; the split elements and the joined results have none.
#[test]
fn a_for_each_model_splits_values_and_carries_a_bus() {
    let mut sketch = two()
        .block(20, "model Each", &[])
        .block(21, "exit y", &[])
        .block(22, "Var/Static", &[("Value", &["1", "10", "1000"])])
        .block_in("Each", 1, "entry all", &[])
        .block_in("Each", 2, "entry one", &[])
        .block_in("Each", 3, "exit y", &[])
        .block_in("Each", 4, "Routing/Bus Selector", &[("Elements", &["speed"])])
        .block_in("Each", 5, "Math/Multiply", &[])
        .wire_in("Each", "1.Output", "4.Bus")
        .wire_in("Each", "4.speed", "5.Multiplicand 1")
        .wire_in("Each", "2.Output", "5.Multiplicand 2")
        .wire_in("Each", "5.Product", "3.Input")
        .wire("10.Bus", "20.all")
        .wire("22.Output", "20.one")
        .wire("20.y", "21.Input");
    let one = sketch.simulation.model_mut("Each").and_then(|model| model.block_mut(BlockId(2))).expect("the entry");
    one.attributes.set("role", "each");
    assert_eq!(names(&sketch, 20, "y"), None);
    for engine in ["simple", "flat", "compiled"] {
        let mut run = Run::new(&sketch.simulation, engine);
        assert_eq!(run.steps(4).exit("y"), [3.0, 30.0, 3000.0], "{engine}");
    }
}

#[test]
fn buses_nest_and_are_assigned_by_name() {
    let sketch = two()
        .block(3, "Var/Static", &[("Value", &["5", "6", "7"])])
        .block(11, "Routing/Bus Creator", &[("Names", &["v car"])])
        .block(12, "Routing/Bus Assignment", &[("Elements", &["car.force v"])])
        .block(13, "Routing/Bus Selector", &[("Elements", &["car v car.force"])])
        .block(14, "Routing/Bus Selector", &[("Elements", &["car.speed v"]), ("Output", &["bus"])])
        .wire("3.Output", "11.v")
        .wire("10.Bus", "11.car")
        .wire("11.Bus", "12.Input Bus")
        .wire("1.Output", "12.car.force")
        .wire("2.Output", "12.v")
        .wire("12.Bus", "13.Bus")
        .wire("12.Bus", "14.Bus")
        .block(40, "exit force", &[])
        .block(41, "exit car", &[])
        .block(42, "exit part", &[])
        .wire("13.car.force", "40.Input")
        .wire("13.car", "41.Input")
        .wire("14.Bus", "42.Input");
    assert_eq!(names(&sketch, 12, "Bus").as_deref(), Some("v[3], car.speed, car.force"));
    assert_eq!(names(&sketch, 13, "car").as_deref(), Some("speed, force"));
    assert_eq!(names(&sketch, 14, "Bus").as_deref(), Some("speed, v[3]"));
    for engine in ["simple", "flat", "compiled"] {
        let mut run = Run::new(&sketch.simulation, engine);
        run.steps(4);
        assert_eq!(run.exit("force"), [3.0], "{engine}");
        assert_eq!(run.exit("car"), [3.0, 3.0], "{engine}");
        assert_eq!(run.exit("part"), [3.0, 97.0, 97.0, 97.0], "{engine}");
    }
}

/// A vector without names gets them at a selector.
#[test]
fn a_vector_is_named_where_it_is_taken_apart() {
    let sketch = behind("Math/Gain", &[("Gain", &["2"])], &["Input"], "Output")
        .block(33, "Routing/Bus Selector", &[("Elements", &["b a"]), ("Input Names", &["a b"]), ("Output", &["bus"])])
        .block(34, "exit ba", &[])
        .wire("20.Output", "33.Bus")
        .wire("33.Bus", "34.Input");
    let mut wrong = problems(&sketch);
    assert_eq!(wrong.len(), 1, "block 30 takes a vector without names: {wrong:?}");
    let sketch = Sketch {
        simulation: {
            let mut s = sketch.simulation;
            s.model_mut("Main").expect("it").remove_block(BlockId(30));
            s
        },
    };
    wrong = problems(&sketch);
    assert_eq!(wrong, [""; 0]);
    assert_eq!(names(&sketch, 33, "Bus").as_deref(), Some("b, a"));
    let mut run = sketch.run();
    assert_eq!(run.steps(3).exit("ba"), [196.0, 4.0]);
}

/// A delay that takes the sample time of its bus, which is held for three steps, still has the names.
#[test]
fn a_bus_with_a_sample_time_keeps_its_names() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Clock", &[])
        .block(1, "Discrete/Zero-Order Hold", &[("Sample Time", &["3"])])
        .block(2, "Routing/Bus Creator", &[("Names", &["a b"])])
        .block(3, "Discrete/Unit Delay", &[])
        .block(4, "Routing/Bus Selector", &[("Elements", &["b"])])
        .block(5, "exit y", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "2.a")
        .wire("1.Output", "2.b")
        .wire("2.Bus", "3.Input")
        .wire("3.Output", "4.Bus")
        .wire("4.b", "5.Input");
    assert_eq!(names(&sketch, 3, "Output").as_deref(), Some("a, b"));
    assert_eq!(sketch.run().trace("y", 7), [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0]);
}

/// A block without a bus never runs; others do.
#[test]
fn a_bus_that_is_not_connected_is_a_warning() {
    let sketch = two()
        .block(30, "Routing/Bus Selector", &[("Elements", &["a b"])])
        .block(31, "Routing/Bus Assignment", &[("Elements", &["a"])])
        .block(32, "exit never", &[])
        .block(33, "exit y", &[])
        .wire("30.b", "32.Input")
        .wire("1.Output", "31.a")
        .wire("1.Output", "33.Input");
    assert_eq!(problems(&sketch), [""; 0]);
    for engine in ["simple", "flat", "compiled"] {
        let mut run = Run::new(&sketch.simulation, engine);
        assert_eq!(run.steps(3).exit("y"), [2.0], "{engine}");
        assert_eq!(run.exit_if_set("never"), None, "{engine}");
    }
}

/// A bus in a loop: its element `count` is its own previous value plus 1, found although it is not known when the loop
/// is entered, whichever block comes first.
#[test]
fn a_loop_finds_its_names() {
    for [creator, delay, selector, sum] in [[1, 2, 3, 4], [4, 3, 2, 1], [3, 1, 4, 2], [2, 4, 1, 3]] {
        let port = |id: u64, name: &str| format!("{id}.{name}");
        let sketch = Sketch::new(1.0)
            .block(creator, "Routing/Bus Creator", &[("Names", &["count other"])])
            .block(delay, "Discrete/Unit Delay", &[])
            .block(selector, "Routing/Bus Selector", &[("Elements", &["count"])])
            .block(sum, "Math/Bias", &[("Bias", &["1"])])
            .block(10, "Var/Static", &[("Value", &["7", "8"])])
            .block(11, "exit y", &[])
            .wire(&port(sum, "Output"), &port(creator, "count"))
            .wire("10.Output", &port(creator, "other"))
            .wire(&port(creator, "Bus"), &port(delay, "Input"))
            .wire(&port(delay, "Output"), &port(selector, "Bus"))
            .wire(&port(selector, "count"), &port(sum, "Input"))
            .wire(&port(delay, "Output"), "11.Input");
        for engine in ["simple", "flat", "compiled"] {
            let mut run = Run::new(&sketch.simulation, engine);
            assert_eq!(run.steps(4).exit("y"), [3.0, 7.0, 8.0], "{engine}");
        }
    }
}

#[test]
fn a_bus_that_contains_itself_is_refused() {
    let sketch = Sketch::new(1.0)
        .block(1, "Routing/Bus Creator", &[("Names", &["a"])])
        .block(2, "Discrete/Unit Delay", &[])
        .wire("1.Bus", "2.Input")
        .wire("2.Output", "1.a");
    let found = problems(&sketch);
    assert!(!found.is_empty() && found.iter().all(|text| text.contains("the bus contains itself")), "{found:?}");
}

/// An algebraic loop through a selector is found in the document already, where no names are known.
#[test]
fn an_algebraic_loop_through_a_bus_is_refused() {
    let sketch = Sketch::new(1.0)
        .block(1, "Routing/Bus Creator", &[("Names", &["a"])])
        .block(2, "Routing/Bus Selector", &[("Elements", &["a"])])
        .wire("1.Bus", "2.Bus")
        .wire("2.a", "1.a");
    assert!(!simulate::model::find_loops(&sketch.simulation, &Registry::standard()).is_empty());
    assert!(problems(&sketch).iter().any(|text| text.starts_with("loop 2: algebraic loop")), "{:?}", problems(&sketch));
}

#[test]
fn what_is_wrong_with_names_is_said() {
    let creator = |names: &str| Sketch::new(1.0).block(1, "Routing/Bus Creator", &[("Names", &[names])]);
    let first = |sketch: &Sketch| problems(sketch).first().cloned().unwrap_or_default();
    assert_eq!(first(&creator("a b a")), "bad-option 1: Names: “a” is there twice");
    assert_eq!(first(&creator("")), "bad-option 1: Names: there is no name");
    assert_eq!(
        first(&creator("a.b")),
        "bad-option 1: Names: “a.b” is not a name: a letter or _, then letters, digits and _"
    );
    let select = |elements: &str, output: &str| {
        let options: [(&str, &[&str]); 2] = [("Elements", &[elements]), ("Output", &[output])];
        two()
            .block(11, "Routing/Bus Creator", &[("Names", &["car speed"])])
            .wire("10.Bus", "11.car")
            .wire("1.Output", "11.speed")
            .block(30, "Routing/Bus Selector", &options)
            .wire("11.Bus", "30.Bus")
    };
    assert_eq!(
        first(&select("sped", "signals")),
        "unknown-bus-element 30: there is no element “sped”; the bus has “speed”, “car”, “car.speed”, “car.force”"
    );
    assert_eq!(first(&select("speed speed", "bus")), "bad-option 30: Elements: “speed” is there twice");
    assert_eq!(
        first(&select("speed car.speed", "bus")),
        "bad-option 30: Elements: two elements of the bus would have the name “speed”"
    );
    let assign = |elements: &str, wide: &str, to: &str| {
        select("speed", "signals")
            .block(40, "Routing/Bus Assignment", &[("Elements", &[elements])])
            .block(41, "Var/Static", &[("Value", &wide.split(' ').collect::<Vec<_>>())])
            .wire("11.Bus", "40.Input Bus")
            .wire("41.Output", to)
    };
    assert_eq!(
        first(&assign("speed", "1 2", "40.speed")),
        "width 40: the input 2 takes 1 element, not the 2 from Constant #41 of “Main”"
    );
    assert_eq!(
        first(&assign("car car.speed", "1", "40.car").wire("41.Output", "40.car.speed")),
        "bad-option 40: Elements: an element is replaced twice: alone and as a part of another"
    );
    let switch = two()
        .block(11, "Routing/Bus Creator", &[("Names", &["force speed"])])
        .wire("1.Output", "11.speed")
        .wire("2.Output", "11.force")
        .block(12, "Routing/Manual Switch", &[])
        .wire("10.Bus", "12.Input 1")
        .wire("11.Bus", "12.Input 2");
    assert_eq!(
        first(&switch),
        "bus-mismatch 12: a bus of speed, force from Bus Creator #10 of “Main” meets one of force, speed from Bus Creator \
         #11 of “Main”"
    );
    let named = |names: &str| {
        two()
            .block(30, "Routing/Bus Selector", &[("Elements", &["speed"]), ("Input Names", &[names])])
            .wire("10.Bus", "30.Bus")
    };
    assert_eq!(first(&named("speed force")), "");
    assert_eq!(first(&named("speed x")), "bad-option 30: Input Names: the input is a bus already, of speed, force");
    assert_eq!(
        first(&named("speed x[2]")),
        "width 30: the input 1 takes 3 elements, not the 2 from Bus Creator #10 of “Main”"
    );
    assert_eq!(
        first(&named("speed x[y]")),
        "bad-option 30: Input Names: “x[y]” has no number of elements; write for example v[3]"
    );
}

/// The list of a definition is the bus that a creator makes of the same names.
#[test]
fn a_list_is_the_bus_of_a_creator() {
    let program = compile(&two().simulation, &Registry::standard()).expect("it compiles");
    let of = program.type_of(&SignalKey::new(&[], BlockId(10), "Bus")).expect("the signal");
    assert_eq!(of.bus.as_deref(), Some(&Bus::parse(["speed", "force"].into_iter()).expect("a list")));
}
