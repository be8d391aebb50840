//! Hidden blocks beside a conditional or iterated model block, which control it and split and join its signals.
//!
//! The compiler adds them; they are in no file and no palette.

use super::boundary::EXIT_HELD;
use super::edge::edge;
use super::{BlockDef, Builder, Expr, Face, Look, ParamDef, Ports, Setting, edge_of};

/// Computes the number of runs of a model in a step, and whether its states are reset before.
///
/// The inputs are the control signals, scalars in the order enable, trigger, reset, repeat, and then all others that
/// the model waits for. The first output is the number of runs, to be rounded down and limited to 0 from below; the
/// second is nonzero where the states are reset.
pub static GATE: BlockDef = BlockDef {
    name: "Gate",
    doc: "Computes whether and how often a model runs",
    outputs: Ports::Fixed(&["Runs", "Reset"]),
    params: &[
        ParamDef::choice(ENABLE, &["none", "hold", "reset"]),
        ParamDef::choice(TRIGGER, &["none", "rising", "falling", "either"]),
        ParamDef::choice(RESET, &["none", "rising", "falling", "either"]),
        ParamDef::choice(REPEAT, &["once", "times", "while"]),
        ParamDef::flag(REPEAT_RESET, false),
        ParamDef::integer(WAITS, 0, 0, i64::MAX),
    ],
    build: gate,
    ..HIDDEN
};

/// Splits a vector into its elements, one for each instance of a for-each model; a scalar goes to all instances.
pub static SPLIT: BlockDef = BlockDef {
    name: "Split",
    doc: "Splits a vector into an element for each instance",
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Counted { stem: "Instance", param: COUNT },
    params: &[ParamDef::integer(COUNT, 1, 1, i64::MAX)],
    build: |b| {
        let u = b.input(0);
        for instance in 0..b.output_count() {
            let last = u.width().saturating_sub(1);
            b.output(instance, if u.width() > 1 { u.slice(instance.min(last), 1) } else { u });
            // All instances have signals of one type.
            b.drop_names(instance);
        }
    },
    ..HIDDEN
};

/// Concatenates the results of the instances.
pub static JOIN: BlockDef = BlockDef {
    name: "Join",
    doc: "Joins the results of the instances",
    inputs: Ports::Counted { stem: "Instance", param: COUNT },
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::integer(COUNT, 1, 1, i64::MAX)],
    build: |b| b.output(0, b.join(&b.inputs())),
    ..HIDDEN
};

/// Concatenates the results of a conditional model, and holds them while it does not run.
pub static JOIN_HELD: BlockDef = BlockDef {
    params: &[ParamDef::integer(COUNT, 1, 1, i64::MAX), EXIT_HELD.params[0]],
    build: |b| {
        let (inputs, initial) = (b.inputs(), b.param("Initial Value"));
        let mut parts = inputs.clone();
        parts.push(initial);
        let width = b.common_width(&parts);
        b.output(0, b.join(&inputs.iter().map(|&input| b.widen(input, width)).collect::<Vec<_>>()));
        b.idle(0, b.join(&vec![b.widen(initial, width); inputs.len()]));
    },
    ..JOIN
};

/// Stands for [`JOIN`] while the number of instances is not known. The inputs are the result of one instance and the
/// vectors that are split; of the output only the width has a meaning.
pub static JOIN_OUTLINE: BlockDef = BlockDef { build: |b| b.output(0, join_outline(b, b.input(0))), ..JOIN };

/// Stands for [`JOIN_HELD`] as [`JOIN_OUTLINE`] for [`JOIN`].
pub static JOIN_HELD_OUTLINE: BlockDef = BlockDef {
    build: |b| {
        let (input, initial) = (b.input(0), b.param("Initial Value"));
        b.output(0, join_outline(b, b.widen(input, b.common_width(&[input, initial]))));
    },
    ..JOIN_HELD
};

pub const ENABLE: &str = "Enable";
pub const TRIGGER: &str = "Trigger";
pub const RESET: &str = "Reset";
pub const REPEAT: &str = "Repeat";
pub const REPEAT_RESET: &str = "Repeat Reset";
pub const WAITS: &str = "Waits";
pub const COUNT: &str = "Count";

const HIDDEN: BlockDef = BlockDef {
    group: "",
    name: "",
    doc: "",
    formula: "",
    aliases: &[],
    look: Look::rect(Face::Empty),
    inputs: Ports::NONE,
    outputs: Ports::NONE,
    params: &[],
    build: |_| {},
    examples: &[],
};

fn gate<'b>(b: &'b Builder<'b>) {
    let settings = b.settings();
    let (zero, one) = (b.constant(0.0), b.constant(1.0));
    let mut next = 0..;
    let mut control = || b.scalar_input(next.next().unwrap_or(0));
    let (mut runs, mut resets) = (one, zero);
    // An iterated model runs at steps.
    let is_located = b.locates() && settings.choice(REPEAT) == "once";
    let mut control = || {
        let control = control();
        if is_located {
            b.crossing(control);
        }
        control
    };
    let enable = settings.choice(ENABLE);
    if enable != "none" {
        runs = control().gt(zero);
        if enable == "reset" {
            let was_on = if is_located { b.mode(1, zero) } else { b.state(1, zero) };
            was_on.next(runs);
            resets = runs.and(!was_on.value);
        }
    }
    let edge = |kind: &str, now: Expr<'b>| {
        if !is_located {
            return edge_of(kind, now);
        }
        let before = b.mode(1, b.constant(f64::NAN));
        before.next(now);
        edge(kind, before.value, now)
    };
    let trigger = settings.choice(TRIGGER);
    if trigger != "none" {
        runs = runs.and(edge(trigger, control()));
    }
    let reset = settings.choice(RESET);
    if reset != "none" {
        resets = resets.or(edge(reset, control()));
    }
    match settings.choice(REPEAT) {
        "times" => runs = b.select(runs, control().floor(), zero),
        "while" => runs = runs.and(control().gt(zero)),
        _ => {}
    }
    if settings.get(REPEAT_RESET) == &Setting::Flag(true) {
        resets = resets.or(runs.gt(zero));
    }
    b.output(0, runs);
    b.output(1, resets);
}

/// Returns as many copies of the result as the widest of the other inputs has elements.
fn join_outline<'b>(b: &'b Builder<'b>, result: Expr<'b>) -> Expr<'b> {
    let count = b.inputs().iter().skip(1).map(|split| split.width()).max();
    b.join(&vec![result; count.unwrap_or(1).max(1)])
}
