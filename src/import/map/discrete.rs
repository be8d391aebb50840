//! Discrete systems, rates and delays.

use super::block::{Cx, short};
use super::continuous::{method, zero_pole_of};
use super::made::{Made, library};
use super::row::{How, Row, unchanged};
use crate::model::Block;

pub const ROWS: &[Row] = &[
    ("UnitDelay", How::By(|cx| delayed(cx, "Unit Delay"))),
    ("Memory", How::By(|cx| delayed(cx, "Memory"))),
    ("Delay", How::By(delay)),
    ("ZeroOrderHold", How::Sampled("Discrete", "Zero-Order Hold", &[])),
    ("FirstOrderHold", How::By(first_order_hold)),
    ("DiscreteIntegrator", How::By(integrator)),
    ("DiscreteTransferFcn", How::By(|cx| filter(cx, "Discrete Transfer Function"))),
    ("DiscreteFilter", How::By(|cx| filter(cx, "Discrete Filter"))),
    ("DiscreteFir", How::By(fir)),
    ("DiscreteZeroPole", How::By(zero_pole)),
    ("DiscreteStateSpace", How::By(state_space)),
    ("RateTransition", How::By(rate_transition)),
    ("InitialCondition", How::Same("Signal", "Initial Value", &[("Initial Value", "Value")])),
    ("DataTypeConversion", How::By(convert)),
    ("SignalConversion", How::By(|_| Ok(unchanged()))),
    ("SignalSpecification", How::By(specification)),
    ("Width", How::Same("Signal", "Width", &[])),
    ("Probe", How::By(probe)),
    ("TappedDelay", How::By(tapped)),
];

pub const LIBRARY: &[Row] = &[
    ("Transfer Fcn First Order", How::By(first_order)),
    ("Transfer Fcn Lead or Lag", How::By(lead_lag)),
    ("Transfer Fcn Real Zero", How::By(real_zero)),
    ("Transfer Fcn Direct Form II", How::By(direct_form)),
    ("Discrete Derivative", How::By(derivative)),
    ("Difference", How::By(difference)),
    ("Tapped Delay", How::By(tapped)),
    ("Unit Delay Enabled", How::By(|cx| unit_delay(cx, true, false, false))),
    ("Unit Delay Resettable", How::By(|cx| unit_delay(cx, false, true, false))),
    ("Unit Delay Resettable External IC", How::By(|cx| unit_delay(cx, false, true, true))),
    ("Unit Delay Enabled Resettable External IC", How::By(|cx| unit_delay(cx, true, true, true))),
    ("Unit Delay External IC", How::By(|cx| unit_delay(cx, false, false, true))),
    ("Unit Delay Enabled Resettable", How::By(|cx| unit_delay(cx, true, true, false))),
    ("Unit Delay Enabled External IC", How::By(|cx| unit_delay(cx, true, false, true))),
    ("Data Type Conversion Inherited", How::By(|_| Ok(unchanged()))),
];

fn initial(cx: &mut Cx, block: &mut Block, option: &str, names: &[&str]) -> Result<(), String> {
    let text = cx.any(names).to_owned();
    if !["", "[]"].contains(&&*text) {
        block.set_option(option, Some(&[cx.expression_of(&text)?.text]));
    }
    Ok(())
}

fn delayed(cx: &mut Cx, name: &str) -> Result<Made, String> {
    let mut block = library("Discrete", name);
    initial(cx, &mut block, "Initial Value", &["InitialCondition", "X0"])?;
    if name == "Unit Delay" {
        cx.set_sample_time(&mut block);
    }
    Ok(block.into())
}

fn delay(cx: &mut Cx) -> Result<Made, String> {
    let is_variable = cx.text("DelayLengthSource") == "Input port";
    let mut block = library("Discrete", if is_variable { "Variable Integer Delay" } else { "Delay" });
    if cx.is_on("ShowEnablePort") {
        return Err("a delay with an enable input has no counterpart".to_owned());
    }
    let reset = cx.text("ExternalReset").to_lowercase();
    let is_external = cx.text("InitialConditionSource") == "Input port";
    if is_variable {
        if is_external || !["", "none"].contains(&&*reset) {
            return Err("a variable delay with reset or external initial values has no counterpart".to_owned());
        }
        let longest = cx.any(&["DelayLengthUpperLimit"]).to_owned();
        if !longest.is_empty() {
            block.set_option("Longest Delay", Some(&[cx.expression_of(&longest)?.text]));
        }
    } else {
        cx.set(&mut block, "Length", "DelayLength")?;
        if cx.number("DelayLength").is_ok_and(|length| length == 0.0) {
            return Ok(unchanged());
        }
        match &*reset {
            "rising" | "falling" | "either" | "level" => block = block.with_option("Reset", &[&reset]),
            "" | "none" => {}
            _ => {
                cx.note("the reset holds at a level that is not 0");
                block = block.with_option("Reset", &["level"]);
            }
        }
    }
    if is_external {
        block = block.with_option("Initial Source", &["input"]);
    } else {
        initial(cx, &mut block, "Initial Value", &["InitialCondition", "vinit"])?;
    }
    cx.set_sample_time(&mut block);
    Ok(block.into())
}

fn first_order_hold(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Discrete", "First-Order Hold");
    if let Some((time, _)) = cx.sample_time("SampleTime") {
        block.set_option("Sampling Interval", Some(&[time.text]));
    }
    Ok(block.into())
}

fn integrator(cx: &mut Cx) -> Result<Made, String> {
    let text = cx.text("IntegratorMethod").to_owned();
    let mut block = library("Discrete", "Discrete-Time Integrator").with_option("Method", &[method(&text)]);
    if text.starts_with("Accumulation") {
        block = block.with_option("Accumulate", &["1"]);
    }
    if cx.text("InitialConditionSource") == "external" {
        return Err("its initial value comes from a signal".to_owned());
    }
    let gain = cx.any(&["gainval", "gain"]).to_owned();
    block.set_option("Gain", Some(&[cx.expression_of(&gain)?.text]));
    cx.set(&mut block, "Initial Value", "InitialCondition")?;
    if cx.any(&["InitialConditionSetting", "InitialConditionMode"]).starts_with("Output") {
        block = block.with_option("Initial Value Of", &["output"]);
    }
    if cx.is_on("LimitOutput") {
        block = block.with_option("Limited", &["1"]);
        cx.set(&mut block, "Lower Limit", "LowerSaturationLimit")?;
        cx.set(&mut block, "Upper Limit", "UpperSaturationLimit")?;
    }
    match cx.text("ExternalReset") {
        "none" | "" => {}
        kind @ ("rising" | "falling" | "either" | "level") => block = block.with_option("Reset", &[kind]),
        _ => {
            cx.note("the reset holds at a level that is not 0");
            block = block.with_option("Reset", &["level"]);
        }
    }
    if cx.is_on("ShowStatePort") {
        block = block.with_option("Show State", &["1"]);
    }
    cx.set_sample_time(&mut block);
    Ok(block.into())
}

fn filter(cx: &mut Cx, name: &str) -> Result<Made, String> {
    let sources = ["NumeratorSource", "DenominatorSource"];
    if sources.iter().any(|source| cx.text(source) == "Input port") {
        return Err("its coefficients come from signals".to_owned());
    }
    let mut block = library("Discrete", name);
    cx.set(&mut block, "Numerator", "Numerator")?;
    cx.set(&mut block, "Denominator", "Denominator")?;
    initial(cx, &mut block, "Initial State", &["InitialStates", "InitialDenominatorStates"])?;
    cx.set_sample_time(&mut block);
    Ok(block.into())
}

fn fir(cx: &mut Cx) -> Result<Made, String> {
    if cx.text("CoefSource") == "Input port" {
        return Err("its coefficients come from a signal".to_owned());
    }
    let mut block = library("Discrete", "Discrete FIR Filter");
    let names = ["Coefficients", "NumCoeffs", "Numerator"];
    initial(cx, &mut block, "Coefficients", &names)?;
    initial(cx, &mut block, "Initial State", &["InitialStates"])?;
    cx.set_sample_time(&mut block);
    Ok(block.into())
}

fn zero_pole(cx: &mut Cx) -> Result<Made, String> {
    let mut block = zero_pole_of(cx, "Discrete", "Discrete Zero-Pole")?;
    cx.set_sample_time(&mut block);
    Ok(block.into())
}

fn state_space(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Discrete", "Discrete State Space");
    for name in ["A", "B", "C", "D"] {
        cx.set(&mut block, name, name)?;
    }
    initial(cx, &mut block, "Initial State", &["InitialCondition", "X0"])?;
    cx.set_sample_time(&mut block);
    Ok(block.into())
}

fn rate_transition(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Discrete", "Rate Transition");
    initial(cx, &mut block, "Initial Value", &["InitialCondition", "X0"])?;
    if let Some((time, _)) = cx.sample_time("OutPortSampleTime") {
        block.set_option("Sample Time", Some(&[time.text]));
    }
    Ok(block.into())
}

fn convert(cx: &mut Cx) -> Result<Made, String> {
    let kind = cx.any(&["OutDataTypeStr", "OutDataType", "DataType"]).to_owned();
    let kind = kind.trim_start_matches("fixdt('").trim_end_matches("')").to_owned();
    match &*kind {
        "boolean" | "int8" | "uint8" | "int16" | "uint16" | "int32" | "uint32" => {}
        "double" => return Ok(unchanged()),
        "single" => {
            cx.note("numbers of type double keep more digits than single");
            return Ok(unchanged());
        }
        "" => return Ok(unchanged()),
        _ if kind.starts_with("Inherit") => return Ok(unchanged()),
        _ if kind.starts_with("Enum:") || kind.starts_with("Bus:") => {
            let note = format!("the type {} is not kept", short(&kind));
            cx.note(note);
            return Ok(unchanged());
        }
        _ => {
            let note = format!("numbers are of type double, not {}", short(&kind));
            cx.note(note);
            return Ok(unchanged());
        }
    }
    let rounding = match cx.text("RndMeth") {
        "Zero" | "Simplest" => "fix",
        "Ceiling" => "ceil",
        "Nearest" | "Round" | "Convergent" => "round",
        _ => "floor",
    };
    let overflow = if cx.is_on("SaturateOnIntegerOverflow") || cx.is_on("DoSatur") { "saturate" } else { "wrap" };
    let block = library("Signal", "Convert").with_option("Type", &[&kind]).with_option("Rounding", &[rounding]);
    Ok(block.with_option("Overflow", &[overflow]).into())
}

fn specification(cx: &mut Cx) -> Result<Made, String> {
    cx.note_type();
    let width = cx.any(&["Dimensions", "PortDimensions"]).to_owned();
    if ["", "-1"].contains(&&*width) {
        return Ok(unchanged());
    }
    match cx.expression_of(&width)?.value {
        Some(value) if value.values.iter().all(|width| *width >= 1.0) => {
            let width = value.values.iter().product::<f64>();
            Ok(library("Signal", "Signal Specification")
                .with_option("Width", &[crate::block::number_text(width)])
                .into())
        }
        _ => Ok(unchanged()),
    }
}

fn probe(cx: &mut Cx) -> Result<Made, String> {
    let is_on = |name: &str| cx.raw(name).is_none_or(|text| text == "on");
    let others = ["ProbeComplexSignal", "ProbeSignalDimensions", "ProbeFramedSignal"];
    if others.iter().any(|name| cx.raw(name) == Some("on")) {
        return Err("it outputs dimensions or whether the signal is complex".to_owned());
    }
    let mut outputs = Vec::new();
    if is_on("ProbeWidth") {
        outputs.push((0, "Width".into()));
    }
    if is_on("ProbeSampleTime") {
        outputs.push((0, "Sample Time".into()));
    }
    let ends = super::made::Ends::Listed { inputs: vec![(0, "Input".into())], outputs };
    Ok(Made { parts: vec![library("Signal", "Probe")], ends, ..Made::default() })
}

fn tapped(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Discrete", "Tapped Delay");
    initial(cx, &mut block, "Taps", &["NumDelays"])?;
    initial(cx, &mut block, "Initial Value", &["vinit"])?;
    let order = if cx.text("DelayOrder").starts_with("Newest") { "newest first" } else { "oldest first" };
    block = block.with_option("Order", &[order]);
    if cx.is_on("includeCurrent") {
        block = block.with_option("Include Current", &["1"]);
    }
    sampled(cx, &mut block)?;
    Ok(block.into())
}

/// The sample time of a block of the library, whose parameter has several names.
fn sampled(cx: &mut Cx, block: &mut Block) -> Result<(), String> {
    let text = cx.any(&["samptime", "tsamp", "SampleTime"]).to_owned();
    if !["", "-1", "0"].contains(&&*text) {
        block.set_option("Sample Time", Some(&[cx.stated_time(&text)?]));
    }
    Ok(())
}

fn first_order(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Discrete", "Transfer Function First Order");
    initial(cx, &mut block, "Pole", &["PoleZ", "Pole"])?;
    initial(cx, &mut block, "Initial Value", &["ICPrevOutput", "vinit"])?;
    Ok(block.into())
}

/// A zero without a pole.
fn real_zero(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Discrete", "Transfer Function Lead or Lag").with_option("Pole", &["0"]);
    initial(cx, &mut block, "Zero", &["ZeroZ"])?;
    initial(cx, &mut block, "Initial Input", &["ICPrevInput"])?;
    Ok(block.into())
}

/// A filter whose leading coefficient of the denominator, 1, is not in the file.
fn direct_form(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Discrete", "Discrete Filter");
    cx.set(&mut block, "Numerator", "NumCoeffVec")?;
    let rest = cx.expression("DenCoeffVec")?.text;
    block.set_option("Denominator", Some(&[format!("[1, {rest}]")]));
    initial(cx, &mut block, "Initial State", &["vinit"])?;
    if !["", "0", "0.0"].contains(&cx.text("vinit")) {
        cx.note("its states have another form, so that it starts from other values");
    }
    sampled(cx, &mut block)?;
    Ok(block.into())
}

fn lead_lag(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Discrete", "Transfer Function Lead or Lag");
    for (option, name) in
        [("Pole", "PoleZ"), ("Zero", "ZeroZ"), ("Initial Output", "ICPrevOutput"), ("Initial Input", "ICPrevInput")]
    {
        initial(cx, &mut block, option, &[name])?;
    }
    Ok(block.into())
}

fn derivative(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Discrete", "Discrete Derivative");
    initial(cx, &mut block, "Gain", &["gainval"])?;
    initial(cx, &mut block, "Initial Value", &["ICPrevScaledInput"])?;
    Ok(block.into())
}

fn difference(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Discrete", "Difference");
    initial(cx, &mut block, "Initial Value", &["ICPrevInput"])?;
    Ok(block.into())
}

fn unit_delay(cx: &mut Cx, has_enable: bool, has_reset: bool, has_initial: bool) -> Result<Made, String> {
    let flag = |is: bool| [if is { "1" } else { "0" }];
    let mut block = library("Discrete", "Unit Delay Enabled Resettable")
        .with_option("Enable Input", &flag(has_enable))
        .with_option("Reset Input", &flag(has_reset))
        .with_option("Initial Input", &flag(has_initial));
    initial(cx, &mut block, "Initial Value", &["vinit"])?;
    sampled(cx, &mut block)?;
    Ok(block.into())
}
