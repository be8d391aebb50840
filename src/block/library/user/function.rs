use crate::block::library::code;
use crate::block::{ARGUMENT_LINES, BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "User",
    name: "Function",
    doc: "Runs code in each step: a function in the common subset of MATLAB, Octave and Scilab, compiled as any block",
    formula: "[outputs] = f(inputs, parameters); persistent variables keep their values between steps",
    aliases: &[
        "matlab function",
        "code",
        "program",
        "algorithm",
        "script",
        "s-function",
        "embedded matlab",
        "scifunc_block_m",
        "mathscript",
        "interpreted function",
        "user defined",
        "stateflow",
        "state machine",
        "finite state machine",
        "state chart",
    ],
    look: Look::rect(Face::Text("f(x)")),
    inputs: Ports::By(code::inputs),
    outputs: Ports::By(code::outputs),
    params: &[
        ParamDef::code(code::CODE, "function y = f(u)\n  y = u;\nend").doc(
            "The function, with local functions below it, or its statements alone; t is the time in seconds, dt the step size; \
             an argument with a value of its own is a parameter, the others are inputs",
        ),
        ParamDef::formula(ARGUMENT_LINES, "", "")
            .doc("Lines kp = 2 for arguments that are no inputs and have no option of their own; a vector is a column"),
        ParamDef::text(code::INPUT_SIZES, "")
            .doc("The sizes of inputs that are matrices or rows, such as A: 3x3; v: 1x4, row after row; others are columns"),
        ParamDef::integer(code::LOOP_LIMIT, 100, 1, 10_000)
            .doc("The rounds of a loop that decides in the run how often it runs; one that goes on ends the run"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: code::build,
    examples: &[
        Example {
            doc: "Two outputs, of which one depends on a condition",
            options: &[(
                code::CODE,
                &["function [r, side] = polar(x, y)\n  r = hypot(x, y);\n  if x < 0\n    side = -1;\n  else\n    side = 1;\n  end\nend"],
            )],
            delta: 1.0,
            widths: &[],
            inputs: &[&[3.0, -3.0], &[4.0, 4.0]],
            outputs: &[&[5.0, 5.0], &[1.0, -1.0]],
        },
        Example {
            doc: "The maximum so far, and how often it increased",
            options: &[(
                code::CODE,
                &["function [y, times] = peak(u)\n  persistent best count\n  if isempty(best)\n    best = -inf;\n    count = 0;\n  end\n  \
                   if u > best\n    best = u;\n    count = count + 1;\n  end\n  y = best;\n  times = count;\nend"],
            )],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 3.0, 2.0, 5.0]],
            outputs: &[&[1.0, 3.0, 3.0, 5.0], &[1.0, 2.0, 2.0, 3.0]],
        },
        Example {
            doc: "A sum of ten terms: u·(1 + 1/2 + … + 1/10)",
            options: &[(code::CODE, &["y = 0;\nfor k = 1:10\n  y = y + u / k;\nend"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, -2520.0]],
            outputs: &[&[7381.0 / 2520.0, -7381.0]],
        },
        Example {
            doc: "A parameter, a matrix and a local function",
            options: &[
                (code::CODE, &["function y = f(u, k)\n  y = turn([u; k]);\nend\nfunction z = turn(v)\n  z = [0 -1; 1 0] * v;\nend"]),
                ("k", &["2"]),
            ],
            delta: 1.0,
            widths: &[],
            inputs: &[&[3.0, 5.0]],
            outputs: &[&[-2.0, 3.0, -2.0, 5.0]],
        },
    ],
};
