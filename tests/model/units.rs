//! Units of wires, and warnings where different units are combined.

use simulate::block::Registry;
use simulate::model::{BlockId, Connection, InputKey, Simulation, check};

use crate::sketch::Sketch;

/// A sum of two constants, compared with a third.
fn adder(second: &str) -> Sketch {
    Sketch::new(1.0)
        .block(0, "Var/Static", &[])
        .block(1, "Var/Static", &[])
        .block(2, "Math/Sum", &[("Signs", &["+-"])])
        .block(3, second, &[])
        .block(4, "Var/Static", &[])
        .wire("0.Output", "2.Input 1")
        .wire("1.Output", "2.Input 2")
        .wire("2.Output", "3.Input 1")
        .wire("4.Output", "3.Input 2")
}

fn with_units(sketch: Sketch, units: &[(u64, &str, &str)]) -> Simulation {
    let mut simulation = sketch.simulation;
    let main = simulation.model_mut("Main").expect("the root");
    for (block, input, unit) in units {
        let wire = main.connections.get_mut(&InputKey::new(BlockId((*block).into()), input)).expect("the wire");
        std::sync::Arc::make_mut(wire).attributes.set(Connection::UNIT, unit);
    }
    simulation
}

fn warnings(simulation: &Simulation) -> Vec<(i128, String)> {
    let all = check(simulation, &Registry::standard()).into_iter().filter(|problem| problem.code == "mixed-units");
    all.map(|problem| (problem.location.block.expect("a block").0, problem.message)).collect()
}

#[test]
fn an_adder_of_two_units_is_warned_of() {
    let simulation = with_units(adder("Math/Sum"), &[(2, "Input 1", "m"), (2, "Input 2", "s")]);
    let expected = "Sum combines “Input 1” in m and “Input 2” in s".to_owned();
    assert_eq!(warnings(&simulation), [(2, expected)]);
}

#[test]
fn what_fits_or_is_not_said_is_no_matter() {
    for units in [&[][..], &[(2, "Input 1", "m")], &[(2, "Input 1", "m"), (2, "Input 2", "m")]] {
        assert_eq!(warnings(&with_units(adder("Math/Sum"), units)), [], "{units:?}");
    }
    // A product may combine any units.
    let product = Sketch::new(1.0)
        .block(0, "Var/Static", &[])
        .block(1, "Math/Multiply", &[])
        .wire("0.Output", "1.Multiplicand 1")
        .block(2, "Var/Static", &[])
        .wire("2.Output", "1.Multiplicand 2");
    assert_eq!(warnings(&with_units(product, &[(1, "Multiplicand 1", "m"), (1, "Multiplicand 2", "s")])), []);
}

#[test]
fn a_sum_has_the_unit_of_what_it_adds() {
    for (block, name) in [("Math/Sum", "Sum"), ("Math/MinMax", "MinMax")] {
        let simulation = with_units(adder(block), &[(2, "Input 1", "m"), (3, "Input 2", "s")]);
        let expected = format!("{name} combines “Input 1” in m and “Input 2” in s");
        assert_eq!(warnings(&simulation), [(3, expected)], "{block}");
    }
    let simulation = with_units(adder("Math/Sum"), &[(2, "Input 1", "m"), (3, "Input 1", "km")]);
    assert_eq!(warnings(&simulation), [(2, "“Output” is declared in km, but the input is in m".to_owned())]);
}

/// A unit goes on from block to block, in whichever order they were added.
#[test]
fn a_unit_goes_through_a_row_of_blocks() {
    for ids in [[1, 2, 3, 4], [4, 3, 2, 1], [3, 1, 4, 2]] {
        let wire = |from: u64, to: u64, input: &str| (format!("{from}.Output"), format!("{to}.{input}"));
        let mut sketch = Sketch::new(1.0)
            .block(0, "Var/Static", &[])
            .block(9, "Var/Static", &[])
            .block(ids[0], "Math/Abs", &[])
            .block(ids[1], "Math/Unary Minus", &[])
            .block(ids[2], "Math/Sum", &[("Signs", &["++"])])
            .block(ids[3], "Math/Sum", &[("Signs", &["+-"])]);
        for (from, to) in [
            wire(0, ids[0], "Input"),
            wire(ids[0], ids[1], "Input"),
            wire(ids[1], ids[2], "Input 1"),
            wire(ids[1], ids[2], "Input 2"),
            wire(ids[2], ids[3], "Input 1"),
            wire(9, ids[3], "Input 2"),
        ] {
            sketch = sketch.wire(&from, &to);
        }
        let simulation = with_units(sketch, &[(ids[0], "Input", "m"), (ids[3], "Input 2", "s")]);
        let expected = "Sum combines “Input 1” in m and “Input 2” in s".to_owned();
        assert_eq!(warnings(&simulation), [(i128::from(ids[3]), expected)], "{ids:?}");
    }
}
