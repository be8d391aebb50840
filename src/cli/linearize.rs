//! `simulate linearize`: linearizes a simulation at an operating point.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use super::opened::{FileArgs, OpenError, OpenOptions, Opened, error_text};
use super::output::{FAILURE, ForceArgs, OutputFormat, SUCCESS, complain, json, print};
use crate::block::math::{Complex, ComplexMath as _};
use crate::block::{Registry, parse_number};
use crate::components::Components;
use crate::engine::{
    AnalysisError, Channel, Engines, FrequencyPoint, Linear, LinearDelay, LinearState, LinearizeRequest, Matrix,
    Program, RootLocus, RunError, Samples, SignalElement, Target, Trim, feedback_loops,
};
use crate::format::{FileKind, OutputError};
use crate::model::{BlockAddress, ParamAddress, SignalError, SignalKey, Simulation, place_of_signal};
use crate::rpc::number;

#[derive(Debug, Args)]
pub struct LinearizeArgs {
    /// The simulation
    pub file: PathBuf,
    /// Input signals, separated by commas, such as Plant/Motor#3.Output; for an element of a vector add its index
    /// in brackets
    #[arg(long, value_name = "PATHS", value_delimiter = ',')]
    pub input: Vec<String>,
    /// Output signals [default: the exits of the root model]
    #[arg(long, value_name = "PATHS", value_delimiter = ',')]
    pub output: Vec<String>,
    /// Opens the loops at the inputs: blocks that read an input signal see only the input
    #[arg(long)]
    pub open: bool,
    /// The order of the Padé forms that stand for delays in time; the frequency response has them exactly
    #[arg(long, value_name = "N", default_value_t = LinearizeRequest::DEFAULT_ORDER as u8, value_parser = clap::value_parser!(u8).range(1..=LinearizeRequest::MAX_ORDER as i64))]
    pub pade: u8,
    /// Linearizes after N steps
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub at: u64,
    /// Finds the nearest equilibrium first
    #[arg(long)]
    pub steady: bool,
    /// A parameter that may change to reach equilibrium: Plant/Motor#3.Gain
    #[arg(long, value_name = "PATH", requires = "steady")]
    pub free: Vec<String>,
    /// The value of a signal at equilibrium: Plant/Motor#3.Output=2.5
    #[arg(long, value_name = "PATH=VALUE", requires = "steady")]
    pub target: Vec<String>,
    /// A block whose states keep their values: Plant/Motor#3
    #[arg(long, value_name = "PATH", requires = "steady")]
    pub fixed: Vec<String>,
    /// A block whose states may keep changing at equilibrium: Plant/Motor#3
    #[arg(long, value_name = "PATH", requires = "steady")]
    pub moving: Vec<String>,
    /// Sets an option: Plant/Motor#3.Gain=2.5; separate the elements of a vector by commas
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Writes the frequency response from the first input to the first output (.csv)
    #[arg(long, value_name = "FILE")]
    pub bode: Option<PathBuf>,
    /// Writes the points of a Nichols chart, the phase and the gain of the open loop, and the closed loop beside them
    /// (.csv)
    #[arg(long, value_name = "FILE")]
    pub nichols: Option<PathBuf>,
    /// Writes the poles of the loop closed with negative feedback, for rising gains of it (.csv)
    #[arg(long, value_name = "FILE")]
    pub root_locus: Option<PathBuf>,
    /// The frequency range in rad/s [default: around the poles and zeros]
    #[arg(long, value_name = "FROM:TO")]
    pub frequencies: Option<String>,
    /// The number of frequencies
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub points: u32,
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub files: FileArgs,
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    File(#[from] OpenError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("{0}: {1}")]
    Signal(&'static str, SignalError),
    #[error("{0} {1}: expected {2}")]
    Malformed(&'static str, String, &'static str),
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    #[error("{0}: give an --input that affects the output")]
    NoChannel(&'static str),
    #[error("--root-locus: the input does not reach the output, or there are no poles or too many of them")]
    NoLocus,
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error("{0}: {1}")]
    Unwritable(String, std::io::Error),
}

pub fn run(args: &LinearizeArgs, components: &Components) -> ExitCode {
    match linearize(args, components) {
        Ok(text) => print(&text, SUCCESS),
        Err(Failure::File(error)) => error.complain(&args.file),
        Err(error) => {
            complain(&error_text(&error, &args.file));
            ExitCode::from(FAILURE)
        }
    }
}

fn linearize(args: &LinearizeArgs, components: &Components) -> Result<String, Failure> {
    let given = OpenOptions { set: &args.set, files: Some(&args.files), ..OpenOptions::default() };
    let opened = Opened::open(components, &args.file, given)?;
    let (simulation, registry) = (Arc::clone(opened.simulation()), opened.registry());
    let program = Arc::new(opened.compile()?);
    let mut outputs = opened.outputs(args.force, &components.formats);
    let curves = [("--bode", &args.bode), ("--nichols", &args.nichols), ("--root-locus", &args.root_locus)];
    let mut files = Vec::new();
    for (option, path) in curves {
        if let Some(path) = path {
            files.push((option, outputs.admit(path, FileKind::Csv)?));
        }
    }
    let mut context = opened.context(&program)?;
    if args.at > 0 {
        let engine = components.engines.get(Engines::DEFAULT);
        let prepared = engine.and_then(|engine| engine.prepare(&program).ok());
        if let Some(mut execute) = prepared {
            execute.run(&mut context, args.at, &mut Samples::default())?;
        }
    }
    let lookup = Lookup { simulation: &simulation, registry, program: &program };
    let wanted = lookup.wanted(args)?;
    let mut found = None;
    if args.steady {
        let trimmed = lookup.trim(args)?.solve(&program, &context)?;
        context = trimmed.context.clone();
        found = Some(trimmed);
    }
    let linear = Linear::new(&program, &context, &wanted)?;
    let channel = linear.channel(0, 0);
    for (option, file) in &files {
        let channel = channel.as_ref().ok_or(Failure::NoChannel(option))?;
        let text = match *option {
            "--bode" => bode_text(&points(args, channel)?),
            "--nichols" => nichols_text(&points(args, channel)?),
            _ => locus_text(&channel.root_locus().ok_or(Failure::NoLocus)?),
        };
        file.replace(text.as_bytes()).map_err(|error| Failure::Unwritable(file.display().to_string(), error))?;
    }
    let free = args.free.iter().zip(found.iter().flat_map(|found| &found.params));
    let report = LinearizeReport {
        step: linear.step,
        period: linear.period,
        inputs: args.input.clone(),
        outputs: wanted.outputs.iter().map(|element| element.signal.text(&simulation)).collect(),
        states: linear.states.iter().map(|state| state_text(state, &simulation)).collect(),
        point: linear.point.iter().copied().map(number).collect(),
        free: free.map(|(name, values)| (name.clone(), values.clone())).collect(),
        left_out: linear.left_out,
        removed: opened.removed().to_vec(),
        delays: linear.delays.iter().map(|delay| delay_json(delay, &simulation)).collect(),
        still: linear.still.iter().map(|block| block.text(&simulation)).collect(),
        a: rows(&linear.a),
        b: rows(&linear.b),
        c: rows(&linear.c),
        d: rows(&linear.d),
        poles: linear.poles().map(|poles| poles.into_iter().map(pair).collect()),
        zeros: linear.zeros().map(|zeros| zeros.into_iter().map(pair).collect()),
        gain: channel.as_ref().and_then(Channel::gain),
        steady_gain: channel.as_ref().map(|of| number(of.steady_gain())),
        loops: feedback_loops(&program).iter().map(|at| LoopJson::new(at, &simulation)).collect(),
        margins: match wanted.inputs.first().filter(|_| args.open) {
            Some(at) => {
                let open = Linear::open_loop(&program, &context, at, wanted.pade_order)?;
                open.map(|open| margins(&open, LoopJson::new(&at.signal, &simulation)))
            }
            None => None,
        },
    };
    Ok(match args.format {
        OutputFormat::Json => json(&report),
        OutputFormat::Text => report.text(&linear, channel.as_ref()),
    })
}

/// Looks up signals and blocks by name.
struct Lookup<'a> {
    simulation: &'a Simulation,
    registry: &'a Arc<Registry>,
    program: &'a Program,
}

impl Lookup<'_> {
    fn wanted(&self, args: &LinearizeArgs) -> Result<LinearizeRequest, Failure> {
        let all = |option, texts: &[String]| {
            texts.iter().map(|text| self.element(option, text)).collect::<Result<Vec<_>, _>>()
        };
        let inputs = all("--input", &args.input)?;
        let outputs = match args.output.is_empty() {
            false => all("--output", &args.output)?,
            true => {
                self.program.exits().into_iter().map(|(_, signal, _)| SignalElement { signal, element: 0 }).collect()
            }
        };
        Ok(LinearizeRequest { inputs, outputs, cuts_inputs: args.open, pade_order: args.pade.into() })
    }

    fn trim(&self, args: &LinearizeArgs) -> Result<Trim, Failure> {
        let free = args.free.iter().map(|text| {
            let (block, name) = self.block("--free", text)?;
            let malformed = || Failure::Malformed("--free", text.clone(), "a parameter, such as Plant/Motor#3.Gain");
            Ok(ParamAddress { block, name: name.ok_or_else(malformed)? })
        });
        let targets = args.target.iter().map(|text| {
            let malformed = || Failure::Malformed("--target", text.clone(), "PATH=VALUE");
            let (path, value) = text.split_once('=').ok_or_else(malformed)?;
            Ok(Target {
                element: self.element("--target", path)?,
                value: parse_number(value).map_err(|_| malformed())?,
            })
        });
        let blocks = |option: &'static str, texts: &[String]| -> Result<Vec<_>, Failure> {
            texts.iter().map(|text| self.block(option, text).map(|(block, _)| block)).collect()
        };
        Ok(Trim {
            fixed: blocks("--fixed", &args.fixed)?,
            free: free.collect::<Result<_, Failure>>()?,
            targets: targets.collect::<Result<_, Failure>>()?,
            moving: blocks("--moving", &args.moving)?,
        })
    }

    fn block(&self, option: &'static str, text: &str) -> Result<(BlockAddress, Option<String>), Failure> {
        BlockAddress::parse_with_rest(text, self.simulation).map_err(|error| Failure::Signal(option, error))
    }

    fn element(&self, option: &'static str, text: &str) -> Result<SignalElement, Failure> {
        SignalElement::parse(text, self.simulation, self.registry).map_err(|error| Failure::Signal(option, error))
    }
}

fn state_text(state: &LinearState, simulation: &Simulation) -> String {
    let age = state.age.map(|age| format!(", {age} steps old")).unwrap_or_default();
    let number = if state.number == 0 { String::new() } else { format!(".{}", state.number) };
    format!("{}{number}[{}]{age}", state.block.text(simulation), state.element)
}

fn delay_json(delay: &LinearDelay, simulation: &Simulation) -> DelayJson {
    DelayJson { block: delay.block.text(simulation), seconds: delay.seconds }
}

fn points(args: &LinearizeArgs, channel: &Channel) -> Result<Vec<FrequencyPoint>, Failure> {
    let (from, to) = match &args.frequencies {
        None => channel.span(),
        Some(text) => {
            let malformed = || Failure::Malformed("--frequencies", text.clone(), "FROM:TO, both above 0");
            let (from, to) = text.split_once(':').ok_or_else(malformed)?;
            let number = |text: &str| parse_number(text).ok().filter(|number| *number > 0.0).ok_or_else(malformed);
            (number(from)?, number(to)?)
        }
    };
    Ok(channel.frequency_response(from, to, (args.points as usize).max(2)))
}

fn bode_text(points: &[FrequencyPoint]) -> String {
    let mut text = "frequency,re,im,decibels,phase\n".to_owned();
    for point in points {
        let FrequencyPoint { frequency, value, phase } = point;
        text += &format!("{frequency},{},{},{},{phase}\n", value.re, value.im, point.decibels());
    }
    text
}

fn nichols_text(points: &[FrequencyPoint]) -> String {
    let mut text = "frequency,phase,decibels,closed_decibels,closed_phase\n".to_owned();
    for point in points {
        let FrequencyPoint { frequency, phase, .. } = point;
        let closed = point.closed();
        let (size, angle) = (20.0 * closed.abs().log10(), closed.angle().to_degrees());
        text += &format!("{frequency},{phase},{},{size},{angle}\n", point.decibels());
    }
    text
}

/// A row for each gain, with the real and the imaginary part of each root; those of a root far away are empty.
fn locus_text(locus: &RootLocus) -> String {
    let mut text = "gain".to_owned();
    (1..=locus.branches.len()).for_each(|number| text += &format!(",re{number},im{number}"));
    text.push('\n');
    for (index, gain) in locus.gains.iter().enumerate() {
        text += &gain.to_string();
        for root in locus.branches.iter().filter_map(|branch| branch.get(index)) {
            text += &if root.re.is_finite() { format!(",{},{}", root.re, root.im) } else { ",,".to_owned() };
        }
        text.push('\n');
    }
    text
}

fn margins(open: &Channel, of: LoopJson) -> MarginsJson {
    let margins = open.margins();
    MarginsJson {
        of,
        gain: number(margins.gain),
        gain_at: margins.gain_at,
        phase: number(margins.phase),
        phase_at: margins.phase_at,
    }
}

fn rows(matrix: &Matrix) -> Vec<Vec<serde_json::Value>> {
    (0..matrix.rows).map(|row| matrix.row(row).iter().copied().map(number).collect()).collect()
}

fn pair(value: Complex) -> [f64; 2] {
    [value.re, value.im]
}

/// A delay in time: exact in the frequency response, a Padé form or a line of steps in the matrices.
#[derive(Serialize)]
struct DelayJson {
    block: String,
    seconds: f64,
}

#[derive(Serialize)]
struct LinearizeReport {
    step: u64,
    /// The sample time in seconds; none for a continuous system.
    period: Option<f64>,
    inputs: Vec<String>,
    outputs: Vec<String>,
    states: Vec<String>,
    /// The values of the states.
    point: Vec<serde_json::Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    free: Vec<(String, Vec<f64>)>,
    left_out: usize,
    /// The model blocks that `--skip-invalid-models` has removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    removed: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    delays: Vec<DelayJson>,
    still: Vec<String>,
    a: Vec<Vec<serde_json::Value>>,
    b: Vec<Vec<serde_json::Value>>,
    c: Vec<Vec<serde_json::Value>>,
    d: Vec<Vec<serde_json::Value>>,
    poles: Option<Vec<[f64; 2]>>,
    /// From the first input to the first output, as are the following fields.
    zeros: Option<Vec<[f64; 2]>>,
    gain: Option<f64>,
    steady_gain: Option<serde_json::Value>,
    /// The feedback loops, each by the signal at which it is opened best.
    loops: Vec<LoopJson>,
    /// Of the loop that is opened at the first input.
    margins: Option<MarginsJson>,
}

/// A loop by the signal at which it is opened.
#[derive(Serialize)]
struct LoopJson {
    name: String,
    signal: String,
}

impl LoopJson {
    fn new(at: &SignalKey, simulation: &Simulation) -> LoopJson {
        LoopJson { name: place_of_signal(simulation, at), signal: at.text(simulation) }
    }
}

#[derive(Serialize)]
struct MarginsJson {
    #[serde(rename = "loop")]
    of: LoopJson,
    gain: serde_json::Value,
    gain_at: Option<f64>,
    phase: serde_json::Value,
    phase_at: Option<f64>,
}

impl LinearizeReport {
    /// Returns the margins of the loop that is opened, or how one of the loops is opened.
    fn margins_text(&self) -> String {
        if let Some(MarginsJson { of, gain, gain_at, phase, phase_at }) = &self.margins {
            let at = |at: &Option<f64>| at.map(|at| format!(" at {at} rad/s")).unwrap_or_default();
            let (gain_at, phase_at) = (at(gain_at), at(phase_at));
            return format!(
                "margins of the loop at › {}: gain margin {gain}{gain_at}, phase margin {phase}°{phase_at}\n",
                of.name
            );
        }
        let ways = self
            .loops
            .iter()
            .map(|LoopJson { name, signal }| format!("  at › {name}: --input {signal} --output {signal} --open\n"));
        match self.loops.is_empty() {
            true => String::new(),
            false => format!("no loop is opened, so there are no margins; the loops are\n{}", ways.collect::<String>()),
        }
    }

    fn text(&self, linear: &Linear, channel: Option<&Channel>) -> String {
        let kind = match self.period {
            None => "continuous".to_owned(),
            Some(period) => format!("every {period} s"),
        };
        let mut text = format!("{} states, {kind}, at step {}\n", self.states.len(), self.step);
        for (name, value) in self.states.iter().zip(&self.point) {
            text += &format!("  {name} = {value}\n");
        }
        for (name, values) in &self.free {
            text += &format!("  {name} = {}\n", values.iter().map(f64::to_string).collect::<Vec<_>>().join(" "));
        }
        if self.left_out > 0 {
            text += &format!("  {} states without effect on the outputs are omitted\n", self.left_out);
        }
        for DelayJson { block, seconds } in &self.delays {
            let how = match self.period {
                None => "a Padé form here, exact in the frequency response",
                Some(_) => "kept step by step",
            };
            text += &format!("  {block} delays by {seconds} s: {how}\n");
        }
        for name in &self.still {
            text += &format!("  {name} is treated as constant\n");
        }
        for (name, matrix) in [("A", &linear.a), ("B", &linear.b), ("C", &linear.c), ("D", &linear.d)] {
            if matrix.rows > 0 && matrix.columns > 0 {
                text += &format!("{name}\n");
                for row in 0..matrix.rows {
                    let row: Vec<String> = matrix.row(row).iter().map(f64::to_string).collect();
                    text += &format!("  {}\n", row.join(" "));
                }
            }
        }
        let list = |name: &str, list: &[Complex]| {
            let lines = list.iter().map(|at| match at.im == 0.0 {
                true => format!("  {}\n", at.re),
                false => format!("  {} {} {}j\n", at.re, if at.im < 0.0 { "-" } else { "+" }, at.im.abs()),
            });
            format!("{name}\n{}", lines.collect::<String>())
        };
        text += &linear.poles().map_or("the poles were not found\n".to_owned(), |poles| list("poles", &poles));
        let Some(channel) = channel else { return text };
        if let Some(zeros) = &channel.zeros {
            text += &list("zeros", zeros);
        }
        if let (Some(gain), Some(steady)) = (&self.gain, &self.steady_gain) {
            text += &format!("gain {gain}, DC gain {steady}\n");
        }
        text + &self.margins_text()
    }
}
