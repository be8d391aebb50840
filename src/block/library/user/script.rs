use std::sync::Arc;

use crate::block::library::equations::constants;
use crate::block::library::script::Script;
use crate::block::{BlockDef, Clock, Example, Expr, Face, HostFn, Look, ParamDef, Ports, Settings, StateVar, names_in};

pub static DEF: BlockDef = BlockDef {
    group: "User",
    name: "Script",
    doc: "Runs a script in each step, with variables that keep their values between steps",
    formula: "outputs and next state = script(inputs, state, t, dt, n); the language is Rhai, see rhai.rs/book",
    aliases: &[
        "s-function",
        "matlab function",
        "program",
        "code",
        "rhai",
        "user defined",
        "interpreted function",
        "scifunc_block_m",
        "mathscript",
        "algorithm",
    ],
    look: Look::rect(Face::Text("{ }")),
    inputs: Ports::By(|settings| names_in(settings.text(INPUTS)).map(str::to_owned).collect()),
    outputs: Ports::By(|settings| results(settings).into_iter().map(|(name, _)| name).collect()),
    params: &[
        ParamDef::code(SCRIPT, "y = u;").doc(
            "The script of a step: it reads inputs, t (time in seconds), dt (step size in seconds) and n (step number), and \
             sets outputs and states; sin, exp, … are those of formulas, random(seed, number) is uniform from 0 to 1",
        ),
        ParamDef::text(INPUTS, "u")
            .doc("The names of the inputs, separated by spaces; a vector is an array"),
        ParamDef::text(OUTPUTS, "y").doc("The names of the outputs, separated by spaces; y[3] is an array of 3"),
        ParamDef::formula(STATE, "", "")
            .doc("The state variables with their initial values: x = 0; v = [0 0]"),
        ParamDef::integer(LIMIT, 1_000_000, 100, 1_000_000_000).doc(
            "The maximum number of operations in a step; each use of an array counts one more for every 128 elements",
        ),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let settings = b.settings();
        let inputs: Vec<Expr> = b.inputs();
        let states: Vec<(String, StateVar)> =
            constants(b, STATE).into_iter().map(|(name, value)| (name, b.state(value.width(), value))).collect();
        let mut script = Script::default();
        script.inputs =
            names_in(settings.text(INPUTS)).map(str::to_owned).zip(inputs.iter().map(|u| u.width())).collect();
        script.states = states.iter().map(|(name, state)| (name.clone(), state.value.width())).collect();
        script.outputs = results(settings);
        let width = script.outputs.iter().chain(&script.states).map(|(_, width)| width).sum();
        let made = match script.parsed(settings.text(SCRIPT), settings.integer(LIMIT).unsigned_abs()) {
            Ok(script) => {
                let clock = [b.step_time(), b.constant(b.delta()), b.clock(Clock::Step)];
                let values = states.iter().map(|(_, state)| state.value);
                let args: Vec<Expr> = clock.into_iter().chain(values).chain(inputs).collect();
                b.native(HostFn(Arc::new(script)), &args, width)
            }
            Err(problem) => {
                b.refuse(SCRIPT, problem.to_string());
                b.vector(&vec![0.0; width.max(1)])
            }
        };
        let mut at = 0;
        let mut next = |width: usize| {
            at += width;
            made.slice(at - width, width)
        };
        for (number, (_, width)) in results(settings).into_iter().enumerate() {
            b.output(number, next(width));
        }
        for (_, state) in states {
            state.next(next(state.value.width()));
        }
    },
    examples: &[
        Example {
            doc: "A sum of ten terms: u·(1 + 1/2 + … + 1/10)",
            options: &[(SCRIPT, &["y = 0.0; for k in 1..=10 { y += u / k; }"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, -2520.0]],
            outputs: &[&[7381.0 / 2520.0, -7381.0]],
        },
        Example {
            doc: "The maximum so far, and how often it increased",
            options: &[
                (SCRIPT, &["if u > best { best = u; count += 1; } y = best; times = count;"]),
                (OUTPUTS, &["y times"]),
                (STATE, &["best = -inf; count = 0"]),
            ],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 3.0, 2.0, 5.0]],
            outputs: &[&[1.0, 3.0, 3.0, 5.0], &[1.0, 2.0, 2.0, 3.0]],
        },
    ],
};

const SCRIPT: &str = "Script";
const INPUTS: &str = "Inputs";
const OUTPUTS: &str = "Outputs";
const STATE: &str = "State";
const LIMIT: &str = "Limit";

/// Returns the outputs with their widths.
fn results(settings: &Settings) -> Vec<(String, usize)> {
    let result = |text: &str| {
        let (name, elements) = text.strip_suffix(']').and_then(|text| text.split_once('[')).unwrap_or((text, "1"));
        // An invalid width is reported by the script, which has no such array.
        (name.to_owned(), elements.trim().parse().unwrap_or(1).clamp(1, MAX_WIDTH))
    };
    names_in(settings.text(OUTPUTS)).map(result).collect()
}

const MAX_WIDTH: usize = 1 << 20;
