use crate::block::library::discretized::{self, MATRIX_METHODS, PREWARP};
use crate::block::library::linear::{StateSpace, exponential};
use crate::block::limits::MAX_ORDER;
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Discrete State Space",
    doc: "Computes the output of a discrete linear system in state-space form",
    formula: "x[n+1] = A·x + B·u, y = C·x + D·u; or A, B, C, D continuous, discretized with the method \
              (Van Loan: Computing Integrals Involving the Matrix Exponential, 1978)",
    aliases: &[
        "discrete state-space",
        "dlss",
        "abcd",
        "difference equation",
        "zero-order hold",
        "c2d",
        "tustin",
        "discretize",
    ],
    look: Look::rect(Face::Text("x⁺=Ax+Bu")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Given As", &["discrete", "continuous"])
            .doc("Whether the matrices are those of a discrete system, or of a continuous one that is discretized"),
        ParamDef::choice("Method", &MATRIX_METHODS).doc(
            "How a continuous system is discretized; zero-order hold: exact for an input that is held between samples",
        ),
        PREWARP,
        ParamDef::number("A", &[0.5]).vector().fixed().doc("The state matrix, square, row after row"),
        ParamDef::number("B", &[1.0])
            .vector()
            .fixed()
            .doc("The input matrix: a row for each state, a column for each input element"),
        ParamDef::number("C", &[1.0])
            .vector()
            .fixed()
            .doc("The output matrix: a row for each output element, a column for each state"),
        ParamDef::number("D", &[0.0]).vector().fixed().doc("The feedthrough matrix; 0: no direct feedthrough"),
        ParamDef::number("Initial State", &[0.0])
            .vector()
            .doc("The states x₀ at the first sample, one value for all or one for each"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let u = b.input(0);
        let Some(mut system) = StateSpace::of(b, u.width()) else { return b.output(0, u) };
        let is_held = b.settings().choice("Method") == "zero-order hold";
        if discretized::is_continuous(b) && !is_held {
            if !discretized::state_space(b, &mut system) {
                return b.output(0, u);
            }
        } else if discretized::is_continuous(b) {
            let (order, inputs) = (system.order, system.inputs);
            if order + inputs > MAX_ORDER {
                let problem = format!("too large: {order} states and {inputs} inputs are more than {MAX_ORDER}");
                b.refuse("A", problem);
                return b.output(0, u);
            }
            let (a, input) = held(b.settings().numbers("A"), b.settings().numbers("B"), [order, inputs], b.delta());
            (system.a, system.b) = (b.vector(&a), b.vector(&input));
        }
        let x = b.state(system.order, b.param("Initial State"));
        x.next(system.rate(b, x.value, u));
        b.output(0, system.output(b, x.value, u));
    },
    examples: &[
        Example {
            doc: "A pole at 0.5",
            options: &[("Initial State", &["4"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 0.0, 1.0, 1.0]],
            outputs: &[&[4.0, 2.0, 1.0, 1.5]],
        },
        Example {
            doc: "A continuous lag with a time constant of 1/ln 2 s",
            options: &[("Given As", &["continuous"]), ("A", &["-0.6931471805599453"]), ("B", &["0.6931471805599453"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0]],
            outputs: &[&[0.0, 0.5, 0.75]],
        },
        Example {
            doc: "An integrator by the trapezoidal rule",
            options: &[("Given As", &["continuous"]), ("Method", &["tustin"]), ("A", &["0"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0]],
            outputs: &[&[0.5, 1.5, 2.5]],
        },
    ],
};

/// Returns `A` and `B` discretized with a zero-order hold of `time` seconds: the upper rows of exp([[A, B], [0, 0]]·T)
/// (Van Loan: Computing integrals involving the matrix exponential, IEEE Trans. Automatic Control 23, 1978).
fn held(a: &[f64], b: &[f64], [order, inputs]: [usize; 2], time: f64) -> (Vec<f64>, Vec<f64>) {
    let size = order + inputs;
    let mut joined = vec![0.0; size * size];
    for row in 0..order {
        let values = a[row * order..][..order].iter().chain(&b[row * inputs..][..inputs]);
        joined[row * size..][..size].iter_mut().zip(values).for_each(|(to, from)| *to = from * time);
    }
    let result = exponential(&joined, size);
    let part =
        |from: usize, count: usize| (0..order).flat_map(|row| result[row * size + from..][..count].to_vec()).collect();
    (part(0, order), part(order, inputs))
}
