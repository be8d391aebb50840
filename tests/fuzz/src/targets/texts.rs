//! Texts in parameters: expressions, formulas, code, names of signals.

use std::sync::OnceLock;

use simulate::block::language::{Expression, ExpressionError, Formula, NoNames, Numbers, Program, Value, matrix, run};
use simulate::block::limits::MAX_ELEMENTS;
use simulate::block::{Registry, names_in, number_text, parse_number, values_of};
use simulate::engine::{Override, Vary, state_of_name};
use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader};
use simulate::model::{
    Attributes, Block, BlockAddress, BlockId, BlockKind, Connection, Mask, SignalKey, Simulation, Variable,
    name_problem,
};

fn check_error(text: &str, error: &ExpressionError) {
    assert!(error.at <= text.chars().count(), "an error at {} of {text:?}", error.at);
    assert!(!error.problem.is_empty());
}

fn check_positions(expression: &Expression, length: usize) {
    assert!(expression.at < length, "an expression at {} of {length} characters", expression.at);
    expression.each_name(&mut |name, at| assert!(at < length, "{name:?} at {at} of {length} characters"));
}

pub fn expression(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let length = text.chars().count();
    match Expression::parse(text) {
        Ok(expression) => {
            check_positions(&expression, length);
            match matrix(text, &NoNames) {
                Ok(found) => {
                    assert!(found.values.len() <= MAX_ELEMENTS, "{} elements", found.values.len());
                    assert!(found.rows * found.columns() == found.values.len(), "a matrix with holes");
                }
                Err(error) => check_error(text, &error),
            }
        }
        Err(error) => check_error(text, &error),
    }
    match Formula::parse(text) {
        Ok(formula) => {
            formula.lines.iter().for_each(|(_, expression)| check_positions(expression, length));
            assert!(formula.free_names().iter().all(|(_, at)| *at < length));
            assert!(formula.states().count() <= formula.lines.len());
        }
        Err(error) => check_error(text, &error),
    }
    if let Err(problem) = values_of(text, &NoNames) {
        assert!(!problem.to_string().is_empty());
    }
}

/// Code, which runs with vectors of three numbers as inputs.
pub fn code(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let program = match Program::parse(text) {
        Ok(program) => program,
        Err(error) => return check_error(text, &error),
    };
    let inputs = program.main().inputs.iter().map(|_| Value::whole(vec![0.5, -2.0, 3.0], 3, 1)).collect();
    match run(&program, inputs, &Numbers { names: &NoNames }) {
        Ok(run) => assert!(run.outputs.len() == program.main().outputs.len(), "a value for each result"),
        Err(error) => check_error(text, &error),
    }
}

/// A simulation with two levels, a variable and names that differ in few letters.
pub fn nested() -> &'static Simulation {
    static NESTED: OnceLock<Simulation> = OnceLock::new();
    NESTED.get_or_init(|| {
        let text = include_bytes!("nested.simx");
        Simx.read(text, &LoadOptions::default()).expect("it is well formed").simulation
    })
}

/// Texts of the command line and of attributes: the first byte says which.
pub fn texts(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let (simulation, registry) = (nested(), Registry::standard());
    match kind % 8 {
        0 => {
            if let Ok(key) = SignalKey::parse(text, simulation, &registry) {
                let name = key.text(simulation);
                assert!(SignalKey::parse(&name, simulation, &registry) == Ok(key), "{name:?} is another signal");
            }
        }
        1 => drop(BlockAddress::parse_with_rest(text, simulation)),
        2 => {
            if let Ok(change) = Override::parse(text, simulation, &registry) {
                let _ = change.edit_of(simulation);
            }
        }
        3 => {
            // A range of many values is a wish of the user.
            if !text.contains(':')
                && let Ok(vary) = Vary::parse(text)
            {
                assert!(vary.count() > 0);
            }
        }
        4 => {
            if let Ok(number) = parse_number(text) {
                let again = parse_number(&number_text(number)).expect("a number");
                assert!(number.to_bits() == again.to_bits() || number.is_nan() && again.is_nan(), "{text:?}");
            }
            assert!(names_in(text).all(|name| !name.is_empty()));
            let _ = (state_of_name(text), name_problem(text));
            if let Some(id) = BlockId::parse(text) {
                assert!((BlockId::MIN..=BlockId::MAX).contains(&id));
            }
        }
        5 => {
            let values = Mask::ATTRIBUTES.into_iter().zip(text.split('\n'));
            let variable = Variable { attributes: values.collect::<Attributes>(), ..Variable::new("1") };
            if let Ok(mask) = Mask::of(&variable) {
                let _ = mask.problem_with(&[0.0, f64::NAN, f64::INFINITY]);
            }
        }
        6 => units(text),
        _ => variables(text),
    }
}

/// Units of wires, one in a line.
fn units(text: &str) {
    let mut simulation = Simulation::new("Main");
    let model = simulation.model_mut("Main").expect("the root");
    for id in 0..4 {
        let kind = if id == 2 { ("Math", "Sum") } else { ("Math", "Gain") };
        model.add_block(Block::new(BlockId(id), BlockKind::library(kind.0, kind.1)));
    }
    let wires = [(0, 2, "Input 1"), (1, 2, "Input 2"), (2, 3, "Input"), (3, 0, "Input")];
    for ((from, to, input), unit) in wires.into_iter().zip(text.split('\n')) {
        let mut wire = Connection::new(BlockId(from), "Output", BlockId(to), input);
        wire.attributes.set(Connection::UNIT, unit);
        model.connect(wire);
    }
    let _ = simulate::model::check(&simulation, &Registry::standard());
}

/// Variables that use each other, one in a line.
fn variables(text: &str) {
    let mut simulation = Simulation::new("Main");
    for (number, value) in text.split('\n').enumerate() {
        simulation.set_variable(&format!("v{number}"), Variable::new(value));
    }
    let _ = simulate::model::check(&simulation, &Registry::standard());
}
