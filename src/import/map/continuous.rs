//! Continuous systems and discontinuities.

use super::block::{Cx, short};
use super::made::{Made, library};
use super::row::{How, Row};
use crate::model::Block;

pub const ROWS: &[Row] = &[
    ("Integrator", How::By(integrator)),
    ("SecondOrderIntegrator", How::By(second_order)),
    ("TransferFcn", How::By(transfer_function)),
    ("StateSpace", How::By(state_space)),
    ("ZeroPole", How::By(zero_pole)),
    ("Derivative", How::By(derivative)),
    ("TransportDelay", How::By(transport_delay)),
    ("VariableTransportDelay", How::By(variable_delay)),
    ("VariableTimeDelay", How::By(variable_delay)),
    ("Saturate", How::Same("Nonlinear", "Saturate", &[("Lower Limit", "LowerLimit"), ("Upper Limit", "UpperLimit")])),
    ("DeadZone", How::Same("Nonlinear", "Dead Zone", &[("Start", "LowerValue"), ("End", "UpperValue")])),
    ("Quantizer", How::Same("Nonlinear", "Quantizer", &[("Interval", "QuantizationInterval")])),
    ("Backlash", How::Same("Nonlinear", "Backlash", &[("Width", "BacklashWidth"), ("Initial Value", "InitialOutput")])),
    ("RateLimiter", How::By(rate_limiter)),
    (
        "Relay",
        How::Same(
            "Nonlinear",
            "Relay",
            &[
                ("Switch On", "OnSwitchValue"),
                ("Switch Off", "OffSwitchValue"),
                ("On Value", "OnOutputValue"),
                ("Off Value", "OffOutputValue"),
            ],
        ),
    ),
    ("HitCross", How::By(hit_crossing)),
];

pub const LIBRARY: &[Row] = &[
    ("PID Controller", How::By(pid)),
    ("Discrete PID Controller", How::By(pid)),
    ("PID Controller (2DOF)", How::By(pid)),
    ("Discrete PID Controller (2DOF)", How::By(pid)),
    ("PID Controller (with Approximate Derivative)", How::By(old_pid)),
    ("Saturation Dynamic", How::Same("Nonlinear", "Saturate Dynamic", &[])),
    ("Dead Zone Dynamic", How::Same("Nonlinear", "Dead Zone Dynamic", &[])),
    ("Rate Limiter Dynamic", How::Same("Nonlinear", "Rate Limiter Dynamic", &[])),
    ("Coulomb & Viscous Friction", How::By(friction)),
    ("Coulomb and Viscous Friction", How::By(friction)),
    ("Wrap To Zero", How::Same("Nonlinear", "Wrap To Zero", &[("Threshold", "Threshold")])),
    (
        "Transfer Fcn (with initial outputs)",
        How::By(|cx| {
            let mut block = library("Continuous", "Transfer Function");
            for (option, name) in [("Numerator", "num"), ("Denominator", "den"), ("Initial Output", "X0")] {
                cx.set_unless_empty(&mut block, option, name)?;
            }
            cx.mapper.has_continuous = true;
            Ok(block.into())
        }),
    ),
    ("Discretized Transfer Fcn", How::By(discretized)),
];

fn reset(cx: &mut Cx, name: &str) -> &'static str {
    match cx.text(name) {
        "rising" | "Rising" => "rising",
        "falling" | "Falling" => "falling",
        "either" | "Either" => "either",
        "level" | "Level" => "level",
        "level hold" | "Level hold" | "sampled level" => {
            cx.note("the reset holds at a level that is not 0, and here not where it stays");
            "level"
        }
        _ => "none",
    }
}

fn integrator(cx: &mut Cx) -> Result<Made, String> {
    cx.mapper.has_continuous = true;
    let mut block = library("Continuous", "Integrator");
    if cx.text("InitialConditionSource") == "external" {
        block = block.with_option("Initial Source", &["input"]);
    } else {
        cx.set(&mut block, "Initial Value", "InitialCondition")?;
    }
    let reset = reset(cx, "ExternalReset");
    if reset != "none" {
        block = block.with_option("Reset", &[reset]);
    }
    limits(cx, &mut block)?;
    if cx.is_on("WrapState") {
        block = block.with_option("Wrapped", &["1"]);
        cx.set(&mut block, "Lower Limit", "WrappedStateLowerValue")?;
        cx.set(&mut block, "Upper Limit", "WrappedStateUpperValue")?;
    }
    for (option, name) in [("Show Saturation", "ShowSaturationPort"), ("Show State", "ShowStatePort")] {
        if cx.is_on(name) {
            block = block.with_option(option, &["1"]);
        }
    }
    Ok(block.into())
}

fn limits(cx: &mut Cx, block: &mut Block) -> Result<(), String> {
    if cx.is_on("LimitOutput") {
        block.set_option("Limited", Some(&["1"]));
        cx.set(block, "Lower Limit", "LowerSaturationLimit")?;
        cx.set(block, "Upper Limit", "UpperSaturationLimit")?;
    }
    Ok(())
}

fn second_order(cx: &mut Cx) -> Result<Made, String> {
    cx.mapper.has_continuous = true;
    if cx.text("ICSourceX") == "external"
        || cx.text("ICSourceDXDT") == "external"
        || !["", "none"].contains(&cx.text("ExternalReset"))
    {
        return Err("its initial values come from signals, or it is reset".to_owned());
    }
    let mut block = library("Continuous", "Second-Order Integrator");
    for (option, name) in [("Initial Position", "ICX"), ("Initial Speed", "ICDXDT")] {
        cx.set_unless_empty(&mut block, option, name)?;
    }
    if cx.is_on("LimitX") {
        block = block.with_option("Limited", &["1"]);
        cx.set(&mut block, "Lower Limit", "LowerLimitX")?;
        cx.set(&mut block, "Upper Limit", "UpperLimitX")?;
    }
    if cx.is_on("LimitDXDT") {
        cx.set(&mut block, "Lowest Speed", "LowerLimitDXDT")?;
        cx.set(&mut block, "Highest Speed", "UpperLimitDXDT")?;
    }
    Ok(block.into())
}

fn transfer_function(cx: &mut Cx) -> Result<Made, String> {
    cx.mapper.has_continuous = true;
    let numerator = cx.expression("Numerator")?;
    if numerator.value.as_ref().is_some_and(|value| value.rows > 1) {
        return Err("it has several outputs; write it as a state space".to_owned());
    }
    let mut block = library("Continuous", "Transfer Function").with_option("Numerator", &[numerator.text]);
    cx.set(&mut block, "Denominator", "Denominator")?;
    Ok(block.into())
}

fn state_space(cx: &mut Cx) -> Result<Made, String> {
    cx.mapper.has_continuous = true;
    let mut block = library("Continuous", "State Space");
    for (option, name) in [("A", "A"), ("B", "B"), ("C", "C"), ("D", "D")] {
        cx.set(&mut block, option, name)?;
    }
    let initial = cx.any(&["InitialCondition", "X0"]).to_owned();
    if !["", "[]"].contains(&&*initial) {
        block.set_option("Initial State", Some(&[cx.expression_of(&initial)?.text]));
    }
    Ok(block.into())
}

/// The elements of a vector as the texts that zeros and poles are written in.
fn roots(cx: &mut Cx, name: &str) -> Result<String, String> {
    if ["", "[]"].contains(&cx.text(name)) {
        return Ok(String::new());
    }
    let numbers = cx.numbers(name)?;
    Ok(numbers.iter().map(|number| crate::block::number_text(*number)).collect::<Vec<_>>().join(" "))
}

pub fn zero_pole_of(cx: &mut Cx, group: &str, name: &str) -> Result<Block, String> {
    let (zeros, poles) = (roots(cx, "Zeros")?, roots(cx, "Poles")?);
    let mut block = library(group, name).with_option("Zeros", &[zeros]).with_option("Poles", &[poles]);
    cx.set(&mut block, "Gain", "Gain")?;
    Ok(block)
}

fn zero_pole(cx: &mut Cx) -> Result<Made, String> {
    cx.mapper.has_continuous = true;
    Ok(zero_pole_of(cx, "Continuous", "Zero-Pole")?.into())
}

fn derivative(cx: &mut Cx) -> Result<Made, String> {
    cx.mapper.has_continuous = true;
    cx.note("the derivative depends on the steps of the solver");
    Ok(library("Continuous", "Derivative").into())
}

fn transport_delay(cx: &mut Cx) -> Result<Made, String> {
    cx.mapper.has_continuous = true;
    let mut block = library("Continuous", "Transport Delay");
    cx.set(&mut block, "Delay", "DelayTime")?;
    let initial = cx.any(&["InitialOutput", "InitialInput"]).to_owned();
    block.set_option("Initial Value", Some(&[cx.expression_of(&initial)?.text]));
    Ok(block.into())
}

fn variable_delay(cx: &mut Cx) -> Result<Made, String> {
    cx.mapper.has_continuous = true;
    let is_transport = cx.block.kind == "VariableTransportDelay" && !cx.text("VariableDelayType").contains("time");
    let mut block = match is_transport {
        true => library("Continuous", "Variable Transport Delay"),
        false => library("Continuous", "Variable Time Delay"),
    };
    if !is_transport {
        cx.set(&mut block, "Longest Delay", "MaximumDelay")?;
    }
    cx.set_unless_empty(&mut block, "Initial Value", "InitialOutput")?;
    Ok(block.into())
}

fn rate_limiter(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Nonlinear", "Rate Limiter");
    for (option, names) in [
        ("Rising Slope", ["RisingSlewLimit", "risingSlewLimit"]),
        ("Falling Slope", ["FallingSlewLimit", "fallingSlewLimit"]),
    ] {
        let text = cx.any(&names).to_owned();
        block.set_option(option, Some(&[cx.expression_of(&text)?.text]));
    }
    if cx.text("SampleTimeMode") == "inherited" {
        block = block.with_option("Begin With", &["value"]);
        cx.set(&mut block, "Initial Value", "InitialCondition")?;
    }
    Ok(block.into())
}

fn hit_crossing(cx: &mut Cx) -> Result<Made, String> {
    let direction = cx.text("HitCrossingDirection").to_owned();
    let mut block = library("Nonlinear", "Hit Crossing").with_option("Direction", &[direction]);
    cx.set(&mut block, "Value", "HitCrossingOffset")?;
    Ok(block.into())
}

fn friction(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Nonlinear", "Friction");
    cx.set_unless_empty(&mut block, "Offset", "offset")?;
    cx.set_unless_empty(&mut block, "Gain", "gain")?;
    Ok(block.into())
}

/// A PID controller, continuous or discrete, as the library has it since R2009b.
fn pid(cx: &mut Cx) -> Result<Made, String> {
    let is_discrete = match cx.text("TimeDomain") {
        "" => cx.text("SourceBlock").contains("Discrete PID"),
        domain => domain.starts_with("Discrete"),
    };
    let is_two = cx.text("SourceBlock").contains("2DOF") || cx.text("SourceType").contains("2dof");
    let name = match (is_discrete, is_two) {
        (false, false) => "PID Controller",
        (false, true) => "PID Controller 2DOF",
        (true, false) => "Discrete PID Controller",
        (true, true) => "Discrete PID Controller 2DOF",
    };
    let mut block = library(if is_discrete { "Discrete" } else { "Continuous" }, name);
    cx.mapper.has_continuous |= !is_discrete;
    let controller = cx.text("Controller").to_owned();
    let form = if cx.text("Form") == "Ideal" { "ideal" } else { "parallel" };
    block = block.with_option("Form", &[form]);
    let external = cx.text("ControllerParametersSource") == "external";
    if external {
        block = block.with_option("Gains", &["inputs"]);
    }
    let controller = if controller.is_empty() { "PID" } else { &*controller };
    for part in ["P", "I", "D"] {
        if !controller.contains(part) {
            block = block.with_option(part, &["0"]);
        } else if !external {
            cx.set_or(&mut block, part, part, if part == "D" { "0" } else { "1" })?;
        }
    }
    if controller.contains('D') && !external {
        let filter = cx.text("UseFilter").to_owned();
        if filter == "off" {
            cx.note("the derivative has a filter, which the original has not");
        }
        cx.set_or(&mut block, "Filter Coefficient", "N", "100")?;
    }
    if is_two {
        cx.set_or(&mut block, "Weight b", "b", "1")?;
        cx.set_or(&mut block, "Weight c", "c", "1")?;
    }
    if cx.text("InitialConditionSource") == "external" {
        return Err("the initial values of its states come from signals".to_owned());
    }
    cx.set_or(&mut block, "Initial Integral", "InitialConditionForIntegrator", "0")?;
    if !["", "0"].contains(&cx.text("InitialConditionForFilter")) && controller.contains('D') {
        cx.note("the filter of the derivative begins at 0");
    }
    if cx.is_on("LimitOutput") {
        block = block.with_option("Limited", &["1"]);
        cx.set_or(&mut block, "Upper Limit", "UpperSaturationLimit", "inf")?;
        cx.set_or(&mut block, "Lower Limit", "LowerSaturationLimit", "-inf")?;
        let method = match cx.text("AntiWindupMode") {
            "back-calculation" => "back-calculation",
            "clamping" => "clamping",
            _ => "none",
        };
        block = block.with_option("Anti-Windup", &[method]);
        if method == "back-calculation" {
            cx.set_or(&mut block, "Back-Calculation", "Kb", "1")?;
        }
    }
    let reset = reset(cx, "ExternalReset");
    if reset != "none" {
        block = block.with_option("Reset", &[reset]);
    }
    if cx.is_on("TrackingMode") {
        block = block.with_option("Tracking", &["1"]);
        cx.set_or(&mut block, "Tracking Gain", "Kt", "1")?;
    }
    if is_discrete {
        for (option, name) in [("Integral Method", "IntegratorMethod"), ("Filter Method", "FilterMethod")] {
            block = block.with_option(option, &[method(cx.text(name))]);
        }
        cx.set_sample_time(&mut block);
    }
    Ok(block.into())
}

/// The method of a discrete integral.
pub fn method(text: &str) -> &'static str {
    match text {
        _ if text.contains("Backward") => "backward",
        _ if text.contains("Trapezoidal") => "trapezoidal",
        _ => "forward",
    }
}

/// The controller of the extras, with the filter of the derivative as a transfer function.
fn old_pid(cx: &mut Cx) -> Result<Made, String> {
    cx.mapper.has_continuous = true;
    let mut block = library("Continuous", "PID Controller");
    for part in ["P", "I", "D"] {
        cx.set_or(&mut block, part, part, "1")?;
    }
    cx.set_or(&mut block, "Filter Coefficient", "N", "100")?;
    Ok(block.into())
}

fn discretized(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Discrete", "Discrete Transfer Function").with_option("Given As", &["continuous"]);
    let text = |cx: &Cx, names: &[&str]| cx.any(names).to_owned();
    let (numerator, denominator, time, way) = (
        text(cx, &["num", "Numerator"]),
        text(cx, &["den", "Denominator"]),
        text(cx, &["Ts", "sampletime", "SampleTime"]),
        text(cx, &["method", "Method"]),
    );
    let way = match &*way.to_lowercase() {
        "zoh" | "" => "zero-order hold",
        "foh" => "first-order hold",
        "tustin" => "tustin",
        "matched" => "matched",
        other => return Err(format!("the method {} has no counterpart", short(other))),
    };
    block.set_option("Numerator", Some(&[cx.expression_of(&numerator)?.text]));
    block.set_option("Denominator", Some(&[cx.expression_of(&denominator)?.text]));
    block.set_option("Method", Some(&[way]));
    block.set_option("Sample Time", Some(&[cx.stated_time(&time)?]));
    Ok(block.into())
}

impl Cx<'_> {
    /// Sets an option from a parameter, or to a default where the file has none.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn set_or(&mut self, block: &mut Block, option: &str, name: &str, default: &str) -> Result<(), String> {
        if self.text(name).is_empty() {
            block.set_option(option, Some(&[default]));
            return Ok(());
        }
        self.set(block, option, name)
    }
}
