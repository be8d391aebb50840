//! Sources.

use super::super::values::{rewrite, variable_name};
use super::block::{Cx, short};
use super::made::{Made, library};
use super::row::{How, Row};
use crate::block::number_text;

pub const ROWS: &[Row] = &[
    ("Constant", How::By(constant)),
    ("Ground", How::Same("Var", "Ground", &[])),
    ("Clock", How::Same("Var", "Clock", &[])),
    ("DigitalClock", How::Sampled("Var", "Digital Clock", &[])),
    ("Step", How::By(step)),
    ("Sin", How::By(sine)),
    ("DiscretePulseGenerator", How::By(pulse)),
    ("SignalGenerator", How::By(generator)),
    ("RandomNumber", How::By(random_number)),
    ("UniformRandomNumber", How::By(uniform)),
    ("FromWorkspace", How::By(from_workspace)),
    ("PWM", How::By(pwm)),
    ("VariablePulseGenerator", How::Same("Nonlinear", "Variable Pulse", &[])),
    ("FromSpreadsheet", How::Missing("the file of its signal is read by another program")),
    ("Playback", How::Missing("its curves lie in a file of another program")),
    ("FromFile", How::Missing("the file of its signal is read by another program")),
];

pub const LIBRARY: &[Row] = &[
    ("Ramp", How::By(ramp)),
    ("Repeating Sequence", How::Same("Var", "Repeating Sequence", &[("Times", "rep_seq_t"), ("Values", "rep_seq_y")])),
    ("Repeating Sequence Stair", How::By(stair)),
    ("Repeating Sequence Interpolated", How::By(interpolated)),
    ("Band-Limited White Noise", How::By(white_noise)),
    (
        "Chirp Signal",
        How::Same("Var", "Chirp", &[("Initial Frequency", "f1"), ("Target Time", "T"), ("Target Frequency", "f2")]),
    ),
    ("Enumerated Constant", How::By(constant)),
    ("Counter Limited", How::By(counter_limited)),
    ("Counter Free-Running", How::By(counter_free)),
    ("Signal Builder", How::Missing("its curves lie in data that are not read yet")),
    ("Signal Editor", How::Missing("its curves lie in a file of another program")),
    ("Pulse Generator", How::By(pulse)),
];

fn constant(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Var", "Static");
    let text = cx.text("Value").to_owned();
    cx.note_type();
    if text.starts_with("Bus:") || cx.text("OutDataTypeStr").starts_with("Bus:") {
        return Err("its value is a structure".to_owned());
    }
    let value = cx.expression_of(&text).map_err(|problem| format!("Value = {}: {problem}", short(&text)))?;
    block.set_option("Value", Some(&[value.text]));
    Ok(block.into())
}

fn step(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Var", "Step");
    for (option, name) in [("Step Time", "Time"), ("Initial Value", "Before"), ("Final Value", "After")] {
        cx.set(&mut block, option, name)?;
    }
    Ok(cx.sampled_source(block))
}

fn sine(cx: &mut Cx) -> Result<Made, String> {
    let is_external = cx.text("TimeSource").to_lowercase().contains("external");
    let mut block =
        library(if is_external { "Math" } else { "Var" }, if is_external { "Sine Function" } else { "Sine" });
    for (option, name) in [("Amplitude", "Amplitude"), ("Bias", "Bias")] {
        cx.set(&mut block, option, name)?;
    }
    if cx.text("SineType").starts_with("Sample") {
        // k samples a period: the sine of 2π(k + offset)/samples.
        let (samples, offset) = (cx.expression("Samples")?.text, cx.expression("Offset")?.text);
        let time = cx.sample_time("SampleTime").ok_or("its sample time is inherited")?.0.text;
        block.set_option("Frequency", Some(&[format!("2*pi/(({samples})*({time}))")]));
        block.set_option("Phase", Some(&[format!("2*pi*({offset})/({samples})")]));
    } else {
        cx.set(&mut block, "Frequency", "Frequency")?;
        cx.set(&mut block, "Phase", "Phase")?;
    }
    Ok(if is_external { block.into() } else { cx.sampled_source(block) })
}

fn pulse(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Var", "Pulse");
    cx.set(&mut block, "Amplitude", "Amplitude")?;
    if cx.text("PulseType").starts_with("Sample") {
        let time = cx.sample_time("SampleTime").ok_or("its sample time is inherited")?.0.text;
        let texts = ["Period", "PulseWidth", "PhaseDelay"].map(|name| cx.expression(name).map(|text| text.text));
        let [period, width, delay] = texts;
        let (period, width, delay) = (period?, width?, delay?);
        block.set_option("Period", Some(&[format!("({period})*({time})")]));
        block.set_option("Width", Some(&[format!("100*({width})/({period})")]));
        block.set_option("Delay", Some(&[format!("({delay})*({time})")]));
    } else {
        for (option, name) in [("Period", "Period"), ("Width", "PulseWidth"), ("Delay", "PhaseDelay")] {
            cx.set(&mut block, option, name)?;
        }
    }
    Ok(block.into())
}

fn generator(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Var", "Signal Generator");
    let wave = cx.text("WaveForm").to_owned();
    block.set_option("Wave", Some(&[&wave]));
    cx.set(&mut block, "Amplitude", "Amplitude")?;
    cx.set(&mut block, "Frequency", "Frequency")?;
    let unit = if cx.text("Units").starts_with("rad") { "rad/s" } else { "Hz" };
    block.set_option("Unit", Some(&[unit]));
    if wave == "random" {
        cx.note("random numbers of the same law, but others");
    }
    Ok(block.into())
}

fn random_number(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Var", "Noise");
    cx.set(&mut block, "Mean", "Mean")?;
    let variance = cx.expression("Variance")?.text;
    block.set_option("Deviation", Some(&[format!("sqrt({variance})")]));
    seeded(cx, block, "Seed")
}

fn uniform(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Var", "Random");
    cx.set(&mut block, "Low Value", "Minimum")?;
    cx.set(&mut block, "High Value", "Maximum")?;
    seeded(cx, block, "Seed")
}

fn white_noise(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Var", "Band-Limited White Noise");
    cx.set(&mut block, "Noise Power", "Cov")?;
    let text = cx.text("Ts").to_owned();
    if let Ok(time) = cx.stated_time(&text) {
        block.set_option("Sample Time", Some(&[time]));
    }
    let seed = if cx.text("seed").is_empty() { "Seed" } else { "seed" };
    seeded(cx, block, seed)
}

fn seeded(cx: &mut Cx, mut block: crate::model::Block, seed: &str) -> Result<Made, String> {
    let first = cx.numbers(seed).ok().and_then(|seeds| seeds.first().copied()).unwrap_or(0.0);
    block.set_option("Seed", Some(&[crate::block::number_text(first.abs().round())]));
    cx.note("random numbers of the same law, but others");
    cx.set_sample_time(&mut block);
    Ok(block.into())
}

fn ramp(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Var", "Line");
    for (option, names) in
        [("Slope", ["slope", "Slope"]), ("Start Time", ["start", "Start"]), ("Initial Value", ["X0", "InitialOutput"])]
    {
        let text = cx.any(&names).to_owned();
        if !text.is_empty() {
            block.set_option(option, Some(&[cx.expression_of(&text)?.text]));
        }
    }
    Ok(block.into())
}

fn stair(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Var", "Repeating Stair");
    cx.set(&mut block, "Values", "OutValues")?;
    let text = cx.any(&["tsamp", "SampleTime"]).to_owned();
    if !text.is_empty() && text != "-1" {
        block.set_option("Sample Time", Some(&[cx.stated_time(&text)?]));
    }
    Ok(block.into())
}

/// A sequence that is sampled, with its values at times.
fn interpolated(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Var", "Repeating Sequence");
    cx.set(&mut block, "Times", "TimeValues")?;
    cx.set(&mut block, "Values", "OutValues")?;
    let way = match cx.text("LookUpMeth") {
        "Use Input Nearest" => "nearest",
        "Use Input Below" => "flat",
        "Use Input Above" => {
            cx.note("values between the points are those below, not above");
            "flat"
        }
        _ => "linear",
    };
    block.set_option("Interpolation", Some(&[way]));
    let text = cx.text("tsamp").to_owned();
    if ["", "-1", "0"].contains(&&*text) {
        return Ok(block.into());
    }
    let mut hold = library("Discrete", "Zero-Order Hold");
    hold.set_option("Sample Time", Some(&[cx.stated_time(&text)?]));
    Ok(Made::chain(vec![(block, "", "Output"), (hold, "Input", "Output")], 0))
}

fn pwm(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Nonlinear", "PWM");
    for (option, names) in [("Period", ["Period", "period"]), ("Delay", ["InitialDelay", "Delay"])] {
        let text = cx.any(&names).to_owned();
        if !text.is_empty() {
            block.set_option(option, Some(&[cx.expression_of(&text)?.text]));
        }
    }
    Ok(block.into())
}

fn counter_limited(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Var", "Counter");
    cx.set(&mut block, "Upper Limit", "uplimit")?;
    counter(cx, block)
}

fn counter_free(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Var", "Counter").with_option("Limit By", &["bits"]);
    cx.set(&mut block, "Bits", "NumBits")?;
    counter(cx, block)
}

fn counter(cx: &mut Cx, mut block: crate::model::Block) -> Result<Made, String> {
    if !["", "-1"].contains(&cx.text("tsamp")) {
        cx.set(&mut block, "Sample Time", "tsamp")?;
        let time = cx.number("tsamp").ok().filter(|time| *time > 0.0);
        cx.mapper.sample_times.extend(time);
    }
    Ok(block.into())
}

/// A table of times and values in the workspace.
fn from_workspace(cx: &mut Cx) -> Result<Made, String> {
    let text = cx.text("VariableName").to_owned();
    let value = rewrite(&text).ok().and_then(|rewritten| cx.mapper.known_value(&rewritten));
    let mut block = library("Var", "Piecewise");
    match value {
        Some(value) if value.columns() == 2 && value.rows >= 2 => {
            let numbers =
                |column: usize| value.values.iter().skip(column).step_by(2).map(|number| number_text(*number));
            block = block.with_option("Times", &numbers(0).collect::<Vec<_>>());
            block = block.with_option("Values", &numbers(1).collect::<Vec<_>>());
        }
        Some(_) => {
            return Err(format!("the signal {} is no table of times and values of one signal", short(&text)));
        }
        None => {
            // Two names that can be set stand for the signal that nothing sets.
            let name = variable_name(text.trim());
            for (option, part) in [("Times", "times"), ("Values", "values")] {
                block.set_option(option, Some(&[cx.expression_of(&format!("{name}_{part}"))?.text]));
            }
            cx.note(format!("the signal {} is not in the file: set {name}_times and {name}_values", short(&text)));
        }
    }
    if !cx.is_on("Interpolate") {
        block = block.with_option("Interpolation", &["flat"]);
    }
    match cx.text("OutputAfterFinalValue") {
        "Extrapolation" => block = block.with_option("Extrapolation", &["extrapolate"]),
        "Holding final value" => {}
        other => {
            let note = format!("after its last time the value is held, not “{other}”");
            cx.note(note);
        }
    }
    Ok(cx.sampled_source(block))
}
