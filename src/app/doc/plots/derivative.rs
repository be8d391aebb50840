//! Derivatives of signals by parameters, which plots show as they show signals.

use crate::model::{BlockId, ParamAddress, SignalKey, Simulation};

/// The derivative of a signal by a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivative {
    pub of: SignalKey,
    pub by: ParamAddress,
}

/// Separates the parts in the name of the output. No name can have a control character.
const MARK: char = '\u{1f}';

impl Derivative {
    /// Returns the signal that stands for it in plots and recordings: its output is none of the block, but names the output
    /// and the parameter.
    pub fn signal(&self) -> SignalKey {
        let block = &self.by.block;
        let ids: Vec<String> = block.path.iter().chain([&block.block]).map(|id| id.0.to_string()).collect();
        let output = format!("{}{MARK}{}{MARK}{}", self.of.output, ids.join("/"), self.by.name);
        SignalKey { output: output.into(), ..self.of.clone() }
    }

    /// Returns the derivative that a signal stands for, if it stands for one.
    pub fn of_signal(signal: &SignalKey) -> Option<Derivative> {
        let mut parts = signal.output.splitn(3, MARK);
        let (output, ids, name) = (parts.next()?, parts.next()?, parts.next()?);
        let ids: Vec<BlockId> = ids.split('/').map(|id| id.parse().ok().map(BlockId)).collect::<Option<_>>()?;
        let (block, path) = ids.split_last()?;
        let of = SignalKey { output: output.into(), ..signal.clone() };
        Some(Derivative { of, by: ParamAddress::new(path, *block, name) })
    }

    /// Returns its name, in which `of` is that of the signal: `d Speed / d PID.P`, as `simulate run` writes it.
    pub fn name(&self, simulation: &Simulation, of: &str) -> String {
        format!("d {of} / d {}", param_name(&self.by, simulation))
    }
}

/// Returns the name of a parameter by the title of its block, which `simulate run --sensitivity` understands.
pub fn param_name(param: &ParamAddress, simulation: &Simulation) -> String {
    format!("{}.{}", param.block.title_text(simulation), param.name)
}

/// Returns whether a signal stands for a derivative.
pub fn is_derivative(signal: &SignalKey) -> bool {
    signal.output.contains(MARK)
}

/// Returns the address of a signal in words, such as `Plant/Motor#3.Output`.
pub fn address_text(signal: &SignalKey, simulation: &Simulation) -> String {
    match Derivative::of_signal(signal) {
        Some(derivative) => derivative.name(simulation, &derivative.of.text(simulation)),
        None => signal.text(simulation),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_says_which_derivative_it_is() {
        let of = SignalKey::new(&[BlockId(4)], BlockId(2), "Output 1");
        let by = ParamAddress::new(&[BlockId(7), BlockId(-1)], BlockId(3), "Gain");
        let derivative = Derivative { of: of.clone(), by };
        let signal = derivative.signal();
        assert_eq!((&signal.path, signal.block), (&of.path, of.block));
        assert_eq!(Derivative::of_signal(&signal), Some(derivative));
        assert!(is_derivative(&signal) && !is_derivative(&of));
        assert_eq!(Derivative::of_signal(&of), None);
        // The name that a user may give to a port.
        let port = SignalKey::new(&[], BlockId(2), "∂T/∂t");
        assert!(!is_derivative(&port));
        let derivative = Derivative { of: port, by: ParamAddress::new(&[], BlockId(3), "d∂") };
        assert_eq!(Derivative::of_signal(&derivative.signal()), Some(derivative));
    }
}
