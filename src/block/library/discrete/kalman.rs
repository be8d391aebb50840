use crate::block::library::matrix_math::{multiply, solve, transpose};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Kalman Filter",
    doc: "Estimates the states of a noisy linear system from its measurements",
    formula: "x̂ = x⁻ + K·(y − C·x⁻), K = P·C'·(C·P·C' + R)⁻¹, P⁺ = (I − KC)·P·(I − KC)' + K·R·K'; x⁻ = A·x̂ + B·u, P = A·P⁺·A' + Q \
              (Simon: Optimal State Estimation, 2006, chapter 5)",
    aliases: &["observer", "estimator", "state estimation", "kalmanfilter", "lqg"],
    look: Look::rect(Face::Text("x̂")),
    inputs: Ports::Fixed(&["Input", "Measurement"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("A", &[1.0]).vector().doc("The state matrix, square, row after row"),
        ParamDef::number("B", &[1.0])
            .vector()
            .doc("The input matrix: a row for each state, a column for each input element"),
        ParamDef::number("C", &[1.0])
            .vector()
            .doc("The measurement matrix: a row for each measured element, a column for each state"),
        ParamDef::number("Q", &[0.01]).vector().doc("The covariance matrix of the process noise"),
        ParamDef::number("R", &[1.0]).vector().doc("The covariance matrix of the measurement noise"),
        ParamDef::number("Initial State", &[0.0])
            .vector()
            .doc("The state estimate before the first sample, one value for all or one for each"),
        ParamDef::number("Initial Covariance", &[1.0])
            .vector()
            .doc("The covariance of that estimate: a matrix, or one number for the diagonal"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let (u, y) = (b.input(0), b.input(1));
        let length = |name: &str| b.settings().numbers(name).len();
        let n = (1..=MAX_STATES).find(|n| n * n >= length("A")).unwrap_or(MAX_STATES);
        let (m, p) = (u.width(), y.width());
        for (name, wanted) in [("A", n * n), ("B", n * m), ("C", p * n), ("Q", n * n), ("R", p * p)] {
            if length(name) != wanted {
                b.refuse(name, format!("{} elements are given, {wanted} are needed", length(name)));
                return b.output(0, u);
            }
        }
        let covariance = match b.settings().numbers("Initial Covariance") {
            [_] => b.param("Initial Covariance") * b.vector(&identity(n)),
            full if full.len() == n * n => b.param("Initial Covariance"),
            _ => {
                b.refuse("Initial Covariance", format!("one number or {} are needed", n * n));
                return b.output(0, u);
            }
        };
        let [a, input, c, q, r] = ["A", "B", "C", "Q", "R"].map(|name| b.param(name));
        let (state, covariance_state) = (b.state(n, b.param("Initial State")), b.state(n * n, covariance));
        let (x, cov) = (state.value, covariance_state.value);
        let c_transposed = transpose(b, c, p, n);
        let to_measured = multiply(b, cov, c_transposed, [n, n, p]);
        let innovation = multiply(b, c, to_measured, [p, n, p]) + r;
        // K = P·C'·S⁻¹ is the transpose of the solution of S'·X = C·P', and S and P are symmetric.
        let gain = transpose(b, solve(b, innovation, transpose(b, to_measured, n, p), p), p, n);
        let estimate = x + multiply(b, gain, y - multiply(b, c, x, [p, n, 1]), [n, p, 1]);
        let rest = b.vector(&identity(n)) - multiply(b, gain, c, [n, p, n]);
        let kept = multiply(b, multiply(b, rest, cov, [n, n, n]), transpose(b, rest, n, n), [n, n, n]);
        let measured = multiply(b, multiply(b, gain, r, [n, p, p]), transpose(b, gain, n, p), [n, p, n]);
        let after = kept + measured;
        state.next(multiply(b, a, estimate, [n, n, 1]) + multiply(b, input, u, [n, m, 1]));
        covariance_state.next(multiply(b, multiply(b, a, after, [n, n, n]), transpose(b, a, n, n), [n, n, n]) + q);
        b.output(0, estimate);
        b.early(0, x);
    },
    examples: &[Example {
        doc: "A constant: the mean, where the initial estimate counts as one measurement",
        options: &[("B", &["0"]), ("Q", &["0"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[0.0, 0.0, 0.0], &[2.0, 4.0, 6.0]],
        outputs: &[&[1.0, 2.0, 3.0]],
    }],
};

const MAX_STATES: usize = 10;

fn identity(size: usize) -> Vec<f64> {
    (0..size * size).map(|index| f64::from(u8::from(index / size == index % size))).collect()
}
