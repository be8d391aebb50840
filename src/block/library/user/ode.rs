use std::collections::BTreeMap;

use crate::block::language::RATE;
use crate::block::library::equations::{constants, equations, is_inner};
use crate::block::{BlockDef, Example, Expr, Face, Look, ParamDef, Ports, Settings, StateVar, names_in};

pub static DEF: BlockDef = BlockDef {
    group: "User",
    name: "ODE",
    doc: "Solves ordinary differential equations given as text",
    formula: "lines x' = f(x, u, t) define rates of change, lines y = g(x, u, t) outputs; names that begin with _ are internal",
    aliases: &[
        "ode / dynamical function",
        "differential equation",
        "dynamical system",
        "dynamics",
        "state equations",
        "ode solver",
        "modelica",
        "differential equation editor",
    ],
    look: Look::rect(Face::Text("x'=f(x)")),
    inputs: Ports::By(|settings| names_in(settings.text(INPUTS)).map(str::to_owned).collect()),
    outputs: Ports::By(outputs),
    params: &[
        ParamDef::formula(EQUATIONS, "x' = u - x; y = x", INPUTS).doc(
            "Lines x' = … and y = …, of inputs, states, earlier lines, variables, t (time in seconds) and functions; without a \
             line y = … all states are outputs",
        ),
        ParamDef::formula(INITIAL, "", "")
            .doc("The initial states, such as x = 1; v = [0 0]; states that are left out start at 0"),
        ParamDef::text(INPUTS, "u").doc("The names of the inputs, separated by spaces"),
    ],
    build: |b| {
        let setting = b.settings().formula(EQUATIONS);
        let initial: BTreeMap<String, Expr> = constants(b, INITIAL).into_iter().collect();
        if let Some(name) = initial.keys().find(|name| !setting.formula.states().any(|state| state == **name)) {
            b.refuse(INITIAL, format!("there is no line {name}{RATE} = … in the equations"));
        }
        let state = |name: &str| {
            let initial = initial.get(name).copied().unwrap_or(b.constant(0.0));
            (name.to_owned(), b.continuous(initial.width(), initial))
        };
        let states: BTreeMap<String, StateVar> = setting.formula.states().map(state).collect();
        let inputs = setting.inputs.iter().cloned().zip(b.inputs());
        let known = states.iter().map(|(name, state)| (name.clone(), state.value)).chain(inputs);
        let lines = equations(b, EQUATIONS, known);
        let mut results: BTreeMap<&str, Expr> =
            states.iter().map(|(name, state)| (name.as_str(), state.value)).collect();
        for (name, value) in &lines {
            match name.strip_suffix(RATE).and_then(|name| states.get(name)) {
                Some(state) => state.derivative(*value),
                None if states.contains_key(name) => {
                    b.refuse(EQUATIONS, format!("“{name}” has a line with its rate of change already"));
                }
                None => drop(results.insert(name, *value)),
            }
        }
        for (number, name) in outputs(b.settings()).iter().enumerate() {
            b.output(number, results.get(name.as_str()).copied().unwrap_or(b.constant(0.0)));
        }
    },
    examples: &[
        Example {
            doc: "A lag with time constant 1 s and initial value 1, with Euler's method",
            options: &[(INITIAL, &["x = 1"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[0.0, 0.0, 2.0, 2.0]],
            outputs: &[&[1.0, 0.5, 0.25, 1.125]],
        },
        Example {
            doc: "A falling body, with both states as outputs",
            options: &[(EQUATIONS, &["h' = v; v' = -10"]), (INITIAL, &["h = 100"]), (INPUTS, &[""])],
            delta: 1.0,
            widths: &[],
            inputs: &[],
            outputs: &[&[100.0, 100.0, 90.0], &[0.0, -10.0, -20.0]],
        },
    ],
};

const EQUATIONS: &str = "Equations";
const INITIAL: &str = "Initial Values";
const INPUTS: &str = "Inputs";

fn outputs(settings: &Settings) -> Vec<String> {
    let formula = &settings.formula(EQUATIONS).formula;
    let is_output = |name: &&String| !is_inner(name) && !name.ends_with(RATE);
    let lines: Vec<String> = formula.lines.iter().map(|(name, _)| name).filter(is_output).cloned().collect();
    if lines.is_empty() { formula.states().map(str::to_owned).collect() } else { lines }
}
