//! Code in single precision: its operations are those of `float`, and all compilers agree on them.

use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use simulate::block::{Registry, hex_number};
use simulate::engine::compile;
use simulate::export::c::Precision;
use simulate::model::{Block, BlockId, BlockKind, Connection, Simulation};

use super::bench::{BUILDS, Case, Trial, check, printed};
use super::random::observed;
use crate::random::models::drawing;

/// Returns a simulation in which a formula of `u` goes to an exit.
fn formula(text: &str) -> Simulation {
    let mut simulation = Simulation::new("Main");
    let model = simulation.model_mut("Main").expect("the root");
    model.add_block(Block::new(BlockId(0), BlockKind::entry("u")));
    let block = Block::new(BlockId(1), BlockKind::library("User", "Formula"));
    model.add_block(block.with_option("Inputs", &["u"]).with_option("Formula", &[&format!("y = {text}")]));
    model.add_block(Block::new(BlockId(2), BlockKind::exit("y")));
    model.connect(Connection::new(BlockId(0), "Output", BlockId(1), "u"));
    model.connect(Connection::new(BlockId(1), "y", BlockId(2), "Input"));
    simulation
}

/// Each operation is that of `f32`, on inputs that `f32` does not have exactly.
#[test]
fn operations_are_those_of_float() {
    type Expected = fn(f32) -> f32;
    let formulas: [(&str, Expected); 6] = [
        ("0.1*u + 0.7", |u| 0.1 * u + 0.7),
        ("(u - 0.3)/3", |u| (u - 0.3) / 3.0),
        ("sqrt(abs(u))", |u| u.abs().sqrt()),
        ("max(u, 0.2) - floor(u)", |u| u.max(0.2) - u.floor()),
        // Rounded from double precision.
        ("sin(u)", |u| f64::from(u).sin() as f32),
        ("exp(u/8)", |u| f64::from(u / 8.0).exp() as f32),
    ];
    let values: Vec<f64> = (0..200).map(|number| f64::from(number) * 0.37 - 31.4).collect();
    let case = |(number, (text, _)): (usize, &(&str, Expected))| -> Case {
        let inputs = vec![("u".to_owned(), values.iter().map(|value| vec![*value]).collect())];
        let trial =
            Trial { precision: Precision::Single, inputs, ..Trial::new(&format!("f{number}"), formula(text), 200) };
        trial.case().expect("it can be exported")
    };
    let cases: Vec<Case> = formulas.iter().enumerate().map(case).collect();
    let Some(texts) = printed(&cases, BUILDS[0]) else { return };
    for ((formula, expected), text) in formulas.iter().zip(&texts) {
        assert_eq!(text.lines().count(), 201);
        for (line, value) in text.lines().skip(1).zip(&values) {
            let got = line.rsplit(',').next().and_then(hex_number).expect("a number");
            assert_eq!(got, f64::from(expected(*value as f32)), "{formula} of {value}");
        }
    }
}

/// No compiler and no level of optimisation changes a bit, and none warns, not even of numbers that become wider.
#[test]
fn compilers_agree_on_random_models() {
    let mut runner = TestRunner::new(crate::random_cases(1));
    let mut cases = Vec::new();
    for number in 0.. {
        let drawing = drawing().new_tree(&mut runner).expect("a drawing").current();
        let simulation = observed(&drawing, number);
        if compile(&simulation, &Registry::standard()).is_err() {
            continue;
        }
        let trial = Trial { precision: Precision::Single, ..Trial::new(&format!("single_{number}"), simulation, 40) };
        cases.extend(trial.case().ok());
        if cases.len() == 30 {
            break;
        }
    }
    let Some(texts) = printed(&cases, ("gcc", &["-O0", "-ffp-contract=off", "-Wdouble-promotion"])) else { return };
    cases.iter_mut().zip(texts).for_each(|(case, text)| case.expected = text);
    check(&cases, &[BUILDS[0], BUILDS[2]]);
}
