//! Linearization: poles, zeros, gains and margins at an operating point.

use std::sync::Arc;

use serde_json::{Value, json};

use super::common::FILE;
use crate::block::math::Complex;
use crate::engine::{Engines, Linear, LinearizeRequest, Matrix, Samples, SignalElement, Trim, feedback_loops};
use crate::model::place_of_signal;
use crate::rpc::argument::{ArgumentDef, ArgumentKind, CallArguments};
use crate::rpc::call::{CallControl, Effect, RpcCall};
use crate::rpc::call_result::{CallResult, number};
use crate::rpc::error::RpcError;
use crate::rpc::session::Session;

pub const LINEARIZE: RpcCall = RpcCall {
    name: "linearize",
    title: "Linearize",
    doc: "Linearizes a simulation at an operating point: poles, zeros and DC gain from an input signal to an output signal, the feedback loops, and gain and phase margins of a loop that is opened",
    arguments: &[
        FILE,
        ArgumentDef::optional(
            "inputs",
            ArgumentKind::Texts,
            "Signals to which an input is added, such as Error.Output; an element of a vector as Bus.Output[2] [default: none]",
        ),
        ArgumentDef::optional(
            "outputs",
            ArgumentKind::Texts,
            "Output signals [default: the outputs of the root model]",
        ),
        ArgumentDef::optional(
            "open",
            ArgumentKind::Flag,
            "Opens the loop at the first input and returns its margins [default: false]",
        ),
        ArgumentDef::optional(
            "at_step",
            ArgumentKind::Integer { least: 0, most: 1 << 40 },
            "Linearizes after so many steps [default: 0]",
        ),
        ArgumentDef::optional("steady", ArgumentKind::Flag, "Finds the nearest equilibrium first [default: false]"),
        ArgumentDef::optional("set", ArgumentKind::Texts, "Values for this analysis alone, PATH=VALUE"),
        ArgumentDef::optional("matrices", ArgumentKind::Flag, "Also returns A, B, C and D [default: false]"),
    ],
    effect: Effect::Reads,
    answer: linearize,
};

/// The maximum number of elements of a matrix that is returned, and of poles.
const MAX_ELEMENTS: usize = 900;

fn linearize(session: &mut Session, args: &CallArguments, control: &CallControl) -> Result<CallResult, RpcError> {
    let refused = |error: &dyn std::error::Error| RpcError::refused(error.to_string());
    let engine = session.components.engines.get(Engines::DEFAULT).cloned();
    let simulation = session.host.simulation(args.text("file"))?;
    let (setup, program) = simulation.setup(&args.texts("set").unwrap_or_default())?;
    let (document, registry) = (Arc::clone(setup.simulation()), Arc::clone(setup.registry()));
    let elements = |name: &str| -> Result<Option<Vec<SignalElement>>, RpcError> {
        let Some(texts) = args.texts(name) else { return Ok(None) };
        let parse = |text: &String| SignalElement::parse(text, &document, &registry).map_err(|error| refused(&error));
        texts.iter().map(parse).collect::<Result<_, _>>().map(Some)
    };
    let inputs = elements("inputs")?.unwrap_or_default();
    let exits = || program.exits().into_iter().map(|(_, signal, _)| SignalElement { signal, element: 0 }).collect();
    let outputs = elements("outputs")?.unwrap_or_else(exits);
    let opens = args.flag("open") == Some(true);
    let wanted = LinearizeRequest { inputs, outputs, cuts_inputs: opens, pade_order: LinearizeRequest::DEFAULT_ORDER };
    let mut context = setup.context(&program).map_err(|error| refused(&error))?;
    let steps = args.integer("at_step").unwrap_or(0);
    if steps > 0
        && let Some(mut execute) = engine.and_then(|engine| engine.prepare(&program).ok())
    {
        let mut samples = Samples::default();
        samples.set_cancel(&control.cancel);
        execute.run(&mut context, steps, &mut samples).map_err(|error| refused(&error))?;
        control.check()?;
    }
    if args.flag("steady") == Some(true) {
        let trimmed = Trim::default().solve(&program, &context).map_err(|error| refused(&error))?;
        context = trimmed.context;
    }
    let linear = Linear::new(&program, &context, &wanted).map_err(|error| refused(&error))?;
    control.check()?;
    let complex = |value: &Complex| json!([number(value.re), number(value.im)]);
    let list =
        |all: Option<Vec<Complex>>| all.map_or(Value::Null, |all| all.iter().take(MAX_ELEMENTS).map(complex).collect());
    let loops: Vec<Value> = feedback_loops(&program)
        .iter()
        .map(|at| json!({"at": place_of_signal(&document, at), "signal": at.text(&document)}))
        .collect();
    let mut data = json!({
        "states": linear.states.len(),
        "period": linear.period,
        "step": linear.step,
        "poles": list(linear.poles()),
        "loops": loops,
    });
    if let Some(channel) = linear.channel(0, 0) {
        data["zeros"] = list(channel.zeros.clone());
        data["dc_gain"] = number(channel.steady_gain());
        data["stable"] = channel.is_stable().into();
    }
    if opens && let Some(at) = wanted.inputs.first() {
        let open = Linear::open_loop(&program, &context, at, wanted.pade_order).map_err(|error| refused(&error))?;
        if let Some(open) = open {
            let margins = open.margins();
            data["margins"] = json!({
                "loop": place_of_signal(&document, &at.signal),
                "gain": number(margins.gain),
                "gain_at": margins.gain_at,
                "phase_degrees": number(margins.phase),
                "phase_at": margins.phase_at,
            });
        }
    }
    if args.flag("matrices") == Some(true) {
        for (name, matrix) in [("a", &linear.a), ("b", &linear.b), ("c", &linear.c), ("d", &linear.d)] {
            data[name] = rows(matrix);
        }
    }
    Ok(CallResult::of(data))
}

fn rows(matrix: &Matrix) -> Value {
    if matrix.rows * matrix.columns > MAX_ELEMENTS {
        return format!("{} × {} elements are left out", matrix.rows, matrix.columns).into();
    }
    (0..matrix.rows).map(|row| matrix.row(row).iter().map(|value| number(*value)).collect::<Value>()).collect()
}
