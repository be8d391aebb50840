//! Mathematical operations and routing.

use super::super::block::{Cx, short};
use super::super::made::{Ends, Made, library};
use super::super::row::{How, Row, unchanged};
use super::params::{number_or, set, text_or_stored};
use crate::block::number_text;

pub const ROWS: &[Row] = &[
    ("GAINBLK", How::By(gain)),
    ("GAINBLK_f", How::By(gain)),
    ("GAIN_f", How::By(gain)),
    ("SUMMATION", How::By(summation)),
    ("BIGSOM_f", How::By(weighted)),
    ("SUM_f", How::By(|_| Ok(library("Math", "Sum").with_option("Signs", &["+++"]).into()))),
    ("SOM_f", How::By(weighted)),
    ("PRODUCT", How::By(product)),
    ("PROD_f", How::By(|_| Ok(library("Math", "Product").with_option("Operations", &["**"]).into()))),
    (
        "INTMUL",
        How::By(|cx| {
            cx.note("numbers are of type double: a product does not overflow");
            Ok(library("Math", "Product").with_option("Operations", &["**"]).into())
        }),
    ),
    ("ABS_VALUE", How::Same("Math", "Abs", &[])),
    ("ABSBLK_f", How::Same("Math", "Abs", &[])),
    ("SIGNUM", How::Same("Math", "Sign", &[])),
    ("SQRT", How::Same("Math", "Sqrt", &[])),
    ("INVBLK", How::By(|_| function("1/u"))),
    ("INVBLK_f", How::By(|_| function("1/u"))),
    ("POWBLK_f", How::By(power)),
    ("EXPBLK_m", How::By(|cx| exponential(cx, "({a})^u"))),
    ("EXPBLK_f", How::By(|cx| exponential(cx, "({a})^u"))),
    ("LOGBLK_f", How::By(|cx| exponential(cx, "log(u)/log({a})"))),
    ("SINBLK_f", How::By(|_| trigonometry("sin"))),
    ("COSBLK_f", How::By(|_| trigonometry("cos"))),
    ("TANBLK_f", How::By(|_| trigonometry("tan"))),
    ("TrigFun", How::By(trig_fun)),
    ("MAXMIN", How::By(max_min)),
    (
        "MAX_f",
        How::By(|_| {
            Ok(library("Math", "MinMax").with_option("Function", &["max"]).with_option("Inputs", &["1"]).into())
        }),
    ),
    (
        "MIN_f",
        How::By(|_| {
            Ok(library("Math", "MinMax").with_option("Function", &["min"]).with_option("Inputs", &["1"]).into())
        }),
    ),
    ("QUANT_f", How::By(quantizer)),
    ("EXPRESSION", How::By(expression)),
    ("scifunc_block_m", How::By(function_of_scilab)),
    ("CONVERT", How::By(convert)),
    ("MUX", How::By(mux)),
    ("MUX_f", How::By(mux)),
    ("DEMUX", How::By(demux)),
    ("DEMUX_f", How::By(demux)),
    ("SWITCH2_m", How::By(switch)),
    ("SWITCH2_f", How::By(switch)),
    ("SWITCH_f", How::By(manual)),
    ("M_SWITCH", How::By(multiport)),
    ("EXTRACTOR", How::By(extractor)),
    ("SCALAR2VECTOR", How::By(widened)),
    ("RELAY_f", How::Missing("events choose between its inputs")),
    ("SELECT_m", How::By(selected)),
    ("SELECT_f", How::By(selected)),
    ("ISELECT_m", How::By(passed)),
    ("ISELECT_f", How::By(passed)),
    ("EVTVARDLY", How::Missing("it delays events by a signal")),
    ("ANDBLK", How::Missing("it needs two events at the same time")),
    ("ANDLOG_f", How::Missing("it asks which of two events came")),
    ("freq_div", How::Missing("it divides events")),
];

/// A gain: a matrix multiplies as K·u.
fn gain(cx: &mut Cx) -> Result<Made, String> {
    let text = text_or_stored(cx, 1, "realParameters")?;
    let value = cx.expression_of(&text)?.value;
    if value.as_ref().is_none_or(|value| value.values.len() == 1) {
        return Ok(library("Math", "Gain").with_option("Gain", &[text]).into());
    }
    let mut block = library("Matrix", "Matrix Gain").with_option("Gain", &[text]).with_option("Order", &["K·u"]);
    if let Some(columns) = cx.size("in1.columns").filter(|columns| *columns > 1) {
        block = block.with_option("Columns", &[columns.to_string()]);
    }
    Ok(block.into())
}

impl Cx<'_> {
    /// A number of rows or columns of a port, where it is known.
    pub(super) fn size(&self, name: &str) -> Option<usize> {
        self.block.params.get(name)?.parse().ok()
    }
}

/// A sum: the type, then the signs, or the signs alone; a single number is a number of inputs.
fn summation(cx: &mut Cx) -> Result<Made, String> {
    let name = if cx.text("exprs(2)").is_empty() { "exprs(1)" } else { "exprs(2)" };
    let signs = match cx.text(name).is_empty() {
        true => cx.numbers("integerParameters").unwrap_or_default(),
        false => cx.numbers(name)?,
    };
    Ok(library("Math", "Sum").with_option("Signs", &[sign_text(cx, &signs, '+', '-')]).into())
}

fn sign_text(cx: &Cx, signs: &[f64], positive: char, negative: char) -> String {
    let inputs = cx.block.inputs.unwrap_or(1).max(cx.wired_inputs).max(1);
    match signs {
        // A number of inputs, all positive.
        [single] if inputs > 1 && *single > 0.0 => positive.to_string().repeat(inputs),
        [] => positive.to_string().repeat(inputs),
        _ => signs.iter().map(|sign| if *sign < 0.0 { negative } else { positive }).collect(),
    }
}

fn product(cx: &mut Cx) -> Result<Made, String> {
    let signs = match cx.text("exprs(1)").is_empty() {
        true => cx.numbers("integerParameters").unwrap_or_default(),
        false => cx.numbers("exprs(1)")?,
    };
    Ok(library("Math", "Product").with_option("Operations", &[sign_text(cx, &signs, '*', '/')]).into())
}

/// A sum with a gain for each input.
fn weighted(cx: &mut Cx) -> Result<Made, String> {
    let gains = match cx.text("exprs(1)").is_empty() {
        true => cx.numbers("realParameters")?,
        false => cx.numbers("exprs(1)")?,
    };
    if gains.is_empty() || gains.len() > 1000 {
        return Err("it has no gains".to_owned());
    }
    let signs: String = gains.iter().map(|gain| if *gain == -1.0 { '-' } else { '+' }).collect();
    let mut made = Made { parts: vec![library("Math", "Sum").with_option("Signs", &[signs])], ..Made::default() };
    let port = |name: &str| -> std::sync::Arc<str> { name.into() };
    let mut inputs = Vec::new();
    for (place, gain) in gains.iter().enumerate() {
        let own = format!("Input {}", place + 1);
        if gain.abs() == 1.0 {
            inputs.push((0, port(&own)));
            continue;
        }
        let before = made.parts.len();
        made.parts.push(library("Math", "Gain").with_option("Gain", &[number_text(*gain)]));
        made.inner.push(((before, port("Output")), (0, port(&own))));
        inputs.push((before, port("Input")));
    }
    if made.parts.len() > 1 {
        made.ends = Ends::Listed { inputs, outputs: vec![(0, port("Output"))] };
    }
    Ok(made)
}

fn function(name: &str) -> Result<Made, String> {
    Ok(library("Math", "Function").with_option("Function", &[name]).into())
}

fn trigonometry(name: &str) -> Result<Made, String> {
    Ok(library("Math", "Trigonometry").with_option("Function", &[name]).into())
}

fn trig_fun(cx: &mut Cx) -> Result<Made, String> {
    let name = cx.text("exprs(1)").to_owned();
    const KNOWN: [&str; 12] =
        ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"];
    if !KNOWN.contains(&&*name) {
        return Err(format!("the function {} is not known", short(&name)));
    }
    trigonometry(&name)
}

/// A formula of u with a parameter.
fn with_parameter(text: &str) -> Made {
    let formula = format!("y = {text}");
    library("User", "Formula").with_option("Formula", &[formula]).with_option("Inputs", &["u"]).into()
}

fn power(cx: &mut Cx) -> Result<Made, String> {
    let stored = if cx.raw("realParameters").is_some() { "realParameters" } else { "integerParameters" };
    let exponent = text_or_stored(cx, 1, stored)?;
    Ok(match &*exponent {
        "1" => unchanged(),
        "2" => return function("square"),
        "-1" => return function("1/u"),
        _ => with_parameter(&format!("u^({exponent})")),
    })
}

fn exponential(cx: &mut Cx, formula: &str) -> Result<Made, String> {
    let text = cx.text("exprs(1)").replace(' ', "");
    if ["%e", "exp(1)"].contains(&&*text) {
        return function(if formula.starts_with("log") { "ln" } else { "exp" });
    }
    let base = text_or_stored(cx, 1, "realParameters")?;
    Ok(with_parameter(&formula.replace("{a}", &base)))
}

fn max_min(cx: &mut Cx) -> Result<Made, String> {
    let kind = if number_or(cx, 1, 2.0)? == 1.0 { "min" } else { "max" };
    let inputs = cx.block.inputs.unwrap_or(1).max(cx.wired_inputs).max(1);
    let block = library("Math", "MinMax").with_option("Function", &[kind]);
    Ok(block.with_option("Inputs", &[inputs.to_string()]).into())
}

/// A quantizer that rounds; other ways of rounding are formulas.
fn quantizer(cx: &mut Cx) -> Result<Made, String> {
    let step = text_or_stored(cx, 1, "realParameters")?;
    let way = match number_or(cx, 2, 1.0)? {
        2.0 => "fix",
        3.0 => "floor",
        4.0 => "ceil",
        _ => return Ok(library("Nonlinear", "Quantizer").with_option("Interval", &[step]).into()),
    };
    Ok(with_parameter(&format!("({step})*{way}(u/({step}))")))
}

/// An expression of its inputs u1, u2 and on.
fn expression(cx: &mut Cx) -> Result<Made, String> {
    let count = (number_or(cx, 1, 1.0)?.clamp(1.0, 100.0) as usize).max(cx.wired_inputs);
    let text = cx.text("exprs(2)").to_owned();
    formula(cx, count, &text)
}

fn formula(cx: &mut Cx, count: usize, text: &str) -> Result<Made, String> {
    // Of a single input, u1, u2 and on are the elements.
    let is_single = count == 1;
    let inputs: Vec<String> = match is_single {
        true => vec!["u".to_owned()],
        false => (1..=count).map(|number| format!("u{number}")).collect(),
    };
    let translated = super::super::super::xcos::scilab::translated(text);
    let translated = if is_single { elements(&translated) } else { translated };
    let made = super::super::super::values::rewrite(&translated)
        .map_err(|problem| format!("the expression {} is not read: {problem}", short(text)))?;
    for name in made.names.iter().filter(|name| !inputs.contains(name)) {
        cx.expression_of(name)?;
    }
    if let Err(error) = crate::block::language::Expression::parse(&made.text) {
        return Err(format!("the expression {} is not read: {error}", short(text)));
    }
    let block = library("User", "Formula").with_option("Formula", &[format!("y = {}", made.text)]);
    Ok(block.with_option("Inputs", &[inputs.join(" ")]).into())
}

/// Writes `u2` as `u(2)`.
fn elements(text: &str) -> String {
    let mut made = String::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        let number = word.strip_prefix('u').filter(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()));
        match number {
            Some(number) => made.push_str(&format!("u({number})")),
            None => made.push_str(&word),
        }
        word.clear();
        made.push(c);
    }
    made.trim_end().to_owned()
}

/// A function of Scilab, if it is one assignment to its output: nine texts about ports and states, then the code.
fn function_of_scilab(cx: &mut Cx) -> Result<Made, String> {
    let is_empty = |text: &str| ["", "[]", "[ ]", "0"].contains(&text.trim());
    let has_state = [5, 6].iter().any(|number| !is_empty(cx.text(&format!("exprs({number})"))));
    let code = cx.text("exprs(10)").trim_end_matches(';').trim().to_owned();
    let inputs = cx.block.inputs.unwrap_or(0).max(cx.wired_inputs);
    let one = code.strip_prefix("y1").and_then(|rest| rest.trim_start().strip_prefix('='));
    let one = one.filter(|rest| !rest.contains(['\n', ';', '=']) && cx.block.outputs.unwrap_or(1) <= 1 && inputs > 0);
    match one.filter(|_| !has_state) {
        Some(text) => formula(cx, inputs, text),
        None => Err("its code is a function of Scilab with more than one assignment".to_owned()),
    }
}

/// The types of Xcos by number.
fn convert(cx: &mut Cx) -> Result<Made, String> {
    let target = number_or(cx, 2, 1.0)?;
    let kind = match target {
        3.0 => "int32",
        4.0 => "int16",
        5.0 => "int8",
        6.0 => "uint32",
        7.0 => "uint16",
        8.0 => "uint8",
        1.0 | 2.0 => return Ok(unchanged()),
        _ => return Err("its type is not known".to_owned()),
    };
    let overflow = if number_or(cx, 3, 0.0)? == 0.0 { "wrap" } else { "saturate" };
    let block = library("Signal", "Convert").with_option("Type", &[kind]).with_option("Rounding", &["fix"]);
    Ok(block.with_option("Overflow", &[overflow]).into())
}

fn mux(cx: &mut Cx) -> Result<Made, String> {
    let inputs = cx.block.inputs.unwrap_or(0).max(cx.wired_inputs).max(1);
    Ok(library("Routing", "Mux").with_option("Inputs", &[inputs.to_string()]).into())
}

/// The outputs share the input: their widths are stated, those of their ports, or an even share of the rest.
fn demux(cx: &mut Cx) -> Result<Made, String> {
    let outputs = cx.block.outputs.unwrap_or(0).max(cx.wired_outputs).max(1);
    let stated = cx.numbers("exprs(1)").unwrap_or_default();
    let area = |name: &str| Some(cx.size(&format!("{name}.rows"))? * cx.size(&format!("{name}.columns"))?);
    let known = |number: usize| {
        let stated = stated.get(number - 1).filter(|_| stated.len() == outputs && outputs > 1).copied();
        let stated = stated.filter(|width| *width >= 1.0).map(|width| width as usize);
        stated.or_else(|| area(&format!("out{number}")))
    };
    let known: Vec<Option<usize>> = (1..=outputs).map(known).collect();
    let open = known.iter().filter(|width| width.is_none()).count();
    let rest = area("in1").map(|whole| whole.saturating_sub(known.iter().flatten().sum()));
    let share = rest.map_or(1, |rest| (rest / open.max(1)).max(1));
    let widths: Vec<String> = known.into_iter().map(|width| width.unwrap_or(share).to_string()).collect();
    let mut block = library("Routing", "Demux");
    block.set_option("Widths", Some(&widths));
    Ok(block.into())
}

fn switch(cx: &mut Cx) -> Result<Made, String> {
    let is_typed = !cx.text("exprs(4)").is_empty();
    let first = if is_typed { 2 } else { 1 };
    let criterion = match number_or(cx, first, 0.0)? {
        0.0 => ">=",
        1.0 => ">",
        _ => "!=",
    };
    let mut block = library("Routing", "Switch").with_option("Criterion", &[criterion]);
    set(cx, &mut block, "Threshold", first + 1, "realParameters")?;
    Ok(block.into())
}

/// A switch whose events come from one block that chooses: the outputs of that block say which input goes on.
fn selected(cx: &mut Cx) -> Result<Made, String> {
    let count = cx.text("Chosen").split(' ').filter(|mark| *mark == "1").count();
    if count == 0 {
        return Err("events of different origin choose between its inputs".to_owned());
    }
    let port = |name: String| -> std::sync::Arc<str> { name.into() };
    let switch = library("Routing", "Multiport Switch").with_option("Inputs", &[count.to_string()]);
    let sum = library("Math", "Sum").with_option("Signs", &["+".repeat(count.max(1))]);
    let mut made = Made { parts: vec![switch, sum], ..Made::default() };
    made.inner.push(((1, port("Output".to_owned())), (0, port("Index".to_owned()))));
    let mut inputs: Vec<_> = (1..=count).map(|number| (0, port(format!("Input {number}")))).collect();
    for number in 1..=count {
        let part = made.parts.len();
        made.parts.push(library("Math", "Gain").with_option("Gain", &[number.to_string()]));
        let to = format!("Input {number}");
        made.inner.push(((part, port("Output".to_owned())), (1, port(to))));
        inputs.push((part, port("Input".to_owned())));
    }
    let mut output = (0, port("Output".to_owned()));
    if !cx.text("SampleTime").is_empty() {
        let mut hold = library("Discrete", "Zero-Order Hold");
        cx.set_sample_time(&mut hold);
        made.inner.push((output, (made.parts.len(), port("Input".to_owned()))));
        output = (made.parts.len(), port("Output".to_owned()));
        made.parts.push(hold);
    }
    made.ends = Ends::Listed { inputs, outputs: vec![output] };
    Ok(made)
}

/// Its events choose which output follows the input; the others hold. One without an event stays at 0.
fn passed(cx: &mut Cx) -> Result<Made, String> {
    let marks: Vec<bool> = cx.text("Chosen").split(' ').map(|mark| mark == "1").collect();
    if !marks.contains(&true) {
        return Err("events of different origin choose between its outputs".to_owned());
    }
    let port = |name: &str| -> std::sync::Arc<str> { name.into() };
    let mut made = Made { parts: vec![unchanged_block()], ..Made::default() };
    let (mut inputs, mut outputs) = (vec![(0, port("Input"))], Vec::new());
    for is_chosen in marks {
        let part = made.parts.len();
        outputs.push((part, port("Output")));
        if !is_chosen {
            made.parts.push(library("Var", "Static").with_option("Value", &["0"]));
            inputs.push((0, port("Input")));
            continue;
        }
        made.parts.push(library("Discrete", "Sample and Hold").with_option("Edge", &["track"]));
        made.inner.push(((0, port("Output")), (part, port("Input"))));
        inputs.push((part, port("Trigger")));
    }
    made.ends = Ends::Listed { inputs, outputs };
    Ok(made)
}

fn unchanged_block() -> crate::model::Block {
    library("Math", "Gain").with_option("Gain", &["1"])
}

/// A switch that stays at one of its inputs.
fn manual(cx: &mut Cx) -> Result<Made, String> {
    let chosen = number_or(cx, 2, 1.0)?.max(1.0) as usize;
    let inputs = cx.block.inputs.unwrap_or(1).max(cx.wired_inputs).max(chosen);
    if inputs > 1000 {
        return Err("it has too many inputs".to_owned());
    }
    let switch = library("Routing", "Multiport Switch").with_option("Inputs", &[inputs.to_string()]);
    let number = library("Var", "Static").with_option("Value", &[chosen.to_string()]);
    let port = |name: String| -> std::sync::Arc<str> { name.into() };
    let ends = (1..=inputs).map(|number| (0, port(format!("Input {number}")))).collect();
    Ok(Made {
        parts: vec![switch, number],
        ends: Ends::Listed { inputs: ends, outputs: vec![(0, port("Output".to_owned()))] },
        inner: vec![((1, port("Output".to_owned())), (0, port("Index".to_owned())))],
        ..Made::default()
    })
}

/// Elements of a vector by number from 1.
fn extractor(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Routing", "Selector");
    set(cx, &mut block, "Indices", 1, "integerParameters")?;
    Ok(block.into())
}

fn widened(cx: &mut Cx) -> Result<Made, String> {
    let stated = number_or(cx, 1, -1.0)?;
    let width = if stated >= 1.0 { Some(stated as usize) } else { cx.size("out1.rows") };
    let width = width.ok_or("the width of its output is not known")?;
    Ok(library("Matrix", "Expand Scalar").with_option("Width", &[width.to_string()]).into())
}

/// A switch whose first input is the number of the one that goes on.
fn multiport(cx: &mut Cx) -> Result<Made, String> {
    let inputs = cx.block.inputs.unwrap_or(2).max(cx.wired_inputs).max(2) - 1;
    let base = number_or(cx, 2, 1.0)?;
    if base != 0.0 && base != 1.0 {
        return Err("its inputs are counted from another number than 0 or 1".to_owned());
    }
    if number_or(cx, 3, 1.0)? != 1.0 {
        cx.note("the number is rounded in another way where it is not whole");
    }
    let block = library("Routing", "Multiport Switch").with_option("Inputs", &[inputs.to_string()]);
    Ok(block.with_option("First Index", &[number_text(base)]).into())
}
