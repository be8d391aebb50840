//! Blocks of Xcos: their parameters are the texts of their dialogs, by number.

use super::block::{Cx, short};
use super::made::{Ends, Made, library};
use super::polynomial::coefficients;
use super::row::{How, Row, unchanged};
use crate::block::number_text;
use crate::model::Block;

pub const ROWS: &[Row] = &[
    ("xcos:CONST_m", How::Same("Var", "Static", &[("Value", "1")])),
    ("xcos:CONST", How::Same("Var", "Static", &[("Value", "1")])),
    ("xcos:CONST_f", How::Same("Var", "Static", &[("Value", "1")])),
    ("xcos:TIME_f", How::Same("Var", "Clock", &[])),
    ("xcos:GENSIN_f", How::Same("Var", "Sine", &[("Amplitude", "1"), ("Frequency", "2"), ("Phase", "3")])),
    ("xcos:STEP_FUNCTION", How::By(step_function)),
    ("xcos:STEP", How::By(step)),
    ("xcos:RAMP", How::By(ramp)),
    ("xcos:PULSE_SC", How::By(pulse)),
    ("xcos:RAND_m", How::By(random)),
    ("xcos:RAND_f", How::By(random)),
    ("xcos:GAINBLK_f", How::By(gain)),
    ("xcos:GAINBLK", How::By(gain)),
    ("xcos:GAIN_f", How::By(gain)),
    ("xcos:SUMMATION", How::By(summation)),
    ("xcos:BIGSOM_f", How::By(weighted)),
    ("xcos:SUM_f", How::By(sum)),
    ("xcos:PROD_f", How::By(|_| Ok(library("Math", "Product").with_option("Operations", &["**"]).into()))),
    ("xcos:PRODUCT", How::By(product)),
    ("xcos:INTEGRAL_f", How::By(integral)),
    ("xcos:INTEGRAL_m", How::By(integral)),
    ("xcos:INTEGRAL", How::By(integral)),
    ("xcos:DERIV", How::By(derivative)),
    ("xcos:TIME_DELAY", How::By(delay)),
    ("xcos:CLR", How::By(transfer)),
    ("xcos:CLR_f", How::By(transfer)),
    ("xcos:DLR", How::By(discrete_transfer)),
    ("xcos:DLR_f", How::By(discrete_transfer)),
    ("xcos:CLSS", How::By(state_space)),
    ("xcos:CLSS_f", How::By(state_space)),
    ("xcos:DLSS", How::By(discrete_state_space)),
    ("xcos:DLSS_f", How::By(discrete_state_space)),
    ("xcos:DOLLAR_f", How::By(unit_delay)),
    ("xcos:DOLLAR_m", How::By(unit_delay)),
    ("xcos:DOLLAR", How::By(unit_delay)),
    ("xcos:SAMPHOLD_m", How::Sampled("Discrete", "Zero-Order Hold", &[])),
    ("xcos:SAMPLEHOLD_f", How::Sampled("Discrete", "Zero-Order Hold", &[])),
    ("xcos:ABS_VALUE", How::Same("Math", "Abs", &[])),
    ("xcos:SIGNUM", How::Same("Math", "Sign", &[])),
    ("xcos:SQRT", How::Same("Math", "Sqrt", &[])),
    ("xcos:INVBLK", How::By(|_| Ok(library("Math", "Function").with_option("Function", &["1/u"]).into()))),
    ("xcos:INVBLK_f", How::By(|_| Ok(library("Math", "Function").with_option("Function", &["1/u"]).into()))),
    ("xcos:SINBLK_f", How::By(|_| Ok(trigonometry("sin")))),
    ("xcos:COSBLK_f", How::By(|_| Ok(trigonometry("cos")))),
    ("xcos:TANBLK_f", How::By(|_| Ok(trigonometry("tan")))),
    ("xcos:TrigFun", How::By(|cx| Ok(trigonometry(cx.text("1"))))),
    ("xcos:POWBLK_f", How::By(|cx| formula_of(cx, "u^(", ")"))),
    ("xcos:EXPBLK_m", How::By(|cx| formula_of(cx, "(", ")^u"))),
    ("xcos:EXPBLK_f", How::By(|cx| formula_of(cx, "(", ")^u"))),
    ("xcos:LOGBLK_f", How::By(|cx| formula_of(cx, "log(u)/log(", ")"))),
    ("xcos:MAXMIN", How::By(max_min)),
    ("xcos:MAX_f", How::By(|_| Ok(extreme("max")))),
    ("xcos:MIN_f", How::By(|_| Ok(extreme("min")))),
    ("xcos:QUANT_f", How::Same("Nonlinear", "Quantizer", &[("Interval", "1")])),
    ("xcos:SATURATION", How::Same("Nonlinear", "Saturate", &[("Upper Limit", "1"), ("Lower Limit", "2")])),
    ("xcos:DEADBAND", How::Same("Nonlinear", "Dead Zone", &[("End", "1"), ("Start", "2")])),
    ("xcos:RATELIMITER", How::Same("Nonlinear", "Rate Limiter", &[("Rising Slope", "1"), ("Falling Slope", "2")])),
    ("xcos:BACKLASH", How::Same("Nonlinear", "Backlash", &[("Initial Value", "1"), ("Width", "2")])),
    (
        "xcos:HYSTHERESIS",
        How::Same(
            "Nonlinear",
            "Relay",
            &[("Switch On", "1"), ("Switch Off", "2"), ("On Value", "3"), ("Off Value", "4")],
        ),
    ),
    ("xcos:RELATIONALOP", How::By(compare)),
    ("xcos:LOGICAL_OP", How::By(gate)),
    ("xcos:MUX", How::By(mux)),
    ("xcos:MUX_f", How::By(mux)),
    ("xcos:DEMUX", How::By(demux)),
    ("xcos:DEMUX_f", How::By(demux)),
    ("xcos:MATCATV", How::By(mux_all)),
    ("xcos:MATCATH", How::By(concatenate)),
    ("xcos:SAT_f", How::By(saturation)),
    ("xcos:Modulo_Count", How::By(counter)),
    ("xcos:SWITCH2_m", How::By(switch)),
    ("xcos:MATTRAN", How::By(transposed)),
    ("xcos:MATMUL", How::By(multiply)),
    ("xcos:MATINV", How::Same("Matrix", "Inverse", &[])),
    ("xcos:MATDIAG", How::Same("Matrix", "Create Diagonal Matrix", &[])),
    ("xcos:CONVERT", How::By(convert)),
    ("xcos:EXPRESSION", How::By(expression)),
    ("xcos:CSCOPE", How::By(scope)),
    ("xcos:CMSCOPE", How::By(scope)),
    ("xcos:CFSCOPE", How::By(scope)),
    ("xcos:CSCOPXY", How::By(scope_xy)),
    ("xcos:CANIMXY", How::By(scope_xy)),
    ("xcos:CMAT3D", How::By(scope_xy)),
    ("xcos:AFFICH_m", How::Same("Sink", "Display", &[])),
    ("xcos:TOWS_c", How::By(|_| Ok(library("Sink", "Scope").into()))),
    ("xcos:TRASH_f", How::Same("Sink", "Terminator", &[])),
    ("xcos:ENDBLK", How::By(end)),
    ("xcos:END_c", How::By(end)),
    ("xcos:IFTHEL_f", How::Missing("events that depend on a condition have no counterpart in the import yet")),
    ("xcos:ESELECT_f", How::Missing("events that depend on a value have no counterpart in the import yet")),
];

/// Blocks that events only tell when to show or record a value.
const SHOWING: [&str; 9] = [
    "xcos:CSCOPE",
    "xcos:CMSCOPE",
    "xcos:CFSCOPE",
    "xcos:CSCOPXY",
    "xcos:CANIMXY",
    "xcos:CMAT3D",
    "xcos:AFFICH_m",
    "xcos:TOWS_c",
    "xcos:TRASH_f",
];

/// Returns why a block cannot be mapped: it is activated by events that are no clock.
pub fn refused(cx: &Cx) -> Option<String> {
    let is_inside = ["Inport", "Outport", "SubSystem"].contains(&&*cx.block.kind);
    if cx.block.params.get("Implicit").is_some() && !is_inside {
        return Some("it belongs to a physical network, whose wires have no direction".to_owned());
    }
    let activation = cx.block.params.get("Activation")?;
    let is_free = SHOWING.contains(&&*cx.block.kind) || cx.block.system.is_some();
    (!is_free).then(|| format!("it is activated by {}, which is no clock", activation.trim_start_matches("xcos:")))
}

fn with(cx: &mut Cx, mut block: Block, options: &[(&str, &str)]) -> Result<Block, String> {
    for (option, name) in options {
        cx.set_unless_empty(&mut block, option, name)?;
    }
    Ok(block)
}

fn step(cx: &mut Cx) -> Result<Made, String> {
    let options = [("Step Time", "1"), ("Initial Value", "2"), ("Final Value", "3")];
    Ok(with(cx, library("Var", "Step"), &options)?.into())
}

/// The step is inside, with the parameters.
fn step_function(cx: &mut Cx) -> Result<Made, String> {
    let inner = cx.block.inner().iter().find(|block| block.kind == "xcos:STEP");
    let texts: Vec<String> = match inner {
        Some(inner) => ["1", "2", "3"].iter().map(|name| inner.params.get(name).unwrap_or("0").to_owned()).collect(),
        None => vec!["1".to_owned(), "0".to_owned(), "1".to_owned()],
    };
    let mut block = library("Var", "Step");
    for (option, text) in ["Step Time", "Initial Value", "Final Value"].iter().zip(texts) {
        block.set_option(option, Some(&[cx.expression_of(&text)?.text]));
    }
    Ok(block.into())
}

fn ramp(cx: &mut Cx) -> Result<Made, String> {
    if cx.text("1").is_empty() {
        return super::subsystem::diagram(cx);
    }
    let options = [("Slope", "1"), ("Start Time", "2"), ("Initial Value", "3")];
    Ok(with(cx, library("Var", "Line"), &options)?.into())
}

fn pulse(cx: &mut Cx) -> Result<Made, String> {
    if cx.text("4").is_empty() {
        return super::subsystem::diagram(cx);
    }
    let options = [("Delay", "1"), ("Width", "2"), ("Period", "3"), ("Amplitude", "4")];
    Ok(with(cx, library("Var", "Pulse"), &options)?.into())
}

fn random(cx: &mut Cx) -> Result<Made, String> {
    // The newer one has a type of numbers before.
    let first = if cx.block.kind.ends_with("_m") { 2 } else { 1 };
    let name = |at: usize| (first + at).to_string();
    let is_normal = cx.number(&name(0))? != 0.0;
    let (kind, low, high) = match is_normal {
        true => ("Noise", "Mean", "Deviation"),
        false => ("Random", "Low Value", "High Value"),
    };
    let mut block = library("Var", kind);
    cx.set(&mut block, low, &name(1))?;
    if is_normal {
        cx.set(&mut block, high, &name(2))?;
    } else {
        // The second parameter is the width of the range.
        let (low, width) = (cx.expression(&name(1))?.text, cx.expression(&name(2))?.text);
        block.set_option(high, Some(&[format!("({low}) + ({width})")]));
    }
    cx.set_sample_time(&mut block);
    cx.note("random numbers of the same law, but others");
    Ok(block.into())
}

fn gain(cx: &mut Cx) -> Result<Made, String> {
    let value = cx.expression("1")?;
    let is_matrix = value.value.as_ref().is_some_and(|value| value.values.len() > 1);
    let block = if is_matrix { library("Matrix", "Matrix Gain") } else { library("Math", "Gain") };
    Ok(block.with_option("Gain", &[value.text]).into())
}

/// The signs of numbers: `[1; -1]`.
fn signs(numbers: &[f64], plus: &str, minus: &str) -> String {
    match numbers {
        [count] if *count > 1.0 => plus.repeat((*count as usize).min(1000)),
        _ => numbers.iter().map(|number| if *number < 0.0 { minus } else { plus }).collect(),
    }
}

fn summation(cx: &mut Cx) -> Result<Made, String> {
    let name = if cx.text("2").is_empty() { "1" } else { "2" };
    let numbers = cx.numbers(name)?;
    Ok(library("Math", "Sum").with_option("Signs", &[signs(&numbers, "+", "-")]).into())
}

fn weighted(cx: &mut Cx) -> Result<Made, String> {
    let numbers = cx.numbers("1")?;
    if numbers.iter().all(|number| number.abs() == 1.0) {
        return Ok(library("Math", "Sum").with_option("Signs", &[signs(&numbers, "+", "-")]).into());
    }
    let terms: Vec<String> =
        numbers.iter().enumerate().map(|(at, number)| format!("({})*u{}", number_text(*number), at + 1)).collect();
    let names: Vec<String> = (1..=numbers.len()).map(|number| format!("u{number}")).collect();
    let block = library("User", "Formula").with_option("Formula", &[format!("y = {}", terms.join(" + "))]);
    Ok(block.with_option("Inputs", &[names.join(" ")]).into())
}

/// A sum of three inputs, of which some may be open.
fn sum(cx: &mut Cx) -> Result<Made, String> {
    let wired: Vec<usize> = (1..=3).filter(|input| cx.connected.contains(input)).collect();
    let count = wired.len().max(1);
    let mut inputs = vec![(0, "".into()); 3];
    for (at, input) in wired.iter().enumerate() {
        inputs[input - 1] = (0, format!("Input {}", at + 1).into());
    }
    let block = library("Math", "Sum").with_option("Signs", &["+".repeat(count)]);
    let inputs = if count == 1 { vec![(0, "Input 1".into()); 3] } else { inputs };
    Ok(Made {
        parts: vec![block],
        ends: Ends::Listed { inputs, outputs: vec![(0, "Output".into())] },
        ..Made::default()
    })
}

fn product(cx: &mut Cx) -> Result<Made, String> {
    let numbers = cx.numbers("1")?;
    Ok(library("Math", "Product").with_option("Operations", &[signs(&numbers, "*", "/")]).into())
}

fn integral(cx: &mut Cx) -> Result<Made, String> {
    cx.mapper.has_continuous = true;
    let mut block = with(cx, library("Continuous", "Integrator"), &[("Initial Value", "1")])?;
    if cx.numbers("2").is_ok_and(|numbers| numbers.first().is_some_and(|number| *number != 0.0)) {
        return Err("an event sets its state".to_owned());
    }
    if cx.numbers("3").is_ok_and(|numbers| numbers.first().is_some_and(|number| *number != 0.0)) {
        block = block.with_option("Limited", &["1"]);
        block = with(cx, block, &[("Upper Limit", "4"), ("Lower Limit", "5")])?;
    }
    Ok(block.into())
}

fn derivative(cx: &mut Cx) -> Result<Made, String> {
    cx.mapper.has_continuous = true;
    cx.note("the derivative depends on the steps of the solver");
    Ok(library("Continuous", "Derivative").into())
}

fn delay(cx: &mut Cx) -> Result<Made, String> {
    cx.mapper.has_continuous = true;
    Ok(with(cx, library("Continuous", "Transport Delay"), &[("Delay", "1"), ("Initial Value", "2")])?.into())
}

/// Sets the polynomials of a transfer function.
fn polynomials(cx: &mut Cx, mut block: Block, variable: &str) -> Result<Block, String> {
    for (option, name) in [("Numerator", "1"), ("Denominator", "2")] {
        let text = cx.text(name).to_owned();
        let value = |name: &str| {
            let rewritten = super::super::values::rewrite(name).ok()?;
            cx.mapper.known_value(&rewritten)?.values.first().copied()
        };
        let found = coefficients(&text, variable, &value);
        let found = found.map_err(|problem| format!("{}: {problem}", short(&text)))?;
        let texts: Vec<String> = found.into_iter().map(number_text).collect();
        block.set_option(option, Some(&texts));
    }
    Ok(block)
}

fn transfer(cx: &mut Cx) -> Result<Made, String> {
    cx.mapper.has_continuous = true;
    Ok(polynomials(cx, library("Continuous", "Transfer Function"), "s")?.into())
}

fn discrete_transfer(cx: &mut Cx) -> Result<Made, String> {
    let mut block = polynomials(cx, library("Discrete", "Discrete Transfer Function"), "z")?;
    cx.set_sample_time(&mut block);
    Ok(block.into())
}

const SPACE: [(&str, &str); 5] = [("A", "1"), ("B", "2"), ("C", "3"), ("D", "4"), ("Initial State", "5")];

fn state_space(cx: &mut Cx) -> Result<Made, String> {
    cx.mapper.has_continuous = true;
    Ok(with(cx, library("Continuous", "State Space"), &SPACE)?.into())
}

fn discrete_state_space(cx: &mut Cx) -> Result<Made, String> {
    let mut block = with(cx, library("Discrete", "Discrete State Space"), &SPACE)?;
    cx.set_sample_time(&mut block);
    Ok(block.into())
}

fn unit_delay(cx: &mut Cx) -> Result<Made, String> {
    let mut block = with(cx, library("Discrete", "Unit Delay"), &[("Initial Value", "1")])?;
    cx.set_sample_time(&mut block);
    Ok(block.into())
}

fn trigonometry(function: &str) -> Made {
    library("Math", "Trigonometry").with_option("Function", &[function]).into()
}

/// A formula of the input and one parameter.
fn formula_of(cx: &mut Cx, before: &str, after: &str) -> Result<Made, String> {
    let value = cx.expression("1")?.text;
    let block = library("User", "Formula").with_option("Formula", &[format!("y = {before}{value}{after}")]);
    Ok(block.with_option("Inputs", &["u"]).into())
}

fn extreme(function: &str) -> Made {
    library("Math", "MinMax").with_option("Function", &[function]).with_option("Inputs", &["1"]).into()
}

fn max_min(cx: &mut Cx) -> Result<Made, String> {
    let function = if cx.number("1")? == 1.0 { "min" } else { "max" };
    let inputs = cx.count("2").unwrap_or(1).max(cx.wired_inputs).max(1).to_string();
    Ok(library("Math", "MinMax").with_option("Function", &[function]).with_option("Inputs", &[inputs]).into())
}

fn compare(cx: &mut Cx) -> Result<Made, String> {
    let operators = ["==", "!=", "<", "<=", ">", ">="];
    let rule = cx.number("1")?;
    let operator = operators.get(rule.max(0.0) as usize).ok_or_else(|| format!("the rule {rule} is unknown"))?;
    Ok(library("Logic", "Compare").with_option("Operator", &[operator]).into())
}

fn gate(cx: &mut Cx) -> Result<Made, String> {
    let operators = ["AND", "OR", "NAND", "NOR", "XOR", "NOT"];
    let rule = cx.number("2")?;
    let operator = operators.get(rule.max(0.0) as usize).ok_or_else(|| format!("the rule {rule} is unknown"))?;
    if cx.numbers("4").is_ok_and(|numbers| numbers.first().is_some_and(|number| *number != 0.0)) {
        return Err("it works bit by bit".to_owned());
    }
    let inputs = cx.count("1")?.max(1).to_string();
    Ok(library("Logic", "Gate").with_option("Operator", &[operator]).with_option("Inputs", &[inputs]).into())
}

fn mux(cx: &mut Cx) -> Result<Made, String> {
    let inputs = cx.count("1").unwrap_or(1).max(cx.wired_inputs).max(1).to_string();
    Ok(library("Routing", "Mux").with_option("Inputs", &[inputs]).into())
}

/// Matrices below each other, which are their elements one after the other.
fn mux_all(cx: &mut Cx) -> Result<Made, String> {
    Ok(library("Routing", "Mux").with_option("Inputs", &[cx.wired_inputs.max(1).to_string()]).into())
}

fn concatenate(cx: &mut Cx) -> Result<Made, String> {
    cx.note("the sizes of the inputs are not in the file: they count as rows");
    Ok(library("Matrix", "Matrix Concatenate").with_option("Inputs", &[cx.wired_inputs.max(1).to_string()]).into())
}

fn saturation(cx: &mut Cx) -> Result<Made, String> {
    if cx.number("3").is_ok_and(|slope| slope != 1.0) {
        return Err("its slope is not 1".to_owned());
    }
    Ok(with(cx, library("Nonlinear", "Saturate"), &[("Lower Limit", "1"), ("Upper Limit", "2")])?.into())
}

/// A counter of its events.
fn counter(cx: &mut Cx) -> Result<Made, String> {
    if cx.number("1")? != 0.0 {
        return Err("it does not begin at 0".to_owned());
    }
    let base = cx.number("2")?;
    let mut block = library("Var", "Counter").with_option("Upper Limit", &[number_text(base - 1.0)]);
    cx.set_sample_time(&mut block);
    Ok(block.into())
}

fn demux(cx: &mut Cx) -> Result<Made, String> {
    // The brackets of a list may be missing.
    let text = cx.text("1").trim_matches(['[', ']']).to_owned();
    let numbers = cx.expression_of(&format!("[{text}]"))?.value.map(|value| value.values).unwrap_or_default();
    let widths = match numbers[..] {
        [count] => vec!["1".to_owned(); (count as usize).clamp(1, 10_000)],
        _ => numbers.iter().map(|width| number_text(width.max(1.0))).collect(),
    };
    Ok(library("Routing", "Demux").with_option("Widths", &widths).into())
}

fn switch(cx: &mut Cx) -> Result<Made, String> {
    let criteria = [">=", ">", "!="];
    let criterion = criteria.get(cx.number("2")?.max(0.0) as usize).copied().unwrap_or(">=");
    let block = library("Routing", "Switch").with_option("Criterion", &[criterion]);
    Ok(with(cx, block, &[("Threshold", "3")])?.into())
}

fn transposed(cx: &mut Cx) -> Result<Made, String> {
    cx.note("the size of the matrix is not in the file: it counts as a vector, which stays as it is");
    Ok(library("Matrix", "Transpose").into())
}

fn multiply(cx: &mut Cx) -> Result<Made, String> {
    if cx.numbers("1").is_ok_and(|numbers| numbers.first().is_some_and(|rule| *rule >= 2.0)) {
        return Ok(library("Math", "Product").with_option("Operations", &["**"]).into());
    }
    cx.note("the sizes of the matrices are not in the file: they count as a row and a column");
    Ok(library("Matrix", "Matrix Multiply").into())
}

fn convert(cx: &mut Cx) -> Result<Made, String> {
    cx.note("numbers are of type double");
    Ok(unchanged())
}

/// An expression of the inputs u1, u2, ….
fn expression(cx: &mut Cx) -> Result<Made, String> {
    let inputs = cx.count("1")?.max(cx.wired_inputs).max(1);
    let rewritten = super::super::values::rewrite(cx.text("2"))?;
    let names: Vec<String> = (1..=inputs).map(|number| format!("u{number}")).collect();
    crate::block::language::Expression::parse(&rewritten.text).map_err(|error| error.to_string())?;
    // Of one input the elements have the names u1, u2, ….
    let elements: Vec<&String> = rewritten.names.iter().filter(|name| is_element(name)).collect();
    let is_vector = inputs == 1 && elements.iter().any(|name| **name != "u1");
    let is_input = |name: &String| names.contains(name) || (is_vector && is_element(name));
    for name in rewritten.names.iter().filter(|name| !is_input(name)) {
        cx.expression_of(name)?;
    }
    if !is_vector {
        let block = library("User", "Formula").with_option("Formula", &[format!("y = {}", rewritten.text)]);
        return Ok(block.with_option("Inputs", &[names.join(" ")]).into());
    }
    let lines = elements.iter().map(|name| format!("_{name} = u({})", &name[1..]));
    let text = renamed(&rewritten.text);
    let lines: Vec<String> = lines.chain([format!("y = {text}")]).collect();
    let block = library("User", "Formula").with_option("Formula", &[lines.join("\n")]);
    Ok(block.with_option("Inputs", &["u"]).into())
}

/// Whether a name is `u` and a number.
fn is_element(name: &str) -> bool {
    name.strip_prefix('u').is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Puts an underscore before the names of elements.
fn renamed(text: &str) -> String {
    let (mut out, mut word) = (String::new(), String::new());
    for character in text.chars().chain([' ']) {
        if character.is_alphanumeric() || character == '_' {
            word.push(character);
            continue;
        }
        if is_element(&word) {
            out.push('_');
        }
        out.push_str(&std::mem::take(&mut word));
        out.push(character);
    }
    out.trim_end().to_owned()
}

fn scope(cx: &mut Cx) -> Result<Made, String> {
    Ok(library("Sink", "Scope").with_option("Inputs", &[cx.wired_inputs.max(1).to_string()]).into())
}

fn scope_xy(cx: &mut Cx) -> Result<Made, String> {
    cx.note("the signals are shown over time, not against each other");
    scope(cx)
}

/// The end of the run at a time.
fn end(cx: &mut Cx) -> Result<Made, String> {
    if cx.text("1").is_empty() && cx.block.system.is_some() {
        return super::subsystem::diagram(cx);
    }
    let time = cx.expression("1")?.text;
    let compare =
        library("Logic", "Compare To Constant").with_option("Operator", &[">="]).with_option("Constant", &[time]);
    let clock = library("Var", "Clock");
    let inner = vec![((1, "Output".into()), (2, "Input".into())), ((2, "Output".into()), (0, "Input".into()))];
    let ends = Ends::Listed { inputs: Vec::new(), outputs: Vec::new() };
    Ok(Made { parts: vec![library("Sink", "Stop"), clock, compare], ends, inner, ..Made::default() })
}
