//! Selects the signals that a run records, by name.

use std::cell::OnceCell;
use std::collections::HashSet;

use crate::block::{Registry, SignalType};
use crate::engine::{OutputId, Program};
use crate::model::{SignalError, SignalKey, Simulation, marked_signals, names_of_signals};

/// A signal to be recorded.
#[derive(Clone, Debug)]
pub struct SelectedSignal {
    /// The name in the results.
    pub name: String,
    pub key: SignalKey,
    pub output: OutputId,
    /// The number of elements and their names.
    pub of: SignalType,
}

impl SelectedSignal {
    fn new(name: String, key: SignalKey, output: OutputId, program: &Program) -> SelectedSignal {
        SelectedSignal { name, key, output, of: program.output_type(output) }
    }

    /// Returns the exits of the root model.
    pub fn exits(program: &Program) -> Vec<SelectedSignal> {
        let exits = program.exits().into_iter();
        exits.map(|(name, key, output)| SelectedSignal::new(name.to_string(), key, output, program)).collect()
    }

    /// Returns the signals to record by default: exits, inputs of scopes, named and probed signals.
    pub fn marked(simulation: &Simulation, registry: &Registry, program: &Program) -> Vec<SelectedSignal> {
        let keys = marked_signals(simulation, registry);
        let mut seen = HashSet::new();
        let known = keys.into_iter().filter_map(|key| Some((program.output_of(&key)?, key)));
        let known = known.filter(|(output, _)| seen.insert(*output)).map(|(output, key)| (key, output));
        SelectedSignal::named(known, simulation, program)
    }

    /// Returns every output of every block.
    pub fn all(simulation: &Simulation, program: &Program) -> Vec<SelectedSignal> {
        SelectedSignal::named(program.signals(), simulation, program)
    }

    /// Returns signals with their display names.
    fn named(
        signals: impl Iterator<Item = (SignalKey, OutputId)>,
        simulation: &Simulation,
        program: &Program,
    ) -> Vec<SelectedSignal> {
        let (keys, outputs): (Vec<SignalKey>, Vec<OutputId>) = signals.unzip();
        let names = names_of_signals(simulation, &keys);
        let named = names.into_iter().zip(keys).zip(outputs);
        named.map(|((name, key), output)| SelectedSignal::new(name, key, output, program)).collect()
    }

    /// Finds a signal by path or display name. `all` keeps all signals of the program, for the next search.
    ///
    /// # Errors
    /// If the signal does not exist.
    pub fn find(
        text: &str,
        (simulation, registry): (&Simulation, &Registry),
        program: &Program,
        all: &OnceCell<Vec<SelectedSignal>>,
    ) -> Result<SelectedSignal, SignalError> {
        let key = match SignalKey::parse(text, simulation, registry) {
            Ok(key) => key,
            // It may be a display name.
            Err(error) => {
                let mut all = all.get_or_init(|| SelectedSignal::all(simulation, program)).iter();
                return all.find(|signal| signal.name == text).cloned().ok_or(error);
            }
        };
        let output = program.output_of(&key).ok_or_else(|| SignalError::Malformed(text.to_owned()))?;
        Ok(SelectedSignal::new(text.to_owned(), key, output, program))
    }
}
