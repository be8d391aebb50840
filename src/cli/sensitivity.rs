//! The sensitivities of `simulate run`: the derivatives of the recorded signals by options of blocks.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::opened::Opened;
use crate::block::SignalType;
use crate::engine::{
    Context, Engine, OutputId, OverrideError, Program, SelectedParam, SelectedSignal, Sensitivity, SensitivityError,
    SensitivityParam, TierUp,
};
use crate::rpc::number;

/// Why there are no sensitivities.
#[derive(Debug, thiserror::Error)]
pub enum SensitivityArgsError {
    #[error("--sensitivity: {0}")]
    Param(#[from] OverrideError),
    #[error("--sensitivity {0}: {1}")]
    None(String, SensitivityError),
    #[error("--sensitivity needs the engine “auto”, “compiled” or “flat”, not “{0}”")]
    Engine(String),
}

/// The derivatives of the recorded signals.
pub struct Sensitivities {
    sensitivity: Sensitivity,
    /// The derivatives with their names, in the order of the signals.
    pub signals: Vec<Derivative>,
}

/// The derivative of a signal by an element of an option.
pub struct Derivative {
    /// As in `d Speed / d PID.P`.
    pub name: String,
    pub output: OutputId,
    /// The elements of the signal.
    pub of: SignalType,
}

impl Sensitivities {
    /// Prepares the derivatives by the options in `names`, which are separated by commas.
    ///
    /// # Errors
    /// If an option does not exist or cannot change, or if a block has no derivative.
    pub fn new(
        names: &str,
        opened: &Opened,
        program: &Arc<Program>,
        signals: &[SelectedSignal],
    ) -> Result<Sensitivities, SensitivityArgsError> {
        let split: Vec<&str> = names.split(',').map(str::trim).collect();
        let selected = opened.setup.params(&split, program)?;
        let mut params = Vec::new();
        for SelectedParam { name, param, element, width } in selected {
            for index in element.map_or(0..width, |element| element..element + 1) {
                let name = if width > 1 { format!("{name}[{index}]") } else { name.clone() };
                params.push((name, SensitivityParam { param: param.clone(), element: index }));
            }
        }
        let (texts, params): (Vec<String>, Vec<SensitivityParam>) = params.into_iter().unzip();
        let watched: Vec<OutputId> = signals.iter().map(|signal| signal.output).collect();
        let sensitivity = Sensitivity::new(program, &params, &watched)
            .map_err(|error| SensitivityArgsError::None(names.to_owned(), error))?;
        let mut found = Vec::new();
        for (watched, signal) in signals.iter().enumerate() {
            for (number, text) in texts.iter().enumerate() {
                let Some(output) = sensitivity.output(watched, number) else { continue };
                let name = format!("d {} / d {text}", signal.name);
                found.push(Derivative { name, output, of: signal.of.clone() });
            }
        }
        Ok(Sensitivities { sensitivity, signals: found })
    }

    /// The program that has the derivatives.
    pub fn program(&self) -> Arc<Program> {
        Arc::clone(self.sensitivity.program())
    }

    /// Returns the engine that runs it, as the user has chosen.
    ///
    /// # Errors
    /// If that engine has no derivatives.
    pub fn engine(&self, name: &str) -> Result<Arc<dyn Engine>, SensitivityArgsError> {
        match name {
            "auto" | "compiled" => Ok(self.sensitivity.engine(TierUp::default())),
            "flat" => Ok(self.sensitivity.interpreter()),
            other => Err(SensitivityArgsError::Engine(other.to_owned())),
        }
    }

    /// The derivatives of the last step by name, for JSON.
    pub fn json(&self, context: &Context) -> BTreeMap<String, Option<Vec<serde_json::Value>>> {
        let program = self.sensitivity.program();
        let one = |derivative: &Derivative| {
            let values = context.output(program, derivative.output);
            let values = (!values.is_empty()).then(|| values.iter().copied().map(number).collect());
            (derivative.name.clone(), values)
        };
        self.signals.iter().map(one).collect()
    }

    /// The same as lines of text.
    pub fn text(&self, context: &Context) -> String {
        let line = |derivative: &Derivative| match context.output(self.sensitivity.program(), derivative.output) {
            [] => format!("{} was never set\n", derivative.name),
            values => {
                let values: Vec<String> = values.iter().map(f64::to_string).collect();
                format!("{} = {}\n", derivative.name, values.join(" "))
            }
        };
        self.signals.iter().map(line).collect()
    }
}
