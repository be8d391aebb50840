//! The properties of each operation in the tables, besides its mathematics.

// Properties that follow from how a row defines its value and its tangent.

macro_rules! is_inline {
    (inline) => {
        true
    };
    ($how:ident) => {
        false
    };
}

macro_rules! is_flat {
    (flat) => {
        true
    };
    ($tangent:tt) => {
        false
    };
}

/// How an operation is written in formulas and messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// A sign before its operand.
    Prefix(&'static str),
    /// A sign between its operands.
    Infix(&'static str, Precedence),
    /// A name before its operands.
    Call(&'static str),
}

/// How strongly an operator binds its operands, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precedence {
    Or,
    And,
    Relation,
    Sum,
    Product,
    Power,
}

/// A name of an operation in formulas, and its help text.
pub type Named = (&'static str, &'static str);

/// Estimated times for one element. They decide how work is divided and change no result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Cycles until the result can be used; read for inline operations only.
    pub latency: u32,
    /// Quarters of a cycle for which the processor's arithmetic is occupied; read for inline operations only.
    pub occupancy: u32,
    /// Nanoseconds in the interpreter.
    pub interpreted: f64,
}

impl Cost {
    pub const SUM: Cost = Cost { latency: 3, occupancy: 1, interpreted: 0.4 };
    pub const SIGN: Cost = Cost { latency: 4, occupancy: 3, interpreted: 0.3 };
    pub const ROUNDING: Cost = Cost { latency: 4, occupancy: 3, interpreted: 4.0 };
    pub const RELATION: Cost = Cost { latency: 4, occupancy: 4, interpreted: 0.4 };
    pub const DIVISION: Cost = Cost { latency: 13, occupancy: 20, interpreted: 0.4 };
    pub const ROOT: Cost = Cost { latency: 20, occupancy: 32, interpreted: 4.0 };
    pub const FUNCTION: Cost = Cost { latency: 40, occupancy: 80, interpreted: 4.0 };
    pub const FUNCTION_OF_TWO: Cost = Cost { latency: 80, occupancy: 160, interpreted: 20.0 };
}

/// The rule for the physical units of an operation's operands and of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitRule {
    /// All operands have one unit, which is the result's too.
    Same,
    /// All operands have one unit; the result has none.
    Compared,
    /// The unit of the result is not known.
    Unknown,
}

/// The properties of an operation that both tables have.
#[derive(Clone, Copy, Debug)]
pub struct OperationRow {
    pub notation: Notation,
    pub functions: &'static [Named],
    pub cost: Cost,
    pub units: UnitRule,
    /// Whether it is composed of primitive instructions, which machine code contains directly; otherwise it is called.
    pub is_inline: bool,
    /// Whether its derivative is 0 wherever it has one.
    pub is_flat: bool,
}

impl OperationRow {
    /// Writes the operation with its operands, as in formulas. Of an infix operation there may be any number of them.
    pub fn text(&self, operands: &[&str]) -> String {
        match self.notation {
            Notation::Prefix(sign) => format!("{sign}{}", operands.join(" ")),
            Notation::Infix(sign, _) => operands.join(&format!(" {sign} ")),
            Notation::Call(name) => format!("{name}({})", operands.join(", ")),
        }
    }
}
