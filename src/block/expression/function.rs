//! The functions of expressions.

use std::sync::LazyLock;

use super::{Binary, Unary};
use crate::block::math::OperationRow;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Function {
    pub name: &'static str,
    pub kind: FunctionKind,
    /// The notation and the result, as help text.
    pub doc: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    Unary(Unary),
    Binary(Binary),
    /// Reduces two or more arguments, or the elements of a single one, to one.
    Row(Binary),
    /// Reduces the elements of a vector to one.
    Fold(Binary),
    If,
    Length,
    Dot,
    /// The arguments are first, last, count.
    Linspace,
    /// A vector of equal elements of this value.
    Fill(u8),
}

impl Function {
    pub fn by_name(name: &str) -> Option<&'static Function> {
        FUNCTIONS.iter().find(|function| function.name == name)
    }

    /// Returns the minimum and maximum number of arguments.
    pub fn arguments(&self) -> (usize, usize) {
        match self.kind {
            FunctionKind::Unary(_) | FunctionKind::Fold(_) | FunctionKind::Length | FunctionKind::Fill(_) => (1, 1),
            FunctionKind::Binary(_) | FunctionKind::Dot => (2, 2),
            FunctionKind::Row(_) => (1, usize::MAX),
            FunctionKind::If | FunctionKind::Linspace => (3, 3),
        }
    }
}

/// The functions that are not operations of their own.
const OTHERS: &[Function] = &[
    Function {
        name: "min",
        kind: FunctionKind::Row(Binary::Min),
        doc: "min(a, b, …): the smallest; of a vector its smallest element",
    },
    Function {
        name: "max",
        kind: FunctionKind::Row(Binary::Max),
        doc: "max(a, b, …): the largest; of a vector its largest element",
    },
    Function { name: "if", kind: FunctionKind::If, doc: "if(c, a, b): a where c is nonzero, else b" },
    Function { name: "sum", kind: FunctionKind::Fold(Binary::Add), doc: "sum(v): the sum of all elements" },
    Function { name: "prod", kind: FunctionKind::Fold(Binary::Mul), doc: "prod(v): the product of all elements" },
    Function { name: "dot", kind: FunctionKind::Dot, doc: "dot(a, b): the sum of a * b" },
    Function { name: "length", kind: FunctionKind::Length, doc: "length(v): the number of elements of v" },
    Function { name: "linspace", kind: FunctionKind::Linspace, doc: "linspace(a, b, n): n numbers from a to b" },
    Function { name: "zeros", kind: FunctionKind::Fill(0), doc: "zeros(n): a vector of n zeros" },
    Function { name: "ones", kind: FunctionKind::Fill(1), doc: "ones(n): a vector of n ones" },
];

/// All functions: those of the tables of operations, then the others.
pub static FUNCTIONS: LazyLock<Vec<Function>> = LazyLock::new(|| {
    let unary = Unary::ALL.iter().map(|&op| (op.row(), FunctionKind::Unary(op)));
    let binary = Binary::ALL.iter().map(|&op| (op.row(), FunctionKind::Binary(op)));
    let named = |(row, kind): (&'static OperationRow, FunctionKind)| {
        row.functions.iter().map(move |&(name, doc)| Function { name, kind, doc })
    };
    unary.chain(binary).flat_map(named).chain(OTHERS.iter().copied()).collect()
});
