use crate::block::library::equations::constants;
use crate::block::{
    BlockDef, Builder, Clock, Expr, Face, FileAccess, ForeignKind, ForeignModel, ForeignUse, HostFn, Look, ParamDef,
    PortGroup, Ports, SampleTime, Settings, SignalType, StateVar, TOKEN, assignments, port_groups, ports_in,
};

pub static DEF: BlockDef = BlockDef {
    group: "User",
    name: "FMU",
    doc: "Runs a functional mock-up unit (FMI 2.0 or 3.0), a model that another program has exported, in a process of \
          its own; its results are its own, and may have other bits on other machines",
    formula: "co-simulation: y[n] = the outputs after a step with u[n−1]; model exchange: x' = f(x, u, t), y = g(x, u, t)",
    aliases: &["functional mock-up unit", "fmi", "co-simulation", "model exchange", "import", "modelica", "fmu import"],
    look: Look::rect(Face::Text("FMU")),
    inputs: Ports::By(|settings| groups(settings, INPUTS).into_iter().map(|group| group.name).collect()),
    outputs: Ports::By(|settings| groups(settings, OUTPUTS).into_iter().map(|group| group.name).collect()),
    params: &[
        ParamDef::file(FILE, "", FileAccess::Run).doc("The .fmu file, relative to the folder of the simulation"),
        ParamDef::choice(TYPE, &["co-simulation", "model-exchange"])
            .doc("Whether the FMU computes its steps itself, or the simulation's solver integrates its states"),
        ParamDef::formula(PARAMETERS, "", "").doc(
            "Values of the FMU's parameters: k = 2; x0 = 1; others have the FMU's start values; in a name every character \
             but letters and digits is written as _, so that body.m is body_m",
        ),
        ParamDef::text(TEXTS, "").doc("Values of the parameters that are texts: file = data.txt; mode = fast"),
        ParamDef::text(INPUTS, "")
            .doc("The FMU's inputs that are ports: names, separated by semicolons; v : 3 is an array of 3"),
        ParamDef::text(OUTPUTS, "").doc("The FMU's outputs that are ports, written as the inputs"),
        ParamDef::flag(BUSES, false).doc(
            "Whether variables with structured names share a port: m.speed and m.load are a bus m, x[1] and x[2] a vector x",
        ),
        ParamDef::number(STEP, &[0.0])
            .between(0.0, f64::INFINITY)
            .fixed()
            .unit("s")
            .doc("The time between communication points in co-simulation, a multiple of the step; 0: every step"),
        ParamDef::flag(DIRECT, false).doc(
            "Co-simulation: reads the outputs of a step before it, with the inputs of that step; for FMUs whose outputs \
             follow their inputs at once",
        ),
        ParamDef::number(TIME_LIMIT, &[10.0])
            .above_zero(86400.0)
            .fixed()
            .unit("s")
            .doc("The longest time of a call of the FMU; one that takes longer is ended"),
        ParamDef::number(MEMORY_LIMIT, &[4096.0])
            .between(64.0, 1e9)
            .fixed()
            .doc("The most memory of the FMU's process, in megabytes"),
    ],
    build,
    examples: &[],
};

const FILE: &str = ForeignUse::FILE;
const TYPE: &str = ForeignUse::TYPE;
const PARAMETERS: &str = ForeignUse::PARAMETERS;
const TEXTS: &str = ForeignUse::TEXTS;
const INPUTS: &str = ForeignUse::INPUTS;
const OUTPUTS: &str = ForeignUse::OUTPUTS;
const BUSES: &str = ForeignUse::BUSES;
const STEP: &str = "Step Size";
const DIRECT: &str = "Direct Outputs";
const TIME_LIMIT: &str = "Time Limit";
const MEMORY_LIMIT: &str = "Memory Limit";

fn build<'b>(b: &'b Builder<'b>) {
    let outputs = ports_in(b.settings().text(OUTPUTS));
    let values: Vec<Expr> = match model(b) {
        Some((ForeignModel::CoSimulation { begin, step }, parts)) => co_simulation(b, begin, step, &parts),
        Some((model, parts)) => model_exchange(b, model, &parts),
        None => {
            // It is refused already.
            outputs.iter().map(|(_, width)| b.vector(&vec![0.0; *width])).collect()
        }
    };
    for (number, group) in groups(b.settings(), OUTPUTS).into_iter().enumerate() {
        let of_group: Vec<Expr> =
            group.variables.iter().filter_map(|variable| values.get(*variable).copied()).collect();
        b.output(number, if of_group.is_empty() { b.constant(0.0) } else { b.join(&of_group) });
        if let Some(bus) = group.of.bus {
            b.set_bus(number, Some(bus));
        }
    }
}

/// Returns the ports that a list of variables has.
fn groups(settings: &Settings, param: &str) -> Vec<PortGroup> {
    let variables = ports_in(settings.text(param));
    if settings.flag(BUSES) {
        return port_groups(&variables);
    }
    let alone = |(index, (name, width)): (usize, (String, usize))| {
        let of = SignalType::plain(width);
        PortGroup { name, of, variables: vec![index], paths: vec![None] }
    };
    variables.into_iter().enumerate().map(alone).collect()
}

/// Returns the values of the input variables: from a bus by their names, from a vector by their places. Records an error
/// if an input does not fit.
fn input_values<'b>(b: &'b Builder<'b>, variables: &[(String, usize)]) -> Option<Vec<Expr<'b>>> {
    let mut values = vec![None; variables.len()];
    for (port, group) in groups(b.settings(), INPUTS).into_iter().enumerate() {
        let (input, of) = (b.input(port), b.input_type(port));
        if of.bus.is_none() && of.width != group.of.width {
            b.refuse_width(port, group.of.width);
            return None;
        }
        // Where the next variable is in a plain signal.
        let mut next = 0;
        for (variable, path) in group.variables.iter().zip(&group.paths) {
            let width = variables[*variable].1;
            let start = match (&of.bus, path) {
                (Some(bus), Some((path, start))) => match bus.find(path) {
                    Some(part) if start + width <= part.of.width => part.start + start,
                    Some(_) => {
                        b.refuse(INPUTS, format!("the element “{path}” of the bus at “{}” is too short", group.name));
                        return None;
                    }
                    None => {
                        b.refuse_element(INPUTS, path, bus);
                        return None;
                    }
                },
                (Some(_), None) if of.width != group.of.width => {
                    b.refuse_width(port, group.of.width);
                    return None;
                }
                _ => next,
            };
            values[*variable] = Some(input.slice(start, width));
            next += width;
        }
    }
    values.into_iter().collect()
}

/// The arguments of the functions of a model.
struct FmuParts<'b> {
    parameters: Vec<Expr<'b>>,
    inputs: Vec<Expr<'b>>,
    outputs: Vec<usize>,
    /// The number of steps between communication points.
    every: f64,
}

/// Prepares the model of the FMU; records an error if it cannot be prepared.
fn model<'b>(b: &'b Builder<'b>) -> Option<(ForeignModel, FmuParts<'b>)> {
    let settings = b.settings();
    let (inputs, outputs) = (ports_in(settings.text(INPUTS)), ports_in(settings.text(OUTPUTS)));
    let values = input_values(b, &inputs)?;
    let lines = constants(b, PARAMETERS);
    let (length, delta) = (settings.number(STEP), b.delta());
    let every = match SampleTime::of(length, 0.0, delta) {
        Ok(sample) => sample.unwrap_or(SampleTime::EVERY).period as f64,
        Err(error) => {
            b.refuse(STEP, error.to_string());
            return None;
        }
    };
    let Some(texts) = assignments(settings.text(TEXTS)) else {
        b.refuse(TEXTS, "each part must have the form name = text");
        return None;
    };
    let texts = texts.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    let wanted = ForeignUse {
        kind: match settings.choice(TYPE) {
            "model-exchange" => ForeignKind::ModelExchange,
            _ => ForeignKind::CoSimulation,
        },
        inputs,
        outputs,
        parameters: lines.iter().map(|(name, value)| (name.clone(), value.width())).collect(),
        texts,
        is_direct: settings.flag(DIRECT),
        step: every * delta,
        call_limit: settings.number(TIME_LIMIT),
        memory: (settings.number(MEMORY_LIMIT) * 1e6) as u64,
    };
    match b.files().foreign(settings.text(FILE), &wanted) {
        Ok(model) => {
            let outputs = wanted.outputs.iter().map(|(_, width)| *width).collect();
            let parameters = lines.into_iter().map(|(_, value)| value).collect();
            Some((model, FmuParts { parameters, inputs: values, outputs, every }))
        }
        Err(error) => {
            b.refuse(FILE, error.to_string());
            None
        }
    }
}

/// Splits a vector into outputs.
fn split<'b>(all: Expr<'b>, first: usize, widths: &[usize]) -> Vec<Expr<'b>> {
    let starts = widths.iter().scan(first, |at, width| {
        *at += width;
        Some(*at - width)
    });
    starts.zip(widths).map(|(start, width)| all.slice(start, *width)).collect()
}

fn co_simulation<'b>(b: &'b Builder<'b>, begin: Option<HostFn>, step: HostFn, parts: &FmuParts<'b>) -> Vec<Expr<'b>> {
    let (zero, one) = (b.constant(0.0), b.constant(1.0));
    let width: usize = parts.outputs.iter().sum();
    let token = b.state(TOKEN, zero);
    // The steps of the FMU so far: its time is their number times their length, which is that of the simulation unless
    // the block is in a model that does not always run.
    let number = b.state(1, zero);
    let last = (width > 0).then(|| b.state(width, zero));
    let is_major = b.clock(Clock::Major);
    let is_first = (parts.every > 1.0).then(|| {
        let phase = b.state(1, zero);
        let next = phase.value + 1.0;
        phase.next(b.select(next.ge(parts.every), zero, next));
        phase.value.equals(0.0)
    });
    let is_due = is_first.map_or(is_major, |is_first| is_major.and(is_first));
    let held: Vec<Expr> = last.iter().map(|last| last.value).collect();
    let mut args = vec![is_due, token.value, number.value];
    args.extend(parts.parameters.iter().chain(&parts.inputs).chain(&held));
    let stepped = b.native(step, &args, TOKEN + width);
    token.next(stepped.slice(0, TOKEN));
    number.next(number.value + b.select(is_due, one, zero));
    let Some(last) = last else { return Vec::new() };
    last.next(stepped.slice(TOKEN, width));
    match begin {
        Some(begin) => {
            let mut args = vec![token.value];
            args.extend(parts.parameters.iter().chain(&held));
            let now = b.native(begin, &args, width);
            // The result of a step is that of its end: until then the outputs are those at its start.
            let shown = is_first.map_or(now, |is_first| {
                let before = b.state(width, zero);
                let shown = b.select(is_first, now, before.value);
                before.next(shown);
                shown
            });
            split(shown, 0, &parts.outputs)
        }
        None => split(stepped, TOKEN, &parts.outputs),
    }
}

/// The parts of a result, one after the other.
struct ResultCut<'b>(Expr<'b>, usize);

impl<'b> ResultCut<'b> {
    /// Takes the next part; `None` if it has no elements.
    fn next(&mut self, width: usize) -> Option<Expr<'b>> {
        self.1 += width;
        (width > 0).then(|| self.0.slice(self.1 - width, width))
    }
}

fn model_exchange<'b>(b: &'b Builder<'b>, model: ForeignModel, parts: &FmuParts<'b>) -> Vec<Expr<'b>> {
    let ForeignModel::ModelExchange { states, indicators, discrete, is_direct, start, decide, evaluate } = model else {
        return Vec::new();
    };
    let zero = b.constant(0.0);
    let mode = |width: usize| (width > 0).then(|| b.mode(width, zero));
    let (token, next_time) = (b.mode(TOKEN, zero), b.mode(1, zero));
    let (sides, held) = (mode(indicators), mode(discrete));
    let x = (states > 0).then(|| b.continuous(states, zero));
    let value_of = |state: Option<StateVar<'b>>| state.map(|state| state.value);
    let deciding = b.deciding();
    let time = b.time();

    // The FMU is initialized before its inputs are known, so that an output without direct feedthrough is published
    // first.
    let mut args = vec![token.value, next_time.value, time];
    args.extend(value_of(x));
    args.extend(&parts.parameters);
    let mut started = ResultCut(b.native(start, &args, TOKEN + 2 + states), 0);
    let (first_token, first_next, is_first) = (started.next(TOKEN), started.next(1), started.next(1));
    let (Some(first_token), Some(first_next), Some(is_first)) = (first_token, first_next, is_first) else {
        return Vec::new();
    };
    let first_x = started.next(states);

    let mut args = vec![deciding, b.clock(Clock::Major), is_first, first_token, first_next, time];
    args.extend(first_x);
    args.extend(&parts.inputs);
    args.extend(value_of(sides));
    args.extend(value_of(held));
    let mut decided = ResultCut(b.native(decide, &args, TOKEN + 2 + states + indicators + discrete), 0);
    let next = |state: StateVar<'b>, value: Expr<'b>| {
        let now = b.select(deciding, value, state.value);
        state.next(now);
        now
    };
    let (Some(to_token), Some(to_time), Some(is_event)) = (decided.next(TOKEN), decided.next(1), decided.next(1))
    else {
        return Vec::new();
    };
    let now_token = next(token, to_token);
    let now_time = next(next_time, to_time);
    let now_x = decided.next(states);
    if let (Some(x), Some(value)) = (x, now_x) {
        x.jump(deciding.and(is_first.or(is_event)), value);
    }
    for (state, width) in [(sides, indicators), (held, discrete)] {
        if let (Some(state), Some(value)) = (state, decided.next(width)) {
            next(state, value);
        }
    }

    let width: usize = parts.outputs.iter().sum();
    let mut args = vec![now_token, time];
    args.extend(now_x);
    args.extend(&parts.inputs);
    let all = b.native(evaluate.clone(), &args, states + indicators + width);
    let mut evaluated = ResultCut(all, 0);
    if let (Some(x), Some(rates)) = (x, evaluated.next(states)) {
        x.derivative(rates);
    }
    if let Some(indicators) = evaluated.next(indicators) {
        b.crossing(indicators);
    }
    b.crossing(b.select(now_time.lt(f64::MAX), time - now_time, -1.0));
    let mut outputs = split(all, states + indicators, &parts.outputs);
    if !parts.inputs.is_empty() && is_direct.contains(&false) {
        // These depend on no input: any will do.
        let mut args = vec![first_token, time];
        args.extend(first_x);
        args.extend(parts.inputs.iter().map(|input| b.vector(&vec![0.0; input.width()])));
        let early = b.native(evaluate, &args, states + indicators + width);
        for ((output, early), is_direct) in
            outputs.iter_mut().zip(split(early, states + indicators, &parts.outputs)).zip(is_direct)
        {
            if !is_direct {
                *output = early;
            }
        }
    }
    outputs
}
