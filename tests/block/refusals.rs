//! What blocks refuse: each message of the library is met by a block with such options and inputs.

use std::path::{Path, PathBuf};

use simulate::block::Registry;
use simulate::engine::diagnose;

use crate::sketch::Sketch;

type Options<'a> = &'a [(&'a str, &'a [&'a str])];

/// Stands for the bus of a.x, a.y and b.x, in place of the width of an input.
const BUS: usize = 0;

/// Returns the errors of a simulation with this block, whose inputs have so many elements.
pub fn refused(block: &str, options: Options, inputs: &[(&str, usize)]) -> Vec<String> {
    let mut sketch = Sketch::new(1.0).block(1, block, options);
    for (id, (input, width)) in (10..).zip(inputs) {
        sketch = match *width {
            BUS => sketch
                .block(90, "Routing/Bus Creator", &[("Names", &["x y"])])
                .block(91, "Routing/Bus Creator", &[("Names", &["x"])])
                .block(id, "Routing/Bus Creator", &[("Names", &["a b"])])
                .wire("90.Bus", &format!("{id}.a"))
                .wire("91.Bus", &format!("{id}.b")),
            width => sketch.block(id, "Var/Static", &[("Value", &[&format!("ones({width})")])]),
        };
        let output = if *width == BUS { "Bus" } else { "Output" };
        sketch = sketch.wire(&format!("{id}.{output}"), &format!("1.{input}"));
    }
    let found = diagnose(&sketch.simulation, &Registry::standard());
    found.into_iter().filter(|problem| problem.is_error()).map(|problem| problem.message).collect()
}

/// The message, the block, its options, and the widths of its inputs.
type Row<'a> = (&'a str, &'a str, Options<'a>, &'a [(&'a str, usize)]);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("the input has 3 elements, 2 are required", "Signal/Signal Specification", &[("Width", &["2"])], &[("Input", 3)]),
    ("the function has no argument “k”", "User/Function", &[("Parameters", &["k = 1"])], &[("u", 1)]),
    ("“u: 3” is no size of an input, such as A: 3x3", "User/Function", &[("Input Sizes", &["u: 3"])], &[("u", 1)]),
    ("the function has no input “k”", "User/Function", &[("Input Sizes", &["k: 1x1"])], &[("u", 1)]),
    (
        "“u” has 3 elements, which are no matrix of 2×2",
        "User/Function",
        &[("Input Sizes", &["u: 2x2"])],
        &[("u", 3)],
    ),
    ("there is no line z' = … in the equations", "User/ODE",
        &[("Equations", &["x' = u"]), ("Initial Values", &["z = 1"])], &[("u", 1)]),
    ("“x” has a line with its rate of change already", "User/ODE", &[("Equations", &["x' = u; x = 1"])], &[("u", 1)]),
    ("“y'” is a rate of change; differential equations need the block ODE", "User/Formula",
        &[("Formula", &["y' = u"])], &[("u", 1)]),
    ("“y'” is a rate of change; differential equations need the block ODE", "Var/Waveform",
        &[("Formula", &["y' = t"])], &[]),
    ("there is no element 4; the elements are 1 to 3", "Routing/Selector", &[("Indices", &["4"])], &[("Input", 3)]),
    ("there are more zeros than poles", "Continuous/Zero-Pole",
        &[("Zeros", &["-1 -2"]), ("Poles", &["-3"])], &[("Input", 1)]),
    ("two elements of the bus would have the name “x”", "Routing/Bus Selector",
        &[("Elements", &["a.x b.x"]), ("Output", &["bus"])], &[("Bus", BUS)]),
    ("their sum is 2, but the input has 3 elements", "Routing/Demux", &[("Widths", &["1", "1"])], &[("Input", 3)]),
    ("an element is replaced twice: alone and as a part of another", "Routing/Bus Assignment",
        &[("Elements", &["a a.x"])], &[("Input Bus", BUS), ("a", 2), ("a.x", 1)]),
    ("“+*” is not a sequence of + and -", "Math/Sum", &[("Signs", &["+*"])], &[]),
    ("“*+” is not a sequence of * and /", "Math/Product", &[("Operations", &["*+"])], &[]),
    ("there are 2 indices for 3 new elements", "Math/Assignment",
        &[("Indices", &["1", "2"])], &[("Vector", 3), ("Elements", 3)]),
    ("an output that is limited does not wrap around; choose one of the two", "Continuous/Integrator",
        &[("Limited", &["1"]), ("Wrapped", &["1"])], &[("Input", 1)]),
    ("3 values do not fit a system of order 2", "Continuous/Zero-Pole",
        &[("Poles", &["-1 -2"]), ("Initial Output", &["1", "2", "3"])], &[("Input", 1)]),
    ("a system of order 101 has none; the limit is 100", "Continuous/Transfer Function",
        &[("Denominator", &["ones(102)"]), ("Initial Output", &["1"])], &[("Input", 1)]),
    ("a zero cancels a pole, so that the output does not determine all states", "Continuous/Transfer Function",
        &[("Numerator", &["1", "1"]), ("Denominator", &["1", "3", "2"]), ("Initial Output", &["1"])], &[("Input", 1)]),
    ("at least one coefficient must be nonzero", "Continuous/Transfer Function",
        &[("Denominator", &["0", "0"])], &[("Input", 1)]),
    ("its degree must not exceed that of the denominator", "Continuous/Transfer Function",
        &[("Numerator", &["1", "0", "0"])], &[("Input", 1)]),
    ("it is written as 2×1, but must be 1×2", "Continuous/State Space",
        &[("A", &["[1 2; 3 4]"]), ("B", &["1", "2"]), ("C", &["[1; 2]"])], &[("Input", 1)]),
    ("3 elements do not make 2 rows of 1", "Continuous/State Space",
        &[("A", &["[1 2; 3 4]"]), ("B", &["1", "2", "3"]), ("C", &["1", "2"])], &[("Input", 1)]),
    ("it must be above the lower limit, and both must be finite", "Statistics/Histogram",
        &[("Lower Limit", &["1"]), ("Upper Limit", &["1"])], &[("Input", 1)]),
    ("there is no name", "Routing/Bus Creator", &[("Names", &[""])], &[]),
    ("“a” is there twice", "Routing/Bus Creator", &[("Names", &["a a"])], &[]),
    ("“1x” is not a name: a letter or _, then letters, digits and _", "Routing/Bus Creator", &[("Names", &["1x"])], &[]),
    ("the input is a bus already, of a", "Routing/Bus Selector",
        &[("Elements", &["c"]), ("Input Names", &["c d e"])], &[("Bus", BUS)]),
    ("the delay is 10000001 steps; the limit is 10000000", "Continuous/Variable Time Delay",
        &[("Longest Delay", &["10000001"])], &[("Input", 1), ("Delay", 1)]),
    ("the delay is 10000001 steps; the limit is 10000000", "Continuous/Transport Delay",
        &[("Delay", &["10000001"])], &[("Input", 1)]),
    ("there are fewer breakpoints than the sizes require", "Lookup/n-D Lookup Table",
        &[("Breakpoints", &["0", "1", "0"])], &[("Input 1", 1), ("Input 2", 1)]),
    ("there are 1 more breakpoints than the sizes require", "Lookup/n-D Lookup Table",
        &[("Breakpoints", &["0", "1", "0", "1", "2"])], &[("Input 1", 1), ("Input 2", 1)]),
    ("the breakpoints must increase, but 0 comes after 1", "Lookup/Prelookup",
        &[("Breakpoints", &["1", "0"])], &[("Input", 1)]),
    ("at least two breakpoints are needed", "Lookup/Prelookup", &[("Breakpoints", &["1"])], &[("Input", 1)]),
    ("2 values do not fill a table of 3", "Lookup/Direct Lookup Table", &[("Table", &["4", "5"])], &[("Index 1", 1)]),
    ("at least two points of different times are needed", "Var/Repeating Sequence",
        &[("Times", &["0"]), ("Values", &["0"])], &[]),
    ("at least two points of different times are needed", "Var/Repeating Sequence",
        &[("Times", &["2", "2"]), ("Values", &["0", "1"])], &[]),
    ("a matrix of 200×200 is too large; the limit is 100×1000", "Matrix/Singular Values", &[("Rows", &["200"])], &[("Input", 40_000)]),
    ("3 from there on exceed the 2 of the matrix", "Matrix/Submatrix",
        &[("Rows", &["2"]), ("Row Count", &["3"])], &[("Input", 4)]),
    ("it must be below half the sampling rate, which is 0.5 Hz", "Discrete/Digital Filter Design",
        &[("Frequency", &["0.5"])], &[("Input", 1)]),
    ("it must be below half the sampling rate, which is 0.5 Hz", "Discrete/Digital Filter Design",
        &[("Type", &["band pass"]), ("Upper Frequency", &["0.5"])], &[("Input", 1)]),
    ("the first coefficient must not be 0", "Discrete/Discrete Filter", &[("Denominator", &["0", "1"])], &[("Input", 1)]),
    ("5 numbers in rows of 6 are not rows of 6", "Discrete/Biquad Cascade",
        &[("Sections", &["1", "0", "0", "1", "0"])], &[("Input", 1)]),
    ("3 values are given; 1 or 2 are needed", "Discrete/Biquad Cascade",
        &[("Initial State", &["1", "2", "3"])], &[("Input", 1)]),
    ("a₀ of row 1 must not be 0", "Discrete/Biquad Cascade",
        &[("Sections", &["1", "0", "0", "0", "1", "0"])], &[("Input", 1)]),
    ("2 elements are given, 1 are needed", "Discrete/Kalman Filter",
        &[("B", &["1", "2"])], &[("Input", 1), ("Measurement", 1)]),
    ("one number or 1 are needed", "Discrete/Kalman Filter",
        &[("Initial Covariance", &["1", "2"])], &[("Input", 1), ("Measurement", 1)]),
    ("it must be below half the sampling rate, which is 0.5 Hz", "Discrete/Discrete Notch Filter",
        &[("Frequency", &["0.5"])], &[("Input", 1)]),
    ("the width of the band must be below half the sampling rate", "Discrete/Discrete Notch Filter",
        &[("Quality Factor", &["0.2"])], &[("Input", 1)]),
    ("3 values do not make the rows for 1 inputs", "Logic/Combinatorial Logic",
        &[("Table", &["0", "1", "2"])], &[("Input", 1)]),
    ("3 elements do not make 2 rows", "Matrix/Transpose", &[("Rows", &["2"])], &[("Input", 3)]),
    ("2×2 times 3×1 is not defined: 2 columns do not match 3 rows", "Matrix/Matrix Multiply",
        &[("Rows", &["2"]), ("Columns", &["1"])], &[("A", 4), ("B", 3)]),
    ("the breakpoints must increase, but 0 comes after 0.5", "Lookup/1-D Lookup Table",
        &[("Breakpoints", &["0.5", "0"]), ("Table", &["1", "2"])], &[("Input", 1)]),
    ("the breakpoint 2 is there three times; twice makes a jump, once a point of the curve", "Lookup/1-D Lookup Table",
        &[("Breakpoints", &["0", "2", "2", "2"]), ("Table", &["1", "2", "3", "4"])], &[("Input", 1)]),
    ("the breakpoint 1 is there three times; twice makes a jump, once a point of the curve", "Lookup/Prelookup",
        &[("Breakpoints", &["1", "1", "1"])], &[("Input", 1)]),
    ("the breakpoint 1 is there three times; twice makes a jump, once a point of the curve", "Var/Piecewise",
        &[("Times", &["1", "1", "1"]), ("Values", &["1", "2", "3"])], &[]),
    ("a smooth curve has no jump, but two breakpoints are equal; choose “linear”", "Lookup/1-D Lookup Table",
        &[("Breakpoints", &["0", "2", "2"]), ("Table", &["1", "2", "3"]), ("Interpolation", &["makima"])], &[("Input", 1)]),
    ("a smooth curve has no jump, but two breakpoints are equal; choose “linear”", "Lookup/2-D Lookup Table",
        &[("Breakpoints 1", &["0", "1"]), ("Breakpoints 2", &["1", "1"]), ("Interpolation", &["spline"])],
        &[("Input 1", 1), ("Input 2", 1)]),
    ("a smooth curve has no jump, but two breakpoints are equal; choose “linear”", "Var/Repeating Sequence",
        &[("Times", &["0", "1", "1"]), ("Values", &["1", "2", "3"]), ("Interpolation", &["spline"])], &[]),
    ("3 values do not fill a table of 2", "Lookup/1-D Lookup Table",
        &[("Breakpoints", &["0", "1"]), ("Table", &["1", "2", "3"])], &[("Input", 1)]),
    ("it has 2 rows, but there are 3 breakpoints", "Lookup/2-D Lookup Table",
        &[("Breakpoints 1", &["0", "1", "2"]), ("Breakpoints 2", &["0", "1"]), ("Table", &["[1 2 3; 4 5 6]"])],
        &[("Input 1", 1), ("Input 2", 1)]),
    ("11 dimensions are too many; the limit is 10", "Lookup/n-D Lookup Table",
        &[("Sizes", &["1"; 11]), ("Breakpoints", &["0"; 11]), ("Table", &["1"])], &[]),
    ("this interpolation is not available for a table of so many dimensions", "Lookup/n-D Lookup Table",
        &[
            ("Sizes", &["2"; 5]),
            ("Breakpoints", &["0", "1", "0", "1", "0", "1", "0", "1", "0", "1"]),
            ("Table", &["1"; 32]),
            ("Interpolation", &["spline"]),
        ],
        &[]),
    ("it must be above the passband ripple", "Continuous/Analog Filter Design",
        &[("Design", &["elliptic"]), ("Passband Ripple", &["3"]), ("Stopband Attenuation", &["2"])], &[("Input", 1)]),
    ("it must be above the lower frequency", "Continuous/Butterworth Filter",
        &[("Type", &["band pass"]), ("Frequency", &["10"])], &[("Input", 1)]),
    ("is not a multiple of", "Discrete/First-Order Hold", &[("Sampling Interval", &["1.5"])], &[("Input", 1)]),
    ("the input 1 takes 9 elements, not the 5", "Matrix/Determinant", &[], &[("Input", 5)]),
    ("the input 1 takes 3 elements, not the 2", "Matrix/Cross Product", &[], &[("A", 2), ("B", 3)]),
    ("the input 2 takes 3 elements, not the 2", "Matrix/Cross Product", &[], &[("A", 3), ("B", 2)]),
    ("the input 2 takes 2 elements, not the 3", "Matrix/Solve", &[], &[("A", 4), ("B", 3)]),
    ("the input 1 takes 53 elements, not the 54", "Logic/Bits To Integer", &[], &[("Input", 54)]),
    ("the input 1 takes 2 elements, not the 3", "Routing/Bus Selector",
        &[("Elements", &["a"]), ("Input Names", &["a b"])], &[("Bus", 3)]),
    ("the input 2 takes 2 elements, not the 3", "Routing/Bus Assignment",
        &[("Elements", &["a"])], &[("Input Bus", BUS), ("a", 3)]),
];

#[test]
fn blocks_refuse_what_they_cannot_compute() {
    let mut wrong = Vec::new();
    for (message, block, options, inputs) in ROWS {
        let said = refused(block, options, inputs);
        if !said.iter().any(|said| said.contains(message)) {
            wrong.push(format!("{block} with {options:?}: {said:?} is not “{message}”"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The blocks that read a file, whose messages the tests of files and FMUs have.
const OF_FILES: [&str; 2] = ["fmu.rs", "from_file.rs"];

#[test]
fn every_refusal_of_the_library_has_a_row() {
    let mut files = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/block/library")];
    let mut count = 0;
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(std::fs::read_dir(path).expect("the folder").map(|entry| entry.expect("a file").path()));
            continue;
        }
        if OF_FILES.iter().any(|file| path.ends_with(file)) {
            continue;
        }
        for message in refusals(&std::fs::read_to_string(&path).expect("the source")) {
            count += 1;
            let pieces: Vec<&str> = message.split(['{', '}']).step_by(2).collect();
            assert!(ROWS.iter().any(|(text, ..)| has(text, &pieces)), "no row for “{message}” of {}", name(&path));
        }
    }
    assert!(count > 40, "{count} refusals are found in the source");
}

/// Whether a text has these pieces in this order.
fn has(text: &str, pieces: &[&str]) -> bool {
    let mut rest = Some(text);
    pieces.iter().for_each(|piece| rest = rest.and_then(|rest| rest.split_once(piece)).map(|(_, behind)| behind));
    rest.is_some()
}

/// Returns the literal messages in calls of `refuse` in a source file.
fn refusals(source: &str) -> Vec<&str> {
    let message = |call: &'_ str| -> Option<(usize, usize)> {
        // The parameter may be a literal too, which has no comma.
        let begin = call.find(',')? + 1;
        let open = begin + call[begin..].find('"')?;
        let is_literal = matches!(call[begin..open].trim(), "" | "format!(");
        is_literal.then(|| Some((open + 1, open + 1 + call[open + 1..].find('"')?)))?
    };
    let calls = source.match_indices(".refuse(").map(|(at, _)| &source[at..]);
    calls.filter_map(|call| message(call).map(|(from, to)| &call[from..to])).collect()
}

fn name(path: &Path) -> std::borrow::Cow<'_, str> {
    path.file_name().expect("a file").to_string_lossy()
}
