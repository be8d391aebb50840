//! Continuous and discrete systems, and discontinuities.

use super::super::block::Cx;
use super::super::made::{Made, library};
use super::super::row::{How, Row};
use super::params::{number_or, set, text_or_stored};
use super::polynomial::coefficients;
use crate::model::Block;

pub const ROWS: &[Row] = &[
    ("INTEGRAL_f", How::By(integral)),
    ("INTEGRAL", How::By(integral)),
    ("INTEGRAL_m", How::By(integral)),
    ("CLR", How::By(|cx| transfer(cx, false))),
    ("CLR_f", How::By(|cx| transfer(cx, false))),
    ("DLR", How::By(|cx| transfer(cx, true))),
    ("DLR_f", How::By(|cx| transfer(cx, true))),
    ("CLSS", How::By(|cx| state_space(cx, false))),
    ("CLSS_f", How::By(|cx| state_space(cx, false))),
    ("TCLSS", How::By(jumping)),
    ("TCLSS_f", How::By(jumping)),
    ("DLSS", How::By(|cx| state_space(cx, true))),
    ("DLSS_f", How::By(|cx| state_space(cx, true))),
    ("DERIV", How::By(derivative)),
    ("TIME_DELAY", How::By(delay)),
    ("VARIABLE_DELAY", How::By(variable_delay)),
    ("DOLLAR", How::By(unit_delay)),
    ("DOLLAR_f", How::By(unit_delay)),
    ("DOLLAR_m", How::By(unit_delay)),
    ("REGISTER", How::By(register)),
    ("REGISTER_f", How::By(register)),
    ("SAMPHOLD_m", How::By(hold)),
    ("SAMPHOLD_f", How::By(hold)),
    ("SAMPLEHOLD_f", How::By(hold)),
    ("SATURATION", How::By(|cx| limits(cx, "Saturate", "Lower Limit", "Upper Limit"))),
    ("SAT_f", How::By(sloped)),
    ("DEADBAND", How::By(|cx| limits(cx, "Dead Zone", "Start", "End"))),
    (
        "HYSTHERESIS",
        How::Same(
            "Nonlinear",
            "Relay",
            &[
                ("Switch On", "exprs(1)"),
                ("Switch Off", "exprs(2)"),
                ("On Value", "exprs(3)"),
                ("Off Value", "exprs(4)"),
            ],
        ),
    ),
    (
        "RATELIMITER",
        How::Same("Nonlinear", "Rate Limiter", &[("Rising Slope", "exprs(1)"), ("Falling Slope", "exprs(2)")]),
    ),
    ("BACKLASH", How::Same("Nonlinear", "Backlash", &[("Initial Value", "exprs(1)"), ("Width", "exprs(2)")])),
    ("DELAYV_f", How::Missing("a delay whose length is a signal, and that counts events, is not there")),
];

/// An integrator: the initial value, whether events set it again, and its limits.
fn integral(cx: &mut Cx) -> Result<Made, String> {
    cx.mapper.has_continuous = true;
    let mut block = library("Continuous", "Integrator");
    set(cx, &mut block, "Initial Value", 1, "state")?;
    if number_or(cx, 2, 0.0)? != 0.0 {
        if cx.wired_inputs > 1 || !cx.text("EventInputs").is_empty() {
            return Err("an event sets it to its second input".to_owned());
        }
        cx.note("nothing resets it");
    }
    if number_or(cx, 3, 0.0)? != 0.0 {
        block.set_option("Limited", Some(&["1"]));
        cx.set(&mut block, "Upper Limit", "exprs(4)")?;
        cx.set(&mut block, "Lower Limit", "exprs(5)")?;
    }
    Ok(block.into())
}

/// Says that a block that belongs to a clock has none.
fn clocked(cx: &mut Cx, block: &mut Block) {
    cx.set_sample_time(block);
    let has_time = block.option("Sample Time").is_some();
    if !has_time && cx.text("Activated").is_empty() {
        cx.note("no clock activates it: it runs at every step");
    }
}

fn transfer(cx: &mut Cx, is_discrete: bool) -> Result<Made, String> {
    let (numerator, denominator) = (coefficients(cx, "exprs(1)")?, coefficients(cx, "exprs(2)")?);
    let (numerator, denominator) = (cx.expression_of(&numerator)?, cx.expression_of(&denominator)?);
    let mut block = match is_discrete {
        true => library("Discrete", "Discrete Transfer Function"),
        false => library("Continuous", "Transfer Function"),
    };
    cx.mapper.has_continuous |= !is_discrete;
    block = block.with_option("Numerator", &[numerator.text]).with_option("Denominator", &[denominator.text]);
    if is_discrete {
        clocked(cx, &mut block);
    }
    Ok(block.into())
}

fn state_space(cx: &mut Cx, is_discrete: bool) -> Result<Made, String> {
    let mut block = match is_discrete {
        true => library("Discrete", "Discrete State Space"),
        false => library("Continuous", "State Space"),
    };
    cx.mapper.has_continuous |= !is_discrete;
    let initial = if is_discrete { "dState" } else { "state" };
    if let Some(stored) = stored_matrices(cx, initial) {
        cx.note("its matrices are those with which the file was saved: a name in them has no value");
        for (option, text) in ["A", "B", "C", "D"].into_iter().zip(stored) {
            block.set_option(option, Some(&[text]));
        }
        cx.set_unless_empty(&mut block, "Initial State", initial)?;
    } else {
        for (place, option) in ["A", "B", "C"].into_iter().enumerate() {
            cx.set(&mut block, option, &format!("exprs({})", place + 1))?;
        }
        // An empty D is zero.
        if !["", "[]"].contains(&cx.text("exprs(4)")) {
            block.set_option("D", Some(&[feedthrough(cx)?]));
        }
        if !["", "[]"].contains(&cx.text("exprs(5)")) {
            cx.set(&mut block, "Initial State", "exprs(5)")?;
        }
    }
    if is_discrete {
        clocked(cx, &mut block);
    }
    Ok(block.into())
}

/// The matrices with which the file was saved, where those of the dialog have no value: A, B, C and D one after the other,
/// each column by column.
fn stored_matrices(cx: &mut Cx, initial: &str) -> Option<[String; 4]> {
    let translated = |text: &str| super::super::super::xcos::scilab::translated(text);
    let is_known = (1..=4).all(|number| {
        let text = translated(cx.text(&format!("exprs({number})")));
        let rewritten = super::super::super::values::rewrite(&text);
        text.trim().is_empty() || text.trim() == "[]" || rewritten.is_ok_and(|it| cx.mapper.known_value(&it).is_some())
    });
    if is_known {
        return None;
    }
    let stored = cx.numbers("realParameters").ok()?;
    let states = cx.numbers(initial).ok()?.len();
    let inputs = cx.size("in1.rows")?;
    let outputs = cx.size("out1.rows")?;
    let sizes = [(states, states), (states, inputs), (outputs, states), (outputs, inputs)];
    if sizes.iter().map(|(rows, columns)| rows * columns).sum::<usize>() != stored.len() {
        return None;
    }
    let mut rest = &stored[..];
    Some(sizes.map(|(rows, columns)| {
        let (own, after) = rest.split_at(rows * columns);
        rest = after;
        let values = (0..rows).flat_map(|row| (0..columns).map(move |column| own[column * rows + row])).collect();
        super::super::super::values::text_of(&crate::block::language::Matrix { values, rows })
    }))
}

/// A single 0 stands for a matrix of zeros.
fn feedthrough(cx: &mut Cx) -> Result<String, String> {
    let made = cx.expression("exprs(4)")?;
    let is_zero = made.value.as_ref().is_some_and(|value| value.values == [0.0]);
    let (rows, columns) = match (cx.expression("exprs(3)")?.value, cx.expression("exprs(2)")?.value) {
        (Some(c), Some(b)) if is_zero => (c.rows, b.columns()),
        _ => return Ok(made.text),
    };
    Ok(if rows * columns > 1 && rows * columns < 10_000 { format!("zeros({rows}, {columns})") } else { made.text })
}

/// A state space whose state an event sets to its second input.
fn jumping(cx: &mut Cx) -> Result<Made, String> {
    if !cx.text("SampleTime").is_empty() || cx.wired_inputs > 1 {
        return Err("an event sets its state to its second input".to_owned());
    }
    cx.note("no event sets its state");
    state_space(cx, false)
}

fn derivative(cx: &mut Cx) -> Result<Made, String> {
    cx.mapper.has_continuous = true;
    cx.note("the derivative depends on the steps of the solver");
    Ok(library("Continuous", "Derivative").into())
}

fn delay(cx: &mut Cx) -> Result<Made, String> {
    cx.mapper.has_continuous = true;
    let mut block = library("Continuous", "Transport Delay");
    cx.set(&mut block, "Delay", "exprs(1)")?;
    cx.set_unless_empty(&mut block, "Initial Value", "exprs(2)")?;
    Ok(block.into())
}

fn variable_delay(cx: &mut Cx) -> Result<Made, String> {
    cx.mapper.has_continuous = true;
    let mut block = library("Continuous", "Variable Time Delay");
    cx.set(&mut block, "Longest Delay", "exprs(1)")?;
    cx.set_unless_empty(&mut block, "Initial Value", "exprs(2)")?;
    Ok(block.into())
}

fn unit_delay(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Discrete", "Unit Delay");
    let stored = if cx.raw("dState").is_some() { "dState" } else { "objectsParameters(1)" };
    set(cx, &mut block, "Initial Value", 1, stored)?;
    clocked(cx, &mut block);
    Ok(block.into())
}

/// A shift register: its initial content says how long it is.
fn register(cx: &mut Cx) -> Result<Made, String> {
    let text = text_or_stored(cx, 1, "dState")?;
    let content = cx.expression_of(&text)?.value.map(|value| value.values).ok_or("its content has to be known")?;
    let first = content.first().copied().unwrap_or(0.0);
    let mut block = library("Discrete", "Delay").with_option("Length", &[content.len().max(1).to_string()]);
    block.set_option("Initial Value", Some(&[crate::block::number_text(first)]));
    if content.iter().any(|value| *value != first) {
        cx.note("all samples of its initial content have the first value");
    }
    clocked(cx, &mut block);
    Ok(block.into())
}

fn hold(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Discrete", "Zero-Order Hold");
    clocked(cx, &mut block);
    Ok(block.into())
}

/// A limit with a slope: the lower limit, the upper one, the slope.
fn sloped(cx: &mut Cx) -> Result<Made, String> {
    let mut limits = library("Nonlinear", "Saturate");
    cx.set(&mut limits, "Lower Limit", "exprs(1)")?;
    cx.set(&mut limits, "Upper Limit", "exprs(2)")?;
    let slope = if cx.text("exprs(3)").is_empty() { "1".to_owned() } else { cx.expression("exprs(3)")?.text };
    if slope == "1" {
        return Ok(limits.into());
    }
    let gain = library("Math", "Gain").with_option("Gain", &[slope]);
    Ok(Made::chain(vec![(gain, "Input", "Output"), (limits, "Input", "Output")], 1))
}

/// A block with an upper limit, then a lower one.
fn limits(cx: &mut Cx, name: &str, lower: &str, upper: &str) -> Result<Made, String> {
    let mut block = library("Nonlinear", name);
    let stored = cx.numbers("realParameters").unwrap_or_default();
    for (number, option) in [(1, upper), (2, lower)] {
        let text = format!("exprs({number})");
        match (cx.text(&text).is_empty(), stored.get(number - 1)) {
            (true, Some(value)) => block.set_option(option, Some(&[crate::block::number_text(*value)])),
            _ => cx.set(&mut block, option, &text)?,
        }
    }
    Ok(block.into())
}
