//! Code in blocks: MATLAB functions and expressions.

use super::super::values::variable_name;
use super::block::{Cx, short};
use super::made::{Ends, Made, Place, library};
use super::names::number;
use crate::block::language::{Expression, NoNames, Numbers, Program, Value, run};

/// A block with a function, whose language is nearly that of this program.
pub fn matlab_function(cx: &mut Cx) -> Result<Made, String> {
    let Some(chart) = cx.chart() else { return Err("its code is not in the file".to_owned()) };
    let (code, parameters) = (chart.code.replace("\r\n", "\n"), chart.parameters.clone());
    if code.trim().is_empty() {
        return Err("it has no code".to_owned());
    }
    let program =
        Program::parse(&code).map_err(|error| format!("the code is not read: {}", error.message_in_code(&code)))?;
    let main = program.main();
    tried(cx, &program, &code, &parameters)?;
    let mut block = library("User", "Function").with_option("Code", &[&code]);
    // What is no entry inside is a parameter.
    let entries: Vec<String> = {
        let mut ports: Vec<_> = cx.block.inner().iter().filter(|block| block.kind == "Inport").collect();
        ports.sort_by_key(|block| number(block));
        ports.into_iter().map(|block| block.title()).collect()
    };
    let is_parameter = |name: &String| parameters.contains(name) || (!entries.is_empty() && !entries.contains(name));
    for name in main.inputs.iter().filter(|name| is_parameter(name)) {
        let value = cx.expression_of(name)?;
        block.set_option(name, Some(&[value.text]));
    }
    // Signals are vectors here: a matrix is one again inside.
    let inputs = main.inputs.iter().filter(|name| !is_parameter(name)).enumerate();
    let sizes: Vec<String> = inputs
        .filter_map(|(at, name)| Some((name, cx.shape(at)?)))
        .filter(|(_, (rows, columns))| *rows > 1 && *columns > 1)
        .map(|(name, (rows, columns))| format!("{name}: {rows}x{columns}"))
        .collect();
    if !sizes.is_empty() {
        block = block.with_option("Input Sizes", &[sizes.join("; ")]);
    }
    let names: Vec<&String> = main.inputs.iter().filter(|name| !is_parameter(name)).collect();
    let place = |name: &str| (0_usize, std::sync::Arc::<str>::from(name));
    let inputs = match entries.is_empty() {
        true => names.iter().map(|name| place(name)).collect(),
        false => entries.iter().map(|name| place(name)).collect(),
    };
    let outputs = main.outputs.iter().map(|name| place(name)).collect();
    cx.set_sample_time(&mut block);
    Ok(Made { parts: vec![block], ends: Ends::Listed { inputs, outputs }, ..Made::default() })
}

/// Runs the function once, with arguments of the sizes that are known, to find what the language here refuses.
fn tried(cx: &Cx, program: &Program, code: &str, parameters: &[String]) -> Result<(), String> {
    let mut is_known = true;
    let mut input = 0;
    let arguments = program.main().inputs.iter().map(|name| {
        let size = if parameters.contains(name) { Some((1, 1)) } else { cx.shape(input) };
        input += usize::from(!parameters.contains(name));
        is_known &= size.is_some();
        let (rows, columns) = size.unwrap_or((1, 1));
        Value::whole(vec![1.0; rows * columns], rows, columns)
    });
    let arguments = arguments.collect();
    match run(program, arguments, &Numbers { names: &NoNames }) {
        Err(error) if is_known || error.problem.contains("there is no function") => {
            Err(format!("the code is not read: {}", error.message_in_code(code)))
        }
        _ => Ok(()),
    }
}

/// An expression of the elements of one input.
pub fn fcn(cx: &mut Cx) -> Result<Made, String> {
    let text = cx.text("Expr").replace('\n', " ");
    formula(cx, &text)
}

/// A function by name, or an expression of u.
pub fn matlab_fcn(cx: &mut Cx) -> Result<Made, String> {
    let text = cx.any(&["MATLABFcn", "Expr"]).replace('\n', " ");
    let is_name = text.trim().chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_name && text.trim() != "u" {
        return formula(cx, &format!("{}(u)", text.trim()));
    }
    formula(cx, &text)
}

fn formula(cx: &mut Cx, text: &str) -> Result<Made, String> {
    let made = super::super::values::rewrite(&indexed(text))?;
    // C's names of functions.
    let text = ["abs", "acos", "asin", "atan", "cos", "sin", "tan"]
        .iter()
        .fold(made.text.clone(), |text, name| text.replace(&format!("f{name}("), &format!("{name}(")));
    let parsed =
        Expression::parse(&text).map_err(|error| format!("the expression {} is not read: {error}", short(&text)))?;
    let mut unknown = None;
    parsed.each_name(&mut |name, _| {
        if unknown.is_none() && crate::block::language::constant(name).is_none() {
            unknown = Some(name.to_owned()).filter(|name| name != "u");
        }
    });
    for name in made.names.iter().filter(|name| *name != "u") {
        cx.expression_of(name)?;
    }
    if let Some(name) = unknown.filter(|name| !made.names.iter().any(|known| variable_name(known) == *name)) {
        return Err(format!("the expression uses {name}, which is not known"));
    }
    Ok(library("User", "Formula").with_option("Formula", &[format!("y = {text}")]).with_option("Inputs", &["u"]).into())
}

/// `u[2]` is an element, counted from 1, as `u(2)`.
fn indexed(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("u[") {
        out.push_str(&rest[..at]);
        let Some(end) = rest[at..].find(']') else { break };
        out.push_str(&format!("u({})", &rest[at + 2..at + end]));
        rest = &rest[at + end + 1..];
    }
    out.push_str(rest);
    out
}

/// The conditions of an If block as formulas in front of one.
pub fn if_block(cx: &mut Cx) -> Result<Made, String> {
    let inputs = cx.count("NumInputs")?.max(1);
    let mut conditions = vec![cx.text("IfExpression").to_owned()];
    let more = cx.text("ElseIfExpressions").to_owned();
    conditions.extend(
        super::super::script::split(&more, ',')
            .into_iter()
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty()),
    );
    let names: Vec<String> = (1..=inputs).map(|number| format!("u{number}")).collect();
    let mut lines = Vec::new();
    for (index, condition) in conditions.iter().enumerate() {
        let made = super::super::values::rewrite(condition)?;
        Expression::parse(&made.text)
            .map_err(|error| format!("the condition {} is not read: {error}", short(condition)))?;
        for name in made.names.iter().filter(|name| !names.contains(name)) {
            cx.expression_of(name)?;
        }
        lines.push(format!("c{} = {}", index + 1, made.text));
    }
    let choice = library("Flow", "If").with_option("Conditions", &[conditions.len().to_string()]);
    let formula = library("User", "Formula")
        .with_option("Formula", &[lines.join("\n")])
        .with_option("Inputs", &[names.join(" ")]);
    let inner = (1..=conditions.len())
        .map(|number| ((1, format!("c{number}").into()), (0, format!("Condition {number}").into())))
        .collect();
    let outputs = (1..=conditions.len()).map(|number| format!("If {number}")).chain(["Else".to_owned()]);
    let outputs = outputs.map(|name| (0, name.into())).collect();
    let inputs = names.iter().map(|name| (1, name.as_str().into())).collect();
    Ok(Made { parts: vec![choice, formula], ends: Ends::Listed { inputs, outputs }, inner, ..Made::default() })
}

/// The cases of a Switch Case block: `{1, [2 3]}`.
pub fn switch_case(cx: &mut Cx) -> Result<Made, String> {
    let text = cx.text("CaseConditions").trim().trim_start_matches('{').trim_end_matches('}').to_owned();
    let mut cases: Vec<Vec<String>> = Vec::new();
    for part in super::super::script::split(&text, ',') {
        let value = cx.expression_of(part.trim())?;
        let values = value.value.ok_or_else(|| format!("the case {} has to be known for the import", short(&part)))?;
        cases.push(values.values.iter().map(|value| crate::block::number_text(*value)).collect());
    }
    let flat: Vec<&String> = cases.iter().flatten().collect();
    let mut parts = vec![library("Flow", "Switch Case").with_option("Cases", &flat)];
    let (mut inner, mut outputs): (Vec<(Place, Place)>, Vec<Place>) = Default::default();
    let mut number = 0;
    for case in &cases {
        let ports: Vec<Place> = case
            .iter()
            .map(|_| {
                number += 1;
                (0, format!("Case {number}").into())
            })
            .collect();
        if let [single] = &ports[..] {
            outputs.push(single.clone());
            continue;
        }
        // One of several values: any of their outputs.
        let gate = parts.len();
        parts.push(
            library("Logic", "Gate").with_option("Operator", &["OR"]).with_option("Inputs", &[ports.len().to_string()]),
        );
        let into = ports.into_iter().enumerate().map(|(at, port)| (port, (gate, format!("Input {}", at + 1).into())));
        inner.extend(into);
        outputs.push((gate, "Output".into()));
    }
    outputs.push((0, "Default".into()));
    Ok(Made { parts, ends: Ends::Listed { inputs: vec![(0, "Input".into())], outputs }, inner, ..Made::default() })
}
