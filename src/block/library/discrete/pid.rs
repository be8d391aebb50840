use crate::block::library::control::{Errors, GAINS, Options, gains, optional_inputs};
use crate::block::library::linear::{RESETS, reset};
use crate::block::{BlockDef, Builder, Example, Expr, Face, Look, ParamDef, Ports, Settings, StateVar};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Discrete PID Controller",
    doc: "Computes the control signal from the error, its sum and its difference, with optional limits and anti-windup",
    formula: "u = P·e + I·F(z)·e + D·N/(1 + N·F(z))·e, F = T/(z−1) forward, T·z/(z−1) backward, T/2·(z+1)/(z−1) trapezoidal \
              (Åström, Hägglund: PID Controllers, 1995, chapter 3)",
    aliases: &["pid", "pi", "pd", "digital controller", "regulator", "anti-windup", "gain scheduling"],
    look: Look::rect(Face::Text("PID(z)")),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        PID[0],
        PID[1],
        PID[2],
        PID[3],
        PID[4],
        PID[5],
        PID[6],
        PID[7],
        PID[8],
        PID[9],
        PID[10],
        PID[11],
        PID[12],
        PID[13],
        PID[14],
        PID[15],
        GAINS,
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let e = b.input(0);
        b.output(0, controller(b, Errors { proportional: e, integral: e, derivative: e }, 1));
    },
    examples: &[
        Example {
            doc: "PI control, forward Euler",
            options: &[("P", &["2"]), ("I", &["1"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0]],
            outputs: &[&[2.0, 2.5, 3.0]],
        },
        Example {
            doc: "PI control, backward Euler",
            options: &[("P", &["2"]), ("I", &["1"]), ("Integral Method", &["backward"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0]],
            outputs: &[&[2.5, 3.0, 3.5]],
        },
        Example {
            doc: "Filtered derivative, backward Euler",
            options: &[
                ("P", &["0"]),
                ("I", &["0"]),
                ("D", &["1"]),
                ("Filter Coefficient", &["2"]),
                ("Filter Method", &["backward"]),
            ],
            delta: 0.5,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0]],
            outputs: &[&[1.0, 0.5, 0.25]],
        },
        Example {
            doc: "Clamping: the integral holds at the limit",
            options: &[
                ("P", &["0"]),
                ("I", &["1"]),
                ("Limited", &["1"]),
                ("Upper Limit", &["1.5"]),
                ("Anti-Windup", &["clamping"]),
            ],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0, 1.0, -1.0, -1.0]],
            outputs: &[&[0.0, 1.0, 1.5, 1.5, 1.5, 1.0]],
        },
    ],
};

pub(super) const METHODS: [&str; 3] = ["forward", "backward", "trapezoidal"];
pub(super) const PID: [ParamDef; 16] = [
    ParamDef::choice("Form", &["parallel", "ideal"])
        .doc("Whether P multiplies the proportional term alone, or all three terms"),
    ParamDef::number("P", &[1.0]).vector().doc("The proportional gain"),
    ParamDef::number("I", &[1.0]).vector().doc("The integral gain, per second"),
    ParamDef::number("D", &[0.0]).vector().unit("s").doc("The derivative gain"),
    ParamDef::number("Filter Coefficient", &[100.0]).vector().unit("1/s").doc(
        "The coefficient N of the derivative filter; with the forward method less than 2 divided by the sample time",
    ),
    ParamDef::choice("Integral Method", &METHODS).doc("The integration method of the integral"),
    ParamDef::choice("Filter Method", &METHODS).doc("The integration method of the derivative filter"),
    ParamDef::number("Initial Integral", &[0.0]).vector().doc("The integral term at the start and after a reset"),
    ParamDef::flag("Limited", false).doc("Whether the output is limited"),
    ParamDef::number("Lower Limit", &[f64::NEG_INFINITY]).vector().doc("The minimum output"),
    ParamDef::number("Upper Limit", &[f64::INFINITY]).vector().doc("The maximum output"),
    ParamDef::choice("Anti-Windup", &["none", "back-calculation", "clamping"])
        .doc("What the integral does at a limit: continues, is driven back, or holds"),
    ParamDef::number("Back-Calculation", &[1.0]).vector().unit("1/s").doc("The back-calculation gain Kb"),
    ParamDef::flag("Tracking", false).doc("Whether there is an input that the output tracks"),
    ParamDef::number("Tracking Gain", &[1.0]).vector().unit("1/s").doc("The tracking gain Kt"),
    ParamDef::choice("Reset", &RESETS)
        .doc("Which edge of the input Reset resets integral and filter; level: while the input is nonzero"),
];

fn inputs(settings: &Settings) -> Vec<String> {
    optional_inputs(settings, &["Error"])
}

/// Returns the fraction of an integration method's increment that acts in the current sample.
fn share(method: &str) -> f64 {
    match method {
        "backward" => 1.0,
        "trapezoidal" => 0.5,
        _ => 0.0,
    }
}

/// Writes a controller; `next` is the index of the first optional input. Anti-windup and tracking act from the next
/// sample on.
pub(super) fn controller<'b>(b: &'b Builder<'b>, errors: Errors<'b>, next: usize) -> Expr<'b> {
    let ([p, i, d, n], next) = gains(b, next);
    let initial = b.param("Initial Integral");
    let is_reset = reset(b, next);
    let options = Options::new(b, is_reset, next);
    let width = options.width(b, &errors, &[p, i, d, n, initial]);
    let span = b.elapsed();
    let (integral, filter) = (Sum::new(b, width, initial, span), Sum::new(b, width, b.constant(0.0), span));
    let (mut integral_now, mut filter_now) = (integral.value(), filter.value());
    if let Some(is_reset) = is_reset {
        integral_now = b.select(is_reset, initial, integral_now);
        filter_now = b.select(is_reset, 0.0, filter_now);
    }
    let (integral_share, filter_share) =
        (share(b.settings().choice("Integral Method")), share(b.settings().choice("Filter Method")));
    let slope = n * (d * errors.derivative - filter_now) / (1.0 + n * span * filter_share);
    filter.next(filter_now, slope * filter_share, slope);
    let growth = i * errors.integral;
    let integrated = if integral_share == 0.0 { integral_now } else { integral_now + span * integral_share * growth };
    let wanted = match b.settings().choice("Form") {
        "ideal" => p * (errors.proportional + integrated + slope),
        _ => p * errors.proportional + integrated + slope,
    };
    let limited = options.limited(wanted);
    let rate = options.rate(b, growth, wanted, limited);
    integral.next(integral_now, growth * integral_share, rate);
    // Before the first sample there is no error.
    let initial = if b.settings().choice("Form") == "ideal" { p * initial } else { initial };
    b.early(0, options.limited(initial));
    limited
}

/// A sum of rates times the time for which they act.
struct Sum<'b> {
    state: StateVar<'b>,
    /// The rate from the last sample until now, where that time is known only now.
    pending: Option<StateVar<'b>>,
    span: Expr<'b>,
}

impl<'b> Sum<'b> {
    fn new(b: &'b Builder<'b>, width: usize, initial: Expr<'b>, span: Expr<'b>) -> Sum<'b> {
        let pending = b.is_intermittent().then(|| b.state(width, b.constant(0.0)));
        Sum { state: b.state(width, initial), pending, span }
    }

    /// The sum up to this sample.
    fn value(&self) -> Expr<'b> {
        self.pending.map_or(self.state.value, |pending| self.state.value + self.span * pending.value)
    }

    /// Adds a rate to the sum `now`. The part `here` of it acts for the time before this sample, the rest for the time
    /// after it.
    fn next(&self, now: Expr<'b>, here: Expr<'b>, rate: Expr<'b>) {
        let Some(pending) = self.pending else { return self.state.next(now + self.span * rate) };
        self.state.next(now + self.span * here);
        pending.next(rate - here);
    }
}
