//! Sources.

use super::super::block::Cx;
use super::super::made::{Made, library};
use super::super::row::{How, Row};
use super::params::{number_or, set, text_or_stored};
use crate::block::number_text;
use crate::model::Block;

pub const ROWS: &[Row] = &[
    ("CONST_m", How::By(constant)),
    ("CONST_f", How::By(constant)),
    ("CONST", How::By(constant)),
    ("TKSCALE", How::By(scale)),
    ("GENSIN_f", How::By(sine)),
    ("STEP", How::By(step)),
    ("STEP_FUNCTION", How::By(|cx| of_inner(cx, "STEP", step_of))),
    ("RAMP", How::By(ramp)),
    ("TIME_f", How::Same("Var", "Clock", &[])),
    ("GENSQR_f", How::By(square)),
    ("PULSE_SC", How::By(pulse)),
    ("SAWTOOTH_f", How::By(sawtooth)),
    ("RAND_f", How::By(|cx| random(cx, 1))),
    ("RAND_m", How::By(|cx| random(cx, 2))),
    ("Modulo_Count", How::By(modulo)),
    ("Counter_f", How::By(counter)),
    ("COUNTER", How::By(counter)),
    ("CURV_f", How::By(curve_of_values)),
    ("CURVE_c", How::By(curve)),
    ("Sigbuilder", How::By(|cx| of_inner(cx, "CURVE_c", curve_of))),
    ("Ground_g", How::Same("Var", "Ground", &[])),
    ("FROMWSB", How::Missing("its values come from a variable of Scilab, which is not in the file")),
    ("FROMWS_c", How::Missing("its values come from a variable of Scilab, which is not in the file")),
    ("RFILE_f", How::Missing("it reads a file of Scilab")),
    ("READC_f", How::Missing("it reads a binary file")),
    ("READAU_f", How::Missing("it reads a file of sound")),
];

fn constant(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Var", "Static");
    let stored = if cx.raw("objectsParameters(1)").is_some() { "objectsParameters(1)" } else { "realParameters" };
    set(cx, &mut block, "Value", 1, stored)?;
    Ok(block.into())
}

/// A slider: its value is in the middle of its range.
fn scale(cx: &mut Cx) -> Result<Made, String> {
    let (low, high) = (number_or(cx, 1, -10.0)?, number_or(cx, 2, 10.0)?);
    cx.note("the slider is a constant in the middle of its range");
    Ok(library("Var", "Static").with_option("Value", &[number_text((low + high) / 2.0)]).into())
}

fn sine(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Var", "Sine");
    let stored = cx.numbers("realParameters").unwrap_or_default();
    for (place, option) in ["Amplitude", "Frequency", "Phase"].into_iter().enumerate() {
        match (cx.text(&format!("exprs({})", place + 1)).is_empty(), stored.get(place)) {
            (true, Some(value)) => block = block.with_option(option, &[number_text(*value)]),
            (true, None) => {}
            _ => cx.set(&mut block, option, &format!("exprs({})", place + 1))?,
        }
    }
    Ok(block.into())
}

/// A block that is a superblock around one with the parameters; without it, it has its own.
fn of_inner(cx: &mut Cx, kind: &str, make: fn(&mut Cx, &[String]) -> Result<Made, String>) -> Result<Made, String> {
    let inner = cx.block.inner().iter().find(|block| block.kind == kind).unwrap_or(cx.block);
    let exprs: Vec<String> =
        (1..=10).map(|number| inner.params.get(&format!("exprs({number})")).unwrap_or_default().to_owned()).collect();
    make(cx, &exprs)
}

fn own(cx: &Cx) -> Vec<String> {
    (1..=10).map(|number| cx.text(&format!("exprs({number})")).to_owned()).collect()
}

fn option(cx: &mut Cx, block: &mut Block, option: &str, text: &str) -> Result<(), String> {
    if !text.is_empty() {
        let made = cx.expression_of(text).map_err(|problem| format!("{option} = {text}: {problem}"))?;
        block.set_option(option, Some(&[made.text]));
    }
    Ok(())
}

fn step(cx: &mut Cx) -> Result<Made, String> {
    let exprs = own(cx);
    step_of(cx, &exprs)
}

fn step_of(cx: &mut Cx, exprs: &[String]) -> Result<Made, String> {
    let mut block = library("Var", "Step");
    for (name, text) in ["Step Time", "Initial Value", "Final Value"].into_iter().zip(exprs) {
        option(cx, &mut block, name, text)?;
    }
    Ok(block.into())
}

fn ramp(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Var", "Line");
    let exprs = own(cx);
    for (name, text) in ["Slope", "Start Time", "Initial Value"].into_iter().zip(&exprs) {
        option(cx, &mut block, name, text)?;
    }
    Ok(block.into())
}

/// The period and the first time of the events of a block.
fn clock(cx: &mut Cx) -> Result<(f64, f64), String> {
    let what = "its events are not those of a clock with a known period";
    let (time, offset) = cx.sample_time("SampleTime").ok_or(what)?;
    let period = time.value.and_then(|value| value.values.first().copied()).ok_or(what)?;
    let offset = offset.and_then(|text| text.parse().ok()).unwrap_or(0.0);
    Ok((period, offset))
}

/// A square wave that changes its sign at each event.
fn square(cx: &mut Cx) -> Result<Made, String> {
    let (period, offset) = clock(cx)?;
    let amplitude = text_or_stored(cx, 1, "dState")?;
    if offset > 0.0 {
        cx.note("before its first event it has the negative amplitude");
    }
    let pulse = library("Var", "Pulse")
        .with_option("Amplitude", &[format!("2*({amplitude})")])
        .with_option("Period", &[number_text(2.0 * period)])
        .with_option("Delay", &[number_text(offset)]);
    let bias = library("Math", "Bias").with_option("Bias", &[format!("-({amplitude})")]);
    Ok(Made::chain(vec![(pulse, "", "Output"), (bias, "Input", "Output")], 0))
}

fn pulse(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Var", "Pulse");
    let exprs = own(cx);
    for (name, text) in ["Delay", "Width", "Period", "Amplitude"].into_iter().zip(&exprs) {
        option(cx, &mut block, name, text)?;
    }
    Ok(block.into())
}

/// The time since the last event.
fn sawtooth(cx: &mut Cx) -> Result<Made, String> {
    let (period, offset) = clock(cx)?;
    if offset > 0.0 {
        cx.note("it begins as if an event had been before the first one");
    }
    let block = library("Var", "Repeating Sequence")
        .with_option("Times", &["0".to_owned(), number_text(period)])
        .with_option("Values", &["0".to_owned(), number_text(period)]);
    Ok(block.into())
}

fn random(cx: &mut Cx, first: usize) -> Result<Made, String> {
    let is_normal = number_or(cx, first, 0.0)? == 1.0;
    let (mut block, names) = match is_normal {
        true => (library("Var", "Noise"), ["Mean", "Deviation"]),
        false => (library("Var", "Random"), ["Low Value", "High Value"]),
    };
    cx.set(&mut block, names[0], &format!("exprs({})", first + 1))?;
    if is_normal {
        cx.set(&mut block, names[1], &format!("exprs({})", first + 2))?;
    } else {
        // The parameters are the lowest value and the range.
        let text = format!(
            "({}) + ({})",
            cx.text(&format!("exprs({})", first + 1)),
            cx.text(&format!("exprs({})", first + 2))
        );
        option(cx, &mut block, names[1], &text)?;
    }
    cx.note("another generator: the same distribution, other numbers");
    Ok(cx.sampled_source(block))
}

fn modulo(cx: &mut Cx) -> Result<Made, String> {
    let (period, offset) = clock(cx)?;
    let (start, base) = (number_or(cx, 1, 0.0)?, number_or(cx, 2, 3.0)?);
    if base < 1.0 || base.fract() != 0.0 || start < 0.0 {
        return Err("its limit is no whole number".to_owned());
    }
    let values: Vec<f64> = (0..(base as usize).min(10_000)).map(|step| (start + step as f64) % base).collect();
    Ok(stair(cx, &values, period, offset))
}

fn counter(cx: &mut Cx) -> Result<Made, String> {
    let (period, offset) = clock(cx)?;
    let (low, high, rule) = (number_or(cx, 1, 0.0)?, number_or(cx, 2, 1.0)?, number_or(cx, 3, 1.0)?);
    let count = high - low + 1.0;
    if !(1.0..=10_000.0).contains(&count) {
        return Err("its limits are no whole numbers in order, or too far apart".to_owned());
    }
    let at = |step: usize| if rule == 2.0 { high - step as f64 } else { low + step as f64 };
    let values: Vec<f64> = (0..count as usize).map(at).collect();
    Ok(stair(cx, &values, period, offset))
}

/// A list of values, one for each event.
fn stair(cx: &mut Cx, values: &[f64], period: f64, offset: f64) -> Made {
    let mut block = library("Var", "Repeating Stair");
    let texts: Vec<String> = values.iter().map(|value| number_text(*value)).collect();
    block.set_option("Values", Some(&texts));
    block.set_option("Sample Time", Some(&[number_text(period)]));
    if offset > 0.0 {
        block.set_option("Sample Offset", Some(&[number_text(offset)]));
        cx.mapper.sample_times.push(offset);
    }
    block.into()
}

/// A curve whose points are stored: all times, then all values.
fn curve_of_values(cx: &mut Cx) -> Result<Made, String> {
    let numbers = cx.numbers("realParameters")?;
    let (times, values) = numbers.split_at(numbers.len() / 2);
    points(times, values, false, "linear")
}

fn curve(cx: &mut Cx) -> Result<Made, String> {
    let exprs = own(cx);
    curve_of(cx, &exprs)
}

/// A curve: the method, the times, the values, and whether it repeats.
fn curve_of(cx: &mut Cx, exprs: &[String]) -> Result<Made, String> {
    let mut known = |text: &str| {
        let made = cx.expression_of(text)?;
        made.value.map(|value| value.values).ok_or_else(|| format!("{text} has to be known for the import"))
    };
    let method = exprs[0].parse::<f64>().unwrap_or(1.0);
    let (times, values) = (known(&exprs[1])?, known(&exprs[2])?);
    let is_repeated = ["y", "Y", "yes"].contains(&exprs[3].trim_matches('"'));
    let interpolation = match method {
        0.0 => "flat",
        1.0 => "linear",
        3.0 => {
            cx.note("the spline is of another kind at its ends");
            "spline"
        }
        _ => {
            cx.note("the interpolation is linear");
            "linear"
        }
    };
    points(&times, &values, is_repeated, interpolation)
}

fn points(times: &[f64], values: &[f64], is_repeated: bool, interpolation: &str) -> Result<Made, String> {
    if times.len() != values.len() || times.len() < 2 || !times.windows(2).all(|pair| pair[0] <= pair[1]) {
        return Err("its points are no list of increasing times with a value each".to_owned());
    }
    let texts = |list: &[f64]| list.iter().map(|value| number_text(*value)).collect::<Vec<_>>();
    let mut block = library("Var", if is_repeated { "Repeating Sequence" } else { "Piecewise" });
    block.set_option("Times", Some(&texts(times)));
    block.set_option("Values", Some(&texts(values)));
    if interpolation != "linear" {
        block = block.with_option("Interpolation", &[interpolation]);
    }
    Ok(block.into())
}
