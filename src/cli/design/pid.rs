//! `simulate design pid`: tunes a PID block for the plant that it sees.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::Value;

use super::chosen::{ChoiceError, chosen};
use crate::cli::opened::{FileArgs, OpenError, OpenOptions, Opened, error_text};
use crate::cli::output::{FAILURE, OutputFormat, SUCCESS, complain, json, print};
use crate::cli::values::above_zero;
use crate::cli::written::{WriteError, write};
use crate::components::Components;
use crate::engine::{AnalysisError, Context, Engines, Program, RunError, Samples, Trim};
use crate::rpc::number;
use crate::tuning::{BlockError, Figures, Gains, Kind, PidBlock, Rule, RuleError, Target, judge, tune};

#[derive(Debug, Args)]
pub struct PidArgs {
    /// The simulation
    pub file: PathBuf,
    /// The PID block, such as Controller#3 [default: the only one]
    #[arg(long, value_name = "PATH")]
    pub block: Option<String>,
    /// The terms of the controller [default: those that the block has]
    #[arg(long = "type", value_enum)]
    pub kind: Option<KindArg>,
    /// How the gains are found
    #[arg(long, value_enum, default_value_t)]
    pub rule: RuleArg,
    /// The frequency in rad/s at which the open loop has the gain 1; for loop shaping and SIMC [default: one that suits the
    /// plant]
    #[arg(long, value_name = "RAD/S", value_parser = above_zero)]
    pub bandwidth: Option<f64>,
    /// The phase margin in degrees; for loop shaping
    #[arg(long, value_name = "DEGREES", default_value_t = Target::MARGIN, value_parser = margin)]
    pub phase_margin: f64,
    /// Linearizes after N steps
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub at: u64,
    /// Finds the nearest equilibrium first
    #[arg(long)]
    pub steady: bool,
    /// Sets an option for the linearization: Plant/Motor#3.Gain=2.5; separate the elements of a vector by commas
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Writes the gains into the file
    #[arg(long)]
    pub write: bool,
    /// Replaces gains that are expressions by numbers, too
    #[arg(long, requires = "write")]
    pub replace_expressions: bool,
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub files: FileArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KindArg {
    P,
    I,
    Pi,
    Pd,
    /// PD with the filter coefficient of the derivative
    Pdf,
    Pid,
    /// PID with the filter coefficient of the derivative
    Pidf,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RuleArg {
    /// Loop shaping: bandwidth and phase margin
    #[default]
    Shape,
    /// Ziegler and Nichols, by the gain and the period at the limit of stability
    ZieglerNichols,
    /// Ziegler and Nichols, by the step response
    ZieglerNicholsStep,
    /// Skogestad
    Simc,
    /// Åström and Hägglund
    Amigo,
}

impl KindArg {
    fn kind(self) -> Kind {
        match self {
            KindArg::P => Kind::P,
            KindArg::I => Kind::I,
            KindArg::Pi => Kind::Pi,
            KindArg::Pd => Kind::Pd,
            KindArg::Pdf => Kind::Pdf,
            KindArg::Pid => Kind::Pid,
            KindArg::Pidf => Kind::Pidf,
        }
    }
}

impl RuleArg {
    fn rule(self) -> Rule {
        match self {
            RuleArg::Shape => Rule::Shape,
            RuleArg::ZieglerNichols => Rule::ZieglerNichols,
            RuleArg::ZieglerNicholsStep => Rule::ZieglerNicholsStep,
            RuleArg::Simc => Rule::Simc,
            RuleArg::Amigo => Rule::Amigo,
        }
    }
}

fn margin(text: &str) -> Result<f64, String> {
    let value = crate::block::parse_number(text).ok().filter(|value| (1.0..=120.0).contains(value));
    value.ok_or_else(|| "expected degrees from 1 to 120".to_owned())
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    File(#[from] OpenError),
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    #[error("--at: {0}")]
    Step(#[from] RunError),
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    #[error("{0}: {1}")]
    Block(String, BlockError),
    #[error("{0}")]
    Rule(#[from] RuleError),
    #[error("--write: {0} is the expression “{1}”; --replace-expressions replaces it by a number")]
    Expression(&'static str, String),
    #[error(transparent)]
    Write(#[from] WriteError),
}

pub fn run(args: &PidArgs, components: &Components) -> ExitCode {
    match pid(args, components) {
        Ok(text) => print(&text, SUCCESS),
        Err(Failure::File(error)) => error.complain(&args.file),
        Err(error) => {
            complain(&error_text(&error, &args.file));
            ExitCode::from(FAILURE)
        }
    }
}

fn pid(args: &PidArgs, components: &Components) -> Result<String, Failure> {
    let given = OpenOptions { set: &args.set, files: Some(&args.files), ..OpenOptions::default() };
    let opened = Opened::open(components, &args.file, given)?;
    let (simulation, registry) = (Arc::clone(opened.simulation()), Arc::clone(opened.registry()));
    let all = || PidBlock::all(&simulation, &registry);
    let address = chosen(&simulation, args.block.as_deref(), "PID", all)?;
    let name = address.text(&simulation);
    let named = |error: BlockError| Failure::Block(name.clone(), error);
    let block = PidBlock::of(&simulation, &registry, &address).map_err(named)?;
    let program = Arc::new(opened.compile()?);
    let context = point(args, components, &opened, &program)?;
    let plant = block.plant(&program, &context).map_err(named)?;
    let now = block.parallel();
    let target = Target {
        rule: args.rule.rule(),
        kind: args.kind.map_or_else(|| Kind::of(&now), KindArg::kind),
        bandwidth: args.bandwidth,
        margin: args.phase_margin,
        filter: block.gains.n,
    };
    let tuned = tune(&plant, &target, None)?;
    let own = block.own(tuned.gains).ok_or(RuleError::Ideal)?;
    let (_, before) = judge(&plant, &now, None);
    if args.write {
        if let (Some((option, text)), false) = (block.expressions.first(), args.replace_expressions) {
            return Err(Failure::Expression(option, text.clone()));
        }
        write(components, &registry, (&args.file, &args.files), block.change(own))?;
    }
    let report = PidReport {
        block: name,
        rule: value_name(&args.rule),
        kind: target.kind.name(),
        bandwidth: tuned.bandwidth,
        is_margin_reached: target.rule.has_margin().then_some(tuned.is_reached),
        sample_time: plant.channel.period,
        before: Side::new(block.gains, &before),
        after: Side::new(own, &tuned.figures),
        instances: block.instances,
        expressions: block.expressions.iter().map(|(name, text)| ((*name).to_owned(), text.clone())).collect(),
        is_written: args.write,
    };
    Ok(match args.format {
        OutputFormat::Json => json(&report),
        OutputFormat::Text => report.text(),
    })
}

/// Returns the operating point.
fn point(args: &PidArgs, components: &Components, opened: &Opened, program: &Arc<Program>) -> Result<Context, Failure> {
    let mut context = opened.context(program)?;
    if args.at > 0 {
        let engine = components.engines.get(Engines::DEFAULT);
        if let Some(mut execute) = engine.and_then(|engine| engine.prepare(program).ok()) {
            execute.run(&mut context, args.at, &mut Samples::default())?;
        }
    }
    if args.steady {
        context = Trim::default().solve(program, &context)?.context;
    }
    Ok(context)
}

fn value_name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// The gains in the form of the block, and its loop.
#[derive(Serialize)]
struct Side {
    p: f64,
    i: f64,
    d: f64,
    filter_coefficient: f64,
    stable: Option<bool>,
    gain_margin: Value,
    gain_margin_at: Option<f64>,
    phase_margin: Value,
    phase_margin_at: Option<f64>,
    sensitivity_peak: Value,
    rise_time: Option<f64>,
    settling_time: Option<f64>,
    overshoot: Option<f64>,
    control_peak: Option<f64>,
    disturbance_peak: Option<f64>,
}

impl Side {
    fn new(own: Gains, figures: &Figures) -> Side {
        let margins = figures.margins;
        Side {
            p: own.p,
            i: own.i,
            d: own.d,
            filter_coefficient: own.n,
            stable: figures.is_stable,
            gain_margin: number(margins.gain),
            gain_margin_at: margins.gain_at,
            phase_margin: number(margins.phase),
            phase_margin_at: margins.phase_at,
            sensitivity_peak: number(figures.peak),
            rise_time: figures.rise_time,
            settling_time: figures.settling_time,
            overshoot: figures.overshoot,
            control_peak: figures.effort,
            disturbance_peak: figures.deviation,
        }
    }

    /// The lines of a table, each with its title.
    fn lines(&self) -> [(&'static str, String); 15] {
        let digits = |value: f64| match value {
            value if value.is_finite() => short(value),
            _ => "infinite".to_owned(),
        };
        let of = |value: &Value| value.as_f64().map_or_else(|| "infinite".to_owned(), short);
        let maybe = |value: Option<f64>, unit: &str| value.map_or_else(|| "-".to_owned(), |value| short(value) + unit);
        let stable = match self.stable {
            Some(true) => "yes",
            Some(false) => "no",
            None => "not known",
        };
        [
            ("P", digits(self.p)),
            ("I", digits(self.i)),
            ("D", digits(self.d)),
            ("Filter Coefficient", digits(self.filter_coefficient)),
            ("stable", stable.to_owned()),
            ("gain margin", of(&self.gain_margin)),
            ("  at", maybe(self.gain_margin_at, " rad/s")),
            ("phase margin", of(&self.phase_margin) + "°"),
            ("  at", maybe(self.phase_margin_at, " rad/s")),
            ("peak of sensitivity", of(&self.sensitivity_peak)),
            ("rise time", maybe(self.rise_time, " s")),
            ("settling time", maybe(self.settling_time, " s")),
            ("overshoot", maybe(self.overshoot.map(|part| 100.0 * part), " %")),
            ("peak of control signal", maybe(self.control_peak, "")),
            ("peak after disturbance", maybe(self.disturbance_peak, "")),
        ]
    }
}

/// Up to six significant digits.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    rounded.to_string()
}

#[derive(Serialize)]
struct PidReport {
    block: String,
    rule: String,
    #[serde(rename = "type")]
    kind: &'static str,
    /// Radians per second.
    bandwidth: f64,
    /// Only of loop shaping.
    #[serde(rename = "phase_margin_reached", skip_serializing_if = "Option::is_none")]
    is_margin_reached: Option<bool>,
    /// In seconds; none of a continuous loop.
    sample_time: Option<f64>,
    before: Side,
    after: Side,
    #[serde(skip_serializing_if = "is_one")]
    instances: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    expressions: Vec<(String, String)>,
    #[serde(rename = "written")]
    is_written: bool,
}

fn is_one(count: &usize) -> bool {
    *count == 1
}

impl PidReport {
    fn text(&self) -> String {
        let loop_kind = self.sample_time.map_or("continuous".to_owned(), |period| format!("every {period} s"));
        let mut text = format!(
            "{}: {} by {}, bandwidth {} rad/s, {loop_kind}\n",
            self.block,
            self.kind,
            self.rule,
            short(self.bandwidth)
        );
        if self.is_margin_reached == Some(false) {
            text += &format!("a {} controller cannot have this phase margin at this bandwidth\n", self.kind);
        }
        text += &format!("{:<24}{:>16}{:>16}\n", "", "before", "after");
        for ((title, before), (_, after)) in self.before.lines().into_iter().zip(self.after.lines()) {
            text += &format!("{title:<24}{before:>16}{after:>16}\n");
        }
        for (name, of) in &self.expressions {
            text += &format!("{name} is the expression “{of}”\n");
        }
        if self.instances > 1 {
            text += &format!("the model has {} instances; all have these gains\n", self.instances);
        }
        if self.is_written {
            text += "written into the file\n";
        }
        text
    }
}
