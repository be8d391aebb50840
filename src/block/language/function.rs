//! The functions of expressions and of code.

use std::sync::LazyLock;

use super::class::{CLASSES, Class};
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
    /// A conversion to a class of numbers.
    Cast(Class),
    /// A function of code with its least and largest number of arguments.
    Code(CodeFunction, u8, u8),
}

/// The functions that only code has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeFunction {
    All,
    Any,
    Apply(Binary),
    Assert,
    Bits(Bits),
    Cast,
    Circshift,
    ClassOf,
    Cross,
    Cumprod,
    Cumsum,
    Cumtrapz,
    Degrees,
    Det,
    Diag,
    Diff,
    Error,
    Eye,
    Find,
    Flip,
    Fliplr,
    Flipud,
    Horzcat,
    Idivide,
    Interpolate,
    Inv,
    Isa,
    Isempty,
    Isequal,
    Isfield,
    /// Whether a value is of a class or kind of classes.
    IsOf(&'static str),
    Ismember,
    Isscalar,
    Isshape(Shape),
    Isvector,
    Kron,
    Limit(Limit),
    Log2,
    Matrix(MatrixOperator),
    Mean,
    Median,
    Ndims,
    Nnz,
    Norm,
    Nthroot,
    Not,
    Numel,
    Of(Unary, Angle),
    Polyval,
    Radians,
    Reciprocal(Unary),
    Repmat,
    Reshape,
    Rms,
    Size,
    SizeOf(u8),
    Sort,
    Std,
    Strcmp,
    Struct,
    Subscript,
    Sumsq,
    Trace,
    Trapz,
    Transpose,
    Truths(bool),
    Tril,
    Triu,
    Var,
    Vertcat,
    /// The turn, in degrees or radians, and whether it is centred.
    Wrap(bool, bool),
}

/// The angle of a function that works in degrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Angle {
    Argument,
    Result,
}

/// A question about the size of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Row,
    Column,
    Square,
    Any,
}

/// A function of the bits of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bits {
    And,
    Or,
    Xor,
    Shift,
}

/// A limit of a class of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    IntegerMin,
    IntegerMax,
    RealMin,
    RealMax,
    Spacing,
    WholeMax,
}

impl Limit {
    pub fn is_of_integers(self) -> bool {
        matches!(self, Limit::IntegerMin | Limit::IntegerMax)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixOperator {
    Product,
    RightDivide,
    LeftDivide,
    Power,
}

impl Function {
    /// Finds a function of expressions.
    pub fn by_name(name: &str) -> Option<&'static Function> {
        Function::of_code(name).filter(|function| !matches!(function.kind, FunctionKind::Code(..)))
    }

    /// Finds a function of code: those of expressions are among them.
    pub fn of_code(name: &str) -> Option<&'static Function> {
        FUNCTIONS.iter().find(|function| function.name == name)
    }

    /// Whether it is one of one argument that reduces elements, however many they are.
    pub(super) fn is_reduction(&self) -> bool {
        use CodeFunction::{All, Any, Isempty, Mean, Nnz, Numel, Sumsq};
        match self.kind {
            FunctionKind::Fold(_) | FunctionKind::Row(Binary::Min | Binary::Max) | FunctionKind::Length => true,
            FunctionKind::Code(of, ..) => matches!(of, All | Any | Isempty | Mean | Nnz | Numel | Sumsq),
            _ => false,
        }
    }

    /// Whether its name is a word of statements in code.
    pub fn is_keyword(&self) -> bool {
        self.kind == FunctionKind::If
    }

    /// Returns the minimum and maximum number of arguments.
    pub fn arguments(&self) -> (usize, usize) {
        match self.kind {
            FunctionKind::Unary(_)
            | FunctionKind::Fold(_)
            | FunctionKind::Length
            | FunctionKind::Fill(_)
            | FunctionKind::Cast(_) => (1, 1),
            FunctionKind::Binary(_) | FunctionKind::Dot => (2, 2),
            FunctionKind::Row(_) => (1, usize::MAX),
            FunctionKind::If | FunctionKind::Linspace => (3, 3),
            FunctionKind::Code(_, least, most) => (usize::from(least), usize::from(most)),
        }
    }

    /// Returns what is wrong with a number of arguments. In code functions take sizes and directions, too.
    pub(super) fn problem_with(&self, given: usize, is_code: bool) -> Option<String> {
        let (least, most) = match self.kind {
            FunctionKind::Fill(_) if is_code => (0, 4),
            FunctionKind::Fold(_) if is_code => (1, 2),
            FunctionKind::Row(_) if is_code => (1, 3),
            FunctionKind::Linspace if is_code => (2, 3),
            _ => self.arguments(),
        };
        let is_right = (least..=most).contains(&given);
        (!is_right).then(|| format!("{given} arguments are given; it is written {}", self.doc))
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

macro_rules! of_code {
    ($($name:literal $kind:expr, $least:literal $most:literal, $doc:literal;)*) => {
        &[$(Function {
            name: $name,
            kind: FunctionKind::Code({ use CodeFunction::*; $kind }, $least, $most),
            doc: concat!($name, $doc),
        }),*]
    };
}

/// The functions that only code has.
const OF_CODE: &[Function] = of_code! {
    "all" All, 1 2, "(v): 1 if all elements are nonzero; of a matrix for each column";
    "and" Apply(Binary::And), 2 2, "(a, b): a & b";
    "any" Any, 1 2, "(v): 1 if an element is nonzero; of a matrix for each column";
    "assert" Assert, 1 8, "(c, 'text'): ends the run with the text where c is 0";
    "asind" Of(Unary::Asin, Angle::Result), 1 1, "(x): arcsine in degrees";
    "acosd" Of(Unary::Acos, Angle::Result), 1 1, "(x): arccosine in degrees";
    "atand" Of(Unary::Atan, Angle::Result), 1 1, "(x): arctangent in degrees";
    "bitand" Bits(self::Bits::And), 2 2, "(a, b): the bits that both integers have";
    "bitor" Bits(self::Bits::Or), 2 2, "(a, b): the bits that one of the integers has";
    "bitshift" Bits(self::Bits::Shift), 2 2, "(a, n): the bits of an integer moved by n places, to the right if n is negative";
    "bitxor" Bits(self::Bits::Xor), 2 2, "(a, b): the bits that only one of the integers has";
    "cast" Cast, 2 2, "(x, 'int8'): x as a number of this class";
    "circshift" Circshift, 2 2, "(v, n): the elements of a vector moved by n places, around the end";
    "class" ClassOf, 1 1, "(x): the class of x as text, such as 'double'";
    "columns" SizeOf(1), 1 1, "(a): the number of columns";
    "cosd" Of(Unary::Cos, Angle::Argument), 1 1, "(x): cosine of x in degrees";
    "cot" Reciprocal(Unary::Tan), 1 1, "(x): cotangent of x in radians";
    "csc" Reciprocal(Unary::Sin), 1 1, "(x): cosecant of x in radians";
    "cross" Cross, 2 2, "(a, b): the cross product of vectors of 3 elements";
    "cumprod" Cumprod, 1 2, "(v): the products of the elements so far";
    "cumsum" Cumsum, 1 2, "(v): the sums of the elements so far";
    "cumtrapz" Cumtrapz, 1 2, "(x, v): the integral up to each point of a table, by trapezoids";
    "deg2rad" Radians, 1 1, "(x): x · π / 180";
    "det" Det, 1 1, "(a): the determinant of a square matrix";
    "diag" Diag, 1 1, "(a): a diagonal matrix of a vector, or the diagonal of a matrix";
    "diff" Diff, 1 1, "(v): the differences of neighbouring elements";
    "eps" Limit(self::Limit::Spacing), 0 1, "(x): the distance from x to the next larger number; eps is eps(1)";
    "eq" Apply(Binary::Eq), 2 2, "(a, b): a == b";
    "error" Error, 1 16, "('text'): ends the run with the text";
    "eye" Eye, 0 4, "(n): the identity matrix of n rows";
    "false" Truths(false), 0 2, "(n): a matrix of n rows and columns of 0";
    "find" Find, 1 2, "(v): the indices of nonzero elements; find(v, 1) the first of them, also in the run";
    "flip" Flip, 1 1, "(v): the elements of a vector, or the rows of a matrix, in reverse order";
    "fliplr" Fliplr, 1 1, "(a): the columns in reverse order";
    "flipud" Flipud, 1 1, "(a): the rows in reverse order";
    "flintmax" Limit(self::Limit::WholeMax), 0 1, "('single'): the number up to which all integers are held";
    "ge" Apply(Binary::Ge), 2 2, "(a, b): a >= b";
    "gt" Apply(Binary::Gt), 2 2, "(a, b): a > b";
    "horzcat" Horzcat, 1 64, "(a, b, …): [a, b, …]";
    "idivide" Idivide, 2 3, "(a, b, 'floor'): the quotient of integers, rounded towards 0, or as the text says";
    "intmax" Limit(self::Limit::IntegerMax), 0 1, "('int8'): the largest number of a class";
    "intmin" Limit(self::Limit::IntegerMin), 0 1, "('int8'): the smallest number of a class";
    "interp1" Interpolate, 3 5, "(x, v, xq): the table v over x at xq; interp1(x, v, xq, 'nearest', 'extrap')";
    "inv" Inv, 1 1, "(a): the inverse of a square matrix";
    "isa" Isa, 2 2, "(x, 'float'): 1 if x is of this class, or 'float', 'integer' or 'numeric'";
    "ischar" IsOf("char"), 1 1, "(x): 1 if x is a text";
    "iscolumn" Isshape(Shape::Column), 1 1, "(a): 1 if it has one column";
    "isempty" Isempty, 1 1, "(a): 1 if it has no elements, as a persistent variable before it is set";
    "isequal" Isequal, 2 2, "(a, b): 1 if the sizes and all elements are equal";
    "isfield" Isfield, 2 2, "(s, 'speed'): 1 if the structure has this field";
    "isfloat" IsOf("float"), 1 1, "(x): 1 if x is double or single";
    "isinteger" IsOf("integer"), 1 1, "(x): 1 if x is of a class of integers";
    "islogical" IsOf("logical"), 1 1, "(a): 1 if it holds truths";
    "ismatrix" Isshape(Shape::Any), 1 1, "(a): 1";
    "ismember" Ismember, 2 2, "(x, set): 1 where x is an element of the set";
    "isnumeric" IsOf("numeric"), 1 1, "(x): 1 if x holds numbers, not truths";
    "isreal" IsOf("real"), 1 1, "(x): 1 if x holds numbers or truths";
    "isrow" Isshape(Shape::Row), 1 1, "(a): 1 if it has one row";
    "isscalar" Isscalar, 1 1, "(a): 1 if it has one element";
    "issquare" Isshape(Shape::Square), 1 1, "(a): 1 if it has as many rows as columns";
    "isstruct" IsOf("struct"), 1 1, "(x): 1 if x is a structure";
    "isvector" Isvector, 1 1, "(a): 1 if it has one row or one column";
    "kron" Kron, 2 2, "(a, b): the Kronecker product";
    "le" Apply(Binary::Le), 2 2, "(a, b): a <= b";
    "log2" Log2, 1 1, "(x): base-2 logarithm";
    "lt" Apply(Binary::Lt), 2 2, "(a, b): a < b";
    "mean" Mean, 1 2, "(v): the mean of all elements; of a matrix for each column";
    "median" Median, 1 1, "(v): the median of a vector";
    "minus" Apply(Binary::Sub), 2 2, "(a, b): a - b";
    "mldivide" Matrix(MatrixOperator::LeftDivide), 2 2, "(a, b): a \\ b, the solution of a * x = b";
    "mpower" Matrix(MatrixOperator::Power), 2 2, "(a, n): a ^ n";
    "mrdivide" Matrix(MatrixOperator::RightDivide), 2 2, "(a, b): a / b, the solution of x * b = a";
    "mtimes" Matrix(MatrixOperator::Product), 2 2, "(a, b): a * b";
    "ndims" Ndims, 1 1, "(a): 2";
    "ne" Apply(Binary::Ne), 2 2, "(a, b): a ~= b";
    "nnz" Nnz, 1 1, "(a): the number of nonzero elements";
    "norm" Norm, 1 2, "(v), norm(v, 1), norm(v, inf), norm(a, 'fro'): the length of a vector, the norm of a matrix";
    "not" Not, 1 1, "(a): ~a";
    "nthroot" Nthroot, 2 2, "(x, n): the real nth root, for odd n of negative numbers, too";
    "numel" Numel, 1 1, "(a): the number of elements";
    "or" Apply(Binary::Or), 2 2, "(a, b): a | b";
    "plus" Apply(Binary::Add), 2 2, "(a, b): a + b";
    "polyval" Polyval, 2 2, "(p, x): the polynomial with coefficients p, the highest first, at x";
    "power" Apply(Binary::Pow), 2 2, "(a, b): a .^ b";
    "rad2deg" Degrees, 1 1, "(x): x · 180 / π";
    "rdivide" Apply(Binary::Div), 2 2, "(a, b): a ./ b";
    "realmax" Limit(self::Limit::RealMax), 0 1, "('single'): the largest number";
    "realmin" Limit(self::Limit::RealMin), 0 1, "('single'): the smallest number of full precision";
    "repmat" Repmat, 2 3, "(a, m, n): m times n copies of a, side by side";
    "reshape" Reshape, 2 3, "(a, m, n): the elements column after column as m rows and n columns";
    "rms" Rms, 1 2, "(v): the root of the mean of the squares";
    "rows" SizeOf(0), 1 1, "(a): the number of rows";
    "sec" Reciprocal(Unary::Cos), 1 1, "(x): secant of x in radians";
    "sind" Of(Unary::Sin, Angle::Argument), 1 1, "(x): sine of x in degrees";
    "size" Size, 1 2, "(a): the numbers of rows and columns; size(a, 1) the rows";
    "sort" Sort, 1 2, "(v), sort(v, 'descend'): the elements of a vector in order";
    "std" Std, 1 1, "(v): the standard deviation of a sample";
    "strcmp" Strcmp, 2 2, "(a, b): 1 if the texts are equal";
    "struct" Struct, 0 64, "('speed', 1, …): a structure of these fields; it can also be written s.speed = 1";
    "sub2ind" Subscript, 3 3, "(size, i, j): the single index of the element in row i and column j";
    "sumsq" Sumsq, 1 1, "(v): the sum of the squares";
    "tand" Of(Unary::Tan, Angle::Argument), 1 1, "(x): tangent of x in degrees";
    "times" Apply(Binary::Mul), 2 2, "(a, b): a .* b";
    "trace" Trace, 1 1, "(a): the sum of the diagonal";
    "transpose" Transpose, 1 1, "(a): a.'";
    "trapz" Trapz, 1 2, "(x, v): the integral of a table by trapezoids; trapz(v) of points at distance 1";
    "tril" Tril, 1 1, "(a): the lower triangle";
    "triu" Triu, 1 1, "(a): the upper triangle";
    "true" Truths(true), 0 2, "(n): a matrix of n rows and columns of 1";
    "var" Var, 1 1, "(v): the variance of a sample";
    "vertcat" Vertcat, 1 64, "(a, b, …): [a; b; …]";
    "wrapTo180" Wrap(true, true), 1 1, "(x): the angle x in degrees from −180 to 180";
    "wrapTo2Pi" Wrap(false, false), 1 1, "(x): the angle x in radians from 0 to 2·π";
    "wrapTo360" Wrap(true, false), 1 1, "(x): the angle x in degrees from 0 to 360";
    "wrapToPi" Wrap(false, true), 1 1, "(x): the angle x in radians from −π to π";
};

/// All functions: those of the tables of operations, then the others.
pub static FUNCTIONS: LazyLock<Vec<Function>> = LazyLock::new(|| {
    let unary = Unary::ALL.iter().map(|&op| (op.row(), FunctionKind::Unary(op)));
    let binary = Binary::ALL.iter().map(|&op| (op.row(), FunctionKind::Binary(op)));
    let named = |(row, kind): (&'static OperationRow, FunctionKind)| {
        row.functions.iter().map(move |&(name, doc)| Function { name, kind, doc })
    };
    let casts = CLASSES.iter().map(|&(name, class, doc)| Function { name, kind: FunctionKind::Cast(class), doc });
    unary
        .chain(binary)
        .flat_map(named)
        .chain(casts)
        .chain(OTHERS.iter().copied())
        .chain(OF_CODE.iter().copied())
        .collect()
});
