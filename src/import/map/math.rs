//! Mathematical operations.

use super::block::Cx;
use super::made::{Ends, Made, library};
use super::row::{How, Row, unchanged};

pub const ROWS: &[Row] = &[
    ("Gain", How::By(gain)),
    ("Sum", How::By(sum)),
    ("Product", How::By(product)),
    ("Abs", How::Same("Math", "Abs", &[])),
    ("Signum", How::Same("Math", "Sign", &[])),
    ("UnaryMinus", How::Same("Math", "Unary Minus", &[])),
    ("Bias", How::Same("Math", "Bias", &[("Bias", "Bias")])),
    ("DotProduct", How::Same("Math", "Dot Product", &[])),
    ("Math", How::By(function)),
    ("Sqrt", How::By(sqrt)),
    ("Trigonometry", How::By(trigonometry)),
    ("Rounding", How::By(rounding)),
    ("MinMax", How::By(min_max)),
    ("Reshape", How::By(reshape)),
    ("Concatenate", How::By(concatenate)),
    ("PermuteDimensions", How::By(permute)),
    ("Assignment", How::By(assignment)),
    ("SampleTimeMath", How::By(sample_time_math)),
    ("Polyval", How::Same("Math", "Polynomial", &[("Coefficients", "Coefs")])),
    ("SliderGain", How::By(slider_gain)),
    ("CrossProduct", How::Same("Matrix", "Cross Product", &[])),
    ("Squeeze", How::By(|_| Ok(unchanged()))),
    ("Find", How::Missing("the size of its output changes in a run")),
    ("AlgebraicConstraint", How::Missing("a signal that an equation determines has no counterpart")),
    ("ComplexToRealImag", How::Missing("complex signals are not there")),
    ("RealImagToComplex", How::Missing("complex signals are not there")),
    ("MagnitudeAngleToComplex", How::Missing("complex signals are not there")),
    ("ComplexToMagnitudeAngle", How::Missing("complex signals are not there")),
];

pub const LIBRARY: &[Row] = &[
    ("Slider Gain", How::By(slider_gain)),
    (
        "Radians to Degrees",
        How::By(|_| Ok(library("Signal", "Unit Conversion").with_option("Conversion", &["rad to deg"]).into())),
    ),
    (
        "Degrees to Radians",
        How::By(|_| Ok(library("Signal", "Unit Conversion").with_option("Conversion", &["deg to rad"]).into())),
    ),
    (
        "Celsius to Fahrenheit",
        How::By(|_| Ok(library("Signal", "Unit Conversion").with_option("Conversion", &["°C to °F"]).into())),
    ),
    (
        "Fahrenheit to Celsius",
        How::By(|_| Ok(library("Signal", "Unit Conversion").with_option("Conversion", &["°F to °C"]).into())),
    ),
    ("Create 3x3 Matrix", How::By(|_| Ok(library("Routing", "Mux").with_option("Inputs", &["9"]).into()))),
    ("Cross Product", How::Same("Matrix", "Cross Product", &[])),
    ("3x3 Cross Product", How::Same("Matrix", "Cross Product", &[])),
    ("Invert 3x3 Matrix", How::Same("Matrix", "Inverse", &[])),
    ("Determinant of 3x3 Matrix", How::Same("Matrix", "Determinant", &[])),
    ("Increment Real World", How::By(|_| Ok(library("Math", "Increment").into()))),
    ("Increment Stored Integer", How::By(|_| Ok(library("Math", "Increment").into()))),
    (
        "Decrement Real World",
        How::By(|_| Ok(library("Math", "Increment").with_option("Function", &["decrement"]).into())),
    ),
    (
        "Decrement Stored Integer",
        How::By(|_| Ok(library("Math", "Increment").with_option("Function", &["decrement"]).into())),
    ),
    (
        "Decrement To Zero",
        How::By(|_| Ok(library("Math", "Increment").with_option("Function", &["decrement to zero"]).into())),
    ),
    (
        "Decrement Time To Zero",
        How::By(|_| Ok(library("Math", "Increment").with_option("Function", &["decrement time to zero"]).into())),
    ),
    ("Create Diagonal Matrix", How::Same("Matrix", "Create Diagonal Matrix", &[])),
    ("Extract Diagonal", How::By(|cx| of_matrix(cx, "Extract Diagonal"))),
    ("Matrix Square", How::By(|cx| of_matrix(cx, "Matrix Square"))),
    ("Hermitian Transpose", How::By(|cx| of_matrix(cx, "Transpose"))),
    ("Transpose", How::By(|cx| of_matrix(cx, "Transpose"))),
    ("Is Symmetric", How::Same("Matrix", "Matrix Test", &[])),
    ("Cartesian to Polar", How::By(|_| Ok(transformed("r = hypot(x, y)\nangle = atan2(y, x)", "x y")))),
    ("Polar to Cartesian", How::By(|_| Ok(transformed("x = r * cos(angle)\ny = r * sin(angle)", "r angle")))),
    ("Algebraic Constraint", How::Missing("a signal that an equation determines has no counterpart")),
    ("MinMax Running Resettable", How::By(running)),
    ("Unary Minus", How::Same("Math", "Unary Minus", &[])),
];

/// A block that takes a matrix, whose number of rows it states here.
fn of_matrix(cx: &mut Cx, name: &str) -> Result<Made, String> {
    let (rows, _) = cx.shape(0).ok_or("the size of the matrix is not in the file")?;
    Ok(library("Matrix", name).with_option("Rows", &[rows.to_string()]).into())
}

/// A formula of several inputs and outputs.
fn transformed(lines: &str, inputs: &str) -> Made {
    library("User", "Formula").with_option("Formula", &[lines]).with_option("Inputs", &[inputs]).into()
}

fn gain(cx: &mut Cx) -> Result<Made, String> {
    let value = cx.expression("Gain")?;
    cx.note_type();
    let order = cx.text("Multiplication").to_owned();
    let is_scalar = value.value.as_ref().is_some_and(|value| value.values.len() == 1);
    if is_scalar || !order.starts_with("Matrix") {
        return Ok(library("Math", "Gain").with_option("Gain", &[value.text]).into());
    }
    // The size of the input follows from that of the matrix, if the input is a vector.
    let is_left = !order.contains("u*K");
    let block = library("Matrix", "Matrix Gain").with_option("Gain", &[value.text]);
    let mut block = block.with_option("Order", &[if is_left { "K·u" } else { "u·K" }]);
    match cx.shape(0) {
        Some((rows, _)) if !is_left => block = block.with_option("Rows", &[rows.to_string()]),
        Some((_, columns)) if is_left => block = block.with_option("Columns", &[columns.to_string()]),
        _ if order.contains("u vector") => {}
        _ => cx.note("the size of the input is not in the file: it counts as a vector"),
    }
    Ok(block.into())
}

/// The signs of a parameter that is a number of inputs or a text with a sign for each.
fn signs(cx: &mut Cx, name: &str, positive: char) -> Result<String, String> {
    let text: String = cx.text(name).chars().filter(|c| !c.is_whitespace() && *c != '|').collect();
    if !text.is_empty() && text.chars().all(|c| "+-*/".contains(c)) {
        return Ok(text);
    }
    let count = cx.count(name)?.max(1);
    Ok(positive.to_string().repeat(count))
}

fn sum(cx: &mut Cx) -> Result<Made, String> {
    let signs = signs(cx, "Inputs", '+')?;
    cx.note_type();
    Ok(library("Math", "Sum").with_option("Signs", &[signs]).into())
}

fn product(cx: &mut Cx) -> Result<Made, String> {
    let operations = signs(cx, "Inputs", '*')?;
    cx.note_type();
    if cx.text("Multiplication").starts_with("Matrix") {
        return match &*operations {
            "**" => match (cx.shape(0), cx.shape(1)) {
                (Some((1, 1)), _) | (_, Some((1, 1))) => {
                    Ok(library("Math", "Product").with_option("Operations", &["**"]).into())
                }
                (Some((rows, _)), Some((_, columns))) => {
                    let block = library("Matrix", "Matrix Multiply").with_option("Rows", &[rows.to_string()]);
                    Ok(block.with_option("Columns", &[columns.to_string()]).into())
                }
                (Some((rows, _)), None) => {
                    cx.note("the second factor counts as a column");
                    Ok(library("Matrix", "Matrix Multiply").with_option("Rows", &[rows.to_string()]).into())
                }
                _ => {
                    cx.note("the sizes of the matrices are not in the file: they count as a row and a column");
                    Ok(library("Matrix", "Matrix Multiply").into())
                }
            },
            "/*" => {
                if cx.shape(1).is_none_or(|(_, columns)| columns != 1) {
                    cx.note("the second input counts as a column");
                }
                Ok(library("Matrix", "Solve").into())
            }
            "/" => Ok(library("Matrix", "Inverse").into()),
            "*" => Ok(unchanged()),
            _ => Err(format!("a product of matrices {operations} has no counterpart")),
        };
    }
    Ok(library("Math", "Product").with_option("Operations", &[operations]).into())
}

fn function(cx: &mut Cx) -> Result<Made, String> {
    let operator = cx.any(&["Operator", "Function"]).to_owned();
    let ours = match &*operator {
        "exp" | "log10" | "10^u" | "square" | "sqrt" | "pow" | "hypot" | "rem" | "mod" => &*operator,
        "log" => "ln",
        "magnitude^2" => "square",
        "reciprocal" => "1/u",
        "rSqrt" | "1/sqrt" => "1/sqrt",
        "conj" => return Ok(unchanged()),
        "transpose" | "hermitian" => {
            return Ok(transposed(cx));
        }
        _ => return Err(format!("the function {operator} has no counterpart")),
    };
    Ok(library("Math", "Function").with_option("Function", &[ours]).into())
}

/// A transposition, of a matrix whose rows are known.
fn transposed(cx: &mut Cx) -> Made {
    let block = library("Matrix", "Transpose");
    match cx.shape(0) {
        Some((rows, _)) => block.with_option("Rows", &[rows.to_string()]).into(),
        None => {
            cx.note("the size of the matrix is not in the file: it counts as a vector, which stays as it is");
            block.into()
        }
    }
}

fn sqrt(cx: &mut Cx) -> Result<Made, String> {
    let ours = match cx.any(&["Operator", "Function"]) {
        "signedSqrt" => "signed",
        "rSqrt" => "reciprocal",
        _ => "sqrt",
    };
    Ok(library("Math", "Sqrt").with_option("Function", &[ours]).into())
}

fn trigonometry(cx: &mut Cx) -> Result<Made, String> {
    let operator = cx.any(&["Operator", "Function"]).to_owned();
    if operator.starts_with("cos +") {
        return Err("complex signals are not there".to_owned());
    }
    Ok(library("Math", "Trigonometry").with_option("Function", &[operator]).into())
}

fn rounding(cx: &mut Cx) -> Result<Made, String> {
    let operator = cx.any(&["Operator", "Function"]).to_owned();
    Ok(library("Math", "Rounding").with_option("Function", &[operator]).into())
}

fn min_max(cx: &mut Cx) -> Result<Made, String> {
    let function = cx.text("Function").to_owned();
    let inputs = cx.count("Inputs")?.max(1);
    Ok(library("Math", "MinMax")
        .with_option("Function", &[function])
        .with_option("Inputs", &[inputs.to_string()])
        .into())
}

fn reshape(cx: &mut Cx) -> Result<Made, String> {
    if cx.text("OutputDimensionality").starts_with("Derive") || cx.text("OutputDimensionality").starts_with("Customize")
    {
        cx.note("the elements keep their order by rows");
    }
    Ok(unchanged())
}

fn concatenate(cx: &mut Cx) -> Result<Made, String> {
    let inputs = cx.count("NumInputs")?.max(1).to_string();
    let is_vector = cx.text("Mode") == "Vector" || !cx.text("Mode").starts_with("Multi");
    if is_vector {
        return Ok(library("Routing", "Mux").with_option("Inputs", &[inputs]).into());
    }
    let direction = match cx.numbers("ConcatenateDimension")?.first() {
        Some(1.0) => "vertical",
        Some(2.0) => "horizontal",
        _ => return Err("matrices of more than two dimensions are not there".to_owned()),
    };
    // One below the other, rows after rows, is the order of the elements already.
    if direction == "vertical" {
        return Ok(library("Routing", "Mux").with_option("Inputs", &[inputs]).into());
    }
    let block = library("Matrix", "Matrix Concatenate").with_option("Inputs", &[inputs]);
    let block = block.with_option("Direction", &[direction]);
    match (0..cx.wired_inputs).find_map(|input| cx.shape(input)) {
        Some((rows, _)) => Ok(block.with_option("Rows", &[rows.to_string()]).into()),
        None => {
            cx.note("the sizes of the inputs are not in the file: they count as rows");
            Ok(block.into())
        }
    }
}

fn permute(cx: &mut Cx) -> Result<Made, String> {
    let order = cx.numbers("Order")?;
    if order != [2.0, 1.0] {
        return Err("matrices of more than two dimensions are not there".to_owned());
    }
    Ok(transposed(cx))
}

fn assignment(cx: &mut Cx) -> Result<Made, String> {
    if cx.number("NumberOfDimensions")? != 1.0 {
        return Err("an assignment to a matrix has no counterpart".to_owned());
    }
    let first = if cx.text("IndexMode").starts_with("Zero") { "0" } else { "1" };
    let options = cx.any(&["IndexOptions", "IndexOptionArray"]).to_owned();
    let indices = super::routing::index_text(cx)?;
    if !options.contains("Index vector (dialog)") && !options.contains("Starting index (dialog)") {
        return Err("the elements are chosen by a signal".to_owned());
    }
    let value = cx.expression_of(&indices)?;
    Ok(library("Math", "Assignment").with_option("First Index", &[first]).with_option("Indices", &[value.text]).into())
}

fn sample_time_math(cx: &mut Cx) -> Result<Made, String> {
    let operation = match cx.text("TsampMathOp") {
        "-" => "-",
        "*" => "*",
        "/" | "Divide" => "/",
        "Ts Only" | "1/Ts Only" => return Err("it outputs the sample time alone".to_owned()),
        _ => "+",
    };
    let mut block = library("Math", "Weighted Sample Time").with_option("Operation", &[operation]);
    cx.set_unless_empty(&mut block, "Weight", "weightValue")?;
    Ok(block.into())
}

fn slider_gain(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Math", "Slider Gain");
    for (option, names) in [("Low", ["low", "Low"]), ("Gain", ["gain", "Gain"]), ("High", ["high", "High"])] {
        let text = cx.any(&names).to_owned();
        if !text.is_empty() {
            block.set_option(option, Some(&[cx.expression_of(&text)?.text]));
        }
    }
    Ok(block.into())
}

fn running(cx: &mut Cx) -> Result<Made, String> {
    let function = if cx.any(&["Function", "fcn"]) == "min" { "min" } else { "max" };
    let mut block = library("Math", "Running MinMax").with_option("Function", &[function]);
    cx.set_unless_empty(&mut block, "Initial Value", "vinit")?;
    let inputs = vec![(0, "Input".into()), (0, "Reset".into())];
    Ok(Made {
        parts: vec![block],
        ends: Ends::Listed { inputs, outputs: vec![(0, "Output".into())] },
        ..Made::default()
    })
}
