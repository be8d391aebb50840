//! Every operation of step code in all forms that engines have for it: scalar, short vectors, loops over elements,
//! batches of steps; on numbers that tell similar operations apart.

use std::sync::Arc;

use simulate::block::language::Function;
use simulate::block::math::{Notation, OperationRow};
use simulate::block::{Binary, Registry, Unary};
use simulate::engine::{Context, Engines, Samples, TierUp, compile, is_unset};

use crate::sketch::Sketch;

/// All operations that formulas can write, of `u` and `v`, and some together.
fn operations() -> Vec<String> {
    let is_known = |row: &&OperationRow| match row.notation {
        Notation::Call(name) => Function::by_name(name).is_some(),
        _ => true,
    };
    let unary = Unary::ALL.iter().map(|op| op.row()).filter(is_known).map(|row| row.text(&["u"]));
    let binary = Binary::ALL.iter().map(|op| op.row()).filter(is_known).map(|row| row.text(&["u", "v"]));
    let together = [
        "if(u, v, w)",
        "if(u > v, w, -w)",
        "(u > v) + (v <= w)",
        // From 0 to 2, of which the code generator takes account.
        "(u > v) + (v <= w) >= 1",
        "-(-u)",
        "min(-u, max(v, w))",
    ];
    unary.chain(binary).chain(together.map(str::to_owned)).collect()
}

/// The folds of a vector.
const FOLDS: [&str; 8] = ["sum(u)", "prod(u)", "min(u)", "max(u)", "dot(u, v)", "sum(u > v)", "-sum(u)", "max(-u)"];

const VALUES: [&str; 27] = [
    "0",
    "-0",
    "1",
    "-1",
    "0.5",
    "-0.5",
    "1.5",
    "-1.5",
    "2.5",
    "-2.5",
    "3.7",
    "-3.7",
    "0.3",
    "-0.3",
    "299.99",
    "-299.99",
    "0.49999999999999994",
    "4503599627370497.5",
    "9007199254740993",
    "1e300",
    "-1e300",
    "inf",
    "-inf",
    "nan",
    "5.562684646268003e-309",
    "1.7976931348623157e308",
    "2.220446049250313e-16",
];

/// Returns a simulation in which `u`, `v` and `w` vary and have this width: through a state with feedback, or as
/// functions of the time.
fn sketch(width: usize, is_stepwise: bool) -> (Sketch, usize) {
    let texts = operations().into_iter().chain(FOLDS.map(str::to_owned));
    let lines: Vec<String> = texts.zip(0..).map(|(text, at)| format!("y{at} = {text}")).collect();
    let mut sketch = Sketch::new(1.0)
        .block(0, "User/Formula", &[("Inputs", &["u v w"]), ("Formula", &[lines.join("; ").as_str()])])
        .block(1, "Discrete/Unit Delay", &[])
        .block(2, "User/Formula", &[("Formula", &["y = !u"])])
        .wires("Main", &[("1.Output", "2.u"), ("2.y", "1.Input")]);
    for (input, name) in ["u", "v", "w"].into_iter().enumerate() {
        let id = |number: usize| (1000 * (input + 1) + number) as u64;
        // Lists of different lengths, so that all values meet each other.
        let values: Vec<&str> = VALUES[..VALUES.len() - 2 * input].to_vec();
        let first = |lane: usize| (7 * input + 5 * lane) % values.len();
        let port = format!("0.{name}");
        if !is_stepwise {
            let places: Vec<String> = (0..width).map(|lane| first(lane).to_string()).collect();
            let written = |text: &str| match text {
                "inf" => "1 / 0".to_owned(),
                "-inf" => "-1 / 0".to_owned(),
                "nan" => "0 / 0".to_owned(),
                text => text.to_owned(),
            };
            let mut text =
                format!("_m = mod(round(t) + [{}], {}); _v0 = {}", places.join(" "), values.len(), values[0]);
            for (number, value) in values.iter().enumerate().skip(1) {
                text += &format!("; _v{number} = if(_m == {number}, {}, _v{})", written(value), number - 1);
            }
            text += &format!("; y = _v{}", values.len() - 1);
            sketch = sketch.block(id(0), "User/Formula", &[("Inputs", &[""]), ("Formula", &[text.as_str()])]);
            sketch = sketch.wire(&format!("{}.y", id(0)), &port);
            continue;
        }
        let inputs = width.to_string();
        sketch = sketch
            .block(id(0), "User/Formula", &[("Inputs", &["u c"]), ("Formula", &["y = if(c, u, -u)"])])
            .block(id(1), "Routing/Mux", &[("Inputs", &[inputs.as_str()])])
            .wire("1.Output", &format!("{}.c", id(0)))
            .wire(&format!("{}.Output", id(1)), &format!("{}.u", id(0)))
            .wire(&format!("{}.y", id(0)), &port);
        for lane in 0..width {
            let mut values = values.clone();
            let first = first(lane);
            values.rotate_left(first);
            let stair = id(10 + lane);
            sketch = sketch
                .block(stair, "Var/Repeating Stair", &[("Values", &values)])
                .wire(&format!("{stair}.Output"), &format!("{}.Input {}", id(1), lane + 1));
        }
    }
    for output in 0..lines.len() {
        let id = 10_000 + output as u64;
        sketch = sketch.block(id, "Discrete/Unit Delay", &[]).wire(&format!("0.y{output}"), &format!("{id}.Input"));
    }
    let count = lines.len();
    (sketch, count)
}

fn bits(value: f64) -> u64 {
    if value.is_nan() && !is_unset(value) { f64::NAN.to_bits() } else { value.to_bits() }
}

/// Runs a sketch of [`sketch`] on all engines. Returns where one differs from the reference.
fn differences(sketch: &Sketch, count: usize, what: &str) -> Vec<String> {
    let program = compile(&sketch.simulation, &Registry::standard()).unwrap_or_else(|found| panic!("{found:#?}"));
    let program = Arc::new(program);
    let outputs: Vec<_> = (0..count)
        .filter_map(|output| {
            let key = simulate::model::SignalKey::new(&[], simulate::model::BlockId(0), &format!("y{output}"));
            program.output_of(&key)
        })
        .collect();
    assert_eq!(outputs.len(), count);
    let run = |engine: &str| {
        let engines = Engines::with(TierUp::Wait);
        let mut execute = engines.get(engine).expect("the engine").prepare(&program).expect("it runs");
        let (mut context, mut samples) = (Context::new(&program), Samples::new(outputs.iter().copied()));
        for steps in [40, 700, 1] {
            execute.run(&mut context, steps, &mut samples).expect("it runs");
        }
        assert_eq!(execute.runs_machine_code(), engine == "compiled");
        let lanes = |watch: &simulate::engine::Watch| watch.values.iter().map(|value| bits(*value)).collect::<Vec<_>>();
        samples.watches().iter().map(lanes).collect::<Vec<_>>()
    };
    let mut wrong = Vec::new();
    let want = run("simple");
    for engine in ["flat", "compiled"] {
        for (number, (got, want)) in run(engine).iter().zip(&want).enumerate() {
            if let Some(at) = got.iter().zip(want).position(|(got, want)| got != want) {
                let text = operations().into_iter().chain(FOLDS.map(str::to_owned)).nth(number);
                let text = text.expect("the operation");
                let (got, want) = (f64::from_bits(got[at]), f64::from_bits(want[at]));
                wrong.push(format!("{text} on {engine}, {what}: {got}, not {want}"));
            }
        }
    }
    wrong
}

#[test]
fn every_operation_gives_the_same_bits_in_every_form() {
    let mut wrong = Vec::new();
    for (width, is_stepwise) in [1, 3, 6, 19].into_iter().flat_map(|width| [(width, false), (width, true)]) {
        let (sketch, count) = sketch(width, is_stepwise);
        wrong.extend(differences(&sketch, count, &format!("{width} elements, stepwise {is_stepwise}")));
    }
    assert_eq!(wrong, [""; 0]);
}

/// A parameter is a constant of the machine code, which depends on its value: here one operand is a parameter, and the
/// other two vary through a state with feedback.
#[test]
fn a_constant_operand_gives_the_same_bits_on_either_side() {
    let mut wrong = Vec::new();
    for constant in ["nan", "0", "-0", "1", "inf", "2.5"] {
        for operand in ["u", "v", "w"] {
            let (sketch, count) = sketch(1, true);
            let sketch = sketch
                .block(9_000, "Var/Static", &[("Value", &[constant])])
                .wire("9000.Output", &format!("0.{operand}"));
            wrong.extend(differences(&sketch, count, &format!("{operand} is {constant}")));
        }
    }
    assert_eq!(wrong, [""; 0]);
}
