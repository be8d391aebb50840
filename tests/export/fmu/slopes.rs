//! Model exchange: rates, states and derivatives.

use simulate::block::language::Function;
use simulate::block::math::Notation;
use simulate::block::{Binary, Unary};
use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader as _};
use simulate::model::{Block, BlockId, BlockKind, Connection, Simulation};

use super::steps::{compare, exits, has};
use super::unpacked::{LORENZ, MOTOR, PARTS, Unpacked, can_load};

const CHAIN: &str = include_str!("../../../assets/examples/mass_spring_chain.simx");
const PREY: &str = include_str!("../../../assets/examples/predator_prey.simx");

fn numbers(line: &str) -> Vec<f64> {
    line.split(',').map(|bits| f64::from_bits(u64::from_str_radix(bits, 16).expect("bits"))).collect()
}

/// Lorenz' equations at (2, 3, 5): ẋ = σ(y − x), ẏ = x(ρ − z) − y, ż = xy − βz, with their Jacobian. All numbers but β are
/// whole, so that they are exact.
#[test]
fn rates_and_their_derivatives_are_those_of_the_equations() {
    if !can_load() {
        return;
    }
    let fmu = Unpacked::new(LORENZ, 2, &[]);
    let names =
        |start: &str, end: &str| -> Vec<String> { (0..3).map(|id| format!("{start}#{id}.state{end}")).collect() };
    let references = |names: &[String]| fmu.references(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let (states, rates) = (references(&names("", "")), references(&names("der(", ")")));
    let got = fmu.drive(&["slopes", &states, &rates, "2,3,5"]);
    let rows: Vec<Vec<f64>> = got.lines().map(numbers).collect();
    let (sigma, rho, beta) = (10.0, 28.0, 2.6666666666666665);
    let (x, y, z) = (2.0, 3.0, 5.0);
    assert_eq!(rows[0], [sigma * (y - x), x * (rho - z) - y, x * y - beta * z]);
    let columns = [[-sigma, rho - z, y], [sigma, -1.0, x], [0.0, -x, -beta]];
    assert_eq!(rows[1..], columns.map(|column| column.to_vec()));
}

/// Euler's method by the driver computes what the engine does by that solver, to the last bit: outputs and rates are those
/// of the step at each time and state. The motor has a step in time.
#[test]
fn an_integrator_outside_gets_the_bits_of_the_simulation() {
    if !can_load() {
        return;
    }
    for text in [LORENZ, MOTOR, CHAIN, PREY] {
        let text = text.replace("solver=\"rk4\"", "solver=\"euler\"");
        let simulation = Simx.read(text.as_bytes(), &LoadOptions::default()).expect("it can be read").simulation;
        assert_eq!(simulation.attributes.get("solver"), Some("euler"));
        let fmu = Unpacked::new(&text, 2, &[]);
        let (names, rows) = exits(&simulation, 300);
        assert!(names.iter().all(|name| has(&fmu, name)), "{names:?}");
        let outputs = fmu.references(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let states = fmu.variables().filter(|of| of.get("name").is_some_and(|name| name.starts_with("der("))).count();
        let got = fmu.drive(&["euler", "300", &simulation.delta.to_string(), &states.to_string(), &outputs]);
        assert_eq!(got.lines().count(), 301);
        compare(&fmu, &names, &rows, &got);
    }
}

/// All operations that formulas can write: the text of each, of `u` and `v`, and its tangent.
type Tangent = Box<dyn Fn([f64; 2], [f64; 2]) -> f64>;

fn operations() -> Vec<(String, Tangent)> {
    let is_known = |notation: Notation| match notation {
        Notation::Call(name) => Function::by_name(name).is_some(),
        _ => true,
    };
    let unary = Unary::ALL.iter().filter(|op| is_known(op.row().notation)).map(|&op| {
        let tangent: Tangent = Box::new(move |[u, _], [du, _]| op.tangent(u, du));
        (op.row().text(&["u"]), tangent)
    });
    let binary = Binary::ALL.iter().filter(|op| is_known(op.row().notation)).map(|&op| {
        let tangent: Tangent = Box::new(move |[u, v], [du, dv]| op.tangent((u, du), (v, dv)));
        (op.row().text(&["u", "v"]), tangent)
    });
    unary.chain(binary).collect()
}

#[test]
fn the_derivative_of_each_operation_has_the_bits_of_its_row() {
    if !can_load() {
        return;
    }
    let operations = operations();
    assert!(operations.len() > 40);
    let formula: Vec<String> = operations.iter().zip(0..).map(|((text, _), at)| format!("y{at} = {text}")).collect();
    let mut simulation = Simulation::new("Main");
    let model = simulation.model_mut("Main").expect("the root");
    let block = Block::new(BlockId(0), BlockKind::library("User", "Formula"));
    model.add_block(block.with_option("Inputs", &["u v"]).with_option("Formula", &[formula.join("; ").as_str()]));
    for (id, name) in [(1, "u"), (2, "v")] {
        model.add_block(Block::new(BlockId(id), BlockKind::entry(name)).with_option("Initial Value", &["0"]));
        model.connect(Connection::new(BlockId(id), "Output", BlockId(0), name));
    }
    let names: Vec<String> = (0..operations.len()).map(|output| format!("out{output}")).collect();
    for (output, name) in names.iter().enumerate() {
        let id = BlockId(100 + output as i128);
        model.add_block(Block::new(id, BlockKind::exit(name)));
        model.connect(Connection::new(BlockId(0), &format!("y{output}"), id, "Input"));
    }
    let text = String::from_utf8(Simx.write(&simulation).expect("it can be written")).expect("a text");
    let fmu = Unpacked::new(&text, 2, &[]);
    let outputs = fmu.references(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let points = [[0.25, 0.75], [-0.5, 2.5], [3.7, -1.25], [0.0, 1.0], [1.0, 0.0], [-2.0, 3.0], [1e-3, 1e3]];
    let seeds = [[1.0, 0.0], [0.0, 1.0], [0.5, -2.0]];
    let list = |pairs: &[[f64; 2]]| pairs.concat().iter().map(f64::to_string).collect::<Vec<_>>().join(",");
    let got = fmu.drive(&["derive", &fmu.references(&["u", "v"]), &outputs, &list(&points), &list(&seeds)]);
    let mut lines = got.lines();
    for point in points {
        for seed in seeds {
            let values = numbers(lines.next().expect("a line"));
            for ((text, tangent), value) in operations.iter().zip(values) {
                let expected = tangent(point, seed);
                let is_same = expected.to_bits() == value.to_bits() || (expected.is_nan() && value.is_nan());
                assert!(is_same, "{text} at {point:?} in {seed:?}: {expected:e}, not {value:e}");
            }
        }
    }
}

/// A step in time is an event, so that an integrator finds it; a model with a sample time is for co-simulation alone.
#[test]
fn only_continuous_models_are_for_model_exchange() {
    let motor = Unpacked::new(MOTOR, 2, &["--sources-only"]);
    assert_eq!(motor.first("ModelExchange").and_then(|of| of.get("providesDirectionalDerivative")), Some("true"));
    assert_eq!(motor.description[0].get("numberOfEventIndicators"), Some("1"));
    let derivatives =
        |fmu: &Unpacked| fmu.variables().filter(|of| of.get("name").is_some_and(|n| n.starts_with("der("))).count();
    assert_eq!(derivatives(&motor), 4);
    let parts = Unpacked::new(PARTS, 2, &["--sources-only"]);
    assert!(parts.first("ModelExchange").is_none() && parts.first("CoSimulation").is_some());
    assert_eq!(parts.first("CoSimulation").and_then(|of| of.get("providesDirectionalDerivative")), Some("false"));
    // The speed of the motor depends on its state alone; ω' of current and speed.
    let index = |name: &str| motor.variables().position(|of| of.get("name") == Some(name)).expect("it") + 1;
    let unknown = |of: usize| {
        let mut unknowns = motor.description.iter().filter(|element| element.name == "Unknown");
        let of = of.to_string();
        let found = unknowns.find(|unknown| unknown.get("index") == Some(&of)).expect("it is listed");
        found.get("dependencies").expect("they are known").to_owned()
    };
    let (current, speed) = (index("Motor#3.state"), index("Motor#7.state"));
    assert_eq!(unknown(index("speed")), speed.to_string());
    let both = format!("{} {}", current.min(speed), current.max(speed));
    assert_eq!(unknown(index("der(Motor#7.state)")), both);
}
