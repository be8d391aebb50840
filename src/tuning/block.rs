//! A PID block of a simulation: its gains, the plant that it sees, and the change that sets its gains.
//!
//! A block is one by its parameters: gains P, I and D and a filter coefficient. With an integration method it is discrete,
//! with a weight of the set point it has set point and measurement for inputs in place of the error.

use std::sync::Arc;

use super::pid::{Form, Gains, Integration, Pid};
use super::plant::{Plant, PlantError};
use super::search::blocks_of;
use crate::block::{BlockDef, ParamKind, Registry, Settings, number_text, parse_number};
use crate::engine::{AnalysisError, Context, Linear, LinearizeRequest, Program, SignalElement};
use crate::model::{
    Block, BlockAddress, Change, Edit, SignalKey, Simulation, definition_of, in_scope, model_at, param_texts,
    settings_of,
};

/// The options of the gains, in the order of [`Gains`].
const GAINS: [&str; 4] = ["P", "I", "D", "Filter Coefficient"];
/// The order of the Padé forms by which poles of loops with delays are found; curves and margins are exact.
const PADE_ORDER: usize = 6;
/// The significant digits of the gains that are written.
const DIGITS: usize = 6;

/// Why a block cannot be tuned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BlockError {
    #[error("there is no such block")]
    NoBlock,
    #[error("the block is not a PID controller: it has no gains P, I and D with a filter coefficient")]
    NoPid,
    #[error("the gains of the block are inputs, set by wires; set “Gains” to “parameters” to tune them")]
    WiredGains,
    #[error("the block controls several elements of a vector; the tuner handles scalar signals")]
    Vector,
    #[error("the input “{0}” of the block is not connected")]
    Unconnected(&'static str),
    #[error("the option “{0}” has errors")]
    Option(String),
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    #[error(transparent)]
    Plant(#[from] PlantError),
}

impl BlockError {
    /// A remedy, as a sentence; empty where the message says it.
    pub fn advice(&self) -> &'static str {
        match self {
            BlockError::NoBlock => "Run again, so that the shown step has the block",
            BlockError::NoPid => "Select a PID controller block",
            BlockError::Vector => "Give each element a controller of its own",
            BlockError::Unconnected(_) => "Wire the plant's output back to it, through a sum with the set point",
            BlockError::Option(_) => "Correct it in the inspector",
            BlockError::Plant(PlantError::Unreached) => {
                "Wire its output through the plant back to its input; if it is, the plant has no gain here: linearize at \
                 another step"
            }
            BlockError::Plant(PlantError::NoResponse) => "Linearize at another step, or at equilibrium",
            BlockError::WiredGains | BlockError::Plant(PlantError::Periods { .. }) | BlockError::Analysis(_) => "",
        }
    }
}

/// A PID block and its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct PidBlock {
    pub address: BlockAddress,
    /// The model that contains the block.
    pub model: Arc<str>,
    /// The number of instances of that model; all get the same gains.
    pub instances: usize,
    pub form: Form,
    /// The gains as the block has them, in its form.
    pub gains: Gains,
    /// The options of gains that are expressions, and their texts; a number would replace them.
    pub expressions: Vec<(&'static str, String)>,
    is_discrete: bool,
    has_measurement: bool,
    integral: Integration,
    filter: Integration,
    weights: [f64; 2],
}

impl PidBlock {
    /// Whether a kind of block has the parameters of a PID controller.
    pub fn is_kind(def: &BlockDef) -> bool {
        GAINS.iter().all(|name| def.param(name).is_some_and(|param| matches!(param.kind, ParamKind::Number { .. })))
    }

    /// Whether there is a PID block at an address.
    pub fn is_at(simulation: &Simulation, registry: &Registry, address: &BlockAddress) -> bool {
        let block = model_at(simulation, &address.path).and_then(|model| model.block(address.block));
        block.and_then(|block| definition_of(registry, block)).is_some_and(PidBlock::is_kind)
    }

    /// Returns the PID blocks of a simulation, in all instances of its models, up to a maximum.
    pub fn all(simulation: &Simulation, registry: &Registry) -> Vec<BlockAddress> {
        blocks_of(simulation, registry, PidBlock::is_kind)
    }

    /// Reads a block.
    ///
    /// # Errors
    /// If it is not a PID controller, or its gains cannot be set.
    pub fn of(simulation: &Simulation, registry: &Registry, address: &BlockAddress) -> Result<PidBlock, BlockError> {
        let model = model_at(simulation, &address.path).ok_or(BlockError::NoBlock)?;
        let block = model.block(address.block).ok_or(BlockError::NoBlock)?;
        let def = definition_of(registry, block).filter(|def| PidBlock::is_kind(def)).ok_or(BlockError::NoPid)?;
        let (settings, errors) = in_scope(simulation, &address.path, model, |scope| settings_of(def, block, scope));
        let choice = |name: &str| def.param(name).map_or("", |_| settings.choice(name));
        if choice("Gains") == "inputs" {
            return Err(BlockError::WiredGains);
        }
        if let Some(error) = errors.first() {
            return Err(BlockError::Option(error.to_string()));
        }
        let number = |name: &str| scalar(&settings, name);
        let gains = Gains { p: number(GAINS[0])?, i: number(GAINS[1])?, d: number(GAINS[2])?, n: number(GAINS[3])? };
        let has_measurement = def.param("Weight b").is_some();
        let weights = match has_measurement {
            true => [number("Weight b")?, number("Weight c")?],
            false => [1.0; 2],
        };
        Ok(PidBlock {
            address: address.clone(),
            model: Arc::clone(&model.name),
            instances: if address.path.is_empty() { 1 } else { simulation.instances_of(&model.name).count().max(1) },
            form: if choice("Form") == "ideal" { Form::Ideal } else { Form::Parallel },
            gains,
            expressions: GAINS.into_iter().filter_map(|name| Some((name, expression(def, block, name)?))).collect(),
            is_discrete: def.param("Integral Method").is_some(),
            has_measurement,
            integral: integration(choice("Integral Method")),
            filter: integration(choice("Filter Method")),
            weights,
        })
    }

    /// Returns the block's gains in parallel form.
    pub fn parallel(&self) -> Gains {
        self.form.to_parallel(self.gains)
    }

    /// The input that the plant drives: the error, or the measurement.
    fn input(&self) -> (usize, &'static str) {
        if self.has_measurement { (1, "Measurement") } else { (0, "Error") }
    }

    /// Returns the plant that the block sees at a step: from its output, at which the loop is opened, to its input.
    ///
    /// # Errors
    /// If the block is not connected, or the simulation cannot be linearized there.
    pub fn plant(&self, program: &Arc<Program>, context: &Context) -> Result<Plant, BlockError> {
        let unit = program.unit_of(&self.address).ok_or(BlockError::NoBlock)?;
        let (index, name) = self.input();
        let source = program.sources_of(&program.units[unit]).get(index).copied().flatten();
        let source = source.ok_or(BlockError::Unconnected(name))?;
        let signal = program.signals().find(|(_, output)| *output == source);
        let signal = signal.map(|(signal, _)| signal).ok_or(BlockError::Unconnected(name))?;
        let output = SignalKey { path: self.address.path.clone(), block: self.address.block, output: "Output".into() };
        if program.width_of(&output) != Some(1) || program.width_of(&signal) != Some(1) {
            return Err(BlockError::Vector);
        }
        let element = |signal| vec![SignalElement { signal, element: 0 }];
        let (inputs, outputs) = (element(output), element(signal));
        let wanted = LinearizeRequest { inputs, outputs, cuts_inputs: true, pade_order: PADE_ORDER };
        let rate = program.rates.get(unit).filter(|_| self.is_discrete);
        let linear = Linear::over(program, context, &wanted, rate)?;
        let channel = linear.channel(0, 0).ok_or(PlantError::Unreached)?;
        // The error falls when the measurement rises.
        let channel = if self.has_measurement { channel } else { channel.negated() };
        let is_fixed = !program.solver.is_variable();
        let pid = match self.is_discrete {
            true => {
                let steps = rate.map_or(1, |rate| rate.period.max(1));
                Pid::sampled(steps as f64 * program.delta, self.integral, self.filter)
            }
            // A solver of fixed step computes the filter only so fast.
            false => Pid { max_filter: if is_fixed { 2.0 / program.delta } else { f64::INFINITY }, ..Pid::default() },
        };
        let mut plant = Plant::new(channel, Pid { weights: self.weights, ..pid })?;
        if is_fixed && !self.is_discrete {
            plant.max_bandwidth = 0.5 / program.delta;
        }
        if program.steps > 0 {
            plant.run_seconds = program.steps as f64 * program.delta;
        }
        Ok(plant)
    }

    /// Returns the gains in the form of the block, with the digits that are written; `None` if the form cannot have them.
    pub fn own(&self, parallel: Gains) -> Option<Gains> {
        let Gains { p, i, d, n } = self.form.from_parallel(parallel)?;
        let [p, i, d, n] = [p, i, d, n].map(rounded);
        Some(Gains { p, i, d, n })
    }

    /// Returns the change that sets the gains, in the form of the block; options that have the values already stay.
    pub fn change(&self, own: Gains) -> Change {
        let now = [self.gains.p, self.gains.i, self.gains.d, self.gains.n];
        let values = GAINS.into_iter().zip([own.p, own.i, own.d, own.n]).zip(now);
        let edits = values.filter(|((_, value), now)| value != now).map(|((name, value), _)| Edit::SetOption {
            model: Arc::clone(&self.model),
            id: self.address.block,
            name: name.into(),
            values: Some(vec![number_text(value)]),
        });
        Change::new("Tune PID controller", edits.collect())
    }
}

fn scalar(settings: &Settings, name: &str) -> Result<f64, BlockError> {
    match settings.numbers(name) {
        [value] => Ok(*value),
        _ => Err(BlockError::Vector),
    }
}

/// Returns the text of an option that is not a number.
fn expression(def: &BlockDef, block: &Block, name: &str) -> Option<String> {
    let texts = param_texts(block, def.param(name)?);
    let is_number = texts.iter().all(|text| parse_number(text).is_ok());
    (!is_number).then(|| texts.join(" "))
}

fn integration(name: &str) -> Integration {
    match name {
        "backward" => Integration::Backward,
        "trapezoidal" => Integration::Trapezoidal,
        _ => Integration::Forward,
    }
}

fn rounded(value: f64) -> f64 {
    format!("{value:.0$e}", DIGITS - 1).parse().unwrap_or(value)
}
