//! The interface of a runtime for foreign code: instances that compute a function of numbers.

/// The memory that an instance may have, in bytes.
pub const MEMORY_LIMIT: usize = 16 << 20;

/// The instructions that one call may take, and those that it may take in addition for each element. It bounds a call
/// and never decides a result.
pub const CALL_LIMIT: u64 = 10_000_000;
pub const ELEMENT_LIMIT: u64 = 100;

/// The functions of a plug-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// Computes the outputs.
    Outputs,
    /// Computes the next values of the discrete states.
    Update,
    /// Computes the rates of change of the continuous states, per second.
    Derivatives,
}

impl Function {
    /// Returns the name of the exported function.
    pub fn export(self) -> &'static str {
        match self {
            Function::Outputs => "simulate_outputs",
            Function::Update => "simulate_update",
            Function::Derivatives => "simulate_derivatives",
        }
    }
}

/// The widths of the signals of a block, in the order of the description.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shape {
    pub inputs: Vec<usize>,
    pub params: Vec<usize>,
    pub states: Vec<usize>,
    pub outputs: Vec<usize>,
}

impl Shape {
    /// Returns the number of elements that a function reads after the clock: those of all inputs, parameters and states.
    pub fn read(&self) -> usize {
        [&self.inputs, &self.params, &self.states].into_iter().flatten().sum()
    }

    /// Returns the number of elements that a function computes.
    pub fn written(&self, function: Function) -> usize {
        match function {
            Function::Outputs => self.outputs.iter().sum(),
            Function::Update | Function::Derivatives => self.states.iter().sum(),
        }
    }
}

/// An instance of a plug-in's code for one shape of one block.
pub trait Guest: Send {
    /// Computes the results of a function. `args` are the time, the step size, the step number, and the elements of all
    /// inputs, parameters and states. After an error the instance must not be used again.
    ///
    /// # Errors
    /// Fails if the code stops, exceeds a limit or says that it has no result.
    fn call(&mut self, function: Function, args: &[f64], out: &mut [f64]) -> Result<(), GuestError>;
}

/// Why foreign code has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GuestError {
    #[error("the plug-in cannot be started: {0}")]
    Start(String),
    #[error("the plug-in needs more than the 16 MB of memory that it may have")]
    Memory,
    #[error("the plug-in did not end within 10 million instructions, and 100 for each element")]
    Endless,
    #[error("the plug-in stopped: {reason}{}", log_text(.log))]
    Trap { reason: String, log: String },
    #[error("the plug-in has no result: {}", if .log.is_empty() { format!("error {code}") } else { .log.clone() })]
    Failed { code: i32, log: String },
    #[error(
        "the plug-in keeps values between calls: its results differ from those of a new instance (values that last belong \
         in states)"
    )]
    Remembers,
}

fn log_text(log: &str) -> String {
    if log.is_empty() { String::new() } else { format!("; it said: {log}") }
}
